"""`wteaw play`: a whole game played by bots, with reports and a map at the end."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from . import ExitCode, Stop, tell
from .game import bots_given, options_given, read_scenario, seed_given
from .terminal import Working, each

if TYPE_CHECKING:
    from ..store import Game


def play(
    scenario: str = typer.Argument("1914", help="A scenario file, or the name of a shipped one."),
    out: Path = typer.Option(Path("out"), help="The folder for the game, its reports and its maps."),
    turns: int = typer.Option(0, min=0, help="Stop after so many turns; 0 plays to the end."),
    seed: str = typer.Option("", help="Any text that fixes all dice, such as 42; otherwise they are drawn."),
    option: list[str] = typer.Option([], help="An option of the rules and its value, as NAME=VALUE."),
    bot: list[str] = typer.Option(
        [], help="Who is played by which bot, as WHO=BOT: a nation, a side or everyone."
    ),
    rules: Path = typer.Option(None, "--ruleset", help="The folder of another ruleset for the scenario."),
    force: bool = typer.Option(False, "--force", help="Play over a game that is in the folder already."),
    workers: int = typer.Option(
        0, min=0, help="Processes that plan; 0 is one per processor. The game does not depend on it."
    ),
    png: bool = typer.Option(False, help="Draw the maps as PNG as well."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Play a scenario from its start to its end: every nation is played by a bot.

    Leaves in the folder: the game itself (`game/`, for every other command), a report for each nation as text
    and HTML, and the map of the start and of the end.

    Example: wteaw play 1914 --turns 3 --out out
    """
    from ..play.begin import new_game
    from ..play.dice_statistics import watch
    from ..play.pending import commanded
    from ..report.map_views import map_svg
    from ..report.report_files import write_reports
    from ..ruleset.drawing import read_drawing

    secret, options = seed_given(seed), options_given(option)
    data, ruleset, folder = read_scenario(scenario, rules)
    game_folder = out / "game"
    _make_room(game_folder, force=force)
    drawing = read_drawing(folder)
    try:
        game = new_game(
            game_folder,
            data,
            ruleset,
            id_=str(data["id"]),
            options=options,
            seed=secret,
            drawing=drawing,
            policies=bots_given(bot),
        )
    except ValueError as error:
        raise Stop(str(error), ExitCode.CALL) from None
    began = time.monotonic()
    title = str(data.get("title", game.id))
    first = game.stage().position
    maps = {"map-start": map_svg(ruleset, first.state, drawing, title=f"{title}: the start")}
    if not turns:  # played to its end, so that the reports tell its luck
        watch(game)
    asked = commanded(game)
    standing = _play_on(game, turns, workers or os.cpu_count() or 1, several=len(asked) > 1)
    last = game.stage().position
    maps["map"] = map_svg(ruleset, last.state, drawing, title=title)
    _write_maps(out, maps, png=png)
    readers = dict.fromkeys((*asked, *commanded(game)))  # founded in play or gone by now
    written = write_reports(
        game, out / "reports", [None, *readers], drawing, counted=lambda some: each(some, "reports")
    )
    played = last.turn - first.turn + last.ended
    picture = out / ("map.png" if png else "map.svg")
    tell(
        format,
        {
            "scenario": title,
            "turns": played,
            "ended": last.ended,
            "standing": standing,
            "map": str(picture),
            "reports": str(out / "reports"),
            "game": str(game_folder),
            "state": last.state.hash(),
            "journal": last.head,
        },
        *standing,
        f"{title}: {played} turn{'' if played == 1 else 's'} in {time.monotonic() - began:.1f} s.",
        f"{picture}: the map; {out / 'reports'}: {len(written)} reports.",
        f"The game goes on with `wteaw report --game {game_folder}` and every other command.",
        f"state {last.state.hash()}  journal {last.head}",
    )


def _make_room(game_folder: Path, *, force: bool) -> None:
    """Take away the game that is in a folder, if `force` allows it."""
    from ..store import FILE

    if not (game_folder / FILE).exists():
        return
    if not force:
        raise Stop(
            f"{game_folder} holds a game already; `--force` plays over it, `--out` another folder leaves it"
        )
    shutil.rmtree(game_folder)


def _play_on(game: Game, turns: int, workers: int, *, several: bool) -> list[str]:
    """Play so many turns (0: to the end), telling of each on standard error; returned is how the last that
    was scored left the sides. `several`: more than one nation has a player, so who was asked is told.
    """
    from ..play.resolve import resolutions
    from ..report.result import result_lines

    standing: list[str] = []
    first = game.stage().position.turn
    with Working("playing", turns or None) as working:
        for turn, now, outcome in resolutions(game, turns, workers=workers):
            entries = outcome.result.entries
            public = [e for e in entries if "everyone" in e.audience]
            scores = [e for e in public if e.rule.startswith("victory/")]
            standing = list(chain.from_iterable(map(result_lines, scores)))
            news = [e for e in public if e.text and not e.rule.startswith("sequence/")]
            whose = f", {now[0]}" if len(now) == 1 and several else ""
            print(f"turn {turn}{whose}: {len(entries)} journal entries, {len(news)} news", file=sys.stderr)
            working.at(turn - first + 1, what=f"playing turn {turn + 1}")
    return standing


def _write_maps(out: Path, maps: Mapping[str, str], *, png: bool) -> None:
    """Write pictures (name -> SVG) as files, and as PNG too where that is wanted."""
    from ..report.map import to_png

    for name, svg in each(maps.items(), "maps"):
        (out / f"{name}.svg").write_text(svg, encoding="utf-8")
        if png:
            (out / f"{name}.png").write_bytes(to_png(svg, 1300))
