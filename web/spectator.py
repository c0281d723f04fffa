"""The pages for whoever looks on: what everybody may know, and, when a game has ended, everything."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from wteaw.play.dice_statistics import luck
from wteaw.play.views import whole_world
from wteaw.report.dice_statistics import luck_part
from wteaw.report.document import Picture, ReportPart
from wteaw.report.render import picture_file
from wteaw.report.turn_reports import reported_turns
from wteaw.store import Game
from wteaw_lab.statistics import statistics
from wteaw_lab.statistics_page import statistics_parts

from .games import Games
from .holdings import holdings
from .pages import PageHead, map_page, map_picture, svg_file
from .presenters import ALL, PUBLIC, place_of, sight, stand
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


def _head(visit: Visit, game: Game, page: str) -> PageHead:
    return PageHead.of(visit, game, "everybody", page, PAGES, {})


def front(visit: Visit) -> Response:
    """An open game begins with its news."""
    _game(visit)
    return RedirectResponse(visit.path("news"), status_code=303)


def news(visit: Visit) -> Response:
    """What everybody has heard of a turn."""
    with visit.hall.sent(_game(visit)) as game:
        seen = sight(visit.hall, game, reader(game), visit.number("turn"))
        windows = map_page(visit, game, reader(game), seen.turn)
        common = ("News", "Land", "Notices", "Your part now")
        shown = [p for p in seen.report.parts if p.title in common or reader(game) == ALL]
        return visit.show(
            "news.html.j2", head=_head(visit, game, "news"), seen=seen, parts=shown,
            held=holdings(visit.hall, game, reader(game)), windows=windows, turns=reported_turns(game),
            secret=game.secrets() if reader(game) == ALL else None, anchor=game.head["anchor"],
        )  # fmt: skip


def map_(visit: Visit) -> Response:
    """The map by turn."""
    with visit.hall.sent(_game(visit)) as game:
        windows = map_page(visit, game, reader(game), visit.number("turn"))
        return visit.show(
            "map.html.j2", head=_head(visit, game, "map"), windows=windows, turns=reported_turns(game)
        )


def map_svg(visit: Visit) -> Response:
    """The picture of the map."""
    with visit.hall.sent(_game(visit)) as game:
        return map_picture(visit, game, reader(game))


def figures(visit: Visit) -> Response:
    """The game in figures by turn, as far as everybody may know; luck when the game has ended."""
    with visit.hall.sent(_game(visit)) as game:
        seen = sight(visit.hall, game, reader(game))
        standing = [p for p in seen.report.parts if p.title in ("Nations", "Standing")]
        charted = [(n, p) for n, p in enumerate(_charted(visit.hall, game))]
        return visit.show(
            "figures.html.j2",
            head=_head(visit, game, "figures"),
            seen=seen,
            standing=standing,
            charted=charted,
        )


def chart_svg(visit: Visit) -> Response:
    """The picture of one part of the figures."""
    with visit.hall.sent(_game(visit)) as game:
        parts = _charted(visit.hall, game)
    number = visit.number("part")
    drawn = (
        [b for b in parts[number].blocks if isinstance(b, Picture)]
        if number is not None and number < len(parts)
        else []
    )
    if not drawn:
        raise Denied(404, "There is no such picture.")
    return svg_file(visit, picture_file(drawn[0]))


def _charted(hall: Games, game: Game) -> list[ReportPart]:
    """What `wteaw statistics` and, of a game that has ended, `wteaw luck` tell of a game as far as it has
    been sent.
    """
    return hall.kept(("figures", *stand(hall, game)), lambda: hall.work(figures_of, *place_of(game)))


def figures_of(hall: Games, id_: str, stage: int, head: str) -> list[ReportPart]:
    """The same of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        parts = statistics_parts(whole_world(game), statistics(game))
        return [*parts, luck_part(luck(game, PUBLIC))] if game.stage().position.ended else parts
