"""Putting a game right: what going back to an earlier stage would change, and going back."""

from __future__ import annotations

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.play.rollback_preview import RollbackPreview, what_if
from wteaw.play.submit import hand_in
from wteaw.play.verify import broken_chain
from wteaw.ruleset.randomness import rolls_dice
from wteaw.store import MODERATOR, Game

from .accounts import PLAYER as PLAYS
from .actions import names_of
from .games import Games
from .moderator import head, me
from .presenters import place_of
from .web import Visit


def correction(visit: Visit) -> Response:
    """What going back would change, before it is done; with the second button it is done."""
    number, reason, nation, text = (
        visit.number("to") or 0,
        visit.form.get("reason", "").strip(),
        visit.form.get("nation", ""),
        visit.form.get("text", ""),
    )
    with visit.hall.game(visit.role.game) as game:
        if nation and nation not in game.ruleset.rows("nations"):
            raise StoreError("there is no such nation")
        if visit.form.get("sure") != "1":
            change = visit.hall.work(change_of, *place_of(game), number, nation, text if nation else None)
            return visit.show(
                "correction.html.j2",
                head=head(visit, game, "game"),
                change=change,
                reason=reason,
                nation=nation,
                name=game.name_of(nation) if nation else "",
                names=dict(names_of(game, list(game.ruleset.rows("nations")))),
                text=text,
                seen=visit.hall.last_sent(game.id) > number,
                witnesses=_witnesses(visit, game, number),
                shown=_shown(visit.hall, game),
                dice=rolls_dice(game.ruleset),
            )
        if visit.form.get("shown") != _shown(visit.hall, game):
            raise StoreError("the game has moved on since this was shown; look again what it would do")
        if not reason:
            raise StoreError("give a reason; every report tells it")
        if (broken := broken_chain(game)) is not None:
            raise StoreError(f"{broken}; the history is to be looked at first")
        with visit.hall.changing(game.id):
            fresh = "; it has fresh dice" if game.rollback(number, reason) else ""
            turn = game.stage().position.turn
            visit.hall.note(game.id, me(visit), f"Went back to turn {turn} (stage {number}): {reason}{fresh}")
            if nation:
                hand_in(game, nation, text, MODERATOR)
                visit.hall.note(game.id, me(visit), f"Submitted corrected orders for {game.name_of(nation)}")
    return visit.go("game", "back")


def _witnesses(visit: Visit, game: Game, number: int) -> list[tuple[str, str, str]]:
    """What players have seen of what came after a stage: who, when a report of it went to them, when they
    were last on the pages.
    """
    out = []
    mails = visit.server.outbox.of_game(game.id, 10_000)
    for role in visit.hall.people.of_game(game.id):
        if role.role != PLAYS:
            continue
        went = [m.sent for m in mails if m.mail.role == role.id and m.sent and _stage_of(m.mail.key) > number]
        looked = max((s.seen for s in visit.hall.people.sessions_of_role(role)), default="")
        out.append((f"{game.name_of(role.nation)} ({role.name})", max(went, default=""), looked))
    return out


def _stage_of(key: str) -> int:
    """The stage whose report a mail brings; 0 for other mails."""
    parts = key.split("/")
    return int(parts[2]) if parts[0] == "report" and len(parts) > 3 and parts[2].isdigit() else 0


def _shown(hall: Games, game: Game) -> str:
    """What a correction that is looked at depends on: where the game stands, and how far players have seen
    it.
    """
    stage = game.stage()
    return f"{stage.number}-{stage.position.head[:16]}-{hall.last_sent(game.id)}"


def change_of(
    hall: Games, id_: str, stage: int, head: str, number: int, nation: str, text: str | None
) -> RollbackPreview:
    """What going back in a game would do."""
    with hall.at(id_, stage, head) as game:
        return what_if(game, number, nation, text)
