"""Do ranges go upward, and can what is waited for come? Ends of faces, amounts, slots, tracks and fields;
dates of the year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ...core.choices import word_of
from ...core.diagnostics import Diagnostic
from ..nodes import Node, diagnose
from .subject import Subject

BOUNDS = (("least", "most"), ("at_least", "at_most"))
"""Keys of one map that say between what a number lies."""
_DICE = re.compile(r"([0-9]+)d([0-9]+)([+-][0-9]+)?")
MONTHS = 12


def bounds_go_upward(subject: Subject) -> Iterator[Diagnostic]:
    """The least of something is not more than the most, where both are plain numbers."""
    yield from subject.found_in("most'", _bounds)


def _bounds(node: Node) -> Iterator[Diagnostic]:
    for low, high in BOUNDS:
        least, most = node.get(low), node.get(high)
        if least is None or most is None or type(least.value) is not int or type(most.value) is not int:
            continue
        if least.value > most.value:
            message = f"nothing lies between {low!r} {least.value} and {high!r} {most.value}"
            yield diagnose(
                "E212", message, node, key=low, hint=f"write {low}: {most.value}, {high}: {least.value}"
            )


def fractions_are_small_enough(subject: Subject) -> Iterator[Diagnostic]:
    """A fraction, written as text, that is more than its place allows (`x-most`), as a share of more than the
    whole.
    """
    for mark in subject.marked:
        most, value = mark.annotation.schema.get("x-most"), mark.annotation.value
        if most is not None and isinstance(value, str) and Fraction(value) > most:
            node, key = mark.place
            hint = f"a whole number or a fraction, {most} at most"
            yield diagnose("E209", f"{value} is too large: the most is {most}", node, key=key, hint=hint)


def thresholds_lie_within(subject: Subject) -> Iterator[Diagnostic]:
    """A threshold of a track that its value can never have."""
    for id_, row, node in subject.each("tracks"):
        low, high = row.get("at_least"), row.get("at_most")
        if low is not None and high is not None and low > high:
            continue
        at = node.get("thresholds")
        for value, said in zip(
            row.get("thresholds", ()), at.members() if at is not None else (), strict=True
        ):
            if (low is not None and value < low) or (high is not None and value > high):
                message = f"{id_!r} never comes to {value}: it goes from {'no end' if low is None else low}"
                yield diagnose("E209", f"{message} to {'no end' if high is None else high}", said)


def dice_can_come_to_what_is_asked(subject: Subject) -> Iterator[Diagnostic]:
    """A roll that is to come to `upto` or less, or to `from` or more, and never can, or always does."""
    for mark in subject.marked:
        key = mark.annotation.path[-1] if mark.annotation.path else ""
        if (
            key not in ("at_most", "at_least")
            or type(mark.annotation.value) is not int
            or "x-expr" not in mark.annotation.schema
        ):
            continue
        roll: Node = mark.row
        for step in mark.annotation.path[:-1]:
            roll = roll.value[step]
        found = _DICE.fullmatch(roll.text("die") or "")
        if found is None:
            continue
        n, size, more = int(found[1]), int(found[2]), int(found[3] or 0)
        asked = mark.annotation.value
        if (key == "at_most" and asked < n + more) or (key == "at_least" and asked > n * size + more):
            hint = f"{found[0]} shows {n + more} to {n * size + more}"
            yield diagnose(
                "E214", f"{found[0]} never comes to {key!r} {asked}", roll, key=str(key), hint=hint
            )
        elif (key == "at_most" and asked >= n * size + more) or (key == "at_least" and asked <= n + more):
            hint = f"{found[0]} shows {n + more} to {n * size + more}; without {key!r} nothing is asked of it"
            yield diagnose(
                "W613", f"{found[0]} always comes to {key!r} {asked}", roll, key=str(key), hint=hint
            )


_BASE = re.compile(r"unit\.([a-z_][a-z0-9_]*)")


def figures_fit_their_dice(subject: Subject) -> Iterator[Diagnostic]:
    """A figure of a unit under which a die is thrown in battle is one of its faces: no part of one, and none
    above all.

    Told only of stats that no modifier lowers, or makes whole: what is too much for the die may be there to
    be lost.
    """
    for stat, most in _rolled_under(subject).items():
        row = subject.rows("stats").get(stat, {})
        found = _BASE.fullmatch(str(row.get("base", "")).strip())
        if found is None or most is None or "round" in row:
            continue
        parts, less = _altered(subject, stat)
        for id_, unit in subject.rows("units").items():
            value, node = unit.get(found[1]), subject.nodes("units")[id_]
            if isinstance(value, bool) or not isinstance(value, int | Fraction | str) or node.is_below:
                continue
            try:
                figure = Fraction(value)
            except ValueError:  # an expression, or a fault of the field's type
                continue
            said = f"the die shows 1 to {most}, and {found[1]!r} of {id_!r} is {value}"
            if figure > most and not less and "at_most" not in row:
                yield diagnose("W620", said, node.value[found[1]], hint=f"{most} hits always")
            elif figure.denominator != 1 and not parts:
                low = figure.numerator // figure.denominator
                hint = f"a part of a face counts for nothing: write {low} or {low + 1}"
                yield diagnose("W620", said, node.value[found[1]], hint=hint)


def _altered(subject: Subject, stat: str) -> tuple[bool, bool]:
    """Whether modifiers may make a figure whole that is a fraction, and whether they may make it less."""
    parts = less = False
    for row in subject.rows("modifiers").values():
        if row.get("of") == stat:
            added = row.get("add", 0)
            parts |= type(added) is not int or any(key in row for key in ("times", "round", "final", "base"))
            less |= (
                type(added) is not int
                or added < 0
                or any(key in row for key in ("times", "final", "base", "at_most"))
            )
    return parts, less


def _rolled_under(subject: Subject) -> dict[str, int | None]:
    """Stats under which dice are thrown in battles, each with the most that one of these dice shows; None:
    not to be told.
    """
    out: dict[str, int | None] = {}
    for row in subject.rows("battles").values():
        for stage in row.get("stages", ()):
            if word_of(stage, "resolve") != "roll_under":
                continue
            die = re.fullmatch(r"1?d([0-9]+)", str(stage.get("die", row.get("die", ""))))
            shown = int(die[1]) if die is not None else None
            value = stage.get("value")
            for stat in value.values() if isinstance(value, dict) else (value,):
                if isinstance(stat, str) and not stat.startswith("="):
                    before = out.get(stat, 0)
                    out[stat] = None if shown is None or before is None else max(before, shown)
    return out


def years_are_whole(subject: Subject) -> Iterator[Diagnostic]:
    """The names of turns go round once a year: together they last twelve months, or several times twelve."""
    for _, row, node in subject.each("calendar"):
        names, months = row.get("names", ()), row.get("months")
        if names and months and len(names) * months % MONTHS:
            message = (
                f"{len(names)} names for turns of {months} month{'s' * (months != 1)} do not make whole years"
            )
            hint = f"{MONTHS // months} names make one" if MONTHS % months == 0 else ""
            yield diagnose("E213", message, node, key="names", hint=hint)
