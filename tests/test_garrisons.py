"""Who must stay when others go (`leaves` of a way of moving): the check, the forms, the lists, bots and the referee agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.bots import plan
from wteaw.cli import _run
from wteaw.core.dice import KeyedDice, ScriptedDice
from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.orders.intake import Intake, take_in
from wteaw.orders.legal import legal_orders
from wteaw.orders.sheet_layout import order_template
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.play.starter import begin
from wteaw.turn.referee import start
from wteaw.world.world import World
from wteaw_web.order_menu import menu_of


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ruleset, State]:
    """The shipped game of conquest as its first player finds it."""
    made = begin(tmp_path_factory.mktemp("rules") / "small", game="conquest")
    scenario, ruleset, found = load_scenario(made.scenario)
    assert scenario is not None and ruleset is not None, found
    return ruleset, start(ruleset, initial_state(ruleset, scenario), KeyedDice(b"0" * 32, 1)).position.state


def standing(game: tuple[Ruleset, State], **armies: int) -> World:
    """The world with so many armies of Amber at its places."""
    ruleset, state = game[0], game[1].copy()
    for place, n in armies.items():
        state.put("units", f"amber.army@{place}", "n", n)
    return World(ruleset, state)


def sent(world: World, *lines: str) -> Intake:
    return take_in(world.ruleset, "\n".join(lines), lambda _: world, nation="amber")


def told(taken: Intake) -> list[str]:
    return [
        f"{one.message}; {one.hint}" if one.hint else one.message
        for one in taken.found
        if one.severity == "error"
    ]


def test_all_but_one_may_go(game: tuple[Ruleset, State]) -> None:
    """Both sides of the threshold, told once and in words."""
    world = standing(game)
    assert len(sent(world, "attack jorn from orrin with 2 armies").intents) == 1
    (why,) = told(sent(world, "attack jorn from orrin with 3 armies"))
    assert "1 army must stay in Orrin" in why and "at most 2" in why
    (why,) = told(sent(world, "attack jorn from orrin with 4 armies"))
    assert "4 armies ordered, 3 in Orrin" in why and "at most 2" in why


def test_all_is_all_that_may_go(game: tuple[Ruleset, State]) -> None:
    for words in ("all", "all armies"):
        (intent,) = sent(standing(game), f"attack jorn from orrin with {words}").intents
        assert intent.units == {"army": 2}
    (why,) = told(sent(standing(game, orrin=1), "attack jorn from orrin with all armies"))
    assert "1 army must stay in Orrin" in why and "nobody may go" in why


def test_orders_of_one_place_together(game: tuple[Ruleset, State]) -> None:
    """What one order takes is gone for the next, by another way, too; another place is its own."""
    first = "attack jorn from orrin with 1 army"
    assert len(sent(standing(game), first, "attack nesk from orrin with 1 army").intents) == 2
    assert len(sent(standing(game), first, "attack nesk from orrin with 2 armies").intents) == 1
    assert len(sent(standing(game), first, "shift 2 armies from orrin to quill").intents) == 1
    assert len(sent(standing(game), first, "attack isel from hark with 2 armies").intents) == 2


def test_the_sheet_and_the_lists_offer_what_may_go(game: tuple[Ruleset, State]) -> None:
    world = standing(game, quill=1)
    sheet = order_template(world, "amber", game="g")
    assert "attack ? from Orrin with 2 armies" in sheet and "from Quill" not in sheet
    listed = {str(e.slots["origin"]): e for e in legal_orders(world, "amber", ["orders/attack"])}
    assert set(listed) == {"hark", "marn", "orrin"}
    assert listed["orrin"].slots["units"] == {"army": 2} and listed["orrin"].most == 2
    shown = {place: [u.there for c in menu_of(world, "amber").places.get(place, ()) if c.key == "orders/attack" for u in c.units]
             for place in ("orrin", "quill")}  # fmt: skip
    assert set(shown["orrin"]) == {2} and not any(shown["quill"])


def test_bots_order_nothing_that_is_refused(game: tuple[Ruleset, State]) -> None:
    """With few and with many armies, what the built-in player orders stands, and somebody stays."""
    for n in (1, 2, 3, 9):
        world = standing(game, hark=n, marn=n, orrin=n, quill=n)
        moves = [
            o
            for o in plan(
                world,
                "amber",
                ScriptedDice([1] * 500).stream(step="input", rule="policies/p", subject="amber"),
            )
            if "units" in o["slots"]
        ]
        gone: dict[str, int] = {}
        for order in moves:
            origin = order["slots"]["origin"]
            gone[origin] = gone.get(origin, 0) + sum(order["slots"]["units"].values())
        assert all(number <= n - 1 for number in gone.values())
        assert bool(moves) == (n == 9) or n in (2, 3)


CASES = """
given: {units: {orrin: {amber: {army: 3}}, jorn: {cedar: {army: 1}}, hark: {amber: {army: 3}}}}
cases:
  - id: the-referee-asks-too
    title: An order that nobody has checked is not carried out either
    orders: {amber: [attack jorn from orrin with 3 armies]}
    past_the_door: true
    when: [attacks]
    then: {refused: [{order: 1, says: 1 army must stay in Orrin}], units: {orrin: {amber: {army: 3}}, jorn: {cedar: {army: 1}}}}
    why: the garrison is a rule of the game, not of the form
  - id: as-many-as-an-expression-says
    title: Two stay where two roads meet an enemy, and one elsewhere
    given: {rules: {movement: [{id: attack, leaves: "=2 if place == place('orrin') else 1"}]}}
    orders: {amber: [attack jorn from orrin with 2 armies, attack isel from hark with 2 armies]}
    when: [attacks]
    then: {refused: [{order: 1, says: 2 armies must stay in Orrin}], units: {orrin: {amber: {army: 3}}, hark: {amber: {army: 1}}}}
  - id: of-several-kinds
    title: Whoever stays is a garrison, of whatever kind; of all the most numerous kind leaves one behind
    given:
      made_up: {units: {guard: {name: guard, plural: guards, tags: [army]}}}
      units: {orrin: {amber: {army: 3, guard: 1}}, hark: {amber: {army: 2, guard: 1}}}
    orders: {amber: [attack jorn from orrin with 3 armies, attack isel from hark with all]}
    when: [attacks]
    then: {units: {orrin: {amber: {guard: 1}}, hark: {amber: {army: 1}}}}
"""


def test_the_referee_asks_it_too(tmp_path: Path) -> None:
    made = begin(tmp_path / "small", game="conquest")
    (made.folder / "tests" / "more.yaml").write_text(CASES, encoding="utf-8")
    assert _run(["test", str(made.folder)]) in (0, None)
