"""Moves: along links that there are, of kinds that the mode allows, within allowance and capacity; and each
keeps what is its own.

Ways are those of the journal: the path of an order's entry, and the steps of forces. What a unit may do is
the `steps` of its mode as the rows make it for a unit of its kind, or what it had left of it. Moves by events
(a row that puts units elsewhere) have no way in the journal, and are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.rows import MovementRow
from ..core.state import pair_key
from .book import Book
from .figures import Beyond
from .played import RecordedGame, rows_changed
from .reading import Reader
from .things import Thing


def moves(played: RecordedGame, book: Book) -> None:
    """Every entry with a path, every step of a force, and every use of a shared capacity."""
    links = kinds_of_links(played.ruleset)
    for entry, reader in played.readings():
        form = entry.rule.partition("/")[0]
        if form == "orders" and len(entry.data.get("path", ())) > 1:
            _order(entry, played.ruleset, reader, links, book)
        elif form in ("missions", "movement", "orders"):
            _forces(entry, played.ruleset, reader, links, book)
        _capacities(entry, played.ruleset, reader, book)


def kinds_of_links(ruleset: Ruleset) -> dict[str, set[str]]:
    """Two places (as one key) -> the kinds of links between them."""
    out: dict[str, set[str]] = {}
    for row in ruleset.rows("links").values():
        out.setdefault(pair_key(*row["between"]), set()).add(str(row.get("kind", "")))
    return out


def _order(entry: Entry, ruleset: Ruleset, reader: Reader, links: Mapping[str, set[str]], book: Book) -> None:
    mode = _mode(entry, ruleset)
    nation = entry.subject.partition(":")[0]
    path = [str(p) for p in entry.data["path"]]
    if mode is None:
        book.skip("orders whose row names no way of moving")
        return
    if not _linked(entry, ruleset, mode, nation, path, links, book):
        return
    for kind, n in entry.data.get("units", {}).items():
        try:
            used = spent(reader, mode, nation, kind, path, links)
            most = _allowance(entry, ruleset, reader, mode, nation, kind, path)
        except Beyond as why:
            book.skip(str(why))
            continue
        if most is None:
            continue
        book.check(
            used <= most, entry, nation, f"way of {n} {kind} by {' > '.join(path)}", f"at most {most}", used
        )
        _kept(entry, reader, mode, nation, kind, path, most - used, book)


def _mode(entry: Entry, ruleset: Ruleset) -> MovementRow | None:
    row = ruleset.row_of(entry.rule)
    return ruleset.rows("movement").get(str(row.get("does", "")))


def _linked(
    entry: Entry,
    ruleset: Ruleset,
    mode: MovementRow,
    whose: str,
    path: Sequence[str],
    links: Mapping[str, set[str]],
    book: Book,
) -> bool:
    """Whether each step of a way is over a link that there is, of a kind that the mode allows."""
    fine = True
    for here, there in pairwise(path):
        if here == there:
            continue
        pairs = product(_wholes(ruleset, here), _wholes(ruleset, there))
        kinds = set().union(*(links.get(pair_key(a, b), set()) for a, b in pairs))
        said: Any = mode.get("links") or kinds
        allowed = {said} if isinstance(said, str) else set(said)
        fine &= book.check(
            bool(kinds & allowed),
            entry,
            whose,
            f"a step from {here} to {there} by {mode['id']}",
            "a link of " + " or ".join(sorted(allowed)) if allowed else "a link",
            ", ".join(sorted(kinds)) or "none",
        )
    return fine


def _wholes(ruleset: Ruleset, place: str) -> Iterator[str]:
    yield place
    whole = ruleset.row_or_empty("places", place).get("part_of")
    if whole is not None:
        yield str(whole)


def spent(
    reader: Reader,
    mode: MovementRow,
    nation: str,
    kind: str,
    path: Sequence[str],
    links: Mapping[str, set[str]],
) -> Fraction:
    """What a way costs a unit of a kind."""
    total = Fraction(0)
    own = reader.thing("nation", nation)
    for here, there in pairwise(path):
        if here == there:
            continue
        if "cost" not in mode:
            total += 1
            continue
        link = Border(reader, pair_key(here, there), sorted(links.get(pair_key(here, there), {""}))[0])
        names = {
            "self": own, "nation": own, "unit": Thing(reader, "unit", f"{nation}.{kind}@"), "link": link,
            "place": reader.thing("place", there), "path": tuple(path),
        }  # fmt: skip
        total += reader.figure(mode["cost"], names, link)
    return total


class Border(Thing):
    """A link in an expression: of what kind it is, and which it is; its works are not asked here."""

    __slots__ = ()

    def __init__(self, reader: Reader, id_: str, sort: str) -> None:
        super().__init__(reader, sort, id_)

    def __getattr__(self, name: str) -> Any:
        if name == "kind":
            return self._kind
        raise Beyond(f"field {name} of a link")


def _allowance(
    entry: Entry,
    ruleset: Ruleset,
    reader: Reader,
    mode: MovementRow,
    nation: str,
    kind: str,
    path: Sequence[str],
) -> Fraction | None:
    """What a unit of a kind may spend: what it has left, or the figure of its mode; None where nothing limits
    it.
    """
    if "steps" not in mode:
        return None
    keeps = str(mode.get("keeps", ""))
    lefts = [
        row[keeps]
        for _, row, _ in rows_changed(entry, reader.state, "units")
        if keeps
        and keeps in row
        and row.get("owner") == nation
        and row.get("kind") == kind
        and row.get("place") == path[0]
    ]
    if lefts:
        return Fraction(min(lefts))
    unit = Thing(reader, "unit", f"{nation}.{kind}@")
    own = reader.thing("nation", nation)
    names = {"self": own, "nation": own, "unit": unit, "place": reader.thing("place", path[0])}
    steps = mode["steps"]
    if (
        isinstance(steps, str)
        and not steps.startswith("=")
        and steps not in ruleset.rows("stats")
        and not steps.isdigit()
    ):
        return Fraction(reader.field(unit, steps) or 0)
    return reader.figure(steps, names, unit)


def _kept(
    entry: Entry,
    reader: Reader,
    mode: MovementRow,
    nation: str,
    kind: str,
    path: Sequence[str],
    left: Fraction,
    book: Book,
) -> None:
    """Who moves keeps what is left of their own allowance, where the mode keeps it."""
    keeps = mode.get("keeps")
    if keeps is None:
        return
    if "place" in str(mode.get("cost", "")):
        book.skip("what is left after a way whose cost depends on who is about")
        return
    for key, before, row in rows_changed(entry, reader.state, "units"):
        if (
            row.get("owner") == nation
            and row.get("kind") == kind
            and keeps in row
            and row.get("place") == path[-1]
            and not before
        ):
            book.check(
                Fraction(row[keeps]) == left, entry, nation,
                f"{keeps} of {kind} after {' > '.join(path)} ({key.partition('[')[0]})", left, row[keeps],
            )  # fmt: skip


def _forces(
    entry: Entry, ruleset: Ruleset, reader: Reader, links: Mapping[str, set[str]], book: Book
) -> None:
    """Forces that go a step: over a link, and no further in all than the slowest of them may."""
    for id_, before, after in rows_changed(entry, reader.state, "forces"):
        way, was = after.get("path", ()), before.get("path", ())
        mode = ruleset.rows("movement").get(str(after.get("mode", "")))
        if mode is None or len(way) <= len(was) or not was or list(way[: len(was)]) != list(was):
            continue
        nation = str(after["owner"])
        if (
            not _linked(entry, ruleset, mode, nation, list(way[len(was) - 1 :]), links, book)
            or "steps" not in mode
        ):
            continue
        kinds = {
            r["kind"]
            for _, r in reader.state.stacks(owner=nation)
            if r.get("force") == id_ and not r.get("aboard")
        }
        try:
            used = {kind: spent(reader, mode, nation, kind, list(way), links) for kind in kinds}
            most = {
                kind: _allowance(entry, ruleset, reader, mode, nation, kind, [str(way[0])]) for kind in kinds
            }
        except Beyond as why:
            book.skip(str(why))
            continue
        keeps = mode.get("keeps")
        for kind in sorted(kinds):
            limit = most[kind]
            if limit is None or keeps is not None:
                continue  # what is left is held below
            book.check(
                used[kind] <= limit,
                entry,
                nation,
                f"way of {id_} ({kind}) by {' > '.join(way)}",
                f"at most {limit}",
                used[kind],
            )
        for _, _, row in rows_changed(entry, reader.state, "units"):
            if keeps is not None and keeps in row and row.get("force") == id_:
                book.check(
                    row[keeps] >= 0,
                    entry,
                    nation,
                    f"{keeps} of {row['kind']} in {id_}",
                    "0 or more",
                    row[keeps],
                )


def _capacities(entry: Entry, ruleset: Ruleset, reader: Reader, book: Book) -> None:
    """What shared capacities carry in a turn is no more than they can."""
    for id_, _, after in rows_changed(entry, reader.state, "loads"):
        mode_id, _, place = id_.partition(":")
        said = ruleset.row_or_empty("movement", mode_id).get("capacity", {}).get("is")
        if not after or said is None:
            continue
        nation = reader.thing("nation", entry.subject.partition(":")[0])
        names = {"self": nation, "nation": nation, "place": reader.thing("place", place)}
        try:
            most = reader.figure(f"={said}" if isinstance(said, str) else said, names)
        except Beyond as why:
            book.skip(str(why))
            continue
        book.check(
            after["n"] <= most,
            entry,
            nation.id if nation else "",
            f"what {place} carries by {mode_id}",
            f"at most {most}",
            after["n"],
        )
