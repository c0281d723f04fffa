"""Lines that follow no form word for word: the forms whose slots are filled by what is recognized in them
(`tokens.py`).

Things are found by their names, numbers beside kinds of units, words of forms anywhere in the line. A form is
read when all of its own words stand there (a line of units, origin and destination needs none), every slot
that it must have is filled by something that can stand there, small words and their order permitting, and
nothing is left over. `Reading.guessed` names the slots whose names were not written as they are;
`nearest_forms` are the forms that come nearest to a line, filled in as far as they go. Nothing is decided
here about what an order may do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any, NamedTuple

from ..core.choices import as_slot
from ..core.words import Word, misspelled, slips
from ..ruleset.order_syntax import Either, Fixed, Pattern, Slot, slots_in
from .grammar import Grammar, OrderForm, shortest
from .match import ALL, is_every
from .names import Names
from .tokens import MOST_WORDS, SMALL, Recognizer, Token

OF_ANY = ("of", "on", "in", "into", "at", "with", "to", "for", "against", "from")
"""Small words that may stand before a thing in a slot that the form has no small word for."""
SAME: dict[str, frozenset[str]] = {
    "from": frozenset({"from", "at", "in", "of", "leaving"}),
    "to": frozenset({"to", "into", "onto", "toward", "towards", "for", "against", "on"}),
    "in": frozenset({"in", "at", "on", "for", "near", "of", "to", "over", "around"}),
    "at": frozenset({"at", "in", "on", "against"}),
    "on": frozenset({"on", "against", "at", "in", "to"}),
    "with": frozenset({"with", "using", "by"}),
    "by": frozenset({"by", "with", "using"}),
    "via": frozenset({"via", "through", "over", "by", "of"}),
    "facing": frozenset({"facing", "against", "toward", "towards", "to", "at", "vs"}),
    "against": frozenset({"against", "of", "from", "on", "toward", "towards", "vs"}),
    "toward": frozenset({"toward", "towards", "to"}),
    "of": frozenset({"of", "in", "from", "at"}),
    "over": frozenset({"over", "in", "above", "at"}),
}
"""What may be written in the place of a small word of a form."""
MOST_WAYS = 96
"""Ways to write one form that are looked at."""
MOST_TRIED = 3_000
"""Assignments of one form's slots that are looked at."""


@dataclass(frozen=True)
class FuzzyReading:
    """A form with its slots filled from a line: what was missing or left over, and how much was set right."""

    form: OrderForm
    values: dict[str, Any]
    cost: int
    missing: tuple[str, ...] = ()
    left_over: int = 0
    dropped: int = 0
    """How much of what is left over is known: things and units that the reading has no place for."""
    guessed: tuple[str, ...] = ()
    words: int = 0
    """How many of the form's own words stand in the line."""
    wanting: int = 0
    """How many do not."""
    opens: bool = False
    """Whether the line begins with one of them."""

    @property
    def whole(self) -> bool:
        """Whether nothing is missing or left over."""
        return not (self.missing or self.left_over or self.wanting)


# ---- forms as they can be written


class _Slot(NamedTuple):
    slot: Slot
    role: str
    optional: bool


@dataclass(frozen=True)
class _Way:
    """One way to write a form: its own words, each with its alternatives, and its slots in order."""

    form: OrderForm
    keys: tuple[tuple[str, ...], ...]
    slots: tuple[_Slot, ...]
    more: frozenset[str] = frozenset()
    """Words of its own that may be left out."""
    subject: bool = False
    """Whether a place stands before its first word: whoever is there does what the word says."""

    @cached_property
    def carries(self) -> bool:
        """Whether it is an order of units from one place to another, and asks for nothing else."""
        needed = {s.slot.name for s in self.slots if not s.optional}
        return (
            self.destination is not None
            and self.origin is not None
            and needed <= {self.units, self.origin, self.destination}
        )

    @cached_property
    def units(self) -> str | None:
        """The slot of those who go."""
        return next((s.slot.name for s in self.slots if s.slot.kind == "units" and not s.optional), None)

    @cached_property
    def of_units(self) -> bool:
        """Whether it says which units; an order of one unit need not say of which kind it is."""
        return any(s.slot.kind == "units" for s in self.slots)

    def standing_at(self, place: _Slot, values: dict[str, Any]) -> dict[str, Any] | None:
        """The units of a line that stand in the place of a slot: those whose slot says so (`at`), else, where
        somebody goes from, the first."""
        declared = self.form.row.get("slots", {})
        for name, value in values.items():
            if isinstance(value, dict) and as_slot(declared.get(name)).get("at") == place.slot.name:
                return value
        return (
            next((v for v in values.values() if isinstance(v, dict)), None) if place.role == "from" else None
        )

    @cached_property
    def origin(self) -> str | None:
        """The slot of where they go from."""
        return self._place("from")

    @cached_property
    def destination(self) -> str | None:
        """The slot of where they go to."""
        return self._place("to")

    def _place(self, role: str) -> str | None:
        return next((s.slot.name for s in self.slots if s.slot.kind == "place" and s.role == role), None)


def _ways(form: OrderForm) -> tuple[_Way, ...]:
    out: dict[Any, _Way] = {}
    for parts in _flattened(form.pattern):
        keys: list[tuple[str, ...]] = []
        slots: list[_Slot] = []
        more: set[str] = set()
        role = ""
        subject = False
        for part, optional in parts:
            if isinstance(part, Fixed):
                if part.word in SMALL:
                    role = part.word
                elif not optional and part.word.isalnum():
                    keys.append((part.word,))
                    role = ""
                else:
                    more.add(part.word)
            else:
                slots.append(_Slot(part, role, optional or part.optional))
                subject = subject or (part.kind == "place" and not keys)
                role = role if optional or part.optional else ""  # it may be what stands behind that
        way = _Way(form, tuple(keys), tuple(slots), frozenset(more), subject and bool(keys))
        same = out.get((way.keys, way.slots))
        out[way.keys, way.slots] = way if same is None else replace(same, more=same.more | way.more)
        if len(out) >= MOST_WAYS:
            break
    return tuple(out.values())


def _flattened(pattern: Pattern, optional: bool = False) -> Iterator[tuple[tuple[Fixed | Slot, bool], ...]]:
    """A pattern without branches: each alternative with slots or words of its own is a way; optional parts
    stay, marked."""
    choices: list[list[tuple[tuple[Fixed | Slot, bool], ...]]] = []
    for node in pattern:
        if isinstance(node, Either):
            ways = [way for way in node.ways if way]
            empty = len(ways) < len(node.ways)
            choices.append([flat for way in ways for flat in _flattened(way, optional or empty)])
            if empty and len(ways) > 1:
                choices[-1].append(())
        else:
            choices.append([((node, optional),)])
    for picked in product(*choices):
        yield tuple(part for parts in picked for part in parts)


# ---- a line


@dataclass
class WordLine:
    """A line of words and what is recognized in it. With `loose` names may be misspelled."""

    words: tuple[Word, ...]
    names: Names
    grammar: Grammar
    nation: str = ""
    loose: bool = False
    generous: bool = False
    """Whether kinds of units without a number stand for all of them: only for what is proposed."""

    def __post_init__(self) -> None:
        self._recognizer = Recognizer(self.words, self.names, self.nation, self.loose, self.generous)
        self._spelled = [(self.names.synonym(word.norm), word.norm) for word in self.words]
        self._alike: dict[tuple[str, str], bool] = {}

    def readings(self) -> list[FuzzyReading]:
        """The whole readings that need the least, the best first; of orders of units without a verb all, in
        their order."""
        if not self.words or len(self.words) > MOST_WORDS:
            return []
        found = [r for r in self._all(verbless=False) if r.whole]
        if not found:
            found = [r for r in self._all(verbless=True) if r.whole]
            return found
        least = min(r.cost for r in found)
        return [r for r in found if r.cost == least]

    def nearest(self, count: int, keep: Callable[[FuzzyReading], bool]) -> list[FuzzyReading]:
        """The forms that come nearest of those to be kept, whole or not, each once; none if nothing of any
        form was recognized."""
        if not self.words or len(self.words) > MOST_WORDS:
            return []
        best: dict[str, FuzzyReading] = {}
        for reading in (*self._all(verbless=False, partly=True), *self._all(verbless=True, partly=True)):
            if reading.form.key not in best or _better(reading, best[reading.form.key]):
                best[reading.form.key] = reading
        some = (r for r in best.values() if (r.words or _tells(r)) and keep(r))
        ranked = sorted(some, key=_rank, reverse=True)
        return [r for r in ranked if _rank(r) >= _rank(ranked[0]) - 3][:count]

    def _all(self, *, verbless: bool, partly: bool = False) -> Iterator[FuzzyReading]:
        for way in self._candidates(verbless, partly):
            found = self._filled(way, verbless, partly)
            if found is not None:
                yield found

    def _candidates(self, verbless: bool, partly: bool) -> Iterator[_Way]:
        here = set(chain.from_iterable(self._spelled))
        bare = any(f.row.get("bare") for f in self.grammar.forms)
        for way in ways_of(self.grammar):
            if verbless:
                if way.carries and (way.form.row.get("bare") or not bare):
                    yield way
                continue
            present = sum(any(self._same(k, w) for k in key for w in here) for key in way.keys)
            if present == len(way.keys) or (partly and (present or len(way.keys) == 1)):
                yield way

    def _same(self, own: str, word: str) -> bool:
        """Whether a word of a line is a word of a form; with small slips, if these are forgiven."""
        alike = self._alike.get((own, word))
        if alike is None:
            alike = self._alike[own, word] = self._compared(own, word)
        return alike

    def _compared(self, own: str, word: str) -> bool:
        if (
            own == word
            or not self.loose
            or len(own) < 4
            or word in self.grammar.opening_words
            or self.names.together(word)
        ):
            return own == word
        return misspelled(word, own, slips(len(word) + 1)) is not None

    def _filled(self, way: _Way, verbless: bool, partly: bool) -> FuzzyReading | None:
        used: set[int] = set()
        wanting = 0
        for key in () if verbless else way.keys:
            free = [i for i in range(len(self.words)) if i not in used]
            at = next(
                (i for i in free if any(self._same(k, w) for k in key for w in self._spelled[i])),
                None,
            )
            if at is None:
                wanting += 1
            else:
                used.add(at)
        matched = len(used)
        verb = min(used, default=None)
        if verb and self.words[verb - 1].norm in SMALL:
            verb = None  # a thing that is called like an order
        chosen = self._chosen(way, used)
        tokens, unknown = self._recognizer.tokens(frozenset(used))
        if way.subject and verb == 0 and sum("place" in t.names for t in tokens) > 1 and not partly:
            return None  # `helps Home Port`: nobody knows who helps whom
        told = [_as_a_chain(way, tokens) for tokens in _as_the_verb_stands(way, tokens, verb)]
        over = sum(way.more.isdisjoint(self._spelled[i]) for i in unknown)
        best: FuzzyReading | None = None
        ways = chain.from_iterable(_assigned(way, tokens, partly) for tokens in told)
        for found, cost, left, dropped, guessed in ways:
            values = {**found, **chosen}
            missing = [
                s
                for s in way.slots
                if s.slot.name not in values
                and (not s.optional or (verbless and s.slot.name == way.destination))
            ]
            if len(missing) == 1 and (only := self._only_place(way, missing[0], values)):
                values, missing, cost = {**values, missing[0].slot.name: only}, [], cost + 2
            names = tuple(s.slot.name for s in missing)
            if way.origin in values and not self._stand_there(str(values[way.origin])):
                cost += 4
                if way.destination is not None and way.destination not in values:
                    names = (*names, way.destination)  # the one place that is named is rather where they go
            reading = FuzzyReading(
                way.form,
                values,
                cost + (3 if verbless else 0),
                names,
                left + over,
                dropped,
                guessed,
                matched,
                wanting,
                bool(matched) and verb == 0,
            )
            if not partly and not reading.whole:
                continue
            if best is None or _better(reading, best):
                best = reading
        return best

    def _chosen(self, way: _Way, used: set[int]) -> dict[str, Any]:
        """What is chosen of the words that some slots offer, several in the order of the line; the words are
        used up."""
        out: dict[str, Any] = {}
        for one in way.slots:
            for at in range(len(self.words) if one.slot.choices else 0):
                end, choice = next(self.names.choices(one.slot.choices, self.words, at), (at, ""))
                if end == at or not used.isdisjoint(range(at, end)):
                    continue
                used.update(range(at, end))
                if not one.slot.many:
                    out[one.slot.name] = choice
                    break
                out.setdefault(one.slot.name, []).append(choice)
        return out

    def _stand_there(self, place: str) -> bool:
        """Whether the nation has anybody in a place, as far as that is known."""
        state = self.names.state
        return state is None or any(row["owner"] == self.nation for _, row in state.stacks(at=place))

    def _only_place(self, way: _Way, one: _Slot, values: dict[str, Any]) -> str:
        """Where the units that a line names stand, if it does not say so and the nation has so many in one
        place only."""
        wanted = way.standing_at(one, values)
        state = self.names.state
        if one.slot.kind != "place" or state is None or not wanted or is_every(wanted):
            return ""
        there: dict[str, dict[str, int]] = {}
        for _, row in state.stacks(owner=self.nation):
            here = there.setdefault(str(row["place"]), {})
            here[str(row["kind"])] = here.get(str(row["kind"]), 0) + int(row["n"])
        places = [
            p
            for p, has in there.items()
            if all(has.get(k, 0) >= (1 if n == ALL else n) for k, n in wanted.items())
        ]
        return places[0] if len(places) == 1 and places[0] not in values.values() else ""


def ways_of(grammar: Grammar) -> tuple[_Way, ...]:
    """Every way to write every form, made once for a grammar."""
    found: tuple[_Way, ...] | None = grammar.__dict__.get("_ways")
    if found is None:
        found = tuple(way for form in grammar.forms for way in _ways(form))
        grammar.__dict__["_ways"] = found
    return found


def _better(one: FuzzyReading, other: FuzzyReading) -> bool:
    """Whether one of two readings of a form is nearer to what was written: a whole one before others, then
    the least mended."""
    if one.whole != other.whole:
        return one.whole
    return one.cost < other.cost if one.whole else _rank(one) > _rank(other)


def _tells(reading: FuzzyReading) -> bool:
    """Whether a reading without a word of its form has enough in it to be proposed: something counted, and
    where."""
    if not (reading.left_over or reading.missing):
        return bool(reading.values)
    kinds = {s.kind for s in slots_in(reading.form.pattern) if s.name in reading.values}
    return len(reading.values) > 1 and bool(
        kinds & {"units", "item", "resource", "number"} or not reading.wanting
    )


def _rank(reading: FuzzyReading) -> int:
    filled = len(reading.values)
    return (
        4 * reading.words
        + 3 * (reading.opens and not reading.left_over)
        + 3 * filled
        - 3 * len(reading.missing)
        - 2 * reading.left_over
        - 3 * reading.wanting
        - reading.cost
    )


# ---- where places stand in a line


def _as_the_verb_stands(way: _Way, tokens: list[Token], verb: int | None) -> list[list[Token]]:
    """Places without a small word on both sides of the verb: before it stands where somebody comes from, as
    in `Home attacks Port`. Right behind a verb whose units stand after `with` may be where they go, as in
    `attack Port Home 2 guns`."""
    if verb is None or way.origin is None or any(t.before == "from" for t in tokens):
        return [tokens]
    bare = [i for i, t in enumerate(tokens) if "place" in t.names and not t.before]
    before = [i for i in bare if tokens[i].at < verb]
    behind = [i for i in bare if tokens[i].at > verb]
    out = list(tokens)
    if len(before) == 1 and any("place" in t.names and t.at > verb for t in tokens):
        out[before[0]] = tokens[before[0]]._replace(before="from")
    elif not before and len(behind) == 2 and way.slots[0].role == "with" and tokens[behind[0]].at == verb + 1:
        out[behind[0]] = tokens[behind[0]]._replace(before="to")
        out[behind[1]] = tokens[behind[1]]._replace(before="from")
        return [out, tokens]
    return [out]


def _as_a_chain(way: _Way, tokens: list[Token]) -> list[Token]:
    """Places one behind the other, with nothing or arrows between them, as the way of somebody who goes
    there: the first is where they come from, the last where they go to, what is between lies on the way."""
    over = next((s.role for s in way.slots if s.slot.kind == "place" and s.slot.many), None)
    places = [i for i, t in enumerate(tokens) if "place" in t.names]
    if over is None or way.origin is None or way.destination is None or len(places) < 3:
        return tokens
    first, *between, last = places
    in_a_row = places == list(range(first, last + 1))
    along = all(tokens[i].before in ("", "to", "into") and not tokens[i].joined for i in (*between, last))
    if not in_a_row or not along or tokens[first].before not in ("", *SAME["from"]):
        return tokens
    out = list(tokens)
    for i, role in ((first, "from"), *((i, over) for i in between), (last, "to")):
        out[i] = tokens[i]._replace(before=role)
    return out


# ---- slots


def _assigned(
    way: _Way, tokens: Sequence[Token], partly: bool
) -> Iterator[tuple[dict[str, Any], int, int, int, tuple[str, ...]]]:
    """Ways to put what was recognized into the slots: the values, their cost, how many things are left, how
    many of these are no bare numbers, and guessed slots."""
    tried = 0
    told = any(t.before == "from" and "place" in t.names for t in tokens)

    def go_on(
        at: int,
        values: dict[str, Any],
        last: dict[str, int],
        cost: int,
        left: int,
        dropped: int,
        guessed: tuple[str, ...],
    ) -> Iterator[Any]:
        nonlocal tried
        tried += 1
        if tried > MOST_TRIED:
            return
        if at == len(tokens):
            yield values, cost, left, dropped, guessed
            return
        token = tokens[at]
        for index, one in enumerate(way.slots):
            name = one.slot.name
            if name in values and not one.slot.many:
                continue
            fit = _fits(way, one, token, values)
            price = _role(way, one, token, partly)
            if price is None and one.role == "to" and token.before in SAME["in"] and told:
                price = 1  # beside where they come from, `in` a place says where they go
            if fit is None or price is None:
                continue
            kind = one.slot.kind
            alike = one.slot.many and name in values
            if token.joined and kind == "place" and not alike and (one.optional or not partly):
                continue  # `Home and Port` are two of a kind, and none of them is something else
            if not token.before and index < last.get(kind, -1):
                continue  # without small words things of a kind stand in the order of the form
            more = dict(fit)
            if one.slot.many:
                more[name] = [*values.get(name, ()), fit[name]]
            said = (*guessed, name) if token.guessed else guessed
            now = last if token.before else {**last, kind: max(index, last.get(kind, -1))}
            yield from go_on(at + 1, {**values, **more}, now, cost + price, left, dropped, said)
        if partly:
            kind_only = not way.of_units and "place" not in token.names
            named = (bool(token.names) or token.units is not None) and not kind_only
            yield from go_on(at + 1, values, last, cost, left + 1, dropped + named, guessed)

    yield from go_on(0, {}, {}, 0, 0, 0, ())


def _fits(way: _Way, one: _Slot, token: Token, values: dict[str, Any]) -> dict[str, Any] | None:
    """What a slot, and with it a number's slot beside it, is given by something recognized; None if it cannot
    stand there."""
    slot = one.slot
    if slot.kind == "units":
        return None if token.units is None else {slot.name: dict(token.units)}
    if slot.kind == "number":
        return {slot.name: token.number} if token.number is not None and token.units is None else None
    if slot.kind in token.names and (token.units is None or token.bare):
        return {slot.name: token.names[slot.kind]}
    if (
        slot.kind in ("item", "unit-kind")
        and token.units is not None
        and len(token.units) == 1
        and token.number is not None
    ):
        counted = next(
            (s.slot.name for s in way.slots if s.slot.kind == "number" and s.slot.name not in values), None
        )
        named = token.names.get(slot.kind)
        return (
            {slot.name: named, counted: token.number} if named is not None and counted is not None else None
        )
    return None


def _role(way: _Way, one: _Slot, token: Token, partly: bool) -> int | None:
    """What it costs that a thing stands after its small word in a slot that wants another; None if it cannot
    mean that.

    For what is only proposed (`partly`) any small word will do, unless the form has it for another slot.
    """
    if token.before == one.role:
        return 0
    if not token.before:
        return 1
    if any(s.role == token.before and s.slot.kind == one.slot.kind for s in way.slots):
        return None  # the form has that word for another of its slots
    alike = SAME.get(one.role, ()) if one.role else OF_ANY
    if token.before in alike:
        return 1
    return 2 if partly else None


def written(reading: FuzzyReading, names: Names) -> str:
    """The line that a reading stands for, as its form has it; a question mark where something is missing."""
    text = shortest(reading.form.pattern, names, reading.values, agree=True)
    for name in reading.missing:
        text = text.replace(f"<{name}>", "?")
    return text
