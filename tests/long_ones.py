"""Tests that take long and ask, of another game, what a shorter one asks as well: `make test-long` runs them.

`make test` leaves them out, so that it ends while one waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

LONG = pytest.mark.long


def but_long(values: Iterable[Any], *long: Any) -> list[Any]:
    """Values of a parameter; the test of some of them is a long one."""
    return [pytest.param(value, marks=LONG) if value in long else value for value in values]
