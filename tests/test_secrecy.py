"""What a nation may not know never shows: not in its report, map, JSON, template or the checker's answers.

Secrets of others are changed at random; whatever is made for the reader must stay the same to the byte. Values that stand
nowhere else are planted in what is secret, and searched for.
"""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wteaw.core import messages
from wteaw.core.canonical import dumps
from wteaw.core.journal import Entry
from wteaw.core.package_data import rulesets
from wteaw.core.state import Entity, State
from wteaw.orders.check import check
from wteaw.orders.parse import parse_orders
from wteaw.orders.sheet_layout import order_template
from wteaw.report.build import nation_report
from wteaw.report.map_views import map_svg, report_map
from wteaw.report.render import as_html, as_text
from wteaw.report.wording import Wording
from wteaw.ruleset.drawing import read_drawing
from wteaw.world.view import readable, view
from wteaw.world.world import World

from .long_ones import LONG
from .random_games import random_game
from .world1914 import loaded, played

READERS = ("german-empire", "italy", "switzerland")
ORDERS = "declare war on belgium\ninfluence sweden\nbuild 900 infantry in berlin\nmove 3 infantry from cologne to belgium\nresearch rockets\n"
DRAWING = read_drawing(rulesets())


def outputs(state: State, entries: list[Entry], reader: str, *, picture: bool = False) -> dict[str, bytes]:
    """Everything that is made for a reader, as bytes."""
    _, ruleset, geography = loaded()
    shown = view(ruleset, state, reader, geography=geography)
    world = World(ruleset, shown, geography=geography)
    template = order_template(world, reader, game="secrets")
    orders, _ = parse_orders(ruleset, ORDERS, nation=reader, state=shown)
    answers = [asdict(d) for d in check(world, reader, orders).found]
    report = nation_report(world, entries, reader, game="secrets", turn=2, template=template)
    mine = readable(entries, world, reader)
    svg = map_svg(ruleset, shown, DRAWING, entries=mine) if picture else ""
    drawn = report_map(ruleset, shown, DRAWING, reader, entries=mine) if picture else None
    return {
        "text": as_text(report).encode(),
        "html": as_html(report, drawn).encode(),
        "json": dumps(asdict(report)),
        "template": template.encode(),
        "answers": repr(answers).encode(),
        "map": svg.encode(),
    }


def camp(state: State, reader: str) -> set[str]:
    """The reader and those that share what they know with it."""
    world = World(loaded()[1], state)
    side = world.side_of(reader)
    return {n for n in world.nations() if n == reader or (side and world.side_of(n) == side)}


def hidden_places(state: State, reader: str) -> list[str]:
    """Land where the reader sees nobody and from which nothing of the reader's is next."""
    _, ruleset, geography = loaded()
    world = World(ruleset, state, geography=geography)
    seen = {
        p.id
        for p in world.value(
            "union(lookouts(self), neighbors(lookouts(self)))", {"self": Entity("nation", reader)}
        )
    }
    return [p for p in ruleset.rows("places") if p not in seen]


def hidden_numbers(state: State, shown: State) -> list[tuple[str, str, str, int]]:
    """Every number that a view leaves out or alters, but for counts of units: of those it may tell the order of magnitude."""
    return [
        (table, id_, field, value)
        for table in state.tables
        for id_, row in state.table(table).items()
        for field, value in row.items()
        if table != "units" and type(value) is int and shown.get(table, id_, field) != value
    ]


CANARY = 918273

SECRETS = (
    "money",
    "tech",
    "opinion",
    "units",
    "kind",
    "under_way",
    "orders",
    "uses",
    "held",
    "knowledge",
    "mark",
    "once",
    "income",
)
secrets = st.sampled_from(SECRETS)


def plant(state: State, reader: str, what: str, pick: int) -> None:
    """Change something that the reader may not know."""
    _, ruleset, _ = loaded()
    others = sorted(n for n in ruleset.rows("nations") if n not in camp(state, reader))
    other = others[pick % len(others)]
    places = hidden_places(state, reader)
    place = places[pick % len(places)]
    if what == "money":
        state.put("treasuries", f"{other}/{place}", "money", CANARY)
    elif what == "tech":
        state.put("techs", other, "rockets", 3)
    elif what == "opinion":
        state.put("tracks", other, "opinion", -CANARY)
    elif what == "units":
        key = f"{other}.infantry@{place}"
        now = state.get("units", key, "n", 0)
        state.put("units", key, "*", {"owner": other, "kind": "infantry", "place": place, "n": now + CANARY})
    elif what == "kind":
        others_there = [
            (key, row) for at in places for key, row in state.stacks(at=at) if row["owner"] in others
        ]
        manned = [(key, row) for key, row in others_there if row["kind"] != "tank"]
        key, row = manned[pick % len(manned)]
        state.put("units", key, "*", None)
        state.put("units", key.replace(row["kind"], "tank"), "*", {**row, "kind": "tank"})
    elif what == "under_way":
        state.put(
            "under_way",
            f"{other}#9999",
            "*",
            {"nation": other, "what": "tank", "n": CANARY, "at": place, "due": "placement", "since": 1},
        )
    elif what == "orders":
        state.put(
            "orders",
            f"{other}/0001",
            "*",
            {
                "nation": other,
                "order": "actions/influence",
                "slots": {"target": "spain"},
                "text": f"x{CANARY}",
            },
        )
    elif what == "uses":
        state.put(
            "uses",
            f"influence|nation|target|turn|{other}|spain",
            "*",
            {"n": CANARY, "turn": 3, "nation": other},
        )
    elif what == "held":
        state.put(
            "held",
            f"test#{CANARY}",
            "*",
            {"until": "turn_end", "effects": [], "names": {}, "rule": "x", "audience": []},
        )
    elif what == "knowledge":
        state.put("knowledge", other, f"units:{place}", {"as": "exact", "seen": str(CANARY), "since": 1})
    elif what == "mark":
        state.put("flags", f"nation:{other}", "plots", {"since": CANARY, "seen_by": [other]})
    elif what == "once":
        state.put("once", f"plot{CANARY}", "turn", 2)
    elif what == "income":
        state.put("nations", other, "income", CANARY)


@pytest.fixture(scope="module")
def plain() -> dict[str, dict[str, bytes]]:
    result = played(2)[-1]
    return {
        r: outputs(result.position.state, list(result.entries), r, picture=r == READERS[0]) for r in READERS
    }


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(READERS), st.lists(st.tuples(secrets, st.integers(0, 99)), min_size=1, max_size=4))
def test_what_others_hide_changes_nothing_for_the_reader(
    plain: dict[str, dict[str, bytes]], reader: str, planted: list[tuple[str, int]]
) -> None:
    result = played(2)[-1]
    state = result.position.state.copy()
    for what, pick in planted:
        plant(state, reader, what, pick)
    assert state != result.position.state
    got = outputs(state, list(result.entries), reader)
    for name, data in got.items():
        if name != "map" and not (name == "html" and reader == READERS[0]):
            assert data == plain[reader][name], f"{name} of {reader} shows {planted}"
        assert str(CANARY).encode() not in data


def test_the_map_hides_as_well(plain: dict[str, dict[str, bytes]]) -> None:
    result = played(2)[-1]
    state = result.position.state.copy()
    for number, what in enumerate(["units", "kind", "under_way", "money", "opinion"]):
        plant(state, READERS[0], what, number)
    assert outputs(state, list(result.entries), READERS[0], picture=True)["map"] == plain[READERS[0]]["map"]


@pytest.mark.parametrize("reader", READERS)
def test_entries_for_others_leave_no_trace(plain: dict[str, dict[str, bytes]], reader: str) -> None:
    result = played(2)[-1]
    other = sorted(set(loaded()[1].rows("nations")) - camp(result.position.state, reader))[0]
    secret = Entry(
        0,
        2,
        "influence",
        "actions/influence",
        "",
        other,
        [messages.plain(f"canary {CANARY}")],
        audience=(other,),
        data={"n": CANARY},
    )
    mixed: list[Any] = []
    for entry in result.entries:
        mixed += [secret, entry]
    got = outputs(result.position.state, mixed, reader)
    for name in ("text", "json", "template", "answers"):
        assert got[name] == plain[reader][name]


@LONG
@pytest.mark.parametrize("seed", [11])
def test_random_games_keep_their_secrets(seed: int) -> None:
    """Whatever was ordered: reports neither hold nor imply what others hide, nor a word of what was written for others."""
    _, ruleset, geography = loaded()
    rng = random.Random(seed)
    for _, _, result in random_game(seed, 3):
        state, entries = result.position.state, list(result.entries)
        for reader in rng.sample(sorted(ruleset.rows("nations")), 3):
            changed = state.copy()
            for what in SECRETS:
                plant(changed, reader, what, rng.randrange(10_000))
            before, after = (outputs(s, entries, reader) for s in (state, changed))
            assert before == after, f"seed {seed}, turn {state.get('game', 'game', 'turn')}, {reader}"
            shown = view(ruleset, state, reader, geography=geography)
            for table, id_, field, value in hidden_numbers(state, shown):
                changed.put(table, id_, field, value + 1)
            assert view(ruleset, changed, reader, geography=geography) == shown, f"seed {seed}, {reader}"
            world = World(ruleset, shown, geography=geography)
            known = readable(entries, world, reader)
            words = Wording(world, reader)
            told = "\n".join(line for e in known for line in (e.text, words.told(e.happened)))
            for entry in entries:
                if entry.text and entry not in known and entry.text not in told:
                    assert entry.text.encode() not in before["text"], (
                        f"{reader} reads of {entry.rule}: {entry.text}"
                    )


def test_the_owner_does_see_what_is_his(plain: dict[str, dict[str, bytes]]) -> None:
    """The other way round: the tests above can fail."""
    result = played(2)[-1]
    state = result.position.state.copy()
    state.put("treasuries", "german-empire/berlin", "money", CANARY)
    assert str(CANARY).encode() in outputs(state, list(result.entries), "german-empire")["text"]
