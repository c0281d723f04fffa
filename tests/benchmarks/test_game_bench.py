"""Times of the 1914 game. Compare within one run: a turn against a copy of its state, validation cold against compiled."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tests.world1914 import dice, everything_moves, loaded, orders_by_policy, played
from wteaw.core.package_data import rulesets, scenarios
from wteaw.orders.sheet_layout import order_template
from wteaw.play.begin import new_game
from wteaw.play.pending import commanded
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import Views
from wteaw.report.build import nation_report
from wteaw.report.map import bare
from wteaw.report.render import as_html, as_text
from wteaw.report.turn_reports import map_of_report, report
from wteaw.ruleset import compile_ruleset, load_ruleset
from wteaw.turn.referee import Inputs, resolve
from wteaw.world.view import Viewer, view
from wteaw.world.world import World

pytestmark = pytest.mark.benchmark(group="game")


@pytest.mark.benchmark(group="start")
def test_python_alone(benchmark: Any) -> None:
    benchmark.pedantic(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), rounds=5)


@pytest.mark.benchmark(group="start")
def test_wteaw_help(benchmark: Any) -> None:
    code = "from wteaw.cli import _run; _run(['--help'])"
    benchmark.pedantic(
        lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), rounds=5
    )


@pytest.mark.benchmark(group="validate")
def test_validate_compiled(benchmark: Any) -> None:
    load_ruleset(rulesets())
    benchmark.pedantic(lambda: load_ruleset(rulesets()), rounds=5)


@pytest.mark.benchmark(group="validate")
def test_validate_cold(benchmark: Any) -> None:
    benchmark.pedantic(lambda: compile_ruleset(rulesets()), rounds=2)


def test_state_copy(benchmark: Any) -> None:
    """The yardstick: what a turn cannot do without."""
    benchmark(played(2)[-1].position.state.copy)


def test_state_hash(benchmark: Any) -> None:
    benchmark(played(2)[-1].position.state.hash)


def test_one_turn_with_orders_of_every_nation(benchmark: Any) -> None:
    _, ruleset, geography = loaded()
    here = played(2)[-1].position
    orders = orders_by_policy(here)
    benchmark.pedantic(
        lambda: resolve(ruleset, here, Inputs(orders), dice(here), geography=geography),
        rounds=10,
        warmup_rounds=1,
    )


def test_one_turn_in_which_everything_moves(benchmark: Any) -> None:
    """Every nation orders every stack that can go somewhere to go there; beside an ordinary turn."""
    _, ruleset, geography = loaded()
    here = played(2)[-1].position
    orders = everything_moves(here)
    moved = sum(sum(o["slots"]["units"].values()) for given in orders.values() for o in given)
    assert moved > sum(row["n"] for _, row in here.state.stacks()) * 8 // 10
    benchmark.extra_info.update(orders=sum(map(len, orders.values())), units=moved)
    benchmark.pedantic(
        lambda: resolve(ruleset, here, Inputs(orders), dice(here), geography=geography),
        rounds=5,
        warmup_rounds=1,
    )


def test_a_whole_game(benchmark: Any) -> None:
    """Every turn to the end, with the orders of every nation by policies; without reports."""
    whole = getattr(played, "__wrapped__", played)
    benchmark.pedantic(lambda: whole(26), rounds=1)


def test_report_of_one_nation(benchmark: Any) -> None:
    """Text and page of what a nation is told of a turn, without map and template."""
    _, ruleset, geography = loaded()
    last = played(2)[-1]
    shown = view(ruleset, last.position.state, "german-empire", geography=geography)
    turn = last.position.turn - 1
    entries = [e for e in last.entries if e.turn == turn]

    def report() -> None:
        told = nation_report(
            World(ruleset, shown, geography=geography), entries, "german-empire", game="g", turn=turn
        )
        as_text(told), as_html(told)

    benchmark.pedantic(report, rounds=5, warmup_rounds=1)


def test_reports_of_ten_nations(benchmark: Any, tmp_path: Path) -> None:
    """With order forms and maps, as text and page; `alone`: as many times as long as one by one, nothing of the map known."""
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    game = new_game(tmp_path / "game", data, ruleset, id_="g", seed=bytes(16))
    for _ in range(2):
        resolve_turn(game, force=True)
    drawing, ten = game.drawing(), commanded(game)[:10]

    def reports(nations: list[str]) -> None:
        bare._bare.clear()
        views = Views(game)
        for nation in nations:
            told = report(game, nation, views=views)
            as_text(told), as_html(told, map_of_report(game, told, views, drawing))

    reports(ten[:1])
    began = process_time()
    for nation in ten:
        reports([nation])
    alone = process_time() - began
    benchmark.pedantic(lambda: reports(ten), rounds=3)
    benchmark.extra_info["alone"] = round(alone / benchmark.stats.stats.min, 2)


def test_orders_of_every_nation_by_policy(benchmark: Any) -> None:
    here = played(2)[-1].position
    benchmark.pedantic(lambda: orders_by_policy(here), rounds=3, warmup_rounds=1)


def test_view_of_one_nation(benchmark: Any) -> None:
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state
    benchmark.pedantic(lambda: Viewer(ruleset, state, geography=geography).view("german-empire"), rounds=5)


def test_template_of_one_nation(benchmark: Any) -> None:
    _, ruleset, geography = loaded()
    shown = view(ruleset, played(2)[-1].position.state, "german-empire", geography=geography)
    benchmark.pedantic(
        lambda: order_template(World(ruleset, shown, geography=geography), "german-empire"), rounds=5
    )


def test_memory_of_a_turn(benchmark: Any, tmp_path: Path) -> None:
    """Peak memory that a resolved turn adds, in MB, as extra info."""
    _, ruleset, geography = loaded()
    here = played(2)[-1].position
    orders = orders_by_policy(here)
    tracemalloc.start()
    benchmark.pedantic(
        lambda: resolve(ruleset, here, Inputs(orders), dice(here), geography=geography), rounds=1
    )
    benchmark.extra_info["peak_mb"] = round(tracemalloc.get_traced_memory()[1] / 1e6, 1)
    tracemalloc.stop()
