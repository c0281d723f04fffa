"""The journal: every change of a state, with the rule that caused it, its dice, and who may read it.

Changes are made inside an open entry only (`with journal.entry(...)`); a change outside one is an error of
the engine. Entries are hash-chained, so that a tampered or missing line shows. `replay` rebuilds a state from
entries alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .canonical import digest, dumps
from .faults import MOST_UNITS, BrokenGame, TooMuch, UnexplainedChange
from .messages import Message, plain, said
from .model import Ruleset
from .state import WHOLE_ROW, State, extra_fields, unit_key

EVERYONE = "everyone"
NOBODY = "nobody"
Audience = tuple[str, ...]
Change = list[Any]  # [table, id, field, before, after]
FORMAT = 2
"""The form in which entries are stored.

Those of the first say none, and hold a finished `text` for messages.
"""


@dataclass(slots=True)
class Fact:
    """Something that happened and that events can wait for: a word and its roles (by, of, place, unit
    ...).
    """

    word: str
    roles: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"word": self.word, **self.roles}


@dataclass(slots=True)
class Entry:
    """One line of the journal.

    `rule` is "form/id" of the row that caused it, `at` that row's file and line; `happened` what it tells its
    readers, as messages with their names as data; `audience` who may read it: ("everyone",), ("nobody",) or
    ids of nations and sides; `data` what reports print. `format` is that of the stored entry.
    """

    n: int
    turn: int
    step: str
    rule: str
    at: str
    subject: str
    happened: list[Message] = field(default_factory=list)
    audience: Audience = (NOBODY,)
    dice: list[dict[str, Any]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    hash: str = ""
    format: int = FORMAT
    # once sealed: the canonical bytes of `to_json`
    written: bytes = field(default=b"", compare=False, repr=False)

    @property
    def text(self) -> str:
        """What happened in the words of the log, everybody by name: to be shown, never to be read by a
        program.
        """
        return said(self.happened)

    @property
    def told(self) -> str | list[dict[str, Any]]:
        """What happened as it is stored: messages, or of the first format their text."""
        return self.text if self.format == 1 else [m.to_json() for m in self.happened]

    def tell(self, message: Message | None) -> None:
        """Add a message to what happened, if there is one."""
        if message is not None and message.template:
            self.happened.append(message)

    def to_json(self) -> dict[str, Any]:
        """As it is stored."""
        told = {"text": self.told} if self.format == 1 else {"format": self.format, "happened": self.told}
        return {
            "n": self.n,
            "turn": self.turn,
            "step": self.step,
            "rule": self.rule,
            "at": self.at,
            "subject": self.subject,
            **told,
            "audience": list(self.audience),
            "dice": self.dice,
            "changes": self.changes,
            "facts": [f.to_json() for f in self.facts],
            "data": self.data,
            "hash": self.hash,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        """An entry as it was stored, in this format or an earlier one.

        BrokenGame if a later program wrote it.
        """
        format_ = int(data.get("format", 1))
        if format_ > FORMAT:
            raise BrokenGame(
                f"the journal is of format {format_}, this program reads {FORMAT}: take a newer version of it"
            )
        facts = [Fact(f["word"], {k: v for k, v in f.items() if k != "word"}) for f in data["facts"]]
        if format_ == 1:
            happened = [plain(data["text"])] if data["text"] else []
        else:
            happened = [Message.from_json(m) for m in data["happened"]]
        rest = {
            k: data[k]
            for k in ("n", "turn", "step", "rule", "at", "subject", "dice", "changes", "data", "hash")
        }
        return cls(**rest, audience=tuple(data["audience"]), facts=facts, happened=happened, format=format_)


@dataclass(slots=True)
class Mark:
    """Where a journal was: to take back what has been done since (`Journal.take_back`)."""

    entries: int
    made: int
    pending: list[Fact]
    open: Entry | None  # the innermost open entry, with what it held
    changes: int = 0
    facts: int = 0
    happened: list[Message] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)


class Journal:
    """Writes entries and makes the changes they record.

    `entries` are those of the present resolution; `head` the hash of the last sealed one.
    """

    def __init__(self, ruleset: Ruleset, state: State, *, head: str = "", first: int = 1) -> None:
        self.ruleset = ruleset
        self.state = state
        self.head = head
        self.entries: list[Entry] = []
        self.pending: list[Fact] = []  # facts that no event has been offered yet
        self.step = ""
        self._first = first
        self._open: list[Entry] = []
        self._marks = 0  # how many attempts are under way that may be taken back
        # all changes since the first of them, in the order in which they were made
        self._made: list[Change] = []
        self._failed: tuple[BaseException, str] | None = None

    def failed_in(self, error: BaseException) -> str:
        """The rule ("form/id") of the innermost entry that an error has left; the present step if it was in
        none.
        """
        if self._failed is not None and self._failed[0] is error:
            return self._failed[1]
        return f"sequence/{self.step}" if self.step else ""

    # ---- entries

    @contextmanager
    def entry(
        self,
        rule: str,
        *,
        subject: str = "",
        says: Message | None = None,
        audience: Iterable[str] = (NOBODY,),
        data: dict[str, Any] | None = None,
        keep: bool = True,
    ) -> Iterator[Entry]:
        """Open an entry; changes, dice and facts inside belong to it.

        With `keep=False` it is dropped if it stays empty.
        """
        form, _, id_ = rule.partition("/")
        entry = Entry(
            n=0,
            turn=self.turn,
            step=self.step,
            rule=rule,
            at=self.ruleset.origin(form, id_) if id_ else "",
            subject=subject,
            audience=tuple(audience),
            data=data or {},
        )
        entry.tell(says)
        self._open.append(entry)
        self.entries.append(entry)
        try:
            yield entry
        except Exception as error:
            if self._failed is None or self._failed[0] is not error:
                self._failed = (error, rule)
            raise
        finally:
            self._open.pop()
            if not keep and not (entry.changes or entry.dice or entry.facts or entry.happened):
                last = len(self.entries) - 1
                del self.entries[next(i for i in range(last, -1, -1) if self.entries[i] is entry)]

    @property
    def turn(self) -> int:
        return int(self.state.get("game", "game", "turn", 0))

    @property
    def current(self) -> Entry:
        if not self._open:
            raise UnexplainedChange("a change needs an open journal entry")
        return self._open[-1]

    def seal(self) -> None:
        """Number and chain the entries written so far; called once at the end of a resolution."""
        for n, entry in enumerate(self.entries, self._first):
            entry.n = n
            entry.hash = ""
            body = dumps(entry.to_json())
            self.head = entry.hash = _link(self.head, body)
            # after the hash there are but numbers and texts without it (`number_and_hash`)
            at = body.rfind(_NO_HASH) + len(_NO_HASH) - 1
            entry.written = b"%b%b%b" % (body[:at], entry.hash.encode(), body[at:])

    # ---- taking back

    @contextmanager
    def marked(self) -> Iterator[Mark]:
        """A place to which what is done inside can be taken back, while it lasts."""
        top = self._open[-1] if self._open else None
        mark = Mark(len(self.entries), len(self._made), list(self.pending), top)
        if top is not None:
            mark.changes, mark.facts, mark.happened = len(top.changes), len(top.facts), list(top.happened)
            mark.data = {k: list(v) if isinstance(v, list) else v for k, v in top.data.items()}
        self._marks += 1
        try:
            yield mark
        finally:
            self._marks -= 1
            if not self._marks:
                self._made.clear()

    def take_back(self, mark: Mark) -> None:
        """Undo all changes since the mark, the last first, and strike the facts and the entries written
        since.

        Dice that were rolled lie: entries that hold some stay, with nothing but them, so that every throw can
        be proved.
        """
        for table, id_, field_, before, _ in reversed(self._made[mark.made :]):
            self.state.put(table, id_, field_, before)
        del self._made[mark.made :]
        self.pending = mark.pending
        if mark.open is not None:
            del mark.open.changes[mark.changes :], mark.open.facts[mark.facts :]
            mark.open.happened, mark.open.data = mark.happened, mark.data
        rolled = [entry for entry in self.entries[mark.entries :] if entry.dice]
        for entry in rolled:
            entry.changes, entry.facts, entry.happened, entry.data = [], [], [], {}
        self.entries[mark.entries :] = rolled

    # ---- changes

    def set(self, table: str, id_: str, field_: str, value: Any) -> None:
        """Set one field; None removes it. Nothing is recorded if the value is already so."""
        entry = self.current
        if self.state.get(table, id_, field_) == value:
            return
        before = self.state.put(table, id_, field_, value)
        self._note(entry, [table, id_, field_, before, value])

    def add(self, table: str, id_: str, field_: str, by: Any) -> Any:
        """Add to a number (absent counts as 0) and return the new value."""
        value = self.state.get(table, id_, field_, 0) + by
        self.set(table, id_, field_, value)
        return value

    def put_row(self, table: str, id_: str, row: Mapping[str, Any] | None) -> None:
        """Set or remove (None) a whole row."""
        entry = self.current
        before = self.state.put(table, id_, WHOLE_ROW, row)
        self._note(entry, [table, id_, WHOLE_ROW, before, dict(row) if row is not None else None])

    def _note(self, entry: Entry, change: Change) -> None:
        entry.changes.append(change)
        if self._marks:
            self._made.append(change)

    def units(self, owner: str, kind: str, place: str, by: int, **extra: Any) -> str:
        """Add (or with a negative number take away) units of one stack; returns the stack's id.

        Raises ValueError if more are taken than there are.
        """
        extra = {k: v for k, v in extra.items() if v is not None}
        key = unit_key(owner, kind, place, extra)
        now = int(self.state.get("units", key, "n", 0))
        if now + by > MOST_UNITS:
            raise TooMuch(f"more than {MOST_UNITS:,} units of one kind in one place")
        if now + by < 0:
            raise ValueError(f"{key} has {now} units, {-by} taken away")
        if by == 0:
            return key
        if now == 0:
            self.put_row("units", key, {"owner": owner, "kind": kind, "place": place, "n": by, **extra})
        elif now + by == 0:
            self.put_row("units", key, None)
        else:
            self.set("units", key, "n", now + by)
        return key

    def alter_units(self, key: str, n: int, **fields: Any) -> str:
        """Turn `n` units of a stack into units with other fields (place, owner, kind or a condition; None
        removes one).
        """
        row = dict(self.state.row("units", key))
        self.take_units(key, n)
        row.update(fields)
        return self.units(row["owner"], row["kind"], row["place"], n, **extra_fields(row))

    def take_units(self, key: str, n: int) -> None:
        """Take `n` units off a stack. Raises ValueError if it has fewer."""
        row = self.state.row("units", key)
        self.units(row["owner"], row["kind"], row["place"], -n, **extra_fields(row))

    def fact(self, word: str, **roles: Any) -> None:
        """Something happened: recorded, and offered to the events."""
        fact = Fact(word, {k: v for k, v in roles.items() if v is not None})
        self.current.facts.append(fact)
        self.pending.append(fact)


def replay(state: State, entries: Iterable[Entry | Mapping[str, Any]]) -> State:
    """The state after the entries, from their changes alone.

    Raises ValueError where a `before` does not fit.
    """
    out = state.copy()
    for item in entries:
        number = item.n if isinstance(item, Entry) else item["n"]
        changes: Sequence[Change] = item.changes if isinstance(item, Entry) else item["changes"]
        for table, id_, field_, before, after in changes:
            found = out.put(table, id_, field_, after)
            if found != before:
                raise ValueError(
                    f"entry {number}: {table}/{id_}.{field_} was {found!r}, the journal says {before!r}"
                )
    return out


_NO_HASH = b',"hash":""'
_HASH = ',"hash":"'


def _link(head: str, body: bytes) -> str:
    """The digest of the list of the head before and an entry's canonical bytes without its hash."""
    return hashlib.sha256(b'["%b",%b]' % (head.encode(), body)).hexdigest()


def verify_chain(entries: Iterable[Mapping[str, Any]], head: str = "") -> int | None:
    """The number of the first entry whose hash does not follow from the one before, or None."""
    for data in entries:
        body = {**data, "hash": ""}
        head = digest([head, body])
        if head != data["hash"]:
            return int(data["n"])
    return None


def number_and_hash(text: str, head: str = "") -> tuple[int, str] | None:
    """Of an entry's canonical text its number and its hash, if that follows from the head before; else None.

    The text itself is hashed, which takes a tenth of the time of reading it.
    """
    # a quotation mark inside a text is escaped, and after the entry's own hash there are but numbers and
    # texts: it is the last
    at = text.rfind(_HASH) + len(_HASH)
    found, rest = text[at : at + 64], text[at + 64 :]
    if at < len(_HASH) or not rest.startswith('","n":') or _link(head, (text[:at] + rest).encode()) != found:
        return None
    return int(rest[6 : rest.index(",", 6)]), found
