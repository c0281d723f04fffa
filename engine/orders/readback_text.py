"""A read-back as text: within 72 columns, what stands first, what does not at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..core.messages import capital
from .readback import Answered, NotTaken, ReadBack, ReadBackOrder

WIDTH = 72
COLUMN = 8
"""Width of each of the two columns of figures."""
MOST_IDLE = 24


def rendered(found: ReadBack, *, received: str = "") -> str:
    """The text that a player is answered with. `received` is a sentence about the hand-in, told under the
    head."""
    out = [*_wrap(_head(found)), *_wrap(". ".join(filter(None, (found.name, received))) + ".")]
    if found.refused:
        return (
            "\n".join(
                [*out, "", "NOTHING OF THIS FILE IS TAKEN", *(x for why in found.refused for x in _item(why))]
            )
            + "\n"
        )
    out += ["", *_wrap(_count(found))]
    for why in found.general:
        out += ["", *_wrap(f"NONE OF THE ORDERS COUNTS: {why}")]
    if found.withheld:
        out += ["", *_wrap("As read, though none of it counts yet:")]
    if found.groups:
        out += [*([] if found.withheld else [""]), *_table(found)]
    for title, items in (
        ("LOOK AGAIN (nothing here stops an order)", [x for text in found.again for x in _item(text)]),
        # where no line is valid, what is wrong with them is all that matters
        ("UNITS WITHOUT AN ORDER", _idle(found.idle) if found.groups or not found.not_taken else []),
        (
            "READ AS, ~ above (write it out if that is wrong)",
            [x for order in found.mended for x in _mended(order)],
        ),
        ("ASKED BACK (these lines do not count until you say which)", _lines_of(found, ("asked",))),
        ("NOT TAKEN", _lines_of(found, ("refused", "not understood"))),
        ("YOUR QUESTIONS", [x for asked in found.answered for x in _answered(asked)]),
    ):
        if items:
            out += ["", title, *items]
    if found.passed:
        out += [
            "",
            *_wrap(
                f"{_lines(found.passed)} read as no order (greeting, title, quotation, signature) "
                "and passed over."
            ),
        ]
    return "\n".join(out) + "\n"


def _head(found: ReadBack) -> str:
    game = f", game {found.game}" if found.game else ""
    return f"{found.rules.upper()}{game}: orders for turn {found.turn}, as read"


def _count(found: ReadBack) -> str:
    stand, asked = found.standing, sum(n.verdict == "asked" for n in found.not_taken)
    off = len(found.not_taken) - asked
    parts = [f"{_several(stand, 'ORDER IS VALID', 'ORDERS ARE VALID')}"]
    if asked:
        parts.append(f"{_several(asked, 'LINE IS', 'LINES ARE')} ASKED BACK")
    if off:
        parts.append(f"{_several(off, 'LINE IS', 'LINES ARE')} NOT TAKEN")
    text = ", ".join(parts) + (" (at the end)." if len(parts) > 1 else ".")
    left = [
        f"{capital(name)}: {found.left[what]} of {found.start[what]} left"
        for what, name in found.resources.items()
    ]
    return " ".join([text, *([f"{'; '.join(left)}."] if left else [])])


def _several(n: int, one: str, many: str) -> str:
    return f"{n or 'NO'} {one if n == 1 else many}"


# ---- what stands


def _table(found: ReadBack) -> list[str]:
    """The orders by phase; with two columns of figures where anything costs money."""
    costs = any(found.money in order.cost for group in found.groups for order in group.orders)
    out = []
    if costs:
        name = capital(found.resources.get(found.money, found.money))
        out += [_row("In the order in which the turn carries them out", "cost", "left"), f"{name:>{WIDTH}}"]
    else:
        out += ["In the order in which the turn carries them out"]
    for group in found.groups:
        out.append(group.title)
        for order in group.orders:
            out += _order(found, order, costs)
    return out


def _order(found: ReadBack, said: ReadBackOrder, costs: bool) -> list[str]:
    mark = "~ " if said.mended else "  "
    room = WIDTH - (2 * COLUMN if costs else 0)
    others = [
        f"{n} {found.resources.get(what, what)}, {said.left[what]} left"
        for what, n in said.cost.items()
        if what != found.money
    ]
    text = said.says + (f" ({'; '.join(others)})" if others else "")
    first, *more = textwrap.wrap(text, room, initial_indent=mark, subsequent_indent="    ") or [mark]
    if found.money in said.cost:
        last = more[-1] if more else first
        figures = _row(last, str(said.cost[found.money]), str(said.left[found.money]))
        first, more = (figures, []) if not more else (first, [*more[:-1], figures])
    out = [first, *more]
    for option in said.options:
        out += _indented(option, room)
    if said.seen:
        out += _indented(f"known to be there: {said.seen}", room)
    if said.odds:
        out += _indented(said.odds, room)
    for text in said.hangs_on:
        out += _indented(f"depends on: {text}" if not text.startswith("stands if") else text, room)
    for text in said.notes:
        out += _indented(f"note: {text}", room)
    return out


def _row(text: str, first: str, second: str) -> str:
    return f"{text:<{WIDTH - 2 * COLUMN}}{first:>{COLUMN}}{second:>{COLUMN}}"


# ---- the rest


def _idle(idle: Iterable[tuple[str, str]]) -> list[str]:
    same: dict[str, list[str]] = {}
    for place, units in idle:
        same.setdefault(units, []).append(place)
    items = [
        (", ".join(places), f"{units} each" if len(places) > 1 else units) for units, places in same.items()
    ]
    out = [x for place, units in items[:MOST_IDLE] for x in _wrap(f"{place}: {units}", "  ", "      ")]
    rest = [place for place, _ in items[MOST_IDLE:]]
    return out + _wrap(f"and in {', '.join(rest)}", "  ", "      ") if rest else out


def _mended(said: ReadBackOrder) -> list[str]:
    return [
        *_wrap(f"line {said.line:>3}  {said.written}", "  ", "            "),
        *_wrap(said.order, "            ", "              "),
    ]


def _answered(asked: Answered) -> list[str]:
    out = _wrap(f"line {asked.line:>3}  {_short(asked.written)}", "  ", "            ")
    return out + [x for text in asked.says for x in _wrap(text.strip(), "            ", "              ")]


def _lines_of(found: ReadBack, verdicts: tuple[str, ...]) -> list[str]:
    out: list[str] = []
    for one in found.not_taken:
        if one.verdict in verdicts:
            out += _refused(one)
    return out


def _refused(one: NotTaken) -> list[str]:
    out = _wrap(f"line {one.line:>3}  {_short(one.written)}", "  ", "            ")
    out += _wrap(capital(one.why), "            ", "            ")
    for text in one.instead:
        out += _wrap(text, "              ", "                ")
    return out


def _short(text: str, most: int = 200) -> str:
    shown = "".join(c for c in text if c.isprintable())
    return shown if len(shown) <= most else shown[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _lines(numbers: Iterable[int]) -> str:
    """`Lines 1 to 3 and 9`, with the verb."""
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    ranges = [str(a) if a == b else f"{a} to {b}" for a, b in runs]
    many = len(runs) > 1 or runs[0][0] != runs[0][1]
    text = ranges[0] if len(ranges) == 1 else f"{', '.join(ranges[:-1])} and {ranges[-1]}"
    return f"{'Lines' if many else 'Line'} {text} {'were' if many else 'was'}"


def _item(text: str) -> list[str]:
    return _wrap(text, "  ", "  ")


def _indented(text: str, room: int) -> list[str]:
    return textwrap.wrap(text, room, initial_indent="      ", subsequent_indent="        ")


def _wrap(text: str, first: str = "", more: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=more) or [""]
