"""Battles are a union by how dice are read (`resolve`), which battles there are (`where`) and their tempo: a
designer sees the keys of their own combat system, and a key of another one is an error at its place.

`python -m tests.test_battle_union` prints how many keys each system has.
"""

from __future__ import annotations

import re
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
EVERYWHERE = {"id", "source", "note", "silence", "remove", "append", "before", "after", "name"}
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
    word = said.get(path.rstrip(".").rpartition(".")[2]) if _is_choice(schema) else None
    for key, inner in schema.get("properties", {}).items():
        asked = inner.get("x-with", {})
        if key not in EVERYWHERE and _fits(asked, said) and word in (None, key):
            yield f"{path}{key}"
            yield from _read(inner, said, f"{path}{key}.")
    for part in (schema.get("items"), *schema.get("oneOf", ())):
        yield from _read(part, said, path)


def _is_choice(schema: Mapping[str, Any]) -> bool:
    """Whether a map is one block of several."""
    return bool(schema.get("maxProperties") == 1 and schema.get("minProperties") == 1)


def _fits(asked: Mapping[str, Any], said: Mapping[str, str]) -> bool:
    ways = [(other.rpartition("/")[2], values) for other, values in asked.items()]
    return not ways or any(name not in said or said[name] in values for name, values in ways)


def test_a_designer_of_one_system_sees_its_keys_and_no_others() -> None:
    everything = set(_read({**SCHEMA}, {}, ""))
    figures = {name: keys_of(*system) for name, system in SYSTEMS.items()}
    assert len(everything) > 150
    assert all(len(read) < 125 for read in figures.values())
    # what any editor offers in the row, in a stage, and in the two blocks together
    assert len(_of_row(everything)) < 42 and len(_of_stage(everything)) < 22
    assert all(0 <= len(_of_blocks(read)) <= 11 for read in figures.values())
    seen = set().union(*(keys_of(*s) for s in product(RESOLVE, WHERE, TEMPO)))
    assert seen == everything  # each key is of some system


WHERE = ("contested", "contacts", "targets", "passed", "records")
TEMPO = SCHEMA["properties"]["tempo"]["enum"]


def _of_blocks(read: set[str]) -> set[str]:
    return {key for key in read if re.fullmatch(r"(where|stages\.resolve)\.\w+\.\w+", key)}


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
RECORDS = "where: {records: {over: records(), at: \"=place('home')\", parties: {attacker: set_of(), defender: set_of()}}}"
BESIDE = {
    # a key, as it is written, marked -> what says that it is another sort of battle
    "›by: true": "where: contacts",
    "›once: true": "where: contacts",
    "›preludes: [b]": RECORDS,
    "›evade: [{who: true, wants: after}]": "tempo: at_once",
    "›leave: {attacker: {to: [{stay: true}]}}": "tempo: at_once",
    "›falls: taken": "tempo: at_once",
    "joins: [{id: j, ›units: units()}]": "where: contested",
    "joins: [{id: j, ›when: true}]": RECORDS,
    "joins: [{id: j, ›from_origin: true}]": RECORDS,
    "joins: [{id: j, ›once: true}]": RECORDS,
    "joins: [{id: j, ›recall: {after: 1}}]": RECORDS,
    "options: {›rounds: run}": "tempo: at_once",
    "options: {›losses: run}": "tempo: at_once",
    "options: {›kills: run}": "tempo: at_once",
    "options: {›refuge: run}": "tempo: at_once",
    "options: {›lost: run}": "where: contacts",
    "virtual: [{id: v, n: 1, ›leaves: true}]": "tempo: at_once",
}
IN_A_STAGE = {"losses: at_once": "sum", "spent: true": "sum"}
BLOCKS = {
    "where": {
        "contested": ("apart: border", "standing: true", "before: {meeting: b}"),
        "contacts": ("detection: [see]", "contact_again: true", "beside: {side: defender, when: true}"),
        "passed": ("from_start: true",),
        "records": (
            "over: records()",
            "at: =place('home')",
            "parties: {attacker: set_of(), defender: set_of()}",
            "origins: 1",
            "came_from: tired",
        ),
    },
    "resolve": {
        "roll_under": ("pooled: true",),
        "face": ("table: {1: hit}", "order: [hit]"),
        "sum": (
            "each_die: 1",
            "side_die: {die: 1d6, when: true}",
            "reroll: {who: true, most: 1}",
            "tie: attacker",
            "loss: {base: 1}",
        ),
        "compare": ("tie: attacker",),
    },
}
"""What only one word of a key says, as it is written."""
CASES = [
    (name, word, case) for name, words in BLOCKS.items() for word, cases in words.items() for case in cases
]


def _is_told(tmp_path: Path, row: str, code: str = "E213") -> None:
    text, expected = marked(WORLD + f"battles:\n- {{id: b, {row}}}\n", code)
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


def _row(name: str, word: str, inner: str) -> str:
    """A battle that says something in the block of a word."""
    if name == "where":
        return f"where: {{{word}: {{{inner}}}}}, stages: [{{id: s}}]"
    return f"stages: [{{id: s, resolve: {{{word}: {{{inner}}}}}}}]"


@pytest.mark.parametrize(("name", "word", "case"), CASES)
def test_a_key_of_one_word_is_none_of_the_block_of_another_nor_of_the_row(
    tmp_path: Path, name: str, word: str, case: str
) -> None:
    key = case.partition(":")[0]
    others = [w for w, cases in BLOCKS[name].items() if key not in {c.partition(":")[0] for c in cases}]
    for other in others:
        needed = BLOCKS[name][other][: {"records": 3, "face": 1}.get(other, 0)]
        whole = ", ".join(needed)
        _is_told(tmp_path, _row(name, other, f"{whole}, ›{case}" if whole else f"›{case}"), "E206")
    loose = f"›{case}, stages: [{{id: s}}]" if name == "where" else f"stages: [{{id: s, ›{case}}}]"
    if key == "before":  # on a row it says where that goes
        return _is_told(tmp_path, loose, "E208")
    _is_told(tmp_path, loose, "E206")
    text = WORLD + f"battles:\n- {{id: b, {loose.replace('›', '')}}}\n"
    hint = next(d.hint for d in found(tmp_path, text) if d.message == f"unknown key {key!r}")
    assert hint.startswith("it goes into ") and f"`{name}: {{{word}: {{{key}: ...}}}}`" in hint


@pytest.mark.parametrize(("name", "word"), [(n, w) for n, words in BLOCKS.items() for w in words])
def test_a_block_may_say_all_that_its_word_says(tmp_path: Path, name: str, word: str) -> None:
    row = _row(name, word, ", ".join(BLOCKS[name][word]))
    errors = found(tmp_path, WORLD + f"battles:\n- {{id: b, die: 1d6, {row}}}\n")
    assert not [d for d in errors if d.code in ("E206", "E207", "E208", "E209", "E213")], errors


def test_a_battle_is_of_one_word_and_one_for_records_says_which(tmp_path: Path) -> None:
    _is_told(
        tmp_path,
        _row("where", "contested: {apart: camps}, contacts", "contact_again: true").replace(
            "where: {", "where: ›{"
        ),
        "E209",
    )
    _is_told(tmp_path, "where: ›records, stages: [{id: s}]", "E209")
    _is_told(tmp_path, "where: {records: ›{over: records()}}, stages: [{id: s}]", "E207")
    _is_told(tmp_path, "stages: [{id: s, resolve: ›face}]", "E209")


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
    blocks = {"where": SCHEMA["properties"]["where"], "resolve": _stage("resolve")}
    for name, schema in blocks.items():
        said = {w: set(b["properties"]) for w, b in schema["oneOf"][1]["properties"].items()}
        assert said == {w: {c.partition(":")[0] for c in cases} for w, cases in BLOCKS[name].items()}


def _stage(key: str) -> Any:
    return SCHEMA["properties"]["stages"]["items"]["properties"][key]


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
    ("where: {records: {|}},", {"over", "at", "parties", "origins"}, {"by", "detection", "apart", "before"}),
    ("where: {contacts: {|}},", {"detection", "beside"}, {"over", "by", "apart"}),
    ("where: {contacts: {contact_again: true}}, |", {"stages", "when"}, {"over", "by", "once", "beside"}),
    ("where: {contested: {apart: camps}}, |", {"by", "once"}, {"over", "apart", "detection"}),
    ("tempo: at_once, |", {"where", "order"}, {"leave", "evade", "falls"}),
    (f"{RECORDS}, joins: [{{id: j, |}}],", {"units", "who"}, {"when", "recall", "from_origin"}),
    ("tempo: at_once, options: {|},", {"order"}, {"rounds", "refuge"}),
    ("where: {contacts: {contact_again: true}}, options: {|},", {"lost"}, {"detection"}),
    ("stages: [{id: s, resolve: {face: {|}}}]", {"table", "order"}, {"loss", "reroll", "tie", "hits"}),
    ("stages: [{id: s, resolve: {sum: {|}}}]", {"loss", "reroll", "tie"}, {"table", "pooled", "spent"}),
    ("stages: [{id: s, resolve: {sum: {tie: attacker}}, |}]", {"hits", "most"}, {"table", "losses", "spent"}),
    ("stages: [{id: s, resolve: {sum: {tie: attacker}}}], |", {"alone"}, {"support"}),
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
        row, stage, blocks = len(_of_row(read)), len(_of_stage(read)), len(_of_blocks(read))
        print(f"{name}: {len(read)} paths; {row} keys of the row, {stage} of a stage, {blocks} of blocks")


if __name__ == "__main__":
    _print()
