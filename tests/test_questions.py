"""Questions in a player's own words: answered from rules, knowledge and what was told, wherever orders are given; and no secrets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from wteaw.core.journal import Entry
from wteaw.core.package_data import scenarios
from wteaw.orders.intake import take_in
from wteaw.orders.mail_text import asks_for_help
from wteaw.orders.parse import is_question
from wteaw.orders.readback import read_back
from wteaw.orders.readback_text import rendered
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.submit import NothingStands, hand_in
from wteaw.rulebook.questions import WHAT_CAN_BE_ASKED, Inquiry, inquiry
from wteaw.store import PLAYER, Game
from wteaw.world.view import view
from wteaw.world.world import World

from .test_free_wording import known, position

ASKED = {
    ("1914", 2, "german-empire"): [
        ("what does a tank cost me", "12 resource points each for you now"),
        ("how much are a battleship and an infantry?", "Battleship: 75"),
        ("can Britain join", "Britain stands on no side and is not at war with you."),
        ("when can Japan make peace?", "Japan stands on no side and is at war with you."),
        ("how does influence work", "Order `influence NATION`"),
        ("how does influence work", "Each attempt costs 10 resources, whether it succeeds or not."),
        ("how are trenches built", "A trench faces one neighbor"),
        ("what happens when a nation surrenders?", "Order `offer surrender [to SIDE]`"),
        ("who can see my fleet", "Units: seen by their owner and the members of the owner's side."),
        (
            "who can see my fleet",
            "Units: seen by everybody who looks from near enough, but not how many: only the size.",
        ),
        ("when are orders due", "your moderator says when"),
        ("what is left to place", "Nothing is yours to place now."),
        ("how many infantry do I have", "You have 96 infantry: Cologne 28"),
        ("what happened in Madrid", "Nothing that you were told happened to Madrid."),
    ],
    ("diplomacy", 1, "france"): [
        ("how do I win", "You win if you hold 18 supply centers after a fall."),
        ("who can see my fleet?", "Units: seen by everybody."),
        ("what does a fleet cost", "Nothing is for sale in these rules."),
        ("how does a convoy work", "F Nth C A Lon - Nwy"),
        ("how many units does Russia have", "You know of Russia 2 armies and 2 fleets"),
    ],
    ("empire-orders", 1, "aster"): [
        ("how do I win", "A power has accomplished all of its missions. Then this decides: Standing."),
        ("when does the game end?", "The game ends with this: One power is left."),
    ],
    ("no-mans-land", 1, "germany"): [
        ("what does infantry cost", "Infantry: 3 PUs each for you now."),
        ("how does research work", "Order `research industry / naval / land"),
    ],
    ("alliances-6", 1, "germany"): [
        ("what is a token", "Each turn you have 2 Invest, 1 Dig, 3 Move and 2 Train tokens.")
    ],
}
UNANSWERED = ("what do you think about the weather", "why is the sky blue", "who painted the mona lisa")


def nothing_told() -> Sequence[Entry]:
    return ()


@pytest.mark.parametrize("where", list(ASKED), ids=[where[0] for where in ASKED])
def test_questions_are_answered_in_words(where: tuple[str, int, str]) -> None:
    asked = Inquiry(known(*where), where[2], nothing_told)
    for question, wanted in ASKED[where]:
        assert is_question(question)
        assert any(wanted in line for line in asked.answer(question)), (question, asked.answer(question))


def test_what_cannot_be_answered_says_what_can_be_asked() -> None:
    asked = Inquiry(known("1914", 2, "german-empire"), "german-empire", nothing_told)
    for question in UNANSWERED:
        assert asked.answer(question) == [WHAT_CAN_BE_ASKED], question
    assert "wteaw" not in WHAT_CAN_BE_ASKED


def test_a_deadline_that_is_set_is_told() -> None:
    asked = Inquiry(
        known("1914", 2, "german-empire"), "german-empire", nothing_told, due="Orders are due on Monday."
    )
    assert asked.answer("when are orders due?") == ["Orders are due on Monday."]


def test_what_a_nation_may_not_know_changes_no_answer() -> None:
    """More French in Paris, French money and a French discovery: no answer to Germany is another."""
    ruleset, geography, here = position("1914", 2)
    secret = here.state.copy()
    paris = next(key for key, row in secret.stacks(owner="french-empire") if row["place"] == "paris")
    secret.put("units", paris, "n", 77)
    secret.put("treasuries", "french-empire/paris", "rp", 999)
    questions = [q for asked in ASKED.values() for q, _ in asked]
    questions += [
        "how many infantry does France have",
        "what is in Paris",
        "why did France lose",
        "how much can France afford",
    ]
    answers = []
    for state in (here.state, secret):
        world = World(ruleset, view(ruleset, state, "german-empire"), geography=geography)
        answers.append([Inquiry(world, "german-empire", nothing_told).answer(q) for q in questions])
    assert answers[0] == answers[1]


def test_orders_and_small_talk_are_no_questions() -> None:
    for line in (
        "can you move 4 infantry from cologne to the ruhr?", "could you build 3 infantry", "how are you doing today",
        "when attacked, retreat to Ruhr", "do not attack Belgium", "what a turn that was!", "Belgium: war?", "will attack Belgium now",
    ):  # fmt: skip
        assert not is_question(line), line
    for line in (
        "does Italy join us?",
        "Will Italy join us?",
        "when do orders close",
        "may I attack a neutral",
        "what's a token worth",
    ):
        assert is_question(line), line


def test_a_question_among_orders_is_answered_and_no_line_is_lost_by_it() -> None:
    world = known("1914", 2, "german-empire")
    asked = Inquiry(world, "german-empire", nothing_told)
    text = "build 3 infantry in Berlin\nwhat does a tank cost me?\nresearch tanks\nhelp"
    taken = take_in(world.ruleset, text, lambda _: world, nation="german-empire")
    back = read_back(world, taken, answer=asked.answer)
    assert (back.standing, back.not_taken, back.passed, taken.clean) == (2, (), (4,), True)
    assert [(a.line, a.says) for a in back.answered] == [
        (2, tuple(asked.answer("what does a tank cost me?")))
    ]
    assert "YOUR QUESTIONS" in rendered(back) and asks_for_help("help") and not asks_for_help("help France")


@cache
def played(folder: Path) -> Game:
    data, ruleset, _ = load_scenario(scenarios() / "1914.yaml")
    assert data is not None and ruleset is not None
    game = new_game(
        folder / "game", data, ruleset, id_="asked", seats={"german-empire": PLAYER}, options={"free-deployment": "false"},
        seed=b"\x07" * 32,
    )  # fmt: skip
    orders = "declare war on Belgium\nmove 28 infantry, 8 artillery from Cologne to Belgium\nmove 9 infantry from Stuttgart to Alsace"
    hand_in(game, "german-empire", orders, PLAYER)
    resolve_turn(game, force=True)
    return game


def test_why_a_battle_went_as_it_did_is_told_from_the_journal(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    game = played(tmp_path_factory.mktemp("asked"))
    asked = inquiry(game, "german-empire")
    (_, told) = asked.answer("why did I lose at Alsace?")
    assert (
        "Alsace-Lorraine, attack beaten off" in told
        and "expected" in told
        and "Numbers: your infantry" in told
    )
    assert asked.answer("what happened in Belgium")[1].startswith("  Belgium, ")
    assert asked.answer("why did France lose at Stuttgart")[0] == "You were told of no battle in Stuttgart."


def test_whether_units_can_go_somewhere_is_answered_as_the_order_would_be(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    asked = inquiry(played(tmp_path_factory.mktemp("asked-whether")), "german-empire")
    (far,) = asked.answer("can my infantry in Berlin go to Cologne?")
    assert far.startswith("Not so: ") and "But `rail all from Berlin to Cologne` can be ordered." in far
    (near,) = asked.answer("can the army in Berlin reach Leipzig?")
    assert near.startswith("Yes: `move ") and "from Berlin to Leipzig`" in near
    assert not any("Yes" in line or "No: " in line for line in asked.answer("can Paris attack Reims?"))


def test_a_file_with_nothing_but_questions_replaces_no_orders(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    game = played(tmp_path_factory.mktemp("asked-again"))
    hand_in(game, "german-empire", "research tanks", PLAYER)
    with pytest.raises(NothingStands):
        hand_in(game, "german-empire", "what does a tank cost?", PLAYER)
    assert len(game.submissions()["german-empire"].orders) == 1
