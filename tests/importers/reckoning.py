"""An exact reckoner of battles by the rules of TripleA, written for the tests alone: it shares nothing with the project.

Every sum of dice of a round is unfolded by recursion. A side is a tuple of kinds and a tuple of how many of each are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import comb

SIDES = 6


@dataclass(frozen=True)
class Kind:
    """A kind of unit as an attacker or defender: what it hits at, what it is, what it costs."""

    name: str
    attack: int
    defense: int
    price: int = 0
    sub: bool = False
    destroyer: bool = False
    air: bool = False
    transport: bool = False
    infrastructure: bool = False
    hits: int = 1  # two: the first one damages, which changes nothing else


@dataclass(frozen=True)
class Rules:
    """The properties that a battle depends on, as TripleA names them; absent is false."""

    ww2v2: bool = False
    defending_subs_sneak: bool = False
    air_attack_sub_restricted: bool = False
    transport_casualties_restricted: bool = False
    low_luck: bool = False
    rounds: int | None = None  # a battle ends undecided after as many
    guns: int = 0  # of the defenders' guns: what they hit at, each aircraft once before the first round
    support: tuple[str, str, int, int] | None = (
        None  # of the attackers: who helps whom, by how much, how many each
    )


Side = tuple[int, ...]


def odds(
    attackers: Mapping[Kind, int], defenders: Mapping[Kind, int], rules: Rules = Rules()
) -> tuple[float, float, float]:
    """The chances that the attackers win, that the defenders do, and that nobody is left (or nobody can hit any more)."""
    attackers, defenders = (
        {**one, **{_damaged(k): 0 for k in one if k.hits > 1}} for one in (attackers, defenders)
    )
    kinds = (tuple(attackers), tuple(defenders))

    @cache
    def end(a: Side, d: Side, left: int | None) -> tuple[Fraction, Fraction, Fraction]:
        if not any(a) or not any(d):
            return (
                Fraction(any(a) and not any(d)),
                Fraction(any(d) and not any(a)),
                Fraction(not any(a) and not any(d)),
            )
        if rules.transport_casualties_restricted:
            bare = [
                all(n == 0 or k.transport for k, n in zip(ks, s, strict=True))
                for ks, s in zip(kinds, (a, d), strict=True)
            ]
            if bare == [True, False]:
                return end((0,) * len(a), d, left)
            if bare == [False, True]:
                return end(a, (0,) * len(d), left)
        if left == 0:
            return (Fraction(0), Fraction(0), Fraction(1))
        found, stay = [Fraction(0)] * 3, Fraction(0)
        for p, after in round_(kinds, a, d, rules):
            if after == (a, d) and left is None:
                stay += p
                continue
            for k, q in enumerate(end(*after, None if left is None else left - 1)):
                found[k] += p * q
        if stay == 1:
            return (Fraction(0), Fraction(0), Fraction(1))
        return (found[0] / (1 - stay), found[1] / (1 - stay), found[2] / (1 - stay))

    total = [Fraction(0)] * 3
    for p, shot in _shot_down(tuple(attackers), tuple(attackers.values()), rules):
        for k, q in enumerate(end(shot, tuple(defenders.values()), rules.rounds)):
            total[k] += p * q
    return float(total[0]), float(total[1]), float(total[2])


def _damaged(kind: Kind) -> Kind:
    return replace(kind, name=f"{kind.name}, damaged", hits=1)


def _shot_down(kinds: tuple[Kind, ...], side: Side, rules: Rules) -> Iterator[tuple[Fraction, Side]]:
    """What guns leave of the attackers; they have one kind of aircraft at most."""
    air = [k for k, kind in enumerate(kinds) if kind.air and side[k]]
    if not rules.guns or not air:
        yield Fraction(1), side
        return
    (at,), p = air, Fraction(rules.guns, SIDES)
    n = side[at]
    if rules.low_luck:
        sure, rest = divmod(n * rules.guns, SIDES)
        chances = {sure: Fraction(SIDES - rest, SIDES), sure + 1: Fraction(rest, SIDES)}
    else:
        chances = {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}
    for k, q in chances.items():
        if q:
            yield q, (*side[:at], n - k, *side[at + 1 :])


def round_(
    kinds: tuple[tuple[Kind, ...], ...], a: Side, d: Side, rules: Rules
) -> Iterator[tuple[Fraction, tuple[Side, Side]]]:
    """Every end of a round with its chance: submarines that strike first, then whoever has not fired, at the same time."""
    has_destroyer = [
        any(k.destroyer and n for k, n in zip(ks, s, strict=True))
        for ks, s in zip(kinds, (a, d), strict=True)
    ]
    sneaks = (not has_destroyer[1], not has_destroyer[0] and (rules.ww2v2 or rules.defending_subs_sneak))
    early = [
        rules.ww2v2 or sneaks[side] for side in (0, 1)
    ]  # in the second edition all submarines fire in their own phase
    # hits of submarines in their phase
    for pa, first_a in hits(kinds[0], a, 0, rules, has_destroyer, subs=True, fire=early[0]):
        for pd, first_d in hits(kinds[1], d, 1, rules, has_destroyer, subs=True, fire=early[1]):
            a1 = take(kinds[0], a, 0, first_d, rules) if sneaks[1] else a
            d1 = take(kinds[1], d, 1, first_a, rules) if sneaks[0] else d
            wait_a = first_a if not sneaks[0] else None
            wait_d = first_d if not sneaks[1] else None
            for qa, sub_a in hits(kinds[0], a1, 0, rules, has_destroyer, subs=True, fire=not early[0]):
                for qd, sub_d in hits(kinds[1], d1, 1, rules, has_destroyer, subs=True, fire=not early[1]):
                    for ra, rest_a in hits(kinds[0], a1, 0, rules, has_destroyer, subs=False, fire=True):
                        for rd, rest_d in hits(kinds[1], d1, 1, rules, has_destroyer, subs=False, fire=True):
                            d2, a2 = d1, a1
                            for more in (wait_a, sub_a, rest_a):
                                d2 = take(kinds[1], d2, 1, more, rules) if more else d2
                            for more in (wait_d, sub_d, rest_d):
                                a2 = take(kinds[0], a2, 0, more, rules) if more else a2
                            yield pa * pd * qa * qd * ra * rd, (a2, d2)


Hits = tuple[tuple[str, int], ...]
"""Hits by what they cannot hit: `air`, `sub` or nothing."""


def hits(
    kinds: tuple[Kind, ...],
    side: Side,
    which: int,
    rules: Rules,
    destroyers: list[bool],
    *,
    subs: bool,
    fire: bool,
) -> Iterator[tuple[Fraction, Hits]]:
    """The hits of those of a side that fire now, with their chances."""
    pools: dict[str, list[tuple[int, int]]] = {}
    for kind, n in zip(kinds, side, strict=True):
        if not fire or not n or kind.sub != subs:
            continue
        spared = "air" if kind.sub else ""
        if kind.air and rules.air_attack_sub_restricted and not destroyers[which]:
            spared = "sub"
        value, helped = (kind.attack if which == 0 else kind.defense), 0
        if rules.support is not None and which == 0 and kind.name == rules.support[1]:
            givers = sum(m for other, m in zip(kinds, side, strict=True) if other.name == rules.support[0])
            helped = min(n, givers * rules.support[3])
            pools.setdefault(spared, []).append((helped, value + rules.support[2]))
        pools.setdefault(spared, []).append((n - helped, value))
    out: list[tuple[Fraction, Hits]] = [(Fraction(1), ())]
    for spared, shots in sorted(pools.items(), reverse=True):  # those that fewer can take come first
        if rules.low_luck:
            power = sum(n * value for n, value in shots)
            sure, rest = divmod(power, SIDES)
            chances = {sure: Fraction(SIDES - rest, SIDES), sure + 1: Fraction(rest, SIDES)}
        else:
            chances = {0: Fraction(1)}
            for n, value in shots:
                p = Fraction(value, SIDES)
                more: dict[int, Fraction] = {}
                for k in range(n + 1):
                    for before, q in chances.items():
                        more[before + k] = more.get(before + k, Fraction(0)) + q * comb(n, k) * p**k * (
                            1 - p
                        ) ** (n - k)
                chances = more
        out = [(q * p, (*found, (spared, n))) for q, found in out for n, p in chances.items() if p]
    yield from out


def take(kinds: tuple[Kind, ...], side: Side, which: int, found: Hits, rules: Rules) -> Side:
    """A side after hits: the weakest go first, the cheaper of equals; transports never, if the rules restrict that."""
    left = list(side)
    order = sorted(
        range(len(kinds)), key=lambda k: (kinds[k].attack if which == 0 else kinds[k].defense, kinds[k].price)
    )
    for spared, n in sorted(found, key=lambda one: one[0], reverse=True):
        for k in order:
            if (
                kinds[k].hits > 1
                and not (spared == "air" and kinds[k].air)
                and not (spared == "sub" and kinds[k].sub)
            ):
                hurt = min(n, left[k])  # damage is taken before anybody is lost
                left[k] -= hurt
                left[kinds.index(_damaged(kinds[k]))] += hurt
                n -= hurt
        for k in order:
            if (spared == "air" and kinds[k].air) or (spared == "sub" and kinds[k].sub):
                continue
            if rules.transport_casualties_restricted and kinds[k].transport:
                continue
            gone = min(n, left[k])
            left[k] -= gone
            n -= gone
    return tuple(left)
