"""A machine's clock that is set while games wait for their deadlines: nothing twice, nothing in silence, nothing held back."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from .house import House, house, said

from wteaw.play.verify import audit  # isort: skip
from wteaw_web.actions import close_orders  # isort: skip
from wteaw_web.games import Settings  # isort: skip
from wteaw_web.outbox import Mail  # isort: skip
from wteaw_web.worker import WHO, tick  # isort: skip

DUE = datetime.fromisoformat("2026-05-08T12:00:00+00:00")


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.game("small", red="ann@a.example", blue="bob@b.example")
    found.hall.keep(Settings("small", DUE.isoformat(), 7, False, "send", 24, False))
    found.come_in(found.role("small", "player", "red")).send("dig\n")
    found.mails()
    return found


def ticks(at: House, *offsets: timedelta) -> list[int]:
    """Tick at times round the deadline, in this order, thrice each. Returns the turns that the game has stood at."""
    for offset in offsets:
        at.now = DUE + offset
        for _ in range(3):
            tick(at.server)
            at.wait(seconds=5)
    with at.hall.game("small") as game:
        assert [fault for _, fault in audit(game) if fault] == []
        assert at.hall.broken_log("small") is None
        return [turn for _, turn, _ in game.stages()]


def subjects(at: House, name: str) -> Counter[str]:
    at.outbox.deliver()
    return Counter(f"{m['Subject']}" for m in at.carried if m["To"] == name)


HOUR, MINUTE, MONTH = timedelta(hours=1), timedelta(minutes=1), timedelta(days=31)


@pytest.mark.parametrize("back", [MINUTE, HOUR, timedelta(days=1), MONTH])
def test_a_clock_that_is_set_back_after_a_deadline_does_nothing_twice(at: House, back: timedelta) -> None:
    assert ticks(at, -2 * HOUR, MINUTE, MINUTE - back, HOUR, -HOUR, 2 * HOUR) == [1, 2]
    assert subjects(at, "bob@b.example") == {
        "The game small, turn 1: your orders are missing": 1,
        "The game small, turn 1: Blue": 1,
    }
    assert datetime.fromisoformat(at.hall.settings("small").due) == DUE + timedelta(days=7)
    did = Counter(d.what.partition(" turn")[0] for d in at.hall.done("small") if d.who == WHO)
    assert did["Resolved"] == did["Sent"] == did["Closed the orders of"] == 1


@pytest.mark.parametrize("back", [MINUTE, HOUR, MONTH])
def test_a_clock_that_is_set_back_before_a_deadline_reminds_once(at: House, back: timedelta) -> None:
    assert ticks(at, -23 * HOUR, -23 * HOUR - back, -23 * HOUR, -22 * HOUR - back, -MINUTE) == [1]
    assert [n for s, n in subjects(at, "bob@b.example").items() if "missing" in s] == [1]
    assert ticks(at, MINUTE) == [1, 2]


def test_orders_that_were_closed_when_the_clock_was_set_back_are_resolved_once(at: House) -> None:
    at.now = DUE + MINUTE
    with at.hall.game("small") as game:
        close_orders(at.hall, game, WHO)  # and the worker was ended
    assert ticks(at, MINUTE - HOUR) == [1]
    assert ticks(at, 2 * MINUTE, MINUTE - HOUR, 3 * MINUTE) == [1, 2]


def test_a_deadline_that_has_passed_is_not_that_of_the_next_turn_when_the_clock_is_set_back(
    at: House,
) -> None:
    """Without days of a turn, and sent by hand: who has an hour less on the clock has no hour for the next turn."""
    at.hall.keep(Settings("small", DUE.isoformat(), 0, False, "resolve", 24, False))
    assert ticks(at, MINUTE) == [1, 2]
    at.now = DUE + MINUTE - HOUR
    at.come_in(at.role("small", "moderator")).post("game/send", {"stage": "2"})
    assert at.hall.last_sent("small") == 2 and at.hall.settings("small").due == ""
    assert ticks(at, MINUTE) == [1, 2]


def test_a_clock_that_jumps_over_a_deadline_tells_who_can_set_it_right(at: House) -> None:
    """A month on, and back again: one turn is resolved, one mail says why and what the next deadline depends on; nothing is held back."""
    assert ticks(at, -26 * HOUR, MONTH) == [1, 2]
    mo = [m for m in at.carried if m["To"] == "mo@small.example" and "deadline has passed" in m["Subject"]]
    assert (
        len(mo) == 1
        and "clock was set" in mo[0].get_content()
        and "Friday 8 May, 12:00" in mo[0].get_content()
    )
    lines = [d.what for d in at.hall.done("small")]
    assert (
        lines.count(f"The deadline of {DUE.isoformat()} has passed")
        == lines.count("Nobody had looked at the clock until now")
        == 1
    )
    assert ticks(at, -25 * HOUR, MINUTE, timedelta(days=7)) == [1, 2], "the next deadline lies a month ahead"
    assert max(subjects(at, "bob@b.example").values()) == 1
    at.now = DUE - 25 * HOUR
    at.outbox.put(Mail("k", "bob@b.example", "now", "text"))
    assert subjects(at, "bob@b.example")["now"] == 1


@pytest.mark.parametrize("auto", ["nothing", "close", "resolve", "send"])
def test_no_deadline_passes_in_silence(at: House, auto: str) -> None:
    """On time and with the clock right: it is written down once, and the moderator hears of it where it waits for them."""
    at.hall.keep(Settings("small", DUE.isoformat(), 7, False, auto, 24, False))
    ticks(at, -MINUTE, MINUTE, 2 * MINUTE, 3 * HOUR)
    lines = [d.what for d in at.hall.done("small")]
    assert (
        lines.count(f"The deadline of {DUE.isoformat()} has passed") == 1
        and "Nobody had looked at the clock until now" not in lines
    )
    told = [
        m.get_content()
        for m in at.carried
        if m["To"] == "mo@small.example" and "deadline has passed" in m["Subject"]
    ]
    assert len(told) == (auto == "nothing") and all("Nothing is done by itself" in text for text in told)


def test_mails_and_links_do_not_wait_for_a_clock_that_was_wrong(at: House) -> None:
    role = at.role("small", "player", "blue")
    at.now = DUE + MONTH
    working, at.outbox.carry = at.outbox.carry, _fails
    at.outbox.put(Mail("k", "bob@b.example", "late", "text"))
    at.outbox.deliver()
    while at.hall.people.link(role):
        pass
    at.outbox.carry = working
    at.now = DUE
    assert at.hall.people.link(role), "links of the month to come are none of this hour"
    assert subjects(at, "bob@b.example")["late"] == 1
    assert "The game small" in said(at.come_in(role).get("turn"))


def _fails(_: object) -> None:
    raise OSError("connection refused")
