"""What every request goes through: who asks, whether they may, and how the answer leaves.

A page is a function of a `Visit`. It runs in a thread of its own, is given the role that the address names
only if the browser has a session of it, and a form is looked at only if it carries the token of the browser
that it was made for.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from functools import cache
from hashlib import sha256
from hmac import compare_digest
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wteaw.core.faults import MachineError, RuleError, StoreError, of_rules
from wteaw.core.messages import capital

from .accounts import HOST, MODERATOR, PLAYER, SESSION_DAYS, Role, Session
from .dismissed_warnings import mark
from .games import Games
from .outbox import Outbox
from .rate_limits import Limits

MAX_BODY = 300_000
"""Bytes of a form with its files."""
MAX_FIELDS, MAX_FILES = 200, 1
LONG = 8000
"""Letters of a form that make even a quick page slow."""
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "Cache-Control": "no-store",
}
LOG = logging.getLogger("wteaw.server")


class Wait(IntEnum):
    """What a page may have to wait for while it is made."""

    NONE = 0
    ORDERS = 1  # that orders are read: a moment of another process
    LONG = 2  # what takes long, after what others have asked for


THREADS = {Wait.NONE: 8, Wait.ORDERS: 24, Wait.LONG: 24}
"""How many pages of each kind are made at a time."""


@dataclass
class Server:
    """A server: its games, its mails, the address under which it is reached, and how often things may be
    done.
    """

    hall: Games
    outbox: Outbox
    url: str
    limits: Limits = field(default_factory=Limits)
    post: bool = False
    """Whether mails can be answered: the server takes some in."""
    preparing: str = ""
    """What is being made ready and will be there in a moment, in words."""
    threads: dict[Wait, ThreadPoolExecutor] = field(default_factory=lambda: {
        wait: ThreadPoolExecutor(count, wait.name) for wait, count in THREADS.items()
    })  # fmt: skip
    """Where pages are made: such as may take long have threads of their own, so that nobody else waits for
    one.
    """

    def post_of(self, role: Role) -> str:
        """The address that a role's mails are answered to: the server's with the role's token; none where no
        mail is taken in.
        """
        name, _, host = self.outbox.sender.partition("@")
        return f"{name}+{role.post}@{host}" if self.post and role.post else ""

    def close(self) -> None:
        """End what it has started, and write down what was to be written soon."""
        try:
            self.hall.drafts.write()
        except StoreError as error:
            LOG.error("what was typed last is not kept: %s", error)
        for processes in (self.hall.shop, self.hall.readers):
            if processes is not None:
                processes.close()

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.url.startswith("https:")

    @property
    def cookie(self) -> str:
        return "__Host-server" if self.secure else "server"


def page_address(server: Server, role: Role, page: str) -> str:
    """The address of a page of a role, as mails name it."""
    return f"{server.url}/seat/{role.id}/{page}"


def with_address(server: Server, role: Role, text: str, page: str = "orders") -> str:
    """A mail's text with the player's own page under it."""
    return f"{text.rstrip()}\n\nYour page: {page_address(server, role, page)}\n"


TOO_OFTEN = 429
TYPED = ("text", "reason")
"""Fields of forms in which people write at length."""


FIRST = {HOST: "games", MODERATOR: "game", PLAYER: "turn"}
"""The first page of each role; everybody else's is the news."""


def first_page(role: Role) -> str:
    """Where a role begins."""
    return f"/seat/{role.id}/{FIRST.get(role.role, 'news')}"


class Denied(Exception):
    """The request is not answered as asked: the status, and why in words."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class NotIn(Denied):
    """A page of a role that the browser has not taken up, or that is none: nobody is told which."""

    def __init__(self, seat: str) -> None:
        super().__init__(404, "This browser is not signed in here (any more), or there is no such page.")
        self.seat = seat[:24]


@dataclass
class Visit:
    """One request: the server, the form that came with it, the browser's secret and the session it is made
    in.
    """

    request: Request
    server: Server
    browser: str
    fresh: bool
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    session: Session | None = None
    base: str = ""
    problem: str = ""
    """Why the form that came was not taken: its page is shown again with it, and with what was typed."""

    @property
    def hall(self) -> Games:
        return self.server.hall

    @property
    def role(self) -> Role:
        """The role in which the page is asked for. Only pages of roles ask."""
        if self.session is None:
            raise Denied(404, "There is no such page.")
        return self.session.role

    @property
    def token(self) -> str:
        """What a form made for this browser carries; it follows from the cookie, which no other site can
        read.
        """
        return sha256(b"form:" + self.browser.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def who(self) -> str:
        """Who asks, for limits: the session, else the address."""
        if self.session is not None:
            return self.session.id
        return self.request.client.host if self.request.client else "?"

    def allow(self, what: str) -> None:
        """Denied if this was done too often of late."""
        if not self.server.limits.allow(what, self.who):
            raise Denied(
                TOO_OFTEN, "That was too often in a short time. Wait a little and try again; nothing is lost."
            )

    def path(self, page: str) -> str:
        """The address of a page beside the present one: of the same role, or of the same game that is open to
        all.
        """
        return f"{self.base or f'/seat/{self.role.id}'}/{page}"

    def query(self, name: str) -> str:
        return str(self.request.query_params.get(name, ""))[:200]

    def number(self, name: str) -> int | None:
        """A number from the address or the form, None if there is none."""
        text = self.form.get(name) or self.query(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    @property
    def refused(self) -> str:
        """Which form was not taken: its address below the role's, and what it would do; nothing if none."""
        if not self.problem:
            return ""
        where = self.request.url.path.split("/", 3)[-1]
        return "/".join(filter(None, (where, self.form.get("act", ""))))

    def typed(self, form: str, name: str, otherwise: Any = "") -> Any:
        """What a field of a form begins with: what was typed, where the form was not taken."""
        return self.form.get(name, "") if self.refused == form else otherwise

    def show(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page."""
        status = 409 if self.problem and status == 200 else status
        now = self.hall.clock()
        body = environment().get_template(template).render(visit=self, clock=now, token=self.token, **values)
        return HTMLResponse(body, status_code=status)

    def go(self, page: str, done: str = "") -> Response:
        """After a form: on to a page of the present role, which says what was done."""
        return RedirectResponse(self.path(page) + (f"?done={done}" if done else ""), status_code=303)


Page = Callable[[Visit], Response]
WAITS: dict[Page, Wait] = {}
"""How long pages take that are not slow."""


def quick(make: Page) -> Page:
    """Mark a page that never waits for another process."""
    WAITS[make] = Wait.NONE
    return make


def reads_orders(make: Page) -> Page:
    """Mark a page that has orders read, and waits for nothing else."""
    WAITS[make] = Wait.ORDERS
    return make


Endpoint = Callable[[Request], Awaitable[Response]]


def page(server: Server, make: Page) -> Endpoint:
    """An endpoint for whoever comes."""
    return _endpoint(server, make, WAITS.get(make, Wait.LONG))


def seat_page(server: Server, makers: Mapping[str, Page], forms: Mapping[str, Page]) -> Endpoint:
    """An endpoint whose address names a role in `seat`.

    `makers`: the kinds of role that it is there for, with what makes it. `forms`: the pages on which its form
    stands, by role: they are shown again where it is not taken.
    """

    def make(visit: Visit) -> Response:
        seat = str(visit.request.path_params["seat"])
        session = None if visit.fresh else visit.hall.people.session(visit.browser, seat)
        if session is None or session.role.role not in makers:
            raise NotIn(seat)
        visit.session = session
        form = forms.get(session.role.role)
        if form is None:
            return makers[session.role.role](visit)
        try:
            return makers[session.role.role](visit)
        except (StoreError, Denied) as error:
            if isinstance(error, MachineError) or (isinstance(error, Denied) and error.status != TOO_OFTEN):
                raise
            visit.problem = str(error)
            try:
                return form(visit)
            except StoreError:
                raise error from None

    return _endpoint(server, make, max(WAITS.get(m, Wait.LONG) for m in makers.values()))


def _endpoint(server: Server, make: Page, wait: Wait) -> Endpoint:

    async def endpoint(request: Request) -> Response:
        browser = request.cookies.get(server.cookie, "")
        fresh = not 20 <= len(browser) <= 100
        visit = Visit(request, server, secrets.token_urlsafe(32) if fresh else browser, fresh)
        if request.method == "POST":
            visit.form, visit.files = await _form(request)
        long = sum(map(len, (*visit.form.values(), *visit.files.values()))) > LONG
        threads = server.threads[Wait.LONG if long else wait]
        response = await asyncio.get_running_loop().run_in_executor(threads, _answer, visit, make)
        if fresh and response.headers.get("set-cookie") is None and request.method in ("GET", "HEAD"):
            keep_browser(response, server, visit.browser)
        return response

    return endpoint


def _answer(visit: Visit, make: Page) -> Response:
    try:
        visit.allow("page")
        if visit.request.method == "POST":
            _guard(visit)
        return make(visit)
    except NotIn as denied:
        return visit.show("not_in.html.j2", status=404, why=str(denied), seat=denied.seat, kept=_kept(visit))
    except Denied as denied:
        return _sorry(visit, denied.status, "Not so", str(denied))
    except MachineError as error:
        LOG.error("%s %s: %s", visit.request.method, visit.request.url.path, error)
        return _sorry(visit, 503, "Not now", f"{error}. Try again in a while.")
    except StoreError as error:
        return _sorry(visit, 409, "That cannot be done", str(error))
    except RuleError as error:
        return _unruly(visit, error)
    except Exception as error:
        found = of_rules(error)
        if found is None:
            raise
        return _unruly(visit, found)


def _sorry(visit: Visit, status: int, title: str, why: str) -> Response:
    """The page of what was not done, with what was typed, and where it came from."""
    back = first_page(visit.role) if visit.session is not None else ""
    if visit.request.method == "POST" and "seat" in visit.request.path_params:
        back = "/".join(visit.request.url.path.split("/")[:4])  # the page of the form, or the one it is below
    return visit.show("sorry.html.j2", status=status, title=title, why=why, kept=_kept(visit), back=back)


def _kept(visit: Visit) -> list[str]:
    """Texts that somebody has typed, which a page that does not take them gives back."""
    return [visit.form[name] for name in TYPED if visit.form.get(name, "").strip()]


def _unruly(visit: Visit, error: RuleError) -> Response:
    LOG.error("a rule cannot be carried out: %s", error)
    why = "A rule of the game cannot be carried out; nothing was changed. The moderator's log names the rule."
    if visit.session is not None and visit.session.role.role in ("moderator", "host"):
        why = f"A rule cannot be carried out, and nothing was changed: {error}"
    return _sorry(visit, 409, "That cannot be done", why)


def _guard(visit: Visit) -> None:
    """Denied unless the form was made by this server for this browser."""
    if visit.request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Denied(403, "The form came from another site.")
    given, seat = visit.form.get("token", ""), visit.request.path_params.get("seat")
    if visit.fresh and seat is not None:
        raise NotIn(str(seat))
    if visit.fresh or not compare_digest(given.encode("utf-8", "replace"), visit.token.encode()):
        raise Denied(
            403,
            "This form is older than your session here. Load its page again, and send it once more.",
        )


async def _form(request: Request) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of a form and the texts of its files, as plain text that any database takes."""
    try:
        form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_BODY)
    except HTTPException:
        raise
    except Exception:
        raise HTTPException(400, "The form could not be read.") from None
    fields, files = {}, {}
    async with _closing(form):
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files[name] = plain((await value.read()).decode("utf-8-sig", "replace"))
            else:
                fields[name] = plain(value)
    return fields, files


class _closing:
    def __init__(self, form: Any) -> None:
        self.form = form

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        await self.form.close()


def plain(text: str) -> str:
    """Text without what no file of orders holds: halves of characters and zeros; lines end in one way."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def keep_browser(response: Response, server: Server, browser: str) -> None:
    """Give a browser its secret."""
    response.set_cookie(
        server.cookie,
        browser,
        max_age=SESSION_DAYS * 86400,
        path="/",
        secure=server.secure,
        httponly=True,
        samesite="lax",
    )


async def refused(request: Request, error: Exception) -> Response:
    """The page for what is denied before a page is made."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    known = {
        404: "There is no such page.",
        405: "This page is not asked for in that way.",
        413: "That is too much at once.",
        503: "The server is being stopped. Look in a while whether what you sent was taken.",
    }
    detail = str(error.detail) if isinstance(error, HTTPException) and status in (400, 403, 413) else ""
    why = detail or known.get(
        status, "Something went wrong on our side. Nothing was changed; the log says what."
    )
    if status == 500:
        LOG.error("%s %s", request.method, request.url.path, exc_info=error)
    body = (
        environment()
        .get_template("sorry.html.j2")
        .render(visit=None, title="Not so", why=why, kept=[], back="", clock=datetime.now(UTC))
    )
    return HTMLResponse(body, status_code=status)


class Guarded:
    """The outermost layer: headers on whatever leaves, and no body beyond its size."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = next((v for k, v in scope["headers"] if k == b"content-length"), b"0")
        if not declared.isdigit() or int(declared) > MAX_BODY:
            await self._headed(await refused(Request(scope), HTTPException(413)), scope, receive, send)
            return
        read, begun = 0, False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > MAX_BODY:
                    raise HTTPException(413)
            return message

        try:
            await self._headed(self.app, scope, bounded, noted)
        except asyncio.CancelledError:  # the server ends, and waits no longer for what is under way
            if not begun:
                await self._headed(await refused(Request(scope), HTTPException(503)), scope, receive, send)

    async def _headed(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {k.lower() for k, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (k.lower().encode(), v.encode())
                        for k, v in HEADERS.items()
                        if k.lower().encode() not in there
                    ),
                ]
            await send(message)

        await app(scope, receive, headed)


# ---- templates


@cache
def environment() -> Environment:
    """The templates, with everything escaped."""
    made = Environment(
        loader=PackageLoader(__package__ or "wteaw_web"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["moment"] = moment
    made.filters["until"] = until
    made.filters["first_capital"] = capital
    made.filters["kind"] = lambda block: type(block).__name__
    made.globals["assets"] = assets()
    made.globals["mark"] = mark
    return made


@cache
def assets() -> dict[str, str]:
    """Name of a static file -> its address, which changes with what is in it."""
    folder = files(__package__ or "wteaw_web") / "static"
    return {
        f.name: f"/static/{sha256(f.read_bytes()).hexdigest()[:12]}/{f.name}"
        for f in folder.iterdir()
        if f.is_file()
    }


def moment(text: str, zone: str = "UTC") -> str:
    """A time as the server keeps it, in words: in a time zone and, if that is another, in UTC.

    A script shows the reader's own.
    """
    if not text:
        return ""
    at = datetime.fromisoformat(text)
    if zone == "UTC":
        return f"{at:%A %-d %B, %H:%M} UTC"
    there = at.astimezone(ZoneInfo(zone))
    return f"{there:%A %-d %B, %H:%M} ({zone}; {at:%H:%M} UTC)"


def until(text: str, now: datetime) -> str:
    """How long it is to a time, in words."""
    seconds = int((datetime.fromisoformat(text) - now).total_seconds())
    late = seconds < 0
    minutes = abs(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes % 1440 // 60, minutes % 60
    parts = [(days, "day"), (hours, "hour"), (minutes if not days else 0, "minute")]
    said = (
        " ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n)[:40] or "less than a minute"
    )
    return f"{said} ago" if late else f"in {said}"
