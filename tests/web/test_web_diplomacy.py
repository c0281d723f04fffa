"""A game without dice, with a board: standard notation, arrows of what happened, supply centers year by year, no word of dice."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from wteaw.core.package_data import scenarios
from wteaw.orders import movement
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.play.submit import hand_in, read
from wteaw.play.views import view_world
from wteaw.report.map import read_shapes
from wteaw.store import PLAYER, StoreError
from wteaw_web.chosen_order import composed
from wteaw_web.demonstration import ready_to_play
from wteaw_web.games import Settings
from wteaw_web.order_menu import menu_of
from wteaw_web.presenters import chart

from .house import House, house, said

SEASONS = (
    {"germany": "A Mun - Bur\nF Kie - Den", "france": "A Par - Bur\nA Mar S A Par - Bur"},
    {"germany": "F Den - Swe\nA Ber H", "france": "A Bur - Bel"},
)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> House:
    found = house(tmp_path_factory.mktemp("diplomacy"))
    scenario, ruleset, drawing = ready_to_play(scenarios() / "diplomacy.yaml")
    seats = dict.fromkeys(("germany", "france"), PLAYER)
    game = new_game(
        found.hall.engine, scenario, ruleset, id_="small", seats=seats, drawing=drawing, seed=b"a" * 32
    )
    found.hall.keep(Settings("small", public=True))
    found.hall.send(game)
    found.hall.people.add("small", "moderator", name="Mo", email="mo@x.example")
    for nation in seats:
        found.hall.people.add("small", "player", nation=nation, name=nation, email=f"{nation}@x.example")
    for orders in SEASONS:
        with found.hall.game("small") as game:
            for nation, text in orders.items():
                hand_in(game, nation, text, PLAYER)
            resolve_turn(game, force=True)
            found.hall.send(game)
    return found


def test_orders_are_told_in_standard_notation_with_what_became_of_them(at: House) -> None:
    page = said(at.come_in(at.role("small", "player", "germany")).get("turn", turn="1"))
    assert "A MUN - BUR: fails (1 against 2 of Paris)." in page and "F KIE - DEN: succeeds." in page
    assert "A MAR S A PAR - BUR: given" in page


def test_nothing_is_said_of_dice(at: House) -> None:
    player, mo = at.come_in(at.role("small", "player", "germany")), at.come_in(at.role("small", "moderator"))
    for page in ("turn", "orders", "nation", "messages", "report.txt"):
        assert not re.search(r"(?i)\b(dice|die|proof)\b", said(player.get(page))), page
    assert not re.search(r"(?i)\b(dice|die)\b", said(mo.get("game")))


def test_supply_centers_are_counted_year_by_year(at: House) -> None:
    for page in (
        at.come_in(at.role("small", "player", "germany")).get("turn"),
        at.browser().get("/public/small/news"),
    ):
        table = re.search(r'<table class="held">.*?</table>', page.text, re.DOTALL)
        assert table
        text = re.sub(r"<[^>]+>|\s+", " ", table[0])
        years = re.search(
            r"Nation ((?:\s*\w+)+?)\s+(?:Germany|France|Turkey|Russia|England|Italy|Austria)", text
        )
        assert years and years[1].split()[0] == "start" and re.search(r"Germany\s+3", text)


def test_the_map_shows_what_happened(at: House) -> None:
    with at.hall.game("small") as game:
        drawn = chart(at.hall, game, "germany", 1).page.svg
        later = chart(at.hall, game, "germany", 2).page.svg
        held = game.stage().position.state.get("places", "belgium", "holder")
    assert (
        "A MUN - BUR: fails" in drawn
        and "F KIE - DEN: succeeds" in drawn
        and "A MAR S A PAR - BUR: given" in drawn
    )
    assert held == "france" and "Belgium is held by France." in later and "is held by" not in drawn, (
        "centers change hands in fall"
    )


def test_exactly_neighbors_touch_on_the_board() -> None:
    """Provinces share a border if the rules say that they are neighbors; a strait, and the land that nobody enters, excepted."""
    _, ruleset, drawing = ready_to_play(scenarios() / "diplomacy.yaml")
    rings = read_shapes(drawing.shapes).rings
    arcs = {p: {abs(a + (a < 0)) for ring in some for a in ring} for p, some in rings.items() if p}
    places = {p: row for p, row in ruleset.rows("places").items() if "part_of" not in row}
    assert arcs.keys() == places.keys()
    whole = {p: str(row.get("part_of", p)) for p, row in ruleset.rows("places").items()}
    linked = {frozenset(whole[p] for p in row["between"]) for row in ruleset.rows("links").values()}
    straits = {frozenset(pair) for pair in drawing.marks["passages"]}
    for pair in combinations(sorted(places), 2):
        touch = bool(arcs[pair[0]] & arcs[pair[1]])
        if frozenset(pair) in straits or "closed" in {places[p]["kind"] for p in pair}:
            continue
        assert touch == (frozenset(pair) in linked), pair


@pytest.mark.parametrize("nation", ["england", "russia"])
def test_everything_that_is_offered_stands_and_is_read_as_it_was_chosen(at: House, nation: str) -> None:
    """Each choice of the lists gives a line, and the line alone is an order that stands."""
    scenario, ruleset, drawing = ready_to_play(scenarios() / "diplomacy.yaml")
    new_game(at.hall.engine, scenario, ruleset, id_=f"fall-{nation}", seats={nation: PLAYER}, drawing=drawing)
    with at.hall.game(f"fall-{nation}") as game:
        resolve_turn(game, force=True)
        world = view_world(game, nation)
        menu = menu_of(world, nation)
        units = {world.whole_of(place) for place in movement.places_with_units(world, nation)}
        assert units <= menu.places.keys(), "each unit has something to choose"
        choices = [c for some in (*menu.places.values(), *menu.phases.values()) for c in some]
        lines = [
            composed(world, nation, {"order": c.key, "fixed": c.fixed, "way": way.value})
            for c in choices
            for way in c.ways
        ]
        assert len(lines) == len(set(lines)) > 20
        for line in lines:
            taken, _ = read(game, nation, line, world)
            assert len(taken.intents) == 1 and not taken.found, line


@pytest.mark.parametrize(
    "form",
    [
        {}, {"order": "actions/nothing"}, {"order": "actions/move", "fixed": "{}", "way": "nonsense"}, {"order": "actions/move"},
        {"order": "actions/move", "way": '{"place": "berlin", "gold": "1"}'}, {"order": "tables/x", "way": "[]"},
    ],
)  # fmt: skip
def test_what_is_on_no_list_is_refused_in_words(at: House, form: dict[str, str]) -> None:
    with at.hall.game("small") as game, pytest.raises(StoreError, match=r"list|chosen"):
        composed(view_world(game, "germany"), "germany", form)
