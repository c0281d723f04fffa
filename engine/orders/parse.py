"""Orders from text: a file, or a mail as people write it, line by line, so that one mistake does not hide the
next.

A text gives orders (plain data, see `Order` in turn/context.py) and findings. What is no order (a greeting, a
signature, a quotation, a returned report) is passed over and told by its lines; a line that is not understood
gives a finding and no order; what was read with forgiveness is said. Whether an understood order is allowed
is `check.py`'s question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..core.diagnostics import Diagnostic
from ..core.model import Ruleset
from ..core.patience import go_on
from ..core.state import State
from ..core.words import Word, joined, split
from ..units.fleet import makes_one
from .compound import LineReader
from .expected import one_of
from .input_points import by_phase
from .line_parser import MAX_LINE, LineAttempt, Order, did_you_mean
from .mail_text import TextLine, is_cry_for_help, read_letter
from .names import Names
from .plain import strip_comment
from .read_before import ReadBefore
from .sheet_line import has_blank
from .tokens import SMALL, Recognizer

__all__ = ["MAX_LINES", "Order", "OrderFile", "OrderHead", "parse_orders", "read_orders", "strip_comment"]

MAX_LINES = 2_000
QUESTION = "O401"
"""The code of a line that asks something."""
SHORT = 5
"""Words of a line that is no sentence."""
MOST_NAMED = 3
"""Words of a game's name where nothing marks the line as a head."""
MOST_FREE = 300
"""Lines of one text that are read freely; those after them only word for word."""
HEAD = ("game", "nation", "turn")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good (?:morning|day|evening|afternoon|luck)|salut|gentlemen|"
    r"to:|from:|subject:|date:|sent:|"
    r"here (?:are|is|come)|these are|my orders|please find|orders (?:for|of)|(?:the )?following)\b",
    re.IGNORECASE,
)
_SALUTE = re.compile(
    r"\s*(?:hi|hello|hey|dear|greetings|good (?:morning|day|evening|afternoon))\b"
    r"[^,:!.]{0,40}[,:!.]+\s*(?=\S)",
    re.IGNORECASE,
)
"""What greets in front of an order, in its line."""
_NOTHING = re.compile(
    r"(?:[^:]{1,30}:\s*)?(?:-+|n/?a|none|nothing|pass|"
    r"no (?:(?:more|other|further|new) )?"
    r"(?:orders?|moves?|changes?|purchases?|attacks?|retreats?|build(?:s)?)"
    r"(?: (?:this|for this|for the) (?:turn|season|phase|round))?)[\s.!]*",
    re.IGNORECASE,
)
"""A line that says that nothing is ordered."""
_REST_STAYS = re.compile(
    r"(?:and )?(?:(?:all|every(?:one|body|thing)|the) )?(?:(?:the|my|our|of) )*"
    r"(?:others?|else|rest|remaining|remainder)(?: \w+){0,2}? "
    r"(?:holds?|stays?|stands?|remains?|defends?|waits?|rests?)"
    r"(?: (?:put|where they are|in place|there|still|fast|here))?[\s.!]*"
    r"|(?:all|every(?:one|body|thing))(?: (?:of )?(?:my|our|the))?"
    r"(?: (?:units?|armies|fleets|forces|troops))?"
    r" (?:just )?(?:holds?|stays?|stands?|defends?)(?: (?:put|where they are|in place|still|fast))?[\s.!]*",
    re.IGNORECASE,
)
"""A line that says that units without an order stay where they are: they do."""
_QUESTION = re.compile(
    r"(?:(?:and|but|so|ok|please|question|q)\b[,:. ]*)*"
    r"(?!how (?:are|is|do) (?:you|it|things|everybody|everyone)\b)"
    r"(?:(?:why|how|what|who|whom|whose|where|which|does|did|is|are|was|were|has|have)(?:['\u2019]s)?\b|"
    r"(?:can|could|may)\s+(?!you\b|not\b|n['\u2019]t\b)|"
    r"(?:should|shall|will|would|do)\s+(?!you\b|not\b|n['\u2019]t\b)"
    r"(?:(?:i|we|they|it|he|she|there|my|our|the|a|an|any)\b|\w+\b.*\?)|"
    r"when\s+(?:is|are|do|does|did|can|will|must|should)\b)",
    re.IGNORECASE,
)
"""What a question begins with; a request (`can you ...`) is none."""
"""A question mark that stands alone, as sheets of orders have it where something is to be filled in."""
_COUNTS = re.compile(r"\d\s+\w")
_LEAVE = re.compile(
    r"(?:(?:best|kind|warm) (?:regards|wishes)|regards|best|cheers|thanks|thank you|yours|sincerely|"
    r"cordially|bye|good luck|see you|sent from|on .* wrote|greetings|that'?s (?:all|it)|signed)\b",
    re.IGNORECASE,
)


_HELP_WITH = re.compile(r"help (?:me )?(?:with |on |about )?[a-z][a-z -]{1,30}[?.]?", re.IGNORECASE)


def is_question(line: str) -> bool:
    """Whether a line that is no order word for word asks something: more than two words that begin as a
    question does, or help with a word."""
    text = line.strip()
    if _HELP_WITH.fullmatch(text):
        return True
    return len(text.split()) > 2 and not text.endswith("!") and _QUESTION.match(text) is not None


_TITLE = re.compile(
    r"(?:the )?([^:,;]{2,40}?)(?:['\u2019]s?)? (?:orders|moves)\b[^:;,]{0,25}:?", re.IGNORECASE
)
"""A title: whose orders follow."""


class OrderHead(NamedTuple):
    """What the head of a file says: the game, the nation (its id) and the turn it is for."""

    game: str | None = None
    nation: str | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class OrderFile:
    """A text of orders as read: its head, its orders, the findings, the lines that were passed over as no
    orders."""

    head: OrderHead
    orders: tuple[Order, ...]
    found: tuple[Diagnostic, ...]
    passed: tuple[int, ...] = ()


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

    `nation`, `game` and `turn` are what the head is checked against; a head that names another game, nation
    or turn refuses every order of the text. `state` (a nation's view) adds names that only a position has.
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
    proposable: Callable[[str, Mapping[str, Any]], bool] | None = None,
    foreign: Callable[[str], bool] | None = None,
) -> OrderFile:
    """Like `parse_orders`, with the head. Of what comes near to a line only that is proposed which is
    `proposable`: an order ("form/id") with the slots that are filled. `foreign` says of a place whether it is
    held by a nation that is no friend: what is done there is proposed only where
    nothing of a line is left over."""
    reader = _OrderFileReader(ruleset, Names(ruleset, state), nation, game, turn, file)
    reader.lines.proposable = proposable
    if foreign is not None:
        reader.lines.foreign = foreign
    return reader.read(text)


@dataclass
class _Entry:
    """A line as read so far: its attempt, and what it may be if it is no order."""

    line: TextLine
    attempt: LineAttempt
    worth: int = 0
    """How much of a game it names."""
    free: bool = True
    by_form: bool = False
    """Whether it was read word for word, as its form has it."""
    members: list[TextLine] = field(default_factory=list)

    @property
    def stands(self) -> bool:
        return bool(self.attempt.orders)


class _OrderFileReader:
    def __init__(
        self,
        ruleset: Ruleset,
        names: Names,
        nation: str | None,
        game: str | None,
        turn: int | None,
        file: str,
    ) -> None:
        self.ruleset = ruleset
        self.names = names
        self.lines = LineReader(ruleset, names, nation, file)
        self.read_before = ReadBefore(ruleset, names)
        self.nation = nation
        self.game = game
        self.turn = turn
        self.head = OrderHead()
        self.file = file
        self.begun = False  # an order has been read
        self.found: list[Diagnostic] = []
        self.passed: list[int] = []
        self.titles = {joined(title) for title, _ in by_phase(ruleset)}
        self.refused = False
        self.free = 0

    def say(self, code: str, message: str, number: int, column: int, hint: str = "", line: str = "") -> None:
        self.found.append(
            Diagnostic(code, "error", message, self.file, number, column, hint, line[:MAX_LINE])
        )

    def read(self, text: str) -> OrderFile:
        """The whole text. Quoted lines are read only where nothing outside them is an order."""
        letter = read_letter(text)
        passed = self.passed = list(letter.passed)
        own = [line for line in letter.lines if not line.quoted]
        quoted = [line for line in letter.lines if line.quoted]
        entries = self._entries(own)
        if quoted and not any(e.stands for e in entries):
            kept, self.found, self.head = self.found, [], self.head
            more = self._entries(quoted)
            if any(e.stands for e in more):
                entries = sorted([*entries, *more], key=lambda e: e.line.number)
                self.found = [*kept, *self.found]
            else:
                self.found = kept
                passed += [line.number for line in quoted if line.text.strip()]
        else:
            passed += [line.number for line in quoted if line.text.strip()]
        orders: list[Order] = []
        for entry in self._without_prose(entries, passed):
            orders += entry.attempt.orders
            self.found += entry.attempt.found
        orders.sort(key=lambda o: int(o["line"]))
        self.found.sort(key=lambda d: (d.line, d.column))
        return OrderFile(
            self.head, () if self.refused else tuple(orders), tuple(self.found), tuple(sorted(set(passed)))
        )

    # ---- lines

    def _entries(self, lines: Sequence[TextLine]) -> list[_Entry]:
        out: list[_Entry] = []
        for count, line in enumerate(lines, 1):
            go_on()
            if count > MAX_LINES:
                self.say("O105", f"more than {MAX_LINES} lines", line.number, 1)
                break
            known = self.read_before.find(self.nation, line.number, line.text)
            if known is not None:
                self.begun = True
                out.append(_Entry(line, known, 9))
                continue
            bare = strip_comment(line.text)
            if not bare.strip():
                continue
            words = split(bare)
            if self._orders_nothing(bare.strip(), words):
                self.passed.append(line.number)
                continue
            if words and words[0].norm in HEAD and self._head(line.number, line.text, words):
                continue
            entry = self._entry(line, bare)
            if not entry.stands and out and (joined_up := self._continued(out[-1], entry)) is not None:
                out[-1] = joined_up
                continue
            if entry.by_form and entry.line is line and words[0].norm not in HEAD:
                self.read_before.keep(self.nation, line.text, entry.attempt)
            self.begun = self.begun or entry.stands
            out.append(entry)
        return out

    def _orders_nothing(self, bare: str, words: Sequence[Word]) -> bool:
        """Whether a line is the title of a phase, as the form has it, or says that nothing is ordered, or
        that others stay."""
        if not words:
            return False
        if joined(bare.rstrip(": ")) in self.titles and not self.lines.word_for_word(0, bare).orders:
            return True
        if self.names.synonym(words[0].norm) in self.lines.grammar.opening_words:
            return False
        if is_cry_for_help(bare):
            return True
        title = _TITLE.fullmatch(bare)
        if title and self.nation and self.names.find("nation", joined(title[1])) == (self.nation,):
            return True
        return any(form.fullmatch(bare) for form in (_NOTHING, _REST_STAYS))

    def _entry(self, line: TextLine, bare: str) -> _Entry:
        heading = self.lines.heading(bare)
        headed = None if heading is None else self._headed(line, bare, *heading)
        if headed is not None:
            return headed
        entry = self._read(line, bare)
        salute = _SALUTE.match(bare)
        if entry.stands or salute is None or bare.rstrip().endswith(":"):
            return entry
        rest = " " * salute.end() + bare[salute.end() :]
        after = self._read(line._replace(text=rest), rest)
        return after if after.stands or after.worth > 1 else entry

    def _headed(self, line: TextLine, bare: str, end: int, number: int) -> _Entry | None:
        """A line under the heading of a force, without it: its one order is that of the force of this number.
        None if it is an order of something else."""
        rest = " " * end + bare[end:]
        entry = self._read(line._replace(text=rest), rest)
        if not entry.stands:
            return entry
        first = entry.attempt.orders[0]
        fit = [o for o in (first, *first.get("readings", ())) if makes_one(self.ruleset, o)]
        if not fit or len(entry.attempt.orders) > 1:
            return None
        order = {**fit[0], "listed": number}
        if fit[1:]:
            order["readings"] = fit[1:]
        entry.attempt = LineAttempt([order], entry.attempt.found)
        return entry

    def _read(self, line: TextLine, bare: str) -> _Entry:
        if len(bare) > MAX_LINE:
            parts = self.lines.freely(line.number, bare) if bare.count(";") > 2 else None
            if parts is not None:
                return _Entry(line, parts)
            too_long = f"a line of more than {MAX_LINE} characters"
            findings = [
                Diagnostic("O105", "error", too_long, self.file, line.number, MAX_LINE, "", bare[:MAX_LINE])
            ]
            return _Entry(line, LineAttempt([], findings), free=False)
        attempt = self.lines.word_for_word(line.number, line.text)
        kind = self.lines.guessed_kind
        if attempt.orders:
            return _Entry(line, attempt, 9, by_form=True)
        if is_question(bare):
            asked = Diagnostic(
                QUESTION, "info", "a question, and no order", self.file, line.number, 1, "", bare.strip()
            )
            return _Entry(line, LineAttempt([], [asked]), 9, free=False)
        if any(d.code == "O113" for d in attempt.found):  # unless it is the condition of an option
            self.free += 1
            option = self.lines.with_option(line.number, line.text) if self.free <= MOST_FREE else None
            if option is None and self.free <= MOST_FREE:
                near = tuple(self.lines.in_case(line.text))
                attempt = LineAttempt([], [replace(d, instead=near) for d in attempt.found])
            return _Entry(line, option or attempt, 9)
        self.free += 1
        blank = has_blank(bare)  # whatever else the line may be, its player has still to choose
        freely = self.lines.freely(line.number, line.text) if self.free <= MOST_FREE and not blank else None
        if freely is not None:
            return _Entry(line, freely)
        partly = self.lines.partly(line.number, line.text) if self.free <= MOST_FREE else None
        if partly is not None:
            return _Entry(line, partly)
        worth = self.lines.names_something(line.text)
        if (
            (worth or len(bare.split()) < 6)
            and self.free <= MOST_FREE
            and attempt.found
            and (not attempt.found[0].instead or attempt.found[0].code == "O103")
        ):
            guessed = attempt.found[0].instead
            # what may stand in a blank is no help where its name was nearly written
            sure = bool(guessed) and kind not in ("", "place")
            near = (*guessed, *(n for n in self.lines.nearest(line.text) if not (sure and has_blank(n))))
            attempt = LineAttempt([], [replace(attempt.found[0], instead=near), *attempt.found[1:]])
        said = self.lines.unsayable(line.text) if attempt.found else ""
        if said:
            attempt = LineAttempt([], [replace(attempt.found[0], message=said), *attempt.found[1:]])
        if blank and attempt.found:
            attempt = LineAttempt(
                [], [replace(attempt.found[0], message="`?` is yours to fill in"), *attempt.found[1:]]
            )
        return _Entry(line, attempt, worth)

    def _continued(self, before: _Entry, entry: _Entry) -> _Entry | None:
        """A line that goes on with the one before, as mail programs break them; None if the two together are
        no order."""
        first, text = before.line, strip_comment(entry.line.text).strip()
        follows = entry.line.number == first.number + 1 + len(before.members)
        if not follows or not entry.free or len(first.text) + len(text) > MAX_LINE or len(before.members) > 3:
            return None
        whole = strip_comment(first.text).rstrip()
        if before.stands and len(whole) < 40 and not whole.endswith((",", "and", "+", ":")):
            return None
        line = TextLine(first.number, f"{whole} {text}", first.quoted)
        attempt = self.lines.word_for_word(line.number, line.text)
        if not attempt.orders and self.free <= MOST_FREE and (entry.worth or before.worth):
            self.free += 1
            attempt = self.lines.freely(line.number, line.text) or attempt
        if not attempt.orders or len(attempt.orders) < len(before.attempt.orders):
            return None
        return _Entry(line, attempt, members=[*before.members, entry.line])

    # ---- what is no order

    def _without_prose(self, entries: list[_Entry], passed: list[int]) -> list[_Entry]:
        """Entries without greeting and signature; a block of prose elsewhere is one finding."""
        first = next((index for index, e in enumerate(entries) if e.stands), len(entries))
        last = next((index for index in range(len(entries) - 1, -1, -1) if entries[index].stands), -1)
        out: list[_Entry] = []
        leaving = False
        for index, entry in enumerate(entries):
            if (
                index < first
                and entry.free
                and _GREETING.match(entry.line.text.strip())
                and not _COUNTS.search(entry.line.text)
            ):
                passed.append(entry.line.number)
                continue
            if not entry.stands and self._is_heading(entry.line.text):
                passed.append(entry.line.number)
                continue
            if entry.stands or entry.worth:
                leaving = leaving or (index > last and bool(_LEAVE.match(entry.line.text.strip())))
                if leaving and index > last and entry.worth < 2:
                    passed.append(entry.line.number)
                else:
                    out.append(entry)
                continue
            text = entry.line.text.strip()
            leaving = leaving or (index > last and bool(_LEAVE.match(text)))
            greets = bool(_GREETING.match(text) or _LEAVE.match(text)) or text.endswith((",", "!", ":"))
            if (
                entry.free
                and (greets or leaving or len(text.split()) > 5)
                and (index < first or index > last)
            ):
                passed.append(entry.line.number)
            else:
                out.append(entry)
        return self._blocks(out)

    def _is_heading(self, text: str) -> bool:
        """Whether a line announces others, and names nothing itself, though it may begin as an order does."""
        bare = strip_comment(text).strip()
        return bare.endswith(":") and not Recognizer(split(bare), self.names, self.nation or "").tokens()[0]

    def _blocks(self, entries: list[_Entry]) -> list[_Entry]:
        """Lines of prose one below the other make one finding together."""
        out: list[_Entry] = []
        for entry in entries:
            short = (
                bool(entry.worth) and len(entry.line.text.split()) <= SHORT
            )  # names something, and is no sentence
            prose = not entry.stands and entry.free and entry.worth < 2 and not short
            last = out[-1] if out else None
            if (
                prose
                and last is not None
                and not last.stands
                and last.free
                and last.worth < 2
                and last.line.number + len(last.members) + 1 == entry.line.number
            ):
                last.members.append(entry.line)
                continue
            out.append(entry)
        for entry in out:
            if entry.members and not entry.stands:
                end = entry.members[-1].number
                unread = f"lines {entry.line.number} to {end} hold no order that could be read"
                finding = Diagnostic(
                    "O101",
                    "error",
                    unread,
                    self.file,
                    entry.line.number,
                    1,
                    "one order a line",
                    entry.line.text[:MAX_LINE],
                )
                entry.attempt = LineAttempt([], [finding])
        return out

    # ---- head

    def _head(self, number: int, line: str, words: tuple[Word, ...]) -> bool:
        """Read a head line. False if it is none: orders may begin with such a word, and so may a line that
        only speaks of the game, the nation or the turn. Only a head that says something else refuses
        the text."""
        if self.begun or words[0].norm in self.lines.grammar.openings():
            return False
        named = self._game_as_named(line, words)
        starts = [0]
        for index in range(2, len(words)):
            if (
                words[index].norm in HEAD
                and words[index].norm not in (words[s].norm for s in starts)
                and index not in named
            ):
                starts.append(index)
        values = []
        for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
            key, value = words[start], words[start + 1 : end]
            declared = len(starts) > 1 or (bool(value) and value[0].norm in (":", "="))
            if not (start == 0 and named):
                value = tuple(w for w in value if w.norm not in (",", ";", ":", "="))
            if value and not declared and not self._reads_as_head(key.norm, value):
                return False
            values.append((key, value))
        for key, value in values:
            if not value:
                self.say("O112", f"{key.text!r} needs a value after it", number, key.column, line=line)
                self.refused = True
                continue
            written = " ".join(w.text for w in value)
            getattr(self, f"_head_{key.norm}")(number, line, value, written)
        return True

    def _game_as_named(self, line: str, words: tuple[Word, ...]) -> range:
        """The words of a head that are the name of this game, whatever signs or words of a head it has."""
        name = (self.game or "").strip()
        if not name or words[0].norm != "game":
            return range(0)
        rest = line[words[0].end - 1 :].lstrip(" \t:=")
        if not rest.casefold().startswith(name.casefold()) or rest[len(name) : len(name) + 1].isalnum():
            return range(0)
        end = len(line) - len(rest) + len(name)
        return range(1, sum(w.column - 1 < end for w in words))

    def _reads_as_head(self, key: str, value: tuple[Word, ...]) -> bool:
        """Whether what stands after a word of a head, with nothing to mark it as one, can be its value."""
        if key == "turn":
            return value[0].is_number
        written = joined(" ".join(w.text for w in value))
        if key == "nation":
            return bool(self.names.find("nation", written) or self.names.near("nation", written))
        spoken = (
            value[-1].norm in ("!", ".", "?")
            or len(value) > MOST_NAMED
            or any(w.norm in SMALL for w in value)
        )
        return written == joined(self.game or "") or not spoken

    def _head_game(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        as_written = line[value[0].column - 1 : value[-1].end - 1].strip(" \t:=")
        self.head = self.head._replace(game=as_written)
        same = (
            self.game is None
            or joined(as_written) == joined(self.game)
            or joined(written) == joined(self.game)
        )
        if not same:
            self._wrong(
                number,
                line,
                value[0].column,
                f"these are orders for the game {written!r}, not for {self.game!r}",
            )

    def _head_turn(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        if not value[0].is_number:
            said = f"{written!r} is not the number of a turn; the orders are taken as those of this turn"
            self.found.append(
                Diagnostic("O112", "warning", said, self.file, number, value[0].column, "", line[:MAX_LINE])
            )
            return
        self.head = self.head._replace(turn=int(value[0].norm))
        if self.turn is not None and self.head.turn != self.turn:
            self._wrong(
                number,
                line,
                value[0].column,
                f"these are orders for turn {self.head.turn}; it is turn {self.turn}",
            )

    def _head_nation(self, number: int, line: str, value: tuple[Word, ...], written: str) -> None:
        key = joined(written)
        ids = self.names.find("nation", key) or tuple(n.id for n in self.names.near("nation", key))
        if len(ids) != 1:
            hint = one_of(self.names.printed("nation", i) for i in ids) or one_of(
                self.names.guesses("nation", key)
            )
            code, what = ("O104", "could be several nations") if ids else ("O103", "is not a nation")
            self.say(code, f"{written!r} {what}", number, value[0].column, did_you_mean(hint), line)
            self.refused = True
            return
        self.head = self.head._replace(nation=ids[0])
        if self.nation is None:
            self.nation = self.lines.nation = ids[0]
        elif ids[0] != self.nation:
            ours = self.names.printed("nation", self.nation)
            self._wrong(number, line, value[0].column, f"these are orders for {written}, not for {ours}")

    def _wrong(self, number: int, line: str, column: int, message: str) -> None:
        self.say("O111", message, number, column, "none of its orders are taken", line)
        self.refused = True
