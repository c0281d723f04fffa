"""The ruleset of support and convoys, as its users meet it: a whole game, the template, reports, the reasons of outcomes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.orders.intake import take_in
from wteaw.orders.sheet_layout import order_template
from wteaw.play.begin import new_game
from wteaw.play.explain import why
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.play.views import view_world
from wteaw.report.render import as_text
from wteaw.report.turn_reports import report
from wteaw.store import Game, Submission

SEED = bytes(range(32))


@cache
def rules() -> tuple[Any, Any]:
    scenario, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    return scenario, ruleset


def started(folder: Path, *players: str, **options: Any) -> Game:
    scenario, ruleset = rules()
    return new_game(
        folder, scenario, ruleset, id_="g", seats=dict.fromkeys(players, "player"), options=options, seed=SEED
    )


def send(game: Game, nation: str, text: str) -> list[str]:
    taken = take_in(game.ruleset, text, lambda n: view_world(game, n), nation=nation)
    game.submit(Submission(nation, text, list(taken.orders), dict(taken.answers), "player"))
    return [d.message for d in taken.found if d.severity == "error"]


def test_lines_that_were_read_before_are_taken_alike_and_are_nobody_elses(tmp_path: Path) -> None:
    game = started(tmp_path, "france")
    world = view_world(game, "france")
    text = "A Par - Bur\nA Mar S A Par - Bur\nF Bre - Nowhere\n"
    first = take_in(game.ruleset, text, lambda _: world, nation="france")
    first.orders[0]["slots"]["target"] = "spoiled"
    later = take_in(game.ruleset, f"\n{text}A Par H\n", lambda _: world, nation="france")
    assert [order["line"] for order in later.orders] == [2, 3]
    assert [order["slots"].get("target") for order in later.orders] == ["burgundy", "paris"]
    assert [(d.line, d.code) for d in later.found] == [(4, "O103"), (5, "O203")]
    german = take_in(game.ruleset, text, lambda n: view_world(game, n), nation="germany")
    assert {d.line for d in german.found if d.severity == "error"} == {1, 2, 3} and not german.orders


def test_policies_play_to_a_draw(tmp_path: Path) -> None:
    game = started(tmp_path, **{"bots-vote-from": 1903})
    for _ in range(40):
        if game.stage().position.ended:
            break
        resolve_turn(game)
    position = game.stage().position
    assert position.ended
    centers = sum(bool(row.get("center")) for row in game.ruleset.rows("places").values())
    assert centers == 34
    held = {p: row["holder"] for p, row in position.state.table("places").items() if row.get("holder")}
    assert len(held) > 5, "powers have taken centers that nobody held"
    journal = game.journal()
    assert any(e.rule == "actions/build" for e in journal) and any(
        e.rule == "actions/support-move" for e in journal
    )


def test_the_template_offers_the_units_and_their_goals(tmp_path: Path) -> None:
    game = started(tmp_path, "france")
    text = order_template(view_world(game, "france"), "france")
    assert "# ? holds   # Brest, Marseilles, Paris" in text
    assert "# Brest to ?   # English Channel, Gascony" in text and "build" not in text.lower()


def test_a_report_tells_what_became_of_every_order(tmp_path: Path) -> None:
    game = started(tmp_path, *rules()[1].rows("nations"))
    assert send(game, "france", "A Par - Bur\nA Mar S A Par - Bur") == []
    assert send(game, "germany", "A Mun - Bur") == []
    assert send(game, "italy", "A Ven - Lyo") == ["an army cannot go to sea, and Gulf of Lyon is sea"]
    resolve_turn(game, force=True)
    data = report(game, "turkey")
    lines = {line.text: line.outcome for section in data.sections for line in section.lines}
    assert lines["France: A PAR - BUR: succeeds."] == ("succeeds",)
    assert lines["Germany: A MUN - BUR: fails (1 against 2 of Paris)."] == ("fails",)
    text = " ".join(as_text(data).split())
    assert "* France: A PAR - BUR: succeeds; A MAR S A PAR - BUR: given." in text
    own = " ".join(as_text(report(game, "france")).split())
    assert "2 YOUR ORDERS * A PAR - BUR: succeeds. * A MAR S A PAR - BUR: given." in own


def test_the_reason_names_who_cut_what(tmp_path: Path) -> None:
    game = started(tmp_path, *rules()[1].rows("nations"))
    assert send(game, "italy", "A Ven S A Rom - Tus\nA Rom - Tus") == []
    assert send(game, "austria", "F Tri - Ven") == []
    resolve_turn(game, force=True)
    answer = why(game.ruleset, game.stage().position.state, game.journal(), "venice given")
    assert "The support of Venice for Rome is cut by Trieste." in [entry.text for entry, _ in answer.history]
    answer = why(game.ruleset, game.stage().position.state, game.journal(), "trieste goes")
    assert "Trieste to Venice fails, 1 against 1 of Venice." in [entry.text for entry, _ in answer.history]


def test_orders_are_secret_until_they_are_carried_out(tmp_path: Path) -> None:
    game = started(tmp_path, "france", "germany")
    send(game, "france", "A Par - Bur")
    shown = json.dumps(view_world(game, "germany").state.tables)
    assert "A Par - Bur" not in shown


@pytest.mark.parametrize("word", ["nc", "north coast", "(nc)", "/nc", "(North Coast)"])
def test_parts_of_a_place_are_named_after_it(word: str) -> None:
    from wteaw.core.words import joined
    from wteaw.orders.names import Names

    names = Names(rules()[1], None)
    for whole, part in (
        ("Spain", "spain-nc"),
        ("spa", "spain-nc"),
        ("St. Petersburg", "st-petersburg-nc"),
        ("stp", "st-petersburg-nc"),
    ):
        assert names.find("place", joined(f"{whole} {word}")) == (part,)
    assert names.find("place", joined(word)) == ()


def test_who_stands_in_a_part_stands_in_the_whole(tmp_path: Path) -> None:
    from wteaw.world.world import World

    game = started(tmp_path)
    world = World(game.ruleset, game.stage().position.state)
    assert world.value("place('st-petersburg').stack.place == 'st-petersburg-sc'", {})
    assert world.value("count(units(at=place('st-petersburg')))", {}) == 1
    assert world.value("count(units(at=place('st-petersburg-nc')))", {}) == 0
    assert world.value(
        "place('st-petersburg-nc').whole == 'st-petersburg' and place('moscow').whole == 'moscow'", {}
    )
    assert world.value("count(place('spain').parts)", {}) == 2
