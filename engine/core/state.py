"""The state of a game: plain tables with one canonical form, and nothing else.

`tables[table][id][field]` is a JSON value. Rows and what they hold are never changed in place but replaced,
so that states share
them: a row that was read stays as it was. Only the journal calls `put`. Units are stacks whose id is made
from what they are, so equal units always add up to one stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from .canonical import digest

Fields = dict[str, Any]
THE_GAME = "game:game"
"""The game itself, where a row of the state belongs to a thing of some kind."""
Table = dict[str, Fields]

_NOTHING: Fields = {}  # what is read of a row or table that is not there; nobody writes into it
_NOBODY: frozenset[str] = frozenset()
UNIT_CORE = ("owner", "kind", "place", "n")
WHOLE_ROW = "*"


class Entity(NamedTuple):
    """One thing an expression can hold: `kind` (nation, place, unit ...) and `id`."""

    kind: str
    id: str


def extra_fields(stack: Mapping[str, Any]) -> dict[str, Any]:
    """What a stack's row says beyond owner, kind, place and number."""
    return {k: v for k, v in stack.items() if k not in UNIT_CORE}


def unit_key(owner: str, kind: str, place: str, extra: Mapping[str, Any] | None = None) -> str:
    """The id of the stack with these properties; `extra` holds every further field but `n`."""
    base = f"{owner}.{kind}@{place}"
    if not extra:
        return base
    return base + "[" + ",".join(f"{k}={extra[k]}" for k in sorted(extra)) + "]"


def works_on(place: str) -> str:
    """The field of a link that says what works a place has on that border."""
    return f"works@{place}"


def pair_key(a: str, b: str) -> str:
    """The id of a relation or link between two ids, whatever their order."""
    return f"{a}--{b}" if a <= b else f"{b}--{a}"


@cache
def columns(table: str, *fields: str) -> tuple[str, ...]:
    """What to give for a table where only some of its fields are read: their columns, and which rows there
    are.
    """
    return (f"{table}.*", *(f"{table}.{field}" for field in fields))


class State:
    """Tables, with the stacks indexed by place and by owner.

    `versions` counts the changes of each table, and of its columns, so that what is derived can be kept:
    `table` for any change, `table.field` for one of that field, `table.*` for rows that were put as a whole,
    came or went.
    """

    __slots__ = (
        "_at",
        "_in",
        "_of",
        "_own",
        "_owners",
        "_sorted",
        "_sorted_of",
        "tables",
        "version",
        "versions",
    )

    def __init__(self, tables: Mapping[str, Table] | None = None) -> None:
        """`tables` stay as they are, and may be another state's: one is copied when its first row is
        changed.
        """
        self.tables: dict[str, Table] = dict(tables or _NOTHING)
        self._own: set[str] = set()  # the tables that no other state can hold
        self.version = 0  # counts every change
        self.versions: dict[str, int] = {}
        self._at: dict[str, frozenset[str]] = {}  # place -> the keys of its stacks
        self._of: dict[str, frozenset[str]] = {}  # owner -> the keys of its stacks
        self._in: dict[str, frozenset[str]] = {}  # force -> the keys of its stacks
        # place -> the keys of its stacks in order, until one comes or goes
        self._sorted: dict[str, list[str]] = {}
        self._sorted_of: dict[str, list[str]] = {}  # owner -> the same
        # place -> the owners of its stacks, until one comes or goes
        self._owners: dict[str, frozenset[str]] = {}
        units = self.tables.get("units", _NOTHING)
        for index, field in ((self._at, "place"), (self._of, "owner"), (self._in, "force")) if units else ():
            found: dict[str, list[str]] = {}
            for key, row in units.items():
                if field in row:
                    found.setdefault(row[field], []).append(key)
            for value, keys in found.items():
                index[value] = frozenset(keys)

    # ---- reading

    def table(self, name: str) -> Mapping[str, Fields]:
        return self.tables.get(name, _NOTHING)

    def row(self, table: str, id_: str | None) -> Mapping[str, Any]:
        """One row; nothing is kept of what is not there (None: the capital of a nation that has none)."""
        return self.tables.get(table, _NOTHING).get(id_ or "", _NOTHING)

    def get(self, table: str, id_: str | None, field: str | None, default: Any = None) -> Any:
        return self.tables.get(table, _NOTHING).get(id_ or "", _NOTHING).get(field or "", default)

    def stacks(self, *, at: str | None = None, owner: str | None = None) -> list[tuple[str, Fields]]:
        """Stacks (id, row) at a place and/or of an owner, in order of their ids."""
        units = self.tables.get("units", {})
        if at is not None:
            found = self.stacks_at(at)
            if owner is None:
                return [(k, units[k]) for k in found]
            return [(k, row) for k in found if (row := units[k])["owner"] == owner]
        return [(k, units[k]) for k in (sorted(units) if owner is None else self.stacks_of(owner))]

    def stacks_at(self, place: str) -> Sequence[str]:
        """The ids of the stacks at a place, in order."""
        found = self._sorted.get(place)
        if found is None:
            found = self._sorted[place] = sorted(self._at.get(place, ()))
        return found

    def stacks_of(self, owner: str) -> Sequence[str]:
        """The ids of an owner's stacks, in order."""
        found = self._sorted_of.get(owner)
        if found is None:
            found = self._sorted_of[owner] = sorted(self._of.get(owner, ()))
        return found

    def in_force(self, force: str) -> list[str]:
        """The ids of the stacks whose field `force` names this one, in order."""
        return sorted(self._in.get(force, ()))

    def occupied_places(self) -> Iterator[str]:
        return (place for place, keys in self._at.items() if keys)

    def owners_at(self, place: str) -> frozenset[str]:
        found = self._owners.get(place)
        if found is None:
            units = self.tables.get("units", _NOTHING)
            found = self._owners[place] = frozenset([units[k]["owner"] for k in self._at.get(place, ())])
        return found

    # ---- changing (the journal only)

    def put(self, table: str, id_: str, field: str, value: Any) -> Any:
        """Set one field (or, with field `*`, the whole row); None removes it. Returns the value before."""
        if table not in self._own:
            self._own.add(table)
            self.tables[table] = dict(self.tables.get(table, _NOTHING))
        rows = self.tables[table]
        row = rows.get(id_)
        before: Any  # the row, or the value of a field
        versions = self.versions
        self.version += 1
        versions[table] = versions.get(table, 0) + 1
        column = f"{table}.*" if row is None else f"{table}.{field}"  # the whole row is the field `*`
        versions[column] = versions.get(column, 0) + 1
        if field == WHOLE_ROW:
            before = row
            if table == "units" and row is not None:
                self._unindex(id_, row)
            if value is None:
                rows.pop(id_, None)
            else:
                rows[id_] = dict(value)
                if table == "units":
                    self._index(id_, value)
        else:
            before = row.get(field) if row is not None else None
            if value is not None:
                rows[id_] = {**row, field: value} if row is not None else {field: value}
            elif row is not None and field in row:
                left = {name: kept for name, kept in row.items() if name != field}
                if left:
                    rows[id_] = left
                else:
                    del rows[id_]
                    versions[f"{table}.*"] = versions.get(f"{table}.*", 0) + 1
        if not rows:
            del self.tables[table]
            self._own.discard(table)
        return before

    def touch(self, name: str) -> None:
        """Count a change of something that is kept beside the tables, so that what depends on it is derived
        again.
        """
        self.version += 1
        self.versions[name] = self.versions.get(name, 0) + 1

    def _index(self, key: str, row: Mapping[str, Any]) -> None:
        for index, value in self._indexed(row):
            index[value] = index.get(value, _NOBODY) | {key}

    def _unindex(self, key: str, row: Mapping[str, Any]) -> None:
        for index, value in self._indexed(row):
            index[value] = index[value] - {key}

    def _indexed(self, row: Mapping[str, Any]) -> list[tuple[dict[str, frozenset[str]], str]]:
        """Where the key of a stack that comes or goes is kept."""
        self._sorted.pop(row["place"], None)
        self._sorted_of.pop(row["owner"], None)
        self._owners.pop(row["place"], None)
        places = [(self._at, row["place"]), (self._of, row["owner"])]
        return [*places, (self._in, row["force"])] if "force" in row else places

    # ---- whole

    def copy(self) -> State:
        """The same tables as a state of its own: neither sees what is changed in the other from now on."""
        out = State()
        self._own.clear()
        out.tables = self.tables.copy()
        out._at, out._of, out._in = (
            {v: keys for v, keys in index.items() if keys} for index in (self._at, self._of, self._in)
        )
        out._sorted, out._sorted_of, out._owners = (
            self._sorted.copy(),
            self._sorted_of.copy(),
            self._owners.copy(),
        )
        return out

    def to_json(self) -> dict[str, Table]:
        return {t: {i: dict(r) for i, r in rows.items()} for t, rows in self.tables.items()}

    def hash(self) -> str:
        """SHA-256 of the canonical form: equal states, equal hashes, on any machine."""
        return digest(self.tables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.tables == other.tables

    __hash__ = None  # type: ignore[assignment]
