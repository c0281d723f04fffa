"""`wteaw simulate`: many games by built-in policies, over several processes, and what they come to."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..core.package_data import scenarios
from . import Code, Stop, formats
from .game import find_scenario, options_given, read_scenario, seed_given
from .terminal import Working

if TYPE_CHECKING:
    from ..game.many.sweep import Candidate

__all__ = ["simulate"]


def simulate(
    scenario: str = typer.Argument(..., help="A scenario file, or the name of a shipped one."),
    games: int = typer.Option(..., min=1, help="How many games of each setting."),
    out: Path = typer.Option(..., help="The folder for the results; a second start goes on with those that it holds."),
    turns: int = typer.Option(0, min=0, help="Stop each game after so many turns; 0 plays to the end."),
    seed: str = typer.Option("", help="Hex text from which the seed of every game is made; otherwise it is drawn and kept."),
    workers: int = typer.Option(0, min=0, help="Processes; 0 is one for each processor. The results do not hang on it."),
    with_: list[str] = typer.Option(
        [],
        "--with",
        help="Compare on the same seeds: a scenario, another ruleset for this one, or options (NAME=VALUE,...).",
    ),
    option: list[str] = typer.Option([], help="An option of the rules and its value, as NAME=VALUE, in every setting."),
    force: bool = typer.Option(False, "--force", help="Begin anew, where the folder holds results of other settings."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Play a scenario many times, commanded by policies, and count what happens.

    Leaves in the folder: `games.jsonl`, one line a game with its seed (`wteaw play SCENARIO --seed` plays it again), and
    `summary.json`: who wins how often, means with standard errors, what never happened; with --with the differences, too.

    Example: wteaw simulate diplomacy --games 100 --turns 20 --out runs
    """
    from ..game.many import summary as summed
    from ..game.many.sweep import fingerprint, prepare, sweep

    formats(format, "text", "json")
    given = seed_given(seed)
    candidates = [_candidate("as given", scenario, option), *(_other(said, scenario, option) for said in with_)]
    if len({candidate.name for candidate in candidates}) < len(candidates):
        raise Stop("--with names the same thing twice", Code.CALL)
    read = {candidate.name: _checked(candidate) for candidate in candidates}
    drawn = given.hex() if given is not None else _kept_seed(out, force)
    settings = {
        "seed": drawn, "turns": turns, "candidates": [fingerprint(candidate, *read[candidate.name]) for candidate in candidates],
    }  # fmt: skip
    held = prepare(out, settings, force=force)
    with Working("games", games * len(candidates)) as working:
        found = sweep(
            out, candidates, {name: rules.hash for name, (_, rules) in read.items()}, held, games=games, turns=turns, seed=drawn,
            workers=workers or os.cpu_count() or 1, told=working.at,
        )  # fmt: skip
    wanted = {key: figures for key, figures in found.items() if key[0] <= games}
    result = {"seed": drawn, "turns": turns, **summed.summary({name: rules for name, (_, rules) in read.items()}, wanted)}
    text = json.dumps(result, ensure_ascii=False, indent=1)
    (out / "summary.json").write_text(text + "\n", encoding="utf-8")
    print(json.dumps(result, ensure_ascii=False) if format == "json" else "\n".join(summed.as_text(result)))
    if any(candidate["errors"] for candidate in result["candidates"].values()):
        raise typer.Exit(Code.FOUND)


def _candidate(name: str, scenario: str, option: list[str], ruleset: Path | None = None) -> Candidate:
    from ..game.many.sweep import Candidate

    return Candidate(name, find_scenario(scenario).resolve(), ruleset and ruleset.resolve(), dict(options_given(option)))


def _other(said: str, scenario: str, option: list[str]) -> Candidate:
    """What `--with` names: options, a scenario, or a ruleset's folder or id, in this order."""
    from ..game.scenario_files import named_ruleset

    if "=" in said and not Path(said).exists():
        return _candidate(said, scenario, [*option, *said.split(",")])
    if Path(said).is_file() or (scenarios() / f"{said}.yaml").is_file():
        return _candidate(said, said, option)
    folder, shipped = named_ruleset(said, Path.cwd())
    if folder is None and (Path(said) / "ruleset.yaml").is_file():
        folder = Path(said)
    if folder is None:
        known = sorted({*shipped, *(p.stem for p in scenarios().glob("*.yaml"))})
        raise Stop(f"--with {said}: no scenario, no ruleset and no options (NAME=VALUE); shipped: {', '.join(known)}", Code.CALL)
    return _candidate(said, scenario, option, folder)


def _checked(candidate: Candidate) -> tuple[dict[str, Any], Any]:
    """An candidate's scenario and ruleset, with its options as the ruleset has them; Stop with what is wrong."""
    from ..game.moderation import option_value

    data, ruleset, _ = read_scenario(str(candidate.scenario), candidate.ruleset)
    try:
        for name, value in candidate.options.items():
            candidate.options[name] = option_value(ruleset, name, value)
    except ValueError as error:
        raise Stop(str(error) if candidate.name == "as given" else f"{candidate.name}: {error}", Code.CALL) from None
    return data, ruleset


def _kept_seed(out: Path, force: bool) -> str:
    """The seed of a sweep that stands in the folder, which goes on; else a new one."""
    from ..game.many.sweep import SETTINGS

    try:
        kept = "" if force else json.loads((out / SETTINGS).read_text(encoding="utf-8")).get("seed", "")
    except (OSError, ValueError, AttributeError):
        kept = ""
    return str(kept) or secrets.token_hex(16)
