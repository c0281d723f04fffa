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

from ..world import treasury as stores
from ..world.known import theater_names, theater_of
from ..world.world import World
from .mail_text import END
from .names import Names
from .reference import HELP
from .sheet import offers_of
from .sheet_line import NEUTRAL, OWN, Offered, joined_names

WIDTH = 72
FAR = 10
"""Of more choices than this the first are told; orders of units with as many share a line."""
FEW = 3
"""Theaters and phases with no more lines than this stand together."""
MANY = (6, 4, 3, 2, 1, 0)
"""Of more lines of one order in a theater those with the fewest units share one: of as many as make a form of
no more than `MOST_ROWS`."""
MOST_ROWS = 64


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
    """Units that go far, or to no enemy, in one line for each order: they would differ in little but where
    they start.

    So do all that march but the `many` largest; where these are none, who can reach an enemy is the example.
    """
    first = {line.order: at for at, line in reversed([*enumerate(lines)])}
    lines = lines if many else sorted(lines, key=lambda line: (first[line.order], _quiet(line)))
    of_order: dict[str, list[Offered]] = {}
    for line in lines:
        if line.place and line.size:
            of_order.setdefault(line.order, []).append(line)
    small = {
        id(line) for some in of_order.values() for line in sorted(some, key=lambda line: -line.size)[many:]
    }
    out: list[Offered] = []
    known: dict[tuple[str, bool], int] = {}
    for line in lines:
        far = _count(line) > FAR or id(line) in small
        same = (
            known.setdefault((line.order, far), len(out))
            if line.place and (far or _quiet(line))
            else len(out)
        )
        if same == len(out):
            out.append(line)
        else:
            also = (*out[same].also, (line.origin, next(line.lines())))
            out[same] = replace(out[same], also=also, also_word="or from")
    return out


def _quiet(line: Offered) -> bool:
    """Whether units go to no enemy."""
    return all(word in (OWN, NEUTRAL) for word, _ in line.choices) if line.choices else not line.said


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
            out.append(_filled("##", [(str(row.get("name", what)), parts)])[0])
    return out


def _of_what(world: World) -> str:
    """Of what the prices are."""
    main = stores.money(world.ruleset)
    return f"Prices in {stores.in_words(world.ruleset, main)}. " if main else ""


def _laid_out(line: Offered) -> list[str]:
    """One line of the form, with what may be chosen beside it if there is room, else below it; of many
    choices the first."""
    groups: list[tuple[str, Sequence[str]]] = [("", [line.said])] if line.said else []
    others = list(dict.fromkeys(short for short, _ in line.also if short != line.origin))
    groups += [(line.also_word, others)] if others else []
    groups += [(word, joined_names(some)) for word, some in line.choices]
    groups += [("and", [f"{line.more} more of this kind"])] if line.more else []
    text = f"# {line.text}"
    if not groups:
        return [text]
    beside, left = _filled(f"{text}   #", groups)
    if not left or _enough_beside(line, beside, groups, left):
        return [beside]
    first = f"{text}   # {line.said}"
    if line.said and len(first) <= WIDTH:
        text, groups = first, groups[1:]
    below, left = _filled("##  ", groups)
    apart = (line.also and line.also_word == "or") or (line.said and text != first)
    if left and apart and len(groups) > 1:
        return [text, _filled("##  ", groups[:1])[0], _filled("##  ", groups[1:])[0]]
    return [text, below]


def _enough_beside(
    line: Offered, beside: str, groups: Sequence[tuple[str, Sequence[str]]], left: int
) -> bool:
    """Whether a line needs no second one for the choices that are not on it.

    So it is with the last of many, with quiet marches, and where nothing is left out but some of the reader's
    own places.
    """
    if beside.endswith("#"):
        return False
    word, last = groups[-1]
    if line.place and (line.also or _quiet(line) or (word == OWN and left < len(last))):
        return True
    return _count(line) > FAR and not line.also and left < _count(line)


def _filled(head: str, groups: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, int]:
    """Names by groups on one line, and how many of them are left out, which is said."""
    tokens = []
    for after, (word, some) in enumerate(groups, 1 - len(groups)):
        last = ";" if after else ""
        for n, name in enumerate(some, 1):
            end = "," if n < len(some) else last
            tokens.append(f"{f'{word}: ' if word and n == 1 else ''}{name}{end}")
    for at, token in enumerate(tokens):
        left = len(tokens) - at - 1
        if len(head) + 1 + len(token) + (len(f" and {left} more") if left else 0) > WIDTH:
            return f"{head.rstrip(',;')} and {left + 1} more" if at else head, left + 1
        head += f" {token}"
    return head, 0
