"""Trust: who may order, dice that a player checks for themselves, games that have been tampered with."""

from __future__ import annotations

import copy
import json
import runpy
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from wteaw.cli import _run
from wteaw.core import canonical
from wteaw.play.begin import new_game
from wteaw.play.proofs import Published, check, position_after, revealed
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.verify import audit, broken_chain
from wteaw.play.views import Views
from wteaw.report.render import as_text
from wteaw.report.turn_reports import report as report_of
from wteaw.store import Game, StoreError, ledger
from wteaw.world.view import chain_of, readable
from wteaw.world.world import World

from .long_ones import LONG

ROOT = Path(__file__).parents[1]
NATION = "german-empire"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = _run(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of two players after a turn of orders, with what was published and shown beside it."""
    place = tmp_path_factory.mktemp("trust")
    data, ruleset, _ = load_scenario(ROOT / "scenarios" / "1914.yaml")
    assert data is not None and ruleset is not None
    seats = {NATION: "player", "french-empire": "player"}
    game = new_game(
        place / "g", data, ruleset, id_="g", seats=seats, options={"free-deployment": False}, seed=b"t" * 32
    )
    published = {"anchor": game.head["anchor"], "commitment": json.loads(json.dumps(_plain(game)))}
    (place / "published.json").write_text(json.dumps(published))
    for nation, text in (
        (NATION, "declare war on belgium\nmove 10 infantry from cologne to belgium\n"),
        ("french-empire", ""),
    ):
        file = place / f"{nation}.txt"
        file.write_text(f"game g nation {nation} turn 1\n{text}")
        assert _run(["orders", "submit", str(file), "--game", str(place / "g"), "--nation", nation]) == 0
    game = Game.open(place / "g")
    (place / "salts.json").write_text(
        json.dumps({"game": "g", "turn": 1, "attempt": 0, "salts": game.close()})
    )
    resolve_turn(game)
    (place / "turn.json").write_text(json.dumps(revealed(game, 1, NATION)))
    game.engine.dispose()
    return place


def _plain(game: Game) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(game.stage().commitment)


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


def checked(folder: Path, data: Any, **changes: Any) -> Any:
    known = Published.read(
        changes.get("published", read(folder, "published.json")),
        changes.get("salts", read(folder, "salts.json")),
    )
    return check(
        data, known, orders=changes.get("orders", (folder / f"{NATION}.txt").read_bytes()), nation=NATION
    )


# --- dice ---------------------------------------------------------------------------------------------------------


def test_every_die_that_a_player_was_shown_comes_out_the_same(folder: Path) -> None:
    """Given a turn with a battle of several nations, the player checks all of their dice, those of the battle too."""
    data = read(folder, "turn.json")
    verdict = checked(folder, data)
    assert (
        not verdict.wrong
        and verdict.own_salt
        and verdict.checked == verdict.shown > 20
        and not verdict.unchecked
    )
    groups = [r for r in data["dice"] if "+" in r["audience"]]
    assert groups and all(NATION in r["audience"] or "central" in r["audience"] for r in groups)


def _battle(data: Any) -> Any:
    return next(r for r in data["dice"] if "+" in r["audience"])


def _face(data: Any) -> None:
    drawn = _battle(data)["drawn"][0]
    drawn["faces"][0] = drawn["faces"][0] % 10 + 1
    drawn["total"] = sum(drawn["faces"])


def _die(data: Any) -> None:
    _battle(data)["drawn"][0]["die"] += "+1"


def _use(data: Any) -> None:
    _battle(data)["use"] += 1


def _subject(data: Any) -> None:
    _battle(data)["subject"] += "x"


def _key(data: Any) -> None:
    data["openings"][0]["key"] = data["openings"][1]["key"]


def _path(data: Any) -> None:
    data["openings"][0]["path"] = data["openings"][0]["path"][:-1]


def _group(data: Any) -> None:
    opening = next(o for o in data["openings"] if "+" in o["audience"])
    opening["audience"] += "+zz"


def _turn(data: Any) -> None:
    data["turn"] = 2


def _hit(data: Any) -> None:
    told = next(
        r
        for r in data["dice"]
        if isinstance(r.get("hit"), bool) and " or " in str(r.get("need")) and len(r["drawn"]) == 1
    )
    told["hit"] = not told["hit"]


def _nonsense(data: Any) -> None:
    data["dice"] = [{"drawn": "x"}]


@pytest.mark.parametrize("forge", [_face, _die, _use, _subject, _key, _path, _group, _turn, _hit, _nonsense])
def test_forged_dice_fail(folder: Path, forge: Callable[[Any], None]) -> None:
    data = read(folder, "turn.json")
    forge(data)
    assert checked(folder, data).wrong


def test_nothing_is_taken_on_trust_from_the_file(folder: Path) -> None:
    """A made-up mix, salt, commitment or order file fails, whatever the file itself says."""
    data = read(folder, "turn.json")
    salts, published = read(folder, "salts.json"), read(folder, "published.json")
    masked = salts["salts"][NATION]
    forged = {**salts, "salts": {**salts["salts"], NATION: masked[::-1]}}
    assert "mix" in checked(folder, {**data, "mix": "0" * 64}).wrong, (
        "what the file says of it is not read, but noticed"
    )
    assert checked(folder, data, salts=forged).wrong
    assert checked(folder, data, salts={**salts, "salts": {NATION: masked}}).wrong, "a salt left out"
    assert checked(folder, data, orders=b"game g nation german-empire turn 1\n").own_salt is False
    made = copy.deepcopy(published)
    made["commitment"]["root"] = made["commitment"]["root"][::-1]
    assert checked(folder, data, published=made).wrong
    with pytest.raises(ValueError, match="turn 2"):
        checked(folder, data, salts={**salts, "turn": 2})


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [*value[:-1], _other(value[-1])] if value else ["x"]
    if isinstance(value, dict):
        return {**value, next(iter(value)): _other(next(iter(value.values())))}
    return f"{value}x" if value else "x"


def test_every_change_of_any_field_is_noticed_and_named(folder: Path) -> None:
    """Each field of the file in turn, in two throws and two keys of each kind, and of what was published; one more, one less."""
    data, published, salts = (read(folder, f"{name}.json") for name in ("turn", "published", "salts"))
    program = runpy.run_path(str(ROOT / "tools" / "verify_dice.py"))

    def wrong(made: Any, said: Any = published, listed: Any = salts) -> str:
        with pytest.raises(Exception) as raised:  # its own kind, or one of a file that is no such file
            program["verify"](made, said, listed["salts"], None)
        assert str(raised.value)
        return str(checked(folder, made, published=said, salts=listed).wrong)

    for field in sorted(set(data) - {"openings", "dice", "sums"}):
        assert field in (said := wrong({**data, field: _other(data[field])})) or "turn" in said, field
    seen: set[tuple[Any, ...]] = set()
    for what, name in (("dice", "throw"), ("openings", "key")):
        for n, part in enumerate(data[what]):
            shape = (what, "+" in part["audience"], part.get("hit"), len(part.get("drawn", ())))
            if shape in seen:
                continue
            seen.add(shape)
            for field in part:
                made = copy.deepcopy(data)
                made[what][n][field] = _other(part[field])
                said = wrong(made)
                assert (
                    f"{name} {n + 1}" in said or field in said or part["audience"] in said or "reveal" in said
                ), (field, said)
                del made[what][n][field]
                assert wrong(made)
        assert wrong({**data, what: data[what][:-1]}) and wrong({**data, what: [*data[what], data[what][0]]})
    for part in data["sums"]:
        assert wrong({**data, "sums": {**data["sums"], part: _other(data["sums"][part])}})
    assert wrong({**data, "sums": {}})
    assert (
        wrong(data, {**published, "anchor": published["anchor"][::-1]})
        == "anchor of what was published is not what it was"
    )
    for field, value in published["commitment"].items():
        made = {**published, "commitment": {**published["commitment"], field: _other(value)}}
        if field == "attempt":  # what it is then not, is the attempt of the salts
            with pytest.raises(ValueError, match="attempt"):
                checked(folder, data, published=made)
        elif field not in ("game", "turn"):
            assert wrong(data, made), field
    for nation, value in salts["salts"].items():
        assert wrong(data, published, {**salts, "salts": {**salts["salts"], nation: value[::-1]}})
    throws = enumerate(data["dice"])
    number = next(
        n
        for n, r in throws
        if " or " in str(r.get("need")) and isinstance(r.get("hit"), bool) and len(r["drawn"]) == 1
    )
    alone = copy.deepcopy(data)
    alone["dice"][number]["need"] = "1 or more" if alone["dice"][number]["hit"] else "99 or more"
    assert wrong(alone) == f"need of throw {number + 1} is not what it was", (
        "a number to reach that fits, too"
    )


def test_the_command_wants_what_was_published(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["dice", "verify", str(folder / "turn.json")]
    assert run(capsys, *words)[0] == 2
    words += ["--published", str(folder / "published.json"), "--salts", str(folder / "salts.json")]
    code, out, _ = run(capsys, *words)
    assert code == 0 and "come out the same" in out and "was not checked" in out
    code, out, _ = run(capsys, *words, "--orders", str(folder / f"{NATION}.txt"), "--nation", NATION)
    assert code == 0 and "Your own file took part" in out
    assert run(capsys, "dice", "verify", "/dev/zero", *words[3:])[0] == 2


def test_a_program_written_from_the_page_agrees(folder: Path, tmp_path: Path) -> None:
    """The verifier that has nothing but the standard library finds the same, and finds a forged face."""
    program = [sys.executable, "-I", str(ROOT / "tools" / "verify_dice.py")]
    rest = [str(folder / "published.json"), str(folder / "salts.json"), str(folder / f"{NATION}.txt"), NATION]
    true = subprocess.run([*program, str(folder / "turn.json"), *rest], capture_output=True, text=True)
    n = checked(folder, read(folder, "turn.json")).checked
    assert (true.returncode, true.stdout) == (0, f"{n} of {n} dice come out the same.\n")
    data = read(folder, "turn.json")
    _face(data)
    (tmp_path / "forged.json").write_text(json.dumps(data))
    false = subprocess.run([*program, str(tmp_path / "forged.json"), *rest], capture_output=True, text=True)
    assert false.returncode == 1 and "WRONG" in false.stdout


# --- who may order ------------------------------------------------------------------------------------------------


def test_a_head_is_never_enough(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = ["--game", str(folder / "g")]
    file = tmp_path / "orders.txt"
    file.write_text("game g nation french-empire turn 2\n")
    code, _, err = run(capsys, "orders", "submit", str(file), *game)
    assert code == 2 and "--key" in err
    key = run(capsys, "players", "key", NATION, *game)[1].strip()
    code, out, _ = run(capsys, "orders", "submit", str(file), *game, "--key", key)
    assert code == 1 and "Nothing was submitted" in out
    file.write_text("game g nation german-empire turn 2\n# nothing\n")
    assert run(capsys, "orders", "submit", str(file), *game, "--key", key)[0] == 0
    assert Game.open(folder / "g").submissions()[NATION].by == "player"
    assert (
        run(capsys, "orders", "submit", str(file), *game, "--key", key, "--nation", "french-empire")[0] == 3
    )
    assert run(capsys, "players", "key", NATION, "--revoke", *game)[0] == 0
    code, _, err = run(capsys, "orders", "submit", str(file), *game, "--key", key)
    assert code == 3 and "revoked" in err
    stored = (folder / "g" / "game.db").read_bytes()
    assert key.encode() not in stored


@pytest.mark.parametrize(
    "head", ["game g nation german-empire turn 7", "game other nation german-empire turn 2"]
)
def test_a_file_for_another_time_or_game_changes_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], head: str
) -> None:
    game = ["--game", str(folder / "g"), "--nation", NATION]
    good, stale = tmp_path / "good.txt", tmp_path / "stale.txt"
    good.write_text("game g nation german-empire turn 2\nbuild 1 infantry in berlin\n")
    stale.write_text(f"{head}\nbuild 2 infantry in berlin\n")
    assert run(capsys, "orders", "submit", str(good), *game)[0] == 0
    code, out, _ = run(capsys, "orders", "submit", str(stale), *game)
    assert code == 1 and "1 order submitted before still counts" in out
    assert [o["text"] for o in Game.open(folder / "g").submissions()[NATION].orders] == [
        "build 1 infantry in berlin"
    ]


def test_a_mail_without_orders_replaces_nothing_but_an_empty_form_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: Path
) -> None:
    game = ["--game", str(folder / "g"), "--nation", NATION]
    file = tmp_path / "orders.txt"
    for text, code, left in (
        ("build 1 infantry in berlin\n", 0, 1),
        ("Hello moderator,\nhow are you?\nBest regards\n", 1, 1),
        (" \n", 1, 1),
        ("build 1 infantry in berlin\n" * 20_000, 1, 1),
        ("# all stay where they are\nend\n", 0, 0),
    ):
        file.write_text(text)
        assert run(capsys, "orders", "submit", str(file), *game)[0] == code
        assert len(Game.open(folder / "g").submissions()[NATION].orders) == left


def test_an_earlier_file_can_count_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = ["--game", str(folder / "g"), "--nation", "french-empire"]
    file = tmp_path / "orders.txt"
    for number in (1, 2):
        file.write_text(f"game g nation french-empire turn 2\nbuild {number} infantry in paris\n")
        assert run(capsys, "orders", "submit", str(file), *game)[0] == 0
    listed = json.loads(run(capsys, "orders", "show", *game, "--format", "json")[1])
    assert "build 2 infantry" in listed["orders"][0]["text"] and listed["by"] == "moderator"
    first = listed["files"][-2]["number"]
    assert run(capsys, "orders", "back", "--to", str(first), *game)[0] == 0
    assert "1 infantry in Paris" in run(capsys, "orders", "show", *game)[1]
    assert run(capsys, "orders", "back", "--to", "999", *game)[0] == 2


# --- games that were changed by hand ------------------------------------------------------------------------------


def tampered(
    folder: Path, tmp_path: Path, *changes: tuple[str, tuple[Any, ...]], chained: bool = False
) -> Game:
    """A copy of the game with some rows of its database changed; `chained`: and the chain of what it has kept made again."""
    (tmp_path / "g").mkdir()
    source, target = sqlite3.connect(folder / "g" / "game.db"), sqlite3.connect(tmp_path / "g" / "game.db")
    source.backup(target)
    for statement, values in changes:
        assert target.execute(statement, values).rowcount
    target.commit()
    target.close()
    source.close()
    game = Game.open(tmp_path / "g")
    if chained:
        with game.writing() as db:
            rows = list(ledger.rows(db, game.id))
            db.execute(delete(ledger.ledger).where(ledger.ledger.c.game == game.id))
            for what, row in rows:
                ledger._note(db, game.id, what, row)
    return game


def fault(game: Game) -> str:
    return next((f"{what}: {wrong}" for what, wrong in audit(game) if wrong), "")


def test_a_true_game_is_found_true(folder: Path, tmp_path: Path) -> None:
    assert fault(tampered(folder, tmp_path)) == ""


def _entry(folder: Path, number: int) -> Any:
    with sqlite3.connect(folder / "g" / "game.db") as db:
        return canonical.loads(
            db.execute("select body from entries where number = ?", (number,)).fetchone()[0]
        )


def test_an_edited_entry_is_noticed_before_the_next_turn(folder: Path, tmp_path: Path) -> None:
    body = {**_entry(folder, 5), "happened": [{"template": "something else", "slots": {}}]}
    game = tampered(
        folder, tmp_path, ("update entries set body = ? where number = 5", (canonical.dumps(body).decode(),))
    )
    assert "entry 5" in str(broken_chain(game))
    with pytest.raises(StoreError, match="entry 5"):
        resolve_turn(game, force=True)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("delete from entries where number = (select max(number) from entries)", "missing"),
        ("delete from entries where number = 7", "entry 8"),
        ("update positions set state = turn_start where number = 2", "state"),
        ("update positions set head = turn_start where number = 2", "missing"),
        ("update games set anchor = substr(anchor, 2) || 'a'", "anchor"),
        (
            'update positions set commitment = replace(commitment, \'"root":"\', \'"root":"0\') where number = 2',
            "commitment",
        ),
        ("update positions set attempt = 4 where number = 2", "commitment"),
        ("update salts set salt = substr(salt, 2) || 'a' where turn = 1", "salt"),
        ("update turns set salts = replace(salts, 'a', 'b') where turn = 1", "salts"),
        ("update inputs set orders = '[]' where nation = 'german-empire' and position = 1", "orders"),
        (
            "update inputs set answers = '{\"x\":\"y\"}' where nation = 'german-empire' and position = 1",
            "commitment",
        ),
        ("update entries set turn = 2 where number = 5", "entry 5"),
        ("update entries set position = 3 where number = 5", "entry 5"),
        ("update handins set at = '2020-01-01T00:00:00+00:00' where number = 1", "commitment"),
    ],
)
def test_what_was_changed_by_hand_is_noticed(
    folder: Path, tmp_path: Path, statement: str, words: str
) -> None:
    """By whoever makes the chain again as well: what rests on it, or what was published, does not fit it any more."""
    assert words in fault(tampered(folder, tmp_path, (statement, ()), chained=True))


def test_a_swapped_state_is_noticed(folder: Path, tmp_path: Path) -> None:
    swap = "update states set content = (select content from states s where s.hash != states.hash limit 1)"
    assert "state" in fault(tampered(folder, tmp_path, (swap, ())))


def test_verify_says_what_is_wrong(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tampered(folder, tmp_path, ("delete from entries where number = 7", ()))
    game.engine.dispose()
    code, out, _ = run(capsys, "verify", "--game", str(tmp_path / "g"), "--format", "json")
    assert code == 1 and not json.loads(out)["right"]
    code, out, _ = run(capsys, "verify", "--game", str(folder / "g"))
    assert code == 0 and "every turn resolved again" in out


# --- what was known then ------------------------------------------------------------------------------------------


def test_a_past_report_tells_what_was_known_then(folder: Path, tmp_path: Path) -> None:
    """After a change of sides, the report of the turn before reads as it did."""
    game = tampered(folder, tmp_path)
    then = as_text(report_of(game, NATION, turn=1, template=False))
    resolve_turn(game, force=True)
    later = as_text(report_of(game, NATION, turn=1, template=False))
    then = then.partition("the next turn's dice")[0]  # what was committed for the turn after is past
    assert later.splitlines() == then.splitlines() and "the next turn's dice" not in later
    for turn in (0, 99):
        with pytest.raises(StoreError, match="no turn"):
            report_of(game, NATION, turn=turn)


@LONG
def test_what_was_told_goes_on_from_report_to_report_for_whoever_changes_sides(tmp_path: Path) -> None:
    """Given a nation that joins a side and leaves it, each report's chain begins where the one before ended; also those of the past."""
    data, ruleset, _ = load_scenario(ROOT / "scenarios" / "1914.yaml")
    assert data is not None and ruleset is not None
    game = new_game(
        tmp_path / "g",
        data,
        ruleset,
        id_="g",
        seats={NATION: "player"},
        options={"free-deployment": False},
        seed=b"c" * 32,
    )
    nations = sorted(ruleset.rows("nations"))
    heads: dict[tuple[int, str], str] = {}
    for turn in (1, 2, 3):
        resolve_turn(game, force=True)
        views = Views(game)
        for nation in nations:
            before = chain_of(views.told_before(turn, nation))
            now = chain_of(readable(views.of(turn), views.world(nation), nation), before)
            assert before == heads.get((turn - 1, nation), before if turn == 1 else None), (turn, nation)
            heads[turn, nation] = now
    for turn in (1, 2, 3):
        for nation in nations[:6]:
            said = dict(report_of(game, nation, turn=turn, template=False).proof)["what was told you"]
            assert heads[turn, nation].startswith(said)
    sides = {
        n: [World(ruleset, position_after(game, t).state).side_of(n) for t in (1, 2, 3)] for n in nations
    }
    assert any(len(set(s)) > 1 for s in sides.values()), "some nation joins a side, or this shows nothing"
    views = Views(game)
    for nation, known in sides.items():
        assert [views._side_after(t, nation) for t in (1, 2, 3)] == known
