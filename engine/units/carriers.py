"""Units that live on others: how many there is room for, and what becomes of those who have none left.

A mode says by `bears` who lives on whom (`who`, `bearers`) and in which places (`where`), how many a bearer
takes (`room`), by which mode those without room go where they can end (`home`, or `bereft` where a battle
that others brought to them has cost them their bearers), and which of them can still do so (`aloft`); the
rest go down with what bore them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..core.journal import Entry
from ..core.messages import Message, joined
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity, Fields
from ..turn.context import OrderContext, Turn
from ..world import routes
from ..world.messages import say, units
from . import forces
from .homes import homes_of


def settle_all(turn: Turn) -> None:
    """Everywhere units without room go home or are lost."""
    for mode in turn.ruleset.rows("movement").values():
        if "bears" not in mode:
            continue
        who = mode["bears"]["who"]
        kinds = {kind for kind in turn.ruleset.rows("units") if routes.kind_matches(turn.world, who, kind)}
        lived_in = {row["place"] for _, row in turn.state.stacks() if row["kind"] in kinds}
        gone = False  # once somebody has gone, they may be anywhere
        for place in sorted(turn.state.occupied_places()):
            for owner in sorted(turn.state.owners_at(place)) if gone or place in lived_in else ():
                gone = bool(_settle_at(turn, mode, place, owner, None)) or gone


def settle(
    turn: Turn, place: str, lost: Collection[tuple[str, str]], entry: Entry | None, *,
    fighting: Collection[str] = (), attacked: Collection[str] = (),
) -> list[Fields]:  # fmt: skip
    """Those at a place whose bearers are among what was lost (owner, kind) go home or are lost. Returns what
    became of them.

    Stacks that are `fighting` in the place stay as long as they do. The nations that were `attacked` go by
    the mode's `bereft`, if it says one. Without an `entry` each nation's go in one of its own.
    """
    out: list[Fields] = []
    for mode in turn.ruleset.rows("movement").values():
        if "bears" in mode:
            bears = mode["bears"]
            for owner in sorted(
                {o for o, kind in lost if routes.kind_matches(turn.world, bears["bearers"], kind)}
            ):
                way = bears.get("bereft") if owner in attacked else None
                out += _settle_at(turn, mode, place, owner, entry, fighting=fighting, way=way)
    return out


@dataclass(frozen=True, slots=True)
class Claim:
    """Units under an order that can end on bearers only: in any of some places."""

    mode: MovementRow
    picks: tuple[forces.Pick, ...]
    places: frozenset[str]
    again: bool
    """Whether their order is of a later round of moves, where what earlier ones claimed is no longer in
    question.
    """

    @property
    def count(self) -> int:
        return sum(n for _, n in self.picks)


def claim_of(going: routes.Going, path: routes.Path, picks: Sequence[forces.Pick]) -> Claim | None:
    """What units at the end of a way claim of the bearers: None if they need none, or can end elsewhere."""
    kinds = [str(going.world.state.get("units", key, "kind")) for key, _ in picks]
    for mode in going.world.ruleset.rows("movement").values():
        bears = mode.get("bears")
        if (
            bears is None
            or not kinds
            or not all(routes.kind_matches(going.world, bears["who"], kind) for kind in kinds)
        ):
            continue
        places = {path[-1]}
        most = going.allowance(path[0]) if "home" in going.mode else None
        if most is not None:
            places = set(
                routes.homes(
                    going, path[-1], most - routes.spent_on(going, path) - going.mode.get("reserve", 0)
                )
            )
            if going.test("home", path[-1], f"{path[-2]}>{path[-1]}", path[:-1]):
                places.add(path[-1])
        if not places or not all(
            going.world.test(bears.get("where"), {"place": Entity("place", p)}) for p in places
        ):
            return None
        return Claim(mode, tuple(picks), frozenset(places), bool(going.mode.get("again")))
    return None


def refusal(turn: OrderContext, nation: str, claim: Claim, earlier: Sequence[Claim]) -> str | None:
    """Why units cannot come to live on others, or None: there is no room for so many of them beside those of
    earlier orders.
    """
    beside = [
        other for other in earlier if other.mode["id"] == claim.mode["id"] and other.again == claim.again
    ]
    room = _Room(turn, nation, claim.mode, [*beside, claim])
    for other in beside:
        room.take(other)
    free = room.take(claim)
    if free >= claim.count:
        return None
    if len(claim.places) == 1:
        return (
            f"there is room for {free} of them in "
            f"{routes.name_of(turn.world, 'places', next(iter(claim.places)))}"
        )
    others = " beside those of earlier orders" if beside else ""
    return f"there is room for {free} of them{others} where they could end"


class _Room:
    """The room on bearers, place by place where these are now and as what is still to come, and who has
    it.
    """

    def __init__(self, turn: OrderContext, nation: str, mode: MovementRow, claims: Sequence[Claim]) -> None:
        self.turn, self.nation, self.mode = turn, nation, mode
        moving = dict(pick for claim in claims for pick in claim.picks)
        ends = {place for claim in claims for place in claim.places}
        self.left: dict[str, int] = {}
        for at in ends | set(self._bearers()):
            borne = sum(int(row["n"]) - moving.get(key, 0) for key, row in borne_at(turn, mode, at, nation))
            self.left[at] = max(0, room_at(turn, mode, at, nation) - borne)
        self.expected = {p: _expected(turn, mode, p, nation) for p in ends}
        self.left[""] = max(self.expected.values(), default=0)
        self.open: list[frozenset[str]] = []  # for each unit that has a place the rooms that it could be in
        self.holds: list[str] = []

    def take(self, claim: Claim) -> int:
        """Give the units of a claim their places, others of theirs moving up if need be; tells how many have
        one.
        """
        rooms = frozenset(at for place in claim.places for at in self._rooms(place))
        for given in range(claim.count):
            self.open.append(rooms)
            self.holds.append("")
            if not self._place(len(self.open) - 1, set()):
                del self.open[-1], self.holds[-1]
                return given
        return claim.count

    def _place(self, unit: int, tried: set[str]) -> bool:
        for at in sorted(self.open[unit] - tried):
            tried.add(at)
            inside = [other for other, held in enumerate(self.holds) if held == f"@{at}" and other != unit]
            if len(inside) < self.left[at] or any(self._place(other, tried) for other in inside):
                self.holds[unit] = f"@{at}"
                return True
        return False

    def _rooms(self, place: str) -> list[str]:
        """The rooms that are there or can come to a place."""
        out = [place, *([""] if self.expected[place] else [])]
        comes = self.mode["bears"].get("comes")
        if comes is None:
            return out
        there = {"place": Entity("place", place)}
        for at, keys in self._bearers().items():
            if at != place and any(
                self.turn.world.test(comes, {**there, "unit": Entity("unit", key)}) for key in keys
            ):
                out.append(at)
        return out

    def _bearers(self) -> Mapping[str, list[str]]:
        """The nation's own bearers by where they are."""
        out: dict[str, list[str]] = {}
        for key, row in self.turn.state.stacks(owner=self.nation):
            if routes.kind_matches(self.turn.world, self.mode["bears"]["bearers"], row["kind"]):
                out.setdefault(row["place"], []).append(key)
        return out


def borne_at(turn: OrderContext, mode: MovementRow, place: str, owner: str) -> list[tuple[str, Fields]]:
    """The stacks of an owner that live on others at a place: those of the kinds that are in no force of
    another mode.
    """
    out = []
    for key, row in turn.state.stacks(at=place, owner=owner):
        mine = turn.state.get("forces", str(row.get("force", "")), "mode", mode["id"]) == mode["id"]
        if (
            mine
            and not row.get("aboard")
            and routes.kind_matches(turn.world, mode["bears"]["who"], row["kind"])
        ):
            out.append((key, row))
    return out


def room_at(turn: OrderContext, mode: MovementRow, place: str, owner: str) -> int:
    """How many units of an owner there is room for at a place: on their own bearers, and (`shared`) what
    allies have to spare.
    """
    hosts = sorted(turn.state.owners_at(place) - {owner}) if mode["bears"].get("shared") else []
    spare: list[int] = [
        _own_room(turn, mode, place, host)
        - sum(int(row["n"]) for _, row in borne_at(turn, mode, place, host))
        for host in hosts
        if turn.world.allied(host, owner)
    ]
    return _own_room(turn, mode, place, owner) + max(0, sum(spare))


def _own_room(turn: OrderContext, mode: MovementRow, place: str, owner: str) -> int:
    bears = mode["bears"]
    return sum(
        int(row["n"]) * int(turn.world.quantity(bears["room"], Entity("unit", key)))
        for key, row in turn.state.stacks(at=place, owner=owner)
        if routes.kind_matches(turn.world, bears["bearers"], row["kind"])
    )


def _settle_at(
    turn: Turn, mode: MovementRow, place: str, owner: str, entry: Entry | None, *,
    fighting: Collection[str] = (), way: str | None = None,
) -> list[Fields]:  # fmt: skip
    borne = borne_at(turn, mode, place, owner)
    there = {"place": Entity("place", place)}
    if not borne or not turn.world.test(mode["bears"].get("where"), there):
        return []
    room = room_at(turn, mode, place, owner) + _expected(turn, mode, place, owner)
    beyond = sum(int(row["n"]) for _, row in borne) - room - _about_to_go(turn, place, owner, borne)
    going = [(key, row) for key, row in borne if key not in fighting]
    if beyond <= 0 or not going:
        return []
    if entry is not None:
        return _part_with(turn, mode, going, beyond, way)
    with turn.journal.entry(
        f"movement/{mode['id']}", subject=f"{owner}:{place}", **forces.told(turn, mode, owner, None)
    ) as own:
        out = _part_with(turn, mode, going, beyond, way)
        own.data["without_room"] = out
        ends = joined([_end_of(turn, note) for note in out], "; ")
        full = "There is no room any more in {place} for all that live there on others: {ends}."
        own.tell(forces.told(turn, mode, owner, say(turn.world, full, **there, ends=ends))["says"])
        return out


def _about_to_go(turn: Turn, place: str, owner: str, borne: Sequence[tuple[str, Fields]]) -> int:
    """How many of those at a place are to leave it by an order that is still to be carried out."""
    ordered = forces.ordered_from(turn, owner, place)
    there: dict[str, int] = {}
    for _, row in borne:
        there[row["kind"]] = there.get(row["kind"], 0) + int(row["n"])
    return sum(min(n, ordered.get(kind, 0)) for kind, n in there.items())


def _end_of(turn: Turn, note: Row) -> Message:
    """What became of units without room: where they went, or that they are lost."""
    those = units(turn.world, {note["kind"]: note["n"]})
    if note["lost"]:
        return say(turn.world, "{units} lost", units=those)
    return say(turn.world, "{units} to {place}", units=those, place=Entity("place", note["to"]))


def _part_with(
    turn: Turn, mode: MovementRow, borne: list[tuple[str, Fields]], beyond: int, way: str | None
) -> list[Fields]:
    """So many of the stacks go: those that can fly home first go there, one by one as long as there is room,
    the others are lost.

    `way` is the mode by which they go, if it is not the `home` of `bears`.
    """
    bears = mode["bears"]
    home_by = turn.ruleset.rows("movement").get(way or bears.get("home", ""))
    ends: dict[tuple[str, str | None], int] = {}

    def aloft(key: str) -> bool:
        return turn.world.test(bears.get("aloft"), {"unit": Entity("unit", key)})

    for key, row in sorted(borne, key=lambda s: (aloft(s[0]), s[0])):
        n = min(beyond, int(row["n"]))
        beyond -= n
        flies = home_by is not None and aloft(key)
        while n > 0:
            to = _nearest(turn, row, key, home_by) if flies and home_by is not None else None
            part = n if to is None else 1
            ends[key, to] = ends.get((key, to), 0) + part
            n -= part
            if to is not None:
                turn.journal.alter_units(
                    key, part, **{**dict.fromkeys(forces.PASSING), "moved": True, "place": to}
                )
                continue
            turn.destroy(key, part, cause="bearers")
    kinds = dict(borne)
    out: list[Fields] = []
    for (key, to), n in ends.items():
        note = {"owner": kinds[key]["owner"], "kind": kinds[key]["kind"], "n": n, "stage": "bearers"}
        out.append({**note, "lost": True} if to is None else {**note, "to": to, "lost": False})
    return out


def _nearest(turn: Turn, row: Fields, key: str, mode: MovementRow) -> str | None:
    """The cheapest place that a unit of a stack can end in by a mode, the first by id; None if there is
    none.
    """
    found = homes_of(turn, routes.Going(turn.world, row["owner"], mode, [Entity("unit", key)]), row["place"])
    return min(found, key=lambda p: (found[p], p), default=None)


def _expected(turn: OrderContext, mode: MovementRow, place: str, owner: str) -> int:
    """Room for units of an owner at a place on bearers that may still come there, or will be placed
    (`expects`).
    """
    names = {"self": Entity("nation", owner), "place": Entity("place", place)}
    return int(turn.world.number(mode["bears"].get("expects", 0), names))
