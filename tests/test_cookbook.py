"""The recipes of the cookbook, each laid over the game of `wteaw init` as its reader would do: it validates, its tests pass, it plays."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .warm import Shell

DOCS = Path(__file__).resolve().parent.parent / "docs"
COOKBOOK = DOCS / "cookbook"
RECIPES = sorted(p.name for p in COOKBOOK.iterdir() if p.is_dir())
SETTINGS = "absent-players"
"""The recipe whose manifest says more than its name."""
START = "id: {0}\ntitle: {0}\nruleset: {0}\nextends: mine/scenarios/start.yaml\n"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    shell = Shell(tmp_path_factory.mktemp("cookbook") / "bin")
    yield shell
    shell.close()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_validates_tests_and_plays(name: str, shell: Shell, tmp_path: Path) -> None:
    def run(line: str) -> str:
        result = shell.run(line, tmp_path)
        assert result.returncode == 0, f"{line}\n{result.stdout}"
        return str(result.stdout)

    run("wteaw init mine")
    layer = (COOKBOOK / name / "ruleset.yaml").is_file()
    folder = name if layer else "mine"
    shutil.copytree(COOKBOOK / name, tmp_path / folder, dirs_exist_ok=True)
    start = f"{folder}.yaml" if layer else "mine/scenarios/start.yaml"
    if layer:
        (tmp_path / start).write_text(START.format(name), encoding="utf-8")
    said = run(f"wteaw validate --strict {folder} {start}")
    assert "no errors, no warnings" in said
    cases = sum(
        path.read_text(encoding="utf-8").count("\n  - id: ")
        for path in (COOKBOOK / name / "tests").glob("*.yaml")
    )
    said = run(f"wteaw test {folder}")
    assert cases >= 1 and int(re.findall(r"(\d+) passed", said)[-1]) >= cases
    said = run(f"wteaw play {start} --turns 1 --out out --seed 00112233445566778899aabbccddeeff")
    assert (tmp_path / "out" / "map.svg").is_file()


def test_cards_are_bid_and_played_by_hand(shell: Shell, tmp_path: Path) -> None:
    """Two players write orders for hidden hands: each sees only its own, both bids are opened at once, and the
    audit of that game and of one that bots play finds no card lost.
    """

    def run(line: str, code: int = 0) -> str:
        result = shell.run(line, tmp_path)
        assert result.returncode == code, f"{line}\n{result.stdout}"
        return str(result.stdout)

    run("wteaw init mine")
    name = "ops-or-event"
    shutil.copytree(COOKBOOK / name, tmp_path / name)
    (tmp_path / "start.yaml").write_text(START.format(name), encoding="utf-8")
    run("wteaw new start.yaml --game g --player auria --player borea --seed 42")
    assert "# bid ?   # Envoy, Patrol\n" in run("wteaw orders template --game g --nation auria")
    sheet = run("wteaw report --game g --nation borea")
    assert "Your hand: Envoy and Harvest (2)" in sheet and "Auria, hand: 3 cards" in sheet
    assert "Patrol" not in sheet

    def submit(nation: str, *lines: str, code: int = 0) -> str:
        text = "\n".join((f"game g nation {nation} turn 1", *lines, ""))
        (tmp_path / "orders.txt").write_text(text, encoding="utf-8")
        return run(f"wteaw orders submit --game g --nation {nation} orders.txt", code)

    assert "Crusade cannot be chosen here" in submit("borea", "bid crusade", code=1)
    submit("borea", "bid harvest", "play envoy for points")
    submit("auria", "bid envoy", "play patrol for points")
    run("wteaw resolve --game g")
    bids = {
        "auria": ("You have bid 3; win the bid;", "Borea has bid 2."),
        "borea": ("Auria has bid 3; wins the bid;", "You have bid 2"),
    }
    for nation, told in bids.items():
        read = run(f"wteaw report --game g --nation {nation}")
        assert all(line in read for line in told), read
    gold = run('wteaw explain "auria gold" --game g --nation auria')
    assert "10 -> 13" in gold and "13 -> 14" in gold
    assert "rows: Does all hold" in run("wteaw audit g")
    run("wteaw play start.yaml --turns 4 --out out --seed 7")
    run("wteaw audit out/game")


def test_the_page_shows_every_file_of_every_recipe() -> None:
    page = (DOCS / "cookbook.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"```\{literalinclude\} cookbook/(\S+)", page))
    there = {p.relative_to(COOKBOOK).as_posix() for p in COOKBOOK.rglob("*.yaml")}
    manifests = {name for name in there if name.endswith("/ruleset.yaml")}
    assert shown == there - manifests | {"technology/ruleset.yaml", f"{SETTINGS}/ruleset.yaml"}
    assert len(RECIPES) == len(re.findall("^## ", page, re.MULTILINE)) == 22
    for name in manifests - {f"{SETTINGS}/ruleset.yaml"}:
        assert re.fullmatch(
            r"id: (\S+)\ntitle: .+\nextends: \.\./mine\n", (COOKBOOK / name).read_text(encoding="utf-8")
        ), name
