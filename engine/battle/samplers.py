"""Where chance comes from: real dice, random numbers for many trials, or every outcome with its probability.

A stage asks a sampler how many dice hit. `RealDice` rolls each die on a keyed stream and writes it down.
`Exact` replaces a row of the batch by one row for every possible number of hits; `MonteCarlo` by one row for
every number that came up among the trials the row stands for. The stage does not know which it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Any, Protocol

import numpy as np

from ..core.dice import Stream
from . import distributions
from .batch import Array, Batch

TINY = 1e-18


@dataclass(frozen=True, slots=True)
class Shots:
    """Dice that one group throws: for each row how many, and the value at or under which a die hits."""

    group: int
    dice: Array
    value: Array


@dataclass(frozen=True, slots=True)
class Throw:
    """What a throw is for: stage, side, round and the faces of its dice."""

    stage: str
    side: int
    round: int
    faces: int


class Sampler(Protocol):
    """A source of chance for batches.

    Each method may split rows and then gives the new batch with what came up.
    """

    def under(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        """How many dice show their value or less."""
        ...

    def pooled(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        """Values added: a sure hit for each full die, and one die for the rest."""
        ...

    def classes(
        self, batch: Batch, shots: Sequence[Shots], throw: Throw, table: Sequence[Sequence[int]], of: int
    ) -> tuple[Batch, Array]:
        """Dice looked up by face: one column for each class of results (`table`: its faces), best first; `of`
        dice make one.
        """
        ...

    def difference(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        plus: Array,
    ) -> tuple[Batch, Array]:
        """The first side's dice summed, less the second's, plus a number; `value` of the shots is added to
        every die.
        """
        ...

    def compare(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        *,
        tie: int,
    ) -> tuple[Batch, Array]:
        """Pairs that each side wins (one column each): the dice of both sorted and compared one against one.

        `value` of the shots is added to every die; `tie` is the side that wins a pair that is even.
        """
        ...

    def one(self, batch: Batch, rows: Array, throw: Throw) -> tuple[Batch, Array]:
        """The face of one die for each of the rows of the mask; 0 for the others."""
        ...

    def order(self, batch: Batch, tied: Array, count: int, about: str) -> tuple[Batch, Array]:
        """For tied rows an order of `count` parties by lot (one column each, the highest first); for others
        0.
        """
        ...


class Distribution(ABC):
    """What exact and sampled chance share: the distribution of every throw; `split` says what becomes of a
    row.
    """

    @abstractmethod
    def split(self, batch: Batch, pmf: Array) -> tuple[Batch, Array]:
        """The batch after a throw whose outcomes have these chances (one row each), and each row's
        outcome.
        """

    def under(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        return self.split(batch, distributions.under([(s.dice, s.value) for s in shots], throw.faces))

    def pooled(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        power = sum(s.dice * np.clip(s.value, 0, throw.faces) for s in shots)
        sure, rest = power // throw.faces, power % throw.faces
        pmf = np.stack([1 - rest / throw.faces, rest / throw.faces], axis=1)
        rows = np.arange(len(batch))
        batch.more["sure"] = np.broadcast_to(sure, rows.shape)
        out, more = self.split(batch, pmf)
        return out, out.more.pop("sure") + more

    def classes(
        self, batch: Batch, shots: Sequence[Shots], throw: Throw, table: Sequence[Sequence[int]], of: int
    ) -> tuple[Batch, Array]:
        dice = np.broadcast_to(sum(s.dice for s in shots), (len(batch),))
        pmf, results = distributions.classes(dice, [len(faces) for faces in table], throw.faces, of)
        out, which = self.split(batch, pmf)
        return out, results[which]

    def difference(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        plus: Array,
    ) -> tuple[Batch, Array]:
        plain = _dice_of(sides)
        pmf, low = distributions.difference(plain[0], plain[1], throws[0].faces, throws[1].faces)
        batch.more["low"] = low + plus
        out, which = self.split(batch, pmf)
        return out, out.more.pop("low") + which

    def compare(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        *,
        tie: int,
    ) -> tuple[Batch, Array]:
        plain = _dice_of(sides)
        pmf, count = distributions.pairs(plain[0], plain[1], throws[0].faces, throws[1].faces, tie=tie == 0)
        batch.more["pairs"] = np.broadcast_to(count, (len(batch),))
        out, won = self.split(batch, np.broadcast_to(pmf, (len(batch), pmf.shape[1])))
        return out, np.stack([won, out.more.pop("pairs") - won], axis=1)

    def one(self, batch: Batch, rows: Array, throw: Throw) -> tuple[Batch, Array]:
        if not rows.any():
            return batch, np.zeros(len(batch), dtype=np.int64)
        pmf = np.zeros((len(batch), throw.faces + 1))
        pmf[:, 0] = np.where(rows, 0.0, 1.0)
        pmf[:, 1:] = np.where(rows, 1 / throw.faces, 0.0)[:, None]
        return self.split(batch, pmf)

    def order(self, batch: Batch, tied: Array, count: int, about: str) -> tuple[Batch, Array]:
        if not tied.any():
            return batch, np.zeros((len(batch), count), dtype=np.int64)
        orders = _orders(count)
        pmf = np.zeros((len(batch), len(orders)))
        pmf[:, 0] = np.where(tied, 1 / len(orders), 1.0)
        pmf[:, 1:] = np.where(tied, 1 / len(orders), 0.0)[:, None]
        out, which = self.split(batch, pmf)
        return out, orders[which]


def _dice_of(sides: tuple[Sequence[Shots], Sequence[Shots]]) -> tuple[list[tuple[Any, Any]], ...]:
    """How many dice each side throws, with what is added to each or their sum."""
    return tuple([(s.dice, s.value) for s in shots] for shots in sides)


@lru_cache(maxsize=16)
def _orders(count: int) -> Array:
    """Orders that are equally likely: all of a few parties; of more, the rotations of one order and of its
    reverse, among which any of two comes first as often as the other."""
    if count <= 4:
        return np.array(list(permutations(range(count))), dtype=np.int64)
    turns = [[(place + turn) % count for place in range(count)] for turn in range(count)]
    return np.array([*turns, *(t[::-1] for t in turns)], dtype=np.int64)


class TooManyWays(Exception):
    """More outcomes than somebody was ready to follow."""


class Exact(Distribution):
    """Every outcome with its probability; rows less likely than `least` are dropped.

    TooManyWays once more than `most` rows have been made.
    """

    def __init__(self, least: float = TINY, most: int | None = None) -> None:
        self.least = least
        self.most = most
        self.made = 0

    def split(self, batch: Batch, pmf: Array) -> tuple[Batch, Array]:
        if self.most is not None:
            self.made += pmf.size
            if self.made > self.most:
                raise TooManyWays(f"more than {self.most:,} outcomes")
        rows, which = np.nonzero(pmf > 0)
        weight = batch.weight[rows] * pmf[rows, which]
        if self.least:
            enough = weight > self.least
            if not enough.all():
                rows, which, weight = rows[enough], which[enough], weight[enough]
        return batch.take(rows, weight), which


class MonteCarlo(Distribution):
    """Trials drawn at random: a row stands for a whole number of trials that are in the same position.

    The trials of a row are dealt out over the outcomes at once, which is the same as drawing each by itself.
    The generator is NumPy's, seeded: odds are for looking at, and no journal depends on them.
    """

    def __init__(self, seed: int = 1) -> None:
        self.random = np.random.Generator(np.random.PCG64(seed))

    def split(self, batch: Batch, pmf: Array) -> tuple[Batch, Array]:
        pmf = pmf / pmf.sum(axis=1, keepdims=True)
        trials = batch.weight.astype(np.int64)
        if len(batch) * 2 >= int(trials.sum()):
            return self._singly(batch, pmf, trials)
        counts = self.random.multinomial(trials, pmf)
        rows, which = np.nonzero(counts)
        return batch.take(rows, counts[rows, which]), which

    def _singly(self, batch: Batch, pmf: Array, trials: Array) -> tuple[Batch, Array]:
        """When hardly any row stands for several trials: one random number for each trial."""
        rows = np.repeat(np.arange(len(batch)), trials)
        luck = self.random.random(len(rows))
        edges = np.cumsum(pmf, axis=1)
        edges[:, -1] = 1.0
        size = edges.shape[1]
        # rising from row to row: one search finds every place
        flat = (edges + np.arange(len(edges))[:, None]).reshape(-1)
        which = np.minimum(np.searchsorted(flat, rows + luck, side="right") - rows * size, size - 1)
        return batch.take(rows, np.ones(len(rows), dtype=np.int64)), which


@dataclass(slots=True)
class Rolled:
    """Dice of one group as they fell: group, how many of it there were, faces, value, hits (None where dice
    are only summed).
    """

    stage: str
    side: int
    group: int
    n: int
    die: int
    faces: list[int]
    value: int
    hits: int | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two dice that were compared, with what was added to each, and the side (0, 1) that won."""

    stage: str
    first: int
    second: int
    winner: int


@dataclass(slots=True)
class RealDice:
    """One battle with dice that are written down. `open` gives the stream for a stage and side of a round."""

    open: Callable[[str, int, int], Stream]
    rolled: list[Rolled] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    sums: tuple[int, int] = (0, 0)
    """The last dice that were summed and compared, with what was added to each of them."""
    pairs: list[Pairing] = field(default_factory=list)

    def under(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        hits = 0
        stream = self._stream(throw)
        for shot in shots:
            dice, value = _one(shot.dice), _one(shot.value)
            if dice <= 0:
                continue
            faces = stream.faces(dice, throw.faces, value) if value > 0 else []
            scored = sum(f <= value for f in faces)
            self._note(batch, throw, shot.group, faces, value, scored)
            hits += scored
        self._take(stream)
        return batch, np.array([hits])

    def pooled(self, batch: Batch, shots: Sequence[Shots], throw: Throw) -> tuple[Batch, Array]:
        power = sum(_one(s.dice) * min(max(_one(s.value), 0), throw.faces) for s in shots)
        hits, rest = divmod(power, throw.faces)
        faces: list[int] = []
        if rest:
            stream = self._stream(throw)
            faces = stream.faces(1, throw.faces, rest)
            self._take(stream)
            hits += int(faces[0] <= rest)
        if power:  # sure hits are told, too: what is lost was hit
            self._note(batch, throw, shots[0].group, faces, rest, hits)
        return batch, np.array([hits])

    def classes(
        self, batch: Batch, shots: Sequence[Shots], throw: Throw, table: Sequence[Sequence[int]], of: int
    ) -> tuple[Batch, Array]:
        stream = self._stream(throw)
        counts = [0] * len(table)
        for shot in shots:
            faces = stream.faces(_one(shot.dice), throw.faces) if _one(shot.dice) > 0 else []
            found = [sum(f in wanted for f in faces) for wanted in table]
            counts = [a + b for a, b in zip(counts, found, strict=True)]
            if faces:
                self._note(batch, throw, shot.group, faces, of, sum(found))
        self._take(stream)
        return batch, np.array([distributions.grouped(counts, of)])

    def difference(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        plus: Array,
    ) -> tuple[Batch, Array]:
        sums = []
        for shots, throw in zip(sides, throws, strict=True):
            total = 0
            stream = self._stream(throw)
            for shot in shots:
                dice, value = _one(shot.dice), _one(shot.value)
                faces = stream.faces(dice, throw.faces) if dice > 0 else []
                self._note(batch, throw, shot.group, faces, value, None)
                total += sum(faces) + value * len(faces)
            self._take(stream)
            sums.append(total)
        self.sums = (sums[0], sums[1])
        return batch, np.array([sums[0] - sums[1] + _one(plus)])

    def compare(
        self,
        batch: Batch,
        sides: tuple[Sequence[Shots], Sequence[Shots]],
        throws: tuple[Throw, Throw],
        *,
        tie: int,
    ) -> tuple[Batch, Array]:
        # of each side its dice as they are compared, the best first, and whose each is
        rows: list[list[tuple[int, int]]] = []
        thrown: list[list[tuple[Shots, list[int]]]] = []
        for shots, throw in zip(sides, throws, strict=True):
            stream = self._stream(throw)
            thrown.append([(s, stream.faces(_one(s.dice), throw.faces)) for s in shots if _one(s.dice) > 0])
            loose = [(face + _one(s.value), at) for at, (s, faces) in enumerate(thrown[-1]) for face in faces]
            rows.append(sorted(loose, key=lambda die: -die[0]))
            self._take(stream)
        won = [Counter[int](), Counter[int]()]
        for first, second in zip(*rows, strict=False):
            side = tie if first[0] == second[0] else int(second[0] > first[0])
            won[side][(first, second)[side][1]] += 1
            self.pairs.append(Pairing(throws[0].stage, first[0], second[0], side))
        for side, parts in enumerate(thrown):
            for at, (shot, faces) in enumerate(parts):
                self._note(batch, throws[side], shot.group, faces, _one(shot.value), won[side][at])
        return batch, np.array([[won[0].total(), won[1].total()]])

    def one(self, batch: Batch, rows: Array, throw: Throw) -> tuple[Batch, Array]:
        if not bool(rows[0]):
            return batch, np.zeros(1, dtype=np.int64)
        stream = self._stream(throw)
        face = stream.faces(1, throw.faces)[0]
        self._take(stream)
        return batch, np.array([face])

    def order(self, batch: Batch, tied: Array, count: int, about: str) -> tuple[Batch, Array]:
        if not bool(tied[0]):
            return batch, np.zeros((1, count), dtype=np.int64)
        stream = self.open(about, 0, 0)
        places = stream.shuffle(list(range(count)))
        self._take(stream)
        return batch, np.array([places])

    def _stream(self, throw: Throw) -> Stream:
        return self.open(throw.stage, throw.side, throw.round)

    def _note(
        self, batch: Batch, throw: Throw, group: int, faces: list[int], value: int, hits: int | None
    ) -> None:
        there = int(batch.n[0, group])
        self.rolled.append(Rolled(throw.stage, throw.side, group, there, throw.faces, faces, value, hits))

    def _take(self, stream: Stream) -> None:
        record = stream.take()
        if record is not None:
            self.records.append(dict(record))


def _one(value: Any) -> int:
    return int(np.asarray(value).reshape(-1)[0])
