"""No Man's Land: powers in turn, of which a person plays one; resolving goes on to their turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from wteaw.core.canonical import dumps, loads
from wteaw.core.faults import NotThere
from wteaw.core.journal import Entry
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import State
from wteaw.orders.intake import take_in
from wteaw.orders.readback import read_back
from wteaw.orders.sheet_layout import order_template
from wteaw.play.begin import new_game, option_value
from wteaw.play.pending import points, wanted_now
from wteaw.play.resolve import resolve_turn
from wteaw.play.rollback_preview import what_if
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import Views
from wteaw.report import fights, rounds
from wteaw.report.document import Para, Table
from wteaw.report.wording import Wording
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.ruleset.drawing import Drawing, drawing_from, read_drawing
from wteaw.store import Game, Submission
from wteaw.turn.sequence import own_turns
from wteaw.world.world import World

VARIANT = rulesets() / "variants" / "no-mans-land"


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    found, problems = load_ruleset(VARIANT)
    assert found is not None, [p.message for p in problems]
    return found


def begun(folder: Path, rules: Ruleset, seats: dict[str, str]) -> Game:
    scenario, _, problems = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None, problems
    everybody = {
        n: seats.get(n, "policy") for n, row in rules.rows("nations").items() if row.get("seat") != "none"
    }
    return new_game(folder, scenario, rules, id_="nml", seats=everybody, seed=bytes(32))


def test_resolving_goes_on_to_the_next_player_and_says_who_he_is(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {"austria": "player"})
    assert game.awaited() != ["austria"]
    outcome = resolve_turn(game)
    assert game.awaited() == ["austria"] and outcome.missing == ()
    assert len(outcome.played) >= 1 and wanted_now(game).endswith("of turn 1 from Austria")


def test_without_players_it_stops_at_every_power(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {})
    first = game.awaited()
    assert resolve_turn(game).played == tuple(first) and game.stage().position.turn == 1


def test_the_letters_of_a_map_keep_their_order_in_a_stored_game() -> None:
    """The first tag that fits counts, and what is stored as a mapping is sorted."""
    marks = read_drawing(VARIANT).marks
    kept = drawing_from(loads(dumps(Drawing(marks=marks).to_json()))).marks
    assert kept == marks and list(kept["badges"]) == list(marks["badges"]) != sorted(marks["badges"])
    assert list(kept["symbols"]) == list(marks["symbols"]) != sorted(marks["symbols"])


def test_an_overlay_is_drawn_as_what_it_extends_wherever_it_lies() -> None:
    assert (
        read_drawing(VARIANT.parent / "no-mans-land-1.4.2")
        == read_drawing(VARIANT)
        != read_drawing(VARIANT.parent.parent)
    )


def count(state: State, owner: str, place: str, kind: str) -> int:
    return sum(row["n"] for _, row in state.stacks(at=place, owner=owner) if row["kind"] == kind)


def sent(game: Game, nation: str, text: str) -> list[str]:
    """Orders handed in as a player hands them in; gives what was found wrong with them."""
    taken = take_in(game.ruleset, text, Views(game).world, nation=nation)
    game.submit(Submission(nation, text, list(taken.orders), dict(taken.answers)))
    return [found.message for found in taken.found if found.severity == "error"]


def test_a_power_sends_its_whole_turn_in_one_file(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {"germany": "player"})
    file = """
    attack 6 infantry, 1 heavy gun from alsace to champagne: withdraw after 1 round
    buy 6 infantry in berlin
    regroup 4 infantry from berlin to brandenburg
    buy 3 trenches
    place 3 trenches in alsace
    """
    assert sent(game, "germany", file) == []
    resolve_turn(game)
    state = game.stage().position.state
    assert (
        count(state, "germany", "brandenburg", "infantry") == 8
        and count(state, "germany", "berlin", "infantry") == 6
    )
    assert count(state, "germany", "alsace", "trench") == 3 and game.awaited() == ["germany"]


def test_who_awaits_the_battles_is_asked_again_and_what_he_had_ordered_stands_until_then(
    tmp_path: Path, rules: Ruleset
) -> None:
    for again, brandenburg in ((None, 8), ("regroup 1 infantry from berlin to brandenburg", 5)):
        game = begun(tmp_path / str(brandenburg), rules, {"germany": "player"})
        assert sent(game, "germany", "await the battles\nregroup 4 infantry from berlin to brandenburg") == []
        resolve_turn(game)
        assert (
            game.awaited() == ["germany"]
            and wanted_now(game) == "the orders after the battles of turn 1 from Germany"
        )
        if again:
            assert sent(game, "germany", again) == []
        resolve_turn(game, force=not again)
        assert count(game.stage().position.state, "germany", "brandenburg", "infantry") == brandenburg


def test_who_could_scramble_is_asked_inside_the_turn_of_his_enemy(tmp_path: Path, rules: Ruleset) -> None:
    scenario, _, _ = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None
    fields = {
        **scenario["fields"],
        "places": {**scenario["fields"]["places"], "london": {"factory_size": "major", "airfield": True}},
    }
    units = [*scenario["units"], {"owner": "britain", "at": "london", "units": {"fighter": 4}}]
    seats = dict.fromkeys(("germany", "britain"), "player")
    game = new_game(
        tmp_path / "game", {**scenario, "fields": fields, "units": units}, rules, id_="nml", seats=seats
    )
    assert sent(game, "germany", "sail 1 submarine from sea-zone-12 to sea-zone-16") == []
    resolve_turn(game)
    assert (
        game.awaited() == ["britain"]
        and wanted_now(game) == "the fighters to scramble of turn 1 from Britain"
    )
    assert sent(game, "britain", "buy 1 infantry in london\nscramble 4 fighters from london to sea-zone-16")
    assert not sent(game, "britain", "scramble 3 fighters from london to sea-zone-16")
    resolve_turn(game)
    told = [e.text for e in game.journal() if e.rule == "orders/scramble"]
    assert told == ["Britain: Move to Sea Zone 16 North Sea from London: 3 fighters."]
    assert (
        game.awaited() == ["britain"]
        and count(game.stage().position.state, "britain", "london", "fighter") == 4
    )


def test_research_is_offered_with_the_least_that_is_allowed_and_policies_research(
    tmp_path: Path, rules: Ruleset
) -> None:
    game = begun(tmp_path / "game", rules, {"germany": "player"})
    template = order_template(Views(game).world("germany"), "germany", game="nml")
    assert "# research ? with 1 token   # 5; 1 to 20; industry, naval, land" in template.splitlines()
    assert {r["action"] for p in rules.rows("policies").values() for r in p["actions"]} >= {
        "research",
        "repair-factory",
    }


def test_troops_of_a_power_across_the_sea_go_aboard_sail_and_land(tmp_path: Path, rules: Ruleset) -> None:
    """The army of the USA waits in America; in four turns some of it stands in Europe, and no order had to be dropped."""
    scenario, _, _ = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None
    seats = {
        n: "none" for n, row in rules.rows("nations").items() if row.get("seat") != "none" and n != "usa"
    }
    game = new_game(
        tmp_path / "game", {**scenario, "start": {"turn": 6}}, rules, id_="nml", seats=seats, seed=bytes(32)
    )
    while game.stage().position.turn < 11:
        resolve_turn(game)
    europe = {p for p, row in rules.rows("places").items() if row.get("section") == "europe"}
    here = sum(
        row["n"] for _, row in game.stage().position.state.stacks(owner="usa") if row["place"] in europe
    )
    assert here >= 4
    assert not [e.text for e in game.journal() if "refused" in e.data and e.subject == "usa"]


def test_units_that_are_called_after_a_people_keep_their_capital(rules: Ruleset) -> None:
    assert (
        Wording(World(rules, State()), "britain").units({"bedouin": 2, "infantry": 1})
        == "2 Bedouins and 1 infantry"
    )


def test_fire_at_aircraft_on_their_way_is_no_battle_without_a_decision(rules: Ruleset) -> None:
    """Guns alone fire: it is called what it is, by itself and before the battle that it is told with."""
    (begins,) = own_turns(rules)
    sides = {"attacker": {"russia": {"zeppelin": 1}}, "defender": {"germany": {"aa-gun": 1}}}
    entries = [Entry(1, 1, "", begins, "", "russia")]
    fire = [{"dice": [6], "die": 6, "hits": 0, "kind": "aa-gun", "n": 1, "owner": "germany",
             "side": "defender", "stage": "guns", "value": 1}]  # fmt: skip
    for n, data in enumerate(
        (
            {"event": "begin", "sides": sides},
            {"event": "round", "round": 1, "sides": sides, "fire": fire, "lost": {}},
            {"event": "end", "winner": None, "lost": {}},
        )
    ):
        head = {"battle": "flak-on-the-way", "place": "galicia"}
        entries.append(
            Entry(n + 2, 1, "overflight", "battles/flak-on-the-way", "", "galicia", data={**head, **data})
        )
    world = World(rules, State())
    said = [p.text for p in rounds.blocks(entries, Wording(world, "britain")) if isinstance(p, Para)]
    assert said[0] == "Galicia saw anti-aircraft fire on the way (lost none of 1, Germany none of 1)."
    for reader, who in (("russia", "you 1 zeppelin"), ("germany", "Russia 1 zeppelin")):
        (told,) = (b for b in fights.blocks(entries, Wording(world, reader)) if isinstance(b, Table))
        assert told.brief.startswith(f"Galicia, anti-aircraft fire on the way: {who}, lost nothing;")
    land = {"attacker": {"russia": {"infantry": 1}}, "defender": {"germany": {"infantry": 1}}}
    head = {"battle": "land", "place": "galicia"}
    entries += [
        Entry(5, 1, "land-battles", "battles/land", "", "galicia", data={**head, "event": "begin", "sides": land}),
        Entry(6, 1, "land-battles", "battles/land", "", "galicia",
              data={**head, "event": "end", "winner": "attacker", "lost": {"defender": land["defender"]}}),
    ]  # fmt: skip
    (told,) = (b for b in fights.blocks(entries, Wording(world, "russia")) if isinstance(b, Table))
    assert told.brief.endswith(
        "Anti-aircraft fire on the way: your 1 zeppelin against 1 anti-aircraft gun of Germany, no losses."
    )


def test_an_option_that_was_typed_is_a_number_where_its_default_is_one(
    tmp_path: Path, rules: Ruleset
) -> None:
    assert [option_value(rules, "bid-germany", typed) for typed in ("300", 300, "0")] == [300, 300, 0]
    with pytest.raises(NotThere, match="bid-germany cannot be 'much'; it is a whole number, such as 0"):
        option_value(rules, "bid-germany", "much")
    scenario, _, _ = load_scenario(scenarios() / "no-mans-land.yaml")
    assert scenario is not None
    game = new_game(
        tmp_path / "game", scenario, rules, id_="nml", options={"bid-germany": "12"}, seed=bytes(32)
    )
    assert game.stage().position.state.get("nations", "germany", "set_aside") == 100, (
        "what it had waits until the bid is spent"
    )


def test_a_scenario_says_what_every_power_in_play_begins_with(tmp_path: Path) -> None:
    whole = YAML(typ="safe").load(scenarios() / "no-mans-land.yaml")

    def found(**changed: object) -> list[str]:
        file = tmp_path / "start.yaml"
        YAML().dump(whole | changed, file)
        return [f"{d.code} {d.message}" for d in load_scenario(file)[2] if d.code == "E414"]

    nations = whole["nations"]
    poor = {"treasury": {"nation": {"pu": 0}}}
    assert found() == found(nations=nations | {"japan": poor}) == []
    without = {nation: row for nation, row in nations.items() if nation != "japan"}
    assert found(nations=without) == ["E414 Japan begins without a word of its pu"]
    others = [row for row in whole["units"] if row["owner"] != "japan"]
    assert found(units=others) == ["E414 Japan begins without a word of its units"]


def test_points_of_a_turn_say_whose_orders_they_wait_for(tmp_path: Path, rules: Ruleset) -> None:
    """Powers play one after the other, so that a turn waits for orders many times over."""
    game = begun(tmp_path / "game", rules, {"austria": "player"})
    assert [waits for _, _, waits in points(game)] == ["orders"], "one alone needs no name"
    resolve_turn(game)
    told = [waits for _, turn, waits in points(game) if turn == 1]
    assert (
        told[0] == "orders from Germany" and told[-1] == "orders from Austria" and len(set(told)) == len(told)
    )
    with pytest.raises(NotThere, match=r"orders of Germany are wanted; those of Austria are put right by"):
        what_if(game, 1, "austria", "buy 2 infantry in Vienna")
    change = what_if(game, 1, "germany", "buy 2 infantry in Berlin")
    assert change.after and not any("/" in said for said in (*change.before, *change.after)), "in words alone"
    assert not set(change.before) & set(change.after), "what comes all the same is no difference"


def test_a_fleet_that_sails_to_enemies_is_told_who_lies_there(tmp_path: Path, rules: Ruleset) -> None:
    game = begun(tmp_path / "game", rules, {"germany": "player"})
    world = Views(game, game.stage().position).world("germany")
    line = "sail 1 cruiser from Sea Zone 12 to Sea Zone {}"
    lines = "\n".join(line.format(n) for n in (16, 13))
    taken = take_in(rules, lines, lambda _: world, nation="germany", game="nml", turn=1)
    seen = {o.line: o.seen for g in read_back(world, taken).groups for o in g.orders}
    assert "of Britain" in seen[1] and seen[2] == ""
