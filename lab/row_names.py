"""What figures of many games are called, and differences of them in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wteaw.core.model import Ruleset

DRAW = NOBODY = "nobody"
NOT_ENDED = "not ended"
SAID, SURE = 12, 2.0
"""Differences told in words, and of how many standard errors they must be."""


def percent(share: float) -> str:
    """A share in percent: 0 and 100 are said of none and all alone."""
    said = f"{100 * share:.0f}"
    if said in ("0", "100") and 0 < share < 1:
        said = f"{100 * share:.1f}"
        said = {"0.0": "under 0.1", "100.0": "over 99.9"}.get(said, said)
    return f"{said}%"


class RowNames:
    """What rows of a ruleset are called."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset

    def row(self, form: str, id_: str) -> str:
        """A row by its title, label or name; its id if it has none."""
        row = self.ruleset.row_or_empty(form, id_)
        return str(row.get("title") or row.get("label") or row.get("name") or id_)

    def rule(self, rule: str) -> str:
        """A rule written "form/id"."""
        form, _, id_ = rule.partition("/")
        return self.row(form, id_)

    def who(self, id_: str) -> str:
        """A nation or side."""
        for form in ("nations", "sides"):
            row = self.ruleset.rows(form).get(id_)
            if row is not None:
                return str(row.get("short") or row.get("name") or id_)
        return id_

    def figure(self, name: str) -> str:
        """A figure of a game, as `summary.figures` names it."""
        kind, _, rest = name.partition(" ")
        first, _, second = rest.partition(" ")
        if kind == "criteria":
            return f"{self.row('victory', first)} of {self.who(second)}"
        if kind == "lead":
            return f"lead of {self.who(second)} by {self.row('victory', first)}"
        if kind == "wins":
            return f"games won by {self.who(rest)}"
        if kind in ("captures", "lost"):
            what = "places taken" if kind == "captures" else "units lost"
            return f"{what} by {self.who(rest)}" if rest else what
        if kind == "battles" and rest:
            return f"battles in places of the kind {rest}"
        if kind == "fronts":
            return "places in which a front stands"
        if kind in ("orders", "refused"):
            head = "orders" if kind == "orders" else "orders refused"
            return f"{head}: {self.rule(rest)}" if rest else head
        return f"event: {self.row('events', rest)}" if kind == "events" else name


class Unnamed:
    """Reasons without what differs from case to case:

    `…` for numbers, and for names of places and nations.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        names: set[str] = set()
        for form in ("places", "nations"):
            for id_, row in ruleset.rows(form).items():
                names.update(str(row.get(key) or id_) for key in ("name", "short"))
        known = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
        self._varies = re.compile(
            rf"(?<!\w)(?:{known})(?!\w)|\d+(?:[./]\d+)?" if known else r"\d+(?:[./]\d+)?"
        )

    def __call__(self, why: str) -> str:
        return self._varies.sub("…", why)


def difference(m: Mapping[str, Any]) -> str:
    """A difference with its standard error: "+1.3 ± 0.4"."""
    places = 2 if abs(m["mean"]) < 10 else 1
    return f"{m['mean']:+.{places}f} ± {m['error']:.{places}f}"


def surest(
    ruleset: Ruleset, instead: str, figures: Mapping[str, Mapping[str, Any]], most: int = SAID
) -> list[str]:
    """Differences that are surely some, the surest first, as sentences: "a rate at 10 instead of 12: units
    lost +1.30 ± 0.40".
    """
    names = RowNames(ruleset)
    found = [(name, m) for name, m in figures.items() if m["mean"] and m["error"] is not None]
    sure = [(name, m) for name, m in found if m["error"] * SURE < abs(m["mean"])]
    sure.sort(key=lambda i: (-abs(i[1]["mean"]) / i[1]["error"] if i[1]["error"] else -1e9, i[0]))
    return [f"{instead}: {names.figure(name)} {difference(m)}" for name, m in sure[:most]]
