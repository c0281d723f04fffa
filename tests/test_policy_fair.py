"""What no fair player of 1914 would do, and policies did: join a war that is lost, give back what they have conquered, leave a
capital to its guns, dismantle what stays theirs; and what a nation orders that was founded in the course of a game."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.core.state import State, unit_key
from wteaw.orders.check import check
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.turn.context import Order
from wteaw.world.geography import Geography
from wteaw.world.world import World

SCENARIOS = ("1914", "third-edition-1914")


@cache
def loaded(scenario: str = "1914") -> tuple[Ruleset, State, Geography]:
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    return ruleset, initial_state(ruleset, data), Geography(ruleset)


def start(turn: int, scenario: str = "1914") -> State:
    state = loaded(scenario)[1].copy()
    state.put("game", "game", "turn", turn)
    return state


def put(state: State, owner: str, place: str, **kinds: int) -> None:
    """Nobody stands in a place but these."""
    for key, _ in list(state.stacks(at=place)):
        state.put("units", key, "*", None)
    for kind, n in kinds.items():
        row = {"owner": owner, "kind": kind, "place": place, "n": n}
        state.put("units", unit_key(owner, kind, place), "*", row)


def ordered(state: State, nation: str, *keys: str, games: int = 12, scenario: str = "1914") -> list[Order]:
    """What a nation orders of some kinds, by so many dice."""
    ruleset, _, geography = loaded(scenario)
    out: list[Order] = []
    for n in range(games):
        world = World(ruleset, state.copy(), geography=geography)
        stream = KeyedDice(b"game %d" % n, 1).stream(step="input", rule="policies/plan", subject=nation)
        found = plan(world, nation, stream)
        assert check(World(ruleset, state.copy(), geography=geography), nation, found).found == []
        out += [order for order in found if order["order"] in keys]
    return out


@pytest.mark.parametrize("lost", [{}, {"surrendered": {"since": 12}}, {"conquered": {"since": 12}}])
def test_nobody_joins_a_camp_of_whose_great_powers_half_are_out_of_the_war(lost: dict[str, Any]) -> None:
    """The Ottomans joined Germany three turns after its surrender."""
    state = start(15)
    state.put("tracks", "ottoman-empire", "opinion", -12)
    for mark, row in lost.items():
        state.put("flags", "nation:german-empire", mark, row)
    assert bool(ordered(state, "ottoman-empire", "actions/join-camp", games=20)) == (not lost)


@pytest.mark.parametrize(
    ("incorporated", "conquered", "taken", "refused"),
    [
        (False, True, True, True),
        (False, False, True, True),
        (True, True, True, False),
        (False, False, False, False),
    ],
)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_small_nation_gets_no_peace_while_its_land_would_go_back(
    scenario: str, incorporated: bool, conquered: bool, taken: bool, refused: bool
) -> None:
    """Austria holds Serbia, which is conquered or is going to be: it refuses until Serbia is its own, and so does Germany, which has
    a vote."""
    state = start(11, scenario)
    world = World(loaded(scenario)[0], state)
    for place in [p for p in world.ruleset.rows("places") if taken and world.holder_of(p) == "serbia"]:
        state.put("places", place, "holder", "austria-hungary")
        state.put("places", place, "incorporated", incorporated)
        put(state, "austria-hungary", place, infantry=4)
    if conquered:
        state.put("flags", "nation:serbia", "conquered", {"since": 10})
    for nation in ("austria-hungary", "german-empire"):
        answers = ordered(state, nation, "decisions/surrender", games=2, scenario=scenario)
        assert [a["slots"] for a in answers] == [{"of": "serbia", "answer": "refuse"}] * (2 if refused else 0)


def test_land_of_the_conquered_is_incorporated_at_once() -> None:
    """Now and then it was put off, and given back in the peace of the next turn."""
    state = start(11)
    state.put("places", "serbia-territory", "holder", "austria-hungary")
    state.put("places", "serbia-territory", "incorporated", False)
    put(state, "austria-hungary", "serbia-territory", infantry=4)
    state.put("flags", "nation:serbia", "conquered", {"since": 10})
    state.put("treasuries", "austria-hungary/vienna", "money", 120)
    assert len(ordered(state, "austria-hungary", "actions/incorporate", games=20)) == 20


@pytest.mark.parametrize(("scenario", "men"), [("1914", 0), ("1914", 30), ("third-edition-1914", 0)])
def test_a_capital_is_not_left_to_its_guns(scenario: str, men: int) -> None:
    """Russians at the gate of Berlin, many guns in it, and infantry next door that is threatened, too: as many go as a capital keeps at
    least (7), unless Berlin has men of its own."""
    state = start(11, scenario)
    for place in ("posen", "danzig", "breslau"):
        state.put("places", place, "holder", "russian-empire")
        put(state, "russian-empire", place, infantry=30 if place == "breslau" else 9)
    for place in ("hannover", "hamburg"):
        put(state, "german-empire", place)
    put(state, "german-empire", "leipzig", infantry=12)
    put(state, "german-empire", "berlin", artillery=40, **({"infantry": men} if men else {}))
    moves = ordered(state, "german-empire", "orders/move", "orders/rail", games=4, scenario=scenario)
    came = [o for o in moves if o["slots"]["target"] == "berlin" and o["slots"]["origin"] == "leipzig"]
    assert sum(o["slots"]["units"]["infantry"] for o in came) == (0 if men else 4 * 7)


@pytest.mark.parametrize(("beside", "scrapped"), [(True, True), (False, False)])
def test_only_what_may_be_lost_again_is_dismantled(beside: bool, scrapped: bool) -> None:
    """Trieste, which Italy has taken from Austria and incorporated: while Austria stands at its border, and no longer."""
    state = start(14)
    state.put("nations", "italy", "side", "allied")
    state.put("relations", "austria-hungary--italy", "*", {"stance": "war"})
    for field, value in {"holder": "italy", "incorporated": True}.items():
        state.put("places", "trieste", field, value)
    put(state, "italy", "trieste", infantry=4)
    ruleset, _, geography = loaded()
    for near in () if beside else geography.next_to("trieste"):
        if ruleset.row("places", near)["kind"] == "land":
            state.put("places", near, "holder", "italy")
            put(state, "italy", near, infantry=1)
    orders = ordered(state, "italy", "actions/plunder-port", games=6)
    assert ("trieste" in {o["slots"]["place"] for o in orders}) == scrapped


def test_who_has_more_men_at_his_ports_than_ships_take_buys_ships() -> None:
    """Of a hundred at the East Coast nobody could go anywhere."""

    def bought(waiting: int) -> int:
        state = start(18)
        state.put("nations", "usa", "side", "allied")
        state.put("relations", "japan--usa", "*", {"stance": "war"})
        state.put(
            "wars",
            "japan--usa",
            "*",
            {"kind": "main", "parties": ["japan", "usa"], "since": 15, "by": "japan"},
        )
        put(state, "usa", "east-coast", infantry=waiting)
        state.put("treasuries", "usa/washington", "money", 0)
        state.put("treasuries", "usa/east-coast", "money", 200)
        found = ordered(state, "usa", "orders/build", games=10)
        return sum(int(o["slots"]["n"]) for o in found if o["slots"]["item"] == "transport")

    assert bought(100) > 2 * bought(4) > 0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_nation_that_was_founded_in_the_course_of_a_game_fights_and_buys(scenario: str) -> None:
    """Bolsheviks without a capital and without a camp, whose money lies in a purse of no place: they attack and march."""
    state = start(18, scenario)
    state.put("nations", "bolsheviks", "*", {"alive": True, "seat": "policy"})
    state.put("relations", "bolsheviks--russian-empire", "*", {"stance": "war"})
    parties = {"kind": "civil", "parties": ["bolsheviks", "russian-empire"], "since": 17, "by": "bolsheviks"}
    state.put("wars", "bolsheviks--russian-empire", "*", parties)
    for place in ("donetsk", "voronezh"):
        state.put("places", place, "holder", "bolsheviks")
        put(state, "bolsheviks", place, infantry=40)
    for near in loaded(scenario)[2].next_to("donetsk"):
        if near != "voronezh" and loaded(scenario)[0].row("places", near)["kind"] == "land":
            put(state, "russian-empire", near, infantry=2)
    state.put("treasuries", "bolsheviks/bolsheviks", "*", {"money": 60, "manpower": 60})
    state.put("treasuries", "bolsheviks/donetsk", "*", {"money": 60})
    moves = ordered(state, "bolsheviks", "orders/move", games=3, scenario=scenario)
    assert {m["slots"]["target"] for m in moves} and sum(
        sum(m["slots"]["units"].values()) for m in moves
    ) >= 3 * 20
    ruleset, _, geography = loaded(scenario)
    bare = start(18, scenario)
    bare.put(
        "nations", "bolsheviks", "*", {"alive": True, "seat": "policy"}
    )  # nothing and nobody is theirs yet
    stream = KeyedDice(b"none", 1).stream(step="input", rule="policies/plan", subject="bolsheviks")
    assert plan(World(ruleset, bare, geography=geography), "bolsheviks", stream) == []


def test_a_border_is_dug_up_by_one_order_only() -> None:
    """A trench and a ring of trenches had been ordered at one border in one turn: the second would do nothing."""
    state = start(6)
    state.put("treasuries", "german-empire/berlin", "money", 400)
    keys = [f"orders/{id_}" for id_ in loaded()[0].rows("orders")]
    found = ordered(state, "german-empire", *keys, games=4)  # which asks the door of all of them
    assert any("trench" in str(o["slots"].get("item")) for o in found)
