"""Changes of rows: what is changed and where, who notices, what is marked as no difference, and what a run leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wteaw.cli import main
from wteaw.testing.equivalent import read_marks
from wteaw_lab.mutate import MutationBench
from wteaw_lab.mutate_run import read_state, tried
from wteaw_lab.mutate_words import of_expression, of_text, of_value, same_faces

from ..folders import own_cache, write

__all__ = ["own_cache"]

TABLES = """
stances: [{id: peace, default: true}, {id: war, hostile: true}]
nations: [{id: red, name: Red}, {id: gray, name: Gray}]
tracks: [{id: mood, signed: true}]
definitions: [{id: angry, of: [nation], is: "track(nation, 'mood') <= -3"}]
events:
  - id: slap
    on: {joined: {by: red}}
    when: turn < 9
    effects: [{shift: {who: gray, track: mood, by: 0..2}}]
    source: [x.slap]
  - id: quarrel
    on: {joined: {by: gray}}
    when: angry(nation('gray')) and turn > 1
    effects:
      - shift: {who: red, track: mood, by: 1}
    source: [x.quarrel]
  - {id: idle, on: {joined: {by: gray}}, effects: [{say: "Nothing."}], source: [x.idle]}
"""
CASES = """
cases:
  - id: slap
    clauses: [x.slap]
    when: {trigger: {joined: {by: red}}}
    then: {ranges: {"track('gray', 'mood')": [0, 2]}}
  - id: quarrel
    clauses: [x.quarrel]
    given: {turn: 2, nations: {gray: {tracks: {mood: -3}}}}
    when: {trigger: {joined: {by: gray}}}
    then: {values: {"track('red', 'mood') > 0": true}}
"""


MARKS = """
equivalent:
  - {row: events/quarrel, at: "effects[1].shift.by", changes: [1 -> 2], reason: only the sign counts}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(
        tmp_path / "game", {"tables/t.yaml": TABLES, "tests/c.yaml": CASES, "tests/equivalent.yaml": MARKS}
    )


def said(folder: Path, *arguments: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    with pytest.raises(SystemExit) as left:
        main(["mutate", str(folder), "--format", "json", *arguments])
    assert left.value.code == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def survivors(found: dict[str, object]) -> set[str]:
    return {s["change"] for s in found["survivors"]}  # type: ignore[attr-defined]


def test_numbers_ranges_dice_and_truths_are_changed_by_the_least() -> None:
    assert list(of_value(3)) == [4, 2] and list(of_value(0)) == [1] and list(of_value(True)) == [False]
    assert list(of_text("0..2")) == ["0..3", "0..1", "1..2", "-1..2"]
    assert list(of_text("4..4")) == ["4..5", "3..4"]
    assert list(of_text("1d10-2")) == ["1d12-2", "1d8-2", "2d10-2", "1d10-1"]
    assert list(of_text("2/3")) == ["3/3", "2/4"] and list(of_text("a word")) == []


def test_inside_expressions_operators_numbers_ids_and_functions_are_changed() -> None:
    ids = {"nations": ["red", "gray"]}
    terms = {"angry": ["nation"], "calm": ["nation"], "far": ["place"]}
    text = "not angry(nation('red')) and (turn >= 3 or x in set_of('a'))"
    found = {new for new, _, _ in of_expression(text, ids, terms)}
    assert {
        "angry(nation('red')) and (turn >= 3 or x in set_of('a'))",
        "not calm(nation('red')) and (turn >= 3 or x in set_of('a'))",
        "not angry(nation('gray')) and (turn >= 3 or x in set_of('a'))",
        "not angry(nation('red')) or (turn >= 3 or x in set_of('a'))",
        "not angry(nation('red')) and (turn > 3 or x in set_of('a'))",
        "not angry(nation('red')) and (turn >= 4 or x in set_of('a'))",
        "not angry(nation('red')) and (turn >= 3 and x in set_of('a'))",
        "not angry(nation('red')) and (turn >= 3 or x not in set_of('a'))",
    } <= found


def test_what_goes_without_saying_is_not_left_out(tmp_path: Path) -> None:
    tables = """
fields: [{id: value, of: [place], type: number, default: 0, source: [x.f]}]
places: [{id: a, name: A, kind: land, value: 0, source: [x.p]}, {id: b, name: B, kind: land, value: 2, source: [x.p]}]
links: [{between: [a, b]}]
tables: [{id: t, keys: [place], default: 1, rows: {a: 1, b: 2}, source: [x.t]}]
definitions: [{id: uses, of: [place], is: "lookup('t', place) > 0", text: used}, {id: used, of: [], is: "any(places(), 'uses')", text: used}]
"""
    folder = write(
        tmp_path / "g", {"tables/t.yaml": tables, "tests/c.yaml": "cases: [{id: c, clauses: [x.t]}]"}
    )
    gone = {f"{c.row} {c.says}" for c in MutationBench(folder).changes()[0] if c.says.endswith("left out")}
    assert "places/b value: 2 left out" in gone and "places/a value: 0 left out" not in gone
    assert "tables/t rows.b: 2 left out" in gone and "tables/t rows.a: 1 left out" not in gone


def test_a_slot_that_holds_what_its_name_says_is_not_left_out(tmp_path: Path) -> None:
    slots = "{place: place, n: {kind: number}, nation: {kind: nation, among: nations()}, whose: nation}"
    act = (
        f'{{id: seize, syntax: "seize {{place}} {{n}} {{nation}} {{whose}}", slots: {slots}, source: [x.f]}}'
    )
    tables = f"actions: [{act}]\nsequence: [{{step: talk, do: act, actions: [seize]}}]\n"
    folder = write(
        tmp_path / "g", {"tables/t.yaml": tables, "tests/c.yaml": "cases: [{id: c, clauses: [x.f]}]"}
    )
    gone = {
        c.says.partition(":")[0] for c in MutationBench(folder).changes()[0] if c.says.endswith("left out")
    }
    assert {"slots.nation", "slots.whose"} <= gone and not {"slots.place", "slots.n"} & gone


def test_what_nobody_notices_is_listed_with_its_line_and_clauses(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = said(folder, capsys=capsys)
    assert set(found) == {"mutants", "killed", "equivalent", "survivors", "idle_marks"}
    lists = found["survivors"]
    assert isinstance(lists, list) and all(set(s) == {"file", "line", "change", "clauses"} for s in lists)
    assert found["mutants"] == found["killed"] + found["equivalent"] + len(lists)  # type: ignore[operator]
    named = survivors(found)
    line = next(s for s in lists if s["change"].startswith("events/slap when: 9 → 10"))
    assert line["line"] == 9 and line["clauses"] == ["x.slap"]
    assert "events/quarrel when: turn > 1 left out" not in named
    assert not any("0..2 → " in s for s in named), (
        "a range that is checked at both ends is noticed either way"
    )


def test_a_helper_without_clauses_is_tried_by_those_of_the_rows_that_name_it(folder: Path) -> None:
    bench = MutationBench(folder)
    changes, others = bench.changes()
    of_term = {c.says: c for c in changes if c.row == "definitions/angry"}
    assert all(c.clauses == ("x.quarrel",) for c in of_term.values())
    assert (
        bench.verdict(next(c for s, c in of_term.items() if s.startswith("is: <= → <"))).noticed_by
        == "quarrel"
    )
    assert {c.form for c in others} >= {"stances", "tracks"} and not {c.form for c in others} & {
        "events",
        "definitions",
    }


def test_a_mark_beside_the_tests_says_that_a_change_makes_no_difference(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(folder, "--clause", "x.quarrel", capsys=capsys)["equivalent"] == 1
    bench = MutationBench(folder)
    changes = [
        c
        for c in bench.changes()[0]
        if c.row == "events/quarrel" and c.old == "1" and c.now in ("0", "2") and ".by" in c.says
    ]
    assert [bench.verdict(c).equivalent for c in changes] == ["only the sign counts", ""]


def test_a_change_that_does_not_validate_is_noticed(folder: Path) -> None:
    bench = MutationBench(folder)
    change = next(
        c
        for c in bench.changes()[0]
        if c.row == "events/idle" and c.says.startswith("on: ") and c.says.endswith("left out")
    )
    assert bench.verdict(change).noticed_by == "validation"


def test_a_run_goes_on_where_it_was_broken_off_and_tries_again_what_new_cases_may_notice(
    folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state.jsonl"
    bench = MutationBench(folder)
    changes = bench.changes()[0]
    first = tried(bench, changes, state=state)
    lines = state.read_text().splitlines(keepends=True)
    state.write_text("".join(lines[:5]) + lines[5][:20])  # broken off while a line was written
    told: list[int] = []
    assert tried(bench, changes, state=state, progress=lambda n, v: told.append(n)) == first
    assert len(read_state(state)) == len(changes) - sum(bool(v.equivalent) for v in first) + 1
    more = "  - {id: late, clauses: [x.slap], given: {turn: 9}, when: {trigger: {joined: {by: red}}}, dice: any, then: {values: {\"track('gray', 'mood')\": 0}}}\n"
    (folder / "tests/c.yaml").write_text(CASES + more)
    again = {v.change.key: v for v in tried(MutationBench(folder), changes, state=state)}
    late = [v for v in first if v.change.says.startswith("when: 9 → 10")]
    assert len(late) == 1 and not late[0].killed and again[late[0].change.key].noticed_by == "late"


def test_a_sample_is_the_same_for_a_seed_and_in_two_processes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = said(folder, "--sample", "12", "--seed", "4", capsys=capsys)
    assert one["mutants"] == 12
    assert said(folder, "--sample", "12", "--seed", "4", "-j", "2", "--fresh", capsys=capsys) == one
    assert said(folder / "tables" / "t.yaml", "--sample", "12", "--seed", "4", capsys=capsys) == one


def test_a_variant_is_tried_by_its_own_cases_and_the_base_by_those_of_both(folder: Path) -> None:
    write(
        folder / "variants/v",
        {
            "ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n",
            "tables/t.yaml": "events: [{id: slap, effects: [{shift: {who: gray, track: mood, by: 5}}], source: [y.slap]}]\n",
            "tests/c.yaml": "cases: [{id: five, clauses: [y.slap, x.quarrel], given: {turn: 8}, when: {trigger: {joined: {by: red}}}, "
            "then: {values: {\"track('gray', 'mood')\": 5, \"track('red', 'mood')\": 0}}}]\n",
        },
    )
    bench = MutationBench(folder / "variants/v")
    five = next(c for c in bench.changes()[0] if c.says.endswith("by: 5 → 6"))
    assert bench.verdict(five).noticed_by == "five"
    assert {c.id for c in bench.changes()[0]} == {"slap"}
    both = MutationBench(folder)
    change = next(
        c
        for c in both.changes()[0]
        if c.row == "definitions/angry" and "-3 → " not in c.says and "<= → <" in c.says
    )
    assert both.verdict(change).cases == 2


def test_coverage_shows_what_was_noticed_of_what_was_tried(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state.jsonl"
    report = said(folder, "--state", str(state), capsys=capsys)
    (tmp_path / "report.json").write_text(json.dumps(report))
    lost = sum("x.slap" in s["clauses"] for s in report["survivors"])  # type: ignore[attr-defined]
    for file in (state, tmp_path / "report.json"):
        with pytest.raises(SystemExit):
            main(["coverage", str(folder), "--mutated", str(file)])
        row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("x.slap")).split()
        assert row[1:3] == ["1", "1"] and (row[3:] == [str(lost), "not"] or int(row[5]) - int(row[3]) == lost)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere", "does not exist"),
        ("empty", "no ruleset"),
        ("marked", "equivalent.yaml:2:5: the key 'reason' is missing"),
    ],
)
def test_what_cannot_be_tried_is_said(
    tmp_path: Path, path: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    marks = "equivalent:\n  - row: events/slap\n  - {row: events/quarrel}\n"
    write(
        tmp_path / "marked", {"tables/t.yaml": TABLES, "tests/c.yaml": CASES, "tests/equivalent.yaml": marks}
    )
    with pytest.raises(SystemExit) as left:
        main(["mutate", str(tmp_path / path)])
    assert left.value.code and says in capsys.readouterr().err


def test_cases_that_read_the_row_are_tried_though_they_cite_others(folder: Path) -> None:
    (folder / "tests/c.yaml").write_text(
        CASES
        + '  - {id: quiet, clauses: [x.other], when: {trigger: {joined: {by: gray}}}, then: {journal: [{text: "Nothing."}]}}\n'
    )
    bench = MutationBench(folder)
    gone = next(
        c for c in bench.changes()[0] if c.row == "events/idle" and c.says == "on.joined.by: gray → red"
    )
    assert [case.id for _, case in bench.reaching(gone)] == ["quiet", "quarrel", "slap"], (
        "those that read the row, the most telling first"
    )
    verdict = bench.verdict(gone)
    assert (verdict.noticed_by, verdict.elsewhere, verdict.cases) == ("quiet", True, 0)


def test_after_a_change_of_the_rules_the_case_that_noticed_is_tried_first(
    folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state.jsonl"
    first = tried(MutationBench(folder), MutationBench(folder).changes()[0], state=state)
    table = folder / "tables/t.yaml"
    table.write_text(table.read_text().replace("x.idle", "x.idler"))
    bench = MutationBench(folder)
    changes = [c for c in bench.changes()[0] if c.row == "events/slap"]
    again = {v.change.key: v.noticed_by for v in tried(bench, changes, state=state)}
    assert again == {v.change.key: v.noticed_by for v in first if v.change.row == "events/slap"}
    by = {v.change.key: v.noticed_by for v in first if v.noticed_by not in ("", "validation")}
    assert by and bench.hints == by, "what is not tried this time is remembered, too"
    assert tried(MutationBench(folder), changes, state=state) and MutationBench(folder).hints == {}


def test_results_beyond_the_faces_of_a_die_are_no_change() -> None:
    ten = (1, 10)
    assert same_faces("7..10", "7..11", ten)
    assert same_faces("1..3", "0..3", ten)
    assert not same_faces("7..10", "6..10", ten)
    assert not same_faces("7..9", "7..10", ten)
    assert not same_faces("7..10", "7..11", None)
    assert not same_faces("10", "11", ten)


ABOUT_MARKED = {
    "a number in the row": ("when", "2", "3", "whoever is gone for two turns is gone for three"),
    "anything instead of it": ("when", "9", "1", "no game is so long"),
    "another number instead of it": ("when", "2", "1", ""),
    "a key below the place": ("effects[1].shift.by", "by", "", "once is enough"),
    "a value of that key": ("effects[1].shift.by", "7", "8", ""),
    "the key beside the place": ("when", "by", "", ""),
    "all that is there": ("on.joined", "red", "gray", "who joins is never red"),
}
OF_MARKED = """
equivalent:
  - {row: events/marked, changes: [2 → 3], reason: whoever is gone for two turns is gone for three}
  - {row: events/marked, at: when, changes: ["9 -> *"], reason: no game is so long}
  - {row: events/marked, at: effects, changes: [by], reason: once is enough}
  - {row: events/marked, at: on, reason: who joins is never red}
"""


@pytest.mark.parametrize("case", ABOUT_MARKED)
def test_a_mark_counts_for_all_that_is_below_its_place(case: str, folder: Path) -> None:
    at, old, new, reason = ABOUT_MARKED[case]
    (folder / "tests/equivalent.yaml").write_text(OF_MARKED)
    around = tuple(at[:n] for n in range(1, len(at) + 1) if at[n:][:1] in ("", ".", "["))
    marks, found = read_marks(folder)
    assert not found
    assert next((m.reason for m in marks if m.covers("events/marked", around, old, new)), "") == reason
    assert not any(m.covers("events/beside", around, old, new) for m in marks)


def test_a_mark_that_no_change_is_meant_by_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = "  - {row: events/slap, at: when, changes: [9 -> 8, 12], reason: nobody is asked then}\n"
    (folder / "tests/equivalent.yaml").write_text(MARKS + more + more.replace("9 -> 8, ", ""))
    found = said(folder, "--clause", "x.quarrel", capsys=capsys)["idle_marks"]
    assert [(mark["line"], mark["row"]) for mark in found] == [(5, "events/slap")]  # type: ignore[attr-defined]
    assert said(folder / "tables", capsys=capsys)["idle_marks"] == found
    with pytest.raises(SystemExit):
        main(["mutate", str(folder), "--sample", "1"])
    assert "equivalent.yaml:5: no change of events/slap is as this mark says" in capsys.readouterr().out


def test_a_variant_has_marks_of_its_own_rows_alone(folder: Path) -> None:
    write(
        folder / "variants/v",
        {
            "ruleset.yaml": "id: v\ntitle: V\nextends: ../..\n",
            "tables/t.yaml": "events: [{id: quarrel, effects: [{shift: {who: red, track: mood, by: 1}}]}]\n",
            "tests/equivalent.yaml": MARKS.replace("only the sign", "here only the sign"),
        },
    )
    bench = MutationBench(folder)
    reasons = {
        Path(c.file).parent.parent.name: bench.equivalent(c)
        for c in bench.changes()[0]
        if c.row == "events/quarrel" and c.says.endswith("shift.by: 1 → 2")
    }
    assert reasons == {"game": "only the sign counts", "v": "here only the sign counts"}
