"""Results that depend on each other: bounds, rings, what is left of them, and what validation says of rules that cannot be judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wteaw.core.state import Entity, State
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.expressions import ExpressionError
from wteaw.ruleset.expressions.bounds import is_verdict
from wteaw.world.verdicts import OpenVerdict, settled
from wteaw.world.world import World

HEAD = "id: small\ntitle: Small\nsettings: {money: coin}\n"
TABLES = """
nations: [{id: north, name: North}]
stances: [{id: rivals, name: Rivals, default: true}]
resources: [{id: coin, name: coins}]
units: [{id: foot, name: Foot}]
fields:
  - {id: leans_on, of: [place], type: id, table: places, open: true}
  - {id: fights, of: [place], type: id, table: places, open: true}
  - {id: firm, of: [place], type: number, default: 0, open: true}
sequence: [{input: orders, from: everyone}, {phase: only, steps: [{step: judge, do: settle, definitions: [stands]}]}]
"""


def world(tmp_path: Path, places: str, verdict: str, terms: str = "") -> World:
    (tmp_path / "tables").mkdir()
    (tmp_path / "ruleset.yaml").write_text(HEAD, encoding="utf-8")
    rows = f"places: [{places}]\ndefinitions: [{', '.join(filter(None, (verdict, terms)))}]\n"
    (tmp_path / "tables" / "all.yaml").write_text(TABLES + rows, encoding="utf-8")
    ruleset, found = load_ruleset(tmp_path)
    if ruleset is None:
        raise ValueError(", ".join(f"{d.code}: {d.message}" for d in found if d.severity == "error"))
    return World(ruleset, State({"game": {"game": {"turn": 1}}}))


def judged(tmp_path: Path, places: str, verdict: str, terms: str = "") -> dict[str, bool]:
    made = world(tmp_path, places, verdict, terms)
    rows = [row for row in made.ruleset.rows("definitions").values() if is_verdict(row)]
    return {one.thing.id: how for one, how in settled(made, rows).items()}


LEANS = "{id: a, kind: land, leans_on: b}, {id: b, kind: land, leans_on: c}, {id: c, kind: land, firm: 1}"
STANDS = (
    '{id: stands, of: [place], is: "place.firm > 0 or (place.leans_on and stands(place.leans_on))", '
    'fixpoint: {over: "places()"'
)


def test_a_chain_is_settled_from_its_end(tmp_path: Path) -> None:
    assert judged(tmp_path, LEANS, STANDS + "}}") == {"a": True, "b": True, "c": True}


@pytest.mark.parametrize("left", [True, False])
def test_a_ring_is_settled_by_what_its_row_leaves(tmp_path: Path, left: bool) -> None:
    ring = LEANS.replace("firm: 1", "leans_on: a")
    assert judged(tmp_path, ring, STANDS + f", left: [{{is: {str(left).lower()}}}]}}}}") == {
        "a": left,
        "b": left,
        "c": left,
    }


def test_only_the_ring_is_left_and_what_hangs_on_it_is_judged(tmp_path: Path) -> None:
    places = (
        "{id: a, kind: land, leans_on: b}, {id: b, kind: land, leans_on: a}, {id: d, kind: land, fights: a}"
    )
    verdict = (
        '{id: stands, of: [place], is: "not stands(place.fights) if place.fights else stands(place.leans_on)", '
        'fixpoint: {over: "places()", left: [{is: true}]}}'
    )
    assert judged(tmp_path, places, verdict) == {"a": True, "b": True, "d": False}


def test_a_ring_that_no_row_settles_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ExpressionError, match=r"stands\(a\), stands\(b\), stands\(c\)"):
        judged(tmp_path, LEANS.replace("firm: 1", "leans_on: a"), STANDS + "}}")


def test_what_cannot_fail_is_settled_though_others_are_open(tmp_path: Path) -> None:
    """One of two supports depends on a ring; the sum is enough without it, and the other side cannot reach it."""
    places = (
        "{id: a, kind: land, leans_on: b}, {id: b, kind: land, leans_on: a}, {id: e, kind: land, firm: 2}, "
        "{id: f, kind: land, firm: 3}"
    )
    verdict = (
        "{id: stands, of: [place], is: \"place.firm + count(places(), 'stands') > 4 if place.firm else "
        'stands(place.leans_on)", '
        'fixpoint: {over: "places()", left: [{when: "place.firm > 0", is: false}, {is: true}]}}'
    )
    # f: 3 + at least 0: open; with the ring (2) and itself it passes: the ring goes first, for it depends on nobody else
    found = judged(tmp_path, places, verdict)
    assert found["a"] and found["b"] and found["f"]


def bounds(tmp_path: Path, yes: str, terms: str = "") -> dict[str, bool]:
    places = "{id: a, kind: land, leans_on: a}, {id: x, kind: land, firm: 1}"
    verdict = (
        f'{{id: stands, of: [place], is: "{yes}", fixpoint: {{over: "places()", left: [{{is: false}}]}}}}'
    )
    return judged(tmp_path, places, verdict, terms)


@pytest.mark.parametrize(
    ("yes", "expected"),
    [
        (
            "stands(place) if place.leans_on else not stands(place.leans_on)",
            True,
        ),  # of nothing no verdict is yes
        ("stands(place) if place.leans_on else any(places(), 'stands')", False),  # itself: left is no
        ("stands(place) if place.leans_on else count(places(), 'stands') < 3", True),
        ("stands(place) if place.leans_on else all(places(leans_on='a'), 'stands')", False),
        ("stands(place) if place.leans_on else 2 - count(places(leans_on='a'), 'stands') > 0", True),
        (
            "stands(place) if place.leans_on else count(difference(places(), where(places(), 'stands'))) >= 0",
            True,
        ),
        ("stands(place) if place.leans_on else sum(where(places(), 'stands'), 'firm') <= 1", True),
        (
            "stands(place) if place.leans_on else maximum(where(places(leans_on='a'), 'stands'), 'firm') == 0",
            True,
        ),
        ("stands(place) if place.leans_on else min(1, count(places(leans_on='a'), 'stands')) != 2", True),
    ],
)
def test_bounds_of_each_function(tmp_path: Path, yes: str, expected: bool) -> None:
    found = bounds(tmp_path, yes)
    assert (found["a"], found["x"]) == (False, expected)


@pytest.mark.parametrize(
    "yes",
    ["first(where(places(), 'stands')) == set_of(place)", "any(places(stands=True))", "floor(count(places(), 'stands')) > 0",
     "0 < count(places(), 'stands') < 2"],
)  # fmt: skip
def test_what_cannot_be_judged_is_told_by_validation(tmp_path: Path, yes: str) -> None:
    with pytest.raises(ValueError, match="E320"):
        bounds(tmp_path, yes)


def test_things_that_hang_on_a_verdict_are_told_by_validation(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="E320"):
        world(
            tmp_path,
            LEANS,
            '{id: stands, of: [place], is: "place.firm > 0", fixpoint: {over: "where(places(), \'stands\')"}}',
        )


def test_a_verdict_is_read_like_a_term_afterwards(tmp_path: Path) -> None:
    made = world(tmp_path, LEANS, STANDS + "}}")
    assert made.value("stands(place('a'))", {}) is False
    made.state.put("verdicts", "place:a", "stands", True)
    assert made.value("stands(place('a')) and count(places(), 'stands') == 1", {})
    assert OpenVerdict("stands", Entity("place", "a")).thing.id == "a"


def test_the_rulebook_tells_of_verdicts(tmp_path: Path) -> None:
    from wteaw.rulebook import rulebook

    text = rulebook(world(tmp_path, LEANS, STANDS + ", left: [{is: true}]}}").ruleset)
    assert "## Results that depend on each other" in text
    assert "- where such results depend on themselves: yes" in text


@pytest.mark.parametrize(
    ("verdict", "terms", "told"),
    [
        ("", "{id: stands, of: [place], is: place.firm > 0}", "'stands' is no verdict: it has no `fixpoint`"),
        (STANDS.replace("[place]", '[place, "by:nation"]') + "}}", "", "a verdict is about one thing"),
        (STANDS.replace("of: [place], ", "") + "}}", "", "of"),
    ],
)
def test_what_a_step_settles_is_a_verdict_about_one_thing(
    tmp_path: Path, verdict: str, terms: str, told: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        world(tmp_path, LEANS, verdict, terms)


def test_the_test_of_a_verdict_is_yes_or_no(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="E307"):
        world(
            tmp_path,
            LEANS,
            '{id: stands, of: [place], is: neighbors(place), fixpoint: {over: "places()"}}',
        )
