"""Games in a database that many share, on SQLite and on PostgreSQL alike: kept apart, kept whole, brought from version to version."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, select
from sqlalchemy.engine import Engine

from wteaw.cli import main
from wteaw.core.journal import verify_chain
from wteaw.play.resolve import resolve_turn
from wteaw.play.submit import hand_in
from wteaw.play.verify import audit
from wteaw.store import PLAYER, Game, StoreError, ledger
from wteaw.store.backup import copy_whole
from wteaw.store.database import changing, engine_for
from wteaw.store.schema import handins, states

from .. import small
from .databases import KINDS, database
from .house import RULES, House

from wteaw_web.migrations import bring_up, upgrade  # isort: skip
from wteaw_web.outbox import Mail, queue  # isort: skip
from wteaw_web.tables import metadata as of_desk  # isort: skip
from wteaw_web.tables import settings  # isort: skip


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    found = database(request.param, tmp_path)
    yield found
    found.dispose()


@pytest.fixture
def at(engine: Engine) -> House:
    found = House(engine)
    found.game("one", red="ann@a.example", blue="bob@b.example")
    found.game("two", red="cleo@c.example")
    return found


def send(game: Game, nation: str, times: int = 1) -> None:
    hand_in(game, nation, "dig\n" * times, PLAYER)


def test_games_of_one_database_know_nothing_of_each_other(at: House) -> None:
    one, two = (Game.in_database(at.hall.engine, g) for g in ("one", "two"))
    send(one, "red", 2)
    assert not two.submissions() and two.own_salts(1) == {}
    resolve_turn(one, force=True)
    two.refresh()
    assert [s[1] for s in one.stages()] == [1, 2] and [s[1] for s in two.stages()] == [1]
    assert one.head["anchor"] == two.head["anchor"], "they have the same seed in this test"
    assert one.turn_key(1) != two.turn_key(1), "and other dice all the same"
    assert all(fault is None for _, fault in audit(one)) and all(fault is None for _, fault in audit(two))
    one.rollback(1, "test")
    assert Game.in_database(at.hall.engine, "two").stages() == [(1, 1, "orders")] and not two.corrections()
    with pytest.raises(StoreError, match="there is a game one already"):
        at.game("one")
    with pytest.raises(StoreError, match="there is no game three"):
        Game.in_database(at.hall.engine, "three")


def test_a_game_is_the_same_wherever_it_is_kept(tmp_path: Path, at: House) -> None:
    here = Game.in_database(at.hall.engine, "one")
    state = small.state(game={"game": {"turn": 0}})
    for nation in ("red", "blue"):
        state.put("nations", nation, "seat", "player")
    there = Game.create(tmp_path / "g", RULES, {"title": "The game one"}, state, id_="one", seed=b"s" * 32)
    for game in (here, there):
        for _ in range(3):
            send(game, "red", 2)
            resolve_turn(game, force=True)
    assert here.stage().position.head == there.stage().position.head
    assert [e.to_json() for e in here.journal()] == [e.to_json() for e in there.journal()]
    assert verify_chain([e.to_json() for e in here.journal()]) is None


def test_what_came_in_is_never_lost_nor_changed(at: House) -> None:
    game = Game.in_database(at.hall.engine, "one")
    for times in (1, 3, 2):
        send(game, "red", times)
    with at.hall.engine.connect() as db:
        rows = db.execute(
            select(handins.c.number, handins.c.text, handins.c.at).order_by(handins.c.number)
        ).all()
    assert (
        [r.number for r in rows] == [1, 2, 3]
        and [r.text.count("dig") for r in rows] == [1, 3, 2]
        and all(r.at for r in rows)
    )
    assert len(game.submissions()["red"].orders) == 2


def test_many_at_once_lose_nothing(at: House) -> None:
    """Everybody sends at once, and one resolves: what was accepted is in that turn or in the next, or was refused as late."""
    accepted: list[int] = []
    refused: list[str] = []

    def player(number: int) -> None:
        for k in range(4):
            game = Game.in_database(at.hall.engine, "one")
            try:
                send(game, ("red", "blue")[number % 2])
                accepted.append(number * 10 + k)
            except StoreError as error:
                refused.append(str(error))

    def moderator() -> None:
        game = Game.in_database(at.hall.engine, "one")
        try:
            resolve_turn(game, force=True)
        except StoreError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=player, args=(n,)) for n in range(4)] + [
        threading.Thread(target=moderator) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with at.hall.engine.connect() as db:
        kept = db.execute(select(handins.c.number)).scalars().all()
    assert len(kept) == len(accepted) == len(set(kept))
    assert all("too late" in r or "moved on" in r or "somebody else" in r for r in refused), refused
    game = Game.in_database(at.hall.engine, "one")
    assert all(fault is None for _, fault in audit(game))


def test_mails_are_queued_once(at: House) -> None:
    mail = Mail("about/this", "ann@a.example", "s", "t")
    assert (
        at.outbox.put(mail) == 1
        and at.outbox.put(mail) == 0
        and at.outbox.put(mail, Mail("other", "", "s", "t")) == 0
    )
    assert len(at.mails()) == 1 and not at.mails()


def test_a_mail_and_what_it_tells_of_are_kept_together(at: House) -> None:
    with pytest.raises(ZeroDivisionError), at.hall.engine.begin() as db:
        queue(db, [Mail("x", "ann@a.example", "s", "t")], at.now)
        _ = 1 // 0
    assert not at.mails()


@pytest.mark.parametrize("fault", [OSError("connection refused"), TimeoutError()])
def test_a_mail_that_cannot_go_is_tried_again_later(at: House, fault: Exception) -> None:
    tries: list[str] = []

    def carry(_: object) -> None:
        tries.append("x")
        raise fault

    working, at.outbox.carry = at.outbox.carry, carry
    at.outbox.put(Mail("k", "ann@a.example", "s", "t", game="one"))
    for _ in range(3):
        at.outbox.deliver()
    assert len(tries) == 1, "not before its time"
    at.wait(hours=1)
    at.outbox.deliver()
    assert len(tries) == 2 and at.outbox.of_game("one")[0].fault
    at.outbox.carry = working
    at.wait(hours=9)
    assert len(at.mails()) == 1 and not at.outbox.of_game("one")[0].fault


def test_versions_come_to_what_the_tables_say(engine: Engine) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from wteaw.store.schema import metadata as of_games

    with engine.begin() as db:
        upgrade(db)
        context = MigrationContext.configure(
            db, opts={"compare_type": True, "target_metadata": [of_games, of_desk]}
        )
        assert compare_metadata(context, [of_games, of_desk]) == []  # type: ignore[arg-type]
    before = set(inspect(engine).get_table_names())
    bring_up(engine)
    assert set(inspect(engine).get_table_names()) == before >= {"games", "desk_roles", "alembic_version"}


def test_a_database_of_another_version_is_refused_in_a_sentence(engine: Engine) -> None:
    bring_up(engine)
    with engine.begin() as db:
        db.exec_driver_sql("update alembic_version set version_num = '0002'")
    with pytest.raises(StoreError, match="of another version of wteaw"):
        bring_up(engine)
    with engine.begin() as db:
        db.exec_driver_sql("drop table alembic_version")
    with pytest.raises(StoreError, match="start with a new database"):
        bring_up(engine)


def test_how_games_are_run_gets_days_off(at: House) -> None:
    """A database of before: its games have none, and stand in their chain with them."""
    with at.hall.engine.begin() as db:
        db.exec_driver_sql("alter table desk_settings drop column off")
        db.exec_driver_sql("update alembic_version set version_num = 'v3'")
    bring_up(at.hall.engine)
    again = House(at.hall.engine)
    assert again.hall.settings("one").off == ""
    with again.hall.engine.connect() as db:
        stand = {line.what: line.row for line in ledger.lines(db, "one")}
        kept = dict(ledger.rows(db, "one", (settings,)))
    assert kept and kept.items() <= stand.items()


def test_a_server_whose_database_is_brought_to_another_version_changes_nothing_more(at: House) -> None:
    red = at.come_in(at.role("one", "player", "red"))
    with at.hall.engine.begin() as db:
        here = db.exec_driver_sql("select version_num from alembic_version").scalar_one()
        db.exec_driver_sql("update alembic_version set version_num = '0002'")
    answer = red.send("dig\n")
    assert answer.status_code == 409 and "brought to another version of wteaw" in answer.text
    with pytest.raises(StoreError, match="another version"):
        resolve_turn(Game.in_database(at.hall.engine, "one"), force=True)
    with at.hall.engine.begin() as db:
        assert not db.execute(select(handins.c.number)).all()
        db.exec_driver_sql(f"update alembic_version set version_num = '{here}'")
    assert "have been taken" in red.send("dig\n").text


def test_a_server_is_brought_up_as_often_as_it_starts(engine: Engine) -> None:
    for _ in range(2):
        house = House(engine)
    house.game("one", red="ann@a.example")
    again = House(engine)
    assert again.hall.ids() == ["one"] and again.role("one", "player", "red").email == "ann@a.example"
    with again.hall.engine.connect() as db:
        assert db.execute(select(states.c.hash)).all()


def test_the_whole_turn_by_pages_works_on_it(at: House) -> None:
    red, mo = at.come_in(at.role("two", "player", "red")), at.come_in(at.role("two", "moderator"))
    assert "have been taken" in red.send("dig\n").text
    mo.post("game/resolve", {"stage": "1"})
    mo.post("game/send", {"stage": "2"})
    assert "Carried out: dig" in red.get("turn").text
    assert [m["To"] for m in at.mails() if "turn 1: Red" in m["Subject"]] == ["cleo@c.example"]
    assert at.hall.broken_log("two") is None


def test_a_backup_of_a_desk_at_work_is_the_server_when_it_is_restored(
    at: House, engine: Engine, tmp_path: Path
) -> None:
    """As docs/hosting.md has it: a copy beside a writer; pg_dump and pg_restore into an empty database."""
    send(Game.in_database(engine, "one"), "red", 2)
    if engine.dialect.name == "sqlite":
        copy = tmp_path / "backup" / "server.db"
        with changing(engine) as db:
            db.exec_driver_sql("update desk_settings set days = 9")  # which is not written before the copy is
            copy_whole(Path(str(engine.url.database)), copy)
        restored = engine_for(copy)
    else:
        restored = _dumped_and_restored(engine, tmp_path)
    send(Game.in_database(engine, "one"), "blue")
    resolve_turn(Game.in_database(engine, "one"), force=True)
    again = House(restored)
    assert again.hall.settings("one").days == 7
    assert again.role("one", "player", "red").email == "ann@a.example"
    with again.hall.game("one") as game:
        assert list(game.submissions()) == ["red"] and [s[1] for s in game.stages()] == [1]
        resolve_turn(game, force=True)
        assert all(fault is None for _, fault in audit(game))
    restored.dispose()


def _dumped_and_restored(engine: Engine, folder: Path) -> Engine:
    programs = next(iter(Path(pytest.importorskip("pgserver").__file__).parent.rglob("bin/pg_dump")), None)
    if programs is None or not (programs.parent / "pg_restore").exists():
        pytest.skip("pg_dump and pg_restore are not here")
    empty = database("postgresql", folder)
    address = {
        e: e.url.set(drivername="postgresql").render_as_string(hide_password=False) for e in (engine, empty)
    }
    dump = folder / "dump"
    subprocess.run([programs, "-Fc", "-f", dump, address[engine]], check=True)
    subprocess.run([programs.parent / "pg_restore", "-d", address[empty], dump], check=True)
    return empty


def test_the_command_line_works_on_a_game_of_a_server(
    at: House, engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status, orders, closing and resolving by DATABASE#GAME; players see nothing of it before the server has sent it."""
    where = (
        engine.url.database
        if engine.dialect.name == "sqlite"
        else engine.url.render_as_string(hide_password=False)
    )

    def wteaw(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(words)
        return int(str(left.value.code)), capsys.readouterr().out

    done, text = wteaw("status", "--game", f"{where}#one")
    assert done == 0 and "2 missing" in text
    monkeypatch.setenv("WTEAW_DATABASE", str(where))
    done, text = wteaw("status", "--game", "#two")
    assert done == 0 and "1 missing" in text
    assert wteaw("resolve", "--force", "--game", "#one")[0] == 0
    with at.hall.game("one") as game:
        assert game.stage().number == 2 and at.hall.last_sent("one") == 1
    for wrong in ("#none", "nothing.db#one"):
        assert wteaw("status", "--game", wrong)[0] != 0
    assert not Path("nothing.db").exists()
