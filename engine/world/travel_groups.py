"""A group of units that moves by one row of `movement`: the tests of each of its steps, and which units may
go.

A row of the table `movement` says what is tested, what a step costs and how much may be spent; `routes` finds
the routes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

from ..core.frame import steps
from ..core.model import SEQUENCE, Row, Ruleset, derived_of
from ..core.rows import MovementRow
from ..core.state import Entity, Fields
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import MEANING, Tables, reads
from ..ruleset.expressions.vocabulary import ALWAYS
from .passages import links_of, passes
from .world import World

Path = tuple[str, ...]
Way = tuple[Any, Path]
"""What a way costs, and its places from the start to the end."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What tests call `path`:

    `start`, `last` (where the step is made from), `length` (steps so far), `places`.
    """

    places: Path

    def expression_field(self, name: str) -> Any:
        if name == "start":
            return Entity("place", self.places[0])
        if name == "last":
            return Entity("place", self.places[-1])
        if name == "length":
            return len(self.places) - 1
        if name == "places":
            return tuple(Entity("place", p) for p in self.places)
        return None


# ---- who goes


def free_stacks(
    world: World, nation: str, place: str, *, busy: bool = False, again: bool = False
) -> list[tuple[str, Fields]]:
    """Stacks of a nation at a place that an order may move: in no force, not moved, not aboard, not busy, and
    fit to move.

    What keeps a unit from moving by any way is the ruleset's setting `unfit`, a test of the unit. Units that
    are altered for the turn (`busy`) are left out unless they are asked for, and so are those that have gone
    already (`again`).
    """
    unfit = world.ruleset.setting("unfit")
    return [
        (key, row)
        for key, row in world.state.stacks(at=place, owner=nation)
        if not (
            row.get("aboard")
            or (row.get("busy") and not busy)
            or (not again and (row.get("force") or row.get("moved")))
        )
        and not (
            unfit
            and world.test(
                strip_mark(str(unfit)), {"unit": Entity("unit", key), "self": Entity("nation", nation)}
            )
        )
    ]


def standing(world: World, nation: str, place: str) -> dict[str, tuple[str, int]]:
    """The stacks of a nation that stand at a place, with kind and number: all but those aboard, or there to
    attack it.
    """
    out = {}
    for key, row in world.state.stacks(at=place, owner=nation):
        if not row.get("aboard") and (
            not row.get("force") or world.state.get("forces", row["force"], "stays")
        ):
            out[key] = (str(row["kind"]), int(row["n"]))
    return out


def must_stay(world: World, nation: str, mode: MovementRow, place: str) -> int:
    """How many of a nation's units must stay at a place that others leave by a mode (`leaves`)."""
    if "leaves" not in mode:
        return 0
    me = Entity("nation", nation)
    stay: int = ceil(
        world.number(mode["leaves"], {"self": me, "nation": me, "place": Entity("place", place)})
    )
    return max(0, stay)


def may_leave(world: World, nation: str, mode: MovementRow, place: str, gone: int = 0) -> int | None:
    """How many units of a nation may leave a place by a mode, beside those that are as good as `gone`; None:
    as many as like.
    """
    if "leaves" not in mode:
        return None
    there = sum(n for _, n in standing(world, nation, place).values())
    return max(0, there - gone - must_stay(world, nation, mode, place))


def one_of_each(
    world: World, nation: str, place: str, kinds: Iterable[str], *, again: bool = False
) -> list[Entity] | None:
    """One stack of each kind that is free to go, the plainest first; None if a kind is not there."""
    free = free_stacks(world, nation, place, again=again)
    out = []
    for kind in sorted(set(kinds)):
        found = min(
            (key for key, row in free if row["kind"] == kind), key=lambda k: (len(k), k), default=None
        )
        if found is None:
            return None
        out.append(Entity("unit", found))
    return out


# ---- a group that moves by one row of `movement`


class Going:
    """A group of units of one nation that would move by one row of `movement`: tests, costs and allowance of
    all of them.

    `units` is one stack of each kind; with `count`, the number of units, ways are found that have room for so
    many. With
    `open_gates` no passage is closed: what a way would be if those that are shut now were open when the group
    comes.
    """

    def __init__(
        self,
        world: World,
        nation: str,
        mode: MovementRow,
        units: Sequence[Entity],
        *,
        count: int = 0,
        open_gates: bool = False,
    ) -> None:
        self.world = world
        self.nation = nation
        self.mode = mode
        self.units = tuple(units)
        self.links = links_of(mode)
        self.count = count
        self.open_gates = open_gates
        # what earlier orders of the nation take of shared capacities, by place
        self.taken: Mapping[str, int] = {}
        self._self = Entity("nation", nation)
        self._version = -1
        self._kept: dict[str, Any] = {}

    def kept(self, key: str, make: Callable[[Going], Any]) -> Any:
        """What `make` gives for this group, such as a place in which the world keeps answers, for as long as
        nothing changes.
        """
        if self._version != self.world.state.version:
            self._version = self.world.state.version
            self._kept.clear()
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make(self)
        return found

    def answers(self, what: str, text: str) -> tuple[Asks, dict[Any, Any]]:
        """What a test or a cost of the row asks for, and the answers to it that the world keeps."""
        asks = _asks(self.world.ruleset, text)
        return asks, self.world.memo((what, text), asks.tables)

    def names(self, unit: Entity | None, place: str, link: str, path: Path) -> dict[str, Any]:
        return {
            "self": self._self,
            "nation": self._self,
            "unit": unit,
            "place": Entity("place", place),
            "link": Entity("link", link),
            "path": Trail(path),
        }

    def test(
        self, key: str, place: str, link: str, path: Path, units: Sequence[Entity] | None = None
    ) -> bool:
        """Whether a test of the row holds for every unit of the group (absent: it does)."""
        text: Any = self.mode.get(key)
        if text is None or isinstance(text, bool):
            return text is not False
        asks, known = self.kept(key, lambda going: going.answers("way", text))
        each: Sequence[Entity | None] = (None,)
        if asks.unit:
            each = self.units if units is None else units
        if asks.way:
            return all(self.world.test(text, self.names(unit, place, link, path)) for unit in each)
        for unit in each:
            about = (self.nation, unit, place, link if asks.link else "")
            holds = known.get(about)
            if holds is None:
                holds = known[about] = self.world.test(text, self.names(unit, place, link, path))
            if not holds:
                return False
        return True

    def stops(self, place: str, link: str, path: Path) -> bool:
        """Whether the route ends at a place because `stop` of the row holds there for any unit."""
        if "stop" not in self.mode:
            return False
        return any(self.test("stop", place, link, path, [unit]) for unit in self.units or ())

    def cost(self, place: str, link: str, path: Path) -> Any:
        """What a step costs: a number, a stat of the unit, link or place, or an expression; the dearest of
        the group.
        """
        cost = self.mode.get("cost", 1)
        if isinstance(cost, int):
            return cost
        asks, known = self.kept("cost", lambda going: going.answers("cost", cost))
        if asks.way:
            return max(self._cost(cost, unit, place, link, path) for unit in self.units or (None,))
        dearest = None
        for unit in self.units or (None,):
            about = (self.nation, unit if asks.unit else None, place, link if asks.link else "")
            found = known.get(about)
            if found is None:
                found = known[about] = self._cost(cost, unit, place, link, path)
            if dearest is None or found > dearest:
                dearest = found
        return dearest

    def _cost(self, cost: str, unit: Entity | None, place: str, link: str, path: Path) -> Any:
        return self.world.figure(cost, self.names(unit, place, link, path))

    @property
    def step(self) -> str:
        """The step in which the group goes."""
        return step_of(self.world, self.mode)

    @property
    def by_way(self) -> bool:
        """Whether the allowance depends on the places of the way, so that a dearer way may be open where a
        cheaper is not.
        """
        return bool(self.mode.get("by_way"))

    def allowance(self, start: str, path: Path = ()) -> Any:
        """How much the group may spend (that of its slowest); None if there is no limit.

        `path`: the way but its last place.
        """
        steps = self.mode.get("steps")
        if steps is None:
            return None
        if isinstance(steps, int):
            return steps
        found = []
        for unit in self.units:
            names = self.names(unit, start, f"{start}>{start}", path or (start,))
            left = self.world.state.get("units", unit.id, str(self.mode.get("keeps", "")))
            if left is not None:
                found.append(left)
            else:
                found.append(self.world.figure(steps, names, unit))
        return min(found, default=0)

    def shut(self, link: str) -> str | None:
        """The passage that stops the group on a link, or None."""
        gates = self.world.geography.gates_on.get(link)
        if not gates or self.open_gates:
            return None
        stopped = any(not passes(self.world, self.nation, gates, unit) for unit in self.units)
        return gates[0] if stopped else None


def step_of(world: World, mode: MovementRow) -> str:
    """The step in which units move by a row of `movement`: the present one if it carries it out, else the
    first that does.
    """
    carried = _steps_of_modes(world.ruleset)
    here = str(world.state.get("game", "game", "step", ""))
    mine = carried.get(mode["id"], ())
    return here if here in mine or not mine else str(mine[0])


@derived_of("movement", SEQUENCE)
def _steps_of_modes(ruleset: Ruleset) -> dict[str, list[str]]:
    """Row of `movement` -> the steps that carry it out, also for one by which the cargo of another goes
    ashore.
    """
    out: dict[str, list[str]] = {}
    for node in steps(ruleset.sequence):
        for mode in node.get("movement", ()) if node["do"] == "move" else ():
            shore = ruleset.row_or_empty("movement", mode).get("ashore")
            for each in (mode, *([shore] if shore else ())):
                out.setdefault(each, []).append(str(node.get("step", "move")))
    return out


class Asks(NamedTuple):
    """What a test or a cost of a row asks for: the unit, the link, the route there (or the time), and the
    tables that decide.
    """

    unit: bool
    link: bool
    way: bool
    tables: Tables | None


def _asks(ruleset: Ruleset, text: str) -> Asks:
    known: dict[str, Asks] = ruleset.derived("asks of movement", dict, of=MEANING)
    found = known.get(text)
    if found is None:
        names = names_read(ruleset, text)
        unit = "unit" in names
        if ruleset.has("stats", text):
            of = ruleset.row("stats", text)["of"]
            names, unit = names | {of}, unit or of == "unit"
            tables = reads(ruleset, f"value({of}, '{text}')")
        else:
            tables = reads(ruleset, text)
        found = known[text] = Asks(unit, "link" in names, bool(names & _OF_THE_WAY), tables)
    return found


_OF_THE_WAY = frozenset({"path", *ALWAYS})


@derived_of("stats", "modifiers")
def names_read(ruleset: Ruleset, text: str) -> frozenset[str]:
    """The names that an expression reads, or a stat with its modifiers."""
    quantity = ruleset.rows("stats").get(text)
    rows: list[Row] = [quantity or {"base": text}]
    if quantity:
        rows += [row for row in ruleset.rows("modifiers").values() if row["of"] == text]
    words = ("base", "unless", "when", "add", "times", "at_least", "at_most", "final")
    texts = [r[w] for r in rows for w in words if isinstance(r.get(w), str)]
    exact = [t for t in texts if not t.lstrip("-").replace("/", "").isdigit()]
    return frozenset().union(*(parse(strip_mark(t)).names for t in exact))
