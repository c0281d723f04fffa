"""A key that is not read, because of what stands beside it, is told; so is one that is missing, and a number out of its range."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wteaw.core.package_data import schemas
from wteaw.ruleset.forms import forms

from .folders import errors_are_told, found, own_cache, write  # noqa: F401

WORLD = """nations: [{id: one, name: One}]\nresources: [{id: coin, name: Coin}]\nplaces: [{id: home, kind: land, owner: one}, {id: away, kind: land}]\nlinks: [{between: [home, away], kind: land}]\nrecords: [{id: clash, silence: {W604: for a test}}]\nmovement: [{id: walk, links: [land]}]\norder_options: [{id: hide, syntax: hide}]\nvisibility: [{id: all, what: places, to: everyone}]\nsequence:\n- {input: orders}\n"""
SCORE = 'victory:\n- {id: score, kind: criterion, of: nation, is: "1"}\n'
BATTLE = "battles:\n- {id: b, stages: [{id: s}], "
NATION = "nations: [{id: one, name: One}]\n"
WAR = "stances: [{id: war, hostile: true, default: true}, {id: alliance, friendly: true}]"
ACT = "actions:\n- {id: a, syntax: a, silence: {W602: for a test}, "

UNREAD = [
    # rows beside those of WORLD, › before each place that is told; the codes in order
    ("- {step: s, ›movement: [walk]}\n", "E213"),
    ("- {do: capture, ›movement: [walk]}\n", "E213"),
    ("- {do: capture, close: true, movement: [walk]}\n", ""),
    ("- {do: move, movement: [walk], ›as_written: true}\n", "E213"),
    ("- {do: act, ›own_turn: true}\n", "E213"),
    ("- {each: nation, own_turn: true, steps: [{do: act}]}\n", ""),
    ("- {›do: fight}\n- {›do: detect}\n- {›do: settle}\n", "E606 E606 E606"),
    ("production:\n- {id: c, makes: foot, price: 1, sites: ›[]}\n", "E209"),
    (
        "- {do: fight, battles: ›[]}\n- {do: detect, detection: ›[]}\n- {do: settle, definitions: ›[]}\n",
        "E209 E209 E209",
    ),
    (BATTLE + "where: {records: ›{over: records(), at: place('home')}}}\n", "E207"),
    (
        BATTLE
        + "where: {records: {over: records(), at: place('home'), parties: {attacker: set_of(), defender: set_of()}}}}\n",
        "",
    ),
    (BATTLE + "›over: records()}\n", "E206"),
    (BATTLE + "where: contacts, ›once: true}\n", "E213"),
    (BATTLE + "once: true}\n", ""),
    (BATTLE + "where: {passed: {from_start: true}}}\n", ""),
    ("battles:\n- {id: b, stages: [{id: s, ›table: {1: hit}}]}\n", "E206"),
    ("battles:\n- {id: b, stages: [{id: s, resolve: {face: {table: {1: hit}}}}]}\n", ""),
    ("battles:\n- {id: b, stages: [{id: s, resolve: {face: {table: {1: hit}, ›tie: attacker}}}]}\n", "E206"),
    ("capture:\n- {id: c, how: presence, places: places(), ›held_by: any}\n", "E213"),
    ("capture:\n- {id: c, how: capture, held_by: any}\n", ""),
    (SCORE + "- {id: e, kind: game_end, ›lead: 3}\n", "E213"),
    ("victory:\n- {id: a, kind: aim, about: number, reached: it > 3, points: 1, ›wins: one}\n", "E213"),
    ("victory:\n- {id: a, kind: aim, about: number, reached: it > 3, points: 1}\n", ""),
    ("victory:\n- ›{id: a, kind: aim, about: number, points: 1}\n", "E207"),
    ("victory:\n- ›{id: a, wins: one}\n", "E207"),
    ("victory:\n- {id: a, kind: ›ending, wins: one}\n", "E209"),
    (SCORE + "- {id: a, kind: game_end, rank: ›a}\n", "E401"),  # no criterion
    ("capture:\n- {id: c, ›how: status, flag: seen}\n", "E213"),
    (SCORE + "- {id: e, kind: game_end, rank: score, lead: 3, tie: draw}\n", ""),
    ("events:\n- {id: e, on: turn_end, ›at_start: true}\n", "E213"),
    ("transfers:\n- {id: g, kind: gift, what: coin, ›links: [land]}\n", "E213"),
    ("transfers:\n- {id: g, kind: gift, what: coin, ›share: 1/2}\n", "E213"),
    ("transfers:\n- {id: g, kind: gift, what: coin, when: 'self != target', arrives: 1/2, round: up}\n", ""),
    (ACT + "›results: {1: []}}\n", "E213"),
    (ACT + "roll: 1d6, results: {1: []}}\n", ""),
    (ACT + "effects: [{for: nations(), ›on_failure: [], effects: [{say: hm}]}]}\n", "E213"),
    (ACT + "effects: [{pay: {to: one, what: coin, amount: 1, ›as_far_as: true}}]}\n", "E213"),
    (ACT + "effects: [{pay: {from: one, what: coin, amount: 1, as_far_as: true}}]}\n", ""),
    (ACT + "effects: [{remove: {units: units(), ›spread: kind}}]}\n", "E213"),
    (ACT + "effects: [{remove: {units: units(), n: 2, spread: kind}}]}\n", ""),
    (ACT + "effects: [{remove: {units: units(), share: 1/2, spread: kind, round: up}}]}\n", ""),
    (ACT + "cases: [{›results: {1: []}}]}\n", "E213"),
    ("decisions:\n- {id: d, ›least: 1}\n", "E213"),
    ("actions:\n- {id: a, syntax: go, slots: {›where: place}, silence: {W602: for a test}}\n", "E213"),
    (
        "actions:\n- {id: a, syntax: 'go to {where}', slots: {where: place}, silence: {W602: for a test}}\n",
        "",
    ),
]


@pytest.mark.parametrize(("text", "codes"), UNREAD)
def test_a_key_that_is_not_read_is_told(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, WORLD + text, codes)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("treasury: nation", ""),
        ("treasury: place", ""),
        ("treasury: region", ""),
        ("treasury: {region: {links: [land], through: place.owner == self, shared: true}}", ""),
        ("›links: [land]", "E206"),
        ("treasury: {›place: {links: [land]}}", "E206"),
        ("treasury: {region: ›{}}", "E209"),
        ("treasury: ›regions", "E209"),
        ("treasury: {region: {links: [›lnd]}}", "E407"),
        ("treasury: {region: {seat: ›home}}", "E407"),
    ],
)
def test_a_resource_says_how_its_treasuries_are_divided(tmp_path: Path, row: str, code: str) -> None:
    coin = "{id: coin, name: Coin}"
    assert coin in WORLD
    errors_are_told(tmp_path, WORLD.replace(coin, f"{{id: coin, name: Coin, {row}}}"), code)


def test_it_says_what_would_be_read(tmp_path: Path) -> None:
    told = [
        d for d in found(tmp_path, WORLD + BATTLE + "where: contacts, once: true}\n") if d.severity == "error"
    ]
    assert (
        told[0].message
        == "'once' is not read beside `where: contacts`, only beside `where: contested` or `where: passed`"
    )
    assert told[0].hint == "leave 'once' out, or write `where: contested` or `where: passed`"


def _asked(schema: Any, beside: Any = None) -> Iterator[tuple[str, Any, Any]]:
    """Each key with `x-with`, what it asks, and the keys beside it."""
    if isinstance(schema, dict):
        for key, value in (schema.get("properties") or {}).items():
            if isinstance(value, dict) and "x-with" in value:
                yield key, value["x-with"], schema["properties"]
        for value in schema.values():
            yield from _asked(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _asked(value)


def _inside(schema: Any) -> Any:
    """The keys of what stands at a key: of the members of a list, or of one block of several."""
    if "items" in schema:
        return schema["items"]["properties"]
    keys = schema.get("properties") or schema["oneOf"][1]["properties"]
    return keys


def _words(schema: Any) -> list[Any]:
    """The words that may stand at a key, those of blocks too."""
    words = schema.get("enum") or [w[1:] for w in schema.get("x-word", ()) if w.startswith(":")]
    for option in schema.get("oneOf", ()):
        words = [*words, *option.get("enum", ()), *option.get("properties", ())]
    return words or ([True, False] if schema.get("type") == "boolean" else [])


def test_schemas_ask_for_keys_that_are_there_and_values_that_they_may_have() -> None:
    asked = 0
    for file, schema in forms().files.items():
        for key, wanted, beside in _asked(schema):
            for other, values in wanted.items():
                asked += 1
                there = schema["properties"] if other.startswith("/") else beside
                *outer, name = other.strip("/").replace("/*", "").split("/")
                for one in outer:
                    there = _inside(there[one])
                assert name in there, (file, key, other)
                words = _words(there[name])
                assert {v for v in values if v is not None} <= set(words), (file, key, other)
    assert asked > 60


def test_no_word_stands_twice_in_a_list_of_words() -> None:
    def lists(value: Any) -> Iterator[list[Any]]:
        if isinstance(value, dict):
            if isinstance(value.get("enum"), list):
                yield value["enum"]
            for inner in value.values():
                yield from lists(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from lists(inner)

    for path in schemas().glob("*.schema.json"):
        for words in lists(json.loads(path.read_text("utf-8"))):
            assert len({json.dumps(w) for w in words}) == len(words), (path.name, words)


NEEDED = [
    (
        "actions: [{id: a, syntax: a, cost: 1, silence: {W602: for a test}}]\n",
        "resources: [{id: coin, name: Coin}]",
        "E213",
    ),
    (
        "actions: [{id: a, syntax: a, cost: {coin: 1}, silence: {W602: for a test}}]\n",
        "resources: [{id: coin, name: Coin}]",
        "E407",
    ),
    (
        "actions: [{id: a, syntax: a, silence: {W602: for a test}, effects: [{join: {who: =self, side: =self.side}}]}]\n",
        WAR,
        "E213",
    ),
    (
        "definitions: [{id: t, of: [nation], is: 'toward(nation, nation) + 1'}]\n",
        "tracks: [{id: lean, signed: true}]",
        "E308",
    ),
]


@pytest.mark.parametrize(("text", "needed", "code"), NEEDED)
def test_what_a_rule_needs_to_be_there_is_there(tmp_path: Path, text: str, needed: str, code: str) -> None:
    assert code in [d.code for d in found(tmp_path / "without", NATION + text) if d.severity == "error"]
    assert [d for d in found(tmp_path / "with", NATION + text + needed + "\n") if d.severity == "error"] == []


@pytest.mark.parametrize(
    ("effect", "codes"),
    [
        ("fight: {battle: b, attacker: one, at: home}", ""),
        ("fight: {battle: b, attacker: one, where: mixed, defender: one}", ""),
        ("fight: {battle: b, attacker: one, ›where: mixed}", "E213"),
        ("fight: ›{battle: b, attacker: one}", "E213"),
        ("fight: ›{battle: b, at: home}", "E207"),
        ("convert: ›{units: units()}", "E213"),
        ("convert: {units: units(), owner: one}", ""),
        ("end: {between: [one, one]}", ""),
        ("end: {between: ›[one]}", "E209"),
        ("end: ›battle", "E209"),
        ("end: game", ""),
        ("vote: {of: nations(), ask: peace, then: [{say: peace}]}", ""),
        ("vote: {of: nations(), ask: ›dinner, then: [{say: dinner}]}", "E407"),
    ],
)
def test_an_effect_can_be_done_as_it_is_said(tmp_path: Path, effect: str, codes: str) -> None:
    rows = "decisions: [{id: peace, from: [accept, refuse]}, {id: dinner, from: [fish, fowl]}]\n"
    errors_are_told(tmp_path, WORLD + rows + BATTLE + "}\n" + ACT + f"effects: [{{{effect}}}]}}\n", codes)


RANGES = [
    (SCORE + "- {id: e, kind: game_end, rank: score, lead: ›-10}\n", "E209"),
    (SCORE + "- {id: e, kind: game_end, rank: score, lead: ›-1/2}\n", "E209"),
    (
        SCORE + "- {id: e, kind: game_end, rank: score, lead: =0 - 1}\n",
        "",
    ),  # what is worked out is judged in play
    (ACT + "cost: ›-1}\n", "E209"),
    (ACT + "cost: {coin: ›-1}}\n", "E209"),
    (ACT + "cost: {coin: 0}}\n", ""),
    (ACT + "effects: [{pay: {to: one, what: coin, amount: ›-5}}]}\n", "E209"),
    (ACT + "effects: [{pay: {to: one, what: coin, amount: ›-5..8}}]}\n", "E209"),
    (ACT + "effects: [{pay: {to: one, what: coin, amount: 0..8}}]}\n", ""),
    (ACT + "effects: [{flag: {who: one, as: seen, turns: ›-1, seen_by: everyone}}]}\n", "E209"),
    (ACT + "roll: {die: 1d6, dice: ›0, faces: 6}}\n", "E209"),
    ("placement_limits:\n- {id: r, of: nation, is: ›-3}\n", "E209"),
    ("transfers:\n- {id: g, kind: gift, what: coin, arrives: ›2}\n", "E209"),
    ("transfers:\n- {id: g, kind: gift, what: coin, arrives: 1}\n", ""),
    ("transfers:\n- {id: g, kind: gift, what: coin, arrives: ›1000000000000000000}\n", "E209"),
    (ACT + "effects: [{pay: {to: one, what: coin, amount: ›1000000000000000000}}]}\n", "E209"),
    ("- {do: act, actions: ›[a, a]}\n" + ACT + "cost: 1}\n", "E209"),
    (BATTLE + "caps: [{who: true, most: ›-1}]}\n", "E209"),
]


@pytest.mark.parametrize(("text", "codes"), RANGES)
def test_a_number_has_a_range(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, WORLD + text, codes)


def test_a_row_that_a_layer_removed_is_not_taken_for_a_slip(tmp_path: Path) -> None:
    below = "nations: [{id: one, name: One}, {id: ones, name: Ones, seat: one}]\ngroups: [{id: g, of: nations, members: [one, ones]}]\n"
    below += (
        "places: [{id: p, kind: land, owner: one}]\ndefinitions: [{id: t, is: \"at_war('one', 'ones')\"}]\n"
    )
    write(tmp_path / "base", {"tables/t.yaml": below})
    above = "nations:\n- {id: one, remove: true}\ndefinitions: [{id: u, is: t()}]\n"
    manifest = "id: over\ntitle: Over\nextends: ../base\n"
    told = found(write(tmp_path / "over", {"ruleset.yaml": manifest, "tables/t.yaml": above}))
    assert [d.code for d in told if d.severity == "error"] == ["E407", "E404", "E401", "E305"]
    assert {d.hint for d in told if d.severity == "error"} == {"tables/t.yaml:2 removes it"}
