"""Whether a value fits a schema: yes or no, fast.

jsonschema says what is wrong with a value and takes about a millisecond for a row; most rows are right. A
schema is compiled once to nested functions that answer only yes or no; where they say no, jsonschema is asked
for the reasons. A keyword that is not known here makes the whole schema fall back to jsonschema, so that
nothing is ever passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["Compiler", "Fits", "UnknownKeyword"]

Fits = Callable[[Any], bool]
Resolve = Callable[[Any, str], tuple[dict[str, Any], str]]

_SILENT = frozenset(
    {
        "$schema",
        "$id",
        "$comment",
        "title",
        "description",
        "default",
        "examples",
        "definitions",
        "format",
        "then",
        "else",
    }
)


class UnknownKeyword(Exception):
    """The schema uses a keyword that is not compiled here."""


class Compiler:
    """Compiles schemas; each is compiled once, so that schemas may contain themselves."""

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        self.done: dict[int, Fits] = {}
        self.kept: list[Any] = []

    def fits(self, schema: Any, base: str) -> Fits:
        if isinstance(schema, bool):
            return lambda value: schema
        if "$ref" in schema:
            schema, base = self.resolve({"$ref": schema["$ref"]}, base)
        known = self.done.get(id(schema))
        if known is not None:
            return known
        self.kept.append(schema)  # keeps the id from being used again
        tests: list[Fits] = []

        def check(value: Any) -> bool:
            for test in tests:  # noqa: SIM110 - a loop is twice as fast as `all` here, and is run for every value
                if not test(value):
                    return False
            return True

        self.done[id(schema)] = check
        for word, given in schema.items():
            if word in _SILENT or word.startswith("x-"):
                continue
            make = getattr(self, f"_{word.strip('$')}", None)
            if make is None:
                raise UnknownKeyword(word)
            test = make(given, schema, base)
            if test is not None:
                tests.append(test)
        if len(tests) == 1:
            self.done[id(schema)] = tests[0]
        return self.done[id(schema)]

    # One method for each keyword: (what it says, the schema around it, the file) to a test, or None if
    # another does it.

    def _type(self, given: Any, schema: Any, base: str) -> Fits:
        tests = tuple(_TYPES[t] for t in ([given] if isinstance(given, str) else given))
        if len(tests) == 1:
            return tests[0]
        return lambda v: any(t(v) for t in tests)

    def _enum(self, given: Any, schema: Any, base: str) -> Fits:
        if all(isinstance(g, str) for g in given):
            words = frozenset(given)
            return lambda v: isinstance(v, str) and v in words
        return lambda v: any(_same(v, g) for g in given)

    def _const(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: _same(v, given)

    def _pattern(self, given: Any, schema: Any, base: str) -> Fits:
        search = re.compile(given).search
        return lambda v: not isinstance(v, str) or search(v) is not None

    def _minLength(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, str) or len(v) >= given

    def _maxLength(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, str) or len(v) <= given

    def _minimum(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not _number(v) or v >= given

    def _maximum(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not _number(v) or v <= given

    def _exclusiveMinimum(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not _number(v) or v > given

    def _exclusiveMaximum(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not _number(v) or v < given

    def _items(self, given: Any, schema: Any, base: str) -> Fits:
        if isinstance(given, list):
            raise UnknownKeyword("items as a list")
        fits = self.fits(given, base)
        return lambda v: not isinstance(v, list) or all(map(fits, v))

    def _minItems(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, list) or len(v) >= given

    def _maxItems(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, list) or len(v) <= given

    def _uniqueItems(self, given: Any, schema: Any, base: str) -> Fits:
        def unique(v: Any) -> bool:
            if not isinstance(v, list):
                return True
            if all(isinstance(a, str) for a in v):
                return len(set(v)) == len(v)
            return not any(_same(a, b) for i, a in enumerate(v) for b in v[:i])

        return unique if given else lambda v: True

    def _properties(self, given: Any, schema: Any, base: str) -> Fits | None:
        return (
            None
            if "additionalProperties" in schema or "patternProperties" in schema
            else self._object(schema, base)
        )

    def _patternProperties(self, given: Any, schema: Any, base: str) -> Fits | None:
        return None if "additionalProperties" in schema else self._object(schema, base)

    def _additionalProperties(self, given: Any, schema: Any, base: str) -> Fits:
        return self._object(schema, base)

    def _object(self, schema: Any, base: str) -> Fits:
        named = {k: self.fits(s, base) for k, s in schema.get("properties", {}).items()}
        patterns = [
            (re.compile(p).search, self.fits(s, base)) for p, s in schema.get("patternProperties", {}).items()
        ]
        other = self.fits(schema.get("additionalProperties", True), base)

        def check(v: Any) -> bool:
            if not isinstance(v, dict):
                return True
            for key, item in v.items():
                fits = named.get(key)
                if fits is not None and not fits(item):
                    return False
                if patterns and (matching := [f for search, f in patterns if search(key)]):
                    if not all(f(item) for f in matching):
                        return False
                elif fits is None and not other(item):
                    return False
            return True

        return check

    def _propertyNames(self, given: Any, schema: Any, base: str) -> Fits:
        fits = self.fits(given, base)
        return lambda v: not isinstance(v, dict) or all(map(fits, v))

    def _required(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, dict) or all(k in v for k in given)

    def _minProperties(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, dict) or len(v) >= given

    def _maxProperties(self, given: Any, schema: Any, base: str) -> Fits:
        return lambda v: not isinstance(v, dict) or len(v) <= given

    def _dependencies(self, given: Any, schema: Any, base: str) -> Fits:
        if not all(isinstance(keys, list) for keys in given.values()):
            raise UnknownKeyword("dependencies with a schema")
        return lambda v: (
            not isinstance(v, dict)
            or all(k not in v or all(n in v for n in need) for k, need in given.items())
        )

    def _oneOf(self, given: Any, schema: Any, base: str) -> Fits:
        options = [self.fits(s, base) for s in given]
        return lambda v: sum(f(v) for f in options) == 1

    def _anyOf(self, given: Any, schema: Any, base: str) -> Fits:
        options = [self.fits(s, base) for s in given]
        return lambda v: any(f(v) for f in options)

    def _allOf(self, given: Any, schema: Any, base: str) -> Fits:
        options = [self.fits(s, base) for s in given]
        return lambda v: all(f(v) for f in options)

    def _not(self, given: Any, schema: Any, base: str) -> Fits:
        fits = self.fits(given, base)
        return lambda v: not fits(v)

    def _if(self, given: Any, schema: Any, base: str) -> Fits:
        test = self.fits(given, base)
        yes = self.fits(schema.get("then", True), base)
        no = self.fits(schema.get("else", True), base)
        return lambda v: yes(v) if test(v) else no(v)


def _number(value: Any) -> bool:
    return isinstance(value, (int, Fraction, float)) and not isinstance(value, bool)


def _same(a: Any, b: Any) -> bool:
    """Equal as JSON: true is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    return bool(a == b)


_TYPES: Mapping[str, Fits] = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": _number,
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}
