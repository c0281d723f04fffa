"""A made-up country for the tests of buying, completing, collecting and scoring: places in a row, two nations, two resources."""

from __future__ import annotations

from typing import Any

from wteaw.core.dice import KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.turn.context import Turn

# a - b - c - d by land; a and c touch the lake z; e is an island that only the lake reaches
LINKS = [
    ("a", "b", "land"),
    ("b", "c", "land"),
    ("c", "d", "land"),
    ("a", "z", "shore"),
    ("c", "z", "shore"),
    ("e", "z", "shore"),
]
STANCES = [
    {"id": "peace", "default": True},
    {"id": "pact", "friendly": True},
    {"id": "war", "hostile": True},
]
FIELDS: list[Row] = [
    {"id": "capital", "of": ["nation"], "type": "id", "table": "places", "default": None},
    {"id": "worth", "of": ["place"], "type": "number", "default": 0},
    {"id": "town", "of": ["place"], "type": "truth", "default": False},
    {"id": "mill", "of": ["place"], "type": "truth", "default": False},
    {"id": "mine", "of": ["place"], "type": "truth", "default": True},
    {"id": "cost", "of": ["unit"], "type": "number", "default": 0},
    {"id": "lamp", "of": ["unit"], "type": "truth", "default": False},
    {"id": "makes", "of": ["item"], "type": "id", "table": "units", "default": None},
]
UNITS: list[Row] = [
    {"id": "foot", "tags": ["land"], "cost": 6, "grades": {"poor": {"cost": 4}}},
    {"id": "gun", "tags": ["land"], "cost": 9},
    {"id": "boat", "tags": ["ship"], "cost": 20},
]
ORDERS: list[Row] = [
    {
        "id": "buy",
        "syntax": "buy {n} {item} in {site}",
        "slots": {"n": "number", "item": "item", "site": "place"},
        "step": "build",
    },
    {
        "id": "dig",
        "syntax": "dig in {site} facing {target}",
        "slots": {"site": "place", "target": "place"},
        "step": "build",
        "does": "ditch",
    },
]
PRICE: list[Row] = [{"id": "price", "of": "item", "base": "model(self, item.makes).cost", "round": "up"}]


def rules(**forms: list[Row]) -> Ruleset:
    """The country's ruleset, with rows of further forms or in place of its own."""
    table: dict[str, list[Row]] = {
        "places": [
            {"id": "a", "kind": "land", "owner": "red", "worth": 5, "town": True, "mill": True},
            {"id": "b", "kind": "land", "owner": "red", "worth": 3},
            {"id": "c", "kind": "land", "owner": "blue", "worth": 4, "town": True},
            {"id": "d", "kind": "land", "owner": "blue", "worth": 2},
            {"id": "e", "kind": "land", "owner": "red", "worth": 2, "town": True},
            {"id": "z", "kind": "sea"},
        ],
        "links": [{"id": f"{x}--{y}", "between": [x, y], "kind": k} for x, y, k in LINKS],
        "stances": STANCES,
        "nations": [
            {"id": "red", "side": "east", "capital": "a"},
            {"id": "blue", "side": "west", "grade": {"foot": "poor"}},
        ],
        "sides": [{"id": "east", "opposite": "west"}, {"id": "west", "opposite": "east"}],
        "resources": [{"id": "coin"}, {"id": "men"}],
        "fields": FIELDS,
        "units": UNITS,
        "stats": PRICE,
        "orders": ORDERS,
        **forms,
    }
    return Ruleset("test", "Test", {form: {r["id"]: r for r in rows} for form, rows in table.items()})


REGION: Row = {"seat": "capital", "links": ["land"], "through": "friendly(self, place) and place.mine"}
BY_REGION: list[Row] = [{"id": id_, "treasury": {"region": REGION}} for id_ in ("coin", "men")]


def position(stores: dict[str, dict[str, int]], units: dict[str, int] | None = None, **tables: Any) -> State:
    """`stores`: purse -> amounts; `units`: "owner kind place" -> number; further tables as they are."""
    state = State({"game": {"game": {"turn": 5}}, "treasuries": stores, **tables})
    for what, n in (units or {}).items():
        owner, kind, place = what.split()
        state.put(
            "units", f"{owner}.{kind}@{place}", "*", {"owner": owner, "kind": kind, "place": place, "n": n}
        )
    state.put("relations", "blue--red", "*", {"stance": "war"})
    return state


def turn_of(
    ruleset: Ruleset,
    state: State,
    orders: list[tuple[str, str, dict[str, Any]]] | None = None,
    step: str = "build",
) -> Turn:
    """A turn with orders (nation, order row, slots) in their sequence."""
    for number, (nation, order, slots) in enumerate(orders or [], 1):
        form = "actions" if order in ruleset.rows("actions") else "orders"
        row = {
            "nation": nation,
            "order": f"{form}/{order}",
            "slots": slots,
            "options": {},
            "text": f"{order} {slots}",
        }
        state.put("orders", f"{nation}/{number:04d}", "*", row)
    start = state.copy()
    turn = Turn(ruleset, state, KeyedDice("11", 1), moments={"game": start, "turn": start, "phase": start})
    turn.journal.step = step
    return turn


def refusals(turn: Turn) -> list[str]:
    return [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]


def standing(turn: Turn) -> dict[str, int]:
    """Units by "owner kind place"."""
    out: dict[str, int] = {}
    for _, row in turn.state.stacks():
        key = f"{row['owner']} {row['kind']} {row['place']}"
        out[key] = out.get(key, 0) + row["n"]
    return out
