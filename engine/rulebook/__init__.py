"""The rules as a book, made from the rows: `book` orders the chapters, `sections` writes rows, `phrases` puts them into words,
`page` makes one HTML page for screen and paper.

Nothing is written by hand, so the book is never behind the rules.
"""

from .book import rulebook
from .page import page

__all__ = ["page", "rulebook"]
