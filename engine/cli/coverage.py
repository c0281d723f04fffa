"""`wteaw coverage`: which clauses of the rules rows implement and cases test, which rows chapters play, and
what is missing.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from wteaw_lab.mutate_noticed import Noticed, read_noticed

from ..core.diagnostics import render_one
from ..core.package_data import rulesets
from ..testing.coverage import Matrix, Owners, matrix, owners_in
from ..testing.played import Chapters, chapters
from . import ExitCode, Stop
from .terminal import Working

COLUMNS = ("clauses", "cited", "tested", "excepted")
PLAYED = ("rows", "played", "base", "excused", "left")


def coverage(
    paths: list[Path] = typer.Argument(
        None,
        help="Rulesets with their variants and tests; further folders or files of tests (default: the "
        "shipped ruleset).",
    ),
    format: str = typer.Option("text", help="How to show the matrix: text, json."),
    missing: bool = typer.Option(
        False, "--missing", help="List the clauses that lack a row or a test (the rows that are left)."
    ),
    excepted: bool = typer.Option(
        False, "--excepted", help="List the clauses (the rows) that are excepted, each with its reason."
    ),
    played: bool = typer.Option(
        False,
        "--played",
        help="Count the rows that are carried out in the chapters of a ruleset, its tests/played/.",
    ),
    mutated: Path = typer.Option(
        None,
        help="A state file or a report of `wteaw mutate`: list every clause with the changes noticed of "
        "those tried.",
    ),
    no_run: bool = typer.Option(
        False, "--no-run", help="Count the cases that there are, without running them."
    ),
    jobs: int = typer.Option(1, "-j", min=1, help="How many processes share the files of tests."),
) -> None:
    """Clause to row to test: what is implemented, what is tested, what is missing.

    Clauses are those of the register (the table `clauses`); without one, those that are cited. A clause is
    cited if a row names it in its `source`, tested if a case that cites it passes, and excepted if it says
    why no row carries it out (`no_row`). A clause that repeats another (`same_as`) is counted with its owner.

    With `--played`: which rows of a ruleset are carried out at least once in its played chapters, which are
    rule tests that play whole turns from a scenario, and which are left. What an overlay takes over as it is
    counts where its base plays it.

    Example: wteaw coverage ruleset --missing
    """
    for path in [*(paths or []), *([mutated] if mutated else [])]:
        if not path.exists():
            raise Stop(f"{path} does not exist", ExitCode.CALL)
    if played:
        _chapters(paths or [rulesets()], format, missing=missing, excepted=excepted, jobs=jobs)
        return
    with Working("running rule tests"):
        found = matrix(paths or [rulesets()], run=not no_run, jobs=jobs)
    noticed = _noticed(mutated, paths or [rulesets()])
    if format == "json":
        out: dict[str, object] = {"files": found.files()}
        if noticed is not None:
            out["clauses"] = {
                id_: {"rows": len(e.rows), "tests": len(e.tests), **noticed[id_].to_json()}
                for id_, e in found.clauses.items()
            }
        typer.echo(json.dumps(out, ensure_ascii=False, indent=1))
    else:
        typer.echo("\n".join(_table(found)))
        if noticed is not None:
            typer.echo("\n".join(_by_clause(found, noticed)))
        if missing:
            typer.echo("\n".join(_missing(found)))
        if excepted:
            typer.echo(
                "\n".join(
                    f"{e.file}: {id_}: excepted: {e.reason}" for id_, e in found.clauses.items() if e.reason
                )
            )
    for wrong in found.found:
        typer.echo(render_one(wrong), err=True)
    if found.found:
        raise typer.Exit(ExitCode.FOUND)


def _chapters(paths: list[Path], format: str, *, missing: bool, excepted: bool, jobs: int) -> None:
    """What the chapters of each ruleset play, one table for each."""
    with Working("playing chapters"):
        all_found = [chapters(path, jobs=jobs) for path in paths]
    if format == "json":
        told = [
            {"title": f.title, "forms": {form: asdict(count) for form, count in f.forms.items()}, "by": f.by}
            for f in all_found
        ]
        typer.echo(json.dumps({"rulesets": told}, ensure_ascii=False, indent=1))
    else:
        for found in all_found:
            typer.echo("\n".join(_played(found)))
            if missing:
                typer.echo("\n".join(f"left: {key}" for count in found.forms.values() for key in count.left))
            if excepted:
                reasons = [item for count in found.forms.values() for item in count.excused.items()]
                typer.echo("\n".join(f"excused: {key}: {reason}" for key, reason in reasons))
    wrong = [d for f in all_found for d in f.found]
    for one in wrong:
        typer.echo(render_one(one), err=True)
    if wrong:
        raise typer.Exit(ExitCode.FOUND)


def _played(found: Chapters) -> list[str]:
    width = max([len(form) for form in found.forms] + [len(found.title), 8])
    rows = {
        form: (c.rows, len(c.played), len(c.base), len(c.excused), len(c.left))
        for form, c in found.forms.items()
    }
    total = [sum(column) for column in zip(*rows.values(), strict=True)] or [0] * len(PLAYED)
    lines = [f"{found.title:{width}}" + "".join(f"{word:>9}" for word in PLAYED)]
    lines += [f"{form:{width}}" + "".join(f"{n:>9}" for n in row) for form, row in rows.items()]
    return [*lines, f"{'all':{width}}" + "".join(f"{n:>9}" for n in total)]


def _table(found: Matrix) -> list[str]:
    files = found.files()
    total = {c: sum(row[c] for row in files.values()) for c in COLUMNS}
    total["missing"] = sum(len(row["missing"]) for row in files.values())
    width = max([len(name) for name in files] + [8])
    lines = [f"{'clauses of':{width}}" + "".join(f"{c:>10}" for c in (*COLUMNS, "missing"))]
    for name, row in files.items():
        lines.append(
            f"{name:{width}}" + "".join(f"{row[c]:>10}" for c in COLUMNS) + f"{len(row['missing']):>10}"
        )
    lines.append(f"{'all':{width}}" + "".join(f"{total[c]:>10}" for c in (*COLUMNS, "missing")))
    return lines


def _noticed(file: Path | None, paths: list[Path]) -> Noticed | None:
    if file is None:
        return None
    try:
        return read_noticed(
            file, Owners({id_: row for path in paths for id_, row in owners_in(path).rows.items()})
        )
    except ValueError as error:
        raise Stop(f"{file}: {error}", ExitCode.FOUND) from None


def _by_clause(found: Matrix, noticed: Noticed) -> list[str]:
    width = max([len(id_) for id_ in found.clauses] + [8])
    lines = [f"{'clause':{width}}{'rows':>6}{'tests':>7}  changes noticed"]
    for id_, entry in found.clauses.items():
        lines.append(f"{id_:{width}}{len(entry.rows):>6}{len(entry.tests):>7}  {noticed[id_]}")
    return lines


def _missing(found: Matrix) -> list[str]:
    lines = []
    for id_, entry in found.clauses.items():
        if entry.missing:
            lacks = [word for word, there in (("row", entry.rows), ("test", entry.tests)) if not there]
            lines.append(f"{entry.file}: {id_}: no {' and no '.join(lacks)}")
    for id_, who in sorted(found.unknown.items()):
        lines.append(f"not registered: {id_}, cited by {', '.join(who)}")
    return lines
