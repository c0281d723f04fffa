"""Conservation of units: nobody appears, goes or changes hands but by an entry that says so.

Counted are units on the map and what is bought and under way, kind by kind and owner by owner. An entry may
lose what its facts say is destroyed; make what they say was built or placed; and change owner or kind one for
one where its row converts units, or hands them over. At the end of every stage the state that was kept must
be the one that the entries lead to.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import WHOLE_ROW, State
from .book import Book
from .played import RecordedGame, make, rows_behind, rows_changed, said_in

Numbers = Counter[tuple[str, str]]
"""Owner and kind -> how many."""
HAND_OVER = ("convert", "absorb", "to", "own", "found")
"""Verbs, and keys of verbs, that let units go on as others'."""
LATER = ("queue", "cancel")
"""Verbs that put units under way, or take them from there, without a fact."""


def units(played: RecordedGame, book: Book) -> None:
    """Every entry balanced, and every kept state the one that the journal leads to."""
    total = counted(played.start)
    told: Numbers = Counter()
    end: Entry | None = None
    for entry, state in played.moments():
        _fits(entry, state, book)
        told.update(_balanced(entry, state, played.ruleset, book))
        end = entry
    _stages(played, book)
    if end is None:
        return
    now = counted(played.stages[-1].after())
    for key in sorted({*total, *now, *told}):
        wanted = total[key] + told[key]
        book.check(
            now[key] == wanted, end, key[0], f"{key[1]}: start, made, lost and gone over", wanted, now[key]
        )


def counted(state: State) -> Numbers:
    """What everybody has, on the map, under way and still to be placed before play begins."""
    out: Numbers = Counter()
    for table in ("units", "under_way"):
        for row in state.table(table).values():
            _count(out, table, row, 1)
    return +out


def _count(out: Numbers, table: str, row: object, sign: int) -> None:
    if not isinstance(row, dict) or not row:
        return
    if table == "units" and row.get("n"):
        out[row["owner"], row["kind"]] += sign * int(row["n"])
    elif (
        table == "under_way"
        and row.get("what")
        and not row.get("facing")
        and (row.get("at") or row.get("item"))
    ):
        out[row["nation"], row["what"]] += sign * int(row.get("n", 1))


def _fits(entry: Entry, state: State, book: Book) -> None:
    """What an entry says was so before it was so."""
    here = state.copy()
    for table, id_, name, before, after in entry.changes:
        found = here.put(table, id_, name, after)
        if found != before:
            book.check(False, entry, f"{table}/{id_}", f"{name} before the change", before, found)
        if table == "units" and name == WHOLE_ROW and isinstance(after, dict):
            book.check(
                int(after.get("n", 0)) > 0,
                entry,
                str(after.get("owner")),
                f"units of stack {id_}",
                "1 or more",
                after.get("n"),
            )


def _balanced(entry: Entry, state: State, ruleset: Ruleset, book: Book) -> Numbers:
    """Check one entry; gives what it has added to everybody by its facts and its row."""
    net: Numbers = Counter()
    way: Numbers = Counter()
    for table, into in (("units", net), ("under_way", way)):
        for _, before, after in rows_changed(entry, state, table):
            _count(into, table, before, -1)
            _count(into, table, after, 1)
    kinds = ruleset.rows("units")
    way = Counter({key: n for key, n in way.items() if key[1] in kinds and n})
    both: Numbers = Counter(net)
    both.update(way)
    both = Counter({key: n for key, n in both.items() if n})
    if not both and not any(f.word == "destroyed" for f in entry.facts):
        return both
    wanted = _told(entry, way)
    rest = Counter({key: both[key] - wanted[key] for key in {*both, *wanted} if both[key] != wanted[key]})
    whose = next(iter(sorted(rest)), next(iter(sorted(both)), ("", "")))[0]
    fine = (
        not rest
        or _gone_over(entry, ruleset, rest)
        or _queued(entry, ruleset, rest, way)
        or _fitting_out(entry, rest, wanted)
    )
    book.check(fine, entry, whose, "units that come and go", _words(wanted), _words(both))
    return both


def _told(entry: Entry, way: Numbers) -> Numbers:
    """What the facts of an entry add and take."""
    out: Numbers = Counter()
    for fact in entry.facts:
        roles = fact.roles
        if fact.word == "destroyed":
            out[roles["of"], roles["kind"]] -= int(roles["n"])
        elif fact.word == "built":
            out[roles["by"], roles["kind"]] += int(roles["n"])
        elif fact.word == "placed" and "kind" in roles:
            key = (roles["by"], roles["kind"])
            # what was under way has been counted when it was built
            out[key] += max(0, int(roles["n"]) + min(0, way[key]))
    for part in entry.data.get("unfinished", ()):  # what was under way in a place that fell
        key = (part["owner"], part["what"])
        out[key] -= min(int(part["n"]), -min(0, way[key]))  # works under way are no units
    return out


def _gone_over(entry: Entry, ruleset: Ruleset, rest: Numbers) -> bool:
    """Whether as many came as went, by a row that may hand over or convert, or by a move into land that comes
    with its units.
    """
    if sum(rest.values()) != 0:
        return False
    takes = entry.rule.startswith("orders/") and any(
        said_in(s.get("enter"), "takes") for s in ruleset.rows("stances").values()
    )
    return takes or any(said_in(row, word) for row in rows_behind(ruleset, entry) for word in HAND_OVER)


def _queued(entry: Entry, ruleset: Ruleset, rest: Numbers, way: Numbers) -> bool:
    """Whether all that is left to be explained is under way, by a row that puts it there."""
    return all(rest[key] == way[key] for key in rest) and any(
        said_in(row, word) for row, word in product(rows_behind(ruleset, entry), LATER)
    )


def _fitting_out(entry: Entry, rest: Numbers, wanted: Numbers) -> bool:
    """Whether what is bought or ready is fitted to units that are there, and makes none of its own."""
    item = entry.data.get("item")
    return (
        item is not None
        and entry.rule.startswith("production/")
        and all(wanted[k] == 0 or rest[k] == -wanted[k] for k in rest)
    )


def _stages(played: RecordedGame, book: Book) -> None:
    state = played.start.copy()
    for stage in played.stages:
        last: Entry | None = None
        for last in stage.entries:
            make(state, last.changes)
        if last is None:
            continue
        after = stage.after()
        differs = [name for name in {*state.tables, *after.tables} if state.table(name) != after.table(name)]
        book.check(
            not differs,
            last,
            "",
            f"the state of stage {stage.number}",
            "as the journal leads to",
            ", ".join(differs),
        )


def _words(numbers: Numbers) -> str:
    return (
        ", ".join(f"{n:+d} {kind} of {owner}" for (owner, kind), n in sorted(numbers.items()) if n) or "none"
    )
