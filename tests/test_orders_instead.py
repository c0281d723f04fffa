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
