"""A game on the server from its first order to its next turn, by the forms that people use, without a script."""

from __future__ import annotations

import html
import re

import pytest

from .. import small
from .house import FRAME, SHOWS, Browser, House, said

from wteaw_web.actions import resolve_now, send_reports  # isort: skip
from wteaw.play.submit import hand_in  # isort: skip
from wteaw.store import PLAYER, StoreError  # isort: skip


@pytest.fixture
def red(at: House) -> Browser:
    return at.come_in(at.role("small", "player", "red"))


def stage(mo: Browser) -> dict[str, str]:
    found = re.search(r'name="stage" value="(\d+)"', mo.get("game").text)
    assert found
    return {"stage": found[1]}


def test_orders_are_read_back_and_sent_as_often_as_one_likes(at: House, red: Browser) -> None:
    at.mails()
    assert "Nothing of yours counts yet" in said(red.get("orders"))
    page = red.post("orders/check", {"text": "dig\nfly\n"})
    assert "1 line is not valid" in said(page) and "Send 1 order, leave out 1" in said(page)
    assert "Nothing was sent yet" in said(red.send("dig\nfly\n", out=0))
    with at.hall.game("small") as game:
        assert not game.submissions()
    assert "Your orders have been taken" in said(red.send("dig\nfly\n", out=1))
    assert "Your orders have been taken" in said(red.send("dig\ndig\n"))
    first, second = at.mails()
    assert first["To"] == second["To"] == "ann@a.example" and "part in the dice" in second.get_content()
    with at.hall.game("small") as game:
        assert [len(h.submission.orders) for h in game.hand_ins_of(1, "red")] == [1, 2]
        assert len(game.submissions()["red"].orders) == 2 and game.submissions()["red"].by == PLAYER
    number = re.search(r'name="file" value="(\d+)"', red.get("orders").text)
    assert number
    red.post("orders/back", {"file": number[1]})
    with at.hall.game("small") as game:
        assert len(game.submissions()["red"].orders) == 1


def test_a_text_of_which_nothing_stands_leaves_what_was_sent(at: House, red: Browser) -> None:
    red.send("dig\n")
    for text, out in (("fly\n", 1), ("game elsewhere\ndig\n", 0), ("turn 9\ndig\n", 0), ("", 0)):
        red.send(text, out=out)
        with at.hall.game("small") as game:
            assert len(game.submissions()["red"].orders) == 1, text


def test_buttons_mend_a_line(red: Browser) -> None:
    text = "dig\nfly\ndig\n"
    red.post("orders/check", {"text": text, "mend": "2:"})
    assert "dig\ndig\n" in red.get("orders").text
    red.post("orders/check", {"text": text, "mend": "2:dig"})
    assert "dig\ndig\ndig\n" in red.get("orders").text
    for odd in ("99:x", "0:x", ":x", "²:x", "1", "-1:x"):
        red.post("orders/check", {"text": text, "mend": odd})
        assert text in red.get("orders").text, odd


def test_a_file_is_taken_in_place_of_what_is_written(red: Browser) -> None:
    red.post(
        "orders/check",
        {"text": "fly"},
        files={"file": ("orders.txt", "\ufeffdig\r\ndig\r\n".encode(), "text/plain")},
    )
    assert "dig\ndig\n" in red.get("orders").text


def test_a_turn_in_six_steps(at: House, red: Browser, mo: Browser) -> None:
    blue = at.come_in(at.role("small", "player", "blue"))
    at.mails()
    red.send("dig\n")
    assert "1 player has not sent orders" in said(mo.get("game")) and "1 of 2" in said(red.get("turn"))
    mo.post("game/remind", {})
    assert "reminded; the mail waits" in said(mo.get("game"))
    assert [m["To"] for m in at.mails() if "missing" in m["Subject"]] == ["bob@b.example"]
    assert "reminded; the mail has gone" in said(mo.get("game"))
    assert "no orders yet from Blue" in said(mo.post("game/resolve", stage(mo)))
    blue.post("orders/send", {"text": "", "nothing": "1"})
    mo.post("game/close", {})
    assert "closed" in said(red.send("dig\ndig\n")) and red.send("dig\n").status_code == 409
    assert "Nobody but you has seen it yet" in said(mo.post("game/resolve", stage(mo)))
    at.mails()
    before = said(red.get("turn"))
    assert (
        "Orders for turn 1" in said(red.get("orders")) and "reads the reports before they send them" in before
    )
    shown, whole = mo.get("report", nation="red"), mo.get("report", nation="red", log="1")
    assert "Carried out: dig" not in said(shown) and "Carried out: dig" in said(whole), (
        "the log is shown when it is asked for"
    )
    for page in ("turn", "orders", "map", "nation", "proof", "report.txt"):
        assert "Carried out: dig" not in said(red.get(page)), page
    assert mo.post("game/send", stage(mo)).status_code == 200
    assert "Carried out: dig" in said(red.get("turn")) and "Carried out: dig" not in said(blue.get("turn"))
    mails = at.mails()
    assert sorted(m["To"] for m in mails) == ["ann@a.example", "bob@b.example"]
    for mail in mails:
        parts = list(mail.iter_attachments())
        whose = "Red" if mail["To"] == "ann@a.example" else "Blue"
        text = mail.get_body(("plain",)).get_content()
        where = f"http://testserver/seat/{at.role('small', 'player', whose.lower()).id}"
        assert text.startswith(f"Write your orders here: {where}/orders\n")
        assert "Orders for turn 2 are due Friday 8 May, 12:00 UTC." in text
        assert [p.get_content_type() for p in parts] == ["text/html"] and f": {whose}" in text
        assert ("Carried out: dig" in str(parts[0].get_content())) == (whose == "Red")
    assert "Orders for turn 2" in said(red.get("orders"))
    assert at.hall.settings("small").due == "2026-05-08T12:00:00+00:00"
    assert "come out the same" in said(red.get("proof", turn="1"))


def test_the_turn_says_how_a_draft_stands(at: House, red: Browser) -> None:
    assert "Orders not sent" in said(red.get("turn")) and "Draft kept" not in said(red.get("turn"))
    red.post("orders/check", {"text": "dig\nfly\n"})
    assert re.search(r"Draft kept .*?: 1 order is valid, 1 line is not\. Go on", said(red.get("turn")))
    red.send("dig\nfly\n", out=1)
    assert "✓ 1 order sent" in said(red.get("turn")) and "draft" not in said(red.get("turn"))
    red.post("orders/check", {"text": "dig\ndig\n"})
    assert "✓ 1 order sent" in said(red.get("turn")) and "Another draft: 2 orders are valid." in said(
        red.get("turn")
    )


def test_exactly_one_step_is_now(at: House, red: Browser, mo: Browser) -> None:
    def now() -> list[str]:
        return re.findall(r'<li class="now" aria-current="step"><b>(.*?)</b>', mo.get("game").text)

    assert now() == ["1 Orders"]
    red.send("dig\n")
    mo.post("game/stand-in", {"nation": "blue"})
    assert now() == ["3 Close"], "nobody is late, and nothing is to be decided"
    mo.post("game/close", {})
    assert now() == ["4 Resolve"]
    mo.post("game/resolve", stage(mo))
    assert now() == ["5 Read"]
    mo.post("game/send", stage(mo))
    assert now() == ["1 Orders"]


def test_what_is_left_to_the_moderator_is_asked_with_buttons(at: House) -> None:
    frame = [
        {
            **FRAME[0],
            "leaves": [{"decision": "heir", "of": "nation('red')", "says": "Who follows {nation}?"}],
        },
        *FRAME[1:],
    ]
    heir = {
        "id": "heir",
        "asks": "moderator",
        "about": "nation",
        "from": ["red", "blue"],
        "default": "red",
        "text": "Who follows.",
    }
    rules = small.ruleset(frame, actions=[small.DIG], events=[small.LUCK], visibility=SHOWS, decisions=[heir])
    at.game("left", rules, red="dora@d.example")
    at.come_in(at.role("left", "player", "red")).send("dig\n")
    mo = at.come_in(at.role("left", "moderator"))
    page = mo.get("game")
    assert (
        "1 waits for you" in said(page)
        and "Who follows Red?" in said(page)
        and "Without an answer: Red." in said(page)
    )
    assert re.findall(r'name="answer" value="(\w+)"', page.text) == ["red", "blue"]
    refused = mo.post("game/decide", {"decision": "heir/red", "answer": "green"})
    assert refused.status_code == 409 and "it is one of red, blue" in said(refused)
    answered = said(mo.post("game/decide", {"decision": "heir/red", "answer": "blue"}))
    assert "✓ answered Who follows Red? Blue" in answered and "Mo: Answered heir, Red: Blue" in answered
    assert "heir/red" not in answered, "in words, not by ids"
    assert (
        "Nothing waits for you" in said(mo.get("game"))
        and '<li class="now" aria-current="step"><b>3 Close' in mo.get("game").text
    )


def test_no_step_is_taken_twice(at: House, red: Browser, mo: Browser) -> None:
    at.come_in(at.role("small", "player", "blue")).send("dig\n")
    red.send("dig\n")
    old = stage(mo)
    mo.post("game/resolve", old)
    assert mo.post("game/resolve", old).status_code == 409
    fresh = stage(mo)
    mo.post("game/send", fresh)
    at.mails()
    assert mo.post("game/send", fresh).status_code == 409 and not at.mails()
    assert mo.post("game/resolve", old).status_code == 409
    with at.hall.game("small") as game:
        assert [s[1] for s in game.stages()] == [1, 2]


def test_who_plays_a_nation_has_a_seat_for_each_that_it_commands(at: House, mo: Browser) -> None:
    with at.hall.game("small") as game:
        game.command("gray", "red", "")
    assert "Gray" in said(mo.get("game"))
    at.mails()
    mo.post("game/remind", {"nation": "gray"})
    assert [m["To"] for m in at.mails()] == ["ann@a.example"], "who plays Red is asked for the orders of Gray"
    with at.hall.game("small") as game:
        resolve_now(at.hall, game, "test", force=True)
        send_reports(at.server, game, "test")
    assert [(r.name, r.email) for r in at.hall.people.of_game("small") if r.nation == "gray"] == [
        ("ann", "ann@a.example")
    ]
    gray = at.come_in(at.role("small", "player", "gray"))
    gray.send("dig\n")
    with at.hall.game("small") as game:
        assert game.submissions()["gray"].by == PLAYER and "red" not in game.submissions()


def test_late_players_are_ordered_for_or_left_out(at: House, red: Browser, mo: Browser) -> None:
    mo.post("game/stand-in", {"nation": "blue"})
    assert mo.post("game/stand-in", {"nation": "blue"}).status_code == 409
    mo.post("game/orders", {"nation": "red", "text": "dig\n", "send": "1"})
    with at.hall.game("small") as game:
        assert {n: s.by for n, s in game.submissions().items()} == {"blue": "policy", "red": "moderator"}
    assert any("moderator has submitted" in m.get_content() for m in at.mails() if m["To"] == "ann@a.example")
    assert "1 order sent" in said(red.get("turn")) and "by the moderator" in said(red.get("orders"))
    red.send("dig\ndig\n")
    with at.hall.game("small") as game:
        assert game.submissions()["red"].by == PLAYER


def test_a_rehearsal_keeps_nothing(at: House, red: Browser, mo: Browser) -> None:
    red.send("dig\n")
    with at.hall.game("small") as game:
        before = (game.stages(), game.stage().commitment, game.turn_record(1))
    assert "Blue missing" in said(mo.post("game/rehearse", {}))
    with at.hall.game("small") as game:
        game._stage = None
        assert before == (game.stages(), game.stage().commitment, game.turn_record(1))


def play_a_turn(at: House, red: Browser, mo: Browser, send: bool = True) -> None:
    red.send("dig\n")
    mo.post("game/resolve", {**stage(mo), "force": "1"})
    if send:
        mo.post("game/send", stage(mo))


def test_a_correction_shows_first_and_is_told_to_all(at: House, red: Browser, mo: Browser) -> None:
    play_a_turn(at, red, mo, send=False)
    form = {"to": "1", "nation": "red", "text": "dig\ndig\n", "reason": "one dig was lost"}
    shown = said(mo.post("game/correct", form))
    assert (
        "Everybody keeps their dice" in shown
        and "No player has seen" in shown
        and "stay as they are" in shown
    )
    with at.hall.game("small") as game:
        assert game.stage().number == 2
    assert (
        mo.correct({**form, "reason": ""}).status_code == 409
        and mo.post("game/correct", {**form, "sure": "1"}).status_code == 409
    )
    mo.correct(form)
    with at.hall.game("small") as game:
        assert game.stage().number == 1 and len(game.submissions()["red"].orders) == 2
    mo.post("game/resolve", {**stage(mo), "force": "1"})
    mo.post("game/send", stage(mo))
    assert "one dig was lost" in said(red.get("turn"))
    assert "Went back to turn 1" in said(mo.get("history"))


def test_of_two_tabs_the_later_one_does_what_it_showed_or_nothing(
    at: House, red: Browser, mo: Browser
) -> None:
    """Going back was looked at before the reports went: it said that nobody had seen anything, which is so no longer."""
    play_a_turn(at, red, mo, send=False)
    form = {"to": "1", "reason": "x"}
    page = mo.post("game/correct", form).text
    shown = re.search(r'name="shown" value="([^"]+)"', page)
    assert shown and "No player has seen" in page
    mo.post("game/send", stage(mo))
    late = mo.post("game/correct", {**form, "sure": "1", "shown": shown[1]})
    assert late.status_code == 409 and "the game has moved on since this was shown" in said(late)
    with at.hall.game("small") as game:
        assert game.stage().number == 2
    due = at.hall.settings("small").due
    more = {"more": "24", "from": due}
    assert mo.post("game/clock", more).status_code == 200 and mo.post("game/clock", more).status_code == 409
    assert at.hall.settings("small").due[8:10] == f"{int(due[8:10]) + 1:02}", (
        "pressed twice, a day more is one day more"
    )


def test_orders_that_come_while_they_are_closed_are_in_or_refused(
    at: House, red: Browser, mo: Browser
) -> None:
    """Whoever looked at a game that was open when it is closed meanwhile hears so; nothing of theirs is half there."""
    red.send("dig\n")
    with at.hall.game("small") as late, at.hall.game("small") as prompt:
        assert late.stage().number == prompt.stage().number
        mo.post("game/close", {})
        with pytest.raises(StoreError, match="closed"):
            hand_in(late, "red", "dig\ndig\n", PLAYER)
    mo.post("game/resolve", {**stage(mo), "force": "1"})
    with at.hall.game("small") as game:
        assert len(game.hand_ins_of(1, "red")) == 1


def test_going_back_after_keys_are_out_gives_fresh_dice_and_says_so(
    at: House, red: Browser, mo: Browser
) -> None:
    play_a_turn(at, red, mo)
    red.get("proof", turn="1")
    shown = said(mo.post("game/correct", {"to": "1", "reason": "x"}))
    assert "fresh dice" in shown and "Players have seen" in shown
    assert "Red (ann): the report was mailed" not in shown, "it waits in the outbox"
    at.mails()
    shown = said(mo.post("game/correct", {"to": "1", "reason": "x"}))
    assert (
        "Red (ann): the report was mailed Friday 1 May" in shown
        and "Blue (bob): the report was mailed" in shown
    )
    assert "last on the pages Friday 1 May" in shown and "never on the pages" in shown


def test_the_clock_is_set_stopped_and_given_more(at: House, red: Browser, mo: Browser) -> None:
    mo.post(
        "game/clock", {"due": "2026-05-09T20:00", "days": "3", "remind": "12", "auto": "send", "public": "1"}
    )
    now = at.hall.settings("small")
    assert (now.due, now.days, now.remind, now.auto, now.public) == (
        "2026-05-09T20:00:00+00:00",
        3,
        12,
        "send",
        True,
    )
    over = mo.post("game/clock", {"due": "2025-05-09T20:00", "auto": "send"})
    assert (
        over.status_code == 409
        and "2025-05-09 20:00 UTC is over" in said(over)
        and at.hall.settings("small") == now
    )
    mo.post("game/clock", {"more": "24"})
    assert at.hall.settings("small").due == "2026-05-10T20:00:00+00:00"
    at.wait(days=20)
    late = {"due": "2026-05-10T20:00", "days": "3", "remind": "12", "auto": "send"}
    assert mo.post("game/clock", late).status_code == 200, "a deadline that has passed may stay"
    mo.post("game/clock", {"pause": "1"})
    assert "the clock is stopped" in said(red.get("turn"))
    for odd in ("yesterday", "2026-99-01T00:00", "0001-01-01T00:00", "9" * 40):
        assert mo.post("game/clock", {"due": odd, "days": "x"}).status_code in (200, 409)


def test_what_is_open_to_all_shows_what_all_may_know(at: House, red: Browser, mo: Browser) -> None:
    anybody = at.browser()
    assert anybody.get("/public/small/news").status_code == 404
    mo.post("game/clock", {"public": "1"})
    play_a_turn(at, red, mo)
    for page in ("news", "map", "figures"):
        answer = anybody.get(f"/public/small/{page}")
        assert answer.status_code == 200 and "Carried out: dig" not in answer.text, page
    assert anybody.get("/public/nothing/news").status_code == 404


def test_figures_by_turn_and_everything_when_the_game_has_ended(at: House) -> None:
    frame = [*FRAME, {"phase": "end", "steps": [{"step": "score", "do": "score"}]}]
    ends = [{"id": "soon", "kind": "game_end", "name": "Soon", "when": "turn >= 2"}]
    at.game(
        "short",
        small.ruleset(frame, actions=[small.DIG], events=[small.LUCK], visibility=SHOWS, victory=ends),
        red="r@r.example",
    )
    red, mo = at.come_in(at.role("short", "player", "red")), at.come_in(at.role("short", "moderator"))
    mo.post("game/clock", {"public": "1"})
    anybody = at.browser()
    assert "Nothing that everybody would know" in said(anybody.get("/public/short/figures")), (
        "no turn has been"
    )
    assert anybody.get("/public/short/chart.svg?part=0").status_code == 404
    play_a_turn(at, red, mo, send=False)
    assert "after turn 1" not in said(anybody.get("/public/short/figures")), "nobody has been sent it"
    mo.post("game/send", stage(mo))
    page = anybody.get("/public/short/figures")
    found = re.findall(r'<img class="plot" src="([^"]+)"', page.text)
    assert found and "Places held" in page.text and "Luck" not in page.text
    for address in found:
        drawn = anybody.get(address)
        assert drawn.status_code == 200, (address, said(drawn))
        assert (
            drawn.headers["content-type"] == "image/svg+xml"
            and "<svg" in drawn.text
            and "--s0:" in drawn.text
        )
        assert (
            "style-src 'unsafe-inline'" in drawn.headers["content-security-policy"]
            and "<script" not in drawn.text
        )
    for odd in ("99", "x", ""):
        assert anybody.get(f"/public/short/chart.svg?part={odd}").status_code == 404
    with at.hall.game("short") as game:
        secret = game.secrets()[0]
    assert (
        secret not in anybody.get("/public/short/news").text
        and "Carried out: dig" not in anybody.get("/public/short/news").text
    )
    play_a_turn(at, red, mo)
    news, figures = anybody.get("/public/short/news", log="1"), anybody.get("/public/short/figures")
    assert "everything is revealed" in news.text and "Carried out: dig" in news.text and secret in news.text
    assert "Luck" in figures.text and "The game has ended: these are all figures" in figures.text


def test_the_log_is_a_chain(at: House, red: Browser, mo: Browser) -> None:
    from sqlalchemy import text

    play_a_turn(at, red, mo)
    assert at.hall.broken_log("small") is None
    with at.hall.engine.begin() as db:
        db.execute(text("update desk_log set what = 'nothing' where number = 2"))
    assert at.hall.broken_log("small") == 2 and "Line 2 is not as it was written" in said(mo.get("history"))


def test_a_host_starts_a_game_and_is_its_moderator(at: House) -> None:
    host = at.come_in(at.hall.people.add("", "host", name="Hal", email="hal@h.example"))
    assert "A new game" in said(host.get("games", scenario="diplomacy"))
    (mail,) = [m for m in at.mails() if m["To"] == "hal@h.example"]
    assert mail["Subject"] == "This server: somebody came in"
    assert "as host of this server, with your link" in mail.get_content()
    neutrals = host.get("games", scenario="no-mans-land").text
    assert 'name="player-germany"' in neutrals and 'name="player-neutrals"' not in neutrals, (
        "nobody plays them"
    )
    form = {
        "scenario": "diplomacy",
        "id": "flanders",
        "title": "Flanders",
        "days": "5",
        "player-italy": "ida@i.example",
    }
    assert "The game is started" in said(host.post("games", form))
    wrong = {
        **form,
        "id": "Cup !1",
        "days": "many",
        "player-italy": "nobody",
        "player-france": "fay@f.example",
        "option-disorder-from": "home",
    }
    answer = host.post("games", wrong)
    assert answer.status_code == 409 and "3 entries are to be put right" in said(answer)
    for kept in (
        'value="Cup !1"',
        'value="fay@f.example"',
        'value="nobody"',
        '<option value="home" selected>home</option>',
    ):
        assert kept in html.unescape(answer.text), kept
    for field in ("id", "days", "player-italy"):
        assert f'aria-describedby="wrong-{field}"' in answer.text and f'id="wrong-{field}"' in answer.text
    answer = host.post("games", form)
    assert (
        answer.status_code == 409
        and "there is a game flanders already" in said(answer)
        and 'value="ida@i.example"' in answer.text
    )
    assert set(at.hall.ids()) == {"small", "flanders"}, "nothing was begun by a wrong form"
    assert "The game is started" in said(host.post("games", {**form, "id": "", "title": "Cup 1: Übersee"}))
    assert "The game is started" in said(host.post("games", {**form, "id": "", "title": "cup 1, übersee"})), (
        "with a number"
    )
    assert set(at.hall.ids()) == {"small", "flanders", "cup-1-ubersee", "cup-1-ubersee-2"}
    address = re.search(r'href="(/seat/[^"]+/game)">Flanders', host.get("games").text)
    assert address and "1 player has not sent orders" in said(host.get(address[1]))
    assert [m["To"] for m in at.mails() if "Hal invites you" in m["Subject"]] == ["ida@i.example"] * 3


def test_ordering_nothing_is_said_on_purpose(at: House, red: Browser) -> None:
    assert red.send("").status_code == 409
    assert "Order nothing this turn" in said(red.get("orders"))
    red.post("orders/send", {"text": "", "nothing": "1"})
    with at.hall.game("small") as game:
        assert game.submissions()["red"].orders == []


def test_who_waits_for_a_nation_is_listed_with_the_side_by_its_name(at: House) -> None:
    at.game("wanted", red="ann@a.example")
    mo = at.come_in(at.role("wanted", "moderator"))
    form = {"act": "add", "name": "Wim", "email": "wim@w.example", "side": "west"}
    mo.post("players", form)
    assert "Wim would join West" in said(mo.get("players"))
