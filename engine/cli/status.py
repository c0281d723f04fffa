"""`wteaw status`: who has sent orders, who is late, and what awaits whom."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from .game import GAME, open_game


def status(game: Path = GAME, format: str = typer.Option("text", help="text or json.")) -> None:
    """Tell what the game waits for: who has sent, who has not, whom bots play, and what the moderator has to
    do.

    Example: wteaw status --game games/flanders
    """
    from ..play.pending import standing_of

    opened = open_game(game)
    told = standing_of(opened)
    if format == "json":
        typer.echo(json.dumps(told))
        return
    typer.echo(f"{opened.head['title']}, the game {opened.id}: {told['waits']}.")
    for seat in told["seats"]:
        typer.echo(f"  {opened.name_of(seat['nation'])}: {seat['says']}")
    if told["policies"]:
        one = len(told["policies"]) == 1
        typer.echo(f"  {len(told['policies'])} more {'nation is' if one else 'nations are'} played by bots.")
    for line in told["moderator"] or [told["next"]]:
        typer.echo(line)
