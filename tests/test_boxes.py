"""Tracks with boxes, and limits that count for a person who commands several nations."""

from __future__ import annotations

import pytest

from wteaw.ruleset.expressions.parse import ExpressionError
from wteaw.turn import acts as act
from wteaw.world.tables import bounds, box_of
from wteaw.world.world import World

from . import small

LADDER = {
    "id": "ladder",
    "signed": True,
    "boxes": ["deep", "low", "middle", "high", "top"],
    "thresholds": [-2, 2],
}
STAIR = {"id": "stair", "boxes": ["first", "second", "third"]}


def test_the_middle_box_of_a_signed_track_is_zero_and_the_first_of_another() -> None:
    assert bounds(LADDER) == (-2, 2)
    assert [box_of(LADDER, n) for n in range(-2, 3)] == LADDER["boxes"]
    assert bounds(STAIR) == (0, 2)
    assert box_of(STAIR, 0) == "first"
    assert bounds({**LADDER, "at_least": -1}) == (-1, 2)
    assert bounds({"id": "plain", "at_most": 5}) == (None, 5)
    with pytest.raises(ExpressionError, match="no boxes"):
        box_of({"id": "plain"}, 0)


def test_a_track_does_not_go_beyond_its_boxes() -> None:
    """A push of three from the middle stops in the last box, which is reached once."""
    push = {"id": "push", "syntax": "push {target} {n}", "slots": {"target": "nation", "n": "number"},
            "effects": [{"shift": {"who": "=target", "track": "ladder", "toward": "=self.side", "by": "=n"}}]}  # fmt: skip
    rules = small.ruleset(tracks=[LADDER], actions=[push])
    turn = small.turn(
        rules,
        small.state(
            orders={
                "red/0001": {"nation": "red", "order": "actions/push", "slots": {"target": "gray", "n": 3}}
            }
        ),
    )
    act.run({"step": "actions", "actions": ["push"]}, turn)
    assert turn.state.get("tracks", "gray", "ladder") == 2
    assert World(rules, turn.state).value("box('gray', 'ladder')", {}) == "top"


def test_a_limit_of_a_seat_counts_for_all_nations_of_its_player() -> None:
    court = {
        "id": "court",
        "syntax": "court {target}",
        "slots": {"target": "nation"},
        "limit": {"1": ["seat", "target", "turn"]},
    }
    rules = small.ruleset(actions=[court])
    orders = {
        f"{n}/0001": {"nation": n, "order": "actions/court", "slots": {"target": "gray"}}
        for n in ("red", "blue")
    }
    for seats, expected in (({}, ["done", "done"]), ({"red": {"seat": "blue"}}, ["done", "refused"])):
        turn = small.turn(rules, small.state(orders=orders, nations=seats))
        act.run({"step": "actions", "actions": ["court"]}, turn)
        assert [turn.state.get("orders", f"{n}/0001", "status") for n in ("blue", "red")] == expected
