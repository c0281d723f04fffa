"""Those who wait for a position in a game, and how they come by one: proposed, agreed, seated.

Who may propose is the ruleset's (`vacancies`). Every change is one transaction; the change of command itself
goes into the state with the next resolution, as an input, and is in the journal from then on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, func, insert, select, update

from ..core.faults import NotThere, clean
from ..turn.vacancies import EMPTY, MODERATOR, seat, vacancy
from .database import StoreError, changing, reading
from .games import Game
from .schema import pool

WAITING, PROPOSED, AGREED, SEATED = "waiting", "proposed", "agreed", "seated"
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


MAX_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody on the list: name, address, the side they would like to join, and the position that they have
    been proposed for.
    """

    name: str
    email: str
    side: str
    nation: str = ""
    status: str = WAITING


class WaitingList:
    """The list of a game."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def candidates(self) -> list[Candidate]:
        """Everybody on the list, in the order in which they came."""
        query = select(pool).where(pool.c.game == self.game.id).order_by(pool.c.number)
        with reading(self.game.engine) as db:
            return [Candidate(r.name, r.email, r.side, r.nation, r.status) for r in db.execute(query)]

    def add(self, name: str, email: str, side: str) -> Candidate:
        """Put somebody on the list. StoreError names what is missing, or a side that is none."""
        asked = {"name": name, "e-mail address": email, "preferred side": side}
        missing = [what for what, value in asked.items() if not value.strip()]
        if missing:
            raise NotThere(
                "the list needs a name, an e-mail address and a preferred side; missing: "
                f"{', '.join(missing)}"
            )
        if not _MAIL.fullmatch(email.strip()):
            raise NotThere(f"{email!r} is no e-mail address")
        sides = self.game.ruleset.rows("sides")
        if side not in sides:
            raise NotThere(f"no side {side!r}; there are {', '.join(sides)}")
        for what, text in asked.items():
            if clean(text) != text or len(text) > MAX_LENGTH:
                raise NotThere(
                    f"the {what} must be at most {MAX_LENGTH} characters of plain text, not "
                    f"{clean(text)[:40]!r}"
                )
        if any(c.name == name.strip() for c in self.candidates()):
            raise StoreError(f"{name} is on the list already")
        new = Candidate(name.strip(), email.strip(), side)
        with changing(self.game.engine, self.game.id) as db:
            last = db.execute(select(func.max(pool.c.number)).where(pool.c.game == self.game.id)).scalar()
            db.execute(
                insert(pool).values(
                    game=self.game.id,
                    number=(last or 0) + 1,
                    name=new.name,
                    email=new.email,
                    side=side,
                    nation="",
                    status=WAITING,
                )
            )
        return new

    def remove(self, name: str) -> None:
        """Take somebody off the list."""
        found = self._named(name)
        with changing(self.game.engine, self.game.id) as db:
            db.execute(delete(pool).where(pool.c.game == self.game.id, pool.c.name == found.name))

    def propose(self, nation: str, name: str, by: str) -> Candidate:
        """A side, or the moderator, picks somebody for a position. StoreError if it is not theirs to fill."""
        world, found = self.game.seated_world(), self._named(name)
        place = vacancy(world, nation)
        if place is None or seat(world, nation) not in EMPTY:
            raise StoreError(f"{self.game.name_of(nation)} is no vacant position")
        if by != place.by:
            raise StoreError(f"{self.game.name_of(nation)} is {place.text}: {place.by} chooses, not {by}")
        if found.status == SEATED:
            raise StoreError(f"{found.name} commands {self.game.name_of(found.nation)} already")
        return self._keep(replace(found, nation=nation, status=PROPOSED))

    def agree(self, name: str) -> Candidate:
        """Whoever was proposed takes the position."""
        found = self._named(name)
        if found.status != PROPOSED:
            raise StoreError(f"{found.name} has not been proposed for a position")
        return self._keep(replace(found, status=AGREED))

    def seat(self, nation: str) -> Candidate:
        """The moderator gives the position to whoever was chosen for it and has agreed."""
        found = next(
            (c for c in self.candidates() if c.nation == nation and c.status in (PROPOSED, AGREED)), None
        )
        if found is None:
            raise StoreError(f"nobody has been proposed for {self.game.name_of(nation)}")
        if found.status == PROPOSED:
            raise StoreError(f"{found.name} has not agreed yet to command {self.game.name_of(nation)}")
        if seat(self.game.seated_world(), nation) not in EMPTY:
            raise StoreError(f"{self.game.name_of(nation)} is no vacant position")
        self.game.command(nation, "player", found.name)
        return self._keep(replace(found, status=SEATED))

    def leave(self, nation: str) -> None:
        """A player gives up their position, which is vacant from now on."""
        if seat(self.game.seated_world(), nation) in EMPTY:
            raise StoreError(f"nobody commands {self.game.name_of(nation)}")
        self.game.command(nation, "vacant", "")
        for one in self.candidates():
            if one.nation == nation and one.status == SEATED:
                self.remove(one.name)

    def _named(self, name: str) -> Candidate:
        found = next((c for c in self.candidates() if c.name.lower() == name.strip().lower()), None)
        if found is None:
            there = ", ".join(c.name for c in self.candidates()) or "nobody"
            raise NotThere(f"{name!r} is not on the list; there is {there}")
        return found

    def _keep(self, one: Candidate) -> Candidate:
        where = (pool.c.game == self.game.id, pool.c.name == one.name)
        with changing(self.game.engine, self.game.id) as db:
            _free(db, self.game.id, one)
            db.execute(update(pool).where(*where).values(nation=one.nation, status=one.status))
        return one


def _free(db: Connection, game: str, one: Candidate) -> None:
    """A position is proposed to one at a time: whoever was asked before waits again."""
    if one.status == PROPOSED:
        where = (pool.c.game == game, pool.c.nation == one.nation, pool.c.status.in_((PROPOSED, AGREED)))
        db.execute(update(pool).where(*where).values(nation="", status=WAITING))


__all__ = ["AGREED", "MODERATOR", "PROPOSED", "SEATED", "WAITING", "Candidate", "WaitingList"]
