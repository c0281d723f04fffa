"""The page of orders while its script is at work, in a real browser.

Needs playwright and Debian's chromium, and is skipped where they are not.
"""

from __future__ import annotations

from typing import Any

from .chromium import NEEDED, served
from .house import House

pytestmark = NEEDED


def types_an_order(at: House, page: Any) -> None:
    """Come in by a link, write one order, and wait until it can be sent."""
    role = at.role("small", "player", "red")
    page.goto(f"{at.server.url}/in/{at.hall.people.link(role)}")
    page.click("text=Come in to order")
    page.wait_for_url("**/orders")
    page.fill("#text", "dig\n")
    page.wait_for_selector("#foot button:text-is('Send 1 order'):enabled")


def test_typing_goes_on_where_the_session_has_ended(at: House, chromium: Any) -> None:
    """What a script cannot read back is said beside the button that sends; nothing typed is lost by it."""
    with served(at):
        page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
        types_an_order(at, page)
        assert page.locator("#unread").is_hidden()
        page.context.clear_cookies()
        page.fill("#text", "dig\nfly\n")
        page.wait_for_selector("#unread:has-text('not signed in here')")
        assert page.locator("#foot button:text-is('Send 1 order')").is_disabled(), "it says what was before"
        assert page.input_value("#text") == "dig\nfly\n"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.click("#foot >> text=Preview")
        page.wait_for_selector("text=Mail me a link")
        assert page.input_value("textarea").strip() == "dig\nfly"
        page.context.close()


def test_odds_that_come_by_themselves_leave_what_is_being_chosen(at: House, chromium: Any) -> None:
    with served(at):
        page = chromium.new_context().new_page()
        types_an_order(at, page)
        page.evaluate("document.getElementById('panel').dataset.seen = '1'")
        page.evaluate(
            "htmx.ajax('POST', location.pathname + '/chances', {source: '#text', swap: 'none', "
            "values: {live: '1', text: 'dig\\n', token: document.querySelector('[name=token]').value}})"
        )
        page.wait_for_selector("#back:has-text('1 order is valid')")
        page.wait_for_timeout(500)
        assert page.evaluate("document.getElementById('panel').dataset.seen") == "1"
        page.context.close()
