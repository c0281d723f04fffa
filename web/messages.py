"""What players and the moderator say to each other: announcements, messages to all and to some, and who may
write how.

How players may talk is set for each game: `public` (to everybody), `private` (to whom one chooses),
`anonymous` (unsigned, and nobody is told who plays whom); any of them together, or none. A player can always
write to the moderator, who reads no message that is not for them, and to themselves: a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from wteaw.core.faults import StoreError, clean
from wteaw.core.messages import capital
from wteaw.store import PLAYER, Game, ledger
from wteaw.store.database import changing, reading

from .accounts import MODERATOR, Role, stamp
from .accounts import PLAYER as PLAYS
from .actions import everybody
from .games import Games, Settings
from .outbox import mail_to
from .ready import ready_nations
from .tables import messages
from .web import Server, page_address

TALK = ("public", "private", "anonymous")
ALL, TO_MODERATOR = "*", "moderator"
LONGEST = 4000


@dataclass(frozen=True)
class ShownMessage:
    """One message as a reader sees it: by whom and to whom in words, and whether the reader wrote it."""

    number: int
    at: str
    by: str
    to: str
    text: str
    mine: bool
    announcement: bool


@dataclass(frozen=True)
class PlayerLine:
    """Who plays a nation, and whether they have said that they are ready.

    Who has sent orders is nobody else's business.
    """

    nation: str
    who: str
    ready: bool
    bot: bool = False


def talk(settings: Settings) -> list[str]:
    """How players of a game may talk."""
    return [kind for kind in TALK if kind in settings.talk.split()]


def messages_for(hall: Games, game: Game, role: Role) -> list[ShownMessage]:
    """What a role may read, the last first."""
    query = select(messages).where(messages.c.game == game.id).order_by(messages.c.number.desc()).limit(500)
    with reading(hall.engine) as db:
        rows = db.execute(query).all()
    me = addressed_as(role)
    out = []
    for row in rows:
        to, mine = row.to.split(), bool(me) and row.nation == me
        if not (mine or ALL in to or (me and me in to)):
            continue
        out.append(
            ShownMessage(
                row.number,
                row.at,
                _by(game, row, mine),
                _whom(game, to, me),
                row.text,
                mine,
                row.nation == TO_MODERATOR,
            )
        )
    return out


def addressed_as(role: Role) -> str:
    """What messages to a role alone have for `to`, and its own for their author; "" for one that has none."""
    if role.role == PLAYS:
        return role.nation
    return TO_MODERATOR if role.role == MODERATOR else ""


def _whom(game: Game, to: Sequence[str], me: str) -> str:
    if ALL in to:
        return "everybody"
    return "yourself" if to == [me] else ", ".join(_called(game, who) for who in to)


def _by(game: Game, row: object, mine: bool) -> str:
    unsigned = bool(row.unsigned)  # type: ignore[attr-defined]
    if mine:
        return "you, unsigned" if unsigned else "you"
    return "somebody, unsigned" if unsigned else _called(game, str(row.nation))  # type: ignore[attr-defined]


def _called(game: Game, who: str) -> str:
    return "the moderator" if who == TO_MODERATOR else game.name_of(who)


def write(
    server: Server, game: Game, role: Role, to: Sequence[str], text: str, *, unsigned: bool = False
) -> None:
    """Keep a message, and mail it to whom it is for. StoreError where it may not be written."""
    text = clean(text).strip()
    allowed = talk(server.hall.settings(game.id))
    nations = set(everybody(game))
    if not text:
        raise StoreError("there is nothing in the message")
    if len(text) > LONGEST:
        raise StoreError(f"a message has at most {LONGEST:,} letters; this one has {len(text):,}")
    if not to or not set(to) <= nations | {ALL, TO_MODERATOR}:
        raise StoreError("choose whom the message is for")
    if role.role == PLAYS and set(to) not in ({TO_MODERATOR}, {role.nation}):
        if ALL in to and "public" not in allowed:
            raise StoreError("in this game players write nothing to everybody")
        if ALL not in to and "private" not in allowed:
            raise StoreError("in this game players write no private messages")
    if unsigned and (role.role != PLAYS or "anonymous" not in allowed):
        raise StoreError("in this game messages are signed")
    hall, now = server.hall, server.hall.clock()
    author = role.nation if role.role == PLAYS else TO_MODERATOR
    with changing(hall.engine, game.id) as db:
        row = {
            "game": game.id,
            "at": stamp(now),
            "nation": author,
            "to": " ".join(sorted(set(to))),
            "unsigned": unsigned,
        }
        number = int(ledger.add(db, messages, text=text, **row)["number"])
        signed = "Somebody, unsigned," if unsigned else capital(_called(game, author))
        for reader in _readers(hall, game, set(to), author):
            whom = "everybody" if ALL in to else ", ".join(_called(game, t) for t in sorted(set(to)))
            body = (
                f"{signed} writes to {whom}:\n\n{text}\n\nAnswer on your page: "
                f"{page_address(server, reader, 'messages')}\n"
            )
            subject = f"{game.head['title']}: " + (
                "an announcement" if author == TO_MODERATOR else f"a message to {whom}"
            )
            server.outbox.put(mail_to(reader, f"message/{number}/{reader.id}", subject, body))
        if author == TO_MODERATOR and ALL in to:
            hall.note(game.id, role.name or MODERATOR, f"Announced: {text[:200]}")


def _readers(hall: Games, game: Game, to: set[str], author: str) -> list[Role]:
    """The people whom a message is mailed to: its readers but who wrote it, each with an address."""
    out = []
    for role in hall.people.of_game(game.id):
        me = addressed_as(role)
        if me and me != author and role.email and (me in to or ALL in to):
            out.append(role)
    return out


def players_of(hall: Games, game: Game) -> list[PlayerLine]:
    """Who plays whom, and who is ready: what everybody may know."""
    told = "anonymous" not in talk(hall.settings(game.id))
    ready = ready_nations(hall, game)
    out = []
    for nation, who in sorted(
        everybody(game).items(), key=lambda one: (one[1] != PLAYER, game.name_of(one[0]))
    ):
        if who != PLAYER:
            out.append(PlayerLine(game.name_of(nation), "a bot", False, bot=True))
            continue
        role = hall.people.player(game.id, nation)
        name = (role.name if role is not None else "") or "nobody yet"
        out.append(
            PlayerLine(game.name_of(nation), name if told else "not told in this game", nation in ready)
        )
    return out
