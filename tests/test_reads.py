"""What an expression reads: tables it names through terms, fields and quantities, and None where that cannot be told."""

from __future__ import annotations

import pytest

from wteaw.ruleset.expressions.parse import parse
from wteaw.ruleset.expressions.reads import reads
from wteaw.turn import events as watch
from wteaw.turn.events import settle

from . import small

RULES = small.ruleset(
    definitions=[
        {"id": "front", "of": ["place"], "is": "any(neighbors(place), 'hostile_to', place.holder)"},
        {"id": "hostile_to", "of": ["place", "nation"], "is": "enemy(nation, place)"},
    ],
    stats=[{"id": "power", "of": "nation", "base": "stock(nation, 'gold')"}],
    modifiers=[{"id": "old", "of": "power", "add": "=age(nation, 'proud')"}],
)


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("stock(self, 'gold') > 3", {"treasuries", "places.holder", "relations", "nations.side"}),
        ("flagged(self, 'proud')", {"flags"}),
        ("turn > 3", {"game.turn"}),
        ("step == 'fight' or year > 1914", {"game.step", "game.year"}),
        ("place.worth > 2", {"places.*", "places.worth"}),
        ("self.calm > 2", {"nations.*", "nations.calm"}),
        ("place.front", {"places.owner", "units", "relations", "nations.side"}),
        ("track('gray', 'mood') >= 5", {"tracks"}),
        ("1 + 2", set()),
    ],
)
def test_tables(text: str, tables: set[str]) -> None:
    found = reads(RULES, text)
    assert found is not None and found >= tables and (tables or not found)
    assert not {"places", "nations", "game"} & found


def test_the_land_of_a_purse_is_not_looked_at_again_when_units_move() -> None:
    found = reads(RULES, "stock(self, 'gold')")
    assert found is not None and "units" not in found


def test_the_turn_is_not_read_again_when_a_step_begins() -> None:
    found = reads(RULES, "age(self, 'proud') > 3")
    assert found is not None and "game.turn" in found and not {"game", "game.step"} & found


def test_a_purse_hangs_on_the_field_that_its_row_calls_the_seat() -> None:
    fields = [
        {"id": "hoard", "of": ["nation"], "type": "id", "syntax": "places", "default": None, "open": True}
    ]
    how = {"region": {"links": ["land"], "seat": "hoard"}}
    rules = small.ruleset(fields=fields, resources=[{"id": "gold", "name": "Gold", "treasury": how}])
    found = reads(rules, "stock(self, 'gold')")
    assert found is not None and "nations.hoard" in found and "nations.capital" not in found


def test_quantities_read_what_their_adjusts_read() -> None:
    found = reads(RULES, "value(self, 'power') > 3")
    assert found is not None and {"treasuries", "flags", "game.turn"} <= found


def test_what_is_not_known_may_read_anything() -> None:
    assert reads(RULES, "self.unheard_of") is None
    assert reads(RULES, "mystery(self)") is None


def test_a_watching_event_is_asked_only_when_what_it_reads_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = {
        "id": "rich",
        "for": "red",
        "becomes": "track('gray', 'mood') >= 5",
        "effects": [{"flag": {"who": "red", "as": "loved"}}],
    }
    turn = small.turn(small.ruleset(events=[event]))
    watch.first_look(turn)
    asked: list[str] = []
    plain = turn.world.test
    monkeypatch.setattr(turn.world, "test", lambda text, names: asked.append(str(text)) or plain(text, names))  # type: ignore[func-returns-value]

    def change(table: str, id_: str, field: str, value: int) -> int:
        asked.clear()
        with turn.journal.entry("test/x"):
            turn.journal.set(table, id_, field, value)
        settle(turn)
        return asked.count(event["becomes"])  # type: ignore[arg-type]

    assert change("tracks", "gray", "mood", 1) == 1
    assert change("treasuries", "red", "gold", 99) == 0
    assert change("tracks", "gray", "mood", 6) == 1
    assert turn.state.row("flags", "nation:red")


def test_a_mark_before_a_test_says_nothing_more() -> None:
    """Validation takes `=` before any expression, and so does play."""
    assert parse("=turn > 1").names == parse("turn > 1").names == {"turn"}
