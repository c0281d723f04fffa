"""Changes of rows, tried one at a time: does a rule test that cites the row's clauses notice?

    bench = Bench(Path("ruleset"))
    verdict = bench.verdict(bench.changes()[0])

The rulesets are read once. For a change only its row is compiled again; the map, the orders and the index of
events are those of the ruleset unless the change is in what they are made of. Of the cases that cite the
clauses those that cost least are played first, then those that read the row (`mutate_reach`), and the first
one that fails ends the trial. A change that does not validate is noticed by validation.
"""

from __future__ import annotations

import signal
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from wteaw.core.canonical import digest
from wteaw.core.diagnostics import Diagnostic, has_errors
from wteaw.core.model import MANIFEST as HEAD
from wteaw.core.model import Ruleset
from wteaw.orders.grammar import Grammar
from wteaw.ruleset.checks import BY_ROW, CHECKS, Check, Subject, run_checks
from wteaw.ruleset.checks.expressions import RulesetVocabulary as Vocabulary
from wteaw.ruleset.checks.expressions import expressions_are_right, wrong_expressions
from wteaw.ruleset.checks.figures import quantities_are_of_what_is_asked
from wteaw.ruleset.checks.references import dangling
from wteaw.ruleset.checks.rules import is_helper
from wteaw.ruleset.checks.schema import (
    rows_have_the_shape_of_their_form,
    the_manifest_has_its_shape,
    the_sequence_has_its_shape,
)
from wteaw.ruleset.clauses import sources
from wteaw.ruleset.compile import load_ruleset, parse_file, read_layers
from wteaw.ruleset.folder import MANIFEST, find_rulesets, ruleset_above
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.nodes import Node, plain_value
from wteaw.ruleset.overlay import FRAME, SETTINGS, Layer, MergedRuleset, lay_over
from wteaw.testing.cases import Case, cases_about
from wteaw.testing.coverage import Owners
from wteaw.testing.equivalent import EquivalentMark, read_marks, rows_of_file
from wteaw.testing.given import MAP
from wteaw.testing.runner import Runner
from wteaw.world.geography import Geography

from .mutate_changes import THINGS, ChangeVocabulary, Mutation, changed_file, changes_of
from .mutate_reach import Reach
from .mutate_users import users_of

__all__ = ["BenchError", "MutationBench", "MutationVerdict"]

LONGEST = 20.0
"""Seconds of the processor that a case may take: a changed rule can make a game that does not end."""


OF_HEAD = -1
"""In place of the number of a table in its layer: the manifest."""
WHOLE = tuple(check for check in CHECKS if check not in BY_ROW)
DECLARING: dict[str, Check] = {
    "fields": expressions_are_right,
    "definitions": expressions_are_right,
    "stats": quantities_are_of_what_is_asked,
}
"""Forms whose rows say what may stand in other rows, with the check that asks it of those."""


class BenchError(Exception):
    """The rulesets or their tests cannot be used as they are."""


@dataclass(frozen=True, slots=True)
class MutationVerdict:
    """What came of a change. `noticed_by` is a case, or "validation"; empty if nobody noticed.

    `equivalent` is the reason that a mark says (`tests/equivalent.yaml`); `cases` how many cases cite the
    clauses; `elsewhere` says that the case which noticed cites others.
    """

    change: Mutation
    noticed_by: str = ""
    equivalent: str = ""
    cases: int = 0
    elsewhere: bool = False

    @property
    def killed(self) -> bool:
        return bool(self.noticed_by)


class _TooLong(BaseException):
    """A case takes longer than any case may."""


@dataclass(slots=True, eq=False)
class _Table:
    """One file of rows: its tree, and which layers of which rulesets it is."""

    path: Path
    tree: Node
    uses: list[tuple[_Game, int, int]] = field(default_factory=list)


@dataclass(eq=False)
class _Game:
    """One ruleset with its layers and its cases."""

    folder: Path
    layers: list[Layer]
    draft: MergedRuleset
    ruleset: Ruleset
    geography: Geography
    cases: list[Case]
    files: dict[str, Path]
    clauses: dict[str, list[Case]] = field(default_factory=dict)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(lambda form: self.ruleset.rows(form), forms().names)

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.draft, forms())

    @cached_property
    def findings(self) -> set[tuple[str, str]]:
        """What validation says of the ruleset as it is."""
        return {(d.code, d.message) for d in run_checks(self.subject, self.layers)}

    @cached_property
    def findings_of_whole(self) -> set[tuple[str, str]]:
        """The same of the checks that look at more than one row."""
        return {(d.code, d.message) for d in run_checks(self.subject, self.layers, WHOLE)}

    @cached_property
    def runner(self) -> Runner:
        return Runner(self.ruleset, geography=self.geography)

    @cached_property
    def reach(self) -> Reach:
        def play(runner: Runner, case: Case) -> None:
            with _no_longer_than(LONGEST):
                runner.run(case, self.files[case.file])

        return Reach(self.ruleset, self.cases, play)

    @cached_property
    def by_id(self) -> dict[str, list[Case]]:
        out: dict[str, list[Case]] = {}
        for case in self.cases:
            out.setdefault(case.id, []).append(case)
        return out


class MutationBench:
    """All that is needed to try changes of the rules at a path: a ruleset with its variants, or a file or
    folder of tables.

    `owners` joins clauses that state one rule. BenchError if the rules do not validate or have no tests.
    """

    def __init__(self, path: Path, owners: Owners | None = None) -> None:
        self.path = path.resolve()
        self.owners = owners or Owners()
        self.known: Forms = forms()
        self.games: list[_Game] = []
        self.tables: dict[str, _Table] = {}
        self._passes: dict[tuple[Path, str, str], bool] = {}
        self._stamps: dict[tuple[Path, str, str], str] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._last: dict[str, str] = {}
        self._marks: dict[Path, Mapping[str, list[EquivalentMark]]] = {}
        self.hints: dict[str, str] = {}
        """Change (`key`) to the case that noticed it when the rules or the program were others: it is tried
        first.
        """
        for folder in find_rulesets(_root(self.path)):
            self._read(folder)
        if not any(game.cases for game in self.games):
            raise BenchError(f"no rule tests lie with {path}")

    # ---- reading

    def _read(self, folder: Path) -> None:
        ruleset, found = load_ruleset(folder)
        if ruleset is None:
            wrong = next(d for d in found if d.severity == "error")
            raise BenchError(f"{folder} does not validate: {wrong.where}: {wrong.message}")
        reading = read_layers(folder)
        layers: list[Layer] = []
        places: list[tuple[Path, Node, int, int]] = []
        for layer_folder, files in reading.layers:
            self._read_marks(layer_folder.resolve())
            trees: list[Node] = []
            manifest: Node | None = None
            for file in files:
                tree, _ = parse_file(file)
                assert tree is not None
                path = (folder / file.name).resolve()
                if path.name == MANIFEST and path.parent == layer_folder.resolve():
                    manifest = tree
                else:
                    places.append((path, tree, len(layers), len(trees)))
                    trees.append(tree)
            assert manifest is not None
            head = next(file for file in files if (folder / file.name).resolve().name == MANIFEST)
            if SETTINGS in manifest.value:
                places.append(((folder / head.name).resolve(), manifest, len(layers), OF_HEAD))
            layers.append(Layer(manifest, tuple(trees)))
        draft, _ = lay_over(layers, self.known)
        about = cases_about(folder)
        cases, test_files = [case for case, _ in about], {file.as_posix(): file for _, file in about}
        game = _Game(folder, layers, draft, ruleset, Geography(ruleset), cases, test_files)
        for case in cases:
            for clause in dict.fromkeys(map(self.owners.of, case.clauses)):
                game.clauses.setdefault(clause, []).append(case)
        self.games.append(game)
        for path, tree, layer, number in places:
            table = self.tables.get(str(path))
            if table is None:
                table = self.tables[str(path)] = _Table(path, tree)
            table.uses.append((game, layer, number))

    def _read_marks(self, folder: Path) -> None:
        """Take in what is marked beside the tests of a ruleset."""
        if folder in self._marks:
            return
        marks, found = read_marks(folder)
        if found:
            raise BenchError(f"{found[0].where}: {found[0].message}")
        by_row: dict[str, list[EquivalentMark]] = {}
        for mark in marks:
            by_row.setdefault(mark.row, []).append(mark)
        self._marks[folder] = by_row

    def changes(self) -> tuple[list[Mutation], list[Mutation]]:
        """All changes of the rows at the path that cite clauses, or that such rows depend on; and apart,
        those of other rows.
        """
        cited: list[Mutation] = []
        others: list[Mutation] = []
        for table in self.tables.values():
            if not table.path.is_relative_to(self.path) and table.path != self.path:
                continue
            game = table.uses[0][0]
            terms = {
                id_: [str(a) for a in row.get("of", ())]
                for id_, row in game.ruleset.rows("definitions").items()
            }
            defaults = {
                id_: row["default"] for id_, row in game.ruleset.rows("fields").items() if "default" in row
            }
            order = dict.fromkeys([*THINGS, *game.ruleset.forms])
            words = ChangeVocabulary({form: list(game.ruleset.rows(form)) for form in order}, terms, defaults)
            tree = replace(table.tree, file=str(table.path))
            for change in changes_of(tree, self.known, words):
                if not change.clauses:
                    change = replace(change, clauses=self._clauses_of(game, change))
                (cited if change.clauses else others).append(change)
        return cited, others

    def _clauses_of(self, game: _Game, change: Mutation) -> tuple[str, ...]:
        """The clauses of a row that cites none: of what lies below it, or else of the rows that name it."""
        row = game.ruleset.rows(change.form).get(change.id)
        if row is not None and (own := tuple(dict.fromkeys(sources(row)))):
            return own
        helps = row is not None and is_helper(change.form, row)
        return self._users(game).get(change.id, ()) if helps else ()

    def _users(self, game: _Game) -> Mapping[str, tuple[str, ...]]:
        """Helpers (terms, tables, groups, quantities) to the clauses of the rows that name them, at any
        remove.
        """
        key = str(game.folder)
        if key not in self._named:
            self._named[key] = users_of(game.ruleset)
        return self._named[key]

    @cached_property
    def _named(self) -> dict[str, Mapping[str, tuple[str, ...]]]:
        return {}

    # ---- what depends on a change

    def citing(self, change: Mutation) -> list[tuple[_Game, Case]]:
        """The cases that cite the clauses of a change, in the order in which they are played."""
        out: dict[tuple[Path, str, str], tuple[_Game, Case]] = {}
        for game in self._games_of(change):
            for clause in map(self.owners.of, change.clauses):
                for case in game.clauses.get(clause, ()):
                    out.setdefault((game.folder, case.file, case.id), (game, case))
        last = self._last.get(change.row)
        return sorted(out.values(), key=lambda pair: (pair[1].id != last, self._seconds[pair[1].where]))

    def reaching(self, change: Mutation) -> Iterator[tuple[_Game, Case]]:
        """The cases that read the row of a change and cite other clauses."""
        for game in self._games_of(change):
            cited: set[int] = set()
            for clause in map(self.owners.of, change.clauses):
                cited.update(id(case) for case in game.clauses.get(clause, ()))
            yield from ((game, case) for case in game.reach.cases(change) if id(case) not in cited)

    def _hinted(self, change: Mutation) -> list[tuple[_Game, Case]]:
        hint = self.hints.get(change.key, "")
        return [(game, case) for game in self._games_of(change) for case in game.by_id.get(hint, ())]

    def _games_of(self, change: Mutation) -> list[_Game]:
        return [game for game, _, _ in self.tables[change.file].uses]

    def stamp(self, change: Mutation, by: str = "") -> str:
        """A digest of the cases that may notice a change, or of the one that did: while it stays, a verdict
        holds.
        """
        if by:
            asked = [(game, case) for game in self._games_of(change) for case in game.by_id.get(by, ())]
        else:
            asked = [*self.citing(change), *self.reaching(change)]
        return digest(sorted(self._stamp(game, case) for game, case in asked))

    def _stamp(self, game: _Game, case: Case) -> str:
        key = (game.folder, case.file, case.id)
        if key not in self._stamps:
            self._stamps[key] = digest([game.ruleset.id, case.id, case.data])
        return self._stamps[key]

    @property
    def rules(self) -> str:
        """A digest of all rulesets that are tried."""
        return digest([[game.ruleset.id, game.ruleset.hash] for game in self.games])

    # ---- trying

    def equivalent(self, change: Mutation) -> str:
        """The reason, said beside the rule tests, why a change changes nothing; "" if none is."""
        marks = self._marks_of(change)
        return next((mark.reason for mark in marks if mark.covers(*_as_marked(change))), "")

    def idle_marks(self, changes: Iterable[Mutation]) -> list[EquivalentMark]:
        """The marks about rows at the path that none of the changes, which are all there are, is meant by."""
        used: set[EquivalentMark] = set()
        for change in changes:
            used.update(mark for mark in self._marks_of(change) if mark.covers(*_as_marked(change)))
        asked: dict[EquivalentMark, None] = {}
        for table in self.tables.values():
            if table.path.is_relative_to(self.path):
                rows = {f"{form}/{id_}" for form, id_, _ in rows_of_file(table.tree)}
                marks = self._marks_beside(table.path)
                asked |= {mark: None for row, of_row in marks.items() if row in rows for mark in of_row}
        return [mark for mark in asked if mark not in used]

    def _marks_of(self, change: Mutation) -> list[EquivalentMark]:
        return self._marks_beside(Path(change.file)).get(change.row, [])

    def _marks_beside(self, table: Path) -> Mapping[str, list[EquivalentMark]]:
        """Row to the marks about it, those of the ruleset whose file a table is."""
        folder = ruleset_above(table)
        return self._marks.get(folder, {}) if folder is not None else {}

    def verdict(self, change: Mutation) -> MutationVerdict:
        """Try one change."""
        reason = self.equivalent(change)
        if reason:
            return MutationVerdict(change, equivalent=reason)
        table = self.tables[change.file]
        made: dict[Path, tuple[MergedRuleset, list[Layer], Runner]] = {}
        for game, layer, number in table.uses:
            layers = list(game.layers)
            if number == OF_HEAD:
                layers[layer] = replace(layers[layer], manifest=changed_file(layers[layer].manifest, change))
            else:
                files = list(layers[layer].files)
                files[number] = changed_file(files[number], change)
                layers[layer] = replace(layers[layer], files=tuple(files))
            draft, wrong = lay_over(layers, self.known)
            if has_errors(wrong) or self._misshapen(game, draft, change):
                return MutationVerdict(change, "validation")
            made[game.folder] = (draft, layers, self._runner(game, draft, change))
        citing = self.citing(change)

        def noticed(asked: Iterable[tuple[_Game, Case]]) -> str:
            for game, case in asked:
                if not self._holds(made[game.folder][2], game, case) and self._passed_before(game, case):
                    self._last[change.row] = case.id
                    return case.id
            return ""

        if by := noticed(self._hinted(change)) or noticed(citing):
            return MutationVerdict(
                change, by, cases=len(citing), elsewhere=all(case.id != by for _, case in citing)
            )
        for game, _, _ in table.uses:
            draft, layers, _ = made[game.folder]
            if self._faulty(game, draft, layers, change):
                return MutationVerdict(change, "validation", cases=len(citing))
        by = noticed(self.reaching(change))
        return MutationVerdict(change, by, cases=len(citing), elsewhere=bool(by))

    def _misshapen(self, game: _Game, draft: MergedRuleset, change: Mutation) -> bool:
        """Whether the rows that a change alters are wrong by themselves: in shape, in what they name, in
        their expressions.
        """
        if change.form == FRAME:
            part = MergedRuleset(draft.manifest, {}, draft.sequence)
            subject = Subject(part, self.known)
            wrong: Iterable[Diagnostic] = the_sequence_has_its_shape(subject)
        elif change.form == HEAD:
            subject = Subject(MergedRuleset(draft.manifest), self.known)
            wrong = the_manifest_has_its_shape(subject)
        else:
            part = MergedRuleset(
                draft.manifest, {change.form: dict(_altered(game.draft, draft, change.form))}
            )
            subject = Subject(part, self.known)
            wrong = rows_have_the_shape_of_their_form(subject)
        if any(d.severity == "error" for d in wrong):
            return True
        marks = subject.marked
        return any(dangling(marks, draft.rows, self.known)) or any(wrong_expressions(marks, game.vocabulary))

    def _faulty(self, game: _Game, draft: MergedRuleset, layers: list[Layer], change: Mutation) -> bool:
        """Whether validation finds anything, be it only a warning, that it does not find in the ruleset as it
        is.
        """
        if change.form in (FRAME, HEAD):
            found = {(d.code, d.message) for d in run_checks(Subject(draft, self.known), layers)}
            return bool(found - game.findings)
        part = Subject(
            MergedRuleset(draft.manifest, {change.form: dict(_altered(game.draft, draft, change.form))}),
            self.known,
        )
        subject = game.subject.with_rows(draft, part)
        if change.form in DECLARING and any(DECLARING[change.form](subject)):
            return True
        return bool(
            {(d.code, d.message) for d in run_checks(subject, layers, WHOLE)} - game.findings_of_whole
        )

    def _runner(self, game: _Game, draft: MergedRuleset, change: Mutation) -> Runner:
        """A runner of the cases on the rules as changed; all that the change does not touch is the ruleset's
        own.
        """
        base = game.ruleset
        if change.form == HEAD:
            ruleset = replace(base, manifest=plain_value(draft.manifest))
            ruleset.take_over(base)
            return Runner(ruleset, geography=game.geography)
        if change.form == FRAME:
            ruleset = replace(base, sequence=tuple(plain_value(n) for n in draft.sequence if n.is_map))
            ruleset.take_over(base)
            return Runner(ruleset, geography=game.geography)
        rows = dict(base.rows(change.form))
        for id_, node in _altered(game.draft, draft, change.form):
            rows[id_] = {**plain_value(node), "id": id_}
        for id_ in [i for i in rows if i not in draft.rows(change.form)]:
            del rows[id_]
        ruleset = replace(base, forms={**base.forms, change.form: rows})
        Grammar.of(base)
        ruleset.take_over(base)
        return Runner(ruleset, geography=None if change.form in MAP else game.geography)

    def _holds(self, runner: Runner, game: _Game, case: Case) -> bool:
        """Whether a case passes; one that takes too long does not."""
        with _no_longer_than(LONGEST):
            result = runner.run(case, game.files[case.file])
            self._seconds[case.where] = result.seconds
            return result.status == "passed"
        return False

    def _passed_before(self, game: _Game, case: Case) -> bool:
        """Whether a case passes on the rules as they are: one that does not can notice nothing."""
        key = (game.folder, case.file, case.id)
        if key not in self._passes:
            self._passes[key] = self._holds(game.runner, game, case)
        return self._passes[key]


def _as_marked(change: Mutation) -> tuple[str, tuple[str, ...], str, str]:
    """A change as marks speak of it: its row, where, and its text before and after."""
    return change.row, change.places, change.old, change.now


def _altered(before: MergedRuleset, after: MergedRuleset, form: str) -> Iterator[tuple[str, Node]]:
    """The rows of a form that are not what they were; those that a layer lays over others count always."""
    old = before.rows(form)
    return ((id_, node) for id_, node in after.rows(form).items() if old.get(id_) is not node)


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Leave what takes longer; where there is no timer (or no main thread) nothing is left."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_number: int, _frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except _TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ---- files


def _root(path: Path) -> Path:
    """The ruleset that a file or folder of tables belongs to; a path that is a ruleset, or holds some,
    itself.
    """
    found = path if path.is_dir() and find_rulesets(path) else ruleset_above(path)
    if found is None:
        raise BenchError(f"{path} is no ruleset, and lies in none")
    return found
