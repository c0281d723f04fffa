"""What reading orders costs beside trying every form on every line. Compare within one run."""

from __future__ import annotations

from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.orders.line_parser import OrderReader
from wteaw.orders.parse import read_orders
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario

ORDERS = """\
F Edinburgh - Norwegian Sea
F London - English Channel
A Liverpool - Edinburgh
A Liverpool holds
F London supports A Liverpool - Wales
F Edinburgh convoys A Liverpool - Norway
build Fleet Liverpool
"""


@pytest.mark.benchmark(group="a file of orders of Diplomacy is read")
@pytest.mark.parametrize("tried", ["forms that can match", "all forms"])
def test_a_file_of_orders(benchmark: Any, monkeypatch: pytest.MonkeyPatch, tried: str) -> None:
    data, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)

    def read() -> int:
        return len(read_orders(ruleset, ORDERS, nation="england", state=state).orders)

    few = read()
    if tried == "all forms":
        monkeypatch.setattr(OrderReader, "_candidates", lambda self, _: self.grammar.forms)
    assert read() == few == len(ORDERS.splitlines())
    benchmark(read)
