"""The reference of the site: every form, function and code has an example, and each is what it says it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from wteaw.core.codes import CODES
from wteaw.core.package_data import data_root, rulesets
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.folder import find_rulesets
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.runner import run_files

DOCS = Path(__file__).resolve().parent.parent / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from findings import examples, findings  # noqa: E402
from wteaw_reference import GROUPS, Row, shortest  # noqa: E402

KNOWN = forms()


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return shortest(KNOWN, find_rulesets(rulesets()))


@pytest.mark.parametrize("form", KNOWN.names)
def test_every_form_has_a_row_of_a_shipped_ruleset(form: str, rows: dict[str, Row]) -> None:
    row = rows[form]
    assert (
        (data_root() / row.file)
        .read_text(encoding="utf-8")
        .splitlines()[row.line - 1]
        .strip(" -")
        .startswith(row.text.splitlines()[1].strip(" -")[:20])
    )
    node, found = load_text(row.text, row.file)
    assert node is not None and not found
    (value,) = plain_value(node)[form]
    assert faults(KNOWN, form, value) == []


def faults(known: Forms, form: str, value: object) -> list[str]:
    """What JSON Schema itself says of a row, not the quick check by which it was chosen."""
    judge = known._judge(known.schema(form), f"{form}.schema.json")
    return [error.message for error in judge.iter_errors(value)]


def test_every_form_has_its_chapter() -> None:
    listed = [form for group in GROUPS.values() for form in group]
    assert sorted(listed) == sorted(KNOWN.names)


def test_every_function_has_an_example_that_is_evaluated() -> None:
    file = DOCS / "examples" / "functions.yaml"
    cases = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
    shown = {text.split("(")[0] for case in cases for text in case["then"]["values"]}
    assert FUNCTIONS.keys() <= shown
    run = run_files([(file, file.name)])
    assert len(run.results) == len(cases) and run.ok, run


def test_every_code_has_an_example() -> None:
    assert list(examples()) == list(CODES)


@pytest.mark.parametrize("code", examples())
def test_an_example_is_found_by_its_code(code: str, tmp_path: Path) -> None:
    example = examples()[code]
    assert {d.code for d in findings(example, tmp_path)} == {code, *example.get("also", ())}
