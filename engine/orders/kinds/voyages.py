"""Voyages: forces with tasks that go point by point (ships), and those whom they take along.

What ships could carry from where they lie is guessed for the order sheet (`crossings`): troops of a shore
next to them, or at sea with them, one kind at a time, as many as the ships take; whether it may be says the
check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...core.choices import as_slot
from ...core.model import Row, Ruleset
from ...turn.context import Order, OrderContext, Turn
from ...turn.validated_orders import Note, Refusal, RefusalCode, Remark
from ...units import assignment, fleet_orders, forces
from ...units.attacking import Attack, follows
from ...units.cargo import riders
from ...units.cargo_loading import boarders, stays_afloat
from ...units.cargo_room import burden, room_of, size_of_kinds
from ...units.fleet import Voyage
from ...world import routes
from ...world.world import World
from .. import movement
from ..legal_entry import ANY, Legal, LegalSearch
from ..movement import CARGO, ORIGIN, TARGET, UNITS
from ..sheet_line import ENEMY, Offered
from ..sheet_writer import LONG, SheetWriter
from .book import Move, OrderBook, OrderRefused
from .marches import unannounced
from .moves import MOST_ENDS, Moves, closed_gate, group, win
from .unit_orders import Ordered, UnitOrders

MOST_COASTS = 4
"""Coasts from which troops could cross the sea that are named in one line."""

Slots = dict[str, Any]


class Voyages(Moves):
    """Who sails, from where, where to, with which tasks and with whom aboard."""

    @classmethod
    def recognizes(cls, ruleset: Ruleset, form: str, row: Row) -> bool:
        """Orders by a mode whose forces have tasks."""
        return form == "orders" and bool(ruleset.row_or_empty("movement", row.get("does", "")).get("tasks"))

    @cached_property
    def starts_at(self) -> str:
        """The slot that says where the carriers are."""
        return forces.starts_at(self.row)

    @property
    def carries(self) -> bool:
        """Whether its orders name whom they take along."""
        return CARGO in self.slots

    # ---- the check

    def go(self, book: OrderBook, order: Order, understood: Ordered) -> None:
        """A voyage, or more cargo for one that stands already."""
        number = int(order.get("number") or 0)
        voyage = fleet_orders.understand(book.context, order, self.mode, dict(book.left), book.fleet, number)
        if isinstance(voyage, str):
            raise OrderRefused(Refusal(RefusalCode.WAY, voyage, TARGET))
        understood.uses.append(lambda: book.fleet.take(voyage))
        if isinstance(voyage, Voyage):
            self._sail(book, order, voyage, understood)
        if UNITS in self.slots:
            understood.warn(unannounced(book.world, book.nation, self.shore, order["slots"].get(TARGET)))

    def _sail(self, book: OrderBook, order: Order, voyage: Voyage, understood: Ordered) -> None:
        understood.move = voyage
        landings = self._landings(book, order, voyage)
        understood.uses.append(lambda: book.attacks.extend(landings))
        remarks = [Remark(Note.READ, text, UNITS) for text in assignment.notes(book.context, voyage)]
        if voyage.gate is not None:
            remarks.append(closed_gate(book, voyage.gate))
        understood.intent = replace(
            understood.intent,
            path=(voyage.start, *(str(entry["place"]) for entry in voyage.plan if "place" in entry)),
            site=voyage.target,
            remarks=tuple(remarks),
            attacks=tuple(dict.fromkeys(landing.target for landing in landings)),
        )

    def _landings(self, book: OrderBook, order: Order, voyage: Voyage) -> list[Attack]:
        """The landings of a voyage in the face of an enemy: attacks, into which some kinds go only beside
        others."""
        landings = []
        for part in voyage.lands:
            if routes.is_attack(book.world, book.nation, str(part["to"])):
                beside = follows(book.world, self.shore, part["units"])
                landings.append(Attack(order.get("place"), book.nation, part["to"], True, self.shore, beside))
        return landings

    # ---- the list

    def legal(self, world: World, nation: str, search: LegalSearch = ANY) -> list[Legal]:
        """Where ships are, and where to; of more cargo for a voyage one entry, which leaves all open."""
        if UNITS not in self.slots:
            return list(UnitOrders.legal(self, world, nation, search))
        return super().legal(world, nation, search)

    def entries(self, world: World, nation: str) -> Iterator[Legal]:
        """Of orders to carry others: where the carriers are; whom, from where and where to is open."""
        if not self.carries:
            yield from super().entries(world, nation)
            return
        carriers = self.mode.get("carries", {}).get("carriers")
        for host, whose in self._hosts(world, nation):
            for place in movement.places_with_units(world, host):
                if host != nation and not self._can_reach(world, nation, place, host):
                    continue
                counts = movement.free_units(world, host, place)
                fits = {k: n for k, n in counts.items() if movement.goes_by(world, self.mode, k)}
                fits = {k: n for k, n in fits.items() if routes.kind_matches(world, carriers, k)}
                if fits:
                    slots = {UNITS: fits, self.starts_at: place, **whose}
                    yield Legal(self.key, nation, slots, open=(CARGO, ORIGIN, TARGET))

    def filled(self, world: World, nation: str, entry: Legal) -> Iterator[Legal]:
        """Those whom carriers can take along, from where, and the shores that they come to."""
        if not self.carries or UNITS not in self.slots:
            yield from super().filled(world, nation, entry)
            return
        for slots, ends in self.crossings(world, nation, entry.slots) if entry.slots.get(UNITS) else ():
            sound = [end for end in ends if self._stands(world, nation, {**slots, TARGET: end})]
            if sound:
                yield replace(entry, slots=slots, targets=tuple(sound), open=())

    def _stands(self, world: World, nation: str, slots: Slots) -> bool:
        """Whether such a voyage stands by itself."""
        try:
            self.understand(
                OrderBook(world, nation), {"nation": nation, "order": self.key, "slots": slots, "options": {}}
            )
        except OrderRefused:
            return False
        return True

    def _able(self, world: World, nation: str, place: str) -> Iterator[Legal]:
        """Of orders to take more along: those who can be taken, at sea or on a coast."""
        who = self.mode.get("carries", {}).get("who")
        for able in super()._able(world, nation, place):
            units = {k: n for k, n in able.slots[UNITS].items() if routes.kind_matches(world, who, k)}
            if units and world.geography.next_to(place, self._quays):
                yield replace(able, slots={UNITS: units})

    def _hosts(self, world: World, nation: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Whose carriers may take somebody aboard, with the slot that names them: one's own, and allies' that
        are shared."""
        yield nation, {}
        declared = map(as_slot, self.row.get("slots", {}).values())
        of = next((slot["of"] for slot in declared if "of" in slot), "")
        if not of or not self.mode.get("carries", {}).get("shared"):
            return
        for other in world.ruleset.rows("nations"):
            if other != nation and world.allied(other, nation):
                yield other, {of: other}

    def _can_reach(self, world: World, nation: str, zone: str, host: str) -> bool:
        """Whether troops of a nation stand beside carriers of an ally that lie in a zone, or are aboard
        them."""
        near = world.geography.next_to(zone, self._quays)
        afloat = forces.afloat_at(world.state, nation, zone, host)
        return bool(afloat) or any(nation in world.state.owners_at(p) for p in near)

    @property
    def _quays(self) -> tuple[str, ...]:
        """The kinds of links over which troops come aboard."""
        return tuple(self.mode["carries"].get("link", ()))

    # ---- the sheet

    def sheet_lines(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Ships once, where they lie; troops overseas in a line of their own."""
        if not self.carries or UNITS not in self.slots or any(ORIGIN in e.slots for e in entries):
            yield from super().sheet_lines(writer, entries)
        else:
            yield from self._across_the_sea(writer, [e for e in entries if e.slots.get(UNITS)])

    def _across_the_sea(self, writer: SheetWriter, entries: Sequence[Legal]) -> Iterator[Offered]:
        """The crossing of most troops, one to an enemy if there is any, and from where else others could
        go."""
        crossings = [one for e in entries for one in self.crossings(writer.world, writer.nation, e.slots)]
        crossings.sort(
            key=lambda one: (
                all(writer.kind_of_end(p) != ENEMY for p in one[1]),
                -sum(one[0][CARGO].values()),
            )
        )
        lines: dict[str, Offered] = {}
        for slots, ends in crossings:
            origin = str(slots[ORIGIN])
            if origin in lines or len(lines) == MOST_COASTS:
                continue
            if (line := self._crossing_line(writer, slots, ends, 1 if lines else MOST_ENDS)) is not None:
                lines[origin] = line
        if lines:
            first, *others = lines.items()
            also = tuple((writer.name("place", origin), line.text) for origin, line in others)
            yield replace(first[1], also=also, also_word="or from")

    def _crossing_line(
        self, writer: SheetWriter, slots: Slots, ends: Sequence[str], most: int
    ) -> Offered | None:
        """The line of one crossing that fits the sheet: with `all` its troops, or with other names of its
        places, if need be."""
        near = [p for _, some in writer.by_class(ends, str(slots[ORIGIN])) for p in some]
        targets = writer.sound(self.key, slots, TARGET, near[:MOST_ENDS], most)
        for filled in (slots, {**slots, CARGO: {"*": "all"}}) if targets else ():
            if filled is not slots and not writer.stands(self.key, {**filled, TARGET: targets[0]}):
                continue
            line = writer.chosen(self.key, filled, TARGET, writer.by_class(targets, str(slots[ORIGIN])))
            for text in writer.in_other_words(line.text, filled):
                if len(text) <= LONG:
                    return replace(line, text=text)
        return None

    def crossings(
        self, world: World, nation: str, ships: Mapping[str, Any]
    ) -> Iterator[tuple[Slots, list[str]]]:
        """The slots of orders that carry troops in ships of a zone (`ships`: the slots that name both), each
        with the shores that the ships come to."""
        zone = str(ships[self.starts_at])
        host = forces.whose(self.row, ships, nation)
        kind = max(ships[UNITS], key=lambda k: int(ships[UNITS][k]))
        shores = self._shores(world, nation, zone, kind if host == nation else None)
        for origin in (zone, *sorted(world.geography.next_to(zone, self._quays))):
            load = self._load(world, nation, zone, origin, {kind: int(ships[UNITS][kind])}, host)
            ends = [place for place in (*shores, *([] if host == nation else [zone])) if place != origin]
            if load is not None and ends:
                cargo, carriers = load
                yield {**ships, CARGO: cargo, ORIGIN: origin, UNITS: carriers}, ends

    def _shores(self, world: World, nation: str, zone: str, kind: str | None) -> list[str]:
        """The land next to where ships of a kind come, themselves and what they carry (None: they stay);
        without a fight if the mode knows none."""
        reached = movement.targets(world, nation, self.mode, zone, kind) if kind is not None else ()
        shores: set[str] = set()
        for at in dict.fromkeys((zone, *reached)):
            shores.update(world.geography.next_to(at, self._quays))
        peaceful = self.shore.get("fights") is False
        return sorted(p for p in shores if not (peaceful and routes.is_attack(world, nation, p)))

    def _load(
        self, world: World, nation: str, zone: str, origin: str, ships: Mapping[str, int], host: str
    ) -> tuple[dict[str, int], dict[str, int]] | None:
        """The most numerous troops of a place that fit aboard, and as many of the ships as they need; None if
        there are none."""
        context, mode = OrderContext(world), self.mode
        troops = self._troops(world, nation, zone, origin, host)
        stacks = routes.free_stacks(world, host, zone, again=self.moves_on)
        carriers = [(k, r) for k, r in stacks if r["kind"] in ships]
        if not troops or not carriers:
            return None
        kind = max(sorted(troops), key=lambda k: troops[k])
        size = size_of_kinds(context, mode, nation, {kind: 1})
        each = int(room_of(context, mode, [(carriers[0][0], 1)]) // size) if size else troops[kind]
        number = min(troops[kind], each * sum(ships.values()))
        if host != nation and origin != zone:  # they may be laden
            picks = [(k, int(r["n"])) for k, r in carriers]
            free = room_of(context, mode, picks) - burden(context, mode, host, zone, picks)
            number = min(number, int(free // size) if size else number)
            return ({kind: number}, dict(ships)) if number > 0 else None
        return ({kind: number}, dict.fromkeys(ships, -(-number // each))) if number > 0 else None

    def _troops(self, world: World, nation: str, zone: str, origin: str, host: str) -> dict[str, int]:
        """Who could come aboard from a place, or is at sea there already."""
        there = forces.afloat_at(world.state, nation, zone, host)
        if origin != zone:
            there = boarders(world, self.mode, nation, origin, again=self.moves_on)
        troops: dict[str, int] = {}
        for _, stack in there:
            if routes.kind_matches(world, self.mode["carries"].get("who"), stack["kind"]):
                troops[stack["kind"]] = troops.get(stack["kind"], 0) + int(stack["n"])
        return troops

    # ---- the look ahead

    def make(self, turn: Turn, nation: str, order: Order, move: Move) -> None:
        """Ships where their plan ends, and their cargo ashore."""
        assert isinstance(move, Voyage)
        if not move.host:
            win(turn, nation, move.target, self.mode)
        self._make_ships(turn, nation, move)
        for parcel in move.cargo:
            self._make_cargo(turn, nation, move, parcel)

    def _make_ships(self, turn: Turn, nation: str, voyage: Voyage) -> None:
        """The ships sail; an ally's stay where they are, and only what they do is marked."""
        mode = self.mode
        keeps = mode.get("keeps")
        places = [voyage.start, *(entry["place"] for entry in voyage.plan)]
        spent = sum(a != b for a, b in pairwise(places))
        mission = voyage.plan[-1].get("mission") if voyage.plan else None
        task = turn.ruleset.row_or_empty("missions", mission)
        ashore = task.get("does") != "land" or voyage.lands  # who goes on with its cargo has landed nobody
        marks = task.get("sets", {}) if ashore else {}
        if voyage.host:
            lent = turn.state.stacks(at=voyage.start, owner=voyage.host) if voyage.lands else ()
            for key, n in forces.pick(lent, voyage.units) or ():
                turn.journal.alter_units(key, n, **marks)
            return
        free = routes.free_stacks(turn.world, nation, voyage.start, again=self.moves_on)
        picks = forces.pick(free, voyage.units) or ()
        for key, n in riders(turn, mode, nation, voyage.start, picks):
            turn.journal.alter_units(key, n, moved=True, place=voyage.target)
        for key, n in picks:
            left = (
                (group(turn, nation, mode, [(key, n)]).allowance(voyage.start) or 0) - spent
                if keeps
                else None
            )
            kept = {keeps: left} if keeps else {}
            fields = {**dict.fromkeys(forces.PASSING), **marks, **kept, "moved": True, "place": voyage.target}
            turn.journal.alter_units(key, n, **fields)

    def _make_cargo(self, turn: Turn, nation: str, voyage: Voyage, parcel: Row) -> None:
        """Those aboard go ashore, or stay aboard where they end at sea."""
        start, to = parcel["from"], parcel["to"]
        waits = forces.afloat_at(turn.state, nation, start, voyage.host)
        there = waits if start == voyage.start else boarders(turn.world, self.mode, nation, start, again=True)
        aboard = forces.AFLOAT if stays_afloat(turn, self.mode, to) else None
        spent = {self.shore["keeps"]: 0} if aboard is None and "keeps" in self.shore else {}
        if aboard is None:
            win(turn, nation, to, self.shore)
        for key, n in forces.pick(there, parcel["units"]) or ():
            on = {"aboard": aboard, "host": voyage.host or None if aboard else None}
            fields = {**dict.fromkeys(forces.PASSING), "moved": True, "place": to, **on, **spent}
            turn.journal.alter_units(key, n, **fields)
