"""`wteaw init`: a ruleset of one's own: a small game, a layer over a shipped one, or what a game file
makes.
"""

from __future__ import annotations

from pathlib import Path

import typer

from . import ExitCode, Stop, tell

KINDS = ("triplea",)


def init(
    words: list[str] = typer.Argument(
        ..., metavar="NAME", help="The folder of the new ruleset; its last part is the name."
    ),
    extends: str = typer.Option(
        "", help="Begin with a layer over this shipped ruleset, such as third-edition."
    ),
    game: str = typer.Option(
        "new-game",
        help="The small game to begin with: new-game, conquest (dice one against one), or card-battle.",
    ),
    from_: str = typer.Option(
        "", "--from", help="triplea: turn a game file into the ruleset; then it is FILE [NAME]."
    ),
    force: bool = typer.Option(False, "--force", help="Replace a ruleset that is in the folder already."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Begin a ruleset: a small complete game that validates, tests, draws and plays at once, every file short
    and explained.

    Example: wteaw init my-war
    """
    from ..play.starter import GAME

    if game != GAME and (from_ or extends):
        raise Stop("--game cannot be given together with --from or --extends", ExitCode.CALL)
    if from_:
        _taken_over(words, from_, extends, force, format)
        return
    if len(words) != 1:
        raise Stop(
            f"one name is needed, not {len(words)}; several words are written in quotes or with hyphens",
            ExitCode.CALL,
        )
    from ..play.new_folder import FolderError
    from ..play.starter import StarterError, begin

    try:
        made = begin(Path(words[0]), extends=extends, game=game, force=force)
    except StarterError as error:
        raise Stop(str(error), ExitCode.CALL) from None
    except FolderError as error:
        raise Stop(str(error)) from None
    then = _next(made.folder, made.scenario)
    data = {
        "title": made.title,
        "folder": str(made.folder),
        "files": [str(f) for f in made.files],
        "next": then,
    }
    tell(
        format,
        data,
        f"{made.title}: {len(made.files)} files in {made.folder}.",
        "Now:",
        *(f"  {line}" for line in then),
    )


def _next(folder: Path, scenario: Path) -> list[str]:
    """The commands that are worth giving first, as they can be typed where `wteaw init` was."""
    import shlex

    here, start, played = (shlex.quote(str(p)) for p in (folder, scenario, folder / "out"))
    return [
        f"wteaw validate --strict {here}",
        f"wteaw test {here}",
        f"wteaw play {start} --turns 2 --out {played} --force",
    ]


def _taken_over(words: list[str], kind: str, extends: str, force: bool, format: str) -> None:
    """`wteaw init --from triplea FILE [NAME]`."""
    if kind not in KINDS:
        raise Stop(f"no files of {kind!r} are understood; known: {', '.join(KINDS)}", ExitCode.CALL)
    if extends:
        raise Stop("--from and --extends cannot be given together", ExitCode.CALL)
    if len(words) > 2:
        raise Stop("a file and at most one name are needed", ExitCode.CALL)
    from wteaw_importers.command import triplea

    from ..core.words import slug

    file = Path(words[0])
    triplea(file, Path(words[1]) if len(words) == 2 else Path(slug(file.stem)), force=force, format=format)
