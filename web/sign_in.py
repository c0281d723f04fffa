"""How people come in: the front page, links that are asked for and followed, sessions and how they end."""

from __future__ import annotations

from starlette.background import BackgroundTask
from starlette.responses import RedirectResponse, Response

from wteaw.core.messages import capital
from wteaw.store import StoreError

from .accounts import HOST, LINK_MINUTES, MODERATOR, PLAYER, Role, address
from .outbox import mail_to
from .web import Server, Visit, first_page, keep_browser, quick


@quick
def front(visit: Visit) -> Response:
    """What this browser has taken up, and where to ask for a link."""
    roles = [] if visit.fresh else [s.role for s in visit.hall.people.sessions_of_browser(visit.browser)]
    places = [(first_page(role), title(visit, role), what(visit, role)) for role in roles]
    public = [(g, game_title(visit, g)) for g in visit.hall.ids() if visit.hall.settings(g).public]
    return visit.show("front.html.j2", places=places, public=public, asked=visit.query("asked") == "1")


def title(visit: Visit, role: Role) -> str:
    """The game of a role."""
    return game_title(visit, role.game) if role.game else "this server"


def game_title(visit: Visit, game: str) -> str:
    try:
        with visit.hall.game(game) as found:
            return str(found.head["title"])
    except StoreError:
        return game


def what(visit: Visit, role: Role) -> str:
    """What somebody is there, in words."""
    if role.role != PLAYER:
        return {HOST: "host", MODERATOR: "moderator"}.get(role.role, "spectator")
    with visit.hall.game(role.game) as game:
        return game.name_of(role.nation)


@quick
def ask(visit: Visit) -> Response:
    """Send links to an address.

    The answer is the same whether it is known or not, and comes before anything is looked up.
    """
    visit.allow("ask for a link")
    given, seat = visit.form.get("email", ""), visit.form.get("seat", "")
    return RedirectResponse(
        "/?asked=1", status_code=303, background=BackgroundTask(_send_links, visit, given, seat)
    )


def _send_links(visit: Visit, given: str, seat: str) -> None:
    """Mail links to an address, or the link of one seat to the address that is known of it."""
    known: list[Role] = []
    if seat:
        role = visit.hall.people.role(seat)
        known = [role] if role is not None else []
    else:
        try:
            known = visit.hall.people.with_address(address(given))
        except StoreError:
            return
    for role in known:
        mail_link(visit.server, role, title(visit, role), what(visit, role))


def mail_link(server: Server, role: Role, game: str, as_what: str) -> bool:
    """Send a role its link.

    Returns whether one was made: not too many were asked for, and an address is known.
    """
    token = server.hall.people.link(role) if role.email else None
    if token is None:
        return False
    text = (
        f"This link lets you in once, as {as_what} of {game}. It is good for {LINK_MINUTES} minutes:\n\n"
        f"{server.url}/in/{token}\n\n"
        f"If it has expired, ask for another at {server.url}/ with this address.\n"
        "If you did not ask for it, do nothing: nobody comes in without it.\n"
    )
    return bool(server.outbox.put(mail_to(role, f"link/{token[:12]}", f"{capital(game)}: your link", text)))


@quick
def door(visit: Visit) -> Response:
    """A link: what it leads to, and the button that follows it.

    Looking uses nothing up, since mail programs look, too.
    """
    visit.allow("follow a link")
    found = visit.hall.people.look(str(visit.request.path_params["secret"]))
    if found is None:
        return visit.show("door.html.j2", status=404, state="none", game="", as_what="", orders=False)
    return visit.show(
        "door.html.j2",
        state=found.state,
        game=title(visit, found.role),
        as_what=what(visit, found.role),
        orders=found.role.role == PLAYER,
    )


@quick
def enter(visit: Visit) -> Response:
    """The button was pressed: use the link up, and give the browser a new secret.

    An old link can send a fresh one.
    """
    visit.allow("follow a link")
    secret = str(visit.request.path_params["secret"])
    people = visit.hall.people
    if visit.form.get("again"):
        found = people.look(secret)
        if found is not None:
            mail_link(visit.server, found.role, title(visit, found.role), what(visit, found.role))
        return RedirectResponse("/?asked=1", status_code=303)
    with visit.hall.changing(""):  # nobody is in without their owner's hearing of it
        came = people.enter(secret, visit.browser, visit.request.headers.get("user-agent", ""))
        if came is not None:
            _tell(visit, came[0].role, came[0].id, came[0].agent)
    if came is None:
        return RedirectResponse(visit.request.url.path, status_code=303)
    session, browser = came
    to = first_page(session.role)
    if visit.form.get("to") == "orders" and session.role.role == PLAYER:
        to = f"/seat/{session.role.id}/orders"
    response = RedirectResponse(to, status_code=303)
    keep_browser(response, visit.server, browser)
    return response


def _tell(visit: Visit, role: Role, session: str, agent: str) -> None:
    """The owner of a role hears of every browser that takes it up."""
    if not role.email:
        return
    game = title(visit, role)
    text = (
        f"Somebody came in as {what(visit, role)} of {game}, with your link, in this browser:\n  "
        f"{agent or 'unknown'}\n\n"
        f"If it was not you, ask for a link at {visit.server.url}/ and end that session on the page of your "
        "sessions.\n"
    )
    visit.server.outbox.put(mail_to(role, f"came/{session}", f"{capital(game)}: somebody came in", text))


# ---- sessions


@quick
def sessions(visit: Visit) -> Response:
    """Every browser in which this role is taken up, each with a button that ends it."""
    listed = visit.hall.people.sessions_of_role(visit.role)
    return visit.show("sessions.html.j2", listed=listed, mine=visit.session.id if visit.session else "")


@quick
def end_session(visit: Visit) -> Response:
    """End one session of this role, or all others."""
    people, role = visit.hall.people, visit.role
    mine = visit.session.id if visit.session else ""
    if visit.form.get("which") == "others":
        for one in people.sessions_of_role(role):
            if one.id != mine:
                people.leave(role, one.id)
        return visit.go("sessions", "ended")
    people.leave(role, visit.form.get("which", ""))
    return (
        visit.go("sessions", "ended")
        if visit.form.get("which") != mine
        else RedirectResponse("/", status_code=303)
    )
