"""State and journal: stacks add up, nothing changes unexplained, the journal rebuilds the state, tampering shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core import canonical
from wteaw.core.journal import Entry, Journal, UnexplainedChange, number_and_hash, replay, verify_chain
from wteaw.core.messages import Message
from wteaw.core.state import State, unit_key

from . import small


def test_equal_units_are_one_stack() -> None:
    journal = Journal(small.ruleset(), small.state())
    with journal.entry("test/x"):
        journal.units("red", "foot", "birch", 2)
        journal.units("red", "foot", "birch", 1, damage=1)
    assert journal.state.get("units", "red.foot@birch", "n") == 6
    assert journal.state.get("units", "red.foot@birch[damage=1]", "n") == 1
    assert [k for k, _ in journal.state.stacks(at="birch")] == ["red.foot@birch", "red.foot@birch[damage=1]"]


def test_altered_units_leave_one_stack_and_join_another() -> None:
    journal = Journal(small.ruleset(), small.state())
    with journal.entry("test/x"):
        journal.alter_units("red.foot@birch", 3, place="ash")
    assert journal.state.get("units", "red.foot@birch", "n") == 1
    assert journal.state.get("units", "red.foot@ash", "n") == 3
    with journal.entry("test/x"), pytest.raises(ValueError, match="has 1 units"):
        journal.units("red", "foot", "birch", -2)


def test_a_change_outside_an_entry_is_an_error() -> None:
    journal = Journal(small.ruleset(), small.state())
    with pytest.raises(UnexplainedChange):
        journal.set("treasuries", "red", "gold", 1)
    assert journal.state == small.state()


changes = st.lists(
    st.one_of(
        st.tuples(
            st.just("set"),
            st.sampled_from(["red", "blue"]),
            st.sampled_from(["gold", "wood"]),
            st.integers(0, 9),
        ),
        st.tuples(
            st.just("units"),
            st.sampled_from(["ash", "birch"]),
            st.sampled_from(["foot", "horse"]),
            st.integers(1, 5),
        ),
        st.tuples(
            st.just("move"), st.sampled_from(["ash", "birch", "dale"]), st.just("foot"), st.integers(1, 2)
        ),
    ),
    max_size=30,
)


@given(changes)
def test_the_journal_rebuilds_the_state(steps: list[tuple[str, str, str, int]]) -> None:
    before = small.state()
    journal = Journal(small.ruleset(), before.copy())
    for number, (what, a, b, n) in enumerate(steps):
        with journal.entry(f"test/{number}"):
            if what == "set":
                journal.set("treasuries", a, b, n)
            elif what == "units":
                journal.units("red", b, a, n)
            else:
                held = journal.state.get("units", unit_key("red", b, "birch"), "n", 0)
                if held:
                    journal.alter_units(unit_key("red", b, "birch"), min(n, held), place=a)
    journal.seal()
    stored = [Entry.from_json(e.to_json()) for e in journal.entries]
    assert replay(before, stored) == journal.state
    assert replay(before, stored).hash() == journal.state.hash()
    assert State(journal.state.to_json()).hash() == journal.state.hash()


def test_tampering_with_an_entry_shows() -> None:
    journal = Journal(small.ruleset(), small.state())
    for amount in (3, 4, 5):
        with journal.entry("test/x"):
            journal.set("treasuries", "red", "gold", amount)
    journal.seal()
    rows = [e.to_json() for e in journal.entries]
    assert verify_chain(rows) is None
    rows[1]["changes"][0][4] = 40
    assert verify_chain(rows) == 2
    assert verify_chain(rows[1:]) == 2
    with pytest.raises(ValueError, match="entry 3"):
        replay(small.state(), rows)


texts = st.text(max_size=12) | st.sampled_from(['","n":3,', ',"hash":"', "\u2028\x00\\"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.fractions(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts.filter(lambda k: k != "/"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_canonical_bytes_are_those_of_the_plain_encoder(value: object) -> None:
    try:
        plain = canonical._ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return
    assert canonical.dumps(value) == plain


@given(texts, st.dictionaries(st.just("hash") | texts.filter(lambda k: k != "/"), texts, max_size=2))
def test_the_chain_is_seen_in_the_text_of_the_entries(text: str, data: dict[str, str]) -> None:
    journal = Journal(small.ruleset(), small.state())
    for amount in (3, 4):
        with journal.entry(
            "test/x",
            says=Message(text, {**data, "hash": text}),
            subject=text,
            data={**data, "inner": {"hash": "0" * 64, "n": 5}},
        ):
            journal.set("treasuries", "red", "gold", amount)
    try:
        journal.seal()
    except UnicodeEncodeError:
        return
    assert [e.written for e in journal.entries] == [canonical.dumps(e.to_json()) for e in journal.entries]
    assert verify_chain([e.to_json() for e in journal.entries]) is None
    first, second = (e.written.decode() for e in journal.entries)
    hashes = [e.hash for e in journal.entries]
    assert number_and_hash(first) == (1, hashes[0])
    assert number_and_hash(second, hashes[0]) == (2, hashes[1])
    assert number_and_hash(second) is None
    assert number_and_hash(second.replace('"gold",3,4', '"gold",3,5'), hashes[0]) is None
    assert number_and_hash(second.replace(hashes[1], "0" * 64), hashes[0]) is None
    assert number_and_hash('{"n":1}') is None
