"""The addresses of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from . import (
    corrections,
    designer,
    dice_proof,
    help_pages,
    hosting,
    message_pages,
    moderator,
    order_map,
    player,
    records,
    seating,
    sign_in,
    spectator,
    what_if,
)
from .accounts import HOST, MODERATOR, PLAYER, SPECTATOR
from .web import Guarded, Page, Server, assets, page, refused, seat_page

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}

DOORS: tuple[tuple[str, str, Page], ...] = (
    ("GET", "/", sign_in.front),
    ("POST", "/link", sign_in.ask),
    ("GET", "/in/{secret}", sign_in.door),
    ("POST", "/in/{secret}", sign_in.enter),
    ("GET", "/public/{game}", spectator.front),
    ("GET", "/public/{game}/news", spectator.news),
    ("GET", "/public/{game}/map", spectator.map_),
    ("GET", "/public/{game}/map.svg", spectator.map_svg),
    ("GET", "/public/{game}/figures", spectator.figures),
    ("GET", "/public/{game}/chart.svg", spectator.chart_svg),
)
"""Method, address, page: for whoever comes."""

SEATS: tuple[tuple[str, str, Page, tuple[str, ...]], ...] = (
    ("GET", "sessions", sign_in.sessions, (HOST, MODERATOR, PLAYER, SPECTATOR)),
    ("POST", "sessions", sign_in.end_session, (HOST, MODERATOR, PLAYER, SPECTATOR)),
    ("GET", "turn", player.turn, (PLAYER,)),
    ("GET", "report.txt", player.report_text, (PLAYER,)),
    ("GET", "orders", player.orders, (PLAYER,)),
    ("GET", "orders/map.css", order_map.looks, (PLAYER,)),
    ("POST", "orders/add", player.add, (PLAYER,)),
    ("POST", "orders/check", player.check, (PLAYER,)),
    ("POST", "orders/chances", player.chances, (PLAYER,)),
    ("POST", "orders/send", player.send, (PLAYER,)),
    ("POST", "orders/back", player.take_back, (PLAYER,)),
    ("POST", "orders/odds", what_if.odds, (PLAYER,)),
    ("GET", "try", what_if.try_page, (PLAYER,)),
    ("POST", "try", what_if.try_now, (PLAYER,)),
    ("GET", "map", player.map_, (PLAYER,)),
    ("GET", "map.svg", player.map_svg, (PLAYER,)),
    ("GET", "nation", player.nation, (PLAYER,)),
    ("GET", "help", help_pages.page, (PLAYER,)),
    ("GET", "messages", message_pages.page_for_player, (PLAYER,)),
    ("GET", "messages", message_pages.page_for_moderator, (MODERATOR,)),
    ("POST", "messages", message_pages.send, (PLAYER, MODERATOR)),
    ("POST", "orders/ready", player.say_ready, (PLAYER,)),
    ("GET", "rulebook", help_pages.book, (PLAYER, SPECTATOR, MODERATOR)),
    ("GET", "proof", dice_proof.proof, (PLAYER,)),
    ("GET", "proof/{what}", dice_proof.proof_file, (PLAYER,)),
    ("GET", "games", hosting.games, (HOST,)),
    ("POST", "games", hosting.start, (HOST,)),
    ("GET", "game", moderator.game, (MODERATOR,)),
    ("POST", "game/clock", moderator.set_clock, (MODERATOR,)),
    ("POST", "game/remind", moderator.remind, (MODERATOR,)),
    ("POST", "game/stand-in", moderator.stand_in, (MODERATOR,)),
    ("GET", "game/orders", moderator.orders_of, (MODERATOR,)),
    ("POST", "game/orders", moderator.order_for, (MODERATOR,)),
    ("POST", "game/decide", moderator.decide, (MODERATOR,)),
    ("POST", "game/rehearse", moderator.rehearse, (MODERATOR,)),
    ("POST", "game/close", moderator.close, (MODERATOR,)),
    ("POST", "game/resolve", moderator.resolve, (MODERATOR,)),
    ("GET", "report", moderator.report_of, (MODERATOR,)),
    ("POST", "game/send", moderator.send, (MODERATOR,)),
    ("POST", "game/correct", corrections.correction, (MODERATOR,)),
    ("GET", "map", moderator.map_, (MODERATOR,)),
    ("GET", "map.svg", moderator.map_svg, (MODERATOR,)),
    ("GET", "players", seating.players, (MODERATOR,)),
    ("POST", "players", seating.seat, (MODERATOR,)),
    ("GET", "mail", records.mail, (MODERATOR,)),
    ("POST", "mail", records.mail_again, (MODERATOR,)),
    ("GET", "history", records.history, (MODERATOR,)),
    ("GET", "rules", records.rules, (MODERATOR,)),
    ("POST", "rules", records.upgrade, (MODERATOR,)),
    ("GET", "tables", designer.tables, (MODERATOR, HOST)),
    ("GET", "rulebook.txt", designer.rulebook, (MODERATOR, HOST)),
    ("GET", "draft", designer.draft, (MODERATOR, HOST)),
    ("POST", "draft", designer.look, (MODERATOR, HOST)),
    ("GET", "news", spectator.news, (SPECTATOR,)),
    ("GET", "map", spectator.map_, (SPECTATOR,)),
    ("GET", "map.svg", spectator.map_svg, (SPECTATOR,)),
    ("GET", "figures", spectator.figures, (SPECTATOR,)),
    ("GET", "chart.svg", spectator.chart_svg, (SPECTATOR,)),
)
"""Method, page of a seat, what makes it, and who may ask for it. Nobody else is told that it exists."""


def application(server: Server) -> ASGIApp:
    """The server as an ASGI application."""
    routes = [Route(where, page(server, make), methods=[method]) for method, where, make in DOORS]
    by_place: dict[tuple[str, str], dict[str, Page]] = {}
    for method, where, make, who in SEATS:
        by_place.setdefault((method, where), {}).update(dict.fromkeys(who, make))
    routes += [
        Route(
            f"/seat/{{seat}}/{w}",
            seat_page(server, makers, _forms(by_place, w) if m == "POST" else {}),
            methods=[m],
        )
        for (m, w), makers in by_place.items()
    ]
    routes += [Route("/static/{mark}/{name}", static), Route("/healthy", healthy)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: refused, Exception: refused})
    app.router.redirect_slashes = False  # an address is one or it is none
    app.state.server = server
    return Guarded(app)


def _forms(by_place: Mapping[tuple[str, str], Mapping[str, Page]], where: str) -> Mapping[str, Page]:
    """The pages on which a form stands that goes to an address: the page of that address, else the one it is
    below.
    """
    above = where.partition("/")[0]
    return by_place.get(("GET", where), by_place.get(("GET", above), {}))


async def static(request: Request) -> Response:
    """A file of the server's own: its address changes with it, so that browsers may keep it."""
    name = str(request.path_params["name"])
    if assets().get(name) != request.url.path:
        raise HTTPException(404)
    body = (files(__package__ or "wteaw_web") / "static" / name).read_bytes()
    return Response(
        body,
        media_type=TYPES[name.rpartition(".")[2]],
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


async def healthy(_: Request) -> Response:
    """For whoever watches over the server."""
    return PlainTextResponse("ok\n")


def addresses() -> Sequence[tuple[str, str]]:
    """Every method and address, for tests that go through all."""
    seats = dict.fromkeys((m, f"/seat/{{seat}}/{a}") for m, a, _, _ in SEATS)
    return [(m, a) for m, a, _ in DOORS] + list(seats)
