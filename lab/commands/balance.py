"""`wteaw balance`: what a sweep of games came to, as a page with charts and as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from wteaw.cli import ExitCode, Stop, tell
from wteaw.cli.terminal import Working, warn
from wteaw.core.whole_files import write_whole

__all__ = ["balance"]


def balance(
    folder: Path = typer.Argument(..., help="The folder of a sweep: what `wteaw simulate --out` left."),
    of: str = typer.Option("", "--of", help="Which of the things compared; by default the first."),
    out: Path = typer.Option(
        None, help="The folder for the page and the data; by default that of the sweep."
    ),
    format: str = typer.Option("text", help="text, or json for everything on standard output."),
) -> None:
    """A report on a sweep of games: who wins, who joins, the course of the war, what is used, what is not,
    what rules do.

    Writes `balance.html`, one file with its charts inside, and `balance.json`, in which every figure names
    the games it comes from. It may be called while the sweep goes on.

    Example: wteaw balance runs
    """
    from wteaw.report.render import parts_as_html
    from wteaw.report.wording import counted as number

    from .. import balance as balanced
    from ..balance_page import balance_parts, differences
    from ..row_names import percent
    from ..stored_sweep import ANEW, played, write_json
    from ..summary import summary
    from ..sweep import GAMES

    sweep = played(folder)
    of = of or next(iter(sweep.about))
    if of not in sweep.about:
        raise Stop(f"--of {of}: this sweep has {', '.join(sweep.about)}", ExitCode.CALL)
    about, rules, games = sweep.about[of], sweep.rules(of), sweep.games(of)
    if broken := sweep.read[1]:
        warn(f"{folder / GAMES}: {number(broken, 'line')} cannot be read any more; {ANEW}")
    with Working("adding up the games"):
        counted = balanced.balance(rules, games)
    found: dict[str, Any] = {
        "title": about["title"], "of": of, "seed": sweep.settings["seed"], "turns": sweep.settings["turns"],
        "again": about["again"],
        **counted,
        "seeds": {n: g["seed"] for n, g in games.items()},
        "errors": [{k: g[k] for k in ("game", "seed", "error")} for g in games.values() if "error" in g],
    }  # fmt: skip
    parts = balance_parts(rules, found, games, about["again"])
    if len(sweep.about) > 1:
        compared = summary({name: sweep.rules(name) for name in sweep.about}, sweep.held)["compared"]
        found["compared"] = compared
        instead = {name: about["instead"] for name, about in sweep.about.items()}
        parts.insert(0, differences(sweep.rules(next(iter(sweep.about))), compared, instead))
    turns = sweep.settings["turns"]
    length = f"the first {'turn' if turns == 1 else f'{turns} turns'} of " if turns else ""
    lead = (
        f"{of}: {length}{number(found['games'], 'game')} played by bots, seed "
        f"{sweep.settings['seed']}. {about['rules']}"
    )
    title = f"{about['title']}: balance"
    target = out or folder
    target.mkdir(parents=True, exist_ok=True)
    page, data = target / "balance.html", target / "balance.json"
    write_whole(page, parts_as_html(title, lead, parts).encode("utf-8"), shared=True)
    write_json(data, found)
    if format == "json":
        print(json.dumps(found, ensure_ascii=False))
        return
    wins = "; ".join(f"{who} {percent(s['share'])}" for who, s in found["wins"].items()) or "no game yet"
    idle = sum(map(len, found["never"].values()))
    tell(
        format,
        {},
        f"{number(found['games'], 'game')}: {wins}",
        f"{number(idle, 'row')} that no game used",
        *(
            f"game {e['game']} (seed {e['seed']}) could not be played on: {e['error']}"
            for e in found["errors"]
        ),
        f"{page}",
        f"{data}",
    )
