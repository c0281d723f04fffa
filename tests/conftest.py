"""Settings of all tests."""

from hypothesis import settings

# No deadline: machines differ, and a slow moment is no fault of the code.
settings.register_profile("everywhere", deadline=None)
settings.load_profile("everywhere")
