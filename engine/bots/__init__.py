"""Built-in policies: a generic player that gives legal orders, weighted by rows of the form `policies`.

`plan` looks at a world (a nation's view), takes the row that fits the nation, and gives orders for acts,
attacks, marches and purchases. It knows no game: what is worth taking, what to buy and whom to court are the
row's expressions. Every order it gives has passed the checker; its dice come from the one stream it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.dice import Stream
from ..core.faults import carrying_out
from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..orders import movement
from ..orders.check import standing
from ..orders.kinds import order_kinds
from ..orders.lookahead import gate
from ..turn.context import Order
from ..world.world import World
from .acts import give_acts, give_answers, give_others
from .buy import give_purchases
from .front import Front
from .give import Giver
from .guards import give_guards
from .march import give_attacks, give_marches, give_prizes, give_support
from .moves import give_moves
from .sea import give_voyages
from .shifts import give_shifts

__all__ = ["IDLE", "plan", "policies_of", "policy_of"]

IDLE = "idle"
"""A policy that gives no orders: any policy worth the name beats it."""
MOST_TRIES = 60


def plan(world: World, nation: str, stream: Stream, chosen: str | None = None) -> list[Order]:
    """The orders of a nation that a policy commands, and its answers to decisions, as lines say both
    (`parted` takes them apart); none if no row fits it. `world` is the nation's view.

    `chosen`: the policy, or set of policies, that the game has chosen for it, which the view does not tell.
    """
    row = policy_of(world, nation, chosen)
    if row is None:
        return []
    with carrying_out(world.ruleset, lambda _: f"policies/{row['id']}"):
        return _plan(world, nation, stream, row)


def _plan(world: World, nation: str, stream: Stream, row: Row) -> list[Order]:
    """The orders that a row gives, one kind after another."""
    giver = Giver(world, nation, stream)
    acts = _taken(world, row, "actions")
    opened = give_acts(
        giver, [rule for rule in acts if "meets" not in rule], share=row.get("actions_share", 1)
    )
    if "moves" in row and giver.has_units:
        give_moves(giver, row["moves"])
    if "war" in row and giver.has_units:
        front = Front(giver, row["war"], opened)
        for order in giver.orders:  # who has an order already is not at hand
            if movement.ORIGIN in order["slots"] and movement.UNITS in order["slots"]:
                front.use(order["slots"][movement.ORIGIN], order["slots"][movement.UNITS])
        give_prizes(front)
        give_guards(front)
        if front.enemy_places:
            give_attacks(front)
            give_shifts(front)
        give_purchases(giver, row.get("purchases", ()), front if front.enemy_places else None)
        if front.enemy_places:
            give_voyages(front)
            give_marches(front)
            give_support(front)
    else:
        give_purchases(giver, row.get("purchases", ()), None)
    give_others(giver, _taken(world, row, "orders"))
    give_answers(giver, _taken(world, row, "answers"))
    if gate(world):
        _meet(giver, [rule for rule in acts if "meets" in rule])
    elif any(
        order_kinds(world.ruleset)[order["order"]].teaches for order in giver.orders
    ):  # what it learns may make dearer what it buys
        giver.orders, _ = standing(world, nation, giver.orders)
    giver.forget_notes()
    return giver.orders


def _taken(world: World, row: Row, key: str) -> list[Row]:
    """The rules of a policy for acts, other orders or answers: its own, and those of the policies that it
    takes over."""
    out = list(row.get(key, ()))
    for other in row.get("also", ()):
        taken_over: Row = world.ruleset.row("policies", other)
        out += taken_over.get(key, ())
    return out


def _meet(giver: Giver, rules: Sequence[Row]) -> None:
    """Only orders that stand together, with those for requirements that the others leave unmet. Where the
    others are in the way of those, they are given up."""
    if not _met(giver, rules) and giver.orders:
        giver.begin_anew()
        _met(giver, rules)


def _met(giver: Giver, rules: Sequence[Row]) -> bool:
    """Add orders for what is unmet, one after another, until all is met or nothing helps; whether all is."""
    for _ in range(MOST_TRIES):
        asked = Counter(order["text"] for order in giver.orders)
        giver.orders, missing = standing(giver.world, giver.nation, giver.orders)
        giver.fallen |= (asked - Counter(order["text"] for order in giver.orders)).keys()
        given = len(giver.orders)
        for rule in rules:
            if len(giver.orders) == given and not missing.keys().isdisjoint(rule["meets"]):
                give_acts(giver, [rule], insist=True)
        if len(giver.orders) == given:
            return not missing
    return False


def policies_of(ruleset: Ruleset) -> list[str]:
    """What may be chosen to play a nation: the sets of a ruleset's policies, its single rows, and `idle`."""
    rows = ruleset.rows("policies")
    return [*dict.fromkeys(str(row["set"]) for row in rows.values() if "set" in row), *rows, IDLE]


def policy_of(world: World, nation: str, chosen: str | None = None) -> Row | None:
    """The policy row of a nation: the one that is chosen, if its test holds; else the first that fits, `for`
    going first.

    A set may be chosen instead, of which it is then the first that fits, or `idle`: none. What is not given
    stands in the state.
    """
    rows = world.ruleset.rows("policies")
    chosen = chosen or world.state.get("nations", nation, "policy")
    if chosen == IDLE:
        return None
    me = Entity("nation", nation)
    if chosen in rows:
        if world.test(rows[str(chosen)].get("when"), {"self": me, "nation": me}):
            return rows[str(chosen)]
        chosen = None
    of_set = [row for row in rows.values() if row.get("set") == chosen]
    for row in sorted(of_set, key=lambda r: "for" not in r):
        wanted = row.get("for")
        if wanted is not None and not any(
            nation in world.members(w) for w in ([wanted] if isinstance(wanted, str) else wanted)
        ):
            continue
        if world.test(row.get("when"), {"self": me, "nation": me}):
            return row
    return None
