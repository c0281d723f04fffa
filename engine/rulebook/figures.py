"""The figures of rows as tables beneath the rules (units, prices, technologies, reactions, regions), and
orders as written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.model import Row, Ruleset
from ..orders.grammar import Grammar
from ..orders.reference import written_form
from ..turn.matrices import cell_of
from .blocks import FigureTable
from .phrases import asked, title
from .spoken import Spoken

NAMED = (
    "units",
    "technologies",
    "resources",
    "stances",
    "war_kinds",
    "tracks",
    "missions",
    "movement",
    "passages",
    "production",
    "sides",
)
"""Tables whose names are words of the game."""
THINGS = (
    "units",
    "technologies",
    "resources",
    "nations",
    "places",
    "groups",
    "sides",
    "tracks",
    "victory",
    "production",
)
"""Tables in which the names of ids are looked up."""
HOME = {"units": "units", "technologies": "technology", "nations": "nations"}
"""The chapter of a table, where the register has a chapter of that id; else it is that of its rows'
clauses.
"""
HIDDEN = frozenset({"lon", "lat", "levels", "order"})
WIDE = 9
"""Columns of a table that a page of paper holds."""
CHANGES = {
    "base": "is {}",
    "times": "times {}",
    "at_least": "at least {}",
    "at_most": "at most {}",
    "final": "is {}",
}


def tables(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Every table of figures, with the table of the ruleset and the rows that it is made of."""
    yield from _units(ruleset)
    yield from _items(ruleset)
    yield from _technologies(ruleset)
    yield from _cards(ruleset)
    yield from _matrices(ruleset)
    yield from _tables(ruleset)
    yield from _passages(ruleset)
    yield from _regions(ruleset)
    yield from _objectives(ruleset)
    yield from _changes(ruleset)


def cell(value: Any) -> str:
    """A value as it stands in a cell."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, Mapping):
        return ", ".join(f"{str(k).replace('_', ' ').replace('-', ' ')}: {cell(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return str(value)


def name_of(ruleset: Ruleset, id_: Any) -> str:
    """What an id is called where there is a name for it, else the id as words."""
    for form in THINGS:
        row = ruleset.rows(form).get(str(id_))
        if row is not None and "name" in row:
            return str(row["name"])
    return cell(id_).replace("_", " ").replace("-", " ")


def orders(ruleset: Ruleset, keys: Iterable[tuple[str, str]]) -> FigureTable | None:
    """Orders as they are written, with what each does.

    CAPITALS are to be filled in, what stands in [ ] may be left out.
    """
    grammar = Grammar.of(ruleset)
    forms = {(f.form, f.id): f for f in (*grammar.forms, *grammar.options)}
    rows: list[tuple[str, str]] = []
    say = Spoken(ruleset)
    for key in keys:
        form = forms.get(key)
        if form is None:
            continue
        does = str(form.row.get("help") or form.row.get("name") or "")
        rows.append((written_form(form.pattern), asked(say, does)))
    return FigureTable("What you write", ("order", "what it does"), tuple(rows), code=(0,)) if rows else None


def nations(ruleset: Ruleset) -> FigureTable | None:
    """Who plays: side and seat of each nation."""
    rows = ruleset.rows("nations").values()
    fields = [
        f["id"]
        for f in ruleset.rows("fields").values()
        if "nation" in f["of"] and f.get("table") == "places" and f["type"] == "id"
    ]
    seats = [name for name in fields if any(name in row for row in rows)]
    made = [
        (
            title(r),
            name_of(ruleset, r["side"]) if "side" in r else "",
            *(_named(ruleset, r.get(s)) for s in seats),
        )
        for r in rows
    ]
    return (
        FigureTable("", ("nation", "side", *(s.replace("_", " ") for s in seats)), tuple(made))
        if made
        else None
    )


def _named(ruleset: Ruleset, value: Any) -> str:
    """Ids by name, figures as they are."""
    if isinstance(value, list | tuple):
        return ", ".join(_named(ruleset, v) for v in value)
    if isinstance(value, Mapping):
        parts = (
            f"{name_of(ruleset, k)} ({_named(ruleset, v)})"
            if isinstance(v, Mapping)
            else f"{name_of(ruleset, k)}: {_named(ruleset, v)}"
            for k, v in value.items()
        )
        return ", ".join(parts)
    return name_of(ruleset, value) if isinstance(value, str) else cell(value)


def _units(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("units")
    listed: list[tuple[str, Row]] = []
    for row in rows.values():
        grades = row.get("grades", {})
        listed += [(f"{title(row)}, {grade}", {**row, **fields}) for grade, fields in grades.items()] or [
            (title(row), row)
        ]
    keys = _figures(row for _, row in listed)
    if listed and keys:
        made = tuple((name, *(cell(row.get(k)) for k in keys)) for name, row in listed)
        yield "units", list(rows), FigureTable("Units", ("unit", *(k.replace("_", " ") for k in keys)), made)
    graded = [
        (title(n), ", ".join(f"{name_of(ruleset, unit)} {grade}" for unit, grade in n["grade"].items()))
        for n in ruleset.rows("nations").values()
        if isinstance(n.get("grade"), Mapping)
    ]
    if graded:
        yield (
            "units",
            list(rows),
            FigureTable("Whose units are of which grade", ("nation", "units"), tuple(graded)),
        )


def _figures(rows: Iterable[Row]) -> list[str]:
    """The keys that hold numbers in rows, the most common first."""
    count: dict[str, int] = {}
    for row in rows:
        for key, value in row.items():
            if isinstance(value, int | Fraction) and not isinstance(value, bool) and key not in HIDDEN:
                count[key] = count.get(key, 0) + 1
    return sorted(count, key=lambda k: -count[k])[:WIDE]


def _items(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("production")
    made = [
        (
            title(r).capitalize() if title(r).islower() else title(r),
            _price(ruleset, r),
            _uses(ruleset, r.get("uses")),
        )
        for r in rows.values()
    ]
    if made:
        yield (
            "production",
            list(rows),
            FigureTable("What can be bought", ("item", "price", "uses besides"), tuple(made)),
        )


def _price(ruleset: Ruleset, row: Row) -> str:
    """The price of an item: its own, or that of the unit that it makes, from the cheapest grade to the
    dearest.
    """
    if "price" in row:
        said = str(row["price"]).removeprefix("=")
        return said if said.isdigit() else "as the rules say"
    unit = ruleset.row_or_empty("units", str(row.get("makes", "")))
    prices = [unit.get("price"), *(grade.get("price") for grade in unit.get("grades", {}).values())]
    figures = sorted({p for p in prices if isinstance(p, int | Fraction)})
    if not figures:
        return "as the rules say"
    return str(figures[0]) if len(figures) == 1 else f"{figures[0]} to {figures[-1]}"


def _uses(ruleset: Ruleset, uses: Any) -> str:
    if not isinstance(uses, Mapping):
        return ""
    each = {k: v.get("each") if isinstance(v, Mapping) else v for k, v in uses.items()}
    return ", ".join(f"{v} {name_of(ruleset, k)}" for k, v in each.items() if isinstance(v, int | Fraction))


def _technologies(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Technologies with their levels, and what declared fields say of other things by their ids."""
    rows = ruleset.rows("technologies")
    fields = [f for f in ruleset.rows("fields").values() if "tech" in f["of"] and "table" in f]
    if rows:
        made = tuple(
            (title(r), cell(r.get("levels", 1)), *(_named(ruleset, r.get(f["id"], "")) for f in fields))
            for r in rows.values()
        )
        head = ("technology", "levels", *(f["id"].replace("_", " ") for f in fields))
        yield "technologies", list(rows), _without_empty(FigureTable("Technologies", head, made))


def _cards(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Cards with how many there are, their figures, and what stands on them."""
    rows = ruleset.rows("cards")
    keys = [key for key in _figures(rows.values()) if key != "copies"]
    made = tuple(
        (title(r), cell(r.get("copies", 1)), *(cell(r.get(k, "")) for k in keys), str(r.get("text", "")))
        for r in rows.values()
    )
    if made:
        head = ("card", "copies", *(key.replace("_", " ") for key in keys), "what it says")
        yield "cards", list(rows), _without_empty(FigureTable("Cards", head, made))


def _without_empty(table: FigureTable) -> FigureTable:
    """The table without columns in which nothing stands."""
    kept = [n for n, _ in enumerate(table.head) if n == 0 or any(row[n] for row in table.rows)]
    return FigureTable(
        table.caption,
        tuple(table.head[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in table.rows),
    )


def _matrices(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    for id_, matrix in ruleset.rows("matrices").items():
        columns = [c if isinstance(c, str) else next(iter(c)) for c in matrix["columns"]]
        made = tuple(
            (
                str(r.get("label") or name_of(ruleset, r["id"])),
                *(_reaction(ruleset, cell_of(matrix, r, c)) for c in columns),
            )
            for r in matrix["rows"]
        )
        yield (
            "matrices",
            [id_],
            FigureTable(title(matrix), ("what happens", *(name_of(ruleset, c) for c in columns)), made),
        )


def _reaction(ruleset: Ruleset, found: Any) -> str:
    """A cell of a matrix: how far, and which way."""
    if not found:
        return ""
    by = found["by"]
    if isinstance(by, Mapping) and isinstance(by.get("draw"), list):
        by = " to ".join(map(str, by["draw"]))
    by = cell(by).replace("..", " to ")
    way = next(
        (f"{k} {_plain(ruleset, found[k])}" for k in ("toward", "against") if k in found),
        "to zero" if found.get("to_zero") else "",
    )
    return f"{by} {way}".strip()


def _plain(ruleset: Ruleset, value: Any) -> str:
    if value == "actor":
        return "it"  # the one of whom the row tells
    return name_of(ruleset, value) if not str(value).startswith("=") else Spoken(ruleset).value(str(value))


def _tables(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    for id_, row in ruleset.rows("tables").items():
        rows = row.get("rows", {})
        if row.get("bands"):
            bands = row["bands"]
            listed = bands.items() if isinstance(bands, Mapping) else [(cell(b), "") for b in bands]
            yield (
                "tables",
                [id_],
                FigureTable(
                    title(row),
                    ("at", "it is"),
                    tuple((cell(k).replace("..", " to "), _named(ruleset, v)) for k, v in listed),
                ),
            )
            continue
        grids = [v for v in rows.values() if isinstance(v, Mapping)]
        columns = list(dict.fromkeys(k for v in grids for k in v))
        if grids and len(grids) == len(rows) and len(columns) <= WIDE:
            made = tuple(
                (name_of(ruleset, k), *(_named(ruleset, v.get(c)) for c in columns)) for k, v in rows.items()
            )
            yield (
                "tables",
                [id_],
                FigureTable(title(row), ("", *(name_of(ruleset, c) for c in columns)), made),
            )
        else:
            yield (
                "tables",
                [id_],
                FigureTable(
                    title(row),
                    ("", "it is"),
                    tuple((name_of(ruleset, k), _named(ruleset, v)) for k, v in rows.items()),
                ),
            )


def _passages(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("passages")
    if rows:
        made = tuple(
            (title(r), " and ".join(name_of(ruleset, p) for p in r["between"]))
            for r in rows.values()
            if "between" in r
        )
        yield "passages", list(rows), FigureTable("Passages", ("passage", "between"), made)


def _regions(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Groups of places that have a name, each where its clause stands."""
    for id_, row in ruleset.rows("groups").items():
        if row.get("of") == "places" and "name" in row and row.get("members") and row.get("source"):
            yield (
                "groups",
                [id_],
                FigureTable(
                    "", ("region", "it is made of"), ((title(row), _named(ruleset, row["members"])),)
                ),
            )


def _objectives(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows, aims = ruleset.of_kind("victory", "objectives"), ruleset.of_kind("victory", "aim")
    made: list[tuple[str, ...]] = []
    for row in rows.values():
        for side, goals in row["goals"].items():
            for aim, of in goals.items():
                points = row.get("worth", {}).get(aim, aims[aim]["points"])
                whose = (
                    title(ruleset.row("nations", row["nation"]))
                    if ruleset.has("nations", row["nation"])
                    else name_of(ruleset, row["nation"])
                )
                made.append(
                    (whose, name_of(ruleset, side), title(aims[aim]), _named(ruleset, of), cell(points))
                )
    if made:
        yield (
            "victory",
            list(rows),
            FigureTable("Objectives", ("nation", "on the side of", "goal", "what", "worth"), tuple(made)),
        )


def _changes(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Bonuses and penalties that have a name and a figure that is always the same."""
    for id_ in ruleset.rows("modifiers"):
        row: Row = ruleset.row("modifiers", id_)
        said = [
            (k, row[k])
            for k in ("add", *CHANGES)
            if k in row and not isinstance(row[k], str | Mapping | list)
        ]
        if "label" in row and len(said) == 1:
            key, figure = said[0]
            change = (
                f"{figure:+}"
                if key == "add" and isinstance(figure, int)
                else CHANGES.get(key, "{}").format(figure)
            )
            quantity = ruleset.row_or_empty("stats", str(row["of"]))
            what = str(quantity.get("name") or name_of(ruleset, row["of"]))
            yield (
                "modifiers",
                [id_],
                FigureTable(
                    "Bonuses and penalties", ("for", "on", "change"), ((str(row["label"]), what, change),)
                ),
            )
