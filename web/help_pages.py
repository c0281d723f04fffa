"""The page of help, and the rules of a game as a book."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from starlette.responses import Response

from wteaw.rulebook import page as rulebook_page

from .games import Games
from .help import GLOSSARY, examples, reference_of
from .player import head
from .presenters import place_of
from .web import Visit, first_page

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def page(visit: Visit) -> Response:
    """How to order, every order, the rules and the words."""
    nation = visit.role.nation
    with visit.hall.sent(visit.role.game) as game:
        return visit.show(
            "help.html.j2",
            head=head(visit, game, "help"),
            reference=reference_of(visit.hall, game, nation),
            examples=examples(game.ruleset),
            glossary=GLOSSARY,
            rules=game.ruleset.title,
            post=visit.server.post_of(visit.role),
        )


def book(visit: Visit) -> Response:
    """The rules of this game in words, as a page of its own."""
    with visit.hall.sent(visit.role.game) as game:
        made = visit.hall.kept(("book", game.ruleset.hash), lambda: visit.hall.work(_book, *place_of(game)))
    back = f'<p class="phase"><a href="{first_page(visit.role)}">Back to the game</a></p>'
    return Response(
        made.replace("<main>", f"<main>{back}", 1),
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": _policy(made)},
    )


def _policy(page: str) -> str:
    """What a page may do that styles itself: have the styles that it has, and nothing else."""
    styles = (b64encode(sha256(found[1].encode()).digest()).decode() for found in STYLE.finditer(page))
    allowed = " ".join(f"'sha256-{style}'" for style in styles)
    return (
        f"default-src 'none'; style-src {allowed}; base-uri 'none'; form-action 'none'; frame-ancestors "
        "'none'"
    )


def _book(hall: Games, id_: str, stage: int, head: str) -> str:
    with hall.at(id_, stage, head) as game:
        return rulebook_page(game.ruleset)
