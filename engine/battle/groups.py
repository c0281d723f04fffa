"""Who is in a battle: groups of equal units on two sides, and the steps down which each group goes when it is
hit.

A group is a stack: units of one owner, kind and condition that came the same way. A unit that takes several
hits has a group for every condition that it can still come to; `down` leads from each group to the next one,
and out of the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core.model import Row
from ..core.state import Entity, Fields, extra_fields, unit_key
from ..world.world import World

ATTACKER, DEFENDER = 0, 1
SIDES = ("attacker", "defender")
GONE = -1
LADDER: Row = {"field": "damage"}
"""How hits lead down, where a battle does not say: the field `damage` counts them up to the stat `hits`."""


@dataclass(slots=True)
class Group:
    """Equal units of one side.

    `n` at the start; `down` the index of what one hit makes of them (-1: lost).
    """

    key: str
    side: int
    owner: str
    kind: str
    n: int
    fields: Fields
    link: str = ""
    force: str = ""
    down: int = GONE
    row: Row = field(default_factory=dict)
    """What the battle says of this group beyond its kind: the row of a virtual member or of one that joins
    from elsewhere.
    """

    @property
    def entity(self) -> Entity:
        return Entity("unit", self.key)

    @property
    def virtual(self) -> bool:
        return "n" in self.row

    @property
    def lost(self) -> str:
        """When the group is hit among its side: in its owner's order, `first`, `last` or `never`."""
        return str(self.row.get("lost", "normal"))


@dataclass(frozen=True, slots=True)
class Troops:
    """Units that take part: a stack, its side, the link they came over (`from>to`), their force, the row that
    let them join.
    """

    key: str
    row: Fields
    side: int
    link: str = ""
    force: str = ""
    joins: Row | None = None


def groups_of(troops: Sequence[Troops], ladder: Row, world: World) -> list[Group]:
    """Groups of the troops, attackers first, each side by owner, kind and key, with the conditions that hits
    lead to.
    """
    out: list[Group] = []
    index: dict[tuple[int, str], int] = {}
    order = sorted(troops, key=lambda t: (t.side, t.row["owner"], t.row["kind"], t.key))
    for item in order:
        index[(item.side, item.key)] = len(out)
        row = item.joins or {}
        link = item.link
        out.append(
            Group(
                key=item.key,
                side=item.side,
                owner=item.row["owner"],
                kind=item.row["kind"],
                n=int(item.row["n"]),
                fields=item.row,
                link=link,
                force=item.force,
                row=row,
            )
        )
    most: dict[tuple[str, str], int] = {}
    position = 0
    while position < len(out):
        group = out[position]
        lower = below(group, ladder, world, most)
        if lower is not None:
            key = (group.side, unit_key(group.owner, group.kind, lower["place"], extra_fields(lower)))
            if key not in index:
                index[key] = len(out)
                out.append(
                    Group(
                        key=key[1],
                        side=group.side,
                        owner=group.owner,
                        kind=group.kind,
                        n=0,
                        fields=lower,
                        link=group.link,
                        force=group.force,
                        row=group.row,
                    )
                )
            group.down = index[key]
        position += 1
    return out


def below(group: Group, ladder: Row, world: World, most: dict[tuple[str, str], int]) -> Fields | None:
    """What one hit makes of a unit of this group, or None if it is lost.

    A ladder names a field: with `values` it holds a condition (the first is the healthy one), without them it
    counts the hits taken, of the kind's `hits`. `most` keeps what was found.
    """
    name = ladder.get("field")
    if name is None:
        return None
    if "values" in ladder:
        values = list(ladder["values"])
        at = values.index(group.fields.get(name, values[0]))
        if at + 1 >= len(values):
            return None
        return {**group.fields, "n": 0, name: values[at + 1]}
    kind = (group.owner, group.kind)
    if kind not in most:
        most[kind] = hits_to_destroy(group, world)
    taken = int(group.fields.get(name) or 0) + 1
    return {**group.fields, "n": 0, name: taken} if taken < most[kind] else None


def hits_to_destroy(group: Group, world: World) -> int:
    """How many hits destroy a unit of a group: the stat `hits`, else that figure of its kind, as its owner
    has it.
    """
    if "hits" in world.ruleset.rows("stats") and group.key in world.state.table("units"):
        return max(1, int(world.quantity("hits", group.entity)))
    return max(1, int(world.unit_row(group.kind, group.owner).get("hits") or 1))


def last_standing(standing: Sequence[bool]) -> int | None:
    """The side that alone is left of attackers and defenders; None while both or neither are."""
    if standing[0] == standing[1]:
        return None
    return ATTACKER if standing[0] else DEFENDER
