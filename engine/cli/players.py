"""`wteaw players`: those who wait for a position, the positions that are vacant, and how the one comes to the
other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import command_group, tell
from .game import open_game
from .names import nation_named, one_named

if TYPE_CHECKING:
    from ..store import Game

app = command_group("Who waits for a position, and who gets one.")
GAME = typer.Option(..., "--game", help="The folder of the game.")
NATION = typer.Argument(..., help="The nation's id or name.")
NAME = typer.Argument(..., help="Somebody on the list.")
FORMAT = typer.Option("text", "--format", help="text or json.")


@app.command("list")
def list_(game: Path = GAME, format: str = FORMAT) -> None:
    """Show who waits, and which positions are vacant.

    Beside each of these stands who chooses for it.

    Example: wteaw players list --game games/flanders
    """
    from ..store.pool import WaitingList
    from ..turn.vacancies import vacancies

    opened = open_game(game)
    waiting = WaitingList(opened).candidates()
    places = vacancies(opened.seated_world())
    if format == "json":
        people = [
            {"name": c.name, "email": c.email, "side": c.side, "nation": c.nation, "status": c.status}
            for c in waiting
        ]
        vacant = [{"nation": v.nation, "by": v.by, "why": v.text} for v in places]
        typer.echo(json.dumps({"list": people, "vacant": vacant}, ensure_ascii=False))
        return
    for one in waiting:
        more = f", {one.status} for {opened.name_of(one.nation)}" if one.nation else ""
        typer.echo(f"{one.name} <{one.email}> would join {_side(opened, one.side)}{more}")
    for place in places:
        typer.echo(
            f"{opened.name_of(place.nation)} is vacant ({place.text}); its player is chosen by "
            f"{_side(opened, place.by)}"
        )


@app.command()
def add(
    name: str = typer.Argument(..., help="The player's name."),
    email: str = typer.Option("", help="Their address."),
    side: str = typer.Option("", help="The side that they would like to join."),
    game: Path = GAME,
    format: str = FORMAT,
) -> None:
    """Put somebody on the list of those who wait for a position.

    Example: wteaw players add Ann --email ann@example.org --side SIDE --game games/flanders
    """
    from ..store.pool import WaitingList

    opened = open_game(game)
    wanted = one_named("side", side, opened.ruleset) if side else ""
    one = WaitingList(opened).add(name, email, wanted)
    tell(format, _of(one), f"{one.name} is on the list and would join {_side(opened, one.side)}.")


@app.command()
def propose(
    nation: str = NATION,
    name: str = NAME,
    by: str = typer.Option(..., "--by", help="Who chooses: a side, or `moderator`."),
    game: Path = GAME,
    format: str = FORMAT,
) -> None:
    """Choose somebody from the list for a vacant position.

    A side chooses for its own, the moderator for the others.

    Example: wteaw players propose NATION Ann --by SIDE --game games/flanders
    """
    from ..store.pool import MODERATOR, WaitingList

    opened = open_game(game)
    chooser = by if by == MODERATOR else one_named("side", by, opened.ruleset)
    one = WaitingList(opened).propose(nation_named(nation, opened.ruleset), name, chooser)
    tell(
        format,
        _of(one),
        f"{one.name} is asked to command {opened.name_of(one.nation)}; `wteaw players agree` notes that they "
        "will.",
    )


@app.command()
def agree(name: str = NAME, game: Path = GAME, format: str = FORMAT) -> None:
    """Note that somebody takes the position offered to them.

    Example: wteaw players agree Ann --game games/flanders
    """
    from ..store.pool import WaitingList

    opened = open_game(game)
    one = WaitingList(opened).agree(name)
    tell(
        format,
        _of(one),
        f"{one.name} agrees to command {opened.name_of(one.nation)}; `wteaw players seat {one.nation}` makes "
        "the change.",
    )


@app.command()
def seat(nation: str = NATION, game: Path = GAME, format: str = FORMAT) -> None:
    """Hand a nation over to who was chosen and has agreed.

    They command it from now on.

    Example: wteaw players seat NATION --game games/flanders
    """
    from ..store.pool import WaitingList

    opened = open_game(game)
    one = WaitingList(opened).seat(nation_named(nation, opened.ruleset))
    now = opened.stage().position.turn
    tell(format, _of(one), f"{one.name} commands {opened.name_of(one.nation)} from turn {now} on.")


@app.command()
def leave(nation: str = NATION, game: Path = GAME, format: str = FORMAT) -> None:
    """A player gives up: their position is vacant from now on.

    Example: wteaw players leave NATION --game games/flanders
    """
    from ..store.pool import WaitingList

    opened = open_game(game)
    whose = nation_named(nation, opened.ruleset)
    WaitingList(opened).leave(whose)
    tell(format, {"nation": whose, "vacant": True}, f"{opened.name_of(whose)} is vacant.")


@app.command()
def remove(name: str = NAME, game: Path = GAME, format: str = FORMAT) -> None:
    """Take somebody off the list.

    Example: wteaw players remove Ann --game games/flanders
    """
    from ..store.pool import WaitingList

    WaitingList(open_game(game)).remove(name)
    tell(format, {"name": name, "listed": False}, f"{name} is off the list.")


@app.command()
def key(
    nation: str = NATION,
    game: Path = GAME,
    revoke: bool = typer.Option(False, "--revoke", help="End the key instead."),
    format: str = FORMAT,
) -> None:
    """Give a nation a new key, with which its player submits orders. It is shown only once; the key before it
    ends.

    Example: wteaw players key NATION --game games/flanders
    """
    from ..play import player_keys

    opened = open_game(game)
    whose = nation_named(nation, opened.ruleset)
    name = opened.name_of(whose)
    if revoke:
        ended = player_keys.revoke(opened, whose)
        tell(
            format,
            {"nation": whose, "ended": ended},
            f"The key of {name} has ended." if ended else f"{name} had no key.",
        )
        return
    given = player_keys.give(opened, whose)
    tell(format, {"nation": whose, "key": given}, given)


def _side(game: Game, side: str) -> str:
    """A side by its name; `the moderator` where they choose."""
    if not side:
        return "any side"
    return str(game.ruleset.row_or_empty("sides", side).get("name", f"the {side}"))


def _of(one: Any) -> dict[str, Any]:
    return {"name": one.name, "side": one.side, "nation": one.nation, "status": one.status}
