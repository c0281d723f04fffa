"""`wteaw tournament`: which of several bots beats which."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wteaw.cli import ExitCode, Stop
from wteaw.cli.game import options_given, seed_given

from .simulate import begun, candidate_of, checked, play_missing

if TYPE_CHECKING:
    from wteaw.core.model import Ruleset

__all__ = ["tournament"]


def tournament(
    scenario: str = typer.Argument(..., help="A scenario file, or the name of a shipped one."),
    bot: list[str] = typer.Option(
        [], "--bot", help="A bot: a set or a row of the ruleset's, given, or idle; twice or more."
    ),
    games: int = typer.Option(
        10, min=1, help="How many seeds; each pair plays each of them twice, with nations exchanged."
    ),
    out: Path = typer.Option(
        ..., help="The folder for the results; a second start goes on with those that it holds."
    ),
    turns: int = typer.Option(0, min=0, help="Stop each game after so many turns; 0 plays to the end."),
    criterion: str = typer.Option(
        "", help="By which criterion games without a winner are judged; by default the first that fits."
    ),
    seed: str = typer.Option(
        "", help="Any text from which the seed of every game is made; otherwise it is drawn and kept."
    ),
    workers: int = typer.Option(0, min=0, help="Processes; 0 is one for each processor."),
    cluster: str = typer.Option("", help="Play on the workers of a Dask scheduler at this address instead."),
    option: list[str] = typer.Option([], help="An option of the rules and its value, as NAME=VALUE."),
    force: bool = typer.Option(
        False, "--force", help="Start over, where the folder holds results of other settings."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Let bots play against each other: every pair on the same seeds, each side of the table once.

    `given` is what the ruleset itself would choose, `idle` gives no orders. Writes `tournament.json` beside
    the games.

    Example: wteaw tournament diplomacy --bot given --bot idle --games 20 --turns 10 --out cup
    """
    from wteaw.play.scenario import initial_state
    from wteaw.turn.vacancies import seat
    from wteaw.world.world import World

    from .. import tournament as cup
    from ..stored_sweep import write_json

    given = seed_given(seed)
    options_given(option)
    base = candidate_of("as given", scenario, option)
    data, ruleset = checked(base)
    _check_names(ruleset, bot, criterion)
    world = World(ruleset, initial_state(ruleset, data))
    parties = cup.parties_of(
        world, [n for n in world.nations() if world.alive(n) and seat(world, n) != "none"]
    )
    if len(parties) < 2:
        raise Stop("a tournament needs two parties, and this game begins with fewer", ExitCode.CALL)
    criterion = criterion or cup.criterion_of(ruleset, parties)
    pairs = list(cup.seatings(bot))
    candidates = [replace(base, name=cup.name_of(pair), policies=cup.seats(parties, pair)) for pair in pairs]
    those = [(candidate, data, ruleset) for candidate in candidates]
    with begun(out, those, given, turns, workers, cluster, force=force) as (drawn, crew, held):
        play_missing(out, candidates, crew, held, games=games, turns=turns, seed=drawn)
    wanted = {key: figures for key, figures in held.items() if key[0] <= games}
    errors = [
        {k: g[k] for k in ("game", "candidate", "seed", "error")} for g in wanted.values() if "error" in g
    ]
    found = {
        "scenario": str(data["id"]), "seed": drawn, "turns": turns, "policies": bot, "parties": parties,
        "pairs": cup.standings(bot, parties, criterion, wanted), "errors": errors,
    }  # fmt: skip
    write_json(out / "tournament.json", found)
    print(json.dumps(found, ensure_ascii=False) if format == "json" else "\n".join(_text(found)))
    if errors:
        raise typer.Exit(ExitCode.FOUND)


def _check_names(ruleset: Ruleset, bots: list[str], criterion: str) -> None:
    """Stop if there are fewer than two bots, or a bot or the criterion (empty: the usual one) is not of the
    ruleset.
    """
    from wteaw.bots import policies_of

    from ..tournament import GIVEN

    known = [GIVEN, *policies_of(ruleset)]
    if len(bots) < 2 or len(set(bots)) < len(bots):
        raise Stop(
            f"--bot is given twice or more, each time with another bot; there are {', '.join(known)}",
            ExitCode.CALL,
        )
    for name in bots:
        if name not in known:
            raise Stop(f"no bot {name!r}; there are {', '.join(known)}", ExitCode.CALL)
    criteria = ruleset.of_kind("victory", "criterion")
    if criterion and criterion not in criteria:
        there = ", ".join(criteria) or "none"
        raise Stop(f"no criterion {criterion!r}; there are {there}", ExitCode.CALL)


def _text(found: dict[str, Any]) -> list[str]:
    out = []
    for pair in found["pairs"]:
        if not pair["games"]:
            continue
        lead, error = pair["lead"]["mean"], pair["lead"]["error"]
        low, high = (round(100 * v) for v in pair["band"])
        ahead = (
            "" if lead is None else f"; {pair['by']} {lead:+.2f}{'' if error is None else f' ± {error:.2f}'}"
        )
        out.append(
            f"{pair['first']} against {pair['second']}: {pair['won']} won, {pair['drawn']} drawn, "
            f"{pair['lost']} lost; "
            f"{100 * pair['points'] / pair['games']:.0f}% of the points ({low} to {high}%){ahead}"
        )
    out += [
        f"game {e['game']} of {e['candidate']} (seed {e['seed']}) could not be played on: {e['error']}"
        for e in found["errors"]
    ]
    return out
