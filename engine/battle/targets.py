"""Whom hits can be taken by, whatever else stands there: what an order of losses may name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity, unit_key
from ..turn.context import Order
from ..turn.validated_orders import Refusal, RefusalCode
from ..world.world import World
from .groups import ATTACKER, DEFENDER, SIDES


@derived_of("battles")
def loss_options(ruleset: Ruleset) -> set[str]:
    """The options of orders that say what is lost first (`order` of the `options` of battles)."""
    return {
        str(r["options"]["order"])
        for r in ruleset.rows("battles").values()
        if "order" in r.get("options", {})
    }


def losses_named(ruleset: Ruleset, order: Order) -> Iterator[tuple[str, str]]:
    """The kinds that an order names to be lost first: which option, and which kind."""
    options = order.get("options") or {}
    for option in sorted(loss_options(ruleset) & set(options)):
        kinds = options[option]
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            yield option, str(kind)


@derived_of("battles")
def stand_ins(ruleset: Ruleset) -> frozenset[str]:
    """The kinds of units that no nation has, and that battles place beside others (`virtual`)."""
    rows = ruleset.rows("battles").values()
    return frozenset(one["id"] for row in rows for one in row.get("virtual", ()))


def no_loss(world: World, order: Order) -> Refusal | None:
    """Why an order may not name a kind among its losses: none of it takes a hit in any battle that it is
    in.
    """
    for option, kind in losses_named(world.ruleset, order):
        battles = spared(world, str(order["nation"]), option, kind)
        if battles:
            row = world.ruleset.row("units", kind)
            several = str(row.get("plural") or row.get("name", kind))
            where = " or ".join(f"a {name}" for name in battles)
            return Refusal(
                RefusalCode.OPTION,
                f"no hit in {where} can be taken by {several}",
                "",
                "leave them out of what is lost first",
            )
    return None


def spared(world: World, nation: str, option: str, kind: str) -> list[str]:
    """The battles in which units of a kind are, and take no hit; empty if there is one in which they may take
    some.

    Of the rows whose losses go by an option of orders (`order` of their `options`). Nothing is said of a kind
    that is in none.
    """
    sparing = []
    for row in world.ruleset.rows("battles").values():
        if row.get("options", {}).get("order") != option:
            continue
        for side in (ATTACKER, DEFENDER):
            names = _names(nation, kind, row, side)
            never = "never_hit" in row and world.test(row["never_hit"], names)
            if not world.test(_who(row, side), names):
                continue
            if not never:
                return []
            sparing.append(str(row.get("name", row["id"])))
    return list(dict.fromkeys(sparing))


def _who(row: Row, side: int) -> Any:
    who = row.get("who")
    return who.get(SIDES[side]) if isinstance(who, Mapping) else who


def _names(nation: str, kind: str, row: Row, side: int) -> dict[str, Any]:
    attacks = side == ATTACKER
    return {
        "unit": Entity("unit", unit_key(nation, kind, "")),
        "self": Entity("nation", nation),
        "nation": Entity("nation", nation),
        "place": Entity("place", ""),
        "link": Entity("link", ">"),
        "battle": {"attacks": attacks, "attacked": not attacks, "kind": row["id"], "round": 1},
    }
