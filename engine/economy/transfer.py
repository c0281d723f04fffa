"""`transfer`: resources go from store to store: between a nation's own treasuries over routes, as gifts, and
by levies.

All that is sent is taken first, on the state before the step; what arrives is given at the end. Orders name
by `does` a row of `transfers`: a route (slots amount, origin, target, via) or a gift (amount, target); levies
collect what agreements say.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core.dice import Stream
from ..core.journal import Entry
from ..core.messages import Message
from ..core.model import Row, Ruleset
from ..core.rows import TransferRow
from ..core.state import Entity, pair_key
from ..turn.context import Order, OrderContext, Turn
from ..turn.slots import unfit
from ..turn.validated_orders import Refusal, RefusalCode
from ..units import forces, task_forces
from ..units.passive_recon import figure
from ..world import routes
from ..world import treasury as stores
from ..world.amounts import amount
from ..world.disjoint_paths import Lane, joined, shortest_lanes
from ..world.messages import much, say
from ..world.world import World, round_as

Arrival = tuple[str, str, Any]
"""A treasury, a resource and an amount that is credited when the step ends."""


def run(node: Row, turn: Turn) -> None:
    """Carry out the transfers of a step:

    `rows` names routes, gifts and levies (absent: all), in a nation's own turn its only.
    """
    named = set(node["rows"]) if "rows" in node else None
    arrivals: list[Arrival] = []
    raiders: dict[str, int] = {}
    for order, row in _orders(turn, named):
        if row["kind"] == "gift":
            arrivals.extend(_gift(turn, order, named))
        else:
            arrivals.extend(_by_route(turn, order, row, raiders))
    for id_, levy in turn.ruleset.of_kind("transfers", "levy").items():
        if named is None or id_ in named:
            arrivals.extend(_levy(turn, levy))
    if arrivals:
        with turn.journal.entry("sequence/" + turn.journal.step, audience=("nobody",)):
            for purse, what, sum_ in arrivals:
                stores.gain(turn.journal, purse, what, sum_)


def _orders(turn: Turn, named: set[str] | None) -> list[tuple[Order, TransferRow]]:
    """The open orders of the step that are understood; the others are dropped with a reason."""
    out = []
    for order in turn.orders(nation=turn.mover):
        row = row_of(turn.ruleset, order["order"])
        if row is None or order.get("status") is not None or (named is not None and row["id"] not in named):
            continue
        why = refusal(turn, order, named)
        if why is None:
            out.append((order, row))
        else:
            turn.drop_order(order, why.text, why.code)
    return out


def row_of(ruleset: Ruleset, key: str) -> TransferRow | None:
    """The route or gift that an order ("form/id") sends by; None if it sends nothing."""
    form, _, id_ = key.partition("/")
    does = ruleset.row_or_empty(form, id_).get("does", "") if form == "orders" else ""
    row = ruleset.rows("transfers").get(does)
    return row if row is not None and row["kind"] in ("route", "gift") else None


def refusal(
    turn: OrderContext, order: Order, named: set[str] | None = None, *, secrets: bool = True
) -> Refusal | None:
    """Why nothing can be sent by an order, or None; without `secrets` as its nation may test it."""
    row = turn.ruleset.row("orders", order["order"].partition("/")[2])
    names = turn.order_names(order)
    why = unfit(turn, row, order, names, secrets=secrets)
    sent_by = row_of(turn.ruleset, order["order"])
    if why is not None or sent_by is None:
        return why
    if sent_by["kind"] == "gift":
        return _no_gift(turn, order, named)
    return _no_route(turn, order, sent_by)


def _sum(order: Order) -> int:
    return int(order.get("slots", {}).get("amount", 0))


# ---- gifts


def gift_row(turn: OrderContext, giver: str, to: str, named: set[str] | None = None) -> Row | None:
    """The first gift under which one nation may give to another, or None."""
    names = {"self": Entity("nation", giver), "target": Entity("nation", to)}
    for id_, row in turn.ruleset.of_kind("transfers", "gift").items():
        if (named is None or id_ in named) and turn.world.test(row.get("when"), names):
            return row
    return None


def _no_gift(turn: OrderContext, order: Order, named: set[str] | None) -> Refusal | None:
    giver, to, sum_ = str(order["nation"]), str(order["slots"]["target"]), _sum(order)
    row = gift_row(turn, giver, to, named)
    if row is None or giver == to:
        return Refusal(RefusalCode.UNMET, "no gift can be made to them", "target")
    if sum_ <= 0:
        return Refusal(RefusalCode.NUMBER, "it names no amount", "amount")
    purse = stores.purse_at(turn.world, giver, order["slots"].get("origin"), row["what"])
    have = turn.state.get("treasuries", purse, row["what"], 0)
    return Refusal(RefusalCode.MEANS, f"costs {sum_}, {have} left", "amount") if sum_ > have else None


def _gift(turn: Turn, order: Order, named: set[str] | None) -> list[Arrival]:
    giver, to, sum_ = str(order["nation"]), str(order["slots"]["target"]), _sum(order)
    why = _no_gift(turn, order, named)  # what other orders of the step have paid counts
    row = gift_row(turn, giver, to, named)
    if why is not None or row is None:
        turn.drop_order(order, str(why))
        return []
    what = row["what"]
    purse = stores.purse_at(turn.world, giver, order["slots"].get("origin"), what)
    arrives = round_as(sum_ * Fraction(turn.world.number(row.get("arrives", 1), {})), row.get("round"))
    where = stores.purse_at(turn.world, to, None, what)
    us, them = Entity("nation", giver), Entity("nation", to)
    data = {"amount": sum_, "arrives": str(arrives), "to": to, "what": what}
    told = "{giver} {gives|give} {sum}; {arrives} arrive with {receiver}."
    says = say(turn.world, told, giver=us, sum=sum_, arrives=arrives, receiver=them)
    with turn.journal.entry(
        f"transfers/{row['id']}", subject=f"{giver}:{to}", says=says, audience=(giver, to), data=data
    ):
        stores.pay(turn.journal, purse, what, sum_)
        turn.journal.set("orders", order["key"], "status", "done")
        turn.journal.fact("paid", by=giver, of=to, what=what, amount=sum_)
    return [(where, what, arrives)]


# ---- levies


def _levy(turn: Turn, row: Row) -> list[Arrival]:
    """What agreements under this levy are due this turn: a share of the payer's figure, split by the payees'
    weights.
    """
    out: list[Arrival] = []
    for key, agreement in sorted(turn.state.table("agreements").items()):
        if agreement.get("levy") != row["id"]:
            continue
        payer = str(agreement["from"])
        if turn.mover not in (None, payer):
            continue
        to = agreement["to"] if isinstance(agreement["to"], dict) else dict.fromkeys(agreement["to"], 1)
        weights = {p: w for p, w in to.items() if turn.world.alive(p)}
        names = {"self": Entity("nation", payer), "nation": Entity("nation", payer)}
        over = not weights or not turn.world.alive(payer)
        over = over or any(
            turn.world.test(row.get("until", "False"), {**names, "target": Entity("nation", p)})
            for p in weights
        )
        left = int(agreement.get("left") or row.get("turns", 1))
        with turn.journal.entry(
            f"transfers/{row['id']}", subject=key, audience=(payer, *sorted(weights))
        ) as entry:
            if over or left <= 0:
                turn.journal.put_row("agreements", key, None)
                continue
            base = turn.world.figure(row["of"], names)
            due = round_as(
                Fraction(base) * Fraction(turn.world.number(row["share"], names)), row.get("round", "down")
            )
            paid = _take(turn, payer, row["what"], due)
            for payee, part in split(paid, weights).items():
                out.append((stores.purse_at(turn.world, payee, None, row["what"]), row["what"], part))
            entry.tell(_levied(turn, row, payer, paid, due))
            entry.data.update(due=str(due), paid=str(paid))
            turn.journal.put_row("agreements", key, {**agreement, "left": left - 1} if left > 1 else None)
    return out


def _levied(turn: Turn, row: Row, payer: str, paid: Any, due: Any) -> Message | None:
    """What was paid under a levy, and of what if that was more; nothing where nothing was due."""
    if not due:
        return None
    part = "{due}" if paid == due else "{paid} of {due} due"
    about = {**({} if paid == due else {"paid": paid}), **({"levy": row["name"]} if "name" in row else {})}
    told = f"{{nation}} {{pays|pay}} {part}{' ({levy})' if 'name' in row else ''}."
    return say(
        turn.world, told, nation=Entity("nation", payer), due=much(turn.world, due, row["what"]), **about
    )


def _take(turn: Turn, nation: str, what: str, wanted: Any) -> Any:
    """Take an amount out of the treasuries from which a nation pays, as far as it goes."""
    taken: Any = 0
    for purse, there in stores.paying(turn.world, nation, what).items():
        part = min(wanted - taken, there)
        if part > 0:
            stores.pay(turn.journal, purse, what, part)
            taken += part
    return taken


def split(whole: Any, weights: dict[str, Any]) -> dict[str, Any]:
    """Whole points by weight (alike if nobody has any), rounded down; what is left goes to the heaviest, then
    the first by id.
    """
    if not weights:
        return {}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1)
    total = sum(weights.values())
    out = {p: int(Fraction(whole) * Fraction(w) / Fraction(total)) for p, w in sorted(weights.items())}
    out[min(weights, key=lambda p: (-weights[p], p))] += whole - sum(out.values())
    return {p: n for p, n in out.items() if n}


# ---- routes


def _ends(turn: OrderContext, order: Order, what: str) -> tuple[str, str]:
    """Where a route begins and ends; without an origin it begins at what was the nation's main treasury when
    the turn began.
    """
    slots, nation = order["slots"], str(order["nation"])
    origin = slots.get("origin")
    if origin is None:
        origin = stores.main_purse(turn.world.at("turn"), nation, what).partition("/")[2]
    return str(origin), str(slots["target"])


def _by_route(turn: Turn, order: Order, row: TransferRow, raiders: dict[str, int]) -> list[Arrival]:
    nation, slots, what, sum_ = str(order["nation"]), order["slots"], row["what"], _sum(order)
    world = turn.world
    origin, target = _ends(turn, order, what)
    purse, there = (stores.purse_at(world, nation, p, what) for p in (origin, target))
    why = _no_route(turn, order, row)  # what other orders of the step have sent counts
    if why is not None:
        turn.drop_order(order, why.text, why.code)
        return []
    captors = captors_of(turn, row, nation, (origin, target))
    if captors:
        return _captured(turn, row, order, captors)
    lanes = lanes_of(turn, row, nation, origin, target, routes.named_places(world, slots.get("via")))
    subject = f"{nation}:{origin}>{target}"
    with turn.journal.entry(f"transfers/{row['id']}", subject=subject, audience=(nation,)) as entry:
        stores.pay(turn.journal, purse, what, sum_)
        turn.journal.set("orders", order["key"], "status", "done")
        shut = {
            lane: cutters for lane in lanes if (cutters := cut_by(turn, row, nation, lane, entry, subject))
        }
        free = [lane for lane in lanes if lane not in shut]
        entry.data.update(lanes=[list(x) for x in lanes], cut=[list(x) for x in shut], amount=sum_)
        if not free:
            return _lost(turn, row, nation, sum_, sorted(set().union(*shut.values())), entry)
        shares = split_evenly(sum_, len(free))
        lost = [
            destroyed_on(turn, row, nation, lane, share, raiders, entry, subject)
            for lane, share in zip(free, shares, strict=True)
        ]
        arrives = sum_ - sum(lost)
        entry.data.update(shares=shares, lost=lost)
        told = "{n} of {sum} arrive in {place}." if any(lost) else "{n} arrive in {place}."
        of = {"sum": sum_} if any(lost) else {}
        entry.tell(say(world, told, n=arrives, place=Entity("place", target), **of))
        return [(there, what, arrives)] if arrives else []


def captors_of(turn: OrderContext, row: TransferRow, nation: str, ends: Sequence[str]) -> list[str]:
    """Enemies who hold an end of a route that was good when the turn began: its loss cuts every lane."""
    past = turn.world.at("turn")
    found = set()
    for place in ends:
        names = {"self": Entity("nation", nation), "place": Entity("place", place)}
        holder = turn.world.holder_of(place)
        if holder and turn.world.hostile(nation, holder) and past.test(row.get("ends"), names):
            found.add(holder)
    return sorted(found)


def _captured(turn: Turn, row: TransferRow, order: Order, captors: Sequence[str]) -> list[Arrival]:
    """An end of the route was captured in this turn: all that was to be sent is lost to its captors and to
    the one that cuts a lane.

    The treasury and the lanes are those of the turn's beginning.
    """
    nation, slots, what, sum_, past = (
        str(order["nation"]),
        order["slots"],
        row["what"],
        _sum(order),
        turn.world.at("turn"),
    )
    origin, target = _ends(turn, order, what)
    purse = stores.purse_at(past, nation, origin, what)
    have = turn.state.get("treasuries", purse, what, 0)
    if sum_ <= 0 or sum_ > have:
        turn.drop_order(order, "it names no amount" if sum_ <= 0 else f"{have} are there")
        return []
    subject = f"{nation}:{origin}"
    with turn.journal.entry(f"transfers/{row['id']}", subject=subject, audience=(nation,)) as entry:
        stores.pay(turn.journal, purse, what, sum_)
        turn.journal.set("orders", order["key"], "status", "done")
        lanes = lanes_of(
            turn, row, nation, origin, target, routes.named_places(turn.world, slots.get("via")), past
        )
        cutters = set(captors).union(*(cut_by(turn, row, nation, lane, entry, subject) for lane in lanes))
        entry.data.update(amount=sum_, captured_by=list(captors))
        return _lost(turn, row, nation, sum_, sorted(cutters), entry)


def _no_route(turn: OrderContext, order: Order, row: TransferRow) -> Refusal | None:
    """Why nothing can be sent by a route: its ends, its treasuries, the amount, the way."""
    nation, slots, sum_, world = str(order["nation"]), order["slots"], _sum(order), turn.world
    origin, target = _ends(turn, order, row["what"])
    try:
        routes.named_places(world, slots.get("via"))
    except ValueError as error:
        return Refusal(RefusalCode.NAME, str(error), "via")
    if captors_of(turn, row, nation, (origin, target)):
        return None
    for slot, place in (("origin", origin), ("target", target)):
        names = {"self": Entity("nation", nation), "place": Entity("place", place)}
        if not world.test(row.get("ends"), names):
            return Refusal(
                RefusalCode.WAY,
                f"nothing can be sent from or to {routes.name_of(world, 'places', place)}",
                slot,
            )
    purse, there = (stores.purse_at(world, nation, p, row["what"]) for p in (origin, target))
    if purse == there:
        return Refusal(RefusalCode.WAY, "both places draw on one treasury", "target")
    if sum_ <= 0:
        return Refusal(RefusalCode.NUMBER, "it names no amount", "amount")
    if not joined(**_lanes_asked(turn, row, nation, origin, target, world)):
        text = (
            f"no way from {routes.name_of(world, 'places', origin)} to "
            f"{routes.name_of(world, 'places', target)}"
        )
        return Refusal(RefusalCode.WAY, text, "target")
    have = turn.state.get("treasuries", purse, row["what"], 0)
    return Refusal(RefusalCode.MEANS, f"{have} are there", "amount") if sum_ > have else None


def lanes_of(
    turn: OrderContext,
    row: TransferRow,
    nation: str,
    origin: str,
    target: str,
    named: Sequence[str],
    when: World | None = None,
) -> list[Lane]:
    """The shortest lanes between all that draws on the treasuries of two places (now, or `when`), with no
    place in common.

    What lies with one treasury is sent from wherever that is nearest; passages count as for the row's kind of
    unit.
    """
    return shortest_lanes(**_lanes_asked(turn, row, nation, origin, target, when or turn.world), named=named)


def _lanes_asked(
    turn: OrderContext, row: TransferRow, nation: str, origin: str, target: str, when: World
) -> dict[str, Any]:
    """Between which places lanes of a route lead, over which links, and whether what is sent may go from a
    place to the next.
    """
    gates = turn.world.geography.gates
    starts, ends = (stores.drawing_on(when, nation, p, row["what"]) for p in (origin, target))

    def passes(a: str, b: str) -> bool:
        found = gates.get(pair_key(a, b), ()) if "as" in row else ()
        return routes.passes(turn.world, nation, found, row["as"]) if found else True

    links = {"links": row["links"], "quays": row.get("quays") or row["links"]}
    return {"geography": turn.world.geography, "starts": starts, "ends": ends, **links, "passes": passes}


def split_evenly(whole: int, parts: int) -> list[int]:
    """Whole points in equal parts, the odd ones to the first."""
    return [whole // parts + (i < whole % parts) for i in range(parts)]


def cut_by(turn: Turn, row: TransferRow, nation: str, lane: Lane, entry: Entry, subject: str) -> set[str]:
    """The nations whose forces cut a lane: for certain (`cut`), or by finding what passes (`maybe_cut`, a row
    of `detection`).
    """
    found: set[str] = set()
    for place in lane:
        if "rouses" in row:
            mode = turn.ruleset.row("movement", row["rouses"])
            for owner in sorted(o for o in turn.state.owners_at(place) if turn.world.hostile(nation, o)):
                task_forces.rouse_at(turn, mode, owner, place)
        for force, data in sorted(turn.state.table("forces").items()):
            if data["at"] != place or not turn.world.hostile(nation, data["owner"]):
                continue
            names = {
                "force": Entity("force", force),
                "self": Entity("nation", nation),
                "place": Entity("place", place),
            }
            if "cut" in row and turn.world.test(row["cut"], names):
                found.add(data["owner"])
                continue
            may = "maybe_cut" in row and turn.world.test(row["maybe_cut"]["by"], names)
            if may and _finds(turn, row, force, entry, f"{subject}:{force}"):
                found.add(data["owner"])
    return found


def _finds(turn: Turn, row: TransferRow, force: str, entry: Entry, subject: str) -> bool:
    """Whether any unit of a force finds a transfer, which has no cover: one roll each, as the contact row
    says.
    """
    contact = turn.ruleset.row("detection", row["maybe_cut"]["contact"])
    stream = turn.stream(f"transfers/{row['id']}", subject, entry.audience)
    success = False
    for key, stack in forces.stacks_of(turn.state, force):
        value = figure(turn, contact.get("value", 0), Entity("unit", key), {})
        for _ in range(int(stack["n"]) if value > 0 else 0):
            success = stream.roll(contact.get("die", "1d10"), value) <= value or success
    record = stream.take()
    if record is not None:
        entry.dice.append({**record, "hit": success})
    return success


def _taken_by_one(turn: Turn, raid: Row, names: dict[str, Any], stream: Stream) -> Any:
    """What one unit takes of what is sent."""
    return amount(turn.world, raid["each"], names, lambda: stream)


def destroyed_on(
    turn: Turn,
    row: TransferRow,
    nation: str,
    lane: Lane,
    share: int,
    raiders: dict[str, int],
    entry: Entry,
    subject: str,
) -> int:
    """How much of a lane's share raiders destroy, together at most the share.

    Each unit draws an amount once in a step: `raiders` keeps what a stack can still take of what passes it
    later.
    """
    raid = row.get("raid")
    if not raid:
        return 0
    total = 0
    for place in lane:
        for key, stack in turn.state.stacks(at=place):
            if not turn.world.hostile(nation, stack["owner"]) or not routes.kind_matches(
                turn.world, raid.get("by"), stack["kind"]
            ):
                continue
            names = {
                "unit": Entity("unit", key),
                "self": Entity("nation", nation),
                "place": Entity("place", place),
            }
            if not turn.world.test(raid.get("when"), names):
                continue
            if key not in raiders:
                stream = turn.stream(f"transfers/{row['id']}", f"{subject}:{key}", entry.audience)
                draws = [_taken_by_one(turn, raid, names, stream) for _ in range(int(stack["n"]))]
                raiders[key] = int(sum(draws))
                record = stream.take()
                if record is not None:
                    entry.dice.append(dict(record))
            taken = min(raiders[key], share - total)
            raiders[key] -= taken
            total += taken
    return total


def _lost(
    turn: Turn, row: TransferRow, nation: str, sum_: int, cutters: Sequence[str], entry: Entry
) -> list[Arrival]:
    """Every lane is cut: all is lost, and those who cut share a part of it equally, the first by the table of
    nations more.
    """
    rule = row.get("no_way", {})
    entry.tell(say(turn.world, "All of {sum} are lost on the way.", sum=sum_))
    part = int(
        round_as(sum_ * Fraction(turn.world.number(rule.get("to_cutter", 0), {})), rule.get("round", "down"))
    )
    order = {n: i for i, n in enumerate(turn.ruleset.rows("nations"))}
    first = sorted(cutters, key=lambda n: (order.get(n, len(order)), n))
    out = []
    for cutter, share in zip(first, split_evenly(part, len(first)), strict=True):
        says = say(
            turn.world, "{n} of an enemy's {what} are taken.", n=share, what=row.get("name", "transfer")
        )
        about, data = f"{cutter}:{nation}", {"taken": share}
        with turn.journal.entry(
            f"transfers/{row['id']}", subject=about, says=says, audience=(cutter,), data=data
        ):
            out.append((stores.purse_at(turn.world, cutter, None, row["what"]), row["what"], share))
    return [a for a in out if a[2]]
