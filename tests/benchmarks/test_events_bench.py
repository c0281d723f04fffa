"""What many events cost when nothing concerns them: compare the group's medians, which should hardly grow with their number."""

from __future__ import annotations

from typing import Any

import pytest

from tests import small
from wteaw.turn import events as watch
from wteaw.turn.context import Turn
from wteaw.turn.events import settle

SIZES = (100, 1_000, 10_000)


def watching(size: int) -> Turn:
    """A turn with so many events: a third wait for a change, a third for an act, a third for a step of their own."""
    events: list[dict[str, Any]] = []
    mark = [{"flag": {"who": "red", "as": "seen"}}]
    for n in range(size):
        if n % 3 == 0:
            events.append({"id": f"event-{n}", "for": "red", "becomes": f"track('gray', 'mood') >= {100 + n}", "effects": mark})
        elif n % 3 == 1:
            events.append({"id": f"event-{n}", "on": {"acted": {"action": f"act-{n}"}}, "effects": mark})
        else:
            events.append({"id": f"event-{n}", "on": {"step": f"step-{n}"}, "effects": mark})
    turn = small.turn(small.ruleset(events=events))
    watch.first_look(turn)
    settle(turn)
    return turn


@pytest.mark.benchmark(group="a fact and a change that concern no event")
@pytest.mark.parametrize("size", SIZES)
def test_idle_events(benchmark: Any, size: int) -> None:
    turn = watching(size)
    amounts = iter(range(1, 10_000_000))

    def happen() -> None:
        with turn.journal.entry("bench/x"):
            turn.journal.set("treasuries", "red", "gold", next(amounts))
            turn.journal.fact("acted", by="red", action="nothing")
        settle(turn)

    benchmark(happen)
