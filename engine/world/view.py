"""A view: what one nation may know of a state, as a state of its own.

Everything a nation is shown or told is computed from its view alone. It starts empty; the ruleset's `shows`
rows put in what the reader may know, so what no row shows is hidden. Units shown as a band become one stack
of an unknown kind, whose number is the band's lower end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.canonical import dumps
from ..core.compiled import kept
from ..core.journal import EVERYONE, Audience, Entry
from ..core.model import Row, Ruleset
from ..core.rows import VisibilityRow
from ..core.state import Entity, State
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.vocabulary import OWNED
from .geography import Geography
from .piles import OF_ALL
from .selections import as_set
from .tables import in_range
from .world import World

UNKNOWN = "?"
"""The kind of a stack of which only a band is known."""

FRESH = 1
"""Turns after which a count says nothing of who stands there now."""

BEFORE = "before:"
"""How knowledge is called that stays beside a newer one which tells less."""

Items = list[tuple[str, str | None, dict[str, Any]]]
"""Rows of a table that are shown: id, place and fields."""

_OWN_ID = {"nations", "tracks", "techs", "tech_stages", "knowledge", "answers"}


def view(ruleset: Ruleset, state: State, reader: str, *, geography: Geography | None = None) -> State:
    """The state as `reader` (a nation's id) may know it."""
    return Viewer(ruleset, state, geography=geography).view(reader)


def learned(state: State, reader: str, what: str) -> Mapping[str, Any]:
    """What a reader has learned of something (`units:PLACE`:

    `n`, perhaps `units`); nothing once it is too old.
    """
    known: Mapping[str, Any] = state.get("knowledge", reader, what) or {}
    return (
        known if known.get("since", -FRESH - 1) >= int(state.get("game", "game", "turn", 1)) - FRESH else {}
    )


class Viewer:
    """Makes the views of one state, sharing what does not depend on the reader."""

    def __init__(self, ruleset: Ruleset, state: State, *, geography: Geography | None = None) -> None:
        self.ruleset = ruleset
        self.state = state
        self.world = World(ruleset, state, geography=geography)
        self._open = {name for name, row in ruleset.rows("fields").items() if row.get("open")}
        self._by_owner: dict[str, dict[str | None, Items]] = {}
        self._reached: dict[tuple[Any, str], dict[str | None, bool]] = {}
        self._kept: dict[str, Any] = {}
        self._seen: dict[tuple[str, str, str], tuple[str | None, int]] = {}

    def view(self, reader: str, *, sight: bool = True) -> State:
        """The view of a reader; without `sight` only what no test decides: their own, their side's and what
        is public.
        """
        tables: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self.ruleset.rows("visibility").values():
            if row["what"] in self._public:
                continue
            if (("when" in row or "within" in row) and not sight) or not self._is_open(row):
                continue
            within = self._within(row, reader)
            shown = tables.setdefault(row["what"], {})
            tested: dict[tuple[str | None, str | None], bool] = {}
            plain = within is None and "when" not in row and row.get("as") not in ("band", "number")
            for owner, items in self._reached_items(row, reader):
                if row.get("as") == "band" and self._shown_whole(row, reader, owner):
                    continue
                if plain:
                    for id_, _, fields in items:
                        shown[id_] = fields if id_ not in shown else {**shown[id_], **fields}
                    continue
                for id_, place, fields in items:
                    if within is not None and place not in within:
                        continue
                    if "when" in row and self._one_by_one(row):
                        if not self.world.test(row["when"], self._names_of(row, reader, owner, place, id_)):
                            continue
                    elif "when" in row:
                        if (owner, place) not in tested:
                            tested[owner, place] = self.world.test(
                                row["when"], self._names(reader, owner, place)
                            )
                        if not tested[owner, place]:
                            continue
                    if row.get("as") == "band":
                        self._band(row, shown, reader, fields)
                    elif row.get("as") == "number" and row["what"] == "piles":
                        piles = {pile: {UNKNOWN: sum(cards.values())} for pile, cards in fields.items()}
                        shown[id_] = {**piles, **shown.get(id_, {})}
                    elif row.get("as") == "number":
                        self._number(shown, owner, place, fields)
                    else:
                        shown[id_] = fields if id_ not in shown else {**shown[id_], **fields}
        for row in self.ruleset.rows("visibility").values() if sight else ():
            if row.get("as") == "band" and row.get("empty") and self._is_open(row):
                self._empty(row, tables.setdefault(row["what"], {}), reader)
        self._marks(tables, reader)
        out = {t: dict(sorted(rows.items())) for t, rows in tables.items() if rows}
        return State({**_without_doubles(out), **self._public})

    @kept
    def _public(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The tables of which every row of `visibility` is for everyone and limited by nothing: alike in all
        views.
        """
        # marks say themselves who sees them; the others have doubles
        limited = {"flags", "units", "under_way", "agreements"}
        limits = ("when", "within", "as")
        rows = [row for row in self.ruleset.rows("visibility").values() if self._is_open(row)]
        limited.update(
            row["what"] for row in rows if row["to"] != "everyone" or any(key in row for key in limits)
        )
        out: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows:
            if row["what"] not in limited:
                shown = out.setdefault(row["what"], {})
                for items in self._items(row).values():
                    for id_, _, fields in items:
                        shown.setdefault(id_, {}).update(fields)
        return {
            table: {id_: r for id_, r in sorted(rows.items()) if r}
            for table, rows in out.items()
            if any(rows.values())
        }

    def is_shown(self, row: VisibilityRow, reader: str, id_: str, fields: Mapping[str, Any]) -> bool:
        """Whether a row of `visibility` lets a reader see one row of its table."""
        owner, place = self.owner(row["what"], id_, fields), self.place(row["what"], id_, fields)
        names = self._names_of(row, reader, owner, place, id_)
        return self._reaches(row, reader, owner) and self.world.test(row.get("when"), names)

    def sees(self, reader: str, table: str, id_: str, field: str) -> bool:
        """Whether a reader is shown one field of a row as it is, also of one that has nothing in it now."""
        return any(
            row["what"] == table
            and row.get("as", "exact") == "exact"
            and self._is_open(row)
            and ("fields" not in row or field in row["fields"])
            and self.is_shown(row, reader, id_, {})
            for row in self.ruleset.rows("visibility").values()
        )

    # ---- rows

    def owner(self, table: str, id_: str, fields: Mapping[str, Any]) -> str | None:
        """Whose a row is: the nation it belongs to, or None."""
        if table not in OWNED:
            return None
        if table in _OWN_ID:
            return id_
        if table == "piles":
            return None if id_ == OF_ALL else id_
        if table in ("units", "forces", "chosen"):
            return str(fields["owner"])
        if table in ("under_way", "orders", "uses"):
            return str(fields.get("nation", id_.partition("|")[2].rpartition("|")[2]))
        if table == "treasuries":
            name = id_.partition("/")[0]
            return name if self.ruleset.has("nations", name) else self.world.holder_of(id_)
        if table in ("flags", "counters"):
            kind, _, name = id_.partition(":")
            if kind == "nation":
                return name
            return self.world.holder_of(name) if kind == "place" else None
        if table == "places":
            return self.world.holder_of(id_)
        return None

    @staticmethod
    def _one_by_one(row: VisibilityRow) -> bool:
        """Whether the test of a row may differ between things of one owner in one place."""
        return row["what"] == "records" or (
            row["what"] == "units" and re.search(r"\bunit\b", str(row["when"])) is not None
        )

    def _names_of(
        self, row: VisibilityRow, reader: str, owner: str | None, place: str | None, id_: str
    ) -> dict[str, Any]:
        """The names of the test of a row, asked of one thing of its table."""
        kind = {"records": "record", "units": "unit"}.get(row["what"])
        return {**self._names(reader, owner, place), **({kind: Entity(kind, id_)} if kind else {})}

    def place(self, table: str, id_: str, fields: Mapping[str, Any]) -> str | None:
        if table in ("units", "chosen"):
            return str(fields["place"])
        if table == "places":
            return id_
        if table in ("forces", "under_way"):
            return fields.get("at")
        if table == "treasuries" and self.ruleset.has("places", id_):
            return id_
        return None

    def _within(self, row: VisibilityRow, reader: str) -> set[str] | None:
        """The places to which a row is limited for a reader; None if it is not."""
        if "within" not in row:
            return None
        text = strip_mark(row["within"])
        return {t.id for t in as_set(self.world, self.world.value(text, self._names(reader, None, None)))}

    def _is_open(self, row: VisibilityRow) -> bool:
        """Whether a row that waits for a step of `inform` has been opened, for this turn or for good."""
        if "opens" not in row:
            return True
        since = self.state.get("opened", "visibility", row["id"])
        return since is not None and (
            row["opens"] == "game" or since == self.state.get("game", "game", "turn")
        )

    def _names(self, reader: str, owner: str | None, place: str | None) -> dict[str, Any]:
        return {
            "self": Entity("nation", reader),
            "nation": Entity("nation", owner) if owner else None,
            "place": Entity("place", place) if place else None,
            "unit": None,
            "record": None,
        }

    def _reaches(self, row: VisibilityRow, reader: str, owner: str | None) -> bool:
        to = row["to"] if isinstance(row["to"], str) else tuple(row["to"])
        known = self._reached.setdefault((to, reader), {})
        found = known.get(owner)
        if found is None:
            found = known[owner] = self._is_reached(to, reader, owner)
        return found

    def _reached_items(self, row: VisibilityRow, reader: str) -> Iterable[tuple[str | None, Items]]:
        """What a row could show of those owners of whom it shows anything to a reader."""
        of_owners = self._items(row)
        if row["to"] == "everyone":
            return of_owners.items()
        if row["to"] == "owner":
            return [(reader, of_owners[reader])] if reader in of_owners else []
        to = row["to"] if isinstance(row["to"], str) else tuple(row["to"])
        known = self._reached.setdefault((to, reader), {})
        for owner in of_owners.keys() - known.keys():
            known[owner] = self._is_reached(to, reader, owner)
        return [(owner, items) for owner, items in of_owners.items() if known[owner]]

    def _is_reached(self, to: str | tuple[str, ...], reader: str, owner: str | None) -> bool:
        for word in [to] if isinstance(to, str) else to:
            if word == "everyone" or (owner is not None and owner == reader):
                return True
            if owner is None or word == "owner":
                continue
            if (
                word == "side"
                and self.world.side_of(reader)
                and self.world.side_of(owner) == self.world.side_of(reader)
            ):
                return True
            if word == "allies" and self.world.allied(reader, owner):
                return True
        return False

    def _items(self, row: VisibilityRow) -> dict[str | None, Items]:
        """What a row could show, by owner: id, place and the fields it shows. The same for every reader."""
        found = self._by_owner.get(row["id"])
        if found is None:
            found = self._by_owner[row["id"]] = {}
            table = row["what"]
            some = "fields" in row or row.get("open_fields")
            named = set(row.get("fields", ())) | (self._open if row.get("open_fields") else set())
            for id_, fields in self.state.table(table).items():
                owner, place = self.owner(table, id_, fields), self.place(table, id_, fields)
                if some:
                    fields = {k: v for k, v in fields.items() if k in named or k.partition("@")[0] in named}
                if fields:
                    found.setdefault(owner, []).append((id_, place, fields))
        return found

    def _number(
        self,
        shown: dict[str, dict[str, Any]],
        owner: str | None,
        place: str | None,
        fields: Mapping[str, Any],
    ) -> None:
        """That something of an owner lies in a place, and how many, but not what: one row for all of it."""
        key = f"{owner or UNKNOWN}@{place or UNKNOWN}"
        row = shown.setdefault(key, {"nation": owner, "at": place, "what": UNKNOWN, "n": 0})
        row["n"] += int(fields.get("n", 1))

    def _band(
        self, row: VisibilityRow, shown: dict[str, dict[str, Any]], reader: str, fields: Mapping[str, Any]
    ) -> None:
        key = f"{fields['owner']}.{UNKNOWN}@{fields['place']}"
        if key in shown:
            return
        said, number = self._seen_by_all(row, fields)
        known = self._looked(row, reader, fields["place"])
        others = self.state.owners_at(fields["place"]) - {fields["owner"], reader}
        if known.get("as") == "exact" and not others and known.get("units"):
            for kind, n in known["units"].items():
                stack = {"owner": fields["owner"], "kind": kind, "place": fields["place"], "n": int(n)}
                shown[f"{fields['owner']}.{kind}@{fields['place']}"] = stack
            return
        number = int(known["n"]) if known.get("as") == "number" else number
        for text, name in row["bands"].items():
            if name == said or (said is None and in_range(text, number)):
                low = str(text).partition("..")[0]
                where = {"owner": fields["owner"], "kind": UNKNOWN, "place": fields["place"]}
                shown[key] = {**where, "n": max(1, int(low or 1)), "band": name, "range": str(text)}
                return

    def _shown_whole(self, band: Row, reader: str, owner: str | None) -> bool:
        """Whether another row shows a reader all of what an owner has, as it is: what they once counted in a
        place that is an enemy's no more says nothing of who stands there now."""
        rows = [
            r for r in self.ruleset.rows("visibility").values() if r["what"] == band["what"] and "as" not in r
        ]
        return any(
            self._reaches(r, reader, owner)
            and not {"when", "within", "fields", "open_fields"} & set(r)
            and self._is_open(r)
            for r in rows
        )

    def _seen_by_all(self, row: VisibilityRow, fields: Mapping[str, Any]) -> tuple[str | None, int]:
        """What every reader of a band starts from: what a flag says, and how many units an owner has in a
        place.
        """
        key = (row["id"], fields["owner"], fields["place"])
        found = self._seen.get(key)
        if found is None:
            number = sum(r["n"] for _, r in self.state.stacks(at=fields["place"], owner=fields["owner"]))
            found = self._seen[key] = self._said(row, fields), number
        return found

    def _looked(self, row: VisibilityRow, reader: str, place: str) -> Mapping[str, Any]:
        """What a look has shown a reader of a place since last turn (`follows`: what they know); nothing, if
        none has.
        """
        return learned(self.state, reader, f"{row['follows']}:{place}") if "follows" in row else {}

    def _empty(self, row: VisibilityRow, shown: dict[str, dict[str, Any]], reader: str) -> None:
        """Places within sight that are held by others and stand empty look as those do in which hardly
        anybody stands.
        """
        exact = [
            r
            for r in self.ruleset.rows("visibility").values()
            if r["what"] == row["what"] and r.get("as") != "band"
        ]
        for place in sorted(self._within(row, reader) or ()):
            holder = self.world.holder_of(place)
            if (
                holder is None
                or self.state.stacks(at=place, owner=holder)
                or any(self._reaches(r, reader, holder) for r in exact)
            ):
                continue
            if self._reaches(row, reader, holder):
                self._band(row, shown, reader, {"owner": holder, "place": place})

    def _said(self, row: VisibilityRow, fields: Mapping[str, Any]) -> str | None:
        """The band that a flag of the place makes others see of an owner's units: of whoever is in on the
        flag, or None.
        """
        if "mask" not in row:
            return None
        names, owner = set(row["bands"].values()), fields["owner"]
        holds = self.world.holder_of(fields["place"]) == owner
        marks = self.state.row("flags", f"place:{fields['place']}")
        set_by = {m: mark for m, mark in sorted(marks.items()) if m.startswith(row["mask"])}
        found = [
            m.removeprefix(row["mask"])
            for m, mark in set_by.items()
            if (owner in mark["seen_by"] if "seen_by" in mark else holds)
        ]
        return next((name for name in found if name in names), None)

    def _marks(self, tables: dict[str, dict[str, dict[str, Any]]], reader: str) -> None:
        """Marks that say themselves who sees them."""
        side = self.world.side_of(reader)
        for id_, marks in self.state.table("flags").items():
            for name, mark in marks.items():
                if not isinstance(mark, dict) or "seen_by" not in mark:
                    continue
                shown = tables.setdefault("flags", {})
                if {EVERYONE, reader, side} & set(mark["seen_by"]):
                    shown[id_] = {**shown.get(id_, {}), name: mark}
                elif name in shown.get(id_, {}):
                    shown[id_] = {n: m for n, m in shown[id_].items() if n != name}


class WorldViews:
    """The worlds of nations at one position, as each may know it.

    `state_at`: the state of an earlier moment, or "now". What does not depend on the reader is made once;
    earlier moments hold what was public or a nation's own side's, and are made when they are read.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        state_at: Callable[[str], State],
        moments: Iterable[str],
        geography: Geography | None,
    ) -> None:
        self.ruleset = ruleset
        self.state_at = state_at
        self.moments = moments
        self.geography = geography
        self._viewers: dict[str, Viewer] = {}

    def viewer(self, moment: str = "now") -> Viewer:
        if moment not in self._viewers:
            state = self.state_at(moment)
            self._viewers[moment] = Viewer(self.ruleset, state, geography=self.geography)
        return self._viewers[moment]

    def close(self) -> None:
        """Let go of what readers shared, once no view is asked for any more (`World.close`)."""
        for viewer in self._viewers.values():
            viewer.world.close()
        self._viewers.clear()

    def world(self, nation: str) -> World:
        """What a nation may know, as a world of its own."""

        def then(moment: str) -> Callable[[], State]:
            return lambda: self.viewer(moment).view(nation, sight=False)

        moments: dict[str, State | Callable[[], State]] = {m: then(m) for m in self.moments}
        shown = self.viewer().view(nation)
        return World(self.ruleset, shown, moments=moments, geography=self.geography)


def _without_doubles(tables: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Where exact stacks of an owner in a place are shown, its band is not; nor the number of things that are
    known.
    """
    units = tables.get("units", {})
    exact = {(r["owner"], r["place"]) for r in units.values() if r["kind"] != UNKNOWN}
    for key in [k for k, r in units.items() if r["kind"] == UNKNOWN and (r["owner"], r["place"]) in exact]:
        del units[key]
    for table in ("under_way", "agreements"):
        rows = tables.get(table, {})
        known = {(r.get("nation"), r.get("at")) for r in rows.values() if r.get("what") != UNKNOWN}
        for key in [
            k for k, r in rows.items() if r.get("what") == UNKNOWN and (r["nation"], r["at"]) in known
        ]:
            del rows[key]
    return {t: {i: r for i, r in rows.items() if r} for t, rows in tables.items() if rows}


def may_read(entry: Entry, reader: str, side: str | None) -> bool:
    """Whether a journal entry is for a nation."""
    return _hears(entry.audience, reader, side)


def _hears(audience: Audience, reader: str, side: str | None) -> bool:
    return EVERYONE in audience or reader in audience or (side is not None and side in audience)


def readable(entries: Iterable[Entry], world: World, reader: str) -> list[Entry]:
    """The entries a nation may read, in order.

    They are to be shown by message, dice and data, never by number or change.
    """
    return heard(entries, reader, world.side_of(reader))


def heard(entries: Iterable[Entry], reader: str, side: str | None) -> list[Entry]:
    """The same for a nation on a side (None: on none), whichever it is on now."""
    said = entries if isinstance(entries, Sequence) else list(entries)
    # few audiences hear all
    theirs = {audience for audience in {e.audience for e in said} if _hears(audience, reader, side)}
    return [e for e in said if e.audience in theirs and (e.happened or e.data)]


def chain_of(entries: Iterable[Entry], head: str = "", told: dict[int, bytes] | None = None) -> str:
    """The head of a reader's own chain over what they may read: it tells nothing about what they may not.

    Each link is the digest of the list of the head before and what the entry says. `told` keeps what sealed
    entries say, as bytes by their number, for the chains of several readers of one journal.
    """
    told = {} if told is None else told
    for entry in entries:
        said = told.get(entry.n)
        if said is None:
            said = dumps([entry.turn, entry.step, entry.rule, entry.told, entry.dice, entry.data])
            if entry.n:
                told[entry.n] = said
        head = hashlib.sha256(b"[%b,%b" % (dumps(head), said[1:])).hexdigest()
    return head
