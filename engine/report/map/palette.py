"""Colors and patterns that keep owners apart, also for readers who see few colors.

Groups (sides) differ in hue along the blue-orange axis, which color-blind readers keep; owners of one group
differ in lightness and in pattern. No two owners get the same color and pattern, and two in one pattern
differ in color to every kind of eye.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import count, islice

from .model import PATTERNS, Owner

# Each family: tints of one hue. The first two families are the far ends of what a red-green blind reader
# sees.
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("#e39a5c", "#f0bf8a", "#d4a017", "#f6d9a8"),
    ("#7fb1de", "#a9cdec", "#8fa3e0", "#c7dbf3"),
    ("#c58fb4", "#dcb6d0", "#b3a0c8", "#ecd6e4"),
    ("#7fbfae", "#a9d8c8", "#92b594", "#c9e6da"),
)
ALONE = ("#efe3a8", "#bcc6cc", "#e6c9b8", "#c8d3a4", "#f2efe6", "#b9aa98", "#d8cbe2", "#d9d4c5")
UNOWNED = "#efece4"


def colored(owners: Iterable[Owner], groups: Sequence[str] = ()) -> tuple[Owner, ...]:
    """The owners, those without a color given one and a pattern; the order of owners and groups decides, so
    it is repeatable.

    groups: the groups in the order in which they get a family of colors; by default as the owners name them.
    Owners of no group, and those of groups beyond the number of families, get greys and pale tints. Colors
    that owners bring are kept; who brings no pattern gets one where their color alone would not tell them
    from an owner before them to every eye.
    """
    return _colored(tuple(owners), tuple(groups))


@lru_cache(maxsize=64)
def _colored(listed: tuple[Owner, ...], groups: tuple[str, ...]) -> tuple[Owner, ...]:
    order = list(dict.fromkeys([*groups, *(owner.group for owner in listed)]))
    families = dict(zip((group for group in order if group), FAMILIES, strict=False))
    taken = {(owner.color.lower(), owner.pattern) for owner in listed if owner.color}
    done: list[Owner] = []
    for owner in listed:
        if owner.color:
            pattern = _told_apart(owner.color, done) if owner.pattern == PATTERNS[0] else owner.pattern
            owner = replace(owner, pattern=pattern)
        else:
            tints = families.get(owner.group, ALONE)
            free = (pair for pair in _choices(tints) if pair not in taken)
            some = list(islice(free, ROUNDS * len(PATTERNS) * len(tints)))
            good = (pair for pair in some if _gap(pair[0], pair[1], done) >= LEAST)
            color, pattern = next(good, None) or max(some, key=lambda pair: _gap(pair[0], pair[1], done))
            taken.add((color, pattern))
            owner = replace(owner, color=color, pattern=pattern)
        done.append(owner)
    return tuple(done)


def _told_apart(color: str, others: Sequence[Owner]) -> str:
    """The first pattern in which nobody else has a color like this one; if there is none, that whose colors
    differ most.
    """
    gaps = {pattern: _gap(color, pattern, others) for pattern in PATTERNS}
    return next((p for p, gap in gaps.items() if gap >= LEAST), max(gaps, key=lambda p: gaps[p]))


def _gap(color: str, pattern: str, others: Sequence[Owner]) -> float:
    """How far a color is from the nearest of those that others have in a pattern."""
    return min((apart(color, o.color) for o in others if o.pattern == pattern), default=math.inf)


ROUNDS = 4
LEAST = 11.0
"""The least distance (CIE Lab) of two colors in one pattern to the eyes that see them worst."""
# What is seen of linear red, green and blue by those who lack one of three kinds of cones (Machado, Oliveira,
# Fernandes 2009, severity 1), and by those who see no colors.
SEEN = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    ((0.2126, 0.7152, 0.0722),) * 3,
)


@cache
def apart(a: str, b: str) -> float:
    """How far two colors are from each other to the eyes that see them worst."""
    return min(math.dist(one, two) for one, two in zip(_seen(a), _seen(b), strict=True))


@cache
def _seen(color: str) -> tuple[tuple[float, ...], ...]:
    """A color as CIE Lab to each kind of eye."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return tuple(_lab([min(max(_dot(row, linear), 0.0), 1.0) for row in matrix]) for matrix in SEEN)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _lab(linear: Sequence[float]) -> tuple[float, ...]:
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    ratios = [_dot(row, linear) / w for row, w in zip(to_xyz, white, strict=True)]
    x, y, z = (r ** (1 / 3) if r > 0.008856 else 7.787 * r + 16 / 116 for r in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _choices(tints: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tint and pattern pairs, neighbors differing in tint first and in pattern second; darker rounds follow
    without end.
    """
    wheel = len(tints) * len(PATTERNS)
    for k in count():
        tint = darker(tints[k % len(tints)], 1 - 0.93 ** (k // wheel))
        yield tint, PATTERNS[(k + k // len(tints)) % len(PATTERNS)]


def darker(color: str, share: float) -> str:
    """The color, darkened by a share from 0 to 1."""
    parts = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(part * (1 - share)):02x}" for part in parts)


def lettering_on(color: str) -> str:
    """What is read on the color: the same, much darker, or white on a dark one."""
    lightness = _seen(color)[0][0]  # 0 (black) to 100 (white)
    return "#ffffff" if lightness < 50 else darker(color, 0.75)
