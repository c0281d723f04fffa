"""Records in other forms become records of JSON phases, which are replayed; and a game of ours becomes such a
record.

Three forms are known beside the JSON phases themselves: JSON of a site that numbers its places and players,
with structured orders; text that lists positions and orders phase by phase; and text of test cases
(`case_forms`). What their words and numbers stand for is `forms` of the ruleset's row of `imports`, what ours
are called there is `writes`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from wteaw.core.journal import Entry
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import Entity, State
from wteaw.store import Game
from wteaw.world.world import World

from .case_forms import cases, is_cases
from .dpjson import ROW, RecordError, RecordReader, records

__all__ = ["FORMS", "form_of", "read_records", "written", "written_as_text"]

FORMS = ("phases", "numbered", "positions", "cases")


def form_of(text: str) -> str:
    """Which of FORMS a record has."""
    if not text.lstrip().startswith(("{", "[")):
        return "cases" if is_cases(text) else "positions"
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return "phases"
    phases = found.get("phases") if isinstance(found, dict) else None
    first = phases[0] if isinstance(phases, list) and phases else None
    return "numbered" if isinstance(first, dict) and isinstance(first.get("units"), list) else "phases"


def read_records(text: str, ruleset: Ruleset) -> list[dict[str, Any]]:
    """The records in a text of any form. RecordError names the phase or the line that is wrong."""
    form = form_of(text)
    if form == "phases":
        return records(text)
    row = _row(ruleset).get("forms", {}).get("positions" if form == "cases" else form)
    if row is None:
        raise RecordError(
            f"{ruleset.id} does not say what the words of such a record mean (`forms: {form}` of its imports)"
        )
    if form == "numbered":
        return [_numbered(json.loads(text), row, _row(ruleset)["writes"]["places"])]
    if form == "cases":
        return cases(text, row, _called)
    return [_positions(text, row, RecordReader(ruleset))]


def _row(ruleset: Ruleset) -> Row:
    row = ruleset.rows("imports").get(ROW)
    if row is None:
        raise RecordError(
            f"the ruleset {ruleset.id} has no row {ROW!r} of the form `imports`: it plays no such games"
        )
    return row


# ---- numbers for places and players


def _numbered(game: Mapping[str, Any], row: Row, places: list[str]) -> dict[str, Any]:
    phases = []
    for number, phase in enumerate(game["phases"], 1):
        try:
            phases.append(_numbered_phase(phase, row, places))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise RecordError(
                f"phase {number}: "
                f"{error if isinstance(error, RecordError) else f'{error!r} is not understood'}"
            ) from None
    return {"id": str(game.get("gameID", "")), "phases": phases}


def _numbered_phase(phase: Mapping[str, Any], row: Row, places: list[str]) -> dict[str, Any]:
    def nation(of: Mapping[str, Any]) -> str:
        return str(_nth(row["nations"], of["countryID"], "player"))

    def place(number: Any) -> str:
        return str(_nth(places, number, "place"))

    letter = row["moments"][phase["phase"]]
    year, turn = (
        row["first"] + int(phase["turn"]) // len(row["letters"]),
        int(phase["turn"]) % len(row["letters"]),
    )
    name = f"{row.get('apart', {}).get(letter, row['letters'][turn])}{year}{letter}"
    units: dict[str, list[str]] = {}
    standing: dict[str, str] = {}
    for unit in phase.get("units", ()):
        where = place(unit["terrID"])
        kind = row["kinds"][unit["unitType"]]
        marked = unit.get("retreating") == "Yes"
        units.setdefault(nation(unit), []).append(f"{'*' if marked else ''}{kind} {where}")
        if not marked:
            standing[_whole(where)] = f"{kind} {where}"
    centers: dict[str, list[str]] = {}
    for center in phase.get("centers", ()):
        if int(center["countryID"]):
            centers.setdefault(nation(center), []).append(place(center["terrID"]))
    orders: dict[str, list[str]] = {}
    for order in phase.get("orders", ()):
        text = _order_of(order, row, place, standing)
        if text:
            orders.setdefault(nation(order), []).append(text)
    return {
        "name": name,
        "state": {"name": name, "units": units, "centers": centers},
        "orders": orders,
        "results": {},
    }


def _order_of(
    order: Mapping[str, Any], row: Row, place: Callable[[Any], str], standing: Mapping[str, str]
) -> str:
    template = row["orders"][order["type"]]
    at, to, out = (
        place(order[key]) if order.get(key) else "" for key in ("terrID", "toTerrID", "fromTerrID")
    )
    helped = out or to
    names = {
        "unit": f"{row['kinds'].get(order.get('unitType'), '')} {at}".strip(),
        "place": at,
        "to": to,
        "helped": standing.get(_whole(helped), helped),
        "via": row["via"] if order.get("viaConvoy") == "Yes" else "",
    }
    return str(template).format(**names).strip()


def _nth(names: list[str], number: Any, what: str) -> str:
    if not 1 <= int(number) <= len(names):
        raise RecordError(f"there is no {what} of the number {number}")
    return names[int(number) - 1]


def _whole(place: str) -> str:
    return place.partition("/")[0].upper()


# ---- positions and orders as text


def _positions(text: str, row: Row, reader: RecordReader) -> dict[str, Any]:
    """`PHASE 1901 Spring Movement`, `POSITIONS` with a line for each unit and center, `ORDERS` with a line
    for each order.
    """
    phases: list[dict[str, Any]] = []
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.lstrip().startswith("#"):
            continue
        if words[0] == row["phase"] and len(words) == 4:
            phases.append(_phase_named(words, row, number))
            inside = ""
        elif line.strip() in (row["positions"], row["orders_follow"]) and phases:
            inside = line.strip()
        elif inside == row["positions"]:
            _position(phases[-1], line.strip(), row, number)
        elif inside == row["orders_follow"]:
            nation, order = _text_order(phases[-1], line.strip(), row, reader, number)
            phases[-1]["orders"].setdefault(nation, []).append(order)
        else:
            raise RecordError(f"line {number}: {line.strip()[:60]!r} belongs to no phase")
    if not phases:
        raise RecordError("line 1: no phase begins anywhere")
    return {"id": "", "phases": phases}


def _phase_named(words: list[str], row: Row, number: int) -> dict[str, Any]:
    _, year, season, moment = words
    if season not in row["seasons"] or moment not in row["moments"] or not year.isdecimal():
        raise RecordError(f"line {number}: no phase is called {' '.join(words[1:])!r}")
    letter = row["moments"][moment]
    name = f"{row.get('apart', {}).get(letter, row['seasons'][season])}{year}{letter}"
    return {"name": name, "state": {"name": name, "units": {}, "centers": {}}, "orders": {}, "results": {}}


def _position(phase: dict[str, Any], line: str, row: Row, number: int) -> None:
    nation, _, said = line.partition(":")
    what, _, place = said.strip().partition(" ")
    kind, _, marked = what.partition("/")
    place = _called(place, row)
    if what == row["held"] and place:
        phase["state"]["centers"].setdefault(nation, []).append(place)
    elif kind in row["kinds"] and place and marked in ("", row["marked"]):
        unit = f"{'*' if marked else ''}{row['kinds'][kind]} {place}"
        phase["state"]["units"].setdefault(nation, []).append(unit)
    else:
        raise RecordError(f"line {number}: {line[:60]!r} is no unit and no center")


def _called(place: str, row: Row) -> str:
    whole, slash, part = place.strip().partition("/")
    return f"{row.get('places', {}).get(whole, whole).upper()}{slash}{part.upper()}"


def _text_order(
    phase: Mapping[str, Any], line: str, row: Row, reader: RecordReader, number: int
) -> tuple[str, str]:
    """Whose order a line is, and the order in the words of JSON phases; kind and nation of the unit come from
    the positions.
    """
    for pattern in row["orders"]:
        found = re.fullmatch(pattern["reads"], line, re.I)
        if found is None:
            continue
        named = {
            key: _called(value, row) for key, value in found.groupdict().items() if key != "kind" and value
        }
        kind = next(
            (
                v
                for k, v in row["kinds"].items()
                if k.lower() == (found.groupdict().get("kind") or "").lower()
            ),
            "",
        )
        moving = phase["name"].endswith(row["of_the_marked"])
        owner, unit = _unit_at(phase, named["place"], marked=moving)
        if kind:
            owner, unit = _holder_of(phase, named["place"], reader), f"{kind} {named['place']}"
        if not owner:
            raise RecordError(f"line {number}: {line[:60]!r}: nobody stands there")
        helped = _unit_at(phase, named["helped"], marked=False)[1] if "helped" in named else ""
        says = pattern["retreats"] if moving and "retreats" in pattern else pattern["says"]
        return owner, str(says).format(**{**named, "unit": unit, "helped": helped or named.get("helped", "")})
    raise RecordError(f"line {number}: {line[:60]!r} is no order")


def _unit_at(phase: Mapping[str, Any], place: str, *, marked: bool) -> tuple[str, str]:
    for nation, units in phase["state"]["units"].items():
        for unit in units:
            bare = unit.removeprefix("*")
            if (bare != unit) == marked and _whole(bare.partition(" ")[2]) == _whole(place):
                return nation, bare
    return "", place


def _holder_of(phase: Mapping[str, Any], place: str, reader: RecordReader) -> str:
    wanted = reader.named("place", _whole(place))
    for nation, places in phase["state"]["centers"].items():
        if any(reader.named("place", p) == wanted for p in places):
            return str(nation)
    return ""


# ---- a game of ours as a record


def written(game: Game, ruleset: Ruleset) -> dict[str, Any]:
    """A game as a record of JSON phases: the state before each input point, the orders that stood there, and
    what became of them.
    """
    writer = _RecordWriter(ruleset)
    phases = []
    for number, _, _ in game.stages():
        position = game.stage(number).position
        name, state = writer.moment(position.turn, position.waiting), position.state
        orders: dict[str, list[str]] = {}
        for nation, given in sorted(game.submissions(number).items()):
            lines = [writer.line(order, state) for order in given.orders]
            if kept := [line for line in lines if line]:
                orders[writer.nation(nation)] = kept
        phases.append(
            {
                "name": name,
                "state": {
                    "name": name,
                    "units": writer.units(state),
                    "retreats": writer.refuges(state),
                    "centers": writer.centers(state),
                },
                "orders": orders,
                "results": writer.results(game.journal(position=number + 1), state),
                "messages": [],
            }
        )
    return {"id": game.id, "map": (writer.row.get("maps") or [""])[0], "rules": [], "phases": phases}


def written_as_text(game: Game, ruleset: Ruleset) -> str:
    """A game as text that lists positions and orders, as `read_records` reads it."""
    writer = _RecordWriter(ruleset)
    form = writer.row.get("forms", {}).get("positions", {})
    if "writes" not in form:
        raise RecordError(
            f"{ruleset.id} does not say how such a text is written (`forms: positions: writes`)"
        )
    text = _TextWriter(writer, form)
    lines: list[str] = []
    for number, _, _ in game.stages():
        position = game.stage(number).position
        if position.waiting is None:
            continue
        given = (sent.orders for _, sent in sorted(game.submissions(number).items()))
        orders = (text.order(order, position.state) for order in chain.from_iterable(given))
        lines += [
            text.phase(position.turn, position.waiting),
            form["positions"],
            *text.positions(position.state),
            form["orders_follow"],
            *(f"\t{order}" for order in orders if order),
        ]
    return "\n".join(lines) + "\n"


class _RecordWriter:
    """What a position and orders of ours are called in records."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset, self.row = ruleset, _row(ruleset)
        if "writes" not in self.row:
            raise RecordError(
                f"{ruleset.id} does not say what its orders are called in records (`writes` of its imports)"
            )
        self.writes = self.row["writes"]
        self.reader = RecordReader(ruleset)
        self.short = {self.reader.named("place", code): code for code in self.writes["places"]}

    def moment(self, turn: int, waiting: Mapping[str, Any] | None) -> str:
        if waiting is None:
            return str((self.row.get("ends") or ["END"])[0])
        first, year, letter = self.letters(turn, waiting)
        return f"{self.writes.get('apart', {}).get(letter, first)}{year}{letter}"

    def letters(self, turn: int, waiting: Mapping[str, Any]) -> tuple[str, int, str]:
        """The letter of the season, the year, and the letter of the input point."""
        point = str(waiting.get("id", waiting.get("input")))
        year, season = self.reader.date_of(turn)
        return _key(self.row["seasons"], season), year, _key(self.row["points"], point)

    def nation(self, id_: str) -> str:
        return str(self.ruleset.row("nations", id_).get("name", id_)).upper()

    def place(self, id_: str) -> str:
        return self.short.get(id_) or str(self.ruleset.row("places", id_).get("name", id_)).upper()

    def unit(self, place: str, kind: Any, owner: Any, state: State) -> str:
        """The unit that is meant by a place: it may stand in a part of it.

        Where several stand, the one of the nation that gives the order is meant.
        """
        stack = self.standing(place, owner, state)
        if stack is not None and kind in (None, stack["kind"]):
            return self.called(stack)
        return f"{self.writes['kinds'].get(kind, '')} {self.place(place)}".strip()

    def standing(self, place: str, owner: Any, state: State) -> Mapping[str, Any] | None:
        whole = self.whole(place)
        there = [stack for _, stack in state.stacks() if self.whole(stack["place"]) == whole]
        return next((stack for stack in there if stack["owner"] == owner), there[0] if there else None)

    def whole(self, place: str) -> str:
        return str(self.ruleset.row("places", place).get("part_of", place))

    def called(self, stack: Mapping[str, Any]) -> str:
        return f"{self.writes['kinds'][stack['kind']]} {self.place(stack['place'])}"

    def is_marked(self, stack: Mapping[str, Any]) -> bool:
        return "marked" in self.row and bool(stack.get(self.row["marked"]["field"]))

    def units(self, state: State) -> dict[str, list[str]]:
        """Units of every nation, of one without any, too: others would take those it began with."""
        out: dict[str, list[str]] = {self.nation(id_): [] for id_ in self.ruleset.rows("nations")}
        for _, stack in state.stacks():
            sign = self.row["marked"]["sign"] if self.is_marked(stack) else ""
            out[self.nation(stack["owner"])].append(sign + self.called(stack))
        return {nation: sorted(mine) for nation, mine in sorted(out.items())}

    def refuges(self, state: State) -> dict[str, dict[str, list[str]]]:
        """Where each unit that is marked may go, by nation."""
        world = World(self.ruleset, state)
        out: dict[str, dict[str, list[str]]] = {}
        for key, stack in state.stacks():
            if self.is_marked(stack) and "refuges" in self.writes:
                places = world.value(self.writes["refuges"], {"unit": Entity("unit", key)})
                mine = out.setdefault(self.nation(stack["owner"]), {})
                mine[self.called(stack)] = sorted(self.place(place.id) for place in places)
        return out

    def results(self, entries: Iterable[Entry], state: State) -> dict[str, list[str]]:
        """Unit -> what became of its order, as the orders of our journal say it."""
        orders: dict[str, Any] = {}
        became: dict[str, list[str]] = {}
        words_of = self.writes.get("results", {})
        for table, key, field, _, value in chain.from_iterable(entry.changes for entry in entries):
            if table != "orders" or value is None:
                continue
            if field == "*":
                orders[key] = value
            elif field == "outcome":
                became[key] = value
        out: dict[str, list[str]] = {}
        for key, outcomes in sorted(became.items()):
            slots = orders.get(key, {}).get("slots", {})
            if "place" in slots:
                unit = self.unit(slots["place"], slots.get("kind"), orders[key]["nation"], state)
                by_outcome = words_of.get(orders[key]["order"].rpartition("/")[2], {})
                words = [by_outcome.get(one, ()) for one in outcomes]
                out[unit] = list(dict.fromkeys(chain.from_iterable(words)))
        return out

    def centers(self, state: State) -> dict[str, list[str]]:
        held = self.reader.our_held(World(self.ruleset, state))
        return {
            self.nation(id_): sorted(map(self.place, held.get(id_, ())))
            for id_ in sorted(self.ruleset.rows("nations"))
        }

    def line(self, order: Mapping[str, Any], state: State) -> str:
        """An order in the words of records; empty for one that they have no words for."""
        template = self.writes["orders"].get(str(order["order"]).rpartition("/")[2])
        if template is None:
            return ""
        slots = order["slots"]
        names = {key: self.place(value) for key, value in slots.items() if key in ("place", "target", "goal")}
        if "place" in slots:
            names["unit"] = self.unit(slots["place"], slots.get("kind"), order.get("nation"), state)
        if "target" in slots:
            names["helped"] = self.unit(slots["target"], slots.get("their"), None, state)
        names["via"] = self.writes.get("via", "") if slots.get("by") else ""
        return str(template).format(**names).strip()


class _TextWriter:
    """The same in the words of text that lists positions and orders."""

    def __init__(self, writer: _RecordWriter, form: Row) -> None:
        self.writer, self.form = writer, form

    def phase(self, turn: int, waiting: Mapping[str, Any]) -> str:
        season, year, moment = self.writer.letters(turn, waiting)
        words = _key(self.form["seasons"], season), _key(self.form["moments"], moment)
        return f"{self.form['phase']} {year} {words[0]} {words[1]}"

    def positions(self, state: State) -> list[str]:
        """A line for each unit and each place held."""
        lines = []
        for _, stack in state.stacks():
            mark = f"/{self.form['marked']}" if self.writer.is_marked(stack) else ""
            lines.append(
                f"\t{self.nation(stack['owner'])}: {self.kind(stack['kind'])}{mark} {self.at(stack)}"
            )
        held = self.writer.reader.our_held(World(self.writer.ruleset, state))
        for nation, places in sorted(held.items()):
            lines += [f"\t{self.nation(nation)}: {self.form['held']} {self.place(p)}" for p in sorted(places)]
        return lines

    def order(self, order: Mapping[str, Any], state: State) -> str:
        """An order; empty for one that the text has no words for."""
        slots = order["slots"]
        template = self.form["writes"].get(str(order["order"]).rpartition("/")[2])
        if template is None:
            return ""
        names = {key: self.place(value) for key, value in slots.items() if key in ("place", "target", "goal")}
        for key, owner in (("place", order.get("nation")), ("target", None)):
            stack = self.writer.standing(slots[key], owner, state) if key in slots else None
            if stack is not None and (key == "place" or "goal" in slots):
                names[key] = self.at(stack)
        via = self.form["via"] if slots.get("by") else ""
        return str(template).format(**names, kind=self.kind(slots.get("kind")), via=via).strip()

    def nation(self, id_: str) -> str:
        return str(self.writer.ruleset.row("nations", id_).get("name", id_))

    def kind(self, id_: Any) -> str:
        return _key(self.form["kinds"], self.writer.writes["kinds"].get(id_, ""))

    def at(self, stack: Mapping[str, Any]) -> str:
        return self.place(stack["place"])

    def place(self, id_: str) -> str:
        whole, slash, part = self.writer.place(id_).partition("/")
        return f"{_key(self.form.get('places', {}), whole) or whole.lower()}{slash}{part.lower()}"


def _key(words: Mapping[str, str], value: str) -> str:
    """The first word that stands for a value; empty if none does."""
    return next((word for word, stands_for in words.items() if stands_for == value), "")
