"""The forms of rows, as the schemas folder defines them.

`forms()` reads `schemas/*.schema.json`. A schema is that of a *form* if its root is an object that may carry
`remove`, which every row may in an overlay; the other schemas describe whole files or shared pieces. There is no
list of forms in code.

`annotated` walks a value beside its schema and yields every value that carries a keyword of ours (`KEYWORDS`), so that the
checks of references, words and expressions know no form.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Registry  # heavy, and not needed while all rows are right

from ..core.package_data import schemas as schemas_folder
from .fast_schema import Compiler, Fits, UnknownKeyword

__all__ = ["DEFAULT", "KINDS", "Annotation", "Forms", "annotated", "forms"]

KINDS: Mapping[str, str] = {
    "places": "place",
    "links": "link",
    "gates": "gate",
    "nations": "nation",
    "sides": "side",
    "units": "unit",
    "technologies": "tech",
    "resources": "resource",
    "groups": "group",
    "catalogue": "item",
    "war_kinds": "war",
}
"""The kind of thing, as fields and expressions name it, that a row of a form is."""

KEYWORDS = ("x-ref", "x-expr", "x-word", "x-fact", "x-effect", "x-text", "x-with")
DEFAULT = "default"
"""What a value is where a row does not say it: beside a `$ref` it is said of this place."""
CLOSED = ""
"""Stands in a scope whose names are all that there are (`x-names`), not an addition to the general ones."""
SLOTS_OF = "+"
"""Stands in a scope, with the id of an act, whose slots are in scope too (`x-slots-of`: the key that names the act)."""
ARRAYS = "="
"""Stands in the scope of what is compiled to arrays in battles (`x-arrays`)."""
Path_ = tuple[str | int, ...]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A value with the keywords of ours that its schema carries, and the path to it.

    `scope` holds the names that the schemas around it put in scope, each with its kind: `x-names` says which there are (and
    marks it `CLOSED`), `x-scope` adds some, `x-slots-of` the slots of an act (`SLOTS_OF`). `is_key`: the value
    is the key at the end of the path, not what stands under it.
    """

    path: tuple[str | int, ...]
    value: Any
    schema: Mapping[str, Any]
    scope: Mapping[str, str]
    is_key: bool = False

    @property
    def refs(self) -> tuple[str, ...]:
        """The forms of which the value is an id (`x-ref` names one or several); none if it is no reference."""
        named = self.schema.get("x-ref", ())
        return (named,) if isinstance(named, str) else tuple(named)


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One error of jsonschema as plain data: the keyword that failed, what it says, and the value that failed it.

    `inner` holds the errors inside the branches of `oneOf` and `anyOf`; `branch` is the number of the branch, `here` whether
    the branch fails at the value itself rather than inside it. `of_key`: the value is a key of the map at the path.
    """

    path: tuple[str | int, ...]
    word: str
    limit: Any
    schema: Schema
    value: Any
    message: str
    inner: tuple[Fault, ...]
    branch: str | int
    here: bool
    of_key: bool

    @classmethod
    def of(cls, error: Any) -> Fault:
        return cls(
            tuple(error.absolute_path),
            str(error.validator),
            error.validator_value,
            error.schema if isinstance(error.schema, dict) else {},
            error.instance,
            error.message,
            tuple(cls.of(e) for e in error.context or ()),
            error.schema_path[0] if error.schema_path else "",
            not error.relative_path,
            "propertyNames" in error.schema_path and isinstance(error.instance, str),
        )


@dataclass(frozen=True, eq=False)
class Forms:
    """All schemas of one folder, by file name."""

    files: Mapping[str, Schema]
    digest: str
    names: tuple[str, ...] = ()
    _compiled: dict[int, Fits | None] = field(default_factory=dict)

    def __contains__(self, form: object) -> bool:
        return form in self.names

    def schema(self, form: str) -> Schema:
        return self.files[f"{form}.schema.json"]

    def has_file(self, name: str) -> bool:
        return f"{name}.schema.json" in self.files

    def keys(self, form: str) -> list[str]:
        """The keys that rows of the form may have by themselves."""
        return list(self.schema(form).get("properties", {}))

    def is_open(self, form: str) -> bool:
        """Whether rows may have further keys: declared fields."""
        return self.schema(form).get("additionalProperties", True) is not False

    def has_id(self, form: str) -> bool:
        """Whether rows have an id of their own; otherwise it is made from the ends they join."""
        return "id" in self.schema(form).get("properties", {})

    def fits(self, schema: Any, base: str, value: Any) -> bool:
        """Whether a value fits a schema that stands in the file `base`."""
        if not isinstance(schema, dict):
            return bool(schema)
        if id(schema) not in self._compiled:
            try:
                self._compiled[id(schema)] = self._compiler.fits(schema, base)
            except UnknownKeyword:
                self._compiled[id(schema)] = None
        test = self._compiled[id(schema)]
        return test(value) if test else self._judge(schema, base).is_valid(value)

    def faults(self, name: str, value: Any) -> list[Fault]:
        """All that jsonschema has to say about a row of a form, or about a file of a kind."""
        schema = self.schema(name)
        if self.fits(schema, f"{name}.schema.json", value):
            return []
        return [Fault.of(error) for error in self._judge(schema, "").iter_errors(value)]

    def _judge(self, schema: Schema, base: str) -> Validator:
        """jsonschema's validator of a schema; `base` is the file if the schema is only a part of it."""
        from jsonschema import Draft7Validator  # heavy, and not needed while all rows are right

        return Draft7Validator(_absolute(schema, base) if base else schema, registry=_registry(self))

    @cached_property
    def _compiler(self) -> Compiler:
        return Compiler(self.resolve)

    def resolve(self, schema: Any, base: str) -> tuple[Schema, str]:
        """Follow `$ref`: the schema meant, and the file it stands in. Keywords beside a `$ref` are kept."""
        for _ in range(20):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            file, _, pointer = str(schema["$ref"]).partition("#")
            base = file or base
            target: Any = self.files[base]
            for part in pointer.strip("/").split("/") if pointer.strip("/") else []:
                target = target[part.replace("~1", "/").replace("~0", "~")]
            beside = {k: v for k, v in schema.items() if k in KEYWORDS or k == DEFAULT}
            schema = {**target, **beside} if beside and isinstance(target, dict) else target
        return (schema if isinstance(schema, dict) else {}), base


def forms(folder: Path | None = None) -> Forms:
    """The forms of a schemas folder; the shipped one by default. Read again when a file there has changed."""
    folder = folder or schemas_folder()
    paths = sorted(folder.glob("*.schema.json"))
    return _read(tuple((p, p.stat().st_mtime_ns, p.stat().st_size) for p in paths))


@lru_cache(maxsize=8)
def _read(stamped: tuple[tuple[Path, int, int], ...]) -> Forms:
    files: dict[str, Schema] = {}
    digest = hashlib.sha256()
    for path, _, _ in stamped:
        data = path.read_bytes()
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(data).digest())
        files[path.name] = json.loads(data)
    names = tuple(name.removesuffix(".schema.json") for name, schema in files.items() if _is_form(schema))
    return Forms(files, digest.hexdigest(), names)


def _absolute(schema: Any, base: str) -> Any:
    """A part of a file with its references written out, so that it can be used by itself."""
    if isinstance(schema, dict):
        inside = isinstance(schema.get("$ref"), str) and schema["$ref"].startswith("#")
        return {k: base + v if k == "$ref" and inside else _absolute(v, base) for k, v in schema.items()}
    return [_absolute(item, base) for item in schema] if isinstance(schema, list) else schema


def _is_form(schema: Schema) -> bool:
    return schema.get("type") == "object" and "remove" in schema.get("properties", {})


@lru_cache(maxsize=8)
def _registry(found: Forms) -> Registry[Any]:
    from referencing import Registry  # heavy, and not needed while all rows are right
    from referencing.jsonschema import DRAFT7

    empty: Registry[Any] = Registry()
    return empty.with_resources((name, DRAFT7.create_resource(schema)) for name, schema in found.files.items()).crawl()


# --- the walk


def annotated(known: Forms, form: str, value: Any, words: Sequence[str] = KEYWORDS) -> Iterator[Annotation]:
    """Every part of a row whose schema carries `x-ref` or `x-expr` (or other keywords, `words`), with the path to it.

    Of `oneOf` and `anyOf` the first branch is taken that the value fits; of a value that fits none, nothing is said
    (the schema check has said it).
    """
    yield from _Walk(known, words).walk(known.schema(form), f"{form}.schema.json", value, (), {})


class _Walk:
    def __init__(self, known: Forms, words: Sequence[str]) -> None:
        self.known = known
        self.words = words

    def walk(
        self, raw: Any, base: str, value: Any, path: Path_, scope: Mapping[str, str], words: Any = None
    ) -> Iterator[Annotation]:
        """`words`: the `x-word` that stands beside a `$ref` around, and is said of the shapes in what it refers to."""
        schema, base = self.known.resolve(raw, base)
        if isinstance(raw, dict) and "$ref" in raw and "x-word" in raw:
            words = raw["x-word"]
        for told in (raw, schema):  # a scope may stand beside a `$ref`
            if isinstance(told, dict) and "x-names" in told:
                scope = {CLOSED: "", **told["x-names"]}
            if isinstance(told, dict) and "x-slots-of" in told and isinstance(value, dict):
                scope = {**scope, SLOTS_OF: str(value.get(told["x-slots-of"]))}
            if isinstance(told, dict) and told.get("x-arrays"):
                scope = {**scope, ARRAYS: ""}
            if isinstance(told, dict) and "x-scope" in told:
                scope = {**scope, **told["x-scope"]}
        if any(k in schema for k in self.words):
            told = {k: v for k, v in schema.items() if k.startswith("x-") or k in self.words}
            if "x-word" in told and words is not None:
                told["x-word"] = words
            if "oneOf" in schema or "anyOf" in schema:
                told.pop("x-word", None)
            yield Annotation(path, value, told, scope)
        for part in schema.get("allOf", ()):
            yield from self.walk(part, base, value, path, scope, words)
        for word in ("oneOf", "anyOf"):
            for option in schema.get(word, ()):
                if self.known.fits(option, base, value):
                    yield from self.walk(option, base, value, path, scope, words)
                    break
        if isinstance(value, dict):
            yield from self.entries(schema, base, value, path, scope)
        elif isinstance(value, list) and isinstance(schema.get("items"), dict):
            for index, item in enumerate(value):
                yield from self.walk(schema["items"], base, item, (*path, index), scope, words)

    def entries(
        self, schema: Schema, base: str, value: dict[str, Any], path: Path_, scope: Mapping[str, str]
    ) -> Iterator[Annotation]:
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        names = schema.get("propertyNames")
        for key, item in value.items():
            if names is not None:
                for found in self.walk(names, base, key, (*path, key), scope):
                    yield replace(found, is_key=True)
            parts = [named[key]] if key in named else []
            parts += [part for pattern, part in patterns.items() if re.search(pattern, key)]
            if not parts and isinstance(schema.get("additionalProperties"), dict):
                parts = [schema["additionalProperties"]]
            for part in parts:
                yield from self.walk(part, base, item, (*path, key), scope)
