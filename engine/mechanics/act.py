"""`act`: orders of the named acts are tested, paid, rolled and carried out.

All orders of a step are tested and paid in one canonical order (acts in listed order, then nations, then lines), so that the
order in which files came in changes nothing; each act has its own dice. What an act costs, needs and may be repeated is its
row's (`cost`, `needs`, `limit`); what it does is the tail.
"""

from __future__ import annotations

from typing import Any

from .. import stores
from ..effects import EffectError, Tail, fill
from ..functions import plain
from ..ruleset.model import Row
from ..state import Entity
from ..turn import Order, Turn, audience_ids
from ..verbs import take
from ..world import Names


def run(node: Row, turn: Turn) -> None:
    """Carry out the acts that the node names (`acts`), all of a step together."""
    for act_id in node["acts"]:
        row = turn.ruleset.row("acts", act_id)
        for order in turn.orders([f"acts/{act_id}"]):
            perform(turn, row, order)
        turn.journal.step = str(node.get("step", turn.journal.step))


def perform(turn: Turn, row: Row, order: Order) -> None:
    """One act: refused with a reason, or paid for and carried out whole."""
    names = turn.order_names(order)
    why = refusal(turn, row, names, order["nation"])
    if why is not None:
        turn.drop_order(order, why)
        return
    rule = f"acts/{row['id']}"
    subject = ":".join([order["nation"], *(str(plain(v)) for v in order.get("slots", {}).values())])
    readers = audience_ids(turn.world, row.get("audience"), names)
    with turn.journal.entry(rule, subject=subject, audience=readers, data={"order": order.get("text", "")}) as entry:
        tail = Tail(turn, entry, rule, subject)
        charge(tail, row, names)
        if "says" in row:
            entry.text = fill(turn.world, row["says"], names)
        count_use(turn, row, names)
        try:
            success = tail.run(row, names)
        except EffectError as error:
            entry.data["void"] = str(error)
            success = None
        turn.journal.set("orders", order["key"], "status", "done")
        roles = {k: plain(v) for k, v in names.items() if isinstance(v, Entity) and k not in ("self", "nation")}
        target = names.get("target")
        turn.journal.fact(
            "acted", by=order["nation"], act=row["id"], of=plain(target) if target is not None else None,
            success=success, **{k: v for k, v in roles.items() if k != "target"},
        )  # fmt: skip


def refusal(turn: Turn, row: Row, names: Names, nation: str) -> str | None:
    """Why an act cannot be carried out now, in the row's own words, or None. Nothing is changed."""
    world = turn.world
    if "for" in row and not _named(world, row["for"], nation):
        return "this is not open to your nation"
    from_turn = row.get("from_turn")
    if from_turn is not None and turn.number < from_turn:
        return f"not before turn {from_turn}"
    for need in row.get("needs", ()):
        if not world.test(need["test"], names):
            return fill(world, need["else"], names)
    for keys, most in limits(row):
        if uses(turn, row, keys, names) >= most:
            return limit_words(keys, most)
    for what, amount in price(turn, row, names).items():
        if amount < 0:
            return "the amount cannot be negative"
        have = stores.stock(world, Entity("nation", nation), what)
        if have < amount:
            return f"costs {amount} {what}, {have} left"
    return None


def _named(world: Any, wanted: Any, nation: str) -> bool:
    if isinstance(wanted, list):
        return any(_named(world, w, nation) for w in wanted)
    if isinstance(wanted, str) and wanted.startswith("="):
        return bool(world.value(wanted[1:], {"nation": Entity("nation", nation), "self": Entity("nation", nation)}))
    return nation in world.members(wanted)


def price(turn: Turn, row: Row, names: Names) -> dict[str, Any]:
    """What an act costs, by resource. A plain number or expression is of the ruleset's first resource; a quantity is asked."""
    cost = row.get("cost")
    if cost is None:
        return {}
    if isinstance(cost, dict):
        return {what: _figure(turn, value, names) for what, value in cost.items()}
    main = turn.ruleset.setting("money") or next(iter(turn.ruleset.rows("resources")), "")
    return {main: _figure(turn, cost, names)}


def _figure(turn: Turn, value: Any, names: Names) -> Any:
    if isinstance(value, str) and turn.ruleset.has("quantities", value):
        subject = names.get(turn.ruleset.row("quantities", value)["of"]) or names["self"]
        return turn.world.quantity(value, subject, names)
    return turn.world.number(value, names)


def charge(tail: Tail, row: Row, names: Names) -> None:
    """Pay an act's price out of its nation's purses."""
    for what, amount in price(tail.turn, row, names).items():
        if amount:
            take(tail, names["self"], what, amount)


def limits(row: Row) -> list[tuple[tuple[str, ...], int]]:
    """The limits of an act as (keys, most). `limit: {1: [nation, target, turn]}`."""
    return [(tuple(keys), int(most)) for most, keys in row.get("limit", {}).items()]


def _use_key(row: Row, keys: tuple[str, ...], names: Names) -> str:
    group = row.get("counts_as", row["id"])
    parts = [str(plain(names.get("self" if k in ("nation", "seat") else k))) for k in keys if k not in ("game", "turn")]
    return "|".join([str(group), *keys, *parts])


def uses(turn: Turn, row: Row, keys: tuple[str, ...], names: Names) -> int:
    """How often an act has been used under a limit's keys, in this turn or in the game."""
    found = turn.state.row("uses", _use_key(row, keys, names))
    if not found or ("turn" in keys and found.get("turn") != turn.number):
        return 0
    return int(found["n"])


def count_use(turn: Turn, row: Row, names: Names) -> None:
    for keys, _ in limits(row):
        key = _use_key(row, keys, names)
        turn.journal.put_row("uses", key, {"n": uses(turn, row, keys, names) + 1, "turn": turn.number, "nation": names["self"].id})


def limit_words(keys: tuple[str, ...], most: int) -> str:
    """A limit in words."""
    per = [k for k in keys if k not in ("turn", "game", "nation", "seat")]
    span = "in a turn" if "turn" in keys else "in the game"
    times = "once" if most == 1 else f"{most} times"
    return f"only {times} {span}" + (f" for each {' and '.join(per)}" if per else "")
