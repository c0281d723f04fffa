"""`wteaw import`: what other programs have.

Recorded games are replayed and become games of ours, game files become rulesets.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from wteaw.cli import ExitCode, Stop, command_group, of_os_error
from wteaw.cli.game import GAME, open_game, read_scenario
from wteaw.cli.terminal import Working, each

app = command_group(no_args_is_help=True)

__all__ = ["app", "export"]


@app.callback()
def takes() -> None:
    """Take over what other programs have: a recorded game is replayed, a game file becomes a ruleset."""


@app.command()
def dpjson(
    record: Path = typer.Argument(
        ...,
        help="The record: JSON phases (one object, or one a line), JSON of webDiplomacy, text of godip "
        "(games, test cases).",
    ),
    game: Path = typer.Option(None, "--game", help="Leave the replayed game in this folder."),
    scenario: str = typer.Option(
        "", "--scenario", help="The scenario it begins from; by default the one that the rules name."
    ),
    refused: bool = typer.Option(False, "--refused", help="List the orders that were refused, and why."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Replay a record of a game phase by phase.

    The first difference is reported, and the command ends with 1.

    Example: wteaw import dpjson record.json --game games/record
    """
    from wteaw.play.begin import new_game_from

    from .dpjson import ROW, InFolder, RecordError, Replayed, ReplayTarget, replay
    from .record_forms import read_records

    try:
        text = record.read_text(encoding="utf-8")
        data, ruleset, folder = read_scenario(scenario or _scenario_for(ROW))
        found = read_records(text, ruleset)
    except OSError as error:
        raise Stop(f"{record} cannot be read: {error.strerror}", of_os_error(error)) from None
    except (RecordError, UnicodeDecodeError) as error:
        raise Stop(f"{record}: {error}", ExitCode.FOUND) from None
    if game is not None and len(found) > 1:
        raise Stop(f"{record} holds {len(found)} games; --game takes one", ExitCode.CALL)
    results: list[Replayed] = []
    for one in each(found, "games"):

        def table_of(state: Any) -> ReplayTarget:
            return InFolder(new_game_from(game, data, ruleset, state, folder))

        try:
            results.append(replay(ruleset, one, data, table_of if game is not None else None))
        except RecordError as error:
            if len(found) == 1:
                raise Stop(f"{record}: {error}", ExitCode.FOUND) from None
            results.append(Replayed(str(one.get("id", "")), fault=str(error)))
    if format == "json":
        typer.echo(json.dumps([_as_json(r) for r in results], indent=2, ensure_ascii=False))
    else:
        for result in results:
            _print(result, refused)
        if len(results) > 1:
            agree = sum(r.difference is None and not r.fault for r in results)
            typer.echo(f"{agree} of {len(results)} agree.")
        if game is not None:
            typer.echo(f"The game is in {game}.")
    if any(r.difference is not None or r.fault for r in results):
        raise typer.Exit(ExitCode.FOUND)


def export(
    game: Path = GAME,
    out: Path = typer.Option(None, "--out", help="Write it there, not on the screen."),
    form: str = typer.Option("phases", "--as", help="phases (JSON) or positions (text, as godip's)."),
    format: str = typer.Option(
        "text", help="How the end is told where the record goes to a file: text or json."
    ),
) -> None:
    """Write a game as a record: JSON phases, which the Python package `diplomacy` reads, or text of positions
    and orders, as godip reads. `wteaw import dpjson` reads both.

    Example: wteaw export --game games/spring --out spring.json
    """
    if form not in ("phases", "positions"):
        raise Stop(f"--as is phases or positions, not {form!r}", ExitCode.CALL)
    from wteaw.core.whole_files import write_whole

    from .dpjson import RecordError
    from .record_forms import written, written_as_text

    opened = open_game(game)
    try:
        if form == "positions":
            text = written_as_text(opened, opened.ruleset)
        else:
            text = json.dumps(written(opened, opened.ruleset), ensure_ascii=False) + "\n"
    except RecordError as error:
        raise Stop(str(error), ExitCode.CALL) from None
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        write_whole(out, text.encode())
    except OSError as error:
        raise Stop(f"{out} cannot be written: {error.strerror}", of_os_error(error)) from None
    typer.echo(json.dumps({"file": str(out)}) if format == "json" else f"{out}")


@app.command()
def triplea(
    file: Path = typer.Argument(..., help="The game file: XML with the root element <game>."),
    out: Path = typer.Option(..., "--out", help="The folder of the new ruleset."),
    force: bool = typer.Option(False, "--force", help="Replace a ruleset that is in the folder already."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Turn a TripleA game file into a ruleset with a map.

    A scenario comes with it. What could not be translated is listed at file:line. Positions are read from
    centers.txt, polygons.txt and map.properties beside the file or one folder above it.

    Example: wteaw import triplea games/my_map.xml --out my-map
    """
    from wteaw.core.collector import collect_rarely
    from wteaw.play.new_folder import FolderError
    from wteaw.report.wording import counted

    from .triplea.document import GameFileError
    from .triplea.folder import LEFT_OUT, import_game

    collect_rarely()
    try:
        with Working("translating"):
            made = import_game(file, out, force=force)
    except GameFileError as error:
        raise Stop(str(error), ExitCode.FOUND if file.exists() else ExitCode.CALL) from None
    except FolderError as error:
        raise Stop(str(error)) from None
    if format == "json":
        found = {
            "title": made.title,
            "folder": str(made.folder),
            "scenario": str(made.scenario),
            "rows": made.counts,
            "positions": made.drawn_from,
            "not_translated": made.left,
            "grades": made.grades,
            "share": round(made.share, 4),
        }
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    named = {
        "places": "place",
        "links": "link",
        "nations": "nation",
        "units": "kind of unit",
        "production": "thing to buy",
        "events": "event",
    }
    several = {"units": "kinds of units", "production": "things to buy"}
    said = ", ".join(counted(made.counts.get(form, 0), one, several.get(form)) for form, one in named.items())
    typer.echo(f"{made.title}: {said}; positions from {made.drawn_from}.")
    typer.echo(f"{100 * made.share:.1f} % of what the file says plays as in its own program.")
    if made.left:
        graded = ", ".join(f"{n} {grade}" for grade, n in made.grades.items() if n)
        typer.echo(f"{counted(len(made.left), 'thing')} could not be translated ({graded}): {out / LEFT_OUT}")
    typer.echo(f"wteaw validate --strict {made.folder}")
    typer.echo(
        f"wteaw play {made.scenario} --turns 2 --out {made.folder.with_name(made.folder.name + '-played')}"
    )


def _scenario_for(row: str) -> str:
    """The scenario named by the first shipped ruleset that plays records of a kind."""
    from wteaw.core.package_data import rulesets
    from wteaw.ruleset import load_ruleset
    from wteaw.ruleset.folder import find_rulesets

    for folder in find_rulesets(rulesets()):
        ruleset, _ = load_ruleset(folder)
        found = ruleset.rows("imports").get(row) if ruleset is not None else None
        if found is not None:
            return str(found["scenario"])
    raise Stop("no shipped ruleset plays such records; name a scenario with --scenario", ExitCode.CALL)


def _print(result: Any, refused: bool) -> None:
    name = f"{result.id}: " if result.id else ""
    if result.fault:
        typer.echo(f"{name}{result.fault}")
        return
    typer.echo(
        f"{name}{result.phases} phases agree, {result.orders} orders, {len(result.refused)} of them refused."
    )
    for line in result.refused if refused else ():
        typer.echo(f"  {line}")
    if result.difference is not None:
        typer.echo(f"First difference: {result.difference}")


def _as_json(result: Any) -> dict[str, Any]:
    difference = result.difference
    return {
        "id": result.id, "phases": result.phases, "orders": result.orders, "refused": result.refused,
        "difference": None if difference is None else vars(difference), "fault": result.fault,
    }  # fmt: skip
