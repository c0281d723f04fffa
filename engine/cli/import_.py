"""`wteaw import`: recorded games of other programs, replayed under a ruleset of ours and turned into games of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from . import Stop
from .game import read_scenario

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, no_args_is_help=True)

__all__ = ["app"]


@app.callback()
def formats() -> None:
    """Replay a recorded game and leave a game of ours."""


@app.command()
def dpjson(
    record: Path = typer.Argument(..., help="The record: one JSON object of phases, or one a line."),
    game: Path = typer.Option(None, "--game", help="Leave the replayed game in this folder."),
    scenario: str = typer.Option("", "--scenario", help="The scenario it begins from; by default the one that the rules name."),
    refused: bool = typer.Option(False, "--refused", help="List the orders that were refused, and why."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Replay a record phase by phase; the first difference is told, and the command ends with 1.

    Example: wteaw import dpjson record.json --game games/record
    """
    from ..game.importers.dpjson import ROW, InFolder, RecordError, Replayed, Table, records, replay
    from ..game.moderation import new_game_from
    from ..game.store import StoreError

    try:
        found = records(record.read_text(encoding="utf-8"))
    except OSError as error:
        raise Stop(f"{record} cannot be read: {error.strerror}", 2) from None
    except (RecordError, UnicodeDecodeError) as error:
        raise Stop(f"{record}: {error}") from None
    if game is not None and len(found) > 1:
        raise Stop(f"{record} holds {len(found)} games; --game takes one", 2)
    data, ruleset, folder = read_scenario(scenario or _scenario_for(ROW))
    results: list[Replayed] = []
    for each in found:

        def table_of(state: Any) -> Table:
            return InFolder(new_game_from(game, data, ruleset, state, folder))

        try:
            results.append(replay(ruleset, each, data, table_of if game is not None else None))
        except (RecordError, StoreError) as error:
            raise Stop(f"{record}: {error}") from None
    if format == "json":
        typer.echo(json.dumps([_as_json(r) for r in results], indent=2, ensure_ascii=False))
    else:
        for result in results:
            _print(result, refused)
        if game is not None:
            typer.echo(f"The game is in {game}.")
    if any(r.difference is not None for r in results):
        raise typer.Exit(1)


def _scenario_for(row: str) -> str:
    """The scenario named by the first shipped ruleset that plays records of a kind."""
    from ..core.package_data import rulesets
    from ..ruleset import load_ruleset
    from ..ruleset.folder import find_rulesets

    for folder in find_rulesets(rulesets()):
        ruleset, _ = load_ruleset(folder)
        found = ruleset.rows("imports").get(row) if ruleset is not None else None
        if found is not None:
            return str(found["scenario"])
    raise Stop("no shipped ruleset plays such records; name a scenario with --scenario", 2)


def _print(result: Any, refused: bool) -> None:
    name = f"{result.id}: " if result.id else ""
    typer.echo(f"{name}{result.phases} phases agree, {result.orders} orders, {len(result.refused)} of them refused.")
    for line in result.refused if refused else ():
        typer.echo(f"  {line}")
    if result.difference is not None:
        typer.echo(f"First difference: {result.difference}")


def _as_json(result: Any) -> dict[str, Any]:
    difference = result.difference
    return {
        "id": result.id, "phases": result.phases, "orders": result.orders, "refused": result.refused,
        "difference": None if difference is None else vars(difference),
    }  # fmt: skip
