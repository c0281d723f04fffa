"""The rulebook says what the tables say."""

from __future__ import annotations

import re

from wteaw.core.package_data import rulesets
from wteaw.game.rulebook import page, rulebook
from wteaw.game.rulebook.phrases import asked, effect_words, fact_words, table
from wteaw.ruleset import load_ruleset


def test_every_act_event_and_unit_of_the_base_ruleset_stands_in_it() -> None:
    ruleset, _ = load_ruleset(rulesets())
    assert ruleset is not None
    text = rulebook(ruleset)
    for row in ruleset.rows("acts").values():
        assert f"`{row['form']}`" in text
        for need in row.get("needs", ()):
            assert asked(need["else"]) in text
    for form in ("units", "technologies", "nations"):
        for row in ruleset.rows(form).values():
            assert f"| {row['name']} |" in text
    for row in ruleset.rows("events").values():
        assert str(row.get("title", row["id"])) in text


def test_effects_and_facts_in_words() -> None:
    assert (
        effect_words({"pay": {"to": "red", "what": "gold", "amount": "1d6"}, "when": "turn > 3"})
        == "red is paid 1d6 gold (if `turn > 3`)"
    )
    assert fact_words([{"declared": {"by": ["a", "b"]}}, "turn_end"]) == "declared, by a, b or turn end"
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
    assert asked("{self} may not, nor {target}: {max(0, n)} left") == "you may not, nor the target: `max(0, n)` left"


def test_a_term_in_an_expression_leads_to_its_meaning() -> None:
    html = page(
        "# A\n\n`is_land(unit) and not is_landing` is_land\n\n## Terms\n\n| term | of | means | exactly |\n| --- | --- | --- | --- |\n"
        '| is_land | unit | Goes "ashore" | `unit.land` |\n\n## Options\n'
    )
    assert '<tr id="term-is_land">' in html
    assert html.count('<a href="#term-is_land" title="Goes &quot;ashore&quot;">is_land</a>(unit) and not is_landing') == 1
    assert html.count("#term-is_land") == 1


def test_the_page_leads_to_every_chapter() -> None:
    html = page("# A & B\n\n## The turn\n\n| a | b |\n| --- | --- |\n| 1 | <i>2</i> |\n\n## The end, and who has won\n")
    assert "<title>A &amp; B</title>" in html and "<table>" in html and "<i>" not in html
    for anchor in ("the-turn", "the-end-and-who-has-won"):
        assert f'href="#{anchor}"' in html and f'<h2 id="{anchor}">' in html


def test_the_graph_shows_what_each_event_reads() -> None:
    from wteaw.game.report.graph import dependencies, dependency_svg

    from . import small

    events = [
        {"id": "rich", "for": "red", "becomes": "track('red', 'mood') > 3"},
        {"id": "odd", "on": "turn_end", "when": "mystery(self)"},
    ]
    rules = small.ruleset(events=events)
    assert dependencies(rules) == {"rich": ("tracks",), "odd": None}
    svg = dependency_svg(rules)
    assert svg.count("<path") == 2 and ">tracks<" in svg and ">anything<" in svg
