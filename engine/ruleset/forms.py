"""The forms of rows, as the schemas folder defines them.

`forms()` reads `schemas/*.schema.json`. A schema is that of a *form* if its root is an object that may carry
`remove`, which every row may in an overlay; the other schemas describe whole files or shared pieces. There is
no list of forms in code.

`annotated` walks a value beside its schema and yields every value that carries a keyword of ours
(`KEYWORDS`), so that the checks of references, words and expressions know no form.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.nested import with_floats

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft7Validator
    from jsonschema_rs import Registry as Documents
    from referencing import Registry  # heavy, and not needed while all rows are right

from ..core.package_data import schemas as schemas_folder

KINDS: Mapping[str, str] = {
    "places": "place",
    "links": "link",
    "passages": "passage",
    "nations": "nation",
    "sides": "side",
    "units": "unit",
    "technologies": "tech",
    "resources": "resource",
    "groups": "group",
    "production": "item",
    "war_kinds": "war",
    "cards": "card",
}
"""The kind of thing, as fields and expressions name it, that a row of a form is."""

KEYWORDS = ("x-ref", "x-expr", "x-word", "x-trigger", "x-effect", "x-text", "x-with", "x-kind", "x-most")
DEFAULT = "default"
"""What a value is where a row does not say it: beside a `$ref` it is said of this place."""
CLOSED = ""
"""Stands in a scope whose names are all that there are (`x-names`), not an addition to the general ones."""
_ADDRESS = "json-schema:///"
"""What goes before the names of files where jsonschema-rs follows references."""
SLOTS_OF = "+"
"""Stands in a scope, with a row (`form/id`) whose slots are in scope too (`x-slots-of`: the key that names
the row).
"""
ARRAYS = "="
"""Stands in the scope of what is compiled to arrays in battles (`x-arrays`)."""
Path_ = tuple[str | int, ...]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A value with the keywords of ours that its schema carries, and the path to it.

    `scope` holds the names that the schemas around it put in scope, each with its kind: `x-names` says which
    there are (and marks it `CLOSED`), `x-scope` adds some, `x-slots-of` the slots of another row
    (`SLOTS_OF`). `is_key`: the value is the key at the end of the path, not what stands under it.
    """

    path: tuple[str | int, ...]
    value: Any
    schema: Mapping[str, Any]
    scope: Mapping[str, str]
    is_key: bool = False

    @property
    def refs(self) -> tuple[str, ...]:
        """The forms of which the value is an id (`x-ref` names one or several); none if it is no
        reference.
        """
        named = self.schema.get("x-ref", ())
        return (named,) if isinstance(named, str) else tuple(named)


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One error of jsonschema as plain data: the keyword that failed, what it says, and the value that failed
    it.

    `inner` holds the errors inside the branches of `oneOf` and `anyOf`; `branch` is the number of the branch,
    `here` whether the branch fails at the value itself rather than inside it. `of_key`: the value is a key of
    the map at the path.
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
    _validators: dict[int, tuple[Schema, Draft7Validator]] = field(default_factory=dict)
    """By the identity of a schema, which is kept with its validator so that no other gets that identity."""
    spots: dict[tuple[str, ...], dict[tuple[int, str], _Spot]] = field(default_factory=dict)
    bearing: dict[tuple[str, ...], dict[tuple[int, str], bool]] = field(default_factory=dict)
    """What the walk for some keywords has made of schemas, by their identity and file."""

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
        if id(schema) not in self._validators:
            self._validators[id(schema)] = schema, self._validator(schema, base)
        return self._validators[id(schema)][1].is_valid(with_floats(value))  # it knows JSON alone

    def _validator(self, schema: Schema, base: str) -> Draft7Validator:
        import jsonschema_rs  # not needed for rules that the cache has

        part = _absolute(schema, base, _ADDRESS)
        return jsonschema_rs.Draft7Validator(part, registry=self._documents, validate_formats=False)

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
    def _documents(self) -> Documents:
        """The schemas as jsonschema-rs finds them, each at its address."""
        import jsonschema_rs  # not needed for rules that the cache has

        return jsonschema_rs.Registry(
            [(_ADDRESS + name, schema) for name, schema in self.files.items()], draft=jsonschema_rs.Draft7
        )

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


def _absolute(schema: Any, base: str, address: str = "") -> Any:
    """A part of a file with its references written out, so that it can be used by itself.

    `address` goes before the name of each file that is referred to.
    """
    if isinstance(schema, list):
        return [_absolute(item, base, address) for item in schema]
    if not isinstance(schema, dict):
        return schema
    written: Schema = {}
    for key, item in schema.items():
        if key == "$ref" and isinstance(item, str):
            written[key] = address + (base + item if item.startswith("#") else item)
        else:
            written[key] = _absolute(item, base, address)
    return written


def _is_form(schema: Schema) -> bool:
    return schema.get("type") == "object" and "remove" in schema.get("properties", {})


@lru_cache(maxsize=8)
def _registry(found: Forms) -> Registry[Any]:
    from referencing import Registry  # heavy, and not needed while all rows are right
    from referencing.jsonschema import DRAFT7

    empty: Registry[Any] = Registry()
    return empty.with_resources(
        (name, DRAFT7.create_resource(schema)) for name, schema in found.files.items()
    ).crawl()


# --- the walk


def annotated(known: Forms, form: str, value: Any, words: Sequence[str] = KEYWORDS) -> Iterator[Annotation]:
    """Every part of a row whose schema carries `x-ref` or `x-expr` (or other keywords, `words`), with the
    path to it.

    Of `oneOf` and `anyOf` the first branch is taken that the value fits; of a value that fits none, nothing
    is said (the schema check has said it).
    """
    yield from _Walk(known, words).walk(known.schema(form), f"{form}.schema.json", value, (), {})


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A schema as the walk needs it, `$ref` followed: what it says of the value, and which schemas say
    something of its parts.
    """

    base: str
    told: Mapping[str, Any]
    """The keywords that are asked for, and ours beside them; empty if it carries none."""
    names: Mapping[str, str] | None
    more: Mapping[str, str]
    slots_of: tuple[str, str] | None
    word: Any
    """The `x-word` beside a `$ref`."""
    all_of: tuple[Any, ...]
    any_of: tuple[tuple[Any, ...], ...]
    """For each of `oneOf` and `anyOf`, its branches."""
    named: Mapping[str, Any]
    """Key to its schema, None if nothing is said there."""
    patterns: tuple[tuple[re.Pattern[str], Any], ...]
    keys: Any
    others: Any
    items: Any


class _Walk:
    """The walk of one form's rows.

    Schemas below which nothing is said are passed over: most of a row of the map is plain.
    """

    def __init__(self, known: Forms, words: Sequence[str]) -> None:
        self.known = known
        self.words = words
        self.spots: dict[tuple[int, str], _Spot] = known.spots.setdefault(tuple(words), {})
        self.bear: dict[tuple[int, str], bool] = known.bearing.setdefault(tuple(words), {})

    def spot(self, raw: Any, base: str) -> _Spot:
        """What the walk needs of a schema, made once."""
        found = self.spots.get((id(raw), base))
        if found is None:
            found = self.spots[id(raw), base] = self._made(raw, base)
        return found

    def _made(self, raw: Any, base: str) -> _Spot:
        schema, at = self.known.resolve(raw, base)
        told = {k: v for k, v in schema.items() if k.startswith("x-") or k in self.words}
        if "oneOf" in schema or "anyOf" in schema:
            told.pop("x-word", None)
        names: Mapping[str, str] | None = None
        more: dict[str, str] = {}
        slots_of: tuple[str, str] | None = None
        for part in (raw, schema):  # a scope may stand beside a `$ref`
            if isinstance(part, dict):
                if "x-names" in part:
                    names, more, slots_of = {CLOSED: "", **part["x-names"]}, {}, None
                if (key := part.get("x-slots-of")) is not None:
                    slots_of = part["properties"][key]["x-ref"], key
                more |= {ARRAYS: ""} if part.get("x-arrays") else {}
                more |= part.get("x-scope", {})
        return _Spot(
            at,
            told if any(k in schema for k in self.words) else {},
            names,
            more,
            slots_of,
            raw["x-word"] if isinstance(raw, dict) and "$ref" in raw and "x-word" in raw else None,
            tuple(self._worth(schema.get("allOf", ()), at)),
            tuple(
                tuple(schema[word])
                for word in ("oneOf", "anyOf")
                if word in schema and any(True for _ in self._worth(schema[word], at))
            ),
            {k: part if self.bears(part, at) else None for k, part in schema.get("properties", {}).items()},
            tuple((re.compile(k), part) for k, part in schema.get("patternProperties", {}).items()),
            schema["propertyNames"] if self.bears(schema.get("propertyNames"), at) else None,
            schema["additionalProperties"] if self.bears(schema.get("additionalProperties"), at) else None,
            schema["items"] if self.bears(schema.get("items"), at) else None,
        )

    def _worth(self, parts: Iterable[Any], base: str) -> Iterator[Any]:
        return (part for part in parts if self.bears(part, base))

    def bears(self, raw: Any, base: str) -> bool:
        """Whether a schema, or one of those inside it, carries a keyword that is asked for."""
        if not isinstance(raw, dict):
            return False
        known = self.bear.get((id(raw), base))
        if known is not None:
            return known
        self.bear[id(raw), base] = True  # inside itself: not known yet, so it is looked at
        schema, at = self.known.resolve(raw, base)
        parts: list[Any] = [*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())]
        parts += [*schema.get("properties", {}).values(), *schema.get("patternProperties", {}).values()]
        parts += [schema.get(word) for word in ("propertyNames", "additionalProperties", "items")]
        found = any(word in schema for word in self.words) or any(self.bears(part, at) for part in parts)
        self.bear[id(raw), base] = found
        return found

    def walk(
        self, raw: Any, base: str, value: Any, path: Path_, scope: Mapping[str, str], words: Any = None
    ) -> Iterator[Annotation]:
        """`words`: the `x-word` that stands beside a `$ref` around, and is said of the shapes in what it
        refers to.
        """
        spot = self.spot(raw, base)
        words = words if spot.word is None else spot.word
        if spot.names is not None:
            scope = spot.names
        if spot.slots_of and isinstance(value, dict):
            form, key = spot.slots_of
            scope = {**scope, SLOTS_OF: f"{form}/{value.get(key)}"}
        if spot.more:
            scope = {**scope, **spot.more}
        if spot.told:
            told = spot.told if words is None or "x-word" not in spot.told else {**spot.told, "x-word": words}
            yield Annotation(path, value, told, scope)
        for part in spot.all_of:
            yield from self.walk(part, spot.base, value, path, scope, words)
        for options in spot.any_of:
            for option in options:
                if self.known.fits(option, spot.base, value):
                    if self.bears(option, spot.base):
                        yield from self.walk(option, spot.base, value, path, scope, words)
                    break
        if isinstance(value, dict):
            yield from self.entries(spot, value, path, scope)
        elif isinstance(value, list) and spot.items is not None:
            for index, item in enumerate(value):
                yield from self.walk(spot.items, spot.base, item, (*path, index), scope, words)

    def entries(
        self, spot: _Spot, value: dict[str, Any], path: Path_, scope: Mapping[str, str]
    ) -> Iterator[Annotation]:
        """What stands in a map, key by key."""
        for key, item in value.items():
            if spot.keys is not None:
                for found in self.walk(spot.keys, spot.base, key, (*path, key), scope):
                    yield replace(found, is_key=True)
            part = spot.named.get(key)
            if part is not None:
                yield from self.walk(part, spot.base, item, (*path, key), scope)
            fitting = (
                [part for pattern, part in spot.patterns if pattern.search(key)] if spot.patterns else []
            )
            if not fitting and key not in spot.named and spot.others is not None:
                fitting = [spot.others]
            for part in fitting:
                yield from self.walk(part, spot.base, item, (*path, key), scope)
