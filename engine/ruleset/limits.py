"""The needs of an act: those of its own row, and those that rows of `limits` add for single nations.

A limit is read as one test over `self` and `target`, so that it is asked, and what it reads is told, like any other need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.model import Row, Ruleset

__all__ = ["limits_on", "needs_of"]


def needs_of(ruleset: Ruleset, row: Row) -> Sequence[Row]:
    """The needs of an order or act, its own first: maps of `test`, `else` and `secret`."""
    own: Sequence[Row] = row.get("needs", ())
    more = limits_on(ruleset, row["id"]) if row is ruleset.rows("acts").get(row["id"]) else ()
    return [*own, *more] if more else own


def limits_on(ruleset: Ruleset, act: str) -> Sequence[Row]:
    """What rows of `limits` ask for an act, in their order."""

    def make() -> dict[str, list[Row]]:
        out: dict[str, list[Row]] = {}
        for row in ruleset.rows("limits").values():
            need = {"test": _test(ruleset, row), "else": row["else"]}
            out.setdefault(row["on"], []).append(need)
        return out

    found: dict[str, list[Row]] = ruleset.derived("limits", make)
    return found.get(act, ())


def _test(ruleset: Ruleset, row: Row) -> Any:
    """`test`, where the limit holds for these two and at this time; else true."""
    concerned = [_one_of(ruleset, name, row[key]) for name, key in (("self", "for"), ("target", "against")) if key in row]
    if "when" in row:
        concerned.append(_text(row["when"]))
    if not concerned:
        return row["test"]
    return f"not ({' and '.join(f'({c})' for c in concerned)}) or ({_text(row['test'])})"


def _text(test: str | bool) -> str:
    return " ".join(str(test).split())


def _one_of(ruleset: Ruleset, name: str, wanted: str | list[str]) -> str:
    """A test that a nation is one of these, a member of these groups or of these sides."""
    tests = []
    for word in [wanted] if isinstance(wanted, str) else wanted:
        if ruleset.has("sides", word):
            tests.append(f"{name}.side == '{word}'")
        else:
            tests += [f"{name}.id == '{id_}'" for id_ in ruleset.rows("groups").get(word, {}).get("members", [word])]
    return " or ".join(tests)
