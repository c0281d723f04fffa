"""The battle that orders bring about, as the referee sets it up: the same moves, the same parties, the same conditions.

Orders are carried out on a copy of the position, everybody else being silent, up to the fight; what stands there then is the
question, with every force that may leave by conditions of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...core.dice import KeyedDice
from ...core.model import Row, Ruleset
from ...core.registry import mechanic
from ...core.state import UNIT_CORE, WHOLE_ROW, unit_key
from ...turn.context import Order, Turn
from ...turn.frame import steps
from ...units import forces
from ...world.world import World
from ..battles import (
    Battle,
    leave_rule,
    loss_orders,
    order_options,
    outline_contest,
    party_stacks,
    supporters,
    takes_part,
    troops,
)
from ..encounters import contested
from ..leaving import movable_of, refuge
from ..members import ATTACKER, DEFENDER, SIDES
from .ask import WORD, Force, Question, Tables

LIMITS = ("rounds", "losses", "kills")


class NoBattle(ValueError):
    """The orders do not lead to a battle; the message says why."""


def as_written(
    world: World, nation: str, orders: Sequence[Order], place: str, defenders: Force | None = None
) -> tuple[World, Question]:
    """The world after the moves of these orders, and the battle in a place to which they lead. The world given stays as it is.

    `defenders` stand there in place of whoever is known to. NoBattle if nobody fights there, or the orders cannot be carried out.
    """
    turn = carried_out(world, nation, orders, place, defenders)
    for row in _battles(turn.ruleset, orders):
        for battle in contested(turn, row):
            if battle.place == place and _is_fought(turn, battle, nation):
                return _asked(turn, battle)
    refused = [str(e.data["refused"]) for e in turn.journal.entries if "refused" in e.data]
    raise NoBattle(f"the order is not carried out: {refused[0]}" if refused else "there is nobody there whom they fight")


def carried_out(
    world: World, nation: str, orders: Sequence[Order], place: str = "", defenders: Force | None = None, seed: int = 1
) -> Turn:
    """A turn of its own in which these orders have been carried out up to the first fight for which they move."""
    state = world.state.copy()
    turn = Turn(world.ruleset, state, KeyedDice(seed.to_bytes(32, "big"), 1), geography=world.geography)
    turn.world.moments.update(world.moments)
    turn.journal.step = "orders"
    with turn.journal.entry("frame/orders"):
        if defenders is not None:
            _stand(turn, place, nation, defenders)
        for number, order in enumerate(orders, 1):
            turn.journal.put_row("orders", f"{nation}/{number:04d}", {"nation": nation, **order})
    for node in _nodes(turn.ruleset, orders):
        turn.journal.step = str(node.get("step", node["do"]))
        with turn.journal.entry(f"frame/{turn.journal.step}"):
            turn.journal.set("game", "game", "step", turn.journal.step)
        turn.step_row = node
        mechanic(node["do"])(node, turn)
    return turn


def _stand(turn: Turn, place: str, nation: str, units: Force) -> None:
    """Others than the nation's own and its allies' leave a place, and these units stand there."""
    for key, row in turn.state.stacks(at=place):
        if not turn.world.allied(nation, row["owner"]):
            turn.journal.put_row("units", key, None)
    for (owner, kind, *more), n in units.items():
        turn.journal.units(owner, kind, place, n, **dict(*more))


def _nodes(ruleset: Ruleset, orders: Iterable[Order]) -> list[Row]:
    """The steps of the frame by which the acts and moves of orders are carried out, in their order."""
    acts, modes = set(), set()
    for order in orders:
        form, _, id_ = order["order"].partition("/")
        acts |= {id_} if form == "acts" else set()
        modes |= {str(ruleset.rows("orders").get(id_, {}).get("does"))} if form == "orders" else set()
    out = []
    for node in steps(ruleset.frame):
        does = (node["do"] == "act" and acts & set(node.get("acts", acts))) or (
            node["do"] == "move" and modes & set(node.get("modes", modes)) and node.get("which") not in ("arrive", "onward")
        )
        if does:
            out.append(node)
    return out


def _battles(ruleset: Ruleset, orders: Iterable[Order]) -> list[Row]:
    """The battles that steps of the frame fight once the orders have been carried out, in their order."""
    everything, done = steps(ruleset.frame), _nodes(ruleset, orders)
    after = max((i for i, node in enumerate(everything) if any(node is d for d in done)), default=0)
    named = [id_ for node in everything[after:] if node["do"] == "fight" for id_ in node["battles"]]
    return [ruleset.row("battles", id_) for id_ in dict.fromkeys(named)]


def _is_fought(turn: Turn, battle: Battle, nation: str) -> bool:
    """Whether a nation attacks in a battle in which both sides have somebody to fight with."""
    members = troops(turn, battle, {})
    groups, holding = outline_contest(turn, battle, members)
    standing = [any(groups[i].n for i in side) for side in holding]
    return all(standing) and any(m.side == ATTACKER and m.row["owner"] == nation for m in members)


def _asked(turn: Turn, battle: Battle) -> tuple[World, Question]:
    """A battle that is about to begin as a question: who stands there on which side, and when which part would leave."""
    units: dict[str, Any] = {}
    there: list[dict[Any, int]] = [{}, {}]
    gone: list[str] = []
    for key, row, side in _everybody(turn, battle):
        extra = {**{k: v for k, v in row.items() if k not in UNIT_CORE}, WORD: SIDES[side]}
        units[unit_key(row["owner"], row["kind"], row["place"], extra)] = {**row, WORD: SIDES[side]}
        there[side][row["owner"], row["kind"]] = there[side].get((row["owner"], row["kind"]), 0) + int(row["n"])
        gone.append(key)
    limits = {side: {"by": by} for side in (ATTACKER, DEFENDER) if (by := _limits(turn, battle, side))}
    orders = {owner: order for owner, order in loss_orders(turn, battle).items() if order}
    for key in gone:  # they stand in the question from now on
        turn.state.put("units", key, WHOLE_ROW, None)
    tables: Tables = {"units": units, "forces": dict(turn.state.table("forces"))}
    question = Question(
        battle.row["id"], there[ATTACKER], there[DEFENDER], battle.place, orders=orders, limits=limits, tables=tables
    )
    return turn.world, question


def _everybody(turn: Turn, battle: Battle) -> list[tuple[str, Row, int]]:
    """The stacks on either side, those that act from elsewhere included; of preludes, too."""
    found = [(key, dict(row), side) for side in (ATTACKER, DEFENDER) for key, row in party_stacks(turn, battle, side)]
    for side, force, _ in supporters(turn, battle):
        found += [(key, dict(row), side) for key, row in forces.stacks_of(turn.state, force)]
    return list({key: (key, row, side) for key, row, side in found}.values())


def _limits(turn: Turn, battle: Battle, side: int) -> dict[str, Mapping[str, Any]]:
    """When each part of a side leaves by its orders (force, or nation of units in none), if there is somewhere to go."""
    rule, words = leave_rule(battle, side), battle.row.get("options", {})
    out: dict[str, Mapping[str, Any]] = {}
    for who, options in order_options(turn, battle, side).items() if rule is not None else ():
        said = {limit: options[words[limit]] for limit in LIMITS if words.get(limit) in options}
        movable = movable_of(turn, battle, side, who, rule) if said and rule is not None else []
        if not movable or not any(takes_part(turn, battle, side, key, row) for key, row in movable):
            continue
        owner, kinds = movable[0][1]["owner"], {row["kind"] for _, row in movable}
        if refuge(turn, battle, side, who, owner, options, dict(rule or {}), {}, kinds=kinds) is not None:
            out[who] = said
    return out
