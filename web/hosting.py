"""The pages of the host of a server: its games, and how one is started."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, count
from typing import Any

from starlette.responses import Response

from wteaw.cli.completion import value_in
from wteaw.core.faults import StoreError, one_line
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import standing_of
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import choice_in_words, option_values
from wteaw.ruleset.drawing import Drawing
from wteaw.store import PLAYER, Game
from wteaw.turn import vacancies
from wteaw.world.world import World

from .accounts import MODERATOR, Role, address, name_from, stamp
from .accounts import PLAYER as PLAYS
from .actions import phase
from .demonstration import ranked, ready_to_play
from .games import Settings
from .invitations import invite
from .moderator import MOST_DAYS, number_of, zone_of
from .web import Visit

LOG = logging.getLogger("wteaw.server")
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
MOST_PLAYERS = 60
MOST_FIRST = 9
"""Nations that the form of a new game begins with: those that hold most; the others are folded up."""


@dataclass(frozen=True)
class GameListing:
    """One game in the list: where it is run, what it waits for, how many of those who are asked have not
    sent, and whether their time is over.
    """

    id: str
    title: str
    turn: int
    state: str
    waits: str
    late: int
    asked: int
    over: bool
    due: str
    address: str


def games(visit: Visit) -> Response:
    """Every game of the server, with what is late and what waits."""
    return _page(visit, visit.query("scenario"), {}, {})


def _page(visit: Visit, scenario: str, typed: Mapping[str, str], wrong: Mapping[str, str]) -> Response:
    """The list of games and the form for a new one: with what was `typed`, and what is `wrong`, field by
    field.
    """
    lines = []
    for id_ in visit.hall.ids():
        with visit.hall.game(id_) as game:
            told = standing_of(game)
            late = sum(not s["sent"] for s in told["seats"])
            due = visit.hall.settings(id_).due
            mine = next(
                (
                    r
                    for r in visit.hall.people.of_game(id_)
                    if r.role == MODERATOR and r.email == visit.role.email
                ),
                None,
            )
            inside = mine is not None and visit.hall.people.session(visit.browser, mine.id) is not None
            lines.append(
                GameListing(
                    id=id_,
                    title=str(game.head["title"]),
                    turn=game.stage().position.turn,
                    state=phase(visit.hall, game),
                    waits=told["waits"],
                    late=late,
                    asked=len(told["seats"]),
                    over=bool(due) and due < stamp(visit.hall.clock()),
                    due=due,
                    address=f"/seat/{mine.id}/game" if mine and inside else "",
                )
            )
    return visit.show(
        "games.html.j2", lines=lines, shipped=_shipped(), chosen=_chosen(scenario), typed=typed, wrong=wrong,
        status=409 if wrong else 200,
    )  # fmt: skip


def _shipped() -> dict[str, str]:
    """The scenarios that come with the program: file and title."""
    return {p.stem: value_in(p, "title") or p.stem for p in sorted(scenarios().glob("*.yaml"))}


def _chosen(name: str) -> Any:
    """The scenario that was chosen for a new game, with its nations and options; None before."""
    if name not in _shipped():
        return None
    scenario, ruleset, _ = ready_to_play(scenarios() / f"{name}.yaml")
    world = World(ruleset, initial_state(ruleset, scenario))
    names = {n: str(ruleset.row("nations", n).get("name", n)) for n in _to_play(world)}
    first = [n for n in ranked(world) if n in names][:MOST_FIRST]
    options = [
        (
            o,
            str(r.get("name", o)),
            str(r.get("text", "")),
            [(str(v).lower(), choice_in_words(v)) for v in option_values(r)],
            str(r["default"]).lower(),
        )
        for o, r in ruleset.rows("options").items()
    ]
    return {
        "scenario": name,
        "title": str(scenario.get("title", name)),
        "nations": sorted(((n, names[n]) for n in first), key=lambda p: p[1]),
        "others": sorted(((n, name) for n, name in names.items() if n not in first), key=lambda p: p[1]),
        "options": options,
    }


def _to_play(world: World) -> list[str]:
    """The nations that somebody can play: all whose seat is not nobody's, as that of neutrals is."""
    return [n for n in world.ruleset.rows("nations") if vacancies.seat(world, n) != "none"]


def start(visit: Visit) -> Response:
    """Start a game: who plays what, by a line for each player (nation, address), and who moderates.

    Whatever is wrong is told at its field, with everything else as it was typed.
    """
    form = visit.form
    name = form.get("scenario", "")
    if name not in _shipped():
        raise StoreError("choose a scenario")
    scenario, ruleset, drawing = ready_to_play(scenarios() / f"{name}.yaml")
    title = form.get("title", "").strip()[:100]
    who = one_line(form.get("who", "").strip())[:100] or visit.role.name or visit.role.email
    wrong: dict[str, str] = {}
    id_ = form.get("id", "").strip().lower() or _name_from(title or name, visit.hall.ids())
    if not _ID.fullmatch(id_):
        wrong["id"] = "a game's name is made of small letters, digits and hyphens, at most 40"
    elif id_ in visit.hall.ids():
        wrong["id"] = f"there is a game {id_} already"
    seated: dict[str, str] = {}
    for nation in _to_play(World(ruleset, initial_state(ruleset, scenario))):
        if email := form.get(f"player-{nation}", "").strip():
            try:
                seated[nation] = address(email)
            except StoreError as error:
                wrong[f"player-{nation}"] = str(error)
    if len(seated) > MOST_PLAYERS:
        wrong["players"] = f"at most {MOST_PLAYERS} players"
    days, zone = 0, ""
    try:
        days = number_of(form, "days", "0 is without deadlines", MOST_DAYS)
    except StoreError as error:
        wrong["days"] = str(error)
    try:
        zone = zone_of(form.get("zone", ""))
    except StoreError as error:
        wrong["zone"] = str(error)
    options = {o: form[f"option-{o}"] for o in ruleset.rows("options") if form.get(f"option-{o}")}
    if not wrong:
        try:
            game, roles = _begin(
                visit,
                who,
                id_,
                {**scenario, **({"title": title} if title else {})},
                ruleset,
                drawing,
                options,
                seated,
                days,
                zone,
            )
        except StoreError as error:
            wrong["form"] = str(error)
    if wrong:
        return _page(visit, name, form, wrong)
    try:
        invite(visit.server, game, roles, who)
    except StoreError as error:  # the game is there all the same
        LOG.error("%s: %s", id_, error)
        return visit.go("games", "uninvited")
    return visit.go("games", "started")


def _name_from(title: str, taken: Collection[str]) -> str:
    """A short name for a game, made of its title."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:36].rstrip("-") or "game"
    numbered = (f"{name}-{k}" for k in count(2))
    return next(n for n in chain((name,), numbered) if n not in taken)


def _begin(
    visit: Visit,
    who: str,
    id_: str,
    scenario: Mapping[str, Any],
    ruleset: Ruleset,
    drawing: Drawing,
    options: Mapping[str, str],
    seated: Mapping[str, str],
    days: int,
    zone: str,
) -> tuple[Game, list[Role]]:
    """Make a game and seat its players (nation to address), who are not invited yet. StoreError where that
    cannot be.
    """
    due = stamp(visit.hall.clock() + timedelta(days=days)) if days else ""
    seats = dict.fromkeys(seated, PLAYER)
    with visit.hall.changing(id_):
        try:
            game = new_game(
                visit.hall.engine, scenario, ruleset, id_=id_, seats=seats, options=options, drawing=drawing
            )
        except ValueError as error:
            raise StoreError(str(error)) from None
        visit.hall.keep(Settings(id_, due=due, days=days, zone=zone))
        visit.hall.send(game)
        visit.hall.note(
            id_,
            who,
            f"The game was started; publish its anchor: {game.head['anchor']}",
        )
        mine = visit.hall.people.add(id_, MODERATOR, name=who, email=visit.role.email)
        visit.hall.people.take_up(visit.browser, mine)
        roles = [
            visit.hall.people.add(id_, PLAYS, nation=nation, name=name_from(email), email=email)
            for nation, email in seated.items()
        ]
    return game, roles
