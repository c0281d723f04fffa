"""The list of those who wait for a position (pbem-a.players.pool-and-picks): who may choose whom, and that the change is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import seats, stand_in, standing_of
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import view_world
from wteaw.store import Game, StoreError, Submission
from wteaw.store.pool import WaitingList


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game in which nobody commands Germany."""
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    new_game(
        tmp_path / "game", data, ruleset, id_="pool", seats={"german-empire": "vacant"}, seed=b"\x05" * 32
    )
    return tmp_path / "game"


@pytest.fixture
def game(folder: Path) -> Game:
    return Game.open(folder)


@pytest.mark.parametrize(
    ("name", "email", "side", "says"),
    [
        ("", "ann@example.org", "allied", "missing: name"),
        ("Ann", "", "", "missing: e-mail address, preferred side"),
        ("Ann", "ann", "allied", "no e-mail address"),
        ("Ann", "ann@example.org", "entente", "no side 'entente'"),
    ],
)
def test_the_list_needs_name_address_and_side(
    game: Game, name: str, email: str, side: str, says: str
) -> None:
    with pytest.raises(StoreError, match=says):
        WaitingList(game).add(name, email, side)
    assert WaitingList(game).candidates() == []


def test_a_side_fills_its_own_vacancies_and_the_moderator_the_others(game: Game) -> None:
    pool = WaitingList(game)
    pool.add("Ann", "ann@example.org", "allied")
    pool.add("Bob", "bob@example.org", "central")
    for nation, by, says in (
        ("german-empire", "allied", "central chooses, not allied"),
        ("german-empire", "moderator", "central chooses, not moderator"),
        ("spain", "allied", "moderator chooses, not allied"),
        ("sweden", "moderator", "no vacant position"),
    ):
        with pytest.raises(StoreError, match=says):
            pool.propose(nation, "Ann", by)
    with pytest.raises(StoreError, match="not on the list; there is Ann, Bob"):
        pool.propose("spain", "Cleo", "moderator")
    with pytest.raises(StoreError, match="nobody has been proposed"):
        pool.seat("german-empire")
    pool.propose("german-empire", "Bob", "central")
    with pytest.raises(StoreError, match="has not agreed"):
        pool.seat("german-empire")
    pool.agree("Bob")
    assert pool.seat("german-empire").status == "seated"
    assert seats(game)["german-empire"] == "player"


def test_a_position_is_proposed_to_one_at_a_time(game: Game) -> None:
    pool = WaitingList(game)
    for name in ("Ann", "Bob"):
        pool.add(name, f"{name}@example.org", "central")
    pool.propose("german-empire", "Ann", "central")
    pool.agree("Ann")
    pool.propose("german-empire", "Bob", "central")
    assert [(c.name, c.nation, c.status) for c in pool.candidates()] == [
        ("Ann", "", "waiting"),
        ("Bob", "german-empire", "proposed"),
    ]


def test_the_new_player_is_waited_for_at_once_and_the_journal_says_so(game: Game, folder: Path) -> None:
    assert "german-empire" not in game.awaited()
    pool = WaitingList(game)
    pool.add("Bobolink", "bobolink@example.org", "central")
    pool.propose("german-empire", "Bobolink", "central")
    pool.agree("Bobolink")
    pool.seat("german-empire")
    assert "german-empire" in game.awaited()
    with pytest.raises(StoreError, match="no orders yet from German Empire"):
        resolve_turn(game)
    resolve_turn(game, force=True)
    assert game.stage().position.state.get("nations", "german-empire", "seat") == "player"
    said = [e for e in game.journal(turn=1) if e.data.get("seat")]
    assert [(e.subject, e.audience) for e in said] == [("german-empire", ("everyone",))]
    assert [c["what"] for c in Game.open(folder).corrections()] == ["command"]
    assert "bobolink" not in str(view_world(game, "french-empire").state.tables).lower(), (
        "names are the moderator's"
    )
    game.rollback(1, "the wrong Bob")
    assert game.commands() == {"german-empire": "player"}, "what was decided at that stage stands"


def test_who_leaves_is_off_the_list_and_his_position_vacant(game: Game) -> None:
    pool = WaitingList(game)
    pool.add("Bob", "bob@example.org", "central")
    pool.propose("german-empire", "Bob", "central")
    pool.agree("Bob")
    pool.seat("german-empire")
    pool.leave("german-empire")
    assert pool.candidates() == [] and "german-empire" not in game.awaited()
    told = standing_of(game)
    assert told["vacant"] == ["german-empire"], "not those that bots play"
    assert any("has no player: `wteaw players list`" in line for line in told["moderator"])
    with pytest.raises(StoreError, match="nobody commands"):
        pool.leave("german-empire")


def test_the_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        code = _run(["players", *arguments, "--game", str(folder)])
        out = capsys.readouterr()
        return code, out.out + out.err

    assert run("add", "Ann", "--email", "ann@example.org")[0] == 2
    assert run("add", "Ann", "--email", "ann@example.org", "--side", "Central Powers")[0] == 0
    code, text = run("list")
    assert code == 0 and "Ann <ann@example.org> would join Central Powers" in text
    assert "German Empire is vacant (a position in the main war): Central Powers chooses" in text
    assert "Spain is vacant (a major neutral): the moderator chooses" in text
    assert run("propose", "Germany", "Ann", "--by", "moderator")[0] == 3
    assert run("propose", "Germany", "Ann", "--by", "central")[0] == 0
    assert run("agree", "Ann")[0] == 0
    code, text = run("seat", "Germany")
    assert code == 0 and "Ann commands German Empire from turn 1 on" in text
    assert '"status": "seated"' in run("list", "--format", "json")[1]
    assert run("leave", "Germany")[0] == 0 and run("remove", "Ann")[0] == 2


def test_the_days_of_the_turns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["schedule", "--start", "2004-05-01", "--turns", "2", "--game", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "Turn 1: update 2004-05-01; corrections 2004-05-01, 2004-05-02; orders from 2004-05-03"
    )
    assert lines[2].startswith("Turn 2: update 2004-05-11") and lines[3].endswith("next update 2004-05-21")
    assert _run(["schedule", "--start", "May"]) == 2 and "2004-05-01" in capsys.readouterr().err


def test_an_ally_gives_orders_for_a_nation_that_has_sent_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    seats = dict.fromkeys(("serbia", "russian-empire", "italy"), "player")
    begun = new_game(tmp_path / "g", data, ruleset, id_="g", seats=seats, seed=b"\x05" * 32)
    resolve_turn(begun, force=True)  # nobody deploys: that is no missed turn
    assert not begun.stage().position.state.table("facts")
    file = tmp_path / "orders.txt"
    file.write_text("build 1 infantry in macedonia\n")

    def submit(nation: str, *more: str) -> tuple[int, str]:
        code = _run(["orders", "submit", str(file), "--game", str(tmp_path / "g"), "--nation", nation, *more])
        return code, capsys.readouterr().err

    assert "may not give orders for Serbia" in submit("serbia", "--proxy", "austria-hungary")[1]
    assert "may not give orders for Serbia" in submit("serbia", "--proxy", "italy")[1], "a neutral is no ally"
    assert submit("serbia", "--proxy", "russia")[0] == 0
    again = Game.open(tmp_path / "g")
    outcome = resolve_turn(again, force=True)
    assert outcome.missing == ("italy", "russian-empire")
    bought = [e for e in again.journal(turn=1) if e.subject.startswith("serbia") and "buys" in e.text]
    assert [e.text for e in bought] == ["Serbia buys 1 infantry for Macedonia: 5 resource points."], (
        "nobody else buys for it"
    )
    facts = again.stage().position.state.table("facts").values()
    assert {f["by"] for f in facts if f["word"] == "missed"} == {"italy", "russian-empire", "serbia"}


def test_no_ally_stands_in_for_who_has_sent_orders(tmp_path: Path) -> None:
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    options = {"free-deployment": False}
    begun = new_game(
        tmp_path / "g", data, ruleset, id_="g", seats={"serbia": "player"}, options=options, seed=b"\x05" * 32
    )
    begun.submit(Submission("serbia", "", [], {}))
    with pytest.raises(StoreError, match="has sent its own orders"):
        stand_in(begun, "russian-empire", Submission("serbia", "", [], {}))
