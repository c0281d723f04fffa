"""`wteaw luck`: what the dice of a game came to, against what was to be expected before each throw."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from .game import GAME, open_game
from .terminal import Working


def luck(
    game: Path = GAME,
    nation: str = typer.Option("", help="As this nation may know it: once the game has ended."),
    format: str = typer.Option("text", help="text, html or json."),
) -> None:
    """Who was lucky: hits of every throw against the odds before it, by nation and battle, with the band of
    pure chance.

    The game is resolved again for it. While it runs, luck is for the moderator alone.

    Example: wteaw luck --game games/flanders --format html > luck.html
    """
    from ..play.dice_statistics import luck as luck_of
    from ..report.dice_statistics import luck_parts
    from ..report.render import parts_as_html, parts_as_text
    from ..store.per_process import processes_for
    from .names import nation_named

    opened = open_game(game)
    reader = nation_named(nation, opened.ruleset, opened.stage().position.state) if nation else None
    workers = processes_for(opened, len(opened.stages()) - 1)
    with Working("resolving the turns again"):
        known = luck_of(opened, reader, workers=workers)
    if format == "json":
        typer.echo(json.dumps(known.to_json(), ensure_ascii=False, indent=1))
        return
    title = f"{known.title}: luck"
    made = parts_as_text if format == "text" else parts_as_html
    typer.echo(made(title, f"The game {known.game}", luck_parts(known)), nl=False)
