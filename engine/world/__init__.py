"""What may be asked of a ruleset and a state: things and their fields, sets, relations, stats, treasuries,
ways and views.
"""

from .functions import functions as _functions
from .world import World as _World

_World.functions = staticmethod(_functions)
