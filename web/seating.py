"""Who has which seat of a game, who waits for one, and how the one comes to the other: a page of the
moderator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.report.wording import counted
from wteaw.store import PLAYER, POLICY, Game
from wteaw.store.pool import WaitingList
from wteaw.turn.vacancies import vacancies

from .accounts import PLAYER as PLAYS
from .accounts import Role, address
from .actions import everybody, names_of
from .invitations import invite
from .moderator import head, me
from .sign_in import mail_link
from .web import Visit


def players(visit: Visit) -> Response:
    """Who has which seat, who waits for one, and links."""
    with visit.hall.game(visit.role.game) as game:
        pool = WaitingList(game)
        roles = [r for r in visit.hall.people.of_game(game.id) if r.id != visit.role.id]
        return visit.show(
            "players.html.j2",
            head=head(visit, game, "players"),
            roles=[
                (r, game.name_of(r.nation) if r.nation else "", visit.hall.people.sessions_of_role(r))
                for r in roles
            ],
            nations=names_of(game, list(everybody(game))),
            pool=pool.candidates(),
            vacant=[(v, game.name_of(v.nation)) for v in vacancies(game.seated_world())],
            sides=[(s, str(row.get("name", s))) for s, row in game.ruleset.rows("sides").items()],
        )


def seat(visit: Visit) -> Response:
    """Give a seat, take one, send a link, or work on the list of those who wait.

    What takes something from somebody is asked about first.
    """
    act = visit.form.get("act", "")
    if act not in ACTS:
        raise StoreError("nothing was chosen")
    with visit.hall.game(visit.role.game) as game:
        asked = None if visit.form.get("sure") == "1" else _taken_away(visit, game, act)
        if asked is not None:
            form = {name: value for name, value in visit.form.items() if name not in ("token", "sure")}
            return visit.show("sure.html.j2", head=head(visit, game, "players"), asked=asked, form=form)
        with visit.hall.changing(game.id):
            invited = ACTS[act](visit, game)
        if invited is not None:
            invite(visit.server, game, [invited], visit.role.name or visit.role.email)
    return visit.go("players", "linked" if act == "link" else "seated")


@dataclass(frozen=True)
class Confirmation:
    """A question before something is taken from somebody: what is about to be done, what it does, and the
    button that does it. `page` is where the form goes.
    """

    title: str
    says: tuple[str, ...]
    button: str
    page: str = "players"


def _taken_away(visit: Visit, game: Game, act: str) -> Confirmation | None:
    """What somebody loses by what the form asks for; nothing if nobody loses anything."""
    people = visit.hall.people
    if act == "remove":
        name = visit.form.get("name", "").strip()
        return Confirmation(
            f"Take {name} off the waiting list?",
            (f"{name} is no longer on the list, and is asked for no position. They are not told.",),
            "Take off the list",
        )
    role = _role(visit, game) if act == "end" else people.player(game.id, visit.form.get("nation", ""))
    if role is None or act not in ("end", "policy", PLAYS):
        return None
    who, says = role.name or role.email, _ends(visit, role)
    if role.role != PLAYS:
        return Confirmation(f"Remove {who}?", (*says, f"{who} sees nothing of the game any more."), "Remove")
    nation = game.name_of(role.nation)
    here = game.submissions().get(role.nation)
    if here is None:
        says.append(f"No orders of {nation} are in for this turn.")
    else:
        n = len(here.orders)
        says.append(
            f"The {counted(n, 'order')} that {who} sent for this turn stay{'s' if n == 1 else ''} in."
        )
    if act == PLAYS:
        new, email = visit.form.get("name", "").strip(), visit.form.get("email", "")
        if not new or not email.strip() or address(email) == role.email:
            return None
        return Confirmation(
            f"Give {nation} to {new}?",
            (f"{who} plays {nation} now, and loses it.", *says, f"{new} is invited."),
            "Give the nation",
        )
    if act == "policy":
        says.append(f"From the next orders on a bot orders for {nation}.")
    else:
        says.append(f"{nation} is vacant: a bot orders for it until you give it to somebody.")
    says.append(f"To undo it, give {nation} to {role.email} again: a new invitation goes out.")
    button = "Let a bot play" if act == "policy" else "Remove"
    title = f"Let a bot play {nation}?" if act == "policy" else f"Remove {who}, who plays {nation}?"
    return Confirmation(title, (f"{who} plays {nation} no longer, and is not told by mail.", *says), button)


def _ends(visit: Visit, role: Role) -> list[str]:
    n = len(visit.hall.people.sessions_of_role(role))
    open_ = f"{n} open session{'' if n == 1 else 's'} and the link" if n else "The link"
    return [f"{open_} of {role.email or role.name} end{'' if n else 's'} at once."]


def _role(visit: Visit, game: Game) -> Role:
    """The seat of the game that the form names, which is not one's own."""
    role = visit.hall.people.role(visit.form.get("role", ""))
    if role is None or role.game != game.id or role.id == visit.role.id:
        raise StoreError("nobody here has that role")
    return role


def _link(visit: Visit, game: Game) -> Role | None:
    """A fresh link; whoever plays and has never come in is invited once more."""
    role, people = _role(visit, game), visit.hall.people
    if role.role == PLAYS and role.email and not people.has_come(role):
        visit.hall.note(game.id, me(visit), f"Invited {role.name or role.nation} again")
        return role
    as_what = game.name_of(role.nation) if role.nation else role.role
    if not mail_link(visit.server, role, str(game.head["title"]), as_what):
        raise StoreError("no address is known, or too many links were sent lately")
    visit.hall.note(game.id, me(visit), f"Sent a link to {role.name or role.nation or role.role}")
    return None


def _end(visit: Visit, game: Game) -> None:
    role = _role(visit, game)
    visit.hall.people.end(role)
    if role.role == PLAYS and everybody(game).get(role.nation) == PLAYER:
        WaitingList(game).leave(role.nation)
    visit.hall.note(
        game.id, me(visit), f"{role.name or role.nation} is {role.role} no longer; the sessions ended"
    )


def _policy(visit: Visit, game: Game) -> None:
    nation = visit.form.get("nation", "")
    if nation not in everybody(game):
        raise StoreError("nobody commands this nation")
    game.command(nation, POLICY, "")
    if (role := visit.hall.people.player(game.id, nation)) is not None:
        visit.hall.people.end(role)
    visit.hall.note(game.id, me(visit), f"A bot plays {game.name_of(nation)} from now on")


def _add(visit: Visit, game: Game) -> None:
    form = visit.form
    WaitingList(game).add(form.get("name", "").strip(), form.get("email", ""), form.get("side", ""))


def _remove(visit: Visit, game: Game) -> None:
    WaitingList(game).remove(visit.form.get("name", "").strip())


def _propose(visit: Visit, game: Game) -> None:
    form = visit.form
    nation = form.get("nation", "")
    found = WaitingList(game).propose(nation, form.get("name", "").strip(), form.get("by", ""))
    visit.hall.note(game.id, me(visit), f"{found.name} is asked to command {game.name_of(nation)}")


def _agree(visit: Visit, game: Game) -> None:
    WaitingList(game).agree(visit.form.get("name", "").strip())


def _give(visit: Visit, game: Game) -> Role:
    """A position to somebody from the list, who has agreed."""
    nation = visit.form.get("nation", "")
    found = WaitingList(game).seat(nation)
    role = visit.hall.people.add(game.id, PLAYS, nation=nation, name=found.name, email=found.email)
    said = f"{found.name} commands {game.name_of(nation)} from now on; the old link and its sessions ended"
    visit.hall.note(game.id, me(visit), said)
    return role


def _invite(visit: Visit, game: Game) -> Role | None:
    """A role for an address. A player is invited afterwards; others are sent their link."""
    form = visit.form
    role, name, email = form["act"], form.get("name", "").strip(), form.get("email", "")
    nation = form.get("nation", "") if role == PLAYS else ""
    if not name or not email.strip():
        raise StoreError("a name and an e-mail address are wanted")
    email = address(email)
    if role == PLAYS:
        if nation not in game.ruleset.rows("nations"):
            raise StoreError("choose a nation")
        if everybody(game).get(nation) != PLAYER:
            game.command(nation, PLAYER, name)
    made = visit.hall.people.add(game.id, role, nation=nation, name=name, email=email)
    of = f" of {game.name_of(nation)}" if nation else ""
    visit.hall.note(game.id, me(visit), f"{made.name} is {role}{of}; a link was sent, old sessions ended")
    if nation:
        return made
    mail_link(visit.server, made, str(game.head["title"]), role)
    return None


ACTS: dict[str, Callable[[Visit, Game], Role | None]] = {
    "player": _invite,
    "spectator": _invite,
    "moderator": _invite,
    "link": _link,
    "end": _end,
    "policy": _policy,
    "add": _add,
    "remove": _remove,
    "propose": _propose,
    "agree": _agree,
    "seat": _give,
}
"""What the forms of the page do, each within one transaction; who is to be invited when that has ended."""
