"""Properties of TripleA games are rules: each on both sides, against a reckoner of the tests' own or in play."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.importers.reckoning import Kind, Rules, odds
from wteaw.cli import _run
from wteaw.cli.game import open_game
from wteaw.ruleset import load_ruleset
from wteaw_importers.triplea.folder import import_game

SMALL = Path(__file__).parents[1] / "data" / "triplea" / "small"

SUB = Kind("sub", 2, 2, 8, sub=True)
DESTROYER = Kind("can", 3, 3, 12, destroyer=True)
CARRIER = Kind("flattop", 1, 3, 16)
FIGHTER = Kind("plane", 3, 4, 10, air=True)
TRANSPORT = Kind("boat", 0, 0, 7, transport=True)
INFANTRY = Kind("man", 1, 2, 3)
TANK = Kind("tank", 3, 3, 5)
BATTLESHIP = Kind("battleship", 4, 4, 24, hits=2)
BOMBER = Kind("bomber", 4, 1, 15, air=True)
SHIPS = (BATTLESHIP, SUB, DESTROYER, CARRIER, FIGHTER, TRANSPORT)

FIGURES = {
    "man": "movement=1 transportCost=2 attack=1 defense=2",
    "tank": "movement=2 transportCost=3 attack=3 defense=3 canBlitz=true",
    "sub": "isSea=true isSub=true movement=2 attack=2 defense=2",
    "can": "isSea=true isDestroyer=true movement=2 attack=3 defense=3",
    "flattop": "isSea=true movement=2 attack=1 defense=3 carrierCapacity=2",
    "battleship": "isSea=true movement=2 attack=4 defense=4 canBombard=true bombard=6 hitPoints=2",
    "boat": "isSea=true movement=2 attack=0 defense=0 transportCapacity=5",
    "plane": "isAir=true movement=4 attack=3 defense=4 carrierCost=1",
    "bomber": "isAir=true isStrategicBomber=true movement=6 attack=4 defense=1",
    "mill": "isFactory=true movement=0",
    "gun": "movement=1 attack=0 defense=6",
    "ack": "isAAforCombatOnly=true isInfrastructure=true movement=0 attackAA=1",
    "wolf": "isSea=true isSub=true movement=2 attack=2 defense=2 blockade=2",
    "wall": "isInfrastructure=true movement=0",
}  # fmt: skip
PRICES = {
    "man": 3,
    "tank": 5,
    "sub": 8,
    "can": 12,
    "flattop": 16,
    "boat": 7,
    "plane": 10,
    "bomber": 15,
    "battleship": 24,
    "mill": 15,
}
STEPS = ("Purchase", "CombatMove", "Battle", "NonCombatMove", "Place", "EndTurn")
DELEGATES = {
    "Purchase": "Purchase",
    "CombatMove": "Move",
    "Battle": "Battle",
    "NonCombatMove": "Move",
    "Place": "Place",
    "EndTurn": "EndTurn",
}


def game(
    units: str,
    properties: Mapping[str, Any] | None = None,
    more: str = "",
    owners: Mapping[str, str] | None = None,
) -> str:
    """A game file: land A, B, C, D in a row, sea zones S and T on the coast of A and B, `units` as `PLAYER PLACE UNIT [N]; ...`."""
    properties = {"Use Triggers": True, "Use Politics": True, **(properties or {})}
    stacks = [words.split() for words in units.split(";")]
    used = {words[2] for words in stacks} | set(PRICES)
    owners = {"A": "One", "B": "Two", "C": "Two", "D": "Two", **(owners or {})}
    kinds = "".join(
        f'<attachment name="unitAttachment" attachTo="{name}" javaClass="UnitAttachment" type="unitType">'
        + "".join('<option name="{}" value="{}"/>'.format(*one.split("=")) for one in FIGURES[name].split())
        + "</attachment>"
        for name in FIGURES if name in used
    )  # fmt: skip
    return f"""<game><info name="Probe"/>
<map><territory name="A"/><territory name="B"/><territory name="C"/><territory name="D"/><territory name="S" water="true"/>
<territory name="T" water="true"/><connection t1="A" t2="B"/><connection t1="B" t2="C"/><connection t1="C" t2="D"/>
<connection t1="A" t2="S"/><connection t1="S" t2="T"/><connection t1="S" t2="B"/></map>
<resourceList><resource name="PUs"/></resourceList>
<playerList><player name="One"/><player name="Two"/></playerList>
<unitList>{"".join(f'<unit name="{name}"/>' for name in FIGURES if name in used)}</unitList>
<gamePlay>{"".join(f'<delegate name="{k}" javaClass="{v}Delegate"/>' for k, v in DELEGATES.items())}<sequence>
{"".join(f'<step name="{who.lower()}{step}" delegate="{step}" player="{who}"/>' for who in ("One", "Two") for step in STEPS)}
</sequence></gamePlay>
<production>{"".join(f'<productionRule name="buy{k}"><cost resource="PUs" quantity="{v}"/><result resourceOrUnit="{k}" quantity="1"/></productionRule>' for k, v in PRICES.items())}
<productionFrontier name="p">{"".join(f'<frontierRules name="buy{k}"/>' for k in PRICES)}</productionFrontier>
<playerProduction player="One" frontier="p"/><playerProduction player="Two" frontier="p"/></production>
<attachmentList>{kinds}{"".join(f'<attachment name="territoryAttachment" attachTo="{t}" javaClass="TerritoryAttachment" type="territory"><option name="production" value="4"/></attachment>' for t in "ABCD")}{more}</attachmentList>
<initialize><ownerInitialize>{"".join(f'<territoryOwner territory="{t}" owner="{who}"/>' for t, who in owners.items() if who)}</ownerInitialize>
<unitInitialize>{"".join(f'<unitPlacement unitType="{w[2]}" territory="{w[1]}" quantity="{w[3] if len(w) > 3 else 1}"' + (f' owner="{w[0]}"' if w[0] != "nobody" else "") + "/>" for w in stacks)}</unitInitialize>
<resourceInitialize><resourceGiven player="One" resource="PUs" quantity="60"/><resourceGiven player="Two" resource="PUs" quantity="60"/></resourceInitialize></initialize>
<propertyList>{"".join(f'<property name="{name}" value="{str(value).lower()}" editable="false"/>' for name, value in properties.items())}</propertyList></game>"""


class Table:
    """A game file imported and played by the command line."""

    def __init__(self, folder: Path, text: str | Path) -> None:
        self.folder = folder
        file = text if isinstance(text, Path) else folder / "probe.xml"
        if isinstance(text, str):
            file.write_text(text, encoding="utf-8")
        self.made = import_game(file, folder / "made")
        self.game = folder / "game"

    def begin(self) -> Table:
        assert _run(
            ["new", str(self.made.scenario), "--game", str(self.game), "--all-players", "--seed", "01" * 16]
        ) in (0, None)
        return self

    def order(self, text: str, nation: str = "one") -> int:
        path = self.folder / "orders.txt"
        path.write_text(text, encoding="utf-8")
        return int(_run(["orders", "submit", "--game", str(self.game), "--nation", nation, str(path)]) or 0)

    def resolve(self) -> Any:
        assert _run(["resolve", "--game", str(self.game), "--force"]) in (0, None)
        return self.state

    @property
    def state(self) -> Any:
        return open_game(self.game).stage().position.state

    def at(self, place: str) -> dict[str, int]:
        """What stands in a place, `OWNER KIND: n`."""
        found: dict[str, int] = {}
        for _, row in self.state.stacks():
            if row["place"] == place:
                key = f"{row['owner']} {row['kind']}"
                found[key] = found.get(key, 0) + row["n"]
        return found


@pytest.fixture
def table(tmp_path: Path) -> Any:
    return lambda text: Table(tmp_path, text)


def told(
    made: Table, capsys: pytest.CaptureFixture[str], attackers: str, defenders: str, place: str
) -> tuple[float, float, float]:
    """The project's own odds."""
    capsys.readouterr()
    given = [
        "--attacker",
        f"one: {attackers}",
        "--defender",
        f"two: {defenders}",
        "--place",
        place,
        "--exact",
        "--format",
        "json",
    ]
    assert _run(["odds", "--ruleset", str(made.made.folder), *given]) in (0, None)
    found = json.loads(capsys.readouterr().out)
    return float(found["win"]), float(found["loss"]), 1 - float(found["win"]) - float(found["loss"])


def side(units: Mapping[Kind, int]) -> str:
    return ", ".join(f"{n} {kind.name}" for kind, n in units.items())


V2 = {"WW2V2": True}
SNEAK = {"Defending Subs Sneak Attack": True}
NEED = {"Air Attack Sub Restricted": True}
BARE = {"Transport Casualties Restricted": True}
TWO_HITS = {"Two hit battleship": True}
Battle = tuple[dict[Kind, int], dict[Kind, int]]
GROUND: list[Battle] = [
    ({INFANTRY: 3, TANK: 2}, {INFANTRY: 3}),
    ({INFANTRY: 2}, {INFANTRY: 2}),
    ({TANK: 3}, {INFANTRY: 2, TANK: 1}),
    ({FIGHTER: 2, INFANTRY: 1}, {INFANTRY: 2, FIGHTER: 1}),
    ({BOMBER: 1, TANK: 2}, {TANK: 2}),
]
HUNT: list[Battle] = [
    ({FIGHTER: 2, CARRIER: 1}, {SUB: 2}),
    ({FIGHTER: 2, DESTROYER: 1}, {SUB: 2}),
    ({SUB: 2}, {FIGHTER: 1, CARRIER: 1}),
]
UNDER: list[Battle] = [
    ({CARRIER: 2}, {SUB: 2}),
    ({SUB: 2, DESTROYER: 1}, {SUB: 2, CARRIER: 1}),
    ({SUB: 1, DESTROYER: 1}, {SUB: 2, DESTROYER: 1}),
    ({SUB: 3}, {CARRIER: 1}),
    ({SUB: 2}, {DESTROYER: 1, TRANSPORT: 1}),
]
CONVOY: list[Battle] = [
    ({CARRIER: 1}, {TRANSPORT: 2, CARRIER: 1}),
    ({TRANSPORT: 1, DESTROYER: 1}, {DESTROYER: 1}),
    ({SUB: 1}, {TRANSPORT: 1, DESTROYER: 1}),
]
LINE: list[Battle] = [
    ({BATTLESHIP: 1, DESTROYER: 1}, {BATTLESHIP: 1}),
    ({SUB: 2, DESTROYER: 1}, {BATTLESHIP: 1, SUB: 1}),
    ({FIGHTER: 2}, {BATTLESHIP: 1}),
]
RAID: list[Battle] = [({FIGHTER: 2, INFANTRY: 2}, {INFANTRY: 2}), ({BOMBER: 3, TANK: 1}, {TANK: 1})]
BATTLES: dict[str, tuple[str, dict[str, Any], Rules, list[Battle]]] = {
    "dice on land": ("b", {"Low Luck": False}, Rules(), GROUND),
    "low luck on land": ("b", {"Low Luck": True}, Rules(low_luck=True), GROUND),
    "two rounds on land": ("b", {"Land Battle Rounds": 2}, Rules(rounds=2), GROUND[:3]),
    "support of one": ("b", {}, Rules(support=("tank", "man", 2, 1)), [({INFANTRY: 3, TANK: 1}, {INFANTRY: 2})]),
    "support of two": ("b", {}, Rules(support=("tank", "man", 2, 2)), [({INFANTRY: 3, TANK: 1}, {INFANTRY: 2})]),
    "guns": ("b", {}, Rules(guns=1), RAID),
    "guns in low luck": ("b", {"Low Luck": True}, Rules(guns=1, low_luck=True), RAID),
    "no property: submarines of the defenders fire with the rest": ("t", {}, Rules(), UNDER + HUNT + CONVOY),
    "low luck at sea": ("t", {"Low Luck": True}, Rules(low_luck=True), UNDER + HUNT),
    "second edition: they strike first": ("t", V2, Rules(ww2v2=True), UNDER + HUNT[2:]),
    "defenders sneak, if no destroyer sees them": ("t", SNEAK, Rules(defending_subs_sneak=True), UNDER),
    "aircraft need destroyers": ("t", NEED, Rules(air_attack_sub_restricted=True), HUNT),
    "transports are lost with their escort": ("t", BARE, Rules(transport_casualties_restricted=True), CONVOY),
    "battleships that two hits sink": ("t", TWO_HITS, Rules(), LINE),
    "the same in low luck": ("t", {**TWO_HITS, "Low Luck": True}, Rules(low_luck=True), LINE),
    "the same of defenders that sneak": ("t", {**TWO_HITS, **SNEAK}, Rules(defending_subs_sneak=True), LINE),
    "second edition, aircraft need destroyers": ("t", {**V2, **NEED}, Rules(ww2v2=True, air_attack_sub_restricted=True), HUNT),
    "second edition in low luck": ("t", {**V2, "Low Luck": True}, Rules(ww2v2=True, low_luck=True), UNDER[:3]),
    "second edition, two hits": ("t", {**V2, **TWO_HITS}, Rules(ww2v2=True), LINE),
    "second edition, transports are lost": ("t", {**V2, **BARE}, Rules(ww2v2=True, transport_casualties_restricted=True), CONVOY),
    "defenders sneak, aircraft need destroyers": (
        "t", {**SNEAK, **NEED}, Rules(defending_subs_sneak=True, air_attack_sub_restricted=True), [*HUNT, *UNDER[:2]],
    ),
    "defenders sneak past lone transports": (
        "t", {**SNEAK, **BARE}, Rules(defending_subs_sneak=True, transport_casualties_restricted=True), [*CONVOY, UNDER[4]],
    ),
    "aircraft need destroyers in low luck": (
        "t", {**NEED, "Low Luck": True}, Rules(air_attack_sub_restricted=True, low_luck=True), HUNT,
    ),
    "all that submarines and transports have, in low luck": (
        "t", {**SNEAK, **NEED, **BARE, **TWO_HITS, "Low Luck": True},
        Rules(defending_subs_sneak=True, air_attack_sub_restricted=True, transport_casualties_restricted=True, low_luck=True),
        [*HUNT, *CONVOY, LINE[1]],
    ),
    "transports are lost after two rounds": (
        "t", {**BARE, "Sea Battle Rounds": 2}, Rules(transport_casualties_restricted=True, rounds=2),
        [CONVOY[0], CONVOY[2]],  # those of attackers, who may still withdraw, stay
    ),
    "two hits and two rounds": ("t", {**TWO_HITS, "Sea Battle Rounds": 2}, Rules(rounds=2), LINE[:2]),
    "support in low luck": (
        "b", {"Low Luck": True}, Rules(support=("tank", "man", 2, 2), low_luck=True), [({INFANTRY: 3, TANK: 1}, {INFANTRY: 2})],
    ),
    "support and guns": (
        "b", {}, Rules(support=("tank", "man", 1, 1), guns=2), [({INFANTRY: 2, TANK: 1, FIGHTER: 1}, {INFANTRY: 3})],
    ),
    "guns and two rounds in low luck": (
        "b", {"Low Luck": True, "Land Battle Rounds": 2}, Rules(guns=1, low_luck=True, rounds=2), RAID,
    ),
    "three rounds at sea": ("t", {"Sea Battle Rounds": 3}, Rules(rounds=3), UNDER[1:3]),
}  # fmt: skip


GUNS = '<attachment name="unitAttachmentGuns" attachTo="ack" javaClass="UnitAttachment" type="unitType"><option name="attackAA" value="{}"/></attachment>'


@pytest.mark.parametrize("name", BATTLES)
def test_odds_are_those_of_the_reckoner(name: str, table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    place, properties, rules, battles = BATTLES[name]
    kinds = {kind for battle in battles for one in battle for kind in one}
    units = ";".join(
        f"One {'S' if kind in SHIPS else 'A'} {kind.name} 3" for kind in sorted(kinds, key=lambda k: k.name)
    )
    more, beside = "", ""
    if rules.support is not None:
        giver, taker, bonus, number = rules.support
        values = {
            "unitType": taker,
            "faction": "allied",
            "side": "offence",
            "dice": "strength",
            "bonus": bonus,
            "number": number,
        }
        told_ = "".join(f'<option name="{name}" value="{value}"/>' for name, value in values.items())
        more = f'<attachment name="supportAttachmentX" attachTo="{giver}" javaClass="UnitSupportAttachment" type="unitType">{told_}</attachment>'
    if rules.guns:
        units, beside = f"{units};Two B ack", ", 1 ack"
        more += GUNS.format(rules.guns)
    made = table(game(units, properties, more))
    for attackers, defenders in battles:
        ours = told(made, capsys, side(attackers), side(defenders) + beside, place)
        right = odds(attackers, defenders, rules)
        assert ours == pytest.approx(right, abs=0.001), (side(attackers), side(defenders))


@pytest.mark.parametrize("value", [True, False])
def test_a_battle_of_low_luck_is_audited(value: bool, table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Four tanks at 3 are two sure hits: they are told, and nobody is lost whom nobody hit."""
    made = table(game("One A tank 4; Two B man 2", {"Low Luck": value})).begin()
    assert made.order("move 4 tank from A to B: withdraw after 1 round\n") == 0
    made.resolve()
    if value:
        assert made.at("b").get("two man", 0) == 0
    capsys.readouterr()
    assert _run(["audit", str(made.game)]) in (0, None), capsys.readouterr().out


# ---- files that went wrong once


@pytest.mark.parametrize("file", sorted(SMALL.glob("*.xml")), ids=lambda f: f.stem)
def test_small_files_are_imported_and_valid(file: Path, tmp_path: Path) -> None:
    made = import_game(file, tmp_path / "made")
    ruleset, found = load_ruleset(made.folder)
    assert ruleset is not None and not found
    start = yaml.safe_load(made.scenario.read_text(encoding="utf-8"))
    assert start["units"]


def test_a_trigger_that_is_switched_off_is_told(table: Any) -> None:
    made = table(SMALL / "w601-switch-off.xml")
    assert [
        line
        for line in made.made.left
        if line.startswith("w601-switch-off.xml:14: cosmetic: ") and "Gift" in line
    ]
    assert not (made.made.folder / "events" / "triggers.yaml").exists()


def test_a_property_of_the_host_is_an_option(table: Any) -> None:
    made = table(SMALL / "w601-property-off.xml")
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None
    assert ruleset.rows("options")["bonus"]["default"] is False
    assert "option('bonus')" in next(iter(ruleset.rows("events").values()))["when"]


def test_each_player_has_his_own_action(table: Any) -> None:
    made = table(SMALL / "w611-politics-of-two-players.xml").begin()
    assert made.order("act war with three\n") == 0
    assert made.resolve().get("relations", "one--three", "stance") == "w-relation"


def test_kinds_are_told_apart(table: Any) -> None:
    made = table(SMALL / "w611-kind-is-plural-of-another.xml").begin()
    assert made.order("move 1 ship from A to B\nmove 1 ships from A to B\n") == 0


def test_a_price_in_another_resource(table: Any) -> None:
    made = table(SMALL / "e402-other-resource.xml")
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None
    assert (
        ruleset.rows("production")["man"]["uses"] == {"silver": 5}
        and ruleset.rows("production")["man"]["price"] == "=0"
    )


def test_a_gift_to_a_territory_that_is_called_like_a_player(table: Any) -> None:
    made = table(SMALL / "e307-territory-named-like-player.xml").begin()
    made.resolve()
    assert made.at("one") == {"one man": 1}


def test_a_place_that_is_called_by_digits(table: Any) -> None:
    text = game("One A man; Two C man").replace('"A"', '"0119"').replace("One A ", "One 0119 ")
    made = table(text.replace('territory="A"', 'territory="0119"')).begin()
    assert made.order("move 1 man from 0119 to B\n") == 0
    made.resolve()
    assert made.at("b") == {"one man": 1}


def test_an_old_file_says_true_of_a_victory_city(table: Any) -> None:
    made = table(SMALL / "e403-victory-city-true.xml")
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None and ruleset.rows("places")["a"]["victory_city"] == 1


LANDING = "ship 1 man from A to B with 1 boat in S\nbombard with 1 ship from S\n"


@pytest.mark.parametrize("file", ["one-sea-zone-no-moves.xml", "shore-casualties-fire-back.xml"])
def test_whoever_is_bombarded_fires_no_more(file: str, table: Any) -> None:
    made = table(SMALL / file).begin()
    assert made.order(LANDING) == 0
    made.resolve()
    assert made.at("b") == {"one man": 1}


# ---- properties in play


@pytest.mark.parametrize("value", [True, False])
def test_bombarded_units_may_return_fire(value: bool, table: Any) -> None:
    made = table(
        game(
            "One A man; One S battleship; One S boat; Two B gun",
            {"Naval Bombard Casualties Return Fire": value},
        )
    ).begin()
    assert made.order("ship 1 man from A to B with 1 boat in S\nbombard with 1 battleship from S\n") == 0
    made.resolve()
    assert made.at("b") == ({} if value else {"one man": 1}), (
        "the gun is hit for certain, and hits for certain"
    )


@pytest.mark.parametrize(("value", "hits"), [(True, 2), (False, 1), (None, 1)])
def test_battleships_are_hit_as_often_as_the_property_says(value: bool | None, hits: int, table: Any) -> None:
    made = table(game("One S battleship", {} if value is None else {"Two hit battleship": value}))
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None and ruleset.rows("units")["battleship"].get("hits", 1) == hits


@pytest.mark.parametrize("name", ["Blitz Through Factories And AA Restricted", "WW2V2"])
@pytest.mark.parametrize("value", [True, False])
def test_works_stop_a_blitz(name: str, value: bool, table: Any) -> None:
    made = table(game("One A tank; Two B mill; Two D man", {name: value})).begin()
    assert (made.order("move 1 tank from A to C via B\n") == 0) is not value


@pytest.mark.parametrize("value", [True, False])
def test_neutral_land_stops_a_blitz(value: bool, table: Any) -> None:
    made = table(game("One A tank; Two D man", {"Neutrals Are Blitzable": value}, owners={"B": ""})).begin()
    assert (made.order("move 1 tank from A to C via B\n") == 0) is value


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(
    ("name", "kind"), [("Ignore Sub In Movement", "sub"), ("Ignore Transport In Movement", "boat")]
)
def test_who_stops_ships(name: str, kind: str, value: bool, table: Any) -> None:
    text = game(f"One S can; Two T {kind}", {name: value}).replace(
        '<connection t1="S" t2="T"/>', '<connection t1="S" t2="T"/><connection t1="T" t2="U"/>'
    ).replace('<territory name="T" water="true"/>', '<territory name="T" water="true"/><territory name="U" water="true"/>')  # fmt: skip
    made = table(text).begin()
    assert (made.order("sail 1 can from S to U via T on transit\n") == 0) is value


@pytest.mark.parametrize(
    ("properties", "placed"), [({}, False), ({"Unit Placement In Enemy Seas": True}, True), (V2, True)]
)
def test_ships_appear_among_enemies(properties: dict[str, Any], placed: bool, table: Any) -> None:
    made = table(game("One A mill; Two S sub; One A man", properties)).begin()
    made.order("buy 1 can in A\n")
    made.resolve()
    assert ("one can" in made.at("s")) is placed


@pytest.mark.parametrize(
    ("properties", "ship", "loads"),
    [
        ({}, "can", False),
        ({"Units Can Load In Hostile Sea Zones": True}, "can", True),
        ({}, "boat", False),
        ({"Ignore Transport In Movement": True}, "boat", True),
    ],
)
def test_troops_come_aboard_among_enemies(
    properties: dict[str, Any], ship: str, loads: bool, table: Any
) -> None:
    """Absent means no; ships that bar nobody's way do not count, and a zone without enemies is open."""
    made = table(game(f"One S boat; One A man 2; Two S {ship}; Two D man", properties)).begin()
    assert (made.order("ship 1 man from A to B with 1 boat in S\n") == 0) is loads


def test_troops_come_aboard_where_no_enemy_is(table: Any) -> None:
    made = table(game("One S boat; One A man 2; Two T can; Two D man")).begin()
    assert made.order("ship 1 man from A to B with 1 boat in S\n") == 0
    made.resolve()
    assert made.at("b") == {"one man": 1}


@pytest.mark.parametrize(
    ("properties", "start", "bought", "aboard"),
    [
        ({}, "One S flattop", "2 plane", 2),
        ({}, "One S flattop", "3 plane", 0),
        ({}, "One S flattop; One S plane", "1 plane", 1),
        ({}, "One S flattop; One S plane 2", "1 plane", 0),
        ({}, "One S can", "1 plane", 0),
        ({}, "One S can", "1 flattop, 1 plane", 0),
        ({"Produce fighters on carriers": True}, "One S can", "1 flattop, 2 plane", 2),
        ({"LHTR Carrier production rules": True}, "One S can", "1 flattop, 1 plane", 1),
        ({"Produce fighters on carriers": True}, "One S can", "1 flattop, 3 plane", 0),
        ({"Produce fighters on carriers": True}, "One S can", "1 plane", 0),
        ({}, "One S flattop; Two S sub", "1 plane", 0),
    ],
)  # fmt: skip
def test_aircraft_appear_on_carriers(
    properties: dict[str, Any], start: str, bought: str, aboard: int, table: Any
) -> None:
    """On those that lie there, and on new ones of the same turn only if a property says so."""
    made = table(game(f"One A mill; One A man; {start}", properties)).begin()
    before = made.at("s").get("one plane", 0)
    made.order("".join(f"buy {what} in S\n" for what in bought.split(", ")))
    made.resolve()
    assert made.at("s").get("one plane", 0) - before == aboard


def test_aircraft_appear_on_land_as_before(table: Any) -> None:
    made = table(game("One A mill; One A man; One S flattop")).begin()
    assert made.order("buy 1 plane in A\n") == 0
    made.resolve()
    assert made.at("a")["one plane"] == 1


@pytest.mark.parametrize(("n", "built"), [(1, 1), (2, 2)])
def test_factories_in_one_territory(n: int, built: int, table: Any) -> None:
    """One stands there: a second is built only if two may be."""
    made = table(game("One A mill; One A man", {"maxFactoriesPerTerritory": n})).begin()
    made.order("buy 1 mill in A\n")
    made.resolve()
    assert made.at("a")["one mill"] == built


@pytest.mark.parametrize(
    ("properties", "cost"),
    [({}, (1, 6)), ({"WW2V2": True}, (1, 4)), ({"Territory Turn Limit": True}, (1, 4))],
)
def test_raids_cost_what_the_bombs_say(properties: dict[str, Any], cost: tuple[int, int], table: Any) -> None:
    made = table(game("One A bomber; Two B mill; Two C man; One A man", properties)).begin()
    assert made.order("bomb B with 1 bomber from A\n") == 0
    lost = 60 - made.resolve().get("treasuries", "two", "pus", 0)
    assert cost[0] <= lost <= cost[1]
    assert not made.state.get("places", "b", "bomb_damage", 0) or "Territory Turn Limit" in properties


def test_raids_damage_works_if_the_property_says_so(table: Any) -> None:
    made = table(
        game(
            "One A bomber; Two B mill; Two C man; One A man",
            {"Damage From Bombing Done To Units Instead Of Territories": True},
        )
    ).begin()
    assert made.order("bomb B with 1 bomber from A\n") == 0
    state = made.resolve()
    assert (
        state.get("treasuries", "two", "pus", 0) == 60 and 1 <= state.get("places", "b", "bomb_damage") <= 6
    )


@pytest.mark.parametrize(("place", "taken"), [("B", 120), ("C", 60)])
def test_a_treasury_falls_with_the_capital(place: str, taken: int, table: Any) -> None:
    capital = f'<attachment name="territoryAttachment" attachTo="{place}" javaClass="TerritoryAttachment" type="territory"><option name="capital" value="Two"/></attachment>'
    made = table(game("One A man; Two D man", more=capital)).begin()
    assert made.order("move 1 man from A to B\n") == 0
    state = made.resolve()
    assert (state.get("treasuries", "one", "pus", 0) - 4, state.get("treasuries", "two", "pus", 0)) in {
        (taken, 120 - taken),
        (taken + 4, 120 - taken),
    }


GIFT = """<attachment name="conditionAttachmentFirst" attachTo="One" javaClass="RulesAttachment" type="player"><option name="rounds" value="1"/></attachment>
<attachment name="triggerAttachmentGift" attachTo="One" javaClass="TriggerAttachment" type="player"><option name="conditions" value="conditionAttachmentFirst"/>{}<option name="when" value="before:onePurchase"/></attachment>"""


def test_a_trigger_gives_units_into_the_hand(table: Any) -> None:
    made = table(
        game("One A mill; One A man", more=GIFT.format('<option name="purchase" value="tank" count="2"/>'))
    ).begin()
    assert made.order("place 2 tank in A\n") in (0, 1)
    made.resolve()
    held = [row for row in made.state.table("under_way").values() if row.get("n") == 2]
    assert held or made.at("a").get("one tank") == 2


def test_a_trigger_brings_another_frontier_into_force(table: Any) -> None:
    text = game("One A mill; One A man", more=GIFT.format('<option name="frontier" value="late"/>')).replace(
        '<playerProduction player="One"',
        '<productionFrontier name="late"><frontierRules name="buytank"/></productionFrontier><playerProduction player="One"',
    )
    made = table(text).begin()
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None
    tests = {item: row["requires"][0]["test"] for item, row in ruleset.rows("production").items()}
    assert (
        "not flagged(self, 'buys-otherwise')" in tests["man"]
        and "flagged(self, 'buys-by-late') or " in tests["tank"]
    )
    made.order("buy 1 man in A\nbuy 1 tank in A\n")
    made.resolve()
    assert made.at("a").get("one man") == 1 and made.at("a").get("one tank") == 1, (
        "what is bought after it came into force"
    )


@pytest.mark.parametrize(
    ("point", "uses", "paid"),
    [("after:oneCombatMove", "", 10), ("after:oneNowhere", "", 5), ("after:oneCombatMove", "1", 5)],
)
def test_a_trigger_fires_at_each_of_its_points(point: str, uses: str, paid: int, table: Any) -> None:
    """A point that is no step of the game is none; what may fire once fires at the first."""
    options = {"resource": "PUs", "resourceCount": "5", "when": point, "uses": uses}
    told_ = "".join(f'<option name="{name}" value="{value}"/>' for name, value in options.items() if value)
    made = table(game("One A man", more=GIFT.format(told_))).begin()
    before = made.state.get("treasuries", "one", "pus", 0)
    made.resolve()
    assert made.state.get("treasuries", "one", "pus", 0) - before == paid + 4, "four come in besides"


@pytest.mark.parametrize(
    ("change", "sold"),
    [
        ("", {"man": False, "tank": True}),
        ("late:buyman", {"man": True, "tank": True}),
        ("late:-buytank", {"man": False, "tank": False}),
        ("p:buyman", {"man": False, "tank": True}),
        ("p:-buytank", {"man": False, "tank": True}),
    ],
)
def test_a_trigger_changes_one_frontier_of_several(change: str, sold: dict[str, bool], table: Any) -> None:
    """What is opened or closed in a frontier counts while that frontier is in force, and in it alone."""
    also = f'<option name="productionRule" value="{change}"/>' if change else ""
    text = game(
        "One A mill; One A man; Two C mill",
        more=GIFT.format(f'<option name="frontier" value="late"/>{also}'),
    ).replace(
        '<playerProduction player="One"',
        '<productionFrontier name="late"><frontierRules name="buytank"/></productionFrontier><playerProduction player="One"',
    )
    made = table(text).begin()
    assert not [line for line in made.made.left if "productionRule" in line]
    made.resolve()
    made.resolve()
    for kind, there in sold.items():
        assert (made.order(f"buy 1 {kind} in A\n") == 0) is there, kind


@pytest.mark.parametrize(
    ("condition", "fires"),
    [
        ('<option name="directOwnershipTerritories" value="A:B"/><option name="players" value="One:Two"/>', True),
        ('<option name="directOwnershipTerritories" value="A:B"/>', False),
        ('<option name="directPresenceTerritories" value="A:D"/><option name="players" value="One:Two"/>', True),
        ('<option name="directPresenceTerritories" value="A:C"/><option name="players" value="One:Two"/>', False),
        ('<option name="directPresenceTerritories" value="A"/><option name="unitPresence" value="man" count="2"/><option name="players" value="One:Two"/>', False),
    ],
)  # fmt: skip
def test_conditions_of_several_players_together(condition: str, fires: bool, table: Any) -> None:
    gift = GIFT.format('<option name="placement" value="A:tank" count="1"/>').replace(
        '<option name="rounds" value="1"/>', condition
    )
    made = table(game("One A man; Two D man", more=gift)).begin()
    made.resolve()
    assert ("one tank" in made.at("a")) is fires


@pytest.mark.parametrize(("charge", "owner", "paid"), [(3, "", 3), (0, "", 0), (3, "Two", 0)])
def test_neutral_land_costs_its_charge(charge: int, owner: str, paid: int, table: Any) -> None:
    made = table(game("One A man; Two D man", {"neutralCharge": charge}, owners={"B": owner})).begin()
    assert made.order("move 1 man from A to B\n") == 0
    assert made.resolve().get("treasuries", "one", "pus", 0) == 60 - paid + 8
    assert made.state.get("places", "b", "holder") == "one" or made.at("b")


AMPHIBIOUS = "move 2 man from A to B: withdraw after 1 round\nship 1 man from A to B with 1 boat in S: withdraw after 1 round\n"


@pytest.mark.parametrize(("properties", "back"), [({}, 0), ({"Partial Amphibious Retreat": True}, 2)])
def test_who_came_over_land_leaves_a_landing(properties: dict[str, Any], back: int, table: Any) -> None:
    """The defenders cannot hit, and cannot be hit soon: 12 walls of 1 hit each against three men who hit at 1."""
    made = table(game("One A man 3; One S boat; Two B keep 12", properties)).begin()
    assert made.order(AMPHIBIOUS) == 0
    made.resolve()
    assert made.at("a").get("one man", 0) == back


FIGURES["keep"] = "movement=1 attack=0 defense=0"


# ---- guns, marines, bases and rockets

FIGURES["battery"] = "isAAforCombatOnly=true isInfrastructure=true movement=0 attackAA=6"
FIGURES["armed-mill"] = "isFactory=true isAAforBombingThisUnitOnly=true movement=0 attackAA=6"
FIGURES["marine"] = "movement=1 transportCost=2 attack=1 defense=1 isMarine=5"
FIGURES["base"] = "isInfrastructure=true movement=0 givesMovement=1:can"
FIGURES["launcher"] = "isAA=true movement=1"
FIGURES["slab"] = "movement=1 attack=0 defense=0"


@pytest.mark.parametrize(("guns", "bombed"), [("armed-mill", False), ("mill", True)])
def test_guns_of_a_factory_fire_at_raiders(guns: str, bombed: bool, table: Any) -> None:
    """They hit at 6 of 6: whoever comes to bomb is shot down, and nothing is lost."""
    made = table(game(f"One A bomber; Two B {guns}; Two B battery; Two C man; One A man")).begin()
    assert made.order("bomb B with 1 bomber from A\n") == 0
    state = made.resolve()
    assert (state.get("treasuries", "two", "pus", 0) < 60) is bombed
    assert (made.at("a").get("one bomber", 0) == 1) is bombed, "the battery fires in battles alone"


@pytest.mark.parametrize(("gun", "left"), [("battery", 0), ("armed-mill", 1)])
def test_guns_of_a_factory_hold_their_fire_in_battles(gun: str, left: int, table: Any) -> None:
    made = table(game(f"One A plane; One A man; Two B {gun}; Two B slab; Two C man")).begin()
    assert made.order("fly 1 plane from A to B\nawait the battles\n") == 0
    made.resolve()
    assert sum(n for place in "abst" for name, n in made.at(place).items() if name == "one plane") == left


@pytest.mark.parametrize(
    ("order", "taken"),
    [
        ("ship 1 marine from A to B with 1 boat in S", True),
        ("move 1 marine from A to B: withdraw after 1 round", False),
    ],
)
def test_marines_fight_better_in_a_landing(order: str, taken: bool, table: Any) -> None:
    """1 and 5 more are 6 of 6; over land a slab stands five times of six, and with this seed."""
    made = table(game("One A marine; One S boat; Two B slab; Two C man")).begin()
    assert made.order(order + "\n") == 0
    made.resolve()
    assert (made.state.get("places", "b", "holder") == "one") is taken


FARTHER = (
    '<territory name="T" water="true"/><territory name="U" water="true"/><territory name="V" water="true"/>',
    '<connection t1="S" t2="T"/><connection t1="T" t2="U"/><connection t1="U" t2="V"/>',
)


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(
    ("base", "near"), [("One A base", True), ("One C base", False), ("Two A base", False)]
)
def test_ships_sail_farther_from_a_base(value: bool, base: str, near: bool, table: Any) -> None:
    """Three zones with 2 of movement: only from where a base of friends lies ashore."""
    text = game(f"One S can; {base}; Two D man", {"Units May Give Bonus Movement": value})
    text = text.replace('<territory name="T" water="true"/>', FARTHER[0]).replace(
        '<connection t1="S" t2="T"/>', FARTHER[1]
    )
    made = table(text).begin()
    assert (made.order("sail 1 can from S to V via T, U on transit\n") == 0) is (value and near)


ROCKETS = """<attachment name="techAttachment" attachTo="One" javaClass="TechAttachment" type="player"><option name="rocket" value="{}"/></attachment>"""


def rockets(units: str, properties: Mapping[str, Any], known: bool = True) -> str:
    return game(units, properties, more=ROCKETS.format(str(known).lower())).replace(
        "<attachmentList>",
        '<technology><technologies><techname name="rocket"/></technologies></technology><attachmentList>',
    )


@pytest.mark.parametrize(
    ("known", "order", "fired"),
    [
        (True, "rocket D from A", 1),
        (False, "rocket D from A", 0),
        (True, "rocket D from B", 0),
        (True, "rocket C from A", 0),
    ],
)
def test_rockets_strike_a_factory_in_reach(known: bool, order: str, fired: int, table: Any) -> None:
    """Three steps are far enough; what strikes is a gun of one's own, what is struck a factory of an enemy."""
    made = table(rockets("One A launcher; Two D mill; Two C man", {}, known)).begin()
    assert (made.order(order + "\n") == 0) is bool(fired)
    lost = 60 - made.resolve().get("treasuries", "two", "pus", 0)
    assert fired <= lost <= 6 * fired


@pytest.mark.parametrize(("properties", "struck"), [({}, 1), ({"All Rockets Attack": True}, 2), (V2, 2)])
def test_how_many_rockets_are_fired(properties: dict[str, Any], struck: int, table: Any) -> None:
    """One of a player in a turn, or one of every place; two of the enemy's factories are in reach of two."""
    text = rockets("One A launcher; One B launcher; Two C mill; Two D mill; Two D man", properties).replace(
        '<territoryOwner territory="B" owner="Two"/>', '<territoryOwner territory="B" owner="One"/>'
    )
    made = table(text).begin()
    made.order("rocket C from A\nrocket D from B\n")
    state = made.resolve()
    lost = 60 - state.get("treasuries", "two", "pus", 0)
    assert struck <= lost <= (4 if properties == V2 else 6) * struck, (
        "no more than the territory brings, in the second edition"
    )


@pytest.mark.parametrize("value", [True, False])
def test_submarines_end_their_way_among_enemies(value: bool, table: Any) -> None:
    made = table(
        game("One S sub; Two T can; Two D man", {"Subs Can End NonCombat Move With Enemies": value})
    ).begin()
    assert (made.order("cruise 1 sub from S to T\n") == 0) is value


@pytest.mark.parametrize("name", ["isImpassible", "IsImpassable", "isImpassable"])
def test_older_names_mean_what_they_are_called_today(name: str, table: Any) -> None:
    closed = f'<attachment name="territoryAttachment" attachTo="D" javaClass="TerritoryAttachment" type="territory"><option name="{name}" value="true"/></attachment>'
    made = table(game("One A man; Two C man", more=closed))
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None and ruleset.rows("places")["d"]["impassable"] is True


def test_nobody_is_lost_for_a_tag_that_no_rule_asks_for(table: Any) -> None:
    """On a map without a sea transports and whoever they carry are as other units are."""
    text = game("One A man 3; Two B tank 2; Two C boat").replace(' water="true"', "")
    made = table(text)
    ruleset, found = load_ruleset(made.made.folder)
    assert ruleset is not None and not found and {"man", "tank", "boat"} <= set(ruleset.rows("units"))
    assert {(row["at"], kind): n for row in yaml.safe_load(made.made.scenario.read_text(encoding="utf-8"))["units"] for kind, n in row["units"].items()} == {("a", "man"): 3, ("b", "tank"): 2, ("c", "boat"): 1}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "properties", "passes"),
    [
        ("sub", {"Submersible Subs": True}, True),
        ("sub", {}, False),
        ("wreck", {}, True),
        ("can", {"Submersible Subs": True}, False),
    ],
)
def test_who_passes_enemy_ships(kind: str, properties: dict[str, Any], passes: bool, table: Any) -> None:
    text = game(f"One S {kind}; Two T can", properties)
    text = text.replace('<territory name="T" water="true"/>', FARTHER[0]).replace(
        '<connection t1="S" t2="T"/>', FARTHER[1]
    )
    made = table(text).begin()
    assert (made.order(f"sail 1 {kind} from S to U via T on transit\n") == 0) is passes


FIGURES["wreck"] = (
    "isSea=true movement=2 attack=1 defense=1 canMoveThroughEnemies=true canBeMovedThroughByEnemies=true"
)


def test_who_lets_enemy_ships_pass(table: Any) -> None:
    text = game("One S can; Two T wreck")
    text = text.replace('<territory name="T" water="true"/>', FARTHER[0]).replace(
        '<connection t1="S" t2="T"/>', FARTHER[1]
    )
    assert table(text).begin().order("sail 1 can from S to U via T on transit\n") == 0


# ---- one case a property


FIGURES["pilot"] = "isAir=true movement=4 attack=0 defense=0"
FIGURES["flak"] = "isAA=true movement=1 attackAA=1"
FIGURES["lancaster"] = (
    "isAir=true isStrategicBomber=true movement=6 attack=4 defense=1 bombingMaxDieSides=1 bombingBonus=2"
)
FIGURES["hammer"] = "isSea=true movement=2 attack=6 defense=6"
FIGURES["homebody"] = "movement=1 attack=1 defense=1 unitPlacementRestrictions=A"
FIGURES["elite"] = "movement=1 attack=1 defense=1 maxBuiltPerPlayer=1"


@pytest.mark.parametrize(("value", "planes"), [(6, 5), (3, None)])
def test_low_luck_of_guns(value: int, planes: int | None, table: Any) -> None:
    """Six shots at 1 are six of six: one hit; three are half a hit, for which a die is rolled."""
    made = table(
        game(f"One A pilot {value}; Two B flak; Two B slab; Two C man", {"Low Luck for AntiAircraft": True})
    ).begin()
    assert made.order(f"fly {value} pilot from A to B: withdraw after 1 round\n") == 0
    made.resolve()
    left = sum(n for place in "abcdst" for name, n in made.at(place).items() if name == "one pilot")
    assert left == planes if planes is not None else left in (2, 3)


@pytest.mark.parametrize(("name", "battle"), [("Land Battle Rounds", "land"), ("Sea Battle Rounds", "sea")])
@pytest.mark.parametrize(("n", "most"), [(2, 2), (-1, None), (None, None)])
def test_battles_last_as_long_as_the_property_says(
    name: str, battle: str, n: int | None, most: int | None, table: Any
) -> None:
    made = table(game("One A man; One S can; Two B man", {} if n is None else {name: n}))
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None and ruleset.rows("battles")[battle].get("most_rounds") == most


@pytest.mark.parametrize(
    ("properties", "home"), [({}, False), ({"Attacker Retreat Planes": True}, True), (V2, True)]
)
def test_aircraft_leave_a_landing(properties: dict[str, Any], home: bool, table: Any) -> None:
    """Two guns hit for certain every round, the men first: an aircraft that may not leave after one is lost after two."""
    made = table(
        game("One A man 3; One A plane; One S boat 2; Two B gun 2; Two B keep 12", properties)
    ).begin()
    orders = "ship 3 man from A to B with 2 boat in S\nfly 1 plane from A to B: withdraw after 1 round\n"
    assert made.order(orders) == 0
    made.resolve()
    assert (made.at("a").get("one plane", 0) == 1) is home


@pytest.mark.parametrize("name", ["Submersible Subs", "Sub Retreat Before Battle", None])
@pytest.mark.parametrize("hunter", [False, True])
def test_submarines_dive(name: str | None, hunter: bool, table: Any) -> None:
    """In the enemy's next turn ships that hit for certain sink them, unless they dive first; a destroyer sees them all the same."""
    made = table(
        game(
            f"One S hammer{'; One S can' if hunter else ''}; Two T sub; Two D man",
            {name: True} if name else {},
        )
    ).begin()
    made.resolve()
    assert (made.order("dive in T\n", "two") == 0) is (name is not None)
    made.resolve()
    made.order(
        "sail 1 hammer from S to T on attack\n" + ("sail 1 can from S to T on attack\n" if hunter else "")
    )
    made.resolve()
    assert any(who.startswith("two sub") for who in made.at("t")) is (name is not None and not hunter)


@pytest.mark.parametrize(
    ("properties", "least", "most"), [({}, 1, 6), ({"Use Bombing Max Dice Sides And Bonus": True}, 3, 3)]
)
def test_bombs_have_the_dice_of_their_unit(
    properties: dict[str, Any], least: int, most: int, table: Any
) -> None:
    made = table(game("One A lancaster; Two B mill; Two C man; One A man", properties)).begin()
    assert made.order("bomb B with 1 lancaster from A\n") == 0
    assert least <= 60 - made.resolve().get("treasuries", "two", "pus", 0) <= most


@pytest.mark.parametrize(
    ("properties", "most"),
    [
        ({}, 6),
        ({"Limit SBR Damage To Factory Production": True}, 4),
        ({"Limit SBR Damage Per Turn": True}, 4),
    ],
)
def test_two_bombers_cost_no_more_than_the_property_says(
    properties: dict[str, Any], most: int, table: Any
) -> None:
    made = table(game("One A bomber 2; Two B mill; Two C man; One A man", properties)).begin()
    assert made.order("bomb B with 2 bomber from A\n") == 0
    lost = 60 - made.resolve().get("treasuries", "two", "pus", 0)
    each = 1 if "Limit SBR Damage Per Turn" in properties else 2
    assert 2 <= lost <= most * each


@pytest.mark.parametrize(
    ("properties", "enters"),
    [({}, True), ({"Neutrals Are Impassable": True}, False), ({"neutralCharge": 9999999}, False)],
)
def test_neutral_land_is_closed(properties: dict[str, Any], enters: bool, table: Any) -> None:
    made = table(game("One A man; Two D man", properties, owners={"B": ""})).begin()
    assert (made.order("move 1 man from A to B\n") == 0) is enters


@pytest.mark.parametrize(
    ("gun", "properties", "left"),
    [
        ("isAA=true", {}, 5),
        ("isAA=true", {"AA Territory Restricted": True}, 6),
        ("isAA=true", {"AA Territory Restricted": True, "Always on AA": True}, 5),
        ("isAAforFlyOverOnly=true", {}, 5),
        ("isAAforCombatOnly=true", {}, 6),
        ("isAA=true attackAA=2", {}, 4),
        ("isAA=true attackAA=2 maxAAattacks=3", {}, 5),
    ],
)
def test_guns_fire_at_aircraft_that_pass(gun: str, properties: dict[str, Any], left: int, table: Any) -> None:
    """One die at each of six: low luck makes a hit of them at 1, two at 2, one of three dice at 2."""
    options = "".join(f'<option name="{o.split("=")[0]}" value="{o.split("=")[1]}"/>' for o in gun.split())
    text = game(
        "One A plane 6; One A man; Two B wall; Two C mill", {**properties, "Low Luck for AntiAircraft": True}
    )
    made = table(
        text.replace(
            'attachTo="wall" javaClass="UnitAttachment" type="unitType">',
            f'attachTo="wall" javaClass="UnitAttachment" type="unitType">{options}',
        )
    ).begin()
    assert made.order("fly 6 planes from A to C via B\n") == 0
    made.resolve()
    assert sum(row["n"] for _, row in made.state.stacks() if row["kind"] == "plane") == left


def test_guns_hold_their_fire_at_aircraft_that_do_not_pass(table: Any) -> None:
    text = game(
        "One A plane 6; One A man; One B wall; Two C mill",
        {"Low Luck for AntiAircraft": True},
        owners={"B": "One"},
    )
    made = table(
        text.replace(
            'attachTo="wall" javaClass="UnitAttachment" type="unitType">',
            'attachTo="wall" javaClass="UnitAttachment" type="unitType"><option name="isAA" value="true"/>',
        )
    ).begin()
    assert made.order("fly 6 planes from A to C via B\n") == 0
    made.resolve()
    assert sum(row["n"] for _, row in made.state.stacks() if row["kind"] == "plane") == 6


@pytest.mark.parametrize("value", [True, False])
def test_units_are_placed_where_they_may(value: bool, table: Any) -> None:
    text = game("One A mill; One A homebody", {"Unit Placement Restrictions": value}).replace(
        '<productionFrontier name="p">',
        '<productionRule name="buyhome"><cost resource="PUs" quantity="3"/><result resourceOrUnit="homebody" quantity="1"/></productionRule><productionFrontier name="p"><frontierRules name="buyhome"/>',
    )
    made = table(text).begin()
    made.order("buy 1 homebody in A\n")
    made.resolve()
    assert made.at("a")["one homebody"] == (1 if value else 2)


@pytest.mark.parametrize(
    ("properties", "placed"),
    [({}, 6), (V2, 4), ({"WW2V3": True}, 4), ({"Unit Placement Per Territory Restricted": True}, 4)],
)
def test_a_factory_places_as_many_as_the_property_says(
    properties: dict[str, Any], placed: int, table: Any
) -> None:
    """The territory brings 4."""
    made = table(game("One A mill; One A man", properties)).begin()
    made.order(f"buy {placed} man in A\n")
    made.resolve()
    assert made.at("a")["one man"] == 1 + placed
    if placed == 4:
        ruleset, _ = load_ruleset(made.made.folder)
        assert ruleset is not None and "produces_here" in str(ruleset.rows("stats")["capacity"]["base"])


@pytest.mark.parametrize(
    "name",
    [
        "Units Repair Hits End Turn",
        "Units Repair Hits Start Turn",
        "Battleships repair at end of round",
        None,
    ],
)
def test_damaged_ships_are_repaired(name: str | None, table: Any) -> None:
    text = game("One S battleship; Two D man", {"Two hit battleship": True, **({name: True} if name else {})})
    made = table(
        text.replace(
            'unitType="battleship" territory="S"', 'unitType="battleship" hitsTaken="1" territory="S"'
        )
    ).begin()
    made.resolve()
    damage = [row.get("damage", 0) for _, row in made.state.stacks() if row["kind"] == "battleship"]
    assert (sum(damage) == 0) is (name is not None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("Total Victory", True), ("Honorable Surrender", True), ("Projection of Power", True), (None, False)],
)
def test_victory_cities_win(name: str | None, value: bool, table: Any) -> None:
    """One city of the side is enough, where a property says that such a victory counts."""
    words = {
        "Total Victory": "Total Victory VCs",
        "Honorable Surrender": "Honorable Victory VCs",
        "Projection of Power": "Projection of Power VCs",
    }
    city = '<attachment name="territoryAttachment" attachTo="A" javaClass="TerritoryAttachment" type="territory"><option name="victoryCity" value="1"/></attachment>'
    properties = {name: True, f"Reds {words[name]}": 1} if name else {"Reds Total Victory VCs": 1}
    text = game("One A man; Two D man", properties, more=city).replace(
        "</playerList>",
        '<alliance player="One" alliance="Reds"/><alliance player="Two" alliance="Blues"/></playerList>',
    )
    made = table(text)
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None
    assert any("city_of" in str(row["when"]) for row in ruleset.rows("victory").values()) is value


HEAVY = '<attachment name="techAttachment" attachTo="One" javaClass="TechAttachment" type="player"><option name="{}" value="true"/></attachment>'


@pytest.mark.parametrize(
    ("tech", "properties", "stat", "add"),
    [
        ("heavyBomber", {}, "attack-rolls", 1),
        ("heavyBomber", {"Heavy Bomber Dice Rolls": 3}, "attack-rolls", 2),
        ("jetPower", {}, "defence", 1),
        ("jetPower", {"WW2V3 Tech Model": True}, "attack", 1),
        ("superSub", {"Super Sub Defence Bonus": 1}, "defence", 1),
    ],
)
def test_technologies_of_a_kind_follow_the_properties(
    tech: str, properties: dict[str, Any], stat: str, add: int, table: Any
) -> None:
    text = game(
        "One A bomber; One A plane; One S sub; Two D man", properties, more=HEAVY.format(tech)
    ).replace(
        "<attachmentList>",
        f'<technology><technologies><techname name="{tech}"/></technologies></technology><attachmentList>',
        1,
    )
    ruleset, _ = load_ruleset(table(text).made.folder)
    assert ruleset is not None
    found = [
        row
        for row in ruleset.rows("modifiers").values()
        if row["of"] == stat and tech.casefold() in row["label"].casefold()
    ]
    assert [row["add"] for row in found] == [add]


@pytest.mark.parametrize(
    ("options", "brings", "places"),
    [
        ({"production": 4}, 4, None),
        ({"productionOnly": 3}, 3, 0),
        ({"production": 4, "productionOnly": 3}, 3, 4),
        ({"production": 4, "unitProduction": 0}, 4, 0),
        ({"unitProduction": 2, "production": 4}, 4, None),
    ],
)
def test_what_a_territory_brings_and_places(
    options: dict[str, int], brings: int, places: int | None, table: Any
) -> None:
    """The last word counts: `production` says both, the others one of them."""
    told_ = "".join(f'<option name="{name}" value="{n}"/>' for name, n in options.items())
    more = f'<attachment name="territoryAttachment" attachTo="D" javaClass="TerritoryAttachment" type="territory">{told_}</attachment>'
    ruleset, _ = load_ruleset(table(game("One A man; Two C man", more=more)).made.folder)
    assert ruleset is not None
    row = ruleset.rows("places")["d"]
    assert (row.get("production", 0), row.get("capacity")) == (brings, places)


def test_who_may_act_before_others_move_does_not_move_first(table: Any) -> None:
    text = game("One A man; Two D man").replace(
        "<sequence>",
        '<delegate name="Acts" javaClass="UserActionDelegate"/><sequence><step name="twoActs" delegate="Acts" player="Two"/>',
    )
    ruleset, _ = load_ruleset(table(text).made.folder)
    assert ruleset is not None
    assert [row["turn_line"] for row in (ruleset.rows("nations")[name] for name in ("one", "two"))] == [1, 2]


def test_a_price_of_which_a_part_is_given_back(table: Any) -> None:
    text = game("One A mill; One A man").replace(
        '<result resourceOrUnit="man" quantity="1"/>',
        '<result resourceOrUnit="man" quantity="1"/><result resourceOrUnit="PUs" quantity="1"/>',
    )
    ruleset, _ = load_ruleset(table(text).made.folder)
    assert ruleset is not None and ruleset.rows("production")["man"]["price"] == "=2"


def test_what_many_conditions_open_is_sold(table: Any) -> None:
    """Each of many frontiers opens the tank: the test is longer than a row may be, and stands in terms."""
    names = [f"frontier number {k} of many" for k in range(60)]
    frontiers = "".join(
        f'<productionFrontier name="{name}"><frontierRules name="buytank"/></productionFrontier>'
        for name in names
    )
    gifts = "".join(GIFT.format(f'<option name="frontier" value="{name}"/>').replace("Gift", f"Gift{k}").replace("First", f"First{k}").replace('value="1"', f'value="{k + 1}"') for k, name in enumerate(names))  # fmt: skip
    made = table(
        game("One A mill; One A man", more=gifts).replace(
            '<playerProduction player="One"', f'{frontiers}<playerProduction player="One"'
        )
    )
    ruleset, found = load_ruleset(made.made.folder)
    assert ruleset is not None and not found and "tank" in ruleset.rows("production")
    assert not [line for line in made.made.left if "characters" in line]


def test_a_trigger_gives_what_nobody_sells(table: Any) -> None:
    made = table(
        game("One A mill; One A slab", more=GIFT.format('<option name="purchase" value="slab" count="2"/>'))
    ).begin()
    made.order("await the battles\n")
    made.resolve()
    assert made.order("place 2 slab in A\n") == 0
    made.resolve()
    assert made.at("a")["one slab"] == 3
    assert made.order("buy 1 slab in A\n", "two") != 0, "nobody buys it"


def canal(name: str, shore: str) -> str:
    """A canal between S and T that is open to friends of whoever holds the shore."""
    told_ = f'<option name="canalName" value="{name}"/><option name="landTerritories" value="{shore}"/>'
    return "".join(
        f'<attachment name="canalAttachment{name}" attachTo="{zone}" javaClass="CanalAttachment" type="territory">{told_}</attachment>'
        for zone in "ST"
    )


@pytest.mark.parametrize(
    ("shores", "properties", "passes"),
    [
        (["A"], {}, True),
        (["B"], {}, False),
        (["A:B"], {}, False),
        (["A", "B"], {}, True),
        (["A", "B"], {"Control All Canals Between Territories To Pass": True}, False),
    ],
)
def test_canals_stop_ships_while_their_shores_are_in_other_hands(
    shores: list[str], properties: dict[str, Any], passes: bool, table: Any
) -> None:
    more = "".join(canal(f"Canal{k}", shore) for k, shore in enumerate(shores))
    made = table(game("One S can; Two D man", properties, more)).begin()
    assert not [line for line in made.made.left if "canal" in line.lower()]
    assert made.order("sail 1 can from S to T on transit\n") == 0, (
        "who holds the shore may change, so the order stands"
    )
    made.resolve()
    assert ("one can" in made.at("t")) is passes


# ---- convoys


def convoys(**zones: Mapping[str, str]) -> str:
    """Attachments of territories: options by name."""
    return "".join(
        f'<attachment name="territoryAttachment" attachTo="{name}" javaClass="TerritoryAttachment" type="territory">'
        + "".join(f'<option name="{key}" value="{value}"/>' for key, value in options.items())
        + "</attachment>"
        for name, options in zones.items()
    )


IMMUNE = '<attachment name="playerAttachment" attachTo="One" javaClass="PlayerAttachment" type="player"><option name="immuneToBlockade" value="true"/></attachment>'


@pytest.mark.parametrize(
    ("units", "more", "income"),
    [
        ("Two S wolf", convoys(S={"blockadeZone": "true"}), 2),
        ("Two S wolf 3", convoys(S={"blockadeZone": "true"}), 0),  # no more than the land brings
        ("Two S can", convoys(S={"blockadeZone": "true"}), 4),  # takes nothing
        ("One S wolf", convoys(S={"blockadeZone": "true"}), 4),  # its own
        ("Two T wolf", convoys(S={"blockadeZone": "true"}), 4),  # not beside the land
        ("Two S wolf", "", 4),  # no convoy passes
        ("Two S wolf", convoys(S={"blockadeZone": "true"}) + IMMUNE, 4),
    ],
)
def test_enemy_ships_take_the_income_of_convoys(units: str, more: str, income: int, table: Any) -> None:
    made = table(game(f"{units}; One A man; Two D man", more=more)).begin()
    assert made.resolve().get("treasuries", "one", "pus", 0) == 60 + income
    assert made.resolve().get("treasuries", "two", "pus", 0) == 60 + 12 - (2 if units == "One S wolf" else 0)


def test_dice_say_what_convoys_lose(table: Any) -> None:
    """Each die of a ship counts where it shows three or less."""
    rule = {"Convoy Blockades Roll Dice For Cost": True}
    text = game("Two S wolf; One A man; Two D man", rule, convoys(S={"blockadeZone": "true"}))
    made = table(text).begin()
    state = made.resolve()
    raided = state.get("places", "s", "raided", 0)
    assert state.get("treasuries", "one", "pus", 0) == 60 + 4 - min(4, raided) and 0 <= raided <= 6
    dice = [
        d
        for entry in open_game(made.game).journal()
        if entry.rule == "events/convoys-raided"
        for d in entry.dice
    ]
    faces = [face for one in dice for drawn in one["drawn"] for face in drawn["faces"]]
    assert len(faces) == 2 and raided == sum(face for face in faces if face <= 3)


def test_two_zones_take_no_land_twice(table: Any) -> None:
    """S takes first from D, which only it touches, then T from the rest."""
    links = '<connection t1="T" t2="A"/><connection t1="S" t2="D"/>'
    text = game(
        "Two S wolf 3; Two T wolf; One A man; Two C man",
        more=convoys(S={"blockadeZone": "true"}, T={"blockadeZone": "true"}),
        owners={"D": "One"},
    ).replace("</map>", f"{links}</map>")
    state = table(text).begin().resolve()
    # T has one payer, A, and takes 2 of it; S takes D's 4 and the 2 that A has left
    assert state.get("treasuries", "one", "pus", 0) == 60
    assert (state.get("places", "a", "convoy_loss"), state.get("places", "d", "convoy_loss")) == (4, 4)


ROUTE = {"convoyRoute": "true", "convoyAttached": "S"}


@pytest.mark.parametrize(
    ("ships", "income"),
    [("One T can", 8), ("Two T can", 8), ("Two S boat", 8), ("Two S can", 0)],
)
def test_a_route_of_convoys_brings_in(ships: str, income: int, table: Any) -> None:
    """S is One's: it brings 4, and A brings its own 4 while S is not lost."""
    text = game(
        f"{ships}; One A man; Two D man",
        more=convoys(S={"convoyRoute": "true", "production": "4"}, A={"production": "4", **ROUTE}),
        owners={"S": "One"},
    )
    state = table(text).begin().resolve()
    assert state.get("treasuries", "one", "pus", 0) == 60 + income


@pytest.mark.parametrize(("ship", "properties", "taken"), [
    ("can", {}, True),
    ("sub", {}, True),
    ("sub", {"Sub Control Sea Zone Restricted": True}, False),
    ("boat", {}, False),
    ("boat", {"Transport Control Sea Zone": True}, True),
])  # fmt: skip
def test_who_takes_a_zone_of_convoys(ship: str, properties: dict[str, Any], taken: bool, table: Any) -> None:
    """Whose zone it was gets nothing of it; nor does the captor, since it was another's first."""
    text = game(
        f"One T {ship}; One A man; Two D man",
        properties,
        convoys(S={"convoyRoute": "true", "production": "5"}, B={"production": "7", **ROUTE}),
        owners={"S": "Two"},
    )
    made = table(text).begin()
    assert made.order(f"sail 1 {ship} from T to S\n") == 0
    assert made.resolve().get("treasuries", "one", "pus", 0) == 60 + 4
    assert made.resolve().get("treasuries", "two", "pus", 0) == 60 + 8 + (0 if taken else 5 + 7)


# ---- technologies of games that name none


def researching(units: str, properties: Mapping[str, Any], more: str = "") -> str:
    """A game with a step of research for One, and no element `technology`."""
    text = game(units, properties, more=more)
    text = text.replace("<gamePlay>", '<gamePlay><delegate name="Tech" javaClass="TechnologyDelegate"/>')
    return text.replace("<sequence>", '<sequence><step name="oneTech" delegate="Tech" player="One"/>')


ON = {"Tech Development": True}


@pytest.mark.parametrize(
    ("properties", "order", "taken", "known"),
    [
        (ON, "research with 9 dice", True, 6),
        ({}, "research with 9 dice", False, 6),  # absent is false
        ({**ON, "WW2V2": True}, "research Heavy Bomber with 9 dice", True, 6),
        ({**ON, "WW2V2": True}, "research with 9 dice", False, 6),
        ({**ON, "Selectable Tech Roll": True}, "research Rockets Advance with 9 dice", True, 6),
        (
            {**ON, "WW2V3": True, "WW2V3 Tech Model": True},
            "research air-and-naval-advances with 9 tokens",
            True,
            12,
        ),
        ({**ON, "WW2V3": True}, "research with 9 dice", True, 12),
    ],
)
def test_what_is_researched_where_the_file_names_nothing(
    properties: dict[str, Any], order: str, taken: bool, known: int, table: Any
) -> None:
    """Nine dice bring a six in five games of six; with these seeds they do."""
    made = table(researching("One A man; Two D man", properties)).begin()
    ruleset, _ = load_ruleset(made.made.folder)
    assert ruleset is not None and len(ruleset.rows("technologies")) == known
    assert (made.order(order + "\n") == 0) is taken
    state = made.resolve()
    bonds = state.get("treasuries", "one", "pus", 0) - (60 + 4 - (45 if taken else 0))
    learned = set(state.row("techs", "one"))
    if "Heavy" in order and taken:
        assert learned <= {"heavy-bomber"}
    assert 0 <= bonds <= 6 * ("war-bonds" in learned)
    assert (
        len(learned) <= taken and not state.get("treasuries", "one", "research-token", 0)
    ) or "tokens" in order


@pytest.mark.parametrize(("lost", "left"), [(True, 0), (False, 1)])
def test_tokens_are_kept_or_lost(lost: bool, left: int, table: Any) -> None:
    properties = {
        **ON,
        "WW2V3": True,
        "WW2V3 Tech Model": True,
        "Remove All Tech Tokens At End Of Turn": lost,
    }
    made = table(researching("One A man; Two D man", properties)).begin()
    assert made.order("research air-and-naval-advances with 1 token\n") == 0
    state = made.resolve()
    found = bool(state.row("techs", "one"))
    assert state.get("treasuries", "one", "research-token", 0) == (0 if found else left)


INDUSTRY = """<productionRule name="cheap"><cost resource="PUs" quantity="2"/><result resourceOrUnit="man" quantity="1"/></productionRule>
<productionFrontier name="pIndustrialTechnology"><frontierRules name="cheap"/></productionFrontier></production>"""


@pytest.mark.parametrize(("knows", "price"), [("true", 2), ("false", 3)])
def test_a_technology_opens_a_frontier_of_its_own(knows: str, price: int, table: Any) -> None:
    text = researching(
        "One A mill; One A man; Two D man", ON, HEAVY.format("industrialTechnology").replace("true", knows)
    )
    made = table(text.replace("</production>", INDUSTRY)).begin()
    rule = "man (cheap)" if price == 2 else "man (buyman)"
    other = "man (buyman)" if price == 2 else "man (cheap)"
    made.resolve()
    made.resolve()
    assert made.order(f"buy 1 {other}\n") != 0
    assert made.order(f"buy 1 {rule}\n") == 0
    assert made.resolve().get("treasuries", "one", "pus", 0) == 64 - price + 4


@pytest.mark.parametrize("name", ["Super subs", "superSub"])
def test_a_technology_is_known_by_both_of_its_names(name: str, table: Any) -> None:
    """Its own attachment says what it does, by whichever name."""
    bonus = f'<attachment name="techAbilityAttachment" attachTo="{name}" javaClass="TechAbilityAttachment" type="technology"><option name="attackBonus" value="2:sub"/></attachment>'
    text = game("One S sub; Two D man", more=bonus).replace(
        "<attachmentList>",
        '<technology><technologies><techname name="superSub"/></technologies></technology><attachmentList>',
        1,
    )
    ruleset, _ = load_ruleset(table(text + "").made.folder)
    assert ruleset is not None
    assert {row["add"] for row in ruleset.rows("modifiers").values() if row["of"] == "attack"} in ({2}, set())


@pytest.mark.parametrize("on", [True, False])
def test_triggers_fire_where_the_property_says_so(on: bool, table: Any) -> None:
    text = game(
        "One A mill; One A man",
        {"Use Triggers": on},
        GIFT.format('<option name="resource" value="PUs"/><option name="resourceCount" value="7"/>'),
    )
    made = table(text).begin()
    assert made.resolve().get("treasuries", "one", "pus", 0) == 60 + 4 + 7 * on
    assert any("switched off by the property Use Triggers" in line for line in made.made.left) is not on


def test_a_file_without_properties_is_taken_at_its_word(table: Any) -> None:
    gift = GIFT.format('<option name="resource" value="PUs"/><option name="resourceCount" value="7"/>')
    text = re.sub("<propertyList>.*</propertyList>", "", game("One A mill; One A man", {}, gift), flags=re.S)
    assert "propertyList" not in text
    assert table(text).begin().resolve().get("treasuries", "one", "pus", 0) == 60 + 4 + 7


def test_many_kinds_of_carriers(table: Any) -> None:
    """Room on carriers that are bought in the same turn is one sum, however many kinds there are."""
    names = [f"carrier of a long name indeed, number {k}" for k in range(30)]
    text = game(
        "One A mill; One A plane; One S flattop; Two D man",
        {"WW2V2": True, "Produce fighters on carriers": True},
    )
    text = text.replace("</unitList>", "".join(f'<unit name="{name}"/>' for name in names) + "</unitList>")
    text = text.replace(
        "</attachmentList>",
        "".join(
            f'<attachment name="unitAttachment" attachTo="{name}" javaClass="UnitAttachment" type="unitType"><option name="isSea" value="true"/><option name="movement" value="2"/><option name="attack" value="1"/><option name="carrierCapacity" value="2"/></attachment>'
            for name in names
        )
        + "</attachmentList>",
    )
    ruleset, found = load_ruleset(table(text).made.folder)
    assert ruleset is not None and not found
    room = [row["is"] for id_, row in ruleset.rows("definitions").items() if id_.startswith("coming_decks")]
    assert sum(test.count("coming(") for test in room) == 31


def test_what_has_no_quantity_is_not_there(table: Any) -> None:
    """A misspelled attribute of one line refuses no file that its own program loads."""
    text = game("One A man 2; One A tank 3; Two D man").replace(
        'territory="A" quantity="3"', 'territory="A" quanity="3"'
    )
    made = table(text)
    assert [line for line in made.made.left if "<unitPlacement>: it has no quantity" in line]
    assert made.begin().at("a") == {"one man": 2}
