"""Limits, asked by the act and by `within_limits` alike, and own cases: what an act is to single nations."""

from __future__ import annotations

import pytest

from wteaw.core.model import Row
from wteaw.core.state import Entity
from wteaw.ruleset.action_changes import with_own_cases
from wteaw.ruleset.expressions.reads import reads
from wteaw.turn.slots import unmet

from .economy import position, rules, turn_of

ACT: Row = {
    "id": "scold",
    "syntax": "scold {target}",
    "slots": {"target": "nation"},
    "requires": [{"test": "target != self", "message": "own"}],
}
COINS: Row = {"id": "coins", "on": "scold", "test": "stock(self, 'coin') > 3", "message": "too poor"}


@pytest.mark.parametrize(
    ("keys", "coin", "said"),
    [
        ({}, 3, "too poor"),
        ({}, 4, None),
        ({"for": "red"}, 3, "too poor"),
        ({"for": ["blue", "reds"]}, 3, "too poor"),
        ({"for": "east"}, 3, "too poor"),
        ({"for": "west"}, 3, None),
        ({"for": "blue"}, 3, None),
        ({"against": "blue"}, 3, "too poor"),
        ({"against": "east"}, 3, None),
        ({"for": "red", "against": "west", "when": "turn == 5"}, 3, "too poor"),
        ({"for": "red", "against": "west", "when": "turn == 6"}, 3, None),
    ],
)
def test_a_limit_holds_for_whom_against_whom_and_when_it_says(keys: Row, coin: int, said: str | None) -> None:
    groups = [{"id": "reds", "of": "nations", "members": ["red"]}]
    turn = turn_of(
        rules(actions=[ACT], action_changes=[{**COINS, **keys}], groups=groups),
        position({"red": {"coin": coin}}),
    )
    names = {"self": (red := Entity("nation", "red")), "nation": red, "target": Entity("nation", "blue")}
    refusal = unmet(turn, turn.ruleset.row("actions", "scold"), names)
    assert (refusal.text if refusal else None) == said
    assert turn.world.value("within_limits('scold', 'red', 'blue')", {}) is (said is None)


def test_the_acts_own_needs_come_first_and_what_limits_read_is_known() -> None:
    turn = turn_of(rules(actions=[ACT], action_changes=[COINS]), position({}))
    red = Entity("nation", "red")
    refusal = unmet(turn, turn.ruleset.row("actions", "scold"), {"self": red, "nation": red, "target": red})
    assert refusal is not None and refusal.text == "own"
    read = reads(turn.ruleset, "within_limits('scold', self, nation)")
    assert read is not None and "treasuries" in read


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"for": "red"}, ["aloud"]),
        ({"for": "blue"}, ["softly"]),
        ({"against": "blue", "when": "turn == 5"}, ["aloud"]),
        ({"against": "east"}, ["softly"]),
        ({"when": "turn == 6"}, ["softly"]),
        ({}, ["aloud"]),
    ],
)
def test_an_own_case_is_tried_where_the_act_says(keys: Row, said: list[str]) -> None:
    cases = [{"when": "turn == 7", "say": "too late"}, {"nations": True}, {"say": "softly"}]
    own = {"id": "aloud", "on": "scold", "say": "aloud", **keys}
    ruleset = rules(actions=[{**ACT, "cases": cases}], action_changes=[own])
    read = with_own_cases(ruleset, ruleset.row("actions", "scold"))
    turn = turn_of(ruleset, position({}))
    names = {"self": (red := Entity("nation", "red")), "nation": red, "target": Entity("nation", "blue")}
    assert [c["say"] for c in read["cases"] if turn.world.test(c.get("when"), names)][:1] == said
    assert len(read["cases"]) == 3 and not any(c.get("nations") for c in read["cases"])
