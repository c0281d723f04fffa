"""The map as a picture: the same bytes every time, every place on it, nothing that a name can break, text that can be seen."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from colorspacious import cspace_convert, deltaE
from ruamel.yaml import YAML

from wteaw.core.package_data import scenarios
from wteaw.play.scenario import initial_state
from wteaw.play.scenario_files import load_scenario
from wteaw.report.map import (
    Arrow,
    Badge,
    Highlight,
    LegendEntry,
    Link,
    MapModel,
    Owner,
    Panel,
    Place,
    Work,
    colored,
    draw,
    layout_from,
    nearest_point_shapes,
    page_map,
    read_shapes,
    to_png,
    unseen,
)
from wteaw.report.map import bare as bare_maps
from wteaw.report.map.palette import lettering_on
from wteaw.report.map.projection import frame
from wteaw.report.map.text import text_width
from wteaw.report.map_views import map_model
from wteaw.ruleset.drawing import Drawing

MAP = Path(__file__).resolve().parent.parent / "ruleset" / "map"

OWNERS = (Owner("red", "Reds", "RE", group="one"), Owner("blue", "Blues", "BL", group="two"))
SMALL = MapModel(
    "A small map",
    (
        Place(
            "ash",
            "Ashby",
            "land",
            0.0,
            50.0,
            "red",
            symbols=("star", "anchor"),
            badges=(Badge("red", "I", "6-20"),),
        ),
        Place(
            "elm",
            "Elmton",
            "land",
            4.0,
            50.0,
            "blue",
            badges=(Badge("blue", "I", "?"), Badge("red", "A", "2")),
        ),
        Place("oak", "Oak Hill", "land", 2.0, 53.0),
        Place("bay", "Wide Bay", "sea", 2.0, 47.0, badges=(Badge("blue", "S", "3"),)),
    ),
    OWNERS,
)


def whole_world() -> MapModel:
    """All places of the base ruleset's shapes, at the points that the shapes give, with owners in turn and units everywhere."""
    text = (MAP / "shapes.json").read_text(encoding="utf-8")
    owners = tuple(Owner(f"o{k}", f"Owner {k}", f"O{k}", group=("", "one", "two")[k % 3]) for k in range(24))
    places = []
    for k, geometry in enumerate(json.loads(text)["objects"]["places"]["geometries"]):
        lon, lat = geometry["properties"]["at"][0]
        badges = (Badge(f"o{k % 24}", "I", str(k % 30)), Badge(f"o{(k + 1) % 24}", "A", "?"))
        places.append(
            Place(geometry["id"], geometry["id"].title(), "land", lon, lat, f"o{k % 24}", badges=badges)
        )
    layout = layout_from(YAML(typ="safe").load(MAP / "layout.yaml"))
    return MapModel("The world", tuple(places), owners, shapes=read_shapes(text), layout=layout)


def titles(svg: str) -> set[str]:
    """First lines of the tooltips."""
    return {
        (node.text or "").split("\n")[0]
        for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")
    }


def drawn_ids(svg: str) -> set[str]:
    return {node.attrib["data-id"] for node in ElementTree.fromstring(svg).iter() if "data-id" in node.attrib}


def pixels(png: bytes) -> np.ndarray:
    """The picture as (height, width, channels) bytes; for 8-bit pictures without interlace, as the renderer makes them."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8
    channels = {2: 3, 6: 4}[kind]
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(height, width * channels + 1)
    rows = np.zeros((height, width * channels), dtype=np.uint8)
    above = np.zeros(width * channels, dtype=np.int64)
    for y in range(height):
        line, method = raw[y, 1:].astype(np.int64), raw[y, 0]
        if method in (0, 2):
            line = (line + above * (method == 2)) & 255
        else:
            for x in range(len(line)):
                left = line[x - channels] if x >= channels else 0
                up, corner = above[x], above[x - channels] if x >= channels else 0
                guess = left + up - corner
                nearest = min(
                    (abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner)
                )[2]
                line[x] = (line[x] + {1: left, 3: (left + up) // 2, 4: nearest}[int(method)]) & 255
        rows[y] = above = line
    return rows.reshape(height, width, channels)


def test_same_model_same_bytes() -> None:
    assert draw(SMALL) == draw(replace(SMALL)) == draw(SMALL)
    assert draw(SMALL, prefix="a") != draw(SMALL, prefix="b")


def test_what_others_were_shown_changes_nothing_on_a_page() -> None:
    """Several readers' maps share what was worked out for the first."""
    mine = replace(
        SMALL,
        works=(Work("elm", "ash"),),
        arrows=(Arrow("ash", "elm"),),
        highlights=(Highlight("elm", outcome="success"),),
    )
    others = [
        replace(
            mine, places=tuple(replace(p, badges=(*p.badges, Badge(p.owner, "I", "7"))) for p in mine.places)
        ),
        replace(mine, owners=tuple(replace(o, tag="XYZ") for o in mine.owners)),
        replace(mine, works=(Work("elm", "ash", "double"), Work("ash", "elm"))),
        replace(mine, arrows=()),
        replace(mine, highlights=()),
    ]
    bare_maps._bare.clear()
    alone = page_map(mine)
    for other in others:
        bare_maps._bare.clear()
        theirs = page_map(other)
        assert theirs != alone and page_map(mine) == alone and page_map(other) == theirs


def test_whole_map_is_drawn_the_same_each_time() -> None:
    model = whole_world()
    first = draw(model)
    assert draw(model) == first
    assert drawn_ids(first) == {place.id for place in model.places}
    assert unseen(model) == ()
    assert len(first) < 4_000_000


def test_every_place_is_named() -> None:
    svg = draw(SMALL)
    assert titles(svg) >= {"Ashby (Reds)", "Elmton (Blues)", "Oak Hill", "Wide Bay"}
    assert {"Ashby", "Elmton", "Oak Hill", "Wide Bay"} <= {
        node.text for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }


def test_every_place_of_the_whole_map_is_named_in_some_panel() -> None:
    model = whole_world()
    written = "".join(re.findall(r">([^<>]*)</text>", draw(model)))
    for place in model.places:
        for word in re.split(r"[ -]", place.name):  # long names stand in two lines
            assert word in written


def test_names_cannot_break_the_file() -> None:
    nasty = '<script>alert("1")</script>&\x00\x0b\'"]]>'
    place = Place('"><x', nasty, "land", 0.0, 50.0, "red", note=nasty, badges=(Badge("red", "<", "&"),))
    model = replace(
        SMALL,
        title=nasty,
        places=(place, *SMALL.places),
        owners=(replace(OWNERS[0], name=nasty, tag="<b>"), OWNERS[1]),
        legend=(LegendEntry("text", "", nasty), LegendEntry("owner", "red", nasty)),
        arrows=(Arrow("ash", "elm", "success", label=nasty),),
        links=(Link("ash", "oak", label=nasty),),
    )
    svg = draw(model)
    assert "<script" not in svg
    names = {node.tag.rpartition("}")[2] for node in ElementTree.fromstring(svg).iter()}
    assert names <= {
        "svg",
        "g",
        "title",
        "defs",
        "pattern",
        "clipPath",
        "path",
        "rect",
        "circle",
        "text",
        "tspan",
        "use",
    }
    assert to_png(svg, 300).startswith(b"\x89PNG")


@pytest.mark.parametrize("prefix", ['x"', "", "1a", "a b"])
def test_a_prefix_must_be_a_name(prefix: str) -> None:
    with pytest.raises(ValueError, match="cannot start an id"):
        draw(SMALL, prefix=prefix)


@pytest.mark.parametrize("color", ["red", "#12", "url(#x)", '#123456" onload="'])
def test_a_color_must_be_hexadecimal(color: str) -> None:
    with pytest.raises(ValueError, match="#rrggbb"):
        Owner("x", "X", color=color)


def test_without_shapes_each_place_gets_what_is_nearest() -> None:
    shapes = nearest_point_shapes({place.id: (place.lon, place.lat) for place in SMALL.places}, reach=1e9)
    assert set(shapes.rings) == {place.id for place in SMALL.places}
    areas = {}
    for key, (ring,) in shapes.rings.items():
        corners = np.concatenate([shapes.arc(arc) for arc in ring])
        following = np.roll(corners, -1, axis=0)
        areas[key] = float((corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]).sum() / 2)
    low, high = shapes.vertices.min(axis=0), shapes.vertices.max(axis=0)
    assert min(areas.values()) > 0
    assert sum(areas.values()) == pytest.approx(float(np.prod(high - low)))  # no gap and no overlap
    assert ("ash", "oak") in {tuple(sorted(pair)) for pair in shapes.sides().values()}


def test_places_at_one_spot_and_a_lone_place_are_drawn() -> None:
    twins = tuple(Place(key, key, "land", 1.0, 1.0) for key in ("a", "b"))
    assert drawn_ids(draw(MapModel("Twins", twins))) == {"a", "b"}
    assert drawn_ids(draw(MapModel("One", twins[:1]))) == {"a"}
    ElementTree.fromstring(draw(MapModel("None", ())))


def test_a_place_that_the_shapes_do_not_know_is_a_disc() -> None:
    shapes = nearest_point_shapes({place.id: (place.lon, place.lat) for place in SMALL.places[1:]})
    assert "ash" in drawn_ids(draw(replace(SMALL, shapes=shapes)))


def test_items_about_unknown_places_are_passed_over() -> None:
    model = replace(
        SMALL,
        arrows=(Arrow("ash", "nowhere"),),
        links=(Link("nowhere", "ash"), Link("ash", "elm", via="nowhere")),
        works=(Work("nowhere", "ash"),),
        highlights=(Highlight("nowhere"),),
    )
    assert draw(model) == draw(SMALL)


def test_success_and_failure_differ_without_colors() -> None:
    def grey(outcome: str) -> str:
        model = replace(
            SMALL, arrows=(Arrow("ash", "elm", outcome),), highlights=(Highlight("oak", outcome),)
        )  # type: ignore[arg-type]
        return re.sub(r"#(?!fff\b)[0-9a-f]{3,6}\b", "grey", draw(model))

    assert len({grey("open"), grey("success"), grey("failure")}) == 3


def test_works_stand_on_their_own_side_of_the_border() -> None:
    layout = layout_from(
        {"size": [400, 400], "panels": [{"id": "p", "bounds": [-3, 45, 7, 55], "at": [0, 0, 400, 400]}]}
    )
    bare = replace(SMALL, layout=layout)

    def middle_x(place: str, facing: str) -> float:
        extra = draw(replace(bare, works=(Work(place, facing, "line"),)), labels=False)
        line = re.search(r'<path d="M([^"]*)" fill="none" stroke="#4a2c12"', extra)
        assert line
        return float(np.mean([float(pair.split(",")[0]) for pair in line[1].split("L")]))

    assert middle_x("ash", "elm") < middle_x("elm", "ash")  # Ashby lies to the left of Elmton


def test_owners_never_look_alike() -> None:
    many = tuple(Owner(f"o{k}", f"O{k}", group=("", "x", "y")[k % 3]) for k in range(150))
    looks = [(owner.color, owner.pattern) for owner in colored(many)]
    assert len(set(looks)) == len(looks)
    kept = colored((Owner("a", "A", color="#010203"), *many))[0]
    assert kept.color == "#010203"


def test_panels_show_what_their_bounds_say() -> None:
    for projection in ("conic", "mercator", "miller", "auto"):
        panel = Panel("p", "", (170.0, 30.0, 200.0, 60.0), (10.0, 20.0, 300.0, 200.0), projection)
        window = frame(panel)
        corners = np.array([[170.0, 30.0], [200.0, 30.0], [-175.0, 45.0], [185.0, 59.9]])
        sheet, inside = window.spots(corners)
        assert inside[2:].all()
        assert (sheet >= np.array([9.9, 19.9])).all() and (sheet <= np.array([310.1, 220.1])).all()
        assert sheet[3][1] < sheet[2][1] < sheet[0][1]  # north is up
        assert sheet[0][0] < sheet[2][0] < sheet[1][0]  # east is right
        assert not window.spots(np.array([[0.0, 45.0]]))[1][0]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"size": [1, 2]}, "panels"),
        ({"size": [1, 2], "panel": []}, "unknown key 'panel'"),
        ({"size": "big", "panels": []}, "size"),
        ({"size": [1, 2], "panels": [{"id": "p", "bounds": [5, 0, 1, 1], "at": [0, 0, 1, 1]}]}, "bounds"),
        ({"size": [1, 2], "panels": [{"id": "p", "bounds": [0, 0, 1, 1], "at": [0, 0, 0, 1]}]}, "at"),
        ({"size": [1, 2], "panels": [{"id": "p", "bounds": [0, 0, 1], "at": [0, 0, 1, 1]}]}, "bounds"),
    ],
)
def test_a_wrong_layout_says_what_is_wrong(data: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        layout_from(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"arcs": [], "objects": {"places": 3}, "transform": {"scale": [1, 1], "translate": [0, 0]}}',
    ],
)
def test_a_wrong_shapes_file_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="no shapes file"):
        read_shapes(text)


def test_a_picture_has_the_size_asked_for_and_shows_its_text() -> None:
    layout = layout_from(
        {"size": [400, 300], "panels": [{"id": "p", "bounds": [-3, 45, 7, 55], "at": [10, 10, 380, 280]}]}
    )
    model = replace(SMALL, layout=layout)
    with_text, without = pixels(to_png(draw(model), 200)), pixels(to_png(draw(model, labels=False), 200))
    assert with_text.shape[:2] == (150, 200)
    assert len(np.unique(with_text.reshape(-1, with_text.shape[2]), axis=0)) > 20
    assert (with_text != without).any(axis=2).sum() > 300  # names and badges left their marks


def test_a_picture_needs_a_width() -> None:
    with pytest.raises(ValueError, match="wide"):
        to_png(draw(SMALL), 0)
    with pytest.raises(ValueError, match="wide"):
        draw(SMALL, width=-1)


def test_text_widths_come_from_the_font() -> None:
    assert text_width("iiii", 10) < text_width("mmmm", 10)
    assert text_width("Ab", 20) == pytest.approx(2 * text_width("Ab", 10))
    assert text_width("é\u4e2d\U0001f600", 10) > 0  # also for what the font lacks


def test_shapes_are_derived_from_coasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A square island of two places in a sea of one, and an islet far off that is nobody's."""
    pytest.importorskip("shapely")
    monkeypatch.syspath_prepend(str(MAP.parent.parent / "tools"))
    import derive_shapes

    island, islet = [[0, 0], [4, 0], [0, 4], [-4, 0], [0, -4]], [[90, 40], [1, 0], [0, 1], [-1, 0], [0, -1]]
    countries = [
        {"type": "Polygon", "arcs": [[0]], "properties": {"name": "Isle"}},
        {"type": "Polygon", "arcs": [[1]], "properties": {"name": "Rock"}},
    ]
    land = {
        "type": "Topology",
        "transform": {"scale": [1, 1], "translate": [0, 0]},
        "arcs": [island, islet],
        "objects": {"countries": {"type": "GeometryCollection", "geometries": countries}},
    }
    (tmp_path / "land.json").write_text(json.dumps(land), encoding="utf-8")
    rows = "land:\n- {id: left, lon: 1, lat: 2}\n- {id: right, lon: 3, lat: 2}\nsea:\n- {id: bay, lon: 6, lat: 2}\n"
    (tmp_path / "map.yaml").write_text(rows, encoding="utf-8")
    where = [
        f"--{name}={tmp_path / file}"
        for name, file in (("land", "land.json"), ("places", "map.yaml#land"), ("seas", "map.yaml#sea"))
    ]
    assert derive_shapes.main([*where, f"--out={tmp_path / 'out.json'}"]) == 0

    shapes = read_shapes((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert set(shapes.rings) == {"left", "right", "bay"}
    assert len(shapes.background) == 1
    sides = {tuple(sorted(pair)) for pair in shapes.sides().values()}
    assert {("left", "right"), ("bay", "left"), ("bay", "right")} <= sides
    border = next(shapes.arc(arc) for arc, pair in shapes.sides().items() if set(pair) == {"left", "right"})
    assert np.allclose(border[:, 0], 2.0, atol=0.05)

    rows = rows.replace("sea:", "- {id: atoll, lon: 20, lat: 2}\nsea:")
    (tmp_path / "map.yaml").write_text(rows, encoding="utf-8")
    for islet, more in ((0, set()), (20, {"atoll"})):  # a place that no coast knows
        assert derive_shapes.main([*where, f"--islet={islet}", f"--out={tmp_path / 'out.json'}"]) == 0
        shapes = read_shapes((tmp_path / "out.json").read_text(encoding="utf-8"))
        assert set(shapes.rings) == {"left", "right", "bay"} | more


@pytest.mark.parametrize("scenario", sorted(p.stem for p in scenarios().glob("*.yaml")))
def test_owners_stand_apart_to_every_kind_of_eye(scenario: str) -> None:
    """Whoever shares a pattern differs in color, as a library computes it, to those who lack a kind of cones or see no color."""
    data, ruleset, _ = load_scenario(scenarios() / f"{scenario}.yaml")
    assert data is not None and ruleset is not None
    owners = map_model(ruleset, initial_state(ruleset, data), Drawing()).owners
    assert len(owners) >= 2
    rgb = {o.id: [int(o.color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for o in owners}
    kinds = [
        {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}
        for kind in ("protanomaly", "deuteranomaly", "tritanomaly")
    ]
    lost = {}
    for a, b in combinations(owners, 2):
        if a.pattern != b.pattern:
            continue
        seen = [cspace_convert([rgb[a.id], rgb[b.id]], space, "sRGB1") for space in kinds]
        gaps = [float(deltaE(*np.clip(pair, 0, 1), input_space="sRGB1")) for pair in seen]
        gaps.append(
            abs(
                cspace_convert(rgb[a.id], "sRGB1", "CIELab")[0]
                - cspace_convert(rgb[b.id], "sRGB1", "CIELab")[0]
            )
        )
        if min(gaps) < 5:
            lost[a.id, b.id] = gaps
    assert lost == {}


@pytest.mark.parametrize("ground", ["#333333", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#f2efe6"])
def test_the_tag_of_an_owner_is_read_on_its_color(ground: str) -> None:
    """Dark letters on light grounds, and white ones on dark grounds."""

    def lightness(color: str) -> float:
        red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
        return float(cspace_convert((red, green, blue), "sRGB255", "CIELab")[0])

    assert abs(lightness(lettering_on(ground)) - lightness(ground)) > 30
