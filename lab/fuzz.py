"""Rulesets spoiled at random, for a law: what validates, plays.

A mutation spoils one place of a merged ruleset: it deletes, renames, retypes, swaps an id or a word of an
expression, nests or exaggerates. What `validate` then refuses is well; what it lets pass plays three turns
with policies and orders drawn from templates, draws its map and writes its reports, in bounded time. A rule
that only play can show to be wrong (a division by a number that becomes nought) may end the turn in a
`RuleError` that names its place; everything else is a finding.

    python -m wteaw_lab.fuzz --count 20000 --out out/fuzz
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from wteaw.bots import plan
from wteaw.core.collector import collect_rarely
from wteaw.core.diagnostics import has_errors
from wteaw.core.dice import KeyedDice
from wteaw.core.faults import RuleError, of_rules
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
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
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.nodes import Node, plain_value
from wteaw.ruleset.overlay import Layer, MergedRuleset, has_slots, lay_over, with_slots
from wteaw.store.drawing import Drawing, read_drawing
from wteaw.turn.referee import Inputs, Position, resolve, start, waiting_seats
from wteaw.world.geography import Geography
from wteaw.world.view import Viewer
from wteaw.world.world import World

__all__ = ["FuzzBench", "FuzzOutcome", "FuzzSummary", "main", "mutations"]

TURNS = 3
SECONDS = 60
"""How much of a processor's time one mutation may take, validation and play together; a busy machine changes
nothing.
"""
INERT = frozenset(
    {
        "note",
        "source",
        "silence",
        "color",
        "aliases",
        "symbol",
        "help",
        "read_back",
        "text",
        "name",
        "question",
    }
)
"""Keys whose values no turn depends on: seldom worth spoiling."""
TYPES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    3,
    -12,
    "seven",
    "=1/0",
    "=turn",
    "=None",
    [],
    {},
    "",
    "all",
    "5..2",
    "1d6",
)
NAMES = ("self", "place", "unit", "nation", "target", "turn", "link", "None")
EXPRESSIONS = ("=({}) * 10**17", "=({}) ** 9", "=-({})", "=({}) / (turn - turn)", "=not ({})")
Orders = dict[str, list[dict[str, Any]]]
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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


@dataclass(frozen=True)
class SpoiledRow:
    """One spoiled place: in words, and the draft with it."""

    what: str
    draft: MergedRuleset
    form: str
    id: str


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
        ids = {form: list(rows) for form, rows in self.draft.forms.items()}
        self.ids = {form: rows for form, rows in ids.items() if rows}
        self.words = sorted({*FUNCTIONS, *(i for rows in self.ids.values() for i in rows)})

    @cached_property
    def drawing(self) -> Drawing:
        return read_drawing(self.folder)

    # ---- spoiling

    def mutation(self, rng: random.Random) -> SpoiledRow:
        """A draft that is spoiled in one place; rows of small forms are as likely as those of large ones."""
        weights = {form: len(rows) ** 0.5 for form, rows in self.ids.items()}
        form = rng.choices(list(weights), list(weights.values()))[0]
        id_ = rng.choice(self.ids[form])
        row = self.draft.forms[form][id_]
        if rng.random() < 0.04:
            return self._whole(rng, form, id_)
        for _ in range(20):
            path = self._place(rng, row)
            if path and path[0] not in INERT and path[0] != "id":  # rows are renamed whole, as they are read
                break
        what, spoiled = self._spoil(rng, row, path)
        rows = {
            **self.draft.forms[form],
            id_: with_slots(spoiled) if has_slots(self.known, form) else spoiled,
        }
        draft = replace_form(self.draft, form, rows)
        return SpoiledRow(f"{form}/{id_} {'.'.join(map(str, path))}: {what}", draft, form, id_)

    def _whole(self, rng: random.Random, form: str, id_: str) -> SpoiledRow:
        rows = dict(self.draft.forms[form])
        row = rows.pop(id_)
        if rng.random() < 0.5:
            return SpoiledRow(f"{form}/{id_}: row deleted", replace_form(self.draft, form, rows), form, id_)
        other = rng.choice([f"{id_}-x", "x" * 300, "\x1b[31m", rng.choice(self.words)])
        entries = {**row.value, "id": replace_value(row, other)} if "id" in row.value else row.value
        rows[other] = row.with_entries(entries, row.keys)
        return SpoiledRow(
            f"{form}/{id_}: row renamed {other[:20]!r}", replace_form(self.draft, form, rows), form, other
        )

    def _place(self, rng: random.Random, row: Node) -> tuple[str | int, ...]:
        """A path into a row: deeper with every step, and sometimes not to the end."""
        path: list[str | int] = []
        node = row
        while True:
            if node.is_map and node.value:
                step: str | int = rng.choice(list(node.value))
            elif node.is_list and node.value:
                step = rng.randrange(len(node.value))
            else:
                return tuple(path)
            path.append(step)
            node = node.value[step]
            if rng.random() < 0.15:
                return tuple(path)

    def _spoil(self, rng: random.Random, row: Node, path: tuple[str | int, ...]) -> tuple[str, Node]:
        if not path:
            return "nothing", row
        above = row
        for step in path[:-1]:
            above = above.value[step]
        node = above.value[path[-1]]
        ways: list[Callable[[random.Random, Node, Node, str | int], tuple[str, Node | None, str | None]]]
        ways = [self._delete, self._retype, self._nest, self._exaggerate, self._exaggerate]
        if above.is_map:
            ways += [self._rename]
        if isinstance(node.value, str):
            ways += [self._swap] * 4
        what, new, key = rng.choice(ways)(rng, above, node, path[-1])
        return what, put_at(row, path, new, key)

    def _delete(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        return "deleted", None, None

    def _rename(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        keys = [key for key in self._keys_beside(rng) if key not in above.value]
        key = rng.choice([f"{step}x", "prize", rng.choice(keys or ["x"]), rng.choice(keys or ["x"])])
        return f"key renamed {key!r}", node, key

    def _keys_beside(self, rng: random.Random) -> list[str]:
        form = rng.choice(list(self.ids))
        return [k for k in rng.choice(list(self.draft.forms[form].values())).value if isinstance(k, str)]

    def _retype(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        value = rng.choice(TYPES)
        return f"became {value!r}", node_of(value, node), None

    def _nest(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        if rng.random() < 0.5:
            return "put into a list", replace_value(node, [node]), None
        return (
            "put into a map",
            node_of({"x": 1}, node).with_entries({"x": node}, {"x": (node.file, node.line, 1)}),
            None,
        )

    def _exaggerate(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        value = node.value
        if isinstance(value, bool):
            return f"became {not value}", node_of(not value, node), None
        if isinstance(value, int):
            new = rng.choice([0, -1, value + 1, value * 10, 10**6, 10**9, 10**30, -(10**9)])
            return f"became {new}", node_of(new, node), None
        if isinstance(value, str) and value.startswith("="):
            inner = value[1:].strip()
            new_text = rng.choice(EXPRESSIONS).format(inner)
            return f"became {new_text[:60]!r}", node_of(new_text, node), None
        if isinstance(value, str):
            odd = (
                "x" * 500,
                value * 20,
                "999d999999",
                "-999999999..999999999",
                "\x1b[2J" + value,
                f"not ({value})",
                "99999/7",
            )
            new_text = rng.choice(odd)
            return f"became {new_text[:60]!r}", node_of(new_text, node), None
        if isinstance(value, list):
            return "list repeated", replace_value(node, value * rng.choice([2, 200])), None
        return "deleted", None, None

    def _swap(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        """One word of a text for another: of an expression a name, a field, a function or an id."""
        found = list(_WORD.finditer(node.value))
        near = [w for rows in self.ids.values() if node.value in rows for w in rows]
        if near and rng.random() < 0.6:
            other = rng.choice(near)
            return f"became {other!r}", node_of(other, node), None
        other = rng.choice([rng.choice(self.words), rng.choice(NAMES)])
        if not found:
            return f"became {other!r}", node_of(other, node), None
        place = rng.choice(found)
        text = node.value[: place.start()] + other + node.value[place.end() :]
        return f"became {text[:60]!r}", node_of(text, node), None

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
        mutation = self.mutation(rng)
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
        page = nation_report(
            ruleset, world.state, told, nation, game="fuzz", turn=position.turn, geography=geography
        )
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
                lines = [
                    rng.choice(list(one.lines())) for _, some in offers_of(world, nation) for one in some
                ]
                drawn = "\n".join(rng.sample(lines, min(8, len(lines))))
                taken = take_in(ruleset, drawn, _always(world), nation=nation, turn=position.turn)
                orders[nation] = [dict(order) for order in taken.orders] or orders[nation]
            world.close()
        return orders


def _always(world: World) -> Callable[[str], World]:
    return lambda _: world


# ---- trees


def replace_form(draft: MergedRuleset, form: str, rows: dict[str, Node]) -> MergedRuleset:
    return replace(draft, forms={**draft.forms, form: rows})


def replace_value(node: Node, value: Any) -> Node:
    """A node at the same place with another value."""
    return Node(value, node.file, node.line, node.column)


def node_of(value: Any, at: Node) -> Node:
    """A plain value as a node at a place."""
    if isinstance(value, dict):
        place = (at.file, at.line, at.column)
        return Node({k: node_of(v, at) for k, v in value.items()}, *place, dict.fromkeys(value, place))
    return Node(
        [node_of(v, at) for v in value] if isinstance(value, list) else value, at.file, at.line, at.column
    )


def put_at(node: Node, path: tuple[str | int, ...], new: Node | None, key: str | None) -> Node:
    """A node with another one at a path (None: without it; `key`: under another key)."""
    step, rest = path[0], path[1:]
    inner = put_at(node.value[step], rest, new, key) if rest else new
    if node.is_list:
        members = list(node.value)
        if inner is None:
            del members[int(step)]
        else:
            members[int(step)] = inner
        return replace_value(node, members)
    entries, keys = dict(node.value), dict(node.keys)
    place = keys.pop(str(step), (node.file, node.line, node.column))
    del entries[step]
    if inner is not None:
        name = key if key is not None and not rest else str(step)
        entries[name] = inner
        keys[name] = place
    return node.with_entries(entries, keys)


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
    jobs = [
        (name, first, size, asked.seed)
        for first in range(0, asked.count // len(names), size)
        for name in names
    ]
    files: Mapping[Any, Path] = {job: asked.out / f"{job[0]}-{job[3]}-{job[1]:06d}.json" for job in jobs}
    left = [job for job in jobs if not files[job].exists()]
    with Pool(asked.jobs, collect_rarely) as pool:
        for job, rows in zip(left, pool.imap(_chunk, left), strict=True):
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
