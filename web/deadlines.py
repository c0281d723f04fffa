"""When the orders of a turn are due: days without a deadline, and the rule in a player's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING

from wteaw.core.model import Ruleset
from wteaw.report.wording import counted, listing
from wteaw.store import StoreError

if TYPE_CHECKING:
    from .games import Settings

MOST_HOURS = 24 * 365
WEEKENDS = "weekends"
"""The word in a game's days off that stands for every Saturday and Sunday."""
SATURDAY = 5
MOST_OFF = 40
"""Spans of days off of one game."""
LONGEST_OFF = 400
"""Days that a deadline is put off at most: somebody who writes down ten years means something else."""
_SPAN = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?")


def days_off(text: str, weekends: bool) -> str:
    """Days off as a game keeps them, from what somebody has typed: `2026-12-24..2027-01-02, 2027-04-05`.

    StoreError, with how they are written, if a part is no day and no span of days.
    """
    spans = list(_spans(text))
    if len(spans) > MOST_OFF:
        raise StoreError(f"at most {MOST_OFF} spans of days without a deadline, not {len(spans)}")
    said = [f"{first}..{last}" if last != first else str(first) for first, last in sorted(spans)]
    return " ".join([*([WEEKENDS] if weekends else []), *said])


def time_of(text: str) -> timedelta:
    """A time for orders as it is kept and typed, `24` or `0:15`: hours, and minutes. StoreError if it is
    none.
    """
    hours, colon, minutes = text.strip().partition(":")
    parts = (hours, minutes) if colon else (hours or "0", "0")
    whole = all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts)
    if not whole or int(parts[1]) > 59 or int(parts[0]) > MOST_HOURS:
        said = f"a time is written like 24 (hours) or 0:15 (minutes), up to {MOST_HOURS}"
        raise StoreError(f"{said}, not {text[:30]!r}")
    return timedelta(hours=int(parts[0]), minutes=int(parts[1]))


def first_open_day(day: date, off: str) -> date:
    """The day, or the first after it that is none of the days off."""
    spans = list(_spans(off.removeprefix(WEEKENDS)))
    weekends = off.startswith(WEEKENDS)
    for _ in range(LONGEST_OFF):
        rests = weekends and day.weekday() >= SATURDAY
        if not rests and not any(first <= day <= last for first, last in spans):
            break
        day += timedelta(days=1)
    return day


def rule_in_words(run: Settings, ruleset: Ruleset) -> list[str]:
    """What players should know of deadlines before one passes: each a sentence."""
    out = [f"A turn takes {counted(run.days, 'day')}."] if run.days else []
    out += [f"Orders for {point} are due {_in_words(time)} later." for point, time in run.times.items()]
    rests = ["on Saturdays and Sundays"] if run.off.startswith(WEEKENDS) else []
    for first, last in _spans(run.off.removeprefix(WEEKENDS)):
        rests.append(f"on {_said(first)}" if first == last else f"from {_said(first)} to {_said(last)}")
    if rests:
        out.append(f"No orders are due {listing(rests)}: the next day counts, at the same time.")
    if run.auto == "nothing":
        out.append("The moderator closes the orders and resolves the turn.")
    elif run.early:
        out.append("The turn goes on as soon as all players are ready, and at the deadline at the latest.")
    else:
        out.append("At the deadline the turn goes on by itself.")
    late = ruleset.players.get("without_orders", ())
    helped = ["an ally may send orders for it"] if any("proxy" in rule for rule in late) else []
    helped += ["a part of its income is spent by the rules"] if any("spends" in rule for rule in late) else []
    without = "A nation that has sent nothing by then has no orders"
    return [*out, f"{without}; {listing(helped)}." if helped else f"{without} in that turn."]


def _spans(text: str) -> Iterator[tuple[date, date]]:
    for word in text.replace(",", " ").split():
        found = _SPAN.fullmatch(word)
        try:
            if found is None:
                raise ValueError
            first = date.fromisoformat(found[1])
            last = date.fromisoformat(found[2] or found[1])
        except ValueError:
            raise StoreError(
                "a day is written like 2026-12-24, and several in a row like 2026-12-24..2027-01-02, not "
                f"{word[:30]!r}"
            ) from None
        if last < first:
            raise StoreError(f"{word}: the last day comes before the first")
        yield first, last


def _in_words(time: timedelta) -> str:
    hours, minutes = divmod(int(time.total_seconds()) // 60, 60)
    parts = [counted(hours, "hour")] if hours else []
    return listing([*parts, *([counted(minutes, "minute")] if minutes else [])])


def _said(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"
