"""A rulebook as one HTML page, for a screen of any width and for paper: contents first, chapters on new pages
when printed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from .blocks import Block, Chapter, FigureTable, Heading, Listing, Rule, Rulebook, Text
from .text import MARKS

STYLE = """
:root { color-scheme: light dark; --line: #8886; --quiet: #6b6b6b; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a5a5a5; } }
* { box-sizing: border-box; }
body { background: Canvas; color: CanvasText; }
body { font: 1.05rem/1.55 Charter, serif; margin: 0 auto; max-width: 44rem; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 2rem; line-height: 1.15; margin: 1.5rem 0 .5rem; }
h2 { font-size: 1.5rem; margin: 3rem 0 .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.6rem 0 .3rem; }
p { margin: .55rem 0; }
a { color: inherit; }
ul { padding-left: 1.3rem; }
.phase { font: .85rem system-ui, sans-serif; color: var(--quiet); margin: 0 0 1rem; }
.mark { font: .78rem system-ui, sans-serif; white-space: nowrap; }
.mark { border: 1px solid var(--line); border-radius: .6rem; padding: 0 .4rem; }
.why { font-size: .9em; color: var(--quiet); }
.reading {
  margin: .4rem 0 .4rem 1rem; padding-left: .7rem; border-left: 3px solid var(--line); font-size: .95em;
}
.id { font: .75rem system-ui, sans-serif; color: var(--quiet); text-decoration: none; }
.id:hover, .id:focus { text-decoration: underline; }
nav {
  font: .92rem/1.5 system-ui, sans-serif; padding: .6rem 1rem 1rem;
  border: 1px solid var(--line); border-radius: .4rem;
}
nav ol { padding-left: 1.8rem; margin: .3rem 0; columns: 2; column-gap: 2rem; }
nav li { break-inside: avoid; }
nav li a { display: inline-block; min-height: 1.6rem; }
nav small { color: var(--quiet); }
.caption { font: 600 .9rem system-ui, sans-serif; margin: 1.4rem 0 .2rem; }
.notes { font: .82rem/1.4 system-ui, sans-serif; color: var(--quiet); margin: 0 0 1rem; }
.figures { overflow-x: auto; margin: .2rem 0 1rem; }
table { border-collapse: collapse; font: .86rem/1.4 system-ui, sans-serif; }
th, td {
  border-bottom: 1px solid var(--line); padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top;
}
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .92em; overflow-wrap: anywhere; }
@media (max-width: 34rem) {
  body { padding: .5rem .9rem 3rem; font-size: 1rem; }
  h1 { font-size: 1.6rem; }
  nav ol { columns: 1; }
  .figures th:first-child, .figures td:first-child { position: sticky; left: 0; background: Canvas; }
  .written thead { display: none; }
  .written tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .written td { display: block; border: 0; padding: .1rem 0; }
  .written td:first-child { font-weight: 600; }
}
@media print {
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-before: page; margin-top: 0; }
  h2, h3, .caption { break-after: avoid; }
  .rule, tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .figures { overflow: visible; }
  .id { display: none; }
  nav { border: 0; padding: 0; }
  nav a { text-decoration: none; }
}
"""
_PHASE = re.compile(r"Phase \d+(?=:)|\d+(?=\.)")
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+|/\d+)?")


def _prose(text: str) -> str:
    """Text as HTML; what stands in backticks is written word by word."""
    return _CODE.sub(r"<code>\1</code>", html.escape(text))


def as_page(book: Rulebook) -> str:
    """One self-contained page. Ids stand in the links of the small signs alone, as `#CLAUSE`."""
    title = html.escape(book.title)
    body = "".join(line for chapter in book.chapters for line in _chapter(chapter))
    contents = "".join(
        f'<li><a href="#{c.anchor}">{html.escape(c.title)}</a>'
        + (f" <small>{number[0]}</small>" if (number := _PHASE.match(c.phase)) else "")
        + "</li>"
        for c in book.chapters
    )
    about = f"<p>{html.escape(book.description)}</p>" if book.description else ""
    head = (
        f'<meta charset="utf-8"><title>{title}: the rules</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style>'
    )
    nav = f'<nav aria-label="Contents"><strong>Contents</strong><ol>{contents}</ol></nav>'
    return (
        "<!doctype html>\n<html "
        f'lang="en"><head>{head}</head>\n<body><main><h1>{title}</h1>{about}{nav}\n{body}</main></body></html>\n'
    )


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield (
        f'<section aria-labelledby="{chapter.anchor}"><h2 '
        f'id="{chapter.anchor}">{html.escape(chapter.title)}</h2>\n'
    )
    if chapter.told_phase:
        yield f'<p class="phase">{html.escape(chapter.told_phase)}</p>\n'
    for block in chapter.blocks:
        yield from _block(block)
    yield "</section>\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Rule):
        yield f'<p class="rule" id="{block.id}">{_rule(block)}</p>\n'
        for reading in block.readings:
            yield f'<p class="rule reading" id="{reading.id}">{_rule(reading)}</p>\n'
    elif isinstance(block, FigureTable):
        yield _table(block)
    elif isinstance(block, Heading):
        yield f"<h3>{html.escape(block.text)}</h3>\n"
    elif isinstance(block, Listing):
        links = block.links or ("",) * len(block.lines)
        items = (
            f'<a href="#{to}">{html.escape(line)}</a>' if to else html.escape(line)
            for line, to in zip(block.lines, links, strict=True)
        )
        yield f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>\n"
    elif isinstance(block, Text):
        yield f"<p>{_prose(block.text)}</p>\n"


def _rule(rule: Rule) -> str:
    title = rule.title if rule.title[-1:] in ".?!" else f"{rule.title}."
    said = (f"<b>{html.escape(title)}</b> " if rule.title else "") + _prose(rule.text)
    if rule.status in MARKS:
        said += f' <span class="mark">{MARKS[rule.status].removeprefix("a ").removeprefix("an ")}</span>'
    if rule.why:
        said += f' <span class="why">{html.escape(rule.why)}</span>'
    if rule.option:
        said += f' <span class="why">A game may choose: {html.escape(rule.option)}.</span>'
    tests = "" if rule.tests is None else f" {rule.tests} test{'' if rule.tests == 1 else 's'}"
    return (
        f'{said}&nbsp;<a class="id" href="#{rule.id}" title="{rule.id}" aria-label="link to this '
        f'rule">§{tests}</a>'
    )


def _table(table: FigureTable) -> str:
    caption = f'<p class="caption">{html.escape(table.caption)}</p>' if table.caption else ""
    head = "".join(f"<th>{html.escape(h)}</th>" for h in table.head)
    rows = "".join(
        f"<tr>{''.join(_cell(v, n in table.code) for n, v in enumerate(row))}</tr>" for row in table.rows
    )
    kind = ' class="written"' if table.code else ""
    notes = f'<p class="notes">{html.escape("; ".join(table.notes))}.</p>' if table.notes else ""
    return (
        f"{caption}<div "
        f'class="figures"><table{kind}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{notes}\n'
    )


def _cell(value: str, code: bool) -> str:
    if code:
        return f"<td><code>{html.escape(value)}</code></td>"
    number = ' class="n"' if _NUMBER.fullmatch(value) else ""
    return f"<td{number}>{_prose(value)}</td>"
