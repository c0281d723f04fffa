"""What the policies of 1914 think of: aircraft, and the wars of Japan."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from wteaw.bots import plan
from wteaw.bots.armies import Armies
from wteaw.core.dice import KeyedDice
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.core.state import State, unit_key
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.turn.context import Order
from wteaw.world.geography import Geography
from wteaw.world.world import World

from .small import front_of


@cache
def loaded() -> tuple[Ruleset, State, Geography]:
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    return ruleset, initial_state(ruleset, data), Geography(ruleset)


@cache
def only(policy: str, *wanted: str) -> Ruleset:
    """The rules with one policy, of whose acts and moves only these are left (of its keys, those that are
    named)."""
    ruleset, _, _ = loaded()
    row = ruleset.rows("policies")[policy]
    few = {
        "id": policy,
        "actions": [rule for rule in row["actions"] if rule["action"] in wanted],
        "moves": [rule for rule in row.get("moves", ()) if rule["order"] in wanted],
        **{key: row[key] for key in wanted if key in row},
    }
    forms = {form: dict(ruleset.rows(form)) for form in ruleset.forms} | {"policies": {policy: few}}
    return Ruleset("t", "t", forms, ruleset.sequence)


def start(**money: int) -> State:
    """The start of the game, in which Germany fights France, and what its main purse holds besides the 23 in its colonies."""
    state = loaded()[1].copy()
    state.put("relations", "french-empire--german-empire", "*", {"stance": "war"})
    for purse, n in money.items():
        state.put("treasuries", f"german-empire/{purse}", "money", n)
    return state


def ordered(ruleset: Ruleset, state: State, nation: str, games: int) -> list[Order]:
    """What a nation orders, by so many dice."""
    out: list[Order] = []
    for n in range(games):
        world = World(ruleset, state.copy(), geography=loaded()[2])
        stream = KeyedDice(b"game %d" % n, 1).stream(step="input", rule="policies/plan", subject=nation)
        out += plan(world, nation, stream)
    return out


def sought(state: State) -> Counter[str]:
    found = ordered(only("camp", "research"), state, "german-empire", 40)
    return Counter(str(loaded()[0].row("technologies", o["slots"]["tech"])["category"]) for o in found)


def test_a_great_power_with_enemy_cities_in_reach_tries_for_better_aircraft() -> None:
    """With 80 points in all it does, if a fifth of what is at home pays for a try (12); with 79 it keeps to what its army
    needs, and so it does where it is late, or fights far off; with 59 at home it tries for nothing."""
    able, poor = start(berlin=60), start(berlin=60, **{"german-east-africa": 10})
    short = start(berlin=59, **{"german-east-africa": 20})
    late, far = start(berlin=200), start(berlin=200)
    late.put("game", "game", "turn", 19)
    for foe in ("french-empire--german-empire", "german-empire--russian-empire", "german-empire--serbia"):
        far.put("relations", foe, "*", {"stance": "peace"})
    assert sought(able)["air"] > 20
    assert sought(able).keys() >= sought(poor).keys() > set()
    assert not sought(short)
    for state in (poor, late, far):
        assert sought(state)["air"] < 6


def test_it_does_not_go_on_past_what_bombing_needs() -> None:
    state = start(berlin=200)
    state.put("techs", "german-empire", "*", {"improved-bombers": 3, "improved-fighters": 2})
    assert sought(state)["air"] < 6


@pytest.mark.parametrize(("level", "bombs"), [(2, False), (3, True)])
def test_bombers_that_can_bomb_a_city_two_borders_away(level: int, bombs: bool) -> None:
    state = start()
    state.put("techs", "german-empire", "*", {"improved-bombers": level})
    state.put(
        "units",
        unit_key("german-empire", "bomber", "cologne"),
        "*",
        {"owner": "german-empire", "kind": "bomber", "place": "cologne", "n": 2},
    )
    found = ordered(only("camp", "bomb-city"), state, "german-empire", 8)
    targets = {str(o["slots"]["target"]) for o in found}
    geography = loaded()[2]
    assert bool(targets) == bombs
    assert not bombs or {geography.distance("cologne", t) for t in targets} == {1, 2}


def test_japan_goes_to_war_on_the_mainland_with_china_rather_than_russia_and_not_always() -> None:
    """In each of ten turns; beside a war with either it begins no other."""
    state = start()
    state.put("game", "game", "turn", 8)
    state.put("flags", "nation:japan", "geared-up", {"since": 2})
    ruleset = only("rising-sun", "declare-war", "declare-limited-war")
    wars = Counter(str(o["slots"]["target"]) for o in ordered(ruleset, state, "japan", 300))
    peace = (1 - (wars["china"] + wars["russian-empire"]) / 300) ** 10
    assert wars["china"] > wars["russian-empire"] > 0 and 0.1 < peace < 0.5
    state.put("relations", "china--japan", "*", {"stance": "war"})
    assert not ordered(ruleset, state, "japan", 60)


@pytest.mark.parametrize(("guards", "manned"), [(2, True), (3, False)])
def test_facilities_fight_where_few_guards_face_enemies(guards: int, manned: bool) -> None:
    state = start()
    for key, _ in list(state.stacks(at="breslau")):
        state.put("units", key, "*", None)
    here = {"owner": "german-empire", "kind": "infantry", "place": "breslau", "n": guards}
    state.put("units", unit_key("german-empire", "infantry", "breslau"), "*", here)
    found = ordered(only("camp", "man-facilities"), state, "german-empire", 12)
    assert ("breslau" in {o["slots"]["place"] for o in found}) == manned


def test_who_fights_for_no_camp_has_no_enemies_among_neutrals() -> None:
    """America fights Japan alone, before the Philippines: nothing is manned against Mexico, which is of no camp either, until they
    are at war."""
    state = start()
    state.put("relations", "japan--usa", "*", {"stance": "war"})
    ruleset = only("camp", "man-facilities")
    assert {o["slots"]["place"] for o in ordered(ruleset, state, "usa", 6)} == {"philippines"}
    state.put("relations", "mexico--usa", "*", {"stance": "war"})
    assert "la" in {o["slots"]["place"] for o in ordered(ruleset, state, "usa", 12)}


@pytest.mark.parametrize(
    ("nation", "place", "foe", "near", "stay"),
    [
        ("german-empire", "berlin", "russian-empire", "danzig", 10),  # half of what it is worth
        ("german-empire", "breslau", "russian-empire", "lodz", 1),
        (
            "serbia",
            "serbia-territory",
            "austria-hungary",
            "bosnia",
            2,
        ),  # who has few men needs them elsewhere
    ],
)
def test_a_capital_next_to_enemies_keeps_guards_however_few_are_seen(
    nation: str, place: str, foe: str, near: str, stay: int
) -> None:
    ruleset, _, geography = loaded()
    state = start()
    state.put("relations", "--".join(sorted((nation, foe))), "*", {"stance": "war"})
    for key in list(state.table("units")):
        state.put("units", key, "*", None)
    for owner, here, n in ((nation, place, 40), (foe, near, 1)):
        state.put("places", here, "holder", owner)
        row = {"owner": owner, "kind": "infantry", "place": here, "n": n}
        state.put("units", unit_key(owner, "infantry", here), "*", row)
    war = ruleset.rows("policies")["middle-powers" if nation == "german-empire" else "camp"]["war"]
    world = World(ruleset, state, geography=geography)
    assert front_of(world, nation, war).garrison(place) == {"infantry": stay}


@pytest.mark.parametrize(
    ("lost", "invaded"),
    [(("estonia", "latvia"), False), (("estonia", "latvia", "lithuania"), True), (("moscow",), True)],
)
def test_who_has_lost_land_of_some_weight_together_keeps_his_money_for_the_army(
    lost: tuple[str, ...], invaded: bool
) -> None:
    ruleset, _, geography = loaded()
    state = start()
    state.put("relations", "german-empire--russian-empire", "*", {"stance": "war"})
    for place in lost:
        state.put("places", place, "holder", "german-empire")
    world = World(ruleset, state, geography=geography)
    assert world.test("is_invaded(nation('russian-empire'))", {}) == invaded


@pytest.mark.parametrize(
    ("zone", "closes"), [("gulf-of-mexico", True), ("gulf-of-tehuantepec", True), ("middle-atlantic", False)]
)
def test_panama_is_closed_to_an_enemy_whose_ships_are_seen_before_it(zone: str, closes: bool) -> None:
    """Neutrals resent a closed canal; so it is closed for a reason only."""
    ruleset, _, _ = loaded()
    rows = ruleset.rows("policies")
    rule = next(r for r in rows["war-on-trade"]["actions"] if r["action"] == "close-passage")
    forms = {form: dict(ruleset.rows(form)) for form in ruleset.forms} | {
        "policies": {"p": {"id": "p", "actions": [rule]}}
    }
    state = start()
    state.put("game", "game", "turn", 5)
    state.put("nations", "usa", "side", "allied")
    state.put("relations", "german-empire--usa", "*", {"stance": "war"})
    ship = {"owner": "german-empire", "kind": "destroyer", "place": zone, "n": 1}
    state.put("units", unit_key("german-empire", "destroyer", zone), "*", ship)
    found = ordered(Ruleset("t", "t", forms, ruleset.sequence), state, "usa", 20)
    assert bool(found) is closes
    assert {o["slots"]["passage"] for o in found} <= {"panama-canal"}


@pytest.mark.parametrize(
    ("place", "turn", "wanted"), [("berlin", 9, True), ("posen", 9, False), ("berlin", 23, False)]
)
def test_a_conquest_of_great_worth_is_incorporated_though_land_is_lost_elsewhere(
    place: str, turn: int, wanted: bool
) -> None:
    """Berlin costs 40 of 79 points: more than who is invaded spends on acts of all kinds, but for this."""
    state = loaded()[1].copy()
    state.put("game", "game", "turn", turn)
    for foe in ("german-empire--russian-empire", "japan--russian-empire"):
        state.put("relations", foe, "*", {"stance": "war"})
    for lost in ("vladivostok", "khabarovsk", "sakhalin", "amur"):
        state.put("places", lost, "holder", "japan")
    state.put("places", place, "holder", "russian-empire")
    state.put("places", place, "incorporated", False)
    for purse in list(state.table("treasuries")):
        if purse.startswith("russian-empire/"):
            state.put("treasuries", purse, "money", 12 if place == "posen" else 79)
    orders = ordered(only("camp", "incorporate", "actions_share"), state, "russian-empire", 10)
    assert any(o["slots"]["place"] == place for o in orders) is wanted


@pytest.mark.parametrize(("shore", "goes_to"), [("jamaica", None), ("texas", "jamaica")])
def test_troops_wait_for_ships_that_bring_them_nearer_and_go_to_and_fro_no_more(
    shore: str, goes_to: str | None
) -> None:
    """Ships in the Gulf of Mexico could take them to Panama, on eight voyages to Burma, and back in the next
    turn; other ships take them to Aleppo in four."""
    ruleset, state, geography = loaded()
    state = state.copy()
    for ally in ("british-empire", "french-empire"):
        state.put("nations", ally, "side", "allied")
    state.put("nations", "usa", "side", "allied")
    ship = {"owner": "usa", "kind": "transport", "place": "gulf-of-mexico", "n": 1}
    state.put("units", unit_key("usa", "transport", "gulf-of-mexico"), "*", ship)
    world = World(ruleset, state, geography=geography)
    war = ruleset.row("policies", "island")["war"]
    armies = Armies(front_of(world, "usa", war), war["sea"]["armies"])
    vars(armies)["_shores"] = {
        "aleppo": (12, ("eastern-mediterranean",), False),
        "burma": (12, ("bay-of-bengal",), False),
    }
    pool = armies._pool("gulf-of-mexico")
    assert pool is not None
    goal = armies._goal(pool, {"infantry": 1}, start="gulf-of-mexico", but=shore)
    assert (goal and goal.place) == goes_to


def straits(state: State) -> set[tuple[str, ...]]:
    """To whom the Ottoman Empire closes the straits, in each of 30 games in which it does."""
    rows = loaded()[0].rows("policies")
    rule = next(r for r in rows["war-on-trade"]["actions"] if r["action"] == "close-passage")
    forms = {form: dict(loaded()[0].rows(form)) for form in loaded()[0].forms}
    forms["policies"] = {"p": {"id": "p", "actions": [rule]}}
    found = ordered(Ruleset("t", "t", forms, loaded()[0].sequence), state, "ottoman-empire", 30)
    return {tuple(o["slots"]["nations"]) for o in found}


def test_the_straits_are_closed_to_all_great_enemies_at_once_and_not_again() -> None:
    state = start()
    state.put("nations", "ottoman-empire", "side", "central")
    for foe in ("british-empire", "russian-empire"):
        state.put("relations", "--".join(sorted((foe, "ottoman-empire"))), "*", {"stance": "war"})
    assert straits(state) == {("british-empire", "russian-empire")}
    state.put("passages", "bosporus-dardanelles", "barred", ["british-empire", "russian-empire"])
    assert straits(state) == set()
    state.put("relations", "italy--ottoman-empire", "*", {"stance": "war"})
    assert straits(state) == {("italy",)}


@pytest.mark.parametrize(("guns", "buys"), [(19, True), (20, False)])
def test_nobody_buys_more_guns_than_one_for_every_two_of_its_infantry(guns: int, buys: bool) -> None:
    ruleset, state, geography = loaded()
    state = state.copy()
    for key, _ in list(state.stacks(owner="russian-empire")):
        state.put("units", key, "*", None)
    for kind, n in (("infantry", 40), ("artillery", guns)):
        row = {"owner": "russian-empire", "kind": kind, "place": "kiev", "n": n}
        state.put("units", unit_key("russian-empire", kind, "kiev"), "*", row)
    world = World(ruleset, state, geography=geography)
    weight = ruleset.row("policies", "camp")["purchases"][0]["mix"]["artillery"]
    assert (world.number(weight, {"self": world.thing("russian-empire", "nation")}) > 0) == buys


def test_who_defends_the_capital_is_lost_by_how_well_they_defend_and_elsewhere_by_price() -> None:
    """Money counts for nothing there. Artillery defends worse than infantry, and costs more."""
    ruleset, _, _ = loaded()
    rows = ruleset.rows("policies")
    forms = {form: dict(ruleset.rows(form)) for form in ruleset.forms}
    forms["policies"] = {"p": {"id": "p", "orders": rows["last-stand"]["orders"]}}
    state = start()
    state.put("places", "reims", "holder", "german-empire")
    for kind in ("infantry", "artillery"):
        for place in ("paris", "amiens"):
            row = {"owner": "french-empire", "kind": kind, "place": place, "n": 3}
            state.put("units", unit_key("french-empire", kind, place), "*", row)
    found = ordered(Ruleset("t", "t", forms, ruleset.sequence), state, "french-empire", 1)
    assert [o["text"] for o in found] == ["hold Paris: lose strait guard, anti-air gun, artillery, infantry"]
