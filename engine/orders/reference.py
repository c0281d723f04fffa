"""The reference of all orders: every form in the words of a reader, phase by phase, with prices, conditions
and tasks.

It is made of the rows alone, for any ruleset; with a nation's view only what is open to that nation stands in
it, and what it can buy has its prices. CAPITALS are to be filled in, what stands in [ ] may be left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.model import Row, Ruleset
from ..ruleset.order_syntax import Either, Fixed, Pattern, Slot, slot_of
from ..world import treasury as stores
from ..world.world import World
from .grammar import Grammar, OrderForm
from .input_points import by_phase
from .kinds import order_kinds
from .names import Names
from .suggestions import open_orders

WIDTH = 72
HELP = "send `help`"
"""How a player gets this reference, as texts for players say it: by a line of their orders, wherever they
give them."""
_SLOT = re.compile(r"\{([a-z_]+)\}")
INDENT = "      "
MOST_WRITTEN = 3
"""Words to choose from up to which a form shows them all."""
BLANKS: Mapping[str, str] = {
    "number": "N",
    "unit-kind": "KIND",
    "item": "THING",
    "tech": "TECHNOLOGY",
    "link": "PLACE and PLACE",
    "passage": "PASSAGE",
    "text": "WORDS",
}
UNNAMED = frozenset({"text", "words"})
"""Names of slots of text that do not say what is to be written."""
"""What stands for a thing of a kind in a form; else the name of the kind."""


def order_reference(ruleset: Ruleset, world: World | None = None, nation: str = "") -> str:
    """The reference as text within 72 columns. `world` is the view of `nation`; without them it holds for
    everybody."""
    open_now = open_orders(world, nation, ever=True) if world is not None else None
    names = Names(ruleset, world.state if world is not None else None)
    whose = f", {names.printed('nation', nation)}" if nation else ""
    out = [f"REFERENCE OF ORDERS: {ruleset.title}{whose}", *_head(names)]
    grammar, kinds = Grammar.of(ruleset), order_kinds(ruleset)
    given = [f for f in grammar.forms if open_now is None or f.key in open_now]
    left = {f.key: f for f in given}
    for title, keys in by_phase(ruleset):
        forms = [left.pop(key) for key in keys if key in left]
        if forms:
            out += ["", title.upper(), *(line for form in forms for line in _form(ruleset, form))]
            for prices in dict.fromkeys(tuple(kinds[form.key].prices(world, nation)) for form in forms):
                out += textwrap.wrap(
                    "; ".join(prices), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT
                )
    answers = [form for form in left.values() if not kinds[form.key].listed]
    if answers:
        out += [
            "",
            "ANSWERS TO WHAT YOU MAY BE ASKED",
            *(line for form in answers for line in _form(ruleset, form)),
        ]
    out += _tasks(ruleset, given)
    carried = {option for form in given for option in form.row.get("options", ())}
    options = [form for form in grammar.options if form.id in carried]
    if options:
        out += [
            "",
            "CONDITIONS, after a colon, parted by `;`",
            *(line for form in options for line in _form(ruleset, form)),
        ]
    return "\n".join(out) + "\n"


def _head(names: Names) -> list[str]:
    example = names.kind_words("units").partition("`2 ")[2].rstrip("`)") or "units"
    text = (
        "CAPITALS are yours to fill in; [ ] may be left out. One order a line, or several parted by `;`. "
        f"UNITS: `2 {example}`, `all {example}`, `all`. Names as on the map; `from`, `at` and `->` are "
        "understood, and so are shortened names of units. What was mended in a line is read back to you."
    )
    return textwrap.wrap(text, WIDTH)


def _form(ruleset: Ruleset, form: OrderForm) -> list[str]:
    """A form, its price at the right, and what it does below it."""
    text, price = written_form(form.pattern), price_of(ruleset, form.row.get("cost"))
    lines = textwrap.wrap(text, WIDTH - 2, initial_indent="  ", subsequent_indent=INDENT)
    if price and len(lines[-1]) + len(price) + 2 <= WIDTH:
        lines[-1] = f"{lines[-1]:<{WIDTH - len(price)}}{price}"
    elif price:
        lines.append(f"{price:>{WIDTH}}")
    return lines + textwrap.wrap(help_of(form.row), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


def help_of(row: Row) -> str:
    """What an order does, as its row says it, slots in capitals; and the words of which one is to be chosen
    where its form has no room for them.
    """
    text = _SLOT.sub(lambda found: "N" if found[1] == "n" else found[1].upper(), str(row.get("help", "")))
    declared = {
        name: slot.get("choices", ())
        for name, slot in row.get("slots", {}).items()
        if isinstance(slot, Mapping)
    }
    words = [
        f"{name.upper()}: {', '.join(choices)}."
        for name, choices in declared.items()
        if len(choices) > MOST_WRITTEN and not _one_in_other_words(choices)
    ]
    return " ".join(filter(None, (text, *words)))


def price_of(ruleset: Ruleset, cost: Any) -> str:
    """A price that is the same for everybody; one that depends on something is told when orders are read
    back."""
    if isinstance(cost, int) and cost:
        return stores.so_much(ruleset, cost, stores.money(ruleset))
    if isinstance(cost, Mapping) and all(isinstance(n, int) for n in cost.values()):
        return ", ".join(stores.so_much(ruleset, n, what) for what, n in cost.items() if n)
    return ""


def written_form(pattern: Pattern, *, inside: bool = False) -> str:
    """A pattern as a reader wants it: of plain alternatives the first, slots in capitals, what may be left
    out in [ ].

    `inside`: it stands in [ ] already, so that a slot of it that may be left out alone needs none.
    """
    out: list[str] = []
    for index, node in enumerate(pattern):
        if isinstance(node, Fixed):
            out.append(node.word)
        elif isinstance(node, Slot):
            out.append(_blank(node))
        elif between := _between(pattern, index):
            out.append(between)
        else:
            last = next((part for part in reversed(out) if part), "")
            out.append(_either(node, many=last == BLANKS["number"], inside=inside))
    return " ".join(part for part in out if part)


def _between(pattern: Pattern, index: int) -> str:
    """The word between two things that need not be written, but by which a reader tells them apart
    ("PLACE to PLACE"); else nothing."""
    if not 0 < index < len(pattern) - 1:
        return ""
    before, node, after = pattern[index - 1 : index + 2]
    if not (isinstance(before, Slot) and isinstance(node, Either) and isinstance(after, Slot)):
        return ""
    words = () in node.ways and not _has_slot((node,))
    return written_form(next(way for way in node.ways if way)) if words else ""


def _either(node: Either, *, many: bool, inside: bool) -> str:
    kept = [way for way in node.ways if way]
    if () not in node.ways:
        return written_form(kept[-1 if many else 0], inside=inside)  # after a number the plural
    if not _has_slot(kept[0]):
        return ""
    text = written_form(kept[0], inside=True)
    return text if inside and isinstance(kept[0][0], Slot) else f"[{text}]"


def _has_slot(pattern: Pattern) -> bool:
    """Whether there is anything to fill in."""
    return any(
        isinstance(node, Slot) or (isinstance(node, Either) and any(map(_has_slot, node.ways)))
        for node in pattern
    )


def _blank(slot: Slot) -> str:
    if slot.choices:
        if _one_in_other_words(slot.choices):
            return slot.choices[0]
        return " / ".join(slot.choices) if len(slot.choices) <= MOST_WRITTEN else slot.name.upper()
    if slot.many and slot.kind == "number":
        return "NUMBERS"
    if slot.kind == "text" and slot.name not in UNNAMED:
        return slot.name.upper()
    word = BLANKS.get(slot.kind, slot.kind.upper())
    return f"{word}S" if slot.many and word.isalpha() else word


def _one_in_other_words(choices: Sequence[str]) -> bool:
    """Whether the first of some choices says what all others say, too: each has a word of it."""
    first = set(choices[0].split())
    return len(choices) > 1 and all(first & set(re.findall(r"\w+", choice)) for choice in choices[1:])


def _tasks(ruleset: Ruleset, given: Iterable[OrderForm]) -> list[str]:
    """What the slots with long lists of choices may hold, with what each means where a row says so."""
    lists: dict[str, tuple[str, ...]] = {}
    for form in given:
        for name, declared in form.row.get("slots", {}).items():
            slot = slot_of(name, declared)
            if len(slot.choices) > 3:
                lists.setdefault(name.upper(), slot.choices)
    out: list[str] = []
    rows: Mapping[str, Row] = ruleset.rows("missions")
    for name, choices in lists.items():
        out += ["", name]
        for choice in choices:
            row = rows.get(choice, {})
            meaning = str(row.get("help") or row.get("note") or row.get("name") or "")
            text = f"{choice}: {meaning}" if meaning and meaning.lower() != choice else choice
            out += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent=INDENT)
    return out
