"""The pages of a nation's player. Everything on them is made from what their nation may know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from wteaw.core.faults import StoreError
from wteaw.orders.intake import Intake
from wteaw.orders.kinds.answers import answer_of, is_answer
from wteaw.orders.mail_text import END
from wteaw.orders.readback import ReadBack
from wteaw.orders.readback_text import rendered
from wteaw.orders.sheet_layout import order_template
from wteaw.play.questions import offers_to, told_of
from wteaw.play.submit import hand_in, part_in_dice
from wteaw.report.account import accounts
from wteaw.report.build import when
from wteaw.report.render import as_text
from wteaw.report.turn_reports import report, reported_turns
from wteaw.report.wording import Wording
from wteaw.ruleset.randomness import rolls_dice
from wteaw.store import PLAYER, Game
from wteaw.turn.validated_orders import ValidatedOrder

from .actions import tell_offers
from .chances import KnownOdds, kept, work_out
from .chosen_order import composed
from .dismissed_warnings import silenced, told
from .drafts import OrderDraft
from .games import Games, waits_for
from .help import for_players
from .holdings import holdings
from .order_intake import (
    Standing,
    UnreadableOrders,
    back_of,
    receipt,
    standing,
    written,
    written_last,
)
from .order_map import arrows, ground, is_at_hand, panel, windows_of
from .order_places import subject_of
from .pages import PageHead, map_page, map_picture
from .presenters import place_of, sight
from .ready import set_ready
from .web import LONG, Visit, moment, quick, reads_orders

DONE = {
    "sent": "Your orders have been taken.",
    "back": "The earlier file counts again.",
    "draft": "Your draft has been kept.",
    "ended": "The session has ended.",
    "written": "The message is on its way.",
    "ready": "You are ready.",
    "waits": "You are not ready any more.",
}
HEADLINE = 120
"""How long a heading may grow by another sentence."""


PAGES = (
    ("turn", "Turn"),
    ("orders", "Orders"),
    ("map", "Map"),
    ("nation", "Nation"),
    ("messages", "Messages"),
    ("try", "Try out"),
    ("proof", "Proof"),
    ("help", "Help"),
)


def head(visit: Visit, game: Game, page: str) -> PageHead:
    """What stands above each page of a player; without dice there is no proof of them."""
    dice = rolls_dice(game.ruleset)
    pages = [(place, name) for place, name in PAGES if dice or place != "proof"]
    return PageHead.of(visit, game, game.name_of(visit.role.nation), page, pages, DONE)


# ---- the turn


def turn(visit: Visit) -> Response:
    """What happened, what to do now, what is known."""
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        seen = sight(visit.hall, game, nation, visit.number("turn"))
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
            turns=reported_turns(game),
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
        return hall.of_stage(game, ("purses", nation), lambda: list(accounts([], Wording(world, nation))))


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
    run = hall.settings(id_)
    with hall.at(id_, stage, head) as game:
        return for_players(as_text(report(game, nation, turn=turn, due=moment(run.due, run.zone)), dice=dice))


def nation(visit: Visit) -> Response:
    """The nation: accounts, forces, technology."""
    with visit.hall.sent(visit.role.game) as game:
        seen = sight(visit.hall, game, visit.role.nation)
        with visit.hall.world(game, visit.role.nation) as world:
            found = list(accounts(game.journal(turn=seen.turn), Wording(world, visit.role.nation)))
        parts = [p for p in seen.report.parts if p.title.startswith(("Your forces", "Technology"))]
        return visit.show(
            "nation.html.j2", head=head(visit, game, "nation"), accounts=found, parts=parts, seen=seen
        )


def map_(visit: Visit) -> Response:
    """The map, as the nation knows it, of this turn or an earlier one."""
    with visit.hall.sent(visit.role.game) as game:
        windows = map_page(visit, game, visit.role.nation, visit.number("turn"))
        return visit.show(
            "map.html.j2", head=head(visit, game, "map"), windows=windows, turns=reported_turns(game)
        )


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
        text = (
            visit.form["text"]
            if visit.problem and "text" in visit.form
            else written_last(real, nation, draft, now)
        )
        if visit.query("live"):
            return visit.show(
                "order_parts.html.j2",
                now=now,
                text=text,
                written=False,
                **order_parts(visit, game, text, draft.meant),
            )
        return _orders(visit, game, now, text, draft, files=files, problem=visit.problem)


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
    said = _said(text, visit.number("added") or 0)
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
        asked=waits_for(game) or "orders", stage=game.stage().number,
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
    waits: bool = True,
) -> dict[str, Any]:
    """What a page shows of a text of orders: its read-back, its orders as arrows, and what can be chosen
    beside the map; of these two nothing, unless it `waits`, if map and menu have to be made first.
    """
    hall, nation, back, taken, unasked = visit.hall, visit.role.nation, None, Intake(visit.role.nation), False
    if text.strip():
        known = KnownOdds(kept(hall, game, nation))
        back, taken = back_of(hall, game, nation, text, known)
        unasked = known.wanting and bool(taken.intents) and len(text) <= LONG
    beside = drawn = None
    if waits or is_at_hand(hall, game, nation):
        beside = panel(visit, game, nation, taken.intents, opened=opened, said=said, problem=problem)
        drawn = arrows(visit, game, nation, taken.intents, beside.place)
    return {
        "back": back, "meant": meant, "silent": list(silenced(back, meant)) if back else [],
        "purses": _unsaid(hall, game, nation, back), "unasked": unasked, "panel": beside,
        "arrows": drawn,
    }  # fmt: skip


def add(visit: Visit) -> Response:
    """Write what was chosen into the draft, as the line that the player could have typed."""
    visit.allow("read back")
    nation = visit.role.nation
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        _is_of_now(visit, game)
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
            said = _said(text, line)
            parts = order_parts(visit, game, text, draft.meant, opened=opened, said=said, problem=problem)
            return visit.show("order_parts.html.j2", now=now, text=text, written=bool(line), **parts)
        if problem:
            raise StoreError(problem)
        chosen = urlencode({"place": at} if at else {"phase": phase})
        return RedirectResponse(
            f"{visit.path('orders')}?{chosen}&opened={opened}&added={line}#panel", status_code=303
        )


def _said(text: str, number: int) -> str:
    """What was added, with the number of its line; "" where there is no such line."""
    lines = text.split("\n")
    return f"Line {number} now reads: {lines[number - 1]}" if 1 <= number <= len(lines) else ""


def _is_of_now(visit: Visit, game: Game) -> None:
    """StoreError for what was typed on a page of orders that are over: it was meant for another turn."""
    stage = game.stage()
    if visit.form.get("stage", str(stage.number)) != str(stage.number):
        raise StoreError(
            "the orders for which you wrote this were closed meanwhile, and nothing of it counts; what is "
            f"asked for now are orders for turn {stage.position.turn}. Read what you typed once more before "
            "you send it"
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


@reads_orders
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
        _is_of_now(visit, game)
        text = written(visit)
        live = bool(visit.form.get("live"))
        draft = visit.hall.drafts.keep(
            game.id, nation, game.stage().number, text, mean=visit.form.get("mean"), soon=live
        )
        if odds and len(text) <= LONG:
            work_out(visit.hall, game, nation, text)
        if live:
            written_anew = bool(visit.form.get("mend"))
            parts = order_parts(visit, game, text, draft.meant, waits=False)  # a page has a map and a menu
            if odds:
                parts["panel"] = None  # they come by themselves, while somebody is choosing there
            return visit.show("order_parts.html.j2", now=now, text=text, written=written_anew, **parts)
        return visit.go("orders", "draft")


@reads_orders
def send(visit: Visit) -> Response:
    """Hand in what stands, if it is as much as the button said."""
    visit.allow("send")
    nation, text = visit.role.nation, written(visit)
    with visit.hall.game(visit.role.game) as game:
        now = standing(visit.hall, nation, game)
        _is_of_now(visit, visit.hall.as_sent(game))
        draft = visit.hall.drafts.keep(game.id, nation, game.stage().number, text, soon=True)
        if not now.open:
            raise StoreError(now.why)
        back, taken = back_of(visit.hall, game, nation, text)
        if len(back.not_taken) != (visit.number("out") or 0):
            n = len(back.not_taken)
            return _orders(
                visit, game, now, text, draft,
                problem=f"Nothing was sent yet: {n} line{'s are' if n != 1 else ' is'} not valid. "
                "Look at the read-back, then send again to leave them out." if n else
                "Nothing was sent yet: the text has changed since the preview. Look at it, then send "
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
            name, n = game.name_of(nation), back.standing
            visit.hall.note(game.id, _me(visit), f"Orders of {name} for turn {turn} came in by the page: {n}")
            for sentence in filter(None, [part_in_dice(game, nation, handed.salt), *told_of(game, nation)]):
                mail += f"\n{sentence}\n"
            receipt(visit.server, game, visit.role, mail)
            tell_offers(visit.server, game)
    return visit.go("orders", "sent")


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
            name = game.name_of(visit.role.nation)
            visit.hall.note(game.id, _me(visit), f"{name} took its file {chosen.number} back into force")
            tell_offers(visit.server, game)
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
