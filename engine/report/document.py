"""What a report is made of: parts with a title, and in them paragraphs, lists, tables and pictures.

Text and HTML print the same blocks.

`refs` of a block name the journal entries (by their number) that a line was made from; a report turns them
into the numbers of its own log, since how many entries somebody may not read lie between is nobody's business
(`linked`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

Refs = tuple[int, ...]


@dataclass(frozen=True)
class Para:
    """A paragraph. `lead`: words that stand out before it."""

    text: str
    lead: str = ""
    refs: Refs = ()


@dataclass(frozen=True)
class Bullets:
    """A list of sentences; `refs`: of each of them, or none at all."""

    items: tuple[str, ...]
    refs: tuple[Refs, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head. `right` names the columns with figures; the last column may be long, and is
    folded.

    `short`: the head where there is no room for it. `refs`: of each row, or none at all. `log`: entries that
    tell the whole of it, such as the rounds of a battle. `battle`: it tells of one. `links`: of each row,
    what it leads to, as text and address; the last word of the head is theirs. `anchors`: the name of each
    row, by which others lead to it. `brief`: the sentence that plain text has in its place, where it is of
    little weight.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    refs: tuple[Refs, ...] = ()
    log: Refs = ()
    battle: bool = False
    links: tuple[tuple[tuple[str, str], ...], ...] = ()
    anchors: tuple[str, ...] = ()
    brief: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture as SVG, for pages; in plain text its `caption` stands for it."""

    svg: str
    caption: str


Block = Para | Bullets | Table | Picture


@dataclass(frozen=True)
class ReportPart:
    """One question that a report answers."""

    title: str
    blocks: tuple[Block, ...] = field(default=())


def linked(parts: Sequence[ReportPart], numbers: Mapping[int, int]) -> tuple[ReportPart, ...]:
    """The parts with references to lines of the report's log:

    `numbers` says which line an entry has; others lead nowhere.
    """

    def line(refs: Refs) -> Refs:
        return tuple(dict.fromkeys(numbers[n] for n in refs if n in numbers))

    def block(one: Block) -> Block:
        if isinstance(one, Picture):
            return one
        if isinstance(one, Para):
            return replace(one, refs=line(one.refs))
        refs = tuple(map(line, one.refs)) if any(map(line, one.refs)) else ()
        return (
            replace(one, refs=refs, log=line(one.log)) if isinstance(one, Table) else replace(one, refs=refs)
        )

    return tuple(replace(part, blocks=tuple(map(block, part.blocks))) for part in parts)


def bullets(lines: Sequence[tuple[str, Refs]]) -> Bullets:
    """A list of sentences, each with the entries behind it."""
    return Bullets(tuple(text for text, _ in lines), tuple(refs for _, refs in lines))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    notes: Sequence[str] = (),
    refs: Sequence[Refs] = (),
) -> Table:
    """A table whose columns of figures are found by what stands in them."""

    def figures(column: int) -> bool:
        cells = [r[column] for r in rows if len(r) > column and r[column] not in ("", "-")]
        return bool(cells) and all(c.lstrip("+-").replace(".", "").replace("/", "").isdigit() for c in cells)

    right = tuple(
        i for i in range(1, len(head)) if figures(i) or all(r[i] in ("", "-") for r in rows if len(r) > i)
    )
    return Table(tuple(head), tuple(tuple(r) for r in rows), right, tuple(notes), refs=tuple(refs))
