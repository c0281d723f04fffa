"""A report that can be read: its account adds up, battles stand once, lines fit a mail, and what is not certain is not said."""

from __future__ import annotations

import re

import pytest

from wteaw.core.journal import Entry
from wteaw.core.state import State
from wteaw.game.report import account, fights
from wteaw.game.report.build import Report, nation_report
from wteaw.game.report.document import Block, Para, Table
from wteaw.game.report.map.svg import coarse
from wteaw.game.report.render import WIDTH, as_html, as_text
from wteaw.game.report.words import Words, listing, sentence
from wteaw.world.view import readable, view
from wteaw.world.world import World

from .world1914 import loaded, played

READERS = ("german-empire", "italy", "french-empire")


def told(reader: str) -> tuple[Report, State, list[Entry]]:
    _, ruleset, geography = loaded()
    result = played(2)[-1]
    shown = view(ruleset, result.position.state, reader, geography=geography)
    entries = list(result.entries)
    return nation_report(ruleset, shown, entries, reader, game="g", turn=2, geography=geography), shown, entries


@pytest.mark.parametrize("reader", READERS)
def test_the_account_adds_up(reader: str) -> None:
    """Beginning and lines give what is left, in the main purse and elsewhere; the beginning is that of the turn."""
    _, shown, entries = told(reader)
    _, ruleset, geography = loaded()
    world = World(ruleset, shown, geography=geography)
    found = account.accounts(world, entries, reader, Words(world, reader))
    assert found
    before = played(2)[-2].position.state
    for item in found:
        for purse in (0, 1):
            assert item.begun[purse] + sum(line[1 + purse] for line in item.lines) == item.left[purse]
        begun = sum(row.get(item.resource, 0) for key, row in before.table("stores").items() if key.partition("/")[0] == reader)
        assert sum(item.begun) == begun
        assert sum(item.left) == sum(
            row.get(item.resource, 0) for key, row in shown.table("stores").items() if key.partition("/")[0] == reader
        )
    assert any(line[0] == "other" for item in found for line in item.lines) is False, "every change has a name"


@pytest.mark.parametrize("reader", READERS)
def test_a_report_fits_a_mail(reader: str) -> None:
    report, _, _ = told(reader)
    body = as_text(report).partition("\nPROOF")[0].splitlines()
    assert len(body) < 200
    assert [line for line in body if len(line) > WIDTH] == []
    text = "\n".join(body)
    assert ".." not in text and "stays calm" not in text and " 1 enemy units" not in text
    _, ruleset, _ = loaded()
    ids = {i for form in ("places", "nations", "units") for i in ruleset.rows(form) if "-" in i}
    assert [i for i in ids if re.search(rf"(?<![\w-]){i}(?![\w-])", text)] == []
    assert len(as_html(report)) < 400_000


def test_a_battle_is_told_once() -> None:
    report, shown, entries = told("german-empire")
    _, ruleset, geography = loaded()
    mine = readable(entries, World(ruleset, shown, geography=geography), "german-empire")
    begun = [e for e in mine if e.data.get("event") == "begin"]
    found = fights.fights(mine)
    assert len(found) == len(begun) > 0
    part = next(p for p in report.parts if p.title.startswith("Battles"))
    heads = [b.head[0] for b in part.blocks if isinstance(b, Table)]
    own = [f for f in found if "german-empire" in f.parties()]
    assert own and len(heads) <= len(own) and len(set(heads)) == len(heads)
    for fight in found:
        lost = sum(n for side in fight.lost.values() for kinds in side.values() for n in kinds.values())
        began = sum(n for side in fight.sides.values() for kinds in side.values() for n in kinds.values())
        assert fight.ended and lost <= began + 10


def test_all_dice_on_demand_only() -> None:
    report, _, _ = told("german-empire")
    assert "Dice 1d" not in as_text(report) and "Dice 1d" in as_text(report, dice=True)


def test_words() -> None:
    assert listing(["a"]) == "a" and listing(["a", "b", "c"]) == "a, b and c" and listing([]) == ""
    assert sentence("the Urals Mts..") == "The Urals Mts." and sentence("x") == "X."


def test_outlines_that_meet_still_meet_on_the_page() -> None:
    """The small picture keeps shared borders shared, whichever way round they are drawn, and drops what cannot be seen."""
    border = [(10.2 + 7 * n, 20.1 + (n * n) % 13) for n in range(20)]
    there = "M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in [*border, (150.0, 90.0), (10.0, 90.0)]) + "Z"
    back = "M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in [*border[::-1], (10.0, 2.0), (150.0, 2.0)]) + "Z"
    small = "M" + " ".join("5.1,5.2" for _ in range(30)) + "Z"

    def vertices(data: str) -> set[tuple[int, int]]:
        found = re.search(r' d="([^"]*)"', coarse(f'<path d="{data}"/>'))
        assert found
        x = y = 0
        out = set()
        steps = [int(v) for v in re.findall(r"-?\d+", found[1])]
        for dx, dy in zip(steps[::2], steps[1::2], strict=True):
            x, y = x + dx, y + dy
            out.add((x, y))
        return out

    shared = {p for p in vertices(there) if p[1] < 60}
    assert len(shared) > 5 and shared == {p for p in vertices(back) if p[1] > 8}
    assert vertices(small) == {(0, 0)}


def test_the_reader_is_you_and_others_go_by_their_short_name() -> None:
    _, shown, _ = told("german-empire")
    _, ruleset, geography = loaded()
    words = Words(World(ruleset, shown, geography=geography), "german-empire")
    for said, read in {
        "German Empire declares war on French Empire.": "You declare war on France.",
        "French Empire declares war on German Empire.": "France declares war on you.",
        "German Empire carries its guns to Russian Empire's border.": "You carry your guns to Russia's border.",
        "Ottoman Empire joins Central Powers.": "The Ottoman Empire joins the Central Powers.",
        "German Empire: infantry in Berlin is complete.": "infantry in Berlin is complete.",
        "The army of German Empire stays calm.": "Your army stays calm.",
        "Battle of German East Africa: German Empire (1 infantry).": "Battle of German East Africa: you (1 infantry).",
        "1 infantry in Serbia and Belgium.": "1 infantry in Serbia and Belgium.",
    }.items():
        assert words.told(said) == read
    assert words.told("Revolution! German Empire is at peace.") == "Revolution! You are at peace."
    assert words.of("german-empire") == "your" and words.of("french-empire") == "French"


def test_what_may_be_done_for_a_gain_is_told_with_its_price() -> None:
    """Land that is not incorporated stands under what is to be decided until it is, with what it costs."""
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state.copy()
    mine = [p for p, row in state.table("places").items() if row.get("holder") == "german-empire"]
    assert mine
    for place in (p for p in mine if state.get("places", p, "incorporated") is False):
        state.put("places", place, "incorporated", True)

    def decisions() -> str:
        shown = view(ruleset, state, "german-empire", geography=geography)
        report = nation_report(ruleset, shown, [], "german-empire", game="g", turn=2, geography=geography)
        return as_text(report)

    assert "Not incorporated yet" not in decisions()
    state.put("places", "warsaw", "holder", "german-empire")
    state.put("places", "warsaw", "incorporated", False)
    assert "Not incorporated yet, and so without yield: Warsaw (4 resource\n    points)." in decisions()


def test_every_line_leads_to_a_line_of_the_log() -> None:
    """Refs name lines that are there; a battle leads to its rounds, and numbers tell nothing of what others did between."""
    report, _, entries = told("german-empire")
    numbers = [line.number for section in report.sections for line in section.lines]
    assert numbers == list(range(1, len(numbers) + 1))
    refs = [n for part in report.parts for block in part.blocks for n in _refs(block)]
    assert refs and set(refs) <= set(numbers)
    texts = {line.number: line.text for section in report.sections for line in section.lines}
    battles = next(p for p in report.parts if p.title.startswith("Battles"))
    first = next(b for b in battles.blocks if isinstance(b, Table))
    assert any(texts[n].startswith("Round 1 at") for n in first.log)
    assert max(numbers) < len(entries)


def _refs(block: Block) -> list[int]:
    if isinstance(block, Para):
        return list(block.refs)
    return [n for refs in block.refs for n in refs] + (list(block.log) if isinstance(block, Table) else [])
