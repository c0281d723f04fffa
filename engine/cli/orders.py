"""`wteaw orders`: a nation's order file: written from its legal orders, checked, and submitted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from . import ExitCode, Stop, command_group, number_of_orders, of_os_error, tell
from .game import open_game
from .terminal import say

if TYPE_CHECKING:
    from ..orders.intake import Intake
    from ..store import Game, Submission
    from ..world.world import World

app = command_group("Write, check and submit orders.")
GAME = typer.Option(..., "--game", help="The folder of the game.")
NATION = typer.Option("", "--nation", help="Whose orders these are, as the moderator.")
KEY = typer.Option("", "--key", envvar="WTEAW_KEY", help="The player's key.")
SHORT_FORMAT = typer.Option("text", "--format", help="text or json.")
FORMAT = typer.Option("text", "--format", help="text, json, sarif or github.")
FILE = typer.Argument(..., help="A file of orders, or - for what is typed in.")


@app.command()
def template(
    game: Path = GAME,
    nation: str = typer.Option(..., "--nation", help="The nation's id or name."),
    out: Path = typer.Option(None, "--out", help="Write it to this file."),
    format: str = SHORT_FORMAT,
) -> None:
    """Write an order file with all that a nation may order now.

    Example: wteaw orders template --game games/flanders --nation NAME --out orders.txt
    """
    from ..orders.sheet_layout import order_template
    from ..play.questions import offers_to
    from ..play.views import view_world

    opened = open_game(game)
    whose = _named(opened, nation)
    asked = [(o.says, o.answers) for o in offers_to(opened, whose)]
    text = order_template(view_world(opened, whose), whose, game=opened.id, asked=asked)
    if format == "json":
        tell(format, {"game": opened.id, "nation": whose, "turn": opened.stage().position.turn, "text": text})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@app.command()
def reference(
    path: Path = typer.Argument(
        None, help="The folder of a ruleset; by default that of the game, else the shipped base ruleset."
    ),
    game: Path = typer.Option(
        None, "--game", help="The folder of a game, for what its rules and the position say."
    ),
    nation: str = typer.Option(
        "", "--nation", help="With a game: only what is open to this nation, with its prices."
    ),
    out: Path = typer.Option(None, "--out", help="Write it to this file."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Write how every order is written, with prices.

    Syntax, conditions and tasks.

    Example: wteaw orders reference --game games/flanders --nation NATION
    """
    from ..orders.reference import order_reference
    from .show import sound_ruleset

    if game is None and nation:
        raise Stop("a nation's reference is that of a game: --game DIR", ExitCode.CALL)
    if game is not None and path is not None:
        raise Stop("name a ruleset or a game, not both", ExitCode.CALL)
    if game is not None:
        opened = open_game(game)
        whose = _named(opened, nation) if nation else ""
        text = order_reference(opened.ruleset, _worlds(opened)(whose) if whose else None, whose)
    else:
        text = order_reference(sound_ruleset(path)[1])
    shown = text if format == "text" else json.dumps({"reference": text}, ensure_ascii=False) + "\n"
    if out is None:
        typer.echo(shown, nl=False)
    else:
        out.write_text(shown, encoding="utf-8")


@app.command()
def check(
    file: str = FILE,
    game: Path = GAME,
    nation: str = typer.Option(
        "", "--nation", help="The nation's id or name; by default the one that the file names."
    ),
    format: str = FORMAT,
) -> None:
    """Check a file of orders and show it in full words.

    By what its nation may know. Nothing is submitted.

    Example: wteaw orders check orders.txt --game games/flanders
    """
    from ..orders.mail_text import asks_for_help
    from ..orders.reference import order_reference

    opened = open_game(game)
    taken, text, world = _read(opened, file, _named(opened, nation) if nation else None)
    _show(opened, taken, world, format)
    if format == "text" and asks_for_help(text) and world is not None:
        say("\n" + order_reference(opened.ruleset, world, taken.nation or ""), nl=False)
    if not taken.clean:
        raise typer.Exit(ExitCode.FOUND)


@app.command()
def submit(
    file: str = FILE,
    game: Path = GAME,
    nation: str = NATION,
    key: str = KEY,
    format: str = FORMAT,
    proxy: str = typer.Option(
        "", "--proxy", help="The ally who gives these orders for a nation that has sent none."
    ),
    only_whole: bool = typer.Option(False, "--only-whole", help="Submit nothing if any line is refused."),
) -> None:
    """Check a file of orders and submit its valid lines.

    They take the place of what the nation sent before. A player shows their key (`wteaw players key`); the
    moderator says whose orders they are. The first line of a file alone is not enough. A file without a
    valid line changes nothing.

    Example: wteaw orders submit orders.txt --game games/flanders --nation NATION
    """
    from ..play.questions import told_of
    from ..play.submit import NothingStands, hand_in, part_in_dice

    opened = open_game(game)
    whose, by = _seat(opened, nation, key)
    taken, text, world = _read(opened, file, whose)
    _show(opened, taken, world, format)
    before = _before(opened, whose)
    try:
        ally = _named(opened, proxy) if proxy else ""
        salt = hand_in(opened, whose, text, by, taken=taken, proxy=ally, only_whole=only_whole).salt
    except NothingStands:
        _tell_verdict(format, [f"Nothing was submitted; {_still_counts(opened, whose)}."])
        raise typer.Exit(ExitCode.FOUND) from None
    verdict = [f"{_several(len(taken.orders))} submitted for {opened.name_of(whose)}; before, {before}."]
    verdict += filter(None, [part_in_dice(opened, whose, salt)])
    verdict += told_of(opened, whose)
    _tell_verdict(format, verdict)
    if not taken.clean:
        raise typer.Exit(ExitCode.FOUND)


def _tell_verdict(format: str, lines: list[str]) -> None:
    """What became of a file: below its read-back; beside the data where that is asked for, which stays
    whole.
    """
    for line in lines:
        say(line) if format == "text" else print(line, file=sys.stderr)


@app.command()
def show(game: Path = GAME, nation: str = NATION, key: str = KEY, format: str = SHORT_FORMAT) -> None:
    """Show the orders that count for a nation now.

    Every file that it has submitted for this stage is listed, too.

    Example: wteaw orders show --game games/flanders --nation NATION
    """
    from ..orders.readback import read_back
    from ..orders.readback_text import rendered
    from ..play.answers import answer_in_words, in_words
    from ..play.questions import offers_to

    opened = open_game(game)
    whose, _ = _seat(opened, nation, key)
    stage = opened.stage()
    turn = stage.position.turn
    here = opened.submissions().get(whose)
    decided = opened.decided().get(whose, {})
    asked = offers_to(opened, whose)
    files = opened.hand_ins_of(turn, whose, stage=stage.number)
    back = None
    if here is not None:
        taken, world = _standing(opened, here)
        back = read_back(world, taken, game=opened.id, with_odds=True)
    if format == "json":
        listed = [
            {"number": h.number, "at": h.at, "by": h.submission.by, "orders": len(h.submission.orders)}
            for h in files
        ]
        orders = [
            {k: o[k] for k in ("order", "text", "slots") if k in o} for o in (here.orders if here else ())
        ]
        said = {
            "nation": whose, "by": here.by if here else None, "orders": orders, "files": listed,
            "answers": dict(here.answers) if here else {}, "decided": decided,
            "offered": [{"by": o.by, "decision": o.key, "says": o.says, "default": o.default} for o in asked],
        }  # fmt: skip
        typer.echo(
            json.dumps(
                {**said, "read_back": back.to_json() if back else None}, ensure_ascii=False, default=str
            )
        )
        return
    if here is None or back is None:
        typer.echo(f"{opened.name_of(whose)} has submitted nothing for turn {turn}.")
    else:
        typer.echo(rendered(back, received=f"Sent by the {here.by}"), nl=False)
    for key, answer in decided.items():
        words, given = in_words(opened, key), answer_in_words(opened, answer)
        typer.echo(
            f"The moderator answers {words}: {given} (until orders of {opened.name_of(whose)} answer it)"
        )
    for offer in asked:
        typer.echo(f"NOT ANSWERED: {offer.said}")
    for one in files:
        typer.echo(
            f"file {one.number}, {one.at}, by the {one.submission.by}: "
            f"{number_of_orders(len(one.submission.orders))}"
        )


@app.command()
def back(
    game: Path = GAME,
    nation: str = NATION,
    key: str = KEY,
    to: int = typer.Option(
        ..., "--to", help="The number of a file submitted before, as `orders show` lists them."
    ),
    format: str = SHORT_FORMAT,
) -> None:
    """Let a file of orders that was sent before count again.

    What was submitted since is taken back. Until orders are closed.

    Example: wteaw orders back --to 3 --game games/flanders --nation NATION
    """
    from dataclasses import replace

    opened = open_game(game)
    whose, by = _seat(opened, nation, key)
    stage = opened.stage()
    files = opened.hand_ins_of(stage.position.turn, whose, stage=stage.number)
    chosen = next((h for h in files if h.number == to), None)
    if chosen is None:
        numbers = ", ".join(str(h.number) for h in files) or "none"
        raise Stop(f"{whose} has submitted no file {to} for this stage; there are {numbers}", ExitCode.CALL)
    opened.submit(replace(chosen.submission, by=by))
    n = len(chosen.submission.orders)
    tell(
        format,
        {"nation": whose, "file": to, "orders": n},
        f"The {_several(n).rpartition(' ')[0]} of file {to} count again for {opened.name_of(whose)}.",
    )


# ---- whose orders


def _named(game: Game, nation: str) -> str:
    from .names import nation_named

    return nation_named(nation, game.ruleset, game.stage().position.state)


def _seat(game: Game, nation: str, key: str) -> tuple[str, str]:
    """Whose orders are submitted, looked at or taken back, and by whom: the nation's player with the key, or
    the moderator.

    The key of a seat is good for every nation that its own nation commands.
    """
    from ..play.player_keys import holder
    from ..store import MODERATOR, PLAYER

    if not key and not nation:
        raise Stop(
            "say whose orders these are: --key KEY as the player, --nation NATION as the moderator",
            ExitCode.CALL,
        )
    if not key:
        return _named(game, nation), MODERATOR
    whose = holder(game, key)
    if whose is None:
        raise Stop("this key is for no nation of the game, or it has been revoked; nothing was changed")
    if not nation or (named := _named(game, nation)) == whose:
        return whose, PLAYER
    world = game.seated_world()
    if world.commander_of(named) != whose:
        theirs, other = game.name_of(whose), game.name_of(named)
        raise Stop(f"this key is for {theirs}, not for {other}; nothing was changed")
    return named, PLAYER


def _before(game: Game, nation: str) -> str:
    """What a nation has submitted so far, in words."""
    here = game.submissions().get(nation)
    if here is None:
        return "nothing was submitted"
    many = len(here.orders)
    return f"{number_of_orders(many)} {'was' if many == 1 else 'were'} submitted"


def _still_counts(game: Game, nation: str) -> str:
    """What counts for a nation of which nothing more is taken, in words."""
    here = game.submissions().get(nation)
    if here is None:
        return "nothing had been submitted before"
    many = len(here.orders)
    return f"{number_of_orders(many)} submitted before {'still counts' if many == 1 else 'still count'}"


def _several(n: int) -> str:
    return f"{number_of_orders(n)} {'is' if n == 1 else 'are'}"


# ---- reading and reading back


def _read(game: Game, file: str, whose: str | None) -> tuple[Intake, str, World | None]:
    """What a file comes to, its text, and the world as its nation knows it (None where it names none)."""
    from ..orders.intake import take_in

    text = _text(file)
    world_of = _worlds(game)
    turn = game.stage().position.turn
    taken = take_in(game.ruleset, text, world_of, nation=whose, game=game.id, turn=turn, file=file)
    return taken, text, world_of(taken.nation) if taken.nation else None


def _text(file: str) -> str:
    """What stands in a file of orders, or is typed in. Stop where it is too long for orders, empty, or no
    text.
    """
    from ..orders.mail_text import MOST

    try:
        if file == "-":
            text = sys.stdin.read(MOST + 1)
        else:
            with Path(file).open(encoding="utf-8-sig") as opened:
                text = opened.read(MOST + 1)
    except OSError as error:
        raise Stop(f"{file} cannot be read: {error.strerror}", of_os_error(error)) from None
    except UnicodeDecodeError as error:
        raise Stop(f"{file} is no text in UTF-8 (byte {error.start + 1} is none)", ExitCode.FOUND) from None
    if len(text) > MOST:
        raise Stop(f"{file} is longer than {MOST:,} characters: no file of orders is", ExitCode.FOUND)
    if not text.strip():
        raise Stop(f"{file} is empty; an order sheet sent unchanged orders nothing", ExitCode.FOUND)
    return text


def _worlds(game: Game) -> Callable[[str], World]:
    from ..play.views import view_world

    return cache(lambda nation: view_world(game, nation))


def _standing(game: Game, here: Submission) -> tuple[Intake, World]:
    """What the orders that count for a nation come to: from its text as it was sent, else from the orders
    themselves.
    """
    from ..orders.intake import accept, take_in

    world = _worlds(game)(here.nation)
    if here.text.strip():
        taken = take_in(
            game.ruleset, here.text, lambda _: world, nation=here.nation, turn=game.stage().position.turn
        )
        if list(taken.orders) == list(here.orders):
            return taken, world
    return accept(world, here.nation, here.orders), world


def _show(game: Game, taken: Intake, world: World | None, format: str) -> None:
    from ..core.diagnostics import render
    from ..orders.readback import read_back
    from ..orders.readback_text import rendered

    def answer(question: str) -> list[str]:
        from ..rulebook.questions import inquiry  # no file of orders without a question needs it

        return inquiry(game, taken.nation or "", world=world).answer(question)

    if world is None:
        (say if format == "text" else typer.echo)(render(taken.found, format))
        return
    if format == "text":
        say(rendered(read_back(world, taken, game=game.id, with_odds=True, answer=answer)), nl=False)
    elif format == "json":
        said = {
            **json.loads(render(taken.found, "json")),
            "read_back": read_back(world, taken, game=game.id, with_odds=True, answer=answer).to_json(),
        }
        typer.echo(json.dumps(said, ensure_ascii=False, indent=1, default=str))
    else:
        typer.echo(render(taken.found, format))
