"""The turn as a nation may expect it: its own orders carried out one after another, all others silent, the
dice kind to it and others of its mind where they vote.

Whether an order may be given is asked of the position in which it will be carried out. What the nation's own
orders of earlier steps make possible in this turn (an advance that is discovered, paid for and built with; a
war that is declared, and fought) is so by then, and what it collects and pays on the way. Moves are made when
an order comes that may start where they lead (`again` of a mode), and all go well. A `Lookahead` is the
nation's view with these orders carried out by the resolution's own functions, step by step in the order of
the sequence, with the events that wait for what they did; and so are the steps of the sequence that say so
(`foreseen`): rounds of movement that earlier orders have made ready. What others do and battles are not
foreseen; only that an ally may pay for what is too dear (`may_be_given`).

What an order changes is known to its kind (`kinds/`), which carries it out here; a lookahead knows steps,
dice and passages.

What is bought for a place, or put there, may be meant for units that an earlier line brings: it is asked of
the position after all moves that meet nobody. Those into a fight are not won yet, and nobody counts on who is
in one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..core.dice import KeyedDice
from ..core.frame import Path, inputs, nodes_in, step_name
from ..core.model import Row, Ruleset, derived_of
from ..core.nested import inside
from ..core.registry import mechanic
from ..core.state import Entity, columns
from ..economy import purchase
from ..economy.catalogue import Market
from ..ruleset.action_changes import with_own_cases
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.reads import Tables
from ..ruleset.order_syntax import slot_of
from ..turn import events
from ..turn.acts import Spent, closed
from ..turn.context import Order, OrderContext, Turn
from ..turn.effects import EffectRunner
from ..turn.sequence import Level, advance, carried_out
from ..turn.slots import unmet
from ..turn.validated_orders import Note, ValidatedOrder
from ..turn.verbs import take
from ..world import treasury
from ..world.messages import fill
from ..world.world import World


class Ahead(NamedTuple):
    """A move of an earlier order that is still to be made: how, whether it goes into a fight, and whether its
    mode is for those who may have moved before (`again`), from whose ends no order starts."""

    make: Callable[[], None]
    fights: bool
    last: bool


Place = tuple[int, int]
"""Where in the sequence of play an order is carried out: which step, and which of its acts."""

FIRST: Place = (-1, 0)
"""Where answers are understood: as things stand."""
LAST: Place = (1 << 30, 0)

CHANGING = frozenset({"act", "purchase"})
"""The mechanics whose orders are carried out in a prospect. Of the steps between two of these all orders are
taken together, by line: who takes units first is whom the player names first, not whose step comes first."""
_OF_EVERY_ACT = frozenset({*columns("orders", "status"), "orders", *columns("uses"), "uses"})
"""The tables that every act changes which is carried out."""
FORESEEN = frozenset({"collect", "upkeep"})
"""The mechanics that a prospect carries out for its nation without any order."""


@derived_of()
def in_frame(ruleset: Ruleset) -> Mapping[str, tuple[Place, Row]]:
    """Where orders ("form/id") are carried out, with the step, which knows its phase; one of several steps is
    in the first.

    Answers are in no step (an empty row), and before all others.
    """
    out: dict[str, tuple[Place, Row]] = {f"decisions/{id_}": (FIRST, {}) for id_ in ruleset.rows("decisions")}
    changes = 0
    for node in _steps(ruleset.sequence):
        changes += node["do"] in CHANGING
        number = 2 * changes + (node["do"] not in CHANGING)
        listed = (
            0 if node.get("as_written") else len(node.get("actions", ()))
        )  # act by act, as the step lists them
        for index, key in enumerate(carried_out(ruleset, node)):
            out.setdefault(key, ((number, index if index < listed else 0), node))
    return out


def place_of(ruleset: Ruleset, order: Order) -> Place:
    """Where an order of a file is understood: in its step; answers before all others, what no step carries
    out after them."""
    return in_frame(ruleset).get(order["order"], (LAST, {}))[0]


def gate(view: World) -> list[tuple[Place, Row]]:
    """The requirements of the input at which the game waits (of the first, if it waits at none), in order of
    the steps."""
    ruleset = view.ruleset
    here = view.state.get("game", "game", "cursor") or []
    node: Any = None
    nodes: Any = ruleset.sequence
    for level in here:
        node = nodes[level["i"]] if level["i"] < len(nodes) else None
        nodes = (node or {}).get("steps", ())
    if node is None or "input" not in node:
        node = next(iter(inputs(ruleset.sequence)), {})
    places = _places(ruleset)
    rows = node.get("requires", ())
    return sorted(((places.get(row.get("at", ""), LAST), row) for row in rows), key=lambda found: found[0])


@derived_of()
def _places(ruleset: Ruleset) -> dict[str, Place]:
    """The place before each step of the sequence of play."""
    out: dict[str, Place] = {}
    changes = 0
    for node in _steps(ruleset.sequence):
        changes += node["do"] in CHANGING
        out.setdefault(step_name(node), (2 * changes + (node["do"] not in CHANGING), -1))
    return out


def _steps(frame: Iterable[Row]) -> Iterable[Row]:
    """The steps of the sequence, each with its phase, its path, the tests of all steps around it, and whether
    it is carried out for one nation after another."""
    for node in nodes_in(frame):
        if "do" in node.row:
            yield {
                **node.row,
                "in phase": str((node.nearest("phase") or {}).get("phase", "")),
                "path": node.path,
                "tests": tuple(row["when"] for row in node.along if "when" in row),
                "alone": any("each" in row for row in node.above),
            }


@derived_of()
def _foreseen(ruleset: Ruleset) -> list[tuple[Place, Row]]:
    """The steps that give and take means by themselves and the nodes marked `foreseen`, with their places in
    the sequence of play."""
    out: list[tuple[Place, Row]] = []
    marked = [path for path, node, _ in nodes_in(ruleset.sequence) if node.get("foreseen")]
    changes = 0
    for node in _steps(ruleset.sequence):
        changes += node["do"] in CHANGING
        inside = next((path for path in marked if node["path"][: len(path)] == path), None)
        if inside is not None:
            marked.remove(inside)
            out.append(((2 * changes + 1, 0), {"path": inside, "foreseen": True}))
        elif node["do"] in FORESEEN:
            out.append(((2 * changes + 1, 0), node))
    return out


class Lookahead:
    """The position of one nation's orders as they are carried out one by one. `view` is its view, which stays
    as it is.

    `orders` are those of its file that are no answers. `unlucky` are the orders (their `place` in the file)
    that fail by dice or by the votes of others; all others succeed. Its own answers are those of the file.
    """

    def __init__(
        self, view: World, nation: str, orders: Iterable[Order], unlucky: Collection[int] = ()
    ) -> None:
        self.nation = nation
        self.unlucky = unlucky
        self.rolled: list[int] = []
        """The places in the file of the orders that depend on a test by dice or on a vote of others."""
        state = view.state.copy()
        for old in [k for k, row in state.table("orders").items() if row.get("nation") == nation]:
            state.put("orders", old, "*", None)
        for order in orders:
            state.put("orders", _key(order), "*", bare(order))
        self.turn = Turn(
            view.ruleset,
            state,
            KeyedDice(b"a prospect", 1),
            moments=view.moments,
            geography=view.geography,
            copied=view,
        )
        self.turn.read_at = {}  # what events watch for was looked at before the orders were asked for
        self._market: Market | None = None
        self._step = ""
        self._phase = ""
        self._gate = list(gate(view))
        self.gated = bool(self._gate)
        here = tuple(int(level["i"]) for level in view.state.get("game", "game", "cursor") or ())
        self._foreseen = [(place, node) for place, node in _foreseen(view.ruleset) if node["path"] > here]
        self.unmet: list[tuple[str, str]] = []
        """The requirements that the orders so far do not fulfill: their ids (of one that has none what it
        tests), and what is missing."""
        self.moves: list[Ahead] = []
        """Moves of earlier orders, which are made when an order comes that may start, or be about somebody,
        where they lead."""
        self._settled = False
        self._done: list[int] = []  # the places in the file of the orders of this step
        self.spent = Spent()
        """What the orders that were put off use up."""
        self._put_off: list[tuple[Callable[[], None], Tables]] = []
        self.means_changed = False
        """Whether the nation has collected or paid something on the way, whatever it ordered."""

    @property
    def market(self) -> Market:
        """The price list at this position; what was bought before counts."""
        if self._market is None:
            self._market = Market(self.turn.world, self.nation)
        return self._market

    def go_to(self, order: Order, *, moves_on: bool = False, finds_moved: bool = False) -> None:
        """On to the step in which an order is carried out. `moves_on`: it may start where earlier moves
        lead; `finds_moved`: it may be about somebody there."""
        place = place_of(self.turn.ruleset, order)
        _, node = in_frame(self.turn.ruleset).get(order["order"], (place, None))
        turn, step = self.turn, step_name(node) if node else self._step
        if moves_on or finds_moved:
            self.catch_up()
        if step != self._step:
            self._end_step()
        self.pass_gates(place)
        self._pass_means(place)
        if not node:
            return
        if node["in phase"] != self._phase:
            self._phase = str(node["in phase"])
            turn.world.remember("phase", turn.state.copy())
        if step != self._step:
            self._step = turn.journal.step = step
            with turn.journal.entry(f"sequence/{step}"):
                turn.journal.set("game", "game", "step", step)
            self._market = None
            turn.world.remember("step", turn.state.copy() if node["do"] == "act" else None)
            if node["do"] == "purchase":
                purchase.unite_purses(turn, [self.nation])
        if moves_on:
            self._make_moves(lambda move: not move.last)
        elif finds_moved:
            self._make_moves(lambda move: not move.fights)

    def put_off(self, carry_out: Callable[[], None], changes: Tables) -> None:
        """Carry an order out when somebody asks for what it changes, beside orders and limits these tables:
        most orders of a file do not ask what those above them say, and the last is asked by none."""
        self._put_off.append((carry_out, changes))

    def is_behind(self, asked: Tables | None) -> bool:
        """Whether an order that asks for these tables (None: any) asks for what has been put off."""
        return bool(self._put_off) and (
            asked is None
            or not _OF_EVERY_ACT.isdisjoint(asked)
            or any(not changes.isdisjoint(asked) for _, changes in self._put_off)
        )

    def catch_up(self) -> bool:
        """Carry out what has been put off; whether there was anything."""
        if not self._put_off:
            return False
        due, self._put_off = self._put_off, []
        self.spent.used.clear()
        for carry_out, _ in due:
            carry_out()
        return True

    def _make_moves(self, due: Callable[[Ahead], bool]) -> None:
        """Make the moves that are due; the others wait."""
        now, self.moves = [m for m in self.moves if due(m)], [m for m in self.moves if not due(m)]
        for move in now:
            move.make()
        if now:
            self._market = None

    def _end_step(self) -> None:
        """What follows from the orders of a step: the events that wait for what they did. They share its
        dice."""
        self.catch_up()
        turn = self.turn
        if self._done:
            turn.chanced, turn.fortune = False, not any(place in self.unlucky for place in self._done)
            events.settle(turn)
            turn.fortune = None
            self.rolled += [place for place in self._done if turn.chanced and place not in self.rolled]
            self._done, self._market = [], None

    def pass_gates(self, place: Place = LAST) -> None:
        """Test the requirements that stand before a place of the sequence; without one, all that are left."""
        while self._gate and self._gate[0][0] <= place:
            at, row = self._gate.pop(0)
            self._end_step()
            self._pass_means(at)
            who = Entity("nation", self.nation)
            names = {"self": who, "nation": who}
            if not self.turn.world.test(row["test"], names):
                known_as = row.get("id", row["test"])
                self.unmet.append((known_as, fill(self.turn.world, row["message"], names)))

    def _pass_means(self, place: Place) -> None:
        """Collect and pay what the nation does before a place of the sequence of play, whatever it orders."""
        while self._foreseen and self._foreseen[0][0] <= place:
            self.catch_up()
            _, node = self._foreseen.pop(0)
            if "foreseen" in node:
                self._carry_on(node["path"])
                continue
            turn, who = self.turn, Entity("nation", self.nation)
            turn.loops = {"nation": who, "self": who}
            if all(turn.world.test(test, turn.names()) for test in node["tests"]):
                turn.journal.step = step_name(node)
                turn.step_row = node
                before = turn.state.version
                mechanic(node["do"])(node, turn)
                self.means_changed |= turn.state.version != before
                self._market = None
            turn.loops, turn.step_row = {}, {}
            turn.journal.step = self._step or turn.journal.step

    def _carry_on(self, path: Path) -> None:
        """Carry out a step of the sequence, with what the nation's earlier orders have made ready for it, if
        there are any."""
        if not self._settled:
            return
        turn = self.turn
        here = turn.state.get("game", "game", "cursor")
        turn.state.put(
            "game",
            "game",
            "cursor",
            [*({"i": i, "k": 0, "over": [None]} for i in path[:-1]), {"i": path[-1]}],
        )
        turn.fortune = True

        def inside(levels: Sequence[Level]) -> bool | None:
            return True if tuple(int(level["i"]) for level in levels)[: len(path)] == path else None

        advance(turn, inputs_ready=True, wanted=inside)
        turn.fortune, turn.loops, turn.step_row = None, {}, {}
        turn.state.put("game", "game", "cursor", here)
        turn.journal.step = self._step or turn.journal.step
        self._market = None

    @contextmanager
    def carrying_out(self, order: Order) -> Iterator[Order]:
        """While an order is carried out, filed among those of the turn: whether it depends on dice or votes
        is noted."""
        self._settled = True
        turn, key = self.turn, _key(order)
        turn.state.put("orders", key, "*", bare(order))
        turn.chanced, turn.fortune = False, order.get("place") not in self.unlucky
        yield {"key": key, **bare(order)}
        turn.fortune = None
        self._done.append(int(order.get("place", 0)))
        if turn.chanced:
            self.rolled.append(self._done[-1])

    def pay(self, intent: ValidatedOrder) -> None:
        """Pay what an order costs, unless its means are still to come in."""
        if not intent.cost or any(r.note == Note.MEANS for r in intent.remarks):
            return
        with self.turn.journal.entry(intent.verb, subject=self.nation) as entry:
            runner = EffectRunner(self.turn, entry, intent.verb, self.nation)
            for what, amount in intent.cost.items():
                if intent.purse:
                    treasury.pay(self.turn.journal, intent.purse, what, amount)
                else:
                    take(runner, Entity("nation", self.nation), what, amount, intent.paid_at)

    def drop(self, order: Order) -> None:
        """An order does not stand: it is not there for those that ask for it."""
        self.turn.state.put("orders", _key(order), "*", None)

    def close(self) -> None:
        """Let go of its world, once all orders are understood (`World.close`)."""
        self.moves, self._put_off = [], []
        self._market = None
        self.turn.world.close()


def at_its_step(view: World, nation: str, key: str) -> World:
    """The position in which an order ("form/id") is carried out that is the only one of its nation: the view
    itself, unless what the nation has changes by then."""

    def make() -> World:
        prospect = Lookahead(view, nation, ())
        prospect.go_to({"nation": nation, "order": key, "slots": {}})
        return prospect.turn.world if prospect.means_changed else view

    where = place_of(view.ruleset, {"order": key})
    early = all(where < place for place, _ in _foreseen(view.ruleset))
    return view if early else view.keep(("at its step", nation, where), None, make)


def _key(order: Order) -> str:
    return f"{order['nation']}/{int(order.get('place', 0)):04d}"


def bare(order: Mapping[str, Any]) -> Order:
    """An order as the resolution takes it: without what the reader and the check noted of it."""
    return {key: value for key, value in order.items() if key not in _NOTED}


_NOTED = frozenset({"columns", "readings", "place", "mended", "guessed", "first", "listed"})


# ---- what others may give


class Gift(NamedTuple):
    """An act that pays a nation: always the same one, or the one that a slot names."""

    act: Row
    to: str
    slot: str


def may_be_given(context: OrderContext, nation: str, order: Order) -> bool:
    """Whether an act of somebody else that is carried out in a step before that of this order may pay its
    nation.

    What an act of others pays (verb `pay`) may be spent in later steps of the same turn, and nobody knows
    beforehand what others will give: where such an act is open to an ally, or made for this nation alone,
    lack of means only warns. Nobody counts on what a stranger might give to anyone.
    """
    ruleset = context.ruleset
    step, _ = place_of(ruleset, order)
    return any(at < step and _open_for(context, gift, nation) for at, gift in _gifts(ruleset))


@derived_of()
def _gifts(ruleset: Ruleset) -> list[tuple[int, Gift]]:
    """The payments to others by acts of steps in which all nations act together, with the step of each."""
    out: list[tuple[int, Gift]] = []
    steps = in_frame(ruleset)
    for id_, row in ruleset.rows("actions").items():
        (step, _), node = steps.get(f"actions/{id_}", (LAST, {"alone": True}))
        if node["alone"]:
            continue
        nations = {
            name
            for name, declared in row.get("slots", {}).items()
            if slot_of(name, declared).kind == "nation"
        }
        for to in dict.fromkeys(_paid(with_own_cases(ruleset, row))):
            if ruleset.has("nations", to):
                out.append((step, Gift(row, to, "")))
            elif strip_mark(to) in nations:
                out.append((step, Gift(row, "", strip_mark(to))))
    return out


def _paid(part: Any) -> Iterator[str]:
    """Whom the effects of a row pay, as it says it."""
    for key, said in inside(part):
        if key == "pay" and isinstance(said, dict) and said.get("to") is not None:
            yield str(said["to"])


def _open_for(context: OrderContext, gift: Gift, nation: str) -> bool:
    """Whether another nation may give so to this one, as far as this one can tell: an ally, where the act is
    not made for it."""
    if gift.to not in ("", nation):
        return False
    for giver in context.ruleset.rows("nations"):
        if giver == nation or (gift.slot and not context.world.allied(giver, nation)):
            continue
        if closed(context, gift.act, giver) is not None:
            continue
        slots = {gift.slot: nation} if gift.slot else {}
        order: Order = {"nation": giver, "order": f"actions/{gift.act['id']}", "slots": slots, "options": {}}
        if unmet(context, gift.act, context.order_names(order), secrets=False) is None:
            return True
    return False
