"""`wteaw report`, `map`, `explain`: what a nation may know, the map, and why something is so."""

from __future__ import annotations

from pathlib import Path

import typer

from . import Stop
from .game import GAME, open_game

__all__ = ["explain", "map_", "report"]


def report(
    game: Path = GAME,
    nation: str = typer.Option("", help="Whose report; without it the moderator's."),
    turn: int = typer.Option(0, help="The turn reported on; by default the last one."),
    format: str = typer.Option("text", help="text, html or json."),
    out: Path = typer.Option(None, help="A folder: writes every nation's reports there, as text and HTML."),
) -> None:
    """What a nation may know after a turn, with the template of its next orders.

    Example: wteaw report --game games/flanders --nation NATION --format html > report.html
    """
    from dataclasses import asdict

    from .. import desk
    from ..canonical import dumps
    from ..report.mapview import map_svg
    from ..report.render import as_html, as_text
    from ..store import StoreError

    found = open_game(game)
    if out is not None:
        wanted = [nation] if nation else desk.commanded(found) or sorted(found.ruleset.rows("nations"))
        written = desk.write_reports(found, out, wanted, found.drawing(), turn=turn or None)
        typer.echo(f"{len(written)} files in {out}")
        return
    try:
        data = desk.report(found, nation or None, turn=turn or None)
    except StoreError as error:
        raise Stop(str(error), 2) from None
    if format == "text":
        typer.echo(as_text(data), nl=False)
    elif format == "html":
        shown = desk.view_world(found, nation).state if nation else found.stage().position.state
        typer.echo(as_html(data, map_svg(found.ruleset, shown, found.drawing(), title=f"{data.game}, {data.when}")), nl=False)
    elif format == "json":
        typer.echo(dumps(asdict(data)).decode())
    else:
        raise Stop(f"no format {format!r}; text, html or json", 2)


def map_(
    scenario: str = typer.Argument("", help="A scenario; or leave it out and name a game."),
    game: Path = typer.Option(None, "--game", help="The folder of a game."),
    nation: str = typer.Option("", help="As this nation sees it; without it everything is shown."),
    out: Path = typer.Option(Path("map.svg"), help="The file to write; .svg or .png."),
    width: int = typer.Option(2600, min=200, max=12000, help="Width of a PNG in pixels."),
) -> None:
    """Draw the map of a game or of a scenario's start.

    Example: wteaw map 1914 --out map.png
    """
    from .. import desk
    from ..report.map import to_png
    from ..report.mapview import map_svg, read_drawing
    from ..scenario import initial_state
    from ..view import view
    from .game import read_scenario

    if game is not None:
        found = open_game(game)
        shown = desk.view_world(found, nation).state if nation else found.stage().position.state
        ruleset, drawing, title = found.ruleset, found.drawing(), str(found.head["title"])
    elif scenario:
        data, ruleset, folder = read_scenario(scenario)
        shown = initial_state(ruleset, data)
        if nation:
            shown = view(ruleset, shown, nation)
        drawing, title = read_drawing(folder), str(data.get("title", ""))
    else:
        raise Stop("name a scenario, or a game with --game", 2)
    if nation and nation not in ruleset.rows("nations"):
        raise Stop(f"no nation {nation} here", 2)
    svg = map_svg(ruleset, shown, drawing, title=title)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == ".png":
        out.write_bytes(to_png(svg, width))
    elif out.suffix.lower() == ".svg":
        out.write_text(svg, encoding="utf-8")
    else:
        raise Stop(f"{out}: a map is .svg or .png", 2)
    typer.echo(f"{out}")


def explain(
    what: str = typer.Argument(..., help="What: words such as `PLACE holder`, `NATION TRACK`, `NATION RESOURCE`."),
    game: Path = GAME,
) -> None:
    """Why a value is what it is: every change of it, with turn, rule, file and line, and dice.

    Example: wteaw explain "PLACE holder" --game games/flanders
    """
    from .. import desk
    from ..report.build import dice_words
    from ..store import StoreError

    found = open_game(game)
    try:
        entries = desk.explain(found, what)
    except StoreError as error:
        raise Stop(str(error), 2) from None
    if not entries:
        raise Stop(f"nothing in the journal has changed {what!r}; it is as the scenario and the rules say")
    for entry in entries:
        typer.echo(f"turn {entry.turn}, {entry.step}, entry {entry.n}: {entry.rule}" + (f" ({entry.at})" if entry.at else ""))
        if entry.text:
            typer.echo(f"    {entry.text}")
        for line in desk.explained(entry, what):
            typer.echo(f"    {line}")
        for record in entry.dice:
            typer.echo(f"    {dice_words(record)}")
