"""The rulebook as one HTML page: contents beside the text on a screen, chapters on new pages on paper."""

from __future__ import annotations

import html
import re

__all__ = ["page"]

STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 1rem/1.5 Charter, 'Times New Roman', serif; margin: 0 auto; max-width: 46rem; padding: 1rem; }
nav { font-family: system-ui, sans-serif; font-size: .9rem; border: 1px solid var(--line); padding: .5rem 1rem; }
nav ol { padding-left: 1.4rem; margin: .3rem 0; columns: 2; }
h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; } h4 { margin-bottom: .2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; max-width: 100%; font-size: .88rem; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
code { font-size: .85em; overflow-wrap: anywhere; } code a { color: inherit; text-decoration-style: dotted; }
em { font-size: .8rem; opacity: .75; font-style: normal; }
@media (max-width: 30rem) { nav ol { columns: 1; } }
@media print { h2 { break-before: page; } body { max-width: none; font-size: 10pt; } h4 { break-after: avoid; } }
"""


_TERM = re.compile(r"<tr>\n<td>(\w+)</td>\n<td>[^<]*</td>\n<td>([^<]*)</td>")


def _linked(body: str) -> str:
    """Every term that an expression names leads to its line in the table of terms, and says at a touch what it means."""
    head, mark, terms = body.partition('<h2 id="terms">')
    meanings = dict(_TERM.findall(terms.partition("<h2")[0]))
    if not meanings:
        return body
    names = (re.escape(name).replace("_", "[_ ]") for name in sorted(meanings, key=len, reverse=True))
    word = re.compile(rf"\b(?:{'|'.join(names)})\b")

    def link(found: re.Match[str]) -> str:
        name = found[0].replace(" ", "_")
        says = f' title="{html.escape(html.unescape(meanings[name]))}"' if meanings[name] else ""
        return f'<a href="#term-{name}"{says}>{found[0]}</a>'

    terms = _TERM.sub(lambda m: m[0].replace("<tr>", f'<tr id="term-{m[1]}">', 1), terms)
    return re.sub(r"(?<=<code>)[^<]+", lambda m: word.sub(link, m[0]), head + mark + terms)


def page(markdown: str) -> str:
    """One self-contained page, with a contents that leads to the chapters."""
    from markdown_it import MarkdownIt  # only this form of the book needs it

    chapters: list[tuple[str, str]] = []

    def anchored(found: re.Match[str]) -> str:
        name = re.sub(r"<[^>]+>", "", found[1])
        anchor = re.sub(r"[^a-z0-9]+", "-", html.unescape(name).lower()).strip("-")
        chapters.append((anchor, name))
        return f'<h2 id="{anchor}">{found[1]}</h2>'

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = re.sub(r"<h2>(.*?)</h2>", anchored, body)
    body = _linked(body)
    title = html.escape(markdown.splitlines()[0].removeprefix("# "))
    contents = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name in chapters)
    top, rest = body.split("</h1>", 1)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f'<body>{top}</h1><nav aria-label="Contents"><strong>Contents</strong><ol>{contents}</ol></nav>{rest}</body></html>\n'
    )
