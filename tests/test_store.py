"""Games on disk: kept whole, resumed in another process, rolled back, decided, upgraded; a killed process loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wteaw.core.journal import replay, verify_chain
from wteaw.game.explain import Unknown, why
from wteaw.game.moderation import compare, first_difference
from wteaw.game.store import Game, StoreError, Submission

from . import small

FRAME = [
    {"input": "orders", "from": "everyone"},
    {"phase": "court", "steps": [{"step": "acts", "do": "act", "acts": ["dig"]}]},
    {"phase": "luck", "steps": [{"step": "luck", "do": "watch"}]},
]
DIG = {
    "id": "dig",
    "form": "dig",
    "cost": 2,
    "roll": {"die": "1d6", "from": 3},
    "effects": [{"pay": {"to": "=self", "what": "gold", "amount": "1d6"}}],
    "audience": ["=self"],
}
LUCK = {
    "id": "luck",
    "on": {"step": "luck"},
    "for": "nations()",
    "effects": [{"pay": {"to": "=nation", "what": "gold", "amount": "1d6"}}],
    "audience": ["=nation"],
}
RULES = small.ruleset(FRAME, acts=[DIG], events=[LUCK])


def new(folder: Path) -> Game:
    return Game.create(folder, RULES, {"title": "Small"}, small.state(game={"game": {"turn": 0}}), id_="small", seed=b"s" * 32)


def send(game: Game, nation: str, times: int = 1, by: str = "player") -> None:
    game.submit(Submission(nation, "dig\n" * times, [small.order("dig", n) for n in range(1, times + 1)], {}, by))


def test_a_game_goes_on_in_another_place(tmp_path: Path) -> None:
    game = new(tmp_path / "g")
    send(game, "red", 2)
    game.resolve()
    again = Game.open(tmp_path / "g")
    assert again.stages() == [(1, 1, "orders"), (2, 2, "orders")]
    assert again.stage().position.state.hash() == game.stage().position.state.hash()
    again.resolve()
    rows = [e.to_json() for e in again.journal()]
    assert verify_chain(rows) is None and rows[-1]["hash"] == again.stage().position.head
    first = again.stage(1).position.state
    assert replay(first, [r for r in rows if r["n"] > again.stage(1).position.entries]) == again.stage().position.state
    assert again.ruleset.hash == RULES.hash


def test_a_second_game_does_not_overwrite_the_first(tmp_path: Path) -> None:
    new(tmp_path)
    with pytest.raises(StoreError, match="holds a game"):
        new(tmp_path)
    with pytest.raises(StoreError, match="holds no game"):
        Game.open(tmp_path / "nothing")


def test_the_last_orders_before_the_deadline_count(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red", 3)
    send(game, "red", 1)
    game.resolve()
    assert sum(e.rule == "acts/dig" for e in game.journal(position=2)) == 1


def test_a_dry_run_keeps_nothing(tmp_path: Path) -> None:
    game = new(tmp_path)
    before = game.stages(), len(game.journal())
    dry = game.resolve(dry=True)
    assert (game.stages(), len(game.journal())) == before
    assert game.resolve().position.head == dry.position.head


def test_rolling_back_and_playing_again_gives_the_same(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    first = game.resolve().position.head
    game.resolve()
    game.rollback(1, "an order was misread")
    assert game.stage().number == 1 and not [e for e in game.journal() if e.step == "luck"]
    assert game.submissions()["red"].text == "dig\n"
    assert game.resolve().position.head == first
    assert game.corrections() == [{"what": "rollback", "from": 3, "to": 1, "reason": "an order was misread"}]
    with pytest.raises(StoreError, match="choose an earlier"):
        game.rollback(9, "x")


def test_fresh_dice_are_another_attempt_under_another_commitment(tmp_path: Path) -> None:
    game = new(tmp_path)
    before = game.stage().commitment
    first = game.resolve(dry=True).position.head
    game.again()
    assert game.stage().commitment != before and game.resolve(dry=True).position.head != first


def test_a_players_file_takes_part_in_the_dice(tmp_path: Path) -> None:
    game = new(tmp_path)

    def luck(text: str) -> object:
        game.submit(Submission("red", text, [], {}))
        return [e.dice for e in game.resolve(dry=True).entries if e.rule == "events/luck"]

    assert luck("# one") != luck("# two")
    assert luck("# one") == luck("# one")


def test_new_rules_show_their_first_difference(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    game.resolve()
    assert first_difference(game, RULES) is None
    dearer = small.ruleset(FRAME, acts=[{**DIG, "cost": 3}], events=[LUCK])
    assert "stores/red.gold" in str(first_difference(game, dearer))
    game.use_ruleset(dearer, "dearer digging")
    assert Game.open(tmp_path).ruleset.hash == dearer.hash
    assert compare(small.state(), small.state()) is None


def test_why_something_is_so(tmp_path: Path) -> None:
    game = new(tmp_path)
    send(game, "red")
    game.resolve()
    answer = why(game.ruleset, game.stage().position.state, game.journal(), "red gold")
    entries = [e for e, _ in answer.history]
    assert {e.rule for e in entries} >= {"acts/dig", "events/luck"}
    assert [(c.table, c.id, c.field) for c in answer.now] == [("stores", "red", "gold")]
    assert all(c.table == "stores" for _, changes in answer.history for c in changes)
    with pytest.raises(Unknown, match=r"nothing in this game is called 'glod'; did you mean Gold"):
        why(game.ruleset, game.stage().position.state, game.journal(), "red glod")


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_a_killed_process_leaves_the_game_before_or_after(tmp_path: Path, delay: float) -> None:
    game = new(tmp_path)
    send(game, "red")
    before = game.stage().position.state.hash()
    after = game.resolve(dry=True).position.state.hash()
    code = f"from pathlib import Path; from wteaw.game.store import Game; g = Game.open(Path({str(tmp_path)!r})); print('ready', flush=True); g.resolve()"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline()
    time.sleep(delay)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    found = Game.open(tmp_path)
    number, here = found.stage().number, found.stage().position.state.hash()
    assert (number, here) in {(1, before), (2, after)}
    assert verify_chain([e.to_json() for e in found.journal()]) is None
    assert found.submissions(1)["red"].text == "dig\n"
