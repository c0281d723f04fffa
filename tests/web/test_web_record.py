"""Every column of every table that a server keeps beside its games: whoever changes it is noticed, or it is declared to be of no weight."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import insert

from wteaw.cli import _run
from wteaw.play.verify import audit
from wteaw.store import Game
from wteaw.store.database import engine_for

from ..test_record import other
from .house import House

from wteaw_web.migrations import bring_up  # isort: skip
from wteaw_web.tables import CHAINED, WEIGHTLESS, log, messages, metadata  # isort: skip

COLUMNS = [(t.name, c.name) for t in CHAINED for c in t.columns]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server at which a turn was ordered, talked about, resolved and sent."""
    file = tmp_path_factory.mktemp("record") / "server.db"
    at = House(engine_for(file))
    at.game("one", red="ann@a.example", blue="bob@b.example")
    red, moderator = at.come_in(at.role("one", "player", "red")), at.come_in(at.role("one", "moderator"))
    assert red.post("messages", {"to-blue": "1", "text": "Peace?"}).status_code < 400
    assert "have been taken" in red.send("dig\n").text
    moderator.post("game/resolve", {"stage": "1"})
    moderator.post("game/send", {"stage": "2"})
    at.hall.engine.dispose()
    return file


def fault(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `wteaw verify` finds wrong with the game."""
    code = _run(["verify", "--game", f"{file}#one"])
    said = capsys.readouterr()
    assert code in (0, 1) and "Traceback" not in said.err
    return (said.out + said.err) if code else ""


def changed(played: Path, tmp_path: Path, statement: str, *values: object) -> Path:
    file = tmp_path / "server.db"
    shutil.copy(played, file)
    db = sqlite3.connect(file)
    assert db.execute(statement, values).rowcount, "no row to be changed"
    db.commit()
    db.close()
    return file


def test_every_table_is_under_the_chain_or_of_no_weight(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {t.name for t in CHAINED} | set(WEIGHTLESS) == set(metadata.tables)
    assert not {t.name for t in CHAINED} & set(WEIGHTLESS)
    assert fault(played, capsys) == ""


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_whatever_is_changed_is_noticed(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, column: str
) -> None:
    rng = random.Random(f"{table}.{column}")
    db = sqlite3.connect(played)
    key, value = rng.choice(db.execute(f'select rowid, "{column}" from {table}').fetchall())
    db.close()
    made = other(value, rng)
    while made == value or str(made) == str(value):
        made = other(value, rng)
    file = changed(played, tmp_path, f'update {table} set "{column}" = ? where rowid = ?', made, key)
    assert fault(file, capsys), f"{table}.{column}: {value!r} became {made!r}, and nobody noticed"


@pytest.mark.parametrize("table", [t.name for t in CHAINED])
def test_whatever_row_is_taken_away_is_noticed(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    file = changed(played, tmp_path, f"delete from {table} where rowid = (select max(rowid) from {table})")
    assert "was written, and is not there any more" in fault(file, capsys)


@pytest.mark.parametrize("table", [t.name for t in CHAINED if t.name != "desk_settings"])
def test_whatever_row_is_added_is_noticed(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    key = "stage" if table == "desk_releases" else "number"
    columns = [c.name for c in metadata.tables[table].columns]
    said = ", ".join(f"{c} + 1000" if c == key else f'"{c}"' for c in columns)
    names = ", ".join(f'"{c}"' for c in columns)
    file = changed(played, tmp_path, f"insert into {table} ({names}) select {said} from {table} limit 1")
    assert "was never written" in fault(file, capsys)


def test_the_page_of_what_was_done_says_so(played: Path, tmp_path: Path) -> None:
    file = changed(played, tmp_path, "update desk_messages set text = 'War!'")
    at = House(engine_for(file))
    moderator = at.come_in(at.role("one", "moderator"))
    assert "is not what was written" in moderator.get("history", verify="1").text
    at.hall.engine.dispose()


def test_what_an_earlier_version_wrote_is_taken_into_the_chain(tmp_path: Path) -> None:
    """Rows that stood beside the chain, in a database that is brought up."""
    engine = engine_for(tmp_path / "server.db")
    at = House(engine)
    at.game("one", red="ann@a.example")
    with engine.begin() as db:
        before = {"game": "one", "at": "2026-05-01T12:00:00+00:00"}
        db.execute(insert(log).values(number=99, who="Ann", what="Waited", digest="", **before))
        db.execute(insert(messages).values(nation="red", to="*", unsigned=False, text="Hello", **before))
        db.exec_driver_sql("update alembic_version set version_num = 'v2'")

    def wrong() -> str | None:
        return next((fault for _, fault in audit(Game.in_database(engine, "one"), CHAINED) if fault), None)

    assert "was never written" in str(wrong())
    bring_up(engine)
    assert wrong() is None
    engine.dispose()
