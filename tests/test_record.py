"""Every column of every table of a game: whoever changes it is noticed, or it is declared to be of no weight."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from wteaw.core.faults import StoreError
from wteaw.play import player_keys
from wteaw.play.verify import WEIGHTLESS, audit
from wteaw.store import MODERATOR, Game
from wteaw.store.schema import metadata, pool

from .test_store import RULES
from .test_trust_moderator import begun, send

COLUMNS = [(t.name, c.name) for t in metadata.sorted_tables for c in t.columns if t.name not in WEIGHTLESS]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game in which everything has been done that leaves a row: orders, late ones, decisions, seats, a roll-back, rules, keys."""
    folder = tmp_path_factory.mktemp("record") / "g"
    game = begun(folder)
    player_keys.give(game, "red")
    with game.writing() as db:
        db.execute(
            pool.insert().values(
                game=game.id,
                name="Ann",
                number=1,
                email="ann@a.example",
                side="",
                nation="",
                status="waiting",
            )
        )
    for n in range(4):
        send(game, "red", f"dig # {n}\n")
        send(game, "blue", f"dig # {n}\n")
        game.decide("blue", "x", "y")
        game.command("gray", ("player", "policy")[n % 2], "Cleo")
        game.close()
        send(game, "blue", "# late\n", MODERATOR)
        game.resolve()
        if n == 1:
            game.rollback(2, "an order was misread")
            send(game, "red", "# right\n", MODERATOR)
            game.resolve()
            game.note_opened(2)
    game.use_ruleset(RULES, "the same again")
    send(game, "red", "dig # now\n")
    game.engine.dispose()
    return folder


def fault(folder: Path) -> str:
    """What is found wrong with a game; whatever is wrong is said in a sentence, and raises nothing else."""
    try:
        return next((wrong for _, wrong in audit(Game.open(folder)) if wrong), "")
    except StoreError as error:
        return str(error)


def other(value: Any, rng: random.Random) -> Any:
    """Another value of the same kind, or, now and then, of none."""
    if rng.random() < 0.2:
        return rng.choice([b"\x00\xff", "", -1, "nonsense", "[1", 10**12, 0.5, "{}"])
    if isinstance(value, bytes):
        at = rng.randrange(len(value))
        return value[:at] + bytes([value[at] ^ (1 << rng.randrange(8))]) + value[at + 1 :]
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 7])
    at = rng.randrange(len(value) + 1)
    return value[:at] + rng.choice("abc019 ") + value[at + rng.randrange(2) :]


def test_the_game_is_right(played: Path) -> None:
    assert fault(played) == ""
    db = sqlite3.connect(played / "game.db")
    for table in metadata.sorted_tables:
        assert db.execute(f"select count(*) from {table.name}").fetchone()[0], (
            f"no row of {table.name} to be changed"
        )
    db.close()
    assert set(WEIGHTLESS) <= set(metadata.tables)


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_whatever_is_changed_in_a_table_is_noticed(
    played: Path, tmp_path: Path, table: str, column: str
) -> None:
    rng = random.Random(f"{table}.{column}")
    for n in range(3):
        shutil.copytree(played, tmp_path / str(n))
        db = sqlite3.connect(tmp_path / str(n) / "game.db")
        rows = db.execute(f"select rowid, {column} from {table}").fetchall()
        key, value = rng.choice(rows)
        made = other(value, rng)
        while made == value or str(made) == str(value):
            made = other(value, rng)
        try:
            db.execute(f"update {table} set {column} = ? where rowid = ?", (made, key))
        except sqlite3.IntegrityError:
            continue  # a key that there is already
        finally:
            db.commit()
            db.close()
        assert fault(tmp_path / str(n)), f"{table}.{column}: {value!r} became {made!r}, and nobody noticed"


@pytest.mark.parametrize("table", sorted({t for t, _ in COLUMNS}))
def test_whatever_row_is_taken_away_is_noticed(played: Path, tmp_path: Path, table: str) -> None:
    shutil.copytree(played, tmp_path / "g")
    db = sqlite3.connect(tmp_path / "g" / "game.db")
    db.execute(f"delete from {table} where rowid = (select max(rowid) from {table})")
    db.commit()
    db.close()
    assert fault(tmp_path / "g")


@pytest.mark.parametrize("table", ["corrections", "seats", "handins", "inputs", "salts"])
def test_whatever_row_is_added_is_noticed(played: Path, tmp_path: Path, table: str) -> None:
    shutil.copytree(played, tmp_path / "g")
    db = sqlite3.connect(tmp_path / "g" / "game.db")
    columns = [c.name for c in metadata.tables[table].columns]
    key = {"corrections": "number", "handins": "number", "salts": "turn"}.get(table, "position")
    said = ", ".join(f"{c} + 1000" if c == key else c for c in columns)
    db.execute(f"insert into {table} ({', '.join(columns)}) select {said} from {table} limit 1")
    db.commit()
    db.close()
    assert "never written" in fault(tmp_path / "g")
