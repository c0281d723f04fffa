"""Many battles side by side: one row for each battle or for each distinct position that battles have reached.

`n` are units fighting, `gone` those that left alive, one column for each group of the plan. `weight` says
what a row stands
for: one real battle, so many trials, or so much probability. Samplers split rows; `merge` puts equal ones
together again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(slots=True)
class Batch:
    """Positions of one battle.

    `hits` are hits not yet taken, by column; `more` further columns that go with the rows.
    """

    n: Array
    gone: Array
    weight: Array
    hits: Array
    origin: Array
    more: dict[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.n)

    def take(self, rows: Array, weight: Array) -> Batch:
        """These rows, in this order and as often as they are named, with new weights."""
        return Batch(
            self.n[rows], self.gone[rows], weight, self.hits[rows], self.origin[rows],
            {name: column[rows] for name, column in self.more.items()},
        )  # fmt: skip

    def keep(self, mask: Array) -> Batch:
        """The rows where the mask is true."""
        rows = np.flatnonzero(mask)
        return self.take(rows, self.weight[rows])

    def merge(self) -> Batch:
        """Equal positions (between rounds, when no hit waits) put together, their weights added."""
        if len(self) < 2:
            return self
        columns = np.concatenate([self.n, self.gone], axis=1) if self.gone.any() else self.n
        first, inverse = different(columns)
        if len(first) == len(self):
            return self
        weight = np.bincount(inverse, weights=self.weight, minlength=len(first))
        return self.take(first, weight.astype(self.weight.dtype))


def begin(start: Array, columns: int, weight: Any = 1.0) -> Batch:
    """A batch of one row at the start of a battle."""
    n = np.asarray(start).copy()
    size = len(n)
    return Batch(
        n,
        np.zeros_like(n),
        np.full(size, weight),
        np.zeros((size, columns), dtype=n.dtype),
        np.arange(size),
        {},
    )


def join(parts: list[Batch]) -> Batch:
    """Several batches of the same plan as one."""
    if len(parts) == 1:
        return parts[0]
    return Batch(
        np.concatenate([p.n for p in parts]), np.concatenate([p.gone for p in parts]),
        np.concatenate([p.weight for p in parts]), np.concatenate([p.hits for p in parts]),
        np.concatenate([p.origin for p in parts]), {},
    )  # fmt: skip


def different(columns: Array) -> tuple[Array, Array]:
    """Where each different row of whole numbers from 0 on stands (one of its places), and for each row which
    of them it is.
    """
    keys = position_keys(columns)
    # few possible keys: no need to sort
    if keys.ndim == 1 and len(keys) and (top := int(keys.max())) < 4 * len(keys) + 4096:
        place = np.zeros(top + 1, dtype=np.int64)
        place[keys] = np.arange(1, len(keys) + 1)
        used = np.flatnonzero(place)
        first = place[used] - 1
        place[used] = np.arange(len(used))
        return first, place[keys]
    _, first, inverse = np.unique(
        keys, return_index=True, return_inverse=True, axis=0 if keys.ndim > 1 else None
    )
    return first, inverse.reshape(-1)


def position_keys(columns: Array) -> Array:
    """One whole number for each row where they fit into 63 bits, else the rows themselves."""
    most = columns.max(axis=0, initial=0).astype(object) + 1
    size = 1
    for m in most:
        size *= int(m)
    if size >= 1 << 62:
        return columns
    key = np.zeros(len(columns), dtype=np.int64)
    for column, m in zip(columns.T, most, strict=True):
        key *= int(m)
        key += column
    return key
