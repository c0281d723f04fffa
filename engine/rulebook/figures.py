"""The figures of rows as tables beneath the rules (units, prices, technologies, reactions, regions), and
orders as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..core.messages import capital, uncapital
from ..core.model import Row, Ruleset
from ..orders.grammar import Grammar
from ..orders.reference import help_of, written_form
from ..ruleset.clauses import CLAUSES, dropped, sources
from ..turn.matrices import cell_of
from ..world.treasury import money
from .blocks import FigureTable, Listing
from .lookups import lookup_tables
from .phrases import asked, title
from .spoken import Spoken
from .values import cell, labeled, name_of, named

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
HOME = {"units": "units", "technologies": "technology", "nations": "nations", "passages": "map"}
"""The chapter of a table, where the register has a chapter of that id; else it is that of its rows'
clauses.
"""
HIDDEN = frozenset({"lon", "lat", "levels", "order"})
FEW = 20
"""Borders of a kind that are listed one by one, and the part of all borders that they are at most."""
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
    yield from lookup_tables(ruleset)
    yield from _links(ruleset)
    yield from _passages(ruleset)
    yield from of_nations(ruleset)
    yield from _regions(ruleset)
    yield from _objectives(ruleset)
    yield from _changes(ruleset)


_OF_ITS_MODEL = re.compile(r"model\(self, '([^']+)'\)\.(\w+)")
"""A field of a kind of unit as it is for who buys: most often the price of what an item makes."""


def orders(ruleset: Ruleset, keys: Iterable[tuple[str, str]]) -> FigureTable | None:
    """Orders by name, as they are written, with what each does.

    CAPITALS are to be filled in, what stands in [ ] may be left out.
    """
    grammar = Grammar.of(ruleset)
    forms = {(f.form, f.id): f for f in (*grammar.forms, *grammar.options)}
    say = Spoken(ruleset)
    rows = tuple(
        (
            capital(str(form.row.get("name", ""))),
            written_form(form.pattern),
            asked(say, help_of(form.row)),
        )
        for form in (forms[key] for key in keys if key in forms)
    )
    head = ("order", "you write", "what it does")
    return without_empty(FigureTable("What you write", head, rows, code=(1,))) if rows else None


def nations(ruleset: Ruleset) -> Iterator[FigureTable | Listing]:
    """Who plays: side and seat of each nation; their names alone where no more is to be said of them."""
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
            *(named(ruleset, r.get(s)) for s in seats),
        )
        for r in rows
    ]
    told = [row for row in made if any(row[1:])]
    if told:
        head = ("nation", "side", *(s.replace("_", " ") for s in seats))
        yield without_empty(FigureTable("", head, tuple(told)))
    others = [row[0] for row in made if not any(row[1:])]
    if others:
        yield Listing((", ".join(others) + ".",))


def of_nations(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """What fields of nations name: places and other nations, a table a field."""
    for id_, field in ruleset.rows("fields").items():
        listed = field["type"] == "list" and field.get("table") in ("places", "nations")
        if not ("nation" in field["of"] and "text" in field):
            continue
        if not (listed or (field["type"] == "id" and field.get("table") == "nations")):
            continue
        nations: Iterable[Mapping[str, Any]] = ruleset.rows("nations").values()
        made = tuple(
            (title(row), named(ruleset, row[id_])) for row in nations if row.get(id_) and "name" in row
        )
        if made:
            yield "fields", [id_], FigureTable(str(field["text"]), ("nation", "which"), made)


def _units(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("units")
    listed: list[tuple[str, Row]] = []
    for row in rows.values():
        grades = row.get("grades", {})
        listed += [(f"{title(row)}, {grade}", {**row, **fields}) for grade, fields in grades.items()] or [
            (title(row), row)
        ]
    keys = _figures(ruleset, (row for _, row in listed))
    if listed and keys:
        made = tuple((name, *(cell(row.get(k)) for k in keys)) for name, row in listed)
        head = ("unit", *(_column(ruleset, k) for k in keys))
        yield "units", list(rows), FigureTable("Units", head, made, notes=_legend(ruleset, keys))
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


def _legend(ruleset: Ruleset, keys: Iterable[str]) -> tuple[str, ...]:
    """What the columns of units mean, by the declarations of their fields; what says no more than its name is
    left out.
    """
    said = {key: str(ruleset.row_or_empty("fields", key).get("text", "")) for key in keys}
    heads = {key: _column(ruleset, key) for key in said}
    return tuple(
        f"{heads[key]}: {text[:1].lower()}{text[1:]}"
        for key, text in said.items()
        if text and text.lower() != heads[key]
    )


def _column(ruleset: Ruleset, key: str) -> str:
    """What a field of units is called: as the number of its id, if that has a name."""
    return str(ruleset.row_or_empty("stats", key).get("name") or key.replace("_", " "))


def _figures(ruleset: Ruleset, rows: Iterable[Row]) -> list[str]:
    """The keys that hold numbers in rows, the most common first."""
    count: dict[str, int] = {}
    hidden = {*HIDDEN, *(id_ for id_, field in ruleset.rows("fields").items() if field.get("told") is False)}
    for row in rows:
        for key, value in row.items():
            if isinstance(value, int | Fraction) and not isinstance(value, bool) and key not in hidden:
                count[key] = count.get(key, 0) + 1
    return sorted(count, key=lambda k: -count[k])[:WIDE]


def _items(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("production")
    made = [
        (
            _item(ruleset, r),
            _price(ruleset, r),
            _uses(ruleset, r.get("uses")),
        )
        for r in rows.values()
    ]
    if made:
        yield (
            "production",
            list(rows),
            FigureTable("What can be bought", ("item", _price_head(ruleset), "uses besides"), tuple(made)),
        )


def _item(ruleset: Ruleset, row: Row) -> str:
    """What an item is called: as its row says, or as the unit that it makes."""
    made = ruleset.row_or_empty("units", str(row.get("makes", "")))
    return capital(title(made if "name" not in row and "name" in made else row))


def _price_head(ruleset: Ruleset) -> str:
    """A price, with what it is paid in."""
    paid = str(ruleset.row_or_empty("resources", money(ruleset)).get("name", ""))
    return f"price ({uncapital(paid)})" if paid else "price"


def _price(ruleset: Ruleset, row: Row) -> str:
    """The price of an item: its own, or that of the unit that it makes, from the cheapest grade to the
    dearest.
    """
    said = str(row.get("price", "")).removeprefix("=")
    model = _OF_ITS_MODEL.fullmatch(said)
    if said and not model:
        return said if said.isdigit() else "as the rules say"
    kind, field = (model[1], model[2]) if model else (str(row.get("makes", "")), "price")
    unit = ruleset.row_or_empty("units", kind)
    prices = [unit.get(field), *(grade.get(field) for grade in unit.get("grades", {}).values())]
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
            (title(r), cell(r.get("levels", 1)), *(named(ruleset, r.get(f["id"], "")) for f in fields))
            for r in rows.values()
        )
        head = ("technology", "levels", *(f["id"].replace("_", " ") for f in fields))
        yield "technologies", list(rows), FigureTable("Technologies", head, made)


def _cards(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Cards with how many there are, their figures, and what stands on them."""
    rows = ruleset.rows("cards")
    keys = [key for key in _figures(ruleset, rows.values()) if key != "copies"]
    made = tuple(
        (title(r), cell(r.get("copies", 1)), *(cell(r.get(k, "")) for k in keys), str(r.get("text", "")))
        for r in rows.values()
    )
    if made:
        head = ("card", "copies", *(key.replace("_", " ") for key in keys), "what it says")
        yield "cards", list(rows), FigureTable("Cards", head, made)


def without_empty(table: FigureTable) -> FigureTable:
    """The table without columns in which nothing stands."""
    kept = [n for n, _ in enumerate(table.head) if any(row[n] for row in table.rows)]
    return FigureTable(
        table.caption,
        tuple(table.head[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in table.rows),
        code=tuple(kept.index(n) for n in table.code if n in kept),
        notes=table.notes,
    )


def _matrices(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Reactions: rows whose clauses a layer has dropped are left out."""
    register = ruleset.rows(CLAUSES)
    for id_, matrix in ruleset.rows("matrices").items():
        columns = [c if isinstance(c, str) else next(iter(c)) for c in matrix["columns"]]
        made = tuple(
            (
                str(r.get("label") or name_of(ruleset, r["id"])),
                *(_reaction(ruleset, cell_of(matrix, r, c)) for c in columns),
            )
            for r in matrix["rows"]
            if not dropped(register, sources(r))
        )
        if made:
            head = ("what happens", *(labeled(ruleset, matrix, c) for c in columns))
            yield "matrices", [id_], without_empty(FigureTable(title(matrix), head, made))


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
        "toward zero" if found.get("to_zero") else "",
    )
    return "" if by in ("0", "0 to 0") else f"{by} {way}".strip()


def _plain(ruleset: Ruleset, value: Any) -> str:
    if value == "actor":
        return "it"  # the one of whom the row tells
    return name_of(ruleset, value) if not str(value).startswith("=") else Spoken(ruleset).value(str(value))


def _passages(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    rows = ruleset.rows("passages")
    if rows:
        made = tuple(
            (title(r), " and ".join(name_of(ruleset, p) for p in r["between"]))
            for r in rows.values()
            if "between" in r
        )
        yield "passages", list(rows), FigureTable("Passages", ("passage", "between"), made)


def _links(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """The borders of a kind that are named one by one: those whose rows cite clauses and are a few of all."""
    rows = ruleset.rows("links")
    kinds: dict[str, list[str]] = {}
    for id_, row in rows.items():
        kinds.setdefault(str(row.get("kind", "")), []).append(id_)
    for kind, ids in kinds.items():
        if (
            kind
            and len(ids) <= FEW
            and FEW * len(ids) <= len(rows)
            and all(rows[i].get("source") for i in ids)
        ):
            pairs = tuple((" and ".join(name_of(ruleset, p) for p in rows[i]["between"]),) for i in ids)
            yield "links", ids, FigureTable("", (f"{kind} between",), pairs)


def is_region(row: Row) -> bool:
    """Whether a group is a region of the map that the rules speak of."""
    return row.get("of") == "places" and "name" in row and bool(row.get("members")) and "use" not in row


def _regions(ruleset: Ruleset) -> Iterator[tuple[str, Sequence[str], FigureTable]]:
    """Groups of places that have a name, each where its clause stands."""
    for id_, row in ruleset.rows("groups").items():
        if is_region(row) and row.get("source"):
            yield (
                "groups",
                [id_],
                FigureTable("", ("region", "it is made of"), ((title(row), named(ruleset, row["members"])),)),
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
                    (whose, name_of(ruleset, side), title(aims[aim]), named(ruleset, of), cell(points))
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
        if "label" in row and len(said) == 1 and said != [("times", 1)]:
            key, figure = said[0]
            change = (
                f"{figure:+}"
                if key == "add" and isinstance(figure, int)
                else CHANGES.get(key, "{}").format(figure)
            )
            quantity = ruleset.row_or_empty("stats", str(row["of"]))
            what = str(quantity.get("name") or name_of(ruleset, row["of"]))
            whose = row.get("for", ())
            kinds = [whose] if isinstance(whose, str) else whose
            units = ", ".join(name_of(ruleset, kind) for kind in kinds)
            yield (
                "modifiers",
                [id_],
                FigureTable(
                    "Bonuses and penalties, as reports call them",
                    ("what", "of", "figure", "change"),
                    ((capital(str(row["label"])), units, what, change),),
                ),
            )
