"""Expressions: one line of text to a value.

Closed vocabulary, exact numbers, no dice, no assignment, no loops.
"""

from .check import Problem, check_expression
from .functions import FUNCTIONS, Signature
from .parse import Expression, ExpressionError, parse
from .vocabulary import KINDS

__all__ = [
    "FUNCTIONS",
    "KINDS",
    "Expression",
    "ExpressionError",
    "Problem",
    "Signature",
    "check_expression",
    "parse",
]
