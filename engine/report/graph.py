"""What the events read, as a picture: tables of the state on the left, events on the right, a line where one
reads the other.

It is drawn from the same index that decides when a watching event is asked again, so it shows why an event is
woken.
"""

from __future__ import annotations

from html import escape

from ..core.model import Row, Ruleset
from ..ruleset.expressions.reads import reads
from ..turn.triggers import triggers

ROW = 18
WIDTH = 1100
LEFT, RIGHT = 170, 700
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4D4D4D", "#882255")


def dependencies(ruleset: Ruleset) -> dict[str, tuple[str, ...] | None]:
    """Event id to the tables its tests read (None: it may read anything)."""
    out: dict[str, tuple[str, ...] | None] = {}
    for id_, row in ruleset.rows("events").items():
        parts = [reads(ruleset, row.get("becomes")), reads(ruleset, row.get("when"))]
        known = [p for p in parts if p is not None]
        out[id_] = tuple(sorted(frozenset().union(*known))) if len(known) == len(parts) else None
    return out


def dependency_svg(ruleset: Ruleset) -> str:
    """The picture as SVG text."""
    found = dependencies(ruleset)
    tables = sorted(
        {t for names in found.values() for t in names or ()}
        | ({"anything"} if None in found.values() else set())
    )
    height = ROW * (max(len(found), len(tables)) + 3)
    at = {t: ROW * 3 + (height - ROW * 4) * n / max(1, len(tables) - 1) for n, t in enumerate(tables)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="{ROW}" text-anchor="end" font-weight="bold">tables</text>',
        f'<text x="{RIGHT}" y="{ROW}" font-weight="bold">events of {escape(ruleset.title)}</text>',
    ]
    for number, (id_, names) in enumerate(found.items()):
        y = ROW * (number + 3)
        for table in ("anything",) if names is None else names:
            color = COLORS[tables.index(table) % len(COLORS)]
            middle = (LEFT + RIGHT) / 2
            parts.append(
                f'<path d="M{LEFT + 8} {at[table]:.0f} C{middle} {at[table]:.0f} {middle} {y - 4} '
                f'{RIGHT - 8} {y - 4}"'
                f' fill="none" stroke="{color}" stroke-opacity="0.45"/>'
            )
        row = ruleset.row("events", id_)
        parts.append(
            f'<text x="{RIGHT}" '
            f'y="{y}">{escape(str(row.get("title", id_)))}<title>{escape(_woken(row))}</title></text>'
        )
    parts += [f'<text x="{LEFT}" y="{y + 4:.0f}" text-anchor="end">{escape(t)}</text>' for t, y in at.items()]
    return "\n".join([*parts, "</svg>\n"])


def _woken(row: Row) -> str:
    """When an event is looked at: the facts it waits for, or a change."""
    return ", ".join(sorted({word for word, _ in triggers(row)})) or "a change of what it reads"
