"""A nation's orders as they come in: whether they are taken now, what is written, how they are read, and the
receipt.
"""

from __future__ import annotations

from dataclasses import dataclass

from wteaw.core.faults import StoreError
from wteaw.core.patience import Impatient, at_most
from wteaw.odds.attack_odds import Known
from wteaw.orders.intake import Intake
from wteaw.orders.readback import ReadBack, read_back
from wteaw.play.submit import read
from wteaw.store import MODERATOR, PLAYER, PROXY, Game

from .accounts import Role
from .answers import answered
from .chances import KnownOdds, kept
from .drafts import OrderDraft
from .games import Games
from .help import without_commands
from .outbox import mail_to
from .presenters import place_of
from .ready import ready_nations
from .web import LONG, Server, Visit, with_address

MOMENT, LONGEST = 0.5, 20.0
"""Seconds of the processor that the reading of orders may take where others wait for theirs, and anywhere."""
TOO_LONG = (
    f"these orders take more than {LONGEST:.0f} seconds to read, and nothing of them was taken; leave out "
    "what is no order, and "
    "write the lines as the order form has them"
)


class UnreadableOrders(StoreError):
    """A text of orders that takes longer to read than is allowed."""


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
        open=not why,
        why=why,
        sent=len(here.orders) if here is not None else None,
        at=at,
        by=here.by if here is not None else "",
        others=others,
        ready=nation in ready,
        all_ready=len(ready & set(asked)),
        early=hall.settings(game.id).early,
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


def written_last(game: Game, nation: str, draft: OrderDraft, now: Standing) -> str:
    """What a player has before them: their draft, or what was sent if there is none.

    `game`: as it really stands.
    """
    here = game.submissions().get(nation)
    if not draft.at and here is not None and now.open and here.by in (PLAYER, MODERATOR, PROXY):
        return here.text
    return draft.text


def back_of(
    hall: Games, game: Game, nation: str, text: str, known: Known | None = None
) -> tuple[ReadBack, Intake]:
    """A text of orders read back, and what was taken of it; where there are other processes, by one of those
    that have such texts read in a moment, or by one of those for what takes long.

    `known` gives the odds of attacks; by default those that are kept. StoreError for a text that takes too
    long to be read.
    """
    odds = known or KnownOdds(kept(hall, game, nation))
    asked = (*place_of(game), nation, text, odds)
    soon = hall.read(game.id, back_at, *asked, MOMENT) if len(text) <= LONG else None
    found = soon or hall.work(back_at, *asked, LONGEST)
    if found is None:
        raise UnreadableOrders(TOO_LONG)
    back, taken, wanting = found
    if isinstance(odds, KnownOdds):
        odds.wanting = wanting
    return back, taken


def back_at(
    hall: Games, id_: str, stage: int, head: str, nation: str, text: str, odds: Known, seconds: float
) -> tuple[ReadBack, Intake, bool] | None:
    """The same for a game as it stood at a stage, and whether further odds were asked for; nothing if it
    takes more than so many seconds of the processor."""

    def answer(question: str) -> list[str]:
        return answered(hall, game, nation, question, world)

    try:
        with hall.at(id_, stage, head) as game, at_most(seconds), hall.world(game, nation) as world:
            taken, _ = read(game, nation, text, world)
            back = read_back(world, taken, game=game.id, with_odds=True, known=odds, answer=answer)
    except Impatient:
        return None
    return without_commands(back), taken, isinstance(odds, KnownOdds) and odds.wanting


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


def receipt(server: Server, game: Game, role: Role, text: str) -> None:
    """Queue a receipt for the last file that has come in from a player's nation."""
    turn = game.stage().position.turn
    number = game.hand_ins_of(turn, role.nation)[-1].number
    subject = f"{game.head['title']}, turn {turn}: your orders"
    key = f"receipt/{game.id}/{number}"
    text = with_address(server, role, text)
    server.outbox.put(mail_to(role, key, subject, text, reply=server.post_of(role)))
