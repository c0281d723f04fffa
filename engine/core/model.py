"""The compiled ruleset: what every mechanic is given.

A `Ruleset` is immutable plain data: for each table (places, units, actions ...) its rows by id, the sequence
of play, and for every row and key the file and line it came from. It is made by `compile.py` (or read back
from a game's own copy) and has one content hash, which a game stores.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from .canonical import digest
from .rows import Row as Row
from .rows import Tables

P = ParamSpec("P")
T = TypeVar("T")
SEQUENCE, MANIFEST = "sequence", "manifest"
"""What `derived` calls the parts of a ruleset that are no tables."""


def derived_of(
    *tables: str,
) -> Callable[[Callable[Concatenate[Ruleset, P], T]], Callable[Concatenate[Ruleset, P], T]]:
    """Of a function of a ruleset, and perhaps of words: its answer is made once (`Ruleset.derived`), of the
    rows of these tables alone where any are named.
    """

    def decorated(make: Callable[Concatenate[Ruleset, P], T]) -> Callable[Concatenate[Ruleset, P], T]:
        name = f"{make.__module__}.{make.__qualname__}"

        @wraps(make)
        def found(ruleset: Ruleset, /, *args: P.args, **named: P.kwargs) -> T:
            key: Hashable = (name, *args, *named.items()) if args or named else name
            kept: dict[Hashable, T] = ruleset.__dict__.get("_derived", {})
            if key in kept:  # asked for very often: nothing is made ready for what is there
                return kept[key]
            return ruleset.derived(key, partial(make, ruleset, *args, **named), of=tables or None)

        return found

    return decorated


@dataclass(frozen=True, slots=False)
class Ruleset(Tables):
    """Rows by form and id, with their origins.

    `forms`: form -> id -> row (plain JSON values; a row holds its own `id`).
    `sequence`: the nodes of the turn, in order.
    `manifest`: the head of `ruleset.yaml` (id, title, settings).
    `origins`: "form/id" or "form/id.key" -> "file:line:column", file relative to the folder that was loaded.
    """

    id: str
    title: str
    forms: Mapping[str, Mapping[str, Row]]
    sequence: tuple[Row, ...] = ()
    manifest: Row = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON of all that can change a game (rows, frame, manifest; not the
        origins).
        """
        rows = {form: list(rows.values()) for form, rows in self.forms.items()}  # their order counts
        return digest(
            {"id": self.id, "forms": rows, "sequence": list(self.sequence), "manifest": self.manifest}
        )

    def named(self, key: str) -> Row | None:
        """The row of a key ("form/id"), or None."""
        form, _, id_ = key.partition("/")
        return self.rows(form).get(id_)

    def row_of(self, key: str) -> Row:
        """The row of a key ("form/id"), or one without keys if there is none."""
        form, _, id_ = key.partition("/")
        return self.row_or_empty(form, id_)

    def of_kind(self, form: str, kind: str) -> Mapping[str, Row]:
        """The rows of a table whose key `kind` says so, by id, in the order of the table."""
        return self.derived(
            ("of kind", form, kind),
            lambda: {id_: row for id_, row in self.rows(form).items() if row.get("kind") == kind},
            of=(form,),
        )

    def has(self, form: str, id_: object) -> bool:
        return id_ in self.rows(form)

    def origin(self, form: str, id_: str, key: str | None = None) -> str:
        """ "file:line" of a row or of one of its keys; the row's own place if the key has none; "" if
        unknown.
        """
        at = self.origins.get(f"{form}/{id_}.{key}") if key else None
        at = at or self.origins.get(f"{form}/{id_}", "")
        return at.rsplit(":", 1)[0] if at.count(":") >= 2 else at

    @property
    def calendar(self) -> Mapping[str, Any]:
        """The dates of the turns and the last one (`calendar` of the settings); empty if turns have none."""
        found: Mapping[str, Any] = self.setting("calendar", {})
        return found

    def setting(self, key: str, default: Any = None) -> Any:
        """A value of the manifest's `settings`."""
        return self.manifest.get("settings", {}).get(key, default)

    @property
    def players(self) -> Mapping[str, Any]:
        """How people take part (`players` of the settings): `turn_days`, `without_orders`, `vacancies`."""
        found: Mapping[str, Any] = self.setting("players", {})
        return found

    def derived(self, key: Hashable, make: Callable[[], T], *, of: tuple[str, ...] | None = None) -> T:
        """What follows from the rows alone (a grammar, an index of names), made once per ruleset.

        `of` names the tables whose rows it follows from, if it follows from theirs only (`SEQUENCE`: from the
        sequence of play, `MANIFEST`: from settings): a ruleset in which these are the same takes it over
        (`take_over`).
        """
        kept = self.__dict__.get("_derived")
        if kept is None:
            kept = self.__dict__["_derived"] = {}
        try:
            found: T = kept[key]
        except KeyError:
            other = self.__dict__.get("_taken_over")
            if (
                other is not None
                and of is not None
                and all(self._part(form) is other._part(form) for form in of)
            ):
                made = other.derived(key, make, of=of)
            else:
                made = make()
            found = kept.setdefault(key, made)
        return found

    def take_over(self, other: Ruleset) -> None:
        """Share with another ruleset what either makes from forms whose rows are the same in both."""
        self.__dict__["_taken_over"] = other

    def _part(self, form: str) -> Any:
        if form == SEQUENCE:
            return self.sequence
        return self.manifest if form == MANIFEST else self.rows(form)

    def to_json(self) -> Row:
        """Plain JSON that `from_json` reads back; what a game and the cache store."""
        return {
            "id": self.id,
            "title": self.title,
            "forms": {form: list(rows.values()) for form, rows in self.forms.items()},
            "sequence": list(self.sequence),
            "manifest": self.manifest,
            "origins": dict(self.origins),
        }

    @classmethod
    def from_json(cls, data: Row) -> Ruleset:
        return cls(
            id=data["id"],
            title=data["title"],
            forms={form: {row["id"]: row for row in rows} for form, rows in data["forms"].items()},
            sequence=tuple(data["sequence"]),
            manifest=data["manifest"],
            origins=data["origins"],
        )
