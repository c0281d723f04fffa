"""Rulesets over rulesets: rows merge by id, values keep the place they were written at, the base is never altered."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from wteaw.play.scenario_files import load_scenario

from .folders import found, loaded, own_cache, places, write  # noqa: F401

BASE = {
    "tables/t.yaml": """\
fields:
- {id: price, of: [unit], type: number}
units:
- {id: foot, name: Foot, tags: [land], price: 3, hits: 1}
- {id: horse, name: Horse, tags: [land, fast], price: 5}
tables:
- id: income
  rows: {a: {x: 1}, b: {x: 2}}
  silence: {W604: read by a mechanic}
""",
}
OVER = "id: over\ntitle: Over\nextends: ../base\n"


def over(tmp_path: Path, text: str, base: dict[str, str | bytes] | None = None) -> Path:
    write(tmp_path / "base", {**BASE, **(base or {})})
    return write(tmp_path / "over", {"ruleset.yaml": OVER, "tables/o.yaml": text})


def test_a_row_given_again_replaces_the_keys_it_names(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "units:\n- {id: foot, price: 4, tags: [sea]}\n"))
    assert rules.row("units", "foot") == {
        "id": "foot",
        "name": "Foot",
        "tags": ["sea"],
        "price": 4,
        "hits": 1,
    }
    assert rules.row("units", "horse")["price"] == 5
    assert list(rules.rows("units")) == ["foot", "horse"]


def test_every_key_keeps_its_origin(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "units:\n- {id: foot, price: 4}\n"))
    assert rules.origin("units", "foot", "price") == "tables/o.yaml:2"
    assert rules.origin("units", "foot", "name") == "../base/tables/t.yaml:4"
    assert rules.origins["units/foot.name"] == "../base/tables/t.yaml:4:14"
    assert rules.origin("units", "foot") == "tables/o.yaml:2"


def test_a_new_row_comes_after_those_below(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "units:\n- {id: boat, name: Boat}\n"))
    assert list(rules.rows("units")) == ["foot", "horse", "boat"]


def test_remove_deletes_a_row(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "units:\n- {id: horse, remove: true}\n"))
    assert list(rules.rows("units")) == ["foot"]


def test_remove_takes_single_keys_off_a_row(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "units:\n- {id: foot, remove: [hits, tags], price: 4}\n"))
    assert rules.row("units", "foot") == {"id": "foot", "name": "Foot", "price": 4}
    assert loaded(tmp_path / "base").row("units", "foot")["hits"] == 1


def test_append_adds_to_lists_and_maps(tmp_path: Path) -> None:
    text = "units:\n- {id: foot, append: {tags: [slow]}}\ntables:\n- {id: income, append: {rows: {b: {y: 3}, c: {x: 9}}}}\n"
    rules = loaded(over(tmp_path, text))
    assert rules.row("units", "foot")["tags"] == ["land", "slow"]
    assert rules.row("tables", "income")["rows"] == {"a": {"x": 1}, "b": {"x": 2, "y": 3}, "c": {"x": 9}}
    assert "append" not in rules.row("units", "foot")


def test_a_map_given_again_is_replaced_whole(tmp_path: Path) -> None:
    rules = loaded(over(tmp_path, "tables:\n- {id: income, rows: {c: 9}}\n"))
    assert rules.row("tables", "income")["rows"] == {"c": 9}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("units:\n- {id: hose, remove: true}\n", ("E221", 2, 14)),
        ("units:\n- {id: foot, remove: true, price: 1}\n", ("E222", 2, 28)),
        ("units:\n- {id: foot, remove: false}\n", ("E222", 2, 22)),
        ("units:\n- {id: foot, remove: [hit]}\n", ("E221", 2, 23)),
        ("units:\n- {id: foot, remove: [id]}\n", ("E221", 2, 23)),
        ("units:\n- {id: foot, remove: [hits], hits: 2}\n", ("E223", 2, 23)),
        ("units:\n- {id: boat, name: B, remove: [hits]}\n", ("E221", 2, 23)),
        ("units:\n- {id: boat, name: B, append: {tags: [x]}}\n", ("E221", 2, 23)),
        ("units:\n- {id: foot, append: {tgas: [x]}}\n", ("E221", 2, 23)),
        ("units:\n- {id: foot, tags: [a], append: {tags: [x]}}\n", ("E223", 2, 34)),
        ("units:\n- {id: foot, append: {tags: {x: 1}}}\n", ("E224", 2, 29)),
        ("units:\n- {id: foot, append: {price: [1]}}\n", ("E224", 2, 30)),
        ("units:\n- {id: foot, price: 1}\n- {id: foot, price: 2}\n", ("E205", 3, 4)),
        ("units:\n- {id: foot, price: lots}\n", ("E403", 2, 21)),
    ],
)
def test_what_does_not_fit_together_is_told_at_its_place(
    tmp_path: Path, text: str, expected: tuple[str, int, int]
) -> None:
    findings = found(over(tmp_path, text))
    assert places(findings) == [expected]
    assert findings[0].file == "tables/o.yaml"


def test_nothing_to_remove_suggests_the_nearest(tmp_path: Path) -> None:
    assert found(over(tmp_path, "units:\n- {id: hose, remove: true}\n"))[0].hint == "did you mean 'horse'?"


def test_a_row_that_refers_to_a_removed_one_is_an_error_of_the_overlay(tmp_path: Path) -> None:
    groups = {
        "tables/g.yaml": "groups:\n- {id: all, of: units, members: [foot, horse], silence: {W604: for scenarios}}\n"
    }
    findings = found(over(tmp_path, "units:\n- {id: horse, remove: true}\n", groups))
    assert [(d.code, d.file, d.line) for d in findings] == [("E404", "../base/tables/g.yaml", 2)]
    assert found(tmp_path / "base") == []


def test_overlays_lie_on_overlays_and_settings_merge(tmp_path: Path) -> None:
    write(
        tmp_path / "base",
        {**BASE, "ruleset.yaml": "id: base\ntitle: Base\nsettings: {worth: '10', unit_worth: hits}\n"},
    )
    write(
        tmp_path / "over",
        {
            "ruleset.yaml": OVER + "settings: {unit_worth: price}\n",
            "tables/o.yaml": "units:\n- {id: foot, price: 4}\n",
        },
    )
    top = write(
        tmp_path / "top",
        {
            "ruleset.yaml": "id: top\ntitle: Top\nextends: ../over\n",
            "tables/o.yaml": "units:\n- {id: foot, hits: 2}\n",
        },
    )
    rules = loaded(top)
    assert rules.row("units", "foot") == {
        "id": "foot",
        "name": "Foot",
        "tags": ["land"],
        "price": 4,
        "hits": 2,
    }
    assert (rules.id, rules.setting("worth"), rules.setting("unit_worth")) == ("top", "10", "price")
    assert rules.origin("units", "foot", "price") == "../over/tables/o.yaml:2"


def test_the_base_is_not_altered(tmp_path: Path) -> None:
    folder = over(tmp_path, "units:\n- {id: foot, append: {tags: [slow]}}\n- {id: horse, remove: true}\n")
    before = loaded(tmp_path / "base")
    loaded(folder)
    after = loaded(tmp_path / "base")
    assert after.hash == before.hash
    assert after.row("units", "foot")["tags"] == ["land"]


def test_a_ring_of_rulesets_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a", {"ruleset.yaml": "id: a\ntitle: A\nextends: ../b\n"})
    write(tmp_path / "b", {"ruleset.yaml": "id: b\ntitle: B\nextends: ../a\n"})
    findings = found(tmp_path / "a")
    assert [(d.code, d.file, d.line, d.column) for d in findings] == [("E119", "../b/ruleset.yaml", 3, 10)]
    write(tmp_path / "c", {"ruleset.yaml": "id: c\ntitle: C\nextends: .\n"})
    assert [d.code for d in found(tmp_path / "c")] == ["E119"]


@pytest.mark.parametrize(
    ("extends", "code"),
    [
        ("/etc", "E118"),
        ("../nothing", "E118"),
        ("../../../../../../../../etc", "E117"),
        ("data:../..", "E117"),
        ("..\\\\base", "E118"),
    ],
)
def test_extends_stays_inside(tmp_path: Path, extends: str, code: str) -> None:
    folder = write(tmp_path / "a" / "b", {"ruleset.yaml": f"id: a\ntitle: A\nextends: {extends}\n"})
    assert places(found(folder)) == [(code, 3, 10)]


# --- the frame

FRAME = {
    "tables/f.yaml": """sequence:\n- {input: orders, from: everyone}\n- phase: talk\n  steps: [{step: one}, {step: two}]\n- {step: three}\n""",
}


def names(nodes: list[dict[str, object]] | tuple[dict[str, object], ...]) -> list[object]:
    """The frame as words: a node with others inside is a pair."""
    out: list[object] = []
    for node in nodes:
        name = node.get("id") or node.get("step") or node.get("phase") or node.get("input")
        inner = node.get("steps")
        out.append((name, names(inner)) if isinstance(inner, list) else name)
    return out


WHOLE = ["orders", ("talk", ["one", "two"]), "three"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("{id: two, remove: true}", ["orders", ("talk", ["one"]), "three"]),
        ("{step: x, do: act, before: three}", ["orders", ("talk", ["one", "two"]), "x", "three"]),
        ("{step: x, do: act, after: one}", ["orders", ("talk", ["one", "x", "two"]), "three"]),
        ("{step: x, do: act}", [*WHOLE, "x"]),
        ("{id: talk, append: {steps: [{step: x}]}}", ["orders", ("talk", ["one", "two", "x"]), "three"]),
        ("{id: turns, each: nation, wrap: talk}", ["orders", ("turns", [("talk", ["one", "two"])]), "three"]),
        (
            "{id: turns, each: nation, wrap: [orders, talk], steps: [{step: x, do: act}]}",
            [("turns", ["orders", ("talk", ["one", "two"]), "x"]), "three"],
        ),
        ("{id: in, wrap: [one, two]}", ["orders", ("talk", [("in", ["one", "two"])]), "three"]),
        ("{id: talk, unwrap: true}", ["orders", "one", "two", "three"]),
        ("{id: one, after: three}", ["orders", ("talk", ["two"]), "three", "one"]),
        ("{id: three, before: two}", ["orders", ("talk", ["one", "three", "two"])]),
        ("{id: talk, before: orders}", [("talk", ["one", "two"]), "orders", "three"]),
        ("{id: talk/two, remove: true}", ["orders", ("talk", ["one"]), "three"]),
        (
            "{step: x, do: act, after: three}\n- {step: y, do: act, before: x}",
            ["orders", ("talk", ["one", "two"]), "three", "y", "x"],
        ),
    ],
)
def test_steps_of_a_layer_are_rows_by_their_names(tmp_path: Path, rows: str, expected: list[object]) -> None:
    folder = over(tmp_path, f"sequence:\n- {rows}\n", dict(FRAME))
    assert names(loaded(folder).sequence) == expected
    assert names(loaded(tmp_path / "base").sequence) == WHOLE


def test_a_step_given_again_keeps_what_the_layer_does_not_say(tmp_path: Path) -> None:
    base = {
        "tables/f.yaml": "sequence:\n- {step: one, name: One, when: turn > 1, source: [r.own]}\n- {step: two}\n"
    }
    rows = "sequence:\n- {id: one, name: First, remove: [when], append: {source: [r.why]}, after: two}\n"
    two, one = loaded(over(tmp_path, rows, base)).sequence
    assert two == {"step": "two", "do": "moment"}
    assert one == {"step": "one", "do": "moment", "name": "First", "source": ["r.own", "r.why"]}


def test_of_two_nodes_of_one_name_the_outer_is_meant(tmp_path: Path) -> None:
    base = {"tables/f.yaml": "sequence:\n- phase: talk\n  steps: [{step: talk}, {step: two}]\n"}
    outer = loaded(over(tmp_path / "a", "sequence:\n- {id: talk, unwrap: true}\n", dict(base)))
    assert names(outer.sequence) == ["talk", "two"]
    inner = loaded(over(tmp_path / "b", "sequence:\n- {id: talk/talk, remove: true}\n", dict(base)))
    assert names(inner.sequence) == [("talk", ["two"])]


def test_a_layer_that_replaces_the_sequence_has_one_of_its_own(tmp_path: Path) -> None:
    folder = over(tmp_path, "sequence:\n- {step: only}\n", dict(FRAME))
    with (folder / "ruleset.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("replaces: [sequence]\n")
    assert names(loaded(folder).sequence) == ["only"]


@pytest.mark.parametrize(
    ("row", "code", "at"),
    [
        ("id: tow, remove: true", "E221", "remove"),
        ("id: tow, append: {steps: []}", "E221", "append"),
        ("id: tow, unwrap: true", "E221", "unwrap"),
        ("id: talk/three, name: x", "E226", "{id"),
        ("id: two, remove: true, name: x", "E222", "name"),
        ("id: two, remove: all", "E222", "remove"),
        ("id: talk, unwrap: false", "E222", "unwrap"),
        ("id: one, unwrap: true", "E226", "unwrap"),
        ("id: two, before: one, after: one", "E222", "after"),
        ("id: x, wrap: [one, three]", "E226", "wrap"),
        ("id: x, wrap: [two, one]", "E226", "wrap"),
        ("id: x, wrap: [one, tow]", "E226", "tow"),
        ("id: one, wrap: two", "E226", "wrap"),
        ("id: one, after: nothing", "E226", "nothing"),
        ("id: talk, after: one", "E226", "one"),
    ],
)
def test_a_row_that_cannot_be_laid_over_the_steps_is_told(
    tmp_path: Path, row: str, code: str, at: str
) -> None:
    line = f"- {{{row}}}"
    findings = found(over(tmp_path, f"sequence:\n{line}\n", dict(FRAME)))
    assert (code, 2, line.index(at) + 1) in places(findings)


def test_a_step_is_given_once_in_a_layer(tmp_path: Path) -> None:
    rows = "sequence:\n- {id: one, name: x}\n- {id: one, after: two}\n"
    assert ("E205", 3, 3) in places(found(over(tmp_path, rows, dict(FRAME))))


def test_a_second_frame_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path, {**FRAME, "tables/g.yaml": "sequence:\n- {step: x}\n"})
    assert [(d.code, d.file, d.line) for d in found(folder)] == [("E225", "tables/g.yaml", 1)]


def test_a_further_file_of_a_ruleset_puts_steps_where_they_go(tmp_path: Path) -> None:
    folder = write(tmp_path, {**FRAME, "tables/a.yaml": "sequence:\n- {step: x, after: one}\n"})
    assert names(loaded(folder).sequence) == ["orders", ("talk", ["one", "x", "two"]), "three"]


def test_wrapping_without_end_is_refused(tmp_path: Path) -> None:
    ids = ["three", *(f"n{n}" for n in range(300))]
    rows = "".join(f"- {{id: {new}, wrap: {old}}}\n" for old, new in pairwise(ids))
    findings = found(over(tmp_path, "sequence:\n" + rows, dict(FRAME)))
    assert {d.code for d in findings} == {"E226"}


# --- where rows go


ROWS = {"tables/r.yaml": "tables:\n" + "".join(f"- {{id: {one}, rows: {{x: 1}}}}\n" for one in "abc")}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("{id: x, rows: {x: 1}, before: b}", "a x b c"),
        (
            "{id: x, rows: {x: 1}, after: a}\n- {id: y, rows: {x: 1}, after: x}",
            "a x y b c",
        ),
        ("{id: a, after: c}", "b c a"),
        ("{id: c, before: x}\n- {id: x, rows: {x: 1}}", "a b c x"),
    ],
)
def test_a_row_goes_where_it_says(tmp_path: Path, rows: str, expected: str) -> None:
    rules = loaded(over(tmp_path, f"tables:\n- {rows}\n", dict(ROWS)))
    assert [id_ for id_ in rules.rows("tables") if id_ != "income"] == expected.split()
    assert not {"before", "after"} & {key for row in rules.rows("tables").values() for key in row}


@pytest.mark.parametrize(
    ("row", "code", "at"),
    [
        ("id: a, after: d", "E221", "after"),
        ("id: a, after: a", "E221", "after"),
        ("id: a, before: c, after: b", "E222", "after"),
        ("id: a, remove: true, after: b", "E222", "after"),
    ],
)
def test_a_row_that_cannot_go_there_is_told(tmp_path: Path, row: str, code: str, at: str) -> None:
    line = f"- {{{row}}}"
    findings = found(over(tmp_path, f"tables:\n{line}\n", dict(ROWS)))
    assert (code, 2, line.index(at) + 1) in places(findings)


# --- a scenario's own rules


def test_a_scenario_lays_its_rules_over_the_ruleset(tmp_path: Path) -> None:
    write(tmp_path / "base", BASE)
    path = tmp_path / "s.yaml"
    path.write_text(
        "id: s\ntitle: S\nruleset: base\nrules:\n  units:\n  - {id: foot, price: 7}\n  - {id: horse, remove: true}\n"
    )
    scenario, rules, findings = load_scenario(path)
    assert findings == []
    assert scenario is not None
    assert rules is not None
    assert rules.row("units", "foot")["price"] == 7
    assert rules.origin("units", "foot", "price") == "s.yaml:6"
    assert not rules.has("units", "horse")
    assert loaded(tmp_path / "base").row("units", "foot")["price"] == 3


def test_mistakes_in_a_scenarios_rules_are_told_in_the_scenario(tmp_path: Path) -> None:
    write(tmp_path / "base", BASE)
    path = tmp_path / "s.yaml"
    path.write_text("id: s\ntitle: S\nruleset: base\nrules:\n  units:\n  - {id: foot, price: lots}\n")
    scenario, rules, findings = load_scenario(path)
    assert (scenario, rules) == (None, None)
    assert [(d.code, d.file, d.line, d.column) for d in findings] == [("E403", "s.yaml", 6, 23)]
    assert findings[0].source_line == "  - {id: foot, price: lots}"


def test_a_broken_ruleset_is_told_at_the_scenario(tmp_path: Path) -> None:
    write(tmp_path / "base", {"tables/t.yaml": "places:\n- {id: a}\n"})
    path = tmp_path / "s.yaml"
    path.write_text("id: s\ntitle: S\nruleset: base\n")
    findings = load_scenario(path)[2]
    assert places(findings) == [("E409", 3, 10)]


# --- scenarios over scenarios


def scenario_over(
    tmp_path: Path, text: str, below: str = ""
) -> tuple[dict[str, object] | None, list[object]]:
    write(tmp_path / "base", BASE)
    base = below or (
        "id: s\ntitle: S\nruleset: base\nstart: {turn: 3, season: wet}\n"
        "units: [{owner: n, at: p, units: {foot: 1}}]\nflags: [{who: n, as: old}]\n"
    )
    (tmp_path / "s.yaml").write_text(base)
    path = tmp_path / "t.yaml"
    path.write_text("id: t\ntitle: T\nextends: s\n" + text)
    scenario, _, findings = load_scenario(path)
    return scenario, list(findings)


def test_a_scenario_over_another_merges_maps_and_replaces_the_rest(tmp_path: Path) -> None:
    rows = "nations: [{id: n, name: N}]\nplaces: [{id: p, name: P, kind: land}]\n"
    write(tmp_path / "base", {"tables/w.yaml": rows})
    scenario, findings = scenario_over(
        tmp_path, "start: {turn: 5}\nflags: []\nappend: {units: [{owner: n, at: p, units: {horse: 2}}]}\n"
    )
    assert findings == []
    assert scenario is not None
    assert (scenario["id"], scenario["start"], scenario["flags"]) == ("t", {"turn": 5, "season": "wet"}, [])
    assert [u["units"] for u in scenario["units"]] == [{"foot": 1}, {"horse": 2}]  # type: ignore[index, attr-defined]
    assert "extends" not in scenario


@pytest.mark.parametrize(
    ("text", "below", "expected"),
    [
        ("extends: nothing\n", "", ("E110", "t.yaml", 4)),
        ("append: {works: [1]}\n", "", ("E221", "t.yaml", 4)),
        ("", "id: s\ntitle: S\nruleset: base\nextends: t\n", ("E410", "s.yaml", 4)),
        ("", "id: s\ntitle: S\nruleset: base\nextends: gone\n", ("E410", "s.yaml", 4)),
    ],
)
def test_scenarios_that_do_not_fit_together(
    tmp_path: Path, text: str, below: str, expected: tuple[str, str, int]
) -> None:
    write(
        tmp_path / "base",
        {"tables/w.yaml": "nations: [{id: n, name: N}]\nplaces: [{id: p, name: P, kind: land}]\n"},
    )
    _, findings = scenario_over(tmp_path, text, below)
    assert expected in [(d.code, d.file, d.line) for d in findings]  # type: ignore[attr-defined]


def test_a_slot_that_only_the_form_names_holds_what_its_name_says(tmp_path: Path) -> None:
    """In every layer: where `slots` leaves it out it is read, offered and tested as if it stood there."""
    acts = {"tables/a.yaml": "actions:\n- {id: raze, syntax: 'raze {place} [with {n} men]'}\n"}
    below = loaded(write(tmp_path / "below", {"tables/t.yaml": acts["tables/a.yaml"]}))
    assert below.row("actions", "raze")["slots"] == {"n": "number", "place": "place"}
    text = "actions:\n- {id: raze, syntax: 'raze {place} of {nation}', slots: {place: {kind: place, among: places()}}}\n"
    row = loaded(over(tmp_path, text, acts)).row("actions", "raze")
    assert row["slots"] == {"place": {"kind": "place", "among": "places()"}, "nation": "nation"}


PLAYERS = """\
settings:
  players:
    turn_days: {days: 7}
    vacancies: [{by: moderator}]
"""


def test_settings_that_have_keys_are_laid_over_key_by_key(tmp_path: Path) -> None:
    above = OVER + "settings: {players: {turn_days: {days: 3}}}\n"
    write(tmp_path / "base", {**BASE, "ruleset.yaml": "id: base\ntitle: Base\n" + PLAYERS})
    rules = loaded(write(tmp_path / "over", {"ruleset.yaml": above}))
    assert rules.players == {"turn_days": {"days": 3}, "vacancies": [{"by": "moderator"}]}


def test_settings_stand_in_no_table_but_may_stand_in_the_rules_of_a_scenario(tmp_path: Path) -> None:
    base = {**BASE, "ruleset.yaml": "id: base\ntitle: Base\n" + PLAYERS}
    assert places(found(write(tmp_path / "wrong", {**base, "tables/s.yaml": "settings:\n- {}\n"}))) == [
        ("E201", 1, 1)
    ]
    write(tmp_path / "base", base)
    path = tmp_path / "base" / "start.yaml"
    path.write_text("id: s\ntitle: S\nruleset: .\nrules: {settings: {players: {turn_days: {days: 4}}}}\n")
    _, rules, told = load_scenario(path)
    assert rules is not None, told
    assert rules.players == {"turn_days": {"days": 4}, "vacancies": [{"by": "moderator"}]}


def test_a_layer_that_replaces_a_table_takes_none_of_its_rows(tmp_path: Path) -> None:
    write(tmp_path / "base", BASE)
    files = {
        "ruleset.yaml": OVER + "replaces: [units]\n",
        "tables/o.yaml": "units:\n- {id: foot, name: Foot}\n",
    }
    rules = loaded(write(tmp_path / "over", files))
    assert dict(rules.rows("units")) == {"foot": {"id": "foot", "name": "Foot"}}
    assert rules.row("tables", "income")["rows"] == {"a": {"x": 1}, "b": {"x": 2}}
    assert list(loaded(tmp_path / "base").rows("units")) == ["foot", "horse"]
    above = write(tmp_path / "above", {"ruleset.yaml": "id: above\ntitle: Above\nextends: ../over\n"})
    assert list(loaded(above).rows("units")) == ["foot"]


def test_what_names_a_row_of_a_replaced_table_is_told_who_replaces_it(tmp_path: Path) -> None:
    more = "production:\n- {id: horse, makes: horse, price: 2}\n"
    write(tmp_path / "base", {**BASE, "tables/p.yaml": more})
    files = {
        "ruleset.yaml": OVER + "replaces: [units]\n",
        "tables/o.yaml": "units:\n- {id: foot, name: Foot}\n",
    }
    (fault,) = [d for d in found(write(tmp_path / "over", files)) if d.code == "E401"]
    assert (fault.file, fault.hint) == ("../base/tables/p.yaml", "ruleset.yaml:4 removes it")


ROCK = "places:\n- {id: rock, name: Rock, kind: closed}\n"


def test_a_test_below_may_ask_for_a_kind_of_the_replaced_map(tmp_path: Path) -> None:
    asks = "definitions:\n- {id: shut, of: [place], is: \"place.kind == 'closed'\", silence: {W604: for layers}}\n"
    base = {"tables/m.yaml": ROCK + asks}
    write(tmp_path / "base", {**BASE, **base})
    new = {
        "ruleset.yaml": OVER + "replaces: [places]\n",
        "tables/o.yaml": "places:\n- {id: plain, name: Plain, kind: land}\n",
    }
    assert "E305" not in [d.code for d in found(write(tmp_path / "over", new))]
    asks_here = {
        **new,
        "tables/o.yaml": new["tables/o.yaml"] + asks.replace("closed", "open").replace("shut", "ajar"),
    }
    assert "E305" in [d.code for d in found(write(tmp_path / "over", asks_here))]


@pytest.mark.parametrize(("named", "code"), [("cards", "E221"), ("unit", "E407")])
def test_only_a_table_that_is_below_can_be_replaced(tmp_path: Path, named: str, code: str) -> None:
    write(tmp_path / "base", BASE)
    at = [
        d
        for d in found(write(tmp_path / "over", {"ruleset.yaml": OVER + f"replaces: [{named}]\n"}))
        if d.code == code
    ]
    assert [(d.file, d.line, d.column) for d in at] == [("ruleset.yaml", 4, 12)]
