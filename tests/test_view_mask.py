"""Bands of strength in a view: the holder's may be masked by a mark, other owners' and exact results never."""

from __future__ import annotations

from typing import Any

from wteaw.core.state import State
from wteaw.world.view import UNKNOWN, view

from .small import ruleset

SHOWS: list[dict[str, Any]] = [
    {"id": "own", "what": "units", "to": "owner"},
    {
        "id": "sight",
        "what": "units",
        "to": "everyone",
        "as": "band",
        "bands": {"1..5": "few", "6..": "many"},
        "mask": "looks-",
    },
]


def seen(marks: dict[str, Any], **units: int) -> dict[str, str]:
    """Owner to the band that gray sees in cedar, which blue holds."""
    stacks = {
        f"{owner}.foot@cedar": {"owner": owner, "kind": "foot", "place": "cedar", "n": n}
        for owner, n in units.items()
    }
    here = State({"game": {"game": {"turn": 1}}, "units": stacks, "flags": {"place:cedar": marks}})
    rows = view(ruleset(visibility=SHOWS), here, "gray").table("units").values()
    assert all(r["kind"] == UNKNOWN for r in rows)
    return {r["owner"]: r["band"] for r in rows}


def test_without_a_mark_the_band_is_true() -> None:
    assert seen({}, blue=4, red=7) == {"blue": "few", "red": "many"}


def test_a_mark_masks_the_holder_alone() -> None:
    assert seen({"looks-many": {"since": 1}}, blue=4, red=2) == {"blue": "many", "red": "few"}


def test_a_mark_that_names_no_band_changes_nothing() -> None:
    assert seen({"looks-odd": {"since": 1}, "other": {"since": 1}}, blue=4) == {"blue": "few"}
