"""No page of the server shows what its reader may not know: secrets of others are changed, and every answer stays the same to the byte.

Hostile requests end in no fault of ours, whoever sends them.
"""

from __future__ import annotations

import os
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from ..long_ones import but_long
from ..test_secrecy import CANARY, DRAWING, SECRETS, camp, plant
from ..world1914 import loaded
from .house import Browser, House, house, said

from wteaw_web.app import SEATS, addresses  # isort: skip
from wteaw_web.demonstration import GAME, demonstration  # isort: skip
from wteaw_web.games import Games  # isort: skip
from wteaw.play.views import view_world  # isort: skip
from wteaw.store.database import keep_state  # isort: skip
from wteaw.store.states import KnownStates  # isort: skip
from wteaw.store.schema import positions  # isort: skip
from wteaw.world.view import UNKNOWN  # isort: skip

TEXT = "declare war on belgium\nbuild 900 infantry in berlin\nmove 3 infantry from cologne to belgium\nresearch rockets\n"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> House:
    found = house(tmp_path_factory.mktemp("secrets"))
    scenario, ruleset, _ = loaded()
    demonstration(found.hall, scenario, ruleset, DRAWING, turns=1)
    return found


@pytest.fixture(scope="module")
def reader(at: House) -> Browser:
    return at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.role == "player"))


def pages(kind: str) -> list[str]:
    out = [
        p for m, p, _, who in SEATS if m == "GET" and kind in who and p not in ("sessions", "proof/{what}")
    ]
    more = {
        "player": ["orders?form=1", "map.svg?window=0", "map.svg?turn=1&window=1"],
        "spectator": ["map.svg?window=0", "news?turn=1", "chart.svg?part=0"],
    }
    return out + more.get(kind, [])


def answers(browser: Browser, kind: str) -> dict[str, bytes]:
    """Every page of a reader, with what a form answers."""
    out = {page: browser.get(f"{browser.seat}/{page}").content for page in pages(kind)}
    if kind == "player":
        out["read-back"] = browser.post("orders/check", {"text": TEXT, "live": "1"}).content
        out["odds"] = browser.post("orders/odds", {"text": TEXT, "line": "3"}).content
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wteaw.report.dry_run.secrets.token_bytes", lambda n: b"t" * n)
            for others in ("", "1"):
                out[f"try {others}"] = browser.post("try", {"others": others}).content
    return out


def with_state(at: House, state: Any) -> None:
    """Let the game's position be another, and forget what was made of the one before."""
    with at.hall.game(GAME) as game:
        number = game.stage().number
        with game.writing() as db:
            where = (positions.c.game == GAME, positions.c.number == number)
            key = keep_state(db, KnownStates().packed([state])[0])
            db.execute(update(positions).where(*where).values(state=key))
            assert db.execute(select(positions.c.state).where(*where)).scalar() == key
    at.hall = at.server.hall = Games(at.hall.engine, clock=lambda: at.now)


@pytest.mark.parametrize("seed", but_long(range(2), 1))
def test_what_others_hide_changes_no_page(at: House, reader: Browser, seed: int) -> None:
    with at.hall.game(GAME) as game:
        whole = game.stage().position.state.copy()
    nation = reader.seat and next(r for r in at.hall.people.of_game(GAME) if r.id in reader.seat).nation
    with_state(at, whole)
    answers(reader, "player")  # a draft is kept from here on
    before = answers(reader, "player")
    assert all(b and b"There is no such page" not in b for b in before.values())
    rng, changed = random.Random(seed), whole.copy()
    for what in SECRETS:
        plant(changed, nation, what, rng.randrange(10_000))
    assert changed != whole
    with_state(at, changed)
    after = answers(reader, "player")
    with_state(at, whole)
    for page, body in after.items():
        assert body == before[page], f"{page} shows something of what is planted"
        assert str(CANARY).encode() not in body, page


def test_onlookers_see_what_is_common_only(at: House) -> None:
    onlooker = at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.role == "spectator"))
    with at.hall.game(GAME) as game:
        whole = game.stage().position.state.copy()
    before = answers(onlooker, "spectator")
    changed = whole.copy()
    readers = sorted(n for n in loaded()[1].rows("nations") if not camp(whole, n) - {n})[:1]
    for number, what in enumerate(("money", "units", "kind", "under_way", "orders", "knowledge", "mark")):
        plant(changed, readers[0], what, number)
    with_state(at, changed)
    after = answers(onlooker, "spectator")
    with_state(at, whole)
    assert after == before


def test_the_owner_does_see_what_is_his(at: House, reader: Browser) -> None:
    """The other way round: the tests above can fail."""
    with at.hall.game(GAME) as game:
        whole = game.stage().position.state.copy()
    nation = next(r for r in at.hall.people.of_game(GAME) if r.id in reader.seat).nation
    changed = whole.copy()
    purse = next(k for k in changed.table("treasuries") if k.startswith(f"{nation}/"))
    changed.put("treasuries", purse, "money", CANARY)
    with_state(at, changed)
    assert str(CANARY).encode() in answers(reader, "player")["turn"]
    with_state(at, whole)


def test_a_try_out_and_odds_answer(at: House, reader: Browser) -> None:
    nation = next(r for r in at.hall.people.of_game(GAME) if r.id in reader.seat).nation
    with at.hall.game(GAME) as game:
        before = (game.stages(), game.submissions())
        view = view_world(game, nation)
        seen = {
            str(row["place"])
            for _, row in view.state.stacks()
            if view.hostile(nation, str(row["owner"])) and row["kind"] != UNKNOWN
        }
        number, kind, start, to = next(
            (row["n"], row["kind"], str(row["place"]), near)
            for _, row in view.state.stacks()
            if row["owner"] == nation and "captures" in game.ruleset.row("units", row["kind"]).get("tags", ())
            for near in game.geography.next_to(str(row["place"]))
            if near in seen and game.ruleset.row("places", near)["kind"] == "land"
        )
    text = f"move {number} {kind} from {start} to {to}\n"
    assert "Attack on" in said(reader.post("orders/check", {"text": text, "live": "1"}))
    asked = reader.post("orders/check", {"text": text, "live": "1"})
    assert "data-odds" in asked.text and "against these" not in said(asked), "reading back waits for no odds"
    for answered in (
        reader.post("orders/chances", {"text": text, "live": "1"}),
        reader.post("orders/check", {"text": text}),
    ):
        assert "data-odds" not in answered.text and "against these you take it in" in said(answered)
    answer = said(reader.post("orders/odds", {"text": text, "line": "1"}))
    assert "stay to the end" in answer and "as ordered" in answer, answer
    assert "These dice were of the try alone" in said(reader.post("try", {}))
    with at.hall.game(GAME) as game:
        assert before == (game.stages(), game.submissions()), "nothing is kept"


def test_a_draft_of_rules_is_looked_at_and_not_kept(at: House) -> None:
    mo = at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.role == "moderator"))
    assert "tables/units.yaml:" in mo.get("tables", form="units", row="infantry").text
    good = said(mo.post("draft", {"rules": ".", "text": "units:\n- {id: infantry, price: 4}\n"}))
    assert "It stands" in good and "price: 4" in good
    bad = said(mo.post("draft", {"rules": ".", "text": "units:\n- {id: infantry, prize: 4}\n"}))
    assert "1 error" in bad and "line 2" in bad and "did you mean" in bad
    for text in (
        "&a [*a, *a]",
        "x: [",
        "- 1",
        "extends: /etc/passwd",
        "units: !!python/object:os.system {}",
        "\ud800",
        "sequence: {}",
    ):
        assert mo.post("draft", {"rules": ".", "text": text.encode("utf-8", "replace")}).status_code < 500, (
            text
        )
    assert mo.post("draft", {"rules": "../../etc", "text": ""}).status_code == 409


def test_a_question_that_is_not_understood_loses_no_draft(at: House) -> None:
    mo = at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.role == "moderator"))
    draft = "units:\n  - {id: infantry, hits: -4, wings: 3}\n"
    answer = mo.post(
        "draft",
        {"rules": ".", "text": draft, "attacker": "germoney: 3 infntry", "defender": "x", "place": "y"},
    )
    assert answer.status_code == 200 and "No odds" in said(answer) and "wings: 3" in said(answer)
    assert "✗ line 2" in said(answer)
    assert not re.search(r"\w+\.yaml, line \d+", said(answer)), (
        "what only follows from the draft's mistake is not told"
    )


def test_rule_tests_say_what_a_draft_breaks(at: House) -> None:
    mo = at.come_in(next(r for r in at.hall.people.of_game(GAME) if r.role == "moderator"))
    form = {
        "rules": "variants/diplomacy",
        "text": 'victory:\n- {id: solo, when: "turn > 900"}\n',
        "tests": "1",
    }
    page = said(mo.post("draft", form))
    assert (
        re.search(r"\d+ changes? (its|their) verdict", page)
        and "passed → ✗ failed" in page
        and "expected" in page
    )
    page = said(mo.post("draft", {**form, "text": "victory:\n- {id: solo, says: A power has won.}\n"}))
    assert "all say the same as before" in page and "No rule test" not in page
    assert "Rule tests" not in said(mo.post("draft", {**form, "tests": ""}))
    assert "Rule tests" not in said(mo.post("draft", {**form, "text": "victory:\n- {id: solo, where: x}\n"}))


# ---- hostile requests

ODD = [
    "", "0", "-1", "1e9", "99999999999999999999", "²", "NaN", "null", "true", "[]", "{}", "../../../etc/passwd", "%00", "\x00", "\udce9",
    "' or 1=1 --", "<script>", "{{7*7}}", "a" * 5000, "\r\nSet-Cookie: x=y", "ß" * 300, "\u202e\u0000\uffff", "1:2:3", "[" * 2000, "\U0001f4a5",
    "nation Spain", "german-empire", "moderator", "2026-05-01T00:00", "0001-01-01T00:00", "9999-12-31T23:59",
]  # fmt: skip
FIELDS = [
    "text", "out", "mend", "live", "line", "nothing", "file", "nation", "to", "reason", "sure", "stage", "force", "act", "name", "email",
    "side", "by", "role", "due", "days", "auto", "remind", "public", "more", "pause", "decision", "answer", "ruleset", "mail", "which",
    "again", "scenario", "id", "title", "turn", "window", "size", "form", "verify",
]  # fmt: skip
QUIET = ("game/resolve", "game/send", "sessions", "players")  # what ends the game for the rest of the attack


def test_hostile_requests_end_in_no_fault(at: House) -> None:
    """Forms, addresses, headers, files and methods at random: refused, or answered, and never a 500."""
    rng = random.Random(20260501)
    people = {r.role: at.come_in(r) for r in at.hall.people.of_game(GAME)}
    people["host"] = at.come_in(at.hall.people.add("", "host", name="h", email="h@h.example"))
    everything = addresses()

    def word() -> str:
        return (
            rng.choice(ODD)
            if rng.random() < 0.8
            else "".join(rng.choices(string.printable, k=rng.randrange(40)))
        )

    for number in range(700):
        browser = people[rng.choice(sorted(people))]
        method, address = rng.choice(everything)
        path = address.replace("{seat}", browser.seat.rpartition("/")[2] if rng.random() < 0.9 else "x")
        for slot in ("{secret}", "{what}", "{game}"):
            path = path.replace(slot, rng.choice(["x", "published", "dice", GAME, "%2e%2e", "%00", "%ff"]))
        if path.endswith(QUIET) and method == "POST" and rng.random() < 0.9:
            continue
        fields = {rng.choice(FIELDS): word() for _ in range(rng.randrange(6))}
        data = {k: v.encode("utf-8", "surrogateescape") for k, v in fields.items()}
        headers = (
            {}
            if rng.random() < 0.7
            else {rng.choice(["content-type", "cookie", "accept-encoding", "range", "host"]): _header(word())}
        )
        if method == "POST" and rng.random() < 0.8:
            data["token"] = browser.token().encode()
        more: dict[str, Any] = (
            {"params": {k: v.encode("utf-8", "replace") for k, v in fields.items()}}
            if method == "GET"
            else {"data": data}
        )
        if method == "POST" and rng.random() < 0.2:
            more["files"] = {
                rng.choice(["file", "text"]): (
                    _header(word())[:50] or "f",
                    rng.randbytes(rng.randrange(3000)),
                    "text/plain",
                )
            }
        answer = browser.client.request(
            method if rng.random() < 0.95 else "PUT", path, headers=headers, follow_redirects=False, **more
        )
        assert answer.status_code < 500, (number, method, path, fields, headers)
        if headers:
            browser.client.headers.pop("cookie", None)
    with at.hall.game(GAME) as game:
        from wteaw.play.verify import broken_chain

        assert broken_chain(game) is None


def _header(text: str) -> str:
    return "".join(c for c in text if " " <= c <= "~")[:200]


def test_the_embedded_server_is_nobody_elses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wteaw.cli import _run

    mask = os.umask(0o022)
    try:
        assert _run(["serve", "--folder", str(tmp_path / "d"), "--invite", "hal@h.example"]) == 0
    finally:
        os.umask(mask)
    assert "/in/" in capsys.readouterr().out
    assert (tmp_path / "d" / "server.db").stat().st_mode & 0o077 == 0
