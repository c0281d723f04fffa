"""What every kind of order needs to write its lines of the order sheet: names, prices, places by who is
there, what stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

from ..core.model import Row
from ..core.words import joined
from ..ruleset.order_syntax import read_form, slots_in
from ..turn.context import OrderContext
from ..world import treasury as stores
from ..world.known import enemies_in
from ..world.passages import is_attack
from ..world.world import World
from . import movement
from .legal_entry import Legal, says_nothing
from .lookahead import at_its_step
from .names import Names
from .sheet_line import BLANK, ENEMY, FREE, NEUTRAL, OWN, Offered
from .text import order_text

MOST_TRIED = 120
"""Fillings of one order's open slots that are tried."""
LONG = 70
"""Characters of a line above which all units of a place go as `all`."""

Slots = Mapping[str, Any]


class SheetWriter:
    """Writes the sheet of one nation. `world` is its view.

    `stands` tells whether an order (key, slots) stands that is the only one of its file.
    """

    def __init__(self, world: World, nation: str, stands: Callable[[str, Slots], bool]) -> None:
        self.world = world
        self.nation = nation
        self.stands = stands
        self.names = Names(world.ruleset, world.state)
        self.enemies = cache(partial(enemies_in, world, nation))
        """The enemies known in a place."""
        self.kind_of_end = cache(self._class)
        self.standing = set(movement.places_with_units(world, nation))
        self.sent: dict[str, set[str]] = {}
        """Place -> the kinds of units there that have a line of their own."""
        forms = [row for form in ("orders", "actions") for row in world.ruleset.rows(form).values()]
        self.any_bare = any(row.get("bare") for row in forms)

    def row(self, key: str) -> Row:
        """The row of an order ("form/id")."""
        return self.world.ruleset.row_of(key)

    def at(self, key: str) -> World:
        """The position in which an order is carried out."""
        return at_its_step(self.world, self.nation, key)

    def is_offered(self, entry: Legal) -> bool:
        """Whether an order makes sense to most by then, as its row says it."""
        return entry.is_offered(OrderContext(self.at(entry.order)))

    # ---- places

    def _class(self, place: str) -> str:
        """Whether units that go to a place come to an enemy, to their own or to somebody else."""
        attack = is_attack(self.world, self.nation, place)
        if self.enemies(place).least or (attack and self.world.held_by_enemy(self.nation, place)):
            return ENEMY
        if attack:
            return NEUTRAL
        return OWN if self.world.holder_of(place) is not None else FREE

    def by_class(self, targets: Sequence[str], origin: str) -> list[tuple[str, list[str]]]:
        """Ends of a way: enemies, then one's own, the nearest first; others where there is no enemy."""
        reach = self.world.geography.distances(origin)
        classes: dict[str, list[str]] = {ENEMY: [], OWN: [], FREE: [], NEUTRAL: []}
        for place in sorted(targets, key=lambda p: (reach.get(p, 99), self.name("place", p))):
            classes[self.kind_of_end(place)].append(place)
        if classes[ENEMY]:
            del classes[NEUTRAL]
        return [(word, places) for word, places in classes.items() if places]

    def known(self, place: str) -> str:
        """How many enemies are known in a place; empty if none are."""
        enemies = self.enemies(place)
        if not enemies.least:
            return ""
        return str(enemies.least) if enemies.exact else f"{enemies.least} or more"

    def in_order(self, units: Mapping[str, int]) -> dict[str, int]:
        """Units in the order of their table."""
        rows = list(self.world.ruleset.rows("units"))
        return {k: units[k] for k in sorted(units, key=lambda k: rows.index(k) if k in rows else len(rows))}

    # ---- what stands

    def sound(
        self, key: str, slots: Slots, slot: str, values: Sequence[str], each: int = 0
    ) -> tuple[str, ...]:
        """The values of a slot with which an order stands: all of them if the first does, else each is tried.

        With `each` every value is tried, until so many are found.
        """
        if values and not each and self.stands(key, {**slots, slot: values[0]}):
            return tuple(values)
        standing = (v for v in values[:MOST_TRIED] if self.stands(key, {**slots, slot: v}))
        return tuple(islice(standing, each or None))

    # ---- words

    def chosen(
        self, key: str, slots: Slots, slot: str, groups: Sequence[tuple[str, Sequence[str]]]
    ) -> Offered:
        """A line with a slot to choose a place for; one choice is filled in."""
        ids = [id_ for _, some in groups for id_ in some]
        if len(ids) == 1:
            foes = self.known(ids[0]) if groups[0][0] == ENEMY else ""
            return Offered(
                key, self.text(key, {**slots, slot: ids[0]}), said=foes and f"enemies there: {foes}"
            )
        choices = tuple(
            (word, tuple((self.name("place", p), self.known(p) if word == ENEMY else "") for p in some))
            for word, some in groups
        )
        return Offered(key, self.text(key, {**slots, slot: BLANK}), choices)

    def text(self, key: str, slots: Slots) -> str:
        """The line of an order; of one that says by its options what it is for, with the first of them."""
        order = {"order": key, "slots": slots, "options": self._example(key, slots)}
        return order_text(self.world.ruleset, self.names, order, agree=True)

    def _example(self, key: str, slots: Slots) -> dict[str, Any]:
        """The first option of an order that would say nothing without one, filled with what is likely."""
        row = self.row(key)
        if not says_nothing(row, slots) or not row.get("options"):
            return {}
        option = self.world.ruleset.row("order_options", row["options"][0])
        slot = next(slots_in(read_form(option["syntax"], option.get("slots"))), None)
        value: Any = True
        if slot is not None and slot.kind == "number":
            declared = option.get("slots", {}).get(slot.name)
            value = max(1, int(declared.get("least", 1))) if isinstance(declared, dict) else 1
        elif slot is not None and slot.kind == "unit-kind":
            value = [self._most_of] if slot.many else self._most_of
        return {option["id"]: value}

    @cached_property
    def _most_of(self) -> str:
        """The kind of unit of which the nation has most."""
        counts: dict[str, int] = {}
        for _, stack in self.world.state.stacks(owner=self.nation):
            counts[stack["kind"]] = counts.get(stack["kind"], 0) + int(stack["n"])
        return max(sorted(counts), key=counts.__getitem__, default="")

    def in_other_words(self, text: str, slots: Slots) -> Iterator[str]:
        """A line, and the line with other names of one of the places in some slots."""
        yield text
        for value in slots.values():
            row = self.world.ruleset.row_or_empty("places", value if isinstance(value, str) else None)
            for alias in row.get("aliases", ()):
                if set(self.names.find("place", joined(alias))) == {value}:
                    yield text.replace(self.name("place", str(value)), alias)

    def name(self, kind: str, id_: str) -> str:
        """The name of a thing of a kind."""
        return self.names.printed(kind, id_)

    def value(self, kind: str, value: Any) -> str:
        """What a slot holds by its name; of a list the only member that is tried."""
        return self.name(kind, str(value[0] if isinstance(value, list) else value))

    def price(self, cost: Mapping[str, Any]) -> str:
        """A price: bare in the main resource, with its name in others."""
        ruleset, main = self.world.ruleset, stores.money(self.world.ruleset)
        parts = (
            str(n) if what == main else f"{n} {ruleset.row_or_empty('resources', what).get('name', what)}"
            for what, n in cost.items()
            if n
        )
        return " and ".join(parts)
