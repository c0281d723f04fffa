"""One ruleset as its files stand in an editor, and its findings after every change.

An edit mostly alters one row, or begins one. Then only what those rows can change is asked again
(`checks.of_altered`), against the last state that had no findings; anything else is checked whole, with what
is known of rows by themselves from before. Both give what `wteaw validate` gives for the same text. While a
file cannot be read at all, a bracket being open, it alone is at
fault: of its rows the last that could be read stand, so that not every row that names them is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wteaw.core.diagnostics import Diagnostic, has_errors, tidy
from wteaw.core.model import Ruleset
from wteaw.ruleset.checks import CHECKS, CheckCache, Subject, of_altered, run_checks
from wteaw.ruleset.checks.causes import without_consequences
from wteaw.ruleset.checks.silence import apply_silences
from wteaw.ruleset.compile import add_source_lines, parse_file, read_layers, ruleset_of
from wteaw.ruleset.folder import MANIFEST, SourceFile, find_rulesets, name_of, ruleset_above
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_bytes
from wteaw.ruleset.nodes import Node, plain_value
from wteaw.ruleset.overlay import Layer, MergedRuleset, lay_over

from .beside import faults_beside, folder_meant, schema_of

__all__ = ["Project", "Workspace"]

Row = tuple[str, str]


class Project:
    """A ruleset's folder. `texts`: the bytes of each file that makes it, by its name as seen from the
    folder.
    """

    def __init__(self, folder: Path, texts: dict[Path, bytes] | None = None) -> None:
        self.folder = folder
        self.known: Forms = forms()
        self.found: list[Diagnostic] = []
        self.draft: MergedRuleset | None = None
        self.beside: dict[str, bytes] = {}
        """The texts of open rule tests and scenarios that are about this ruleset, by their name as seen from
        the folder.
        """
        self._made: tuple[MergedRuleset, Ruleset] | None = None
        self._trees: dict[str, tuple[bytes, Node | None, list[Diagnostic]]] = {}
        self._clean: Subject | None = None
        self._readable: dict[str, Node] = {}
        self._kept = CheckCache()
        self.reload(texts or {})

    def reload(self, texts: dict[Path, bytes]) -> None:
        """Read the folder again; `texts` are open files, which stand before what is on disk."""
        reading = read_layers(self.folder)
        self._broken = reading.found
        self.layers = [
            (name_of(folder / MANIFEST, self.folder), [f.name for f in files])
            for folder, files in reading.layers
        ]
        self.texts = {file.name: file.data for file in reading.files}
        for path, data in texts.items():
            if (name := name_of(path, self.folder)) in self.texts:
                self.texts[name] = data
        self._check()

    def owns(self, path: Path) -> bool:
        """Whether a file is one of those that make this ruleset, or an open one that is about it."""
        return name_of(path, self.folder) in (self.texts.keys() | self.beside.keys())

    def set_beside(self, path: Path, data: bytes) -> list[Diagnostic]:
        """The findings in the text of a rule test or scenario, by the ruleset as it stands."""
        name = name_of(path, self.folder)
        self.beside[name] = data
        return add_source_lines(tidy(faults_beside(path, name, data, self.ruleset)), {name: data})

    @property
    def ruleset(self) -> Ruleset | None:
        """The ruleset that the files make; None while there are errors in them."""
        if self.draft is None or has_errors(self.found):
            return None
        if self._made is None or self._made[0] is not self.draft:
            self._made = (self.draft, ruleset_of(self.draft, self.known))
        return self._made[1]

    def path(self, name: str) -> Path:
        """Where a file of a finding or a node lies."""
        return (self.folder / name).resolve()

    def set_text(self, path: Path, data: bytes) -> list[Diagnostic]:
        """The findings with another text of a file."""
        self.texts[name_of(path, self.folder)] = data
        self._check()
        return self.found

    def tree(self, path: Path) -> Node | None:
        """What a file says, if it can be read at all."""
        return self._tree(name_of(path, self.folder))[0]

    @property
    def subject(self) -> Subject | None:
        """The rows with their values and marked places as they stand now; None if the files make no
        ruleset.
        """
        return Subject(self.draft, self.known) if self.draft is not None else None

    # ---- checking

    def _tree(self, name: str) -> tuple[Node | None, list[Diagnostic]]:
        data = self.texts[name] if name in self.texts else self.beside[name]
        kept = self._trees.get(name)
        if kept is None or kept[0] != data:
            # what stands on disk may be in the cache; what is being typed is read once and never again
            tree, found = parse_file(SourceFile(name, data)) if kept is None else load_bytes(data, name)
            kept = self._trees[name] = (data, tree, found)
            if tree is not None and name in self.texts:
                self._readable[name] = tree
        return kept[1], kept[2]

    def _check(self) -> None:
        found = list(self._broken)
        layers: list[Layer] = []
        for manifest_name, names in self.layers:
            trees: list[Node] = []
            manifest: Node | None = None
            for name in names:
                tree, wrong = self._tree(name)
                found += wrong
                tree = tree or self._readable.get(name)
                if name == manifest_name:
                    manifest = tree
                elif tree is not None:
                    trees.append(tree)
            if manifest is None:
                self.draft, self.found = None, self._told(found)
                return
            layers.append(Layer(manifest, tuple(trees)))
        try:
            self.draft, wrong = lay_over(layers, self.known)
            found += wrong
            found += self._findings(self.draft, layers, sound=not found)
        except RecursionError:
            found.append(
                Diagnostic(
                    "E115", "error", "rows or steps inside one another, too deep to be checked", MANIFEST
                )
            )
        self.found = self._told(found)

    def _findings(self, draft: MergedRuleset, layers: list[Layer], *, sound: bool) -> list[Diagnostic]:
        base = _rebased(self._clean, draft) if self._clean is not None else None
        altered = None if base is None else _altered(base, draft)
        if base is not None and altered is not None:
            raw = list(of_altered(base, draft, *sorted(altered))) if altered else []
            # a silence of a row that was not asked again silences nothing here, which says nothing
            found = [d for d in without_consequences(apply_silences(raw, draft, layers)) if d.code != "W701"]
            if not found and sound:
                part: dict[str, dict[str, Node]] = {}
                for form, id_ in altered:
                    part.setdefault(form, {})[id_] = draft.rows(form)[id_]
                self._clean = base.with_rows(
                    draft, Subject(MergedRuleset(draft.manifest, part), self.known, kept=self._kept)
                )
            return found
        self._kept.forget(draft)
        subject = Subject(draft, self.known, kept=self._kept)
        found = list(run_checks(subject, layers, CHECKS))
        if not found and sound:
            self._clean = subject
        return found

    def _told(self, found: list[Diagnostic]) -> list[Diagnostic]:
        return add_source_lines(tidy(found), self.texts)


def _rebased(clean: Subject, draft: MergedRuleset) -> Subject:
    """A subject whose rows stand where the draft has them: lines move as one types."""
    base = Subject(clean.draft, clean.known, kept=clean.kept)
    base.__dict__["values"] = clean.values
    rows = draft.forms
    marked = []
    for mark in clean.marked:
        node = rows.get(mark.form, {}).get(mark.id)
        marked.append(mark if node is None or node is mark.row else replace(mark, row=node))
    base.__dict__["marked"] = marked
    return base


MOST_ALTERED = 12
"""Rows that may differ from the last state without findings before everything is asked again."""


def _altered(base: Subject, draft: MergedRuleset) -> set[Row] | None:
    """The rows that are new, or say something else than in `base`; None if that is not all that differs, or
    they are many.
    """
    old = base.draft
    if plain_value(old.manifest) != plain_value(draft.manifest) or old.forms.keys() != draft.forms.keys():
        return None
    if [plain_value(n) for n in old.sequence] != [plain_value(n) for n in draft.sequence]:
        return None
    out: set[Row] = set()
    for form, rows in draft.forms.items():
        before = old.forms[form]
        if not before.keys() <= rows.keys():
            return None
        values = base.values[form]
        for id_, node in rows.items():
            if id_ not in before or (node is not before[id_] and plain_value(node) != values[id_]):
                out.add((form, id_))
                if len(out) > MOST_ALTERED:
                    return None
    return out


class Workspace:
    """All rulesets below some folders, read when a file of theirs is first opened."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = [root.resolve() for root in roots]
        self.open: dict[Path, bytes] = {}
        self._projects: dict[Path, Project] = {}

    def project(self, path: Path) -> Project | None:
        """The ruleset whose own folder a file of tables or events lies in, or that an open rule test or
        scenario is about.
        """
        folder = self._folder(path)
        if folder is None:
            return None
        if folder not in self._projects:
            self._projects[folder] = Project(folder, self.open)
        found = self._projects[folder]
        return found if found.owns(path) else None

    def _folder(self, path: Path) -> Path | None:
        """The folder of the ruleset that a file belongs to."""
        if not schema_of(path):
            return ruleset_above(path)
        data = self.open.get(path)
        return folder_meant(path, data) or ruleset_above(path) if data is not None else ruleset_above(path)

    def _beside(self, path: Path) -> dict[Path, list[Diagnostic]]:
        """The findings in a rule test or scenario, as it is open or as it stands on disk."""
        if path not in self.open and not path.is_file():
            return {path: []}
        data = self.open.get(path) or path.read_bytes()
        folder = folder_meant(path, data) or ruleset_above(path)
        if folder is None:
            return {}
        project = self._projects.get(folder)
        if project is None:
            project = self._projects[folder] = Project(folder, self.open)
        return {path: project.set_beside(path, data)}

    def over(self, project: Project) -> Iterator[Project]:
        """The rulesets below the roots that extend this one, directly or not."""
        for root in self.roots:
            for folder in find_rulesets(root):
                folder = folder.resolve()
                if folder != project.folder and (folder / MANIFEST).read_bytes().find(b"\nextends:") >= 0:
                    other = self._projects.get(folder) or Project(folder, self.open)
                    if any(other.path(name) == project.folder / MANIFEST for name, _ in other.layers):
                        self._projects[folder] = other
                        yield other

    def change(self, path: Path, data: bytes) -> dict[Path, list[Diagnostic]]:
        """Another text of a file: the findings of its ruleset, by file; a file without findings has an empty
        list.
        """
        self.open[path] = data
        if schema_of(path):
            return self._beside(path)
        project = self.project(path)
        if project is None:
            return {}
        project.set_text(path, data)
        return by_file(project)

    def refresh(self, path: Path) -> dict[Path, list[Diagnostic]]:
        """A file was made, saved or removed: its ruleset and those over it are read again."""
        if schema_of(path):
            return self._beside(path)
        folder = ruleset_above(path)
        if folder is None:
            return {}
        project = self._projects.get(folder)
        if project is None:
            project = self._projects[folder] = Project(folder, self.open)
        else:
            project.reload(self.open)
        out = by_file(project)
        for name in list(project.beside):
            out |= self._beside(project.path(name))
        for other in list(self._projects.values()):
            if other is not project and any(
                other.path(name) == folder / MANIFEST for name, _ in other.layers
            ):
                other.reload(self.open)
                for file, found in by_file(other).items():
                    out[file] = tidy([*out.get(file, ()), *found])
        return out


def by_file(project: Project) -> dict[Path, list[Diagnostic]]:
    """The findings of a ruleset by the file they are in; every file of the ruleset has a list."""
    out: dict[Path, list[Diagnostic]] = {project.path(name): [] for name in project.texts}
    for d in project.found:
        out.setdefault(project.path(d.file or MANIFEST), []).append(d)
    return out
