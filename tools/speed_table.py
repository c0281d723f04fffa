"""What the engine costs today, beside what it is to cost: `python tools/speed_table.py`, or `make speed`.

Prints a line for each row of `ROWS`: the aim, the least figure of several runs, the middle and the greatest.
Seconds and milliseconds are those of the processor, user and system, of a process and its children, with
bytecode kept; a busy machine makes even these up to three times too high, so read the least.
`--against COMMIT` plays the games of an earlier commit beside those of now, each code its own game by its
own rules, by turns, and prints ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from speed import HERE, Side, work_tree

SEED = "22" * 16
PROBES = Path(__file__).parent / "speed_probes.py"
ODDS = (
    *("--attacker", "german-empire: 10 infantry, 4 artillery"),
    *("--defender", "france: 8 infantry", "--place", "alsace-lorraine", "--from", "stuttgart"),
)


class NotMeasured(Exception):
    """Why a row has no figure."""


@dataclass
class Bench:
    """What the rows are measured on: the present code, perhaps an earlier tree, and a scratch folder."""

    scratch: Path
    earlier: Path | None
    turns: int
    runs: int

    def spent(
        self, *command: str | Path, tree: Path = HERE, before: Callable[[], object] = lambda: None
    ) -> list[float]:
        """Processor time in seconds of each run of a command, after one that warms what is kept."""
        found = []
        for _ in range(self.runs + 1):
            before()
            found.append(self.once(*command, tree=tree))
        return found[1:]

    def once(self, *command: str | Path, tree: Path = HERE) -> float:
        """The same of one run. RuntimeError if the command fails."""
        started = subprocess.Popen(
            [sys.executable, *map(str, command)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(tree),
        )
        assert started.stderr is not None
        said = started.stderr.read()
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode not in (0, 1):  # 1: it found something in what it was given
            raise RuntimeError(f"{' '.join(map(str, command))}\n{said.decode()}")
        return used.ru_utime + used.ru_stime

    def probe(self, name: str) -> list[float]:
        """The figures that a probe prints (`speed_probes.py`)."""
        command = [sys.executable, str(PROBES), name, str(self.runs)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(HERE), check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        told = json.loads(done.stdout)
        if isinstance(told, str):
            raise NotMeasured(told)
        return [float(figure) for figure in told]

    # ---- games

    @cached_property
    def games(self) -> dict[str, tuple[list[float], float]]:
        """Whole games by bots, turn by turn: code to the seconds of each turn and the memory in MB."""
        trees = {"now": HERE, **({"before": self.earlier} if self.earlier else {})}
        sides = {
            name: Side(name, tree, tree, self.scratch / f"game-{name}", "1914", SEED, 1, "lead")
            for name, tree in trees.items()
        }
        turns: dict[str, list[float]] = {name: [] for name in sides}
        memory: dict[str, float] = {}
        playing = set(sides)
        while playing:
            for name in sorted(playing):
                told = sides[name].turn()
                turns[name].append(told["cpu"][1])
                memory[name] = told["memory"]
                if told["ended"] or len(turns[name]) == self.turns:
                    playing.remove(name)
        for side in sides.values():
            side.end()
        return {name: (turns[name], memory[name]) for name in sides}

    def game(self) -> list[float]:
        """Seconds of the game of now; with an earlier tree the ratio of both, and those of single turns."""
        now = self.games["now"][0]
        if "before" not in self.games:
            return [sum(now)]
        before = self.games["before"][0]
        ratios = [a / b for a, b in zip(now, before, strict=False)]
        whole = sum(now[: len(before)]) / sum(before[: len(now)])
        return [whole, min(ratios), statistics.median(ratios), max(ratios)]

    def memory(self) -> list[float]:
        """The most memory that the game of now has taken, in MB."""
        return [self.games["now"][1]]

    @cached_property
    def played(self) -> dict[str, float]:
        """`wteaw play` to the end: code to its seconds. Leaves the games for the reports."""
        trees = {"now": HERE, **({"before": self.earlier} if self.earlier else {})}
        return {name: self._play(name, tree, self.turns) for name, tree in trees.items()}

    def _play(self, name: str, tree: Path, turns: int) -> float:
        where = ("--out", self.scratch / f"play-{name}", "--seed", SEED, "--turns", str(turns))
        return self.once("-m", "wteaw", "play", tree / "scenarios" / "1914.yaml", *where, tree=tree)

    def play(self) -> list[float]:
        return [_of(self.played)]

    def _reports(self, name: str, tree: Path) -> float:
        game = self.scratch / f"play-{name}" / "game"
        return min(
            self.spent("-m", "wteaw", "report", "--game", game, "--out", self.scratch / "r", tree=tree)
        )

    def reports(self) -> list[float]:
        """All reports on the last turn of `wteaw play`."""
        trees = {"now": HERE, **({"before": self.earlier} if self.earlier else {})}
        return [_of({name: self._reports(name, tree) for name, tree in trees.items() if self.played})]

    # ---- commands

    @cached_property
    def running(self) -> Path:
        """A game after two turns, in which a player has the orders of `orders`."""
        self._play("running", HERE, 2)
        return self.scratch / "play-running" / "game"

    def command(self, *words: str) -> list[float]:
        """A command of a running game."""
        return self.spent("-m", "wteaw", *words, "--game", self.running)

    def check(self) -> list[float]:
        """A file of orders, checked."""
        file = self.scratch / "orders.txt"
        file.write_text(ORDERS, encoding="utf-8")
        return self.command("orders", "check", str(file))

    def odds(self) -> list[float]:
        return self.spent("-m", "wteaw", "odds", *ODDS)

    def validate(self) -> list[float]:
        return self.spent("-m", "wteaw", "validate", *self.rules)

    def validate_changed(self) -> list[float]:
        changed = self.rules[0] / "tables" / "battles.yaml"

        def change() -> None:
            with changed.open("a", encoding="utf-8") as file:
                file.write("# changed\n")

        return self.spent("-m", "wteaw", "validate", *self.rules, before=change)

    @cached_property
    def rules(self) -> tuple[Path, Path]:
        """Copies of the ruleset and its scenarios, one of which may be changed."""
        for name in ("ruleset", "scenarios"):
            shutil.copytree(HERE / name, self.scratch / name)
        return self.scratch / "ruleset", self.scratch / "scenarios"

    def rule_tests(self) -> list[float]:
        return self.spent("-m", "wteaw", "test", HERE / "ruleset" / "tests" / "battles-land.yaml")


ORDERS = """\
game 1914   nation German Empire   turn 3
build 3 infantry in Berlin
build 1 artillery in Ruhr
research improved weapons
influence Netherlands
move 10 infantry, 5 artillery from Stuttgart to Frankfurt
move 2 infantry from Berlin to Breslau
move 8 infantry from Danzig to Konigsberg
move 3 infantry from Lodz to Plock
incorporate Lodz
move 20 infantry, 10 artillery from Frankfurt to Cologne
"""


@dataclass(frozen=True)
class Row:
    """A row of the table: what is measured, in which unit, and the most that it is to come to. `whole`: it
    takes minutes."""

    what: str
    unit: str
    aim: float
    measure: Callable[[Bench], list[float]]
    of_before: bool = False
    whole: bool = False


ROWS = (
    Row("a 1914 game by bots", "s", 0.50, Bench.game, of_before=True, whole=True),
    Row("its memory", "MB", 250, Bench.memory, whole=True),
    Row("wteaw play 1914", "s", 0.37, Bench.play, of_before=True, whole=True),
    Row("all its reports, with luck at the end", "s", 0.35, Bench.reports, of_before=True, whole=True),
    Row("three recorded games, times the package", "x", 3, lambda b: b.probe("records")),
    Row("a line of Diplomacy read and understood", "ms", 0.25, lambda b: b.probe("line-diplomacy")),
    Row("a line of 1914 read and understood", "ms", 0.5, lambda b: b.probe("line-1914")),
    Row("odds", "s", 0.35, Bench.odds),
    Row("orders check of 10 lines", "s", 0.35, Bench.check),
    Row("status", "s", 0.35, lambda b: b.command("status")),
    Row("validate, warm", "s", 0.5, Bench.validate),
    Row("validate, one file changed", "s", 1.2, Bench.validate_changed),
    Row("a file of 35 rule tests", "s", 0.8, Bench.rule_tests),
    Row("resolving with facts of 180 turns against 20", "x", 1.1, lambda b: b.probe("long-game")),
)


def _of(seconds: Mapping[str, float]) -> float:
    """The seconds of now, or their ratio where there are some of before."""
    return seconds["now"] / seconds["before"] if "before" in seconds else seconds["now"]


def environment(tree: Path) -> dict[str, str]:
    """The environment in which the code of a tree runs, with its bytecode kept."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    places = [str(tree / "src"), str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(places)}


def line(row: Row, figures: list[float], before: bool) -> str:
    """A row of the table as text."""
    ratio = row.of_before and before
    unit = "x" if ratio else row.unit
    aim = "" if row.of_before and not before else f"{row.aim:g} {unit}"
    cells = [figures[0], statistics.median(figures), max(figures)] if ratio else sorted(figures)
    spread = (cells[0], statistics.median(cells), cells[-1])
    return f"{row.what:<46} {aim:>8} " + " ".join(f"{cell:>9.3f}" for cell in spread) + f"  {unit}"


def main() -> None:
    """Measure the rows that are asked for, and print each when it is known."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--against", help="An earlier commit, whose games are played beside those of now.")
    asked.add_argument("--only", default="", help="Rows in whose name this stands.")
    asked.add_argument("--quick", action="store_true", help="Without the rows that take minutes.")
    asked.add_argument("--turns", type=int, default=0, help="Turns of the games; 0: to the end.")
    asked.add_argument("--runs", type=int, default=5, help="How often each is measured; games once.")
    given = asked.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="speed-"))
    flags = sysconfig.get_config_var("CONFIG_ARGS") or ""
    built = "optimized" if "--enable-optimizations" in flags else "plain build"
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()} ({built}), {os.cpu_count()} processors, load {load:.1f}")
    print(f"{'':<46} {'aim':>8} {'least':>9} {'middle':>9} {'most':>9}")
    try:
        with work_tree(given.against, scratch) as earlier:
            bench = Bench(scratch, earlier, given.turns, given.runs)
            for row in ROWS:
                if given.only not in row.what or (given.quick and row.whole):
                    continue
                try:
                    print(line(row, row.measure(bench), earlier is not None), flush=True)
                except NotMeasured as why:
                    print(f"{row.what:<46} {why}", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
