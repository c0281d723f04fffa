"""Orders from text: one a line, each read by itself, so that one mistake does not hide the next.

A text gives orders (plain data, see `Order` in turn.py) and findings. A line that is not understood gives a finding and no
order; what was read with forgiveness is said. Whether an understood order is allowed is `check.py`'s question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.diagnostics import Diagnostic, Severity, nearest
from ..core.model import Ruleset
from ..core.state import State
from .grammar import Fixed, Grammar, OrderForm, Slot
from .match import MAX_STEPS, Found, Matcher
from .names import Names
from .words import Word, joined, split

MAX_LINE = 500
MAX_LINES = 2_000
SEPARATORS = (",", ";", "or", "and", "then", "/", ":")
HEAD = ("game", "nation", "turn")

Order = dict[str, Any]
"""An order as read: nation, order ("form/id"), slots, options, text, line; `columns` (slot -> column), `readings` (other
orders that the same words can be)."""


class Head(NamedTuple):
    """What the head of a file says: the game, the nation (its id) and the turn it is for."""

    game: str | None = None
    nation: str | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A text of orders as read: its head, its orders, the findings."""

    head: Head
    orders: tuple[Order, ...]
    found: tuple[Diagnostic, ...]


def parse_orders(
    ruleset: Ruleset,
    text: str,
    *,
    nation: str | None = None,
    game: str | None = None,
    turn: int | None = None,
    state: State | None = None,
    file: str = "",
) -> tuple[list[Order], list[Diagnostic]]:
    """The orders in a text, and all findings at line and column.

    `nation`, `game` and `turn` are what the head is checked against; a head that names another game, nation or turn refuses
    every order of the text. `state` (a nation's view) adds names that only a position has.
    """
    reading = read_orders(ruleset, text, nation=nation, game=game, turn=turn, state=state, file=file)
    return list(reading.orders), list(reading.found)


def read_orders(
    ruleset: Ruleset,
    text: str,
    *,
    nation: str | None = None,
    game: str | None = None,
    turn: int | None = None,
    state: State | None = None,
    file: str = "",
) -> Reading:
    """Like `parse_orders`, with the head."""
    reader = _Reader(ruleset, Names(ruleset, state), nation, game, turn, file)
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[: MAX_LINES + 1], 1):
        if number > MAX_LINES:
            reader.say("O105", "error", f"more than {MAX_LINES} lines", number, 1, line="")
            break
        reader.line(number, line)
    orders = () if reader.refused else tuple(reader.orders)
    return Reading(reader.head, orders, tuple(reader.found))


class _Reader:
    def __init__(self, ruleset: Ruleset, names: Names, nation: str | None, game: str | None, turn: int | None, file: str) -> None:
        self.ruleset = ruleset
        self.names = names
        self.grammar = Grammar.of(ruleset)
        self.nation = nation
        self.game = game
        self.turn = turn
        self.file = file
        self.head = Head()
        self.orders: list[Order] = []
        self.found: list[Diagnostic] = []
        self.refused = False

    def say(self, code: str, severity: Severity, message: str, number: int, column: int, hint: str = "", line: str = "") -> None:
        self.found.append(Diagnostic(code, severity, message, self.file, number, column, hint, line[:MAX_LINE]))

    # ---- lines

    def line(self, number: int, line: str) -> None:
        bare = strip_comment(line)
        if not bare.strip():
            return
        if len(bare) > MAX_LINE:
            self.say("O105", "error", f"a line of more than {MAX_LINE} characters", number, MAX_LINE, line=line)
            return
        words = split(bare)
        if not words:
            self.say("O101", "error", "no order begins like this", number, 1, line=line)
            return
        if words[0].norm in HEAD and self._head(number, line, words):
            return
        self._order(number, line, bare, words)

    def _head(self, number: int, line: str, words: tuple[Word, ...]) -> bool:
        """Read a head line. False if it is none (orders may begin with such a word, too)."""
        if self.orders or any(w in (f.first or ()) for f in self.grammar.forms for w in (words[0].norm,)):
            return False
        starts = [0]
        for i in range(2, len(words)):
            if words[i].norm in HEAD and words[i].norm not in (words[s].norm for s in starts):
                starts.append(i)
        for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
            key, value = words[start], words[start + 1 : end]
            value = tuple(w for w in value if w.norm not in (",", ";", ":", "="))
            if not value:
                self.say("O112", "error", f"{key.text!r} needs a value after it", number, key.column, line=line)
                self.refused = True
                continue
            written = " ".join(w.text for w in value)
            getattr(self, f"_head_{key.norm}")(number, line, value, written)
        return True

    def _head_game(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        self.head = self.head._replace(game=line[value[0].column - 1 : value[-1].end - 1])
        if self.game is not None and joined(written) != joined(self.game):
            self._wrong(number, line, value[0].column, f"this is a file for the game {written!r}, not {self.game!r}")

    def _head_turn(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        if not value[0].is_number or len(value) > 1:
            self.say("O112", "error", f"{written!r} is not the number of a turn", number, value[0].column, line=line)
            self.refused = True
            return
        self.head = self.head._replace(turn=int(value[0].norm))
        if self.turn is not None and self.head.turn != self.turn:
            self._wrong(number, line, value[0].column, f"this is a file for turn {written}; it is turn {self.turn}")

    def _head_nation(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        key = joined(written)
        ids = self.names.find("nation", key) or tuple(n.id for n in self.names.near("nation", key))
        if len(ids) != 1:
            hint = _or(self.names.printed("nation", i) for i in ids) or _or(self.names.guesses("nation", key))
            code, what = ("O104", "could be several nations") if ids else ("O103", "is not a nation")
            self.say(code, "error", f"{written!r} {what}", number, value[0].column, _did_you_mean(hint), line)
            self.refused = True
            return
        self.head = self.head._replace(nation=ids[0])
        if self.nation is None:
            self.nation = ids[0]
        elif ids[0] != self.nation:
            ours = self.names.printed("nation", self.nation)
            self._wrong(number, line, value[0].column, f"this is a file for {written}, not for {ours}")

    def _wrong(self, number: int, line: str, column: int, message: str) -> None:
        self.say("O111", "error", message, number, column, "none of its orders are taken", line)
        self.refused = True

    # ---- orders

    def _order(self, number: int, line: str, bare: str, words: tuple[Word, ...]) -> None:
        colon = next((i for i, w in enumerate(words) if w.norm == ":"), len(words))
        body, tail = words[:colon], words[colon + 1 :]
        if not body:
            self.say("O101", "error", "an order must stand before the colon", number, words[0].column, line=line)
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

    def _readings(self, matcher: Matcher) -> list[tuple[OrderForm, Found]]:
        """The readings of a whole line that need the least forgiveness."""
        out: list[tuple[OrderForm, Found]] = []
        for form in self.grammar.forms:
            if form.first is not None and not self._may_begin(form, matcher):
                continue
            for found in matcher.match(form.pattern):
                if found.end == len(matcher.words):
                    out.append((form, found))
                else:
                    matcher.fail(found.end, Fixed(""))
        if not out:
            return []
        least = min(f.cost for _, f in out)
        best: list[tuple[OrderForm, Found]] = []
        for form, found in out:
            same = any(form.key == g.key and _plain(found) == _plain(h) for g, h in best)
            if found.cost == least and not same:
                best.append((form, found))
        return best

    def _may_begin(self, form: OrderForm, matcher: Matcher) -> bool:
        first = matcher.words[0].norm
        assert form.first is not None
        return matcher.loose or first in form.first or self.names.synonym(first) in form.first

    def _take(
        self, number: int, line: str, text: str, readings: Sequence[tuple[OrderForm, Found]], options: dict[str, Any]
    ) -> None:
        keys = {form.key for form, _ in readings}
        if len(readings) > len(keys):  # one row, several ways to read it: nobody can know which was meant
            ways = [form.key for form, _ in readings]
            double = next(k for k in ways if ways.count(k) > 1)
            doubles = [_plain(f) for form, f in readings if form.key == double]
            slot = next((s for s in doubles[0] if any(o.get(s) != doubles[0][s] for o in doubles)), "")
            values = _or(str(o.get(slot)) for o in doubles)
            self.say("O104", "error", f"this could mean several things: {values}", number, 1, "write the full names", line)
            return
        orders = []
        for form, match in readings:
            slots = {name: v.value for name, v in match.values.items()}
            order: Order = {"nation": self.nation or "", "order": form.key, "slots": slots, "options": options}
            order |= {"text": text, "line": number, "columns": {name: v.column for name, v in match.values.items()}}
            orders.append(order)
        best = readings[0][1]
        notes = [v.note for v in best.values.values() if v.note]
        if notes or best.cost:
            message = "; ".join(notes) or f"read as {self._written(orders[0])!r}"
            self.say("O303", "warning", message, number, 1, "write the name in full to be sure", line)
            for order in orders:
                order["mended"] = message
        first = orders[0]
        if len(orders) > 1:
            first["readings"] = orders[1:]
        self.orders.append(first)

    def _written(self, order: Order) -> str:
        from .text import order_text

        return order_text(self.ruleset, self.names, order)

    # ---- options

    def _options(
        self, number: int, line: str, words: tuple[Word, ...], readings: Sequence[tuple[OrderForm, Found]]
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
            wanted = list(dict.fromkeys(w for f in self.grammar.options if f.id in may for w in sorted(f.first or ())))
            expected = self._expected(matcher) if at else _or(wanted) or "nothing (this order carries no options)"
            message = f"expected {expected}, found {word.text!r}" if word else f"expected {expected} at the end"
            column = word.column if word else words[-1].end
            near = nearest(word.norm, wanted) if word else []
            self.say("O106", "error", message, number, column, _did_you_mean(_or(near)), line)
            return {}, False
        out: dict[str, Any] = {}
        for form, found in parts:
            if form.id in out:
                self.say(
                    "O106", "error", f"the option {form.row['form']!r} stands there twice", number, words[0].column, line=line
                )
                return {}, False
            values = _plain(found)
            out[form.id] = True if not values else next(iter(values.values())) if len(values) == 1 else values
            notes = [v.note for v in found.values.values() if v.note]
            if notes or found.cost:
                message = "; ".join(notes) or f"the option was read as {form.row['form']!r}"
                self.say("O303", "warning", message, number, words[0].column, "write it in full to be sure", line)
        return out, True

    def _option_parts(self, matcher: Matcher, at: int) -> list[tuple[OrderForm, Found]] | None:
        if at >= len(matcher.words):
            return []
        for form in self.grammar.options:
            ends: list[Found] = sorted(matcher.match(form.pattern, at), key=lambda f: (-f.end, f.cost))
            for found in ends:
                after = found.end
                while after < len(matcher.words) and matcher.words[after].norm in SEPARATORS:
                    after += 1
                if after == found.end and after < len(matcher.words):
                    matcher.fail(after, Fixed(","))
                    continue
                for start in range(after, found.end, -1) if after > found.end else (after,):
                    rest = self._option_parts(matcher, start)  # what separates may be the first word of the next one, too
                    if rest is not None:
                        return [(form, found), *rest]
        return None

    # ---- what is wrong

    def _not_allowed(self, number: int, line: str, words: tuple[Word, ...]) -> bool:
        """Whether a line that is not understood asks for what the rules do not allow at all; then that is said."""
        for form in self.grammar.refusals:
            if any(found.end == len(words) for found in Matcher(words, self.names, False).match(form.pattern)):
                self.say("O113", "error", form.row["says"], number, words[0].column, form.row.get("hint", ""), line)
                return True
        return False

    def _not_understood(self, number: int, line: str, matcher: Matcher, words: tuple[Word, ...]) -> None:
        at = matcher.furthest
        wider = [a for a in matcher.ambiguous if a.at >= at or a.end >= at]
        if wider:
            one = max(wider, key=lambda a: (a.at, a.end))
            written = " ".join(w.text for w in words[one.at : one.end])
            names = _or(self.names.printed(one.kind, i) for i in one.ids)
            self.say(
                "O104", "error", f"{written!r} could be {names}", number, words[one.at].column, "write more of the name", line
            )
            return
        if at == 0:
            near = nearest(words[0].norm, self.grammar.openings())
            hint = _did_you_mean(_or(near)) or f"orders begin with {_or(self.grammar.openings())}"
            self.say("O101", "error", f"no order begins with {words[0].text!r}", number, words[0].column, hint, line)
            return
        blank = next((i for i, w in enumerate(words) if w.norm == "<"), None)
        if blank is not None and at <= blank + 1 < len(words):
            slot = words[blank + 1]
            self.say(
                "O102", "error", f"<{slot.text}> is still to be filled in", number, words[blank].column, self._like(words), line
            )
            return
        slots = [s for s in matcher.expected if isinstance(s, Slot)]
        expected = self._expected(matcher)
        if at >= len(words):
            self.say("O102", "error", f"expected {expected} at the end", number, words[-1].end, self._like(words), line)
            return
        word = words[at]
        rest = _until_fixed(words, at, matcher)
        written = " ".join(w.text for w in rest)
        kinds = [s.kind for s in slots if s.kind not in ("number", "text", "units")]
        kinds += ["unit-kind"] if any(s.kind == "units" for s in slots) else []
        guesses = [
            g
            for kind in kinds
            for n in range(len(rest), 0, -1)
            for g in self.names.guesses(kind, "".join(w.norm for w in rest[:n]))
        ]
        guesses += [c for s in slots for c in s.choices if not guesses]
        code = "O103" if kinds and not word.is_number else "O102"
        hint = _did_you_mean(_or(list(dict.fromkeys(guesses))[:3]))
        if not hint or word.is_number:  # a number that stands where none may: then it is the form that was mistaken
            hint = f"{hint} {self._like(words)}".strip()
        self.say(code, "error", f"expected {expected}, found {written or word.text!r}", number, word.column, hint, line)

    def _expected(self, matcher: Matcher) -> str:
        out = []
        for item in matcher.expected:
            if isinstance(item, Slot):
                what = _or(item.choices) if item.choices else self.names.kind_words(item.kind)
                out.append(what)
            else:
                out.append(repr(item.word) if item.word else "the end of the order")
        return _or(dict.fromkeys(out)) or "something else"

    def _like(self, words: Sequence[Word]) -> str:
        """How orders that begin like this are written."""
        first = self.names.synonym(words[0].norm)
        near = [first, *nearest(first, self.grammar.openings())]
        forms = [f.row["form"] for f in self.grammar.forms if any(w in (f.first or ()) for w in near)]
        return f"written like: {_or(forms[:3])}" if forms else ""


def strip_comment(line: str) -> str:
    """A line without its comment: `#` at the start, or after a space and before another."""
    if line.lstrip().startswith("#"):
        return ""
    for i, c in enumerate(line):
        if c == "#" and line[i - 1].isspace() and not line[i + 1 : i + 2].isdigit():
            return line[:i]
    return line


def _plain(found: Found) -> dict[str, Any]:
    return {name: v.value for name, v in found.values.items()}


def _or(words: Iterable[str]) -> str:
    items = [str(w) for w in words]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else ""


def _did_you_mean(words: str) -> str:
    return f"did you mean {words}?" if words else ""


def _until_fixed(words: Sequence[Word], at: int, matcher: Matcher) -> Sequence[Word]:
    """The words of what looks like one name: up to the next sign or small word of a form."""
    small = {"to", "in", "from", "on", "with", "via", "at", "and", "for", "by", "of", "against"}
    end = at + 1
    while end < len(words) and words[end].norm not in small and words[end].norm.isalnum() and end - at < 5:
        end += 1
    del matcher
    return words[at:end]
