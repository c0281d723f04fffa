"""Battles at sea and in the air by the rows of the base ruleset: the published cases with their dice."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.model import Ruleset

from .battlefield import Field, rounds, ruleset

ZONES: dict[str, str | None] = {"sea": None, "sea-1": None, "sea-2": None, "x": "a", "p": "d", "q": "d"}
WAYS = [("sea", "sea-1", "sea"), ("sea", "sea-2", "sea"), ("sea", "x", "coast"), ("x", "p")]


def calm(**places: Any) -> Ruleset:
    """The base rules without a new look-out before every round."""
    rules = ruleset(ZONES, WAYS, **places)
    row = dict(rules.row("battles", "sea"))
    row["where"] = {"contacts": {**row["where"]["contacts"], "contact_again": False}}
    return Ruleset(
        rules.id,
        rules.title,
        {**rules.forms, "battles": {**rules.rows("battles"), "sea": row}},
        (),
        rules.manifest,
    )


def at_sea(attackers: dict[str, Any], defenders: dict[str, Any], **more: Any) -> Field:
    field = Field(calm())
    one = field.fleet("a", mission=more.get("mission"), options=more.get("options"), **attackers)
    other = field.fleet("d", mission=more.get("other"), **defenders)
    field.contact(one, other, more.get("row", "sighting"))
    return field


def test_ships_of_two_hits_are_damaged_first() -> None:
    field = at_sea({"destroyer": 2}, {"battleship": 1})
    entries = field.fight(4, 9, 8, 9, 4, 9, battle="sea")
    assert field.at("sea") == {"a": {"destroyer": 2}}
    assert [r["lost"]["defender"][0]["lost"] for r in rounds(entries)] == [False, True]


def test_battleships_on_bombardment_fire_at_a_quarter_in_the_first_round() -> None:  # s066
    field = Field(calm())
    german = field.fleet("a", mission="patrol", destroyer=2, options={"withdraw-after": 2})
    british = field.fleet("d", mission="shore-bombardment", battleship=1)
    field.contact(german, british)
    entries = field.fight(4, 8, 2, 9, 9, 7, battle="sea")
    first, second = rounds(entries)
    assert [f["value"] for f in first["fire"] if f["kind"] == "battleship"] == [1]
    assert [f["value"] for f in second["fire"] if f["kind"] == "battleship"] == [7]
    assert field.at("sea") == {"d": {"battleship": 1}}
    assert field.at("sea-1") == {"a": {"destroyer": 1}}
    assert [row["damage"] for _, row in field.state.stacks(at="sea", owner="d")] == [1]


def test_a_free_attack_is_answered_by_the_survivors_only() -> None:  # s078, s079
    field = at_sea(
        {"submarine": 2}, {"destroyer": 1}, row="ambush", mission="ambush", options={"withdraw-after": 1}
    )
    field.fight(5, 9, 2, battle="ambush")
    assert field.at("sea") == {"a": {"submarine": 1}, "d": {"destroyer": 1}}
    sunk = at_sea({"submarine": 2}, {"destroyer": 1}, row="ambush")
    sunk.fight(1, 9, battle="ambush")
    assert sunk.at("sea") == {"a": {"submarine": 2}}


def test_torpedoes_hit_no_aircraft() -> None:  # s083
    field = at_sea(
        {"submarine": 2},
        {"destroyer": 1, "fighter": {"n": 2, "fuel_left": 5}},
        row="ambush",
        options={"withdraw-after": 1},
    )
    field.fight(
        1, 2, 9, 9, 9, 9, 9, 9, battle="ambush"
    )  # the fighters hold them down for as long as their fuel lasts
    assert field.at("sea") == {"a": {"submarine": 2}, "d": {"fighter": 2}}


def test_aircraft_meet_the_ships_fire_and_their_guns_once() -> None:  # s111
    field = Field(calm())
    one = field.fleet("a", bomber={"n": 2, "fuel_left": 6}, options={"withdraw-after": 2})
    other = field.fleet("d", battleship={"n": 1, "guns": 2})
    field.state.put("techs", "d", "improved-anti-aircraft", 1)
    field.contact(one, other)
    entries = field.fight(9, 3, 5, 5, 6, 8, 4, 9, 7, 9, battle="sea")  # the last at the bombers as they leave
    assert field.at("sea") == {"d": {"battleship": 1}}
    stages = [[f["stage"] for f in r["fire"] if f["side"] == "defender"] for r in rounds(entries)]
    assert stages == [["defensive-fire", "ship-guns", "first-fire"], ["fire"]]
    assert sum(p["n"] for r in rounds(entries) for p in r["lost"].get("attacker", ())) == 1
    assert field.at("sea-1") == {"a": {"bomber": 1}}


def test_the_first_round_at_sea_step_by_step() -> None:  # s080
    field = Field(calm())
    one = field.fleet(
        "a",
        destroyer=1,
        fighter={"n": 2, "fuel_left": 5},
        options={"withdraw-after": 1, "loss-order": ["fighter"]},
    )
    other = field.fleet("d", destroyer=1)
    with field.turn.journal.entry("test/setup"):
        from wteaw.units import forces

        extra = field.put("d", "destroyer", "sea", 1, guns=1)
        field.turn.journal.alter_units(extra, 1, force=other)
    assert forces.strength(field.state, other) == {"destroyer": 2}
    field.state.put("techs", "d", "improved-anti-aircraft", 1)
    field.contact(one, other)
    entries = field.fight(3, 9, 5, 4, 6, 7, 2, battle="sea")
    assert field.at("sea") == {"d": {"destroyer": 1}}
    assert field.at("sea-1") == {"a": {"destroyer": 1}}
    assert len(rounds(entries)) == 1


def test_troopships_are_silent_in_the_first_round_and_go_down_with_what_they_carry() -> None:
    field = Field(calm())
    one = field.fleet("a", destroyer=2)
    other = field.fleet("d", mission="troop-transport", transport=2)
    field.put("d", "infantry", "sea", 4, aboard=other)
    field.state.put("forces", one, "options", {"withdraw-after": 1})
    field.contact(one, other)
    entries = field.fight(4, 9, battle="sea")
    assert field.at("sea") == {"d": {"transport": 1, "infantry": 2}}
    assert rounds(entries)[0]["cargo"] == [
        {"owner": "d", "kind": "infantry", "n": 2, "stage": "cargo", "lost": True}
    ]


def test_a_retreat_goes_where_no_enemy_is() -> None:  # s082
    field = at_sea({"destroyer": 1}, {"destroyer": 2}, options={"withdraw-after": 1})
    field.units("d", "sea-1", destroyer=1)
    field.fight(9, 9, 9, battle="sea")
    assert field.at("sea-2") == {"a": {"destroyer": 1}}


def test_fighters_meet_in_the_air_first_and_spend_their_fuel() -> None:  # s087, s109
    field = Field(calm())
    field.units("d", "p", infantry=1)
    field.put("d", "fighter", "p", 1)
    field.attack("a", "x", "p", fighter=2, options={"withdraw-after": 1})
    force = field.state.row("forces", "a#0001")
    for key, row in field.state.stacks(at="p", owner="a"):
        with field.turn.journal.entry("test/setup"):
            field.turn.journal.alter_units(key, row["n"], fuel_left=3)
    assert force["at"] == "p"
    entries = field.fight(2, 9, 9, 9, 9, 9, battle="land")
    assert [r["battle"] for r in rounds(entries)] == ["dogfight", "land"]
    assert [row["fuel_left"] for _, row in field.state.stacks(at="x", owner="a")] == [1]
    assert field.at("p")["d"] == {"infantry": 1}


def test_a_battle_ends_when_nobody_finds_anybody_any_more() -> None:  # s060
    field = Field(ruleset(ZONES, WAYS))
    one, other = field.fleet("a", destroyer=1), field.fleet("d", destroyer=1)
    field.contact(one, other)
    entries = field.fight(9, 9, 3, 9, 9, 4, battle="sea")  # a round, found again at 3, a round, missed
    assert [r["round"] for r in rounds(entries)] == [1, 2]
    end = entries[-1]
    assert end.data["lost_touch"] and end.data["winner"] is None
    assert field.at("sea") == {"a": {"destroyer": 1}, "d": {"destroyer": 1}}


def test_an_escort_that_comes_up_fires_a_round_before_it_is_fired_at() -> None:  # s052
    field = Field(calm())
    hunters = field.fleet("a", destroyer=2, options={"withdraw-after": 1})
    troops = field.fleet("d", mission="troop-transport", transport=1)
    escort = field.fleet("d", mission="escort", destroyer=1)
    field.contact(hunters, troops)
    field.contact(escort, hunters, "interception")
    field.fight(
        4, 4, 3, battle="sea"
    )  # two hits: the transport can take one, nobody the other; the escort hits
    assert field.at("sea") == {"d": {"destroyer": 1}}
    assert field.at("sea-1") == {"a": {"destroyer": 1}}


def test_both_sides_attack_if_both_have_found_each_other() -> None:
    field = Field(calm())
    one, other = field.fleet("a", destroyer=1, options={"withdraw-after": 1}), field.fleet("d", destroyer=1)
    pair = sorted((one, other))
    field.state.put(
        "contacts",
        "sighting:x",
        "*",
        {"pair": pair, "by": pair, "row": "sighting", "gives": "battle", "place": "sea"},
    )
    entries = field.fight(9, 9, battle="sea")
    assert [f["value"] for f in rounds(entries)[0]["fire"]] == [4, 4]


def test_in_a_joint_battle_values_go_by_the_force_that_made_contact() -> None:
    field = Field(calm())
    hunters = field.fleet("a", destroyer=1, options={"withdraw-after": 2})
    troops = field.fleet("d", mission="troop-transport", transport=1)
    escort = field.fleet("d", mission="escort", destroyer=1)
    field.contact(hunters, troops)
    field.contact(escort, hunters, "interception")
    entries = field.fight(9, 9, 9, 9, 9, battle="sea")
    said = [{f["kind"]: f["value"] for f in r["fire"] if f["owner"] == "d"} for r in rounds(entries)]
    assert said == [
        {"destroyer": 4},
        {"destroyer": 4, "transport": 1},
    ]  # the escort found them and attacks, its charge defends


@pytest.mark.parametrize(
    ("order", "left"),
    [
        ([], {"battleship": 1, "destroyer": 2}),
        (["destroyer"], {"battleship": 1}),
        (["battleship", "destroyer"], {"destroyer": 2}),
        (["battleship", "destroyer", "battleship"], {"battleship": 1, "destroyer": 1}),
    ],
)
def test_the_owners_order_of_losses_is_kept_for_ships_of_two_hits_too(
    order: list[str], left: dict[str, int]
) -> None:
    field = at_sea({"destroyer": 2}, {"battleship": 1, "destroyer": 2})
    foe = next(f for f, r in field.state.table("forces").items() if r["owner"] == "d")
    field.state.put("forces", foe, "options", {"loss-order": order} if order else {})
    own = next(f for f, r in field.state.table("forces").items() if r["owner"] == "a")
    field.state.put("forces", own, "options", {"withdraw-after": 1})
    hits = (1, 1) if order else (1, 9)
    field.fight(*hits, 9, 9, 9, battle="sea")
    assert field.at("sea")["d"] == left
