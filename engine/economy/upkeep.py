"""`upkeep`: bills for what is kept, one for each nation or place; who cannot or will not pay meets the row's
`unpaid`.

Bills are paid in the order that their nation chose (the decision `asks` names the places, best first), else
by the row's default; each whole, or as far as the store goes. In the effects `unpaid` is the set of what was
not paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.messages import Message, NamedThing
from ..core.model import Row
from ..core.rows import UpkeepRow
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import Turn, audience_ids
from ..turn.effects import EffectRunner, whole
from ..units.forces import by_kind
from ..world import treasury as stores
from ..world.messages import much, say, units_in
from ..world.selections import as_set, weight
from ..world.world import exact


@dataclass(frozen=True, slots=True)
class Bill:
    """What one nation owes at one place (or "" for all): the things it is for, with the price of a single one
    of each.
    """

    nation: str
    place: str
    things: tuple[tuple[Entity, int, Any], ...]

    @property
    def size(self) -> int:
        return sum(n for _, n, _ in self.things)

    @property
    def amount(self) -> Any:
        return exact(sum(n * each for _, n, each in self.things))


def run(node: Row, turn: Turn) -> None:
    """Present the bills of the node (`bills`; absent: all rows), nation by nation; in a nation's own turn its
    only.
    """
    for id_ in node.get("upkeep") or list(turn.ruleset.rows("upkeep")):
        row = turn.ruleset.row("upkeep", id_)
        for nation in turn.world.nations() if turn.mover is None else (turn.mover,):
            names = _names(turn, nation, "")
            if turn.world.test(row.get("when"), names):
                _present(turn, row, nation, bills(turn, row, nation))


def bills(turn: Turn, row: UpkeepRow, nation: str) -> list[Bill]:
    """What a nation owes under a row, bill by bill, in the order in which they are paid."""
    places = (
        sorted({s["place"] for _, s in turn.state.stacks(owner=nation)}) if row["per"] == "place" else [""]
    )
    out = []
    for place in places:
        names = _names(turn, nation, place)
        each = str(row.get("each", "units(owner=nation, at=place)" if place else "units(owner=nation)"))
        things = []
        for thing in as_set(turn.world, turn.world.value(strip_mark(each), names)):
            price = turn.world.figure(row["price"], {**names, thing.kind: thing}, thing)
            if price:
                things.append((thing, weight(turn.world, thing), price))
        if things:
            out.append(Bill(nation, place, tuple(things)))
    chosen = turn.answer(row["asks"], nation) if "asks" in row else None
    if chosen is not None:
        wanted = [chosen] if isinstance(chosen, str) else [str(c) for c in chosen]
        rank = {place: i for i, place in enumerate(wanted)}
        return sorted((b for b in out if b.place in rank), key=lambda b: rank[b.place]) + [
            b for b in out if b.place not in rank
        ]
    sign = 1 if row.get("default") == "smallest" else -1
    return sorted(out, key=lambda b: (sign * b.size, b.place))


def _present(turn: Turn, row: UpkeepRow, nation: str, owed: list[Bill]) -> None:
    what = str(row.get("what") or stores.money(turn.ruleset))
    willing = turn.answer(row["asks"], nation) if "asks" in row else None
    if willing is not None:
        willing = {willing} if isinstance(willing, str) else set(willing)
    for bill in owed:
        purse = stores.purse_at(turn.world, nation, None, what)
        have = turn.state.get("treasuries", purse, what, 0)
        refuses = (willing is not None and bill.place not in willing) or (
            willing is None and row.get("default") == "none"
        )
        names = _names(turn, nation, bill.place)
        rule = f"upkeep/{row['id']}"
        readers = audience_ids(turn.world, row["audience"], names) if "audience" in row else (nation,)
        data = {"owed": str(bill.amount), "purse": purse, "before": str(have)}
        with turn.journal.entry(rule, subject=f"{nation}:{bill.place}", audience=readers, data=data) as entry:
            unpaid = _pay(turn, row, bill, purse, what, 0 if refuses else have)
            things = [(thing, n) for thing, n, _ in bill.things]
            amount = None if unpaid else much(turn.world, bill.amount, what)
            entry.tell(_said(turn, nation, bill.place, unpaid or things, amount))
            data["unpaid"] = str(sum(n for _, n in unpaid))
            if unpaid and "unpaid" in row:
                _leave(turn, EffectRunner(turn, entry, rule, f"{nation}:{bill.place}"), row, unpaid, names)


def _said(
    turn: Turn, nation: str, place: str, things: list[tuple[Entity, int]], paid: NamedThing | None
) -> Message:
    """What a bill comes to: how much was paid for its things ("2 units in X"), or that they are not paid;
    whose it is, and which are unpaid, where no place says so."""
    n = sum(n for _, n in things)
    there = turn.ruleset.has("places", place)
    what = f"{{n}} {things[0][0].kind}{'' if n == 1 else 's'}{' in {place}' if there else ''}"
    if paid:
        told = f"Paid {{amount}} for {what}." if there else f"{{nation}} {{pays|pay}} {{amount}} for {what}."
    else:
        told = f"{what} {'is' if n == 1 else 'are'} not paid."
    about: dict[str, Any] = {"nation": Entity("nation", nation)}
    about |= {"place": Entity("place", place)} if there else {}
    about |= {"amount": paid} if paid else {}
    if not (paid or there):
        told += f" {'It is' if n == 1 else 'They are'} {{which}}."
        about["which"] = _listed(turn, things)
    return say(turn.world, told, n=n, **about)


def _listed(turn: Turn, things: list[tuple[Entity, int]]) -> list[Any]:
    """The things of a bill by name, units by the places in which they stand."""
    at: dict[Entity, list[tuple[str, int]]] = {}
    for thing, n in things:
        if thing.kind == "unit":
            at.setdefault(turn.world.field(thing, "place"), []).append((turn.world.field(thing, "kind"), n))
    standing = [units_in(turn.world, by_kind(stacks), place) for place, stacks in at.items()]
    return [*standing, *(thing for thing, _ in things if thing.kind != "unit")]


def _pay(
    turn: Turn, row: UpkeepRow, bill: Bill, purse: str, what: str, have: Any
) -> list[tuple[Entity, int]]:
    """Pay a bill as far as it can be; what is left of its things unpaid, the dearest last to be paid."""
    if have >= bill.amount:
        stores.pay(turn.journal, purse, what, bill.amount)
        return []
    if row.get("all_or_none"):
        return [(thing, n) for thing, n, _ in bill.things]
    out = []
    for thing, n, each in sorted(bill.things, key=lambda t: (t[2], t[0].id)):
        paid = min(n, int(have // each))
        have -= paid * each
        if paid:
            stores.pay(turn.journal, purse, what, paid * each)
        if paid < n:
            out.append((thing, n - paid))
    return out


def _leave(
    turn: Turn, runner: EffectRunner, row: UpkeepRow, unpaid: list[tuple[Entity, int]], names: dict[str, Any]
) -> None:
    """The effects of not paying, once for all that is unpaid; of a stack paid in part only the rest is
    meant.
    """
    things = []
    for thing, n in unpaid:
        if thing.kind == "unit" and n < weight(turn.world, thing):
            thing = Entity("unit", turn.journal.alter_units(thing.id, n, unpaid=True))
        things.append(thing)
    with whole(turn, runner.rule, runner.subject):
        runner.effects(row["unpaid"], {**names, "unpaid": tuple(things)})
    for key, stack in turn.state.stacks():
        if stack.get("unpaid"):
            turn.journal.alter_units(key, int(stack["n"]), unpaid=None)


def _names(turn: Turn, nation: str, place: str) -> dict[str, Any]:
    who = Entity("nation", nation)
    names: dict[str, Any] = {**turn.loops, "self": who, "nation": who}
    if place:
        names["place"] = Entity("place", place)
    return names
