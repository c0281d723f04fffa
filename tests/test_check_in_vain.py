"""Rows of the right shape that would do nothing, or stop a turn: told at their place, while the neighbor that is right stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from .folders import found, marked, own_cache, places  # noqa: F401

WORLD = """nations: [{id: red, name: Red}, {id: blue, name: Blue}]\nplaces: [{id: home, kind: land, lon: 1, lat: 2, size: large}, {id: away, kind: land, size: small}]\nlinks: [{between: [home, away], kind: land}]\nresources: [{id: coin, name: coin}]\nunits: [{id: foot, name: foot, plural: feet, tags: [army]}]\nfields: [{id: size, of: [place], type: text, default: ''}]\nproduction: [{id: mill, name: mill, makes: foot, price: 3}]\nvisibility: [{id: all, what: places, to: everyone}]\nsequence:\n- {input: orders}\n- {step: told, do: inform, visibility: [all]}\n"""
ACT = "- {step: talk, do: act}\nactions:\n- {id: a, syntax: a, "
TERM = "definitions:\n- {id: t, silence: {W604: for a test}, is: "
EVENT = "events:\n- {id: e, on: turn_end, for: nations(), "
QUIET = "silence: {W604: for a test}"
TWICE = "- {step: talk, do: act, actions: [a]}\n"
ACTS = "actions:\n- {id: a, syntax: a}\n- {id: b, syntax: b}\n"
SLOT = "- {step: talk, do: act}\nactions:\n- {id: a, slots: {x: nation}, syntax: ›"
ADJUST = f"""\
stats:
- {{id: of-unit, of: unit, base: 1}}
- {{id: of-place, of: place, base: 1}}
definitions: [{{id: t, of: [unit, place], is: "value(unit, 'of-unit') + value(place, 'of-place')", {QUIET}}}]
modifiers:
- {{id: j, """

FOG = "options: [{id: fog, default: thin, values: [thin, thick]}]\n"
MARKS = """\
events:
- {id: m, on: turn_end, for: nations(), effects: [{flag: {who: =nation, as: seen}}, {flag: {who: =nation, as: =nation.id}}], silence: {W609: for a test}}
- {id: e, on: turn_end, for: nations(), """

EMPTY = [
    (ACT + "for: ›[]}\n", "E209"),
    (ACT + "for: [red]}\n", ""),
    ("groups:\n- {id: g, of: nations, members: ›[], " + QUIET + "}\n", "E209"),
    ("groups:\n- {id: g, of: nations, members: [red], " + QUIET + "}\n", ""),
    (EVENT + "effects: [{remove: {units: ›[]}}]}\n", "E209"),
    ("events:\n- {id: e, on: ›[], effects: [{say: hm}]}\n", "E209"),
    ("movement:\n- {id: m, links: ›[]}\n", "E209"),
    ("movement:\n- {id: m, links: [land]}\n", ""),
    ("- {step: talk, do: act, actions: ›[]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: ›3/2}}]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: ›2}}]}\n", "E209"),
    (EVENT + "effects: [{remove: {units: units(), share: 3/3}}]}\n", ""),
    ("transfers:\n- {id: l, kind: levy, what: coin, of: 3, share: ›5/4, " + QUIET + "}\n", "E209"),
    ("transfers:\n- {id: l, kind: levy, what: coin, of: 3, share: 4/5, " + QUIET + "}\n", ""),
]


@pytest.mark.parametrize(("text", "codes"), EMPTY)
def test_what_is_chosen_from_has_members_and_a_part_is_no_more_than_the_whole(
    tmp_path: Path, text: str, codes: str
) -> None:
    told_at_marks(tmp_path, text, codes)


CERTAIN = [
    (
        EVENT.replace("nations", "places")
        + "when: \"›place.size != 'large' or place.size != 'small'\", effects: [{say: hm}]}\n",
        "W613",
    ),
    (
        EVENT.replace("nations", "places")
        + "when: \"place.size != 'large' and place.size != 'small'\", effects: [{say: hm}]}\n",
        "",
    ),
    (TERM + "\"›'home' == 'away'\"}\n", "W613"),
    (TERM + "count(places()) if ›turn >= 0 else 0}\n", "W613"),
    (TERM + "count(places()) if turn >= 1 else 0}\n", ""),
    (TERM + "›count(units()) < 0}\n", "W613"),
    (TERM + "count(units()) <= 0}\n", ""),
    (TERM + "›turn > 3 and (turn > 5 and turn < 4)}\n", "W613"),
    (TERM + "turn > 3 and (turn > 5 and turn < 7)}\n", ""),
    (TERM + "count(units()) if ›5 < turn < 4 else 1}\n", "W613"),
    (TERM + "count(units()) if 3 < turn < 5 else 1}\n", ""),
    (TERM + "›turn + 1 != turn + 1}\n", "W613"),
    (TERM + "›turn == 1 and turn == 2}\n", "W613"),
    (TERM + "turn == 1 or turn == 2}\n", ""),
    (TERM + "›not 3 / 2 > 1}\n", "W613"),
    (TERM + "\"nation('red').seat or 'vacant'\"}\n", ""),
    (TERM + "turn > 3 or (False and turn > 5)}\n", ""),
    (
        TERM
        + "\"›option('war') == 'on' and option('war') == 'off'\"}\noptions: [{id: war, default: 'on', values: ['on', 'off']}]\n",
        "W613",
    ),
    (TERM + "\"option('war') == 'on'\"}\noptions: [{id: war, default: 'on', values: ['on']}]\n", ""),
    ("tracks: [{id: mood, at_most: 5}]\n" + TERM + "\"›track('red', 'mood') > 5\"}\n", "W613"),
    ("tracks: [{id: mood, at_most: 5}]\n" + TERM + "\"track('red', 'mood') > 4\"}\n", ""),
    (ACT + 'requires: [{test: ›"False", message: never}]}\n', "W613"),
    (ACT + "requires: [{test: ›true, message: never}]}\n", "W613"),
    (ACT + "requires: [{test: turn > 1, message: too soon, secret: true}]}\n", ""),
    (EVENT + "when: ›turn > 3 and 1 > 2, effects: [{say: hm}]}\n", "W601"),
    (TERM + "turn / (›3 - 3)}\n", "E306"),
    (TERM + "turn / (3 - 2)}\n", ""),
]


@pytest.mark.parametrize(("text", "codes"), CERTAIN)
def test_a_condition_decides_something(tmp_path: Path, text: str, codes: str) -> None:
    told_at_marks(tmp_path, text, codes)


SHOWN = [
    # a row of `shows`, further rows
    ("what: places, fields: [owner, ›sizes]", "", "E407"),
    ("what: places, fields: [owner, size]", "", ""),
    ("what: game, fields: [turn, ›moth]", "", "E407"),
    ("what: game, fields: [turn, month]", "", ""),
    ("what: tracks, fields: [›moods]", "tracks: [{id: mood}]\n", "E407"),
    ("what: tracks, fields: [mood]", "tracks: [{id: mood}]\n", ""),
    ("what: flags, fields: [seen, ›sen]", EVENT + "effects: [{flag: {who: =nation, as: seen}}]}\n", "E407"),
    ("what: flags, fields: [seen]", EVENT + "effects: [{flag: {who: =nation, as: seen}}]}\n", ""),
    (
        "what: flags, fields: [red, ›any]",
        EVENT + "effects: [{flag: {who: =nation, as: =nation.id}}]}\n",
        "E407",
    ),
    ("what: flags, fields: [any]", EVENT + "effects: [{flag: {who: =nation, as: =nation.seat}}]}\n", ""),
]


@pytest.mark.parametrize(("row", "text", "codes"), SHOWN)
def test_what_is_shown_is_there_to_be_shown(tmp_path: Path, row: str, text: str, codes: str) -> None:
    told_at_marks(
        tmp_path,
        text,
        codes,
        WORLD.replace("to: everyone}]", f"to: everyone}}, {{id: s, {row}, to: everyone}}]"),
    )


OUT_OF_REACH = [
    ("- {step: talk}\n- {›step: talk}\n", "E606"),
    ("- {step: talk}\n- {step: talk-again}\n", ""),
    ("- {phase: talk, steps: [{step: w}]}\n- {›phase: talk, steps: [{step: v}]}\n", "E606"),
    (TWICE + "- {step: answer, do: act, actions: [b, ›a]}\n" + ACTS, "E606"),
    (TWICE + "- {step: answer, do: act, actions: [b]}\n" + ACTS, ""),
    (TWICE + "- {step: answer, do: act, actions: [b, a], when: turn > 2}\n" + ACTS, ""),
    (TWICE + "- {input: later}\n- {step: answer, do: act, actions: [b, a]}\n" + ACTS, ""),
    (
        TWICE
        + "- {step: answer, do: act, actions: [b, a]}\n"
        + ACTS.replace("syntax: a", "syntax: a, waits: turn == 1"),
        "",
    ),
    (SLOT + "'a {x} to {x}'}\n", "E209"),
    (SLOT.replace("›", "") + "'a ({x} | the {x})'}\n", ""),
    (SLOT + "'a [{x}] to ({x} | nobody)'}\n", "E209"),
    (ADJUST + "of: of-unit, for: ›home, add: 1}\n", "E307"),
    (ADJUST + "of: of-place, for: home, add: 1}\n", ""),
    (ADJUST + "of: of-place, for: [home, ›army], add: 1}\n", "E307"),
    (ADJUST + "of: of-unit, for: [foot, army, red], add: 1}\n", ""),
    (ADJUST + "of: of-unit, for: ›=places(), add: 1}\n", "E307"),
    (ADJUST + "of: of-place, for: =places(), add: 1}\n", ""),
    ("groups: [{id: g, of: places, members: [home]}]\n" + ADJUST + "of: of-unit, for: ›g, add: 1}\n", "E307"),
    ("groups: [{id: g, of: places, members: [home]}]\n" + ADJUST + "of: of-place, for: g, add: 1}\n", ""),
]


@pytest.mark.parametrize(("text", "codes"), OUT_OF_REACH)
def test_what_is_named_can_be_met(tmp_path: Path, text: str, codes: str) -> None:
    told_at_marks(tmp_path, text, codes)


CELLS = [
    ("{small: 1}", "lookup('room', ›place.size)", "W614"),
    ("{small: 1, large: 2}", "lookup('room', place.size)", ""),
    ("{small: 1}, default: 0", "lookup('room', place.size)", ""),
    ("{small: 1}", "lookup('room', ›place.size) if place.size else 0", "W614"),
    ("{small: 1}", "lookup('room', place.size) if place.size == 'small' else 0", ""),
    ("{small: 1}", "lookup('room', ›was(place, 'size', 'turn'))", "W614"),
    ("{small: 1}", "lookup('room', ›'small' if turn > 3 else place.size)", "W614"),
    ("{thin: {small: 1, large: 2}}", "lookup('room', ›option('fog'), place.size)", "W614"),
    ("{thin: {small: 1}, thick: {small: 1}}", "lookup('room', option('fog'), ›place.size)", "W614"),
    ("{thin: {small: 1, large: 2}, thick: {small: 1}}", "lookup('room', option('fog'), place.size)", ""),
    ("{low: 1}", "lookup('room', ›box('red', 'mood'))", "W614"),
    ("{low: 1, high: 2}", "lookup('room', box('red', 'mood'))", ""),
    ("{low: 1}", "lookup('room', place.name)", ""),
]


@pytest.mark.parametrize(("rows", "text", "codes"), CELLS)
def test_a_table_has_the_cells_that_are_asked_for(tmp_path: Path, rows: str, text: str, codes: str) -> None:
    further = FOG if "fog" in text else ""
    further += "tracks: [{id: mood, boxes: [low, high]}]\n" + f"tables: [{{id: room, rows: {rows}}}]\n"
    told_at_marks(
        tmp_path,
        further + 'definitions:\n- {id: t, silence: {W604: for a test}, of: [place], is: "' + text + '"}\n',
        codes,
    )


def test_what_a_rule_puts_into_a_field_has_a_cell(tmp_path: Path) -> None:
    rows = "tables: [{id: room, rows: {small: 1, large: 2}}]\ndefinitions: [{id: t, of: [place], is: \"lookup('room', ›place.size)\"}]\n"
    grows = (
        EVENT.replace("nations", "places")
        + "effects: [{change: {of: =place, field: size, to: huge}}, {say: '{t(place)}'}]}\n"
    )
    told_at_marks(tmp_path / "huge", rows + grows, "W614")
    told_at_marks(tmp_path / "large", rows.replace("›", "") + grows.replace("huge", "large"), "")


TICKS = "- {ticks: {most: \"maximum(units(), 'move')\"}, steps: [{step: w}]}\n"
BEYOND = [
    (TICKS + "stats:\n- {id: move, of: unit, base: ›99999/7}\n", "E209"),
    (TICKS + "stats:\n- {id: move, of: unit, base: 99999/70}\n", ""),
    (TICKS + "stats:\n- {id: move, of: unit, base: 99999/7, at_most: 12}\n", ""),
    (
        TICKS + "stats:\n- {id: move, of: unit, base: 3}\nmodifiers:\n- {id: j, of: move, add: ›20000}\n",
        "E209",
    ),
    (TICKS + "stats:\n- {id: move, of: unit, base: 3}\nmodifiers:\n- {id: j, of: move, add: 20}\n", ""),
    ("- {ticks: {most: ›10001}, steps: [{step: w}]}\n", "E209"),
    ("- {ticks: {most: 10000}, steps: [{step: w}]}\n", ""),
    (ACT + "help: h}\npolicies:\n- {id: p, actions: [{action: a, weight: ›1000001}]}\n", "E209"),
    (ACT + "help: h}\npolicies:\n- {id: p, actions: [{action: a, weight: 1000000}]}\n", ""),
]


@pytest.mark.parametrize(("text", "codes"), BEYOND)
def test_a_number_stays_within_what_a_turn_can_do(tmp_path: Path, text: str, codes: str) -> None:
    told_at_marks(tmp_path, text, codes)


SLIPS = [
    (EVENT + "roll: {die: 1d6, ›at_most: 6}, effects: [{say: hm}]}\n", "W613"),
    (EVENT + "roll: {die: 1d6, at_most: 5}, effects: [{say: hm}]}\n", ""),
    (EVENT + "roll: {die: 2d6, ›at_least: 2}, effects: [{say: hm}]}\n", "W613"),
    (EVENT + "roll: {die: 2d6, at_least: 3}, effects: [{say: hm}]}\n", ""),
    (EVENT + "roll: {die: ›10d1, at_most: 5}, effects: [{say: hm}]}\n", "E209"),
    ("battles:\n- {id: b, die: ›1d1, stages: [{id: s}], " + QUIET + "}\n", "E209"),
    ("battles:\n- {id: b, die: 1d2, stages: [{id: s}], " + QUIET + "}\n", ""),
    (
        "definitions:\n- {id: way, of: [place], is: \"1 + distance('home', place)\"}\n- {id: t, of: [place], is: ›way(place) >= 0, "
        + QUIET
        + "}\n",
        "W613",
    ),
    (
        "definitions:\n- {id: way, of: [place], is: \"1 + distance('home', place)\"}\n- {id: t, of: [place], is: way(place) > 0, "
        + QUIET
        + "}\n",
        "",
    ),
    (TERM + "\"place.size == ›'larg'\", of: [place]}\n", "W615"),
    (TERM + "\"was(place, 'size', 'turn') != ›'smal'\", of: [place]}\n", "W615"),
    (TERM + "\"place.size == 'large'\", of: [place]}\n", ""),
    (TERM + "\"place.size == 'none'\", of: [place]}\n", ""),
    (
        MARKS.replace(", silence: {W609: for a test}", "")
        + "effects: [{say: '{flagged(nation, \"seen\")}'}], when: \"flagged(nation, 'seen')\"}\n",
        "",
    ),
    (MARKS + "effects: [{say: hm}], when: ›\"flagged(nation, 'sen')\"}\n", "W610"),
    (MARKS + "effects: [{say: hm}], when: \"flagged(nation, 'red')\"}\n", ""),
    (MARKS + "effects: [{say: hm}], when: ›\"flagged(nation, 'never-set')\"}\n", "W610"),
    (
        MARKS.replace("=nation.id", "=nation.seat")
        + "effects: [{say: hm}], when: \"flagged(nation, 'worked-out')\"}\n",
        "",
    ),
    (
        MARKS.replace("=nation.id", "\"='a' if turn > 3 else 'b'\"")
        + "effects: [{say: hm}], when: \"flagged(nation, 'b')\"}\n",
        "",
    ),
]


@pytest.mark.parametrize(("text", "codes"), SLIPS)
def test_a_slip_is_told_where_it_stands(tmp_path: Path, text: str, codes: str) -> None:
    told_at_marks(tmp_path, text, codes)


def told_at_marks(folder: Path, text: str, codes: str, world: str = WORLD) -> None:
    """Assert that all that is found in a world with some rows stands at their marks, with these codes."""
    rows, expected = marked(world + text, codes)
    assert places(found(folder, rows)) == expected


SHIPPED = """\
- {step: sea, do: move}
movement:
- {id: walk, links: [land], steps: 1}
- {id: ship, links: [land], steps: 1, carries: {who: foot, room: 1, size: 1}}
orders:
- {id: o, syntax: "ship {cargo} from {origin} to {target} with {units}", slots: {cargo: units, origin: place, target: place, units: units}, step: sea, """


@pytest.mark.parametrize(("does", "code"), [("›does: walk", "E213"), ("does: ship", "")])
def test_what_is_taken_aboard_goes_by_a_mode_that_carries(tmp_path: Path, does: str, code: str) -> None:
    told_at_marks(tmp_path, SHIPPED + does + "}\n", code)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("- ›{id: left, on: turn_end, of: nations()}\n", "W604"),
        ("- {id: left, on: turn_end, of: nations(), effects: [{say: So.}]}\n", ""),
        ("- {id: left, on: turn_end, of: nations(), silence: {W604: reports tell it}}\n", ""),
        ("- {id: left, on: turn_end}\n" + TERM + "\"counter('game', 'left')\"}\n", ""),
    ],
)
def test_a_counter_does_something_or_is_asked_for(tmp_path: Path, row: str, code: str) -> None:
    told_at_marks(tmp_path, "counters:\n" + row, code)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("- {id: left, on: turn_end, of: ›units(), effects: [{say: So.}]}\n", "E213"),
        ("- {id: left, on: turn_end, of: units(), field: tired}\n", ""),
        ("- {id: left, on: turn_end, of: places(), field: ›tired}\n", "E213"),
        ("- {id: left, on: turn_end, of: units(), field: ›tierd}\n", "E407"),
    ],
)
def test_a_counter_of_units_is_kept_in_a_field_of_theirs(tmp_path: Path, row: str, code: str) -> None:
    tired = "{id: tired, of: [unit], type: number, default: 0}"
    term = TERM + "\"sum(units(), 'tired')\"}\n"
    told_at_marks(tmp_path, "counters:\n" + row + term, code, WORLD.replace("''}]", f"''}}, {tired}]"))
