"""Moves as the checker, the list of legal orders and the policies ask about them: who stands where, and where
they may go.

All of it is asked of `routes`, of a nation's view. Here is only what those readers share: what a row of the
form `orders` moves by, and groups of kinds that can go the same ways. What one order means is
`units/march.understand`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..core.model import Row, Ruleset
from ..core.rows import MovementRow
from ..ruleset import order_syntax
from ..ruleset.expressions import parse
from ..units.attacking import cannot_attack
from ..world import routes
from ..world.world import World

UNITS, ORIGIN, TARGET, VIA, CARGO = "units", "origin", "target", "via", order_syntax.CARGO


def mode_of(ruleset: Ruleset, row: Row) -> MovementRow | None:
    """The mode that an order's units go by; None if the order moves nothing."""
    return ruleset.rows("movement").get(row.get("does", "")) if UNITS in row.get("slots", {}) else None


def free_units(world: World, nation: str, place: str) -> dict[str, int]:
    """How many units of each kind a nation has at a place that an order could move."""

    def make() -> dict[str, int]:
        out: dict[str, int] = {}
        for _, row in routes.free_stacks(world, nation, place):
            out[row["kind"]] = out.get(row["kind"], 0) + int(row["n"])
        return dict(sorted(out.items()))

    standing: dict[str, int] = world.keep(("free units", nation, place), routes.decided_by(world, None), make)
    return standing


def able_to_leave(world: World, nation: str, mode: MovementRow | None, place: str) -> dict[str, int]:
    """Of the units that an order could move those that may leave the place by a mode, of each kind: where
    some must stay (`leaves`), no more of a kind than may go of all."""
    counts = free_units(world, nation, place)
    most = None if mode is None else routes.may_leave(world, nation, mode, place)
    return counts if most is None else {k: min(n, most) for k, n in counts.items() if most}


def fewer(units: Mapping[str, int], most: int | None) -> dict[str, int]:
    """No more than `most` of some units: of the most numerous kinds fewer."""
    out = dict(units)
    while most is not None and out and sum(out.values()) > most:
        kind = max(out, key=lambda k: out[k])
        out[kind] -= 1
        if not out[kind]:
            del out[kind]
    return out


def places_with_units(world: World, nation: str) -> list[str]:
    """The places where a nation has units, in order."""

    def make() -> list[str]:
        return sorted({row["place"] for _, row in world.state.stacks(owner=nation)})

    return world.keep(("places with units", nation), ("units",), make)


def beside(world: World, place: str) -> list[str]:
    """The places next to a place, to what it is a part of and to its own parts, in order."""
    wholes = {place, world.whole_of(place)}
    parts = {p for p, row in world.ruleset.rows("places").items() if row.get("part_of") in wholes}
    return sorted({near for one in wholes | parts for near in world.geography.next_to(one)} - wholes - parts)


def goes_by(world: World, mode: MovementRow, kind: str) -> bool:
    """Whether a kind of unit goes by a mode at all."""
    if not routes.kind_matches(world, mode.get("who"), kind):
        return False
    return not (mode.get("except") and routes.kind_matches(world, mode["except"], kind))


def targets(
    world: World, nation: str, mode: MovementRow, origin: str, kind: str, count: int = 0
) -> tuple[str, ...]:
    """Every place where units of a kind, standing at a place, may go by a mode; attacks included where they
    may attack.

    With `count` only those that a way with room for so many leads to.
    """

    def make() -> tuple[str, ...]:
        units = routes.one_of_each(world, nation, origin, [kind], again=bool(mode.get("again")))
        if units is None:
            return ()
        going = routes.Going(world, nation, mode, units, count=count)
        if routes.going_refusal(going, origin) is not None:
            return ()
        if _component_only(mode):
            return _joined(going, origin, kind)
        out = []
        for place, (_, path) in sorted(routes.ways(going, origin).items()):
            if routes.is_attack(world, nation, place) and cannot_attack(going, path) is not None:
                continue
            out.append(place)
        return tuple(out)

    asked = ("targets", nation, mode["id"], origin, kind, count)
    return world.keep(asked, routes.decided_by(world, mode), make)


def room_to(
    world: World,
    nation: str,
    mode: MovementRow,
    origin: str,
    kinds: Collection[str],
    ends: Sequence[str],
    most: int,
) -> dict[str, int]:
    """How many of `most` units of these kinds there is room for on the way to each of some places; none where
    there is none."""
    if "pass" not in routes.draws(mode):
        left = {end: routes.room_left(world, mode, (origin, end)) for end in ends}
        return {
            end: n for end, room in left.items() if (n := most if room is None else min(most, int(room))) > 0
        }
    out: dict[str, int] = {}

    def find(n: int) -> bool:
        open_ = set.intersection(*(set(targets(world, nation, mode, origin, kind, n)) for kind in kinds))
        out.update({end: n for end in ends if end in open_ and end not in out})
        return len(out) == len(ends)

    if ends and not find(most):
        any(find(n) for n in _rooms(world, mode) if n < most)  # until every end is found
    return out


def _rooms(world: World, mode: MovementRow) -> list[int]:
    """What places have left of a mode's capacity, where anything is; the most first."""

    def make() -> list[int]:
        each = ((place, routes.capacity(world, mode, place)) for place in world.ruleset.rows("places"))
        left = {int(most) - routes.used(world, mode, place) for place, most in each if most is not None}
        return sorted((room for room in left if room > 0), reverse=True)

    rooms: list[int] = world.keep(("rooms of ways", mode["id"]), routes.decided_by(world, mode), make)
    return rooms


def can_go(world: World, nation: str, mode: MovementRow, origin: str, target: str, kind: str) -> bool:
    """Whether units of a kind, standing at a place, may go to another (into a fight, too, if they may attack
    there)."""

    def make() -> bool:
        going = routes.begin(world, nation, mode, origin, [kind])
        if going is None:
            return False
        path, why = routes.way(going, origin, target)
        if path is None or why is not None:
            return False
        hostile = bool(mode.get("attacks")) or routes.is_attack(world, nation, target)
        return not hostile or cannot_attack(going, path) is None

    asked = ("can go", nation, mode["id"], origin, target, kind)
    return world.keep(asked, routes.decided_by(world, mode), make)


def _component_only(mode: MovementRow) -> bool:
    """Whether a mode has no allowance and tests that do not ask for the way: then all who are
    joined can go."""
    if mode.get("steps") is not None or mode.get("stop"):
        return False
    return all(
        not isinstance(mode.get(key), str) or not parse(mode[key]).names & {"path", "link"}
        for key in ("enter", "pass", "end")
    )


def _joined(going: routes.Going, origin: str, kind: str) -> tuple[str, ...]:
    """The ends of unlimited ways from a place: one search for every set of places that are joined."""
    world, nation, mode, count = going.world, going.nation, going.mode, going.count
    grade = world.grade(nation, kind)
    key = ("joined", nation, mode["id"], kind, grade, count)
    parts: list[tuple[set[str], tuple[str, ...]]] = world.keep(key, routes.decided_by(world, mode), list)
    for inside, ends in parts:
        if origin in inside:
            return tuple(p for p in ends if p != origin)
    reached = routes.ways(going, origin)
    ends = tuple(
        sorted({*reached, *([origin] if going.test("end", origin, f"{origin}>{origin}", (origin,)) else ())})
    )
    if mode.get("fights") is False:
        ends = tuple(p for p in ends if not routes.is_attack(world, nation, p))
    # only places that may be passed join others to the set
    parts.append(
        ({p for p in (*reached, origin) if going.test("pass", p, f"{p}>{p}", (p,))} | {origin}, ends)
    )
    return tuple(p for p in ends if p != origin)


def nearest_of(world: World, places: Iterable[str], wanted: str, count: int = 3) -> list[str]:
    """The places nearest to one that was asked for."""
    far = 10_000
    reach = world.geography.distances(wanted)
    return sorted(places, key=lambda p: (reach.get(p, far), p))[:count]


def grouped(
    counts: Mapping[str, int], of: Mapping[str, tuple[str, ...]]
) -> list[tuple[dict[str, int], tuple[str, ...]]]:
    """Kinds that have the same targets together: ({kind: number}, targets), those without targets left
    out."""
    groups: dict[tuple[str, ...], dict[str, int]] = {}
    for kind, number in counts.items():
        if of.get(kind):
            groups.setdefault(of[kind], {})[kind] = number
    return [(kinds, ends) for ends, kinds in groups.items()]
