"""Dice that anyone can roll again.

A mechanic asks a source for a stream, naming what the dice are for (step, rule, subject) and who may know
them (audience), and rolls on it; out come faces and plain records of what was drawn. Two sources give the
same streams:
`KeyedDice` (from a secret) and `ScriptedDice` (typed in).

How a keyed die is made, so that any language can make it again. ``H(key, tag, data)`` is BLAKE2b with that
key, the tag as its personalisation and the data as canonical JSON (`canonical.keyed`); 32 bytes unless said
otherwise.

1. audience key = H(turn key, "wteaw audience", [audience]). An audience of several ("a+b") has its key from a
drawer, since
   nobody can tell beforehand which will meet: drawer key = H(turn key, "wteaw drawer", [i]) with i the first
   four bytes (little end first) of H(b"wteaw", "wteaw place", [audience]) modulo 16384; audience key =
   H(drawer key, "wteaw group", [audience])
2. dice key     = H(audience key, "wteaw dice", [turn, mix]); the mix is the players' share of chance, see
fairness
3. stream key   = H(dice key, "wteaw stream", [step, rule, subject, use]); the use is 0 for the first stream
of this
   name that rolls in a turn, 1 for the second, and so on, so that no dice are ever drawn twice
4. the stream's bytes are its blocks in order; block i, 64 bytes, is H(stream key, "wteaw block", i), where i
is not
   JSON but 8 bytes, little end first
5. a die of up to 255 faces takes one byte, a larger one four (little end first); a word at or above the
largest
   multiple of the number of faces is thrown away, any other gives the face ``word % faces + low``

Only whole numbers and one hash take part, so a game replays on any machine. As a stream depends on nothing
but its name and its use, one nation's changed order does not shift another's dice; and as uses are counted
for each audience apart, a use number tells its reader nothing about dice that are hidden from them.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, NotRequired, Protocol, TypedDict, TypeVar

from wteaw.core import canonical
from wteaw.core.die import Die, parse_die

T = TypeVar("T")


class Drawn(TypedDict):
    """One draw, as the journal keeps it. `faces` are the dice as they lie; `total` is their sum with what is
    added.

    `typed` stands, and is true, only where a person gave the dice."""

    die: str
    faces: list[int]
    total: int
    typed: NotRequired[bool]


class DiceRecord(TypedDict):
    """Draws of one stream, with all that is needed to roll them again."""

    step: str
    rule: str
    subject: str
    audience: str
    use: int
    drawn: list[Drawn]


class StreamName(NamedTuple):
    """What dice are for, and who may know them."""

    step: str
    rule: str
    subject: str
    audience: str = "all"


class DiceError(Exception):
    """Dice could not be given. `name` is the stream, `die` what was asked for."""

    def __init__(self, message: str, name: StreamName, die: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.die = die


class DiceExhausted(DiceError):
    """No dice are left, typed or recorded, for what was asked."""


class DiceImpossible(DiceError):
    """A die was typed in that the die asked for does not have."""


Marks = Iterable[Sequence[str | int]]
"""How often each stream's name has been used: step, rule, subject, audience, uses."""
Script = Sequence[int] | Mapping[str, Sequence[int]]
"""Dice typed in: in order, or by ``rule@subject``, ``rule`` or ``*``."""
Drawer = Callable[[Die], tuple[list[int], bool]]
"""Gives the faces of a die, and whether a person typed them in."""


class Stream:
    """Dice for one purpose, in a fixed order. Made by a source, never directly.

    Everything random is a roll of dice: a choice among five is a 1d5, and is recorded and can be typed in as
    such.
    """

    __slots__ = ("_drawer", "_open", "_taken", "name", "rolled", "use")

    name: StreamName
    rolled: list[Drawn]
    use: int | None

    def __init__(self, name: StreamName, opener: Callable[[StreamName], tuple[int, Drawer]]) -> None:
        self.name = name
        self.rolled = []
        self.use = None
        self._open = opener
        self._drawer: Drawer | None = None
        self._taken = 0

    def roll(self, die: Die | str, upto: int | None = None) -> int:
        """The total of one throw of a die, e.g. ``roll("2d6+1")``. ValueError if the text is not a die.

        `upto`: all that matters is whether the total is this or less.
        """
        die = parse_die(die) if isinstance(die, str) else die
        if upto is not None and die.n == 1:
            die = replace(die, cut=upto - die.plus)
        return self._draw(die)["total"]

    def faces(self, n: int, faces: int, upto: int | None = None) -> list[int]:
        """`n` dice at once, each from 1 to `faces`; the same dice that `n` single rolls would have given.

        No dice are rolled, and nothing recorded, for n = 0. ValueError for numbers outside what `Die` allows.
        `upto`: all that matters is how many show this or less.
        """
        return list(self._draw(Die(n, faces, cut=upto))["faces"]) if n else []

    def choice(self, seq: Sequence[T]) -> T:
        """One of a sequence, each as likely.

        A single one is taken without a roll; ValueError if there is none.
        """
        if not seq:
            raise ValueError(f"nothing to choose from ({_describe(self.name)})")
        return seq[self._index(len(seq))]

    def draw(self, seq: Sequence[T], k: int) -> list[T]:
        """`k` different members of a sequence, in the sequence's order; every such set is as likely.

        All of them are taken without a roll. ValueError if k is negative or more than there are.
        """
        if not 0 <= k <= len(seq):
            raise ValueError(f"cannot draw {k} of {len(seq)} ({_describe(self.name)})")
        if k == len(seq):
            return list(seq)
        left = list(range(len(seq)))
        return [seq[index] for index in sorted(left.pop(self._index(len(left))) for _ in range(k))]

    def shuffle(self, seq: Sequence[T]) -> list[T]:
        """A new list of the same members, every order as likely: the die says which of those left comes
        next.
        """
        left = list(seq)
        return [left.pop(self._index(len(left))) for _ in range(len(left))]

    def record(self) -> DiceRecord | None:
        """All draws so far, or None when nothing was drawn."""
        return None if self.use is None else _record(self.name, self.use, self.rolled)

    def take(self) -> DiceRecord | None:
        """The draws since the last `take`, or None: for a journal that writes an entry after each of several
        draws.
        """
        drawn, self._taken = self.rolled[self._taken :], len(self.rolled)
        return None if self.use is None or not drawn else _record(self.name, self.use, drawn)

    def _index(self, count: int) -> int:
        return 0 if count == 1 else self._draw(_single(count))["faces"][0] - 1

    def _draw(self, die: Die) -> Drawn:
        if self._drawer is None:
            # Uses are counted at the first roll, not at opening: whoever checks the record then finds no
            # gaps.
            self.use, self._drawer = self._open(self.name)
        faces, typed = self._drawer(die)
        drawn: Drawn = {"die": str(die), "faces": faces, "total": sum(faces) + die.plus}
        if typed:
            drawn["typed"] = True
        self.rolled.append(drawn)
        return drawn


class DiceSource(Protocol):
    """What a mechanic needs of dice."""

    def stream(self, *, step: str, rule: str, subject: str, audience: str = "all") -> Stream:
        """Dice for one purpose; each call gives dice that no other call gives."""
        ...

    onlooker: Any
    """Who looks on at throws of battles (`battle/luck.Onlooker`), or None."""

    def checkpoint(self, key: Callable[[], str]) -> None:
        """What follows depends on nothing but what `key` tells: between two steps, or two rounds of a step
        that has no end of its own."""
        ...


class CountingDice(ABC):
    """A source that counts the uses of each name.

    `marks` are the counts of an earlier part of the same turn.
    """

    def __init__(self, marks: Marks = ()) -> None:
        self._uses: Counter[StreamName] = Counter()
        for step, rule, subject, audience, uses in marks:
            self._uses[StreamName(str(step), str(rule), str(subject), str(audience))] = int(uses)

    def stream(self, *, step: str, rule: str, subject: str, audience: str = "all") -> Stream:
        """A stream that has drawn nothing yet."""
        return Stream(StreamName(step, rule, subject, audience), self._first_roll)

    def marks(self) -> list[list[str | int]]:
        """The uses counted so far, sorted, plain JSON: give them to the source that goes on with the turn."""
        return [[*name, uses] for name, uses in sorted(self._uses.items())]

    def checkpoint(self, key: Callable[[], str]) -> None:
        """What follows depends on nothing but what `key` tells: of use to who tries every way; others take no
        notice.
        """
        del key

    onlooker: Any = None

    @abstractmethod
    def drawer(self, name: StreamName, use: int) -> Drawer:
        """What gives the dice of one use of a name, from the first."""

    def _first_roll(self, name: StreamName) -> tuple[int, Drawer]:
        use = self._uses[name]
        drawer = self.drawer(name, use)
        self._uses[name] = use + 1
        return use, drawer


class KeyedDice(CountingDice):
    """The real dice of a turn, made as the module's text says.

    `key` is the turn key, 1 to 64 bytes or their hex digits, or a mapping of the keys of those audiences that
    one has: rolling for another then raises DiceError. `mix` is what `fairness.mix_salts` gives, empty for
    none.
    """

    def __init__(
        self, key: bytes | str | Mapping[str, bytes | str], turn: int, *, mix: str = "", marks: Marks = ()
    ) -> None:
        super().__init__(marks)
        self._label = [turn, mix]
        self._turn_key = None if isinstance(key, Mapping) else key
        known = key.items() if isinstance(key, Mapping) else ()
        self._dice_keys = {
            audience: canonical.keyed(each, "wteaw dice", self._label) for audience, each in known
        }

    def drawer(self, name: StreamName, use: int) -> Drawer:
        dice_key = self._dice_keys.get(name.audience)
        if dice_key is None:
            if self._turn_key is None:
                raise DiceError(
                    f"no key for the dice of audience {name.audience!r} ({_describe(name)})", name
                )
            key = audience_key(self._turn_key, name.audience)
            dice_key = self._dice_keys[name.audience] = canonical.keyed(key, "wteaw dice", self._label)
        return _StreamWords(canonical.keyed(dice_key, "wteaw stream", [*name[:3], use])).draw


def names_of(stream: StreamName) -> tuple[str, ...]:
    """The names under which dice may be typed in for a throw, the most exact first: ``rule@subject``, the
    first parts of a subject of several (``place:round``), and ``rule``.
    """
    parts = stream.subject.split(":")
    return (*(f"{stream.rule}@{':'.join(parts[:n])}" for n in range(len(parts), 0, -1)), stream.rule)


class ScriptedDice(CountingDice):
    """Dice typed in: real dice on a table, or the dice of a rule test.

    `dice` is a list, used in order by whoever asks next, or a mapping from ``rule@subject``, from ``rule`` or
    from ``*`` (anyone) to such lists; a subject of several parts (``place:round``) is found under its first
    parts as well. A draw takes what the most exact name still has, then the next. The values are faces as
    they lie, before anything is added; for a choice, which one it is, counted from 1.

    A draw for which nothing is left goes to `fallback`, or raises DiceExhausted; a draw is never made partly
    of typed dice and partly of others. A value that the die does not have raises DiceImpossible.
    """

    def __init__(self, dice: Script = (), *, fallback: CountingDice | None = None, marks: Marks = ()) -> None:
        super().__init__(marks)
        lists = dice if isinstance(dice, Mapping) else {"*": dice}
        self._left = {name: deque(values) for name, values in lists.items()}
        self._fallback = fallback

    def unused(self) -> dict[str, list[int]]:
        """What nobody has asked for yet, by the name under which it was given."""
        return {name: list(values) for name, values in self._left.items() if values}

    def checkpoint(self, key: Callable[[], str]) -> None:
        """What is left of the typed dice is part of what follows."""
        if self._fallback is not None:
            self._fallback.checkpoint(lambda: f"{key()} {sorted(self.unused().items())}")

    def drawer(self, name: StreamName, use: int) -> Drawer:
        asked = (*names_of(name), "*")
        queues = [self._left[each] for each in asked if each in self._left]
        beyond: Drawer | None = None

        def draw(die: Die) -> tuple[list[int], bool]:
            nonlocal beyond
            left = sum(map(len, queues))
            if not left and self._fallback is not None:
                beyond = beyond or self._fallback.drawer(name, use)
                return beyond(die)
            if left < die.n:
                given = f"only {left} of {die.n} dice are left" if left else "no dice are left"
                raise DiceExhausted(f"{given} for {die} of {_describe(name)}", name, str(die))
            values: list[int] = []
            for queue in queues:
                while queue and len(values) < die.n:
                    values.append(_possible(queue[0], die, name))
                    queue.popleft()
            return values, True

        return draw


DRAWERS = 1 << 14
"""How many keys are ready for audiences of several: so many that two of one turn seldom share one."""


def audience_key(turn_key: bytes | str, audience: str) -> str:
    """The key, in hex, of all the dice of a turn that one audience may know; it tells nothing of the turn
    key.
    """
    if "+" in audience:
        return group_key(drawer_key(turn_key, drawer_of(audience)), audience)
    return canonical.keyed(turn_key, "wteaw audience", [audience]).hex()


@lru_cache(maxsize=4096)
def drawer_of(audience: str) -> int:
    """The number of the drawer that the key of an audience of several lies in."""
    return int.from_bytes(canonical.keyed(b"wteaw", "wteaw place", [audience])[:4], "little") % DRAWERS


def drawer_key(turn_key: bytes | str, drawer: int) -> str:
    """The key of a drawer, in hex."""
    return canonical.keyed(turn_key, "wteaw drawer", [drawer]).hex()


def group_key(drawer_key: bytes | str, audience: str) -> str:
    """The key, in hex, of an audience of several, from that of its drawer."""
    return canonical.keyed(drawer_key, "wteaw group", [audience]).hex()


class _StreamWords:
    """The bytes of one keyed stream, and the dice made of them."""

    __slots__ = ("_block", "_buffer", "_count", "_place")

    def __init__(self, stream_key: bytes) -> None:
        self._block = blake2b(key=stream_key, person=b"wteaw block")
        self._buffer = b""
        self._place = 0
        self._count = 0

    def draw(self, die: Die) -> tuple[list[int], bool]:
        values = self._small(die.n, die.faces) if die.faces <= 255 else self._large(die.n, die.faces)
        return (values if die.low == 1 else [value + die.low - 1 for value in values]), False

    def _small(self, n: int, faces: int) -> list[int]:
        table, rejected = _byte_faces(faces)
        # A byte gives at most one die, so that asking for as many as are missing never takes one too many:
        # a batch and the same dice one by one use the same bytes.
        values = list(self._bytes(n).translate(table, rejected))
        while len(values) < n:
            values += self._bytes(n - len(values)).translate(table, rejected)
        return values

    def _large(self, n: int, faces: int) -> list[int]:
        limit = 2**32 - 2**32 % faces
        values: list[int] = []
        while len(values) < n:
            missing = n - len(values)
            words = struct.unpack(f"<{missing}I", self._bytes(4 * missing))
            values += [word % faces + 1 for word in words if word < limit]
        return values

    def _bytes(self, size: int) -> bytes:
        missing = size - (len(self._buffer) - self._place)
        if missing > 0:
            parts = [self._buffer[self._place :]]
            for _ in range(-(-missing // 64)):
                block = self._block.copy()
                block.update(self._count.to_bytes(8, "little"))
                parts.append(block.digest())
                self._count += 1
            self._buffer = b"".join(parts)
            self._place = 0
        start, self._place = self._place, self._place + size
        return self._buffer[start : self._place]


@lru_cache(maxsize=256)
def _byte_faces(faces: int) -> tuple[bytes, bytes]:
    """For each byte its face, and the bytes that are thrown away: what bytes.translate needs to make dice."""
    limit = 256 - 256 % faces
    return bytes(byte % faces + 1 for byte in range(256)), bytes(range(limit, 256))


@lru_cache(maxsize=256)
def _single(faces: int) -> Die:
    return Die(1, faces)


def _record(name: StreamName, use: int, drawn: Iterable[Drawn]) -> DiceRecord:
    step, rule, subject, audience = name
    return {
        "step": step,
        "rule": rule,
        "subject": subject,
        "audience": audience,
        "use": use,
        "drawn": list(drawn),
    }


def _possible(value: object, die: Die, name: StreamName) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise DiceImpossible(
            f"a die is a whole number, not {value!r}: {die} of {_describe(name)}", name, str(die)
        )
    if not die.low <= value <= die.high:
        raise DiceImpossible(
            f"{value} is not a face of {die} ({die.low} to {die.high}), asked of {_describe(name)}",
            name,
            str(die),
        )
    return value


def _describe(name: StreamName) -> str:
    return f"rule {name.rule}{' for ' * bool(name.subject)}{name.subject} in {name.step}"
