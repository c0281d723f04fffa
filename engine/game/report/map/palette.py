"""Colours and patterns that keep owners apart, also for readers who see few colours.

Groups (sides) differ in hue along the blue-orange axis, which colour-blind readers keep; owners of one group differ in lightness
and in pattern. No two owners get the same colour and pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from .model import PATTERNS, Owner

# Each family: tints of one hue. The first two families are the far ends of what a red-green blind reader sees.
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("#e39a5c", "#f0bf8a", "#d4a017", "#f6d9a8"),
    ("#7fb1de", "#a9cdec", "#8fa3e0", "#c7dbf3"),
    ("#c58fb4", "#dcb6d0", "#b3a0c8", "#ecd6e4"),
    ("#7fbfae", "#a9d8c8", "#92b594", "#c9e6da"),
)
ALONE = ("#efe3a8", "#bcc6cc", "#e6c9b8", "#c8d3a4", "#f2efe6", "#b9aa98", "#d8cbe2", "#d9d4c5")
UNOWNED = "#efece4"


def coloured(owners: Iterable[Owner], groups: Sequence[str] = ()) -> tuple[Owner, ...]:
    """The owners, those without a colour given one and a pattern; the order of owners and groups decides, so it is repeatable.

    groups: the groups in the order in which they get a family of colours; by default as the owners name them. Owners of no
    group, and those of groups beyond the number of families, get greys and pale tints. Colours that owners bring are kept.
    """
    listed = tuple(owners)
    order = list(dict.fromkeys([*groups, *(owner.group for owner in listed)]))
    families = dict(zip((group for group in order if group), FAMILIES, strict=False))
    taken = {(owner.colour.lower(), owner.pattern) for owner in listed if owner.colour}
    done = []
    for owner in listed:
        if not owner.colour:
            tints = families.get(owner.group, ALONE)
            colour, pattern = next(pair for pair in _choices(tints) if pair not in taken)
            taken.add((colour, pattern))
            owner = replace(owner, colour=colour, pattern=pattern)
        done.append(owner)
    return tuple(done)


def _choices(tints: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tint and pattern pairs, neighbours differing in tint first and in pattern second; darker rounds follow without end."""
    wheel = len(tints) * len(PATTERNS)
    for k in count():
        tint = darker(tints[k % len(tints)], 1 - 0.93 ** (k // wheel))
        yield tint, PATTERNS[(k + k // len(tints)) % len(PATTERNS)]


def darker(colour: str, share: float) -> str:
    """The colour, darkened by a share from 0 to 1."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(part * (1 - share)):02x}" for part in parts)
