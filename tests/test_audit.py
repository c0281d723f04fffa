"""Auditors of whole games: short games of every ruleset stand, and each auditor notices what is spoiled for it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wteaw.audit.book import Book, Found
from wteaw.audit.figures import Beyond
from wteaw.audit.moves import Border
from wteaw.audit.played import RecordedGame, RecordedReport, RecordedStage
from wteaw.audit.reading import Reader
from wteaw.audit.run import AUDITORS, audit
from wteaw.audit.things import Thing
from wteaw.cli import ExitCode, main
from wteaw.cli.game import read_scenario
from wteaw.core.journal import Change, Entry, Fact
from wteaw.core.state import Entity, State
from wteaw.play.begin import new_game
from wteaw.report.game_audit import QUESTIONS, ROWS, audited, played, rows
from wteaw.store import Game
from wteaw.world.world import World
from wteaw_lab.single_game import resolutions

from .long_ones import but_long

TURNS = {"diplomacy": 3, "alliances-4": 3, "empire-orders": 3, "no-mans-land-1.4.2": 1, "no-mans-land": 1, "1914": 2, "third-edition-1914": 1}  # fmt: skip


@cache
def scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="audit-"))


@cache
def game(name: str) -> Game:
    """A short game of policies, always the same."""
    data, ruleset, _ = read_scenario(name)
    made = new_game(
        scratch() / name,
        data,
        ruleset,
        id_=name,
        options={},
        seed=bytes(range(16)),
        drawing=None,
        policies={},
    )
    for _ in resolutions(made, TURNS[name]):
        pass
    return made


@cache
def of(name: str) -> RecordedGame:
    return played(game(name))


@cache
def books_of(name: str) -> tuple[Book, ...]:
    return tuple(audited(of(name)))


def found(books: Iterable[Book]) -> list[Found]:
    return [f for book in books for f in book.found]


@pytest.mark.parametrize("name", but_long(TURNS, "third-edition-1914"))
def test_a_short_game_stands(name: str) -> None:
    books = books_of(name)
    assert [book.auditor for book in books] == [*AUDITORS, ROWS]
    assert not found(books), "\n".join(f.line() for f in found(books))
    assert sum(book.checked for book in books) > 100


def test_every_auditor_has_something_to_reckon() -> None:
    """In one of the games each finds something that it can judge; shares alone need a battle of allies, which is made below."""
    asked = {book.auditor for name in TURNS for book in books_of(name) if book.checked}
    assert asked >= set(QUESTIONS) - {"shares"}


# ---- games that are spoiled by hand


def spoiled(
    what: RecordedGame, pick: Callable[[Entry], bool], change: Callable[[Entry], None]
) -> tuple[RecordedGame, int]:
    """A game in which the first entry that is picked is changed; and that entry's number."""
    number = next(e.n for stage in what.stages for e in stage.entries if pick(e))
    stages = []
    for stage in what.stages:
        entries = list(stage.entries)
        for i, entry in enumerate(entries):
            if entry.n == number:
                entries[i] = deepcopy(entry)
                change(entries[i])
        stages.append(replace(stage, entries=tuple(entries)))
    return replace(what, stages=tuple(stages)), number


def noticed(
    name: str, auditor: str, pick: Callable[[Entry], bool], change: Callable[[Entry], None]
) -> list[Found]:
    """What an auditor finds in the entry that was spoiled, and did not find before."""
    what, number = spoiled(of(name), pick, change)
    (book,) = audit(what, [auditor])
    assert not found(book for book in books_of(name) if book.auditor == auditor)
    return [f for f in book.found if f.entry == number]


def test_a_loss_without_a_fact_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.facts = [f for f in entry.facts if f.word != "destroyed"]

    (one,) = noticed(
        "no-mans-land-1.4.2", "units", lambda e: any(f.word == "destroyed" for f in e.facts), change
    )
    assert one.says == "units that come and go" and one.expected == "none"


def test_a_change_without_an_entry_is_noticed() -> None:
    what = of("diplomacy")
    last = what.stages[-1]
    after = last.after()
    after.put("nations", "france", "income", 3)
    (book,) = audit(replace(what, stages=(*what.stages[:-1], replace(last, after=lambda: after))), ["units"])
    assert [(f.expected, f.got) for f in book.found] == [("as the journal leads to", "nations")]


def test_a_wrong_price_is_noticed() -> None:
    def change(entry: Entry) -> None:
        paid = next(c for c in entry.changes if c[0] == "treasuries")
        paid[4] += 1

    (one,) = noticed(
        "no-mans-land-1.4.2",
        "purses",
        lambda e: e.rule.startswith("production/") and "cost" in e.data,
        change,
    )
    assert "came and went" in one.says and int(one.got) == int(one.expected) + 1


def test_a_purse_below_nothing_is_noticed() -> None:
    def change(entry: Entry) -> None:
        next(c for c in entry.changes if c[0] == "treasuries")[4] = -1

    assert any(
        f.expected == "0 or more"
        for f in noticed("alliances-4", "purses", lambda e: e.rule.startswith("upkeep/"), change)
    )


def test_an_income_of_who_holds_nothing_is_noticed() -> None:
    what = of("no-mans-land-1.4.2")
    start = what.start.copy()
    start.put("nations", "exiles", "income", 5)
    (book,) = audit(replace(what, start=start), ["purses"])
    assert [f.whose for f in book.found if f.says.startswith("income of a nation")] == ["exiles"]


def test_a_die_beyond_its_faces_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.dice[0]["drawn"][0]["faces"][0] = 7

    assert noticed("alliances-4", "dice", lambda e: e.rule.startswith("battles/") and bool(e.dice), change)


def test_a_hit_too_many_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.data["fire"][0]["hits"] += 1

    assert any(
        f.says.startswith("hits of")
        for f in noticed("no-mans-land-1.4.2", "battles", lambda e: bool(e.data.get("fire")), change)
    )


def test_a_wrong_value_is_noticed() -> None:
    def change(entry: Entry) -> None:
        fire = next(f for f in entry.data["fire"] if f["value"] > 0)
        fire["value"] += 3

    assert any(
        f.says.startswith("value of")
        for f in noticed("no-mans-land-1.4.2", "battles", lambda e: bool(e.data.get("fire")), change)
    )


@pytest.mark.parametrize(("lost", "fine"), [((3, 1), True), ((2, 2), True), ((4, 0), False), ((1, 3), False)])
def test_losses_of_allies_that_are_not_shared_are_noticed(lost: tuple[int, int], fine: bool) -> None:
    """Two allies with ten and six infantry lose four: 2.5 and 1.5, so that either of them may bear the larger half."""
    ruleset = of("1914").ruleset
    sides = {
        "attacker": {"russian-empire": {"infantry": 9}},
        "defender": {"german-empire": {"infantry": 10}, "austria-hungary": {"infantry": 6}},
    }
    value = {"die": 10, "stage": "fire", "kind": "infantry", "dice": [], "hits": 0}
    fire = [
        {
            **value,
            "side": "attacker",
            "owner": "russian-empire",
            "n": 9,
            "value": 3,
            "dice": [1] * 4,
            "hits": 4,
        },
        {**value, "side": "defender", "owner": "german-empire", "n": 10, "value": 4},
        {**value, "side": "defender", "owner": "austria-hungary", "n": 6, "value": 4},
    ]
    parts = [
        {"owner": owner, "kind": "infantry", "n": n, "lost": True, "stage": "fire"}
        for owner, n in zip(("german-empire", "austria-hungary"), lost, strict=True)
        if n
    ]
    head = {"battle": "land", "place": "krakow", "sides": sides}
    entries = (
        Entry(1, 1, "battles", "battles/land", "", "krakow", data={**head, "event": "begin"}),
        Entry(2, 1, "battles", "battles/land", "", "krakow", data={**head, "event": "round", "round": 1, "fire": fire, "lost": {"defender": parts}}),
    )  # fmt: skip
    (book,) = audit(RecordedGame(ruleset, State(), (RecordedStage(1, State, entries),)), ["shares"])
    assert book.checked == 1 and (not book.found) is fine


def test_shares_are_of_who_stands_in_the_round() -> None:
    """After the first round one ally has left, and guns of the other have come: three hits on 34 and 15 are two and one."""
    ruleset = of("1914").ruleset
    value = {"die": 10, "stage": "fire", "dice": [], "hits": 0, "side": "defender"}
    british = {**value, "owner": "british-empire", "kind": "infantry", "n": 4, "value": 7}
    guns = {**value, "owner": "british-empire", "kind": "artillery", "n": 3, "value": 2}
    canada = {**value, "owner": "canada", "kind": "infantry", "n": 3, "value": 5}
    belgium = {**value, "owner": "belgium", "kind": "infantry", "n": 9, "value": 5}

    def round_of(n: int, *fire: dict[str, Any], lost: dict[str, int]) -> Entry:
        defenders = {f["owner"]: {g["kind"]: g["n"] for g in fire if g["owner"] == f["owner"]} for f in fire}
        sides = {"attacker": {"german-empire": {"infantry": 9}}, "defender": defenders}
        parts = [
            {"owner": o, "kind": "infantry", "n": k, "lost": True, "stage": "fire"} for o, k in lost.items()
        ]
        data = {"battle": "land", "place": "orleans", "event": "round", "round": n, "sides": sides}
        return Entry(
            n, 1, "battles", "battles/land", "", "orleans",
            data={**data, "fire": list(fire), "lost": {"defender": parts}},
        )  # fmt: skip

    def shared(lost: dict[str, int]) -> bool:
        first = round_of(1, british, canada, belgium, lost={})
        entries = (first, round_of(2, british, guns, canada, lost=lost))
        (book,) = audit(RecordedGame(ruleset, State(), (RecordedStage(1, State, entries),)), ["shares"])
        assert book.checked == 1
        return not book.found

    assert shared({"british-empire": 2, "canada": 1})
    assert not shared({"british-empire": 1, "canada": 2})


def test_a_step_without_a_link_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.data["path"] = [entry.data["path"][0], "new-zealand"]

    (one,) = noticed("1914", "moves", lambda e: e.rule == "orders/move" and "path" in e.data, change)
    assert one.got == "none" and one.says.endswith("to new-zealand by land")


def test_a_way_that_is_too_long_is_noticed() -> None:
    def change(entry: Entry) -> None:
        here, there = entry.data["path"]
        entry.data["path"] = [here, there] * 4

    assert any(
        f.says.startswith("way of")
        for f in noticed(
            "1914", "moves", lambda e: e.rule == "orders/move" and len(e.data.get("path", ())) == 2, change
        )
    )


def test_enemies_in_one_place_are_noticed() -> None:
    what = of("1914")

    def change(entry: Entry) -> None:
        stack = {"owner": "russian-empire", "kind": "infantry", "place": "berlin", "n": 1}
        entry.changes.append(["units", "russian-empire.infantry@berlin", "*", None, stack])

    wrong, _ = spoiled(what, lambda e: e.rule == "sequence/input", change)
    (book,) = audit(wrong, ["company"])
    assert {f.whose for f in book.found if "berlin" in f.got} == {"german-empire and russian-empire"}


def test_whom_a_declaration_of_war_finds_together_has_a_turn_to_part() -> None:
    ruleset = of("empire-orders").ruleset
    guest, host = (
        {"owner": owner, "kind": "infantry", "place": "a3", "n": 1} for owner in ("aster", "borea")
    )
    declared: Change = ["relations", "aster--borea", "stance", None, "war"]
    comes: Change = ["units", "aster.infantry@a3", "*", None, guest]

    def found_in(turns: list[list[Change]], *there: dict[str, object]) -> list[int]:
        start = State({"units": {f"{u['owner']}.infantry@a3": u for u in there}})
        ends = tuple(
            Entry(n, n, "end", "sequence/end", "", "", changes=made, facts=[Fact("turn_end", {})])
            for n, made in enumerate(turns, 1)
        )
        (book,) = audit(RecordedGame(ruleset, start, (RecordedStage(1, lambda: start, ends),)), ["company"])
        return [f.turn for f in book.found]

    assert not found_in([[], [declared]], guest, host)
    assert found_in([[], [declared], []], guest, host) == [3]
    assert found_in([[declared, comes]], host) == [1]


def test_a_nation_that_is_not_asked_is_noticed() -> None:
    what = of("1914")
    stages = tuple(
        replace(
            s,
            entries=tuple(
                e for e in s.entries if not (e.rule == "sequence/input" and e.subject == "german-empire")
            ),
        )
        for s in what.stages
    )
    (book,) = audit(replace(what, stages=stages), ["commands"])
    assert [(f.turn, f.whose) for f in book.found if f.says.startswith("who commands")] == [
        (turn, "german-empire") for turn in range(1, TURNS["1914"] + 1)
    ]


def test_orders_of_somebody_else_are_noticed() -> None:
    def change(entry: Entry) -> None:
        next(c for c in entry.changes if c[0] == "orders")[4]["nation"] = "narnia"

    def pick(e: Entry) -> bool:
        return e.rule == "sequence/input" and any(c[0] == "orders" and c[4] for c in e.changes)

    (one,) = noticed("diplomacy", "commands", pick, change)
    assert one.got == "narnia"


def test_what_is_paid_for_and_not_placed_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.changes = [c for c in entry.changes if c[0] != "units"]

    def pick(e: Entry) -> bool:
        return (
            e.rule.startswith("production/")
            and any(f.word == "placed" for f in e.facts)
            and any(c[0] == "units" for c in e.changes)
        )

    assert any(f.says.endswith("placed") for f in noticed("no-mans-land-1.4.2", "purchases", pick, change))


def test_a_border_that_is_sold_twice_is_noticed() -> None:
    def change(entry: Entry) -> None:
        key, row = next((c[1], c[4]) for c in entry.changes if c[0] == "under_way")
        entry.changes.insert(0, ["under_way", f"{key}+", "*", None, row])

    def pick(e: Entry) -> bool:
        return e.rule == "production/trench" and "cost" in e.data

    what, number = spoiled(of("1914"), pick, change)
    after, second = spoiled(
        what,
        lambda e: e.rule == "production/trench" and "cost" in e.data and e.n > number,
        lambda e: _again(e, what, number),
    )
    (book,) = audit(after, ["purchases"])
    assert any(f.entry == second and f.expected == "once for each border" for f in book.found)


def _again(entry: Entry, what: RecordedGame, number: int) -> None:
    """The purchase of another entry once more."""
    first = next(e for stage in what.stages for e in stage.entries if e.n == number)
    row = next(c[4] for c in first.changes if c[0] == "under_way")
    for change in entry.changes:
        if change[0] == "under_way":
            change[4] = row


def test_a_cell_with_another_die_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.dice[0]["drawn"][0]["die"] = "0..9"

    assert any(
        f.says.startswith("die of")
        for f in noticed("1914", "tables", lambda e: e.rule.startswith("matrices/") and bool(e.dice), change)
    )


def test_a_cell_that_moves_too_far_is_noticed() -> None:
    def change(entry: Entry) -> None:
        next(c for c in entry.changes if c[0] == "tracks")[4] = 40

    def pick(e: Entry) -> bool:
        return e.rule.startswith("matrices/") and any(c[0] == "tracks" for c in e.changes)

    assert noticed("1914", "tables", pick, change)


def test_a_report_that_says_too_much_is_noticed() -> None:
    what = of("alliances-4")

    def wrong() -> Iterator[RecordedReport]:
        for report in what.reports():
            told = tuple(
                (lead, text.replace(" at the beginning", "9 at the beginning")) for lead, text in report.told
            )
            yield replace(report, told=told)

    (book,) = audit(replace(what, reports=wrong), ["reports"])
    assert any(f.says == "report: Coins at the beginning" for f in book.found)


@pytest.mark.parametrize(("row", "says"), [(0, "at the beginning"), (1, "that came and went"), (-1, "left")])
def test_a_table_of_resources_that_is_not_so_is_noticed(row: int, says: str) -> None:
    what = of("no-mans-land")

    def wrong() -> Iterator[RecordedReport]:
        for report in what.reports():
            accounts = []
            for head, cells_of, notes in report.accounts:
                lines = [list(cells) for cells in cells_of]
                lines[row][-1] = "77"
                accounts.append((head, tuple(map(tuple, lines)), notes))
            yield replace(report, accounts=tuple(accounts))

    (book,) = audit(replace(what, reports=wrong), ["reports"])
    assert any(f.says.endswith(says) and f.says.startswith("report: ") for f in book.found)


def test_a_table_of_forces_that_is_not_so_is_noticed() -> None:
    what = of("no-mans-land")
    (book,) = audit(
        replace(what, reports=lambda: (replace(r, state=what.start) for r in what.reports())), ["reports"]
    )
    assert any(f.says.startswith("report: ") and " in " in f.says for f in book.found)


def test_more_enemies_than_there_are_are_noticed() -> None:
    def change(entry: Entry) -> None:
        next(c for c in entry.changes if c[0] == "knowledge" and c[4])[4]["n"] = 999

    def pick(e: Entry) -> bool:
        return e.rule == "detection/passive-land" and any(c[0] == "knowledge" and c[4] for c in e.changes)

    assert any(f.got.startswith("999") for f in noticed("1914", "reports", pick, change))


def journal_of(state: State, *entries: Entry) -> RecordedGame:
    """A game of the 1914 ruleset that begins in a state and has these entries."""
    return RecordedGame(of("1914").ruleset, state, (RecordedStage(1, lambda: state, entries),))


def two_at_war() -> State:
    """France is at war with Germany and Austria-Hungary, Serbia beside it with Austria-Hungary alone; both stand in Munich."""
    state = State()
    for nation in ("french-empire", "serbia"):
        state.put("nations", nation, "side", "allied")
    for pair in ("french-empire--german-empire", "austria-hungary--french-empire", "austria-hungary--serbia"):
        state.put("relations", pair, "stance", "war")
    for owner, n in (("german-empire", 4), ("austria-hungary", 2)):
        stack = {"owner": owner, "kind": "infantry", "place": "munich", "n": n}
        state.put("units", f"{owner}.infantry@munich", "*", stack)
    return state


def seen(by: str, reader: str, what: str = "units", **told: object) -> list[list[object]]:
    return [["knowledge", reader, f"{what}:munich", None, {"since": 1, **told}]]


EXACT = {"as": "exact", "n": 6, "units": {"infantry": 6}}


@pytest.mark.parametrize(
    ("reader", "told", "fine"),
    [
        ("french-empire", EXACT, True),
        ("serbia", EXACT, False),
        ("serbia", {**EXACT, "foes": 2}, True),
        ("serbia", {**EXACT, "foes": 3}, False),
        ("french-empire", {"as": "exact", "n": 4, "units": {"infantry": 4}}, False),
        ("french-empire", {"as": "exact", "n": 6, "units": {"tank": 6}}, False),
        ("french-empire", {"as": "number", "n": 5}, True),
        ("french-empire", {"as": "number", "n": 6}, False),
        ("belgium", {"as": "number", "n": 5}, False),
    ],
)
def test_what_is_seen_is_what_is_there(reader: str, told: dict[str, object], fine: bool) -> None:
    """Of a look without orders, which a side makes together: all that are enemies of any of it, and which are the reader's own."""
    one = Entry(
        1, 1, "looks", "detection/passive-land", "", "french-empire:munich", changes=seen("", reader, **told)
    )
    (book,) = audit(journal_of(two_at_war(), one), ["reports"])
    assert (not book.found) is fine, [f.line() for f in book.found]


@pytest.mark.parametrize(("foes", "fine"), [({}, False), ({"foes": 2}, True), ({"foes": 4}, False)])
def test_what_a_mate_has_found_is_told_by_ones_own_enemies(foes: dict[str, int], fine: bool) -> None:
    """Serbia is told of what France has gone to look at; its own enemies are two of six."""
    looked = Entry(
        1,
        1,
        "looks",
        "detection/active-land",
        "",
        "french-empire:x>munich:1",
        changes=seen("", "french-empire", "scouted", **EXACT),
    )
    told = Entry(
        2,
        1,
        "shown",
        "detection/findings",
        "",
        "french-empire:munich",
        changes=seen("", "serbia", **EXACT, **foes),
    )
    (book,) = audit(journal_of(two_at_war(), looked, told), ["reports"])
    assert (not book.found) is fine, [f.line() for f in book.found]
    (book,) = audit(journal_of(two_at_war(), told), ["reports"])
    assert [f.expected for f in book.found] == ["a look of this turn"]


# ---- transfers, yields and ways


@pytest.mark.parametrize(("taken", "fine"), [((3, 4), True), ((3, 3), False), ((4, 4), False), ((), False)])
def test_a_cut_transfer_of_which_too_much_is_taken_is_noticed(taken: tuple[int, ...], fine: bool) -> None:
    """Half of 13, rounded up, goes to those who cut it off; all that arrives is what they take."""
    state = State()
    state.put("treasuries", "british-empire/malaya", "money", 20)
    lost = Entry(
        1, 1, "transfers", "transfers/overseas", "", "british-empire:malaya>london",
        data={"amount": 13, "lanes": [["red-sea"]], "cut": [["red-sea"]]},
        changes=[["treasuries", "british-empire/malaya", "money", 20, 7]],
    )  # fmt: skip
    prizes = [
        Entry(3 + i, 1, "transfers", "transfers/overseas", "", f"spain{i}:british-empire", data={"taken": n})
        for i, n in enumerate(taken)
    ]
    ships = Entry(2, 1, "transfers", "movement/sail", "", "spain0:red-sea")  # the cutter's lay at rest
    end = Entry(
        9,
        1,
        "transfers",
        "sequence/transfers",
        "",
        "",
        changes=[["treasuries", "spain", "money", None, sum(taken)]],
    )
    (book,) = audit(journal_of(state, lost, ships, *prizes, end), ["purses"])
    assert (not book.found) is fine, [f.line() for f in book.found]


@pytest.mark.parametrize(
    ("shares", "lost", "arrives", "fine"),
    [
        ([6, 6], [2, 0], 10, True),
        ([6, 6], [2, 0], 11, False),
        ([6, 6], [7, 0], 5, False),
        ([6, 5], [0, 0], 12, False),
    ],
)
def test_what_raiders_leave_of_a_transfer_arrives(
    shares: list[int], lost: list[int], arrives: int, fine: bool
) -> None:
    state = State()
    state.put("treasuries", "british-empire/malaya", "money", 20)
    sent = Entry(
        1, 1, "transfers", "transfers/overseas", "", "british-empire:malaya>london",
        data={"amount": 12, "lanes": [["red-sea"], ["coral-sea"]], "cut": [], "shares": shares, "lost": lost},
        changes=[["treasuries", "british-empire/malaya", "money", 20, 8]],
    )  # fmt: skip
    end = Entry(
        2,
        1,
        "transfers",
        "sequence/transfers",
        "",
        "",
        changes=[["treasuries", "british-empire", "money", None, arrives]],
    )
    (book,) = audit(journal_of(state, sent, end), ["purses"])
    assert (not book.found) is fine, [f.line() for f in book.found]


def test_a_yield_that_is_not_due_is_noticed() -> None:
    """What is withheld from the republic is the revolutionaries' while there is a republic, and for them alone."""
    data = {"income": 31, "items": [{"yield": "republic-fund", "amount": "31"}], "rows": []}

    def told(nation: str) -> list[str]:
        one = Entry(
            1,
            1,
            "collect",
            "sequence/collect",
            "",
            nation,
            data=data,
            changes=[["treasuries", nation, "money", None, 31]],
        )
        (book,) = audit(journal_of(State(), one), ["purses"])
        return [f.says for f in book.found]

    assert told("bolsheviks") == told("france") == ["what republic-fund brings"]


def test_an_income_beyond_what_was_granted_is_noticed() -> None:
    """Who holds nothing may have what a yield without a place gives, and no more."""

    def told(income: int) -> list[tuple[str, str]]:
        data = {"income": 5, "items": [{"yield": "american-trade", "amount": "5"}], "rows": []}
        changes = [["treasuries", "narnia", "money", None, 5], ["nations", "narnia", "income", None, income]]
        one = Entry(1, 1, "collect", "sequence/collect", "", "narnia", data=data, changes=changes)
        over = Entry(2, 1, "end", "sequence/turn", "", "", facts=[Fact("turn_end", {})])
        (book,) = audit(journal_of(State(), one, over), ["purses"])
        return [(f.expected, f.got) for f in book.found if f.says.startswith("income of a nation")]

    assert told(5) == [] and told(6) == [("5", "6")]


@pytest.mark.parametrize(("left", "fine"), [(2, True), (4, False)])
def test_fuel_over_water_is_reckoned_by_the_coast(left: int, fine: bool) -> None:
    """Into a sea zone and out of it costs a bomber two each: of its six points two are left."""
    state = State()
    state.put("techs", "russian-empire", "improved-bombers", 2)
    stack = {"owner": "russian-empire", "kind": "bomber", "n": 1}
    state.put("units", "russian-empire.bomber@odessa", "*", {**stack, "place": "odessa"})
    after = {**stack, "place": "constantinople", "fuel_left": left}
    changes = [
        ["units", "russian-empire.bomber@odessa", "*", {**stack, "place": "odessa"}, None],
        ["units", "russian-empire.bomber@constantinople", "*", None, after],
    ]
    data = {"path": ["odessa", "western-black-sea", "constantinople"], "units": {"bomber": 1}}
    one = Entry(
        1,
        1,
        "raids",
        "orders/bomb-industry",
        "",
        "russian-empire:odessa>constantinople",
        data=data,
        changes=changes,
    )
    (book,) = audit(journal_of(state, one), ["moves"])
    assert (not book.found) is fine, [f.line() for f in book.found]


def test_a_refusal_that_costs_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.data["refused"] = "it may not be given"

    (one,) = noticed(
        "1914",
        "in-vain",
        lambda e: e.rule == "actions/research" and any(c[0] == "treasuries" for c in e.changes),
        change,
    )
    assert one.got == "treasuries"


def test_what_is_void_and_costs_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.data["void"] = "nobody is there"

    (one,) = noticed(
        "1914",
        "in-vain",
        lambda e: e.rule == "actions/research" and any(c[0] == "treasuries" for c in e.changes),
        change,
    )
    assert one.got.endswith(" money")


def test_what_is_paid_for_nothing_is_noticed() -> None:
    def change(entry: Entry) -> None:
        entry.happened, entry.dice, entry.facts = [], [], [f for f in entry.facts if f.word == "acted"]
        entry.changes = [c for c in entry.changes if c[0] in ("treasuries", "orders", "uses")]

    assert noticed(
        "1914",
        "in-vain",
        lambda e: e.rule == "actions/research" and any(c[0] == "treasuries" for c in e.changes),
        change,
    )


def test_a_row_that_does_not_hold_is_noticed() -> None:
    what = of("diplomacy")

    def change(entry: Entry) -> None:
        stack = {"owner": "france", "kind": "army", "place": "london", "n": 2}
        entry.changes.append(["units", "france.army@london", "*", None, stack])

    wrong, _ = spoiled(what, lambda e: e.rule == "sequence/input", change)
    book = rows(wrong)
    told = {(f.rule, f.whose) for f in book.found}
    assert ("audits/one-unit-to-a-province", "london") in told
    assert any(f.says.startswith("More than one unit stands in") for f in book.found)


def test_a_row_is_asked_after_its_step() -> None:
    what = of("diplomacy")
    ruleset = what.ruleset
    row = {"id": "never", "test": "False", "message": "so many: {count(units())}.", "at": "arrivals"}
    other = replace(ruleset, forms={**ruleset.forms, "audits": {"never": row}})
    turns = TURNS["diplomacy"]
    assert [f.turn for f in rows(replace(what, ruleset=other)).found] == list(range(1, turns + 1))


def test_a_row_without_a_step_is_asked_once_a_turn() -> None:
    """At its end, and not again when the first step of the next turn begins."""
    what = of("diplomacy")
    row = {"id": "never", "test": "False", "message": "so many: {count(units())}."}
    other = replace(what.ruleset, forms={**what.ruleset.forms, "audits": {"never": row}})
    assert [f.turn for f in rows(replace(what, ruleset=other)).found] == list(
        range(1, TURNS["diplomacy"] + 1)
    )


@pytest.mark.parametrize(("name", "fine"), [("1914", False), ("third-edition-1914", True)])
def test_where_players_move_in_turn_what_was_collected_before_all_was_lost_is_no_fault(
    name: str, fine: bool
) -> None:
    """Serbia loses all its land as soon as it has collected, and before the turn is over."""
    what = of(name)
    world = World(what.ruleset, what.start)
    land = [p for p in what.ruleset.rows("places") if world.holder_of(p) == "serbia"]

    def lose(entry: Entry) -> None:
        entry.changes += [["places", p, "holder", None, "bulgaria"] for p in land]

    wrong, _ = spoiled(what, lambda e: e.rule == "sequence/collect" and e.subject == "serbia", lose)
    told = {f.whose for f in rows(wrong).found if f.rule == "audits/income-of-none"}
    assert told == (set() if fine else {"serbia"})


# ---- memory


def test_no_more_than_a_stage_and_a_turn_of_a_game_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long game needs no more memory than a short one: nothing keeps its journal or its states."""
    made = game("alliances-4")
    asked: list[dict[str, int]] = []
    journal = Game.journal

    def counted(self: Game, **which: int) -> list[Entry]:
        asked.append(which)
        return journal(self, **which)

    monkeypatch.setattr(Game, "journal", counted)
    what = played(made)
    assert not asked
    reports = list(what.reports())
    assert {r.turn for r in reports} == set(range(1, TURNS["alliances-4"] + 1))
    assert asked and all("turn" in which or "after" in which for which in asked)
    assert len(asked) <= 2 * TURNS["alliances-4"]
    asked.clear()
    assert sum(1 for _ in what.moments()) == sum(1 for _ in what.moments()) > 100
    assert [set(which) for which in asked] == [{"position"}] * 2 * len(what.stages)


# ---- what the rows say, read a second time

SAID = [
    "place('berlin').kind",
    "model(nation('german-empire'), 'destroyer').kind",
    "sum(units(owner='german-empire', kind='infantry'), 'refit_price', weapons)",
    "sum(units(owner='german-empire', kind='artillery'), 'refit_price', guns)",
    "value(item('artillery'), 'price', nation('german-empire'))",
    "lookup('dearer', 'destroyer', 'faster-ships', 1)",
    "lookup('dearer', 'destroyer', 'tanks', 1)",
    "lookup('dearer', 'artillery', 'tanks', 1)",
    "ordered('actions/support-in-full', nation=nation('german-empire'), status='done')",
    "ordered('actions/support-in-full', nation=nation('german-empire'), amount=25)",
    "ordered('actions/support-in-full', nation=nation('italy'))",
    "enemy(nation('german-empire'), place('paris'))",
    "enemy(nation('german-empire'), place('milan'))",
]


@pytest.mark.parametrize("said", SAID)
def test_the_reader_of_the_auditors_and_the_referee_read_the_same(said: str) -> None:
    ruleset, state = of("1914").ruleset, of("1914").start.copy()
    state.put("relations", "french-empire--german-empire", "stance", "war")
    state.put("tech_stages", "german-empire", "*", {"found:improved-weapons": 1, "paid:faster-ships": 1})
    row = {"order": "actions/support-in-full", "nation": "german-empire", "slots": {"amount": 25}}
    state.put("orders", "a", "*", {**row, "status": "done"})
    state.put("orders", "b", "*", {**row, "slots": {"amount": 24}, "status": "failed"})
    reader, names = Reader(ruleset, state), {"weapons": "improved-weapons", "guns": "improved-artillery"}
    wanted = World(ruleset, state).value(f"={said}", {k: Entity("tech", v) for k, v in names.items()})
    assert reader.value(f"={said}", {k: reader.thing("tech", v) for k, v in names.items()}) == wanted


def test_what_expressions_ask_of_a_thing_is_never_what_the_reader_keeps_of_it() -> None:
    """`kind` once was that something is a place or a unit, so that tests of what sort of place it is never held."""
    ruleset, state = of("1914").ruleset, of("1914").start
    reader = Reader(ruleset, state)
    assert reader.value("=place('berlin').kind == 'land' and place('irish-sea').kind == 'sea'", {}) is True
    assert not {name for name in Thing.__slots__ if not name.startswith("_")} - {"id"}


@pytest.mark.parametrize(("over", "fine"), [(0, True), (1, False), (-1, False)])
def test_a_wrong_price_of_an_upgrade_is_noticed(over: int, fine: bool) -> None:
    """One point for each of three infantry more than it costs now, and a tenth of its new price, four, rounded up."""
    state = State()
    stack = {"owner": "spain", "kind": "infantry", "place": "madrid", "n": 3}
    state.put("units", "spain.infantry@madrid", "*", stack)
    state.put("treasuries", "spain/madrid", "money", 40)
    slots = {"tech": "improved-weapons"}
    state.put("orders", "o", "*", {"nation": "spain", "order": "actions/upgrade", "slots": slots})
    paid = Entry(
        1, 1, "actions", "actions/upgrade", "", "spain",
        changes=[["orders", "o", "status", None, "done"], ["treasuries", "spain/madrid", "money", 40, 40 - 6 - over]],
        facts=[Fact("acted", {"by": "spain"})],
    )  # fmt: skip
    (book,) = audit(journal_of(state, paid), ["purses"])
    assert not book.skipped and (not book.found) is fine, [f.line() for f in book.found]


# ---- losses of several stages


def round_at_sea(hits: dict[str, int], lost: dict[str, int]) -> RecordedGame:
    """A round in which a defender fires in three stages, the losses of the first of which fall at once, and three tell in one number what
    they have lost: under the stage that hit them first.
    """
    stages = [
        {"id": "first", "losses": "at_once", "value": 9},
        {"id": "guns", "value": 9},
        {"id": "boats", "value": 9},
    ]
    ruleset = of("1914").ruleset
    row = {"id": "sea-fight", "stages": stages}
    other = replace(ruleset, forms={**ruleset.forms, "battles": {"sea-fight": row}})
    fire = [
        {"stage": stage, "side": "defender", "owner": "spain", "kind": "destroyer", "n": 9, "value": 9, "hits": n, "dice": [1] * n, "die": 10}
        for stage, n in hits.items()
    ]  # fmt: skip
    parts = [
        {"owner": "italy", "kind": kind, "n": n, "lost": True, "stage": stage}
        for (stage, n), kind in zip(lost.items(), ("submarine", "transport", "battleship"), strict=False)
    ]
    head = {"battle": "sea-fight", "event": "round", "place": "irish-sea", "round": 1}
    entry = Entry(
        1, 1, "battles", "battles/sea-fight", "", "irish-sea",
        data={**head, "sides": {}, "fire": fire, "lost": {"attacker": parts}},
        dice=[{"subject": "", "drawn": [{"die": "1d10", "faces": [1], "total": 1}] * sum(hits.values())}],
        facts=[Fact("destroyed", {"of": "italy", "kind": p["kind"], "n": p["n"], "cause": "sea-fight"}) for p in parts],
    )  # fmt: skip
    return RecordedGame(other, State(), (RecordedStage(1, State, (entry,)),))


@pytest.mark.parametrize(
    ("hits", "lost", "fine"),
    [
        ({"guns": 2, "boats": 1}, {"guns": 3}, True),
        ({"guns": 2, "boats": 1}, {"guns": 4}, False),
        ({"guns": 2, "boats": 1}, {"guns": 2, "boats": 1}, True),
        ({"guns": 2, "boats": 1}, {"guns": 3, "boats": 1}, False),  # the hit of the boats is used up
        ({"first": 1, "guns": 2}, {"first": 3}, True),
        ({"first": 1, "guns": 2}, {"guns": 3}, False),  # the first one fell before
    ],
)
def test_losses_beyond_the_hits_of_all_stages_that_may_have_cost_them_are_noticed(
    hits: dict[str, int], lost: dict[str, int], fine: bool
) -> None:
    (book,) = audit(round_at_sea(hits, lost), ["battles"])
    assert [f.says.split()[0] for f in book.found] == ([] if fine else ["losses"]), [
        f.line() for f in book.found
    ]


@pytest.mark.parametrize("kind", ["land", "sea", "coast"])
def test_the_reader_knows_of_what_kind_a_border_is(kind: str) -> None:
    ruleset = of("1914").ruleset
    reader = Reader(ruleset, State())
    link = Border(reader, "a--b", kind)
    assert reader.value("=over_water(link)", {"link": link}) is (kind != "land")
    with pytest.raises(Beyond):
        reader.value("=link.works", {"link": link})


# ---- the command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as left:
        main(["audit", *arguments])
    return int(left.value.code or 0), capsys.readouterr().out


def test_the_command_says_what_it_has_reckoned(capsys: pytest.CaptureFixture[str]) -> None:
    where = str(scratch() / "diplomacy")
    game("diplomacy")
    code, out = run(capsys, where)
    assert code == ExitCode.DONE and "units: " in out and "0 found" in out
    code, out = run(capsys, where, "--only", "units", "--format", "json")
    told = json.loads(out)
    assert code == ExitCode.DONE and [a["auditor"] for a in told["auditors"]] == ["units"]
    assert told["auditors"][0]["computed"] > 10 and told["auditors"][0]["found"] == []
    assert run(capsys, "--list")[1].splitlines() == [
        f"{name}: {question}" for name, question in QUESTIONS.items()
    ]
    assert run(capsys, where, "--only", "unit")[0] == ExitCode.CALL


def test_findings_name_rule_place_and_clause() -> None:
    def change(entry: Entry) -> None:
        entry.facts = [f for f in entry.facts if f.word != "destroyed"]

    (one,) = noticed(
        "alliances-4",
        "units",
        lambda e: e.rule.startswith("battles/") and any(f.word == "destroyed" for f in e.facts),
        change,
    )
    assert (
        one.rule == "battles/token-battle"
        and one.at.startswith("tables/battle.yaml:")
        and "tokens.battle.start" in one.clauses
    )
    assert one.line().startswith(f"turn {one.turn}, token-battles, entry {one.entry}: ")
