"""Losses inflicted against those to be expected, from what a player is told of a battle, computed by hand and by the odds."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from wteaw.battle import fight
from wteaw.core.dice import ScriptedDice
from wteaw.odds.dice_statistics import Onlooker
from wteaw.report.fights import gravest
from wteaw.report.fought import fights_in
from wteaw.report.inflicted import Inflicted, inflicted, together
from wteaw.report.wording import Wording

from .battlefield import Field


def told(field: Field, *dice: int, reader: str = "a") -> Inflicted | None:
    """What the reader's dice inflicted in the battle that these dice make."""
    field.turn.dice = source = ScriptedDice(list(dice))
    source.onlooker = Onlooker()
    fight.run({"battles": ["land"]}, field.turn)
    assert not source.unused()
    words = Wording(field.turn.world, reader)
    (one,) = gravest(fights_in(field.turn.journal.entries), words)
    return inflicted([*one.preludes, one], reader, words)


def test_one_round_by_hand() -> None:
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=3, options={"withdraw-after": 1})
    found = told(field, 1, 9, 9, 9, 9)
    assert found is not None and found.losses == 1
    fell = [min(sum(hit), 2) for hit in product((0, 1), repeat=3)]
    weight = [0.3 ** sum(h) * 0.7 ** (3 - sum(h)) for h in product((0, 1), repeat=3)]
    by_hand = [sum(w for f, w in zip(fell, weight, strict=True) if f == n) for n in range(3)]
    assert found.chances == pytest.approx(by_hand), (
        "three dice hit on 3 or less; of two defenders no more than two fall"
    )
    assert found.expected == pytest.approx(3 * 0.3 - 0.3**3) and found.band == (0, 2)
    assert found.better_than == pytest.approx(by_hand[0] + by_hand[1] / 2)


def test_rounds_count_as_they_began_and_agree_with_the_odds() -> None:
    """The mean is that of the luck of a game that has ended, which knows every rule: the page knows what it was told."""
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=2)
    found = told(field, 1, 9, 9, 9, 2, 9, 9)
    source: Any = field.turn.dice
    shares = [t.shares["a"] for t in source.onlooker.throws]
    assert found is not None and found.losses == sum(s.dealt for s in shares) == 2
    assert found.expected == pytest.approx(sum(s.dealt_mean for s in shares))


def test_hits_that_nobody_is_left_to_take_count_nothing() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=3)
    found = told(field, 1, 1, 1, 9)
    assert found is not None and found.losses == 1 and found.expected == pytest.approx(1 - 0.7**3)
    assert found.band == (0, 1) and len(found.chances) == 2


def test_the_defender_reads_his_own_and_an_onlooker_nothing() -> None:
    for reader, losses in (("d", 0), ("b", None)):
        field = Field().units("d", "p", infantry=1)
        field.attack("a", "x", "p", infantry=3)
        found = told(field, 1, 1, 1, 9, reader=reader)
        assert (found and found.losses) == losses


def test_several_battles_are_told_as_one() -> None:
    both = together([Inflicted(1, (0.5, 0.5)), Inflicted(0, (0.5, 0.5))])
    assert (both.losses, both.chances, both.band, both.better_than) == (1, (0.25, 0.5, 0.25), (0, 2), 0.5)
