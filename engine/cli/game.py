"""`wteaw new`, `resolve`, `rollback`, `decide`, `upgrade`: a game in its folder, as its moderator runs it."""

from __future__ import annotations

import gc
import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..core.package_data import scenarios
from . import ExitCode, Stop, number_of_orders, tell
from .terminal import Working, say

if TYPE_CHECKING:
    from ..play.rollback_preview import RollbackPreview
    from ..store import Game
    from ..turn.referee import Position, Resolution

at_work: Game | None = None
"""The game that the command is at: if the command ends in an error, whether the game is at fault is looked
at.
"""
GAME = typer.Option(..., "--game", help="The folder of the game, or DATABASE#GAME of a server.")


def open_game(where: Path) -> Game:
    """The game of a folder, or one of a server's: DATABASE#GAME, of which the database is a file or an
    address.

    Without one (`#GAME`) it is that of WTEAW_DATABASE, so that no password stands on a command line.
    StoreError, which ends every command with its words, if there is none.
    """
    global at_work
    at_work = _opened(where)
    return at_work


def _opened(where: Path) -> Game:
    from ..store import Game, StoreError
    from ..store.database import engine_for

    database, mark, id_ = str(where).rpartition("#")
    if not mark or where.exists():
        return Game.open(where)
    database = database or os.environ.get("WTEAW_DATABASE", "")
    if Path(database).is_file():
        return Game.in_database(engine_for(Path(database)), id_)
    kind, colon, rest = database.partition(":/")
    if not colon:
        raise StoreError(
            f"there is no database {database!r}; a game on a server is FILE#GAME or "
            "postgresql+psycopg://...#GAME"
        )
    # a path has lost one of its slashes
    return Game.in_database(engine_for(f"{kind}://{rest.removeprefix('/')}"), id_)


def _beside(game: Game) -> Any:
    """The tables that a server keeps beside those of its games and that their chain holds as well."""
    from importlib import import_module

    from sqlalchemy import inspect

    served = inspect(game.engine).has_table("desk_log")
    return import_module("wteaw_web.tables").CHAINED if served else ()


def find_scenario(name: str) -> Path:
    """A scenario by path, or by the name of a shipped one."""
    for path in (Path(name), scenarios() / name, scenarios() / f"{name}.yaml", scenarios() / Path(name).name):
        if path.is_file():
            return path
    from ..core.diagnostics import nearest

    shipped = sorted(p.stem for p in scenarios().glob("*.yaml"))
    what = "file" if Path(name).name != name or Path(name).suffix == ".yaml" else "scenario"
    meant = "".join(f"did you mean {close}? " for close in nearest(Path(name).stem, shipped))
    raise Stop(
        f"no {what} {name}; {meant}give a file, or one of: {', '.join(shipped)} "
        "(`wteaw scenarios` says what they are)",
        ExitCode.CALL,
    )


def read_scenario(name: str, ruleset: Path | None = None) -> tuple[dict[str, Any], Any, Path]:
    """A scenario, its ruleset (or another, from a folder) and that ruleset's folder; Stop with every error at
    its place.
    """
    from ..core.diagnostics import has_errors, render
    from ..play.scenario_files import load_scenario, named_ruleset

    path = find_scenario(name)
    with Working("reading the rules"):
        scenario, rules, found = load_scenario(path, rules=ruleset)
    if scenario is None or rules is None or has_errors(found):
        by = f" by the rules of {ruleset}" if ruleset is not None else ""
        raise Stop(f"{path} cannot be played{by}\n{render(found, 'text')}", ExitCode.FOUND)
    gc.freeze()  # the rules stay for as long as the command runs, and need not be looked through for cycles
    return scenario, rules, ruleset or named_ruleset(scenario["ruleset"], path.parent)[0] or path.parent


def seed_given(seed: str) -> bytes | None:
    """A seed from any text: 32 or more hexadecimal digits are its bytes, of all else the SHA-256; None if
    none was given.
    """
    if len(seed) >= 32:
        with suppress(ValueError):
            return bytes.fromhex(seed)
    return sha256(seed.encode()).digest() if seed else None


def options_given(option: list[str]) -> dict[str, str]:
    """Options of the rules as they were typed, NAME=VALUE each."""
    return _pairs(option, "an option is NAME=VALUE")


def bots_given(bot: list[str]) -> dict[str, str]:
    """Who is played by which bot as it was typed, WHO=BOT each."""
    return _pairs(bot, "who is played by which bot is WHO=BOT")


def _pairs(given: list[str], form: str) -> dict[str, str]:
    for said in given:
        if "=" not in said:
            raise Stop(f"{form}, not {said!r}", ExitCode.CALL)
    return {name.strip(): value.strip() for name, _, value in (said.partition("=") for said in given)}


def new(
    scenario: str = typer.Argument(..., help="A scenario file, or the name of a shipped one."),
    game: Path = GAME,
    name: str = typer.Option("", help="The game's name; by default its folder's."),
    player: list[str] = typer.Option(
        [], help="A nation that a player commands; all others are played by bots."
    ),
    all_players: bool = typer.Option(False, "--all-players", help="Every nation is commanded by a player."),
    option: list[str] = typer.Option([], help="An option of the rules and its value, as NAME=VALUE."),
    seed: str = typer.Option(
        "", help="Any text that fixes all dice (for tests and demonstrations); otherwise they are drawn."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Start a game from a scenario.

    Example: wteaw new 1914 --game games/flanders --player NATION --player NATION
    """
    if "#" in game.name:
        raise Stop(
            f"{game} names a game on a server; those are begun on its pages (`--game FOLDER` makes another)",
            ExitCode.CALL,
        )
    from ..play.begin import new_game
    from ..play.pending import wanted_now
    from ..ruleset.drawing import read_drawing
    from ..store import PLAYER, StoreError
    from .names import nations_named

    data, ruleset, folder = read_scenario(scenario)
    secret, options = seed_given(seed), options_given(option)
    commanded = list(ruleset.rows("nations")) if all_players else nations_named(player, ruleset)
    seats = dict.fromkeys(commanded, PLAYER)
    try:
        started = new_game(
            game, data, ruleset, id_=name or game.resolve().name, seats=seats, options=options, seed=secret,
            drawing=read_drawing(folder),
        )  # fmt: skip
    except StoreError:
        raise
    except ValueError as error:
        raise Stop(str(error), ExitCode.CALL) from None
    head = started.head
    tell(
        format,
        {"game": started.id, "title": head["title"], "waits": wanted_now(started), "anchor": head["anchor"]},
        f"{head['title']}: the game {started.id} waits for {wanted_now(started)}.",
        f"Publish this anchor, so that all can verify the dice later: {head['anchor']}",
        *_what_next(game, commanded),
    )


def _what_next(game: Path, players: list[str]) -> list[str]:
    """What a moderator does after a game is begun: keys, reports, what is published."""
    if not players:
        return []
    keys = (
        f"`wteaw players key {players[0]} --game {game}`{' and so on' if len(players) > 1 else ''} for "
        "the keys of the players"
    )
    return [
        f"Next: {keys}, `wteaw report --game {game} --out reports` for what they are sent, "
        f"`wteaw dice commit --game {game}` for what you publish. `wteaw status --game {game}` says what "
        "awaits you."
    ]


def resolve(
    game: Path = GAME,
    force: bool = typer.Option(False, "--force", help="Resolve though orders of players are missing."),
    until_phase: str = typer.Option(
        "",
        "--until-phase",
        help="Stop before this phase (`wteaw show sequence` lists them); call again to go on.",
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Show what would happen and keep nothing; once orders are closed."
    ),
    practice: bool = typer.Option(False, "--practice", help="Show what might happen, with practice dice."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Resolve the turn, as far as the next point where orders are wanted.

    Example: wteaw resolve --game games/flanders
    """
    from ..core.frame import phases
    from ..play.resolve import resolve_turn

    opened = open_game(game)
    known = [p["phase"] for p in phases(opened.ruleset.sequence)]
    if until_phase and until_phase not in known:
        raise Stop(f"no phase {until_phase}; there are {', '.join(known)}", ExitCode.CALL)
    before = opened.stage().position.turn
    with Working("resolving"):
        outcome = resolve_turn(
            opened,
            force=force,
            until=until_phase or None,
            dry=dry_run,
            practice=practice,
            workers=os.cpu_count() or 1,
        )
    position = outcome.result.position
    dry_run = dry_run or practice
    if format == "json":
        typer.echo(
            json.dumps(
                {
                    "turn": before,
                    "next": position.turn,
                    "ended": position.ended,
                    "entries": len(outcome.result.entries),
                    "missing": list(outcome.missing),
                    "state": position.state.hash(),
                    "journal": position.head,
                    "kept": not dry_run,
                }
            )
        )
        return
    for line in _at_a_glance(opened, outcome.result, before):
        typer.echo(line)
    kept = "nothing was kept" if dry_run else f"{len(outcome.result.entries)} journal entries"
    typer.echo(f"{_how_it_stands(opened, before, position, until_phase, kept=not dry_run)} ({kept}).")
    typer.echo(f"state {position.state.hash()}  journal {position.head}")


def _how_it_stands(game: Game, before: int, after: Position, until_phase: str, *, kept: bool) -> str:
    """How far the turn `before` has gone, and what the game waits for now; without its full stop."""
    from ..play.pending import wanted_now

    if after.ended:
        return f"Turn {before} is resolved and the game has ended"
    waiting = after.waiting or {}
    if "pause" in waiting:
        return f"Turn {before} is resolved as far as the phase {until_phase}"
    if after.turn == before:
        wanted = wanted_now(game) if kept else f"the {waiting.get('input', 'orders')}"
        return f"Turn {before} goes on and waits for {wanted}"
    wanted = wanted_now(game).replace(f" of turn {after.turn}", "") if kept else "orders"
    return f"Turn {before} is resolved; turn {after.turn} waits for {wanted.removeprefix('the ')}"


MOST_AT_A_GLANCE = 60
"""Lines of a turn's summary on a terminal; a turn with more has a report for it."""


def _at_a_glance(game: Game, done: Resolution, turn: int) -> list[str]:
    """What a moderator wants to see of a resolution at once: news, land and battles, of their own report."""
    from ..report.build import moderator_report  # reports are heavy, and wanted by none but this
    from ..report.render import part_as_text
    from ..world.world import World

    made = moderator_report(World(game.ruleset, done.position.state), done.entries, game=game.id, turn=turn)
    wanted = [part for part in made.parts if part.title in ("News", "Land", "Battles")]
    lines = [line for part in wanted for line in (part.title.upper(), *part_as_text(part), "")]
    if len(lines) <= MOST_AT_A_GLANCE:
        return lines
    rest = len(lines) - MOST_AT_A_GLANCE
    return [*lines[:MOST_AT_A_GLANCE], f"and {rest} lines more: `wteaw report` has all of it", ""]


def close(game: Path = GAME, format: str = typer.Option("text", help="text or json.")) -> None:
    """Close the orders of the present stage and print what to publish: each player's part in the dice,
    masked.

    From here on players' files come too late; the moderator may still correct. `wteaw resolve` closes what is
    open.

    Example: wteaw close --game games/flanders
    """
    opened = open_game(game)
    stage = opened.stage()
    if stage.position.ended:
        raise Stop("the game has ended")
    masked = opened.close()
    body = {"game": opened.id, "turn": stage.position.turn, "attempt": stage.attempt, "salts": masked}
    if format == "json":
        typer.echo(json.dumps(body, indent=1))
        return
    typer.echo(f"The orders of turn {stage.position.turn} are closed. Publish the salts:")
    typer.echo(json.dumps(body, indent=1))
    if without := [nation for nation in stage.commitment.seats if nation not in masked]:
        typer.echo(
            "Without a part in the dice of the turn, since they have sent nothing for it: "
            f"{', '.join(without)}."
        )


def verify(game: Path = GAME, format: str = typer.Option("text", help="text or json.")) -> None:
    """Look whether a stored game is what was played: journal, states, commitments, salts, orders, every turn
    resolved again.

    Names the first thing that does not fit and leaves with 1.

    Example: wteaw verify --game games/flanders
    """
    from ..play.verify import audit

    opened = open_game(game)
    done: list[str] = []
    wrong = None
    with Working("looking at the journal") as working:
        for what, fault in audit(opened, _beside(opened)):
            done.append(what)
            wrong = fault
            working.at(len(done), what=f"after {what}")
            if format == "text":
                say(f"{'WRONG' if fault else 'right'}  {what}{': ' + fault if fault else ''}")
            if fault:
                break
    if format == "json":
        typer.echo(json.dumps({"game": opened.id, "right": wrong is None, "looked_at": done, "wrong": wrong}))
    if wrong:
        raise typer.Exit(ExitCode.FOUND)


def rollback(
    game: Path = GAME,
    to: int = typer.Option(0, "--to", help="The stage to go back to; without it the stages are listed."),
    turn: int = typer.Option(0, "--turn", help="The turn to go back to: to where it waits for its orders."),
    reason: str = typer.Option("", help="Why; kept with the game."),
    fresh_dice: bool = typer.Option(
        False, "--fresh-dice", help="Give the turn new dice, under a new commitment."
    ),
    yes: bool = typer.Option(False, "--yes", help="Go back; without it you are told what would be dropped."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Show what going back to an earlier stage of a game would drop; with --yes go back. The correction is
    recorded.

    Example: wteaw rollback --game games/flanders --turn 3 --reason "an order was misread" --yes
    """
    from ..play.pending import points
    from ..play.rollback_preview import stage_of_turn, what_if
    from ..play.verify import broken_chain

    opened = open_game(game)
    stages = points(opened)
    if turn and not to:
        to = stage_of_turn(opened, turn) or 0
        if not to:
            first, last = stages[0][1], stages[-1][1]
            raise Stop(
                f"the game has no turn {turn} to go back to: "
                f"it began with turn {first} and stands in turn {last}",
                ExitCode.CALL,
            )
    if not to:
        listed = [{"stage": number, "turn": t, "waits": waits} for number, t, waits in stages]
        tell(
            format,
            {"stages": listed},
            *(f"{number:4}  turn {t}, waits for {waits}" for number, t, waits in stages),
        )
        return
    if not reason:
        raise Stop("say why with --reason; it is kept with the game", ExitCode.CALL)
    broken = broken_chain(opened)
    if broken:
        raise Stop(f"{broken}; `wteaw verify` looks at everything", ExitCode.FOUND)
    change = what_if(opened, to)
    lines = _dropped_and_kept(opened, change, to, {number: waits for number, _, waits in stages}[to])
    data = {
        "stage": to,
        "turn": change.turn,
        "reason": reason,
        "dropped": change.dropped,
        "kept": list(change.kept),
        "files": [{"turn": t, "nation": nation, "orders": n} for t, nation, n in change.files],
    }
    if not yes:
        dice = ["Keys of its dice are known already: it would get fresh ones."] if change.fresh else []
        done = {"fresh_dice": bool(change.fresh or fresh_dice), "changed": False}
        tell(format, data | done, *lines, *dice, "Nothing is changed; `--yes` goes back.")
        return
    fresh = opened.rollback(to, reason)
    if fresh_dice and not fresh:
        opened.give_fresh_dice(reason)
    again = (
        "Keys of its dice were known already: it has fresh ones. Publish the new commitment (`wteaw "
        "dice commit`)."
    )
    lines += [f"The game stands at stage {to}, turn {change.turn}.", *([again] if fresh else [])]
    tell(format, data | {"fresh_dice": bool(fresh or fresh_dice), "changed": True}, *lines)


def _dropped_and_kept(game: Game, change: RollbackPreview, stage: int, waits: str) -> list[str]:
    """What a game loses if it goes back to a stage at which it waits for something, and what stays."""
    kept = ", ".join(map(game.name_of, change.kept))
    return [
        f"Stage {stage}: turn {change.turn}, where it waits for {waits}. {change.dropped} entries of the "
        "journal are dropped.",
        *(
            f"Dropped: the {number_of_orders(n)} of {game.name_of(nation)} for turn {turn}."
            for turn, nation, n in change.files
        ),
        f"Kept: the orders that are in at that stage ({kept or 'nobody has sent any'}).",
    ]


def decide(
    nation: str = typer.Argument("", help="The nation for which the decision is made, or `moderator`."),
    decision: str = typer.Argument(
        "",
        help="The decision by its letter in the list, its words or its id; what it is about follows after "
        "a slash. Without it the open ones are listed.",
    ),
    answer: str = typer.Argument("", help="The answer: a name, a word or a number; JSON for a list."),
    game: Path = GAME,
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Answer an open question for a nation, in place of the default or of its own answer, before the turn is
    resolved.

    The nation has sent nothing by that. If it sends orders later, your answer stays, unless the orders answer
    the question themselves. Without a decision, the open questions are listed, with what is answered already.

    Example: wteaw decide NATION a ANSWER --game games/flanders
    """
    from ..play.answers import (
        NotAnswerable,
        answer_for,
        answer_in_words,
        answer_named,
        in_words,
        key_named,
        who_answers,
    )
    from ..turn.decisions import MODERATOR
    from .names import nation_named

    opened = open_game(game)
    if nation and nation != MODERATOR:
        nation = nation_named(nation, opened.ruleset, opened.stage().position.state)
    if not decision:
        _open_questions(opened, nation, format)
        return
    if not answer:
        raise Stop(f"what is the answer to {decision}?", ExitCode.CALL)
    try:
        key = key_named(opened, decision)
        value = answer_named(opened, nation, key, answer)
        answer_for(opened, nation, key, value)
    except NotAnswerable as error:
        raise Stop(str(error), ExitCode.CALL) from None
    now = opened.stage().position.turn
    who, what = who_answers(opened, nation), answer_in_words(opened, value)
    said = f"{who} answers {in_words(opened, key)}: {what} (turn {now})."
    tell(format, {"nation": nation, "decision": key, "answer": value, "turn": now}, said)


def _open_questions(game: Game, nation: str, format: str) -> None:
    """List the questions that can be answered now, of one nation or of all."""
    from ..play.answers import answer_in_words, in_words, listed, who_answers
    from ..play.pending import open_decisions
    from ..play.questions import offers_in
    from ..turn.decisions import MODERATOR

    rows = game.ruleset.rows("decisions")
    offers = [o for o in offers_in(game) if nation in ("", o.to)]
    left = open_decisions(game) if nation in ("", MODERATOR) else []
    here = listed(game)
    asked_now = {o.key for o in left}
    may = [
        one
        for one in here
        if one.key in rows and (nation in ("", str(rows[one.key].get("asks"))) or nation != MODERATOR)
    ]
    given = {n: said for n, said in game.decided().items() if nation in ("", n)}
    flat = [(n, key, said) for n, answers in given.items() for key, said in answers.items()]
    tell(
        format,
        {
            "asked": [{"nation": o.to, "decision": o.key, "by": o.by, "default": o.default} for o in offers]
            + [{"nation": MODERATOR, "decision": o.key, "default": o.default} for o in left],
            "may_be_asked": [one.key for one in may],
            "answered": given,
        },
        *(f"{who_answers(game, o.to)} is asked {in_words(game, o.key)}: {o.said}" for o in offers),
        *(f"The moderator is asked: {one.line}" for one in here if one.key in asked_now),
        *(f"May be asked: {one.line}" for one in may),
        *(
            f"Answered for {who_answers(game, n)}: {in_words(game, key)}: {answer_in_words(game, said)}"
            for n, key, said in flat
        ),
        *(["`wteaw decide NATION LETTER ANSWER` answers; NATION may be `moderator`."] if here else []),
    )


def upgrade(
    game: Path = GAME,
    ruleset: Path = typer.Option(None, "--ruleset", help="The folder of the new rules."),
    scenario: str = typer.Option("", help="A scenario by whose ruleset, and rules of its own, it goes on."),
    yes: bool = typer.Option(False, "--yes", help="Go on under the new rules from here."),
    reason: str = typer.Option("new rules", help="Why; kept with the game."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Replay a game under new rules and show the first difference; with --yes the game goes on under them.

    A game of a scenario that has rules of its own needs the scenario: a folder knows nothing of them.

    Example: wteaw upgrade --game games/flanders --ruleset ruleset
    """
    from ..play.rollback_preview import first_difference
    from ..play.verify import audit
    from .show import sound_ruleset

    if ruleset is None and not scenario:
        raise Stop("which rules? --ruleset FOLDER or --scenario FILE", ExitCode.CALL)
    opened = open_game(game)
    rules = read_scenario(scenario, ruleset)[1] if scenario else sound_ruleset(ruleset)[1]
    if rules.hash == opened.ruleset.hash:
        tell(
            format,
            {"same": True, "difference": None, "changed": False},
            "The game runs on these rules already.",
        )
        return
    for what, fault in audit(opened, _beside(opened)):
        if fault:
            raise Stop(
                f"{what}: {fault}; a game that has been changed by hand keeps its rules", ExitCode.FOUND
            )
    with Working("playing the game again under the new rules"):
        difference = first_difference(opened, rules)
    if yes:
        opened.use_ruleset(rules, reason)
    tell(
        format, {"same": False, "difference": difference, "changed": yes},
        difference or "The game so far comes out the same under the new rules.",
        "The game goes on under the new rules." if yes else "Nothing is changed; `--yes` goes on under the "
                                                            "new rules.",
    )  # fmt: skip
