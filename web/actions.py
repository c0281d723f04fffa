"""The steps of a turn, as whoever takes them does it: the moderator on their pages, the worker at a deadline.

Closing, resolving and sending are transactions of their own; each is written down, and none is done twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wteaw.core.fairness import Commitment
from wteaw.play.pending import commanded, seats
from wteaw.play.questions import offers_in
from wteaw.play.resolve import resolve_turn
from wteaw.play.views import Views
from wteaw.report.render import as_html, as_text
from wteaw.report.turn_reports import last_turn, map_of_report, report
from wteaw.report.wording import Wording, counted
from wteaw.ruleset.randomness import rolls_dice
from wteaw.store import PLAYER, POLICY, Game, StoreError
from wteaw.turn import vacancies
from wteaw.turn.referee import Resolution

from .accounts import PLAYER as PLAYS
from .accounts import Role
from .games import Games, waits_for
from .help import for_players
from .outbox import mail_to
from .presenters import place_of
from .web import Server, moment, page_address, with_address


@dataclass(frozen=True)
class Seat:
    """A nation that a player commands: who they are, whether they have sent, and how many orders.

    `tried` is what was tried to hear of one who has not, and what came of them that was not taken.
    """

    nation: str
    name: str
    role: Role | None
    sent: bool
    says: str
    at: str
    seen: str
    tried: tuple[tuple[str, str], ...] = ()


def phase(hall: Games, game: Game) -> str:
    """Where a game stands between two turns: orders, closed, unread (resolved and not sent) or ended."""
    stage = game.stage()
    if hall.last_sent(game.id) != stage.number:
        return "unread"
    if stage.position.ended:
        return "ended"
    return "closed" if game.turn_record(stage.position.turn).closed == stage.number else "orders"


def seats_of(hall: Games, game: Game) -> list[Seat]:
    here = game.submissions()
    stage = game.stage()
    out = []
    for nation, seat in sorted(seats(game).items()):
        sent = here.get(nation)
        if seat in vacancies.UNFILLED and (sent is None or sent.by == POLICY):
            continue
        role = player_of(hall, game, nation)
        files = game.hand_ins_of(stage.position.turn, nation, stage=stage.number)
        seen = max((s.seen for s in hall.people.sessions_of_role(role)), default="") if role else ""
        by = f", by the {sent.by}" if sent and sent.by != PLAYER else ""
        says = f"{counted(len(sent.orders), 'order')}{by}" if sent else "nothing yet"
        out.append(
            Seat(
                nation,
                game.name_of(nation),
                role,
                sent is not None,
                says,
                files[-1].at if files and sent else "",
                seen,
            )
        )
    return sorted(out, key=lambda s: (s.sent, s.name))


def player_of(hall: Games, game: Game, nation: str) -> Role | None:
    """Who plays a nation: whoever has a seat of its own, else the player of the nation that commands it."""
    world = game.seated_world()
    return hall.people.player(game.id, nation) or hall.people.player(game.id, world.commander_of(nation))


def everybody(game: Game) -> dict[str, str]:
    """Who commands each nation that somebody commands."""
    world = game.seated_world()
    return {n: vacancies.seat(world, n) for n in commanded(game)}


def spoken_name(game: Game, nation: str) -> str:
    """A nation as it stands in a sentence: its short name, with its article."""
    return Wording(game.seated_world()).name(nation)


def names_of(game: Game, nations: list[str]) -> list[tuple[str, str]]:
    return sorted(((n, game.name_of(n)) for n in nations), key=lambda pair: pair[1])


@dataclass(frozen=True)
class Lines:
    """The lines of the log on what somebody does with a game."""

    hall: Games
    game: Game
    who: str

    def closed(self, turn: int, salts: Mapping[str, str]) -> None:
        share = f"; {counted(len(salts), 'player')} had a share in its dice" if self._dice else ""
        self.hall.note(self.game.id, self.who, f"Closed the orders of turn {turn}{share}")

    def resolved(self, turn: int, result: Resolution, missing: Sequence[str], sealed: Commitment) -> None:
        without = f" without {', '.join(self.game.name_of(n) for n in missing)}" if missing else ""
        seal = f"; the dice of turn {sealed.turn} are sealed: {sealed.root[:16]}" if self._dice else ""
        self.hall.note(
            self.game.id,
            self.who,
            f"Resolved turn {turn}{without}: {len(result.entries)} entries, journal "
            f"{result.position.head[:16]}{seal}",
        )

    @property
    def _dice(self) -> bool:
        return rolls_dice(self.game.ruleset)


def close_orders(hall: Games, game: Game, who: str) -> None:
    """Close the orders of the present stage, and write it down."""
    game.close(Lines(hall, game, who))


def resolve_at(hall: Games, id_: str, number: int, who: str, force: bool) -> None:
    """Resolve the turn of a game that stands at a stage. StoreError if it has moved on."""
    with hall.game(id_) as game:
        if game.stage().number != number:
            raise StoreError("the game has moved on meanwhile; look at it again")
        resolve_now(hall, game, who, force=force)


def resolve_now(hall: Games, game: Game, who: str, *, force: bool = False) -> None:
    """Resolve the present turn, and write it down with the heads of what it led to."""
    resolve_turn(game, force=force, scribe=Lines(hall, game, who))


def send_reports(server: Server, game: Game, who: str) -> None:
    """Queue every player's report and let the pages show the present position: both or neither."""
    hall = server.hall
    turn = last_turn(game)
    seat_commanders(hall, game, who)
    roles = {
        n: hall.people.player(game.id, n) for n, seat in sorted(everybody(game).items()) if seat == PLAYER
    }
    reached = {n: r for n, r in roles.items() if r is not None and r.email}
    stage = game.stage()
    mails = []
    run = hall.settings(game.id)
    due = "" if stage.position.ended else moment(hall.next_deadline(run, waits_for(game)), run.zone)
    for nation, (title, text, html) in hall.work(
        written_reports, *place_of(game), list(reached), due
    ).items():
        text = f"{_how_to_answer(server, reached[nation], stage.position.ended, game)}\n\n{text}"
        key = f"report/{game.id}/{stage.number}/{stage.position.head[:16]}/{nation}"
        role = reached[nation]
        mails.append(mail_to(role, key, title, text, html, reply=server.post_of(role)))
    with hall.changing(game.id):
        if hall.send(game, mails):
            if turn < stage.position.turn or stage.position.ended:
                game.note_opened(turn)  # the pages show what came of its dice, also to those without a mail
            now = hall.settings(game.id)
            due = (
                f"; orders are due {moment(now.due, now.zone)}"
                if now.due and not stage.position.ended
                else ""
            )
            hall.note(
                game.id,
                who,
                f"Sent turn {turn}: {counted(len(mails), 'report')} by mail, common news on the pages{due}",
            )


def seat_commanders(hall: Games, game: Game, who: str) -> None:
    """Give whoever plays a nation a seat for each nation that it commands and that has none: there its orders
    are written.
    """
    for nation, seat in sorted(everybody(game).items()):
        player = player_of(hall, game, nation) if seat == PLAYER else None
        if player is not None and player.nation != nation:
            hall.people.add(game.id, PLAYS, nation=nation, name=player.name, email=player.email)
            hall.note(
                game.id, who, f"{player.name or player.nation} plays {game.name_of(nation)} from now on, too"
            )


def _how_to_answer(server: Server, role: Role, ended: bool, game: Game) -> str:
    """What a mailed report begins with: where orders go, and where dice are checked."""
    dice = rolls_dice(game.ruleset)
    if ended:
        proved = ", and all dice can be checked" if dice else ""
        return f"Everything is shown{proved}: {page_address(server, role, 'turn')}"
    answer = (
        "Or answer this mail with the form at its end (answer `help` to be told of every order).\n"
        if server.post
        else ""
    )
    # no full stop stands behind an address: some programs take it for a part of it
    proof = f"Your dice can be checked here: {page_address(server, role, 'proof')}\n" if dice else ""
    return f"Write your orders here: {page_address(server, role, 'orders')}\n{answer}{proof}".rstrip()


def written_reports(
    hall: Games, id_: str, stage: int, head: str, nations: list[str], due: str
) -> dict[str, tuple[str, str, str]]:
    """The reports of nations on the last turn of a game as it stood at a stage: title, text and HTML of each.

    `due`: until when the next orders are wanted, in words, or nothing.
    """
    with hall.at(id_, stage, head) as game:
        views, drawing, out = Views(game), game.drawing(), {}
        for nation in nations:
            data = report(game, nation, views=views, due=due)
            drawn = map_of_report(game, data, views, drawing)
            title = (
                f"{data.game}, turn {data.turn}: {data.name}" if data.turn else f"{data.game}: {data.name}"
            )
            out[nation] = title, for_players(as_text(data)), for_players(as_html(data, drawn))
        return out


def tell_offers(server: Server, game: Game) -> None:
    """Queue a mail to each player to whom something is offered that they have not answered; the same offer is
    told once.
    """
    turn, title, due = game.stage().position.turn, str(game.head["title"]), server.hall.settings(game.id)
    for offer in offers_in(game):
        role = player_of(server.hall, game, offer.to)
        if role is None or not role.email:
            continue
        answer = ", or answer this mail with your orders and that line" if server.post else ""
        until = f" until {moment(due.due, due.zone)}" if due.due else ""
        text = with_address(
            server, role, f"{offer.said}\n\nYou can answer{until}, among your orders for turn {turn}{answer}."
        )
        key = f"offer/{game.id}/{game.stage().number}/{offer.by}/{offer.to}/{offer.key}"
        subject = f"{title}, turn {turn}: {game.name_of(offer.by)} makes you an offer"
        server.outbox.put(mail_to(role, key, subject, text, reply=server.post_of(role)))


def send_reminders(server: Server, game: Game, late: list[Seat], occasion: str) -> list[str]:
    """Queue a reminder for each seat that is late; those of one occasion once.

    Gives the names of the nations.
    """
    turn = game.stage().position.turn
    title = str(game.head["title"])
    settings = server.hall.settings(game.id)
    answer = ", or in an answer to this mail" if server.post else ""
    due = f" They are due {moment(settings.due, settings.zone)}." if settings.due else ""
    out = []
    for seat in late:
        if seat.role is None or not seat.role.email:
            continue
        where = page_address(server, seat.role, "orders")
        text = (
            f"Your orders for turn {turn} of {title} ({seat.name}) have not come in.{due}\n\nWrite them "
            f"on your page{answer}: {where}\n"
        )
        key = f"remind/{game.id}/{game.stage().number}/{seat.nation}/{occasion}"
        subject = f"{title}, turn {turn}: your orders are missing"
        new = server.outbox.put(mail_to(seat.role, key, subject, text, reply=server.post_of(seat.role)))
        if new:
            out.append(seat.name)
    return out
