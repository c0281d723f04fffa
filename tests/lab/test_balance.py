"""Balance: figures of games made by hand, the page and its links, figures known well enough, differences in words."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from wteaw.cli import _run
from wteaw.core.journal import Entry, Fact
from wteaw.core.model import Ruleset
from wteaw.world.world import World
from wteaw_lab import plots, summary
from wteaw_lab.balance import balance, never, quantile, spread
from wteaw_lab.balance_page import balance_parts
from wteaw_lab.course import Course, front, fronts
from wteaw_lab.row_names import RowNames, Unnamed, percent, surest
from wteaw_lab.single_game import counts

from .. import small

SEED = "5a" * 16
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
RULES = small.ruleset(
    actions=[{"id": "dig"}, {"id": "sing"}], events=[{"id": "rain", "title": "It rains"}, {"id": "snow"}],
    technologies=[{"id": "wheel"}], victory=[{"id": "points", "kind": "criterion", "name": "Points", "of": "nation", "is": "count(units(owner=nation))"}],
    order_options=[{"id": "in-haste", "gives": "haste"}, {"id": "slowly"}],
)  # fmt: skip


def game(**other: Any) -> dict[str, Any]:
    """A game of one turn that red has won."""
    turn = {
        "turn": 1, "front": 3, "fronts": 2, "units": {"red": 4}, "places": {"red": 2, "blue": 1}, "income": {"red": 5.0}, "lost": {},
        "captures": {"red": 1}, "criteria": {"points": {"red": 7.0, "blue": 4.0}},
    }  # fmt: skip
    return {
        "game": 1, "candidate": "as given", "seed": "00", "turns": 1, "ended": True, "end": None, "winners": ["red"],
        "leaders": {"points": ["red"]}, "criteria": {"points": {"red": 7.0, "blue": 4.0}}, "battles": 2, "captures": {"red": 1},
        "battles_in": {"land": 2}, "voyages": 1, "flights": 0, "taken": {"red": {"blue": 1}}, "reasons": {},
        "lost": {}, "events": {"rain": 2}, "orders": {"actions/dig": 3}, "refused": {}, "course": [turn],
        "joined": [[1, "gray", "east", "events/rain"]], "at_war": {"red": [1, "blue", "actions/dig"]},
        "did": {"actions/dig": [3, 6, 0, 1, 4.0, 0.5]}, "applied": {}, "learned": {"wheel": 1}, "conditions": {"haste": 1}, **other,
    }  # fmt: skip


GAMES = {
    1: game(), 2: game(game=2, winners=["blue"], events={}, battles=4, joined=[], taken={}, reasons={"actions/dig": {"… is rock": 2}}),
    3: game(game=3, winners=[], battles=6, taken={"red": {"blue": 1, "gray": 4}}),
    4: {"game": 4, "seed": "04", "error": "a rule cannot be carried out"},
}  # fmt: skip


def test_a_spread_names_its_games() -> None:
    found = spread({1: 2.0, 2: 4.0, 3: 6.0})
    assert (found["mean"], found["error"]) == (4.0, pytest.approx(2 / math.sqrt(3)))
    assert (found["low"], found["high"]) == (pytest.approx(2.4), pytest.approx(5.6))
    assert found["least"] == {"game": 1, "value": 2.0} and found["most"] == {"game": 3, "value": 6.0}
    assert quantile([1, 2, 3, 4], 0.5) == 2.5 and quantile([7], 0.9) == 7
    assert spread({})["mean"] is None


def test_figures_of_games_made_by_hand() -> None:
    found = balance(RULES, GAMES)
    assert found["games"] == 3 and found["from"] == [1, 2, 3]
    assert {who: s["from"] for who, s in found["wins"].items()} == {"blue": [2], "nobody": [3], "red": [1]}
    assert found["leads"]["points"]["red"]["share"] == 1
    joined = found["joined"]["gray"]["east"]
    assert (joined["games"], joined["from"], joined["rules"]) == (2, [1, 3], {"events/rain": 2})
    assert found["wars"]["red"]["foes"] == {"blue": 3} and found["wars"]["red"]["turn"]["mean"] == 1
    assert found["course"]["front"][0]["mean"] == 3 and found["course"]["units"]["red"][0]["mean"] == 4
    assert found["course"]["criteria"]["points"]["blue"][0]["mean"] == 4
    assert found["figures"]["battles"]["mean"] == 4 and found["figures"]["battles"]["most"] == {
        "game": 3,
        "value": 6,
    }
    assert (
        found["figures"]["lead points red"]["mean"] == 3
        and found["figures"]["lead points blue"]["mean"] == -3
    )
    assert found["figures"]["battles land"]["mean"] == 2 and found["figures"]["voyages"]["mean"] == 1
    assert found["figures"]["fronts"]["mean"] == found["course"]["fronts"][0]["mean"] == 2
    assert list(found["taken"]["red"]) == ["gray", "blue"]  # the most first
    assert [found["taken"]["red"][of]["from"] for of in ("gray", "blue")] == [[3], [1, 3]]
    rock = found["reasons"]["actions/dig"]["… is rock"]
    assert (rock["games"], rock["mean"], rock["from"]) == (1, pytest.approx(2 / 3), [2])
    rain = found["used"]["events"]["rain"]
    assert (rain["games"], rain["mean"], rain["from"]) == (2, pytest.approx(4 / 3), [1, 3])
    dig = found["rules"]["actions/dig"]
    assert [dig[k]["mean"] for k in ("entries", "changes", "destroyed", "captured", "money", "tracks")] == [
        3,
        6,
        0,
        1,
        4,
        0.5,
    ]


def test_what_no_game_used_is_a_finding() -> None:
    assert never(RULES, [game()]) == {
        "actions": ["sing"],
        "events": ["rain", "snow"],
        "order_options": ["slowly"],
    }
    used = game(did={"actions/dig": [1] * 6, "events/rain": [1] * 6}, conditions={}, learned={})
    assert never(RULES, [game(), used])["events"] == ["snow"]
    assert (
        never(RULES, [used])["technologies"] == ["wheel"] and len(never(RULES, [used])["order_options"]) == 2
    )


def test_the_course_of_a_turn() -> None:
    world = World(RULES, small.state())
    entries = [
        Entry(1, 1, "s", "sequence/collect", "", "red", data={"items": [], "income": 7}, changes=[["treasuries", "red", "gold", 20, 27]]),
        Entry(2, 1, "s", "actions/dig", "", "", facts=[Fact("joined", {"by": "gray", "side": "east"}), Fact("war_began", {"by": "red", "of": "gray"})]),
        Entry(3, 1, "s", "battles/land", "", "", facts=[Fact("destroyed", {"of": "blue", "n": 2}), Fact("captured", {"by": "red", "of": "blue"})],
              data={"fire": [{"applied": [{"id": "guns", "label": "guns"}]}]}),
        Entry(4, 1, "s", "sequence/input", "", "", changes=[["orders", "red/1", "*", None, {"order": "actions/dig", "options": {"haste": True, "after": 3, "lose": ["foot"]}}]]),
    ]  # fmt: skip
    course = Course()
    course.turn(1, world, entries)
    course.turn(2, world, [])
    data = course.to_json()
    first, second = data["course"]
    assert first["units"] == {"blue": 2, "red": 4} and first["places"] == {"blue": 1, "gray": 1, "red": 2}
    assert (first["income"], first["lost"], first["captures"]) == ({"red": 7.0}, {"blue": 2}, {"red": 1})
    assert first["front"] == front(world) == 1 and second["captures"] == {}
    assert first["fronts"] == fronts(world)
    assert data["joined"] == [[1, "gray", "east", "actions/dig"]]
    assert data["at_war"] == {"gray": [1, "red", "actions/dig"], "red": [1, "gray", "actions/dig"]}
    assert data["did"]["battles/land"][:4] == [1, 0, 2, 1] and data["did"]["sequence/collect"][4] == 7
    assert data["applied"] == {"guns": 1} and data["conditions"] == {"after": 1, "haste": 1, "lose": 1}


def test_a_journal_tells_how_the_war_is_waged() -> None:
    rules = small.ruleset(
        orders=[{"id": "sail", "does": "sea", "slots": {"units": "units"}}, {"id": "fly", "does": "air", "slots": {"units": "units"}},
                {"id": "walk", "does": "land", "slots": {"units": "units"}}],
        movement=[{"id": "sea", "tasks": True}, {"id": "air", "passes_over": True}, {"id": "land"}],
    )  # fmt: skip
    given = ("sail", "fly", "sail", "walk")
    place = next(iter(rules.rows("places")))
    entries = [
        Entry(1, 1, "s", "sequence/input", "", "", changes=[["orders", f"red/{n}", "*", None, {"order": f"orders/{o}"}] for n, o in enumerate(given)]),
        Entry(2, 1, "s", "battles/land", "", "", facts=[
            Fact("battle_began", {"place": place}), Fact("captured", {"by": "red", "of": "blue"}), Fact("captured", {"by": "red"}), Fact("captured", {"of": "red"})]),
        *(Entry(3 + n, 1, "s", "orders/walk", "", "red", data={"refused": f"no room for {n + 2} units of Red"}) for n in range(2)),
    ]  # fmt: skip
    found = counts(rules, entries)
    assert (found["voyages"], found["flights"], found["battles"]) == (2, 1, 1)
    assert found["battles_in"] == {rules.rows("places")[place].get("kind", ""): 1}
    assert found["captures"] == {"red": 2} and found["taken"] == {"red": {"blue": 1, "nobody": 1}}
    assert found["refused"] == {"orders/walk": 2} and found["reasons"] == {
        "orders/walk": {"no room for … units of …": 2}
    }


def test_what_a_watched_test_says_is_no_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An event that waits for something has an entry when that is looked at; only when it comes it has happened."""
    note = Entry(
        1, 0, "", "events/snow", "", "nation:red", changes=[["becomes", "snow|nation:red", "is", None, False]]
    )
    came = Entry(
        2, 0, "", "events/rain", "", "nation:red", changes=[["once", "rain", "*", None, {"turn": 0}]]
    )
    course = Course()
    course.began(RULES, [note, came])
    assert counts(RULES, [note, came])["events"] == {"rain": 1} and course.to_json()["did"].keys() == {
        "events/rain"
    }
    out = ["--out", str(tmp_path)]
    assert (
        _run(
            [
                "simulate",
                "empire-orders",
                "--games",
                "1",
                "--turns",
                "1",
                "--seed",
                SEED,
                "--workers",
                "1",
                *out,
            ]
        )
        == 0
    )
    assert _run(["balance", str(tmp_path)]) == 0
    capsys.readouterr()
    found = json.loads((tmp_path / "balance.json").read_text(encoding="utf-8"))
    assert "ships-are-numbered" in found["used"]["events"]  # before the first turn
    assert not set(found["used"]["events"]) & set(found["never"]["events"])
    assert not {"decisions", "tracks"} & found["never"].keys()  # no journal tells each of them


def test_a_share_is_none_or_all_only_if_it_is() -> None:
    assert [percent(p) for p in (0, 1 / 200, 0.995, 1, 0.225, 1e-5, 1 - 1e-5)] == [
        "0%", "0.5%", "99.5%", "100%", "22%", "under 0.1%", "over 99.9%",
    ]  # fmt: skip


def test_a_table_says_whom_it_leaves_out() -> None:
    pytest.importorskip("matplotlib")
    many = {n: game(game=n, winners=[f"n{n}"]) for n in range(1, 15)}
    (wins, leads, *_), _ = (part.blocks for part in balance_parts(RULES, balance(RULES, many), many, "")[:2])
    assert "the 12 first of 14" in wins.caption and len(leads.rows) == 12
    one = balance_parts(RULES, balance(RULES, {1: game()}), {1: game()}, "")
    assert not any("first of" in getattr(block, "caption", "") for part in one for block in part.blocks)


def test_tables_are_of_a_turn_that_half_of_the_games_see() -> None:
    pytest.importorskip("matplotlib")
    turn = game()["course"][0]
    lengths = {1: 2, 2: 2, 3: 5}
    games = {
        n: game(game=n, course=[{**turn, "turn": t, "front": t} for t in range(1, last + 1)])
        for n, last in lengths.items()
    }
    course = next(
        part
        for part in balance_parts(RULES, balance(RULES, games), games, "")
        if part.title == "The course of the games"
    )
    said, _, front_, *_ = course.blocks
    assert said.text.endswith(
        "3 at first, 1 in turn 5. The tables are of turn 2, to which half of them came."
    )
    assert front_.head[0] == "The front, turn 2" and front_.rows[0][1].startswith("2.00")


def test_reasons_are_told_without_what_differs() -> None:
    rules = small.ruleset(places=[{"id": "rome", "name": "Rome"}, {"id": "rome-port", "name": "Rome (port)"}])
    assert Unnamed(rules)("Rome holds 3, Romeo 1/2") == "… holds …, Romeo …"


# ---- words, and figures known well enough


def test_differences_in_words() -> None:
    figures = {
        "lead points red": {"mean": 1.3, "error": 0.4}, "battles": {"mean": 0.1, "error": 0.4}, "lost": {"mean": 0.0, "error": 0.0},
        "events rain": {"mean": 2.0, "error": 0.0},
    }  # fmt: skip
    assert surest(RULES, "wheels at 10 instead of 12", figures) == [
        "wheels at 10 instead of 12: event: It rains +2.00 ± 0.00",
        "wheels at 10 instead of 12: lead of Red by Points +1.30 ± 0.40",
    ]
    assert RowNames(RULES).figure("orders actions/dig") == "orders: dig"


@pytest.mark.parametrize(
    ("figure", "fault"),
    [("battles", None), ("lead points red", None), ("wins east", None), ("events rain", None), ("orders actions/dig", None), ("captures", None), ("fronts", None), ("battles land", None), ("battles lend", "perhaps land"),
     ("lead point red", "no criterion 'point'"), ("wins rad", "perhaps red"), ("nonsense", "no figure 'nonsense'"), ("events rian", "perhaps rain")],
)  # fmt: skip
def test_a_figure_that_is_none_is_refused(figure: str, fault: str | None) -> None:
    found = summary.figure_fault(RULES, figure)
    assert found == fault or (fault is not None and found is not None and fault in found)


def test_an_error_is_that_of_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "LEAST", 3)
    held = {(n, "as given"): game(battles=b) for n, b in enumerate((1, 3, 2, 2, 2, 9), 1)}
    goal = summary.PrecisionGoal("battles", 0.45)
    assert [goal.reached(held, n, ["as given"]) for n in range(1, 6)] == [False, False, False, True, True]
    assert goal.error(held, 4, ["as given"]) == pytest.approx(math.sqrt(2 / 3 / 4))
    held |= {(n, "other"): game(battles=b) for n, b in enumerate((2, 4, 3), 1)}
    assert summary.PrecisionGoal("battles", 0.1).error(held, 3, ["as given", "other"]) == 0  # always one more
    assert summary.PrecisionGoal("wins red", 0.1).error(held, 3, ["as given"]) == pytest.approx(
        math.sqrt(3.5 / 4 * 0.5 / 4 / 3)
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_sweep_stops_when_a_figure_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setattr(summary, "LEAST", 3)
    call = [
        "simulate",
        "diplomacy",
        "--turns",
        "1",
        "--out",
        str(tmp_path),
        "--seed",
        SEED,
        "--workers",
        workers,
        "--format",
        "json",
    ]
    assert _run([*call, "--games", "12", "--until-error", "orders=3"]) == 0
    found = json.loads(capsys.readouterr().out)
    n = found["until"]["games"]
    assert 3 <= n < 12 and found["candidates"]["as given"]["games"] == n and found["until"]["error"] <= 3
    assert len((tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()) >= n
    kept = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert kept == found and n == 3  # whatever the workers
    assert _run([*call, "--games", "3", "--until-error", "orders"]) == 2
    assert _run([*call, "--games", "3", "--until-error", "order=1"]) == 2
    assert "FIGURE=E" in capsys.readouterr().err


# ---- the page


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sweep") / "runs"
    arguments = [
        "--games",
        "3",
        "--turns",
        "2",
        "--seed",
        SEED,
        "--workers",
        "1",
        "--with",
        "alliances-4",
        "--out",
        str(out),
    ]
    assert _run(["simulate", "diplomacy", *arguments]) == 0
    return out


def test_every_figure_leads_to_its_games(sweep: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert _run(["balance", str(sweep)]) == 0
    assert "3 games: not ended 100%" in capsys.readouterr().out
    page = (sweep / "balance.html").read_text(encoding="utf-8")
    anchors, links = set(re.findall(r'id="(g\d+)"', page)), set(re.findall(r'href="#(g\d+)"', page))
    assert anchors == {"g1", "g2", "g3"} and links <= anchors and links
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) and all(
        r in ids for r in re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', page)
    )
    assert (
        page.count("<svg") > 3
        and "currentColor" in page
        and "<style type" not in page
        and "http" not in re.sub(r"http://www.w3.org\S*", "", page)
    )
    assert "Differences" in page and "alliances-4 instead of diplomacy" in page.lower()
    data = json.loads((sweep / "balance.json").read_text(encoding="utf-8"))
    assert data["seeds"].keys() == {"1", "2", "3"} and data["again"] == "wteaw play diplomacy --turns 2"
    assert data["used"]["orders"]["actions/move"]["from"] == [1, 2, 3] and data["never"]["actions"]


@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here")
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_no_wider_than_the_window(sweep: Path, width: int) -> None:
    pytest.importorskip("matplotlib")
    sync = pytest.importorskip("playwright.sync_api")
    assert _run(["balance", str(sweep)]) == 0
    with sync.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto((sweep / "balance.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        browser.close()
    assert wide[0] <= wide[1]


def test_the_other_of_two_and_wrong_calls(
    sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert (
        _run(["balance", str(sweep), "--of", "alliances-4", "--out", str(tmp_path), "--format", "json"]) == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert (
        data["again"] == "wteaw play alliances-4 --turns 2" and "actions/lay-token" in data["used"]["orders"]
    )
    assert data == json.loads((tmp_path / "balance.json").read_text(encoding="utf-8"))
    assert _run(["balance", str(sweep), "--of", "nothing"]) == 2
    assert _run(["balance", str(tmp_path / "nowhere")]) == 2
    assert "holds no sweep" in capsys.readouterr().err


def test_charts_that_cannot_be_drawn_are_told(
    sweep: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert _run(["balance", str(sweep)]) == 4
    assert "pip install 'wteaw[simulate]'" in capsys.readouterr().err


def test_a_chart_is_the_same_every_time() -> None:
    pytest.importorskip("matplotlib")
    line = plots.PlotLine("Red & <Blue>", [1.0, None, 3.0], [0.5, None, 2.0], [2.0, None, 4.0])
    assert plots.lines("A & B", [line, line]) == plots.lines("A & B", [line, line])
    assert "A &amp; B" in plots.lines("A & B", [line]) and "<Blue>" not in plots.lines("A & B", [line, line])


def test_a_legend_is_no_wider_than_its_chart() -> None:
    pytest.importorskip("matplotlib")
    for names in (
        ["length: borders between enemies", "places in which it stands", "places taken"],
        ["Red", "Blue", "Gray", "Green"],
    ):
        drawn = plots.lines("A", [plots.PlotLine(name, [1.0, 2.0]) for name in names])
        width = float(re.search(r'viewBox="0 0 ([\d.]+)', drawn)[1])  # type: ignore[index]
        at = {name: float(re.search(rf'x="([\d.-]+)"[^>]*>{name}<', drawn)[1]) for name in names}  # type: ignore[index]
        assert all(20 < at[name] < width - 4.5 * len(name) for name in names), at


def test_whole_numbers_have_no_halves_on_their_axis() -> None:
    pytest.importorskip("matplotlib")
    whole, parts = (
        plots.lines("A", [plots.PlotLine("Red", values)]) for values in ([0.0, 2.0, 2.0], [0.0, 0.5, 2.0])
    )
    assert not re.search(r">\d+\.\d+<", whole) and re.search(r">\d+\.5\d*<", parts)


def test_a_line_looks_the_same_in_all_charts_of_a_page() -> None:
    pytest.importorskip("matplotlib")
    known: dict[str, int] = {}

    def numbers(*names: str) -> list[int]:
        drawn = plots.lines("A", [plots.PlotLine(name, [1.0, 2.0]) for name in names], known=known)
        found = [drawn.count(f"var(--s{number})") for number in range(plots.COLORS)]
        return [number for number, often in enumerate(found) if often]

    assert numbers("red", "blue") == [0, 1] and numbers("blue") == [1] and numbers("gray", "red") == [0, 2]
    assert numbers(*"abcdefgh") == list(range(8))  # of more names than colors no two of one chart are alike
    assert len(numbers("red", "blue", "d", "e", "f")) == 5


def test_rules_of_a_sweep_are_kept_with_it(sweep: Path) -> None:
    from wteaw_lab.stored_sweep import played

    found = played(sweep)
    assert (
        isinstance(found.rules("as given"), Ruleset)
        and found.rules("as given").hash == found.about["as given"]["ruleset"]
    )
    assert set(found.games("alliances-4")) == {1, 2, 3}
