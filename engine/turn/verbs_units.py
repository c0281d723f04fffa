"""The verbs that make, take away and alter units and works: what stands on the map, changed outside movement
and battle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.model import Row
from ..core.state import Entity, pair_key, works_on
from ..world.messages import printed
from ..world.selections import as_set
from ..world.treasury import held_places
from ..world.world import round_as
from .effects import EffectError, EffectRunner


def stands_for_one(names: Mapping[str, Any], chosen: Sequence[Entity]) -> bool:
    """Whether the units of a verb are the `unit` of a `for` around it, which comes by once for each of a
    stack: one at a time.
    """
    return "unit" in names and tuple(chosen) == (names["unit"],)


def set_works(runner: EffectRunner, place: str, facing: str, works: Any) -> None:
    """Works of a place on its border with another; None or "none" clears them."""
    runner.journal.set(
        "links", pair_key(place, facing), works_on(place), works if works not in (None, "none", "") else None
    )


def create(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """New units, facilities or works at places. A kind that is a field of places is a facility and is set
    there.

    Units without an owner that is named (`for`) are those of the holder of the place; of a part of a place,
    of the whole.
    """
    listed = runner.plain(p["units"], names)
    if isinstance(listed, dict):  # the units that an order lists, by kind
        for each, number in sorted(listed.items()):
            create(runner, {**p, "units": each, "n": int(number)}, names)
        return
    kind = str(listed)
    ruleset = runner.world.ruleset
    places = as_set(runner.world, runner.set(p["at"], names)) if "at" in p else ()
    n = int(runner.amount(p.get("n", 1), names))
    if ruleset.has("units", kind):
        owner = runner.id_of(p["for"], names) if "for" in p else None
        for place in places:
            whose = owner or runner.world.holder_of(runner.world.whole_of(place.id))
            if whose is None:
                raise EffectError(
                    f"nobody holds {printed(runner.world, place)}, so new units there would be nobody's"
                )
            made = n if "pool" not in p else min(n, left_in_pool(runner, whose, kind, p["pool"]))
            if made > 0:
                runner.journal.units(whose, kind, place.id, made)
                runner.journal.fact("placed", by=whose, place=place.id, kind=kind, n=made)
    elif "facing" in p:
        for place in places:
            for other in as_set(runner.world, runner.who(p["facing"], names)):
                set_works(runner, place.id, other.id, kind)
    elif kind.replace("-", "_") in ruleset.rows("fields"):
        for place in places:
            runner.journal.set("places", place.id, kind.replace("-", "_"), True)
    else:
        raise EffectError(f"no kind of unit, works or facility is called {kind}")


def left_in_pool(runner: EffectRunner, owner: str, kind: str, field: str) -> int:
    """How many more units of a kind an owner may have on the map, by a field of the kind that says how many
    there are.
    """
    there = sum(r["n"] for _, r in runner.world.state.stacks(owner=owner) if r["kind"] == kind)
    left: int = int(runner.world.unit_row(kind, owner).get(field, there)) - int(there)
    return max(0, left)


def remove(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Losses outside battle: all of a selection, a number, or a share (spread over the kinds in turn).

    With `to` the units are not destroyed but go over to that nation.
    """
    chosen = _stacks(runner, p, names)
    total = sum(n for _, n in chosen)
    if "share" in p:
        share = Fraction(runner.world.number(p["share"], names))
        wanted = int(round_as(total * share, p.get("round", "down")))
    elif "n" in p:
        wanted = min(total, int(runner.amount(p["n"], names, every=total)))
    else:
        wanted = total
    cause = p.get("cause", "effect")
    for key, n in spread(
        chosen,
        wanted,
        by_kind=p.get("spread") == "kind",
        kind_of=lambda k: runner.world.state.get("units", k, "kind"),
    ):
        if "to" in p:
            runner.journal.alter_units(key, n, owner=runner.id_of(p["to"], names))
        else:
            runner.turn.destroy(key, n, cause=cause)


def _stacks(runner: EffectRunner, p: Row, names: dict[str, Any]) -> list[tuple[str, int]]:
    if "units" in p:
        chosen = as_set(runner.world, runner.set(p["units"], names))
        single = stands_for_one(names, chosen) and p.get("n") != "all"
        return [(t.id, 1 if single else runner.world.state.get("units", t.id, "n", 0)) for t in chosen]
    places = as_set(runner.world, runner.set(p["at"], names)) if "at" in p else None
    owner = runner.id_of(p["of"], names) if "of" in p else None
    found = (
        runner.world.state.stacks(owner=owner)
        if places is None
        else [s for pl in places for s in runner.world.state.stacks(at=pl.id, owner=owner)]
    )
    return [(k, row["n"]) for k, row in found]


def spread(
    stacks: list[tuple[str, int]], wanted: int, *, by_kind: bool, kind_of: Any
) -> list[tuple[str, int]]:
    """How many of each stack go: stack after stack, or one of each kind in turn, until `wanted` are found."""
    if not by_kind:
        out = []
        for key, n in stacks:
            part = min(n, wanted)
            wanted -= part
            if part:
                out.append((key, part))
        return out
    left = dict(stacks)
    gone: dict[str, int] = {}
    kinds: dict[str, list[str]] = {}
    for key, _ in stacks:
        kinds.setdefault(str(kind_of(key)), []).append(key)
    while wanted > 0 and any(left.values()):
        # the most numerous kind first
        for keys in sorted(kinds.values(), key=lambda of_kind: -sum(left[k] for k in of_kind)):
            chosen = next((k for k in keys if left[k] > 0), None)
            if chosen is not None and wanted > 0:
                left[chosen] -= 1
                gone[chosen] = gone.get(chosen, 0) + 1
                wanted -= 1
    return list(gone.items())


def convert(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Units change owner, kind or condition, or several declared fields at once (`set`)."""
    said = {**{k: p[k] for k in ("kind", "condition") if k in p}, **p.get("set", {})}
    fields: dict[str, Any] = {k: unless_default(runner, k, runner.plain(v, names)) for k, v in said.items()}
    if "owner" in p:
        fields["owner"] = runner.id_of(p["owner"], names)
    chosen = as_set(runner.world, runner.set(p["units"], names))
    if "listed" in p:
        for key, n in _of_list(runner, chosen, runner.plain(p["listed"], names)):
            runner.journal.alter_units(key, n, **fields)
        return
    single = stands_for_one(names, chosen)
    for unit in chosen:
        now = int(runner.world.state.get("units", unit.id, "n", 0))
        if now:
            n = 1 if single else now
            if "n" in p:
                n = int(runner.amount(p["n"], names, every=now))
            runner.journal.alter_units(unit.id, min(n, now), **fields)


def _of_list(
    runner: EffectRunner, chosen: Sequence[Entity], listed: Mapping[str, int]
) -> list[tuple[str, int]]:
    """Which units of a set are those that an order lists by kind: stack after stack, in order of their
    ids.
    """
    stacks = sorted((t.id, dict(runner.world.state.row("units", t.id))) for t in chosen)
    out = []
    for kind, wanted in sorted(listed.items()):
        out += spread(
            [(k, int(r["n"])) for k, r in stacks if r.get("kind") == kind],
            int(wanted),
            by_kind=False,
            kind_of=None,
        )
    return out


def unless_default(runner: EffectRunner, field: str, value: Any) -> Any:
    """None for the declared default of a field, so that units in their ordinary condition are one stack."""
    declared = runner.world.ruleset.rows("fields").get(field)
    return None if declared is not None and declared.get("default") == value else value


def send_home(runner: EffectRunner, place: str, stays: str) -> None:
    """Puts all units of a place but those of one nation into the nearest that their own holds; without one
    they are lost.
    """
    kind = runner.world.ruleset.row("places", place).get("kind")
    steps = runner.world.geography.distances(place)
    for key, row in sorted(runner.world.state.stacks(at=place)):
        if row["owner"] == stays:
            continue
        homes = [
            q
            for q in held_places(runner.world, row["owner"])
            if runner.world.ruleset.row("places", q).get("kind") == kind
        ]
        if homes:
            runner.journal.alter_units(
                key, row["n"], place=min(homes, key=lambda q: (steps.get(q, 10_000), q))
            )
        else:
            runner.turn.destroy(key, row["n"], cause="nowhere to go")


def relocate(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Puts units (or `n` of them) elsewhere without a move: the nearest, the first or a drawn place; `else`
    stay or lost.
    """
    places = [t.id for t in as_set(runner.world, runner.set(p["to"], names))]
    left = int(runner.world.number(p["n"], names)) if "n" in p else None
    for unit in as_set(runner.world, runner.set(p["units"], names)):
        row = runner.world.state.row("units", unit.id)
        going = int(row.get("n", 0)) if left is None else min(left, int(row.get("n", 0)))
        if not going:
            continue
        left = None if left is None else left - going
        if not places:
            if p.get("else") == "lost":
                runner.turn.destroy(unit.id, going, cause="nowhere to go")
            continue
        here = row["place"]
        how = p.get("by", "nearest")
        if how == "draw":
            to = runner.stream().choice(places)
            runner.note_dice()
        elif how == "first":
            to = places[0]
        else:
            steps = runner.world.geography.distances(here)
            to = min(places, key=lambda q: (steps.get(q, 10_000), q))
        runner.journal.alter_units(unit.id, going, place=to)
