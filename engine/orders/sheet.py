"""What a nation's order form offers: of everything that it may order what makes sense now, line by line.

A row says with `offer` when it makes sense; what it does not offer stands in the reference. Units are offered once, where they
stand, by the first order that can send them on (rows that are `bare` before others); every other order of units has one example.
`?` in a line is the player's to fill in, from the choices beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice, product
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..core.words import joined
from ..economy.catalogue import PLENTY, item_of
from ..economy.purchase import facing_slot
from ..ruleset.order_syntax import Slot, slot_of
from ..turn.context import OrderContext
from ..world import treasury as stores
from ..world.known import enemies_in
from ..world.passages import is_attack
from ..world.world import World
from . import movement
from .check import Checker
from .legal import legal_orders
from .legal_acts import ENUMERABLE, domain, is_offered, unfitting
from .legal_entry import Legal
from .lookahead import at_its_step
from .names import Names
from .order_kinds import by_phase, unit_slots
from .overseas import crossings, in_other_words
from .sheet_line import BLANK, ENEMY, NEUTRAL, OWN, Offered
from .text import order_text

MOST_GROUPS = 3
"""Lines of one order that differ in more than what is to be chosen."""
MOST_TRIED = 120
"""Fillings of one order's open slots that are tried."""
LONG = 70
"""Characters of a line above which all units of a place go as `all`."""
MOST_ENDS = 12
"""Ends of a way that are tried one by one."""
MOST_OTHERS = 8
"""Places that are named beside the one whose units are the example."""
MOST_COASTS = 4
"""Coasts from which troops could cross the sea that are named in one line."""
MANY_WAYS = 2000
"""Fillings of one act's slots that are tried for the form, which is made once a turn."""


def offers_of(world: World, nation: str) -> list[tuple[str, list[Offered]]]:
    """The phases of the turn by name with what a nation is offered in each. `world` is the nation's view."""
    found: list[tuple[str, list[Offered]]] = world.keep(("offers", nation), None, lambda: list(_Offers(world, nation).by_phase()))
    return found


def filled_in(world: World, nation: str, line: str) -> Iterator[str]:
    """A line of the order form in which something is still to be chosen, with each of the choices; its numbers may be others."""
    for _, offered in offers_of(world, nation):
        for one in offered:
            if _without_numbers(one.text) == _without_numbers(line):
                yield from (line.replace(BLANK, name) for _, some in one.choices for name, _ in some)


def _without_numbers(text: str) -> str:
    return joined(re.sub(r"\d+", "", text))


class _Offers:
    def __init__(self, world: World, nation: str) -> None:
        self.world = world
        self.nation = nation
        self.me = Entity("nation", nation)
        self.names = Names(world.ruleset, world.state)
        self.enemies = cache(partial(enemies_in, world, nation))
        """The enemies known in a place."""
        self.kind_of_end = cache(self._class)
        self.context = OrderContext(world)
        self.standing = set(movement.places_with_units(world, nation))
        self.sent: dict[str, set[str]] = {}
        """Place -> the kinds of units there that have a line of their own."""
        forms = [row for form in ("orders", "acts") for row in world.ruleset.rows(form).values()]
        self.any_bare = any(row.get("bare") for row in forms)

    def by_phase(self) -> Iterator[tuple[str, list[Offered]]]:
        rules = self.world.ruleset
        listed = [(title, key) for title, keys in by_phase(rules) for key in keys]
        every = [f"{form}/{id_}" for form in ("acts", "orders") for id_ in rules.rows(form)]
        listed += [("", key) for key in every if key not in {k for _, k in listed}]
        wanted = dict.fromkeys(key for _, key in listed if self._row(key).get("offer") is not False)
        entries: dict[str, list[Legal]] = {}
        positions: dict[int, list[str]] = {}
        for key in wanted:
            positions.setdefault(id(self._at(key)), []).append(key)
        for keys in positions.values():
            for entry in legal_orders(self._at(keys[0]), self.nation, keys, tried=MANY_WAYS, offered=True):
                entries.setdefault(entry.order, []).append(entry)
        # whoever goes on without more ado is listed before other orders ask for the same units
        first = sorted(entries, key=lambda key: not self._row(key).get("bare"))
        found = {key: list(self._lines(key, [e for e in entries[key] if e.open or self._is_offered(e)])) for key in first}
        titles: dict[str, list[Offered]] = {}
        for title, key in listed:
            titles.setdefault(title, []).extend(found.pop(key, ()))
        yield from ((title, lines) for title, lines in titles.items() if lines)

    def _row(self, key: str) -> Row:
        return self.world.ruleset.row(*key.split("/", 1))

    def _at(self, key: str) -> World:
        return at_its_step(self.world, self.nation, key)

    def _is_offered(self, entry: Legal) -> bool:
        return is_offered(OrderContext(self._at(entry.order)), entry)

    def _lines(self, key: str, entries: list[Legal]) -> Iterator[Offered]:
        if not entries:
            return
        row = self._row(key)
        if all(
            movement.TARGET in e.slots and movement.UNITS in e.slots for e in entries
        ):  # together they say where everything stands
            yield from (self._placed(e) for e in entries)
        elif any(e.slots.get(movement.UNITS) and movement.ORIGIN in e.slots for e in entries):
            whence = [e for e in entries if e.slots.get(movement.UNITS) and movement.ORIGIN in e.slots]
            yield from self._marches(row, whence) if row.get("bare") or not self.any_bare else self._example(whence)
        elif movement.CARGO in row.get("slots", {}) and (mode := movement.mode_of(self.world.ruleset, row)) is not None:
            yield from self._crossings(row, mode, [e for e in entries if e.slots.get(movement.UNITS)])
        elif any("site" in e.slots for e in entries):
            yield from self._purchases(entries)
        else:
            yield from self._acts(key, row, entries)

    # ---- units

    def _placed(self, entry: Legal) -> Offered:
        others = [(self._name("place", t), self._text(entry, {**entry.slots, movement.TARGET: t})) for t in entry.targets]
        return Offered(entry.order, self._text(entry, entry.slots), also=tuple(others))

    def _marches(self, row: Row, entries: list[Legal]) -> Iterator[Offered]:
        """Of each place one line with the units that can go the same ways; of units that have a line already one example."""
        again: list[Legal] = []
        at: dict[str, list[Legal]] = {}
        for entry in entries:
            known = self.sent.get(str(entry.slots[movement.ORIGIN]), set())
            (again if set(entry.slots[movement.UNITS]) <= known else at.setdefault(str(entry.slots[movement.ORIGIN]), [])).append(
                entry
            )
        for place, here in at.items():
            for one in self._merged(here):
                self.sent.setdefault(place, set()).update(one.slots[movement.UNITS])
                if (line := self._march(one)) is not None:
                    size = sum(one.slots[movement.UNITS].values())
                    yield replace(line, place=place, origin=self._name("place", place), size=size)
        yield from self._example(again)

    def _merged(self, here: Sequence[Legal]) -> list[Legal]:
        """The groups of a place: the largest with those that can attack wherever it can, going where all of them can go."""
        ranked = sorted(here, key=lambda e: -sum(e.slots[movement.UNITS].values()))
        main, rest = ranked[0], []
        for other in ranked[1:]:
            common = tuple(t for t in main.targets if t in other.targets)
            if common and all(t in common for t in main.targets if self.kind_of_end(t) == ENEMY):
                units = {**main.slots[movement.UNITS], **other.slots[movement.UNITS]}
                main = replace(main, slots={**main.slots, movement.UNITS: units}, targets=common)
            else:
                rest.append(other)
        return [main, *rest]

    def _march(self, entry: Legal, most: int = MOST_TRIED) -> Offered | None:
        """The line of some units at a place: where they may go, the nearest `most` of it if the room differs from end to end."""
        slots = {**entry.slots, movement.UNITS: self._in_order(entry.slots[movement.UNITS])}
        if not entry.targets:
            return Offered(entry.order, self._text(entry, slots)) if self._stands(entry.order, slots) else None
        mode = movement.mode_of(self.world.ruleset, self._row(entry.order)) or {}
        each = min(most, MOST_ENDS) if mode.get("capacity") else most if most == 1 else 0
        ends = [p for _, some in self._by_class(entry.targets, str(entry.slots[movement.ORIGIN])) for p in some]
        if mode.get("capacity"):
            units, ends = self._with_room(mode, slots[movement.UNITS], str(entry.slots[movement.ORIGIN]), ends)
            slots = {**slots, movement.UNITS: units}
        targets = self._sound(entry.order, slots, movement.TARGET, ends, each)
        if not targets:
            return None
        by_class = self._by_class(targets, str(entry.slots[movement.ORIGIN]))
        line = self._chosen(entry, slots, movement.TARGET, by_class)
        here = movement.free_units(self.world, self.nation, str(entry.slots[movement.ORIGIN]))
        for text in in_other_words(self.world, self.names, line.text, {movement.ORIGIN: slots[movement.ORIGIN]}):
            if len(text) <= LONG:
                return replace(line, text=text)
        if here == slots[movement.UNITS]:
            every = {**slots, movement.UNITS: {"*": "all"}}
            return replace(self._chosen(entry, every, movement.TARGET, by_class), said=self.names.units(here))
        going: dict[str, int] = dict(slots[movement.UNITS])
        while len(going) > 1 and len(line.text) > LONG:  # the fewest stay
            del going[min(going, key=going.__getitem__)]
            line = self._chosen(entry, {**slots, movement.UNITS: going}, movement.TARGET, by_class)
        rest = {k: n for k, n in slots[movement.UNITS].items() if k not in going}
        return replace(line, said=f"there, too: {self.names.units(rest)}")

    def _with_room(self, mode: Row, units: dict[str, int], origin: str, ends: list[str]) -> tuple[dict[str, int], list[str]]:
        """The units, and the ends to which there is room for all; else of the most numerous kind as many as can go anywhere."""
        wanted = sum(units.values())
        room = movement.room_to(self.world, self.nation, mode, origin, units, ends, wanted)
        if room and max(room.values()) < wanted:
            kind = max(units, key=lambda k: units[k])
            wanted = min(units[kind], max(room.values()))
            units = {kind: wanted}
        return units, [end for end in ends if room.get(end, 0) >= wanted]

    def _example(self, entries: Sequence[Legal]) -> Iterator[Offered]:
        """The largest of several orders of units, and where else units could be given such an order."""
        ranked = sorted(entries, key=lambda e: -sum(e.slots[movement.UNITS].values()))
        for at, first in enumerate(ranked):
            if (shown := self._march(first)) is None:
                continue
            others: dict[str, str] = {}
            for entry in ranked[at + 1 :]:
                origin = str(entry.slots[movement.ORIGIN])
                if len(others) == MOST_OTHERS or origin in (*others, str(first.slots[movement.ORIGIN])):
                    continue
                if (line := self._march(entry, 1)) is not None:
                    others[origin] = line.text
            also = tuple((self._name("place", o), text) for o, text in others.items())
            yield replace(shown, also=also, also_word="or from")
            return

    def _crossings(self, row: Row, mode: Row, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Troops overseas: the crossing of most of them, one to an enemy if there is any, and from where else others could go."""
        found = [(e, slots, ends) for e in entries for slots, ends in crossings(self.world, self.nation, row, mode, e.slots)]
        found.sort(key=lambda one: (all(self.kind_of_end(p) != ENEMY for p in one[2]), -sum(one[1][movement.CARGO].values())))
        lines: dict[str, Offered] = {}
        for entry, slots, ends in found:
            origin = str(slots[movement.ORIGIN])
            if origin in lines or len(lines) == MOST_COASTS:
                continue
            if (line := self._crossing(entry, slots, ends, 1 if lines else MOST_ENDS)) is not None:
                lines[origin] = line
        if lines:
            first, *others = lines.items()
            also = tuple((self._name("place", origin), line.text) for origin, line in others)
            yield replace(first[1], also=also, also_word="or from")

    def _crossing(self, entry: Legal, slots: dict[str, Any], ends: Sequence[str], most: int) -> Offered | None:
        """The line of one crossing that fits the form: with `all` its troops, or with other names of its places, if need be."""
        near = [p for _, some in self._by_class(ends, str(slots[movement.ORIGIN])) for p in some]
        targets = self._sound(entry.order, slots, movement.TARGET, near[:MOST_ENDS], most)
        for filled in (slots, {**slots, movement.CARGO: {"*": "all"}}) if targets else ():
            if filled is not slots and not self._stands(entry.order, {**filled, movement.TARGET: targets[0]}):
                continue
            line = self._chosen(entry, filled, movement.TARGET, self._by_class(targets, str(slots[movement.ORIGIN])))
            for text in in_other_words(self.world, self.names, line.text, filled):
                if len(text) <= LONG:
                    return replace(line, text=text)
        return None

    def _in_order(self, units: Mapping[str, int]) -> dict[str, int]:
        rows = list(self.world.ruleset.rows("units"))
        return {k: units[k] for k in sorted(units, key=lambda k: rows.index(k) if k in rows else len(rows))}

    def _class(self, place: str) -> str:
        """Whether units that go to a place come to an enemy, to their own or to somebody else."""
        holder = self.world.holder_of(place)
        if self.enemies(place).least or (
            holder is not None and self.world.hostile(self.nation, holder) and is_attack(self.world, self.nation, place)
        ):
            return ENEMY
        return NEUTRAL if is_attack(self.world, self.nation, place) else OWN

    def _by_class(self, targets: Sequence[str], origin: str) -> list[tuple[str, list[str]]]:
        """Ends of a way: enemies, then one's own, the nearest first; others where there is no enemy."""
        reach = self.world.geography.distances(origin)
        found: dict[str, list[str]] = {ENEMY: [], OWN: [], NEUTRAL: []}
        for place in sorted(targets, key=lambda p: (reach.get(p, 99), self._name("place", p))):
            found[self.kind_of_end(place)].append(place)
        if found[ENEMY]:
            del found[NEUTRAL]
        return [(word, places) for word, places in found.items() if places]

    # ---- purchases

    def _purchases(self, entries: Sequence[Legal]) -> Iterator[Offered]:
        """What can be bought at the same sites on one line, each with its price; works along a border with where they face."""
        prices: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in entries:
            prices.setdefault((entry.slots.get("item"), "site" in entry.slots, *sorted(entry.cost.items())), []).append(entry)
        same: dict[tuple[str, ...], list[list[Legal]]] = {}
        for group in prices.values():
            if any(e.open for e in group):
                continue
            if any(e.targets for e in group):
                yield from self._facing(group)
                continue
            ranked = sorted(group, key=lambda e: -e.most)
            if "site" not in group[0].slots:
                if self._stands(group[0].order, self._one(group[0])):
                    same.setdefault((), []).append(group)
                continue
            sites = self._sound(group[0].order, self._one(group[0]), "site", [str(e.slots["site"]) for e in ranked])
            if sites:
                same.setdefault(sites, []).append(group)
        for sites, groups in sorted(same.items(), key=lambda some: not some[0]):
            first = groups[0][0]
            said = [self._price(first.cost), f"at most {max(e.most for e in groups[0])}", "" if sites else "placed later"]
            also = [(f"{self._item(g[0])} {self._price(g[0].cost)}", self._open_at(g[0], sites)) for g in groups[1:]]
            choices = (("in", tuple((self._name("place", s), "") for s in sites)),) if len(sites) > 1 else ()
            yield Offered(first.order, self._open_at(first, sites), choices, "; ".join(filter(None, said)), tuple(also))

    def _one(self, entry: Legal) -> dict[str, Any]:
        """One of what is bought."""
        return {**entry.slots, **({"n": 1} if "n" in entry.slots else {})}

    def _open_at(self, entry: Legal, sites: Sequence[str]) -> str:
        site = {"site": BLANK if len(sites) > 1 else sites[0]} if sites else {}
        return self._text(entry, {**self._one(entry), **site})

    def _item(self, entry: Legal) -> str:
        return self._name("item", item_of(self._row(entry.order), entry.slots))

    def _facing(self, group: Sequence[Legal]) -> Iterator[Offered]:
        """Works along a border: toward enemies, where there are any."""
        declared = self._row(group[0].order).get("slots", {})
        slot = facing_slot(declared)
        pairs = [(e, t) for e in group for t in e.targets]
        pairs = next(filter(None, ([p for p in pairs if self.kind_of_end(p[1]) == word] for word in (ENEMY, NEUTRAL))), [])
        made = []
        for entry, target in pairs[:MOST_TRIED]:
            slots = {**self._one(entry), slot: target}
            if slot in declared and self._stands(entry.order, slots):
                short = f"{self._name('place', str(entry.slots['site']))} to {self._name('place', target)}"
                made.append((short, self._text(entry, slots)))
        if made:
            yield Offered(group[0].order, made[0][1], said=self._price(group[0].cost), also=tuple(made[1:]))

    # ---- acts

    def _acts(self, key: str, row: Row, entries: Sequence[Legal]) -> Iterator[Offered]:
        """Orders that differ in one slot on one line, with what the slot may hold; of the others the first few."""
        shapes = {name: slot_of(name, declared) for name, declared in row.get("slots", {}).items()}
        full = [done for entry in entries for done in self._completed(entry, shapes)][:MANY_WAYS]
        full = self._wholes(full, shapes)
        if not full:
            return
        values: dict[str, list[str]] = {}
        for entry in full:
            for slot, value in entry.slots.items():
                values.setdefault(slot, []).append(str(value))
        varying = sorted((s for s in values if len(set(values[s])) > 1), key=lambda s: -len(set(values[s])))
        varying = [s for s in varying if shapes[s].kind != "units"]
        stands_at = next((s for s, shape in shapes.items() if shape.kind == "place" and s in values), "")
        of_units = bool(stands_at) and set(values[stands_at]) <= self.standing
        if of_units and len(varying) > 1 and stands_at in varying:
            varying = [*(s for s in varying if s != stands_at), stands_at]
        last = varying[0] if varying else ""
        groups: dict[tuple[Any, ...], list[Legal]] = {}
        for entry in full:
            groups.setdefault(tuple((s, str(v)) for s, v in entry.slots.items() if s != last), []).append(entry)
        shown = list(groups.values())
        as_example = of_units and len(shown) > 1 and self.any_bare and not row.get("bare")
        most = 1 if as_example else len(shown) if of_units and len(varying) < 3 else MOST_GROUPS
        for n, group in enumerate(shown[:most]):
            line = self._act(key, group, last)
            if of_units and last != stands_at and not as_example:
                place = str(group[0].slots[stands_at])
                line = replace(line, place=place, origin=self._name("place", place))
            if as_example:
                at = {str(g[0].slots[stands_at]): g[0] for g in shown[1:] if g[0].slots[stands_at] != group[0].slots[stands_at]}
                also = tuple((self._name("place", p), self._text(e, e.slots)) for p, e in at.items())
                line = replace(line, also=also, also_word="or from")
            elif n == most - 1:
                line = replace(line, more=len(shown) - most)
            yield line

    def _act(self, key: str, group: Sequence[Legal], last: str) -> Offered:
        first, units = self._in_short(group[0], last)
        prices = {self._price(e.cost) for e in group}
        said = "; ".join(filter(None, [prices.pop() if len(prices) == 1 else "", _bounds(first), units]))
        if not last or len(group) == 1:
            return Offered(key, self._text(first, first.slots), said=said)
        kind = slot_of(last, self._row(key)["slots"][last]).kind
        prices = set() if kind == "resource" else prices
        names = tuple((self._value(kind, e.slots[last]), "" if not prices else self._price(e.cost) or "free") for e in group)
        return Offered(key, self._text(first, {**first.slots, last: BLANK}), (("", names),), said)

    def _in_short(self, entry: Legal, last: str) -> tuple[Legal, str]:
        """An order whose line would be long, with `all` for the units that it names; and these, in words."""
        named = next((s for s, v in entry.slots.items() if isinstance(v, dict) and s != last), "")
        if not named or len(self._text(entry, {**entry.slots, **({last: BLANK} if last else {})})) <= LONG:
            return entry, ""
        every = {**entry.slots, named: {"*": "all"}}
        if not self._stands(entry.order, every):
            return entry, ""
        return replace(entry, slots=every), self.names.units(entry.slots[named])

    def _completed(self, entry: Legal, shapes: Mapping[str, Slot]) -> list[Legal]:
        """An order with its open slots filled in, in every way that stands; none if only the player can say what goes there."""
        open_ = [s for s in entry.open if not shapes[s].optional]
        if not open_:
            some = {s: 1 for s, (low, high) in entry.bounds.items() if low == 0 < high and entry.slots.get(s) == 0}
            slots = {**entry.slots, **some}
            return [replace(entry, slots=slots) if some and self._stands(entry.order, slots) else entry]
        places = [s for s in shapes if shapes[s].kind == "place" and s in entry.slots]
        if any(shapes[s].kind == "units" for s in open_) and places and str(entry.slots[places[0]]) not in self.standing:
            return []
        domains = [self._domain(entry, s, shapes[s]) for s in open_]
        context = OrderContext(self._at(entry.order))
        misfits = [unfitting(context, self.nation, entry.order, s, d) for s, d in zip(open_, domains, strict=True)]
        out = []
        for filling in islice(product(*domains), MOST_TRIED):
            if any(some and value in some for value, some in zip(filling, misfits, strict=True)):
                continue
            filled = {s: [v] if shapes[s].many and not isinstance(v, dict) else v for s, v in zip(open_, filling, strict=True)}
            slots = {**entry.slots, **filled}
            done = replace(entry, slots=slots, open=())
            if self._is_offered(done) and self._stands(entry.order, slots):
                out.append(done)
        return out

    def _domain(self, entry: Legal, slot: str, shape: Slot) -> list[Any]:
        """What is tried in an open slot: units that are there, one of anything counted, a place with units of one's own."""
        if shape.kind == "units":
            at = dict(unit_slots(self._row(entry.order)))[slot]
            here = movement.free_units(self.world, self.nation, str(entry.slots.get(at, entry.slots.get("place", ""))))
            return [self._in_order(here)] if here else []
        if shape.kind == "number":
            return [1]
        if shape.kind == "place":
            return sorted(self.standing, key=lambda p: (not self._before_enemies(p), p))
        if shape.kind not in ENUMERABLE:
            return []
        return domain(self.context, self._row(entry.order), slot, {"self": self.me, "nation": self.me})

    def _before_enemies(self, place: str) -> bool:
        return any(self.enemies(p).least for p in self.world.geography.next_to(place))

    def _wholes(self, entries: list[Legal], shapes: Mapping[str, Slot]) -> list[Legal]:
        """Without those that name a part of a place where units stand, if the whole does as well."""
        slot = next((s for s, shape in shapes.items() if shape.kind == "place"), "")
        named = {str(e.slots.get(slot)) for e in entries}
        parts = {part for whole, some in self.world.geography.parts.items() if whole in named for part in some}
        return [e for e in entries if str(e.slots.get(slot)) not in parts]

    # ---- what all share

    def _chosen(self, entry: Legal, slots: Mapping[str, Any], slot: str, groups: Sequence[tuple[str, Sequence[str]]]) -> Offered:
        """A line with a slot to choose for; one choice is filled in."""
        ids = [id_ for _, some in groups for id_ in some]
        if len(ids) == 1:
            said = self._known(ids[0]) if groups[0][0] == ENEMY else ""
            return Offered(entry.order, self._text(entry, {**slots, slot: ids[0]}), said=said and f"enemies there: {said}")
        choices = tuple(
            (word, tuple((self._name("place", p), self._known(p) if word == ENEMY else "") for p in some))
            for word, some in groups
        )
        return Offered(entry.order, self._text(entry, {**slots, slot: BLANK}), choices)

    def _known(self, place: str) -> str:
        found = self.enemies(place)
        return "" if not found.least else str(found.least) if found.exact else f"{found.least} or more"

    def _sound(self, key: str, slots: Mapping[str, Any], slot: str, values: Sequence[str], each: int = 0) -> tuple[str, ...]:
        """The values of a slot with which an order stands: all of them if the first does, else each is tried.

        With `each` every value is tried, until so many are found.
        """
        if values and not each and self._stands(key, {**slots, slot: values[0]}):
            return tuple(values)
        found = (v for v in values[:MOST_TRIED] if self._stands(key, {**slots, slot: v}))
        return tuple(islice(found, each or None))

    def _stands(self, key: str, slots: Mapping[str, Any]) -> bool:
        """Whether an order stands that is the only one of its file."""
        checker = Checker(self._at(key), self.nation, quiet=True)
        found = checker.understood({"nation": self.nation, "order": key, "slots": dict(slots), "options": {}, "place": 1})
        return found is not None and not list(checker.unfit({1: found.intent}))

    def _text(self, entry: Legal, slots: Mapping[str, Any]) -> str:
        return order_text(self.world.ruleset, self.names, {"order": entry.order, "slots": slots}, agree=True)

    def _name(self, kind: str, id_: str) -> str:
        return self.names.printed(kind, id_)

    def _value(self, kind: str, value: Any) -> str:
        """What a slot holds by its name; of a list the only member that is tried."""
        return self._name(kind, str(value[0] if isinstance(value, list) else value))

    def _price(self, cost: Mapping[str, Any]) -> str:
        """A price: bare in the main resource, with its name in others."""
        rows, main = self.world.ruleset.rows("resources"), stores.money(self.world.ruleset)
        parts = (str(n) if what == main else f"{n} {rows.get(what, {}).get('name', what)}" for what, n in cost.items() if n)
        return " and ".join(parts)


def _bounds(entry: Legal) -> str:
    """How many, where a number may be chosen within limits."""
    return ", ".join(f"{low} to {high}" for low, high in entry.bounds.values() if low < high < PLENTY)
