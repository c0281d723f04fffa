"""Purchases: one thing is sold once, and what is ready is there.

What is placed must change the map by as much as its entry says, what was bought must not be for a room in
which there is something of the kind, and nothing may be paid for that is lost though nothing has changed
since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.state import pair_key, works_on
from .book import Book
from .played import RecordedGame, rows_changed
from .reading import Reader
from .relations import owned_by


def purchases(played: RecordedGame, book: Book) -> None:
    """Every purchase, and everything that is ready."""
    for entry, reader in played.readings():
        if not entry.rule.startswith("production/"):
            continue
        item = played.ruleset.row_or_empty("production", entry.rule.partition("/")[2])
        for key, before, after in rows_changed(entry, reader.state, "under_way"):
            if after and not before:
                _bought(entry, key, item, after, played.ruleset, reader, book)
            elif before and not after:
                _ready(entry, item, before, reader, book)


def _bought(
    entry: Entry, key: str, item: Row, row: Mapping[str, Any], ruleset: Ruleset, reader: Reader, book: Book
) -> None:
    """No border has two purchases of the same works, no place two of what it has once."""
    nation = str(row["nation"])
    for other, bought in sorted(reader.state.table("under_way").items()):
        if other == key or bought.get("nation") != nation or not bought.get("item"):
            continue
        its = ruleset.row_or_empty("production", str(bought["item"]))
        if bought.get("at") != row.get("at") or row.get("at") is None:
            continue
        if "works" in item and item["works"] == its.get("works"):
            twice = sorted(set(row.get("facing", ())) & set(bought.get("facing", ())))
            book.check(
                not twice,
                entry,
                nation,
                f"{item['works']} in {row['at']}",
                "once for each border",
                f"twice facing {', '.join(twice)}",
            )
        elif item.get("sets") and set(item["sets"].items()) == set((its.get("sets") or {}).items()):
            book.check(False, entry, nation, f"{item['id']} in {row['at']}", "once", "twice")
    for field, value in (item.get("sets") or {}).items():
        now = reader.state.get(
            "places", str(row["at"]), field, ruleset.row_or_empty("places", str(row["at"])).get(field)
        )
        plain = not (isinstance(value, str) and value.startswith("="))
        book.check(
            not plain or now != value,
            entry,
            nation,
            f"{field} of {row['at']} when {item['id']} is bought",
            f"not {value} yet",
            now,
        )


def _ready(entry: Entry, item: Row, row: Mapping[str, Any], reader: Reader, book: Book) -> None:
    nation, n = str(row["nation"]), int(row.get("n", 1))
    if "if_lost" in entry.data:
        if entry.data["if_lost"] == "lost":
            _in_vain(entry, row, reader, book)
        return
    if "works" in item:
        facing = row.get("facing", ())
        fields = {(c[1], c[2]) for c in entry.changes if c[0] == "links"}
        made = [f for f in facing if (pair_key(row["at"], f), works_on(row["at"])) in fields]
        book.check(
            len(made) == len(facing),
            entry,
            nation,
            f"{item['works']} made in {row['at']}",
            f"{len(facing)} borders",
            len(made),
        )
    elif "sets" in item:
        book.check(
            any(c[0] == "places" for c in entry.changes),
            entry,
            nation,
            f"{item['id']} in {row['at']}",
            "a change of the place",
            "none",
        )
    elif row["what"] in reader.ruleset.rows("units") and "fits" not in item:
        gained = sum(
            int(after.get("n", 0)) - int(before.get("n", 0))
            for _, before, after in rows_changed(entry, reader.state, "units")
            if (after or before).get("kind") == row["what"] and (after or before).get("owner") == nation
        )
        book.check(
            gained == n or not (row.get("into") or row.get("at")),
            entry,
            nation,
            f"{row['what']} placed",
            n,
            gained,
        )


def _in_vain(entry: Entry, row: Mapping[str, Any], reader: Reader, book: Book) -> None:
    """What is lost was lost by something that happened to its place since it was bought."""
    place = row.get("at")
    if not place or not row.get("cost"):
        return
    then = reader.past["turn"]
    if int(row.get("since", 0)) != entry.turn:
        book.skip("what was bought in an earlier turn and is lost")
        return
    same = (
        then.state.row("places", place) == reader.state.row("places", place)
        and _others(then, place) == _others(reader, place)
        and owned_by(reader.ruleset, then.state, place) == owned_by(reader.ruleset, reader.state, place)
    )
    book.check(
        not same, entry, str(row["nation"]), f"{row.get('item')} in {place}, paid {row['cost']} and lost",
        "a change of the place since the turn began", "the same holder, the same nations there",
    )  # fmt: skip


def _others(reader: Reader, place: str) -> frozenset[str]:
    return reader.state.owners_at(place)
