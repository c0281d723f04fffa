"""The rulebook as chapters of blocks: the sentences of the register first, then the orders and the figures
that go with them.

Chapters are those of the register (the table `chapters`), those of phases in the order of the sequence of
play. A ruleset without a register is told in the words of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..orders.input_points import by_phase
from ..play.scenario_files import option_values
from ..ruleset.clauses import CLAUSES, clauses_of_row, owner
from ..turn.sequence import phases
from . import figures, sections
from .blocks import Block, Chapter, FigureTable, Heading, Listing, Rule, Rulebook, Text
from .phrases import title

__all__ = ["book"]

CHAPTERS = "chapters"
DROPPED = "dropped"
PROVENANCE = ("reconstructed", "ruling")


def book(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> Rulebook:
    """The rulebook of a ruleset. `tested`: how many rule tests cite each clause; then each rule says so."""
    return _Writer(ruleset, tested).written()


class _Writer:
    def __init__(self, ruleset: Ruleset, tested: Mapping[str, int] | None) -> None:
        self.ruleset, self.tested = ruleset, tested
        self.register = ruleset.rows(CLAUSES)
        self.phases = _numbered(phases(ruleset.sequence))
        self.chapters = _by_phase(ruleset.rows(CHAPTERS), list(self.phases))
        self.readings = self._readings()

    def written(self) -> Rulebook:
        found = list(self._chapters())
        ordered = [c for c in found if c.blocks]
        turn = self._turn(ordered)
        rest = (self._nations(), self._options(), self._glossary(ordered), self._provenance())
        description = str(self.ruleset.manifest.get("description", ""))
        return Rulebook(
            self.ruleset.title, description, tuple(c for c in (turn, *ordered, *rest) if c.blocks)
        )

    # ---- what stands where

    def _readings(self) -> dict[str, list[str]]:
        """Clause to the readings of it, each at the first of the clauses that it is about."""
        out: dict[str, list[str]] = {}
        for id_, row in self.register.items():
            if row.get("about"):
                out.setdefault(owner(self.register, str(row["about"][0])), []).append(id_)
        return out

    def _chapter_of(self, form: str, id_: str) -> str:
        """The chapter of the first clause that a row cites and that stands in one."""
        for clause in clauses_of_row(self.ruleset, form, id_):
            chapter = self.register.get(owner(self.register, clause), {}).get("chapter")
            if chapter:
                return str(chapter)
        return ""

    # ---- chapters

    def _chapters(self) -> Iterator[Chapter]:
        if not self.register:
            yield from self._told_by_rows()
            return
        rules: dict[str, list[Rule]] = {}
        for id_, row in self.register.items():
            if (
                row.get("chapter")
                and row.get("text")
                and not row.get("about")
                and row.get("status") != DROPPED
            ):
                rules.setdefault(str(row["chapter"]), []).append(self._rule(id_))
        tables: dict[str, list[FigureTable]] = {}
        known = {id_ for id_, _ in self.chapters}
        for form, ids, table in figures.tables(self.ruleset):
            home = figures.HOME.get(form, "")
            tables.setdefault(home if home in known else self._chapter_of(form, ids[0]), []).append(table)
        orders: dict[str, list[tuple[str, str]]] = {}
        for form in ("actions", "orders", "order_options", "decisions"):
            for id_ in self.ruleset.rows(form):
                orders.setdefault(self._chapter_of(form, id_), []).append((form, id_))
        for id_, row in self.chapters:
            blocks: list[Block] = [*rules.pop(id_, ())]
            if written := figures.orders(self.ruleset, orders.pop(id_, ())):
                blocks.append(written)
            blocks += _joined(tables.pop(id_, ()))
            yield Chapter(
                id_, str(row["title"]), tuple(blocks), self.phases.get(str(row.get("phase", "")), ("", ""))[0]
            )
        left: list[Block] = [rule for found in rules.values() for rule in found]
        left += _joined(table for found in tables.values() for table in found)
        rest = figures.orders(self.ruleset, [key for keys in orders.values() for key in keys])
        yield Chapter("further-rules", "Further rules", (*left, *([rest] if rest else ())))

    def _rule(self, id_: str) -> Rule:
        row = self.register[id_]
        option = self.ruleset.row_or_empty("options", str(row.get("option", "")))
        return Rule(
            id_,
            str(row.get("title", "")),
            str(row["text"]),
            str(row.get("status", "stated")),
            str(row.get("why", "")),
            str(option.get("text", "")),
            tuple(self._rule(r) for r in self.readings.get(id_, ()) if self.register[r].get("text")),
            None if self.tested is None else self.tested.get(id_, 0),
            _spans(row.get("lines")),
        )

    def _told_by_rows(self) -> Iterator[Chapter]:
        """The rules in the words of their rows, where no register says them."""
        tables = tuple(_joined(table for _, _, table in figures.tables(self.ruleset)))
        yield Chapter("figures", "Figures", tables)
        for form, head in (
            ("actions", "What you may do"),
            ("orders", "What units may be ordered"),
            ("events", "What happens by itself"),
        ):
            blocks: list[Block] = []
            for row in self.ruleset.rows(form).values():
                blocks += sections.told(self.ruleset, form, row)
            yield Chapter(form, head, tuple(blocks))
        yield Chapter("verdicts", "Results that hang on each other", tuple(sections.verdicts(self.ruleset)))

    # ---- the turn

    def _turn(self, chapters: Iterable[Chapter]) -> Chapter:
        """The phases in their order, with what may be ordered in each, and where it is told."""
        ordered: dict[str, list[str]] = {}
        for phase, keys in by_phase(self.ruleset):
            ordered.setdefault(phase, []).extend(_order_name(self.ruleset, key) for key in keys)
        blocks: list[Block] = []
        for row in self.ruleset.rows("calendar").values():
            months = row.get("months", 1)
            turns = f"; the game has {row['turns']} turns" if "turns" in row else ""
            blocks.append(Text(f"A turn is {'a month' if months == 1 else f'{months} months'}{turns}."))
        for called, name in self.phases.values():
            blocks.append(Heading(called))
            may = list(dict.fromkeys(filter(None, ordered.pop(name, []))))
            if may:
                blocks.append(Text(f"You may order: {'; '.join(may)}."))
            told = [c for c in chapters if c.phase == called]
            if told:
                blocks.append(Listing(tuple(c.title for c in told), tuple(c.anchor for c in told)))
            if not may and not told:
                blocks.append(Text("Nothing is ordered here; it goes by itself."))
        return Chapter("turn", "The turn", tuple(blocks))

    # ---- at the end

    def _nations(self) -> Chapter:
        """What single nations may order that not everybody may."""
        blocks: list[Block] = []
        if table := figures.nations(self.ruleset):
            blocks.append(table)
        found: dict[str, list[str]] = {}
        for row in self.ruleset.rows("actions").values():
            whose = row.get("for", ())
            for id_ in [whose] if isinstance(whose, str) else whose:
                if self.ruleset.has("nations", str(id_)):
                    found.setdefault(str(id_), []).append(title(row))
        rows = tuple(
            (title(self.ruleset.row("nations", i)), ", ".join(found[i]))
            for i in self.ruleset.rows("nations")
            if i in found
        )
        if rows:
            blocks.append(FigureTable("What only they may order", ("nation", "orders"), rows))
        return Chapter("nations", "The nations", tuple(blocks))

    def _options(self) -> Chapter:
        rows = tuple(
            (str(r.get("text", title(r))), figures.cell(r["default"]), figures.cell(option_values(r)))
            for r in self.ruleset.rows("options").values()
        )
        table = FigureTable("", ("a game may choose", "else it is", "instead"), rows)
        return Chapter("options", "What a game may choose", (table,) if rows else ())

    def _glossary(self, chapters: Iterable[Chapter]) -> Chapter:
        """What the names of the game mean: the sentence of the first clause of each."""
        told = {block.id for c in chapters for block in c.blocks if isinstance(block, Rule)}
        words: dict[str, str] = {}
        for form in figures.NAMED:
            for id_, row in self.ruleset.rows(form).items():
                own = [owner(self.register, c) for c in clauses_of_row(self.ruleset, form, id_)]
                said = [str(self.register[c]["text"]) for c in own if c in told]
                meaning = said[0] if said else str(row.get("help") or row.get("text") or "")
                if meaning and "name" in row:
                    words.setdefault(title(row)[:1].upper() + title(row)[1:], meaning)
        table = FigureTable("", ("word", "what it means"), tuple(sorted(words.items())))
        return Chapter("glossary", "Glossary", (table,) if words else ())

    def _provenance(self) -> Chapter:
        """What the published rules do not print: rows that are rebuilt or read, by the name of their
        table.
        """
        blocks: list[Block] = []
        for row in self.register.values():
            if row.get("status") in PROVENANCE and row.get("tables"):
                blocks.append(Heading(str(row["title"])))
                blocks.append(Text(str(row["text"])))
                blocks.append(Listing(tuple(_named(self.ruleset, row["tables"]))))
        return Chapter("provenance", "What the published rules leave open", tuple(blocks))


def _numbered(listed: Iterable[Row]) -> dict[str, tuple[str, str]]:
    """Phase to what it is called, with its number in a turn, and to its name.

    A phase that is not of every turn has no number.
    """
    out: dict[str, tuple[str, str]] = {}
    number = 0
    for phase in listed:
        name = title({"id": phase["phase"], **phase})
        called = name
        if "when" not in phase and not name[:1].isdigit():
            number += 1
            called = f"Phase {number}: {name}"
        out[str(phase["phase"])] = (called, name)
    return out


def _spans(lines: Any) -> str:
    """Lines of a text as they are read: two numbers are a first and a last line, more are single ones or
    pairs.
    """
    if not isinstance(lines, list):
        return str(lines) if isinstance(lines, int) else ""
    if len(lines) == 2 and all(isinstance(n, int) for n in lines):
        return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]} to {lines[1]}"
    return ", ".join(_spans(part) for part in lines)


def _by_phase(rows: Mapping[str, Row], order: list[str]) -> list[tuple[str, Row]]:
    """The chapters as they stand; those of phases keep their places among the others, in the order of the
    phases.
    """
    listed = list(rows.items())
    places = [n for n, (_, row) in enumerate(listed) if row.get("phase") in order]
    of_phases = sorted((listed[n] for n in places), key=lambda item: order.index(item[1]["phase"]))
    for n, item in zip(places, of_phases, strict=True):
        listed[n] = item
    return listed


def _joined(tables: Iterable[FigureTable]) -> Iterator[FigureTable]:
    """Tables of one caption and head as one."""
    found: dict[tuple[str, tuple[str, ...]], FigureTable] = {}
    for table in tables:
        key = (table.caption, table.head)
        rows = (*found[key].rows, *table.rows) if key in found else table.rows
        found[key] = FigureTable(*key, tuple(dict.fromkeys(rows)), table.code)
    yield from found.values()


def _order_name(ruleset: Ruleset, key: str) -> str:
    form, _, id_ = key.partition("/")
    return str(ruleset.row_or_empty(form, id_).get("name", ""))


def _named(ruleset: Ruleset, keys: Iterable[str]) -> Iterator[str]:
    """Tables and rows by name: a line for each table."""
    found: dict[str, list[str]] = {}
    for key in keys:
        form, _, id_ = key.partition("/")
        names = found.setdefault(form.replace("_", " "), [])
        if id_:
            names.append(title(ruleset.rows(form).get(id_, {"id": id_.replace("-", " ")})))
    for form, names in found.items():
        yield (
            f"{form}: {', '.join(dict.fromkeys(names))}"
            if names
            else f"{form}: all that the rules do not name"
        )
