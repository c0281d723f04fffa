"""Forms that are left out of reading a line by its words: never one that would have been read."""

from __future__ import annotations

import pytest

from wteaw.core.package_data import scenarios
from wteaw.orders.grammar import Grammar
from wteaw.orders.line_parser import OrderReader
from wteaw.orders.parse import read_orders
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset.order_syntax import needed_words, read_form

LINES = {
    "diplomacy": (
        "england",
        """\
F Edinburgh - Norwegian Sea
London English Channel
A Liverpool hold
hold A Liverpool
F London supports A Liverpool - Wales
F London suports A Liverpool - Wales
F Edi S Lvp
F Edinburgh convoys A Liverpol - Norway
bild Fleet Liverpool
Fleet Liverpool build
waive
fleet in London to the channel please
to the whom it may concern
""",
    ),
    "1914": (
        "german-empire",
        """\
move 5 infantry, 3 artillery from Cologne to Belgium
mvoe 5 infantry from Cologne to Belgium
march 5 infantry from Cologne to Belgium
build 1 infantry in Berlin
declare war on Spain
research Improved weapons
coax italy
all units from Cologne attack Belgium
""",
    ),
}


@pytest.mark.parametrize(
    ("form", "needed"),
    [
        ("move {units} (to|into) {place}", [{"move"}, {"to", "into"}]),
        ("{place} [in|at] {place}", []),
        ("(hold {place}|{place} (holds|h))", [{"hold", "holds", "h"}]),
        ("(hold {place}|{place})", []),
    ],
)
def test_the_words_that_a_form_cannot_do_without(form: str, needed: list[set[str]]) -> None:
    slots = {"units": {"kind": "units"}, "place": {"kind": "place"}}
    assert [set(words) for words in needed_words(read_form(form, slots))] == needed


@pytest.mark.parametrize("scenario", LINES)
def test_a_text_is_read_as_if_every_form_were_tried(monkeypatch: pytest.MonkeyPatch, scenario: str) -> None:
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    nation, text = LINES[scenario]
    state = initial_state(ruleset, data)
    found = read_orders(ruleset, text, nation=nation, state=state)
    assert len(found.orders) > len(text.splitlines()) // 2 and found.found
    tried: list[int] = []

    def every(reader: OrderReader, matcher: object) -> tuple[object, ...]:
        tried.append(1)
        first = matcher.words[0].norm  # type: ignore[attr-defined]
        begins = {first, reader.names.synonym(first)}
        slip = matcher.loose and first not in reader.grammar.opening_words  # type: ignore[attr-defined]
        forms = Grammar.of(reader.ruleset).forms
        return tuple(f for f in forms if f.first is None or f.first & begins or slip)

    monkeypatch.setattr(OrderReader, "_candidates", every)
    assert read_orders(ruleset, text, nation=nation, state=state) == found and tried
