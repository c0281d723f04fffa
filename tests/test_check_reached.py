"""What can never fire, never be reached or never be read, over the ruleset of `wteaw init`: told at its place, its neighbor not."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.core.frame import steps
from wteaw.core.state import State
from wteaw.ruleset import load_ruleset
from wteaw.turn.sequence import run_step

from .folders import marked, own_cache, places  # noqa: F401
from .small import turn

GAME = Path(__file__).parent.parent / "templates" / "new-game"
SILENT = "{pay: {to: =nation, what: gold, amount: 1}}"
EVENT = f"events:\n- {{id: e, title: E, for: nations(), effects: [{SILENT}], "
CASES = f"events:\n- {{id: e, title: E, on: turn_end, for: nations(), says: hm, cases: [{{when: nation.alive, effects: [{SILENT}]}}"
ROLL = f"events:\n- {{id: e, title: E, on: turn_end, for: nations(), roll: 1d6, results: {{1..2: [{SILENT}], "
TANKS = "technologies:\n- {id: tanks, name: Tanks, levels: 4, silence: {W625: scenarios begin with it}}\n"

NEW = [
    (EVENT + "on: turn_start, when: ›turn == 13}\n", "W601"),
    (EVENT + "on: turn_start, when: turn == 12}\n", ""),
    (EVENT + "on: turn_start, when: ›year == 1850}\n", "W601"),
    (EVENT + "on: turn_start, when: year == 1500}\n", ""),
    (EVENT + "on: {reached: {track: opinion, at: ›7}}}\n", "W601"),
    (EVENT + "on: {reached: {track: opinion, at: 5}}}\n", ""),
    (EVENT + "on: ›learned}\n", "W601"),
    (TANKS + EVENT + "on: learned}\n", ""),
    (TANKS + EVENT + "on: {learned: {tech: tanks, level: ›5}}}\n", "W601"),
    (TANKS + EVENT + "on: {learned: {tech: tanks, level: 4}}}\n", ""),
    (TANKS + EVENT + "on: turn_end, when: ›\"level(nation, 'tanks') >= 7\"}\n", "W601"),
    (TANKS + EVENT + "on: turn_end, when: \"level(nation, 'tanks') >= 4\"}\n", ""),
    (EVENT + "on: {step: ›war}}\n", "W601"),
    (EVENT + "on: {step: income}}\n", ""),
    (ROLL + "4..6: [" + SILENT + "]}}\n", "W616 at results"),
    (ROLL + "3..6: [" + SILENT + "]}}\n", ""),
    (ROLL + "6: [" + SILENT + "]}}\n", ""),
    (CASES.replace("says: hm", "›says: hm") + "]}\n", "W617"),
    (CASES + ", {effects: [" + SILENT + "]}]}\n", ""),
    (CASES + ", {effects: [" + SILENT + "]}, ›{when: turn > 2, effects: [" + SILENT + "]}]}\n", "W618"),
    (CASES + ", ›{when: nation.alive, effects: [" + SILENT + "]}, {effects: [" + SILENT + "]}]}\n", "W618"),
    (
        "fields:\n- {id: sold, of: [item], type: number, default: 0, open: true}\n"
        + EVENT.replace("[{pay", "[{change: {of: \"=item('foot')\", field: ›sold, by: 1}}, {pay")
        + "on: turn_end}\n",
        "E304",
    ),
]


@pytest.mark.parametrize(("text", "code"), NEW)
def test_what_can_never_come_is_told_where_it_stands(tmp_path: Path, text: str, code: str) -> None:
    text = text if "at results" not in code else text.replace("results: {", "results: ›{")
    rows, expected = marked(text, code.split()[0] if code else "")
    assert told(tmp_path, {"tables/new.yaml": rows}) == expected


CHANGED = [
    ("units.yaml", "tags: [army]\n    symbol: F", "tags: [›amry]\n    symbol: F", "W604"),
    ("units.yaml", "attack: 3\n    defense: 4", "attack:›\n    defense: 4", "E403"),
    ("units.yaml", "attack: 3\n    defense: 4", "attack: null\n    defense: 4", ""),
    ("orders.yaml", "    commits: units\n", "    commits: units\n    requires: [{test: count(units(at=origin)) >= listed(units), message: m}]\n", ""),
    ("opinion.yaml", "      - id: borea-takes\n", "      - ›{id: again, label: A, says: hm, on: {captured: {by: auria}}, when: event.of, against: auria, cells: {free-city: 1}}\n      - id: borea-takes\n", "W618"),
    ("opinion.yaml", "      - id: borea-takes\n", "      - {id: again, label: A, says: hm, on: {captured: {by: auria}}, when: event.place, against: auria, cells: {free-city: 1}}\n      - id: borea-takes\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("file", "right", "typed", "code"), CHANGED)
def test_what_is_changed_in_vain_is_told_where_it_stands(
    tmp_path: Path, file: str, right: str, typed: str, code: str
) -> None:
    text = (GAME / "tables" / file).read_text("utf-8")
    assert right in text
    rows, expected = marked(text.replace(right, typed, 1), code)
    assert told(tmp_path, {f"tables/{file}": rows}) == expected


HINTS = [
    ("turn > 1 && turn < 4", "`and`"),
    ("turn > 9 || turn < 4", "`or`"),
    ("turn in 3..5", "3 <= turn <= 5"),
    ("nation.alive == true", "True"),
    ("len(units()) > 1", "count(set)"),
    ("sum(units()) > 1", "count(set)"),
    ("nation.gold > 3", "stock(nation, 'gold')"),
    ("nation == auria", "'auria'"),
    ("'&&' == nation.name", ""),
]


@pytest.mark.parametrize(("test", "hint"), HINTS)
def test_what_newcomers_write_is_told_how_it_is_written(tmp_path: Path, test: str, hint: str) -> None:
    copy(tmp_path, {"tables/new.yaml": EVENT + f'on: turn_end, when: "{test}"}}\n'})
    found = load_ruleset(tmp_path)[1]
    assert len(found) == bool(hint)
    assert all(hint in d.message + d.hint for d in found)


def told(folder: Path, files: dict[str, str]) -> list[tuple[str, int, int]]:
    """Code, line and column of each finding in the game of `init` with some files changed."""
    copy(folder, files)
    return places(load_ruleset(folder)[1])


def copy(folder: Path, files: dict[str, str]) -> None:
    for path in GAME.rglob("*.yaml"):
        target = folder / path.relative_to(GAME)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text("utf-8").replace("$ID$", "mine").replace("$TITLE$", "Mine"), "utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def test_an_event_may_wait_for_a_step_that_does_something(tmp_path: Path) -> None:
    copy(tmp_path, {"tables/new.yaml": EVENT + "on: {step: income}}\n"})
    rules = load_ruleset(tmp_path)[0]
    assert rules is not None
    game = turn(
        rules,
        State(
            {"game": {"game": {"turn": 1}}, "nations": {n: {"alive": True} for n in rules.rows("nations")}}
        ),
    )
    for step, gold in (("gifts", 0), ("income", 10)):  # nine of the places, one of the event
        node = next(n for n in steps(rules.sequence) if n.get("step") == step)
        run_step(game, node)
        assert game.state.get("treasuries", "auria", "gold", 0) == gold
    assert [f.roles["step"] for e in game.journal.entries for f in e.facts if f.word == "step"] == ["income"]
