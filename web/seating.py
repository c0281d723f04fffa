"""Who has which seat of a game, who waits for one, and how the one comes to the other: a page of the
moderator.
"""

from __future__ import annotations

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.store import PLAYER, POLICY, Game
from wteaw.store.pool import WaitingList
from wteaw.turn.vacancies import vacancies

from .accounts import PLAYER as PLAYS
from .actions import everybody, name_of, names_of
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
                (r, name_of(game, r.nation) if r.nation else "", visit.hall.people.sessions_of_role(r))
                for r in roles
            ],
            nations=names_of(game, list(everybody(game))),
            pool=pool.candidates(),
            vacant=[(v, name_of(game, v.nation)) for v in vacancies(pool.world())],
            sides=[(s, str(row.get("name", s))) for s, row in game.ruleset.rows("sides").items()],
        )


def seat(visit: Visit) -> Response:
    """Give a seat, take one, send a link, or work on the list of those who wait."""
    form = visit.form
    act, name, nation = form.get("act", ""), form.get("name", "").strip(), form.get("nation", "")
    people = visit.hall.people
    with visit.hall.game(visit.role.game) as game, visit.hall.changing(game.id):
        pool = WaitingList(game)
        if act in ("player", "spectator", "moderator"):
            _invite(visit, game, act, name, nation if act == "player" else "", form.get("email", ""))
        elif act in ("link", "end"):
            role = people.role(form.get("role", ""))
            if role is None or role.game != game.id or role.id == visit.role.id:
                raise StoreError("there is no such seat")
            if act == "link":
                if not mail_link(
                    visit.desk,
                    role,
                    str(game.head["title"]),
                    name_of(game, role.nation) if role.nation else role.role,
                ):
                    raise StoreError("no address is known, or too many links were sent lately")
                visit.hall.note(game.id, me(visit), f"Sent a link to {role.name or role.nation or role.role}")
                return visit.go("players", "linked")
            people.end(role)
            if role.role == PLAYS and everybody(game).get(role.nation) == PLAYER:
                pool.leave(role.nation)
            visit.hall.note(
                game.id, me(visit), f"{role.name or role.nation} is {role.role} no longer; the sessions ended"
            )
        elif act == "policy":
            if nation not in everybody(game):
                raise StoreError("nobody commands this nation")
            game.command(nation, POLICY, "")
            if (role := people.player(game.id, nation)) is not None:
                people.end(role)
            visit.hall.note(game.id, me(visit), f"A policy plays {name_of(game, nation)} from now on")
        elif act == "add":
            pool.add(name, form.get("email", ""), form.get("side", ""))
        elif act == "remove":
            pool.remove(name)
        elif act == "propose":
            found = pool.propose(nation, name, form.get("by", ""))
            visit.hall.note(game.id, me(visit), f"{found.name} is asked to command {name_of(game, nation)}")
        elif act == "agree":
            pool.agree(name)
        elif act == "seat":
            found = pool.seat(nation)
            role = people.add(game.id, PLAYS, nation=nation, name=found.name, email=found.email)
            invite(visit.desk, game, role, visit.role.name or visit.role.email)
            name = name_of(game, nation)
            visit.hall.note(
                game.id,
                me(visit),
                f"{found.name} commands {name} from now on; the old link and its sessions ended",
            )
        else:
            raise StoreError("nothing was chosen")
    return visit.go("players", "seated")


def _invite(visit: Visit, game: Game, role: str, name: str, nation: str, email: str) -> None:
    if not name or not email:
        raise StoreError("a name and an e-mail address are wanted")
    if role == "player":
        if nation not in game.ruleset.rows("nations"):
            raise StoreError("choose a nation")
        if everybody(game).get(nation) != PLAYER:
            game.command(nation, PLAYER, name)
    made = visit.hall.people.add(game.id, role, nation=nation, name=name, email=email)
    if nation:
        invite(visit.desk, game, made, visit.role.name or visit.role.email)
    else:
        mail_link(visit.desk, made, str(game.head["title"]), role)
    of = f" of {name_of(game, nation)}" if nation else ""
    visit.hall.note(game.id, me(visit), f"{made.name} is {role}{of}; a link was sent, old sessions ended")
