"""What the slots of an order may hold: numbers within their bounds, names among what may be chosen, the needs of a row.

Asked by the checker of orders and by whatever carries them out, of a view or of the state itself.
"""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..ruleset.limits import needs_of
from ..world.selections import as_set, plain
from ..world.world import Names
from .bounds import out_of_bounds
from .context import Desk, Order
from .effects import fill, printed
from .intents import Code, Refusal

_TABLES = {"unit-kind": "units", "tech": "technologies", "item": "catalogue", "resource": "resources", "gate": "gates"}


def unmet(desk: Desk, row: Row, names: Names, *, secrets: bool = True) -> Refusal | None:
    """The first need of a row that does not hold, in the row's words; without `secrets` only those that its nation may test."""
    for need in needs_of(desk.ruleset, row):
        if need.get("secret") and not secrets:
            continue
        if not desk.world.test(need["test"], names):
            slots = row.get("slots", {})
            return Refusal(Code.UNMET, fill(desk.world, need["else"], names), next(iter(slots), ""))
    return None


def misfit(desk: Desk, row: Row, order: Order, names: Names) -> Refusal | None:
    """The first slot that holds what it may not."""
    slots = row.get("slots", {})
    for name, value in order.get("slots", {}).items():
        declared = slots.get(name)
        if not isinstance(declared, dict):
            if declared == "number" and isinstance(value, int) and value < 1:
                return Refusal(Code.NUMBER, "the number must be at least 1", name)
            continue
        found = out_of_bounds(desk, declared, name, value, names) or _not_among(desk, declared, name, value, names)
        if found is not None:
            return found
    return None


def _not_among(desk: Desk, declared: Row, name: str, value: Any, names: Names) -> Refusal | None:
    if "among" not in declared or value is None:
        return None
    among = as_set(desk.world, desk.world.value(declared["among"].removeprefix("="), names))
    allowed = {str(plain(a)) for a in among}
    wrong = [v for v in (value if isinstance(value, list) else [value]) if str(v) not in allowed]
    if not wrong:
        return None
    said = name_of(desk, declared["kind"], str(wrong[0]))
    return Refusal(Code.CHOICE, f"{said} is not among what may be chosen", name, choices=tuple(sorted(allowed)))


def name_of(desk: Desk, kind: str, id_: str) -> str:
    """How the value of a slot of this kind reads."""
    if kind in _TABLES:
        return str(desk.ruleset.rows(_TABLES[kind]).get(id_, {}).get("name", id_))
    return printed(desk.world, desk.slot_value(kind, id_))
