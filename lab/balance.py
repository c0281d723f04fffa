"""What a ruleset does to its games: who wins, who joins whom, how the war goes, what is used, and what each
rule contributed.

Every figure names the games it comes from by their numbers: all of those in which something happened, or
those with the least and the most of it. What no game uses is a finding.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from wteaw.core.model import Ruleset

from .course import BY_TURN, DID
from .single_game import Figures
from .summary import figures, mean, outcome, share

Games = Mapping[int, Figures]
LOW, HIGH = 0.1, 0.9
"""The band of what games come to: eight of ten lie in it."""
ALWAYS = ("events", "actions", "orders", "technologies", "modifiers", "production", "battles")
"""Forms whose rows are looked for, whether or not any of them was used; of other forms those are of which
some row was.
"""
UNTOLD = ("sequence", "visibility", "decisions", "definitions", "tracks")
"""Forms of which a journal does not tell each row that was used."""


def balance(ruleset: Ruleset, games: Games) -> dict[str, Any]:
    """Everything about the games of one candidate, as plain data.

    Games that could not be played on are left out.
    """
    whole = {n: g for n, g in sorted(games.items()) if "error" not in g}
    numbers = list(whole)
    return {
        "games": len(whole),
        "wins": _shares(whole, outcome),
        "leads": _leads(ruleset, whole),
        "joined": _joined(ruleset, whole),
        "wars": _wars(whole),
        "taken": _within(whole, "taken"),
        "course": _course(whole),
        "figures": _figures(whole),
        "used": _used(ruleset, whole),
        "reasons": _within(whole, "reasons"),
        "never": never(ruleset, list(whole.values())),
        "rules": _rules(whole),
        "from": numbers,
    }


# ---- who wins, who joins


def _shares(games: Games, of: Callable[[Figures], Iterable[str]]) -> dict[str, Any]:
    """In how many games each of something came up, with the games."""
    found: dict[str, list[int]] = {}
    for number, game in games.items():
        for what in dict.fromkeys(of(game)):
            found.setdefault(what, []).append(number)
    ordered = sorted(found.items(), key=lambda i: (-len(i[1]), i[0]))
    return {what: {**share(len(where), len(games)), "from": where} for what, where in ordered}


def _leads(ruleset: Ruleset, games: Games) -> dict[str, Any]:
    """Who leads at the end by each criterion."""
    criteria = ruleset.of_kind("victory", "criterion")
    found = {c: _shares(games, lambda g, c=c: g["leaders"].get(c, ())) for c in criteria}  # type: ignore[misc]
    return {c: leaders for c, leaders in found.items() if leaders}


def _joined(ruleset: Ruleset, games: Games) -> dict[str, Any]:
    """Who has joined a side at last: how often which, in which turn, and by which rule."""
    found: dict[str, dict[str, dict[int, tuple[int, str]]]] = {}
    for number, game in games.items():
        for turn, nation, side, rule in game["joined"]:
            found.setdefault(nation, {}).setdefault(side, {}).setdefault(number, (turn, rule))
    return {
        nation: {
            side: {
                **share(len(of), len(games)), "turn": spread({n: turn for n, (turn, _) in of.items()}),
                "rules": dict(Counter(rule for _, rule in of.values()).most_common()), "from": list(of),
            }
            for side, of in sorted(sides.items(), key=lambda i: -len(i[1]))
        }
        for nation, sides in sorted(found.items())
    }  # fmt: skip


def _wars(games: Games) -> dict[str, Any]:
    """When each nation first was at war, with whom and by which rule."""
    found: dict[str, dict[int, Sequence[Any]]] = {}
    for number, game in games.items():
        for nation, first in game["at_war"].items():
            found.setdefault(nation, {})[number] = first
    return {
        nation: {
            **share(len(of), len(games)), "turn": spread({n: f[0] for n, f in of.items()}),
            "foes": dict(Counter(f[1] for f in of.values()).most_common()),
            "rules": dict(Counter(f[2] for f in of.values()).most_common()), "from": list(of),
        }
        for nation, of in sorted(found.items(), key=lambda i: (-len(i[1]), i[0]))
    }  # fmt: skip


# ---- over time


def _course(games: Games) -> dict[str, Any]:
    """By figure (and by whom) its mean after each turn with the band, over the games that have come so
    far.
    """
    course = list(chain.from_iterable(game["course"] for game in games.values()))
    turns = sorted({turn["turn"] for turn in course})
    by_turn = {n: {t["turn"]: t for t in g["course"]} for n, g in games.items()}

    def over(value: Callable[[Mapping[str, Any]], float]) -> list[dict[str, Any]]:
        return [spread({n: value(of[turn]) for n, of in by_turn.items() if turn in of}) for turn in turns]

    def names(key: str) -> list[str]:
        return sorted({who for turn in course for who in turn[key]})

    criteria = sorted({criterion for turn in course for criterion in turn["criteria"]})
    of_criterion: dict[str, Any] = {}
    for c in criteria:
        who = sorted({nation for turn in course for nation in turn["criteria"].get(c, {})})
        of_criterion[c] = {w: over(lambda t, c=c, w=w: t["criteria"].get(c, {}).get(w, 0.0)) for w in who}  # type: ignore[misc]
    return {
        "turns": turns,
        "games": [sum(turn in of for of in by_turn.values()) for turn in turns],
        "front": over(lambda t: t["front"]),
        "fronts": over(lambda t: t["fronts"]),
        "taken": over(lambda t: sum(t["captures"].values())),
        **{key: {w: over(lambda t, key=key, w=w: t[key].get(w, 0)) for w in names(key)} for key in BY_TURN},  # type: ignore[misc]
        "criteria": of_criterion,
    }


def _figures(games: Games) -> dict[str, Any]:
    """Every figure of whole games with its spread."""
    flat = {n: dict(figures(g)) for n, g in games.items()}
    names = sorted({name for of in flat.values() for name in of})
    return {name: spread({n: of.get(name, 0.0) for n, of in flat.items()}) for name in names}


def spread(values: Mapping[int, float]) -> dict[str, Any]:
    """Mean, standard error, the band of eight in ten, and the games with the least and the most."""
    if not values:
        return {"mean": None, "error": None, "low": None, "high": None, "n": 0, "least": None, "most": None}
    ordered = sorted(values.values())
    least, most = (choose(values, key=lambda n: (values[n], -n)) for choose in (min, max))
    return {
        **mean(list(values.values())),
        "low": quantile(ordered, LOW),
        "high": quantile(ordered, HIGH),
        "n": len(values),
        "least": {"game": least, "value": values[least]},
        "most": {"game": most, "value": values[most]},
    }


def quantile(ordered: Sequence[float], share_: float) -> float:
    """Of values in order the one with this share below it, between two of them in proportion."""
    place = share_ * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


# ---- what is used


def _used(ruleset: Ruleset, games: Games) -> dict[str, Any]:
    """Events, orders, conditions of orders, technologies: in how many games, how often in a game, and in
    which games.
    """
    counted = {
        "events": "events", "orders": "orders", "refused": "refused", "technologies": "learned",
        "order_options": "conditions", "modifiers": "applied",
    }  # fmt: skip
    out = {}
    for name, key in counted.items():
        found = {what for g in games.values() for what in g[key]}
        if name == "modifiers":
            found = {what for what in found if ruleset.has("modifiers", what)}
        out[name] = {
            what: _often({n: g[key].get(what, 0) for n, g in games.items()}) for what in sorted(found)
        }
    return out


def _within(games: Games, key: str) -> dict[str, dict[str, Any]]:
    """What is counted within something, such as reasons of an order: how often in a game, in which games; the
    most first.
    """
    found = set()
    for game in games.values():
        for of, within in game[key].items():
            found |= {(of, what) for what in within}
    often = {
        (of, what): _often({n: g[key].get(of, {}).get(what, 0) for n, g in games.items()})
        for of, what in found
    }
    out: dict[str, dict[str, Any]] = {}
    for of, what in sorted(found, key=lambda pair: (-often[pair]["mean"], pair)):
        out.setdefault(of, {})[what] = often[of, what]
    return out


def _often(values: Mapping[int, float]) -> dict[str, Any]:
    where = [n for n, v in values.items() if v]
    return {**share(len(where), len(values)), **mean(list(values.values())), "from": where}


def used(game: Figures) -> Iterator[str]:
    """Every row ("form/id") that a game has used: as the rule of an entry, an order, a technology, or an
    adjust that counted.
    """
    yield from game["did"]
    yield from game["orders"]
    yield from (f"technologies/{t}" for t in game["learned"])
    yield from (f"modifiers/{a}" for a in game["applied"])


def never(ruleset: Ruleset, games: Collection[Figures]) -> dict[str, list[str]]:
    """By form the rows that no game has used."""
    found = {row for g in games for row in used(g)}
    forms = {row.partition("/")[0] for row in found}
    out: dict[str, list[str]] = {}
    for form in ruleset.forms:
        if form in ALWAYS or (form in forms and form not in UNTOLD):
            rows = [id_ for id_ in ruleset.rows(form) if f"{form}/{id_}" not in found]
            if rows:
                out[form] = sorted(rows)
    conditions = {name for g in games for name in g["conditions"]}
    idle = sorted(
        id_ for id_, row in ruleset.rows("order_options").items() if row.get("gives", id_) not in conditions
    )
    return {**out, **({"order_options": idle} if idle else {})}


def _rules(games: Games) -> dict[str, Any]:
    """What each rule contributed to a game, on average, and in how many games it had any part."""
    names = sorted({rule for g in games.values() for rule in g["did"]})
    out = {}
    for rule in names:
        rows = {n: g["did"].get(rule, [0] * len(DID)) for n, g in games.items()}
        where = [n for n, row in rows.items() if row[0]]
        out[rule] = {
            **share(len(where), len(games)),
            **{key: mean([row[i] for row in rows.values()]) for i, key in enumerate(DID)},
            "from": where,
        }
    return out


__all__ = ["balance", "never", "quantile", "spread", "used"]
