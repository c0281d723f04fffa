"""The auditor of reports: what nations are told is true.

Of the reports of every turn, as data: money at the beginning and the end, income, sums that add up, and every
figure in the tables of a nation's own forces. Of the whole journal: what a nation is told of others' units is
what was there, and told to those alone who may look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.state import State
from .book import Book
from .played import RecordedGame, RecordedReport
from .relations import held_by, side_of, stance

ACCOUNT = re.compile(
    r"^(?P<before>\d+) at the beginning(?P<between>.*), (?P<left>\d+) left\b(?P<rest>.*)", re.DOTALL
)
BRACKETS = re.compile(r"\([^()]*\)")
SIGNED = re.compile(r"(?<![\w.])(?P<figure>[+-]\d+)\b")
INCOME = re.compile(r"Income (?P<income>\d+)")


def reports(played: RecordedGame, book: Book) -> None:
    """Counts of units of others in the journal, and all reports."""
    looks: dict[tuple[str, str], _Look] = {}
    for entry, reader in played.readings():
        if entry.rule.startswith("detection/"):
            _sightings(entry, reader.state, played.ruleset, looks, book)
    for report in played.reports():
        _money(report, played.ruleset, book)
        _forces(report, played.ruleset, book)


# ---- what is seen of others


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at a place could tell: its units by kind, and how many of them were at war with each who
    may be told.
    """

    units: Mapping[str, int]
    foes: Mapping[str, int]


def _sightings(
    entry: Entry, state: State, ruleset: Ruleset, looks: dict[tuple[str, str], _Look], book: Book
) -> None:
    """What is told of units in a place is what is there when it is looked at.

    By a look without orders that is the enemies of the reader, of a `shared` row those of anybody on their
    side; by one on orders all units but those of friends. An exact count is all of them; a part is less than
    all. `foes` are the reader's own enemies among those counted exactly (without it: all). Only who is at war
    with somebody there, or else with the holder, is told of what is seen without orders. What is told later
    (`from`) is what the look has found, for each reader by their own enemies.
    """
    row = ruleset.row_or_empty("detection", entry.rule.partition("/")[2])
    know = str(row.get("know", "units"))
    for table, nation, field, _, value in entry.changes:
        what, colon, place = str(field).partition(":")
        if table != "knowledge" or not colon or what != know or not isinstance(value, Mapping):
            continue
        if value.get("since") != entry.turn or not isinstance(value.get("n"), int):
            continue
        if "from" in row:
            looker = entry.subject.partition(":")[0]
            look = looks.get((looker, place))
            if (
                book.check(
                    look is not None,
                    entry,
                    nation,
                    f"units told of in {place}",
                    "a look of this turn",
                    "none",
                )
                and look
            ):
                _exact(entry, nation, place, value, look, book)
            continue
        look = _look(ruleset, state, row, nation, place)
        if "reach" in row:
            looks[nation, place] = look
        else:
            _may_look(entry, ruleset, state, nation, place, look, book)
        if value.get("as") == "exact":
            _exact(entry, nation, place, value, look, book)
        else:
            n, there = int(value["n"]), sum(look.units.values())
            fine = n < there or n == 0
            book.check(fine, entry, nation, f"enemies told of in {place}, in part", f"less than {there}", n)


def _look(ruleset: Ruleset, state: State, row: Row, nation: str, place: str) -> _Look:
    side = side_of(ruleset, state, nation)
    mates = {
        n
        for n in {*ruleset.rows("nations"), *state.table("nations")}
        if side and side_of(ruleset, state, n) == side
    }
    party = {nation, *mates} if row.get("shared") or "reach" in row else {nation}
    units: Counter[str] = Counter()
    foes = dict.fromkeys(party, 0)
    for _, stack in state.stacks(at=place):
        owner, n = str(stack["owner"]), int(stack["n"])
        at_war = {mate for mate in party if _hostile(ruleset, state, mate, owner)}
        if _foreign(ruleset, state, nation, owner) if "reach" in row else at_war:
            units[str(stack["kind"])] += n
            for mate in at_war:
                foes[mate] += n
    return _Look(units, foes)


def _exact(entry: Entry, nation: str, place: str, value: Mapping[str, Any], look: _Look, book: Book) -> None:
    there, n = sum(look.units.values()), int(value["n"])
    told = value.get("units", {})
    fine = n == there and told == look.units
    book.check(fine, entry, nation, f"units told of in {place}", dict(look.units), f"{n}: {dict(told)}")
    foes, own = int(value.get("foes", n)), look.foes.get(nation, 0)
    book.check(foes == own, entry, nation, f"enemies told of in {place}", own, foes)


def _may_look(
    entry: Entry, ruleset: Ruleset, state: State, nation: str, place: str, look: _Look, book: Book
) -> None:
    """Who is told of a place is at war with somebody there. Where nobody is at war with anyone of the party:
    with its holder, and where there is no holder either, with anybody at all.
    """
    holder = held_by(ruleset, state, place)
    others = {
        o for o in state.owners_at(place) if any(_hostile(ruleset, state, mate, o) for mate in look.foes)
    }
    if not others:
        others = {holder} if holder else {*state.table("nations"), *ruleset.rows("nations")}
    fine = any(_hostile(ruleset, state, nation, owner) for owner in others)
    book.check(
        fine,
        entry,
        nation,
        f"who is told of {place}",
        "somebody at war with who is there, or with its holder",
        nation,
    )


def _foreign(ruleset: Ruleset, state: State, a: str, b: str) -> bool:
    return a != b and not ruleset.row_or_empty("stances", stance(ruleset, state, a, b)).get("friendly")


def _hostile(ruleset: Ruleset, state: State, a: str, b: str) -> bool:
    return a != b and bool(ruleset.row_or_empty("stances", stance(ruleset, state, a, b)).get("hostile"))


# ---- money


@dataclass(frozen=True, slots=True)
class _Account:
    """What a report says of a resource: what there was, what came and went in all, what is left, and the
    income if it is told.
    """

    lead: str
    before: Fraction
    between: Fraction
    left: Fraction
    income: Fraction | None


def _money(report: RecordedReport, ruleset: Ruleset, book: Book) -> None:
    names = {str(row.get("name", id_)).casefold(): id_ for id_, row in ruleset.rows("resources").items()}
    for account in (*_in_sentences(report), *_in_tables(report)):
        lead = account.lead.casefold()
        resource = names.get(lead) or next((id_ for name, id_ in names.items() if lead == f"{name}s"), None)
        if resource is None:
            continue

        def told(says: str, expected: object, got: object, of: str = account.lead) -> None:
            book.check_turn(
                expected == got, report.turn, report.nation, f"report: {of} {says}", expected, got
            )

        told("at the beginning", stock(ruleset, report.before, report.nation, resource), account.before)
        told("left", stock(ruleset, report.state, report.nation, resource), account.left)
        told("that came and went", account.left - account.before, account.between)
        if account.income is not None:
            told("income", Fraction(report.state.get("nations", report.nation, "income", 0)), account.income)


def _in_sentences(report: RecordedReport) -> Iterator[_Account]:
    for lead, text in report.told:
        found = ACCOUNT.match(text)
        if found is not None:
            between = BRACKETS.sub("", found["between"])
            moved = sum((Fraction(m["figure"]) for m in SIGNED.finditer(between)), Fraction(0))
            yield _Account(
                lead, Fraction(found["before"]), moved, Fraction(found["left"]), _income(found["rest"])
            )


def _in_tables(report: RecordedReport) -> Iterator[_Account]:
    """Of a table the last column counts, in which all treasuries are added up."""
    for head, rows, notes in report.accounts:
        first, *lines, last = ((row[0], _figure(row[-1])) for row in rows)
        yield _Account(
            head[0], first[1], sum((n for _, n in lines), Fraction(0)), last[1], _income(" ".join(notes))
        )


def _figure(cell: str) -> Fraction:
    return Fraction(0) if cell == "-" else Fraction(cell)


def _income(text: str) -> Fraction | None:
    found = INCOME.search(text)
    return Fraction(found["income"]) if found is not None else None


def stock(ruleset: Ruleset, state: State, nation: str, resource: str) -> Fraction:
    """What a nation has of a resource in the treasuries that it can reach."""
    total = Fraction(0)
    for key, row in state.table("treasuries").items():
        owner, _, seat = key.partition("/")
        if owner == nation and resource in row and (not seat or held_by(ruleset, state, seat) == nation):
            total += Fraction(row[resource])
    return total


# ---- forces


def _forces(report: RecordedReport, ruleset: Ruleset, book: Book) -> None:
    """Every row of the tables of forces that names places: as many of each kind as stand there."""
    kinds: dict[str, str] = {}
    for id_, row in ruleset.rows("units").items():
        for name in (row.get("name", id_), row.get("plural", "")):
            kinds.setdefault(str(name).casefold(), id_)
    places: dict[str, str] = {}
    for id_, land in ruleset.rows("places").items():
        places[str(land.get("name", id_)).casefold()] = id_
    there: Counter[tuple[str, str]] = Counter()
    for _, stack in report.state.stacks(owner=report.nation):
        there[str(stack["place"]), str(stack["kind"])] += int(stack["n"])
    for head, rows in report.tables:
        columns = [(i, kinds[name.casefold()]) for i, name in enumerate(head) if name.casefold() in kinds]
        for cells in rows:
            named = _places(cells[1], head[1], places)
            if not named:
                book.skip("rows of reports that name no place")
                continue
            for place in named:
                for i, kind in columns:
                    told = int(cells[i]) if cells[i].isdigit() else 0
                    book.check_turn(
                        told == there[place, kind],
                        report.turn,
                        report.nation,
                        f"report: {kind} in {place}",
                        there[place, kind],
                        told,
                    )


def _places(title: str, shared: str, places: Mapping[str, str]) -> list[str]:
    """The places that a row of a table names: one, or several that are alike."""
    found = []
    for name in title.removesuffix(": each").split(", "):
        plain = BRACKETS.sub("", name.replace(" !", "")).strip()
        id_ = places.get(f"{shared} {plain}".strip().casefold())
        if id_ is None:
            return []
        found.append(id_)
    return found
