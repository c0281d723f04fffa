"""The rulebook as chapters of blocks: the sentences of the register first, then the orders and the figures that go with them.

Chapters are those of the register (the table `chapters`), those of phases in the order of the sequence of play. A ruleset that has
no register is told in the words of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..core.model import Row, Ruleset
from ..orders.order_kinds import by_phase
from ..play.scenario_files import option_values
from ..ruleset.clauses import CLAUSES, clauses_of_row, owner
from ..turn.sequence import phases
from . import figures, sections
from .phrases import title

__all__ = ["Block", "Book", "Chapter", "Heading", "Lines", "Rule", "Table", "Text", "book"]

CHAPTERS = "chapters"
PROVENANCE = ("reconstructed", "ruling")


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause as a player reads it. `why`: what the published rules leave open; `readings`: rules that read this one.

    `tests`: how many rule tests cite it, if that was asked for.
    """

    id: str
    title: str
    text: str
    status: str = "stated"
    why: str = ""
    option: str = ""
    readings: tuple[Rule, ...] = ()
    tests: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Figures with a caption: the head and the cells as text. `code`: the columns that hold what is to be written word by word."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    code: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a chapter."""

    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A list of lines. `links`: the chapter that each leads to, if any."""

    lines: tuple[str, ...]
    links: tuple[str, ...] = ()


Block = Rule | Table | Text | Heading | Lines


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter. `anchor` is its name in links, `phase` the phase of the turn that it tells of."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Book:
    """A whole rulebook."""

    title: str
    description: str
    chapters: tuple[Chapter, ...] = field(default=())


def book(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> Book:
    """The rulebook of a ruleset. `tested`: how many rule tests cite each clause; then each rule says so."""
    return _Writer(ruleset, tested).written()


class _Writer:
    def __init__(self, ruleset: Ruleset, tested: Mapping[str, int] | None) -> None:
        self.ruleset, self.tested = ruleset, tested
        self.register = ruleset.rows(CLAUSES)
        self.phases = {str(p["phase"]): (n, title({"id": p["phase"], **p})) for n, p in enumerate(phases(ruleset.frame), 1)}
        self.chapters = _in_order_of_play(ruleset.rows(CHAPTERS), list(self.phases))
        self.citing = self._citing()
        self.readings = self._readings()

    def written(self) -> Book:
        found = list(self._chapters())
        ordered = [c for c in found if c.blocks]
        turn = self._turn(ordered)
        rest = (self._nations(), self._options(), self._glossary(ordered), self._provenance())
        description = str(self.ruleset.manifest.get("description", ""))
        return Book(self.ruleset.title, description, tuple(c for c in (turn, *ordered, *rest) if c.blocks))

    # ---- what stands where

    def _citing(self) -> dict[str, list[tuple[str, str]]]:
        """Clause to the rows that cite it, each under the clause that states its rule."""
        out: dict[str, list[tuple[str, str]]] = {}
        for form, rows in self.ruleset.forms.items():
            if form not in (CLAUSES, CHAPTERS):
                for id_ in rows:
                    for clause in dict.fromkeys(owner(self.register, c) for c in clauses_of_row(self.ruleset, form, id_)):
                        out.setdefault(clause, []).append((form, id_))
        for node in self.ruleset.frame:
            for clause in _cited_in(node):
                out.setdefault(owner(self.register, clause), []).append(("frame", str(node.get("id", ""))))
        return out

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

    def _in_force(self, id_: str, row: Row) -> bool:
        """Whether a clause is told: something carries it out, or it is for people. What an overlay has taken the rows of is not."""
        return bool(row.get("text")) and "same_as" not in row and (id_ in self.citing or bool(row.get("no_row")) or self._own(id_))

    def _own(self, id_: str) -> bool:
        """Whether the ruleset itself registers a clause, and not one that it extends."""
        return not self.ruleset.origin(CLAUSES, id_).startswith("..")

    # ---- chapters

    def _chapters(self) -> Iterator[Chapter]:
        if not self.register:
            yield from self._told_by_rows()
            return
        rules: dict[str, list[Rule]] = {}
        for id_, row in self.register.items():
            if row.get("chapter") and not row.get("about") and self._in_force(id_, row):
                rules.setdefault(str(row["chapter"]), []).append(self._rule(id_))
        tables: dict[str, list[Table]] = {}
        for form, ids, table in figures.tables(self.ruleset):
            tables.setdefault(self._chapter_of(form, ids[0]) or figures.HOME.get(form, ""), []).append(table)
        orders: dict[str, list[tuple[str, str]]] = {}
        for form in ("acts", "orders", "order_options", "decisions"):
            for id_ in self.ruleset.rows(form):
                orders.setdefault(self._chapter_of(form, id_), []).append((form, id_))
        for id_, row in self.chapters:
            blocks: list[Block] = [*rules.pop(id_, ())]
            if written := figures.orders(self.ruleset, orders.pop(id_, ())):
                blocks.append(written)
            blocks += tables.pop(id_, ())
            number, phase = self.phases.get(str(row.get("phase", "")), (0, ""))
            yield Chapter(id_, str(row["title"]), tuple(blocks), f"Phase {number}: {phase}" if number else "")
        left = [block for blocks in (*rules.values(), *tables.values()) for block in blocks]
        rest = figures.orders(self.ruleset, [key for keys in orders.values() for key in keys])
        yield Chapter("further-rules", "Further rules", tuple([*left, *([rest] if rest else [])]))

    def _rule(self, id_: str) -> Rule:
        row = self.register[id_]
        option = self.ruleset.rows("options").get(str(row.get("option", "")), {})
        return Rule(
            id_,
            str(row.get("title", "")),
            str(row["text"]),
            str(row.get("status", "stated")),
            str(row.get("why", "")),
            str(option.get("text", "")),
            tuple(self._rule(r) for r in self.readings.get(id_, ()) if self.register[r].get("text")),
            None if self.tested is None else self.tested.get(id_, 0),
        )

    def _told_by_rows(self) -> Iterator[Chapter]:
        """The rules in the words of their rows, where no register says them."""
        tables = tuple(table for _, _, table in figures.tables(self.ruleset))
        yield Chapter("figures", "Figures", tables)
        for form, head in (("acts", "What you may do"), ("orders", "What units may be ordered"), ("events", "What happens by itself")):
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
        for number, (phase, (_, name)) in enumerate(self.phases.items(), 1):
            blocks.append(Heading(f"{number}. {name}" if not name[:1].isdigit() else name))
            may = list(dict.fromkeys(filter(None, ordered.pop(name, []))))
            if may:
                blocks.append(Text(f"You may order: {', '.join(may)}."))
            told = [c for c in chapters if c.phase.endswith(f": {name}")]
            if told:
                blocks.append(Lines(tuple(c.title for c in told), tuple(c.anchor for c in told)))
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
        for row in self.ruleset.rows("acts").values():
            whose = row.get("for", ())
            for id_ in [whose] if isinstance(whose, str) else whose:
                if self.ruleset.has("nations", str(id_)):
                    found.setdefault(str(id_), []).append(title(row))
        rows = tuple((title(self.ruleset.row("nations", i)), ", ".join(found[i])) for i in self.ruleset.rows("nations") if i in found)
        if rows:
            blocks.append(Table("What only they may order", ("nation", "orders"), rows))
        return Chapter("nations", "The nations", tuple(blocks))

    def _options(self) -> Chapter:
        rows = tuple(
            (str(r.get("text", title(r))), figures.cell(r["default"]), figures.cell(option_values(r)))
            for r in self.ruleset.rows("options").values()
        )
        table = Table("", ("a game may choose", "else it is", "instead"), rows)
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
        table = Table("", ("word", "what it means"), tuple(sorted(words.items())))
        return Chapter("glossary", "Glossary", (table,) if words else ())

    def _provenance(self) -> Chapter:
        """What the published rules do not print: rows that are rebuilt or read, by the name of their table."""
        blocks: list[Block] = []
        for row in self.register.values():
            if row.get("status") in PROVENANCE and row.get("tables"):
                blocks.append(Heading(str(row["title"])))
                blocks.append(Text(str(row["text"])))
                blocks.append(Lines(tuple(_named(self.ruleset, row["tables"]))))
        return Chapter("provenance", "What the published rules leave open", tuple(blocks))


def _in_order_of_play(rows: Mapping[str, Row], order: list[str]) -> list[tuple[str, Row]]:
    """The chapters as they stand; those of phases keep their places among the others, in the order of the phases."""
    listed = list(rows.items())
    places = [n for n, (_, row) in enumerate(listed) if row.get("phase") in order]
    of_phases = sorted((listed[n] for n in places), key=lambda item: order.index(item[1]["phase"]))
    for n, item in zip(places, of_phases, strict=True):
        listed[n] = item
    return listed


def _cited_in(node: Row) -> Iterator[str]:
    yield from node.get("source", ())
    for inner in node.get("steps", ()):
        yield from _cited_in(inner)


def _order_name(ruleset: Ruleset, key: str) -> str:
    form, _, id_ = key.partition("/")
    row = ruleset.rows(form).get(id_, {})
    name = str(row.get("name", ""))
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def _named(ruleset: Ruleset, keys: Iterable[str]) -> Iterator[str]:
    """Tables and rows by name: a line for each table."""
    found: dict[str, list[str]] = {}
    for key in keys:
        form, _, id_ = key.partition("/")
        names = found.setdefault(form.replace("_", " "), [])
        if id_:
            names.append(title(ruleset.rows(form).get(id_, {"id": id_.replace("-", " ")})))
    for form, names in found.items():
        yield f"{form}: {', '.join(dict.fromkeys(names))}" if names else f"{form}: all that the rules do not name"
