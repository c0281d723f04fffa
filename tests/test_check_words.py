"""Maps inside rows are closed: every key and word of them names something that may stand there, each told at its place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from wteaw.cli import ExitCode, main
from wteaw.play.scenario_files import load_scenario
from wteaw.ruleset.expressions.vocabulary import FACTS

from .folders import found, marked, own_cache, places, write  # noqa: F401

WORLD = """nations:\n- {id: italy, name: Italy, side: west, seat: player}\n- {id: spain, name: Spain, side: west}\nsides:\n- {id: west, name: West}\nplaces:\n- {id: rome, kind: land, owner: italy}\n- {id: paris, kind: land, owner: spain}\nlinks:\n- {between: [rome, paris], kind: land}\nfields:\n- {id: move, of: [unit], type: number, default: 1}\n- {id: price, of: [unit], type: number, default: 1}\n- {id: strength, of: [unit], type: number, default: 1}\n- {id: cost, of: [unit], type: number}\n- {id: mood, of: [nation], type: text, default: calm}\n- {id: friends, of: [nation], type: list, default: []}\n- {id: lean, of: [nation], type: number, default: 0, at_least: -5, at_most: 5}\nresources:\n- {id: gold, name: Gold}\ntracks:\n- {id: opinion, at_least: -5, at_most: 5}\nstances:\n- {id: war, hostile: true, default: true}\n- {id: alliance, friendly: true}\nsequence:\n- {input: orders, from: everyone}\n- {step: talk}\n- {step: asks, do: act}\n"""
UNIT = "units:\n- {id: foot, name: Foot, tags: [land], silence: {W603: made by scenarios only}}\n"
EVENT = "events:\n- id: e\n  on: {step: talk}\n  for: nations()\n  effects:\n  - "

WRONG = [
    # rows beside those of WORLD, › before each place that is told; the codes in order
    (
        "units:\n- {id: foot, name: Foot, ›move: ›-1, silence: {W603: scenarios only}}\n".replace(
            "›move", "move"
        ),
        "E403",
    ),
    ("units:\n- {id: foot, name: Foot, price: ›-12, silence: {W603: scenarios only}}\n", "E403"),
    ("units:\n- {id: foot, name: Foot, price: ›99999999999, silence: {W603: scenarios only}}\n", "E403"),
    (
        "units:\n- {id: foot, name: Foot, grades: {poor: {›prize: 6}}, silence: {W603: scenarios only}}\n",
        "E402",
    ),
    (
        "units:\n- {id: foot, name: Foot, grades: {poor: {price: ›six}}, silence: {W603: scenarios only}}\n",
        "E403",
    ),
    (
        "units:\n- {id: foot, name: Foot, grades: {good: {cost: 3}, ›poor: {move: 1}}, silence: {W603: scenarios only}}\n",
        "E213",
    ),
    ("events:\n- id: e\n  on: {captured: {›plaze: paris}}\n  effects: [{say: hm}]\n", "E211"),
    ("events:\n- id: e\n  on: {captured: {place: ›pariss}}\n  effects: [{say: hm}]\n", "E407"),
    (
        "events:\n- id: e\n  on: {captured: {place: paris, by: [spain, ›itly]}}\n  effects: [{say: hm}]\n",
        "E407",
    ),
    ("events:\n- id: e\n  on: {captured: {place: ›7}}\n  effects: [{say: hm}]\n", "E407"),
    ("events:\n- id: e\n  on: {built: {item: =event.›buy}}\n  effects: [{say: hm}]\n".replace("›", ""), ""),
    ("events:\n- id: e\n  on: captured\n  when: ›event.buy.side == 'west'\n  effects: [{say: hm}]\n", "E304"),
    ("events:\n- id: e\n  on: turn_end\n  effects: [{say: '›{nation}'}]\n".replace("'›{", "'{›"), "E302"),
    ("events:\n- id: e\n  on: turn_end\n  when: ›nation.neutral\n  effects: [{say: hm}]\n", "E302"),
    (EVENT + "shift: {who: ›itly, track: opinion, toward: west, by: 1}\n", "E407"),
    (EVENT + "shift: {who: italy, track: opinion, toward: ›wst, by: 1}\n", "E407"),
    (EVENT + "shift: {who: italy, track: opinion, toward: west, by: ›5..2}\n", "E212"),
    (
        "events:\n- id: e\n  on: {step: talk}\n  roll: {die: 1d10, faces: ›9..11}\n  effects: [{say: hm}]\n",
        "E214",
    ),
    ("events:\n- id: e\n  on: {step: talk}\n  roll: {die: 2d6, faces: ›1}\n  effects: [{say: hm}]\n", "E214"),
    (
        "events:\n- id: e\n  on: {step: talk}\n  roll: 1d10\n  results: {0..3: ›[{say: hm}], 10: [{say: ho}]}\n",
        "E214",
    ),
    (
        "events:\n- id: e\n  on: {step: talk}\n  roll: 1d10\n  results: {1..3: [{say: hm}], 3..9: ›[{say: ho}]}\n",
        "E214",
    ),
    ("tables:\n- {id: t, bands: {..3: 1, 4..6: 2, 6..: ›3}}\n", "E214"),
    (
        "tables:\n- {id: t, keys: [a, n], rows: {x: {1..4: 1, 3..5: ›2}, y: {1..4: 1, 2: 3, 5..: 2}}}\n",
        "E214",
    ),
    ("events:\n- id: e\n  on: {step: talk}\n  roll: {die: 1d6+2, faces: 3..8}\n  effects: [{say: hm}]\n", ""),
    (EVENT + "shift: {who: italy, track: opinion, toward: west, ›by: all}\n", "E209"),
    (EVENT + "shift: {who: italy, track: opinion, toward: west, by: ›1000001d6}\n", "E209"),
    (EVENT + "say: '{›naton} stirs'\n", "E302"),
    (EVENT + "say: {to: [›itly], text: hm}\n", "E407"),
    (EVENT + "change: ›{of: =nation, field: lean}\n", "E213"),
    (EVENT + "change: {of: =nation, field: lean, to: ›high}\n", "E403"),
    (EVENT + "change: {of: =nation, field: mood, ›by: 1}\n", "E403"),
    (EVENT + "change: {of: =nation, field: mood, ›add: [italy]}\n", "E403"),
    (EVENT + "pay: {to: ›itly, what: gold, amount: 1}\n", "E407"),
    (EVENT + "pay: {from: italy, what: gold, amount: ›one}\n", "E209"),
    (EVENT + "join: {who: =nation, side: ›est}\n", "E407"),
    (EVENT + "own: {places: set_of('rome'), to: ›itly}\n", "E407"),
    (EVENT + "create: {units: ›fot, at: rome}\n", "E407"),
    (EVENT + "learn: ›{who: =nation}\n", "E213"),
    (EVENT + "{results: {1: [{say: hm}]}}\n".replace("{results", "{›results"), "E213"),
    (EVENT + "when: turn > 1\n", ""),
    (EVENT + "command: {nation: =nation, by: ›nobdy}\n", "E407"),
    ("actions:\n- {id: a, syntax: ask, cost: ›seven, effects: [{say: hm}]}\n", "E407"),
    ("actions:\n- {id: a, syntax: ask, limit: {1: [nation, ›trun]}, effects: [{say: hm}]}\n", "E407"),
    ("actions:\n- {id: a, syntax: ask, for: [›itly], effects: [{say: hm}]}\n", "E407"),
    ("capture:\n- {›how: presence, id: c}\n", "E213"),
    (
        "definitions:\n- {id: odd, of: [place], is: \"counter(place, ›'tims') > 0\", silence: {W604: tried here only}}\n",
        "E305",
    ),
    (
        "definitions:\n- {id: odd, of: [place], is: \"this_turn(›'captrued') > 0\", silence: {W604: tried here only}}\n",
        "E305",
    ),
    (
        "definitions:\n- {id: odd, of: [place], is: \"any(neighbors(place, ›'lnd'))\", silence: {W604: tried here only}}\n",
        "E305",
    ),
    (
        "definitions:\n- {id: two, of: [place, nation], is: place.owner == nation}\n- {id: odd, of: [place], is: \"any(places(), ›'two')\", silence: {W604: tried here only}}\n",
        "E308",
    ),
    (
        "matrices:\n- id: m\n  track: opinion\n  for: nations()\n  columns: [italy, {rest: 'True'}]\n  rows:\n  - {id: r, cells: {›itly: {toward: west, by: 1}, rest: {toward: ›wst, by: 1}}}\n",
        "E407 E407",
    ),
    ("movement:\n- {id: go, links: [›lnd]}\n", "E407"),
    ("movement:\n- {id: go, links: [land], who: ›lend}\n", "E407"),
    ("movement:\n- {id: go, links: [land], steps: ›two}\n", "E407"),
]


@pytest.mark.parametrize(("text", "codes"), WRONG)
def test_words_that_name_nothing_are_told_at_their_place(tmp_path: Path, text: str, codes: str) -> None:
    text, expected = marked(text, codes)
    write(
        tmp_path,
        {"tables/a-world.yaml": WORLD, **({} if "units:\n- {id: foot" in text else {"tables/u.yaml": UNIT})},
    )
    told = [d for d in found(tmp_path, text) if d.severity == "error"]
    if not expected:
        return
    assert places([d for d in told if d.file == "tables/t.yaml"]) == expected, told
    assert all(d.message for d in told)


QUANTITIES = "stats:\n" + "".join(
    f"- {{id: of-{k}, of: {k}, base: 1}}\n" for k in ("unit", "nation", "side", "item", "place")
)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (
            "movement:\n- {id: go, links: [land], cost: of-place}\n- {id: run, links: [land], cost: ›of-side}\n",
            "E407",
        ),
        (
            "movement:\n- {id: go, links: [land], steps: of-unit}\n- {id: run, links: [land], steps: ›of-nation}\n",
            "E407",
        ),
        (
            "production:\n- {id: a, makes: foot, price: of-item}\n- {id: b, makes: foot, price: ›of-nation}\n",
            "E407",
        ),
        (
            "transfers:\n- {id: a, kind: levy, what: gold, of: of-nation, share: 1/2}\n- {id: b, kind: levy, what: gold, of: ›of-unit, share: 1/2}\n",
            "E407",
        ),
        ("policies:\n- {id: p, purchases: [{mix: {foot: ›of-item}}]}\n", "E407"),
        (
            "actions:\n- {id: a, syntax: ask, roll: {die: 1d6, at_most: of-nation}, effects: [{say: hm}]}\n",
            "",
        ),
        (
            "actions:\n- {id: a, syntax: ask, roll: {die: 1d6, at_least: ›of-unit}, effects: [{say: hm}]}\n",
            "E407",
        ),
        (
            "actions:\n- {id: a, syntax: 'ask {place}', slots: {place: place}, roll: {die: 1d6, at_least: of-place}, effects: [{say: hm}]}\n",
            "",
        ),
        (
            "actions:\n- {id: a, syntax: 'ask {p}', slots: {p: place}, roll: {die: 1d6, at_least: of-place, of: =p}, effects: [{say: hm}]}\n",
            "",
        ),
        (
            "actions:\n- {id: a, syntax: 'ask {p}', slots: {p: place}, roll: {die: 1d6, at_least: ›of-nation, of: =p}, effects: [{say: hm}]}\n",
            "E407",
        ),
    ],
)
def test_a_quantity_is_one_of_the_things_that_are_asked(tmp_path: Path, text: str, codes: str) -> None:
    text, expected = marked(text, codes)
    item = "" if "production" in text else "production:\n- {id: foot, makes: foot}\n"
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT + QUANTITIES + item})
    told = [d for d in found(tmp_path, text) if d.severity == "error"]
    assert places(told) == expected, told


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("capture:\n- {id: gift, how: effect, sets: {owner: spain}, troops: home}\n" + EVENT + "own: {places: set_of('rome'), to: spain, by: gift}\n", ""),
        (EVENT + "own: {places: set_of('rome'), to: spain, by: ›gift}\n", "E401"),
        ("capture:\n- {id: fall, how: capture}\n" + EVENT + "own: {places: set_of('rome'), to: spain, ›by: fall}\n", "E213"),
        ("capture:\n- {id: gift, how: effect, ›troops: home}\n", "E213"),
    ],
)  # fmt: skip
def test_what_goes_with_a_place_is_said_by_a_row_for_it(tmp_path: Path, text: str, codes: str) -> None:
    text, expected = marked(text.replace("{owner: spain}", "{fort: 1}"), codes)
    fort = "fields:\n- {id: fort, of: [place], type: number, default: 0}\n"
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT, "tables/f.yaml": fort})
    told = [d for d in found(tmp_path, text) if d.severity == "error"]
    assert places(told) == expected, told


def test_the_world_of_these_tests_is_right(tmp_path: Path) -> None:
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT})
    assert [d for d in found(tmp_path) if d.severity == "error"] == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "events:\n- id: e\n  on: {captured: {place: pariss}}\n  effects: [{say: hm}]\n",
            "did you mean 'paris'?",
        ),
        (
            "events:\n- id: e\n  on: {captured: {plaze: paris}}\n  effects: [{say: hm}]\n",
            "did you mean 'place'?",
        ),
        (EVENT + "shift: {who: italy, track: opinion, toward: wst, by: 1}\n", "did you mean 'west'?"),
        (EVENT + "shift: {who: italy, track: opinion, toward: west, by: 5..2}\n", "write 2..5"),
        ("movement:\n- {id: go, links: [lnd]}\n", "did you mean 'land'?"),
    ],
)
def test_the_nearest_word_is_named(tmp_path: Path, text: str, hint: str) -> None:
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT})
    assert hint in [d.hint for d in found(tmp_path, text)]


def test_a_frame_that_never_waits_is_an_error(tmp_path: Path) -> None:
    text = WORLD.replace("- {input: orders, from: everyone}\n", "")
    assert "E606" in [d.code for d in found(tmp_path, text)]
    text = WORLD.replace("- {step: talk}", "- {phase: talk}")
    assert "E606" in [d.code for d in found(tmp_path, text)]


def test_the_engine_states_no_fact_or_role_that_is_not_published() -> None:
    """Every `fact("word", role=...)` of the engine stands in the list that filters are checked against."""
    engine = Path(__file__).parents[1] / "engine"
    stated: set[str] = set()
    for path in engine.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "fact"
            ):
                continue
            word = node.args[0] if node.args else None
            if not (isinstance(word, ast.Constant) and isinstance(word.value, str)):
                continue
            roles = {k.arg for k in node.keywords if k.arg}
            assert roles <= set(FACTS[word.value]), (
                f"{path.name}: {word.value} has {roles - set(FACTS[word.value])}"
            )
            stated.add(word.value)
    assert set(FACTS) - stated <= {"conquered", "liberated"}  # these are named by rows (`fact` of control)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('nations:\n- {id: a, name: ›"A\\x1b[31m"}\n', "E104"),
        (
            'definitions:\n- {id: odd, of: [place], is: "1e999999999 ›> 0", silence: {W604: tried here only}}\n'.replace(
                "›", ""
            ),
            "",
        ),
        (
            'definitions:\n- {id: odd, of: [place], is: "›place.id > 3", silence: {W604: tried here only}}\n',
            "E306",
        ),
        (  # a quantity is asked of the things that it is of: by itself, and of a set
            "stats:\n- {id: girth, of: unit, base: 1}\n"
            "income:\n- {id: land, over: places(), amount: \"=value(place, ›'girth')\"}\n",
            "E306",
        ),
        (
            "stats:\n- {id: girth, of: unit, base: 1}\nincome:\n- {id: land, amount: \"=sum(places(), ›'girth')\"}\n",
            "E306",
        ),
        (  # a term that says true or false is no number: as such, in a sum, and where it is named
            'definitions:\n- {id: is_big, of: [place], is: "count(units(at=place)) > 3"}\n'
            "income:\n- {id: land, over: places(), amount: =›is_big(place)}\n",
            "E307",
        ),
        (
            'definitions:\n- {id: is_big, of: [place], is: "count(units(at=place)) > 3"}\n'
            "income:\n- {id: land, over: places(), amount: =1 + ›is_big(place)}\n",
            "E306",
        ),
        (
            'definitions:\n- {id: is_big, of: [place], is: "count(units(at=place)) > 3"}\n'
            "income:\n- {id: land, amount: \"=sum(places(), ›'is_big')\"}\n",
            "E306",
        ),
        (
            "stats:\n- ›{id: a, of: unit, base: \"=value(unit, 'b')\"}\n- {id: b, of: unit, base: \"=value(unit, 'a')\"}\n",
            "E405",
        ),
    ],
)
def test_what_would_harm_a_terminal_or_never_end_is_told(tmp_path: Path, text: str, codes: str) -> None:
    text, expected = marked(f"{text}resources: [{{id: gold, name: Gold}}]\n", codes)
    told = [d for d in found(tmp_path, text) if d.severity == "error"]
    assert places(told) == expected if expected else [d.code for d in told] == ["E301"]


def test_a_term_that_counts_is_a_number(tmp_path: Path) -> None:
    rows = "definitions:\n- {id: big, of: [place], is: count(units(at=place))}\nincome:\n- {id: land, amount: \"=sum(places(), 'big')\"}\n"
    rows += "resources: [{id: gold, name: Gold}]\n"
    assert [d for d in found(tmp_path, rows) if d.severity == "error"] == []


def test_a_chain_of_terms_has_an_end(tmp_path: Path) -> None:
    rows = "".join(f"- {{id: t{n}, of: [place], is: t{n + 1}(place)}}\n" for n in range(300))
    told = found(tmp_path, f"definitions:\n{rows}- {{id: t300, of: [place], is: 'True'}}\n")
    assert [d.code for d in told if d.severity == "error"] == ["E405"]


def test_thirty_thousand_unknown_keys_are_soon_told(tmp_path: Path) -> None:
    keys = ", ".join(f"k{n}: 1" for n in range(30_000))
    told = found(tmp_path, f"tracks:\n- {{id: a, {keys}}}\n")
    assert 0 < sum(d.code == "E206" for d in told) < 30


def test_players_who_would_see_nothing_are_a_warning(tmp_path: Path) -> None:
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT})
    assert {"W607", "W608"} <= {d.code for d in found(tmp_path)}
    seen = "visibility:\n- {id: all, what: places, to: everyone}\n"
    placed = WORLD.replace("kind: land, owner: italy", "kind: land, owner: italy, lon: 12, lat: 42")
    write(tmp_path, {"tables/a-world.yaml": placed, "tables/s.yaml": seen})
    assert not {"W607", "W608"} & {d.code for d in found(tmp_path)}


def test_a_scenario_stays_in_its_folder(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text("id: secret\nroot:x:0\n")
    (inside / "s.yaml").write_text("id: s\ntitle: S\nextends: ../secret.yaml\nruleset: alliances\n")
    told = load_scenario(inside / "s.yaml", cache=False)[2]
    assert [d.code for d in told if d.severity == "error"][:1] == ["E117"]
    assert "root:x" not in str(told)


def test_words_and_options_of_a_scenario_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "id: s\ntitle: S\nextends: alliances-4\noptions: {mole: maybe}\nflags:\n- {who: atlantis, as: x}\n"
        "works:\n- {place: benelux, facing: n-france, works: tranch}\n"
    )
    told = {(d.code, d.line) for d in load_scenario(path, cache=False)[2] if d.severity == "error"}
    assert {("E413", 4), ("E407", 6), ("E407", 8)} <= told


def test_marks_are_set_and_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"tables/a-world.yaml": WORLD, "tables/u.yaml": UNIT})
    told = found(
        tmp_path,
        "events:\n- id: e\n  on: {step: talk}\n  for: nations()\n  when: not flagged(nation, 'wearry')\n"
        "  effects:\n  - flag: {who: =nation, as: weary}\n",
    )
    assert [(d.code, d.line) for d in told if d.code in ("W609", "W610")] == [("W610", 5), ("W609", 7)]
    assert "did you mean 'weary'?" in [d.hint for d in told]
    right = (
        "events:\n- id: e\n  on: {step: talk}\n  for: nations()\n  when: not flagged(nation, 'weary')\n"
        "  effects:\n  - flag: {who: =nation, as: weary}\n"
    )
    assert not [d for d in found(tmp_path, right) if d.code in ("W609", "W610")]


def test_names_of_players_are_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return int(left.value.code or 0)

    game = str(tmp_path / "game")
    assert run("new", "alliances-4", "--game", game) == 0
    assert (
        run("players", "add", "Ann\x1b[2J", "--email", "ann@example.org", "--side", "west", "--game", game)
        != 0
    )
    assert "\x1b" not in capsys.readouterr().err
    assert run("map", "alliances-4", "--out", "/proc/nowhere/map.svg") == ExitCode.MACHINE
    assert "cannot be written" in capsys.readouterr().err
