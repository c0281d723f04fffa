"""What a nation knows of others, by certainty and age; read from its view, like where it stands itself
(`standing.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from ..core.journal import Entry
from ..core.messages import capital
from ..core.model import Row
from ..core.state import Entity
from ..world.known import theater_names, theater_of
from ..world.messages import printed
from ..world.view import BEFORE, UNKNOWN, may_read
from ..world.world import World
from .document import Block, Bullets, Para, Table
from .standing import WIDE, alike_places, columns, few, span
from .wording import Wording, counted, listing, merged, sentence

MOST_IN_SIGHT = 30
"""Places with units of others that are told one by one; of more only the strongest beside the reader's own
are.
"""
MOST_LOOKED, MOST_OLDER = 8, 8
"""Places looked at in vain, and counts of former turns, that are told."""
EXACT = "exact"
"""What is known so has its figure beside it, or was told when it was learned."""
MOST_BESIDE = 3
"""Of these so many in each theater."""


def sightings(entries: Sequence[Entry], words: Wording, turn: int) -> list[Block]:
    """Counted now (with the count before), seen in part, looked at in vain, older; then what the view shows
    from afar.
    """
    known = _Sightings(words, turn, _before(words.world, entries, words.reader))
    for key, row in sorted(words.world.state.row("knowledge", words.reader).items()):
        known.take(key, row)
    return known.blocks(_looked_at(entries))


def _looked_at(entries: Sequence[Entry]) -> set[str]:
    """The places at which somebody looked."""
    looks = (entry.data for entry in entries if entry.rule.startswith("detection/"))
    return {str(look["place"]) for look in looks if "chance" in look and "place" in look}


@dataclass(frozen=True)
class Counted:
    """Units of others in a place: their numbers, and what was known before (nothing: never seen; None: not of
    interest).
    """

    place: str
    name: str
    units: Mapping[str, int]
    before: Mapping[str, Any] | None = None


class _Sightings:
    """What the reader knows of others, by how certain and how old it is. `before`: what was known before this
    turn."""

    def __init__(self, words: Wording, turn: int, before: Mapping[str, Mapping[str, Any]]) -> None:
        self.words = words
        self.world = words.world
        self.turn = turn
        self.before = before
        self.own = {p for p in self.world.ruleset.rows("places") if _of_friends(words, p)}
        self.counted: list[Counted] = []
        self.part: list[str] = []
        self.none: list[str] = []
        self.empty: list[str] = []
        self.older: list[tuple[int, str]] = []
        self.other: list[str] = []

    def take(self, key: str, row: Row) -> None:
        """Note one thing that is known."""
        what, _, place = key.rpartition(":")
        if key.startswith(BEFORE):
            return
        if not self.world.ruleset.has("places", place) or ("n" not in row and "units" not in row):
            # that something is known exactly says nothing by itself
            if row.get("as") != EXACT or "seen" in row or "n" in row or "units" in row:
                self.other.append(_known(self.words, key, row, self.turn))
            return
        if place in self.own:
            return
        name = self.words.place(place) + ("" if what in ("", "units") else f" ({what})")
        if self._is_fresh(row):
            self._take_fresh(key, place, name, row)
        elif row.get("n"):
            age = self.turn - int(row.get("since", self.turn))
            self.older.append((age, f"{name} {_count(self.words, row)} ({counted(age, 'turn')})"))

    def _is_fresh(self, row: Row) -> bool:
        return bool(row.get("since", -1) >= self.turn)

    def _take_fresh(self, key: str, place: str, name: str, row: Row) -> None:
        """Note what was learned of the units in a place in this turn."""
        last = self.before.get(key) or {}
        if "units" not in row:
            earlier = self.world.state.get("knowledge", self.words.reader, BEFORE + key) or last
            change = f" ({_count(self.words, earlier)} before)" if earlier.get("n") else ""
            seen = self.part if row.get("n") else self.none
            seen.append(f"{name} {row['n'] or ''}".rstrip() + change)
        elif row["units"]:
            self.counted.append(Counted(place, name + _whose(self.words, place), row["units"], last))
        else:
            self.empty.append(name)

    def blocks(self, looked: AbstractSet[str]) -> list[Block]:
        """All of it, for the report; of the places where somebody `looked` those of which nothing is known
        besides."""
        words, knowledge = self.words, self.world.state.row("knowledge", self.words.reader)
        vain = sorted(words.place(p) for p in looked - self.own if f"units:{p}" not in knowledge)
        out = _counted(words, "Counted this turn", self.counted)
        if self.empty:
            out.append(Para(listing(self.empty) + ".", "No enemy in"))
        if self.part:
            out.append(Para("; ".join(self.part) + ".", "Seen in part, more may be there"))
        if uncertain := [*self.none, *vain]:
            out.append(Para(listing(few(uncertain, MOST_LOOKED)) + ".", "Looked at, nothing certain"))
        if self.older:
            newest = [text for _, text in sorted(self.older, key=lambda o: o[0])]
            out.append(Para("; ".join(few(newest, MOST_OLDER, "counts")) + ".", "Older, with its age"))
        out += _afar(words, {key.rpartition(":")[2] for key, row in knowledge.items() if self._is_fresh(row)})
        if self.other:
            out.append(Bullets(tuple(self.other)))
        return out


def _of_friends(words: Wording, place: str) -> bool:
    """Whether a place is the reader's or an ally's: what was counted there before they came is gone."""
    holder = words.world.holder_of(place)
    return holder is not None and (holder == words.reader or words.world.allied(words.reader, holder))


def _counted(words: Wording, title: str, found: Sequence[Counted]) -> list[Block]:
    """Units of others as tables of figures, a row a place; places that hold other kinds of units have a table
    of their own.
    """
    known = words.world.ruleset.rows("places")
    stacks: dict[str, list[Mapping[str, Any]]] = {
        c.place: [{"kind": k, "n": n} for k, n in c.units.items()] for c in found
    }
    order = list(words.world.ruleset.rows("units"))
    out: list[Block] = []
    for at in alike_places(known, stacks):
        rows: list[tuple[str, ...]] = []
        mine = [c for c in found if c.place in at]
        total = merged([dict(c.units) for c in mine])
        common = sorted(total, key=lambda k: -sum(1 for c in mine if k in c.units))[:WIDE]
        kinds = sorted(common, key=lambda k: order.index(k) if k in order else len(order))
        names, short = columns(words, kinds)
        for one in mine:
            rest = words.short_units({k: n for k, n in one.units.items() if k not in kinds})
            last = () if one.before is None else (_earlier(words, one.before, kinds),)
            rows.append((one.name, *(str(one.units.get(k) or "-") for k in kinds), *last, rest))
        last = ("before",) if any(c.before is not None for c in mine) else ()
        head, narrow = ((title if not out else "", *n, *last, "") for n in (names, short))
        out.append(Table(head, tuple(rows), tuple(range(1, 1 + len(kinds))), short=narrow))
    return out


def _earlier(words: Wording, before: Mapping[str, Any], kinds: Sequence[str]) -> str:
    """What was counted before, in the order of the columns where it is of more than one kind."""
    units = before.get("units")
    if not before:
        return "never seen"
    if not units or len(units) == 1 or not set(units) <= set(kinds):
        return _count(words, before)
    return ", ".join(str(units.get(k) or "-") for k in kinds)


def _before(world: World, entries: Sequence[Entry], reader: str) -> dict[str, Mapping[str, Any]]:
    """What the reader knew before the entries that they may read told them again."""
    out: dict[str, Mapping[str, Any]] = {}
    side = world.side_of(reader)
    for entry in entries:
        if not may_read(entry, reader, side):
            continue
        for table, id_, field_, before, _ in entry.changes:
            if table == "knowledge" and id_ == reader and isinstance(before, Mapping):
                out.setdefault(field_, before)
    return out


def _count(words: Wording, row: Mapping[str, Any]) -> str:
    if "units" in row:
        return words.short_units(row["units"]) or "nobody"
    return f"{row['n']} or more" if row.get("n") else "nothing certain"


def _whose(words: Wording, place: str) -> str:
    world = words.world
    owners = sorted(
        {
            str(r["owner"])
            for _, r in world.state.stacks(at=place)
            if world.hostile(words.reader, str(r["owner"]))
        }
    )
    holder = world.holder_of(place)
    known = owners or ([holder] if holder and holder != words.reader else [])
    rows: list[Row] = [world.ruleset.row_or_empty("nations", owner) for owner in known]
    said = [str(row.get("adjective") or words.name(owner)) for owner, row in zip(known, rows, strict=True)]
    if len(known) == 1 and words.place(place) in (said[0], rows[0].get("name")):
        return ""
    return f", {listing(said)}" if said else ""


def _afar(words: Wording, told: set[str]) -> list[Block]:
    """Units of others that the view shows in places of which nothing is told above: exact ones, and bands by
    their range.
    """
    reader = words.reader
    world = words.world
    exact: dict[tuple[str, str], dict[str, int]] = {}
    bands: dict[tuple[str, str], list[str]] = {}
    for _, row in world.state.stacks():
        owner, place = str(row["owner"]), str(row["place"])
        if owner == reader or world.allied(reader, owner) or place in told:
            continue
        if row["kind"] == UNKNOWN:
            bands.setdefault((str(row.get("range", "?")), str(row.get("band", ""))), []).append(place)
        else:
            kinds = exact.setdefault((place, owner), {})
            kinds[str(row["kind"])] = kinds.get(str(row["kind"]), 0) + int(row["n"])
    out: list[Block] = []
    near = set(_neighbors(world, reader))
    by_owner: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for (place, owner), kinds in sorted(
        exact.items(), key=lambda i: (words.name(i[0][1]), words.place(i[0][0]))
    ):
        by_owner.setdefault(owner, []).append((place, kinds))
    if len(exact) > MOST_IN_SIGHT:
        out += _in_sight_by_theater(words, exact, near)
    elif by_owner:
        lines = [
            sentence(
                f"{capital(words.name(o))}: "
                f"{'; '.join(f'{_at(words.place(p))} {words.short_units(k)}' for p, k in found)}"
            )
            for o, found in by_owner.items()
        ]
        out += [Para("", "In sight"), Bullets(tuple(lines))]
    said = []
    for (range_, band), places in sorted(bands.items(), key=lambda i: -int(i[0][0].partition("..")[0] or 0)):
        close = sorted(
            words.place(p)
            for p in dict.fromkeys(places)
            if p in near and (h := world.holder_of(p)) and world.hostile(reader, h)
        )
        label = _band(range_, band)
        if close:
            said.append(f"{label}: {listing(close)}")
    if said:
        out.append(
            Para("; ".join(said) + ". All others are on the map.", "Sizes of hostile forces next to yours")
        )
    return out


def _in_sight_by_theater(
    words: Wording,
    exact: Mapping[tuple[str, str], Mapping[str, int]],
    near: set[str],
) -> list[Block]:
    """Of many units in sight, theater by theater, the strongest enemies next to the reader's; others by
    nation only.
    """
    world = words.world
    beside: dict[str, list[tuple[int, str, str]]] = {}
    far: dict[tuple[bool, str], list[int]] = {}
    for (place, owner), kinds in exact.items():
        n = sum(kinds.values())
        if world.hostile(words.reader, owner) and place in near:
            said = f"{_at(words.place(place))} {words.short_units(kinds)} ({words.name(owner)})"
            beside.setdefault(theater_of(world, place), []).append((n, place, said))
        else:
            far.setdefault((world.hostile(words.reader, owner), owner), []).append(n)
    out: list[Block] = []
    if beside:
        lines = []
        for name in sorted(beside, key=theater_names(world).index):
            found = sorted(beside[name], key=lambda f: (-f[0], f[1]))
            told, rest = found[:MOST_BESIDE], found[MOST_BESIDE:]
            more = (
                [f"{counted(len(rest), 'more place')} with {counted(sum(n for n, *_ in rest), 'unit')}"]
                if rest
                else []
            )
            lines.append(sentence(f"{name}: {'; '.join([*(said for *_, said in told), *more])}"))
        out += [
            Para("", "Enemies beside your forces, the strongest first; the map shows all"),
            Bullets(tuple(lines)),
        ]
    for hostile, lead in ((True, "Enemies farther away"), (False, "Units of others")):
        totals = [(words.name(o), sum(n), len(n)) for (foe, o), n in sorted(far.items()) if foe is hostile]
        if totals:
            sums = (
                f"{name} {counted(n, 'unit')} in {counted(places, 'place')}" for name, n, places in totals
            )
            out.append(Para(sentence("; ".join(sums)), lead))
    return out


def _at(name: str) -> str:
    """A place before the number of units there, apart from a number at the end of its name."""
    return f"{name}:" if name[-1:].isdigit() else name


def _band(range_: str, band: str) -> str:
    words = span(range_)
    return f"{words} ({band})" if band else words


def _neighbors(world: World, reader: str) -> list[str]:
    """Places beside the reader's units."""
    own = dict.fromkeys(str(row["place"]) for _, row in world.state.stacks() if row["owner"] == reader)
    return list(dict.fromkeys(p for place in own for p in world.geography.next_to(place)))


def _known(words: Wording, key: str, row: Mapping[str, Any], turn: int) -> str:
    """One thing that a nation has learned, in words, with its age."""
    world = words.world
    what, _, subject = key.rpartition(":")
    form = next((k for f, k in _SUBJECTS if world.ruleset.has(f, subject)), None)
    name = printed(world, Entity(form, subject)) if form else subject
    label = "" if what in _PLAIN else f" ({_label(world, what)})"
    said = str(row.get("as", ""))
    if "seen" in row:
        seen, signed = row["seen"], world.ruleset.row_or_empty("tracks", what).get("signed")
        said = f"{seen:+d}" if signed and isinstance(seen, int) else printed(world, seen)
    if "units" in row or "n" in row:
        said = words.short_units(row["units"]) or "nothing" if "units" in row else f"{row['n']} or more"
    age = turn - int(row.get("since", turn))
    return sentence(f"{name}{label}: {said}" + (f" ({counted(age, 'turn')} ago)" if age > 0 else ""))


_SUBJECTS = (("places", "place"), ("nations", "nation"), ("technologies", "tech"))
_PLAIN = ("", "units")


def _label(world: World, what: str) -> str:
    """What is known of something: a technology or track by its name, else the ruleset's own word."""
    row: Row = world.ruleset.row_or_empty("technologies", what) or world.ruleset.row_or_empty("tracks", what)
    return str(row.get("name", what)).lower()
