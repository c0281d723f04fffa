"""One order in a line, read by the forms of the ruleset: word for word, with small slips of spelling, or
freely (`fuzzy.py`).

An `Attempt` is what a reading gives: orders, and what is to be said of them. Reading changes nothing; whoever
reads a text (`parse.py`) decides which of several attempts counts. Several orders in one line are for
`compound.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, product
from typing import Any, NamedTuple

from ..core.diagnostics import Diagnostic, Severity, nearest
from ..core.model import Ruleset
from ..core.words import Word, split
from ..ruleset.order_syntax import Fixed, Slot, slot_of
from . import fuzzy
from .expected import NAMED, goes_on_with, incomplete, not_there, one_of, unknown
from .grammar import Grammar, OrderForm
from .kinds import order_kinds
from .match import MAX_STEPS, Match, Matcher
from .names import Names
from .plain import plainly, strip_comment, without_thanks
from .text import order_text
from .tokens import ALL_WORDS, PASSED, SMALL, Recognizer

MAX_LINE = 500
SEPARATORS = (",", ";", "or", "and", "then", "/", ":")
CONDITIONAL = frozenset({"if", "when", "unless", "should", "once", "otherwise", "else"})
"""Words that begin what depends on something, and no order."""
NO_GUESS = 5
"""Letters that the name of a place needs before another is guessed for it."""
WHERE = frozenset({"in", "at", "to", "into", "from"})
"""Small words that a place stands behind."""
_MINUS = re.compile(r"\S\s+[-−]\d")
"""A minus before a number, which may have been meant as a dash: how it was read is said."""
Order = dict[str, Any]
"""An order as read: nation, order ("form/id"), slots, options, text, line; `columns` (slot -> column),
`readings` (other orders that the same words can be; with `first` the first of them that is allowed is meant),
`mended` (how it was read where it was not written as its form has it) and `guessed` (the slots whose names
were misspelled)."""


class LineAttempt(NamedTuple):
    """What a line comes to, read in one way."""

    orders: list[Order]
    found: list[Diagnostic]


class OrderReader:
    """Reads one order by the grammar of a ruleset. `nation` is whose order it is."""

    def __init__(self, ruleset: Ruleset, names: Names, nation: str | None, file: str) -> None:
        self.ruleset = ruleset
        self.names = names
        self.grammar = Grammar.of(ruleset)
        self.nation = nation
        self.file = file
        self.orders: list[Order] = []
        self.found: list[Diagnostic] = []
        self.stranger = ""
        """What the last line was not understood for, if it is a name that nothing has."""
        self.guessed_kind = ""
        """The kind of thing whose name was guessed for the last line."""

    def say(
        self,
        code: str,
        severity: Severity,
        message: str,
        number: int,
        column: int,
        hint: str = "",
        line: str = "",
        instead: Sequence[str] = (),
    ) -> None:
        self.found.append(
            Diagnostic(
                code, severity, message, self.file, number, column, hint, line[:MAX_LINE], tuple(instead)
            )
        )

    def word_for_word(self, number: int, line: str) -> LineAttempt:
        """A line as its form has it, small slips forgiven; what is wrong with it otherwise."""
        bare = without_thanks(strip_comment(line))
        words = split(bare)
        self.orders, self.found, self.stranger, self.guessed_kind = [], [], "", ""
        if words:
            self._order(number, line, bare, words)
        else:
            self.say("O101", "error", "no order begins like this", number, 1, line=line)
        if any(d.code == "O303" for d in self.found):
            for order in self.orders:
                order.setdefault("mended", self._written(order))
        return LineAttempt(self.orders, self.found)

    # ---- free wording

    def one_freely(self, number: int, bare: str) -> LineAttempt | None:
        """One order, whatever stands between its things; None if nothing whole is made of it."""
        text = plainly(bare)
        words = split(text)
        colon = next((i for i, w in enumerate(words) if w.norm == ":"), None)
        body, tail = (words, ()) if colon is None else (words[:colon], words[colon + 1 :])
        ways: list[tuple[tuple[Word, ...], tuple[Word, ...]]] = [(body, tail)]
        if colon is not None:
            ways.append((tuple(w for w in words if w.norm != ":"), ()))
            if 0 < colon < 4 and self.names_nothing(body):
                ways.append((tail, ()))  # a title
        for front, back in ways:
            for loose in (False, True):
                found = self._read_freely(number, bare, front, back, loose)
                if found is not None:
                    return found
        fronts = [front for front, back in ways if not back]
        return self._option_behind(number, bare, fronts) or self._option_within(number, bare, fronts)

    def with_option(self, number: int, bare: str) -> LineAttempt | None:
        """An order in free wording that ends in an option, with or without a colon before it; None if it does
        not."""
        words = split(plainly(bare))
        colon = next((i for i, w in enumerate(words) if w.norm == ":"), None)
        if colon is None:
            return self._option_behind(number, bare, [words])
        body, tail = words[:colon], words[colon + 1 :]
        if not tail or self._option_parts(Matcher(tail, self.names, True), 0) is None:
            return None
        return self._read_freely(number, bare, body, tail, False) or self._read_freely(
            number, bare, body, tail, True
        )

    def _option_behind(
        self, number: int, bare: str, fronts: Sequence[tuple[Word, ...]]
    ) -> LineAttempt | None:
        starts = {w for f in self.grammar.options for w in f.first or ()}
        for front in fronts:
            for at in range(2, len(front)):
                if not {front[at].norm, self.names.synonym(front[at].norm)}.isdisjoint(starts):
                    fits = self._option_parts(Matcher(front[at:], self.names, True), 0) is not None
                    found = self._read_freely(number, bare, front[:at], front[at:], True) if fits else None
                    if found is not None:
                        return found
        return None

    def _option_within(
        self, number: int, bare: str, fronts: Sequence[tuple[Word, ...]]
    ) -> LineAttempt | None:
        """An order that goes on behind its option, as in `guard force 1 with 2 ships`: without the option,
        and the small word before that, it is whole."""
        starts = {w for f in self.grammar.options for w in f.first or ()}
        for front in fronts:
            matcher = Matcher(front, self.names)
            for at in range(1, len(front) - 1):
                for form in self.grammar.options if front[at].norm in starts else ():
                    for end in sorted({m.end for m in matcher.match(form.steps, at)}, reverse=True):
                        before = front[: at - (front[at - 1].norm in SMALL)]
                        rest = (*before, *front[end:])
                        found = self._read_freely(number, bare, rest, front[at:end], False)
                        if found is not None and all(self._carries(o, form.id) for o in found.orders):
                            return found
        return None

    def _carries(self, order: Order, option: str) -> bool:
        """Whether an option may stand behind an order."""
        return option in self.ruleset.row_of(order["order"]).get("options", ())

    def _read_freely(
        self, number: int, bare: str, body: tuple[Word, ...], tail: tuple[Word, ...], loose: bool
    ) -> LineAttempt | None:
        body = tuple(w for w in body if w.norm not in (".", "!"))
        readings = fuzzy.WordLine(body, self.names, self.grammar, self.nation or "", loose).readings()
        readings = [r for r in readings if self._opens(r.form, body)]
        if not readings:
            return None
        self.orders, self.found = [], []
        options, fine = self._options(number, bare, tail, [(r.form, Match({}, 0, 0)) for r in readings])
        if not fine:
            return None
        orders: list[Order] = []
        for reading in readings:
            order: Order = {
                "nation": self.nation or "",
                "order": reading.form.key,
                "slots": reading.values,
                "options": options,
            }
            order |= {"text": bare.strip(), "line": number, "columns": {}, "guessed": list(reading.guessed)}
            order["mended"] = self._written(order)
            if not any((o["order"], o["slots"]) == (order["order"], order["slots"]) for o in orders):
                orders.append(order)
        first = orders[0]
        if len(orders) > 1:
            first["readings"] = orders[1:]
            first["first"] = not readings[0].words
        if first["mended"] == " ".join(bare.split()):
            del first["mended"]  # it was written as it would be told
        else:
            self.say("O303", "warning", f"read as {first['mended']!r}", number, 1, "", bare)
        return LineAttempt([first], self.found)

    def _opens(self, form: OrderForm, words: Sequence[Word]) -> bool:
        """Whether a line begins as an order that begins a war must, courtesies apart: `we are at war` is
        none."""
        if not order_kinds(self.ruleset)[form.key].begins_war:
            return True
        first = next((w.norm for w in words if w.norm not in PASSED), "")
        return not {first, self.names.synonym(first)}.isdisjoint(form.first or ())

    def names_nothing(self, words: tuple[Word, ...]) -> bool:
        """Whether words neither name a thing nor begin an order, as a title does."""
        begins = self.names.synonym(words[0].norm) in self.grammar.opening_words
        return not begins and not Recognizer(words, self.names, self.nation or "").tokens()[0]

    # ---- orders

    def _order(self, number: int, line: str, bare: str, words: tuple[Word, ...]) -> None:
        colon = next((i for i, w in enumerate(words) if w.norm == ":"), len(words))
        body, tail = words[:colon], words[colon + 1 :]
        if not body:
            self.say(
                "O101", "error", "an order must stand before the colon", number, words[0].column, line=line
            )
            return
        for loose in (False, True):
            matcher = Matcher(body, self.names, loose)
            readings = self._readings(matcher)
            if readings:
                break
        if matcher.steps > MAX_STEPS:
            self.say("O105", "error", "this can be read in too many ways", number, 1, line=line)
            return
        if not readings:
            if not self._not_allowed(number, line, words):
                self._not_understood(number, line, matcher, body)
            return
        options, fine = self._options(number, line, tail, readings)
        if not fine:
            return
        self._take(number, line, bare.strip(), readings, options)

    def _readings(self, matcher: Matcher) -> list[tuple[OrderForm, Match]]:
        """The readings of a whole line that need the least forgiveness."""
        out: list[tuple[OrderForm, Match]] = []
        for form in self._candidates(matcher):
            out += [(form, found) for found in matcher.match_all(form.steps)]
        if not out:
            return []
        least = min(f.cost for _, f in out)
        best: list[tuple[OrderForm, Match]] = []
        seen: dict[str, list[dict[str, Any]]] = {}  # a key of an order -> what its readings say
        for form, found in out:
            said = _plain(found)
            if found.cost == least and said not in seen.setdefault(form.key, []):
                seen[form.key].append(said)
                best.append((form, found))
        apart = [(form, found) for form, found in best if not _across(found, matcher.words)] or best
        signs = self.grammar.letters
        return [one for one in apart if not _swallowed(one[1], matcher.words, signs)] or apart

    def _candidates(self, matcher: Matcher) -> Iterator[OrderForm]:
        """The forms that a line may be, by its words alone.

        Where slips are forgiven any word may be one, but for the opening of another order.
        """
        first = matcher.words[0].norm
        if matcher.loose and first not in self.grammar.opening_words:
            yield from self.grammar.forms
            return
        begun = self.grammar.begun_by(frozenset((first, self.names.synonym(first))))
        if matcher.loose:
            yield from begun
            return
        written = [word.norm for word in matcher.words]
        words = {*written, *map(self.names.synonym, written)}
        yield from (form for form in begun if form.may_be(words))

    def _take(
        self,
        number: int,
        line: str,
        text: str,
        readings: Sequence[tuple[OrderForm, Match]],
        options: dict[str, Any],
    ) -> None:
        keys = {form.key for form, _ in readings}
        if len(readings) > len(keys):  # one row, several ways to read it: nobody can know which was meant
            ways = [form.key for form, _ in readings]
            double = next(k for k in ways if ways.count(k) > 1)
            doubles = [_plain(f) for form, f in readings if form.key == double]
            slot = next((s for s in doubles[0] if any(o.get(s) != doubles[0][s] for o in doubles)), "")
            values = one_of(str(o.get(slot)) for o in doubles)
            self.say(
                "O104",
                "error",
                f"this could mean several things: {values}",
                number,
                1,
                "write the full names",
                line,
            )
            return
        orders = []
        for form, match in readings:
            slots = {name: v.value for name, v in match.values.items()}
            order: Order = {
                "nation": self.nation or "",
                "order": form.key,
                "slots": slots,
                "options": options,
            }
            order |= {
                "text": text,
                "line": number,
                "columns": {name: v.column for name, v in match.values.items()},
            }
            orders.append(order)
        best = readings[0][1]
        notes = [v.note for v in best.values.values() if v.note]
        if notes or best.cost or _MINUS.search(text):
            message = "; ".join(notes) or f"read as {self._written(orders[0])!r}"
            self.say("O303", "warning", message, number, 1, "write the name in full to be sure", line)
            for order in orders:
                order["mended"] = self._written(order)
                order["guessed"] = [name for name, v in best.values.items() if v.guessed]
        first = orders[0]
        if len(orders) > 1:
            first["readings"] = orders[1:]
        self.orders.append(first)

    def _written(self, order: Order) -> str:
        return order_text(self.ruleset, self.names, order, agree=True)

    # ---- options

    def _options(
        self, number: int, line: str, words: tuple[Word, ...], readings: Sequence[tuple[OrderForm, Match]]
    ) -> tuple[dict[str, Any], bool]:
        """What stands after the colon, as option id -> value; False if it is not understood."""
        if not words:
            return {}, True
        for loose in (False, True):
            matcher = Matcher(words, self.names, loose)
            parts = self._option_parts(matcher, 0)
            if parts is not None:
                break
        if parts is None:
            if self._not_allowed(number, line, split(strip_comment(line))):
                return {}, False
            at = matcher.furthest
            word = words[at] if at < len(words) else None
            may = {option for form, _ in readings for option in form.row.get("options", ())}
            wanted = list(
                dict.fromkeys(w for f in self.grammar.options if f.id in may for w in sorted(f.first or ()))
            )
            if at == 0 and not wanted:
                message = "this order carries no conditions: nothing can stand after the colon"
            elif word is None:
                message = incomplete(matcher.expected, self.names)
            else:
                may_stand = goes_on_with(matcher.expected, self.names) if at else one_of(wanted)
                where = f"after {words[at - 1].text!r}" if at else "after the colon"
                message = f"{where} comes {may_stand or 'something else'}, not {word.text!r}"
            column = word.column if word else words[-1].end
            near = nearest(word.norm, wanted) if word else []
            self.say("O106", "error", message, number, column, did_you_mean(one_of(near)), line)
            return {}, False
        out: dict[str, Any] = {}
        for form, found in parts:
            if form.id in out:
                self.say(
                    "O106",
                    "error",
                    f"the option {form.row['syntax']!r} stands there twice",
                    number,
                    words[0].column,
                    line=line,
                )
                return {}, False
            values = _plain(found)
            out[form.id] = values or True
            if len(values) == 1:
                (out[form.id],) = values.values()
            notes = [v.note for v in found.values.values() if v.note]
            if notes or found.cost:
                message = "; ".join(notes) or f"the option was read as {form.row['syntax']!r}"
                self.say(
                    "O303", "warning", message, number, words[0].column, "write it in full to be sure", line
                )
        return out, True

    def _option_parts(self, matcher: Matcher, at: int) -> list[tuple[OrderForm, Match]] | None:
        if at >= len(matcher.words):
            return []
        for form in self.grammar.options:
            ends: list[Match] = sorted(matcher.match(form.steps, at), key=lambda f: (-f.end, f.cost))
            for found in ends:
                after = found.end
                while after < len(matcher.words) and matcher.words[after].norm in SEPARATORS:
                    after += 1
                if after == found.end and after < len(matcher.words):
                    matcher.fail(after, Fixed(","))
                    continue
                for start in range(after, found.end, -1) if after > found.end else (after,):
                    rest = self._option_parts(
                        matcher, start
                    )  # what separates may be the first word of the next one, too
                    if rest is not None:
                        return [(form, found), *rest]
        return None

    # ---- what is wrong

    def _not_allowed(self, number: int, line: str, words: tuple[Word, ...]) -> bool:
        """Whether a line that is not understood asks for what the rules do not allow at all; then that is
        said."""
        for form in self.grammar.refusals:
            if Matcher(words, self.names).match_all(form.steps):
                self.say(
                    "O113", "error", form.row["says"], number, words[0].column, form.row.get("hint", ""), line
                )
                return True
        return False

    def _not_understood(self, number: int, line: str, matcher: Matcher, words: tuple[Word, ...]) -> None:
        at = matcher.furthest
        fixed = bool(matcher.expected) and all(isinstance(e, Fixed) and e.word for e in matcher.expected)
        if at == 1 and fixed and words[0].norm not in self.grammar.opening_words:
            at = 0  # its first word stands for another, and nothing else bears that out
        wider = [a for a in matcher.ambiguous if a.at >= at or a.end >= at]
        if wider:
            one = max(wider, key=lambda a: (a.at, a.end))
            written = " ".join(w.text for w in words[one.at : one.end])
            names = [self.names.printed(one.kind, i) for i in one.ids]
            start, end = words[one.at].column - 1, words[one.end - 1].end - 1
            meant = [f"{line[:start]}{name}{line[end:]}".strip() for name in names]
            said = f"{written!r} could be {one_of(names)}"
            self.say("O104", "error", said, number, start + 1, "write more of the name", line, meant)
            return
        if at == 0 and words[0].norm in CONDITIONAL:
            said = "no order waits for what others do; say what is done in any case"
            self.say("O101", "error", said, number, words[0].column, "", line)
            return
        if at == 0:
            said = self._unmoved(words) or f"no order begins with {words[0].text!r}"
            self.say("O101", "error", said, number, words[0].column, "", line)
            return
        blank = next((i for i, w in enumerate(words) if w.norm == "<"), None)
        if blank is not None and at <= blank + 1 < len(words):
            slot = words[blank + 1]
            self.say(
                "O102",
                "error",
                f"<{slot.text}> is still to be filled in",
                number,
                words[blank].column,
                "",
                line,
            )
            return
        slots = [s for s in matcher.expected if isinstance(s, Slot)]
        if at >= len(words):
            said = incomplete(matcher.expected, self.names)
            self.say("O102", "error", said, number, words[-1].end, "", line)
            return
        word = words[at]
        rest = _until_fixed(words, at)
        written = " ".join(w.text for w in rest)
        kinds = [s.kind for s in slots if s.kind not in ("number", "text", "units")]
        kinds += ["unit-kind"] if any(s.kind == "units" for s in slots) else []
        guesses = []
        for kind, n in product(kinds, range(len(rest), 0, -1)):
            guesses += self.names.guesses(kind, "".join(w.norm for w in rest[:n]))
        guesses += nearest(word.norm, [c for s in slots for c in s.choices]) if not guesses else []
        code = "O103" if kinds and not word.is_number else "O102"
        named = [kind for kind in kinds if kind in NAMED] if len(kinds) == len(slots) else []
        short = len(written) < NO_GUESS and [s.kind for s in slots] == ["place"]
        hint = "" if short else did_you_mean(one_of(list(dict.fromkeys(guesses))[:3]))
        uncounted = self._uncounted(words)
        self.stranger = "" if uncounted else self._stranger(slots, words, at)
        if uncounted:
            said, hint, guesses = uncounted, "", []
        elif self.stranger:
            code, said = "O103", self.stranger
        elif word.norm.isalpha() and any(s.kind == "number" for s in slots) and self._counts(word):
            said = f"how many? a number is missing before {word.text!r}"
        elif slots and len(slots) == len(matcher.expected) and named and not word.is_number:
            said = unknown(named, written or word.text)
        else:
            said = not_there(matcher.expected, self.names, words, at, written or word.text)
        start, end = word.column - 1, rest[-1].end - 1 if rest else word.end - 1
        named_one = len([s.kind for s in slots if s.kind in NAMED]) == 1 and code == "O103"
        guessed = dict.fromkeys(guesses) if named_one else ()
        self.guessed_kind = kinds[0] if guessed else ""
        meant = [f"{line[:start]}{g}{line[end:]}".strip() for g in guessed]
        self.say(code, "error", said, number, word.column, hint, line, meant[:3])

    def _stranger(self, slots: Sequence[Slot], words: Sequence[Word], at: int) -> str:
        """That nothing goes by a name, where one is wanted from word `at` on and what stands there, or behind
        the word for a place, is the name of nothing of that kind; else an empty text."""
        wanted = [
            "unit-kind" if s.kind == "units" else s.kind
            for s in slots
            if s.kind in NAMED or s.kind == "units"
        ]
        kinds = list(dict.fromkeys(wanted))
        while at < len(words):
            if words[at].norm in SMALL or not words[at].norm.isalnum():
                kinds = ["place"] if words[at].norm in WHERE else kinds
                at += 1
                continue
            run = _until_fixed(words, at)
            if (
                kinds
                and not any(w.is_number for w in run)
                and not any(self._names_one(kinds, w) for w in run)
            ):
                known = any(self._names_one([k], w) for k in NAMED if k not in kinds for w in run)
                return "" if known else unknown(kinds, " ".join(w.text for w in run))
            at, kinds = at + len(run), []
        return ""

    def _names_one(self, kinds: Sequence[str], word: Word) -> bool:
        """Whether a word is a name of one of these kinds or a part of one, or a word of orders."""
        found = any(
            self.names.find(kind, word.norm)
            or self.names.abbreviated(kind, word.norm)
            or self.names.near(kind, word.norm)
            for kind in kinds
        )
        return found or self.names.synonym(word.norm) in self.grammar.opening_words

    def _uncounted(self, words: Sequence[Word]) -> str:
        """That a number is missing, where a line begins as an order of units and has none; else an empty
        text."""
        opening = self.names.synonym(words[0].norm)
        of_units = any(
            opening in (form.first or ())
            and any(slot_of(name, kind).kind == "units" for name, kind in form.row.get("slots", {}).items())
            for form in self.grammar.forms
        )
        if not of_units or any(word.is_number or word.norm in ALL_WORDS for word in words[1:]):
            return ""
        kind = next((w for w in words[1:] if self.names.find("unit-kind", w.norm)), None)
        if kind is not None:
            return f"how many? a number, or `all`, is missing before {kind.text!r}"
        return f"which units, and how many? Say {self.names.kind_words('units')}, or `all`"

    def _unmoved(self, words: Sequence[Word]) -> str:
        """That no units are named, where a line begins with one place and names another; else an empty
        text."""
        slots = chain.from_iterable(form.row.get("slots", {}).items() for form in self.grammar.forms)
        marching = any(slot_of(name, kind).kind == "units" for name, kind in slots)
        tokens, _ = Recognizer(tuple(words), self.names, self.nation or "").tokens()
        places = [token for token in tokens if "place" in token.names]
        small = all(word.norm in SMALL for word in words[: places[0].at]) if places else False
        if not marching or len(places) < 2 or not small:
            return ""
        if any(word.is_number or word.norm in ALL_WORDS for word in words):
            return ""
        return f"which units, and how many? Say {self.names.kind_words('units')}, or `all`"

    def _counts(self, word: Word) -> bool:
        """Whether a word is a kind of unit, or something that can be built."""
        kinds = ("unit-kind", "item")
        return any(self.names.find(k, word.norm) or self.names.abbreviated(k, word.norm) for k in kinds)


def _across(found: Match, words: Sequence[Word]) -> bool:
    """Whether a name goes across an arrow or a dash: `SWE - DEN` is two names, though run together they are a
    third."""
    marks = [w.column for w in words if w.parted]
    return any(v.column < mark < v.end for v in found.values.values() for mark in marks)


def _swallowed(found: Match, words: Sequence[Word], letters: Set[str]) -> bool:
    """Whether a name ends in a letter that stands alone and is a word of orders by itself: `Mar S` is a name
    and a word, though run together it is another name."""
    ends = {v.end for v in found.values.values()}
    starts = {v.column for v in found.values.values()}
    return any(w.norm in letters and w.end in ends and w.column not in starts for w in words)


def _plain(found: Match) -> dict[str, Any]:
    return {name: v.value for name, v in found.values.items()}


def did_you_mean(words: str) -> str:
    """A question about what may have been meant, or an empty text."""
    return f"did you mean {words}?" if words else ""


def _until_fixed(words: Sequence[Word], at: int) -> Sequence[Word]:
    """The words of what looks like one name: up to the next sign or small word of a form."""
    small = {"to", "in", "from", "on", "with", "via", "at", "and", "for", "by", "of", "against"}
    end = at + 1
    while end < len(words) and words[end].norm not in small and words[end].norm.isalnum() and end - at < 5:
        end += 1
    return words[at:end]
