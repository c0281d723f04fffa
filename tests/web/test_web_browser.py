"""A whole game of three players in a real browser, from invitation to verified dice, with a rollback in the middle.

Needs playwright and axe-core (extra `dev`) and Debian's chromium, and is skipped where they are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from ..long_ones import LONG
from .chromium import NEEDED, served
from .house import House, house

pytest.importorskip("axe_playwright_python", reason="it brings axe-core, with the extra `dev`")
pytestmark = NEEDED


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    found = house(tmp_path_factory.mktemp("browser"))
    found.game("small", red="ann@a.example", blue="bob@b.example", gray="cleo@c.example")
    found.hall.people.add("small", "spectator", name="Sue", email="sue@s.example")
    with served(found):
        yield found


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


class Person:
    """Somebody at a browser: their page, and what went wrong in it."""

    def __init__(self, at: House, chromium: Any, *, scripts: bool = True, width: int = 1280) -> None:
        self.at = at
        self.context = chromium.new_context(
            java_script_enabled=scripts, viewport={"width": width, "height": 900}
        )
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on(
            "console",
            lambda m: self.wrong.append(m.text) if m.type == "error" and "40" not in m.text else None,
        )
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))

    def comes_in(self, email: str) -> None:
        """Ask for a link, find it in the mail, follow it."""
        self.page.goto(self.at.server.url + "/")
        self.page.fill("input[name=email]", email)
        self.page.click("text=Send me a link")
        link = re.search(r"http\S+/in/\S+", self.wait_for_mail(email).get_content())
        assert link
        self.page.goto(link[0])
        self.page.click("text=Come in")
        self.page.wait_for_url("**/seat/**")

    def wait_for_mail(self, email: str) -> Any:
        """The newest mail to an address; the one that sends it may take its time on a busy machine."""
        for _ in range(600):
            if found := [mail for mail in self.at.mails() if mail["To"] == email]:
                return found[-1]
            self.page.wait_for_timeout(50)
        raise AssertionError(f"no mail has come to {email}")

    def goes(self, name: str) -> None:
        self.page.click(f"nav >> text='{name}'")


@LONG
def test_a_game_of_three_players(at: House, chromium: Any) -> None:
    ann, bob, cleo = (
        Person(at, chromium),
        Person(at, chromium, scripts=False),
        Person(at, chromium, scripts=False, width=390),
    )
    mo = Person(at, chromium)
    people = {"ann@a.example": ann, "bob@b.example": bob, "cleo@c.example": cleo, "mo@small.example": mo}
    for email, person in people.items():
        person.comes_in(email)
    for turn in (1, 2, 3):
        ann.goes("Orders")
        ann.page.fill("#text", "dig\nfly\n")
        ann.page.wait_for_selector("text=1 line is not valid")
        assert ann.page.locator("#gutter .e").inner_text() == "2"
        ann.page.click("text=Take the line out")
        ann.page.click("button:text-is('Send 1 order'):enabled")
        ann.page.wait_for_selector("text=Your orders have been taken")
        for person, orders in ((bob, "dig\ndig\n"), (cleo, "")):
            person.goes("Orders")
            person.page.fill("#text", orders)
            person.page.click("button:has-text('Preview')")
            person.page.click(
                "button:has-text('Send 2 orders')" if orders else "button:has-text('Order nothing')"
            )
            person.page.wait_for_selector("text=Your orders have been taken")
        mo.goes("Turn")
        assert "All orders are in" in mo.page.inner_text("h1")
        mo.page.click("button:has-text('Rehearse')")
        mo.page.wait_for_selector("text=practice dice")
        mo.goes("Turn")
        mo.page.click("button:has-text('Close orders and resolve')")
        mo.page.wait_for_selector("text=Nobody but you has seen it yet")
        if turn == 2:  # something was wrong: bob meant one dig, and nobody has seen anything
            mo.page.click("text=An order was taken wrongly")
            mo.page.select_option("select[name=nation]", "blue")
            mo.page.fill("textarea[name=text]", "dig\n")
            mo.page.fill("input[name=reason]", "one dig too many")
            mo.page.click("button:has-text('Show what it would do')")
            assert "Everybody keeps their dice" in mo.page.inner_text("main")
            mo.page.click("button:has-text('Go back')")
            mo.page.wait_for_selector("text=The game has gone back")
            mo.page.click("button:has-text('Close orders and resolve')")
            mo.page.wait_for_selector("text=Nobody but you has seen it yet")
        mo.page.click("button:has-text('Send 3 reports')")
        mo.page.wait_for_selector("text=The reports are on their way")
    at.mails()
    for person in (ann, bob, cleo):
        person.goes("Turn")
        assert "Turn 3 is resolved" in person.page.inner_text("main")
        person.goes("Proof")
        for turn in ("1", "2", "3"):
            person.page.select_option("select[name=turn]", turn)
            person.page.click("text=Roll again")
            said = person.page.inner_text("[role=status]")
            assert "come out the same" in said and "Your own file took part" in said, said
    ann.page.goto(ann.page.url.rsplit("/", 1)[0] + "/turn?turn=2")
    assert "one dig too many" in ann.page.inner_text("main")
    ann.goes("Map")
    ann.page.fill("#turn", "1")
    ann.page.wait_for_selector("#picture[src*='turn=1&']")
    assert ann.page.inner_text("h1") == "The map after turn 1"
    bob.goes("Map")
    bob.page.click("nav[aria-label=Turns] >> text='2'")
    assert bob.page.inner_text("h1") == "The map after turn 2", "without a script the turns are links"
    with at.hall.game("small") as game:
        assert [h.submission.by for h in game.hand_ins_of(2, "blue")] == ["player", "moderator"]
    mo.goes("History")
    mo.page.click("button:has-text('Look')")
    assert "✗" not in mo.page.inner_text("main") and "every turn resolved again" in mo.page.inner_text("main")
    for person in people.values():
        assert person.wrong == []


def test_the_saved_proof_checks_without_the_server(at: House, chromium: Any, tmp_path: Path) -> None:
    """The page is opened from a file, with no network; a die that was changed is found, and so is another commitment."""
    at.game("proof", red="dora@d.example")
    red = at.come_in(at.role("proof", "player", "red"))
    red.send("dig\n")
    mo = at.come_in(at.role("proof", "moderator"))
    mo.post("game/resolve", {"stage": "1", "force": "1"})
    mo.post("game/send", {"stage": "2"})
    saved = red.get("proof/page", turn="1")
    assert saved.headers["content-disposition"].startswith("attachment")
    kept = json.loads(saved.text.partition('id="kept">')[2].partition("</script>")[0])
    person = Person(at, chromium)
    person.context.set_offline(True)

    def says(text: str, **files: str) -> str:
        (tmp_path / "proof.html").write_text(text, encoding="utf-8")
        person.page.goto((tmp_path / "proof.html").as_uri())
        for name, content in files.items():
            (tmp_path / "file.json").write_text(content)
            person.page.set_input_files(f"input[name={name}]", tmp_path / "file.json")
            person.page.wait_for_timeout(100)
        return str(person.page.inner_text("#answer"))

    shown = sum(len(d["faces"]) for record in kept["dice"]["dice"] for d in record["drawn"])
    assert (
        shown
        and says(saved.text)
        == f"✓ {shown} of {shown} dice come out the same. Your own file took part in them."
    )
    published = red.get("proof/published", turn="1").text
    assert says(saved.text, published=published).startswith("✓")
    faces = re.search(r'"faces": \[(\d+)', saved.text)
    assert faces
    other = saved.text.replace(faces[0], f'"faces": [{int(faces[1]) + 1}', 1)
    assert says(other).startswith("✗ throw 1 (")
    assert "committed to" in says(
        saved.text, published=published.replace(kept["published"]["commitment"]["root"], "0" * 64)
    )
    assert "committed to" in says(saved.text.replace(kept["dice"]["openings"][0]["key"], "ab" * 32))
    own = kept["own"]
    assert own and "went into the dice for red" in says(saved.text.replace(own, sha256(b"fly").hexdigest()))
    assert not person.wrong


PAGES = {"player": ("turn", "orders?form=1&phase=court", "map", "help", "messages", "nation", "try", "proof", "sessions"), "moderator": ("game", "players", "mail", "history", "rules", "tables", "draft", "report"), "spectator": ("news", "map", "figures")}  # fmt: skip


@LONG
@pytest.mark.parametrize("kind", sorted(PAGES))
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_are_whole_on_a_phone_and_for_all(
    at: House, chromium: Any, axe: str, kind: str, width: int, tmp_path: Path
) -> None:
    """Nothing is wider than the window, nothing is loaded from elsewhere or refused, and axe finds nothing, light or dark."""
    person = Person(at, chromium, width=width)
    role = at.role("small", kind, "red" if kind == "player" else "")
    person.page.goto(f"{at.server.url}/in/{at.hall.people.link(role)}")
    door = person.page.evaluate(f"async () => {{ {axe}; return (await axe.run()).violations }}")
    assert not door, door
    person.page.click("text=Come in")
    asked: list[str] = []
    grave: list[Any] = []
    person.page.on("request", lambda r: asked.append(r.url))
    for page in PAGES[kind]:
        for scheme in ("light", "dark"):
            person.page.emulate_media(color_scheme=scheme)
            person.page.goto(f"{at.server.url}/seat/{role.id}/{page}")
            if not person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                grave.append((page, scheme, "is too wide"))
            found = person.page.evaluate(f"async () => {{ {axe}; return (await axe.run()).violations }}")
            grave += [(page, scheme, v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]
    assert not grave, "\n".join(map(str, grave))
    assert all(url.startswith(at.server.url) for url in asked)
    assert not person.wrong
