"""`wteaw orders`: a nation's order file: written from its legal orders, checked, and handed in."""

from __future__ import annotations

import json
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
    from .names import nation_named

    found = open_game(game)
    taken, _ = _read(found, file, nation_named(nation, found.ruleset, found.stage().position.state) if nation else None)
    _show(taken, format)
    if not taken.clean:
        raise typer.Exit(1)


@app.command()
def submit(
    file: str = FILE,
    game: Path = GAME,
    nation: str = typer.Option("", "--nation", help="Whose orders these are, as the moderator hands them in."),
    key: str = typer.Option("", "--key", envvar="WTEAW_KEY", help="The key of the seat, as its player hands them in."),
    format: str = FORMAT,
    proxy: str = typer.Option("", "--proxy", help="The ally who gives these orders for a nation that has sent none."),
    only_whole: bool = typer.Option(False, "--only-whole", help="Hand in nothing if any line is refused."),
) -> None:
    """Check a file of orders and hand in the lines that stand, in place of what the nation sent before.

    A player shows the key of his seat (`wteaw players key`), the moderator says whose orders they are; the head of a file alone
    is not enough. A file of which nothing stands changes nothing.

    Example: wteaw orders submit orders.txt --game games/flanders --nation NATION
    """
    from ..game.moderation import stand_in
    from ..game.seat_keys import holder
    from ..game.store import MODERATOR, PLAYER, StoreError, Submission
    from .names import nation_named

    found = open_game(game)
    if not key and not nation:
        raise Stop("say whose orders these are: --key KEY as the player of the seat, --nation NATION as the moderator", 2)
    whose = holder(found, key) if key else nation_named(nation, found.ruleset, found.stage().position.state)
    if whose is None:
        raise Stop("this key is for no seat of the game, or it has been revoked")
    if key and nation and nation_named(nation, found.ruleset, found.stage().position.state) != whose:
        raise Stop(f"this key is for {whose}, not for {nation}")
    taken, text = _read(found, file, whose)
    _show(taken, format)
    nothing = not taken.clean and not taken.orders and not taken.answers
    if taken.nation is None or nothing or (only_whole and not taken.clean):
        print(f"Nothing of it was handed in; {_before(found, whose)}.", file=sys.stderr)
        raise typer.Exit(1)
    asked = found.awaited()
    if whose not in asked:
        raise Stop(f"{whose} is not asked for orders now" + (f": {', '.join(asked)} is" if len(asked) == 1 else ""))
    before = _before(found, whose)
    try:
        given = Submission(whose, text, list(taken.orders), dict(taken.answers), PLAYER if key else MODERATOR)
        if proxy:
            salt = stand_in(found, nation_named(proxy, found.ruleset, found.stage().position.state), given)
        else:
            salt = found.submit(given)
    except StoreError as error:
        raise Stop(str(error)) from None
    print(f"{len(taken.orders)} orders are handed in for {whose}; before, {before}.", file=sys.stderr)
    if salt:
        print(f"Your part in the dice of turn {found.stage().position.turn}: {salt}", file=sys.stderr)
    if not taken.clean:
        raise typer.Exit(1)


def _before(game: Any, nation: str) -> str:
    """What a nation has handed in so far, in words."""
    here = game.submissions().get(nation)
    return f"{len(here.orders)} orders were handed in" if here is not None else "nothing was handed in"


@app.command()
def show(
    game: Path = GAME,
    nation: str = typer.Option(..., "--nation", help="The nation's id or name."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Show the orders that count for a nation now, and every file that it has handed in for this stage.

    Example: wteaw orders show --game games/flanders --nation NATION
    """
    from .names import nation_named

    found = open_game(game)
    whose = nation_named(nation, found.ruleset, found.stage().position.state)
    here = found.submissions().get(whose)
    files = found.hand_ins_of(found.stage().position.turn, whose, stage=found.stage().number)
    if format == "json":
        listed = [{"number": h.number, "at": h.at, "by": h.submission.by, "orders": len(h.submission.orders)} for h in files]
        orders = [{k: o[k] for k in ("order", "text", "slots") if k in o} for o in (here.orders if here else ())]
        typer.echo(
            json.dumps({"nation": whose, "by": here.by if here else None, "orders": orders, "files": listed}, ensure_ascii=False)
        )
        return
    if here is None:
        typer.echo(f"{whose} has handed in nothing for turn {found.stage().position.turn}.")
        return
    typer.echo(f"{whose}, turn {found.stage().position.turn}, handed in by the {here.by}:")
    for order in here.orders:
        typer.echo(f"  {order.get('text', order['order'])}")
    for decision, answer in here.answers.items():
        typer.echo(f"  {decision}: {answer}")
    for one in files:
        typer.echo(f"file {one.number}, {one.at}, by the {one.submission.by}: {len(one.submission.orders)} orders")


@app.command()
def back(
    game: Path = GAME,
    nation: str = typer.Option("", "--nation", help="Whose orders these are, as the moderator."),
    key: str = typer.Option("", "--key", envvar="WTEAW_KEY", help="The key of the seat, as its player."),
    to: int = typer.Option(..., "--to", help="The number of a file handed in before, as `orders show` lists them."),
) -> None:
    """Take back what was handed in since: an earlier file counts again. Until orders are closed.

    Example: wteaw orders back --to 3 --game games/flanders --nation NATION
    """
    from dataclasses import replace

    from ..game.seat_keys import holder
    from ..game.store import MODERATOR, PLAYER, StoreError
    from .names import nation_named

    found = open_game(game)
    whose = holder(found, key) if key else nation_named(nation, found.ruleset, found.stage().position.state) if nation else None
    if whose is None:
        raise Stop("say whose orders these are: --key KEY as the player of the seat, --nation NATION as the moderator", 2)
    stage = found.stage()
    files = found.hand_ins_of(stage.position.turn, whose, stage=stage.number)
    chosen = next((h for h in files if h.number == to), None)
    if chosen is None:
        raise Stop(
            f"{whose} has handed in no file {to} for this stage; there are {', '.join(str(h.number) for h in files) or 'none'}"
        )
    try:
        found.submit(replace(chosen.submission, by=PLAYER if key else MODERATOR))
    except StoreError as error:
        raise Stop(str(error)) from None
    typer.echo(f"The {len(chosen.submission.orders)} orders of file {to} count again for {whose}.")


def _read(found: Any, file: str, whose: str | None) -> tuple[Any, str]:
    from ..game.moderation import view_world
    from ..orders.intake import take_in

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{file} cannot be read: {error}", 2) from None
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
