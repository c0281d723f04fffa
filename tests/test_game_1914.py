"""The 1914 game by policies: the journal explains it, it comes out the same everywhere, and luck stays with its orders."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import pytest

from wteaw.core.journal import replay, verify_chain
from wteaw.core.state import State
from wteaw.orders.check import check
from wteaw.turn.referee import Inputs, resolve
from wteaw.world.view import view
from wteaw.world.world import World

from .world1914 import dice, loaded, orders_by_policy, played

TURNS = 3


def test_the_journal_rebuilds_every_position() -> None:
    results = played(TURNS)
    for before, after in pairwise(results):
        assert replay(before.position.state, after.entries).hash() == after.position.state.hash()
    rows = [e.to_json() for r in results for e in r.entries]
    assert verify_chain(rows) is None
    assert [r["n"] for r in rows] == list(range(1, len(rows) + 1))


def test_every_change_names_its_rule() -> None:
    _, ruleset, _ = loaded()
    for result in played(TURNS):
        for entry in result.entries:
            form, _, id_ = entry.rule.partition("/")
            assert form == "sequence" or form in ruleset.forms, entry.rule
            if form in ruleset.forms and ruleset.has(form, id_):
                assert entry.at, f"{entry.rule} has no line"


def test_it_looks_like_a_war() -> None:
    words = {f.word for r in played(TURNS) for e in r.entries for f in e.facts}
    assert {"battle_began", "battle_ended", "destroyed", "captured", "placed", "paid", "entered"} <= words


def test_resolving_twice_gives_the_same_bytes() -> None:
    _, ruleset, geography = loaded()
    here = played(1)[-1].position
    orders = orders_by_policy(here)
    one, two = (resolve(ruleset, here, Inputs(orders), dice(here), geography=geography) for _ in range(2))
    assert one.position.head == two.position.head and one.position.state.hash() == two.position.state.hash()


def test_the_order_of_nations_and_of_files_does_not_matter() -> None:
    _, ruleset, geography = loaded()
    here = played(1)[-1].position
    orders = orders_by_policy(here)
    turned = dict(reversed(list(orders.items())))
    one = resolve(ruleset, here, Inputs(orders), dice(here), geography=geography)
    other = resolve(ruleset, here, Inputs(turned), dice(here), geography=geography)
    assert one.position.state.hash() == other.position.state.hash()


@pytest.mark.parametrize("seed", ["1", "77"])
def test_another_process_gives_the_same_bytes(seed: str) -> None:
    code = "from tests.world1914 import played; r = played(2)[-1].position; print(r.state.hash(), r.head)"
    path = os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    out = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout
    here = played(2)[-1].position
    assert out.split() == [here.state.hash(), here.head]


def test_a_changed_order_leaves_the_dice_of_unrelated_rules() -> None:
    _, ruleset, geography = loaded()
    here = played(1)[-1].position
    orders = orders_by_policy(here)
    changed = {**orders, "switzerland": [], "spain": []}
    changed["german-empire"] = [o for o in orders["german-empire"] if not o["order"].startswith("actions/")]

    def thrown(given: dict[str, list[dict[str, object]]]) -> dict[tuple[object, ...], object]:
        result = resolve(ruleset, here, Inputs(given), dice(here), geography=geography)
        return {
            (r["step"], r["rule"], r["subject"], r["use"], *(d["die"] for d in r["drawn"])): [
                d["faces"] for d in r["drawn"]
            ]
            for e in result.entries
            for r in e.dice
            if not r["rule"].startswith("battles/")
        }

    one, other = thrown(orders), thrown(changed)
    shared = set(one) & set(other)
    assert len(shared) > 3 and all(one[k] == other[k] for k in shared)


def test_what_policies_order_passes_the_checker() -> None:
    _, ruleset, geography = loaded()
    for result in played(2):
        for nation, orders in orders_by_policy(result.position).items():
            world = World(
                ruleset,
                view(ruleset, result.position.state, nation),
                moments=result.position.moments,
                geography=geography,
            )
            accepted, found = (checked := check(world, nation, orders)).orders, checked.found
            assert len(accepted) == len(orders), (nation, found)


def test_units_are_conserved() -> None:
    """Whoever is gone was destroyed, and whoever is new was placed: the journal's facts account for every unit."""
    rules = loaded()[1]
    kinds = rules.rows("units").keys() - {row.get("works") for row in rules.rows("production").values()}
    for before, after in pairwise(played(TURNS)):
        gone = sum(
            int(f.roles.get("n", 1))
            for e in after.entries
            for f in e.facts
            if f.word == "destroyed" and "kind" in f.roles
        )
        # Works have no stack, and units that arrive by rail or by air (the row of a mode) were there before.
        new = sum(
            int(f.roles["n"])
            for e in after.entries
            for f in e.facts
            if f.word == "placed" and f.roles["kind"] in kinds and not e.rule.startswith("movement/")
        )
        assert _units(before.position.state) - _units(after.position.state) == gone - new


def _units(state: State) -> int:
    """Units on the map and under way, but for those that are still being built."""
    on_map = sum(row["n"] for _, row in state.stacks())
    away = sum(
        sum(u["n"] for u in row["units"])
        for row in state.table("under_way").values()
        if isinstance(row.get("units"), list)
    )
    return on_map + away
