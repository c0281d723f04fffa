"""Three recorded games beside the package that recorded them: orders as text in, positions out. Skipped where it is not
installed. Processor time; compare within one run."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.benchmarks.recorded import games, missing, played_here, played_there

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "there is a peer")


@pytest.mark.benchmark(group="three recorded games", timer=time.process_time)
@pytest.mark.parametrize("by", ["us", "the package"])
def test_recorded_games(benchmark: Any, by: str) -> None:
    records = games()
    found = benchmark.pedantic(
        (played_here if by == "us" else played_there), (records,), rounds=3, warmup_rounds=1
    )
    for record, end in zip(records, found, strict=True):
        if by == "us":
            assert (end.difference, end.refused, end.phases) == (None, [], len(record["phases"]))
        else:
            assert end == record["phases"][-1]["state"]["units"]
