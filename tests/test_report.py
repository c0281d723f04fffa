"""A report that can be read: its account adds up, battles stand once, lines fit a mail, and what is not certain is not said."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import hypot
from types import SimpleNamespace

import pytest

from wteaw.core.journal import Entry
from wteaw.core.messages import Message, thing
from wteaw.core.package_data import rulesets, scenarios
from wteaw.core.state import WHOLE_ROW, Entity, State, unit_key
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.report import account, fights, news, rounds, sightings, standing, summary
from wteaw.report.build import Report, Section, nation_report
from wteaw.report.document import Block, Bullets, Para, ReportPart, Table
from wteaw.report.fought import fights_in
from wteaw.report.map.small import on_grid, rings_data
from wteaw.report.map_views import report_map
from wteaw.report.render import MOST_OF_RULE, WIDTH, as_html, as_text, script
from wteaw.report.wording import Wording, listing, sentence
from wteaw.ruleset.drawing import read_drawing
from wteaw.world import treasury
from wteaw.world.known import theaters
from wteaw.world.messages import HEADLINE_OF, slot
from wteaw.world.view import readable, view
from wteaw.world.world import World

from . import small
from .test_law_orders import begun, known_to
from .world1914 import loaded, played

READERS = ("german-empire", "italy", "french-empire")


def told(reader: str) -> tuple[Report, State, list[Entry]]:
    _, ruleset, geography = loaded()
    result = played(2)[-1]
    shown = view(ruleset, result.position.state, reader, geography=geography)
    entries = list(result.entries)
    return (
        nation_report(World(ruleset, shown, geography=geography), entries, reader, game="g", turn=2),
        shown,
        entries,
    )


@pytest.mark.parametrize("reader", READERS)
def test_the_account_adds_up(reader: str) -> None:
    """Beginning and lines give what is left, in the main purse and elsewhere; the beginning is that of the turn.

    A purse whose seat another holds is out of reach, and counts neither then nor now.
    """
    _, shown, entries = told(reader)
    _, ruleset, geography = loaded()
    world = World(ruleset, shown, geography=geography)
    found = account.accounts(entries, Wording(world, reader))
    assert found
    before = World(ruleset, played(2)[-2].position.state, geography=geography)
    for item in found:
        for purse in (0, 1):
            assert item.begun[purse] + sum(line[1 + purse] for line in item.lines) == item.left[purse]
        assert sum(item.begun) == sum(treasury.purses(before, reader, item.resource).values())
        assert sum(item.left) == sum(treasury.purses(world, reader, item.resource).values())
    assert any(line[0] == "other" for item in found for line in item.lines) is False, (
        "every change has a name"
    )


@pytest.mark.parametrize("reader", READERS)
def test_a_report_fits_a_mail(reader: str) -> None:
    report, _, _ = told(reader)
    body = as_text(report).splitlines()
    assert len(body) <= 180
    assert [line for line in body if len(line) > WIDTH] == []
    text = "\n".join(body)
    assert ".." not in text and "stays calm" not in text and " 1 enemy units" not in text
    _, ruleset, _ = loaded()
    ids = {i for form in ("places", "nations", "units") for i in ruleset.rows(form) if "-" in i}
    assert [i for i in ids if re.search(rf"(?<![\w-]){i}(?![\w-])", text)] == []
    assert len(as_html(report)) < 400_000


def test_of_very_many_lines_of_one_rule_a_page_shows_the_first_and_those_to_which_a_part_leads() -> None:
    report, _, _ = told("german-empire")
    line = next(one for section in report.sections for one in section.lines if one.named and one.clauses)
    many = tuple(replace(line, number=n, text=f"Look {n}.") for n in range(1, 301))
    part = ReportPart("What happened", (Para("Something was seen.", "", (290,)),))
    html = as_html(replace(report, parts=(part,), sections=(Section("Looks", many),)))
    shown = [int(n) for n in re.findall(r"Look (\d+)\.", html)]
    assert (
        shown == [*range(1, MOST_OF_RULE + 1), 290]
        and html.count("report with every die has everything") == 1
    )
    assert (
        html.count(f"By {line.named}") == 1 and html.count(line.clauses[0]) == 1
    )  # once, as long as no other comes between


def test_a_battle_is_told_once() -> None:
    report, shown, entries = told("german-empire")
    _, ruleset, geography = loaded()
    mine = readable(entries, World(ruleset, shown, geography=geography), "german-empire")
    begun = [e for e in mine if e.data.get("event") == "begin"]
    found = fights_in(mine)
    assert len(found) == len(begun) > 0
    part = next(p for p in report.parts if p.title.startswith("Battles"))
    heads = [b.head[0] for b in part.blocks if isinstance(b, Table)]
    own = [f for f in found if "german-empire" in f.parties()]
    assert own and len(heads) <= len(own) and len(set(heads)) == len(heads)
    for fight in found:
        lost = sum(n for side in fight.lost.values() for kinds in side.values() for n in kinds.values())
        began = sum(n for side in fight.sides.values() for kinds in side.values() for n in kinds.values())
        assert fight.ended and lost <= began + 10


def test_small_battles_take_a_sentence_and_large_ones_a_table() -> None:
    """Up to so many units, both sides together; numbers as on the page, where each has its table."""
    _, _, _ = told("german-empire")
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    words = Wording(world, "german-empire")

    def fight(n: int, place: str, subject: str) -> list[Entry]:
        sides = {
            "attacker": {"german-empire": {"infantry": n - 2}},
            "defender": {"french-empire": {"infantry": 2}},
        }
        head = {"battle": "combat", "place": place}
        lost = {"defender": {"french-empire": {"infantry": 2}}}
        return [
            Entry(1, 2, "combat", "battles/combat", "", subject, data={**head, "event": "begin", "sides": sides}),
            Entry(2, 2, "combat", "battles/combat", "", subject,
                  data={**head, "event": "end", "winner": "attacker", "lost": lost}),
        ]  # fmt: skip

    some = [
        e
        for n, place in ((fights.FEW, "paris"), (fights.FEW + 1, "brest"))
        for e in fight(n, place, f"{place}-battle")
    ]
    made = [b for b in fights.blocks(some, words) if isinstance(b, Table)]
    assert [bool(b.brief) for b in made] == [False, True]
    assert (
        "Paris, won without a round: you 4 infantry, lost nothing; France 2 infantry, lost all."
        in made[1].brief
    )
    assert [place for place, _ in fights.outcomes(some, words)] == ["brest", "paris"]
    many = [e for n in range(fights.MOST_FULL + 1) for e in fight(20, "brest", f"battle-{n}")]
    briefs = [b.brief for b in fights.blocks(many, words) if isinstance(b, Table)]
    assert [bool(b) for b in briefs] == [False] * fights.MOST_FULL + [True]


def test_who_comes_to_a_battle_later_is_counted() -> None:
    """Nobody loses more than they had: who is there, with what was lost before, was sent."""
    begin = {"attacker": {"a": {"infantry": 3}}, "defender": {"b": {"infantry": 2}}}
    head = {"battle": "combat", "place": "x"}
    lost = {"attacker": [{"owner": "a", "kind": "infantry", "n": 2, "lost": True}]}
    later = {"attacker": {"a": {"infantry": 3, "artillery": 1}}, "defender": {"b": {"infantry": 2}}}
    fight = fights_in(
        [
            Entry(1, 1, "s", "battles/x", "", "x", data={**head, "event": "begin", "sides": begin}),
            Entry(
                2,
                1,
                "s",
                "battles/x",
                "",
                "x",
                data={**head, "event": "round", "round": 1, "sides": begin, "lost": lost},
            ),
            Entry(
                3, 1, "s", "battles/x", "", "x", data={**head, "event": "round", "round": 2, "sides": later}
            ),
        ]
    )[0]
    assert fight.started("attacker") == {"infantry": 5, "artillery": 1} and fight.started("defender") == {
        "infantry": 2
    }


def test_news_that_differ_in_a_place_are_one() -> None:
    _, ruleset, geography = loaded()
    words = Wording(World(ruleset, played(2)[-1].position.state, geography=geography))
    nations = {
        n: thing("nation", id_, name)
        for n, id_, name in (("r", "russian-empire", "Russian Empire"), ("s", "siam", "Siam"))
    }
    places = {name: thing("place", name.lower(), name) for name in ("Lodz", "Plock")}

    def entry(n: int, template: str, nation: str, place: str) -> Entry:
        told = Message(template, {"who": nations[nation], "where": places[place]})
        return Entry(n, 1, "s", "actions/x", "", "", [told], ("everyone",))

    takes = [
        entry(n, "{who} takes {where}.", *what)
        for n, what in enumerate([("r", "Lodz"), ("r", "Plock"), ("s", "Plock")], 1)
    ]
    assert news._joined(takes, words) == [
        ("Russia takes Lodz and Plock.", (1, 2)),
        ("Siam takes Plock.", (3,)),
    ]
    again = [*takes, entry(4, "{who} takes {where}.", "r", "Lodz")]
    assert news._joined(again, words)[0] == ("Russia takes Lodz and Plock.", (1, 2, 4)), (
        "the same is said once"
    )
    peace = "{a} makes peace with {b}."
    with_two = [
        Entry(n, 1, "s", "events/x", "", "", [Message(peace, {"a": nations["r"], "b": other})], ("everyone",))
        for n, other in ((7, nations["s"]), (8, thing("nation", "japan", "Japan")))
    ]
    assert news._joined(with_two, words) == [("Russia makes peace with Siam and Japan.", (7, 8))]
    of_each = "{n} coins come for {who}."
    gifts = [
        Entry(n, 1, "s", "events/x", "", "", [Message(of_each, {"n": 6, "who": who})], ("everyone",))
        for n, who in ((9, nations["r"]), (10, nations["s"]))
    ]
    assert [text for text, _ in news._joined(gifts, words)] == [
        "6 coins come for Russia.",
        "6 coins come for Siam.",
    ], "or it would be six for both"
    heads = [
        entry(5, "{who}: {where} falls.", "r", "Lodz"),
        entry(6, "{who}: {where} holds out.", "r", "Plock"),
    ]
    assert news._joined(heads, words) == [("Russia: Lodz falls; Plock holds out.", (5, 6))]


def test_all_dice_on_demand_only() -> None:
    report, _, _ = told("german-empire")
    assert "Dice 1d" not in as_text(report) and "Dice 1d" in as_text(report, dice=True)


def test_words() -> None:
    assert listing(["a"]) == "a" and listing(["a", "b", "c"]) == "a, b and c" and listing([]) == ""
    assert sentence("the Urals Mts..") == "The Urals Mts." and sentence("x") == "X."


def test_outlines_that_meet_still_meet_on_the_page() -> None:
    """An arc keeps its ends and passes near all its vertices; what cannot be seen is left out."""
    border = [(10.2 + 7 * n, 20.1 + (n * n) % 13) for n in range(20)]
    there = on_grid(border, 2.0, 0.8)
    assert 5 < len(there) < len(border)
    assert there[0] == (5, 10) and there[-1] == tuple(round(v / 2) for v in border[-1])
    for x, y in border:
        assert min(_beside((x / 2, y / 2), a, b) for a, b in pairwise(there)) < 0.8 + 0.8
    assert rings_data([[(0, 0), (4, 0), (4, 3), (0, 0)], [(9, 9), (9, 9)]]) == "m0 0 4 0 0 3z"


def _beside(p: tuple[float, float], a: tuple[int, int], b: tuple[int, int]) -> float:
    """How far a point is from a stretch."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy)))
    return hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy)


@cache
def page(reader: str) -> tuple[str, Report]:
    report, shown, entries = told(reader)
    _, ruleset, geography = loaded()
    world = World(ruleset, shown, geography=geography)
    numbers = {place: (n, outcome) for n, (place, outcome) in reversed(list(enumerate(report.battles, 1)))}
    drawing = read_drawing(rulesets())
    drawn = report_map(
        ruleset, shown, drawing, reader, entries=readable(entries, world, reader), numbers=numbers
    )
    return as_html(report, drawn), report


@pytest.mark.parametrize("reader", READERS)
def test_a_page_stands_alone_and_is_small(reader: str) -> None:
    html, report = page(reader)
    assert len(html) < 400_000
    assert html.count("<script>") == 1 and len(script()) < 5_000
    assert re.findall(r"<(?:link|img|iframe|script [^>]*src)", html) == [] and "@import" not in html
    assert [u for u in re.findall(r"(?:href|src)=\"([^\"]*)\"", html) if not u.startswith("#")] == []
    ids = re.findall(r' id="([^"]*)"', html)
    assert sorted(set(ids)) == sorted(ids)
    assert set(re.findall(r'href="#([^"]*)"', html)) <= set(ids), "every line leads somewhere"
    lines = [line for section in report.sections for line in section.lines]
    assert all(html.count(f'<li id="e{line.number}">') == 1 for line in lines), "each entry is told once"


def test_the_map_opens_on_the_own_theater_without_a_script() -> None:
    html, report = page("german-empire")
    regions = re.findall(r'<label for="z(\d+)">([^<]*)</label>', html)
    assert regions[0][1] in ("West", "East") and regions[-1][1] == "Everything" and len(regions) > 8
    assert html.count('type="radio"') == len(regions) and html.count(" checked>") == 1
    for n, _ in regions:
        assert f"#z{n}:checked~.frame .sheet{{transform:translate(" in html
    assert report.battles
    told_before: set[str] = set()
    for n, (place, outcome) in enumerate(report.battles, 1):
        assert f'id="b{n}"' in html and place and outcome in ("success", "failure")
        assert place in told_before or f'<a href="#b{n}">' in html, (
            "of several battles in a place the map has the first"
        )
        told_before.add(place)


def test_the_reader_is_you_and_others_go_by_their_short_name() -> None:
    _, shown, _ = told("german-empire")
    _, ruleset, geography = loaded()
    words = Wording(World(ruleset, shown, geography=geography), "german-empire")
    ge, fr, ru, ot = (thing("nation", id_, name) for id_, name in NATIONS.items())
    slots = {
        "a": ge,
        "b": fr,
        "c": ru,
        "d": ot,
        "side": thing("side", "central", "Central Powers"),
        "it": "infantry",
    }
    for said, read in {
        "{a} declares war on {b}.": "You declare war on France.",
        "{b} declares war on {a}.": "France declares war on you.",
        "{a} carries its guns to {c}'s border.": "You carry your guns to Russia's border.",
        "{d} joins {side}.": "The Ottoman Empire joins the Central Powers.",
        "{a}: infantry in Berlin is complete.": "infantry in Berlin is complete.",
        "The army of {a} stays calm.": "Your army stays calm.",
        "The {it} of {a} stays calm.": "Your infantry stays calm.",
        "The {it} of {b} stays calm.": "The infantry of France stays calm.",
        "Battle of German East Africa: {a} (1 infantry).": "Battle of German East Africa: you (1 infantry).",
        "Round 2 at Warsaw: {a} loses 2 infantry; {c} loses 1 tank.": (
            "Round 2 at Warsaw: you lose 2 infantry; Russia loses 1 tank."
        ),
        "1 infantry in Serbia and Belgium.": "1 infantry in Serbia and Belgium.",
        "The {b} gives Hanoi to the {d}.": "France gives Hanoi to the Ottoman Empire.",
        "The army of the {a} stays calm.": "Your army stays calm.",
        "Revolution! {a} is at peace.": "Revolution! You are at peace.",
        "{b} takes offense and {goes|go} to war with {a}, {its|your|their} friend.": (
            "France takes offense and goes to war with you, its friend."
        ),
        "{a} takes offense and {goes|go} to war with {b}, {its|your|their} foe.": (
            "You take offense and go to war with France, your foe."
        ),
        "{b} fights {a} and {a: its|your|their} allies.": "France fights you and your allies.",
    }.items():
        assert words.told([Message(said, slots)]) == read
    assert words.of("german-empire") == "your" and words.of("french-empire") == "French"


def test_what_may_be_done_for_a_gain_is_told_with_its_price() -> None:
    """Land that is not incorporated stands under what is to be decided until it is, with what it costs."""
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state.copy()
    taken = [p for p, row in state.table("places").items() if row.get("holder") == "german-empire"]
    for place in (p for p in taken if state.get("places", p, "incorporated") is False):
        state.put("places", place, "incorporated", True)

    def decisions() -> str:
        shown = view(ruleset, state, "german-empire", geography=geography)
        world = World(ruleset, shown, geography=geography)
        report = nation_report(world, [], "german-empire", game="g", turn=2)
        return as_text(report)

    assert "Not incorporated yet" not in decisions()
    state.put("places", "warsaw", "holder", "german-empire")
    state.put("places", "warsaw", "incorporated", False)
    state.put(
        "places", "danzig", "holder", "russian-empire"
    )  # land that was its own may be named, but there is nothing to gain yet
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


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"born": 18}, ""),
        ({"damage": 1}, "3 Infantry (damage 1)"),
        ({"born": 18, "damage": 1}, "3 Infantry (damage 1)"),
    ],
)
def test_marks_of_the_rules_own_are_told_of_no_unit(flags: dict[str, int], said: str) -> None:
    _, ruleset, geography = loaded()
    words = Wording(World(ruleset, State(), geography=geography), "german-empire")
    row = {"owner": "german-empire", "kind": "infantry", "place": "berlin", "n": 3, **flags}
    assert standing.conditions(words, [row]).casefold() == said.casefold()


def test_what_waits_for_the_reader_and_what_is_agreed() -> None:
    """A treaty that they have not ratified is theirs to decide, one in force stands beside their wars; others read of neither."""
    data, ruleset, _ = load_scenario(scenarios() / "empire-orders.yaml")
    assert data is not None and ruleset is not None
    state = initial_state(ruleset, data)
    parties = [Entity("nation", "aster"), Entity("nation", "borea")]
    treaty = {
        "kind": "treaty",
        "label": "Amber Peace",
        "parties": [p.id for p in parties],
        "ratified": [],
        "nation": "borea",
    }
    for field, value in treaty.items():
        state.put("records", "treaty-1", field, value)

    def read(reader: str) -> str:
        shown = view(ruleset, state, reader)
        return " ".join(as_text(nation_report(World(ruleset, shown), [], reader, game="g", turn=1)).split())

    assert "For you to decide * The public treaty Amber Peace waits for your ratification." in read("aster")
    assert "Amber Peace" not in read("cressia")
    state.put("records", "treaty-1", "ratified", treaty["parties"])
    state.put("records", "treaty-1", "in_effect", True)
    assert "Agreements in force: Amber Peace, of you and Borea." in read("aster")
    assert "waits for your ratification" not in read("aster")


def test_of_many_units_in_sight_the_strongest_enemies_beside_are_told_by_theater_and_none_is_left_uncounted() -> (
    None
):
    _, _, here = begun("no-mans-land", 1)
    world = known_to("no-mans-land", here, "germany")
    words = Wording(world, "germany")
    lead, beside, *far = sightings.sightings((), words, 1)
    assert (
        isinstance(lead, Para)
        and isinstance(beside, Bullets)
        and lead.lead.startswith("Enemies beside your forces")
    )
    by_name = {words.place(p): sum(int(r["n"]) for r in rows if world.hostile("germany", r["owner"])) for p, rows in
               standing.by_place(world, list(world.nations())).items()}  # fmt: skip
    own = {str(row["place"]) for _, row in world.state.stacks(owner="germany")}
    near = {p for place in own for p in world.geography.next_to(place)}
    total = 0
    for line in beside.items:
        name, _, text = line.rstrip(".").partition(": ")
        places = dict(theaters(world.ruleset)).get(name, ())
        told = text.split("; ")
        more = re.fullmatch(r"(\d+) more places? with (\d+) units?", told[-1])
        shown = []
        for part in told[: len(told) - bool(more)]:
            name = max((n for n in by_name if part.startswith(n)), key=len)
            shown.append(sum(map(int, re.findall(r"\d+", part.removeprefix(name)))))
        assert len(shown) <= sightings.MOST_BESIDE and (not more or len(shown) == sightings.MOST_BESIDE)
        assert shown == sorted(shown, reverse=True)
        here_too = sum(n for p in places if p in near and (n := by_name.get(words.place(p), 0)))
        assert sum(shown) + (int(more[2]) if more else 0) == here_too, line
        total += here_too
    others = next(block for block in far if isinstance(block, Para) and block.lead == "Enemies farther away")
    away = sum(int(n) for n in re.findall(r"(\d+)(?: units?)? in \d+", others.text))
    assert total + away == sum(by_name.values()) > 100


def test_small_forces_of_many_places_are_told_in_words_and_all_are_counted() -> None:
    _, _, here = begun("no-mans-land", 1)
    world = known_to("no-mans-land", here, "britain")
    words = Wording(world, "britain")
    blocks = standing.forces(words)
    tables = [b for b in blocks if isinstance(b, Table)]
    smaller = [b for b in blocks if isinstance(b, Para) and b.lead == "Smaller forces"]
    assert smaller and all(len(t.rows) <= standing.MOST_ROWS + 1 for t in tables)
    mine = standing.counts([row for _, row in world.state.stacks(owner="britain")])
    totals = [
        int(cell) for t in tables for row in t.rows if row[1] == "All" for cell in row[2:] if cell.isdigit()
    ]
    assert sum(totals) <= sum(mine.values())
    named = "\n".join([*(row[1] for t in tables for row in t.rows), *(b.text for b in smaller)])
    held = {words.place(str(row["place"])) for _, row in world.state.stacks(owner="britain")}
    assert [p for p in held if p.removeprefix("Sea Zone ") not in named.replace("\n", " ")] == []


NATIONS = {
    "german-empire": "German Empire",
    "french-empire": "French Empire",
    "russian-empire": "Russian Empire",
    "ottoman-empire": "Ottoman Empire",
}


def test_verbs_go_with_plural_names() -> None:
    """A nation whose row says `plural_name` takes the verbs of several, in whoever's report."""
    _, ruleset, geography = loaded()
    words = Wording(World(ruleset, played(2)[-1].position.state, geography=geography), "japan")
    slots = {
        n: slot(words.world, Entity("nation", id_))
        for n, id_ in (("a", "bolsheviks"), ("b", "mutineers"), ("c", "french-empire"))
    }
    assert words.told([Message("{a} takes Kazan.", slots)]) == "The Bolsheviks take Kazan."
    assert (
        words.told([Message("{a} {takes|take} Kazan, {its|your|their} port.", slots)])
        == "The Bolsheviks take Kazan, their port."
    )
    assert words.told([Message("Serbia is lost to {b}.", slots)]) == "Serbia is lost to the Mutineers."
    assert words.told([Message("{c} takes its port.", slots)]) == "France takes its port."


def test_who_is_conquered_is_told_and_who_holds_what_stands_elsewhere() -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    everyone = ("everyone",)
    entries = [
        Entry(
            1,
            2,
            "standing",
            "capture/conquered",
            "",
            "serbia",
            [Message("{nation} is conquered.", {"nation": thing("nation", "serbia", "Serbia")})],
            everyone,
            data={"flag": "conquered", "on": True},
        ),
        Entry(
            2,
            2,
            "capture",
            "capture/capture",
            "",
            "paris",
            [Message("Germany takes Paris.")],
            everyone,
            data={"place": "paris", "to": "x"},
        ),
    ]
    for entry in entries:
        entry.changes.append(["flags", "nation:serbia", "conquered", None, True])
    public, _ = news.other_news(entries, Wording(world, "french-empire"), ())
    assert [text for text, _ in public] == ["Serbia is conquered."]


def test_what_a_counter_says_is_told() -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    entries = [
        Entry(
            1,
            2,
            "starvation",
            "counters/cordon-britain",
            "",
            "",
            [Message("They starve.")],
            ("everyone",),
            data={"times": 2},
        )
    ]
    public, _ = news.other_news(entries, Wording(world, "serbia"), ())
    assert [text for text, _ in public] == ["They starve."]


def test_of_transfers_gifts_and_levies_are_told_by_another_part() -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    both = ("serbia", "bulgaria")
    entries = [
        Entry(n, 1, "transfers", rule, "", "", [Message(sentence)], both, data={"amount": 3})
        for n, (rule, sentence) in enumerate(
            (
                ("transfers/gift", "A gift."),
                ("transfers/tribute", "A levy."),
                ("transfers/overseas", "A route."),
            )
        )
    ]
    _, own = news.other_news(entries, Wording(world, "serbia"), ())
    assert [text for text, _ in own] == ["A route."]


def test_what_others_have_sent_is_told_with_who_sent_it() -> None:
    """A gift and a levy arrive by one entry that is told to nobody; what was told of each before names it."""
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state.copy(), geography=geography)
    purse = treasury.main_purse(world, "serbia", "money")
    now = int(world.state.get("treasuries", purse, "money"))

    def credited(*told: Entry) -> list[tuple[str, int]]:
        arrives = Entry(
            9,
            1,
            "transfers",
            "sequence/transfers",
            "",
            "",
            changes=[("treasuries", purse, "money", now - 11, now)],
        )
        found = account.accounts([*told, arrives], Wording(world, "serbia"))
        money = next(a for a in found if a.resource == "money")
        return [(label, at_main + away) for label, at_main, away in money.lines]

    gift = Entry(
        7, 1, "transfers", "transfers/gift", "", "russian-empire:serbia", audience=("russian-empire", "serbia"),
        data={"amount": 10, "arrives": "5", "to": "serbia", "what": "money"},
    )  # fmt: skip
    levy = Entry(
        8, 1, "transfers", "transfers/tribute", "", "tribute:bulgaria", audience=("bulgaria", "serbia"),
        data={"due": "12", "paid": "12"},
    )  # fmt: skip
    assert credited(gift, levy) == [("from Russia", 5), ("tribute from Bulgaria", 6)]
    assert credited(levy) == [("tribute from Bulgaria", 11)]
    secret = replace(gift, audience=("russian-empire",))
    assert credited(secret) == credited(gift) == credited() == [("not told to you", 11)]  # 5 is not 11


def test_what_the_rules_grant_in_silence_goes_by_their_name_and_small_resources_stand_together() -> None:
    ruleset, geography, here = begun("alliances-4", 1)
    world = World(ruleset, here.state.copy(), geography=geography)
    entries = [
        Entry(
            n, 1, "turn_start", "events/tokens-in-hand", "", subject,
            changes=[("treasuries", "germany", "train-token", 0, 2)],
        )
        for n, subject in ((1, "nation:germany"), (2, "nation:russia"))
    ]  # fmt: skip
    words = Wording(world, "germany")
    for entry, label in zip(entries, ("tokens in hand", "not told to you"), strict=True):
        found = account.accounts([entry], words)
        assert [a.lines for a in found if a.resource == "train-token"] == [((label, 2, 0),)]
    said = [b for b in account.blocks(found) if isinstance(b, Para) and b.lead == "Left"]
    assert [b.text for b in said] == ["Invest token 2, Dig token 1, Move token 3 and Train token 2."]


def test_what_is_discovered_and_not_in_force_is_told() -> None:
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state.copy()
    for key, level in (("discovered:rockets", 1), ("discovered:tanks", 1), ("paid:tanks", 0)):
        state.put("tech_stages", "german-empire", key, level)
    world = World(ruleset, state, geography=geography)
    told = news.technology(Wording(world, "german-empire"), [])
    lines = {b.lead: b.text for b in told if isinstance(b, Para)}
    assert "Tanks 1" in lines["Known"]  # of two levels
    assert (
        "Rockets" in lines["Discovered, not in force yet"]
        and "Tanks" not in lines["Discovered, not in force yet"]
    )


def test_troops_aboard_an_allys_ships_are_told_to_both() -> None:
    ruleset, geography, here = begun("no-mans-land", 1)
    state = here.state.copy()
    extra = {"aboard": "afloat", "host": "britain"}
    row = {"owner": "france", "kind": "infantry", "place": "sea-zone-54", "n": 2, **extra}
    state.put("units", unit_key("france", "infantry", "sea-zone-54", extra), WHOLE_ROW, row)
    world = World(ruleset, state, geography=geography)
    told = {n: str(standing.forces(Wording(world, n))) for n in ("france", "britain", "russia")}
    assert "2 infantry (aboard ships of Britain)" in told["france"]
    assert (
        "of France Sea Zone 54 Alboran Sea 2 infantry." in told["britain"]
        and "Aboard your ships" not in told["russia"]
    )


def test_a_purse_whose_seat_is_lost_is_out_of_reach_from_then_on() -> None:
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state.copy()
    state.put("places", "samoa", "holder", "japan")
    state.put("treasuries", "german-empire/samoa", "money", 28)
    lost = Entry(
        1,
        3,
        "capture",
        "capture/x",
        "",
        "",
        changes=[["places", "samoa", "holder", "german-empire", "japan"]],
    )
    world = World(ruleset, state, geography=geography)

    def money(world: World, entries: list[Entry]) -> account.Account:
        found = account.accounts(entries, Wording(world, "german-empire"))
        return next(item for item in found if item.resource == "money")

    later, now = money(world, []), money(world, [lost])
    assert later.lines == () and later.begun == later.left
    assert now.lines == (("out of reach", 0, -28),) and now.left == later.left
    assert now.begun == (later.left[0], later.left[1] + 28)
    state.put("places", "samoa", "holder", "german-empire")
    freed = Entry(
        1,
        3,
        "capture",
        "capture/x",
        "",
        "",
        changes=[["places", "samoa", "holder", "japan", "german-empire"]],
    )
    back = money(World(ruleset, state, geography=geography), [freed])
    assert back.lines == (("in reach again", 0, 28),) and back.begun == later.left


def money_of(state: State, entries: list[Entry], reader: str) -> account.Account:
    _, ruleset, geography = loaded()
    world = World(ruleset, state, geography=geography)
    found = account.accounts(entries, Wording(world, reader))
    return next(item for item in found if item.resource == "money")


def test_a_purse_that_is_in_reach_again_and_emptied_at_once_was_not_there_at_the_beginning() -> None:
    state = played(2)[-1].position.state.copy()
    state.put("places", "samoa", "holder", "german-empire")
    state.put("treasuries", "german-empire/samoa", "money", None)
    before = money_of(state, [], "german-empire").left
    state.put("treasuries", "german-empire/berlin", "money", before[0] + 2)
    freed = Entry(1, 3, "capture", "capture/x", "", "")
    freed.changes = [["places", "samoa", "holder", "japan", "german-empire"]]
    met = Entry(2, 3, "collect", "treasuries/money", "", "german-empire", audience=("german-empire",))
    met.changes = [
        ["treasuries", "german-empire/samoa", "money", 2, None],
        ["treasuries", "german-empire/berlin", "money", before[0], before[0] + 2],
    ]
    now = money_of(state, [freed, met], "german-empire")
    assert now.begun == before
    assert now.lines == (("between your treasuries", 2, -2), ("in reach again", 0, 2))


def test_what_is_brought_away_from_a_seat_that_stays_lost_was_not_there_at_the_beginning() -> None:
    state = played(2)[-1].position.state.copy()
    state.put("places", "samoa", "holder", "japan")
    state.put("treasuries", "german-empire/samoa", "money", None)
    before = money_of(state, [], "german-empire").left
    state.put("treasuries", "german-empire/berlin", "money", before[0] + 34)
    met = Entry(2, 3, "collect", "resources/money", "", "german-empire", audience=("german-empire",))
    met.changes = [
        ["treasuries", "german-empire/samoa", "money", 34, None],
        ["treasuries", "german-empire/berlin", "money", before[0], before[0] + 34],
    ]
    now = money_of(state, [met], "german-empire")
    assert now.begun == before and now.left == (before[0] + 34, before[1])
    assert sum(main + away for _, main, away in now.lines) == 34
    assert "in reach again" in [label for label, _, _ in now.lines]


def test_what_is_sent_to_a_treasury_of_ones_own_is_one_line_with_what_is_lost_on_the_way() -> None:
    state = played(2)[-1].position.state.copy()
    before = money_of(state, [], "german-empire").left
    state.put("treasuries", "german-empire/berlin", "money", before[0] + 9)
    sent = Entry(1, 3, "transfers", "transfers/overseas", "", "german-empire:samoa>berlin")
    sent.audience, sent.data = ("german-empire",), {"amount": 12, "shares": [12], "lost": [3]}
    sent.changes = [["treasuries", "german-empire/samoa", "money", 12, 0]]
    came = Entry(2, 3, "transfers", "sequence/transfers", "", "")
    came.changes = [["treasuries", "german-empire/berlin", "money", before[0], before[0] + 9]]
    now = money_of(state, [sent, came], "german-empire")
    assert now.lines == (("transfer over the sea", 9, -12),) and not now.spent
    taken = Entry(3, 3, "transfers", "transfers/overseas", "", "german-empire:french-empire")
    taken.audience, taken.data = ("german-empire",), {"taken": 9}
    assert money_of(state, [taken, came], "german-empire").lines == (("taken on its way", 9, 0),)


def test_each_source_of_income_stands_in_the_treasuries_into_which_it_came() -> None:
    state = played(2)[-1].position.state.copy()
    before = money_of(state, [], "german-empire").left
    state.put("treasuries", "german-empire/berlin", "money", before[0] + 38)
    state.put("treasuries", "german-empire/samoa", "money", 10)
    income = Entry(1, 3, "collect", "sequence/collect", "", "german-empire", audience=("german-empire",))
    income.data = {
        "items": [
            {"yield": "land", "amount": "24"},
            {
                "yield": "own-people",
                "amount": "24",
                "purses": {"german-empire/berlin": "14", "german-empire/samoa": "10"},
            },
        ]
    }
    income.changes = [
        ["treasuries", "german-empire/berlin", "money", before[0], before[0] + 38],
        ["treasuries", "german-empire/samoa", "money", 0, 10],
    ]
    lines = {line[0]: line[1:] for line in money_of(state, [income], "german-empire").lines}
    assert sorted(lines.values()) == [(14, 10), (24, 0)]


@pytest.mark.parametrize("fell", [True, False])
def test_where_a_place_fights_for_itself_those_who_guard_it_are_told_and_not_nobody(fell: bool) -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    sides = {"attacker": {"japan": {"infantry": 4}}, "defender": {}}
    at = {"battle": "land", "place": "caroline-islands"}
    gone = {"kind": "coast-guard", "lost": True, "n": 1, "owner": "german-empire", "virtual": True}
    fire = {"dice": [2], "die": 10, "hits": 1, "kind": "infantry", "stage": "fire", "value": 2}
    fires = [{**fire, "side": "attacker"}, {**fire, "side": "defender", "kind": "coast-guard"}]
    entries = [
        Entry(1, 2, "battles", "battles/land", "", "x", data={**at, "event": "begin", "sides": sides}),
        Entry(2, 2, "battles", "battles/land", "", "x"),
        Entry(3, 2, "battles", "battles/land", "", "x", data={**at, "event": "end", "winner": "attacker"}),
    ]
    entries[1].data = {
        **at,
        "event": "round",
        "round": 1,
        "sides": sides,
        "fire": fires,
        "virtual": [{"kind": "coast-guard", "n": 1, "side": "defender"}],
        "lost": {"attacker": [], "defender": [gone] if fell else []},
    }
    [table] = summary.battles(entries, Wording(world, ""))
    assert isinstance(table, Table) and table.rows[0][2] == f"coast guard {int(fell)} of 1"
    [*_, mine] = fights.blocks(entries, Wording(world, "japan"))
    assert isinstance(mine, Table)
    assert mine.rows[1] == (
        "Those who guard it: 1 coast guard",
        "1 coast guard" if fell else "nothing",
        "1",
        "0.2",
    )


@pytest.mark.parametrize("gone", [0, 1])
def test_who_met_and_parted_without_a_round_is_told_in_a_line(gone: int) -> None:
    """Unless something was lost."""
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    sides = {
        "attacker": {"german-empire": {"submarine": 1}},
        "defender": {"british-empire": {"battleship": 2}},
    }
    lost = {"attacker": {"german-empire": {"submarine": gone}}, "defender": {}}
    at = {"battle": "sea", "place": "north-sea"}
    entries = [
        Entry(1, 2, "battles", "battles/sea", "", "x", data={**at, "event": "begin", "sides": sides}),
        Entry(2, 2, "battles", "battles/sea", "", "x", data={**at, "event": "leave"}),
        Entry(3, 2, "battles", "battles/sea", "", "x", data={**at, "event": "end", "lost": lost}),
    ]
    line = "Met without a fight: North Sea."
    [block] = summary.battles(entries, Wording(world, ""))
    assert (isinstance(block, Para) and block.text == line) is not bool(gone)
    [*_, others] = fights.blocks(entries, Wording(world, "japan"))
    assert (line in str(others)) is not bool(gone)


def test_what_changes_who_is_at_war_with_the_reader_is_told_before_places_that_changed_hands() -> None:
    everyone = ("everyone",)
    entries = [Entry(n, 1, "s", "events/x", "", "", [Message("Told.")], everyone) for n in (1, 2, 3)]
    entries[1].changes.append(["relations", "german-empire--russian-empire", "stance", "war", "peace"])
    entries[2].changes.append(["relations", "french-empire--russian-empire", "stance", "war", "peace"])
    public = [
        ("An island falls.", (1,)),
        ("Russia gives in to you.", (2,)),
        ("Russia gives in to France.", (3,)),
    ]
    world = World(loaded()[1], played(2)[-1].position.state)
    grave, rest = news.gravest_first(world, public, entries, "german-empire")
    assert grave == [public[1]] and rest == [public[0], public[2]]


def test_what_nations_lay_open_is_a_table_of_whose_where_and_how_much() -> None:
    rules = small.ruleset(
        resources=[{"id": "dig", "name": "Dig token"}, {"id": "move", "name": "Move token"}],
        visibility=[{"id": "open", "what": "under_way", "to": "everyone"}],
    )
    laid = [
        {"nation": "red", "what": "move", "at": "birch", "n": 2},
        {"nation": "blue", "what": "dig", "at": "cedar"},
        {"nation": "red", "what": "dig", "at": "birch"},
    ]
    happened = [Message("Tokens are shown."), Message("Red: all of them.")]
    entry = Entry(1, 1, "s", "visibility/open", "", "", happened, ("everyone",), data={"shown": laid})
    hidden = Entry(2, 1, "s", "visibility/open", "", "", happened, ("red",), data={"shown": laid})
    world = World(rules, small.state())
    for reader, first in (("red", "You"), ("", "Blue")):
        blocks, told = news.shown([entry], Wording(world, reader))
        lead, shown = blocks
        assert told == [entry] and isinstance(lead, Para) and lead.text == "Tokens are shown."
        assert isinstance(shown, Table) and shown.head == ("", "", "Dig", "Move")
        assert shown.rows[0][0] == first and sorted(row[1:] for row in shown.rows) == [
            ("birch", "1", "2"),
            ("cedar", "1", "-"),
        ]
    assert news.shown([hidden], Wording(world)) == ([], [])


def test_the_end_of_the_game_leads_the_news_then_what_rows_call_important() -> None:
    told = ("a blockade begins", "an empire falls", "the war ends", "a flag is raised")
    rules = small.ruleset(
        events=[{"id": "blockade"}, {"id": "fall", "importance": 2}, {"id": "flag", "importance": 1}],
        victory=[{"id": "armistice", "kind": "game_end", "when": "True"}],
    )
    by = ("events/blockade", "events/fall", "victory/armistice", "events/flag")
    entries = [Entry(n, 1, "s", rule, "", "", [Message("Told.")], ("everyone",)) for n, rule in enumerate(by)]
    public = [(text, (n,)) for n, text in enumerate(told)]
    world = World(rules, small.state())
    for reader in ("red", ""):
        grave, rest = news.gravest_first(world, public, entries, reader)
        assert [text for text, _ in grave] == ["the war ends", "an empire falls", "a flag is raised"]
        assert rest == [public[0]]


@pytest.mark.parametrize("fell", [True, False])
def test_hits_that_cost_no_unit_are_told_so_that_hits_and_losses_agree(fell: bool) -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    sides = {
        "attacker": {"german-empire": {"submarine": 4}},
        "defender": {"british-empire": {"transport": 6}},
    }
    at = {"battle": "sea", "place": "english-channel"}
    boats = {"kind": "port-boats", "lost": True, "n": 2, "owner": "british-empire", "virtual": True}
    fire = {"dice": [2, 1, 9, 9], "die": 10, "hits": 2, "kind": "submarine", "stage": "fire", "value": 3}
    told_ = {"fire": [{**fire, "side": "attacker"}], "lost": {"defender": [boats] if fell else []}}
    entries = [
        Entry(1, 2, "sea", "battles/sea", "", "x", data={**at, "event": "begin", "sides": sides}),
        Entry(2, 2, "sea", "battles/sea", "", "x", data={**at, "event": "round", "round": 1, "sides": sides, **told_}),
        Entry(3, 2, "sea", "battles/sea", "", "x", data={**at, "event": "end", "winner": "defender"}),
    ]  # fmt: skip
    [*_, table] = fights.blocks(entries, Wording(world, "german-empire"))
    assert isinstance(table, Table) and table.rows[1][1] == "nothing"
    assert ("Hits took 2 port boats as well." in table.notes) is fell


@pytest.mark.parametrize("holder", ["french-empire", "austria-hungary", "german-empire"])
def test_what_was_counted_where_an_ally_stands_now_is_told_no_more(holder: str) -> None:
    """Of a place that is theirs or an ally's, readers know who stands there; those counted before are gone."""
    _, ruleset, geography = loaded()
    state = played(2)[-1].position.state.copy()
    counted = {"since": 2, "n": 3, "units": {"infantry": 3}}
    state.put("knowledge", "german-empire", "units:alsace-lorraine", counted)
    state.put("knowledge", "german-empire", "units:paris", {**counted, "since": 1})
    for place in ("alsace-lorraine", "paris"):
        state.put("places", place, "holder", holder)
    world = World(ruleset, state, geography=geography)
    found = sightings.sightings((), Wording(world, "german-empire"), 2)
    said = str(found)
    assert ("Alsace-Lorraine" in said) is ("Paris" in said) is (holder == "french-empire")


def test_a_headline_of_the_reader_alone_does_without_you() -> None:
    _, ruleset, geography = loaded()
    world = World(ruleset, played(2)[-1].position.state, geography=geography)
    told_ = [Message(HEADLINE_OF, {"title": "A rising", "thing": slot(world, Entity("nation", "italy"))})]
    assert Wording(world, "italy").told(told_) == "A rising."
    assert Wording(world, "france").told(told_) == "A rising (Italy)."


@pytest.mark.parametrize(("lost", "told"), [(2, "left nobody standing"), (1, "undecided")])
def test_a_battle_that_nobody_lived_through_is_not_told_as_undecided(lost: int, told: str) -> None:
    def of_side(side: str) -> dict[str, int]:
        return {"cruiser": lost if side == "defender" else 2}

    fight = SimpleNamespace(
        winner=None, row="sea", evaded=list, losses=of_side, started=lambda side: {"cruiser": 2}
    )
    words = SimpleNamespace(world=SimpleNamespace(ruleset=loaded()[1]))
    assert rounds._outcome(fight, "attacker", None, "germany", words) == told  # type: ignore[arg-type]
