"""Forces: units under one order for part of a turn. Made, moved, joined, sent home and dissolved here and
nowhere else.

A force is a row of the table `forces`: `nation#0001` -> {owner, order, mode, from, at, path, to, mission,
stance, options, targets, moved ...}. Its units are stacks with the field `force`; they stand where the force
is. An attacking force stands in the place it attacks. Units that take part from where they stand have a force
of their own there, with `stays: true` and the place they act upon in `targets`. Cargo stands where its
carriers are and has their force's id in `aboard`, and the owner of those in `host` if that is an ally.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from ..core.choices import as_slot
from ..core.messages import Message
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity, Fields, State
from ..turn.context import Turn, audience_ids
from ..world import routes
from ..world.messages import say

Pick = tuple[str, int]
"""Some units of one stack: its key, and how many."""

AFLOAT = "afloat"
"""What `aboard` says of cargo whose carriers have no orders."""

PASSING = ("force", "via", "landed", "moved", "aboard", "host")
"""Fields that stacks carry only while forces are about."""


def told(turn: Turn, mode: MovementRow, nation: str, says: Message | None) -> dict[str, Any]:
    """What an entry about a move `says`, and its `audience`: its nation, or whom its mode names; others read
    whose it is.
    """
    readers = audience_ids(
        turn.world, mode.get("audience", nation), {k: Entity("nation", nation) for k in ("self", "nation")}
    )
    if says is not None and readers != (nation,):
        says = say(turn.world, "{nation}: {said}", nation=Entity("nation", nation), said=says)
    return {"says": says, "audience": readers}


def unit_slots(row: Row) -> list[tuple[str, str]]:
    """The slots of an order that hold units, each with the slot that says where they stand (`at`; else
    `origin`).
    """
    declared = {name: as_slot(slot) for name, slot in row.get("slots", {}).items()}
    return [(n, str(slot.get("at", "origin"))) for n, slot in declared.items() if slot["kind"] == "units"]


def starts_at(row: Row) -> str:
    """The slot of an order that says where its `units` stand."""
    return dict(unit_slots(row)).get("units", "origin")


def whose(row: Row, slots: Mapping[str, Any], nation: str, slot: str = "units") -> str:
    """Whose units a slot of an order names: the nation's that gives it, or those of the one that another slot
    names (`of`).
    """
    of = as_slot(row.get("slots", {}).get(slot)).get("of")
    return str(slots.get(of) or nation) if of is not None else nation


def mode_of(turn: Turn, force: str) -> MovementRow:
    """The row of `movement` by which a force goes; one without keys if it goes by none."""
    return turn.ruleset.row_or_empty("movement", str(turn.state.get("forces", force, "mode", "")))


def stacks_of(state: State, force: str) -> list[tuple[str, Fields]]:
    """The stacks of a force (its cargo left out), in order of their ids."""
    row = state.row("forces", force)
    return (
        [(k, r) for k, r in state.stacks(at=row["at"], owner=row["owner"]) if r.get("force") == force]
        if row
        else []
    )


def cargo_of(state: State, force: str) -> list[tuple[str, Fields]]:
    """The stacks aboard a force, of all owners."""
    row = state.row("forces", force)
    return [(k, r) for k, r in state.stacks(at=row["at"]) if r.get("aboard") == force] if row else []


def attached(state: State, force: str) -> list[str]:
    """Forces that have been told to go with a force (`covers`: owner and number of it), and are where it
    is.
    """
    row = state.row("forces", force)
    mine = [row.get("owner"), row.get("number")]
    if None in mine:
        return []
    those = sorted(state.table("forces").items())
    return [f for f, r in those if r.get("covers") == mine and r["at"] == row["at"] and f != force]


def company(state: State, force: str) -> list[tuple[str, Fields]]:
    """The stacks of a force and of those attached to it."""
    return [
        *stacks_of(state, force),
        *(stack for other in attached(state, force) for stack in stacks_of(state, other)),
    ]


def strength(state: State, force: str) -> dict[str, int]:
    """How many units of each kind a force has."""
    return by_kind((row["kind"], row["n"]) for _, row in stacks_of(state, force))


def kinds_of(state: State, picks: Iterable[Pick]) -> dict[str, int]:
    """How many units of each kind some picks are."""
    return by_kind((str(state.get("units", key, "kind")), n) for key, n in picks)


def by_kind(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Kinds with their numbers, added up, by their names."""
    out: dict[str, int] = {}
    for kind, n in counts:
        out[kind] = out.get(kind, 0) + n
    return dict(sorted(out.items()))


def wanted(units: Mapping[str, Any]) -> dict[str, int] | str:
    """The units that an order names, by kind, or why they are none: each number is at least 1."""
    found = {kind: int(n) for kind, n in units.items()}
    if not found:
        return "it names no units"
    return "the number must be at least 1" if min(found.values()) < 1 else found


def pick(
    stacks: Sequence[tuple[str, Fields]], wanted: Mapping[str, int], last: Container[str] = ()
) -> list[Pick] | None:
    """The wanted numbers of kinds out of stacks, plain stacks first, those of `last` after all others; None
    if there are not enough."""
    out: list[Pick] = []
    for kind in sorted(wanted):
        left = int(wanted[kind])
        for key, row in sorted(stacks, key=lambda s: (s[0] in last, len(s[1]), s[0])):
            if row["kind"] == kind and left:
                part = min(left, row["n"])
                out.append((key, part))
                left -= part
        if left:
            return None
    return out


def pick_left(
    stacks: Iterable[tuple[str, Fields]], wanted: Mapping[str, int], left: Mapping[str, int]
) -> list[Pick] | None:
    """The wanted numbers of kinds out of what earlier orders leave of stacks; None if there are not enough.

    `left`: how many units are left of a stack, by its key; of a stack that is not in it, all.
    """
    rest = [(key, {**row, "n": left.get(key, row["n"])}) for key, row in stacks]
    return pick([stack for stack in rest if stack[1]["n"]], wanted)


def take(state: State, picks: Iterable[Pick], left: dict[str, int]) -> None:
    """Note in `left` that an order takes these units, so that later ones do not."""
    for key, n in picks:
        left[key] = left.get(key, int(state.get("units", key, "n", 0))) - n


def next_id(state: State, nation: str) -> str:
    """A number that no force of the nation has had this turn."""
    last = int(state.get("game", "game", "forces", {}).get(nation, 0))
    return f"{nation}#{last + 1:04d}"


def create(turn: Turn, nation: str, place: str, picks: Sequence[Pick], **fields: Any) -> str:
    """A new force of these units at a place; returns its id.

    The units keep their place; `fields` go into the force's row.
    """
    force = next_id(turn.state, nation)
    numbers = {**turn.state.get("game", "game", "forces", {}), nation: int(force.rpartition("#")[2])}
    turn.journal.set("game", "game", "forces", numbers)
    row = {"owner": nation, "at": place, "from": place, "path": [place], **fields}
    turn.journal.put_row("forces", force, {k: v for k, v in row.items() if v is not None})
    for key, n in picks:
        turn.journal.alter_units(key, n, force=force)
    return force


def go(
    turn: Turn, force: str, path: Sequence[str], fields: Callable[[str], Mapping[str, Any]] = lambda key: {}
) -> None:
    """Move a force, with its cargo, along a way that begins where it is. Its stacks get `via`, and the fields
    that `fields` gives for the key of each, asked before it goes.
    """
    if len(path) < 2:
        return
    state, journal = turn.state, turn.journal
    moving, cargo = stacks_of(state, force), cargo_of(state, force)
    row = state.row("forces", force)
    journal.set("forces", force, "at", path[-1])
    journal.set("forces", force, "path", [*row.get("path", ()), *path[1:]])
    journal.set("forces", force, "moved", True)
    via = f"{path[-2]}>{path[-1]}"
    for key, stack in moving:
        journal.alter_units(key, stack["n"], place=path[-1], via=via, **fields(key))
    for key, stack in cargo:
        journal.alter_units(key, stack["n"], place=path[-1])


def join(turn: Turn, force: str, into: str) -> None:
    """The units and cargo of a force go over to another of the same owner at the same place; the first is no
    more.
    """
    for key, stack in stacks_of(turn.state, force):
        turn.journal.alter_units(key, stack["n"], force=into)
    for key, stack in cargo_of(turn.state, force):
        turn.journal.alter_units(key, stack["n"], aboard=into)
    turn.journal.put_row("forces", force, None)


def split(turn: Turn, force: str, picks: Sequence[Pick], **fields: Any) -> str:
    """Some units of a force become a force of their own with the same row, but for `fields`."""
    row = dict(turn.state.row("forces", force))
    nation = row.pop("owner")
    place = row.pop("at")
    return create(turn, nation, place, picks, **{**row, **fields})


def release(turn: Turn, force: str, *, afloat: bool = False) -> None:
    """End a force: its units become plain units of the place they stand in.

    With `afloat` its cargo stays aboard.
    """
    cargo = cargo_of(turn.state, force)
    for key, stack in stacks_of(turn.state, force):
        turn.journal.alter_units(key, stack["n"], **dict.fromkeys(PASSING))
    for key, stack in cargo:
        kept = _kept_aboard(turn, force, stack) if afloat else {}
        turn.journal.alter_units(key, stack["n"], **{**dict.fromkeys(PASSING), **kept})
    turn.journal.put_row("forces", force, None)


def _kept_aboard(turn: Turn, force: str, stack: Row) -> dict[str, Any]:
    """What cargo of a force keeps that stays aboard when the force ends."""
    return {} if is_guest(turn, force, stack["kind"]) else {"aboard": AFLOAT, "host": stack.get("host")}


def is_guest(turn: Turn, force: str, kind: str) -> bool:
    """Whether units of a kind that are aboard a force live on its bearers (`bears` of its mode), rather than
    being its cargo.
    """
    bears = mode_of(turn, force).get("bears")
    return bears is not None and routes.kind_matches(turn.world, bears["who"], kind)


def afloat_at(state: State, nation: str, place: str, host: str | None = None) -> list[tuple[str, Fields]]:
    """Stacks of a nation aboard carriers of its own, or of a host, that lie at a place without orders."""
    there = state.stacks(at=place, owner=nation)
    return [
        (k, r) for k, r in there if r.get("aboard") == AFLOAT and r.get("host", nation) == (host or nation)
    ]


def carried_at(state: State, nation: str, place: str) -> list[tuple[str, Fields]]:
    """Stacks aboard the carriers of a nation that lie at a place without orders: its own, then those of
    allies.
    """
    there = [
        s
        for s in state.stacks(at=place)
        if s[1].get("aboard") == AFLOAT and s[1].get("host", s[1]["owner"]) == nation
    ]
    return sorted(there, key=lambda s: s[1]["owner"] != nation)


def ordered_from(turn: Turn, nation: str, place: str) -> dict[str, int]:
    """How many units of each kind open orders of a nation name that stand in a place."""
    out: dict[str, int] = {}
    for order in turn.orders(nation=nation):
        slots = order.get("slots", {})
        if (
            order.get("status") is None
            and slots.get("origin") == place
            and isinstance(slots.get("units"), Mapping)
        ):
            for kind, n in slots["units"].items():
                out[kind] = out.get(kind, 0) + int(n)
    return out


def mark(turn: Turn, force: str, mission: Row) -> None:
    """The units of a force wear for the rest of the turn what its mission says (`marks`)."""
    for key, stack in stacks_of(turn.state, force) if "sets" in mission else ():
        turn.journal.alter_units(key, stack["n"], **mission["sets"])


def withdraw(turn: Turn, force: str, to: str, only: Container[str] | None = None) -> list[str]:
    """The units of a force go to another place: plain units there (their keys), marked as moved; its cargo
    stays aboard.

    `only` some of its stacks: as long as there are others the force goes on, and its cargo stays with it.
    """
    carries = "carries" in mode_of(turn, force)
    plain = {**dict.fromkeys(PASSING), "moved": True, "place": to}
    cargo = cargo_of(turn.state, force)
    going = [(key, stack) for key, stack in stacks_of(turn.state, force) if only is None or key in only]
    keys = [turn.journal.alter_units(key, stack["n"], **plain) for key, stack in going]
    if stacks_of(turn.state, force):
        return keys
    for key, stack in cargo:
        turn.journal.alter_units(
            key, stack["n"], **{**plain, **(_kept_aboard(turn, force, stack) if carries else {})}
        )
    turn.journal.put_row("forces", force, None)
    return keys
