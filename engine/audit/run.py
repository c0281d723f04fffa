"""All auditors by name, and one that asks them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .battles import battles, dice
from .book import Book
from .played import Played
from .purses import purses
from .shares import shares
from .units import units

Auditor = Callable[[Played, Book], None]

AUDITORS: dict[str, tuple[str, Auditor]] = {
    "units": ("Are units conserved: does every appearance, loss and change of owner have its entry?", units),
    "purses": ("Is every change of a stock explained, and of the right amount?", purses),
    "dice": ("Does every die lie within its faces, and is a hit what was needed?", dice),
    "battles": ("Do values, hits and losses of every battle follow from its dice and its rows?", battles),
    "shares": ("Are losses of allies shared by the worth of their units, where the rows say so?", shares),
}
"""Name -> the question, and who answers it."""


def audit(played: Played, names: Iterable[str] = ()) -> list[Book]:
    """The books of the auditors of these names (none: of all), in the order of the table. KeyError for a name that is none."""
    chosen = list(names) or list(AUDITORS)
    books = []
    for name in chosen:
        book = Book(name, played.ruleset)
        AUDITORS[name][1](played, book)
        books.append(book)
    return books
