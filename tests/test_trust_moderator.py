"""A moderator who would like other dice: what can be done, what it changes, and who hears of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from wteaw.play.proofs import Published, check, revealed
from wteaw.play.verify import audit
from wteaw.report.turn_reports import notices
from wteaw.store import MODERATOR, PLAYER, POLICY, Game, StoreError, Submission

from . import small
from .test_store import RULES


def begun(folder: Path, **seats: str) -> Game:
    state = small.state(game={"game": {"turn": 0}})
    for nation, seat in (seats or {"red": PLAYER, "blue": PLAYER}).items():
        state.put("nations", nation, "seat", seat)
    return Game.create(folder, RULES, {"title": "Small"}, state, id_="small", seed=b"s" * 32)


def send(game: Game, nation: str, text: str = "dig\n", by: str = PLAYER) -> str:
    return game.submit(Submission(nation, text, [small.order("dig")] if "dig" in text else [], {}, by))


def faces(game: Game) -> list[Any]:
    """The dice of the last turn that do not depend on what was ordered."""
    last = game.stage().number
    return [e.dice for e in game.journal(position=last) if e.rule == "events/luck"]


def fault(game: Game) -> str:
    return next((wrong for _, wrong in audit(game) if wrong), "")


def published(game: Game) -> dict[str, Any]:
    return json.loads(
        json.dumps({"anchor": game.head["anchor"], "commitment": asdict(game.stage().commitment)})
    )


# ---- seats that no player holds


@pytest.mark.parametrize("by", [MODERATOR, PLAYER, POLICY, "proxy"])
def test_no_file_for_a_nation_that_a_bot_plays_changes_any_die(tmp_path: Path, by: str) -> None:
    rolled = []
    for n in range(6):
        game = begun(tmp_path / str(n))
        send(game, "red", "# mine\n")
        if n:
            assert send(game, "gray", f"# nothing {n}\n", by) == ""
        assert set(game.close()) == {"red"}
        game.resolve()
        rolled.append(faces(game))
        assert fault(game) == ""
    assert all(dice == rolled[0] for dice in rolled)


def test_a_seat_that_becomes_a_players_in_the_turn_has_a_share_from_the_next_one_on(tmp_path: Path) -> None:
    """Else a moderator would seat whom they like, and try files for that seat, after the commitment."""
    game = begun(tmp_path)
    game.command("gray", PLAYER, "somebody")
    assert send(game, "gray", "# one\n") == ""
    assert "gray" not in game.close()
    game.resolve()
    assert "gray" in game.stage().commitment.seats and send(game, "gray", "# two\n")


def test_a_list_with_a_seat_that_is_no_players_is_refused(tmp_path: Path) -> None:
    game = begun(tmp_path)
    said = published(game)
    send(game, "red", "# mine\n")
    salts = game.close()
    game.resolve()
    data = revealed(game, 1, "red")
    good = {"game": "small", "turn": 1, "attempt": 0, "salts": salts}
    assert not check(data, Published.read(said, good), orders=b"# mine\n", nation="red").wrong
    forged = {**good, "salts": {**salts, "gray": salts["red"]}}
    assert "gray" in check(data, Published.read(said, forged)).wrong
    stretched = {**said, "commitment": {**said["commitment"], "seats": ["blue", "gray", "red"]}}
    assert check(data, Published.read(stretched, forged)).wrong, "the seats stand under the root"


def test_a_player_who_sent_nothing_notices_a_file_that_counts_as_theirs(tmp_path: Path) -> None:
    game = begun(tmp_path)
    said = published(game)
    send(game, "red", "# mine\n")
    send(game, "blue", "# not blue's own\n", MODERATOR)
    listed = {"game": "small", "turn": 1, "attempt": 0, "salts": game.close()}
    game.resolve()
    known = Published.read(said, listed)
    blue = check(revealed(game, 1, "blue"), known, nation="blue", sent_none=True)
    assert "though you sent none" in blue.wrong
    assert check(revealed(game, 1, "blue"), known, orders=b"# what blue sent\n", nation="blue").wrong
    gray = check(revealed(game, 1, "gray"), known, nation="gray", sent_none=True)
    assert not gray.wrong and "No file of yours" in gray.lines()[-1]


# ---- looking, then changing


def test_a_look_at_real_dice_is_told_to_everybody(tmp_path: Path) -> None:
    game = begun(tmp_path)
    send(game, "red")
    with pytest.raises(StoreError, match="closed orders"):
        game.resolve(dry=True)
    game.close()
    for _ in range(3):
        game.resolve(dry=True)
    game.resolve(practice=True)
    game.resolve()
    assert [n for n in notices(game, 1) if "looked 3 times" in n] and not notices(game, 2)


@pytest.mark.parametrize("nation", ["blue", "gray"])
@pytest.mark.parametrize("how", ["orders", "decision", "seat"])
def test_what_is_changed_after_a_look_takes_fresh_dice_and_everybody_hears_of_it(
    tmp_path: Path, nation: str, how: str
) -> None:
    game = begun(tmp_path)
    first = game.stage().commitment
    send(game, "red")
    game.close()
    seen = game.resolve(dry=True)
    if how == "orders":
        send(game, nation, "# other\n", MODERATOR)
    elif how == "decision":
        game.decide(nation, "x", "y")
    else:
        game.command(nation, POLICY, "")
    now = game.stage().commitment
    assert (now.attempt, game.salts(1)) == (1, {}) and now.root != first.root
    with pytest.raises(StoreError, match="closed orders"):
        game.resolve(dry=True)
    send(game, "red")  # the orders are open again
    game.resolve()
    assert faces(game) != [e.dice for e in seen.entries if e.rule == "events/luck"]
    told = " ".join(notices(game, 1))
    assert "looked once" in told and nation.title() in told and "rolled again" in told
    assert fault(game) == ""


def test_what_is_changed_after_the_closing_without_a_look_is_told_and_leaves_the_dice(tmp_path: Path) -> None:
    game = begun(tmp_path)
    send(game, "red")
    game.close()
    send(game, "blue", "# late\n", MODERATOR)
    assert game.stage().attempt == 0
    game.resolve()
    assert notices(game, 1) == ["The orders of Blue in turn 1 came or changed after orders had been closed."]
    send(game, "red")
    game.resolve()
    assert notices(game, 2) == []


def test_games_that_bots_play_alone_take_no_notice(tmp_path: Path) -> None:
    game = begun(tmp_path, red=POLICY)
    game.resolve(dry=True)
    game.resolve()
    assert game.corrections() == [] and game.stage().commitment.record == ""
