"""The two validators agree, the forms are those of the schemas folder, the walk finds our keywords."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.core.codes import CODES, table
from wteaw.core.package_data import schemas
from wteaw.ruleset.file_schemas import file_schemas
from wteaw.ruleset.forms import annotated, forms
from wteaw.ruleset.row_types import TARGET, row_types

from .folders import own_cache  # noqa: F401

WORDS = ["id", "a", "step", "war", "1d6", "3/4", "=x", "1..3", "", "all", "pbem.x"]
KEYS = [
    *(
        "id",
        "name",
        "kind",
        "of",
        "type",
        "between",
        "when",
        "effects",
        "shift",
        "who",
        "track",
        "by",
        "roll",
        "die",
        "pay",
    ),
    *(
        "what",
        "amount",
        "say",
        "text",
        "results",
        "1",
        "cases",
        "on",
        "for",
        "source",
        "rows",
        "columns",
        "cells",
        "form",
    ),
]
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 40), st.just(Fraction(1, 2)), st.sampled_from(WORDS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
KNOWN = forms()


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(KNOWN.names), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5))
def test_the_fast_answer_is_that_of_jsonschema(form: str, row: dict[str, Any]) -> None:
    schema = KNOWN.schema(form)
    slow = KNOWN._judge(schema, "").is_valid(row)
    assert KNOWN.fits(schema, f"{form}.schema.json", row) == slow


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_effects_too(value: Any) -> None:
    schema = KNOWN.files["common.schema.json"]["definitions"]["effects"]
    assert KNOWN.fits(schema, "common.schema.json", value) == KNOWN._judge(
        schema, "common.schema.json"
    ).is_valid(value)


def test_every_part_of_a_schema_can_be_asked_by_itself() -> None:
    for name, schema in KNOWN.files.items():
        assert KNOWN.fits(schema, name, []) is (name == "common.schema.json")  # which is a shelf of parts
        for part in schema.get("definitions", {}).values():
            KNOWN.fits(part, name, {})


def test_fractions_are_numbers_and_never_whole() -> None:
    whole, number = {"type": "integer"}, {"type": "number", "minimum": 1}
    assert not KNOWN.fits(whole, "common.schema.json", Fraction(5, 2))
    assert KNOWN.fits(number, "common.schema.json", Fraction(5, 2))
    assert not KNOWN.fits(number, "common.schema.json", Fraction(1, 2))
    assert KNOWN.fits({"items": number}, "common.schema.json", [Fraction(5, 2), 3])


KEYWORDS_OF_DRAFT_7 = {
    *("$schema", "$id", "$ref", "$comment", "title", "description", "default", "examples", "definitions"),
    *("type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "format"),
    *("exclusiveMinimum", "exclusiveMaximum", "items", "minItems", "maxItems", "uniqueItems"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames", "required"),
    *("minProperties", "maxProperties", "dependencies"),
    *("oneOf", "anyOf", "allOf", "not", "if", "then", "else"),
}


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword in a schema and in those inside it."""
    if isinstance(schema, list):
        for part in schema:
            yield from keywords(part)
    if not isinstance(schema, dict):
        return
    for word, said in schema.items():
        yield word
        if word in ("properties", "patternProperties", "definitions"):
            yield from keywords(list(said.values()))
        elif word not in ("enum", "const", "default", "examples", "required", "dependencies"):
            yield from keywords([] if word.startswith("x-") else said)


def test_no_keyword_of_a_schema_is_passed_over() -> None:
    """A validator says nothing of a keyword that it does not know."""
    for name, schema in KNOWN.files.items():
        known = {word for word in keywords(schema) if not word.startswith("x-")}
        assert known <= KEYWORDS_OF_DRAFT_7, name


def test_forms_are_the_schemas_of_rows() -> None:
    assert {"places", "units", "events"} <= set(KNOWN.names)
    assert not {"common", "manifest", "scenario", "table-file", "overlay-file"} & set(KNOWN.names)


def test_the_walk_finds_references_and_expressions_through_branches() -> None:
    row = {
        "id": "e",
        "on": "step",
        "when": "turn == 1",
        "effects": [
            {"shift": {"who": "=self", "track": "t", "by": "=2"}},
            {"for": "nations()", "effects": [{"learn": {"who": "x"}}]},
        ],
    }
    marks = {a.path: a for a in annotated(KNOWN, "events", row)}
    assert marks[("when",)].schema["x-expr"]["gives"] == "truth"
    assert marks[("effects", 0, "shift", "track")].schema["x-ref"] == "tracks"
    assert marks[("effects", 0, "shift", "by")].schema["x-expr"]["gives"] == "number"
    assert marks[("effects", 1, "for")].schema["x-expr"]["gives"] == "set"
    assert ("effects", 1, "effects", 0, "learn", "who") in marks


def test_the_schemas_of_whole_files_are_up_to_date() -> None:
    for name, text in file_schemas(KNOWN).items():
        written = (schemas() / name).read_text(encoding="utf-8")
        assert json.loads(written) == json.loads(text), "run `python -m wteaw.ruleset.file_schemas`"


def test_the_types_of_rows_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == row_types(KNOWN), "run `python -m wteaw.ruleset.row_types`"


def test_every_code_is_documented_and_used() -> None:
    root = Path(__file__).parents[1]
    assert table() in (root / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    paths = [*(root / "engine").rglob("*.py"), *(root / "importers").rglob("*.py")]
    source = "".join(path.read_text(encoding="utf-8") for path in paths if path.name != "codes.py")
    used = set(re.findall(r'"([EW][0-9]{3})"', source))
    assert used == set(CODES)
