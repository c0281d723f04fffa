"""Coverage: clause to row to test; twins, exceptions, nested rows, and the two ways the command shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.cli import main
from wteaw.ruleset.compile import load_ruleset
from wteaw.testing.coverage import Owners, matrix, sources
from wteaw.testing.played import chapters
from wteaw.testing.runner import run_files

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
"""
CASES = """
cases:
  - {id: good, clauses: [x.peace, x.twin], then: {values: {"stance('red', 'gray')": peace}}}
  - {id: bad, clauses: [x.row], then: {values: {"stance('red', 'gray')": war}}}
"""
LISTS = {
    "clauses/one.yaml": "clauses:\n- {id: x.peace, text: a}\n- {id: x.matrix}\n- {id: x.row}\n- {id: x.nothing}\n",
    "clauses/two.yaml": "clauses:\n- {id: x.owner}\n- {id: x.twin, same_as: x.owner}\n"
    "- {id: x.note, no_row: nothing is played by it}\n- {id: read, text: so, about: [x.note], status: ruling}\n",
}
EVERYTHING = {
    "game/one": {
        "clauses": 4,
        "cited": 3,
        "tested": 1,
        "excepted": 0,
        "missing": ["x.matrix", "x.row", "x.nothing"],
    },
    "game/two": {"clauses": 2, "cited": 2, "tested": 1, "excepted": 1, "missing": []},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "game", {"tables/t.yaml": TABLES, "tests/c.yaml": CASES, **LISTS})


def test_the_matrix_counts_owners_once_and_credits_them_for_their_twins(folder: Path) -> None:
    found = matrix([folder])
    assert found.found == []
    assert found.files() == EVERYTHING
    assert found.clauses["x.owner"].rows == ["nations/red"] and found.clauses["x.owner"].tests == ["good"]


def test_rows_inside_rows_cite_for_themselves(folder: Path) -> None:
    found = matrix([folder]).clauses
    assert found["x.row"].rows == found["x.matrix"].rows == ["matrices/anger"]


def test_a_failing_case_tests_nothing_unless_it_is_not_run(folder: Path) -> None:
    assert matrix([folder]).clauses["x.row"].tests == []
    assert matrix([folder], run=False).clauses["x.row"].tests == ["bad"]


def test_variants_count_with_their_base(folder: Path) -> None:
    write(
        folder / "variants" / "v",
        {
            "ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n",
            "tables/t.yaml": "nations: [{id: blue, name: Blue, source: [x.nothing]}]",
            "tests/c.yaml": 'cases: [{id: v, clauses: [x.nothing], then: {values: {"count(nations())": 3}}}]',
        },
    )
    found = matrix([folder]).clauses
    assert (found["x.nothing"].rows, found["x.nothing"].tests) == (["nations/blue"], ["v"])
    assert found["x.peace"].rows == ["stances/peace"]


def test_without_a_register_the_clauses_are_those_that_are_cited(folder: Path) -> None:
    for name in LISTS:
        (folder / name).unlink()
    assert matrix([folder]).files() == {
        "x": {"clauses": 4, "cited": 4, "tested": 2, "excepted": 0, "missing": ["x.matrix", "x.row"]}
    }


def test_what_no_list_has_is_named(folder: Path) -> None:
    write(folder, {"tests/d.yaml": "cases: [{id: d, clauses: [x.peaec]}]"})
    assert matrix([folder]).unknown == {"x.peaec": ["d"]}


def test_an_exception_with_a_row_and_a_test_is_counted_under_all_three(folder: Path) -> None:
    write(folder, {"tables/u.yaml": "sides: [{id: east, name: East, source: [x.note]}]"})
    row = matrix([folder]).files()["game/two"]
    assert (row["cited"], row["excepted"], row["missing"]) == (2, 1, [])


def test_a_scenario_beside_the_ruleset_cites_too(folder: Path) -> None:
    (folder.parent / "scenarios").mkdir()
    (folder.parent / "scenarios" / "s.yaml").write_text("id: s\nunits: [{owner: red, source: [x.nothing]}]\n")
    assert matrix([folder]).clauses["x.nothing"].rows == ["scenarios/s"]


def test_a_ring_of_twins_ends() -> None:
    owners = Owners({"a": {"same_as": "b"}, "b": {"same_as": "a"}, "c": {"same_as": "a"}})
    assert {owners.of(x) for x in "ab"} <= {"a", "b"} and owners.of("z") == "z"


@given(
    st.recursive(
        st.integers(),
        lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from("ab"), v, max_size=3),
        max_leaves=10,
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
    code, text = command(str(folder), "--format", "json", capsys=capsys)
    assert code == 0 and json.loads(text) == {"files": EVERYTHING}


def test_text_is_a_table_with_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = command(str(folder), "--missing", capsys=capsys)
    lines = text.splitlines()
    assert lines[3].split() == ["all", "6", "5", "2", "1", "3"]
    assert "game/one: x.row: no test" in lines and "game/one: x.nothing: no row and no test" in lines


def test_a_wrong_call_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(str(folder / "nowhere"), capsys=capsys)[0] == 2
    assert command(str(folder), "--format", "yaml", capsys=capsys)[0] == 2


def test_exceptions_are_listed_with_their_reasons_and_are_not_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = command(str(folder), "--missing", "--excepted", capsys=capsys)
    assert "game/two: x.note: excepted: nothing is played by it" in text.splitlines()
    assert "x.note: no row" not in text


def test_a_misspelled_clause_is_told_in_a_row_and_in_a_test(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        folder, {"tables/u.yaml": "sides: [{id: east, name: East, source: [x.ownre]}]", "tests/d.yaml": WRONG}
    )
    _, found = load_ruleset(folder)
    assert [(d.code, d.severity, d.file, d.line, d.hint) for d in found] == [
        ("W420", "warning", "tables/u.yaml", 1, "did you mean 'x.owner'?")
    ]
    run = run_files([(folder / "tests/d.yaml", "d.yaml")])
    assert [(d.code, d.line, d.hint) for d in run.found] == [("W420", 3, "did you mean 'x.peace'?")]
    assert [r.status for r in run.results] == ["passed"]
    with pytest.raises(SystemExit):
        main(["test", str(folder / "tests/d.yaml")])
    assert "clauses has no 'x.peaec'" in capsys.readouterr().out


WRONG = """cases:
- id: d
  clauses: [x.row, x.peaec]
  then: {values: {"stance('red', 'gray')": peace}}
"""


def test_without_a_register_nothing_is_misspelled(folder: Path) -> None:
    for name in LISTS:
        (folder / name).unlink()
    write(folder, {"tests/d.yaml": WRONG})
    assert load_ruleset(folder)[1] == [] and run_files([(folder / "tests/d.yaml", "d.yaml")]).found == []


GAME = """
sequence:
  - {input: orders, from: everyone}
  - {step: talk, do: act, actions: [court, sulk, quit]}
  - {step: rest}
  - {step: judge, do: score}
nations: [{id: red, name: Red, side: east}, {id: gray, name: Gray}]
sides: [{id: east, name: East, opposite: west}, {id: west, name: West, opposite: east}]
stances: [{id: peace, default: true}, {id: war, hostile: true}]
tracks: [{id: mood, signed: true, leans: {east: up, west: down}}]
decisions: [{id: whim, asks: =self, from: [now, never], default: now}]
actions:
  - {id: court, syntax: "court {target}", slots: {target: nation}, effects: [{shift: {who: =target, track: mood, up: true, by: 2}}]}
  - {id: sulk, syntax: sulk, requires: [{test: turn > 5, message: too early}], effects: [{choose: whim, effects: [{clear: {who: =self, as: glad}}]}]}
  - {id: quit, syntax: quit, effects: [{clear: {who: =self, as: glad}}]}
events:
  - {id: glad, on: {acted: {action: court}}, effects: [{flag: {who: =event.of, as: glad}}]}
  - {id: cross, on: {acted: {action: quit}}, effects: [{clear: {who: =event.of, as: glad}}]}
matrices:
  - id: envy
    track: mood
    for: nations()
    columns: [gray]
    against: actor
    rows:
      - {id: seen, on: {acted: {action: court}}, cells: {gray: {by: 1}}}
      - {id: unseen, on: {acted: {action: quit}}, cells: {gray: {by: 1}}}
victory:
- {id: merry, kind: criterion, name: Merry, of: nation, is: "track(nation, 'mood')"}
- {id: third-day, kind: game_end, name: The third day, when: turn >= 3, rank: merry}
- {id: liked, kind: aim, name: Liked, about: number, reached: "track(nation, 'mood') >= it", points: 1}
- {id: loathed, kind: aim, name: Loathed, about: number, reached: "track(nation, 'mood') <= it", points: 1}
- {id: gray, kind: objectives, nation: gray, goals: {any: {liked: 1, loathed: -9}}}
"""
CHAPTER = """
cases:
  - id: courtship
    given: {scenario: ../../scenarios/start}
    when:
      - {turn: whole, orders: {red: [court gray, sulk]}, then: {refused: [{nation: red, order: 2, says: too early}]}}
      - {turns: 2}
    then: {game: {ended: true}}
"""


def chapter_folder(tmp_path: Path, **more: str) -> Path:
    files = {"tables/t.yaml": GAME, "scenarios/start.yaml": "id: start\ntitle: Start\nruleset: ..\n", **more}
    return write(tmp_path / "game", {k.replace("__", "/"): v for k, v in files.items()})


def test_chapters_count_what_was_carried_out(tmp_path: Path) -> None:
    folder = chapter_folder(tmp_path, **{"tests/played/one.yaml": CHAPTER})
    found = chapters(folder)
    assert found.found == []
    assert {form: (count.played, count.left) for form, count in found.forms.items()} == {
        "actions": (["actions/court"], ["actions/sulk", "actions/quit"]),
        "decisions": ([], ["decisions/whim"]),
        "events": (["events/glad"], ["events/cross"]),
        "victory": (
            ["victory/merry", "victory/third-day", "victory/liked", "victory/gray"],
            ["victory/loathed"],
        ),
        "matrices": (["matrices/envy/seen"], ["matrices/envy/unseen"]),
        "steps": (["steps/talk", "steps/judge"], ["steps/rest"]),
        "verbs": (["verbs/shift", "verbs/flag"], ["verbs/clear"]),
    }


def test_a_chapter_that_fails_or_plays_single_steps_counts_nothing_and_is_told(tmp_path: Path) -> None:
    steps = "cases: [{id: steps, given: {scenario: ../../scenarios/start}, orders: {red: [court gray]}, when: talk}]"
    folder = chapter_folder(
        tmp_path,
        **{
            "tests/played/one.yaml": CHAPTER.replace("ended: true", "ended: false"),
            "tests/played/two.yaml": steps,
        },
    )
    found = chapters(folder)
    assert [(d.code, d.message.partition(":")[0]) for d in found.found] == [
        ("T103", "courtship does not pass"),
        ("T103", "steps"),
    ]
    assert not any(count.played for count in found.forms.values())


def test_what_an_overlay_takes_over_as_it_is_counts_where_the_base_plays_it(tmp_path: Path) -> None:
    folder = chapter_folder(tmp_path, **{"tests/played/one.yaml": CHAPTER})
    changed = "events: [{id: glad, on: {acted: {action: court}}, effects: [{flag: {who: =self, as: glad}}]}]"
    write(
        folder / "variants" / "v",
        {"ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n", "tables/t.yaml": changed},
    )
    found = chapters(folder / "variants" / "v").forms
    assert (found["actions"].played, found["actions"].base) == ([], ["actions/court"])
    assert (found["events"].base, found["events"].left) == ([], ["events/glad", "events/cross"])


EXCUSES = """
notes:
  - {id: events/cross, reason: nobody is cross in a game}
  - {id: events/glad, reason: excused though it is played}
  - {id: events/sad, reason: there is no such event at all}
"""


def test_a_row_is_excused_with_its_reason_and_is_no_clause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = chapter_folder(tmp_path, **{"tests/played/one.yaml": CHAPTER, "tables/u.yaml": EXCUSES})
    code, text = command(str(folder), "--played", "--missing", "--excepted", capsys=capsys)
    lines = text.splitlines()
    assert code == 1  # two of the excuses excuse nothing
    assert next(line.split() for line in lines if line.startswith("events")) == [
        "events",
        "2",
        "1",
        "0",
        "1",
        "0",
    ]
    assert "excused: events/cross: nobody is cross in a game" in lines
    assert "left: actions/quit" in lines and "left: actions/court" not in lines
    assert [d.code for d in chapters(folder).found] == ["T104", "T104"]
    assert matrix([folder]).files() == {}


def test_json_of_chapters_names_the_chapter_that_plays_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = chapter_folder(tmp_path, **{"tests/played/one.yaml": CHAPTER})
    code, text = command(str(folder), "--played", "--format", "json", capsys=capsys)
    (told,) = json.loads(text)["rulesets"]
    assert code == 0 and told["by"]["events/glad"] == "courtship"
    assert told["forms"]["matrices"] == {
        "played": ["matrices/envy/seen"],
        "base": [],
        "excused": {},
        "left": ["matrices/envy/unseen"],
    }
