"""Has every row what its meaning needs besides its shape: another key, a stat, a single die, an input to wait
for?
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.choices import as_slot
from ...core.diagnostics import Diagnostic, did_you_mean
from ..nodes import diagnose, find
from ..sequence_changes import frame_nodes
from .subject import Subject

NEEDS = (
    # table, key, its value (None: any), the keys needed beside it, why
    ("capture", "how", "presence", ("places",), "says whose presence counts where"),
    ("capture", "how", "status", ("flag", "when"), "sets a flag while a test holds"),
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
    ("visibility", "as", "band", ("bands",), "says how many are called what"),
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
        for _, row, node in subject.each(form):
            if key not in row or (value is not None and row[key] != value):
                continue
            for other in needed:
                if other not in row:
                    said = f"{key}: {value}" if isinstance(value, str) else key
                    yield diagnose(
                        "E213", f"{said!r} of a row of {form} needs {other!r}: it {why}", node, key=key
                    )
    yield from _commits(subject)
    yield from _sides(subject)
    yield from _adjusts(subject)
    yield from _options(subject)
    yield from _stances(subject)
    yield from _prices(subject)
    yield from _made(subject)
    yield from _money(subject)
    yield from _tables(subject)
    yield from _slots(subject)
    yield from _absent(subject)
    yield from _days(subject)


def _absent(subject: Subject) -> Iterator[Diagnostic]:
    """What is bought for players without orders is bought in a step that does so, and such a step has
    something to buy.
    """
    rules = find(subject.draft.manifest, ["settings", "players", "without_orders"])
    bought = [rule for rule in rules.members() if rule.is_map and rule.get("spends") is not None]
    steps = [
        node
        for node in frame_nodes(subject.draft.sequence)
        if (at := node.get("absent")) and at.value is True
    ]
    if bought and not steps and subject.draft.sequence and not bought[0].is_below:
        message = "'spends' needs a step that buys for those who sent no orders; there is none"
        hint = "say `absent: true` in a step with `do: purchase`"
        yield diagnose("E213", message, bought[0], key="spends", hint=hint)
    if steps and not bought and not steps[0].is_below:
        message = "'absent' needs something to buy: the settings say nothing of it"
        hint = "settings: players: without_orders: [{spends: ...}]"
        yield diagnose("E213", message, steps[0], key="absent", hint=hint)


def _days(subject: Subject) -> Iterator[Diagnostic]:
    """The days of a turn on which something is done are days that the turn has."""
    turn = find(subject.draft.manifest, ["settings", "players", "turn_days"])
    days = turn.get("days") if turn.is_map else None
    if days is None or type(days.value) is not int:
        return
    for key in ("correct", "send"):
        for day in find(turn, [key]).members():
            if type(day.value) is int and day.value > days.value:
                message = f"a turn has {days.value} days, so there is no day {day.value}"
                yield diagnose("E209", message, day)


def _slots(subject: Subject) -> Iterator[Diagnostic]:
    """A number that may be left out counts as something: expressions compute with it."""
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
                    yield diagnose("E213", text, node)
                elif "default" in slot and not left_out:
                    text = (
                        "a 'default' is for numbers that may be left out of an order ('optional'); "
                        f"{name!r} is none"
                    )
                    yield diagnose("E213", text, node, key="default")


MADE_BY = ("makes", "works", "sets", "fits")
"""Keys of an item that say what somebody who buys it gets."""


def _made(subject: Subject) -> Iterator[Diagnostic]:
    """An item that is bought brings something."""
    for id_, row, node in subject.each("production"):
        if not any(key in row for key in MADE_BY):
            below = subject.draft.added.get(("production", id_), set())
            known = {*below, *subject.nodes("units")}
            hint = did_you_mean(id_, known - {id_}) or "say `makes`: a kind of unit"
            if below:
                hint = f"production has no {id_!r} below, so the row is new; {hint}"
            message = f"whoever buys {id_!r} gets nothing: it has none of {', '.join(MADE_BY)}"
            yield diagnose("E213", message, node, key="id", hint=hint)


def _prices(subject: Subject) -> Iterator[Diagnostic]:
    """A plain number as price is passed over where a stat of items has that name."""
    priced = subject.rows("stats").get("price")
    if priced is None or priced.get("of") != "item":
        return
    for id_, row in subject.rows("production").items():
        if type(row.get("price")) is int:
            node = subject.nodes("production")[id_].value["price"]
            message = "the stat 'price' decides what it costs; this number is not read"
            yield diagnose("E213", message, node, hint=f'write "={row["price"]}" to leave the stat out')


def _money(subject: Subject) -> Iterator[Diagnostic]:
    """What costs or brings something without saying what, where there is no resource at all."""
    if subject.nodes("resources"):
        return
    for form, key, named in PRICES:
        for _, row, node in subject.each(form):
            if key in row and not isinstance(row[key], dict) and named not in row:
                hint = "say what is paid with: a row of `resources`"
                yield diagnose(
                    "E213", f"{key!r} needs a resource, and there is none", node, key=key, hint=hint
                )


def _commits(subject: Subject) -> Iterator[Diagnostic]:
    """What an order uses up are units: of a slot for such, or of that name."""
    for _, row, node in subject.each("orders"):
        kind = as_slot(row.get("slots", {}).get(row.get("commits"))).get("kind", "units")
        if kind not in ("units", "force"):
            message = f"{row['commits']!r} is a slot for a {kind}; only units are used up"
            hint = did_you_mean("units", row["slots"])
            yield diagnose("E213", message, node, key="commits", hint=hint)


def _sides(subject: Subject) -> Iterator[Diagnostic]:
    """A side is another's opposite, not its own."""
    for id_, row, node in subject.each("sides"):
        if row.get("opposite") == id_:
            yield diagnose("E213", f"{id_!r} is its own opposite", node, key="opposite")


ADJUSTING = frozenset({"base", "add", "times", "round", "at_least", "at_most", "final"})


def _adjusts(subject: Subject) -> Iterator[Diagnostic]:
    """A row that modifies a stat says by what."""
    for _, row, node in subject.each("modifiers"):
        if ADJUSTING.isdisjoint(row):
            message, hint = (
                "nothing is adjusted: the row says no number",
                f"one of {', '.join(sorted(ADJUSTING))}",
            )
            yield diagnose("E213", message, node, hint=hint)


def _options(subject: Subject) -> Iterator[Diagnostic]:
    """The default of an option is one of its values."""
    for id_, row, node in subject.each("options"):
        values, default = row.get("values", ()), row.get("default")
        if values and not any(value == default and type(value) is type(default) for value in values):
            hint = did_you_mean(str(default), map(str, values)) or f"one of {', '.join(map(str, values))}"
            yield diagnose(
                "E407", f"{default!r} is none of the values of {id_!r}", node, key="default", hint=hint
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
            "E213", said, subject.nodes("stances")[default[-1] if default else next(iter(rows))], hint=hint
        )


def _tables(subject: Subject) -> Iterator[Diagnostic]:
    for _, row, node in subject.each("tables"):
        if "rows" not in row and "bands" not in row:
            yield diagnose("E213", "a table needs 'rows' or 'bands'", node)
