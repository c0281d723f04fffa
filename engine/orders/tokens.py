"""What is recognized in a line of words, whatever form it may follow: names of things, counted kinds of
units, numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..core.words import Word, joined, run_together, slips
from ..ruleset.order_syntax import FORM_OF
from .match import ALL, NUMBERS
from .names import EVERY, Names

SMALL = frozenset(
    {
        "from",
        "to",
        "in",
        "into",
        "at",
        "on",
        "onto",
        "with",
        "by",
        "using",
        "of",
        "for",
        "the",
        "a",
        "an",
        "as",
        "via",
        "through",
    }
    | {"over", "around", "against", "toward", "towards", "facing", "and", "vs"}
)
"""Words that say which slot a thing belongs to, and mean nothing by themselves."""
PASSED = frozenset(
    {
        "please",
        "my",
        "our",
        "i",
        "we",
        "will",
        "would",
        "like",
        "want",
        "shall",
        "should",
        "then",
        "also",
        "now",
        "just",
        "is",
    }
    | {
        "units",
        "unit",
        "troops",
        "order",
        "orders",
        "are",
        "out",
        "way",
        "try",
        "trying",
        "attempt",
        "attempting",
        "send",
        "go",
        "goes",
        "new",
        "some",
    }
    | {
        "pls",
        "plz",
        "kindly",
        "thanks",
        "thx",
        "thank",
        "can",
        "could",
        "may",
        "you",
        "id",
        "lets",
        "let",
        "us",
        "me",
    }
)
"""Words that change nothing in an order."""
ALL_WORDS = frozenset({"all", "everything", "everyone", "everybody", "whatever", "entire", "whole"})
BEFORE_KIND = PASSED | {"of", "the", "x", "other", "remaining", "available"}
"""Words that may stand between a number and a kind of unit."""
AND = frozenset({"and", "+"})
"""Words that join a thing to another of its kind."""
ONE = frozenset({"a", "an"})
MOST_WORDS = 60
"""Words of a line that are looked at."""


class Token(NamedTuple):
    """Something recognized: words from `at` to `end`, the small word before it, what it can be by kind, and
    whether guessed.

    `units` are counted kinds of units, `number` a number; of a single counted thing both its number and its
    names are there.
    """

    at: int
    end: int
    before: str
    names: dict[str, str]
    number: int | None = None
    units: dict[str, Any] | None = None
    guessed: bool = False
    bare: bool = False
    """Whether the units have no number: then it may be the name of something else."""
    joined: bool = False
    """Whether `and` joins it to the thing before it."""


@dataclass
class Recognizer:
    """What a nation's line holds. With `loose` names may be misspelled."""

    words: tuple[Word, ...]
    names: Names
    nation: str = ""
    loose: bool = False
    generous: bool = False
    """Whether kinds of units without a number stand for all of them: only for what is proposed."""
    _tokens: dict[frozenset[int], tuple[list[Token], list[int]]] = field(default_factory=dict)

    def tokens(self, used: frozenset[int] = frozenset()) -> tuple[list[Token], list[int]]:
        """What is recognized beside the words used already, in order, and the words that nothing is known
        of."""
        if used not in self._tokens:
            self._tokens[used] = self._recognized(used)
        return self._tokens[used]

    def _recognized(self, used: frozenset[int]) -> tuple[list[Token], list[int]]:
        out: list[Token] = []
        unknown: list[int] = []
        at, before = 0, ""
        while at < len(self.words):
            word = self.words[at].norm
            if at in used:
                at, before = at + 1, ""
                continue
            token = self._units(at, before, used) or self._name(at, before, used)
            if token is None and (number := self._number(at)) is not None:
                token = Token(at, at + 1, before, {}, number)
                if (unit := self._name(at + 1, "", used)) is not None and "resource" in unit.names:
                    token = token._replace(end=unit.end)
            if token is not None:
                joined = bool(out) and token.at > 0 and self.words[token.at - 1].norm in AND
                out.append(token._replace(joined=joined and out[-1].end == token.at - 1))
                at, before = token.end, ""
                continue
            if word in SMALL:
                before = word if word not in ("the", "a", "an", "and", "as") else before
            elif word.isalnum() and word not in PASSED:
                unknown.append(at)
            at += 1
        return out, unknown

    def _number(self, at: int) -> int | None:
        if at >= len(self.words):
            return None
        norm = self.words[at].norm
        if norm.isdecimal() and len(norm) <= 9:
            return int(norm)
        if norm.strip("x").isdecimal() and len(norm) <= 9:
            return int(norm.strip("x"))
        return NUMBERS.get(norm)

    def _kind(self, at: int, used: frozenset[int]) -> tuple[int, str, bool] | None:
        """A kind of unit at a word: the word after it, its id, whether it was guessed."""
        if at >= len(self.words) or at in used:
            return None
        for end in range(min(at + self.names.longest("unit-kind"), len(self.words)), at, -1):
            if any(i in used for i in range(at, end)):
                continue
            written = run_together(self.words[at:end])
            ids = self.names.find("unit-kind", written) or self.names.abbreviated("unit-kind", written)
            if len(ids) == 1:
                return end, ids[0], False
        if self.loose:
            near = self.names.near("unit-kind", self.words[at].norm)
            if len(near) == 1:
                return at + 1, near[0].id, near[0].slips > 0
        return None

    def _is_one(self, at: int, kind: tuple[int, str, bool]) -> bool:
        """Whether a kind is written as one of it: it has a plural, and that does not stand there."""
        row = self.names.ruleset.row_or_empty("units", kind[1])
        one, many = joined(str(row.get("name", ""))), joined(str(row.get("plural", "")))
        if (
            not many
            or one == many
            or run_together(self.words[at : kind[0]]).endswith(many[-1:])
            or self.names.state is None
        ):
            return False
        return any(row["kind"] == kind[1] for _, row in self.names.state.stacks(owner=self.nation))

    def _after_passed(self, at: int, used: frozenset[int]) -> int:
        while at < len(self.words) and at not in used and self.words[at].norm in BEFORE_KIND:
            at += 1
        return at

    def _together(self, at: int, used: frozenset[int]) -> tuple[int, str] | None:
        """A word for all units of some sort, alone or after `all`, `the`, `my`: the word after it, and their
        tag."""
        while at < len(self.words) and (
            self.words[at].norm in ALL_WORDS or self.words[at].norm in ("of", "the", "my", "our")
        ):
            at += 1
        tag = self.names.together(self.words[at].norm) if at < len(self.words) and at not in used else None
        return None if tag is None else (at + 1, tag)

    def _units(self, start: int, before: str, used: frozenset[int]) -> Token | None:
        """Counted kinds: `4 guns`, `guns 4`, `all guns`, `everything`, several of them between commas or
        `and`."""
        counts: dict[str, Any] = {}
        at, end, guessed = start, start, False
        while at < len(self.words) and at not in used:
            if (tag := self._together(at, used)) is not None:
                return Token(start, tag[0], before, {}, None, {EVERY + tag[1]: ALL}) if not counts else None
            if self.words[at].norm in ALL_WORDS:
                kind = self._kind(self._after_passed(at + 1, used), used)
                if kind is None:
                    skip = at + 1 < len(self.words) and self.words[at + 1].norm in (
                        "units",
                        "troops",
                        "forces",
                        "of",
                    )
                    skip = skip or (
                        self.generous and at + 1 < len(self.words) and self._name(at + 1, "", used) is None
                    )
                    return Token(start, at + 1 + skip, before, {}, None, {EVERY: ALL}) if not counts else None
                number: Any = ALL
            else:
                first = self._number(at)
                after = self._after_passed(at + 1, used)
                kind = self._kind(after, used) if first is not None else None
                number = first
                if (
                    kind is None
                    and self.words[at].norm in ONE
                    and (kind := self._kind(at + 1, used)) is not None
                ):
                    number = 1
                if kind is None and first is None and (kind := self._kind(at, used)) is not None:
                    number = self._number(kind[0])
                    if number is not None and self._kind(kind[0] + 1, used) is None:
                        kind = (kind[0] + 1, kind[1], kind[2])
                    elif self._is_one(at, kind):
                        number, guessed = 1, True
                    elif self.generous and not counts:
                        number, guessed = ALL, True
                    else:
                        break
            if kind is None or kind[1] in counts:
                break
            counts[kind[1]] = number
            guessed = guessed or kind[2]
            at = end = kind[0]
            while at < len(self.words) and self.words[at].norm in (",", "and", "+", "/") and at not in used:
                at += 1
        if not counts:
            return None
        names: dict[str, str] = {}
        number = None
        if (
            guessed
            and tuple(counts.values()) == (ALL,)
            and (thing := self._name(start, before, used)) is not None
        ):
            return Token(start, end, before, thing.names, None, counts, guessed, bare=True)
        if len(counts) == 1 and isinstance(next(iter(counts.values())), int):
            ((only, number),) = counts.items()
            names = {"unit-kind": only}
            item = self.names.find("item", joined(self.names.printed("unit-kind", only)))
            if len(item) == 1:
                names["item"] = item[0]
        return Token(start, end, before, names, number, counts, guessed)

    def _name(self, start: int, before: str, used: frozenset[int]) -> Token | None:
        """The longest name of anything that begins at a word."""
        if start >= len(self.words) or start in used or self.words[start].norm in SMALL:
            return None
        kinds = [*FORM_OF, "force"]
        most = max(self.names.longest(kind) for kind in kinds)
        for end in range(min(start + most, len(self.words)), start, -1):
            if any(i in used for i in range(start, end)):
                continue
            written = run_together(self.words[start:end])
            found = {k: ids[0] for k in kinds if len(ids := self.names.find(k, written)) == 1}
            if not found:
                found = {
                    k: ids[0]
                    for k in ("unit-kind", "item")
                    if len(ids := self.names.abbreviated(k, written)) == 1
                }
            if found and not written.isdecimal():
                return Token(start, end, before, found)
        if self.loose and slips(len(self.words[start].norm) + 1):
            for end in range(min(start + 3, len(self.words)), start, -1):
                if any(i in used for i in range(start, end)):
                    continue
                written = run_together(self.words[start:end])
                close = {k: near[0] for k in kinds if len(near := self.names.near(k, written)) == 1}
                if close:
                    least = min(n.slips for n in close.values())
                    named = {k: n.id for k, n in close.items() if n.slips == least}
                    return Token(start, end, before, named, guessed=least > 0)
        return None
