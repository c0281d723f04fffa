"""What a nation's order sheet offers: of everything that it may order what makes sense now, line by line.

A row says with `offer` when it makes sense; what it does not offer stands in the reference. Each kind of
order writes its own lines (`kinds/`). `?` in a line is the player's to fill in, from the choices beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, product
from typing import Any

from ..core.words import split
from ..world.world import World
from .check import Checker
from .kinds import order_kinds
from .legal import legal_at_their_steps, phased_orders
from .legal_entry import LegalSearch
from .lookahead import at_its_step
from .names import Names
from .sheet_by_slot import MANY_WAYS
from .sheet_line import BLANK, NEUTRAL, Named, Offered
from .sheet_writer import SheetWriter


def offers_of(world: World, nation: str) -> list[tuple[str, list[Offered]]]:
    """The phases of the turn by name with what a nation is offered in each. `world` is the nation's view."""
    offered: list[tuple[str, list[Offered]]] = world.keep(
        ("offers", nation), None, lambda: list(_offers(world, nation))
    )
    return offered


def choices_in(world: World, nation: str, line: str, *, other_units: bool = False) -> list[Named]:
    """Everything that may stand for `?` in a line of the order sheet, those of enemies first: its name, and
    the word for what it is. The line's numbers may be others, or its units, too."""
    units = world.keep(("words of units",), None, lambda: _words_of_units(world))
    left_out = units if other_units else frozenset[str]()
    bare = _without_numbers(line, left_out)
    out: dict[Named, None] = {}
    for _, offered in offers_of(world, nation):
        for one in chain.from_iterable((line, *line.rest) for line in offered):
            if BLANK in one.text and _without_numbers(one.text, left_out) == bare:
                out |= dict.fromkeys((name, word) for word, some in one.choices for name, _ in some)
    return list(out)


def filled_in(world: World, nation: str, line: str, *, other_units: bool = False) -> Iterator[str]:
    """A line of the order sheet in which something is still to be chosen, with each of the choices but
    neutrals, whom nobody attacks by a slip."""
    found = choices_in(world, nation, line, other_units=other_units)
    return (line.replace(BLANK, name) for name, word in found if word != NEUTRAL)


def _without_numbers(text: str, units: Collection[str]) -> str:
    """A line without how many of what."""
    return " ".join(
        w.norm for w in split(text) if w.norm not in units and not w.norm.isdigit() and w.norm != ","
    )


def _words_of_units(world: World) -> frozenset[str]:
    names = Names(world.ruleset, world.state)
    both = product(world.ruleset.rows("units"), (1, 2))
    words = chain.from_iterable(split(names.printed("unit", kind, n)) for kind, n in both)
    return frozenset(word.norm for word in words) | {"all"}


def _offers(world: World, nation: str) -> Iterator[tuple[str, list[Offered]]]:
    kinds = order_kinds(world.ruleset)

    def stands(key: str, slots: Mapping[str, Any]) -> bool:
        """Whether an order stands that is the only one of its file."""
        checker = Checker(at_its_step(world, nation, key), nation, quiet=True)
        order = {"nation": nation, "order": key, "slots": dict(slots), "options": {}, "place": 1}
        understood = checker.understood(order)
        return understood is not None and not list(checker.unfit({1: understood.intent}))

    writer = SheetWriter(world, nation, stands)
    listed = phased_orders(world.ruleset)
    asked = [key for _, key in listed if kinds[key].row.get("offer") is not False]
    legal = legal_at_their_steps(world, nation, asked, LegalSearch(tried=MANY_WAYS, offered=True))
    offered = {key: [e for e in some if e.open or writer.is_offered(e)] for key, some in legal.items()}
    entries = {key: some for key, some in offered.items() if some}
    # those who simply go on are listed before other orders ask for the same units
    first = sorted(entries, key=lambda key: not kinds[key].row.get("bare"))
    lines = {key: list(kinds[key].sheet_lines(writer, entries[key])) for key in first}
    titles: dict[str, list[Offered]] = {}
    for title, key in listed:
        titles.setdefault(title, []).extend(lines.pop(key, ()))
    yield from ((title, some) for title, some in titles.items() if some)
