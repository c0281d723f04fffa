"""The rulebook says what the tables say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wteaw.core.package_data import rulesets
from wteaw.rulebook import page, rulebook
from wteaw.rulebook.phrases import asked, effect_words, fact_words, table
from wteaw.rulebook.spoken import Spoken
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.expressions.functions import FUNCTIONS

from . import small

SAY = Spoken(
    small.ruleset(
        nations=[{"id": "red", "name": "Red"}, {"id": "blue", "name": "Blue"}],
        resources=[{"id": "gold", "name": "Gold"}],
        tracks=[{"id": "mood", "name": "Mood"}],
    )
)


def test_every_act_event_and_unit_of_the_base_ruleset_stands_in_it() -> None:
    ruleset, _ = load_ruleset(rulesets())
    assert ruleset is not None
    text = rulebook(ruleset)
    for row in ruleset.rows("acts").values():
        assert f"`{row['form']}`" in text
        for need in row.get("needs", ()):
            assert asked(Spoken(ruleset), need["else"]) in text
    for form in ("units", "technologies", "nations"):
        for row in ruleset.rows(form).values():
            assert f"| {row['name']} |" in text
    for row in ruleset.rows("events").values():
        assert str(row.get("title", row["id"])) in text
    spain = text.partition("## Nation by nation")[2].partition("### Spain\n")[2].partition("###")[0]
    assert "- Declaration of war: not allowed: only one attempt in a turn\n" in spain
    assert "- Declaration of war: comes to something of its own\n" in spain


def test_effects_and_facts_in_words() -> None:
    assert (
        effect_words(SAY, {"pay": {"to": "red", "what": "gold", "amount": "1d6"}, "when": "turn > 3"})
        == "if the turn is more than 3: Red is paid 1d6 Gold"
    )
    assert effect_words(SAY, {"pay": {"from": "=self", "what": "gold", "amount": 2}}) == "you pay 2 Gold"
    assert effect_words(SAY, {"shift": {"track": "mood", "who": "red", "by": {"draw": [0, 4]}}}) == (
        "the Mood of Red moves 0 to 4, drawn by lot,"
    )
    assert (
        effect_words(SAY, {"shift": {"track": "mood", "who": "=self", "by": 1, "to_zero": True}})
        == "your Mood moves 1 toward zero"
    )
    assert effect_words(SAY, {"say": "{self} declares war on {target}."}) == "“The nation declares war on the target.”"
    assert fact_words(SAY, [{"declared": {"by": ["a", "b"]}}, "turn_end"]) == "declared, by a or b or turn end"
    assert table(["a"], [["x|y"]]) == "| a |\n| --- |\n| x\\|y |"


def test_a_rule_stands_once_with_its_clauses_and_tests_in_the_phase_that_carries_it_out() -> None:
    ruleset, _ = load_ruleset(rulesets())
    assert ruleset is not None
    text = rulebook(ruleset, {"pbem.diplomacy.influence-who": 3, "pbem.diplomacy.influence-points": 1})
    assert text.count("#### Diplomatic influence\n") == 1
    diplomacy = text[text.index(": Diplomatic actions\n") : text.index(": Technology\n")]
    assert "#### Diplomatic influence\n" in diplomacy
    assert "pbem.diplomacy.influence-who (3 tests); " in diplomacy
    assert "pbem.diplomacy.influence-points (1 test); " in diplomacy and "influence-opposed (0 tests)" in diplomacy
    assert "- **units**:" in text[text.index("## What is reconstructed") :]


def test_every_phase_has_its_chapter_and_battles_follow_the_last_that_fights() -> None:
    ruleset, _ = load_ruleset(rulesets())
    assert ruleset is not None
    text = rulebook(ruleset)
    chapters = re.findall("^## (.*)$", text, re.MULTILINE)
    turn = [c.split(":")[0] for c in chapters if c.startswith("Phase") or c == "Battles"]
    assert turn == [*(f"Phase {n}" for n in range(1, 6)), "Battles", *(f"Phase {n}" for n in range(6, 11))]
    battles = text[text.index("\n## Battles\n") : text.index("\n## Phase 6")].split("\n### ")[1:]
    assert len(battles) == len(set(battles)) < len(ruleset.rows("battles"))


def test_refusals_read_before_anybody_is_meant() -> None:
    said = asked(SAY, "{self} may not, nor {target}: {max(0, n)} left")
    assert said == "you may not, nor the target: the greater of 0 and the n left"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("self.id == 'red' and at_war(self, 'blue')", "you are Red and you are at war with Blue"),
        ("not neutral(target) or turn < 3", "the target is not neutral or the turn is less than 3"),
        ("(a or b) and not (c and d)", "(the a or the b) and not (the c and the d)"),
        ("5 if self.side == 'x' else n // 2 * 3", "5 if your side is “x”, else (the n divided (rounded down) by 2) times 3"),
        ("some(units(owner=self, at=place))", "there are units of you in the place"),
        ("not some(nations(side='x'))", "there are no nations of “x”"),
        ("count(places(holder=nation('blue')))", "the number of places held by Blue"),
        ("self.alive and place.owner", "you are alive and the place has an owner"),
        ("unknown_function(a, b=2)", "unknown function (the a, b: 2)"),
        ("age(self, 'angry') > 0", "the turns since you were marked “angry” is more than 0"),
        ("this is no expression", "`this is no expression`"),
    ],
)
def test_expressions_are_told_in_words(expression: str, words: str) -> None:
    assert SAY.truth(expression) == words


def test_every_phrase_is_of_a_function_that_there_is_and_takes_as_much() -> None:
    for name, signature in FUNCTIONS.items():
        needed = len(set(re.findall(r"\{(\d)\}", signature.phrase)))
        assert needed <= len(signature.args) + (signature.rest is not None), name


@pytest.mark.parametrize("path", [rulesets(), *sorted((rulesets() / "variants").iterdir())], ids=lambda p: p.name)
def test_hardly_a_line_of_a_rulebook_is_code(path: Path) -> None:
    """What is between accents are the forms of orders and the names of terms, or an expression that is too long to be told."""
    ruleset, _ = load_ruleset(path)
    assert ruleset is not None
    terms = {name.replace("_", " ") for name in ruleset.rows("terms")}
    written = {str(row["form"]) for form in ("acts", "orders", "order_options", "decisions") for row in ruleset.rows(form).values() if "form" in row}  # fmt: skip
    book = rulebook(ruleset).partition("\n## Terms\n")[0]
    code = [c for c in re.findall(r"`([^`\n]+)`", book) if c not in terms and c not in written]
    assert len(code) <= book.count("\n") / 100, code[:20]


def test_a_term_in_an_expression_leads_to_its_meaning() -> None:
    html = page(
        "# A\n\n`is land` (the unit) and `is landing` is land\n\n## Terms\n\n| term | of | means | exactly |\n| --- | --- | --- | --- |\n"
        '| is_land | unit | Goes "ashore" | `unit.land` |\n\n## Options\n'
    )
    assert '<tr id="term-is_land">' in html
    assert html.count('<code><a href="#term-is_land" title="Goes &quot;ashore&quot;">is land</a></code> (the unit)') == 1
    assert html.count("#term-is_land") == 1


def test_the_page_leads_to_every_chapter() -> None:
    html = page("# A & B\n\n## The turn\n\n| a | b |\n| --- | --- |\n| 1 | <i>2</i> |\n\n## The end, and who has won\n")
    assert "<title>A &amp; B</title>" in html and "<table>" in html and "<i>" not in html
    for anchor in ("the-turn", "the-end-and-who-has-won"):
        assert f'href="#{anchor}"' in html and f'<h2 id="{anchor}">' in html


def test_the_graph_shows_what_each_event_reads() -> None:
    from wteaw.report.graph import dependencies, dependency_svg

    events = [
        {"id": "rich", "for": "red", "becomes": "track('red', 'mood') > 3"},
        {"id": "odd", "on": "turn_end", "when": "mystery(self)"},
    ]
    rules = small.ruleset(events=events)
    assert dependencies(rules) == {"rich": ("tracks",), "odd": None}
    svg = dependency_svg(rules)
    assert svg.count("<path") == 2 and ">tracks<" in svg and ">anything<" in svg
