"""What a role is shown of its game: the report, the battles and the map, all made from one reader's view.

Pages show nothing else. A reader is a nation, everybody (`PUBLIC`), or the moderator (`ALL`); what was made
for one of them is kept under their name and never shown to another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wteaw.core.journal import EVERYONE, Entry
from wteaw.core.state import State
from wteaw.play.proofs import position_after
from wteaw.play.views import Views
from wteaw.report import turn_reports
from wteaw.report.build import Report, dice_words, moderator_report
from wteaw.report.fights import gravest
from wteaw.report.fought import Fight, fights_in
from wteaw.report.inflicted import Inflicted, inflicted, together
from wteaw.report.news import lost_works
from wteaw.report.verdicts import Capture, captured_in, verdict
from wteaw.report.wording import Wording
from wteaw.store import Game
from wteaw.turn.referee import Position
from wteaw.world.view import Viewer, readable
from wteaw.world.world import World

from .games import Games
from .pictures import MapPicture, picture

PUBLIC, ALL = "", "*"
"""Readers that are no nation: whoever looks on, and the moderator."""


@dataclass(frozen=True)
class Side:
    """One party of a battle, in words."""

    who: str
    units: str
    lost: str
    all_lost: bool


@dataclass(frozen=True)
class BattleOutcomeLine:
    """One battle: the number it has on the page and on the map, what became of it, and what it cost.

    Of the reader's own there are also its `rounds`, each with its dice, what was lost with the place, and
    what their side's dice inflicted.
    """

    number: int
    place: str
    name: str
    outcome: str
    won: bool
    sides: tuple[Side, ...]
    mine: bool
    rounds: tuple[tuple[str, tuple[str, ...]], ...] = ()
    besides: tuple[str, ...] = ()
    inflicted: Inflicted | None = None


@dataclass(frozen=True)
class Sight:
    """What one reader is shown of one turn."""

    report: Report
    battles: tuple[BattleOutcomeLine, ...]
    turn: int
    when: str

    @property
    def luck(self) -> Inflicted | None:
        """What the reader's dice inflicted in all their battles together; None where they had no such
        dice.
        """
        those = [b.inflicted for b in self.battles if b.inflicted is not None]
        return together(those) if those else None


def turn_of(game: Game, wanted: int | None) -> int:
    """The turn that is reported on: the wanted one if it has been, else the last one."""
    reported = turn_reports.reported_turns(game)
    return wanted if wanted is not None and wanted in reported else turn_reports.last_turn(game)


def sight(hall: Games, game: Game, reader: str, turn: int | None = None) -> Sight:
    """The report and the battles of a turn, by default of the last one, as a reader may know them."""
    turn = turn_of(game, turn)
    return hall.kept(
        ("sight", *stand(hall, game), reader, turn),
        lambda: hall.work(make_sight, *place_of(game), reader, turn),
    )


def chart(hall: Games, game: Game, reader: str, turn: int | None = None) -> MapPicture:
    """The map after a turn, by default of the present position, as a reader may know it."""
    wanted = turn_of(game, turn)
    return hall.kept(
        ("chart", *stand(hall, game), reader, wanted),
        lambda: hall.work(make_chart, *place_of(game), reader, wanted),
    )


def stand(hall: Games, game: Game) -> tuple[object, ...]:
    """What a reader's sight of a game depends on: where it stands, and what was changed by hand."""
    stage = game.stage()
    return (
        game.id,
        stage.number,
        stage.position.head,
        stage.attempt,
        len(game.corrections()),
        game.ruleset.hash,
    )


def place_of(game: Game) -> tuple[str, int, str]:
    """Where another process finds the game as it is here."""
    stage = game.stage()
    return game.id, stage.number, stage.position.head


def make_sight(hall: Games, id_: str, stage: int, head: str, reader: str, turn: int) -> Sight:
    """The report and the battles of a turn of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        return _sight(game, reader, turn)


def make_chart(hall: Games, id_: str, stage: int, head: str, reader: str, turn: int) -> MapPicture:
    """The map of a turn of a game as it stood at a stage."""
    with hall.at(id_, stage, head) as game:
        return _chart(hall, game, reader, turn)


def _sight(game: Game, reader: str, turn: int) -> Sight:
    views = Views(game, _position(game, turn))
    world, entries = _seen(game, views, reader, turn)
    if reader == PUBLIC:
        report = moderator_report(
            World(game.ruleset, world.state, geography=game.geography),
            entries,
            game=str(game.head["title"]),
            turn=turn,
            notices=turn_reports.notices(game, turn),
        )
    else:
        report = turn_reports.report(
            game, None if reader == ALL else reader, turn=turn, views=views, template=False, keys=False
        )
    who = "" if reader == ALL else reader
    words = Wording(world, who)
    taken = captured_in(entries, game.ruleset)
    told = []
    for number, fight in enumerate(_own_first(world, entries, who, words), 1):
        told.append(_told(fight, number, entries, taken, who, words))
    return Sight(report, tuple(told), turn, report.when)


def _own_first(world: World, entries: Sequence[Entry], reader: str, words: Wording) -> list[Fight]:
    found = gravest(fights_in(entries), words)
    return [f for f in found if reader in f.parties()] + [f for f in found if reader not in f.parties()]


def _told(
    fight: Fight,
    number: int,
    entries: Sequence[Entry],
    taken: Mapping[int, Capture],
    reader: str,
    words: Wording,
) -> BattleOutcomeLine:
    mine = "defender" if reader in fight.owners("defender") else "attacker"
    theirs = "attacker" if mine == "defender" else "defender"
    sides = []
    for side in (mine, theirs):
        for owner in sorted(fight.owners(side), key=lambda o: (o != reader, o)):
            began, lost = fight.units_of(side, owner)
            all_lost = bool(began) and lost == began
            n = sum(lost.values())
            if not n:
                gone = "nothing lost"
            else:
                gone = f"lost all {n}" if all_lost and n > 1 else f"lost {words.short_units(lost)}"
            sides.append(Side(words.nation(owner), words.short_units(began) or "nobody", gone, all_lost))
    outcome = verdict(fight, taken, words)
    won = fight.winner == mine and not fight.lost_touch
    head = (number, fight.place, words.place(fight.place), outcome, won, tuple(sides))
    if reader not in fight.parties():
        return BattleOutcomeLine(*head, False)
    those = [*fight.preludes, fight]
    logged = {n for f in those for n in f.log}
    rounds = tuple(
        (words.told(e.happened), tuple(dice_words(r) for r in e.dice))
        for e in entries
        if e.n in logged and e.happened
    )
    besides = tuple(
        text for text, _ in lost_works((e for e in entries if e.data.get("place") == fight.place), words)
    )
    return BattleOutcomeLine(*head, True, rounds, besides, inflicted(those, reader, words))


def _position(game: Game, turn: int) -> Position:
    earlier = turn in turn_reports.reported_turns(game)[:-1]
    return position_after(game, turn) if earlier else game.stage().position


def _seen(game: Game, views: Views, reader: str, turn: int) -> tuple[World, list[Entry]]:
    """A reader's world, and the entries of a turn that they may read."""
    entries = views.of(turn)
    if reader == ALL:
        position = views.position
        return World(
            game.ruleset, position.state, moments=position.moments, geography=game.geography
        ), entries
    if reader == PUBLIC:
        return World(game.ruleset, public(game, views.position), geography=game.geography), [
            e for e in entries if EVERYONE in e.audience
        ]
    world = views.world(reader)
    return world, list(readable(entries, world, reader))


def public(game: Game, position: Position) -> State:
    """What everybody may know of a position."""
    return Viewer(game.ruleset, position.state, geography=game.geography).view(PUBLIC, sight=False)


def _chart(hall: Games, game: Game, reader: str, turn: int) -> MapPicture:
    battles = sight(hall, game, reader, turn).battles
    views = Views(game, _position(game, turn))
    world, entries = _seen(game, views, reader, turn)
    numbers = {b.place: (b.number, "success" if b.won else "failure") for b in reversed(battles)}
    title = f"{game.head['title']}, {sight(hall, game, reader, turn).when}"
    return picture(
        game.ruleset,
        world.state,
        game.drawing(),
        title=title,
        entries=entries,
        reader="" if reader == ALL else reader,
        numbers=numbers,
    )
