"""Why something is so, in words: what stands, what it is made of, what changed it; and never more than a reader may know."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from wteaw.core.state import State
from wteaw.play.explain import Unknown
from wteaw.play.scenario import initial_state
from wteaw.report.explanation import Explanation, as_lines, explanation
from wteaw.world.view import view

from .world1914 import loaded, played


def asked(what: str, reader: str = "", *, state: State | None = None) -> Explanation:
    _, ruleset, geography = loaded()
    results = played(2)
    state = state or results[-1].position.state
    shown = view(ruleset, state, reader, geography=geography) if reader else state
    entries = [e for r in results for e in r.entries]
    return explanation(ruleset, shown, entries, what, reader=reader, geography=geography)


def text(told: Explanation) -> str:
    return "\n".join(as_lines(told, most=99))


def test_what_stands_is_said_though_nothing_has_changed_it() -> None:
    told = asked("paris holder")
    assert [(s.what, s.value) for s in told.now] == [("Paris: holder", "France")] and told.history == ()
    assert "Nothing has changed 'paris holder'" in text(told)


def test_nonsense_is_no_answer() -> None:
    with pytest.raises(Unknown, match=r"nothing in this game is called 'parris'; did you mean Paris"):
        asked("parris holder")


def test_a_sum_is_told_purse_by_purse_and_an_income_source_by_source() -> None:
    told = asked("germany money", "german-empire")
    made = next(m for m in told.made if m.what == "Your resource points")
    assert int(made.value) == sum(int(effect) for _, effect, _ in made.parts) > 0
    incomes = [h for h in told.history if h.parts]
    assert [h.turn for h in incomes] == [1, 2]
    for happened in incomes:
        total = sum(int(part.rpartition(" ")[2]) for part in happened.parts)
        gained = sum(
            int(after) - (int(before) if before != "nothing" else 0) for _, before, after in happened.changes
        )
        assert total == gained
    assert "of which Territories 1" in text(told) and "and American trade 8" in text(told)


def test_a_figure_is_told_with_its_base_and_every_row_that_applies() -> None:
    _, ruleset, _ = loaded()
    state = played(2)[-1].position.state.copy()
    plain = next(m for m in asked("berlin rail", "german-empire", state=state).made)
    assert (plain.value, plain.parts) == ("20", (("base", "20", ("pbem.rail.capacity",)),))
    state.put("flags", "place:berlin", "submarine-on-rails", {"since": 1, "seen_by": ["everyone"]})
    adjusted = next(m for m in asked("berlin rail", state=state).made)
    assert (adjusted.value, adjusted.parts[1][:2]) == ("14", ("submarine on rails", "-6"))
    assert ruleset.row("modifiers", "submarine-by-rail")["source"] == list(adjusted.parts[1][2])


def test_changes_are_told_with_turn_rule_clause_and_dice() -> None:
    told = asked("italy opinion")
    first = told.history[0]
    assert first.turn == 1 and first.clauses and first.at.startswith("events/") and first.dice
    assert first.changes[0][0] == "Italy: Opinion"
    steps = [c for h in told.history for c in h.changes]
    assert steps[-1][2] == told.now[0].value and all(a[2] == b[1] for a, b in pairwise(steps))


def test_nobody_is_told_what_he_may_not_know() -> None:
    """What others keep for themselves is neither shown nor counted, whatever public entry changed it."""
    for what in ("italy opinion", "france money", "french artillery"):
        own = asked(what, "german-empire")
        everything = asked(what)
        assert everything.now and everything.history
        assert own.now == () or what == "french artillery"
    assert "You do not know 'france money'" in text(asked("france money", "german-empire"))
    _, ruleset, geography = loaded()
    shown = view(ruleset, played(2)[-1].position.state, "german-empire", geography=geography)
    for stands in asked("french", "german-empire").now:
        assert stands.field in shown.row(stands.table, stands.id)
    for what in ("france", "italy", "british empire money"):
        for happened in asked(what, "german-empire").history:
            entry = next(
                e for r in played(2) for e in r.entries if e.turn == happened.turn and e.at == happened.at
            )
            assert entry.turn == happened.turn
            for name, _, _ in happened.changes:
                assert "opinion" not in name.lower() and "French resource points" not in name


def test_the_answer_is_plain_data() -> None:
    from dataclasses import asdict

    told = asked("warsaw", "german-empire")
    assert json.loads(json.dumps(asdict(told)))["asked"] == "warsaw"


def test_a_field_that_nothing_has_changed_yet_is_known() -> None:
    scenario, ruleset, _ = loaded()
    told = explanation(ruleset, initial_state(ruleset, scenario), [], "paris holder")
    assert [cell.value for cell in told.now] == ["France"] and told.history == ()
