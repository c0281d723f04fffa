"""`wteaw systems`: which systems of rules there are, in figures."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from wteaw.cli import ExitCode, Stop
from wteaw.cli.terminal import Working
from wteaw.core.package_data import rulesets

__all__ = ["systems"]


def systems(
    path: Path = typer.Argument(None, help="A folder with rulesets (default: the shipped ones)."),
    format: str = typer.Option("text", help="text (a table in Markdown) or json."),
    write: Path = typer.Option(
        None, help="Put the table into this file, between <!-- systems --> and <!-- /systems -->."
    ),
) -> None:
    """Each ruleset with its phases, orders, events, cited clauses, rule tests, and the changes of rows that
    its tests notice.

    The last are what `wteaw mutate RULESET --keep` has measured.

    Example: wteaw systems --write docs/systems.md
    """
    from ..systems import as_markdown, put
    from ..systems import systems as found_in

    top = path or rulesets()
    if not top.is_dir():
        raise Stop(f"{top} is not a folder", ExitCode.CALL)
    try:
        with Working("counting"):
            found = found_in(top)
        if write is not None:
            write.write_text(put(write.read_text(encoding="utf-8"), as_markdown(found)), encoding="utf-8")
    except ValueError as error:
        raise Stop(str(error), ExitCode.FOUND) from None
    if format == "json":
        typer.echo(json.dumps([asdict(s) for s in found], ensure_ascii=False, indent=1))
    else:
        typer.echo(as_markdown(found))
