"""Units are conserved: nobody disappears from a played game without a fact that says how many, of whom, and why."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.battle import fight
from wteaw.core.dice import KeyedDice
from wteaw.core.journal import Entry
from wteaw.core.state import State

from .battlefield import Field
from .world1914 import played

Numbers = Counter[tuple[str, str]]
MAKES = ("production", "events", "actions", "transfer", "income")
"""Forms whose rows make units."""


@cache
def soldiers() -> set[str]:
    """Kinds that stand on the map as units; works under way are none."""
    return {row["kind"] for result in played(3) for row in result.position.state.table("units").values()}


def net(entry: Entry, state: State) -> Numbers:
    """What an entry adds to and takes from every nation's kinds, on the map or under way; the state is carried along."""
    out: Numbers = Counter()
    for table, id_, field, _, new in (c[:5] for c in entry.changes):
        if table in ("units", "under_way"):
            before = dict(state.row(table, id_))
            count(out, table, before, -1)
            state.put(table, id_, field, new)
            count(out, table, dict(state.row(table, id_)), 1)
        else:
            state.put(table, id_, field, new)
    return Counter({key: n for key, n in out.items() if n})


def count(out: Numbers, table: str, row: dict[str, Any], sign: int) -> None:
    if table == "units" and row.get("n"):
        out[row["owner"], row["kind"]] += sign * row["n"]
    elif table == "under_way" and row.get("what") in soldiers() and row.get("n"):
        out[row["nation"], row["what"]] += sign * row["n"]


def told(entry: Entry) -> Numbers:
    out: Numbers = Counter()
    for fact in entry.facts:
        if fact.word == "destroyed":
            assert fact.roles.get("cause"), f"{entry.rule}: {fact}"
            out[fact.roles["of"], fact.roles["kind"]] += fact.roles["n"]
    for part in entry.data.get("unfinished", ()):  # what was under way in a place that fell
        if part["what"] in soldiers():
            out[part["owner"], part["what"]] += part["n"]
    return out


def explained(entry: Entry, state: State) -> None:
    """Losses are told with a cause, one for one; what is told is lost; and battles and moves make nobody."""
    change, lost = net(entry, state), told(entry)
    if entry.rule.partition("/")[0] in MAKES:
        change = Counter({key: n for key, n in change.items() if n < 0 or key in lost})
    assert {key: -n for key, n in change.items()} == {key: n for key, n in lost.items() if n}, (
        f"{entry.rule} {entry.subject}"
    )


def test_in_a_game_of_three_turns() -> None:
    results = played(3)
    state = results[0].position.state.copy()
    for result in results[1:]:
        for entry in result.entries:
            explained(entry, state)
        assert state.hash() == result.position.state.hash()


MEN = st.integers(0, 4)


@settings(max_examples=25, deadline=None)
@given(
    mine=st.fixed_dictionaries({"infantry": st.integers(1, 5), "tank": MEN, "artillery": MEN, "bomber": MEN}),
    ally=st.integers(0, 3), theirs=st.fixed_dictionaries({"infantry": MEN, "artillery": MEN, "fighter": MEN, "anti_air_gun": MEN}),
    leaves=st.integers(0, 3), key=st.binary(min_size=32, max_size=32),
)  # fmt: skip
def test_in_battles_of_every_kind(
    mine: dict[str, int], ally: int, theirs: dict[str, int], leaves: int, key: bytes
) -> None:
    field = Field(allies="ab", war="bd").units("d", "p", **{k: n for k, n in theirs.items() if n})
    field.attack(
        "a",
        "x",
        "p",
        options={"withdraw-after": leaves} if leaves else {},
        **{k: n for k, n in mine.items() if n},
    )
    if ally:
        field.attack("b", "w", "p", infantry=ally)
    field.turn.dice = KeyedDice(key, 1)
    first, state = len(field.turn.journal.entries), field.state.copy()
    fight.run({"battles": ["land"]}, field.turn)
    for entry in field.turn.journal.entries[first:]:
        explained(entry, state)
    assert state.hash() == field.state.hash()


@settings(max_examples=15, deadline=None)
@given(
    mine=st.fixed_dictionaries({"battleship": st.integers(1, 2), "destroyer": MEN, "submarine": MEN}), room=st.integers(0, 3),
    theirs=st.fixed_dictionaries({"battleship": MEN, "destroyer": st.integers(1, 4)}), key=st.binary(min_size=32, max_size=32),
)  # fmt: skip
def test_in_battles_at_sea_with_cargo(
    mine: dict[str, int], room: int, theirs: dict[str, int], key: bytes
) -> None:
    field = Field()
    one = field.fleet("a", **{k: n for k, n in mine.items() if n}, **({"transport": room} if room else {}))
    other = field.fleet("d", **{k: n for k, n in theirs.items() if n})
    if room:
        field.put("a", "infantry", "sea", room, aboard=one)
    field.contact(one, other)
    field.turn.dice = KeyedDice(key, 1)
    first, state = len(field.turn.journal.entries), field.state.copy()
    fight.run({"battles": ["sea"]}, field.turn)
    for entry in field.turn.journal.entries[first:]:
        explained(entry, state)
