"""Reports as text for e-mail and as one self-contained HTML file, both from the same blocks.

All text is escaped in HTML: rulesets and orders are untrusted.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from .build import NewsLine, Report
from .document import Block, Bullets, Para, Picture, ReportPart, Table
from .map import PageMap

WIDTH = 72
MOST_OF_RULE = 120
"""Lines of one rule in the log of a page; of more the first are shown."""
MORE_OF_RULE = "More of this kind ({}): the report with every die has everything."

EVERY_DIE = "Every die that you may see: ask your moderator."
EVERY_DIE_AND_KEYS = "Every die that you may see, and the keys that check them: ask your moderator."
"""Where a player gets what a report leaves out."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__ or "wteaw.report"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def as_text(report: Report, *, dice: bool = False) -> str:
    """The report as plain text; `dice` adds every entry in its order with all dice."""
    head = f"{report.game}: {report.name}"
    began = "The game begins" if not report.turn else f"Report on turn {report.turn}"
    out = [
        head,
        began + ("" if not report.turn or report.when == f"turn {report.turn}" else f", {report.when}"),
    ]
    if report.ended:
        out[-1] += ". The game has ended."
    out.append("=" * min(WIDTH, max(map(len, out))))
    out += [*(() if report.ended else _folded(report.due)), ""]
    for number, part in enumerate(report.parts, 1):
        out += [*_part(part, number), ""]
    if dice:
        out += [*_log(report), ""]
    opened = any(name.startswith("key of ") for name, _ in report.proof)
    if report.dice:
        out += ["PROOF", *_folded(EVERY_DIE_AND_KEYS if opened else EVERY_DIE)]
    for name, value in report.proof:
        if report.dice and not name.startswith("key of "):
            out += _folded(f"{name}: {value}", "  ")
    if report.template:
        out += ["", "ORDER FORM", report.template.rstrip("\n")]
    return "\n".join(line.rstrip() for line in out) + "\n"


def as_html(report: Report, drawn: PageMap | None = None) -> str:
    """The report as one HTML file with its map inside; nothing is loaded from elsewhere."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            r=report,
            map=drawn,
            style=style() + (map_style(drawn) if drawn else ""),
            script=script(),
            **_tools(report),
        )
    )


def parts_as_text(title: str, lead: str, parts: Sequence[ReportPart]) -> str:
    """Parts under a title as plain text."""
    out = [title, "=" * min(WIDTH, len(title)), *_folded(lead), ""]
    for number, part in enumerate(parts, 1):
        out += [*_part(part, number), ""]
    return "\n".join(line.rstrip() for line in out).rstrip("\n") + "\n"


def parts_as_html(title: str, lead: str, parts: Sequence[ReportPart]) -> str:
    """Parts under a title as one HTML file; nothing is loaded from elsewhere."""
    page = _environment().get_template("page.html.j2")
    kinds = {"kind": lambda b: type(b).__name__, "lines": {}, "counter": lambda b: 0}
    return str(page.render(title=title, lead=lead, parts=parts, style=style(), script=script(), **kinds))


def picture_file(drawn: Picture) -> str:
    """A picture of a part as a file of its own, in the colors of a report's page."""
    return drawn.svg.replace(">", f"><style><![CDATA[{style()}svg{{color:var(--ink)}}]]></style>", 1)


@cache
def style() -> str:
    """The looks of a report's page."""
    return _file("report.css")


@cache
def script() -> str:
    """What a page does beyond its text: tables that sort, a map that moves, lines that open when they are led
    to.
    """
    return _file("report.js")


def map_style(drawn: PageMap) -> str:
    """The looks of a map, and where its sheet goes for each region."""
    where = "".join(
        f"#z{n}:checked~.frame .sheet{{transform:translate({r.x:g}px,{r.y:g}px) scale({r.scale:g})}}"
        f"#z{n}:checked~.zoom [for=z{n}]{{background:var(--link);color:var(--paper)}}"
        f"#z{n}:focus-visible~.zoom [for=z{n}]{{outline:3px solid #c2410c}}"
        for n, r in enumerate(drawn.regions)
    )
    return drawn.style + where


def _file(name: str) -> str:
    return (files(__package__ or "wteaw.report") / "templates" / name).read_text(encoding="utf-8")


def _tools(report: Report) -> dict[str, Any]:
    """What the templates ask: the kind of a block, lines of the log by number (each is shown once), the
    number of a battle.
    """
    battles = {id(b) for p in report.parts for b in p.blocks if isinstance(b, Table) and b.battle}
    numbers: dict[int, int] = {}

    def counter(block: Block) -> int:
        if id(block) not in battles:
            return 0
        return numbers.setdefault(id(block), len(numbers) + 1)

    return {
        "kind": lambda b: type(b).__name__,
        "lines": {line.number: line for section in report.sections for line in section.lines},
        "rest": _rest,
        "counter": counter,
    }


def _rest(
    report: Report, lines: Mapping[int, NewsLine]
) -> Iterator[tuple[str, list[tuple[NewsLine, bool, bool]]]]:
    """The lines of the log that no part has shown, by section; whether each tells its rule, and the rule's
    clauses.

    A rule is told where another went before, its clauses at its first line. Of a rule with very many lines
    the first are shown, and those to which a part leads.
    """
    told: dict[str, int] = {}
    blocks = chain.from_iterable(part.blocks for part in report.parts)
    refs = [ref for block in blocks for ref in getattr(block, "refs", ())]
    led_to = {n for ref in refs for n in (ref if isinstance(ref, tuple) else (ref,))}
    for section in report.sections:
        some: list[tuple[NewsLine, bool, bool]] = []
        before = ""
        for line in section.lines:
            if line.number not in lines:
                continue
            n = told[line.named] = told.get(line.named, 0) + 1
            if n <= MOST_OF_RULE or not line.named or line.number in led_to:
                some.append((line, line.named != before, n == 1))
                before = line.named
            elif n == MOST_OF_RULE + 1:
                some.append((replace(line, text=MORE_OF_RULE.format(line.named), details=()), False, False))
        if some:
            yield section.name, some


def _folded(text: str, indent: str = "", first: str = "") -> list[str]:
    """A paragraph folded to the width of a mail, later lines indented."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _part(part: ReportPart, number: int) -> list[str]:
    return [f"{number} {part.title.upper()}", *part_as_text(part)]


def part_as_text(part: ReportPart) -> list[str]:
    """The lines of a part, without its title."""
    out: list[str] = []
    for before, block in zip((None, *part.blocks), part.blocks, strict=False):
        if before is not None and (_stands_apart(block) or _stands_apart(before)) and not _leads_on(before):
            out.append("")
        out += _block(block)
    return out


def _stands_apart(block: Block) -> bool:
    """Whether an empty line is wanted above and below: tables with a head, if they are told in full."""
    return isinstance(block, Table) and any(block.head) and not block.brief


def _leads_on(block: Block) -> bool:
    """Whether a paragraph is the heading of what follows."""
    return isinstance(block, Para) and (not block.text or block.text.endswith(":"))


def _block(block: Block) -> list[str]:
    if isinstance(block, Para):
        return _folded(": ".join(p for p in (block.lead, block.text) if p), "  " if block.lead else "")
    if isinstance(block, Bullets):
        return [line for item in block.items for line in _folded(item, "    ", "  * ")]
    if isinstance(block, Picture):
        return _folded(f"[picture: {block.caption}]")
    return _folded(block.brief, "    ", "  * ") if block.brief else _table(block)


FIRST, MOST, LEAST, NARROW = 34, 20, 14, 12
"""Widest first column, and widest other column that is not the last; to what both give way; the least for the
last column.
"""


def _table(block: Table) -> list[str]:
    if block.links:
        said = (" ".join(text for text, _ in links) for links in block.links)
        block = replace(
            block, rows=tuple((*row, text) for row, text in zip(block.rows, said, strict=True)), links=()
        )
    used = [i for i in range(len(block.head)) if any(len(r) > i and r[i] for r in block.rows)]
    if not used:
        return [block.head[0]] if block.head[0] else []
    full = block.head
    if block.short and _wide(used, [full, *block.rows]) > WIDTH - 4:
        full = block.short
    # a title that is too long for its column has a line of its own
    over = bool(full[0]) and len(full[0]) > FIRST
    head = ("", *full[1:]) if over else full
    rows = [head, *block.rows] if any(head) else list(block.rows)
    widths = {
        i: min(FIRST if i == used[0] else MOST, max(len(r[i]) for r in rows if len(r) > i)) for i in used
    }
    last = used[-1]
    if last not in block.right and 4 * sum(bool(r[last]) for r in block.rows if len(r) > last) <= len(
        block.rows
    ):
        widths[last] = 0  # what few rows say at their end stands below them if need be
    out = [full[0]] if over else []
    room = WIDTH - sum(widths.values()) - 2 * (len(used) - 1)
    # cells that are folded take what is left of the width, or give
    for i in (i for i in used[:-1] if i not in block.right):
        longest = max(len(r[i]) for r in rows if len(r) > i)
        by = max(0, min(room, longest - widths[i])) if room > 0 else -min(-room, max(0, widths[i] - LEAST))
        widths[i], room = widths[i] + by, room - by
    for row in rows:
        out += _row(row, used, widths, block, is_head=row is head)
    for note in block.notes:
        out += _folded(note, "  ", "  ")
    return out


def _wide(used: Sequence[int], rows: Sequence[Sequence[str]]) -> int:
    """How wide a table would be with every cell in one line; a long last column may be folded."""
    widest = [max(len(r[i]) for r in rows if len(r) > i) for i in used]
    return sum(widest[:-1]) + min(widest[-1], NARROW) + 2 * (len(used) - 1)


def _row(
    row: tuple[str, ...], used: list[int], widths: dict[int, int], block: Table, *, is_head: bool
) -> list[str]:
    """One row: cells in their columns, the last one and such as are too long folded under themselves.

    A last cell for which no room is left stands below; a head needs none there, and is folded where the cells
    have room.
    """
    longest = max((len(r[used[-1]]) for r in block.rows if len(r) > used[-1]), default=0)
    cells: list[tuple[int, list[str]]] = []
    below: list[str] = []
    at = 0
    for i in used:
        text = row[i] if len(row) > i else ""
        if is_head and i == used[-1] and longest <= WIDTH - at < len(text):
            cells.append((at, textwrap.wrap(text, WIDTH - at, break_long_words=False)))
        elif i == used[-1] and i not in block.right and WIDTH - at < min(len(text), NARROW):
            below = [] if is_head else _folded(text, "      ", "    ")
        elif i in block.right:
            cells.append((at, [text.rjust(widths[i])]))
        else:
            room = max(WIDTH - at, NARROW) if i == used[-1] else widths[i]
            cells.append(
                (
                    at,
                    textwrap.wrap(
                        text,
                        room,
                        subsequent_indent="  " if i == used[0] else "",
                        break_on_hyphens=False,
                        break_long_words=False,
                    )
                    or [""],
                )
            )
        at += widths[i] + 2
    lines: list[str] = []
    for n in range(max(len(parts) for _, parts in cells)):
        line = ""
        for at, parts in cells:
            if n < len(parts) and parts[n].strip():
                line = line.ljust(at) + parts[n]
        lines.append(line)
    return lines + below


def _log(report: Report) -> list[str]:
    """Every entry in its order, with its dice."""
    out = ["EVERYTHING IN ITS ORDER, WITH ALL DICE"]
    for section in report.sections:
        out += ["", section.name]
        for line in section.lines:
            out += _folded(line.text, "    ", "  ")
            for detail in line.details:
                out += _folded(detail, "      ", "    ")
    return out
