"""Battles on land by the rows of the base ruleset: the published cases with their dice, one by one."""

from __future__ import annotations

from typing import Any

from wteaw.units import forces

from .battlefield import LINKS, OWNERS, Field, rounds, ruleset


def standing_order(field: Field, owner: str, place: str, options: dict[str, Any], **kinds: int) -> None:
    """Units that defend under orders of their own: a force that has not moved."""
    picks = [(field.put(owner, kind, place, n), n) for kind, n in kinds.items()]
    with field.turn.journal.entry("test/setup"):
        forces.create(field.turn, owner, place, picks, options=options)


def test_both_sides_roll_and_losses_are_simultaneous() -> None:  # s001
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=1)
    field.fight(3, 5, 9)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert field.at("x") == {}


def test_withdrawal_after_one_round_takes_the_attackers_home() -> None:  # s004
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2, options={"withdraw-after": 1})
    field.fight(8, 9, 2)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert field.at("x") == {"a": {"infantry": 1}}


def test_withdrawal_above_a_number_of_losses() -> None:
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=4, options={"withdraw-above": 1})
    field.fight(9, 9, 9, 9, 1, 9, 9, 9, 9, 1, 9)
    assert field.at("p") == {"d": {"infantry": 2}}
    assert field.at("x") == {"a": {"infantry": 2}}


def test_withdrawal_after_kills_when_more_are_left_than_expected() -> None:
    field = Field().units("d", "p", infantry=3)
    field.attack("a", "x", "p", infantry=2, options={"withdraw-unless": {"kills": 1, "left": 1}})
    field.fight(1, 9, 9, 9, 9)
    assert field.at("p") == {"d": {"infantry": 2}}
    assert field.at("x") == {"a": {"infantry": 2}}


def test_a_city_rolls_and_cannot_fall_by_itself() -> None:  # s092
    field = Field(ruleset(p={"city": True})).units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2)
    entries = field.fight(
        3, 8, 1, 9
    )  # the attackers, then the defenders: the city by its id before the infantry
    assert field.at("p") == {"a": {"infantry": 1}}
    assert len(rounds(entries)) == 1


def test_mutual_attacks_meet_first_without_works() -> None:  # s008
    field = Field(ruleset(owners={"x": "a", "y": "d"}, links=[("x", "y")])).units("d", "y", infantry=1)
    field.state.put("links", "x--y", "works@y", "trench")
    field.attack("a", "x", "y", infantry=3)
    field.attack("d", "y", "x", infantry=2)
    entries = field.fight(3, 8, 9, 5, 7, 1, 6, 9, 2, 1, 4, 6)
    assert field.at("y") == {"a": {"infantry": 2}}
    assert field.at("x") == {}
    assert [r["battle"] for r in rounds(entries)] == ["meeting", "meeting", "land"]
    assert rounds(entries)[2]["fire"][0]["value"] == 1  # a trench takes 2 off 3


def test_a_defender_who_gives_up_a_place_joins_the_defense_next_door() -> None:  # s010
    field = Field(
        ruleset(owners={"x": "a", "y": "a", "p": "d", "q": "d"}, links=[("x", "p"), ("y", "q"), ("p", "q")])
    )
    field.units("d", "q", infantry=1)
    field.attack("a", "x", "p", infantry=3)
    field.attack("a", "y", "q", infantry=2)
    standing_order(field, "d", "p", {"withdraw-after": 1}, infantry=2)
    field.fight(2, 9, 10, 6, 8, 7, 8, 9, 1, 3, 4, 5)
    assert field.at("p") == {"a": {"infantry": 3}}
    assert field.at("q") == {}


def test_guns_attacked_from_elsewhere_fire_once_then_defend_their_own_place() -> None:  # s011
    owners = {"x": "a", "w": "a", "y": "c", "z": "d"}
    links = [("x", "y"), ("w", "y"), ("z", "x")]
    field = Field(ruleset(owners=owners, links=links), war="ac", allies="cd")
    field.units("c", "y", infantry=2).units("a", "x", infantry=1)
    field.attack("a", "w", "y", infantry=2)
    field.attack("a", "x", "y", stays=True, artillery=1)
    field.attack("d", "z", "x", infantry=2)
    entries = field.fight(
        2, 10, 5,  # round 1 at x: two attackers, one defender
        6, 9, 4, 8, 7,  # round 1 at y: the guns first by their kind, two attackers, two defenders
        6, 1,  # round 2 at x: the guns alone
        5, 7, 3,  # round 2 at y without the guns
        6, 8, 10,  # round 3 at y: the guns are back
    )  # fmt: skip
    assert field.at("x") == {"a": {"artillery": 1}}
    assert field.at("y") == {"a": {"infantry": 1}}
    assert [r["round"] for r in rounds(entries, "x")] == [1, 2]
    assert [r["round"] for r in rounds(entries, "y")] == [1, 2, 3]


def test_attackers_who_withdraw_join_the_defense_at_home() -> None:  # s012
    field = Field(ruleset(owners={"p": "a", "q": "d", "r": "e"}, links=[("p", "q"), ("p", "r")]), war="ae")
    field.units("d", "q", infantry=2).units("a", "p", infantry=1)
    field.attack("a", "p", "q", infantry=2, options={"withdraw-after": 1})
    field.attack("e", "r", "p", infantry=1)
    field.fight(7, 8, 7, 8, 9, 9, 1, 5, 9, 10)
    assert field.at("p") == {"a": {"infantry": 2}}
    assert field.at("q") == {"d": {"infantry": 2}}
    assert field.at("r") == {}


def test_attackers_who_are_not_allied_fight_each_other_first() -> None:  # s015
    field = Field(ruleset(owners={"x": "a", "w": "b", "p": "c"}, links=[("x", "p"), ("w", "p")]), war="ac bc")
    field.state.put("links", "p--x", "works@p", "trench")
    field.units("c", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2)
    field.attack("b", "w", "p", infantry=1)
    entries = field.fight(3, 9, 10, 1, 5, 6)
    assert field.at("p") == {"a": {"infantry": 2}}
    assert [f["value"] for f in rounds(entries)[0]["fire"]] == [3, 3]
    assert [f["value"] for f in rounds(entries)[1]["fire"]] == [1, 5]


def test_losses_are_shared_by_strength_with_the_largest_fraction() -> None:  # s006
    field = Field(allies="ab", war="bd").units("d", "p", infantry=3)
    field.attack("a", "x", "p", infantry=4, options={"withdraw-after": 1})
    field.attack("b", "w", "p", infantry=2, options={"withdraw-after": 1})
    field.fight(9, 9, 9, 9, 9, 9, 1, 1, 1)  # equal strengths of men: 12 and 6, so two losses and one
    assert field.at("x") == {"a": {"infantry": 2}}
    assert field.at("w") == {"b": {"infantry": 1}}


def test_guns_alone_attack_no_further() -> None:  # s098
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=1, options={"loss-order": ["infantry", "artillery"]})
    field.attack("a", "x", "p", stays=True, artillery=1)
    field.fight(8, 9, 5, 7)
    assert field.at("p") == {"d": {"infantry": 2}}
    assert field.at("x") == {"a": {"artillery": 1}}


def test_anti_air_guns_fire_once_at_aircraft_before_everything() -> None:  # s095
    field = Field().units("d", "p", infantry=1, anti_air_gun=2)
    field.attack("a", "x", "p", infantry=2, fighter=3, options={"withdraw-after": 1})
    entries = field.fight(1, 8, 9, 9, 9, 9, 9)
    assert [(r["battle"], r["fire"][0]["kind"]) for r in rounds(entries)] == [
        ("flak", "anti-air-gun"),
        ("land", "fighter"),
    ]
    assert field.at("x") == {"a": {"infantry": 2, "fighter": 2}}


def test_anti_air_guns_never_hit_men() -> None:  # s085
    field = Field().units("d", "p", anti_air_gun=1)
    field.attack("a", "x", "p", infantry=1)
    entries = field.fight(3)
    assert [r["battle"] for r in rounds(entries)] == ["land"]
    assert field.at("p") == {"a": {"infantry": 1}}


def test_a_landing_meets_the_coast_guard_first() -> None:  # s103
    links = [*LINKS, ("sea", "p", "coast")]
    field = Field(ruleset(owners=OWNERS, links=links)).units("d", "p", infantry=1)
    field.attack("a", "sea", "p", landed=True, infantry=2, options={"withdraw-after": 1})
    entries = field.fight(1, 5, 9, 8, 1, 9, 8)  # it cannot withdraw
    assert rounds(entries)[0]["lost"] == {
        "defender": [
            {"owner": "d", "kind": "coast-guard", "n": 1, "stage": "fire", "lost": True, "virtual": True}
        ]
    }
    assert field.at("p") == {"a": {"infantry": 2}}
    assert rounds(entries)[0]["fire"][0]["value"] == 1


def test_a_landing_on_an_empty_coast_still_meets_the_coast_guard() -> None:  # s100
    field = Field(ruleset(owners=OWNERS, links=[*LINKS, ("sea", "p", "coast")]))
    field.attack("a", "sea", "p", landed=True, infantry=1)
    field.fight(1, 9)
    assert field.at("p") == {"a": {"infantry": 1}}


def test_an_empty_place_over_a_strait_is_entered_without_a_round() -> None:  # s112
    field = Field(ruleset(links=[("x", "p", "strait")]))
    field.attack("a", "x", "p", infantry=2)
    assert field.fight() == []


def test_a_strait_guard_stands_beside_defenders() -> None:  # s099
    field = Field(ruleset(links=[("x", "p", "strait")])).units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2, options={"withdraw-after": 1})
    entries = field.fight(1, 2, 9, 9)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert rounds(entries)[0]["lost"]["defender"][0]["kind"] == "strait-guard"


def test_a_single_nation_against_two_loses_a_fictive_unit_first() -> None:  # s105
    field = Field(allies="ab", war="bd").units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=1, options={"withdraw-after": 1})
    field.attack("b", "w", "p", infantry=1, options={"withdraw-after": 1})
    field.fight(3, 9, 9)
    assert field.at("p") == {"d": {"infantry": 1}}


def test_facilities_defend_and_fall_only_on_order() -> None:  # s093
    rules = ruleset(p={"industrial_complex": True})
    quiet = Field(rules)
    quiet.attack("a", "x", "p", infantry=1)
    assert quiet.fight() == []
    manned = Field(rules)
    manned.state.put("flags", "place:p", "facilities-fight", {"since": 1})
    manned.attack("a", "x", "p", infantry=1)
    manned.fight(3, 9)
    assert manned.at("p") == {"a": {"infantry": 1}}
    assert manned.state.get("places", "p", "industrial_complex") is False


def test_who_may_read_of_a_battle() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=1)
    entries = field.fight(3, 9)
    assert entries[0].audience == ("a", "d", "allied", "central")
    assert {tuple(e.audience) for e in entries} == {("a", "d", "allied", "central")}


def test_a_round_names_the_rows_that_changed_a_value() -> None:
    field = Field().units("d", "p", infantry=1)
    field.state.put("links", "p--x", "works@p", "trench")
    field.attack("a", "x", "p", infantry=1, tank=1)
    entries = field.fight(1, 1, 9)
    fire = {f["kind"]: f for f in rounds(entries)[0]["fire"] if f["side"] == "attacker"}
    assert fire["infantry"]["value"] == 2  # a tank takes 1 off the trench's 2
    assert [a["id"] for a in fire["infantry"]["applied"]] == ["trench", "trench-tanks"]
    assert fire["tank"]["value"] == 4


def test_the_journal_says_who_destroyed_what() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=1)
    entries = field.fight(3, 9)
    facts = [f for e in entries for f in e.facts]
    assert [f.word for f in facts] == ["battle_began", "destroyed", "battle_ended"]
    assert facts[1].roles == {"of": "d", "kind": "infantry", "place": "p", "n": 1, "cause": "land", "by": "a"}
    assert facts[2].roles["winner"] == "attacker"


def test_units_of_a_place_fall_back_by_order() -> None:
    field = Field(
        ruleset(owners={"x": "a", "p": "d", "q": "d", "r": "d"}, links=[("x", "p"), ("p", "q"), ("p", "r")])
    )
    field.units("d", "p", infantry=2, artillery=1)
    slots = {"place": "p", "target": "r"}
    field.state.put(
        "orders",
        "d/0001",
        "*",
        {"nation": "d", "order": "orders/hold", "slots": slots, "options": {"withdraw-after": 1}},
    )
    field.attack("a", "x", "p", infantry=3)
    field.fight(9, 9, 9, 9, 9, 9, 1, 9, 9, 9)  # the gun cannot leave, and falls in the second round
    assert field.at("r") == {"d": {"infantry": 2}}
    assert field.at("p") == {"a": {"infantry": 3}}


def test_nobody_falls_back_where_no_place_is_free() -> None:  # s097
    field = Field(ruleset(owners={"x": "a", "p": "d", "n": None}, links=[("x", "p"), ("p", "n")]))
    standing_order(field, "d", "p", {"withdraw-after": 1}, infantry=1)
    field.attack("a", "x", "p", infantry=2)
    field.fight(9, 9, 9, 1, 9, 9)
    assert field.at("p") == {"a": {"infantry": 2}}


def test_if_both_would_leave_the_attacker_goes() -> None:
    field = Field(ruleset(owners={"x": "a", "p": "d", "q": "d"}, links=[("x", "p"), ("p", "q")]))
    standing_order(field, "d", "p", {"withdraw-after": 1}, infantry=1)
    field.attack("a", "x", "p", infantry=1, options={"withdraw-after": 1})
    field.fight(9, 9)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert field.at("x") == {"a": {"infantry": 1}}


def test_a_rocket_fires_before_the_battle_and_is_not_answered() -> None:  # s113
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", stays=True, rocket=1)
    field.attack("a", "x", "p", infantry=2)
    field.fight(4, battle="rocket-fire")
    entries = field.fight(3, 9, 9)
    assert field.at("p") == {"a": {"infantry": 2}}
    assert field.at("x") == {"a": {"rocket": 1}}
    assert len(rounds(entries)) == 1


def test_behind_a_super_trench_rockets_and_aircraft_do_nothing() -> None:
    field = Field().units("d", "p", infantry=1)
    field.state.put("links", "p--x", "works@p", "super-trench")
    field.attack("a", "x", "p", stays=True, rocket=1)
    assert field.fight(battle="rocket-fire") == []
    field.attack("a", "x", "p", infantry=1, fighter=2, options={"withdraw-after": 1})
    entries = field.fight(2, 9)
    assert rounds(entries)[0]["sides"]["attacker"] == {"a": {"infantry": 1}}
    assert rounds(entries)[0]["fire"][0]["value"] == 1


def test_a_battleship_supports_the_landing_from_its_zone_and_is_never_hit() -> None:  # s067
    links = [*LINKS, ("sea", "p", "coast")]
    field = Field(ruleset(owners=OWNERS, links=links)).units("d", "p", infantry=1)
    field.fleet("a", battleship=1, mission="shore-bombardment")
    field.attack("a", "sea", "p", landed=True, infantry=2)
    entries = field.fight(
        3, 9, 9, 9, 9, 9, 1, 9, 9
    )  # the ship's 3 takes the coast guard; then a man takes the last
    ship = [f for f in rounds(entries)[0]["fire"] if f["kind"] == "battleship"]
    assert [f["value"] for f in ship] == [3]
    assert field.at("p") == {"a": {"infantry": 2}}


def test_a_battle_of_two_nations_at_once() -> None:
    from wteaw.battle.fight import battle_now
    from wteaw.core.dice import ScriptedDice

    field = Field().units("a", "p", infantry=2).units("d", "p", infantry=1)
    field.turn.dice = ScriptedDice([3, 9, 9])
    battle_now(field.turn, "land", "p", "a", "d", ignore=["trench"])
    assert field.at("p") == {"a": {"infantry": 2}}


def test_the_order_of_nations_and_files_changes_nothing() -> None:
    def play(names: list[str]) -> dict[str, dict[str, int]]:
        field = Field(allies="ab", war="bd").units("d", "p", infantry=3)
        for name in names:
            field.attack(name, {"a": "x", "b": "w"}[name], "p", infantry=2, options={"withdraw-after": 1})
        field.fight(1, 9, 1, 9, 1, 9, 9, 2)  # two of equal strength and one hit: the last die is the lot
        return {**field.at("p"), **field.at("x"), **field.at("w")}

    assert play(["a", "b"]) == play(["b", "a"])
