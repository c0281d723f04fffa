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
        path.read_text(encoding="utf-8").count("\n- id: ")
        for path in (COOKBOOK / name / "tests").glob("*.yaml")
    )
    said = run(f"wteaw test {folder}")
    assert cases >= 1 and int(re.findall(r"(\d+) passed", said)[-1]) >= cases
    said = run(f"wteaw play {start} --turns 1 --out out --seed 00112233445566778899aabbccddeeff")
    assert (tmp_path / "out" / "map.svg").is_file()


def test_the_page_shows_every_file_of_every_recipe() -> None:
    page = (DOCS / "cookbook.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"```\{literalinclude\} cookbook/(\S+)", page))
    there = {p.relative_to(COOKBOOK).as_posix() for p in COOKBOOK.rglob("*.yaml")}
    manifests = {name for name in there if name.endswith("/ruleset.yaml")}
    assert shown == there - manifests | {"technology/ruleset.yaml"}
    assert len(RECIPES) == len(re.findall("^## ", page, re.MULTILINE)) == 15
    for name in manifests:
        assert re.fullmatch(
            r"id: (\S+)\ntitle: .+\nextends: \.\./mine\n", (COOKBOOK / name).read_text(encoding="utf-8")
        ), name
