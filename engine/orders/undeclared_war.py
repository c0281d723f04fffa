"""Whether an order would begin a war that nobody has declared: what the checker says of it beforehand.

Such an attack may be allowed (`undeclared` of a mode says what it brings about, and in `warns` what is told); then the order
stands, with a warning, unless the same file declares the war.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..turn.effects import fill
from ..world import routes
from ..world.world import World
from .parse import Order

__all__ = ["unannounced"]


def unannounced(world: World, nation: str, mode: Row | None, target: Any, filed: Sequence[Order]) -> str | None:
    """The warning that going to a place by a mode calls for, or None. `filed` are the nation's orders of the same file."""
    tail: Any = mode.get("undeclared") if mode else None
    if isinstance(tail, str):
        tail = world.ruleset.row("modes", tail).get("undeclared")
    holder = world.holder_of(str(target)) if target else None
    if not tail or "warns" not in tail or holder is None or holder == nation or world.hostile(nation, holder):
        return None
    names = {"self": Entity("nation", nation), "nation": Entity("nation", nation), "target": Entity("nation", holder)}
    if not routes.is_attack(world, nation, str(target)) or not world.test(tail.get("when"), names):
        return None
    acts = declaring(world.ruleset)
    if any(o["order"] in acts and holder in _named(o) for o in filed):
        return None
    return fill(world, tail["warns"], names)


def declaring(ruleset: Ruleset) -> frozenset[str]:
    """The acts ("acts/id") by which somebody declares war: those whose effects state it."""

    def make() -> frozenset[str]:
        return frozenset(f"acts/{i}" for i, row in ruleset.rows("acts").items() if _declares(row))

    return ruleset.derived("declaring-acts", make)  # type: ignore[no-any-return]


def _declares(value: Any) -> bool:
    if isinstance(value, dict):
        relate = value.get("relate")
        return (isinstance(relate, dict) and bool(relate.get("declared"))) or any(_declares(v) for v in value.values())
    return isinstance(value, list) and any(_declares(v) for v in value)


def _named(order: Order) -> Iterable[Any]:
    for value in order.get("slots", {}).values():
        yield from value if isinstance(value, list | tuple) else (value,)
