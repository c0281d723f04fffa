"""The law of caches: after any change a world that has answered before answers like one that has never been asked.

What decides a kept answer is computed from the expressions that make it; here every term, quantity, way, capacity and legal
order is asked, after the changes of real turns and after random ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from wteaw.core.model import Row
from wteaw.core.state import WHOLE_ROW, Entity, State
from wteaw.odds.estimate import estimate
from wteaw.orders.legal import legal_orders
from wteaw.ruleset.expressions import ExpressionError
from wteaw.world import routes, treasury
from wteaw.world.world import World

from .long_ones import LONG
from .world1914 import loaded, played

KINDS = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "tech": "technologies",
    "passage": "passages",
    "item": "production",
}


class Chance(random.Random):
    """Draws things, those near to a change (ids) first."""

    near: frozenset[str] = frozenset()

    def things(self, ids: list[str], most: int) -> list[str]:
        """So many of them."""
        close = [i for i in ids if i in self.near]
        drawn = self.sample(close, min(most, len(close)))
        return drawn + self.sample(ids, min(most - len(drawn), len(ids)))


def things(world: World, kind: str, chance: Chance, most: int = 3) -> list[Any]:
    """Some things of a kind, for a term's argument or to ask a quantity of."""
    if kind == "unit":
        ids = [key for key, _ in world.state.stacks()]
    elif kind == "force":
        ids = sorted(world.state.table("forces"))
    elif kind == "link":
        ids = [f"{a}>{b}" for a, b in (k.split("--") for k in sorted(world.geography.links))]
    elif kind in KINDS:
        ids = list(world.ruleset.rows(KINDS[kind]))
    else:
        return []
    return [Entity(kind, i) for i in chance.things(ids, most)]


def questions(world: World, chance: Chance) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every term and every quantity, of things drawn by lot, as an expression and its names."""
    for id_, row in world.ruleset.rows("definitions").items():
        kinds = [a.rpartition(":")[2] for a in row.get("of", ())]
        drawn = [things(world, kind, chance) for kind in kinds]
        if all(drawn):
            for number in range(min(map(len, drawn), default=1)):
                names = {f"x{i}": d[number] for i, d in enumerate(drawn)}
                yield f"{id_}({', '.join(names)})", names
    for id_, row in world.ruleset.rows("stats").items():
        for thing in things(world, row["of"], chance):
            yield f"value(x, '{id_}')", {"x": thing}


FUNCTIONS = (
    "count(units(owner=n))", "count(units(at=p))", "friendly(n, p)", "enemy(n, p)", "at_war(n, m)", "allied(n, m)", "stance(n, m)", "count(enemies(n))",
    "count(places(holder=n))", "count(places(first_owner=n))", "neutral(n)", "opposite(n)", "track(n, 'opinion')", "stock(n, 'money')", "income(n)",
    "count(nations(side=n.side))", "count(wars(party=n))", "reaches(p, m, 'occupied')", "was(p, 'holder', 'turn')", "happened('captured', by=n)",
    "this_turn('captured', by=n)", "count(forces(owner=n))", "p.occupants", "p.holder.side", "border(p, q).works", "n.alive",
)  # fmt: skip


def asked(world: World, seed: int, near: frozenset[str] = frozenset()) -> dict[str, Any]:
    """All answers to a set of questions that a seed draws, near to these ids first."""
    chance = Chance(seed)
    chance.near = near
    out: dict[str, Any] = {}
    for text, names in questions(world, chance):
        out[f"{text} of {[t.id for t in names.values()]}"] = answer(world, text, names)
    for n, m, p, q in zip(
        *(things(world, kind, chance, 4) for kind in ("nation", "nation", "place", "place")), strict=True
    ):
        for text in FUNCTIONS:
            out[f"{text} of {n.id}, {m.id}, {p.id}"] = answer(world, text, {"n": n, "m": m, "p": p, "q": q})
        for resource in world.ruleset.rows("resources"):
            out[f"purses {n.id} {resource}"] = treasury.purses(world, n.id, resource)
    for mode in world.ruleset.rows("movement").values():
        for place in things(world, "place", chance):
            out[f"capacity {mode['id']} {place.id}"] = routes.capacity(world, mode, place.id)
        for stack in things(world, "unit", chance, 2):
            row = world.state.row("units", stack.id)
            if routes.kind_matches(world, mode.get("who"), row["kind"]):
                out[f"reach {mode['id']} {stack.id}"] = routes.reach(
                    world, row["owner"], mode, row["place"], [row["kind"]]
                )
    land = [(s, world.state.row("units", s.id)) for s in things(world, "unit", chance, 4)]
    for _, row in land:
        if routes.place_kind(world, row["place"]) == "land":
            near = next(iter(world.geography.next_to(row["place"], ("land",))), None)
            if near:
                found = estimate(
                    world,
                    "land",
                    {(row["owner"], "infantry"): 4},
                    {("x" + row["owner"], "infantry"): 3},
                    near,
                    row["place"],
                )
                out[f"odds {row['place']} {near}"] = found.win
    return out


def answer(world: World, text: str, names: dict[str, Any]) -> Any:
    try:
        return world.value(text, names)
    except ExpressionError as error:
        return f"error: {error}"


def ids_of(changes: list[Any]) -> frozenset[str]:
    """The ids that changes are about, and those inside them: `nation:x`, `a--b`, `owner.kind@place`."""
    return frozenset(
        part
        for c in changes
        for id_ in (c[1], str(c[2]))
        for part in (id_, *re.split(r":|--|@|\.|/|\[", id_))
    )


def compared(used: World, seed: int, near: frozenset[str] = frozenset()) -> int:
    """How many answers of a used world were compared with those of a fresh one over the same tables."""
    fresh = World(used.ruleset, State(used.state.tables), moments=used.moments, geography=used.geography)
    mine, new = asked(used, seed, near), asked(fresh, seed, near)
    assert mine.keys() == new.keys()
    wrong = {key: (mine[key], new[key]) for key in mine if mine[key] != new[key]}
    assert not wrong, dict(list(wrong.items())[:5])
    return len(mine)


@pytest.fixture(scope="module")
def turns() -> tuple[Any, Any]:
    before, after = played(3)[-2:]
    return before, after


def test_after_the_changes_of_a_real_turn(turns: tuple[Any, Any]) -> None:
    before, after = turns
    _, rules, geography = loaded()
    world = World(rules, before.position.state.copy(), moments=before.position.moments, geography=geography)
    changes = [change for entry in after.entries for change in entry.changes]
    step = max(1, len(changes) // 8)
    total = 0
    for number in range(0, len(changes), step):
        some = changes[number : number + step]
        asked(world, number, ids_of(some))  # so that what these changes decide has been kept
        for table, id_, field, _, value in some:
            world.state.put(table, id_, field, value)
        total += compared(world, number, ids_of(some))
    assert total > 3000


@LONG
def test_after_a_change_of_every_table(turns: tuple[Any, Any]) -> None:
    before, _ = turns
    _, rules, geography = loaded()
    world = World(rules, before.position.state.copy(), moments=before.position.moments, geography=geography)
    chance = random.Random(7)
    for seed, table in enumerate(t for t in sorted(world.state.tables) if t not in LEFT_OUT):
        changes = [change_of(world, table, chance) for _ in range(12)]
        asked(world, seed, ids_of(changes))
        for _, id_, field, value in changes:
            world.state.put(table, id_, field, value)
        compared(world, seed, ids_of(changes))


def test_after_another_moment_is_remembered(turns: tuple[Any, Any]) -> None:
    before, after = turns
    _, rules, geography = loaded()
    world = World(rules, after.position.state.copy(), moments=after.position.moments, geography=geography)
    for moment in ("turn", "phase", "game"):
        asked(world, 3)
        world.remember(moment, before.position.game_start)
        compared(world, 3)


LEFT_OUT = ("game", "orders", "becomes", "knowledge", "wars", "facts", "under_way")


def change_of(world: World, table: str, chance: random.Random) -> tuple[str, str, str, Any]:
    """Something in a table becomes otherwise: a field of a row, set to what it is in another row or gone; of units, a stack."""
    nations = sorted(world.ruleset.rows("nations"))
    if table == "flags":  # few are set so early: any that a rule asks about
        texts = " ".join(str(r["is"]) for r in world.ruleset.rows("definitions").values())
        mark = chance.choice(sorted(set(re.findall(r"flagged\(nation, '([^']+)'\)", texts))))
        return table, f"nation:{chance.choice(nations)}", mark, {"since": 1}
    if table == "places":
        return table, chance.choice(sorted(world.ruleset.rows("places"))), "holder", chance.choice(nations)
    rows = world.state.table(table)
    id_ = chance.choice(sorted(rows))
    row: Row = dict(rows[id_])
    if table == "units":
        return table, id_, WHOLE_ROW, None if chance.random() < 0.5 else {**row, "n": row["n"] + 1}
    field = chance.choice(sorted(row))
    others = [r[field] for r in rows.values() if field in r and r[field] != row[field]]
    return table, id_, field, chance.choice([*others, None])


def test_legal_orders_after_changes(turns: tuple[Any, Any]) -> None:
    before, after = turns
    _, rules, geography = loaded()
    world = World(rules, before.position.state.copy(), moments=before.position.moments, geography=geography)
    changes = [change for entry in after.entries for change in entry.changes]
    nations = ("german-empire", "spain")
    for number in range(0, len(changes), max(1, len(changes) // 3)):
        for nation in nations:
            list(legal_orders(world, nation))
        for table, id_, field, _, value in changes[number : number + len(changes) // 3]:
            world.state.put(table, id_, field, value)
        fresh = World(rules, State(world.state.tables), moments=world.moments, geography=geography)
        for nation in nations:
            assert list(legal_orders(world, nation)) == list(legal_orders(fresh, nation))
