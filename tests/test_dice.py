"""Dice and the canonical form under them: fair, repeatable anywhere, and never shifted by each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from hashlib import blake2b
from itertools import pairwise, product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wteaw
from wteaw.core import canonical
from wteaw.core.dice import (
    DiceError,
    DiceExhausted,
    DiceImpossible,
    DiceRecord,
    DiceSource,
    KeyedDice,
    ScriptedDice,
    Stream,
    audience_key,
)
from wteaw.core.die import MAX_FACES, Die, distribution, parse_die

KEY = bytes(range(32))

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.fractions() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(lambda key: key != "/"), inner),
    max_leaves=20,
)
dice = st.builds(Die, st.integers(1, 12), st.integers(1, 300), st.integers(-5, 5)) | st.builds(
    Die, st.just(1), st.integers(1, 1000), st.just(0), st.integers(-20, 20)
)


def stream(source: DiceSource, rule: str = "r", subject: str = "s", audience: str = "all") -> Stream:
    return source.stream(step="p", rule=rule, subject=subject, audience=audience)


def recorded(of: Stream) -> DiceRecord:
    record = of.record()
    assert record is not None
    return record


# --- the canonical form -----------------------------------------------------------------------------------------


@given(plain)
def test_canonical_values_come_back(value: Any) -> None:
    data = canonical.dumps(value)
    assert canonical.loads(data) == value
    assert canonical.dumps(canonical.loads(data)) == data


@given(st.dictionaries(st.text().filter(lambda key: key != "/"), st.integers()))
def test_canonical_bytes_do_not_know_the_order_of_insertion(value: dict[str, int]) -> None:
    assert canonical.dumps(dict(reversed(value.items()))) == canonical.dumps(value)


def test_canonical_form_is_what_it_is() -> None:
    value = {"é": "ü\n", "b": (1, 10**30, True, None), "a": {"z": Fraction(-3, 4), "y": Fraction(8, 4)}}
    expected = '{"a":{"y":2,"z":{"/":[-3,4]}},"b":[1,1000000000000000000000000000000,true,null],"é":"ü\\n"}'
    assert canonical.dumps(value) == expected.encode()
    assert canonical.digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert canonical.dumps(MappingProxyType({"a": MappingProxyType({})})) == b'{"a":{}}'


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (0.5, TypeError, "float"),
        ({"a": [1, {"b": 0.5}]}, TypeError, "at value['a'][1]['b']"),
        ([float("nan")], TypeError, "float"),
        ({1: "a"}, TypeError, "a key must be text"),
        ({"a": {None: 1}}, TypeError, "at value['a']"),
        ({"/": [1, 2]}, ValueError, "reserved"),
        ({"a": {1, 2}}, TypeError, "set is not plain data"),
        (b"bytes", TypeError, "bytes is not plain data"),
        ("\ud800", ValueError, "surrogates"),
    ],
)
def test_canonical_refuses_what_has_no_one_form(value: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        canonical.dumps(value)
    assert says in str(caught.value)


def test_canonical_refuses_a_value_that_contains_itself() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(ValueError, match="contains itself"):
        canonical.dumps(value)


@pytest.mark.parametrize(
    "text", ["0.5", "[1e3]", "NaN", '{"/":[2,4]}', '{"/":[1,-2]}', '{"/":[1,2],"a":1}', '{"/":1}']
)
def test_canonical_text_holds_no_float_and_no_loose_fraction(text: str) -> None:
    with pytest.raises(ValueError):
        canonical.loads(text)


def test_a_keyed_hash_wants_a_key_that_fits() -> None:
    for key in (b"", bytes(65), "zz"):
        with pytest.raises(ValueError):
            canonical.keyed(key, "tag", 1)
    assert canonical.keyed("00ff", "tag", 1) == canonical.keyed(b"\x00\xff", "tag", 1)
    assert canonical.keyed(b"k", "tag", 1) != canonical.keyed(b"k", "gat", 1)


# --- die specs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "die"),
    [
        ("1d10", Die(1, 10)),
        ("d6", Die(1, 6)),
        ("2d6+1", Die(2, 6, 1)),
        (" 2D6 - 2 ", Die(2, 6, -2)),
        ("1d100", Die(1, 100)),
        ("0..8", Die(1, 9, 0, 0)),
        ("-2..3", Die(1, 6, 0, -2)),
        ("1..6", Die(1, 6)),
    ],
)
def test_dice_are_written_as_on_the_table(text: str, die: Die) -> None:
    assert parse_die(text) == die
    assert parse_die(str(die)) == die


@given(dice)
def test_every_die_reads_back(die: Die) -> None:
    assert parse_die(str(die)) == die


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10",
        "1d",
        "0d6",
        "1d0",
        "1d6+",
        "1d6*2",
        "8..0",
        "1.5..2",
        "1d6 2d6",
        "9999999d6",
        "d9999999999",
        "١d٦",
    ],
)
def test_what_is_not_a_die_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="not a die"):
        parse_die(text)


def test_a_range_is_one_draw() -> None:
    for n, plus in ((2, 0), (1, 1)):
        with pytest.raises(ValueError, match="a range is one draw"):
            Die(n, 9, plus, 0)


@pytest.mark.parametrize("text", ["1d10", "3d4-2", "2d6+1", "0..8", "4d1"])
def test_distribution_counts_every_throw(text: str) -> None:
    die = parse_die(text)
    throws = Counter(sum(faces) + die.plus for faces in product(range(die.low, die.high + 1), repeat=die.n))
    whole = die.faces**die.n
    assert distribution(text) == {total: Fraction(ways, whole) for total, ways in sorted(throws.items())}


def test_distribution_of_too_many_dice_is_refused() -> None:
    assert sum(distribution("200d6").values()) == 1
    with pytest.raises(ValueError, match="too many"):
        distribution("100000d6")


# --- keyed dice -------------------------------------------------------------------------------------------------


def test_golden_dice() -> None:
    """These values are a promise: a game in progress must give the same dice after any update."""
    one = stream(KeyedDice(KEY, 3), "rule", "subject")
    assert one.faces(10, 10) == GOLDEN["faces"]
    assert [one.roll("2d6+1"), one.roll("0..8"), one.roll("1d1000"), one.choice("abcde")] == GOLDEN["rolls"]
    assert one.draw("abcdefgh", 3) == GOLDEN["draw"]
    assert one.shuffle("abcdef") == GOLDEN["shuffle"]
    assert audience_key(KEY, "all") == GOLDEN["audience"]
    assert stream(KeyedDice(KEY, 3, mix="ab"), "rule", "subject").faces(10, 10) == GOLDEN["mixed"]


GOLDEN: dict[str, Any] = {
    "faces": [10, 6, 7, 6, 10, 1, 4, 7, 8, 6],
    "rolls": [8, 7, 208, "a"],
    "draw": ["a", "b", "e"],
    "shuffle": ["a", "d", "e", "b", "f", "c"],
    "audience": "961c57601da8cebe5963a38f46fc86bd4ff64bc69ef7598fc4e481d4e8ded61e",
    "mixed": [10, 7, 5, 9, 2, 9, 1, 1, 1, 10],
    "process": "ff258b512f28f8ec3da81f2482c5990c537a58ab88e6cd6c4090665c16e4e3bb",
}


def test_dice_can_be_made_from_their_description_alone() -> None:
    """Given only what the module's text says, a second maker of dice gives the same dice."""

    def keyed(key: bytes, tag: bytes, value: object) -> bytes:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
        return blake2b(text, key=key, person=tag, digest_size=32).digest()

    audience = keyed(KEY, b"wteaw audience", ["north"])
    key = keyed(keyed(audience, b"wteaw dice", [4, "mix"]), b"wteaw stream", ["step", "rule/é", "subject", 1])
    blocks = [blake2b(i.to_bytes(8, "little"), key=key, person=b"wteaw block").digest() for i in range(40)]
    source = KeyedDice(KEY, 4, mix="mix", marks=[["step", "rule/é", "subject", "north", 1]])
    one = source.stream(step="step", rule="rule/é", subject="subject", audience="north")

    small = [byte % 10 + 1 for block in blocks[:20] for byte in block if byte < 250]
    assert one.faces(len(small), 10) == small
    rest = b"".join(blocks)[
        20 * 64 - len(blocks[19]) + max(i for i, b in enumerate(blocks[19]) if b < 250) + 1 :
    ]
    words = [int.from_bytes(rest[at : at + 4], "little") for at in range(0, 1000, 4)]
    large = [word % 3_000_000_000 + 1 for word in words if word < 3_000_000_000]
    assert one.faces(len(large), 3_000_000_000) == large


@pytest.mark.parametrize("faces", [2, 3, 6, 10, 12, 100, 255, 256, 1000])
def test_faces_are_uniform(faces: int) -> None:
    n = 200 * faces
    counts = Counter(stream(KeyedDice(KEY, 1), "uniform").faces(n, faces))
    assert set(counts) <= set(range(1, faces + 1))
    chi = sum((counts[face] - 200) ** 2 / 200 for face in range(1, faces + 1))
    # Four standard deviations of chi-square; with a fixed key this passes or fails for ever.
    assert abs(chi - (faces - 1)) < 4 * (2 * (faces - 1)) ** 0.5 + 4


def test_successive_dice_are_independent() -> None:
    rolled = stream(KeyedDice(KEY, 1), "pairs").faces(36_001, 6)
    pairs = Counter(pairwise(rolled))
    faces = range(1, 7)
    assert sum((pairs[one, two] - 1000) ** 2 / 1000 for one in faces for two in faces) < 35 + 4 * 70**0.5


def test_first_dice_of_streams_are_uniform_too() -> None:
    source = KeyedDice(KEY, 1)
    counts = Counter(stream(source, subject=f"s{i}").roll("1d10") for i in range(5000))
    assert sum((counts[face] - 500) ** 2 / 500 for face in range(1, 11)) < 9 + 4 * 18**0.5


def test_sets_and_orders_are_uniform() -> None:
    one = stream(KeyedDice(KEY, 1), "sets")
    sets = Counter("".join(one.draw("abcd", 2)) for _ in range(3000))
    orders = Counter("".join(one.shuffle("abc")) for _ in range(3000))
    assert len(sets) == len(orders) == 6
    for counts in (sets, orders):
        assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 5 + 4 * 10**0.5


@given(st.integers(1, 400), st.integers(0, 200))
def test_a_batch_is_the_same_dice_as_single_rolls(faces: int, n: int) -> None:
    batch, single = (stream(KeyedDice(KEY, 1)) for _ in range(2))
    assert batch.faces(n, faces) == [single.roll(f"1d{faces}") for _ in range(n)]
    assert batch.roll("1d6") == single.roll("1d6")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), dice), max_size=8), st.randoms())
def test_streams_never_shift_each_other(asked: list[tuple[str, str, Die]], order: Any) -> None:
    """Given any other dice rolled before, between and after, a stream's dice are the ones it has alone."""
    alone = stream(KeyedDice(KEY, 2), "r", "mine").faces(20, 10)
    source = KeyedDice(KEY, 2)
    mine, got = stream(source, "r", "mine"), []
    for rule, subject, die in asked:
        stream(source, rule, subject).roll(die)
        got += mine.faces(1, 10)
    assert got + mine.faces(20 - len(got), 10) == alone


def test_every_part_of_the_name_counts() -> None:
    def first(turn: int = 1, mix: str = "", **other: str) -> list[int]:
        name = {"step": "p", "rule": "r", "subject": "s", "audience": "all", **other}
        return KeyedDice(KEY, turn, mix=mix).stream(**name).faces(20, 100)

    variants = [
        first(), first(step="q"), first(rule="q"), first(subject="q"), first(audience="q"), first(2), first(mix="m"),
        first(step="pr", rule=""), first(step="", rule="pr"),
    ]  # fmt: skip
    assert len({tuple(faces) for faces in variants}) == len(variants)


def test_the_same_name_never_repeats_its_dice() -> None:
    source = KeyedDice(KEY, 1)
    rolled = [stream(source) for _ in range(3)]
    assert len({tuple(each.faces(20, 100)) for each in rolled}) == 3
    assert [each.use for each in rolled] == [0, 1, 2]


def test_a_stream_that_rolls_nothing_counts_for_nothing() -> None:
    source = KeyedDice(KEY, 1)
    idle = stream(source)
    assert idle.choice(["only"]) == "only"
    assert idle.draw("abc", 3) == ["a", "b", "c"]
    assert idle.faces(0, 6) == []
    assert idle.shuffle(["only"]) == ["only"]
    assert idle.record() is idle.take() is None
    assert stream(source).faces(5, 10) == stream(KeyedDice(KEY, 1)).faces(5, 10)


def test_hidden_streams_do_not_count_in_what_others_see() -> None:
    source = KeyedDice(KEY, 1)
    stream(source, audience="hidden").roll("1d10")
    seen = stream(source, audience="all")
    seen.roll("1d10")
    assert seen.use == 0


def test_a_turn_goes_on_where_it_stopped() -> None:
    whole = KeyedDice(KEY, 1)
    expected = [stream(whole).faces(5, 10) for _ in range(3)]
    first = KeyedDice(KEY, 1)
    got = [stream(first).faces(5, 10)]
    marks = json.loads(json.dumps(first.marks()))
    assert marks == [["p", "r", "s", "all", 1]]
    rest = KeyedDice(KEY, 1, marks=marks)
    assert [*got, *(stream(rest).faces(5, 10) for _ in range(2))] == expected


def test_a_key_of_one_audience_gives_its_dice_and_no_others() -> None:
    whole, part = KeyedDice(KEY, 1), KeyedDice({"a": audience_key(KEY, "a")}, 1)
    assert stream(whole, audience="a").faces(9, 6) == stream(part, audience="a").faces(9, 6)
    with pytest.raises(DiceError, match="no key for the dice of audience 'b'"):
        stream(part, audience="b").roll("1d6")


def test_records_say_what_lay_on_the_table() -> None:
    one = stream(KeyedDice(KEY, 1))
    total = one.roll("2d6+1")
    first = one.take()
    one.choice("abcde")
    second = one.take()
    assert first is not None and second is not None and one.take() is None
    assert first["drawn"][0]["die"] == "2d6+1"
    assert sum(first["drawn"][0]["faces"]) + 1 == first["drawn"][0]["total"] == total
    assert [drawn["die"] for drawn in second["drawn"]] == ["1d5"]
    record = recorded(one)
    assert record["drawn"] == first["drawn"] + second["drawn"]
    assert canonical.loads(canonical.dumps(record)) == record


@given(dice)
def test_rolls_stay_within_the_die(die: Die) -> None:
    one = stream(KeyedDice(KEY, 7))
    totals = {one.roll(die) for _ in range(5)}
    assert all(die.n * die.low + die.plus <= total <= die.n * die.high + die.plus for total in totals)


def test_what_cannot_be_drawn_is_refused() -> None:
    one = stream(KeyedDice(KEY, 1))
    with pytest.raises(ValueError, match="nothing to choose from"):
        one.choice("")
    for k in (3, -1):
        with pytest.raises(ValueError, match=f"cannot draw {k} of 2"):
            one.draw("ab", k)
    for n, faces in ((-1, 6), (1, 0), (1, MAX_FACES + 1)):
        with pytest.raises(ValueError):
            one.faces(n, faces)
    with pytest.raises(ValueError, match="not a die"):
        one.roll("six")


PROGRAM = """
from wteaw.core import canonical
from wteaw.core.dice import KeyedDice
source = KeyedDice(bytes(range(32)), 3)
names = sorted({f"s{i}" for i in range(20)})
streams = [source.stream(step="p", rule="r", subject=name) for name in names]
for one in streams:
    one.faces(50, 10), one.shuffle(range(9)), one.roll("1d1000")
value = {"records": [one.record() for one in streams], "marks": source.marks()}
print(canonical.digest(value))
"""


def test_every_process_rolls_the_same_dice() -> None:
    home = str(Path(str(wteaw.__file__)).parent.parent)
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": home},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("0", "1", "4242")
    }
    assert printed == {GOLDEN["process"]}


# --- scripted dice ----------------------------------------------------------------------------------------------


def test_typed_dice_come_in_order() -> None:
    source = ScriptedDice([3, 9, 1, 2])
    assert stream(source, "a").roll("1d10") == 3
    assert stream(source, "b").roll("2d10+5") == 15
    assert source.unused() == {"*": [2]}
    assert stream(source, "c").choice("abc") == "b"
    assert source.unused() == {}


def test_typed_dice_go_to_the_most_exact_name_first() -> None:
    source = ScriptedDice({"r": [2], "r@s": [1], "*": [3, 4], "other": [5]})
    assert stream(source).faces(4, 6) == [1, 2, 3, 4]
    assert stream(source, "other", "x").roll("1d6") == 5
    source = ScriptedDice({"r": [2], "r@s": [1]})
    assert stream(source, "r", "t").roll("1d6") == 2
    assert source.unused() == {"r@s": [1]}


@pytest.mark.parametrize(
    ("value", "die"), [(11, "1d10"), (0, "1d6"), (9, "0..8"), (-1, "0..8"), (True, "1d6")]
)
def test_a_typed_die_must_be_possible(value: int, die: str) -> None:
    with pytest.raises(DiceImpossible) as caught:
        stream(ScriptedDice([value]), "rule/one").roll(die)
    assert (
        die in str(caught.value)
        and "rule rule/one for s" in str(caught.value)
        and repr(value) in str(caught.value)
    )
    assert caught.value.name.rule == "rule/one" and caught.value.die == die


def test_typed_dice_run_out_in_words() -> None:
    with pytest.raises(DiceExhausted, match="no dice are left for 1d10 of rule r for s in p"):
        stream(ScriptedDice()).roll("1d10")
    with pytest.raises(DiceExhausted, match="only 1 of 2 dice are left for 2d6"):
        stream(ScriptedDice([4])).roll("2d6")


def test_after_the_typed_dice_the_real_ones() -> None:
    source = ScriptedDice({"r@s": [4]}, fallback=KeyedDice(KEY, 1))
    real = stream(KeyedDice(KEY, 1))
    one = stream(source)
    assert one.roll("1d6") == 4
    assert one.faces(5, 6) == real.faces(5, 6)
    assert [drawn.get("typed", False) for drawn in recorded(one)["drawn"]] == [True, False]
    second, real_second = stream(source), stream(KeyedDice(KEY, 1, marks=[["p", "r", "s", "all", 1]]))
    assert second.faces(5, 6) == real_second.faces(5, 6)
