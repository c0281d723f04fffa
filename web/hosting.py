"""The pages of the host of a desk: its games, and how one is started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import standing_of
from wteaw.play.scenario_files import option_values
from wteaw.store import PLAYER

from .accounts import MODERATOR, address, stamp
from .accounts import PLAYER as PLAYS
from .actions import phase
from .demonstration import ready_to_play
from .games import Settings
from .invitations import invite
from .web import Visit

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
MOST_PLAYERS = 60


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
    lines = []
    for id_ in visit.hall.ids():
        with visit.hall.game(id_) as game:
            told = standing_of(game)
            late = sum(not s["sent"] for s in told["seats"])
            mine = next((r for r in visit.hall.people.of_game(id_) if r.role == MODERATOR and r.email == visit.role.email), None)
            inside = mine is not None and visit.hall.people.session(visit.browser, mine.id) is not None
            lines.append(
                GameListing(
                    id_, str(game.head["title"]), game.stage().position.turn, phase(visit.hall, game), told["waits"], late,
                    visit.hall.settings(id_).due, f"/seat/{mine.id}/game" if mine and inside else "",
                )
            )  # fmt: skip
    return visit.show("games.html.j2", lines=lines, shipped=_shipped(), chosen=_chosen(visit))


def _shipped() -> dict[str, str]:
    """The scenarios that come with the program: file and name."""
    return {p.stem: p.stem for p in sorted(scenarios().glob("*.yaml"))}


def _chosen(visit: Visit) -> Any:
    """The scenario that was chosen for a new game, with its nations and options; None before."""
    name = visit.query("scenario")
    if name not in _shipped():
        return None
    scenario, ruleset, _ = ready_to_play(scenarios() / f"{name}.yaml")
    nations = sorted(((n, str(r.get("name", n))) for n, r in ruleset.rows("nations").items()), key=lambda p: p[1])
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
    return {"scenario": name, "title": str(scenario.get("title", name)), "nations": nations, "options": options}


def start(visit: Visit) -> Response:
    """Start a game: who plays what, by a line for each player (nation, address), and who moderates."""
    form = visit.form
    name, id_ = form.get("scenario", ""), form.get("id", "").strip().lower()
    if name not in _shipped():
        raise StoreError("choose a scenario")
    if not _ID.fullmatch(id_):
        raise StoreError("a game's name is made of small letters, digits and hyphens, at most 40")
    scenario, ruleset, drawing = ready_to_play(scenarios() / f"{name}.yaml")
    title = form.get("title", "").strip()[:100]
    if title:
        scenario = {**scenario, "title": title}
    wanted = {n: form.get(f"player-{n}", "").strip() for n in ruleset.rows("nations")}
    seated = {n: address(email) for n, email in wanted.items() if email}
    if len(seated) > MOST_PLAYERS:
        raise StoreError(f"at most {MOST_PLAYERS} players")
    options = {o: form[f"option-{o}"] for o in ruleset.rows("options") if form.get(f"option-{o}")}
    days = min(visit.number("days") or 0, 365)
    due = stamp(visit.hall.clock() + timedelta(days=days)) if days else ""
    seats = dict.fromkeys(seated, PLAYER)
    with visit.hall.changing(id_):
        try:
            game = new_game(visit.hall.engine, scenario, ruleset, id_=id_, seats=seats, options=options, drawing=drawing)
        except ValueError as error:
            raise StoreError(str(error)) from None
        visit.hall.keep(Settings(id_, due=due, days=days))
        visit.hall.send(game)
        visit.hall.note(id_, visit.role.name or "the host", f"The game was started; publish its anchor: {game.head['anchor']}")
        mine = visit.hall.people.add(id_, MODERATOR, name=visit.role.name, email=visit.role.email)
        visit.hall.people.take_up(visit.browser, mine)
        for nation, email in seated.items():
            role = visit.hall.people.add(id_, PLAYS, nation=nation, name=email.partition("@")[0], email=email)
            invite(visit.desk, game, role, visit.role.name or visit.role.email)
    return visit.go("games", "started")
