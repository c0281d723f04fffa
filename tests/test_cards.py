"""Cards: piles are drawn from by dice that lie open to nobody who may not know them, hands are their owners', orders name what is held."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.dice import KeyedDice
from wteaw.core.journal import Entry
from wteaw.core.model import Ruleset
from wteaw.core.state import State
from wteaw.orders.chances import chance_of_draw
from wteaw.orders.intake import Intake, take_in
from wteaw.orders.sheet_layout import order_template
from wteaw.play.proofs import Published, check, revealed, sealed
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.play.starter import begin
from wteaw.report.build import nation_report
from wteaw.report.render import as_text
from wteaw.ruleset import load_ruleset
from wteaw.store import Game
from wteaw.turn.referee import start
from wteaw.world.view import readable, view
from wteaw.world.world import World

from .folders import own_cache  # noqa: F401


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begin(tmp_path_factory.mktemp("rules") / "small", game="card-battle").folder


@pytest.fixture(scope="module")
def game(folder: Path) -> tuple[Ruleset, State, list[Entry]]:
    """The shipped battle of cards as its players find it, with what happened before their first orders."""
    scenario, ruleset, found = load_scenario(folder / "scenarios" / "start.yaml")
    assert scenario is not None and ruleset is not None, found
    begun = start(ruleset, initial_state(ruleset, scenario), KeyedDice(b"0" * 32, 1))
    return ruleset, begun.position.state, list(begun.entries)


def hands(state: State, **of: dict[str, int]) -> State:
    out = state.copy()
    for nation, cards in of.items():
        out.put("piles", nation, "hand", cards)
    return out


def outputs(ruleset: Ruleset, state: State, entries: list[Entry], reader: str) -> list[str]:
    """What a nation is shown: its report, its order sheet, what the checker says."""
    shown = view(ruleset, state, reader)
    world = World(ruleset, shown)
    sheet = order_template(world, reader, game="g")
    report = nation_report(world, entries, reader, game="g", turn=1, template=sheet)
    lines = "play guard at mill\nplay fog at road\nplay volley at wood"
    taken = take_in(ruleset, lines, lambda _: world, nation=reader)
    told = [f"{d.message} {d.hint}" for d in taken.found]
    return [as_text(report), sheet, *told, repr(dict(shown.tables["piles"]))]


def test_five_of_sixteen_are_drawn(game: tuple[Ruleset, State, list[Entry]]) -> None:
    """Nothing is lost or doubled, and the dice of a deck that nobody sees are for nobody."""
    _, state, entries = game
    deck = {"charge": 3, "fog": 1, "guard": 1, "rally": 1, "scouts": 2, "skirmish": 4, "volley": 4}
    for nation in ("north", "south"):
        piles = state.row("piles", nation)
        assert sum(piles["hand"].values()) == 5 and set(piles) == {"deck", "hand"}
        assert {c: piles["deck"].get(c, 0) + piles["hand"].get(c, 0) for c in deck} == deck
    rolled = [e for e in entries if e.dice]
    assert [e.audience for e in rolled] == [("nobody",)] * 2
    assert {record["audience"] for e in rolled for record in e.dice} == {"nobody"}
    told = [e for e in entries if "draws from deck" in e.text]
    assert [e.audience for e in told] == [("north",), ("south",)]


def test_what_is_in_other_hands_and_decks_changes_nothing_that_is_shown(
    game: tuple[Ruleset, State, list[Entry]],
) -> None:
    ruleset, state, entries = game
    north = {"guard": 1, "volley": 4}
    one = hands(state, north=north, south={"fog": 1, "charge": 3, "rally": 1})
    other = hands(state, north=north, south={"skirmish": 3, "scouts": 2})
    other.put("piles", "south", "deck", {"guard": 11})
    mine = readable(entries, World(ruleset, state), "north")
    assert outputs(ruleset, one, mine, "north") == outputs(ruleset, other, mine, "north")
    fewer = hands(other, south={"skirmish": 3})
    assert outputs(ruleset, fewer, mine, "north") != outputs(ruleset, one, mine, "north")


def test_the_report_tells_the_own_hand_and_how_many_the_other_holds(
    game: tuple[Ruleset, State, list[Entry]],
) -> None:
    ruleset, state, entries = game
    text = outputs(ruleset, hands(state, north={"guard": 1, "volley": 2}), entries, "north")[0]
    assert "Your hand: Guard and Volley (2)" in text and "Your deck: 11 cards" in text
    assert "South, deck: 11 cards; hand: 5 cards" in text


def sent(ruleset: Ruleset, state: State, *lines: str, nation: str = "north") -> Intake:
    world = World(ruleset, view(ruleset, state, nation))
    return take_in(ruleset, "\n".join(lines), lambda _: world, nation=nation)


def test_orders_play_what_is_held_and_each_copy_once(game: tuple[Ruleset, State, list[Entry]]) -> None:
    ruleset, state, _ = game
    held = hands(state, north={"guard": 1, "volley": 1}, south={"fog": 5})
    assert len(sent(ruleset, held, "play guard at mill", "play volley at road").intents) == 2
    taken = sent(ruleset, held, "play guard at mill", "play guard at road")
    (why,) = [d for d in taken.found if d.severity == "error"]
    assert len(taken.intents) == 1 and "Guard cannot be chosen here" in why.message
    (why,) = [d for d in sent(ruleset, held, "play fog at mill").found if d.severity == "error"]
    assert "Fog cannot be chosen" in why.message and "Guard" in why.hint and "Volley" in why.hint
    sheet = order_template(World(ruleset, view(ruleset, held, "north")), "north", game="g")
    assert "play Guard on ?" in sheet and "play Volley on ?" in sheet and "Fog" not in sheet


def test_bots_play_it_to_its_end_and_it_is_verified(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert _run(["play", str(folder / "scenarios" / "start.yaml"), "--seed", "7", "--out", str(out)]) in (
        0,
        None,
    )
    assert _run(["verify", "--game", str(out / "game")]) in (0, None)
    text = (out / "reports" / "north.txt").read_text(encoding="utf-8")
    assert "The game has ended" in text and "Your hand:" in text
    game = Game.open(out / "game")
    shown = revealed(game, 2, "north")
    assert {record["audience"] for record in shown["dice"]} == {"nobody"}
    known = Published(game.head["anchor"], sealed(game, 2)[1], game.salts(2))
    found = check(shown, known)
    assert not found.wrong and found.checked == found.shown > 0
    shown["dice"][0]["drawn"][0]["faces"][0] += 1
    assert check(shown, known).wrong


def test_a_battle_is_played_by_hand_through_the_door(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A turn of two players: their sheets, their orders, one refused, what came of it."""
    g = str(tmp_path / "g")
    scenario = str(folder / "scenarios" / "start.yaml")
    assert _run(["new", scenario, "--game", g, "--all-players", "--seed", "hand"]) in (0, None)
    for nation in ("north", "south"):
        capsys.readouterr()
        assert _run(["orders", "template", "--game", g, "--nation", nation]) in (0, None)
        sheet = capsys.readouterr().out
        first = next(line for line in sheet.splitlines() if line.startswith("# play"))
        card = first.rpartition("#")[2].split(",")[0].strip()
        file = tmp_path / f"{nation}.txt"
        file.write_text(f"game g nation {nation} turn 1\nplay {card} on Mill\nend\n", encoding="utf-8")
        assert _run(["orders", "submit", str(file), "--game", g, "--nation", nation]) in (0, None)
    assert _run(["resolve", "--game", g]) in (0, None)
    capsys.readouterr()
    assert _run(["report", "--game", g, "--nation", "north"]) in (0, None)
    told = capsys.readouterr().out
    assert "at Mill" in told and "Your hand:" in told and "Your pile:" in told
    # while it goes on nobody is shown the dice of the decks
    assert revealed(Game.open(Path(g)), 1, "north")["dice"] == []
    assert _run(["verify", "--game", g]) in (0, None)


# ---- records in slots


TREATIES = """
records: [{id: treaty, name: treaty, shown_by: title}]
fields:
- {id: title, of: [record], type: text, default: "", text: What it is called}
- {id: partner, of: [record], type: id, table: nations, default: null, text: Who is bound by it}
visibility: [{id: own-treaties, what: records, to: everyone, when: record.partner == self}]
events:
- id: signed
  title: Two treaties are signed
  on: {turn_start: 1}
  effects:
  - {record: {what: treaty, set: {title: Peace of Mill, partner: north}}}
  - {record: {what: treaty, set: {title: Peace of Wood, partner: south}}}
  audience: nobody
actions:
- id: tear
  name: Tear up
  syntax: "tear up [the] {treaty}"
  slots: {treaty: {kind: record, among: "records(kind='treaty', partner=self)"}}
  effects: [{strike: {records: =treaty}}]
  says: "{self} tears up {treaty}."
sequence: [{step: tearing, do: act, actions: [tear], before: cards}]
"""


@pytest.fixture(scope="module")
def treaties(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ruleset, State]:
    copy = tmp_path_factory.mktemp("treaties") / "small"
    shutil.copytree(folder, copy)
    (copy / "tables" / "treaties.yaml").write_text(TREATIES, encoding="utf-8")
    scenario, ruleset, found = load_scenario(copy / "scenarios" / "start.yaml")
    assert scenario is not None and ruleset is not None and not load_ruleset(copy)[1], found
    begun = start(ruleset, initial_state(ruleset, scenario), KeyedDice(b"0" * 32, 1))
    return ruleset, begun.position.state


def test_an_order_names_a_record_by_its_title(treaties: tuple[Ruleset, State]) -> None:
    """As it is called, misspelled a little, and on the sheet; whatever another has is nothing at all."""
    ruleset, state = treaties
    for line in ("tear up the Peace of Mill", "tear up peace of mil"):
        (intent,) = sent(ruleset, state, line).intents
        assert intent.slots == {"treaty": "treaty#0001"}
    sheet = order_template(World(ruleset, view(ruleset, state, "north")), "north", game="g")
    assert "Peace of Mill" in sheet and "Peace of Wood" not in sheet, sheet
    (hidden,) = sent(ruleset, state, "tear up Peace of Wood").found
    (nothing,) = sent(ruleset, state, "tear up Peace of Rome").found
    assert hidden.severity == "error" and hidden.message.replace("Wood", "Rome") == nothing.message


def test_two_records_of_one_title_go_by_their_numbers(treaties: tuple[Ruleset, State]) -> None:
    ruleset, state = treaties
    twice = state.copy()
    twice.put("records", "treaty#0002", "*", {**state.row("records", "treaty#0001")})
    sheet = order_template(World(ruleset, view(ruleset, twice, "north")), "north", game="g")
    assert "treaty 1" in sheet and "treaty 2" in sheet
    (intent,) = sent(ruleset, twice, "tear up treaty 2").intents
    assert intent.slots == {"treaty": "treaty#0002"}
    assert not sent(ruleset, twice, "tear up Peace of Mill").intents


# ---- rulesets that are wrong


WRONG = [
    ("tables/cards.yaml", "in: deck, copies: 4, strength: 1", "in: dekc, copies: 4, strength: 1", "E401"),
    ("tables/cards.yaml", "name: Rally\n    in: deck", "name: Rally", "W622"),
    ("tables/cards.yaml", "refill: played", "refill: deck", "E213"),
    ("tables/sequence.yaml", "from: table, whose", "from: tabel, whose", "E401"),
    ("tables/sequence.yaml", "from: table, whose: =nations(), to: played", "from: table, to: played", "E213"),
    ("tables/sequence.yaml", "pile='hand'", "pile='hnad'", "E305"),
    ("tables/orders.yaml", "cards: =card}", "cards: =card, n: 1}", "E213"),
    ("tables/orders.yaml", "{card: =card}", "{card: chrage}", "E407"),
    (
        "tables/orders.yaml",
        "{deal: {from: hand, to: table, cards: =card}}",
        "{deal: {from: hand, to: table, cards: =self}}",
        "E307",
    ),
    ("tables/visibility.yaml", "fields: [hand]", "fields: [table]", "W623"),
    ("tables/visibility.yaml", "fields: [hand]", "fields: [hnad]", "E407"),
]


@pytest.mark.parametrize(("file", "old", "new", "code"), WRONG, ids=lambda v: str(v)[:24])
def test_what_is_wrong_with_cards_is_told(
    file: str, old: str, new: str, code: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "small"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("schemas"))
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert code in {d.code for d in load_ruleset(copy)[1]}, load_ruleset(copy)[1]


DRAW = """actions:
- {id: search, name: Search, syntax: search, effects: [{deal: {from: deck, to: hand, n: 1}}]}
- {id: ask, name: Ask, syntax: ask, effects: [{deal: {from: deck, to: hand, n: 2}}]}
sequence:
- {step: searches, do: act, actions: [search, ask], after: cards}
"""


@pytest.mark.parametrize(
    ("line", "hand", "deck", "told"),
    [
        # the rest of the sixteen cards is known to lie elsewhere, so the deck holds what nobody has seen
        (
            "search",
            {"guard": 1},
            {"fog": 1, "volley": 3},
            "one of 4 cards is drawn; chances to have it: Volley 3 in 4, Fog 1 in 4",
        ),
        (
            "ask",
            {"guard": 1},
            {"fog": 1, "volley": 3},
            "2 of 4 cards are drawn; chances to have it: Volley 100 in 100, Fog 50 in 100",
        ),
        ("search", {"guard": 1}, {}, ""),  # an empty deck is filled up first
    ],
)
def test_an_order_that_draws_is_read_back_with_its_chances(
    tmp_path: Path, line: str, hand: dict[str, int], deck: dict[str, int], told: str
) -> None:
    folder = begin(tmp_path / "small", game="card-battle").folder
    (folder / "tables" / "draw.yaml").write_text(DRAW, encoding="utf-8")
    scenario, ruleset, found = load_scenario(folder / "scenarios" / "start.yaml")
    assert scenario is not None and ruleset is not None, found
    state = initial_state(ruleset, scenario)
    rest = {card: row.get("copies", 1) for card, row in ruleset.rows("cards").items()}
    for pile in (hand, deck):
        for card, n in pile.items():
            rest[card] -= n
    for nation in ("north", "south"):  # of the other nothing is hidden
        state.put("piles", nation, "played", {card: n for card, n in rest.items() if n})
        state.put("piles", nation, "hand", hand if nation == "north" else None)
        state.put("piles", nation, "deck", deck or None if nation == "north" else None)
    south = {card: row.get("copies", 1) for card, row in ruleset.rows("cards").items()}
    state.put("piles", "south", "played", south)
    world = World(ruleset, view(ruleset, state, "north"))
    assert "?" in str(world.state.get("piles", "north", "deck")) or not deck
    assert chance_of_draw(world, "north", ruleset.row("actions", line)) == told


def test_what_may_lie_in_another_hand_has_no_chances(tmp_path: Path) -> None:
    folder = begin(tmp_path / "small", game="card-battle").folder
    (folder / "tables" / "draw.yaml").write_text(DRAW, encoding="utf-8")
    scenario, ruleset, found = load_scenario(folder / "scenarios" / "start.yaml")
    assert scenario is not None and ruleset is not None, found
    state = initial_state(ruleset, scenario)
    state.put("piles", "south", "hand", {"guard": 1})
    world = World(ruleset, view(ruleset, state, "north"))
    assert chance_of_draw(world, "north", ruleset.row("actions", "search")) == ""
