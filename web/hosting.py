"""The pages of the host of a desk: its games, and how one is started."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, count
from typing import Any

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.core.model import Ruleset
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import standing_of
from wteaw.play.scenario_files import option_values
from wteaw.store import PLAYER
from wteaw.store.drawing import Drawing

from .accounts import MODERATOR, address, stamp
from .accounts import PLAYER as PLAYS
from .actions import phase
from .demonstration import ready_to_play
from .games import Settings
from .invitations import invite
from .web import Visit

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
MOST_PLAYERS = 60
MOST_DAYS = 365


@dataclass(frozen=True)
class GameListing:
    """One game in the list: where it is run, what it waits for, who is late."""

    id: str
    title: str
    turn: int
    state: str
    waits: str
    late: int
    due: str
    address: str


def games(visit: Visit) -> Response:
    """Every game of the desk, with what is late and what waits."""
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
                    id_,
                    str(game.head["title"]),
                    game.stage().position.turn,
                    phase(visit.hall, game),
                    told["waits"],
                    late,
                    visit.hall.settings(id_).due,
                    f"/seat/{mine.id}/game" if mine and inside else "",
                )
            )
    return visit.show(
        "games.html.j2", lines=lines, shipped=_shipped(), chosen=_chosen(scenario), typed=typed, wrong=wrong,
        status=409 if wrong else 200,
    )  # fmt: skip


def _shipped() -> dict[str, str]:
    """The scenarios that come with the program: file and name."""
    return {p.stem: p.stem for p in sorted(scenarios().glob("*.yaml"))}


def _chosen(name: str) -> Any:
    """The scenario that was chosen for a new game, with its nations and options; None before."""
    if name not in _shipped():
        return None
    scenario, ruleset, _ = ready_to_play(scenarios() / f"{name}.yaml")
    nations = sorted(
        ((n, str(r.get("name", n))) for n, r in ruleset.rows("nations").items()), key=lambda p: p[1]
    )
    options = [
        (
            o,
            str(r.get("name", o)),
            str(r.get("text", "")),
            [str(v).lower() for v in option_values(r)],
            str(r["default"]).lower(),
        )
        for o, r in ruleset.rows("options").items()
    ]
    return {
        "scenario": name,
        "title": str(scenario.get("title", name)),
        "nations": nations,
        "options": options,
    }


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
    wrong: dict[str, str] = {}
    id_ = form.get("id", "").strip().lower() or _name_from(title or name, visit.hall.ids())
    if not _ID.fullmatch(id_):
        wrong["id"] = "a game's name is made of small letters, digits and hyphens, at most 40"
    elif id_ in visit.hall.ids():
        wrong["id"] = f"there is a game {id_} already"
    seated: dict[str, str] = {}
    for nation in ruleset.rows("nations"):
        if email := form.get(f"player-{nation}", "").strip():
            try:
                seated[nation] = address(email)
            except StoreError as error:
                wrong[f"player-{nation}"] = str(error)
    if len(seated) > MOST_PLAYERS:
        wrong["players"] = f"at most {MOST_PLAYERS} players"
    days = form.get("days", "").strip() or "0"
    if not (days.isascii() and days.isdigit() and int(days) <= MOST_DAYS):
        wrong["days"] = f"a number from 0 (no deadlines) to {MOST_DAYS}"
    options = {o: form[f"option-{o}"] for o in ruleset.rows("options") if form.get(f"option-{o}")}
    if not wrong:
        try:
            _begin(
                visit,
                id_,
                {**scenario, **({"title": title} if title else {})},
                ruleset,
                drawing,
                options,
                seated,
                int(days),
            )
        except StoreError as error:
            wrong["form"] = str(error)
    return _page(visit, name, form, wrong) if wrong else visit.go("games", "started")


def _name_from(title: str, taken: Collection[str]) -> str:
    """A short name for a game, made of its title."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:36].rstrip("-") or "game"
    numbered = (f"{name}-{k}" for k in count(2))
    return next(n for n in chain((name,), numbered) if n not in taken)


def _begin(
    visit: Visit,
    id_: str,
    scenario: Mapping[str, Any],
    ruleset: Ruleset,
    drawing: Drawing,
    options: Mapping[str, str],
    seated: Mapping[str, str],
    days: int,
) -> None:
    """Make a game, seat its players (nation to address) and invite them. StoreError where that cannot be."""
    due = stamp(visit.hall.clock() + timedelta(days=days)) if days else ""
    seats = dict.fromkeys(seated, PLAYER)
    with visit.hall.changing(id_):
        try:
            game = new_game(
                visit.hall.engine, scenario, ruleset, id_=id_, seats=seats, options=options, drawing=drawing
            )
        except ValueError as error:
            raise StoreError(str(error)) from None
        visit.hall.keep(Settings(id_, due=due, days=days))
        visit.hall.send(game)
        visit.hall.note(
            id_,
            visit.role.name or "the host",
            f"The game was started; publish its anchor: {game.head['anchor']}",
        )
        mine = visit.hall.people.add(id_, MODERATOR, name=visit.role.name, email=visit.role.email)
        visit.hall.people.take_up(visit.browser, mine)
        for nation, email in seated.items():
            role = visit.hall.people.add(id_, PLAYS, nation=nation, name=email.partition("@")[0], email=email)
            invite(visit.desk, game, role, visit.role.name or visit.role.email)
