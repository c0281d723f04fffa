"""Rulesets over rulesets: rows merge by id, values keep the place they were written at, the base is never altered."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("step: two, drop: true", ["orders", ("talk", ["one"]), "three"]),
        ("step: one, replace: [{step: x, do: act}]", ["orders", ("talk", ["x", "two"]), "three"]),
        ("step: three, before: [{step: x, do: act}]", ["orders", ("talk", ["one", "two"]), "x", "three"]),
        ("step: one, after: [{step: x, do: act}]", ["orders", ("talk", ["one", "x", "two"]), "three"]),
        (
            "step: talk, wrap: {id: turns, each: nation}",
            ["orders", ("turns", [("talk", ["one", "two"])]), "three"],
        ),
        (
            "step: all, wrap: {id: turns, each: nation, steps: [{step: x, do: act}]}",
            [("turns", ["orders", ("talk", ["one", "two"]), "three", "x"])],
        ),
        ("step: three, set: {id: last}", ["orders", ("talk", ["one", "two"]), "last"]),
        (
            "step: orders, through: talk, wrap: {id: turns, each: nation}",
            [("turns", ["orders", ("talk", ["one", "two"])]), "three"],
        ),
        ("step: one, through: two, wrap: {id: in}", ["orders", ("talk", [("in", ["one", "two"])]), "three"]),
        ("step: talk, unwrap: true", ["orders", "one", "two", "three"]),
        ("step: one, move: {after: three}", ["orders", ("talk", ["two"]), "three", "one"]),
        ("step: three, move: {before: two}", ["orders", ("talk", ["one", "three", "two"])]),
        ("step: talk, move: {before: orders}", [("talk", ["one", "two"]), "orders", "three"]),
        ("step: talk/two, drop: true", ["orders", ("talk", ["one"]), "three"]),
    ],
)
def test_nodes_of_the_sequence_are_changed_by_id(tmp_path: Path, change: str, expected: list[object]) -> None:
    folder = over(tmp_path, f"sequence_changes:\n- {{id: change, {change}}}\n", dict(FRAME))
    assert names(loaded(folder).sequence) == expected
    assert names(loaded(tmp_path / "base").sequence) == ["orders", ("talk", ["one", "two"]), "three"]


def test_nodes_cite_what_their_change_cites(tmp_path: Path) -> None:
    changes = (
        "sequence_changes:\n"
        "- {id: a, step: one, set: {name: x}, source: [r.why]}\n"
        "- {id: b, step: talk, wrap: {id: turns, source: [r.own]}, source: [r.why, r.own]}\n"
        "- {id: c, step: three, before: [{step: new, do: act}], source: [r.more]}\n"
    )
    frame = loaded(over(tmp_path, changes, dict(FRAME))).sequence
    assert frame[1]["source"] == ["r.own", "r.why"]
    assert frame[1]["steps"][0]["steps"][0]["source"] == ["r.why"]
    assert frame[2]["source"] == ["r.more"] and "source" not in frame[3]


def test_of_two_nodes_of_one_name_the_outer_is_meant(tmp_path: Path) -> None:
    base = {"tables/f.yaml": "sequence:\n- phase: talk\n  steps: [{step: talk}, {step: two}]\n"}
    outer = loaded(
        over(tmp_path / "a", "sequence_changes:\n- {id: c, step: talk, set: {id: chat}}\n", dict(base))
    )
    assert names(outer.sequence) == [("chat", ["talk", "two"])]
    inner = loaded(
        over(tmp_path / "b", "sequence_changes:\n- {id: c, step: talk/talk, drop: true}\n", dict(base))
    )
    assert names(inner.sequence) == [("talk", ["two"])]


def test_a_frame_given_again_replaces_the_frame(tmp_path: Path) -> None:
    assert names(loaded(over(tmp_path, "sequence:\n- {step: only}\n", dict(FRAME))).sequence) == ["only"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("step: tow, drop: true", ("E226", 2, 22)),
        ("step: two", ("E226", 2, 3)),
        ("step: two, drop: true, set: {name: x}", ("E226", 2, 3)),
        ("step: all, drop: true", ("E226", 2, 27)),
        ("step: one, through: three, wrap: {id: x}", ("E226", 2, 36)),
        ("step: two, through: one, wrap: {id: x}", ("E226", 2, 36)),
        ("step: one, through: two, drop: true", ("E226", 2, 36)),
        ("step: one, unwrap: true", ("E226", 2, 35)),
        ("step: one, move: {after: nothing}", ("E226", 2, 41)),
        ("step: talk, move: {after: one}", ("E226", 2, 42)),
        ("step: one, move: {}", ("E226", 2, 33)),
        ("step: talk/three, drop: true", ("E226", 2, 22)),
    ],
)
def test_a_change_that_cannot_be_made_is_told(
    tmp_path: Path, change: str, expected: tuple[str, int, int]
) -> None:
    findings = found(over(tmp_path, f"sequence_changes:\n- {{id: change, {change}}}\n", dict(FRAME)))
    assert expected in places(findings)


def test_a_second_frame_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path, {**FRAME, "tables/g.yaml": "sequence:\n- {step: x}\n"})
    assert [(d.code, d.file, d.line) for d in found(folder)] == [("E225", "tables/g.yaml", 1)]


def test_wrapping_without_end_is_refused(tmp_path: Path) -> None:
    changes = "".join(f"- {{id: w{n}, step: all, wrap: {{id: n{n}}}}}\n" for n in range(300))
    findings = found(over(tmp_path, "sequence_changes:\n" + changes, dict(FRAME)))
    assert {d.code for d in findings} == {"E226"}


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
