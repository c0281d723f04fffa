"""Where a nation stands: own and allied forces by theater, and places in danger.

Everything is read from the nation's view; a place in no theater is elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.messages import capital
from ..core.model import Row
from ..core.state import UNIT_CORE
from ..units.forces import AFLOAT
from ..world.known import enemies_in, theater_names, theater_of, theaters
from ..world.world import World
from .document import Block, Para, Table
from .wording import Wording, counted, listing, merged, sentence

PASSING = (*UNIT_CORE, "host", "force", "via", "moved", "landed", "range", "band", "busy")
MOST_EMPTY = 12
"""Own places without units that are told one by one; of more the dearest."""
MOST_OF_ALLY = 6
"""Places of one of many allies' units near the reader's own that are told, the strongest."""
MOST_ROWS = 14
"""Places with own units that have a row of their own, the strongest; of more the others are told in words."""
MOST_ALLIED = 16
"""Places with units of allies that are told one by one, likewise."""
WIDE = 7
"""Kinds of units in one table; rarer ones are told in the last column."""
LARGEST = 3
"""So many of the places of an ally far away are named."""


def by_place(world: World, owners: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
    """Place -> the stacks there of some owners."""
    out: dict[str, list[Mapping[str, Any]]] = {}
    for _, row in world.state.stacks():
        if row["owner"] in owners:
            out.setdefault(str(row["place"]), []).append(row)
    return out


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Kind -> number."""
    return merged([{str(r["kind"]): int(r["n"])} for r in rows])


def conditions(words: Wording, rows: Sequence[Mapping[str, Any]]) -> str:
    """What is the matter with units that are not as they should be."""
    found = []
    untold = {
        *PASSING,
        *(k for k, row in words.world.ruleset.rows("fields").items() if row.get("told") is False),
    }
    ashore = {row["kind"] for row in rows if AFLOAT not in row.values()}
    for row in rows:
        more = [
            k.replace("_", " ") if v is True or v == AFLOAT else f"{k.replace('_', ' ')} {v}"
            for k, v in sorted(row.items())
            # where all are aboard that goes without saying
            if k not in untold and (v != AFLOAT or row["kind"] in ashore)
        ]
        if "host" in row:
            more.append(f"aboard ships of {words.nation(str(row['host']))}")
        if more:
            found.append(f"{row['n']} {words.kind(str(row['kind']), row['n'])} ({', '.join(more)})")
    return "; ".join(found)


def columns(words: Wording, kinds: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The heads of columns of figures for kinds of units: their names, and what stands for them where room is
    scarce.
    """
    names = tuple(words.kind(k) for k in kinds)
    short = []
    for kind, name in zip(kinds, names, strict=True):
        symbol = str(words.world.ruleset.row_or_empty("units", kind).get("symbol") or "")
        brief = symbol.lower() if len(symbol) > 1 else name[:4].rstrip()
        short.append(name if len(name) <= 5 else brief)
    return names, tuple(short)


def forces(words: Wording) -> list[Block]:
    """Own units in tables, one for each kind of place: a row a place, by theater; then allies', in a sentence
    each.
    """
    reader = words.reader
    world = words.world
    places = by_place(world, [reader])
    known = world.ruleset.rows("places")
    out: list[Block] = []
    for at in alike_places(known, places):
        there = {p: places[p] for p in at}
        large = (
            sorted(at, key=lambda p: -sum(counts(there[p]).values()))[:MOST_ROWS]
            if len(at) > MOST_ROWS + 4
            else at
        )
        made = _forces_table(
            words,
            {p: there[p] for p in large},
            merged([counts(rows) for rows in there.values()]),
        )
        out.append(replace(made, notes=()) if any(isinstance(b, Table) and b.notes for b in out) else made)
        out += _smaller(words, {p: there[p] for p in at if p not in large})
    if not places:
        out.append(Para("You have no units."))
    empty = _empty(world, reader, places)
    if empty:
        dear = sorted(empty, key=lambda p: -(words.worth(p) or 0)) if len(empty) > MOST_EMPTY else empty
        said = [f"{words.place(p)} {w}" if (w := words.worth(p)) else words.place(p) for p in dear]
        rest = sum(words.worth(p) or 0 for p in dear[MOST_EMPTY:])
        told = few(said, MOST_EMPTY, f"places{f' worth {rest}' if rest else ''}")
        out.append(Para(listing(told) + ".", "Empty"))
    out += works(words)
    allies = [n for n in world.nations() if n != reader and world.alive(n) and world.allied(reader, n)]
    near = _own_ground(world, reader, places)
    many = len(by_place(world, allies)) > MOST_ALLIED
    if aboard := _guests(words):
        out.append(Para(aboard, "Aboard your ships"))
    for ally in allies:
        said_of = _of_an_ally(words, by_place(world, [ally]), near, many)
        if said_of:
            out.append(Para(said_of, capital(words.name(ally))))
    return out


def alike_places(known: Mapping[str, Row], places: Mapping[str, list[Mapping[str, Any]]]) -> list[list[str]]:
    """The places by their kind, most first; kinds of places that hold the same kinds of units stand
    together.
    """
    of_kind: dict[str, list[str]] = {}
    for place in places:
        of_kind.setdefault(str(known.get(place, {}).get("kind", "")), []).append(place)
    groups: list[tuple[set[str], list[str]]] = []
    for _, at in sorted(of_kind.items(), key=lambda i: (-len(i[1]), i[0])):
        units = {str(r["kind"]) for p in at for r in places[p]}
        group = next((g for g in groups if len(g[0] & units) * 2 > len(units)), None)
        if group is None:
            groups.append((units, at))
        else:
            group[0].update(units)
            group[1].extend(at)
    return [at for _, at in groups]


def _own_ground(world: World, reader: str, places: Mapping[str, Any]) -> set[str]:
    """Places that the reader holds or has units in, and their neighbors."""
    mine = {p for p in world.ruleset.rows("places") if world.holder_of(p) == reader} | set(places)
    return mine.union(*(world.geography.next_to(p) for p in mine)) if mine else set()


def _of_an_ally(
    words: Wording, theirs: Mapping[str, list[Mapping[str, Any]]], near: set[str], many: bool
) -> str:
    """Where an ally's units stand; of many allies those near the reader's own ground one by one, the others
    together.
    """
    same: dict[str, list[str]] = {}
    far = rest = 0
    most: list[tuple[str, int]] = []
    for place, rows in sorted(theirs.items(), key=lambda i: (-sum(counts(i[1]).values()), i[0])):
        if many and (place not in near or sum(map(len, same.values())) >= MOST_OF_ALLY):
            far, rest = far + sum(counts(rows).values()), rest + 1
            most.append((words.spot(place), sum(counts(rows).values())))
        else:
            same.setdefault(words.short_units(counts(rows)), []).append(words.place(place))
    said = [f"{listing(p)} {u}{' each' if len(p) > 1 else ''}" for u, p in same.items()]
    if far:
        there = most[0][0] if rest == 1 else counted(rest, "place")
        if not said and rest > LARGEST:
            there += f"; the most in {listing(f'{spot} ({n})' for spot, n in most[:LARGEST])}"
        said.append(f"{'elsewhere ' if said else ''}{counted(far, 'unit')} in {there}")
    return "; ".join(said) + "." if said else ""


def _guests(words: Wording) -> str:
    """Units of others aboard carriers of the reader (`host`)."""
    of: dict[str, list[str]] = {}
    guests = [row for _, row in words.world.state.stacks() if row.get("host") == words.reader]
    for owner, place in sorted({(str(row["owner"]), str(row["place"])) for row in guests}):
        there = [row for row in guests if (row["owner"], row["place"]) == (owner, place)]
        of.setdefault(owner, []).append(f"{words.place(place)} {words.units(counts(there))}")
    return (
        "; ".join(f"of {words.name(owner)} {listing(said)}" for owner, said in of.items()) + "." if of else ""
    )


def _empty(world: World, reader: str, places: Mapping[str, Any]) -> list[str]:
    allied = by_place(world, [n for n in world.nations() if world.allied(reader, n)])
    return [
        p
        for p in world.ruleset.rows("places")
        if world.holder_of(p) == reader and p not in places and p not in allied
    ]


def _smaller(words: Wording, places: Mapping[str, list[Mapping[str, Any]]]) -> list[Block]:
    """Places without a row of their own in a paragraph, by theater."""
    world = words.world
    found: dict[str, dict[str, list[str]]] = {}
    for place, rows in places.items():
        said = "; ".join(s for s in (words.short_units(counts(rows)), conditions(words, rows)) if s)
        name = words.place(place) + (" !" if threatened(world, words.reader, place) else "")
        found.setdefault(theater_of(world, place), {}).setdefault(said, []).append(name)
    out: list[str] = []
    for theater in sorted(found, key=theater_names(world).index):
        same = sorted(found[theater].items(), key=lambda i: -len(i[1]))
        told = "; ".join(
            f"{listing(sorted(names))} {said}{' each' if len(names) > 1 else ''}" for said, names in same
        )
        out.append(f"{theater}: {told}.")
    return [Para(" ".join(out), "Smaller forces")] if out else []


def _forces_table(
    words: Wording,
    places: Mapping[str, list[Mapping[str, Any]]],
    total: Mapping[str, int],
) -> Table:
    """A row for each of some places; `total` counts those without a row, too."""
    world = words.world
    order = list(world.ruleset.rows("units"))
    kinds = sorted(total, key=lambda k: order.index(k) if k in order else len(order))
    if len(kinds) > WIDE:
        common = sorted(kinds, key=lambda k: -sum(1 for rows in places.values() if k in counts(rows)))[:WIDE]
        kinds = [k for k in kinds if k in common]
    worths = any(words.worth(p) for p in places)
    full, short = columns(words, kinds)
    shared = shared_words([words.place(p) for p in places])
    head, narrow = (("", shared, *n, *(("worth",) if worths else ()), "") for n in (full, short))
    rows: list[tuple[str, ...]] = []
    left, marked = dict(places), False
    groups = [(name, [p for p in members if p in left]) for name, members in theaters(world.ruleset)]
    listed = {p for _, members in groups for p in members}
    groups.append(("Elsewhere" if any(m for _, m in groups) else "", [p for p in left if p not in listed]))
    for name, members in groups:
        alike: dict[tuple[str, ...], list[tuple[str, Any, str]]] = {}
        for place in sorted(
            members, key=lambda p: (-sum(counts(left[p]).values()), -(words.worth(p) or 0), words.place(p))
        ):
            here = counts(left[place])
            rest = words.short_units({k: n for k, n in here.items() if k not in kinds})
            note = "; ".join(s for s in (rest, conditions(words, left[place])) if s)
            mark = " !" if threatened(world, words.reader, place) else ""
            marked = marked or bool(mark)
            cells = (*(str(here.get(k) or "-") for k in kinds), note)
            alike.setdefault(cells, []).append(
                (words.place(place)[len(shared) :].lstrip(), words.worth(place), mark)
            )
        for cells, some in alike.items():
            same = len({worth for _, worth, _ in some}) == 1
            title = ", ".join(
                f"{n}{'' if same or not worth else f' ({worth})'}{mark}" for n, worth, mark in some
            )
            title += ": each" if len(some) > 1 else ""
            rows.append(
                (
                    name,
                    title,
                    *cells[:-1],
                    *(((str(some[0][1] or "-") if same else ""),) if worths else ()),
                    cells[-1],
                )
            )
            name = ""
    if len(places) > 1:
        rows.append(("", "All", *(str(total[k]) for k in kinds), *(("",) if worths else ()), ""))
    notes = ("! more than twice as many enemies are known beside it.",) if marked else ()
    return Table(head, tuple(rows), tuple(range(2, 2 + len(kinds) + worths)), notes, short=narrow)


def shared_words(names: Sequence[str]) -> str:
    """The words with which all of several names begin, as "Sea Zone"; a name is never all of them."""
    first = names[0].split() if len(names) > 1 else []
    n = 0
    while n < len(first) and all(
        name.split()[: n + 1] == first[: n + 1] and len(name.split()) > n + 1 for name in names
    ):
        n += 1
    return " ".join(first[:n])


def works(words: Wording) -> list[Block]:
    """What the reader has built along borders and toward where, in a sentence for each kind: "A and B toward
    C".
    """
    found: dict[str, dict[str, list[str]]] = {}
    for key, row in sorted(words.world.state.table("links").items()):
        for place in key.split("--"):
            built = row.get(f"works@{place}")
            if built and words.world.holder_of(place) == words.reader:
                other = next((p for p in key.split("--") if p != place), place)
                found.setdefault(str(built), {}).setdefault(place, []).append(words.place(other))
    out: list[Block] = []
    for kind, of_place in sorted(found.items()):
        same: dict[str, list[str]] = {}
        for place, toward in of_place.items():
            same.setdefault(listing(sorted(toward)), []).append(words.place(place))
        said = "; ".join(f"{listing(sorted(places))} toward {toward}" for toward, places in same.items())
        out.append(Para(f"{said}.", capital(words.kind(kind))))
    return out


def threatened(world: World, reader: str, place: str) -> bool:
    """Whether more than twice as many enemies as stand in a place are known beside it."""
    mine = sum(
        int(r["n"])
        for _, r in world.state.stacks(at=place)
        if r["owner"] == reader or world.allied(reader, str(r["owner"]))
    )
    return sum(_enemies(world, reader, p)[0] for p in world.geography.next_to(place)) > 2 * mine


def _enemies(world: World, reader: str, place: str) -> tuple[int, str]:
    """How many enemies the reader knows to be in a place, at least, and how that is said; 0 where it may be
    nobody.
    """
    found = enemies_in(world, reader, place)
    if found.band:
        return found.least, f"{span(found.band)} enemy units"
    return found.least, counted(
        found.least, "enemy unit"
    ) if found.exact else f"{found.least} or more enemy units"


def danger(words: Wording, most: int = 6) -> list[str]:
    """Own places without a defender beside a seen enemy, the dearest first."""
    reader = words.reader
    world = words.world
    manned = {
        str(r["place"])
        for _, r in world.state.stacks()
        if r["owner"] == reader or world.allied(reader, str(r["owner"]))
    }
    found = []
    for place in world.ruleset.rows("places"):
        if world.holder_of(place) != reader or place in manned:
            continue
        near = [(p, e) for p in world.geography.next_to(place) if (e := _enemies(world, reader, p))[0]]
        if near:
            found.append((words.worth(place), place, sorted(near, key=lambda i: -i[1][0])))
    alike: dict[str, list[str]] = {}
    for worth, place, near in sorted(found, key=lambda i: (-i[0], i[1]))[:most]:
        beside = listing(f"{said} in {words.spot(p)}" for p, (_, said) in near[:3])
        more = f", among {len(near)} such places" if len(near) > 3 else ""
        alike.setdefault(beside + more, []).append(
            words.place(place) + (f" (worth {worth})" if worth else "")
        )
    out = [
        sentence(f"{listing(some)} {'has' if len(some) == 1 else 'have'} no defender, beside {beside}")
        for beside, some in alike.items()
    ]
    if len(found) > most:
        out.append(
            sentence(
                f"{counted(len(found) - most, 'further place')} without a defender beside enemies: see the "
                "table of your forces"
            )
        )
    return out


def beside_enemies(words: Wording, most: int = 5) -> list[str]:
    """Own forces that stand in one place with units of an enemy, as at sea, the most endangered first."""
    found = []
    for place, rows in by_place(words.world, [words.reader]).items():
        n, said = _enemies(words.world, words.reader, place)
        if n:
            mine = counts(rows)
            found.append((sum(mine.values()) - n, place, mine, said))
    return [
        sentence(f"your {_these(words, mine)} in {words.spot(place)} beside {said}")
        for _, place, mine, said in sorted(found, key=lambda f: (f[0], f[1]))[:most]
    ]


def _these(words: Wording, mine: Mapping[str, int]) -> str:
    """Units behind `your`, with their verb: of one no number."""
    said = words.units(mine)
    return f"{said} are" if sum(mine.values()) > 1 else f"{said.removeprefix('1 ')} is"


def span(range_: str) -> str:
    """A range of numbers in words."""
    low, dots, high = range_.partition("..")
    if not dots:
        return low
    if not high:
        return f"{low} or more"
    return f"up to {high}" if low in ("", "0") else f"{low} to {high}"


def few(items: Sequence[str], most: int, what: str = "places") -> list[str]:
    """The first of several texts, and how many more there are."""
    return [*items[:most], f"{len(items) - most} more {what}"] if len(items) > most + 1 else list(items)
