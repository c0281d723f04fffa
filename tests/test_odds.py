"""Odds: exact figures of published cases by the rows of the base ruleset, laws of all odds, estimates, and the command."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.odds import Odds, Question, estimate, exact, odds, sample
from wteaw.odds.ask import plan_of
from wteaw.world.world import World

from .battlefield import LINKS, ruleset


def world(rules: Ruleset | None = None, **rows: Any) -> World:
    tables: dict[str, Any] = {
        "game": {"game": {"turn": 1}},
        "relations": {"a--d": {"stance": "war"}, "a--b": {"stance": "allied"}},
    }
    return World(rules or ruleset(), State({**tables, **rows}))


def force(owner: str, **kinds: int) -> dict[tuple[str, str], int]:
    return {(owner, kind.replace("_", "-")): n for kind, n in kinds.items()}


def ask(
    attackers: dict[str, int],
    defenders: dict[str, int],
    on: World | None = None,
    battle: str = "land",
    **more: Any,
) -> Odds:
    place, start = more.pop("place", "p"), more.pop("start", "x")
    return odds(
        on or world(),
        Question(battle, force("a", **attackers), force("d", **defenders), place, start, **more),
    )


def close(found: Odds, win: str, loss: str, draw: str) -> None:
    expected = [float(Fraction(x)) for x in (win, loss, draw)]
    assert [found.win, found.loss, found.draw] == pytest.approx(expected, abs=1e-9)


def test_one_against_one_on_open_ground_and_before_a_trench() -> None:  # s091
    close(ask({"infantry": 1}, {"infantry": 1}), "3/13", "7/13", "3/13")
    close(ask({"infantry": 1}, {"infantry": 1}, works="trench"), "1/11", "9/11", "1/11")


def test_two_against_one() -> None:  # s097
    close(ask({"infantry": 2}, {"infantry": 1}), "1473/1963", "343/1963", "147/1963")


def test_a_lone_gun_defends_at_one() -> None:  # s002
    close(ask({"infantry": 1}, {"artillery": 1}), "27/37", "7/37", "3/37")


def test_two_forces_that_meet_both_attack() -> None:  # s009
    close(ask({"infantry": 1}, {"infantry": 1}, battle="meeting"), "7/17", "7/17", "3/17")


def test_a_landing_on_an_empty_coast() -> None:  # s100
    rules = ruleset(links=[*LINKS, ("sea", "p", "coast")])
    close(ask({"infantry": 1}, {}, world(rules), start="sea"), "9/19", "9/19", "1/19")
    close(ask({"infantry": 2}, {}, world(rules), start="sea"), "4339/5149", "729/5149", "81/5149")


def test_one_round_over_a_strait() -> None:  # s099
    rules = ruleset(links=[("x", "p", "strait")])
    found = ask({"infantry": 2}, {"infantry": 1}, world(rules), limits={0: {"rounds": 1}})
    chances = [float(Fraction(x)) for x in ("19/2000", "99/2000", "1/2000", "1881/2000")]
    assert [found.win, found.loss, found.draw, found.open] == pytest.approx(chances, abs=1e-12)


def test_withdrawal_after_one_round() -> None:  # s004
    found = ask({"infantry": 2}, {"infantry": 1}, limits={0: {"rounds": 1}})
    assert found.win == pytest.approx(0.51)
    assert found.open == pytest.approx(0.49)
    assert found.losses["attacker"] == pytest.approx((0.5, 0.5))


def test_a_nation_alone_against_two_has_a_fictive_unit() -> None:  # s105
    two = {**force("a", infantry=1), **force("b", infantry=1)}
    question = Question("land", two, force("d", infantry=1), "p", "x", limits={0: {"rounds": 1}})
    found = odds(world(), question)
    assert found.losses["defender"] == pytest.approx((0.91, 0.09))


def test_a_free_attack_of_submarines() -> None:  # s078
    found = ask(
        {"submarine": 2}, {"destroyer": 1}, battle="ambush", place="sea", start="", limits={0: {"rounds": 1}}
    )
    assert found.losses["defender"] == pytest.approx((0.64, 0.36))
    assert found.losses["attacker"] == pytest.approx((1 - 0.192, 0.192))


def test_a_sample_agrees_and_says_how_many_trials() -> None:
    question = Question("land", force("a", infantry=6, artillery=2), force("d", infantry=5), "p", "x")
    true, tried = odds(world(), question), odds(world(), question, trials=50_000)
    assert tried.trials == 50_000
    assert abs(tried.win - true.win) < 4 * (true.win * (1 - true.win) / 50_000) ** 0.5
    assert tried.lost["defender"]["d"]["infantry"] == pytest.approx(
        true.lost["defender"]["d"]["infantry"], abs=0.03
    )


def test_allies_share_their_losses_the_same_in_samples_and_exactly() -> None:
    both = {**force("a", infantry=3), **force("b", infantry=2, tank=1)}
    plan = plan_of(world(), Question("land", both, force("d", infantry=4), "p", "x"))
    true, tried = exact(plan), sample(plan, 60_000, seed=11)
    assert tried.win == pytest.approx(true.win, abs=0.01)
    for owner in ("a", "b"):
        for kind, n in true.lost["attacker"][owner].items():
            assert tried.lost["attacker"][owner][kind] == pytest.approx(n, abs=0.03)


KINDS = st.fixed_dictionaries(
    {"infantry": st.integers(1, 4), "tank": st.integers(0, 2), "artillery": st.integers(0, 2)}
)


@settings(max_examples=20, deadline=None)
@given(KINDS, KINDS, st.booleans())
def test_chances_add_up_and_nobody_loses_more_than_he_has(
    attackers: dict[str, int], defenders: dict[str, int], trench: bool
) -> None:
    some = {k: n for k, n in attackers.items() if n}
    found = ask(some, {k: n for k, n in defenders.items() if n}, works="trench" if trench else None)
    assert found.win + found.loss + found.draw + found.open == pytest.approx(1)
    for side, numbers in (("attacker", some), ("defender", defenders)):
        for kinds in found.lost[side].values():
            assert all(-1e-9 <= n <= numbers[kind] + 1e-9 for kind, n in kinds.items())
        assert sum(found.losses[side]) == pytest.approx(1)


@settings(max_examples=15, deadline=None)
@given(KINDS, KINDS)
def test_one_more_attacker_never_hurts_him(attackers: dict[str, int], defenders: dict[str, int]) -> None:
    mine, theirs = ({k: n for k, n in f.items() if n} for f in (attackers, defenders))
    more = {**mine, "infantry": mine["infantry"] + 1}
    assert ask(more, theirs).win >= ask(mine, theirs).win - 1e-12


@settings(max_examples=15, deadline=None)
@given(KINDS, KINDS)
def test_the_short_way_and_the_long_way_agree(attackers: dict[str, int], defenders: dict[str, int]) -> None:
    mine, theirs = ({k: n for k, n in f.items() if n} for f in (attackers, defenders))
    plan = plan_of(world(), Question("land", force("a", **mine), force("d", **theirs), "p", "x"))
    short, long = exact(plan), exact(plan, fast=False)
    assert (short.win, short.loss, short.draw) == pytest.approx((long.win, long.loss, long.draw), abs=1e-10)


@pytest.mark.parametrize(
    ("attackers", "defenders"),
    [
        ({"infantry": 30}, {"infantry": 30}), ({"infantry": 14}, {"infantry": 10}), ({"infantry": 10, "artillery": 4}, {"infantry": 8}),
        ({"infantry": 6, "tank": 3}, {"infantry": 6, "artillery": 2}), ({"infantry": 2}, {"infantry": 2}), ({"infantry": 20, "artillery": 6}, {"infantry": 20}),
    ],
)  # fmt: skip
def test_estimates_are_near_the_exact_odds(attackers: dict[str, int], defenders: dict[str, int]) -> None:
    here = world()
    true = ask(attackers, defenders, here)
    rough = estimate(here, "land", force("a", **attackers), force("d", **defenders), "p", "x>p")
    assert rough.win == pytest.approx(true.win, abs=0.07)
    assert rough.lost["attacker"]["a"]["infantry"] == pytest.approx(
        true.lost["attacker"]["a"]["infantry"], abs=1.5
    )


def test_an_estimate_follows_what_changes_in_the_world() -> None:
    here = world()
    before = estimate(here, "land", force("a", infantry=8), force("d", infantry=6), "p", "x>p")
    here.state.put("links", "p--x", "works@p", "trench")
    after = estimate(here, "land", force("a", infantry=8), force("d", infantry=6), "p", "x>p")
    assert after.win < before.win - 0.2


def test_the_question_changes_nothing() -> None:
    here = world()
    before = here.state.hash()
    ask({"infantry": 3, "artillery": 1}, {"infantry": 2}, here, works="trench")
    assert here.state.hash() == before


# ---- the command


def run(*arguments: str) -> tuple[int, str]:
    import typer

    from wteaw.cli.odds import odds as command

    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wteaw.cli.show.sound_ruleset", lambda folder: (folder, ruleset()))


@pytest.mark.usefixtures("small")
def test_the_command_prints_chances_and_losses() -> None:
    code, text = run(
        "--attacker", "A: 2 infantry", "--defender", "D: 1 infantry", "--place", "P", "--from", "X"
    )
    assert code == 0
    assert "attacker wins" in text and "75.04 %" in text
    assert "loses" in text and "of 2 infantry" in text
    assert "exact" in text


@pytest.mark.usefixtures("small")
def test_the_command_speaks_json() -> None:
    code, text = run(
        "--attacker",
        "a: 1 inf",
        "--defender",
        "d: 1 inf",
        "--works",
        "trench",
        "--place",
        "p",
        "--from",
        "x",
        "--format",
        "json",
    )
    assert code == 0
    assert json.loads(text)["win"] == pytest.approx(1 / 11)


@pytest.mark.usefixtures("small")
def test_the_command_explains_what_it_does_not_understand() -> None:
    from wteaw.cli import Stop

    for arguments in (
        ("--attacker", "a 2 infantry"),
        ("--attacker", "a: infantry"),
        ("--attacker", "a: 2 infantri"),
    ):
        import typer

        from wteaw.cli.odds import odds as command

        app = typer.Typer()
        app.command()(command)
        result = CliRunner().invoke(app, [*arguments, "--defender", "d: 1 infantry"])
        assert isinstance(result.exception, Stop)


def test_big_battles_are_sampled_and_say_so() -> None:
    question = Question(
        "land",
        {**force("a", infantry=6), **force("b", tank=5)},
        force("d", infantry=9, artillery=3),
        "p",
        "x",
    )
    assert odds(world(), question).trials == 0
    assert odds(world(), question, most=1000).trials > 0
    assert odds(world(), question, most=None).trials == 0


def test_leaving_after_kills_as_an_order_says_it() -> None:
    # one round: they go if exactly one of three is dead; with none dead or with at most one left they fight on
    found = ask({"infantry": 1}, {"infantry": 3}, limits={0: {"kills": {"kills": 1, "left": 1}}})
    never = ask({"infantry": 1}, {"infantry": 3}, limits={0: {"kills": {"kills": 1, "left": 2}}})
    hit, spared = Fraction(3, 10), Fraction(1, 2) ** 3
    # a kill and no loss in the same round, after any number of rounds in which nothing happened
    assert found.open == pytest.approx(float(hit * spared / (1 - (1 - hit) * spared)))
    assert never.open == 0 and never.win > 0


def test_units_may_come_over_different_borders_and_be_damaged() -> None:
    here = world()
    here.state.put("links", "p--y", "works@p", "trench")
    via = {("a", "infantry", (("via", "x>p"),)): 2, ("a", "infantry", (("via", "y>p"),)): 2}
    mixed = odds(here, Question("land", via, force("d", infantry=3), "p")).win
    open_, dug = (
        odds(here, Question("land", force("a", infantry=4), force("d", infantry=3), "p", start)).win
        for start in ("x", "y")
    )
    assert dug < mixed < open_
    hit = {("a", "battleship", (("damage", 1),)): 2}
    fleet = force("d", battleship=2)
    worn = odds(world(), Question("sea", hit, fleet, "sea")).win
    assert worn < odds(world(), Question("sea", force("a", battleship=2), fleet, "sea")).win / 2


def test_the_mean_number_of_rounds_is_the_same_in_every_way() -> None:
    plan = plan_of(world(), Question("land", force("a", infantry=4), force("d", infantry=3), "p", "x"))
    short, long, tried = exact(plan), exact(plan, fast=False), sample(plan, 200_000)
    assert short.rounds == pytest.approx(long.rounds, abs=1e-9)
    assert tried.rounds == pytest.approx(short.rounds, abs=0.03)


# ---- pictures


def test_the_picture_says_everything_that_the_text_says() -> None:
    from xml.etree import ElementTree

    from wteaw.odds.chart import chart

    class Words:
        def nation(self, id_: str) -> str:
            return id_.upper() + " & Co"

        def unit(self, kind: str, n: float) -> str:
            return kind

    for trials in (0, 2000):
        found = odds(
            world(),
            Question("land", force("a", infantry=90), force("d", infantry=4), "p", "x"),
            trials=trials,
        )
        root = ElementTree.fromstring(chart(found, "Battle of <P>", Words()))
        said = " | ".join(root.itertext())
        assert "Battle of <P>" in said and "A & Co" in said
        assert ("exact" in said) is (trials == 0) and ("standard error" in said) is (trials > 0)
        assert f"mean {found.mean('attacker'):.2f}" in said and "units lost, of 90" in said
        width = float(root.attrib["width"])
        for node in root.iter("{http://www.w3.org/2000/svg}rect"):
            assert float(node.attrib["width"]) <= width and float(node.attrib.get("x", 0)) >= 0


def test_the_order_of_rows_and_files_does_not_matter() -> None:
    from wteaw.battle import fight
    from wteaw.core.dice import KeyedDice

    from .battlefield import Field

    rules = ruleset()
    turned = {form: dict(reversed(list(rows.items()))) for form, rows in reversed(list(rules.forms.items()))}
    other = Ruleset(rules.id, rules.title, turned, (), rules.manifest)
    mine = {**force("a", infantry=3, tank=2, artillery=1), **force("b", infantry=2)}
    asked = Question("land", mine, force("d", infantry=4, artillery=1), "p", "x", works="trench")
    assert odds(world(rules), asked).to_json() == odds(world(other), asked).to_json()
    ends = []
    for each in (rules, other):
        field = Field(each, allies="ab", war="bd").units("d", "p", infantry=4, artillery=2)
        field.attack("a", "x", "p", infantry=3, tank=2)
        field.attack("b", "w", "p", infantry=3)
        field.turn.dice = KeyedDice(bytes(32), 1)
        fight.run({"battles": ["land"]}, field.turn)
        ends.append((field.state.hash(), [e.text for e in field.turn.journal.entries]))
    assert ends[0] == ends[1]
