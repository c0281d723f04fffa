"""The checks of a merged ruleset: each a function named after its question, yielding findings.

A check takes a `Subject` and is registered by standing in `CHECKS`. The first group looks at the shape of rows; the
others are asked only of what has the right shape, so that one mistake is reported once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ...diagnostics import Diagnostic
from . import schema
from .subject import Subject

__all__ = ["CHECKS", "Check", "Subject", "run_checks"]

Check = Callable[[Subject], Iterable[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    schema.rows_have_the_shape_of_their_form,
    schema.the_manifest_has_its_shape,
    schema.the_frame_has_its_shape,
)


def run_checks(subject: Subject) -> Iterator[Diagnostic]:
    """All findings of all checks."""
    for check in CHECKS:
        for found in check(subject):
            yield replace(found)
