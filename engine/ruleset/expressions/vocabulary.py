"""The closed list of words an expression may use: functions with their arguments, kinds of things, fields every kind has.

The checker, the evaluator and the rulebook read this one list. An argument is described by a word:
`number`, `truth`, `text`, `any`, `set`, `term` (a term or field name as text), a kind of thing (`nation`: a thing of that
kind or its id as text), `thing` (of whatever kind), `who` (nation, side or group), `id:FORM` (the id of a row of that form as
text), `kind-or-tag` (of units), `goods` (what can be under way), `fact`, `order`, `link-kind` or `way` (or a mode).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and gives. `rest` describes further arguments; `filters` allows keyword filters."""

    args: tuple[str, ...]
    gives: str
    says: str
    optional: int = 0
    rest: str | None = None
    filters: str | None = None

    def called(self, name: str) -> str:
        """How the function is written under a name: what may be left out in brackets."""
        least = len(self.args) - self.optional
        arguments = [a if i < least else f"[{a}]" for i, a in enumerate(self.args)]
        arguments += [f"{self.rest} ..."] if self.rest else []
        arguments += ["field=value ..."] if self.filters else []
        return f"{name}({', '.join(arguments)})"


# kind of thing -> the form its rows stand in ("" where only the state has them)
KINDS: Final[dict[str, str]] = {
    "nation": "nations",
    "side": "sides",
    "place": "places",
    "link": "links",
    "gate": "gates",
    "unit": "units",
    "tech": "technologies",
    "item": "catalogue",
    "resource": "resources",
    "group": "groups",
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
    "link": {"id": "id", "kind": "id", "works": "id", "own_works": "id", "from": "place", "to": "place", "guards": "gate"},
    "gate": {"id": "id", "keeper": "nation", "barred": "list", "admitted": "list"},
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
    "battle": {"attacks": "truth", "attacked": "truth", "kind": "id", "round": "number", "origins": "number", "by": "id"},
    "path": {"start": "place", "last": "place", "length": "number", "places": "list"},
}

GAME: Final = frozenset(
    {"turn", "year", "month", "season", "phase", "step", "cursor", "scenario", "ended", "end", "winners", "date"}
)
"""What the state holds of the game itself."""
ALWAYS: Final[dict[str, str]] = {"turn": "number", "year": "number", "season": "text", "step": "text"}

_S = Signature
FUNCTIONS: Final[dict[str, Signature]] = {
    # sets
    "nations": _S((), "set:nation", "nations, selected by fields", filters="nation"),
    "places": _S((), "set:place", "places, selected by fields", filters="place"),
    "units": _S((), "set:unit", "units, selected by fields (owner, kind, at, tag, side ...)", filters="unit"),
    "forces": _S((), "set:force", "forces, selected by fields", filters="force"),
    "wars": _S((), "set:war", "wars in progress, selected by fields (party=)", filters="war"),
    "records": _S((), "set:record", "what is in the books, selected by fields (kind= ...)", filters="record"),
    "techs": _S((), "set:tech", "technologies, selected by fields (category=, known=, of=)", filters="tech"),
    "sides": _S((), "set:side", "all sides"),
    "group": _S(("id:groups",), "set", "the members of a named group"),
    "these": _S((), "set", "a list on the spot", rest="any"),
    "both": _S(("set", "set"), "set", "what is in both sets"),
    "either": _S(("set", "set"), "set", "what is in one set or the other"),
    "without": _S(("set", "set"), "set", "the first set without the second"),
    "those": _S(("set", "term"), "set", "the members that pass", rest="any"),
    "neighbours": _S(("set", "link-kind"), "set:place", "places next to a place or a set of places", optional=1),
    # counting
    "count": _S(("set", "term"), "number", "how many (pass)", optional=1, rest="any"),
    "some": _S(("set", "term"), "truth", "does any (pass)", optional=1, rest="any"),
    "every": _S(("set", "term"), "truth", "do all pass", rest="any"),
    "total": _S(("set", "term"), "number", "the sum of a field, quantity or term", rest="any"),
    "highest": _S(("set", "term"), "number", "the greatest of a field, quantity or term, 0 if none", rest="any"),
    "kinds": _S(("set", "term"), "number", "how many different values of a field"),
    "capped": _S(("set", "term", "term", "number"), "number", "how many pass, of each value of a second field at most so many"),
    "rank": _S(("thing", "term", "set"), "number", "place in the order by a value, ties share"),
    "in_order": _S(("set", "term"), "set", "the members in the order of a value, the least first", rest="any"),
    "only": _S(("set",), "any", "the one member of a set; nothing if it has none or several"),
    "first": _S(("set", "number"), "set", "the first members of a set (one, unless a number is said)", optional=1),
    "holds": _S(("set", "any"), "truth", "are in a set all the units that a list of an order names"),
    "listed": _S(("any", "kind-or-tag"), "number", "how many units a list of an order names (of a kind or tag)", optional=1),
    # one thing
    "nation": _S(("id:nations",), "nation", "a nation by id"),
    "place": _S(("id:places",), "place", "a place by id"),
    "gate": _S(("id:gates",), "gate", "a gate by id"),
    "item": _S(("id:catalogue",), "item", "an item of the catalogue by id"),
    "border": _S(("place", "place"), "link", "the link seen from the first place"),
    # relations
    "at_war": _S(("who", "who"), "truth", "is there war between them"),
    "allied": _S(("who", "who"), "truth", "are they allied (a nation with itself is)"),
    "allies": _S(("who",), "set:nation", "the nations it is allied with, itself included"),
    "enemies": _S(("who",), "set:nation", "the nations it is at war with"),
    "stance": _S(("who", "who"), "text", "the id of their stance"),
    "friendly": _S(("who", "place"), "truth", "is the place held by the nation or an ally, without enemies"),
    "enemy": _S(("who", "place"), "truth", "is the place held or occupied by somebody it is at war with"),
    "neutral": _S(("who",), "truth", "does it belong to no side"),
    "opposite": _S(("who",), "side", "the opposing side"),
    # values
    "track": _S(("nation", "id:tracks"), "number", "the signed value of a track"),
    "box": _S(("nation", "id:tracks"), "text", "the name of the box of a track in which a nation stands"),
    "toward": _S(("nation", "who", "id:tracks"), "number", "the part of a track toward a side, never below 0", optional=1),
    "level": _S(
        ("nation", "id:technologies", "text"),
        "number",
        "level of a technology in force, or the one reached at a stage such as 'discovered'",
        optional=1,
    ),
    "knows": _S(("nation", "id:technologies"), "truth", "is the technology in force"),
    "purse": _S(("place", "id:resources"), "place", "the place that keeps the store on which a place draws"),
    "stock": _S(("thing", "id:resources"), "number", "amount in a store (all purses of a nation, or the one of a place)"),
    "income": _S(("nation",), "number", "what was last collected"),
    "value": _S(
        ("thing", "id:quantities", "nation"),
        "number",
        "a quantity with all its adjust rows (for a nation, where the thing has no owner)",
        optional=1,
    ),
    "within_limits": _S(
        ("id:acts", "nation", "nation"), "truth", "do the limits of an act let the first nation do it to the second"
    ),
    "objectives": _S(("nation",), "number", "the points of the objectives that it has reached"),
    "coming": _S(
        ("nation", "goods", "place"),
        "number",
        "how many of a kind, item or technology are under way for a nation (to a place)",
        optional=1,
    ),
    "en_route": _S(
        ("nation", "kind-or-tag"),
        "number",
        "how many units of a nation (of a kind or tag) have set out and not arrived",
        optional=1,
    ),
    "model": _S(("nation", "id:units"), "unit", "a unit of a kind as the nation has it, whether or not there is one"),
    "marked": _S(("thing", "text"), "truth", "is the mark in force"),
    "age": _S(("thing", "text"), "number", "turns since the mark was set, -1 if it is not in force"),
    "tally": _S(("thing", "id:tallies"), "number", "a counter fed by the journal"),
    "streak": _S(("thing", "id:streaks"), "number", "times in a row"),
    "happened": _S(("fact",), "number", "how often a fact happened in this game", filters="fact"),
    "this_turn": _S(("fact",), "number", "how often a fact happened in this turn", filters="fact"),
    "was": _S(("thing", "term", "text"), "any", "the field or term at the start of 'game', 'turn' or 'phase'", rest="any"),
    "ordered": _S(
        ("order",),
        "number",
        "how many orders of this kind have been given; `before=line`: by the same nation, above the line at hand",
        filters="fact",
    ),
    # the map
    "distance": _S(
        ("place", "place", "way"), "number", "steps over links of a kind or of a mode, -1 if there is no way", optional=1
    ),
    "on_way": _S(
        ("place", "place", "place", "term"),
        "truth",
        "is there a chain from the second place to the third, through places that pass, that would break without the first",
        rest="any",
    ),
    "reaches": _S(
        ("place", "set", "term"),
        "truth",
        "is there a chain to the set (a nation stands for what it holds) whose every place passes",
        rest="any",
    ),
    # tables and arithmetic
    "lookup": _S(("id:tables",), "any", "a cell of a table", rest="any"),
    "band": _S(("id:tables", "number"), "any", "the row whose range holds the number"),
    "option": _S(("id:options",), "any", "an option of the ruleset or scenario"),
    "min": _S(("number", "number"), "number", "the smaller", rest="number"),
    "max": _S(("number", "number"), "number", "the greater", rest="number"),
    "floor": _S(("number",), "number", "rounded down"),
    "ceil": _S(("number",), "number", "rounded up"),
}

# what may be used over `mine` and `foe` inside a battle: it compiles to arrays
BATTLE_FUNCTIONS: Final[frozenset[str]] = frozenset(
    {"count", "some", "every", "total", "highest", "kinds", "capped", "lookup", "min", "max"}
)
MOMENTS: Final[tuple[str, ...]] = ("game", "turn", "phase", "step")

_WHO, _PLACE, _KIND = ("nations",), ("places",), ("units", "catalogue", "works", "field:place")
FACTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "step": {"step": ()},
    "turn_start": {"turn": (":number",)},
    "turn_end": {"turn": (":number",)},
    "acted": {"by": _WHO, "act": (), "of": (":text",), "success": (":truth",)},
    "declared": {
        "by": _WHO, "of": _WHO, "side": ("sides",), "outside": (":truth",), "kind": ("war_kinds",), "openly": (":truth",),
    },
    "war_began": {"by": _WHO, "of": _WHO, "war": (":text",), "kind": ("war_kinds",)},
    "war_ended": {"by": _WHO, "of": _WHO, "war": (":text",), "kind": ("war_kinds",), "won": (*_WHO, "sides")},
    "joined": {"by": _WHO, "side": ("sides",)},
    "accepted": {"by": _WHO, "of": (":text",), "ask": ("decisions",)},
    "refused": {"by": _WHO, "of": (":text",), "ask": ("decisions",)},
    "reached": {"by": _WHO, "track": (), "at": (":number",)},
    "learned": {"by": _WHO, "tech": ("technologies",), "level": (":number",), "stage": (":text",)},
    "paid": {
        "by": (*_WHO, "places"), "of": (*_WHO, "places"), "what": ("resources",), "amount": (":number",), "item": ("catalogue",),
    },
    "built": {
        "by": _WHO, "item": ("catalogue",), "kind": _KIND, "place": _PLACE, "n": (":number",), "dear": (":truth", ":number"),
    },
    "placed": {"by": _WHO, "place": _PLACE, "kind": _KIND, "n": (":number",), "unit": (":text",)},
    "entered": {
        "by": _WHO, "of": _WHO, "place": _PLACE, "from": _PLACE, "n": (":number",), "force": (":text",),
    },
    "left": {"by": _WHO, "place": _PLACE},
    "captured": {
        "by": _WHO, "of": _WHO, "place": _PLACE, "taken_by": _WHO, "first_owner": _WHO, "freed": (":truth",),
    },
    "emptied": {"of": _WHO, "place": _PLACE},
    "battle_began": {"by": _WHO, "of": _WHO, "place": _PLACE, "battle": ("battles",)},
    "battle_ended": {
        "by": _WHO, "of": _WHO, "place": _PLACE, "battle": ("battles",), "winner": (":text",),
        "units": ("units",), "foes": ("units",),
    },
    "destroyed": {"of": _WHO, "by": _WHO, "kind": ("units",), "place": _PLACE, "n": (":number",), "cause": (":text",)},
    "conquered": {"of": _WHO, "by": _WHO},
    "liberated": {"of": _WHO, "by": _WHO},
    "expired": {"mark": (":text",), "of": (":text",)},
    "missed": {"by": _WHO},
}  # fmt: skip
"""Facts that rows can wait for: word -> role -> what a filter of that role may name (as in `x-word`); nothing: see `rules`."""
BARE_ROLES: Final[dict[str, str]] = {"step": "step", "turn_start": "turn", "turn_end": "turn", "expired": "mark"}
"""The role that a trigger's single value is about; the actor (`by`) of all others."""
