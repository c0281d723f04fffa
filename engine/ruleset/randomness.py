"""Whether the rules of a game leave anything to dice."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..core.model import Ruleset

ROLLS = frozenset({"roll", "die", "dice"})
"""The keys of rows under which something is rolled."""


def rolls_dice(ruleset: Ruleset) -> bool:
    """Whether any row rolls dice."""
    return any(
        ruleset.derived(("rolls dice", form), partial(_rolls, dict(ruleset.rows(form))), of=(form,))
        for form in ruleset.forms
    )


def _rolls(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(key in ROLLS for key in value) or any(_rolls(inner) for inner in value.values())
    return any(_rolls(inner) for inner in value) if isinstance(value, list) else False
