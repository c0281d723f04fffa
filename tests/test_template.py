"""The order file that a nation is sent: every line that it offers stands as soon as its mark is taken away."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from wteaw.orders.check import check
from wteaw.orders.input_points import orders_now
from wteaw.orders.intake import take_in
from wteaw.orders.legal import legal_orders
from wteaw.orders.movement import free_units, places_with_units
from wteaw.orders.parse import parse_orders
from wteaw.orders.reference import order_reference
from wteaw.orders.sheet import offers_of
from wteaw.orders.sheet_layout import (
    FAR,
    FEW,
    MANY,
    MOST_ROWS,
    _joined,
    _rows,
    _sections,
    _together,
    order_template,
)
from wteaw.orders.sheet_line import Offered, joined_names
from wteaw.turn.referee import waiting_seats
from wteaw.world.world import World

from .test_law_orders import begun, known_to

LEAST = {
    "1914": 30,
    "third-edition-1914": 25,
    "alliances-6": 1,
    "diplomacy": 4,
    "no-mans-land": 15,
    "empire-orders": 10,
}
"""Orders that the form of the best supplied of some nations offers at least."""


def offered(world: World, nation: str) -> list[str]:
    text = order_template(world, nation, game="g")
    return [line for line in text.splitlines() if line.startswith("#") and not line.startswith("##")]


def some_of(line: Offered) -> list[str]:
    """The first, the last and one more order that a line of the form stands for, and all that it names beside itself."""
    every = list(line.lines())
    beside = [text for _, text in line.also if "?" not in text]
    return list(dict.fromkeys([every[0], every[len(every) // 2], every[-1], *beside[:6]]))


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("name", LEAST)
def test_every_line_stands_when_its_mark_is_taken_away_and_its_blank_filled(name: str, turn: int) -> None:
    ruleset, _, here = begun(name, turn)
    found: list[int] = []
    for nation in sorted(waiting_seats(ruleset, here), key=lambda n: -len(here.state.stacks(owner=n)))[:2]:
        world = known_to(name, here, nation)
        lines = [one for _, some in offers_of(world, nation) for one in some]
        found.append(len(lines))
        for line in (text for one in lines for text in some_of(one)):
            taken = take_in(ruleset, line, lambda _, world=world: world, nation=nation)  # type: ignore[misc]
            wrong = [
                d.message
                for d in taken.found
                if d.severity != "note" and d.code not in ("O301", "O302", "O305", "O212")
            ]
            together = any(d.code == "O212" for d in taken.found)  # only a whole file is taken
            assert (len(taken.intents), wrong) == (int(not together), []), f"{nation}: {line}"
    assert max(found) >= LEAST[name]


@pytest.mark.parametrize("name", LEAST)
def test_the_form_is_short_and_orders_nothing_as_it_stands(name: str) -> None:
    ruleset, _, here = begun(name, 2)
    for nation in sorted(waiting_seats(ruleset, here), key=lambda n: -len(here.state.stacks(owner=n)))[:2]:
        world = known_to(name, here, nation)
        text = order_template(world, nation, game="g")
        assert text.endswith("\nend\n") and len(text.splitlines()) <= 190
        assert [line for line in text.splitlines() if len(line) > 72] == []
        assert not [line for line in text.splitlines() if "<" in line or "{" in line or "[" in line]
        taken = take_in(
            world.ruleset,
            text,
            lambda _, world=world: world,
            nation=nation,
            game="g",
            turn=world.always()["turn"],
        )  # type: ignore[misc]
        assert taken.clean and taken.intents == () and taken.passed == ()


def test_units_stand_by_theater_with_enemies_and_own_land_apart() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    lines = order_template(world, "german-empire", game="g").splitlines()
    west = lines.index("## WEST ".ljust(72, "-"))
    assert any(line.startswith("## EAST --") for line in lines)
    move = next(
        n
        for n, line in enumerate(lines)
        if n > west and line.startswith("# move") and "from Cologne to ?" in line
    )
    assert "own: Frankfurt, Ruhr" in lines[move + 1]
    assert "# build 1 infantry in ?" in "\n".join(lines) and not [
        line for line in lines if "spy on" in line or "plunder" in line
    ]


@pytest.mark.parametrize(
    ("name", "nation", "order"),
    [
        ("1914", "british-empire", "orders/transport"),
        ("no-mans-land", "britain", "orders/ship"),
        ("no-mans-land", "japan", "orders/ferry"),
    ],
)
def test_the_form_says_how_troops_cross_the_sea(name: str, nation: str, order: str) -> None:
    _, _, here = begun(name, 1)
    world = known_to(name, here, nation)
    (line,) = [one for _, some in offers_of(world, nation) for one in some if one.order == order]
    assert "?" in line.text and len(line.text) <= 70
    assert line.also and {word for word, _ in line.choices} <= {"enemy", "own", "neutral"}
    assert [text for text in offered(world, nation) if text.startswith(f"# {line.text}")]
    for text in some_of(line):
        (intent,) = take_in(world.ruleset, text, lambda _: world, nation=nation).intents
        assert intent.order["slots"]["cargo"] and intent.verb == order


@pytest.mark.parametrize(
    ("name", "turn", "nation", "line", "option"),
    [
        ("no-mans-land", 1, "germany", "hold ?: lose infantry", "loss-order"),
        ("1914", 2, "german-empire", "hold ?: withdraw after 1 round", "withdraw-after"),
    ],
)
def test_an_order_that_says_nothing_without_an_option_is_offered_with_one(
    name: str, turn: int, nation: str, line: str, option: str
) -> None:
    _, _, here = begun(name, turn)
    world = known_to(name, here, nation)
    (hold,) = [one for _, some in offers_of(world, nation) for one in some if one.order == "orders/hold"]
    assert hold.text == line and f"# {line}" in offered(world, nation)
    for text in some_of(hold):
        (intent,) = take_in(world.ruleset, text, lambda _: world, nation=nation).intents
        assert set(intent.order["options"]) == {option}


def test_who_has_nobody_to_carry_is_offered_no_crossing() -> None:
    _, _, here = begun("no-mans-land", 1)
    world = known_to("no-mans-land", here, "austria")  # it has no transport
    assert not [
        one
        for _, some in offers_of(world, "austria")
        for one in some
        if one.order in ("orders/ship", "orders/ferry")
    ]


def test_a_name_that_is_too_long_gives_way_to_another() -> None:
    _, _, here = begun("no-mans-land", 1)
    lines = [
        text
        for text in offered(known_to("no-mans-land", here, "britain"), "britain")
        if text.startswith("# ship ")
    ]
    assert len(lines) == 1 and " in SZ 115" in lines[0] and "Tasman" not in lines[0]


def line_of(place: str, size: int, *, enemy: str = "", order: str = "orders/move", far: int = 0) -> Offered:
    """An order of units of the form."""
    ends = [(f"End {n}", "") for n in range(far)] if far else [("Rear", "")]
    choices = (("enemy", ((enemy, "2"),)),) if enemy else (("own", tuple(ends)),)
    return Offered(
        order, f"move {size} foot from {place} to ?", choices, place=place, origin=place, size=size
    )


def test_every_place_has_a_line_of_its_own_with_all_that_can_be_reached_from_it() -> None:
    for name, nation in (("1914", "german-empire"), ("diplomacy", "france"), ("no-mans-land", "germany")):
        _, _, here = begun(name, 1)
        world = known_to(name, here, nation)
        text = order_template(world, nation, game="g").replace("\n##     ", " ")
        assert not re.search(r"\band \d+ more\b", text), name
        for line in (one for _, lines in offers_of(world, nation) for one in lines):
            wanted = [place for _, some in line.choices for place, _ in some]
            if name == "no-mans-land" or not line.place or line.also or not 1 < len(wanted) <= FAR:
                continue  # of dozens of places the smallest share a line
            _, _, below = text.partition(f"# {line.text}")
            told = below.partition("\n# ")[0]
            assert wanted and all(place in told for place in wanted), (name, line.text, told)


def test_far_marches_share_a_line_and_each_stays_among_its_orders() -> None:
    apart = [line_of("a", 3, enemy="x"), line_of("b", 2, enemy="y")]
    assert _together(apart, 6) == apart  # both meet an enemy: a line each
    quiet = [
        line_of("a", 3),
        line_of("b", 2),
        line_of("c", 1, enemy="x"),
        line_of("d", 1, order="orders/sail"),
    ]
    joined = _together(quiet, 6)
    assert [(one.origin, [name for name, _ in one.also]) for one in joined] == [
        ("a", []),
        ("b", []),
        ("c", []),
        ("d", []),
    ]
    far = [line_of("a", 3, far=FAR + 1), line_of("b", 2, far=FAR + 1), line_of("c", 1, far=FAR)]
    assert [one.origin for one in _together(far, 6)] == ["a", "c"]
    assert "move 2 foot from b to " in dict(_together(far, 6)[0].also)["b"]  # written out, ready to be sent


def test_of_many_marches_the_smallest_share_a_line() -> None:
    many = [line_of(f"p{n}", n, enemy="x") for n in range(1, 7)]
    assert _together(many, 6) == many
    joined = _together(many, 4)
    assert [one.origin for one in joined] == ["p1", "p3", "p4", "p5", "p6"]
    assert [name for name, _ in joined[0].also] == ["p2"]
    assert "from p2: x" in " ".join(_rows([("", joined)])), "each place says whom its units can attack"


def test_a_number_behind_a_name_that_ends_in_one_stands_in_brackets() -> None:
    assert joined_names([("Shanghai 4", "2"), ("Belgium", "7"), ("Ruhr", "")]) == [
        "Shanghai 4 (2)",
        "Belgium 7",
        "Ruhr",
    ]


def test_parts_with_few_lines_stand_under_one_title() -> None:
    few, many = [line_of("a", 1)], [line_of(str(n), 1) for n in range(FEW + 1)]
    assert [
        title for title, _ in _joined([("North", few), ("East", few), ("South", many), ("West", few)])
    ] == [
        "North, East",
        "South",
        "West",
    ]
    long = "A name that is very long indeed, longer than others"
    assert len(_joined([(long, few), (long, few)])) == 2  # both together do not fit on a line


def test_a_long_form_joins_more() -> None:
    _, _, here = begun("no-mans-land", 1)
    world = known_to("no-mans-land", here, "britain")
    rows = [len(_rows(_sections(world, offers_of(world, "britain"), many))) for many in MANY]
    assert rows == sorted(rows, reverse=True) and rows[0] > MOST_ROWS > 40
    said = order_template(world, "britain", game="g").count("\n# ")
    assert said < len(offered_by(world, "britain", MANY[0]))


def offered_by(world: World, nation: str, many: int) -> list[str]:
    return [row for row in _rows(_sections(world, offers_of(world, nation), many)) if row.startswith("# ")]


def test_a_blank_that_was_left_is_told_with_what_may_stand_there() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    line = next(
        t[2:].split("   ")[0]
        for t in offered(world, "german-empire")
        if "from Cologne to ?" in t and t.startswith("# move")
    )
    taken = take_in(world.ruleset, line, lambda _: world, nation="german-empire")
    (one,) = [d for d in taken.found if d.severity == "error"]
    assert taken.intents == () and "yours to fill in" in one.message
    assert one.instead and all(
        line.replace("?", "") in text[: len(line)] or "from Cologne to " in text for text in one.instead
    )
    for text in one.instead:
        assert len(take_in(world.ruleset, text, lambda _: world, nation="german-empire").intents) == 1


def test_a_blank_is_answered_with_all_that_may_stand_there_whatever_the_units() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")

    def answered(line: str) -> tuple[str, tuple[str, ...]]:
        taken = take_in(world.ruleset, line, lambda _: world, nation="german-empire")
        (one,) = taken.found
        assert taken.intents == (), line
        return one.message.partition("fill in: ")[2], one.instead

    names, instead = answered("move 1 infantry from Berlin to ?")
    assert names == "Breslau, Danzig, Hamburg, Hannover, Leipzig, Posen"  # however many the sheet sends
    assert instead[0] == "move 1 infantry from Berlin to Breslau"
    names, _ = answered("influence ?")
    assert len(names.split(", ")) == 21 and "Tibet" in names
    names, instead = answered("declare war on ?")
    assert "Belgium" in names and instead == ()  # what begins a war is nobody's guess
    names, instead = answered("move 1 infantry from German East Africa to ?")
    assert "Belgian Congo" in names and not any(
        "Congo" in line for line in instead
    )  # nor an attack on neutrals
    answered("sail 1 destroyer from Baltic Sea to ?")  # is not read without its blank


@pytest.mark.parametrize(
    "name", ["1914", "third-edition-1914", "alliances-6", "diplomacy", "no-mans-land", "empire-orders"]
)
def test_the_reference_has_every_form_condition_and_choice(name: str) -> None:
    ruleset, _, here = begun(name, 1)
    text = order_reference(ruleset)
    told = " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 72 and "{" not in text and "|" not in text
    for form in ("orders", "actions", "decisions"):
        for row in ruleset.rows(form).values():
            assert "syntax" not in row or str(row.get("help", "")).partition("{")[0][:60] in told, row["id"]
    for row in ruleset.rows("orders").values():
        for slot in row.get("slots", {}).values():
            for choice in slot.get("choices", ()) if isinstance(slot, dict) else ():
                assert choice in told
    nation = sorted(waiting_seats(ruleset, here))[0]
    mine = order_reference(ruleset, known_to(name, here, nation), nation)
    assert 10 < len(mine.splitlines()) <= len(text.splitlines()) + 12


def test_where_ground_may_not_be_bombed_is_not_offered() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    entries = [e for e in legal_orders(world, "german-empire") if e.order == "orders/bomb-ground"]
    for entry in entries:
        for target in entry.targets:
            order = {
                "nation": "german-empire",
                "order": entry.order,
                "slots": {**entry.slots, "target": target},
                "options": {},
            }
            assert [
                d.message for d in check(world, "german-empire", [order]).found if d.severity == "error"
            ] == []


def test_a_game_that_has_ended_offers_nothing() -> None:
    ruleset, geography, here = begun("1914", 1)
    state = here.state.copy()
    state.put("game", "game", "ended", True)
    over = World(ruleset, state, moments=here.moments, geography=geography)
    assert list(legal_orders(over, "german-empire")) == [] and offered(over, "german-empire") == []
    assert (
        check(
            over,
            "german-empire",
            [{"nation": "german-empire", "order": "orders/build", "slots": {}, "options": {}}],
        ).orders
        == []
    )


def test_the_orders_of_a_step_that_the_turn_does_not_have_are_not_taken() -> None:
    ruleset, geography, here = begun("alliances-6", 1)
    frame = [dict(node) for node in ruleset.sequence]

    def world(test: str) -> World:
        changed = replace(ruleset, sequence=({"phase": "only", "when": test, "steps": frame},))
        return World(changed, here.state.copy(), moments=here.moments, geography=geography)

    assert not [k for k in orders_now(world("turn == 3")) or () if k.startswith("actions/")]
    assert [
        k
        for k in orders_now(world("turn == 1 and option('mole') == option('mole')")) or ["actions/all"]
        if k.startswith("actions/")
    ]
    assert [k for k in orders_now(world("any(nations())")) or ["actions/all"] if k.startswith("actions/")]


def test_only_the_options_that_an_order_may_carry_are_named() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    line = "sail 1 destroyer from Adriatic Sea to Ionian Sea: carefully"
    _, found = parse_orders(world.ruleset, line, nation="german-empire", state=world.state)
    assert found[0].code == "O106" and found[0].message.count("against") == 1


def test_units_that_can_never_go_on_are_not_sent_on() -> None:
    _, _, here = begun("1914", 1)
    world = known_to("1914", here, "german-empire")
    line = "move 2 infantry from cologne to belgium: then break through to amiens"
    taken = take_in(world.ruleset, line, lambda _: world, nation="german-empire")
    assert taken.intents == () and [d.code for d in taken.found if d.severity == "error"] == ["O207"]
    assert take_in(world.ruleset, line.partition(":")[0], lambda _: world, nation="german-empire").intents


def test_all_units_of_a_place_are_counted_in_an_act_too() -> None:
    ruleset, _, here = begun("empire-orders", 2)
    nation = sorted(waiting_seats(ruleset, here))[0]
    world = known_to("empire-orders", here, nation)
    place, here_now = next(
        (p, u) for p in places_with_units(world, nation) if "infantry" in (u := free_units(world, nation, p))
    )
    name = ruleset.row("places", place)["name"]
    other = next(p for p in world.geography.next_to(place, ("land",)) if world.holder_of(p) == nation)
    line = f"march all infantry from {name} to {ruleset.row('places', other)['name']}"
    (order,) = take_in(ruleset, line, lambda _: world, nation=nation).orders
    assert order["slots"]["units"] == {"infantry": here_now["infantry"]}
    none = take_in(ruleset, line.replace("infantry", "artillery"), lambda _: world, nation=nation)
    assert ([d.code for d in none.found], none.orders) == (["O202"], ()) or "artillery" in here_now
