"""Odds as a picture: an SVG with the four ends, the losses of both sides with their means, and who loses
what.

Blue, orange and two greys can be told apart by everybody and in black and white; nothing is said by color
alone. The picture needs no fonts or files of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil

from ..battle.groups import SIDES
from .result import Odds
from .text import UNDECIDED, UnitNames, forces_of, how

WIDTH = 960
LEFT, RIGHT = 40, 920
INK, SOFT, RULE = "#1b1f24", "#57606a", "#d0d7de"
SIDE_COLOR = ("#0072b2", "#d55e00")
END_COLOR = {"win": "#0072b2", "draw": "#8c959f", "open": "#eaeef2", "loss": "#d55e00"}
END_INK = {"win": "#ffffff", "draw": "#ffffff", "open": INK, "loss": "#ffffff"}
PANEL, PLOT = 412, 220
FONT = "'Source Sans 3', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def chart(odds: Odds, title: str, words: UnitNames) -> str:
    """The picture, 960 wide and as high as it needs. `words` prints the names of nations and units."""
    body: list[str] = []
    y = 44.0
    body.append(_text(LEFT, y, title, 24, weight=600))
    y += 6
    for side in (0, 1):
        for line in _wrapped(
            f"{SIDES[side].capitalize()}: {forces_of(odds, SIDES[side], words) or 'nobody'}", 118
        ):
            y += 22
            body.append(_text(LEFT, y, line, 15, INK))
    y += 22
    body.append(_text(LEFT, y, how(odds), 14, SOFT))
    y += 24
    part, y = _ends(odds, y)
    body += part
    y += 40
    for side in (0, 1):
        body += _losses(odds, side, LEFT + side * (RIGHT - LEFT - PANEL), y)
    y += PLOT + 84
    part, y = _table(odds, words, y)
    body += part
    height = ceil(y + 16)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" '
        f'role="img" font-family="{FONT}">'
    )
    return "\n".join(
        [
            head,
            f"<title>{escape(title, quote=False)}</title>",
            f"<desc>{escape(_description(odds), quote=False)}</desc>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def _description(odds: Odds) -> str:
    ends = ", ".join(
        f"{name} {share(getattr(odds, end))}" for end, name in END_NAMES if getattr(odds, end) > 0
    )
    means = ", ".join(f"the {side} loses {odds.mean(side):.2f} on average" for side in SIDES)
    return f"{ends}; {means}; {how(odds)}"


END_NAMES = (
    ("win", "attacker wins"),
    ("draw", "both destroyed"),
    ("open", UNDECIDED),
    ("loss", "defender wins"),
)


def share(chance: float) -> str:
    """A chance in per cent, with as many places as say something.

    >>> share(0.5), share(0.00012), share(0.9999999)
    ('50.0 %', '0.01 %', '>99.9 %')
    """
    if chance in (0, 1):
        return f"{100 * chance:.0f} %"
    if chance < 0.00005:
        return "<0.01 %"
    if 0.9995 <= chance < 1:
        return ">99.9 %"
    return f"{100 * chance:.2f} %" if chance < 0.001 else f"{100 * chance:.1f} %"


# ---- the four ends


def _ends(odds: Odds, y: float) -> tuple[list[str], float]:
    """One bar cut into the four ends, with a legend that says each chance."""
    out, x, width = [], float(LEFT), float(RIGHT - LEFT)
    for end, _ in END_NAMES:
        part = getattr(odds, end) * width
        if part <= 0:
            continue
        out.append(_rect(x, y, part, 40, END_COLOR[end]))
        if part > 64:
            out.append(
                _text(x + part / 2, y + 26, share(getattr(odds, end)), 16, END_INK[end], "middle", 600)
            )
        x += part
    out.append(
        f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="40" fill="none" stroke="{INK}" '
        'stroke-width="1"/>'
    )
    y += 62
    x = float(LEFT)
    for end, name in END_NAMES:
        chance = getattr(odds, end)
        if chance <= 0 and end in ("open", "draw"):
            continue
        error = f" ± {100 * odds.error(chance):.2f}" if odds.trials else ""
        label = f"{name} {share(chance)}{error}"
        out.append(_rect(x, y - 11, 13, 13, END_COLOR[end], INK))
        out.append(_text(x + 19, y, label, 14))
        x += 19 + 7.9 * len(label) + 22
    return out, y


# ---- losses


def _losses(odds: Odds, side: int, x: float, y: float) -> list[str]:
    """The distribution of one side's losses: bars on two labeled axes, and the mean."""
    name = SIDES[side]
    chances = list(odds.losses.get(name, ()))
    most = int(sum(n for kinds in odds.began.get(name, {}).values() for n in kinds.values()))
    step, bars = binned(chances, most)
    color = SIDE_COLOR[side]
    left, top, width, height = x + 46, y + 40, PANEL - 56.0, float(PLOT - 40)
    ceiling, ticks = _scale(max(bars, default=1.0))
    mean, deviation = odds.mean(name), odds.deviation(name)
    out = [_text(x, y + 8, f"Losses of the {name}", 16, INK, weight=600)]
    for tick in ticks:
        at = top + height - tick / ceiling * height
        out.append(_line(left, at, left + width, at, RULE if tick else INK))
        out.append(_text(left - 7, at + 5, f"{100 * tick:g} %", 13, SOFT, "end"))
    slot = width / max(1, len(bars))
    for place, chance in enumerate(bars):
        tall = chance / ceiling * height
        at = left + place * slot
        out.append(_rect(at + slot * 0.08, top + height - tall, slot * 0.84, tall, color))
        error = odds.error(chance)
        if error > 0 and 2 * error / ceiling * height >= 2:
            middle, low, high = at + slot / 2, chance - error, chance + error
            out.append(
                _line(
                    middle,
                    top + height - low / ceiling * height,
                    middle,
                    top + height - high / ceiling * height,
                    INK,
                    1.5,
                )
            )
    for n in _round_numbers(most):
        out.append(_text(left + (n + 0.5) / step * slot, top + height + 18, str(n), 13, SOFT, "middle"))
    at = min(left + (mean + 0.5) / step * slot, left + width)
    out.append(_line(at, top - 5, at, top + height, INK, 1.25))
    label = f"mean {mean:.2f}, standard deviation {deviation:.2f}"
    half = 3.8 * len(label)
    out.append(_text(min(max(at, x + half), x + PANEL - half), top - 9, label, 13, INK, "middle"))
    out.append(_text(left + width / 2, top + height + 40, f"units lost, of {most}", 14, SOFT, "middle"))
    turn = f'transform="rotate(-90 {x + 2:.1f} {top + height / 2:.1f})"'
    if not side:
        out.append(_text(x + 2, top + height / 2, "chance", 14, SOFT, "middle", more=turn))
    return out


def binned(chances: Sequence[float], most: int, columns: int = 41) -> tuple[int, list[float]]:
    """Chances of 0 ... `most` losses in no more than so many columns: how many losses each stands for, and
    its chance.
    """
    whole = [*chances, *([0.0] * (most + 1 - len(chances)))]
    step = ceil(len(whole) / columns)
    return step, [sum(whole[k : k + step]) for k in range(0, len(whole), step)]


def _round_numbers(most: int, count: int = 13) -> range:
    """Round whole numbers from 0 to `most`, no more than so many."""
    steps = (size * 10**power for power in range(4) for size in (1, 2, 5))
    return range(0, most + 1, next(step for step in steps if most // step < count))


def _scale(top: float) -> tuple[float, list[float]]:
    """The highest value of an axis that begins at 0, and its ticks: four to six round numbers."""
    for size in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25):
        count = ceil(round(top / size, 9))
        if count <= 5:
            return max(1, count) * size, [round(k * size, 6) for k in range(max(1, count) + 1)]
    return 1.0, [0.0, 0.25, 0.5, 0.75, 1.0]


# ---- who loses what


def _table(odds: Odds, words: UnitNames, y: float) -> tuple[list[str], float]:
    """Expected losses of every nation's kinds."""
    out = []
    columns = (LEFT, LEFT + 150, LEFT + 360, LEFT + 600, LEFT + 720, LEFT + 880)
    heads = ("side", "nation", "units", "mean loss", "mean left", "loses all of them")
    for at, head in zip(columns, heads, strict=True):
        out.append(_text(at, y, head, 13, SOFT, "start" if at < LEFT + 400 else "end"))
    out.append(_line(LEFT, y + 7, RIGHT, y + 7, INK))
    for side, owner, kind, n, lost, left, all_ in _rows(odds):
        y += 24
        out.append(_rect(LEFT, y - 11, 11, 11, SIDE_COLOR[side]))
        cells = (
            SIDES[side],
            words.nation(owner),
            f"{n:.0f} {words.unit(kind, n)}",
            f"{lost:.2f}",
            f"{left:.2f}",
            share(all_),
        )
        for at, cell in zip(columns, cells, strict=True):
            shift = 18 if at == LEFT else 0
            out.append(_text(at + shift, y, cell, 14, INK, "start" if at < LEFT + 400 else "end"))
    return out, y


def _rows(odds: Odds) -> Iterator[tuple[int, str, str, float, float, float, float]]:
    for side, name in enumerate(SIDES):
        for owner, kinds in sorted(odds.began.get(name, {}).items()):
            for kind, n in sorted(kinds.items()):
                each = odds.each.get(name, {}).get(owner, {}).get(kind, ())
                lost = odds.lost[name][owner][kind]
                yield side, owner, kind, n, lost, n - lost, each[int(n)] if len(each) > n else 0.0


# ---- elements


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    color: str = INK,
    anchor: str = "start",
    weight: int = 400,
    more: str = "",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}" '
        f'font-weight="{weight}" {more}>{escape(text, quote=False)}</text>'
    )


def _rect(x: float, y: float, width: float, height: float, fill: str, stroke: str = "") -> str:
    line = f' stroke="{stroke}" stroke-width="0.75"' if stroke else ""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(0.0, width):.2f}" height="{max(0.0, height):.2f}" '
        f'fill="{fill}"{line}/>'
    )


def _line(x: float, y: float, x2: float, y2: float, color: str, width: float = 1) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
        f'stroke-width="{width}"/>'
    )


def _wrapped(text: str, width: int) -> list[str]:
    out = [""]
    for word in text.split(" "):
        if out[-1] and len(out[-1]) + 1 + len(word) > width:
            out.append("  ")
        out[-1] = f"{out[-1]} {word}" if out[-1].strip() else out[-1] + word
    return out
