"""YAML text to Ruleset: load, overlay, check, compile.

    ruleset, found = load_ruleset("ruleset")

`compile.py` leads through the steps; `core/model.py` is what comes out; `play/scenario_files` reads
scenarios.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.model import Ruleset

if TYPE_CHECKING:
    from .compile import compile_ruleset, load_ruleset

__all__ = ["Ruleset", "compile_ruleset", "load_ruleset"]


def __getattr__(name: str) -> Any:
    """Start-up time: a game has its rules compiled, and who plays it reads no YAML."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import compile  # start-up time

    return getattr(compile, name)
