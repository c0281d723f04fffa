"""How the built-in policies play: `python tools/conduct.py SCENARIO --games 10 --out FILE` plays games and sums them up.

Every game is one JSON line in the file: a second start goes on. Seeds are those of `wteaw simulate --seed` with the same text,
so that `wteaw play --seed` shows any of the games.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wteaw.core.collector import collect_rarely
from wteaw.core.journal import Entry
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.game.begin import new_game
from wteaw.game.many.course import criteria
from wteaw.game.many.one import resolutions
from wteaw.game.many.sweep import seed_of
from wteaw.game.scenario_files import load_scenario
from wteaw.game.views import whole_world
from wteaw.orders.ways import mode_of
from wteaw.world.world import World

Figures = dict[str, Any]


def fronts(world: World) -> int:
    """Places on land next to an enemy's on which units of their holder stand."""
    rows, found = world.ruleset.rows("places"), 0
    for place, row in rows.items():
        holder = world.holder_of(place)
        if holder is None or row.get("kind") == "sea" or holder not in world.state.owners_at(place):
            continue
        near = (world.holder_of(p) for p in world.geography.next_to(place) if rows[p].get("kind") != "sea")
        found += any(other is not None and world.hostile(holder, other) for other in near)
    return found


def counts(ruleset: Ruleset, entries: Iterable[Entry]) -> Figures:
    """What a journal tells of how a game was played."""
    sails = {f"orders/{id_}" for id_, row in ruleset.rows("orders").items() if (mode_of(ruleset, row) or {}).get("tasks")}
    flies = {f"orders/{id_}" for id_, row in ruleset.rows("orders").items() if (mode_of(ruleset, row) or {}).get("passes_over")}
    acts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    captures: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    joins: dict[str, str] = {}
    wars: list[str] = []
    tally: Counter[str] = Counter()
    for entry in entries:
        if "refused" in entry.data:
            why = str(entry.data["refused"] if not isinstance(entry.data["refused"], dict) else entry.data["refused"].get("text"))
            refused[f"{entry.rule}: {_plain(why, ruleset)}"] += 1
        for table, id_, field, before, after in entry.changes:
            if table == "orders" and field == "*" and before is None and after is not None:
                acts[after["order"]] += 1
                tally["orders"] += 1
                tally["sailing orders"] += after["order"] in sails
                tally["flights"] += after["order"] in flies
            if table == "nations" and field == "side":
                joins[id_] = f"{after or 'none'} in turn {entry.turn}"
        for fact in entry.facts:
            if fact.word == "captured" and fact.roles.get("by"):
                captures[str(fact.roles["by"])] += 1
                taken[f"{fact.roles['by']} from {fact.roles.get('of') or 'nobody'}"] += 1
            elif fact.word == "battle_began":
                kind = ruleset.rows("places").get(str(fact.roles.get("place")), {}).get("kind", "")
                tally[f"battles {kind}".strip()] += 1
            elif fact.word == "war_declared" or fact.word == "war_began":
                wars.append(f"{fact.roles.get('by')} on {fact.roles.get('of')} in turn {entry.turn}")
    return {
        "tally": dict(tally), "captures": dict(captures), "taken": dict(taken), "refused": dict(refused), "orders": dict(acts),
        "joins": joins, "wars": wars,
    }  # fmt: skip


def _plain(why: str, ruleset: Ruleset) -> str:
    """A reason without its numbers and places."""
    why = re.sub(r"\d+", "N", why)
    for form in ("places", "nations"):
        for row in ruleset.rows(form).values():
            why = re.sub(rf"\b{re.escape(str(row.get('name', row['id'])))}\b", form[:-1].upper(), why)
    return why


def play(scenario: str, seed: str, options: dict[str, Any], turns: int) -> Figures:
    """One game."""
    data, ruleset, found = load_scenario(scenarios() / f"{scenario}.yaml")
    if data is None or ruleset is None:
        raise SystemExit(f"{scenario} cannot be played: {[d.message for d in found][:3]}")
    with tempfile.TemporaryDirectory() as folder:
        game = new_game(Path(folder) / "game", data, ruleset, id_=scenario, options=options, seed=bytes.fromhex(seed))
        gc.freeze()
        collect_rarely()
        first, began, stood = game.stage().position.turn, time.process_time(), []
        army: dict[str, Counter[int]] = {}
        for turn, _, _ in resolutions(game, turns):
            position = game.stage().position
            if position.turn == turn and not position.ended:
                continue  # where powers move one after another, a turn is many resolutions
            world = whole_world(game)
            stood.append(fronts(world))
            for nation in world.nations():
                side = world.side_of(nation)
                if side:
                    n = sum(int(r["n"]) for _, r in world.state.stacks(owner=nation))
                    army.setdefault(side, Counter())[turn] += n
        position = game.stage().position
        row = position.state.row("game", "game")
        world = whole_world(game)
        values = {c: {w: round(float(v), 2) for w, v in of.items()} for c, of in criteria(world).items()}
        held = Counter(world.holder_of(p) for p in ruleset.rows("places") if world.holder_of(p))
        return {
            "seed": seed, "turns": position.turn - first + position.ended, "ended": position.ended, "end": row.get("end"),
            "winners": sorted(row.get("winners") or ()), "criteria": values, "held": dict(held.most_common(12)),
            "fronts": stood, "army": {s: [c[t] for t in sorted(c)] for s, c in army.items()},
            "seconds": round(time.process_time() - began, 1), **counts(ruleset, game.journal()),
        }  # fmt: skip


def mean(games: list[Figures], of: str) -> list[tuple[str, float]]:
    """The mean of each counted thing over the games, the most frequent first."""
    total: Counter[str] = Counter()
    for game in games:
        total.update(game[of])
    return [(what, n / len(games)) for what, n in total.most_common()]


def tell(games: list[Figures]) -> None:
    """Print what games come to."""
    turns, ended = sum(g["turns"] for g in games) / len(games), sum(bool(g["ended"]) for g in games)
    print(f"{len(games)} games, {turns:.1f} turns, {ended} ended")
    print("winners:", Counter(" + ".join(g["winners"]) or "nobody" for g in games).most_common())
    print("end:", Counter(str(g["end"]) for g in games).most_common())
    for criterion in games[0]["criteria"]:
        best = Counter(max(v, key=lambda w: v[w]) for g in games if (v := g["criteria"].get(criterion)))
        print(f"leads by {criterion}: {best.most_common(4)}")
    print("front places a turn:", round(sum(sum(g["fronts"]) / max(1, len(g["fronts"])) for g in games) / len(games), 1))
    for of in ("tally", "captures", "taken", "refused", "orders"):
        print(f"{of}:")
        for what, n in mean(games, of)[:45]:
            print(f"  {n:8.1f}  {what}")
    joined = Counter((n, s.split()[0]) for g in games for n, s in g["joins"].items())
    print("joins:", ", ".join(f"{n} {s} {k}" for (n, s), k in joined.most_common()))


def main() -> None:
    """Play, keep, tell."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("scenario")
    asked.add_argument("--games", type=int, default=10)
    asked.add_argument("--turns", type=int, default=0)
    asked.add_argument("--seed", default="00" * 16)
    asked.add_argument("--option", action="append", default=[])
    asked.add_argument("--out", type=Path, required=True)
    given = asked.parse_args()
    kept = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    for number in range(len(kept) + 1, given.games + 1):
        kept.append(play(given.scenario, seed_of(given.seed, number), dict(o.split("=", 1) for o in given.option), given.turns))
        with given.out.open("a") as file:
            file.write(json.dumps(kept[-1]) + "\n")
        print(f"game {number}: {kept[-1]['turns']} turns, {kept[-1]['seconds']} s, {kept[-1]['winners']}", file=sys.stderr)
    tell(kept[: given.games])


if __name__ == "__main__":
    main()
