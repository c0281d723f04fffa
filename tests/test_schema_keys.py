"""What the schemas offer, the engine reads: a key of a row that nothing looks at would be a rule that nobody applies."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wteaw.ruleset.forms import forms

ENGINE = Path(__file__).parents[1] / "engine"
REMARKS = {
    "id",
    "name",
    "note",
    "source",
    "silence",
    "remove",
    "append",
    "before",
    "after",
    "text",
    "help",
    "aliases",
}
"""Keys for readers and for overlays, which every row may carry and no mechanic has to look at."""
BY_EXPRESSIONS = {"places": {"section"}, "technologies": {"category", "name"}, "units": {"tags"}}
"""Facts that expressions read as fields, whatever the engine does."""
READERS: dict[str, tuple[str, ...]] = {
    "actions": ("turn/effects.py", "turn/calendar.py", "orders", "report/build.py"),
    "events": ("turn/effects.py", "report/news.py"),
    "matrices": ("turn", "rulebook"),
    "battles": ("battle", "core/choices.py"),
    "detection": ("battle", "units"),
    "resources": ("core/choices.py", "world/treasury.py"),
    "decisions": ("turn", "orders", "economy"),
    "fields": ("ruleset", "world"),
    "sequence": ("ruleset", "turn", "units", "battle", "economy", "orders/lookahead.py", "world/view.py"),
    "missions": ("units",),
    "movement": ("units", "world", "orders", "turn/effects.py", "battle"),
    "orders": ("orders",),
    "order_options": ("units", "orders", "turn"),
    "policies": ("bots",),
    "stances": ("world", "turn"),
    "tables": ("world", "ruleset", "rulebook"),
    "notes": ("orders", "testing"),
    "placement_limits": ("economy",),
    "action_changes": ("ruleset/action_changes.py", "turn", "orders"),
    "links": ("world", "ruleset"),
    "war_kinds": ("turn/relations.py",),
    "modifiers": ("world", "battle"),
    "counters": ("turn",),
    "clauses": ("ruleset/clauses.py", "rulebook"),
}
"""Rooms and files that take rows of a form from another module; all modules that name a form read it anyway."""


@cache
def words() -> dict[str, frozenset[str]]:
    """The texts in each module of the engine, docstrings apart, by its path."""
    out: dict[str, frozenset[str]] = {}
    for path in [*ENGINE.rglob("*.py"), *(ENGINE.parent / "importers").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        texts = (
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in said
        )
        out[path.relative_to(ENGINE if path.is_relative_to(ENGINE) else ENGINE.parent).as_posix()] = (
            frozenset(texts)
        )
    return out


def keys(schema: Any) -> Iterator[str]:
    """Every key that a schema names, however deep, but not those of pieces it refers to."""
    if not isinstance(schema, dict):
        return
    for key, inner in schema.get("properties", {}).items():
        yield key
        yield from keys(inner)
    for part in ("items", "additionalProperties"):
        yield from keys(schema.get(part))
    for part in ("oneOf", "anyOf", "allOf"):
        for option in schema.get(part, ()):
            yield from keys(option)


def unread(form: str) -> list[str]:
    apart = form not in ("fields", "tables", "links")
    near = READERS.get(form, ())
    modules = [
        name
        for name, said in words().items()
        if (form in said and not (apart and name.startswith("ruleset/"))) or name.startswith(near or ("-",))
    ]
    read = frozenset().union(*(words()[name] for name in modules)) | REMARKS | BY_EXPRESSIONS.get(form, set())
    return sorted(set(keys(forms().schema(form))) - read)


@pytest.mark.parametrize("form", forms().names)
def test_every_key_of_a_row_is_read(form: str) -> None:
    assert unread(form) == [] or form in ("except",), f"nothing reads {', '.join(unread(form))} of {form}"


def test_every_key_of_a_verb_is_read() -> None:
    """Keys of effects, by the files of the verbs and of the tail."""
    common = json.loads(
        (Path(__file__).parents[1] / "schemas" / "common.schema.json").read_text(encoding="utf-8")
    )
    files = [
        said
        for name, said in words().items()
        if name.startswith(("turn/", "battle/fight.py", "core/registry.py"))
    ]
    read = frozenset().union(*files)
    assert sorted(set(keys(common["definitions"]["effect"])) - read - REMARKS) == []


def _undescribed(schema: Any, path: str) -> Iterator[str]:
    """The keys that a schema declares without saying what they are for."""
    if isinstance(schema, dict):
        keys = schema.get("properties")
        for key, value in keys.items() if isinstance(keys, dict) else ():
            if isinstance(value, dict) and not value.keys() & {"description", "$ref"}:
                yield f"{path}: {key}"
        for key, value in schema.items():
            if key != "if":  # asks for a key that is declared elsewhere
                yield from _undescribed(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for value in schema:
            yield from _undescribed(value, path)


def test_every_key_says_what_it_is_for() -> None:
    """The reference of the documentation and the editor's help are made of these."""
    found = [
        key
        for path in sorted((ENGINE.parent / "schemas").glob("*.schema.json"))
        for key in _undescribed(
            json.loads(path.read_text(encoding="utf-8")), path.name.removesuffix(".schema.json")
        )
    ]
    assert found == []
    assert list(
        _undescribed({"properties": {"a": {"type": "string"}, "b": {"description": "what"}}}, "x")
    ) == ["x: a"]
