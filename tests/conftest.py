"""Settings of all tests."""

import os

from hypothesis import settings

# No deadline: machines differ, and a slow moment is no fault of the code. The same examples every time, so that a change and not
# the lot decides whether the tests pass; HYPOTHESIS_PROFILE=search looks for others.
settings.register_profile("everywhere", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everywhere"))
