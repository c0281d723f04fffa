"""Scores: criteria and how they are put together, ranks with ties, and the ends of a game."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core.model import Row
from wteaw.turn import score
from wteaw.turn.context import Turn
from wteaw.turn.score import Scores, combine, hundredths, root

from .economy import position, rules, turn_of

LAND: Row = {
    "id": "land",
    "kind": "criterion",
    "of": "nation",
    "is": "100 * sum(places(holder=nation), 'worth') / 10",
}
COIN: Row = {"id": "coin", "kind": "criterion", "of": "nation", "is": "stock(nation, 'coin')", "at_most": 90}
BOTH: Row = {"id": "both", "kind": "criterion", "of": "nation", "parts": ["land", "coin"], "how": "geometric"}
SIDES: Row = {"id": "sides", "kind": "criterion", "of": "side", "members": "both", "how": "mean"}
NODE: Row = {"step": "score", "do": "score"}


def scored(*ends: Row, stores: dict[str, dict[str, int]] | None = None, **forms: list[Row]) -> Turn:
    tried = [{"kind": "game_end", **end} for end in ends]
    ruleset = rules(**{"victory": [LAND, COIN, BOTH, SIDES, *tried], **forms})
    turn = turn_of(ruleset, position(stores or {"red": {"coin": 25}, "blue": {"coin": 400}}), step="score")
    score.run(NODE, turn)
    return turn


def test_criteria_are_bounded_and_put_together() -> None:
    scores = Scores(scored().world)
    assert [scores.value(c, "red") for c in ("land", "coin", "both")] == [100, 25, 50]
    assert scores.value("coin", "blue") == 90
    assert scores.value("both", "blue") == Fraction(7348, 100), "the root of 60 times 90"
    assert scores.value("sides", "east") == 50


def test_the_best_is_first_and_all_values_are_told() -> None:
    turn = scored({"id": "long", "when": "turn >= 5", "rank": "both", "side_by": "sides"})
    entry = turn.journal.entries[-1]
    assert [(r["who"], r["rank"], r["shown"]) for r in entry.data["ranks"]] == [
        ("blue", 1, "73.48"),
        ("red", 2, "50"),
    ]
    assert entry.data["sides"][0]["who"] == "west"
    assert entry.data["values"]["coin"] == {"blue": "90", "red": "25"}
    assert (turn.state.get("game", "game", "ended"), turn.state.get("game", "game", "winners")) == (
        True,
        ["blue"],
    )


def test_an_end_whose_time_has_not_come() -> None:
    turn = scored({"id": "long", "when": "turn >= 6", "rank": "both"})
    assert not turn.state.get("game", "game", "ended")
    assert not turn.journal.entries


def test_who_cannot_be_first_follows() -> None:
    turn = scored({"id": "long", "rank": "both", "first": "nation.id == 'red'"})
    assert [(r["who"], r["rank"]) for r in turn.journal.entries[-1].data["ranks"]] == [
        ("red", 1),
        ("blue", 2),
    ]


@pytest.mark.parametrize(("tie", "winners"), [("share", ["blue", "red"]), ("draw", [])])
def test_equal_values_share_a_rank(tie: str, winners: list[str]) -> None:
    turn = scored(
        {"id": "long", "rank": "coin", "tie": tie}, stores={"red": {"coin": 7}, "blue": {"coin": 7}}
    )
    assert [r["rank"] for r in turn.journal.entries[-1].data["ranks"]] == [1, 1]
    assert turn.state.get("game", "game", "winners") == winners


@pytest.mark.parametrize(("lead", "ended"), [(23, True), (24, False)])
def test_a_lead_may_be_asked_for(lead: int, ended: bool) -> None:
    turn = scored({"id": "ahead", "rank": "both", "lead": lead})
    assert bool(turn.state.get("game", "game", "ended")) == ended


def test_outright_victory_comes_before_the_rest() -> None:
    ends = [
        {"id": "all", "when": "not any(places(holder=nation('red')))", "wins": "west"},
        {"id": "town", "wins": "=place('c').side"},
    ]
    assert scored(*ends).state.get("game", "game", "winners") == ["west"]


def test_a_criterion_of_nothing_makes_the_geometric_mean_nothing() -> None:
    assert combine([100, 0, 300], "geometric") == 0
    assert combine([], "mean") == 0


@given(st.integers(0, 10**9), st.integers(1, 6))
def test_a_root_is_within_half_a_hundredth(value: int, n: int) -> None:
    found = Fraction(root(Fraction(value), n))
    half = Fraction(1, 200)
    assert max(found - half, Fraction(0)) ** n <= value
    assert (found + half) ** n > value


@given(st.fractions(min_value=-1000, max_value=1000))
def test_shown_figures_are_right_to_the_hundredth(value: Fraction) -> None:
    assert abs(Fraction(hundredths(value)) - value) <= Fraction(1, 200)


AIMS: list[Row] = [
    {"id": "take", "kind": "aim", "about": "places", "reached": "it.holder == nation", "points": 10},
    {
        "id": "passages",
        "kind": "aim",
        "about": "places",
        "reached": "it.holder == nation",
        "group": "any",
        "count": "together",
        "points": 20,
    },
    {
        "id": "grudge",
        "kind": "aim",
        "about": "places",
        "with": "nations",
        "reached": "it.holder == other",
        "points": 7,
    },
    {"id": "rich", "kind": "aim", "about": "number", "reached": "stock(nation, 'coin') >= it", "points": 50},
]
RED: Row = {"id": "what-red-wants", "kind": "objectives", "nation": "red"}
GROUPS: list[Row] = [{"id": "shore", "of": "places", "members": ["a", "c", "e"]}]


def pointed(
    goals: dict[str, dict[str, object]], *, holds: str = "abe", coin: int = 25, **more: object
) -> int:
    """What `red`, of the east, has reached by its goals."""
    ruleset = rules(victory=[*AIMS, {**RED, "goals": goals, **more}], groups=GROUPS)
    held = {p: {"holder": "red" if p in holds else "blue"} for p in "abcde"}
    found = turn_of(ruleset, position({"red": {"coin": coin}}, places=held)).world.value(
        "objectives(nation('red'))", {}
    )
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize(
    ("aims", "points"),
    [
        ({"take": ["a", "b", "c"]}, 20),
        ({"take": ["shore"]}, 0),
        ({"passages": ["shore"]}, 20),
        ({"passages": ["shore", "b"]}, 20),
        ({"passages": ["shore", "d"]}, 0),
        ({"grudge": {"c": "blue", "d": "red", "a": "red"}}, 14),
        ({"rich": 25}, 50),
        ({"rich": 26}, 0),
        ({"rich": 20, "take": ["a"]}, 60),
    ],
)
def test_aims_are_counted_by_things_together_or_by_a_figure(aims: dict[str, object], points: int) -> None:
    assert pointed({"any": aims}) == points
    assert pointed({"east": aims}) == points, "on the side it has"
    assert pointed({"west": aims}) == 0, "on another"


def test_a_whole_group_counts_once_and_points_may_be_the_nations_own() -> None:
    assert pointed({"any": {"take": ["shore"]}}, holds="ace") == 10
    assert pointed({"any": {"take": ["a", "b"]}, "east": {"rich": 1}}, worth={"take": 3}) == 56


def test_whoever_has_no_objectives_has_no_points() -> None:
    ruleset = rules(victory=[*AIMS, {**RED, "goals": {"any": {"take": ["c"]}}}], groups=GROUPS)
    assert turn_of(ruleset, position({})).world.value("objectives(nation('blue'))", {}) == 0
