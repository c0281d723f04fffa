"""`tools/migrate_rules.py`: files of the earlier language of rulesets, rewritten in place; and that no earlier word is left."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from wteaw.ruleset import load_ruleset
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.forms import forms
from wteaw.testing.equivalent import read_marks

ROOT = Path(__file__).resolve().parent.parent


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("migrate_rules", ROOT / "tools" / "migrate_rules.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    __import__("sys").modules["migrate_rules"] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()

TABLES = """\
# Wars of two.   Odd   layout stays.
nations:
  - {id: ash,   name: Ash}
  - {id: birch, name: Birch}
places: [{id: here, kind: land, owner: ash}, {id: there, kind: land, owner: birch}]
units: [{id: army, name: Army}]
terms:
  # who is there
  - {id: crowded, of: [place], is: "count(those(units(at=place), 'of_the_line')) > 1 and some(neighbours(place, 'land'))",
     text: "holds more than one", lines: [12, 14], basis: stated}
  - {id: of_the_line, of: [unit], is: "unit.kind in these('army')"}

acts:
- id: greet
  form: "greet {target}"   # as written
  slots: {target: nation}
  needs:
    - {test: "not marked(target, 'greeted')", else: they know you}   # once
  roll: {die: 1d6, from: 5}
  effects: [{mark: {who: =target, as: greeted}}]
  miss:
    - {say: "{self} is not heard (acts/greet)."}
  basis:
    effects: ruling
  lines: [3]
quantities: [{id: strength, of: unit, base: 3}]
adjusts: [{id: many, of: strength, when: "total(units(at=unit.place), 'n') > 3", add: 1}]
frame:
- {id: orders, input: orders, from: everyone}
- id: talk
  phase: talk
  name: Talk
  steps:
    - {step: greetings, do: act, acts: [greet]}
    - {step: pause, do: watch}   # nothing
shows: [{id: all-flags, what: marks, to: everyone}]
"""

NEW_TABLES = """\
# Wars of two.   Odd   layout stays.
nations:
  - {id: ash,   name: Ash}
  - {id: birch, name: Birch}
places: [{id: here, kind: land, owner: ash}, {id: there, kind: land, owner: birch}]
units: [{id: army, name: Army}]
definitions:
  # who is there
  - {id: crowded, of: [place], is: "count(where(units(at=place), 'of_the_line')) > 1 and any(neighbors(place, 'land'))",
     text: "holds more than one"}
  - {id: of_the_line, of: [unit], is: "unit.kind in set_of('army')"}

actions:
- id: greet
  syntax: "greet {target}"   # as written
  slots: {target: nation}
  requires:
    - {test: "not flagged(target, 'greeted')", message: they know you}   # once
  roll: {die: 1d6, at_least: 5}
  effects: [{flag: {who: =target, as: greeted}}]
  on_failure:
    - {say: "{self} is not heard (actions/greet)."}
stats: [{id: strength, of: unit, base: 3}]
modifiers: [{id: many, of: strength, when: "sum(units(at=unit.place), 'n') > 3", add: 1}]
sequence:
- {id: orders, input: orders, from: everyone}
- id: talk
  phase: talk
  name: Talk
  steps:
    - {step: greetings, do: act, actions: [greet]}
    - {step: pause}   # nothing
visibility: [{id: all-flags, what: flags, to: everyone}]
"""

CASES = """\
cases:
  - id: greeted
    given: {nations: {birch: {marks: [shy], stores: {}}}, rules: {adjusts: [{id: none, of: strength, add: 0, basis: ruling}]}}
    orders: {ash: [greet birch]}
    dice: {acts/greet: [5]}
    when: greetings
    then: {nations: {birch: {marks: {greeted: true}}}, values: {"marked(nation('birch'), 'greeted')": true}, draws: {acts/greet: [5]}}
"""

NEW_CASES = """\
cases:
  - id: greeted
    given: {nations: {birch: {flags: [shy], treasury: {}}}, rules: {modifiers: [{id: none, of: strength, add: 0}]}}
    orders: {ash: [greet birch]}
    dice: {actions/greet: [5]}
    when: greetings
    then: {nations: {birch: {flags: {greeted: true}}}, values: {"flagged(nation('birch'), 'greeted')": true}, draws: {actions/greet: [5]}}
"""

SCENARIO = """\
id: start
title: Start
ruleset: ..
nations:
  ash: {stores: {}, lines: [3], note: kept}
marks: [{who: ash, as: old}]   # a mark
rules: {acts: [{id: greet, append: {needs: [{test: turn > 1, else: too early}]}}]}
"""

NEW_SCENARIO = """\
id: start
title: Start
ruleset: ..
nations:
  ash: {treasury: {}, note: kept}
flags: [{who: ash, as: old}]   # a mark
rules: {actions: [{id: greet, append: {requires: [{test: turn > 1, message: too early}]}}]}
"""


def _laid_out(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ruleset of the earlier language, with a scenario and a file of tests."""
    files = {
        "ruleset.yaml": "id: two\ntitle: Two\nformat: 1\n",
        "tables/all.yaml": TABLES,
        "tests/greet.yaml": CASES,
        "scenarios/start.yaml": SCENARIO,
    }
    _laid_out(tmp_path, files)
    return tmp_path


def test_files_are_rewritten_in_place_with_comments_and_layout(folder: Path) -> None:
    assert TOOL.main([str(folder)]) == 0
    assert (folder / "tables/all.yaml").read_text() == NEW_TABLES
    assert (folder / "tests/greet.yaml").read_text() == NEW_CASES
    assert (folder / "scenarios/start.yaml").read_text() == NEW_SCENARIO


def test_a_second_time_changes_nothing(folder: Path) -> None:
    TOOL.main([str(folder)])
    before = {p: p.read_bytes() for p in folder.rglob("*.yaml")}
    assert TOOL.main([str(folder)]) == 0
    assert {p: p.read_bytes() for p in folder.rglob("*.yaml")} == before


def test_the_words_of_an_importer_are_no_rules(tmp_path: Path) -> None:
    said = "# yaml-language-server: $schema=../../schemas/triplea-words.schema.json\nturn:\n  - {act: true}\n"
    (tmp_path / "words.yaml").write_text(said)
    assert TOOL.main([str(tmp_path)]) == 0
    assert (tmp_path / "words.yaml").read_text() == said


def test_what_was_moved_can_be_loaded(folder: Path) -> None:
    TOOL.main([str(folder)])
    ruleset, found = load_ruleset(folder)
    assert ruleset is not None, found
    assert [d for d in found if d.severity == "error"] == []


def test_what_cannot_be_rewritten_is_told_at_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.yaml").write_text("acts: [{id: a, form: a\n")
    (tmp_path / "own.yaml").write_text("terms:\n- {id: where, of: [place], is: place.owner}\n")
    assert TOOL.main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path / 'own.yaml'}:2:8: " in out
    assert f"{tmp_path / 'bad.yaml'}: left as it is" in out
    assert (tmp_path / "bad.yaml").read_text() == "acts: [{id: a, form: a\n"


def test_a_ruling_becomes_a_clause(tmp_path: Path) -> None:
    path = tmp_path / "rulings.yaml"
    path.write_text(
        "rulings:\n- {id: x, question: Who?, reading: All., lines: [1], source: [a.b], basis: ruling}\n"
    )
    assert TOOL.main([str(path)]) == 0
    assert (
        path.read_text()
        == "clauses:\n- {id: x, status: ruling, title: Who?, text: All., lines: [1], about: [a.b]}\n"
    )


BATTLES = """\
battles:
  # the first
  - &land
    id: land
    name: battle   # on land
    before: {meeting: meeting, rivals: rivalry}
    die: 1d6
    stages:
      - {id: guns, value: 1,   losses: at_once, pooled: "option('low-luck')", spent: true}
      - pooled: "option('a, b')"   # no more
        id: fire
        # what faces do
      - id: faces
        resolve: face   # looked up
        value: 1
        # three and more
        table:
          3..4: wound   # not yet
          5..6: kill
        order: [kill, wound]  # the worst first
        most: 3
  - {id: none, stages: [{id: s, resolve: compare}]}
  - <<: *land
    id: camps
    apart: camps   # of each side
  - <<: *land
    id: shore
    where: contested
  - id: sea
    where: contacts
    detection:
      - seen   # by day
      - heard
    contact_again: true

    stages: [{id: s, resolve: sum, loss: {base: 1, per: 4}, tie: attacker, most: 2}, {id: t,
      resolve: compare,   # the best first
      tie: attacker}]
"""
NEW_BATTLES = """\
battles:
  # the first
  - &land
    id: land
    name: battle   # on land
    where: {contested: {before: {meeting: meeting, rivals: rivalry}}}
    die: 1d6
    stages:
      - {id: guns, value: 1,   losses: at_once, resolve: {roll_under: {pooled: "option('low-luck')"}}, spent: true}
      - resolve:
          roll_under:
            pooled: "option('a, b')"   # no more
        id: fire
        # what faces do
      - id: faces
        resolve:   # looked up
          face:
            # three and more
            table:
              3..4: wound   # not yet
              5..6: kill
            order: [kill, wound]  # the worst first
        value: 1
        most: 3
  - {id: none, stages: [{id: s, resolve: compare}]}
  - <<: *land
    id: camps
    where:
      contested:
        before: {meeting: meeting, rivals: rivalry}
        apart: camps   # of each side
  - <<: *land
    id: shore
    where: {contested: {before: {meeting: meeting, rivals: rivalry}}}
  - id: sea
    where:
      contacts:
        detection:
          - seen   # by day
          - heard
        contact_again: true

    stages: [{id: s, resolve: {sum: {loss: {base: 1, per: 4}, tie: attacker}}, most: 2}, {id: t,
      resolve: {compare: {tie: attacker}}   # the best first
}]
"""


def test_what_some_battles_say_goes_into_a_block(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "battles.yaml"
    path.write_text(BATTLES)
    assert TOOL.main([str(path)]) == 0
    assert path.read_text() == NEW_BATTLES
    assert TOOL.main([str(path)]) == 0 and path.read_text() == NEW_BATTLES
    _says_the_same(BATTLES, NEW_BATTLES)
    path.write_text(
        "battles: [{id: b, where: contacts, apart: camps, stages: [{id: s, resolve: face, loss: {}}]}]\n"
    )
    assert TOOL.main([str(path)]) == 1
    out = capsys.readouterr().out
    assert "'apart' is not read beside `where: contacts`" in out and "'loss' is not read beside" in out


def _says_the_same(old: str, new: str) -> None:
    """Of each battle and each stage the same entries, those of blocks too."""

    def flat(value: Any) -> Any:
        if isinstance(value, list):
            return [flat(one) for one in value]
        if not isinstance(value, dict):
            return value
        out: dict[str, Any] = {}
        for key, inner in value.items():
            if key in ("where", "resolve") and isinstance(inner, dict):
                ((word, block),) = inner.items()
                out |= {key: word, **flat(block)}
            else:
                out[key] = flat(inner)
        if "stages" in out:
            return {"where": "contested", **out}
        return {"resolve": "roll_under", **out} if "id" in out else out

    read = [YAML(typ="safe", pure=True).load(text)["battles"] for text in (old, new)]
    assert flat(read[0]) == flat(read[1])


def test_a_battle_laid_over_another_keeps_what_the_block_below_says(tmp_path: Path) -> None:
    """Both of a layer and of the `rules` of a case; a mark of an equivalent change names the new place."""
    files = {
        "base/ruleset.yaml": "id: base\ntitle: Base\nformat: 1\n",
        "base/tables/b.yaml": BATTLES,
        "base/tests/t.yaml": "cases: [{id: c, given: {rules: {battles: [{id: sea, contact_again: false}]}}}]\n",
        "base/tests/equivalent.yaml": (
            'equivalent:\n  - row: battles/land\n    at: "stages[faces].order"\n    reason: x\n'
            "  - row: battles/land\n    at: before.meeting   # always\n    reason: x\n"
        ),
        "top/ruleset.yaml": "id: top\ntitle: Top\nformat: 1\nextends: ../base\n",
        "top/tables/b.yaml": (
            "battles:\n  - id: sea\n    detection: [seen]   # alone\n  - {id: land, note: x, preludes: []}\n"
            "  - {id: none, append: {stages: [{id: t, pooled: true}]}}\n"
        ),
    }
    _laid_out(tmp_path, files)
    assert TOOL.main([str(tmp_path)]) == 0
    assert (tmp_path / "top/tables/b.yaml").read_text() == (
        "battles:\n  - id: sea\n    where:\n      contacts:\n        contact_again: true\n"
        "        detection: [seen]   # alone\n  - {id: land, note: x, preludes: []}\n"
        "  - {id: none, append: {stages: [{id: t, resolve: {roll_under: {pooled: true}}}]}}\n"
    )
    assert (tmp_path / "base/tests/t.yaml").read_text() == (
        "cases: [{id: c, given: {rules: {battles: [{id: sea, "
        'where: {contacts: {detection: ["seen", "heard"], contact_again: false}}}]}}}]\n'
    )
    assert (tmp_path / "base/tests/equivalent.yaml").read_text() == files[
        "base/tests/equivalent.yaml"
    ].replace("stages[faces].order", "stages[faces].resolve.face.order").replace(
        "before.meeting", "where.contested.before.meeting"
    )


RESOURCES = """\
# what there is
resources:
  - {id: coin, name: Coins, source: [a.coins]}   # of gold
  - id: men
    name: Men
    aliases: [soldiers]   # who serve
    note: >-
      They are many.
    source:
      - a.men
  - {id: ore, name: Ore}

# where it lies
treasuries:
  # coins lie where they are found
  - {id: coin, per: place}
  - id: men
    per: region   # of each nation
    # over land
    links: [land]
    through: >-
      place.mine
      and True
    seat: capital
    source: [a.men, a.regions]
  - {id: ore, per: nation}

income: []
"""
NEW_RESOURCES = """\
# what there is
resources:
  # coins lie where they are found
  - {id: coin, name: Coins, treasury: place, source: [a.coins]}   # of gold
  - id: men
    name: Men
    aliases: [soldiers]   # who serve
    treasury:   # of each nation
      region:
        # over land
        links: [land]
        through: >-
          place.mine
          and True
        seat: capital
    note: >-
      They are many.
    source:
      - a.men
      - a.regions
  - {id: ore, name: Ore}

# where it lies

income: []
"""


def test_how_treasuries_are_divided_is_said_by_their_resource(tmp_path: Path) -> None:
    files = {
        "base/ruleset.yaml": "id: base\ntitle: Base\nformat: 1\n",
        "base/tables/all.yaml": RESOURCES,
        "base/tables/ore.yaml": "treasuries: [{id: gas, per: region, links: [pipe]}]   # far\nplaces: []\n",
        "base/tables/gas.yaml": "resources: [{id: gas, name: Gas}]\n",
        "base/tests/t.yaml": (
            "cases:\n  - {id: c, given: {rules: {treasuries: [{id: men, shared: true}]}}}\n"
            "  - {id: d, given: {state: {treasuries: {ash: {men: 3}}}}, dice: {treasuries/men: [1]}}\n"
        ),
        "top/ruleset.yaml": "id: top\ntitle: Top\nformat: 1\nextends: ../base\n",
        "top/tables/t.yaml": (
            "treasuries:\n  - id: men\n    links: [land, sea]   # and the sea\n  - {id: coin, per: nation}\n"
            "  - {id: gas, remove: true}\n"
        ),
    }
    _laid_out(tmp_path, files)
    assert TOOL.main([str(tmp_path)]) == 0
    moved = {name: (tmp_path / name).read_text() for name in files}
    assert moved["base/tables/all.yaml"] == NEW_RESOURCES
    assert moved["base/tables/gas.yaml"] == (
        "resources: [{id: gas, name: Gas, treasury: {region: {links: [pipe]}}}]\n"
    )
    assert moved["base/tables/ore.yaml"] == "places: []\n"
    assert moved["base/tests/t.yaml"] == (
        'cases:\n  - {id: c, given: {rules: {resources: [{id: men, treasury: {region: {links: ["land"], '
        'through: "place.mine and True", seat: "capital", shared: true}}}]}}}\n'
        "  - {id: d, given: {state: {treasuries: {ash: {men: 3}}}}, dice: {resources/men: [1]}}\n"
    )
    assert moved["top/tables/t.yaml"] == (
        "resources:\n  - id: men\n    treasury:\n      region:\n"
        '        through: "place.mine and True"\n        seat: "capital"\n'
        "        links: [land, sea]   # and the sea\n  - {id: coin, treasury: nation}\n"
        "  - {id: gas, remove: [treasury]}\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0
    assert moved == {name: (tmp_path / name).read_text() for name in files}


def test_a_row_of_treasuries_that_cannot_be_moved_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("treasuries:\n  - {id: a, links: [land]}\n  - {id: b, append: {links: [sea]}}\n")
    assert TOOL.main([str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2:5: say in `treasury`" in out and f"{path}:3:5: say whole in `treasury`" in out


# --- no earlier word is left


def test_tallies_and_streaks_become_counters(tmp_path: Path) -> None:
    """Two tables of a file, and two maps of a position, are put together; whose a tally was is a set now."""
    tables, cases = tmp_path / "score.yaml", tmp_path / "cases.yaml"
    tables.write_text(
        """\
tallies:
  # what was lost
  - id: lost
    of: nation
    on: destroyed
    who: of
    by: "=event.n * 2"
  - {id: won, of: nation, on: destroyed}   # with a remark
  - {id: odd, of: place, on: captured, who: "=where(event.place, 'is_far')"}
ends: [{id: over, when: "tally('ash', 'won') > streak('ash', 'calm')"}]
streaks:
  - {id: calm, of: "nations()", at: turn_end, while: "true"}
"""
    )
    cases.write_text(
        """\
cases:
  - id: both
    given:
      nations:
        ash: {tallies: {lost: 1}, streaks: {calm: 2}}
        birch:
          tallies:
            lost: 1
          streaks:
            calm: 2
    then: {journal: [{rule: streaks/calm}]}
"""
    )
    assert TOOL.main([str(tables), str(cases)]) == 0
    assert (
        tables.read_text()
        == """\
counters:
  # what was lost
  - id: lost
    on: destroyed
    of: event.target
    by: "=event.n * 2"
  - {id: won, of: event.actor, on: destroyed}   # with a remark
  - {id: odd, on: captured, of: "where(event.place, 'is_far')"}
  - {id: calm, of: "nations()", on: turn_end, while: "true"}
victory: [{id: over, kind: game_end, when: "counter('ash', 'won') > counter('ash', 'calm')"}]
"""
    )
    assert (
        cases.read_text()
        == """\
cases:
  - id: both
    given:
      nations:
        ash: {counters: {lost: 1, calm: 2}}
        birch:
          counters:
            lost: 1
            calm: 2
    then: {journal: [{rule: counters/calm}]}
"""
    )


def test_tables_that_are_one_now_are_put_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        """\
limits:
  - {id: arms, on: war, test: "gate('x')", else: not yet}
own_cases:
  # theirs
  - id: asks
    on: war
    effects: []
refusals: [{id: bomb, form: "bomb {x}", says: no}]
except: [{id: limits/arms, reason: nobody asks for it}]
"""
    )
    assert TOOL.main([str(path)]) == 0
    assert (
        path.read_text()
        == """\
action_changes:
  - {id: arms, on: war, test: "passage('x')", message: not yet}
  # theirs
  - id: asks
    on: war
    effects: []
notes: [{id: bomb, syntax: "bomb {x}", says: no}, {id: action_changes/arms, reason: nobody asks for it}]
"""
    )
    path.write_text("limits: [{id: a, on: war}]\nown_cases: [{id: a, on: war}]\n")
    assert TOOL.main([str(path)]) == 1
    assert f"{path}:2:1: two rows of 'action_changes' have the id 'a' now" in capsys.readouterr().out


def test_tables_of_how_players_take_part_become_settings(folder: Path) -> None:
    """The rows move into `ruleset.yaml`, with the comments above them."""
    (folder / "tables/players.yaml").write_text(
        """\
# how it is run
absence:
  - id: gone
    when: turn > 1
    proxy: "ally == nation"   # a remark
    spends:
      most: 3
      cycle: []
# days
schedule: [{id: ten, name: Ten, days: 10}]
replacements:
- id: first
  by: moderator
# the rest
- {id: rest, when: "those(nations(), 'crowded')", by: moderator}
clauses:
  - {id: a.b, tables: [absence/gone, links]}
"""
    )
    assert TOOL.main([str(folder)]) == 0
    assert (
        (folder / "ruleset.yaml").read_text()
        == """\
id: two
title: Two
format: 1
settings:
  players:
    turn_days:
      {days: 10}
    without_orders:
      - when: turn > 1
        proxy: "ally == nation"   # a remark
        spends:
          most: 3
          cycle: []
    vacancies:
      - by: moderator
      # the rest
      - {when: "where(nations(), 'crowded')", by: moderator}
"""
    )
    assert (
        folder / "tables/players.yaml"
    ).read_text() == "# how it is run\n# days\nclauses:\n  - {id: a.b, tables: [settings/players, links]}\n"


def test_settings_that_a_layer_would_replace_whole_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "ruleset.yaml").write_text("id: a\ntitle: A\nextends: ..\n")
    (tmp_path / "tables/t.yaml").write_text("schedule: [{id: ten, days: 9}]\n")
    assert TOOL.main([str(tmp_path)]) == 1
    assert f"{tmp_path / 'tables/t.yaml'}: schedule" in capsys.readouterr().out
    assert (tmp_path / "tables/t.yaml").read_text() == "schedule: [{id: ten, days: 9}]\n"


def moves(folder: Path, files: dict[str, tuple[str, str]]) -> None:
    """Files, each as it is written and as it becomes (empty: as it was), are moved, and stay so."""
    for name, (text, _) in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for _ in range(2):  # the second time nothing changes
        assert TOOL.main([str(folder)]) == 0
        for name, (text, new) in files.items():
            assert (folder / name).read_text() == (new or text), name


OLD_ENDS = """\
# How it ends.
ends:
  - id: growth   # by growth
    name: Growth
    rank: growth
  - {id: conquest, when: "turn > 3", wins: ash}

# By how much.
criteria:   # of nations
- id: growth
  of: nation
  is: "turn"
- {id: both, of: nation, parts: [growth]}   # two in one

stats: [{id: x, of: nation, base: 1}]
aims: [{id: take, of: places, is: "it.holder == nation", points: 1}]
objectives:
  - id: ash
    goals: {any: {take: [here]}}
    points: {take: 3}
  - {id: birch, append: {goals: {east: {take: [there]}}}}
"""
NEW_ENDS = """\
# How it ends.
victory:
  - id: growth   # by growth
    kind: game_end
    name: Growth
    rank: growth-score
  - {id: conquest, kind: game_end, when: "turn > 3", wins: ash}
  # By how much.
  # of nations
  - id: growth-score
    kind: criterion
    of: nation
    is: "turn"
  - {id: both, kind: criterion, of: nation, parts: [growth-score]}   # two in one
  - {id: take, kind: aim, about: places, reached: "it.holder == nation", points: 1}
  - id: ash
    kind: objectives
    nation: ash
    goals: {any: {take: [here]}}
    worth: {take: 3}
  - {id: birch, append: {goals: {east: {take: [there]}}}}

stats: [{id: x, of: nation, base: 1}]
"""


def test_ends_criteria_aims_and_objectives_become_victory(tmp_path: Path) -> None:
    """Four tables of a file are one, each row says its kind; of two rows of one id one gives it up, wherever it is named."""
    files = {
        "ruleset.yaml": ("id: two\ntitle: Two\nformat: 1\n", ""),
        "tables/end.yaml": (OLD_ENDS, NEW_ENDS),
        "clauses/why.yaml": (
            "clauses: [{id: a.b, about: [ends/growth, criteria/growth, criteria/both]}]\n",
            "clauses: [{id: a.b, about: [victory/growth, victory/growth-score, victory/both]}]\n",
        ),
        "tests/end.yaml": (
            "cases:\n  - id: a\n    given: {rules: {criteria: [{id: growth, is: 2}], ends: [{id: conquest, remove: true}]}}\n"
            "    then: {game: {end: growth}, journal: [{rule: ends/growth}]}\n",
            "cases:\n  - id: a\n    given: {rules: {victory: [{id: growth-score, is: 2}, {id: conquest, remove: true}]}}\n"
            "    then: {game: {end: growth}, journal: [{rule: victory/growth}]}\n",
        ),
        "over/ruleset.yaml": ("id: over\ntitle: Over\nformat: 1\nextends: ..\n", ""),
        "over/tables/more.yaml": (
            "criteria: [{id: growth, at_most: 9}]\nends: [{id: take, rank: growth}]\n",
            "victory: [{id: growth-score, at_most: 9}, {id: take-end, kind: game_end, rank: growth-score}]\n",
        ),
    }
    moves(tmp_path, files)
    late = tmp_path / "tests" / "late.yaml"
    late.write_text("cases: [{id: b, given: {rules: {criteria: [{id: growth, is: 3}]}}}]\n")
    assert TOOL.main([str(late)]) == 0
    assert "victory: [{id: growth-score, is: 3}]" in late.read_text(), "after the ruleset has been moved, too"


OLD_TRANSFERS = """\
# What goes from one to another.
gifts:   # to allies
- {id: coin, what: gold, arrives: 1/2}   # half of it
- id: due
  what: gold
  when: "gate('x') == self"

routes:
  # over the sea
  - id: coin
    what: gold
    links: [sea]
levies:
  - {id: due, what: gold, of: "4", share: 1/4}
  - {id: tax, share: 1/2}
orders:
  - {id: send, does: coin, step: pay}
  - {id: give, does: due, step: pay}
events:
  - id: owes
    effects: [{queue: {what: agreement, levy: due, for: ash, to: birch}}]
sequence:
  - {id: pay, do: transfer, rows: [coin, due]}
  - id: later
    do: transfer
    rows:
      - due
      - tax
  - {id: prizes, do: capture, rows: [coin]}
"""
NEW_TRANSFERS = """\
# What goes from one to another.
transfers:   # to allies
- {id: coin-gift, kind: gift, what: gold, arrives: 1/2}   # half of it
- id: due
  kind: gift
  what: gold
  when: "passage('x') == self"
# over the sea
- id: coin
  kind: route
  what: gold
  links: [sea]
- {id: due-levy, kind: levy, what: gold, of: "4", share: 1/4}
- {id: tax, share: 1/2}

orders:
  - {id: send, does: coin, step: pay}
  - {id: give, does: due, step: pay}
events:
  - id: owes
    effects: [{queue: {what: agreement, levy: due-levy, for: ash, to: birch}}]
sequence:
  - {id: pay, do: transfer, rows: [coin, coin-gift, due, due-levy]}
  - id: later
    do: transfer
    rows:
      - due
      - due-levy
      - tax
  - {id: prizes, do: capture, rows: [coin]}
"""


def test_routes_gifts_and_levies_become_transfers(tmp_path: Path) -> None:
    """A route keeps an id that a gift has, too, as orders that do it went by the route; steps that named both name both."""
    files = {
        "ruleset.yaml": ("id: two\ntitle: Two\nformat: 1\n", ""),
        "tables/pay.yaml": (OLD_TRANSFERS, NEW_TRANSFERS),
        "tests/pay.yaml": (
            "cases:\n  - id: a\n    given:\n      rules: {gifts: [{id: coin, arrives: 1}], levies: [{id: due, remove: true}]}\n"
            "      state: {agreements: {t: {levy: due, from: ash, to: {birch: 1}}}}\n"
            "    dice: {routes/coin: [3]}\n    then: {journal: [{rule: gifts/coin}, {rule: levies/due}, {rule: gifts/due}]}\n",
            "cases:\n  - id: a\n    given:\n      rules: {transfers: [{id: coin-gift, arrives: 1}, {id: due-levy, remove: true}]}\n"
            "      state: {agreements: {t: {levy: due-levy, from: ash, to: {birch: 1}}}}\n"
            "    dice: {transfers/coin: [3]}\n"
            "    then: {journal: [{rule: transfers/coin-gift}, {rule: transfers/due-levy}, {rule: transfers/due}]}\n",
        ),
        "over/ruleset.yaml": ("id: over\ntitle: Over\nformat: 1\nextends: ..\n", ""),
        "over/tables/more.yaml": (
            "levies: [{id: due, turns: 3}, {id: coin, what: gold, of: '1', share: 1}]\n",
            "transfers: [{id: due-levy, turns: 3}, {id: coin-levy, kind: levy, what: gold, of: '1', share: 1}]\n",
        ),
    }
    moves(tmp_path, files)


def test_no_schema_and_no_function_has_an_earlier_name() -> None:
    assert not {*TOOL.TABLES, *TOOL.PLAYERS} & set(forms().names)
    assert not set(TOOL.FUNCTIONS) & set(FUNCTIONS)
    for table, keys in TOOL.KEYS.items():
        name = TOOL.TABLES.get(table, {"test": "rule-test"}.get(table, table))
        if not forms().has_file(name):
            continue
        top = forms().schema(name).get("properties", {})
        if table in TOOL.UNIONS:  # keys of other kinds may be called so
            top = {
                k: raw
                for k, raw in top.items()
                if TOOL.UNIONS[table] in raw.get("x-with", {}).get("kind", ())
            }
        assert not {old for old in keys if "." not in old and old in top and keys[old] in top}


def test_no_yaml_file_has_an_earlier_table_or_function() -> None:
    tables = [*TOOL.TABLES, *TOOL.PLAYERS, "link_lists", "rulings"]
    table = re.compile(r"^(?:" + "|".join(tables) + r"):(?=\s|$)", re.MULTILINE)
    call = re.compile(r"(?<![\w.])(?:" + "|".join(set(TOOL.FUNCTIONS) - {"both", "either"}) + r")\(")
    left = []
    for folder in ("ruleset", "scenarios", "templates", "docs/cookbook", "docs/examples"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            text = "\n".join(
                line.partition(" #")[0] for line in path.read_text(encoding="utf-8").splitlines()
            )
            left += [
                f"{path.relative_to(ROOT)}: {m[0]}"
                for pattern in (table, call)
                for m in pattern.finditer(text)
            ]
    assert left == []


def test_no_python_asks_for_an_earlier_table() -> None:
    words = {
        old
        for old in TOOL.TABLES
        if old
        not in (
            "control",
            "terms",
            "rooms",
            "stores",
            "contacts",
            "frame",
            "shows",
            "acts",
            "limits",
            "except",
        )
        and old not in TOOL.UNIONS  # words of their own: the `ends` of a war, the function `objectives`
    }
    left = []
    for folder in ("engine", "web", "lab", "editor", "importers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words:
                    left.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}")
    assert left == []


def test_no_python_asks_for_a_table_that_has_become_a_kind_of_rows() -> None:
    asks = re.compile(
        r"(?:\.(?:rows|row|row_or_empty|has|nodes|of_kind|entry)\(\s*f?|rule\.startswith\()[\"'](?:"
        + "|".join(TOOL.UNIONS)
        + r")[/\"']"
    )
    left = [
        f"{path.relative_to(ROOT)}: {m[0]}"
        for folder in ("engine", "web", "lab", "editor")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for m in asks.finditer(path.read_text(encoding="utf-8"))
    ]
    assert left == []


def test_no_page_of_the_documentation_shows_an_earlier_table() -> None:
    table = re.compile(r"^ *(?:" + "|".join(TOOL.TABLES) + r"):(?=\s*$)", re.MULTILINE)
    left = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if "_build" not in path.parts:
            left += [
                f"{path.relative_to(ROOT)}: {m[0]}" for m in table.finditer(path.read_text(encoding="utf-8"))
            ]
    assert left == []


def test_every_earlier_word_has_a_word_of_today() -> None:
    known = json.dumps([forms().schema(name) for name in forms().names])
    for table in {*TOOL.TABLES.values()} - {"sequence_changes"}:  # which goes on into `sequence`
        assert f'"{table}"' in known or table in forms().names


EARLIER_WORDS = {
    r"`(?:aims|criteria|ends)`|\btable-(?:aims|criteria|ends|objectives)\b": "rows of the table `victory`",
    r"`(?:gifts|levies)`|\btable-(?:gifts|levies|routes)\b": "rows of the table `transfers`",
    r"`(?:acts|adjusts|bills|catalogue|contacts|gates|modes|quantities|rooms|shows|stores|terms|yields)`": "the table's name of today",
    r"\b(?:the|a) frame\b(?! a page)": "sequence of play",
    r"\bnodes? of (?:the|a) (?:frame|sequence)\b": "step of the sequence of play",
    r"\b(?:an act|the act|acts of|of acts)\b": "action",
    r"\b(?:adjusts|an adjust|adjust rows?)\b": "modifier",
    r"(?<![/`])\bquantit(?:y|ies)\b": "stat",
    r"\b[Aa] term (?:is|never|of)\b|\b(?:terms|a term) and|(?:and|or|a) terms?,": "definition",
    r"(?<![/`])\bpurses?\b(?!\.py)": "treasury",
    r"\b(?:the|of|in) catalogue\b": "production",
    r"\b(?:[Aa]nother|the|a|named?) gates?\b": "passage",
    r"\b(?:[Tt]he|[Aa]) facts? (?:is|that|it waits|to wait|`)": "trigger",
    r"\b(?:rows?|keys?|pages?) of (?:the|a|every|each) forms?\b|\bthe form `": "table",
    r"\b[Oo]rder forms?\b": "order sheet",
    r"\b(?:the|a|by|each|no) modes? (?:of|that|by|says|whose)\b": "way of moving",
    r"\b(?:hand(?:s|ed)? in|hand-in)\b": "submit",
    r"\bread-back|\bread(?:s|ing)? back\b": "preview, confirm",
    r"\bhangs? on\b": "depends on",
    r"\bset-up\b": "setup",
    r"\bby (?:built-in )?policies\b|\bbuilt-in polic": "bots",
    r"\bneighbour": "neighbor",
    r"\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b": "they, you, or the role",
}
"""What texts that people read said earlier, as a pattern, and what they say now."""


def _descriptions(schema: Any) -> list[str]:
    """Every description of a schema, however deep."""
    if isinstance(schema, list):
        return [text for item in schema for text in _descriptions(item)]
    if not isinstance(schema, dict):
        return []
    found = []
    for key, value in schema.items():
        if key == "description" and isinstance(value, str):
            found.append(value)
        else:
            found += _descriptions(value)
    return found


def _prose(text: str) -> list[str]:
    """The lines of a page that are no example."""
    return re.sub(
        r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL
    ).splitlines()


def _earlier(name: str, lines: list[str]) -> list[str]:
    return [
        f"{name}:{number}: {m[0]!r} is {today}"
        for number, line in enumerate(lines, 1)
        for pattern, today in EARLIER_WORDS.items()
        for m in re.finditer(pattern, line)
    ]


PAGES = sorted(
    p
    for pattern in (
        "*.md",
        "docs/*.md",
        "docs/*/*.md",
        "engine/*.md",
        "ruleset/tests/*.md",
        "tools/*.md",
        "templates/*/*.md",
    )
    for p in ROOT.glob(pattern)
    if p.name != "CHANGELOG.md" and not {"_build", "made"} & set(p.parts)
)


PERSONS = re.compile(r"(?<![\w\]-])(?:he|his|him|himself)(?![\w-])", re.IGNORECASE)
"""A person whose name is not told goes by "they", "you" or what they are in the game."""
TYPED = {"engine/orders/parse.py": 1, "engine/rulebook/passages.py": 1}
"""Lists of words that players type: the lines that hold such a word."""


@pytest.mark.parametrize(
    "folder", ["engine", "web", "lab", "editor", "importers", "ruleset", "scenarios", "templates"]
)
def test_nobody_is_he_in_messages_clauses_and_remarks(folder: str) -> None:
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix not in (".py", ".yaml", ".j2", ".js", ".md") or file.name.endswith(".min.js"):
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        found = [f"{n}: {line.strip()}" for n, line in enumerate(lines, 1) if PERSONS.search(line)]
        name = file.relative_to(ROOT).as_posix()
        assert len(found) == TYPED.get(name, 0), (name, found)


def test_who_is_he_is_noticed() -> None:
    assert [bool(PERSONS.search(text)) for text in ("He is told", "if he may", "of his", "to him.")] == [
        True
    ] * 4
    assert [bool(PERSONS.search(text)) for text in ("the", "[Tt]he", "in-his-turn", "this", "hear")] == [
        False
    ] * 5


@pytest.mark.parametrize("name", forms().names)
def test_no_description_of_a_schema_has_an_earlier_word(name: str) -> None:
    assert _earlier(name, _descriptions(forms().schema(name))) == []


FILES = sorted(
    {p.name.removesuffix(".schema.json") for p in (ROOT / "schemas").glob("*.schema.json")}
    - set(forms().names)
)


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("overlay-file", "table-file")])
def test_no_description_of_a_file_has_an_earlier_word(name: str) -> None:
    schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    assert _earlier(name, _descriptions(schema)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_page_has_an_earlier_word(page: Path) -> None:
    assert _earlier(page.name, _prose(page.read_text(encoding="utf-8"))) == []


def test_an_earlier_word_in_a_text_is_noticed() -> None:
    page = "# Prices\n\nThe step of the frame.\n\n```yaml\nquantity: purse\n```\n\nAn adjust of a quantity.\n"
    assert _earlier("page", _prose(page)) == [
        "page:3: 'the frame' is sequence of play",
        "page:9: 'quantity' is stat",
    ]
    assert _earlier(
        "x", _descriptions({"properties": {"a": {"oneOf": [{"description": "Only with an adjust."}]}}})
    ) == ["x:1: 'an adjust' is modifier"]


LISTS = """\
# What the lists of the map say.
link_lists:
  - {id: ash, links: {birch: west, cedar: east}, silence: {W508: "counts both ways", W509: "as printed"}, source: [a.lists]}
  # of the other page
  - id: birch
    links: {ash: null}
    source: [a.lists, b.lists]
"""
LINKED = """\
places: [{id: ash, kind: land, section: east}, {id: birch, kind: land, section: east}, {id: cedar, kind: land, section: east}]
links:
  - {between: [birch, ash], kind: land, source: [b.map]}   # a comment
  - between: [ash, cedar]
    kind: land
"""


def _lists(folder: Path, lists: str, links: str) -> tuple[int, Path]:
    (folder / "tables").mkdir()
    (folder / "ruleset.yaml").write_text("id: game\ntitle: A game\n")
    (folder / "tables" / "lists.yaml").write_text(lists)
    (folder / "tables" / "links.yaml").write_text(links)
    return TOOL.main([str(folder)]), folder / "tables"


def test_what_lists_say_of_links_goes_into_the_links(tmp_path: Path) -> None:
    code, tables = _lists(tmp_path, LISTS, LINKED)
    assert code == 0 and not (tables / "lists.yaml").exists()
    text = (tables / "links.yaml").read_text()
    assert text.splitlines()[2:] == [
        '  - {between: [birch, ash], kind: land, listed: {birch: west, ash: null}, silence: {W509: "as printed"}, '
        "source: [b.map, a.lists, b.lists]}   # a comment",
        "  - between: [ash, cedar]",
        "    kind: land",
        "    listed: {cedar: east}",
        '    silence: {W508: "counts both ways"}',
        "    source: [a.lists]",
    ]
    assert [
        d.code for d in load_ruleset(tmp_path, cache=False)[1] if d.code in ("W508", "W509", "W701")
    ] == []
    assert TOOL.main([str(tmp_path)]) == 0 and (tables / "links.yaml").read_text() == text


def test_a_list_of_links_of_another_ruleset_is_told_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, tables = _lists(tmp_path, LISTS, LINKED.replace("[ash, cedar]", "[birch, cedar]"))
    told = capsys.readouterr().out.splitlines()
    assert code == 1 and (tables / "lists.yaml").read_text() == LISTS  # and nothing half done
    assert "listed" not in (tables / "links.yaml").read_text()
    assert told[0] == (
        f"{tables / 'lists.yaml'}:3:36: the list of 'ash' names 'cedar', and no link of this ruleset joins them: "
        "give that link `listed: {cedar: east}`"
    )


MARKED = """\
events:
  # A slap is felt.
  # equivalent (2 → 3): whoever is gone for two turns
  # is gone for three: nobody asks
  # equivalent (9 -> *; when): no game is so long
  - id: slap
    on: {joined: {by: red}}
    when: >-
      turn > 2
    effects:  # equivalent (by): once is enough
      - shift:
          who: gray
          by: 7   # equivalent (7 -> 8): seven is all
    source: [x.slap]
links: [{between: [b, a]}]  # equivalent (kind): several rows begin here
tables:
  # equivalent: without its change
  - {id: t, rows: {1: 2}}
"""


def test_comments_on_changes_that_make_no_difference_go_beside_the_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "ruleset.yaml").write_text("id: game\ntitle: A game\n")
    table, marks = tmp_path / "tables" / "t.yaml", tmp_path / "tests" / "equivalent.yaml"
    table.write_text(MARKED)
    assert TOOL.main([str(tmp_path)]) == 1
    assert [
        line.removeprefix(f"{table}:") for line in capsys.readouterr().out.splitlines() if ":17:" in line
    ] == ["17: write in tests/equivalent.yaml which row this is about:   # equivalent: without its change"]
    assert (
        table.read_text()
        == """\
events:
  # A slap is felt.
  - id: slap
    on: {joined: {by: red}}
    when: >-
      turn > 2
    effects:
      - shift:
          who: gray
          by: 7
    source: [x.slap]
links: [{between: [b, a]}]
tables:
  # equivalent: without its change
  - {id: t, rows: {1: 2}}
"""
    )
    found, faults = read_marks(tmp_path)
    assert not faults and [(m.row, m.at, m.changes, m.reason) for m in found] == [
        ("events/slap", "", ("2 -> 3",), "whoever is gone for two turns is gone for three: nobody asks"),
        ("events/slap", "", ("9 -> *", "when"), "no game is so long"),
        ("events/slap", "effects", ("by",), "once is enough"),
        ("events/slap", "effects[1].shift.by", ("7 -> 8",), "seven is all"),
        ("links/a--b", "", ("kind",), "several rows begin here"),
    ]
    before = marks.read_text()
    assert TOOL.main([str(tmp_path)]) == 1 and marks.read_text() == before


GATE = """\
sequence:
  - {id: early, input: early, from: everyone, requirements: [paid]}   # at once
  - id: orders
    input: orders
    requirements: [placed, paid]
    from: everyone

# Before the turn.
requirements:
  # Nobody is left out.
  - id: placed
    name: placing
    when: turn == 1
    at: moves
    test: >-
      not any(units(owner=self,
      at=place('box')))
    message: "left: {units(owner=self, at=place('box'))}"
    source: [a.placed]
  - {id: paid, name: Paid, when: "turn > 1 and season == 'winter'", test: "a if b else c", note: As printed., message: "pay!"}

groups: [{id: g, members: []}]
"""
GATED = """\
sequence:
  # As printed.
  - {id: early, input: early, from: everyone, requires: [{id: paid, test: "not (turn > 1 and season == 'winter') or (a if b else c)", message: "pay!"}]}   # at once
  - id: orders
    input: orders
    requires:
      # Before the turn.
      # Nobody is left out.
      - id: placed
        at: moves
        test: "turn != 1 or not any(units(owner=self, at=place('box')))"
        message: "left: {units(owner=self, at=place('box'))}"
        source: [a.placed]
      # As printed.
      - {id: paid, test: "not (turn > 1 and season == 'winter') or (a if b else c)", message: "pay!"}
    from: everyone

groups: [{id: g, members: []}]
"""


def _one_table(folder: Path, text: str, head: str = "") -> Path:
    """A ruleset with one file of tables."""
    (folder / "tables").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(f"id: {folder.name}\ntitle: A game\n{head}")
    (folder / "tables" / "t.yaml").write_text(text)
    return folder / "tables" / "t.yaml"


def test_requirements_go_into_the_inputs_that_ask_for_them(tmp_path: Path) -> None:
    table = _one_table(tmp_path / "game", GATE)
    assert TOOL.main([str(tmp_path)]) == 0
    assert table.read_text() == GATED
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == GATED


def test_a_requirement_of_another_ruleset_is_told_and_nothing_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layer = """\
sequence: [{id: orders, requirements: [paid, fed]}]
requirements:
  - {id: fed, test: turn, message: feed}
  - {id: paid, append: {source: [b.c]}}
  - {id: lost, test: turn, message: feed}
"""
    table = _one_table(tmp_path / "layer", layer)
    assert TOOL.main([str(tmp_path)]) == 1 and table.read_text() == layer
    assert [line.removeprefix(f"{table}:") for line in capsys.readouterr().out.splitlines()] == [
        "4:5: say append of 'paid' in `requires` of its input",
        "5:5: no input here names 'lost': write it in `requires` of one",
    ]


VERDICTS = """\
verdicts:
  # who goes
  - id: goes
    name: a move that goes
    of: "mover:place"
    # of moves alone
    over: "places(order='move')"   # all of them
    yes: "power(mover) > 1"
    left: [{is: true}]
    why:
      - {is: true, says: "{mover} goes."}
    source: [a.b]
  - {id: held, of: place, over: places(), yes: "not goes(place)", audience: nobody, text: held}
sequence: [{step: judge, do: settle, verdicts: [goes, held]}]
visibility: [{id: v, what: verdicts, to: everyone}]

definitions:
  - {id: power, of: [place], is: place.power}   # see verdicts/goes
"""
SETTLED = """\
definitions:
  # who goes
  - id: goes
    text: a move that goes
    of: ["mover:place"]
    is: "power(mover) > 1"
    fixpoint:
      # of moves alone
      over: "places(order='move')"   # all of them
      left: [{is: true}]
      why:
        - {is: true, says: "{mover} goes."}
    source: [a.b]
  - {id: held, of: [place], is: "not goes(place)", fixpoint: {over: places(), audience: nobody}, text: held}
  - {id: power, of: [place], is: place.power}   # see definitions/goes
sequence: [{step: judge, do: settle, definitions: [goes, held]}]
visibility: [{id: v, what: verdicts, to: everyone}]
"""


def test_verdicts_are_definitions_with_a_fixpoint(tmp_path: Path) -> None:
    table = _one_table(tmp_path / "game", VERDICTS)
    tests = tmp_path / "game" / "tests"
    tests.mkdir()
    case = "cases: [{id: c, given: {state: {verdicts: {place:a: {goes: true}}}}, then: {journal: [{rule: VERDICT}]}}]\n"
    (tests / "c.yaml").write_text(case.replace("VERDICT", "verdicts/goes"))
    (tests / "equivalent.yaml").write_text(
        "equivalent: [{row: verdicts/goes, at: 'left[0].is', reason: x}, {row: verdicts/goes, at: yes, reason: x}]\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0
    assert table.read_text() == SETTLED
    assert (tests / "c.yaml").read_text() == case.replace("VERDICT", "definitions/goes")
    assert (tests / "equivalent.yaml").read_text() == (
        "equivalent: [{row: definitions/goes, at: 'fixpoint.left[0].is', reason: x}, "
        "{row: definitions/goes, at: is, reason: x}]\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == SETTLED


def test_what_a_layer_says_of_parts_of_a_verdict_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = _one_table(
        tmp_path / "layer",
        "verdicts:\n- {id: goes, yes: 'True'}\n- {id: held, left: []}\n- {id: given, append: {why: [{says: x}]}}\n"
        "- {id: gone, remove: true}\n",
    )
    assert TOOL.main([str(tmp_path)]) == 1
    assert table.read_text() == (
        "definitions:\n- {id: goes, is: 'True'}\n- {id: held, left: []}\n- {id: given, append: {why: [{says: x}]}}\n"
        "- {id: gone, remove: true}\n"
    )
    assert [line.removeprefix(f"{table}:") for line in capsys.readouterr().out.splitlines()[:2]] == [
        "3:3: say in `fixpoint` all that this verdict says of how it is settled",
        "4:23: the keys of a verdict stand in `fixpoint` of its definition now, `yes` is `is`",
    ]


CALENDAR = """\
# yaml-language-server: $schema=../table-file.schema.json
# The dates.
calendar:
  # from the rules
  - id: calendar
    start: 1914-07   # July
    names: [Wet, Dry]
"""


@pytest.mark.parametrize(
    ("head", "table", "settings"),
    [
        (
            "settings:\n  money: gold\n  # who plays\n  players: {turn_days: {days: 3}}\n",
            CALENDAR,
            "settings:\n  money: gold\n  # The dates.\n  # from the rules\n  calendar:\n    start: 1914-07   # July\n"
            "    names: [Wet, Dry]\n  # who plays\n  players: {turn_days: {days: 3}}\n",
        ),
        (
            "settings: {money: gold}   # coins\n",
            "calendar: [{id: c, turns: 3}]\n",
            "settings: {money: gold, calendar: {turns: 3}}   # coins\n",
        ),
        ("", "calendar:\n- {turns: 3, id: c}\n", "settings:\n  calendar: {turns: 3}\n"),
    ],
)
def test_the_calendar_goes_into_the_settings(tmp_path: Path, head: str, table: str, settings: str) -> None:
    path = _one_table(tmp_path / "game", table, head)
    manifest = tmp_path / "game" / "ruleset.yaml"
    assert TOOL.main([str(tmp_path)]) == 0
    assert not path.exists()
    assert manifest.read_text() == "id: game\ntitle: A game\n" + settings
    assert TOOL.main([str(tmp_path)]) == 0


def test_the_calendar_of_a_scenario_and_of_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = "id: s\ntitle: S\nruleset: game\nrules:\n  calendar:\n    - id: c\n      turns: 3   # short\n  groups: []\n"
    case = "cases: [{id: c, given: {rules: {calendar: [{id: c, turns: 3}]}}}, {id: d, given: {rules: {calendar: [{id: c, remove: [turns]}]}}}]\n"
    (tmp_path / "s.yaml").write_text(scenario)
    (tmp_path / "c.yaml").write_text(case)
    assert TOOL.main([str(tmp_path)]) == 1
    assert (tmp_path / "s.yaml").read_text() == (
        "id: s\ntitle: S\nruleset: game\nrules:\n  settings:\n    calendar:\n      turns: 3   # short\n  groups: []\n"
    )
    assert (tmp_path / "c.yaml").read_text() == case.replace(
        "calendar: [{id: c, turns: 3}]", "settings: {calendar: {turns: 3}}"
    )
    assert "say in `settings: {calendar: ...}` of the rules what the calendar is" in capsys.readouterr().out


@pytest.mark.parametrize("change", ["append: {names: [Hot]}", "remove: [turns]", "silence: {W604: no}"])
def test_a_change_of_a_calendar_that_no_setting_can_say_is_told(tmp_path: Path, change: str) -> None:
    text = f"calendar: [{{id: c, {change}}}]\n"
    path = _one_table(tmp_path / "game", text)
    assert TOOL.main([str(tmp_path)]) == 1 and path.read_text() == text


STEPS = """\
sequence:
  - {id: orders, input: orders, from: everyone, source: [a.b]}
  - phase: talk
    steps: [{step: gifts}, {step: joining, do: act, actions: [join], name: Join}, {step: pause}]
  - {step: war}
  - {step: harvest}
"""
CHANGES = """\
sequence_changes:
  # ---- the first
  - {id: own, step: orders, set: {from: nation}, source: [c.d]}   # theirs
  - {id: no-gifts, step: gifts, drop: true, source: [c.d]}

  - id: two
    step: talk
    after:
      - step: dance   # of two
        when: >-
          turn > 1
      - {step: sing, source: [c.e]}
    note: After that.
    source: [c.d]
  - {id: late, step: joining, drop: true}
  - {id: later, step: war, before: [{step: joining, do: act, actions: [join]}]}
  - {id: wrapped, step: war, through: harvest, wrap: {id: turns, each: nation}}
  - {id: flat, step: talk, unwrap: true}
  - {id: first, step: pause, move: {before: orders}}
"""
ROWS_OF_STEPS = """\
sequence:
  # ---- the first
  - {id: orders, from: nation, append: {source: [c.d]}}   # theirs
  - {id: gifts, remove: true, source: [c.d]}

  - step: dance   # of two
    after: talk
    when: >-
      turn > 1
    source: [c.d]
    note: "After that."
  - {step: sing, after: dance, source: [c.e, c.d]}
  - {step: joining, before: war, do: act, actions: [join], remove: [name]}
  - {id: turns, wrap: [war, harvest], each: nation}
  - {id: talk, unwrap: true}
  - {id: pause, before: orders}
"""


def test_changes_of_steps_are_rows_of_the_sequence(tmp_path: Path) -> None:
    _one_table(tmp_path / "base", STEPS)
    table = _one_table(tmp_path / "layer", CHANGES, "extends: ../base\n")
    assert TOOL.main([str(tmp_path)]) == 0
    assert table.read_text() == ROWS_OF_STEPS
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == ROWS_OF_STEPS
    assert "replaces" not in (tmp_path / "layer" / "ruleset.yaml").read_text()


def test_a_layer_with_a_sequence_of_its_own_says_so(tmp_path: Path) -> None:
    _one_table(tmp_path / "base", STEPS)
    table = _one_table(tmp_path / "layer", "sequence: [{input: orders}]\n", "extends: ../base   # below\n")
    for _ in range(2):
        assert TOOL.main([str(tmp_path)]) == 0
        assert table.read_text() == "sequence: [{input: orders}]\n"
        manifest = (tmp_path / "layer" / "ruleset.yaml").read_text()
        assert manifest.endswith("extends: ../base   # below\nreplaces: [sequence]\n")


def test_further_steps_of_a_ruleset_stand_beside_its_own(tmp_path: Path) -> None:
    added = "sequence_changes: [{id: x, step: war, before: [{step: truce}]}]\n"
    table = _one_table(tmp_path / "base", added + STEPS)
    assert TOOL.main([str(tmp_path)]) == 0
    rows = STEPS.removeprefix("sequence:\n")
    assert table.read_text() == f"sequence: \n  - {{step: truce, before: war}}\n{rows}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("{id: c, step: all, before: [{step: x}]}", "name the first and the last step where `all` stands"),
        ("{id: c, step: war, set: {id: peace}}", "a step keeps its name: take it out and put a new one in"),
        ("{id: c, step: war, replace: [{step: war}]}", "say as a row of `sequence` what the step is now"),
        ("{id: c, step: war, drop: true}, {id: d, step: war, set: {when: x}}", "all that becomes of 'war'"),
        ("{id: c, remove: true, step: war}", "say as a row of `sequence` what this changes"),
    ],
)
def test_a_change_of_a_step_that_no_row_can_say_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, told: str
) -> None:
    _one_table(tmp_path / "base", STEPS)
    text = f"sequence_changes: [{change}]\n"
    table = _one_table(tmp_path / "layer", text, "extends: ../base\n")
    assert TOOL.main([str(tmp_path)]) == 1 and table.read_text() == text
    assert f"{table}:1:" in (said := capsys.readouterr().out) and told in said


TRACED = """\
fields: [{id: hunger, of: [unit], type: number, default: 0}]
sequence:
  - {step: a-look, do: supply, rows: [fed]}   # before the rest
  - step: lines
    do: supply
traces:
  # Who starves.
  - id: fed
    over: "units(tag='land')"
    ok: >-
      supplied(place,
      self) or turn < 3
    counter: hunger   # kept by the unit
    says: "{unit.kind}, hungry"
    at:
      4:
        - remove: {units: =unit}   # each
      5: [{say: gone}]
    clear: "supplied(place, self)"
  - {id: cut, over: places(), ok: 'False', counter: cut, at: {1: [{flag: {who: =place, as: cut}}]}}
"""
COUNTED = """\
fields: [{id: hunger, of: [unit], type: number, default: 0}]
sequence:
  - {step: a-look}   # before the rest
  - step: lines
counters:
  # Who starves.
  - id: fed
    on: {step: [a-look, lines]}
    of: "units(tag='land')"
    while: "not (supplied(place, self) or turn < 3)"
    field: hunger   # kept by the unit
    effects:
      - say: "{unit.kind}, hungry"
      - for: unit
        when: "unit.hunger == 4"
        effects:
          - remove: {units: =unit}   # each
      - for: unit
        when: "unit.hunger == 5"
        effects: [{say: gone}]
    audience: =self
    clear: "supplied(place, self)"
  - {id: cut, on: {step: lines}, of: places(), effects: [{when: "counter(place, 'cut') == 1", effects: [{flag: {who: =place, as: cut}}]}], audience: =self}
"""


def test_what_is_counted_while_something_fails_is_a_counter(tmp_path: Path) -> None:
    table = _one_table(tmp_path / "game", TRACED)
    (tmp_path / "game" / "tests").mkdir()
    case = tmp_path / "game" / "tests" / "c.yaml"
    case.write_text(
        "cases: [{id: c, given: {rules: {traces: [{id: out, over: nations(), ok: turn > 1, says: no}]}}, "
        "then: {journal: [{rule: traces/fed}]}}]\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0
    assert table.read_text() == COUNTED
    assert case.read_text() == (
        "cases: [{id: c, given: {rules: {counters: [{id: out, on: {step: lines}, of: nations(), "
        'while: "not (turn > 1)", effects: [{say: no}], audience: =self}]}}, '
        "then: {journal: [{rule: counters/fed}]}}]\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == COUNTED


def test_a_trace_that_no_counter_can_say_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = _one_table(
        tmp_path / "layer",
        "traces:\n- {id: fed, clear: turn, says: x}\n- {id: cut, over: places(), ok: turn}\n- {id: gone, remove: true}\n",
    )
    assert TOOL.main([str(tmp_path)]) == 1
    assert [line.removeprefix(f"{table}:") for line in capsys.readouterr().out.splitlines()[:2]] == [
        "2:3: say as a row of `counters` what this changes of 'fed'",
        "3:3: no step counts 'cut': say `on` which trigger it is counted",
    ]


def test_a_step_that_is_paid_whole_stands_in_a_block(tmp_path: Path) -> None:
    table = _one_table(
        tmp_path / "game",
        "frame:\n- {id: orders, input: orders}\n- {step: buy, do: purchase, all_or_none: true, orders: [o]}   # whole\n"
        "- id: more\n  after: buy   # later\n  do: purchase\n  all_or_none: true\n  orders: [p]\n"
        "upkeep: [{id: u, all_or_none: true}]\n",
    )
    moved = (
        "sequence:\n- {id: orders, input: orders}\n- {all_or_none: true, steps: [{step: buy, do: purchase, orders: [o]}]}   # whole\n"
        "- after: buy\n  all_or_none: true\n  steps:\n    - id: more\n      do: purchase\n      orders: [p]\n"
        "upkeep: [{id: u, all_or_none: true}]\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == moved
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == moved


def test_changes_of_steps_and_requirements_in_rules_of_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _one_table(tmp_path / "game", "sequence:\n- {id: orders, input: orders}\n- {step: buy, do: purchase}\n")
    (tmp_path / "game" / "tests").mkdir()
    cases = tmp_path / "game" / "tests" / "c.yaml"
    cases.write_text(
        "cases:\n"
        "- {id: a, given: {rules: {frame_changes: [{node: buy, after: [{step: told}]}, {node: buy, drop: true}]}}}\n"
        "- id: b\n  given:\n    rules:\n"
        "      requirements: [{id: paid, test: turn > 1, else: pay}]\n"
        "      sequence: [{id: orders, requirements: [paid]}]\n"
        "- {id: c, given: {rules: {requirements: [{id: lost, test: turn, else: x}]}}}\n"
    )
    assert TOOL.main([str(tmp_path)]) == 1
    assert cases.read_text() == (
        "cases:\n"
        "- {id: a, given: {rules: {sequence: [{step: told, after: buy}, {id: buy, remove: true}]}}}\n"
        "- id: b\n  given:\n    rules:\n"
        "      sequence: [{id: orders, requires: [{id: paid, test: turn > 1, message: pay}]}]\n"
        "- {id: c, given: {rules: {requirements: [{id: lost, test: turn, message: x}]}}}\n"
    )
    assert (
        capsys.readouterr()
        .out.splitlines()[0]
        .endswith(":8:27: say in `requires` of an input what its orders must fulfill")
    )


def test_a_passage_closes_the_link_between_its_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = _one_table(
        tmp_path / "game",
        "links:\n- {between: [a, b], kind: sea, guards: g}   # narrow\n- between: [b, c]\n  guards: h\n  kind: sea\n"
        "gates:\n- {id: g, between: [a, b], alternative: k}\n- {id: k, between: [a, b]}\n- {id: h, between: [b, c]}\n",
    )
    moved = (
        "links:\n- {between: [a, b], kind: sea}   # narrow\n- between: [b, c]\n  kind: sea\n"
        "passages:\n- {id: g, between: [a, b]}\n- {id: k, between: [a, b]}\n- {id: h, between: [b, c]}\n"
    )
    assert TOOL.main([str(tmp_path)]) == 0 and table.read_text() == moved
    table.write_text("links:\n- {between: [a, b], remove: [guards]}\n")
    assert TOOL.main([str(tmp_path)]) == 1
    assert ":2:30: take the passage itself out" in capsys.readouterr().out
