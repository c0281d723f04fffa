"""Rule tests are run here: case by case, each on a ground of its own, hundreds in a second.

    result = Runner(ruleset).run(case, path)

A case passes, fails (something expected did not come) or is in error (it cannot be played as it is written,
or the engine broke). `run_files` runs files, in several processes if asked to.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ..core.diagnostics import Diagnostic, did_you_mean
from ..core.dice import CountingDice, DiceError, Drawer, KeyedDice, ScriptedDice, StreamName, names_of
from ..core.faults import of_rules
from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.parallel import in_processes
from ..ruleset.clauses import CLAUSES
from ..ruleset.compile import load_ruleset
from ..ruleset.expressions import ExpressionError
from ..ruleset.nodes import diagnose
from ..ruleset.nodes import find as node_at
from ..world.geography import Geography
from .cases import Case, TestFile, read
from .entries import faces
from .enumerate import Branch, TooManyPlays, outcomes
from .given import CaseError, CaseSetup, Shelf
from .mismatch import Mismatch
from .then import CHANCES, compare, evaluate
from .values import shown
from .when import Play, stages

Status = Literal["passed", "failed", "error"]
MOST_LINES = 12
MOST_CHANGES = 5


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A journal entry as a report shows it: which rule, where it is written, what it did."""

    rule: str
    at: str
    subject: str
    text: str
    dice: tuple[int, ...]
    changes: tuple[str, ...]

    def __str__(self) -> str:
        head = f"{self.rule}{f' ({self.at})' if self.at else ''}"
        dice = f" dice {list(self.dice)}" if self.dice else ""
        more = [f"and {len(self.changes) - MOST_CHANGES} more"] if len(self.changes) > MOST_CHANGES else []
        did = "; ".join([*self.changes[:MOST_CHANGES], *more])
        return f"{head} {self.subject}{dice}: {' | '.join(t for t in (self.text, did) if t) or '-'}"


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is wrong: `where` in the test file, what was expected and got, the journal lines behind
    it.

    `path` leads to the expectation in the case (empty for dice), and `value` is what was got, not yet in
    words.
    """

    what: str
    where: str
    expected: str
    got: str
    lines: tuple[JournalLine, ...] = ()
    path: tuple[str | int, ...] = ()
    value: Any = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one case. `journal` is filled where it was asked for."""

    id: str
    title: str
    where: str
    clauses: tuple[str, ...]
    status: Status
    failures: tuple[Failure, ...] = ()
    message: str = ""
    seconds: float = 0.0
    journal: tuple[JournalLine, ...] = ()


@dataclass(slots=True)
class Run:
    """All results of a run, and what was found wrong with its files and rulesets."""

    results: list[Result] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(r.status == "passed" for r in self.results) and not any(
            d.severity == "error" for d in self.found
        )

    def count(self, status: Status) -> int:
        return sum(r.status == status for r in self.results)


class Runner:
    """Runs the cases of one ruleset.

    `folder` stands before the files of its rows in reports; `geography` is its map, if made.
    """

    def __init__(self, ruleset: Ruleset, folder: str = "", geography: Geography | None = None) -> None:
        origins = {k: f"{folder}/{at}" for k, at in ruleset.origins.items()} if folder else ruleset.origins
        self.shelf = Shelf(replace(ruleset, origins=origins) if folder else ruleset, geography)

    def run(
        self,
        case: Case,
        file: Path | None = None,
        *,
        show: bool = False,
        look: Callable[[Play], None] | None = None,
    ) -> Result:
        """One case; nothing raises but what the caller's own interruption raises.

        `look` is shown the play of one that passes.
        """
        start = time.perf_counter()
        status: Status = "passed"
        failures: list[Failure] = []
        message = ""
        journal: tuple[JournalLine, ...] = ()
        plays: list[Play] = []
        try:
            failures = self._failures(case, file or Path(case.file), plays)
            status = "failed" if failures else "passed"
            if look is not None and not failures:
                look(plays[-1])
        except CaseError as error:
            status, message = "error", f"{case.at(error.path)}: {error}"
        except DiceError as error:
            status = "failed"
            failures = [
                Failure("dice", case.at(["dice"]), "dice enough for what is rolled", str(error), _last(plays))
            ]
        except (ExpressionError, TooManyPlays) as error:
            status, message = "error", f"{case.where}: {of_rules(error) or error}"
        except Exception as error:
            status, message = "error", f"{case.where}: {type(error).__name__}: {error} ({_innermost(error)})"
            if show:
                message += "\n" + traceback.format_exc()
        if show and plays:
            journal = tuple(_line(e) for e in plays[-1].turn.journal.entries)
        _close(plays)
        seconds = time.perf_counter() - start
        return Result(
            case.id, case.title, case.where, case.clauses, status, tuple(failures), message, seconds, journal
        )

    def _failures(self, case: Case, file: Path, plays: list[Play]) -> list[Failure]:
        expected = _chances(case.data)
        if expected:
            return self._every_way(case, file, expected, plays)
        dice = _dice(case.data, None)
        ground = self.shelf.ground(case.data.get("given", {}), file)
        play, failures = self._once(case, ground, dice, plays)
        if isinstance(dice, ScriptedDice) and not case.data.get("spare"):
            for name, left in dice.unused().items():
                what = "all dice used" if name == "*" else f"all dice of {name} used"
                failures.append(
                    Failure("dice", case.at(["dice"]), what, f"left over: {left}", _lines(play, ()))
                )
        return failures

    def _once(
        self,
        case: Case,
        ground: CaseSetup,
        dice: CountingDice,
        plays: list[Play],
        branch: Branch | None = None,
    ) -> tuple[Play, list[Failure]]:
        """Play the case from its ground to its end, comparing after each stage that says something; `branch`:
        the way it goes.
        """
        _close(plays)
        play = Play(ground, dice)
        plays.append(play)
        failures: list[Failure] = []
        listed = isinstance(case.data.get("when"), list)
        for number, stage in enumerate(stages(case.data)):
            path: tuple[str | int, ...] = ("when", number) if listed else ("when",)
            refused, warned = len(play.refusals), play.notes
            play.notes = []
            play.run(stage, path)
            if "then" in stage:
                found = compare(play, stage["then"], (*path, "then"), play.refusals[refused:])
                failures += [_failure(case, play, m) for m in found]
                del play.refusals[refused:]
                play.notes.clear()
            play.notes = warned + play.notes
            if branch is not None:
                if failures:  # what comes after is gone on from once only, and forgets what was wrong before
                    return play, failures
                dice.checkpoint(play.turn.position)
                branch.part += 1
        found = compare(play, case.data.get("then", {}), ("then",), play.refusals)
        failures += [_failure(case, play, m) for m in found]
        return play, failures + [
            _left_open(case, order, step) for order, step in play.left_undone() if failures
        ]

    def _every_way(
        self, case: Case, file: Path, expected: Mapping[str, Any], plays: list[Play]
    ) -> list[Failure]:
        """Play the case along every way its dice can fall; what else it expects must come in each. Dice of
        which it says that they do not matter (`any` for a rule) fall at random, and must not matter.
        """
        texts = {t for key in CHANCES for t in expected.get(key, {})}
        tables, failures = self._tables(case, file, texts, plays)
        loose = _loose(case.data)
        if loose and not failures and self._tables(case, file, texts, plays, again=1) != (tables, []):
            told = "they change what is computed: leave them out of `dice`, and every way is played"
            wanted = f"dice of {', '.join(sorted(loose))} do not matter, since `any` is said of them"
            return [Failure("dice", case.at(["dice"]), wanted, told)]
        return failures or [_failure(case, plays[-1], m) for m in _odds(expected, tables)]

    def _tables(
        self, case: Case, file: Path, texts: Iterable[str], plays: list[Play], again: int = 0
    ) -> tuple[dict[str, dict[Any, Fraction]], list[Failure]]:
        """The chances of the values of each text, and what failed; `again`: with other loose dice."""
        tables: dict[str, dict[Any, Fraction]] = {t: {} for t in texts}
        ground = self.shelf.ground(case.data.get("given", {}), file)
        Play(ground, _any_dice(case.data["id"])).close()  # looks at the position once, for all ways from it
        told = _tells(case.data)

        def play(branch: Branch) -> tuple[list[Failure], dict[str, Any]]:
            branch.apart = told
            mine = replace(ground, state=ground.state.copy(), changed=frozenset())
            done, failures = self._once(case, mine, _dice(case.data, branch, again), plays, branch)
            return failures, {text: evaluate(done.turn.world, text, {}, ("then",)) for text in texts}

        for chance, (failures, values) in outcomes(play):
            if failures:
                return {}, failures
            for text, value in values.items():
                tables[text][value] = tables[text].get(value, Fraction(0)) + chance
        return tables, []


def _close(plays: list[Play]) -> None:
    """Plays that nobody asks any more are freed at once, not when cycles are looked for."""
    for play in plays:
        play.close()
    plays.clear()


def _left_open(case: Case, order: Mapping[str, Any], step: str) -> Failure:
    """Of a case that has failed: an order that nothing has acted on, since the case does not come to its
    step.
    """
    got = f"order {order.get('line') or 1} of {order['nation']} stays open: {order.get('text', '')}"
    return Failure("when", case.at(["when"]), f"the step {step}, which carries it out", got)


def _chances(data: Mapping[str, Any]) -> dict[str, Any]:
    then = data.get("then", {})
    return {k: then[k] for k in CHANCES if k in then}


def _tells(data: Mapping[str, Any]) -> bool:
    """Whether a case expects anything of the journal: two ways to the same state are then not the same."""
    thens = [data.get("then", {}), *(stage.get("then", {}) for stage in stages(data))]
    return any({"journal", "sequence", "triggers", "refused", "warned"} & set(then) for then in thens)


def _odds(expected: Mapping[str, Any], tables: Mapping[str, Mapping[Any, Fraction]]) -> Iterator[Mismatch]:
    for text, wanted in expected.get("chances", {}).items():
        table = tables[text]
        path = ("then", "chances", text)
        if isinstance(wanted, Mapping):
            got = {shown(k): v for k, v in sorted(table.items(), key=lambda item: str(item[0]))}
            for value, chance in wanted.items():
                if got.get(str(value), Fraction(0)) != Fraction(str(chance)):
                    yield Mismatch((*path, value), chance, got)
        else:
            got_one = sum((c for value, c in table.items() if value), Fraction(0))
            if got_one != Fraction(str(wanted)):
                yield Mismatch(path, wanted, got_one)
    for text, wanted in expected.get("means", {}).items():
        mean = sum((Fraction(v) * c for v, c in tables[text].items()), Fraction(0))
        if mean != Fraction(str(wanted)):
            yield Mismatch(("then", "means", text), wanted, mean)
    for text, wanted in expected.get("ranges", {}).items():
        got_range = [min(tables[text]), max(tables[text])]
        if got_range != list(wanted):
            yield Mismatch(("then", "ranges", text), wanted, got_range)


def _loose(data: Mapping[str, Any]) -> set[str]:
    """The rules whose dice may fall as they like, as they do not matter."""
    said = data.get("dice", [])
    return (
        {k for k, v in said.items() if v == "any" and k != "otherwise"}
        if isinstance(said, Mapping)
        else set()
    )


def _dice(data: Mapping[str, Any], branch: Branch | None, again: int = 0) -> CountingDice:
    """The dice that a case types in; beyond them every way (`branch`), any dice (where it says `any`;
    `again`: others), or none.
    """
    said = data.get("dice", [])
    if said == "any":
        return branch or _any_dice(data["id"])
    if not isinstance(said, Mapping):
        return ScriptedDice(said, fallback=branch)
    typed = {k: v if isinstance(v, list) else [v] for k, v in said.items() if k != "otherwise" and v != "any"}
    rest = branch or (_any_dice(data["id"]) if said.get("otherwise") == "any" else None)
    loose = _loose(data)
    if not loose:
        return ScriptedDice(typed, fallback=rest)
    return ScriptedDice(typed, fallback=Loose(loose, _any_dice(data["id"] + "'" * again), rest))


class Loose(CountingDice):
    """Dice of some rules (or rules and subjects) that may fall as they like; the others are left to `rest`,
    or are not there.
    """

    def __init__(self, names: set[str], dice: CountingDice, rest: CountingDice | None) -> None:
        super().__init__()
        self._names, self._dice, self._rest = names, dice, rest

    def checkpoint(self, key: Callable[[], str]) -> None:
        """What follows may depend on loose dice only where it does not matter."""
        if self._rest is not None:
            self._rest.checkpoint(key)

    def drawer(self, name: StreamName, use: int) -> Drawer:
        if self._names.intersection(names_of(name)):
            return self._dice.drawer(name, use)
        if self._rest is not None:
            return self._rest.drawer(name, use)
        return ScriptedDice().drawer(name, use)


def _any_dice(id_: str) -> KeyedDice:
    return KeyedDice((b"a rule test: " + id_.encode())[:64], 1)


# ---- what a report shows


def _failure(case: Case, play: Play, m: Mismatch) -> Failure:
    return Failure(
        m.what, case.at(m.path), shown(m.expected), shown(m.got), _lines(play, m.touches), m.path, m.got
    )


def _lines(play: Play, touches: Sequence[tuple[str, str, str]]) -> tuple[JournalLine, ...]:
    """The entries that wrote the fields in question; if none did, the last entries there are."""
    entries = play.turn.journal.entries
    about = [e for e in entries if any(_touched(change, touch) for change in e.changes for touch in touches)]
    if not about:
        about = [e for e in entries if not e.rule.startswith("sequence/") or e.text or e.dice][-MOST_LINES:]
    return tuple(_line(e, touches) for e in about[-MOST_LINES:])


def _touched(change: Sequence[Any], touch: tuple[str, str, str]) -> bool:
    table, id_, name = touch
    return bool(change[0] == table and change[1] == id_ and (not name or change[2] in (name, "*")))


def _line(entry: Entry, touches: Sequence[tuple[str, str, str]] = ()) -> JournalLine:
    about = [c for c in entry.changes if any(_touched(c, t) for t in touches)] or entry.changes
    changes = tuple(f"{t}/{i}.{f}: {shown(a)} → {shown(b)}" for t, i, f, a, b in about)
    return JournalLine(entry.rule, entry.at, entry.subject, entry.text, tuple(faces(entry)), changes)


def _last(plays: Sequence[Play]) -> tuple[JournalLine, ...]:
    return _lines(plays[-1], ()) if plays else ()


def _innermost(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


# ---- files


def run_files(
    files: Sequence[tuple[Path, str]],
    *,
    choose: Callable[[Case], bool] | None = None,
    show: bool = False,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Run the cases of files, given as (path, name to show); `choose` picks among them. Results come in the
    files' order.

    `choose` must be picklable where `jobs` is more than one. `progress` is told the number of files done.
    """
    return joined(list(run_each(files, choose=choose, show=show, jobs=jobs, progress=progress)))


def run_each(
    files: Sequence[tuple[Path, str]],
    *,
    choose: Callable[[Case], bool] | None = None,
    show: bool = False,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Run]:
    """Like `run_files`: what came of each file by itself."""
    _rulesets.clear()  # a later run in the same process plays by what the files say then
    one = partial(_run_file, choose=choose, show=show)
    for number, part in enumerate(in_processes(one, files, jobs), 1):
        if progress is not None:
            progress(number)
        yield part


def joined(parts: Sequence[Run]) -> Run:
    """Runs of several files as one, with the ids that stand in two of them."""
    run = Run()
    for part in parts:
        run.results.extend(part.results)
        run.found.extend(d for d in part.found if d not in run.found)
    run.found.extend(_doubles(run.results))
    return run


def _doubles(results: Sequence[Result]) -> Iterator[Diagnostic]:
    """An id that stands in two files of one folder: one of the two cases would be counted for the other."""
    first: dict[tuple[str, str], Result] = {}
    for result in results:
        file, _, line = result.where.rpartition(":")
        key = (str(Path(file).parent), result.id)
        if key in first:
            message = f"a second case {result.id!r} (the first at {first[key].where})"
            yield Diagnostic("T102", "error", message, file, int(line))
        first.setdefault(key, result)


_rulesets: dict[Path, tuple[Runner | None, list[Diagnostic]]] = {}


def _run_file(file: tuple[Path, str], *, choose: Callable[[Case], bool] | None, show: bool) -> Run:
    path, name = file
    test: TestFile = read(path, name)
    run = Run(found=list(test.found))
    chosen = [c for c in test.cases if choose is None or choose(c)]
    if not chosen or test.ruleset is None:
        return run
    runner, found = runner_of(test.ruleset)
    run.found.extend(found)
    if runner is not None:
        run.found.extend(misspelled_clauses(chosen, runner.shelf.ruleset))
        run.results.extend(runner.run(case, path, show=show) for case in chosen)
    return run


def misspelled_clauses(cases: Iterable[Case], ruleset: Ruleset) -> Iterator[Diagnostic]:
    """A warning for each clause that a case cites and the register of its ruleset does not have; none without
    a register.
    """
    known = ruleset.rows(CLAUSES)
    for case in cases if known else ():
        for number, clause in enumerate(case.clauses):
            if clause not in known:
                at = node_at(case.node, ("clauses", number))
                hint = did_you_mean(clause, known)
                yield diagnose("W420", f"clauses has no {clause!r}", at, hint=hint)


def runner_of(folder: Path) -> tuple[Runner | None, list[Diagnostic]]:
    """The runner of a ruleset's folder, kept for the files to come; and the errors that keep it from being
    used.
    """
    if folder not in _rulesets:
        ruleset, found = load_ruleset(folder)
        here = _from_here(folder)
        errors = [
            replace(d, file=f"{here}/{d.file}" if d.file else here) for d in found if d.severity == "error"
        ]
        _rulesets[folder] = (Runner(ruleset, here) if ruleset is not None else None, errors)
    return _rulesets[folder]


def _from_here(folder: Path) -> str:
    name = os.path.relpath(folder)
    return folder.as_posix() if name.startswith("..") else Path(name).as_posix()
