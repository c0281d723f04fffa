"""What happened is told by data: templates, slots and marks of grammar; no program reads a sentence."""

from __future__ import annotations

import ast
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from wteaw.core import canonical
from wteaw.core.faults import BrokenGame
from wteaw.core.journal import FORMAT, Entry, Journal, verify_chain
from wteaw.core.messages import Message, Person, Voice, head_and_rest, plain, said, thing
from wteaw.core.model import Ruleset
from wteaw.core.state import Entity
from wteaw.play.verify import audit, broken_chain
from wteaw.report import news
from wteaw.report.wording import Wording
from wteaw.store import Game
from wteaw.world.messages import fill, message
from wteaw.world.world import World

from . import small
from .folders import errors_are_told, own_cache  # noqa: F401
from .test_store import new, send

ROOT = Path(__file__).parent.parent
READERS = ("engine/report", "engine/play", "engine/audit", "engine/bots", "web")


# ---- nobody reads a sentence


def _texts(node: ast.AST) -> bool:
    """Whether an expression is the text of an entry, or what messages say."""
    if isinstance(node, ast.Attribute):
        return (
            node.attr == "text"
            and isinstance(node.value, ast.Name)
            and node.value.id in ("entry", "e", "one_entry")
        )
    named = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return (
        named == "told"
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and _is_words(node.func.value)
    )


def _is_words(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("words", "wording")


def read_by(source: str) -> list[int]:
    """The lines in which an entry's text is taken apart: by a method of texts, a part of it, `in`, or a regular expression."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=value) | ast.Subscript(value=value) if _texts(value):
                found.append(node.lineno)
            case ast.Compare(comparators=parts) if any(map(_texts, [node.left, *parts])):
                found.append(node.lineno)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=args) if any(map(_texts, args)):
                found.append(node.lineno)
    return found


def test_no_module_reads_the_text_of_an_entry() -> None:
    paths = [path for folder in READERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 60
    assert {str(path): lines for path in paths if (lines := read_by(path.read_text(encoding="utf-8")))} == {}
    for wrong in (
        "entry.text.partition(': ')", "'ally' in entry.text", "re.match('x', e.text)", "words.told(e.happened).split()",
        "entry.text[0]", "entry.text == 'x'",
    ):  # fmt: skip
        assert read_by(wrong) == [1], wrong


# ---- names and words that mislead whoever parses


def odd() -> Ruleset:
    """Nations whose names are words of sentences, and a place that is called like one of them."""
    return small.ruleset(
        nations=[
            {"id": "red", "name": "Its army of goes", "short": "its", "side": "east", "capital": "ash"},
            {"id": "blue", "name": "declares war: on", "side": "west", "capital": "cedar"},
            {"id": "gray", "name": "You (and Red). Blue", "side": None, "plural_name": True},
        ],
        places=[{"id": "ash", "name": "declares war: on", "kind": "land", "owner": "red"}],
    )


def read(reader: str, *templates: str, audience: tuple[str, ...] = ("everyone",), **names: Any) -> list[str]:
    world = World(odd(), small.state())
    journal = Journal(world.ruleset, world.state)
    for template in templates:
        with journal.entry("events/x", says=message(world, template, names), audience=audience):
            journal.set("places", "ash", "shade", 1)
    public, private = news.other_news(journal.entries, Wording(world, reader), ())
    return [text for text, _ in (*public, *private)]


RED, BLUE, GRAY, ASH = (
    Entity(*k) for k in (("nation", "red"), ("nation", "blue"), ("nation", "gray"), ("place", "ash"))
)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("red", "You zork declares war: on, and blorp your flum in declares war: on."),
        ("blue", "Its zorks you, and blorps its flum in declares war: on."),
        ("gray", "Its zorks declares war: on, and blorps its flum in declares war: on."),
    ],
)
def test_sentences_of_made_up_words_are_told_right(reader: str, expected: str) -> None:
    told = "{self} zorks {target}, and {blorps|blorp} {its|your|their} flum in {place}."
    assert read(reader, told, self=RED, target=BLUE, place=ASH) == [expected]


def test_names_that_are_words_of_a_sentence_are_left_alone() -> None:
    written = "declares war: on is no nation here, and Its army of goes neither."
    assert read("blue", written) == ["Declares war: on is no nation here, and Its army of goes neither."]
    assert read("gray", "{self} zorks {place}.", self=GRAY, place=ASH) == ["You zork declares war: on."]
    assert read("red", "{self} zorks.", self=GRAY) == ["You (and Red). Blue zork."]


def test_lines_are_joined_by_their_data() -> None:
    told = "{self} zorks {place}."
    assert read("gray", told, told, self=RED, place=ASH) == ["Its zorks declares war: on."], "once"
    world = World(odd(), small.state())
    words = Wording(world, "gray")
    entries = []
    for n, place in enumerate(("ash", "birch"), 1):
        says = message(world, told, {"self": RED, "place": Entity("place", place)})
        entries.append(Entry(n, 1, "s", "events/x", "", "", [says], ("everyone",)))
    assert news._joined(entries, words) == [("Its zorks declares war: on and birch.", (1, 2))]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{self} sails to {place}.", "You sail to the Bay."),
        ("{place} is quiet.", "The Bay is quiet."),
        ("{self} looks at the {place}.", "You look at the Bay."),
        ("{self} leaves {place}'s shore.", "You leave the Bay's shore."),
    ],
)
def test_a_place_has_its_article_in_sentences_alone(template: str, expected: str) -> None:
    rules = small.ruleset(places=[{"id": "ash", "name": "Bay", "article": "the", "kind": "sea"}])
    world = World(rules, small.state())
    told = message(world, template, {"self": RED, "place": ASH})
    words = Wording(world, "red")
    assert words.told([told]) == expected
    assert words.place("ash") == "Bay" and words.spot("ash") == "the Bay", "by itself it has none"
    assert words.spot("birch") == words.place("birch"), "nor has another place"


# ---- templates


class German(Voice):
    """Another language: its forms stand in its templates, its "you" in its voice."""

    def name(self, it: Any) -> str:
        return {"red": "Rot", "blue": "Blau"}[it["id"]]

    def person(self, it: Any) -> Person:
        return Person.SEVERAL if it["id"] == "blue" else Person.ONE


def test_forms_are_chosen_by_data() -> None:
    slots = {"a": thing("nation", "red", "Red"), "b": thing("nation", "blue", "Blue"), "n": 3}
    told = Message("{a} {erklärt|erklären} {b} den Krieg und {b: verliert|verlieren} {n}.", slots)
    assert said([told], German()) == "Rot erklärt Blau den Krieg und verlieren 3."
    assert said([told]) == "Red erklärt Blue den Krieg und verliert 3."


def test_a_message_is_parted_at_what_is_written_alone() -> None:
    slots = {"who": thing("nation", "red", "Red: the Great"), "what": "a: b"}
    assert head_and_rest([Message("{who} seeks {what}:", slots), Message("{what} is found.", slots)]) == (
        "Red: the Great seeks a: b", "a: b is found.",
    )  # fmt: skip
    assert head_and_rest([Message("{who} is {what}.", slots)]) == ("", "Red: the Great is a: b.")


def test_braces_in_what_fills_a_slot_are_no_slots() -> None:
    world = World(small.ruleset(), small.state())
    assert (
        said([message(world, "{self}: {text}", {"self": RED, "text": "{target} {a|b}"})])
        == "Red: {target} {a|b}"
    )
    assert fill(world, "{blue} and {west}", {}) == "Blue and West", "nations and sides by their ids"


def test_slots_hold_no_ids_but_those_of_public_rows() -> None:
    """The key of a stack says whose it is, where it stands, and more; a message has its kind alone."""
    world = World(
        small.ruleset(),
        small.state(units={"red.foot@ash": {"owner": "red", "kind": "foot", "place": "ash", "n": 2}}),
    )
    told = message(world, "{unit} in {place}", {"unit": Entity("unit", "red.foot@ash"), "place": ASH})
    assert told.slots["unit"] == {"kind": "unit", "id": "foot", "name": "Foot"}
    assert "red" not in canonical.dumps(told.to_json()).decode()


# ---- how it is stored


def test_entries_are_read_as_they_were_stored() -> None:
    slots = {
        "a": thing("nation", "red", "Red"),
        "hash": "x",
        "list": [1, {"kind": "side", "id": "east", "name": "East"}],
    }
    entry = Entry(1, 1, "s", "r/x", "", "", [Message("{a} {list} {hash}", slots), plain("{x}")])
    again = Entry.from_json(canonical.loads(canonical.dumps(entry.to_json())))
    assert again == entry and again.text == "Red 1, East x {x}" and entry.to_json()["format"] == FORMAT
    with pytest.raises(BrokenGame, match="newer version"):
        Entry.from_json({**entry.to_json(), "format": FORMAT + 1})


def as_once_stored(game: Game, folder: Path) -> Game:
    """A game whose journal is rewritten as the first format had it: a finished text in each entry, chained again."""
    bodies, head, heads = [], "", {}
    for entry in game.journal():
        body = {k: v for k, v in entry.to_json().items() if k not in ("format", "happened")} | {
            "text": entry.text,
            "hash": "",
        }
        head = body["hash"] = canonical.digest([head, body])
        heads[entry.n] = head
        bodies.append((canonical.dumps(body).decode(), entry.n))
    with sqlite3.connect(folder / "game.db") as db:
        db.executemany("update entries set body = ? where number = ?", bodies)
        for number, count in db.execute("select number, entries from positions").fetchall():
            db.execute("update positions set head = ? where number = ?", (heads.get(count, ""), number))
    return Game.open(folder)


def faults(game: Game) -> list[str]:
    """What an audit finds, but for the chain of rows, past which the journal was rewritten."""
    return [wrong for what, wrong in audit(game) if wrong and what != "the chain of what the game has kept"]


def test_a_game_of_the_first_format_opens_goes_on_and_is_verified(tmp_path: Path) -> None:
    game = new(tmp_path / "g")
    send(game, "red", 3)
    game.resolve()
    texts = [e.text for e in game.journal()]
    old = as_once_stored(game, tmp_path / "g")
    assert {e.format for e in old.journal()} == {1} and [e.text for e in old.journal()] == texts
    assert verify_chain([e.to_json() for e in old.journal()]) is None and broken_chain(old) is None
    assert faults(old) == []
    send(old, "red")
    old.resolve()
    assert {e.format for e in old.journal()} == {1, FORMAT} and broken_chain(old) is None
    assert faults(old) == []


def test_an_old_entry_that_was_changed_is_noticed(tmp_path: Path) -> None:
    game = new(tmp_path / "g")
    game.resolve()
    old = as_once_stored(game, tmp_path / "g")
    number = next(e.n for e in old.journal() if e.text)
    with sqlite3.connect(tmp_path / "g" / "game.db") as db:
        db.execute(
            'update entries set body = replace(body, \'"text":"\', \'"text":"X\') where number = ?', (number,)
        )
    assert f"entry {number} " in str(broken_chain(Game.open(tmp_path / "g")))


# ---- how rulesets are checked

NATION = "places: [{id: p, kind: land, owner: red}]\nsides: [{id: east, name: East}]\nnations: [{id: red, name: Red, side: east}]\n"


@pytest.mark.parametrize(
    ("says", "codes"),
    [
        ("{nation} takes offense and {goes|go} to {red} of {east}.", ""),
        ("{nation} asks {red} for {red: its|your|their} hat.", ""),
        ("{nation} asks for {›redd: its|your|their} hat.", "E401"),
        ("Then {›goes|go} home.", "E401"),
        ("{nation} asks {›blue} for it.", "E302"),
    ],
)
def test_slots_and_forms_are_checked_at_their_place(tmp_path: Path, says: str, codes: str) -> None:
    text = f'{NATION}events:\n- {{id: e, title: t, on: {{step: s}}, for: nations(), says: "{says}"}}\n'
    frame = "sequence:\n- {input: orders, from: everyone}\n- {phase: x, steps: [{step: s}]}\n"
    errors_are_told(tmp_path, text + frame, codes)
