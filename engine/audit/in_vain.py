"""In vain: whoever is refused pays nothing, and whoever pays is told of something.

An entry that says that an order was not carried out, or that a rule was void, may change nothing but the
books of orders themselves. What is paid for must have an effect, a throw, or a fact of its own.
"""

from __future__ import annotations

from ..core.journal import Entry
from ..core.state import State
from .book import Book
from .played import RecordedGame, rows_changed

BOOKS = frozenset({"orders", "uses", "answers", "verdicts", "game"})
"""Tables that count and keep orders."""


def in_vain(played: RecordedGame, book: Book) -> None:
    """Every entry that refuses something, every one that takes something from a treasury, and orders that
    stay open.
    """
    for entry, state in played.moments():
        tables = {c[0] for c in entry.changes}
        whose = entry.subject.partition(":")[0]
        if "refused" in entry.data:
            book.check(
                tables <= BOOKS,
                entry,
                whose,
                f"what changes by an order that is refused ({entry.data['refused']})",
                "nothing",
                ", ".join(sorted(tables - BOOKS)),
            )
        elif "void" in entry.data:
            paid = sorted(_paid(entry, state))
            book.check(
                not paid,
                entry,
                whose,
                f"what is paid for what cannot be done ({entry.data['void']})",
                "nothing",
                ", ".join(paid),
            )
        elif (
            entry.rule.startswith(("actions/", "orders/", "production/"))
            and "treasuries" in tables
            and _paid(entry, state)
        ):
            other = tables - BOOKS - {"treasuries"}
            happened = (
                bool(entry.dice)
                or any(f.word not in ("paid", "acted") for f in entry.facts)
                or bool(entry.happened)
            )
            handed = any(f.word == "paid" and f.roles.get("of") for f in entry.facts)
            book.check(
                bool(other) or happened or handed,
                entry,
                whose,
                "what came of what was paid",
                "something",
                "nothing",
            )


def _paid(entry: Entry, state: State) -> list[str]:
    """What an entry takes from treasuries, on the whole."""
    out: dict[str, int] = {}
    for _, before, after in rows_changed(entry, state, "treasuries"):
        for what in {*before, *after}:
            out[what] = out.get(what, 0) + (after.get(what, 0) or 0) - (before.get(what, 0) or 0)
    return [f"{-by} {what}" for what, by in out.items() if by < 0]
