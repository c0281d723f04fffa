"""What marches and voyages share: the list of them, their lines of the order sheet, and that later orders go
on from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ...core.rows import MovementRow
from ...core.state import Entity
from ...turn.context import Order, OrderContext, Turn
from ...turn.slots import ruled_out
from ...turn.validated_orders import Note, Remark, ValidatedOrder
from ...units import forces
from ...world import routes
from ...world.world import World
from .. import movement
from ..legal_entry import ANY, Legal, LegalSearch
from ..lookahead import Ahead, Lookahead
from ..movement import ORIGIN, TARGET, UNITS
from ..sheet_line import ENEMY, Offered
from ..sheet_writer import LONG, MOST_TRIED, SheetWriter
from .book import Move, OrderBook, Understood
from .unit_orders import Ordered, UnitOrders

MOST_ENDS = 12
"""Ends of a way that are tried one by one."""
MOST_OTHERS = 8
"""Places that are named beside the one whose units are the example."""


class Moves(UnitOrders):
    """Units that go from where they stand to another place, by a mode."""

    @cached_property
    def shore(self) -> MovementRow:
        """The mode by which those come ashore who are carried: their own way, where a mode says no other."""
        return self.ruleset.rows("movement").get(self.mode.get("ashore", ""), self.mode)

    # ---- the list

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> list[Legal]:
        """For every place with units that can go by the order's mode: what could go together, and where."""
        tables = None if self.row.get("requires") else routes.decided_by(world, self.mode)
        asked = ("moves", nation, self.row["id"])
        groups: list[Legal] = world.keep(asked, tables, lambda: list(self.entries(world, nation)))
        return groups

    def entries(self, world: World, nation: str) -> Iterator[Legal]:
        """The entries of the list, made again."""
        if ORIGIN not in self.slots:  # they start from where another order brings them
            if movement.places_with_units(world, nation):
                yield self.blank(nation)
            return
        context = OrderContext(world)
        for place in movement.places_with_units(world, nation):
            counts = movement.free_units(world, nation, place)
            if not counts or not self._may(context, nation, {ORIGIN: place}):
                continue
            able = movement.able_to_leave(world, nation, self.mode, place)
            fits = {k: n for k, n in able.items() if movement.goes_by(world, self.mode, k)}
            if TARGET in self.slots:
                yield from self._from_place(context, nation, place, fits)
            elif fits:
                yield Legal(self.key, nation, {UNITS: fits, ORIGIN: place})

    def _may(self, context: OrderContext, nation: str, slots: Mapping[str, str]) -> bool:
        """Whether the needs that are known so far allow it."""
        return not ruled_out(context, self.row, self.names_of(context, nation, slots), slots.keys())

    def _from_place(
        self, context: OrderContext, nation: str, place: str, fits: Mapping[str, int]
    ) -> Iterator[Legal]:
        """The units of a place, those together that can go the same ways."""
        world, mode = context.world, self.mode
        ends = {k: movement.targets(world, nation, mode, place, k) for k in fits}
        room = routes.room_left(world, mode, (place,)) if mode.get("capacity") else None
        for kinds, targets in movement.grouped(fits, ends):
            limits = [n for n in (room, routes.may_leave(world, nation, mode, place)) if n is not None]
            most = int(min([sum(kinds.values()), *limits]))
            kinds = {k: min(n, most) for k, n in kinds.items()}
            if self.row.get("requires"):
                targets = tuple(t for t in targets if self._may(context, nation, {ORIGIN: place, TARGET: t}))
            less: dict[str, int] = {}
            if most > 0 and mode.get("capacity"):
                reach = movement.room_to(world, nation, mode, place, kinds, targets, most)
                targets = tuple(t for t in targets if t in reach)
                less = {t: n for t, n in reach.items() if n < most}
            if most > 0 and targets:
                yield Legal(
                    self.key, nation, {UNITS: kinds, ORIGIN: place}, most=most, targets=targets, room=less
                )

    # ---- the sheet

    def sheet_lines(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Units once, where they stand, by the first order that can send them on (rows that are `bare` before
        others); of every other order one example."""
        with_origin = [e for e in entries if e.slots.get(UNITS) and ORIGIN in e.slots]
        if not with_origin:
            yield from super().sheet_lines(writer, entries)
        elif self.row.get("bare") or not writer.any_bare:
            yield from self._by_place(writer, with_origin)
        else:
            yield from self._example(writer, with_origin)

    def _by_place(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Of each place one line with the units that can go the same ways; of units that have a line already
        one example."""
        again: list[Legal] = []
        at: dict[str, list[Legal]] = {}
        for entry in entries:
            place = str(entry.slots[ORIGIN])
            known = set(entry.slots[UNITS]) <= writer.sent.get(place, set())
            (again if known else at.setdefault(place, [])).append(entry)
        for place, here in at.items():
            for one in _merged(writer, here):
                writer.sent.setdefault(place, set()).update(one.slots[UNITS])
                if (line := self._line(writer, one)) is not None:
                    size = sum(one.slots[UNITS].values())
                    yield replace(line, place=place, origin=writer.name("place", place), size=size)
        yield from self._example(writer, again)

    def _example(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """The largest of several orders of units, and where else units could be given such an order."""
        ranked = sorted(entries, key=lambda e: -sum(e.slots[UNITS].values()))
        for number, first in enumerate(ranked, 1):
            if (shown := self._line(writer, first)) is None:
                continue
            others: dict[str, str] = {}
            for entry in ranked[number:]:
                origin = str(entry.slots[ORIGIN])
                if len(others) == MOST_OTHERS or origin in others or origin == str(first.slots[ORIGIN]):
                    continue
                if (line := self._line(writer, entry, 1)) is not None:
                    others[origin] = line.text
            also = tuple((writer.name("place", o), text) for o, text in others.items())
            yield replace(shown, also=also, also_word="or from")
            return

    def _line(self, writer: SheetWriter, entry: Legal, most: int = MOST_TRIED) -> Offered | None:
        """The line of some units at a place: where they may go, the nearest `most` of it if the room differs
        from end to end."""
        origin = str(entry.slots[ORIGIN])
        going = movement.fewer(
            entry.slots[UNITS], routes.may_leave(writer.world, writer.nation, self.mode, origin)
        )
        slots = {**entry.slots, UNITS: writer.in_order(going)}
        if not entry.targets:
            return Offered(self.key, writer.text(self.key, slots)) if writer.stands(self.key, slots) else None
        tight = bool(self.mode.get("capacity"))
        each = most if most == 1 else 0
        ends = [p for _, some in writer.by_class(entry.targets, origin) for p in some]
        if tight:
            each = min(most, MOST_ENDS)
            units, ends = self._with_room(writer, slots[UNITS], origin, ends)
            slots = {**slots, UNITS: units}
        targets = writer.sound(self.key, slots, TARGET, ends, each)
        return self._in_short(writer, slots, writer.by_class(targets, origin)) if targets else None

    def _in_short(
        self, writer: SheetWriter, slots: Mapping[str, Any], ends: Sequence[tuple[str, Sequence[str]]]
    ) -> Offered:
        """A line that fits the sheet: with another name of its place, with `all` its units, or with fewer of
        them."""
        line = writer.chosen(self.key, slots, TARGET, ends)
        for text in writer.in_other_words(line.text, {ORIGIN: slots[ORIGIN]}):
            if len(text) <= LONG:
                return replace(line, text=text)
        here = movement.free_units(writer.world, writer.nation, str(slots[ORIGIN]))
        if here == slots[UNITS]:
            every = {**slots, UNITS: {"*": "all"}}
            return replace(writer.chosen(self.key, every, TARGET, ends), said=writer.names.units(here))
        going: dict[str, int] = dict(slots[UNITS])
        while len(going) > 1 and len(line.text) > LONG:  # the fewest stay
            del going[min(going, key=going.__getitem__)]
            line = writer.chosen(self.key, {**slots, UNITS: going}, TARGET, ends)
        rest = {k: n for k, n in slots[UNITS].items() if k not in going}
        return replace(line, said=f"there, too: {writer.names.units(rest)}")

    def _with_room(
        self, writer: SheetWriter, units: dict[str, int], origin: str, ends: list[str]
    ) -> tuple[dict[str, int], list[str]]:
        """The units, and the ends to which there is room for all; else of the most numerous kind as many as
        can go anywhere."""
        wanted = sum(units.values())
        room = movement.room_to(writer.world, writer.nation, self.mode, origin, units, ends, wanted)
        if room and max(room.values()) < wanted:
            kind = max(units, key=lambda k: units[k])
            wanted = min(units[kind], max(room.values()))
            units = {kind: wanted}
        return units, [end for end in ends if room.get(end, 0) >= wanted]

    # ---- the look ahead

    @property
    def moves_on(self) -> bool:
        """Whether its units may start where others have come to (`again`)."""
        return bool(self.mode.get("again"))

    def carry_out(self, position: Lookahead, found: Understood, filed: Order) -> None:
        """Its price is paid; its units move when an order comes that may start where they go."""
        move = found.move if isinstance(found, Ordered) else None
        if move is not None:
            order, turn = dict(found.intent.order), position.turn
            fights = _meets_enemies(turn.world, position.nation, found.intent)
            position.moves.append(
                Ahead(lambda: self._make(turn, position.nation, order, move), fights, last=self.moves_on)
            )
        super().carry_out(position, found, filed)

    def _make(self, turn: Turn, nation: str, order: Order, move: Move) -> None:
        with turn.journal.entry(self.key, keep=False):
            self.make(turn, nation, order, move)

    def make(self, turn: Turn, nation: str, order: Order, move: Move) -> None:
        """Make a move in a position that is nobody else's, as its nation hopes: attacks won, nobody lost.

        The resolution tests what follows from it again, on what has really happened.
        """


def _meets_enemies(world: World, nation: str, intent: ValidatedOrder) -> bool:
    """Whether a move goes into an attack, or ends where enemies are."""
    return bool(intent.attacks) or (bool(intent.site) and bool(world.enemies_at(nation, intent.site)))


def closed_gate(book: OrderBook, gate: str) -> Remark:
    """That a passage on the way is closed as things stand."""
    return Remark(Note.PASSAGE, f"{book.names.printed('passage', gate)} is closed as things stand", TARGET)


def win(turn: Turn, nation: str, place: str, mode: MovementRow) -> None:
    """A place that is attacked falls; one that flying units or ships attack is only cleared, be it held by
    somebody or not."""
    cleared = bool(mode.get("passes_over") or mode.get("tasks"))
    attack = routes.is_attack(turn.world, nation, place)
    for key, stack in list(turn.state.stacks(at=place)) if attack or cleared else ():
        ally, foe = turn.world.allied(nation, stack["owner"]), turn.world.hostile(nation, stack["owner"])
        if (attack and not ally) or (not attack and foe):
            turn.journal.put_row("units", key, None)
    if attack and not cleared:
        turn.journal.set("places", place, "holder", nation)


def group(turn: Turn, nation: str, mode: MovementRow, picks: Iterable[forces.Pick]) -> routes.Going:
    """Some stacks as they go by a mode."""
    return routes.Going(turn.world, nation, mode, [Entity("unit", key) for key, _ in picks])


def _merged(writer: SheetWriter, here: Sequence[Legal]) -> list[Legal]:
    """The groups of a place: the largest with those that can attack wherever it can, going where all of them
    can go."""
    ranked = sorted(here, key=lambda e: -sum(e.slots[UNITS].values()))
    main, rest = ranked[0], []
    for other in ranked[1:]:
        common = tuple(t for t in main.targets if t in other.targets)
        if common and all(t in common for t in main.targets if writer.kind_of_end(t) == ENEMY):
            units = {**main.slots[UNITS], **other.slots[UNITS]}
            main = replace(main, slots={**main.slots, UNITS: units}, targets=common)
        else:
            rest.append(other)
    return [main, *rest]
