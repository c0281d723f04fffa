"""Orders without typing a line, in a real browser: by the map, by the keyboard alone, without scripts, on a phone.

Needs playwright and Debian's chromium, and is skipped where they are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.store import PLAYER
from wteaw_web.demonstration import ready_to_play
from wteaw_web.games import Settings

from .chromium import NEEDED, served
from .house import House, house

pytestmark = NEEDED
WAIT = 60_000
SPOT = """place => {
  const link = document.querySelector(`#ground a[href='?place=${place}']`), box = link.getBoundingClientRect();
  for (let k = 1; k < 400; k++) {
    const x = box.x + box.width * ((k * 0.618) % 1), y = box.y + box.height * k / 400;
    const hit = document.elementFromPoint(x, y);
    if (hit && hit.closest("a") === link) return [x, y];
  }
}"""
"""Where a place can be clicked: a point of the window at which nothing lies over it."""


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    found = house(tmp_path_factory.mktemp("order-map"))
    begin(found, "diplomacy", ("germany", "france", "england", "italy"), {})
    begin(found, "1914", ("german-empire",), {"free-deployment": "false"})
    with served(found):
        yield found


def begin(at: House, scenario: str, nations: tuple[str, ...], options: Mapping[str, str]) -> None:
    """A game of a shipped scenario, with a player for each of some nations."""
    made, ruleset, drawing = ready_to_play(scenarios() / f"{scenario}.yaml")
    seats = dict.fromkeys(nations, PLAYER)
    game = new_game(at.hall.engine, made, ruleset, id_=scenario, seats=seats, options=dict(options), drawing=drawing)
    at.hall.keep(Settings(scenario, due="2026-05-08T12:00:00+00:00", days=7))
    at.hall.send(game)
    for nation in nations:
        at.hall.people.add(scenario, "player", nation=nation, name=nation, email=f"{nation}@example.org")


class Player:
    """Somebody at a browser, on the orders page of their nation."""

    def __init__(self, at: House, chromium: Any, game: str, nation: str, **context: Any) -> None:
        self.at, self.game, self.nation = at, game, nation
        context.setdefault("viewport", {"width": 1280, "height": 900})
        self.page = chromium.new_context(**context).new_page()
        self.page.set_default_timeout(WAIT)
        self.wrong: list[str] = []
        self.page.on("console", lambda m: self.wrong.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))
        role = at.role(game, "player", nation)
        token = at.hall.people.link(role)
        self.page.goto(f"{at.desk.url}/in/{token}")
        self.page.click("text=Come in")
        self.page.goto(f"{at.desk.url}/seat/{role.id}/orders")

    def chooses(self, place: str, name: str) -> None:
        """Click a place on the map."""
        self.page.evaluate("document.getElementById('frame').scrollIntoView({block: 'center'})")
        spot = self.page.evaluate(SPOT, place)
        assert spot, f"{place} cannot be seen on the map"
        self.page.mouse.click(*spot)
        self.page.wait_for_selector(f"h2#chosen:text-is('{name}')")

    def tabs_to(self, selector: str, most: int = 400) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if any(found.evaluate("e => e === document.activeElement") for found in self.page.locator(selector).all()):
                return
        raise AssertionError(f"Tab does not come to {selector}")

    def waits_until(self, part: str, holds: Callable[[float], bool]) -> float:
        """Wait until a part of the map's transformation (`a` its scale, `e` how far right it is) is as wanted, and give it."""
        now = 0.0
        for _ in range(100):
            now = self.page.evaluate("p => new DOMMatrix(getComputedStyle(document.getElementById('ground')).transform)[p]", part)
            if holds(now):
                break
            self.page.wait_for_timeout(50)
        return now

    def sends(self, orders: int) -> list[str]:
        """Press Send, and look at what was handed in."""
        self.page.click(f"#foot button:text-is('Send {orders} order{'s' if orders > 1 else ''}'):enabled")
        self.page.wait_for_selector("text=Your orders have been taken")
        return self.sent()

    def sent(self) -> list[str]:
        with self.at.hall.game(self.game) as game:
            return game.submissions()[self.nation].text.strip().split("\n")


@pytest.mark.parametrize(("nation", "width"), [("germany", 1280), ("italy", 390)])
def test_a_season_is_ordered_by_clicking(at: House, chromium: Any, nation: str, width: int) -> None:
    clicks = {
        "germany": [("kiel", "Kiel", "Denmark"), ("berlin", "Berlin", "Kiel"), ("munich", "Munich", "Ruhr")],
        "italy": [("venice", "Venice", "Venice holds"), ("rome", "Rome", "Apulia"), ("naples", "Naples", "Ionian Sea")],
    }[nation]
    player = Player(at, chromium, "diplomacy", nation, viewport={"width": width, "height": 850})
    for number, (place, name, choice) in enumerate(clicks, 1):
        player.chooses(place, name)
        player.page.click(f"#panel button.way:has(b:text-is('{choice}')) >> nth=0")
        player.page.wait_for_selector(f"#said:has-text('Line {number} is now')")
        assert player.page.locator("#over a.order").count() == number
    assert player.page.locator(".chips").count() == 0, "every unit has its order"
    assert player.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    player.page.locator("#over a.order").nth(1).dispatch_event("click")
    assert player.page.evaluate("location.hash") == "#l2"
    assert len(player.sends(3)) == 3 and player.wrong == []


def test_an_order_about_the_same_unit_takes_the_place_of_the_first(at: House, chromium: Any) -> None:
    player = Player(at, chromium, "diplomacy", "france")
    player.chooses("paris", "Paris")
    player.page.click("#panel button.way:has(b:text-is('Burgundy')) >> nth=0")
    player.page.wait_for_selector("#said:has-text('Paris to Burgundy')")
    player.chooses("marseilles", "Marseilles")
    player.page.click("button.way:has-text('Marseilles supports Paris to Burgundy')")
    player.page.wait_for_selector("#said:has-text('Line 2')")
    player.chooses("paris", "Paris")
    player.page.click("#panel button.way:has(b:text-is('Picardy')) >> nth=0")
    player.page.wait_for_selector("#said:has-text('Line 1 is now: Paris to Picardy')")
    assert player.page.input_value("#text").strip().split("\n")[0] == "Paris to Picardy"
    player.page.click("button[aria-label='Take line 2 out']")
    player.page.wait_for_selector("#foot button:text-is('Send 1 order')")
    assert player.sends(1) == ["Paris to Picardy"] and player.wrong == []


def test_a_season_is_ordered_without_scripts(at: House, chromium: Any) -> None:
    player = Player(at, chromium, "diplomacy", "england", java_script_enabled=False)
    for number, (place, choice) in enumerate(
        (("london", "North Sea"), ("edinburgh", "Norwegian Sea"), ("liverpool", "Yorkshire")), 1
    ):
        if number == 1:
            player.page.focus(f"#ground a[href='?place={place}']")
            player.page.keyboard.press("Enter")
        else:
            player.page.select_option("#place", place)
            player.page.click("form.pick button")
        player.page.click(f"#panel button.way:has(b:text-is('{choice}')) >> nth=0")
        player.page.wait_for_selector(f"#said:has-text('Line {number} is now')")
    assert player.sends(3) == ["London to North Sea", "Edinburgh to Norwegian Sea", "Liverpool to Yorkshire"]
    player.page.click("button:text-is('I am ready')")
    player.page.wait_for_selector("text=You are ready")


def test_a_turn_of_a_great_game_is_ordered_by_the_keyboard_alone(at: House, chromium: Any) -> None:
    player = Player(at, chromium, "1914", "german-empire", color_scheme="dark")
    page, keys = player.page, player.page.keyboard
    player.tabs_to("#place")
    keys.type("Cologne")
    player.tabs_to("form.pick button")
    keys.press("Enter")
    page.wait_for_selector("h2#chosen:text-is('Cologne')")
    player.tabs_to("#panel details.choice:has(b:text-is('Move or attack by land')) > summary")
    keys.press("Enter")
    for kind in ("anti-air-gun", "artillery"):
        player.tabs_to(f"details[open] input[name='units-units-{kind}']")
        keys.press("Control+A")
        keys.type("0")
    player.tabs_to("details[open] input[type=radio]")
    for _ in range(3):
        keys.press("ArrowDown")
    player.tabs_to("details[open] button.btn")
    keys.press("Enter")
    page.wait_for_selector("#said:has-text('Line 1 is now: move 28 infantry from Cologne to Ruhr')")
    player.tabs_to("nav.tabs a[href='?phase=Technology']")
    keys.press("Enter")
    page.wait_for_selector("h2#chosen:text-is('Technology')")
    player.tabs_to("button.way:has-text('Tanks')")
    keys.press("Enter")
    page.wait_for_selector("#said:has-text('Line 2 is now: research Tanks')")
    player.tabs_to("#foot button.main", most=900)
    keys.press("Enter")
    page.wait_for_selector("text=Your orders have been taken")
    assert player.sent() == ["move 28 infantry from Cologne to Ruhr", "research Tanks"] and player.wrong == []


def test_the_map_is_moved_and_enlarged_by_keys(at: House, chromium: Any) -> None:
    player = Player(at, chromium, "diplomacy", "germany")
    player.page.focus("#frame")
    player.page.keyboard.press("+")
    assert player.waits_until("a", lambda scale: scale > 1.2) > 1.2
    player.page.wait_for_timeout(400)
    before = player.waits_until("e", lambda _: True)
    player.page.keyboard.press("ArrowLeft")
    assert player.waits_until("e", lambda x: x > before) > before
    player.page.keyboard.press("0")
    assert player.waits_until("a", lambda scale: scale == 1) == 1
    assert player.wrong == []
