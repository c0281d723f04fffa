"""Orders read back: every line that stands in full words, with its price and what is left; what does not stand, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from wteaw.core.dice import KeyedDice
from wteaw.orders.grammar import FormError, read_form, slots_in
from wteaw.orders.intake import Intake, take_in
from wteaw.orders.policies import plan
from wteaw.orders.readback import ReadBack, read_back
from wteaw.orders.readback_text import WIDTH, rendered
from wteaw.turn.referee import waiting_seats
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
    for form in ("orders", "acts", "decisions", "order_options"):
        for row in ruleset.rows(form).values():
            if "read_back" not in row:
                continue
            found += 1
            try:
                named = {s.name for s in slots_in(read_form(row["read_back"], row.get("slots")))}
            except FormError as error:
                raise AssertionError(row["id"]) from error
            assert named == {s.name for s in slots_in(read_form(row["form"], row.get("slots")))}, row["id"]
    assert found > 2


def test_each_line_is_told_with_its_price_and_what_is_left_in_the_order_of_the_turn(germany: World) -> None:
    text = "build 4 infantry in danzig\nresearch improved artillery\nmove 4 infantry from cologne to ruhr\n"
    taken, back = read(germany, "german-empire", text)
    assert taken.clean and back.standing == 3 and back.not_taken == ()
    assert [g.title for g in back.groups] == ["Technology", "Building new units", "Combat and movement"]
    assert said(back) == ["You try to discover Improved artillery", "4 infantry in Danzig", "4 infantry go from Cologne to Ruhr"]
    tried, built, moved = (one for group in back.groups for one in group.orders)
    assert tried.cost == {"money": 10} and tried.left["money"] == back.start["money"] - 10
    assert built.cost == {"money": 24, "manpower": 4} and built.left["money"] == back.left["money"] == back.start["money"] - 34
    assert back.left["manpower"] == back.start["manpower"] - 4 and moved.cost == {} and built.line == 1


def test_an_attack_is_told_as_one_with_its_conditions_and_who_is_known_to_be_there(germany: World) -> None:
    _, back = read(
        germany, "german-empire", "move 1 infantry from cologne to belgium: withdraw after 3 rounds, withdraw above 2 losses"
    )
    one = back.groups[0].orders[0]
    assert back.groups[0].title == "Attacks" and one.says == "Attack on Belgium: 1 infantry from Cologne"
    assert one.attacks == ("Belgium",) and one.options == ("withdraw after 3 rounds", "withdraw above 2 losses")
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
    _, back = read(germany, "german-empire", "game flanders nation german-empire turn 7\nbuild 1 infantry in danzig", turn=2)
    assert back.refused and back.standing == 0 and "NOTHING OF THIS FILE IS TAKEN" in rendered(back)


def test_it_is_the_same_structure_as_plain_data(germany: World) -> None:
    _, back = read(germany, "german-empire", "build 4 infantry in danzig\nbuild 2 battleships in stuttgart")
    data = json.loads(json.dumps(back.to_json(), default=str))
    assert data["standing"] == 1 and data["groups"][0]["orders"][0]["says"] == "4 infantry in Danzig"
    assert [(n["line"], n["verdict"]) for n in data["not_taken"]] == [(2, "refused")]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_policy_orders_is_read_back_whole_and_word_for_word(name: str) -> None:
    """The line that is shown as understood is the same order, and the text keeps to the width of a mail."""
    ruleset, _, here = begun(name, 1)
    seats = sorted(waiting_seats(ruleset, here), key=lambda n: -len(here.state.stacks(owner=n)))[:3]
    total = 0
    for nation in seats:
        world = known_to(name, here, nation)
        orders = plan(world, nation, KeyedDice(b"orders", 1).stream(step="input", rule="policies/plan", subject=nation))
        taken, back = read(world, nation, "\n".join(o["text"] for o in orders))
        assert (taken.clean or back.general) and back.standing == len(taken.intents) and not back.mended
        again, _ = read(world, nation, "\n".join(intended(back)))
        keys: Callable[[Any], list[str]] = lambda t: sorted(repr((i.verb, i.slots, i.order.get("options"))) for i in t.intents)  # noqa: E731
        assert keys(again) == keys(taken)
        text = rendered(back)
        assert max(map(len, text.splitlines())) <= WIDTH and "{" not in text and "None" not in text
        total += back.standing
    assert total or name in ("empire-orders", "diplomacy")


def intended(back: ReadBack) -> list[str]:
    return [one.order for group in back.groups for one in sorted(group.orders, key=lambda o: o.line)]
