"""Maps that do not hold together, rules that never come into play, and silences."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml

from wteaw.core.package_data import rulesets
from wteaw.ruleset import load_ruleset

from .folders import found, own_cache, places, write  # noqa: F401

PLACES = """\
nations:
- {id: n, name: N}
places:
- {id: a, kind: land, owner: n}
- {id: b, kind: land}
- {id: c, kind: sea}
- {id: d, kind: sea}
"""
MAPS = [
    ("links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d]}\n", []),
    ("links:\n- {between: [a, b]}\n- {between: [b, c]}\n", [("W502", 7, 3)]),
    ("links:\n- {between: [a, b]}\n- {between: [c, d]}\n", [("W503", 6, 3), ("W503", 7, 3)]),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d], one_way: true}\n",
        [("W504", 7, 3)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [d, c], one_way: true}\n",
        [("W503", 7, 3), ("W504", 7, 3)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d]}\n- {between: [b, b]}\n",
        [("E501", 12, 13)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d]}\n- {between: [b, a]}\n",
        [("E205", 12, 3)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, dd]}\n",
        [("W502", 7, 3), ("E401", 11, 17)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d]}\npassages:\n- {id: g, between: [a, d]}\n",
        [("E505", 13, 20)],
    ),
    (
        "links:\n- {between: [a, b]}\n- {between: [b, c]}\n- {between: [c, d]}\n"
        "passages:\n- {id: g, between: [c, d], keys: [b, a]}\n",
        [("W506", 13, 38)],
    ),
    (
        "links:\n- {between: [a, b], listed: {a: null, b: null}}\n- {between: [b, c], listed: {c: west}}\n- {between: [c, d], listed: {b: null}}\n",
        [("W508", 10, 30), ("W509", 10, 30), ("E510", 11, 30)],
    ),
]


@pytest.mark.parametrize(("text", "expected"), MAPS)
def test_maps(tmp_path: Path, text: str, expected: list[tuple[str, int, int]]) -> None:
    assert places(found(tmp_path, PLACES + text)) == expected


RULES = [
    (
        "actions:\n- {id: ask, syntax: ask}\nevents:\n- {id: e, on: {acted: {action: aks}}}\n",
        [("E401", 4, 32)],
    ),
    ("events:\n- {id: e}\n", [("W601", 2, 3)]),
    ("events:\n- {id: e, on: step, when: false}\n", [("W601", 2, 27)]),
    (
        "sequence:\n- {step: talk}\nevents:\n- {id: e, on: {step: tlak}}\n- {id: f, on: {step: talk}}\n",
        [("E605", 4, 22)],
    ),
    (
        "sequence:\n- {step: talk, do: act, actions: [x]}\nactions:\n- {id: x, syntax: x}\n- {id: y, syntax: y}\n",
        [("W602", 5, 3)],
    ),
    (
        "sequence:\n- {step: go, do: move}\norders:\n- {id: m, syntax: m, step: go}\n- {id: n, syntax: n, step: og}\n",
        [("E605", 5, 28)],
    ),
    (
        "actions:\n- {id: a, syntax: 'say {text}', slots: {text: {kind: place, among: told(self)}}, help: h}\n"
        "definitions:\n- {id: told, of: [nation], is: 'places(owner=nation)'}\n- {id: idle, of: [nation], is: 'places()'}\n",
        [("W604", 5, 3)],
    ),
    (
        "tracks:\n- {id: t, thresholds: [-5, 5, 9]}\nevents:\n"
        "- {id: e, on: {reached: {track: t, at: [-5]}}}\n- {id: f, on: [{reached: {at: 9}}]}\n",
        [("W604", 2, 28)],
    ),
    (
        "tables:\n- {id: used, rows: {a: 1}}\n- {id: idle, rows: {a: 1}}\ngroups:\n- {id: g, of: sides, members: [east], use: theater}\noptions:\n- {id: o, default: used}\n"
        "sides:\n- {id: east, name: East}\n",
        [("W604", 3, 3), ("W604", 7, 3)],
    ),
]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_rules_that_never_come_into_play(
    tmp_path: Path, text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert places(found(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("calendar", "expected"),
    [("{turns: 9}", [("W601", 2, 15)]), ("{turns: 9, unless: turn < 20}", []), ("{months: 2}", [])],
)
def test_an_event_that_waits_for_a_turn_after_the_last(
    tmp_path: Path, calendar: str, expected: list[tuple[str, int, int]]
) -> None:
    manifest = f"id: g\ntitle: G\nsettings: {{calendar: {calendar}}}\n"
    events = "events:\n- {id: e, on: {turn_start: 10}}\n- {id: f, on: {turn_start: 9}}\n"
    assert places(found(write(tmp_path, {"ruleset.yaml": manifest, "tables/t.yaml": events}))) == expected


def test_a_row_silences_its_own_warning(tmp_path: Path) -> None:
    text = "tables:\n- {id: idle, rows: {a: 1}, silence: {W604: kept for scenarios}}\n- {id: idle-too, rows: {a: 1}}\n"
    assert places(found(tmp_path, text)) == [("W604", 3, 3)]


def test_a_manifest_silences_files(tmp_path: Path) -> None:
    manifest = "id: g\ntitle: G\nsilence:\n  tables/old*.yaml: {W604: kept for scenarios}\n"
    idle = "tables:\n- {id: %s, rows: {a: 1}}\n"
    write(
        tmp_path, {"ruleset.yaml": manifest, "tables/old-1.yaml": idle % "x", "tables/new.yaml": idle % "y"}
    )
    assert [(d.code, d.file) for d in found(tmp_path)] == [("W604", "tables/new.yaml")]


@pytest.mark.parametrize(
    ("silence", "expected"),
    [
        ("{W604: kept for scenarios, W502: there is no map}", [("W701", 2, 64)]),
        ("{W604: kept for scenarios, W999: there is no map}", [("E702", 2, 64)]),
        ("{W604: kept for scenarios, E401: there is no map}", [("E702", 2, 64)]),
    ],
)
def test_silences_are_checked(tmp_path: Path, silence: str, expected: list[tuple[str, int, int]]) -> None:
    assert (
        places(found(tmp_path, f"tables:\n- {{id: idle, rows: {{a: 1}}, silence: {silence}}}\n")) == expected
    )


def test_errors_cannot_be_silenced(tmp_path: Path) -> None:
    text = "clauses:\n- {id: a, text: x, option: no-such, silence: {E401: it is known to be wrong}}\n"
    assert sorted(d.code for d in found(tmp_path, text)) == ["E401", "E702"]


def test_a_silence_of_the_base_is_not_unused_in_the_overlay(tmp_path: Path) -> None:
    base = "tables:\n- {id: idle, rows: {a: 1}, silence: {W604: kept for scenarios}}\n"
    write(tmp_path / "base", {"tables/t.yaml": base})
    over = {
        "ruleset.yaml": "id: o\ntitle: O\nextends: ../base\n",
        "tables/o.yaml": "options:\n- {id: o, default: idle}\n",
    }
    assert found(write(tmp_path / "over", over)) == []


def test_the_printed_lists_of_1914_are_36_pairs_of_which_ten_are_printed_from_one_end(tmp_path: Path) -> None:
    """With the silences taken away: a warning for each such pair and for each wrong code, and no error."""
    copy = tmp_path / "ruleset"
    shutil.copytree(rulesets(), copy, ignore=shutil.ignore_patterns("tests", "map", "variants"))
    file = copy / "tables" / "links.yaml"
    text = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert len([row.pop("silence") for row in text["links"] if "silence" in row]) > 5
    file.write_text(yaml.safe_dump(text), encoding="utf-8")
    rules, found = load_ruleset(copy, cache=False)
    assert rules is not None, found
    assert Counter(d.code for d in found) == {"W508": 10, "W509": 6}
    assert {d.message.split("'")[1] for d in found if d.code == "W509"} == {
        "kazan",
        "volgograd",
        "perm",
        "nizhniy",
        "red-sea",
    }
    assert len([row for row in rules.rows("links").values() if "listed" in row]) == 36
