"""What came of a nation's resources in a turn: beginning, each source, spent by kind, given, left. The lines
add up.

Of each treasury the reader sees what lies in it, and so its every change; a change is given its name only by
an entry that they may read, all others stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core.journal import NOBODY, Entry
from ..core.messages import capital
from ..core.model import Row
from ..world import treasury
from ..world.view import may_read
from ..world.world import exact
from .document import Block, Para, Refs, Table
from .wording import Wording, listing

AT_FIRST = "at the beginning"
"""The first line of an account that is a table."""
SPENT = "spent"
"""What all that was bought is called in an account."""
BOUGHT = 2
"""The rank of what was bought among the lines (`Share`)."""


@dataclass(frozen=True)
class Account:
    """One resource in one turn: label -> amount, in the treasury of the seat (`main`) and in all others."""

    resource: str
    name: str
    begun: tuple[Any, Any]
    lines: tuple[tuple[str, Any, Any], ...]
    left: tuple[Any, Any]
    spent: tuple[tuple[str, Any], ...]
    purses: tuple[tuple[str, Any], ...]
    main: str
    income: tuple[Any, Any] | None = None
    """What comes in a turn now, and what came in before it changed in this turn."""
    refs: Refs = ()


def accounts(entries: Sequence[Entry], words: Wording) -> list[Account]:
    """An account for each resource of which the view shows the reader a treasury."""
    paid = [e for e in entries if "treasuries" in [change[0] for change in e.changes]]
    hands = _changed_hands(entries, words.reader)
    sent = _sent(entries, words)
    made = (_account(paid, what, words, hands, sent) for what in words.world.ruleset.rows("resources"))
    return [account for account in made if account is not None]


Share = tuple[int, str, Any, Any]
"""A part of a change: its rank among the lines, what it is called, how much, and how much of it lies at the
seat (None: what the others leave)."""
Sent = Mapping[int, Sequence[tuple[str, str, Any]]]
"""Number of an entry -> what arrives by it: which resource, what it is called, and how much (None: the
rest)."""


def _sent(entries: Sequence[Entry], words: Wording) -> Sent:
    """What others have sent the reader, as gifts and by levies, and what the reader has sent to a treasury of
    their own, by the entry that credits it.

    That entry is of all that was sent in its step, and so told to nobody; who sent what was told before.
    """
    reader = words.reader
    side = words.world.side_of(reader)
    out: dict[int, list[tuple[str, str, Any]]] = {}
    waiting: list[tuple[str, str, Any]] = []
    for entry in entries:
        form, _, id_ = entry.rule.partition("/")
        if form == "transfers" and may_read(entry, reader, side):
            row = words.world.ruleset.row("transfers", id_)
            giver, _, to = entry.subject.partition(":")
            if row["kind"] == "gift" and to == reader:
                arrives = exact(Fraction(entry.data["arrives"]))
                waiting.append((row["what"], f"from {words.name(giver)}", arrives))
            elif row["kind"] == "levy" and to != reader and "paid" in entry.data:
                waiting.append((row["what"], f"{row.get('name', id_)} from {words.name(to)}", None))
            elif giver == reader and "taken" in entry.data:
                waiting.append((row["what"], "taken on its way", entry.data["taken"]))
            elif row["kind"] == "route" and giver == reader and "shares" in entry.data:
                arrives = sum(entry.data["shares"]) - sum(entry.data["lost"])
                waiting.append((row["what"], _named(words, row, id_), arrives))
        elif waiting and form == "sequence" and _credits_in_silence(entry):
            out[entry.n], waiting = waiting, []
    return out


def _credits_in_silence(entry: Entry) -> bool:
    return _is_silent(entry) and any(c[0] == "treasuries" for c in entry.changes)


def _is_silent(entry: Entry) -> bool:
    """Whether it is told to nobody: bookkeeping of the rules, as what is granted each turn."""
    return tuple(entry.audience) == (NOBODY,)


def _changed_hands(entries: Sequence[Entry], reader: str) -> dict[str, bool]:
    """Place -> whether it was the reader's before the first of the entries that gave it to somebody, or gave
    it back.
    """
    out: dict[str, bool] = {}
    for entry in entries:
        for table_, id_, field, before, after in entry.changes:
            if (
                table_ == "places"
                and field == "holder"
                and (before in (None, reader)) != (after in (None, reader))
            ):
                out.setdefault(id_, before in (None, reader))
    return out


def _account(
    entries: Sequence[Entry],
    what: str,
    words: Wording,
    hands: Mapping[str, bool],
    sent: Sent,
) -> Account | None:
    """`hands`: see `_changed_hands`; `sent`: see `_sent`."""
    purses = _purses(entries, what, words, hands)
    if not purses.now:
        return None
    sums = _Sums(words, what, purses)
    for entry in entries:
        sums.take(entry, sent)
    return sums.account()


@dataclass(frozen=True)
class _Purses:
    """The reader's treasuries of one resource, and what is in them: `now`, with the `lost`, whose seat
    another holds since the report before; `apart` are all whose seat another holds, `back` those that the
    reader has again.

    A treasury whose seat another holds is out of reach: it counts until it is lost.
    """

    now: Mapping[str, Any]
    lost: Mapping[str, Any]
    apart: AbstractSet[str]
    back: Sequence[str]
    main: str


def _purses(entries: Sequence[Entry], what: str, words: Wording, hands: Mapping[str, bool]) -> _Purses:
    world, reader = words.world, words.reader
    shown = world.state.table("treasuries")
    now = {p: v for p, v in treasury.purses(world, reader, what).items() if what in shown.get(p, {})}
    others = {k: row[what] for k, row in shown.items() if k.startswith(reader + "/") and what in row}
    apart = {k: v for k, v in others.items() if k not in now}
    lost = {k: v for k, v in apart.items() if hands.get(k.partition("/")[2])}
    known = set(now)
    for entry in entries:  # one that was emptied since, too
        known |= {c[1] for c in entry.changes if c[0] == "treasuries" and c[1].startswith(f"{reader}/")}
    back = [k for k in sorted(known - apart.keys()) if _was_away(words, k, hands)]
    now |= lost
    main = treasury.main_purse(world, reader, what)
    if now and main not in now:
        main = max(sorted(now), key=lambda p: now[p])
    return _Purses(now, lost, apart.keys(), back, main)


class _Sums:
    """The lines of an account, added up entry by entry."""

    def __init__(self, words: Wording, what: str, purses: _Purses) -> None:
        self.words = words
        self.what = what
        self.purses = purses
        self.main = purses.main
        self.regained = {purse: purses.now.get(purse, 0) for purse in purses.back}
        self.lines: dict[tuple[int, str], list[Any]] = {}
        self.spent: dict[str, Any] = {}
        self.incomes: list[tuple[Any, Any, Any] | None] = []
        self.refs: list[int] = []

    def take(self, entry: Entry, sent: Sent) -> None:
        """Add what an entry changed."""
        purses, reader = self.purses, self.words.reader
        moved = _moved(entry, self.what, reader, purses.now, purses.apart - purses.lost.keys())
        for purse in purses.back:
            self.regained[purse] -= moved.get(purse, 0)
        if not moved:
            return
        self.refs.append(entry.n)
        if "items" in entry.data and self.what == treasury.money(self.words.world.ruleset):
            self.incomes.append(_income(entry, reader))
        total, rest = sum(moved.values()), moved.get(self.main, 0)
        arrives = [(label, n) for of, label, n in sent.get(entry.n, ()) if of == self.what]
        shares = _arriving(arrives, total) or list(
            _labels(self.words, entry, self.what, total, self.main if self.main in moved else "")
        )
        rest -= sum(share[3] for share in shares if share[3] is not None)
        for order, label, share, at_main in sorted(shares, key=lambda s: (s[3] is None, -abs(s[2]))):
            if at_main is None:  # all of the rest with the first, the largest
                self._add(order, label, share, rest)
                rest = 0
            else:
                self._add(order, label, share, at_main)

    def _add(self, order: int, label: str, share: Any, at_main: Any) -> None:
        line = self.lines.setdefault((order, label), [0, 0])
        line[0] += at_main
        line[1] += share - at_main
        if order == BOUGHT:
            self.spent[label] = self.spent.get(label, 0) - share

    def account(self) -> Account:
        """All of it: how it began, the lines in their order, and how it ends."""
        what, main, now = self.what, self.main, self.purses.now
        for label, purses, way in (
            ("out of reach", self.purses.lost, -1),
            ("in reach again", self.regained, 1),
        ):
            at_main = way * purses.get(main, 0)
            self.lines[4, label] = [at_main, way * sum(purses.values()) - at_main]
        lines = dict(self.lines)
        if self.spent:
            paid = [lines.pop(key) for key in list(lines) if key[0] == BOUGHT]
            lines[BOUGHT, SPENT] = [sum(line[0] for line in paid), sum(line[1] for line in paid)]
        table = tuple(
            (label, at_main, away) for (_, label), (at_main, away) in sorted(lines.items()) if at_main or away
        )
        others = {p: v for p, v in now.items() if p != main and p not in self.purses.lost}
        left = (0 if main in self.purses.lost else now.get(main, 0), sum(others.values()))
        return Account(
            resource=what,
            name=str(self.words.world.ruleset.row("resources", what).get("name", what)),
            begun=(left[0] - sum(line[1] for line in table), left[1] - sum(line[2] for line in table)),
            lines=table,
            left=left,
            spent=tuple(_largest_first(self.spent)),
            purses=tuple((_seat(self.words, purse), value) for purse, value in _largest_first(others)),
            main=_seat(self.words, main),
            income=_together(self.incomes),
            refs=tuple(self.refs),
        )


def _largest_first(sums: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))


def _was_away(words: Wording, purse: str, hands: Mapping[str, bool]) -> bool:
    """Whether a treasury was out of reach when the turn began: another held its seat. `hands`: see
    `_changed_hands`.
    """
    seat = purse.partition("/")[2]
    had = hands.get(seat)
    return bool(seat) and (words.world.holder_of(seat) != words.reader if had is None else not had)


def _arriving(arrives: Sequence[tuple[str, Any]], total: Any) -> list[Share]:
    """What arrives at once, by who sent it, as `_labels` gives it; nothing if that does not add up."""
    out: list[Share] = [(3, label, n, None) for label, n in arrives if n is not None]
    rest = total - sum(share for _, _, share, _ in out)
    levied = [label for label, n in arrives if n is None]
    if levied and rest > 0:
        out.append((3, listing(levied), rest, None))
        rest = 0
    return out if rest == 0 else []


def _income(entry: Entry, reader: str) -> tuple[Any, Any, Any] | None:
    """The income that an entry sets, what it was before, and what was collected."""
    part = entry.data.get("income")
    for table_, id_, field, before, after in entry.changes:
        if table_ == "nations" and id_ == reader and field == "income":
            return after, before, part
    return None if part is None else (part, part, part)


def _together(incomes: Sequence[tuple[Any, Any, Any] | None]) -> tuple[Any, Any] | None:
    """The income that some entries set, one after the other, and what it was before; what comes in parts that
    are not added up has no figure of its own."""
    known = [income for income in incomes if income is not None]
    added = all(before is not None and after == before + part for after, before, part in known[1:])
    return (known[-1][0], known[0][1]) if known and len(known) == len(incomes) and added else None


def _seat(words: Wording, purse: str) -> str:
    name, _, place = purse.partition("/")
    return words.place(place or name) if place or words.world.ruleset.has("places", name) else ""


def _moved(
    entry: Entry, what: str, reader: str, now: Mapping[str, Any], apart: AbstractSet[str]
) -> dict[str, Any]:
    """Treasury -> by how much an entry changed it, of the reader's own but those `apart`."""
    out: dict[str, Any] = {}
    for table_, id_, field, before, after in entry.changes:
        if (
            table_ != "treasuries"
            or id_ in apart
            or not (id_ in now or id_ == reader or id_.startswith(reader + "/"))
        ):
            continue
        if field == what:
            by = (after or 0) - (before or 0)
        elif field == "*":
            by = (after or {}).get(what, 0) - (before or {}).get(what, 0)
        else:
            continue
        if by:
            out[id_] = out.get(id_, 0) + by
    return out


def _labels(words: Wording, entry: Entry, what: str, total: Any, main: str) -> Iterable[Share]:
    """What a change is called, its share, and how much of that lies in the treasury `main` (none if the
    change is in others alone), where that is known.

    Sources come first (1), then what was bought (2), given and received (3), and all else (4).
    """
    reader = words.reader
    world = words.world
    own = not entry.dice and (
        entry.subject == reader or (_is_silent(entry) and entry.subject == f"nation:{reader}" and total > 0)
    )
    readable = may_read(entry, reader, world.side_of(reader))
    if not readable and not own:  # who did it is kept from those who may not read of it
        yield 4, "not told to you", total, None
        return
    data = entry.data
    form, _, id_ = entry.rule.partition("/")
    if "items" in data and total > 0:
        items = [
            (world.ruleset.row_or_empty("income", i["yield"]), i["yield"], Fraction(i["amount"]), i)
            for i in data["items"]
        ]
        items = [i for i in items if i[0].get("into", treasury.money(world.ruleset)) == what]
        for row, name, amount, item in items:
            at_main = item["purses"].get(main, 0) if "purses" in item else bool(main) * amount
            yield 1, _named(words, row, name), exact(amount), exact(Fraction(at_main))
        rest = total - sum(i[2] for i in items)
        if rest:
            yield 1, "limits of income" if rest < 0 else "supplement", exact(rest), None
    elif "to" in data and "what" in data and "amount" in data:
        giver = entry.subject.partition(":")[0]
        if total < 0:
            arrives = (
                f" ({data['arrives']} arrive)"
                if "arrives" in data and str(data["arrives"]) != str(data["amount"])
                else ""
            )
            yield 3, f"to {words.name(str(data['to']))}{arrives}", total, None
        else:
            yield 3, f"from {words.name(giver)}", total, None
    elif form == "production":
        yield BOUGHT, _bought(words, id_), total, None
    elif form == "transfers":  # on its way to a treasury of the reader's own; what arrives is the same line
        yield 3, _named(words, world.ruleset.row(form, id_), id_), total, None
    elif total == 0:  # as when regions meet
        yield 4, "between your treasuries", total, None
    else:
        named: Row = world.ruleset.row_or_empty(form, id_)
        name = entry.step.replace("-", " ") if form == "sequence" else _named(words, named, id_)
        yield (2 if total < 0 else 3), name, total, None


def yield_name(row: Row, id_: str) -> str:
    """What a source of income or an act is called."""
    return str(row.get("label") or row.get("name") or id_.replace("-", " "))


def _named(words: Wording, row: Row, id_: str) -> str:
    """The same as it stands in a list."""
    name = yield_name(row, id_)
    return name if row.get("proper_name") else words.inside(name)


def _bought(words: Wording, id_: str) -> str:
    ruleset = words.world.ruleset
    if ruleset.has("units", id_):
        return words.kind(id_, 2)
    return words.inside(str(ruleset.row_or_empty("production", id_).get("name", id_)))


SHORT = 2
"""Lines of an account that are told in a sentence."""
MANY = 3
"""So many resources beside the first that have such accounts are told in one sentence together."""


def blocks(accounts_: Sequence[Account], lost: Sequence[tuple[str, Any]] = ()) -> list[Block]:
    """The accounts as tables; a resource that did not move is told in a sentence, one that was never there
    not at all.

    `lost`: places that the reader lost in the turn, with their worth, which may explain why their income is
    less.
    """
    out: list[Block] = []
    shown = [a for a in accounts_ if a.lines or any(a.left)]
    small = [a for a in shown[1:] if len(a.lines) <= SHORT and not a.purses]
    if len(small) >= MANY:  # as tokens that are laid and taken back each turn: what there is now says all
        shown = [a for a in shown if a not in small]
    else:
        small = []
    for account in shown:
        if len(account.lines) <= SHORT:
            out.append(Para(_in_a_sentence(account, lost), capital(account.name), account.refs))
            continue
        parted = bool(account.purses)
        head = (capital(account.name), *((account.main or "main", "elsewhere", "all") if parted else ("",)))
        rows = [(AT_FIRST, *_cells(account.begun, parted, False))]
        rows += [(label, *_cells((a, b), parted, True)) for label, a, b in account.lines]
        rows.append(("left now", *_cells(account.left, parted, False)))
        spent = [f"Spent: {_items(account)}."] if account.spent else []
        notes = (*spent, *_elsewhere(account), *_incoming(account, lost))
        out.append(Table(head, tuple(rows), tuple(range(1, len(head))), notes, log=account.refs))
    if small:
        left = listing(f"{capital(a.name)} {a.left[0]}" for a in small)
        out.append(Para(f"{left}.", "Left", tuple(n for a in small for n in a.refs)))
    return out


def _items(account: Account) -> str:
    """What was bought, with what it cost where it was not all the same."""
    return listing(label if len(account.spent) == 1 else f"{label} {n}" for label, n in account.spent)


def _in_a_sentence(account: Account, lost: Sequence[tuple[str, Any]]) -> str:
    """An account of few lines: what there was, what came and went, and what is left where."""
    left = sum(account.left)
    where = f", {account.left[0]} of it in {account.main}" if account.left[1] and account.main else ""
    if not account.lines:
        return f"{left}{where}, as before."
    moves = []
    for label, at_main, away in account.lines:
        n = at_main + away
        moves.append(f"{n:+} {label}" if isinstance(n, int) else f"{n} {label}")
        moves[-1] += f" ({_items(account)})" if label == SPENT else ""
    said = f"{sum(account.begun)} at the beginning, {listing(moves)}, {left} left{where}."
    return " ".join([said, *_elsewhere(account), *_incoming(account, lost)])


def _elsewhere(account: Account) -> list[str]:
    """What lies in other treasuries than that of the seat, by how much it is."""
    groups: dict[Any, list[str]] = {}
    for place, amount in account.purses:
        if amount and place:
            groups.setdefault(amount, []).append(place)
    said = "; ".join(f"{listing(p)} {n}{' each' if len(p) > 1 else ''}" for n, p in groups.items())
    return [f"Elsewhere: {said}."] if said else []


def _incoming(account: Account, lost: Sequence[tuple[str, Any]]) -> list[str]:
    """What comes in a turn, by how much it changed, and for the loss of which places where these make up for
    it.
    """
    if account.income is None or not isinstance(account.income[0], int):
        return []
    now, before = account.income
    if not isinstance(before, int):
        return [f"Income {now}."]  # the first that there was
    if now == before:
        return [f"Income {now}, as before."]
    by = now - before
    cost = [(place, worth) for place, worth in lost if worth]
    why = ""
    if by < 0 and sum(worth for _, worth in cost) == -by:
        why = ": " + listing(f"{place} {worth}" for place, worth in cost)
    return [f"Income {now}, {abs(by)} {'more' if by > 0 else 'less'} than before{why}."]


def _cells(values: tuple[Any, Any], parted: bool, signed: bool) -> tuple[str, ...]:
    a, b = values

    def cell(v: Any) -> str:
        if not v:
            return "-" if signed else "0"
        return f"+{v}" if signed and v > 0 else str(v)

    return (cell(a), cell(b), cell(a + b)) if parted else (cell(a + b),)
