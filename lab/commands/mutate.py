"""`wteaw mutate`: which changes of the rules no rule test would notice."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import typer

from wteaw.cli import ExitCode, Stop
from wteaw.cli.terminal import Working
from wteaw.core.package_data import rulesets
from wteaw.ruleset.folder import MANIFEST
from wteaw.testing.coverage import owners_in

from ..mutate import BenchError, MutationBench, MutationVerdict
from ..mutate_run import MutationRun, chosen, default_state, tried
from ..systems import keep as keep_measured

__all__ = ["mutate"]

SECONDS_BETWEEN_LINES = 15.0


def mutate(
    path: Path = typer.Argument(
        None,
        help="A ruleset with its variants, a file of rows or a folder with such (default: the shipped "
        "ruleset).",
    ),
    sample: int = typer.Option(None, min=1, help="How many changes to draw (default: try all of them)."),
    seed: int = typer.Option(1, help="Which changes are drawn."),
    clause: str = typer.Option("", help="Only changes of rows that cite this clause, or one that begins so."),
    jobs: int = typer.Option(1, "-j", min=1, help="How many processes share the changes."),
    format: str = typer.Option("text", help="How to show the result: text, json."),
    state: Path = typer.Option(
        None,
        help="Where verdicts are kept, to go on later and for `coverage --mutated` (default: in the cache).",
    ),
    fresh: bool = typer.Option(False, "--fresh", help="Forget the verdicts of earlier runs."),
    keep: bool = typer.Option(
        False, "--keep", help="Leave the share beside the tests of the ruleset, for `wteaw systems`."
    ),
) -> None:
    """Change one thing in a row at a time and see whether a rule test notices.

    Numbers, ranges, faces, ids, flags and keys are changed, and the comparisons, numbers, `and`, `or`, `not`
    and ids inside expressions. The cases that cite the row's clauses are run, then others that read the row;
    what nobody notices is listed at file and line. A change that does not validate counts as noticed. One
    that makes no difference is named in `tests/equivalent.yaml`, with the reason.

    Example: wteaw mutate ruleset --sample 200 -j 2
    """
    path = path or rulesets()
    if not path.exists():
        raise Stop(f"{path} does not exist", ExitCode.CALL)
    if keep and not (path / MANIFEST).is_file():
        raise Stop(f"--keep is for a ruleset's folder, and {path} is none", ExitCode.CALL)
    try:
        bench = MutationBench(path, owners_in(path))
    except BenchError as error:
        raise Stop(str(error), ExitCode.FOUND) from None
    changes, others = bench.changes()
    picked = chosen(changes, sample=sample, seed=seed, clause=clause)
    if not picked:
        raise Stop(f"nothing to change: no row at {path} cites {clause or 'a clause'}", ExitCode.CALL)
    file = state or default_state(path)
    if fresh:
        file.unlink(missing_ok=True)
    with Working("changes", len(picked)) as working:
        out = MutationRun(
            tried(bench, picked, jobs=jobs, state=file, progress=_Progress(len(picked), working).tell)
        )
    out.apart.update(change.form for change in others if not clause)
    out.idle_marks = bench.idle_marks([*changes, *others])
    if keep:
        keep_measured(path, sum(v.killed for v in out.verdicts), sum(not v.equivalent for v in out.verdicts))
    if format == "json":
        typer.echo(json.dumps(out.to_json(_from_here), ensure_ascii=False, indent=1))
    else:
        typer.echo("\n".join(_text(out)))


def _text(out: MutationRun) -> list[str]:
    lines = []
    for v in out.survivors:
        nobody = "" if v.cases else "  (no case cites it)"
        lines.append(f"{_from_here(v.change.file)}:{v.change.line}: {v.change.row} {v.change.says}{nobody}")
        lines.append(f"    {', '.join(v.change.clauses)}")
    for v in out.verdicts:
        if v.equivalent:
            lines.append(
                f"{_from_here(v.change.file)}:{v.change.line}: {v.change.row} {v.change.says}: no "
                f"difference: {v.equivalent}"
            )
    lines += [
        f"{_from_here(str(mark.node.file))}:{mark.node.line}: no change of {mark.row} is as this mark says"
        for mark in out.idle_marks
    ]
    killed = sum(v.killed for v in out.verdicts)
    invalid = sum(v.noticed_by == "validation" for v in out.verdicts)
    elsewhere = sum(v.elsewhere for v in out.verdicts)
    equivalent = len(out.verdicts) - killed - len(out.survivors)
    counted = len(out.verdicts) - equivalent
    share = f" ({100 * killed / counted:.1f} %)" if counted else ""
    untold = sum(not v.cases for v in out.survivors)
    lines.append(
        f"{killed} of {counted} changes noticed{share}, {invalid} of them by validation, {elsewhere} by "
        "cases that cite other "
        f"clauses; {len(out.survivors)} not noticed, {untold} of them with no case; {equivalent} make no "
        "difference"
    )
    if out.apart:
        forms = ", ".join(f"{form} {n:,}" for form, n in out.apart.most_common())
        lines.append(f"apart: {out.apart.total():,} changes of rows that cite no clause ({forms})")
    return lines


class _Progress:
    """How far the trial is: a bar on a terminal, elsewhere now and then a line."""

    def __init__(self, total: int, shown: Working) -> None:
        self.total, self.noticed, self.done, self.shown = total, 0, 0, shown
        self.start = self.said = time.monotonic()

    def tell(self, number: int, verdict: MutationVerdict) -> None:
        self.done, self.noticed = number, self.noticed + (verdict.killed or bool(verdict.equivalent))
        self.shown.at(number, what=f"changes, {self.noticed:,} noticed")
        now = time.monotonic()
        if not sys.stderr.isatty() and now - self.said > SECONDS_BETWEEN_LINES:
            self.said = now
            left = (now - self.start) / max(self.done, 1) * (self.total - self.done)
            print(
                f"{self.done:,} of {self.total:,} changes, {self.noticed:,} noticed, about {left:.0f} s left",
                file=sys.stderr,
            )


def _from_here(file: str) -> str:
    name = os.path.relpath(file)
    return file if name.startswith("..") else Path(name).as_posix()
