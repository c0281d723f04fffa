"""The rulebook tells a player what the register and the tables say, in the order of play, without an id."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

import pytest

from wteaw.core.model import Ruleset
from wteaw.core.package_data import rulesets
from wteaw.rulebook import page, rulebook
from wteaw.rulebook.blocks import FigureTable, Rule
from wteaw.rulebook.book import book
from wteaw.rulebook.phrases import asked, effect_words, fact_words, table
from wteaw.rulebook.spoken import Spoken
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.clauses import dropped, owner
from wteaw.ruleset.expressions.functions import FUNCTIONS

from . import small

FOLDERS = [rulesets(), *sorted((rulesets() / "variants").iterdir())]
SAY = Spoken(
    small.ruleset(
        nations=[{"id": "red", "name": "Red"}, {"id": "blue", "name": "Blue"}],
        resources=[{"id": "gold", "name": "Gold"}],
        tracks=[{"id": "mood", "name": "Mood"}],
    )
)
GAME = {
    "nations": [{"id": "red", "name": "Red"}],
    "units": [{"id": "foot", "name": "foot", "attack": 3, "source": ["x.foot"]}],
    "sequence": [
        {"input": "orders", "from": "everyone"},
        {"phase": "muster", "when": "turn == 1", "steps": [{"step": "mustering", "do": "moment"}]},
        {
            "phase": "talk",
            "name": "Talking",
            "steps": [{"step": "talking", "do": "act", "actions": ["shout"]}],
        },
        {"phase": "march", "name": "Marching", "steps": [{"step": "marching", "do": "moment"}]},
    ],
    "actions": [
        {
            "id": "shout",
            "name": "Shouting",
            "syntax": "shout {n} [times]",
            "slots": {"n": "number"},
            "source": ["x.shout"],
        }
    ],
    "options": [{"id": "loud", "default": False, "text": "Whether shouts are loud"}],
    "chapters": [
        {"id": "last", "title": "Marches", "phase": "march"},
        {"id": "army", "title": "The army"},
        {"id": "first", "title": "Talks", "phase": "talk"},
    ],
    "clauses": [
        {"id": "x.foot", "chapter": "army", "title": "Foot", "text": "Foot attacks at 3."},
        {
            "id": "x.shout",
            "chapter": "first",
            "title": "Shouting",
            "text": "You may shout.",
            "status": "ruling",
            "why": "It is not said.",
        },
        {"id": "x.twin", "same_as": "x.shout"},
        {
            "id": "how-loud",
            "title": "How loud?",
            "text": "Not very.",
            "status": "ruling",
            "about": ["x.twin"],
            "option": "loud",
        },
        {
            "id": "x.people",
            "chapter": "last",
            "title": "Manners",
            "text": "Be kind.",
            "no_row": "it is for people",
        },
    ],
}


@cache
def shipped(path: Path) -> Ruleset:
    ruleset, _ = load_ruleset(path)
    assert ruleset is not None
    return ruleset


def seen(path: Path) -> str:
    """All that is read on the page, without what stands in links and styles."""
    text = re.sub(r"<style>.*?</style>", "", page(shipped(path)), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_no_id_stands_in_what_is_read(path: Path) -> None:
    text = seen(path)
    ruleset = shipped(path)
    assert not re.findall(r"\b[a-z]+_[a-z_]+\b|=[a-z]\w*|\{[a-z_]+\}", text)
    assert [c for c in ruleset.rows("clauses") if "." in c and c in text] == []


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_every_clause_that_a_row_cites_is_told_once(path: Path) -> None:
    ruleset = shipped(path)
    rows = ruleset.rows("clauses")
    told = [
        rule.id for chapter in book(ruleset).chapters for rule in chapter.blocks if isinstance(rule, Rule)
    ]
    assert len(told) == len(set(told))
    cited = {
        owner(rows, c)
        for form, of_form in ruleset.forms.items()
        if form not in ("clauses", "chapters")
        for row in of_form.values()
        for c in row.get("source", ())
    }
    kept = {c for c in cited if not dropped(rows, [c])}
    assert sorted(kept - set(told)) == []


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_every_order_and_every_unit_stands_in_it(path: Path) -> None:
    ruleset = shipped(path)
    chapters = book(ruleset).chapters
    written = [t for c in chapters for t in c.blocks if isinstance(t, FigureTable) and t.code]
    assert sum(len(t.rows) for t in written) >= len(ruleset.rows("actions")) + len(ruleset.rows("orders"))
    units = [
        row[0]
        for c in chapters
        for t in c.blocks
        if isinstance(t, FigureTable) and t.caption == "Units"
        for row in t.rows
    ]
    for row in ruleset.rows("units").values():
        assert not units or any(u.startswith(row["name"]) for u in units), row["id"]


def test_chapters_of_phases_come_in_the_order_of_play_and_bear_its_numbers() -> None:
    made = book(small.ruleset(**GAME))
    assert [(c.title, c.phase) for c in made.chapters] == [
        ("The turn", ""),
        ("Talks", "Phase 1: Talking"),
        ("The army", ""),
        ("Marches", "Phase 2: Marching"),
        ("The nations", ""),
        ("What a game may choose", ""),
        ("Glossary", ""),
    ]
    turn = rulebook(small.ruleset(**GAME)).partition("## The turn")[2].partition("## Talks")[0]
    assert (
        "### muster" in turn
        and "### Phase 1: Talking\n\nYou may order: Shouting.\n\n- [Talks](#first)" in turn
    )


def test_the_sentence_comes_first_then_readings_orders_and_figures() -> None:
    text = rulebook(small.ruleset(**GAME))
    talks = text.partition("## Talks")[2].partition("## The army")[0]
    assert "**Shouting.** You may shout. *(a ruling: It is not said.)*" in talks
    assert (
        talks.index("You may shout") < talks.index("> **How loud?** Not very.") < talks.index("| `shout N` |")
    )
    assert "A game may choose: Whether shouts are loud." in talks
    army = text.partition("## The army")[2].partition("## Marches")[0]
    assert army.index("Foot attacks at 3.") < army.index("| foot | 3 |")
    assert "**Manners.** Be kind." in text and "x.shout" not in text and "x.twin" not in text
    assert "| Foot | Foot attacks at 3. |" in text.partition("## Glossary")[2]


def test_with_tests_each_rule_says_how_many_cite_it() -> None:
    assert "`x.shout` (2 tests)" in rulebook(small.ruleset(**GAME), {"x.shout": 2})
    assert "`x.foot` (0 tests)" in rulebook(small.ruleset(**GAME), {"x.shout": 2})
    assert (
        '<a class="id" href="#x.shout" title="x.shout" aria-label="link to this rule">§ 1 test</a>'
        in page(small.ruleset(**GAME), {"x.shout": 1})
    )


def test_what_an_overlay_has_taken_out_is_not_told() -> None:
    third = rulebook(shipped(rulesets() / "variants" / "third-edition"))
    assert "**One box.** A success moves the nation one box to your side." in third
    assert "**Votes are income.**" not in third and "**Votes are income.**" in rulebook(shipped(rulesets()))


def test_without_a_register_the_rows_tell_the_rules() -> None:
    bare = {k: v for k, v in GAME.items() if k not in ("clauses", "chapters")}
    text = rulebook(small.ruleset(**bare))
    assert "## What you may do\n\n### Shouting\n\n" in text and "`shout N`" in text


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_every_table_of_a_shipped_book_says_something_in_every_column(path: Path) -> None:
    for chapter in book(shipped(path)).chapters:
        for shown in (b for b in chapter.blocks if isinstance(b, FigureTable)):
            assert all(any(row[n] for row in shown.rows) for n in range(1, len(shown.head))), shown.caption


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_options_have_names_and_their_choices_are_words(path: Path) -> None:
    (options,) = [c for c in book(shipped(path)).chapters if c.anchor == "options"] or [None]
    rows = shipped(path).rows("options")
    assert all("name" in row and "text" in row for row in rows.values())
    for table_of in options.blocks if options else ():
        assert isinstance(table_of, FigureTable) and table_of.head[0] == "option"
        assert not [row for row in table_of.rows if re.search(r"\b(true|false|True|False)\b", " ".join(row))]
    flags = {row["name"] for row in rows.values() if isinstance(row["default"], bool)}
    told = {row[0]: row[2:] for t in (options.blocks if options else ()) for row in t.rows}
    assert all(set(told[name]) == {"yes", "no"} for name in flags)


def test_an_order_stands_by_its_name_with_the_words_that_part_its_places() -> None:
    moves = rulebook(shipped(rulesets() / "variants" / "diplomacy")).partition("## Moves")[2]
    assert (
        "| Move | `[KIND] PLACE to PLACE [via convoy] [PLACES]` | To a neighboring province"
        in moves.partition("\n## ")[0]
    )


def test_a_glossary_explains_a_word_by_what_speaks_of_it() -> None:
    rules = {**GAME, "units": [*GAME["units"], {"id": "boats", "name": "small boats", "source": ["x.foot"]}]}
    glossary = rulebook(small.ruleset(**rules)).partition("## Glossary")[2]
    assert "| Foot | Foot attacks at 3. |" in glossary and "boats" not in glossary


def test_the_page_leads_to_every_chapter_and_rule_and_escapes() -> None:
    made = page(small.ruleset(**{**GAME, "options": [{"id": "loud", "default": False, "text": "<i>A & B"}]}))
    assert "&lt;i&gt;A &amp; B" in made and "<i>" not in made
    anchors = set(re.findall(r' id="([^"]+)"', made))
    assert set(re.findall(r'href="#([^"]+)"', made)) <= anchors
    assert {"turn", "first", "army", "glossary", "x.shout", "how-loud"} <= anchors


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_every_link_of_a_shipped_book_leads_somewhere(path: Path) -> None:
    made = page(shipped(path))
    assert set(re.findall(r'href="#([^"]+)"', made)) <= set(re.findall(r' id="([^"]+)"', made))


def test_effects_and_facts_in_words() -> None:
    assert (
        effect_words(SAY, {"pay": {"to": "red", "what": "gold", "amount": "1d6"}, "when": "turn > 3"})
        == "if the turn is more than 3: Red is paid 1d6 Gold"
    )
    assert effect_words(SAY, {"pay": {"from": "=self", "what": "gold", "amount": 2}}) == "you pay 2 Gold"
    assert effect_words(SAY, {"shift": {"track": "mood", "who": "red", "by": {"draw": [0, 4]}}}) == (
        "the Mood of Red moves 0 to 4, drawn by lot,"
    )
    assert (
        effect_words(SAY, {"shift": {"track": "mood", "who": "=self", "by": 1, "to_zero": True}})
        == "your Mood moves 1 toward zero"
    )
    assert (
        effect_words(SAY, {"say": "{self} declares war on {target}."})
        == "“The nation declares war on the target.”"
    )
    assert (
        fact_words(SAY, [{"declared": {"by": ["a", "b"]}}, "turn_end"]) == "declared, by a or b or turn end"
    )
    assert table(["a"], [["x|y"]]) == "| a |\n| --- |\n| x\\|y |"


def test_refusals_read_before_anybody_is_meant() -> None:
    said = asked(SAY, "{self} may not, nor {target}: {max(0, n)} left")
    assert said == "you may not, nor the target: the greater of 0 and the n left"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("self.id == 'red' and at_war(self, 'blue')", "you are Red and you are at war with Blue"),
        ("not neutral(target) or turn < 3", "the target is not neutral or the turn is less than 3"),
        ("(a or b) and not (c and d)", "(the a or the b) and not (the c and the d)"),
        (
            "5 if self.side == 'x' else n // 2 * 3",
            "5 if your side is “x”, else (the n divided (rounded down) by 2) times 3",
        ),
        ("any(units(owner=self, at=place))", "there are units of you in the place"),
        ("not any(nations(side='x'))", "there are no nations of “x”"),
        ("count(places(holder=nation('blue')))", "the number of places held by Blue"),
        ("self.alive and place.owner", "you are alive and the place has an owner"),
        ("unknown_function(a, b=2)", "unknown function (the a, b: 2)"),
        ("age(self, 'angry') > 0", "the turns since you were marked “angry” is more than 0"),
        ("this is no expression", "`this is no expression`"),
    ],
)
def test_expressions_are_told_in_words(expression: str, words: str) -> None:
    assert SAY.truth(expression) == words


def test_every_phrase_is_of_a_function_that_there_is_and_takes_as_much() -> None:
    for name, signature in FUNCTIONS.items():
        needed = len(set(re.findall(r"\{(\d)\}", signature.phrase)))
        assert needed <= len(signature.args) + (signature.rest is not None), name


def test_the_graph_shows_what_each_event_reads() -> None:
    from wteaw.report.graph import dependencies, dependency_svg

    events = [
        {"id": "rich", "for": "red", "becomes": "track('red', 'mood') > 3"},
        {"id": "odd", "on": "turn_end", "when": "mystery(self)"},
    ]
    rules = small.ruleset(events=events)
    assert dependencies(rules) == {"rich": ("tracks",), "odd": None}
    svg = dependency_svg(rules)
    assert svg.count("<path") == 2 and ">tracks<" in svg and ">anything<" in svg


def _prose(path: Path) -> list[tuple[str, str]]:
    """The titles and sentences of a book."""
    return [
        (rule.title, rule.text)
        for chapter in book(shipped(path)).chapters
        for rule in chapter.blocks
        if isinstance(rule, Rule)
    ]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda p: p.name)
def test_no_sentence_is_told_twice(path: Path) -> None:
    told = [text for _, text in _prose(path)]
    assert [text for text in dict.fromkeys(told) if told.count(text) > 1] == []


def test_a_layer_with_phases_of_its_own_speaks_of_no_phase_of_the_rules_below() -> None:
    third = shipped(rulesets() / "variants" / "third-edition")
    below = shipped(rulesets()).rows("clauses")
    said = {
        rule.id: rule.text
        for chapter in book(third).chapters
        for rule in chapter.blocks
        if isinstance(rule, Rule) and re.search(r"\bphase ([5-9]|1\.5)\b", rule.text)
    }
    assert {id_: text for id_, text in said.items() if text == below.get(id_, {}).get("text")} == {}


def test_a_layer_does_not_tell_what_it_drops_nor_figures_of_it() -> None:
    told = rulebook(shipped(rulesets() / "variants" / "third-edition"))
    assert "You cannot attack a nation that you are not at war with." in told
    assert "If you attack without declaring war, you are at war all the same" not in told
    assert "Unrestricted submarine warfare goes on" not in told  # a row of the reactions
    below = rulebook(shipped(rulesets()))
    assert "Unrestricted submarine warfare goes on" in below


def test_the_book_of_the_published_map_tells_of_nothing_that_the_map_does_not_have() -> None:
    told = rulebook(shipped(rulesets() / "variants" / "no-mans-land-1.4.2"))
    below = rulebook(shipped(rulesets() / "variants" / "no-mans-land"))
    for word in (
        "harbor",
        "airfield",
        "Zimmermann",
        "inor factory",
        "joins the Allies",
        "the Ottomans",
        "Japan the",
    ):
        assert word in below and word not in told, word
    assert "Your destroyers, cruisers and battlecruisers move 3." in told
    assert "CATEGORY: economy, innovation, land-offense" in told, "what can be researched"


def test_a_reading_stands_with_the_first_of_its_clauses_that_is_told() -> None:
    dropped_rows = [{**row} for row in GAME["clauses"]]
    dropped_rows[1] = {**dropped_rows[1], "status": "dropped"}
    dropped_rows[3] = {**dropped_rows[3], "about": ["x.twin", "x.people"]}
    made = book(small.ruleset(**{**GAME, "clauses": dropped_rows}))
    readings = {
        rule.title: [reading.title for reading in rule.readings]
        for chapter in made.chapters
        for rule in chapter.blocks
        if isinstance(rule, Rule)
    }
    assert readings == {"Foot": [], "Manners": ["How loud?"]}


def test_phases_have_no_numbers_where_one_that_is_not_of_every_turn_comes_between_them() -> None:
    steps = [{"step": "mustering", "do": "moment"}]
    sequence = [
        {"input": "orders", "from": "everyone"},
        {"phase": "talk", "name": "Talking", "steps": GAME["sequence"][2]["steps"]},
        {"phase": "muster", "name": "Muster", "when": "turn == 1", "steps": steps},
        {"phase": "march", "name": "Marching", "steps": [{"step": "marching", "do": "moment"}]},
    ]
    made = book(small.ruleset(**{**GAME, "sequence": sequence}))
    assert [c.phase for c in made.chapters if c.phase] == ["Talking", "Marching"]


def test_tables_of_one_key_stand_side_by_side_and_keys_bear_their_labels() -> None:
    tables = [
        {
            "id": "reach",
            "name": "Reach",
            "keys": ["skill"],
            "labels": {"skill": "level", "1000": "any"},
            "rows": {1: 2, 2: 1000},
            "source": ["x.foot"],
        },
        {
            "id": "price",
            "name": "Price",
            "keys": ["skill"],
            "labels": {"skill": "level"},
            "rows": {1: 5},
            "source": ["x.foot"],
        },
        {
            "id": "yield",
            "name": "Yield",
            "keys": ["how", "age"],
            "labels": {"won": "conquered"},
            "rows": {"won": {"0..3": 0, "4..": 1}, "kept": {"..0": 2}},
            "source": ["x.foot"],
        },
    ]
    told = rulebook(small.ruleset(**GAME, tables=tables))
    assert "| level | reach | price |\n| --- | --- | --- |\n| 1 | 2 | 5 |\n| 2 | any |  |" in told
    assert "| how | age | value |\n| --- | --- | --- |\n| conquered | 0 to 3 | 0 |" in told
    assert "| kept | 0 or less | 2 |" in told
