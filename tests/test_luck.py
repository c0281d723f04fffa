"""Luck: what throws came to against the odds before them, computed by hand; zero on average; told when it may be known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wteaw.battle import fight
from wteaw.cli import _run
from wteaw.core.dice import KeyedDice, ScriptedDice
from wteaw.core.journal import Entry
from wteaw.core.package_data import scenarios
from wteaw.odds import dice_statistics as battle_luck
from wteaw.odds.dice_statistics import Onlooker, RecordedThrow
from wteaw.play import dice_statistics as luck_found
from wteaw.play.begin import new_game
from wteaw.play.dice_statistics import chance_of, luck, rolls_of, watch
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.report import report_files
from wteaw.report.turn_reports import report
from wteaw.store import Game, StoredPosition, StoreError

from .battlefield import Field, ruleset


def seen(field: Field, *dice: int, battle: str = "land") -> list[RecordedThrow]:
    """What an onlooker sees of a battle with these dice."""
    source = ScriptedDice(list(dice))
    source.onlooker = onlooker = Onlooker()
    field.turn.dice = source
    fight.run({"battles": [battle]}, field.turn)
    assert not source.unused()
    return onlooker.throws


def test_one_against_one_by_hand() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=1)
    (round_,) = seen(field, 3, 9)  # infantry hits on 3 in attack, on 5 in defense: a hit and a miss
    mine, theirs = round_.shares["a"], round_.shares["d"]
    assert (mine.dealt, mine.taken, theirs.dealt, theirs.taken) == (1, 0, 0, 1)
    assert (mine.dealt_mean, mine.taken_mean) == (pytest.approx(0.3), pytest.approx(0.5))
    assert mine.luck == pytest.approx(0.7 + 0.5) and theirs.luck == pytest.approx(-1.2)
    assert round_.spread["a", "a"] == pytest.approx(0.3 * 0.7 + 0.5 * 0.5)
    assert round_.spread["a", "d"] == pytest.approx(-0.46)
    assert (round_.round, round_.place, round_.what, round_.exact) == (1, "p", "round", True)


def test_a_hit_that_nobody_takes_counts_nothing() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=3)
    (round_,) = seen(field, 1, 1, 1, 9)
    assert round_.shares["a"].dealt == 1 and round_.shares["a"].dealt_mean == pytest.approx(1 - 0.7**3)
    assert round_.spread["a", "a"] == pytest.approx(0.7**3 * (1 - 0.7**3) + 0.25)


def test_every_round_is_a_throw_from_where_the_one_before_has_led() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2)
    first, second = seen(field, 9, 9, 4, 2, 8)
    assert first.shares["a"].luck == pytest.approx((0 - (1 - 0.49)) - (1 - 0.5))
    assert second.shares["a"].luck == pytest.approx((1 - 0.3) - (0 - 0.5))
    both = [t.luck({"a": 1.0}) for t in (first, second)]
    assert sum(v for _, v in both) == pytest.approx(0.51 * 0.49 + 0.25 + 0.46)


def test_allies_share_what_their_side_does_by_strength_and_bear_their_own_losses() -> None:
    field = Field(allies="de", war="ae").units("d", "p", infantry=3).units("e", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2, options={"withdraw-after": 1})
    (thrown,) = seen(field, 1, 9, 1, 9, 9, 1)
    assert sorted(thrown.shares) == ["a", "d", "e"]
    assert thrown.shares["d"].dealt == pytest.approx(1.5) and thrown.shares["e"].dealt == pytest.approx(0.5)
    assert thrown.shares["d"].taken + thrown.shares["e"].taken == 1
    together, variance = thrown.luck({"d": 1.0, "e": 1.0})
    against, other = thrown.luck({"a": 1.0})
    assert together == pytest.approx(-against) and variance == pytest.approx(other)
    apart = thrown.spread["d", "d"] + thrown.spread["e", "e"]
    assert variance == pytest.approx(apart + 2 * thrown.spread["d", "e"])


def many(n: int, *, exact: bool = True) -> tuple[list[float], list[float], int]:
    """The luck of `a` in so many battles of several rounds and kinds, each with its own dice, and the variances."""
    lucks, variances, sampled = [], [], 0
    rules = ruleset(p={"city": True})
    for number in range(n):
        field = Field(rules).units("d", "p", infantry=3, artillery=1)
        field.attack("a", "x", "p", infantry=4, artillery=2, options={"withdraw-above": 3})
        dice = KeyedDice(number.to_bytes(32, "big"), 1)
        dice.onlooker = onlooker = Onlooker()
        field.turn.dice = dice
        fight.run({"battles": ["land"]}, field.turn)
        found = [t.luck({"a": 1.0}) for t in onlooker.throws]
        lucks.append(sum(v for v, _ in found))
        variances.append(sum(v for _, v in found))
        sampled += sum(not t.exact for t in onlooker.throws)
    return lucks, variances, sampled


def test_over_many_battles_luck_is_zero_and_as_wide_as_its_band() -> None:
    lucks, variances, sampled = many(250)
    n, width = len(lucks), sum(variances) / len(variances)
    assert sampled == 0
    assert abs(sum(lucks) / n) < 3.5 * math.sqrt(width / n)
    assert sum(v * v for v in lucks) / n == pytest.approx(
        width, rel=0.25
    )  # the mean square has an error of about 7 %
    inside = sum(abs(v) <= 1.96 * math.sqrt(s) for v, s in zip(lucks, variances, strict=True))
    assert 0.91 < inside / n < 0.99


def test_sampled_odds_give_the_same_within_their_error(monkeypatch: pytest.MonkeyPatch) -> None:
    exact, _, _ = many(12)
    monkeypatch.setattr(battle_luck, "EFFORT", 1)
    rough, _, sampled = many(12)
    assert sampled > 12
    assert exact != rough and all(abs(a - b) < 0.25 for a, b in zip(exact, rough, strict=True))


# ---- other rolls


@pytest.mark.parametrize(
    ("die", "need", "chance"),
    [("1d10", "3 or less", 0.3), ("1d10", "9 or more", 0.2), ("2d6", "7..8", 11 / 36), ("1d100", "0 or less", 0), ("1d6", "7/2 or less", 0.5)],
)  # fmt: skip
def test_the_chance_of_a_need(die: str, need: str, chance: float) -> None:
    assert chance_of(die, need) == pytest.approx(chance)


def test_rolls_are_counted_by_row_and_nation() -> None:
    def entry(subject: str, need: str, hit: bool, *dice: str) -> Entry:
        drawn = [{"die": d, "faces": [1], "total": 1} for d in dice]
        return Entry(
            1, 1, "actions", "actions/court", "", subject, dice=[{"need": need, "hit": hit, "drawn": drawn}]
        )

    entries = [
        entry("red:gray", "9 or more", False, "1d10"), entry("red:blue", "9 or more", True, "1d10", "1d10"),
        entry("blue>red", "2 at 3, 1 at 5", True, "2d10", "1d10"),
    ]  # fmt: skip
    red, blue = sorted(rolls_of(entries, {"red": {}, "blue": {}}), key=lambda r: r.n, reverse=True)
    assert (red.nation, red.n, red.came_up, red.expected) == ("red", 2, 1, pytest.approx(0.2 + 0.36))
    assert red.variance == pytest.approx(0.2 * 0.8 + 0.36 * 0.64)
    assert (blue.nation, blue.expected) == ("blue", pytest.approx(1 - 0.49 * 0.5))


# ---- of a game


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A game after two turns."""
    scenario, rules, _ = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None and rules is not None
    made = new_game(tmp_path_factory.mktemp("luck") / "game", scenario, rules, id_="luck", seed=b"l" * 32)
    for _ in range(2):
        resolve_turn(made, force=True)
    return made


def test_the_luck_of_a_game_adds_up(game: Game) -> None:
    found = luck(game)
    data = found.to_json()
    assert data["throws"] == len(found.throws) > 3 and data["turns"] == game.stage().position.turn - 1
    assert sum(n["luck"] for n in data["nations"]) == pytest.approx(
        -sum(t.shares[""].luck for t in found.throws if "" in t.shares)
    )
    for nation in data["nations"]:
        mine = [t for t in found.throws if nation["nation"] in t.shares]
        assert nation["throws"] == len(mine)
        assert nation["luck"] == pytest.approx(sum(t.shares[nation["nation"]].luck for t in mine))
        assert nation["error"] ** 2 == pytest.approx(
            sum(t.spread[nation["nation"], nation["nation"]] for t in mine)
        )
        assert nation["high"] == pytest.approx(1.96 * nation["error"])
    assert sum(b["throws"] for b in data["battles"]) == data["throws"]
    assert [s["luck"] for s in data["swings"]] == sorted((s["luck"] for s in data["swings"]), reverse=True)
    assert data["rolls"] and all(0 <= r["expected"] <= r["rolls"] for r in data["rolls"])


def test_battles_of_several_movers_for_one_place_are_told_apart(game: Game) -> None:
    found = luck(game)
    first = found.throws[0]
    twice = replace(found, throws=(first, replace(first, mover="another")))
    assert [b["throws"] for b in twice.battles()] == [1, 1]


def test_luck_is_the_moderators_while_the_game_runs(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    nation = next(iter(game.ruleset.rows("nations")))
    for reader in (nation, ""):
        with pytest.raises(StoreError, match="when the game has ended"):
            luck(game, reader)
    assert _run(["luck", str(Path(game.where).parent), "--nation", nation]) == 3
    said = capsys.readouterr()
    assert "when the game has ended" in said.err and not said.out
    assert "Luck" not in {p.title for p in report(game, nation).parts}


def test_the_command_prints_text_json_and_a_page(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(Path(game.where).parent)
    assert _run(["luck", folder]) == 0
    text = capsys.readouterr().out
    assert "1 NATIONS" in text and "BATTLES" in text and "±" in text
    assert _run(["luck", folder, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(luck(game).to_json()))
    assert _run(["luck", folder, "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("<!DOCTYPE html>") or "<!DOCTYPE html>" in page[:40]
    assert _run(["luck", folder, "--format", "xml"]) == 2
    assert _run(["luck", folder + "-nowhere"]) == 2


def empire(folder: Path, ends: str = "", turns: int = 4, **forms: dict[str, Any]) -> Game:
    """Some turns of a game whose battles compare sums, all of a step at once; `forms`: rows instead of its own, by form and id.

    `ends`: it has ended once this holds.
    """
    scenario, rules, _ = load_scenario(scenarios() / "empire-orders.yaml")
    assert scenario is not None and rules is not None
    changed = {form: {**rules.rows(form), **rows} for form, rows in forms.items()}
    if ends:
        changed["victory"] = {"soon": {"id": "soon", "kind": "game_end", "when": ends}}
    frame = (*rules.sequence, *([{"step": "score", "do": "score"}] if ends else []))
    other = replace(rules, forms={**rules.forms, **changed}, sequence=frame)
    made = new_game(folder, scenario, other, id_="again", seed=b"l" * 32)
    for _ in range(turns):
        if not made.stage().position.ended:
            resolve_turn(made, force=True)
    return made


def test_the_last_report_tells_of_luck(tmp_path: Path) -> None:
    made = empire(tmp_path / "game", ends="turn >= 2")
    assert made.stage().position.ended
    nation = next(iter(made.ruleset.rows("nations")))
    for reader in (nation, None):
        assert [p.title for p in report(made, reader).parts].count("Luck") == 1
        assert "Luck" not in {p.title for p in report(made, reader, turn=1).parts}
    found = luck(made, nation)
    assert found.ended and found.to_json() == luck(made).to_json() == luck(made, "").to_json()


def test_luck_is_found_once_and_the_same_by_several_processes(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    luck_found._luck.cache_clear()
    alone = luck(game).to_json()
    luck_found._luck.cache_clear()
    assert luck(game, workers=2).to_json() == alone
    monkeypatch.setattr(luck_found, "resolved_again", None)
    assert luck(game).to_json() == alone


@pytest.mark.parametrize("hands", [1, 2])
def test_the_last_reports_resolve_each_turn_once_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    made = empire(tmp_path / "game", ends="turn >= 3", turns=6)
    assert made.stage().position.ended
    nations = sorted(made.ruleset.rows("nations"))
    log, again = tmp_path / "log", luck_found.resolved_again
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))

    def resolved_again(game: Game, before: StoredPosition, *args: Any, **more: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{before.number}\n")
        return again(game, before, *args, **more)

    monkeypatch.setattr(luck_found, "resolved_again", resolved_again)
    monkeypatch.setattr(report_files, "_processes", lambda *_: hands)
    report_files.write_reports(made, tmp_path / "reports", [None, *nations], made.drawing())
    once = [number for number, _, _ in made.stages()][:-1]
    assert sorted(map(int, log.read_text().split())) == once
    luck_found._luck.cache_clear()  # as in another process
    report_files.write_reports(made, tmp_path / "later", [None, *nations], made.drawing())
    assert sorted(map(int, log.read_text().split())) == once, "what was found is kept"
    for file in sorted((tmp_path / "reports").iterdir()):
        assert (tmp_path / "later" / file.name).read_bytes() == file.read_bytes()
    texts = [(tmp_path / "reports" / f"{reader}.txt").read_text() for reader in ("moderator", *nations)]
    assert len(texts) > 3 and all("LUCK" in text for text in texts)


def test_luck_that_was_watched_is_that_which_is_found_by_resolving_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))
    made = empire(tmp_path / "game", turns=10)
    watch(made)
    while len(made.onlookers) < 4:
        resolve_turn(made, force=True)
    resolve_turn(made, force=True, practice=True)
    found = [number for number, _, _ in made.stages()][:-1]
    assert list(made.onlookers) == found[-4:], "the turns before were not watched, and practice is no turn"
    watched = luck(made).to_json()
    assert watched["throws"]
    of = luck_found.resolved_again
    luck_found._luck.cache_clear()
    monkeypatch.delattr(luck_found, "resolved_again")
    assert luck(Game.open(tmp_path / "game")).to_json() == watched, (
        "opened again, it is found where it is kept"
    )
    monkeypatch.setattr(luck_found, "resolved_again", of, raising=False)
    luck_found._luck.cache_clear()
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "elsewhere"))
    assert luck(Game.open(tmp_path / "game")).to_json() == watched, (
        "where it is not kept, every turn is resolved again"
    )
    for file in (tmp_path / "elsewhere" / "throws").iterdir():
        file.write_text("spoiled", encoding="utf-8")
    luck_found._luck.cache_clear()
    assert luck(Game.open(tmp_path / "game")).to_json() == watched, "what is spoiled there is as good as none"
    before = made.stage(found[-2])
    made.rollback(before.number, "a correction")
    assert list(made.onlookers) == found[-4:-2], "of what was dropped nobody knows"
    resolve_turn(made, force=True)
    again: list[int] = []
    monkeypatch.setattr(
        luck_found, "resolved_again", lambda g, b, *a, **m: again.append(b.number) or of(g, b, *a, **m)
    )
    luck_found._luck.cache_clear()
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "third"))
    assert luck(made).throws and again == found[:-4]


def test_what_is_thrown_again_has_luck_of_its_own(tmp_path: Path) -> None:
    rules = load_scenario(scenarios() / "empire-orders.yaml")[1]
    assert rules is not None
    row = rules.row("battles", "land-combat")
    again = {"reroll": {"who": "turn > 0", "most": 2, "in_all": 9}}
    stages = [{**stage, "resolve": {"sum": {**stage["resolve"]["sum"], **again}}} for stage in row["stages"]]
    made = empire(tmp_path / "game", turns=12, battles={"land-combat": {**row, "stages": stages}})
    thrown = [t for t in luck(made).throws if t.battle == "land-combat"]
    assert all(t.exact and sum(s.luck for s in t.shares.values()) == pytest.approx(0) for t in thrown)
    open_ = {(t.turn, t.subject) for t in thrown}  # where one side is sure to win no throw has luck
    told = [e for e in made.journal() if e.rule == "battles/land-combat" and e.data.get("event") == "round"]
    rounds = [e for e in told if (e.turn, e.subject) in open_]
    rethrown = sum(sum(e.data.get("again", {}).values()) for e in rounds)
    assert rethrown and len(thrown) == rethrown + len(rounds)
