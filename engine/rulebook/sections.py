"""Rows in words, for rulesets without a register: what may be done, what happens by itself, what depends on
what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..orders.grammar import Grammar
from ..orders.reference import price_of, written_form
from ..ruleset.action_changes import needs_of, with_own_cases
from ..ruleset.expressions.bounds import is_verdict
from .blocks import Block, FigureTable, Heading, Listing, Text
from .phrases import asked, fact_words, if_words, parameter, tail_words, title
from .spoken import Spoken
from .values import cell


def told(ruleset: Ruleset, form: str, row: Row) -> Iterator[Block]:
    """A row of acts, orders or events: its name, how it is written, and its conditions and effects line by
    line.
    """
    yield Heading(title(row))
    if row.get("help"):
        yield Text(str(row["help"]))
    if "syntax" in row:
        pattern = next(f.pattern for f in Grammar.of(ruleset).forms if f.key == f"{form}/{row['id']}")
        yield FigureTable("", ("you write",), ((written_form(pattern),),), code=(0,))
    facts = {"actions": _act, "orders": _order, "events": _event}[form](ruleset, row)
    if facts:
        yield Listing(tuple(facts))


def _act(ruleset: Ruleset, row: Row) -> list[str]:
    """What a nation may do: what it costs, what forbids it, and what comes of it."""
    facts, say = [], Spoken(ruleset)
    if "for" in row:
        facts.append(f"open to: {_whom(say, row['for'])}")
    if "cost" in row:
        facts.append(f"costs: {_cost(ruleset, row['cost'])}")
    for most, keys in row.get("limit", {}).items():
        facts.append(f"at most {most} for each {', '.join(key.partition('.')[0] for key in keys)}")
    facts += dict.fromkeys(f"not allowed: {asked(say, n['message'])}" for n in needs_of(ruleset, row))
    return [*facts, *tail_words(say, with_own_cases(ruleset, row))]


def _whom(say: Spoken, whom: Any) -> str:
    """Whom a row is for: names, or an expression."""
    if isinstance(whom, list):
        return ", ".join(say.named(str(w)) for w in whom)
    return say.truth(whom) if "(" in str(whom) else say.named(str(whom))


def _cost(ruleset: Ruleset, cost: Any) -> str:
    say = Spoken(ruleset)
    if isinstance(cost, Mapping):
        return ", ".join(f"{parameter(say, v)} {say.named(k)}" for k, v in cost.items())
    if not ruleset.has("stats", str(cost)):
        return price_of(ruleset, cost) or parameter(say, cost)
    quantity = ruleset.row("stats", str(cost))
    base = (
        say.truth(quantity["base"])
        if isinstance(quantity.get("base"), str)
        else cell(quantity.get("base", 0))
    )
    return f"{base}, the {title(quantity)}"


def _order(ruleset: Ruleset, row: Row) -> list[str]:
    """What units may be ordered: what forbids it."""
    say = Spoken(ruleset)
    return [f"not allowed: {asked(say, n['message'])}" for n in row.get("requires", ()) if "message" in n]


def _event(ruleset: Ruleset, row: Row) -> list[str]:
    """What happens by itself: what it waits for, and what comes of it."""
    facts, say = [], Spoken(ruleset)
    if "on" in row:
        facts.append(f"when: {fact_words(say, row['on'])}")
    if "becomes" in row:
        facts.append(f"when this becomes true: {say.truth(row['becomes'])}")
    if "for" in row:
        facts.append(f"for: {_whom(say, row['for'])}")
    if "when" in row:
        facts.append(f"if: {say.truth(row['when'])}")
    if row.get("once"):
        facts.append("once in a game")
    facts += list(tail_words(say, row))
    return facts


def verdicts(ruleset: Ruleset) -> Iterator[Block]:
    """Results that depend on each other: whose, when yes, and what a ring of them comes to."""
    say = Spoken(ruleset)
    rows = [row for row in ruleset.rows("definitions").values() if is_verdict(row)]
    if rows:
        yield Text(
            "All of a step are found together: whatever is certain first, and so on until nothing changes."
        )
    for row in rows:
        found = row["fixpoint"]
        left = "; ".join(f"{'yes' if r['is'] else 'no'}{if_words(say, r)}" for r in found.get("left", ()))
        yield Heading(row["id"].replace("_", " ").capitalize())
        hangs = (f"where such results depend on themselves: {left}",) if left else ()
        yield Listing((f"of: {say.truth(found['over'])}", f"yes if: {say.truth(str(row['is']))}", *hangs))
