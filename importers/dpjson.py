"""Games recorded as JSON phases: state, orders and results of each, as the public Python package for such
games saves them.

A record is `{id, map, phases: [{name, state: {units, centers, ...}, orders: {NATION: [line, ...]}, ...},
...]}`. It is played again from its first phase: before each phase the units and the held places of both are
compared, then the phase's orders go in by the door, as mail does, and are resolved. What the record calls
things is understood as names in orders are; what else has to be known (which letter of a phase means which
season and input point, ...) is the ruleset's row of the form `imports`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from wteaw.core.dice import CountingDice, KeyedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State, unit_key
from wteaw.core.words import joined
from wteaw.orders.intake import take_in
from wteaw.orders.names import Names
from wteaw.play.scenario import initial_state
from wteaw.play.views import view_world
from wteaw.store import Game, Submission
from wteaw.turn.calendar import date
from wteaw.turn.referee import Inputs, Position, resolve, start
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

ROW = "dpjson"
MOST_TURNS = 2_000


class RecordError(ValueError):
    """A record that cannot be read, or that this ruleset cannot play."""


@dataclass(frozen=True)
class RecordDifference:
    """The first thing in which a record and the replay differ: before which phase, about what, and what each
    has.
    """

    phase: str
    what: str
    recorded: str
    ours: str

    def __str__(self) -> str:
        return (
            f"{self.phase}: {self.what}: recorded {self.recorded or 'nothing'}, here {self.ours or 'nothing'}"
        )


@dataclass
class Replayed:
    """What came of a record: how many phases were compared, the orders that were refused, the first
    difference; or why it cannot be played.
    """

    id: str
    phases: int = 0
    orders: int = 0
    refused: list[str] = field(default_factory=list)
    difference: RecordDifference | None = None
    fault: str = ""


# ---- reading


def records(text: str) -> list[dict[str, Any]]:
    """The records in a file: one JSON object, or one a line.

    RecordError names the line or the key that is wrong.
    """
    try:
        found = [json.loads(text)]
    except json.JSONDecodeError as whole:
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        found = []
        for number, line in lines:
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError as error:
                if len(lines) > 1 and found:
                    raise RecordError(f"line {number}: {error.msg}, column {error.colno}") from None
                raise RecordError(
                    f"no JSON: {whole.msg}, line {whole.lineno}, column {whole.colno}"
                ) from None
    if len(found) == 1 and isinstance(found[0], list):
        found = found[0]
    if not found:
        raise RecordError("the file is empty")
    for number, record in enumerate(found, 1):
        _shape(record, f"game {number}: " if len(found) > 1 else "")
    return found


def _shape(record: Any, where: str) -> None:
    if not isinstance(record, dict) or not isinstance(record.get("phases"), list) or not record["phases"]:
        raise RecordError(f"{where}a record is an object with a list of `phases`")
    for number, phase in enumerate(record["phases"], 1):
        state = phase.get("state") if isinstance(phase, dict) else None
        if not isinstance(state, dict) or not isinstance(phase.get("name"), str):
            raise RecordError(f"{where}phase {number} has no `name` and `state`")
        if not isinstance(state.get("units"), dict) or not isinstance(state.get("centers"), dict):
            raise RecordError(
                f"{where}phase {number} ({phase['name']}): the state has no `units` and `centers`"
            )


@dataclass(frozen=True)
class PhaseName:
    """What the name of a phase says: year, season, and the input point at which its orders come in."""

    year: int
    season: str
    point: str


Piece = tuple[str, str, bool]
"""A unit as both sides know it: kind, place, and whether it is one of those that the record marks."""


class RecordReader:
    """Understands a record by the names of a ruleset and its row of `imports`.

    RecordError for what it does not know.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.row: Row = ruleset.row_or_empty("imports", ROW)
        if not self.row:
            raise RecordError(
                f"the ruleset {ruleset.id} has no row {ROW!r} of the form `imports`: it plays no such games"
            )
        self.names = Names(ruleset, None)

    def moment(self, name: str) -> PhaseName | None:
        """A phase by its name; None for one that stands for the end."""
        if not name or name in self.row.get("ends", ()):
            return None
        letter, year, last = name[:1], name[1:-1], name[-1:]
        if letter not in self.row["seasons"] or last not in self.row["points"] or not year.isdecimal():
            raise RecordError(f"no phase is called {name!r}")
        return PhaseName(int(year), self.row["seasons"][letter], self.row["points"][last])

    def named(self, kind: str, name: str) -> str:
        found = self.names.find(kind, joined(name))
        if len(found) != 1:
            raise RecordError(f"{name!r} is no {kind} of {self.ruleset.id}")
        return found[0]

    def nation(self, name: str) -> str:
        return self.named("nation", name)

    def pieces(self, state: Mapping[str, Any]) -> dict[str, set[Piece]]:
        """Nation to its units."""
        sign = str(self.row.get("marked", {}).get("sign", ""))
        out: dict[str, set[Piece]] = {}
        for nation, units in state["units"].items():
            mine = out.setdefault(self.nation(nation), set())
            for unit in units or ():
                bare = unit.removeprefix(sign) if sign else unit
                kind, _, place = bare.partition(" ")
                mine.add((self.named("unit-kind", kind), self.named("place", place), bare != unit))
        return {nation: mine for nation, mine in out.items() if mine}

    def held(self, state: Mapping[str, Any]) -> dict[str, set[str]]:
        """Nation to the places that it holds, of those that are counted."""
        found = {
            self.nation(n): {self.named("place", p) for p in places or ()}
            for n, places in state["centers"].items()
        }
        return {nation: places for nation, places in found.items() if places}

    def our_pieces(self, state: State) -> dict[str, set[Piece]]:
        """The same of a position of ours."""
        marked = self.row.get("marked", {}).get("field", "")
        out: dict[str, set[Piece]] = {}
        for _, row in state.stacks():
            out.setdefault(row["owner"], set()).add((row["kind"], row["place"], bool(row.get(marked))))
        return out

    def our_held(self, world: World) -> dict[str, set[str]]:
        out: dict[str, set[str]] = {}
        for id_, row in self.ruleset.rows("places").items():
            holder = world.holder_of(id_) if row.get(self.row["counts"]) else None
            if holder:
                out.setdefault(holder, set()).add(id_)
        return out

    def first_state(self, record: Mapping[str, Any], scenario: Mapping[str, Any]) -> State:
        """The position from which a record begins: the scenario's, with the record's units, holders and
        date.
        """
        phase = record["phases"][0]
        began = self.moment(phase["name"])
        turn = next(
            (
                n
                for n in range(1, MOST_TURNS)
                if began is not None and self.date_of(n) == (began.year, began.season)
            ),
            None,
        )
        if began is None or turn is None:
            raise RecordError(f"no turn of {self.ruleset.id} begins at {phase['name']}")
        state = initial_state(self.ruleset, scenario)
        for key in list(state.table("units")):
            state.put("units", key, "*", None)
        for owner, pieces in self.pieces(phase["state"]).items():
            for kind, place, _ in sorted(pieces):
                state.put(
                    "units",
                    unit_key(owner, kind, place),
                    "*",
                    {"owner": owner, "kind": kind, "place": place, "n": 1},
                )
        holders = {place: nation for nation, places in self.held(phase["state"]).items() for place in places}
        for id_, row in self.ruleset.rows("places").items():
            if row.get(self.row["counts"]):
                state.put("places", id_, "holder", holders.get(id_, ""))
        for option, value in self.row.get("options", {}).items():
            state.put("options", "options", option, value)
        state.put("game", "game", "turn", turn - 1)
        return state

    def date_of(self, turn: int) -> tuple[int, str]:
        """Year and season of a turn."""
        row = self.ruleset.calendar
        seasons = row.get("seasons") or [""]
        return date(row, turn)[0], seasons[(turn - 1) % len(seasons)]

    def lines(self, phase: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
        """Nation and its order lines."""
        for nation, orders in sorted((phase.get("orders") or {}).items()):
            if orders:
                yield self.nation(nation), [str(line) for line in orders]


# ---- playing it again


class ReplayTarget(Protocol):
    """Where the record is played: in memory, or as a game in its folder."""

    @property
    def position(self) -> Position: ...

    def world_of(self, nation: str) -> World: ...

    def resolve(self, given: list[Submission]) -> None: ...


class InMemory:
    """A position that nobody keeps."""

    def __init__(self, ruleset: Ruleset, state: State) -> None:
        self.ruleset = ruleset
        self.geography = Geography(ruleset)
        self._worlds: list[World] = []
        self._go_to(start(ruleset, state, _no_dice(), geography=self.geography).position)

    def _go_to(self, position: Position) -> None:
        for world in self._worlds:
            world.close()
        self.position = position
        self._viewer = Viewer(self.ruleset, position.state, geography=self.geography)
        self._worlds = [self._viewer.world]

    def world_of(self, nation: str) -> World:
        """A nation's world, good until the next phase begins."""
        self._worlds.append(World(self.ruleset, self._viewer.view(nation), geography=self.geography))
        return self._worlds[-1]

    def resolve(self, given: list[Submission]) -> None:
        inputs = Inputs({s.nation: s.orders for s in given}, {s.nation: s.answers for s in given})
        done = resolve(self.ruleset, self.position, inputs, _no_dice(), geography=self.geography)
        self._go_to(done.position)


class InFolder:
    """A game in its folder, resolved phase by phase as its moderator would."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def position(self) -> Position:
        return self.game.stage().position

    def world_of(self, nation: str) -> World:
        return view_world(self.game, nation)

    def resolve(self, given: list[Submission]) -> None:
        self.game.resolve(given)


def _no_dice() -> CountingDice:
    return KeyedDice("", 0)


def replay(
    ruleset: Ruleset,
    record: Mapping[str, Any],
    scenario: Mapping[str, Any],
    table_of: Callable[[State], ReplayTarget] | None = None,
) -> Replayed:
    """Play a record again as far as it agrees.

    `table_of` sets up where, from the first state; by default nothing is kept.
    """
    reader = RecordReader(ruleset)
    wanted = record.get("map")
    if wanted is not None and wanted not in reader.row.get("maps", (wanted,)):
        raise RecordError(
            f"the record is of the map {wanted!r}; {ruleset.id} has {', '.join(reader.row['maps'])}"
        )
    state = reader.first_state(record, scenario)
    table = table_of(state) if table_of is not None else InMemory(ruleset, state)
    out = Replayed(str(record.get("id", "")))
    phases = [_without_lost(phase) for phase in record["phases"]]
    for number, phase in enumerate(phases):
        if _is_idle(reader, table.position, phases[number : number + 2]):
            out.phases += 1
            continue
        out.difference = _differs(reader, table.position, phase)
        if out.difference is not None:
            return out
        out.phases += 1
        if number + 1 < len(phases) and reader.moment(phase["name"]) is not None:
            _play(reader, table, phase, out)
    return out


def _without_lost(phase: Mapping[str, Any]) -> Mapping[str, Any]:
    """A phase without the units that wait in it though no place is left to them: ours were destroyed with the
    orders before.
    """
    state, lost = phase["state"], {}
    for nation, waiting in (state.get("retreats") or {}).items():
        gone = (
            [unit for unit, places in waiting.items() if places == []] if isinstance(waiting, Mapping) else []
        )
        if gone:
            lost[nation] = gone
    if not lost:
        return phase
    units, orders = dict(state.get("units") or {}), dict(phase.get("orders") or {})
    for nation, gone in lost.items():
        marked = {f"*{unit}" for unit in gone}
        units[nation] = [unit for unit in units.get(nation) or () if unit not in marked]
        orders[nation] = [
            line
            for line in orders.get(nation) or ()
            if not line.startswith(tuple(f"{unit} " for unit in gone))
        ]
    return {**phase, "state": {**state, "units": units}, "orders": orders}


def _is_idle(reader: RecordReader, position: Position, phases: list[Mapping[str, Any]]) -> bool:
    """Whether a recorded phase is one in which there was nothing to order, so that ours has gone on to the
    phase after it.
    """
    if len(phases) < 2 or any((phases[0].get("orders") or {}).values()):
        return False
    now, after = (reader.moment(str(phase["name"])) for phase in phases)
    here = _here(reader, position)
    same = reader.pieces(phases[0]["state"]) == reader.pieces(phases[1]["state"])
    return now is not None and after is not None and here != now and here == after and same


def _here(reader: RecordReader, position: Position) -> PhaseName:
    """The phase at which ours waits."""
    waiting = position.waiting or {}
    return PhaseName(*reader.date_of(position.turn), str(waiting.get("id", waiting.get("input", "the end"))))


def _play(reader: RecordReader, table: ReplayTarget, phase: Mapping[str, Any], out: Replayed) -> None:
    """A phase's orders go in by the door and are resolved."""
    given = []
    for nation, lines in reader.lines(phase):
        taken = take_in(reader.ruleset, "\n".join(lines), table.world_of, nation=nation)
        out.orders += len(lines)
        refused = {d.line: d.message for d in taken.found if d.severity == "error"}
        out.refused += [
            f"{phase['name']} {nation}: {lines[n - 1]}: {said}" for n, said in sorted(refused.items()) if n
        ]
        given.append(Submission(nation, "\n".join(lines), list(taken.orders), dict(taken.answers), "player"))
    table.resolve(given)


def _differs(reader: RecordReader, position: Position, phase: Mapping[str, Any]) -> RecordDifference | None:
    """The first difference between a position of ours and the state that a phase of a record begins with."""
    name, state = str(phase["name"]), position.state
    moment = reader.moment(name)
    if moment is not None:
        here = _here(reader, position)
        if here != moment:
            wanted, found = (f"{one.season} {one.year}, {one.point}" for one in (moment, here))
            return RecordDifference(name, "what comes next", wanted, found)
    recorded, ours = reader.pieces(phase["state"]), reader.our_pieces(state)
    for nation in sorted({*recorded, *ours}):
        theirs, mine = recorded.get(nation, set()), ours.get(nation, set())
        if theirs != mine:
            return RecordDifference(
                name, f"units of {nation}", _units(reader, theirs - mine), _units(reader, mine - theirs)
            )
    if phase["state"]["centers"] is None:  # a case that says nothing of them
        return None
    here_now = World(reader.ruleset, state)
    held, our_held = reader.held(phase["state"]), reader.our_held(here_now)
    here_now.close()
    for nation in sorted({*held, *our_held}):
        there, here_ = held.get(nation, set()), our_held.get(nation, set())
        if there != here_:
            what = f"{reader.row['counts']}s of {nation}"
            return RecordDifference(
                name, what, ", ".join(sorted(there - here_)), ", ".join(sorted(here_ - there))
            )
    return None


def _units(reader: RecordReader, pieces: set[Piece]) -> str:
    sign = str(reader.row.get("marked", {}).get("field", ""))
    return ", ".join(
        f"{kind} {place}{f' ({sign})' if marked else ''}" for kind, place, marked in sorted(pieces)
    )
