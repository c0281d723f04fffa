"""Whether orders are allowed, by what their nation may know: findings at line and column, and the orders that
stand.

Invalid (not understood) is `parse.py`'s; here is illegal (understood, not allowed). What an order comes to
says its kind (`kinds/`), asked at the position in which it will be carried out (`lookahead.py`); what it
costs and the units it takes are counted over the whole file. A line is accepted or refused whole. An order
that depends on how an earlier one ends stands, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..battle.targets import losses_named, stand_ins
from ..core.diagnostics import Diagnostic, Severity
from ..core.patience import go_on
from ..economy.catalogue import Market
from ..orders.lookahead import bare
from ..ruleset.expressions.reads import Tables
from ..turn.context import Order
from ..turn.validated_orders import Note, Refusal, RefusalCode, Remark, ValidatedOrder
from ..units import assignment, fleet
from ..units.attacking import ALONE, unaccompanied
from ..world.passages import kind_matches
from ..world.world import World
from . import movement
from .input_points import all_or_none, orders_now
from .kinds import OrderBook, OrderKind, Understood, advise, order_kind, order_kinds, understand
from .kinds.answers import parted
from .lookahead import Lookahead, place_of
from .match import is_every
from .movement import ORIGIN, UNITS
from .names import Names
from .text import order_text


@dataclass(slots=True)
class CheckedOrders:
    """What the checker makes of a nation's orders: what stands, in the order of the file, and what is to be
    said.

    `held` would stand if the orders together met a requirement that they do not meet.
    """

    intents: list[ValidatedOrder] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    held: list[ValidatedOrder] = field(default_factory=list)

    @property
    def orders(self) -> list[Order]:
        """The orders that stand, complete and ready for the resolution."""
        return [dict(intent.order) for intent in self.intents]


def check(world: World, nation: str, orders: Sequence[Order], *, file: str = "") -> CheckedOrders:
    """What the orders of a nation come to; `world` is its view, at an input point.

    Orders are understood in the order in which the turn carries them out. Numbers take the place of `all`; of
    several readings of a line the one that is allowed is taken. What is possible only if an earlier order
    succeeds, by its dice or by the votes of others, or only if it fails, is accepted with that condition.
    """
    filed = _numbered(world, nation, orders)
    run = _Run(world, nation, filed, file)
    if run.rolled and run.goes_on:
        _hang(run, lambda unlucky: _Run(world, nation, filed, file, unlucky))
    return CheckedOrders(_in_order(run.intents), run.checker.found, _in_order(run.held))


def _hang(run: _Run, again: Callable[[Collection[int]], _Run]) -> None:
    """Say of the orders of a lucky run which of them depend on it, and add those that stand only if earlier
    ones fail.

    `again` takes all orders again, of which some fail.
    """
    unlucky = again(run.rolled)
    lost = [place for place in run.intents if place not in unlucky.intents]
    won = [place for place in unlucky.intents if place not in run.intents and not run.held]
    several = len(run.rolled) > 1 and (lost or won)
    single = {roll: again([roll]) if several else unlucky for roll in run.rolled}
    for place in lost:
        rolls = [roll for roll in run.rolled if place not in single[roll].intents]
        run.remark(place, _condition(run, Note.DICE, rolls or run.rolled, all_of=bool(rolls)))
    for place in won:
        rolls = [roll for roll in run.rolled if place in single[roll].intents]
        run.add(place, unlucky.intents[place])
        run.remark(place, _condition(run, Note.OTHERWISE, rolls or run.rolled, all_of=not rolls))


def _in_order(intents: Mapping[int, ValidatedOrder]) -> list[ValidatedOrder]:
    """Intents in the order of the file, as the resolution takes them."""
    standing_ones = (intents[place] for place in sorted(intents))
    return [replace(i, order=bare(i.order), mended=str(i.order.get("mended", ""))) for i in standing_ones]


def standing(world: World, nation: str, orders: Sequence[Order]) -> tuple[list[Order], dict[str, str]]:
    """Of orders those that stand when all are carried out in their turn, and the requirements of the input
    point that they together leave unmet: id -> what is missing."""
    run = _Run(world, nation, _numbered(world, nation, orders), "")
    return run.standing, run.unmet


def _suited(world: World, nation: str, order: Order) -> Order:
    """An order of several readings with those alone by whose way of moving some of its units may go at all;
    with all of them, if there is none."""
    readings = [order, *order.get("readings", ())]
    suited = [reading for reading in readings if _suits(world, nation, reading)]
    if len(readings) in (1, len(suited)) or not suited:
        return order
    first = {key: value for key, value in {**order, **suited[0]}.items() if key != "readings"}
    return {**first, "readings": suited[1:]} if len(suited) > 1 else first


def _suits(world: World, nation: str, order: Order) -> bool:
    """Whether some of the units that an order names may go by its way of moving."""
    row = world.ruleset.row_of(order["order"])
    who = world.ruleset.row_or_empty("movement", row.get("does", "")).get("who")
    units = order["slots"].get(UNITS)
    if who is None or not isinstance(units, Mapping):
        return True
    kinds = set(units)
    if is_every(units):
        kinds = {str(s["kind"]) for _, s in world.state.stacks(at=order["slots"].get(ORIGIN), owner=nation)}
    return not kinds or any(kind_matches(world, who, kind) for kind in kinds)


def _numbered(world: World, nation: str, orders: Sequence[Order]) -> list[Order]:
    """The orders with their place in the file, and the numbers of their forces as they are listed."""
    listed = fleet.Fleet()
    out = []
    for place, order in enumerate((_suited(world, nation, order) for order in orders), 1):
        more: Order = {"place": place}
        if any(fleet.makes_one(world.ruleset, r) for r in (order, *order.get("readings", ()))):
            more["number"] = listed.next()  # whether or not it stands
        readings = [{**r, **more} for r in order.get("readings", ())]
        out.append({**order, **more, **({"readings": readings} if readings else {})})
    return out


class _Run:
    """All orders of a file taken in the order of the turn, where some lines fail by dice or by the votes of
    others."""

    def __init__(
        self, world: World, nation: str, filed: Sequence[Order], file: str, unlucky: Collection[int] = ()
    ) -> None:
        prospect = Lookahead(world, nation, parted(filed)[0], unlucky)
        # Of orders taken again nobody is told why one is refused: that was said of the lucky run.
        self.checker = Checker(world, nation, file=file, filed=filed, prospect=prospect, quiet=bool(unlucky))
        self.intents: dict[int, ValidatedOrder] = {}
        self.rolled = prospect.rolled
        self.goes_on = prospect.gated
        """Whether anything is asked after the first order that may fail: else nothing depends on how it
        ends."""
        for order in sorted(filed, key=lambda o: place_of(world.ruleset, o)):
            go_on()
            kind = order_kind(world.ruleset, order["order"])
            if kind is None:
                prospect.go_to(order)
            else:
                prospect.go_to(order, moves_on=kind.moves_on, finds_moved=kind.finds_moved)
            self.goes_on |= bool(prospect.rolled)
            understood = self.checker.understood(order)
            if understood is None:
                prospect.drop(order)
                continue
            self.intents[order["place"]] = understood.intent
            self.checker.kind_of(understood.intent).foresee(prospect, understood)
        if self.checker.book.fleet.voyages:  # whose ways are measured at the end
            self.goes_on = True
            prospect.catch_up()
        for place in self.checker.unfit(self.intents):
            del self.intents[place]
        prospect.pass_gates()
        self.unmet = dict(prospect.unmet)
        for _, why in prospect.unmet:
            self.checker.say_of_all(why)
        for place, remark in absent_losses(world, nation, self.intents):
            self.remark(place, remark)
        self.standing = [bare(self.intents[place].order) for place in sorted(self.intents)]
        self.held: dict[int, ValidatedOrder] = {}
        if prospect.unmet:
            self.held, self.intents = self.intents, {}
        self.checker.found.sort(key=lambda d: d.line)
        prospect.close()

    def add(self, place: int, intent: ValidatedOrder) -> None:
        """An order stands all the same."""
        self.intents[place] = intent
        self.checker.found.remove(self.checker.errors.pop(place))
        for remark in intent.remarks:
            self.checker.say(remark.note, remark.text, intent.order, remark.slot)

    def remark(self, place: int, remark: Remark) -> None:
        intent = self.intents[place]
        self.intents[place] = replace(intent, remarks=(*intent.remarks, remark))
        self.checker.say(remark.note, remark.text, intent.order, remark.slot)
        self.checker.found.sort(key=lambda d: d.line)


def _condition(run: _Run, note: Note, rolls: Sequence[int], *, all_of: bool) -> Remark:
    """That earlier orders succeed, or fail: all of them, or any."""
    orders = [run.intents[place].order for place in rolls]
    lines = [repr(str(order.get("text") or order["order"])) for order in orders]
    verb = "succeed" if note == Note.DICE else "fail"
    several = len(lines) > 1 and all_of
    text = f"stands if {(' and ' if all_of else ' or ').join(lines)} {verb if several else f'{verb}s'}"
    return Remark(note, text, on=tuple(int(order.get("line", 0)) for order in orders))


class Checker:
    """Takes the orders of one nation one by one and keeps what they use up.

    Policies give theirs to it as they find them, `quiet` and without a prospect: they order what is legal as
    things stand, and what they have the means for now (`sure`).
    """

    def __init__(
        self,
        world: World,
        nation: str,
        *,
        file: str = "",
        filed: Sequence[Order] = (),
        prospect: Lookahead | None = None,
        quiet: bool = False,
        sure: bool = False,
    ) -> None:
        self.book = OrderBook(world, nation, filed, prospect, sure=sure)
        self.file = file
        self.quiet = quiet
        self.now = orders_now(world)
        self.found: list[Diagnostic] = []
        self.errors: dict[int, Diagnostic] = {}  # why an order does not stand, by its place in the file
        self.unpaid: set[str] = set()  # orders ("form/id") of which one could not be paid

    @property
    def market(self) -> Market:
        """The nation's price list, with what has been bought."""
        return self.book.market

    def take(self, order: Order) -> Order | None:
        """Accept an order and count what it uses, or say why not. Returns it complete, or None."""
        if fleet.makes_one(self.book.ruleset, order):
            order = {**order, "number": self.book.fleet.next()}
        understood = self.understood(order)
        return None if understood is None else bare(understood.intent.order)

    def understood(self, order: Order) -> Understood | None:
        """Like `take`, with what the order comes to."""
        readings = [order, *order.get("readings", ())]
        number = order.get("number")
        if order.get("listed", number) != number:
            if not self.quiet:
                said = f"this is force {number} of those that are listed, not {order['listed']}"
                self._say("O102", "error", said, order, "", "they are numbered in the order of their lines")
            return None
        answers = self._answers(readings, one_of_them="first" in order)
        self.unpaid |= {str(r["order"]) for r, a in zip(readings, answers, strict=True) if _too_dear(a)}
        fine = [a for a in answers if isinstance(a, Understood)]
        if not fine:
            if not self.quiet:
                self._refuse(readings, [a for a in answers if isinstance(a, Refusal)])
            return None
        if len(fine) > 1 and not order.get("first"):
            ways = ", ".join(self.kind_of(f.intent).name for f in fine)
            meant = [self._written(f.intent) for f in fine]
            self._say("O104", "error", f"this could mean several orders: {ways}", order, "", "", meant)
            return None
        understood = fine[0]
        if self._leaves_some(answers[0], readings[0], understood):
            assert isinstance(answers[0], Refusal)
            self._refuse(readings[:1], [answers[0]])
            return None
        if self._must_be_asked(understood.intent):
            what = "an attack" if understood.intent.attacks else "what concerns another"
            why = f"a name is misspelled, and {what} is not guessed; to confirm, send it as it is meant"
            self._say("O107", "error", why, order, "", "", [self._written(understood.intent)])
            return None
        for use in understood.uses:
            use()
        for remark in understood.intent.remarks if not self.quiet else ():
            self.say(remark.note, remark.text, understood.intent.order, remark.slot)
        return understood

    def _answers(self, readings: Sequence[Order], *, one_of_them: bool) -> list[Understood | Refusal]:
        """What the readings of a line come to. Of earlier orders that were put off those are carried out
        first that one of them asks for, or if none stands, so that what is said of it is true of all."""
        prospect = self.book.prospect
        if prospect is not None and (
            one_of_them or any(prospect.is_behind(self._asks(str(reading["order"]))) for reading in readings)
        ):
            prospect.catch_up()
        answers = [understand(self.book, reading, self.now) for reading in readings]
        if prospect is None or not any(isinstance(answer, Refusal) for answer in answers):
            return answers
        some = any(isinstance(answer, Understood) for answer in answers)
        full = any(isinstance(a, Refusal) and a.code == RefusalCode.LIMIT for a in answers)
        if (full or not some) and prospect.catch_up():
            return [understand(self.book, reading, self.now) for reading in readings]
        return answers

    def _asks(self, key: str) -> Tables | None:
        """The tables that an order ("form/id") asks for; one that is not taken now asks for none."""
        kind = order_kinds(self.book.ruleset).get(key)
        if kind is None or (self.now is not None and key not in self.now):
            return frozenset()
        return kind.asks

    def _leaves_some(self, first: Understood | Refusal, order: Order, other: Understood) -> bool:
        """Whether "all" of a place would go by another order than the first that the line can be, while some
        stay who could go by that one: that would be half of what was written."""
        slots, world = order["slots"], self.book.world
        if isinstance(first, Understood) or not is_every(slots.get(UNITS)):
            return False
        there = movement.free_units(world, self.book.nation, str(slots.get(ORIGIN)))
        sent = {
            kind
            for _, kind, _ in self.kind_of(other.intent).units_ordered(
                world, self.book.nation, other.intent.slots
            )
        }
        mode = world.ruleset.row_or_empty("movement", world.ruleset.row_of(order["order"]).get("does", ""))
        return any(kind not in sent and kind_matches(world, mode.get("who"), kind) for kind in there)

    def _must_be_asked(self, intent: ValidatedOrder) -> bool:
        """Whether an order whose names were guessed is too grave for it: an attack, or something done to
        another nation."""
        guessed = intent.order.get("guessed")
        if not guessed:
            return False
        kind = self.kind_of(intent)
        return bool(intent.attacks) or any(kind.slot(name).kind in ("nation", "side") for name in guessed)

    def kind_of(self, intent: ValidatedOrder) -> OrderKind:
        """The kind of an order that stands."""
        return order_kinds(self.book.ruleset)[intent.verb]

    def _written(self, intent: ValidatedOrder) -> str:
        return order_text(self.book.ruleset, self.book.names, intent.order, agree=True)

    def unfit(self, intents: dict[int, ValidatedOrder]) -> Iterable[int]:
        """The places of accepted orders that do not fit together, now that all are known; why is said.

        Task forces that name others which are not there, guns that fire where nobody goes in.
        """
        orders = [dict(intents[place].order) for place in sorted(intents)]
        wrong: dict[int, None] = {}
        whole = [keys for keys in all_or_none(self.book.ruleset) if keys & self.unpaid]
        for order in orders:
            if any(order["order"] in keys for keys in whole):
                why = "another order of the same file cannot be paid: all are bought, or none"
                self._say(RefusalCode.MEANS, "error", why, order, "", "")
                wrong[int(order["place"])] = None
        alone = unaccompanied(a for a in self.book.attacks if a.key in intents)
        faults = [(dict(intents[place].order), ALONE) for place in sorted(alone)]
        for order, why in (*assignment.faults(self.book.context, self.book.fleet, orders), *faults):
            place = int(order["place"])
            if place not in wrong:
                self._say(RefusalCode.WAY, "error", why, order, "", "")
                wrong[place] = None
        return wrong

    # ---- saying

    def _refuse(self, readings: Sequence[Order], refusals: Sequence[Refusal]) -> None:
        worst = min(refusals, key=lambda r: _GRAVITY.get(r.code, 5))
        at = readings[refusals.index(worst)]
        from .suggestions import in_place_of  # only what is refused needs the list of legal orders

        meant = in_place_of(self.book, at, worst, self.now)
        self._say(worst.code, "error", worst.text, at, worst.slot, advise(self.book, at, worst), meant)

    def say(self, note: Note, text: str, order: Mapping[str, Any], slot: str) -> None:
        """A warning about an order that stands."""
        self._say(note, "warning", text, order, slot, "")

    def say_of_all(self, why: str) -> None:
        """A requirement that the orders together do not fulfill: none of them stands."""
        self._say(
            RefusalCode.TOGETHER,
            "error",
            why,
            {},
            "",
            "no order counts before that",
        )

    def _say(
        self,
        code: str,
        severity: Severity,
        message: str,
        order: Mapping[str, Any],
        slot: str,
        hint: str,
        instead: Sequence[str] = (),
    ) -> None:
        line, text = int(order.get("line", 0)), str(order.get("text", ""))
        column = int(order.get("columns", {}).get(slot, 0)) or (1 if line else 0)
        finding = Diagnostic(
            str(code), severity, message, self.file, line, column, hint, text, tuple(instead)
        )
        self.found.append(finding)
        if severity == "error" and "place" in order:
            self.errors[int(order["place"])] = finding


def _too_dear(answer: Understood | Refusal) -> bool:
    return isinstance(answer, Refusal) and answer.code == RefusalCode.MEANS


# which refusal says most when every reading of a line is refused: the one that got furthest
_GRAVITY = {
    RefusalCode.MEANS: 0,
    RefusalCode.UNITS: 1,
    RefusalCode.WAY: 2,
    RefusalCode.LIMIT: 2,
    RefusalCode.SITE: 2,
    RefusalCode.NUMBER: 3,
    RefusalCode.CHOICE: 3,
    RefusalCode.UNMET: 4,
    RefusalCode.OPTION: 4,
    RefusalCode.CLOSED: 6,
}


def absent_losses(
    world: World, nation: str, intents: Mapping[int, ValidatedOrder]
) -> Iterator[tuple[int, Remark]]:
    """The place in the file of each such order, and what is to be remarked of it. `world` is the position
    before any order.

    There is what the orders of the file send to the same place, with what rides along, and what of the nation
    stands there.
    """
    named = {
        place: [kind for _, kind in losses_named(world.ruleset, dict(i.order))]
        for place, i in intents.items()
    }
    if not any(named.values()):
        return
    ends = {place: _ends(intent) for place, intent in intents.items()}
    names = Names(world.ruleset, world.state)
    for place, kinds in sorted(named.items()):
        there = set(stand_ins(world.ruleset))  # a battle may place them there
        for intent in (intents[other] for other, where in ends.items() if where & ends[place]):
            there.update(order_kinds(world.ruleset)[intent.verb].sends(world, nation, intent))
        for at in ends[place]:
            there.update(str(row["kind"]) for _, row in world.state.stacks(at=at, owner=nation))
        missing = list(dict.fromkeys(kind for kind in kinds if kind not in there))
        if missing and ends[place]:
            what = " and ".join(names.printed("unit-kind", kind, 2) for kind in missing)
            yield place, Remark(Note.WARNED, f"you have no {what} there to lose")


def _ends(intent: ValidatedOrder) -> set[str]:
    """Where an order leads, and where it says that somebody stands."""
    named_places = {intent.slots.get(slot) for slot in ("target", "zone", "place", "site")}
    return {str(place) for place in (*named_places, *intent.path[-1:]) if place}
