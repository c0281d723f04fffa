"""What others send costs as much as there is of it: twice as many rows or lines are twice the work, counted in lines of Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from wteaw.orders.intake import take_in
from wteaw.play.views import view_world
from wteaw.ruleset import load_ruleset

from .folders import write
from .test_store import new

MOST = 2.5
"""How much more work twice as much may be: somewhat more than twice, for what is sorted."""


def work(do: Callable[[], Any]) -> int:
    """How many lines of Python are run."""
    count = 0

    def line(_frame: FrameType, _event: str, _more: Any) -> Any:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        do()
    finally:
        sys.settrace(before)
    return count


ROWS: dict[str, Callable[[int], str]] = {
    "rows": lambda n: (
        "definitions:\n"
        + "".join(f"- {{id: t{i}, of: [unit], is: unit.n > {i}, text: x{i}}}\n" for i in range(n))
    ),
    "rows with a wrong key": lambda n: (
        "definitions:\n" + "".join(f"- {{id: t{i}, off: [unit]}}\n" for i in range(n))
    ),
    "rows of one id": lambda n: (
        "definitions:\n" + "".join(f"- {{id: t, of: [unit], is: unit.n > {i}}}\n" for i in range(n))
    ),
    "rows that name what is not there": lambda n: (
        "places:\n" + "".join(f"- {{id: p{i}, terrain: q{i}}}\n" for i in range(n))
    ),
    "values of a row": lambda n: (
        "definitions:\n- {id: t, of: [" + ", ".join(f"u{i}" for i in range(n)) + "]}\n"
    ),
}


@pytest.mark.parametrize("what", sorted(ROWS))
def test_a_table_costs_as_much_as_it_has_rows(tmp_path: Path, what: str) -> None:
    def validated(n: int) -> int:
        folder = write(tmp_path / str(n), {"tables/t.yaml": ROWS[what](n)})
        return work(lambda: load_ruleset(folder, cache=False))

    load_ruleset(write(tmp_path / "first", {}), cache=False)  # what is made once
    nothing, some, twice = (validated(n) for n in (0, 150, 300))
    assert twice - nothing < MOST * (some - nothing), (nothing, some, twice)


LINES = {
    "orders that stand, and more than can be paid": "dig\n",
    "words in disorder": "dig dug the gold of red\n",
    "letters": "x\n",
    "markup": "<br>dig",
    "quotations": "> dig\n",
    "remarks": "# dig\n",
}


@pytest.mark.parametrize("what", sorted(LINES))
def test_orders_cost_as_much_as_they_have_lines(tmp_path: Path, what: str) -> None:
    game = new(tmp_path, "red")
    world = view_world(game, "red")

    def read(n: int) -> int:
        return work(
            lambda: take_in(
                game.ruleset, LINES[what] * n, lambda _: world, nation="red", game=game.id, turn=1
            )
        )

    read(2)  # what is made once
    some, twice = read(150), read(300)
    assert twice < MOST * some, (some, twice)


def test_lines_beyond_all_measure_are_not_read(tmp_path: Path) -> None:
    """100,000 lines are hardly more work than the most that are read."""
    game = new(tmp_path, "red")
    world = view_world(game, "red")

    def read(n: int) -> int:
        return work(
            lambda: take_in(game.ruleset, "x\n" * n, lambda _: world, nation="red", game=game.id, turn=1)
        )

    most = read(2_000)
    assert read(100_000) < most + 100_000 * 25
