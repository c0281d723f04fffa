"""Whether the rules of a game leave anything to dice."""

from __future__ import annotations

from functools import partial

from ..core.model import Ruleset
from ..core.nested import inside

ROLLS = frozenset({"roll", "die", "dice"})
"""The keys of rows under which something is rolled."""


def rolls_dice(ruleset: Ruleset) -> bool:
    """Whether any row rolls dice."""

    def rolls(form: str) -> bool:
        return any(key in ROLLS for row in ruleset.rows(form).values() for key, _ in inside(row))

    return any(ruleset.derived(("rolls dice", f), partial(rolls, f), of=(f,)) for f in ruleset.forms)
