"""The orders of a case, as text: read and checked as a player's are, one line at a time.

The real reader of orders is used, and where a case asks for it (`check`) the real checker; what either refuses is a refusal of
the case, what it warns of a note.
"""

from __future__ import annotations

from typing import Any

from ..orders.parse import parse_orders
from ..turn import Turn

__all__ = ["parse_line"]


def parse_line(turn: Turn, nation: str, number: int, text: str) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """The orders that a line gives, the errors found in it, and the warnings."""
    orders, found = parse_orders(turn.ruleset, text, nation=nation, state=turn.state)
    accepted = [{k: v for k, v in o.items() if k not in ("columns", "readings", "nation")} | {"line": number} for o in orders]
    errors = [f"{d.message} {d.hint}".strip() for d in found if d.severity == "error"]
    warnings = [f"{d.message} {d.hint}".strip() for d in found if d.severity != "error"]
    return accepted, errors, warnings
