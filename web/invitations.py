"""The invitation: everything a player needs to begin, in the first mail."""

from __future__ import annotations

from wteaw.store import Game

from .accounts import INVITED_MINUTES, Role
from .actions import name_of, written_reports
from .outbox import Mail
from .presenters import place_of
from .web import Desk, moment, page_address


def invite(desk: Desk, game: Game, role: Role, by: str) -> bool:
    """Queue the invitation of a player, with a link that is good for two weeks. `by`: who invites, in words.

    Returns whether there is an address, and not too many links were asked for.
    """
    token = desk.hall.people.link(role, INVITED_MINUTES) if role.email else None
    if token is None:
        return False
    title, nation = str(game.head["title"]), name_of(game, role.nation)
    due = moment(desk.hall.settings(game.id).due)
    turn = game.stage().position.turn
    began = turn <= 1 and not desk.hall.came(game.id)
    _, report, html = desk.hall.work(written_reports, *place_of(desk.hall.as_sent(game)), [role.nation], due)[
        role.nation
    ]
    answer = (
        "By mail: answer this mail with your orders, one a line. You are answered with what was understood, "
        "and may send again.\n"
        "Answer with the one word `help` to be told of every order.\n"
        if desk.post
        else ""
    )
    text = (
        f"{by} invites you to {'a game' if began else 'a game that is going on'} of {game.ruleset.title}: "
        f"{title}.\n"
        f"You play {nation}.\n\n"
        f"Come in here; the link is good for two weeks, and once:\n\n  {desk.url}/in/{token}\n\n"
        + (
            f"Your first orders, for turn {turn}, are due {due}.\n\n"
            if due
            else f"Your first orders are for turn {turn}.\n\n"
        )
        + "HOW TO ORDER\n"
        f"On your page: {page_address(desk, role, 'orders')}\n"
        "Click a place on the map and choose what its units do, or write one order a line; what you wrote "
        "is read back to you. "
        "Nothing counts until you press Send, and you may send again until orders are due.\n"
        f"{answer}"
        f"The rules, every order, and the words that are used: {page_address(desk, role, 'help')}\n\n"
        f"Keep this: the anchor of the game, published before anybody orders, is\n  {game.head['anchor']}\n"
        "By it anyone can check later that the game was not altered.\n\n"
        "If you do not want to play, do nothing, or tell whoever invites you.\n\n"
        "YOUR FIRST REPORT\n\n"
        f"{report}"
    )
    subject = f"{by} invites you: {title}, as {nation}"
    key = f"invite/{token[:12]}"
    return bool(
        desk.outbox.put(
            Mail(key, role.email, subject, text, html, game=game.id, role=role.id, reply=desk.post_of(role))
        )
    )
