"""Game files of TripleA become rulesets that validate, draw and play; hostile and broken files a clear error and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.importers.facts_compared import compared
from wteaw.cli import _run
from wteaw.core.model import Ruleset
from wteaw.core.package_data import schemas, templates
from wteaw.play.new_folder import FolderError
from wteaw.ruleset import load_ruleset
from wteaw_importers.triplea import document
from wteaw_importers.triplea.document import GameFileError, read
from wteaw_importers.triplea.draft import GRADES
from wteaw_importers.triplea.folder import Imported, import_game
from wteaw_importers.triplea.game_reader import facts
from wteaw_importers.triplea.words import SCHEMA, read_words

FILES = Path(__file__).parents[1] / "data" / "triplea"
STRAITS, VALLEY, LEAST = FILES / "straits" / "straits.xml", FILES / "valley.xml", FILES / "least.xml"


@pytest.fixture(scope="module")
def straits(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return import_game(STRAITS, tmp_path_factory.mktemp("imported") / "straits")


@pytest.fixture(scope="module")
def valley(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return import_game(VALLEY, tmp_path_factory.mktemp("imported") / "valley")


def rules(made: Imported) -> Ruleset:
    ruleset, found = load_ruleset(made.folder)
    assert ruleset is not None and not found
    return ruleset


def scenario(made: Imported) -> dict[str, Any]:
    return dict(yaml.safe_load(made.scenario.read_text(encoding="utf-8")))


# ---- what comes out


@pytest.mark.parametrize("file", [STRAITS, VALLEY, LEAST], ids=lambda f: f.stem)
def test_validates_draws_and_plays(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, played = tmp_path / "made", tmp_path / "played"
    assert _run(["import", "triplea", str(file), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert _run(["validate", "--strict", str(out)]) == 0
    start = next((out / "scenarios").glob("*.yaml"))
    assert f"wteaw play {start}" in said, "the next step is named"
    assert _run(["play", str(start), "--turns", "2", "--png", "--out", str(played), "--seed", "01" * 16]) in (
        0,
        None,
    )
    svg = (played / "map.svg").read_text(encoding="utf-8")
    for name in facts(read(file), "f").territories:
        assert all(word in svg for word in name.split()), f"{name} is on the map"
    assert (played / "map.png").stat().st_size > 1000
    assert len(list((played / "reports").glob("*.txt"))) >= 2


def test_board(straits: Imported) -> None:
    ruleset = rules(straits)
    places = ruleset.rows("places")
    assert (
        places["northport"]["production"] == 6
        and places["north-hills"]["kind"] == "land"
        and places["narrows"]["kind"] == "sea"
    )
    assert places["marsh"]["owner"] == "neutral" and places["peak"]["impassable"] is True
    kinds = [row["kind"] for row in ruleset.rows("links").values()]
    assert (kinds.count("land"), kinds.count("coast"), kinds.count("sea")) == (5, 5, 2), (
        "a connection that stands twice is one"
    )
    assert places["south-plain"]["owner"] == "northmen" and scenario(straits)["holders"] == {
        "south-plain": "southrons"
    }
    gate = ruleset.rows("passages")["the-strait"]
    assert sorted(gate["between"]) == ["narrows", "west-sea"] and "southport" in gate["shut_when"]


def test_positions_come_from_the_files_beside(straits: Imported, valley: Imported) -> None:
    places = rules(straits).rows("places")
    assert places["west-sea"]["lon"] < places["northport"]["lon"] < places["north-hills"]["lon"]
    assert places["southport"]["lat"] < places["northport"]["lat"], (
        "what is lower on the picture lies farther south"
    )
    shapes = json.loads((straits.folder / "map" / "shapes.json").read_text(encoding="utf-8"))
    rings = {g["id"]: len(g["arcs"]) for g in shapes["objects"]["places"]["geometries"]}
    assert rings["peak"] == 2 and rings["marsh"] == 1 and "narrows" not in rings
    assert straits.drawn_from == "centers.txt and polygons.txt" and valley.drawn_from == "the connections"
    assert rules(straits).rows("nations")["northmen"]["color"] == "#336699"
    spots = {(row["lon"], row["lat"]) for row in rules(valley).rows("places").values()}
    assert len(spots) == 5, "without positions each territory still has one of its own"


def test_units_and_their_tags(straits: Imported) -> None:
    units = rules(straits).rows("units")
    assert (units["infantry"]["attack"], units["infantry"]["defence"], units["infantry"]["price"]) == (
        1,
        2,
        3,
    )
    assert {"soldier", "supportable", "carried"} <= set(units["infantry"]["tags"])
    assert (
        units["fort"]["hits"] == 2
        and "construction" in units["fort"]["tags"]
        and "land" not in units["fort"]["tags"]
    )
    assert {"flak", "captured", "late"} <= set(units["flak-2"]["tags"]) and "soldier" not in units["flak-2"][
        "tags"
    ]
    assert {"producer", "captured"} <= set(units["works-2"]["tags"]), (
        "a unit that is called like a tag has another id"
    )
    assert {"unarmed", "lifts"} <= set(units["cog"]["tags"]) and units["cog"]["room"] == 5
    assert {"sub", "surface"} & set(units["diver"]["tags"]) == {"sub"}
    assert units["field-gun"]["name"] == "field gun"


def test_start(straits: Imported) -> None:
    start = scenario(straits)
    stacks = {(row["owner"], row["at"]): row for row in start["units"] if "with" not in row}
    assert stacks["northmen", "northport"]["units"] == {"infantry": 4, "works-2": 1, "flak-2": 1}
    assert stacks["neutral", "marsh"]["units"] == {"infantry": 1}
    assert {"owner": "northmen", "at": "north-hills", "units": {"fort": 1}, "with": {"damage": 1}} in start[
        "units"
    ]
    assert start["nations"]["northmen"]["treasury"]["nation"] == {"pus": 20, "iron": 2}
    stances = {(row["a"], b): row["stance"] for row in start["relations"] for b in row["b"]}
    assert stances == {
        ("northmen", "southrons"): "war",
        ("northmen", "neutral"): "prey",
        ("southrons", "neutral"): "prey",
    }


def test_purchases(straits: Imported, valley: Imported) -> None:
    lines = rules(straits).rows("production")
    assert lines["infantry"]["price"] == "=3" and "for" not in lines["infantry"]
    assert lines["field-gun"]["uses"] == {"iron": 1} and lines["field-gun"]["for"] == ["northmen"]
    assert "diver" not in lines, "a rule that stands in no frontier sells nothing"
    assert "flagged(self, 'may-buyhorse')" in lines["horse"]["requires"][0]["test"], (
        "a trigger opens it to those who buy by the frontier"
    )
    fort = lines["fort"]
    assert (
        "held_since_start(place, self)" in fort["site"]
        and "< 2" in fort["site"]
        and "not place in group(" in fort["site"]
    )
    rooms = rules(straits).rows("placement_limits")
    assert rooms["each-fort"]["is"] == 1 and "fort" not in rooms["factories"]["for"]
    assert rules(valley).rows("production")["pikeman"]["lot"] == 2


def test_battles(straits: Imported, valley: Imported) -> None:
    battles = rules(straits).rows("battles")
    assert {"land", "sea", "flak", "flak-at-raiders"} <= set(battles)
    assert [pair["add"] for pair in battles["land"]["support"]] == [1, 1], (
        "artillery, and the support that is attached"
    )
    assert (
        "southrons" in str(rules(straits).rows("groups"))
        and battles["land"]["support"][1]["side"] == "attacker"
    )
    assert battles["land"]["die"] == "1d6" and rules(valley).rows("battles")["land"]["die"] == "1d10"
    assert all("rolls" in str(stage.get("dice", "rolls")) for stage in battles["sea"]["stages"])
    assert "sea" not in rules(valley).rows("battles"), "no sea, no battles there"
    adjust = next(row for row in rules(straits).rows("modifiers").values() if row.get("label") == "hills")
    assert adjust["of"] == "attack" and adjust["add"] == -1 and adjust["for"] == ["horse"]


def test_odds_are_those_of_the_dice(valley: Imported, capsys: pytest.CaptureFixture[str]) -> None:
    """One knight (5 of 10) against one pikeman (4 of 10), to the end: both may die at once."""
    asked = [
        "odds",
        "--ruleset",
        str(valley.folder),
        "--attacker",
        "Red Crown: 1 knight",
        "--defender",
        "Blue Crown: 1 pikeman",
        "--place",
        "ford",
    ]
    assert _run([*asked, "--format", "json"]) in (0, None)
    found = json.loads(capsys.readouterr().out)
    hit, miss, kept, lost = 0.5, 0.5, 0.6, 0.4
    again = miss * kept
    chance = {"attacker": hit * kept / (1 - again), "defender": miss * lost / (1 - again)}
    told = json.dumps(found)
    assert found, told
    for side, p in chance.items():
        assert any(abs(p - float(x)) < 1e-6 for x in _numbers(found)), f"{side} {p}: {told[:400]}"


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [n for v in value.values() for n in _numbers(v)]
    if isinstance(value, list):
        return [n for v in value for n in _numbers(v)]
    if isinstance(value, str) and "/" in value:
        a, _, b = value.partition("/")
        return [int(a) / int(b)] if a.strip().isdigit() and b.strip().isdigit() else []
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_conditions_objectives_triggers(straits: Imported, valley: Imported) -> None:
    ruleset = rules(straits)
    objective = ruleset.rows("income")["northmen-objectiveattachmenthills"]
    assert (
        objective["amount"] == 3 and objective["for"] == "northmen" and "friend_holds_it" in objective["when"]
    )
    event = ruleset.rows("events")["northmen-triggerattachmentvolunteers"]
    assert event["once"] is True and event["on"] == {"step": "before-place"} and "turn >= 2" in event["when"]
    assert event["effects"] == [
        {"create": {"units": "infantry", "n": 2, "for": "northmen", "at": "northport"}}
    ]
    assert any(
        row["wins"] == "north" and "has-won" in row["when"] for row in ruleset.rows("victory").values()
    )
    other = rules(valley)
    assert "count(group(" in other.rows("events")["red-crown-triggerattachmentgold"]["when"]
    assert len(next(g for g in other.rows("groups").values() if len(g["members"]) == 3)["members"]) == 3, (
        "variables within variables"
    )
    assert other.rows("events")["red-crown-triggerattachmentgold"]["roll"] == {"die": "1d2", "at_most": 1}
    act = next(iter(row for row in other.rows("actions").values() if "feud" in row["id"]))
    assert (
        act["effects"] == [{"relate": {"a": "red-crown", "b": "abbot", "stance": "feud-relation"}}]
        and act["cost"] == 2
    )
    assert "redhall" in str(other.rows("groups")), "foreach puts its values in"


def test_a_trigger_fires_in_play(valley: Imported, tmp_path: Path) -> None:
    """Two of three territories are held only after a conquest; the act of politics needs Redhall, and costs gold."""
    game = tmp_path / "game"
    assert _run(
        ["new", str(valley.scenario), "--game", str(game), "--player", "Red Crown", "--seed", "02" * 16]
    ) in (0, None)
    orders = tmp_path / "orders.txt"
    orders.write_text(
        "game game   nation red-crown   turn 1\nact feud\nbuy 1 pikeman in Redhall\nmove 4 pikeman from Redhall to Ford\n",
        encoding="utf-8",
    )
    assert _run(["orders", "submit", "--game", str(game), "--nation", "red-crown", str(orders)]) in (0, None)
    assert _run(["resolve", "--game", str(game)]) in (0, None)
    from wteaw.cli.game import open_game

    state = open_game(game).stage().position.state
    assert state.get("relations", "abbot--red-crown", "stance") == "feud-relation"
    assert state.get("places", "ford", "holder") == "red-crown"


def test_technology(straits: Imported) -> None:
    ruleset = rules(straits)
    assert set(ruleset.rows("technologies")) == {"longrangeair", "drill"}
    by_tech = {
        row["label"]: row for row in ruleset.rows("modifiers").values() if "knows" in row.get("when", "")
    }
    assert by_tech["Drill"]["for"] == "infantry" and by_tech["Drill"]["add"] == 1
    assert by_tech["longRangeAir"]["of"] == "moves" and by_tech["longRangeAir"]["add"] == 2, (
        "known by its kind"
    )
    assert ruleset.rows("actions")["research"]["for"] == ["northmen"]


def test_what_is_left_out_is_listed_at_its_line(straits: Imported) -> None:
    left = (straits.folder / "not-translated.txt").read_text(encoding="utf-8").splitlines()
    assert left == straits.left
    text = STRAITS.read_text(encoding="utf-8").splitlines()
    for what in ("canScramble", "destroyedTUV", "Scramble Rules In Effect", "WeatherDelegate", "buyBoth"):
        line = next(row for row in left if what in row)
        number = int(line.split(":")[1])
        nearby = " ".join(text[number - 1 : number + 1])
        assert what.removesuffix("Delegate").lower() in nearby.lower().replace(" ", " "), line
    assert not any("notes" in row or "mapName" in row for row in left), (
        "what says nothing about rules is not listed"
    )
    assert any("objectiveAttachmentSpoils" in row for row in left), "what depends on it is listed, too"


def test_what_is_left_out_is_graded(straits: Imported, valley: Imported) -> None:
    for made in (straits, valley):
        grades = [line.split(": ")[1] for line in made.left]
        assert set(grades) <= set(GRADES) and {g: grades.count(g) for g in GRADES} == made.grades
        assert 0.9 < made.share < 1
    assert any(
        ": changes play: " in line and "canScramble" in line and "never leave" in line
        for line in straits.left
    )


def test_facts_are_those_of_the_file(straits: Imported, valley: Imported) -> None:
    assert compared(STRAITS, straits.folder) == [] and compared(VALLEY, valley.folder) == []


def test_a_game_in_which_nothing_moves_says_so(tmp_path: Path) -> None:
    made = import_game(write(tmp_path, ODD["nobody moves"]), tmp_path / "out")
    assert made.grades["prevents play"] == 1 and any("no unit can move" in line for line in made.left)


def test_everything_is_the_same_again(straits: Imported, tmp_path: Path) -> None:
    again = import_game(STRAITS, tmp_path / "straits")
    files = [p.relative_to(straits.folder) for p in sorted(straits.folder.rglob("*")) if p.is_file()]
    assert files == [p.relative_to(again.folder) for p in sorted(again.folder.rglob("*")) if p.is_file()]
    assert all((straits.folder / f).read_bytes() == (again.folder / f).read_bytes() for f in files)


# ---- the table of words


def test_the_words_are_a_table_that_its_schema_tests(tmp_path: Path) -> None:
    table = templates() / "triplea" / "words.yaml"
    data = yaml.safe_load(table.read_text(encoding="utf-8"))
    schema = json.loads((schemas() / SCHEMA).read_text(encoding="utf-8"))
    assert set(data) == set(schema["properties"])
    data["units"]["movement"] = {"feild": "move"}
    wrong = tmp_path / "words.yaml"
    wrong.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(ValueError, match=r"units/movement.*feild"):
        read_words(wrong)


def test_every_quantity_that_the_words_name_is_in_the_rules(straits: Imported) -> None:
    words, quantities = read_words(), rules(straits).rows("stats")
    named = {
        entry["modifiers"]
        for section in ("effects", "technologies")
        for entry in words[section].values()
        if "modifiers" in entry
    }
    assert named | set(words["unit_properties"].values()) <= set(quantities)


# ---- nothing half done


def test_a_folder_is_whole_or_not_there(straits: Imported, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(GameFileError):
        import_game(write(tmp_path, "<game/>"), out)
    assert not out.exists() and not list(tmp_path.glob(".out*"))


def test_a_folder_is_replaced_only_by_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    import_game(LEAST, out)
    (out / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(FolderError, match="--force"):
        import_game(LEAST, out)
    assert (out / "mine.txt").exists()
    with pytest.raises(GameFileError):
        import_game(write(tmp_path, "<game/>"), out, force=True)
    assert (out / "mine.txt").exists(), "an import that fails replaces nothing"
    import_game(LEAST, out, force=True)
    assert not (out / "mine.txt").exists() and (out / "ruleset.yaml").exists()


def test_force_replaces_no_other_folder(tmp_path: Path) -> None:
    mine = tmp_path / "letters"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(FolderError, match=r"no ruleset"):
        import_game(LEAST, mine, force=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FolderError, match="not a folder"):
        import_game(LEAST, tmp_path / "file", force=True)
    assert (mine / "letter.txt").exists()


# ---- hostile and broken files


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "hostile.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


PLAIN = LEAST.read_text(encoding="utf-8")
LAUGHS = (
    "<!DOCTYPE game [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{k} '{f'&a{k - 1};' * 10}'>" for k in range(1, 10))
    + "]>"
)
BROKEN = {
    "empty": ("", "empty|no element"),
    "no XML": ("this is no XML", "no XML"),
    "cut off": (PLAIN[:400], "no XML"),
    "another root": ("<map/>", "root element"),
    "nothing in it": ("<game/>", "is missing"),
    "laughs": (LAUGHS + "<game>&a9;</game>", "entity"),
    "quadratic": ("<!DOCTYPE game [<!ENTITY a '" + "a" * 50_000 + "'>]><game>" + "&a;" * 1000 + "</game>", "entity"),
    "a file of the machine": ("<!DOCTYPE game [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><game><info name='&x;'/></game>", "entity"),
    "parameters": ("<!DOCTYPE game [<!ENTITY % x SYSTEM 'http://127.0.0.1/x'> %x;]><game/>", "entity"),
    "an entity of nobody": ("<!DOCTYPE game SYSTEM 'game.dtd'><game>&nobody;</game>", "nobody|missing"),
    "deep": ("<game>" + "<a>" * 100_000, "nested"),
    "wrong bytes": (b"<?xml version='1.0' encoding='UTF-8'?><game><info name='\xff\xfe'/></game>", "no XML|decoded"),
    "an encoding of nobody": (b"<?xml version='1.0' encoding='klingon'?><game/>", "no XML|decoded"),
    "NUL": (b"<game>\x00</game>", "no XML"),
    "no sequence": (PLAIN.replace("<step name", "<stop name").replace("/></sequence>", "/></sequence>"), "holds no step"),
    "connection to nowhere": (PLAIN.replace('t2="B"', 't2="Bee"'), "<connection>: there is no territory 'Bee'"),
    "owner of nobody": (PLAIN.replace('owner="One"', 'owner="Ono"'), "there is no player 'Ono'; did you mean 'One'"),
    "unit of nobody": (PLAIN.replace('unitType="man"', 'unitType="moon"'), "there is no unit 'moon'"),
    "no number": (PLAIN.replace('quantity="5"', 'quantity="many"'), "whole number, not 'many'"),
    "less than nothing": (PLAIN.replace('quantity="5"', 'quantity="-5"'), "from 0 to"),
    "too much": (PLAIN.replace('quantity="5"', 'quantity="99999999999999"'), "from 0 to"),
    "dice of no sides": (PLAIN.replace("<map>", '<diceSides value="0"/><map>'), "from 2 to"),
    "twice": (PLAIN.replace('<territory name="B"/>', '<territory name="B"/><territory name="B"/>'), "a second time"),
    "an attachment to nothing": (PLAIN.replace('attachTo="man"', 'attachTo="nobody"'), "which does not exist"),
    "a ring of variables": (
        PLAIN.replace("<map>", '<variableList><variable name="a"><element name="$b$"/></variable><variable name="b"><element name="$a$"/></variable></variableList><map>'),
        "leads back to itself",
    ),
    "dice of one side": (PLAIN.replace("<map>", '<diceSides value="1"/><map>'), "from 2 to"),
    "variables that multiply": (
        PLAIN.replace("<map>", "<variableList>" + "".join(f'<variable name="v{k}">' + f'<element name="$v{k + 1}$"/>' * 10 + "</variable>" for k in range(15)) + '<variable name="v15"><element name="x"/></variable></variableList><map>'),
        "makes more than 60,000 elements",
    ),
    "too many": (PLAIN.replace("</map>", "".join(f'<territory name="t{k}"/>' for k in range(7_000)) + "</map>"), "at most"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_give_a_clear_error(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, expected = BROKEN[name]
    path = write(tmp_path, text)
    assert _run(["import", "triplea", str(path), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    import re

    assert re.search(expected, said), said
    assert "hostile.xml" in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = (
        PLAIN.replace('t2="B"', 't2="X"')
        .replace('owner="One"', 'owner="Nobody"')
        .replace('quantity="5"', 'quantity="x"')
    )
    with pytest.raises(GameFileError) as error:
        facts(read(write(tmp_path, text)), "f.xml")
    told = str(error.value).splitlines()
    assert len(told) == 4 and [int(line.split(":")[1]) for line in told] == sorted(
        int(line.split(":")[1]) for line in told
    )


def test_large_files_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.xml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(GameFileError, match="100 MB"):
        read(path)
    monkeypatch.setattr(document, "MOST_ELEMENTS", 10)
    with pytest.raises(GameFileError, match="more than 10 elements"):
        read(LEAST)


def test_what_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere.xml"):
        with pytest.raises(GameFileError, match="expected"):
            import_game(path, tmp_path / "out")


ODD = {
    "names that look alike": PLAIN.replace('name="A"', 'name="B!"').replace('"A"', '"B!"'),
    "names of other alphabets": PLAIN.replace('"A"', '"\u0410"').replace('"B"', '"\u0411"').replace('"One"', '"\u4e00"'),
    "names with braces": PLAIN.replace('"A"', '"A {place}"').replace('"One"', '"{self} \'x\' \\"'.replace('\\"', "") + '"'),
    "names of rules": PLAIN.replace('"man"', '"land"').replace('"A"', '"neutral"'),
    "expressions": PLAIN.replace('"man"', '"= __import__(&apos;os&apos;)"'),
    "markup": PLAIN.replace('"A"', '"&lt;script&gt;"'),
    "long": PLAIN.replace('"A"', '"' + "A very long name " * 40 + '"'),
    "numbers": PLAIN.replace('"A"', '"1"').replace('"B"', '"2"').replace('"man"', '"3"'),
    "yaml": PLAIN.replace('"A"', '"no"').replace('"B"', '"{a: [b"').replace('"man"', '"null"').replace('"One"', '"# one"'),
    "values": PLAIN.replace('value="3"', 'value="-3"').replace('name="movement" value="1"', 'name="movement" value="x"'),
    "nobody moves": PLAIN.replace('name="movement" value="1"', 'name="movement" value="0"'),
    "no connections": PLAIN.replace('<connection t1="A" t2="B"/>', ""),
    "no owners": PLAIN.replace('<territoryOwner territory="A" owner="One"/><territoryOwner territory="B" owner="Two"/>', ""),
    "no units": PLAIN.replace("unitPlacement", "unitplacement"),
    "all of it water": PLAIN.replace('<territory name="A"/><territory name="B"/>', '<territory name="A" water="true"/><territory name="B" water="true"/>'),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_files_play_or_are_refused_in_words(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    code = _run(["import", "triplea", str(write(tmp_path, ODD[name])), "--out", str(out)])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert code in (0, None), said.err
    start = next((out / "scenarios").glob("*.yaml"))
    assert _run(["validate", "--strict", str(out)]) in (0, None)
    assert _run(["play", str(start), "--turns", "1", "--out", str(tmp_path / "played")]) in (0, None)
