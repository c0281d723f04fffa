"""The report of a turn for each reader, with its notices, deadline and map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from ..core.faults import NotThere
from ..orders.sheet_layout import order_template
from ..play.proofs import position_after
from ..play.schedule import days_of
from ..store import MODERATOR, PLAYER, Game, StoredPosition, StoreError
from ..world.view import chain_of, readable
from ..world.world import World

if TYPE_CHECKING:  # reports and maps are heavy: who only hands in orders needs neither
    from ..ruleset.drawing import Drawing
    from ..turn.referee import Position
    from .build import Report
    from .document import ReportPart
    from .map import PageMap
from ..play.pending import seats, to_decide
from ..play.views import Views

BEFORE_HOLDINGS = ("The result", "The situation", "Your part now", "Orders", "Look again", "News", "Land")
"""Parts of a report that stand before the table of what each nation held."""
ORDERS = "orders"
"""The input point of most turns; others say by their name what is wanted."""


def last_turn(game: Game) -> int:
    """The last turn that has something to report: the present one if a part of it is resolved, else the one
    before; 0 before the first.
    """
    stage = game.stage()
    position = stage.position
    begun = (stage.number - 1, position.turn) in {(number, turn) for number, turn, _ in game.stages()}
    if position.ended or begun or "pause" in (position.waiting or {}):
        return position.turn
    return position.turn - 1 if position.turn > game.first_turn() else 0


def reported_turns(game: Game) -> range:
    """The turns that have something to report."""
    return range(game.first_turn(), last_turn(game) + 1)


def report(
    game: Game,
    nation: str | None,
    *,
    turn: int | None = None,
    template: bool = True,
    views: Views | None = None,
    update: date | None = None,
    due: str = "",
    whole: bool = True,
    keys: bool = True,
) -> Report:
    """The report of a nation, or of the moderator for None, on a turn (by default the last one resolved).

    `views`: those after the turn, which the reports of several nations share. `update`: the day on which the
    reports go out, from which the deadline follows by the rules' schedule. `due`: the day and time until when
    orders are wanted, in words, where they do not follow from that. `whole=False`: a nation's report without
    what takes the journal of all turns before: its chain, the proofs and the luck of the game. `keys=False`:
    one without the keys of the turn's dice, which count as known once they are handed out. `template=False`:
    one without the order sheet and the table of what each nation held, which pages have beside it.
    """
    from .build import moderator_report, nation_report  # reports and maps are heavy

    turn = last_turn(game) if turn is None else turn
    stage = game.stage()
    past = turn < last_turn(game)
    if views is None:
        views = Views(game, position_after(game, turn) if past or turn > stage.position.turn else None)
    position = views.position
    title = game.head["title"]
    if past or stage.position.ended:
        due = ""
    elif due:
        due = _due(game, f"{due}.")
    else:
        due = due_in_words(game, update) or _due(game, "at the deadline that your moderator has set.")
    over = past or stage.position.ended
    committed = [] if over else [("the next turn's dice", stage.commitment.root)]
    if nation is None:
        made = moderator_report(
            World(game.ruleset, position.state, geography=game.geography), views.of(turn),
            game=title, turn=turn,
            proof=[("state", position.state.hash()), ("journal", position.head), *committed],
            due=due, notices=[*_moderators_part(game, stage, past), *notices(game, turn)],
        )  # fmt: skip
        made = (
            _with_holdings(game, made, lambda p: World(game.ruleset, p.state, geography=game.geography))
            if template
            else made
        )
        return _with_luck(game, made)
    if nation not in World(game.ruleset, position.state, geography=game.geography).nations():
        raise NotThere(f"no nation {nation!r} in this game")
    world = views.world(nation)
    chain = chain_of(views.told_before(turn, nation), told=views.told) if whole else ""
    text = ""
    if template and not past and not stage.position.ended:
        text = order_template(world, nation, game=game.id)
    made = nation_report(
        world,
        views.of(turn),
        nation,
        since=views.since(turn),
        game=title,
        turn=turn,
        template=text,
        proof=[*committed, *(_openings(views, world, nation, turn) if whole and keys else ())],
        chain=chain,
        due=due,
        notices=notices(game, turn),
    )
    if template:
        made = _with_holdings(game, made, lambda position: Views(game, position).world(nation))
    return _with_luck(game, made) if whole else made


def _with_holdings(game: Game, report: Report, seen: Callable[[Position], World]) -> Report:
    """A report with the table of what each nation held year by year, where the ruleset asks for one."""
    from .holdings import holdings, part_on_holdings  # start-up time: no report but this one needs it

    found = holdings(game, report.turn, seen)
    if found is None:
        return report
    first = [part for part in report.parts if part.title in BEFORE_HOLDINGS]
    rest = [part for part in report.parts if part.title not in BEFORE_HOLDINGS]
    return replace(report, parts=(*first, part_on_holdings(found), *rest))


def _with_luck(game: Game, report: Report) -> Report:
    """A report with the luck of the whole game, if it is of its end."""
    part = part_on_luck(game, report.turn)
    return report if part is None else replace(report, parts=(*report.parts, part))


def part_on_luck(game: Game, turn: int | None, *, workers: int = 1) -> ReportPart | None:
    """What the reports on a turn (None: the last one) tell of luck: at the end of a game, unless it cannot be
    resolved again.

    It is the same for all readers, and found once by so many `workers` (`luck`).
    """
    if not game.stage().position.ended or (turn is not None and turn < last_turn(game)):
        return None
    from ..play.dice_statistics import luck  # with all of battles, for the last report alone
    from .dice_statistics import luck_part

    try:
        return luck_part(luck(game, "", workers=workers))
    except StoreError:
        return None


def due_in_words(game: Game, update: date | None) -> str:
    """Until when orders are wanted and faults told, by the setting `turn_days` and the day of the update; ""
    where none is known.
    """
    row = game.ruleset.players.get("turn_days")
    position = game.stage().position
    if row is None or update is None or position.ended:
        return ""
    days = days_of(row, update)
    faults = f" Faults in this report: by {days.corrections[-1]:%A %-d %B}." if days.corrections else ""
    opens = f", from {days.opens:%A %-d %B} on" if days.opens != update else ""
    return _due(game, f"by the end of {days.deadline:%A %-d %B %Y}{opens}.{faults}")


def _due(game: Game, until: str) -> str:
    from .build import when  # reports and maps are heavy

    position = game.stage().position
    turn, wanted = position.turn, str((position.waiting or {}).get("input", ORDERS))
    said = when(game.ruleset, turn)
    if wanted != ORDERS:
        return f"Wanted now for turn {turn}: {wanted}, due {until}"
    return f"Orders for turn {turn}{f' ({said})' if said != f'turn {turn}' else ''} are due {until}"


def notices(game: Game, turn: int) -> list[str]:
    """What was corrected by hand in a turn or for it, in sentences for everybody: roll-backs, fresh dice,
    other rules, what was looked at and changed after orders had been closed."""
    turn_of = {number: t for number, t, _ in game.stages()}
    known = game.corrections()
    looks = sum(c["what"] == "look" and int(c["turn"]) == turn for c in known)
    times = "once" if looks == 1 else f"{looks} times"
    out = (
        [
            f"The moderator looked {times} at what turn {turn} comes to, with its real dice, before "
            "resolving it."
        ]
        if looks
        else []
    )
    for c in known:
        reason = f": {c['reason']}" if c.get("reason") else ""
        of_stage = turn_of.get(int(c["stage"]), 0) if "stage" in c else 0
        about = int(c.get("turn", of_stage))
        if about != turn:
            continue
        if c["what"] == "rollback":
            out.append(f"Turn {about} was rolled back and resolved again{reason}.")
        elif c["what"] == "attempt":
            out.append(f"The dice of turn {about} were rolled again, under a new commitment{reason}.")
        elif c["what"] == "late":
            out.append(_changed_late(game, about, c))
        elif c["what"] == "upgrade":
            out.append(f"The rules were changed in turn {about}{reason}.")
    return out


def _changed_late(game: Game, turn: int, correction: Mapping[str, Any]) -> str:
    """What the moderator changed after the closing, in words."""
    nation = str(correction["nation"])
    name = str(game.ruleset.row_or_empty("nations", nation).get("name", nation))
    what = "The player" if "seat" in correction else "The orders"
    if "decision" in correction:
        what = "A decision"
    whose = "by the moderator" if nation == MODERATOR else f"of {name}"
    dice = "; its dice were rolled again, under a new commitment" if correction["fresh"] else ""
    return f"{what} {whose} in turn {turn} came or changed after orders had been closed{dice}."


def _moderators_part(game: Game, stage: StoredPosition, past: bool) -> list[str]:
    """What the moderator has to do now."""
    if past or stage.position.ended:
        return []
    asked = {} if "pause" in (stage.position.waiting or {}) else seats(game)
    world = game.seated_world()
    players = [n for n, seat in asked.items() if seat == PLAYER and world.commander_of(n) == n]
    send = ""
    if players:
        whom = "the player" if len(players) == 1 else f"each of the {len(players)} players"
        send = f", then send {whom} their report"
    return [
        f"Read what follows{send}.",
        *to_decide(game),
        f"Publish the commitment to the dice of turn {stage.position.turn}: {stage.commitment.root}",
        "`wteaw rollback` undoes the turn; give the reason, and every report tells it.",
    ]


def _openings(views: Views, world: World, nation: str, turn: int) -> Iterator[tuple[str, str]]:
    """The keys of the dice that a nation may check, of a turn that is over."""
    side = world.side_of(nation)
    for opening in views.openings(turn, (nation, *([side] if side else []))):
        yield f"key of turn {turn} for {opening.audience}", opening.key


def map_of_report(game: Game, data: Report, views: Views, drawing: Drawing) -> PageMap:
    """The map of a report's page: its reader's view, what the entries that they may read tell, and the
    numbers of their battles.
    """
    from .map_views import report_map  # reports and maps are heavy

    entries = views.of(data.turn)
    shown, reader = views.position.state, ""
    if data.reader != MODERATOR:
        world, reader = views.world(data.reader), data.reader
        shown, entries = world.state, readable(entries, world, reader)
    numbers = {place: (n, outcome) for n, (place, outcome) in reversed(list(enumerate(data.battles, 1)))}
    title = f"{data.game}, {data.when}"
    return report_map(game.ruleset, shown, drawing, reader, title=title, entries=entries, numbers=numbers)
