"""What a designer gets wrong in rows that are each of the right shape: told at its place, while the neighbor that is right stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from .folders import MANIFEST, found, marked, own_cache, places, write  # noqa: F401

WORLD = """nations: [{id: red, name: Red}, {id: blue, name: Blue}]\nplaces: [{id: home, kind: land, lon: 1, lat: 2}, {id: away, kind: land}]\nlinks: [{between: [home, away], kind: land}]\nresources: [{id: coin, name: coin}]\nunits: [{id: foot, name: foot, plural: feet}]\nfields:\n- {id: wealth, of: [place], type: number, default: 1, open: true}\n- {id: condition, of: [unit], type: text, default: fit}\n- {id: zones, of: [tech], type: list, table: places, default: [], open: true}\nvisibility: [{id: all, what: places, to: everyone}]\nbattles: [{id: clash, step_losses: {field: condition, values: [fit, hurt]}, stages: [{id: s}], silence: {W604: for a test}}]\nsequence:\n- {input: orders}\n- {step: talk, do: act}\n- {step: told, do: inform, visibility: [all]}\n"""
ACT = "actions:\n- {id: a, syntax: a, "
SLOT = "actions:\n- {id: a, syntax: 'a {x}', slots: {x: "
TERM = "definitions:\n- {id: t, silence: {W604: for a test}, is: "
EVENT = "events:\n- {id: e, on: turn_end, for: nations(), "
LOOKUP = "tables: [{id: pay, rows: {new: {high: 3, low: 1}, old: {high: 2}}}]\n"
LOOKUP += "definitions:\n- {id: t2, is: \"'new'\"}\n- {id: t, silence: {W604: for a test}, is: "
YIELD = "- {step: pay, do: collect}\nincome:\n- {id: y, "
ZONES = "technologies:\n- {id: radio, name: Radio, silence: {W625: scenarios begin with it}, zones: "
MOVES = """\
- {step: go, do: move}
movement: [{id: walk, links: [land]}]
policies: [{id: p, moves: [{›order: m}]}]
orders:
- {id: m, step: go, """

SLIPS = [
    # ranges and dice
    (SLOT + "{kind: number, ›least: 5, most: 2}}}\n", "E212"),
    (SLOT + "{kind: number, least: 2, most: 2}}}\n", ""),
    ("tracks:\n- {id: mood, ›at_least: 3, at_most: 1}\n", "E212"),
    (
        "tracks:\n- {id: mood, at_most: 5, thresholds: [5, ›9]}\nevents:\n- {id: e, on: {reached: {track: mood}}}\n",
        "E209",
    ),
    (EVENT + "roll: {die: 1d6, ›at_least: 7}, effects: [{say: hm}]}\n", "E214"),
    (EVENT + "roll: {die: 1d6, at_least: 6}, effects: [{say: hm}]}\n", ""),
    (EVENT + "roll: {die: 2d6, ›at_most: 1}, effects: [{say: hm}]}\n", "E214"),
    (EVENT + "roll: {die: 2d6, at_most: 2}, effects: [{say: hm}]}\n", ""),
    # kinds of things
    (SLOT + "{kind: place, among: ›nations()}}}\n", "E307"),
    (SLOT + "{kind: place, among: places(kind='land')}}}\n", ""),
    (EVENT + "effects: [{create: {units: foot, for: =nation, at: ›=nation}}]}\n", "E307"),
    (EVENT + "effects: [{create: {units: foot, for: =nation, at: home}}]}\n", ""),
    (EVENT + "effects: [{remove: {units: ›places()}}]}\n", "E307"),
    (EVENT + "effects: [{remove: {units: units(owner=nation)}}]}\n", ""),
    (EVENT + "effects: [{change: {of: =nation, field: ›wealth, by: 1}}]}\n", "E304"),
    (EVENT + "effects: [{change: {of: home, field: wealth, by: 1}}]}\n", ""),
    (EVENT + "effects: [{change: {of: ›place, field: wealth, by: 1}}]}\n", "E407"),
    (EVENT + "effects: [{cancel: {under_way: ›fot}}]}\n", "E407"),
    (EVENT + "effects: [{cancel: {under_way: all, of: =nation}}]}\n", ""),
    ("victory:\n- {id: e, kind: game_end, when: turn > 3, wins: ›est}\n", "E407"),
    ("victory:\n- {id: e, kind: game_end, when: turn > 3, wins: =›turn}\n", "E307"),
    ("victory:\n- {id: e, kind: game_end, when: turn > 3, wins: red}\n", ""),
    (ZONES + "[›hom]}\n", "E401"),
    (ZONES + "[home, ›[away]]}\n", "E403"),
    (ZONES + "[home, away]}\n", ""),
    # what is put into a field
    (EVENT + "effects: [{own: {places: home, to: =nation, sets: {wealth: ›rich}}}]}\n", "E403"),
    (EVENT + "effects: [{own: {places: home, to: =nation, sets: {wealth: 3}}}]}\n", ""),
    (EVENT + "effects: [{own: {places: home, to: =nation, sets: {wealth: =turn}}}]}\n", ""),
    (EVENT + "effects: [{own: {places: home, to: =nation, sets: {›welth: 3}}}]}\n", "E407"),
    # options and rungs
    (
        "options:\n- {id: fog, ›default: thick, values: [thin, none]}\n"
        + TERM
        + "\"option('fog') == 'thin'\"}\n",
        "E407",
    ),
    (
        "options:\n- {id: fog, default: thin, values: [thin, none]}\n"
        + TERM
        + "\"option('fog') == ›'thn'\"}\n",
        "E306",
    ),
    (
        "options:\n- {id: fog, default: thin, values: [thin, none]}\n"
        + TERM
        + "\"option('fog') == 'none'\"}\n",
        "",
    ),
    (TERM + "\"count(units(condition=›'hurtt'))\"}\n", "E305"),
    (TERM + "\"count(units(condition='hurt'))\"}\n", ""),
    (EVENT + "effects: [{convert: {units: units(), condition: ›hrt}}]}\n", "E407"),
    (EVENT + "effects: [{convert: {units: units(), condition: hurt}}]}\n", ""),
    ("options:\n- {id: bid, default: 3}\n" + TERM + "\"min(9, option('bid') if turn > 1 else 0)\"}\n", ""),
    (
        "options:\n- {id: bid, default: three}\n" + TERM + "\"min(9, ›option('bid') if turn > 1 else 0)\"}\n",
        "E306",
    ),
    (TERM + '"1 + (2 if turn > 1 else ›None)"}\n', "E306"),
    (LOOKUP + "\"lookup('pay', t2(), 'high')\"}\n", ""),
    (LOOKUP + "\"lookup('pay', t2(), ›'hihg')\"}\n", "E305"),
    (LOOKUP + "\"lookup('pay', t2(), 'high') + lookup('pay', 'old', ›'low')\"}\n", "E305"),
    (YIELD + "over: places(), amount: =place.wealth}\n", ""),
    (YIELD + "amount: =›place.wealth}\n", "E302"),
    (YIELD + "over: units(owner=nation), amount: =›place.wealth}\n", "E302"),
    (YIELD + "over: units(owner=nation), amount: =unit.n}\n", ""),
    (
        "victory:\n- {id: c, kind: criterion, of: side, is: ›nation.alive, silence: {W604: for a test}}\n",
        "E302",
    ),
    (
        "victory:\n- {id: c, kind: criterion, of: nation, is: count(places(holder=nation)), silence: {W604: for a test}}\n",
        "",
    ),
    # what does nothing, or cannot be told apart
    ("stats:\n- {id: q, of: unit, base: 1}\nmodifiers:\n- ›{id: j, of: q, for: foot}\n", "E213"),
    ("stats:\n- {id: q, of: unit, base: 1}\nmodifiers:\n- {id: j, of: q, for: foot, add: 1}\n", ""),
    (ACT + "limit: {›0: [nation, turn]}}\n", "E210"),
    (ACT + "limit: {1: [nation, turn]}}\n", ""),
    (ACT + "says: '›{self says so.'}\n", "E301"),
    (ACT + "says: '{self} says so.'}\n", ""),
    ("stances:\n- ›{id: war, hostile: true}\n", "E213"),
    ("stances:\n- {id: war, hostile: true, default: true}\n- ›{id: feud, default: true}\n", "E213"),
    ("stances:\n- {id: war, hostile: true, default: true}\n- {id: feud}\n", ""),
    ("options:\n- ›{id: fog, default: false}\n", "W604"),
    ("decisions:\n- ›{id: lunch, from: [fish, fowl]}\n", "W604"),
    (
        "decisions:\n- {id: lunch, from: [fish, fowl]}\n"
        + EVENT
        + "effects: [{choose: lunch, effects: [{say: hm}]}]}\n",
        "",
    ),
    (
        "technologies:\n- {id: radio, name: radio, silence: {W625: scenarios begin with it}}\n- {id: wire, ›name: Radio, silence: {W625: scenarios begin with it}}\n",
        "W611",
    ),
    (ACT + "help: one}\n- {id: b, ›syntax: a}\n", "W611"),
    (ACT + "help: one}\n- {id: b, syntax: b}\n", ""),
    (
        MOVES.replace("›", "")
        + "does: walk, slots: {units: units, origin: place, target: place}, syntax: 'go {units} {origin} {target}'}\n",
        "",
    ),
    (MOVES + "syntax: go, does: walk}\n", "E213"),
    (
        MOVES
        + "syntax: 'look at {target} with {units} from {origin}', slots: {units: units, origin: place, target: place}, commits: units}\n",
        "E213",
    ),
    (
        MOVES.replace("›order: m", "order: m, among: neighbors(origin)")
        + "syntax: 'look at {target} with {units} from {origin}', slots: {units: units, origin: place, target: place}, commits: units}\n",
        "",
    ),
    (MOVES + "syntax: 'go {target}', slots: {target: place}, does: ›target}\n", "E213 E407"),
    ("sides:\n- {id: west, name: West, ›opposite: west}\n", "E213"),
    ("events:\n- {id: e, on: turn_end, when: ›turn > 1 and False}\n", "W601"),
    (
        "- {step: go, do: move}\norders:\n- {id: m, syntax: 'go {to}', slots: {to: place}, step: go, ›commits: to}\n",
        "E213",
    ),
    ("- {›input: orders}\n", "E606"),
    ("- {input: more}\n", ""),
    (
        "- {step: pay, do: upkeep, upkeep: [one]}\nupkeep:\n- {id: one, per: nation, price: 1}\n- ›{id: two, per: nation, price: 1}\n",
        "W602",
    ),
    (
        "- {step: pay, do: upkeep}\nupkeep:\n- {id: one, per: nation, price: 1}\n- {id: two, per: nation, price: 1}\n",
        "",
    ),
    (
        "- {step: go, do: move, movement: [walk]}\nmovement:\n- {id: walk, links: [land]}\n- {id: run, links: [land]}\n"
        "orders:\n- {id: m, syntax: m, step: go, does: walk}\n- {id: n, syntax: n, step: go, ›does: run}\n",
        "W602",
    ),
]


@pytest.mark.parametrize(("text", "codes"), SLIPS)
def test_a_slip_is_told_where_it_stands(tmp_path: Path, text: str, codes: str) -> None:
    rows = WORLD + text
    rows, expected = marked(rows, codes)
    assert places(found(tmp_path, rows)) == expected


@pytest.mark.parametrize(("names", "codes"), [("[wet, dry, cold]", ["E213"]), ("[wet, dry, cold, hot]", [])])
def test_the_names_of_turns_make_whole_years(tmp_path: Path, names: str, codes: list[str]) -> None:
    calendar = f"settings:\n  calendar: {{start: 1914-08, months: 3, names: {names}}}\n"
    write(tmp_path, {"ruleset.yaml": MANIFEST + calendar, "tables/t.yaml": WORLD})
    found_ = [d for d in found(tmp_path) if d.file == "ruleset.yaml"]
    assert [(d.code, d.line, d.column) for d in found_] == [(code, 4, 41) for code in codes]


def test_a_number_that_is_read_and_that_one_kind_of_units_lacks_is_a_warning(tmp_path: Path) -> None:
    fields = "fields:\n- {id: pool, of: [unit], type: number}\nunits:\n- {id: foot, name: foot, pool: 3}\n- ›{id: horse, name: horse}\n"
    read = "stats:\n- {id: q, of: unit, base: unit.pool}\nmodifiers:\n- {id: j, of: q, add: 1}\n"
    text, expected = marked(fields + read, "W612")
    assert places(found(tmp_path / "read", text)) == expected
    assert found(tmp_path / "unread", text.replace("unit.pool", "1")) == []
    assert found(tmp_path / "said", text.replace("name: horse", "name: horse, pool: 0")) == []


def test_a_battle_is_not_fought_before_itself(tmp_path: Path) -> None:
    def told(first: str) -> list[str]:
        raid = f"battles: [{{id: raid, preludes: [{first}], stages: [{{id: s}}], silence: {{W604: for a test}}}}, "
        return [
            d.code
            for d in found(tmp_path / first, WORLD.replace("battles: [", raid))
            if d.severity == "error"
        ]

    assert told("raid") == ["E405"]
    assert told("clash") == []


@pytest.mark.parametrize(
    ("stage", "battle", "codes"), [("", "", ["E213"]), (", die: 1d6", "", []), ("", "die: 1d6, ", [])]
)
def test_a_stage_that_throws_dice_has_a_die_or_its_battle_has(
    tmp_path: Path, stage: str, battle: str, codes: list[str]
) -> None:
    raid = f"battles: [{{id: raid, {battle}stages: [{{id: s, value: 1{stage}}}], silence: {{W604: for a test}}}}, "
    assert [d.code for d in found(tmp_path, WORLD.replace("battles: [", raid))] == codes


@pytest.mark.parametrize("unit", ["hits: {}", "grades: {{worn: {{hits: {}}}}}"])
@pytest.mark.parametrize(("hits", "codes"), [("0", ["E209"]), ("1", []), ("100", []), ("101", ["E209"])])
def test_a_unit_takes_one_to_a_hundred_hits(tmp_path: Path, unit: str, hits: str, codes: list[str]) -> None:
    rows = WORLD.replace("plural: feet", "plural: feet, " + unit.format(hits))
    assert [d.code for d in found(tmp_path, rows)] == codes


@pytest.mark.parametrize(("more", "codes"), [("", ["E302"]), (", facing: {among: neighbors(place)}", [])])
def test_only_what_faces_a_place_has_a_target(tmp_path: Path, more: str, codes: list[str]) -> None:
    row = (
        "production:\n- {id: c, makes: foot, price: 1, requires: [{test: target.kind == 'land', message: look there}]"
        + more
        + "}\n"
    )
    assert [d.code for d in found(tmp_path, WORLD + row) if d.severity == "error"] == codes


COMPARED = [  # a test, and whether the word in it is told
    ("step == 'tlak'", True),
    ("step != 'tlak'", True),
    ("step == 'talk'", False),
    ("step == 'orders'", False),
    ("step == 'battlefield'", False),  # near to none: a step of a layer above, perhaps
]


@pytest.mark.parametrize(("test", "told"), COMPARED)
def test_a_step_that_is_compared_is_there(tmp_path: Path, test: str, told: bool) -> None:
    rows = ACT.replace("syntax: a,", f'syntax: a, waits: "{test}",') + "effects: [{say: hm}]}\n"
    here = [d for d in found(tmp_path, WORLD + rows) if d.code == "W615"]
    assert [d.hint for d in here] == (["did you mean 'talk'?"] if told else [])


SAID = 'definitions:\n- {id: in_state, of: ["what:nation", "state:id"], is: "flagged(what, state)"}\n'
SPELLED = [  # what a definition is given, and the word that is proposed for it
    ("in_state(nation, 'amred')", "armed"),
    ("in_state(nation, 'arme')", "armed"),
    ("in_state(nation, 'armed')", ""),
    ("in_state(nation, 'asleep')", ""),  # near to none
]


@pytest.mark.parametrize(("test", "near"), SPELLED)
def test_a_word_that_stands_nowhere_else_is_told(tmp_path: Path, test: str, near: str) -> None:
    """Even where nothing says what the word is for."""
    rows = SAID + EVENT + f'when: "{test}", effects: [{{flag: {{who: =nation, as: armed}}}}]}}\n'
    here = [d for d in found(tmp_path, WORLD + rows) if d.code == "W624"]
    assert [d.hint for d in here] == ([f"did you mean '{near}'?"] if near else [])
