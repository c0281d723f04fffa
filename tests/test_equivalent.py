"""Marks of changes that make no difference (`tests/equivalent.yaml`): their shape, and whether what they are about is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli.validate import validate_paths
from wteaw.core.package_data import rulesets
from wteaw.ruleset.folder import find_rulesets
from wteaw.testing.cases import find
from wteaw.testing.equivalent import read_marks

from .folders import own_cache, write

__all__ = ["own_cache"]

TABLES = """
nations: [{id: red, name: Red}, {id: gray, name: Gray}]
tracks: [{id: mood, signed: true}]
events:
  - id: slap
    on: {joined: {by: red}}
    effects:
      - {shift: {who: gray, track: mood, by: 0..2}}
      - say: "A slap."
    roll: 1d3
    results: {1: [{say: One.}], 2..3: [{say: Two.}]}
sequence:
  - phase: talks
    steps: [{id: talk, input: talks}]
"""
MARK = "equivalent:\n  - {row: ROW, at: AT, changes: [0..2 -> 0..3], reason: nobody can tell which}\n"


def found(folder: Path, cache: bool = False) -> list[tuple[str, str, str, str]]:
    return [
        (f"{d.line}:{d.column}", d.code, d.message, d.hint)
        for d in validate_paths([folder], cache=cache)
        if d.file.endswith("equivalent.yaml")
    ]


def game(folder: Path, marks: str) -> Path:
    return write(
        folder / "game",
        {"tables/t.yaml": TABLES, "tests/equivalent.yaml": marks, "tests/c.yaml": "cases: []\n"},
    )


@pytest.mark.parametrize(
    ("row", "at"),
    [
        ("events/slap", "effects[1].shift.by"),
        ("events/slap", "effects[2]"),
        ("events/slap", "results.2..3[1].say"),
        ("sequence/talks", "steps[talk].input"),
        ("tracks/mood", "signed"),
    ],
)
def test_a_mark_about_what_is_there_is_right(row: str, at: str, tmp_path: Path) -> None:
    assert found(game(tmp_path, MARK.replace("ROW", row).replace("AT", f'"{at}"'))) == []


@pytest.mark.parametrize(
    ("row", "at", "says"),
    [
        (
            *("events/slpa", "on"),
            (
                "2:11",
                "E401",
                "the tables of this ruleset have no row 'events/slpa'",
                "did you mean 'events/slap'?",
            ),
        ),
        (
            *("events/slap", "effects[1].shift.bye"),
            (
                "2:28",
                "E407",
                "the row 'events/slap' has nothing at 'effects[1].shift.bye'",
                "did you mean 'effects[1].shift.by'?",
            ),
        ),
        (
            *("events/slap", "effects[1].shift.amount.least"),
            (
                *("2:28", "E407", "the row 'events/slap' has nothing at 'effects[1].shift.amount.least'"),
                "there are effects[1].shift.by, effects[1].shift.track, effects[1].shift.who",
            ),
        ),
    ],
)
def test_a_mark_about_what_is_gone_is_told_at_its_place(
    row: str, at: str, says: tuple[str, ...], tmp_path: Path
) -> None:
    folder = game(tmp_path, MARK.replace("ROW", row).replace("AT", f'"{at}"'))
    assert found(folder) == [says]


def test_what_is_found_follows_the_tables_though_it_is_kept(tmp_path: Path) -> None:
    folder = game(tmp_path, MARK.replace("ROW", "events/slap").replace("AT", "on.joined"))
    assert found(folder, cache=True) == found(folder, cache=True) == []
    (folder / "tables/t.yaml").write_text(TABLES.replace("on: {joined: {by: red}}", "on: step"))
    assert [code for _, code, _, _ in found(folder, cache=True)] == ["E407"]


def test_a_mark_about_a_row_of_the_base_belongs_there(tmp_path: Path) -> None:
    base = game(tmp_path, MARK.replace("ROW", "events/slap").replace("AT", "on"))
    variant = {"ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n", "tests/equivalent.yaml": ""}
    mark = MARK.replace("ROW", "events/slap").replace("AT", "on")
    write(base / "variants/v", {**variant, "tests/equivalent.yaml": mark})
    ((where, code, message, hint),) = found(base)
    assert (where, code, message) == ("2:11", "E401", "the row 'events/slap' stands in another ruleset")
    assert hint == "it is in ../../tables/t.yaml: its mark belongs beside the tests of that one"
    own = "events: [{id: slap, on: {joined: {by: gray}}}]\n"
    write(base / "variants/v", {**variant, "tests/equivalent.yaml": mark, "tables/own.yaml": own})
    assert found(base) == []


def test_marks_of_another_shape_are_told(tmp_path: Path) -> None:
    folder = game(tmp_path, "equivalent:\n  - {row: slap, reson: nobody can tell which}\n")
    codes = {(where, code) for where, code, _, _ in found(folder)}
    assert codes == {("2:11", "E209"), ("2:17", "E206")}


def test_marks_are_no_rule_tests(tmp_path: Path) -> None:
    folder = game(tmp_path, MARK.replace("ROW", "events/slap").replace("AT", "on"))
    assert [path.name for path in find(folder)] == ["c.yaml"]
    (folder / "ruleset.yaml").unlink()
    assert [path.name for path in find(folder / "tests")] == ["c.yaml", "equivalent.yaml"]


def test_no_table_says_in_a_comment_which_changes_make_no_difference() -> None:
    kept = []
    for folder in find_rulesets(rulesets()):
        said = [
            p
            for name in ("tables", "events")
            for p in (folder / name).rglob("*.yaml")
            if "# equivalent" in p.read_text()
        ]
        assert said == []
        marks, faults = read_marks(folder)
        assert not faults
        kept += marks
    assert kept
