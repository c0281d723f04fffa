"""The rulebook as chapters of blocks: the sentences of the register first, then the orders and the figures
that go with them.

Chapters are those of the register (the table `chapters`), those of phases in the order of the sequence of
play. A ruleset without a register is told in the words of its rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.frame import phases
from ..core.messages import capital
from ..core.model import Row, Ruleset
from ..orders.input_points import by_phase
from ..play.scenario_files import choice_in_words, option_values
from ..ruleset.clauses import CLAUSES, clauses_of_row, dropped, owner
from . import figures, sections
from .blocks import Block, Chapter, FigureTable, Heading, Listing, Rule, Rulebook, Text
from .lookups import joined
from .phrases import title

CHAPTERS = "chapters"
PROVENANCE = ("reconstructed", "ruling")
TURN = "The turn"
LEGEND = (
    "How orders are written stands with each chapter: CAPITALS are yours to fill in, and what stands in "
    "[ ] may be left out."
)
UNTOLD = frozenset({"fields", "settings", "definitions", "visibility", "links", "places", "nations"})
"""Tables whose rows are no rules by themselves, or too many to be named one by one."""
KINDS_OF_ROWS = {
    "actions": "orders",
    "events": "what happens by itself",
    "groups": "regions and lists",
    "modifiers": "bonuses and penalties",
    "production": "what can be bought",
    "tables": "figures",
    "victory": "victory and scores",
}
"""What tables are called in a book; else their name as words."""
BEGINNING = 4
"""Words at the beginning of a sentence of which one is what it speaks of."""
_OF_THE_HEADING = re.compile(r"(It|They|This|These)\b")
SHARED_BY = 3
"""Names of a glossary that one sentence may explain; what is said of more is about them all."""


def book(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> Rulebook:
    """The rulebook of a ruleset. `tested`: how many rule tests cite each clause; then each rule says so."""
    return _BookWriter(ruleset, tested).written()


class _BookWriter:
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
        """Clause to the readings of it, each at the first told clause of those that it is about."""
        out: dict[str, list[str]] = {}
        for id_, row in self.register.items():
            read = [owner(self.register, str(clause)) for clause in row.get("about", ())]
            told = [clause for clause in read if self._is_told(clause)]
            if told and not dropped(self.register, [id_]):
                out.setdefault(told[0], []).append(id_)
        return out

    def _is_told(self, id_: str) -> bool:
        """Whether a clause stands in the book as a rule of its own."""
        row = self.register.get(id_, {})
        return bool(row.get("chapter") and row.get("text")) and not dropped(self.register, [id_])

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
            if self._is_told(id_) and not row.get("about"):
                rules.setdefault(str(row["chapter"]), []).append(self._rule(id_))
        tables: dict[str, list[FigureTable]] = {}
        known = {id_ for id_, _ in self.chapters}
        for form, ids, table in figures.tables(self.ruleset):
            cited = [clause for id_ in ids for clause in clauses_of_row(self.ruleset, form, id_)]
            if (form in ("tables", "fields") and not cited) or dropped(self.register, cited):
                continue  # no rule: what bots compute with, or what a layer does not keep
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
            called = self.phases.get(str(row.get("phase", "")), ("", ""))[0]
            yield Chapter(id_, str(row["title"]), tuple(blocks), called)
        left: list[Block] = [rule for found in rules.values() for rule in found]
        left += _joined(table for found in tables.values() for table in found)
        rest = figures.orders(self.ruleset, [key for keys in orders.values() for key in keys])
        yield Chapter("further-rules", "Further rules", (*left, *([rest] if rest else ())))

    def _rule(self, id_: str) -> Rule:
        row = self.register[id_]
        option = self.ruleset.row_or_empty("options", str(row.get("option", "")))
        return Rule(
            id=id_,
            title=str(row.get("title", "")),
            text=str(row["text"]),
            status=str(row.get("status", "stated")),
            why=str(row.get("why", "")),
            option=str(option.get("name") or option.get("text", "")),
            readings=tuple(self._rule(r) for r in self.readings.get(id_, ()) if self.register[r].get("text")),
            tests=None if self.tested is None else self.tested.get(id_, 0),
            lines=_spans(row.get("lines")),
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
        yield Chapter("verdicts", "Results that depend on each other", tuple(sections.verdicts(self.ruleset)))

    # ---- the turn

    def _turn(self, chapters: Iterable[Chapter]) -> Chapter:
        """The phases in their order, with what may be ordered in each, and where it is told."""
        ordered: dict[str, list[str]] = {}
        for phase, keys in by_phase(self.ruleset):
            ordered.setdefault(phase, []).extend(_order_name(self.ruleset, key) for key in keys)
        ordered_at_all = bool(ordered)
        blocks: list[Block] = []
        row = self.ruleset.calendar
        if row:
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
        if ordered_at_all:
            blocks.append(Text(LEGEND))
        taken = any(chapter.title == TURN for chapter in chapters)
        return Chapter("turn", f"{TURN} at a glance" if taken else TURN, tuple(blocks))

    # ---- at the end

    def _nations(self) -> Chapter:
        """What single nations may order that not everybody may."""
        blocks: list[Block] = []
        blocks += figures.nations(self.ruleset)
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
            (
                title(r) if "name" in r else "",
                str(r.get("text", title(r))),
                choice_in_words(r["default"]),
                ", ".join(choice_in_words(v) for v in option_values(r) if v != r["default"]),
            )
            for r in self.ruleset.rows("options").values()
        )
        table = figures.without_empty(
            FigureTable("", ("option", "what it means", "by default", "instead"), rows)
        )
        return Chapter("options", "What a game may choose", (table,) if rows else ())

    def _glossary(self, chapters: Iterable[Chapter]) -> Chapter:
        """What the names of the game mean: the sentence of the first clause that speaks of each, and is about
        few others, or else what its row says. A name of which only what is said of many is said is left out.
        """
        told = {block.id for c in chapters for block in c.blocks if isinstance(block, Rule)}
        meanings: dict[str, list[str]] = {}
        for form in figures.NAMED:
            for id_, row in self.ruleset.rows(form).items():
                own = [owner(self.register, c) for c in clauses_of_row(self.ruleset, form, id_)]
                of_it = _about(title(row), [self.register[c] for c in own if c in told])
                said = [*of_it, str(row.get("help") or row.get("text") or "")]
                if "name" in row:
                    meanings.setdefault(capital(title(row)), list(dict.fromkeys(said)))
        shared = Counter(sentence for said in meanings.values() for sentence in said)
        words: dict[str, str] = {}
        for word, said in meanings.items():
            meaning = next((one for one in said if one and shared[one] <= SHARED_BY), "")
            one_of_them = words.get(word.removesuffix("s")) or words.get(word.removesuffix("es"))
            if meaning and meaning != one_of_them:
                words[word] = meaning
        table = FigureTable("", ("word", "what it means"), tuple(sorted(words.items())))
        return Chapter("glossary", "Glossary", (table,) if words else ())

    def _provenance(self) -> Chapter:
        """What the published rules do not print: what has a name of it, by the word of its table."""
        found: dict[tuple[str, str], dict[str, list[str]]] = {}
        for row in self.register.values():
            if row.get("status") in PROVENANCE and row.get("tables"):
                names = found.setdefault((str(row["title"]), str(row["text"])), {})
                for form, called in _named(self.ruleset, row["tables"]).items():
                    names.setdefault(form, []).extend(called)
        blocks: list[Block] = []
        for (head, text), names in found.items():
            lines = [
                f"{KINDS_OF_ROWS.get(form, form.replace('_', ' '))}: {', '.join(dict.fromkeys(called))}"
                for form, called in names.items()
                if called
            ]
            if lines:
                blocks += [Heading(head), Text(text), Listing(tuple(lines))]
        return Chapter("provenance", "What the published rules leave open", tuple(blocks))


def _numbered(listed: Iterable[Row]) -> dict[str, tuple[str, str]]:
    """Phase to what it is called, with its number in a turn, and to its name.

    A phase that is not of every turn has no number; none has where one of these comes between others, or
    where names have numbers of their own.
    """
    names = {str(p["phase"]): title({"id": p["phase"], **p}) for p in listed}
    each = [str(p["phase"]) for p in listed if "when" not in p]
    order = list(names)
    together = bool(each) and order.index(each[-1]) - order.index(each[0]) == len(each) - 1
    if not together or any(name[:1].isdigit() for name in names.values()):
        return {phase: (name, name) for phase, name in names.items()}
    numbers = {phase: n for n, phase in enumerate(each, 1)}
    return {
        phase: (f"Phase {numbers[phase]}: {name}" if phase in numbers else name, name)
        for phase, name in names.items()
    }


def _about(name: str, clauses: Iterable[Row]) -> list[str]:
    """The sentences of clauses that say what a name means: those that have it as their heading, or begin with
    it.
    """
    stems = [_stem(word) for word in re.findall(r"\w+", name.lower()) if len(word) > 3] or [name.lower()]
    found: list[tuple[int, str]] = []
    for row in clauses:
        heading, begins = (
            {_stem(w) for w in re.findall(r"\w+", text.lower())}
            for text in (str(row.get("title", "")), " ".join(str(row["text"]).split()[:BEGINNING]))
        )
        if all(stem in begins for stem in stems):
            found.append((0, str(row["text"])))
        elif all(stem in heading for stem in stems) and not _OF_THE_HEADING.match(str(row["text"])):
            found.append((1, str(row["text"])))
    return [text for _, text in sorted(found, key=lambda one: one[0])]


def _stem(word: str) -> str:
    """A word without the end that a plural has."""
    return re.sub(r"(ies|y|es|s)$", "", word)


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
    """Tables of one caption and head as one, without columns in which nothing stands."""
    found: dict[tuple[str, tuple[str, ...]], FigureTable] = {}
    for table in tables:
        key = (table.caption, table.head)
        rows = (*found[key].rows, *table.rows) if key in found else table.rows
        found[key] = FigureTable(*key, tuple(dict.fromkeys(rows)), table.code, table.notes)
    yield from joined([figures.without_empty(table) for table in found.values()])


def _order_name(ruleset: Ruleset, key: str) -> str:
    return str(ruleset.row_of(key).get("name", ""))


def _named(ruleset: Ruleset, keys: Iterable[str]) -> dict[str, list[str]]:
    """Names of rows by their table, as far as they have one; a key without a row is all rows of its table."""
    found: dict[str, list[str]] = {}
    for key in keys:
        form, _, id_ = key.partition("/")
        if form not in UNTOLD:
            listed = [ruleset.row_or_empty(form, id_)] if id_ else ruleset.rows(form).values()
            rows = [row for row in listed if form != "groups" or figures.is_region(row)]
            names = [str(row.get("name") or row.get("title") or row.get("label") or "") for row in rows]
            found.setdefault(form, []).extend(filter(None, names))
    return found
