"""What many events cost when nothing concerns them: compare the group's medians, which should hardly grow with their number."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests import small
from wteaw.turn import events as watch
from wteaw.turn.context import Turn
from wteaw.turn.events import settle
from wteaw.world.world import World

SIZES = (100, 1_000, 10_000)


def watching(size: int) -> Turn:
    """A turn with so many events: a third wait for a change, a third for an act, a third for a step of their own."""
    events: list[dict[str, Any]] = []
    mark = [{"flag": {"who": "red", "as": "seen"}}]
    for n in range(size):
        if n % 3 == 0:
            events.append(
                {
                    "id": f"event-{n}",
                    "for": "red",
                    "becomes": f"track('gray', 'mood') >= {100 + n}",
                    "effects": mark,
                }
            )
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


@pytest.mark.benchmark(
    group="two facts are counted after one was added, in the first and in a late turn of a game"
)
@pytest.mark.parametrize("turns", (1, 20, 180))
def test_facts_of_a_long_game(benchmark: Any, turns: int) -> None:
    """62 facts a turn, as in 1914; of ten words."""
    state = small.state()
    for n in range(62 * turns):
        state.put("facts", f"{n:06d}", "*", {"word": f"word-{n % 10}", "turn": 1 + n // 62, "by": "red"})
    state.put("game", "game", "turn", turns)
    world, numbers = World(small.ruleset(), state), itertools.count(62 * turns)

    def count() -> None:
        state.put("facts", f"{next(numbers):06d}", "*", {"word": "word-0", "turn": turns, "by": "red"})
        world.value("this_turn('acted', by='blue')", {})
        world.value("happened('ends', by='blue')", {})

    benchmark.pedantic(count, rounds=50, iterations=5, warmup_rounds=1)
