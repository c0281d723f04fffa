"""A line of orders: one order (`line_parser.py`), or several between commas, under a title or after one verb.

`LineReader.nearest` says what a line that is not understood may have meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..core.diagnostics import Diagnostic
from ..core.words import joined, misspelled, slips, split
from ..ruleset.order_syntax import fixed_words, slots_in
from ..units.fleet import makes_one
from . import fuzzy
from .kinds import order_kinds
from .line_parser import LineAttempt, Order, OrderReader
from .match import NUMBERS, Matcher, is_every
from .movement import TARGET, UNITS
from .plain import plainly, strip_comment
from .tokens import MOST_WORDS, PASSED, Recognizer

MOST_PARTS = 12
"""Parts of a line that are tried as orders of their own."""
_DENIED = re.compile(r"\b(?:no|not|never|nothing|neither|nor|cannot|(?:do|wo)n['’]?t)\b", re.IGNORECASE)
"""Words of a line that says what somebody does not order."""
_UNDONE = re.compile(
    r"\b(?:do|does|will|wo|should|must|can)(?: not|n['’]?t)\b|\bcannot\b|\bnever\b", re.IGNORECASE
)
"""Words of a line that denies what it says altogether."""
_ATTACKED = re.compile(r"\b(?:attacked|assaulted|invaded)\b", re.IGNORECASE)
_CONDITION = re.compile(
    rf"{_ATTACKED.pattern}|\b(?:if|when(?:ever)?|should|once|in case|then)\b"
    r"|\b(?:it|they|we|is|are|be|being|gets?|units?)\b",
    re.IGNORECASE,
)
"""Words of `if it is attacked`."""
_SHARE = re.compile(
    r"\b(?:half|most|part|third|quarter) of\b|\bthe rest\b|\bexcept\b|\ball but\b", re.IGNORECASE
)
"""Words for a share of units, which no order can say."""
GOING = frozenset({"to", "into", "onto"})
"""Small words that say where somebody goes."""
_HEADING = re.compile(
    r"\W*(?P<title>[^\W\d_]+(?: +[^\W\d_]+)?) *(?:#|no\.? *)?(?P<number>\d{1,2})\s*(?::|(?=\())",
    re.IGNORECASE,
)
"""A title with a number before an order: `Force 2: ...`, `Force 2 (3 ships): ...`."""
_SLASH = re.compile(r"(?<=[^\W\d])\s*/\s*(?=[^\W\d])")
"""A stroke between two names, which may be an arrow."""
_SEMICOLON = re.compile(";")
_PART = re.compile(r"\s*(?:;|,|\band\b|&|\+|\.(?=\s|$))\s*", re.IGNORECASE)


class LineReader(OrderReader):
    """Reads lines by the grammar of a ruleset."""

    proposable: Callable[[str, Mapping[str, Any]], bool] | None = None
    """Whether an order ("form/id") with these slots may be proposed to the nation; None: any."""
    foreign: Callable[[str], bool] = staticmethod(lambda _: False)
    """Whether a place is held by a nation that is neither the player's nor an ally."""

    def freely(self, number: int, line: str) -> LineAttempt | None:
        """A line in words of its own: one order, or several; None if nothing whole is made of it."""
        bare = strip_comment(line)
        title, colon, rest = bare.partition(":")
        if colon and self.nation and self.names.find("nation", joined(title)) == (self.nation,):
            own = " " * (len(title) + 1) + rest  # whose order it is, said once more
            read = self.word_for_word(number, own)
            return read if read.orders else self.freely(number, own)
        plain_ones = [plainly(bare), _SLASH.sub(" to ", plainly(bare))]
        if colon and rest.strip() and not self.word_for_word(number, title).orders:
            plain_ones.append(plainly(f"{title} {rest}"))
        for plain in dict.fromkeys(plain_ones):
            if split(plain) != split(bare) and (read := self.word_for_word(number, plain)).orders:
                for order in read.orders:
                    order.setdefault("mended", self._written(order))
                return read
        literal = self._literally(number, bare)
        if literal is not None:
            return literal
        if len(split(bare)) > MOST_WORDS:
            return self._several(number, bare, ";")
        if colon and self.names.synonym(joined(title)) in self.grammar.verbs:
            plain = f"{title} {rest}"
            read = self.word_for_word(number, plain)
            several = read if read.orders else self._several(number, plain, ",")
            if several is not None:
                for order in several.orders:
                    order.setdefault("mended", self._written(order))
                return several
        found = (
            self._several(number, bare, ";")
            or self.one_freely(number, bare)
            or self._several(number, bare, ",")
        )
        return found or self._under(number, bare) or self._counted(number, bare)

    def heading(self, bare: str) -> tuple[int, int] | None:
        """Where the heading of a force ends that a line begins with (`Force 2: ...`), and its number; None if
        there is none."""
        found = _HEADING.match(bare)
        if found is None or not self._has_forces:
            return None
        words = {w.norm for w in split(found["title"])}
        own = {w for form in (*self.grammar.forms, *self.grammar.options) for w in fixed_words(form.pattern)}
        return (found.end(), int(found["number"])) if words <= own else None

    @cached_property
    def _has_forces(self) -> bool:
        """Whether some orders make forces that are numbered as they are listed."""
        shapes = ({"order": f.key, "slots": f.row.get("slots", {})} for f in self.grammar.forms)
        return any(makes_one(self.ruleset, shape) for shape in shapes)

    def partly(self, number: int, line: str) -> LineAttempt | None:
        """A line of several orders of which some name what nobody knows: the others, and a finding for each
        of these; None if it is not so. Units that are sent somewhere together are never parted by it."""
        bare = strip_comment(line)
        spans = _between(bare, _SEMICOLON if ";" in bare else _PART)
        spans = [(a, b) for a, b in spans if bare[a:b].strip()]
        if not 2 <= len(spans) <= MOST_PARTS:
            return None
        orders: list[Order] = []
        found: list[Diagnostic] = []
        verb, unread = "", 0
        for start, end in spans:
            part = bare[start:end]
            own = self._verb(part)
            text = part if own or not verb else f"{verb} {part.strip()}"
            one = self._part(number, text, ",")
            if one is not None:
                orders += one.orders
                found += one.found
            else:
                goes_on = bool(orders) and not own and self._goes_on(orders[-1], part)
                together = goes_on or (bool(orders) and not own and UNITS in orders[-1]["slots"])
                wrong = self.word_for_word(number, text).found
                if together or not wrong or not self.stranger:
                    return None
                unread += 1
                instead = (*wrong[0].instead, *self.nearest(text))
                found.append(replace(wrong[0], column=start + 1, source_line=line, instead=instead))
            verb = own or verb
        return LineAttempt(orders, found) if orders and unread else None

    def _goes_on(self, order: Order, part: str) -> bool:
        """Whether what stands behind an order begins with words that its own form goes on with."""
        words = split(part)
        form = next((f for f in self.grammar.forms if f.key == order["order"]), None)
        if not words or form is None:
            return False
        return words[0].norm in set(fixed_words(form.pattern)) - (form.first or frozenset())

    def unsayable(self, line: str) -> str:
        """What a line asks for that no order can say, in words; else an empty text."""
        bare = strip_comment(line)
        if _UNDONE.search(bare):
            return "no order says what is not done; leave the line out"
        return "no order speaks of a share; say how many" if _SHARE.search(bare) else ""

    def in_case(self, line: str) -> list[str]:
        """What a line comes nearest to that says what is done in one place in case of an attack on it: orders
        that name nothing but places, and all that it names."""
        bare = strip_comment(line)
        if not _ATTACKED.search(bare) or _DENIED.search(bare):
            return []
        readings = self._nearest(_CONDITION.sub(" ", bare), 12)
        whole = (r for r in readings if len(r.values) > 1 and not (r.left_over or r.missing))
        stays = (r for r in whole if self._stays(r))
        return list(dict.fromkeys(fuzzy.written(r, self.names) for r in stays))

    def _stays(self, reading: fuzzy.FuzzyReading) -> bool:
        """Whether an order names nothing but places, the first of them one in which the nation stands."""
        slots, state = list(slots_in(reading.form.pattern)), self.names.state
        first = next((reading.values.get(s.name) for s in slots), None)
        stands = state is None or any(row["owner"] == self.nation for _, row in state.stacks(at=str(first)))
        return all(s.kind == "place" for s in slots) and stands

    # ---- several orders

    def _literally(self, number: int, bare: str) -> LineAttempt | None:
        """Several orders in one line, each whole by itself: between marks, or one right after the other."""
        spans = [(a, b) for a, b in _between(bare, _PART) if bare[a:b].strip()]
        if len(spans) < 2:
            spans = self._one_after_the_other(bare)
        if not 2 <= len(spans) <= MOST_WORDS:
            return None
        orders: list[Order] = []
        found: list[Diagnostic] = []
        for start, end in spans:
            one = self.word_for_word(number, " " * start + bare[start:end])
            if not one.orders:
                return None
            orders += one.orders
            found += one.found
        return LineAttempt(orders, found)

    def _one_after_the_other(self, bare: str) -> list[tuple[int, int]]:
        """Where the orders of a line begin and end that stand one behind the other with nothing between them;
        none if it is not so."""
        words = split(bare)
        matcher = Matcher(words, self.names)
        dead: set[int] = set()

        def rest(at: int) -> list[int] | None:
            if at == len(words):
                return []
            if at in dead or (at and words[at].parted):
                return None  # nothing begins behind an arrow
            begun = self.grammar.begun_by(frozenset((words[at].norm, self.names.synonym(words[at].norm))))
            ends = {m.end for form in begun for m in matcher.match(form.steps, at) if m.end > at}
            for end in sorted(ends):
                if (behind := rest(end)) is not None:
                    return [end, *behind]
            dead.add(at)
            return None

        if not words or len(words) > MOST_WORDS or any(w.norm in (":", "?") for w in words):
            return []
        ends = rest(0)
        if not ends:
            return []
        starts = [0, *ends[:-1]]
        return [(words[a].column - 1, words[b - 1].end - 1) for a, b in zip(starts, ends, strict=True)]

    def _several(self, number: int, bare: str, mark: str) -> LineAttempt | None:
        """Several orders in one line: each part an order of its own, or one more with the verb of the one
        before."""
        if mark not in bare and not (mark == "," and _PART.search(bare)):
            return None
        spans = _between(bare, _SEMICOLON if mark == ";" else _PART)
        spans = [(a, b) for a, b in spans if bare[a:b].strip()]
        if not 2 <= len(spans) <= (MOST_PARTS if mark == "," else 100):
            return None
        last = bare[slice(*spans[-1])]
        ends = self._ends(last) if mark == "," else []
        found = None
        if ends and self._goes_for_all(bare, spans):  # `2 from Home and 3 from Port to Hill`: both go there
            found = self._parted(number, bare, spans, "", mark, shared=ends[0])
        found = found or self._parted(number, bare, spans, "", mark)
        for end in ends:
            found = found or self._parted(number, bare, spans, "", mark, shared=end)
        return found

    def _ends(self, part: str) -> list[str]:
        """What may end the last part of a line and be meant for all of them, the shortest first: from a small
        word, an arrow or a verb on."""
        ends = []
        for word in reversed(split(part)[1:]):
            begins = word.norm in fuzzy.SAME or self.names.synonym(word.norm) in self.grammar.verbs
            if begins or word.parted:
                ends.append(("to " if word.parted else "") + part[word.column - 1 :])
        return ends

    def _goes_for_all(self, bare: str, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether only the last part of a line says where somebody goes, and none but the first begins with a
        verb of its own."""
        parts = [bare[a:b] for a, b in spans]
        going = [any(w.norm in GOING or w.parted for w in split(part)) for part in parts]
        return going[-1] and not any(going[:-1]) and not any(self._verb(part) for part in parts[1:])

    def _under(self, number: int, bare: str) -> LineAttempt | None:
        """Several orders under a title that is part of each: `Home: build 2 guns, 1 car`, `Home: 2 guns to
        Port`."""
        title, colon, _ = bare.partition(":")
        if not colon or not title.strip():
            return None
        spans = _between(bare, _PART, len(title) + 1)
        if not 2 <= len(spans) <= MOST_PARTS:
            return None
        return self._parted(number, bare, spans, "", ":", title=title)

    def _counted(self, number: int, bare: str) -> LineAttempt | None:
        """Several of the same with nothing between them: a verb, and more than one number."""
        spans = _counted_spans(bare)
        if not 2 <= len(spans) <= MOST_PARTS or not self._verb(bare):
            return None
        return self._parted(number, bare, spans, "", ",")

    def _parted(
        self,
        number: int,
        bare: str,
        spans: Sequence[tuple[int, int]],
        verb: str,
        mark: str,
        before: Order | None = None,
        shared: str = "",
        title: str = "",
    ) -> LineAttempt | None:
        """The parts from here on as orders, with as little to each as makes it whole; None if something is
        left over.

        A part may have the `verb` of the one before, go where that went, be of the same kind, or end as the
        last does (`shared`), which it does first where the line says so. A `title` stands before each.
        """
        if not spans:
            return LineAttempt([], [])
        for many in range(1, len(spans) + 1):
            start, end = spans[0][0], spans[many - 1][1]
            if mark == "," and before is None and not verb and many == len(spans):
                return None  # that is the line itself
            part = title.ljust(start) + bare[start:end]
            found = None
            if shared and many < len(spans):
                found = self._part(number, f"{verb} {bare[start:end]} {shared}", mark)
            if found is None and verb and not title and not self._verb(part):
                # what goes on as it began is no guess
                goes_on = self.word_for_word(number, f"{verb} {bare[start:end]}")
                found = goes_on if goes_on.orders else None
            found = found or self._part(number, part, mark)
            for begun in dict.fromkeys((verb, verb.partition(" ")[0])) if found is None and verb else ():
                found = found or self._part(number, f"{begun} {title} {bare[start:end]}", mark)
            for text in (
                self._like(before, verb, bare[start:end]) if found is None and before is not None else ()
            ):
                found = found or self._part(number, text, mark)
            if found is None:
                continue
            verb_now = self._verb(bare[start:end]) or verb
            rest = self._parted(number, bare, spans[many:], verb_now, mark, found.orders[-1], shared, title)
            if rest is not None:
                return LineAttempt([*found.orders, *rest.orders], [*found.found, *rest.found])
        return None

    def _like(self, before: Order, verb: str, text: str) -> Iterator[str]:
        """A part with what it may have of the order before it: where that goes, or the kind that it
        counts."""
        went = before["slots"].get(TARGET)
        if isinstance(went, str) and went in self.ruleset.rows("places"):
            yield f"{text} to {self.names.printed('place', went)}"
        units = before["slots"].get(UNITS)
        kinds = (
            {"unit-kind": units}
            if isinstance(units, dict) and len(units) == 1
            else {"item": [before["slots"].get("item")]}
        )
        first, _, rest = text.strip().partition(" ")
        count = int(first) if first.isdecimal() and len(first) < 9 else NUMBERS.get(first.casefold())
        for kind, ids in kinds.items():
            for id_ in ids if count is not None and verb else ():
                if isinstance(id_, str):
                    yield f"{verb} {count} {self.names.printed(kind, id_, count or 0)} {rest}"

    def _part(self, number: int, text: str, mark: str) -> LineAttempt | None:
        if not split(text):
            return None
        found = self.word_for_word(number, text)
        if found.orders:
            return found
        one = self.one_freely(number, text)
        return one or (self._several(number, text, ",") if mark == ";" else None)

    # ---- what a line holds

    def _verb(self, text: str) -> str:
        """The words that a part begins with, before anything is named or counted."""
        words = split(text)
        while words and words[0].norm in PASSED:
            words = words[1:]
        tokens, _ = Recognizer(words, self.names, self.nation or "").tokens()
        if not words or self.names.synonym(words[0].norm) not in self.grammar.verbs:
            return ""
        end = next((t.at for t in tokens if t.at > 0), 1)
        return " ".join(w.text for w in words[: max(1, end)])

    def nearest(self, line: str, count: int = 6) -> list[str]:
        """The orders that come nearest to a line, filled in as far as it goes; a question mark where
        something is missing."""
        bare = strip_comment(line)
        if _DENIED.search(bare) or _SHARE.search(bare):
            return []  # neither what somebody does not want is proposed to them, nor all for a part
        title, colon, text = bare.partition(":")
        if colon and (words := split(title)) and len(words) < 4 and self.names_nothing(words):
            bare = text
        readings = self._nearest(bare, 3 * count)
        if (
            not readings or len(readings[0].values) < 2 or readings[0].left_over or readings[0].wanting
        ):  # perhaps there are several in it
            texts = [part for part in _PART.split(bare) if part.strip()]
            texts = texts if len(texts) > 1 else [bare[slice(*span)] for span in _counted_spans(bare)]
            parts = [self._nearest(text, 3) for text in texts]
            fit = (part and part[0].values and not (part[0].left_over or part[0].missing) for part in parts)
            if len(parts) > 1 and all(fit):
                readings = [part[0] for part in parts]
        return list(dict.fromkeys(fuzzy.written(r, self.names) for r in readings if self._is_meant(r, bare)))[
            :count
        ]

    def _is_meant(self, reading: fuzzy.FuzzyReading, line: str) -> bool:
        """Whether a reading may be proposed: never half of what was named, and a war, or what is done where a
        nation that is no ally is at home, only if the line names all of it and nothing
        is left unexplained."""
        if reading.dropped > len(reading.missing):
            return False
        if not reading.missing and self._counts_a_stranger(line, fuzzy.written(reading, self.names)):
            return False
        if self._concerns_others(reading):
            war = order_kinds(self.ruleset)[reading.form.key].begins_war
            return not reading.left_over and not (war and reading.missing)
        return not reading.left_over or bool(self._verb(line) or reading.values or not reading.missing)

    def _counts_a_stranger(self, line: str, proposed: str) -> bool:
        """Whether a line counts something that nobody knows and that is not in what is proposed for it, as in
        `6 guards and 2 wombats`."""
        words = split(plainly(line))[:MOST_WORDS]
        _, unknown = Recognizer(words, self.names, self.nation or "", True).tokens()
        own = {w.norm for w in split(proposed)}
        counted = (words[at].norm for at in unknown if at and words[at - 1].is_number)
        return any(own.isdisjoint((word, word.removesuffix("s"))) for word in counted)

    def _concerns_others(self, reading: fuzzy.FuzzyReading) -> bool:
        """Whether an order begins a war, or names a place that is held by a nation that is no ally."""
        state = self.names.state
        if order_kinds(self.ruleset)[reading.form.key].begins_war:
            return True
        for slot in slots_in(reading.form.pattern):
            value = reading.values.get(slot.name)
            for id_ in value if isinstance(value, list) else [value]:
                if slot.kind == "place" and state is not None and id_ is not None and self.foreign(str(id_)):
                    return True
        return False

    def _nearest(self, text: str, count: int) -> list[fuzzy.FuzzyReading]:
        words = split(plainly(text))
        line = fuzzy.WordLine(words[:MOST_WORDS], self.names, self.grammar, self.nation or "", True, True)
        return line.nearest(count, self._may_be_proposed)

    def _may_be_proposed(self, reading: fuzzy.FuzzyReading) -> bool:
        """Whether an order may be proposed to the nation: a war, only where nothing is left unexplained."""
        if reading.left_over and order_kinds(self.ruleset)[reading.form.key].begins_war:
            return False
        return self.proposable is None or self.proposable(reading.form.key, reading.values)

    def names_something(self, line: str) -> int:
        """How much of a line is of a game: its things, counted units, and whether it begins like an order."""
        words = split(strip_comment(line))[:MOST_WORDS]
        if not words:
            return 0
        tokens, _ = Recognizer(words, self.names, self.nation or "").tokens()
        first = self.names.synonym(words[0].norm)
        most = slips(len(first) + 1)
        begins = first in self.grammar.opening_words or any(
            most and len(word) > 3 and misspelled(first, word, most) is not None
            for word in self.grammar.opening_words
        )
        counted = any(t.units and not is_every(t.units) for t in tokens)
        return sum(bool(t.names) for t in tokens) + 2 * begins + 2 * counted


def _between(bare: str, mark: re.Pattern[str], start: int = 0) -> list[tuple[int, int]]:
    """Where the parts of a line between marks begin and end, from a column on; some may be empty."""
    marks = list(mark.finditer(bare, start))
    return list(
        zip([start, *(m.end() for m in marks)], [*(m.start() for m in marks), len(bare)], strict=True)
    )


def _counted_spans(bare: str) -> list[tuple[int, int]]:
    """A line in parts, each with one number."""
    starts = [w.column - 1 for w in split(bare) if w.is_number][1:]
    return list(zip([0, *starts], [*starts, len(bare)], strict=True))
