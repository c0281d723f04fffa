"""Orders without typing a line, in a real browser: by the map, by the keyboard alone, without scripts, on a phone.

Needs playwright and Debian's chromium, and is skipped where they are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.play.submit import hand_in
from wteaw.store import PLAYER
from wteaw_web.demonstration import ready_to_play
from wteaw_web.games import Settings

from ..long_ones import LONG
from .chromium import NEEDED, served
from .house import House, house

pytestmark = NEEDED
WAIT = 60_000
HANDS = [("keys", "dark"), ("mouse", "light"), ("no script", "light")]
SEED = b"a" * 32
"""What those do whom nobody plays depends on it."""
PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
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
    begin(found, "diplomacy", ("germany", "france", "england"), {})
    begin(found, "1914", ("german-empire", "russian-empire"), {"free-deployment": "false"})
    with served(found):
        yield found


def begin(at: House, scenario: str, nations: tuple[str, ...], options: Mapping[str, str]) -> None:
    """A game of a shipped scenario, with a player for each of some nations."""
    made, ruleset, drawing = ready_to_play(scenarios() / f"{scenario}.yaml")
    seats = dict.fromkeys(nations, PLAYER)
    game = new_game(
        at.hall.engine,
        made,
        ruleset,
        id_=scenario,
        seats=seats,
        options=dict(options),
        drawing=drawing,
        seed=SEED,
    )
    at.hall.keep(Settings(scenario, due="2026-05-08T12:00:00+00:00", days=7))
    at.hall.send(game)
    for nation in nations:
        at.hall.people.add(scenario, "player", nation=nation, name=nation, email=f"{nation}@example.org")


class Player:
    """Somebody at a browser, on the orders page of their nation: with a mouse, with the keys alone, or without scripts."""

    def __init__(
        self, at: House, chromium: Any, game: str, nation: str, *, hand: str = "mouse", **context: Any
    ) -> None:
        self.at, self.game, self.nation, self.hand = at, game, nation, hand
        context.setdefault("viewport", {"width": 1280, "height": 900})
        self.page = chromium.new_context(java_script_enabled=hand != "no script", **context).new_page()
        self.page.set_default_timeout(WAIT)
        self.wrong: list[str] = []
        self.page.on("console", lambda m: self.wrong.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))
        role = at.role(game, "player", nation)
        self.seat = f"{at.server.url}/seat/{role.id}"
        token = at.hall.people.link(role)
        self.page.goto(f"{at.server.url}/in/{token}")
        self.page.click("text=Come in")
        self.begins()

    def begins(self) -> None:
        """Open the orders page."""
        self.lines = 0
        self.page.goto(f"{self.seat}/orders")

    # ---- what hands do

    def tabs_to(self, selector: str) -> None:
        """Press Tab until an element has the focus: on from where it is, then back."""
        self.page.wait_for_selector(selector, state="attached")
        wanted = self.page.locator(selector).element_handles()
        for keys, most in (("Tab", 120), ("Shift+Tab", 240)):
            for _ in range(most):
                self.page.keyboard.press(keys)
                if self.page.evaluate("all => all.includes(document.activeElement)", wanted):
                    return
        raise AssertionError(f"Tab does not come to {selector}")

    def presses(self, selector: str) -> None:
        """A button, a link, or what unfolds."""
        if self.hand == "keys":
            self.tabs_to(selector)
            self.page.keyboard.press("Enter")
        else:
            self.page.click(f"{selector} >> nth=0")

    def fills(self, selector: str, value: int) -> None:
        """How many."""
        if self.hand == "keys":
            self.tabs_to(selector)
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(str(value))
        else:
            self.page.fill(selector, str(value))

    def marks(self, selector: str) -> None:
        """One of several."""
        if self.hand == "keys":
            self.tabs_to(
                f"{selector.partition(' label.way')[0]} label.way input"
            )  # Tab comes to the group, arrows choose in it
            for _ in range(60):
                self.page.keyboard.press("ArrowDown")
                if self.page.is_checked(selector):
                    return
            raise AssertionError(f"no arrow key comes to {selector}")
        else:
            self.page.check(selector)

    def chooses(self, place: str, name: str) -> None:
        """A place: on the map, from the list by keys, or from the list without scripts."""
        if self.hand == "mouse":
            self.page.evaluate("document.getElementById('frame').scrollIntoView({block: 'center'})")
            spot = self.page.evaluate(SPOT, place)
            assert spot, f"{place} cannot be seen on the map"
            self.page.mouse.click(*spot)
        elif self.hand == "keys":
            self.tabs_to("#place")
            self.page.keyboard.type(name)
            self.presses("form.pick button")
        else:
            self.page.select_option("#place", place)
            self.page.click("form.pick button")
        self.page.wait_for_selector(f"h2#chosen:text-is('{name}')")

    def turns_to(self, phase: str) -> None:
        self.presses(f"nav.tabs a:text-is('{phase}')")
        self.page.wait_for_selector(f"h2#chosen:text-is('{phase}')")

    def opens(self, choice: str) -> str:
        """Unfold a kind of order; gives where its parts are."""
        inside = f"#panel details.choice:has(> summary b:text-is('{choice}'))"
        if self.page.locator(inside).get_attribute("open") is None:
            self.presses(f"{inside} > summary")
        return inside

    def adds(self, pressed: str, line: str) -> None:
        """Press what adds an order, and see what its line says."""
        self.lines += 1
        self.presses(pressed)
        self.page.wait_for_selector(f"#said:has-text('Line {self.lines} now reads: {line}')")

    def orders(self, place: str, name: str, kind: str, way: str, line: str) -> None:
        """One of the ways of a kind of order at a place."""
        self.chooses(place, name)
        self.adds(f"{self.opens(kind)} button.way:has(b:text-is('{way}'))", line)

    def sends(self, orders: int) -> list[str]:
        """Press Send, and look at what was handed in."""
        button = f"#foot button:text-is('Send {orders} order{'s' if orders > 1 else ''}'):enabled"
        self.page.wait_for_selector(button)
        if self.hand == "keys":
            self.presses("a.skip[href='#foot']")
        self.presses(button)
        self.page.wait_for_selector("text=Your orders have been taken")
        assert self.wrong == []
        return self.sent()

    def sent(self) -> list[str]:
        with self.at.hall.game(self.game) as game:
            return game.submissions()[self.nation].text.strip().split("\n")

    # ---- what is seen

    def arrows(self) -> int:
        return int(self.page.locator("#over a.order").count())

    def fits(self) -> bool:
        """Whether nothing is wider than the window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def waits_until(self, part: str, holds: Callable[[float], bool]) -> float:
        """Wait until a part of the map's transformation (`a` its scale, `e` how far right it is) is as wanted, and give it."""
        now = 0.0
        for _ in range(100):
            now = self.page.evaluate(
                "p => new DOMMatrix(getComputedStyle(document.getElementById('ground')).transform)[p]", part
            )
            if holds(now):
                break
            self.page.wait_for_timeout(50)
        return now


def resolved(at: House, game: str) -> None:
    """The turn is resolved and its reports are sent."""
    with at.hall.game(game) as found:
        resolve_turn(found, force=True)
        at.hall.send(found)


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
    player.page.wait_for_selector("#said:has-text('Line 1 now reads: Paris to Picardy')")
    assert player.page.input_value("#text").strip().split("\n")[0] == "Paris to Picardy"
    player.page.click("button[aria-label='Take line 2 out']")
    assert player.sends(1) == ["Paris to Picardy"]


@pytest.mark.parametrize(
    ("game", "nation", "place", "ways"),
    [
        ("diplomacy", "italy", "venice", ["#panel button.way:has(b:text-is('Tyrolia')) >> nth=0"]),
        (
            "1914",
            "french-empire",
            "alsace-lorraine",
            [
                "#panel details.choice[open] label.way:has(b:text-is('Cologne'))",
                "#panel details.choice[open] button:text-is('Add to my orders')",
            ],
        ),
    ],
)
def test_a_first_visitor_sends_orders_in_six_clicks(
    at: House, chromium: Any, game: str, nation: str, place: str, ways: list[str]
) -> None:
    """From the link of an invitation, which is the first click, to orders that have been taken."""
    at.hall.people.add(game, "moderator", name="Mo", email="mo@example.org")
    at.come_in(at.role(game, "moderator")).post(
        "players", {"act": "player", "nation": nation, "name": "Ida", "email": "ida@example.org"}
    )
    mail = next(m for m in at.mails() if m["To"] == "ida@example.org" and "invites you" in m["Subject"])
    text = mail.get_body(("plain",))
    assert text is not None
    link = re.search(r"http\S+/in/\S+", text.get_content())
    assert link
    page = chromium.new_context().new_page()
    page.set_default_timeout(WAIT)
    clicks = ["the link"]
    page.expose_function("clicked", lambda what: clicks.append(what))
    page.add_init_script(
        "addEventListener('mousedown', e => { if (e.isTrusted) clicked(e.target.textContent.trim()) }, true)"
    )
    page.goto(link[0])
    page.click("text=Come in to order")
    page.wait_for_selector("#frame")
    page.evaluate("document.getElementById('frame').scrollIntoView({block: 'center'})")
    page.mouse.click(*page.evaluate(SPOT, place))
    for way in ways:
        page.click(way)
    page.click("#foot button:text-is('Send 1 order'):enabled")
    page.wait_for_selector("text=Your orders have been taken")
    assert len(clicks) <= 6, clicks
    page.context.close()


def test_a_game_is_ordered_by_mouse_by_keys_and_without_scripts(at: House, chromium: Any) -> None:
    """Two seasons with support and a convoy, a retreat, and builds: nobody types a line."""
    germany = Player(at, chromium, "diplomacy", "germany")
    france = Player(at, chromium, "diplomacy", "france", hand="keys", viewport=PHONE, color_scheme="dark")
    england = Player(at, chromium, "diplomacy", "england", hand="no script", viewport=PHONE)
    germany.orders("munich", "Munich", "Move", "Ruhr", "Munich to Ruhr")
    germany.orders("berlin", "Berlin", "Move", "Munich", "Berlin to Munich")
    germany.orders("kiel", "Kiel", "Move", "Holland", "Kiel to Holland")
    assert germany.arrows() == 3 and germany.page.locator(".chips").count() == 0, "every unit has its order"
    germany.page.locator("#over a.order").nth(1).dispatch_event("click")
    assert germany.page.evaluate("location.hash") == "#l2"
    assert germany.sends(3) == ["Munich to Ruhr", "Berlin to Munich", "Kiel to Holland"]
    with at.hall.game("diplomacy") as game:
        hand_in(game, "france", "A Par - Bur", PLAYER)
        hand_in(game, "england", "F Lon - NTH\nF Edi - NWG\nA Lvp - Yor", PLAYER)
    assert germany.fits() and france.fits() and england.fits()
    resolved(at, "diplomacy")
    for player in (germany, france, england):
        player.begins()
    germany.orders("munich", "Munich", "Move", "Burgundy", "Munich to Burgundy")
    germany.orders(
        "ruhr",
        "Ruhr",
        "Support of a move",
        "The Ruhr supports Munich to Burgundy",
        "Ruhr supports Munich to Burgundy",
    )
    germany.sends(2)
    france.orders("burgundy", "Burgundy", "Hold", "Burgundy holds", "Burgundy holds")
    france.sends(1)
    england.orders("yorkshire", "Yorkshire", "Move", "Norway", "Yorkshire to Norway")
    england.orders("north-sea", "North Sea", "Convoy", "Norway", "North Sea convoys Yorkshire to Norway")
    helped = "Norwegian Sea supports Yorkshire to Norway"
    england.orders("norwegian-sea", "Norwegian Sea", "Support of a move", f"The {helped}", helped)
    assert england.arrows() == 3
    england.sends(3)
    england.page.click("button:text-is('I am ready')")
    england.page.wait_for_selector("text=You are ready")
    resolved(at, "diplomacy")
    france.begins()
    france.orders("burgundy", "Burgundy", "Retreat", "Gascony", "Burgundy to Gascony")
    france.sends(1)
    resolved(at, "diplomacy")
    germany.begins()
    germany.orders("kiel", "Kiel", "Build", "Fleet", "build Fleet in Kiel")
    germany.sends(1)
    england.begins()
    england.orders("london", "London", "Build", "Army", "build Army in London")
    england.sends(1)
    resolved(at, "diplomacy")
    with at.hall.game("diplomacy") as played:
        state = played.stage().position.state
        there = {(row["owner"], row["place"]) for _, row in state.stacks()}
    assert {
        ("germany", "burgundy"),
        ("france", "gascony"),
        ("england", "norway"),
        ("germany", "kiel"),
        ("england", "london"),
    } <= there


@LONG
@pytest.mark.parametrize(("hand", "scheme"), HANDS)
def test_a_turn_of_a_great_game_is_ordered_without_typing(
    at: House, chromium: Any, hand: str, scheme: str
) -> None:
    """Declarations, influence, research, purchases, marches, an attack with a condition, reconnaissance, and an answer."""
    with at.hall.game("1914") as game:
        hand_in(game, "russian-empire", "offer surrender", PLAYER)
        hand_in(game, "german-empire", "", PLAYER)  # another hand may have answered
        stage = game.stage().number
    player = Player(
        at,
        chromium,
        "1914",
        "german-empire",
        hand=hand,
        color_scheme=scheme,
        viewport=PHONE if hand == "mouse" else WIDE,
    )
    at.hall.drafts.keep("1914", "german-empire", stage, "")  # whatever another hand has left there
    player.begins()
    player.presses("form.note button:has-text('refuse')")
    player.lines = 1
    player.page.wait_for_selector("#foot button:has-text('Send 1 order')")
    player.turns_to("Diplomatic actions")
    player.adds(
        f"{player.opens('Declaration of war')} button.way:has(b:text-is('Belgium'))", "declare war on Belgium"
    )
    inside = player.opens("Diplomatic influence")
    assert "10 resource points; 20 % (9 or more)" in player.page.inner_text(
        f"{inside} button.way:has(b:text-is('Albania'))"
    )
    player.adds(f"{inside} button.way:has(b:text-is('Albania'))", "influence Albania")
    player.turns_to("Technology")
    player.adds(f"{player.opens('Research')} button.way:has(b:text-is('Tanks'))", "research Tanks")
    player.chooses("berlin", "Berlin")
    inside = player.opens("Building")
    player.marks(f"{inside} label.way:has(b:text-is('Artillery')) input")
    player.fills(f"{inside} input[name='slot-n']", 3)
    player.adds(f"{inside} form button.btn", "build 3 artillery in Berlin")
    player.chooses("cologne", "Cologne")
    inside = player.opens("Move or attack by land")
    player.fills(f"{inside} input[name='units-units-anti-air-gun']", 0)
    player.marks(f"{inside} label.way:has(b:text-is('Belgium')) input")
    player.presses(f"{inside} details.more > summary")
    player.fills(f"{inside} input[name='option-withdraw-after-n']", 2)
    attack = "8 artillery, 28 infantry from Cologne to Belgium: withdraw after 2 rounds"
    player.adds(f"{inside} form button.btn", f"move {attack}")
    inside = player.opens("Move or attack by land")
    assert player.page.locator(f"{inside} td b").all_inner_texts() == ["1", "0", "0"], (
        "what is left of those who stand there"
    )
    assert player.arrows() == 2, "an arrow of the attack, a ring of what is built"
    assert player.sends(6) == [
        "refuse surrender of Russian Empire", "declare war on Belgium", "influence Albania", "research Tanks",
        "build 3 artillery in Berlin", f"move {attack}",
    ]  # fmt: skip
    assert player.fits()
    player.page.context.close()


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
