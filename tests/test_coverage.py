"""Coverage: clause to row to test; twins, exceptions, nested rows, and the two ways the command shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.cli import main
from wteaw.game.testing.coverage import Clause, Owners, matrix, read_clauses, sources

from .folders import own_cache, write

__all__ = ["own_cache"]

TABLES = """
stances: [{id: peace, default: true, source: [x.peace]}, {id: war, hostile: true}]
nations: [{id: red, name: Red, source: [x.twin]}, {id: gray, name: Gray}]
tracks: [{id: mood, signed: true}]
matrices:
  - id: anger
    track: mood
    for: nations()
    columns: [gray]
    source: [x.matrix]
    rows: [{id: slap, cells: {gray: {by: 1, against: actor}}, source: [x.row]}]
except: [{id: x.note, reason: nothing is played by it}]
"""
CASES = """
cases:
  - {id: good, clauses: [x.peace, x.twin], then: {values: {"stance('red', 'gray')": peace}}}
  - {id: bad, clauses: [x.row], then: {values: {"stance('red', 'gray')": war}}}
"""
LISTS = {
    "one.yaml": "- {id: x.peace, rule: a}\n- {id: x.matrix}\n- {id: x.row}\n- {id: x.nothing}\n",
    "two.yaml": "# a head\n- {id: x.owner}\n- {id: x.twin, same_as: x.owner}\n- {id: x.note}\n",
}
EVERYTHING = {
    "one.yaml": {"clauses": 4, "cited": 3, "tested": 1, "excepted": 0, "missing": ["x.matrix", "x.row", "x.nothing"]},
    "two.yaml": {"clauses": 2, "cited": 1, "tested": 1, "excepted": 1, "missing": []},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in LISTS.items():
        path = tmp_path / "rules" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return write(tmp_path / "game", {"tables/t.yaml": TABLES, "tests/c.yaml": CASES})


def test_the_matrix_counts_owners_once_and_credits_them_for_their_twins(folder: Path) -> None:
    found = matrix([folder], folder.parent / "rules")
    assert found.found == []
    assert found.files() == EVERYTHING
    assert found.clauses["x.owner"].rows == ["nations/red"] and found.clauses["x.owner"].tests == ["good"]


def test_rows_inside_rows_cite_for_themselves(folder: Path) -> None:
    found = matrix([folder], folder.parent / "rules").clauses
    assert found["x.row"].rows == found["x.matrix"].rows == ["matrices/anger"]


def test_a_failing_case_tests_nothing_unless_it_is_not_run(folder: Path) -> None:
    assert matrix([folder], folder.parent / "rules").clauses["x.row"].tests == []
    assert matrix([folder], folder.parent / "rules", run=False).clauses["x.row"].tests == ["bad"]


def test_variants_count_with_their_base(folder: Path) -> None:
    write(
        folder / "variants" / "v",
        {
            "ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n",
            "tables/t.yaml": "nations: [{id: blue, name: Blue, source: [x.nothing]}]",
            "tests/c.yaml": 'cases: [{id: v, clauses: [x.nothing], then: {values: {"count(nations())": 3}}}]',
        },
    )
    found = matrix([folder], folder.parent / "rules").clauses
    assert (found["x.nothing"].rows, found["x.nothing"].tests) == (["nations/blue"], ["v"])
    assert found["x.peace"].rows == ["stances/peace"]


def test_without_lists_the_clauses_are_those_that_are_cited(folder: Path) -> None:
    assert matrix([folder]).files() == {
        "x": {"clauses": 5, "cited": 4, "tested": 2, "excepted": 1, "missing": ["x.matrix", "x.row"]}
    }


def test_what_no_list_has_is_named(folder: Path) -> None:
    write(folder, {"tests/d.yaml": "cases: [{id: d, clauses: [x.peaec]}]"})
    assert matrix([folder], folder.parent / "rules").unknown == {"x.peaec": ["d"]}


def test_an_exception_with_a_row_and_a_test_is_counted_under_all_three(folder: Path) -> None:
    write(folder, {"tables/u.yaml": "sides: [{id: east, name: East, source: [x.note]}]"})
    row = matrix([folder], folder.parent / "rules").files()["two.yaml"]
    assert (row["cited"], row["excepted"], row["missing"]) == (2, 1, [])


def test_a_scenario_beside_the_ruleset_cites_too(folder: Path) -> None:
    (folder.parent / "scenarios").mkdir()
    (folder.parent / "scenarios" / "s.yaml").write_text("id: s\nunits: [{owner: red, source: [x.nothing]}]\n")
    assert matrix([folder], folder.parent / "rules").clauses["x.nothing"].rows == ["scenarios/s"]


def test_lists_that_cannot_be_read_are_told(folder: Path) -> None:
    (folder.parent / "rules" / "three.yaml").write_text("- {id: x.a\n")
    clauses, found = read_clauses(folder.parent / "rules")
    assert len(clauses) == 7 and [d.file for d in found] == ["three.yaml"]


def test_a_ring_of_twins_ends() -> None:
    owners = Owners([Clause("a", "f", "b"), Clause("b", "f", "a"), Clause("c", "f", "a")])
    assert {owners.of(x) for x in "ab"} <= {"a", "b"} and owners.of("z") == "z"


@given(
    st.recursive(
        st.integers(), lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from("ab"), v, max_size=3), max_leaves=10
    )
)
def test_sources_are_found_at_any_depth(value: object) -> None:
    assert list(sources(value)) == []
    assert list(sources({"rows": [value, {"deep": {"source": ["x.y"]}}], "source": "x.z"})) == ["x.z", "x.y"]


def command(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(["coverage", *arguments])
    return int(end.value.code or 0), capsys.readouterr().out


def test_json_is_the_matrix_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = command(str(folder), "--clauses", str(folder.parent / "rules"), "--format", "json", capsys=capsys)
    assert code == 0 and json.loads(text) == {"files": EVERYTHING}


def test_text_is_a_table_with_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = command(str(folder), "--clauses", str(folder.parent / "rules"), "--missing", capsys=capsys)
    lines = text.splitlines()
    assert lines[3].split() == ["all", "6", "4", "2", "1", "3"]
    assert "one.yaml: x.row: no test" in lines and "one.yaml: x.nothing: no row and no test" in lines


def test_a_wrong_call_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(str(folder), "--clauses", str(folder / "nowhere"), capsys=capsys)[0] == 2
    assert command(str(folder), "--format", "yaml", capsys=capsys)[0] == 2


def test_exceptions_are_listed_with_their_reasons_and_are_not_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = command(str(folder), "--clauses", str(folder.parent / "rules"), "--missing", "--excepted", capsys=capsys)
    assert "two.yaml: x.note: excepted: nothing is played by it" in text.splitlines()
    assert "x.note: no row" not in text


STRAYED = """
stances: [{id: peace, default: true, lines: [7], source: [x.a]}, {id: truce, lines: [3, 9], source: [x.a]}, {id: feud, lines: [8], source: [x.b]}]
nations: [{id: red, name: Red, lines: [40], source: [x.none]}]
"""


def test_rows_whose_lines_are_none_of_their_clauses_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "game", {"tables/t.yaml": STRAYED})
    lists = write(
        tmp_path / "rules",
        {"a.yaml": "- {id: x.a, lines: [5, 6]}\n- {id: x.b, lines: [1, 2], see_also: [[8, 8]]}\n- {id: x.none, lines: []}\n"},
    )
    with pytest.raises(SystemExit) as left:
        main(["coverage", str(folder), "--clauses", str(lists), "--lines"])
    said = capsys.readouterr().out
    assert left.value.code == 1 and "t.yaml:2: warning: lines 7 of stances/peace" in said and "these have 5-6" in said
    assert said.count("W801") == 1
