"""Fairness: every proof holds for what is true, and fails for everything that was touched."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wteaw.core import fairness
from wteaw.core.dice import DiceRecord, KeyedDice, ScriptedDice, audience_key, drawer_of
from wteaw.core.fairness import Chain, Commitment, DiceVerdict, DrawMismatch, Opening

GAME, TURN = "game-1", 3
CHAIN = Chain.create(bytes(range(32)), 10)
KEY = fairness.turn_key(CHAIN.secret(TURN), GAME, TURN)
SEATS = ("east", "north", "west")
NAMES = fairness.audiences(SEATS)
GROUPS = ("east+north", "east+west", "north+west")
"""Those whom dice of several were rolled for."""
PLAIN = fairness.commitment(KEY, NAMES, game_id=GAME, turn=TURN, drawers=0)
COMMITTED = fairness.commitment(KEY, NAMES, game_id=GAME, turn=TURN)
MASKED = fairness.mask_salts(KEY, {seat: fairness.order_salt(f"orders of {seat}") for seat in SEATS})
MIX = fairness.mix_salts(MASKED)


def keys_of(seat: str) -> dict[str, str]:
    return {opening.audience: opening.dice_key for opening in fairness.reveal(KEY, COMMITTED, [seat], GROUPS)}


def turned(text: str) -> str:
    """The same hex with its first digit changed."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def played() -> list[DiceRecord]:
    """A turn's records: two of everyone's under one name, one that east and west share, one of west's, one typed."""
    source = ScriptedDice({"typed": [6]}, fallback=KeyedDice(KEY, TURN, mix=MIX))
    records = []
    for rule, audience, die in [
        ("fire", "all", "3d10"),
        ("fire", "all", "2d6+1"),
        ("talk", "east+west", "0..8"),
        ("spy", "west", "1d100"),
        ("typed", "all", "1d6"),
    ]:
        one = source.stream(step="p", rule=rule, subject="s", audience=audience)
        one.roll(die)
        one.roll("1d10")
        records.append(one.record())
    return [record for record in records if record is not None]


def check(records: list[DiceRecord], seat: str = "east", mix: str = MIX) -> DiceVerdict:
    return fairness.verify_record(keys_of(seat), records, turn=TURN, mix=mix)


# --- the chain --------------------------------------------------------------------------------------------------


def test_golden_values() -> None:
    """A game in progress must be checked by any later version: these values never change."""
    values = {"anchor": CHAIN.anchor, "key": KEY, "root": PLAIN.root, "mix": MIX}
    assert values == GOLDEN


GOLDEN = {
    "anchor": "a1c7864e100e22f30871d2148f9d685e8ada811ee69d7d6f1a54e9be7cf81c93",
    "key": "edd9cfa1ab97bca08f1df97ff83c6b8f6d6744c5519c068cdf0dad5942acb9a6",
    "root": "0e62d0d1e1785682c64a0fffdddf785f5b4b8dcdb9b41ac0f98a5a6b1e8f5277",
    "mix": "23cfc41e25cded91c21d0e005d9c403fdf48c0a558a7c00273b2442bebbe6330",
}


def test_every_secret_depends_on_the_anchor() -> None:
    for turn in range(1, 11):
        assert fairness.verify_secret(CHAIN.anchor, turn, CHAIN.secret(turn))
    assert len({CHAIN.anchor, *map(CHAIN.secret, range(1, 11))}) == 11


def test_a_secret_tells_the_earlier_ones_only() -> None:
    for earlier in range(1, 6):
        assert fairness.earlier_secret(CHAIN.secret(5), 5, earlier) == CHAIN.secret(earlier)
    with pytest.raises(ValueError, match="does not tell that of turn 6"):
        fairness.earlier_secret(CHAIN.secret(5), 5, 6)


@pytest.mark.parametrize(
    ("turn", "secret"),
    [
        (2, CHAIN.secret(3)),
        (4, CHAIN.secret(3)),
        (0, CHAIN.anchor),
        (-1, CHAIN.anchor),
        (3, turned(CHAIN.secret(3))),
        (3, CHAIN.secret(3).upper()),
        (3, CHAIN.secret(3) + "00"),
        (3, ""),
        (3, "not hex"),
        (3, CHAIN.seed),
    ],
)
def test_a_false_secret_is_refused(turn: int, secret: str) -> None:
    assert not fairness.verify_secret(CHAIN.anchor, turn, secret)
    assert not fairness.verify_secret(turned(CHAIN.anchor), 3, CHAIN.secret(3))


def test_chains_from_nothing_differ_and_keep_their_secrets_out_of_logs() -> None:
    one, two = Chain.create(None, 3), Chain.create(None, 3)
    assert one.anchor != two.anchor
    assert not any(secret in repr(one) for secret in (one.seed, *one.links))
    assert Chain(**json.loads(json.dumps(asdict(one)))) == one
    assert Chain.create(bytes.fromhex(one.seed), 3) == one


def test_a_chain_has_a_size() -> None:
    for seed, length in ((b"short", 3), (bytes(16), 0)):
        with pytest.raises(ValueError):
            Chain.create(seed, length)
    for turn in (0, 11, -1):
        with pytest.raises(IndexError, match="turns 1 to 10"):
            CHAIN.secret(turn)


def test_every_game_turn_and_attempt_has_its_own_key() -> None:
    secret = CHAIN.secret(3)
    keys = [
        fairness.turn_key(secret, game, turn, n) for game in ("a", "b") for turn in (3, 31) for n in (0, 1)
    ]
    assert len({*keys, fairness.turn_key(CHAIN.secret(4), "a", 3)}) == 9


# --- one commitment, many audiences -----------------------------------------------------------------------------


@given(st.sets(st.text("abcdefgh", min_size=1, max_size=3), min_size=1, max_size=20))
def test_every_audience_can_prove_its_key(names: set[str]) -> None:
    committed = fairness.commitment(KEY, names, game_id=GAME, turn=TURN, drawers=0)
    openings = [fairness.proof(KEY, committed, name) for name in sorted(names)]
    for opening in openings:
        assert fairness.verify_proof(committed, opening)
        assert opening.key == audience_key(KEY, opening.audience)
    for opening in openings:
        for other in openings:
            if other is not opening:
                assert not fairness.verify_proof(committed, replace(opening, audience=other.audience))
                assert not fairness.verify_proof(committed, replace(opening, key=other.key))


def test_values_travel_as_json() -> None:
    opening = fairness.proof(KEY, COMMITTED, "north")
    assert Commitment(**json.loads(json.dumps(asdict(COMMITTED)))) == COMMITTED
    assert Opening(**json.loads(json.dumps(asdict(opening)))) == opening
    assert opening.key not in repr(opening)


@pytest.mark.parametrize("name", (*NAMES, "east+west"))
def test_a_touched_opening_proves_nothing(name: str) -> None:
    opening = fairness.proof(KEY, COMMITTED, name)
    assert fairness.verify_proof(COMMITTED, opening)
    touched = [
        replace(opening, key=turned(opening.key)),
        replace(opening, key=opening.key.upper() if opening.key.upper() != opening.key else "0" * 64),
        replace(opening, key=""),
        replace(opening, audience="nobody"),
        replace(opening, path=opening.path[:-1]),
        replace(opening, path=(*opening.path, "0" * 64)),
        replace(opening, path=opening.path[::-1]),
        replace(opening, audience="east+north" if name == "east+west" else "north+west"),
        *(
            replace(opening, path=(*opening.path[:at], turned(opening.path[at]), *opening.path[at + 1 :]))
            for at in range(len(opening.path))
        ),
    ]
    assert not any(fairness.verify_proof(COMMITTED, each) for each in touched if each != opening)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "game-2"},
        {"turn": TURN + 1},
        {"attempt": 1},
        {"root": turned(COMMITTED.root)},
        {"audiences": NAMES[:-1]},
        {"audiences": (*NAMES, "zz")},
        {"audiences": NAMES[::-1]},
        {"audiences": (*NAMES, NAMES[-1])},
        {"audiences": ()},
        {"audiences": (*NAMES, "zz+zzz")},
        {"drawers": 0},
        {"drawers": 1},
        {"drawers": 1 << 15},
    ],
)
def test_a_touched_commitment_proves_nothing(change: dict[str, Any]) -> None:
    touched = replace(COMMITTED, **change)
    assert not any(fairness.verify_proof(touched, fairness.proof(KEY, COMMITTED, name)) for name in NAMES)
    assert not fairness.verify_commitment(touched, CHAIN.secret(TURN))


def test_no_audience_can_have_two_keys() -> None:
    """Given a tree with two leaves for one audience, neither proves anything: the list names each once, in order."""
    doubled = ("a", "a")
    leaves = [fairness._leaf("a", key) for key in ("0" * 64, "1" * 64)]
    root = fairness._root(fairness.Commitment(GAME, TURN, 0, doubled, ""), fairness._node(*leaves))
    committed = Commitment(GAME, TURN, 0, doubled, root)
    assert not fairness.verify_proof(committed, Opening("a", "0" * 64, (leaves[1],)))
    assert not fairness.verify_proof(committed, Opening("a", "1" * 64, (leaves[0],)))


def test_a_node_is_the_hash_of_its_canonical_text() -> None:
    assert fairness._node("a" * 64, "0" * 64) == fairness._hash("wteaw node", ["a" * 64, "0" * 64])


def test_an_inner_node_is_no_leaf() -> None:
    """Given a tree of four, its inner nodes cannot pass for the leaves of a tree of two."""
    committed = fairness.commitment(KEY, "abcd", game_id=GAME, turn=TURN, drawers=0)
    left, right = fairness._levels(KEY, committed.audiences, 0)[1]
    smaller = replace(committed, audiences=("a", "b"))
    assert not fairness.verify_proof(smaller, Opening("a", left, (right,)))


def test_a_commitment_depends_on_the_secret() -> None:
    assert fairness.verify_commitment(COMMITTED, CHAIN.secret(TURN))
    for wrong in (CHAIN.secret(TURN + 1), turned(CHAIN.secret(TURN)), "", "zz" * 32):
        assert not fairness.verify_commitment(COMMITTED, wrong)


def test_a_wrong_key_opens_nothing() -> None:
    other = fairness.turn_key(CHAIN.secret(TURN), GAME, TURN, 1)
    with pytest.raises(ValueError, match="not the key that turn 3"):
        fairness.proof(other, COMMITTED, "north")
    with pytest.raises(ValueError, match="not the key that turn 3"):
        fairness.reveal(other, COMMITTED, ["north"])
    with pytest.raises(ValueError, match="no audience 'south'"):
        fairness.proof(KEY, COMMITTED, "south")
    with pytest.raises(ValueError, match="at least one audience"):
        fairness.commitment(KEY, [], game_id=GAME, turn=TURN)


def test_a_player_is_given_his_audiences_and_no_others() -> None:
    openings = fairness.reveal(KEY, COMMITTED, ["east"], GROUPS)
    assert [opening.audience for opening in openings] == ["all", "east", "east+north", "east+west"]
    assert [opening.dice_key for opening in openings] == [
        audience_key(KEY, opening.audience) for opening in openings
    ]
    assert all(fairness.verify_proof(COMMITTED, opening) for opening in openings)
    hidden = {audience_key(KEY, name) for name in (*NAMES, *GROUPS)} - {
        opening.dice_key for opening in openings
    }
    shown = json.dumps([asdict(opening) for opening in openings])
    assert len(hidden) == 3 and not any(key in shown for key in hidden)
    assert [opening.audience for opening in fairness.reveal(KEY, COMMITTED, [], GROUPS)] == ["all"]
    assert [opening.audience for opening in fairness.reveal(KEY, PLAIN, ["east"], GROUPS)] == ["all", "east"]


def test_a_drawer_that_holds_anothers_key_stays_shut() -> None:
    """Given two groups whose keys lie in one drawer, whoever is in both is given its key, and nobody else."""
    mine = "east+north"
    other = next(f"east+p{n}" for n in range(10**6) if drawer_of(f"east+p{n}") == drawer_of(mine))
    member = other.partition("+")[2]
    opened = {
        who: {o.audience for o in fairness.reveal(KEY, COMMITTED, [who], [mine, other])}
        for who in ("east", "north", member)
    }
    assert {mine, other} <= opened["east"]
    assert mine not in opened["north"] and other not in opened[member]
    assert mine in {o.audience for o in fairness.reveal(KEY, COMMITTED, ["north"], [mine])}


def test_names_of_audiences_are_clear() -> None:
    assert fairness.audiences(["b", "a", "b"]) == ("a", "all", "b")
    assert fairness.shared(["west", "east", "west"]) == "east+west"
    for seats in (["all"], ["a+b"], [""]):
        with pytest.raises(ValueError):
            fairness.audiences(seats)
    with pytest.raises(ValueError):
        fairness.shared([])


# --- salts ------------------------------------------------------------------------------------------------------


def test_a_player_finds_his_salt_in_the_mix() -> None:
    key, salt = audience_key(KEY, "east"), fairness.order_salt("orders of east")
    assert fairness.verify_salt(MASKED, "east", key, salt)
    without = {seat: value for seat, value in MASKED.items() if seat != "east"}
    for masked, seat, tried, text in [
        (MASKED, "east", key, fairness.order_salt("orders of east ")),
        (MASKED, "east", turned(key), salt),
        (MASKED, "east", "", salt),
        (MASKED, "west", key, salt),
        (MASKED, "nobody", key, salt),
        (without, "east", key, salt),
        ({**MASKED, "east": turned(MASKED["east"])}, "east", key, salt),
    ]:
        assert not fairness.verify_salt(masked, seat, tried, text)


def test_the_mix_is_of_all_salts_in_whatever_order() -> None:
    assert fairness.mix_salts(dict(reversed(MASKED.items()))) == MIX
    others = [
        {**MASKED, "east": turned(MASKED["east"])},
        {**MASKED, "south": "0" * 64},
        {seat: value for seat, value in MASKED.items() if seat != "east"},
        {**MASKED, "east": MASKED["west"], "west": MASKED["east"]},
    ]
    assert len({MIX, *map(fairness.mix_salts, others)}) == 5


def test_the_mix_changes_every_die() -> None:
    def faces(mix: str) -> list[int]:
        return KeyedDice(KEY, TURN, mix=mix).stream(step="p", rule="r", subject="s").faces(40, 10)

    assert faces(MIX) != faces(fairness.mix_salts({**MASKED, "east": turned(MASKED["east"])})) != faces("")


def test_equal_orders_do_not_show_as_equal_salts() -> None:
    salt = fairness.order_salt(b"the same orders")
    masked = fairness.mask_salts(KEY, dict.fromkeys(SEATS, salt))
    assert len({salt, *masked.values()}) == 4
    assert fairness.order_salt("the same orders") == salt


# --- rolling again ----------------------------------------------------------------------------------------------


def test_a_true_record_is_confirmed_and_hidden_dice_stay_hidden() -> None:
    assert check(played()) == DiceVerdict(ok=True, checked=7, typed=1, unseen=2, mismatch=None)
    assert check(played(), "west") == DiceVerdict(ok=True, checked=9, typed=1, unseen=0, mismatch=None)
    assert check(played(), "north") == DiceVerdict(ok=True, checked=5, typed=1, unseen=4, mismatch=None)


def test_a_record_may_come_in_parts() -> None:
    whole = played()
    first, second = copy.deepcopy(whole[0]), copy.deepcopy(whole[0])
    first["drawn"], second["drawn"] = first["drawn"][:1], second["drawn"][1:]
    assert check([first, whole[1], second]).ok
    assert not check([second, whole[1], first]).ok


Touch = Callable[[list[DiceRecord]], object]


@pytest.mark.parametrize(
    ("touch", "record", "draw", "why"),
    [
        (lambda r: r[0]["drawn"][0]["faces"].reverse(), 0, 0, "other faces"),
        (lambda r: r[0]["drawn"][0]["faces"].pop(), 0, 0, "other faces"),
        (lambda r: r[1]["drawn"][0].update(total=99), 1, 0, "a total of 99"),
        (lambda r: r[1]["drawn"][0].update(die="2d6"), 1, 0, "a total"),
        (lambda r: r[1]["drawn"][0].update(die="2d8+1"), 1, 0, "other faces"),
        (lambda r: r[1]["drawn"][0].update(die="dice"), 1, 0, "not a die"),
        (lambda r: r[1]["drawn"].pop(0), 1, 0, "other faces"),
        (
            lambda r: r[0]["drawn"].insert(0, {"die": "2d10", "faces": [1, 1], "total": 2}),
            0,
            0,
            "other faces",
        ),
        (lambda r: r[0].update(step="q"), 0, 0, "other faces"),
        (lambda r: r[0].update(subject="t"), 0, 0, "other faces"),
        (lambda r: r[2].update(audience="east"), 2, 0, "other faces"),
        (lambda r: r[1].update(use=2), 1, 0, "use 2 of this name without use 1"),
        (lambda r: r.pop(0), 0, 0, "use 1 of this name without use 0"),
    ],
)
def test_a_touched_record_is_found_at_its_place(touch: Touch, record: int, draw: int, why: str) -> None:
    records = played()
    touch(records)
    verdict = check(records)
    assert not verdict.ok
    assert isinstance(verdict.mismatch, DrawMismatch)
    assert (verdict.mismatch.record, verdict.mismatch.draw) == (record, draw)
    assert why in verdict.mismatch.why


def test_the_wrong_mix_turn_or_key_confirms_nothing() -> None:
    records = played()
    assert not check(records, mix=turned(MIX)).ok
    assert not fairness.verify_record(keys_of("east"), records, turn=TURN + 1, mix=MIX).ok
    swapped = {**keys_of("east"), "all": keys_of("east")["east"]}
    assert not fairness.verify_record(swapped, records, turn=TURN, mix=MIX).ok


def test_a_rolled_die_passed_off_as_typed_is_counted() -> None:
    records = played()
    records[3]["drawn"][0] = {"die": "1d100", "faces": [100], "total": 100, "typed": True}
    assert check(records, "west").typed == 2


def test_a_mismatch_says_what_the_dice_were() -> None:
    records = played()
    true = tuple(records[0]["drawn"][0]["faces"])
    records[0]["drawn"][0]["faces"] = [1, 1, 1]
    mismatch = check(records).mismatch
    assert mismatch is not None
    assert (mismatch.recorded, mismatch.expected, mismatch.die) == ((1, 1, 1), true, "3d10")
    assert json.loads(json.dumps(asdict(mismatch)))["name"] == ["p", "fire", "s", "all"]


def test_a_whole_game_can_be_checked_at_its_end() -> None:
    """Given the last secret alone, every turn's commitment, salts and dice follow."""
    last = CHAIN.secret(5)
    secret = fairness.earlier_secret(last, 5, TURN)
    assert fairness.verify_secret(CHAIN.anchor, 5, last)
    assert fairness.verify_commitment(COMMITTED, secret)
    key = fairness.turn_key(secret, GAME, TURN)
    salts = {seat: fairness.order_salt(f"orders of {seat}") for seat in SEATS}
    assert fairness.mask_salts(key, salts) == MASKED
    keys = {name: audience_key(key, name) for name in (*NAMES, *GROUPS)}
    assert fairness.verify_record(keys, played(), turn=TURN, mix=fairness.mix_salts(MASKED)).unseen == 0
