"""Distributions of throws, for whole batches: hits of dice against values, results by face, differences of sums.

Every function takes arrays with one entry for each row of a batch and gives one distribution for each row; rows that throw the
same dice share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .batch import Array, different

Dice = Sequence[tuple[Any, Any]]
"""Groups of equal dice: how many in each row, and their value in each row."""


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


def _different(known: Array) -> tuple[Array, Array]:
    """Different rows, and for each row which of them it is."""
    if len(known) == 1:
        return known, np.zeros(1, dtype=np.int64)
    first, inverse = different(known - known.min(axis=0))
    return known[first], inverse
