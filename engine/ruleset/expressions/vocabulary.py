"""The closed list of words an expression may use beside functions: kinds of things, fields that every kind
has, facts.

The checker, the evaluator and the rulebook read this one list; the functions stand in `functions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

# kind of thing -> the form its rows stand in ("" where only the state has them)
KINDS: Final[dict[str, str]] = {
    "nation": "nations",
    "side": "sides",
    "place": "places",
    "link": "links",
    "passage": "passages",
    "unit": "units",
    "tech": "technologies",
    "item": "production",
    "resource": "resources",
    "group": "groups",
    "card": "cards",
    "force": "",
    "war": "",
    "battle": "",
    "agreement": "",
    "record": "",
}

# fields that exist without declaration: kind -> field -> type
BUILT_IN: Final[dict[str, dict[str, str]]] = {
    "nation": {
        "id": "id",
        "side": "side",
        "seat": "id",
        "commander": "nation",
        "neutral": "truth",
        "alive": "truth",
        "deploys": "truth",
        "name": "text",
    },
    "side": {"id": "id", "opposite": "side", "name": "text"},
    "place": {
        "id": "id",
        "kind": "id",
        "owner": "nation",
        "holder": "nation",
        "side": "side",
        "section": "id",
        "occupied": "truth",
        "occupants": "list",
        "first_owner": "nation",
        "attacked": "list",
        "name": "text",
        "part_of": "place",
        "parts": "set:place",
        "whole": "place",
        "stack": "unit",
    },
    "link": {
        "id": "id",
        "kind": "id",
        "works": "id",
        "own_works": "id",
        "from": "place",
        "to": "place",
    },
    "passage": {"id": "id", "keeper": "nation", "barred": "list", "admitted": "list"},
    "unit": {
        "id": "id",
        "kind": "id",
        "owner": "nation",
        "side": "side",
        "place": "place",
        "n": "number",
        "tags": "list",
        "tag": "list",
        "hits": "number",
        "damage": "number",
        "condition": "id",
        "aboard": "force",
        "host": "nation",
        "via": "text",
        "moved": "truth",
        "name": "text",
        "link": "link",
        "force": "force",
        "landed": "truth",
    },
    "tech": {"id": "id", "levels": "number", "category": "id", "name": "text"},
    "item": {"id": "id", "name": "text"},
    "resource": {"id": "id"},
    "group": {"id": "id"},
    "card": {"id": "id", "name": "text"},
    "force": {
        "id": "id",
        "owner": "nation",
        "mission": "id",
        "stance": "id",
        "at": "place",
        "to": "place",
        "path": "set:place",
        "moving": "truth",
        "unloading": "truth",
        "lands": "truth",
        "leaving": "truth",
        "contacted": "truth",
        "broken_off": "truth",
        "stays": "truth",
        "idle": "truth",
        "charge": "force",
        "charges": "set:force",
        "targets": "list",
        "prefers": "list",
        "met": "list",
        "number": "number",
        "cargo": "list",
    },
    "war": {"id": "id", "kind": "id", "parties": "list", "since": "number", "by": "id"},
    "agreement": {"id": "id"},
    "record": {"id": "id", "kind": "id", "since": "number"},
    "battle": {
        "attacks": "truth",
        "attacked": "truth",
        "kind": "id",
        "round": "number",
        "origins": "number",
        "by": "id",
    },
    "path": {"start": "place", "last": "place", "length": "number", "places": "list"},
}

GAME: Final = frozenset(
    {
        "turn",
        "year",
        "month",
        "season",
        "phase",
        "step",
        "cursor",
        "scenario",
        "ended",
        "end",
        "winners",
        "date",
    }
)
"""What the state holds of the game itself."""
OWNED: Final = frozenset(
    {
        *("nations", "tracks", "techs", "tech_stages", "knowledge", "answers"),
        *("piles", "units", "forces", "chosen", "under_way", "orders", "uses"),
        *("treasuries", "flags", "counters", "places"),
    }
)
"""Tables of the state whose rows are a nation's, or may be; those of others are nobody's."""
ALWAYS: Final[dict[str, str]] = {"turn": "number", "year": "number", "season": "text", "step": "text"}

MOMENTS: Final[tuple[str, ...]] = ("game", "turn", "phase", "step")

_WHO, _PLACE, _KIND = ("nations",), ("places",), ("units", "production", "works", "field:place")
_OPEN = frozenset({":text", ":number", ":truth"})
FACTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "step": {"step": ()},
    "turn_start": {"turn": (":number",)},
    "turn_end": {"turn": (":number",)},
    "acted": {"by": _WHO, "action": (), "of": (":text",), "success": (":truth",)},
    "declared": {
        "by": _WHO,
        "of": _WHO,
        "side": ("sides",),
        "outside": (":truth",),
        "kind": ("war_kinds",),
        "openly": (":truth",),
    },
    "war_began": {"by": _WHO, "of": _WHO, "war": (":text",), "kind": ("war_kinds",)},
    "war_ended": {"by": _WHO, "of": _WHO, "war": (":text",), "kind": ("war_kinds",), "won": (*_WHO, "sides")},
    "joined": {"by": _WHO, "side": ("sides",)},
    "accepted": {"by": _WHO, "of": (":text",), "ask": ("decisions",)},
    "refused": {"by": _WHO, "of": (":text",), "ask": ("decisions",)},
    "reached": {"by": _WHO, "track": (), "at": (":number",)},
    "learned": {"by": _WHO, "tech": ("technologies",), "level": (":number",), "stage": (":text",)},
    "paid": {
        "by": (*_WHO, "places"),
        "of": (*_WHO, "places"),
        "what": ("resources",),
        "amount": (":number",),
        "item": ("production",),
    },
    "built": {
        "by": _WHO,
        "item": ("production",),
        "kind": _KIND,
        "place": _PLACE,
        "n": (":number",),
        "dear": (":truth", ":number"),
    },
    "placed": {"by": _WHO, "place": _PLACE, "kind": _KIND, "n": (":number",), "unit": (":text",)},
    "entered": {
        "by": _WHO,
        "of": _WHO,
        "place": _PLACE,
        "from": _PLACE,
        "n": (":number",),
        "force": (":text",),
    },
    "left": {"by": _WHO, "place": _PLACE},
    "captured": {
        "by": _WHO,
        "of": _WHO,
        "place": _PLACE,
        "taken_by": _WHO,
        "first_owner": _WHO,
        "freed": (":truth",),
    },
    "emptied": {"of": _WHO, "place": _PLACE},
    "battle_began": {"by": _WHO, "of": _WHO, "place": _PLACE, "battle": ("battles",)},
    "battle_ended": {
        "by": _WHO,
        "of": _WHO,
        "place": _PLACE,
        "battle": ("battles",),
        "winner": (":attacker", ":defender"),
        "units": ("units",),
        "foes": ("units",),
    },
    "destroyed": {
        "of": _WHO,
        "by": _WHO,
        "kind": ("units",),
        "place": _PLACE,
        "n": (":number",),
        "cause": (":text",),
    },
    "conquered": {"of": _WHO, "by": _WHO},
    "liberated": {"of": _WHO, "by": _WHO},
    "expired": {"flag": (":text",), "of": (":text",)},
    "missed": {"by": _WHO},
}
"""Facts that rows can wait for: word -> role -> what a filter of that role may name (as in `x-word`);
nothing: see `rules`.
"""


def _roles_of_words() -> Iterator[tuple[str, frozenset[str]]]:
    for roles in FACTS.values():
        for role, sources in roles.items():
            if sources and _OPEN.isdisjoint(sources) and all(word.startswith(":") for word in sources):
                yield role, frozenset(word[1:] for word in sources)


ROLES_OF_WORDS: Final[dict[str, frozenset[str]]] = dict(_roles_of_words())
"""Roles that are one of a few words, such as who has won."""
BARE_ROLES: Final[dict[str, str]] = {
    "step": "step",
    "turn_start": "turn",
    "turn_end": "turn",
    "expired": "flag",
}
"""The role that a trigger's single value is about; the actor (`by`) of all others."""
