"""What many games come to: who wins how often, means with their errors, what never happened, and candidates
compared in pairs.

A share of n games has the band of Wilson's 95 % interval. A standard error is that of a mean, from the
sample's deviation (n - 1); it is None for fewer than two games. Candidates are compared game by game on the
same seeds.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from wteaw.core.model import Ruleset
from wteaw.report.wording import counted

from .row_names import DRAW, NOT_ENDED, percent, surest
from .single_game import Figures

NOT_SHOWN = ("orders ", "refused ", "events ", "wins ", "lead ")
"""Figures that stand elsewhere in the table, or in `summary.json` alone."""
COUNTED = ("captures", "lost", "orders", "refused")


def summary(candidates: Mapping[str, Ruleset], games: Mapping[tuple[int, str], Figures]) -> dict[str, Any]:
    """All candidates, and each but the first against the first.

    Games that did not come to their end are told, not counted.
    """
    of = {
        name: {n: f for (n, candidate), f in sorted(games.items()) if candidate == name}
        for name in candidates
    }
    whole = {name: {n: f for n, f in played.items() if "error" not in f} for name, played in of.items()}
    first = next(iter(candidates))
    return {
        "candidates": {
            name: _candidate(ruleset, list(whole[name].values()))
            | {
                "errors": [
                    {k: f[k] for k in ("game", "seed", "error")} for f in of[name].values() if "error" in f
                ]
            }
            for name, ruleset in candidates.items()
        },
        "compared": {name: _compared(whole[first], whole[name]) for name in list(candidates)[1:]},
    }


def _candidate(ruleset: Ruleset, games: Sequence[Figures]) -> dict[str, Any]:
    won = Counter(w for g in games for w in outcome(g))
    leads = {
        c: Counter(w for g in games for w in g["leaders"].get(c, ()))
        for c in ruleset.of_kind("victory", "criterion")
    }
    flat = [dict(figures(g)) for g in games]
    events = Counter(e for g in games for e in g["events"])
    given = Counter(o for g in games for o in g["orders"])
    orders = [f"{form}/{id_}" for form in ("orders", "actions") for id_ in ruleset.rows(form)]
    return {
        "games": len(games),
        "wins": {who: share(n, len(games)) for who, n in won.most_common()},
        "leads": {
            c: {who: share(n, len(games)) for who, n in counted.most_common()}
            for c, counted in leads.items()
            if counted
        },
        "figures": {name: mean([f.get(name, 0.0) for f in flat]) for name in _names(flat)},
        "events": {e: share(n, len(games)) for e, n in sorted(events.items())},
        "never": {
            "events": sorted(e for e in ruleset.rows("events") if e not in events),
            "orders": sorted(o for o in orders if o not in given),
        },
    }


def outcome(game: Figures) -> list[str]:
    """Who has won a game: winners who share, `nobody` of one that ended without, `not ended` of one that did
    not.
    """
    return (list(game["winners"]) or [DRAW]) if game["ended"] else [NOT_ENDED]


def figures(game: Figures) -> Iterator[tuple[str, float]]:
    """Every number of a game by its name: `criteria CRITERION WHO`, `lead CRITERION WHO` (before the best of
    the others), `captures NATION`, `battles KIND` of places, `fronts` (where one stands, a turn) and so
    on."""
    for name in ("turns", "battles", "voyages", "flights"):
        yield name, game[name]
    yield from ((f"battles {kind}", n) for kind, n in game["battles_in"].items() if kind)
    if game["course"]:
        yield "fronts", math.fsum(turn["fronts"] for turn in game["course"]) / len(game["course"])
    for who in game["winners"]:
        yield f"wins {who}", 1
    for criterion, values in game["criteria"].items():
        yield from ((f"criteria {criterion} {who}", value) for who, value in values.items())
        if len(values) > 1:
            for who, value in values.items():
                yield f"lead {criterion} {who}", value - max(v for w, v in values.items() if w != who)
    for name in COUNTED:
        yield name, sum(game[name].values())
        yield from ((f"{name} {what}", n) for what, n in game[name].items())
    yield from ((f"events {what}", n) for what, n in game["events"].items())


def _names(flat: Iterable[Mapping[str, float]]) -> list[str]:
    return sorted(
        {name for figures in flat for name in figures}, key=lambda name: (name.partition(" ")[0], name)
    )


def _compared(first: Mapping[int, Figures], other: Mapping[int, Figures]) -> dict[str, Any]:
    """The other less the first, figure by figure, over the games that both have."""
    both = sorted(first.keys() & other.keys())
    pairs = [(dict(figures(first[n])), dict(figures(other[n]))) for n in both]
    names = _names(f for pair in pairs for f in pair)
    return {
        "games": len(both),
        "figures": {n: mean([b.get(n, 0.0) - a.get(n, 0.0) for a, b in pairs]) for n in names},
    }


# ---- how well a figure is known

LEAST = 20
"""Games before an error is believed."""
NO_FORM = ("turns", "battles", "voyages", "flights", "fronts", *COUNTED)


def figure_fault(ruleset: Ruleset, figure: str) -> str | None:
    """Why there can be no figure of this name under a ruleset, or None."""
    kind, _, rest = figure.partition(" ")
    first, _, second = rest.partition(" ")
    who = {*ruleset.rows("nations"), *ruleset.rows("sides")}
    known: Iterable[str]
    if figure in NO_FORM:
        return None
    if kind in ("criteria", "lead"):
        criteria = ruleset.of_kind("victory", "criterion")
        if first not in criteria:
            return f"no criterion {first!r}; there are {', '.join(sorted(criteria)) or 'none'}"
        known, asked = who, second
    elif kind in ("wins", "captures", "lost"):
        known, asked = who, rest
    elif kind == "battles":
        known, asked = {str(row.get("kind", "")) for row in ruleset.rows("places").values()}, rest
    elif kind == "events":
        known, asked = ruleset.rows("events"), rest
    elif kind in ("orders", "refused"):
        known, asked = [f"{form}/{id_}" for form in ("orders", "actions") for id_ in ruleset.rows(form)], rest
    else:
        forms = (
            "criteria CRITERION WHO, lead CRITERION WHO, wins WHO, captures WHO, lost WHO, battles KIND, "
            "orders ROW, refused ROW, events ROW"
        )
        return f"no figure {figure!r}; there are {', '.join(NO_FORM)}, {forms}"
    if asked in known:
        return None
    near = get_close_matches(asked, known, 3) or sorted(known)[:6]
    return f"no {asked!r} for {kind}; perhaps {', '.join(near)}"


@dataclass
class PrecisionGoal:
    """A figure that is to be known to a standard error; with several candidates the differences from the
    first.
    """

    figure: str
    wanted: float
    last: float | None = None

    def reached(self, held: Mapping[tuple[int, str], Figures], n: int, names: Sequence[str]) -> bool:
        """Whether the first `n` games are enough."""
        self.last = self.error(held, n, names)
        return n >= LEAST and self.last is not None and self.last <= self.wanted

    def error(self, held: Mapping[tuple[int, str], Figures], n: int, names: Sequence[str]) -> float | None:
        """The standard error by the first `n` games, the largest of all differences; None where there is none
        yet.

        Of how often somebody wins, what has always or never come up counts as once in a while.
        """
        found = []
        for other in names[1:] or names:
            pairs = [
                (held[k, names[0]], held[k, other])
                for k in range(1, n + 1)
                if (k, other) in held and (k, names[0]) in held
            ]
            whole = [(a, b) for a, b in pairs if "error" not in a and "error" not in b]
            both = [(self._value(a), self._value(b)) for a, b in whole]
            values = [b - a for a, b in both] if len(names) > 1 else [b for _, b in both]
            error = mean(values)["error"]
            if error is not None and self.figure.startswith("wins ") and len(names) == 1:
                p = (sum(values) + 0.5) / (len(values) + 1)
                error = math.sqrt(p * (1 - p) / len(values))
            found.append(error)
        return None if not found or None in found else max(e for e in found if e is not None)

    def _value(self, game: Figures) -> float:
        return next((value for name, value in figures(game) if name == self.figure), 0.0)


def mean(values: Sequence[float]) -> dict[str, float | None]:
    """The mean and its standard error."""
    n = len(values)
    middle = math.fsum(values) / n if n else None
    if middle is None or n < 2:
        return {"mean": middle, "error": None}
    return {"mean": middle, "error": math.sqrt(math.fsum((v - middle) ** 2 for v in values) / (n - 1) / n)}


def share(hits: float, n: int) -> dict[str, float]:
    """How often of so many, with the 95 % band."""
    z = 1.959964
    p, whole = hits / n, 1 + z * z / n
    middle, half = (p + z * z / (2 * n)) / whole, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / whole
    low, high = (0.0 if hits == 0 else middle - half), (1.0 if hits == n else middle + half)
    return {"games": hits, "share": p, "low": low, "high": high}


def as_text(found: Mapping[str, Any], ruleset: Ruleset, instead: Mapping[str, str]) -> list[str]:
    """The tables that a reader wants first; `summary.json` has every figure."""
    out: list[str] = []
    for name, candidate in found["candidates"].items():
        out += [
            f"{name}: {counted(candidate['games'], 'game')}",
            "",
            f"  {'wins':<40} games   share   95 % band",
        ]
        out += [_share(who, s) for who, s in candidate["wins"].items()]
        for criterion, leads in candidate["leads"].items():
            out += [
                "",
                f"  {'leads by ' + criterion:<40} games   share   95 % band",
                *(_share(w, s) for w, s in leads.items()),
            ]
        out += ["", f"  {'figure':<40}       mean   standard error"]
        out += [_mean(what, m) for what, m in candidate["figures"].items() if not what.startswith(NOT_SHOWN)]
        for what, never in candidate["never"].items():
            said = f"{what} that never happened: {', '.join(never) or 'none'}"
            out += [
                "",
                *textwrap.wrap(
                    said, 120, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
                ),
            ]
        out += [
            f"  game {e['game']} (seed {e['seed']}) could not be played on: {e['error']}"
            for e in candidate["errors"]
        ]
        out.append("")
    first = next(iter(found["candidates"]))
    for name, compared in found["compared"].items():
        differs = {what: m for what, m in compared["figures"].items() if m["mean"] or m["error"]}
        out += [f"{name} less {first}, on {counted(compared['games'], 'same seed')}", ""]
        out += [f"  {line}" for line in surest(ruleset, instead[name], compared["figures"])]
        out += [f"  {'figure':<40} difference   standard error" if differs else "  no figure differs"]
        out += [_mean(what, m) for what, m in differs.items()]
        out.append("")
    if "until" in found:
        until = found["until"]
        known = "not known yet" if until["error"] is None else f"known to ± {until['error']:.3g}"
        after = counted(until["games"], "game")
        out += [f"{until['figure']} is {known} after {after} ({until['wanted']:g} was asked for)", ""]
    return out[:-1]


def _share(who: str, s: Mapping[str, float]) -> str:
    return f"  {who:<40} {s['games']:>5}  {percent(s['share']):>5}   {s['low']:.0%} to {s['high']:.0%}"


def _mean(what: str, m: Mapping[str, float | None]) -> str:
    return f"  {what:<40} {m['mean']:>10.2f}   {'' if m['error'] is None else format(m['error'], '.2f')}"
