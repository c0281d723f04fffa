"""From a row of the form `battles` and the units that meet (`combatants.py`) to a plan.

Tests that cannot change are decided here, once; values and tests that follow the living become functions of
their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ..core.choices import block_of
from ..core.die import parse_die
from ..core.model import Row
from ..core.state import Entity
from ..world.world import World
from .combatants import Lineup, by_round, own_of
from .groups import ATTACKER, DEFENDER, GONE, LADDER, SIDES, Group, Troops
from .plan import Alone, Fire, Leave, Losses, Pair, Plan, Reroll, Setting, SideDie, Stage, Volley
from .values import BattleNumber, Frozen, compile_value, fixed

_WHEN = ("first", "normal", "last")
"""When a group is lost, in this order; one that is never lost is none that could be hit."""


def make_plan(
    world: World,
    row: Row,
    troops: Sequence[Troops],
    setting: Setting,
    *,
    frozen: Frozen | None = None,
    virtual_left: dict[tuple[str, int], int] | None = None,
    limits: Mapping[int, Mapping[str, Any]] | None = None,
    tires: Mapping[str, int] | None = None,
) -> Plan:
    """Compile a battle. `frozen` and `virtual_left` carry what earlier rounds of the same battle have
    settled.

    `limits`: side -> {"rounds": leave after so many rounds, "losses": leave when more are lost, "kills":
    {"kills": n, "left": m}: leave when so many enemies are destroyed and more than that are left, "by":
    {force or nation: such limits of its own}};
    `tires`: key of a stack -> the last round that it can fight.
    """
    return _BattleMaker(world, row, troops, setting, {} if frozen is None else frozen, virtual_left).plan(
        limits or {}, tires or {}
    )


class _BattleMaker(Lineup):
    # ---- the plan

    def plan(self, limits: Mapping[int, Mapping[str, Any]], tires: Mapping[str, int]) -> Plan:
        stages = [stage for row in self.row.get("stages", ()) if (stage := self._stage(row)).volleys]
        leaves = [self._leave(side, limits.get(side, {})) for side in (ATTACKER, DEFENDER)]
        tired = {i: tires[g.key] for i, g in enumerate(self.groups) if g.key in tires}
        special = [0]
        for stage in stages:
            rounds = stage.row.get("rounds")
            if rounds is not None:
                special += [_last_round(r) for r in (rounds if isinstance(rounds, list) else [rounds])]
        special += [part.rounds or 0 for leave in leaves if leave for part in (leave, *leave.own)]
        special += [leave.after for leave in leaves if leave]
        special += tired.values()
        if self.reads_round or self.row["id"] in by_round(self.world, "battles"):
            special.append(MOST_ROUNDS_APART)
        return Plan(
            row=self.row,
            setting=self.setting,
            world=self.world,
            groups=self.groups,
            start=self.start,
            stages=stages,
            holds=[self.holding(side) for side in (ATTACKER, DEFENDER)],
            losses=[self._losses(side) for side in (ATTACKER, DEFENDER)],
            strength=[self._strength(side) for side in (ATTACKER, DEFENDER)],
            of_side=self.of_side,
            pairs=self._pairs(),
            alone=self._alone(),
            leaves=leaves,
            most_rounds=self.row.get("most_rounds"),
            last_special_round=max(special),
            tires=tired,
        )

    # ---- stages

    def _stage(self, row: Row) -> Stage:
        volleys = []
        for side in (ATTACKER, DEFENDER):
            if row.get("side") not in (None, SIDES[side]):
                continue
            volley = self._volley(row, side)
            if volley is not None:
                volleys.append(volley)
        hit = (
            (self._targets(row, DEFENDER), self._targets(row, ATTACKER))
            if self.row.get("tempo") == "at_once"
            else None
        )
        reading = block_of(row, "resolve")
        pooled = "pooled" in reading and self.world.test(reading["pooled"], {**self.names})
        return Stage(row, volleys, pooled, self._loss(reading), hit)

    def _loss(self, reading: Row) -> tuple[int, int, int]:
        rule = reading.get("loss", {})
        base, least = (
            int(self.world.number(rule.get(key, default), self.names))
            for key, default in (("base", 1), ("least", 0))
        )
        return base, int(rule.get("per", 0)), least

    def _volley(self, row: Row, side: int) -> Volley | None:
        who = own_of(row.get("who"), side)
        if row.get("out"):
            who = row["out"]
        fires = []
        for index in self.of_side[side]:
            group = self.groups[index]
            if not self.passes(who, index) or not self.passes(group.row.get("fires"), index):
                continue
            own = self.by_role(group.row.get("value"), group)
            text = own if own is not None else self.by_role(row.get("value"), group)
            dice = self.value(row.get("dice", 1) if not isinstance(row.get("dice"), dict) else 1, index)
            fires.append(Fire(index, dice, self.value(text, index) if text is not None else fixed(0)))
        if not fires:
            return None
        targets = self._targets(row, side)
        of_side = row["dice"].get("side") if isinstance(row.get("dice"), dict) else None
        die, faces = self._die(row, side)
        reading = block_of(row, "resolve")
        return Volley(
            side=side,
            fires=fires,
            targets=targets,
            when=self.compile(row.get("when"), side),
            dice_of_side=self.compile(of_side, side) if of_side is not None else None,
            most=self.compile(most, side)
            if (most := self._by_attack(row.get("most"), side)) is not None
            else None,
            each_die=self._side_value(each, side)
            if (each := self._by_attack(reading.get("each_die"), side)) is not None
            else None,
            faces=faces,
            die=die,
            side_die=self._side_die(reading, side),
            reroll=self._reroll(reading, side),
            leader=self.leader(side),
        )

    def _by_attack(self, value: Any, side: int) -> Any:
        return own_of(value, ATTACKER if self.setting.attacks[side] else DEFENDER)

    def _side_die(self, reading: Row, side: int) -> SideDie | None:
        rule = reading.get("side_die")
        return None if rule is None else SideDie(self.compile(rule.get("when"), side), _faces(rule["die"]))

    def _reroll(self, reading: Row, side: int) -> Reroll | None:
        """Whether and how often this side may have a lost comparison thrown again."""
        rule = reading.get("reroll")
        if rule is None:
            return None
        names = {**self.scope(side), **self.start_sets(side)}
        luck = rule.get("luck")
        needs = luck is not None and self.world.test(luck.get("when"), names)
        return Reroll(
            self.compile(rule.get("who"), side),
            int(self.world.number(rule["most"], names)),
            int(self.world.number(rule["in_all"], names)) if "in_all" in rule else None,
            (_faces(luck["die"]), frozenset(luck["faces"])) if needs else None,
        )

    def _die(self, row: Row, side: int) -> tuple[str, int]:
        """The die of a stage and its faces. ValueError if it is more than one die."""
        text = str(
            self.world.marked(
                row.get("die", self.row.get("die", "")), {**self.scope(side), **self.start_sets(side)}
            )
        )
        die = parse_die(text) if text else None
        if die is not None and (die.n != 1 or die.plus):
            raise ValueError(
                f"{self.row['id']}: a stage throws dice such as 1d{die.faces}, not {text}; `dice` says how "
                "many"
            )
        return text, die.faces if die is not None else 0

    def _side_value(self, text: Any, side: int) -> BattleNumber:
        """A number of a whole side: an expression, or a stat of its leading nation."""
        nation = Entity("nation", self.leader(side))
        return compile_value(
            self.world,
            text,
            nation,
            self.scope(side),
            self.sets(side),
            self.start,
            self.frozen,
            self.ignored(),
        )

    def _targets(self, row: Row, side: int) -> list[int]:
        out = []
        for index in self.of_side[1 - side]:
            group = self.groups[index]
            if group.lost == "never" or not self.passes(row.get("hits"), index):
                continue
            if row.get("never_hits") is not None and self.passes(row["never_hits"], index):
                continue
            if self.row.get("never_hit") is not None and self.passes(self.row["never_hit"], index):
                continue
            out.append(index)
        return out

    # ---- losses

    def _losses(self, side: int) -> Losses:
        """Stand-ins that are lost first or last are so for the whole side; units only among those of their
        owner, whose share of the losses they count for like all others.
        """
        first, last, by_owner = [], [], {}  # type: ignore[var-annotated]
        for index in self.of_side[side]:
            group = self.groups[index]
            when = self._when_lost(group)
            if when == "never":
                continue
            if when == "normal" or not group.virtual:
                by_owner.setdefault(group.owner, []).append(index)
            elif when == "first":
                first.append((self.row["virtual"].index(group.row), index))
            else:
                last.append(index)
        owners = [(owner, self._order(owner, indices)) for owner, indices in sorted(by_owner.items())]
        levels = self._levels(list(chain.from_iterable(by_owner.values()))) if len(owners) > 1 else []
        return Losses([index for _, index in sorted(first)], owners, last, levels)

    def _levels(self, indices: list[int]) -> list[list[int]]:
        """Groups of all nations of a side by their rank in the battle's default order, where its row has
        `in_one_order`: those of one rank together.
        """
        if not self.row.get("in_one_order"):
            return []
        rules = self.row.get("order", ())
        ranks: dict[tuple[Any, ...], list[int]] = {}
        for index in indices:
            group = self.groups[index]
            when = _WHEN.index(self._when_lost(group))
            ranks.setdefault((when, group.down == GONE, self._worth(index, rules)), []).append(index)
        return [ranks[rank] for rank in sorted(ranks)]

    def _when_lost(self, group: Group) -> str:
        """When a group is lost, with what the orders of losses of its side have to say about it."""
        if group.lost not in ("spared", "last"):
            return group.lost
        if group.kind in self.setting.orders.get(group.owner, ()):
            return "normal"
        if group.lost == "last":
            return "last"
        owners = {self.groups[i].owner for i in self.of_side[group.side] if not self.groups[i].virtual} | {
            group.owner
        }
        named = any(self.setting.orders.get(owner) for owner in owners)
        if not named:
            return "first"
        return "normal" if len(owners) == 1 else "last"

    def _order(self, owner: str, indices: list[int]) -> list[int]:
        """The order in which an owner loses their groups: by their orders, then by the battle's default.

        Kinds that their orders name go first, in their order (a kind that they name again: those hit once
        already, and so on); of the others those that a hit only damages. Units whose row says `first` or
        `last` go before and after all of these.
        """
        named: dict[str, list[int]] = {}
        for number, kind in enumerate(self.setting.orders.get(owner, ())):
            named.setdefault(kind, []).append(number)
        unnamed = [sum(map(len, named.values()))]
        rules = self.row.get("order", ())
        default = {index: self._worth(index, rules) for index in indices}

        def key(index: int) -> tuple[Any, ...]:
            group = self.groups[index]
            spares = group.down != GONE
            places = named.get(group.kind, unnamed)
            return (
                _WHEN.index(self._when_lost(group)),
                places[min(self._taken(group), len(places) - 1)],
                not spares,
                default[index],
                group.kind,
                -self._depth(index),
                group.key,
            )

        return sorted(indices, key=key)

    def _taken(self, group: Group) -> int:
        """How many hits a unit of a group has taken."""
        ladder = self.row.get("step_losses", LADDER)
        now = group.fields.get(ladder.get("field"))
        if now in ladder.get("values", ()):
            return int(ladder["values"].index(now))
        return int(now) if isinstance(now, int) else 0

    def _depth(self, index: int) -> int:
        """How many hits a unit of a group still takes: the hale go before the hurt, so that no hit of a round
        is wasted.
        """
        steps = 1
        while self.groups[index].down != GONE:
            index, steps = self.groups[index].down, steps + 1
        return steps

    def _worth(self, index: int, rules: Sequence[Any]) -> tuple[int, ...]:
        out = []
        for rule in rules:
            text = self.by_role(rule, self.groups[index])
            out.append(int(np.max(self.value(text, index)(self.start, 1))))
        return tuple(out)

    def _strength(self, side: int) -> list[BattleNumber]:
        owners = {self.groups[index].owner for index in self.of_side[side] if not self.groups[index].virtual}
        shared = self.row.get("shares", 1) if len(owners) > 1 else 1
        mine = [(index, self.groups[index]) for index in self.of_side[side]]
        return [
            fixed(0) if group.virtual else self.value(self._weighs(shared, group), index)
            for index, group in mine
        ]

    def _weighs(self, shared: Any, group: Group) -> Any:
        """The value by which a group shares in the losses: the one it fights at, where its row has its
        own.
        """
        own = self.by_role(group.row.get("value"), group)
        return self.by_role(shared, group) if own is None or shared == 1 else own

    # ---- what else a row may say

    def _pairs(self) -> list[Pair]:
        out = []
        for row in self.row.get("support", ()):
            for side in (ATTACKER, DEFENDER):
                if row.get("side") in (None, SIDES[side]):
                    givers = [i for i in self.of_side[side] if self.passes(row["giver"], i)]
                    takers = [i for i in self.of_side[side] if self.passes(row["taker"], i)]
                    if givers and takers:
                        add, each = int(row.get("add", 1)), int(row.get("each", 1))
                        out.append(Pair(side, givers, takers, add, str(row.get("value", "")), each))
        return out

    def _alone(self) -> list[Alone]:
        out = []
        for row in self.row.get("alone", ()):
            for side in (ATTACKER, DEFENDER):
                if row.get("side") in (None, SIDES[side]):
                    who = [
                        i
                        for i in self.of_side[side]
                        if self.passes(row.get("who"), i) and self.groups[i].lost != "never"
                    ]
                    if who:
                        out.append(Alone(side, who, self.compile(row.get("when"), side), row))
        return out

    def _leave(self, side: int, limits: Mapping[str, Any]) -> Leave | None:
        row = self.row.get("leave", {}).get(SIDES[side])
        if not isinstance(row, Mapping):
            return None
        who = [i for i in self.of_side[side] if self.passes(row.get("who"), i) and not self.groups[i].row]
        whole = Leave(
            side=side,
            after=int(row.get("after", 1)),
            groups=who,
            must=self.compile(row["must"], side) if "must" in row else None,
            may=self.compile(row["may"], side) if "may" in row else None,
            rounds=limits.get("rounds"),
            losses=limits.get("losses"),
            first=self.row["leave"].get("both", SIDES[ATTACKER]) == SIDES[side],
            kills=limits.get("kills"),
            behind=self._behind(row, side, who),
        )
        return replace(whole, own=tuple(self._own(whole, limits.get("by", {}))))

    def _own(self, side: Leave, by: Mapping[str, Any]) -> Iterator[Leave]:
        """When single forces of a side, or the units of a nation, leave by themselves."""
        forces = {part for part in by if any(g.force == part for g in self.groups)}
        for part, limits in sorted(by.items()):  # beside forces that are named, a nation is its units in none
            mine = {
                i
                for i in self.of_side[side.side]
                if part == (self.groups[i].force if forces else "") or self._is_of(i, part, forces)
            }
            yield replace(
                side,
                groups=[i for i in side.groups if i in mine],
                must=None,
                rounds=limits.get("rounds"),
                losses=limits.get("losses"),
                first=False,
                kills=limits.get("kills"),
                behind=tuple(i for i in side.behind if i in mine),
            )

    def _is_of(self, index: int, part: str, forces: set[str]) -> bool:
        group = self.groups[index]
        return group.force == part if part in forces else group.owner == part and not (forces and group.force)

    def _behind(self, row: Mapping[str, Any], side: int, who: Sequence[int]) -> tuple[int, ...]:
        """Real units of a side that are lost when those who may leave it do."""
        if row.get("behind") != "lost":
            return ()
        return tuple(i for i in self.of_side[side] if i not in who and not self.groups[i].virtual)


MOST_ROUNDS_APART = 50
"""Rounds that are fought one by one where something goes by the number of the round; later ones count as
alike.
"""


def _faces(die: str) -> int:
    return parse_die(die).faces


def _last_round(rounds: int | str) -> int:
    """The last round that differs from the next because of a range of rounds."""
    if isinstance(rounds, int):
        return rounds
    low, _, high = rounds.partition("..")
    return int(high) if high else int(low) - 1
