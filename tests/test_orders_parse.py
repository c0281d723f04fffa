"""Orders from text: forms, names, slips of spelling, and findings at their line and column."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core.model import Ruleset
from wteaw.core.words import distance, normal, split
from wteaw.orders.grammar import Grammar
from wteaw.orders.names import Names
from wteaw.orders.parse import parse_orders, read_orders, strip_comment
from wteaw.orders.text import order_text
from wteaw.ruleset.order_syntax import FormError, read_form, slots_in

FORMS: dict[str, list[dict[str, Any]]] = {
    "nations": [
        {"id": "aster", "name": "Aster", "adjective": "Astrian"},
        {"id": "borea", "name": "Boréa"},
        {"id": "cressia", "name": "Empire of Cressia", "aliases": ["The Crown"]},
    ],
    "places": [
        {"id": "alpha", "name": "Alpha"},
        {"id": "gulf-of-to", "name": "Gulf of To"},
        {"id": "north-bay", "name": "North Bay"},
        {"id": "south-bay", "name": "South Bay"},
        {"id": "fishguard", "name": "Fishguard"},
        {"id": "saint-jons", "name": "St. Jon’s Ørland"},
    ],
    "units": [
        {
            "id": "foot",
            "name": "foot guard",
            "plural": "foot guards",
            "symbol": "FG",
            "aliases": ["infantry"],
        },
        {"id": "gun", "name": "gun", "plural": "guns"},
    ],
    "technologies": [{"id": "better-guns", "name": "Better guns"}],
    "orders": [
        {
            "id": "go",
            "syntax": "(move|attack with) {units} from {origin} to {target} [via {via}]",
            "slots": {
                "units": "units",
                "origin": "place",
                "target": "place",
                "via": {"kind": "place", "many": True},
            },
            "step": "march",
            "options": ["leave", "above"],
        },
        {"id": "dig", "syntax": "dig at {border}", "slots": {"border": "link"}, "step": "march"},
    ],
    "actions": [
        {"id": "war", "syntax": "declare war on {target}", "slots": {"target": "nation"}},
        {"id": "study", "syntax": "study {tech} [with {n} tokens]", "slots": {"tech": "tech", "n": "number"}},
        {
            "id": "stand",
            "syntax": "stand {how}",
            "slots": {"how": {"kind": "choice", "choices": ["fast", "down", "half ready"]}},
        },
        {"id": "say", "syntax": "say {words}", "slots": {"words": "text"}},
    ],
    "order_options": [
        {"id": "leave", "syntax": "withdraw after {n} (round|rounds)", "slots": {"n": "number"}},
        {"id": "above", "syntax": "[if] losses > {n}", "slots": {"n": "number"}},
        {"id": "both", "syntax": "stay {a} or {b}", "slots": {"a": "number", "b": "number"}},
        {"id": "bold", "syntax": "boldly"},
    ],
    "aliases": [{"id": "march", "for": "move"}, {"id": "old-bay", "for": "south-bay", "table": "places"}],
}


def ruleset(**changed: list[dict[str, Any]]) -> Ruleset:
    forms = {**FORMS, **changed}
    return Ruleset("t", "t", {form: {r["id"]: r for r in rows} for form, rows in forms.items()})


def one(text: str, **more: Any) -> dict[str, Any]:
    orders, found = parse_orders(ruleset(), text, nation="aster", **more)
    assert [d.message for d in found if d.severity == "error"] == []
    assert len(orders) == 1
    return orders[0]


def wrong(text: str) -> Any:
    orders, found = parse_orders(ruleset(), text, nation="aster")
    assert orders == [] and len(found) == 1
    return found[0]


def test_an_order_is_read_with_its_slots() -> None:
    order = one("move 6 foot guards, 2 guns and 1 FG from alpha to north bay".replace(" and 1 FG", ""))
    assert order["order"] == "orders/go" and order["line"] == 1 and order["nation"] == "aster"
    assert order["slots"] == {"units": {"foot": 6, "gun": 2}, "origin": "alpha", "target": "north-bay"}


def test_units_lists_know_plurals_symbols_number_words_and_all() -> None:
    assert one("move two guns and 1 FG from alpha to fishguard")["slots"]["units"] == {"gun": 2, "foot": 1}
    assert one("move all guns from alpha to fishguard")["slots"]["units"] == {"gun": "all"}
    assert one("move all from alpha to fishguard")["slots"]["units"] == {"*": "all"}


@pytest.mark.parametrize("written", ["gulf of to", "Gulf-of-To", "GULF_OF_TO", "the gulf of to", "gulfofto"])
def test_case_hyphens_and_spaces_are_immaterial(written: str) -> None:
    assert one(f"move 1 gun from alpha to {written}")["slots"]["target"] == "gulf-of-to"


def test_diacritics_apostrophes_and_full_stops_are_immaterial() -> None:
    assert one("declare war on borea")["slots"] == {"target": "borea"}
    assert one("move 1 gun from alpha to st jons orland")["slots"]["target"] == "saint-jons"


def test_a_name_may_contain_words_of_the_form() -> None:
    order = one("move 1 gun from gulf of to to alpha via gulf of to, north bay and south bay")
    assert order["slots"]["origin"] == "gulf-of-to" and order["slots"]["target"] == "alpha"
    assert order["slots"]["via"] == ["gulf-of-to", "north-bay", "south-bay"]


def test_aliases_stand_for_things_and_for_words() -> None:
    assert one("march 1 infantry from old bay to alpha")["slots"]["origin"] == "south-bay"
    assert one("declare war on the crown")["slots"] == {"target": "cressia"}


def test_optional_parts_may_be_left_out() -> None:
    assert one("study better guns")["slots"] == {"tech": "better-guns"}
    assert one("study better-guns with 3 tokens")["slots"] == {"tech": "better-guns", "n": 3}


def test_choices_borders_and_texts() -> None:
    assert one("stand half ready")["slots"] == {"how": "half ready"}
    assert one("dig at alpha / north bay")["slots"] == {"border": "alpha>north-bay"}
    assert one("say hello to all of you")["slots"] == {"words": "hello to all of you"}


def test_options_follow_a_colon() -> None:
    order = one(
        "move 1 gun from alpha to fishguard: withdraw after 3 rounds or losses > 4, boldly; stay 1 or 2"
    )
    assert order["options"] == {"leave": 3, "above": 4, "bold": True, "both": {"a": 1, "b": 2}}


def test_one_mistake_does_not_hide_the_next() -> None:
    orders, found = parse_orders(
        ruleset(), "fly away\ndeclare war on borea\nmove 3 guns\n# a comment\nstand up\n", nation="aster"
    )
    assert [o["slots"] for o in orders] == [{"target": "borea"}]
    assert [(d.line, d.code) for d in found] == [(1, "O101"), (3, "O102"), (5, "O103")]


def test_a_finding_stands_at_its_column_with_what_was_expected_and_the_nearest() -> None:
    found = wrong("move 3 guns from alfa to north by the sea")
    assert (found.line, found.column) == (1, 18)
    found = wrong("declare war on nowhere")
    assert found.column == 16 and found.message == "no nation is called 'nowhere'"
    assert "fast, down or half ready" in wrong("stand up").message
    assert wrong("moove to alpha").instead == ("move ? from ? to Alpha",)


def test_small_slips_are_forgiven_and_said() -> None:
    orders, found = parse_orders(ruleset(), "move 2 guns from alpha to fishgaurd", nation="aster")
    assert orders[0]["slots"]["target"] == "fishguard"
    assert [d.code for d in found] == ["O303"] and "Fishguard" in found[0].message


def test_how_a_number_with_a_minus_was_read_is_said_and_a_dash_of_a_list_is_none() -> None:
    orders, found = parse_orders(ruleset(), "move -2 guns from alpha to fishguard", nation="aster")
    assert orders[0]["slots"]["units"] == {"gun": 2} and "move 2 guns" in orders[0]["mended"]
    assert [(d.code, d.severity) for d in found] == [("O303", "warning")]
    assert (
        "mended" not in parse_orders(ruleset(), "- move 2 guns from alpha to fishguard", nation="aster")[0][0]
    )


def test_a_number_is_never_a_slip() -> None:
    assert parse_orders(ruleset(), "declare war on boreaa", nation="aster")[0]
    for text in ("declare war on 2 borea", "declare war on borea 2", "move 2 guns from alpha to 3 fishguard"):
        found = wrong(text)
        assert found.severity == "error" and found.instead


def test_what_could_be_several_things_is_refused_with_the_candidates() -> None:
    found = wrong("move 2 guns from alpha to bay")
    assert found.code == "O104" and "North Bay or South Bay" in found.message


@pytest.mark.parametrize("choice", ["at once", "as soon as the last ship is home"])
def test_a_choice_is_read_whole_however_many_words_it_has(choice: str) -> None:
    words = split(f"{choice} again")
    assert list(Names(ruleset()).choices((choice,), words, 0)) == [(len(words) - 1, choice)]


def test_short_names_and_names_of_other_things_are_never_guessed() -> None:
    # "guns" is a kind of unit: it is not read as a misspelled place, even if one were near
    near = Names(ruleset(places=[*FORMS["places"], {"id": "gunsa", "name": "Gunsa"}]))
    assert near.near("place", "guns") == []
    assert near.near("place", "xlpha") != [] and near.near("place", "alph") == []


def test_the_head_is_checked_against_the_game() -> None:
    text = "game Spring Cup   nation Borea   turn 3\ndeclare war on aster"
    reading = read_orders(ruleset(), text)
    assert reading.head == ("Spring Cup", "borea", 3) and reading.orders[0]["nation"] == "borea"
    assert read_orders(ruleset(), text, game="spring-cup", nation="borea", turn=3).found == ()
    for changed in ({"game": "other"}, {"nation": "aster"}, {"turn": 4}):
        refused = read_orders(ruleset(), text, **changed)  # type: ignore[arg-type]
        assert refused.orders == () and [d.code for d in refused.found] == ["O111"]


def test_comments_and_empty_lines_are_passed_over() -> None:
    assert (
        strip_comment("# all of it") == ""
        and strip_comment("a b # c") == "a b "
        and strip_comment("take a#1") == "take a#1"
    )
    assert parse_orders(ruleset(), "\n   \n# x\n", nation="aster") == ([], [])


def test_a_form_that_two_rows_share_gives_both_readings() -> None:
    twin = {**FORMS["orders"][0], "id": "sail"}
    orders, _ = parse_orders(
        ruleset(orders=[*FORMS["orders"], twin]), "move 1 gun from alpha to fishguard", nation="aster"
    )
    assert [orders[0]["order"], *(o["order"] for o in orders[0]["readings"])] == ["orders/go", "orders/sail"]


def test_forms_are_read_whole_or_not_at_all() -> None:
    pattern = read_form("a (b|c {x}) [d [e {y}]]", {"x": "place", "y": {"kind": "number", "optional": True}})
    assert [s.name for s in slots_in(pattern)] == ["x", "y"]
    for broken in ("a (b", "{", "a | ) b", ""):
        with pytest.raises(FormError):
            read_form(broken)
    assert Grammar.of(ruleset(actions=[{"id": "bad", "syntax": "x ("}])).faults.keys() == {"actions/bad"}


def test_long_and_many_worded_lines_end_soon() -> None:
    assert wrong("move " + "1 gun and " * 60 + "x").code == "O105"
    hard = ruleset(
        actions=[{"id": "t", "syntax": "{a} {b} {c} {d} {e} {f}", "slots": dict.fromkeys("abcdef", "text")}]
    )
    _, found = parse_orders(hard, " ".join("abcdefghijklmnopqrstuvwxyz"), nation="aster")
    assert found


@given(st.text(max_size=120))
def test_no_text_raises(text: str) -> None:
    for d in parse_orders(ruleset(), text, nation="aster")[1]:
        assert d.code.startswith("O") and d.line >= 1


SLOTS = st.fixed_dictionaries(
    {
        "units": st.dictionaries(st.sampled_from(["foot", "gun"]), st.integers(1, 99), min_size=1),
        "origin": st.sampled_from([r["id"] for r in FORMS["places"]]),
        "target": st.sampled_from([r["id"] for r in FORMS["places"]]),
    },
    optional={"via": st.lists(st.sampled_from([r["id"] for r in FORMS["places"]]), min_size=1, max_size=3)},
)


@given(SLOTS, st.fixed_dictionaries({}, optional={"leave": st.integers(1, 9), "above": st.integers(1, 9)}))
def test_what_is_written_is_read_back(slots: dict[str, Any], options: dict[str, Any]) -> None:
    rules = ruleset()
    text = order_text(rules, Names(rules), {"order": "orders/go", "slots": slots, "options": options})
    order = one(text)
    assert order["slots"] == slots and order["options"] == options


@given(st.text("abcde", max_size=6), st.text("abcde", max_size=6))
def test_distance_is_a_distance(a: str, b: str) -> None:
    assert (distance(a, b, 9) == 0) == (a == b)
    assert distance(a, b, 9) == distance(b, a, 9) <= max(len(a), len(b))


def test_words_keep_their_columns() -> None:
    words = split("  Łódź, 3x Über-Alles")
    assert (
        [w.norm for w in words] == ["lodz", ",", "3x", "uber", "alles"]
        and words[3].column == 12
        and normal("Æ") == "ae"
    )
