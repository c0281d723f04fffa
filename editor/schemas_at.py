"""Which schemas describe the value at a path of a row, whatever stands there now: for completion and for help
with keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wteaw.ruleset.forms import Forms

__all__ = ["Key", "keys_at", "page_at", "schemas_at", "words_at"]

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """A key that may stand in a map, and what it is for."""

    name: str
    says: str
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What must stand beside it: another key, with one of these values if there are any (`x-with`)."""


def schemas_at(known: Forms, form: str, path: Iterable[str | int]) -> list[tuple[Schema, str]]:
    """The schemas that may describe the value at a path, each with the file it stands in; every branch of a
    choice is one.
    """
    found = list(_branches(known, known.schema(form), f"{form}.schema.json")) if known.has_file(form) else []
    for step in path:
        found = [inner for schema, base in found for inner in _step(known, schema, base, step)]
    return found


def keys_at(known: Forms, form: str, path: Iterable[str | int]) -> list[Key]:
    """The keys that a map at a path may have, each once, in the order of the schemas."""
    out: dict[str, Key] = {}
    for schema, base in schemas_at(known, form, path):
        for name, inner in schema.get("properties", {}).items():
            told, _ = known.resolve(inner, base)
            out.setdefault(name, Key(name, _says(known, inner, base), told.get("x-with", {})))
    return list(out.values())


def words_at(known: Forms, form: str, path: Iterable[str | int]) -> list[str]:
    """The fixed words that a value at a path may be."""
    out: dict[str, None] = {}
    for schema, _ in schemas_at(known, form, path):
        for word in [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]:
            out[str(word).lower() if isinstance(word, bool) else str(word)] = None
        if schema.get("type") == "boolean":
            out |= {"true": None, "false": None}
    return list(out)


def says_of(known: Forms, form: str, path: tuple[str | int, ...]) -> str:
    """What the schemas say of the key or value at a path."""
    for key in keys_at(known, form, path[:-1]) if path else ():
        if key.name == path[-1]:
            return key.says
    return next((str(s["description"]) for s, _ in schemas_at(known, form, path) if "description" in s), "")


def page_at(known: Forms, form: str, path: Iterable[str | int]) -> str:
    """The page of the reference, with the anchor on it, that tells of the key at a path; "" if none does.

    The same names as `docs/_ext/schema_pages.py` gives: a shared piece stands on a page of its own, all else
    on its table's.
    """
    said = f"table-{form}.html" if form in known else ""
    found = [(known.schema(form), f"{form}.schema.json", f"table-{form}", form)] if form in known else []
    for step in path:
        inner = []
        for raw, at, to, name in found:
            for schema, base, page, head in _pages(known, raw, at, to, name):
                if isinstance(step, str) and step in schema.get("properties", {}):
                    head = f"{head}.{step}"
                inner += [(part, base, page, head) for part in _parts(schema, step)]
        told = next((f"{page}.html#{head}" for _, _, page, head in inner if head.endswith(f".{step}")), "")
        said, found = told or said, inner
    return said


def _pages(
    known: Forms, raw: Any, base: str, page: str, head: str, depth: int = 0
) -> Iterator[tuple[Schema, str, str, str]]:
    """A schema and its branches, each with the page that tells of it and what its anchors begin with."""
    if isinstance(raw, dict) and "$ref" in raw:
        file, _, pointer = str(raw["$ref"]).partition("#")
        base, name = file or base, pointer.rpartition("/")[2]
        if not pointer:
            page = f"table-{base.removesuffix('.schema.json')}"
            head = page.removeprefix("table-")
        elif pointer.startswith("/definitions/"):
            if base != "common.schema.json":
                head = f"{base.removesuffix('.schema.json')}-parts.{name}"
            else:
                page = SHARED.get(name, "shared")
                head = name if name == "effect" else f"shared.{name}"
    schema, base = known.resolve(raw, base)
    yield schema, base, page, head
    if depth < 6:
        for word in ("allOf", "oneOf", "anyOf"):
            for option in schema.get(word, ()):
                yield from _pages(known, option, base, page, head, depth + 1)


SHARED = {"effect": "effects", "trigger": "triggers", "triggerWord": "triggers"}
"""Shared definitions that have a page of their own."""


def _says(known: Forms, schema: Any, base: str) -> str:
    if isinstance(schema, dict) and "description" in schema:
        return str(schema["description"])
    found, _ = known.resolve(schema, base)
    return str(found.get("description", ""))


def _branches(known: Forms, raw: Any, base: str, depth: int = 0) -> Iterator[tuple[Schema, str]]:
    schema, base = known.resolve(raw, base)
    yield schema, base
    if depth < 6:
        for word in ("allOf", "oneOf", "anyOf"):
            for option in schema.get(word, ()):
                yield from _branches(known, option, base, depth + 1)


def _step(known: Forms, schema: Schema, base: str, step: str | int) -> Iterator[tuple[Schema, str]]:
    for part in _parts(schema, step):
        yield from _branches(known, part, base)


def _parts(schema: Schema, step: str | int) -> list[Any]:
    """The schemas of a member of a list, or of an entry of a map."""
    if isinstance(step, int):
        return [schema["items"]] if isinstance(schema.get("items"), dict) else []
    named = schema.get("properties", {})
    parts = [named[step]] if step in named else []
    parts += [
        part for pattern, part in schema.get("patternProperties", {}).items() if re.search(pattern, step)
    ]
    if not parts and isinstance(schema.get("additionalProperties"), dict):
        parts = [schema["additionalProperties"]]
    return parts
