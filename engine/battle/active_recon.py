"""Looking on order: units that an order sends to look at a place, the fire they draw, and what they find.

A row of `detection` with `reach` is done by orders (slots units, origin, target). `reach` says by kind or tag
which mode takes the lookers to the place (`same`: only the place they stand in). All who look have moved and
carry `marks` before anybody fires, so that nobody on such an order fires at others. Those in the place fire
first (`fire`), then one percentage is rolled for all who are left. The lookers are back where they stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..turn.context import Order, OrderContext, Turn
from ..turn.slots import unfit as unfit_order
from ..units import forces, passive_recon
from ..world import routes
from ..world.messages import say, units
from ..world.selections import id_of
from ..world.world import round_as


@dataclass(frozen=True, slots=True)
class Probe:
    """One order to look: who looks from where at which place."""

    order: Order
    picks: tuple[forces.Pick, ...]
    origin: str
    target: str

    @property
    def nation(self) -> str:
        return str(self.order["nation"])


def run(turn: Turn, rows: Sequence[Row]) -> None:
    """All orders of these rows: read on the state before the step, then each with its own dice."""
    left: dict[str, int] = {}
    probes: list[tuple[Row, Probe]] = []
    for row in rows:
        for order in turn.orders():
            form, _, id_ = order["order"].partition("/")
            if (
                form != "orders"
                or turn.ruleset.row_or_empty(form, id_).get("does") != row["id"]
                or order.get("status")
            ):
                continue
            why = unfit_order(turn, turn.ruleset.row(form, id_), order, turn.order_names(order))
            probe = why.text if why is not None else understand(turn, order, row, left)
            if isinstance(probe, Probe):
                probes.append((row, probe))
            else:
                turn.drop_order(order, probe)
    sent = [(row, send(turn, row, probe)) for row, probe in probes]
    numbers: dict[tuple[str, str], int] = {}
    looking: list[tuple[Row, Probe, dict[str, int]]] = []
    for row, probe in sent:
        about = (probe.nation, probe.target)
        numbers[about] = numbers.get(about, 0) + 1
        lookers = dict(probe.picks)
        for shots in row.get("fire", ()):
            draw_fire(turn, row, shots, probe, lookers, numbers[about])
        looking.append((row, probe, lookers))
    intercept(turn, [look for look in looking if "meets" in look[0]])
    for row, probe, lookers in looking:
        look(turn, row, probe, lookers)


# ---- who may look at what


def understand(turn: OrderContext, order: Order, row: Row, left: dict[str, int]) -> Probe | str:
    """One order to look, or why it cannot be. `left` counts what earlier orders leave of each stack."""
    world, slots, nation = turn.world, order.get("slots", {}), str(order["nation"])
    origin, target = str(slots.get("origin")), str(slots.get("target", slots.get("origin")))
    wanted = forces.wanted(slots.get("units", {}))
    if isinstance(wanted, str):
        return wanted
    picks = forces.pick_left(routes.free_stacks(world, nation, origin), wanted, left)
    if picks is None:
        return routes.too_few(world, nation, origin, wanted)
    if not world.test(row.get("of"), {"place": Entity("place", target), "self": Entity("nation", nation)}):
        return f"nobody looks at {routes.name_of(world, 'places', target)} this way"
    for key, _ in picks:
        why = unfit(turn, row, key) or _out_of_reach(turn, row, nation, key, origin, target)
        if why:
            return why
    forces.take(world.state, picks, left)
    return Probe(order, tuple(picks), origin, target)


def unfit(turn: OrderContext, row: Row, key: str) -> str | None:
    """Why a unit cannot look in the way of a row at all, or None."""
    if passive_recon.figure(turn, row.get("value", 0), Entity("unit", key), {}) > 0:
        return None
    name = routes.name_of(turn.world, "units", str(turn.world.state.get("units", key, "kind")))
    damage = turn.world.state.get("units", key, "damage", 0)
    return f"{name} {'so damaged ' if damage else ''}cannot look at it"


def _mode(turn: OrderContext, row: Row, kind: str) -> str:
    return str(
        next((mode for tag, mode in row["reach"].items() if tag in routes.tags_of(turn.world, kind)), "same")
    )


def _out_of_reach(
    turn: OrderContext, row: Row, nation: str, key: str, origin: str, target: str
) -> str | None:
    kind = str(turn.world.state.get("units", key, "kind"))
    how = _mode(turn, row, kind)
    if how == "same":
        return (
            None
            if origin == target
            else f"{routes.name_of(turn.world, 'units', kind)} looks only where it is"
        )
    going = routes.Going(turn.world, nation, turn.ruleset.row("movement", how), [Entity("unit", key)])
    path = routes.find_path(going, origin, target) if origin != target else (origin,)
    if path is None:
        return f"no way to {routes.name_of(turn.world, 'places', target)} is open"
    return routes.check_path(going, path) if len(path) > 1 else None


def choices(turn: OrderContext, order: Order, row: Row, kinds: Sequence[str]) -> tuple[list[str], list[str]]:
    """What could be ordered instead: (kinds at the origin that can look, places that the ordered kinds can
    look at).
    """
    nation, origin = str(order["nation"]), str(order.get("slots", {}).get("origin"))
    free = {str(r["kind"]): k for k, r in reversed(routes.free_stacks(turn.world, nation, origin))}
    able = sorted(kind for kind, key in free.items() if unfit(turn, row, key) is None)
    ends: set[str] | None = None
    for kind in kinds:
        if kind not in able:
            return able, []
        here = _ends(turn, row, nation, free[kind], origin)
        ends = here if ends is None else ends & here
    names = {"self": Entity("nation", nation)}
    others = [p for p in sorted(ends or ()) if not turn.world.friendly_place(nation, p)]
    return able, [p for p in others if turn.world.test(row.get("of"), {**names, "place": Entity("place", p)})]


def _ends(turn: OrderContext, row: Row, nation: str, key: str, origin: str) -> set[str]:
    how = _mode(turn, row, str(turn.world.state.get("units", key, "kind")))
    if how == "same":
        return {origin}
    going = routes.Going(turn.world, nation, turn.ruleset.row("movement", how), [Entity("unit", key)])
    return {
        place
        for place, (_, path) in routes.ways(going, origin).items()
        if routes.check_path(going, path) is None
    }


# ---- what comes of it


def send(turn: Turn, row: Row, probe: Probe) -> Probe:
    """The lookers have moved and are marked; gives the order with the stacks as they are now."""
    names = {"self": Entity("nation", probe.nation), "place": Entity("place", probe.target)}
    marks = {k: _value(turn, v, names) for k, v in row.get("sets", {}).items()}
    subject = f"{probe.nation}:{probe.origin}>{probe.target}"
    picks: dict[str, int] = {}
    with turn.journal.entry(probe.order["order"], subject=subject, audience=(probe.nation,)):
        for key, n in probe.picks:
            new = turn.journal.alter_units(key, n, moved=True, **marks)
            picks[new] = picks.get(new, 0) + n
        turn.journal.set("orders", probe.order["key"], "status", "done")
    return Probe(probe.order, tuple(sorted(picks.items())), probe.origin, probe.target)


def _value(turn: Turn, value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("="):
        return id_of(turn.world.value(value[1:], names))
    return value


def draw_fire(turn: Turn, row: Row, shots: Row, probe: Probe, lookers: dict[str, int], number: int) -> None:
    """Each unit in the place that may fire rolls once; hits are taken by the lookers that it can hit.

    `lookers` is updated.
    """
    state, target = turn.state, probe.target
    at = [
        k
        for k in lookers
        if routes.kind_matches(turn.world, shots.get("at"), str(state.get("units", k, "kind")))
    ]
    foes = sorted(o for o in state.owners_at(target) if turn.world.hostile(probe.nation, o))
    firing: dict[str, int] = {}
    for key, stack in state.stacks(at=target):
        names = {
            "unit": Entity("unit", key),
            "place": Entity("place", target),
            "self": Entity("nation", stack["owner"]),
        }
        if stack["owner"] in foes and turn.world.test(shots.get("who"), names):
            firing[stack["owner"]] = firing.get(stack["owner"], 0) + int(stack["n"])
    if not at or not firing:
        return
    rule, subject = f"detection/{row['id']}", f"{probe.nation}>{target}:{number}:fire"
    parties = tuple(sorted({probe.nation, *firing}))
    with turn.journal.entry(rule, subject=subject, audience=parties, data={"place": target}) as entry:
        stream = turn.stream(rule, subject, entry.audience)
        upto = int(shots.get("at_most", 1))
        hits = []
        for owner, n in sorted(firing.items()):
            rolled = [stream.roll(shots.get("die", "1d10"), upto) for _ in range(n)]
            hits += [owner for face in rolled if face <= upto]
        record = stream.take()
        if record is not None:
            entry.dice.append({**record, "need": f"{upto} or less", "hit": bool(hits)})
        first = _loss_order(row, probe.order)
        lost = _take_hits(turn, shots, probe, lookers, set(at), hits, first)
        entry.data.update(shots=sum(firing.values()), hits=len(hits), lost=lost)
        gone = {"lost": units(turn.world, lost)} if lost else {}
        told = (
            "Units that look at {place} are fired at: {shots} shots, {hits} "
            f"hits{', {lost} lost' if lost else ''}."
        )
        about = {"place": Entity("place", target), "shots": sum(firing.values()), "hits": len(hits)}
        entry.tell(say(turn.world, told, **about, **gone))


def _take_hits(
    turn: Turn,
    shots: Row,
    probe: Probe,
    lookers: dict[str, int],
    at: set[str],
    hits: Sequence[str],
    first: Sequence[str],
) -> dict[str, int]:
    """Hits upon lookers, one unit each: the kinds of `first` first, then who survives a hit, then the least
    valued.
    """
    lose, lost = shots.get("lose"), dict[str, int]()

    def rank(key: str) -> tuple[Any, ...]:
        kind, unit = str(turn.state.get("units", key, "kind")), Entity("unit", key)
        worth = passive_recon.figure(turn, lose, unit, {}) if lose else 0
        return (
            first.index(kind) if kind in first else len(first),
            _stands(turn, shots, key) <= 1,
            worth,
            key,
        )

    for owner in hits:
        here = sorted((k for k in at if lookers.get(k)), key=rank)
        if not here:
            break
        key = here[0]
        stack = dict(turn.state.row("units", key))
        lookers[key] -= 1
        if not lookers[key]:
            del lookers[key]
        if _stands(turn, shots, key) > 1:
            new = turn.journal.alter_units(key, 1, damage=int(stack.get("damage", 0)) + 1)
            lookers[new] = lookers.get(new, 0) + 1
            at.add(new)
            continue
        turn.destroy(key, 1, cause="seen looking", place=probe.target, by=owner)
        lost[stack["kind"]] = lost.get(stack["kind"], 0) + 1
    return dict(sorted(lost.items()))


def _stands(turn: Turn, shots: Row, key: str) -> int:
    """How many more hits a unit takes before it is gone (`hits`: the stat that says how many in all)."""
    if "hits" not in shots:
        return 1
    most = passive_recon.figure(turn, shots["hits"], Entity("unit", key), {}) or 1
    return int(most) - int(turn.state.get("units", key, "damage", 0))


def _loss_order(row: Row, order: Order) -> list[str]:
    """The kinds that an order wants lost first, by the option that the row names."""
    value = (order.get("options") or {}).get(row.get("options", {}).get("order"), ())
    return [value] if isinstance(value, str) else [str(v) for v in value]


def intercept(turn: Turn, looking: Sequence[tuple[Row, Probe, dict[str, int]]]) -> None:
    """Lookers whom the row's `meets` lets somebody meet fight the battle it names, over the place that they
    look at.

    They are a force there for as long as it lasts; who is left looks, who has turned back does not. `lookers`
    is updated.
    """
    out: list[tuple[Row, Probe, dict[str, int], str]] = []
    for row, probe, lookers in looking:
        at = {
            k: n
            for k, n in lookers.items()
            if routes.kind_matches(turn.world, row["meets"]["who"], str(turn.state.get("units", k, "kind")))
        }
        names = {"place": Entity("place", probe.target), "self": Entity("nation", probe.nation)}
        if at and turn.world.test(row["meets"].get("when"), names):
            out.append((row, probe, lookers, _go_out(turn, row, probe, at)))
            for key in at:
                del lookers[key]
    from .encounters import contested  # with all that fights

    # with all that fights: who asks only whether somebody may look needs none of it
    from .fight import fight_all

    for battle in dict.fromkeys(str(row["meets"]["battle"]) for row, _, _, _ in out):
        fight_all(turn, contested(turn, turn.ruleset.row("battles", battle)))
    for _, probe, lookers, force in out:
        lookers.update(_come_back(turn, probe, force))


def _go_out(turn: Turn, row: Row, probe: Probe, at: Mapping[str, int]) -> str:
    """Lookers as a force over the place that they look at, with what is left of their allowance."""
    kind = str(turn.state.get("units", next(iter(at)), "kind"))
    mode = turn.ruleset.row("movement", _mode(turn, row, kind))
    going = routes.Going(turn.world, probe.nation, mode, [Entity("unit", k) for k in at])
    path = routes.find_path(going, probe.origin, probe.target) or (probe.origin, probe.target)
    subject = f"{probe.nation}:{probe.origin}>{probe.target}"
    with turn.journal.entry(probe.order["order"], subject=subject, audience=(probe.nation,)):
        force = forces.create(
            turn,
            probe.nation,
            probe.origin,
            sorted(at.items()),
            to=probe.target,
            order=probe.order["key"],
            mode=mode["id"],
            options=probe.order.get("options") or {},
            targets=[probe.target],
        )
        kept = {
            key: routes.kept_of(going, Entity("unit", key), path)
            for key, _ in forces.stacks_of(turn.state, force)
        }
        forces.go(turn, force, path, kept.__getitem__)
    return force


def _come_back(turn: Turn, probe: Probe, force: str) -> dict[str, int]:
    """A force of lookers is back where it set out; gives those who stayed until they could look."""
    out: dict[str, int] = {}
    subject = f"{probe.nation}:{probe.origin}>{probe.target}"
    with turn.journal.entry(probe.order["order"], subject=subject, audience=(probe.nation,), keep=False):
        for key, stack in forces.stacks_of(turn.state, force):
            home = {**dict.fromkeys(forces.PASSING), "moved": True, "place": probe.origin}
            new = turn.journal.alter_units(key, stack["n"], **home)
            out[new] = out.get(new, 0) + int(stack["n"])
        if turn.state.row("forces", force):
            turn.journal.put_row("forces", force, None)
    return out


def look(turn: Turn, row: Row, probe: Probe, lookers: Mapping[str, int]) -> None:
    """One roll for all who are left; with nobody left nothing is rolled."""
    nation, target = probe.nation, probe.target
    there = Entity("place", target)
    rule, subject = f"detection/{row['id']}", f"{nation}:{probe.origin}>{target}:{probe.order['key']}"
    with turn.journal.entry(rule, subject=subject, audience=(nation,), data={"place": target}) as entry:
        stream = turn.stream(rule, subject, entry.audience)
        percent = chance(turn, row, lookers)
        success = bool(lookers) and stream.roll(row.get("die", "1d100"), percent) <= percent
        record = stream.take()
        if record is not None:
            entry.dice.append({**record, "need": f"{percent} or less", "hit": success})
        entry.data.update(chance=percent, seen=success)
        if not success:
            entry.tell(say(turn.world, "Nothing was learnt of {place}.", place=there))
            return
        known, of_mates = _found(turn, nation, target)
        about = f"{row.get('know', 'units')}:{target}"
        turn.journal.set("knowledge", nation, about, known)
        if of_mates or turn.state.get(passive_recon.OF_MATES, nation, about):
            turn.journal.set(passive_recon.OF_MATES, nation, about, of_mates or None)
        entry.data["units"] = known["units"]
        seen = {"units": units(turn.world, known["units"])} if known["units"] else {}
        entry.tell(
            say(turn.world, "{here}: {units} seen." if seen else "{here}: no units seen.", here=there, **seen)
        )


def chance(turn: Turn, row: Row, lookers: Mapping[str, int]) -> int:
    """The percentage with which these stacks see together what they look at."""
    miss = Fraction(1)
    for key, n in sorted(lookers.items()):
        value = Fraction(passive_recon.figure(turn, row.get("value", 0), Entity("unit", key), {}))
        miss *= max(Fraction(0), 1 - value / 100) ** n
    return int(round_as((1 - miss) * 100, row.get("round", "nearest")))


def _found(turn: Turn, nation: str, target: str) -> tuple[dict[str, Any], dict[str, int]]:
    """All units of others in a place, and how many of them are at war with the looker if not all are; and how
    many are at war with each other nation of its side, if that is not as many."""
    there = [
        stack for _, stack in turn.state.stacks(at=target) if not turn.world.allied(nation, stack["owner"])
    ]
    units = forces.by_kind((stack["kind"], stack["n"]) for stack in there)
    n = sum(units.values())
    known: dict[str, Any] = {"since": turn.number, "as": "exact", "units": units, "n": n}
    known |= passive_recon.own_foes(turn, nation, there, n)
    mates = [mate for mate in passive_recon.side_of(turn, nation) if mate != nation]
    by_mate = {mate: passive_recon.own_foes(turn, mate, there, n).get("foes", n) for mate in mates}
    return known, by_mate if any(foes != known.get("foes", n) for foes in by_mate.values()) else {}
