"""The types of rows, made from the schemas of tables, so that mypy knows which keys a row of a table has.

`python -m wteaw.ruleset.row_types` writes `core/rows.pyi` after a schema has changed; a test tells when that
was forgotten. A row stays the mapping that its table holds; its type says which keys there are and what
stands under them. What may be written in several ways, as most figures can (a number, a fraction, an
expression), is `Any`: the functions that read them say which they take.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from pathlib import Path
from typing import Any, Final

from .forms import Forms, forms

TARGET: Final = Path(__file__).resolve().parent.parent / "core" / "rows.pyi"
OVERLAY_ONLY: Final = ("append", "remove", "before", "after", "wrap", "unwrap")
"""Keys that a row has only until it is laid over the rows below it."""
SCALARS: Final = {"string": "str", "integer": "int", "boolean": "bool"}
SINGULARS: Final = {"aliases": "alias", "ices": "ix", "ies": "y", "ria": "rion", "s": ""}
SHARED: Final = ("need", "delayed", "drawn", "results", "case", "leaving", "outcomes", "effect")
"""Definitions of `common.schema.json` that are maps with keys: each has one class."""
_HEAD: Final = """# The types of rows of all tables. Made by `python -m wteaw.ruleset.row_types`; do not edit.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, overload

Row = Mapping[str, Any]
"""
_CLASS: Final = "\nclass {name}(TypedDict, total=False):\n{keys}\n"
_CALL: Final = '\n{name} = TypedDict(\n    "{name}",\n    {{\n{keys}\n    }},\n    total=False,\n)\n'
"""For maps with keys that are no names in Python, such as `from`."""
_READERS: Final = (
    '(self, form: Literal["{form}"]) -> Mapping[str, {row}]: ...',
    '(self, form: Literal["{form}"], id_: str) -> {row}: ...',
    '(self, form: Literal["{form}"], id_: str | None) -> {row}: ...',
)
_READ: Final = ("rows", "row", "row_or_empty")


def row_types(known: Forms) -> str:
    """The text of the module of row types."""
    classes = _Classes(known)
    names = {form: classes.row(form) for form in known.names}
    lines = [_HEAD, *classes.texts.values(), "\nclass Tables:\n    forms: Mapping[str, Mapping[str, Row]]\n"]
    for method, signature in zip(_READ, _READERS, strict=True):
        for form, row in names.items():
            lines.append("    @overload\n    def " + method + signature.format(form=form, row=row) + "\n")
        lines.append(
            "    @overload\n    def "
            + method
            + signature.replace('Literal["{form}"]', "str").format(row="Row")
            + "\n"
        )
    return "".join(lines)


def write() -> None:
    """Write the module."""
    TARGET.write_text(row_types(forms()), encoding="utf-8")


class _Classes:
    """The classes of rows and of the maps in them, in the order in which they are needed."""

    def __init__(self, known: Forms) -> None:
        self.known = known
        self.texts: dict[str, str] = {}
        self._names: dict[int, str] = {}
        """The class of each schema, by its properties: one schema has one, however often it is met."""

    def row(self, form: str) -> str:
        schema = self.known.schema(form)
        name = _camel(_singular(form)) + "Row"
        properties = {"id": {"type": "string"}, **schema["properties"]}
        self._names[id(schema["properties"])] = name
        own = {key: value for key, value in properties.items() if key not in OVERLAY_ONLY}
        self._map(name, own, {"id", *schema.get("required", ())}, f"{form}.schema.json")
        return name

    def type(self, schema: Any, name: str, base: str) -> str:
        """The type of a value; `name` is that of its class if it is a map, `base` the file in which the
        schema stands.
        """
        if not isinstance(schema, Mapping):
            return "Any"
        if "$ref" in schema:
            if schema["$ref"].rpartition("/")[2] in SHARED:
                name = _camel(schema["$ref"].rpartition("/")[2])
            schema, base = self.known.resolve(schema, base)
        if len(schema.get("allOf", ())) == 1:
            return self.type(schema["allOf"][0], name, base)
        kind = schema.get("type")
        if isinstance(kind, str) and kind in SCALARS:
            return SCALARS[kind]
        if all(isinstance(word, str) for word in schema.get("enum", (None,))):
            return "str"
        if kind == "array":
            return f"Sequence[{self.type(schema.get('items'), name, base)}]"
        if kind == "object" and schema.get("properties"):
            known = self._names.setdefault(id(schema["properties"]), name)
            if known == name and name not in self.texts:
                self._map(name, schema["properties"], set(schema.get("required", ())), base)
            return known
        if kind == "object":
            inner = schema.get("additionalProperties")
            return f"Mapping[str, {self.type(inner, name, base)}]"
        return "Any"

    def _map(self, name: str, properties: Mapping[str, Any], required: set[str], base: str) -> None:
        """Write a class."""
        self.texts[name] = ""  # in the order in which they are met; its keys may lead back to it
        types = {}
        for key, value in properties.items():
            type_ = self.type(value, name.removesuffix("Row") + _camel(key), base)
            types[key] = f"Required[{type_}]" if key in required else type_
        if all(key.isidentifier() and not iskeyword(key) for key in types):
            lines = [f"    {key}: {type_}" for key, type_ in types.items()]
            self.texts[name] = _CLASS.format(name=name, keys="\n".join(lines))
        else:
            lines = [f'        "{key}": {type_},' for key, type_ in types.items()]
            self.texts[name] = _CALL.format(name=name, keys="\n".join(lines))


def _camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\-]", word))


def _singular(form: str) -> str:
    for ending, instead in SINGULARS.items():
        if form.endswith(ending):
            return form[: len(form) - len(ending)] + instead
    return form


if __name__ == "__main__":
    write()
