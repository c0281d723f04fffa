"""What a game costs in time, against an earlier commit: `python tools/speed.py COMMIT`, or `make speed
AGAINST=COMMIT`.

Both codes play the same game in turns, now the one first, now the other, on the rules and with the orders of
the earlier commit, so that they do the same work: positions and journals must be the same to the byte. Each
plans every turn, too; the orders that count are those of the earlier code. Prints processor and wall time in
seconds, and their ratios; a busy machine spoils the wall times, hardly the others.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent
PARTS = ("planning", "the rest", "whole game")


def by_part(spent: Sequence[float]) -> tuple[float, float, float]:
    """Seconds for each of `PARTS`, of those for planning and for the whole game."""
    planning, whole = spent
    return planning, whole - planning, whole


PLAYER = r"""
import gc, inspect, json, os, pickle, resource, sys, time
from importlib import import_module
from pathlib import Path

folder, rules, scenario, seed, workers, led = sys.argv[1:7]
try:
    from wteaw.core.collector import collect_rarely
    collect_rarely()
except ModuleNotFoundError:  # earlier commits, by their command line
    gc.set_threshold(50_000, 20, 20)
for home in ("play.resolve", "game.resolve", "game.moderation"):  # as earlier commits have it
    try:
        m = import_module("wteaw." + home)
        break
    except ModuleNotFoundError:
        pass
if home.endswith("resolve"):
    m.new_game = import_module("wteaw." + home.partition(".")[0] + ".begin").new_game
from wteaw.cli.game import read_scenario

def now():
    own, kids = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + kids.ru_utime + kids.ru_stime, time.monotonic()

data, ruleset, _ = read_scenario(str(Path(rules) / "scenarios" / f"{scenario}.yaml"))
game = m.new_game(Path(folder), data, ruleset, id_="speed", seed=bytes.fromhex(seed))
plan, spent = m.policy_submissions, [0.0, 0.0]
orders = Path(folder + ".orders") if led == "lead" else Path(led + ".orders")

def planned(game, **given):
    began = now()
    more = {"workers": int(workers)} if "workers" in inspect.signature(plan).parameters else {}
    found = plan(game, **more)
    spent[:] = [b - a for a, b in zip(began, now())]
    fields = [(s.nation, s.text, s.orders, s.answers, s.by) for s in found]
    if led == "lead":
        orders.write_bytes(pickle.dumps(fields))
    else:
        found = [m.Submission(*f) for f in pickle.loads(orders.read_bytes())]
    return found

m.policy_submissions = planned
for line in sys.stdin:
    began = now()
    m.resolve_turn(game, force=True)
    cpu, wall = (b - a for a, b in zip(began, now()))
    position = game.stage().position
    told = {"cpu": [spent[0], cpu], "wall": [spent[1], wall], "head": position.head, "ended": position.ended}
    told["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(told), flush=True)
"""


class Side:
    """One of the codes at play, in a process of its own."""

    def __init__(
        self,
        name: str,
        tree: Path,
        rules: Path,
        scratch: Path,
        scenario: str,
        seed: str,
        workers: int,
        led: str,
    ) -> None:
        self.name = name
        self.cpu, self.wall = [0.0, 0.0], [0.0, 0.0]
        arguments = [
            sys.executable,
            "-c",
            PLAYER,
            str(scratch),
            str(rules),
            scenario,
            seed,
            str(workers),
            led,
        ]
        self.process = subprocess.Popen(
            arguments,
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def turn(self) -> dict[str, Any]:
        """Play one turn. RuntimeError if it could not be played."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        told = self.process.stdout.readline()
        if not told:
            raise RuntimeError(f"{self.name} could not play on; the last lines above say why")
        found: dict[str, Any] = json.loads(told)
        for kept, new in ((self.cpu, found["cpu"]), (self.wall, found["wall"])):
            for part, seconds in enumerate(new):
                kept[part] += seconds
        return found

    def end(self) -> None:
        """Let it go."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def play(commit: str, tree: Path, scratch: Path, scenario: str, seed: str, turns: int, workers: int) -> int:
    """Play the game with both codes; the turns played."""
    old = Side("before", tree, tree, scratch / "old", scenario, seed, 1, "lead")
    new = Side("now", HERE, tree, scratch / "new", scenario, seed, workers, str(scratch / "old"))
    played = 0
    while not turns or played < turns:
        one = old.turn()  # first, for it gives the orders
        other = new.turn()
        played += 1
        if one["head"] != other["head"]:
            raise RuntimeError(
                f"turn {played}: the journals differ: {one['head']} before, {other['head']} now"
            )
        if one["ended"]:
            break
    for side in (old, new):
        side.end()
    print(
        f"{scenario}, {played} turns, seed {seed[:8]}..., {workers} process{'es' * (workers > 1)} planning; "
        f"before: {commit}"
    )
    print(f"{'':<12} {'processor':>27}   {'wall':>27}")
    print(f"{'':<12} {'before':>9} {'now':>9} {'ratio':>7}   {'before':>9} {'now':>9} {'ratio':>7}")
    for n, part in enumerate(PARTS):
        cells = []
        for a, b in ((old.cpu, new.cpu), (old.wall, new.wall)):
            before, now = by_part(a)[n], by_part(b)[n]
            cells.append(f"{before:>9.2f} {now:>9.2f} {now / before:>7.2f}")
        print(f"{part:<12} {'   '.join(cells)}")
    return played


@contextmanager
def work_tree(commit: str | None, scratch: Path) -> Iterator[Any]:
    """The files of a commit in a folder, for as long as they are needed; None without a commit."""
    if not commit:
        yield None
        return
    tree = scratch / "tree"
    git = ["git", "-C", str(HERE), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
    try:
        yield tree
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=False)


def main() -> None:
    """Make a work tree of the commit, play, and take it away again."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("commit", help="The earlier commit.")
    asked.add_argument("--scenario", default="1914")
    asked.add_argument("--seed", default="22" * 16, help="Hex text: the dice of the game.")
    asked.add_argument("--turns", type=int, default=0, help="Stop after so many turns; 0: to the end.")
    asked.add_argument(
        "--workers", type=int, default=1, help="Processes that plan now (the earlier code has its one)."
    )
    given = asked.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="speed-"))
    try:
        with work_tree(given.commit, scratch) as tree:
            play(given.commit, tree, scratch, given.scenario, given.seed, given.turns, given.workers)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
