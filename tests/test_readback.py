"""Orders read back: every line that stands in full words, with its price and what is left; what does not stand, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wteaw.bots import plan
from wteaw.core.dice import KeyedDice
from wteaw.core.state import unit_key
from wteaw.odds.attack_odds import in_words
from wteaw.orders.intake import Intake, take_in
from wteaw.orders.odds_question import Composer
from wteaw.orders.readback import ReadBack, read_back
from wteaw.orders.readback_text import WIDTH, rendered
from wteaw.ruleset.order_syntax import FormError, read_form, slots_in
from wteaw.turn.referee import waiting_seats
from wteaw.world.view import UNKNOWN
from wteaw.world.world import World

from .test_law_orders import begun, known_to

NAMES = ("1914", "third-edition-1914", "alliances-6", "diplomacy", "no-mans-land", "empire-orders")


@pytest.fixture
def germany() -> World:
    return known_to("1914", begun("1914", 2)[2], "german-empire")


def read(world: World, nation: str, text: str, **more: Any) -> tuple[Intake, ReadBack]:
    taken = take_in(world.ruleset, text, lambda _: world, nation=nation, **more)
    return taken, read_back(world, taken, game="flanders")


def said(back: ReadBack) -> list[str]:
    return [one.says for group in back.groups for one in group.orders]


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_of_a_row_can_be_read_and_names_slots_of_its_form(name: str) -> None:
    ruleset = begun(name, 1)[0]
    found = 0
    for form in ("orders", "actions", "decisions", "order_options"):
        for row in ruleset.rows(form).values():
            if "read_back" not in row:
                continue
            found += 1
            try:
                named = {s.name for s in slots_in(read_form(row["read_back"], row.get("slots")))}
            except FormError as error:
                raise AssertionError(row["id"]) from error
            assert named == {s.name for s in slots_in(read_form(row["syntax"], row.get("slots")))}, row["id"]
    assert found > 2


def test_what_hangs_on_the_votes_of_others_is_told_and_paid_in_its_case_only() -> None:
    world = known_to("1914", begun("1914", 2)[2], "austria-hungary")
    text = "spy on builds of serbia\noffer surrender\nbuild 1 infantry in vienna\n"
    _, alone = read(world, "austria-hungary", "build 1 infantry in vienna\n")
    taken, back = read(world, "austria-hungary", text)
    spies = next(one for group in back.groups for one in group.orders if one.line == 1)
    assert spies.hangs_on == ("stands if 'offer surrender' fails",) and spies.cost
    assert taken.clean and back.left == alone.left
    assert [i.conditions for i in taken.intents if i.order["line"] != 1] == [(), ()]


def test_each_line_is_told_with_its_price_and_what_is_left_in_the_order_of_the_turn(germany: World) -> None:
    text = "build 4 infantry in danzig\nresearch improved artillery\nmove 4 infantry from cologne to ruhr\n"
    taken, back = read(germany, "german-empire", text)
    assert taken.clean and back.standing == 3 and back.not_taken == ()
    assert [g.title for g in back.groups] == ["Technology", "Building new units", "Combat and movement"]
    assert said(back) == [
        "You try to discover Improved artillery",
        "4 infantry in Danzig",
        "4 infantry go from Cologne to the Ruhr",
    ]
    tried, built, moved = (one for group in back.groups for one in group.orders)
    assert tried.cost == {"money": 10} and tried.left["money"] == back.start["money"] - 10
    assert (
        built.cost == {"money": 24, "manpower": 4}
        and built.left["money"] == back.left["money"] == back.start["money"] - 34
    )
    assert back.left["manpower"] == back.start["manpower"] - 4 and moved.cost == {} and built.line == 1


def test_an_attack_is_told_as_one_with_its_conditions_and_who_is_known_to_be_there(germany: World) -> None:
    _, back = read(
        germany,
        "german-empire",
        "move 1 infantry from cologne to belgium: withdraw after 3 rounds, withdraw above 2 losses",
    )
    one = back.groups[0].orders[0]
    assert back.groups[0].title == "Attacks" and one.says == "Attack on Belgium: 1 infantry from Cologne"
    assert one.attacks == ("Belgium",) and one.options == (
        "withdraw after 3 rounds",
        "withdraw above 2 losses",
    )
    assert one.seen and any("declaration" in note for note in one.notes)


def test_what_hangs_on_the_dice_of_an_earlier_line_says_so(germany: World) -> None:
    lines = "upgrade improved artillery\nresearch improved artillery\n"
    _, back = read(germany, "german-empire", lines)
    assert any(one.hangs_on for group in back.groups for one in group.orders)


def test_units_without_an_order_are_listed_and_emptied_places_are_named(germany: World) -> None:
    _, before = read(germany, "german-empire", "")
    idle = dict(before.idle)
    n, kind = idle["Danzig"].partition(", ")[0].split(" ", 1)
    assert before.again == ()
    _, back = read(germany, "german-empire", "move all from danzig to berlin")
    assert "Danzig" not in dict(back.idle) and n in said(back)[0] and kind in said(back)[0]
    assert any("Danzig" in text for text in back.again)


def test_a_file_for_another_turn_is_not_taken_at_all(germany: World) -> None:
    _, back = read(
        germany,
        "german-empire",
        "game flanders nation german-empire turn 7\nbuild 1 infantry in danzig",
        turn=2,
    )
    assert back.refused and back.standing == 0 and "NOTHING OF THIS FILE IS TAKEN" in rendered(back)


def test_it_is_the_same_structure_as_plain_data(germany: World) -> None:
    _, back = read(germany, "german-empire", "build 4 infantry in danzig\nbuild 2 battleships in stuttgart")
    data = json.loads(json.dumps(back.to_json(), default=str))
    assert data["standing"] == 1 and data["groups"][0]["orders"][0]["says"] == "4 infantry in Danzig"
    assert [(n["line"], n["verdict"]) for n in data["not_taken"]] == [(2, "refused")]


def _keys(taken: Any) -> list[str]:
    return sorted(repr((i.verb, i.slots, i.order.get("options"))) for i in taken.intents)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_policy_orders_is_read_back_whole_and_word_for_word(name: str) -> None:
    """The line that is shown as understood is the same order, and the text keeps to the width of a mail."""
    ruleset, _, here = begun(name, 1)
    seats = sorted(waiting_seats(ruleset, here), key=lambda n: -len(here.state.stacks(owner=n)))[:3]
    total = 0
    for nation in seats:
        world = known_to(name, here, nation)
        orders = plan(
            world, nation, KeyedDice(b"orders", 1).stream(step="input", rule="policies/plan", subject=nation)
        )
        taken, back = read(world, nation, "\n".join(o["text"] for o in orders))
        assert (taken.clean or back.general) and back.standing == len(taken.intents) and not back.mended
        again, _ = read(world, nation, "\n".join(intended(back)))
        assert _keys(again) == _keys(taken)
        text = rendered(back)
        assert max(map(len, text.splitlines())) <= WIDTH and "{" not in text and "None" not in text
        total += back.standing
    assert total or name in ("empire-orders", "diplomacy")


def intended(back: ReadBack) -> list[str]:
    return [one.order for group in back.groups for one in sorted(group.orders, key=lambda o: o.line)]


def test_a_file_that_fails_as_a_whole_is_read_back_line_by_line_all_the_same() -> None:
    rules, _, here = begun("empire-orders", 1)
    nation = sorted(waiting_seats(rules, here))[0]
    world = known_to("empire-orders", here, nation)
    place = next(p for p in rules.rows("places") if world.holder_of(p) == nation)
    line = f"deploy 1 infantry to {rules.row('places', place)['name']}"
    taken, back = read(world, nation, f"{line}\nfly me to the moon of Alder")
    text = rendered(back)
    assert taken.orders == () and back.standing == 0 and back.withheld
    assert len(said(back)) == 1 and "1 infantry is deployed in" in text
    assert (
        text.index("NO ORDERS ARE VALID")
        < text.index("NONE OF THE ORDERS COUNTS")
        < text.index("none of it counts yet")
    )
    assert len(back.not_taken) == 1


@pytest.mark.parametrize("shown", [False, True], ids=["nothing is shown", "a magnitude is shown"])
def test_the_odds_of_an_attack_are_those_of_the_command(germany: World, shown: bool) -> None:
    state = germany.state.copy()
    for key, _ in list(state.stacks(at="plock")):
        state.put("units", key, "*", None)
    if shown:
        veiled = {"owner": "russian-empire", "kind": UNKNOWN, "place": "plock", "n": 1, "range": "0..5"}
        state.put("units", unit_key("russian-empire", UNKNOWN, "plock"), "*", veiled)
    state.put(
        "knowledge",
        "german-empire",
        "units:plock",
        {"units": {"infantry": 3}, "n": 3, "since": germany.always()["turn"]},
    )
    state.put("places", "plock", "holder", "russian-empire")
    world = World(germany.ruleset, state, moments=germany.moments, geography=germany.geography)
    lines = "move 2 infantry, 1 artillery from danzig to plock: withdraw after 2 rounds\nmove 1 infantry from konigsberg to plock"
    taken = take_in(world.ruleset, lines, lambda _: world, nation="german-empire")
    assert len(taken.orders) == 2, taken.found
    back = read_back(world, taken, game="g", with_odds=True)
    (first, second) = [s for g in back.groups for s in g.orders]
    composer = Composer(world)
    written, _ = composer.from_orders(lines, "german-empire", {("russian-empire", "infantry"): 3})
    found, _ = composer.resolved(written)
    assert first.odds == "" and second.odds == in_words(found) and found.trials == 0
    assert f"{round(100 * found.field)} of 100 cases" in rendered(back).replace("\n        ", " ")
    assert read_back(world, taken, game="g").groups[0].orders[1].odds == ""


def test_no_odds_against_whom_nobody_has_counted() -> None:
    germany = known_to("1914", begun("1914", 1)[2], "german-empire")
    lines = "move 2 infantry from konigsberg to lithuania\nmove 2 infantry from cologne to alsace-lorraine"
    taken = take_in(germany.ruleset, lines, lambda _: germany, nation="german-empire")
    back = read_back(germany, taken, game="g", with_odds=True)
    attacks = [s for g in back.groups for s in g.orders if s.attacks]
    assert attacks and all(
        s.odds == "" for s in attacks if "or more" in s.seen or "unknown" in s.seen or not s.seen
    )
    assert any(s.odds == "" for s in attacks)
