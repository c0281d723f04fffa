"""Wars: which are shared by a side, what ends them, what they leave behind."""

from __future__ import annotations

from typing import Any

from wteaw.core.state import State
from wteaw.turn import events as watch
from wteaw.turn import relations
from wteaw.turn.context import Turn
from wteaw.turn.events import settle

from . import small

KINDS = [
    {"id": "great", "ends": ["peace"]},
    {
        "id": "quarrel",
        "shared": False,
        "ends": [{"captured": 2, "of": "target"}, {"captured": "birch"}],
        "at": "peace",
        "leaves": "truce",
    },
    {"id": "raid", "shared": False, "ends": [{"captured": 1}], "at": "peace"},
]
STANCES = [{"id": "truce", "enter": "never"}]


def at_war(kind: str, by: str = "gray", of: str = "blue") -> Turn:
    turn = small.turn(small.ruleset(war_kinds=KINDS, stances=STANCES), small.state())
    with turn.journal.entry("test/war"):
        relations.relate(turn, by, of, "war", war=kind, declared_by=by)
    return turn


def take(turn: Turn, place: str, by: str, of: str) -> None:
    with turn.journal.entry("test/capture"):
        turn.journal.fact("captured", by=by, of=of, place=place)
    settle(turn)


def ended(turn: Turn) -> list[dict[str, Any]]:
    watch.step_over(turn, {"step": "peace", "do": "moment"}, "peace")
    return [f.roles for e in turn.journal.entries for f in e.facts if f.word == "war_ended"]


def test_the_first_capture_ends_a_war_when_its_step_comes() -> None:
    turn = at_war("raid")
    take(turn, "cedar", "gray", "blue")
    take(turn, "dale", "blue", "gray")
    assert turn.world.hostile("gray", "blue"), "not before the step"
    assert ended(turn) == [{"by": "blue", "of": "gray", "war": "blue--gray", "kind": "raid"}]
    assert turn.world.stance("gray", "blue") == "peace"


def test_only_captures_of_the_beginner_count_where_it_says_so() -> None:
    turn = at_war("quarrel")
    for place in ("cedar", "cedar"):
        take(turn, place, "gray", "blue")
    take(turn, "dale", "blue", "gray")
    take(turn, "ash", "blue", "gray")
    assert not ended(turn)
    take(turn, "elsewhere", "gray", "blue")
    assert ended(turn)[0]["won"] == "gray"
    assert turn.world.stance("gray", "blue") == "truce"


def test_a_named_place_decides_for_its_taker() -> None:
    turn = at_war("quarrel")
    take(turn, "birch", "blue", "gray")
    assert ended(turn)[0]["won"] == "blue"


def test_wars_of_ones_own_are_not_shared_with_a_side() -> None:
    turn = at_war("raid", "gray", "red")
    with turn.journal.entry("test/join"):
        relations.relate(turn, "blue", "gray", "friends")
    rules = small.ruleset(
        war_kinds=KINDS,
        nations=[
            {"id": "white", "name": "White", "side": None},
            {"id": "pink", "name": "Pink", "side": None},
        ],
    )
    state = State({**turn.state.tables, "relations": {"blue--red": {"stance": "war"}, "blue--white": {"stance": "war"}, "pink--red": {"stance": "war"}},
                   "wars": {"blue--red": {"kind": "great", "parties": ["blue", "red"]}, "blue--white": {"kind": "raid", "parties": ["blue", "white"]},
                            "pink--red": {"kind": "raid", "parties": ["pink", "red"], "by": "pink"}}})  # fmt: skip
    turn = small.turn(rules, state)
    with turn.journal.entry("test/join"):
        new = relations.join(turn, "pink", "west", "war", "friends")
    assert not turn.world.hostile("pink", "white"), "its friends' own quarrel"
    assert turn.state.get("wars", "pink--red", "kind") == "great", "its own quarrel has become the great war"
    assert new == ["red"]


def test_peace_between_members_of_a_side_makes_them_friends_again() -> None:
    rules = small.ruleset(nations=[{"id": "rose", "name": "Rose", "side": "east"}], war_kinds=KINDS)
    turn = small.turn(rules, small.state(relations={"red--rose": {"stance": "war"}}))
    with turn.journal.entry("test/peace"):
        assert relations.end_war(turn, "red", "rose")
    assert turn.world.allied("red", "rose")
    with turn.journal.entry("test/again"):
        assert not relations.end_war(turn, "red", "rose")
