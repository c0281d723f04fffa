"""Which orders stand: needs, limits, purses, units, ways; and the list of legal orders that all of it agrees with."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.dice import ScriptedDice
from wteaw.core.model import Ruleset
from wteaw.core.registry import mechanic
from wteaw.core.state import State, unit_key
from wteaw.orders.check import check
from wteaw.orders.intake import take_in
from wteaw.orders.kinds.answers import parted
from wteaw.orders.legal import legal_orders
from wteaw.orders.legal_entry import Legal, LegalSearch
from wteaw.orders.names import Names
from wteaw.orders.parse import parse_orders
from wteaw.orders.sheet_layout import order_template
from wteaw.ruleset.expressions.parse import conjuncts
from wteaw.turn.context import OrderContext, Turn
from wteaw.world.world import World

Rows = list[dict[str, Any]]
MOVE: dict[str, Any] = {
    "id": "go",
    "syntax": "move {units} from {origin} to {target} [via {via}]",
    "slots": {"units": "units", "origin": "place", "target": "place", "via": {"kind": "place", "many": True}},
    "step": "march",
    "does": "walk",
    "commits": "units",
    "options": ["leave"],
}
BASE: dict[str, Rows] = {
    "nations": [
        {"id": "red", "name": "Red", "side": "east"},
        {"id": "blue", "name": "Blue", "side": "west"},
        {"id": "gray", "name": "Gray"},
    ],
    "sides": [
        {"id": "east", "name": "East", "opposite": "west"},
        {"id": "west", "name": "West", "opposite": "east"},
    ],
    "places": [
        {"id": "ash", "name": "Ash", "kind": "land", "owner": "red"},
        {"id": "birch", "name": "Birch", "kind": "land", "owner": "red"},
        {"id": "cedar", "name": "Cedar", "kind": "land", "owner": "blue"},
        {"id": "dale", "name": "Dale", "kind": "land", "owner": "gray"},
    ],
    "links": [
        {"id": "ash--birch", "between": ["ash", "birch"]},
        {"id": "birch--cedar", "between": ["birch", "cedar"]},
        {"id": "cedar--dale", "between": ["cedar", "dale"]},
        {"id": "ash--dale", "between": ["ash", "dale"]},
    ],
    "passages": [
        {"id": "lock", "name": "The Lock", "between": ["ash", "dale"], "keys": ["dale"], "default": "closed"}
    ],
    "stances": [
        {"id": "peace", "default": True, "enter": "fight", "share": "never"},
        {"id": "friends", "friendly": True, "enter": "free", "share": "always"},
        {"id": "war", "hostile": True, "enter": "fight", "share": "never"},
    ],
    "units": [
        {"id": "foot", "name": "foot", "plural": "feet"},
        {"id": "horse", "name": "horse", "plural": "horses"},
    ],
    "resources": [{"id": "gold", "name": "Gold"}],
    "movement": [{"id": "walk", "steps": 1}, {"id": "ride", "who": "horse", "steps": 2}],
    "orders": [MOVE],
    "order_options": [
        {"id": "leave", "syntax": "leave after {n} rounds", "slots": {"n": "number"}},
        {"id": "stay", "syntax": "stay"},
    ],
    "actions": [
        {
            "id": "court",
            "syntax": "court {target}",
            "slots": {"target": "nation"},
            "requires": [
                {"test": "self.side != None", "message": "you belong to no camp"},
                {"test": "neutral(target)", "message": "{target} is not neutral"},
                {"test": "stock(target, 'gold') == 0", "message": "they are rich", "secret": True},
            ],
            "cost": 4,
            "limit": {"1": ["nation", "target", "turn"]},
            "help": "Costs four.",
        },
        {
            "id": "bet",
            "syntax": "bet {n}",
            "slots": {"n": {"kind": "number", "least": 2, "most": 5}},
            "cost": {"gold": "=n"},
        },
    ],
}


def rules(sequence: Rows | None = None, **forms: Rows) -> Ruleset:
    merged = {form: {r["id"]: r for r in rows} for form, rows in {**BASE, **forms}.items()}
    return Ruleset("t", "t", merged, tuple(sequence or ()))


def position(**tables: Any) -> State:
    base: dict[str, Any] = {
        "game": {"game": {"turn": 1}},
        "treasuries": {"red": {"gold": 10}, "gray": {"gold": 7}},
        "relations": {"blue--red": {"stance": "war"}},
        "units": {
            unit_key(o, k, p): {"owner": o, "kind": k, "place": p, "n": n}
            for o, k, p, n in (
                ("red", "foot", "ash", 5),
                ("red", "horse", "ash", 2),
                ("red", "foot", "birch", 1),
                ("blue", "foot", "cedar", 3),
            )
        },
    }
    return State({**base, **tables})


def judge(
    text: str, ruleset: Ruleset | None = None, state: State | None = None
) -> tuple[list[dict[str, Any]], list[tuple[int, str, str, str]]]:
    ruleset, state = ruleset or rules(), state or position()
    orders, found = parse_orders(ruleset, text, nation="red", state=state)
    assert found == []
    accepted, more = (checked := check(World(ruleset, state), "red", orders)).orders, checked.found
    return accepted, [(d.line, d.code, d.message, d.hint) for d in more]


def codes(text: str, **more: Any) -> list[tuple[int, str]]:
    return [(line, code) for line, code, _, _ in judge(text, **more)[1]]


# ---- acts


def test_needs_are_tested_in_the_words_of_the_row_with_what_would_be_allowed() -> None:
    accepted, found = judge("court blue")
    assert accepted == [] and found == [(1, "O202", "Blue is not neutral", "allowed: Gray")]


def test_secret_needs_are_not_told() -> None:
    # gray is rich, which only the resolution may find out
    assert codes("court gray") == []


def test_limits_count_over_the_file() -> None:
    assert codes("court gray\ncourt gray") == [(2, "O203")]


SIGNS: dict[str, Rows] = {
    "fields": [{"id": "marked", "of": ["place"], "type": "flag", "default": False}],
    "definitions": [{"id": "is_free", "of": ["place"], "is": "not place.marked"}],
    "actions": [
        {
            "id": "mark",
            "syntax": "mark {place}",
            "slots": {"place": "place"},
            "limit": {"1": ["place", "turn"]},
            "effects": [{"change": {"of": "=place", "field": "marked", "to": True}}],
        },
        {
            "id": "use",
            "syntax": "use {place}",
            "slots": {"place": "place"},
            "requires": [{"test": "is_free(place)", "message": "{place} is marked"}],
        },
    ],
}
SIGNED: Rows = [
    {"id": "orders", "input": "orders"},
    {"step": "signs", "do": "act", "actions": ["mark", "use"]},
]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("use ash", []),
        ("mark ash\nuse birch", []),
        ("mark ash\nuse ash", [(2, "O202")]),
        ("use ash\nmark birch\nmark ash", [(1, "O202")]),
        ("mark ash\nmark birch", []),
        ("mark ash\nmark birch\nmark ash", [(3, "O203")]),
        ("mark ash\nmark ash\nuse ash\nuse birch", [(2, "O203"), (3, "O202")]),
    ],
)
def test_a_line_is_asked_after_what_earlier_ones_change(text: str, refused: list[tuple[int, str]]) -> None:
    assert codes(text, ruleset=rules(SIGNED, **SIGNS)) == refused


def test_costs_are_summed_over_the_file() -> None:
    assert codes("court gray\nbet 5\nbet 2") == [(3, "O204")]
    assert codes("bet 5\nbet 5") == []


def test_numbers_keep_to_their_bounds() -> None:
    assert codes("bet 1\nbet 6\nbet 2") == [(1, "O208"), (2, "O208")]


def test_money_that_comes_in_before_it_is_paid_only_warns() -> None:
    frame: Rows = [
        {"id": "orders", "input": "orders"},
        {"step": "income", "do": "collect"},
        {"step": "betting", "do": "act", "actions": ["bet"]},
    ]
    accepted, found = judge("bet 5\nbet 5\nbet 5", rules(frame))
    assert len(accepted) == 3 and [f[1] for f in found] == ["O301"]


def test_an_order_of_another_input_point_is_not_taken_now() -> None:
    frame: Rows = [
        {"id": "first", "input": "orders"},
        {"step": "courting", "do": "act", "actions": ["court"]},
        {"id": "second", "input": "more"},
        {"step": "betting", "do": "act", "actions": ["bet"]},
    ]
    game = {"game": {"turn": 1, "cursor": [{"i": 0}]}}
    assert codes("court gray\nbet 2", ruleset=rules(frame), state=position(game=game)) == [(2, "O201")]
    game = {"game": {"turn": 1, "cursor": [{"i": 2}]}}
    assert codes("court gray\nbet 2", ruleset=rules(frame), state=position(game=game)) == [(1, "O201")]


def test_the_choice_of_a_slot_is_kept_to() -> None:
    act = {
        "id": "praise",
        "syntax": "praise {who}",
        "slots": {"who": {"kind": "nation", "among": "nations(side='west')"}},
    }
    accepted, found = judge("praise gray\npraise blue", rules(actions=[act]))
    assert [o["slots"] for o in accepted] == [{"who": "blue"}]
    assert found == [(1, "O209", "Gray cannot be chosen here", "allowed: Blue")]


# ---- units


def test_units_are_counted_over_the_file() -> None:
    accepted, found = judge(
        "move 3 feet from ash to birch\nmove 3 feet from ash to birch\nmove 2 feet from ash to birch"
    )
    assert [o["line"] for o in accepted] == [1, 3]
    assert found == [(2, "O205", "3 feet ordered, 5 in Ash, 3 of them ordered already (go)", "at most 2")]


def test_all_means_what_is_left() -> None:
    accepted, _ = judge("move 3 feet from ash to birch\nmove all from ash to birch")
    assert accepted[1]["slots"]["units"] == {"foot": 2, "horse": 2}
    assert codes("move all from ash to birch\nmove all feet from ash to birch") == [(2, "O205")]


def test_units_that_are_elsewhere_are_pointed_at() -> None:
    assert judge("move 1 horse from birch to ash")[1] == [
        (1, "O205", "1 horse ordered, 0 in Birch", "there are horses in Ash")
    ]


def test_a_way_that_is_not_open_is_refused_with_the_nearest_that_is() -> None:
    found = judge("move 1 foot from ash to cedar")[1]
    assert found[0][:2] == (1, "O206") and found[0][3] == "they can go to Birch"


def test_a_closed_passage_only_warns() -> None:
    accepted, found = judge("move 1 foot from ash to dale")
    assert len(accepted) == 1 and found == [(1, "O302", "The Lock is closed as things stand", "")]


def test_an_attack_that_begins_a_war_warns_unless_the_file_declares_it() -> None:
    ruleset = rules(
        sequence=[
            {"input": "orders"},
            {"step": "talk", "do": "act", "actions": ["challenge", "greet"]},
            {"step": "go", "do": "move", "movement": ["walk"]},
        ],
        movement=[{"id": "walk", "steps": 1, "undeclared": {"warns": "no war with {target}", "effects": []}}],
        passages=[],
        links=[{"id": "ash--dale", "between": ["ash", "dale"]}],
        actions=[
            {
                "id": "challenge",
                "syntax": "challenge {target}",
                "slots": {"target": "nation"},
                "effects": [{"relate": {"a": "=self", "b": "=target", "stance": "war", "declared": True}}],
            },
            {"id": "greet", "syntax": "greet {target}", "slots": {"target": "nation"}},
        ],
    )
    march = "move 1 foot from ash to dale"
    assert judge(march, ruleset)[1] == [(1, "O305", "no war with Gray", "")]
    assert codes(f"{march}\ngreet gray", ruleset=ruleset) == [(1, "O305")]
    assert codes(f"{march}\nchallenge gray", ruleset=ruleset) == []
    assert codes(march, ruleset=ruleset, state=position(relations={"gray--red": {"stance": "war"}})) == []


def test_options_are_those_of_the_row() -> None:
    assert codes(
        "move 1 foot from ash to birch: leave after 2 rounds\nmove 1 foot from ash to birch: stay"
    ) == [(2, "O207")]


def test_of_two_readings_the_one_that_is_allowed_is_taken() -> None:
    ride = {**MOVE, "id": "ride", "does": "ride"}
    both = rules(orders=[MOVE, ride])
    accepted, found = judge("move 1 horse from ash to cedar", both)
    assert found == [] and accepted[0]["order"] == "orders/ride" and "readings" not in accepted[0]
    assert codes("move 1 horse from ash to birch", ruleset=both) == [(1, "O104")]
    assert codes("move 9 feet from ash to birch", ruleset=both) == [(1, "O205")]


def test_room_on_a_limited_way_is_counted_over_the_file() -> None:
    mode = {
        "id": "walk",
        "capacity": {"is": "3", "draws": ["start", "pass", "end"]},
        "enter": "place.holder == self",
    }
    accepted, found = judge(
        "move 2 feet from ash to birch\nmove 2 feet from ash to birch\nmove 1 foot from ash to birch",
        rules(movement=[mode]),
    )
    assert [o["line"] for o in accepted] == [1, 3] and [(f[0], f[1], f[3]) for f in found] == [
        (2, "O206", "at most 1")
    ]


# ---- what the checker says and what the resolution does


def test_what_the_checker_lets_stand_the_resolution_carries_out() -> None:
    ruleset = rules()
    state = position(treasuries={"red": {"gold": 10}})
    accepted, _ = judge(
        "court gray\nbet 3\nmove 2 feet from ash to birch\ncourt blue\nmove 9 feet from ash to birch",
        ruleset,
        state,
    )
    turn = Turn(ruleset, state, ScriptedDice([]))
    for n, order in enumerate(accepted, 1):
        state.put("orders", f"red/{n:04d}", "*", order)
    mechanic("act")({"actions": ["court", "bet"]}, turn)
    mechanic("move")({"step": "march", "movement": ["walk"]}, turn)
    turn.journal.seal()
    assert [row.get("status") for _, row in sorted(state.table("orders").items())] == ["done"] * 3
    assert state.get("treasuries", "red", "gold") == 3


# ---- legal orders and the template


def entries(ruleset: Ruleset | None = None, state: State | None = None, **only: Any) -> list[Legal]:
    world = World(ruleset or rules(), state or position())
    return list(legal_orders(world, "red", only.pop("only", None), LegalSearch(**only)))


def test_acts_are_listed_with_targets_prices_and_bounds() -> None:
    found = entries(only=["actions/court", "actions/bet"])
    assert [(e.slots, e.cost, e.bounds) for e in found] == [
        ({"target": "gray"}, {"gold": 4}, {}),
        ({"n": 2}, {"gold": 2}, {"n": (2, 5)}),
    ]
    assert (
        entries(state=position(treasuries={"red": {"gold": 1}}), only=["actions/court", "actions/bet"]) == []
    )


@pytest.mark.parametrize(
    ("within", "listed"),
    [({}, ["court", "bet"]), ({"gold": 4}, ["court", "bet"]), ({"gold": 3}, ["bet"]), ({"gold": 2}, ["bet"]),
     ({"gold": 1}, []), ({"silver": 1}, ["court", "bet"])],
)  # fmt: skip
def test_acts_that_cost_more_than_the_caller_pays_are_left_out(
    within: dict[str, int], listed: list[str]
) -> None:
    keys = ["actions/court", "actions/bet"]
    found = entries(only=keys, within=tuple(within.items()))
    assert [e.order for e in found] == [f"actions/{id_}" for id_ in listed]
    assert found == [
        e for e in entries(only=keys) if e in found
    ]  # whose bounds are what the whole purse allows


MEET: dict[str, Any] = {
    "id": "meet",
    "syntax": "meet {target} in {place}",
    "slots": {"target": "nation", "place": "place"},
    "requires": [{"test": "place.owner != self", "message": "not at home"}],
}


@pytest.mark.parametrize(
    ("where", "listed"),
    [
        (None, 6),
        ("self.id == 'blue'", 0),  # of no slot
        ("target.id == 'gray'", 2),
        ("target.id == 'gray' and place.id == 'dale'", 1),
        ("place.owner == target", 2),  # of two slots
        ("neutral(target) and place.id == 'dale'", 3),  # what calls a function is left to the caller
        ("place.id / 2 > 1", 6),  # and so is what cannot be answered
    ],
)
def test_a_wish_leaves_out_of_the_listed_acts_what_it_plainly_rules_out(
    where: str | None, listed: int
) -> None:
    ruleset = rules(actions=[MEET])
    found = entries(ruleset, only=["actions/meet"], where=where)
    assert len(found) == listed
    assert [e for e in entries(ruleset, only=["actions/meet"]) if e in found] == found


@pytest.mark.parametrize(
    ("offer", "listed"),
    [
        (True, 6),
        ("self.id == 'blue'", 0),
        (
            "neutral(target) and place.id == 'dale'",
            1,
        ),  # what calls a function counts, for the caller would ask it of each
        ("neutral(target) or place.owner == target", 3),
    ],
)
def test_who_takes_only_what_is_offered_is_given_no_other_act(offer: str | bool, listed: int) -> None:
    ruleset = rules(actions=[MEET | {"offer": offer}])
    context = OrderContext(World(ruleset, position()))
    found = entries(ruleset, only=["actions/meet"], offered=True)
    assert found == [e for e in entries(ruleset, only=["actions/meet"]) if e.is_offered(context)]
    assert len(found) == listed


def test_a_wish_does_not_fill_the_slots_of_an_act_with_too_many_ways() -> None:
    for tried, listed in ((11, [{}]), (12, [{"target": "gray", "place": "dale"}])):
        found = entries(
            rules(actions=[MEET | {"requires": []}]),
            only=["actions/meet"],
            tried=tried,
            where="target.id == 'gray' and place.id == 'dale'",
        )
        assert [e.slots for e in found] == listed


def test_moves_are_grouped_by_place_with_maxima_and_ends() -> None:
    found = entries(only=["orders/go"])
    assert [(e.slots, e.targets) for e in found] == [
        ({"units": {"foot": 5, "horse": 2}, "origin": "ash"}, ("birch",)),
        ({"units": {"foot": 1}, "origin": "birch"}, ("ash", "cedar")),
    ]


def test_every_legal_order_passes_the_checker() -> None:
    ruleset, state = rules(), position()
    world, names = World(ruleset, state), Names(ruleset, state)
    for entry in legal_orders(world, "red"):
        for target in entry.targets or (None,):
            slots = {**entry.slots, **({"target": target} if target else {})}
            order = {"nation": "red", "order": entry.order, "slots": slots, "options": {}}
            assert check(world, "red", [order]).found == [], entry.text(names)


def test_a_test_is_taken_apart_where_all_must_hold() -> None:
    assert conjuncts("a and (b or c) and not d") == ("a", "b or c", "not d")
    assert conjuncts("a or b and c") == ("a or b and c",)


def test_the_template_is_read_back_and_only_its_head_counts() -> None:
    ruleset, state = rules(), position()
    text = order_template(World(ruleset, state), "red", game="cup")
    assert text.startswith("game cup   nation Red   turn 1\n## Gold: 10\n")
    assert (
        "# court Gray   # 4\n" in text and "# bet 2   # 2; 2 to 5\n" in text and "## Prices in gold." in text
    )
    assert "# move 5 feet, 2 horses from Ash to Birch\n" in text
    assert parse_orders(ruleset, text, nation="red", game="cup", turn=1) == ([], [])


def test_a_file_is_taken_in_line_by_line() -> None:
    ruleset, state = rules(), position()
    taken = take_in(
        ruleset,
        "nation red turn 1\ncourt gray\ncourt nobody\nbet 9\n",
        lambda n: World(ruleset, state),
        turn=1,
    )
    assert (
        taken.nation == "red" and [o["order"] for o in taken.orders] == ["actions/court"] and not taken.clean
    )
    assert [(d.line, d.code) for d in taken.found] == [(3, "O103"), (4, "O208")]
    assert take_in(ruleset, "court gray", lambda n: World(ruleset, state)).found[0].code == "O112"


def test_answers_are_parted_from_orders() -> None:
    rows: Rows = [
        {
            "id": "quit",
            "syntax": "(in|at) {place} {answer}",
            "slots": {"place": "place", "answer": {"kind": "choice", "choices": ["stay", "leave"]}},
        }
    ]
    ruleset, state = rules(decisions=rows), position()
    taken = take_in(ruleset, "in birch leave\ncourt gray", lambda n: World(ruleset, state), nation="red")
    assert taken.answers == {"quit/birch": "leave"} and [o["order"] for o in taken.orders] == [
        "actions/court"
    ]
    assert parted([]) == ([], {})
