"""Fixtures of the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's chromium, without a window."""
    from playwright.sync_api import sync_playwright  # where it is missing, no test asks for this

    from .chromium import CHROMIUM

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()
