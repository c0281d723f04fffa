"""The days of a turn on the players' own calendar: when errors are corrected, when orders come in, when the
next update is due.

Pure: the setting `turn_days` and the day of an update in, dates out. Nothing here looks at a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from ..core.model import Row


@dataclass(frozen=True, slots=True)
class Days:
    """One turn: the update that begins it, days for corrections and for sending orders, when orders may come,
    the next update.
    """

    update: date
    corrections: tuple[date, ...]
    opens: date
    sending: tuple[date, ...]
    deadline: date
    next_update: date


def days_of(row: Row, update: date) -> Days:
    """The days of the turn that an update begins; its day is the first.

    Orders may come from the end of the corrections on.
    """

    def day(number: int) -> date:
        return update + timedelta(days=number - 1)

    corrections = tuple(day(n) for n in sorted(row.get("correct", ())))
    deadline = day(int(row["days"]))
    sending = tuple(day(n) for n in sorted(row.get("send", ()))) or (deadline,)
    opens = corrections[-1] + timedelta(days=1) if corrections else update
    return Days(update, corrections, opens, sending, deadline, deadline + timedelta(days=1))


def turns(row: Row, update: date, count: int) -> Iterator[Days]:
    """So many turns one after the other, each beginning with the update that the one before leads to."""
    for _ in range(count):
        days = days_of(row, update)
        yield days
        update = days.next_update
