"""The orders of a case, as text: read as a player's are, one line at a time; and, where a case asks for it, checked.

The real reader and the real checker are used. What either refuses is a refusal of the case, what it warns of a note. Reading
alone leaves to the resolution what may be carried out, so that a case can see the resolution itself refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.diagnostics import Diagnostic
from ...orders.intake import take_in
from ...orders.parse import parse_orders
from ...turn.context import Order, Turn
from ...world.view import view
from ...world.world import World

__all__ = ["check_lines", "let_in", "parse_line"]


def parse_line(turn: Turn, nation: str, number: int, text: str) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """The orders that a line gives, the errors found in it, and the warnings."""
    orders, found = parse_orders(turn.ruleset, text, nation=nation, state=turn.state)
    accepted = [{k: v for k, v in o.items() if k not in ("columns", "readings", "nation")} | {"line": number} for o in orders]
    return accepted, _said(found, errors=True), _said(found, errors=False)


def let_in(turn: Turn, nation: str, lines: Sequence[str]) -> tuple[list[Order], list[tuple[int, str]], list[tuple[int, str]]]:
    """The orders of a file that stand as they come in at the door, what is refused, and what is warned of, by line."""
    taken = take_in(turn.ruleset, "\n".join(lines), lambda whose: _seen_by(turn, whose), nation=nation)
    errors = [(d.line, s) for d in taken.found for s in _said([d], errors=True)]
    return list(taken.orders), errors, [(d.line, s) for d in taken.found for s in _said([d], errors=False)]


def _seen_by(turn: Turn, whose: str) -> World:
    geography = turn.world.geography
    return World(turn.ruleset, view(turn.ruleset, turn.state, whose, geography=geography), geography=geography)


def check_lines(turn: Turn, nation: str, lines: Sequence[str]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """What the checker refuses and what it warns of in a nation's orders, each with the number of the order.

    The nation's own view is what it is checked against, as before a deadline.
    """
    _, errors, warnings = let_in(turn, nation, lines)
    return errors, warnings


def _said(found: Sequence[Diagnostic], *, errors: bool) -> list[str]:
    return [f"{d.message} {d.hint}".strip() for d in found if (d.severity == "error") is errors]
