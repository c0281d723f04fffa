"""How a game ended, as its last report tells it: who won, everybody's rank, and what it is made of."""

from __future__ import annotations

import pytest

from wteaw.core.model import Row
from wteaw.report.document import Para, Table
from wteaw.report.result import result, result_lines
from wteaw.report.wording import Wording

from .test_score import scored

BOTH_POOR = {"red": {"coin": 7}, "blue": {"coin": 7}}


def told(reader: str, end: Row, stores: dict[str, dict[str, int]] | None = None) -> list[Para | Table]:
    """What is told after a game that ended so."""
    turn = scored({"id": "end", **end}, stores=stores)
    blocks = result(turn.journal.entries, Wording(turn.world, reader))
    return [b for b in blocks if isinstance(b, (Para, Table))]


def test_every_rank_is_shown_with_what_it_is_made_of() -> None:
    won, ranks, sides = told("red", {"rank": "both", "side_by": "sides"})
    assert isinstance(won, Para) and won.text == "Blue has won."
    assert isinstance(ranks, Table)
    assert ranks.rows == (("1 blue", "73.48", "60", "90"), ("2 red", "50", "100", "25"))
    assert ranks.head == ("", "both", "a", "b")
    assert ranks.notes == ("a: land; b: coin.",)
    assert isinstance(sides, Para) and sides.text == "west 73.48 and east 50."


def test_sides_of_a_ranking_go_by_their_names() -> None:
    named: list[Row] = [{"id": side, "name": side.title(), "article": "the"} for side in ("west", "east")]
    turn = scored({"id": "end", "rank": "sides"}, sides=named)
    _, ranks = result(turn.journal.entries, Wording(turn.world, "red"))
    assert isinstance(ranks, Table) and [row[0] for row in ranks.rows] == ["1 the West", "2 the East"]


def test_who_has_more_and_cannot_be_first_is_marked() -> None:
    won, ranks = told("red", {"rank": "both", "first": "nation.id == 'red'"})
    assert isinstance(won, Para) and won.text == "You have won."
    assert isinstance(ranks, Table) and [row[0] for row in ranks.rows] == ["1 red", "2 blue*"]
    assert ranks.notes[-1] == "* by the rules cannot be first."
    _, ranks = told("red", {"rank": "both", "first": "nation.id == 'blue'"})
    assert isinstance(ranks, Table) and [row[0] for row in ranks.rows] == ["1 blue", "2 red"]
    assert not any("first" in note for note in ranks.notes)


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ({"wins": "east"}, "East have won."),
        ({"wins": "=first(nations())"}, "Blue has won."),
        ({"wins": "=nations()"}, "Blue and you have won."),
        ({"rank": "coin", "tie": "draw"}, "Nobody has won."),
        ({"rank": "coin", "tie": "share"}, "Blue and you have won."),
    ],
)
def test_who_has_won(end: Row, says: str) -> None:
    won = told("red", end, BOTH_POOR)[0]
    assert isinstance(won, Para) and won.text == says


def test_nothing_is_told_before_the_end() -> None:
    assert told("red", {"when": "turn >= 6", "rank": "both"}) == []


def test_a_terminal_says_who_cannot_be_first() -> None:
    turn = scored({"id": "end", "rank": "both", "first": "nation.id == 'red'", "says": "It is over."})
    (entry,) = turn.journal.entries
    assert result_lines(entry) == [
        "It is over.",
        "1. red: 50",
        "2. blue: 73.48 (by the rules cannot be first)",
    ]
    turn = scored({"id": "end", "wins": "east", "says": "It is over."})
    assert result_lines(turn.journal.entries[-1]) == ["It is over.", "Winner: east"]
