"""Exact numbers of many battles at once: whole numerators, one for each battle, over one denominator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from ..world.quantities import Many
from .batch import Array

SMALL = 1 << 20
"""Denominators and factors up to here are computed in machine numbers, beyond in Python's."""


class Figures(Many):
    """Exact numbers: `top` (whole, one for each battle) over `bottom` (greater than 0)."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Array, bottom: int = 1) -> None:
        self.top = top
        self.bottom = bottom

    def __add__(self, other: Any) -> Figures:
        one, two, bottom = _together(self, figures(other))
        return Figures(one + two, bottom)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Figures:
        two = figures(other)
        top = _roomy(self.top, two.bottom) * _roomy(two.top, self.bottom)
        return _reduced(top, self.bottom * two.bottom)

    __rmul__ = __mul__

    def larger(self, other: Any) -> Figures:
        one, two, bottom = _together(self, figures(other))
        return Figures(np.maximum(one, two), bottom)

    def smaller(self, other: Any) -> Figures:
        one, two, bottom = _together(self, figures(other))
        return Figures(np.minimum(one, two), bottom)

    def rounded(self, how: str) -> Figures:
        if self.bottom == 1:
            return self
        if how == "up":
            return Figures(-(-self.top // self.bottom))
        if how == "down":
            return Figures(self.top // self.bottom)
        return Figures((2 * self.top + self.bottom) // (2 * self.bottom))

    def whole(self) -> Array:
        """The numbers rounded down, as a die takes them."""
        out: Array = self.top if self.bottom == 1 else self.top // self.bottom
        return out if out.dtype == np.int64 else out.astype(np.int64)

    def fractions(self) -> list[Fraction]:
        """The numbers one by one."""
        return [Fraction(int(top), self.bottom) for top in self.top]


@dataclass(frozen=True, slots=True)
class Mask:
    """The battles in which a modifier applies."""

    rows: Array

    def choose(self, one: Any, other: Any) -> Figures:
        """The first number in these battles, the second in the others."""
        mine, rest, bottom = _together(figures(one), figures(other))
        return Figures(np.where(self.rows, mine, rest), bottom)


def figures(value: Any) -> Figures:
    """A number, or an array of numbers (whole ones, or Python's fractions), as figures."""
    if isinstance(value, Figures):
        return value
    if not isinstance(value, np.ndarray):
        number = Fraction(0 if value is None else value)
        return Figures(_whole_array([number.numerator]), number.denominator)
    if value.dtype != object:
        return Figures(value.astype(np.int64))
    numbers = [Fraction(0 if n is None else n) for n in value.tolist()]
    bottom = lcm(*(n.denominator for n in numbers))
    return Figures(_whole_array([n.numerator * (bottom // n.denominator) for n in numbers]), bottom)


def array_of(values: Sequence[Any]) -> Array:
    """Numbers as an array: of machine numbers where all are whole, else of Python's fractions.

    None counts as 0.
    """
    plain = [0 if v is None else v for v in values]
    if all(isinstance(v, int) for v in plain):
        return np.array([int(v) for v in plain], dtype=np.int64)
    out = np.empty(len(plain), dtype=object)
    out[:] = [Fraction(v) for v in plain]
    return out


def _whole_array(numbers: Sequence[int]) -> Array:
    small = all(abs(n) < 1 << 62 for n in numbers)
    return np.array(numbers, dtype=np.int64 if small else object)


def _together(a: Figures, b: Figures) -> tuple[Array, Array, int]:
    """The numerators of two over one denominator."""
    if a.bottom == b.bottom:
        return a.top, b.top, a.bottom
    bottom = lcm(a.bottom, b.bottom)
    return _roomy(a.top, bottom) * (bottom // a.bottom), _roomy(b.top, bottom) * (bottom // b.bottom), bottom


def _roomy(top: Array, factor: int) -> Array:
    """Numerators that a factor cannot carry beyond machine numbers."""
    if top.dtype == object or (factor <= SMALL and int(np.abs(top).max(initial=0)) <= SMALL * SMALL):
        return top
    return top.astype(object)


def _reduced(top: Array, bottom: int) -> Figures:
    if bottom == 1:
        return Figures(top)
    shared = (
        gcd(bottom, *(int(t) for t in np.unique(top)))
        if len(top) < 64
        else gcd(bottom, int(np.gcd.reduce(top)))
    )
    return Figures(top // shared, bottom // shared) if shared > 1 else Figures(top, bottom)
