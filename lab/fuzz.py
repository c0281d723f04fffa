"""Rulesets spoiled at random, for a law: what validates, plays.

A mutation spoils one place of a merged ruleset: it deletes, renames, retypes, swaps an id or a word of an
expression, nests or exaggerates. What `validate` then refuses is well; what it lets pass plays three turns
with policies and orders drawn from templates, draws its map and writes its reports, in bounded time. A rule
that only play can show to be wrong (a division by a number that becomes zero) may end the turn in a
`RuleError` that names its place; everything else is a finding.

    python -m wteaw_lab.fuzz --count 20000 --out out/fuzz
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from wteaw.bots import plan
from wteaw.core.collector import collect_rarely
from wteaw.core.diagnostics import has_errors
from wteaw.core.dice import KeyedDice
from wteaw.core.faults import RuleError, of_rules
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.core.parallel import in_processes
from wteaw.orders.grammar import Grammar
from wteaw.orders.intake import take_in
from wteaw.orders.kinds.answers import parted
from wteaw.orders.sheet import offers_of
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import RULES, check_scenario, read_scenario, ruleset_folder
from wteaw.report.build import nation_report
from wteaw.report.map_views import map_svg
from wteaw.report.render import as_text
from wteaw.ruleset.checks import READ_BY_OTHERS, Subject, of_altered, run_checks
from wteaw.ruleset.compile import layers_of, read_layers, ruleset_of
from wteaw.ruleset.drawing import Drawing, read_drawing
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.nodes import plain_value
from wteaw.ruleset.overlay import Layer, lay_over
from wteaw.turn.referee import Inputs, Position, resolve, start, waiting_seats
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

from .spoil import RowSpoiler, SpoiledRow

__all__ = ["FuzzBench", "FuzzOutcome", "FuzzSummary", "main", "mutations"]

TURNS = 3
SECONDS = 60
"""How much of a processor's time one mutation may take, validation and play together; a busy machine changes
nothing.
"""
Orders = dict[str, list[dict[str, Any]]]


class TooLong(BaseException):
    """A mutation has used up its time."""


@dataclass(frozen=True)
class FuzzOutcome:
    """What became of a mutation: refused by validation, played, told (ended in a RuleError with its place),
    or a finding.
    """

    number: int
    what: str
    kind: str
    says: str = ""
    trace: str = ""
    seconds: float = 0.0


@dataclass
class FuzzSummary:
    """How often each outcome came, and the findings."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[FuzzOutcome] = field(default_factory=list)
    told: list[FuzzOutcome] = field(default_factory=list)

    def add(self, outcome: FuzzOutcome) -> None:
        self.counts[outcome.kind] += 1
        if outcome.kind == "finding":
            self.findings.append(outcome)
        elif outcome.kind == "told":
            self.told.append(outcome)


class FuzzBench:
    """A ruleset and a scenario to spoil and play. Everything that mutations share is read once."""

    def __init__(self, scenario: str, *, nations: int = 2) -> None:
        self.known: Forms = forms()
        self.path = scenarios() / f"{scenario}.yaml"
        node, found, _ = read_scenario(self.path)
        assert node is not None and not has_errors(found)
        self.scenario = node
        folder, _ = ruleset_folder(node, self.path.parent)
        assert folder is not None
        self.folder = folder
        self.layers, wrong = layers_of(read_layers(folder))
        rules = node.get(RULES)
        if rules is not None:
            self.layers.append(Layer(self.layers[-1].manifest, (rules,)))
        self.draft, unfit = lay_over(self.layers, self.known)
        assert not has_errors([*wrong, *unfit])
        self.base = Subject(self.draft, self.known)
        self.nations = nations
        self.spoiler = RowSpoiler(self.draft, self.known)

    @cached_property
    def drawing(self) -> Drawing:
        return read_drawing(self.folder)

    # ---- trying

    def refused(self, mutation: SpoiledRow) -> bool:
        """Whether validation refuses it: the spoiled row by itself first, since most fall there."""
        form, id_ = mutation.form, mutation.id
        if id_ in mutation.draft.rows(form) and id_ in self.draft.rows(form):
            return any(d.severity == "error" for d in of_altered(self.base, mutation.draft, (form, id_)))
        return has_errors(run_checks(Subject(mutation.draft, self.known), self.layers))

    @cached_property
    def ruleset(self) -> Ruleset:
        """The ruleset as it is, with its grammar made."""
        ruleset = ruleset_of(self.draft, self.known)
        Grammar.of(ruleset)
        return ruleset

    def _ruleset(self, mutation: SpoiledRow) -> Ruleset:
        """The spoiled ruleset; what has not been touched, and what is made of that alone, is taken from the
        one as it is.
        """
        made, base = ruleset_of(mutation.draft, self.known), self.ruleset
        forms = {
            form: rows if form == mutation.form else base.rows(form) for form, rows in made.forms.items()
        }
        ruleset = replace(made, forms=forms)
        ruleset.take_over(base)
        return ruleset

    def try_one(self, number: int, seed: int, *, play: bool = True, seconds: float = SECONDS) -> FuzzOutcome:
        """The outcome of one mutation, by its number and the seed of the series."""
        rng = random.Random(f"{seed}/{self.path.stem}/{number}")
        mutation = self.spoiler.mutation(rng)
        began = time.process_time()

        def outcome(kind: str, says: str = "", trace: str = "") -> FuzzOutcome:
            return FuzzOutcome(
                number,
                f"{self.path.stem}: {mutation.what}",
                kind,
                says,
                trace,
                round(time.process_time() - began, 2),
            )

        try:
            with _at_most(seconds):
                if self.refused(mutation):
                    return outcome("refused")
                ruleset = self._ruleset(mutation)
                same = mutation.id in self.draft.rows(mutation.form) and mutation.form not in READ_BY_OTHERS
                if not same and has_errors(check_scenario(ruleset, self.scenario, self.known)):
                    return outcome("refused")
                if not play:
                    return outcome("passed")
                self.play(ruleset, rng)
        except RuleError as error:
            return outcome("told" if error.where else "finding", str(error), traceback.format_exc())
        except TooLong:
            return outcome("finding", f"more than {seconds} seconds", traceback.format_exc())
        except Exception as error:
            at = of_rules(error)
            if at is not None and at.where:
                return outcome("told", str(at), traceback.format_exc())
            return outcome("finding", f"{type(error).__name__}: {error}", traceback.format_exc())
        return outcome("played")

    def play(self, ruleset: Ruleset, rng: random.Random) -> None:
        """Three turns, the map, and the report of a nation."""
        geography = Geography(ruleset)
        told: list[Any] = []
        for at, entries in self._turns(
            ruleset, geography, lambda at: self._orders(ruleset, at, geography, rng)
        ):
            position, told = at, entries or told
        map_svg(ruleset, position.state, self.drawing, title="")
        nation = next(iter(ruleset.rows("nations")))
        viewer = Viewer(ruleset, position.state, geography=geography)
        world = World(ruleset, viewer.view(nation), geography=geography, moments=position.moments)
        page = nation_report(world, told, nation, game="fuzz", turn=position.turn)
        as_text(page)
        world.close()

    def _turns(
        self, ruleset: Ruleset, geography: Geography, orders: Callable[[Position], Orders]
    ) -> Iterator[tuple[Position, list[Any]]]:
        """The positions of the first turns with what was told on the way to each, where nations order so."""
        state = initial_state(ruleset, plain_value(self.scenario))
        position = start(ruleset, state, KeyedDice("5a" * 32, 1), geography=geography).position
        yield position, []
        for _ in range(40):
            if position.ended or position.turn > TURNS:
                break
            dice = KeyedDice("5a" * 32, position.turn)
            lines = {nation: parted(said) for nation, said in orders(position).items()}
            inputs = Inputs(
                {n: said for n, (said, _) in lines.items()}, {n: said for n, (_, said) in lines.items()}
            )
            result = resolve(ruleset, position, inputs, dice, geography=geography)
            position = result.position
            yield position, list(result.entries)

    @cached_property
    def share(self) -> float:
        """The share of what is asked of nations in these turns that is answered: a game of thirty inputs a
        turn costs no more than one of a single input."""
        positions = self._turns(self.ruleset, Geography(self.ruleset), lambda _: {})
        asked = sum(
            len(waiting_seats(self.ruleset, at)) for at, _ in positions if not at.ended and at.turn <= TURNS
        )
        return min(1.0, TURNS * self.nations / max(1, asked))

    def _orders(
        self, ruleset: Ruleset, position: Position, geography: Geography, rng: random.Random
    ) -> Orders:
        """Of a few nations: what policies order, of every fourth lines of its template."""
        seats = [seat for seat in waiting_seats(ruleset, position) if rng.random() < self.share]
        viewer = Viewer(ruleset, position.state, geography=geography)
        orders: Orders = {}
        for nation in seats:
            world = World(ruleset, viewer.view(nation), geography=geography, moments=position.moments)
            stream = KeyedDice("a5" * 32, position.turn).stream(
                step="input", rule="plan", subject=nation, audience=nation
            )
            orders[nation] = [dict(order) for order in plan(world, nation, stream)]
            if rng.random() < 0.25:
                lines: list[str] = []
                for _, some in offers_of(world, nation):
                    lines.extend(rng.choice(list(one.lines())) for one in some)
                drawn = "\n".join(rng.sample(lines, min(8, len(lines))))
                taken = take_in(ruleset, drawn, _always(world), nation=nation, turn=position.turn)
                orders[nation] = [dict(order) for order in taken.orders] or orders[nation]
            world.close()
        return orders


def _always(world: World) -> Callable[[str], World]:
    return lambda _: world


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises TooLong inside once so much processor time is over; elsewhere than in the main thread of Unix
    nothing is limited.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ---- a series


def mutations(
    bench: FuzzBench, numbers: Iterable[int], seed: int, *, most_played: int | None = None
) -> FuzzSummary:
    """The outcomes of a series; of those that pass, no more than `most_played` are played."""
    told = FuzzSummary()
    played = 0
    for number in numbers:
        outcome = bench.try_one(number, seed, play=most_played is None or played < most_played)
        played += outcome.kind in ("played", "told", "finding")
        told.add(outcome)
    return told


_benches: dict[str, FuzzBench] = {}


def _chunk(job: tuple[str, int, int, int]) -> list[dict[str, Any]]:
    scenario, first, count, seed = job
    bench = _benches.get(scenario) or _benches.setdefault(scenario, FuzzBench(scenario))
    bench.base.kept.forget(bench.draft)  # the rows that were spoiled
    return [asdict(bench.try_one(n, seed)) for n in range(first, first + count)]


def one_of_each() -> list[str]:
    """A shipped scenario of each ruleset, the first by name."""
    found: dict[str, str] = {}
    for path in sorted(scenarios().glob("*.yaml")):
        node, _, _ = read_scenario(path)
        if node is not None:
            found.setdefault(str(node.text("ruleset")), path.stem)
    return list(found.values())


def main(arguments: list[str] | None = None) -> int:
    """Run a long series on all cores.

    Chunks that are done are kept in the folder: a series goes on where it was stopped.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=20_000, help="mutations, shared among the scenarios")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    parser.add_argument(
        "--scenario", action="append", help="a shipped scenario; by default one of each ruleset"
    )
    asked = parser.parse_args(arguments)
    names = asked.scenario or one_of_each()
    asked.out.mkdir(parents=True, exist_ok=True)
    size = 25
    starts = range(0, asked.count // len(names), size)
    jobs = [(name, first, size, asked.seed) for first, name in product(starts, names)]
    files: Mapping[Any, Path] = {job: asked.out / f"{job[0]}-{job[3]}-{job[1]:06d}.json" for job in jobs}
    left = [job for job in jobs if not files[job].exists()]
    for job, rows in zip(left, in_processes(_chunk, left, asked.jobs, begin=collect_rarely), strict=True):
        files[job].write_text(json.dumps(rows), encoding="utf-8")
        print(f"{job[0]} {job[1]}: {dict(Counter(row['kind'] for row in rows))}", file=sys.stderr)
    told = FuzzSummary()
    for path in files.values():
        for row in json.loads(path.read_text(encoding="utf-8")):
            told.add(FuzzOutcome(**row))
    report = asked.out / "findings.txt"
    lines = [f"{o.what}\n  {o.says} ({o.seconds} s, number {o.number})\n{o.trace}\n" for o in told.findings]
    report.write_text("".join(lines), encoding="utf-8")
    print(f"{dict(told.counts)}; {len(told.findings)} findings in {report}")
    return 1 if told.findings else 0


if __name__ == "__main__":
    sys.exit(main())
