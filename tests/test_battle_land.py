"""Battles on land by the rows of the base ruleset: the published cases with their dice, one by one."""

from __future__ import annotations

from .battlefield import Field, rounds, ruleset


def test_both_sides_roll_and_losses_are_simultaneous() -> None:
    field = Field().units("d", "p", infantry=2)
    field.attack("a", "x", "p", infantry=1)
    field.fight(3, 5, 9)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert field.at("x") == {}


def test_withdrawal_after_one_round_takes_the_attackers_home() -> None:
    field = Field().units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2, options={"withdraw-after": 1})
    field.fight(8, 9, 2)
    assert field.at("p") == {"d": {"infantry": 1}}
    assert field.at("x") == {"a": {"infantry": 1}}


def test_a_city_rolls_and_cannot_fall_by_itself() -> None:
    field = Field(ruleset(p={"city": True})).units("d", "p", infantry=1)
    field.attack("a", "x", "p", infantry=2)
    entries = field.fight(3, 8, 1, 9)  # the attackers, then the defenders: the city by its id before the infantry
    assert field.at("p") == {"a": {"infantry": 1}}
    assert len(rounds(entries)) == 1


def test_mutual_attacks_meet_first_without_works() -> None:
    field = Field(ruleset(owners={"x": "a", "y": "d"}, links=[("x", "y")])).units("d", "y", infantry=1)
    field.state.put("links", "x--y", "works@y", "trench")
    field.attack("a", "x", "y", infantry=3)
    field.attack("d", "y", "x", infantry=2)
    entries = field.fight(3, 8, 9, 5, 7, 1, 6, 9, 2, 1, 4, 6)
    assert field.at("y") == {"a": {"infantry": 2}}
    assert field.at("x") == {}
    assert [r["battle"] for r in rounds(entries)] == ["meeting", "meeting", "land"]
    assert rounds(entries)[2]["fire"][0]["value"] == 1  # a trench takes 2 off 3


def test_a_defender_who_gives_up_a_place_joins_the_defense_next_door() -> None:
    field = Field(ruleset(owners={"x": "a", "y": "a", "p": "d", "q": "d"}, links=[("x", "p"), ("y", "q"), ("p", "q")]))
    field.units("d", "q", infantry=1)
    field.attack("a", "x", "p", infantry=3)
    field.attack("a", "y", "q", infantry=2)
    held = field.put("d", "infantry", "p", 2)
    with field.turn.journal.entry("test/setup"):
        from wteaw import forces

        forces.create(field.turn, "d", "p", [(held, 2)], options={"withdraw-after": 1})
    field.fight(2, 9, 10, 6, 8, 7, 8, 9, 1, 3, 4, 5)
    assert field.at("p") == {"a": {"infantry": 3}}
    assert field.at("q") == {}
