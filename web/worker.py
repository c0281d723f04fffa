"""What a server does by itself: reminders, and at a deadline closing, resolving and sending, as far as each
game says; mails.

Every step looks at where the game stands and is a transaction of its own, so that a worker that is killed
anywhere leaves what the next one goes on with, and several may run beside each other: whoever comes second
finds the step taken.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from wteaw.core.faults import of_rules
from wteaw.store import Game, StoreError

from .accounts import MODERATOR, stamp
from .actions import close_orders, phase, resolve_now, seats_of, send_reminders, send_reports
from .games import Settings, passed
from .outbox import mail_to, queue
from .ready import all_ready
from .web import Server, moment

WHO = "the clock"
SECONDS = 5.0
LATE = timedelta(hours=1)
"""After which a deadline has passed unseen: a worker looks every few seconds."""
LOG = logging.getLogger("wteaw.server")


def tick(server: Server, waiting: dict[str, str] | None = None) -> list[str]:
    """Do what is due now, and carry away the mails. Returns what was done, in words.

    What keeps a game, or the mails, from going on is logged; with `waiting` (what does, as it was logged
    last) only what is new.
    """
    done: list[str] = []
    held = {} if waiting is None else waiting
    for id_ in server.hall.ids():
        with _holding(held, id_), server.hall.game(id_) as game:
            done += _tick(server, game)
    went = 0
    with _holding(held, "mails"):
        went = server.outbox.deliver()
    if went:
        done.append(f"{went} mail{'s' if went != 1 else ''} went out")
    return done


@contextmanager
def _holding(held: dict[str, str], what: str) -> Iterator[None]:
    """Something that does not stop the rest where it cannot be done; why not is logged once, for as long as
    it is the same.
    """
    try:
        yield
    except StoreError as error:
        said = str(error)
    except Exception as error:
        if of_rules(error) is None:
            raise
        said = f"a rule cannot be carried out, and the game waits: {error}"
    else:
        if held.pop(what, None) is not None:
            LOG.info("%s: goes on", what)
        return
    if held.get(what) != said:
        held[what] = said
        LOG.error("%s: %s", what, said.removeprefix(f"{what}: "))


def _tick(server: Server, game: Game) -> list[str]:
    """One game: a reminder, or the steps that its deadline has brought."""
    settings = server.hall.settings(game.id)
    if settings.paused or game.stage().position.ended:
        return []
    early = settings.early and phase(server.hall, game) == "orders" and all_ready(server.hall, game)
    if not settings.due and not early:
        return []
    due, now = datetime.fromisoformat(settings.due or stamp(server.hall.clock())), server.hall.clock()
    if now < due and not early:
        if (
            settings.remind
            and now >= due - timedelta(hours=settings.remind)
            and phase(server.hall, game) == "orders"
        ):
            late = [s for s in seats_of(server.hall, game) if not s.sent]
            with server.hall.changing(game.id):
                told = send_reminders(server, game, late, f"due {settings.due}")
                if told:
                    server.hall.note(game.id, WHO, f"Reminders to {', '.join(told)}")
            if told:
                return [f"{game.id}: reminders to {', '.join(told)}"]
        return []
    if now >= due:
        _tell_passed(server, game, settings, now)
    done = [f"{game.id}: all players are ready"] if early and settings.auto != "nothing" else []
    if settings.auto in ("close", "resolve", "send") and phase(server.hall, game) == "orders":
        close_orders(server.hall, game, WHO)
        done.append(f"{game.id}: orders closed")
    if settings.auto in ("resolve", "send") and phase(server.hall, game) == "closed":
        resolve_now(server.hall, game, WHO, force=True)
        done.append(f"{game.id}: resolved")
    if settings.auto == "send" and phase(server.hall, game) == "unread":
        send_reports(server, game, WHO)
        done.append(f"{game.id}: sent")
    return done


def _tell_passed(server: Server, game: Game, run: Settings, now: datetime) -> None:
    """Write down, once, that a deadline has passed. A moderator hears of one that waits for them, and of one
    that passed unseen.

    Such is one at which nobody looked: the server stood still, or its machine's clock was set.
    """
    hall, line = server.hall, passed(run.due)
    if hall.noted(game.id, line):
        return
    unseen = now >= datetime.fromisoformat(run.due) + LATE
    why = []
    if unseen:
        why.append(
            f"The server looked at it only {moment(stamp(now), run.zone)}: it stood still, or its machine's "
            "clock was set.\n"
            "The next deadline follows from the clock as it is now; if that is wrong, set the deadline, and "
            "take back what\n"
            "should not have been done."
        )
    if run.auto == "nothing":
        why.append(
            "Nothing is done by itself: close the orders and resolve the turn, or set another deadline."
        )
    title, turn = str(game.head["title"]), game.stage().position.turn
    said = "\n\n".join(
        [f"The orders of turn {turn} of {title} were due {moment(run.due, run.zone)}.", *why, ""]
    )
    with hall.changing(game.id) as db:
        hall.note(game.id, WHO, line)
        if unseen:
            hall.note(game.id, WHO, "Nobody had looked at the clock until now")
        roles = [r for r in hall.people.of_game(game.id) if r.role == MODERATOR] if why else []
        subject, key = f"{title}: the deadline has passed", f"passed/{game.id}/{run.due}"
        queue(db, [mail_to(role, f"{key}/{role.id}", subject, said) for role in roles], now)


def run(
    server: Server,
    stop: threading.Event,
    *,
    seconds: float = SECONDS,
    before: Callable[[], None] | None = None,
) -> None:
    """Tick again and again until somebody says stop. A fault is logged, and the next tick tries again.

    `before` is done before each tick: looking into a mailbox.
    """

    waiting: dict[str, str] = {}

    def told() -> None:
        for said in tick(server, waiting):
            LOG.info("%s", said)

    while not stop.is_set():
        for step in (before, told):
            try:
                if step is not None:
                    step()
            except StoreError as error:
                LOG.error("%s", error)
            except Exception:
                LOG.exception("a tick failed; the next one tries again")
        stop.wait(seconds)
