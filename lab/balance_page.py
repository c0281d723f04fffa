"""What a sweep of games came to as a page: who wins, who joins, the course of the war with bands, what is
used and what never.

Every row leads to games, and every game to the command that plays it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wteaw.core.messages import capital
from wteaw.core.model import Ruleset
from wteaw.report.document import Block, Bullets, Para, Picture, ReportPart, Table, table
from wteaw.report.wording import counted

from . import plots
from .course import DID
from .row_names import RowNames, percent, surest

LINES, LEADING, MOST = 8, 6, 12
"""Lines in a chart, games that a row leads to, and who is told of those that win or lead; the JSON has
all.
"""
TITLES = {
    "units": "Units", "places": "Places held", "income": "Income in the turn", "lost": "Units lost in the "
                                                                                       "turn",
    "captures": "Places taken in the turn",
}  # fmt: skip
FORMS = {
    "events": "Events", "orders": "Orders", "refused": "Orders refused when they were carried out",
    "technologies": "Technologies", "order_options": "Conditions of orders", "modifiers": "Adjusts that "
                                                                                          "counted",
}  # fmt: skip

IDLE = {"order_options": "conditions of orders", "war_kinds": "kinds of war"}
"""Forms as the list of what no game used calls them, where it is not by their key."""


def balance_parts(
    ruleset: Ruleset, found: Mapping[str, Any], games: Mapping[int, Mapping[str, Any]], again: str
) -> list[ReportPart]:
    """The parts of a page on the games of one candidate.

    `again`: the command that plays one again, but for its seed.
    """
    names = RowNames(ruleset)
    if not found["games"]:
        return [ReportPart("Games", _games(names, games, again))]
    parts = [
        ReportPart("Who wins", tuple(_wins(names, found))),
        ReportPart("Who joins, and when there is war", tuple(_joins(names, found))),
        ReportPart("Who takes what from whom", tuple(_taken(names, found))),
        ReportPart("The course of the games", tuple(_course(names, found))),
        ReportPart("What no game used", tuple(_never(names, found))),
        ReportPart("What is used, and how often", tuple(_used(names, found))),
        ReportPart("What each rule contributed", tuple(_rules(names, found))),
        ReportPart("Games", _games(names, games, again)),
    ]
    return [part for part in parts if part.blocks]


def leads(numbers: Iterable[int], of: int | None = None) -> tuple[tuple[str, str], ...]:
    """Links to games, the first of them; what more there are is said."""
    those = list(numbers)
    out = [(str(n), f"#g{n}") for n in those[:LEADING]]
    more = (len(those) if of is None else of) - len(out)
    return (*out, (f"and {more} more", "")) if more > 0 else tuple(out)


def linked_table(
    head: Sequence[str], rows: Sequence[tuple[Sequence[str], tuple[tuple[str, str], ...]]]
) -> Table:
    """A table whose last column are games."""
    made = table(head[:-1], [cells for cells, _ in rows])
    return replace(made, head=tuple(head), links=tuple(links for _, links in rows))


def with_band(share: Mapping[str, Any]) -> tuple[str, str]:
    """A share and its band."""
    return percent(share["share"]), f"{100 * share['low']:.0f} to {100 * share['high']:.0f}%"


def figure(value: float | None, error: float | None = None) -> str:
    """A mean with its standard error, to the place that the error leaves."""
    if value is None:
        return "-"
    places = 2
    if abs(value) >= 10:
        places = 1 if abs(value) < 1000 else 0
    said = f"{value:.{places}f}"
    return said if error is None else f"{said} ± {error:.{max(places, 2 if error < 0.1 else 1)}f}"


# ---- who wins, who joins


def _wins(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    out: list[Block] = []
    asked = [
        ("The game", found["wins"]),
        *((f"Leads by {names.row('victory', c)}", of) for c, of in found["leads"].items()),
    ]
    for title, of in asked:
        cut = f", the {MOST} first of {len(of)}" if len(of) > MOST else ""
        of = dict(list(of.items())[:MOST])
        shares = {names.who(who): (s["share"], s["low"], s["high"]) for who, s in of.items()}
        out.append(
            Picture(
                plots.bars(title, shares, percent=True),
                f"{title}{cut}: share of the games, with the 95 % band.",
            )
        )
        rows = [
            ((capital(names.who(who)), str(s["games"]), *with_band(s)), leads(s["from"]))
            for who, s in of.items()
        ]
        out.append(linked_table((title, "Games", "Share", "Band", "Which"), rows))
    return out


def _joins(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    rows = []
    for nation, sides in found["joined"].items():
        for side, s in sides.items():
            how = ", ".join(f"{names.rule(rule)} ({n})" for rule, n in list(s["rules"].items())[:3])
            turn = figure(s["turn"]["mean"], s["turn"]["error"])
            rows.append(
                ((capital(names.who(nation)), names.who(side), *with_band(s), turn, how), leads(s["from"]))
            )
    out: list[Block] = []
    if rows:
        head = ("Nation", "Joins", "Share", "Band", "Turn", "By (games)", "Which")
        out.append(linked_table(head, rows))
    wars = []
    for nation, s in found["wars"].items():
        how = ", ".join(f"{names.rule(rule)} ({n})" for rule, n in list(s["rules"].items())[:2])
        foe = ", ".join(f"{names.who(f)} ({n})" for f, n in list(s["foes"].items())[:2])
        turn = figure(s["turn"]["mean"], s["turn"]["error"])
        wars.append(((capital(names.who(nation)), *with_band(s), turn, foe, how), leads(s["from"])))
    if wars:
        head = ("At war for the first time", "Share", "Band", "Turn", "With (games)", "By (games)", "Which")
        out.append(linked_table(head, wars))
    return out


def _taken(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    head = ("Who takes places", "From", "Games", "A game", "Which")
    return [_within(head, found["taken"], names.who, names.who)] if found["taken"] else []


def _within(
    head: Sequence[str],
    found: Mapping[str, Mapping[str, Any]],
    of: Callable[[str], str],
    what: Callable[[str], str],
) -> Block:
    """A table of figures of pairs, the greatest first."""
    pairs = [(one, other, s) for one, within in found.items() for other, s in within.items()]
    pairs.sort(key=lambda pair: (-pair[2]["mean"], pair[:2]))
    rows = []
    for one, other, s in pairs:
        rows.append(
            (
                (capital(of(one)), what(other), with_band(s)[0], figure(s["mean"], s["error"])),
                leads(s["from"]),
            )
        )
    return linked_table(head, rows)


# ---- the course


def _course(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    course = found["course"]
    if not course["turns"]:
        return []
    few = f" {_reached(course)}"
    out: list[Block] = [Para(f"Means over the games, with the band in which eight of ten lie.{few}")]
    war = {
        "length: borders between enemies": course["front"], "places in which it stands": course["fronts"],
        "places taken": course["taken"],
    }  # fmt: skip
    known: dict[str, int] = {}
    out += _chart("The front", war, course, str, {})
    for criterion, of in course["criteria"].items():
        out += _chart(names.row("victory", criterion), of, course, names.who, known)
    for key, title in TITLES.items():
        out += _chart(title, course[key], course, names.who, known)
    return out


def _reached(course: Mapping[str, Any]) -> str:
    """Over how many games the means are: fewer in late turns, where games end early."""
    first, last, turn = course["games"][0], course["games"][-1], course["turns"][-1]
    if first == last:
        return f"{counted(first, 'game')} came to turn {turn}."
    at = told(course)
    tables = (
        f" The tables are of turn {course['turns'][at]}, to which half of them came."
        if at < len(course["turns"]) - 1
        else ""
    )
    return (
        f"They are those of the games that came to a turn: {first} at first, {last} in turn {turn}.{tables}"
    )


def told(course: Mapping[str, Any]) -> int:
    """Which of the turns the tables tell of: the last one to which half of the games came."""
    return max(i for i, games in enumerate(course["games"]) if 2 * games >= course["games"][0])


def _chart(
    title: str,
    of: Mapping[str, Sequence[Mapping[str, Any]]],
    course: Mapping[str, Any],
    name: Callable[[str], str],
    known: dict[str, int],
) -> list[Block]:
    """A chart of the largest, and below it how they stand in the turn that is `told`, with the games of least
    and most.
    """
    weight = {who: sum(v["mean"] or 0 for v in values) for who, values in of.items()}
    shown = sorted((w for w in of if weight[w]), key=lambda w: (-weight[w], w))[:LINES]
    if not shown:
        return []
    series = [
        plots.PlotLine(
            name(w), [v["mean"] for v in of[w]], [v["low"] for v in of[w]], [v["high"] for v in of[w]]
        )
        for w in shown
    ]
    rows = []
    for w in shown:
        last = of[w][told(course)]
        band = f"{figure(last['low'])} to {figure(last['high'])}"
        ends = [
            (f"{last[k]['game']} ({figure(last[k]['value'])})", f"#g{last[k]['game']}")
            for k in ("least", "most")
        ]
        rows.append(((capital(name(w)), figure(last["mean"], last["error"]), band), tuple(ends)))
    more = (
        f", the {len(shown)} largest of {sum(map(bool, weight.values()))}"
        if sum(map(bool, weight.values())) > len(shown)
        else ""
    )
    return [
        Picture(plots.lines(title, series, first=course["turns"][0], known=known), f"{title}{more}."),
        linked_table(
            (f"{title}, turn {course['turns'][told(course)]}", "Mean", "Band", "Least and most in game"), rows
        ),
    ]


# ---- what is used


def _never(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    lines = []
    for form, ids in found["never"].items():
        said = ", ".join(
            f"{names.row(form, id_)} ({id_})" if names.row(form, id_) != id_ else id_ for id_ in ids
        )
        lines.append(f"{counted(len(ids), 'row')} of {IDLE.get(form, form)}: {said}")
    if not lines:
        return [Para("Every row was used in some game.")]
    return [
        Para(
            "Rows that nothing has come of in any of these games. Policies may not know how to use them; or "
            "nobody can."
        ),
        Bullets(tuple(lines)),
    ]


def _used(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    out: list[Block] = []
    for form, title in FORMS.items():
        of = found["used"][form]
        rows = []
        for what, s in sorted(of.items(), key=lambda i: (-i[1]["share"], -(i[1]["mean"] or 0), i[0])):
            name = names.rule(what) if form in ("orders", "refused") else names.row(form, what)
            rows.append(
                ((capital(name), what, with_band(s)[0], figure(s["mean"], s["error"])), leads(s["from"]))
            )
        if rows:
            out.append(linked_table((title, "Row", "Games", "A game", "Which"), rows))
        if form == "refused" and rows:
            out.append(
                _within(
                    ("Orders refused", "Why", "Games", "A game", "Which"), found["reasons"], names.rule, str
                )
            )
    return out


def _rules(names: RowNames, found: Mapping[str, Any]) -> list[Block]:
    rows = []
    for rule, s in sorted(found["rules"].items(), key=lambda i: -(i[1]["changes"]["mean"] or 0)):
        if not any(s[key]["mean"] for key in DID[1:]):
            continue
        cells = [figure(s[key]["mean"]) if s[key]["mean"] else "" for key in DID]
        rows.append(((capital(names.rule(rule)), rule, with_band(s)[0], *cells), leads(s["from"])))
    head = (
        "Rule",
        "Row",
        "Games",
        "Entries",
        "Changes",
        "Units destroyed",
        "Places taken",
        "Money moved",
        "Tracks moved",
        "Which",
    )
    return [Para("Means of a game."), linked_table(head, rows)] if rows else []


# ---- the games


def _games(names: RowNames, games: Mapping[int, Mapping[str, Any]], again: str) -> tuple[Block, ...]:
    rows, anchors = [], []
    for number, game in sorted(games.items()):
        if "error" in game:
            told = ("", "", f"could not be played on: {game['error']}")
        else:
            winners = ", ".join(names.who(w) for w in game["winners"]) or (
                "nobody" if game["ended"] else "not ended"
            )
            told = (str(game["turns"]), winners, names.row("victory", game["end"]) if game["end"] else "")
        rows.append((str(number), *told, str(game["seed"])))
        anchors.append(f"g{number}")
    made = table(("Game", "Turns", "Won by", "End", "Seed"), rows)
    return (Para(f"{again} --seed SEED", "Play one again"), replace(made, anchors=tuple(anchors)))


# ---- differences


def differences(ruleset: Ruleset, compared: Mapping[str, Any], instead: Mapping[str, str]) -> ReportPart:
    """What changes with each of the other things compared, in words and figures, the surest difference first.

    `instead` says of each what it is and instead of what.
    """
    names = RowNames(ruleset)
    out: list[Block] = []
    for other, found in compared.items():
        out.append(
            Para(f"{counted(found['games'], 'game')} with each, on the same seeds.", capital(instead[other]))
        )
        said = surest(ruleset, instead[other], found["figures"])
        out.append(
            Bullets(tuple(said))
            if said
            else Para("No figure surely differs: none by more than two standard errors.")
        )
        rows = [
            (
                names.figure(name),
                f"{m['mean']:+.2f}",
                f"{m['error']:.2f}",
                f"{m['mean'] / m['error']:+.1f}" if m["error"] else "",
            )
            for name, m in found["figures"].items()
            if m["mean"] and m["error"] is not None
        ]
        rows.sort(key=lambda row: -abs(float(row[3] or 99)))
        if rows:
            out.append(table(("Figure", "Difference", "Standard error", "In errors"), rows))
    return ReportPart("Differences", tuple(out))
