"""Recorded games: replayed as they went, the first difference told, wrong files refused, and a game of ours left."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wteaw.core.package_data import scenarios
from wteaw.play.scenario_files import load_scenario
from wteaw.store import Game
from wteaw_importers.command import app
from wteaw_importers.dpjson import RecordError, records, replay

UNITS = {
    "AUSTRIA": ["A VIE", "A BUD", "F TRI"], "ENGLAND": ["F LON", "F EDI", "A LVP"], "FRANCE": ["A PAR", "A MAR", "F BRE"],
    "GERMANY": ["A BER", "A MUN", "F KIE"], "ITALY": ["A ROM", "A VEN", "F NAP"],
    "RUSSIA": ["A MOS", "A WAR", "F SEV", "F STP/SC"], "TURKEY": ["A CON", "A SMY", "F ANK"],
}  # fmt: skip
CENTERS = {
    "AUSTRIA": ["VIE", "BUD", "TRI"], "ENGLAND": ["LON", "EDI", "LVP"], "FRANCE": ["PAR", "MAR", "BRE"],
    "GERMANY": ["BER", "MUN", "KIE"], "ITALY": ["ROM", "VEN", "NAP"], "RUSSIA": ["MOS", "WAR", "SEV", "STP"],
    "TURKEY": ["CON", "SMY", "ANK"],
}  # fmt: skip


@cache
def rules() -> tuple[Any, Any]:
    scenario, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    return scenario, ruleset


def phase(
    name: str, units: dict[str, list[str]], centers: dict[str, list[str]], orders: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "state": {"name": name, "units": units, "centers": centers},
        "orders": orders,
        "results": {},
    }


def record() -> dict[str, Any]:
    """A year of our own: a stand-off, a capture, a dislodgement with its retreat, a build."""
    one = {**UNITS}
    two = {
        **one,
        "FRANCE": ["A PAR", "A SPA", "F MAO"],
        "GERMANY": ["A BER", "A TYR", "F DEN"],
        "AUSTRIA": ["A VIE", "A SER", "F TRI"],
    }
    four = {**two, "AUSTRIA": ["A VIE", "A SER", "*F TRI"], "ITALY": ["A ROM", "A TRI", "F NAP"]}
    five = {**four, "AUSTRIA": ["A VIE", "A SER", "F ALB"]}
    held = {
        **CENTERS, "FRANCE": [*CENTERS["FRANCE"], "SPA"], "GERMANY": [*CENTERS["GERMANY"], "DEN"],
        "AUSTRIA": ["VIE", "BUD", "SER"], "ITALY": [*CENTERS["ITALY"], "TRI"],
    }  # fmt: skip
    six = {
        **five,
        "FRANCE": [*five["FRANCE"], "A MAR"],
        "GERMANY": [*five["GERMANY"], "F KIE"],
        "ITALY": [*five["ITALY"], "F VEN"],
    }
    return {
        "id": "ours",
        "map": "standard",
        "rules": [],
        "phases": [
            phase("S1901M", one, CENTERS, {
                "FRANCE": ["A MAR - SPA", "F BRE - MAO", "A PAR - BUR"], "GERMANY": ["A MUN - TYR", "F KIE - DEN", "A BER H"],
                "AUSTRIA": ["A BUD - SER", "A VIE - GAL"], "RUSSIA": ["A WAR - GAL"], "ITALY": None,
            }),
            phase("F1901M", {**two, "FRANCE": ["A BUR", "A SPA", "F MAO"]}, CENTERS, {
                "FRANCE": ["A BUR - PAR"], "GERMANY": ["A TYR S A VEN - TRI"], "ITALY": ["A VEN - TRI"], "AUSTRIA": ["F TRI H"],
            }),
            phase("F1901R", four, CENTERS, {"AUSTRIA": ["F TRI R ALB"]}),
            phase("W1901A", five, held, {"FRANCE": ["A MAR B"], "GERMANY": ["F KIE B"], "ITALY": ["F VEN B"]}),
            phase("S1902M", six, held, {}),
        ],
    }  # fmt: skip


def test_a_record_is_replayed_to_its_end() -> None:
    scenario, ruleset = rules()
    found = replay(ruleset, record(), scenario)
    assert (found.difference, found.phases, found.refused) == (None, 5, [])


def test_a_recorded_fleet_is_built_on_a_coast() -> None:
    """It came to nothing once: the part of a place is nobody's, only the whole is."""
    scenario, ruleset = rules()
    units, held = {"RUSSIA": ["A MOS", "A WAR", "F SEV", "F FIN"], "TURKEY": ["A SMY"]}, {
        "RUSSIA": ["STP", "MOS", "WAR", "SEV", "SWE"], "TURKEY": ["SMY"],
    }  # fmt: skip
    moved = {**units, "RUSSIA": ["A MOS", "A WAR", "F SEV", "F SWE"]}
    built = {**moved, "RUSSIA": [*moved["RUSSIA"], "F STP/NC"]}
    before = {**held, "RUSSIA": ["STP", "MOS", "WAR", "SEV"]}
    phases = [
        phase("F1901M", units, before, {"RUSSIA": ["F FIN - SWE"]}),
        phase("W1901A", moved, held, {"RUSSIA": ["F STP/NC B"]}),
        phase("S1902M", built, held, {"RUSSIA": ["F STP/NC - BAR"]}),
        phase("F1902M", {**moved, "RUSSIA": [*moved["RUSSIA"], "F BAR"]}, held, {}),
    ]
    found = replay(ruleset, {"id": "coast", "map": "standard", "phases": phases}, scenario)
    assert (found.difference, found.phases, found.refused) == (None, 4, [])


def test_records_count_disorder_from_home_centers() -> None:
    """Without orders those go that are farthest from home, as the records have it, though a center that is held is nearer."""
    scenario, ruleset = rules()
    before = {"ENGLAND": ["F NWG", "F NWY", "A FIN"], "TURKEY": ["A SMY"]}
    after = {"ENGLAND": ["F NWG"], "TURKEY": ["A SMY"]}
    held = {"ENGLAND": ["NWY"], "TURKEY": ["SMY"]}
    phases = [
        phase("F1901M", before, held, {}),
        phase("W1901A", before, held, {}),
        phase("S1902M", after, held, {}),
    ]
    found = replay(ruleset, {"id": "disorder", "map": "standard", "phases": phases}, scenario)
    assert (found.difference, found.phases) == (None, 3)


@pytest.mark.parametrize(
    ("change", "phase_", "says"),
    [
        (
            lambda r: r["phases"][1]["state"]["units"]["FRANCE"].__setitem__(0, "A PAR"),
            "F1901M",
            "units of france",
        ),
        (
            lambda r: r["phases"][2]["state"]["units"]["AUSTRIA"].remove("*F TRI"),
            "F1901R",
            "fleet trieste (dislodged)",
        ),
        (lambda r: r["phases"][3]["state"]["centers"]["ITALY"].remove("TRI"), "W1901A", "centers of italy"),
        (lambda r: r["phases"].pop(2), "W1901A", "what comes next"),
    ],
)
def test_the_first_difference_is_told(change: Any, phase_: str, says: str) -> None:
    scenario, ruleset = rules()
    wrong = copy.deepcopy(record())
    change(wrong)
    found = replay(ruleset, wrong, scenario)
    assert found.difference is not None
    assert found.difference.phase == phase_ and says in str(found.difference)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"), ("", "the file is empty"), ("[]", "the file is empty"), ('{"phases": []}', "a list of `phases`"),
        ('{"phases": [{"name": "S1901M"}]}', "phase 1 has no `name` and `state`"),
        ('{"phases": [{"name": "S1901M", "state": {}}]}', "no `units` and `centers`"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused(text: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        records(text)


@pytest.mark.parametrize(
    ("key", "value", "says"), [("map", "ancmed", "map 'ancmed'"), ("phases", "X1901M", "no phase is called")]
)
def test_what_cannot_be_played_is_refused(key: str, value: str, says: str) -> None:
    scenario, ruleset = rules()
    wrong = copy.deepcopy(record())
    if key == "map":
        wrong["map"] = value
    else:
        wrong["phases"][0]["name"] = value
    with pytest.raises(RecordError, match=says):
        replay(ruleset, wrong, scenario)


def test_a_game_of_ours_is_left(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record()), encoding="utf-8")
    done = CliRunner().invoke(app, ["dpjson", str(path), "--game", str(tmp_path / "game")])
    assert done.exit_code == 0, done.output
    assert "5 phases agree" in done.output
    game = Game.open(tmp_path / "game")
    assert [n for _, _, n in game.stages()] == ["orders", "orders", "retreats", "builds", "orders"]
    assert any("driven out from Venice" in entry.text for entry in game.journal())


def test_a_difference_ends_the_command_with_one(tmp_path: Path) -> None:
    wrong = record()
    wrong["phases"][1]["state"]["units"]["TURKEY"] = []
    path = tmp_path / "record.json"
    path.write_text(json.dumps(wrong) + "\n" + json.dumps(record()) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["dpjson", str(path), "--format", "json"])
    assert done.exit_code == 1
    first, second = json.loads(done.output)
    assert first["difference"]["phase"] == "F1901M" and second["difference"] is None


def test_a_unit_without_a_refuge_that_a_record_keeps_is_no_difference() -> None:
    """Some records let it wait for the retreats and disband there; ours is destroyed at once, which comes to the same."""
    from wteaw_importers.dpjson import _without_lost

    state = {
        "units": {"TURKEY": ["*A BUL", "A CON"], "ENGLAND": ["*F NWY"]},
        "retreats": {"TURKEY": {"A BUL": []}, "ENGLAND": {"F NWY": ["NWG"]}},
    }
    phase = {"name": "S1902R", "state": state, "orders": {"TURKEY": ["A BUL D"], "ENGLAND": ["F NWY R NWG"]}}
    found = _without_lost(phase)
    assert found["state"]["units"] == {"TURKEY": ["A CON"], "ENGLAND": ["*F NWY"]}
    assert found["orders"] == {"TURKEY": [], "ENGLAND": ["F NWY R NWG"]}
    assert _without_lost({**phase, "state": {**state, "retreats": {}}})["orders"] == phase["orders"]
