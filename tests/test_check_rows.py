"""Broken tables: every mistake is told at its exact line and column, with what was most likely meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from .folders import errors_are_told, found, marked, own_cache, places, write  # noqa: F401

SHAPE = [
    # a table, › before each place that is told; the codes in order
    ("›place:\n- {id: a}\n", "E201"),
    ("places: ›{a: {kind: land}}\n", "E202"),
    ("places:\n- ›a\n", "E203"),
    ("places:\n- ›{kind: land}\n", "E204"),
    ("places:\n- {id: ›7, kind: land}\n", "E204"),
    ("places:\n- {id: a, kind: land}\n- {id: b, kind: land}\n- {›id: a, kind: sea}\n", "E205"),
    ("places:\n- ›{id: a}\n", "E207"),
    ("places:\n- {id: ›A, kind: land}\n", "E209"),
    ("places:\n- {id: a, kind: ›3}\n", "E208"),
    ("places:\n- {id: a, kind: land, lon: ›181}\n", "E209"),
    ("places:\n- {id: a, kind: land, aliases: [x, ›2]}\n", "E208"),
    ("tracks:\n- {id: a, ›singed: true}\n", "E206"),
    ("clauses:\n- {id: a, text: x, status: ›stted}\n", "E209"),
    ("sides:\n- {id: a, name: x, source: [›Pbem.X]}\n", "E209"),
    ("clauses:\n- {id: a, text: x, silence: {W604: ›short}}\n", "E209"),
    ("passages:\n- {id: a, between: ›[x]}\n", "E209"),
    ("events:\n- id: e\n  on: step\n  effects:\n  - shift: {who: x, track: t, by: 1, ›tward: y}\n", "E206"),
    ("events:\n- id: e\n  on: {›stepp: x}\n", "E210"),
    ("events:\n- id: e\n  on: step\n  effects:\n  - {›shft: {}}\n", "E206"),
]


@pytest.mark.parametrize(("text", "codes"), SHAPE)
def test_wrong_shapes_are_told_at_their_place(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, text, codes)


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tables/a.yaml": "places:\n- {id: a}\n- {id: b, kind: 1}\n",
            "events/b.yaml": "tracks:\n- {id: t, up: 1}\n",
        },
    )
    assert [(d.code, d.file, d.line) for d in found(tmp_path)] == [
        ("E206", "events/b.yaml", 2),
        ("E207", "tables/a.yaml", 2),
        ("E208", "tables/a.yaml", 3),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("place:\n- {id: a}\n", "did you mean 'places'?"),
        ("tracks:\n- {id: a, singed: true}\n", "did you mean 'signed'?"),
        ("clauses:\n- {id: a, text: x, status: stted}\n", "did you mean 'stated'?"),
        (
            "stats:\n- {id: a, of: unit, base: 1, round: upp, silence: {W604: used elsewhere}}\n",
            "did you mean 'up'?",
        ),
        ("events:\n- id: e\n  on: {stepp: x}\n", "did you mean 'step'?"),
        ("events:\n- id: e\n  on: step\n  effects:\n  - {shft: {}}\n", "did you mean 'shift'?"),
        (
            "stats:\n- {id: a, of: unit, base: 1, at_least: 0.5, silence: {W604: used elsewhere}}\n",
            "write the fraction as 1/2",
        ),
    ],
)
def test_what_was_meant_is_suggested(tmp_path: Path, text: str, hint: str) -> None:
    assert [d.hint for d in found(tmp_path, text) if d.severity == "error"] == [hint]


FIELDS = """fields:\n- {id: value, of: [place], type: number}\n- {id: city, of: [place], type: truth}\n- {id: near, of: [place], type: id, table: places}\n- {id: price, of: [unit], type: number, default: 1}\n"""

FACTS = [
    ("places:\n- {id: a, kind: land, ›vlaue: 3}\n", "E402", "did you mean 'value'?"),
    ("places:\n- {id: a, kind: land, ›price: 3}\n", "E402", "it is declared, but of unit"),
    ("places:\n- {id: a, kind: land, value: ›high}\n", "E403", ""),
    ("places:\n- {id: a, kind: land, city: ›1}\n", "E403", ""),
    (
        "places:\n- {id: alpha, kind: land}\n- {id: b, kind: land, near: ›alpah}\n",
        "E401",
        "did you mean 'alpha'?",
    ),
    ("places:\n- {id: a, kind: land, owner: ›nobody}\n", "E401", ""),
    (
        "nations:\n- {id: one, name: One}\nplaces:\n- {id: a, kind: land, owner: ›onee}\n",
        "E401",
        "did you mean 'one'?",
    ),
    ("places:\n- {id: a, kind: land, value: 3/4}\n- {id: b, kind: land, value: 0.5, city: true}\n", "", ""),
    (
        "places:\n- {id: ab, kind: land}\ngroups:\n"
        "- {id: g, of: places, members: [ab, ›abb, ›ab], silence: {W604: reports it}}\n",
        "E404 E406",
        "did you mean 'ab'?",
    ),
    ("modifiers:\n- {id: x, of: ›pricee, add: 1}\n", "E401", ""),
]


@pytest.mark.parametrize(("text", "codes", "hint"), FACTS)
def test_facts_and_references(tmp_path: Path, text: str, codes: str, hint: str) -> None:
    text, expected = marked(FIELDS + text, codes)
    findings = found(tmp_path, text)
    assert places(findings) == expected
    if hint:
        assert findings[0].hint == hint


def test_defaults_of_fields_have_their_type(tmp_path: Path) -> None:
    assert places(found(tmp_path, "fields:\n- {id: value, of: [place], type: number, default: x}\n")) == [
        ("E403", 2, 51)
    ]


AIMS = """\
nations: [{id: one, name: One}]
places: [{id: a, kind: land}, {id: b, kind: land}]
links: [{between: [a, b], kind: land}]
groups: [{id: both-of-them, of: places, members: [a, b]}]
stats: [{id: score, of: nation, base: objectives(nation), silence: {W604: reports it}}]
victory:
- {id: take, kind: aim, about: places, reached: it.holder == nation, points: 1}
- {id: rank, kind: aim, about: number, reached: "it > 3", points: 1}
- {id: spite, kind: aim, about: places, with: nations, reached: it.holder == other, points: 1}
- {id: one, kind: objectives, nation: one, """

OBJECTIVES = [
    (
        "goals: {any: {take: [a, both-of-them], rank: 1, spite: {both-of-them: one}}}, worth: {take: 3}}\n",
        "",
    ),
    ("goals: {any: {›take: 1}}}\n", "E213"),
    ("goals: {any: {›rank: [a]}}}\n", "E213"),
    ("goals: {any: {rank: ›true}}}\n", "E209"),
    ("goals: {any: {›spite: [a]}}}\n", "E213"),
    ("goals: {any: {›take: [one]}}}\n", "E213"),
    ("goals: {any: {›spite: {a: b}}}}\n", "E213"),
    ("goals: {any: {take: [›c]}}}\n", "E407"),
    ("goals: {any: {›tkae: [a]}}}\n", "E401"),
    ("goals: {›east: {take: [a]}}}\n", "E407"),
    ("goals: {any: {take: [a]}}, worth: {›rank: 3}}\n", "E213"),
]


@pytest.mark.parametrize(("text", "codes"), OBJECTIVES)
def test_objectives_name_what_their_aims_are_about(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, AIMS + text, codes)


def test_aims_do_not_lead_back_to_themselves(tmp_path: Path) -> None:
    ring = AIMS.replace("it > 3", "value(nation, 'score') > it") + "goals: {any: {rank: 1}}}\n"
    assert [d.code for d in found(tmp_path, ring) if d.severity == "error"] == ["E405"]


TERMS = """definitions:\n- {id: one, of: [place], is: two(place), silence: {W604: for a test}}\n- {id: two, of: [place], is: "any(neighbors(place), 'three')"}\n- {id: three, of: [place], is: one(place)}\n- {id: self_made, is: self_made() + 1, silence: {W604: for a test}}\n- {id: fine, of: [place], is: "place.kind == 'x'", silence: {W604: for a test}}\n"""


def test_terms_do_not_lead_back_to_themselves(tmp_path: Path) -> None:
    findings = [d for d in found(tmp_path, TERMS) if d.code == "E405"]
    assert places(findings) == [("E405", 2, 26), ("E405", 5, 19)]
    assert findings[0].message.endswith("one → two → three → one")


EXPRESSIONS = [
    ('definitions:\n- {id: t, of: [place], is: "›place.knid == 1", silence: {W604: for a test}}\n', "E304"),
    ("definitions:\n- {id: t, of: [place], is: place.kind ==›, silence: {W604: for a test}}\n", "E301"),
    ('stats:\n- {id: q, of: unit, base: 1, at_least: "= 1 + ›nope", silence: {W604: for a test}}\n', "E302"),
    ("stats:\n- {id: q, of: unit, base: '›maxx(1, 2)', silence: {W604: for a test}}\n", "E303"),
    ("events:\n- id: e\n  on: step\n  when: ›>\n    turn == 1 and\n    nope\n", "E302"),
]


@pytest.mark.parametrize(("text", "codes"), EXPRESSIONS)
def test_expressions_are_told_at_their_own_column(tmp_path: Path, text: str, codes: str) -> None:
    text, expected = marked(text, codes)
    assert places(found(tmp_path, text)) == expected


NUMBERS = "actions:\n- {id: shout, syntax: 'shout [{n}] times', silence: {W602: for a test}, slots: {n: "


@pytest.mark.parametrize(
    ("slot", "codes"),
    [
        ("{kind: number, optional: true, default: 1}}}\n", ""),
        ("{kind: number, optional: true, default: =turn}}}\n", ""),
        ("{kind: place, optional: true}}}\n", ""),
        ("›{kind: number, optional: true}}}\n", "E213"),
        ("{kind: number, ›default: 1}}}\n", "E213"),
        ("{kind: place, optional: true, ›default: 1}}}\n", "E213"),
        ("{kind: number, optional: true, default: =›nope}}}\n", "E302"),
    ],
)
def test_a_number_that_may_be_left_out_counts_as_something(tmp_path: Path, slot: str, codes: str) -> None:
    errors_are_told(tmp_path, NUMBERS + slot, codes)


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        ("syntax: 'shout [{n}] (times|)'}\n", ""),
        ("syntax: ›'shout [{n}'}\n", "E209"),
        ("syntax: ›'shout (at|'}\n", "E209"),
        ("syntax: ›''}\n", "E209"),
        ("syntax: shout, read_back: ›'you shout)'}\n", "E209"),
    ],
)
def test_forms_of_orders_can_be_read(tmp_path: Path, rest: str, codes: str) -> None:
    errors_are_told(tmp_path, "actions:\n- {id: shout, silence: {W602: for a test}, " + rest, codes)


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        ("syntax: 'shout {n}', requires: [{test: n > 1, message: loud}]}\n", ""),
        ("syntax: 'shout (loud {n}|low {n})', requires: [{test: n > 1, message: loud}]}\n", ""),
        ("syntax: 'shout [loud {n}]', requires: [{test: ›n > 1, message: loud}]}\n", "E213"),
        ("syntax: 'shout (loud {n}|low)', requires: [{test: ›n > 1, message: loud}]}\n", "E213"),
        ("syntax: 'shout [loud] {n}', requires: [{test: n > 1, message: loud, secret: n > 2}]}\n", ""),
        (
            "syntax: 'shout [loud {n}]', requires: [{test: turn > 1, message: loud, secret: ›n > 2}]}\n",
            "E213",
        ),
        ("syntax: 'shout', requires: [{test: turn > 1, message: loud, secret: turn + ›nope > 2}]}\n", "E302"),
    ],
)
def test_what_some_way_of_writing_an_order_leaves_out_has_no_value(
    tmp_path: Path, rest: str, codes: str
) -> None:
    text, expected = marked(
        "actions:\n- {id: shout, silence: {W602: for a test}, slots: {n: number}, " + rest, codes
    )
    text = text if "{n}" in text else text.replace("slots: {n: number}, ", "")
    if "{n}" not in rest:
        expected = [(code, line, column - len("slots: {n: number}, ")) for code, line, column in expected]
    assert [p for p in places(found(tmp_path, text)) if not p[0].startswith("W")] == expected


LIMITS = """\
nations: [{id: one, name: One}, {id: two, name: Two}]
actions:
- {id: scold, syntax: "scold {target}", slots: {target: nation}, silence: {W602: for a test}}
- {id: shout, syntax: "shout", silence: {W602: for a test}}
action_changes:
- {id: l, message: no, """


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("on: scold, for: one, against: [two], when: turn > 1, test: target.alive}\n", ""),
        ("on: shout, test: turn > 1}\n", ""),
        ("on: shout, ›against: two, test: turn > 1}\n", "E213"),
        ("on: shout, test: ›target.alive}\n", "E302"),
        ("on: ›scodl, test: turn > 1}\n", "E401"),
        ("on: scold, for: ›three, test: turn > 1}\n", "E407"),
        ("on: scold, test: ›target.aliev}\n", "E304"),
    ],
)
def test_limits_fit_their_acts(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, LIMITS.replace("message: no", 'message: "no"') + text, codes)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("- {id: c, on: scold, against: two, when: turn > 1, effects: [{say: loudly}]}\n", ""),
        ("- {id: c, on: scold, effects: [{say: loudly, when: ›target.aliev}]}\n", "E304"),
        ("- {id: c, ›on: shout, effects: [{say: loudly}]}\n", "E213"),
        ("- {id: c, on: scold, effects: [{say: loudly}], ›requires: []}\n", "E206"),
        ("- {id: c, on: scold, ›cases: [nations: true]}\n", "E206"),
        ("events:\n- {id: e, on: turn_start, cases: [{›nations: true}]}\n", "E206"),
    ],
)
def test_own_cases_stand_where_their_act_says(tmp_path: Path, text: str, codes: str) -> None:
    acts = LIMITS.partition("action_changes:")[0].replace(
        "{target: nation}, ", "{target: nation}, cases: [nations: true], "
    )
    errors_are_told(tmp_path, acts + ("" if text.startswith("events") else "action_changes:\n") + text, codes)


ASKED = """nations: [{id: one, name: One}]\nresources: [{id: coin, name: Coin}]\nunits: [{id: foot, name: Foot}]\nstats:\n- {id: of-nations, of: nation, base: 1}\n- {id: of-units, of: unit, base: 1}\nplaces: [{id: p, kind: land}, {id: q, kind: land}]\nlinks: [{between: [p, q], kind: land}]\n"""


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("actions:\n- {id: a, syntax: a, cost: of-nations}\n", ""),
        ("actions:\n- {id: a, syntax: a, cost: ›of-units}\n", "E407"),
        ("actions:\n- {id: a, syntax: a, cost: {coin: of-nations}}\n", ""),
        ("actions:\n- {id: a, syntax: a, cost: {coin: ›of-units}}\n", "E407"),
        ("movement:\n- {id: m, links: [land], steps: of-units}\n", ""),
        ("movement:\n- {id: m, links: [land], steps: ›of-nations}\n", "E407"),
        ("battles:\n- {id: b, stages: [{id: s}], virtual: [{id: v, n: ›of-units}]}\n", "E407"),
        ("capture:\n- {id: c, how: presence, value: of-units}\n", ""),
        ("capture:\n- {id: c, how: presence, value: ›of-nations}\n", "E407"),
    ],
)
def test_a_quantity_that_a_mechanic_asks_is_of_what_it_asks_it_of(
    tmp_path: Path, text: str, codes: str
) -> None:
    text, expected = marked(ASKED + text, codes)
    told = [d for d in found(tmp_path, text) if d.code == "E407"]
    assert places(told) == expected, told


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (
            'slots: {place: place}, syntax: "go to {place}", requires: [{test: place.holder, message: no}]}\n',
            "",
        ),
        ('slots: {place: place}, syntax: "go [to {place}]"}\n', ""),
        (
            'slots: {place: place}, syntax: "go [to {place}]", requires: [{test: ›place.holder, message: no}]}\n',
            "E213",
        ),
        (
            'slots: {place: place}, syntax: "go [[fast] to {place}]", says: ›"{self} goes to {place}."}\n',
            "E213",
        ),
        ('slots: {n: number}, syntax: "go [to {n}]", cost: {coin: ›=n + 1}}\n', "E213"),
        (
            'slots: {place: {kind: place, optional: true}}, syntax: "go [to {place}]", requires: [{test: place.holder, message: no}]}\n',
            "",
        ),
    ],
)
def test_what_a_row_reckons_with_is_there_though_brackets_let_it_be_left_out(
    tmp_path: Path, text: str, codes: str
) -> None:
    text, expected = marked(
        ASKED + "actions:\n- {id: a, " + text.replace("message: no", 'message: "no"'), codes
    )
    told = [d for d in found(tmp_path, text) if d.code == "E213"]
    assert places(told) == expected, told


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ("each: n, among: {n: set_of(1)}", ""),
        ("›each: n", "E213"),
        ("›each: m, among: {n: set_of(1)}", "E213"),
        ("›among: {m: set_of(1)}", "E213"),
        ("slots: {n: 1}", ""),
        ("›slots: {m: 1}", "E213"),
        ("›opens: m", "E213"),
    ],
)
def test_policies_fill_slots_of_their_acts(tmp_path: Path, rule: str, codes: str) -> None:
    act = "actions:\n- {id: shout, syntax: 'shout {n}', slots: {n: number}, silence: {W602: for a test}}\n"
    errors_are_told(tmp_path, f"{act}policies:\n- {{id: p, actions: [{{action: shout, {rule}}}]}}\n", codes)


SHIFT = """fields:
- {id: price, of: [unit], type: number, text: Price}
units:
- {id: foot, name: foot, tags: [land], price: 1}
order_options:
- {id: lose, syntax: 'lose {kinds} first', slots: {kinds: {kind: unit-kind, many: true}}}
- {id: leave, syntax: 'leave after {n} rounds', slots: {n: number}}
- {id: unless, syntax: 'leave after {kills} if {left} remain', slots: {kills: number, left: number}}
- {id: back, syntax: go back}
"""
HOLD = (
    "orders:\n- {id: stay, syntax: 'stay in {place} [at {how}] [beside {who}]', options: [lose, leave, unless, back], step: s,"
    " slots: {place: place, how: {kind: choice, choices: [ease, bay], optional: true},"
    " who: {kind: nation, many: true, optional: true}}, silence: {W602: for a test}}\n"
)


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ("slots: {how: bay}", ""),
        ("slots: {how: '=single(nations())'}", ""),
        ("slots: {how: ›bey}", "E213"),
        ("slots: {how: ›3}", "E213"),
        ("slots: {how: ›[bay, ease]}", "E213"),
        ("slots: {who: [red, =self]}", ""),
        ("slots: {who: [red, ›rad]}", "E213"),
        ("slots: {who: ›{foot: 1}}", "E213"),
        ("›slots: {hew: bay}", "E213"),
        ("conditions: {lose: [foot]}", ""),
        ("conditions: {lose: '=units()'}", ""),
        ("conditions: {lose: ›fool}", "E213"),
        ("conditions: {leave: 2, back: true}", ""),
        ("conditions: {leave: ›two}", "E213"),
        ("conditions: {›back: 2}", "E213"),
        ("conditions: {unless: {kills: 2, left: '=1 + 1'}}", ""),
        ("conditions: {›unless: 2}", "E213"),
        ("conditions: {unless: {kills: 2, ›lift: 1}}", "E213"),
    ],
)
def test_policies_write_what_slots_can_hold(tmp_path: Path, more: str, codes: str) -> None:
    rule = f"{{order: stay, each: place, among: {{place: places()}}, {more}}}"
    text, expected = marked(
        f"{SHIFT}{HOLD}nations:\n- {{id: red, name: Red}}\npolicies:\n- {{id: p, orders: [{rule}]}}\n", codes
    )
    told = [d for d in found(tmp_path, text) if d.severity == "error" and d.code.startswith("E2")]
    assert places(told) == expected, told


def test_a_condition_is_one_that_the_order_takes(tmp_path: Path) -> None:
    rule = "{order: stay, each: place, among: {place: places()}, conditions: {›back: true}}"
    order = HOLD.replace(", unless, back]", "]")
    text, expected = marked(f"{SHIFT}{order}policies:\n- {{id: p, orders: [{rule}]}}\n", "E213")
    told = [d for d in found(tmp_path, text) if d.code == "E213"]
    assert places(told) == expected, told
    assert told[0].hint == "it takes lose, leave"
