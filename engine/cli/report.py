"""`wteaw report`, `map`, `explain`: what a nation may know, the map, and why something is so."""

from __future__ import annotations

from pathlib import Path

import typer

from . import ExitCode, Stop, tell
from .game import GAME, open_game
from .terminal import Working, each


def report(
    game: Path = GAME,
    nation: str = typer.Option("", help="Whose report; without it the moderator's."),
    turn: int = typer.Option(0, help="The turn reported on; by default the last one."),
    format: str = typer.Option("text", help="text, html or json."),
    out: Path = typer.Option(
        None, help="A folder: the nation's report goes there as text and HTML; without --nation everybody's."
    ),
    dice: bool = typer.Option(False, "--dice", help="Add everything in its order, with every die."),
    update: str = typer.Option(
        "", help="The day on which the reports go out, as 2004-05-01: they name the deadline that follows."
    ),
) -> None:
    """What a nation may know after a turn, with the template of its next orders.

    Example: wteaw report --game games/flanders --nation NATION --format html > report.html
    """
    from dataclasses import asdict
    from datetime import date

    from ..core.canonical import dumps
    from ..play.pending import commanded
    from ..play.views import views_after
    from ..report.render import as_html, as_text
    from ..report.turn_reports import map_of_report
    from ..report.turn_reports import report as report_of
    from .names import nation_named

    opened = open_game(game)
    nation = nation_named(nation, opened.ruleset, opened.stage().position.state) if nation else ""
    try:
        day = date.fromisoformat(update) if update else None
    except ValueError:
        raise Stop(f"a day is written like 2004-05-01, not {update!r}", ExitCode.CALL) from None
    if out is not None:
        wanted = (
            [nation] if nation else [None, *(commanded(opened) or sorted(opened.ruleset.rows("nations")))]
        )
        from ..report.report_files import write_reports

        written = write_reports(
            opened,
            out,
            wanted,
            opened.drawing(),
            turn=turn or None,
            update=day,
            counted=lambda some: each(some, "reports"),
        )
        typer.echo(f"{len(written)} files in {out}")
        return
    views = views_after(opened, turn or None)
    data = report_of(opened, nation or None, turn=turn or None, update=day, views=views)
    if format == "text":
        typer.echo(as_text(data, dice=dice), nl=False)
    elif format == "html":
        typer.echo(as_html(data, map_of_report(opened, data, views, opened.drawing())), nl=False)
    else:
        typer.echo(dumps(asdict(data)).decode())


def map_(
    scenario: str = typer.Argument("", help="A scenario; or leave it out and name a game."),
    game: Path = typer.Option(None, "--game", help="The folder of a game."),
    nation: str = typer.Option("", help="As this nation sees it; without it everything is shown."),
    out: Path = typer.Option(Path("map.svg"), help="The file to write; .svg or .png."),
    width: int = typer.Option(2600, min=200, max=12000, help="Width of a PNG in pixels."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Draw the map of a game or of a scenario's start.

    Example: wteaw map 1914 --out map.png
    """
    from ..play.scenario import initial_state
    from ..play.views import view_world
    from ..report.map import to_png
    from ..report.map_views import map_svg
    from ..ruleset.drawing import read_drawing
    from ..world.view import view
    from .game import read_scenario
    from .names import nation_named

    if game is not None:
        opened = open_game(game)
        nation = nation_named(nation, opened.ruleset, opened.stage().position.state) if nation else ""
        shown = view_world(opened, nation).state if nation else opened.stage().position.state
        ruleset, drawing, title = opened.ruleset, opened.drawing(), str(opened.head["title"])
    elif scenario:
        data, ruleset, folder = read_scenario(scenario)
        shown = initial_state(ruleset, data)
        if nation:
            shown = view(ruleset, shown, nation_named(nation, ruleset, shown))
        drawing, title = read_drawing(folder), str(data.get("title", ""))
    else:
        raise Stop("name a scenario, or a game with --game", ExitCode.CALL)
    if out.suffix.lower() not in (".svg", ".png"):
        raise Stop(f"{out}: a map is .svg or .png", ExitCode.CALL)
    with Working("drawing the map"):
        svg = map_svg(ruleset, shown, drawing, title=title)
        picture = to_png(svg, width) if out.suffix.lower() == ".png" else svg.encode()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(picture)
    except OSError as error:
        raise Stop(f"{out} cannot be written: {error.strerror or error}", ExitCode.MACHINE) from None
    tell(format, {"file": str(out), "bytes": len(picture), "title": title}, f"{out}")


def explain(
    what: str = typer.Argument(
        ...,
        help="A question, or what: words such as `PLACE holder`, `NATION TRACK`, `NATION RESOURCE`, `KIND "
        "attack`.",
    ),
    game: Path = GAME,
    nation: str = typer.Option(
        "", help="As this nation may know it; without it everything, as the moderator."
    ),
    turn: int = typer.Option(0, help="As it was after this turn; by default as it is now."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Answer a question about the game, or why a value is what it is: what stands now, what it is made of,
    and every change.

    Questions are answered in words, from the rules and from what the nation was told; values with turn, rule,
    clause and dice.

    Example: wteaw explain "how does influence work" --game games/flanders --nation NATION
    """
    from dataclasses import asdict

    from ..core.canonical import dumps
    from ..orders.parse import is_question
    from ..play.explain import Unknown
    from ..play.views import views_after
    from ..report.explanation import as_lines, explanation
    from ..rulebook.questions import WHAT_CAN_BE_ASKED, inquiry
    from .names import nation_named

    opened = open_game(game)
    nation = nation_named(nation, opened.ruleset, opened.stage().position.state) if nation else ""
    if is_question(what) and not turn:
        answer = inquiry(opened, nation).answer(what)
        tell(format, {"asked": what, "nation": nation, "answer": answer}, *answer)
        return
    views = views_after(opened, turn or None)
    state = views.world(nation).state if nation else views.position.state
    entries = [e for e in views.journal if not turn or e.turn <= turn]
    told, problem = None, ""
    try:
        told = explanation(opened.ruleset, state, entries, what, reader=nation, geography=opened.geography)
    except Unknown as error:
        problem = str(error)
    if not turn and (told is None or told.empty):  # perhaps a word of the rules
        answer = inquiry(opened, nation).answer(what)
        if answer != [WHAT_CAN_BE_ASKED]:
            tell(format, {"asked": what, "nation": nation, "answer": answer}, *answer)
            return
    if told is None:
        raise Stop(problem, ExitCode.CALL)
    if format == "json":
        typer.echo(dumps(asdict(told)).decode())
        return
    for line in as_lines(told):
        typer.echo(line)
