"""The law of orders: what is accepted is carried out if all others are silent and the dice are kind; what is refused, is refused.

Orders are drawn from the list of legal ones and changed at random, at positions of every ruleset. The checker reads the position
whole (nothing is hidden), the turn is resolved with one nation's orders only, and every test by dice and every vote of others
comes out well. What is read back is what is done: the units and their way (from point to point at sea), what is bought, what is paid. What stands on the
condition that an earlier order fails is carried out if all dice and votes fail. Left out are refusals that only say that units,
means or room are taken by another line (the resolution, which is given both, may choose the other one), and what falls by a need
that its nation may not test.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wteaw.core.dice import KeyedDice
from wteaw.core.journal import Entry
from wteaw.core.package_data import scenarios
from wteaw.economy.transfer import row_of
from wteaw.orders.check import check
from wteaw.orders.legal import legal_orders
from wteaw.orders.lookahead import in_frame
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset import Ruleset
from wteaw.ruleset.action_changes import needs_of
from wteaw.ruleset.order_syntax import FORM_OF, Slot, read_form, slot_of, slots_in
from wteaw.turn.context import Turn
from wteaw.turn.referee import Inputs, Position, resolve, start, waiting_seats
from wteaw.turn.validated_orders import Note, RefusalCode, ValidatedOrder
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

from .long_ones import but_long
from .random_games import SEEDS

SCENARIOS = ("1914", "third-edition-1914", "alliances-6", "no-mans-land", "diplomacy", "empire-orders")
KEY = "3c" * 32
MOST_INPUTS = 12
TAKEN = {RefusalCode.UNITS, RefusalCode.MEANS, RefusalCode.LIMIT}
"""Refusals by what another line takes."""


@cache
def begun(name: str, turn: int, later: int = 0) -> tuple[Ruleset, Geography, Position]:
    """A game of silent nations, at its first input point of a turn, or so many input points later."""
    if turn == 1 and not later:
        scenario, ruleset, found = load_scenario(scenarios() / f"{name}.yaml")
        assert scenario is not None and ruleset is not None, found
        geography, state = Geography(ruleset), initial_state(ruleset, scenario)
        for option in ruleset.rows("options"):
            if option == "free-deployment":
                state.put("options", "options", option, False)
        here = start(ruleset, state, KeyedDice(KEY, 1), geography=geography).position
        passed = True
    else:
        ruleset, geography, here = begun(name, turn, later - 1) if later else begun(name, turn - 1)
        passed = False
    while not passed or here.turn < turn or not waiting_seats(ruleset, here):
        here = resolve(ruleset, here, Inputs(), dice(here), geography=geography).position
        passed = True
    return ruleset, geography, here


def dice(here: Position) -> KeyedDice:
    return KeyedDice(KEY, here.turn, marks=here.marks if here.dice_turn == here.turn else ())


def drawn(world: World, nation: str, rng: random.Random, many: int) -> list[dict[str, Any]]:
    """Legal orders with what is open filled at random, and about every third one changed in a slot."""
    ruleset = world.ruleset
    by_row: dict[str, list[Any]] = {}
    for legal in legal_orders(world, nation):
        by_row.setdefault(legal.order, []).append(legal)
    out: list[dict[str, Any]] = []
    for _ in range(many if by_row else 0):
        legal = rng.choice(by_row[rng.choice(sorted(by_row))])
        shapes = {
            n: slot_of(n, d) for n, d in ruleset.row(*legal.order.split("/", 1)).get("slots", {}).items()
        }
        slots = dict(legal.slots)
        for name, shape in shapes.items():
            if name == "target" and legal.targets:
                slots[name] = rng.choice(legal.targets)
            elif name in ("facing",) and legal.targets:
                slots[name] = [rng.choice(legal.targets)] if shape.many else rng.choice(legal.targets)
            elif name in legal.bounds:
                low, high = legal.bounds[name]
                slots[name] = rng.randint(low, max(low, min(high, low + 9)))
            elif name in slots and shape.kind == "number":
                slots[name] = rng.randint(1, int(slots[name]))
            elif name in slots and shape.kind == "units":
                kinds = rng.sample(sorted(slots[name]), rng.randint(1, len(slots[name])))
                slots[name] = {k: rng.randint(1, slots[name][k]) for k in kinds}
            elif name not in slots and not shape.optional:
                slots[name] = guess(world, nation, shape, rng)
        if rng.random() < 0.35 and slots:
            name = rng.choice(sorted(slots))
            slots[name] = guess(world, nation, shapes[name], rng)
        if all(v is not None for v in slots.values()):
            line = len(out) + 1
            options = drawn_options(world, nation, legal.order, rng)
            out.append(
                {
                    "nation": nation,
                    "order": legal.order,
                    "slots": slots,
                    "options": options,
                    "line": line,
                    "text": f"{line}",
                }
            )
    return out


def drawn_options(world: World, nation: str, key: str, rng: random.Random) -> dict[str, Any]:
    """Now and then one of what may stand after the colon of an order, filled with anything; as `read_orders` gives it."""
    may = world.ruleset.row(*key.split("/", 1)).get("options", ())
    if not may or rng.random() < 0.6:
        return {}
    option = rng.choice(may)
    row = world.ruleset.row("order_options", option)
    values = {
        slot.name: guess(world, nation, slot, rng)
        for slot in slots_in(read_form(row["syntax"], row.get("slots")))
    }
    if any(value is None for value in values.values()):
        return {}
    if len(values) > 1:
        return {option: values}
    return {option: next(iter(values.values()), True)}


def guess(world: World, nation: str, shape: Slot, rng: random.Random) -> Any:
    """Anything of the kind that a slot holds, or None."""
    if shape.kind == "number":
        return rng.choice([0, 1, 2, 3, 50])
    if shape.kind == "choice":
        return rng.choice(shape.choices)
    if shape.kind == "units":
        return {rng.choice(sorted(world.ruleset.rows("units"))): rng.choice([0, 1, 2, 40])}
    if shape.kind == "force":
        return None
    ids = sorted(world.ruleset.rows(FORM_OF.get(shape.kind, "")))
    if shape.kind == "place" and rng.random() < 0.7:
        ids = sorted({r["place"] for _, r in world.state.stacks(owner=nation)}) or ids
    found = rng.choice(ids) if ids else None
    return [found] if shape.many and found is not None else found


def resolved(name: str, here: Position, nation: str, orders: list[dict[str, Any]]) -> Sequence[Entry]:
    """What the resolution writes of a nation's orders when all others are silent."""
    ruleset, geography, _ = begun(name, 1)
    done = resolve(ruleset, here, Inputs({nation: orders}), dice(here), geography=geography)
    out = list(done.entries)
    keys = [f"{nation}/{number:04d}" for number in range(1, len(orders) + 1)]
    for _ in range(MOST_INPUTS):  # steps that come after a later input point of the turn
        there = done.position
        if (
            there.turn != here.turn
            or there.ended
            or all(there.state.get("orders", key, "status") for key in keys)
        ):
            break
        done = resolve(ruleset, there, Inputs(), dice(there), geography=geography)
        out += done.entries
    return out


def refused_in(entries: Sequence[Entry], nation: str, orders: list[dict[str, Any]]) -> dict[int, str]:
    """What is not carried out of a nation's orders, by line and with the resolution's words."""
    out = {
        e.data["line"]: str(e.data["refused"]) for e in entries if "refused" in e.data and e.subject == nation
    }
    acted = {e.rule for e in entries if "refused" not in e.data and e.subject.partition(":")[0] == nation}
    for order in orders:
        if order["order"].startswith("actions/") and order["order"] not in acted:
            out.setdefault(order["line"], "(not a word)")
    return out


def hidden_need(ruleset: Ruleset, order: Mapping[str, Any], why: str) -> bool:
    """Whether an order fell by a need that its nation may not test."""
    needs = needs_of(ruleset, ruleset.row(*order["order"].split("/", 1)))
    return any(need.get("secret") and str(need["else"]).partition("{")[0] in why for need in needs)


Said = tuple[str, str]
"""What an order is about, and what is said of it: who goes which way, what is bought for how much, what is paid."""


def mode_of(ruleset: Ruleset, intent: ValidatedOrder) -> dict[str, Any]:
    """The mode that the units of an order go by; empty if it moves none."""
    return dict(ruleset.rows("movement").get((ruleset.named(intent.verb) or {}).get("does", ""), {}))


def read_back(ruleset: Ruleset, intents: Iterable[ValidatedOrder]) -> Counter[Said]:
    """What intents say: units with their way, purchases with their price, payments of acts."""
    out: Counter[Said] = Counter()
    for intent in intents:
        mode = mode_of(ruleset, intent)
        if intent.path and not mode.get("tasks"):  # ships go from point to point
            out[intent.verb, f"{dict(sorted(intent.units.items()))} by {list(intent.path)}"] += 1
        if intent.item:
            out[f"production/{intent.item}", f"{intent.number} bought"] += 1
        for what, amount in intent.cost.items():
            sent = row_of(ruleset, intent.verb)
            key = sent["kind"] if sent else intent.verb
            if intent.item:
                key = f"production/{intent.item}"
            out[key, f"pays {what}"] += Fraction(amount)  # type: ignore[assignment]
    return out


def carried_out(ruleset: Ruleset, entries: Sequence[Entry], nation: str) -> Counter[Said]:
    """The same of what the journal says."""
    out: Counter[Said] = Counter()
    for entry in entries:
        if entry.subject.partition(":")[0] != nation or "refused" in entry.data:
            continue
        if "path" in entry.data and entry.rule.startswith("orders/"):
            out[entry.rule, f"{dict(sorted(entry.data['units'].items()))} by {list(entry.data['path'])}"] += 1
        if entry.rule.startswith("production/") and "cost" in entry.data:
            out[entry.rule, f"{entry.data['n']} bought"] += 1
        for table, purse, what, before, after in entry.changes:
            if table == "treasuries" and purse.partition("/")[0] == nation and (after or 0) < (before or 0):
                form, _, id_ = entry.rule.partition("/")
                kind = ruleset.row(form, id_)["kind"] if form == "transfers" else None
                sent = kind if kind in ("gift", "route") else entry.rule
                out[sent, f"pays {what}"] += Fraction(before or 0) - Fraction(after or 0)  # type: ignore[assignment]
    return out


Sailed = tuple[str, tuple[str, ...]]
"""The row of an order for a force with tasks, and its way, a place where it stays said once."""


def to_sail(ruleset: Ruleset, intents: Iterable[ValidatedOrder]) -> list[Sailed]:
    """The ways of forces with tasks as read back, without those that depend on a passage or on other lines."""
    found = [i for i in intents if mode_of(ruleset, i).get("tasks") and i.path and not i.conditions]
    return sorted((i.verb, tuple(place for place, _ in groupby(i.path))) for i in found)


def sailed(entries: Sequence[Entry], nation: str) -> list[tuple[Sailed, bool]]:
    """The same of what the journal says, and whether something stopped the force on its way."""
    rules, went, cut = {}, {}, set()
    for entry in entries:
        for table, force, field, _, after in entry.changes:
            if table != "forces" or force.partition("#")[0] != nation:
                continue
            if field == "*" and after and after.get("plan"):
                rules[force], went[force] = entry.rule, after["path"]
            elif field == "path":
                went[force] = after
            elif field in ("contacted", "stopped") and after:
                cut.add(force)
    return [((rule, tuple(went[force])), force in cut) for force, rule in rules.items()]


def otherwise_sailed(
    ruleset: Ruleset, intents: Iterable[ValidatedOrder], entries: Sequence[Entry], nation: str
) -> Iterator[str]:
    """Forces with tasks whose way is another than that which was read back, or the beginning of one if they were stopped."""
    said = to_sail(ruleset, intents)
    for (rule, path), cut in sorted(sailed(entries, nation)):
        like = [s for s in said if s[0] == rule and (s[1][: len(path)] if cut else s[1]) == path]
        if like:
            said.remove(like[0])
    for rule, path in said:
        yield f"{nation}: {rule} is read back to go by {path}, and none went so: {sailed(entries, nation)}"


def known_to(name: str, here: Position, nation: str) -> World:
    """What a nation may know of a position."""
    ruleset, geography, _ = begun(name, 1)
    moments = {
        m: Viewer(ruleset, state, geography=geography).view(nation, sight=False)
        for m, state in here.moments.items()
    }
    return World(
        ruleset,
        Viewer(ruleset, here.state, geography=geography).view(nation),
        moments=moments,
        geography=geography,
    )


def broken(
    name: str, turn: int, seed: int, *, later: int = 0, hidden: bool = False, luck: bool = True
) -> Iterator[str]:
    """Where the law does not hold for the orders of one draw; `hidden`: checked on the nation's view; `luck`: of all dice."""
    ruleset, geography, here = begun(name, turn, later)
    rng = random.Random(seed)
    seats = [n for n in waiting_seats(ruleset, here) if here.state.stacks(owner=n)]
    nation = rng.choice(seats or waiting_seats(ruleset, here))
    world = (
        known_to(name, here, nation)
        if hidden
        else World(ruleset, here.state.copy(), moments=here.moments, geography=geography)
    )
    orders = drawn(world, nation, rng, 16)
    checked = check(world, nation, orders)
    standing = {int(i.order["line"]): dict(i.order) for i in checked.intents}
    refused = {d.line: d for d in checked.found if d.severity == "error"}
    if refused.pop(0, None) is not None:  # what all orders together must fulfill: none of them stands
        return
    assert set(standing) | set(refused) == {o["line"] for o in orders} and not set(standing) & set(refused)
    by_line = {o["line"]: o for o in orders}
    waiting = {
        int(i.order["line"]) for i in checked.intents if any(r.note == Note.MEANS for r in i.conditions)
    }
    otherwise = {
        int(i.order["line"]) for i in checked.intents if any(r.note == Note.OTHERWISE for r in i.conditions)
    }
    if luck is False:
        assert not hidden
        dropped = refused_in(
            resolved(name, here, nation, list(standing.values())), nation, list(standing.values())
        )
        for line in sorted(otherwise & dropped.keys()):
            if not hidden_need(ruleset, standing[line], dropped[line]):
                yield f"{nation}: {by_line[line]['order']} stands if others fail, and the resolution says: {dropped[line]}"
        return
    standing = {line: order for line, order in standing.items() if line not in otherwise}
    if not hidden:
        entries = resolved(name, here, nation, list(standing.values()))
        dropped = refused_in(entries, nation, list(standing.values()))
        for line, why in dropped.items():
            if line not in waiting and not hidden_need(
                ruleset, standing[line], why
            ):  # else it is read back with its condition
                yield f"{nation}: {by_line[line]['order']} {standing[line]['slots']} stands, and the resolution says: {why}"
        said = read_back(
            ruleset, [i for i in checked.intents if int(i.order["line"]) not in dropped.keys() | otherwise]
        )
        done = carried_out(ruleset, entries, nation)
        if not dropped:
            yield from otherwise_sailed(ruleset, checked.intents, entries, nation)
        for key in said if not dropped else ():
            if said[key] != done[key]:
                yield f"{nation}: read back {key} {said[key]}, carried out {done[key]}: {[k for k in done if k[0] == key[0]]}"
    whole = [standing.get(o["line"], o) for o in orders if o["line"] not in otherwise]
    again = refused_in(resolved(name, here, nation, whole), nation, whole)
    for line, found in refused.items():
        carried = standing.get(line, by_line[line])["order"] in in_frame(
            ruleset
        )  # else it is only read by battles
        if carried and line not in again and found.code not in TAKEN:
            yield f"{nation}: {by_line[line]['order']} {by_line[line]['slots']} is refused ({found.message}), and would be carried out"


def fated(monkeypatch: pytest.MonkeyPatch, fortune: bool) -> None:
    """Every test by dice of a tail and every vote of others comes out so."""
    make = Turn.__init__

    def fate(self: Turn, *args: Any, **more: Any) -> None:
        make(self, *args, **more)
        self.fortune = fortune

    monkeypatch.setattr(Turn, "__init__", fate)


@pytest.fixture
def kind_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    fated(monkeypatch, True)


@pytest.fixture
def unkind_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    fated(monkeypatch, False)


@pytest.mark.parametrize("name", but_long(SCENARIOS, "third-edition-1914"))
@pytest.mark.usefixtures("kind_dice")
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=SEEDS, turn=st.integers(1, 2), later=st.integers(0, 3))
def test_what_stands_is_carried_out_and_what_is_refused_is_refused(
    name: str, seed: int, turn: int, later: int
) -> None:
    """At the first input point of a turn, or at one that comes later."""
    assert list(broken(name, turn, seed, later=later)) == []


@pytest.mark.parametrize("name", ["1914", "no-mans-land"])
@pytest.mark.usefixtures("unkind_dice")
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=SEEDS, turn=st.integers(1, 2))
def test_what_stands_if_others_fail_is_carried_out_if_they_fail(name: str, seed: int, turn: int) -> None:
    assert list(broken(name, turn, seed, luck=False)) == []


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.usefixtures("kind_dice")
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=SEEDS, turn=st.integers(1, 2))
def test_nothing_is_refused_for_want_of_knowledge(name: str, seed: int, turn: int) -> None:
    """What a nation's view does not show it is no reason to refuse what the resolution would carry out."""
    assert list(broken(name, turn, seed, hidden=True)) == []
