"""What may be entered and passed: places by the stances toward those who are there, links by their passages,
for which kinds.

Pure functions over a `World`; `routes.py` builds its ways on them and gives their names on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.rows import PassageRow
from ..core.state import Entity
from .world import World

# ---- places


def entry(world: World, nation: str, place: str, step: str = "") -> str:
    """What entering a place is for a nation, by the stances toward its holder and occupants.

    "free", "fight", "takes" (it goes over without a fight, in the step that the stance names) or "never".
    """
    found = "free"
    holder = world.holder_of(place)
    if holder is not None and holder != nation:
        rule = world.stance_row(nation, holder).get("enter", "free")
        if isinstance(rule, Mapping):
            rule = "takes" if rule.get("step") in (None, step) else "never"
        if rule == "never":
            return "never"
        found = rule
    for owner in world.state.owners_at(place):
        if owner not in (nation, holder) and not may_share(world, nation, owner, place):
            if found == "never":
                return "never"
            found = "fight"
    if holder is not None and holder != nation and found == "free" and holder in world.state.owners_at(place):
        found = "free" if may_share(world, nation, holder, place) else "fight"
    return found


def may_share(world: World, a: str, b: str, place: str) -> bool:
    """Whether both may stand in one place: always, never, or only in places of the kind that the stance
    names.
    """
    if a == b:
        return True
    rule = world.stance_row(a, b).get("share", "always")
    return bool(rule == "always" or (rule != "never" and rule == place_kind(world, place)))


def may_pass_over(world: World, nation: str, place: str) -> bool:
    """Whether the stance toward a place's holder lets aircraft pass over it (`over`: always or never)."""
    holder = world.holder_of(place)
    if holder is None or holder == nation:
        return True
    return bool(world.stance_row(nation, holder).get("over", "always") == "always")


def place_kind(world: World, place: str) -> str:
    return str(world.ruleset.row_or_empty("places", place).get("kind", ""))


def is_attack(world: World, nation: str, place: str, step: str = "") -> bool:
    """Whether a nation's units come to a place as attackers."""
    return entry(world, nation, place, step) == "fight"


# ---- kinds of units


def tags_of(world: World, kind: str) -> set[str]:
    return {kind, *world.ruleset.row_or_empty("units", kind).get("tags", ())}


def kind_matches(world: World, wanted: Any, kind: str) -> bool:
    """Whether a kind of unit is among kinds and tags (one, or a list; absent or `any`: every kind)."""
    if wanted is None or wanted == "any":
        return True
    known: dict[str, frozenset[str]] = world.ruleset.derived("tags of kinds", dict, of=("units",))
    tags = known.get(kind)
    if tags is None:
        tags = known[kind] = frozenset(tags_of(world, kind))
    return wanted in tags if isinstance(wanted, str) else not tags.isdisjoint(wanted)


# ---- passages


def links_of(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The kinds of links that a row, such as one of `movement`, goes over (None: all)."""
    return tuple(row["links"]) if "links" in row else None


def passes(world: World, nation: str, gates: Sequence[str], unit: Entity | str) -> bool:
    """Whether one of the passages over a link lets a unit (or a kind of unit) of a nation through; where
    there is none, nothing is closed.
    """
    rows = world.ruleset.rows("passages")
    return not gates or any(_open_gate(world, nation, rows[gate], unit) for gate in gates)


def _open_gate(world: World, nation: str, row: PassageRow, unit: Entity | str) -> bool:
    kind = unit if isinstance(unit, str) else str(world.state.get("units", unit.id, "kind", ""))
    if row.get("stops") and not kind_matches(world, row["stops"], kind):
        return True
    past = world.at("turn") if row.get("judged") == "turn" else world
    if "shut_when" in row:
        names = {"passage": Entity("passage", row["id"]), "self": Entity("nation", nation)}
        if past.test(row["shut_when"], names):
            return False
    holders = gate_holders(past, row)
    if _says(world, row, "barred", nation, holders):
        return False
    if nation in keepers(row, holders) or _says(world, row, "admitted", nation, holders):
        return True
    default = row.get("default", "open")
    if default == "friends":
        friends = [past.allied(nation, h) for h in holders]
        return all(friends) and bool(friends) if row.get("need") == "all" else any(friends)
    return bool(default == "open")


def gate_holders(world: World, row: PassageRow) -> list[str]:
    """Who holds the keys of a passage: the holders of its places."""
    return sorted({h for p in row.get("keys", ()) if (h := world.holder_of(p))})


def keepers(row: PassageRow, holders: Sequence[str]) -> Sequence[str]:
    """Those holders who may speak for the passage: each, or, where all keys are needed, the one who has them
    all.
    """
    return holders if row.get("need") != "all" or len(holders) == 1 else ()


def _says(world: World, row: PassageRow, field: str, nation: str, holders: Sequence[str]) -> bool:
    """Whether the passage's list names a nation or its side.

    `keeper>nation` counts only while that keeper has the passage.
    """
    for said in world.state.get("passages", row["id"], field) or ():
        keeper, arrow, who = str(said).rpartition(">")
        if (not arrow or keeper in keepers(row, holders)) and nation in world.members(who):
            return True
    return False
