"""The differences of two rulesets: things by their ids, the frame node by node, and told in words."""

from __future__ import annotations

from typing import Any

from wteaw.core.model import Ruleset
from wteaw.ruleset.compare import compare
from wteaw.ruleset.describe_diff import tell

from .small import by_id


def rules(frame: list[dict[str, Any]] = [], **forms: list[dict[str, Any]]) -> Ruleset:  # noqa: B006
    return Ruleset("r", "R", {form: by_id(rows) for form, rows in forms.items()}, tuple(frame))


def said(a: Ruleset, b: Ruleset) -> list[str]:
    return list(tell(compare(a, b), a, b, lambda origin: origin))


def test_members_of_lists_are_compared_by_their_ids() -> None:
    a = rules(battles=[{"id": "b", "stages": [{"id": "one", "die": 6}, {"id": "two", "die": 6}]}])
    b = rules(battles=[{"id": "b", "stages": [{"id": "two", "die": 8}, {"id": "three", "die": 6}]}])
    assert [(d.what, d.key, d.old, d.new) for d in compare(a, b)] == [
        ("key removed", "stages.one", {"die": 6}, None),
        ("changed", "stages.two.die", 6, 8),
        ("key added", "stages.three", None, {"die": 6}),
    ]


def test_what_only_says_where_a_rule_comes_from_is_no_difference() -> None:
    a = rules(units=[{"id": "u", "source": ["a"], "note": "x"}])
    assert list(compare(a, rules(units=[{"id": "u", "source": ["a", "b"]}]))) == []


def test_the_sequence_is_compared_node_by_node() -> None:
    steps = [{"step": "one", "do": "act"}, {"step": "two", "do": "act"}, {"step": "three", "do": "act"}]
    a = rules([{"input": "orders", "from": "everyone"}, {"phase": "talk", "steps": steps}])
    turns = {
        "id": "turns",
        "each": "nation",
        "steps": [
            {"input": "orders", "from": "nation"},
            {"phase": "talk", "steps": [steps[1], steps[2], {"step": "four", "do": "act"}]},
            steps[0],
        ],
    }
    assert said(a, rules([turns])) == [
        "The course of the turn",
        "  in turns, no more in the turn: orders, talk",
        "  in turns, no more in talk: one",
        "  orders",
        "    from: everyone → nation",
        "  one",
        "    comes after three, no more after talk",
        "  new: turns",
        "  new: four",
    ]


def test_long_values_are_said_on_lines_of_their_own_and_reasons_are_named() -> None:
    long = "a " * 80
    a = rules(definitions=[{"id": "t", "is": long, "source": ["x"]}], actions=[{"id": "gone"}])
    b = rules(definitions=[{"id": "t", "is": "b", "requires": [{"message": "no"}], "source": ["x", "y"]}])
    lines = said(a, b)
    assert lines[:3] == ["Actions", "  gone: gone", ""]
    assert lines[3:5] == ["Definitions", "  t  [y]"]
    assert lines[5] == "    is:" and lines[6].startswith("      was a a") and "      is  b" in lines
    assert lines[-1] == "    requires: [{message: no}] (new)"
    assert all(len(line) <= 130 for line in lines)
