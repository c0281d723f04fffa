"""`wteaw dice`: commit, reveal, verify. A moderator publishes; a player, or anybody at the end of a game,
rolls again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from . import ExitCode, Stop, command_group, of_os_error
from .game import GAME, open_game

app = command_group(no_args_is_help=True)
MAX_BYTES = 50_000_000


@app.command()
def commit(game: Path = GAME, format: str = typer.Option("json", help="json, and nothing else.")) -> None:
    """Tell what to publish before orders are due.

    The game's anchor, and the commitment to the present turn's dice.

    Example: wteaw dice commit --game games/flanders > published-3.json
    """
    opened = open_game(game)
    stage = opened.stage()
    typer.echo(
        json.dumps({"anchor": opened.head["anchor"], "commitment": asdict(stage.commitment)}, indent=1)
    )


@app.command()
def reveal(
    game: Path = GAME,
    turn: int = typer.Option(..., help="A turn that has been resolved."),
    nation: str = typer.Option(
        "", help="The keys of this nation's dice and of everybody's; without it everybody's alone."
    ),
    out: Path = typer.Option(None, help="A file; otherwise it is printed."),
    format: str = typer.Option("json", help="json, and nothing else."),
) -> None:
    """Tell the keys and dice of a turn that a nation may check.

    As JSON for `dice verify`. After the game's end the secret itself.

    Example: wteaw dice reveal --game games/flanders --turn 3 --nation NATION --out turn-3.json
    """
    from ..play.proofs import revealed
    from .names import nation_named

    opened = open_game(game)
    data = revealed(
        opened, turn, nation_named(nation, opened.ruleset, opened.stage().position.state) if nation else None
    )
    text = json.dumps(data, indent=1)
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        typer.echo(f"{len(data['dice'])} throws in {out}")


@app.command()
def verify(
    file: Path = typer.Argument(..., help="What `dice reveal` gave."),
    published: Path = typer.Option(
        ..., "--published", help="What `dice commit` gave before orders were due."
    ),
    salts: Path = typer.Option(
        None, "--salts", help="The list that `close` gave before the turn was resolved."
    ),
    orders: Path = typer.Option(None, "--orders", help="The first file that you submitted for the turn."),
    nation: str = typer.Option("", "--nation", help="Your nation's id, with --orders."),
    sent_none: bool = typer.Option(
        False, "--sent-none", help="You submitted no file for the turn: none may count as yours."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Check keys against the commitment and roll every die again. Takes nothing on trust from the file.

    Anchor and commitment are those that were published before orders were due, the salts those that were
    published when orders were closed, and your own file shows that your part went into the dice. Without
    players there are no salts.

    Example: wteaw dice verify turn-3.json --published published-3.json --salts salts-3.json --orders mine.txt
    --nation NATION
    """
    from ..play.proofs import Published, check

    said = _json(published)
    listed = _json(salts) if salts is not None else {}
    try:
        text = orders.read_bytes() if orders is not None else None
    except OSError as error:
        raise Stop(f"{orders} cannot be read: {error.strerror}", of_os_error(error)) from None
    try:
        known = Published.read(said, listed)
    except (KeyError, TypeError, ValueError) as error:
        raise Stop(
            f"{published if 'salts' in listed or salts is None else salts} is not what was published: "
            f"{error}",
            ExitCode.FOUND,
        ) from None
    verdict = check(_json(file), known, orders=text, nation=nation, sent_none=sent_none)
    if format == "json":
        typer.echo(json.dumps(asdict(verdict)))
    else:
        for line in verdict.lines():
            typer.echo(line)
    if verdict.wrong:
        raise typer.Exit(ExitCode.FOUND)


def _json(path: Path) -> Any:
    try:
        if not path.is_file():
            raise Stop(f"{path} is no file", ExitCode.CALL)
        if path.stat().st_size > MAX_BYTES:
            raise Stop(f"{path} is larger than {MAX_BYTES:,} bytes", ExitCode.CALL)
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Stop(f"{path} cannot be read: {error.strerror}", of_os_error(error)) from None
    except (ValueError, RecursionError) as error:
        raise Stop(f"{path} cannot be read as JSON: {error}", ExitCode.FOUND) from None
