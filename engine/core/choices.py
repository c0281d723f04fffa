"""What a row says by a word, or by a block of the word's own: `resolve: sum`, or `resolve: {sum: {...}}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

DEFAULTS: Final = {"resolve": "roll_under", "treasury": "nation", "where": "contested"}
"""Key of a battle, of a stage of one or of a resource to the word that goes without saying."""


def word_of(row: Mapping[str, Any], key: str) -> str:
    """What a row chooses by a key."""
    return str(word_in(row.get(key, DEFAULTS[key])))


def block_of(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What a row says besides of its choice by a key; empty if it says a word alone."""
    value = row.get(key)
    block: Mapping[str, Any] = next(iter(value.values()), {}) if isinstance(value, Mapping) else {}
    return block


def word_in(value: Any) -> Any:
    """The word of a choice: that of the only block in a map; any other value stands for itself."""
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else value


def as_slot(declared: Any) -> Mapping[str, Any]:
    """A slot of an order, an act or a decision as its row declares it: a kind by itself is short for a map
    with that `kind`; one that is not declared is empty.
    """
    if declared is None:
        return {}
    return declared if isinstance(declared, Mapping) else {"kind": declared}
