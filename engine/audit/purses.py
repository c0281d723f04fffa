"""Treasuries: every change of a stock has a cause in its entry, and is of the amount that the cause comes to.

Causes are prices of purchases and acts, bills, what places yield, what facts say is paid, and what is sent
and arrives. Amounts are computed from the rows as far as they can be without the figures that depend on a
battle, a way or an earlier moment; the rest is held to the facts and the data of the entry, and counted as
skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from ..core.choices import as_slot
from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.state import State
from .book import Book
from .figures import Beyond, rounded
from .played import RecordedGame, rows_changed, said_in
from .reading import Reader
from .relations import held_by
from .things import FORMS


@dataclass(slots=True)
class _Sent:
    """What has been sent in a step and has not arrived yet."""

    step: tuple[int, str] = (0, "")
    amounts: dict[str, Fraction] = field(default_factory=dict)
    prizes: Fraction = Fraction(0)
    """What those who cut the last transfer have still to be given of it."""

    def at(self, entry: Entry) -> dict[str, Fraction]:
        if self.step != (entry.turn, entry.step):
            self.step, self.amounts, self.prizes = (entry.turn, entry.step), {}, Fraction(0)
        return self.amounts


def purses(played: RecordedGame, book: Book) -> None:
    """Every entry that changes a stock, and the incomes at the end of every turn."""
    sent = _Sent()
    granted: dict[tuple[int, str], Fraction] = {}
    for entry, reader in played.readings():
        moved = _moved(entry, reader.state, book)
        _stocks(entry, reader, moved, sent, book)
        _prizes(entry, reader, sent, book)
        if "income" in entry.data and "items" in entry.data:
            key = (entry.turn, entry.subject)
            granted[key] = granted.get(key, Fraction(0)) + _granted(entry, reader, book)
    _incomes(played, granted, book)


def money(ruleset: Ruleset) -> str:
    """The resource in which prices are."""
    return str(ruleset.setting("money", "") or next(iter(ruleset.rows("resources")), ""))


def _moved(entry: Entry, state: State, book: Book) -> dict[tuple[str, str], Fraction]:
    """Treasury and resource -> by how much an entry changes it; what falls below nothing is written down."""
    out: dict[tuple[str, str], Fraction] = {}
    for purse, before, after in rows_changed(entry, state, "treasuries"):
        for what in sorted({*before, *after}):
            was, now = Fraction(before.get(what, 0) or 0), Fraction(after.get(what, 0) or 0)
            if was != now:
                out[purse, what] = now - was
                book.check(now >= 0, entry, purse, f"{what} in the treasury", "0 or more", now)
    return out


def _stocks(
    entry: Entry, reader: Reader, moved: Mapping[tuple[str, str], Fraction], sent: _Sent, book: Book
) -> None:
    state, ruleset = reader.state, reader.ruleset
    form, _, id_ = entry.rule.partition("/")
    row = ruleset.row_or_empty(form, id_)
    total: dict[str, Fraction] = {}
    for (_, what), by in moved.items():
        total[what] = total.get(what, Fraction(0)) + by
    try:
        wanted = _causes(entry, state, ruleset, reader, form, row, sent)
    except Beyond as why:
        if moved:
            book.skip(str(why))
        return
    if not moved and not any(wanted.values()):
        return
    for what in sorted({*total, *wanted}):
        book.check(
            total.get(what, 0) == wanted.get(what, 0), entry, entry.subject, f"{what} that came and went",
            wanted.get(what, 0), total.get(what, 0),
        )  # fmt: skip
    _whose(entry, moved, book)


def _causes(
    entry: Entry, state: State, ruleset: Ruleset, reader: Reader, form: str, row: Row, sent: _Sent
) -> dict[str, Fraction]:
    """Resource -> what an entry should add to all treasuries together."""
    main, data = money(ruleset), entry.data
    out: dict[str, Fraction] = {}

    def add(what: str, amount: Any) -> None:
        out[what] = out.get(what, Fraction(0)) + Fraction(amount)

    if form == "production" and "cost" in data:
        add(main, -_price(entry, row, reader))
        if any(str(use.get("taken", "purchase")) != "complete" for use in row.get("uses", {}).values()):
            raise Beyond("purchases that use up other stocks at once")
        return out
    if "income" in data and "items" in data:
        return _yielded(entry, ruleset, main)
    if form == "upkeep":
        if str(data.get("unpaid", "0")) != "0":
            raise Beyond("upkeep that is paid in part")
        add(str(row.get("what") or main), -Fraction(data["owed"]))
        return out
    if form == "transfers":
        return _sent_off(entry, row, sent.at(entry))
    if form == "sequence" and sent.at(entry) and any(c[0] == "treasuries" for c in entry.changes):
        arrived, sent.amounts = dict(sent.at(entry)), {}
        return arrived
    if (
        form == "actions"
        and row.get("cost") is not None
        and any(fact.word == "acted" for fact in entry.facts)
    ):
        for what, amount in _act_price(entry, state, reader, row, main).items():
            add(what, -amount)
    for _, before, after in rows_changed(entry, state, "under_way"):
        if before and not after and form == "production":
            for resource, purse, amount in before.get("uses", ()) if "if_lost" not in data else ():
                add(resource, -min(Fraction(amount), Fraction(state.get("treasuries", purse, resource, 0))))
            if data.get("if_lost") == "refund":
                add(main, before.get("cost", 0))
    for fact in entry.facts:
        if fact.word == "paid":
            what = str(fact.roles.get("what", main))
            add(what, fact.roles["amount"] if fact.roles.get("of") else 0)
            add(what, -Fraction(fact.roles["amount"]) if fact.roles.get("by") else 0)
    if form == "events" and said_in(row, "absorb"):
        raise Beyond("what a nation takes over")
    return out


def _price(entry: Entry, row: Row, reader: Reader) -> Fraction:
    """What a purchase costs: the price of each with its fee, rounded up together."""
    data = entry.data
    n, fee, said = int(data["n"]), Fraction(data["fee"]), Fraction(data["cost"])
    if int(data.get("dear", 0) or 0):
        raise Beyond("purchases beyond what a stock gives, at a multiple of the price")
    if row.get("facing", {}).get("all") or "lot" in row:
        return said  # one price for all borders together, or for a lot
    nation = reader.thing("nation", entry.subject.partition(":")[0])
    names = {"self": nation, "nation": nation, "place": reader.thing("place", data.get("site"))}
    price = (
        reader.figure(row["price"], names)
        if "price" in row
        else reader.figure("price", names, reader.thing("item", row["id"]))
    )
    exact = n * (price + fee)
    return Fraction(-((-exact.numerator) // exact.denominator))


def _yielded(entry: Entry, ruleset: Ruleset, main: str) -> dict[str, Fraction]:
    """What a nation collects: its income, and what the yields bring that are not limited by it."""
    data = entry.data
    out = {main: Fraction(data["income"])}
    limited = Fraction(0)
    for item in data["items"]:
        row = ruleset.row_or_empty("income", item["yield"])
        what = str(row.get("into", main))
        if what != main or row.get("limited") is False:
            out[what] = out.get(what, Fraction(0)) + Fraction(item["amount"])
        else:
            limited += Fraction(item["amount"])
    if not data.get("rows"):
        out[main] = out[main] - Fraction(data["income"]) + limited
    return out


def _sent_off(entry: Entry, row: Row, sent: dict[str, Fraction]) -> dict[str, Fraction]:
    """What leaves by a gift, a levy or a route; what arrives of it comes with a later entry of the step."""
    data, what = entry.data, str(row.get("what", ""))
    if row["kind"] == "levy":
        gone = arrives = Fraction(data.get("paid", 0))
    elif row["kind"] == "gift":
        gone, arrives = Fraction(data["amount"]), Fraction(data["arrives"])
    elif "taken" in data:
        gone, arrives = Fraction(0), Fraction(data["taken"])
    elif "amount" in data:
        gone = Fraction(data["amount"])
        arrives = Fraction(0) if _of_cut_ways(data) else gone - sum(map(Fraction, data.get("lost", ())))
    else:
        return {}
    sent[what] = sent.get(what, Fraction(0)) + arrives
    return {what: -gone}


def _of_cut_ways(data: Mapping[str, Any]) -> bool:
    """Whether nothing of a transfer arrives: an end of it was captured, or every lane is cut."""
    return "captured_by" in data or len(data.get("cut", ())) == len(data.get("lanes", ()))


def _prizes(entry: Entry, reader: Reader, sent: _Sent, book: Book) -> None:
    """Of a transfer by a route: its lanes carry it all, none loses more than it carries, and who cuts it off
    gets their part.
    """
    form, _, id_ = entry.rule.partition("/")
    by_route = form == "transfers" and reader.ruleset.row_or_empty(form, id_).get("kind") == "route"
    data = entry.data
    if by_route and "taken" in data:
        sent.prizes -= Fraction(data["taken"])
        book.check(
            sent.prizes >= 0,
            entry,
            entry.subject,
            "taken of a transfer",
            "no more than was lost",
            data["taken"],
        )
        return
    if sent.prizes and (by_route or form == "sequence"):  # ships at rest may be set out in between
        book.check(
            False, entry, entry.subject, "left of the part of those who cut a transfer off", 0, sent.prizes
        )
        sent.prizes = Fraction(0)
    if not by_route or "amount" not in data:
        return
    if _of_cut_ways(data):
        rule = reader.ruleset.row_or_empty("transfers", id_).get("no_way", {})
        try:
            share = reader.figure(rule.get("to_cutter", 0), {})
        except Beyond as why:
            book.skip(str(why))
            return
        sent.prizes = rounded(Fraction(data["amount"]) * share, rule.get("round", "down"))
        return
    amount, shares, lost = int(data["amount"]), data.get("shares", ()), data.get("lost", ())
    fine = sum(shares) == amount and all(0 <= less <= share for less, share in zip(lost, shares, strict=True))
    book.check(
        fine,
        entry,
        entry.subject,
        f"lanes of {amount}",
        "all of it, and no more lost than there is",
        f"{shares}, {lost}",
    )


def _act_price(entry: Entry, state: State, reader: Reader, row: Row, main: str) -> dict[str, Fraction]:
    """What an act costs by its row, with what its order names in scope."""
    key = next((c[1] for c in entry.changes if c[0] == "orders" and c[2] == "status"), None)
    order = state.row("orders", key) if key is not None else {}
    nation = reader.thing("nation", order.get("nation", entry.subject.partition(":")[0]))
    names: dict[str, Any] = {"self": nation, "nation": nation}
    for slot, value in order.get("slots", {}).items():
        kind = as_slot(row.get("slots", {}).get(slot)).get("kind")
        names[slot] = reader.thing(str(kind), value) if isinstance(value, str) and kind in FORMS else value
    cost = row["cost"] if isinstance(row["cost"], Mapping) else {main: row["cost"]}
    out = {}
    for what, said in cost.items():
        out[what] = reader.figure(said, {"resource": reader.thing("resource", what), **names})
    return out


def _whose(entry: Entry, moved: Mapping[tuple[str, str], Fraction], book: Book) -> None:
    """Nations that facts say are paid, or pay, and nothing else happens to, have it in their own
    treasuries.
    """
    got: Counter[tuple[str, str]] = Counter()
    for fact in entry.facts:
        if fact.word == "paid" and "amount" in fact.roles and "item" not in fact.roles:
            for role, sign in (("of", 1), ("by", -1)):
                if fact.roles.get(role):
                    got[fact.roles[role], str(fact.roles.get("what"))] += sign * Fraction(
                        fact.roles["amount"]
                    )  # type: ignore[assignment]
    payer = entry.subject.partition(":")[0]
    for (who, what), amount in got.items():
        own = [by for (purse, of), by in moved.items() if of == what and purse.partition("/")[0] == who]
        if own and who != payer:
            book.check(sum(own) == amount, entry, who, f"{what} paid to or by them", amount, sum(own))


def _granted(entry: Entry, reader: Reader, book: Book) -> Fraction:
    """What a nation collects by yields that depend on nothing it holds, each of which must be due to it."""
    total = Fraction(0)
    nation = reader.thing("nation", entry.subject)
    names = {"self": nation, "nation": nation}
    for item in entry.data["items"]:
        row = reader.ruleset.row_or_empty("income", item["yield"])
        if "over" in row:
            continue
        total += Fraction(item["amount"])
        try:
            due = reader.concerns(row, nation, names) and reader.test(row.get("when"), names)
            amount = rounded(reader.figure(row["amount"], names), row.get("round")) if due else Fraction(0)
        except Beyond as why:
            book.skip(str(why))
            continue
        book.check(
            amount == Fraction(item["amount"]),
            entry,
            entry.subject,
            f"what {item['yield']} brings",
            amount,
            item["amount"],
        )
    return total


def _incomes(played: RecordedGame, granted: Mapping[tuple[int, str], Fraction], book: Book) -> None:
    """Who holds nothing, and held nothing when the turn began, has no income, where incomes are kept, but
    what is `granted` to it in a turn by yields that depend on no place.
    """
    before: set[str] = set()
    entries = chain.from_iterable(stage.entries for stage in played.stages)
    changes = chain.from_iterable(e.changes for e in entries)
    kept = any(c[0] == "nations" and c[2] == "income" for c in changes)
    told: set[str] = set()
    for turn, state in played.ends() if kept else ():
        holders = {held_by(played.ruleset, state, place) for place in played.ruleset.rows("places")}
        for nation, row in state.table("nations").items():
            if nation in holders or nation in before or nation in told:
                continue
            income, most = Fraction(row.get("income", 0) or 0), granted.get((turn, nation), Fraction(0))
            book.check_turn(
                income <= most, turn, nation, "income of a nation that holds nothing", most, income
            )
            if income > most:
                told.add(nation)  # once is enough
        before = {h for h in holders if h}
