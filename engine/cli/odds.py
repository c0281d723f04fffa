"""`wteaw odds`: how a battle is likely to end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from ..core.choices import block_of
from ..core.diagnostics import render as render_findings
from ..core.state import State
from ..odds.ask import Question
from ..odds.chain import odds as compute_odds
from ..odds.chart import chart
from ..odds.result import Odds
from ..odds.text import render
from ..orders.odds_question import Composer, Unclear
from ..world.world import World
from . import ExitCode, Stop
from .terminal import Working

SEEKERS = {"": (0,), "attacker": (0,), "both": (0, 1), "kept": ()}


def odds(
    attacker: list[str] = typer.Option(
        [],
        help='Who attacks: "NATION: 10 KIND, 4 KIND; ALLY: 2 KIND" or again for an ally; "NATION from '
        'PLACE: ...".',
    ),
    defender: list[str] = typer.Option(
        [], help="Who defends; with a game or a scenario, by default the units that are there."
    ),
    place: str = typer.Option("", help="Where it is fought: id or name."),
    origin: str = typer.Option(
        "", "--from", help="Where the attackers come from; decides what the border is."
    ),
    works: str = typer.Option("", help="What guards their borders for the defenders."),
    battle: str = typer.Option(
        "", help="The battle, a row of `battles`; by default the one that is fought there by such units."
    ),
    ruleset: Path = typer.Option(None, help="The ruleset's folder (default: the shipped one)."),
    scenario: str = typer.Option("", help="Ask on the start of a scenario."),
    game: Path = typer.Option(None, "--game", help="Ask on the present position of a game."),
    nation: str = typer.Option("", help="See the game as this nation does; whose order it is."),
    order: list[str] = typer.Option(
        [], help="Order text that attacks, instead of --attacker; again for more orders."
    ),
    other: list[str] = typer.Option(
        [], help='With --order: what another nation is expected to order, "NATION: order text".'
    ),
    tech: list[str] = typer.Option([], help='What somebody has researched: "NATION: TECHNOLOGY 1".'),
    loss_order: list[str] = typer.Option([], help='What somebody loses first: "NATION: KIND, KIND".'),
    withdraw_after: int = typer.Option(0, min=0, help="The attacker leaves after so many rounds."),
    withdraw_above: int = typer.Option(-1, min=-1, help="The attacker leaves after losing more units."),
    withdraw_unless: str = typer.Option(
        "", help="K/L: the attacker leaves after K kills if more than L enemies are left."
    ),
    defender_after: int = typer.Option(0, min=0, help="The defender leaves after so many rounds."),
    defender_above: int = typer.Option(-1, min=-1, help="The defender leaves after losing more units."),
    withdraw: list[str] = typer.Option(
        [], help='One nation of a side leaves: "NATION: after 2, above 3, unless 1/2".'
    ),
    contact: str = typer.Option(
        "",
        help="Who looks for the other before later rounds, where contact can be lost: attacker, both, or "
        "kept.",
    ),
    exact_: bool = typer.Option(
        False, "--exact", help="Every outcome, however long it takes; by default big battles are sampled."
    ),
    trials: int = typer.Option(0, min=0, help="Sample so many battles instead."),
    seed: int = typer.Option(1, help="Seed of the samples."),
    format: str = typer.Option("text", help="text, json or svg."),
    plot: Path = typer.Option(None, help="Write a picture, too: a file ending in .svg or .png."),
) -> None:
    """The odds of a battle: chances of its ends, expected losses and survivors, and how the losses are
    spread.

    The same tables and the same code as the real battle are used. Units may have a condition in brackets: "2
    KIND [damage 1]".

    Example: wteaw odds --attacker "NATION: 10 KIND, 4 KIND" --defender "NATION: 8 KIND" --place ID --from ID
    --plot odds.svg
    """
    if exact_ and trials:
        raise Stop("--exact and --trials exclude each other", ExitCode.CALL)
    if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
        raise Stop(f"{plot} must end in .svg or .png", ExitCode.CALL)
    world, whose = _world(ruleset, scenario, game, nation)
    composer = Composer(world)
    try:
        levels = composer.technologies(tech)
        if levels:
            composer.world = _with_technologies(world, levels)
        written = None
        if order:
            if attacker:
                raise Unclear("--order and --attacker exclude each other")
            if not whose:
                raise Unclear("--order needs --nation, and --game or --scenario")
            force = composer.force(defender, 1) if defender else None
            written, start = composer.from_orders("\n".join(order), whose, force, other)
            composer.world = written.world
            if written.question is None:  # they bring about several battles: each turn is played out
                if battle or works or withdraw or contact:
                    raise Unclear(
                        "--battle, --works, --withdraw and --contact are for one battle, and these orders "
                        "bring more"
                    )
                if exact_:
                    raise Unclear("these orders bring more than one battle: leave out --exact")
                with Working("resolving the turn again and again"):
                    result, question = composer.resolved(written, trials=trials, seed=seed)
                _show(result, composer, replace(question, start=start), format, plot)
                return
            asked = replace(written.question, start=start)
        else:
            leave = (
                _limits(withdraw_after, withdraw_above, withdraw_unless),
                _limits(defender_after, defender_above, ""),
            )
            asked = _between_forces(composer, attacker, defender, place, origin, battle, loss_order, leave)
        question = _as_told(composer, asked, battle, works, withdraw, contact)
    except Unclear as unclear:
        found = f"\n{render_findings(unclear.found, 'text')}" if unclear.found else ""
        raise Stop(f"{unclear}{found}", ExitCode.CALL) from None
    most = {"most": None} if exact_ else {}
    with Working("computing the odds"):
        result = compute_odds(composer.world, question, trials=trials, seed=seed, **most)
        if written is not None:
            result = written.with_aftermath(result, seed=seed)
    _show(result, composer, question, format, plot)


def _between_forces(
    composer: Composer, attacker: list[str], defender: list[str], place: str, origin: str, battle: str,
    loss_order: list[str], leave: tuple[dict[str, Any], dict[str, Any]],
) -> Question:  # fmt: skip
    """The battle of the forces that --attacker and --defender name; who stands in the place, if nobody is
    named. `leave` says of either side when it withdraws.
    """
    where = composer.place(place)
    attackers = composer.force(attacker, 0, where)
    if defender:
        defenders = composer.force(defender, 1)
    else:
        defenders = composer.defenders(where, attackers) if where else {}
    return Question(
        composer.battle(battle),
        attackers,
        defenders,
        where,
        composer.place(origin),
        orders=composer.loss_orders(loss_order),
        limits={side: limits for side, limits in enumerate(leave) if limits},
    )


def _as_told(
    composer: Composer, asked: Question, battle: str, works: str, withdraw: list[str], contact: str
) -> Question:
    """A question with what the other options say of its battle. Unclear if they do not fit it."""
    asked = replace(asked, limits=_own_limits(composer, asked, withdraw))
    if contact not in SEEKERS:
        raise Unclear(f"--contact is attacker, both or kept, not {contact!r}")
    question = composer.settled(
        replace(
            asked,
            battle=composer.battle(battle) or asked.battle,
            works=composer.works(works) or asked.works,
        )
    )
    question = replace(question, seekers=SEEKERS[contact])
    row = composer.rules.row("battles", question.battle)
    if question.seekers and block_of(row, "where").get("contact_again"):
        composer.notes.append(
            "contact must be found again before every later round (--contact kept leaves that out)"
        )
    return question


def _show(result: Odds, composer: Composer, question: Question, format: str, plot: Path | None) -> None:
    for note in composer.notes:
        typer.echo(f"note: {note}", err=True)
    words = _ShortNames(composer)
    title = composer.title(question)
    if format == "json":
        asked = {
            "battle": question.battle,
            "place": question.place,
            "from": question.start,
            "works": question.works,
        }
        typer.echo(json.dumps({"question": asked, **result.to_json()}, indent=2, sort_keys=True))
    elif format == "svg":
        typer.echo(chart(result, title, words), nl=False)
    else:
        typer.echo(render(result, title, words))
    if plot is not None:
        picture = chart(result, title, words)
        try:
            if plot.suffix.lower() == ".png":
                from ..report.map import to_png

                plot.write_bytes(to_png(picture, 1920))
            else:
                plot.write_text(picture, encoding="utf-8")
        except OSError as error:
            raise Stop(f"{plot} cannot be written: {error.strerror}", ExitCode.MACHINE) from None


class _ShortNames:
    """Names for texts and pictures."""

    def __init__(self, composer: Composer) -> None:
        self.nation = composer.nation_name
        self.unit = composer.unit_name


def _world(ruleset: Path | None, scenario: str, game: Path | None, nation: str) -> tuple[World, str]:
    """The world that is asked, and the nation that asks."""
    if sum((ruleset is not None, bool(scenario), game is not None)) > 1:
        raise Stop("--ruleset, --scenario and --game exclude each other", ExitCode.CALL)
    if game is not None:
        from ..play.views import view_world
        from .game import open_game
        from .names import nation_named

        opened = open_game(game)
        if nation:
            whose = nation_named(nation, opened.ruleset, opened.stage().position.state)
            return view_world(opened, whose), whose
        position = opened.stage().position
        return World(opened.ruleset, position.state, moments=position.moments, geography=opened.geography), ""
    if scenario:
        from ..play.scenario import initial_state
        from .game import read_scenario

        data, rules, _ = read_scenario(scenario)
        state = initial_state(rules, data)
        world = World(rules, state, moments=dict.fromkeys(("start", "turn", "phase"), state))
    else:
        from .show import sound_ruleset

        _, compiled = sound_ruleset(ruleset)
        world = World(compiled, State({"game": {"game": {"turn": 1}}}))
    if not nation:
        return world, ""
    try:
        return world, Composer(world).nation(nation)
    except Unclear as unclear:
        raise Stop(str(unclear), ExitCode.CALL) from None


def _with_technologies(world: World, levels: dict[str, dict[str, int]]) -> World:
    from ..battle.scene import scene

    return scene(world, {}, {"techs": levels})


def _own_limits(composer: Composer, question: Question, texts: list[str]) -> dict[int, Any]:
    """The question's limits with those of single nations."""
    out: dict[int, Any] = {side: dict(limits) for side, limits in question.limits.items()}
    for owner, limits in composer.limits(texts).items():
        sides = [
            s
            for s, force in ((0, question.attackers), (1, question.defenders))
            if any(key[0] == owner for key in force)
        ]
        if not sides:
            raise Unclear(f"{composer.nation_name(owner)} has no units in this battle")
        out.setdefault(sides[0], {}).setdefault("by", {})[owner] = limits
    return out


def _limits(after: int, above: int, unless: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if after:
        out["rounds"] = after
    if above >= 0:
        out["losses"] = above
    if unless:
        kills, slash, left = unless.partition("/")
        if not slash or not kills.strip().isdigit() or not left.strip().isdigit():
            raise Unclear(
                "--withdraw-unless is two numbers, such as 2/3 (after 2 kills if more than 3 are left), "
                f"not {unless!r}"
            )
        out["kills"] = {"kills": int(kills), "left": int(left)}
    return out
