"""`wteaw play`: a whole game played by bots, with reports and a map at the end."""

from __future__ import annotations

import os
import shutil
import sys
import time
from itertools import chain
from pathlib import Path

import typer

from . import ExitCode, Stop, tell
from .game import bots_given, options_given, read_scenario, seed_given
from .terminal import Working, each


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
    from ..play.resolve import resolutions
    from ..report.map import to_png
    from ..report.map_views import map_svg
    from ..report.report_files import write_reports
    from ..report.result import result_lines
    from ..ruleset.drawing import read_drawing
    from ..store import FILE

    secret, options = seed_given(seed), options_given(option)
    data, ruleset, folder = read_scenario(scenario, rules)
    game_folder = out / "game"
    if (game_folder / FILE).exists():
        if not force:
            raise Stop(
                f"{game_folder} holds a game already; `--force` plays over it, `--out` another folder "
                "leaves it"
            )
        shutil.rmtree(game_folder)
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
    title = str(data.get("title", game.id))
    pictures = {
        "map-start": map_svg(ruleset, game.stage().position.state, drawing, title=f"{title}: the start")
    }
    began = time.monotonic()
    if not turns:  # played to its end, so that the reports tell its luck
        watch(game)
    asked = commanded(game)
    standing: list[str] = []
    first = game.stage().position.turn
    with Working("playing", turns or None) as working:
        for turn, now, outcome in resolutions(game, turns, workers=workers or os.cpu_count() or 1):
            scores = [
                e
                for e in outcome.result.entries
                if e.rule.startswith("victory/") and "everyone" in e.audience
            ]
            standing = list(chain.from_iterable(map(result_lines, scores)))
            entries = outcome.result.entries
            news = [
                e.text
                for e in entries
                if "everyone" in e.audience and e.text and not e.rule.startswith("sequence/")
            ]
            whose = f", {now[0]}" if len(now) == 1 and len(asked) > 1 else ""
            print(f"turn {turn}{whose}: {len(entries)} journal entries, {len(news)} news", file=sys.stderr)
            working.at(turn - first + 1, what=f"playing turn {turn + 1}")
    position = game.stage().position
    pictures["map"] = map_svg(ruleset, position.state, drawing, title=title)
    for name, svg in each(pictures.items(), "maps"):
        (out / f"{name}.svg").write_text(svg, encoding="utf-8")
        if png:
            (out / f"{name}.png").write_bytes(to_png(svg, 1300))
    written = write_reports(
        game, out / "reports", [None, *asked], drawing, counted=lambda some: each(some, "reports")
    )
    played = position.turn - first + position.ended
    picture = out / ("map.png" if png else "map.svg")
    tell(
        format,
        {
            "scenario": title,
            "turns": played,
            "ended": position.ended,
            "standing": standing,
            "map": str(picture),
            "reports": str(out / "reports"),
            "game": str(game_folder),
            "state": position.state.hash(),
            "journal": position.head,
        },
        *standing,
        f"{title}: {played} turn{'' if played == 1 else 's'} in {time.monotonic() - began:.1f} s.",
        f"{picture}: the map; {out / 'reports'}: {len(written)} reports.",
        f"The game goes on with `wteaw report --game {game_folder}` and every other command.",
        f"state {position.state.hash()}  journal {position.head}",
    )
