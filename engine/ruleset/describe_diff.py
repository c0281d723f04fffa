"""The differences of two rulesets as a text to read: form by form, row by row, each value as it was and as it
is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from ..core.model import Row, Ruleset
from .compare import Difference

WIDTH = 130
NAMES = ("name", "title", "label", "text", "question", "syntax")
ORDER = (
    "sequence", "settings", "options", "clauses", "sides", "stances", "war_kinds", "tracks", "actions",
    "decisions", "events", "matrices", "orders", "movement", "battles", "detection", "capture", "production",
    "placement_limits", "units", "technologies", "stats", "modifiers", "income", "transfers", "tables",
    "groups", "definitions", "fields",
)  # fmt: skip
"""The forms that come first, and in what order; what is written for the others' sake comes last."""


def tell(found: Iterable[Difference], a: Ruleset, b: Ruleset, at: Callable[[str], str]) -> Iterator[str]:
    """Lines that say what is different in `b`. `at` makes the place of an origin as it is to be printed."""
    by_form: dict[str, dict[str, list[Difference]]] = {}
    for d in found:
        form, _, id_ = d.name.partition("/")
        by_form.setdefault(form, {}).setdefault(id_, []).append(d)
    first = True
    for form in sorted(by_form, key=lambda f: (ORDER.index(f) if f in ORDER else len(ORDER) - 4, f)):
        if not first:
            yield ""
        first = False
        yield "The course of the turn" if form == "sequence" else form.replace("_", " ").capitalize()
        rows = by_form[form]
        yield from _regrouped(rows)
        changed = {i: ds for i, ds in rows.items() if ds[0].what not in ("added", "removed")}
        for id_, differences in changed.items():
            yield from _changed(form, id_, differences, a, b, at)
        for what, head in (("added", "new"), ("removed", "gone")):
            those = [i for i, ds in rows.items() if ds[0].what == what]
            yield from _listed(
                form, head, those, {i: rows[i][0] for i in those}, b if what == "added" else a, at
            )


def _regrouped(rows: dict[str, list[Difference]]) -> Iterator[str]:
    """Nodes that stand in another node than before, told together for each pair; they are taken out of the
    rows.
    """
    homes: dict[tuple[str, str], list[str]] = {}
    for id_, differences in list(rows.items()):
        for d in [d for d in differences if d.what == "moved" and d.key == "stands in"]:
            homes.setdefault((d.old, d.new), []).append(id_)
            differences.remove(d)
        if not differences:
            del rows[id_]
    for (old, new), ids in homes.items():
        yield from _wrapped(f"  in {new}, no more in {old}: {', '.join(ids)}")


def _changed(
    form: str, id_: str, differences: list[Difference], a: Ruleset, b: Ruleset, at: Callable[[str], str]
) -> Iterator[str]:
    title = _title(b.rows(form).get(id_) or {}, id_)
    place = at(next((d.origin for d in differences if d.origin), ""))
    sources = _sources(a.rows(form).get(id_) or {}, b.rows(form).get(id_) or {})
    yield f"  {title}" + (f"  [{', '.join(sources)}]" if sources else "") + (f"  {place}" if place else "")
    for d in differences:
        match d.what:
            case "moved":
                yield f"    {d.key} {d.new}, no more after {d.old}"
            case "key added":
                yield from _wrapped(f"    {words(d.key)}: {one_line(d.new)} (new)")
            case "key removed":
                yield from _wrapped(f"    {words(d.key)}: no more (was {one_line(d.old)})")
            case _:
                was, now = one_line(d.old), one_line(d.new)
                head = f"    {words(d.key)}: " if d.key else "    "
                if len(head) + len(was) + len(now) + 3 <= WIDTH:
                    yield f"{head}{was} \u2192 {now}"
                else:
                    yield head.rstrip()
                    yield from _wrapped(f"      was {was}")
                    yield from _wrapped(f"      is  {now}")


def _listed(
    form: str,
    head: str,
    ids: list[str],
    found: dict[str, Difference],
    rules: Ruleset,
    at: Callable[[str], str],
) -> Iterator[str]:
    """Rows that are new, one a line; those that are gone, in a row."""
    if head == "gone" and ids:
        yield from _wrapped(f"  gone: {', '.join(ids)}")
        return
    for id_ in ids:
        row = rules.rows(form).get(id_) or (found[id_].new or {})
        sources = _sources({}, row)
        place = at(found[id_].origin)
        yield (
            f"  {head}: {_title(row, id_)}"
            + (f"  [{', '.join(sources)}]" if sources else "")
            + (f"  {place}" if place else "")
        )


def _title(row: Row, id_: str) -> str:
    name = next((str(row[k]) for k in NAMES if row.get(k)), "")
    return f"{id_} ({name})" if name and name != id_ else id_


def _sources(old: Row, new: Row) -> list[str]:
    """The clauses that the new row cites and the old one does not: why it is different."""
    return [c for c in new.get("source", ()) if c not in old.get("source", ())]


def words(key: str) -> str:
    """The way to a value inside a row, to be read: `needs[0].else` is `needs 1, else`."""
    out = []
    for part in key.split("."):
        name, *places = part.replace("]", "").split("[")
        out.append(" ".join([name, *(str(int(p) + 1) for p in places)]))
    return ", ".join(out)


def one_line(value: Any) -> str:
    """A value on one line, nearly as it would be written."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {one_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(one_line, value)) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    if isinstance(value, Fraction):
        decimal = float(value)
        return repr(decimal) if Fraction(repr(decimal)) == value else str(value)
    return str(value)


def _wrapped(line: str) -> list[str]:
    """A long line in several, the further ones set in."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line.rstrip(), WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [line]
