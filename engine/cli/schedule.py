"""`wteaw schedule`: the days of the coming turns on the players' calendar."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path

import typer

from . import ExitCode, Stop, tell
from .game import open_game


def schedule(
    start: str = typer.Option(..., "--start", help="The day of an update, as 2004-05-01."),
    turns: int = typer.Option(1, "--turns", min=1, help="How many turns."),
    game: Path = typer.Option(None, "--game", help="The folder of a game: its rules and its turn."),
    ruleset: Path = typer.Option(
        None, "--ruleset", help="A ruleset, where there is no game yet (default: the shipped one)."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Write out which days of the coming turns are for what.

    Example: wteaw schedule --start 2004-05-01 --turns 3
    """
    from ..play.schedule import turns as turns_of
    from .show import sound_ruleset

    try:
        day = date.fromisoformat(start)
    except ValueError:
        raise Stop(f"a day is written like 2004-05-01, not {start!r}", ExitCode.CALL) from None
    number = 1
    if game is not None:
        opened = open_game(game)
        rules, number = opened.ruleset, opened.stage().position.turn
    else:
        _, rules = sound_ruleset(ruleset)
    row = rules.players.get("turn_days")
    if row is None:
        raise Stop(
            "the rules say nothing of days: `settings` in ruleset.yaml has no `players: {turn_days: ...}`"
        )
    listed = list(enumerate(turns_of(row, day, turns), number))
    if format == "json":
        tell(format, {"turns": [{"turn": turn, **asdict(days)} for turn, days in listed]})
        return
    for turn, days in listed:
        corrections = ", ".join(d.isoformat() for d in days.corrections) or "none"
        sending = ", ".join(d.isoformat() for d in days.sending)
        typer.echo(
            f"Turn {turn}: update {days.update}; corrections {corrections}; orders from {days.opens}, sent "
            f"{sending},"
        )
        typer.echo(f"  closed at the end of {days.deadline}; next update {days.next_update}")
