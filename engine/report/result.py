"""How the game ended: who has won, and everybody's rank, with the values it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from string import ascii_lowercase
from typing import Any

from ..core.journal import Entry
from ..core.messages import capital
from ..turn.score import hundredths, kept_from_first
from ..world.world import World
from .document import Block, Para, Table, table
from .wording import Wording, listing


def result(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """The blocks that tell it, if the game ended with one of these entries; else none."""
    over = next((e for e in reversed(entries) if "winners" in e.data), None)
    if over is None:
        return []
    row = words.world.ruleset.row("victory", over.rule.partition("/")[2])
    out: list[Block] = [Para(_won(over.data["winners"], words), refs=(over.n,))]
    if over.data.get("ranks"):
        out.append(_ranking(row["rank"], over, words))
    if sides := over.data.get("sides"):
        name = _named(words.world, row["side_by"])
        said = listing(f"{words.side(s['who'])} {s['shown']}" for s in sides)
        out.append(Para(f"{said}.", name))
    return out


def result_lines(entry: Entry) -> list[str]:
    """The result as a terminal shows it: its sentence, everybody's rank, and who had more than the first."""
    details: list[str] = entry.data.get("details", [])
    ranks = entry.data.get("ranks", [])
    barred = kept_from_first(ranks)
    marks = [" (by the rules cannot be first)" if rank["who"] in barred else "" for rank in ranks]
    marked = zip_longest(details, marks, fillvalue="")
    return [line for line in (entry.text, *(f"{said}{mark}" for said, mark in marked)) if line]


def _named(world: World, criterion: str) -> str:
    return str(world.ruleset.row("victory", criterion).get("name", criterion))


def _won(winners: Sequence[str], words: Wording) -> str:
    """Who has won, in a sentence."""
    if not winners:
        return "Nobody has won."
    sides = words.world.ruleset.rows("sides")
    if words.reader and list(winners) == [words.reader]:
        return "You have won."
    names = listing(words.side(w) if w in sides else words.nation(w) for w in winners)
    if words.reader not in winners and len(winners) == 1 and winners[0] not in sides:
        return f"{capital(names)} has won."
    return f"{capital(names)} have won."


def _ranking(criterion: str, over: Entry, words: Wording) -> Table:
    """Everybody's rank and value, and the values that it was put together from."""
    world = words.world
    parts = world.ruleset.row("victory", criterion).get("parts", ())
    ranks: list[Mapping[str, Any]] = over.data["ranks"]
    barred = kept_from_first(ranks)
    sides, rows = world.ruleset.rows("sides"), []
    for rank in ranks:
        who = str(rank["who"])
        values = (over.data["values"][p].get(rank["who"]) for p in parts)
        rows.append(
            (
                f"{rank['rank']} {words.side(who) if who in sides else words.name(who)}"
                f"{'*' if who in barred else ''}",
                str(rank["shown"]),
                *("-" if value is None else hundredths(Fraction(value)) for value in values),
            )
        )
    names = [_named(world, p) for p in parts]
    letters = list(ascii_lowercase[: len(parts)])
    notes = ["; ".join(f"{a}: {name}" for a, name in zip(letters, names, strict=True)) + "."] if parts else []
    notes += ["* by the rules cannot be first."] if barred else []
    name = _named(world, criterion)
    made = table(("", name, *letters), rows, notes=notes)
    return replace(made, right=tuple(range(1, 2 + len(parts))))
