"""What the slots of an order may hold: numbers within their bounds, names among what may be chosen, the needs
of a row.

Asked by the checker of orders and by whatever carries them out, of a view or of the state itself.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset
from ..ruleset.action_changes import needs_of, test_of
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import conjuncts, strip_mark
from ..ruleset.order_syntax import as_said, read_form
from ..world.applies_to import is_for
from ..world.messages import fill, printed
from ..world.selections import as_set, id_of
from ..world.view import UNKNOWN
from ..world.world import Names
from .bounds import out_of_bounds
from .context import Order, OrderContext
from .validated_orders import Refusal, RefusalCode

_TABLES = {
    "unit-kind": "units",
    "tech": "technologies",
    "item": "production",
    "resource": "resources",
    "passage": "passages",
    "card": "cards",
}


def unfit(
    context: OrderContext, row: Row, order: Order, names: Names, *, secrets: bool = True
) -> Refusal | None:
    """Why an order of a row may not be given as it is written: to whom the row is open, its slots and
    options, its needs.

    Without `secrets` only the needs are tested that its nation may test.
    """
    if "for" in row and not is_for(context.world, row["for"], str(order["nation"])):
        return Refusal(RefusalCode.CLOSED, "this is not open to your nation")
    return (
        misfit(context, row, order, names)
        or unmet(context, row, names, secrets=secrets)
        or _option_unmet(context, order, names, secrets)
    )


def _option_unmet(context: OrderContext, order: Order, names: Names, secrets: bool) -> Refusal | None:
    """The first need of an option of an order that does not hold: it is asked of the slots of the option."""
    for option, given in order.get("options", {}).items():
        row = context.ruleset.row_or_empty("order_options", option)
        declared = row.get("slots", {}) if row.get("requires") else {}
        values = given if isinstance(given, dict) else dict.fromkeys(declared, given)
        said = {name: context.slot_value(slot, values.get(name)) for name, slot in declared.items()}
        why = unmet(context, row, {**names, **said}, secrets=secrets) if declared else None
        if why is not None:
            return replace(why, slot="")
    return None


def unmet(context: OrderContext, row: Row, names: Names, *, secrets: bool = True) -> Refusal | None:
    """The first need of a row that does not hold, in the row's words; without `secrets` only those that its
    nation may test.

    `earlier` among the names are the units that the nation's other orders have taken from the same place, by
    kind.
    """
    names = {"earlier": {}, **names}
    needs = needs_of(context.ruleset, row)
    failing = context.world.first_failing([test_of(need, secrets) for need in needs], names)
    if failing is None:
        return None
    slots = row.get("slots", {})
    why = fill(context.world, needs[failing]["message"], names)
    return Refusal(RefusalCode.UNMET, why, next(iter(slots), ""))


class SlotTest(NamedTuple):
    """A test that must hold for an order, with the slots of its row that it asks for."""

    test: str
    slots: frozenset[str]


def parts(ruleset: Ruleset, row: Row) -> Sequence[SlotTest]:
    """The needs of a row that its nation may test, taken apart at their `and`s.

    An order for which one of them does not hold is `unmet`, whatever its other slots hold: so the lists of
    what may be ordered can be narrowed slot by slot.
    """
    names = frozenset(row.get("slots", {}))
    tests = [test for need in needs_of(ruleset, row) if (test := test_of(need, secrets=False)) is not True]
    each = [part for test in tests for part in (conjuncts(test) if isinstance(test, str) else [str(test)])]
    return [SlotTest(test, frozenset(parse(test).names) & names) for test in each]


def ruled_out(context: OrderContext, row: Row, names: Names, known: Set[str]) -> bool:
    """Whether an order cannot be given with these names, whatever the slots hold that are not known yet."""
    names = {"earlier": {}, **names}
    return not all(
        context.world.test(part.test, names) for part in parts(context.ruleset, row) if part.slots <= known
    )


def misfit(context: OrderContext, row: Row, order: Order, names: Names) -> Refusal | None:
    """The first slot or option that holds what it may not."""
    slots = row.get("slots", {})
    for name, value in order.get("slots", {}).items():
        declared = slots.get(name)
        if not isinstance(declared, dict):
            if declared == "number" and isinstance(value, int) and value < 1:
                return Refusal(RefusalCode.NUMBER, "the number must be at least 1", name)
            continue
        found = out_of_bounds(context, declared, name, value, names) or _not_among(
            context, declared, name, value, names
        )
        if found is not None:
            return found
    return _option_misfit(context, row, order, names)


def readable(option: Row) -> str:
    """An option as it may be written."""
    return as_said(read_form(option["syntax"], option.get("slots")))


def _option_misfit(context: OrderContext, row: Row, order: Order, names: Names) -> Refusal | None:
    """The first option that the row does not carry, or whose number is out of its bounds."""
    may, rows = row.get("options", ()), context.ruleset.rows("order_options")
    for option, given in order.get("options", {}).items():
        if option not in may:
            forms = [readable(rows[o]) for o in may if o in rows]
            hint = f"it may carry: {'; '.join(forms)}" if forms else "it carries no options"
            return Refusal(
                RefusalCode.OPTION,
                f"the order may not carry {readable(rows[option]) if option in rows else option!r}",
                "",
                hint,
            )
        declared = context.ruleset.row_or_empty("order_options", option).get("slots", {})
        values = given if isinstance(given, dict) else dict.fromkeys(declared, given)
        for name, slot in declared.items():
            found = (
                out_of_bounds(context, slot, name, values[name], names)
                if isinstance(slot, dict) and name in values
                else None
            )
            if found is not None:
                return found
    return None


def _not_among(context: OrderContext, declared: Row, name: str, value: Any, names: Names) -> Refusal | None:
    allowed = None if value is None else choices(context, declared, names)
    if allowed is None:
        return None
    wrong = [v for v in (value if isinstance(value, list) else [value]) if str(v) not in allowed]
    if not wrong:
        return None
    said = name_of(context, declared["kind"], str(wrong[0]))
    return Refusal(RefusalCode.CHOICE, f"{said} cannot be chosen here", name, choices=tuple(sorted(allowed)))


def choices(context: OrderContext, declared: Row, names: Names) -> set[str] | None:
    """The ids of what may be chosen for a slot (None: anything of its kind); found once while nothing
    changes.
    """
    if "among" not in declared:
        return None
    among = strip_mark(declared["among"])

    def make() -> set[str]:
        found = {str(id_of(a)) for a in as_set(context.world, context.world.value(among, names))}
        return found - {UNKNOWN}

    reads = tuple((n, names[n]) for n in sorted(parse(among).names) if n in names)
    try:
        hash(reads)
    except TypeError:  # a list of units cannot be a key
        return make()
    return context.world.keep(("among", among, reads), None, make)


def name_of(context: OrderContext, kind: str, id_: str) -> str:
    """How the value of a slot of this kind reads."""
    if kind in _TABLES:
        return str(context.ruleset.row_or_empty(_TABLES[kind], id_).get("name", id_))
    return printed(context.world, context.slot_value(kind, id_))
