"""Reports: what nations are told is so.

Of the last turn's reports, as data: money at the beginning and the end, income, sums that add up, and every figure in the
tables of a nation's own forces. Of the whole journal: what a nation is told of enemies is no more than there are, of those at
war with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from ..core.journal import Entry
from ..core.model import Ruleset
from ..core.state import State
from .book import Book
from .played import RecordedGame, RecordedReport
from .reading import Reader, held_by, stance

ACCOUNT = re.compile(r"^(?P<before>\d+) at the beginning(?P<between>.*), (?P<left>\d+) left\b(?P<rest>.*)", re.DOTALL)
BRACKETS = re.compile(r"\([^()]*\)")
SIGNED = re.compile(r"(?<![\w.])(?P<figure>[+-]\d+)\b")
INCOME = re.compile(r"Income (?P<income>\d+)")


def reports(played: RecordedGame, book: Book) -> None:
    """Counts of enemies in the journal, and the reports on the last turn."""
    for entry, reader in played.readings():
        _sightings(entry, reader, played.ruleset, book)
    for report in played.reports():
        _money(report, played.ruleset, book)
        _forces(report, played.ruleset, book)


# ---- what is seen of others


def _sightings(entry: Entry, reader: Reader, ruleset: Ruleset, book: Book) -> None:
    """What is told of units in a place is at most what is there: of enemies those at war with the reader, else all foreign ones.

    A look that is told later in the turn may tell of what was there when the turn began.
    """
    if not entry.rule.startswith("contacts/"):
        return
    for table, nation, field, _, value in entry.changes:
        what, colon, place = str(field).partition(":")
        if table != "knowledge" or not colon or what not in ("units", "scouted") or not isinstance(value, Mapping):
            continue
        n = value.get("n")
        if value.get("since") != entry.turn or not isinstance(n, int):
            continue
        meant = _hostile if what == "units" else _foreign
        most, others = 0, set()
        for state in (reader.state, reader.past["turn"].state):
            stacks = [(str(r["owner"]), int(r["n"])) for _, r in state.stacks(at=place)]
            most = max(most, sum(n for owner, n in stacks if meant(ruleset, state, nation, owner)))
            others |= {owner for owner, _ in stacks if owner != nation and not meant(ruleset, state, nation, owner)}
        beside = f" (of {', '.join(sorted(others))} there are some, too)" if others else ""
        said = "enemies" if what == "units" else "units of others"
        book.check(n <= most, entry, nation, f"{said} told of in {place}{beside}", f"at most {most}", n)


def _foreign(ruleset: Ruleset, state: State, a: str, b: str) -> bool:
    return a != b and not ruleset.rows("stances").get(stance(ruleset, state, a, b), {}).get("friendly")


def _hostile(ruleset: Ruleset, state: State, a: str, b: str) -> bool:
    return a != b and bool(ruleset.rows("stances").get(stance(ruleset, state, a, b), {}).get("hostile"))


# ---- money


def _money(report: RecordedReport, ruleset: Ruleset, book: Book) -> None:
    names = {str(row.get("name", id_)).casefold(): id_ for id_, row in ruleset.rows("resources").items()}
    for lead, text in report.told:
        resource = names.get(lead.casefold()) or next((id_ for name, id_ in names.items() if lead.casefold() == f"{name}s"), None)
        found = ACCOUNT.match(text)
        if resource is None or found is None:
            continue

        def told(says: str, expected: object, got: object, of: str = lead) -> None:
            book.check_turn(expected == got, report.turn, report.nation, f"report: {of} {says}", expected, got)

        told("at the beginning", stock(ruleset, report.before, report.nation, resource), int(found["before"]))
        told("left", stock(ruleset, report.state, report.nation, resource), int(found["left"]))
        between = BRACKETS.sub("", found["between"])
        told(
            "that came and went",
            int(found["left"]) - int(found["before"]),
            sum(int(m["figure"]) for m in SIGNED.finditer(between)),
        )
        income = INCOME.search(found["rest"])
        if income is not None:
            told("income", report.state.get("nations", report.nation, "income", 0), int(income["income"]))


def stock(ruleset: Ruleset, state: State, nation: str, resource: str) -> Fraction:
    """What a nation has of a resource in the purses that it can reach."""
    total = Fraction(0)
    for key, row in state.table("stores").items():
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
    for id_, row in ruleset.rows("places").items():
        places[str(row.get("name", id_)).casefold()] = id_
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
