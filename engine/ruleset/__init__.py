"""YAML text to Ruleset: load, overlay, check, compile.

    ruleset, found = load_ruleset("ruleset")
    scenario, ruleset, found = load_scenario("scenarios/NAME.yaml")

`compile.py` leads through the steps; `model.py` is what comes out.
"""

from ..core.model import Ruleset
from .compile import compile_ruleset, load_ruleset
from .scenario_files import check_scenario, load_scenario

__all__ = ["Ruleset", "check_scenario", "compile_ruleset", "load_ruleset", "load_scenario"]
