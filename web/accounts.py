"""Who may do what: roles, links that lead in once, browsers and their sessions.

A role is one person at one game: its moderator, the player of one nation, a spectator. A link belongs to one
role, is good once, for a quarter of an hour or, in an invitation, for two weeks, and gives the browser that
takes it up a session of that role alone. There are no passwords, and of every secret only a hash is kept.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, insert, select, update
from sqlalchemy.engine import Engine, Row

from wteaw.core.faults import clean, one_line
from wteaw.core.messages import capital
from wteaw.store import StoreError
from wteaw.store.database import changing, reading

from .tables import browsers, links, roles, sessions

HOST, MODERATOR, PLAYER, SPECTATOR = "host", "moderator", "player", "spectator"
LINK_MINUTES = 15
INVITED_MINUTES = 14 * 24 * 60
"""How long the link of an invitation is good: people read mail in the evening, or after the holidays."""
SESSION_DAYS = 30
LINKS_AN_HOUR = 6
"""Links that are made for one role in an hour, each as soon as it is asked for."""
LINK_AGAIN_MINUTES = 10
"""After so long without one there is another all the same: nobody keeps an owner out by asking for links in
their name.
"""
SEEN_MINUTES = 5
"""How exactly it is kept when a session was last seen."""
_MAIL = re.compile(r"[^@\s<>\",;:\\]+@[^@\s<>\",;:\\]+\.[^@\s<>\",;:\\]+")


@dataclass(frozen=True, slots=True)
class Role:
    """One person at one game.

    `email` is empty where none is known; `post` stands in the address that answers go to.
    """

    id: str
    game: str
    role: str
    nation: str
    name: str
    email: str
    post: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A role that a browser has taken up; times are UTC."""

    id: str
    role: Role
    made: str
    seen: str
    agent: str


@dataclass(frozen=True, slots=True)
class SignInLink:
    """What a link leads to, and whether it still does: good, used or expired."""

    role: Role
    state: str


def stamp(at: datetime) -> str:
    """A time as the server keeps it."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def hashed(secret: str) -> str:
    """What is kept of a secret that was drawn with at least 192 bits: a plain hash of such cannot be
    searched.
    """
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def address(text: str) -> str:
    """An e-mail address as it is compared and kept. StoreError if it is none."""
    found = text.strip().lower()
    if not _MAIL.fullmatch(found) or len(found) > 200 or one_line(found) != found:
        raise StoreError(f"{clean(text)[:60]!r} is no e-mail address")
    return found


def name_from(email: str) -> str:
    """What somebody is called of whom only the address is known: `ann.lee@example.org` is Ann Lee."""
    words = re.split(r"[._+-]+", email.partition("@")[0])
    return " ".join(capital(word) for word in words if word) or email


class People:
    """Roles, links and sessions of a server."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self.engine = engine
        self.clock = clock

    # ---- roles

    def add(self, game: str, role: str, *, nation: str = "", name: str = "", email: str = "") -> Role:
        """Give somebody a role.

        For the player of a nation: the one before has it no longer, and their sessions end.
        """
        made = Role(
            secrets.token_urlsafe(12),
            game,
            role,
            nation,
            clean(name.strip())[:120],
            address(email) if email else "",
            secrets.token_hex(8),
        )
        now = stamp(self.clock())
        with changing(self.engine) as db:
            if role == PLAYER:
                for old in db.execute(select(roles.c.id).where(*_seat(game, nation))).scalars().all():
                    self._end_role(db, old, now)
            db.execute(
                insert(roles).values(
                    id=made.id, post=made.post, game=game, role=role, nation=nation, name=made.name,
                    email=made.email, made=now, ended=""
                )
            )  # fmt: skip
        return made

    def end(self, role: Role) -> None:
        """Take a role away: its sessions and links end."""
        with changing(self.engine) as db:
            self._end_role(db, role.id, stamp(self.clock()))

    def _end_role(self, db: Connection, id_: str, now: str) -> None:
        db.execute(update(roles).where(roles.c.id == id_).values(ended=now))
        db.execute(update(sessions).where(sessions.c.role == id_, sessions.c.ended == "").values(ended=now))
        db.execute(update(links).where(links.c.role == id_, links.c.used == "").values(used=now))

    def role(self, id_: str) -> Role | None:
        """A role that holds."""
        with reading(self.engine) as db:
            row = db.execute(select(roles).where(roles.c.id == id_, roles.c.ended == "")).first()
        return _role(row) if row else None

    def of_game(self, game: str) -> list[Role]:
        """Everybody who has a role at a game."""
        query = (
            select(roles)
            .where(roles.c.game == game, roles.c.ended == "")
            .order_by(roles.c.role, roles.c.nation, roles.c.id)
        )
        with reading(self.engine) as db:
            return [_role(row) for row in db.execute(query)]

    def player(self, game: str, nation: str) -> Role | None:
        """Who plays a nation."""
        with reading(self.engine) as db:
            row = db.execute(select(roles).where(*_seat(game, nation))).first()
        return _role(row) if row else None

    def with_address(self, email: str) -> list[Role]:
        """Every role of an address."""
        with reading(self.engine) as db:
            query = (
                select(roles)
                .where(roles.c.email == email, roles.c.ended == "")
                .order_by(roles.c.game, roles.c.id)
            )
            return [_role(row) for row in db.execute(query)]

    def with_post(self, post: str) -> Role | None:
        """The role whose mails are answered to an address with this in it."""
        with reading(self.engine) as db:
            row = db.execute(select(roles).where(roles.c.post == post, roles.c.ended == "")).first()
        return _role(row) if row else None

    def has_come(self, role: Role) -> bool:
        """Whether somebody has ever come in with a role."""
        with reading(self.engine) as db:
            return db.execute(select(sessions.c.id).where(sessions.c.role == role.id)).first() is not None

    # ---- links

    def link(self, role: Role, minutes: int = LINK_MINUTES) -> str | None:
        """A fresh link for a role: its secret, shown this once. None where too many were asked for lately."""
        now = self.clock()
        token = secrets.token_urlsafe(32)
        with changing(self.engine) as db:
            lately = select(func.count(), func.max(links.c.made)).where(
                links.c.role == role.id,
                links.c.made > stamp(now - timedelta(hours=1)),
                links.c.made <= stamp(now),
            )
            n, last = db.execute(lately).one()
            if n >= LINKS_AN_HOUR and last > stamp(now - timedelta(minutes=LINK_AGAIN_MINUTES)):
                return None
            db.execute(
                insert(links).values(
                    hash=hashed(token),
                    role=role.id,
                    made=stamp(now),
                    expires=stamp(now + timedelta(minutes=minutes)),
                    used="",
                )
            )
        return token

    def look(self, token: str) -> SignInLink | None:
        """What a link leads to; looking does not use it up."""
        query = select(links.c.expires, links.c.used, roles).join(roles, links.c.role == roles.c.id)
        with reading(self.engine) as db:
            row = db.execute(query.where(links.c.hash == hashed(token), roles.c.ended == "")).first()
        if row is None:
            return None
        state = "expired" if row.expires <= stamp(self.clock()) else "good"
        return SignInLink(_role(row), "used" if row.used else state)

    def enter(self, token: str, browser: str, agent: str) -> tuple[Session, str] | None:
        """Use a link up: the session it opens, and the new secret of the browser. None if it is used, expired
        or none.

        `browser` is the secret that the browser had before; what it has taken up stays with it under the new
        one.
        """
        now = stamp(self.clock())
        fresh = secrets.token_urlsafe(32)
        with changing(self.engine) as db:
            good = (links.c.hash == hashed(token), links.c.used == "", links.c.expires > now)
            if db.execute(update(links).where(*good).values(used=now)).rowcount != 1:
                return None
            role_id = db.execute(select(links.c.role).where(links.c.hash == hashed(token))).scalar_one()
            role = db.execute(select(roles).where(roles.c.id == role_id, roles.c.ended == "")).first()
            if role is None:
                return None
            known = db.execute(select(browsers.c.id).where(browsers.c.hash == hashed(browser))).scalar()
            id_ = known or secrets.token_urlsafe(12)
            if known:
                db.execute(update(browsers).where(browsers.c.id == id_).values(hash=hashed(fresh)))
                before = (sessions.c.browser == id_, sessions.c.role == role_id, sessions.c.ended == "")
                db.execute(update(sessions).where(*before).values(ended=now))
            else:
                db.execute(insert(browsers).values(id=id_, hash=hashed(fresh), made=now, agent=_agent(agent)))
            session = secrets.token_urlsafe(12)
            db.execute(
                insert(sessions).values(id=session, browser=id_, role=role_id, made=now, seen=now, ended="")
            )
        return Session(session, _role(role), now, now, _agent(agent)), fresh

    # ---- sessions

    def take_up(self, browser: str, role: Role) -> None:
        """Give a browser that has come in a role that its owner has just made for themselves."""
        now = stamp(self.clock())
        with changing(self.engine) as db:
            known = db.execute(select(browsers.c.id).where(browsers.c.hash == hashed(browser))).scalar()
            if known:
                id_ = secrets.token_urlsafe(12)
                db.execute(
                    insert(sessions).values(id=id_, browser=known, role=role.id, made=now, seen=now, ended="")
                )

    def sessions_of_browser(self, browser: str) -> list[Session]:
        """What a browser has taken up and not left, the oldest first."""
        oldest = stamp(self.clock() - timedelta(days=SESSION_DAYS))
        query = _sessions().where(
            browsers.c.hash == hashed(browser), sessions.c.ended == "", sessions.c.seen > oldest
        )
        with reading(self.engine) as db:
            return [
                _session(row)
                for row in db.execute(query.where(roles.c.ended == "").order_by(sessions.c.made))
            ]

    def session(self, browser: str, role: str) -> Session | None:
        """The session of a role in a browser; it counts as seen."""
        found = next((s for s in self.sessions_of_browser(browser) if s.role.id == role), None)
        now = self.clock()
        if found is not None and found.seen < stamp(now - timedelta(minutes=SEEN_MINUTES)):
            # who cannot be written down may look all the same
            with suppress(StoreError), changing(self.engine) as db:
                db.execute(update(sessions).where(sessions.c.id == found.id).values(seen=stamp(now)))
        return found

    def sessions_of_role(self, role: Role) -> list[Session]:
        """Every session in which a role is taken up, wherever."""
        oldest = stamp(self.clock() - timedelta(days=SESSION_DAYS))
        query = _sessions().where(roles.c.id == role.id, sessions.c.ended == "", sessions.c.seen > oldest)
        with reading(self.engine) as db:
            return [_session(row) for row in db.execute(query.order_by(sessions.c.made))]

    def leave(self, role: Role, session: str) -> bool:
        """End one session of a role. Returns whether there was one."""
        where = (sessions.c.id == session, sessions.c.role == role.id, sessions.c.ended == "")
        with changing(self.engine) as db:
            return bool(db.execute(update(sessions).where(*where).values(ended=stamp(self.clock()))).rowcount)


def _seat(game: str, nation: str) -> tuple[ColumnElement[bool], ...]:
    return roles.c.game == game, roles.c.role == PLAYER, roles.c.nation == nation, roles.c.ended == ""


def _sessions() -> Select[Any]:
    columns = (
        sessions.c.id.label("session"),
        sessions.c.made.label("began"),
        sessions.c.seen,
        browsers.c.agent,
        roles,
    )
    return (
        select(*columns)
        .join(browsers, sessions.c.browser == browsers.c.id)
        .join(roles, sessions.c.role == roles.c.id)
    )  # fmt: skip


def _session(row: Row[Any]) -> Session:
    return Session(row.session, _role(row), row.began, row.seen, row.agent)


def _role(row: Row[Any]) -> Role:
    return Role(row.id, row.game, row.role, row.nation, row.name, row.email, row.post)


def _agent(text: str) -> str:
    return clean(text)[:120]
