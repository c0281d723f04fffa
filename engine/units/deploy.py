"""`deploy`: before play begins, nations put the free part of their units where they want them; all is shown
at once.

The table `chosen` of the state says which units are free and where they stand if their nation says nothing.
An order names units and a place (slots `units`, `target`); what its row needs is tested like that of any
order. Those that no order names keep their places. When all is laid out, enemies who may not stand together
are parted (`apart`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.frame import step_name, steps
from ..core.journal import EVERYONE
from ..core.messages import Message, joined
from ..core.model import SEQUENCE, Row, Ruleset, derived_of
from ..core.rows import DecisionRow
from ..core.state import Entity, unit_key
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import Order, OrderContext, Turn
from ..turn.decisions import decide
from ..turn.slots import unfit
from ..turn.validated_orders import Refusal, RefusalCode
from ..world import routes
from ..world.messages import say, units_in
from ..world.selections import as_set, id_of
from ..world.world import World

UNITS, TARGET = "units", "target"

Places = dict[str, int]
"""Place -> how many units of one kind."""

Group = tuple[str, str]
"""A place, and a nation of which units stand there."""


def run(node: Row, turn: Turn) -> None:
    """Carry out the orders of the step nation by nation, part enemies, and let the turn begin with what
    stands then.

    `free` is how many of `n` units of a kind a nation may place (default: all); `apart` says in which places
    enemies may not stand together (`where`), and which decision finds them other ones.
    """
    step = step_name(node)
    told = False
    for nation in turn.world.nations():
        layout = UnitLayout(turn, nation, node)
        for order in [o for o in turn.orders(None, nation) if deploys(turn.ruleset, o["order"]) == node]:
            why = layout.refusal(order)
            if why is not None:
                turn.drop_order(order, why.text, why.code)
                continue
            layout.take(order)
            with turn.journal.entry(order["order"], subject=nation, audience=(nation,)):
                turn.journal.set("orders", order["key"], "status", "done")
        told = _lay_out(turn, layout) or told
    with turn.journal.entry(f"sequence/{step}", keep=False) as entry:
        for key in sorted(turn.state.table("chosen")):
            turn.journal.put_row("chosen", key, None)
    if "apart" in node:
        _move_apart(turn, node["apart"], step)
    if told:
        with turn.journal.entry(f"sequence/{step}", audience=(EVERYONE,), data={"told": True}) as entry:
            entry.tell(Message("All have deployed their units."))
    turn.world.remember("turn", turn.state.copy())


def deploys(ruleset: Ruleset, order: str) -> Row | None:
    """The step of the sequence of play that lays out units by an order ("form/id"), or None if it is no such
    order.
    """
    form, _, id_ = order.partition("/")
    if form != "orders":
        return None
    return _steps_that_deploy(ruleset).get(str(ruleset.row_or_empty("orders", id_).get("step", "")))


@derived_of(SEQUENCE)
def _steps_that_deploy(ruleset: Ruleset) -> dict[str, Row]:
    return {step_name(node): node for node in steps(ruleset.sequence) if node["do"] == "deploy"}


def pool(world: World, nation: str, node: Row) -> dict[str, Places]:
    """The units that a nation may place: kind -> place where they stand -> number.

    Where the table `chosen` says nothing of the nation, its free part is taken where most of a kind stand.
    """
    out: dict[str, Places] = {}
    for _, row in sorted(world.state.table("chosen").items()):
        if row["owner"] == nation:
            here = out.setdefault(row["kind"], {})
            here[row["place"]] = here.get(row["place"], 0) + int(row["n"])
    if out:
        return out
    for _, row in world.state.stacks(owner=nation):
        here = out.setdefault(row["kind"], {})
        here[row["place"]] = here.get(row["place"], 0) + int(row["n"])
    return {
        kind: _most(there, free_of(world, nation, kind, sum(there.values()), node))
        for kind, there in sorted(out.items())
    }


def free_of(world: World, nation: str, kind: str, n: int, node: Row) -> int:
    """How many of its `n` units of a kind a nation may place itself."""
    me = Entity("nation", nation)
    names = {"self": me, "nation": me, "unit": Entity("unit", unit_key(nation, kind, "")), "n": n}
    return int(world.value(str(node["free"]), names)) if "free" in node else n


def _most(there: Mapping[str, int], wanted: int) -> Places:
    """So many out of what stands in places, one after the other from where most are left."""
    left, out = dict(there), dict.fromkeys(there, 0)
    for _ in range(min(wanted, sum(left.values()))):
        place = max(left, key=lambda p: (left[p], p))
        left[place] -= 1
        out[place] += 1
    return {p: n for p, n in sorted(out.items()) if n}


@dataclass(slots=True)
class UnitLayout:
    """Where one nation's free units come to stand, order by order."""

    context: OrderContext
    nation: str
    node: Row
    there: dict[str, Places] = field(init=False)
    named: dict[str, Places] = field(default_factory=dict)
    rule: str = ""

    def __post_init__(self) -> None:
        self.there = pool(self.context.world, self.nation, self.node)

    def left(self) -> dict[str, int]:
        """How many of each kind are still to be placed."""
        taken = {kind: sum(places.values()) for kind, places in self.named.items()}
        return {kind: sum(there.values()) - taken.get(kind, 0) for kind, there in self.there.items()}

    def refusal(self, order: Order, *, secrets: bool = True) -> Refusal | None:
        """Why an order cannot be carried out, or None.

        Without `secrets` only the needs are tested that its nation may test.
        """
        row = self.context.ruleset.row("orders", order["order"].partition("/")[2])
        names = self.context.order_names(order)
        why = unfit(self.context, row, order, names, secrets=secrets)
        if why is not None:
            return replace(why, slot=TARGET)
        left, world = self.left(), self.context.world
        for kind, n in sorted(order["slots"][UNITS].items()):
            most = left.get(kind, 0)
            if int(n) > most:
                free = sum(self.there.get(kind, {}).values())
                what = routes.units_name(world, kind, free)
                more = "" if free == most else f", {most} after the orders before"
                text = f"{free} {what} may be placed freely{more}, {n} ordered"
                return Refusal(RefusalCode.UNITS, text, UNITS, f"at most {most}" if most else "")
        return None

    def take(self, order: Order) -> None:
        """Count an order that stands."""
        place = str(order["slots"][TARGET])
        self.rule = self.rule or str(order["order"])
        for kind, n in order["slots"][UNITS].items():
            here = self.named.setdefault(kind, {})
            here[place] = here.get(place, 0) + int(n)

    def moves(self) -> dict[str, tuple[Places, Places]]:
        """Kind -> how many leave which places, and how many come to which.

        Those named for a place where they stand already stay; the others are taken from where most are left.
        """
        out = {}
        for kind, named in sorted(self.named.items()):
            there = self.there[kind]
            come = {p: n - there.get(p, 0) for p, n in named.items() if n > there.get(p, 0)}
            spare = {p: n - named.get(p, 0) for p, n in there.items() if n > named.get(p, 0)}
            out[kind] = (_most(spare, sum(come.values())), come)
        return out


def targets(world: World, nation: str, row: Row, kind: str) -> list[str]:
    """The places where an order may put a unit of a kind, in order."""
    context = OrderContext(world)

    def allowed(place: str) -> bool:
        slots = {UNITS: {kind: 1}, TARGET: place}
        order = {"nation": nation, "order": f"orders/{row['id']}", "slots": slots}
        return unfit(context, row, order, context.order_names(order), secrets=False) is None

    return world.keep(
        ("places to deploy", nation, row["id"], kind),
        None,
        lambda: [p for p in sorted(world.ruleset.rows("places")) if allowed(p)],
    )


def _lay_out(turn: Turn, layout: UnitLayout) -> bool:
    """Move the units of a nation to the places that its orders name. False if there were none."""
    if not layout.named:
        return False
    with turn.journal.entry(layout.rule, subject=layout.nation, audience=(layout.nation,)) as entry:
        for kind, (leave, come) in layout.moves().items():
            taken: list[tuple[Mapping[str, Any], int]] = []
            for place, n in sorted(leave.items()):
                taken += _lift(turn, layout.nation, kind, place, n)
            for place, n in sorted(come.items()):
                _set_down(turn, taken, place, n)
        placed: dict[str, Places] = {}
        for kind, there in sorted(layout.named.items()):
            for place, n in there.items():
                placed.setdefault(place, {})[kind] = n
        entry.data["placed"] = dict(sorted(placed.items()))
        parts = [
            units_in(turn.world, kinds, Entity("place", place))
            for place, kinds in entry.data["placed"].items()
        ]
        entry.tell(say(turn.world, "Deployed: {units}.", units=joined(parts, "; ")))
    return True


def _lift(turn: Turn, nation: str, kind: str, place: str, n: int) -> list[tuple[Mapping[str, Any], int]]:
    """Take units of a kind off the map, plain ones first: the rows they had, and how many of each."""
    out: list[tuple[Mapping[str, Any], int]] = []
    here = [(k, dict(r)) for k, r in turn.state.stacks(at=place, owner=nation) if r["kind"] == kind]
    for _, row in sorted(here, key=lambda s: (len(s[1]), s[0])):
        part = min(n, int(row["n"]))
        if part:
            turn.journal.units(nation, kind, place, -part, **_extra(row))
            out.append((row, part))
            n -= part
    return out


def _set_down(turn: Turn, taken: list[tuple[Mapping[str, Any], int]], place: str, n: int) -> None:
    while n:
        row, there = taken.pop(0)
        part = min(n, there)
        turn.journal.units(row["owner"], row["kind"], place, part, **_extra(row))
        n -= part
        if there > part:
            taken.insert(0, (row, there - part))


def _extra(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k not in ("owner", "kind", "place", "n")}


# ---- enemies in one place


def _move_apart(turn: Turn, rule: Row, step: str) -> None:
    """Units that stand with an enemy where enemies may not meet go to another place, all at once.

    Each goes where the decision says, out of the places that no enemy has; of enemies who would meet again
    a draw says who goes there, and the others choose again.
    """
    row = turn.ruleset.row("decisions", rule["decision"])
    leaving: list[Group] = []
    for place in sorted({stack["place"] for _, stack in turn.state.stacks()}):
        leaving += [(place, nation) for nation in _at_odds(turn, rule, place)]
    for (place, nation), target in sorted(_where_each_goes(turn, rule, row, leaving).items()):
        if target is None:
            continue
        with turn.journal.entry(
            f"decisions/{row['id']}", subject=f"{nation}:{place}", audience=(nation,)
        ) as entry:
            for key, stack in list(turn.state.stacks(at=place, owner=nation)):
                turn.journal.alter_units(key, int(stack["n"]), place=target)
            entry.data.update({"from": place, "to": target, "step": step})
            about = {
                "place": Entity("place", place),
                "nation": Entity("nation", nation),
                "goal": Entity("place", target),
            }
            entry.tell(say(turn.world, "Enemies met in {place}: those of {nation} go to {goal}.", **about))


def _where_each_goes(
    turn: Turn, rule: Row, row: DecisionRow, leaving: Sequence[Group]
) -> dict[Group, str | None]:
    """The place that each group goes to, None where none is open to it: no two that are enemies to the
    same.
    """
    staying = {
        place: set(turn.state.owners_at(place)) - {nation for at, nation in leaving if at == place}
        for place in turn.ruleset.rows("places")
    }
    shut: dict[Group, set[str]] = {group: {group[0]} for group in leaving}
    goes: dict[Group, str | None] = {}
    while True:
        for group in [g for g in leaving if g not in goes]:
            goes[group] = _choose(turn, row, rule, group, staying, shut[group])
        clashes = _clashes(turn.world, goes)
        if not clashes:
            return goes
        for target, groups in sorted(clashes.items()):
            first = _draw(turn, row, target, sorted(groups))
            for group in groups:
                if turn.world.hostile(group[1], first[1]):
                    shut[group].add(target)
                    del goes[group]


def _clashes(world: World, goes: Mapping[Group, str | None]) -> dict[str, set[Group]]:
    """The places to which enemies would go, each with those who would meet there."""
    out: dict[str, set[Group]] = {}
    for one, target in goes.items():
        for other, its_target in goes.items():
            if target is not None and its_target == target and world.hostile(one[1], other[1]):
                out.setdefault(target, set()).update((one, other))
    return out


def _draw(turn: Turn, row: Row, target: str, groups: list[Group]) -> Group:
    """Who of those that would meet in a place goes there: drawn, so that none is preferred."""
    rule = f"decisions/{row['id']}"
    stream = turn.stream(rule, target)
    found = stream.choice(groups)
    with turn.journal.entry(rule, subject=target) as entry:
        record = stream.take()
        if record is not None:
            entry.dice.append({**record})
        entry.data["drawn"] = list(found)
    return found


def _at_odds(turn: Turn, rule: Row, place: str) -> list[str]:
    """The owners at a place that have an enemy there, if enemies may not meet in it."""
    owners = sorted(turn.state.owners_at(place))
    found = [n for n in owners if any(turn.world.hostile(n, o) for o in owners)]
    return found if found and turn.world.test(rule["where"], {"place": Entity("place", place)}) else []


def _choose(
    turn: Turn,
    row: DecisionRow,
    rule: Row,
    group: Group,
    staying: Mapping[str, set[str]],
    shut: set[str],
) -> str | None:
    """Where those of a nation go that may not stay in a place; None if no place is open to them."""
    world, (place, nation) = turn.world, group
    me = Entity("nation", nation)
    names = {"self": me, "nation": me, "place": Entity("place", place)}
    source: Any = row.get("from", [])
    listed: Sequence[Any] = (
        source if isinstance(source, list) else as_set(world, world.value(strip_mark(source), names))
    )

    def is_open(p: str) -> bool:
        return p not in shut and not any(world.hostile(nation, o) for o in staying[p])

    options = [str(id_of(p)) for p in listed if is_open(str(id_of(p)))]
    if not options:  # none of the places that the rule names: the nearest where they meet no enemy
        options = [
            p
            for p in sorted(staying)
            if is_open(p) and world.test(rule["where"], {"place": Entity("place", p)})
        ]
    if not options:
        return None
    stream = lambda: turn.stream(f"decisions/{row['id']}", f"{nation}:{place}", (nation,))  # noqa: E731
    return str(decide(turn, row, names, stream, options=options, who=nation, subject=place))
