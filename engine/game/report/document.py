"""What a report is made of: parts with a title, and in them paragraphs, lists and tables. Text and HTML print the same blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Para:
    """A paragraph. `lead`: words that stand out before it."""

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head. `right` names the columns with figures; the last column may be long, and is folded."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


Block = Para | Bullets | Table


@dataclass(frozen=True)
class Part:
    """One question that a report answers."""

    title: str
    blocks: tuple[Block, ...] = field(default=())


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, notes: Sequence[str] = ()) -> Table:
    """A table whose columns of figures are found by what stands in them."""

    def figures(column: int) -> bool:
        cells = [r[column] for r in rows if len(r) > column and r[column] not in ("", "-")]
        return bool(cells) and all(c.lstrip("+-").replace(".", "").replace("/", "").isdigit() for c in cells)

    right = tuple(i for i in range(1, len(head)) if figures(i) or all(r[i] in ("", "-") for r in rows if len(r) > i))
    return Table(tuple(head), tuple(tuple(r) for r in rows), right, tuple(notes))
