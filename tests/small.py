"""A small made-up ruleset for tests of the core: four places in a row, two camps, one neutral."""

from __future__ import annotations

from typing import Any

from wteaw.bots.front import Front
from wteaw.bots.give import Giver
from wteaw.core.dice import ScriptedDice
from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.turn.context import Turn
from wteaw.turn.referee import Position
from wteaw.world.world import World

Rows = list[dict[str, Any]]

# An act and an event that cost, roll and pay: for tests of what is stored and shown of a turn.
DIG = {
    "id": "dig",
    "syntax": "dig",
    "cost": 2,
    "roll": {"die": "1d6", "at_least": 3},
    "effects": [{"pay": {"to": "=self", "what": "gold", "amount": "1d6"}}],
    "audience": ["=self"],
}
LUCK = {
    "id": "luck",
    "on": {"step": "luck"},
    "for": "nations()",
    "effects": [{"pay": {"to": "=nation", "what": "gold", "amount": "1d6"}}],
    "audience": ["=nation"],
}


def by_id(rows: Rows) -> dict[str, dict[str, Any]]:
    named = [r if "id" in r else {"id": "--".join(sorted(r["between"])), **r} for r in rows]
    return {r["id"]: r for r in named}


BASE: dict[str, Rows] = {
    "places": [
        {"id": "ash", "kind": "land", "owner": "red", "worth": 3},
        {"id": "birch", "kind": "land", "owner": "red", "worth": 2},
        {"id": "cedar", "kind": "land", "owner": "blue", "worth": 4},
        {"id": "dale", "kind": "land", "owner": "gray", "worth": 1},
    ],
    "links": [{"between": ["ash", "birch"]}, {"between": ["birch", "cedar"]}, {"between": ["cedar", "dale"]}],
    "nations": [
        {"id": "red", "name": "Red", "side": "east", "capital": "ash"},
        {"id": "blue", "name": "Blue", "side": "west", "capital": "cedar"},
        {"id": "gray", "name": "Gray", "side": None},
    ],
    "sides": [
        {"id": "east", "name": "East", "opposite": "west"},
        {"id": "west", "name": "West", "opposite": "east"},
    ],
    "stances": [
        {"id": "peace", "default": True},
        {"id": "friends", "friendly": True},
        {"id": "war", "hostile": True},
    ],
    "units": [
        {"id": "foot", "name": "Foot", "tags": ["army"], "strength": 3},
        {"id": "horse", "name": "Horse", "strength": 5},
    ],
    "resources": [{"id": "gold", "name": "Gold"}],
    "tracks": [
        {"id": "mood", "signed": True, "leans": {"east": "up", "west": "down"}, "thresholds": [-5, 5]}
    ],
    "fields": [
        {"id": "worth", "of": ["place"], "type": "number", "default": 0, "open": True},
        {"id": "strength", "of": ["unit"], "type": "number", "default": 0, "open": True},
        {"id": "capital", "of": ["nation"], "type": "id", "table": "places", "default": None, "open": True},
        {"id": "calm", "of": ["nation"], "type": "number", "default": 7},
    ],
}


def ruleset(sequence: Rows | None = None, settings: dict[str, Any] | None = None, **forms: Rows) -> Ruleset:
    """The base with further rows laid beside or over it."""
    merged = {name: dict(by_id(rows)) for name, rows in BASE.items()}
    for name, rows in forms.items():
        merged.setdefault(name, {}).update(by_id(rows))
    return Ruleset("small", "Small", merged, tuple(sequence or ()), {"settings": settings or {}})


def state(**tables: Any) -> State:
    """A state at turn 1 with war between red and blue."""
    base: dict[str, Any] = {
        "game": {"game": {"turn": 1}},
        "relations": {"blue--red": {"stance": "war"}},
        "treasuries": {"red": {"gold": 20}, "blue": {"gold": 5}},
        "units": {
            "red.foot@birch": {"owner": "red", "kind": "foot", "place": "birch", "n": 4},
            "blue.horse@cedar": {"owner": "blue", "kind": "horse", "place": "cedar", "n": 2},
        },
    }
    return State({**base, **tables})


def turn(rules: Ruleset, at: State | None = None, dice: Any = ()) -> Turn:
    """A turn to run mechanics on; `dice` are typed in."""
    here = at or state()
    return Turn(rules, here, ScriptedDice(dice), moments={"game": here.copy(), "turn": here.copy()})


def position(at: State, waiting: Any = None) -> Position:
    return Position(at, at.copy(), at.copy(), at.copy(), waiting=waiting)


def order(act: str, line: int = 1, **slots: Any) -> dict[str, Any]:
    return {"order": f"actions/{act}", "slots": slots, "options": {}, "text": act, "line": line}


def front_of(world: World, nation: str, war: dict[str, Any]) -> Front:
    """The front of a nation that has given no orders yet, and throws ones."""
    stream = ScriptedDice([1] * 200).stream(step="input", rule="policies/p", subject=nation)
    return Front(Giver(world, nation, stream), war)
