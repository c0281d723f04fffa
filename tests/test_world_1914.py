"""The world of 1914: what the published rules state of map, nations and units, and what the opening position must keep to.

Figures that the rules print or force stand here as numbers. The rest of the map and of the national tables was rebuilt, and
the second half of this file says what any rebuilding must keep to: change a table as you like, as long as these hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import ceil
from typing import Any

import networkx as nx
import numpy as np
import pytest

from wteaw.core.frame import phases
from wteaw.core.model import Row, Ruleset
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import Entity, State
from wteaw.play.scenario import initial_state
from wteaw.ruleset.clauses import clauses_of_row
from wteaw.ruleset.compile import compile_ruleset
from wteaw.ruleset.load import load_bytes
from wteaw.ruleset.nodes import plain_value
from wteaw.units.deploy import targets
from wteaw.world.treasury import purse_at
from wteaw.world.world import World

LAND_LINKS = ("land", "strait")
SHEETS = {
    "north-america": "north america",
    "africa": "africa",
    "pacific": "asia",
    "central-asia": "asia",
    "europe": "europe",
    "middle-east": "europe",
}


# ---- the tables, read once


@cache
def rules() -> Ruleset:
    ruleset, found = compile_ruleset(rulesets())
    assert ruleset is not None, found
    return ruleset


@cache
def scenario() -> Row:
    path = scenarios() / "1914.yaml"
    node, found = load_bytes(path.read_bytes(), path.name)
    assert node is not None and not found, found
    return plain_value(node)  # type: ignore[no-any-return]


def rows(form: str) -> dict[str, Row]:
    return dict(rules().rows(form))


@cache
def land() -> dict[str, Row]:
    return {i: r for i, r in rows("places").items() if r["kind"] == "land"}


@cache
def sea() -> dict[str, Row]:
    return {i: r for i, r in rows("places").items() if r["kind"] == "sea"}


@cache
def graph(*kinds: str) -> nx.Graph:
    """The map over links of these kinds (none: all)."""
    out = nx.Graph()
    out.add_nodes_from(
        i for i in rows("places") if not kinds or kinds == ("sea",) or i in land() or "coast" in kinds
    )
    for row in rows("links").values():
        if not kinds or row["kind"] in kinds:
            out.add_edge(*row["between"], kind=row["kind"])
    return out


def neighbors(place: str, *kinds: str) -> set[str]:
    return set(graph(*kinds)[place]) if place in graph(*kinds) else set()


def members(group: str) -> set[str]:
    return set(rules().row("groups", group)["members"])


def owned(nation: str) -> set[str]:
    return {i for i, r in land().items() if r["owner"] == nation}


def home(nation: str) -> set[str]:
    """Its own territories without its own colonies. A dominion's land is its home, whose colony it ever is."""
    return {i for i in owned(nation) if land()[i].get("colony_of") != nation}


@cache
def stacks() -> tuple[tuple[str, str, str, str, int], ...]:
    """Every line of the opening: owner, place, fixed or chosen, kind, number."""
    return tuple(
        (r["owner"], r["at"], r["deploy"], k, n) for r in scenario()["units"] for k, n in r["units"].items()
    )


def forces(nation: str) -> Counter[str]:
    out: Counter[str] = Counter()
    for owner, _, _, kind, n in stacks():
        if owner == nation:
            out[kind] += n
    return out


def standing(nation: str, kind: str | None = None, at: Iterable[str] | None = None) -> int:
    places = None if at is None else set(at)
    return sum(
        n
        for o, p, _, k, n in stacks()
        if o == nation and kind in (None, k) and (places is None or p in places)
    )


def figures(nation: str, kind: str) -> Row:
    """A kind of unit as this nation has it."""
    row = rules().row("units", kind)
    return {**row, **row.get("grades", {}).get(rules().row("nations", nation).get("grade", {}).get(kind), {})}


def tags(kind: str) -> set[str]:
    return set(rules().row("units", kind)["tags"])


def purses(nation: str) -> dict[str, Row]:
    return scenario()["nations"].get(nation, {}).get("treasury", {})  # type: ignore[no-any-return]


def saved(nation: str) -> int:
    return sum(p["money"] for p in purses(nation).values())


def nations_on_map() -> list[str]:
    return [i for i, r in rows("nations").items() if r["status"] != "dormant"]


@cache
def opening() -> World:
    return World(rules(), initial_state(rules(), scenario()))


@cache
def wars() -> frozenset[frozenset[str]]:
    """Pairs at war when the first turn begins."""
    return frozenset(frozenset(p) for p in combinations(nations_on_map(), 2) if opening().hostile(*p))


def world_with(
    owner: str, kind: str, techs: dict[str, int] | None = None, **more: Any
) -> tuple[World, Entity]:
    """A world that holds one unit, at its owner's first place, and the unit."""
    key, place = f"{owner}.{kind}@here", min(owned(owner))
    unit = {"owner": owner, "kind": kind, "place": place, "n": 1, **more}
    return World(rules(), State({"units": {key: unit}, "techs": {owner: techs or {}}})), Entity("unit", key)


def value(owner: str, kind: str, quantity: str, techs: dict[str, int] | None = None) -> Any:
    """A figure of a unit where nothing but technology changes it: on the open field, attacked by nobody."""
    world, unit = world_with(owner, kind, techs)
    quiet = {"battle": {"attacks": False}, "mine": (unit,), "foe": ()}
    return world.quantity_with_rows(quantity, unit, quiet, skip=["lone-artillery"])[0]


# ---- the map: what is stated


def test_the_map_has_its_territories_and_zones() -> None:
    assert (len(land()), len(sea())) == (264, 56)
    assert Counter(SHEETS[r["section"]] for r in land().values()) == {
        "europe": 150,
        "asia": 64,
        "africa": 28,
        "north america": 22,
    }


def test_every_pair_of_neighbors_is_linked_once_and_rightly() -> None:
    kinds = Counter(r["kind"] for r in rows("links").values())
    assert kinds == {"land": 499, "strait": 11, "coast": 261, "sea": 97}
    pairs = Counter(frozenset(r["between"]) for r in rows("links").values())
    assert not [sorted(p) for p, n in pairs.items() if n > 1 or len(p) != 2]
    for row in rows("links").values():
        ends = sorted(rows("places")[p]["kind"] for p in row["between"])
        assert ends == {"coast": ["land", "sea"], "sea": ["sea", "sea"]}.get(row["kind"], ["land", "land"]), (
            row
        )
        assert not row.get("one_way")


def test_everything_can_be_reached() -> None:
    assert nx.is_connected(graph())
    assert nx.is_connected(graph("sea").subgraph(sea()))
    assert not [p for p in land() if not neighbors(p)]


def test_sections_touch_only_where_the_published_list_says() -> None:
    listed = """
        afghanistan--tehran ahvaz--pakistan algeria--ionian-sea algeria--western-mediterranean
        bismarck-sea--middle-pacific-ocean bristol-bay--northern-pacific-ocean bristol-bay--sea-of-okhotsk
        cape-verde--caribbean-sea cape-verde--southern-atlantic caribbean-sea--southern-atlantic
        central-indian-ocean--western-indian-ocean central-pacific-ocean--middle-pacific-ocean
        coral-sea--gulf-of-tehuantepec east-indian-ocean--persian-gulf east-indian-ocean--red-sea
        eastern-mediterranean--egypt eastern-mediterranean--libya eastern-mediterranean--red-sea
        eastern-mediterranean--suez-canal eastern-pacific-ocean--northern-pacific-ocean
        hudson-bay--middle-atlantic hudson-bay--northern-atlantic ionian-sea--libya kazan--urals-mts
        kazan--western-kazan middle-atlantic--western-atlantic nizhniy--urals-mts palestine--red-sea
        palestine--suez-canal perm--urals-mts seville--spanish-morocco southern-atlantic--western-atlantic
        spanish-morocco--western-mediterranean tehran--turkmen volgograd--western-kazan
        """
    needed_by_an_example = "french-morocco--southern-atlantic"
    sheet = {i: SHEETS[r["section"]] for i, r in rows("places").items()}
    crossing = {
        "--".join(sorted((a, b)))
        for a, b in (r["between"] for r in rows("links").values())
        if sheet[a] != sheet[b]
    }
    assert crossing == {*listed.split(), needed_by_an_example}
    assert graph("sea").has_edge("gulf-of-tehuantepec", "gulf-of-mexico"), (
        "the one pair of the list inside a section"
    )


def test_the_straits_are_the_eleven_and_ships_pass_between_their_shores() -> None:
    pairs = [
        ("spanish-morocco", "seville"),
        ("northern-ireland", "glasgow"),
        ("corsica", "sardinia"),
        ("sicily", "taranto"),
        ("constantinople", "izmir"),
        ("constantinople", "sinope"),
        ("sevastopol", "krasnodar"),
        ("sumatra", "java"),
        ("tokyo", "hokkaido"),
        ("hokkaido", "sakhalin"),
        ("suez-canal", "palestine"),
    ]
    straits = {frozenset(r["between"]) for r in rows("links").values() if r["kind"] == "strait"}
    assert straits == {frozenset(p) for p in pairs}
    for a, b in pairs:
        assert neighbors(a, "coast") & neighbors(b, "coast"), (a, b)


def test_passages_can_be_closed_by_those_who_hold_their_keys() -> None:
    ship, surface = ["ship"], ["surface"]
    stated = {
        "denmark": ({"baltic-sea", "skagerrak"}, {"denmark"}, ship),
        "kiel-canal": ({"baltic-sea", "skagerrak"}, {"hamburg"}, ship),
        "gibraltar": ({"western-mediterranean", "southern-atlantic"}, {"gibraltar"}, surface),
        "suez-canal": ({"red-sea", "eastern-mediterranean"}, {"suez-canal"}, ship),
        "bosporus-dardanelles": (
            {"aegean-sea", "western-black-sea"},
            {"constantinople", "izmir", "sinope"},
            ship,
        ),
        "sumatra-java": ({"java-sea", "celebes-sea"}, {"sumatra", "java"}, surface),
        "philippines": ({"south-china-sea", "philippine-sea"}, {"philippines"}, surface),
        "panama-canal": ({"gulf-of-mexico", "gulf-of-tehuantepec"}, {"panama"}, ship),
    }
    gates = rows("passages")
    assert {i: (set(g["between"]), set(g["keys"]), g["stops"]) for i, g in gates.items()} == stated
    for gate in gates.values():
        assert graph("sea").has_edge(*gate["between"])
        for key in gate["keys"]:
            assert neighbors(key, "coast") & set(gate["between"]), (gate["id"], key)
    assert land()["panama"]["owner"] == "usa"
    assert gates["kiel-canal"]["judged"] == "turn" and gates["kiel-canal"]["default"] == "friends"
    assert {"submarine"} == {
        k for k, r in rows("units").items() if "ship" in r["tags"] and "surface" not in r["tags"]
    }


@pytest.mark.parametrize(
    ("holder", "side", "shut"), [(None, None, True), ("german-empire", None, False), (None, "allied", False)]
)
def test_the_sound_is_shut_while_denmark_is_neutral(holder: str | None, side: str | None, shut: bool) -> None:
    tables: dict[str, Any] = {}
    if holder:
        tables["places"] = {"denmark": {"holder": holder}}
    if side:
        tables["nations"] = {"denmark": {"side": side}}
    assert World(rules(), State(tables)).test(rules().row("passages", "denmark")["shut_when"], {}) is shut


def test_stated_values() -> None:
    stated = {
        "london": 31,
        "hamburg": 15,
        "trieste": 6,
        "brest": 12,
        "milan": 12,
        "tokyo": 19,
        "zhejiang": 5,
        "petrograd": 5,
        "constantinople": 8,
        "barcelona": 8,
        "warsaw": 2,
        "vladivostok": 1,
        "khabarovsk": 1,
        "mosul": 1,
        "baghdad": 5,
        "basra": 2,
        "izmir": 3,
        "sinope": 3,
        "ramadi": 1,
    }
    assert {p: land()[p]["value"] for p in stated} == stated
    assert land()["east-coast"]["value"] + land()["la"]["value"] == 76
    assert min(r["value"] for r in land().values()) >= 0


def test_stated_coasts() -> None:
    """The zones of the main ports, of the passages, and of the links between sections."""
    stated = {
        "london": {"north-sea", "middle-atlantic"},
        "hamburg": {"skagerrak", "baltic-sea"},
        "denmark": {"skagerrak", "baltic-sea"},
        "trieste": {"adriatic-sea"},
        "brest": {"middle-atlantic", "bay-of-biscay"},
        "east-coast": {"us-atlantic-coast"},
        "la": {"us-pacific-coast"},
        "milan": {"tyrrhenian-sea"},
        "tokyo": {"sea-of-japan"},
        "zhejiang": {"yellow-sea"},
        "petrograd": {"gulf-of-bothnia"},
        "constantinople": {"aegean-sea", "western-black-sea"},
        "barcelona": {"western-mediterranean"},
        "gibraltar": {"western-mediterranean", "southern-atlantic"},
        "northern-ireland": {"irish-sea"},
        "dublin": {"irish-sea"},
        "palestine": {"red-sea"},
        "suez-canal": {"red-sea", "eastern-mediterranean"},
    }
    for place, zones in stated.items():
        assert zones <= neighbors(place, "coast"), place
    for place in (
        "london",
        "hamburg",
        "trieste",
        "brest",
        "east-coast",
        "la",
        "milan",
        "tokyo",
        "zhejiang",
        "petrograd",
    ):
        assert land()[place]["port"], place
    assert land()["constantinople"]["port"] and land()["barcelona"]["port"] and land()["trieste"]["city"]
    assert not [p for p, r in land().items() if r.get("port") and not neighbors(p, "coast")], (
        "a port lies on the sea"
    )


def test_who_owns_what_the_rules_speak_of() -> None:
    stated = {
        "french-empire": "alsace-lorraine paris brest normandy amiens marseille toulouse bordeaux corsica algeria indochina",
        "german-empire": "ruhr cologne hamburg bremen konigsberg cameroon german-east-africa kaiser-wilhelm-land jiaozhou",
        "austria-hungary": "trieste bosnia innsbruck lemberg krakow galicia transylvania",
        "russian-empire": "petrograd warsaw estonia latvia lithuania helsinki lapri vyborg odessa sevastopol krasnodar baku "
        "vladivostok khabarovsk kamchatka sakhalin perm kazan nizhniy volgograd turkmen western-kazan urals-mts",
        "british-empire": "london glasgow northern-ireland dublin gibraltar suez-canal egypt sudan cyprus kuwait malaya "
        "hong-kong",
        "ottoman-empire": "constantinople izmir sinope mosul baghdad basra ramadi damascus palestine",
        "italy": "milan venice taranto sicily sardinia libya",
        "japan": "tokyo hokkaido korea",
        "china": "zhejiang manchuria",
        "usa": "east-coast la philippines panama",
        "spain": "barcelona seville spanish-morocco",
        "serbia": "serbia-territory macedonia",
        "arabia": "rutba kaf",
        "greece": "crete",
        "india": "pakistan",
    }
    wrong = {p: land()[p]["owner"] for n, ps in stated.items() for p in ps.split() if land()[p]["owner"] != n}
    assert not wrong


def test_borders_that_examples_need() -> None:
    assert graph("land").has_edge("egypt", "suez-canal"), "the way into the canal without a strait"
    assert graph("land").has_edge("korea", "vladivostok")
    french_on_spain = {p for p in owned("french-empire") if neighbors(p, "land") & home("spain")}
    assert french_on_spain - {"french-morocco", "algeria"} == {"toulouse", "bordeaux"}
    persian = {p for p in owned("ottoman-empire") if neighbors(p, "land") & owned("persia")}
    assert persian == {"mosul", "baghdad", "basra"}
    assert neighbors("gibraltar", *LAND_LINKS) <= owned("spain") and neighbors("gibraltar", "land")
    assert graph("sea").has_edge("english-channel", "bay-of-biscay")


def test_ottoman_rail_example() -> None:
    """Eight units would fit at both ends: two get through, six can leave Constantinople."""

    def most(ends: set[str]) -> Any:
        rail = nx.DiGraph()
        for place in owned("ottoman-empire"):
            rail.add_edge((place, "in"), (place, "out"), capacity=land()[place]["value"])
            for other in neighbors(place, *LAND_LINKS) & owned("ottoman-empire"):
                rail.add_edge((place, "out"), (other, "in"), capacity=99)
            if place in ends:
                rail.add_edge((place, "out"), "end", capacity=99)
        return nx.maximum_flow_value(rail, ("constantinople", "in"), "end")

    assert most({"mosul", "baghdad", "basra"}) == 2
    assert most(owned("ottoman-empire") - {"constantinople"}) == 6
    assert neighbors("constantinople", *LAND_LINKS) & owned("ottoman-empire") == {"izmir", "sinope"}


def test_ways_from_french_africa_to_france() -> None:
    """West over the Southern Atlantic and one zone more; south over the Western Mediterranean and the Gulf of Lyon."""
    zones = graph("sea")
    start = {z for p in members("french-africa") for z in neighbors(p, "coast")}
    end = {z for p in home("french-empire") - {"corsica"} for z in neighbors(p, "coast")}
    assert not start & end
    pairs = {(a, b) for a in start for b in end if zones.has_edge(a, b)}
    assert {("southern-atlantic", "middle-atlantic"), ("southern-atlantic", "bay-of-biscay")} <= pairs
    assert ("western-mediterranean", "gulf-of-lyon") in pairs


def test_starvation_rings_close() -> None:
    def ring(places: set[str]) -> set[str]:
        return {z for p in places for z in neighbors(p, "coast")}

    assert ring(members("british-isles")) - {"irish-sea"} == members("starvation-ring-britain")
    assert ring(members("japan-main-islands")) == members("starvation-ring-japan")
    assert members("starvation-ring-japan") == {"yellow-sea", "sea-of-japan", "sea-of-okhotsk"}
    assert nx.is_connected(graph(*LAND_LINKS).subgraph(members("british-isles")))


def test_regions() -> None:
    assert members("poland") == {"warsaw", *neighbors("warsaw", "land")} <= owned("russian-empire")
    assert members("baltic-states") == {"estonia", "latvia", "lithuania"}
    assert members("finland") == {"helsinki", "lapri", "vyborg"}
    assert members("serbia-region") == {"serbia-territory", "macedonia"} == owned("serbia")
    assert members("irish-territories") <= members("british-isles") <= home("british-empire")
    colonies = {
        kind: {p for p, r in land().items() if r.get("colony") == kind} for kind in ("major", "minor")
    }
    assert colonies["major"] == owned("india") | owned("australia") - {"papua"} | owned("canada")
    assert colonies["minor"] == {"algeria", "german-east-africa", "new-zealand"} | owned("south-africa")
    for group in (g for g in rows("groups") if g.startswith("colonies-")):
        nation = group.removeprefix("colonies-")
        abroad = {p for p, r in land().items() if r.get("colony_of") == nation and r["owner"] == nation}
        assert members(group) <= abroad | owned(nation), group


def test_mountains_and_the_fortress() -> None:
    swiss = land()["switzerland"]
    assert (swiss["bars"], swiss["min_fuel"], swiss["no_landing"], swiss["infantry_defense"]) == (
        ["artillery"],
        5,
        True,
        8,
    )
    for place in ("afghanistan", "tibet"):
        row = land()[place]
        assert (row["admits_only"], row["no_landing"], row["infantry_defense"]) == (["infantry"], True, 7)
    assert land()["gibraltar"]["infantry_dice"] == 3


# ---- nations


def test_the_nations() -> None:
    assert len(nations_on_map()) == 36
    assert {r["owner"] for r in land().values()} == set(nations_on_map())
    by_status = defaultdict(set)
    for i, r in rows("nations").items():
        by_status[r["status"]].add(i)
    assert by_status["main-war"] == {
        "german-empire",
        "austria-hungary",
        "french-empire",
        "russian-empire",
        "serbia",
    }
    assert by_status["major-neutral"] == {
        "british-empire",
        "ottoman-empire",
        "italy",
        "japan",
        "usa",
        "china",
        "spain",
    }
    assert by_status["dominion"] == {"canada", "india", "south-africa", "australia", "new-zealand"}
    assert {r["side"] for i, r in rows("nations").items() if i in by_status["main-war"]} == {
        "central",
        "allied",
    }
    assert {i for i, r in rows("nations").items() if r["side"]} == by_status["main-war"]
    assert {"bolsheviks", "irish-rebels"} <= by_status["dormant"]
    assert {r.get("research_group") for i, r in rows("nations").items() if i in members("commonwealth")} == {
        "commonwealth"
    }


def test_capitals_are_own_and_russia_and_china_have_none() -> None:
    for nation in nations_on_map():
        row = rules().row("nations", nation)
        assert (row["capital"] or row["center"]) in owned(nation), nation
        assert bool(row["capital"]) != bool(row.get("center")), nation
    assert (
        rules().row("nations", "russian-empire")["capital"]
        is rules().row("nations", "china")["capital"]
        is None
    )


def test_incomes_are_the_sum_of_the_values() -> None:
    full = {i: rules().row("nations", i)["full_income"] for i in nations_on_map()}
    assert full == {i: sum(land()[p]["value"] for p in owned(i)) for i in nations_on_map()}
    stated = {"usa": 210, "japan": 75, "china": 41, "spain": 45, "russian-empire": 70}
    proposed = {
        "german-empire": 160,
        "british-empire": 150,
        "french-empire": 100,
        "austria-hungary": 80,
        "italy": 60,
    }
    assert {n: full[n] for n in (*stated, *proposed)} == {**stated, **proposed}
    assert full["ottoman-empire"] == 45


def test_incomes_at_the_start_and_when_geared_up() -> None:
    start = {i: rules().row("nations", i)["start_income"] for i in nations_on_map()}
    share = {
        "british-empire": 2,
        "ottoman-empire": 2,
        "italy": 2,
        "spain": 4,
        "main-war": 1,
        "dominion": 4,
        "minor-neutral": 4,
    }
    flat = {"usa": 15, "japan": 15, "china": 12}
    for nation, income in start.items():
        row = rules().row("nations", nation)
        wanted = flat.get(nation) or ceil(row["full_income"] / (share.get(nation) or share[row["status"]]))
        assert income == wanted, nation
    geared = {
        i: (r.get("geared_income"), r["gearing_cost"])
        for i, r in rows("nations").items()
        if "gearing_cost" in r
    }
    assert geared == {"usa": (35, 40), "japan": (30, 25), "china": (None, 15), "spain": (None, 40)}
    full = {
        i: rules().row("nations", i)["full_income"]
        for i in ("japan", "china", "spain", "italy", "ottoman-empire")
    }
    assert (
        ceil(full["japan"] * 2 / 5) == 30
        and ceil(full["china"] * 3 / 5) == 25
        and ceil(full["spain"] / 2) == 23
    )
    assert [ceil(full[n] * 3 / 4) for n in ("spain", "italy", "ottoman-empire")] == [34, 45, 34]
    trade = {i: r["us_trade"] for i, r in rows("nations").items() if "us_trade" in r}
    assert trade == {"british-empire": 10, "german-empire": 8, "french-empire": 5, "russian-empire": 5}


def test_neighboring_minors_are_two_steps_away_or_in_an_example() -> None:
    minor = members("minor-neutrals")
    examples = [("netherlands", "belgium"), ("netherlands", "denmark"), ("switzerland", "belgium")]
    for nation in nations_on_map():
        near = {
            p
            for a in home(nation)
            for p in nx.single_source_shortest_path_length(graph(*LAND_LINKS), a, cutoff=2)
        }
        wanted = {land()[p]["owner"] for p in near if p in home(land()[p]["owner"])} & minor - {nation}
        wanted |= {b for pair in examples for a, b in (pair, pair[::-1]) if a == nation}
        assert set(rules().row("nations", nation)["neighboring_minors"]) == wanted, nation


def test_colors_of_nations_that_touch_differ_for_every_common_color_vision() -> None:
    seen_by = {
        "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "no red cones": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
        "no green cones": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9690]],
    }
    to_xyz = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8727]])

    def lab(color: str, cones: list[list[float]]) -> Any:
        """CIELAB of a color, as an eye with these cones sees it."""
        part = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        xyz = to_xyz @ np.clip(np.array(cones) @ light, 0, 1)
        x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    color = {i: r["color"] for i, r in rows("nations").items()}
    assert len(set(color.values())) == len(color)
    owners = {frozenset(land()[p]["owner"] for p in ends) for ends in graph(*LAND_LINKS).edges}
    for a, b in (sorted(pair) for pair in owners if len(pair) == 2):
        for eye, cones in seen_by.items():
            assert np.linalg.norm(lab(color[a], cones) - lab(color[b], cones)) >= 20, (a, b, eye)


# ---- units and technologies


def test_figures_that_are_printed_for_every_nation() -> None:
    printed = {
        "anti-air-gun": {"price": 3, "attack": 0, "defense": 1, "move": 1},
        "rocket": {"price": 10, "attack": 4, "defense": 1, "move": 1, "range": 1},
        "carrier": {"price": 95, "attack": 2, "defense": 2, "move": 2, "hits": 2, "repair": 25, "deck": 2},
        "transport": {"attack": 0, "defense": 1, "capacity": 2},
        "battleship": {"hits": 2, "repair": 20},
        "trench": {"price": 5},
        "super-trench": {"price": 20},
        "radar": {"price": 18},
        "sonar": {"price": 13},
        "industrial-complex": {"defense": 1, "scrap": 25},
        "port": {"defense": 1, "scrap": 15},
        "city": {"defense": 1},
        "coast-guard": {"defense": 1},
        "strait-guard": {"defense": 1},
        "port-boats": {"attack": 0, "defense": 0},
    }
    for kind, wanted in printed.items():
        assert {k: rules().row("units", kind)[k] for k in wanted} == wanted, kind
    for kind in ("industrial-complex", "port"):
        assert rules().row("units", kind)["price"] >= 2 * rules().row("units", kind)["scrap"], (
            "building to scrap never pays"
        )
    sizes = {k: r["size"] for k, r in rows("units").items() if {"land", "air"} & set(r["tags"])}
    assert sizes.pop("infantry") == 1 and set(sizes.values()) == {2}


def test_every_nation_has_a_grade_of_every_graded_kind() -> None:
    graded = {k for k, r in rows("units").items() if "grades" in r}
    for nation, row in rows("nations").items():
        assert set(row["grade"]) == graded, nation
        for kind, grade in row["grade"].items():
            assert grade in rules().row("units", kind)["grades"], (nation, kind)


def test_bolshevik_infantry() -> None:
    red, tsar = figures("bolsheviks", "infantry"), figures("russian-empire", "infantry")
    assert (red["price"], red["attack"], red["defense"]) == (4, 3, 6)
    assert red["price"] < tsar["price"] < 6
    others = {k: g for k, g in rules().row("nations", "bolsheviks")["grade"].items() if k != "infantry"}
    assert others.items() <= rules().row("nations", "russian-empire")["grade"].items()


def test_the_character_of_the_arms() -> None:
    soldiers = [k for k, r in rows("units").items() if "land" in r["tags"] or "air" in r["tags"]]
    for nation in rows("nations"):
        unit = {
            k: figures(nation, k) for k in (*soldiers, "battleship", "destroyer", "submarine", "transport")
        }
        foot, guns = unit["infantry"], unit["artillery"]
        assert foot["attack"] < foot["defense"] < 7, "the mountains are worth 7 and 8"
        assert all(foot["defense"] > unit[k]["defense"] for k in soldiers if k != "infantry")
        assert all(guns["attack"] >= unit[k]["attack"] for k in soldiers)
        assert 0.45 <= unit["destroyer"]["attack"] / unit["battleship"]["attack"] <= 0.6
        ships = [k for k, r in rows("units").items() if "ship" in r["tags"]]
        assert all(unit["destroyer"]["move"] > figures(nation, k)["move"] for k in ships if k != "destroyer")
        assert "bombard" not in unit["destroyer"] and unit["battleship"]["attack"] // 4 >= 1
        assert unit["submarine"]["price"] < unit["destroyer"]["price"], "worth trading for a destroyer"
        assert unit["submarine"]["price"] < unit["transport"]["price"] + 2 * foot["price"], (
            "or for a loaded transport"
        )


def test_aircraft_and_their_fuel() -> None:
    fuel = [value("german-empire", "fighter", "fuel", {"improved-fighters": n}) for n in range(5)]
    assert fuel == [3, 4, 5, 6, 7], "tactical bombing at 4, the sea at 5"
    bomber = [value("italy", "bomber", "fuel", {"improved-bombers": n}) for n in range(1, 5)]
    assert bomber[0] >= 4 and bomber[0] < land()["switzerland"]["min_fuel"] and bomber == [4, 6, 8, 10]
    assert bomber[0] > fuel[0]


def test_advances() -> None:
    """Each row of the published table, by the number of levels in force."""

    def line(kind: str, quantity: str, tech: str, levels: int, owner: str = "german-empire") -> list[Any]:
        return [value(owner, kind, quantity, {tech: n}) for n in range(levels + 1)]

    assert line("infantry", "attack", "improved-weapons", 1) == [3, 4]
    assert line("infantry", "defense", "improved-weapons", 1) == [6, 7]
    assert line("infantry", "attack", "chemical-warfare", 2) == [3, 4, 5]
    assert line("artillery", "attack", "improved-artillery", 3) == [6, 7, 7, 8]
    assert line("tank", "attack", "tanks", 4) == [5, 5, 6, 7, 8]
    assert line("tank", "move", "tanks", 4) == [1, 1, 2, 2, 2]
    assert line("anti-air-gun", "defense", "improved-anti-aircraft", 1) == [1, 2]
    assert line("rocket", "attack", "rockets", 4) == [4, 4, 5, 6, 7]
    assert line("rocket", "range", "rockets", 4) == [1, 1, 1, 2, 3]
    assert line("battleship", "hits", "improved-battleships", 3) == [2, 3, 4, 4]
    assert line("battleship", "bombard", "improved-battleships", 3) == [3, 4, 5, 5]
    assert line("battleship", "attack", "improved-battleships", 3) == [7, 7, 8, 8]
    assert line("destroyer", "attack", "improved-cruisers", 3) == [4, 5, 5, 6]
    assert line("destroyer", "defense", "improved-cruisers", 3) == [3, 3, 4, 4]
    assert line("transport", "capacity", "improved-transports", 3) == [2, 3, 4, 4]
    assert line("transport", "defense", "improved-transports", 3) == [1, 1, 1, 2]
    assert line("submarine", "attack", "improved-submarines", 2) == [3, 4, 5]
    assert line("carrier", "deck", "aircraft-carriers", 3) == [2, 2, 3, 4]
    assert line("carrier", "hits", "aircraft-carriers", 3) == [2, 2, 2, 3]
    assert line("fighter", "defense", "improved-fighters", 4) == [2, 3, 4, 5, 6]
    assert line("fighter", "attack", "improved-fighters", 4) == [2, 2, 2, 2, 3]
    assert line("bomber", "attack", "improved-bombers", 4) == [3, 3, 4, 5, 6]
    for kind in ("battleship", "destroyer", "submarine", "transport", "carrier"):
        slow, fast = line(kind, "move", "faster-ships", 1)
        assert fast == slow + 1
    levels = {i: r["levels"] for i, r in rows("technologies").items()}
    assert (
        list(levels.values()) == [1, 2, 1, 3, 4, 1, 1, 4, 3, 3, 3, 2, 3, 1, 4, 4, 2, 1, 1]
        and sum(levels.values()) == 44
    )


def test_what_advances_make_dearer() -> None:
    most = {tech: row["levels"] for tech, row in rows("technologies").items()}
    totals = {
        (kind, tech): [levels.get(str(n), 0) for n in range(most[tech] + 1)]
        for kind, techs in rules().row("tables", "dearer")["rows"].items()
        for tech, levels in techs.items()
    }
    assert totals == {
        ("infantry", "improved-weapons"): [0, 1],
        ("tank", "tanks"): [0, 0, 1, 2, 4],
        ("rocket", "rockets"): [0, 0, 2, 5, 9],
        ("battleship", "improved-battleships"): [0, 5, 11, 18],
        ("battleship", "faster-ships"): [0, 5],
        ("destroyer", "improved-cruisers"): [0, 2, 4, 7],
        ("destroyer", "faster-ships"): [0, 2],
        ("submarine", "improved-submarines"): [0, 2, 5],
        ("submarine", "faster-ships"): [0, 2],
        ("transport", "improved-transports"): [0, 2, 4, 7],
        ("transport", "faster-ships"): [0, 2],
        ("carrier", "aircraft-carriers"): [0, 0, 7, 16],
        ("carrier", "faster-ships"): [0, 5],
        ("fighter", "improved-fighters"): [0, 1, 2, 3, 4],
        ("bomber", "improved-bombers"): [0, 0, 2, 4, 6],
    }
    always_full_price = {
        i: r["fixed_price_levels"] for i, r in rows("technologies").items() if r.get("fixed_price_levels")
    }
    assert always_full_price == {
        "improved-weapons": 1,
        "troop-mechanization": 1,
        "tanks": 1,
        "improved-bombers": 1,
        "super-trenches": 1,
        "radar": 1,
        "sonar": 1,
        "improved-industrial": 2,
    }


@pytest.mark.parametrize("nation", ["german-empire", "french-empire", "russian-empire", "china"])
def test_improving_fifty_infantry_costs_a_hundred(nation: str) -> None:
    """One for the rise, and a tenth of the new price, rounded up, for each."""
    rise = rules().row("tables", "dearer")["rows"]["infantry"]["improved-weapons"]
    new = figures(nation, "infantry")["price"] + rise["1"]
    assert 50 * (rise["1"] + ceil(new / 10)) == 100


def test_what_industry_makes_cheaper() -> None:
    """A tenth, then a fifth, the price of each rounded up; not for infantry and trenches."""
    makes = {k: {"id": k, "makes": k} for k in rows("units")}
    wanted = {
        "anti-air-gun": [3, 3, 3],
        "rocket": [10, 9, 8],
        "carrier": [95, 86, 76],
        "radar": [18, 17, 15],
        "sonar": [13, 12, 11],
        "infantry": [6, 6, 6],
        "trench": [5, 5, 5],
        "super-trench": [20, 20, 20],
    }
    shop = Ruleset("shop", "", {**rules().forms, "production": makes})
    buyer = {"self": Entity("nation", "german-empire")}
    for kind, prices in wanted.items():
        for level, price in enumerate(prices):
            world = World(shop, State({"techs": {"german-empire": {"improved-industrial": level}}}))
            assert world.quantity("price", Entity("item", kind), buyer) == price, (kind, level)


def test_list_prices_rise_with_advances() -> None:
    techs = {
        "improved-battleships": 2,
        "faster-ships": 1,
        "improved-fighters": 4,
        "rockets": 4,
        "improved-weapons": 1,
        "tanks": 1,
    }
    wanted = {
        "battleship": 91,
        "fighter": 12,
        "rocket": 19,
        "infantry": 7,
        "tank": 12,
        "transport": 22,
        "artillery": 10,
    }
    assert {k: value("german-empire", k, "list-price", techs) for k in wanted} == wanted
    assert value("russian-empire", "infantry", "list-price") == 5


def test_the_fighter_duel() -> None:
    table = [list(row.values()) for row in rules().row("tables", "fighter-duel")["rows"].values()]
    assert table == [[2, 1, 1, 1, 1], [2, 2, 1, 1, 1], [2, 2, 2, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]


def strength(nation: str, fleet: dict[str, int], fighter: tuple[int, int] = (2, 2)) -> int:
    """Number x attack x defense x hits, summed; a carrier adds the values of a full deck of fighters to its own."""
    total = 0
    for kind, n in fleet.items():
        row = figures(nation, kind)
        deck = row.get("deck", 0)
        total += n * (row["attack"] + deck * fighter[0]) * (row["defense"] + deck * fighter[1]) * row["hits"]
    return total


def test_example_fleets_have_their_printed_strength() -> None:
    assert (
        strength("british-empire", {"battleship": 2, "destroyer": 8, "submarine": 2, "transport": 6}) == 300
    )
    second = {"battleship": 1, "destroyer": 6, "submarine": 4, "transport": 5, "carrier": 1}
    assert strength("british-empire", second, fighter=(2, 3)) == 282


def test_example_armies_have_our_values() -> None:
    """The second has won some advances. 936 is what the first comes to; the printed 866 is a slip."""
    foot, guns = rules().row("units", "infantry")["grades"], rules().row("units", "artillery")["grades"]
    assert [(foot[g]["attack"], foot[g]["defense"]) for g in ("regular", "drilled")] == [(3, 5), (3, 6)]
    assert (guns["heavy"]["attack"], guns["heavy"]["defense"]) == (6, 2)
    first = 48 * 3 * 5 + 12 * 6 * 2 + 18 * 2 * 2
    assert first == 936
    techs = {"improved-artillery": 2, "improved-fighters": 1, "improved-bombers": 2, "tanks": 2}
    army = {"infantry": 37, "artillery": 8, "fighter": 24, "bomber": 2, "tank": 4}
    worth_of = {
        k: value("german-empire", k, "attack", techs) * value("german-empire", k, "defense", techs)
        for k in army
    }
    assert sum(n * worth_of[k] for k, n in army.items()) == 1010


# ---- penalties


def attack_over(
    works: str,
    kind: str,
    tanks: int = 0,
    *,
    behind: tuple[str, ...] = ("infantry",),
    place: str = "alsace-lorraine",
) -> Any:
    """The attack of a German unit from Cologne over works into Alsace-Lorraine, defended by French units."""
    own, other = "german-empire", "french-empire"
    units = {f"{own}.{kind}@cologne": {"owner": own, "kind": kind, "place": "cologne", "n": 1}}
    if tanks:
        units[f"{own}.tank@cologne[x=1]"] = {
            "owner": own,
            "kind": "tank",
            "place": "cologne",
            "n": tanks,
            "x": 1,
        }
    for k in behind:
        units[f"{other}.{k}@{place}"] = {"owner": other, "kind": k, "place": place, "n": 1}
    tables = {
        "units": units,
        "links": {"alsace-lorraine--cologne": {"works@alsace-lorraine": works}},
        "relations": {f"{other}--{own}": {"stance": "war"}},
    }
    world = World(rules(), State(tables))
    mine = tuple(Entity("unit", u) for u in units if u.startswith(own))
    foe = tuple(Entity("unit", u) for u in units if u.startswith(other))
    scope = {
        "battle": {"attacks": True},
        "mine": mine,
        "foe": foe,
        "link": Entity("link", f"cologne>{place}"),
        "place": Entity("place", place),
    }
    return world.quantity("attack", mine[0], scope)


@pytest.mark.parametrize(
    ("works", "kind", "tanks", "wanted"),
    [
        ("none", "infantry", 0, 3),
        ("trench", "infantry", 0, 1),
        ("trench", "infantry", 1, 2),
        ("trench", "infantry", 4, 2),
        ("trench", "infantry", 5, 3),
        ("trench", "infantry", 9, 3),
        ("trench", "artillery", 0, 3),
        ("trench", "tank", 0, 3),
        ("trench", "fighter", 0, 1),
        ("trench", "rocket", 0, 1),
        ("super-trench", "infantry", 9, 1),
        ("super-trench", "artillery", 0, 2),
        ("super-trench", "tank", 0, 3),
    ],
)
def test_attacks_over_trenches(works: str, kind: str, tanks: int, wanted: int) -> None:
    assert attack_over(works, kind, tanks) == wanted


def test_a_trench_without_infantry_hinders_nobody() -> None:
    assert attack_over("trench", "artillery", behind=("artillery",)) == 6


@pytest.mark.parametrize(
    ("start", "target", "kind", "wanted"),
    [
        ("palestine", "suez-canal", "infantry", 1),
        ("palestine", "suez-canal", "artillery", 4),
        ("palestine", "suez-canal", "fighter", 2),
        ("egypt", "suez-canal", "infantry", 3),
        ("north-sea", "london", "infantry", 1),
        ("north-sea", "london", "artillery", 2),
        ("north-sea", "london", "fighter", 2),
    ],
)
def test_attacks_over_water(start: str, target: str, kind: str, wanted: int) -> None:
    world, unit = world_with("german-empire", kind)
    scope = {
        "battle": {"attacks": True},
        "mine": (unit,),
        "foe": (),
        "link": Entity("link", f"{start}>{target}"),
        "place": Entity("place", target),
    }
    assert world.quantity("attack", unit, scope) == wanted


def test_what_cannot_attack_over_an_obstacle() -> None:
    assert members("barred-by-super-trench") == {"fighter", "bomber", "rocket"}
    assert members("barred-by-strait") == {"tank"}
    assert members("barred-by-beach") == {"tank", "rocket"}


def defense(
    nation: str,
    place: str,
    kind: str,
    *,
    mine: tuple[str, ...] = (),
    foe: tuple[str, ...] = ("infantry",),
    **techs: int,
) -> Any:
    own = {
        f"{nation}.{k}@{place}": {"owner": nation, "kind": k, "place": place, "n": 1} for k in (kind, *mine)
    }
    enemy = "german-empire" if nation != "german-empire" else "french-empire"
    others = {f"{enemy}.{k}@{place}": {"owner": enemy, "kind": k, "place": place, "n": 1} for k in foe}
    state = State(
        {"units": {**own, **others}, "techs": {nation: {k.replace("_", "-"): v for k, v in techs.items()}}}
    )
    world = World(rules(), state)
    units, foes = tuple(Entity("unit", u) for u in own), tuple(Entity("unit", u) for u in others)
    scope = {"battle": {"attacks": False}, "mine": units, "foe": foes, "place": Entity("place", place)}
    return world.quantity("defense", units[0], scope)


def test_infantry_in_the_mountains() -> None:
    assert defense("switzerland", "switzerland", "infantry") == 8
    assert (
        defense("british-empire", "tibet", "infantry")
        == defense("afghanistan", "afghanistan", "infantry")
        == 7
    )
    assert defense("switzerland", "switzerland", "infantry", improved_weapons=1) == 8, (
        "advances do not raise it"
    )
    assert defense("switzerland", "belgium-territory", "infantry") == 5


def test_lone_artillery_defends_at_one() -> None:
    assert defense("german-empire", "cologne", "artillery", mine=("infantry",)) == 2
    assert defense("german-empire", "cologne", "artillery", mine=("fighter",)) == 2
    assert defense("german-empire", "cologne", "artillery", mine=("anti-air-gun", "rocket")) == 1
    assert defense("german-empire", "cologne", "artillery") == 1


def test_an_attack_from_the_air_alone() -> None:
    assert defense("french-empire", "reims", "infantry", foe=("fighter", "bomber")) == 2
    assert defense("french-empire", "reims", "infantry", foe=("fighter", "infantry")) == 5
    assert defense("french-empire", "reims", "infantry", mine=("anti-air-gun",), foe=("fighter",)) == 5
    assert defense("french-empire", "reims", "tank", mine=("infantry",), foe=("fighter",)) == 0


def test_a_damaged_battleship_does_not_fire() -> None:
    for quantity in ("attack", "bombard"):
        world, ship = world_with("german-empire", "battleship", {"improved-battleships": 1}, damage=2)
        assert world.quantity(quantity, ship, {"battle": {"attacks": True}, "mine": (ship,), "foe": ()}) == 0
        world, ship = world_with("german-empire", "battleship", {"improved-battleships": 1}, damage=1)
        assert world.quantity(quantity, ship, {"battle": {"attacks": True}, "mine": (ship,), "foe": ()}) > 0


# ---- the turn


def test_the_turn_has_nine_phases_in_their_order() -> None:
    names = [p["name"] for p in phases(rules().sequence) if p["phase"] != "deployment"]
    assert names == [
        "Diplomatic actions", "Technology", "Building new units", "Combat and movement", "Plunder", "Incorporation",
        "Deploying units", "Collecting resources", "Special rules",
    ]  # fmt: skip


# ---- the opening position


def test_everything_in_the_scenario_exists() -> None:
    parties = {
        "bolsheviks",
        "china-imperial",
        "irish-rebels",
        "mutineers",
        "mutineers-2",
        "mutineers-3",
        "mutineers-4",
    }
    assert set(scenario()["nations"]) == set(rows("nations")) - parties, (
        "who rises in the course of the game has nothing yet"
    )
    for owner, place, _, kind, _ in stacks():
        assert owner in nations_on_map() and kind in rows("units") and place in rows("places"), (
            owner,
            place,
            kind,
        )
        if "ship" in tags(kind):
            assert place in sea(), (owner, place, kind)
        else:
            assert place in owned(owner), (owner, place, kind)


def test_half_is_fixed_of_every_kind_and_nation() -> None:
    fixed: Counter[tuple[str, str]] = Counter()
    for owner, _, deploy, kind, n in stacks():
        fixed[owner, kind] += n if deploy == "fixed" else 0
    for nation in nations_on_map():
        for kind, n in forces(nation).items():
            wanted = n if rules().row("nations", nation)["status"] == "dominion" else ceil(n / 2)
            assert fixed[nation, kind] == wanted, (nation, kind)


def may_deploy(owner: str, kind: str, place: str) -> bool:
    return place in targets(World(rules(), State()), owner, rules().row("orders", "deploy"), kind)


def test_the_chosen_half_stands_where_it_may() -> None:
    for owner, place, deploy, kind, _ in stacks():
        if deploy == "chosen":
            assert may_deploy(owner, kind, place), (owner, place, kind)
            if owner in ("british-empire", "german-empire", "french-empire"):
                near = {place} if place in land() else neighbors(place, "coast")
                assert near & home(owner), (owner, place)


def test_nobody_may_deploy_in_colonies_or_allied_land_by_choice() -> None:
    may = may_deploy
    assert may("german-empire", "infantry", "posen") and may("german-empire", "destroyer", "baltic-sea")
    assert not may("german-empire", "infantry", "togo") and not may("german-empire", "infantry", "vienna")
    assert not may("german-empire", "infantry", "baltic-sea") and not may(
        "german-empire", "destroyer", "berlin"
    )
    assert not may("german-empire", "destroyer", "yellow-sea") and not may("canada", "infantry", "canada")
    assert may("italy", "infantry", "libya"), "the ban on colonies is for three empires only"


def test_enemies_do_not_share_a_sea_zone() -> None:
    at = defaultdict(set)
    for owner, place, _, _, _ in stacks():
        at[place].add(owner)
    assert not [
        (p, a, b)
        for p, who in at.items()
        for a, b in combinations(sorted(who), 2)
        if frozenset((a, b)) in wars()
    ]


def test_who_is_at_war() -> None:
    central, allied = ("german-empire", "austria-hungary"), ("russian-empire", "french-empire", "serbia")
    assert wars() == {frozenset((a, b)) for a in central for b in allied} | {
        frozenset(("japan", "german-empire"))
    }


def test_opinions_at_the_start() -> None:
    points = {i: n["tracks"]["opinion"] for i, n in scenario()["nations"].items() if "tracks" in n}
    assert set(points) == members("minor-neutrals") | {"ottoman-empire", "italy", "usa", "china", "spain"}
    assert {n: p for n, p in points.items() if p} == {
        **dict.fromkeys(("belgium", "romania", "greece", "tibet", "mongolia", "arabia", "siam"), 5),
        **dict.fromkeys(("bulgaria", "netherlands"), -5),
    }
    assert [i for i, r in rows("nations").items() if r.get("starred")] == ["sweden"]
    assert {i for i, r in rows("nations").items() if r.get("uses_opinion") is False} == {
        "japan",
        *members("commonwealth"),
    }
    assert rules().row("nations", "italy")["lean"] == 1


def test_technology_at_the_start() -> None:
    known = {i: n["techs"] for i, n in scenario()["nations"].items() if "techs" in n}
    tanks = {"german-empire", "usa", *members("commonwealth")}
    assert known == {**{n: {"tanks": 1} for n in tanks}, "italy": {"improved-bombers": 1}}
    holders = {
        k: {o for o, _, _, kind, _ in stacks() if kind == k} for k in ("tank", "rocket", "carrier", "bomber")
    }
    assert holders == {"tank": set(), "rocket": set(), "carrier": set(), "bomber": {"italy"}}


def test_every_region_has_one_purse() -> None:
    for nation in nations_on_map():
        regions = [set(c) for c in nx.connected_components(graph(*LAND_LINKS).subgraph(owned(nation)))]
        seats = purses(nation)
        assert sorted(len(r & set(seats)) for r in regions) == [1] * len(seats), nation
        row = rules().row("nations", nation)
        assert (row["capital"] or row["center"]) in seats, nation
        drawn_on = {purse_at(opening(), nation, p, "money") for p in owned(nation)}
        assert drawn_on == {f"{nation}/{seat}" for seat in seats}


def test_savings_are_one_turn_of_income() -> None:
    germany = purses("german-empire")
    assert (germany["berlin"]["money"], germany["german-east-africa"]["money"]) == (160, 14)
    for nation in nations_on_map():
        if nation != "german-empire":
            assert saved(nation) == rules().row("nations", nation)["start_income"], nation


def test_trenches_stand_on_land_borders_with_infantry_behind() -> None:
    for row in scenario()["works"]:
        owner = land()[row["place"]]["owner"]
        assert standing(owner, "infantry", [row["place"]]) >= 1
        for facing in row["facing"]:
            assert graph("land").has_edge(row["place"], facing) and land()[facing]["owner"] != owner


def test_orders_of_battle_are_those_of_1914() -> None:
    divisions = {
        "german-empire": 96,
        "french-empire": 84,
        "russian-empire": 110,
        "austria-hungary": 50,
        "serbia": 12,
        "british-empire": 18,
        "italy": 36,
        "ottoman-empire": 38,
        "japan": 20,
        "usa": 5,
        "china": 30,
        "spain": 14,
        "belgium": 7,
        "bulgaria": 12,
        "romania": 15,
        "greece": 8,
        "netherlands": 7,
        "sweden": 8,
        "switzerland": 8,
        "india": 9,
    }
    for nation, n in divisions.items():
        assert abs(forces(nation)["infantry"] - n) <= max(2, n / 10), nation


def worth(nation: str) -> int:
    """What the army and the air force would cost."""
    return sum(n * figures(nation, k)["price"] for k, n in forces(nation).items() if "ship" not in tags(k))


def test_the_camps_are_in_balance() -> None:
    central, allied = ("german-empire", "austria-hungary"), ("french-empire", "russian-empire", "serbia")
    men = sum(forces(n)["infantry"] for n in allied) / sum(forces(n)["infantry"] for n in central)
    price = sum(map(worth, allied)) / sum(map(worth, central))
    assert 1.3 <= men <= 1.5 and 1.0 <= price <= 1.3


def fleet(nation: str) -> int:
    return strength(nation, {k: n for k, n in forces(nation).items() if "ship" in tags(k)})


def army(nation: str) -> int:
    kinds = {k: n for k, n in forces(nation).items() if "ship" not in tags(k)}
    return sum(n * figures(nation, k)["attack"] * figures(nation, k)["defense"] for k, n in kinds.items())


def test_ranks_at_sea_and_on_land() -> None:
    fleets = {
        "british-empire": 356,
        "german-empire": 224,
        "usa": 194,
        "french-empire": 186,
        "japan": 178,
        "russian-empire": 138,
        "italy": 138,
        "austria-hungary": 116,
    }
    armies = {
        "german-empire": 2016,
        "french-empire": 1500,
        "russian-empire": 1336,
        "austria-hungary": 652,
        "italy": 471,
        "ottoman-empire": 456,
    }
    assert {n: fleet(n) for n in fleets} == fleets
    assert {n: army(n) for n in armies} == armies
    for strengths, measure in ((fleets, fleet), (armies, army)):
        rest = [measure(n) for n in nations_on_map() if n not in strengths]
        assert max(rest) < min(strengths.values())
    assert 0.55 <= fleet("german-empire") / fleet("british-empire") <= 0.7


def test_forces_that_the_rules_speak_of() -> None:
    black_sea = members("black-sea")
    assert standing("russian-empire", "infantry", ["warsaw"]) >= 2
    assert min(standing("french-empire", "infantry", [p]) for p in ("toulouse", "bordeaux")) >= 2
    assert (
        standing("russian-empire", "battleship", black_sea) >= 1
        and standing("russian-empire", "destroyer", black_sea) >= 2
    )
    assert standing("german-empire", "infantry", ["german-east-africa"]) >= 1
    assert (
        standing("german-empire", "submarine", ["skagerrak"]) >= 1
        and standing("german-empire", "submarine") >= 4
    )
    assert standing("german-empire", "transport") == 3
    assert (
        min(standing("british-empire", "infantry", [p]) for p in ("northern-ireland", "dublin", "gibraltar"))
        >= 1
    )
    in_north_sea = [
        standing("british-empire", k, ["north-sea"]) for k in ("battleship", "destroyer", "transport")
    ]
    assert in_north_sea == [2, 5, 3], "the fleet of the task force example"
    assert standing("ottoman-empire", "destroyer") >= 1 and standing("italy", "bomber") >= 1
    battleships = {n: forces(n)["battleship"] for n in nations_on_map()}
    assert battleships.pop("british-empire") == 2 and max(battleships.values()) == 1
    assert {p for o, p, _, k, _ in stacks() if o == "ottoman-empire" and "ship" in tags(k)} == {"aegean-sea"}


@pytest.mark.parametrize("nation", ["french-empire", "spain"])
def test_fleets_are_halved_between_the_atlantic_and_the_mediterranean(nation: str) -> None:
    for kind in ("destroyer", "submarine", "transport"):
        inside = standing(nation, kind, members("mediterranean"))
        assert 2 * inside == standing(nation, kind), kind


def test_only_infantry_in_the_mountains() -> None:
    mountains = ("switzerland", "afghanistan", "tibet")
    assert {k for _, p, _, k, _ in stacks() if p in mountains} == {"infantry"}


def test_no_neutral_is_pressed_by_one_camp_alone() -> None:
    """Six units beside a neutral move its opinion: where one camp has them, so has the other, but for Serbia beside Bulgaria."""
    camp = dict.fromkeys(("german-empire", "austria-hungary"), "central")
    camp |= dict.fromkeys(("french-empire", "russian-empire", "serbia"), "allied")
    pressed = defaultdict(set)
    for neutral in (
        n
        for n in nations_on_map()
        if rules().row("nations", n)["status"] in ("minor-neutral", "major-neutral")
    ):
        beside = {q for p in owned(neutral) for q in neighbors(p, *LAND_LINKS)}
        for place in beside:
            for nation, side in camp.items():
                if standing(nation, at=[place]) >= 6:
                    pressed[neutral].add(side)
    assert {n for n, sides in pressed.items() if len(sides) == 1} == {"bulgaria"}
    assert {n for n, sides in pressed.items() if len(sides) == 2} == {
        "belgium",
        "switzerland",
        "romania",
        "albania",
    }


def test_the_western_front_can_be_dug_at_once() -> None:
    east = ("cologne", "frankfurt", "stuttgart")
    french = [
        *(("alsace-lorraine", p) for p in east),
        ("reims", "belgium-territory"),
        ("amiens", "belgium-territory"),
    ]
    german = [
        *((p, "alsace-lorraine") for p in east),
        ("cologne", "belgium-territory"),
        ("ruhr", "belgium-territory"),
    ]
    there = {(r["place"], f) for r in scenario()["works"] for f in r["facing"]}
    for nation, pairs in (("french-empire", french), ("german-empire", german)):
        assert all(graph("land").has_edge(*p) for p in pairs)
        cost = rules().row("units", "trench")["price"] * sum(p not in there for p in pairs)
        assert cost <= saved(nation) * 0.167


@pytest.mark.parametrize(
    "nation",
    [
        "german-empire",
        "austria-hungary",
        "french-empire",
        "russian-empire",
        "serbia",
        "ottoman-empire",
        "italy",
        "china",
    ],
)
def test_income_replaces_a_part_of_the_army(nation: str) -> None:
    bought = rules().row("nations", nation)["full_income"] / figures(nation, "infantry")["price"]
    assert 0.125 <= bought / forces(nation)["infantry"] <= 0.4


@pytest.mark.parametrize(
    ("nation", "share", "fewest", "most"),
    [
        ("german-empire", 0.6, 17, 21),
        ("austria-hungary", 0.6, 16, 20),
        ("french-empire", 0.6, 16, 19),
        ("british-empire", 0.4, 15, 22),
        ("italy", 0.6, 16, 21),
        ("ottoman-empire", 0.6, 15, 19),
        ("serbia", 0.6, 18, 26),
        ("usa", 0.6, 10, 16),
        ("russian-empire", 0.6, 26, 60),
        ("china", 0.6, 26, 60),
        ("japan", 0.4, 20, 60),
    ],
)
def test_manpower_lasts_as_long_as_it_did(nation: str, share: float, fewest: int, most: int) -> None:
    """Turns of war until the limit, if this share of home income and American trade goes into infantry."""
    row = rules().row("nations", nation)
    seat = row["capital"] or row["center"]
    region = nx.node_connected_component(graph(*LAND_LINKS).subgraph(owned(nation)), seat)
    income = sum(land()[p]["value"] for p in region) + row.get("us_trade", 0)
    turns = purses(nation)[seat]["manpower"] / (income * share / figures(nation, "infantry")["price"])
    assert fewest <= turns <= most


def test_manpower_of_the_british_isles() -> None:
    """An Irish rising that turns against its friends adds 20; five turns of famine take more than half, not all."""
    men = purses("british-empire")["london"]["manpower"]
    famine = sum(3 * 2**n for n in range(5))
    assert 0.1 <= 20 / men <= 0.2 and 0.5 <= famine / men <= 0.9


# ---- the opening battles


Groups = dict[tuple[str, int], int]
"""Kind of unit and value against this enemy, over this ground, to number."""


@dataclass(frozen=True)
class Outcome:
    """What came of many assaults fought to the end: share won, units lost on either side on average, units sent."""

    won: float
    lost: float
    killed: float
    sent: int


def grouped(
    nations: Iterable[str], target: str, places: set[str], attacks: bool, foes: tuple[Entity, ...] = ()
) -> Groups:
    """The units of these nations in these places, by kind and by their value in a battle for the target."""
    who = [
        (o, p, k, n) for o, p, _, k, n in stacks() if o in nations and p in places and "ship" not in tags(k)
    ]
    mine = tuple(Entity("unit", f"{o}.{k}@{p}") for o, p, k, _ in who)
    out: Groups = defaultdict(int)
    for unit, (_, place, kind, n) in zip(mine, who, strict=True):
        scope = {
            "battle": {"attacks": attacks},
            "mine": mine,
            "foe": foes,
            "link": Entity("link", f"{place}>{target}"),
            "place": Entity("place", target),
        }
        if kind != "anti-air-gun" or not attacks:
            out[kind, opening().quantity("attack" if attacks else "defense", unit, scope)] += n
    return out


def assault(attack: Groups, defense: Groups, guns: int, city: bool, trials: int = 400) -> Outcome:
    """Assaults to the end. `guns` fire from behind, out of reach; aircraft of the attacker have fuel for one round.

    The attacker gives up infantry first, the defender their infantry last; without infantry the attack is over.
    """
    rng = np.random.default_rng(1914)
    a_order, d_order = (
        ("infantry", "artillery", "fighter", "bomber"),
        ("anti-air-gun", "fighter", "artillery", "infantry"),
    )
    a_groups = sorted(attack, key=lambda g: (a_order.index(g[0]), g[1]))
    d_groups = sorted(defense, key=lambda g: (d_order.index(g[0]), g[1]))
    a = np.tile([attack[g] for g in a_groups], (trials, 1))
    d = np.tile([defense[g] for g in d_groups], (trials, 1))
    foot = np.array([g[0] in ("infantry", "tank") for g in a_groups])
    wings = np.array([g[0] in ("fighter", "bomber") for g in a_groups])
    a_chance, d_chance = (np.array([min(g[1], 10) for g in groups]) / 10 for groups in (a_groups, d_groups))

    def take(alive: Any, hits: Any) -> None:
        for column in range(alive.shape[1]):
            fallen = np.minimum(alive[:, column], hits)
            alive[:, column] -= fallen
            hits = hits - fallen

    def on(alive: Any) -> Any:
        return (alive[0][:, foot].sum(1) > 0) & (alive[1].sum(1) > 0)

    for round_ in range(200):
        fighting = on((a, d))
        if not fighting.any():
            break
        firing = a * (1 if round_ == 0 else ~wings)
        scored = rng.binomial(firing, a_chance).sum(1) * fighting
        answered = (rng.binomial(d, d_chance).sum(1) + rng.binomial(guns, 0.6, trials)) * fighting
        answered += rng.binomial(int(city), 0.1, trials) * fighting
        take(d, scored)
        take(a, answered)
    start, held = sum(attack.values()), sum(defense.values())
    won = (d.sum(1) == 0) & (a[:, foot].sum(1) > 0)
    return Outcome(won.mean(), start - a.sum(1).mean(), held - d.sum(1).mean(), start)


def first_assault(target: str, by: str, held_by: str) -> Outcome:
    """Everything beside the target against everything in it, and the guns beside it that may fire in its defense."""
    beside = neighbors(target, *LAND_LINKS)
    foes = tuple(Entity("unit", f"{o}.{k}@{p}") for o, p, _, k, _ in stacks() if p == target)
    sent, held = grouped([by], target, beside, True, foes), grouped([held_by], target, {target}, False)
    guns = standing(held_by, "artillery", beside & owned(held_by))
    return assault(sent, held, guns, bool(land()[target].get("city")))


@pytest.mark.parametrize(
    ("target", "by", "held_by", "won", "ratio"),
    [
        ("alsace-lorraine", "german-empire", "french-empire", (0, 0.1), (1.2, 3)),
        ("frankfurt", "french-empire", "german-empire", (0, 0.05), (0, 99)),
        ("cologne", "french-empire", "german-empire", (0, 0.05), (0, 99)),
        ("konigsberg", "russian-empire", "german-empire", (0, 0.1), (0, 99)),
        ("lemberg", "russian-empire", "austria-hungary", (0.5, 1), (0.7, 1.6)),
        ("lublin", "austria-hungary", "russian-empire", (0.1, 0.8), (0.8, 2)),
    ],
)
def test_first_assaults_end_as_in_1914(
    target: str, by: str, held_by: str, won: tuple[float, float], ratio: tuple[float, float]
) -> None:
    """The fortresses hold, East Prussia holds, Lemberg falls dearly; `ratio` is of the losses of both sides."""
    outcome = first_assault(target, by, held_by)
    assert won[0] <= outcome.won <= won[1]
    assert ratio[0] <= outcome.lost / outcome.killed <= ratio[1]


def test_belgium_falls_at_a_price_and_serbia_is_a_gamble() -> None:
    belgium = first_assault("belgium-territory", "german-empire", "belgium")
    assert belgium.won >= 0.99 and 3 <= belgium.lost <= 12
    serbia = first_assault("serbia-territory", "austria-hungary", "serbia")
    assert 0.3 <= serbia.won <= 0.7 and 0.4 <= serbia.lost / serbia.sent <= 0.9


@pytest.mark.parametrize(
    ("penalties", "won"), [((0, 0, 0), (0.9, 1)), ((2, 3, 3), (0, 0.1))], ids=["open ground", "trench"]
)
def test_a_trench_decides(penalties: tuple[int, int, int], won: tuple[float, float]) -> None:
    """An army half as strong again, guns included, carries open ground nearly always and a trench hardly ever."""
    sent = {"infantry": 24, "artillery": 6, "fighter": 1}
    army = {
        (k, max(1, figures("german-empire", k)["attack"] - less)): n
        for (k, n), less in zip(sent.items(), penalties, strict=True)
    }
    held = {(k, figures("french-empire", k)["defense"]): n for k, n in (("infantry", 16), ("fighter", 1))}
    assert won[0] <= assault(army, held, guns=4, city=False).won <= won[1]


# ---- every row says where it comes from


def test_rows_say_where_they_come_from() -> None:
    for form in (
        "places",
        "links",
        "passages",
        "nations",
        "units",
        "technologies",
        "groups",
        "sides",
        "tracks",
        "stances",
        "war_kinds",
    ):
        assert not [i for i in rows(form) if not clauses_of_row(rules(), form, i)], form
    assert not [i for i, r in rows("modifiers").items() if not r.get("source")]


def test_aliases_lead_to_one_thing_only() -> None:
    for form in ("places", "nations", "units", "technologies", "passages", "sides"):
        names: dict[str, set[str]] = defaultdict(set)
        for i, row in rows(form).items():
            for name in {i, row.get("name", i), row.get("plural", i), *row.get("aliases", ())}:
                names[name.casefold().replace("-", " ")].add(i)
        several = {name for name, ids in names.items() if len(ids) > 1}
        # whoever upgrades infantry is asked with which of its technologies
        assert several == ({"infantry"} if form == "technologies" else set()), form
