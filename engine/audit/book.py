"""What an auditor has found: the findings, how much it has computed, and what it has passed over."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from ..core.journal import Entry
from ..core.model import Ruleset


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: in which entry (0: at the end of the turn), whose, what was to be expected and what is so.

    `at` is the file and line of the row that caused the entry, `clauses` what that row cites.
    """

    auditor: str
    turn: int
    step: str
    entry: int
    whose: str
    says: str
    expected: str
    got: str
    rule: str = ""
    at: str = ""
    clauses: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "clauses": list(self.clauses)}

    def line(self) -> str:
        """The finding as one line of text."""
        where = f"turn {self.turn}, {self.step or 'end'}" + (f", entry {self.entry}" if self.entry else "")
        rule = f" [{' '.join(filter(None, (self.rule, self.at, *self.clauses)))}]" if self.rule else ""
        return f"{where}: {self.whose}: {self.says}: expected {self.expected}, got {self.got}{rule}"


@dataclass(slots=True)
class Book:
    """What one auditor writes down.

    `checked` counts what it has computed, `skipped` why it passed over how many.
    """

    auditor: str
    ruleset: Ruleset
    checked: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)

    def check(self, fine: bool, entry: Entry, whose: str, says: str, expected: Any, got: Any) -> bool:
        """Count one thing that was computed; write it down if it is not fine. Gives whether it is."""
        self.checked += 1
        if not fine:
            form, _, id_ = entry.rule.partition("/")
            self.found.append(
                Found(
                    auditor=self.auditor,
                    turn=entry.turn,
                    step=entry.step,
                    entry=entry.n,
                    whose=whose,
                    says=says,
                    expected=str(expected),
                    got=str(got),
                    rule=entry.rule,
                    at=entry.at,
                    clauses=clauses(self.ruleset, form, id_),
                )
            )
        return fine

    def check_turn(
        self, fine: bool, turn: int, whose: str, says: str, expected: Any, got: Any, rule: str = ""
    ) -> bool:
        """The same, of how things are at the end of a turn; `rule` is the row ("form/id") that says how they
        should be.
        """
        self.checked += 1
        if not fine:
            form, _, id_ = rule.partition("/")
            at = self.ruleset.origin(form, id_) if rule else ""
            cited = clauses(self.ruleset, form, id_)
            self.found.append(
                Found(
                    auditor=self.auditor,
                    turn=turn,
                    step="",
                    entry=0,
                    whose=whose,
                    says=says,
                    expected=str(expected),
                    got=str(got),
                    rule=rule,
                    at=at,
                    clauses=cited,
                )
            )
        return fine

    def lines(self, question: str, *, most: int | None) -> list[str]:
        """What was asked and what is so, in lines; `most` findings are listed (None: all)."""
        shown = self.found if most is None else self.found[:most]
        more = len(self.found) - len(shown)
        left_out = ", ".join(f"{why} {n}" for why, n in self.skipped.most_common())
        return [
            f"{self.auditor}: {question}",
            f"  {self.checked} computed, {len(self.found)} found"
            + (f"; passed over: {left_out}" if left_out else ""),
            *(f"  {found.line()}" for found in shown),
            *([f"  ... and {more} more (`--every`)"] if more else []),
        ]

    def to_json(self, question: str) -> dict[str, Any]:
        return {
            "auditor": self.auditor,
            "question": question,
            "computed": self.checked,
            "skipped": dict(self.skipped.most_common()),
            "found": [found.to_json() for found in self.found],
        }

    def skip(self, why: str, times: int = 1) -> None:
        """Something that cannot be computed here, and why."""
        self.skipped[why] += times


def clauses(ruleset: Ruleset, form: str, id_: str) -> tuple[str, ...]:
    """The clauses that a row cites; none where there is no such row."""
    said = ruleset.row_or_empty(form, id_).get("source", ())
    return (said,) if isinstance(said, str) else tuple(said)
