"""What is proposed in the place of an order of which less would do."""

from __future__ import annotations

import pytest

from .test_free_wording import answer, known


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("build 60 tanks in Berlin", "build {} tanks in Berlin"),
        ("build 99999999 infantry in Berlin", "build {} infantry in Berlin"),
        ("build 40 battleships in Berlin", "build {} battleships in Danzig"),
        ("rail 20 infantry from Cologne to Posen", "rail {} infantry from Cologne to Posen"),
    ],
    ids=["money", "nonsense", "elsewhere", "room"],
)
def test_where_less_would_do_as_much_as_does_is_proposed(line: str, mended: str) -> None:
    world = known("1914", 2, "german-empire")
    (one,) = answer(world, "german-empire", line).not_taken
    n = next(int(word) for word in one.instead[0].split() if word.isdigit())
    assert one.instead[0] == mended.format(n) and answer(world, "german-empire", one.instead[0]).standing == 1
    assert answer(world, "german-empire", one.instead[0].replace(f" {n} ", f" {n + 1} ")).standing == 0


def test_ships_of_an_ally_are_proposed_to_who_has_none_there() -> None:
    world = known("no-mans-land", 1, "france")
    text = "ship 2 colonials from Algiers to Sea Zone 54 with 1 transport in Sea Zone 54"
    (one,) = answer(world, "france", text).not_taken
    ours = "ship 2 colonials from Algiers to Sea Zone 54 Alboran Sea with 1 transport of Britain in Sea Zone 54 Alboran Sea"
    assert one.instead == (ours,) and answer(world, "france", ours).standing == 1
    (other,) = answer(world, "france", text.replace("transport in", "transport of Russia in")).not_taken
    assert "1 transport of Russia ordered, 0 in" in other.why and "Sea Zone 9" in other.why
