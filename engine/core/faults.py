"""What still goes wrong while rules are carried out: one error that names the row at fault, with its file and
line.

Validation finds what can be found beforehand; a division by a number that only play makes zero, or a turn
that would never end, is found when it happens. Whoever carries out rules does so inside `carrying_out`, which
turns whatever is raised into a `RuleError`. Nothing of the game is changed by then: results are kept only
when they are whole.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

from .dice import DiceError
from .frame import nodes_in
from .model import Row, Ruleset
from .nested import texts_in

MOST_UNITS = 1_000_000
"""Units in one stack."""
MOST_AMOUNT = 10**15
"""Of a resource in one store."""


class UnexplainedChange(RuntimeError):
    """A change of state outside any journal entry: an error of the engine, never of a user."""


MOST_ROUNDS = 10_000
"""Of anything that is done again and again: dice of a roll, ticks, members of a `for`."""


class TooMuch(ValueError):
    """A number, a list or a loop beyond what any game needs."""


Number = TypeVar("Number", int, Fraction)


def few(number: Number, what: str, most: int = MOST_ROUNDS) -> Number:
    """A number if it is not greater than any game needs; TooMuch, naming what is counted, if it is."""
    if number > most:
        raise TooMuch(f"{what}: more than {most:,}")
    return number


class StoreError(ValueError):
    """A request that a game cannot meet now: it has ended or moved on, orders are missing, somebody else is
    at it.
    """


class NotThere(StoreError):
    """A request that names what is not there (a game, a nation, a turn), or a value that it cannot have."""


class BrokenGame(StoreError):
    """What is stored, or what was handed in, is at fault."""


class MachineError(StoreError):
    """The machine does not let it be done: a folder that cannot be written, a disk that is full, a server out
    of reach.
    """


class RuleError(ValueError):
    """A rule cannot be carried out.

    `rule`: "form/id" of the row; `where`: its file:line:column; "" where they are unknown.
    """

    def __init__(self, message: str, rule: str = "", where: str = "") -> None:
        super().__init__(": ".join(part for part in (where, rule, message) if part))
        self.message = message
        self.rule = rule
        self.where = where


@contextmanager
def carrying_out(ruleset: Ruleset, at: Callable[[BaseException], str] | None = None) -> Iterator[None]:
    """Rules are carried out inside: what is raised there leaves as a `RuleError`.

    `at` says for an error which row ("form/id") was being carried out; the row that holds the expression at
    fault is nearer.
    """
    try:
        yield
    except (RuleError, DiceError, UnexplainedChange):
        raise
    except Exception as error:
        raise located(ruleset, error, at(error) if at is not None else "") from error


def located(ruleset: Ruleset, error: BaseException, rule: str = "") -> RuleError:
    """The error at the place of the rule that met it."""
    where, found = _place(ruleset, error, rule)
    return RuleError(_words(error), found, where)


def of_rules(error: BaseException) -> RuleError | None:
    """An error that an expression met outside a resolution (in a view, a policy, the odds), at its place;
    None for any other.
    """
    met: BaseException | None = error
    for _ in range(20):
        if met is None:
            return None
        ruleset = getattr(met, "ruleset", None)
        if ruleset is not None:
            return located(ruleset, met)
        met = met.__cause__ or met.__context__
    return None


def _words(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "rules that lead back to themselves, or stand too deep in one another"
    if isinstance(error, KeyError):
        return f"there is no {clean(str(error.args[0] if error.args else ''))!r}"
    text = clean(str(error))[:300]
    return text or type(error).__name__


def _place(ruleset: Ruleset, error: BaseException, rule: str) -> tuple[str, str]:
    """File:line:column and "form/id" of the row that holds the expression at fault, else of the row carried
    out.
    """
    text = _expression(error)
    if text:
        form, _, id_ = rule.partition("/")
        if id_ in ruleset.rows(form) and (key := _key_with(ruleset.row(form, id_), text)):
            return _origin(ruleset, form, id_, key), rule
        for form in sorted(ruleset.forms):
            for id_, row in ruleset.rows(form).items():
                if key := _key_with(row, text):
                    return _origin(ruleset, form, id_, key), f"{form}/{id_}"
        for number, node in enumerate(ruleset.sequence):
            if _key_with(node, text):
                return ruleset.origins.get(f"sequence/{number}", ""), "sequence"
    form, _, id_ = rule.partition("/")
    if form == "sequence":
        for number, node in enumerate(ruleset.sequence):
            if any(each.row.get(key) == id_ for each in nodes_in([node]) for key in _NAMES):
                return ruleset.origins.get(f"sequence/{number}", ""), rule
    return ruleset.origins.get(rule, ""), rule


_NAMES = ("id", "step", "phase", "do", "input")
"""The keys by which an entry names a node of the sequence of play."""


def _expression(error: BaseException | None) -> str:
    """The text of the innermost expression that failed."""
    found = ""
    for _ in range(20):
        if error is None:
            break
        found = str(getattr(error, "expression", "") or found)
        error = error.__cause__ or error.__context__
    return found


def _origin(ruleset: Ruleset, form: str, id_: str, key: str) -> str:
    return ruleset.origins.get(f"{form}/{id_}.{key}") or ruleset.origins.get(f"{form}/{id_}", "")


def _key_with(row: Row, text: str) -> str:
    """The key of a row under which an expression stands."""
    for key, value in row.items():
        for said in texts_in(value):
            said = " ".join(said.split())
            if said.removeprefix("=").strip() == text or f"{{{text}}}" in said:
                return key
    return ""


def clean(text: str) -> str:
    """A text without the control characters that a terminal would act upon."""
    return "".join(c if c >= " " and not "\x7f" <= c <= "\x9f" else "�" for c in text)


_NOT_IN_A_LINE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Kinds of characters (Unicode's general categories) that end a line, turn it round, or are none."""


def one_line(text: str) -> str:
    """A text as it may stand in the head of a mail: one line, and nothing in it that a mail program would
    decode.
    """
    line = "".join(" " if unicodedata.category(c) in _NOT_IN_A_LINE else c for c in text)
    return " ".join(line.replace("=?", "= ?").split())
