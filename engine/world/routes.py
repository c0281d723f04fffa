"""Routes over the map: how far units get, what a route costs, and why a route is not open.

A row of the table `movement` says who goes by it, over which links, with what allowance, and what each place
must pass. The functions read a `World` and change nothing, so the resolution, the checker of orders, the list
of legal orders and the policies all ask the same ones.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..core.model import MANIFEST, Ruleset
from ..core.rows import MovementRow
from ..core.state import Entity, columns
from ..ruleset.expressions.functions import EARLIER
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import MEANING, Tables, reads_of
from .passages import entry as entry
from .passages import is_attack as is_attack
from .passages import kind_matches as kind_matches
from .passages import links_of as links_of
from .passages import may_pass_over as may_pass_over
from .passages import passes as passes
from .passages import place_kind as place_kind
from .passages import tags_of as tags_of
from .travel_groups import Going as Going
from .travel_groups import Path as Path
from .travel_groups import Trail as Trail
from .travel_groups import Way as Way
from .travel_groups import free_stacks as free_stacks
from .travel_groups import may_leave as may_leave
from .travel_groups import must_stay as must_stay
from .travel_groups import names_read
from .travel_groups import one_of_each as one_of_each
from .travel_groups import standing as standing
from .travel_groups import step_of as step_of
from .world import World

_ENTRY = ("stance(a, b)", "place.holder", "place.occupants", "step")
"""What `entry` asks, in the words of expressions: so it is known which tables decide."""
_PASSAGES = ("passage.barred", "passage.admitted", "allied(a, b)", "place.holder", "unit.kind")


def decided_by(world: World, mode: MovementRow | None) -> Tables | None:
    """The tables of the state that decide which routes a row of `movement` has open, and to whom; None: any
    may.

    Without a row: those that decide it whatever the row says.
    """

    def make() -> Tables | None:
        ruleset = world.ruleset
        gates = list(ruleset.rows("passages").values())
        setting = [strip_mark(str(ruleset.setting("unfit") or ""))]
        found = reads_of(ruleset, mode or {}, gates, setting, _ENTRY, _PASSAGES)
        more = {
            "units",
            "loads",
            *columns("nations", "side"),
            *([EARLIER] if any(g.get("judged") == "turn" for g in gates) else []),
        }
        return None if found is None else found | more

    of = (*MEANING, "movement", "passages", MANIFEST)
    return world.ruleset.derived(("what decides ways by", mode["id"] if mode else ""), make, of=of)


def begin(
    world: World, nation: str, mode: MovementRow | str, start: str, kinds: Iterable[str]
) -> Going | None:
    """A group of these kinds standing at a place, or None if they are not there, free to go."""
    row = world.ruleset.row("movement", mode) if isinstance(mode, str) else mode
    units = one_of_each(world, nation, start, kinds, again=bool(row.get("again")))
    return None if units is None else Going(world, nation, row, units)


def reach(
    world: World, nation: str, mode: MovementRow | str, start: str, kinds: Iterable[str]
) -> dict[str, Way]:
    """Every place where units of these kinds, standing at `start`, can end a move: place -> (cost, path).

    Of equally cheap ways the one with fewer places, then the first by ids. Empty if the units are not there.
    """
    going = begin(world, nation, mode, start, kinds)
    if going is None or going_refusal(going, start) is not None:
        return {}
    return ways(going, start)


def ways(going: Going, start: str, allowance: Any = None) -> dict[str, Way]:
    """Like `reach`, for a group. Where `mode` asks for a route home, places without one are left out."""
    most = going.allowance(start) if allowance is None else allowance
    return {
        place: (cost, path)
        for place, (cost, path) in search(going, start, most).items()
        if place != start
        and _ends(going, path)
        and ("home" not in going.mode or most is None or has_way_home(going, path, most - cost))
    }


def search(
    going: Going, start: str, most: Any, goal: str | None = None, *, nearest_of: Collection[str] = ()
) -> dict[str, Way]:
    """The cheapest ways from a place, within `most` (None: no limit), to all places or until `goal` is found.

    `nearest_of`: no further than to the cheapest of some places (and all that are as cheap).
    """
    if going.by_way and most is not None:
        return _search_by_way(going, start, goal)
    settled: dict[str, Way] = {}
    frontier: list[tuple[Any, int, Path]] = [(0, 0, (start,))]
    ahead: dict[str, tuple[Any, int, Path]] = {}  # place -> the best way found to it so far
    enough: Any = None
    around = going.world.geography.around(going.links)
    step = going.mode.get("cost", 1)
    alike = step if isinstance(step, int) else None  # what every step costs
    while frontier:
        spent, steps, path = heapq.heappop(frontier)
        here = path[-1]
        if here in settled:
            continue
        if enough is not None and spent > enough:
            break
        settled[here] = (spent, path)
        if here == goal:
            break
        if here in nearest_of:
            enough = spent
        if here != start and not _goes_on(going, path):
            continue
        if alike is not None and most is not None and spent + alike > most:
            continue
        for near in around.get(here, ()):
            if near in settled:
                continue
            if (
                alike is not None
                and near in ahead
                and ahead[near] <= (spent + alike, steps + 1, (*path, near))
            ):
                continue  # nothing is asked of a way that is not the best
            link = f"{here}>{near}"
            if not _enters(going, near, link, path) or not _takes(
                going, near, here if here == start else None
            ):
                continue
            cost = spent + (going.cost(near, link, path) if alike is None else alike)
            if most is None or cost <= most:
                ahead[near] = (cost, steps + 1, (*path, near))
                heapq.heappush(frontier, ahead[near])
    return settled


def _search_by_way(going: Going, start: str, goal: str | None) -> dict[str, Way]:
    """The cheapest ways where each way has an allowance of its own: every way within its allowance is
    tried.
    """
    found: dict[str, Way] = {}
    frontier: list[tuple[Any, int, Path]] = [(0, 0, (start,))]
    same = not _cost_reads(going.world.ruleset, going.mode) & {"place", "link"}
    while frontier:
        spent, steps, path = heapq.heappop(frontier)
        here = path[-1]
        found.setdefault(here, (spent, path))
        if here == goal:
            break
        if here != start and not _goes_on(going, path):
            continue
        most = going.allowance(start, path)
        around = going.world.geography.next_to(here, going.links)
        each = going.cost(around[0], f"{here}>{around[0]}", path) if same and around else None
        if each is not None and spent + each > most:
            continue
        for near in around:
            link = f"{here}>{near}"
            if (
                near in path
                or not _enters(going, near, link, path)
                or not _takes(going, near, here if here == start else None)
            ):
                continue
            cost = spent + (going.cost(near, link, path) if each is None else each)
            if cost <= most:
                heapq.heappush(frontier, (cost, steps + 1, (*path, near)))
    return found


def _cost_reads(ruleset: Ruleset, mode: MovementRow) -> frozenset[str]:
    """The names that the cost of a step reads: without the place entered and the link, all steps from a place
    cost alike.
    """
    cost = mode.get("cost", 1)
    return frozenset() if isinstance(cost, int) else names_read(ruleset, cost)


def _goes_on(going: Going, path: Path) -> bool:
    link = f"{path[-2]}>{path[-1]}"
    if going.mode.get("passes_over") and not may_pass_over(going.world, going.nation, path[-1]):
        return False
    return going.test("pass", path[-1], link, path[:-1]) and not going.stops(path[-1], link, path[:-1])


def _enters(going: Going, place: str, link: str, path: Path) -> bool:
    if going.shut(link) is not None:
        return False
    asks_link, known = going.kept("enters", _entered)
    found: bool | None = None if known is None else known.get(link if asks_link else place)
    if found is None:
        found = going.test("enter", place, link, path) and _open(going, place) != "never"
        if known is not None:
            known[link if asks_link else place] = found
    return found


def _entered(going: Going) -> tuple[bool, dict[str, bool] | None]:
    """Whether entering a place depends on the link, and where the answer is kept; None: it depends on the
    route there.
    """
    text = going.mode.get("enter")
    asks = going.answers("way", text)[0] if isinstance(text, str) else None
    if asks is not None and asks.way:
        return asks.link, None
    units = going.units if asks is not None and asks.unit else ()
    about = ("enters", going.nation, going.mode["id"], going.step, units)
    known = going.world.memo(about, decided_by(going.world, going.mode))
    return asks is not None and asks.link, known


def _open(going: Going, place: str) -> str:
    known = going.kept("entry", _entries)
    found: str | None = known.get((going.nation, place))
    if found is None:
        found = known[going.nation, place] = entry(going.world, going.nation, place, going.step)
    return found


def _entries(going: Going) -> dict[tuple[str, str], str]:
    """What the world keeps of the entry to places in the step in which the group goes."""
    return going.world.memo(("entry", going.step), going.world.decided_by(*_ENTRY))


def _takes(going: Going, place: str, start: str | None) -> bool:
    """Whether the shared capacity of a place (and of the start) has room for the group, if its number is
    known.
    """
    if not going.count or "capacity" not in going.mode:
        return True
    for here in (place, start):
        most = capacity(going.world, going.mode, here) if here else None
        if (
            here
            and most is not None
            and used(going.world, going.mode, here) + going.taken.get(here, 0) + going.count > most
        ):
            return False
    return True


def _ends(going: Going, path: Path) -> bool:
    return going.test("end", path[-1], f"{path[-2]}>{path[-1]}", path[:-1])


def going_refusal(going: Going, start: str) -> str | None:
    """Why a group cannot set out at all: its kinds, or the place that it is in."""
    mode, world = going.mode, going.world
    for unit in going.units:
        kind = str(world.state.get("units", unit.id, "kind", ""))
        if not kind_matches(world, mode.get("who"), kind) or (
            mode.get("except") and kind_matches(world, mode["except"], kind)
        ):
            return f"{name_of(world, 'units', kind)} cannot go this way"
    if not going.test("start", start, f"{start}>{start}", (start,)):
        return f"not from {name_of(world, 'places', start)}"
    return None


def check_path(going: Going, path: Path, *, within: Any = None) -> str | None:
    """Why a group cannot take this way, in words for its nation, or None.

    `within` overrides the allowance.
    """
    world, mode = going.world, going.mode
    refused = going_refusal(going, path[0])
    if refused:
        return refused
    if len(path) < 2:
        return None if mode.get("stay") else "they are there already"
    spent: Any = 0
    for index in range(1, len(path)):
        here, near = path[index - 1], path[index]
        link = f"{here}>{near}"
        where = name_of(world, "places", near)
        if near not in world.geography.next_to(here, going.links):
            return f"no way from {name_of(world, 'places', here)} to {where}"
        gate = going.shut(link)
        if gate is not None:
            return f"{name_of(world, 'passages', gate)} is closed to them"
        if not _enters(going, near, link, path[:index]):
            return f"they may not enter {where}"
        if index < len(path) - 1 and not _goes_on(going, path[: index + 1]):
            return f"they cannot go on from {where}"
        spent += going.cost(near, link, path[:index])
    most = going.allowance(path[0], path[:-1]) if within is None else within
    if most is not None and spent > most:
        return too_far(world, path, spent, most)
    if not _ends(going, path):
        return f"they cannot end in {name_of(world, 'places', path[-1])}"
    if "home" in mode and most is not None and not has_way_home(going, path, most - spent):
        return f"they would not get back from {name_of(world, 'places', path[-1])}"
    return None


def too_far(world: World, path: Path, spent: Any, most: Any) -> str:
    """That a way is longer than those who go can manage, in words: by its steps, or by what they cost where
    that differs.
    """
    if spent != len(path) - 1:
        there = name_of(world, "places", path[-1])
        return f"{there} is too far: the way costs {spent}, and they have {most}"
    here, there = name_of(world, "places", path[0]), name_of(world, "places", path[-1])
    apart = f"{here} and {there} are {spent} move{'' if spent == 1 else 's'} apart"
    return f"{apart}; these units move {most}" if most else f"{apart}; they have 0 moves left"


def has_way_home(going: Going, path: Path, left: Any) -> bool:
    """Whether a group at the end of a way can stay there, or, after what a fight takes (`reserve`), reach a
    place to stay.
    """
    here = path[-1]
    if going.test("home", here, f"{path[-2]}>{here}", path[:-1]):
        return True
    back = way_home(going, path, left - going.mode.get("reserve", 0))
    return back is not None


def way_home(going: Going, path: Path, left: Any) -> Any:
    """What the cheapest way home costs from the end of a way, if it costs no more than `left`; None if none
    is open.
    """
    here = path[-1]
    if going.mode.get("returns"):
        return next(
            (cost for place, (cost, _) in search(going, here, left, path[0]).items() if place == path[0]),
            None,
        )
    if going.test("home", here, f"{path[-2]}>{here}", path[:-1]):
        return 0
    return min(homes(going, here, left).values(), default=None)


def homes(going: Going, here: str, left: Any) -> dict[str, Any]:
    """Places where a group that is at `here` may end its moves, within what it has left: place -> cost."""
    out = {}
    for place, (cost, path) in search(going, here, left).items():
        if place != here and going.test("home", place, f"{path[-2]}>{place}", path[:-1]):
            out[place] = cost
    return out


def find_path(going: Going, start: str, target: str, via: Sequence[str] = ()) -> Path | None:
    """The cheapest way to a target through the places of `via` in their order, whatever the allowance; None
    if none is open.
    """
    path: Path = (start,)
    for goal in (*via, target):
        here = path[-1]
        if goal == here:
            continue
        if _one_step(going, here, goal):
            path += (goal,)
            continue
        within = search(going, here, going.allowance(here)).get(goal) if going.by_way and not via else None
        if going.by_way and within is None and goal in going.world.geography.next_to(here, going.links):
            # what keeps them from the one step is the reason to be told, not the cost of a way round
            path += (goal,)
            continue
        found = within or search(going, here, None, goal).get(goal)
        if found is None:
            return None
        path += found[1][1:]
    return path


def way(going: Going, start: str, target: str, via: Sequence[str] = ()) -> tuple[Path | None, str | None]:
    """The way of a group to a target (None: there is none), and why it cannot take it, in words for its
    nation, or None.

    Where a shared capacity leaves no way with room for all, it is one without: `count` of the group is 0
    then, and room is for those to see to who share it out.
    """
    path = _with_room(going, start, target, via)
    if path is None and going.count and "capacity" in going.mode:
        going.count = 0
        path = find_path(going, start, target, via)
    if path is not None:
        return path, check_path(going, path)
    if target in going.world.geography.next_to(start, going.links):  # why the plain step to a neighbor fails
        return None, check_path(going, (start, target)) or "no way is open"
    return None, going_refusal(going, start) or f"no way to {name_of(going.world, 'places', target)} is open"


def shut_on(going: Going, start: str, places: Iterable[str]) -> str | None:
    """The first passage on a way from a place that is shut to the group now."""
    here = start
    for place in places:
        gate = going.shut(f"{here}>{place}") if place != here else None
        if gate is not None:
            return gate
        here = place
    return None


def _with_room(going: Going, start: str, target: str, via: Sequence[str]) -> Path | None:
    """The cheapest way with room for all.

    That for a single unit is looked for once, and taken if it has room.
    """
    world, mode, count = going.world, going.mode, going.count
    if count < 1 or not mode.get("capacity") or going.open_gates:
        return find_path(going, start, target, via)

    def make() -> Path | None:
        return find_path(Going(world, going.nation, mode, going.units, count=1), start, target, via)

    key = ("path", going.nation, mode["id"], start, target, tuple(via), going.units)
    path: Path | None = world.keep(key, decided_by(world, mode), make)
    takes = path is not None and all(_takes(going, b, a if a == start else None) for a, b in pairwise(path))
    return path if takes else find_path(going, start, target, via)


def _one_step(going: Going, here: str, goal: str) -> bool:
    """Whether one step leads there and every step costs the same, so that nothing is cheaper."""
    if not isinstance(going.mode.get("cost", 1), int) or goal not in going.world.geography.next_to(
        here, going.links
    ):
        return False
    return _enters(going, goal, f"{here}>{goal}", (here,)) and _takes(going, goal, here)


def spent_on(going: Going, path: Path) -> Any:
    """What a way costs."""
    return sum(going.cost(path[i], f"{path[i - 1]}>{path[i]}", path[:i]) for i in range(1, len(path)))


def kept_of(going: Going, unit: Entity, path: Path) -> dict[str, Any]:
    """What a unit has left when its group has gone a route, where `mode` keeps count of that (`keeps`), and
    what its way home takes of it (`way_home`): its own allowance, not that of the group's slowest.
    """
    name = going.mode.get("keeps")
    alone = Going(going.world, going.nation, going.mode, [unit])
    most = alone.allowance(path[0], path[:-1]) if name else None
    if name is None or most is None:
        return {}
    left = most - spent_on(alone, path)
    back = going.mode.get("way_home") if len(path) > 1 else None
    return {name: left, back: way_home(alone, path, left)} if back else {name: left}


# ---- capacity


def capacity(world: World, mode: MovementRow, place: str) -> Any:
    """How many units may start, pass or end in a place; None if `mode` sets no limit."""
    row = mode.get("capacity")
    if not row:
        return None
    text = strip_mark(str(row["is"]))

    def make() -> Any:
        thing = Entity("place", place)
        names = {"place": thing, "self": world.field(thing, "holder")}
        return (
            world.quantity(text, thing, names)
            if world.ruleset.has("stats", text)
            else world.value(text, names)
        )

    return world.keep(("capacity", text, place), world.decided_by(text, "place.holder"), make)


def draws(mode: MovementRow) -> Sequence[str]:
    """Which places of a route use up capacity: its `start`, those that it may `pass`, its `end`."""
    found: Sequence[str] = mode.get("capacity", {}).get("draws", ("start", "pass", "end"))
    return found


def drawn_places(mode: MovementRow, path: Path) -> list[str]:
    """The places whose capacity a route uses: its start, end and those between, as `mode` says."""
    drawn = draws(mode)
    out = []
    if "start" in drawn:
        out.append(path[0])
    if "pass" in drawn:
        out.extend(path[1:-1])
    if "end" in drawn and len(path) > 1:
        out.append(path[-1])
    return out


def used(world: World, mode: MovementRow, place: str) -> int:
    """Units that have moved in this way over a place this turn."""
    row = world.state.row("loads", f"{mode['id']}:{place}")
    return int(row.get("n", 0)) if row.get("turn") == world.always()["turn"] else 0


def room_left(world: World, mode: MovementRow, path: Path, taken: Mapping[str, int] | None = None) -> Any:
    """How many units the way still takes beside what is `taken`; None if it is not limited."""
    left = [
        most - used(world, mode, place) - (taken or {}).get(place, 0)
        for place in drawn_places(mode, path)
        if (most := capacity(world, mode, place)) is not None
    ]
    return min(left) if left else None


# ---- names


def too_few(world: World, nation: str, place: str, wanted: Mapping[str, int]) -> str:
    """Why so many units cannot go from a place: there are fewer, or others of its orders have taken them."""
    where = name_of(world, "places", place)
    for kind, n in sorted(wanted.items()):
        there = sum(int(r["n"]) for _, r in world.state.stacks(at=place, owner=nation) if r["kind"] == kind)
        if there < n:
            return (
                f"not that many units free to go in {where}: {n} {units_name(world, kind, n)} ordered, "
                f"{there} there"
            )
    return f"not that many units free to go in {where}: others are under other orders, or cannot leave"


def form_of_item(ruleset: Ruleset, id_: str) -> str:
    """The table of something that lies somewhere: of a resource, a kind of unit, or what can be bought; empty
    for what is none of them.
    """
    return next((form for form in ("resources", "units", "production") if ruleset.has(form, id_)), "")


def name_of(world: World, form: str, id_: str) -> str:
    return str(world.ruleset.row_or_empty(form, id_).get("name", id_))


def units_name(world: World, kind: str, n: int) -> str:
    """What `n` units of a kind are called: by its name, or its plural if it has one."""
    row = world.ruleset.row_or_empty("units", kind)
    return str(row.get("name", kind) if n == 1 else row.get("plural", row.get("name", kind)))


def list_units(world: World, kinds: Mapping[str, int]) -> str:
    """Numbers of units in words, parted by commas."""
    return ", ".join(f"{n} {units_name(world, kind, n)}" for kind, n in kinds.items())


def named_places(world: World, value: Any) -> list[str]:
    """The places that a slot names: ids in a list, or a text with ids, names or aliases parted by commas,
    `then` or `and`.

    Raises ValueError with the word that is no place.
    """
    if value is None or value == "":
        return []
    if isinstance(value, Entity):
        return [value.id]
    words = (
        value
        if isinstance(value, list | tuple)
        else re.split(r"\s*,\s*|\s+then\s+|\s+and\s+", str(value).strip())
    )
    table = world.ruleset.derived("place-names", lambda: _place_names(world), of=("places",))
    out = []
    for word in words:
        id_ = word.id if isinstance(word, Entity) else table.get(" ".join(str(word).lower().split()))
        if id_ is None:
            raise ValueError(f"no place is called {word}")
        out.append(id_)
    return out


def _place_names(world: World) -> dict[str, str]:
    out: dict[str, str] = {}
    for id_, row in world.ruleset.rows("places").items():
        for name in (*row.get("aliases", ()), row.get("name", id_), id_):
            out[" ".join(str(name).lower().split())] = id_
    return out
