"""wteaw from Python: load rules, start a game, list, check and submit orders, resolve, read reports, ask for
odds.

A script, a bot and a server need no more than this page; `docs/api.md` plays a turn with it. What raises:
`StoreError` for what a game does not allow now, `NotThere` for an id that is none, `RulesError` for rules
with errors, `Unclear` for a question of odds that cannot be understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .core.diagnostics import has_errors, render
from .core.faults import NotThere, StoreError
from .core.model import Ruleset
from .core.package_data import scenarios
from .odds.ask import Question
from .odds.chain import odds as compute_odds
from .odds.result import Odds
from .orders.intake import Intake
from .orders.legal import legal_orders
from .orders.names import Names
from .orders.odds_question import Composer, Unclear
from .play.begin import new_game
from .play.resolve import TurnOutcome, resolve_turn
from .play.scenario import initial_state
from .play.scenario_files import load_scenario, named_ruleset
from .play.submit import hand_in, read
from .play.views import view_world
from .report.render import as_html, as_text
from .report.turn_reports import report
from .ruleset import load_ruleset
from .ruleset.drawing import read_drawing
from .store import PLAYER, Game
from .world.world import World

__all__ = [
    "Game",
    "Intake",
    "NotThere",
    "Odds",
    "RulesError",
    "Ruleset",
    "StoreError",
    "TurnOutcome",
    "Unclear",
    "begin_game",
    "check_orders",
    "legal_lines",
    "load_rules",
    "odds_of_battle",
    "open_game",
    "report_text",
    "resolve_game",
    "submit_orders",
]


class RulesError(ValueError):
    """A ruleset or a scenario with errors; the message has each at its file and line."""


def load_rules(folder: Path) -> Ruleset:
    """The ruleset of a folder. RulesError if validation finds an error."""
    ruleset, found = load_ruleset(folder)
    if ruleset is None or has_errors(found):
        raise RulesError(render(found, "text"))
    return ruleset


def begin_game(
    scenario: str | Path,
    folder: Path,
    *,
    players: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    seed: bytes | None = None,
) -> Game:
    """Start a game in a new folder from a scenario's file, or the name of a shipped one. Bots play all but
    the `players`.

    `seed` (16 bytes or more) fixes all dice. RulesError for a scenario with errors, NotThere for a nation or
    an option that is none.
    """
    path = Path(scenario)
    if not path.is_file():
        path = scenarios() / f"{scenario}.yaml"
    data, ruleset, found = load_scenario(path)
    if data is None or ruleset is None or has_errors(found):
        raise RulesError(render(found, "text"))
    rules = named_ruleset(data["ruleset"], path.parent)[0] or path.parent
    seats = dict.fromkeys(players, PLAYER)
    return new_game(
        folder,
        data,
        ruleset,
        id_=str(data["id"]),
        seats=seats,
        options=options,
        seed=seed,
        drawing=read_drawing(rules),
    )


def open_game(folder: Path) -> Game:
    """The game of a folder. NotThere if there is none."""
    return Game.open(folder)


def legal_lines(game: Game, nation: str) -> list[str]:
    """Every order that a nation may give now, as the line that a player would write; `<slot>` stands for what
    is open.

    Moves are grouped: the line names all units of a place that can go the same ways.
    """
    world = view_world(game, nation)
    names = Names(world.ruleset, world.state)
    return [entry.text(names) for entry in legal_orders(world, nation)]


def check_orders(game: Game, nation: str, text: str) -> Intake:
    """What a text of orders comes to, by what the nation knows: the orders that are valid, and every finding.
    Nothing is kept.
    """
    return read(game, nation, text)[0]


def submit_orders(game: Game, nation: str, text: str) -> Intake:
    """Submit a text of orders in place of what the nation sent before.

    StoreError if no order of it is valid.
    """
    return hand_in(game, nation, text, PLAYER).taken


def resolve_game(game: Game, *, force: bool = False) -> TurnOutcome:
    """Resolve to the next moment at which a player is asked.

    StoreError names players without orders, unless `force`.
    """
    return resolve_turn(game, force=force)


def report_text(game: Game, nation: str, *, turn: int | None = None, html: bool = False) -> str:
    """A nation's report on a turn (by default the last one) as plain text, or as an HTML page."""
    made = report(game, nation, turn=turn)
    return as_html(made) if html else as_text(made)


def odds_of_battle(
    rules: Game | tuple[Ruleset, Mapping[str, Any]],
    attackers: Iterable[str],
    defenders: Iterable[str],
    *,
    trials: int = 0,
) -> Odds:
    """The odds of a battle of forces such as "NATION: 5 KIND, 2 KIND", exact unless so many `trials` are
    sampled.

    `rules`: a game, whose technologies and options count, or a ruleset with a scenario (the whole of its
    file, as a map). Unclear if the forces cannot be understood.
    """
    if isinstance(rules, Game):
        world = World(rules.ruleset, rules.stage().position.state, geography=rules.geography)
    else:
        world = World(rules[0], initial_state(*rules))
    composer = Composer(world)
    question = Question(composer.battle(""), composer.force(attackers, 0), composer.force(defenders, 1))
    return compute_odds(composer.world, composer.settled(question), trials=trials)
