"""`wteaw simulate`: many games played by bots, over several processes, and what they come to."""

from __future__ import annotations

import json
import math
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wteaw.cli import ExitCode, Stop
from wteaw.cli.game import bots_given, find_scenario, options_given, read_scenario, seed_given
from wteaw.cli.terminal import Working, warn
from wteaw.core.package_data import scenarios

if TYPE_CHECKING:
    from wteaw.core.model import Ruleset

    from ..single_game import Figures
    from ..summary import PrecisionGoal
    from ..sweep import SweepCandidate
    from ..workers import Crew, Key

__all__ = ["begun", "candidate_of", "checked", "play_missing", "simulate"]


def simulate(
    scenario: str = typer.Argument(..., help="A scenario file, or the name of a shipped one."),
    games: int = typer.Option(..., min=1, help="How many games of each setting."),
    out: Path = typer.Option(
        ..., help="The folder for the results; a second start goes on with those that it holds."
    ),
    turns: int = typer.Option(0, min=0, help="Stop each game after so many turns; 0 plays to the end."),
    seed: str = typer.Option(
        "", help="Any text from which the seed of every game is made; otherwise it is drawn and kept."
    ),
    workers: int = typer.Option(
        0, min=0, help="Processes; 0 is one for each processor. The results do not depend on it."
    ),
    cluster: str = typer.Option(
        "", help="Play on the workers of a Dask scheduler at this address instead, as tcp://HOST:PORT."
    ),
    until_error: str = typer.Option(
        "",
        help="FIGURE=E: stop as soon as this figure (or its difference, with --with) is known to a standard "
        "error of E.",
    ),
    with_: list[str] = typer.Option(
        [],
        "--with",
        help="Compare on the same seeds: a scenario, another ruleset for this one, or options "
        "(NAME=VALUE,...).",
    ),
    option: list[str] = typer.Option(
        [], help="An option of the rules and its value, as NAME=VALUE, in every setting."
    ),
    bot: list[str] = typer.Option(
        [], help="Who is played by which bot in every setting, as WHO=BOT: a nation, a side or everyone."
    ),
    force: bool = typer.Option(
        False, "--force", help="Start over, where the folder holds results of other settings."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Play a scenario many times with bots, and count what happens.

    Leaves in the folder: `games.jsonl`, one line a game with its seed (`wteaw play SCENARIO --seed` plays it
    again), and
    `summary.json`: who wins how often, means with standard errors, what never happened; with --with the
    differences, too.

    Example: wteaw simulate diplomacy --games 100 --turns 20 --out runs
    """
    from .. import summary as summed
    from ..stored_sweep import finish, keep_rules

    given = seed_given(seed)
    candidates = _candidates(scenario, option, with_, bot)
    read = {candidate.name: checked(candidate) for candidate in candidates}
    rulesets = {name: rules for name, (_, rules) in read.items()}
    goal = _goal(until_error, rulesets["as given"])
    about = {c.name: _about(c, *read[c.name], turns) for c in candidates}
    for name in list(about)[1:]:
        about[name]["instead"] = _instead(
            candidates[0], next(c for c in candidates if c.name == name), rulesets
        )
    those = [(candidate, *read[candidate.name]) for candidate in candidates]
    with begun(out, those, given, turns, workers, cluster, force=force) as (drawn, crew, held):
        keep_rules(out, about, rulesets)
        counted = play_missing(out, candidates, crew, held, games=games, turns=turns, seed=drawn, goal=goal)
        wanted = {key: figures for key, figures in held.items() if key[0] <= counted}
        result = {"seed": drawn, "turns": turns, **summed.summary(rulesets, wanted)}
        if goal is not None:
            error = goal.error(wanted, counted, list(rulesets))
            result["until"] = {
                "figure": goal.figure,
                "wanted": goal.wanted,
                "error": error,
                "games": counted,
            }
        finish(out, result)
    instead = {name: of["instead"] for name, of in about.items()}
    print(
        json.dumps(result, ensure_ascii=False)
        if format == "json"
        else "\n".join(summed.as_text(result, rulesets["as given"], instead))
    )
    if any(candidate["errors"] for candidate in result["candidates"].values()):
        raise typer.Exit(ExitCode.FOUND)


def _candidates(scenario: str, option: list[str], with_: list[str], bot: list[str]) -> list[SweepCandidate]:
    """The scenario as given and each other setting that --with names, all with the same bots."""
    out = [
        candidate_of("as given", scenario, option),
        *(_other(said, scenario, option) for said in with_),
    ]
    out = [replace(candidate, policies=bots_given(bot)) for candidate in out]
    if len({candidate.name for candidate in out}) < len(out):
        raise Stop("--with names the same thing twice", ExitCode.CALL)
    return out


def _goal(said: str, ruleset: Any) -> PrecisionGoal | None:
    """What `--until-error` asks for."""
    from ..summary import PrecisionGoal, figure_fault

    figure, equals, error = said.rpartition("=")
    if not said:
        return None
    try:
        wanted = float(error)
    except ValueError:
        wanted = 0.0
    if not equals or not 0 < wanted < math.inf:
        raise Stop(
            f"--until-error is FIGURE=E with an error above 0, such as battles=0.5, not {said!r}",
            ExitCode.CALL,
        )
    if fault := figure_fault(ruleset, figure.strip()):
        raise Stop(f"--until-error: {fault}", ExitCode.CALL)
    return PrecisionGoal(figure.strip(), wanted)


def _about(candidate: SweepCandidate, data: dict[str, Any], ruleset: Any, turns: int) -> dict[str, str]:
    """What a page on a sweep says of a candidate."""
    shipped = scenarios() / f"{candidate.scenario.stem}.yaml"
    named = (
        candidate.scenario.stem
        if shipped.is_file() and shipped.resolve() == candidate.scenario
        else str(candidate.scenario)
    )
    options = "".join(f" --option {name}={str(value).lower()}" for name, value in candidate.options.items())
    rules = f" --ruleset {candidate.ruleset}" if candidate.ruleset else ""
    players = "".join(f" --bot {who}={policy}" for who, policy in candidate.policies.items())
    again = f"wteaw play {named}{rules}{options}{players}{f' --turns {turns}' if turns else ''}"
    chosen = ", ".join(f"{name} {str(value).lower()}" for name, value in candidate.options.items())
    played = ", ".join(f"{who} by {policy}" for who, policy in candidate.policies.items())
    parts = [ruleset.title]
    if chosen:
        parts.append(f"options: {chosen}")
    if played:
        parts.append(f"played: {played}")
    said = f"The rules: {'; '.join(parts)}."
    return {
        "title": str(data.get("title", data["id"])),
        "ruleset": ruleset.hash,
        "again": again,
        "rules": said,
        "instead": "",
    }


def _instead(first: SweepCandidate, other: SweepCandidate, rulesets: Mapping[str, Any]) -> str:
    """What another candidate is, and instead of what: "a rate at 10 instead of 12"."""
    rules, before = rulesets[other.name], rulesets[first.name]
    said = []
    if other.scenario != first.scenario:
        said.append(f"{other.scenario.stem} instead of {first.scenario.stem}")
    elif rules.hash != before.hash:
        same = rules.title == before.title
        said.append(
            f"{other.name if same else rules.title} instead of "
            f"{'the rules as given' if same else before.title}"
        )
    for name, value in other.options.items():
        row = rules.row_or_empty("options", name)
        was = first.options.get(name, row.get("default"))
        if value != was:
            said.append(f"{row.get('name', name)} at {str(value).lower()} instead of {str(was).lower()}")
    return ", ".join(said) or other.name


def candidate_of(name: str, scenario: str, option: list[str], ruleset: Path | None = None) -> SweepCandidate:
    from ..sweep import SweepCandidate

    return SweepCandidate(
        name, find_scenario(scenario).resolve(), ruleset and ruleset.resolve(), dict(options_given(option))
    )


def _other(said: str, scenario: str, option: list[str]) -> SweepCandidate:
    """What `--with` names: options, a scenario, or a ruleset's folder or id, in this order."""
    from wteaw.play.scenario_files import named_ruleset

    if "=" in said and not Path(said).exists():
        return candidate_of(said, scenario, [*option, *said.split(",")])
    if Path(said).is_file() or (scenarios() / f"{said}.yaml").is_file():
        return candidate_of(said, said, option)
    folder, shipped = named_ruleset(said, Path.cwd())
    if folder is None and (Path(said) / "ruleset.yaml").is_file():
        folder = Path(said)
    if folder is None:
        known = sorted({*shipped, *(p.stem for p in scenarios().glob("*.yaml"))})
        raise Stop(
            f"--with {said}: no scenario, no ruleset and no options (NAME=VALUE); shipped: "
            f"{', '.join(known)}",
            ExitCode.CALL,
        )
    return candidate_of(said, scenario, option, folder)


def checked(candidate: SweepCandidate) -> tuple[dict[str, Any], Any]:
    """A candidate's scenario and ruleset, with its options as the ruleset has them; Stop or StoreError with
    what is wrong.
    """
    from wteaw.play.begin import option_value, players_of
    from wteaw.play.scenario import initial_state

    data, ruleset, _ = read_scenario(str(candidate.scenario), candidate.ruleset)
    try:
        for name, value in candidate.options.items():
            candidate.options[name] = option_value(ruleset, name, value)
    except ValueError as error:
        raise Stop(
            str(error) if candidate.name == "as given" else f"{candidate.name}: {error}", ExitCode.CALL
        ) from None
    for who, policy in candidate.policies.items():
        players_of(ruleset, initial_state(ruleset, data), who, policy)
    return data, ruleset


@contextmanager
def begun(
    out: Path,
    candidates: Sequence[tuple[SweepCandidate, Mapping[str, Any], Ruleset]],
    seed: bytes | None,
    turns: int,
    workers: int,
    cluster: str,
    *,
    force: bool,
) -> Iterator[tuple[str, Crew, dict[Key, Figures]]]:
    """The seed of a sweep, who plays it, and the games that its folder holds, which it has to itself.

    A cluster is looked for before anything is written. `candidates`: each with its scenario and ruleset.
    """
    from wteaw.report.wording import counted
    from wteaw.ruleset.cache import player_digest

    from ..single_game import FORMAT
    from ..sweep import GAMES, PLAYING, alone, fingerprint, prepare
    from ..workers import Cluster, Processes, Rules

    if cluster and workers:
        raise Stop("--workers are of this machine, --cluster has its own: give one of them", ExitCode.CALL)
    drawn = seed.hex() if seed is not None else _kept_seed(out, force)
    settings = {
        "format": FORMAT, "engine": player_digest(), "seed": drawn, "turns": turns,
        "candidates": [fingerprint(*of) for of in candidates],
    }  # fmt: skip
    sent = {candidate.name: Rules.of(data, ruleset) for candidate, data, ruleset in candidates}
    crew: Crew | None = Cluster(sent, cluster) if cluster else None
    with alone(out):
        held, broken = prepare(out, settings, force=force)
        if broken:
            warn(
                f"{out / GAMES}: {counted(broken, 'line')} cannot be read any more; what is missing is "
                "played again"
            )
        try:
            yield drawn, crew or Processes(sent, workers or os.cpu_count() or 1, out / PLAYING), held
        except KeyboardInterrupt:
            warn(f"stopped; {counted(len(held), 'game')} kept in {out}: the same line goes on with them")
            raise


def _kept_seed(out: Path, force: bool) -> str:
    """The seed of a sweep that stands in the folder, which goes on; else a new one."""
    from ..sweep import SETTINGS

    try:
        kept = "" if force else json.loads((out / SETTINGS).read_text(encoding="utf-8")).get("seed", "")
    except (OSError, ValueError, AttributeError):
        kept = ""
    return str(kept) or secrets.token_hex(16)


def play_missing(
    out: Path,
    candidates: Sequence[SweepCandidate],
    crew: Crew,
    held: dict[Key, Figures],
    *,
    games: int,
    turns: int,
    seed: str,
    goal: PrecisionGoal | None = None,
) -> int:
    """Play the games that a folder lacks, and tell how it goes; how many of each count, fewer once `goal` is
    reached.
    """
    from ..sweep import sweep

    names = [candidate.name for candidate in candidates]
    missing = sum((n, name) not in held for n in range(1, games + 1) for name in names)
    with Working("games", missing) as working:
        return sweep(
            out,
            candidates,
            crew,
            held,
            games=games,
            turns=turns,
            seed=seed,
            told=_told(working, crew, len(held), goal),
            enough=lambda found, n: goal is not None and goal.reached(found, n, names),
        )


def _told(
    working: Working, crew: Crew, held: int, goal: PrecisionGoal | None
) -> Callable[[Mapping[Any, Any], int], None]:
    """Tells how many games are played, how fast, how well a figure is known, and what is waited for.

    `held`: the games that were there already.
    """
    began, missed = time.monotonic(), ""

    def tell(found: Mapping[Any, Any], under_way: int) -> None:
        nonlocal missed
        missing = crew.waits_for() if under_way else ""
        if missing and missing != missed:
            warn(missing)
        missed = missing
        done = len(found) - held
        rate = f"games, {60 * done / max(time.monotonic() - began, 0.001):.1f} a minute"
        known = (
            f", {goal.figure} ± {goal.last:.3g} of {goal.wanted:g}"
            if goal is not None and goal.last is not None
            else ""
        )
        working.at(done, what=rate + known)

    return tell
