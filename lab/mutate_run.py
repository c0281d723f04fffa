"""Many changes tried: in several processes, resumed where an earlier run was broken off, counted, and
reported.

The state file has a line of JSON for each verdict. It holds for the rules and the program that it was begun
with; a verdict in it holds for as long as the case that noticed the change, or if nobody did all cases that
might, stay as they are. So a run that is begun again after new cases have been written tries only what they
may notice.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from wteaw.core.parallel import in_processes
from wteaw.ruleset.cache import cache_folder, key_of
from wteaw.testing.coverage import Owners
from wteaw.testing.equivalent import EquivalentMark

from .mutate import MutationBench, MutationVerdict
from .mutate_changes import Mutation

__all__ = ["MutationRun", "chosen", "default_state", "read_state", "tried"]

HEAD = "wteaw mutate"
PIECE = 8
"""Changes that a process is given at a time."""


@dataclass(slots=True)
class MutationRun:
    """The verdicts on the changes chosen, in order; and how many changes stand in rows that cite no clause,
    by form. `idle_marks`: marks of equivalent changes that no change at the path is meant by.
    """

    verdicts: list[MutationVerdict] = field(default_factory=list)
    apart: Counter[str] = field(default_factory=Counter)
    idle_marks: list[EquivalentMark] = field(default_factory=list)

    @property
    def survivors(self) -> list[MutationVerdict]:
        return [v for v in self.verdicts if not v.killed and not v.equivalent]

    def to_json(self, name: Callable[[str], str]) -> dict[str, Any]:
        """The report; `name` says how a file is called."""
        return {
            "mutants": len(self.verdicts),
            "killed": sum(v.killed for v in self.verdicts),
            "equivalent": sum(bool(v.equivalent) for v in self.verdicts),
            "survivors": [
                {
                    "file": name(v.change.file),
                    "line": v.change.line,
                    "change": f"{v.change.row} {v.change.says}",
                    "clauses": list(v.change.clauses),
                }
                for v in self.survivors
            ],
            "idle_marks": [
                {"file": name(mark.node.file), "line": mark.node.line, "row": mark.row}
                for mark in self.idle_marks
            ],
        }


def chosen(changes: Sequence[Mutation], *, sample: int | None, seed: int, clause: str) -> list[Mutation]:
    """The changes to try, in the order of the files: all of those that concern a clause, or as many drawn
    from them.
    """
    fit = [c for c in changes if not clause or any(x.startswith(clause) for x in c.clauses)]
    if sample is not None and sample < len(fit):
        fit = random.Random(seed).sample(fit, sample)
    return sorted(fit, key=lambda c: (c.file, c.line, c.column, c.says))


def default_state(path: Path) -> Path:
    """Where verdicts on a path are kept if nobody says where."""
    return cache_folder() / "mutate" / f"{key_of([str(path.resolve())])[:24]}.jsonl"


def tried(
    bench: MutationBench,
    changes: Sequence[Mutation],
    *,
    jobs: int = 1,
    state: Path | None = None,
    progress: Callable[[int, MutationVerdict], None] = lambda number, verdict: None,
) -> list[MutationVerdict]:
    """The verdicts on changes, in their order.

    `state` is read and written; `progress` is told of every verdict.
    """
    kept, bench.hints = _kept(bench, state)
    out: dict[str, MutationVerdict] = {}
    open_: list[Mutation] = []
    for change in changes:
        verdict = _known(bench, change, kept.get(change.key))
        if verdict is None:
            open_.append(change)
        else:
            out[change.key] = verdict
            progress(len(out), verdict)
    with _writer(bench, state, fresh=not kept) as write:
        for verdict in _verdicts(bench, open_, jobs):
            out[verdict.change.key] = verdict
            write(bench, verdict)
            progress(len(out), verdict)
    return [out[c.key] for c in changes]


# ---- in several processes

_bench: MutationBench | None = None


def _begin(path: Path, owners: Owners, hints: dict[str, str]) -> None:
    global _bench
    _bench = MutationBench(path, owners)
    _bench.hints = hints


def _piece(changes: Sequence[Mutation]) -> list[MutationVerdict]:
    assert _bench is not None
    return [_bench.verdict(change) for change in changes]


def _verdicts(bench: MutationBench, changes: Sequence[Mutation], jobs: int) -> Iterator[MutationVerdict]:
    if jobs <= 1 or len(changes) <= PIECE:
        yield from map(bench.verdict, changes)
        return
    pieces = [changes[n : n + PIECE] for n in range(0, len(changes), PIECE)]
    given = (bench.path, bench.owners, bench.hints)
    for verdicts in in_processes(_piece, pieces, jobs, begin=_begin, given=given):
        yield from verdicts


# ---- the state file


class _writer:
    """Appends verdicts to the state file, each at once."""

    def __init__(self, bench: MutationBench, state: Path | None, fresh: bool) -> None:
        self.file = None
        if state is not None:
            state.parent.mkdir(parents=True, exist_ok=True)
            self.file = state.open("w" if fresh else "a", encoding="utf-8")
            if not fresh:
                # ends the line that was being written when an earlier run was broken off
                self.file.write("\n")
            else:
                self._line({"state": HEAD, "of": _stamp(bench)})
                for change, hint in bench.hints.items():
                    self._line({"hint": hint, "of": change})

    def __enter__(self) -> Callable[[MutationBench, MutationVerdict], None]:
        return self.write

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()

    def write(self, bench: MutationBench, verdict: MutationVerdict) -> None:
        change = verdict.change
        by = "" if verdict.noticed_by == "validation" else verdict.noticed_by
        said: dict[str, Any] = {"change": change.key, "row": change.row, "clauses": list(change.clauses)}
        said |= {"noticed_by": verdict.noticed_by, "equivalent": verdict.equivalent, "cases": verdict.cases}
        said |= {"elsewhere": verdict.elsewhere}
        self._line({**said, "stamp": bench.stamp(change, by)})

    def _line(self, said: dict[str, Any]) -> None:
        if self.file is not None:
            self.file.write(json.dumps(said, ensure_ascii=False) + "\n")
            self.file.flush()


def read_state(path: Path) -> list[dict[str, Any]]:
    """The verdicts of a state file, the last on each change. ValueError if it is none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head: Any = None
    with suppress(ValueError, IndexError):
        head = json.loads(lines[0])
    if not isinstance(head, dict) or head.get("state") != HEAD:
        raise ValueError(f"{path} is no state file of `wteaw mutate`")
    out: dict[str, dict[str, Any]] = {}
    for line in lines[1:]:
        with suppress(ValueError):  # a line that was being written when the run ended
            said = json.loads(line)
            if "change" in said:
                out[said["change"]] = said
    return [head, *out.values()]


def _kept(bench: MutationBench, state: Path | None) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Change to what the state file says of it, unless it was begun with other rules or by another program;
    and hints.

    A hint is the case that noticed a change when the file was written, or before.
    """
    if state is None or not state.is_file():
        return {}, {}
    try:
        head, *said = read_state(state)
    except ValueError:
        return {}, {}
    hints = _hints(state) | {
        s["change"]: s["noticed_by"] for s in said if s["noticed_by"] not in ("", "validation")
    }
    return {s["change"]: s for s in said} if head.get("of") == _stamp(bench) else {}, hints


def _hints(state: Path) -> dict[str, str]:
    out: dict[str, str] = {}
    for line in state.read_text(encoding="utf-8").splitlines()[1:]:
        with suppress(ValueError):
            said = json.loads(line)
            if "hint" in said:
                out[said["of"]] = said["hint"]
    return out


def _known(bench: MutationBench, change: Mutation, said: dict[str, Any] | None) -> MutationVerdict | None:
    """A verdict that still holds."""
    reason = bench.equivalent(change)
    if reason:
        return MutationVerdict(change, equivalent=reason)
    if said is None or said["equivalent"]:
        return None
    by = said["noticed_by"]
    holds = by == "validation" or bench.stamp(change, by) == said["stamp"]
    return MutationVerdict(change, by, cases=said["cases"], elsewhere=said["elsewhere"]) if holds else None


def _stamp(bench: MutationBench) -> str:
    return f"{bench.rules} {_program()}"


@lru_cache(maxsize=1)
def _program() -> str:
    """A digest of the program itself."""
    package = Path(__file__).resolve().parents[2]
    whole = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        whole.update(
            path.relative_to(package).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()
        )
    return whole.hexdigest()
