"""Answers to what players ask in their own words, on a page and by mail: of the rules and of what their
nation knows (`wteaw.rulebook.questions`), and of who plays whom, which only the server knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

from wteaw.orders.mail_text import read_letter
from wteaw.orders.parse import is_question
from wteaw.report.render import WIDTH
from wteaw.rulebook.questions import inquiry
from wteaw.store import Game
from wteaw.world.world import World

from .games import Games
from .help import for_players
from .messages import players_of
from .web import moment

_WHO_PLAYS = re.compile(
    r"\bwho\b.*\b(?:plays?|playing|commands?)\b|\bwho(?:'s| is| are) (?:\w+ ){0,3}players?\b", re.I
)


def answered(hall: Games, game: Game, nation: str, question: str, world: World | None = None) -> list[str]:
    """The answer to a player's question in their own words, in lines.

    `world`: what the nation knows, where it is at hand.
    """
    if _WHO_PLAYS.search(question):
        lines = players_of(hall, game)
        named = [p for p in lines if p.nation.casefold() in question.casefold()]
        people = named or [p for p in lines if not p.bot]
        return [f"{p.nation}: {p.who}." for p in people] or ["Nobody plays yet: all nations are bots."]
    until = moment(hall.settings(game.id).due)
    due = f"Orders for turn {game.stage().position.turn} are due {until}." if until else ""
    return [for_players(line) for line in inquiry(game, nation, world=world, due=due).answer(question)]


def questions_in(text: str) -> list[str]:
    """The lines of a mail that ask something, up to what it quotes."""
    return [
        line.text.strip() for line in read_letter(text).lines if not line.quoted and is_question(line.text)
    ]


def answers_by_mail(hall: Games, game: Game, nation: str, questions: Iterable[str]) -> str:
    """Questions of a mail with their answers, as text."""
    out = []
    for question in questions:
        lines = answered(hall, game, nation, question)
        out.append(
            "\n".join(
                [
                    question,
                    *(
                        "\n".join(wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    "))
                        for line in lines
                    ),
                ]
            )
        )
    return "\n\n".join(out) + "\n"
