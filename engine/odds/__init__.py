"""Odds: how a battle is likely to end. The same stages as the real battle, unfolded exactly or sampled.

`ask` sets up a question of units that somebody names, `chain.odds` answers it with the battles that come
before; `solve` answers for a plan (`simple_battle`: the short way for plain ones), `estimate.estimate`
quickly and roughly for policies. `contact_chance` says how likely contact is kept at sea; `result` holds the
answer, `text` and `chart` print it.
"""

from __future__ import annotations

from .ask import Question
from .chain import odds
from .estimate import estimate
from .result import Odds
from .solve import exact, sample

__all__ = ["Odds", "Question", "estimate", "exact", "odds", "sample"]
