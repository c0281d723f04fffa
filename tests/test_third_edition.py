"""The 3rd Edition as a layer: it states only differences, leaves the base as it is, and is played in turns of players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wteaw.core.frame import inputs, phases, steps
from wteaw.core.journal import Entry
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import Entity, State
from wteaw.play.begin import new_game
from wteaw.play.pending import commanded
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.report import fights, rounds, verdicts
from wteaw.report.document import Para
from wteaw.report.fought import fights_in
from wteaw.report.wording import Wording
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.ruleset.compare import compare
from wteaw.ruleset.describe_diff import tell
from wteaw.store import Game
from wteaw.turn.referee import waiting_seats
from wteaw.turn.sequence import own_turns
from wteaw.world.world import World

OVERLAY = rulesets() / "variants" / "third-edition"


def loaded(folder: Path) -> Ruleset:
    rules, found = load_ruleset(folder)
    assert rules is not None, [d.message for d in found if d.severity == "error"]
    return rules


@pytest.fixture(scope="module")
def base() -> Ruleset:
    return loaded(rulesets())


@pytest.fixture(scope="module")
def third() -> Ruleset:
    return loaded(OVERLAY)


def test_the_base_is_the_same_with_and_without_the_overlay(tmp_path: Path) -> None:
    """Loading the overlay, before or after, leaves the base's hash alone; so does a base in whose folder there is none."""
    import shutil

    alone = tmp_path / "ruleset"
    shutil.copytree(rulesets(), alone, ignore=shutil.ignore_patterns("variants", "tests", "map"))
    before, _ = load_ruleset(rulesets(), cache=False)
    over, _ = load_ruleset(OVERLAY, cache=False)
    after, _ = load_ruleset(rulesets(), cache=False)
    copy, _ = load_ruleset(alone, cache=False)
    assert before is not None and over is not None and after is not None and copy is not None
    assert before.hash == after.hash == copy.hash != over.hash


def test_rows_of_the_overlay_are_differences(base: Ruleset, third: Ruleset) -> None:
    """Every row that the overlay gives again differs from the base's: in a value, or in what it cites."""
    for form, rows in third.forms.items():
        for id_, row in rows.items():
            if base.has(form, id_) and not third.origin(form, id_).startswith("../"):
                assert row != base.row(form, id_), f"{form}/{id_} says nothing new"


def test_what_the_overlay_does_not_name_is_the_bases_own(base: Ruleset, third: Ruleset) -> None:
    changed = {d.name for d in compare(base, third)}
    for form, rows in base.forms.items():
        for id_, row in rows.items():
            if not any(name in (f"{form}/{id_}", form) for name in changed) and third.has(form, id_):
                ours = {
                    k: v for k, v in third.row(form, id_).items() if k not in ("source", "note", "silence")
                }
                assert ours == {k: v for k, v in row.items() if k not in ("source", "note", "silence")}, (
                    form,
                    id_,
                )


def test_no_row_of_the_base_is_replaced_by_accident(base: Ruleset, third: Ruleset) -> None:
    """A row that both have, and that the overlay makes again with nothing left of the base's, would be a clash of names."""
    for form, rows in third.forms.items():
        for id_, row in rows.items():
            if base.has(form, id_) and not third.origin(form, id_).startswith("../"):
                kept = [k for k in base.row(form, id_) if k != "id" and row.get(k) == base.row(form, id_)[k]]
                assert kept or len(base.row(form, id_)) <= 3, f"{form}/{id_} has nothing of the base's row"


def test_a_player_goes_through_twelve_phases(third: Ruleset) -> None:
    turn = third.sequence[1]
    assert third.sequence[0]["phase"] == "deployment", (
        "before the first game turn, all players deploy together"
    )
    assert turn["each"] == "nation" and turn["own_turn"] is True
    names = [str(p["name"]) for p in phases(turn["steps"])]
    assert [int(name.partition(".")[0]) for name in names] == list(range(1, 13))
    assert [p["phase"] for p in phases(third.sequence)][-1] == "special-rules"
    orders, answers = inputs(turn["steps"])
    assert orders["from"] == "nation"
    assert not answers["takes"] and "'actions/offer-surrender'" in answers["when"], (
        "its enemies are asked only how they answer"
    )


def test_every_step_of_the_base_is_still_there_but_those_that_are_dropped(
    base: Ruleset, third: Ruleset
) -> None:
    def names(rules: Ruleset) -> set[str]:
        return {str(s.get("step", s["do"])) for s in steps(rules.sequence)}

    fire_on_the_way = {
        "overflights",
        "overflights-of-strikes",
        "overflights-of-rebasing",
        "overflights-at-sea",
    }
    assert names(base) - names(third) == {"declarations", "arrivals", "rebasing", *fire_on_the_way}


def test_the_differences_are_told_in_words(base: Ruleset, third: Ruleset) -> None:
    told = list(tell(compare(base, third), base, third, lambda origin: origin))
    text = "\n".join(told)
    assert "  in player-turn, no more in the turn: orders, diplomacy" in text
    assert "    enter: fight → never" in told
    assert "gone: close-passage, close-passage-to-all" in text
    assert "  new: standing (Standing of the minor nations)  [third.influence.track]" in text
    assert not [line for line in told if "source:" in line or "basis:" in line]


def test_mistakes_in_the_overlay_are_told_at_its_own_lines(tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "ruleset"
    shutil.copytree(
        rulesets(),
        copy,
        ignore=shutil.ignore_patterns("tests", "map", "alliances", "no-mans-land", "empire*"),
    )
    file = copy / "variants" / "third-edition" / "tables" / "war.yaml"
    text = file.read_text()
    file.write_text(text + "units:\n- {id: infantri, remove: true}\n- {id: infantry, remove: [gone]}\n")
    last = len(text.splitlines())
    _, found = load_ruleset(copy / "variants" / "third-edition", cache=False)
    errors = [(d.file, d.line, d.code, d.hint) for d in found if d.severity == "error"]
    assert errors == [
        ("tables/war.yaml", last + 2, "E221", "did you mean 'infantry'?"),
        ("tables/war.yaml", last + 3, "E221", errors[1][3]),
    ]


# ---- played


@pytest.fixture(scope="module")
def scenario() -> tuple[dict[str, Any], Ruleset]:
    data, rules, found = load_scenario(scenarios() / "third-edition-1914.yaml")
    assert data is not None and rules is not None, [d.message for d in found]
    return data, rules


def test_the_scenario_is_that_of_1914_but_for_what_it_says(scenario: tuple[dict[str, Any], Ruleset]) -> None:
    below, _, _ = load_scenario(scenarios() / "1914.yaml")
    assert below is not None
    assert scenario[0]["units"] == below["units"]
    assert scenario[0]["nations"]["german-empire"] == below["nations"]["german-empire"]
    assert scenario[0]["nations"]["british-empire"] == {
        **below["nations"]["british-empire"],
        "side": "allied",
    }


def test_players_move_one_after_the_other(tmp_path: Path, scenario: tuple[dict[str, Any], Ruleset]) -> None:
    """Three input points: each asks one nation, in the order of the table, and the next one sees what the one before did."""
    data, rules = scenario
    game = new_game(tmp_path / "game", data, rules, id_="g", seed=bytes(32))
    order = rules.row("groups", "turn-order")["members"]
    for nation in order[:3]:
        assert game.awaited() == [nation]
        assert game.stage().position.turn == 1
        outcome = resolve_turn(game)
        assert outcome.played == (nation,)
        said = [e for e in outcome.result.entries if e.rule.startswith(("orders/", "production/"))]
        assert {e.subject.partition(":")[0] for e in said} <= {nation}
    assert len(commanded(game)) > len(order) - 1
    again = Game.open(tmp_path / "game")
    assert waiting_seats(again.ruleset, again.stage().position) == [order[3]]


def _battle(
    n: int, row: str, place: str, sides: dict[str, Any], winner: str | None, lost: dict[str, Any]
) -> list[Entry]:
    head = {"battle": row, "place": place}
    begin = Entry(
        n, 1, "battles", f"battles/{row}", "", place, data={**head, "event": "begin", "sides": sides}
    )
    end = {**head, "event": "end", "winner": winner, "lost": lost}
    return [begin, Entry(n + 1, 1, "battles", f"battles/{row}", "", place, data=end)]


@pytest.mark.parametrize(
    ("attacker", "defender", "winner", "taken", "told"),
    [
        ("germany", "britain", "attacker", False, "North Sea lost (lost 1 of 2, Germany none of 3)."),
        ("germany", "britain", "defender", False, "North Sea won (lost 1 of 2, Germany none of 3)."),
        ("germany", "britain", None, False, "North Sea undecided (lost 1 of 2, Germany none of 3)."),
        ("britain", "germany", "attacker", False, "North Sea won (lost none of 3, Germany 1 of 2)."),
        (
            "britain",
            "germany",
            "defender",
            False,
            "North Sea held against it (lost none of 3, Germany 1 of 2).",
        ),
        ("britain", "germany", "attacker", True, "North Sea taken (lost none of 3, Germany 1 of 2)."),
    ],
)
def test_the_news_of_a_turn_says_who_won_whoever_attacked(
    third: Ruleset, attacker: str, defender: str, winner: str | None, taken: bool, told: str
) -> None:
    """In the turn of a player others attack, too: submarines in wait win what they have lost. A fight in the air before the
    battle on the ground is told with it."""
    ids = {"britain": "british-empire", "germany": "german-empire"}
    (begins,) = own_turns(third)
    a, d = ids[attacker], ids[defender]
    sides = {"attacker": {a: {"infantry": 3}}, "defender": {d: {"infantry": 2}}}
    air = {"attacker": {a: {"fighter": 1}}, "defender": {d: {"fighter": 1}}}
    entries = [
        Entry(1, 1, "", begins, "", "british-empire"),
        *_battle(2, "dogfight", "north-sea", air, "defender", {}),
        *_battle(4, "land", "north-sea", sides, winner, {"defender": {d: {"infantry": 1}}}),
    ]
    if taken:
        data = {"place": "north-sea", "to": "british-empire"}
        entries.append(Entry(6, 1, "battles", "capture/capture", "", "north-sea", data=data))
    world = World(third, State())
    (para,) = rounds.blocks(entries, Wording(world, ""))
    assert isinstance(para, Para) and para.text == told


def test_a_battle_is_told_as_it_ended_whoever_has_the_place_after_later_ones(third: Ruleset) -> None:
    """Three turns in one place: an attack is beaten off, then another takes it, then an ally frees it. What
    the later ones bring changes nothing in what is told of the earlier ones."""
    (begins,) = own_turns(third)
    germany, britain, france = "german-empire", "british-empire", "french-empire"
    entries = []
    for n, (power, defender, winner, to) in enumerate(
        (
            (france, germany, "defender", None),
            (britain, germany, "attacker", britain),
            (germany, britain, "attacker", germany),
            (britain, germany, "attacker", france),
        )
    ):
        sides = {"attacker": {power: {"infantry": 4}}, "defender": {defender: {"infantry": 4}}}
        lost = {"defender": {defender: {"infantry": 1 + n}}}
        entries += [
            Entry(5 * n + 1, 1, "", begins, "", power),
            *_battle(5 * n + 2, "land", "north-sea", sides, winner, lost),
        ]
        if to:
            data = {"place": "north-sea", "from": defender, "to": to, "by": [power]}
            entries.append(Entry(5 * n + 4, 1, "battles", "capture/capture", "", "north-sea", data=data))
    world = World(third, State())
    taken = verdicts.captured_in(entries, third)
    without = " without a round"
    told = {
        germany: ["held", "lost", "taken", "lost"],
        britain: ["held", "taken", "lost", "freed for France"],
        france: ["attack beaten off", "taken by Britain", "taken by Germany", "freed for you"],
    }
    for reader, ended in told.items():
        words = Wording(world, reader)
        assert [verdicts.verdict(f, taken, words) for f in fights_in(entries)] == [v + without for v in ended]
    of_germany = [good for _, good in fights.outcomes(entries, Wording(world, germany))]
    of_britain = [good for _, good in fights.outcomes(entries, Wording(world, britain))]
    assert sorted(of_germany) == ["failure", "failure", "success", "success"]
    assert sorted(of_britain) == ["failure", "success", "success"]
    news = [para.text for para in rounds.blocks(entries, Wording(world, "")) if isinstance(para, Para)]
    assert [text.split(" (")[0] for text in news] == [
        "North Sea held against it",
        "North Sea taken",
        "North Sea taken",
        "North Sea freed for France",
    ]


def test_no_bot_pays_a_spy_for_the_box_that_everybody_sees(base: Ruleset, third: Ruleset) -> None:
    """The same row of `policies` asks who hides where it leans: small nations in the base, nobody here."""
    for rules, hides in ((base, True), (third, False)):
        (rule,) = (
            r for r in rules.rows("policies")["secret-service"]["actions"] if r["action"] == "spy-status"
        )
        world = World(rules, State())
        targets = {
            n: world.test(rule["when"], {"target": Entity("nation", n)})
            for n in ("switzerland", "french-empire")
        }
        assert targets == {"switzerland": hides, "french-empire": False}


@pytest.mark.parametrize(
    ("reader", "dives", "told", "verdict"),
    [
        ("", 2, "Met without a fight: North Sea.", "the defenders evaded"),
        ("british-empire", 2, None, "the enemy evaded"),
        ("german-empire", 2, None, "you evaded"),
        ("", 1, "Met without a fight: North Sea.", "undecided"),
    ],
)
def test_a_battle_that_a_side_evades_is_called_so(
    third: Ruleset, reader: str, dives: int, told: str | None, verdict: str
) -> None:
    """Who leaves a battle whole and stays in the place has evaded it; where one of two leaves it is undecided."""
    (begins,) = own_turns(third)
    sides = {
        "attacker": {"british-empire": {"cruiser": 3}},
        "defender": {"german-empire": {"submarine": 2}},
    }
    begin, end = _battle(2, "sea", "north-sea", sides, None, {})
    gone = [{"owner": "german-empire", "kind": "submarine", "n": dives, "to": "north-sea"}]
    data = {**begin.data, "event": "leave", "side": "defender", "left": gone}
    leave = Entry(4, 1, "battles", "battles/sea", "", "north-sea", data=data)
    entries = [Entry(1, 1, "", begins, "", "british-empire"), begin, leave, end]
    world = World(third, State())
    words = Wording(world, reader)
    if told is not None:
        (para,) = rounds.blocks(entries, words)
        assert isinstance(para, Para) and para.text == told
    (fight,) = fights_in(entries)
    assert verdicts.verdict(fight, {}, words).startswith(verdict)
