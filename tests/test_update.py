"""`wteaw test --update`: what was got, written into failing cases, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wteaw.cli import ExitCode, main
from wteaw.play.starter import begin

HEAD = "# My cases.\nruleset: {at}\ngiven:\n  made_up: {{nations: [a, d], places: [p, q]}}\ncases:\n"
GOOD = "  - {id: good, then: {values: {'1 + 1': 2}}}   # stays\n"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begin(tmp_path_factory.mktemp("rules") / "mine").folder


@pytest.fixture
def file(rules: Path, tmp_path: Path) -> Path:
    return tmp_path / "cases.yaml"


def write(file: Path, rules: Path, *cases: str) -> str:
    text = HEAD.format(at=os.path.relpath(rules, file.parent)) + GOOD + "".join(cases)
    file.write_text(text, encoding="utf-8", newline="")
    return text


def update(file: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as left:
        main(["test", str(file), "--update", "--yes", *more])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out + out.err


def test_a_value_is_written_and_every_other_byte_stays(
    file: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = """
  - id: wrong            # a note
    title:   Two spaces stay
    then:
      values: {"2 + 2":   5, '3': 3}    # why it was five
      # a line between
      nations: {a: {units: {levy: 7}}}
"""
    before = write(file, rules, case).replace("levy", _kind(rules))
    file.write_text(before, encoding="utf-8")
    code, said = update(file, capsys)
    assert code == ExitCode.DONE and "1 case written, 0 still failing" in said
    assert "expected  5" in said and "got       4" in said
    after = before.replace('"2 + 2":   5', '"2 + 2":   4').replace(": 7}", ": 0}")
    assert file.read_text(encoding="utf-8") == after
    assert update(file, capsys) == (ExitCode.DONE, "every case passes\n")
    assert file.read_text(encoding="utf-8") == after


def _kind(rules: Path) -> str:
    import yaml

    return str(yaml.safe_load((rules / "tables/units.yaml").read_text(encoding="utf-8"))["units"][0]["id"])


def test_what_stands_at_a_place(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = _kind(rules)
    case = f"""  - id: stands
    given: {{units: {{p: {{a: {{{kind}: 2}}}}, q: {{d: {{{kind}: 1}}}}}}}}
    then:
      units:
        p:
          a: {{{kind}: 5}}
        q: none
"""
    write(file, rules, case)
    assert update(file, capsys)[0] == ExitCode.DONE
    text = file.read_text(encoding="utf-8")
    assert f"          a: {{{kind}: 2}}\n        q: {{d: {{{kind}: 1}}}}\n" in text


def test_a_block_becomes_a_line(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = _kind(rules)
    write(
        file,
        rules,
        f"  - id: nobody\n    then:\n      units:\n        p:\n          a:\n            {kind}: 1\n      values: {{'1': 1}}\n",
    )
    assert update(file, capsys)[0] == ExitCode.DONE
    assert "        p: none\n      values: {'1': 1}\n" in file.read_text(encoding="utf-8")


def test_exact_chances(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        file,
        rules,
        "  - {id: odds, dice: any, then: {chances: {'1 == 1': 1/2}, means: {'3': 2}, ranges: {'3': [1, 2]}}}\n",
    )
    code, said = update(file, capsys)
    assert code == ExitCode.DONE, said
    assert "{'1 == 1': 1}, means: {'3': 3}, ranges: {'3': [3, 3]}" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ("  - {id: x, then: {journal: [{rule: actions/none}]}}\n", "meant, not measured"),
        ("  - {id: x, then: {values: {'5': {range: [1, 2]}}}}\n", "a range is meant"),
        ("  - {id: x, dice: [3], then: {values: {'1': 1}}}\n", "dice are what the case gives"),
        ("  - {id: x, then: {values: {'nonsense(1)': 1}}}\n", "nonsense"),
        ("  - {id: x, then: {relations: {war: [[a, d]]}}}\n", "meant, not measured"),
        (
            "  - {id: y, then: {values: &v {'1': 1}}}\n  - {id: x, then: {values: *v, game: {turn: 9}}, given: {turn: 2}}\n",
            None,
        ),
        ("  - {id: y, then: {values: {'1': 2}}, why: &w 'a'}\n", None),
    ],
)
def test_what_cannot_be_said_is_not_written(
    case: str, why: str | None, file: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(file, rules, case)
    code, said = update(file, capsys)
    if why is None:
        assert code == ExitCode.DONE, said
        return
    assert code == ExitCode.FOUND and "nothing is written" in said and why in said, said
    assert file.read_text(encoding="utf-8") == before


def test_a_value_that_stands_for_several_cases_is_left_alone(
    file: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = "  - {id: y, given: {turn: 4}, then: {game: &g {turn: 4}}}\n  - {id: x, given: {turn: 5}, then: {game: *g}}\n"
    before = write(file, rules, cases)
    code, said = update(file, capsys)
    assert code == ExitCode.FOUND and "for other cases, too" in said, said
    assert file.read_text(encoding="utf-8") == before


def test_a_comment_inside_is_not_lost(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = _kind(rules)
    before = write(
        file,
        rules,
        f"  - id: x\n    then:\n      units:\n        p:\n          a:  # ours\n            {kind}: 1\n",
    )
    code, said = update(file, capsys)
    assert code == ExitCode.FOUND and "comments stand inside" in said
    assert file.read_text(encoding="utf-8") == before


def test_other_line_ends_stay(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = write(file, rules, "  - {id: x, then: {values: {'2': 9}}}\n").replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert update(file, capsys)[0] == ExitCode.DONE
    assert file.read_bytes() == b"\xef\xbb\xbf" + text.replace("9}}", "2}}").encode()


def test_only_chosen_cases(file: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = write(
        file, rules, "  - {id: one, then: {values: {'2': 9}}}\n  - {id: two, then: {values: {'2': 9}}}\n"
    )
    assert update(file, capsys, "-k", "two")[0] == ExitCode.DONE
    assert file.read_text(encoding="utf-8") == before.replace(
        "two, then: {values: {'2': 9}}", "two, then: {values: {'2': 2}}"
    )


def test_nobody_is_not_asked(file: Path, rules: Path) -> None:
    write(file, rules, "  - {id: x, then: {values: {'2': 9}}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "wteaw", "test", str(file), "--update"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == ExitCode.CALL and "--yes" in done.stderr


@pytest.mark.parametrize(("answers", "left"), [("n\ny\n", 1), ("q\n", 2), ("what\na\n", 0)])
def test_each_case_is_asked_for(
    answers: str,
    left: int,
    file: Path,
    rules: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(file, rules, "  - {id: one, then: {values: {'2': 9}}}\n  - {id: two, then: {values: {'2': 9}}}\n")
    given = iter(answers.splitlines())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(given))
    with pytest.raises(SystemExit) as stopped:
        main(["test", str(file), "--update"])
    assert file.read_text(encoding="utf-8").count("'2': 9") == left
    assert stopped.value.code == (ExitCode.FOUND if left else ExitCode.DONE), capsys.readouterr().out
