"""YAML text to Ruleset: load, overlay, check, compile.

    ruleset, found = load_ruleset("ruleset")

`compile.py` leads through the steps; `core/model.py` is what comes out; `play/scenario_files` reads
scenarios.
"""

from ..core.model import Ruleset
from .compile import compile_ruleset, load_ruleset

__all__ = ["Ruleset", "compile_ruleset", "load_ruleset"]
