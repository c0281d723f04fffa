"""Who meets in a battle, its virtual members among them, and what a name, a test or a value means for each of
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.compiled import kept_by_arguments, ordinary
from ..core.model import Row
from ..core.state import Entity, extra_fields, unit_key
from ..ruleset.expressions.reads import texts
from ..world.world import World
from .arrays import Compiled, Members, asks_round, compile_array
from .groups import ATTACKER, DEFENDER, LADDER, SIDES, Group, Troops, groups_of
from .plan import Setting
from .scene import scene, stack
from .values import BattleNumber, Frozen, compile_value, fixed


def make_outline(
    world: World,
    row: Row,
    troops: Sequence[Troops],
    setting: Setting,
    *,
    virtual_left: dict[tuple[str, int], int] | None = None,
) -> tuple[list[Group], list[list[int]]]:
    """Only the groups of a battle, and for each side those that keep it in it: enough to know whether there
    is one.
    """
    lineup = Lineup(world, row, troops, setting, {}, virtual_left)
    holding = [lineup.holding(side) for side in (ATTACKER, DEFENDER)]
    for laid_over in {lineup.base, lineup.world} - {world}:
        laid_over.close()
    return lineup.groups, holding


@ordinary
class Lineup:
    """The groups that meet, and what names, tests and values mean for a side or a group of it."""

    def __init__(
        self,
        world: World,
        row: Row,
        troops: Sequence[Troops],
        setting: Setting,
        frozen: Frozen,
        virtual_left: dict[tuple[str, int], int] | None,
    ) -> None:
        self.row, self.setting, self.frozen = row, setting, frozen
        self._kept: dict[str, Any] = {}
        self.reads_round = False  # whether a value goes by the number of the round
        self.virtual_left = {} if virtual_left is None else virtual_left
        self.names = {
            **setting.names,
            "place": Entity("place", setting.place),
        }
        missing = {t.key: t.row for t in troops if t.key not in world.state.table("units")}
        self.base = scene(world, missing) if missing else world
        self.troops = [*troops, *self._virtual(troops)]
        ladder = row.get("step_losses", LADDER)
        self.groups = groups_of(self.troops, ladder, self.base)
        unknown = {g.key: g.fields for g in self.groups if g.key not in self.base.state.table("units")}
        self.world = scene(self.base, unknown) if unknown else self.base
        self.of_side = [
            [i for i, g in enumerate(self.groups) if g.side == side] for side in (ATTACKER, DEFENDER)
        ]
        self.start = np.array([[g.n for g in self.groups]], dtype=np.int64).reshape(1, len(self.groups))

    # ---- names

    @kept_by_arguments
    def sets(self, side: int) -> dict[str, Members]:
        """The units of a side and of its enemy, as its expressions name them."""
        return {"mine": self._members(side), "foe": self._members(1 - side)}

    def _members(self, side: int) -> Members:
        columns = self.of_side[side]
        return Members(tuple(self.groups[i].entity for i in columns), tuple(columns))

    def scope(self, side: int, group: Group | None = None) -> dict[str, Any]:
        link = Entity("link", group.link if group and group.link else ">")
        owner = group.owner if group else self.leader(side)
        me = Entity("nation", owner)
        scope = {**self.names, "self": me, "nation": me, "link": link, "battle": self.about(side, group)}
        if group is not None:
            scope["unit"] = group.entity
            scope["virtual"] = group.virtual
            scope["joined"] = bool(group.row) and not group.virtual
            scope["seen"] = group.force not in self.setting.unseen
            if group.force:
                scope["force"] = Entity("force", group.force)
        return scope

    def about(self, side: int, group: Group | None = None) -> dict[str, Any]:
        """What `battle` means in an expression, seen from a side, or from a group of it."""
        came = [g for g in self.groups if g.link and g.side == ATTACKER] if hasattr(self, "groups") else []
        origins = {g.link.partition(">")[0] for g in came}
        return {
            "attacks": self.setting.attack(side, group.force if group else ""),
            "attacked": self.setting.attacks[1 - side],
            "kind": self.row["id"],
            "round": 1,
            "origins": len(origins) if self.setting.origins is None else self.setting.origins,
            "by": self.leader(ATTACKER),
        }

    def leader(self, side: int) -> str:
        mine = (
            [t for t in self.troops if t.side == side and "units" not in (t.joins or ())]
            if hasattr(self, "troops")
            else []
        )
        owners = sorted({t.row["owner"] for t in mine})
        return str(owners[0]) if owners else ""

    # ---- virtual members

    def _virtual(self, troops: Sequence[Troops]) -> list[Troops]:
        self.troops = list(troops)
        out = []
        for row in self.row.get("virtual", ()):
            for side in (ATTACKER, DEFENDER):
                if row.get("side") not in (None, SIDES[side]):
                    continue
                key = (row["id"], side)
                if key not in self.virtual_left:
                    sets = {
                        "mine": tuple(Entity("unit", t.key) for t in troops if t.side == side),
                        "foe": tuple(Entity("unit", t.key) for t in troops if t.side != side),
                    }
                    self.virtual_left[key] = int(self.base.number(row["n"], {**self.scope(side), **sets}))
                n = self.virtual_left[key]
                if n > 0:
                    out.append(self._stand_in(row, side, n))
        return out

    def _stand_in(self, row: Row, side: int, n: int) -> Troops:
        owner = self.leader(side) or self.base.holder_of(self.setting.place) or ""
        kind = str(row.get("unit", row["id"]))
        fields = stack(owner, kind, self.setting.place, n, virtual=row["id"])
        return Troops(
            unit_key(owner, kind, self.setting.place, extra_fields(fields)), fields, side, joins=row
        )

    # ---- tests and values

    def by_role(self, value: Any, group: Group) -> Any:
        """A value that differs for those who attack and those who defend; both sides may do the same."""
        return own_of(value, ATTACKER if self.setting.attack(group.side, group.force) else DEFENDER)

    def passes(self, test: Any, index: int) -> bool:
        """Whether a group passes a test of its unit that cannot change."""
        if test is None or isinstance(test, bool):
            return test is not False
        group = self.groups[index]
        return self.world.test(test, {**self.scope(group.side, group), **self.start_sets(group.side)})

    def start_sets(self, side: int) -> dict[str, Any]:
        return {name: members.things for name, members in self.sets(side).items()}

    def compile(self, text: Any, side: int) -> Compiled:
        return compile_array(self.world, text, self.scope(side), self.sets(side))

    def holding(self, side: int) -> list[int]:
        test = own_of(self.row.get("holds"), side)
        out = []
        for index in self.of_side[side]:
            row = self.groups[index].row
            holds = row.get("holds") if "holds" in row else None
            if holds is None:
                holds = self.passes(test, index) if not self.groups[index].row else "n" not in row
            elif not isinstance(holds, bool):
                holds = self.passes(holds, index)
            if holds:
                out.append(index)
        return out

    def value(self, text: Any, index: int) -> BattleNumber:
        if isinstance(text, int):
            return fixed(text)
        return self._value(text, index)

    @kept_by_arguments
    def _value(self, text: str, index: int) -> BattleNumber:
        group = self.groups[index]
        scope, sets = self.scope(group.side, group), self.sets(group.side)
        ignored = self.ignored()
        value = compile_value(self.world, text, group.entity, scope, sets, self.start, self.frozen, ignored)
        self.reads_round |= any(rule.row["id"] in by_round(self.world, "modifiers") for rule in value.rules)
        return value

    def ignored(self) -> tuple[str, ...]:
        """Adjust rows left out: named by id, or by a tag."""
        wanted = set(self.setting.ignore)
        if not wanted:
            return ()
        rows = self.world.ruleset.rows("modifiers").values()
        return tuple(r["id"] for r in rows if r["id"] in wanted or not wanted.isdisjoint(r.get("tags", ())))


def by_round(world: World, form: str) -> frozenset[str]:
    """The rows of a form with an expression that goes by the number of the round."""
    rows = world.ruleset.rows(form)

    def make() -> frozenset[str]:
        return frozenset(id_ for id_, row in rows.items() if any(map(asks_round, texts(row))))

    return world.ruleset.derived(f"{form} by round", make, of=(form,))


def own_of(value: Any, side: int) -> Any:
    """A key that both sides share, or that says each side's own."""
    if isinstance(value, Mapping) and set(value) <= set(SIDES):
        return value.get(SIDES[side])
    return value
