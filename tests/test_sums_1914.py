"""Sums of the world of 1914, nation by nation: places, links, starting units and purses as the table of facts has them.

Whoever changes the map or the opening on purpose changes the sums with it; whoever did not sees here what they have hit.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from wteaw.core.package_data import scenarios
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset import Ruleset

# fmt: off
LAND = {  # territories, their value, cities, ports, industrial complexes
    "afghanistan": (1, 2, 0, 0, 0),
    "albania": (1, 1, 0, 0, 0),
    "arabia": (4, 6, 2, 0, 0),
    "australia": (5, 14, 3, 4, 1),
    "austria-hungary": (14, 80, 12, 2, 4),
    "belgium": (2, 17, 1, 1, 1),
    "british-empire": (24, 150, 14, 21, 5),
    "bulgaria": (1, 8, 1, 1, 0),
    "canada": (5, 20, 5, 3, 1),
    "china": (11, 41, 10, 4, 1),
    "denmark": (1, 8, 1, 1, 1),
    "ethiopia": (1, 2, 1, 0, 0),
    "french-empire": (19, 100, 15, 9, 4),
    "german-empire": (24, 160, 16, 6, 8),
    "greece": (3, 9, 2, 2, 0),
    "india": (6, 25, 5, 5, 1),
    "italy": (12, 60, 9, 9, 3),
    "japan": (8, 75, 6, 8, 4),
    "mexico": (4, 12, 3, 1, 0),
    "mongolia": (1, 1, 0, 0, 0),
    "netherlands": (6, 24, 2, 3, 1),
    "new-zealand": (1, 5, 1, 1, 0),
    "norway": (2, 6, 1, 2, 0),
    "ottoman-empire": (19, 45, 17, 7, 1),
    "persia": (3, 7, 3, 0, 0),
    "portugal": (4, 10, 1, 4, 0),
    "romania": (3, 14, 3, 1, 1),
    "russian-empire": (47, 70, 32, 11, 5),
    "serbia": (2, 9, 2, 0, 1),
    "siam": (1, 4, 1, 1, 0),
    "south-africa": (2, 10, 2, 2, 0),
    "spain": (9, 45, 7, 7, 2),
    "sweden": (3, 13, 2, 2, 1),
    "switzerland": (1, 9, 1, 0, 1),
    "tibet": (1, 2, 0, 0, 0),
    "usa": (13, 210, 9, 10, 4),
}
FORCES = {  # units when the game begins
    "afghanistan": "infantry 4",
    "albania": "infantry 2",
    "arabia": "infantry 5",
    "australia": "destroyer 1 infantry 2 transport 1",
    "austria-hungary": "anti-air-gun 2 artillery 12 battleship 1 destroyer 4 fighter 2 infantry 50 submarine 2 transport 1",
    "belgium": "artillery 2 infantry 7",
    "british-empire": "anti-air-gun 2 artillery 5 battleship 2 destroyer 12 fighter 3 infantry 18 submarine 4 transport 7",
    "bulgaria": "artillery 3 infantry 12",
    "canada": "artillery 1 infantry 2",
    "china": "artillery 4 destroyer 2 infantry 30",
    "denmark": "artillery 1 destroyer 1 infantry 3",
    "ethiopia": "infantry 6",
    "french-empire": "anti-air-gun 3 artillery 18 battleship 1 destroyer 6 fighter 6 infantry 84 submarine 4 transport 4",
    "german-empire": "anti-air-gun 4 artillery 22 battleship 1 destroyer 8 fighter 6 infantry 96 submarine 5 transport 3",
    "greece": "artillery 2 destroyer 1 infantry 8 transport 1",
    "india": "artillery 2 infantry 9 transport 2",
    "italy": "anti-air-gun 2 artillery 8 battleship 1 bomber 1 destroyer 6 fighter 3 infantry 36 submarine 3 transport 3",
    "japan": "anti-air-gun 1 artillery 5 battleship 1 destroyer 6 fighter 2 infantry 20 submarine 2 transport 4",
    "mexico": "artillery 1 infantry 6",
    "mongolia": "infantry 2",
    "netherlands": "artillery 2 destroyer 2 infantry 8 transport 1",
    "new-zealand": "infantry 1",
    "norway": "artillery 1 destroyer 1 infantry 4",
    "ottoman-empire": "anti-air-gun 1 artillery 6 destroyer 2 fighter 1 infantry 38 transport 1",
    "persia": "artillery 1 infantry 4",
    "portugal": "artillery 1 destroyer 1 infantry 5",
    "romania": "artillery 3 infantry 15",
    "russian-empire": "anti-air-gun 2 artillery 18 battleship 1 destroyer 6 fighter 5 infantry 110 submarine 3 transport 2",
    "serbia": "artillery 3 infantry 12",
    "siam": "artillery 1 infantry 3",
    "south-africa": "infantry 2",
    "spain": "artillery 4 destroyer 4 fighter 1 infantry 14 transport 2",
    "sweden": "artillery 2 destroyer 2 infantry 8",
    "switzerland": "infantry 8",
    "tibet": "infantry 2",
    "usa": "artillery 2 battleship 1 destroyer 7 fighter 1 infantry 6 submarine 3 transport 3",
}
PURSES = {  # purses, resources in them, manpower
    "afghanistan": (1, 1, 15),
    "albania": (1, 1, 6),
    "arabia": (1, 2, 20),
    "australia": (2, 4, 14),
    "austria-hungary": (1, 80, 170),
    "belgium": (2, 5, 25),
    "british-empire": (13, 75, 173),
    "bulgaria": (1, 2, 40),
    "canada": (1, 5, 20),
    "china": (1, 12, 200),
    "denmark": (1, 2, 12),
    "ethiopia": (1, 1, 20),
    "french-empire": (6, 100, 236),
    "german-empire": (11, 183, 319),
    "greece": (2, 3, 26),
    "india": (1, 7, 50),
    "italy": (5, 30, 139),
    "japan": (4, 15, 118),
    "mexico": (1, 3, 40),
    "mongolia": (1, 1, 5),
    "netherlands": (5, 6, 34),
    "new-zealand": (1, 2, 5),
    "norway": (1, 2, 14),
    "ottoman-empire": (1, 23, 90),
    "persia": (1, 2, 20),
    "portugal": (4, 3, 23),
    "romania": (1, 4, 45),
    "russian-empire": (2, 70, 360),
    "serbia": (1, 9, 24),
    "siam": (1, 1, 15),
    "south-africa": (1, 3, 7),
    "spain": (2, 12, 81),
    "sweden": (1, 4, 30),
    "switzerland": (1, 3, 24),
    "tibet": (1, 1, 6),
    "usa": (6, 15, 269),
}
# fmt: on
LINKS = {"land": 499, "strait": 11, "coast": 261, "sea": 97}
TERRITORIES = {
    "africa": 28,
    "central-asia": 17,
    "europe": 126,
    "middle-east": 24,
    "north-america": 22,
    "pacific": 47,
}
SEA_ZONES = {"africa": 7, "europe": 21, "middle-east": 1, "north-america": 10, "pacific": 17}


@cache
def opening() -> tuple[dict[str, Any], Ruleset]:
    scenario, rules, _ = load_scenario(scenarios() / "1914.yaml")
    assert scenario is not None and rules is not None
    return scenario, rules


def test_places_by_section() -> None:
    places = opening()[1].rows("places").values()
    assert Counter(p["section"] for p in places if p["kind"] == "land") == TERRITORIES
    assert Counter(p["section"] for p in places if p["kind"] == "sea") == SEA_ZONES


def test_links_of_each_kind() -> None:
    assert Counter(row["kind"] for row in opening()[1].rows("links").values()) == LINKS


def test_what_each_nation_owns() -> None:
    found: dict[str, list[int]] = {}
    for place in opening()[1].rows("places").values():
        if place["kind"] == "land":
            sums = found.setdefault(place["owner"], [0, 0, 0, 0, 0])
            has = (bool(place.get(f)) for f in ("city", "port", "industrial_complex"))
            for i, n in enumerate((1, place["value"], *has)):
                sums[i] += n
    assert {n: tuple(sums) for n, sums in found.items()} == LAND


def test_the_units_of_each_nation() -> None:
    found: dict[str, Counter[str]] = {}
    for row in opening()[0]["units"]:
        found.setdefault(row["owner"], Counter()).update(row["units"])
    assert {n: " ".join(f"{k} {v}" for k, v in sorted(units.items())) for n, units in found.items()} == FORCES


def test_the_purses_of_each_nation() -> None:
    found = {}
    for nation, row in ((n, r) for n, r in opening()[0]["nations"].items() if "treasury" in r):
        purses = row["treasury"].values()
        found[nation] = (
            len(purses),
            sum(p.get("money", 0) for p in purses),
            sum(p.get("manpower", 0) for p in purses),
        )
    assert found == PURSES
