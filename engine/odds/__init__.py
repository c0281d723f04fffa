"""Odds: how a battle is likely to end. The same stages as the real battle, unfolded exactly or sampled.

`ask.odds` answers for units that somebody names, `solve` for a plan, `estimate.estimate` quickly and roughly for policies.
"""

from __future__ import annotations

from .ask import Question, odds
from .estimate import estimate
from .result import Odds
from .solve import exact, sample

__all__ = ["Odds", "Question", "estimate", "exact", "odds", "sample"]
