"""Acts of a policy: for each rule of the row, the legal ways to give the act are weighed, and the dice
choose. So are other orders, and answers to decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..orders.input_points import may_come_now
from ..orders.kinds import order_kinds
from ..orders.kinds.order_kind import OrderKind
from ..orders.legal import legal_orders
from ..orders.legal_entry import Legal, LegalSearch
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import OrderContext
from ..world.selections import as_set, id_of
from ..world.treasury import payable
from ..world.world import Names
from .give import Giver
from .written import conditions, slots_written


class Purse:
    """A part of what a nation can pay: what has been paid since it was opened comes off it."""

    def __init__(self, giver: Giver, share: Fraction) -> None:
        self.giver = giver
        self.share = share
        self.before = {what: giver.paid(what) for what in giver.world.ruleset.rows("resources")}

    def left(self) -> dict[str, Any]:
        """Resource -> what is left of it; none, if the purse is the whole of what there is, which bears
        all."""
        if self.share >= 1:
            return {}
        world, nation = self.giver.world, Entity("nation", self.giver.nation)
        return {
            what: self.share * payable(world, nation, what) - (self.giver.paid(what) - self.before[what])
            for what in world.ruleset.rows("resources")
        }

    def pays_for(self, key: str, slots: Mapping[str, Any]) -> bool:
        """Whether it bears what an order would cost."""
        if self.share >= 1:
            return True
        intent = self.giver.understood(key, slots)
        return intent is None or bears(self.left(), intent.cost)


def bears(
    left: Mapping[str, Any], cost: Mapping[str, Any], besides: Mapping[str, Any] = MappingProxyType({})
) -> bool:
    """Whether what is left bears a cost, besides others that are not paid yet."""
    return all(what not in left or besides.get(what, 0) + n <= left[what] for what, n in cost.items())


class Leftovers:
    """What is left in each treasury when all that was bought is paid for."""

    def __init__(self, giver: Giver) -> None:
        self.giver = giver

    def pays_for(self, key: str, slots: Mapping[str, Any]) -> bool:
        """Whether the treasury from which it is sent still holds as much."""
        sent = self.giver.understood(key, slots)
        return sent is not None and all(
            self.giver.checker.market.left(sent.purse, what) >= n for what, n in sent.cost.items()
        )


def give_acts(giver: Giver, rules: Sequence[Row], *, share: Any = 1, insist: bool = False) -> set[str]:
    """Give the acts of the rules. Returns the nations that a rule's `opens` slot named: they count as enemies
    this turn.

    `share` is the part of what the nation can pay that they may cost together, as a row says it. `insist`: of
    each rule one order, by whatever way is left where the dice chose one that is refused.
    """
    opened: set[str] = set()
    context = OrderContext(giver.world)
    whole = Purse(giver, Fraction(giver.world.number(share, {"self": Entity("nation", giver.nation)})))
    for rule in rules:
        key = f"actions/{rule['action']}"
        if rule["action"] not in giver.world.ruleset.rows("actions"):
            continue
        if "each" in rule:
            _give_one_for_each(giver, context, rule, key, whole)
            continue
        for chosen in _choose(giver, context, rule, key, insist, whole):
            if not giver.give(key, chosen.slots):
                continue
            giver.note_last()
            if rule.get("opens") in chosen.slots:
                opened.update(giver.world.members(str(chosen.slots[rule["opens"]])))
            if insist:
                break
    return opened


def give_others(giver: Giver, rules: Sequence[Row]) -> None:
    """What is ordered when all else is: of each rule one order for each value of its slot; what it sends
    comes out of what is left."""
    context = OrderContext(giver.world)
    for rule in rules:
        key = f"orders/{rule['order']}"
        if rule["order"] in giver.world.ruleset.rows("orders") and may_come_now(giver.world, key):
            _give_one_for_each(giver, context, rule, key, Leftovers(giver))


def give_answers(giver: Giver, rules: Sequence[Row]) -> None:
    """Answer decisions beforehand: of each rule one answer for each value of its slot; `ordered` tells all
    orders."""
    if not rules:
        return
    giver.note_all()
    context = OrderContext(giver.world)
    for rule in rules:
        key = f"decisions/{rule['decision']}"
        if rule["decision"] in giver.world.ruleset.rows("decisions"):
            _give_one_for_each(giver, context, rule, key, Purse(giver, Fraction(1)))


def _give_one_for_each(
    giver: Giver, context: OrderContext, rule: Row, key: str, whole: Purse | Leftovers
) -> None:
    """For each value of a slot one order, of those that the rule's sets (`among`) and tests let it think of.

    What was given before is known to the tests (`ordered`).
    """
    me = {"nation": giver.nation, "order": key}
    if not giver.world.test(rule.get("if"), context.order_names({**me, "slots": {}})):
        return
    own = Purse(giver, Fraction(rule.get("share", 1)))
    kind = order_kinds(giver.world.ruleset)[key]
    for value in _values(giver, context, me, rule, rule["each"], {}):
        weighted = []
        for slots in _fillings(giver, context, me, rule, {rule["each"]: value}):
            names = context.order_names({**me, "slots": slots})
            slots = {**slots, **slots_written(giver.world, kind, rule.get("slots"), names)}
            if giver.world.test(rule.get("when"), names):
                weighted.append((slots, int(giver.world.number(rule.get("weight", 1), names))))
        chosen = giver.pick(weighted, int(rule.get("idle", 0)))
        while chosen is not None and not (
            own.pays_for(key, chosen)
            and whole.pays_for(key, chosen)
            and giver.give(key, chosen, _conditions(context, kind, me, rule, chosen))
        ):
            weighted = [(slots, weight) for slots, weight in weighted if slots is not chosen]
            chosen = giver.pick(weighted, int(rule.get("idle", 0)))
        if chosen is not None:
            giver.note_last()


def _conditions(context: OrderContext, kind: OrderKind, me: Row, rule: Row, slots: Row) -> dict[str, Any]:
    """The conditions of an order with its slots filled."""
    return conditions(
        context.world, kind, rule.get("conditions"), context.order_names({**me, "slots": slots})
    )


def _fillings(giver: Giver, context: OrderContext, me: Row, rule: Row, slots: Row) -> Iterator[Row]:
    """Every way to fill the slots of a rule that are not filled yet, in its order; a set may read the slots
    before it."""
    left = [slot for slot in rule["among"] if slot not in slots]
    if not left:
        yield slots
        return
    for value in _values(giver, context, me, rule, left[0], slots):
        yield from _fillings(giver, context, me, rule, {**slots, left[0]: value})


def _values(giver: Giver, context: OrderContext, me: Row, rule: Row, slot: str, slots: Row) -> list[Any]:
    """What the set of a slot holds, as an order writes it: numbers as such, of slots that hold many each by
    itself."""
    names = context.order_names({**me, "slots": slots})
    members = giver.world.value(strip_mark(rule["among"][slot]), names)
    values = [
        id_of(thing) for thing in (members if isinstance(members, tuple) else as_set(giver.world, members))
    ]
    declared = order_kinds(giver.world.ruleset)[str(me["order"])].slot(slot)
    if declared.kind == "number":
        return [int(value) for value in values]
    return [[str(value)] if declared.many else str(value) for value in values]


def _choose(
    giver: Giver, context: OrderContext, rule: Row, key: str, every: bool, whole: Purse
) -> list[Legal]:
    """Up to `most` ways, or every one, drawn by weight without putting back; `idle` is the weight of giving
    none."""
    me = {"nation": giver.nation, "order": key}
    if not giver.world.test(rule.get("if"), context.order_names({**me, "slots": {}})):
        return []
    weighted: list[tuple[Legal, int]] = []
    own = Purse(giver, Fraction(rule.get("share", 1)))
    within = _least(own.left(), whole.left())
    search = LegalSearch(where=rule.get("when"), within=tuple(within.items()))
    for legal in legal_orders(giver.world, giver.nation, [key], search):
        if set(legal.open) - set(rule.get("slots", ())):
            continue
        names = context.order_names({**me, "slots": legal.slots})
        if not giver.world.test(rule.get("when"), names):
            continue
        if (filled := _filled(giver, rule, legal, names)) is None:
            continue
        legal = filled
        weight = int(giver.world.number(rule.get("weight", 1), names))
        if weight > 0:
            weighted.append((legal, weight))
    out: list[Legal] = []
    idle = int(rule.get("idle", 0))
    due: Counter[str] = Counter()
    for _ in range(len(weighted) if every else int(rule.get("most", 1))):
        chosen = giver.pick(
            [(item, weight) for item, weight in weighted if bears(within, item.cost, due)], idle
        )
        if chosen is None:
            break
        out.append(chosen)
        due.update(chosen.cost)
        weighted = [(item, weight) for item, weight in weighted if item is not chosen]
    return out


def _least(own: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """What two purses both bear, by resource."""
    return {what: min(n, whole.get(what, n)) for what, n in {**whole, **own}.items()}


def _filled(giver: Giver, rule: Row, legal: Legal, names: Names) -> Legal | None:
    """A way to give an act with what the rule writes at its slots: numbers within their bounds, and what the
    list leaves open; None if the list has filled one of them with something else."""
    if "slots" not in rule:
        return legal
    slots = dict(legal.slots)
    for slot, value in slots_written(
        giver.world, order_kinds(giver.world.ruleset)[legal.order], rule["slots"], names
    ).items():
        if slot in legal.bounds:
            low, high = legal.bounds[slot]
            slots[slot] = max(low, min(high, value))
        elif slots.setdefault(slot, value) != value:
            return None
    return replace(legal, slots=slots)
