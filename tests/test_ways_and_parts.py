"""Distances by mode, needless stops on a way, the one member of a set, and parts of places in a small ruleset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wteaw.core.state import State
from wteaw.ruleset import load_ruleset
from wteaw.world.world import World

TABLES = """
nations: [{id: north, name: North}, {id: south, name: South}]
stances: [{id: rivals, name: Rivals, default: true}]
resources: [{id: coin, name: coins}]
units: [{id: foot, name: Foot}, {id: boat, name: Boat}]
fields: [{id: open_way, of: [place], type: truth, default: false, open: true}]
definitions: [{id: passes, of: [place], is: place.open_way}]
places:
  - {id: a, kind: land}
  - {id: b, kind: sea, open_way: true}
  - {id: c, kind: sea, open_way: true}
  - {id: d, kind: sea, open_way: true}
  - {id: e, kind: land, name: East}
  - {id: e-one, kind: land, part_of: e, name: East one, aliases: [one]}
  - {id: e-two, kind: land, part_of: e, name: East two, aliases: [two]}
links:
  - {between: [a, b], kind: water}
  - {between: [b, c], kind: water}
  - {between: [c, d], kind: water}
  - {between: [b, d], kind: water}
  - {between: [d, e], kind: water}
  - {between: [a, e], kind: road}
  - {between: [d, e-one], kind: shore}
  - {between: [a, e-two], kind: road}
movement: [{id: rowing, name: rowing, who: boat, links: [water, shore]}]
orders: [{id: row, does: rowing, syntax: "row {units} from {origin} to {target}", slots: {units: units, origin: place, target: place}, step: rows}]
sequence: [{input: orders, from: everyone}, {phase: only, steps: [{step: rows, do: move, movement: [rowing]}]}]
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "tables").mkdir()
    (tmp_path / "ruleset.yaml").write_text(
        "id: small\ntitle: Small\nsettings: {money: coin}\n", encoding="utf-8"
    )
    (tmp_path / "tables" / "all.yaml").write_text(TABLES, encoding="utf-8")
    ruleset, found = load_ruleset(tmp_path)
    assert ruleset is not None, [str(f) for f in found]
    units = {
        "north.boat@e-one": {"owner": "north", "kind": "boat", "place": "e-one", "n": 2},
        "south.foot@a": {"owner": "south", "kind": "foot", "place": "a", "n": 1},
    }
    return World(ruleset, State({"game": {"game": {"turn": 1}}, "units": units}))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("distance(place('a'), place('e'))", 1),
        ("distance(place('a'), place('e'), 'water')", 3),
        ("distance(place('a'), place('e-one'), 'water')", -1),
        ("distance(place('a'), place('e-one'), 'rowing')", 3),
        ("distance(place('a'), place('e-two'), 'rowing')", -1),
        ("on_way(place('b'), place('a'), place('e'), 'passes')", True),
        ("on_way(place('d'), place('a'), place('e'), 'passes')", True),
        ("on_way(place('c'), place('a'), place('e'), 'passes')", False),  # b and d touch: c is needless
        ("on_way(place('a'), place('b'), place('d'), 'passes')", False),  # it does not pass
        ("single(units(owner='south')).kind", "foot"),
        ("single(places(kind='sea')) == single(places(kind='none'))", True),
        ("count(units(at=place('e')))", 2),
        ("count(units(at=place('e-two')))", 0),
        ("place('e').stack.owner", "north"),
        ("place('b').stack == place('c').stack", True),
        ("place('e-one').whole == place('e') and place('e-one').part_of == place('e')", True),
        ("count(place('e').parts)", 2),
        ("count(place('a').parts)", 0),
    ],
)
def test_what_expressions_see(world: World, text: str, value: Any) -> None:
    found = world.value(text, {})
    assert getattr(found, "id", found) == value
