"""Numbers that orders and answers name, within the bounds that their slots declare."""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..world.world import Names
from .context import OrderContext
from .validated_orders import Refusal, RefusalCode


def out_of_bounds(
    context: OrderContext, declared: Row, name: str, value: Any, names: Names
) -> Refusal | None:
    """Whether a number is smaller or larger than its slot allows."""
    if declared.get("kind", "number") != "number" or not isinstance(value, int) or isinstance(value, bool):
        return None
    least, most = bounds(context, declared, names)
    if value < least:
        return Refusal(RefusalCode.NUMBER, f"the number must be at least {least}", name)
    if most is not None and value > most:
        return Refusal(RefusalCode.NUMBER, f"the number must be at most {most}", name)
    return None


def bounds(context: OrderContext, declared: Row, names: Names) -> tuple[Any, Any | None]:
    """The least and the most that a slot for a number may hold; None: as many as one likes."""
    most = context.world.number(declared["most"], names) if "most" in declared else None
    return context.world.number(declared.get("least", 1), names), most
