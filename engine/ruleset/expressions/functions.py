"""The closed list of functions that an expression may call, each declared once.

An argument is described by a word: `number`, `truth`, `text`, `any`, `set`, `term` (a term or field name as
text), a kind of thing (`nation`: a thing of that kind or its id as text), `thing` (of whatever kind), `who`
(nation, side or group), `id:FORM` (the id of a row of that form as text), `kind-or-tag` (of units), `goods`
(what can be under way), `fact`, `order`, `link-kind` or `way` (or a mode).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...core.state import columns


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that is declared of a function but its code, once: nothing else lists functions by name.

    `rest` describes further arguments; `filters` allows keyword filters. `reads`: the tables and columns of
    the state that it reads beside its arguments; None if it could read anything, or `reads` works it out from
    rows. `least`: its numbers are never below that. `in_battle`: it can be said over the living of a battle,
    for which it compiles to arrays. `phrase`: how a sentence says it; `{0}` is its first argument, `{...}`
    what further arguments say.
    """

    args: tuple[str, ...]
    gives: str
    says: str
    optional: int = 0
    rest: str | None = None
    filters: str | None = None
    reads: tuple[str, ...] | None = None
    least: int | None = None
    in_battle: bool = False
    phrase: str = ""

    def called(self, name: str) -> str:
        """How the function is written under a name: what may be left out in brackets."""
        least = len(self.args) - self.optional
        arguments = [a if i < least else f"[{a}]" for i, a in enumerate(self.args)]
        arguments += [f"{self.rest} ..."] if self.rest else []
        arguments += ["field=value ..."] if self.filters else []
        return f"{name}({', '.join(arguments)})"


SIDES: Final = columns("nations", "side")
HOLDERS: Final = columns("places", "holder", "owner")
RELATED: Final = ("relations", *SIDES)
HELD: Final = ("units", *HOLDERS, *RELATED)
FITS: Final = ("nations.*", *SIDES)  # a side in a filter stands for its members
NOW: Final = columns("game", "turn")
EARLIER: Final = "earlier moments"
"""Stands among the tables for what `was` reads:

`World.remember` counts the changes of it, as if it were one.
"""

_S = Signature
FUNCTIONS: Final[dict[str, Signature]] = {
    # sets
    "nations": _S(
        (), "set:nation", "nations, selected by fields", filters="nation", reads=columns("nations")
    ),
    "places": _S((), "set:place", "places, selected by fields", filters="place", reads=()),
    "units": _S(
        (),
        "set:unit",
        "units, selected by fields (owner, kind, at, tag, side ...)",
        filters="unit",
        reads=("units",),
    ),
    "forces": _S((), "set:force", "forces, selected by fields", filters="force", reads=("forces",)),
    "wars": _S(
        (), "set:war", "wars in progress, selected by fields (party=)", filters="war", reads=("wars", *SIDES)
    ),
    "records": _S(
        (),
        "set:record",
        "what is in the books, selected by fields (kind= ...)",
        filters="record",
        reads=("records",),
    ),
    "techs": _S(
        (),
        "set:tech",
        "technologies, selected by fields (category=, known=, of=)",
        filters="tech",
        reads=("techs",),
    ),
    "cards": _S(
        (),
        "set:card",
        "the cards of a pile, each copy for itself (pile=, of= whose); without pile, every card of the rules",
        filters="card",
        reads=("piles",),
    ),
    "sides": _S((), "set:side", "all sides", reads=()),
    "group": _S(("id:groups",), "set", "the members of a named group", reads=()),
    "set_of": _S((), "set", "a list on the spot", rest="any", reads=()),
    "intersection": _S(
        ("set", "set"), "set", "what is in both sets", reads=(), phrase="what is both in {0} and in {1}"
    ),
    "union": _S(("set", "set"), "set", "what is in one set or the other", reads=(), phrase="{0}, or {1}"),
    "difference": _S(
        ("set", "set"), "set", "the first set without the second", reads=(), phrase="{0} but not {1}"
    ),
    "where": _S(
        ("set", "term"),
        "set",
        "the members that pass",
        rest="any",
        reads=(),
        phrase="those of {0} for which {1} holds{...}",
    ),
    "neighbors": _S(
        ("set", "link-kind"),
        "set:place",
        "places next to a place or a set of places",
        optional=1,
        reads=(),
        phrase="the neighbors of {0}",
    ),
    # counting
    "count": _S(
        ("set", "term"),
        "number",
        "how many (pass)",
        optional=1,
        rest="any",
        reads=(),
        least=0,
        in_battle=True,
        phrase="the number of {0}",
    ),
    "any": _S(("set", "term"), "truth", "does any (pass)", optional=1, rest="any", reads=(), in_battle=True),
    "all": _S(
        ("set", "term"),
        "truth",
        "do all pass",
        rest="any",
        reads=(),
        in_battle=True,
        phrase="{1} holds for all of {0}{...}",
    ),
    "sum": _S(
        ("set", "term"),
        "number",
        "the sum of a field, stat or definition",
        rest="any",
        reads=(),
        in_battle=True,
        phrase="the sum of {1} over {0}{...}",
    ),
    "maximum": _S(
        ("set", "term"),
        "number",
        "the greatest of a field, stat or definition, 0 if none",
        rest="any",
        reads=(),
        in_battle=True,
        phrase="the greatest {1} among {0}{...}",
    ),
    "count_distinct": _S(
        ("set", "term"), "number", "how many different values of a field", reads=(), least=0, in_battle=True
    ),
    "capped": _S(
        ("set", "term", "term", "number"),
        "number",
        "how many pass, of each value of a second field at most so many",
        reads=(),
        least=0,
        in_battle=True,
    ),
    "rank": _S(
        ("thing", "term", "set"), "number", "place in the order by a value, ties share", reads=(), least=1
    ),
    "in_order": _S(
        ("set", "term"),
        "set",
        "the members in the order of a value, the least first",
        rest="any",
        reads=(),
        phrase="{0} in the order of {1}{...}",
    ),
    "single": _S(
        ("set",),
        "any",
        "the one member of a set; nothing if it has none or several",
        reads=(),
        phrase="the only one of {0}",
    ),
    "first": _S(
        ("set", "number"),
        "set",
        "the first members of a set (one, unless a number is said)",
        optional=1,
        reads=(),
        phrase="the first of {0}",
    ),
    "holds": _S(
        ("set", "any"), "truth", "are in a set all the units that a list of an order names", reads=("units",)
    ),
    "listed": _S(
        ("any", "kind-or-tag"),
        "number",
        "how many units a list of an order names (of a kind or tag)",
        optional=1,
        reads=(),
        least=0,
    ),
    # one thing
    "nation": _S(("id:nations",), "nation", "a nation by id", reads=()),
    "place": _S(("id:places",), "place", "a place by id", reads=()),
    "passage": _S(("id:passages",), "passage", "a passage by id", reads=()),
    "item": _S(("id:production",), "item", "an item of production by id", reads=()),
    "border": _S(
        ("place", "place"),
        "link",
        "the link seen from the first place",
        reads=(),
        phrase="the border of {0} with {1}",
    ),
    # relations
    "at_war": _S(
        ("who", "who"), "truth", "is there war between them", reads=RELATED, phrase="{0} is at war with {1}"
    ),
    "allied": _S(
        ("who", "who"),
        "truth",
        "are they allied (a nation with itself is)",
        reads=RELATED,
        phrase="{0} is allied with {1}",
    ),
    "allies": _S(
        ("who",),
        "set:nation",
        "the nations it is allied with, itself included",
        reads=RELATED,
        phrase="the allies of {0}",
    ),
    "enemies": _S(
        ("who",), "set:nation", "the nations it is at war with", reads=RELATED, phrase="the enemies of {0}"
    ),
    "stance": _S(
        ("who", "who"), "text", "the id of their stance", reads=RELATED, phrase="the stance of {0} toward {1}"
    ),
    "friendly": _S(
        ("who", "place"),
        "truth",
        "is the place held by the nation or an ally, without enemies",
        reads=HELD,
        phrase="{1} is in friendly hands for {0}",
    ),
    "enemy": _S(
        ("who", "place"),
        "truth",
        "is the place held or occupied by somebody it is at war with",
        reads=HELD,
        phrase="{1} is in enemy hands for {0}",
    ),
    "neutral": _S(("who",), "truth", "does it belong to no side", reads=SIDES, phrase="{0} is neutral"),
    "opposite": _S(("who",), "side", "the opposing side", reads=SIDES, phrase="the side opposite {0}"),
    # values
    "track": _S(
        ("nation", "id:tracks"),
        "number",
        "the signed value of a track",
        reads=("tracks",),
        phrase="{1} of {0}",
    ),
    "box": _S(
        ("nation", "id:tracks"),
        "text",
        "the name of the box of a track in which a nation stands",
        reads=("tracks",),
        phrase="the box of {0} on {1}",
    ),
    "toward": _S(
        ("nation", "who", "id:tracks"),
        "number",
        "the part of a track toward a side, never below 0",
        optional=1,
        reads=("tracks",),
        least=0,
    ),
    "level": _S(
        ("nation", "id:technologies", "text"),
        "number",
        "level of a technology in force, or the one reached at a stage such as 'discovered'",
        optional=1,
        reads=("techs", "tech_stages"),
        least=0,
        phrase="the level of {1} of {0}",
    ),
    "knows": _S(
        ("nation", "id:technologies"),
        "truth",
        "is the technology in force",
        reads=("techs",),
        phrase="{0} knows {1}",
    ),
    "treasury": _S(
        ("place", "id:resources"),
        "place",
        "the place that keeps the treasury on which a place draws",
        reads=("treasuries", *HOLDERS),
    ),
    "stock": _S(
        ("thing", "id:resources"),
        "number",
        "amount in a treasury (all treasuries of a nation, or the one of a place)",
        reads=("treasuries", *HOLDERS),
        phrase="the stock of {1} of {0}",
    ),
    "income": _S(
        ("nation",),
        "number",
        "what was last collected",
        reads=columns("nations", "income"),
        phrase="the income of {0}",
    ),
    "value": _S(
        ("thing", "id:stats", "nation"),
        "number",
        "a stat with all its modifiers (for a nation, where the thing has no owner)",
        optional=1,
        phrase="the {1} of {0}",
    ),
    "within_limits": _S(
        ("id:actions", "nation", "nation"),
        "truth",
        "do the limits of an action let the first nation do it to the second",
    ),
    "objectives": _S(
        ("nation",),
        "number",
        "the points of the objectives that it has reached",
        phrase="the objective points of {0}",
    ),
    "coming": _S(
        ("nation", "goods", "place"),
        "number",
        "how many of a kind, item or technology are under way for a nation (to a place or for it)",
        optional=1,
        reads=("under_way",),
        least=0,
    ),
    "en_route": _S(
        ("nation", "kind-or-tag"),
        "number",
        "how many units of a nation (of a kind or tag) have set out and not arrived",
        optional=1,
        reads=("under_way",),
        least=0,
    ),
    "model": _S(
        ("nation", "id:units"),
        "unit",
        "a unit of a kind as the nation has it, whether or not there is one",
        reads=(),
        phrase="{1} of {0}",
    ),
    "flagged": _S(
        ("thing", "text"), "truth", "is the flag in force", reads=("flags",), phrase="{0} is marked {1}"
    ),
    "age": _S(
        ("thing", "text"),
        "number",
        "turns since the flag was set, -1 if it is not in force",
        reads=("flags", *NOW),
        least=-1,
        phrase="the turns since {0} was marked {1}",
    ),
    "counter": _S(
        ("thing", "id:counters"),
        "number",
        "how far a counter of a thing has come (`'game'`: of the game itself)",
        reads=("counters",),
        phrase="the count of {1} of {0}",
    ),
    "happened": _S(
        ("fact",),
        "number",
        "how often a trigger happened in this game",
        filters="fact",
        reads=("facts", *FITS),
        least=0,
    ),
    "this_turn": _S(
        ("fact",),
        "number",
        "how often a trigger happened in this turn",
        filters="fact",
        reads=("facts", *NOW, *FITS),
        least=0,
    ),
    "was": _S(
        ("thing", "term", "text"),
        "any",
        "the field or definition at the start of 'game', 'turn' or 'phase'",
        rest="any",
        reads=(EARLIER, *columns("game", "turn", "phase")),
    ),
    "ordered": _S(
        ("order",),
        "number",
        "how many orders of this kind have been given; `before=line`: by the same nation, above the line at "
        "hand",
        filters="fact",
        reads=("orders", *FITS),
        least=0,
    ),
    # the map
    "distance": _S(
        ("place", "place", "way"),
        "number",
        "steps over links of a kind or of a way of moving, -1 if there is no way",
        optional=1,
        reads=(),
        least=-1,
        phrase="the distance from {0} to {1}",
    ),
    "on_way": _S(
        ("place", "place", "place", "term"),
        "truth",
        "is there a chain from the second place to the third, through places that pass, that would break "
        "without the first",
        rest="any",
        reads=(),
    ),
    "reaches": _S(
        ("place", "set", "term"),
        "truth",
        "is there a chain to the set (a nation stands for what it holds) whose every place passes",
        rest="any",
        reads=HOLDERS,
    ),
    # tables and arithmetic
    "lookup": _S(("id:tables",), "any", "a cell of a table", rest="any", reads=(), in_battle=True),
    "band": _S(("id:tables", "number"), "any", "the row whose range holds the number", reads=()),
    "option": _S(("id:options",), "any", "an option of the ruleset or scenario", reads=("options",)),
    "min": _S(
        ("number", "number"),
        "number",
        "the smaller",
        rest="number",
        reads=(),
        in_battle=True,
        phrase="the smaller of {0} and {1}",
    ),
    "max": _S(
        ("number", "number"),
        "number",
        "the greater",
        rest="number",
        reads=(),
        in_battle=True,
        phrase="the greater of {0} and {1}",
    ),
    "floor": _S(("number",), "number", "rounded down", reads=(), phrase="{0} rounded down"),
    "ceil": _S(("number",), "number", "rounded up", reads=(), phrase="{0} rounded up"),
}

BATTLE_FUNCTIONS: Final = frozenset(name for name, signature in FUNCTIONS.items() if signature.in_battle)
"""What may be used over `mine` and `foe` inside a battle."""
