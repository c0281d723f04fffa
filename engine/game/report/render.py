"""Reports as text for e-mail and as one self-contained HTML file.

All text is escaped in HTML: rulesets and orders are untrusted.
"""

from __future__ import annotations

import textwrap
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from .build import Report

WIDTH = 88


@cache
def _environment(html: bool) -> Environment:
    found = Environment(
        loader=PackageLoader(__package__ or "wteaw.game.report"),
        autoescape=select_autoescape(["html.j2"]) if html else False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["fold"] = fold
    return found


def fold(text: str, indent: int) -> str:
    """A paragraph folded to the width of a mail, later lines indented."""
    return ("\n" + " " * indent).join(textwrap.wrap(text, WIDTH - indent, break_long_words=False) or [""])


def as_text(report: Report) -> str:
    """The report as plain text."""
    return _environment(False).get_template("report.txt.j2").render(r=report)


def as_html(report: Report, map_svg: str = "") -> str:
    """The report as one HTML file with its map inside; nothing is loaded from elsewhere."""
    return _environment(True).get_template("report.html.j2").render(r=report, map=map_svg)
