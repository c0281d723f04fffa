"""Do cards come into the game, and out of their piles? Whose piles are meant, and who may look into them?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.diagnostics import Diagnostic
from ..expressions import ExpressionError, parse
from ..expressions.parse import strip_mark
from ..nodes import Node, diagnose
from .expressions import scope_of, words_of
from .subject import Marked, Subject


def deals_say_whose_piles_they_mean(subject: Subject) -> Iterator[Diagnostic]:
    """An effect that moves cards says whose piles it means where each nation has its own, and only there; it
    names cards or draws some.
    """
    for mark, deal in _deals(subject):
        own = {key: _is_own(subject, deal.text(end)) for key, end in (("whose", "from"), ("who", "to"))}
        if None in own.values():
            continue  # of which is told that there is no such pile
        for key, end in (("whose", "from"), ("who", "to")):
            if deal.get(key) is not None and not own[key]:
                message = f"{deal.text(end)!r} is one pile for all, so {key!r} has no meaning"
                yield diagnose("E213", message, deal, key=key)
        said = any(deal.get(key) is not None for key in own)
        if any(own.values()) and not said and "self" not in scope_of(mark, words_of(subject)):
            message = "whose pile is meant is not said, and there is no self here"
            yield diagnose("E213", message, deal, hint="say `who`, or bind it: `for: nations()`")
        if deal.get("cards") is not None and deal.get("n") is not None:
            message = "either the `cards` are named, or `n` are drawn"
            yield diagnose("E213", message, deal, key="n")
        if deal.text("from") == deal.text("to") and not (said and own["who"] and deal.get("whose")):
            yield diagnose("E213", "the cards stay where they are", deal, key="to")


def piles_are_filled_from_others(subject: Subject) -> Iterator[Diagnostic]:
    """A pile is filled up from another one, of which it is known whose it is."""
    for id_, row, at in subject.each("piles"):
        refill = row.get("refill")
        if refill == id_:
            yield diagnose("E213", "a pile cannot be filled up from itself", at, key="refill")
        elif refill is not None and _is_own(subject, refill) and not _is_own(subject, id_):
            message = f"each nation has a pile {refill!r}: whose is to fill up this one, which is for all?"
            yield diagnose("E213", message, at, key="refill")


def cards_come_into_the_game(subject: Subject) -> Iterator[Diagnostic]:
    """Each card begins in a pile; into each pile cards come, and those that begin in it can leave it."""
    if subject.any_faulty("piles", "cards", "events", "actions"):
        return
    begins = {str(row["in"]) for row in subject.rows("cards").values() if "in" in row}
    deals = [deal for _, deal in _deals(subject)]
    refills = {str(row["refill"]) for row in subject.rows("piles").values() if "refill" in row}
    refilled = {id_ for id_, row in subject.rows("piles").items() if "refill" in row}
    into = begins | refilled | {str(deal.text("to")) for deal in deals}
    out_of = refills | {str(deal.text("from")) for deal in deals}
    for id_, row, node in subject.each("cards"):
        if "in" not in row and not node.is_below:
            message = f"no pile holds {id_!r}, so nobody ever has it"
            yield diagnose("W622", message, node, hint="say `in` which pile it begins")
    for id_ in subject.rows("piles"):
        node = subject.nodes("piles")[id_]
        if node.is_below:
            continue
        if id_ not in into:
            message = f"no card ever comes into {id_!r}"
            hint = "a card begins `in` it, or an effect deals `to` it"
            yield diagnose("W622", message, node, hint=hint)
        elif id_ in begins and id_ not in out_of:
            message = f"the cards that begin in {id_!r} never leave it"
            yield diagnose("W622", message, node, hint="an effect deals `from` it")


def piles_that_orders_choose_from_are_shown(subject: Subject) -> Iterator[Diagnostic]:
    """Cards among which an order may choose are shown to somebody: what players do not see they cannot
    order.
    """
    if subject.any_faulty("visibility"):
        return
    rows = [row for row in subject.rows("visibility").values() if row["what"] == "piles"]
    exact = [row for row in rows if row.get("as", "exact") == "exact"]
    for mark in subject.marked:
        if mark.annotation.path[:1] != ("slots",) or mark.annotation.path[-1] != "among":
            continue
        for pile in _piles_in(mark.annotation.value):
            shown = any("fields" not in row or pile in row["fields"] for row in exact)
            if pile in subject.nodes("piles") and not shown:
                node, key = mark.place
                message = f"nobody is shown {pile!r}, so nobody can choose from it"
                hint = f"a row of visibility: `{{id: {pile}, what: piles, to: owner, fields: [{pile}]}}`"
                yield diagnose("W623", message, node, key=key, hint=hint)


def _piles_in(text: Any) -> list[str]:
    """The piles whose cards an expression asks for by name."""
    try:
        tree = parse(strip_mark(str(text))).tree
    except ExpressionError:
        return []
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "cards"]
    asked = [_keyword(call, "pile") for call in calls]
    return [str(value.value) for value in asked if isinstance(value, ast.Constant)]


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _deals(subject: Subject) -> Iterator[tuple[Marked, Node]]:
    """Every effect that moves cards."""
    for mark in subject.marked:
        if "x-effect" not in mark.annotation.schema:
            continue
        node, _ = mark.place
        deal = node.get("deal") if node.is_map else None
        if deal is not None and deal.is_map:
            yield mark, deal


def _is_own(subject: Subject, pile: str | None) -> bool | None:
    """Whether each nation has such a pile; None if there is none."""
    row: Mapping[str, Any] | None = subject.rows("piles").get(pile or "")
    return None if row is None else row.get("per") == "nation"
