"""Who comes in at the server, and what they may do there: the threats of docs/security.md, each by what an attacker would try."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from .house import URL, House, house, said

from wteaw_web.app import SEATS, addresses  # isort: skip
from wteaw_web.rate_limits import RATES, Limits  # isort: skip
from wteaw_web.accounts import LINKS_AN_HOUR  # isort: skip


@pytest.fixture
def at(tmp_path: Path) -> House:
    found = house(tmp_path)
    found.game("small", red="ann@a.example", blue="bob@b.example")
    found.game("other", red="cleo@c.example")
    return found


def test_looking_at_a_link_uses_nothing_up_and_following_it_does(at: House) -> None:
    token = at.hall.people.link(at.role("small", "player", "red"))
    one, two = at.browser(), at.browser()
    for _ in range(3):
        assert "as Red" in said(one.get(f"/in/{token}"))
    assert one.post(f"/in/{token}", {}).url.path.endswith("/turn")
    assert "was used already" in said(two.get(f"/in/{token}"))
    two.post(f"/in/{token}", {})
    assert (
        two.get(one.get("/").text.split('href="/seat/')[1].split('"')[0].join(["/seat/", ""])).status_code
        == 404
    )


@pytest.mark.parametrize(("minutes", "works"), [(14.9, True), (15, False), (600, False)])
def test_a_link_is_good_for_a_quarter_of_an_hour(at: House, minutes: float, works: bool) -> None:
    token = at.hall.people.link(at.role("small", "player", "red"))
    at.wait(minutes=minutes)
    here = at.browser()
    assert ("has expired" in said(here.get(f"/in/{token}"))) != works
    assert here.post(f"/in/{token}", {}).url.path.endswith("/turn") == works


def test_an_old_link_sends_a_fresh_one_to_its_owner_alone(at: House) -> None:
    token = at.hall.people.link(at.role("small", "player", "red"))
    at.wait(hours=1)
    at.browser().post(f"/in/{token}", {"again": "1"})
    (mail,) = at.mails()
    assert mail["To"] == "ann@a.example"
    fresh = re.search(rf"{URL}(/in/\S+)", mail.get_content())
    assert fresh and at.browser().post(fresh[1], {}).url.path.endswith("/turn")


def test_nothing_that_is_kept_lets_anybody_in(at: House) -> None:
    token = at.hall.people.link(at.role("small", "player", "red")) or ""
    here = at.come_in(at.role("small", "player", "blue"))
    cookie = here.client.cookies["server"]
    with at.hall.engine.connect() as db:
        tables = [r[0] for r in db.execute(text("select name from sqlite_master where type = 'table'"))]
        kept = "".join(
            str(list(db.execute(text(f"select * from {t}")))) for t in tables if t.startswith("desk_")
        )
    assert token not in kept and cookie not in kept and at.hall.people.look(token)


def test_asking_says_nothing_of_who_is_known(at: House) -> None:
    known, unknown = (at.browser().post("/link", {"email": e}) for e in ("ann@a.example", "eve@e.example"))
    assert (known.status_code, known.url, said(known)) == (unknown.status_code, unknown.url, said(unknown))
    assert [m["To"] for m in at.mails()] == ["ann@a.example"]
    assert (
        at.browser().post("/link", {"email": "no address\r\nBcc: x@y.example"}).status_code == 200
        and not at.mails()
    )


def test_links_are_limited(at: House) -> None:
    for _ in range(LINKS_AN_HOUR * 3):
        at.browser().post("/link", {"email": "ann@a.example"})
    assert len(at.mails()) == LINKS_AN_HOUR
    at.wait(hours=1.1)
    at.browser().post("/link", {"email": "ann@a.example"})
    assert len(at.mails()) == 1


def test_nobody_keeps_an_owner_out_by_asking_in_their_name(at: House) -> None:
    """All links of an hour were asked for by another, and have expired: after some minutes there is one again."""
    for _ in range(LINKS_AN_HOUR * 3):
        at.browser().post("/link", {"email": "ann@a.example"})
    at.mails()
    at.wait(minutes=9.9)
    at.browser().post("/link", {"email": "ann@a.example"})
    assert not at.mails()
    at.wait(minutes=6)
    at.browser().post("/link", {"email": "ann@a.example"})
    (mail,) = at.mails()
    link = re.search(rf"{URL}(/in/\S+)", mail.get_content())
    here = at.browser()
    assert link and here.post(link[1], {}).url.path.endswith("/turn")


def test_nobody_is_in_without_their_owners_hearing_of_it(at: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coming in and the mail that tells of it are one: without the mail the link is not used up, and there is no session."""
    role = at.role("small", "player", "red")
    link, here = at.hall.people.link(role), at.browser()

    def broken(*_: Any) -> int:
        raise OSError("no room")

    with monkeypatch.context() as m:
        m.setattr(at.outbox, "put", broken)
        assert here.post(f"/in/{link}", {}).status_code == 500
    assert at.hall.people.sessions_of_role(role) == []
    assert here.post(f"/in/{link}", {}).url.path.endswith("/turn") and len(at.mails()) == 1


@pytest.mark.parametrize("what", sorted(RATES))
def test_what_is_limited_is_limited_for_one_and_not_for_another(what: str) -> None:
    now = [0.0]
    limits = Limits(lambda: now[0])
    most, seconds = RATES[what]
    assert all(limits.allow(what, "ann") for _ in range(most)) and not limits.allow(what, "ann")
    assert limits.allow(what, "bob")
    now[0] = seconds + 1
    assert limits.allow(what, "ann")


def test_the_secret_of_a_browser_changes_when_it_comes_in(at: House) -> None:
    here = at.browser()
    here.get("/")
    before = here.client.cookies["server"]
    at.come_in(at.role("small", "player", "red"), here)
    assert here.client.cookies["server"] != before
    thief = at.browser()
    thief.client.cookies.set("server", before)
    assert thief.get(f"{here.seat}/turn").status_code == 404


def test_one_browser_may_hold_several_roles(at: House) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    at.come_in(at.role("other", "player", "red"), here)
    assert here.get("/").text.count('href="/seat/') == 2


def test_the_owner_hears_of_every_session_and_ends_it(at: House) -> None:
    role = at.role("small", "player", "red")
    owner, thief = at.come_in(role), at.come_in(role)
    assert [m["To"] for m in at.mails() if "came in" in m["Subject"]] == ["ann@a.example"] * 2
    assert thief.get("turn").status_code == 200
    owner.post("sessions", {"which": "others"})
    assert thief.get("turn").status_code == 404 and owner.get("turn").status_code == 200
    other = at.come_in(at.role("small", "player", "blue"))
    (session,) = at.hall.people.sessions_of_role(role)
    other.post("sessions", {"which": session.id})
    assert owner.get("turn").status_code == 200, "nobody ends the sessions of others"


def test_sessions_end_by_themselves_when_nobody_comes(at: House) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    at.wait(days=29)
    assert here.get("turn").status_code == 200
    at.wait(days=31)
    assert here.get("turn").status_code == 404


def test_who_loses_his_seat_is_out_at_once(at: House) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    unused = at.hall.people.link(at.role("small", "player", "red"))
    moderator = at.come_in(at.role("small", "moderator"))
    moderator.post(
        "players", {"act": "player", "nation": "red", "name": "Dan", "email": "dan@d.example", "sure": "1"}
    )
    assert here.get("turn").status_code == 404
    assert "No such link" in said(at.browser().get(f"/in/{unused}"))
    assert at.role("small", "player", "red").email == "dan@d.example"
    mails = [m for m in at.mails() if m["To"] == "dan@d.example"]
    assert len(mails) == 1 and "/in/" in mails[0].get_body(("plain",)).get_content()


KINDS = ("host", "moderator", "player", "spectator")


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_for_its_roles_alone(at: House, kind: str) -> None:
    """Whoever has one role gets the pages of that one, and of no other seat any."""
    role = at.hall.people.add(
        "" if kind == "host" else "small",
        kind,
        nation="gray" if kind == "player" else "",
        name="x",
        email="x@x.example",
    )
    here, stranger = at.come_in(role), at.browser()
    others = [r for r in at.hall.people.of_game("small") if r.id != role.id] + at.hall.people.of_game("other")
    for method, page, _, _ in SEATS:
        allowed = any(kind in who for m, p, _, who in SEATS if (m, p) == (method, page))
        address = page.replace("{what}", "published")

        def there(browser: Any, seat: str, method: str = method, address: str = address) -> bool:
            answer = (
                browser.get(f"{seat}/{address}") if method == "GET" else browser.post(f"{seat}/{address}", {})
            )
            return (
                answer.status_code != 404 or "no such picture" in answer.text
            )  # before the first turn nothing is drawn

        if not (method == "POST" and allowed):
            assert there(here, here.seat) == allowed, (method, page)
        for other in others:
            assert not there(here, f"/seat/{other.id}"), (method, page, other)
        assert not there(stranger, here.seat), (method, page)


def forms() -> list[str]:
    return [a for m, a in addresses() if m == "POST"]


@pytest.mark.parametrize("address", forms())
def test_no_form_of_another_site_is_taken(at: House, address: str) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    path = address.replace("/seat/{seat}", here.seat).replace("{secret}", "x")
    other = at.come_in(at.role("small", "player", "blue"))
    for form in ({}, {"token": ""}, {"token": "0" * 64}, {"token": other.token()}, {"token": "\udce9"}):
        assert (
            here.client.post(
                path, data={k: v.encode("utf-8", "surrogateescape") for k, v in form.items()}
            ).status_code
            == 403
        )
    assert here.post(path, {}, headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(("method", "address"), addresses())
def test_whatever_leaves_has_its_headers(at: House, method: str, address: str) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    path = (
        address.replace("/seat/{seat}", here.seat)
        .replace("{secret}", "x")
        .replace("{what}", "published")
        .replace("{game}", "small")
    )
    answer = here.client.request(method, path, follow_redirects=False)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy or answer.headers["content-type"].startswith("image/svg+xml")
    assert (
        answer.headers["referrer-policy"] == "no-referrer"
        and answer.headers["x-content-type-options"] == "nosniff"
    )
    assert "no-store" in answer.headers["cache-control"]
    assert "server" not in answer.headers


def test_cookies_are_kept_from_scripts_and_other_sites(at: House) -> None:
    cookie = at.browser().get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/" in cookie
    at.server.url = "https://desk.example"
    cookie = at.browser().get("/").headers["set-cookie"]
    assert cookie.startswith("__Host-server=") and "Secure" in cookie and "Domain" not in cookie


def test_pages_load_nothing_from_elsewhere_and_hold_no_script_or_style_of_their_own(at: House) -> None:
    here = at.come_in(at.role("small", "moderator"))
    for page in ("game", "players", "history", "/"):
        body = here.get(page).text
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', body)
        assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?![^>]* src=)", body)


def test_a_thief_of_a_link_changes_no_address_and_no_dice(at: House) -> None:
    thief = at.come_in(at.role("small", "player", "red"))
    at.mails()
    with at.hall.game("small") as game:
        before = (game.stage().commitment, game.head["anchor"])
    for page in ("players", "game/clock", "game/close", "game/resolve", "game/correct"):
        assert (
            thief.post(
                page, {"act": "player", "nation": "red", "name": "x", "email": "thief@x.example", "to": "1"}
            ).status_code
            == 404
        )
    assert thief.send("dig").status_code == 200
    assert [m["To"] for m in at.mails()] == ["ann@a.example"], "the receipt exposes them"
    with at.hall.game("small") as game:
        assert before == (game.stage().commitment, game.head["anchor"])
    assert at.role("small", "player", "red").email == "ann@a.example"


def test_bodies_are_bounded(at: House) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    assert here.post("orders/check", {"text": "x" * 400_000}).status_code == 413
    assert here.client.post(
        f"{here.seat}/orders/check", content=(b"x" * 1000 for _ in range(1000))
    ).status_code in (
        400,
        403,
        413,
    )
    assert here.post("orders/check", {f"f{n}": "x" for n in range(500)}).status_code in (400, 413)


def test_what_players_write_is_shown_as_written(at: House) -> None:
    here = at.come_in(at.role("small", "player", "red"))
    nasty = "<script>alert(1)</script>\n</textarea><img src=x onerror=alert(1)>\n{{ 7*7 }}\n"
    here.post("orders/check", {"text": nasty})
    body = here.get("orders").text
    assert (
        "<script>alert" not in body
        and "<img src=x" not in body
        and "&lt;script&gt;alert" in body
        and "{{ 7*7 }}" in body
    )
    live = here.post("orders/check", {"text": nasty, "live": "1"}).text
    assert "<script>alert" not in live and "<img src=x" not in live
