"""The changes that a file of rows may be given, one at a time: each with its place, its words, and the tree
as it would be.

A change is made where the text stands: what a row takes over from another by an anchor changes with it. Text
for readers (names, labels, notes) is no rule and is left alone; so is the id of a row itself, which
everything else would miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from wteaw.core.die import parse_die
from wteaw.core.model import MANIFEST
from wteaw.ruleset.clauses import sources
from wteaw.ruleset.forms import DEFAULT, KINDS, Forms, annotated
from wteaw.ruleset.nodes import Node, plain_value
from wteaw.ruleset.order_syntax import slot_of
from wteaw.ruleset.overlay import FRAME
from wteaw.testing.equivalent import places_along, rows_of_file
from wteaw.testing.played import NOTES

from .mutate_words import Ids, of_expression, of_id, of_text, of_value, one_line, same_faces

__all__ = ["GONE", "THINGS", "ChangeVocabulary", "Mutation", "changed_file", "changes_of"]

SILENT = frozenset(
    {
        "id",
        "note",
        "text",
        "help",
        "read_back",
        "source",
        "silence",
        "description",
        "name",
        "title",
        "label",
        "plural",
        "plural_name",
        "proper_name",
    }
    | {"adjective", "aliases", "color", "symbol", "lon", "lat"}
)
"""Keys that nobody plays by."""
THINGS = (
    "nations",
    "sides",
    "places",
    "units",
    "tracks",
    "technologies",
    "resources",
    "groups",
    "actions",
    "orders",
)
"""Forms whose ids count as such even where no schema says that a value is one: the filters of facts, tags."""
MARKS = ("x-ref", "x-expr", "enum")
UNTRIED = ("clauses", "chapters", "audits")
"""Forms that say something about the rules and are none themselves, or are asked of whole games alone."""

Path = tuple[str | int, ...]


class Without(Enum):
    """In place of a new value: the key or the member is left out."""

    IT = "left out"


GONE = Without.IT


@dataclass(frozen=True, slots=True)
class ChangeVocabulary:
    """What changes are made of: ids by form, terms with their arguments; and the values that fields have
    where none is said.
    """

    ids: Ids
    terms: Mapping[str, Sequence[str]]
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change. `key` names it for good, `says` in words; `clauses` are those around it, the nearest first.

    `new` is the value, `GONE`, or with `renames` the new name of the key at the end of the path; `old` and
    `now` are the text that changes, before and after; `places` say in words where, the outermost first.
    """

    file: str
    line: int
    column: int
    form: str
    id: str
    path: Path
    new: Any
    says: str
    clauses: tuple[str, ...]
    old: str
    now: str = ""
    renames: bool = False
    places: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.file} {self.form}/{self.id} {self.says}"

    @property
    def row(self) -> str:
        return f"{self.form}/{self.id}"


def changes_of(tree: Node, known: Forms, words: ChangeVocabulary) -> Iterator[Mutation]:
    """All changes of the rows of a file, in its order."""
    seen: set[tuple[int, int, str]] = set()
    for form, id_, row in _rows(tree, known):
        for change in _Row(tree.file, form, id_, row, known, words).changes():
            place = (change.line, change.column, change.says.rpartition(": ")[2])
            if place not in seen:  # what an anchor repeats is changed with what it repeats
                seen.add(place)
                yield change


def _rows(tree: Node, known: Forms) -> Iterator[tuple[str, str, Node]]:
    """The rows of a file that may be changed, each with its form and its id; of a manifest the settings."""
    for form, id_, row in rows_of_file(tree):
        if form in UNTRIED or (form not in known and form not in (FRAME, MANIFEST)):
            continue
        if not (form == NOTES and "reason" in row.value):
            yield form, id_, row


class _Row:
    """The changes of one row."""

    def __init__(
        self, file: str, form: str, id_: str, node: Node, known: Forms, words: ChangeVocabulary
    ) -> None:
        self.file, self.form, self.id, self.node, self.words = file, form, id_, node, words
        value = plain_value(node)
        self.marks: dict[tuple[Path, bool], Mapping[str, Any]] = {}
        self.required: dict[Path, frozenset[str]] = {}
        self.defaults: dict[Path, Any] = {}
        for path, part in ((), value), (("append",), value.get("append")):
            if isinstance(part, dict) and known.has_file(form):
                for mark in annotated(known, form, part, MARKS):
                    self.marks[(*path, *mark.path), mark.is_key] = mark.schema
                for said in annotated(known, form, part, (DEFAULT,)):
                    self.defaults[(*path, *said.path)] = said.schema[DEFAULT]
                for needed in annotated(known, form, part, ("required",)):
                    self.required[(*path, *needed.path)] = frozenset(needed.schema["required"])

    def changes(self) -> Iterator[Mutation]:
        clauses = () if self.form == MANIFEST else _cited(self.node)
        yield from self._inside(self.node, (), clauses)

    def _inside(self, node: Node, path: Path, clauses: tuple[str, ...]) -> Iterator[Mutation]:
        """Changes of the members of a map or a list, and of what is in them."""
        needed = self.required.get(path, frozenset())
        for key, child in node.items():
            if key in SILENT and (path == () or key != "text"):
                continue
            here = (*path, key)
            near = _nearer(child, clauses)
            _, line, column = node.keys.get(key, (node.file, node.line, node.column))
            if key not in needed and self._counts(child, here) and not self._goes_without_saying(child, here):
                yield self._change(line, column, here, GONE, f"{_shown(child)} left out", near, key)
            for new in self._keys(key, here, node.value):
                yield replace(
                    self._change(line, column, here, new, f"the key {key} → {new}", near, key, new),
                    renames=True,
                )
            yield from self._value(child, here, near)
        members = list(node.members())
        for number, child in enumerate(members):
            here = (*path, number)
            near = _nearer(child, clauses)
            if len(members) > 1 and self._counts(child, here):
                yield self._change(
                    child.line, child.column, here, GONE, f"{_shown(child)} left out", near, _shown(child)
                )
            yield from self._value(child, here, near)

    def _value(self, node: Node, path: Path, clauses: tuple[str, ...]) -> Iterator[Mutation]:
        if node.is_map or node.is_list:
            yield from self._inside(node, path, clauses)
            return
        said = str(node.value).lower() if isinstance(node.value, bool) else str(node.value)
        for new, before, after in self._values(node.value, path):
            was, where = (said, "") if before is None else (before, f", in `{one_line(said)}`")
            yield self._change(
                node.line, node.column, path, new, f"{was} → {after or 'nothing'}{where}", clauses, was, after
            )

    def _values(self, value: Any, path: Path) -> Iterator[tuple[Any, str | None, str]]:
        """New values of a scalar; of an expression also the part that changed, before and after."""
        for new in of_value(value):
            yield new, None, str(new).lower() if isinstance(new, bool) else str(new)
        if not isinstance(value, str):
            return
        mark = self._mark(path)
        for text in of_text(value):
            yield text, None, text
        yield from self._expression(value, mark)
        if not value.startswith("="):
            other = self._word(value, mark, self._siblings(path))
            if other is not None:
                yield other, None, other

    def _expression(self, value: str, mark: Mapping[str, Any]) -> Iterator[tuple[Any, str | None, str]]:
        how = mark.get("x-expr")
        marked = value.lstrip().startswith("=")
        if not marked and (how is None or how.get("marked")):
            return
        text = one_line(value.lstrip().removeprefix("=")) if marked else one_line(value)
        for new, before, after in of_expression(text, self.words.ids, self.words.terms):
            yield ("=" if marked else "") + new, before, after

    def _word(self, value: str, mark: Mapping[str, Any], taken: Sequence[object]) -> str | None:
        """Another id or another word of the few that are allowed."""
        forms = mark.get("x-ref")
        if forms is not None:
            return of_id(value, [forms] if isinstance(forms, str) else forms, self.words.ids, taken)
        how = mark.get("x-expr")
        if how is not None and (how.get("bare") or how.get("marked")):  # may be an id of any table
            return of_id(
                value, [f for f, known in self.words.ids.items() if value in known], self.words.ids, taken
            )
        words = [w for w in mark.get("enum", ()) if isinstance(w, str)]
        if words:
            return of_id(value, [""], {"": words}, taken)
        return of_id(value, [f for f in THINGS if value in self.words.ids.get(f, ())], self.words.ids, taken)

    def _keys(self, key: str, path: Path, there: Mapping[str, Any]) -> Iterator[str]:
        """Other names of a key that is an id or a range."""
        mark = self.marks.get((path, True), {})
        if "x-ref" in mark or "enum" in mark:
            other = self._word(key, mark, list(there))
            if other is not None:
                yield other
        else:
            faces = self._faces(path)
            yield from (new for new in of_text(key) if new not in there and not same_faces(key, new, faces))

    def _faces(self, path: Path) -> tuple[int, int] | None:
        """The least and the greatest face of the one die whose results a key is about; None if it is about
        none.
        """
        if len(path) < 2 or path[-2] not in ("results", "table"):
            return None
        node = self.node
        for step in path[:-2]:
            node = node.value[step]
        roll = node.get("roll" if path[-2] == "results" else "die") or (
            self.node.get("die") if path[-2] == "table" else None
        )
        if roll is None or (roll.is_map and roll.get("dice") is not None):
            return None
        try:
            die = parse_die(str((roll.text("die") if roll.is_map else roll.value) or ""))
        except ValueError:  # an expression
            return None
        return die.n * die.low + die.plus, die.n * die.high + die.plus

    def _mark(self, path: Path) -> Mapping[str, Any]:
        found = self.marks.get((path, False))
        if found is None and path and isinstance(path[-1], int):
            found = self.marks.get((path[:-1], False))  # a list whose members are references
        return found or {}

    def _siblings(self, path: Path) -> list[object]:
        if not path or not isinstance(path[-1], int):
            return []
        node = self.node
        for step in path[:-1]:
            node = node.value[step]
        return [m.value for m in node.members() if isinstance(m.value, str)]

    def _goes_without_saying(self, node: Node, path: Path) -> bool:
        """Whether a value is the one that there would be without it: by the schema, a slot's name, a field's,
        a table's cells.
        """
        if path in self.defaults and self.defaults[path] == plain_value(node):
            return True
        if len(path) == 2 and path[0] == "slots" and f"{{{path[1]}}}" in str(self.node.text("syntax")):
            kind = slot_of(str(path[1]), None).kind
            return plain_value(node) in (kind, {"kind": kind})
        if len(path) == 1 and self.form in KINDS and path[0] in self.words.defaults:
            return bool(node.value == self.words.defaults[str(path[0])])
        default = self.node.get("default")
        return (
            self.form == "tables"
            and path[0] == "rows"
            and default is not None
            and node.value == default.value
        )

    def _counts(self, node: Node, path: Path) -> bool:
        """Whether somebody plays by a value: it is more than text."""
        if node.is_map:
            return any(key not in SILENT and self._counts(child, (*path, key)) for key, child in node.items())
        if node.is_list:
            return any(self._counts(child, (*path, n)) for n, child in enumerate(node.members()))
        if not isinstance(node.value, str):
            return node.value is not None
        if self._mark(path) or node.value.startswith("="):
            return True
        return next(of_text(node.value), None) is not None or self._word(node.value, {}, ()) is not None

    def _change(
        self,
        line: int,
        column: int,
        path: Path,
        new: Any,
        says: str,
        clauses: tuple[str, ...],
        old: str,
        now: str = "",
    ) -> Mutation:
        places = places_along(self.node, path)
        return Mutation(
            *(self.file, line, column, self.form, self.id, path, new),
            *(f"{places[-1]}: {says}", clauses, old, now),
            places=places,
        )


def changed_file(tree: Node, change: Mutation) -> Node:
    """The file with the change made wherever its text counts."""
    rows = tree if change.form == MANIFEST else tree.value[change.form]
    place = (change.line, change.column)
    at = dict.fromkeys(_places(rows, (), change, place))
    out = rows
    for path in sorted(at, key=lambda p: [str(s).zfill(6) for s in p], reverse=True):
        out = _changed(out, path, change)
    return out if change.form == MANIFEST else replace(tree, value={**tree.value, change.form: out})


def _places(node: Node, path: Path, change: Mutation, place: tuple[int, int]) -> Iterator[Path]:
    """All paths at which the text of a change counts."""
    last, whole = change.path[-1], change.new is GONE or change.renames
    for key, child in node.items():
        if key == last and place == (node.keys.get(key, ("", 0, 0))[1:] if whole else _text_at(child)):
            yield (*path, key)
        else:
            yield from _places(child, (*path, key), change, place)
    for number, child in enumerate(node.members()):
        at = (child.line, child.column) if whole else _text_at(child)
        if isinstance(last, int) and path and place == at:
            yield (*path, number)
        else:
            yield from _places(child, (*path, number), change, place)


def _text_at(node: Node) -> tuple[int, int] | None:
    return None if node.is_map or node.is_list else (node.line, node.column)


def _changed(node: Node, path: Path, change: Mutation) -> Node:
    step, rest = path[0], path[1:]
    if node.is_list:
        assert isinstance(step, int)
        members = list(node.value)
        if not rest and change.new is GONE:
            del members[step]
        else:
            members[step] = (
                _changed(members[step], rest, change) if rest else replace(members[step], value=change.new)
            )
        return replace(node, value=members)
    assert isinstance(step, str)
    if rest or not (change.new is GONE or change.renames):
        child = node.value[step]
        return replace(
            node,
            value={
                **node.value,
                step: _changed(child, rest, change) if rest else replace(child, value=change.new),
            },
        )
    if change.new is GONE:
        return replace(node, value={k: v for k, v in node.value.items() if k != step})
    keys = {(change.new if k == step else k): v for k, v in node.keys.items()}
    return replace(
        node, value={(change.new if k == step else k): v for k, v in node.value.items()}, keys=keys
    )


# ---- words and clauses


def _cited(node: Node) -> tuple[str, ...]:
    """The clauses of a row: its own, or those of all its parts if it has none itself."""
    own = _nearer(node, ())
    return own or tuple(dict.fromkeys(sources(plain_value(node))))


def _nearer(node: Node, clauses: tuple[str, ...]) -> tuple[str, ...]:
    said = node.get("source")
    if said is None:
        return clauses
    own = [said.value] if isinstance(said.value, str) else [m.value for m in said.members()]
    return tuple(dict.fromkeys([*(s for s in own if isinstance(s, str)), *clauses]))


def _shown(node: Node) -> str:
    if node.is_map:
        return "{" + ", ".join(k for k, _ in node.items()) + "}"
    if node.is_list:
        return "[" + ", ".join(_shown(m) for m in node.members())[:60] + "]"
    return one_line(str(node.value))[:60]
