"""What designers mistype in a small game, key by key: each is told in its line, with what would do, and little else is.

The mistakes are the usual ones of every kind of key of the game of `wteaw init`: misspelt, of another type, an id that is not
there, out of range, never come to.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from wteaw.core.diagnostics import Diagnostic, render
from wteaw.report.map_faults import drawing_faults
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import Node
from wteaw.testing.check import faults_of_tests

from .folders import own_cache  # noqa: F401

GAME = Path(__file__).parent.parent / "templates" / "new-game"
MOST_FINDINGS = 2
"""Findings of one mistake: it may show at both ends of what it breaks."""

MISTAKES: dict[str, list[tuple[str, str, str]]] = {  # file -> what stands there, what is typed, a part of what is said
    "tables/units.yaml": [
        ("attack: 3", "attack: 11", "1 to 10"),
        ("attack: 3", "attack: 5/2", "2 or 3"),
        ("attack: 3", "attack: 2.5", "2 or 3"),
        ("attack: 3", "attack: three", "number"),
        ("attack: 3", "atack: 3", "'attack'"),
        ("attack: 3", "attack: [3]", "number"),
        ("attack: 3", "attack: -3", "at_least"),
        ("tags: [army]", "tags: army", "list"),
        ("tags: [army]", "tags: [amry]", "'army'"),
        ("tags: [army]", "tag: [army]", "'tags'"),
        ("plural: foot", "plurals: foot", "'plural'"),
        ("name: foot", "nmae: foot", "'name'"),
        ("- {id: attack, of: [unit], type: number", "- {id: attack, of: unit, type: number", "list"),
        ("- {id: attack, of: [unit], type: number", "- {id: attack, of: [unti], type: number", "unit"),
        ("- {id: attack, of: [unit], type: number", "- {id: attack, of: [unit], type: integer", "number"),
        ("- {id: attack, of: [unit], type: number", "- {id: attack, of: [unit], type: nubmer", "number"),
        ("type: number, default: 0, text: Attack", "type: number, default: none, text: Attack", "number"),
        ("type: number, default: 0, text: Attack", "type: number, defualt: 0, text: Attack", "default"),
        ("name: attack, of: unit, base: unit.attack", "name: attack, of: unit, base: unit.atack", "attack"),
        ("name: attack, of: unit, base: unit.attack", "name: attack, of: units, base: unit.attack", "unit"),
        ("name: attack, of: unit, base: unit.attack", "name: attack, base: unit.attack", "'of'"),
        ("of: defense", "of: defence", "'defense'"),
        ("'has_its_seat_in', unit.place", "'has_its_seatin', unit.place", "has_its_seat_in"),
        ("'has_its_seat_in', unit.place", "'has_its_seat_in', unit.plcae", "place"),
        ("any(nations(), 'has", "any(nation(), 'has", "nations"),
        ("any(nations(), 'has", "anyy(nations(), 'has", "any"),
        ("unit.place)\"", "unit.place\"", ""),
        ("add: 1", "add: one", "="),
        ("add: 1", "ad: 1", "'add'"),
        ("add: 1", "times: 110%", "fraction"),
        ("is: nation.capital == place", "is: nation.capital = place", "=="),
        ("is: nation.capital == place", "is: nation.captial == place", "capital"),
        ("is: nation.capital == place", "is: nation.capital == plac", "place"),
        ("of: [nation, place], is: nation.capital", "of: [nation], is: nation.capital", "place"),
        ("of: [nation, place], is: nation.capital", "of: [natoin, place], is: nation.capital", "nation"),
    ],
    "tables/battles.yaml": [
        ("die: 1d10", "die: d", "die"),
        ("die: 1d10", "die: 10", "die"),
        ("die: 1d10", "die: 1d1", "die"),
        ("die: 1d10", "die: 2d10", "one die"),
        ("die: 1d10", "dice: 1d10", "'die'"),
        ("tempo: one_by_one", "tempo: one-by-one", "'one_by_one'"),
        ("tempo: one_by_one", "tempo: parallel", "one_by_one"),
        ("attacker: attack, defender", "attacker: atack, defender", "'attack'"),
        ("attacker: attack, defender", "attackers: attack, defender", "'attacker'"),
        ("place.kind == 'land'", "place.kind == 'lnad'", "land?"),
        ("place.kind == 'land'", "place.kind == land", "'land'"),
        ("order: [=unit.price]", "order: [unit.price]", "="),
        ("order: [=unit.price]", "order: [=unit.prise]", "price"),
        ("rounds: withdraw-after", "rounds: withdraw-atfer", "'withdraw-after'"),
        ("after: 1, to: [{back", "after: one, to: [{back", "whole number"),
        ('back: "friendly(self, place)"', 'back: "freindly(self, place)"', "friendly"),
        ('back: "friendly(self, place)"', 'back: "friendly(self)"', ""),
        ("audience: everyone", "audience: evryone", "'everyone'"),
        ("how: capture", "how: captur", "'capture'"),
        ("by: army", "by: amry", "'army'"),
        ("held_by: [army]", "held_by: [armies]", "'army'"),
        ("to: [largest]", "to: [bigest]", "largest"),
        ("owns: true", "owns: yes", "true"),
    ],
    "tables/economy.yaml": [
        ("places(holder=nation)", "places(hodler=nation)", "holder"),
        ("places(holder=nation)", "place(holder=nation)", "places"),
        ("amount: =place.worth", "amount: place.worth", "="),
        ("amount: =place.worth", "amount: =place.wroth", "worth"),
        ("amount: =place.worth", "amount: =nation.worth", ""),
        ("amount: =place.worth", "amount:", ""),
        ("into: gold", "into: gld", "'gold'"),
        ("makes: foot", "makes: fot", "'foot'"),
        ("makes: foot", "make: foot", "'makes'"),
        ('price: "=model(self, \'foot\').price"', 'price: "=model(self, \'fot\').price"', "foot"),
        ('price: "=model(self, \'foot\').price"', "price: -3", ""),
        ('price: "=model(self, \'foot\').price"', "price: 3 gold", ""),
        ('price: "=model(self, \'foot\').price"', "price: {gld: 3}", "stat of the item"),
        ('site: "raises(place, self)"', 'site: "raises(place)"', ""),
        ('site: "raises(place, self)"', 'site: "raises(self, place)"', ""),
        ('site: "raises(place, self)"', "site: highgate and stonebridge", ""),
        ("of: place, is: 3, words", "of: palce, is: 3, words", "'place'"),
        ("of: place, is: 3, words", "of: place, is: -1, words", ""),
        ('{n} more"', '{m} more"', ""),
        ('{n} more"', '{n more"', "{name}"),
        ("was(place, 'holder', 'turn')", "was(place, 'hodler', 'turn')", "holder"),
        ("was(place, 'holder', 'turn')", "was(place, 'holder', 'trun')", "turn"),
    ],
    "tables/map.yaml": [
        ("kind: land, owner: auria, worth: 4", "kind: land, owner: aruia, worth: 4", "'auria'"),
        ("kind: land, owner: auria, worth: 4", "kind: lnad, owner: auria, worth: 4", "'land'"),
        ("kind: land, owner: auria, worth: 4", "kind: land, onwer: auria, worth: 4", "'owner'"),
        ("owner: auria, worth: 4, lon: 0", "owner: auria, worth: 4, lon: east", ""),
        ("owner: auria, worth: 4, lon: 0", "owner: auria, worth: 4, lon: 400", ""),
        ("[highgate, westmill], kind: road", "[highgate, westmil], kind: road", "'westmill'"),
        ("[highgate, westmill], kind: road", "[highgate, highgate], kind: road", ""),
        ("[highgate, westmill], kind: road", "[highgate], kind: road", "two"),
        ("[highgate, westmill], kind: road", "[highgate, westmill], kind: raod", "'road'"),
        ("[highgate, westmill], kind: road", "[highgate, westmill], kind: road, oneway: true", ""),
        ("table: places", "table: place", "'places'"),
        ("type: id", "type: di", "id"),
    ],
    "tables/nations.yaml": [
        ("opposite: borea", "opposite: boreaa", "'borea'"),
        ("side: auria, capital: highgate", "side: aurai, capital: highgate", "'auria'"),
        ("side: auria, capital: highgate", "side: auria, capital: higgate", "'highgate'"),
        ("side: auria, capital: highgate", "side: auria, captial: highgate", "'capital'"),
        ('color: "#4f7fc4"', "color: #4f7fc4", "quote"),
        ('color: "#4f7fc4"', "color: blueish", ""),
        ('color: "#4f7fc4"', 'colour: "#4f7fc4"', "'color'"),
        ("seat: none", "seat: nobody", ""),
        ("default: true, enter: never", "default: true, enter: nevr", "'never'"),
        ("default: true, enter: never", "default: true, enter: {x: 1}", ""),
        ("friendly: true, enter", "freindly: true, enter", "'friendly'"),
        ("share: always}", "share: allways}", "'always'"),
        ("nation.side and nation.alive", "nation.side && nation.alive", "`and`"),
        ("nation.side and nation.alive", "nation.side adn nation.alive", "`and`"),
        ("nation.side and nation.alive", "nation.side and nation.alvie", "alive"),
        ("nation.side and nation.alive", "nation.side and nation.gold > 3", "stock"),
    ],
    "tables/opinion.yaml": [
        ("signed: true", "singed: true", "'signed'"),
        ("leans: {auria: up", "leans: {aruia: up", "'auria'"),
        ("leans: {auria: up", "leans: {auria: upp", "up"),
        ("thresholds: [-5, 5]", "thresholds: -5", "list"),
        ("thresholds: [-5, 5]", "thresholds: [-5, 5, 9]", ""),
        ("track: opinion", "track: opinon", "'opinion'"),
        ("columns: [free-city]", "columns: [free-ctiy]", "'free-city'"),
        ("for: nations()", "for: nation()", "nations"),
        ("{captured: {by: auria}}", "{capture: {by: auria}}", "captured"),
        ("{captured: {by: auria}}", "{captured: {bye: auria}}", "'by'"),
        ("{captured: {by: auria}}", "{captured: {by: aruia}}", "'auria'"),
        ("cells: {free-city: 0..2}", "cells: {free-ctiy: 0..2}", "'free-city'"),
        ("cells: {free-city: 0..2}", "cells: {free-city: 2..0}", "0..2"),
        ("cells: {free-city: 0..2}", "cells: {free-city: two}", ""),
        ("against: auria", "against: auira", "'auria'"),
    ],
    "tables/orders.yaml": [
        ("{n: {kind: number, least: 1}, item: item", "{n: {kind: numbr, least: 1}, item: item", "number"),
        ("{n: {kind: number, least: 1}, item: item", "{n: {kind: number, lest: 1}, item: item", "'least'"),
        ("{n: {kind: number, least: 1}, item: item", "{n: {kind: number, least: 5, most: 2}, item: item", ""),
        ('"recruit {n} {item} in {site}"', '"recruit {n} {item} in {stie}"', ""),
        ('"recruit {n} {item} in {site}"', '"recruit {n} {item} [in {site}"', ""),
        ('"recruit {n} {item} in {site}"', '"recruit {n} {n} {item} in {site}"', ""),
        ("step: recruits", "step: recruit", "'recruits'"),
        ("commits: units", "commits: unit", ""),
        ("does: march", "does: mach", "'march'"),
        ("options: [withdraw-after]", "options: [withdraw-afte]", "'withdraw-after'"),
        ("who: army", "who: amry", "'army'"),
        ("links: [road]", "links: [raod]", "'road'"),
        ("links: [road]", "link: [road]", "'links'"),
        ("links: [road]", "links: road", ""),
        ("steps: moves", "steps: move", ""),
        ("steps: moves", "steps: movse", "'moves'"),
        ("pass: friendly(self, place)", "pass: freind(self, place)", "friendly"),
        ("kind: nation, among", "kind: natoin, among", "nation"),
        ('\'hears_offers\')"', '\'hears_offer\')"', "hears_offers"),
        ('where(nations(), \'hears_offers\')"', 'where(places(), \'hears_offers\')"', ""),
        ("cost: 2", "cost: two", ""),
        ("cost: 2", "cost: -2", ""),
        ("cost: 2", "cost:", ""),
        ("cost: 2", "cots: 2", "'cost'"),
        ("{1: [nation, turn]}", "{1: [nation, trun]}", "turn"),
        ("{1: [nation, turn]}", "{0: [nation, turn]}", ""),
        ("roll: {die: 1d10, at_most: 6}", "roll: {die: 1d10, at_most: 12}", "1 to 10"),
        ("roll: {die: 1d10, at_most: 6}", "roll: {die: 1d10, upto: 6}", "at_most"),
        ("roll: {die: 1d10, at_most: 6}", "roll: {dice: 1d10, at_most: 6}", "'die'"),
        ("{who: =target, track: opinion", "{who: =traget, track: opinion", "target"),
        ("{who: =target, track: opinion", "{who: target, track: opinon", "'opinion'"),
        ("toward: =self, by: 2", "toward: =slef, by: 2", "self"),
        ("toward: =self, by: 2", "toward: aruia, by: 2", "'auria'"),
        ("toward: =self, by: 2", "toward: 7, by: 2", ""),
        ("toward: =self, by: 2", "toward: =self, by: much", ""),
        ("toward: =self, by: 2", "towards: =self, by: 2", "'toward'"),
        ("{shift: {who", "{shfit: {who", "shift"),
        ('"{self} sends a gift', '"{slef} sends a gift', "self"),
    ],
    "tables/policies.yaml": [
        ("{action: gift, if", "{action: gft, if", "'gift'"),
        ("stock(self, 'gold') > 6", "stock(self, 'gld') > 6", "gold"),
        ("stock(self, 'gold') > 6", "stok(self, 'gold') > 6", "stock"),
        ("attack: attack", "attack: atack", "'attack'"),
        ("odds: 3/2", "odds: high", ""),
        ("odds: 3/2", "odds: 1.5", "3/2"),
        ("boldness: 80", "boldness: 180", ""),
        ("{foot: 3, horse: 1}", "{fot: 3, horse: 1}", "'foot'"),
        ("share: 1, sites", "share: 3, sites", ""),
    ],
    "tables/sequence.yaml": [
        ("actions: [gift]", "actions: [gfit]", "'gift'"),
        ("actions: [gift]", "actions: [[gift]]", ""),
        ("do: purchase, orders", "do: purchse, orders", "'purchase'"),
        ("orders: [recruit]}", "orders: [recruti]}", "'recruit'"),
        ("do: move, movement: [march]", "do: move, movement: [marhc]", "'march'"),
        ("do: fight, battles: [land]", "do: fight, battles: [lnad]", "'land'"),
        ("do: fight, battles: [land]", "do: fight", "battles"),
        ("rows: [capture], close", "rows: [captrue], close", "'capture'"),
        ("income: [land]", "income: [lnad]", "'land'"),
        ('{id: orders, input: orders, from: "where', '{id: orders, input: orders, when: turn > 2, from: "where', "`when`"),
        ('\'plays\')"}', '\'play\')"}', "plays"),
    ],
    "tables/victory.yaml": [
        ("place('lowgate').holder", "place('lowgat').holder", "lowgate"),
        ("== nation('auria')\"", "== nation('aurai')\"", "auria"),
        ("wins: auria", "wins: aurai", "'auria'"),
        ("wins: auria", "win: auria", "'wins'"),
    ],
    "tables/visibility.yaml": [
        ("what: places, to", "what: place, to", "'places'"),
        ("fields: [owner, holder]", "fields: [onwer, holder]", "'owner'"),
        ("what: units, to: everyone", "what: units, to: evryone", "'everyone'"),
        ("what: treasuries, to: owner", "what: treasury, to: owner", "'treasuries'"),
    ],
    "events/free-city.yaml": [
        ("on: {reached: {track: opinion", "on: {reachd: {track: opinion", "reached"),
        ("on: {reached: {track: opinion", "on: {reached: {trak: opinion", "'track'"),
        ("on: {reached: {track: opinion", "on: {reached: {track: 7", ""),
        ("at: [-5, 5]", "at: [-5, 6]", "-5, 5"),
        ("when: not event.actor.side", "when: not event.actr.side", "actor"),
        ("when: not event.actor.side", "when: event.actor.side is None", ""),
        ("once: true", "once: yes", ""),
        ('side: "=\'auria\' if', 'side: "=\'aruia\' if', "'auria'"),
        ("stance: war", "stance: wra", "'war'"),
        ('says: "{event.actor} takes', 'says: "{event.acter} takes', "actor"),
        ('says: "{event.actor} takes', 'say: "{event.actor} takes', "'says'"),
    ],
    "ruleset.yaml": [
        ("start: 1500-01", "start: 1500", ""),
        ("start: 1500-01", "start: 1500-13", ""),
        ("months: 1,", "months: 0,", ""),
        ("months: 1,", "months: 99999,", ""),
        ("turns: 12", "turns: twelve", ""),
        ("money: gold", "money: gld", "'gold'"),
        ("money: gold", "mony: gold", "'money'"),
        ("same_side_stance: allied", "same_side_stance: alied", "'allied'"),
        ("worth: place.worth", "worth: place.wroth", "worth"),
        ("format: 1", "format: 99", ""),
        ("settings:", "setings:", "'settings'"),
    ],
    "map/marks.yaml": [
        ("badges: {army: A}", "badges: {amry: A}", "'army'"),
        ("symbols: {nation.capital: star}", "symbols: {nation.captial: star}", "capital"),
    ],
    "map/layout.yaml": [
        ("projection: mercator", "projection: mercatr", "mercator"),
        ("size: [1100, 1000]", "size: 1100", ""),
    ],
}  # fmt: skip
SAID = [(file, *mistake) for file, mistakes in MISTAKES.items() for mistake in mistakes]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game") / "mine"
    shutil.copytree(GAME, folder)
    for path in folder.rglob("*.yaml"):
        path.write_text(path.read_text("utf-8").replace("$ID$", "mine").replace("$TITLE$", "Mine"), "utf-8")
    return folder


def told(game: Path, file: str, text: str) -> list[Diagnostic]:
    """The findings with another text of one file, which then stands as before."""
    path = game / file
    before = path.read_text("utf-8")
    path.write_text(text, "utf-8")
    try:
        ruleset, found = load_ruleset(game, cache=False)
        found = [*found, *drawing_faults(game, ruleset)]
        return [
            *found,
            *(faults_of_tests(game, ruleset) if file.startswith("tests/") and ruleset is not None else ()),
        ]
    finally:
        path.write_text(before, "utf-8")


@pytest.mark.parametrize(("file", "right", "typed", "part"), SAID)
def test_a_mistake_is_told_in_its_line(game: Path, file: str, right: str, typed: str, part: str) -> None:
    text = (game / file).read_text("utf-8")
    line = text[: text.index(right)].count("\n") + 1
    found = told(game, file, text.replace(right, typed, 1))
    here = [d for d in found if (d.file, d.line) == (file, line)]
    assert here and part in here[0].message + here[0].hint
    assert len(found) <= MOST_FINDINGS + (file == "tables/nations.yaml")


def test_what_is_right_is_not_told(game: Path) -> None:
    for file in MISTAKES:
        assert told(game, file, (game / file).read_text("utf-8")) == []


RIGHT = [  # the other side of a threshold, and neighbors of mistakes that must not be told
    ("tables/units.yaml", "attack: 3", "attack: 10"),
    ("tables/units.yaml", "attack: 3", "attack: 0"),
    ("tables/units.yaml", "price: 3", "price: 5/2"),
    ("tables/units.yaml", "defense: 3", "defense: 11"),
    ("ruleset.yaml", "months: 1,", "months: 1200,"),
    ("tables/nations.yaml", "default: true, enter: never", "default: true, enter: {takes: [place]}"),
    ("tables/orders.yaml", "roll: {die: 1d10, at_most: 6}", "roll: {die: 1d10, at_most: 9}"),
    ("tables/orders.yaml", "toward: =self, by: 2", "toward: borea, by: 2"),
    (
        "tables/sequence.yaml",
        "- id: recruitment\n",
        "- {id: more, input: more, when: turn > 2}\n  - id: recruitment\n",
    ),
    ("events/free-city.yaml", "side: \"='auria' if event.at > 0 else 'borea'\"", "side: =event.actor.side"),
    ("events/free-city.yaml", "once: true", "once: the-city-joins"),
    ("map/marks.yaml", "badges: {army: A}", "badges: {}"),
    ("tests/first.yaml", "when: recruits", "when: marches"),
]


@pytest.mark.parametrize(("file", "right", "typed"), RIGHT)
def test_its_neighbor_is_not_told(game: Path, file: str, right: str, typed: str) -> None:
    text = (game / file).read_text("utf-8")
    assert right in text
    lessened = text.replace(right, typed, 1)
    if "defense: 11" in typed:  # a modifier may lower it: what is too much for the die is there to be lost
        lessened = lessened.replace("add: 1\n", "add: -1\n")
    assert [d for d in told(game, file, lessened) if d.code != "W613"] == []


NEW = [  # rows of a further file, and where what is said of them stands
    ("technologies:\n- {id: a, name: Aa, ›needs: [b]}\n- {id: b, name: Bb, needs: [a]}\n", "W619"),
    ("technologies:\n- {id: a, name: Aa, needs: [b]}\n- {id: b, name: Bb, needs: []}\n", ""),
]
STUDY = """\
fields:
- {id: needs, of: [tech], type: list, table: technologies, default: []}
actions:
- {id: study, syntax: 'study {tech}', slots: {tech: tech}, requires: [{test: "all(tech.needs, 'known_to', self)", message: not yet}],
   effects: [{learn: {who: =self, tech: =tech}}], silence: {W602: taken by no step here}}
definitions:
- {id: known_to, of: [tech, nation], is: 'knows(nation, tech)'}
"""


@pytest.mark.parametrize(("rows", "code"), NEW)
def test_technologies_in_a_ring_can_never_be_begun(game: Path, rows: str, code: str) -> None:
    new = game / "tables" / "new.yaml"
    new.write_text("", "utf-8")
    try:
        found = told(game, "tables/new.yaml", (rows + STUDY).replace("›", ""))
    finally:
        new.unlink()
    assert [(d.code, d.line, d.column) for d in found] == (
        [(code, 2, rows.split("\n")[1].index("›") + 1)] if code else []
    )


@pytest.mark.parametrize(
    ("syntax", "code"),
    [
        ("send gift to {target}", "W611"),
        ("[please] send a gift to {target}", "W611"),
        ("send gifts to {target}", ""),
    ],
)
def test_orders_that_can_be_written_with_the_same_words_are_told(game: Path, syntax: str, code: str) -> None:
    text = (game / "tables/orders.yaml").read_text("utf-8")
    row = f"- {{id: bribe, syntax: '{syntax}', slots: {{target: nation}}, effects: [{{say: hm}}], silence: {{W602: taken by no step}}}}\n"
    found = told(
        game,
        "tables/orders.yaml",
        text.replace("definitions:", row.replace("- ", "  - ", 1) + "\ndefinitions:"),
    )
    assert [d.code for d in found] == [code] * bool(code)


@pytest.mark.parametrize(("givers", "code"), [("[borea]", ""), ("[auria, borea]", "W611"), ("auria", "W611")])
def test_orders_of_different_nations_may_be_written_alike(game: Path, givers: str, code: str) -> None:
    text = (game / "tables/orders.yaml").read_text("utf-8")
    rows = "".join(
        f"  - {{id: {id_}, syntax: bribe them, for: {whose}, effects: [{{say: hm}}], silence: {{W602: taken by no step}}}}\n"
        for id_, whose in (("bribe", "[auria]"), ("bribe-too", givers))
    )
    found = told(game, "tables/orders.yaml", text.replace("definitions:", rows + "\ndefinitions:"))
    assert [d.code for d in found] == [code] * bool(code)


CASES = [
    ("{highgate: {auria: {foot: 2}}}", "{higgate: {auria: {foot: 2}}}", "E401", "'highgate'"),
    ("{stonebridge: {auria: {foot: 1}}", "{stonebridge: {auira: {foot: 1}}", "E401", "'auria'"),
    ("{stonebridge: {auria: {foot: 1}}", "{stonebridge: {auria: {fot: 1}}", "E401", "'foot'"),
    ("places: {ferry: {holder: borea}}", "places: {ferry: {holder: boreal}}", "E401", "'borea'"),
    ("when: recruits", "when: recruit", "E605", "'recruits'"),
    ("when: [marches, battles", "when: [marches, batles", "E605", "'battles'"),
    ("orders: {auria: [send", "orders: {aurai: [send", "E401", "'auria'"),
    ("tracks: {opinion: 3}", "tracks: {opinon: 3}", "E401", "'opinion'"),
    ("    dice: [6]", "    die: [6]", "E206", "dice"),
]


@pytest.mark.parametrize(("right", "typed", "code", "hint"), CASES)
def test_a_mistake_in_a_rule_test_is_told_at_its_column(
    game: Path, right: str, typed: str, code: str, hint: str
) -> None:
    text = (game / "tests/first.yaml").read_text("utf-8")
    assert right in text
    found = told(game, "tests/first.yaml", text.replace(right, typed, 1))
    line = text[: text.index(right)].count("\n") + 1
    assert [(d.code, d.line) for d in found] == [(code, line)] and found[0].column > 1
    assert hint in found[0].hint


def words(node: Node, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Line, column and text of every key of a file."""
    for key, value in node.items():
        _, line, column = node.keys[key]
        if lines[line - 1][column - 1 :].startswith(key):
            yield line, column, key
        yield from words(value, lines)
    for member in node.members():
        yield from words(member, lines)


def test_nearly_every_key_that_is_misspelt_is_told_in_its_line_with_the_right_one(game: Path) -> None:
    """Two letters of a key change places: of a sample of the keys of all files, those of ids apart."""
    every = []
    for file in (f for f in MISTAKES if not f.startswith("map/")):
        text = (game / file).read_text("utf-8")
        tree, _ = load_text(text, file)
        assert tree is not None
        found = {
            (key, file): (file, line, column, key)
            for line, column, key in words(tree, text.split("\n"))
            if len(key) > 3
        }
        every += list(found.values())
    sample = random.Random(1914).sample(every, 60)
    right = 0
    for file, line, column, key in sample:
        text = (game / file).read_text("utf-8")
        rows = text.split("\n")
        middle = len(key) // 2
        typed = key[: middle - 1] + key[middle] + key[middle - 1] + key[middle + 1 :]
        rows[line - 1] = rows[line - 1][: column - 1] + typed + rows[line - 1][column - 1 + len(key) :]
        here = [d for d in told(game, file, "\n".join(rows)) if (d.file, d.line) == (file, line)]
        right += typed == key or any(key in d.hint for d in here)
    assert right >= 0.95 * len(sample)


def test_what_many_places_share_is_shown_once_with_its_places() -> None:
    many = [Diagnostic("E401", "error", "places has no 'x'", "t.yaml", line, 3) for line in range(1, 10)]
    shown = render(many)
    assert shown.count("places has no 'x'") == 1 and shown.endswith("9 errors, no warnings")
    assert (
        "the same at t.yaml:2:3, t.yaml:3:3, t.yaml:4:3, t.yaml:5:3, t.yaml:6:3, and at 3 more places"
        in shown
    )
    assert render(many[:2]).count("places has no 'x'") == 2
