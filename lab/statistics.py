"""A game in figures by turn, for its news: what everybody may know while it runs, and everything once it has
ended.

While it runs, every figure is taken from the view that everybody has of a position, and from what entries of
the journal for everybody tell; who took a place is seen by its holders before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from wteaw.core.journal import EVERYONE, Entry
from wteaw.core.state import State
from wteaw.play.proofs import position_after
from wteaw.store import Game
from wteaw.turn.referee import Position
from wteaw.world.view import Viewer
from wteaw.world.world import World

from .course import as_floats, criteria, front

TITLES = {
    "places": "Places held", "taken": "Places taken in the turn", "units": "Units", "lost": "Units lost in "
                                                                                            "battle in the "
                                                                                                "turn",
    "income": "Income in the turn", "battles": "Battles in the turn", "front": "Borders between enemies",
}  # fmt: skip
OF_A_TURN = ("taken", "lost", "income", "battles")
"""What happens in a turn and may be added up over turns; of the others a value is how things stand after
it.
"""


def statistics(game: Game) -> dict[str, Any]:
    """The figures of a game by turn as plain data: `series` by key, each with its title, whether it may be
    added up (`adds`), and `of`, who -> a value for each turn.

    A series of which nothing is known is not there. "" stands for the whole game.
    """
    ended = bool(game.stage().position.ended)
    last = game.stage().position.turn - (not ended)
    entries: dict[int, list[Entry]] = {}
    for entry in game.journal():
        if ended or EVERYONE in entry.audience:
            entries.setdefault(entry.turn, []).append(entry)
    before = _world(game, game.stage(1).position, ended)
    by_turn: list[dict[str, Mapping[str, float]]] = []
    joined = []
    turns = range(1, last + 1)
    for turn in turns:
        world = _world(game, position_after(game, turn), ended)
        by_turn.append(_figures(world, before, entries.get(turn, ()), ended))
        for nation in world.nations():
            if (side := world.side_of(nation)) and side != before.side_of(nation):
                joined.append({"turn": turn, "nation": nation, "side": side})
        before = world
    series = {}
    for key in dict.fromkeys(key for found in by_turn for key in found):
        names = sorted({who for found in by_turn for who in found.get(key, ())})
        of = {who: [found.get(key, {}).get(who, 0) for found in by_turn] for who in names}
        if any(map(any, of.values())):
            series[key] = {"title": _title(game, key, ended), "adds": key in OF_A_TURN, "of": of}
    return {
        "game": game.id,
        "title": str(game.head["title"]),
        "ended": ended,
        "knows": "everything" if ended else "what everybody may know",
        "turns": list(turns),
        "series": series,
        "joined": joined,
    }


def _world(game: Game, position: Position, ended: bool) -> World:
    """A position as everybody may know it; as it is, once the game has ended."""
    state: State = (
        position.state
        if ended
        else Viewer(game.ruleset, position.state, geography=game.geography).view("", sight=False)
    )
    return World(game.ruleset, state, geography=game.geography)


def _figures(
    world: World, before: World, entries: Iterable[Entry], ended: bool
) -> dict[str, Mapping[str, float]]:
    """The figures of one turn by key and by whom."""
    places: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    units: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    income: dict[str, float] = {}
    battles = 0
    for place in world.ruleset.rows("places"):
        holder, former = world.holder_of(place), before.holder_of(place)
        if holder:
            places[holder] += 1
            taken[holder] += holder != former
    for _, stack in world.state.stacks():
        units[str(stack["owner"])] += int(stack["n"])
    for entry in entries:
        data = entry.data
        battles += data.get("event") == "begin"
        if data.get("event") == "end":
            for of in data.get("lost", {}).values():
                for owner, kinds in of.items():
                    lost[owner] += sum(kinds.values())
        if "items" in data and "income" in data:
            income[entry.subject] = income.get(entry.subject, 0) + float(data["income"])
    out: dict[str, Mapping[str, float]] = {
        "places": places,
        "taken": taken,
        "units": units,
        "lost": lost,
        "income": income,
        "battles": {"": battles},
        "front": {"": front(world)},
    }
    for nation, row in world.state.table("tracks").items():
        for track, value in row.items():
            if isinstance(value, int | float):
                out.setdefault(f"tracks/{track}", {})[nation] = value  # type: ignore[index]
    if ended:
        out |= {f"criteria/{c}": of for c, of in as_floats(criteria(world)).items()}
    return out


def _title(game: Game, key: str, ended: bool) -> str:
    form, _, id_ = key.partition("/")
    if id_:
        row = game.ruleset.row_or_empty(form, id_)
        return str(row.get("name") or row.get("title") or id_.replace("-", " "))
    known = (
        "" if ended or key not in ("units", "lost", "income", "battles") else ", as far as everybody knows"
    )
    return f"{TITLES[key]}{known}"
