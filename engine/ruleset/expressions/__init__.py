"""Expressions: one line of text to a value. Closed vocabulary, exact numbers, no dice, no assignment, no loops."""

from .check import Problem, check_expression
from .parse import Expression, ExpressionError, parse
from .vocabulary import FUNCTIONS, KINDS, Signature

__all__ = ["FUNCTIONS", "KINDS", "Expression", "ExpressionError", "Problem", "Signature", "check_expression", "parse"]
