"""Games on disk: kept whole, resumed in another process, rolled back, decided, upgraded; a killed process loses nothing."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from wteaw.cli import _run
from wteaw.core.faults import MachineError
from wteaw.core.journal import replay, verify_chain
from wteaw.play.explain import Unknown, why
from wteaw.play.rollback_preview import compare, first_difference
from wteaw.store import Game, StoreError, Submission
from wteaw.store.games import TABLES
from wteaw.store.schema import metadata

from . import small

FRAME = [
    {"input": "orders", "from": "everyone"},
    {"phase": "court", "steps": [{"step": "actions", "do": "act", "actions": ["dig"]}]},
    {"phase": "luck", "steps": [{"step": "luck", "do": "moment"}]},
]
RULES = small.ruleset(FRAME, actions=[small.DIG], events=[small.LUCK])


def new(folder: Path, *players: str) -> Game:
    state = small.state(game={"game": {"turn": 0}})
    for nation in players:
        state.put("nations", nation, "seat", "player")
    return Game.create(folder, RULES, {"title": "Small"}, state, id_="small", seed=b"s" * 32)


def send(game: Game, nation: str, times: int = 1, by: str = "player") -> None:
    game.submit(
        Submission(nation, "dig\n" * times, [small.order("dig", n) for n in range(1, times + 1)], {}, by)
    )


def test_a_game_is_read_without_sqlalchemy_and_what_others_write_meanwhile_is_seen(tmp_path: Path) -> None:
    game = new(tmp_path / "g", "red")
    code = f"""import sys; from pathlib import Path; from wteaw.store import Game; g = Game.open(Path({str(tmp_path / "g")!r}))
print(g.head["title"], g.stages(), len(g.journal()), sorted(g.submissions()), g.turn_record(1).closed, flush=True)
input()
print(sorted(g.submissions()), g.hand_ins_of(1, "red")[0].submission.text.strip(), g.turn_record(1).closed)
print("sqlalchemy" in sys.modules)
g.decide("blue", "offer", "no")
print(g.decided(), [c["what"] for c in g.corrections()], "sqlalchemy" in sys.modules)"""
    reader = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    before = reader.stdout.readline()
    send(game, "red")
    game.close()
    after, _ = reader.communicate("\n", timeout=60)
    assert before == f"Small {[(1, 1, 'orders')]} {len(game.journal())} [] 0\n"
    assert after.splitlines() == [
        "['red'] dig 1",
        "False",
        "{'blue': {'offer': 'no'}} ['late', 'decide'] True",
    ]


def test_the_tables_that_a_game_has_to_have_are_those_it_is_made_with() -> None:
    assert frozenset(metadata.tables) == TABLES


def test_a_game_goes_on_in_another_place(tmp_path: Path) -> None:
    game = new(tmp_path / "g")
    send(game, "red", 2)
    game.resolve()
    again = Game.open(tmp_path / "g")
    assert again.stages() == [(1, 1, "orders"), (2, 2, "orders")]
    assert again.stage().position.state.hash() == game.stage().position.state.hash()
    again.resolve()
    rows = [e.to_json() for e in again.journal()]
    assert verify_chain(rows) is None and rows[-1]["hash"] == again.stage().position.head
    first = again.stage(1).position.state
    assert (
        replay(first, [r for r in rows if r["n"] > again.stage(1).position.entries])
        == again.stage().position.state
    )
    assert again.ruleset.hash == RULES.hash


def test_a_second_game_does_not_overwrite_the_first(tmp_path: Path) -> None:
    new(tmp_path)
    with pytest.raises(StoreError, match="holds a game"):
        new(tmp_path)
    with pytest.raises(StoreError, match="holds no game"):
        Game.open(tmp_path / "nothing")


@pytest.mark.parametrize("links", [True, False])
def test_of_two_games_that_are_begun_in_one_folder_at_once_one_is_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Whoever is told that the game has begun has the game that is there."""

    def no_links(*_: object) -> None:
        raise OSError("not on this file system")

    if not links:
        monkeypatch.setattr("os.link", no_links)
    write, waiting = Game._write_first.__func__, threading.Barrier(2)

    def together(cls: type[Game], *args: Any) -> None:
        write(cls, *args)
        waiting.wait(20)

    monkeypatch.setattr(Game, "_write_first", classmethod(together))
    came: list[object] = []

    def begin(seed: bytes) -> None:
        try:
            game = Game.create(
                tmp_path / "g",
                RULES,
                {"title": "Small"},
                small.state(game={"game": {"turn": 0}}),
                id_="small",
                seed=seed,
            )
            came.append(game.head["anchor"])
        except StoreError as error:
            came.append(str(error))

    both = [threading.Thread(target=begin, args=(bytes([n]) * 32,)) for n in (1, 2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    told = [c for c in came if "holds a game already" not in str(c)]
    assert len(came) == 2 and told == [Game.open(tmp_path / "g").head["anchor"]]
    assert [p.name for p in (tmp_path / "g").glob("*.new*")] == []


def test_the_last_orders_before_the_deadline_count(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red", 3)
    send(game, "red", 1)
    game.resolve()
    assert sum(e.rule == "actions/dig" for e in game.journal(position=2)) == 1


def test_entries_of_a_position_are_found_by_it_and_come_in_order(tmp_path: Path) -> None:
    """Whoever goes through a long game position by position must not read all of it for each."""
    game = new(tmp_path)
    send(game, "red", 3)
    game.resolve()
    game.resolve()
    asked: list[tuple[str, Any]] = []

    def keep(_: Any, __: Any, statement: str, given: Any, *___: Any) -> None:
        asked.append((statement, given))

    event.listen(game.engine, "before_cursor_execute", keep)
    found = [game.journal(position=n) for n, _, _ in game.stages()]
    event.remove(game.engine, "before_cursor_execute", keep)
    assert [e.n for part in found for e in part] == [e.n for e in game.journal()]
    with game.engine.connect() as db:
        for statement, given in asked:
            if "FROM entries" in statement:
                plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all()
                assert [row[3] for row in plan] == [
                    "SEARCH entries USING INDEX ix_entries_position (position=?)"
                ]


def test_orders_of_policies_are_resolved_as_they_are_kept(tmp_path: Path) -> None:
    game = new(tmp_path)
    order = {**small.order("dig"), "slots": {"second": 2, "first": 1}}
    result = game.resolve([Submission("red", "dig", [order], {}, "policy")])
    taken = next(
        c[4] for e in result.entries for c in e.changes if c[0] == "orders" and c[4] and "slots" in c[4]
    )
    assert list(taken["slots"]) == list(game.submissions(1)["red"].orders[0]["slots"]) == ["first", "second"]


def test_a_dry_run_keeps_nothing(tmp_path: Path) -> None:
    game = new(tmp_path)
    before = game.stages(), len(game.journal())
    dry = game.resolve(dry=True)
    assert (game.stages(), len(game.journal())) == before
    assert game.resolve().position.head == dry.position.head


def test_rolling_back_and_playing_again_gives_the_same(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    first = game.resolve().position.head
    game.resolve()
    game.rollback(1, "an order was misread")
    assert game.stage().number == 1 and not [e for e in game.journal() if e.step == "luck"]
    assert game.submissions()["red"].text == "dig\n"
    assert game.resolve().position.head == first
    assert game.corrections() == [
        {
            "what": "rollback",
            "from": 3,
            "to": 1,
            "turn": 1,
            "stage": 1,
            "reason": "an order was misread",
            "fresh": False,
        }
    ]
    with pytest.raises(StoreError, match="choose an earlier"):
        game.rollback(9, "x")


def test_fresh_dice_are_another_attempt_under_another_commitment(tmp_path: Path) -> None:
    game = new(tmp_path)
    before = game.stage().commitment
    first = game.resolve(dry=True).position.head
    game.give_fresh_dice("everybody agreed")
    assert game.stage().commitment != before and game.resolve(dry=True).position.head != first


def luck_after(folder: Path, *texts: str) -> object:
    """The dice of turn 1 after red has handed in these texts, one after the other."""
    folder.mkdir()
    game = new(folder, "red")
    for text in texts:
        game.submit(Submission("red", text, [], {}))
    return [e.dice for e in game.resolve().entries if e.rule == "events/luck"]


def test_a_players_first_file_takes_part_in_the_dice(tmp_path: Path) -> None:
    one, two = luck_after(tmp_path / "a", "# one"), luck_after(tmp_path / "b", "# two")
    assert one != two
    assert luck_after(tmp_path / "c", "# one", "# a correction") == one


def test_a_corrected_order_leaves_all_other_luck_alone(tmp_path: Path) -> None:
    """Given a turn that is taken back and an order corrected, only what the order itself rolls is another."""
    game = new(tmp_path)
    send(game, "red")
    send(game, "blue")
    before = {(e.rule, e.subject): e.dice for e in game.resolve().entries}
    assert not game.rollback(1, "an order was misread")
    send(game, "red", times=2)
    after = {(e.rule, e.subject): e.dice for e in game.resolve().entries}
    assert {k: after[k] for k in before if "events" in k[0]} == {
        k: d for k, d in before.items() if "events" in k[0]
    }


def test_known_dice_are_never_rolled_again(tmp_path: Path) -> None:
    """Once keys are out, going back rolls again under the next attempt; attempts are not used twice; everybody can read why."""
    game = new(tmp_path)
    send(game, "red")
    heads = [game.resolve().position.head]
    for attempt in (1, 2):
        game.note_opened(1)
        assert game.rollback(1, "a map was wrong")
        assert game.stage().attempt == attempt and game.salts(1) == {}
        heads.append(game.resolve().position.head)
    assert len(set(heads)) == 3
    game.resolve()
    game.note_opened(1)
    game.note_opened(2)
    game.rollback(1, "once more")
    assert game.stage().attempt == 3
    game.resolve()
    assert (game.stage().position.turn, game.stage().attempt) == (2, 1)
    assert [(c["turn"], c["fresh"], c["reason"]) for c in game.corrections()][-1] == (1, True, "once more")


def test_orders_that_come_too_late_are_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    game, late = new(tmp_path), Game.open(tmp_path)
    send(game, "red")
    late.stage()
    game.resolve()
    with pytest.raises(StoreError, match="moved on"):
        send(late, "blue")
    send(late, "blue")  # looked at again
    assert set(late.submissions()) == {"blue"} and set(game.submissions(1)) == {"red"}
    game.close()
    with pytest.raises(StoreError, match="closed"):
        send(game, "red")
    send(game, "red", by="moderator")
    assert set(game.submissions()) == {"red", "blue"}


def test_of_two_resolves_one_was_first(tmp_path: Path) -> None:
    game, other = new(tmp_path), Game.open(tmp_path)
    other.stage()
    game.resolve()
    with pytest.raises(StoreError, match="moved on"):
        other.resolve()
    assert other.stage().number == 2


def test_a_game_ends_where_its_secrets_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wteaw.store.games.MAX_TURNS", 2)
    game = new(tmp_path)
    game.resolve()
    before = game.stages()
    with pytest.raises(StoreError, match="sworn for 2 turns"):
        game.resolve()
    assert game.stages() == before


def test_real_dice_are_rolled_on_published_salts_only(tmp_path: Path) -> None:
    game = new(tmp_path, "red")
    send(game, "red")
    with pytest.raises(StoreError, match="closed orders"):
        game.resolve(dry=True)
    practice = game.resolve(practice=True)
    assert game.stage().number == 1 and game.salts(1) == {}
    published = game.close()
    assert set(published) == {"red"} and game.close() == published == game.salts(1)
    assert game.resolve(dry=True).position.head == game.resolve().position.head != practice.position.head


def test_what_a_disk_does_is_said_in_a_sentence(tmp_path: Path) -> None:
    game = new(tmp_path / "game")
    file = tmp_path / "game" / "game.db"
    game.engine.dispose()
    whole = file.read_bytes()
    file.write_bytes(b"no database at all " * 300)
    with pytest.raises(StoreError, match="damaged"):
        Game.open(tmp_path / "game")
    file.write_bytes(whole)
    assert Game.open(tmp_path / "game").stage().number == 1
    with sqlite3.connect(file) as db:
        db.execute("update states set content = x'00'")
    with pytest.raises(StoreError, match="damaged"):
        Game.open(tmp_path / "game").stage()
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StoreError, match="no game can be made here"):
        new(blocked / "game")
    assert not list(tmp_path.glob("**/*.new"))


def test_new_rules_show_their_first_difference(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    game.resolve()
    assert first_difference(game, RULES) is None
    dearer = small.ruleset(FRAME, actions=[{**small.DIG, "cost": 3}], events=[small.LUCK])
    assert "treasuries/red.gold" in str(first_difference(game, dearer))
    game.use_ruleset(dearer, "dearer digging")
    assert Game.open(tmp_path).ruleset.hash == dearer.hash
    assert compare(small.state(), small.state()) is None


def test_why_something_is_so(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    game.resolve()
    answer = why(game.ruleset, game.stage().position.state, game.journal(), "red gold")
    entries = [e for e, _ in answer.history]
    assert {e.rule for e in entries} >= {"actions/dig", "events/luck"}
    assert [(c.table, c.id, c.field) for c in answer.now] == [("treasuries", "red", "gold")]
    assert all(c.table == "treasuries" for _, changes in answer.history for c in changes)
    with pytest.raises(Unknown, match=r"nothing in this game is called 'glod'; did you mean Gold"):
        why(game.ruleset, game.stage().position.state, game.journal(), "red glod")


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_a_killed_process_leaves_the_game_before_or_after(tmp_path: Path, delay: float) -> None:
    game = new(tmp_path)
    send(game, "red")
    game.close()
    before = game.stage().position.state.hash()
    after = game.resolve(dry=True).position.state.hash()
    code = f"from pathlib import Path; from wteaw.store import Game; g = Game.open(Path({str(tmp_path)!r})); print('ready', flush=True); g.resolve()"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline()
    time.sleep(delay)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    found = Game.open(tmp_path)
    number, here = found.stage().number, found.stage().position.state.hash()
    assert (number, here) in {(1, before), (2, after)}
    assert verify_chain([e.to_json() for e in found.journal()]) is None
    assert found.submissions(1)["red"].text == "dig\n"


def dump(folder: Path) -> list[str]:
    """Everything that stands in a game's file."""
    db = sqlite3.connect(folder / "game.db")
    found = [str(db.execute("pragma user_version").fetchone()), *db.iterdump()]
    db.close()
    return found


def statement(folder: Path, *texts: str) -> None:
    db = sqlite3.connect(folder / "game.db")
    for text in texts:
        db.execute(text)
    db.commit()
    db.close()


COMMANDS = (
    ("status",), ("resolve", "--force"), ("close",), ("report",), ("verify",), ("rollback", "--turn", "1", "--reason", "x"),
    ("dice", "reveal", "--turn", "1", "--nation", "red"), ("decide", "red", "x", "y"), ("players", "key", "red"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "code", "words"), [
    (("pragma user_version = 2",), 4, "format 2, and this version of wteaw knows format 1: nothing was changed"),
    (("pragma user_version = 0", "drop table ledger"), 1, "begun by an earlier version of wteaw"),
    (("pragma user_version = 0", "delete from ledger"), 1, "begun by an earlier version of wteaw"),
])  # fmt: skip
def test_a_game_of_another_version_is_refused_in_a_sentence_and_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, ...], code: int, words: str
) -> None:
    game = new(tmp_path / "g", "red")
    send(game, "red")
    game.resolve()
    game.engine.dispose()
    statement(tmp_path / "g", *change)
    before = dump(tmp_path / "g")
    for command in COMMANDS:
        assert _run([*command, "--game", str(tmp_path / "g")]) == code
        said = capsys.readouterr().err
        assert words in said and len(said.splitlines()) == 1
    assert dump(tmp_path / "g") == before


def test_a_game_that_a_later_version_takes_over_while_it_is_open_is_not_written_to(tmp_path: Path) -> None:
    game = new(tmp_path / "g", "red")
    send(game, "red")
    statement(tmp_path / "g", "pragma user_version = 2")
    before = dump(tmp_path / "g")
    for change in (
        lambda: send(game, "red"),
        game.close,
        game.resolve,
        lambda: game.command("red", "policy", "x"),
    ):
        with pytest.raises(MachineError, match="later version"):
            change()
    assert dump(tmp_path / "g") == before
    statement(tmp_path / "g", "pragma user_version = 1")
    assert game.resolve().position.turn == 2
