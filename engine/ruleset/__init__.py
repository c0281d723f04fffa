"""YAML text to Ruleset: load, overlay, check, compile.

    ruleset, found = load_ruleset("ruleset")

`compile.py` leads through the steps; `model.py` is what comes out.
"""

from .compile import compile_ruleset, load_ruleset
from .model import Ruleset

__all__ = ["Ruleset", "compile_ruleset", "load_ruleset"]
