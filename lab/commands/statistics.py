"""`wteaw statistics`: a game in charts by turn, for its news."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from wteaw.cli.game import GAME, open_game
from wteaw.cli.terminal import Working

__all__ = ["statistics"]


def statistics(
    game: Path = GAME,
    format: str = typer.Option("text", help="text, html or json."),
) -> None:
    """Charts of a game by turn: places, units, losses, income, battles, the front, tracks; for its news.

    While the game runs they hold what everybody may know and no more; once it has ended, everything, and
    every criterion.

    Example: wteaw statistics --game games/flanders --format html > statistics.html
    """
    from wteaw.play.views import whole_world
    from wteaw.report.render import parts_as_html, parts_as_text

    from ..statistics import statistics as figures
    from ..statistics_page import statistics_parts

    opened = open_game(game)
    with Working("looking at every turn"):
        found = figures(opened)
    if format == "json":
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    made = parts_as_text if format == "text" else parts_as_html
    turns = len(found["turns"])
    lead = f"The game {found['game']} after {turns} turn{'s' if turns != 1 else ''}: {found['knows']}."
    typer.echo(
        made(f"{found['title']} in figures", lead, statistics_parts(whole_world(opened), found)), nl=False
    )
