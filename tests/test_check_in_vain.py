"""Rows of the right shape that would do nothing, or stop a turn: told at their place, while the neighbor that is right stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from .folders import found, marked, own_cache, places  # noqa: F401

WORLD = """\
nations: [{id: red, name: Red}, {id: blue, name: Blue}]
places: [{id: home, kind: land, lon: 1, lat: 2, size: large}, {id: away, kind: land, size: small}]
links: [{between: [home, away], kind: land}]
resources: [{id: coin, name: coin}]
units: [{id: foot, name: foot, plural: feet, tags: [army]}]
fields: [{id: size, of: [place], type: text, default: ''}]
catalogue: [{id: mill, name: mill, makes: foot, price: 3}]
shows: [{id: all, what: places, to: everyone}]
frame:
- {input: orders}
- {step: told, do: inform, shows: [all]}
"""
ACT = "- {step: talk, do: act}\nacts:\n- {id: a, form: a, "
TERM = "terms:\n- {id: t, silence: {W604: for a test}, is: "
EVENT = "events:\n- {id: e, on: turn_end, for: nations(), "
QUIET = "silence: {W604: for a test}"

EMPTY = [
    (ACT + "for: ›[]}\n", "E209"),
    (ACT + "for: [red]}\n", ""),
    ("groups:\n- {id: g, of: nations, members: ›[], " + QUIET + "}\n", "E209"),
    ("groups:\n- {id: g, of: nations, members: [red], " + QUIET + "}\n", ""),
    (EVENT + "effects: [{remove: {units: ›[]}}]}\n", "E209"),
    ("events:\n- {id: e, on: ›[], effects: [{say: hm}]}\n", "E209"),
    ("modes:\n- {id: m, links: ›[]}\n", "E209"),
    ("modes:\n- {id: m, links: [land]}\n", ""),
    ("- {step: talk, do: act, acts: ›[]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: ›3/2}}]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: ›2}}]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: 3/3}}]}\n", ""),
    ("levies:\n- {id: l, what: coin, of: 3, share: ›5/4, " + QUIET + "}\n", "E209"),
    ("levies:\n- {id: l, what: coin, of: 3, share: 4/5, " + QUIET + "}\n", ""),
]


@pytest.mark.parametrize(("text", "codes"), EMPTY)
def test_what_is_chosen_from_has_members_and_a_part_is_no_more_than_the_whole(tmp_path: Path, text: str, codes: str) -> None:
    told_at_marks(tmp_path, text, codes)


def told_at_marks(folder: Path, text: str, codes: str) -> None:
    """Assert that all that is found in WORLD with some rows stands at their marks, with these codes."""
    rows, expected = marked(WORLD + text, codes)
    assert places(found(folder, rows)) == expected
