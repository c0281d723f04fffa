"""What a check looks at: the merged ruleset with places, its plain values, and the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeVar, cast

from ...core.diagnostics import Diagnostic, did_you_mean
from ..forms import KINDS, Annotation, Forms, annotated
from ..nodes import Node, find, plain_value
from ..overlay import FRAME, MergedRuleset

T = TypeVar("T")
MANIFEST = "manifest"
"""The schema of `ruleset.yaml`, which is no row."""


def gone(id_: str, removed: Mapping[str, Node]) -> str:
    """That a layer has removed the row of an id, and where; nothing if none has."""
    return f"{removed[id_].file}:{removed[id_].line} removes it" if id_ in removed else ""


def _found_inside(node: Node, check: Callable[[Node], Iterable[Diagnostic]]) -> list[Diagnostic]:
    return list(chain.from_iterable(map(check, node.inside())))


@dataclass(frozen=True, slots=True)
class Marked:
    """A value somewhere in a row that carries `x-ref` or `x-expr`."""

    form: str
    id: str
    row: Node
    annotation: Annotation

    @property
    def place(self) -> tuple[Node, str | None]:
        """The node of the value; or, if the value is a key, the map that has it and the key."""
        path = self.annotation.path
        if self.annotation.is_key:
            return find(self.row, path[:-1]), str(path[-1])
        return find(self.row, path), None


OfValues = dict[tuple[str, int], tuple[object, Any]]
"""What follows from rows, by what it is and whose it is, with the row so that no other gets its identity."""


class CheckCache:
    """What follows from rows by themselves, kept from one check of a ruleset to the next while somebody edits
    it.

    A row is known by its node: nodes are never changed, and of a file that is not edited they stay the same.
    What does not follow from where it stands is shared by all nodes of one text: rulesets that extend one
    another call its file by different names.
    """

    def __init__(self, values: OfValues | None = None) -> None:
        self._kept: OfValues = {}
        self._values: OfValues = {} if values is None else values

    def of(self, name: str, node: Node, make: Callable[[], T]) -> T:
        """What follows from a row and from where it stands."""
        return self._of(self._kept, name, node, make)

    def of_value(self, name: str, node: Node, make: Callable[[], T]) -> T:
        """What follows from the values of a row alone."""
        if node.made_of is None:
            return self._of(self._kept, name, node, make)
        return self._of(self._values, name, node.made_of, make)

    @staticmethod
    def _of(kept: OfValues, name: str, whose: object, make: Callable[[], T]) -> T:
        found = kept.get((name, id(whose)))
        if found is not None and found[0] is whose:
            return cast("T", found[1])
        made = make()
        kept[name, id(whose)] = (whose, made)
        return made

    def forget(self, draft: MergedRuleset) -> None:
        """Keep only what is of rows of this draft."""
        nodes = [node for _, _, node in draft.all_rows()]
        here, made_of = {id(node) for node in nodes}, {id(node.made_of) for node in nodes}
        self._kept = {key: entry for key, entry in self._kept.items() if key[1] in here}
        self._values = {key: entry for key, entry in self._values.items() if key[1] in made_of}


@dataclass(frozen=True, eq=False)
class Subject:
    """`draft`: the merged rows with their places. `known`: the tables. `faulty`: table and id of rows of
    wrong shape.

    `kept`: what follows from rows by themselves; of earlier checks, where somebody edits them.
    """

    draft: MergedRuleset
    known: Forms
    faulty: set[tuple[str, str]] = field(default_factory=set)
    kept: CheckCache = field(default_factory=CheckCache)
    _made: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The plain value of every row, by table and id."""
        plain = partial(self.of_value, "plain")
        return {
            form: {id_: plain(row, partial(plain_value, row)) for id_, row in rows.items()}
            for form, rows in self.draft.forms.items()
        }

    def nodes(self, form: str) -> dict[str, Node]:
        return self.draft.rows(form)

    def rows(self, form: str) -> dict[str, dict[str, Any]]:
        """The plain rows of a table that have the right shape."""
        rows = self.values.get(form, {})
        return {i: row for i, row in rows.items() if (form, i) not in self.faulty} if self.faulty else rows

    def each(self, form: str) -> Iterator[tuple[str, dict[str, Any], Node]]:
        """The rows of a table that have the right shape: id, plain value, node."""
        nodes = self.nodes(form)
        return ((id_, row, nodes[id_]) for id_, row in self.rows(form).items())

    def of_kind(self, form: str, kind: str) -> dict[str, dict[str, Any]]:
        """The plain rows of a table that have the right shape, and whose key `kind` says so."""
        return {id_: row for id_, row in self.rows(form).items() if row.get("kind") == kind}

    def any_faulty(self, *forms: str) -> bool:
        """Whether a row of one of these tables has a wrong shape, so that what it would say is not known."""
        return any(form in forms for form, _ in self.faulty)

    def sound_rows(self) -> Iterator[tuple[str, str, dict[str, Any], Node]]:
        """Every row that has the right shape: table, id, plain value, node."""
        for form, id_, node in self.draft.all_rows():
            if (form, id_) not in self.faulty:
                yield form, id_, self.values[form][id_], node

    @cached_property
    def marked(self) -> list[Marked]:
        """Every reference and expression of every sound row, of the manifest and of the sequence of play."""
        found = []
        for form, id_, value, node in self.sound_rows():
            of_row = self.of_value("marks", node, partial(self._annotated, form, value))
            found += [Marked(form, id_, node, mark) for mark in of_row]
        if self.known.has_file(MANIFEST):
            marks = annotated(self.known, MANIFEST, plain_value(self.draft.manifest))
            found += [Marked(MANIFEST, "", self.draft.manifest, mark) for mark in marks]
        if FRAME in self.known:
            for number, node in enumerate(self.draft.sequence):
                if (FRAME, str(number)) not in self.faulty:
                    found += [
                        Marked(FRAME, str(number), node, m)
                        for m in annotated(self.known, FRAME, plain_value(node))
                    ]
        return found

    def _annotated(self, form: str, value: Any) -> list[Annotation]:
        return list(annotated(self.known, form, value))

    def with_rows(self, draft: MergedRuleset, part: Subject) -> Subject:
        """The subject of a draft that differs from this one's in the rows that `part` has; the rest is taken
        over.
        """
        other = Subject(draft, self.known, set(self.faulty), self.kept)
        altered = {(form, id_) for form, id_, _ in part.draft.all_rows()}
        kept = {form: dict(rows) for form, rows in self.values.items()}
        for form, rows in part.values.items():
            kept.setdefault(form, {}).update(rows)
        other.__dict__["values"] = {
            form: {i: kept[form][i] for i in rows} for form, rows in draft.forms.items()
        }
        other.__dict__["marked"] = [m for m in self.marked if (m.form, m.id) not in altered] + part.marked
        return other

    def of_row(self, name: str, node: Node, make: Callable[[], T]) -> T:
        """What follows from a row by itself and from where it stands: made once."""
        return self.kept.of(name, node, make)

    def of_value(self, name: str, node: Node, make: Callable[[], T]) -> T:
        """What follows from the values of a row alone: made once."""
        return self.kept.of_value(name, node, make)

    def text_of(self, form: str, id_: str, node: Node) -> str:
        """All that a row says in one text, to see soon whether a word stands anywhere in it."""
        return self.of_value("text", node, partial(str, self.values[form][id_]))

    def found_in(self, word: str, check: Callable[[Node], Iterable[Diagnostic]]) -> Iterator[Diagnostic]:
        """What a check finds in the nodes, at any depth, of the sound rows in whose text a word stands; kept
        with the row.
        """
        for form, id_, _, node in self.sound_rows():
            if form in self.known and word in self.text_of(form, id_, node):
                yield from self.of_row(f"found in {word}", node, partial(_found_inside, node, check))

    def once(self, name: str, make: Callable[[Subject], T]) -> T:
        """What `make` makes of this subject, made once: several checks may ask for the same."""
        if name not in self._made:
            self._made[name] = make(self)
        return cast("T", self._made[name])

    def instead(self, word: str, known: Iterable[str]) -> str:
        """What would do for an id that is not there: the nearest that is; or that a layer has removed it, and
        where.
        """
        return gone(word, self.draft.removed) or did_you_mean(word, known)

    @staticmethod
    def kind(form: str) -> str | None:
        """What fields and expressions call a row of the table."""
        return KINDS.get(form)
