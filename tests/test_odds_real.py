"""Odds match the battle: real battles, fought with many different dice, end as often each way as the exact odds say."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from types import SimpleNamespace
from typing import Any

import pytest

from wteaw.battle import fight
from wteaw.core.dice import KeyedDice
from wteaw.core.model import Ruleset
from wteaw.core.state import State, unit_key
from wteaw.odds import Odds, Question, odds
from wteaw.turn.context import Turn
from wteaw.units import forces

from .battlefield import LINKS, OWNERS, Field, ruleset
from .test_alliances import rules as alliances

PLAYS = 120
SEA: dict[str, str | None] = {**OWNERS, "sea-1": None, "sea-2": None}
WAYS = [
    *LINKS,
    ("sea", "sea-1", "sea"),
    ("sea", "sea-2", "sea"),
    ("sea", "p", "coast"),
    ("sea", "x", "coast"),
]
Counts = dict[tuple[str, str], int]


def counts(field: Field) -> Counts:
    out: Counts = {}
    for _, row in field.state.stacks():
        key = (row["owner"], row["kind"])
        out[key] = out.get(key, 0) + row["n"]
    return out


def play(
    make: Callable[[], Field], battle: str, plays: int = PLAYS
) -> tuple[dict[tuple[str, str], list[int]], Counts]:
    """How often each nation's kinds lost 0, 1, 2 ..., over so many battles with different dice."""
    found: dict[tuple[str, str], list[int]] = {}
    began: Counts = {}
    for seed in range(plays):
        field = make()
        began = counts(field)
        field.turn.dice = KeyedDice(seed.to_bytes(32, "big"), 1)
        fight.run({"battles": [battle]}, field.turn)
        left = counts(field)
        for key, n in began.items():
            found.setdefault(key, [0] * (n + 1))[n - left.get(key, 0)] += 1
    return found, began


def matches(make: Callable[[], Field], question: Question, said: Odds | None = None) -> None:
    """Chi-square of every nation's kinds, cells of less than five expected battles put together; and means within 4 errors."""
    found, _ = play(make, question.battle)
    said = said or odds(make().turn.world, question, most=None)
    for side in ("attacker", "defender"):
        for owner, kinds in said.each[side].items():
            for kind, chances in kinds.items():
                seen = found.get((owner, kind), [PLAYS])
                assert len(chances) <= len(seen)
                expected = [PLAYS * p for p in chances] + [0.0] * (len(seen) - len(chances))
                about = f"{side} {owner} {kind}: expected {[round(x, 1) for x in expected]}, seen {seen}"
                mean = sum(n * p for n, p in enumerate(chances))
                spread = sqrt(max(0.0, sum((n - mean) ** 2 * p for n, p in enumerate(chances))))
                got = sum(n * k for n, k in enumerate(seen)) / PLAYS
                assert abs(got - mean) <= 4 * spread / sqrt(PLAYS) + 1e-9, about
                assert all(k == 0 or e > 0 for k, e in zip(seen, expected, strict=True)), about
                square, cells = chi_square(seen, expected)
                assert square <= cells + 4 * sqrt(2 * cells) + 4, about


def chi_square(seen: list[int], expected: list[float]) -> tuple[float, int]:
    cells: list[tuple[int, float]] = [(0, 0.0)]
    for k, e in zip(seen, expected, strict=True):
        cells[-1] = (cells[-1][0] + k, cells[-1][1] + e)
        if cells[-1][1] >= 5:
            cells.append((0, 0.0))
    if cells[-1][1] < 5 and len(cells) > 1:
        last = cells.pop()
        cells[-1] = (cells[-1][0] + last[0], cells[-1][1] + last[1])
    return sum((k - e) ** 2 / e for k, e in cells if e > 0), max(1, len(cells) - 1)


def side(owner: str, **kinds: Any) -> dict[Any, int]:
    return {(owner, kind.replace("_", "-")): n for kind, n in kinds.items()}


def seas(**places: Any) -> Ruleset:
    return ruleset(SEA, WAYS, **places)


def test_on_land_with_works_guns_and_an_ally() -> None:
    def make() -> Field:
        field = Field(allies="ab", war="bd").units("d", "p", infantry=5, artillery=1)
        field.state.put("links", "p--x", "works@p", "trench")
        field.attack("a", "x", "p", infantry=3, tank=1)
        field.attack("a", "x", "p", stays=True, artillery=2)
        field.attack("b", "x", "p", infantry=3)
        return field

    mine = {**side("a", infantry=3, tank=1, artillery=2), **side("b", infantry=3)}
    matches(make, Question("land", mine, side("d", infantry=5, artillery=1), "p", "x", works="trench"))


def test_on_land_leaving_after_losses() -> None:
    def make() -> Field:
        field = Field().units("d", "p", infantry=4)
        field.attack("a", "x", "p", infantry=5, tank=1, options={"withdraw-above": 2, "loss-order": ["tank"]})
        return field

    mine = side("a", infantry=5, tank=1)
    matches(
        make,
        Question(
            "land", mine, side("d", infantry=4), "p", "x", limits={0: {"losses": 2}}, orders={"a": ["tank"]}
        ),
    )


def test_on_land_leaving_after_kills() -> None:
    def make() -> Field:
        field = Field().units("d", "p", infantry=4)
        field.attack("a", "x", "p", infantry=5, options={"withdraw-unless": {"kills": 1, "left": 1}})
        return field

    limits = {0: {"kills": {"kills": 1, "left": 1}}}
    matches(make, Question("land", side("a", infantry=5), side("d", infantry=4), "p", "x", limits=limits))


def test_on_land_where_one_ally_leaves_by_himself() -> None:
    def make() -> Field:
        field = Field(allies="ab", war="bd").units("d", "p", infantry=4)
        field.attack("a", "x", "p", infantry=4, options={"withdraw-above": 1})
        field.attack("b", "w", "p", infantry=3)
        return field

    mine = {**side("a", infantry=4), ("b", "infantry", (("via", "w>p"),)): 3}
    matches(
        make,
        Question("land", mine, side("d", infantry=4), "p", "x", limits={0: {"by": {"a": {"losses": 1}}}}),
    )


def test_a_landing_where_nobody_may_leave() -> None:
    def make() -> Field:
        field = Field(seas()).units("d", "p", infantry=2)
        field.attack("a", "sea", "p", landed=True, infantry=6)
        return field

    matches(make, Question("land", side("a", infantry=6), side("d", infantry=2), "p", "sea"))


def test_from_the_air_and_on_land_with_flak_and_fighters() -> None:
    def make() -> Field:
        field = Field().units("d", "p", infantry=3, fighter=2, anti_air_gun=1)
        field.attack("a", "x", "p", infantry=3)
        picks = [(field.put("a", kind, "x", 2, fuel_left=left), 2) for kind, left in FUEL.items()]
        with field.turn.journal.entry("test/setup"):
            wing = forces.create(field.turn, "a", "x", picks, targets=["p"])
            forces.go(field.turn, wing, ["x", "p"])
        return field

    theirs = side("d", infantry=3, fighter=2, anti_air_gun=1)
    mine: dict[Any, int] = {("a", "infantry"): 3}
    mine |= {("a", kind, (("fuel_left", FUEL[kind]), ("via", "x>p"))): 2 for kind in ("fighter", "bomber")}
    matches(make, Question("land", mine, theirs, "p", "x"))


FUEL = {"fighter": 4, "bomber": 5}


def test_at_sea_where_contact_may_be_lost() -> None:
    def make() -> Field:
        field = Field(seas())
        one = field.fleet("a", battleship=1, destroyer=3, submarine=1)
        other = field.fleet("d", battleship=2, destroyer=1)
        field.contact(one, other)
        return field

    mine, theirs = side("a", battleship=1, destroyer=3, submarine=1), side("d", battleship=2, destroyer=1)
    matches(make, Question("sea", mine, theirs, "sea", seekers=(0,)))


def test_at_sea_both_looking_and_leaving_after_two_rounds() -> None:
    def make() -> Field:
        field = Field(seas())
        one = field.fleet("a", destroyer=3, options={"withdraw-after": 2})
        other = field.fleet("d", battleship=1, submarine=2)
        field.contact(one, other)
        field.state.put(
            "detection",
            "sighting:back",
            "*",
            {**field.state.row("detection", sorted(field.state.table("contacts"))[0]), "by": [other]},
        )
        return field

    mine, theirs = side("a", destroyer=3), side("d", battleship=1, submarine=2)
    matches(make, Question("sea", mine, theirs, "sea", seekers=(0, 1), limits={0: {"rounds": 2}}))


def test_submarines_in_ambush() -> None:
    def make() -> Field:
        field = Field(seas())
        one = field.fleet("a", submarine=3)
        other = field.fleet("d", destroyer=2, battleship=1)
        field.contact(one, other, "ambush")
        return field

    matches(make, Question("ambush", side("a", submarine=3), side("d", destroyer=2, battleship=1), "sea"))


def test_in_the_air_over_a_sea_battle() -> None:
    def make() -> Field:
        field = Field(seas())
        one = field.fleet("a", destroyer=2, bomber={"n": 2, "fuel_left": 6})
        other = field.fleet("d", battleship=1, fighter={"n": 2, "fuel_left": 4})
        field.contact(one, other)
        return field

    mine: dict[Any, int] = {("a", "destroyer"): 2, ("a", "bomber", (("fuel_left", 6),)): 2}
    theirs: dict[Any, int] = {("d", "battleship"): 1, ("d", "fighter", (("fuel_left", 4),)): 2}
    matches(make, Question("sea", mine, theirs, "sea", seekers=(0,)))


def test_a_battle_of_another_system_with_forced_retreats_and_guns_left_behind() -> None:
    rules, geography = alliances()

    def make() -> Any:
        state = State({"game": {"game": {"turn": 1}}})
        for place, nation in (("w-germany", "germany"), ("n-france", "france"), ("s-france", "france")):
            state.put("places", place, "holder", nation)
        for nation, team in (("germany", "one"), ("france", "two")):
            state.put("nations", nation, "side", team)
        for nation, place, kinds in (("germany", "w-germany", ATTACK), ("france", "n-france", DEFENSE)):
            for kind, n in kinds.items():
                key = unit_key(nation, kind, place, {})
                state.put("units", key, "*", {"owner": nation, "kind": kind, "place": place, "n": n})
        turn = Turn(rules, state, KeyedDice(bytes(32), 1), geography=geography)
        turn.journal.step = "battles"
        with turn.journal.entry("test/setup"):
            picks = [(unit_key("germany", kind, "w-germany", {}), n) for kind, n in ATTACK.items()]
            forces.go(
                turn,
                forces.create(turn, "germany", "w-germany", picks, targets=["n-france"]),
                ["w-germany", "n-france"],
            )
        return SimpleNamespace(state=state, turn=turn)

    matches(
        make,
        Question(
            "token-battle", side("germany", **ATTACK), side("france", **DEFENSE), "n-france", "w-germany"
        ),
    )


ATTACK, DEFENSE = {"infantry": 3, "artillery": 1}, {"infantry": 2, "artillery": 1}


def test_the_comparison_can_fail() -> None:
    def make() -> Field:
        field = Field().units("d", "p", infantry=4)
        field.attack("a", "x", "p", infantry=5)
        return field

    asked = Question("land", side("a", infantry=5), side("d", infantry=4), "p", "x", works="trench")
    with pytest.raises(AssertionError):
        matches(make, asked, odds(make().turn.world, asked))
