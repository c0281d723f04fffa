"""`wteaw odds` as people call it: free compositions, scenarios, games and order text; what it says to what it cannot read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wteaw.cli import main
from wteaw.core.package_data import rulesets
from wteaw.ruleset import load_ruleset

FIGHT = ("--attacker", "Germany: 3 infantry", "--defender", "France: 2 infantry")


@cache
def compiled(folder: Path) -> Any:
    return load_ruleset(folder)


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ruleset is compiled once for all these tests."""
    monkeypatch.setattr("wteaw.cli.show.load_ruleset", compiled)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["odds", *arguments])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--attacker", "Germny: 3 infantry"), "no nation is called 'Germny'; did you mean 'German Empire'?"),
        (("--attacker", "Germany: 3 infantri"), "no kind of unit is called 'infantri'; did you mean 'infantry'?"),
        (("--attacker", "Germany 3 infantry"), 'is not of the form "NATION: 10 KIND, 4 KIND"'),
        (("--attacker", "Germany: infantry"), "is not a number and a kind of unit, such as 10 KIND"),
        (("--attacker", "Germany: -2 infantry"), "is not a number and a kind of unit"),
        (("--attacker", "Germany: 900 infantry", "--defender", "France: 1 tank"), "more than the 500"),
        (("--attacker", "Germany: 3 infantry"), "nobody is named as defender"),
        (("--attacker", "Germany: 0 infantry", "--defender", "France: 1 tank"), "nobody is named as attacker"),
        (("--attacker", "Germany: 3 infantry", "--defender", "Germany: 1 tank"), "German Empire stands on both sides"),
        ((*FIGHT, "--place", "pariss"), "no place is called 'pariss'; did you mean 'Paris'?"),
        ((*FIGHT, "--works", "trensh"), "no works are called 'trensh'; did you mean 'trench'? (there are super-trench, trench)"),
        ((*FIGHT, "--battle", "see"), "no battle is called 'see'; did you mean 'sea'?"),
        ((*FIGHT, "--battle", "sea"), "the attacker has no unit that can fight this battle"),
        ((*FIGHT, "--format", "xml"), "no format 'xml'; known: text, json, svg"),
        ((*FIGHT, "--plot", "odds.jpg"), "must end in .svg or .png"),
        ((*FIGHT, "--exact", "--trials", "9"), "exclude each other"),
        ((*FIGHT, "--withdraw-unless", "3"), "two numbers, such as 2/3"),
        ((*FIGHT, "--withdraw", "Germany: soon"), 'is not of the form "NATION: after 2, above 3, unless 1/2"'),
        ((*FIGHT, "--withdraw", "Italy: after 2"), "Italy has no units in this battle"),
        (("--attacker", "Germany: 3 infantry [damage 1]", "--defender", "France: 1 tank"), "infantry cannot have damage 1 and live"),
        ((*FIGHT, "--contact", "no"), "attacker, both or kept"),
        ((*FIGHT, "--tech", "Germany: radr"), "no technology is called 'radr'"),
        ((*FIGHT, "--scenario", "1915"), "no scenario 1915; did you mean 1914? give a file, or one of: 1914"),
        (("--attacker", "Germany: 3 battleships [damge 1]", "--defender", "Britain: 1 destroyer"), "did you mean 'damage'?"),
        (("--attacker", "Germany: 3 battleships", "--defender", "Britain: 1 infantry"), "no battle of this ruleset is fought by these"),
        (("--scenario", "1914", "--attacker", "Britain: 2 battleships", "--place", "Skagerrak"), "nobody in Skagerrak whom they fight"),
        (("--order", "attack"), "--order needs --nation"),
        (("--attacker", "Germany from Paris: 1 infantry"), "say with --place where they go to"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2 and not out
    assert says in err


def test_the_battle_follows_from_the_units_and_the_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    _, land, _ = run(capsys, *FIGHT)
    _, sea, note = run(
        capsys,
        "--attacker",
        "Germany: 3 battleships",
        "--defender",
        "Britain: 4 destroyers",
        "--place",
        "North Sea",
    )
    assert land.startswith("Land battle\n") and sea.startswith("Sea battle: North Sea\n")
    assert "contact must be found again" in note
    _, tokens, _ = run(capsys, *FIGHT, "--ruleset", str(rulesets() / "variants" / "alliances"))
    assert tokens.startswith("Battle\n") and "takes the field" in tokens


def test_allies_in_one_text_or_in_several(capsys: pytest.CaptureFixture[str]) -> None:
    allies = (
        ("--attacker", "Germany: 3 infantry; Austria: 1 artillery;"),
        ("--attacker", "Germany: 3 infantry", "--attacker", "Austria: 1 artillery"),
    )
    told = [run(capsys, *words, "--defender", "France: 2 infantry") for words in allies]
    assert told[0] == told[1] and "Austro-Hungarian Empire: loses" in told[0][1]


def test_a_sea_battle_with_contact_that_is_kept_is_never_open(capsys: pytest.CaptureFixture[str]) -> None:
    ships = (
        "--attacker",
        "Germany: 3 battleships",
        "--defender",
        "Britain: 4 destroyers",
        "--format",
        "json",
    )
    lost, kept = (json.loads(run(capsys, *ships, "--contact", who)[1]) for who in ("attacker", "kept"))
    assert kept["open"] == 0 < lost["open"]


def test_on_a_scenario_whoever_stands_there_defends(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = run(
        capsys,
        "--scenario",
        "1914",
        "--attacker",
        "Germany: 20 infantry",
        "--place",
        "Alsace-Lorraine",
        "--from",
        "Stuttgart",
    )
    assert "defender: French Empire (" in text and "30 infantry" in text


def test_order_text_brings_its_units_its_way_and_its_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    order = "move 6 infantry from Stuttgart to Alsace-Lorraine: withdraw after 1 round"
    code, out, err = run(
        capsys,
        "--scenario",
        "1914",
        "--nation",
        "Germany",
        "--order",
        order,
        "--defender",
        "France: 5 infantry",
        "--format",
        "json",
    )
    assert code == 0, err
    asked = json.loads(out)
    assert asked["began"]["attacker"] == {"german-empire": {"infantry": 6}}
    assert asked["question"]["from"] == "stuttgart" and asked["rounds"] == pytest.approx(1)
    code, _, err = run(
        capsys,
        "--scenario",
        "1914",
        "--nation",
        "Germany",
        "--order",
        "move 6 infantry from Stutgart to Nowhere",
    )
    assert code == 2 and "the order is not valid" in err and "1:" in err


def test_what_another_nation_is_expected_to_order(capsys: pytest.CaptureFixture[str]) -> None:
    mine = (
        "--scenario",
        "1914",
        "--nation",
        "Germany",
        "--order",
        "move 9 infantry from Stuttgart to Alsace-Lorraine",
    )
    theirs = ("--other", "France: move 10 infantry from Alsace-Lorraine to Stuttgart")
    _, alone, _ = run(capsys, *mine)
    code, both, err = run(capsys, *mine, *theirs, "--trials", "20")
    assert code == 0, err
    assert "exact" in alone and "20 battles sampled" in both
    for words, says in (
        (("--exact",), "leave out --exact"),
        (("--works", "trench"), "are for one battle"),
        (("--other", "move 1 infantry"), 'is not of the form "NATION: order"'),
    ):
        code, _, err = run(capsys, *mine, *theirs, *words)
        assert code == 2 and says in err


def test_on_a_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["new", "1914", "--game", str(tmp_path / "g"), "--seed", "00" * 32])
    capsys.readouterr()
    code, text, err = run(
        capsys,
        "--game",
        str(tmp_path / "g"),
        "--attacker",
        "Germany: 9 infantry",
        "--place",
        "Alsace-Lorraine",
        "--from",
        "Stuttgart",
    )
    assert code == 0, err
    assert "French Empire" in text


def test_works_count_wherever_they_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    def win(*more: str) -> float:
        return float(json.loads(run(capsys, *FIGHT, "--format", "json", *more)[1])["win"])

    at = ("--place", "Reims", "--from", "Alsace-Lorraine")
    assert win("--works", "trench") < win()
    assert (
        win("--works", "trench", *at) == win("--works", "trench", *at[:2]) < win(*at) == win(*at[:2])
    )  # a city defends, too


def test_the_picture_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, start in (("odds.svg", b"<svg"), ("odds.png", b"\x89PNG")):
        code, _, err = run(capsys, *FIGHT, "--plot", str(tmp_path / name))
        assert code == 0, err
        assert (tmp_path / name).read_bytes().startswith(start)
    code, _, err = run(capsys, *FIGHT, "--plot", str(tmp_path / "none" / "odds.svg"))
    assert code == 4 and "cannot be written" in err


def test_json_for_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *FIGHT, "--format", "json", "--trials", "2000")
    found = json.loads(out)
    assert found["exact"] is False and found["trials"] == 2000 and 0 < found["errors"]["win"] < 0.02
    assert sum(found["losses"]["attacker"]) == pytest.approx(1)
    assert sum(found["each"]["attacker"]["german-empire"]["infantry"]) == pytest.approx(1)
    assert found["win"] + found["draw"] + found["loss"] + found["open"] == pytest.approx(1)


def test_same_question_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    one = run(capsys, *FIGHT, "--trials", "500", "--seed", "7")
    assert one == run(capsys, *FIGHT, "--trials", "500", "--seed", "7")
    assert one != run(capsys, *FIGHT, "--trials", "500", "--seed", "8")
