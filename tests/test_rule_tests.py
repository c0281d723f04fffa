"""Rule tests in YAML: what a case may say, when it passes, and what a failure shows."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.cli import main
from wteaw.core.dice import KeyedDice
from wteaw.core.die import Die
from wteaw.testing.cases import find, merged, over_fixture, read
from wteaw.testing.enumerate import Branch, TooManyPlays, outcomes
from wteaw.testing.given import Shelf
from wteaw.testing.report import render
from wteaw.testing.runner import Result, Run, run_files
from wteaw.testing.values import same, shown
from wteaw.testing.when import Play

from .folders import own_cache, write
from .world1914 import loaded

__all__ = ["own_cache"]

RULES = """
sequence:
  - {input: orders, from: everyone}
  - {phase: talks, steps: [{step: court, do: act, actions: [court]}, {step: vow, do: act, actions: [vow]}]}
  - {each: nation, order: nations(), steps: [{step: dig, do: act, actions: [dig]}]}
places:
  - {id: ash, name: Ash, kind: land, owner: red, worth: 3}
  - {id: birch, name: Birch, kind: land, owner: gray, worth: 1}
links: [{between: [ash, birch]}]
sides: [{id: east, name: East, opposite: west}, {id: west, name: West, opposite: east}]
nations:
  - {id: red, name: Red, side: east, capital: ash}
  - {id: blue, name: Blue, side: west}
  - {id: gray, name: Gray}
stances: [{id: peace, default: true}, {id: friends, friendly: true}, {id: war, hostile: true}]
resources: [{id: gold, name: Gold}]
visibility: [{id: purses, what: treasuries, to: owner}, {id: nations, what: nations, to: everyone, fields: [side]}]
tracks: [{id: mood, signed: true, leans: {east: up, west: down}, thresholds: [-5, 5]}]
units: [{id: foot, name: Foot, strength: 3}]
fields:
  - {id: worth, of: [place], type: number, default: 0, open: true}
  - {id: strength, of: [unit], type: number, default: 0, open: true}
  - {id: capital, of: [nation], type: id, table: places, default: null, open: true}
stats: [{id: punch, of: unit, base: unit.strength}]
modifiers: [{id: storm, of: punch, when: battle.attacks, add: 2}]
actions:
  - id: court
    syntax: court {target}
    slots: {target: nation}
    requires: [{test: neutral(target), message: "{target} has chosen already"}]
    cost: 4
    limit: {1: [nation, target, turn]}
    roll: {die: 1d6, at_least: 5}
    effects: [{shift: {who: =target, track: mood, toward: =self.side, by: 0..3}}]
    audience: [=self]
    says: "{self} courts {target}."
  - id: vow
    syntax: vow
    slots: {}
    effects: [{flag: {who: =self, as: vowed}}]
  - id: dig
    syntax: dig
    slots: {}
    effects: [{join: {who: =self, side: west}}]
events:
  - {id: won-over, on: {reached: {track: mood}}, effects: [{flag: {who: =event.actor, as: won}}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "game", {"tables/t.yaml": RULES})


def run(folder: Path, text: str, name: str = "tests/c.yaml", **options: bool) -> Run:
    """The cases of one file laid into the ruleset's folder."""
    path = write(folder, {name: text}) / name
    return run_files([(path, name)], **options)


def only(folder: Path, text: str) -> Result:
    """The result of the one case of a text."""
    played = run(folder, "cases:\n" + text)
    assert not played.found, played.found
    (result,) = played.results
    return result


COURT = """
- id: c
  given: {nations: {red: {treasury: {gold: 10}}}}
  orders: {red: [court gray]}
  dice: [5, 2]
  when: court
"""


def test_a_case_that_comes_out_as_it_says_passes(folder: Path) -> None:
    result = only(
        folder,
        COURT
        + "  then: {nations: {red: {treasury: {gold: 6}}, gray: {tracks: {mood: 2}, side: none}}, nothing_else: true}",
    )
    assert (result.status, result.failures) == ("passed", ())


def test_a_failure_shows_expected_got_and_the_line_of_the_rule(folder: Path) -> None:
    result = only(folder, COURT + "  then:\n    nations:\n      gray: {tracks: {mood: 3}}\n")
    (failure,) = result.failures
    assert (failure.what, failure.expected, failure.got) == ("nations.gray.tracks.mood", "3", "2")
    assert failure.where == "tests/c.yaml:10"
    (line,) = failure.lines
    row = RULES.split("\n").index("  - id: court") + 1
    assert line.rule == "actions/court" and line.at.endswith(f"tables/t.yaml:{row}")
    assert line.dice == (5, 2) and line.changes == ("tracks/gray.mood: none → 2",)
    assert "expected  3" in render(
        run(folder, "cases:\n" + COURT + "  then: {nations: {gray: {tracks: {mood: 3}}}}")
    )


@pytest.mark.parametrize(
    ("dice", "what", "got"),
    [
        ("[5, 2, 6]", "all dice used", "left over: [6]"),
        ("[5]", "dice enough for what is rolled", "no dice are left for 0..3"),
        ("{actions/court: [5, 2], actions/vow: [1]}", "all dice of actions/vow used", "left over: [1]"),
        ("[7]", "dice enough for what is rolled", "7 is not a face of 1d6"),
    ],
)
def test_dice_must_be_just_enough(folder: Path, dice: str, what: str, got: str) -> None:
    result = only(folder, COURT.replace("dice: [5, 2]", f"dice: {dice}"))
    (failure,) = result.failures
    assert failure.expected == what and got in failure.got


def test_spare_dice_and_any_dice_are_for_the_asking(folder: Path) -> None:
    assert only(folder, COURT.replace("[5, 2]", "[5, 2, 6]") + "  spare: true").status == "passed"
    assert (
        only(
            folder, COURT.replace("[5, 2]", "any") + "  then: {nations: {red: {treasury: {gold: 6}}}}"
        ).status
        == "passed"
    )
    loose = COURT.replace("[5, 2]", "{actions/court: any}")
    assert only(folder, loose + "  then: {nations: {red: {treasury: {gold: 6}}}}").status == "passed"
    assert only(folder, COURT.replace("[5, 2]", "{actions/vow: any}")).status == "failed"
    half = COURT.replace("[5, 2]", "{actions/court: [5], otherwise: any}")
    assert (
        only(folder, half + "  then: {nations: {gray: {tracks: {mood: {range: [0, 3]}}}}}").status == "passed"
    )


def test_every_refusal_must_be_expected(folder: Path) -> None:
    twice = COURT.replace("[court gray]", "[court gray, court gray]")
    (failure,) = only(folder, twice).failures
    assert (failure.what, failure.expected) == ("refused", "no refusal")
    assert (
        only(folder, twice + "  then: {refused: [{nation: red, order: 2, says: only once}]}").status
        == "passed"
    )
    assert only(folder, twice + "  then: {refused: any}").status == "passed"
    wrong = only(folder, twice + "  then: {refused: [{order: 2, says: too dear}]}")
    assert {f.what for f in wrong.failures} == {"refused.0", "refused"}


def test_an_order_that_cannot_be_read_is_refused(folder: Path) -> None:
    text = "- {id: c, orders: {red: [cuort gray now]}, when: court, then: {refused: [{order: 1}], nothing_else: true}}"
    assert only(folder, text).status == "passed"


def test_nothing_else_finds_what_the_case_leaves_out(folder: Path) -> None:
    (failure,) = only(
        folder, COURT + "  then: {nations: {gray: {tracks: {mood: 2}}}, nothing_else: true}"
    ).failures
    assert failure.expected == "no other change" and "treasuries/red/ash.gold: 10 → 6" in failure.got.replace(
        "red.gold", "red/ash.gold"
    )


def test_chances_are_exact_over_every_way_the_dice_can_fall(folder: Path) -> None:
    text = COURT.replace("  dice: [5, 2]\n", "") + (
        "  then:\n"
        "    chances:\n"
        "      \"track('gray', 'mood') >= 2\": 1/6\n"
        "      \"track('gray', 'mood')\": {0: 3/4, 3: 1/12}\n"
        "    means: {\"track('gray', 'mood')\": 1/2}\n"
        "    ranges: {\"track('gray', 'mood')\": [0, 3]}\n"
        "    nations: {red: {treasury: {gold: 6}}}\n"
    )
    assert only(folder, text).failures == ()
    assert only(folder, text.replace("1/12", "1/6")).status == "failed"
    assert only(folder, text.replace("gold: 6", "gold: 7")).status == "failed"


def test_chances_are_exact_where_all_dice_may_fall_as_they_like(folder: Path) -> None:
    text = COURT.replace("[5, 2]", "any") + "  then: {chances: {\"track('gray', 'mood') >= 2\": 1/6}}"
    assert only(folder, text).failures == ()


@pytest.mark.parametrize("rule", ["actions/court", '"actions/court@red"'])
def test_dice_said_not_to_matter_beside_chances_do_not(folder: Path, rule: str) -> None:
    """They fall at random: whatever depends on them would be a chance of one throw alone."""
    text = COURT.replace("[5, 2]", f"{{{rule}: any}}")
    assert only(folder, text + "  then: {chances: {\"track('gray', 'mood') >= 2\": 1/6}}").failures
    assert only(folder, text + "  then: {chances: {\"track('gray', 'mood') >= -9\": 1}}").failures == ()


@given(st.lists(st.integers(1, 5), max_size=4))
def test_the_chances_of_all_branches_sum_to_one(faces: list[int]) -> None:
    def play(branch: Branch) -> tuple[int, ...]:
        stream = branch.stream(step="s", rule="r", subject="")
        return tuple(stream.roll(Die(1, f)) for f in faces)

    found = list(outcomes(play))
    assert sum(chance for chance, _ in found) == 1
    assert len({rolled for _, rolled in found}) == len(found)


def test_a_later_die_may_depend_on_an_earlier_one() -> None:
    def play(branch: Branch) -> int:
        stream = branch.stream(step="s", rule="r", subject="")
        first = stream.roll("1d2")
        return first if first == 1 else first + stream.roll("0..1")

    assert sorted(outcomes(play)) == [(Fraction(1, 4), 2), (Fraction(1, 4), 3), (Fraction(1, 2), 1)]


def test_a_tree_without_end_is_refused() -> None:
    def play(branch: Branch) -> None:
        branch.stream(step="s", rule="r", subject="").faces(8, 10)

    with pytest.raises(TooManyPlays):
        list(outcomes(play))


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ("nations: {rde: {treasury: {gold: 1}}}", "did you mean 'red'?"),
        ("places: {ash: {wroth: 2}}", "a place has no field 'wroth'"),
        ("units: {ash: {red: {foots: 2}}}", "no unit 'foots'"),
        ("relations: {war: [[red, bleu]]}", "did you mean 'blue'?"),
        ("nations: {red: {treasury: {gild: 1}}}", "no resource 'gild'"),
        ("works: {ash: {ash: trench}}", "no link between"),
        ("made_up: {places: [ash]}", "is in the ruleset already"),
        ("scenario: none-such", "no scenario"),
    ],
)
def test_what_is_not_there_is_said_with_the_nearest_name(folder: Path, given_: str, says: str) -> None:
    result = only(folder, f"- id: c\n  given: {{{given_}}}\n")
    assert result.status == "error" and says in result.message
    assert result.message.startswith("tests/c.yaml:3:")


@pytest.mark.parametrize(
    ("when", "says"),
    [
        ("cuort", "did you mean 'court'?"),
        ("{do: juggle}", "no mechanic 'juggle'"),
        ("{do: act, with: {actions: [none]}}", "no row"),
    ],
)
def test_a_step_that_the_sequence_does_not_have_is_an_error_of_the_case(
    folder: Path, when: str, says: str
) -> None:
    result = only(folder, f"- id: c\n  when: {when}\n")
    assert result.status == "error" and says in result.message


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("at: nowhere", "no place 'nowhere'"),
        ("from: asch", "did you mean 'ash'?"),
        ("works: moat", "no works are called 'moat'"),
        ("orders: {rde: [foot]}", "did you mean 'red'?"),
        ("orders: {red: [foots]}", "did you mean 'foot'?"),
        ("lost: {attacker: {red: {foots: 0}}}", "no unit 'foots'"),
        ("left: {defender: {bleu: {foot: 0}}}", "no nation 'bleu'"),
    ],
)
def test_odds_of_what_is_not_there_are_no_odds(folder: Path, more: str, says: str) -> None:
    write(folder, {"tables/b.yaml": "battles: [{id: brawl, die: 1d9, stages: [{id: fire, value: punch}]}]\n"})
    asked = "battle: brawl, attackers: {red: {foot: 1}}, defenders: {blue: {foot: 1}}"
    fair = only(folder, f"- id: c\n  then: {{odds: [{{{asked}, at: birch, from: ash, loss: 4/19}}]}}\n")
    assert (fair.status, fair.failures) == ("passed", ())
    result = only(folder, f"- id: c\n  then: {{odds: [{{{asked}, {more}}}]}}\n")
    assert result.status == "error" and says in result.message
    assert result.message.startswith("tests/c.yaml:3:")


@pytest.mark.parametrize(
    ("when", "left"),
    [
        (
            "{steps: [vow]}",
            [("the step court, which carries it out", "order 1 of red stays open: court gray")],
        ),
        ("court", []),
    ],
)
def test_a_failure_tells_of_orders_whose_step_the_case_leaves_out(
    folder: Path, when: str, left: list[tuple[str, str]]
) -> None:
    case = COURT.replace("when: court", f"when: {when}").replace("dice: [5, 2]", "dice: any")
    result = only(folder, case + "  then: {nations: {red: {treasury: {gold: 5}}}}")
    assert [(f.expected, f.got) for f in result.failures if f.what == "when"] == left
    assert result.status == "failed" and result.failures[0].what == "nations.red.treasury.gold"
    passes = only(folder, case + f"  then: {{nations: {{red: {{treasury: {{gold: {10 if left else 6}}}}}}}}}")
    assert (passes.status, passes.failures) == (
        "passed",
        (),
    )  # what is left out and matters to nobody is no fault


def test_a_file_with_mistakes_is_reported_at_their_places(folder: Path) -> None:
    played = run(folder, "cases:\n- id: c\n  givn: {}\n- {id: d, then: {nation: {}}}\n")
    assert [(d.line, d.column, d.hint) for d in played.found] == [
        (3, 3, "did you mean 'given'?"),
        (4, 18, "did you mean 'nations'?"),
    ]
    assert not played.ok and not played.results


def test_an_id_given_twice_is_reported(folder: Path) -> None:
    played = run(folder, "cases:\n- {id: c}\n- {id: c}\n")
    assert [d.code for d in played.found] == ["T102"]


def test_an_id_in_two_files_of_a_folder_is_reported(folder: Path) -> None:
    write(
        folder,
        {
            "tests/a.yaml": "cases: [{id: c}, {id: d}]",
            "tests/b.yaml": "cases: [{id: c}]",
            "other/b.yaml": "cases: [{id: c}]",
        },
    )
    played = run_files([(folder / n, n) for n in ("tests/a.yaml", "tests/b.yaml", "other/b.yaml")])
    assert [(d.code, d.file) for d in played.found] == [("T102", "tests/b.yaml")]


def test_stages_follow_one_another_and_may_expect_something_each(folder: Path) -> None:
    text = """
- id: c
  given: {nations: {red: {treasury: {gold: 10}}}}
  dice: [6, 3, 5, 3]
  when:
    - {step: court, orders: {red: [court gray]}, then: {nations: {gray: {tracks: {mood: 3}, flags: {won: false}}}}}
    - {end: turn}
    - {begin: turn}
    - {step: court, orders: {red: [court gray]}}
  then:
    nations: {gray: {tracks: {mood: 6}, flags: [won]}, red: {treasury: {gold: 2}}}
    triggers: [{reached: {by: gray, at: 5}}]
"""
    assert only(folder, text).failures == ()


def test_whole_turns_are_played(folder: Path) -> None:
    text = "- {id: c, given: {turn: 3}, orders: {red: [vow]}, when: {turns: 2}, then: {game: {turn: 4}, nations: {red: {flags: [vowed]}}}}"
    assert only(folder, text).failures == ()


def test_a_step_inside_a_loop_is_run_for_the_nation_named(folder: Path) -> None:
    text = "- {id: c, orders: {red: [dig], gray: [dig]}, when: {step: dig, self: gray}, then: {nations: {gray: {side: west}}}}"
    assert only(folder, text).status == "passed"


def test_facts_and_effects_set_events_off(folder: Path) -> None:
    fact = "- {id: c, when: {trigger: {reached: {by: gray, track: mood, at: 5}}}, then: {nations: {gray: {flags: [won]}}}}"
    effect = (
        "- {id: c, when: {effects: [{shift: {who: gray, track: mood, up: true, by: 7}}]},"
        " then: {nations: {gray: {flags: [won]}}, journal: [{rule: events/won-over, times: 1}]}}"
    )
    assert only(folder, fact).failures == ()
    assert only(folder, effect).failures == ()


def test_made_up_nations_on_a_map_of_their_own(folder: Path) -> None:
    text = """
- id: c
  given:
    made_up: {alone: true, nations: [a, d], places: {p: {owner: d, worth: 2}, x: {owner: a}, y: {}}, links: [[x, p], [x, y, sea]]}
    figures: {foot: {strength: 7}}
    relations: {war: [[a, d]]}
    units: {x: {a: {foot: [2, {n: 1, damage: 1}]}}}
    names: {battle: {attacks: true}}
  then:
    values: {"count(places())": 3, "place('p').owner": d, "at_war('a', 'd')": true, "count(neighbors('x', 'sea'))": 1}
    figures: {a: {foot: {punch: 9}}}
    asks: [{stat: punch, of: "=units(owner='a')", with: {battle: {attacks: false}}, is: 7}]
    units: {x: {a: {foot: 3}}, p: none}
    places: {p: {worth: 2, holder: d}}
    wars: [[d, a]]
    nations: {a: {units: {foot: 3}}}
"""
    assert only(folder, text).failures == ()
    assert only(folder, text.replace("foot: 3}}, p", "foot: [{n: 2}, {n: 1, damage: 1}]}}, p")).failures == ()
    assert only(folder, text.replace("foot: 3}}, p", "foot: [{n: 3}]}}, p")).status == "failed"


def test_the_past_may_differ_from_the_present(folder: Path) -> None:
    text = """
- id: c
  given: {places: {ash: {holder: blue}}, was: {turn: {places: {ash: {holder: red}}}}}
  then: {values: {"was('ash', 'holder', 'turn')": red, "was('ash', 'holder', 'game')": blue, "place('ash').holder": blue}}
"""
    assert only(folder, text).failures == ()


def test_a_nation_may_have_nothing_of_what_the_scenario_gives_it(folder: Path) -> None:
    """`units: none` takes away its units, also those that it would deploy; what the case gives it stands."""
    write(
        folder,
        {
            "scenarios/s.yaml": "id: s\ntitle: S\nruleset: ..\nunits: [{owner: red, at: ash, units: {foot: 3}}, {owner: red, at: birch, deploy: chosen, units: {foot: 2}}, {owner: gray, at: birch, units: {foot: 1}}]\n"
        },
    )
    case = "- id: bare\n  given: {scenario: ../scenarios/s, nations: {red: {units: none}}, units: {birch: {red: {foot: 1}}}}\n"
    assert (
        only(
            folder,
            case
            + "  then: {units: {ash: none, birch: {red: {foot: 1}, gray: {foot: 1}}}, state: {chosen: {}}}",
        ).status
        == "passed"
    )


def test_who_may_read_an_entry_is_part_of_the_result(folder: Path) -> None:
    entry = "  then: {journal: [{rule: actions/court, text: courts Gray, dice: [5, 2], audience: red, read_by: red, hidden_from: [gray, blue]}]}"
    assert only(folder, COURT + entry).failures == ()
    assert (
        only(folder, COURT + "  then: {journal: [{rule: actions/court, read_by: blue}]}").status == "failed"
    )
    assert only(folder, COURT + "  then: {journal: [{rule: actions/vow, absent: true}]}").status == "passed"


def test_a_shared_fixture_lies_under_what_each_case_says(folder: Path) -> None:
    text = """
given: {nations: {red: {treasury: {gold: 9}, tracks: {mood: 1}}}}
cases:
- {id: a, then: {nations: {red: {treasury: {gold: 9}}}}}
- {id: b, given: {nations: {red: {treasury: {gold: 2}}}}, then: {nations: {red: {treasury: {gold: 2}, tracks: {mood: 1}}}}}
"""
    assert [r.status for r in run(folder, text).results] == ["passed", "passed"]


def test_what_a_case_makes_up_is_added_to_what_its_file_makes_up() -> None:
    shared = {"turn": 2, "made_up": {"nations": ["a"], "places": {"p": {"worth": 1}}, "links": [["p", "q"]]}}
    own = {"turn": 3, "made_up": {"nations": ["b"], "places": ["q"], "links": [["p", "r"]]}}
    assert over_fixture(shared, own) == {
        "turn": 3,
        "made_up": {
            "nations": ["a", "b"],
            "places": {"p": {"worth": 1}, "q": {}},
            "links": [["p", "q"], ["p", "r"]],
        },
    }


def test_orders_may_only_be_checked(folder: Path) -> None:
    text = """
- id: c
  given: {nations: {red: {treasury: {gold: 7}}}}
  orders: {red: [court gray, court gary, court blue, court gray]}
  when: {check: true}
  then: {refused: [{order: 2}, {order: 3, says: chosen already}, {order: 4, says: once}], nothing_else: true}
"""
    assert only(folder, text).failures == ()


@pytest.mark.parametrize("line", ["court blue", "{order: court, slots: {target: blue}}"])
def test_orders_go_in_by_the_door_of_a_players_mail_unless_a_case_says_why_not(
    folder: Path, line: str
) -> None:
    case = f"- id: c\n  orders: {{red: [{line}]}}\n  when: court\n"
    at_the_door = (
        "{journal: [{rule: sequence/input, data: {orders: 0}}], refused: [{order: 1, says: chosen already}]}"
    )
    behind = (
        "{journal: [{rule: sequence/input, data: {orders: 1}}], refused: [{order: 1, says: chosen already}]}"
    )
    assert only(folder, f"{case}  then: {at_the_door}").failures == ()
    past = f"{case}  past_the_door: true\n"
    assert only(folder, f"{past}  why: what the resolution says\n  then: {behind}").failures == ()
    assert run(folder, past).found, "why it goes past the door has to be said"


def test_a_nation_orders_by_what_its_view_shows(folder: Path) -> None:
    """The mark of another that a need reads is in no view: the order passes the door, and the resolution refuses it."""
    hidden = RULES.replace(
        "requires: [", "requires: [{test: \"not flagged(target, 'won')\", message: won already}, "
    )
    write(folder, {"tables/t.yaml": hidden})
    case = """
- id: c
  given: {nations: {gray: {flags: MARKS}, red: {treasury: {gold: 9}}}}
  orders: {red: [court gray]}
  when: court
  then: {journal: [{rule: sequence/input, data: {orders: N}}], refused: [{says: won already}]}
"""
    assert only(folder, case.replace("MARKS", "[won]").replace("N", "1")).failures == ()
    assert only(folder, case.replace("MARKS", "{won: {seen_by: [red]}}").replace("N", "0")).failures == ()


def test_a_line_that_answers_a_decision_is_an_answer(folder: Path) -> None:
    decided = (
        RULES
        + "decisions: [{id: yielding, syntax: 'yield to {answer}', slots: {answer: nation}, default: red}]\n"
    )
    write(folder, {"tables/t.yaml": decided})
    text = "- {id: c, orders: {red: [yield to blue]}, when: court, then: {state: {answers: {red: {yielding: blue}}}, refused: []}}"
    assert only(folder, text).failures == ()


@pytest.mark.parametrize(
    "text", ["all(nations(), 'no_such_term')", "count(nations(mod=1))", "count(places(), 'wort')"]
)
def test_a_value_that_names_what_is_not_there_is_an_error(folder: Path, text: str) -> None:
    result = only(folder, f'- {{id: c, then: {{values: {{"{text}": 0}}}}}}')
    assert result.status == "error" and text in result.message


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("{yielding: nobody}", "no nation"),
        ("{yeilding: blue}", "yielding"),
        ("{stakes: 9}", "at most 3"),
        ("{stakes: some}", "no number"),
        ("{manner: rudely}", "it is one of kindly, coldly"),
        ("{manner/ash: kindly}", "nothing in particular"),
        ("{place-of-talks/elm: 1}", "no place"),
    ],
)
def test_an_answer_is_one_that_its_decision_allows(folder: Path, answer: str, why: str) -> None:
    decided = (
        RULES
        + """
decisions:
  - {id: yielding, syntax: "yield to {answer}", slots: {answer: nation}, default: red}
  - {id: stakes, least: 0, most: 3, default: 1}
  - {id: manner, from: [kindly, coldly], default: coldly}
  - {id: place-of-talks, about: place, least: 0, most: 3, default: 1}
"""
    )
    write(folder, {"tables/t.yaml": decided})
    refused = f'- {{id: c, answers: {{red: {answer}}}, when: court, then: {{refused: [{{nation: red, says: "{why}"}}], nothing_else: true}}}}'
    assert only(folder, refused).failures == ()
    for fine in (
        "{yielding: blue}",
        "{stakes: 3}",
        "{stakes: all}",
        "{manner: kindly}",
        "{place-of-talks/ash: 0}",
    ):
        assert only(folder, f"- {{id: c, answers: {{red: {fine}}}, when: court}}").failures == ()


@given(
    st.recursive(
        st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8
    )
)
def test_merging_over_nothing_or_over_itself_changes_nothing(value: object) -> None:
    assert merged({}, value) == value
    assert merged(value, value) == value


@pytest.mark.parametrize(
    ("wanted", "got", "is_same"),
    [
        ("none", None, True), (False, None, True), (0, 0, True), (0, None, False), (0, False, False), (1, True, False),
        ("3/4", Fraction(3, 4), True), ("6/2", 3, True), (["a"], ("a",), True), ("none", "none", True), ("", 0, False),
    ],
)  # fmt: skip
def test_when_a_written_value_is_a_found_one(wanted: object, got: object, is_same: bool) -> None:
    assert same(wanted, got) is is_same


def test_values_are_shown_as_cases_write_them() -> None:
    assert shown({"a": [Fraction(1, 2), None, True]}) == "{a: [1/2, none, true]}"


def test_tests_are_found_in_folders_called_tests(folder: Path) -> None:
    write(folder, {"tests/a.yaml": "cases: []", "tests/deep/b.yml": "cases: []", "tests/note.md": "-"})
    write(folder / "variants" / "v", {"tests/c.yaml": "cases: []"})
    assert [p.relative_to(folder).as_posix() for p in find(folder)] == [
        "tests/a.yaml",
        "tests/deep/b.yml",
        "variants/v/tests/c.yaml",
    ]
    assert [p.name for p in find(folder / "tests")] == ["a.yaml", "b.yml"]
    assert (
        read(folder / "variants" / "v" / "tests" / "c.yaml").ruleset == (folder / "variants" / "v").resolve()
    )


def test_processes_give_what_one_gives(folder: Path) -> None:
    names = [f"tests/{n}.yaml" for n in "abc"]
    for name in names:
        write(
            folder,
            {
                name: f"cases:\n- {{id: {Path(name).stem}, then: {{values: {{'1 + 1': {2 if name != names[1] else 3}}}}}}}"
            },
        )
    files = [(folder / n, n) for n in names]
    one, two = run_files(files), run_files(files, jobs=2)
    assert [(r.id, r.status, r.failures) for r in one.results] == [
        (r.id, r.status, r.failures) for r in two.results
    ]
    assert [r.status for r in two.results] == ["passed", "failed", "passed"]


# ---- the command


def command(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    out = capsys.readouterr()
    return int(end.value.code or 0), out.out + out.err


def test_the_command_fails_if_a_case_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        folder,
        {
            "tests/c.yaml": "cases:\n- {id: good, clauses: [x.a]}\n- {id: bad, clauses: [x.b], then: {values: {'1': 2}}}"
        },
    )
    code, text = command("test", str(folder), capsys=capsys)
    assert code == 1 and "1 passed, 1 failed (2 cases" in text
    assert command("test", str(folder), "-k", "good", capsys=capsys)[0] == 0
    assert command("test", str(folder), "--clause", "x.a", capsys=capsys)[0] == 0
    assert command("test", str(folder), "--clause", "x.b", capsys=capsys)[0] == 1
    assert "journal:" in command("test", str(folder), "-k", "good", "--show", capsys=capsys)[1]


def test_the_command_speaks_json_and_junit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        folder,
        {
            "tests/c.yaml": "cases:\n- {id: good}\n- {id: bad, then: {values: {'1': 2}}}\n- {id: ugly, when: nowhere}"
        },
    )
    found = json.loads(command("test", str(folder), "--format", "json", capsys=capsys)[1])
    assert found["counts"] == {"passed": 1, "failed": 1, "error": 1} and found["ok"] is False
    assert found["cases"][1]["failures"][0]["expected"] == "2"
    suite = xml.fromstring(command("test", str(folder), "--format", "junit", capsys=capsys)[1])
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nowhere"], 2, "does not exist"),
        ([".", "--format", "yaml"], 2, "no format"),
        ([".", "-k", "zzz"], 2, "no case fits"),
    ],
)
def test_a_wrong_call_is_told(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    says: str,
) -> None:
    write(folder, {"tests/c.yaml": "cases: [{id: good}]"})
    monkeypatch.chdir(folder)
    found, text = command("test", *arguments, capsys=capsys)
    assert found == code and says in text


def test_dice_of_which_only_a_threshold_matters_have_two_ways_and_not_one_for_each_face() -> None:
    plays = []

    def play(branch: Branch) -> int:
        plays.append(1)
        stream = branch.stream(step="s", rule="r", subject="")
        return sum(face <= 3 for face in stream.faces(2, 10, 3)) + (stream.roll("1d6+1", 4) <= 4)

    found: dict[int, Fraction] = {}
    for chance, value in outcomes(play):
        found[value] = found.get(value, Fraction(0)) + chance
    assert len(plays) == 6
    assert found == {0: Fraction(49, 200), 1: Fraction(91, 200), 2: Fraction(51, 200), 3: Fraction(9, 200)}


def test_a_fight_without_end_comes_to_its_exact_end() -> None:
    def play(branch: Branch) -> str:
        mine, theirs = 1, 1
        stream = branch.stream(step="s", rule="r", subject="")
        while mine and theirs:
            branch.checkpoint(f"{mine} {theirs}".strip)
            hit, was_hit = stream.roll("1d10", 3) <= 3, stream.roll("1d10", 5) <= 5
            mine, theirs = mine - was_hit, theirs - hit
        return f"{mine}:{theirs}"

    found = {value: chance for chance, value in outcomes(play)}
    assert found == {"1:0": Fraction(3, 13), "0:1": Fraction(7, 13), "0:0": Fraction(3, 13)}


@pytest.mark.parametrize(
    "said",
    [
        {"turn": 9},
        {"nations": {"italy": {"flags": ["offered-allied"]}}},
        {
            "relations": {"war": [["allied", "central"]]},
            "places": {"suez-canal": {"holder": "ottoman-empire"}},
        },
        {
            "scenario": "1914",
            "nations": {"italy": {"flags": ["offered-allied"]}},
            "was": {"turn": {"turn": 1}},
        },
    ],
)
def test_what_tests_of_changes_say_is_noted_as_if_each_case_stood_alone(
    said: dict[str, Any], tmp_path: Path
) -> None:
    """What is noted of the shared beginning of many cases is looked at again where a case has changed what it reads."""
    _, rules, geography = loaded()
    shelf = Shelf(rules, geography)
    plain = Play(
        shelf.ground({k: v for k, v in said.items() if k in ("scenario", "turn")}, tmp_path / "c.yaml"),
        KeyedDice(b"a", 1),
    )
    ground = shelf.ground(said, tmp_path / "c.yaml")
    assert ground.changed is not None
    bare = ground.state.copy()
    for key in list(bare.table("becomes")):
        bare.put("becomes", key, "*", None)
    alone = Play(replace(ground, state=bare, changed=None), KeyedDice(b"a", 1)).turn.state.table("becomes")
    shared = Play(ground, KeyedDice(b"a", 1)).turn.state.table("becomes")
    assert shared == alone
    assert (shared != plain.turn.state.table("becomes")) == ("nations" in said)
