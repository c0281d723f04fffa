"""Which definitions an expression uses, itself or by way of others."""

from __future__ import annotations

import ast
from functools import lru_cache

from .fold import called, text_of
from .functions import FUNCTIONS
from .parse import ExpressionError, parse, strip_mark


def functions_used(text: str) -> frozenset[str]:
    """The names that an expression calls: functions and terms."""
    try:
        return parse(strip_mark(text)).functions
    except ExpressionError:
        return frozenset()


@lru_cache(maxsize=16_384)
def terms_used(text: str) -> frozenset[str]:
    """The names of terms that an expression calls, or hands to a function that takes a term."""
    try:
        tree = parse(strip_mark(text)).tree
    except ExpressionError:
        return frozenset()
    used: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        signature = FUNCTIONS.get(called(node))
        if signature is None:
            used.add(called(node))
            continue
        asked = zip(node.args, signature.args, strict=False)
        used.update(text_of(argument) for argument, want in asked if want in ("term", "id:stats"))
    used.discard("")
    return frozenset(used)
