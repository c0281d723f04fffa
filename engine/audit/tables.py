"""Tables of events: every cell that was drawn is the cell of its row and column, and moves its track as it
says.

The column of an onlooker is their own, else one of those with a test: such tests are judged where they can
be, and where they cannot, any tested column of the row will do (and is counted as skipped).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.journal import Entry
from ..core.model import Row
from ..core.rows import MatrixRow
from .book import Book
from .figures import Beyond
from .played import RecordedGame
from .reading import Reader
from .relations import side_of


def tables(played: RecordedGame, book: Book) -> None:
    """Every entry of a matrix."""
    for entry, reader in played.readings():
        form, _, id_ = entry.rule.partition("/")
        if form != "matrices" or "row" not in entry.data:
            continue
        matrix = played.ruleset.row_or_empty("matrices", id_)
        row = next((r for r in matrix.get("rows", ()) if r["id"] == entry.data["row"]), None)
        nation = entry.subject.rpartition(":")[2]
        if row is None:
            book.check(False, entry, nation, "row of the table", "one of its rows", entry.data["row"])
            continue
        cells = _cells(matrix, row, nation, reader, book)
        fine = book.check(
            bool(cells),
            entry,
            nation,
            f"a cell of {row['id']} for {nation}",
            "one that moves somebody",
            "none",
        )
        if fine:
            _drawn(entry, cells, nation, book)
            _moved(entry, matrix, row, cells, nation, reader, book)


def _cells(matrix: MatrixRow, row: Row, nation: str, reader: Reader, book: Book) -> list[dict[str, Any]]:
    """The cells that an onlooker may fall under, in full (with the way that they, their row or the matrix
    say).
    """
    names = {"nation": reader.thing("nation", nation)}
    out, unsure = [], False
    for column in matrix["columns"]:
        if isinstance(column, str):
            if column == nation:
                return _full(matrix, row, column)
            continue
        name, test = next(iter(column.items()))
        try:
            holds = test == "rest" or reader.test(test, names)
        except Beyond:
            unsure, holds = True, True
        if holds:
            out += _full(matrix, row, name)
            if not unsure:
                break
    if unsure:
        book.skip("columns whose test depends on the action")
    return out


def _full(matrix: Row, row: Row, column: str) -> list[dict[str, Any]]:
    said = row["cells"].get(column)
    if said is None:
        return []
    cell = dict(said) if isinstance(said, Mapping) else {"by": said}
    if not cell.get("to_zero") and not {"toward", "against"} & cell.keys():
        cell |= next(
            ({way: at[way]} for at in (row, matrix) for way in ("toward", "against") if way in at), {}
        )
    return [cell]


def _drawn(entry: Entry, cells: list[dict[str, Any]], nation: str, book: Book) -> None:
    """The die is the cell's."""
    dice = [drawn["die"] for record in entry.dice for drawn in record.get("drawn", ())]
    wanted = {
        str(cell["by"]) for cell in cells if isinstance(cell.get("by"), str) and ".." in str(cell["by"])
    }
    if not wanted:
        book.check(not dice, entry, nation, "die of a cell that draws none", "none", ", ".join(dice))
        return
    book.check(
        len(dice) == 1 and dice[0] in wanted,
        entry,
        nation,
        f"die of {entry.data['row']}",
        " or ".join(sorted(wanted)),
        ", ".join(dice) or "none",
    )


def _moved(
    entry: Entry,
    matrix: MatrixRow,
    row: Row,
    cells: list[dict[str, Any]],
    nation: str,
    reader: Reader,
    book: Book,
) -> None:
    """How far the track moved, and which way."""
    held = cells[0].get("delay", row.get("delay", matrix.get("delay")))
    totals = [int(d["total"]) for record in entry.dice for d in record.get("drawn", ())]
    by = totals[0] if totals else cells[0].get("by")
    if len(cells) != 1 or not isinstance(by, int) or (held and held != "none") or cells[0].get("to_zero"):
        book.skip("cells that are held, or depend on more")
        return
    track = str(matrix["track"])
    limits = reader.ruleset.row_or_empty("tracks", track)
    changed = [c for c in entry.changes if c[0] == "tracks"]
    times = {1, *(int(m["by"]) for m in matrix.get("multiply", ()) if isinstance(m.get("by"), int))}
    if (
        len(changed) > 1
        or (changed and (changed[0][1], changed[0][2]) != (nation, track))
        or {"at_least", "at_most", "boxes"} & limits.keys()
    ):
        book.skip("tracks with bounds, or that lead elsewhere")
        return
    got = int(changed[0][4] or 0) - int(changed[0][3] or 0) if changed else 0
    way = _way(limits, cells[0], reader)
    if way is None:
        book.skip("ways that depend on who acts")
        book.check(
            abs(got) in {by * t for t in times} or not got,
            entry,
            nation,
            f"{track} by {row['id']}",
            f"{by} either way",
            got,
        )
        return
    book.check(got in {way * by * t for t in times}, entry, nation, f"{track} by {row['id']}", way * by, got)


def _way(track: Row, cell: Mapping[str, Any], reader: Reader) -> int | None:
    """Up (1) or down (-1), if the cell names a side or a nation."""
    key = "toward" if "toward" in cell else "against"
    who = cell.get(key)
    side = who if who in reader.ruleset.rows("sides") else side_of(reader.ruleset, reader.state, str(who))
    if not side:
        return None
    up = 1 if track.get("leans", {}).get(side, "up") == "up" else -1
    return up if key == "toward" else -up
