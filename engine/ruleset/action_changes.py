"""An act as it stands with what single nations' own files add (rows of `action_changes`): requirements, which
have a `test`, and cases.

Whom such a row is about is read as one test over `self` and `target` with its own, so that it is asked, and
what it reads told, like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.model import Row, Ruleset, derived_of

CHANGES = "action_changes"


def requirements(rows: Iterable[Row]) -> list[Row]:
    """Those rows of `action_changes` that add a requirement."""
    return [row for row in rows if "test" in row]


def needs_of(ruleset: Ruleset, row: Row) -> Sequence[Row]:
    """The needs of an order or act, its own first: maps of `test`, `else` and `secret`."""
    own: Sequence[Row] = row.get("requires", ())
    more = limits_on(ruleset, row["id"]) if row is ruleset.rows("actions").get(row["id"]) else ()
    return [*own, *more] if more else own


def test_of(need: Row, secrets: bool) -> str | bool:
    """What must hold by a need; without `secrets` as far as its nation may learn of it before the
    resolution.
    """
    hidden = not secrets and need.get("secret", False)
    if hidden is False or hidden is True:
        return hidden or need["test"]
    return f"({_text(hidden)}) or ({_text(need['test'])})"


def limits_on(ruleset: Ruleset, act: str) -> Sequence[Row]:
    """What rows of `action_changes` require of an act, in their order."""
    return _limits(ruleset).get(act, ())


@derived_of()
def _limits(ruleset: Ruleset) -> dict[str, list[Row]]:
    out: dict[str, list[Row]] = {}
    for row in requirements(ruleset.rows(CHANGES).values()):
        need = {"test": _test(ruleset, row), "message": row["message"]}
        out.setdefault(row["on"], []).append(need)
    return out


def with_own_cases(ruleset: Ruleset, act: Row) -> Row:
    """An act whose `cases` hold those that `action_changes` adds, where it says that they are tried."""
    if not tries_own_cases(act):
        return act

    def make() -> Row:
        rows = [row for row in ruleset.rows(CHANGES).values() if row["on"] == act["id"] and "test" not in row]
        added = [
            {**row, "when": " and ".join(f"({c})" for c in _concerned(ruleset, row)) or True} for row in rows
        ]
        return {
            **act,
            "cases": [c for case in act["cases"] for c in (added if case.get("nations") else [case])],
        }

    found: Row = ruleset.derived(("own cases", act["id"]), make)
    return found


def tries_own_cases(act: Row) -> bool:
    """Whether an act says where among its cases those of single nations are tried."""
    return any(case.get("nations") for case in act.get("cases", ()))


def _test(ruleset: Ruleset, row: Row) -> Any:
    """`test`, where the limit holds for these two and at this time; else true."""
    concerned = _concerned(ruleset, row)
    if not concerned:
        return row["test"]
    return f"not ({' and '.join(f'({c})' for c in concerned)}) or ({_text(row['test'])})"


def _concerned(ruleset: Ruleset, row: Row) -> list[str]:
    """The tests of whom and when a row is about."""
    out = [
        _one_of(ruleset, name, row[key])
        for name, key in (("self", "for"), ("target", "against"))
        if key in row
    ]
    return [*out, _text(row["when"])] if "when" in row else out


def _text(test: str | bool) -> str:
    return " ".join(str(test).split())


def _one_of(ruleset: Ruleset, name: str, wanted: str | list[str]) -> str:
    """A test that a nation is one of these, a member of these groups or of these sides."""
    tests = []
    for word in [wanted] if isinstance(wanted, str) else wanted:
        if ruleset.has("sides", word):
            tests.append(f"{name}.side == '{word}'")
        else:
            tests += [
                f"{name}.id == '{id_}'" for id_ in ruleset.row_or_empty("groups", word).get("members", [word])
            ]
    return " or ".join(tests)
