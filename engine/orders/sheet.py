"""What a nation's order sheet offers: of everything that it may order what makes sense now, line by line.

A row says with `offer` when it makes sense; what it does not offer stands in the reference. Each kind of
order writes its own lines (`kinds/`). `?` in a line is the player's to fill in, from the choices beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.words import joined
from ..world.world import World
from .check import Checker
from .kinds import order_kinds
from .legal import legal_at_their_steps, phased_orders
from .legal_entry import LegalSearch
from .lookahead import at_its_step
from .sheet_by_slot import MANY_WAYS
from .sheet_desk import SheetDesk
from .sheet_line import BLANK, Offered


def offers_of(world: World, nation: str) -> list[tuple[str, list[Offered]]]:
    """The phases of the turn by name with what a nation is offered in each. `world` is the nation's view."""
    offered: list[tuple[str, list[Offered]]] = world.keep(
        ("offers", nation), None, lambda: list(_offers(world, nation))
    )
    return offered


def filled_in(world: World, nation: str, line: str) -> Iterator[str]:
    """A line of the order sheet in which something is still to be chosen, with each of the choices; its
    numbers may be others."""
    for _, offered in offers_of(world, nation):
        for one in offered:
            if _without_numbers(one.text) == _without_numbers(line):
                for _, some in one.choices:
                    yield from (line.replace(BLANK, name) for name, _ in some)


def _without_numbers(text: str) -> str:
    return joined(re.sub(r"\d+", "", text))


def _offers(world: World, nation: str) -> Iterator[tuple[str, list[Offered]]]:
    kinds = order_kinds(world.ruleset)

    def stands(key: str, slots: Mapping[str, Any]) -> bool:
        """Whether an order stands that is the only one of its file."""
        checker = Checker(at_its_step(world, nation, key), nation, quiet=True)
        order = {"nation": nation, "order": key, "slots": dict(slots), "options": {}, "place": 1}
        understood = checker.understood(order)
        return understood is not None and not list(checker.unfit({1: understood.intent}))

    desk = SheetDesk(world, nation, stands)
    listed = phased_orders(world.ruleset)
    asked = [key for _, key in listed if kinds[key].row.get("offer") is not False]
    legal = legal_at_their_steps(world, nation, asked, LegalSearch(tried=MANY_WAYS, offered=True))
    offered = {key: [e for e in some if e.open or desk.is_offered(e)] for key, some in legal.items()}
    entries = {key: some for key, some in offered.items() if some}
    # whoever goes on without more ado is listed before other orders ask for the same units
    first = sorted(entries, key=lambda key: not kinds[key].row.get("bare"))
    lines = {key: list(kinds[key].sheet_lines(desk, entries[key])) for key in first}
    titles: dict[str, list[Offered]] = {}
    for title, key in listed:
        titles.setdefault(title, []).extend(lines.pop(key, ()))
    yield from ((title, some) for title, some in titles.items() if some)
