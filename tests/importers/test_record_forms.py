"""Records in the forms of a site that numbers its places and of text are replayed as JSON phases are; games of ours become records."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from tests.importers.test_dpjson import CENTERS, UNITS, phase, record, rules
from wteaw.cli import _run
from wteaw.orders.intake import take_in
from wteaw.orders.names import Names
from wteaw.world.world import World
from wteaw_importers.command import app
from wteaw_importers.dpjson import RecordError, RecordReader, replay
from wteaw_importers.record_forms import form_of, read_records

FILES = Path(__file__).parents[1] / "data" / "diplomacy"

TEXT = """\
PHASE 1901 Spring Movement
POSITIONS
	Russia: army swe
	Russia: fleet bal
	Germany: fleet den
	Germany: army mun
	Russia: supply mos
	Germany: supply ber
	Germany: supply den
ORDERS
	swe move den
	bal support swe move den
	mun hold
PHASE 1901 Spring Retreat
POSITIONS
	Russia: army den
	Russia: fleet bal
	Germany: fleet/dislodged den
	Germany: army mun
	Russia: supply mos
	Germany: supply ber
	Germany: supply den
ORDERS
	den move kie
PHASE 1901 Fall Movement
POSITIONS
	Russia: army den
	Russia: fleet bal
	Germany: fleet kie
	Germany: army mun
	Russia: supply mos
	Germany: supply ber
	Germany: supply den
ORDERS
	mun move ruh
	kie move hol
PHASE 1901 Fall Adjustment
POSITIONS
	Russia: army den
	Russia: fleet bal
	Germany: fleet hol
	Germany: army ruh
	Russia: supply mos
	Russia: supply den
	Germany: supply ber
	Germany: supply hol
ORDERS
PHASE 1902 Spring Movement
POSITIONS
	Russia: army den
	Russia: fleet bal
	Germany: fleet hol
	Germany: army ruh
	Russia: supply mos
	Russia: supply den
	Germany: supply ber
	Germany: supply hol
ORDERS
"""


def numbered() -> dict[str, Any]:
    """England 1 and France 2; London 6, the Channel 60, Paris 47, Burgundy 48, Marseilles 49, Belgium 44, Munich 41, Spain 8."""

    def unit(country: int, kind: str, place: int, retreating: str = "No") -> dict[str, Any]:
        return {"unitType": kind, "terrID": place, "countryID": country, "retreating": retreating}

    def order(
        country: int, kind: str, place: int, type_: str, to: Any = "", out: Any = "", via: str = ""
    ) -> dict[str, Any]:
        return {
            "countryID": country,
            "unitType": kind,
            "terrID": place,
            "type": type_,
            "toTerrID": to,
            "fromTerrID": out,
            "viaConvoy": via,
        }

    centers = [
        {"countryID": 1, "terrID": 6},
        {"countryID": 2, "terrID": 47},
        {"countryID": 2, "terrID": 49},
        {"countryID": 0, "terrID": 44},
    ]
    return {
        "gameID": 12, "variantID": 1,
        "phases": [
            {"turn": 0, "phase": "Diplomacy", "centers": centers,
             "units": [unit(1, "Fleet", 60), unit(1, "Army", 6), unit(2, "Army", 47), unit(2, "Army", 49)],
             "orders": [order(1, "Fleet", 60, "Convoy", 44, 6), order(1, "Army", 6, "Move", 44, "", "Yes"),
                        order(2, "Army", 47, "Move", 48, "", "No"), order(2, "Army", 49, "Support move", 48, 47)]},
            {"turn": 1, "phase": "Diplomacy", "centers": centers,
             "units": [unit(1, "Fleet", 60), unit(1, "Army", 44), unit(2, "Army", 48), unit(2, "Army", 49)],
             "orders": [order(1, "Army", 44, "Hold"), order(2, "Army", 48, "Move", 44), order(2, "Army", 49, "Move", 8)]},
            {"turn": 1, "phase": "Builds",
             "centers": [*centers[:3], {"countryID": 1, "terrID": 44}, {"countryID": 2, "terrID": 8}],
             "units": [unit(1, "Fleet", 60), unit(1, "Army", 44), unit(2, "Army", 48), unit(2, "Army", 8)],
             "orders": [{"countryID": 2, "terrID": 49, "unitType": "Fleet", "type": "Build Fleet", "toTerrID": 49, "fromTerrID": "", "viaConvoy": ""}]},
            {"turn": 2, "phase": "Diplomacy",
             "centers": [*centers[:3], {"countryID": 1, "terrID": 44}, {"countryID": 2, "terrID": 8}],
             "units": [unit(1, "Fleet", 60), unit(1, "Army", 44), unit(2, "Army", 48), unit(2, "Army", 8), unit(2, "Fleet", 49)],
             "orders": []},
        ],
    }  # fmt: skip


def test_text_of_positions_is_replayed() -> None:
    scenario, ruleset = rules()
    (found,) = read_records(TEXT, ruleset)
    assert [p["name"] for p in found["phases"]] == ["S1901M", "S1901R", "F1901M", "W1901A", "S1902M"]
    assert found["phases"][0]["orders"]["Russia"] == ["A SWE - DEN", "F BAL S A SWE - DEN"]
    done = replay(ruleset, found, scenario)
    assert (done.difference, done.phases, done.refused) == (None, 5, [])


def test_numbers_are_replayed() -> None:
    scenario, ruleset = rules()
    (found,) = read_records(json.dumps(numbered()), ruleset)
    assert found["phases"][0]["orders"]["ENGLAND"] == ["F ENG C A LON - BEL", "A LON - BEL VIA"]
    done = replay(ruleset, found, scenario)
    assert (done.difference, done.phases, done.refused) == (None, 4, [])


def test_the_first_difference_is_told_of_other_forms_too() -> None:
    scenario, ruleset = rules()
    wrong = numbered()
    wrong["phases"][1]["units"][1]["terrID"] = 41
    done = replay(ruleset, read_records(json.dumps(wrong), ruleset)[0], scenario)
    assert (
        done.difference is not None
        and "army belgium" in done.difference.ours
        and "army munich" in done.difference.recorded
    )
    done = replay(
        ruleset,
        read_records(TEXT.replace("fleet kie", "fleet hel").replace("kie move", "hel move"), ruleset)[0],
        scenario,
    )
    assert done.difference is not None and done.difference.phase == "F1901M"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Russia: army swe\n", "line 1: 'Russia: army swe' belongs to no phase"),
        ("# a note\n", "no phase begins"),
        ("PHASE 1901 Autumn Movement\n", "line 1: no phase is called '1901 Autumn Movement'"),
        (TEXT.replace("army mun", "horse mun", 1), "line 6: 'Germany: horse mun' is no unit"),
        (TEXT.replace("mun hold", "mun sings"), "line 13: 'mun sings' is no order"),
        (TEXT.replace("mun hold", "par hold"), "line 13: 'par hold': nobody stands there"),
        (json.dumps({"phases": [{"turn": 0, "phase": "Diplomacy", "units": [{"unitType": "Army", "terrID": 99, "countryID": 1}]}]}),
         "phase 1: there is no place of the number 99"),
        (json.dumps({"phases": [{"turn": 0, "phase": "Siesta", "units": []}]}), "phase 1: .*Siesta"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_place(text: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_records(text, rules()[1])


def test_forms_are_told_apart() -> None:
    assert [form_of(text) for text in (TEXT, json.dumps(numbered()), json.dumps(record()), "{", "")] == [
        "positions", "numbered", "phases", "phases", "positions",
    ]  # fmt: skip


@pytest.mark.parametrize("file", sorted(FILES.glob("*.json")), ids=lambda f: f.stem)
def test_records_that_went_wrong_once(file: Path) -> None:
    scenario, ruleset = rules()
    for found in read_records(file.read_text(encoding="utf-8"), ruleset):
        done = replay(ruleset, found, scenario)
        assert (done.difference, done.refused) == (None, [])


def test_a_game_of_ours_is_the_record_it_was_replayed_from(tmp_path: Path) -> None:
    """Units, holders and orders of every phase come out as they went in."""
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    given = record()
    first.write_text(json.dumps(given), encoding="utf-8")
    assert CliRunner().invoke(app, ["dpjson", str(first), "--game", str(tmp_path / "game")]).exit_code == 0
    assert _run(["export", str(tmp_path / "game"), "--out", str(again)]) in (0, None)
    found = json.loads(again.read_text(encoding="utf-8"))
    for before, after in zip(given["phases"], found["phases"], strict=True):
        assert before["name"] == after["name"]
        for what in ("units", "centers"):
            listed = {n: v for n, v in after["state"][what].items() if v}
            assert {n: sorted(v) for n, v in before["state"][what].items()} == listed
        assert {n: sorted(v) for n, v in before["orders"].items() if v} == {
            n: sorted(v) for n, v in after["orders"].items()
        }
    done = CliRunner().invoke(app, ["dpjson", str(again)])
    assert done.exit_code == 0 and "5 phases agree, 17 orders, 0 of them refused" in done.output


def exported(given: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """A record, replayed and written again."""
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    first.write_text(json.dumps(given), encoding="utf-8")
    assert CliRunner().invoke(app, ["dpjson", str(first), "--game", str(tmp_path / "game")]).exit_code == 0
    assert _run(["export", str(tmp_path / "game"), "--out", str(again)]) in (0, None)
    return cast(dict[str, Any], json.loads(again.read_text(encoding="utf-8")))


def test_a_record_says_what_became_of_orders_and_who_has_nothing(tmp_path: Path) -> None:
    phases = {p["name"]: p for p in exported(record(), tmp_path)["phases"]}
    fall = phases["F1901M"]["results"]
    assert (fall["A TYR"], fall["A BUR"], fall["F TRI"]) == ([], [], ["dislodged"])
    assert phases["S1901M"]["results"]["A VIE"] == ["bounce"]
    retreat = phases["F1901R"]["state"]
    assert "*F TRI" in retreat["units"]["AUSTRIA"] and "ALB" in retreat["retreats"]["AUSTRIA"]["F TRI"]
    assert set(phases["S1901M"]["state"]["units"]) == set(UNITS)


def pairs_that_spell_a_third() -> list[tuple[str, str]]:
    """Short names of two places that, run together, are the name of a third: all there are on the map."""
    ruleset = rules()[1]
    short = [p.lower() for p in ruleset.rows("imports")["dpjson"]["writes"]["places"] if "/" not in p]
    names = Names(ruleset, None)
    return [(a, b) for a, b in permutations(short, 2) if names.find("place", a + b)]


@pytest.mark.parametrize(("origin", "target"), pairs_that_spell_a_third())
def test_two_names_that_spell_a_third_are_a_move(origin: str, target: str) -> None:
    """The mark between them makes it a move."""
    scenario, ruleset = rules()
    units = {"RUSSIA": [f"A {origin.upper()}"]}
    given = {"id": "pair", "phases": [phase("S1901M", units, CENTERS, {})]}
    world = World(ruleset, RecordReader(ruleset).first_state(given, scenario))
    taken = take_in(ruleset, f"A {origin} - {target}", lambda _: world, nation="russia")
    (place,) = Names(ruleset, None).find("place", target)
    assert [(o["order"], o["slots"]["target"]) for o in taken.orders] == [("actions/move", place)]


def test_there_are_such_pairs() -> None:
    assert ("swe", "den") in pairs_that_spell_a_third()


def test_a_game_of_ours_is_written_as_text_too(tmp_path: Path) -> None:
    """The text says the same as the JSON it was replayed from, and is replayed itself."""
    given = record()
    exported(given, tmp_path)
    text = tmp_path / "game.txt"
    assert _run(["export", str(tmp_path / "game"), "--as", "positions", "--out", str(text)]) in (0, None)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "PHASE 1901 Spring Movement" and "PHASE 1901 Fall Adjustment" in lines
    for line in ("Russia: fleet stp/sc", "Austria: fleet/dislodged tri", "France: supply spa"):
        assert f"\t{line}" in lines
    assert {"\ttyr support ven move tri", "\ttri move alb", "\tbuild army mar", "\tbre move mid"} <= {*lines}
    done = CliRunner().invoke(app, ["dpjson", str(text)])
    assert done.exit_code == 0 and "5 phases agree, 17 orders, 0 of them refused" in done.output


def test_a_form_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["export", str(tmp_path / "game"), "--as", "poem"]) == 2
    assert "phases or positions" in capsys.readouterr().err


def test_the_order_of_a_fleet_at_a_coast_names_the_coast(tmp_path: Path) -> None:
    """The order may name the province alone; the record says where the fleet stands."""
    names = ("S1901M", "F1901M")
    moved = {**UNITS, "RUSSIA": ["A MOS", "A WAR", "F SEV", "F BOT"]}
    given = {
        "id": "coast",
        "map": "standard",
        "phases": [
            phase(name, units, CENTERS, orders)
            for name, units, orders in zip(
                names, (UNITS, moved), ({"RUSSIA": ["STP - BOT", "A MOS S A WAR"]}, {}), strict=True
            )
        ],
    }
    first = exported(given, tmp_path)["phases"][0]
    assert first["orders"]["RUSSIA"] == ["F STP/SC - BOT", "A MOS S A WAR"]


def test_a_record_of_ours_is_played_by_the_package_as_here(tmp_path: Path) -> None:
    """The package `diplomacy` loads it, and from each phase it comes to the next one."""
    engine = pytest.importorskip("diplomacy", reason="the package is not installed")
    export = pytest.importorskip("diplomacy.utils.export")
    data = pytest.importorskip("diplomacy.utils.game_phase_data").GamePhaseData
    saved = exported(record(), tmp_path)
    assert export.from_saved_game_format(saved).get_current_phase() == saved["phases"][-1]["name"]
    for before, after in zip(saved["phases"], saved["phases"][1:], strict=False):
        game = engine.Game(saved["id"], map_name=saved["map"], rules=["SOLITAIRE"])
        game.set_phase_data(data.from_dict(before))
        game.clear_orders()
        for nation, orders in before["orders"].items():
            game.set_orders(nation, orders)
        game.process()
        assert game.get_current_phase() == after["name"]
        for what, found in (("units", game.get_units()), ("centers", game.get_centers())):
            assert {n: sorted(v) for n, v in found.items()} == after["state"][what]


def test_a_game_without_such_orders_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["new", "1914", "--game", str(tmp_path / "game"), "--all-players"]) in (0, None)
    assert _run(["export", str(tmp_path / "game")]) == 2
    assert "imports" in capsys.readouterr().err


# ---- test cases as text

CASES = """
VARIANT_ALL Standard
# our own
CASE driven out
PRESTATE_SETPHASE Fall 1901, Movement
PRESTATE
    Germany: A mun
    Germany: A sil
    Austria: A boh   # it is driven out
ORDERS
    Germany: A mun-boh
    Germany: A sil S A mun-boh
    Germany: F boh-vie
POSTSTATE
    Germany: A boh
    Germany: A sil
POSTSTATE_DISLODGED
    Austria: A boh
END

CASE where it goes
PRESTATE_SETPHASE Spring 1901, Retreat
PRESTATE
    Germany: A boh
    Germany: A sil
    Turkey: A gal
PRESTATE_DISLODGED
    Austria: A boh
PRESTATE_RESULTS
    SUCCESS: Germany: A mun-boh
    SUCCESS: Germany: A sil S A mun-boh
    FAILURE: Austria: A boh H
ORDERS
    Austria: A boh-{to}
POSTSTATE
    Germany: A boh
    Germany: A sil
    Turkey: A gal
    {after}
END

CASE a coast
PRESTATE_SETPHASE Fall 1901, Adjustment
PRESTATE_SUPPLYCENTER_OWNERS
    Russia: A stp
    Russia: A mos
PRESTATE
    Russia: A mos
ORDERS
    Russia: Build F stp/nc
POSTSTATE
    Russia: A mos
    Russia: F stp/nc
END
"""


@pytest.mark.parametrize(
    ("to", "after", "agree"),
    [("tyr", "Austria: A tyr", True), ("tyr", "", False), ("mun", "", True), ("gal", "", True)],
)
def test_cases_of_each_kind_of_phase_are_judged(
    to: str, after: str, agree: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the place of the attack nor one that is held takes in who is driven out."""
    file = tmp_path / "cases.txt"
    file.write_text(CASES.format(to=to, after=after), encoding="utf-8")
    code = _run(["import", "dpjson", str(file), "--refused"])
    said = capsys.readouterr().out
    assert (code in (0, None)) is agree and f"{3 if agree else 2} of 3 agree." in said
    assert "driven out: 2 phases agree, 3 orders, 1 of them refused." in said


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Germany: A boh\n", "Germnay: A boh\n", "driven out: 'Germnay' is no nation of diplomacy"),
        ("Fall 1901, Movement", "Autumn 1901, Movement", "the case driven out begins at no phase that is known"),
        ("POSTSTATE_DISLODGED", "POSTSTATE_DRIVEN", "line 17: 'POSTSTATE_DRIVEN' is no unit"),
        ("CASE driven out", "", "line 5: 'PRESTATE_SETPHASE Fall 1901, Movement' belongs to no case"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_case_is_told(
    old: str, new: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.txt"
    file.write_text(CASES.format(to="tyr", after="Austria: A tyr").replace(old, new, 1), encoding="utf-8")
    assert _run(["import", "dpjson", str(file)]) not in (0, None)
    said = capsys.readouterr()
    assert says in said.out + said.err
