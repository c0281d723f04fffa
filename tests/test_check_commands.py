"""`wteaw validate`, `show` and `diff`, as a person types them; and how findings look."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from wteaw.cli import COMMANDS, main
from wteaw.core.codes import CODES
from wteaw.core.diagnostics import Diagnostic, nearest, render, render_one
from wteaw.play.starter import begin

from .folders import own_cache, write  # noqa: F401

GOOD = {
    "tables/t.yaml": "fields:\n- {id: price, of: [unit], type: number}\nunits:\n- {id: foot, name: Foot, price: 3}\n"
}


def wteaw(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, output and error output of a command."""
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


@pytest.fixture
def games(tmp_path: Path) -> Path:
    write(tmp_path, GOOD)
    over = {
        "ruleset.yaml": "id: o\ntitle: O\nextends: ../..\n",
        "tables/o.yaml": "units:\n- {id: foot, price: 4}\n- {id: boat, name: Boat}\n",
    }
    write(tmp_path / "variants" / "o", over)
    return tmp_path


def test_validate_looks_into_variants_and_leaves_with_the_right_code(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wteaw(capsys, "validate", games) == (0, "no errors, no warnings\n", "")
    (games / "variants" / "o" / "tables" / "o.yaml").write_text("units:\n- {id: foot, prise: 4}\n")
    code, out, _ = wteaw(capsys, "validate", games)
    assert code == 1
    assert f"{games}/variants/o/tables/o.yaml:2:14: error: 'prise' is not a declared field" in out
    assert "    - {id: foot, prise: 4}\n                 ^\n    hint: did you mean 'price'?" in out
    assert out.endswith("1 error, no warnings\n")


@pytest.mark.parametrize(
    "layout",
    [
        "panels: [{id: a, title: A, bounds: [-180, -90, 180, 90], at: [0, 0, 9, 9]}]",
        "size: [",
        "panels: 7",
        "- a list",
    ],
)
def test_a_layout_that_no_map_can_be_drawn_with_is_told(
    games: Path, capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    (games / "map").mkdir()
    (games / "map" / "layout.yaml").write_text(layout + "\n")
    code, out, _ = wteaw(capsys, "validate", games)
    assert code == 1 and f"{games}/map/layout.yaml:1:1: error: no map can be drawn with this" in out, out


def test_warnings_pass_unless_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"tables/t.yaml": "tables:\n- {id: idle, rows: {a: 1}}\n"})
    assert wteaw(capsys, "validate", tmp_path)[0] == 0
    assert wteaw(capsys, "validate", tmp_path, "--strict")[0] == 1


def test_a_wrong_call_is_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert wteaw(capsys, "validate")[0] == 2
    assert wteaw(capsys, "validate", tmp_path / "nowhere")[0] == 2
    assert wteaw(capsys, "validate", tmp_path)[0] == 2
    code, _, err = wteaw(capsys, "valdate")
    assert (code, "did you mean 'validate'?" in err) == (2, True)
    code, _, err = wteaw(capsys, "validate", tmp_path, "--format", "sarf")
    assert (code, "did you mean 'sarif'?" in err) == (2, True)


def test_show_says_what_a_code_means_and_where_more_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = wteaw(capsys, "show", "e402")
    assert code == 0
    for said in (
        f"means: {CODES['E402']}",
        "example: docs/made/findings.md#e402",
        "page: docs/made/table-fields.md",
    ):
        assert said in out.splitlines()
    data = json.loads(wteaw(capsys, "show", "W609", "--format", "json")[1])
    assert data["page"] == "docs/made/effects.md#ref-effect-flag"


def test_a_table_stands_for_its_ruleset(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert wteaw(capsys, "validate", games / "tables" / "t.yaml")[0] == 0
    assert wteaw(capsys, "validate", games / "ruleset.yaml")[0] == 0


def test_scenarios_are_checked_with_their_ruleset(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "id: s\ntitle: S\nruleset: ..\nunits:\n- {owner: n, units: {foot: 2, foott: 1}}\n"
    write(games / "scenarios", {"ruleset.yaml": "", "s.yaml": text})
    (games / "scenarios" / "ruleset.yaml").unlink()
    code, out, _ = wteaw(capsys, "validate", games / "scenarios")
    assert code == 1
    assert "s.yaml:5:11: error: nations has no 'n' [E401]" in out
    assert "s.yaml:5:31: error: units has no 'foott' [E401]" in out
    assert "did you mean 'foot'?" in out


def test_a_scenario_of_a_ruleset_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yaml").write_text("id: s\ntitle: S\nruleset: no-such\n")
    code, out, _ = wteaw(capsys, "validate", tmp_path / "s.yaml")
    assert (code, "s.yaml:3:10: error: there is no ruleset 'no-such' [E408]" in out) == (1, True)


def test_machines_can_read_the_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"tables/t.yaml": "places:\n- {id: a, knd: land}\n"})
    data = json.loads(wteaw(capsys, "validate", tmp_path, "--format", "json")[1])
    assert data["counts"] == {"error": 1, "warning": 0, "info": 0}
    assert [(d["code"], d["line"], d["column"]) for d in data["diagnostics"]] == [("E402", 2, 11)]
    sarif = json.loads(wteaw(capsys, "validate", tmp_path, "--format", "sarif")[1])
    assert sarif["version"] == "2.1.0"
    rules = {rule["id"]: rule for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    assert all(rule["help"]["text"].startswith("docs/") for rule in rules.values()) and rules
    region = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 11}
    github = wteaw(capsys, "validate", tmp_path, "--format", "github")[1].splitlines()
    assert github[0].startswith(
        f"::error file={tmp_path}/tables/t.yaml,line=2,col=11,title=E402::'knd' is not a declared field"
    )


def test_show_lists_the_rows_of_a_table_and_the_steps_of_a_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = begin(tmp_path / "small", game="conquest").folder
    assert wteaw(capsys, "show", "movement", "--ruleset", game)[1].split() == ["attack", "press", "shift"]
    steps = wteaw(capsys, "show", "sequence", "--ruleset", game)[1].splitlines()
    assert steps[:3] == ["realm-turn", "  levy  (do: collect)", "  orders"]
    assert steps[-1] == "victory  (do: score)"


def test_show_tells_where_each_key_comes_from(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = games / "variants" / "o"
    code, out, _ = wteaw(capsys, "show", "foot", "--ruleset", over, "--resolved")
    assert code == 0
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        f"units/foot ({over}/tables/o.yaml:2)",
        f"name: Foot # {games}/tables/t.yaml:4",
        f"price: 4 # {over}/tables/o.yaml:2",
    ]
    code, _, err = wteaw(capsys, "show", "fooot", "--ruleset", over)
    assert (code, "did you mean foot" in err) == (2, True)
    data = json.loads(wteaw(capsys, "show", "units/boat", "--ruleset", over, "--format", "json")[1])
    assert data[0]["row"] == {"id": "boat", "name": "Boat"}


def test_diff_says_in_words_what_differs(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = games / "variants" / "o"
    assert wteaw(capsys, "diff", games, over)[1].splitlines() == [
        "Units",
        f"  foot (Foot)  {over}/tables/o.yaml:2",
        "    price: 3 → 4",
        f"  new: boat (Boat)  {over}/tables/o.yaml:3",
    ]
    assert wteaw(capsys, "diff", over, games)[1].splitlines() == [
        "Units",
        f"  foot (Foot)  {games}/tables/t.yaml:4",
        "    price: 4 → 3",
        "  gone: boat",
    ]
    assert wteaw(capsys, "diff", games, games)[1] == "no difference\n"


def test_help_lists_the_commands_and_loads_nothing_that_it_does_not_need(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = wteaw(capsys, "--help")
    assert code == 0
    for command in COMMANDS:
        assert (f"  {command.name} " in out) == command.exists
    asked = "import sys; from wteaw.cli import main; main(['--help']); print('LOADED', *sys.modules)"
    said = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True).stdout
    loaded = {
        name
        for name in said.partition("LOADED")[2].split()
        if name.partition(".")[0] not in sys.stdlib_module_names
    }
    assert {name.partition(".")[0] for name in loaded} <= {
        "wteaw",
        "orjson",
        "_distutils_hack",
        "_virtualenv",
    }
    assert not {
        name for name in loaded if name.startswith("wteaw.") and name.split(".")[1] not in ("core", "cli")
    }


@pytest.mark.parametrize("command", ["validate", "show", "diff"])
def test_every_command_explains_itself_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = wteaw(capsys, command, "--help")
    assert code == 0
    assert f"Example: wteaw {command}" in out


def test_a_caret_stands_under_the_column_of_a_long_line() -> None:
    line = "x" * 200 + "HERE" + "y" * 200
    shown = render_one(Diagnostic("E1", "error", "m", "f", 1, 201, source_line=line)).splitlines()
    assert shown[1][shown[2].index("^")] == "H"
    assert len(shown[1]) < 120


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in render_one(Diagnostic("E1", "error", "m", "f", 1, 1, source_line="a\x1b[31mb"))


def test_text_in_annotations_is_escaped() -> None:
    assert (
        render([Diagnostic("E1", "error", "50%\n::x", "a,b", 1)], "github")
        == "::error file=a%2Cb,line=1,title=E1::50%25%0A::x"
    )


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("infrantry", ["infantry", "artillery"], ["infantry"]),
        ("Light_Cavalry", ["light-cavalry", "cavalry"], ["light-cavalry"]),
        ("cavalry", ["light-cavalry", "guns"], ["light-cavalry"]),
        ("zeppelin", ["infantry"], []),
        ("", ["infantry"], []),
        ("x", [], []),
    ],
)
def test_near_misses(word: str, known: list[str], expected: list[str]) -> None:
    assert nearest(word, known) == expected
