"""`act`: orders of the named acts are tested, paid, rolled and carried out.

All orders of a step are tested and paid in one canonical order: acts in listed order, then nations, then
lines; with `as_written` nations, then lines. So the order in which files came in changes nothing; each act
has its own dice. What an act costs, needs and may be repeated is its row's (`cost`, `needs`, `limit`); what
it does is the tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..ruleset.action_changes import with_own_cases
from ..ruleset.expressions.parse import strip_mark
from ..world import treasury as stores
from ..world.applies_to import is_for
from ..world.messages import message, printed
from ..world.selections import as_set, id_of
from ..world.world import Names
from . import vacancies
from .context import Order, OrderContext, Turn, audience_ids
from .effects import EffectRunner, whole
from .slots import misfit, unmet
from .validated_orders import Refusal, RefusalCode
from .verbs import take


def run(node: Row, turn: Turn) -> None:
    """Carry out the open orders of the acts that the node names (`acts`); inside a nation's own turn, only
    that nation's.

    With `of` they are those of the nations that it names, whoever has the turn.
    """
    given = turn.orders_here([f"actions/{act_id}" for act_id in node["actions"]])
    if any(order.get("status") is None for order in given):
        turn.world.moments["step"] = turn.state.copy()
    for acts in [node["actions"]] if node.get("as_written") else [[act_id] for act_id in node["actions"]]:
        for order in turn.orders_here([f"actions/{act_id}" for act_id in acts]):
            row = turn.ruleset.row("actions", str(order["order"]).partition("/")[2])
            if order.get("status") is None and not _waits(turn, row, order):
                perform(turn, row, order)
        turn.journal.step = str(node.get("step", turn.journal.step))
    turn.world.moments.pop("step", None)


def _waits(turn: Turn, row: Row, order: Order) -> bool:
    """Whether an order is left for a later step that carries out its act (`waits`)."""
    return "waits" in row and turn.world.test(row["waits"], turn.order_names(order))


def perform(turn: Turn, row: Row, order: Order) -> None:
    """One act: refused with a reason, or paid for and carried out whole."""
    names = turn.order_names(order)
    why = refusal(turn, row, order, names)
    if why is not None:
        turn.drop_order(order, why.text, why.code)
    else:
        carry_out(turn, row, order, names)


def _in_order(row: Row, slots: Mapping[str, Any]) -> list[Any]:
    """What an order's slots hold, as its form names them: an order that was kept and read again says the same
    of itself.
    """
    form = str(row.get("syntax", ""))
    at = {k: form.find("{" + k + "}") for k in slots}
    return [slots[k] for k in sorted(slots, key=lambda k: (at[k] < 0, at[k], k))]


def carry_out(turn: Turn, row: Row, order: Order, names: Names) -> None:
    """An act that may be given is paid for, rolled and done; if an effect of it fails, nothing of it is, and
    it costs nothing. `names` are those of the order.
    """
    rule = f"actions/{row['id']}"
    subject = ":".join([order["nation"], *(str(id_of(v)) for v in _in_order(row, order.get("slots", {})))])
    readers = audience_ids(turn.world, row.get("audience"), names)
    # what has become of it is told later
    data = {} if "outcomes" in row else {"order": order.get("text", "")}
    with (
        whole(turn) as attempt,
        turn.journal.entry(rule, subject=subject, audience=readers, data=data) as entry,
    ):
        runner = EffectRunner(turn, entry, rule, subject)
        charge(runner, row, names)
        if "says" in row:
            entry.tell(message(turn.world, row["says"], names))
        count_use(turn, row, names)
        success = runner.run(with_own_cases(turn.ruleset, row), names)
        turn.journal.set("orders", order["key"], "status", "done")
        roles = {
            k: id_of(v) for k, v in names.items() if isinstance(v, Entity) and k not in ("self", "nation")
        }
        target = names.get("target")
        turn.journal.fact(
            "acted", by=order["nation"], action=row["id"], of=id_of(target) if target is not None else None,
            success=success, **{k: v for k, v in roles.items() if k != "target"},
        )  # fmt: skip
    if attempt.failed is not None:
        turn.drop_order(order, attempt.failed)


@dataclass(slots=True)
class Spent:
    """What other orders of the same file already use: amounts by treasury and resource, and uses by limit
    key.
    """

    paid: dict[tuple[str, str], Any] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)

    def pay(self, purse: str, what: str, amount: Any) -> None:
        """Count an amount as paid out of a treasury."""
        self.paid[purse, what] = self.paid.get((purse, what), 0) + amount

    def in_all(self, what: str) -> Any:
        """How much of a resource has been paid out of all treasuries."""
        return sum(amount for (_, resource), amount in self.paid.items() if resource == what)

    def count(self, keys: Iterable[str]) -> None:
        """Count a use under each of these limits."""
        for key in keys:
            self.used[key] = self.used.get(key, 0) + 1


def refusal(turn: OrderContext, row: Row, order: Order, names: Names) -> Refusal | None:
    """Why an act cannot be carried out now, or None. Nothing is changed."""
    return forbidden(turn, row, order, names) or unpaid(turn, row, names, str(order["nation"]))


def forbidden(
    turn: OrderContext, row: Row, order: Order, names: Names, spent: Spent | None = None
) -> Refusal | None:
    """Why an act may not be given, whatever it costs.

    With `spent` (a file that is checked) secret needs are left out.
    """
    return (
        closed(turn, row, str(order["nation"]))
        or misfit(turn, row, order, names)
        or unmet(turn, row, names, secrets=spent is None)
        or exhausted(turn, row, names, spent)
    )


def closed(turn: OrderContext, row: Row, nation: str) -> Refusal | None:
    """Whether the act is not open to the nation."""
    if "for" in row and not is_for(turn.world, row["for"], nation):
        return Refusal(RefusalCode.CLOSED, "this is not open to your nation")
    return None


def exhausted(turn: OrderContext, row: Row, names: Names, spent: Spent | None = None) -> Refusal | None:
    """The limit under which the act has been given as often as it may."""
    for keys, most in limits(row):
        key = _use_key(turn, row, keys, names)
        before = spent.used.get(key, 0) if spent else 0
        if _used(turn, keys, key) + before >= most:
            return Refusal(RefusalCode.LIMIT, limit_words(keys, most))
    return None


def unpaid(
    turn: OrderContext, row: Row, names: Names, nation: str, spent: Spent | None = None
) -> Refusal | None:
    """What the nation lacks to pay for it."""
    return lacking(turn, price(turn, row, names), nation, spent, paid_at(turn, row, names))


def lacking(
    turn: OrderContext,
    cost: Mapping[str, Any],
    nation: str,
    spent: Spent | None = None,
    at: Sequence[str] = (),
) -> Refusal | None:
    """What a nation lacks to pay a price, by resource, the treasuries of the places `at` helping; with
    `spent` beside what earlier orders of its file take.
    """
    paid = spent.paid if spent else {}
    for what, amount in cost.items():
        if amount < 0:
            return Refusal(RefusalCode.NUMBER, "the amount cannot be negative")
        held = stores.paying(turn.world, nation, what, at)
        have = sum(there - paid.get((purse, what), 0) for purse, there in held.items())
        if have < amount:
            seat = next(iter(held)).partition("/")[2]
            apart = seat and stores.purses(turn.world, nation, what).keys() - held.keys()
            there = f" in {printed(turn.world, Entity('place', seat))}" if apart else ""
            text = f"costs {amount} {stores.in_words(turn.ruleset, what)}, {have} left{there}"
            return Refusal(RefusalCode.MEANS, text)
    return None


def price(turn: OrderContext, row: Row, names: Names) -> dict[str, Any]:
    """What an act costs, by resource.

    A plain number or expression is of the ruleset's first resource; a stat is asked.
    """
    cost = row.get("cost")
    if cost is None:
        return {}
    if isinstance(cost, dict):
        return {what: turn.world.figure(value, names) for what, value in cost.items()}
    main = stores.money(turn.ruleset)
    return {main: turn.world.figure(cost, names)}


def paid_at(turn: OrderContext, row: Row, names: Names) -> tuple[str, ...]:
    """The places whose treasuries help its nation's main one to pay for an act."""
    if "paid_at" not in row:
        return ()
    found = turn.world.value(strip_mark(row["paid_at"]), names)
    return tuple(str(id_of(place)) for place in as_set(turn.world, found))


def charge(runner: EffectRunner, row: Row, names: Names) -> None:
    """Pay an act's price out of its nation's treasuries."""
    for what, amount in price(runner.turn, row, names).items():
        if amount:
            take(runner, names["self"], what, amount, paid_at(runner.turn, row, names))


def limits(row: Row) -> list[tuple[tuple[str, ...], int]]:
    """The limits of an act as (keys, most). `limit: {1: [nation, target, turn]}`; a key may be a field of a
    slot (`place.whole`)."""
    return [(tuple(keys), int(most)) for most, keys in row.get("limit", {}).items()]


def _use_key(turn: OrderContext, row: Row, keys: tuple[str, ...], names: Names) -> str:
    """The counter of a limit: its keys and what they stand for.

    `seat` is the person who commands, with all their nations.
    """
    group = row.get("counts_as", row["id"])
    parts = []
    for key in keys:
        if key == "seat":
            parts.append(person(turn, id_of(names["self"])))
        elif "." in key:
            parts.append(str(id_of(turn.world.value(key, names))))
        elif key not in ("game", "turn"):
            parts.append(str(id_of(names.get("self" if key == "nation" else key))))
    return "|".join([str(group), *(key.partition(".")[0] for key in keys), *parts])


def person(turn: OrderContext, nation: str) -> str:
    """Who plays a nation: the person whom its seat names, or plays the nation that it names; else the nation
    itself.
    """
    seat = vacancies.seat(turn.world, nation)
    return turn.world.commander_of(nation) if seat in vacancies.NAMELESS else seat


def _used(turn: OrderContext, keys: tuple[str, ...], key: str) -> int:
    """How often an act has been used under a limit's keys, in this turn or in the game, by its counter."""
    found = turn.state.row("uses", key)
    if not found or ("turn" in keys and found.get("turn") != turn.number):
        return 0
    return int(found["n"])


def use_keys(turn: OrderContext, row: Row, names: Names) -> list[str]:
    """The counters that a use of the act adds to."""
    return [_use_key(turn, row, keys, names) for keys, _ in limits(row)]


def count_use(turn: Turn, row: Row, names: Names) -> None:
    for keys, _ in limits(row):
        key = _use_key(turn, row, keys, names)
        now = {"n": _used(turn, keys, key) + 1, "turn": turn.number, "nation": names["self"].id}
        turn.journal.put_row("uses", key, now)


def limit_words(keys: tuple[str, ...], most: int) -> str:
    """A limit in words."""
    per = [k.partition(".")[0] for k in keys if k not in ("turn", "game", "nation", "seat")]
    span = "in a turn" if "turn" in keys else "in the game"
    times = "once" if most == 1 else f"{most} times"
    return f"only {times} {span}" + (f" for each {' and '.join(per)}" if per else "")
