"""Every function of expressions, with every kind of wrong argument: none validates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from wteaw.ruleset.checks.expressions import RulesetVocabulary
from wteaw.ruleset.expressions.check import check_expression
from wteaw.ruleset.expressions.functions import FUNCTIONS

ROWS: Mapping[str, Mapping[str, dict[str, object]]] = {
    "nations": {"red": {"id": "red"}},
    "sides": {"east": {"id": "east"}},
    "places": {"town": {"id": "town"}},
    "passages": {"strait": {"id": "strait"}},
    "units": {"foot": {"id": "foot", "tags": ["slow"]}},
    "production": {"crate": {"id": "crate"}},
    "technologies": {"wheel": {"id": "wheel"}},
    "cards": {"joker": {"id": "joker"}},
    "piles": {"hand": {"id": "hand", "per": "nation"}},
    "resources": {"coin": {"id": "coin"}},
    "groups": {"homes": {"id": "homes", "of": "places", "members": ["town"]}},
    "links": {"town--hill": {"id": "town--hill", "between": ["town", "hill"], "kind": "land"}},
    "movement": {"march": {"id": "march"}},
    "tracks": {"mood": {"id": "mood"}},
    "counters": {"falls": {"id": "falls"}, "calm": {"id": "calm"}},
    "options": {"hard": {"id": "hard"}},
    "tables": {"prices": {"id": "prices", "rows": {"1..3": 4}, "bands": {"1..3": 4}}},
    "stats": {"girth": {"id": "girth", "of": "unit", "base": 1}},
    "actions": {"ask": {"id": "ask", "slots": {"target": {"kind": "nation"}}}},
    "fields": {
        "wealth": {"id": "wealth", "of": ["place"], "type": "number"},
        "motto": {"id": "motto", "of": ["place"], "type": "text"},
    },
    "definitions": {
        "is_rich": {"id": "is_rich", "of": ["place"], "is": "place.wealth > 3"},
        "serves": {"id": "serves", "of": ["unit", "nation"], "is": "unit.owner == nation"},
    },
}
WORDS = RulesetVocabulary(lambda form: ROWS.get(form, {}), ROWS)
SCOPE = {
    "nation": "nation", "place": "place", "unit": "unit", "link": "link", "homes": "set:place", "army": "set:unit",
    "amount": "number", "sure": "truth", "said": "text", "war": "war",
}  # fmt: skip

RIGHT: Mapping[str, tuple[str, ...]] = {
    "nations": ("nations()", "nations(side='east')", "nations(alive=True)"),
    "places": ("places(owner=nation)", "places(is_rich=True)"),
    "units": ("units(owner=nation, at=place, tag='slow')", "units(kind='foot')"),
    "forces": ("forces(owner=nation)",),
    "wars": ("wars(party=nation)",),
    "records": ("records()",),
    "cards": ("cards(pile='hand', of=nation)", "cards()"),
    "techs": ("techs(known=True, of=nation)",),
    "sides": ("sides()",),
    "group": ("group('homes')",),
    "set_of": ("set_of(place, nation)",),
    "intersection": ("intersection(homes, places())",),
    "union": ("union(homes, 'town')",),
    "difference": ("difference(places(), 'homes')",),
    "where": ("where(homes, 'is_rich')", "where(army, 'serves', nation)", "where('homes', 'motto', said)"),
    "neighbors": ("neighbors(place, 'land')", "neighbors('town')"),
    "count": ("count(homes)", "count(army, 'serves', 'red')"),
    "any": ("any(homes, 'is_rich')",),
    "all": ("all(where(places(), 'is_rich'), 'is_rich')",),
    "sum": ("sum(homes, 'wealth')", "sum(army, 'girth')"),
    "maximum": ("maximum(homes, 'wealth')",),
    "count_distinct": ("count_distinct(army, 'owner')",),
    "capped": ("capped(homes, 'is_rich', 'owner', 2)",),
    "rank": ("rank(place, 'wealth', places())",),
    "in_order": ("in_order(homes, 'wealth')", "in_order(homes, 'motto')"),
    "single": ("single(homes)",),
    "first": ("first(homes, 2)",),
    "holds": ("holds(army, army)",),
    "listed": ("listed(army, 'foot')", "listed(army, 'slow')"),
    "nation": ("nation('red')",),
    "place": ("place('town')",),
    "passage": ("passage('strait')",),
    "item": ("item('crate')",),
    "border": ("border(place, 'town')",),
    "at_war": ("at_war(nation, 'east')",),
    "allied": ("allied(nation, 'red')",),
    "allies": ("allies(nation)",),
    "enemies": ("enemies('red')",),
    "stance": ("stance(nation, 'red')",),
    "friendly": ("friendly(nation, place)",),
    "enemy": ("enemy(nation, 'town')",),
    "neutral": ("neutral(nation)",),
    "opposite": ("opposite('east')",),
    "track": ("track(nation, 'mood')",),
    "box": ("box('red', 'mood')",),
    "toward": ("toward(nation, 'east', 'mood')",),
    "level": ("level(nation, 'wheel', 'met')",),
    "knows": ("knows(nation, 'wheel')",),
    "treasury": ("treasury(place, 'coin')",),
    "stock": ("stock(nation, 'coin')",),
    "income": ("income(nation)",),
    "value": ("value(unit, 'girth', nation)",),
    "within_limits": ("within_limits('ask', nation, 'red')",),
    "objectives": ("objectives(nation)",),
    "coming": ("coming(nation, 'foot', place)", "coming(nation, 'crate')"),
    "en_route": ("en_route(nation, 'slow')",),
    "model": ("model(nation, 'foot')",),
    "flagged": ("flagged(nation, 'tired')",),
    "age": ("age(place, said)",),
    "counter": ("counter(nation, 'falls')",),
    "happened": ("happened('captured', by='red')",),
    "this_turn": ("this_turn('acted', action='ask', target=nation)",),
    "was": ("was(place, 'wealth', 'turn')", "was(unit, 'serves', 'turn', nation)"),
    "ordered": ("ordered('actions/ask', nation=nation, target='red', status='done')",),
    "distance": ("distance(place, 'town', 'march')",),
    "on_way": ("on_way(place, 'town', place, 'is_rich')",),
    "reaches": ("reaches(place, homes, 'is_rich')",),
    "lookup": ("lookup('prices', 2)",),
    "band": ("band('prices', amount)",),
    "option": ("option('hard')",),
    "min": ("min(amount, 2, 3)",),
    "max": ("max(amount, 2)",),
    "floor": ("floor(amount / 2)",),
    "ceil": ("ceil(amount / 2)",),
}  # fmt: skip
FREE = ("any",)
UNCHECKED = {("text", "'nonsuch'"), ("truth", "'nonsuch'")}


def problems(text: str) -> list[str]:
    return [p.code for p in check_expression(text, SCOPE, WORDS)]


def test_every_function_is_tried_here() -> None:
    assert set(RIGHT) == set(FUNCTIONS)


@pytest.mark.parametrize(
    "text",
    [
        *(text for texts in RIGHT.values() for text in texts),
        "places(wealth=set_of(1, 2))",
        "place.wealth == None",
    ],
)
def test_what_is_right_is_found_right(text: str) -> None:
    assert problems(text) == []


def wrong_calls() -> Iterator[tuple[str, str]]:
    """Calls with one wrong argument each, and what is wrong."""
    for name, signature in FUNCTIONS.items():
        said = RIGHT[name][0].split("(", 1)[1][:-1]
        plain = [part.strip() for part in _split(said) if "=" not in part.replace("==", "")]
        for index, want in enumerate(signature.args[: len(plain)]):
            if want in FREE:
                continue
            wrong = {"an unknown id": "'nonsuch'", "nothing but true": "True"}
            if want != "number":
                wrong["a number"] = "7"
            if want not in ("set", "thing", "who") and not want.startswith("id:"):
                wrong["a set"] = "army"
            if want not in ("set", "thing"):
                wrong["another thing"] = "war" if want != "text" else "7"
            for what, argument in wrong.items():
                if (want, argument) not in UNCHECKED or name == "was":
                    given = [*plain[:index], argument, *plain[index + 1 :]]
                    yield f"{name}({', '.join(given)})", f"{name}: {what} for argument {index + 1}"
        least = len(signature.args) - signature.optional
        if least:
            yield f"{name}({', '.join(plain[: least - 1])})", f"{name}: too few"
        if signature.rest is None:
            given = [*plain, *["place"] * (len(signature.args) + 1 - len(plain))]
            yield f"{name}({', '.join(given)})", f"{name}: too many"
        yield f"{name}({', '.join([*plain, 'nonsuch=1'])})", f"{name}: a filter that is none"


def _split(text: str) -> list[str]:
    """The arguments of a call, which hold no calls of several arguments."""
    out, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            out.append(text[start:at])
            start = at + 1
    return [part for part in [*out, text[start:]] if part.strip()]


@pytest.mark.parametrize(("text", "what"), list(wrong_calls()), ids=lambda given: given.replace(" ", "_"))
def test_no_wrong_argument_validates(text: str, what: str) -> None:
    assert problems(text), what


@pytest.mark.parametrize(
    "text",
    [
        "any(army, 'is_rich')",  # a term of places, asked of units
        "any(where(army, 'serves', nation), 'is_rich')",  # and of those of them that pass
        "any(first(army), 'is_rich')",
        "any(in_order(army, 'girth'), 'is_rich')",
        "any(set_of(unit, unit), 'is_rich')",
        "any('homes', 'serves', nation)",  # the members of a group are of its kind
        "where(army, 'serves', place)",  # what a term is given besides
        "where(army, 'serves')",
        "where(army, 'serves', nation, nation)",
        "where(homes, 'girth')",
        "sum(homes, 'motto')",
        "sum(homes, 'owner')",
        "sum(union(homes, army), 'nonsuch')",
        "rank(place, 'wealth', army)",  # the set as well as the thing
        "rank(unit, 'wealth', homes)",
        "reaches(place, homes, 'serves', nation)",
        "on_way(place, place, place, 'girth')",
        "was(unit, 'is_rich', 'turn')",
        "was('town', 'girth', 'turn')",
        "value('town', 'girth')",
        "single(army).wealth",
        "group('town')",
        "track('east', 'mood')",
        "knows(nation, unit)",
        "level(nation, place)",
        "is_rich(unit)",
        "is_rich(7)",
        "serves(unit)",
        "happened('captured', action='ask')",
        "ordered('actions/ask', place=place)",
        "units(owner=3)",  # filters, and what is compared
        "units(moved='yes')",
        "places(wealth='three')",
        "places(wealth=nation)",
        "place.wealth == 'three'",
        "3 != place.motto",
        "place.owner == 1",
        "nation.alive == 'yes'",
    ],
)
def test_things_of_another_kind_do_not_validate(text: str) -> None:
    assert problems(text)
