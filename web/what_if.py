"""What a player may find out before they send: how their draft might go, and the odds of a battle with their
orders as written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.responses import Response

from wteaw.core.faults import StoreError
from wteaw.odds.chain import odds as reckon
from wteaw.odds.result import Odds
from wteaw.orders.intake import Intake
from wteaw.orders.odds_question import Composer, Unclear
from wteaw.orders.readback import ReadBack, ReadBackOrder, read_back
from wteaw.play.submit import read
from wteaw.report.dry_run import DryRun, try_out
from wteaw.store import Game
from wteaw.world.known import counted_units
from wteaw.world.view import UNKNOWN
from wteaw.world.world import World

from .games import Games
from .order_intake import back_of, standing, written
from .player import head
from .presenters import place_of
from .web import Visit

ROUNDS = (1, 2, 3)
"""After how many rounds leaving is looked at."""
TURNS = 100
"""Turns that are sampled where the odds are not those of one battle."""
SHARE = 0.05


@dataclass(frozen=True)
class Chance:
    """One way to fight a battle: its name, the chance to be left alone there, and losses with the band of
    nine cases in ten.
    """

    name: str
    takes: float
    mine: str
    theirs: str
    exact: bool
    written: bool


@dataclass(frozen=True)
class Outlook:
    """The odds of a battle: who goes there with what, what is known there, and what would come of each way to
    fight it.
    """

    place: str
    lines: tuple[ReadBackOrder, ...]
    seen: str
    chances: tuple[Chance, ...]
    notes: tuple[str, ...]
    unclear: str = ""


def try_now(visit: Visit) -> Response:
    """Try the draft out."""
    visit.allow("try")
    nation, others = visit.role.nation, visit.form.get("others") == "1"
    with visit.hall.sent(visit.role.game) as game:
        text = _draft(visit, game)
        tried, stand = visit.hall.work(tried_out, *place_of(game), nation, text, others)
        return visit.show(
            "try.html.j2", head=head(visit, game, "try"), tried=tried, stand=stand, text=text, others=others
        )


def tried_out(
    hall: Games, id_: str, stage: int, at: str, nation: str, text: str, others: bool
) -> tuple[DryRun, int]:
    """A draft tried out on a game as it stood at a stage, and how many orders of it stand."""
    with hall.at(id_, stage, at) as game, hall.world(game, nation) as world:
        taken, _ = read(game, nation, text, world)
        return try_out(game, nation, taken, others=others), len(taken.orders)


def try_page(visit: Visit) -> Response:
    """Where a draft is tried out."""
    with visit.hall.sent(visit.role.game) as game:
        text = _draft(visit, game)
        stand = len(back_of(visit.hall, game, visit.role.nation, text)[1].orders)
        return visit.show(
            "try.html.j2", head=head(visit, game, "try"), tried=None, stand=stand, text=text, others=False
        )


def _draft(visit: Visit, game: Game) -> str:
    """What the player is writing, else what they have sent."""
    draft = visit.hall.drafts.of(game.id, visit.role.nation, game.stage().number)
    here = game.submissions().get(visit.role.nation)
    return draft.text if draft.at or here is None else here.text


def odds(visit: Visit) -> Response:
    """The odds of the battle that a line of the draft brings about, with all lines that go there."""
    visit.allow("try")
    nation, text = visit.role.nation, written(visit)
    with visit.hall.game(visit.role.game) as real:
        now = standing(visit.hall, nation, real)
        game = visit.hall.as_sent(real)
        visit.hall.drafts.keep(game.id, nation, game.stage().number, text)
        found = visit.hall.work(outlook_of, *place_of(game), nation, text, visit.number("line") or 0)
        return visit.show(
            "odds.html.j2", head=head(visit, game, "orders"), outlook=found, now=now,
            reader=game.name_of(nation),
        )  # fmt: skip


def outlook_of(hall: Games, id_: str, stage: int, at: str, nation: str, text: str, line: int) -> Outlook:
    """The odds of the battle that a line of a text brings about, at a game as it stood at a stage."""
    with hall.at(id_, stage, at) as game, hall.world(game, nation) as world:
        taken, _ = read(game, nation, text, world)
        return outlook(world, taken, read_back(world, taken, game=game.id), text, line)


def outlook(world: World, taken: Intake, back: ReadBack, text: str, line: int) -> Outlook:
    """The odds of the battle that a line brings about. StoreError if it brings none."""
    said = [s for g in back.groups for s in g.orders if s.attacks]
    asked = next((s for s in said if s.line == line), None)
    if asked is None:
        raise StoreError("this line attacks nobody")
    place = asked.attacks[-1]
    going = tuple(s for s in said if s.attacks[-1] == place)
    lines = text.split("\n")
    orders = "\n".join(lines[s.line - 1] for s in going if 1 <= s.line <= len(lines))
    nation = back.nation
    where = next(i.attacks[-1] for i in taken.intents if i.attacks and i.order.get("line") == line)
    counted = counted_units(world, nation, where)
    if not counted and {row["kind"] for _, row in world.state.stacks(at=where) if row["owner"] != nation} == {
        UNKNOWN
    }:
        return Outlook(
            place, going, asked.seen, (), (), "of those who stand there you know only about how many they are"
        )
    composer = Composer(world)
    try:
        written_, start = composer.from_orders(orders, nation, counted or None)
        if written_.question is None:
            result, _ = composer.resolved(written_, trials=TURNS)
            chances = [_chance("as you have written it", result, written=True)]
        else:
            composer.world = written_.world
            question = composer.settled(replace(written_.question, start=start))
            own = bool(question.limits.get(0))
            ways = [(f"leave after {k} round{'s' if k > 1 else ''}", {0: {"rounds": k}}) for k in ROUNDS] + [
                ("stay to the end", {})
            ]
            chances = [
                _chance(name, reckon(composer.world, replace(question, limits=limits)))
                for name, limits in ways
            ]
            if own:
                chances.insert(
                    0, _chance("as you have written it", reckon(composer.world, question), written=True)
                )
            else:
                chances[-1] = replace(chances[-1], written=True)
    except Unclear as unclear:
        return Outlook(place, going, asked.seen, (), tuple(composer.notes), str(unclear))
    return Outlook(place, going, asked.seen, tuple(chances), tuple(composer.notes))


def _chance(name: str, found: Odds, *, written: bool = False) -> Chance:
    def lost(side: str) -> str:
        low, high = found.quantile(side, SHARE), found.quantile(side, 1 - SHARE)
        return f"{found.mean(side):.1f} ({low}–{high})" if low != high else f"{found.mean(side):.1f}"

    return Chance(name, found.field, lost("attacker"), lost("defender"), not found.trials, written)
