"""The order file that a nation is sent: head, purse, and its legal orders with their prices as commented lines.

Everything is computed from the nation's view. Lines are grouped by the phase that carries them out; a player takes away the
`# ` in front of what is wanted. The length is bounded: long lists are cut, and say how much was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.model import Row, Ruleset
from ..world import treasury as stores
from ..world.world import World
from . import ways
from .legal import Legal, legal_orders
from .names import Names
from .rows import step_orders

MOST_LINES = 12
"""Lines of one order form with its targets written out; beyond that the targets share lines."""
MOST_TARGETS = 14
WIDTH = 110


def order_template(world: World, nation: str, *, game: str = "") -> str:
    """The order file of a nation, ready to be filled in. `world` is the nation's view."""
    names = Names(world.ruleset, world.state)
    legal = list(legal_orders(world, nation))
    out = [_head(world, nation, game, names), *_purse(world, nation), ""]
    out.append("# Take away the mark # in front of an order to give it; change numbers and places as you like.")
    left = {entry.order for entry in legal}
    for title, keys in _by_phase(world.ruleset):
        lines: list[str] = []
        for key in keys:
            if key in left:
                lines.extend(_lines(world, key, [e for e in legal if e.order == key], names))
                left.discard(key)
        if lines:
            out.extend(["", f"# ---- {title}", *lines])
    for key in sorted(left):
        out.extend(["", *_lines(world, key, [e for e in legal if e.order == key], names)])
    options = _options(world.ruleset, {entry.order for entry in legal})
    if options:
        out.extend(["", "# After a colon an order may carry conditions:", *options])
    questions = [f"#   {_blanks(r['form'])}" for r in world.ruleset.rows("decisions").values() if "form" in r]
    if questions:
        out.extend(["", "# What you may be asked can be answered beforehand:", *questions])
    return "\n".join(out) + "\n"


def _head(world: World, nation: str, game: str, names: Names) -> str:
    turn = world.always()["turn"]
    head = f"nation {names.printed('nation', nation)}   turn {turn}"
    return f"game {game}   {head}" if game else head


def _purse(world: World, nation: str) -> list[str]:
    """What the nation has, purse by purse."""
    out = []
    for what, row in world.ruleset.rows("resources").items():
        found = stores.purses(world, nation, what)
        parts = []
        for purse, amount in sorted(found.items(), key=lambda p: (-p[1], p[0])):
            seat = purse.partition("/")[2]
            name = world.ruleset.rows("places").get(seat, {}).get("name", seat)
            parts.append(f"{amount} in {name}" if seat else str(amount))
        if parts:
            out.append(f"# {row.get('name', what)}: {_cut(parts, 8)}")
    return out


def _by_phase(ruleset: Ruleset) -> list[tuple[str, list[str]]]:
    """Phases of the frame with the orders that their steps carry out."""
    out: list[tuple[str, list[str]]] = []

    def walk(nodes: Iterable[Row], title: str) -> None:
        for node in nodes:
            inner = str(node.get("name", node["phase"])) if "phase" in node else title
            if "do" in node:
                keys = step_orders(ruleset, node)
                if out and out[-1][0] == inner:
                    out[-1][1].extend(keys)
                else:
                    out.append((inner, keys))
            walk(node.get("steps", ()), inner)

    walk(ruleset.frame, "Orders")
    return out


def _lines(world: World, key: str, entries: Sequence[Legal], names: Names) -> list[str]:
    """The lines of one order form."""
    form, _, id_ = key.partition("/")
    row = world.ruleset.row(form, id_)
    out = [f"# {row['help']}"] if row.get("help") else []
    if ways.UNITS in row.get("slots", {}):
        for entry in entries:
            line = f"# {entry.text(names)}"
            where = [names.printed("place", p) for p in entry.targets]
            out.append(line + (f"   (to {_cut(where, MOST_TARGETS)})" if where else ""))
    elif any("site" in e.slots for e in entries):
        out.extend(_purchases(world, entries, names))
    elif len(entries) <= MOST_LINES:
        out.extend(f"# {e.text(names)}{_price(world, e.cost)}{_bounds(e)}" for e in entries)
    else:
        out.extend(_shared(world, row, entries, names))
    return out


def _purchases(world: World, entries: Sequence[Legal], names: Names) -> list[str]:
    """One line for each thing that can be bought and price, with its sites."""
    grouped: dict[tuple[Any, ...], list[Legal]] = {}
    for entry in entries:
        grouped.setdefault((entry.slots.get("item"), *sorted(entry.cost.items())), []).append(entry)
    out = []
    for group in grouped.values():
        best = max(group, key=lambda e: e.most)
        sites = [f"{names.printed('place', e.slots['site'])} {e.most}" for e in sorted(group, key=lambda e: -e.most)]
        out.append(f"# {best.text(names)}{_price(world, best.cost, each=True)}   (at most: {_cut(sites, MOST_TARGETS)})")
    return out


def _shared(world: World, row: Row, entries: Sequence[Legal], names: Names) -> list[str]:
    """Entries that differ in one slot, on one line with what the slot may hold."""
    slots = list(entries[0].slots)
    last = slots[-1] if slots else ""
    declared = row.get("slots", {}).get(last, "")
    kind = declared.get("kind", "") if isinstance(declared, dict) else declared
    grouped: dict[tuple[Any, ...], list[Legal]] = {}
    for entry in entries:
        fixed = tuple((k, str(v)) for k, v in entry.slots.items() if k != last)
        grouped.setdefault((fixed, *sorted(entry.cost.items())), []).append(entry)
    out = []
    for group in list(grouped.values())[:MOST_LINES]:
        first = group[0]
        values = [names.printed(str(kind), str(e.slots.get(last))) for e in group]
        open_line = Legal(first.order, first.nation, {k: v for k, v in first.slots.items() if k != last}).text(names)
        if len(group) == 1:
            open_line, values = first.text(names), []
        more = f"   (<{last}>: {_cut(values, 40)})" if values else ""
        out.append(f"# {open_line}{_price(world, first.cost)}{_bounds(first)}{more}")
    if len(grouped) > MOST_LINES:
        out.append(f"# ... and {len(grouped) - MOST_LINES} more of this kind")
    return out


def _price(world: World, cost: Mapping[str, Any], each: bool = False) -> str:
    if not cost:
        return ""
    rows = world.ruleset.rows("resources")
    parts = [f"{amount} {rows.get(what, {}).get('name', what)}" for what, amount in cost.items()]
    return f"   # {' and '.join(parts)}{' each' if each else ''}"


def _bounds(entry: Legal) -> str:
    parts = [f"{slot} {low} to {high}" if high < 999 else f"{slot} from {low}" for slot, (low, high) in entry.bounds.items()]
    return f"   ({', '.join(parts)})" if parts else ""


def _options(ruleset: Ruleset, orders: Iterable[str]) -> list[str]:
    """The conditions that these orders (`form/id`) may carry."""
    carried = {option for key in orders for option in ruleset.row(*key.split("/", 1)).get("options", ())}
    out = []
    for row in ruleset.rows("order_options").values():
        if row["id"] not in carried:
            continue
        text = f"#   {_blanks(row['form'])}"
        out.append(f"{text:<64} {row.get('help', '')}".rstrip())
    return out


def _blanks(form: str) -> str:
    """A form text with its slots as blanks to be filled in."""
    return form.replace("{", "<").replace("}", ">")


def _cut(parts: Sequence[str], most: int) -> str:
    shown = ", ".join(parts[:most])
    return f"{shown} and {len(parts) - most} more" if len(parts) > most else shown
