"""The pages of a game's moderator: who has sent, what waits for them, and the six steps of a turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.core.frame import inputs
from wteaw.core.model import Ruleset
from wteaw.orders.readback_text import rendered
from wteaw.play.answers import (
    ListedDecision,
    answer_for,
    answer_in_words,
    answer_named,
    in_words,
    key_named,
    listed,
)
from wteaw.play.pending import commanded, open_decisions, points, seats, standing_of
from wteaw.play.questions import offers_in
from wteaw.play.resolve import planned, resolve_turn
from wteaw.play.submit import hand_in
from wteaw.play.views import whole_world
from wteaw.report.build import Report, moderator_report
from wteaw.report.document import ReportPart
from wteaw.report.turn_reports import reported_turns
from wteaw.ruleset.randomness import rolls_dice
from wteaw.store import MODERATOR, PLAYER, POLICY, Game, Submission
from wteaw.turn.decisions import MODERATOR as ASKED
from wteaw.turn.left_open import OpenDecision, left_open
from wteaw.world.world import World

from .accounts import stamp
from .actions import (
    Seat,
    close_orders,
    everybody,
    names_of,
    phase,
    resolve_at,
    seats_of,
    send_reminders,
    send_reports,
    tell_offers,
)
from .deadlines import days_off, time_of
from .games import AUTO, Games, Settings
from .messages import TALK
from .order_intake import back_of, receipt
from .pages import PageHead, map_page, map_picture
from .presenters import ALL, place_of, sight
from .ready import ready_nations
from .web import Visit, moment

PAGES = [
    ("game", "Turn"),
    ("map", "Map"),
    ("players", "Players"),
    ("messages", "Messages"),
    ("mail", "Mail"),
    ("history", "History"),
    ("rules", "Rules"),
]
DONE = {
    "closed": "Orders are closed. Nothing comes in any more.",
    "resolved": "The turn is resolved. Nobody but you has seen it yet: read it, then send it.",
    "sent": "The reports are on their way, and the pages show them.",
    "reminded": "The reminders are on their way.",
    "set": "What you have set holds from now on.",
    "ordered": "The orders have been taken.",
    "decided": "The answer has been taken.",
    "back": "The game has gone back.",
    "seated": "It is done.",
    "linked": "A link is on its way.",
    "again": "It is tried again.",
    "written": "The message is on its way.",
    "upgraded": "The game goes on under the new rules.",
}


MOST_DAYS, MOST_REMIND = 365, 24 * 14
"""Days of a turn, and hours of a reminder before the deadline."""


@dataclass(frozen=True)
class ModeratorStep:
    """One of the six steps: its name, what there is to say of it, and whether it is done, now or next."""

    name: str
    says: str
    state: str


def head(visit: Visit, game: Game, page: str) -> PageHead:
    """What stands above each page of a moderator."""
    return PageHead.of(visit, game, "moderator", page, PAGES, DONE)


# ---- the turn


def game(visit: Visit) -> Response:
    """The game in six steps, with what waits."""
    hall = visit.hall
    with hall.game(visit.role.game) as game:
        at = phase(hall, game)
        told = standing_of(game)
        who = [s if s.sent else replace(s, tried=_tried(visit, game, s)) for s in seats_of(hall, game)]
        late = [s for s in who if not s.sent]
        decisions = _decisions(game)
        values: dict[str, Any] = {
            "head": head(visit, game, "game"),
            "at": at,
            "who": who,
            "late": late,
            "played": names_of(game, told["policies"]),
            "steps": _steps(at, who, late, len(decisions.waiting), rolls_dice(game.ruleset)),
            "dice": rolls_dice(game.ruleset),
            "decisions": decisions,
            "done": hall.done(game.id, 12),
            "stages": _stages(hall, game),
            "AUTO": AUTO,
            "unread": _unread(hall, game) if at == "unread" else None,
            "then": told["waits"] if not told["ended"] else "",
            "result": _result(hall, game) if at == "ended" else [],
            "waits": "resolved, and not sent yet" if at == "unread" else told["waits"],
            "local": _local(hall.settings(game.id)),
            "points": input_points(game.ruleset),
            "TALK": TALK,
            "offers": [(game.name_of(o.to), o) for o in offers_in(game)]
            if at in ("orders", "closed")
            else [],
            "answered": list(_answered(game)),
            "ready": ready_nations(hall, game),
            "commanded": names_of(game, sorted(commanded(game))),
        }
        return visit.show("game.html.j2", **values)


def _answered(game: Game) -> Iterator[tuple[str, str, str]]:
    """What the moderator has answered for nations: the nation's name, the decision and the answer."""
    for nation, said in game.decided().items():
        if nation != ASKED:
            for decision, answer in said.items():
                yield game.name_of(nation), in_words(game, decision), answer_in_words(game, answer)


def _tried(visit: Visit, game: Game, seat: Seat) -> tuple[tuple[str, str], ...]:
    """What was tried to hear of a seat that is late, and mails of theirs that were not taken in this turn:
    time and words.
    """
    if seat.role is None:
        return ()
    began = visit.hall.sent_at(game.id)
    out = []
    for one in visit.server.outbox.of_game(game.id):
        if one.mail.role == seat.role.id and one.mail.key.startswith(
            f"remind/{game.id}/{game.stage().number}/"
        ):
            out.append(
                (
                    one.made,
                    "reminded; the mail has gone"
                    if one.sent
                    else f"reminded; the mail waits {one.fault}".strip(),
                )
            )
    for mail in visit.hall.came(game.id):
        if mail.role == seat.role.id and mail.at >= began and mail.verdict != "taken":
            out.append((mail.at, f"a mail of theirs was not taken: {mail.says}"))
    return tuple(sorted(out, reverse=True)[:3])


@dataclass(frozen=True)
class Decisions:
    """What the rules leave to the moderator.

    `waiting` is what they are asked now, each with its answers and their names; `given` what they have
    answered, in words: about what, and how; `rows` what they may be asked later in this turn.
    """

    waiting: list[tuple[OpenDecision, list[tuple[str, str]]]]
    given: list[tuple[str, str]]
    rows: list[ListedDecision]


def _decisions(game: Game) -> Decisions:
    waiting = [(o, [(c, answer_in_words(game, c)) for c in o.choices]) for o in open_decisions(game)]
    texts = {o.key: o.text for o in left_open(whole_world(game), game.stage().position.waiting or {})}
    given = [
        (texts.get(key) or in_words(game, key), answer_in_words(game, answer))
        for key, answer in game.decided().get(ASKED, {}).items()
    ]
    rows = game.ruleset.rows("decisions")
    may = [one for one in listed(game) if one.key in rows and rows[one.key].get("asks") == ASKED]
    return Decisions(waiting, given, may)


def _steps(at: str, who: list[Seat], late: list[Seat], decide: int, dice: bool) -> list[ModeratorStep]:
    """The six steps. One is now: what everybody waits for, or what the moderator does next; none when the
    game has ended.
    """
    open_ = "2 Decisions" if decide else "3 Close"
    in_ = f"{len(who) - len(late)} of {len(who)} are in" if who else "nobody is asked now"
    now = {"orders": "1 Orders" if late else open_, "closed": "4 Resolve", "unread": "5 Read", "ended": ""}[
        at
    ]
    told = {
        "1 Orders": "as they came in" if at == "unread" else in_,
        "2 Decisions": f"{decide} wait{'s' if decide == 1 else ''} for you"
        if decide
        else "none waits for you",
        "3 Close": "no order comes in after that",
        "4 Resolve": "with the sealed dice" if dice else "all orders at once",
        "5 Read": "every report before it goes",
        "6 Send": "by mail and on the pages",
    }
    names = list(told)
    place = names.index(now) if now else len(names)
    states = ["done"] * place + ["now"] + ["next"] * len(names)
    return [ModeratorStep(n, says, state) for (n, says), state in zip(told.items(), states, strict=False)]


def _stages(hall: Games, game: Game) -> list[tuple[int, str]]:
    """The points that one can go back to, the last first."""
    found = hall.of_stage(game, ("points",), lambda: points(game))
    return [(n, f"turn {t}, where it waits for {w}") for n, t, w in reversed(found[:-1])]


def _result(hall: Games, game: Game) -> list[ReportPart]:
    """What the last report says of how the game ended."""
    return [part for part in sight(hall, game, ALL).report.parts if part.title == "The result"]


def _unread(hall: Games, game: Game) -> dict[str, Any]:
    players = [n for n, s in everybody(game).items() if s == PLAYER]
    return {"sight": sight(hall, game, ALL), "players": names_of(game, players)}


def set_clock(visit: Visit) -> Response:
    """The deadline, the pause, and what is done without being asked."""
    with visit.hall.game(visit.role.game) as game:
        before = visit.hall.settings(game.id)
        form = visit.form
        if "pause" in form:
            wanted = replace(before, paused=form["pause"] == "1")
        elif visit.number("more"):
            if form.get("from", before.due) != before.due:
                raise StoreError("the deadline has been changed meanwhile; look at it again")
            now = datetime.fromisoformat(before.due) if before.due else visit.hall.clock()
            wanted = replace(
                before, due=stamp(now + timedelta(hours=min(visit.number("more") or 0, 24 * 60)))
            )
        else:
            zone = zone_of(form.get("zone", before.zone))
            auto, due = (
                form.get("auto", before.auto),
                _due(form.get("due", ""), before, zone, visit.hall.clock()),
            )
            if form.get("early") == "1" and auto not in AUTO[1:]:
                raise StoreError(
                    "choose what is done as soon as all players are ready; at the deadline it is nothing now"
                )
            typed = [(p, form.get(f"hours-{p}", "").strip()) for p in input_points(game.ruleset)]
            wanted = Settings(
                game=game.id,
                due=due,
                days=number_of(form, "days", "days of a turn", MOST_DAYS),
                paused=before.paused,
                auto=auto if auto in AUTO else before.auto,
                remind=number_of(form, "remind", "hours before", MOST_REMIND),
                public=form.get("public") == "1",
                talk=" ".join(kind for kind in TALK if form.get(f"talk-{kind}")),
                early=form.get("early") == "1",
                spans=" ".join(f"{point} {time}" for point, time in typed if time_of(time)),
                zone=zone,
                off=days_off(form.get("off", ""), form.get("weekends") == "1"),
            )
        with visit.hall.changing(game.id):
            visit.hall.keep(wanted)
            visit.hall.note(game.id, me(visit), _changed(before, wanted))
    return visit.go("game", "set")


def _local(run: Settings) -> str:
    """The deadline as the form has it: in the game's time zone."""
    return datetime.fromisoformat(run.due).astimezone(run.local).isoformat()[:16] if run.due else ""


def input_points(ruleset: Ruleset) -> list[str]:
    """The points of a turn at which orders are asked for, where there are several."""
    names = list(dict.fromkeys(str(node["input"]) for node in inputs(ruleset.sequence)))
    return names if len(names) > 1 else []


def number_of(form: Mapping[str, str], name: str, called: str, most: int) -> int:
    """A number of the form, 0 where it is left empty. StoreError if it is none, or too large."""
    text = form.get(name, "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise StoreError(f"{called}: a number from 0 to {most}, not {text[:30]!r}")
    return int(text)


def zone_of(text: str) -> str:
    """A time zone by its name. StoreError if there is none of that name."""
    try:
        return ZoneInfo(text.strip() or "UTC").key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        typed = text.strip().lower().replace(" ", "_")
        meant = sorted(z for z in available_timezones() if typed in z.lower().split("/"))
        raise StoreError(
            f"there is no time zone {text[:40]!r}; "
            + (
                f"did you mean {meant[0]}?"
                if meant
                else "one is written like Europe/Paris or America/New_York"
            )
        ) from None


def _due(text: str, before: Settings, zone: str, now: datetime) -> str:
    """A day and time of a zone from the form, as it is kept.

    StoreError if it is none, or over: what is over is done at once.
    """
    if not text.strip():
        return ""
    try:
        due = stamp(datetime.fromisoformat(text.strip()[:16]).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))
    except (ValueError, OverflowError):
        raise StoreError(f"a time is written like 2026-05-01T20:00, not {text[:30]!r}") from None
    if due[:16] == before.due[:16]:
        return before.due
    if due < stamp(now):
        said = text.strip()[:16].replace("T", " ")
        raise StoreError(f"{said} {zone} is over; a deadline lies ahead, or there is none")
    return due


def _changed(before: Settings, after: Settings) -> str:
    names = {
        "due": "due",
        "days": "days of a turn",
        "paused": "paused",
        "auto": "done at the deadline",
        "remind": "reminder in hours",
        "public": "open to all",
        "talk": "how players may write to each other",
        "early": "resolved when all are ready",
        "spans": "hours of phases",
        "zone": "time zone",
        "off": "days without a deadline",
    }
    said = [
        f"{name}: {_setting(before, k)} → {_setting(after, k)}"
        for k, name in names.items()
        if getattr(before, k) != getattr(after, k)
    ]
    return "Settings: " + ("; ".join(said) or "nothing changed")


def _setting(run: Settings, key: str) -> str:
    """One setting in words."""
    value = getattr(run, key)
    if key == "due":
        return moment(value, run.zone) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "none"


def remind(visit: Visit) -> Response:
    """A mail to whoever has not sent."""
    with visit.hall.game(visit.role.game) as game:
        wanted = visit.form.get("nation", "")
        late = [s for s in seats_of(visit.hall, game) if not s.sent and wanted in ("", s.nation)]
        with visit.hall.changing(game.id):
            sent = send_reminders(visit.server, game, late, stamp(visit.hall.clock())[:16])
            visit.hall.note(
                game.id, me(visit), f"Reminders to {', '.join(sent) or 'nobody: no address is known'}"
            )
    return visit.go("game", "reminded")


def stand_in(visit: Visit) -> Response:
    """Orders for a nation that has sent none: a bot's."""
    nation = visit.form.get("nation", "")
    with visit.hall.game(visit.role.game) as game:
        if nation not in seats(game) or phase(visit.hall, game) not in ("orders", "closed"):
            raise StoreError("this nation is not asked for orders now")
        if nation in game.submissions():
            raise StoreError("orders are there already; they stay")
        if phase(visit.hall, game) == "closed":
            raise StoreError("orders are closed; resolving without them is what is left")
        given = visit.hall.work(policy_of, *place_of(game), nation)
        with visit.hall.changing(game.id):
            game.submit(given)
            name, turn = game.name_of(nation), game.stage().position.turn
            visit.hall.note(game.id, me(visit), f"A bot gave the orders of {name} for turn {turn}")
    return visit.go("game", "ordered")


def policy_of(hall: Games, id_: str, stage: int, head: str, nation: str) -> Submission:
    """The orders that a bot gives for a nation at a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        return replace(planned(game, [nation])[0], by=POLICY)


def orders_of(visit: Visit) -> Response:
    """The orders that have come in from a nation, read back, and a place to hand others in for it."""
    nation = visit.query("nation") or visit.form.get("nation", "")
    with visit.hall.game(visit.role.game) as game:
        if nation not in game.ruleset.rows("nations"):
            raise StoreError("there is no such nation")
        return _orders_of(visit, game, nation, visit.form.get("text"))


def _orders_of(visit: Visit, game: Game, nation: str, text: str | None) -> Response:
    if text is None:
        here = game.submissions().get(nation)
        text = here.text if here else ""
    back = back_of(visit.hall, game, nation, text)[0] if text.strip() else None
    files = game.hand_ins_of(game.stage().position.turn, nation, stage=game.stage().number)
    return visit.show(
        "orders_of.html.j2",
        head=head(visit, game, "game"),
        nation=nation,
        name=game.name_of(nation),
        here=here,
        text=text,
        back=back,
        said=rendered(back) if back else "",
        files=files,
        open=phase(visit.hall, game) in ("orders", "closed"),
    )


def order_for(visit: Visit) -> Response:
    """Read a text back for a nation, or hand it in for it."""
    nation, text = visit.form.get("nation", ""), visit.form.get("text", "")
    with visit.hall.game(visit.role.game) as game:
        if nation not in game.ruleset.rows("nations"):
            raise StoreError("there is no such nation")
        if "send" not in visit.form:
            return _orders_of(visit, game, nation, text)
        if phase(visit.hall, game) not in ("orders", "closed"):
            raise StoreError("no orders are wanted now")
        back, taken = back_of(visit.hall, game, nation, text)
        turn, player = game.stage().position.turn, visit.hall.people.player(game.id, nation)
        with visit.hall.changing(game.id):
            hand_in(game, nation, text, MODERATOR, taken=taken)
            name = game.name_of(nation)
            visit.hall.note(
                game.id, me(visit), f"Submitted orders for {name}, turn {turn}: {len(taken.orders)} valid"
            )
            if player is not None:
                said = f"Your moderator has submitted orders for you, turn {turn}.\n\n{rendered(back)}"
                receipt(visit.server, game, player, said)
            tell_offers(visit.server, game)
    return visit.go("game", "ordered")


def decide(visit: Visit) -> Response:
    """Answer what the rules leave to the moderator, or answer for a nation."""
    asked, about, answer = (visit.form.get(field, "").strip() for field in ("decision", "about", "answer"))
    whose = visit.form.get("nation", ASKED)
    with visit.hall.game(visit.role.game) as game:
        if whose != ASKED and whose not in game.ruleset.rows("nations"):
            raise StoreError("there is no such nation")
        with visit.hall.changing(game.id):
            key = key_named(game, f"{asked}/{about}" if about else asked)
            value = answer_named(game, whose, key, answer)
            answer_for(game, whose, key, value)
            for_whom = "" if whose == ASKED else f" for {game.name_of(whose)}"
            said = f"Answered {in_words(game, key)}{for_whom}: {answer_in_words(game, value)}"
            visit.hall.note(game.id, me(visit), said)
    return visit.go("game", "decided")


def close(visit: Visit) -> Response:
    """Close the orders, and publish the masked salts."""
    with visit.hall.game(visit.role.game) as game:
        if phase(visit.hall, game) != "orders":
            raise StoreError("orders are not open")
        close_orders(visit.hall, game, me(visit))
    return visit.go("game", "closed")


def resolve(visit: Visit) -> Response:
    """Resolve the turn; nothing is sent."""
    with visit.hall.game(visit.role.game) as game:
        if phase(visit.hall, game) not in ("orders", "closed"):
            raise StoreError(
                "the game does not wait to be resolved: what was resolved has not been sent, or it has ended"
            )
        if str(game.stage().number) != visit.form.get("stage", ""):
            raise StoreError("the game has moved on meanwhile; look at it again")
        visit.hall.work(resolve_at, game.id, game.stage().number, me(visit), visit.form.get("force") == "1")
    return visit.go("game", "resolved")


def send(visit: Visit) -> Response:
    """Send what was resolved: reports by mail, and the pages show them."""
    with visit.hall.game(visit.role.game) as game:
        if phase(visit.hall, game) != "unread":
            raise StoreError("there is nothing to be sent")
        if str(game.stage().number) != visit.form.get("stage", ""):
            raise StoreError("the game has moved on meanwhile; look at it again")
        send_reports(visit.server, game, me(visit))
    return visit.go("game", "sent")


# ---- rehearsal


def rehearse(visit: Visit) -> Response:
    """What might happen with the orders that are in, by practice dice; nothing is kept."""
    visit.allow("rehearse")
    with visit.hall.game(visit.role.game) as game:
        if phase(visit.hall, game) not in ("orders", "closed"):
            raise StoreError("the game does not wait to be resolved")
        late = [s.name for s in seats_of(visit.hall, game) if not s.sent]
        summary, entries = visit.hall.work(rehearsed, *place_of(game))
        visit.hall.note(
            game.id,
            me(visit),
            f"Rehearsed turn {summary.turn}" + (f"; {', '.join(late)} missing" if late else ""),
        )
        return visit.show(
            "rehearsal.html.j2",
            head=head(visit, game, "game"),
            summary=summary,
            late=late,
            entries=entries,
            dice=rolls_dice(game.ruleset),
        )


def rehearsed(hall: Games, id_: str, stage: int, head: str) -> tuple[Report, int]:
    """The moderator's report of a turn resolved by practice dice, and the number of its entries."""
    with hall.at(id_, stage, head) as game:
        result = resolve_turn(game, force=True, practice=True).result
        summary = moderator_report(
            World(game.ruleset, result.position.state, geography=game.geography),
            result.entries,
            game=str(game.head["title"]),
            turn=game.stage().position.turn,
        )
        return summary, len(result.entries)


# ---- other pages


def report_of(visit: Visit) -> Response:
    """A nation's report as its player will get it, or the moderator's own."""
    reader = visit.query("nation") or ALL
    with visit.hall.game(visit.role.game) as game:
        if reader != ALL and reader not in game.ruleset.rows("nations"):
            raise StoreError("there is no such nation")
        seen = sight(visit.hall, game, reader, visit.number("turn"))
        others = names_of(game, sorted(everybody(game)))
        return visit.show(
            "report_of.html.j2", head=head(visit, game, "game"), seen=seen, reader=reader, others=others
        )


def map_(visit: Visit) -> Response:
    """The map with everything on it."""
    with visit.hall.game(visit.role.game) as game:
        windows = map_page(visit, game, ALL, visit.number("turn"))
        return visit.show(
            "map.html.j2", head=head(visit, game, "map"), windows=windows, turns=reported_turns(game)
        )


def map_svg(visit: Visit) -> Response:
    """The picture of the map."""
    with visit.hall.game(visit.role.game) as game:
        return map_picture(visit, game, ALL)


def me(visit: Visit) -> str:
    return visit.role.name or "the moderator"
