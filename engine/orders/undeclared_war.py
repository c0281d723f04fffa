"""Whether an order would begin a war that nobody has declared: what the checker says of it beforehand.

Such an attack may be allowed (`undeclared` of a mode says what it brings about, and in `warns` what is told); then the order
stands, with a warning. Where the same file declares the war, the nations are at war by the time of the attack.
"""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..world import routes
from ..world.messages import fill
from ..world.world import World

__all__ = ["unannounced"]


def unannounced(world: World, nation: str, mode: Row | None, target: Any) -> str | None:
    """The warning that going to a place by a mode calls for, or None."""
    tail: Any = mode.get("undeclared") if mode else None
    if isinstance(tail, str):
        tail = world.ruleset.row("modes", tail).get("undeclared")
    holder = world.holder_of(str(target)) if target else None
    if not tail or "warns" not in tail or holder is None or holder == nation or world.hostile(nation, holder):
        return None
    names = {"self": Entity("nation", nation), "nation": Entity("nation", nation), "target": Entity("nation", holder)}
    if not routes.is_attack(world, nation, str(target)) or not world.test(tail.get("when"), names):
        return None
    return fill(world, tail["warns"], names)
