"""What a desk does by itself: reminders, and at a deadline closing, resolving and sending, as far as each game says; mails.

Every step looks at where the game stands and is a transaction of its own, so that a worker that is killed anywhere leaves what
the next one goes on with, and several may run beside each other: whoever comes second finds the step taken.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from wteaw.core.faults import of_rules
from wteaw.store import Game, StoreError

from .accounts import stamp
from .actions import close_orders, phase, resolve_now, seats_of, send_reminders, send_reports
from .ready import all_ready
from .web import Desk

WHO = "the clock"
SECONDS = 5.0
LOG = logging.getLogger("wteaw.desk")


def tick(desk: Desk) -> list[str]:
    """Do what is due now, and carry away the mails. Returns what was done, in words."""
    done: list[str] = []
    for id_ in desk.hall.ids():
        try:
            with desk.hall.game(id_) as game:
                done += _tick(desk, game)
        except StoreError as error:
            LOG.warning("%s: %s", id_, error)
        except Exception as error:
            if of_rules(error) is None:
                raise
            LOG.error("%s: a rule cannot be carried out, and the game waits: %s", id_, error)
    went = desk.outbox.deliver()
    if went:
        done.append(f"{went} mail{'s' if went != 1 else ''} went out")
    return done


def _tick(desk: Desk, game: Game) -> list[str]:
    """One game: a reminder, or the steps that its deadline has brought."""
    settings = desk.hall.settings(game.id)
    if settings.paused or game.stage().position.ended:
        return []
    early = settings.early and phase(desk.hall, game) == "orders" and all_ready(desk.hall, game)
    if not settings.due and not early:
        return []
    due, now = datetime.fromisoformat(settings.due or stamp(desk.hall.clock())), desk.hall.clock()
    if now < due and not early:
        if settings.remind and now >= due - timedelta(hours=settings.remind) and phase(desk.hall, game) == "orders":
            late = [s for s in seats_of(desk.hall, game) if not s.sent]
            with desk.hall.changing(game.id):
                told = send_reminders(desk, game, late, f"due {settings.due}")
                if told:
                    desk.hall.note(game.id, WHO, f"Reminders to {', '.join(told)}")
            if told:
                return [f"{game.id}: reminders to {', '.join(told)}"]
        return []
    done = [f"{game.id}: all players are ready"] if early and settings.auto != "nothing" else []
    if settings.auto in ("close", "resolve", "send") and phase(desk.hall, game) == "orders":
        close_orders(desk.hall, game, WHO)
        done.append(f"{game.id}: orders closed")
    if settings.auto in ("resolve", "send") and phase(desk.hall, game) == "closed":
        resolve_now(desk.hall, game, WHO, force=True)
        done.append(f"{game.id}: resolved")
    if settings.auto == "send" and phase(desk.hall, game) == "unread":
        send_reports(desk, game, WHO)
        done.append(f"{game.id}: sent")
    return done


def run(desk: Desk, stop: threading.Event, *, seconds: float = SECONDS, before: Callable[[], None] | None = None) -> None:
    """Tick again and again until somebody says stop. A fault is logged, and the next tick tries again.

    `before` is done before each tick: looking into a mailbox.
    """

    def told() -> None:
        for said in tick(desk):
            LOG.info("%s", said)

    while not stop.is_set():
        for step in (before, told):
            try:
                if step is not None:
                    step()
            except Exception:
                LOG.exception("a tick failed; the next one tries again")
        stop.wait(seconds)
