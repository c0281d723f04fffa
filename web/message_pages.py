"""The pages of messages: what was written to the reader, who plays whom, and where to write."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from wteaw.store import PLAYER, Game

from . import moderator, player
from .accounts import PLAYER as PLAYS
from .actions import everybody
from .deadlines import rule_in_words
from .messages import ALL, LONGEST, addressed_as, messages_for, players_of, talk, write
from .pages import PageHead
from .web import Visit


def page_for_player(visit: Visit) -> Response:
    """A player's messages, who plays whom, and where to write."""
    with visit.hall.sent(visit.role.game) as game:
        return _page(visit, game, player.head(visit, game, "messages"))


def page_for_moderator(visit: Visit) -> Response:
    """The moderator's messages: announcements, what was written to all and to them."""
    with visit.hall.game(visit.role.game) as game:
        return _page(visit, game, moderator.head(visit, game, "messages"))


def _page(visit: Visit, game: Game, above: PageHead) -> Response:
    allowed = talk(visit.hall.settings(game.id))
    nations = [
        (n, game.name_of(n)) for n, who in everybody(game).items() if who == PLAYER and n != visit.role.nation
    ]
    is_player = visit.role.role == PLAYS
    people = players_of(visit.hall, game)
    return visit.show(
        "messages.html.j2",
        head=above,
        found=messages_for(visit.hall, game, visit.role),
        players=people,
        bots=[p.nation for p in people if p.bot],
        allowed=allowed,
        deadlines=rule_in_words(visit.hall.settings(game.id), game.ruleset),
        to_all=not is_player or "public" in allowed,
        to_some=not is_player or "private" in allowed,
        player=is_player,
        myself=addressed_as(visit.role),
        nations=sorted(nations, key=lambda one: one[1]),
        longest=LONGEST,
    )


def send(visit: Visit) -> Response:
    """Write a message."""
    visit.allow("message")
    chosen = _chosen(visit.form)
    with visit.hall.game(visit.role.game) as game:
        write(
            visit.server,
            game,
            visit.role,
            chosen,
            visit.form.get("text", ""),
            unsigned=bool(visit.form.get("unsigned")),
        )
    return visit.go("messages", "written")


def _chosen(form: Mapping[str, str]) -> list[str]:
    to = [name.removeprefix("to-") for name in form if name.startswith("to-")]
    return [ALL] if ALL in to else to
