"""The luck of a game as blocks of a report: who had how much, in which battles, the largest swings, and other
rolls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..core.messages import capital
from ..play.dice_statistics import BAND, Luck
from .document import Block, Para, ReportPart, table
from .wording import Wording, counted, listing

BATTLES = 25
"""Battles in the table; all of them are in the JSON."""


@lru_cache(maxsize=4)
def luck_part(found: Luck, title: str = "Luck") -> ReportPart:
    """Everything about the luck of a game in one part, for its last report and for pages."""
    return ReportPart(title, (*_nations(found), *_swings(found), *_battles(found), *_rolls(found)))


def luck_parts(found: Luck) -> list[ReportPart]:
    """The same in several parts, for a page of its own."""
    parts = [
        ReportPart("Nations", tuple(_nations(found))),
        ReportPart("The largest swings", tuple(_swings(found))),
        ReportPart("Battles", tuple(_battles(found))),
        ReportPart("Other rolls", tuple(_rolls(found))),
    ]
    return [part for part in parts if part.blocks]


def lead(found: Luck) -> str:
    """What the figures are, in a sentence or two."""
    sampled = sum(not t.exact for t in found.throws)
    how = (
        f" The odds of {counted(sampled, 'throw')} were sampled, those of the others are exact."
        if sampled
        else ""
    )
    when = "the whole game" if found.ended else f"{counted(found.turns, 'turn')} so far"
    return (
        f"Luck in {when}, in hits: what the dice of each throw did to both sides, less what was to be "
        "expected just before "
        "it. A hit that nobody takes counts nothing. By pure chance 95 of 100 totals lie within their "
        f"band.{how}"
    )


def _nations(found: Luck) -> list[Block]:
    words = Wording(found.world)
    nations, sides = found.nations(), found.sides()
    if not nations:
        return [Para("No dice of battles have been thrown.")]
    named = [(capital(words.name(n["nation"])), n) for n in nations]
    out: list[Block] = [Para(lead(found)), table(_HEAD, [_row(name, n) for name, n in named])]
    if len(sides) > 1:
        head = ("Side, all its nations of now", *_HEAD[1:])
        out.append(table(head, [_row(capital(words.side(s["side"])), s) for s in sides]))
    far = [(name, n) for name, n in named if abs(n["luck"]) > n["high"] > 0]
    if far:
        said = listing(f"{name} ({n['luck']:+.1f}, band ±{n['high']:.1f})" for name, n in far)
        out.append(Para(f"{said}.", "Beyond their band"))
    expected = len(nations) * 0.05
    out.append(
        Para(
            f"Of {counted(len(nations), 'nation')} about {expected:.1f} are beyond their band by chance "
            "alone."
        )
    )
    return out


_HEAD = ("Nation", "Luck", "Band", "Luckier than", "Throws", "Dealt", "expected", "Taken", "expected")
"""The answer first: of a wide table a narrow window shows the beginning."""


def _row(name: str, total: Mapping[str, Any]) -> tuple[str, ...]:
    than = "-" if total["luckier_than"] is None else f"{100 * total['luckier_than']:.0f}%"
    return (
        name,
        f"{total['luck']:+.1f}",
        f"±{BAND * total['error']:.1f}",
        than,
        str(total["throws"]),
        f"{total['dealt']:.1f}",
        f"{total['dealt_expected']:.1f}",
        f"{total['taken']:.1f}",
        f"{total['taken_expected']:.1f}",
    )


def _swings(found: Luck) -> list[Block]:
    words = Wording(found.world)
    rows = []
    for swing in found.swings():
        who = listing(words.name(n) for n in swing["nations"] if n) or "the holder"
        what = f"round {swing['round']}" if swing["what"] == "round" else "in leaving"
        place = f"{swing['name']}, turn {swing['turn']}, {what}"
        hits = [
            f"{swing['dealt']:.0f}",
            f"{swing['dealt_expected']:.1f}",
            f"{swing['taken']:.0f}",
            f"{swing['taken_expected']:.1f}",
        ]
        rows.append((place, capital(who), f"{swing['luck']:+.1f}", f"±{BAND * swing['error']:.1f}", *hits))
    head = ("Throw", "Lucky", "Luck", "Band", "Dealt", "expected", "Taken", "expected")
    return [Para("", "The largest swings"), table(head, rows)] if rows else []


def _battles(found: Luck) -> list[Block]:
    words = Wording(found.world)
    battles = found.battles()
    rows = []
    for battle in battles[:BATTLES]:
        attackers, defenders = (_who(words, battle["sides"][side]) for side in ("attacker", "defender"))
        rows.append(
            (
                f"{battle['name']}, turn {battle['turn']}", f"{capital(attackers)} against {defenders}",
                f"{battle['luck']:+.1f}", f"±{BAND * battle['error']:.1f}", str(battle["throws"]),
            )
        )  # fmt: skip
    if not rows:
        return []
    more = f", {len(rows)} of {len(battles)}" if len(battles) > len(rows) else ""
    head = ("Battle", "Who", "Attackers' luck", "Band", "Throws")
    return [Para("", f"Battles, those that luck swung most first{more}"), table(head, rows)]


def _who(words: Wording, parties: Mapping[str, Any]) -> str:
    return listing(words.name(n) for n in parties if n) or "the holder"


def _rolls(found: Luck) -> list[Block]:
    """Rolls with a limit, all nations together; whose they were stands in the JSON."""
    total: dict[str, list[float]] = {}
    for rolls in found.rolls:
        of = total.setdefault(rolls.rule, [0, 0, 0.0, 0.0])
        for place, value in enumerate((rolls.n, rolls.came_up, rolls.expected, rolls.variance)):
            of[place] += value
    rows: Sequence[tuple[str, ...]] = [
        (_title(found, rule), f"{n:.0f}", f"{came:.0f}", f"{mean:.1f}", f"±{BAND * variance**0.5:.1f}")
        for rule, (n, came, mean, variance) in sorted(total.items(), key=lambda i: -i[1][3])
    ]
    if not rows:
        return []
    return [
        Para("", "Other rolls: how often they came up"),
        table(("Rule", "Rolls", "Came up", "Expected", "Band"), rows),
    ]


def _title(found: Luck, rule: str) -> str:
    form, _, id_ = rule.partition("/")
    row = found.world.ruleset.row_or_empty(form, id_)
    return str(row.get("title") or row.get("name") or id_.replace("-", " "))
