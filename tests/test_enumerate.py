"""Every way the dice can fall: equal positions are gone on from once, rings come to their exact end, the limit is seen at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from wteaw.ruleset import load_ruleset
from wteaw.testing.cases import read
from wteaw.testing.enumerate import Branch, TooManyPlays, outcomes
from wteaw.testing.runner import Runner

from .folders import own_cache, write
from .long_ones import LONG

__all__ = ["own_cache"]


def table(play: object) -> dict[object, Fraction]:
    found: dict[object, Fraction] = {}
    for chance, value in outcomes(play):  # type: ignore[arg-type]
        found[value] = found.get(value, Fraction(0)) + chance
    return found


def test_sums_that_are_equal_are_gone_on_from_once() -> None:
    plays = []

    def play(branch: Branch) -> int:
        plays.append(1)
        total = 0
        for n in range(9):
            total += branch.stream(step="s", rule="r", subject=str(n)).roll("1d10")
            branch.checkpoint(lambda n=n, total=total: f"{n} {total}")  # type: ignore[misc]
        return total

    found = table(play)
    assert found[9] == Fraction(1, 10**9) and sum(found.values()) == 1
    assert sum(total * chance for total, chance in found.items()) == Fraction(99, 2)  # type: ignore[operator]
    assert len(plays) < 9 * 90 * 10


def test_positions_may_come_back_after_others() -> None:
    def play(branch: Branch) -> str:
        while True:
            for who in ("first", "second"):
                branch.checkpoint(who.strip)
                if branch.stream(step="s", rule="r", subject=who).roll("1d6") == 6:
                    return who

    assert table(play) == {"first": Fraction(6, 11), "second": Fraction(5, 11)}


def test_a_ring_that_nothing_leads_out_of_is_told() -> None:
    def play(branch: Branch) -> None:
        while True:
            branch.checkpoint("here".strip)
            branch.stream(step="s", rule="r", subject="").roll("1d6")

    with pytest.raises(TooManyPlays, match="circle"):
        list(outcomes(play))


def test_too_many_ways_are_seen_long_before_they_are_played() -> None:
    plays = []

    def play(branch: Branch) -> None:
        plays.append(1)
        branch.stream(step="s", rule="r", subject="").faces(9, 10)

    with pytest.raises(TooManyPlays, match="1,000,000,000"):
        list(outcomes(play))
    assert len(plays) < 1000


RULES = """
stances: [{id: peace, default: true}]
nations: [{id: red, name: Red}, {id: gray, name: Gray}]
tracks: [{id: mood, signed: true}, {id: luck, signed: true}]
events:
  - id: draws
    on: {joined: {by: red}}
    effects:
      - for: nations()
        roll: 1d10
        results:
          1..3: [{shift: {who: =nation, track: mood, by: 0..5}}, {shift: {who: =nation, track: mood, by: 1}}]
          else: [{shift: {who: =nation, track: luck, by: 0..5}}]
      - {shift: {who: red, track: luck, by: =result_of(nation('red'))}}
  - id: tests
    on: {joined: {by: gray}}
    effects:
      - {for: "set_of(nation('red'), nation('gray'))", roll: {die: 1d1000, at_most: 300}, effects: [{shift: {who: red, track: luck, by: 1}}]}
      - {for: nations(), roll: {die: 1d1000, at_least: 701}, effects: [{shift: {who: red, track: luck, by: 1}}]}
      - {for: nations(), roll: {die: 1d1000, faces: 701..1000}, effects: [{shift: {who: red, track: luck, by: 1}}]}
      - {roll: {die: 1d6, at_least: 3}, effects: [{shift: {who: gray, track: luck, by: =result}}]}
definitions: [{id: result_of, of: [nation], is: "1 if track(nation, 'mood') > 0 else 0"}]
"""
CASES = """
cases:
  - id: effects-left-to-do-tell-equal-states-apart
    when: {trigger: {joined: {by: red}}}
    then:
      chances: {"track('red', 'mood') == 1": 1/20, "track('red', 'luck') == 5": 7/60, "track('gray', 'mood')": {0: 7/10, 6: 1/20}}
      ranges: {"track('red', 'luck')": [0, 5]}
  - id: four-times-a-draw
    when: [{effects: &draw [{shift: {who: gray, track: luck, by: 0..9}}]}, {effects: *draw}, {effects: *draw}, {effects: *draw}, {effects: *draw}]
    then: {means: {"track('gray', 'luck')": 45/2}, chances: {"track('gray', 'luck') == 0": 1/100000}}
  - id: of-a-test-only-its-threshold-counts
    when: {trigger: {joined: {by: gray}}}
    then:
      chances: {"track('red', 'luck') == 6": 729/1000000, "track('red', 'luck') == 0": 117649/1000000, "track('gray', 'luck')": {0: 1/3, 6: 1/6}}
  - id: what-is-read-of-the-journal-keeps-ways-apart
    when: {trigger: {joined: {by: red}}}
    then: {ranges: {"track('gray', 'mood')": [0, 6]}, journal: [{rule: events/draws, times: 1}]}
  - id: what-is-wrong-in-between-is-not-forgotten
    when:
      - {trigger: {joined: {by: red}}, then: {values: {"track('gray', 'mood') < 6": true}}}
      - {effects: [{shift: {who: gray, track: mood, by: 1}}]}
    then: {ranges: {"track('gray', 'mood')": [1, 7]}}
"""


@LONG
def test_cases_are_followed_from_one_thing_done_to_the_next(tmp_path: Path) -> None:
    folder = write(tmp_path, {"tables/t.yaml": RULES, "tests/c.yaml": CASES})
    ruleset, found = load_ruleset(folder)
    assert ruleset is not None, found
    runner = Runner(ruleset)
    results = {c.id: runner.run(c) for c in read(folder / "tests/c.yaml").cases}
    assert [(r.id, r.failures) for r in results.values() if r.status != "passed"][:1] == [
        (
            "what-is-wrong-in-between-is-not-forgotten",
            results["what-is-wrong-in-between-is-not-forgotten"].failures,
        )
    ]
