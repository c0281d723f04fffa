"""A nation's orders read back to it in full words: what stands, in the order of the turn, with what it costs
and leaves.

`read_back` makes one plain value of an `Intake`; the command line, mail and the web print the same. What an
order means is asked of its `ValidatedOrder` alone, and how that is said of its kind: by its row
(`read_back`), else in its own words. Everything is written from the nation's view.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..core.diagnostics import Diagnostic
from ..core.messages import capital
from ..core.model import Row, Ruleset
from ..economy.catalogue import Market
from ..turn.validated_orders import CONDITIONS, Note, ValidatedOrder
from ..world import routes
from ..world import treasury as stores
from ..world.known import enemies_in
from ..world.view import UNKNOWN
from ..world.world import World
from . import movement
from .chances import chance_of
from .input_points import by_phase, orders_now
from .intake import Intake
from .kinds import order_kinds
from .names import Names
from .parse import QUESTION
from .text import options_in_words, order_text

if TYPE_CHECKING:
    from ..odds.attack_odds import Known


ATTACKS = "Attacks"
ANSWERS = "Answers to what you may be asked"


@dataclass(frozen=True, slots=True)
class ReadBackOrder:
    """One order that stands.

    `line` is its line in the text, `written` the player's own words, `order` the same order word for word as
    its form has it, `says` what it comes to in full words, `options` its conditions of its own after the
    colon. `cost` is what it takes and `left` what is left after it of each of these, by resource id.
    `hangs_on` are conditions beyond the nation's own will, `notes` what to think of; nothing there stops the
    order. `mended` says how it was read where it was not written as its form has it. `attacks` are the names
    of the places into which it goes to fight, `seen` what is known to stand there, `odds` what would come of
    it against these (of several lines that go there at the last), or the chances of its own throw.
    """

    line: int
    written: str
    order: str
    says: str
    options: tuple[str, ...] = ()
    cost: Mapping[str, Any] = field(default_factory=dict)
    left: Mapping[str, Any] = field(default_factory=dict)
    hangs_on: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    mended: str = ""
    attacks: tuple[str, ...] = ()
    seen: str = ""
    odds: str = ""


@dataclass(frozen=True, slots=True)
class PhaseOrders:
    """The orders of one phase, in the order in which the turn carries them out."""

    title: str
    orders: tuple[ReadBackOrder, ...]


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A line that does not count: why, and lines that would do in its place, ready to be sent.

    `verdict` is `asked` (it may have been understood: one of `instead` is to be sent to confirm it),
    `refused` (understood, and not allowed) or `not understood`.
    """

    line: int
    written: str
    verdict: str
    why: str
    instead: tuple[str, ...] = ()
    code: str = ""
    column: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """A line that asks something, and the answer in lines."""

    line: int
    written: str
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A file of orders as read: see the fields of its parts.

    `refused` says why the whole file is not taken (another game, nation or turn); nothing else stands then.
    `resources` are the names of the resources that occur, `start` and `left` what there is of each before and
    after all orders; `money` is the one in which prices are. `idle` are units without an order, by place;
    `again` is what to look at once more; `passed` are lines that are no orders (greeting, signature,
    quotation), `general` findings about the file as a whole. `withheld`: the orders of `groups` would stand
    if the file as a whole did. `answered` are lines that ask something.
    """

    nation: str
    name: str
    rules: str
    game: str
    turn: int
    groups: tuple[PhaseOrders, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    refused: tuple[str, ...] = ()
    money: str = ""
    resources: Mapping[str, str] = field(default_factory=dict)
    start: Mapping[str, Any] = field(default_factory=dict)
    left: Mapping[str, Any] = field(default_factory=dict)
    idle: tuple[tuple[str, str], ...] = ()
    again: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    passed: tuple[int, ...] = ()
    withheld: bool = False
    answered: tuple[Answered, ...] = ()

    @property
    def standing(self) -> int:
        """How many orders stand."""
        return 0 if self.withheld else sum(len(g.orders) for g in self.groups)

    @property
    def mended(self) -> tuple[ReadBackOrder, ...]:
        """The orders that were not written as their form has them."""
        return tuple(sorted((o for g in self.groups for o in g.orders if o.mended), key=lambda o: o.line))

    def to_json(self) -> dict[str, Any]:
        """The same as plain data, with `standing`."""
        return {**asdict(self), "standing": self.standing}


WHOLE = frozenset({"O111", "O112"})
"""Findings that refuse a whole file."""
ASKED = frozenset({"O104", "O107"})


def read_back(
    world: World,
    taken: Intake,
    *,
    game: str = "",
    with_odds: bool = False,
    known: Known | None = None,
    answer: Callable[[str], Sequence[str]] | None = None,
) -> ReadBack:
    """What a file of orders comes to, for its sender to read. `world` is the view of `taken.nation`; both
    stay as they are.

    `answer` answers a line that asks something. `with_odds` adds those of attacks that can be had at once
    (`attack_odds`), or are `known`.

    Use it after `intake.take_in` with the world that was given there; `readback_text.rendered` prints it as a
    mail has it.
    """
    nation = taken.nation or ""
    ruleset = world.ruleset
    names = Names(ruleset, world.state)
    errors = [d for d in taken.found if d.severity == "error"]
    whole = tuple(_with_hint(d) for d in errors if d.code in WHOLE)
    head = ReadBack(
        nation,
        names.printed("nation", nation) if nation else "",
        ruleset.title,
        game,
        int(world.state.get("game", "game", "turn", 0)),
        refused=whole,
        passed=taken.passed,
    )
    if whole or not nation:
        return head
    purse = _Purse(world, nation)
    standing = list(taken.intents or taken.held)
    odds: Mapping[str, tuple[int, str]] = {}
    if with_odds and any(intent.attacks for intent in standing):
        from ..odds.attack_odds import at_once, odds_of_attacks  # brings NumPy: only for who attacks

        odds = odds_of_attacks(world, nation, standing, known or at_once)
    groups = []
    for title, intents in _grouped(ruleset, standing):
        orders = tuple(_said(world, nation, names, intent, purse, odds) for intent in intents)
        groups.append(PhaseOrders(title, orders))
    questions = [d for d in taken.found if d.code == QUESTION]
    not_taken = [d for d in taken.found if d.line and (d in errors or (d in questions and not answer))]
    shown = [
        what
        for what in ruleset.rows("resources")
        if what in purse.touched or (what == purse.money and purse.start.get(what))
    ]
    return replace(
        head,
        groups=tuple(groups),
        not_taken=tuple(map(_not_taken, not_taken)),
        money=purse.money,
        resources={what: str(ruleset.row("resources", what).get("name", what)) for what in shown},
        start={what: purse.start.get(what, 0) for what in shown},
        left={what: purse.left.get(what, 0) for what in shown},
        idle=_idle(world, nation, names, standing),
        again=tuple(_again(world, nation, names, standing)),
        general=tuple(_with_hint(d) for d in errors if not d.line),
        withheld=bool(taken.held and not taken.intents),
        answered=tuple(
            Answered(d.line, d.source_line.strip(), tuple(answer(d.source_line)))
            for d in questions
            if answer is not None
        ),
    )


def _with_hint(finding: Diagnostic) -> str:
    return f"{finding.message} ({finding.hint})" if finding.hint else finding.message


# ---- what stands


class _Purse:
    """What a nation has of everything, in all its treasuries, and what the orders so far leave of it."""

    def __init__(self, world: World, nation: str) -> None:
        market = Market(world, nation)
        self.money = stores.money(world.ruleset)
        self.start: dict[str, Any] = {}
        for what in world.ruleset.rows("resources"):
            held = stores.purses(world, nation, what)
            if held:
                self.start[what] = sum(market.left(purse, what) for purse in held)
        self.left = dict(self.start)
        self.touched: set[str] = set()

    def take(self, intent: ValidatedOrder) -> tuple[dict[str, Any], dict[str, Any]]:
        """What an order takes, and what is left of each of these."""
        taken: dict[str, Any] = {}
        for part in (intent.cost, intent.uses):
            for what, amount in part.items():
                if amount:
                    taken[what] = taken.get(what, 0) + amount
        if any(remark.note == Note.OTHERWISE for remark in intent.remarks):
            return taken, {
                what: self.left.get(what, 0) for what in taken
            }  # it takes the place of what then falls
        for what, amount in taken.items():
            self.left[what] = self.left.get(what, 0) - amount
        self.touched |= taken.keys()
        return taken, {what: self.left[what] for what in taken}


def _grouped(
    ruleset: Ruleset, intents: Sequence[ValidatedOrder]
) -> Iterable[tuple[str, list[ValidatedOrder]]]:
    """Intents by phase, in the order of the turn; those that go into a fight after the others of their
    phase."""
    titles = [(title, key) for title, keys in by_phase(ruleset) for key in keys]
    order = {key: (index, title) for index, (title, key) in reversed(list(enumerate(titles)))}
    last = (len(titles), ANSWERS)
    groups: dict[tuple[str, bool], list[ValidatedOrder]] = {}
    for intent in sorted(intents, key=lambda i: (order.get(i.verb, last)[0], i.attacks)):
        groups.setdefault((order.get(intent.verb, last)[1], bool(intent.attacks)), []).append(intent)
    for title in dict.fromkeys(t for t, _ in groups):
        for hostile in (False, True):
            if (title, hostile) in groups:
                yield (ATTACKS if hostile else title), groups[title, hostile]


def _said(
    world: World,
    nation: str,
    names: Names,
    intent: ValidatedOrder,
    purse: _Purse,
    odds: Mapping[str, tuple[int, str]],
) -> ReadBackOrder:
    ruleset, order = world.ruleset, intent.order
    promised = [odds[p][1] for p in intent.attacks if p in odds and odds[p][0] == order.get("line", 0)]
    cost, left = purse.take(intent)
    # a fleet that comes to enemies is no attack by its kind; who is known to lie there is told all the same
    ends = intent.attacks or [p for p in intent.path[1:][-1:] if enemies_in(world, nation, p).least]
    seen = "; ".join(filter(None, (last_seen(world, nation, p) for p in ends)))
    return ReadBackOrder(
        line=int(order.get("line", 0)),
        written=str(order.get("text", "")),
        order=order_text(ruleset, names, order, agree=True),
        says=order_kinds(ruleset)[intent.verb].read_back(names, intent),
        options=tuple(options_in_words(ruleset, names, order)),
        cost=cost,
        left=left,
        hangs_on=tuple(r.text for r in intent.remarks if r.note in CONDITIONS),
        notes=tuple(r.text for r in intent.remarks if r.note not in CONDITIONS),
        mended=intent.mended,
        attacks=tuple(names.printed("place", p) for p in intent.attacks),
        seen=seen,
        odds="; ".join(promised) or chance_of(world, nation, intent),
    )


def last_seen(world: World, reader: str, place: str) -> str:
    """Who is known to stand in a place against a nation, in words with the turn of older news; empty if
    nothing is known."""
    exact: dict[str, dict[str, int]] = {}
    bands = []
    for _, row in world.state.stacks(at=place):
        owner = str(row["owner"])
        if owner == reader or world.allied(reader, owner):
            continue
        if row["kind"] == UNKNOWN:
            bands.append(_band(str(row.get("range", ""))))
        else:
            mine = exact.setdefault(owner, {})
            mine[str(row["kind"])] = mine.get(str(row["kind"]), 0) + int(row["n"])
    if exact:
        return "; ".join(
            f"{routes.list_units(world, units)} of {_nation(world, owner)}"
            for owner, units in sorted(exact.items())
        )
    known = world.state.get("knowledge", reader, f"units:{place}") or {}
    if known:
        age = f" (turn {known['since']})" if "since" in known else ""
        if known.get("units"):
            return routes.list_units(world, known["units"]) + age
        if "units" in known:
            return "nobody" + age
        if known.get("n"):
            return f"{known['n']} or more units{age}"
    return ", ".join(bands)


def _band(text: str) -> str:
    """How many units a band means that is known of a stack (`LOW..HIGH`, each of which may be missing)."""
    low, _, high = text.partition("..")
    if high:
        return f"{low or 0} to {high} units"
    return f"{low} or more units" if low else "an unknown number"


def _nation(world: World, nation: str) -> str:
    row: Row = world.ruleset.row_or_empty("nations", nation)
    name = str(row.get("short") or row.get("name") or nation)
    return f"{row['article']} {name}" if "article" in row else name


# ---- what does not


def _not_taken(found: Diagnostic) -> NotTaken:
    verdict = "refused" if found.code >= "O113" and found.code != QUESTION else "not understood"
    if found.code in ASKED:
        verdict = "asked"
    why = f"{found.message}; {found.hint}" if found.hint else found.message
    return NotTaken(
        found.line, found.source_line.strip(), verdict, why, found.instead, found.code, found.column
    )


# ---- what is left over


def _idle(
    world: World, nation: str, names: Names, intents: Sequence[ValidatedOrder]
) -> tuple[tuple[str, str], ...]:
    """Units without an order, by place; nothing where no order that is taken now is one of units."""
    free = _unplaced(world, nation, intents)
    if free is not None:
        return tuple((names.printed("place", place), names.units(units)) for place, units in free.items())
    if not _orders_units(world):
        return ()
    taken = _ordered(world, nation, intents)
    out = []
    for place in movement.places_with_units(world, nation):
        left = {k: n - taken.get((place, k), 0) for k, n in movement.free_units(world, nation, place).items()}
        left = {k: n for k, n in left.items() if n > 0}
        if left:
            out.append((names.printed("place", place), names.units(left)))
    return tuple(out)


def _unplaced(
    world: World, nation: str, intents: Sequence[ValidatedOrder]
) -> Mapping[str, Mapping[str, int]] | None:
    """Units that are the nation's to place now and no order names, by the place where they stand; None where
    nothing is placed now."""
    now = orders_now(world)
    for key, kind in order_kinds(world.ruleset).items():
        if now is None or key not in now:
            continue
        free = kind.unplaced(world, nation, [i for i in intents if i.verb == key])
        if free is not None:
            return free
    return None


def _orders_units(world: World) -> bool:
    """Whether any order that is taken now says what units do."""
    now = orders_now(world)
    return any(
        kind.names_units for key, kind in order_kinds(world.ruleset).items() if now is None or key in now
    )


def _ordered(world: World, nation: str, intents: Sequence[ValidatedOrder]) -> dict[tuple[str, str], int]:
    """(place, kind) -> how many units there are named in an order."""
    taken: dict[tuple[str, str], int] = {}
    for intent in intents:
        for place, kind, n in order_kinds(world.ruleset)[intent.verb].units_ordered(
            world, nation, intent.slots
        ):
            taken[place, kind] = taken.get((place, kind), 0) + n
    return taken


def _again(world: World, nation: str, names: Names, intents: Sequence[ValidatedOrder]) -> Iterable[str]:
    """What to think of once more: what is left to be placed, own places from which everybody goes and into
    which nobody comes, and those where fewer stay than are known beside them."""
    names = names.in_sentences()
    for key, kind in order_kinds(world.ruleset).items():
        yield from kind.look_again(world, nation, names, [i for i in intents if i.verb == key])
    if _unplaced(world, nation, intents) is not None:
        return
    taken = _ordered(world, nation, [i for i in intents if len(i.path) > 1])
    comes = {i.path[-1] for i in intents if len(i.path) > 1} | {i.site for i in intents if i.item}
    empty = []
    for place in movement.places_with_units(world, nation):
        there: dict[str, int] = {}
        for _, row in world.state.stacks(at=place, owner=nation):
            there[str(row["kind"])] = there.get(str(row["kind"]), 0) + int(row["n"])
        if (
            world.holder_of(place) == nation
            and place not in comes
            and all(taken.get((place, k), 0) >= n for k, n in there.items())
        ):
            empty.append(names.printed("place", place))
    if empty:
        *others, last = empty
        yield f"No unit of yours stays in {', '.join(others)}{' or ' if others else ''}{last}."
    yield from _exposed(world, nation, names, taken, comes)


def _exposed(
    world: World, nation: str, names: Names, taken: Mapping[tuple[str, str], int], comes: Collection[str]
) -> Iterable[str]:
    """Own places that units leave in which fewer stay than enemies are known next to them, and nobody comes
    there."""
    for place in dict.fromkeys(p for p, _ in taken):
        stays: dict[str, int] = {}
        for _, row in world.state.stacks(at=place, owner=nation):
            kind = str(row["kind"])
            stays[kind] = stays.get(kind, 0) + int(row["n"])
        stays = {k: left for k, n in stays.items() if (left := n - taken.get((place, k), 0)) > 0}
        if place in comes or not stays or world.holder_of(place) != nation:
            continue
        near = [
            (p, enemies)
            for p in world.geography.next_to(place)
            if (enemies := enemies_in(world, nation, p)).least
        ]
        if sum(enemies.least for _, enemies in near) <= sum(stays.values()):
            continue
        beside = [
            f"{enemies.least}{'' if enemies.exact else ' or more'} in {names.printed('place', p)}"
            for p, enemies in sorted(near, key=lambda found: -found[1].least)[:4]
        ]
        name = capital(names.printed("place", place))
        yield f"{name} keeps {names.units(stays)} beside enemies: {', '.join(beside)}."
