"""Settings of all tests."""

import gc
import os

import pytest
from hypothesis import settings

from wteaw.core.collector import collect_rarely

# No deadline: machines differ, and a slow moment is no fault of the code. The same examples every time, so that a change and not
# the lot decides whether the tests pass; HYPOTHESIS_PROFILE=search looks for others.
settings.register_profile("everywhere", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everywhere"))

# As the command line does: the rules and games that many tests share stay, and need not be looked through again and again.
collect_rarely()

LONGEST = (
    "test_goldens", "test_evaluators", "test_odds_as_written", "test_web_secrecy", "test_law_orders", "test_fuzz",
    "test_empire_orders", "test_secrecy", "test_docs", "test_web_worker", "test_simulate", "test_web_browser", "test_audit",
)  # fmt: skip
"""Files whose tests take longest. They are begun first, so that at the end no process works alone on a long one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_collection_finish() -> None:
    gc.freeze()
