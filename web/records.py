"""What a game's moderator can look up: its mails, what was done, and the rules that it is played by."""

from __future__ import annotations

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.core.model import Ruleset
from wteaw.core.package_data import rulesets
from wteaw.play.pending import points
from wteaw.play.rollback_preview import first_difference
from wteaw.play.verify import audit
from wteaw.ruleset import load_ruleset

from .designer import shipped
from .games import Games
from .moderator import head, me
from .tables import CHAINED
from .web import Visit


def mail(visit: Visit) -> Response:
    """What was sent, and what could not be."""
    with visit.hall.game(visit.role.game) as game:
        return visit.show(
            "mail.html.j2",
            head=head(visit, game, "mail"),
            mails=visit.server.outbox.of_game(game.id),
            came=visit.hall.came(game.id),
        )


def mail_again(visit: Visit) -> Response:
    """Try an undelivered mail once more."""
    visit.server.outbox.again(visit.role.game, visit.number("mail") or 0)
    return visit.go("mail", "again")


def history(visit: Visit) -> Response:
    """What was done by hand, chained, and whether the game is what was played."""
    with visit.hall.game(visit.role.game) as game:
        looked = visit.hall.work(audited, game.id) if visit.query("verify") == "1" else None
        return visit.show(
            "history.html.j2", head=head(visit, game, "history"), done=visit.hall.done(game.id),
            broken=visit.hall.broken_log(game.id),
            corrections=game.corrections(), looked=looked,
            stages=visit.hall.of_stage(game, ("points",), lambda: points(game)),
        )  # fmt: skip


def rules(visit: Visit) -> Response:
    """The rules of the game, and others that it could go on under."""
    with visit.hall.game(visit.role.game) as game:
        return visit.show(
            "rules.html.j2",
            head=head(visit, game, "rules"),
            rules=game.ruleset,
            shipped=shipped(),
            difference=None,
            chosen="",
        )


def upgrade(visit: Visit) -> Response:
    """The first difference under other rules; with the second button the game goes on under them."""
    chosen = visit.form.get("ruleset", "")
    if chosen not in shipped():
        raise StoreError("choose one of the rulesets")
    with visit.hall.game(visit.role.game) as game:
        if visit.form.get("sure") != "1":
            same, difference = visit.hall.work(difference_of, game.id, chosen)
        else:
            reason = visit.form.get("reason", "").strip()
            if not reason:
                raise StoreError("give a reason; every report tells it")
            for what, fault in visit.hall.work(audited, game.id):
                if fault:
                    raise StoreError(f"{what}: {fault}; a game that has been changed by hand keeps its rules")
            wanted = _rules(chosen)
            with visit.hall.changing(game.id):
                game.use_ruleset(wanted, reason)
                visit.hall.note(game.id, me(visit), f"The game goes on under {chosen}: {reason}")
            return visit.go("rules", "upgraded")
        return visit.show(
            "rules.html.j2",
            head=head(visit, game, "rules"),
            rules=game.ruleset,
            shipped=shipped(),
            difference=difference,
            chosen="" if same else chosen,
        )


def audited(hall: Games, id_: str) -> list[tuple[str, str | None]]:
    """Whether a game is what was played: what was looked at, and what is wrong with it."""
    with hall.game(id_) as game:
        return list(audit(game, CHAINED))


def difference_of(hall: Games, id_: str, chosen: str) -> tuple[bool, str]:
    """Whether a game runs on a ruleset already, and the first difference under it, in words."""
    with hall.game(id_) as game:
        found = _rules(chosen)
        if found.hash == game.ruleset.hash:
            return True, "The game runs on these rules already."
        for what, fault in audit(game, CHAINED):
            if fault:
                raise StoreError(f"{what}: {fault}; a game that has been changed by hand keeps its rules")
        return False, first_difference(game, found) or "The game so far comes out the same."


def _rules(chosen: str) -> Ruleset:
    found, problems = load_ruleset(rulesets() / chosen)
    if found is None:
        raise StoreError(f"these rules have {len(problems)} errors")
    return found
