"""Distributions of throws, for whole batches: hits of dice against values, results by face, differences of
sums, pairs won.

Every function takes arrays with one entry for each row of a batch and gives one distribution for each row;
rows that throw the same dice share the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from .batch import Array, different

Dice = Sequence[tuple[Any, Any]]
"""Groups of equal dice: how many in each row, and their value in each row."""
Left = tuple[tuple[int, ...], tuple[int, ...]]
"""Of the dice of both sides those that have not come to their place yet, by group."""


@lru_cache(maxsize=256)
def binomials(most: int, value: int, faces: int) -> Array:
    """Row n: the chance of 0, 1, ... `most` hits with n dice that hit on `value` or less out of `faces`."""
    p = min(max(value, 0), faces) / faces
    table = np.zeros((most + 1, most + 1))
    table[0, 0] = 1.0
    for n in range(1, most + 1):
        table[n, : n + 1] = table[n - 1, : n + 1] * (1 - p)
        table[n, 1 : n + 1] += table[n - 1, :n] * p
    return table


def under(shots: Dice, faces: int) -> Array:
    """For each row the chance of 0, 1, 2 ... hits."""
    size = max(len(np.atleast_1d(part)) for shot in shots for part in shot)
    columns = [np.broadcast_to(np.asarray(part), (size,)) for shot in shots for part in shot]
    known = np.stack(columns, axis=1).astype(np.int64)
    known[:, 1::2] = np.clip(known[:, 1::2], 0, faces)
    different, inverse = _different(known)
    pmf = np.ones((len(different), 1))
    for place in range(0, known.shape[1], 2):
        dice, value = different[:, place], different[:, place + 1]
        most = int(dice.max(initial=0))
        if most == 0:
            continue
        one = np.zeros((len(different), most + 1))
        for v in sorted(set(value.tolist())):
            rows = value == v
            one[rows] = binomials(most, v, faces)[dice[rows]]
        pmf = convolve(pmf, one)
    return pmf[inverse]


def convolve(a: Array, b: Array) -> Array:
    """Row by row the distribution of a sum."""
    if a.shape[1] < b.shape[1]:
        a, b = b, a
    out = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for shift in range(b.shape[1]):
        out[:, shift : shift + a.shape[1]] += a * b[:, shift : shift + 1]
    return out


def grouped(counts: Sequence[int], of: int) -> list[int]:
    """Dice of each class, best first, taken `of` at a time; what is left over counts for the next class."""
    out, left = [], 0
    for count in counts:
        whole, left = divmod(count + left, of)
        out.append(whole)
    return out


def classes(dice: Array, widths: Sequence[int], faces: int, of: int) -> tuple[Array, Array]:
    """For each row a distribution over results, and the results: one row of numbers by class for each column.

    `widths` are the numbers of faces of each class, best first.
    """
    different, inverse = np.unique(dice, return_inverse=True)
    tables = [_classes(int(n), tuple(widths), faces, of) for n in different]
    results = sorted({result for table in tables for result in table})
    place = {result: i for i, result in enumerate(results)}
    pmf = np.zeros((len(different), len(results)))
    for row, table in enumerate(tables):
        for result, chance in table.items():
            pmf[row, place[result]] = chance
    return pmf[inverse.reshape(-1)], np.array(results, dtype=np.int64)


@lru_cache(maxsize=512)
def _classes(dice: int, widths: tuple[int, ...], faces: int, of: int) -> dict[tuple[int, ...], float]:
    shares = [w / faces for w in widths]
    nothing = 1 - sum(shares)
    counts: dict[tuple[int, ...], float] = {(0,) * len(widths): 1.0}
    for _ in range(dice):
        following: dict[tuple[int, ...], float] = {}
        for before, chance in counts.items():
            following[before] = following.get(before, 0.0) + chance * nothing
            for which, share in enumerate(shares):
                after = (*before[:which], before[which] + 1, *before[which + 1 :])
                following[after] = following.get(after, 0.0) + chance * share
        counts = following
    out: dict[tuple[int, ...], float] = {}
    for each, chance in counts.items():
        result = tuple(grouped(each, of))
        out[result] = out.get(result, 0.0) + chance
    return out


@lru_cache(maxsize=1024)
def sums(dice: int, faces: int) -> Array:
    """The chance of each total of so many dice, from `dice` upwards."""
    out = np.ones(1)
    for _ in range(dice):
        out = np.convolve(out, np.full(faces, 1 / faces))
    return out


def difference(first: Dice, second: Dice, faces: int, other_faces: int) -> tuple[Array, Array]:
    """For each row the distribution of (sum of the first dice) - (sum of the second), and its lowest value.

    The value of a group of dice is added to each of its dice.
    """
    everything = [*first, *second]
    size = max((len(np.atleast_1d(part)) for shot in everything for part in shot), default=1)
    columns = [np.broadcast_to(np.asarray(part), (size,)) for shot in everything for part in shot]
    known = np.stack(columns, axis=1).astype(np.int64)
    different, inverse = _different(known)
    rows, lows = [], []
    for row in different:
        pmf, low = np.ones(1), 0
        for place in range(0, len(row), 2):
            dice, value = int(row[place]), int(row[place + 1])
            mine = place // 2 < len(first)
            table = sums(dice, faces if mine else other_faces)
            lowest = dice * (1 + value)
            if mine:
                pmf, low = np.convolve(pmf, table), low + lowest
            else:
                pmf, low = np.convolve(pmf, table[::-1]), low - (lowest + len(table) - 1)
        rows.append(pmf)
        lows.append(low)
    width = max(len(r) for r in rows)
    out = np.zeros((len(rows), width))
    for index, row in enumerate(rows):
        out[index, : len(row)] = row
    return out[inverse], np.array(lows, dtype=np.int64)[inverse]


Group = tuple[int, int, int]
"""Dice that are alike: how many, their faces, and what is added to each."""


def pairs(first: Dice, second: Dice, faces: int, other_faces: int, *, tie: bool) -> tuple[Array, Array]:
    """For each row the distribution of pairs that the first side wins, and how many pairs there are.

    Both sides' dice are sorted, the best against the best; the higher of a pair wins it, and of two that are
    even the first side's where `tie` says so. Dice beyond the other side's number are in no pair. The value
    of a group is added to its dice.
    """
    everything = [*first, *second]
    size = max((len(np.atleast_1d(part)) for shot in everything for part in shot), default=1)
    columns = [np.broadcast_to(np.asarray(part), (size,)) for shot in everything for part in shot]
    known = np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((size, 0), dtype=np.int64)
    different, inverse = _different(known)
    rows = []
    for row in different:
        groups = [
            (int(row[at]), faces if at // 2 < len(first) else other_faces, int(row[at + 1]))
            for at in range(0, len(row), 2)
        ]
        rows.append(won_pairs(groups[: len(first)], groups[len(first) :], tie=tie))
    width = max(len(r) for r in rows)
    out = np.zeros((len(rows), width))
    for index, found in enumerate(rows):
        out[index, : len(found)] = found
    return out[inverse], np.array([len(r) - 1 for r in rows], dtype=np.int64)[inverse]


def won_pairs(first: Iterable[Group], second: Iterable[Group], *, tie: bool) -> tuple[float, ...]:
    """The chance that the first side wins 0, 1, 2 ... of all pairs; `tie`: those that are even, too."""
    return _won_pairs(_alike(first), _alike(second), tie)


def _alike(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Dice of a side, those that are alike in one group."""
    counts: Counter[tuple[int, int]] = Counter()
    for n, faces, plus in groups:
        counts[faces, plus] += n
    return tuple((n, faces, plus) for (faces, plus), n in sorted(counts.items()) if n > 0)


@lru_cache(maxsize=16384)
def _won_pairs(first: tuple[Group, ...], second: tuple[Group, ...], tie: bool) -> tuple[float, ...]:
    """The dice fall into their places from the highest number down; at each number those of the side that
    wins ties before the others'. Whose die comes first to a place of the two rows has won that pair.
    """
    sides = (first, second)
    dice = [sum(group[0] for group in side) for side in sides]
    now = {(tuple(g[0] for g in first), tuple(g[0] for g in second)): np.eye(1, min(dice) + 1)[0]}
    numbers: set[int] = set()
    for _, faces, plus in chain.from_iterable(sides):
        numbers |= {plus + 1, plus + faces}
    for number in range(max(numbers, default=0), min(numbers, default=1) - 1, -1):
        for side in (0, 1) if tie else (1, 0):
            now = _placed(now, sides[side], dice, side, number)
    return tuple(float(p) for p in sum(now.values()))


def _placed(
    now: Mapping[Left, Array], groups: tuple[Group, ...], dice: Sequence[int], side: int, number: int
) -> dict[Left, Array]:
    """After the dice of one side that show a number have come to their places."""
    out: dict[Left, Array] = {}
    for left, wins in now.items():
        placed = [total - sum(one) for total, one in zip(dice, left, strict=True)]
        for rest, chance in _shows(groups, left[side], number):
            here = dice[side] - sum(rest)
            won = max(0, min(here, *dice) - max(placed)) if side == 0 else 0
            key = (rest, left[1]) if side == 0 else (left[0], rest)
            if key not in out:
                out[key] = np.zeros(len(wins))
            out[key][won:] += chance * wins[: len(wins) - won]
    return out


def _shows(
    groups: tuple[Group, ...], left: tuple[int, ...], number: int
) -> list[tuple[tuple[int, ...], float]]:
    """Which dice of those that show no higher number are left after this one, with the chances."""
    out: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    for (_, faces, plus), n in zip(groups, left, strict=True):
        face = number - plus
        if not 1 <= face <= faces:
            out = [((*rest, n), chance) for rest, chance in out]
            continue
        table = binomials(n, 1, face)[n]
        out = [((*rest, n - k), chance * table[k]) for rest, chance in out for k in range(n + 1)]
    return out


def _different(known: Array) -> tuple[Array, Array]:
    """Different rows, and for each row which of them it is."""
    if len(known) == 1:
        return known, np.zeros(1, dtype=np.int64)
    first, inverse = different(known - known.min(axis=0))
    return known[first], inverse
