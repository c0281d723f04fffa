"""What still goes wrong while rules are carried out: one sentence with the row's place, no traceback, and the game as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli import main

from .folders import own_cache  # noqa: F401

LATE = "{id: late, on: {turn_start: 2}, when: turn > 0, effects: [%s]}"


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def scenario(folder: Path, effect: str, **forms: str) -> Path:
    """A scenario of the shortest ruleset with one more event, which fires in turn 2."""
    rules = {"events": LATE % effect, **forms}
    lines = "".join(f"  {form}:\n    - {row}\n" for form, row in rules.items())
    path = folder / "broken.yaml"
    path.write_text(f"id: broken\ntitle: Broken\nextends: alliances-4\nrules:\n{lines}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        ("{pay: {to: uk, what: coin, amount: '=1 / (turn - turn)'}}", "Fraction(1, 0)"),
        ("{pay: {to: uk, what: coin, amount: '=(turn * 10**15)**40'}}", "beyond all bounds"),
        ("{pay: {to: uk, what: coin, amount: '=10**17'}}", "coin in one treasury"),
        ("{roll: {die: 1d6, dice: '=turn * 10**9', at_most: 3}}", "dice of one roll"),
    ],
)
def test_a_turn_that_cannot_be_carried_out_names_the_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], effect: str, why: str
) -> None:
    path = scenario(tmp_path, effect)
    game = tmp_path / "game"
    assert run("new", str(path), "--game", str(game)) == 0
    assert run("resolve", "--game", str(game)) == 0
    for _ in range(30):
        capsys.readouterr()
        code = run("resolve", "--game", str(game), "--format", "json")
        if code:
            break
    said = capsys.readouterr().err
    assert code == 1
    assert "broken.yaml:6" in said and "events/late" in said and why in said
    assert "Traceback" not in said
    run("resolve", "--game", str(game))
    assert said == capsys.readouterr().err  # nothing was kept, and it fails in the same way


def test_play_ends_in_the_same_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = scenario(tmp_path, "{pay: {to: uk, what: coin, amount: '=1 / (turn - turn)'}}")
    assert run("play", str(path), "--out", str(tmp_path / "out"), "--turns", "3") == 1
    said = capsys.readouterr().err
    assert "broken.yaml:6" in said and "Traceback" not in said
