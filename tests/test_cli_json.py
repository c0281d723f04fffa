"""Every command says what it says as JSON, too; a format that is none is refused before anything is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from wteaw.cli import COMMANDS, main
from wteaw.core.package_data import rulesets, scenarios

SERVERS = {"serve", "lsp"}
"""They answer others for as long as they run, and say nothing themselves."""

GAME = "--game {game}"
READS = {
    "validate": "{rules} {scenario}",
    "doctor": "server",
    "test": "{rules}/tests/datc-6a.yaml -k 6.a.1",
    "coverage": "{rules}",
    "show": "units/army --ruleset {rules}",
    "diff": "{rules} {rules}",
    "rulebook": "{rules}",
    "orders template": f"{GAME} --nation france",
    "orders check": f"{GAME} {{orders}}",
    "orders reference": "{rules}",
    "orders show": f"{GAME} --nation france",
    "verify": GAME,
    "report": GAME,
    "map": f"{GAME} --out {{map}}",
    "scenarios": "",
    "games": "{game}",
    "decide": GAME,
    "status": GAME,
    "explain": f"france {GAME}",
    "luck": "{game}",
    "audit": "{game}",
    "statistics": "{game}",
    "rollback": GAME,
    "players list": GAME,
    "dice commit": GAME,
    "dice reveal": f"{GAME} --turn 1",
    "upgrade": f"{GAME} --ruleset {{rules}}",
}
"""Commands that only look, with what they are given here."""


def commands() -> Iterator[tuple[str, typer.core.TyperCommand]]:
    """Every command and subcommand, as the table of commands has it."""
    for row in (c for c in COMMANDS if c.exists):
        found = typer.main.get_command(row.app())
        inner = getattr(found, "commands", None)
        yield from (
            ((f"{row.name} {name}", command) for name, command in inner.items())
            if inner
            else [(row.name, found)]
        )  # type: ignore[misc]


@pytest.mark.parametrize("name", sorted(name for name, _ in commands() if name not in SERVERS))
def test_every_command_has_the_option(name: str) -> None:
    command = dict(commands())[name]
    assert "--format" in [option for parameter in command.params for option in parameter.opts], (
        f"{name} gives no JSON"
    )


def test_every_command_is_there_to_be_walked() -> None:
    names = {name for name, _ in commands()}
    assert READS.keys() | SERVERS <= names and len(names) > 30


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A game of which a turn is resolved, and whatever else the commands are given."""
    folder = tmp_path_factory.mktemp("json")
    game, orders = folder / "game", folder / "orders.txt"
    orders.write_text("nation france\nA Par H\n", encoding="utf-8")
    for line in (f"new diplomacy --game {game} --player france", f"resolve --game {game} --force"):
        with pytest.raises(SystemExit) as left:
            main(line.split())
        assert left.value.code in (0, None)
    rules = rulesets() / "variants" / "diplomacy"
    return {
        "game": game,
        "orders": orders,
        "rules": rules,
        "scenario": scenarios() / "diplomacy.yaml",
        "map": folder / "map.svg",
    }


@pytest.mark.parametrize("name", sorted(READS))
def test_what_a_command_shows_is_json(
    name: str, given: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*name.split(), *READS[name].format(**given).split()]
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--format", "json"])
    said = capsys.readouterr()
    assert left.value.code in (0, None), said.err
    assert json.loads(said.out) is not None
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--format", "yaml"])
    assert left.value.code == 2 and "yaml" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["status", "orders show", "dice commit", "map", "scenarios", "doctor"])
def test_json_is_short_for_the_format(
    name: str, given: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*name.split(), *READS[name].format(**given).split()]
    said = []
    for option in (["--json"], ["--format", "json"]):
        with pytest.raises(SystemExit) as left:
            main([*arguments, *option])
        assert left.value.code in (0, None)
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    with pytest.raises(SystemExit):
        main([*name.split(), "--help"])
    assert "--json" in capsys.readouterr().out
