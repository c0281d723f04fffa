"""The rules as a book for players: `rulebook` as Markdown, `page` as one HTML page for screen and paper.

`book` puts the sentences of the register (the table `clauses`) into chapters, `figures` makes the tables
beneath them of the rows, `text` and `page` print it. Without a register, `sections` tells the rows in words
(`phrases`, `spoken`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.model import Ruleset
from .book import book
from .page import as_page
from .text import as_text

__all__ = ["page", "rulebook"]


def rulebook(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> str:
    """The rules as Markdown.

    `tested`: how many rule tests cite each clause; then each rule says so, with its id.
    """
    return as_text(book(ruleset, tested))


def page(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> str:
    """The rules as one self-contained HTML page."""
    return as_page(book(ruleset, tested))
