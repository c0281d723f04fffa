"""Odds: how a battle is likely to end. The same stages as the real battle, unfolded exactly or sampled.

`ask.odds` answers for units that somebody names (`chain`: with the battles that come before), `solve` for a plan (`duel`: the
short way for plain ones), `estimate.estimate` quickly and roughly for policies. `touch` says how likely contact is kept at sea;
`compose` reads questions as people write them; `result` holds the answer, `text` and `chart` print it.
"""

from __future__ import annotations

from .ask import Question, odds
from .estimate import estimate
from .result import Odds
from .solve import exact, sample

__all__ = ["Odds", "Question", "estimate", "exact", "odds", "sample"]
