"""Orders on the map: the map of the orders page, the orders of a draft as arrows on it, and what can be
chosen at a place.

What a place is told to be, and what can be ordered there, is as the nation knows it; the map is the one of
its reports.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from wteaw.play.views import Views
from wteaw.report.map.page import GRID, Region
from wteaw.store import Game
from wteaw.turn.validated_orders import ValidatedOrder

from .games import Games
from .order_choices import Choice, Menu
from .order_menu import menu_of
from .order_places import by_importance, neighbors_of, places_of, routes_of, subject_of, units_taken
from .pictures import MapPicture, picture
from .presenters import place_of, stand
from .web import Visit

MAP = "om"
"""What ids and looks of the orders page's map begin with."""
KINDS = ("attack", "march", "move", "support", "hold")
"""How orders may be drawn; a ruleset says which are (`orders` in `map/marks.yaml`: order -> one of these)."""
SHORT = 14.0
"""Sheet units that an arrow keeps away from the middle of a place."""


# ---- the map


def ground(hall: Games, game: Game, nation: str) -> MapPicture:
    """The map on which a nation orders: where its places lead is the orders page."""
    return hall.kept(
        _kept_as("ground", hall, game, nation), lambda: hall.work(make_ground, *place_of(game), nation)
    )


def make_ground(hall: Games, id_: str, stage: int, head: str, nation: str) -> MapPicture:
    """The same of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        world = Views(game, game.stage().position).world(nation)
        return picture(
            game.ruleset, world.state, game.drawing(), title=f"{game.head['title']}: the map", reader=nation,
            link="?place=", prefix=MAP,
        )  # fmt: skip


def looks(visit: Visit) -> Response:
    """The looks of the orders page's map, as a file of its own."""
    with visit.hall.sent(visit.role.game) as game:
        return Response(ground(visit.hall, game, visit.role.nation).looks, media_type="text/css")


def windows_of(visit: Visit, game: Game, picture: MapPicture, beside: OrderPanel) -> tuple[list[Region], int]:
    """The parts of the map to choose from, and which of them is shown: by default what lies round the
    place.
    """
    regions, wanted = list(picture.page.regions), visit.number("window")
    if beside.place:
        near = picture.page.around(f"Round {beside.name}", [beside.place, *(p for p, _, _ in beside.near)])
        regions += [near] if near is not None else []
        wanted = len(regions) - 1 if wanted is None else wanted
    return regions, wanted if wanted is not None and wanted < len(regions) else 0


# ---- what can be chosen


def menu(hall: Games, game: Game, nation: str) -> Menu:
    """Everything that a nation can order, as lists."""
    return hall.kept(
        _kept_as("menu", hall, game, nation), lambda: hall.work(make_menu, *place_of(game), nation)
    )


def is_at_hand(hall: Games, game: Game, nation: str) -> bool:
    """Whether map and menu are there already: to make them takes about a second of another process."""
    return all(hall.is_kept(_kept_as(what, hall, game, nation)) for what in ("ground", "menu"))


def _kept_as(what: str, hall: Games, game: Game, nation: str) -> tuple[object, ...]:
    return (what, *stand(hall, game), nation)


def make_menu(hall: Games, id_: str, stage: int, head: str, nation: str) -> Menu:
    """The same of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game, hall.world(game, nation) as world:
        return menu_of(world, nation)


@dataclass(frozen=True)
class OrderPanel:
    """What stands beside the map: the place or the phase that was chosen, what is known of it, and what can
    be ordered.

    `mine` are the nation's places by id and name, `idle` those of them whose units have no order yet, in
    groups, the most pressed first; `near` the places beside the chosen one (id, name, what is known there);
    `inbound` those from which something can be sent there; `opened` is the order that is unfolded, `said`
    what was added last, `problem` why nothing was.
    """

    place: str = ""
    name: str = ""
    told: str = ""
    phase: str = ""
    phases: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    mine: tuple[tuple[str, str], ...] = ()
    idle: tuple[tuple[tuple[str, str], ...], ...] = ()
    near: tuple[tuple[str, str, str], ...] = ()
    inbound: tuple[tuple[str, str, str], ...] = ()
    lines: tuple[int, ...] = ()
    known: Mapping[str, str] | None = None
    opened: str = ""
    said: str = ""
    problem: str = ""


def panel(
    visit: Visit,
    game: Game,
    nation: str,
    given: Sequence[ValidatedOrder],
    *,
    opened: str = "",
    said: str = "",
    problem: str = "",
) -> OrderPanel:
    """The panel for the place or phase that the address or the form names."""
    place = visit.form.get("at") or visit.query("place")
    phase = visit.form.get("phase") or visit.query("phase")
    found, told = menu(visit.hall, game, nation), ground(visit.hall, game, nation).page.told
    known = visit.hall.of_stage(game, ("known", nation), lambda: {p: _known(told, p) for p in told})
    with visit.hall.world(game, nation) as world:
        mine = places_of(world, nation)
        busy = {world.whole_of(subject_of(order)) for order in given if subject_of(order)}
        with_units = {p for p, some in found.places.items() if any(c.units or c.usual for c in some)}
        waiting = {
            world.whole_of(p): (p, name) for p, name in reversed(mine) if world.whole_of(p) not in busy
        }
        left = (waiting[p] for p in waiting if p in with_units or waiting[p][0] in with_units)
        idle = tuple(tuple(group) for group in by_importance(world, nation, left))
        names = {p: str(row.get("name", p)) for p, row in world.ruleset.rows("places").items()}
        if place in names:
            place = world.whole_of(place) if place not in found.places else place
            return OrderPanel(
                place=place,
                name=names[place],
                told=known.get(place, ""),
                phases=tuple(found.phases),
                choices=found.at(place, units_taken(world, nation, place, given)),
                mine=tuple(mine),
                idle=idle,
                near=tuple((p, name, known.get(p, "")) for p, name in neighbors_of(world, place)),
                inbound=tuple((p, names.get(p, p), how) for p, how in found.toward.get(place, ())),
                lines=tuple(int(o.order.get("line", 0)) for o in given if place in routes_of(world, o)),
                known=known,
                opened=opened,
                said=said,
                problem=problem,
            )
    phase = phase if phase in found.phases else ""
    return OrderPanel(
        phase=phase,
        phases=tuple(found.phases),
        choices=found.phases.get(phase, ()),
        mine=tuple(mine),
        idle=idle,
        known=known,
        opened=opened,
        said=said,
        problem=problem,
    )


def _known(told: Mapping[str, str], place: str) -> str:
    """What the map says of a place but its name."""
    text = told.get(place, "")
    owner, _, rest = text.partition("; ")
    holder = owner[owner.rfind("(") + 1 : -1] if owner.endswith(")") else ""
    return "; ".join(filter(None, (holder, rest)))


# ---- orders as arrows


def arrows(visit: Visit, game: Game, nation: str, given: Iterable[ValidatedOrder], chosen: str = "") -> str:
    """What is drawn over the map (SVG): the chosen place with its neighbors, and every order that stands,
    leading to its line.
    """
    page = ground(visit.hall, game, nation).page
    styles = visit.hall.of_stage(game, ("order styles",), lambda: game.drawing().marks.get("orders", {}))
    parts = []
    with visit.hall.world(game, nation) as world:
        if chosen in page.told:
            for place, look in [*((p, "near") for p, _ in neighbors_of(world, chosen)), (chosen, "chosen")]:
                if data := page.outlines.get(place):
                    parts.append(f'<path class="{look}" d="{data}" transform="scale({GRID:g})"/>')
        for order in given:
            route = [page.spots[p] for p in routes_of(world, order) if p in page.spots]
            drawn = _drawn(_kind(order, styles, len(route)), route, int(order.order.get("line", 0)))
            parts.append(drawn)
    return "".join(parts)


def _kind(order: ValidatedOrder, styles: Mapping[str, Any], places: int) -> str:
    """How an order is drawn: as the ruleset says, else by what it does."""
    wanted = str(styles.get(order.verb, ""))
    if wanted in KINDS:
        return wanted
    if order.attacks:
        return "attack"
    if places < 2:
        return "hold"
    return "move" if len(order.path) > 1 else "support"


def _drawn(kind: str, route: Sequence[tuple[float, float]], line: int) -> str:
    """One order as an arrow with its number, leading to its line; a ring round the place of one that goes
    nowhere.
    """
    if not route:
        return ""
    if len(route) == 1:
        x, y = route[0]
        mark = "".join(
            f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="13"/>' for look in ("halo", "way")
        )
        y -= 13
    else:
        ends = route[1:]
        if kind == "support" and len(ends) > 1:  # help for a way of others: to its middle
            ends = [((ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2)]
        mark, (x, y) = _arrow([route[0], *ends])
    number = (
        f'<circle class="no" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/><text x="{x:.1f}" '
        f'y="{y + 3.6:.1f}">{line}</text>'
    )
    return f'<a class="order {kind}" href="#l{line}" aria-label="Order of line {line}">{mark}{number}</a>'


def _arrow(route: Sequence[tuple[float, float]]) -> tuple[str, tuple[float, float]]:
    """A line through points, bent if there are two, with a head at its end; and the point where its number
    stands.
    """
    (xa, ya), (xb, yb) = route[-2], route[-1]
    length = math.hypot(xb - xa, yb - ya) or 1.0
    keep = min(SHORT, length / 4)
    ux, uy = (xb - xa) / length, (yb - ya) / length
    end = (xb - ux * keep, yb - uy * keep)
    if len(route) == 2:
        bend = ((xa + end[0]) / 2 - uy * length * 0.12, (ya + end[1]) / 2 + ux * length * 0.12)
        curve = f"M{xa:.1f},{ya:.1f}Q{bend[0]:.1f},{bend[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
        middle = ((xa + 2 * bend[0] + end[0]) / 4, (ya + 2 * bend[1] + end[1]) / 4)
        along = math.hypot(end[0] - bend[0], end[1] - bend[1]) or 1.0
        ux, uy = (end[0] - bend[0]) / along, (end[1] - bend[1]) / along
    else:
        curve = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in [*route[:-1], end])
        middle = ((route[0][0] + route[1][0]) / 2, (route[0][1] + route[1][1]) / 2)
    back = (end[0] - ux * 9, end[1] - uy * 9)
    left, right = (back[0] - uy * 5, back[1] + ux * 5), (back[0] + uy * 5, back[1] - ux * 5)
    tip = f"M{end[0]:.1f},{end[1]:.1f}L{left[0]:.1f},{left[1]:.1f}L{right[0]:.1f},{right[1]:.1f}Z"
    return (
        f'<path class="halo" d="{curve}"/><path class="way" d="{curve}"/><path class="tip" d="{tip}"/>',
        middle,
    )
