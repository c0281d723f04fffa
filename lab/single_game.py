"""One game by policies, from its seed to its figures, all counted from its journal and its last position."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wteaw.core.journal import Entry
from wteaw.core.model import Ruleset
from wteaw.core.state import WHOLE_ROW
from wteaw.orders.movement import mode_of
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolutions
from wteaw.play.views import whole_world
from wteaw.turn.events import only_notes

from .course import Course, as_floats, criteria
from .row_names import NOBODY, Unnamed

Figures = dict[str, Any]
FORMAT = 4
"""Changes with what figures are: games of another one are not gone on with."""


def play_one(
    scenario: Mapping[str, Any],
    ruleset: Ruleset,
    *,
    seed: str,
    turns: int,
    options: Mapping[str, Any],
    scratch: Path,
    policies: Mapping[str, str] | None = None,
) -> Figures:
    """The figures of the game that `wteaw play --seed` plays with the same seed (hex text) and options.

    `scratch` is a folder in which the game stands while it is played.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        game = new_game(
            Path(folder) / "game",
            scenario,
            ruleset,
            id_=str(scenario["id"]),
            options=options,
            seed=bytes.fromhex(seed),
            policies=policies,
        )
        first = game.stage().position.turn
        course, entries = Course(), list[Entry]()
        course.began(ruleset, game.journal())
        for turn, _, outcome in resolutions(game, turns):
            entries += outcome.result.entries
            position = game.stage().position
            # where powers move one after another, a turn is many resolutions
            if position.turn != turn or position.ended:
                course.turn(turn, whole_world(game), entries)
                entries.clear()
        position = game.stage().position
        row = position.state.row("game", "game")
        values = criteria(whole_world(game))
        return {
            "turns": position.turn - first + position.ended,
            "ended": bool(position.ended),
            "end": row.get("end"),
            "winners": sorted(row.get("winners") or ()),
            "leaders": {
                c: sorted(w for w, v in of.items() if v == max(of.values())) for c, of in values.items() if of
            },
            "criteria": as_floats(values),
            **counts(ruleset, game.journal()),
            **course.to_json(),
            "state": position.state.hash(),
            "journal": position.head,
        }


def counts(ruleset: Ruleset, entries: Iterable[Entry]) -> Figures:
    """What happened how often: captures (who from whom) and units lost by nation, battles by the kind of
    place, events, orders given, those to sail and to fly, and orders refused by their rows, with the reasons
    (`words.Unnamed`)."""
    taken: dict[str, Counter[str]] = {}
    lost: Counter[str] = Counter()
    battles: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    unnamed = Unnamed(ruleset)
    events: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for entry in entries:
        if entry.rule.startswith("events/") and not only_notes(entry):
            events[entry.rule.partition("/")[2]] += 1
        if "refused" in entry.data:
            reasons.setdefault(entry.rule, Counter())[unnamed(str(entry.data["refused"]))] += 1
        for table, _, field, before, after in entry.changes:
            if table == "orders" and field == WHOLE_ROW and before is None and after is not None:
                given[after["order"]] += 1
        for fact in entry.facts:
            # without: a place has lost its holder to nobody
            if fact.word == "captured" and fact.roles.get("by"):
                taken.setdefault(str(fact.roles["by"]), Counter())[str(fact.roles.get("of") or NOBODY)] += 1
            elif fact.word == "destroyed":
                lost[str(fact.roles.get("of", ""))] += int(fact.roles.get("n", 1))
            elif fact.word == "battle_began":
                battles[
                    str(ruleset.row_or_empty("places", str(fact.roles.get("place"))).get("kind", ""))
                ] += 1
    within = {"taken": taken, "reasons": reasons}
    found = {"lost": lost, "events": events, "orders": given, "battles_in": battles}
    for name, by in (("captures", taken), ("refused", reasons)):
        found[name] = Counter({of: c.total() for of, c in by.items()})
    tasks, flights = set(), set()
    for id_, row in ruleset.rows("orders").items():
        mode = mode_of(ruleset, row)
        if mode is not None and mode.get("tasks"):
            tasks.add(f"orders/{id_}")
        if mode is not None and mode.get("passes_over"):
            flights.add(f"orders/{id_}")
    return {
        "battles": battles.total(),
        "voyages": sum(n for order, n in given.items() if order in tasks),
        "flights": sum(n for order, n in given.items() if order in flights),
        **{name: dict(sorted(c.items())) for name, c in found.items()},
        **{
            name: {of: dict(sorted(c.items())) for of, c in sorted(by.items())} for name, by in within.items()
        },
    }
