"""Files beside a ruleset's tables: rule tests, marks of equivalent changes, scenarios. Each is of one schema
as a whole, and names rows of the ruleset.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wteaw.core.diagnostics import Diagnostic
from wteaw.core.model import Ruleset
from wteaw.play.scenario_files import check_scenario, ruleset_folder
from wteaw.ruleset.checks.schema import faults_of
from wteaw.ruleset.folder import MANIFEST, TABLE_FOLDERS, ruleset_above
from wteaw.ruleset.forms import forms
from wteaw.ruleset.load import load_bytes
from wteaw.testing.cases import is_marks, of_tree, ruleset_of
from wteaw.testing.check import faults_of_tree
from wteaw.testing.equivalent import faults_of_marks_in

__all__ = ["faults_beside", "folder_meant", "schema_of"]

RULE_TEST, SCENARIO, MARKS = "rule-test", "scenario", "equivalent"
SCHEMAS = {"tests": RULE_TEST, "scenarios": SCENARIO}
"""Folder -> the schema of the files in it."""


def schema_of(path: Path) -> str:
    """The schema that a file is of as a whole, by the nearest folder that decides it; '' for a file of
    tables.
    """
    if path.suffix not in (".yaml", ".yml") or path.name == MANIFEST:
        return ""
    near = next(
        (above.name for above in path.parents if above.name in SCHEMAS or above.name in TABLE_FOLDERS), ""
    )
    return MARKS if is_marks(path) else SCHEMAS.get(near, "")


def folder_meant(path: Path, data: bytes) -> Path | None:
    """The folder of the ruleset that such a file is about; None if there is none, or the text cannot be
    read.
    """
    tree, _ = load_bytes(data, path.name)
    if schema_of(path) == MARKS:
        return ruleset_above(path)
    if schema_of(path) == RULE_TEST:
        return ruleset_of(path, tree.text("ruleset") if tree is not None and tree.is_map else None)
    found = ruleset_folder(tree, path.parent)[0] if tree is not None and tree.is_map else None
    return found.resolve() if found is not None else None


def faults_beside(path: Path, name: str, data: bytes, ruleset: Ruleset | None) -> Iterator[Diagnostic]:
    """What is wrong with the text of such a file; without a ruleset, only its shape is looked at."""
    tree, found = load_bytes(data, name)
    yield from found
    if tree is None or found:
        return
    known, schema = forms(), schema_of(path)
    if schema == RULE_TEST:
        wrong = list(of_tree(tree, path, name).found)
        yield from wrong
        yield from faults_of_tree(tree, ruleset) if ruleset is not None and not wrong else ()
    elif schema == MARKS:
        folder = ruleset_above(path)
        wrong = list(faults_of(known, MARKS, tree))
        yield from wrong
        yield from faults_of_marks_in(tree, folder, ruleset) if folder is not None and not wrong else ()
    elif tree.is_map:
        wrong = list(faults_of(known, SCENARIO, tree))
        yield from wrong
        # others stand on more than this one text
        whole = tree.get("extends") is None and tree.get("rules") is None
        yield from check_scenario(ruleset, tree, known) if ruleset is not None and whole and not wrong else ()
