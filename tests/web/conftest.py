"""Fixtures of the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .house import Browser, House


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's chromium, without a window."""
    from playwright.sync_api import sync_playwright  # where it is missing, no test asks for this

    from .chromium import CHROMIUM

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def at(tmp_path: Path) -> House:
    """A server with a game of two, whose file may have a fixture of its own instead."""
    from .house import house  # which skips whatever asks for it where the server's libraries are missing

    found = house(tmp_path)
    found.game("small", red="ann@a.example", blue="bob@b.example")
    return found


@pytest.fixture
def mo(at: House) -> Browser:
    """Its moderator, who has come in."""
    return at.come_in(at.role("small", "moderator"))
