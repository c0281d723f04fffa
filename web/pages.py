"""What pages of all roles have in common: what stands above them, and the map with its windows."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from wteaw.report.build import when
from wteaw.store import Game

from .games import Settings
from .presenters import chart, turn_of
from .web import PICTURE_POLICY, Visit


@dataclass(frozen=True)
class PageHead:
    """What stands above a page: the game, as whom one is there, the pages of the role, and what was done just
    now.
    """

    title: str
    who: str
    page: str
    pages: Sequence[tuple[str, str]]
    settings: Settings
    turn: int
    when: str
    ended: bool
    done: str

    @classmethod
    def of(
        cls,
        visit: Visit,
        game: Game,
        who: str,
        page: str,
        pages: Sequence[tuple[str, str]],
        done: Mapping[str, str],
    ) -> PageHead:
        """The head of a page of a game as it is shown to the visitor."""
        position = game.stage().position
        said = done.get(visit.query("done"), "")
        settings = visit.hall.settings(game.id)
        return cls(
            str(game.head["title"]),
            who,
            page,
            pages,
            settings,
            position.turn,
            when(game.ruleset, position.turn),
            position.ended,
            said,
        )


@dataclass(frozen=True)
class Windows:
    """A map on a page: the titles of its windows, which one is shown, the turn, and whether it has numbers
    that are not certain."""

    all: Sequence[str]
    shown: int
    turn: int
    address: str
    ranges: bool = False

    def src(self, window: int) -> str:
        """The address of the picture of a window."""
        return f"{self.address}?turn={self.turn}&window={window}"


def map_page(visit: Visit, game: Game, reader: str, turn: int | None) -> Windows:
    """The map of a turn for a page; without a choice of the visitor's it is where most of the reader's units
    are.
    """
    found = chart(visit.hall, game, reader, turn)
    wanted = visit.number("window")
    shown = wanted if wanted is not None and wanted < len(found.regions) else 0
    return Windows(found.regions, shown, turn_of(game, turn), visit.path("map.svg"), ">?<" in found.page.svg)


def map_picture(visit: Visit, game: Game, reader: str) -> Response:
    """The picture of one window of the map."""
    return svg_file(
        visit, chart(visit.hall, game, reader, visit.number("turn")).seen(visit.number("window") or 0)
    )


def svg_file(visit: Visit, svg: str) -> Response:
    """A picture that styles itself and does nothing else."""
    headers = {
        "Content-Security-Policy": PICTURE_POLICY,
        "Content-Encoding": "gzip",
        "Vary": "Accept-Encoding",
    }
    if "gzip" not in visit.request.headers.get("accept-encoding", ""):
        del headers["Content-Encoding"]
        return Response(svg, media_type="image/svg+xml", headers=headers)
    return Response(gzip.compress(svg.encode(), 5), media_type="image/svg+xml", headers=headers)
