"""Which terms an expression leads to."""

from __future__ import annotations

import ast
from functools import lru_cache

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
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        signature = FUNCTIONS.get(node.func.id)
        if signature is None:
            used.add(node.func.id)
            continue
        for argument, want in zip(node.args, signature.args, strict=False):
            if want in ("term", "id:quantities") and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                used.add(argument.value)
    return frozenset(used)
