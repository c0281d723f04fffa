"""Expressions: one line of text to a value.

Closed vocabulary, exact numbers, no dice, no assignment, no loops. `check` finds what is wrong with one.
"""

from .functions import FUNCTIONS, Signature
from .parse import Expression, ExpressionError, parse
from .vocabulary import KINDS

__all__ = [
    "FUNCTIONS",
    "KINDS",
    "Expression",
    "ExpressionError",
    "Signature",
    "parse",
]
