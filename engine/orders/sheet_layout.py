"""The order sheet that a nation is sent: head, treasury, and what makes sense now, with prices, as commented
lines.

What is offered says `sheet.py`; here it is laid out. Orders of units stand under the theater where the units
are, all others under the phase that carries them out. A line with one mark is an order that stands as soon as
its mark is taken away and `?` is filled in; behind a second mark, and on lines with two, stands what is to be
read only. Sent back as it stands it orders nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..core.messages import capital
from ..world import treasury as stores
from ..world.known import theater_names, theater_of
from ..world.world import World
from .mail_text import END
from .names import Names
from .reference import HELP
from .sheet import offers_of
from .sheet_line import BLANK, ENEMY, FREE, NEUTRAL, OWN, Offered, joined_names

WIDTH = 72
ANSWERED = "## A line sent with its ? is answered with all that may stand there."
FAR = 10
"""Orders of units with more choices than this share a line."""
FROM = "or from"
"""The word for other places from which units go as those of a line do."""
FEW = 3
"""Theaters and phases with no more lines than this stand together."""
MANY = (20, 12, 8, 6, 4, 3, 2, 1, 0)
"""Of more lines of one order in a theater those with the fewest units share one: of as many as make a form of
no more than `MOST_ROWS`."""
MOST_ROWS = 150


def order_template(
    world: World, nation: str, *, game: str = "", asked: Sequence[tuple[str, Sequence[str]]] = ()
) -> str:
    """The order file of a nation, ready to be filled in. `world` is the nation's view.

    `asked`: what others have asked of it, in words, each with the lines by which it is answered.
    """
    names = Names(world.ruleset, world.state)
    out = [_head(world, nation, game, names), *_purse(world, nation)]
    if asked:
        out.append("## ASKED OF YOU ".ljust(WIDTH, "-"))
        for says, lines in asked:
            out += [f"## {says}", *(f"# {line}" for line in lines)]
    phases = offers_of(world, nation)
    if phases:
        prices = _of_what(world) if any(line.said for _, lines in phases for line in lines) else ""
        out += [
            "## Take away a # to give that order, fill in each ?, add your own lines.",
            *([ANSWERED] if any(BLANK in line.text for _, lines in phases for line in lines) else []),
            f"## {prices}All orders: {HELP}.",
        ]
    for many in MANY:
        rows = _rows(_sections(world, phases, many))
        if len(rows) <= MOST_ROWS:
            break
    out += rows
    return "\n".join([*out, "", END]) + "\n"


def _rows(sections: Iterable[tuple[str, Sequence[Offered]]]) -> list[str]:
    out = []
    for title, lines in sections:
        head = f"## {title.upper()} " if title else "## "
        out += [head.ljust(WIDTH, "-"), *(row for line in lines for row in _laid_out(line))]
    return out


def _sections(
    world: World, found: Sequence[tuple[str, Sequence[Offered]]], many: int
) -> list[tuple[str, list[Offered]]]:
    """The phases with what they offer; before the first of them that sends units on, the theaters where they
    are."""
    sent = _by_theater(world, [line for _, lines in found for line in lines if line.place], many)
    split = len(sent) > 1
    before: list[tuple[str, list[Offered]]] = []
    after: list[tuple[str, list[Offered]]] = []
    sends = False
    for title, lines in found:
        sends = sends or any(line.place for line in lines)
        if rest := [line for line in lines if not (split and line.place)]:
            (after if sends else before).append((title, rest if split else _together(rest, many)))
    few = FEW if many else 2 * FEW
    return [*_joined(before), *(_joined(sent, few) if split else ()), *_joined(after)]


def _joined(parts: Iterable[tuple[str, list[Offered]]], few: int = FEW) -> list[tuple[str, list[Offered]]]:
    """Neighbors with few lines under one heading, as far as their titles fit on a line."""
    out: list[tuple[str, list[Offered]]] = []
    for title, lines in parts:
        both = f"{out[-1][0]}, {title}" if out else ""
        if (
            out
            and title
            and out[-1][0]
            and len(both) <= WIDTH - 8
            and len(out[-1][1]) <= few
            and len(lines) <= few
        ):
            out[-1] = (both, [*out[-1][1], *lines])
        else:
            out.append((title, lines))
    return out


def _by_theater(world: World, lines: Sequence[Offered], many: int) -> list[tuple[str, list[Offered]]]:
    """Orders of units by the theater where these are; in their order."""
    sent: dict[str, list[Offered]] = {name: [] for name in theater_names(world)}
    for line in lines:
        sent[theater_of(world, line.place)].append(line)
    return [(name, _together(some, many)) for name, some in sent.items() if some]


def _together(lines: Sequence[Offered], many: int) -> list[Offered]:
    """Units that go far in one line for each order: they would differ in little but where they start.

    So do all that march but the `many` largest; where these are none, who can reach an enemy is the example.
    """
    first = {line.order: at for at, line in reversed([*enumerate(lines)])}
    lines = lines if many else sorted(lines, key=lambda line: (first[line.order], _quiet(line)))
    of_order: dict[str, list[Offered]] = {}
    for line in lines:
        if line.place and line.size:
            of_order.setdefault(line.order, []).append(line)
    small: set[int] = set()
    for some in of_order.values():
        small.update(id(line) for line in sorted(some, key=lambda line: -line.size)[many:])
    out: list[Offered] = []
    known: dict[tuple[str, bool], int] = {}
    for line in lines:
        far = _count(line) > FAR or id(line) in small
        same = known.setdefault((line.order, far), len(out)) if line.place and far else len(out)
        if same == len(out):
            out.append(line)
        else:
            also = (*out[same].also, (line.origin, next(line.lines())))
            out[same] = replace(out[same], also=also, also_word=FROM, rest=(*out[same].rest, line))
    return out


def _against(line: Offered) -> list[str]:
    """The enemies whom units can reach, with what is said of them."""
    return [name for word, some in line.choices if word == ENEMY for name in joined_names(some)]


def _quiet(line: Offered) -> bool:
    """Whether units go to no enemy."""
    return all(word in (OWN, FREE, NEUTRAL) for word, _ in line.choices) if line.choices else not line.said


def _count(line: Offered) -> int:
    return sum(len(some) for _, some in line.choices)


def _head(world: World, nation: str, game: str, names: Names) -> str:
    turn = world.always()["turn"]
    head = f"nation {names.printed('nation', nation)}   turn {turn}"
    return f"game {game}   {head}" if game else head


def _purse(world: World, nation: str) -> list[str]:
    """What the nation has, treasury by treasury."""
    out = []
    for what, row in world.ruleset.rows("resources").items():
        held = stores.purses(world, nation, what)
        parts = []
        for purse, amount in sorted(held.items(), key=lambda p: (-p[1], p[0])):
            seat = purse.partition("/")[2]
            name = world.ruleset.row_or_empty("places", seat).get("name", seat)
            if amount:
                parts.append(f"{amount} in {name}" if seat else str(amount))
        if parts:
            line, *more = _filled("##", [(capital(str(row.get("name", what))), parts)])
            if more:  # how much lies there, not in how many places
                rest = sum(sorted(held.values(), reverse=True)[1:])
                line = f"## {capital(str(row.get('name', what)))}: {parts[0]}, {rest} elsewhere"
            out.append(line)
    return out


def _of_what(world: World) -> str:
    """Of what the prices are."""
    main = stores.money(world.ruleset)
    return f"Prices in {stores.in_words(world.ruleset, main)}. " if main else ""


def _laid_out(line: Offered) -> list[str]:
    """One line of the form, with all that may be chosen: beside it if there is room, else below it."""
    groups: list[tuple[str, Sequence[str]]] = [("", [line.said])] if line.said else []
    apart = {one.origin: _against(one) for one in line.rest if line.also_word == FROM}
    others = [short for short in dict.fromkeys(short for short, _ in line.also) if not apart.get(short)]
    others = [short for short in others if short != line.origin]
    elsewhere = [(line.also_word, others)] if others else []
    choices = [(word, joined_names(some)) for word, some in line.choices]
    # of units that go from elsewhere each place has choices of its own: they come after those of the first
    groups += [*choices, *elsewhere] if line.also_word == FROM else [*elsewhere, *choices]
    groups += [(f"from {origin}", enemies) for origin, enemies in apart.items() if enemies]
    groups += [("and", [f"{line.more} more of this kind"])] if line.more else []
    text = f"# {line.text}"
    if not groups:
        return [text]
    beside = _filled(f"{text}   #", groups)
    if len(beside) == 1:
        return beside
    first = f"{text}   # {line.said}"
    if line.said and len(first) <= WIDTH:
        text, groups = first, groups[1:]
    if line.also and line.also_word == "or" and len(groups) > 1:
        return [text, *_filled("##  ", groups[:1]), *_filled("##  ", groups[1:])]
    return [text, *_filled("##  ", groups)]


def _filled(head: str, groups: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Names by groups, on as many lines as they take; a line that goes on is set in."""
    out = [head]
    for after, (word, some) in enumerate(groups, 1 - len(groups)):
        last = ";" if after else ""
        for n, name in enumerate(some, 1):
            token = f"{f'{word}: ' if word and n == 1 else ''}{name}{',' if n < len(some) else last}"
            if len(out[-1]) + 1 + len(token) > WIDTH and out[-1].strip(" #"):
                out.append("##     ")
            out[-1] += f" {token}"
    return out
