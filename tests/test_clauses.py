"""The register of clauses: every citation of the shipped rulesets resolves, and every clause is carried out or says why not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from wteaw.core.model import Ruleset
from wteaw.core.package_data import rulesets
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.clauses import CLAUSES, clause_text, clauses_of_row, owner
from wteaw.ruleset.folder import find_rulesets
from wteaw.testing.cases import find, read
from wteaw.testing.coverage import matrix
from wteaw.testing.runner import misspelled_clauses

from . import small

FOLDERS = find_rulesets(rulesets())


@cache
def loaded(folder: Path) -> Ruleset:
    ruleset, found = load_ruleset(folder)
    assert ruleset is not None and not found, found
    return ruleset


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_every_clause_says_something_to_a_player(folder: Path) -> None:
    rows = loaded(folder).rows(CLAUSES)
    assert rows
    for id_, row in rows.items():
        said = clause_text(rows, id_)
        assert said and said[-1] in ".!?)", id_
        assert "same_as" in row or row.get("title"), id_
        assert len(said) <= 420, id_
        stands = "same_as" in row or row.get("chapter") or row.get("about") or row.get("tables")
        assert stands or row.get("status") == "example", id_
        if row.get("status") == "reconstructed":
            assert row.get("why") or row.get("tables") or row.get("about"), id_


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_every_clause_that_a_rule_test_cites_is_registered(folder: Path) -> None:
    files = [read(path) for path in find(folder) if path.is_relative_to(folder / "tests")]
    cases = [case for file in files for case in file.cases]
    assert cases and [str(d) for d in misspelled_clauses(cases, loaded(folder))] == []


def test_every_clause_is_cited_by_a_row_or_a_test_or_says_why_not() -> None:
    found = matrix([rulesets()], run=False)
    assert found.unknown == {} and found.found == []
    idle = [id_ for id_, entry in found.clauses.items() if not (entry.rows or entry.tests or entry.reason)]
    assert idle == []


def test_rows_that_cite_nothing_are_of_the_clause_that_names_them_or_their_table() -> None:
    rules = small.ruleset(
        clauses=[
            {"id": "x.map", "text": "The map is made up.", "tables": ["places"]},
            {"id": "x.ash", "text": "Ash is named.", "tables": ["places/ash"]},
            {"id": "x.red", "text": "Red is red."},
        ],
        nations=[{"id": "red", "name": "Red", "source": ["x.red"]}],
    )
    assert clauses_of_row(rules, "places", "ash") == ("x.ash",)
    assert clauses_of_row(rules, "places", "birch") == ("x.map",)
    assert clauses_of_row(rules, "nations", "red") == ("x.red",)
    assert clauses_of_row(rules, "links", "ash--birch") == ()


def test_twins_say_what_their_owner_says_and_a_ring_ends() -> None:
    rows = {"a": {"same_as": "b"}, "b": {"text": "So."}, "c": {"same_as": "d"}, "d": {"same_as": "c"}}
    assert (
        clause_text(rows, "a") == "So."
        and clause_text(rows, "c") == ""
        and clause_text(rows, "nowhere") == ""
    )
    assert owner(rows, "a") == "b"


def test_an_explanation_says_the_rule() -> None:
    rules = small.ruleset(clauses=[{"id": "x.red", "text": "Red is red."}])
    assert clause_text(rules, "x.red") == "Red is red."
