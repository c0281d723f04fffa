"""The rulebook says what the tables say."""

from __future__ import annotations

from wteaw.core.package_data import rulesets
from wteaw.game.report.rulebook import effect_words, fact_words, rulebook, table
from wteaw.ruleset import load_ruleset


def test_every_act_event_and_unit_of_the_base_ruleset_stands_in_it() -> None:
    ruleset, _ = load_ruleset(rulesets())
    assert ruleset is not None
    text = rulebook(ruleset)
    for row in ruleset.rows("acts").values():
        assert f"`{row['form']}`" in text
        for need in row.get("needs", ()):
            assert need["else"] in text
    for form in ("units", "technologies", "nations"):
        for row in ruleset.rows(form).values():
            assert f"| {row['name']} |" in text
    for row in ruleset.rows("events").values():
        assert str(row.get("title", row["id"])) in text


def test_effects_and_facts_in_words() -> None:
    assert (
        effect_words({"pay": {"to": "red", "what": "gold", "amount": "1d6"}, "when": "turn > 3"})
        == "pay to red, what gold, amount 1d6 (if `turn > 3`)"
    )
    assert fact_words([{"declared": {"by": ["a", "b"]}}, "turn_end"]) == "declared, by a, b or turn end"
    assert table(["a"], [["x|y"]]) == "| a |\n| --- |\n| x\\|y |"


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
