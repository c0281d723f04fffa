"""Has every row what its meaning needs besides its shape: another key, a stat, a single die, an input to wait
for?
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.messages import forms_in
from ..action_changes import CHANGES, tries_own_cases
from ..expressions import KINDS, ExpressionError, parse
from ..expressions.check import kind_of
from ..expressions.parse import strip_mark
from ..nodes import Node, diagnose, find
from ..order_syntax import SLOT, FormError, always_there, read_form, slots_in, written_twice
from .expressions import RulesetVocabulary, scope_of, words_of
from .subject import Marked, Subject
from .words import vocabulary

__all__ = [
    "dice_of_battles_are_single",
    "figures_name_quantities",
    "forms_can_be_read",
    "grades_say_what_their_unit_leaves_open",
    "objectives_fit_their_aims",
    "own_rules_fit_their_acts",
    "players_see_something",
    "policies_move_by_orders_of_moves",
    "policies_name_slots_of_their_acts",
    "quantities_are_of_what_is_asked",
    "rows_have_the_keys_that_they_need",
    "slots_left_out_have_a_value",
]

_FIGURE = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")
_SINGLE = re.compile(r"1?d[0-9]+")
NEEDS = (
    # table, key, its value (None: any), the keys needed beside it, why
    ("capture", "how", "presence", ("places",), "says whose presence counts where"),
    ("capture", "how", "status", ("flag", "when"), "sets a flag while a test holds"),
    ("battles", "where", "records", ("over", "at", "parties"), "is a battle for each record"),
    (
        "capture",
        "troops",
        None,
        ("sets",),
        "is said of places that an effect hands over, beside what it sets",
    ),
    (
        "production",
        "hand",
        True,
        ("due",),
        "`hand` without `due: hand` loses what was bought at the end of the purchase",
    ),
    ("movement", "tasks", True, ("steps",), "does one task with each of so many points"),
    ("detection", "gives", "know", ("know",), "says what is learnt"),
)
PRICES = (
    ("actions", "cost", ""),
    ("orders", "cost", ""),
    ("upkeep", "price", "what"),
    ("income", "amount", "into"),
)
"""Table, key of an amount of the main resource, and the key that may name another."""


def rows_have_the_keys_that_they_need(subject: Subject) -> Iterator[Diagnostic]:
    """A key that means nothing, or stops a turn, without another."""
    for form, key, value, needed, why in NEEDS:
        for id_, row in subject.rows(form).items():
            if key not in row or (value is not None and row[key] != value):
                continue
            node = subject.nodes(form)[id_]
            for other in needed:
                if other not in row:
                    said = f"{key}: {value}" if isinstance(value, str) else key
                    yield diagnose(
                        "E213",
                        "error",
                        f"{said!r} of a row of {form} needs {other!r}: it {why}",
                        node,
                        key=key,
                    )
    yield from _commits(subject)
    yield from _sides(subject)
    yield from _adjusts(subject)
    yield from _options(subject)
    yield from _stances(subject)
    yield from _prices(subject)
    yield from _money(subject)
    yield from _tables(subject)
    yield from _slots(subject)


def _slots(subject: Subject) -> Iterator[Diagnostic]:
    """A number that may be left out counts as something: expressions reckon with it."""
    for form in ("actions", "orders", "decisions", "order_options"):
        for id_, row in subject.rows(form).items():
            for name, slot in row.get("slots", {}).items():
                if not isinstance(slot, dict):
                    continue
                left_out = slot["kind"] == "number" and slot.get("optional") and form != "order_options"
                node = subject.nodes(form)[id_].value["slots"].value[name]
                if left_out and "default" not in slot:
                    text = (
                        f"the number {name!r} may be left out, so it needs a 'default': what it then "
                        "counts as"
                    )
                    yield diagnose("E213", "error", text, node)
                elif "default" in slot and not left_out:
                    text = (
                        "a 'default' is for numbers that may be left out of an order ('optional'); "
                        f"{name!r} is none"
                    )
                    yield diagnose("E213", "error", text, node, key="default")


def _prices(subject: Subject) -> Iterator[Diagnostic]:
    """A plain number as price is passed over where a stat of items has that name."""
    priced = subject.rows("stats").get("price")
    if priced is None or priced.get("of") != "item":
        return
    for id_, row in subject.rows("production").items():
        if type(row.get("price")) is int:
            node = subject.nodes("production")[id_].value["price"]
            message = "the stat 'price' decides what it costs; this number is not read"
            yield diagnose(
                "E213", "error", message, node, hint=f'write "={row["price"]}" to leave the stat out'
            )


def _money(subject: Subject) -> Iterator[Diagnostic]:
    """What costs or brings something without saying what, where there is no resource at all."""
    if subject.nodes("resources"):
        return
    for form, key, named in PRICES:
        for id_, row in subject.rows(form).items():
            if key in row and not isinstance(row[key], dict) and named not in row:
                node = subject.nodes(form)[id_]
                hint = "say what is paid with: a row of `resources`"
                yield diagnose(
                    "E213", "error", f"{key!r} needs a resource, and there is none", node, key=key, hint=hint
                )


def _commits(subject: Subject) -> Iterator[Diagnostic]:
    """What an order uses up are units: of a slot for such, or of that name."""
    for id_, row in subject.rows("orders").items():
        slot = row.get("slots", {}).get(row.get("commits"))
        kind = slot["kind"] if isinstance(slot, dict) else slot
        if slot is not None and kind not in ("units", "force"):
            message = f"{row['commits']!r} is a slot for a {kind}; only units are used up"
            hint = did_you_mean("units", row["slots"])
            yield diagnose("E213", "error", message, subject.nodes("orders")[id_], key="commits", hint=hint)


def _sides(subject: Subject) -> Iterator[Diagnostic]:
    """A side is another's opposite, not its own."""
    for id_, row in subject.rows("sides").items():
        if row.get("opposite") == id_:
            yield diagnose(
                "E213", "error", f"{id_!r} is its own opposite", subject.nodes("sides")[id_], key="opposite"
            )


ADJUSTING = frozenset({"base", "add", "times", "round", "at_least", "at_most", "final"})


def _adjusts(subject: Subject) -> Iterator[Diagnostic]:
    """A row that modifies a stat says by what."""
    for id_, row in subject.rows("modifiers").items():
        if ADJUSTING.isdisjoint(row):
            message, hint = (
                "nothing is adjusted: the row says no number",
                f"one of {', '.join(sorted(ADJUSTING))}",
            )
            yield diagnose("E213", "error", message, subject.nodes("modifiers")[id_], hint=hint)


def _options(subject: Subject) -> Iterator[Diagnostic]:
    """The default of an option is one of its values."""
    for id_, row in subject.rows("options").items():
        values, default = row.get("values", ()), row.get("default")
        if values and not any(value == default and type(value) is type(default) for value in values):
            node = subject.nodes("options")[id_]
            hint = did_you_mean(str(default), map(str, values)) or f"one of {', '.join(map(str, values))}"
            yield diagnose(
                "E407",
                "error",
                f"{default!r} is none of the values of {id_!r}",
                node,
                key="default",
                hint=hint,
            )


def _stances(subject: Subject) -> Iterator[Diagnostic]:
    """Nations of which nothing is said are to each other what the default stance says: there is one, and one
    only.
    """
    rows = subject.rows("stances")
    default = [id_ for id_, row in rows.items() if row.get("default")]
    if rows and len(default) != 1 and not subject.any_faulty("stances"):
        said = "no stance is the default" if not default else f"{' and '.join(default)} are each the default"
        hint = (
            "say `default: true` of what nations are to each other where nothing else is said, and of "
            "that alone"
        )
        yield diagnose(
            "E213",
            "error",
            said,
            subject.nodes("stances")[default[-1] if default else next(iter(rows))],
            hint=hint,
        )


def _tables(subject: Subject) -> Iterator[Diagnostic]:
    for id_, row in subject.rows("tables").items():
        if "rows" not in row and "bands" not in row:
            yield diagnose("E213", "error", "a table needs 'rows' or 'bands'", subject.nodes("tables")[id_])


def players_see_something(subject: Subject) -> Iterator[Diagnostic]:
    """Without rows of `visibility` nobody is shown anything; without lon and lat no place stands on the
    map.
    """
    nations, seen = subject.nodes("nations"), subject.nodes("places")
    if not nations or not seen or not subject.draft.sequence:
        return
    if not subject.nodes("visibility"):
        hint = (
            "a first row: `shows: [{id: all, what: places, to: everyone}]`; one each for units, nations, "
            "game ..."
        )
        first = next(iter(nations.values()))
        yield diagnose(
            "W607",
            "warning",
            "no row of `shows`: reports, templates and maps of players stay empty",
            first,
            hint=hint,
        )
    if not any("lon" in row and "lat" in row for row in subject.rows("places").values()):
        first = next(iter(seen.values()))
        yield diagnose("W608", "warning", "no place has `lon` and `lat`: the map stays blank", first)


def figures_name_quantities(subject: Subject) -> Iterator[Diagnostic]:
    """A plain word where a number is wanted is the id of a stat."""
    known = vocabulary(subject)
    for mark in subject.marked:
        how = mark.annotation.schema.get("x-expr")
        value = mark.annotation.value
        if not how or not how.get("marked") or how.get("gives") != "number" or not isinstance(value, str):
            continue
        if "x-word" in mark.annotation.schema or value.startswith("=") or _FIGURE.fullmatch(value):
            continue
        if value not in known.of("stats"):
            node, key = mark.place
            hint = did_you_mean(value, known.of("stats")) or "an expression begins with `=`"
            yield diagnose(
                "E407", "error", f"{value!r} is neither a number nor a stat", node, key=key, hint=hint
            )


def quantities_are_of_what_is_asked(subject: Subject) -> Iterator[Diagnostic]:
    """A stat that a mechanic asks is one of such things as it asks it of (`x-of`; beside fields of a kind: of
    that kind).
    """
    rows, known = subject.rows("stats"), vocabulary(subject)
    scopes = words_of(subject)
    for mark in subject.marked:
        schema, value = mark.annotation.schema, mark.annotation.value
        words = schema.get("x-word", ())
        kinds = schema.get(
            "x-of", [w[6:] for w in words if w.startswith("field:")] if "stats" in words else None
        )
        if kinds is None or not isinstance(value, str) or value not in rows:
            continue
        kinds = _in_scope(mark, scopes) if kinds == ["scope"] else kinds
        if rows[value].get("of") in kinds:
            continue
        if any(value in known.of(f"field:{kind}") for kind in kinds if words):
            continue
        node, key = mark.place
        wanted = f"what is asked here is one of a {' or '.join(kinds)}" if kinds else "no stat is asked here"
        hint = (
            did_you_mean(value, [id_ for id_, row in rows.items() if row.get("of") in kinds]) if kinds else ""
        )
        hint = hint or "a number, or `=` an expression, may stand here"
        yield diagnose(
            "E407",
            "error",
            f"{value!r} is a stat of a {rows[value].get('of')}; {wanted}",
            node,
            key=key,
            hint=hint,
        )


def _in_scope(mark: Marked, words: RulesetVocabulary) -> list[str]:
    """The kinds of things of which a roll may ask a stat: those in scope by their kind, or what its `of`
    says.
    """
    scope = scope_of(mark, words)
    roll = find(mark.row, mark.annotation.path[:-1])
    if (text := roll.text("of")) is not None:
        kind = kind_of(strip_mark(text), scope, words)
        return [kind] if kind in KINDS else list(KINDS)
    return [kind for kind in KINDS if scope.get(kind) in (kind, "any") or scope.get("self") == kind]


_BRACES = re.compile(r"\{([^{}]*)\}")


def forms_can_be_read(subject: Subject) -> Iterator[Diagnostic]:
    """How orders are written and read back: brackets are closed, and something stands there."""
    for form in ("actions", "orders", "decisions", "order_options", "notes"):
        for id_, row in subject.rows(form).items():
            for key in {"syntax", "read_back"} & row.keys():
                node = subject.nodes(form)[id_].value[key]
                try:
                    pattern = read_form(row[key], row.get("slots"))
                except FormError as error:
                    yield diagnose("E209", "error", str(error), node)
                    continue
                if key == "syntax":
                    yield from _slots_unwritten(subject.nodes(form)[id_], row)
                    for name in written_twice(pattern):
                        text = (
                            f"the slot {name!r} stands there twice, and what is written first would be lost"
                        )
                        yield diagnose(
                            "E209",
                            "error",
                            text,
                            node,
                            hint=f"two slots of different names, or {{{name}}} once",
                        )
                there = {*SLOT.findall(row.get("syntax", "")), *row.get("slots", ())}
                for slot in slots_in(pattern) if "syntax" in row else ():
                    if slot.name not in there:
                        hint = (
                            did_you_mean(slot.name, there)
                            or f"the form has {', '.join(sorted(there)) or 'no slots'}"
                        )
                        text = f"no slot {slot.name!r} is in the form, so nothing could stand here"
                        yield diagnose("E302", "error", text, node, hint=hint)


def _slots_unwritten(node: Node, row: dict[str, Any]) -> Iterator[Diagnostic]:
    """A slot that is declared and that no order can fill: its syntax does not have it."""
    written = SLOT.findall(row["syntax"])
    for name in row.get("slots", {}):
        if name not in written:
            near = did_you_mean(name, [word for word in written if row["slots"].get(word) == "text"])
            hint = near or f"write {{{name}}} in the form, or leave the slot out"
            text = f"nothing fills the slot {name!r}: it is not in the form"
            # the form has a slot that nobody declared, which then holds text: one of both is misspelt
            if near:
                yield diagnose("E213", "error", text, node, key="syntax", hint=f"write {{{name}}} in it")
                continue
            yield diagnose("E213", "error", text, node.value["slots"], key=name, hint=hint)


def _may_be_left_out(row: Any) -> frozenset[str]:
    """The slots that some way of writing an order leaves out and that are not declared optional: there is no
    such name then.
    """
    try:
        pattern = read_form(row["syntax"], row.get("slots")) if "syntax" in row else ()
    except FormError:  # another check's question
        return frozenset()
    return frozenset(slot.name for slot in slots_in(pattern) if not slot.optional) - always_there(pattern)


def _names(text: str) -> frozenset[str]:
    try:
        return frozenset(parse(text).names)
    except ExpressionError:  # another check's question
        return frozenset()


def slots_left_out_have_a_value(subject: Subject) -> Iterator[Diagnostic]:
    """What tests, prices, effects and texts of a row name is there, though it stands in brackets of the
    syntax.
    """
    bare = {}
    for form in ("actions", "orders", "decisions"):
        for id_, row in subject.rows(form).items():
            if slots := _may_be_left_out(row):
                bare[id(subject.nodes(form)[id_])] = slots
    for mark in subject.marked if bare else ():
        left, value = bare.get(id(mark.row)), mark.annotation.value
        schema = mark.annotation.schema
        if (
            not left
            or not isinstance(value, str)
            or mark.annotation.path[:1] in (("syntax",), ("read_back",))
        ):
            continue
        if "x-text" in schema:
            parts = [part for part in _BRACES.findall(value) if forms_in(part) is None]
        elif value.startswith("=") or ("x-expr" in schema and not schema["x-expr"].get("marked")):
            parts = [strip_mark(value)]
        else:
            continue
        for name in sorted({name for part in parts for name in _names(part)} & left):
            node, key = mark.place
            text = f"{name!r} may be left out of an order, and has no value then"
            hint = (
                "declare the slot with `optional: true`, a number with a `default`, too: it is then "
                "nothing, or that number"
            )
            yield diagnose("E213", "error", text, node, key=key, hint=hint)


def dice_of_battles_are_single(subject: Subject) -> Iterator[Diagnostic]:
    """Each unit throws one die, that of the stage or of its battle; more are said by `dice`."""
    for id_, row in subject.rows("battles").items():
        node = subject.nodes("battles")[id_]
        for at in (node.get("die"), *(s.get("die") for s in (node.get("stages") or node).members())):
            if (
                at is not None
                and isinstance(at.value, str)
                and not at.value.startswith("=")
                and not _SINGLE.fullmatch(at.value)
            ):
                yield diagnose(
                    "E209",
                    "error",
                    f"{at.value!r} is no single die",
                    at,
                    hint="write 1d6, and `dice: 2` for two",
                )
        for stage, at in zip(row.get("stages", ()), (node.get("stages") or node).members(), strict=False):
            compared = stage.get("resolve") == "compare"
            if compared and "side" in stage:
                hint = "leave `side` out; `who` and `most` say for each side which units throw how many"
                yield diagnose(
                    "E213",
                    "error",
                    "dice of one side alone have none to be compared with",
                    at,
                    key="side",
                    hint=hint,
                )
            if ("value" in stage or compared) and "die" not in row and "die" not in stage:
                hint = "say the `die` of the battle, or of this stage"
                yield diagnose(
                    "E213", "error", f"a stage of {id_!r} throws dice, and no die is said", at, hint=hint
                )


def grades_say_what_their_unit_leaves_open(subject: Subject) -> Iterator[Diagnostic]:
    """What one grade of a unit states and the unit itself does not, all its grades must state."""
    for id_, row in subject.rows("units").items():
        grades = row.get("grades", {})
        stated = {key for grade in grades.values() for key in grade} - set(row)
        for name, grade in grades.items():
            node = subject.nodes("units")[id_].value["grades"]
            for key in sorted(stated - set(grade)):
                if subject.rows("fields").get(key, {}).get("default") is None:
                    message = f"the grade {name!r} of {id_!r} has no {key!r}, as the others have"
                    yield diagnose("E213", "error", message, node, key=name)


def objectives_fit_their_aims(subject: Subject) -> Iterator[Diagnostic]:
    """What a nation names for an aim is of the kind that the aim is about; points are said of aims that the
    nation has.
    """
    aims = subject.of_kind("victory", "aim")
    for id_, row in subject.of_kind("victory", "objectives").items():
        node = subject.nodes("victory")[id_]
        for side, goals in row["goals"].items():
            for name, wanted in goals.items():
                if name in aims:
                    yield from _of_aim(subject, aims[name], wanted, node.value["goals"].value[side], name)
        for name in row.get("worth", {}):
            if not any(name in goals for goals in row["goals"].values()):
                yield diagnose("E213", "error", f"{id_!r} has no aim {name!r}", node.value["worth"], key=name)


def _of_aim(subject: Subject, aim: dict[str, Any], wanted: Any, node: Node, key: str) -> Iterator[Diagnostic]:
    of, other = aim["about"], aim.get("with")
    wants: Any
    if of == "number":
        wants, shape = int, "a whole number"
    elif other:
        wants, shape = dict, f"a map of {of} to {other}"
    else:
        wants, shape = list, f"a list of {of}"
    if type(wanted) is not wants:
        yield diagnose("E213", "error", f"the aim {key!r} needs {shape}", node, key=key)
    elif of != "number":
        others = wanted.values() if isinstance(wanted, dict) else ()
        groups = [id_ for id_, row in subject.rows("groups").items() if row["of"] == of]
        wrong = [thing for thing in wanted if thing not in subject.nodes(of) and thing not in groups]
        wrong += [thing for thing in others if thing not in subject.nodes(str(other))]
        for thing in wrong:
            # else it is told as unknown
            if any(thing in subject.nodes(form) for form in ("places", "nations", "groups")):
                yield diagnose(
                    "E213", "error", f"the aim {key!r} needs {shape}; {thing!r} is none", node, key=key
                )


def own_rules_fit_their_acts(subject: Subject) -> Iterator[Diagnostic]:
    """What is `against` somebody needs an action upon a nation, own cases a place among those of their
    action.
    """
    acts = subject.rows("actions")
    for id_, row in subject.rows(CHANGES).items():
        slot = (act := acts.get(row["on"], {})).get("slots", {}).get("target")
        if act and "against" in row and (slot["kind"] if isinstance(slot, dict) else slot) != "nation":
            message = (
                f"'against' needs an action with a slot 'target' that takes a nation; {row['on']!r} has none"
            )
            yield diagnose("E213", "error", message, subject.nodes(CHANGES)[id_], key="against")
        if act and "test" not in row and not tries_own_cases(act):
            message = f"{row['on']!r} does not say where cases of single nations are tried"
            hint = "a case {nations: true} of the action says so"
            yield diagnose("E213", "error", message, subject.nodes(CHANGES)[id_], key="on", hint=hint)


MOVING = ("units", "origin", "target")
"""Slots of an order that sends units to a goal."""


def policies_move_by_orders_of_moves(subject: Subject) -> Iterator[Diagnostic]:
    """A bot's rule for moves names an order that sends units somewhere; one with a way of moving, if it names
    no goals.
    """
    orders, modes = subject.rows("orders"), subject.rows("movement")
    for id_, row in subject.rows("policies").items():
        of_moves = subject.nodes("policies")[id_].get("moves")
        for rule, node in zip(
            row.get("moves", ()), of_moves.members() if of_moves is not None else (), strict=True
        ):
            order = orders.get(rule["order"])
            if order is None:
                continue
            if not set(MOVING) <= set(order.get("slots", {})):
                message = f"{rule['order']!r} is no order of a move: it needs the slots {', '.join(MOVING)}"
                yield diagnose("E213", "error", message, node, key="order")
            elif "among" not in rule and order.get("does") not in modes:
                message = f"{rule['order']!r} is no order of a move: it needs a way of moving in 'does'"
                hint = "'among' names the goals of other orders"
                yield diagnose("E213", "error", message, node, key="order", hint=hint)


def policies_name_slots_of_their_acts(subject: Subject) -> Iterator[Diagnostic]:
    """A rule of a policy fills slots that its act has; it goes through one (`each`) whose values it names
    (`among`).
    """
    acts = subject.rows("actions")
    for id_, row in subject.rows("policies").items():
        of_acts = subject.nodes("policies")[id_].get("actions")
        for rule, node in zip(row["actions"], of_acts.members(), strict=True) if of_acts is not None else ():
            if (act := acts.get(rule.get("action"))) is None:  # which is told as unknown
                continue
            slots = act.get("slots", {})
            named = [(key, slot) for key in ("among", "numbers", "fill") for slot in rule.get(key, ())]
            for key, slot in [*named, *((key, rule[key]) for key in ("each", "opens") if key in rule)]:
                if slot not in slots:
                    hint = f"it has {', '.join(slots) or 'none'}"
                    yield diagnose(
                        "E213",
                        "error",
                        f"the action {act['id']!r} has no slot {slot!r}",
                        node,
                        key=key,
                        hint=hint,
                    )
            if rule.get("each") in slots and rule["each"] not in rule.get("among", ()):
                yield diagnose(
                    "E213", "error", f"`among` says no values for {rule['each']!r}", node, key="each"
                )
