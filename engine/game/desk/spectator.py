"""The pages for whoever looks on: what everybody may know, and, when a game has ended, everything."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from ..store import Game
from ..turn_reports import last_turn
from .pages import Head, map_page, map_picture
from .sight import ALL, PUBLIC, sight
from .web import Denied, Visit

PAGES = [("news", "News"), ("map", "Map"), ("figures", "Figures")]


def reader(game: Game) -> str:
    """As whom onlookers see a game: as everybody, and as one who may see all when it has ended."""
    return ALL if game.stage().position.ended else PUBLIC


def _game(visit: Visit) -> str:
    """The game that is looked at: that of the role, or one that is open to all."""
    if visit.session is not None:
        return visit.role.game
    id_ = str(visit.request.path_params["game"])
    if id_ not in visit.hall.ids() or not visit.hall.settings(id_).public:
        raise Denied(404, "There is no such page.")
    visit.base = f"/public/{id_}"
    return id_


def _head(visit: Visit, game: Game, page: str) -> Head:
    return Head.of(visit, game, "everybody", page, PAGES, {})


def front(visit: Visit) -> Response:
    """An open game begins with its news."""
    _game(visit)
    return RedirectResponse(visit.path("news"), status_code=303)


def news(visit: Visit) -> Response:
    """What everybody has heard of a turn."""
    with visit.hall.sent(_game(visit)) as game:
        seen = sight(visit.hall, game, reader(game), visit.number("turn"))
        windows = map_page(visit, game, reader(game), seen.turn)
        shown = [p for p in seen.report.parts if p.title in ("News", "Land", "Notices", "Your part now")]
        return visit.show(
            "news.html.j2", head=_head(visit, game, "news"), seen=seen, parts=shown, windows=windows, last=last_turn(game)
        )


def map_(visit: Visit) -> Response:
    """The map by turn."""
    with visit.hall.sent(_game(visit)) as game:
        windows = map_page(visit, game, reader(game), visit.number("turn"))
        return visit.show("map.html.j2", head=_head(visit, game, "map"), windows=windows, last=last_turn(game))


def map_svg(visit: Visit) -> Response:
    """The picture of the map."""
    with visit.hall.sent(_game(visit)) as game:
        return map_picture(visit, game, reader(game))


def figures(visit: Visit) -> Response:
    """How the nations stand, as far as everybody may know; luck when the game has ended."""
    with visit.hall.sent(_game(visit)) as game:
        seen = sight(visit.hall, game, reader(game), visit.number("turn"))
        shown = [p for p in seen.report.parts if p.title in ("Nations", "Standing", "Battles", "Luck")]
        return visit.show("figures.html.j2", head=_head(visit, game, "figures"), seen=seen, parts=shown, last=last_turn(game))
