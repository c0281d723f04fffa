"""Pages of schemas: every key of a schema with every key inside it, what may stand there and what it is for.

A map inside a row gets a section of its own, named by the way to it (`battles.stages.loss`); what several
tables share stands once, on the page `shared.md`, and is linked. Every key has an anchor:
`PAGE.html#battles.stages.loss.by`. Where most keys of a map go by what one of them says (`x-with`), the keys
of all kinds come first and then those of each kind under its own heading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wteaw.ruleset.forms import Forms

__all__ = ["COMMON", "Writer", "cell", "prose", "target", "used_when"]

COMMON = "common.schema.json"
OWN_PAGES = {"effect": "effects.md", "trigger": "triggers.md", "triggerWord": "triggers.md"}
"""Shared definitions that have a page of their own; all others stand on `shared.md`."""
KINDS = {
    "object": "map",
    "boolean": "true or false",
    "string": "text",
    "integer": "whole number",
    "array": "list",
    "null": "nothing",
}
SOURCES = {
    "scope": "a name in scope",
    "scope.field": "a field of a name in scope",
    "tag": "a tag of units",
    "link-kind": "a kind of link",
    "works": "a kind of works",
    "step": "the id of a step",
    "slot": "a slot of the row",
}
"""What `x-word` calls the sources of words, in words."""


def prose(text: str) -> str:
    """A sentence of a schema as Markdown: nothing in it is markup but its code."""
    parts = " ".join(str(text).split()).split("`")
    return "`".join(
        p if n % 2 else p.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
        for n, p in enumerate(parts)
    )


def cell(text: str) -> str:
    """The same in a cell of a table."""
    return prose(text).replace("|", "\\|")


def target(path: str) -> str:
    """The label of a section, by which other pages of the site link to it."""
    return f"ref-{path.replace('.', '-').replace('_', '-').lower()}"


def anchor(path: str) -> str:
    """An anchor that stands inside a line."""
    return f'<span id="{path}"></span>'


@dataclass
class Writer:
    """Writes sections of schemas, and remembers which map of keys stands in which section of which page."""

    known: Forms
    written: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Identity of a map of keys (`properties`) -> its page, and the path that its anchors begin with."""

    def section(self, page: str, path: str, raw: Any, base: str, skip: Iterable[str] = ()) -> Iterator[str]:
        """The keys of a map, and then a section for each map inside it.

        `skip`: keys that are told elsewhere.
        """
        inside: list[tuple[str, Any, str]] = []
        for schema, at in self._shapes(raw, base):
            keys = schema["properties"]
            if id(keys) in self.written:
                continue
            self.written[id(keys)] = page, path
            told = {k: v for k, v in keys.items() if k not in skip}
            by = union_by(keys)
            own = {key for key in told if any(word is not None for word in _asked(told[key]).get(by, ()))}
            yield from self.table(
                path, {k: v for k, v in told.items() if k not in own}, at, schema.get("required", ())
            )
            if own:
                yield from self.kinds(path, by, keys[by], {k: v for k, v in told.items() if k in own}, at)
            inside += [(key, inner, at) for key, inner in keys.items() if key not in skip]
        for key, inner, at in inside:
            yield from self.below(page, f"{path}.{key}", inner, at)

    def below(self, page: str, path: str, raw: Any, base: str) -> Iterator[str]:
        """The section of a key under which maps stand that are told nowhere else."""
        if not any(id(schema["properties"]) not in self.written for schema, _ in self._shapes(raw, base)):
            return
        schema, _ = self.known.resolve(raw, base)
        says = raw.get("description") or schema.get("description", "") if isinstance(raw, dict) else ""
        yield from (f"({target(path)})=", f"## `{path.partition('.')[2]}`", "", prose(says), "")
        yield from self.section(page, path, raw, base)

    def _shapes(self, raw: Any, base: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Every schema with keys in a value itself, in its branches, its members or its entries; not behind
        `$ref`.
        """
        if not isinstance(raw, dict) or "$ref" in raw:
            return
        if "properties" in raw:
            yield raw, base
        parts = [part for word in ("oneOf", "anyOf", "allOf") for part in raw.get(word, ())]
        parts += [
            raw.get("items"),
            raw.get("additionalProperties"),
            *raw.get("patternProperties", {}).values(),
        ]
        for part in parts:
            yield from self._shapes(part, base)

    def kinds(self, path: str, by: str, raw: Any, keys: Mapping[str, Any], base: str) -> Iterator[str]:
        """The keys that only some kinds of row read, under a heading for each kind; `raw` is what may stand
        at the key `by` that says which it is.
        """
        inner, _ = self.known.resolve(raw, base)
        anchored: set[str] = set()
        for word in inner["enum"]:
            own = {key: told for key, told in keys.items() if word in _asked(told)[by]}
            if not own:
                continue
            given = " (the default)" if word == inner.get("default") else ""
            yield from (f"({target(f'{path}.{by}.{word}')})=",)
            yield from (f"{'###' if '.' in path else '##'} Only with `{by}: {word}`{given}", "")
            if says := inner.get("x-says", {}).get(word):
                yield from (prose(says), "")
            yield from self.table(path, own, base, (), anchored, by)
            anchored |= own.keys()

    def table(
        self,
        path: str,
        keys: Mapping[str, Any],
        base: str,
        needed: Iterable[str],
        anchored: Iterable[str] = (),
        by: str = "",
    ) -> Iterator[str]:
        """A Markdown table of keys. `anchored`: those that have their anchor already; `by`: what the heading
        says of the kind of row.
        """
        if not keys:
            return
        yield from ("| key | what stands there | what it is for |", "| --- | --- | --- |")
        for key, raw in keys.items():
            inner, _ = self.known.resolve(raw, base)
            says = (raw.get("description") or inner.get("description", "")) if isinstance(raw, dict) else ""
            more = "".join(f" {said}" for said in self.remarks(raw, inner, by))
            where = f"{path}.{key}"
            name = f"{'' if key in anchored else anchor(where)}`{key}`{' (needed)' if key in needed else ''}"
            yield f"| {name} | {self.kind(raw, base, where)} | {cell(says)}{more} |"
        yield ""

    def remarks(self, raw: Any, inner: Mapping[str, Any], by: str = "") -> Iterator[str]:
        """What is said of a key besides its description: its default, its words, and beside what it
        stands (but for the key `by`, if that is all).
        """
        told = {**inner, **raw} if isinstance(raw, dict) else inner
        if "default" in told and told["default"] is not None:
            value = str(told["default"]).lower() if isinstance(told["default"], bool) else told["default"]
            yield f"Default: `{value}`."
        if words := told.get("x-word"):
            named = [
                f"`{w[1:]}`" if w.startswith(":") else self.source(w)
                for w in words
                if w not in (":text", ":number", ":truth")
            ]
            if named:
                yield f"May name: {', '.join(named)}."
        others = told.get("x-with", {})
        if others and list(others) != [by]:
            yield f"Used only {used_when(others)}."
        for word, says in told.get("x-says", {}).items() if len(told.get("x-says", {})) < 8 else ():
            yield f"`{word}`: {cell(says)}"

    def source(self, word: str) -> str:
        if word in self.known:
            return f"[{word}](table-{word}.md)"
        if word.startswith("field:"):
            return f"a field of a {word.partition(':')[2]}"
        return SOURCES.get(word, word)

    def kind(self, raw: Any, base: str, path: str = "") -> str:
        """What may stand at a place, in a few words, linked to what tells more of it."""
        if not isinstance(raw, dict):
            return ""
        if "$ref" in raw and (link := self.link(raw["$ref"], base)):
            return link
        inner, base = self.known.resolve(raw, base)
        named = inner.get("x-ref")
        if named:
            return "id of " + " or ".join(
                f"[{f}](table-{f}.md)" for f in ([named] if isinstance(named, str) else named)
            )
        if "x-expr" in inner:
            gives = inner["x-expr"].get("gives", "any")
            said = {"any": "expression", "truth": "expression: yes or no"}.get(
                gives, f"expression: a {gives}"
            )
            types = [KINDS[t] for t in _types(inner) if t not in ("string", "boolean")]
            return " or ".join([*types, f"[{said}](expressions.md)"])
        if "const" in inner:
            return f"`{str(inner['const']).lower() if isinstance(inner['const'], bool) else inner['const']}`"
        if "enum" in inner:
            return ", ".join(f"`{w}`" for w in inner["enum"])
        if "allOf" in inner and "type" not in inner:
            return self.kind(inner["allOf"][0], base, path)
        if "oneOf" in inner or "anyOf" in inner:
            parts = [
                self.kind(part, base, path)
                for part in inner.get("oneOf", inner.get("anyOf", ()))
                if isinstance(part, dict)
            ]
            return " or ".join(dict.fromkeys(p for p in parts if p))
        words = []
        for kind in _types(inner):
            said = KINDS.get(kind, kind)
            if kind == "array":
                inside = self.kind(inner.get("items", {}), base, path)
                said = f"list of {inside}" if inside else "list"
            elif kind == "object":
                said = self.map_kind(inner, base, path)
            words.append(said)
        return " or ".join(words) + _range(inner)

    def map_kind(self, inner: Mapping[str, Any], base: str, path: str) -> str:
        """A map: linked to the section of its keys, or with what its entries are."""
        if "properties" in inner:
            return f"[map](#{target(path)})" if path else "map"
        keys = inner.get("propertyNames", {})
        entries = inner.get("additionalProperties")
        of = f" from {self.kind(keys, base)}" if isinstance(keys, dict) and self.kind(keys, base) else ""
        to = (
            f" to {self.kind(entries, base, path)}"
            if isinstance(entries, dict) and self.kind(entries, base, path)
            else ""
        )
        return f"map{of}{to}"

    def link(self, ref: str, base: str) -> str:
        """A link to where a shared piece is told; nothing for one that is told in place."""
        file, _, pointer = ref.partition("#")
        at = file or base
        if not pointer:
            name = at.removesuffix(".schema.json")
            return f"[{name}](table-{name}.md)" if name in self.known else ""
        parts = pointer.strip("/").split("/")
        if file and parts[0] == "properties" and len(parts) == 2:
            name = at.removesuffix(".schema.json")
            page = f"{'table' if name in self.known else 'file'}-{name}.md"
            return f"[{parts[1]}]({page}#{target(f'{name}.{parts[1]}')})"
        if parts[0] != "definitions" or len(parts) != 2:
            return ""
        if at != COMMON:
            head = f"{at.removesuffix('.schema.json')}-parts"
            return f"[{parts[1]}](#{target(f'{head}.{parts[1]}')})"
        return f"[{parts[1]}]({OWN_PAGES.get(parts[1], 'shared.md')}#{target(f'shared.{parts[1]}')})"

    def shared(self, page: str, base: str, head: str, names: Iterable[str]) -> Iterator[str]:
        """Sections of definitions that several keys refer to."""
        for name in names:
            schema = self.known.files[base]["definitions"][name]
            path = f"{head}.{name}"
            yield from (
                f"({target(path)})=",
                f"## `{name}`",
                "",
                anchor(path),
                "",
                prose(schema.get("description", "")),
                "",
            )
            if kind := self.kind({k: v for k, v in schema.items() if k != "properties"}, base):
                yield from (f"Written as: {kind}.", "")
            yield from self.words(path, schema)
            yield from self.section(page, path, schema, base)

    def words(self, path: str, schema: Any) -> Iterator[str]:
        """What each word of an enumeration means, where the schema says it (`x-says`)."""
        if not isinstance(schema, dict):
            return
        if "x-says" in schema:
            yield from ("| word | means |", "| --- | --- |")
            yield from (
                f"| {anchor(f'{path}.{w}')}`{w}` | {cell(says)} |" for w, says in schema["x-says"].items()
            )
            yield ""
            return
        for part in (*schema.get("oneOf", ())[::-1], *schema.get("properties", {}).values()):
            lines = list(self.words(path, part))
            if lines:
                yield from lines
                return


LEAST: Final = 4
"""Keys that go by the kind of a row, from which on they stand under headings of their own."""


def union_by(keys: Mapping[str, Any]) -> str:
    """The key by which a map is a union of kinds: the one of fixed words that decides (`x-with`) whether most
    of the others are read; "" if it decides of few.
    """
    named = Counter(other for raw in keys.values() for other in _asked(raw))
    found = [key for key, n in named.most_common() if n >= LEAST and "enum" in keys.get(key, {})]
    return found[0] if found else ""


def _asked(raw: Any) -> Mapping[str, Any]:
    return raw.get("x-with", {}) if isinstance(raw, dict) else {}


def used_when(others: Mapping[str, Sequence[Any]]) -> str:
    """When a key is used of which an `x-with` names other keys, each with the values that it may have then:
    any if there are none, None if it may be left out.
    """
    there = [_place(other) for other, values in others.items() if not values]
    ways = [f"together with {_listed(there)}"] if there else []
    for other, values in others.items():
        words = [f"`{str(v).lower() if isinstance(v, bool) else v}`" for v in values if v is not None]
        if words:
            left_out = ", or is left out" if None in values else ""
            ways.append(f"when {_place(other)} is {_listed(words)}{left_out}")
        elif values:
            ways.append(f"without {_place(other)}")
    return ", or ".join(ways)


def _listed(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _place(other: str) -> str:
    """A key that an `x-with` names, and where it stands if not beside."""
    name = other.rpartition("/")[2]
    if "*" in other:
        return f"`{name}` of one of the `{other.split('/')[1]}`"
    return f"`{name}` of the row" if other.startswith("/") else f"`{name}`"


def _types(schema: Mapping[str, Any]) -> list[str]:
    given = schema.get("type", [])
    return [given] if isinstance(given, str) else list(given)


def _range(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int) and isinstance(most, int) and most < 10_000:
        return f", {least} to {most}"
    return f", {least} or more" if isinstance(least, int) and abs(least) < 10_000 else ""
