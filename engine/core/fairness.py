"""Proof that nobody chose the dice, without showing anybody what they may not see.

In go one secret seed for the game, the players' salts and the dice records of the journal; out come small
values that the moderator publishes (anchor, commitment, masked salts) or hands to one player (openings), and
functions with which anyone checks them. All keys, secrets and roots are hex text of 32 bytes; all dataclasses
become plain JSON through ``dataclasses.asdict``, and those that are kept or sent (`Chain`, `Commitment`,
`Opening`) come back by ``type(**plain)``.

The order of a game:

- *At the start* the moderator makes a `Chain` and publishes its anchor and length. Each link is the hash of
  the next, so that the anchor fixes the secret of every turn, and no secret tells a later one.
- *Before orders are due* the moderator publishes the turn's `commitment`: one root over the keys of all
  audiences.
- *When orders are due* each salt (`order_salt` of the order file) of a seat that the commitment names as a
  player's is masked with the key of that seat's own audience, and the list of masked salts is published.
  Their mix goes into every die of the turn. Salts are taken once: an order corrected afterwards keeps the
  salt, and so all dice.
- *After the turn* each player is handed the openings of the audiences they belong to (`reveal`): they check
  them against the root, find their own salt in the list, and roll again (`verify_record`) every die in their
  report.
- *At the end of the game* the last secret is published, which tells all others (`earlier_secret`):
  `verify_secret` and
  `verify_commitment` then check every turn, `mask_salts` every list, and the whole journal can be rolled
  again.

What this prevents:

- *The moderator choosing dice.* All secrets depend on the anchor, before the game; the keys of a turn depend
  on the root, before the salts are known. After that nothing is left to vary: the audiences stand in the
  commitment in a fixed order, each once, so that no audience has two keys; uses of a name must follow each
  other without gaps, so that nobody can roll until they like the result; dice typed in are counted apart,
  never passed as rolled.
- *A player choosing their salt last.* They know the key of no audience before the turn is over, so no salt is
  better.
- *One audience's key telling of another's.* Keys are separate keyed hashes of the turn key, and leaves are
  hashes of keys of full length: an opening holds only hashes of what is hidden. A masked salt is a keyed hash
  too: nobody can find a rival's orders by guessing them and hashing the guesses.
- *Length extension, and one text passing for two.* BLAKE2b with a key and a tag for each purpose, over
  canonical JSON: links, leaves, nodes, roots, masks and dice can never stand for each other, nor parts run
  into one another.
- *A turn replayed, or passed for another.* Game, turn and attempt are part of key and root, and a link is
  valid at its own turn only. A turn that is played again after its openings were handed out needs a new
  attempt, with a root of its own: its old dice are known. The number is public, so that attempts cannot be
  made in silence. Resolving again before that keeps the attempt, and the dice.

What it does not prevent:

- *A moderator in league with a player* can try many salts with them before the list is published: moderators
  know the keys and move last. Seats that no player holds when the commitment is made stay off the list, as
  there is nobody who would check them: their part in the dice is the anchor's own, and no file that is handed
  in for them changes any die.
- *A moderator who drops a seat's orders as late* changes the mix with them; the player sees that the salt is
  missing.
- *A moderator who plays, or tells:* they know the secrets of turns to come. The scheme is about luck, not
  about secrecy.
- *Dice that the rules do not ask for.* Which rules roll, how often and for whom, only a replay of the turn
  proves, which at the end of the game anyone can do. Until then the dice of two groups whose keys lie in one
  drawer wait, too.
- *A moderator who stops the game* rather than show a turn. Nothing forces them to; everybody sees that they
  did.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b, sha256

from wteaw.core import canonical
from wteaw.core.dice import (
    DRAWERS,
    CountingDice,
    DiceRecord,
    Drawer,
    KeyedDice,
    StreamName,
    audience_key,
    drawer_key,
    drawer_of,
    group_key,
)
from wteaw.core.die import parse_die

ALL = "all"
"""The audience of dice that everyone may know."""


MAX_LINKS = 10_000
"""Turns that a chain may be made for."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The secrets of a game's turns, 1 to `length`, all made from one seed.

    To be kept by the moderator alone.
    """

    seed: str = field(repr=False)
    length: int
    links: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", tuple(self.links))

    @classmethod
    def create(cls, seed: bytes | None, length: int) -> Chain:
        """A chain from a seed of 16 bytes or more, or from a fresh one for None.

        ValueError for other sizes.
        """
        seed = secrets.token_bytes(32) if seed is None else seed
        if len(seed) < 16:
            raise ValueError(f"a seed has at least 32 hexadecimal digits (16 bytes), not {2 * len(seed)}")
        if not isinstance(length, int) or not 1 <= length <= MAX_LINKS:
            raise ValueError(f"a chain has 1 to {MAX_LINKS:,} links, not {length}")
        # The seed's own hash is the last link, so that showing every link still does not show the seed.
        links = [_hash("wteaw seed", [seed.hex(), length])]
        for turn in range(length, 0, -1):
            links.append(_link(turn, links[-1]))
        return cls(seed.hex(), length, tuple(reversed(links)))

    @property
    def anchor(self) -> str:
        """The value to publish before the game starts."""
        return self.links[0]

    def secret(self, turn: int) -> str:
        """The secret of a turn, which tells those of all earlier turns. IndexError outside 1 to `length`."""
        if not 1 <= turn <= self.length:
            raise IndexError(f"the chain has secrets for turns 1 to {self.length}, not {turn}")
        return self.links[turn]


@dataclass(frozen=True, slots=True)
class Commitment:
    """What is published before a turn: a root that fixes the key of each audience, in the order of
    `audiences`.

    With `drawers`, the keys of so many drawers follow them under the root: from those come the keys of
    audiences of several.
    `seats` are those that players hold: they alone may have a salt in the turn. `record` is the head of what
    the game has kept until then (`store/ledger`), so that whoever has the commitment notices if that is
    changed afterwards.
    """

    game: str
    turn: int
    attempt: int
    audiences: tuple[str, ...]
    root: str
    drawers: int = 0
    seats: tuple[str, ...] = ()
    record: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "audiences", tuple(self.audiences))
        object.__setattr__(self, "seats", tuple(self.seats))


@dataclass(frozen=True, slots=True)
class Opening:
    """What one audience is given after a turn: its key (of several: their drawer's), and the hashes that lead
    up to the root.
    """

    audience: str
    key: str = field(repr=False)
    path: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", tuple(self.path))

    @property
    def dice_key(self) -> str:
        """The key that the audience's dice are rolled with."""
        return group_key(self.key, self.audience) if "+" in self.audience else self.key


@dataclass(frozen=True, slots=True)
class DrawMismatch:
    """The first draw that is not what the keys give: which record and which of its draws, counted from 0."""

    record: int
    draw: int
    name: StreamName
    use: int
    die: str
    recorded: tuple[int, ...]
    expected: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class DiceVerdict:
    """What a check of dice found: draws that were rolled again, typed in by a person, or not ours to see.

    `ok` says only that no rolled draw was wrong. Typed dice have no proof: a reader should ask why there are
    any.
    """

    ok: bool
    checked: int
    typed: int
    unseen: int
    mismatch: DrawMismatch | None


def verify_secret(anchor: str, turn: int, secret: str) -> bool:
    """Whether a secret is that of the turn, in the game with this anchor."""
    if turn < 1 or not _is_hex(secret):
        return False
    return earlier_secret(secret, turn, 0) == anchor


def earlier_secret(secret: str, turn: int, earlier: int) -> str:
    """The secret of an earlier turn, which the secret of `turn` tells; turn 0 is the anchor.

    ValueError for a later.
    """
    if not 0 <= earlier <= turn:
        raise ValueError(f"the secret of turn {turn} does not tell that of turn {earlier}")
    for each in range(turn, earlier, -1):
        secret = _link(each, secret)
    return secret


def turn_key(secret: str, game_id: str, turn: int, attempt: int = 0) -> str:
    """The key of one attempt at one turn of one game: what `KeyedDice` wants, for the moderator alone."""
    return canonical.keyed(secret, "wteaw turn", [game_id, turn, attempt]).hex()


def audiences(parties: Iterable[str]) -> tuple[str, ...]:
    """The audiences to commit to by name: everyone and each party (seats and sides). Those of several lie in
    drawers.

    >>> audiences(["b", "a"])
    ('a', 'all', 'b')

    ValueError for a party that cannot be told from an audience.
    """
    names = sorted(set(parties))
    if ALL in names:
        raise ValueError(f"no seat may be called {ALL!r}: it is the audience of everyone")
    return tuple(sorted({ALL, *(shared([name]) for name in names)}))


def shared(members: Iterable[str]) -> str:
    """The name of the audience of these members, whatever their order.

    ValueError if there are none, or for an empty name or one with '+' in it.
    """
    names = sorted(set(members))
    if not names:
        raise ValueError("an audience has at least one member")
    if unclear := [name for name in names if not name or "+" in name]:
        raise ValueError(f"a member's name is text without '+', not {unclear[0]!r}")
    return "+".join(names)


def commitment(
    key: str,
    audiences: Iterable[str],
    *,
    game_id: str,
    turn: int,
    attempt: int = 0,
    drawers: int = DRAWERS,
    seats: Iterable[str] = (),
    record: str = "",
) -> Commitment:
    """The commitment to a turn key's audiences: to be published before salts are taken.

    `key` must be the `turn_key` of the same game, turn and attempt; `drawers` is 0 where nobody will check
    dice of several. ValueError when there is no audience, one of several among them, another number of
    drawers, or a seat that is no audience: its salt could not be masked.
    """
    names = tuple(sorted(set(audiences)))
    if not names:
        raise ValueError("a commitment needs at least one audience")
    if several := [name for name in names if "+" in name]:
        raise ValueError(f"an audience of several has its key in a drawer: {several[0]!r}")
    if drawers not in (0, DRAWERS):
        raise ValueError(f"there are {DRAWERS} drawers, or none")
    players = tuple(sorted(set(seats)))
    if strange := [seat for seat in players if seat not in names]:
        raise ValueError(f"a seat is an audience: {strange[0]!r} is none")
    made = Commitment(game_id, turn, attempt, names, "", drawers, players, record)
    return replace(made, root=_root(made, _levels(key, names, drawers)[-1][0]))


def proof(key: str, committed: Commitment, audience: str) -> Opening:
    """The opening of one audience's key.

    ValueError if the audience is not committed to, or the key is not the one.
    """
    if _index(committed, audience) is None:
        raise ValueError(f"the commitment of turn {committed.turn} has no audience {audience!r}")
    return _open(key, committed, [audience])[0]


def reveal(
    key: str, committed: Commitment, readers: Iterable[str], used: Iterable[str] = ()
) -> tuple[Opening, ...]:
    """The openings of all audiences that any of these readers is a member of: by name, then those of several.

    `used` are all audiences that dice of the turn were rolled for, theirs and others'. For one player,
    `readers` are their seat and their side. An audience of several whose drawer holds another one too, of
    which they are no member, stays shut until the game's end: its key would tell them the other's dice.
    ValueError if the key is not the one.
    """
    mine = {ALL, *readers}
    groups = sorted({name for name in used if "+" in name})
    foreign = {drawer_of(name) for name in groups if not mine & set(name.split("+"))}
    wanted = [name for name in committed.audiences if name in mine]
    if committed.drawers:
        wanted += [name for name in groups if mine & set(name.split("+")) and drawer_of(name) not in foreign]
    return _open(key, committed, wanted)


def verify_proof(committed: Commitment, opening: Opening) -> bool:
    """Whether the opened key is the one that was committed to for its audience."""
    names = committed.audiences
    index = _index(committed, opening.audience)
    if (
        list(names) != sorted(set(names))
        or any("+" in name for name in names)
        or committed.drawers not in (0, DRAWERS)
    ):
        return False
    if index is None or not _is_hex(opening.key) or not all(map(_is_hex, opening.path)):
        return False
    width = len(names) + committed.drawers
    value, path = (
        _leaf(opening.audience if index < len(names) else f"+{index - len(names)}", opening.key),
        list(opening.path),
    )
    while width > 1:
        # The place in the tree follows from the list of audiences, so that a path cannot lead anywhere else.
        if index ^ 1 < width:
            if not path:
                return False
            other = path.pop(0)
            value = _node(other, value) if index % 2 else _node(value, other)
        index, width = index // 2, (width + 1) // 2
    return not path and _root(committed, value) == committed.root


def verify_commitment(committed: Commitment, secret: str) -> bool:
    """Whether a commitment is the one that the turn's secret makes: for the end of the game, with
    `verify_secret`.
    """
    if not _is_hex(secret) or not committed.audiences:
        return False
    key = turn_key(secret, committed.game, committed.turn, committed.attempt)
    names = committed.audiences
    if (
        any("+" in name for name in names)
        or committed.drawers not in (0, DRAWERS)
        or not set(committed.seats) <= set(names)
    ):
        return False
    return committed == commitment(
        key,
        names,
        game_id=committed.game,
        turn=committed.turn,
        attempt=committed.attempt,
        drawers=committed.drawers,
        seats=committed.seats,
        record=committed.record,
    )


def order_salt(orders: str | bytes) -> str:
    """The salt that stands for a player who gives none: the SHA-256 of their order file, byte for byte, in
    hex.
    """
    return sha256(orders.encode() if isinstance(orders, str) else orders).hexdigest()


def mask_salt(key: str, salt: str) -> str:
    """A seat's salt as it is published, masked with the key of the seat's own audience."""
    return canonical.keyed(key, "wteaw salt", salt).hex()


def mask_salts(key: str, salts: Mapping[str, str]) -> dict[str, str]:
    """All seats' salts, masked with the keys that a turn key gives them: the list to publish when orders are
    due.
    """
    return {seat: mask_salt(audience_key(key, seat), salts[seat]) for seat in sorted(salts)}


def verify_salt(masked: Mapping[str, str], seat: str, key: str, salt: str) -> bool:
    """Whether a seat's salt went into the mix, as its own audience's opened key shows."""
    return _is_hex(key) and masked.get(seat) == mask_salt(key, salt)


def mix_salts(masked: Mapping[str, str]) -> str:
    """The players' share of chance in a turn: one value from the published list, whatever the order of its
    seats.
    """
    return _hash("wteaw mix", dict(masked))


def verify_record(
    keys: Mapping[str, str], records: Sequence[DiceRecord], *, turn: int, mix: str
) -> DiceVerdict:
    """Roll recorded dice again, with the keys of one's audiences, and compare; stop at the first difference.

    `keys` are audience to key, as in ``{o.audience: o.dice_key for o in openings}`` once each opening has
    been verified.
    `records` are all that one was shown of one turn, in the journal's order: records of one stream continue
    each other, and uses of one name start at 0 and leave none out. Records of other audiences are counted as
    unseen.

    Raises ValueError for a key that is not hex, KeyError for a record without one of its fields.
    """
    source: CountingDice = KeyedDice(keys, turn, mix=mix)
    drawers: dict[tuple[StreamName, int], Drawer] = {}
    checked = typed = unseen = 0
    for place, record in enumerate(records):
        name = StreamName(record["step"], record["rule"], record["subject"], record["audience"])
        use = record["use"]
        if name.audience not in keys:
            unseen += len(record["drawn"])
            continue
        if (name, use) not in drawers:
            if use != 0 and (name, use - 1) not in drawers:
                gap = DrawMismatch(
                    place, 0, name, use, "", (), (), f"use {use} of this name without use {use - 1}"
                )
                return DiceVerdict(False, checked, typed, unseen, gap)
            drawers[name, use] = source.drawer(name, use)
        for index, drawn in enumerate(record["drawn"]):
            if drawn.get("typed", False):
                typed += 1
                continue
            recorded = tuple(drawn["faces"])
            try:
                die = parse_die(drawn["die"])
            except ValueError as error:
                wrong = DrawMismatch(place, index, name, use, drawn["die"], recorded, (), str(error))
                return DiceVerdict(False, checked, typed, unseen, wrong)
            expected = tuple(drawers[name, use](die)[0])
            if recorded != expected or drawn["total"] != sum(expected) + die.plus:
                why = (
                    "other faces" if recorded != expected else f"a total of {drawn['total']} is not their sum"
                )
                wrong = DrawMismatch(place, index, name, use, drawn["die"], recorded, expected, why)
                return DiceVerdict(False, checked, typed, unseen, wrong)
            checked += 1
    return DiceVerdict(True, checked, typed, unseen, None)


def _hash(tag: str, value: object) -> str:
    """A hash without a secret: under a fixed key, so that it has the same tags and form as those with one."""
    return canonical.keyed(b"wteaw", tag, value).hex()


def _link(turn: int, secret: str) -> str:
    return _hash("wteaw link", [turn, secret])


def _leaf(audience: str, key: str) -> str:
    return _hash("wteaw leaf", [audience, key])


_OF_NODE = blake2b(key=b"wteaw", person=b"wteaw node", digest_size=32)


def _node(left: str, right: str) -> str:
    # `_hash("wteaw node", [left, right])`, whose canonical text is plain for two hex texts: a tree has
    # thousands of them.
    node = _OF_NODE.copy()
    node.update(f'["{left}","{right}"]'.encode())
    return node.hexdigest()


def _root(made: Commitment, top: str) -> str:
    """The root over the top of the tree and all that a commitment says besides; what it does not have has no
    place in it.
    """
    drawers = [made.drawers] if made.drawers else []
    players = [list(made.seats), made.record] if made.seats else []
    return _hash(
        "wteaw root", [made.game, made.turn, made.attempt, list(made.audiences), *drawers, *players, top]
    )


def _index(committed: Commitment, audience: str) -> int | None:
    """The place of an audience's leaf in the tree: by name, or (of several) that of its drawer; None if it
    has none.
    """
    if "+" in audience:
        return len(committed.audiences) + drawer_of(audience) if committed.drawers else None
    return committed.audiences.index(audience) if audience in committed.audiences else None


@lru_cache(maxsize=4)
def _levels(key: str, names: tuple[str, ...], drawers: int) -> list[list[str]]:
    """The tree from its leaves to its top, leaves of names before those of drawers; an odd one goes up as it
    is.
    """
    leaves = [_leaf(name, audience_key(key, name)) for name in names]
    leaves += _leaves_of_drawers(key, drawers)
    levels = [leaves]
    while len(level := levels[-1]) > 1:
        pairs = [_node(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        levels.append(pairs + level[2 * len(pairs) :])
    return levels


def _leaves_of_drawers(key: str, drawers: int) -> list[str]:
    """`_leaf(f"+{n}", drawer_key(key, n))` of each: as in `_node`, the canonical text is written at once, and
    each hash goes on from one that has its key already.
    """
    if not drawers:
        return []
    of_drawer = blake2b(key=bytes.fromhex(key), person=b"wteaw drawer", digest_size=32)
    of_leaf = blake2b(key=b"wteaw", person=b"wteaw leaf", digest_size=32)
    leaves = []
    for number in range(drawers):
        drawer = of_drawer.copy()
        drawer.update(b"[%d]" % number)
        leaf = of_leaf.copy()
        leaf.update(f'["+{number}","{drawer.hexdigest()}"]'.encode())
        leaves.append(leaf.hexdigest())
    return leaves


def _open(key: str, committed: Commitment, wanted: Iterable[str]) -> tuple[Opening, ...]:
    """The openings of audiences that the commitment has."""
    names = committed.audiences
    levels = _levels(key, names, committed.drawers)
    if _root(committed, levels[-1][0]) != committed.root:
        raise ValueError(f"this is not the key that turn {committed.turn} was committed to")
    openings = []
    for audience in wanted:
        index, path = _index(committed, audience), []
        assert index is not None
        mine = audience_key(key, audience) if index < len(names) else drawer_key(key, index - len(names))
        for level in levels[:-1]:
            if index ^ 1 < len(level):
                path.append(level[index ^ 1])
            index //= 2
        openings.append(Opening(audience, mine, tuple(path)))
    return tuple(openings)


def _is_hex(text: str) -> bool:
    """Whether a text is 32 bytes in lower-case hex: the one form in which values are compared."""
    return len(text) == 64 and not set(text) - set("0123456789abcdef")
