"""`wteaw rulebook`: a readable rulebook made from the tables."""

from __future__ import annotations

from pathlib import Path

import typer

from . import Stop, formats, tell

__all__ = ["rulebook"]


def rulebook(
    path: Path = typer.Argument(None, help="The folder of a ruleset; by default the shipped base ruleset."),
    out: Path = typer.Option(None, help="A file; otherwise it is printed."),
    graph: bool = typer.Option(False, "--graph", help="A picture (SVG) of what the events read instead."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Write the rules as a reader wants them, in Markdown: turn, units, orders, acts, battles, events, tables, readings.

    Example: wteaw rulebook ruleset --out rulebook.md
    """
    from ..core.diagnostics import render
    from ..core.package_data import rulesets
    from ..game.report.graph import dependency_svg
    from ..game.report.rulebook import rulebook as written
    from ..ruleset import load_ruleset

    formats(format, "text", "json")
    folder = path or rulesets()
    if not folder.is_dir():
        raise Stop(f"{folder} is no folder", 2)
    ruleset, found = load_ruleset(folder)
    if ruleset is None:
        raise Stop(f"{folder} cannot be read\n{render(found, 'text')}")
    text = dependency_svg(ruleset) if graph else written(ruleset)
    if format == "json":
        tell(format, {"ruleset": ruleset.id, "title": ruleset.title, "svg" if graph else "markdown": text})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        typer.echo(f"{len(text.splitlines())} lines in {out}")
