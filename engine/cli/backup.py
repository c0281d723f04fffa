"""`wteaw backup`: a copy of a game, or of a whole server, while it is in use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from . import ExitCode, Stop, tell


def backup(
    where: Path = typer.Argument(..., help="The folder of a game, or of a server."),
    out: Path = typer.Option(
        ..., "--out", help="The folder to put the copy in; the copy is a game's or a server's folder, too."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Copy a game, or a server with all its games, while it is in use, and look at the copy.

    The copy is what stood there at one moment. Ends with 1 if a game in it is damaged, as it then is where it
    was copied from.

    Example: wteaw backup games/flanders --out backups/flanders-1
    """
    from ..store import FILE
    from ..store.backup import copy_whole
    from ..store.database import OLD_SERVER_FILE, SERVER_FILE

    if str(where).startswith("postgresql"):
        raise Stop(
            "a PostgreSQL server's database is copied by pg_dump, and put back by pg_restore", ExitCode.CALL
        )
    name = next((n for n in (FILE, SERVER_FILE, OLD_SERVER_FILE) if (where / n).is_file()), None)
    if name is None:
        raise Stop(f"{where} is no folder of a game or a server", ExitCode.CALL)
    copy_whole(where / name, out / name)
    found = list(_looked_at(out / name))
    whose = "server" if name != FILE else "game"
    lines = [f"{out / name}: the {whose} as it stood now, {len(found)} game{'s' if len(found) != 1 else ''}."]
    lines += [f"  {g['game']}, turn {g['turn']}: {g['wrong'] or 'whole'}" for g in found]
    one = f"{out / name}#GAME" if name != FILE else out
    lines.append(f"`wteaw verify --game {one}` resolves every turn of it again.")
    tell(format, {"file": str(out / name), "games": found}, *lines)
    if any(g["wrong"] for g in found):
        raise typer.Exit(ExitCode.FOUND)


def _looked_at(file: Path) -> Any:
    """Each game of a database: its id, the turn that it stands at, and what is wrong with it as far as is
    seen at once.
    """
    from sqlalchemy import select

    from ..core.faults import StoreError
    from ..play.verify import damage
    from ..store import Game
    from ..store.database import engine_for, reading
    from ..store.schema import games

    engine = engine_for(file)
    try:
        with reading(engine) as db:
            ids = list(db.execute(select(games.c.id).order_by(games.c.id)).scalars())
        for id_ in ids:
            try:
                game = Game.in_database(engine, id_)
                yield {"game": id_, "turn": game.stage().position.turn, "wrong": damage(game) or ""}
            except StoreError as error:
                yield {"game": id_, "turn": 0, "wrong": str(error)}
    finally:
        engine.dispose()
