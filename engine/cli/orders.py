"""`wteaw orders`: a nation's order file: written from its legal orders, checked, and handed in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from . import Stop
from .game import open_game

__all__ = ["app"]

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help="Write, check and submit orders."
)
GAME = typer.Option(..., "--game", help="The folder of the game.")
NATION = typer.Option("", "--nation", help="The nation's id or name; by default the one that the file names.")
FORMAT = typer.Option("text", "--format", help="text, json, sarif or github.")
FILE = typer.Argument(..., help="A file of orders, or - for what is typed in.")


@app.command()
def template(
    game: Path = GAME,
    nation: str = typer.Option(..., "--nation", help="The nation's id or name."),
    out: Path = typer.Option(None, "--out", help="Write it to this file."),
) -> None:
    """Write an order file with everything that the nation may order now.

    Example: wteaw orders template --game games/flanders --nation NAME --out orders.txt
    """
    from ..game.moderation import view_world
    from ..orders.template import order_template
    from .names import nation_named

    found = open_game(game)
    whose = nation_named(nation, found.ruleset, found.stage().position.state)
    text = order_template(view_world(found, whose), whose, game=found.id)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@app.command()
def check(file: str = FILE, game: Path = GAME, nation: str = NATION, format: str = FORMAT) -> None:
    """Check a file of orders by what its nation may know; nothing is handed in.

    Example: wteaw orders check orders.txt --game games/flanders
    """
    taken, _ = _read(file, game, nation)
    _show(taken, format)
    if not taken.clean:
        raise typer.Exit(1)


@app.command()
def submit(
    file: str = FILE,
    game: Path = GAME,
    nation: str = NATION,
    format: str = FORMAT,
    proxy: str = typer.Option("", "--proxy", help="The ally who gives these orders for a nation that has sent none."),
    only_whole: bool = typer.Option(False, "--only-whole", help="Hand in nothing if any line is refused."),
) -> None:
    """Check a file of orders and hand in the lines that stand, in place of what the nation sent before.

    Example: wteaw orders submit orders.txt --game games/flanders
    """
    from ..game.moderation import stand_in
    from ..game.store import StoreError, Submission
    from .names import nation_named

    taken, text = _read(file, game, nation)
    _show(taken, format)
    if taken.nation is None or (only_whole and not taken.clean):
        raise typer.Exit(1)
    found = open_game(game)
    asked = found.awaited()
    if taken.nation not in asked:
        raise Stop(f"{taken.nation} is not asked for orders now" + (f": {', '.join(asked)} is" if len(asked) == 1 else ""))
    try:
        given = Submission(taken.nation, text, list(taken.orders), dict(taken.answers))
        if proxy:
            stand_in(found, nation_named(proxy, found.ruleset, found.stage().position.state), given)
        else:
            found.submit(given)
    except StoreError as error:
        raise Stop(str(error)) from None
    print(f"{len(taken.orders)} orders are handed in for {taken.nation}.", file=sys.stderr)
    if not taken.clean:
        raise typer.Exit(1)


def _read(file: str, game: Path, nation: str) -> tuple[Any, str]:
    from ..game.moderation import view_world
    from ..orders.intake import take_in
    from .names import nation_named

    found = open_game(game)
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{file} cannot be read: {error}", 2) from None
    whose = nation_named(nation, found.ruleset, found.stage().position.state) if nation else None
    worlds: dict[str, Any] = {}

    def world_of(name: str) -> Any:
        if name not in worlds:
            worlds[name] = view_world(found, name)
        return worlds[name]

    turn = found.stage().position.turn
    taken = take_in(found.ruleset, text, world_of, nation=whose, game=found.id, turn=turn, file=file)
    return taken, text


def _show(taken: Any, format: str) -> None:
    from ..core.diagnostics import FORMATS, render

    if format not in FORMATS:
        raise Stop(f"no format {format}; one of {', '.join(FORMATS)}", 2)
    if taken.found or format != "text":
        typer.echo(render(taken.found, format))
    if format == "text" and taken.nation is not None:
        typer.echo(f"{len(taken.orders)} orders stand.")
