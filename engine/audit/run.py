"""All auditors by name, and one that asks them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .battles import battles, dice
from .book import Book
from .commands import commands
from .company import company
from .in_vain import in_vain
from .moves import moves
from .played import RecordedGame
from .purchases import purchases
from .purses import purses
from .reports import reports
from .shares import shares
from .tables import tables
from .units import units

Auditor = Callable[[RecordedGame, Book], None]

AUDITORS: dict[str, tuple[str, Auditor]] = {
    "units": ("Are units conserved: does every appearance, loss and change of owner have its entry?", units),
    "purses": ("Is every change of a stock explained, and of the right amount?", purses),
    "dice": ("Does every die lie within its faces, and is a hit what was needed?", dice),
    "battles": ("Do values, hits and losses of every battle follow from its dice and its rows?", battles),
    "shares": ("Are losses of allies shared by the worth of their units, where the rows say so?", shares),
    "moves": ("Is every move over links that there are, within allowance and capacity?", moves),
    "company": ("Does nobody stand beside whom they may not when a turn ends?", company),
    "commands": ("Is every nation with troops commanded by somebody, and obeyed by its own alone?", commands),
    "purchases": ("Is one thing sold once, and is what was paid for there?", purchases),
    "tables": ("Does every cell of a table of events move whom it says by what it says?", tables),
    "reports": ("Is what nations are told so?", reports),
    "in-vain": ("Does nothing cost that was refused, void or without effect?", in_vain),
}
"""Name -> the question, and who answers it."""


def audit(played: RecordedGame, names: Iterable[str] = ()) -> list[Book]:
    """The books of the auditors of these names (none: of all), in the order of the table.

    KeyError for a name that is none.
    """
    chosen = list(names) or list(AUDITORS)
    books = []
    for name in chosen:
        book = Book(name, played.ruleset)
        AUDITORS[name][1](played, book)
        books.append(book)
    return books
