"""A player's proof of dice: rolled again here, as files for a program of their own, and as a page that they
save.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.play.proofs import Published, revealed
from wteaw.play.proofs import check as check_dice
from wteaw.report.turn_reports import reported_turns
from wteaw.store import PLAYER, Game

from .games import Games
from .player import head
from .presenters import place_of, sight
from .web import Visit, environment


def proof(visit: Visit) -> Response:
    """What was published of the dice, what the player may check, and how without this server."""
    with visit.hall.sent(visit.role.game) as game:
        stage = game.stage()
        ended = stage.position.ended
        return visit.show(
            "proof.html.j2",
            head=head(visit, game, "proof"),
            commitment=stage.commitment,
            anchor=game.head["anchor"],
            turn=stage.position.turn,
            turns=[t for t in reported_turns(game) if t < stage.position.turn or ended],
            checked=_checked(visit, game, visit.number("turn")),
            proof=sight(visit.hall, game, visit.role.nation).report.proof,
        )


def _checked(visit: Visit, game: Game, turn: int | None) -> Any:
    """The dice of a turn rolled again; None where no turn is asked for."""
    if turn is None:
        return None
    return visit.hall.work(roll_again, *place_of(game), visit.role.nation, turn)


def roll_again(hall: Games, id_: str, stage: int, head: str, nation: str, turn: int) -> Any:
    """The dice of a turn rolled again, as `wteaw dice verify` does it."""
    with hall.at(id_, stage, head) as game:
        data = revealed(game, turn, nation)
        own = _own(game, turn, nation)
        return check_dice(
            data,
            Published.read(*_published(game, turn)),
            orders=own,
            nation=nation if own is not None else "",
        )


def _published(game: Game, turn: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was published of a turn before it was resolved: anchor and commitment, and the salts."""
    stage = next((game.stage(n) for n, t, _ in game.stages() if t == turn), None)
    if stage is None:
        raise StoreError(f"there has been no turn {turn}")
    said = {"anchor": game.head["anchor"], "commitment": asdict(stage.commitment)}
    return said, {"game": game.id, "turn": turn, "attempt": stage.attempt, "salts": game.salts(turn)}


def proof_file(visit: Visit) -> Response:
    """A file for `wteaw dice verify`: what was published, the salts, or the player's keys and dice."""
    turn = visit.number("turn") or 0
    with visit.hall.sent(visit.role.game) as game:
        said, salts = _published(game, turn)
        which = str(visit.request.path_params["what"])
        if which == "page":
            return _saved(visit, game, turn, said, salts)
        if which == "dice":
            data: dict[str, Any] = revealed(game, turn, visit.role.nation)
        else:
            data = said if which == "published" else salts
    name = f"{which}-{turn}.json"
    return Response(
        json.dumps(data, indent=1) + "\n", media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )  # fmt: skip


def _own(game: Game, turn: int, nation: str) -> bytes | None:
    """The first file that a nation's player has sent for a turn, which has a part in its dice."""
    files = game.hand_ins_of(turn, nation)
    return next((f.submission.text.encode() for f in files if f.submission.by == PLAYER), None)


def _saved(visit: Visit, game: Game, turn: int, said: dict[str, Any], salts: dict[str, Any]) -> Response:
    """The page of proof, whole in one file: what was shown and published, and the script that compares
    them.
    """
    nation = visit.role.nation
    data = revealed(game, turn, nation)
    own = _own(game, turn, nation)
    digest = sha256(own).hexdigest() if own is not None else ""
    kept = {
        "dice": data,
        "published": said,
        "salts": salts,
        "own": digest if nation in salts["salts"] else "",
    }
    script = _script()
    body = environment().get_template("saved_proof.html.j2").render(
        title=game.head["title"], turn=turn, published=said, own=kept["own"], script=script,
        who=game.name_of(nation),
        kept=json.dumps(kept).replace("<", "\\u003c"),
        allowed="sha256-" + b64encode(sha256(script.encode()).digest()).decode(),
    )  # fmt: skip
    return Response(
        body, media_type="text/html; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="dice-{turn}.html"'},
    )  # fmt: skip


@cache
def _script() -> str:
    return (files(__package__ or "wteaw_web") / "static" / "verify.js").read_text(encoding="utf-8")
