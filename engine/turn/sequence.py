"""The frame of the turn: a tree of nodes and a cursor through it.

Nodes are `phase` (names a run of steps), `input` (the resolution stops until it is there), `do` (a mechanic),
`each` (nested turns, in a given order or one that is `rolled`), `passes` (one order of a kind each, until
nobody has any), `ticks` (everything spends its k-th point), and on any with steps `all_or_none` (what cannot
all be paid is not done); on all of them `when`. The cursor stands in the state, so a turn can stop at an
input and go on later, in another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.dice import KeyedDice, Stream
from ..core.faults import few
from ..core.frame import nodes_in, step_name, steps
from ..core.journal import EVERYONE
from ..core.messages import plain
from ..core.model import Row, Ruleset, derived_of
from ..core.registry import mechanic
from ..core.state import Entity
from ..ruleset.expressions.parse import conjuncts, strip_mark
from ..world.messages import message, say
from ..world.selections import as_set, id_of
from . import outcomes
from .calendar import forget_answers, stands_on
from .context import Order, Turn
from .events import MOMENT, settle, step_over
from .validated_orders import RefusalCode

MOST_PASSES = 1_000

Level = dict[str, Any]
"""One level of the cursor: `i` the node's index, and for a loop `k` the round and `over` its members."""
Wanted = Callable[[Sequence[Level]], bool | None]
"""Of a step, told by the cursor: whether it is carried out (True), passed over (False), or the end (None)."""


def cursor(turn: Turn) -> list[Level]:
    return [dict(level) for level in turn.state.get("game", "game", "cursor") or []]


def node_at(turn: Turn, levels: Sequence[Level]) -> Row | None:
    """The node a cursor points to, or None past the end of its list."""
    nodes = _nodes(turn, levels)
    index = levels[-1]["i"]
    return nodes[index] if index < len(nodes) else None


def _nodes(turn: Turn, levels: Sequence[Level]) -> Sequence[Row]:
    nodes: Sequence[Row] = turn.nodes
    for level in levels[:-1]:
        nodes = nodes[level["i"]].get("steps", ())
    return nodes


def advance(
    turn: Turn,
    inputs_ready: bool,
    *,
    until: str | None = None,
    paused: bool = False,
    wanted: Wanted | None = None,
) -> Row | None:
    """Run from the cursor to the next input point (returned) or to the end of the turn (None).

    `inputs_ready` says that the input at the cursor has been taken in and is passed over once. `until` stops
    before the phase of that name, as if an input stood there; `paused` says that the cursor stands at such a
    stop. With `wanted` only some steps are carried out, no input is waited for, and the step at which it says
    so is the end (returned).
    """
    levels = turn.levels = cursor(turn) or [{"i": 0}]
    while True:
        node = node_at(turn, levels)
        if node is None:
            if len(levels) == 1:
                if wanted is None and turn.nodes is turn.ruleset.sequence:
                    _drop_the_rest(turn)
                _write(turn, [])
                return None
            levels.pop()
            _next_round(turn, levels)
            continue
        bind_loops(turn, levels)
        if not turn.world.test(node.get("when"), turn.names()):
            levels[-1]["i"] += 1
        elif "input" in node:
            if not inputs_ready and wanted is None:
                _write(turn, levels)
                return node
            inputs_ready = False
            levels[-1]["i"] += 1
        elif "steps" in node:
            if until is not None and node.get("phase") == until and not paused:
                _write(turn, levels)
                return {"pause": until}
            paused = False
            _enter(turn, node)
            if node.get("all_or_none") and wanted is None:
                _drop_unpaid(turn, node)
            if _start_rounds(turn, node, levels):
                levels.append({"i": 0})
            else:
                levels[-1]["i"] += 1
        else:
            want = wanted is None or wanted(levels)
            if want is None:
                _write(turn, levels)
                return node
            if want:
                run_step(turn, node)
            levels[-1]["i"] += 1
            # who tries every way the dice can fall goes on from equal positions once
            turn.dice.checkpoint(turn.position)
        if turn.state.get("game", "game", "ended"):
            _write(turn, [])
            return None


def run_step(turn: Turn, node: Row) -> None:
    """One mechanic, the events that wait for what it did, and those that wait for the step to be over."""
    step = step_name(node)
    turn.journal.step = step
    with turn.journal.entry(f"sequence/{step}", keep=False):
        turn.journal.set("game", "game", "step", step)
    turn.step_row = node
    mechanic(node["do"])(node, turn)
    if node["do"] != MOMENT:  # a moment does nothing else than to be over
        settle(turn)
    step_over(turn, node, step)
    outcomes.tell(turn, step)


def _drop_the_rest(turn: Turn) -> None:
    """Orders whose steps the turn has left out (`when`) are told as not carried out."""
    for order in turn.orders():
        steps_of = places_of(turn.ruleset, str(order["order"]))
        may_be_left_out = bool(steps_of) and all(tests for *_, tests in steps_of)
        if not may_be_left_out or order.get("status") or order.get("outcome") or stands_on(turn, order):
            continue
        phase = steps_of[0][1]
        named = f"its phase {phase!r}" if phase else "what would carry it out"
        turn.drop_order(order, f"{named} does not take place in this turn")


Steps = list[tuple[tuple[int, ...], str, tuple[str, ...]]]


def places_of(ruleset: Ruleset, key: str) -> Steps:
    """The steps that carry out orders of a row ("form/id"): where each is in the sequence, the name of its
    phase, and the tests (`when`) under which it takes place."""
    return steps_of_orders(ruleset).get(key, [])


@derived_of()
def steps_of_orders(ruleset: Ruleset) -> dict[str, Steps]:
    """`places_of` of every row of orders that a step carries out."""
    out: dict[str, Steps] = {}
    for node in nodes_in(ruleset.sequence):
        if "do" not in node.row:
            continue
        phase = ""
        tests: list[str] = []
        for row in node.along:
            phase = str(row.get("name", row["phase"])) if "phase" in row else phase
            when = row.get("when")
            tests += conjuncts(when) if isinstance(when, str) else ()
        for order in step_orders(ruleset, node.row):
            out.setdefault(order, []).append((node.path, phase, tuple(tests)))
    return out


def _enter(turn: Turn, node: Row) -> None:
    """The start of a phase: `was(.., 'phase')` reads this moment."""
    if "phase" in node:
        turn.journal.step = str(node["phase"])
        turn.world.remember("phase", turn.state.copy())
        says = plain(str(node["name"])) if node.get("name") else None
        with turn.journal.entry(f"sequence/{node['phase']}", says=says, audience=("everyone",)):
            turn.journal.set("game", "game", "phase", node["phase"])


def _drop_unpaid(turn: Turn, block: Row) -> None:
    """Of a nation whose orders in a block cannot all be paid none is carried out (`all_or_none`).

    The steps of the block are tried on a copy of the position, one order after another, each on what the
    earlier ones bring; dice, and the votes of others, are kind.
    """
    ids = {key for node in steps(block["steps"]) for key in step_orders(turn.ruleset, node)}
    theirs: dict[str, list[Order]] = {}
    for order in turn.orders_here(sorted(ids)):
        if order.get("status") is None:
            theirs.setdefault(str(order["nation"]), []).append(order)
    if all(len(orders) < 2 for orders in theirs.values()):
        return
    trial = Turn(
        turn.ruleset,
        turn.state.copy(),
        KeyedDice(b"a trial", 1),
        moments=turn.world.moments,
        geography=turn.world.geography,
    )
    trial.loops, trial.fortune = turn.loops, True
    for node in steps(block["steps"]):
        if trial.world.test(node.get("when"), trial.names()):
            run_step(trial, node)
    trial.world.close()
    for nation, orders in sorted(theirs.items()):
        unpaid = {
            str(o["key"]): why
            for o, code, why in trial.dropped
            if o["nation"] == nation and code == RefusalCode.MEANS
        }
        if not unpaid:
            continue
        first = next(o for o in orders if o["key"] in unpaid)
        others = f"{first.get('text', '')!r} cannot be paid: all are bought, or none"
        for order in orders:
            turn.drop_order(order, unpaid.get(str(order["key"]), others), RefusalCode.MEANS)


def _start_rounds(turn: Turn, node: Row, levels: list[Level]) -> bool:
    """Set up the rounds of a node with steps. False if there are none."""
    level = levels[-1]
    if "each" in node:
        members = [id_of(t) for t in _order(turn, node)]
        if "rolled" in node and turn.world.test(node["rolled"].get("when"), turn.names()):
            members = _rolled(turn, node, members)
        level.update(k=-1, over=members)
        return _begin_round(turn, node, level)
    if "ticks" in node:
        most = int(turn.world.value(strip_mark(str(node["ticks"]["most"])), turn.names()))
        level.update(k=0, over=list(range(1, few(most, "ticks") + 1)))
        return most > 0
    if "passes" in node:
        level.update(k=0, over=[id_of(t) for t in _order(turn, node["passes"], key="over")])
        return _pass_left(turn, node, level)
    level.update(k=0, over=[None])
    return True


def _order(turn: Turn, node: Row, key: str = "order") -> tuple[Any, ...]:
    text = str(node.get(key) or f"{node.get('each')}s()")
    return as_set(turn.world, turn.world.value(strip_mark(text), turn.names()))


def _begin_round(turn: Turn, node: Row, level: Level) -> bool:
    """The next round of an `each`, past nations that are no more and members that have none (`only`). False
    if none is left.

    With `own_turn` the round is a turn of its own for whoever has it: `was(.., 'turn')` reads its start.
    """
    kind = str(node["each"])
    level["k"] += 1
    while level["k"] < len(level["over"]) and not _has_round(
        turn, node, Entity(kind, level["over"][level["k"]])
    ):
        level["k"] += 1
    if level["k"] >= len(level["over"]):
        return False
    member = Entity(kind, level["over"][level["k"]])
    if node.get("own_turn"):
        turn.world.remember("turn", turn.state.copy())
        lay_away(turn, member.id)
    if "says" in node:
        name = node_name(node)
        turn.journal.step = name
        says = message(turn.world, node["says"], {**turn.loops, kind: member, "self": member})
        with turn.journal.entry(f"sequence/{name}", subject=member.id, says=says, audience=(EVERYONE,)):
            pass
    return True


def _has_round(turn: Turn, node: Row, member: Entity) -> bool:
    """Whether a member of an `each` has its round when it comes to it: a nation that is no more has none."""
    if member.kind == "nation" and not turn.world.alive(member.id):
        return False
    return turn.world.test(node.get("only"), {**turn.loops, member.kind: member, "self": member})


def lay_away(turn: Turn, nation: str) -> None:
    """What a nation has ordered, or answered, for the turns of others (`stands: own_turn`) is over with the
    beginning of its own.
    """
    with turn.journal.entry("sequence/own-turn", subject=nation, keep=False):
        for key in [
            k
            for k, o in sorted(turn.state.table("orders").items())
            if o["nation"] == nation and stands_on(turn, o)
        ]:
            turn.journal.put_row("orders", key, None)
        forget_answers(turn, [nation], "own_turn")


def _rolled(turn: Turn, node: Row, members: list[str]) -> list[str]:
    """The members by a die each, the highest first; those who tie roll again among themselves."""
    name = node_name(node)
    turn.journal.step = name
    streams: dict[str, Stream] = {}

    def ranked(those: list[str]) -> list[str]:
        if len(those) < 2:
            return those
        faces: dict[int, list[str]] = {}
        for member in those:
            if member not in streams:
                streams[member] = turn.stream(f"sequence/{name}", member)
            faces.setdefault(streams[member].roll(node["rolled"].get("die", "1d10")), []).append(member)
        return [m for face in sorted(faces, reverse=True) for m in ranked(faces[face])]

    with turn.journal.entry(f"sequence/{name}", audience=(EVERYONE,)) as entry:
        order = ranked(members)
        for member in sorted(streams):
            record = streams[member].take()
            if record is not None:
                entry.dice.append({**record, "subject": member})
        entry.data["order"] = order
        members_ = [Entity(str(node["each"]), m) for m in order]
        entry.tell(say(turn.world, "Turns are taken by {order}.", order=members_))
    return order


def node_name(node: Row) -> str:
    """The name that entries of a loop of the sequence of play go by."""
    return str(next((node[k] for k in ("id", "step", "phase", "each") if k in node), "turn"))


def own_turns(ruleset: Ruleset) -> frozenset[str]:
    """The rules of the entries with which turns of single nations begin; none where all play together."""
    own = (n for _, n, _ in nodes_in(ruleset.sequence) if n.get("own_turn") and n.get("each") == "nation")
    return frozenset(f"sequence/{node_name(n)}" for n in own)


def _next_round(turn: Turn, levels: list[Level]) -> None:
    """A list of steps is done: the next round of its loop, or on to the next node."""
    level = levels[-1]
    node = node_at(turn, levels)
    assert node is not None
    if "each" in node:
        if _begin_round(turn, node, level):
            levels.append({"i": 0})
        else:
            _leave(level)
        return
    level["k"] += 1
    if "passes" in node:
        if level["k"] > MOST_PASSES * len(level["over"]):
            raise RuntimeError(
                f"passes without end: what {node['passes'].get('while')!r} asks for is never used up"
            )
        if level["k"] % len(level["over"]) == 0 and not _pass_left(turn, node, level):
            _leave(level)
            return
        levels.append({"i": 0})
        return
    if level["k"] < len(level["over"]):
        levels.append({"i": 0})
    else:
        _leave(level)


def _leave(level: Level) -> None:
    level["i"] += 1
    level.pop("k", None)
    level.pop("over", None)


def _pass_left(turn: Turn, node: Row, level: Level) -> bool:
    """Whether anybody still has what a round of passes uses up (`while`, tested for each member)."""
    test = node["passes"].get("while", True)
    return any(
        turn.world.test(test, {"self": Entity("nation", m), "nation": Entity("nation", m)})
        for m in level["over"]
    )


def bind_loops(turn: Turn, levels: Sequence[Level]) -> None:
    """The names that the loops around the cursor give to the steps inside."""
    turn.loops = {}
    nodes: Sequence[Row] = turn.nodes
    for level in levels[:-1]:
        node = nodes[level["i"]]
        if "each" in node or "passes" in node:
            member = level["over"][level["k"] % len(level["over"])]
            turn.loops[str(node.get("each", "nation"))] = Entity(str(node.get("each", "nation")), member)
            turn.loops["self"] = Entity("nation", member)
        elif "ticks" in node:
            turn.loops["tick"] = level["over"][level["k"]]
        nodes = node.get("steps", ())


def _write(turn: Turn, levels: list[Level]) -> None:
    with turn.journal.entry("sequence/cursor", keep=False):
        turn.journal.set("game", "game", "cursor", levels or None)


def step_orders(ruleset: Ruleset, node: Row) -> list[str]:
    """The orders that name a step of the sequence of play, or are acts of it, as "form/id"."""
    step = step_name(node)
    acts = [f"actions/{a}" for a in node.get("actions", ())]
    return acts + [order for order, at in _orders_with(ruleset, "step") if at == step]


@derived_of("orders")
def _orders_with(ruleset: Ruleset, key: str) -> tuple[tuple[str, str], ...]:
    """The orders whose rows have a key, as "form/id", each with what it says there."""
    orders: Mapping[str, Mapping[str, Any]] = ruleset.rows("orders")
    return tuple((f"orders/{id_}", str(row[key])) for id_, row in orders.items() if key in row)


def carried_out(ruleset: Ruleset, node: Row) -> list[str]:
    """The orders that a step carries out, as "form/id": those of `step_orders`, and those that do what it
    names.
    """
    every = "movement" not in node and node["do"] == "move"
    named = {
        *node.get("movement", ruleset.rows("movement") if every else ()),
        *node.get("detection", ()),
        *node.get("rows", ()),
    }
    done = [order for order, does in _orders_with(ruleset, "does") if does in named]
    return list(dict.fromkeys([*step_orders(ruleset, node), *done]))
