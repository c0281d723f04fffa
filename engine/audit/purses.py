"""Purses: every change of a stock has a cause in its entry, and is of the amount that the cause comes to.

Causes are prices of purchases and acts, bills, what places yield, what facts say is paid, and what is sent and arrives.
Amounts are reckoned from the rows as far as they can be without the figures that hang on a battle, a way or an earlier
moment; the rest is held to the facts and the data of the entry, and counted as skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..core.journal import Entry
from ..core.model import Row, Ruleset
from ..core.state import State
from .book import Book
from .played import RecordedGame, rows_changed, said_in
from .reading import FORMS, Beyond, Reader, held_by

Amounts = Counter[str]
"""Resource -> amount."""


@dataclass(slots=True)
class _Sent:
    """What has been sent in a step and has not arrived yet."""

    step: tuple[int, str] = (0, "")
    amounts: dict[str, Fraction] = field(default_factory=dict)

    def at(self, entry: Entry) -> dict[str, Fraction]:
        if self.step != (entry.turn, entry.step):
            self.step, self.amounts = (entry.turn, entry.step), {}
        return self.amounts


def purses(played: RecordedGame, book: Book) -> None:
    """Every entry that changes a stock, and the incomes at the end of every turn."""
    sent = _Sent()
    for entry, reader in played.readings():
        moved = _moved(entry, reader.state, book)
        _stocks(entry, reader, moved, sent, book)
    _incomes(played, book)


def money(ruleset: Ruleset) -> str:
    """The resource in which prices are."""
    return str(ruleset.setting("money", "") or next(iter(ruleset.rows("resources")), ""))


def _moved(entry: Entry, state: State, book: Book) -> dict[tuple[str, str], Fraction]:
    """Purse and resource -> by how much an entry changes it; what falls below nothing is written down."""
    out: dict[tuple[str, str], Fraction] = {}
    for purse, before, after in rows_changed(entry, state, "stores"):
        for what in sorted({*before, *after}):
            was, now = Fraction(before.get(what, 0) or 0), Fraction(after.get(what, 0) or 0)
            if was != now:
                out[purse, what] = now - was
                book.check(now >= 0, entry, purse, f"{what} in the purse", "0 or more", now)
    return out


def _stocks(entry: Entry, reader: Reader, moved: Mapping[tuple[str, str], Fraction], sent: _Sent, book: Book) -> None:
    state, ruleset = reader.state, reader.ruleset
    form, _, id_ = entry.rule.partition("/")
    row = ruleset.rows(form).get(id_, {})
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
    """Resource -> what an entry should add to all purses together."""
    main, data = money(ruleset), entry.data
    out: dict[str, Fraction] = {}

    def add(what: str, amount: Any) -> None:
        out[what] = out.get(what, Fraction(0)) + Fraction(amount)

    if form == "catalogue" and "cost" in data:
        add(main, -_price(entry, ruleset, row, reader))
        if any(str(use.get("taken", "purchase")) != "complete" for use in row.get("uses", {}).values()):
            raise Beyond("purchases that use up other stocks at once")
        return out
    if "income" in data and "items" in data:
        return _yielded(entry, ruleset, main)
    if form == "bills":
        if str(data.get("unpaid", "0")) != "0":
            raise Beyond("bills that are paid in part")
        add(str(row.get("what") or main), -Fraction(data["owed"]))
        return out
    if form in ("levies", "gifts", "routes"):
        return _sent_off(entry, form, row, sent.at(entry))
    if form == "frame" and sent.at(entry) and any(c[0] == "stores" for c in entry.changes):
        arrived, sent.amounts = dict(sent.at(entry)), {}
        return arrived
    if form == "acts" and row.get("cost") is not None and any(fact.word == "acted" for fact in entry.facts):
        for what, amount in _act_price(entry, state, ruleset, reader, row, main).items():
            add(what, -amount)
    for _, before, after in rows_changed(entry, state, "under_way"):
        if before and not after and form == "catalogue":
            for resource, purse, amount in before.get("uses", ()) if "else" not in data else ():
                add(resource, -min(Fraction(amount), Fraction(state.get("stores", purse, resource, 0))))
            if data.get("else") == "refund":
                add(main, before.get("cost", 0))
    for fact in entry.facts:
        if fact.word == "paid":
            what = str(fact.roles.get("what", main))
            add(what, fact.roles["amount"] if fact.roles.get("of") else 0)
            add(what, -Fraction(fact.roles["amount"]) if fact.roles.get("by") else 0)
    if form == "events" and said_in(row, "absorb"):
        raise Beyond("what a nation takes over")
    return out


def _price(entry: Entry, ruleset: Ruleset, row: Row, reader: Reader) -> Fraction:
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
        reader.figure(row["price"], names) if "price" in row else reader.figure("price", names, reader.thing("item", row["id"]))
    )
    exact = n * (price + fee)
    return Fraction(-((-exact.numerator) // exact.denominator))


def _yielded(entry: Entry, ruleset: Ruleset, main: str) -> dict[str, Fraction]:
    """What a nation collects: its income, and what the yields bring that are not limited by it."""
    data = entry.data
    out = {main: Fraction(data["income"])}
    limited = Fraction(0)
    for item in data["items"]:
        row = ruleset.rows("yields").get(item["yield"], {})
        what = str(row.get("into", main))
        if what != main or row.get("limited") is False:
            out[what] = out.get(what, Fraction(0)) + Fraction(item["amount"])
        else:
            limited += Fraction(item["amount"])
    if not data.get("rows"):
        out[main] = out[main] - Fraction(data["income"]) + limited
    return out


def _sent_off(entry: Entry, form: str, row: Row, sent: dict[str, Fraction]) -> dict[str, Fraction]:
    """What leaves by a gift, a levy or a route; what arrives of it comes with a later entry of the step."""
    data, what = entry.data, str(row.get("what", ""))
    if form == "levies":
        gone = arrives = Fraction(data.get("paid", 0))
    elif form == "gifts":
        gone, arrives = Fraction(data["amount"]), Fraction(data["arrives"])
    else:
        if "captured_by" in data or data.get("cut") or any(data.get("lost", ())) or "amount" not in data:
            raise Beyond("transfers that are cut or fought for")
        gone = arrives = Fraction(data["amount"])
    sent[what] = sent.get(what, Fraction(0)) + arrives
    return {what: -gone}


def _act_price(entry: Entry, state: State, ruleset: Ruleset, reader: Reader, row: Row, main: str) -> dict[str, Fraction]:
    """What an act costs by its row, with what its order names in scope."""
    key = next((c[1] for c in entry.changes if c[0] == "orders" and c[2] == "status"), None)
    order = state.row("orders", key) if key is not None else {}
    nation = reader.thing("nation", order.get("nation", entry.subject.partition(":")[0]))
    names: dict[str, Any] = {"self": nation, "nation": nation}
    for slot, value in order.get("slots", {}).items():
        kind = row.get("slots", {}).get(slot)
        kind = kind.get("kind") if isinstance(kind, Mapping) else kind
        names[slot] = reader.thing(str(kind), value) if isinstance(value, str) and kind in FORMS else value
    cost = row["cost"] if isinstance(row["cost"], Mapping) else {main: row["cost"]}
    out = {}
    for what, said in cost.items():
        out[what] = reader.figure(said, {"resource": reader.thing("resource", what), **names})
    return out


def _whose(entry: Entry, moved: Mapping[tuple[str, str], Fraction], book: Book) -> None:
    """Nations that facts say are paid, or pay, and nothing else happens to, have it in their own purses."""
    got: Counter[tuple[str, str]] = Counter()
    for fact in entry.facts:
        if fact.word == "paid" and "amount" in fact.roles and "item" not in fact.roles:
            for role, sign in (("of", 1), ("by", -1)):
                if fact.roles.get(role):
                    got[fact.roles[role], str(fact.roles.get("what"))] += sign * Fraction(fact.roles["amount"])  # type: ignore[assignment]
    payer = entry.subject.partition(":")[0]
    for (who, what), amount in got.items():
        own = [by for (purse, of), by in moved.items() if of == what and purse.partition("/")[0] == who]
        if own and who != payer:
            book.check(sum(own) == amount, entry, who, f"{what} paid to or by them", amount, sum(own))


def _incomes(played: RecordedGame, book: Book) -> None:
    """Who holds nothing, and held nothing when the turn began, has no income, where incomes are kept."""
    before: set[str] = set()
    kept = any(c[0] == "nations" and c[2] == "income" for stage in played.stages for e in stage.entries for c in e.changes)
    told: set[str] = set()
    for turn, state in played.ends() if kept else ():
        holders = {held_by(played.ruleset, state, place) for place in played.ruleset.rows("places")}
        for nation, row in state.table("nations").items():
            if nation in holders or nation in before or nation in told:
                continue
            income = row.get("income", 0)
            book.check_turn(not income, turn, nation, "income of a nation that holds nothing", 0, income)
            if income:
                told.add(nation)  # once is enough
        before = {h for h in holders if h}
