"""Facts that are counted: `happened` and `this_turn` after facts were added, changed and dropped, as they would count a state again."""

from __future__ import annotations

import pytest

from tests import small
from wteaw.core.state import State
from wteaw.world.world import World


def put(state: State, n: int, word: str = "acted", turn: int = 1, by: str = "red") -> None:
    state.put("facts", f"{n:06d}", "*", {"word": word, "turn": turn, "by": by, "action": "nothing"})


def counts(world: World) -> list[int]:
    asked = (
        "happened('acted')",
        "happened('acted', by='red')",
        "this_turn('acted')",
        "this_turn('acted', by='blue')",
    )
    return [world.value(text, {}) for text in asked]


def as_new(state: State) -> list[int]:
    return counts(World(small.ruleset(), state.copy()))


def test_facts_are_counted_by_word_turn_and_role() -> None:
    state = small.state()
    (
        put(state, 1),
        put(state, 2, turn=2),
        put(state, 3, turn=2, by="blue"),
        put(state, 4, word="captured", turn=2),
    )
    state.put("game", "game", "turn", 2)
    assert counts(World(small.ruleset(), state))[:4] == [3, 2, 2, 1]


@pytest.mark.parametrize(
    "change", ["added", "dropped", "another word", "another turn", "one dropped, one added", "all dropped"]
)
def test_what_was_asked_before_a_change_is_counted_as_after_it(change: str) -> None:
    state = small.state()
    put(state, 1), put(state, 2), put(state, 3, by="blue"), put(state, 4, word="captured")
    world = World(small.ruleset(), state)
    before = counts(world)
    if change == "added":
        put(state, 5), put(state, 6, by="blue")
    elif change == "dropped":
        state.put("facts", "000001", "*", None)
    elif change == "another word":
        put(state, 4)
    elif change == "another turn":
        state.put("facts", "000001", "turn", 7)
    elif change == "one dropped, one added":
        state.put("facts", "000001", "*", None), put(state, 5, by="blue")
    else:
        for n in range(1, 5):
            state.put("facts", f"{n:06d}", "*", None)
    assert counts(world) == as_new(state) != before
    put(state, 9)
    assert counts(world) == as_new(state)


def test_what_is_added_to_a_copy_is_not_counted_in_what_it_was_copied_from() -> None:
    state = small.state()
    put(state, 1)
    world = World(small.ruleset(), state)
    copied = state.copy()
    assert counts(world)[0] == 1
    put(copied, 2)
    other = World(small.ruleset(), copied)
    assert (counts(world)[0], counts(other)[0]) == (1, 2)
    put(state, 2, by="blue")
    assert counts(world)[:2] == [2, 1] and counts(other)[:2] == [2, 2]
