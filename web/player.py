"""The pages of a nation's player. Everything on them is made from what their nation may know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from wteaw.core.faults import StoreError
from wteaw.core.patience import Impatient, at_most
from wteaw.odds.attack_odds import Known
from wteaw.orders.intake import Intake
from wteaw.orders.kinds.answers import answer_of, is_answer
from wteaw.orders.mail_text import END
from wteaw.orders.readback import ReadBack, read_back
from wteaw.orders.readback_text import rendered
from wteaw.orders.sheet_layout import order_template
from wteaw.play.questions import offers_to, told_of
from wteaw.play.submit import hand_in, part_in_dice, read
from wteaw.report.account import accounts
from wteaw.report.build import when
from wteaw.report.render import as_text
from wteaw.report.turn_reports import last_turn, report
from wteaw.report.wording import Wording
from wteaw.ruleset.randomness import rolls_dice
from wteaw.store import MODERATOR, PLAYER, PROXY, Game
from wteaw.turn.validated_orders import ValidatedOrder

from .accounts import Role
from .actions import name_of, tell_offers
from .chances import KnownOdds, work_out
from .chosen_order import composed
from .dismissed_warnings import silenced, told
from .drafts import OrderDraft
from .games import Games
from .help import answered, for_players, without_commands
from .holdings import holdings
from .order_map import arrows, ground, panel, windows_of
from .order_places import subject_of
from .outbox import Mail
from .pages import PageHead, map_page, map_picture
from .presenters import place_of, sight
from .ready import ready_nations, set_ready
from .web import LONG, Desk, Visit, moment, quick, with_address

DONE = {
    "sent": "Your orders have been taken.",
    "back": "The earlier file counts again.",
    "draft": "Your draft has been kept.",
    "ended": "The session has ended.",
    "written": "The message is on its way.",
    "ready": "You are ready.",
    "waits": "You are not ready any more.",
}


PAGE, LONGEST = 0.1, 20.0
"""Seconds of the processor that the reading of orders may take where pages are made, and anywhere."""
TOO_LONG = (
    f"these orders take more than {LONGEST:.0f} seconds to read, and nothing of them was taken; leave out "
    "what is no order, and "
    "write the lines as the order form has them"
)


class UnreadableOrders(StoreError):
    """A text of orders that takes longer to read than is allowed."""


HEADLINE = 120
"""How long a heading may grow by another sentence."""


@dataclass(frozen=True)
class Standing:
    """How a player's orders stand. `open`: whether orders are taken now; `why` says why not."""

    open: bool
    why: str
    sent: int | None
    at: str
    by: str
    others: tuple[int, int]
    ready: bool = False
    all_ready: int = 0
    early: bool = False


def head(visit: Visit, game: Game, page: str) -> PageHead:
    """What stands above each page of a player."""
    name = str(game.ruleset.row_or_empty("nations", visit.role.nation).get("name", visit.role.nation))
    pages = [
        ("turn", "Turn"),
        ("orders", "Orders"),
        ("map", "Map"),
        ("nation", "Nation"),
        ("messages", "Messages"),
    ]
    pages += [
        ("try", "Try out"),
        *([("proof", "Proof")] if rolls_dice(game.ruleset) else []),
        ("help", "Help"),
    ]
    return PageHead.of(visit, game, name, page, pages, DONE)


def standing(hall: Games, nation: str, game: Game) -> Standing:
    """How a nation's orders stand. `game`: as it really stands."""
    stage = game.stage()
    files = game.hand_ins_of(stage.position.turn, nation, stage=stage.number)
    there = game.submissions()
    here = there.get(nation)
    asked = [n for n, who in hall.asked(game).items() if who == PLAYER]
    others = (sum(n in there for n in asked), len(asked))
    why = _why_closed(hall, game, nation)
    at = files[-1].at if files and here is not None else ""
    ready = ready_nations(hall, game)
    return Standing(
        not why,
        why,
        len(here.orders) if here is not None else None,
        at,
        here.by if here is not None else "",
        others,
        nation in ready,
        len(ready & set(asked)),
        hall.settings(game.id).early,
    )


def _why_closed(hall: Games, game: Game, nation: str) -> str:
    """Why no orders are taken now, in words; empty if they are."""
    stage = game.stage()
    if stage.position.ended:
        return "The game has ended."
    if hall.last_sent(game.id) != stage.number:
        return "The turn has been resolved. Your moderator reads the reports before they send them."
    if game.turn_record(stage.position.turn).closed == stage.number:
        return "Orders are closed; the turn is about to be resolved."
    if hall.settings(game.id).paused:
        return ""  # a pause stops the clock, not the pen
    if nation not in hall.asked(game):
        return "Your nation is not asked for orders now."
    return ""


# ---- the turn


def turn(visit: Visit) -> Response:
    """What happened, what to do now, what is known."""
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        seen = sight(visit.hall, game, nation, visit.number("turn"))
        last = last_turn(game)
        draft = visit.hall.drafts.of(game.id, nation, game.stage().number)
        sent = real.submissions().get(nation)
        newer = now.open and draft.text.strip() and (sent is None or sent.text != draft.text)
        back = back_of(visit.hall, game, nation, draft.text)[0] if newer else None
        return visit.show(
            "turn.html.j2",
            offered=offers_to(real, nation) if now.open else [],
            head=head(visit, game, "turn"),
            seen=seen,
            now=now,
            last=last,
            draft=draft,
            back=back,
            purses=_purses(visit.hall, game, nation),
            held=holdings(visit.hall, game, nation),
            dice=rolls_dice(game.ruleset),
            news=_headline(seen.report.parts),
            parts=_parts(seen.report.parts),
            windows=map_page(visit, game, nation, seen.turn),
        )


def _headline(parts: Any) -> str:
    """The news in one line: what the report begins with, as much of it as a heading holds."""
    first = next(
        (b.text for p in parts[:1] for b in p.blocks if type(b).__name__ == "Para" and not b.lead and b.text),
        "",
    )
    out = ""
    for sentence in str(first).split(". "):
        longer = f"{out}. {sentence}" if out else sentence
        if out and len(longer) > HEADLINE:
            break
        out = longer
    return out.rstrip(".")


def _parts(parts: Any) -> list[Any]:
    """The report without its battles, which the page tells in its own way."""
    return [p for p in parts if not p.title.startswith("Battles")]


def _purses(hall: Games, game: Game, nation: str) -> list[Any]:
    """What there is to spend of each resource."""
    with hall.world(game, nation) as world:
        return hall.of_stage(
            game, ("purses", nation), lambda: list(accounts(world, [], nation, Wording(world, nation)))
        )


def _unsaid(hall: Games, game: Game, nation: str, back: ReadBack | None) -> list[Any]:
    """What there is to spend, where no read-back says it."""
    return [] if back is not None and back.start else _purses(hall, game, nation)


def report_text(visit: Visit) -> Response:
    """The report as plain text, as the mail has it."""
    with visit.hall.sent(visit.role.game) as game:
        text = visit.hall.work(
            plain_report, *place_of(game), visit.role.nation, visit.number("turn"), visit.query("dice") == "1"
        )
    return Response(text, media_type="text/plain; charset=utf-8")


def plain_report(
    hall: Games, id_: str, stage: int, head: str, nation: str, turn: int | None, dice: bool
) -> str:
    """A nation's report on a turn of a game as it stood at a stage, as text."""
    with hall.at(id_, stage, head) as game:
        return for_players(
            as_text(report(game, nation, turn=turn, due=moment(hall.settings(id_).due)), dice=dice)
        )


def nation(visit: Visit) -> Response:
    """The nation: accounts, forces, technology."""
    with visit.hall.sent(visit.role.game) as game:
        seen = sight(visit.hall, game, visit.role.nation)
        with visit.hall.world(game, visit.role.nation) as world:
            found = list(
                accounts(
                    world, game.journal(turn=seen.turn), visit.role.nation, Wording(world, visit.role.nation)
                )
            )
        parts = [p for p in seen.report.parts if p.title.startswith(("Your forces", "Technology"))]
        return visit.show(
            "nation.html.j2", head=head(visit, game, "nation"), accounts=found, parts=parts, seen=seen
        )


def map_(visit: Visit) -> Response:
    """The map, as the nation knows it, of this turn or an earlier one."""
    with visit.hall.sent(visit.role.game) as game:
        windows = map_page(visit, game, visit.role.nation, visit.number("turn"))
        return visit.show("map.html.j2", head=head(visit, game, "map"), windows=windows, last=last_turn(game))


def map_svg(visit: Visit) -> Response:
    """The picture of the map."""
    with visit.hall.sent(visit.role.game) as game:
        return map_picture(visit, game, visit.role.nation)


# ---- orders


def orders(visit: Visit) -> Response:
    """What is written, beside what it comes to."""
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        turn = real.stage().position.turn
        files = real.hand_ins_of(turn, nation, stage=real.stage().number)
        game = visit.hall.as_sent(real)
        draft = visit.hall.drafts.of(game.id, nation, game.stage().number)
        if visit.query("live"):
            text = written_last(real, nation, draft, now)
            return visit.show(
                "order_parts.html.j2",
                now=now,
                text=text,
                written=False,
                **order_parts(visit, game, text, draft.meant),
            )
        return _orders(visit, game, now, written_last(real, nation, draft, now), draft, files=files)


def written_last(game: Game, nation: str, draft: OrderDraft, now: Standing) -> str:
    """What a player has before them: their draft, or what was sent if there is none.

    `game`: as it really stands.
    """
    here = game.submissions().get(nation)
    if not draft.at and here is not None and now.open and here.by in (PLAYER, MODERATOR, PROXY):
        return here.text
    return draft.text


def _orders(
    visit: Visit,
    game: Game,
    now: Standing,
    text: str,
    draft: OrderDraft,
    *,
    files: Any = (),
    problem: str = "",
) -> Response:
    nation = visit.role.nation
    salt = game.own_salts(game.stage().position.turn).get(nation, "")
    part = part_in_dice(game, nation, salt) if now.sent is not None else ""
    lines, added = text.split("\n"), visit.number("added") or 0
    said = f"Line {added} is now: {lines[added - 1]}" if 1 <= added <= len(lines) else ""
    picture = ground(visit.hall, game, nation)
    opened = visit.query("opened")
    try:
        parts = order_parts(visit, game, text, draft.meant, opened=opened, said=said)
    except UnreadableOrders as error:  # it can be mended here all the same
        parts = order_parts(visit, game, "", draft.meant, opened=opened)
        problem = problem or str(error)
    windows, window = windows_of(visit, game, picture, parts["panel"])
    return visit.show(
        "orders.html.j2", offered=offers_to(game, nation) if now.open else [],
        head=head(visit, game, "orders"), now=now, text=text, files=files, kept=draft.at,
        problem=problem, part=part, windows=[w.title for w in windows], window=window,
        drawing=picture.ground(windows[window], parts["arrows"]),
        form=_form(visit.hall, game, nation) if visit.query("form") == "1" else "",
        turn=game.stage().position.turn, when=when(game.ruleset, game.stage().position.turn),
        status=409 if problem else 200, **parts,
    )  # fmt: skip


def order_parts(
    visit: Visit,
    game: Game,
    text: str,
    meant: frozenset[str],
    *,
    opened: str = "",
    said: str = "",
    problem: str = "",
) -> dict[str, Any]:
    """What a page shows of a text of orders: its read-back, its orders as arrows, and what can be chosen
    beside the map.
    """
    hall, nation, back, taken, unasked = visit.hall, visit.role.nation, None, Intake(visit.role.nation), False
    if text.strip():
        known = KnownOdds(hall, game, nation)
        back, taken = back_of(hall, game, nation, text, known)
        unasked = known.wanting and bool(taken.intents) and len(text) <= LONG
    beside = panel(visit, game, nation, taken.intents, opened=opened, said=said, problem=problem)
    return {
        "back": back, "meant": meant, "silent": list(silenced(back, meant)) if back else [],
        "purses": _unsaid(hall, game, nation, back), "unasked": unasked, "panel": beside,
        "arrows": arrows(visit, game, nation, taken.intents, beside.place),
    }  # fmt: skip


def add(visit: Visit) -> Response:
    """Write what was chosen into the draft, as the line that the player could have typed."""
    visit.allow("read back")
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        kept = visit.hall.drafts.of(game.id, nation, game.stage().number)
        text = visit.form["text"] if "text" in visit.form else written_last(real, nation, kept, now)
        line, problem = 0, ""
        try:
            if "answer" in visit.form:
                order = _answer(game, nation, visit.form["answer"])
            else:
                with visit.hall.world(game, nation) as world:
                    order = composed(world, nation, visit.form)
            text, line = _with_line(visit.hall, game, nation, text, order)
        except StoreError as error:
            problem = str(error)
        draft = visit.hall.drafts.keep(game.id, nation, game.stage().number, text)
        at, phase, opened = (visit.form.get(name, "") for name in ("at", "phase", "choice"))
        if visit.form.get("live"):
            said = f"Line {line} is now: {text.split(chr(10))[line - 1]}" if line else ""
            parts = order_parts(visit, game, text, draft.meant, opened=opened, said=said, problem=problem)
            return visit.show("order_parts.html.j2", now=now, text=text, written=bool(line), **parts)
        if problem:
            raise StoreError(problem)
        chosen = urlencode({"place": at} if at else {"phase": phase})
        return RedirectResponse(
            f"{visit.path('orders')}?{chosen}&opened={opened}&added={line}#panel", status_code=303
        )


def _answer(game: Game, nation: str, line: str) -> str:
    """The line that answers an offer, as one of its buttons has it."""
    if not any(line in offer.answers for offer in offers_to(game, nation)):
        raise StoreError("nobody waits for this answer")
    return line


def _about(order: ValidatedOrder) -> str:
    """What only one order of a file can be about: a place, or a decision that is answered."""
    return subject_of(order) or (answer_of(dict(order.order))[0] if is_answer(order.order) else "")


def _with_line(hall: Games, game: Game, nation: str, text: str, order: str) -> tuple[str, int]:
    """A text with another order, and the number of its line: in place of the order about the same place that
    it excludes, if there is one, else after all others."""
    lines = text.rstrip().split("\n") if text.strip() else []
    end = next((n for n, line in enumerate(lines) if line.strip().lower() == END), len(lines))
    longer = [*lines[:end], order, *lines[end:]]
    _, taken = back_of(hall, game, nation, "\n".join(longer))
    if any(o.order.get("line") == end + 1 for o in taken.intents):
        return "\n".join(longer) + "\n", end + 1
    _, alone = back_of(hall, game, nation, order)
    about = {_about(o) for o in alone.intents} - {""}
    for other in taken.intents:
        number = int(other.order.get("line", 0))
        if _about(other) not in about or not 1 <= number <= len(lines):
            continue
        instead = [*lines[: number - 1], order, *lines[number:]]
        _, found = back_of(hall, game, nation, "\n".join(instead))
        if len(found.intents) >= len(taken.intents) and any(
            o.order.get("line") == number for o in found.intents
        ):
            return "\n".join(instead) + "\n", number
    return "\n".join(longer) + "\n", end + 1


def _form(hall: Games, game: Game, nation: str) -> str:
    """Everything that can be ordered now, as the form of a report."""
    with hall.world(game, nation) as world:
        asked = tuple((o.says, o.answers) for o in offers_to(game, nation))
        make = lambda: for_players(order_template(world, nation, game=game.id, asked=asked))  # noqa: E731
        return hall.of_stage(game, ("form", nation, asked), make)


def back_of(
    hall: Games, game: Game, nation: str, text: str, known: Known | None = None
) -> tuple[ReadBack, Intake]:
    """A text of orders read back, and what was taken of it. What takes long is done in another process, so
    that nobody waits.

    `known` gives the odds of attacks; by default those that are kept. StoreError for a text that takes too
    long to be read.
    """
    if len(text) <= LONG or hall.shop is None:
        try:
            with at_most(PAGE if hall.shop is not None else LONGEST):
                return _back_of(hall, game, nation, text, known)
        except Impatient:
            if hall.shop is None:
                raise UnreadableOrders(TOO_LONG) from None
    return hall.work(long_back_of, *place_of(game), nation, text)


def long_back_of(
    hall: Games, id_: str, stage: int, head: str, nation: str, text: str
) -> tuple[ReadBack, Intake]:
    """The same for a game as it stood at a stage."""
    try:
        with hall.at(id_, stage, head) as game, at_most(LONGEST):
            return _back_of(hall, game, nation, text)
    except Impatient:
        raise UnreadableOrders(TOO_LONG) from None


def _back_of(
    hall: Games, game: Game, nation: str, text: str, known: Known | None = None
) -> tuple[ReadBack, Intake]:
    with hall.world(game, nation) as world:
        taken, _ = read(game, nation, text, world)
        odds = known or KnownOdds(hall, game, nation)

        def answer(question: str) -> list[str]:
            return answered(hall, game, nation, question, world)

        back = read_back(world, taken, game=game.id, with_odds=True, known=odds, answer=answer)
        return without_commands(back), taken


def check(visit: Visit) -> Response:
    """Read a draft back; it is kept. A script asks for the read-back alone."""
    return _check(visit, odds=False)


def chances(visit: Visit) -> Response:
    """The same with the odds of all attacks that can be had at once."""
    visit.allow("odds")
    return _check(visit, odds=True)


def _check(visit: Visit, *, odds: bool) -> Response:
    visit.allow("read back")
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        text = written(visit)
        live = bool(visit.form.get("live"))
        draft = visit.hall.drafts.keep(
            game.id, nation, game.stage().number, text, mean=visit.form.get("mean"), soon=live
        )
        if odds and len(text) <= LONG:
            work_out(visit.hall, game, nation, text)
        if live:
            written_anew = bool(visit.form.get("mend"))
            parts = order_parts(visit, game, text, draft.meant)
            return visit.show("order_parts.html.j2", now=now, text=text, written=written_anew, **parts)
        return visit.go("orders", "draft")


def written(visit: Visit) -> str:
    """What the form holds, with what its button mends:

    `mend` is the number of a line, a colon, and what is to stand there.
    """
    text = visit.files.get("file") or visit.form.get("text", "")
    where, colon, instead = visit.form.get("mend", "").partition(":")
    if colon and where.isascii() and where.isdigit() and len(where) < 7:
        lines = text.split("\n")
        if 1 <= int(where) <= len(lines):
            lines[int(where) - 1 : int(where)] = instead.split("\n") if instead else []
        text = "\n".join(lines)
    return text


@quick
def send(visit: Visit) -> Response:
    """Hand in what stands, if it is as much as the button said."""
    visit.allow("send")
    nation, text = visit.role.nation, written(visit)
    with visit.hall.game(visit.role.game) as game:
        now = standing(visit.hall, nation, game)
        draft = visit.hall.drafts.keep(game.id, nation, game.stage().number, text, soon=True)
        if not now.open:
            raise StoreError(now.why)
        back, taken = back_of(visit.hall, game, nation, text)
        if len(back.not_taken) != (visit.number("out") or 0):
            n = len(back.not_taken)
            return _orders(
                visit, game, now, text, draft,
                problem=f"Nothing was sent yet: {n} line{'s do' if n != 1 else ' does'} not stand. "
                "Look at the read-back, then send again to leave them out." if n else
                "Nothing was sent yet: the text has changed since it was read back. Look at it, then send "
                    "again.",
            )  # fmt: skip
        if not back.standing and visit.form.get("nothing") != "1":
            raise StoreError(
                "nothing of this stands, so nothing was sent, and what was sent before still counts"
            )
        turn = game.stage().position.turn
        mail = (
            f"Orders for turn {turn} came in by the page and have been "
            f"taken.\n\n{rendered(back)}{told(back, draft.meant)}"
        )
        with visit.hall.changing(game.id):
            handed = hand_in(game, nation, text, PLAYER, taken=taken)
            name, n = name_of(game, nation), back.standing
            visit.hall.note(
                game.id, _me(visit), f"Orders of {name} for turn {turn} came in by the page: {n} stand"
            )
            for sentence in filter(None, [part_in_dice(game, nation, handed.salt), *told_of(game, nation)]):
                mail += f"\n{sentence}\n"
            receipt(visit.desk, game, visit.role, mail)
            tell_offers(visit.desk, game)
    return visit.go("orders", "sent")


def receipt(desk: Desk, game: Game, role: Role, text: str) -> None:
    """Queue a receipt for the last file that has come in from a player's nation."""
    turn = game.stage().position.turn
    number = game.hand_ins_of(turn, role.nation)[-1].number
    subject = f"{game.head['title']}, turn {turn}: your orders"
    key = f"receipt/{game.id}/{number}"
    text = with_address(desk, role, text)
    desk.outbox.put(
        Mail(key, role.email, subject, text, game=game.id, role=role.id, reply=desk.post_of(role))
    )


@quick
def take_back(visit: Visit) -> Response:
    """An earlier file counts again."""
    with visit.hall.game(visit.role.game) as game:
        now = standing(visit.hall, visit.role.nation, game)
        if not now.open:
            raise StoreError(now.why)
        stage = game.stage()
        files = game.hand_ins_of(stage.position.turn, visit.role.nation, stage=stage.number)
        chosen = next((h for h in files if h.number == visit.number("file")), None)
        if chosen is None:
            raise StoreError("there is no such file")
        visit.hall.drafts.keep(game.id, visit.role.nation, stage.number, chosen.submission.text, soon=True)
        with visit.hall.changing(game.id):
            game.submit(replace(chosen.submission, by=PLAYER))
            name = name_of(game, visit.role.nation)
            visit.hall.note(game.id, _me(visit), f"{name} took its file {chosen.number} back into force")
            tell_offers(visit.desk, game)
    return visit.go("orders", "back")


def say_ready(visit: Visit) -> Response:
    """The button was pressed: ready, or not."""
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as game:
        now = standing(visit.hall, nation, game)
        wanted = visit.form.get("ready") == "1"
        if not now.open:
            raise StoreError(now.why)
        if wanted and now.sent is None:
            raise StoreError("send your orders first (or that you order nothing); then you can be ready")
        set_ready(visit.hall, game, nation, wanted)
    return visit.go("orders", "ready" if wanted else "waits")


def _me(visit: Visit) -> str:
    return visit.role.name or visit.role.nation
