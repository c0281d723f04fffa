"""Whether orders are allowed, by what their nation may know: findings at line and column, and the orders that stand.

Invalid (not understood) is `parse.py`'s; here is illegal (understood, not allowed). Every order is tested as the resolution
tests it, by the same functions, on the nation's view; what it costs and the units it takes are counted over the whole file.
A line is accepted or refused whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..battle import active_recon as probing
from ..core.diagnostics import Diagnostic, Severity
from ..core.model import Row
from ..economy.catalogue import Market, Quote
from ..economy.complete import in_hand
from ..turn import acts as act
from ..turn.context import Desk
from ..turn.effects import fill
from ..units import assignment, deploy, fleet, forces, voyage
from ..units.move import unlike
from ..world import routes
from ..world import treasury as stores
from ..world.selections import as_set, plain
from ..world.world import World
from . import undeclared_war as warlike
from . import ways
from .afterwards import Afterwards
from .grammar import Slot, slot_of
from .match import ALL
from .names import Names
from .parse import Order
from .rows import all_or_none, is_placing, is_purchase, late_money, open_to, orders_now, unit_slots


def check_orders(world: World, nation: str, orders: Sequence[Order], *, file: str = "") -> list[Diagnostic]:
    """What is wrong with understood orders; `world` is the nation's view."""
    return accept_orders(world, nation, orders, file=file)[1]


def accept_orders(world: World, nation: str, orders: Sequence[Order], *, file: str = "") -> tuple[list[Order], list[Diagnostic]]:
    """The orders that stand, complete and ready for the resolution, and what is wrong with the others.

    Numbers take the place of `all`; of several readings of a line the one that is allowed is taken.
    """
    checker = Checker(world, nation, file=file)
    checker.filed = orders
    checker.fleet = fleet.Fleet.of(world.ruleset, orders)
    checker.market.orders = orders
    taken = [(index, checker.take(order)) for index, order in sorted(enumerate(orders), key=lambda o: goes_on(world, o[1]))]
    accepted = [order for _, order in sorted(taken, key=lambda t: t[0]) if order is not None]
    return checker.fitting(accepted), checker.found


def goes_on(world: World, order: Order) -> bool:
    """Whether an order moves units that may have moved before: it is looked at after all others."""
    mode = ways.mode_of(world.ruleset, world.ruleset.rows("orders").get(order["order"].partition("/")[2], {}))
    return bool(mode and mode.get("again"))


class Refused(Exception):
    """An order is not allowed: code, words, the slot it is about, a hint."""

    def __init__(self, code: str, message: str, slot: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.slot, self.hint = code, message, slot, hint


class Checker:
    """Takes the orders of one nation one by one and keeps what they use up."""

    def __init__(self, world: World, nation: str, *, file: str = "") -> None:
        self.world = world
        self.ruleset = world.ruleset
        self.nation = nation
        self.desk = Desk(world)
        self.names = Names(world.ruleset, world.state)
        self.file = file
        self.found: list[Diagnostic] = []
        self.spent = act.Spent()
        self.market = Market(world, nation)
        self.now = orders_now(world)
        self.before_income = late_money(world.ruleset)
        self.loads: dict[tuple[str, str], int] = {}  # units by mode and place, where capacity is short
        self.left: dict[str, int] = {}  # what committing orders leave of each stack
        self.fleet = fleet.Fleet()
        self.first: dict[str, Order] = {}  # the first order of each row, where all must be alike
        self.layouts: dict[str, deploy.Layout] = {}  # where units are deployed, by order row
        self.taken: list[tuple[str, str, str, int]] = []  # row, place, kind, number
        self.filed: Sequence[Order] = ()  # all orders of the file, as they were understood
        self.in_hand: dict[str, int] = {}  # items that earlier lines of the file bring into hand, less those they place
        self.unpaid: set[str] = set()  # steps of which a purchase could not be paid
        self.made: list[tuple[Order, Row, routes.Path | fleet.Voyage]] = []  # moves, in the order in which they were accepted
        self.later: Afterwards | None = None
        self.hoping = False  # whether some move starts from where an earlier line leads

    # ---- one order

    def take(self, order: Order) -> Order | None:
        """Accept an order and count what it uses, or say why not. Returns it complete, or None."""
        readings = [order, *order.get("readings", ())]
        if any(fleet.makes_one(self.ruleset, r) for r in readings):  # numbered as listed, whether or not it stands
            number = self.fleet.next()
            readings = [{**r, "number": number} for r in readings]
        refusals: list[Refused] = []
        fine: list[tuple[Order, list[Callable[[], object]], list[tuple[str, str, str]]]] = []
        for reading in readings:
            notes: list[tuple[str, str, str]] = []
            try:
                complete, uses = self.test(reading, notes)
            except Refused as refused:
                refusals.append(refused)
            else:
                fine.append((complete, uses, notes))
        if not fine:
            worst = min(refusals, key=lambda r: _GRAVITY.get(r.code, 5))
            at = readings[refusals.index(worst)]
            self._say(worst.code, "error", worst.message, at, worst.slot, worst.hint)
            return None
        if len(fine) > 1:
            ways_ = ", ".join(self._row_name(f[0]["order"]) for f in fine)
            self._say("O104", "error", f"this could mean several orders: {ways_}", order, "", "")
            return None
        complete, uses, notes = fine[0]
        for use in uses:
            use()
        for code, message, slot in notes:
            self._say(code, "warning", message, complete, slot, "")
        return {k: v for k, v in complete.items() if k not in ("columns", "readings")}

    def fitting(self, accepted: list[Order]) -> list[Order]:
        """Those of the accepted orders whose task forces fit together; the others are refused now that all are known."""
        wrong = {}
        whole = all_or_none(self.ruleset) & self.unpaid
        for order in accepted if whole else ():
            row = self.ruleset.rows("orders").get(order["order"].partition("/")[2], {})
            if is_purchase(self.ruleset, row) and row.get("step") in whole:
                self._say(
                    "O204", "error", "another purchase of the same file cannot be paid", order, "", "all are bought, or none"
                )
                wrong[id(order)] = order
        for order, why in assignment.faults(self.desk, self.fleet, accepted):
            if id(order) not in wrong:
                self._say("O206", "error", why, order, "", "")
                wrong[id(order)] = order
        return [order for order in accepted if id(order) not in wrong]

    def test(self, order: Order, notes: list[tuple[str, str, str]] | None = None) -> tuple[Order, list[Callable[[], object]]]:
        """The order complete, and what counts its use once it is accepted. Raises Refused; changes nothing."""
        notes = [] if notes is None else notes
        form, _, id_ = order["order"].partition("/")
        row = self.ruleset.rows(form).get(id_)
        if row is None:
            raise Refused("O201", "there is no such order")
        if self.now is not None and order["order"] not in self.now:
            raise Refused("O201", "this order is not taken now")
        self._options(row, order)
        if form == "acts":
            return order, self._act(row, order, notes)
        if form == "decisions":
            self._slots(row, order, self.desk.order_names(order))
            return order, []
        step = deploy.deploys(self.ruleset, order["order"])
        if step is not None:
            return self._deploy(row, order, step)
        mode = ways.mode_of(self.ruleset, row)
        if is_purchase(self.ruleset, row):
            return order, self._purchase(row, order, notes)
        if is_placing(self.ruleset, row):
            return order, self._placing(row, order)
        return self._units(row, order, mode, notes)

    # ---- acts

    def _act(self, row: Row, order: Order, notes: list[tuple[str, str, str]]) -> list[Callable[[], object]]:
        names = self.desk.order_names(order)
        first = next(iter(order.get("slots", {})), "")
        why = act.closed(self.desk, row, names, self.nation)
        if why:
            raise Refused("O201", why)
        self._slots(row, order, names)
        why = act.unmet(self.desk, row, names, self.nation, self.spent)
        if why:
            raise Refused("O202", why, first, self._instead(row, order, first))
        why = act.exhausted(self.desk, row, names, self.nation, self.spent)
        if why:
            raise Refused("O203", why)
        why = act.unpaid(self.desk, row, names, self.nation, self.spent)
        if why:
            self._short(order, why, notes)
        prices = act.price(self.desk, row, names)

        def use() -> None:
            for key in act.use_keys(self.desk, row, names):
                self.spent.used[key] = self.spent.used.get(key, 0) + 1
            for what, amount in prices.items():
                self._spend(what, amount)

        return [use]

    def _instead(self, row: Row, order: Order, slot: str) -> str:
        """The nearest legal thing: what the slot could hold."""
        kind = slot_of(slot, row.get("slots", {}).get(slot)).kind if slot else ""
        if kind not in ("nation", "place", "side", "tech", "gate"):
            return ""
        from .legal import domain

        out = []
        for value in domain(self.world, row, slot, self.desk.order_names(order)):
            other = {**order, "slots": {**order["slots"], slot: value}}
            if act.unmet(self.desk, row, self.desk.order_names(other), self.nation, self.spent) is None:
                out.append(self.names.printed(kind, value))
            if len(out) > 4:
                break
        return f"allowed: {', '.join(out[:4])}{' ...' if len(out) > 4 else ''}" if out else ""

    def _short(self, order: Order, why: str, notes: list[tuple[str, str, str]]) -> None:
        if order["order"] in self.before_income:
            notes.append(("O301", f"{why}; more may come in before it is paid", ""))
            return
        raise Refused("O204", why)

    def _spend(self, what: str, amount: Any) -> None:
        """Count a payment of the nation as a whole: from its main purse first, then from the richest."""
        self.spent.paid[what] = self.spent.paid.get(what, 0) + amount
        main = stores.main_purse(self.world, self.nation, what)
        held = stores.purses(self.world, self.nation, what)
        rest = amount
        for purse in [main, *sorted((k for k in held if k != main), key=lambda k: (-held[k], k))]:
            part = min(rest, max(0, self.market.left(purse, what)))
            self.market.spend(purse, what, part)
            rest -= part

    # ---- purchases

    def _purchase(self, row: Row, order: Order, notes: list[tuple[str, str, str]]) -> list[Callable[[], object]]:
        names = self.desk.order_names(order)
        self._slots(row, order, names)
        self._needs(row, order, names)
        slots = order.get("slots", {})
        facing = slots.get("facing", slots.get("target")) or ()
        item, site, n = str(slots.get("item", row.get("does"))), slots.get("site"), int(slots.get("n") or 1)
        faces = (facing,) if isinstance(facing, str) else tuple(facing)
        quote = self.market.quote(item, site, n, into=slots.get("into"), facing=faces, kind=slots.get("kind"))
        if isinstance(quote, str):
            if quote.startswith("costs ") and order["order"] in self.before_income:
                notes.append(("O301", f"{quote}; more may come in before it is paid", "n"))
                return []
            code = "O204" if quote.startswith(("costs ", "there is ")) else "O210"
            if code == "O204":
                self.unpaid.add(str(row["step"]))
            raise Refused(code, quote, "n" if code == "O204" else "site", self._sites(item, site))
        bought: Quote = quote

        def use() -> None:
            self.market.take(bought)
            if not bought.site:
                self.in_hand[item] = self.in_hand.get(item, 0) + bought.made
            self.spent.paid[bought.what] = self.spent.paid.get(bought.what, 0) + bought.cost

        return [use]

    def _placing(self, row: Row, order: Order) -> list[Callable[[], object]]:
        """What is in hand, or will be by earlier lines of the file, put at a site."""
        self._slots(row, order, self.desk.order_names(order))
        self._needs(row, order, self.desk.order_names(order))
        slots = order["slots"]
        item, site, n = str(slots.get("item", row.get("does"))), str(slots["site"]), int(slots.get("n") or 1)
        there = sum(int(r["n"]) for _, r in in_hand(self.world.state, self.nation, item)) + self.in_hand.get(item, 0)
        if n > there:
            hint = f"at most {there}" if there else "buy it first"
            raise Refused("O205", f"{n} to be placed, {there} in hand", "n", hint)
        found = self.market.placing(item, site, n, into=slots.get("into"))
        if isinstance(found, str):
            raise Refused("O210", found, "site")

        def use() -> None:
            self.in_hand[item] = self.in_hand.get(item, 0) - n
            self.market.fill_rooms(found)

        return [use]

    def _sites(self, item: str, wanted: str | None) -> str:
        """Where the thing could be built, nearest to the place that was asked for, and how many."""
        offers = [o for o in self.market.offers() if o.item == item and o.most > 0]
        if not offers:
            return ""
        here = next((o for o in offers if o.site == wanted), None)
        if here is not None:
            return f"at most {here.most} there"
        places = [o.site for o in offers if o.site]
        if wanted is None or not places:
            return ""
        return f"allowed: {', '.join(self.names.printed('place', p) for p in ways.nearest_of(self.world, places, wanted))}"

    # ---- deployment

    def _deploy(self, row: Row, order: Order, step: Row) -> tuple[Order, list[Callable[[], object]]]:
        """Free units put in a place before play begins, with what earlier lines have left of them."""
        layout = self.layouts.setdefault(order["order"], deploy.Layout(self.desk, self.nation, step))
        left = layout.left()
        wanted = dict(order["slots"][ways.UNITS])
        if "*" in wanted:
            wanted = dict.fromkeys((k for k, n in left.items() if n > 0), ALL)
        units = {kind: left.get(kind, 0) if n == ALL else int(n) for kind, n in wanted.items()}
        if not units or min(units.values()) < 1:
            raise Refused("O208", "no units are left to be placed", ways.UNITS)
        order = {**order, "slots": {**order["slots"], ways.UNITS: units}}
        why = layout.refusal(order)
        if why is not None:
            raise Refused("O205" if why.kind else "O202", why.says, why.slot, self._where_to(row, order, why))
        return order, [lambda: layout.take(order)]

    def _where_to(self, row: Row, order: Order, why: deploy.Why) -> str:
        """The nearest that may be ordered: the number, or the places."""
        if why.kind:
            return f"at most {why.most}" if why.most else ""
        open_to_all = [set(deploy.targets(self.world, self.nation, row, kind)) for kind in order["slots"][ways.UNITS]]
        near = ways.nearest_of(self.world, set.intersection(*open_to_all), str(order["slots"][ways.TARGET]))
        return f"allowed: {', '.join(self.names.printed('place', p) for p in near)}" if near else ""

    # ---- orders of units

    def _units(
        self, row: Row, order: Order, mode: Row | None, notes: list[tuple[str, str, str]]
    ) -> tuple[Order, list[Callable[[], object]]]:
        """An order to go somewhere. Units that may go on after a move are looked for where earlier lines take them, too."""
        if mode is None or not mode.get("again"):
            return self._units_now(row, order, mode, notes)
        if not self.hoping:
            try:
                return self._units_now(row, order, mode, notes)
            except Refused:
                if not self.made:
                    raise
        then = Checker(self._afterwards().world, self.nation)
        then.now, then.fleet = self.now, self.fleet
        complete, uses = then._units_now(row, order, mode, notes)

        def use() -> None:
            self.hoping = True
            for each in uses:
                each()
            self.made.extend(then.made)

        return complete, [use]

    def _afterwards(self) -> Afterwards:
        """The map when the moves accepted so far have been made."""
        if self.later is None:
            self.later = Afterwards(self.world, self.nation)
        for order, mode, found in self.made[self.later.moves :]:
            self.later.make(order, mode, found)
        return self.later

    def _units_now(
        self, row: Row, order: Order, mode: Row | None, notes: list[tuple[str, str, str]]
    ) -> tuple[Order, list[Callable[[], object]]]:
        slots = dict(order.get("slots", {}))
        if "for" in row and not open_to(self.world, row["for"], self.nation):
            raise Refused("O201", "this is not open to your nation")
        for name, where in unit_slots(row):
            if slots.get(name) and slots.get(where) is not None:
                slots[name] = self._numbers(row, slots[name], str(slots[where]), mode if name == ways.UNITS else None, name)
        order = {**order, "slots": slots}
        names = self.desk.order_names(order)
        self._slots(row, order, names)
        self._needs(row, order, names)
        why = unlike(self.desk, order, self.first.get(order["order"]))
        if why:
            raise Refused("O209", why, row["alike"][0])
        uses: list[Callable[[], object]] = [lambda: self.first.setdefault(order["order"], order)]
        picked: dict[str, int] = {}
        for name, where in unit_slots(row):
            wanted, place = slots.get(name), slots.get(where)
            if not wanted or place is None:
                continue
            left = self._left(row, str(place))
            for kind, number in wanted.items():
                if number > left.get(kind, 0):
                    raise Refused("O205", *self._too_many(kind, number, str(place), left, name))
            for key, n in forces.pick(self._stacks(row, str(place)), wanted) or ():
                picked[key] = picked.get(key, 0) + n
            uses.append(lambda p=str(place), w=wanted: self.taken.extend((row["id"], p, k, int(n)) for k, n in w.items()))  # type: ignore[misc]
        tasked = self.ruleset.rows("modes").get(row.get("does", ""), {})
        if tasked.get("tasks"):
            found = voyage.understand(self.desk, order, tasked, dict(self.left), self.fleet, int(order.get("number") or 0))
            if isinstance(found, str):
                raise Refused("O206", found, ways.TARGET)
            uses.append(lambda f=found: self.fleet.take(f))  # type: ignore[misc]
            if isinstance(found, fleet.Voyage):
                uses.append(lambda f=found: self.made.append((order, tasked, f)))  # type: ignore[misc]
                notes.extend(("O303", text, ways.UNITS) for text in assignment.notes(self.desk, found))
            if isinstance(found, fleet.Voyage) and found.gate is not None:
                notes.append(("O302", f"{self.names.printed('gate', found.gate)} is closed as things stand", ways.TARGET))
        elif mode is None and self.ruleset.has("contacts", row.get("does")) and slots.get(ways.UNITS):
            contact = self.ruleset.row("contacts", row["does"])
            probe = probing.understand(self.desk, order, contact, dict(self.left))
            if isinstance(probe, str):
                raise Refused("O206", probe, ways.TARGET, self._other_look(order, contact))
        elif mode is not None and slots.get(ways.UNITS) and slots.get(ways.ORIGIN) is not None:
            uses.extend(self._way(mode, order, slots[ways.UNITS], notes))
        ashore = self.ruleset.rows("modes").get(mode["ashore"]) if mode and "ashore" in mode else mode
        warning = warlike.unannounced(self.world, self.nation, ashore, slots.get(ways.TARGET), self.filed)
        if warning is not None:
            notes.append(("O305", warning, ways.TARGET))
        if "commits" in row:
            uses.append(lambda: self._commit(picked))
        why = act.unpaid(self.desk, row, names, self.nation, self.spent)
        if why:
            self._short(order, why, notes)
        for what, amount in act.price(self.desk, row, names).items():
            uses.append(lambda w=what, a=amount: self._spend(w, a))  # type: ignore[misc]
        return order, uses

    def _other_look(self, order: Order, contact: Row) -> str:
        """What could look, or be looked at, in the place of an order to look that is not allowed."""
        slots = order["slots"]
        able, places = probing.choices(self.desk, order, contact, list(slots[ways.UNITS]))
        if any(kind not in able for kind in slots[ways.UNITS]):
            where = self.names.printed("place", str(slots[ways.ORIGIN]))
            names = [self.names.printed("unit-kind", kind, 2) for kind in able]
            return f"in {where} these can: {', '.join(names)}" if names else f"nobody in {where} can"
        near = ways.nearest_of(self.world, places, str(slots.get(ways.TARGET)))
        return f"they can look at {', '.join(self.names.printed('place', p) for p in near)}" if near else "they can look nowhere"

    def _commit(self, picked: Mapping[str, int]) -> None:
        for key, n in picked.items():
            self.left[key] = self.left.get(key, int(self.world.state.get("units", key, "n", 0))) - n

    def _numbers(self, row: Row, wanted: Mapping[str, Any], origin: str, mode: Row | None, slot: str) -> dict[str, Any]:
        """A list of units with numbers in the place of `all`."""
        left = self._left(row, origin)
        if "*" in wanted:
            fits = {k: n for k, n in left.items() if n > 0 and (mode is None or ways.goes_by(self.world, mode, k))}
            if not fits:
                where = self.names.printed("place", origin)
                raise Refused("O205", f"no units in {where} are free to go this way", slot)
            return fits
        out = {}
        for kind, number in wanted.items():
            out[kind] = left.get(kind, 0) if number == ALL else int(number)
            if out[kind] <= 0 and number != ALL:
                raise Refused("O208", "the number must be at least 1", slot)
            if out[kind] <= 0:
                raise Refused("O205", *self._too_many(kind, 1, origin, left, slot))
        return out

    def _stacks(self, row: Row, place: str) -> list[tuple[str, Row]]:
        """The stacks at a place that are free to go; for orders that commit units, less what earlier ones took."""
        mode = self.ruleset.rows("modes").get(row.get("does", ""), {})
        free = routes.free_stacks(self.world, self.nation, place, again=bool(mode.get("again")))
        if "commits" not in row:
            return free
        now = [(k, {**r, "n": self.left.get(k, int(r["n"]))}) for k, r in free]
        return [(k, r) for k, r in now if r["n"] > 0]

    def _left(self, row: Row, place: str) -> dict[str, int]:
        """Units at a place that this order may still take: less those whose orders exclude it."""
        left: dict[str, int] = {}
        for _, stack in self._stacks(row, place):
            left[stack["kind"]] = left.get(stack["kind"], 0) + int(stack["n"])
        rows = self.ruleset.rows("orders")
        for other, where, kind, number in self.taken:
            theirs = rows[other]
            if where != place or ("commits" in row and "commits" in theirs):
                continue
            if other == row["id"] or other in row.get("excludes", ()) or row["id"] in theirs.get("excludes", ()):
                left[kind] = left.get(kind, 0) - number
        return left

    def _too_many(self, kind: str, number: int, origin: str, left: Mapping[str, int], slot: str) -> tuple[str, str, str]:
        there = ways.free_units(self.world, self.nation, origin).get(kind, 0)
        where = self.names.printed("place", origin)
        what = self.names.printed("unit-kind", kind, 2)
        ordered = there - left.get(kind, 0)
        rows = self.ruleset.rows("orders")
        to_do = dict.fromkeys(str(rows[r].get("name", r)) for r, p, k, _ in self.taken if (p, k) == (origin, kind))
        told = f", {ordered} of them ordered already ({', '.join(to_do)})" if ordered else ""
        message = f"{number} {what} ordered, {there} in {where}{told}"
        if not there:
            places = ways.places_with_units(self.world, self.nation)
            held = [p for p in places if ways.free_units(self.world, self.nation, p).get(kind)]
            near = ways.nearest_of(self.world, held, origin)
            hint = f"there are {what} in {', '.join(self.names.printed('place', p) for p in near)}" if near else ""
        else:
            hint = f"at most {left[kind]}" if left.get(kind, 0) > 0 else ""
        return message, slot, hint

    def _way(
        self, mode: Row, order: Order, wanted: Mapping[str, int], notes: list[tuple[str, str, str]]
    ) -> list[Callable[[], object]]:
        slots = order["slots"]
        origin, target = str(slots[ways.ORIGIN]), slots.get(ways.TARGET)
        if target is None:
            return []
        via = slots.get(ways.VIA, [])
        try:
            through = routes.named_places(self.world, via)
        except ValueError as error:
            raise Refused("O103", str(error), ways.VIA) from None
        count = sum(wanted.values())
        taken = {place: n for (by, place), n in self.loads.items() if by == mode["id"]}
        found = ways.ask(self.world, self.nation, mode, origin, str(target), wanted, through, count=count, taken=taken)
        if found.why is not None:
            ends = [set(ways.targets(self.world, self.nation, mode, origin, k)) for k in wanted]
            both = set.intersection(*ends) if ends else set()
            near = [self.names.printed("place", p) for p in ways.nearest_of(self.world, both, str(target))]
            hint = f"they can go to {', '.join(near)}" if near else "they can go nowhere this way"
            raise Refused("O206", found.why, ways.TARGET, hint)
        if found.gate is not None:
            notes.append(("O302", f"{self.names.printed('gate', found.gate)} is closed as things stand", ways.TARGET))
        self._only_attacks(mode, order, str(target))
        made: Callable[[], object] = lambda: self.made.append((order, mode, found.path))  # noqa: E731
        return [made, *self._load(mode, found.path, count)] if mode.get("capacity") else [made]

    def _only_attacks(self, mode: Row, order: Order, target: str) -> None:
        """Options that only an order may carry that ends in a fight."""
        rows = self.ruleset.rows("order_options")
        for option in order.get("options", {}):
            if rows.get(option, {}).get("only") != "attack" or mode.get("attacks"):
                continue
            if not routes.is_attack(self.world, self.nation, target):
                where = self.names.printed("place", target)
                raise Refused("O207", f"only an attack may depend on this; nobody is attacked in {where}", "", "leave it out")

    def _load(self, mode: Row, path: routes.Path, count: int) -> list[Callable[[], object]]:
        """Count units against the capacity of the places on their way, together with those of earlier lines."""
        drawn = routes.drawn_places(mode, path)
        for place in drawn:
            most = routes.capacity(self.world, mode, place)
            used = routes.used(self.world, mode, place) + self.loads.get((mode["id"], place), 0)
            left = None if most is None else most - used
            if left is not None and left < count:
                hint = f"at most {left}" if left > 0 else "earlier orders take all of it"
                raise Refused("O206", f"no room for {count} in {self.names.printed('place', place)}", ways.UNITS, hint)

        def use() -> None:
            for place in drawn:
                self.loads[mode["id"], place] = self.loads.get((mode["id"], place), 0) + count

        return [use]

    # ---- what all orders share

    def _needs(self, row: Row, order: Order, names: Mapping[str, Any]) -> None:
        for need in row.get("needs", ()):
            if not need.get("secret") and not self.world.test(need["test"], names):
                raise Refused("O202", fill(self.world, need["else"], names), next(iter(order.get("slots", {})), ""))
        for keys, most in act.limits(row):
            key = "|".join([row["id"], *keys, *(str(plain(names.get(k))) for k in keys if k in names)])
            if self.spent.used.get(key, 0) >= most:
                raise Refused("O203", act.limit_words(keys, most))

    def _slots(self, row: Row, order: Order, names: Mapping[str, Any]) -> None:
        """Numbers within their bounds, names among what may be chosen."""
        for name, value in order.get("slots", {}).items():
            declared = row.get("slots", {}).get(name)
            if not isinstance(declared, dict):
                if isinstance(value, int) and value < 1 and slot_of(name, declared).kind == "number":
                    raise Refused("O208", "the number must be at least 1", name)
                continue
            self._bounds(declared, name, value, names)
            if "among" in declared and value is not None:
                among = as_set(self.world, self.world.value(declared["among"].removeprefix("="), names))
                allowed = {plain(a) for a in among}
                wrong = [v for v in (value if isinstance(value, list) else [value]) if v not in allowed]
                if wrong:
                    slot = Slot(name, declared["kind"])
                    shown = [self.names.printed(slot.kind, str(a)) for a in sorted(allowed, key=str)[:5]]
                    what = self.names.printed(slot.kind, str(wrong[0]))
                    hint = f"allowed: {', '.join(shown)}{' ...' if len(allowed) > 5 else ''}" if shown else ""
                    raise Refused("O209", f"{what} is not among what may be chosen", name, hint)

    def _bounds(self, declared: Row, name: str, value: Any, names: Mapping[str, Any]) -> None:
        if declared["kind"] != "number" or not isinstance(value, int):
            return
        least = self.world.number(declared.get("least", 1), names)
        if value < least:
            raise Refused("O208", f"the number must be at least {least}", name)
        if "most" in declared:
            most = self.world.number(declared["most"], names)
            if value > most:
                raise Refused("O208", f"the number must be at most {most}", name)

    def _options(self, row: Row, order: Order) -> None:
        may = row.get("options", ())
        for option in order.get("options", {}):
            if option not in may:
                rows = self.ruleset.rows("order_options")
                forms = [rows[o]["form"] for o in may if o in rows]
                hint = f"it may carry: {'; '.join(forms)}" if forms else "it carries no options"
                raise Refused("O207", f"the order may not carry {rows.get(option, {}).get('form', option)!r}", "", hint)
            self._option_bounds(option, order)

    def _option_bounds(self, option: str, order: Order) -> None:
        """Numbers of an option within the bounds that its slots declare."""
        declared = self.ruleset.rows("order_options").get(option, {}).get("slots", {})
        given = order["options"][option]
        values = given if isinstance(given, Mapping) else dict.fromkeys(declared, given)
        names = self.desk.order_names(order)
        for name, slot in declared.items():
            if isinstance(slot, dict) and name in values:
                self._bounds(slot, name, values[name], names)

    # ---- saying

    def _row_name(self, key: str) -> str:
        form, _, id_ = key.partition("/")
        return str(self.ruleset.rows(form).get(id_, {}).get("name", id_))

    def _say(self, code: str, severity: Severity, message: str, order: Order, slot: str, hint: str) -> None:
        line, text = int(order.get("line", 0)), str(order.get("text", ""))
        column = int(order.get("columns", {}).get(slot, 0)) or (1 if line else 0)
        self.found.append(Diagnostic(code, severity, message, self.file, line, column, hint, text))


# which refusal says most when every reading of a line is refused: the one that got furthest
_GRAVITY = {"O204": 0, "O205": 1, "O206": 2, "O203": 2, "O210": 2, "O208": 3, "O209": 3, "O202": 4, "O207": 4, "O201": 6}


__all__ = ["Checker", "Refused", "accept_orders", "check_orders"]
