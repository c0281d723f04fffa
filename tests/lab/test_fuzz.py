"""The law of validation: what validates, plays. Spoiled rulesets, the same ones every time; `make fuzz` tries many more."""

from __future__ import annotations

import pytest

from wteaw_lab.fuzz import FuzzBench, FuzzOutcome, mutations

from ..long_ones import but_long
from .spoiled import SHORT


@pytest.mark.parametrize("scenario", but_long(SHORT, "1914", "third-edition-1914"))
def test_what_validates_plays(scenario: str) -> None:
    count, played = SHORT[scenario]
    told = mutations(FuzzBench(scenario), range(count), seed=1, most_played=played)
    assert told.findings == [], "\n".join(f"{o.what}: {o.says}\n{o.trace}" for o in told.findings)
    assert told.counts["played"] + told.counts["told"] >= played
    assert told.counts["refused"] > count // 5, "much of what is spoiled is told"


def test_a_series_comes_out_the_same_again() -> None:
    def kinds(of: list[FuzzOutcome]) -> list[tuple[str, str]]:
        return [(o.what, o.kind) for o in of]

    first, again = FuzzBench("alliances-4"), FuzzBench("alliances-4")
    outcomes = [[bench.try_one(n, 3, play=False) for n in range(12)] for bench in (first, again)]
    assert kinds(outcomes[0]) == kinds(outcomes[1])
    assert len({o.what for o in outcomes[0]}) > 8
