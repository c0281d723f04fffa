"""Help for players, on a page and by mail: how to order, the orders of these rules with examples, the rules,
the words.

Everything about a ruleset is made from its rows. No player is sent to a command that only the machine of the
server has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from textwrap import wrap
from typing import Any

from wteaw.core.model import Ruleset
from wteaw.orders.readback import ReadBack
from wteaw.orders.reference import HELP, order_reference
from wteaw.report.render import EVERY_DIE, EVERY_DIE_AND_KEYS, WIDTH
from wteaw.store import Game

from .accounts import Role
from .games import Games
from .presenters import place_of
from .web import Server, page_address

ELSEWHERE: Mapping[str, str] = {
    HELP: "the page Help, or answer with `help`",
    EVERY_DIE: EVERY_DIE.replace("ask your moderator", "the page Proof"),
    **{said: EVERY_DIE_AND_KEYS.replace("ask your moderator", "the page Proof")
       for said in (EVERY_DIE_AND_KEYS, "\n".join(wrap(EVERY_DIE_AND_KEYS, WIDTH)))},
    "the report with every die": "the page Proof",
}  # fmt: skip
"""Commands that texts for players name -> where players find the same."""

GLOSSARY: tuple[tuple[str, str], ...] = (
    (
        "valid",
        "an order that is understood and allowed; what else happens in the turn may still keep it from "
        "succeeding",
    ),
    ("preview", "what your lines come to, in full words, with prices and warnings, before anything counts"),
    ("draft", "what you are writing; it is kept, and nobody but you sees it, until you send it"),
    (
        "send",
        "submit your orders; you may send as often as you like until they are due, and the last sending "
        "counts",
    ),
    ("due", "when orders are wanted; every page says it in your own time, every mail in UTC"),
    (
        "ready",
        "you say that you have nothing to add; when all players are ready the turn is resolved before it is "
        "due",
    ),
    ("moderator", "who runs the game: closes orders, resolves the turn, sends the reports"),
    (
        "anchor",
        "a value that is published before anybody orders; by it anyone can check later that the game was "
        "not altered",
    ),
    ("bot", "a nation without a player: a program orders for it"),
)


def for_players(text: str) -> str:
    """A text without commands of a machine that players do not have."""
    for said, instead in ELSEWHERE.items():
        text = text.replace(said, instead)
    return text


def without_commands(back: ReadBack) -> ReadBack:
    """A read-back without commands of a machine that players do not have."""
    found: ReadBack = _cleared(back)
    return found


def _cleared(value: Any) -> Any:
    if isinstance(value, str):
        return for_players(value) if any(said in value for said in ELSEWHERE) else value
    if isinstance(value, tuple):
        return tuple(map(_cleared, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _cleared(getattr(value, f.name)) for f in fields(value)})
    return value


def reference_of(hall: Games, game: Game, nation: str) -> str:
    """All orders that are open to a nation, with examples and prices."""
    key = ("reference", game.id, game.stage().number, game.stage().position.head, game.ruleset.hash, nation)
    return hall.kept(key, lambda: hall.work(_reference, *place_of(game), nation))


def _reference(hall: Games, id_: str, stage: int, head: str, nation: str) -> str:
    with hall.at(id_, stage, head) as game, hall.world(game, nation) as world:
        return for_players(order_reference(game.ruleset, world, nation))


def examples(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The name of every order, and what it does, as far as its row says so."""
    rows = [row for form in ("actions", "orders") for row in ruleset.rows(form).values()]
    return [(str(row["name"]), str(row["help"])) for row in rows if "help" in row and "name" in row]


def by_mail(server: Server, game: Game, role: Role) -> str:
    """The answer to a mail that asks for help."""
    words = "\n".join(
        "\n".join(wrap(f"{word}: {what}", WIDTH, initial_indent="  ", subsequent_indent="      "))
        for word, what in GLOSSARY
    )
    return (
        "HOW TO ORDER\n\n"
        f"On your page: {page_address(server, role, 'orders')}\n"
        "Click a place on the map, choose what its units do, look at the preview, press Send.\n\n"
        + (
            "By mail: answer any mail from this server, one order a line. You are answered with what was "
            "understood.\n\n"
            if server.post
            else ""
        )
        + "You may send as often as you like until orders are due; the last sending counts.\n"
        f"The rules in words: {page_address(server, role, 'rulebook')}\n\n"
        f"{reference_of(server.hall, game, role.nation)}\nWORDS\n\n{words}\n"
    )
