"""What a mechanic is given: the rules, the world to read, the journal to write, dice, orders and answers.

One `Turn` lives from one input point to the next. Mechanics are functions `run(node, turn)`; they read
through `turn.world`, change through `turn.journal`, and ask `turn` for orders, dice and decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.dice import DiceSource, Stream
from ..core.fairness import ALL, shared
from ..core.journal import EVERYONE, NOBODY, Journal
from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity, State, columns
from ..ruleset.expressions.parse import parse, strip_mark
from ..world.messages import say
from ..world.world import Names, World
from .validated_orders import RefusalCode

if TYPE_CHECKING:
    from ..world.geography import Geography

Order = dict[str, Any]
"""An accepted order: key, nation, order ("form/id" of its row), slots, options, text, line."""


class OrderContext:
    """What orders are read and tested with: a world and the names bound around it. Reads only.

    The resolution's `Turn` is one; the checker of orders makes one of a nation's view, so that both test
    alike.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.ruleset = world.ruleset
        self.loops: dict[str, Any] = {}
        # the versions of tables when those who watch them were last asked
        self.read_at: dict[str, int] | None = None

    @property
    def state(self) -> State:
        return self.world.state

    @property
    def number(self) -> int:
        return int(self.state.get("game", "game", "turn", 0))

    def order_names(self, order: Order) -> dict[str, Any]:
        """The names an order's expressions may use: `self`, `nation`, its slots as things (one left out: its
        default).

        `line` says where it stands among the orders of its nation ("nation/number"; number 0: in no file),
        for what depends on those above.
        """
        nation = Entity("nation", order["nation"])
        names: dict[str, Any] = {
            **self.loops,
            "self": nation,
            "nation": nation,
            "action": order["order"].partition("/")[2],
            "line": order.get("key") or f"{order['nation']}/{order.get('place', 0)}",
        }
        slots = _slots_of(self.ruleset, order["order"])
        said = order.get("slots", {})
        for slot, value in said.items():
            names[slot] = self._value(slots.kinds.get(slot), value)
        for slot, default, reads in slots.open:
            if slot not in said and names.keys() >= reads:  # else it is open, like those it reads
                names[slot] = None if default is None else self.world.figure(default, names)
        return names

    def options_giving(self, options: Mapping[str, Any] | None, gives: str) -> list[tuple[Row, Any]]:
        """Those options of an order or a force whose row has this `gives`: the row, and what was written."""
        rows = self.ruleset.rows("order_options")
        said = [(rows[id_], value) for id_, value in (options or {}).items() if id_ in rows]
        return [(row, value) for row, value in said if row.get("gives") == gives]

    def slot_value(self, slot: Row | str | None, value: Any) -> Any:
        """A slot's value as a thing of the kind the slot holds; a list as a tuple; numbers, texts and choices
        as they are.
        """
        kind: Any = slot.get("kind") if isinstance(slot, dict) else slot
        return self._value(kind, value)

    def _value(self, kind: str | None, value: Any) -> Any:
        if isinstance(value, list):
            return tuple(self._value(kind, v) for v in value)
        if kind in _PLAIN_SLOTS or not isinstance(value, str):
            return value
        return Entity(kind, value) if kind in _ENTITY_SLOTS else self.world.thing(value)


class Turn(OrderContext):
    """Everything one resolution works with.

    `loops` are the names bound by the sequence around the present step (`each: nation` binds `nation`, a tick
    its number).
    """

    def __init__(
        self,
        ruleset: Ruleset,
        state: State,
        dice: DiceSource,
        *,
        moments: Mapping[str, State | Callable[[], State]] | None = None,
        geography: Geography | None = None,
        head: str = "",
        first: int = 1,
        copied: World | None = None,
    ) -> None:
        super().__init__(World(ruleset, state, moments=moments, geography=geography, copied=copied))
        self.journal = Journal(ruleset, state, head=head, first=first)
        self.nodes: Sequence[Row] = ruleset.sequence  # the sequence, or the part that a rule test runs
        self.dice = dice
        self.step_row: Row = {}
        # tracks moved since thresholds were last read: the value they had
        self.moved: dict[tuple[str, str], int] = {}
        # where in the nodes the resolution is, as `sequence` counts it
        self.levels: list[dict[str, Any]] = []
        # in a prospect: how every test by dice and every vote of others comes out
        self.fortune: bool | None = None
        self.chanced = False  # whether there was such a test or vote since this was last looked at
        # rows and verbs that were carried out of which the journal says only what came of it
        self.carried: set[str] = set()
        # orders not carried out, why, and why in words
        self.dropped: list[tuple[Order, RefusalCode | None, str]] = []
        self.watched = -1  # the state's version when `becomes` was last looked at

    @property
    def state(self) -> State:
        return self.journal.state

    @property
    def number(self) -> int:
        return self.journal.turn

    def position(self) -> str:
        """All that the rest of a resolution depends on between two steps, as text: for who tries every way
        the dice can fall.
        """
        moments = [[name, self.world.at(name).state.hash()] for name in sorted(self.world.moments)]
        return f"{self.levels} {self.state.hash()} {moments} {self.moved} {self.journal.pending}"

    def destroy(
        self, key: str, n: int, *, cause: str, place: str | None = None, by: str | None = None
    ) -> None:
        """Units of a stack are lost; states `destroyed`, with the place given, by default that of the stack.

        Raises ValueError if the stack has fewer.
        """
        stack = self.state.row("units", key)
        self.journal.take_units(key, n)
        self.journal.fact(
            "destroyed",
            of=stack["owner"],
            kind=stack["kind"],
            place=place or stack["place"],
            n=n,
            cause=cause,
            by=by,
        )

    # ---- dice

    def stream(self, rule: str, subject: str, audience: Iterable[str] = (EVERYONE,)) -> Stream:
        """Dice for one rule and subject in the present step, under the key of those who may know them."""
        return self.dice.stream(
            step=self.journal.step, rule=rule, subject=subject, audience=dice_audience(audience)
        )

    # ---- orders

    @property
    def mover(self) -> str | None:
        """The nation whose own turn it is, or None where all nations act together."""
        mine = self.loops.get("nation")
        return mine.id if isinstance(mine, Entity) else None

    @property
    def givers(self) -> frozenset[str] | None:
        """The nations whose orders the present step carries out: those it names (`of`), else whoever has the
        turn; None: all.
        """
        if "of" in self.step_row:
            named = self.world.value(strip_mark(str(self.step_row["of"])), self.names())
            return frozenset(self.world.members(named))
        return None if self.mover is None else frozenset({self.mover})

    def orders_here(self, ids: Iterable[str] | None = None) -> list[Order]:
        """Accepted orders of these rows, of the nations whose orders the present step carries out."""
        givers = self.givers
        return [order for order in self.orders(ids) if givers is None or order["nation"] in givers]

    def orders(self, ids: Iterable[str] | None = None, nation: str | None = None) -> list[Order]:
        """Accepted orders of these rows ("form/id" or bare ids), in order of nation and line."""
        by_row: dict[str, list[str]] = self.world.keep("orders in order", columns("orders"), self._in_order)
        if ids is None:
            keys = by_row[""]
        else:
            lists = [by_row[key] for id_ in ids if (key := id_ if "/" in id_ else f"/{id_}") in by_row]
            if len(lists) > 1:
                found = {k for keys in lists for k in keys}
                lists = [[k for k in by_row[""] if k in found]]
            keys = lists[0] if lists else []
        rows = self.state.table("orders")
        return [{"key": k, **rows[k]} for k in keys if nation is None or rows[k]["nation"] == nation]

    def _in_order(self) -> dict[str, list[str]]:
        """Keys of orders in order: all under "", those of a row under its "form/id" and under "/id"."""
        out: dict[str, list[str]] = {"": []}
        for key, row in sorted(self.state.table("orders").items(), key=_order_place):
            id_ = row["order"].partition("/")[2]
            for name in ("", row["order"], f"/{id_}"):
                out.setdefault(name, []).append(key)
        return out

    def drop_order(
        self,
        order: Order,
        why: str,
        code: RefusalCode | None = None,
        *,
        audience: Iterable[str] | None = None,
    ) -> None:
        """Journal that an order is not carried out, and why, to its nation; nothing else changes."""
        self.dropped.append((order, code, why))
        with self.journal.entry(
            order["order"],
            subject=order["nation"],
            says=say(self.world, "Not carried out: {order} ({why})", order=order.get("text", ""), why=why),
            audience=audience or (order["nation"],),
            data={"refused": why, "line": order.get("line"), "order": order.get("text", "")},
        ):
            self.journal.set("orders", order["key"], "status", "refused")

    # ---- decisions

    def answer(self, decision: str, who: str, subject: str = "") -> Any:
        """The answer a nation has given to a decision (for this subject, else in general), or None."""
        answers = self.state.row("answers", who)
        found = answers.get(f"{decision}/{subject}", answers.get(decision))
        if found is not None:
            self.carried.add(f"decisions/{decision}")
        return found

    # ---- names

    def names(self, **more: Any) -> dict[str, Any]:
        return {**self.loops, **more}


_PLAIN_SLOTS = {"number", "text", "choice", "units", "unit-kind"}
_ENTITY_SLOTS = {
    "nation",
    "place",
    "side",
    "tech",
    "item",
    "passage",
    "force",
    "link",
    "resource",
    "card",
    "record",
}


def _order_place(item: tuple[str, Mapping[str, Any]]) -> tuple[str, int]:
    nation, _, number = item[0].rpartition("/")
    return nation, int(number)


def dice_audience(audience: Iterable[str]) -> str:
    """The name of the dice key for an audience: all, one party, or the key its members share."""
    members = [a for a in audience if a != NOBODY]
    if EVERYONE in members:
        return ALL
    if not members:
        return NOBODY
    return members[0] if len(members) == 1 else shared(sorted(members))


def audience_ids(world: World, audience: Any, names: Names) -> tuple[str, ...]:
    """The ids an `audience` key stands for: everyone, nobody, nations, sides (a neutral's own name for
    =self).
    """
    if audience is None:
        return (EVERYONE,)
    items: Sequence[Any] = [audience] if isinstance(audience, str) else audience
    out: list[str] = []
    for item in items:
        value = world.marked(item, names)
        if value is None:
            continue
        if isinstance(value, Entity):
            bound = value
        elif isinstance(value, str):
            named = names.get(value)
            bound = named if isinstance(named, Entity) else Entity("", value)
        else:
            out.extend(v.id if isinstance(v, Entity) else str(v) for v in value)
            continue
        out.append(bound.id)
    return tuple(dict.fromkeys(out)) or (NOBODY,)


class _Slots(NamedTuple):
    """The slots of a row: what each holds, and those that may be left out, with what they hold then and the
    slots that this reads."""

    kinds: Mapping[str, str | None]
    open: Sequence[tuple[str, Any, frozenset[str]]]


@derived_of()
def _slots_of(ruleset: Ruleset, order: str) -> _Slots:
    declared = ruleset.row_of(order).get("slots", {})
    kinds = {name: slot.get("kind") if isinstance(slot, dict) else slot for name, slot in declared.items()}
    optional = [
        (name, s.get("default")) for name, s in declared.items() if isinstance(s, dict) and s.get("optional")
    ]
    return _Slots(
        kinds, [(name, default, _slots_read(default).intersection(kinds)) for name, default in optional]
    )


def _slots_read(default: Any) -> frozenset[str]:
    """The names that a slot's default reads, if it is an expression."""
    return frozenset(parse(strip_mark(default)).names) if isinstance(default, str) else frozenset()
