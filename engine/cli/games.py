"""`wteaw scenarios`, `games`: what can be played, and what is being played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from ..core.package_data import rulesets
from ..core.package_data import scenarios as shipped
from . import ExitCode, Stop, tell
from .completion import value_in
from .game import open_game

LEVELS = 3
"""How deep games are looked for below a folder."""


def scenarios(format: str = typer.Option("text", help="text or json.")) -> None:
    """List the shipped scenarios: the name for `wteaw new` and `wteaw play`, the title, and the ruleset.

    Example: wteaw scenarios
    """
    from ..ruleset.folder import MANIFEST, find_rulesets

    manifests = [folder / MANIFEST for folder in find_rulesets(rulesets())]
    titles = {value_in(path, "id"): value_in(path, "title") for path in manifests}
    found = []
    for path in sorted(shipped().glob("*.yaml")):
        rules = value_in(path, "ruleset")
        found.append(
            {
                "name": path.stem,
                "title": value_in(path, "title"),
                "ruleset": rules,
                "rules": titles.get(rules, rules),
            }
        )
    width = max((len(one["name"]) for one in found), default=0)
    lines = (f"{one['name']:<{width}}  {one['title']} ({one['rules']})" for one in found)
    tell(
        format,
        {"scenarios": found},
        *lines,
        "`wteaw play NAME` plays one by bots, `wteaw new NAME --game FOLDER` starts one.",
    )


def games(
    where: Path = typer.Argument(Path(), help="A folder that has games in it, or the database of a server."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """List the games below a folder, or those of a server's database, with what each waits for.

    Example: wteaw games games
    """
    from ..play.pending import standing_of

    if not where.exists():
        raise Stop(f"{where} is neither a folder nor a database", ExitCode.CALL)
    found: list[dict[str, Any]] = []
    lines: list[str] = []
    for named in _named(where):
        game = open_game(Path(named))
        told = standing_of(game)
        late = f"; late: {', '.join(map(game.name_of, told['late']))}" if told["late"] else ""
        lines.append(f"{named}: {told['title']}, {told['waits']}{late}.")
        found.append(
            {"game": named, **{k: told[k] for k in ("title", "turn", "ended", "closed", "waits", "late")}}
        )
    tell(
        format,
        {"games": found},
        *(lines or [f"No games in {where}; `wteaw new SCENARIO --game FOLDER` starts one."]),
    )


def _named(where: Path) -> Iterator[str]:
    """The games of a place, as `--game` names them."""
    from ..store import FILE
    from ..store.database import engine_for
    from ..store.reading import game_ids

    if where.is_file():
        yield from (f"{where}#{id_}" for id_ in game_ids(engine_for(where)))
        return
    for level in range(LEVELS + 1):
        yield from sorted(str(path.parent) for path in where.glob("*/" * level + FILE))
