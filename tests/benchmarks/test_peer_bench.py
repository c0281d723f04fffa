"""Our odds beside TripleA's own battle calculator: the same battles, in one run. Skipped where there is no Java or no TripleA.

Each must agree with the other within three standard errors, ours must be exact where it samples, and ours must come at least a thousand
times faster than the peer's at no greater error: as many battles as
we draw by default (100,000), or the exact answer, which has none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.peer import LAND, SEA, Answer, Asked, Peer, game_file
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import Entity
from wteaw.odds import Odds, Question, odds
from wteaw.odds.ask import plan_of
from wteaw.odds.solve import exact, sample
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.world.world import World

RUNS = int(os.environ.get("PEER_RUNS", "1000"))
USUAL = 100_000
"""How many battles we draw where nothing else is said: the error at which both are compared."""
FASTER = 1_000
ENDS = ("win", "loss", "draw")

pytestmark = pytest.mark.skipif(bool(Peer.missing()), reason=Peer.missing() or "there is a peer")

# ---- Our units in the words of the peer

BY_TAG: Mapping[str, Mapping[str, str]] = {
    "supports": {"artillery": "true"},
    "supportable": {"artillerySupportable": "true"},
    "air": {"isAir": "true"},
    "bomber": {"isStrategicBomber": "true"},
    "ship": {"isSea": "true"},
    "sub": {"isSub": "true"},
    "bombards": {"canBombard": "true"},
    "flak": {"isAA": "true"},
}
BY_KIND: Mapping[str, Mapping[str, str]] = {
    "destroyer": {"isDestroyer": "true"},
    "gas": {"isSuicide": "true", "isInfrastructure": "true"},
    "trench": {
        "isSuicide": "true",
        "isConstruction": "true",
        "constructionType": "bunker",
        "constructionsPerTerrPerTypePerTurn": "3",
        "maxConstructionsPerTypePerTerr": "1000",
    },
}
PROPERTIES = dict.fromkeys(
    (
        "Suicide and Munition Casualties Restricted", "Defending Suicide and Munition Units Do Not Fire", "Two hit battleship",
        "Partial Amphibious Retreat", "Shore Bombard Per Ground Unit Restricted", "Naval Bombard Casualties Return Fire",
        "Air Attack Sub Restricted", "Transport Casualties Restricted", "Defending Subs Sneak Attack", "Sub Retreat Before Battle",
        "Submersible Subs", "Damage From Bombing Done To Units Instead Of Territories",
    ),
    "true",
)  # fmt: skip
APART = frozenset({"gas", "aa-gun"})
"""They take no part in the count of who is left."""


def unit(row: Mapping[str, Any], attack: int, defence: int) -> dict[str, str]:
    """The options of a unit's attachment: figures, and what its tags and its kind mean there."""
    options = {
        "movement": str(row.get("move", 0)),
        "attack": str(attack),
        "defense": str(defence),
        "hitPoints": str(row.get("hits", 1)),
    }
    for tag in row.get("tags", ()):
        options.update(BY_TAG.get(tag, {}))
    options.update(BY_KIND.get(str(row["id"]), {}))
    if "flak" in row.get("tags", ()):
        options = {"movement": "1", "isAA": "true"}
    return options


# ---- The battles


@cache
def world_of(scenario: str, low_luck: bool = False) -> World:
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)
    if low_luck:
        state.put("options", "options", "low-luck-flak", True)
    return World(ruleset, state)


def published() -> dict[str, tuple[str, bool, Mapping[str, Any]]]:
    """The worked battles of the published map: id to kind, low luck of guns, and the question as the rule tests ask it."""
    path = rulesets() / "variants" / "no-mans-land-1.4.2" / "tests" / "oracle.yaml"
    cases = yaml.safe_load(path.read_text(encoding="utf-8"))["cases"]
    found = {}
    for case in cases:
        asked = case["then"]["odds"][0]
        low = bool(case.get("given", {}).get("options", {}).get("low-luck-flak", False))
        found[case["id"]] = (asked["battle"], low, asked)
    return found


def force(said: Mapping[str, Mapping[str, int]]) -> dict[tuple[str, str], int]:
    return {(owner, kind): n for owner, kinds in said.items() for kind, n in kinds.items()}


def counts(said: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {kind: n for kinds in said.values() for kind, n in kinds.items()}


def order(asked: Mapping[str, Any], side: str) -> list[str]:
    return [kind for owner in asked[side] for kind in asked.get("orders", {}).get(owner, ())]


@cache
def published_answers(low_luck: bool) -> dict[str, Answer]:
    """The peer's answers to the worked battles, all in one process for each game file."""
    mine = {id_: asked for id_, (_, low, asked) in published().items() if low == low_luck}
    rows = world_of("no-mans-land-1.4.2").ruleset.rows("units")
    units = {id_: unit(row, row.get("attack", 0), row.get("defense", 0)) for id_, row in rows.items()}
    game = game_file(units, {**PROPERTIES, "Low Luck for AntiAircraft": str(low_luck).lower()}, 6)
    battles = []
    for id_, asked in mine.items():
        attackers = counts(asked["attackers"])
        at_sea = asked["battle"] == "sea"
        ships = (
            {}
            if at_sea
            else {kind: n for kind, n in attackers.items() if "ship" in rows[kind].get("tags", ())}
        )
        battles.append(
            Asked(
                id_, SEA if at_sea else LAND, {k: n for k, n in attackers.items() if k not in ships}, counts(asked["defenders"]), ships,
                (_each_once(order(asked, "attackers")), _each_once(order(asked, "defenders"))), APART,
            )
        )  # fmt: skip
    return Peer(_folder(f"published-{low_luck}"), game).ask(battles, RUNS) if battles else {}


def _each_once(kinds: list[str]) -> list[str]:
    return list(dict.fromkeys(kinds))


_FOLDERS: dict[str, Path] = {}


def _folder(name: str) -> Path:
    import tempfile

    if name not in _FOLDERS:
        _FOLDERS[name] = Path(tempfile.mkdtemp(prefix="wteaw-peer-"))
    return _FOLDERS[name]


# ---- Battles of the base: masses of infantry and tanks on ten-sided dice

BASE: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]] = {
    "twenty-against-fifteen": ({"infantry": 20}, {"infantry": 15}),
    "thirty-against-thirty": ({"infantry": 30}, {"infantry": 30}),
    "tanks": ({"infantry": 18, "tank": 4}, {"infantry": 16}),
}
OURS, THEIRS = "german-empire", "french-empire"


def base_place(world: World) -> tuple[str, str]:
    """Two neighboring places of land without a city, so that nothing but units fights."""
    rows = world.ruleset.rows("places")
    for link in world.ruleset.rows("links").values():
        a, b = link["between"]
        if link["kind"] == "land" and all(
            rows[p]["kind"] == "land" and not rows[p].get("city") for p in (a, b)
        ):
            return a, b
    raise AssertionError("no such places")


def figure(world: World, nation: str, kind: str, quantity: str) -> int:
    text = f"value(model(nation('{nation}'), '{kind}'), '{quantity}')"
    return int(world.value(text, {"self": Entity("nation", nation), "nation": Entity("nation", nation)}))


@cache
def base_answers() -> dict[str, Answer]:
    world = world_of("1914")
    rows = world.ruleset.rows("units")
    units, battles = {}, []
    for id_, (ours, theirs) in BASE.items():
        for side, nation, kinds in (("a", OURS, ours), ("d", THEIRS, theirs)):
            for kind in kinds:
                attack, defense = (figure(world, nation, kind, q) for q in ("attack", "defense"))
                units[f"{kind}-{side}"] = unit(
                    {"id": f"{kind}-{side}", "move": 1, "hits": rows[kind].get("hits", 1)}, attack, defense
                )
        attackers, defenders = (
            {f"{k}-{side}": n for k, n in kinds.items()} for side, kinds in (("a", ours), ("d", theirs))
        )
        battles.append(Asked(id_, LAND, attackers, defenders, {}, (list(attackers), list(defenders))))
    return Peer(_folder("base"), game_file(units, PROPERTIES, 10)).ask(battles, RUNS)


# ---- Both sides of each


def compare(benchmark: Any, world: World, question: Question, peer: Answer) -> None:
    """Agreement of exact and sampled odds with the peer's; then the time to solve, plans made, as the peer's units are."""
    found: Odds = odds(world, question)
    assert not found.trials, "exact where the peer samples"
    sampled = odds(world, question, trials=RUNS)
    for end in ENDS:
        ours, theirs = getattr(found, end), peer.chance(end)
        assert abs(ours - theirs) <= 3 * peer.error(end, ours), (
            f"{end}: {ours:.4f} here, {theirs:.4f} there ({peer.runs} runs)"
        )
        apart = 3 * (peer.error(end, ours) ** 2 + sampled.error(ours) ** 2) ** 0.5
        assert abs(getattr(sampled, end) - theirs) <= apart, (
            f"{end}: sampled {getattr(sampled, end):.4f} here, {theirs:.4f} there"
        )
    plans = [plan_of(world, question), *_preludes(world, question)]

    def solved() -> None:
        for plan in plans:
            exact(plan)

    def drawn() -> None:
        for plan in plans:
            sample(plan, USUAL)

    solving, drawing = (min(_timed(work) for _ in range(5)) for work in (solved, drawn))
    benchmark.pedantic(solved, rounds=3)
    there = peer.seconds / peer.runs * USUAL
    benchmark.extra_info.update(
        peer_seconds=round(there, 1), exact_ms=round(solving * 1000, 2), sampled_ms=round(drawing * 1000, 2),
        exact_faster=round(there / solving), sampled_faster=round(there / drawing),
    )  # fmt: skip
    print(
        f"\n{_told(question.attackers)} against {_told(question.defenders)}: exact in {solving * 1000:.1f} ms ({there / solving:,.0f} times), "
        f"{USUAL:,} battles in {drawing * 1000:.1f} ms ({there / drawing:,.0f} times); there {USUAL:,} in {there:.1f} s"
    )
    assert there / min(solving, drawing) >= FASTER, (
        f"{solving * 1000:.1f} and {drawing * 1000:.1f} ms here, {there:.1f} s there"
    )


def _preludes(world: World, question: Question) -> list[Any]:
    """The plans of what is fought before the battle, if both sides have somebody for it."""
    plans = [
        plan_of(world, question, battle=id_)
        for id_ in world.ruleset.row("battles", question.battle).get("preludes", ())
    ]
    return [plan for plan in plans if all(plan.start[0, side].any() for side in plan.holds)]


def _told(force: Mapping[Any, int]) -> str:
    return ", ".join(f"{n} {key[1]}" for key, n in force.items())


def _timed(call: Any) -> float:
    """Seconds of the processor: others who use the machine do not count, here as there."""
    began = time.process_time()
    call()
    return time.process_time() - began


@pytest.mark.parametrize("case", sorted(published()))
def test_battles_of_the_published_map(benchmark: Any, case: str) -> None:
    battle, low_luck, asked = published()[case]
    question = Question(
        battle,
        force(asked["attackers"]),
        force(asked["defenders"]),
        place=asked["at"],
        start=asked["from"],
        orders=asked.get("orders", {}),
    )
    compare(benchmark, world_of("no-mans-land-1.4.2", low_luck), question, published_answers(low_luck)[case])


@pytest.mark.parametrize("case", BASE)
def test_land_battles_of_the_base(benchmark: Any, case: str) -> None:
    world = world_of("1914")
    ours, theirs = BASE[case]
    start, place = base_place(world)
    question = Question(
        "land", {(OURS, k): n for k, n in ours.items()}, {(THEIRS, k): n for k, n in theirs.items()}, place=place, start=start,
        orders={OURS: list(ours), THEIRS: list(theirs)},
    )  # fmt: skip
    compare(benchmark, world, question, base_answers()[case])
