"""What the policies of No Man's Land think of: tokens for research."""

from __future__ import annotations

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.package_data import scenarios
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.world.world import World

PUBLISHED = "no-mans-land-1.4.2"


@pytest.mark.parametrize(
    ("scenario", "nation", "tokens", "tries"),
    [
        ("no-mans-land", "france", 2, 5),
        ("no-mans-land", "france", 0, 0),
        (PUBLISHED, "france", 2, 5),
        (PUBLISHED, "france", 0, 0),
        (PUBLISHED, "serbia", 2, 0),
    ],
)
def test_for_tokens_that_are_kept_a_die_is_rolled_every_turn_and_nothing_paid(
    scenario: str, nation: str, tokens: int, tries: int
) -> None:
    """With 30 PUs nobody buys tokens; Serbia does not research."""
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)
    state.put("treasuries", nation, "pu", 30)
    state.put("treasuries", nation, "research-token", tokens)
    found = []
    for n in range(5):
        stream = KeyedDice(b"game %d" % n, 1).stream(step="input", rule="policies/plan", subject=nation)
        found += plan(World(ruleset, state.copy()), nation, stream)
    research = [o for o in found if o["order"] == "actions/research"]
    assert [o["slots"].get("n", 0) for o in research] == [0] * tries
