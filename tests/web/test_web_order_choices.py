"""What the orders page of a great game offers: whatever is chosen stands by itself, with prices, chances and conditions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.submit import read
from wteaw.play.views import view_world
from wteaw.store import PLAYER, Game, StoreError
from wteaw.world.world import World
from wteaw_web.chosen_order import composed
from wteaw_web.demonstration import ready_to_play
from wteaw_web.order_choices import Choice, Menu, Way
from wteaw_web.order_menu import menu_of
from wteaw_web.order_places import units_taken

from .house import house

NATION = "german-empire"
EACH = 3
"""So many lists of each order are tried."""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    hall = house(Path(tmp_path_factory.mktemp("choices"))).hall
    scenario, ruleset, drawing = ready_to_play(scenarios() / "1914.yaml")
    options = {"free-deployment": "false"}
    new_game(
        hall.engine, scenario, ruleset, id_="1914", seats={NATION: PLAYER}, options=options, drawing=drawing
    )
    with hall.game("1914") as found:
        yield found


@pytest.fixture(scope="module")
def world(game: Game) -> World:
    return view_world(game, NATION)


@pytest.fixture(scope="module")
def menu(world: World) -> Menu:
    return menu_of(world, NATION)


def chosen(choice: Choice, way: Way | None, **more: str) -> dict[str, str]:
    """What the form of a choice sends: all units that are there, of every other list the first."""
    form = {
        "order": choice.key,
        "fixed": choice.fixed,
        **({"way": way.value} if way is not None else {}),
        **more,
    }
    form |= {f"units-{u.slot}-{u.kind}": str(u.there) for u in choice.units}
    for blank in (b for b in choice.blanks if not b.optional):
        if blank.shape == "number":
            form.setdefault(f"slot-{blank.slot}", str(max(1, blank.least)))
        elif blank.shape == "many":
            form[f"slot-{blank.slot}-{blank.ways[0].value}"] = "1"
        else:
            form[f"slot-{blank.slot}"] = blank.ways[0].value
    return form


def at(menu: Menu, place: str, key: str) -> Choice:
    return next(c for c in menu.places[place] if c.key == key)


def test_everything_usual_that_is_offered_stands(game: Game, world: World, menu: Menu) -> None:
    tried: Counter[str] = Counter()
    for choice in (c for some in (*menu.places.values(), *menu.phases.values()) for c in some):
        tried[choice.key] += 1
        if not choice.usual or tried[choice.key] > EACH:
            continue
        ways = [w for w in choice.ways if "room for" not in w.note]
        for way in (ways[:1] + ways[-1:]) if choice.ways else [None]:
            line = composed(world, NATION, chosen(choice, way))
            taken, _ = read(game, NATION, line, world)
            assert len(taken.intents) == 1 and not [d for d in taken.found if d.severity == "error"], (
                line,
                taken.found,
            )
    assert len(tried) > 30


def test_who_looks_and_who_is_shipped_is_offered_where_it_can_be_done(menu: Menu) -> None:
    looks = at(menu, "cologne", "orders/reconnoiter")
    assert {u.kind for u in looks.units} == {"fighter", "infantry"}
    assert {w.label: w.note for w in looks.ways} == {
        "Alsace-Lorraine": "",
        "Belgium": "",
        "Netherlands": "fighters only",
    }
    assert not [c for c in menu.places["hannover"] if c.key == "orders/reconnoiter"], (
        "there is nobody beside it"
    )
    assert not [
        c for c in menu.places["cologne"] if c.key in ("orders/sea-search", "orders/load", "orders/transfer")
    ]
    sent = at(menu, "berlin", "orders/transfer")
    assert (
        "Cameroon" in {w.label for w in sent.ways}
        and next(b.most for b in sent.blanks if b.slot == "amount") > 0
    )
    assert {u.kind for u in at(menu, "hamburg", "orders/transport").units} == {"infantry"}


def test_prices_and_chances_stand_beside_what_can_be_tried(menu: Menu) -> None:
    acts = {c.key: c for some in menu.phases.values() for c in some}
    face = {key: {w.note for w in acts[key].ways} for key in ("actions/influence", "actions/research")}
    likely, unlikely = "10 resource points; 20 % (9 or more)", "10 resource points; 10 % (10 or more)"
    assert face == {"actions/influence": {likely, unlikely}, "actions/research": {likely}}
    assert acts["actions/spy-status"].ways[0].note == "4 resource points; 50 % (5 or less)"


def test_a_condition_that_is_filled_in_is_meant(world: World, menu: Menu) -> None:
    move = at(menu, "cologne", "orders/move")
    form = chosen(move, next(w for w in move.ways if w.label == "Ruhr"))
    assert ":" not in composed(world, NATION, form)
    assert composed(world, NATION, {**form, "option-withdraw-after-n": "2"}).endswith(
        ": withdraw after 2 rounds"
    )
    with pytest.raises(StoreError, match="'withdraw after' was ticked and not filled in"):
        composed(world, NATION, {**form, "option-withdraw-after": "1"})


def test_units_that_have_their_orders_are_no_longer_left(game: Game, world: World, menu: Menu) -> None:
    taken, _ = read(game, NATION, "move 20 infantry from Cologne to Ruhr", world)
    (left,) = (
        c
        for c in menu.at("cologne", units_taken(world, NATION, "cologne", taken.intents))
        if c.key == "orders/move"
    )
    assert {u.kind: u.left for u in left.units} == {"infantry": 8, "artillery": 8, "anti-air-gun": 1}
    assert json.loads(left.fixed) == {"origin": "cologne"}


@pytest.mark.parametrize(
    ("scenario", "nation"),
    [
        ("no-mans-land", "germany"),
        ("empire-orders", "aster"),
        ("alliances-4", "germany"),
        ("diplomacy", "france"),
    ],
)
def test_whatever_can_be_chosen_has_a_name(tmp_path: Path, scenario: str, nation: str) -> None:
    """What is bought for no place yet, too."""
    hall = house(tmp_path).hall
    made, ruleset, drawing = ready_to_play(scenarios() / f"{scenario}.yaml")
    new_game(hall.engine, made, ruleset, id_="g", seats={nation: PLAYER}, options={}, drawing=drawing)
    with hall.game("g") as found:
        offered = menu_of(view_world(found, nation), nation)
    choices = [choice for some in (*offered.places.values(), *offered.phases.values()) for choice in some]
    ways = [way for choice in choices for way in choice.ways]
    ways += [way for choice in choices for blank in choice.blanks for way in blank.ways]
    assert ways and not [way for way in ways if not way.label.strip() or "<" in way.label]
    labels = [blank.label for choice in choices for blank in choice.blanks]
    assert not [label for label in labels if label in ("n", "via", "answer", "host", "text")], (
        "they say what for"
    )
    assert all(
        choice.title[0].isupper() and choice.title != choice.key.partition("/")[2] for choice in choices
    )
    listed = [way for choice in choices for way in choice.ways if way.group]
    if scenario == "empire-orders":
        assert {"1 infantry is deployed in Alder", "5 infantry are deployed in Alder"} <= {
            w.label for w in ways
        }
    if scenario == "no-mans-land":
        attack = next(c for c in offered.places["alsace"] if c.key == "orders/attack")
        assert {w.label: w.group for w in attack.ways}["Champagne"] == "Against an enemy"
        assert {w.label: w.group for w in attack.ways}["Rhine"] == "Yours and your allies'"
        assert "Infantry in Berlin" in {w.label for w in listed}, "a closed list shows its choice alone"
