"""The invitation: everything a player needs to begin, in the first mail."""

from __future__ import annotations

from collections.abc import Sequence

from wteaw.core.messages import capital
from wteaw.store import Game

from .accounts import INVITED_MINUTES, Role
from .actions import spoken_name, written_reports
from .deadlines import rule_in_words
from .outbox import Mail, mail_to
from .presenters import place_of
from .web import Server, moment, page_address


def invite(server: Server, game: Game, roles: Sequence[Role], by: str) -> None:
    """Queue the invitations of players, each with a link that is good for two weeks. `by`: who invites, in
    words.

    Who has no address, or asked for too many links, is passed over. The reports take long: not within a
    transaction.
    """
    run = server.hall.settings(game.id)
    due = moment(run.due, run.zone)
    reports = server.hall.work(
        written_reports, *place_of(server.hall.as_sent(game)), [r.nation for r in roles if r.email], due
    )
    for role in roles:
        token = server.hall.people.link(role, INVITED_MINUTES) if role.email else None
        if token is not None:
            _, report, html = reports[role.nation]
            server.outbox.put(_invitation(server, game, role, by, token, due, report, html))


def _invitation(
    server: Server, game: Game, role: Role, by: str, token: str, due: str, report: str, html: str
) -> Mail:
    title, nation = str(game.head["title"]), spoken_name(game, role.nation)
    turn = game.stage().position.turn
    began = turn <= game.first_turn() and not server.hall.came(game.id)
    answer = (
        "By mail: answer this mail with your orders, one a line. You are answered with what was understood, "
        "and may send again.\n"
        "Answer with the one word `help` to be told of every order.\n"
        if server.post
        else ""
    )
    text = (
        f"{capital(by)} invites you to {'a game' if began else 'a game that is going on'} of "
        f"{game.ruleset.title}: {title}.\n"
        f"You play {nation}.\n\n"
        f"Come in here; the link is good for two weeks, and once:\n\n  {server.url}/in/{token}\n\n"
        + (
            f"Your first orders, for turn {turn}, are due {due}.\n\n"
            if due
            else f"Your first orders are for turn {turn}.\n\n"
        )
        + f"{' '.join(rule_in_words(server.hall.settings(game.id), game.ruleset))}\n\n"
        + "HOW TO ORDER\n"
        f"On your page: {page_address(server, role, 'orders')}\n"
        "Click a place on the map and choose what its units do, or write one order a line; you are shown "
        "what it comes to. "
        "Nothing counts until you press Send, and you may send again until orders are due.\n"
        f"{answer}"
        f"The rules, every order, and the words that are used: {page_address(server, role, 'help')}\n\n"
        f"Keep this: the anchor of the game, published before anybody orders, is\n  {game.head['anchor']}\n"
        "By it anyone can check later that the game was not altered.\n\n"
        "If you do not want to play, do nothing, or tell the person who invites you.\n\n"
        "YOUR FIRST REPORT\n\n"
        f"{report}"
    )
    subject = f"{capital(by)} invites you: {title}, as {nation}"
    key = f"invite/{token[:12]}"
    return mail_to(role, key, subject, text, html, reply=server.post_of(role))
