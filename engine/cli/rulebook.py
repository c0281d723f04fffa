"""`wteaw rulebook`: a readable rulebook made from the tables."""

from __future__ import annotations

from pathlib import Path

import typer

from . import tell
from .terminal import Working


def rulebook(
    path: Path = typer.Argument(None, help="The folder of a ruleset; by default the shipped base ruleset."),
    out: Path = typer.Option(None, help="A file; otherwise it is printed."),
    tests: bool = typer.Option(
        False, "--tests", help="Say of each rule how many rule tests cite its clauses."
    ),
    graph: bool = typer.Option(False, "--graph", help="A picture (SVG) of what the events read instead."),
    format: str = typer.Option(
        "", help="text (Markdown), html or json; by default html for a file so named, else text."
    ),
) -> None:
    """Write the rules as a book for players: the turn, then chapter by chapter in the order of play what the
    rules say, with the orders and figures that go with it; at the end the nations, options and a glossary. As
    Markdown, or as one HTML page for screen and paper.

    Example: wteaw rulebook ruleset --tests --out rulebook.html
    """
    from ..report.graph import dependency_svg
    from ..rulebook import page
    from ..rulebook import rulebook as as_markdown
    from ..testing.cases import CitedBy
    from .show import sound_ruleset

    chosen = format or ("html" if out is not None and out.suffix in (".html", ".htm") else "text")
    folder, ruleset = sound_ruleset(path)
    if graph:
        text = dependency_svg(ruleset)
    else:
        with Working("writing the book"):
            written = page if chosen == "html" else as_markdown
            text = written(ruleset, CitedBy(folder).by_clause() if tests else None)
    if chosen == "json":
        tell(chosen, {"ruleset": ruleset.id, "title": ruleset.title, "svg" if graph else "markdown": text})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        typer.echo(f"{len(text.splitlines())} lines in {out}")
