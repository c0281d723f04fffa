"""Battles are a union by how dice are read (`resolve`), which battles there are (`where`) and their tempo: a
designer sees the keys of their own combat system, and a key of another one is an error at its place.

`python -m tests.test_battle_union` prints how many keys each system has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from wteaw.ruleset.forms import forms
from wteaw_editor.answers import completions
from wteaw_editor.project import Project

from .folders import found, marked, own_cache, places, write  # noqa: F401

SCHEMA = forms().schema("battles")
EVERYWHERE = {"id", "source", "note", "silence", "remove", "append", "name"}
RESOLVE = ("roll_under", "face", "sum", "compare")
SYSTEMS = {
    "fire by groups in contested places": ("roll_under", "contested", "together"),
    "fire by groups among forces that have found each other": ("roll_under", "contacts", "one_by_one"),
    "fire at who passes over": ("roll_under", "passed", "one_by_one"),
    "faces looked up": ("face", "contested", "one_by_one"),
    "sums compared, at once": ("sum", "records", "at_once"),
    "dice against dice": ("compare", "contested", "one_by_one"),
}
"""The systems of the shipped rulesets and templates: `resolve`, `where` and `tempo`."""


def keys_of(resolve: str, where: str, tempo: str) -> set[str]:
    """The paths of all keys that a battle of a system reads, but for those of every table."""
    said = {"resolve": resolve, "where": where, "tempo": tempo}
    return set(_read(SCHEMA, said, ""))


def _read(schema: Any, said: Mapping[str, str], path: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for key, inner in schema.get("properties", {}).items():
        asked = inner.get("x-with", {})
        if key not in EVERYWHERE and _fits(asked, said):
            yield f"{path}{key}"
            yield from _read(inner, said, f"{path}{key}.")
    for part in (schema.get("items"), *schema.get("oneOf", ())):
        yield from _read(part, said, path)


def _fits(asked: Mapping[str, Any], said: Mapping[str, str]) -> bool:
    ways = [(other.rpartition("/")[2], values) for other, values in asked.items()]
    return not ways or any(name not in said or said[name] in values for name, values in ways)


def test_a_designer_of_one_system_sees_its_keys_and_no_others() -> None:
    everything = set(_read({**SCHEMA}, {}, ""))
    figures = {name: keys_of(*system) for name, system in SYSTEMS.items()}
    assert len(everything) > 150
    assert all(len(read) < 120 for read in figures.values())
    assert all(len(_of_row(read)) + len(_of_stage(read)) < 55 for read in figures.values())
    seen = set().union(*(keys_of(*s) for s in product(RESOLVE, WHERE, TEMPO)))
    assert seen == everything  # each key is of some system


WHERE = SCHEMA["properties"]["where"]["enum"]
TEMPO = SCHEMA["properties"]["tempo"]["enum"]


def _of_row(read: set[str]) -> set[str]:
    return {key for key in read if "." not in key}


def _of_stage(read: set[str]) -> set[str]:
    return {key for key in read if key.startswith("stages.") and key.count(".") == 1}


WORLD = (
    "nations: [{id: one, name: One}]\nplaces: [{id: home, kind: land, owner: one}, {id: away, kind: land}]\n"
    "links: [{between: [home, away], kind: land}]\nfields: [{id: tired, of: [unit], type: number}]\n"
    "records: [{id: clash, silence: {W604: for a test}}]\nmovement: [{id: walk, links: [land]}]\n"
    "order_options: [{id: run, syntax: run}]\nvisibility: [{id: all, what: places, to: everyone}]\n"
    "sequence:\n- {input: orders}\n"
)
BESIDE = {
    # a key, as it is written, marked -> a key of another sort of battle beside it
    "›from_start: true": "where: contested",
    "›over: records()": "where: contacts",
    "›at: place('home')": "where: contacts",
    "›parties: {attacker: set_of(), defender: set_of()}": "where: contested",
    "›origins: 1": "where: contested",
    "›came_from: tired": "where: contested",
    "›by: true": "where: contacts",
    "›detection: [see]": "where: contested",
    "›contact_again: true": "where: contested",
    "›apart: border": "where: contacts",
    "›once: true": "where: contacts",
    "›standing: true": "where: contacts",
    "›beside: {side: defender, when: true}": "where: contested",
    "›before: {meeting: b}": "where: contacts",
    "›preludes: [b]": "where: records",
    "›evade: [{who: true, wants: after}]": "tempo: at_once",
    "›leave: {attacker: {to: [{stay: true}]}}": "tempo: at_once",
    "›falls: taken": "tempo: at_once",
    "joins: [{id: j, ›units: units()}]": "where: contested",
    "joins: [{id: j, ›when: true}]": "where: records",
    "joins: [{id: j, ›from_origin: true}]": "where: records",
    "joins: [{id: j, ›once: true}]": "where: records",
    "joins: [{id: j, ›recall: {after: 1}}]": "where: records",
    "options: {›rounds: run}": "tempo: at_once",
    "options: {›losses: run}": "tempo: at_once",
    "options: {›kills: run}": "tempo: at_once",
    "options: {›refuge: run}": "tempo: at_once",
    "options: {›lost: run}": "where: contacts",
    "virtual: [{id: v, n: 1, ›leaves: true}]": "tempo: at_once",
}
IN_A_STAGE = {
    "pooled: true": "face",
    "each_die: 1": "roll_under",
    "side_die: {die: 1d6, when: true}": "compare",
    "reroll: {who: true, most: 1}": "face",
    "table: {1: hit}": "sum",
    "order: [hit]": "compare",
    "tie: attacker": "roll_under",
    "loss: {base: 1}": "face",
    "losses: at_once": "sum",
    "spent: true": "sum",
}


def _is_told(tmp_path: Path, row: str) -> None:
    text, expected = marked(WORLD + f"battles:\n- {{id: b, {row}}}\n", "E213")
    assert expected[0] in places(found(tmp_path, text))


@pytest.mark.parametrize("key", BESIDE)
def test_a_key_of_another_sort_of_battle_is_an_error_at_its_place(tmp_path: Path, key: str) -> None:
    _is_told(tmp_path, f"{BESIDE[key]}, {key}, stages: [{{id: s}}]")


@pytest.mark.parametrize("key", IN_A_STAGE)
def test_a_key_of_another_way_to_read_dice_is_an_error_at_its_place(tmp_path: Path, key: str) -> None:
    _is_told(
        tmp_path,
        f"stages: [{{id: r, resolve: {IN_A_STAGE[key]}}}, {{id: s, resolve: {IN_A_STAGE[key]}, ›{key}}}]",
    )


def test_a_stage_fought_at_who_leaves_is_none_of_battles_that_nobody_leaves(tmp_path: Path) -> None:
    _is_told(tmp_path, "tempo: at_once, stages: [{id: s, ›fire_on_retreat: attacker}]")


@pytest.mark.parametrize(("stages", "told"), [("{id: s}", False), ("{id: s, resolve: sum}", True)])
def test_support_is_read_where_one_stage_rolls_under(tmp_path: Path, stages: str, told: bool) -> None:
    row = f"support: [{{id: u, giver: true, taker: true, add: 1}}], stages: [{stages}, {{id: t, resolve: compare}}]"
    errors = found(tmp_path, WORLD + f"battles:\n- {{id: b, die: 1d6, {row}}}\n")
    support = [d for d in errors if d.message.startswith("'support'")]
    assert bool(support) is told
    if told:
        assert support[0].message == (
            "'support' is not read where `stages` have `resolve: sum`, only where `stages` have "
            "`resolve: roll_under`"
        )
        assert support[0].hint == "leave 'support' out, or write `resolve: roll_under` in one of the `stages`"


def test_every_key_that_some_systems_do_not_read_has_its_case() -> None:
    cases = {_key(key) for key in BESIDE} | {f"stages.{key.partition(':')[0]}" for key in IN_A_STAGE}
    cases |= {"stages.fire_on_retreat", "support"}
    assert set(_with(SCHEMA, "")) == cases


def _key(case: str) -> str:
    outer, _, inner = case.rpartition("›")
    return ".".join(part for part in (outer.partition(":")[0], inner.partition(":")[0]) if part)


def _with(schema: Any, path: str) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, inner in schema.get("properties", {}).items():
            if "x-with" in inner:
                yield f"{path}{key}"
            yield from _with(inner, f"{path}{key}.")
        for part in (schema.get("items"), *schema.get("oneOf", ())):
            yield from _with(part, path)


OFFERED = [
    ("where: records, |", {"over", "at", "parties", "origins"}, {"by", "detection", "apart", "before"}),
    ("where: contacts, |", {"detection", "beside"}, {"over", "by", "apart"}),
    ("tempo: at_once, |", {"where", "order"}, {"leave", "evade", "falls"}),
    ("where: records, joins: [{id: j, |}],", {"units", "who"}, {"when", "recall", "from_origin"}),
    ("tempo: at_once, options: {|},", {"order"}, {"rounds", "refuge"}),
    ("stages: [{id: s, resolve: face, |}]", {"table", "order", "hits"}, {"loss", "reroll", "tie", "pooled"}),
    ("stages: [{id: s, resolve: sum, |}]", {"loss", "reroll", "tie"}, {"table", "pooled", "spent"}),
    ("stages: [{id: s, resolve: sum}], |", {"alone"}, {"support"}),
]


@pytest.mark.parametrize(("row", "there", "not_there"), OFFERED)
def test_the_editor_offers_the_keys_of_the_system(
    tmp_path: Path, row: str, there: set[str], not_there: set[str]
) -> None:
    line = f"- {{id: b, {row}}}".replace(",}", "}")
    column = line.index("|") + 1
    text = f"battles:\n{line.replace('|', '')}\n"
    folder = write(tmp_path, {"tables/t.yaml": text})
    offered = {c.text for c in completions(Project(folder), folder / "tables" / "t.yaml", text, 2, column)}
    assert there <= offered and not offered & not_there


def _print() -> None:
    print(f"all: {len(set(_read(SCHEMA, {}, '')))} paths of keys")
    for name, system in SYSTEMS.items():
        read = keys_of(*system)
        row, stage = len(_of_row(read)), len(_of_stage(read))
        print(f"{name}: {len(read)} paths; {row} keys of the row, {stage} of a stage")


if __name__ == "__main__":
    _print()
