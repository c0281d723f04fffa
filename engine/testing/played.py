"""What of a ruleset is used in played chapters: rule tests that play nothing but whole turns, in
`tests/played/`.

A row counts if it was carried out while a chapter that passes was played: an order that came in by the door
and was not dropped, an event that fired, a row of a matrix that had a cell to play, a mission that a force
had, a step in which something was written, an aim that somebody had reached when all were ranked. What the
journal does not name (verbs, events that leave all to others, decisions that had an answer) the turn notes.
Validation and tests of single steps count nothing. What an overlay takes over as it is counts as played where
a chapter of its base plays it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.frame import step_name, steps
from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.parallel import shared_out
from ..core.registry import VERBS
from ..ruleset.compile import load_ruleset
from ..ruleset.folder import MANIFEST
from ..ruleset.forms import annotated, forms
from ..turn.events import only_notes
from ..world.objectives import reached, rows_of
from .cases import FOLDER, Case, find, read, ruleset_of
from .runner import Runner
from .when import Play, stages

CHAPTERS = "played"
"""The folder below `tests` in which chapters lie."""
NOTES = "notes"
"""The table that says, among others, which rows no chapter can carry out (`reason`)."""
WHOLE = {"turn", "turns", "inputs", "orders", "answers", "missing", "then"}
"""What a stage of a chapter may say."""
FORMS = (
    "orders",
    "actions",
    "order_options",
    "decisions",
    "events",
    "production",
    "technologies",
    "movement",
    "missions",
    "detection",
    "battles",
    "capture",
    "transfers",
    "counters",
    "upkeep",
    "victory",
)
"""Forms whose rows are to be played one by one; beside them the rows of matrices, the steps of the sequence,
and verbs.
"""
MATRICES, STEPS, VERB_ROWS = "matrices", "steps", "verbs"


@dataclass(slots=True)
class PlayedCount:
    """The rows ("form/id") of one form: those that chapters play, that a base plays, that are excused and
    why, the rest.
    """

    played: list[str] = field(default_factory=list)
    base: list[str] = field(default_factory=list)
    excused: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(self.played) + len(self.base) + len(self.excused) + len(self.left)


@dataclass(slots=True)
class Chapters:
    """What the chapters of one ruleset play: by row the first chapter that plays it, the counts by form, and
    findings.
    """

    title: str
    by: dict[str, str] = field(default_factory=dict)
    forms: dict[str, PlayedCount] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)


def chapters(folder: Path, *, jobs: int = 1) -> Chapters:
    """What the chapters of a ruleset play, and of what it takes over those of its base.

    Rules with errors are not played.
    """
    ruleset, found = load_ruleset(folder)
    errors = [d for d in found if d.severity == "error"]
    if ruleset is None:
        return Chapters(folder.name, found=errors)
    out = Chapters(ruleset.title, found=errors)
    out.by, more = _play_all(folder, ruleset, jobs)
    out.found += more
    theirs: set[str] = set()
    extends = ruleset.manifest.get("extends")
    below = ruleset_of(folder / MANIFEST, str(extends)) if extends else None
    if below is not None:
        base = chapters(below, jobs=jobs)
        kept, _ = load_ruleset(below)
        if kept is not None:
            before = rows_to_play(kept)
            now = rows_to_play(ruleset)
            played = {key for count in base.forms.values() for key in (*count.played, *count.base)}
            theirs = {key for key in played if key in now and now[key] == before[key]}
    excuses = {id_: str(row["reason"]) for id_, row in ruleset.rows(NOTES).items() if "reason" in row}
    rows = rows_to_play(ruleset)
    for key in rows:
        count = out.forms.setdefault(key.partition("/")[0], PlayedCount())
        if key in out.by:
            count.played.append(key)
        elif key in theirs:
            count.base.append(key)
        elif key in excuses:
            count.excused[key] = excuses[key]
        else:
            count.left.append(key)
    out.found += _idle_excuses(folder, ruleset, excuses, rows, out.by)
    return out


def rows_to_play(ruleset: Ruleset) -> dict[str, Any]:
    """All that chapters of a ruleset are to play, as "form/id" ("matrices/MATRIX/ROW"), with what the rules
    say of it.
    """
    out: dict[str, Any] = {f"{form}/{id_}": row for form in FORMS for id_, row in ruleset.rows(form).items()}
    for matrix, row in ruleset.rows(MATRICES).items():
        out |= {f"{MATRICES}/{matrix}/{r['id']}": r for r in row["rows"]}
    out |= {f"{STEPS}/{step_name(node)}": node for node in steps(ruleset.sequence)}
    used = _verbs_used(ruleset)
    return out | {f"{VERB_ROWS}/{verb}": verb for verb in VERBS if verb in used}


def _verbs_used(ruleset: Ruleset) -> set[str]:
    known = forms()
    found = set()
    for form, rows in ruleset.forms.items():
        for row in rows.values():
            for mark in annotated(known, form, row, ("x-effect",)):
                if isinstance(mark.value, Mapping):
                    for verb in mark.value:
                        if verb in VERBS:
                            found.add(verb)
    return found


def _idle_excuses(
    folder: Path, ruleset: Ruleset, excuses: Mapping[str, str], rows: Mapping[str, Any], by: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Excuses of the ruleset's own that excuse nothing: of what is not there, or is played."""
    for key in excuses:
        file, _, line = ruleset.origin(NOTES, key).rpartition(":")
        if not file or file.startswith(".."):
            continue
        if key not in rows:
            yield Diagnostic(
                "T104",
                "error",
                f"{key!r} is excused, and there is no such row to play",
                f"{folder}/{file}",
                int(line),
            )
        elif key in by:
            yield Diagnostic(
                "T104", "error", f"{key!r} is excused, and {by[key]} plays it", f"{folder}/{file}", int(line)
            )


# ---- playing


def _play_all(folder: Path, ruleset: Ruleset, jobs: int) -> tuple[dict[str, str], list[Diagnostic]]:
    """Row to the first chapter that plays it; what is wrong with chapters. `jobs` processes share them."""
    home = folder / FOLDER / CHAPTERS
    if not home.is_dir():
        return {}, []
    runner = Runner(ruleset)
    cases: list[tuple[Case, Path]] = []
    found: list[Diagnostic] = []
    for path in find(home):
        test = read(path)
        found += [d for d in test.found if d.severity == "error"]
        cases += [(case, path) for case in test.cases]
    by: dict[str, str] = {}
    for (case, _), (keys, wrong) in zip(cases, shared_out(partial(_play, runner), cases, jobs), strict=True):
        found += wrong
        for key in sorted(keys):
            by.setdefault(key, case.id)
    return by, found


def _play(runner: Runner, chapter: tuple[Case, Path]) -> tuple[set[str], list[Diagnostic]]:
    case, path = chapter
    if any(not _is_whole(stage) for stage in stages(case.data)) or "scenario" not in case.data.get(
        "given", {}
    ):
        said = "a chapter starts from a scenario and plays whole turns only"
        return set(), [Diagnostic("T103", "error", f"{case.id}: {said}", case.file, case.line)]
    keys: set[str] = set()
    result = runner.run(case, path, look=lambda play: keys.update(carried_out(play)))
    if result.status == "passed":
        return keys, []
    why = result.message or "; ".join(
        f"{f.what}: expected {f.expected}, got {f.got}" for f in result.failures
    )
    return set(), [Diagnostic("T103", "error", f"{case.id} does not pass: {why}", case.file, case.line)]


def _is_whole(stage: Mapping[str, Any]) -> bool:
    return bool({"turn", "turns"} & set(stage)) and set(stage) <= WHOLE


# ---- what was carried out


def carried_out(play: Play) -> set[str]:
    """The rows ("form/id"), rows of matrices, steps and verbs that were carried out in a play."""
    entries = play.turn.journal.entries
    out = set(play.turn.carried)
    out.update(_orders(play.turn.ruleset, entries))
    for entry in entries:
        if "refused" in entry.data or "void" in entry.data:
            continue
        form = entry.rule.partition("/")[0]
        if form == MATRICES:
            out.add(f"{entry.rule}/{entry.data.get('row')}")  # none: held effects are let go
        elif form not in ("orders", "sequence") and not only_notes(entry):
            out.add(entry.rule)
        if not _only_steps(entry):
            out.add(f"{STEPS}/{entry.step}")
        out.update(_of_forces(entry))
        out.update(
            f"technologies/{name}" for table, _, name, _, now in entry.changes if table == "techs" and now
        )
        if form == "victory":
            out.update(_judged(play, entry))
    return out


def _of_forces(entry: Entry) -> Iterator[str]:
    """The modes that forces went by, and the missions that they had."""
    for table, _, name, _, now in entry.changes:
        if table == "forces":
            said = now if name == "*" and now is not None else {name: now}
            yield from (
                f"{form}/{said[key]}"
                for key, form in (("mode", "movement"), ("mission", "missions"))
                if said.get(key)
            )


def _only_steps(entry: Entry) -> bool:
    """Whether an entry says no more than that a step was come to."""
    return (
        entry.rule.startswith("sequence/")
        and all(table == "game" for table, *_ in entry.changes)
        and not entry.dice
    )


def _orders(ruleset: Ruleset, entries: Sequence[Entry]) -> Iterator[str]:
    """The rows, the options and the modes of orders that came in and were not dropped."""
    given: dict[str, Row] = {}
    for entry in entries:
        for table, key, name, _, now in entry.changes:
            if table != "orders":
                continue
            if name == "*":
                if key in given:
                    yield from _of(ruleset, given.pop(key))
                if now is not None:
                    given[key] = now
            elif name == "status" and now == "refused":
                given.pop(key, None)
    for row in given.values():
        yield from _of(ruleset, row)


def _of(ruleset: Ruleset, order: Row) -> Iterator[str]:
    yield from (f"order_options/{id_}" for id_ in order.get("options", {}))
    form, _, id_ = str(order["order"]).partition("/")
    if form != "actions":  # an act has an entry of its own
        yield str(order["order"])
        does = ruleset.row_or_empty(form, id_).get("does")
        if ruleset.has("movement", does):
            yield f"movement/{does}"


def _judged(play: Play, entry: Entry) -> Iterator[str]:
    """The criteria that were computed for an end, the objectives of those it ranks, and the aims that they
    had reached.
    """
    yield from (f"victory/{id_}" for id_ in entry.data.get("values", {}))
    for rank in entry.data.get("ranks", ()):
        yield from (f"victory/{row['id']}" for row in rows_of(play.turn.ruleset, rank["who"]))
        yield from (f"victory/{aim.aim}" for aim in reached(play.world, rank["who"]))
