"""Going through the sequence of play, and through what stands inside a row; and answers made once of a ruleset."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from wteaw.core.frame import inputs, nodes_in, phases, step_name, steps
from wteaw.core.model import Ruleset, derived_of
from wteaw.core.nested import inside, maps_in, texts_in, with_each, with_floats

FRAME: list[dict[str, Any]] = [
    {"input": "orders"},
    {
        "phase": "war",
        "when": "turn > 1",
        "steps": [
            {
                "each": "nation",
                "steps": [{"do": "move", "step": "march"}, {"phase": "inner", "steps": [{"do": "fight"}]}],
            },
            {"input": "answers"},
        ],
    },
    {"do": "collect"},
]


def test_every_node_comes_in_order_with_its_place_and_what_is_around_it() -> None:
    found = list(nodes_in(FRAME))
    assert [node.path for node in found] == [
        (0,),
        (1,),
        (1, 0),
        (1, 0, 0),
        (1, 0, 1),
        (1, 0, 1, 0),
        (1, 1),
        (2,),
    ]
    fight = found[5]
    assert fight.row == {"do": "fight"}
    assert [next(iter(row)) for row in fight.above] == ["phase", "each", "phase"]
    assert (fight.nearest("phase") or {})["phase"] == "inner" and fight.nearest("ticks") is None
    assert found[-1].nearest("phase") is None


def test_steps_inputs_and_phases_are_found_at_any_depth() -> None:
    assert [step_name(node) for node in steps(FRAME)] == ["march", "fight", "collect"]
    assert [node["input"] for node in inputs(FRAME)] == ["orders", "answers"]
    assert [node["phase"] for node in phases(FRAME)] == ["war"]  # those inside others are parts of them


ROW = {
    "id": "a",
    "when": "x > 1",
    "effects": [{"say": "hello", "source": "r.1"}, {"pay": {"to": "=self", "n": 2}}],
}


def test_what_is_inside_comes_from_outside_in_each_with_its_key() -> None:
    keys = [key for key, _ in inside(ROW)]
    assert keys == ["", "id", "when", "effects", "effects", "say", "source", "effects", "pay", "to", "n"]
    assert list(texts_in(ROW, ("id", "source"))) == ["x > 1", "hello", "=self"]
    assert [sorted(part) for part in maps_in(ROW)] == [
        ["effects", "id", "when"], ["say", "source"], ["pay"], ["n", "to"],
    ]  # fmt: skip


def test_a_value_is_made_anew_with_each_of_its_parts_changed() -> None:
    half = {"a": [Fraction(1, 2), 3], "b": "text"}
    assert with_floats(half) == {"a": [0.5, 3], "b": "text"} and half["a"][0] == Fraction(1, 2)
    assert with_each(("a", {"b": "c"}), str.upper) == ["A", {"b": "C"}]


def test_what_follows_from_a_ruleset_is_made_once_for_each_question() -> None:
    asked: list[str] = []

    @derived_of("units")
    def names(ruleset: Ruleset, kind: str = "all") -> list[str]:
        asked.append(kind)
        return [*ruleset.rows("units"), kind]

    one = Ruleset("r", "R", {"units": {"army": {"id": "army"}}, "sides": {}})
    assert names(one) is names(one) and names(one, "land") == ["army", "land"]
    assert names(one, "land") is names(one, "land") and asked == ["all", "land"]
    same = Ruleset("s", "S", {"units": one.forms["units"], "sides": {"x": {"id": "x"}}})
    same.take_over(one)
    assert names(same) is names(one)  # its units are the same
    other = Ruleset("t", "T", {"units": {}})
    other.take_over(one)
    assert names(other) == ["all"]
