"""The reference of the site: every form, function and code has an example, and each is what it says it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from wteaw.core.codes import CODES, page
from wteaw.core.package_data import data_root, rulesets
from wteaw.core.registry import MECHANICS, VERBS
from wteaw.report.map.model import LINK_STYLES, PROJECTIONS, SYMBOLS, WORK_STYLES
from wteaw.report.map_faults import drawing_faults
from wteaw.report.map_views import ARROWS
from wteaw.ruleset.drawing import read_map_file
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import FACTS
from wteaw.ruleset.folder import find_rulesets
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.runner import run_files
from wteaw.turn.events import MOMENT
from wteaw_editor.schemas_at import page_at

DOCS = Path(__file__).resolve().parent.parent / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from findings import examples, findings  # noqa: E402
from schema_pages import Writer, used_when  # noqa: E402
from wteaw_reference import EVERYWHERE, GROUPS, STRUCTURES, SYNTAX, Row, blocks_of, schema_pages, shortest  # noqa: E402

KNOWN = forms()


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return shortest(KNOWN, find_rulesets(rulesets()))


@pytest.fixture(scope="module")
def reference(rows: dict[str, Row]) -> tuple[dict[str, str], Writer]:
    return schema_pages(KNOWN, rows)


@pytest.mark.parametrize("form", KNOWN.names)
def test_every_form_has_a_row_of_a_shipped_ruleset(form: str, rows: dict[str, Row]) -> None:
    row = rows[form]
    assert (
        (data_root() / row.file)
        .read_text(encoding="utf-8")
        .splitlines()[row.line - 1]
        .strip(" -")
        .startswith(row.text.splitlines()[1].strip(" -")[:20])
    )
    node, found = load_text(row.text, row.file)
    assert node is not None and not found
    (value,) = plain_value(node)[form]
    assert faults(KNOWN, form, value) == []


def faults(known: Forms, form: str, value: object) -> list[str]:
    """What JSON Schema itself says of a row, not the quick check by which it was chosen."""
    judge = known._judge(known.schema(form), f"{form}.schema.json")
    return [error.message for error in judge.iter_errors(value)]


def test_every_form_has_its_chapter() -> None:
    listed = [form for group in GROUPS.values() for form in group]
    assert sorted(listed) == sorted(KNOWN.names)


def test_every_function_has_an_example_that_is_evaluated() -> None:
    file = DOCS / "examples" / "functions.yaml"
    cases = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
    shown = {text.split("(")[0] for case in cases for text in case["then"]["values"]}
    assert FUNCTIONS.keys() <= shown
    run = run_files([(file, file.name)])
    assert len(run.results) == len(cases) and run.ok, run


def test_the_ways_of_writing_are_examples_that_are_evaluated() -> None:
    cases = yaml.safe_load((DOCS / "examples" / "functions.yaml").read_text(encoding="utf-8"))["cases"]
    assert list(next(case for case in cases if case["id"] == "written")["then"]["values"]) == list(SYNTAX)


def test_the_glossary_says_each_word_in_a_sentence_with_a_link() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"^\[([^\]]+)\]\((\S+)\)\n: (.+)$", text, re.MULTILINE)
    words = [word for word, _, _ in entries]
    assert len(entries) == text.count("\n: ") >= 60 and words == sorted(words)
    assert not [word for word, _, says in entries if not says.endswith(".") or ". " in says]


def test_every_code_has_an_example() -> None:
    assert list(examples()) == list(CODES)


@pytest.mark.parametrize("code", examples())
def test_an_example_is_found_by_its_code(code: str, tmp_path: Path) -> None:
    example = examples()[code]
    assert {d.code for d in findings(example, tmp_path)} == {code, *example.get("also", ())}


# ---- nothing is left out


MADE = ("overlay-file.schema.json", "table-file.schema.json")
"""Schemas that are made of the others (`wteaw.ruleset.file_schemas`)."""


def maps_of_keys(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every `properties` of a schema, wherever it stands in it, with the way to it."""
    if isinstance(schema, dict):
        keys = schema.get("properties")
        if isinstance(keys, dict) and not path.endswith(("/properties", "/definitions")):
            yield path, keys
        for word, part in schema.items():
            if word != "if" or path.endswith("/properties"):  # a condition names keys that stand elsewhere
                yield from maps_of_keys(part, f"{path}/{word}")
    elif isinstance(schema, list):
        for n, part in enumerate(schema):
            yield from maps_of_keys(part, f"{path}/{n}")


def test_every_key_of_every_schema_has_its_place_and_its_description(
    reference: tuple[dict[str, str], Writer],
) -> None:
    pages, writer = reference
    missing, seen = [], 0
    for file, schema in KNOWN.files.items():
        for path, keys in maps_of_keys(schema, file) if file not in MADE else ():
            if id(keys) not in writer.written:
                missing.append(path)
                continue
            page, head = writer.written[id(keys)]
            text = pages[page]
            for key, raw in keys.items():
                seen += 1
                where = text.find(f'id="{head}.{key}"')
                says = raw.get("description") or KNOWN.resolve(raw, file)[0].get("description", "")
                if where < 0 or not says:
                    missing.append(f"{path}: {key}")
                elif key not in EVERYWHERE and head != "effect":
                    row = text[where : text.index("\n", where)]
                    assert row.count(" | ") >= 2 and len(row.rsplit(" | ", 1)[-1].strip(" |")) > 3, (
                        f"{path}: {key}: {row}"
                    )
    assert not missing and seen > 2000, missing


def test_no_list_of_words_is_cut(reference: tuple[dict[str, str], Writer]) -> None:
    pages, writer = reference
    for file, schema in KNOWN.files.items():
        for _, keys in maps_of_keys(schema, file) if file not in MADE else ():
            page, head = writer.written[id(keys)]
            for key, raw in keys.items():
                if isinstance(raw.get("enum"), list):
                    row = pages[page].split(f'id="{head}.{key}"')[1].splitlines()[0]
                    assert all(f"`{str(word).lower()}`" in row.lower() for word in raw["enum"]), (
                        f"{page}: {head}.{key}"
                    )


def test_links_between_the_pages_lead_somewhere(reference: tuple[dict[str, str], Writer]) -> None:
    pages, _ = reference
    labels = {
        label for text in pages.values() for label in re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    }
    for name, text in pages.items():
        for where, label in re.findall(r"\]\(([\w.-]*)#([\w-]+)\)", text):
            assert label in labels, f"{name}: {label}"
            assert not where or f"({label})=" in pages[where], f"{name}: {where}#{label}"
        for where in re.findall(r"\]\(([\w-]+\.md)\)", text):
            assert where in pages or where == "expressions.md", f"{name}: {where}"


def test_every_verb_and_structure_has_an_example_that_is_carried_out() -> None:
    assert set(blocks_of("effects.yaml")) == {*VERBS, *STRUCTURES}
    for key, lines in blocks_of("effects.yaml").items():
        effects = yaml.safe_load("\n".join(lines))
        assert any(key in effect for effect in effects), key
    _runs("effects.yaml")


def test_every_trigger_has_an_example_that_fires() -> None:
    assert list(blocks_of("triggers.yaml")) == list(FACTS)
    for word, lines in blocks_of("triggers.yaml").items():
        ((event),) = yaml.load("\n".join(lines).replace("on:", "'on':"), yaml.SafeLoader)
        assert event["on"] == word or set(event["on"]) == {word}
    _runs("triggers.yaml")


def _runs(name: str) -> None:
    """Every case of a file of examples passes, and each shows something."""
    file = DOCS / "examples" / name
    cases = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
    run = run_files([(file, file.name)])
    assert len(run.results) == len(cases) == len(blocks_of(name)) and run.ok, run


def test_every_word_of_triggers_mechanics_and_slots_says_what_it_means() -> None:
    common, do = (
        KNOWN.files["common.schema.json"]["definitions"],
        KNOWN.schema("sequence")["properties"]["do"],
    )
    slot, kind = common["slot"]["oneOf"][0], common["slot"]["oneOf"][1]["properties"]["kind"]
    for part in (common["triggerWord"], do, slot, kind):
        assert list(part["x-says"]) == part["enum"] and all(part["x-says"].values())
    assert set(do["enum"]) == MECHANICS.keys() - {MOMENT}
    assert (
        do["x-states"].keys() <= set(do["enum"])
        and {w for words in do["x-states"].values() for w in words} <= FACTS.keys()
    )
    assert kind["x-says"].items() >= slot["x-says"].items()


def test_a_table_that_is_a_union_shows_the_keys_of_each_kind_under_a_heading(
    reference: tuple[dict[str, str], Writer],
) -> None:
    pages, _ = reference
    page = pages["table-battles.md"]
    assert "Only with" not in page.replace("Used only", "")
    for key, words in {
        "where": ("contested", "contacts", "passed", "records"),
        "stages.resolve": ("roll_under", "face", "sum", "compare"),
    }.items():
        blocks = re.findall(rf"^## `{re.escape(key)}\.(\w+)`", page, flags=re.MULTILINE)
        assert blocks == list(words)
    common = page.partition("## `")[0]
    assert "battles.where.records.over" in page and "over`" not in common and "`tie`" not in common
    assert page.count("`tie`") == 2 and 'id="battles.stages.resolve.compare.tie"' in page
    assert "## Only with `kind: aim`" in pages["table-victory.md"]
    assert "## Only with `how: status`" in pages["table-capture.md"]


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ({"roll": []}, "together with `roll`"),
        ({"through": [], "back": [], "at": []}, "together with `through`, `back` or `at`"),
        ({"test": [None]}, "without `test`"),
        ({"/where": ["records"]}, "when `where` of the row is `records`"),
        ({"where": ["passed", "targets", None]}, "when `where` is `passed` or `targets`, or is left out"),
        ({"do": ["move"], "close": []}, "together with `close`, or when `do` is `move`"),
        (
            {"/stages/*/resolve": ["sum"], "x": [True]},
            "when `resolve` of one of the `stages` is `sum`, or when `x` is `true`",
        ),
    ],
)
def test_when_a_key_is_used_is_said_in_a_sentence(others: dict[str, list[Any]], says: str) -> None:
    assert used_when(others) == says


def test_every_mechanic_and_role_has_its_place(reference: tuple[dict[str, str], Writer]) -> None:
    pages, _ = reference
    for name in MECHANICS.keys() - {MOMENT}:
        assert f'id="mechanic.{name}"' in pages["mechanics.md"], name
    for word, roles in FACTS.items():
        for role in roles:
            row = pages["triggers.md"].split(f'id="trigger.{word}.{role}"')[1].splitlines()[0]
            assert len(row.split("` | ")[1].strip(" |")) > 3, f"{word}: {role}"


def test_every_code_leads_to_a_page(reference: tuple[dict[str, str], Writer]) -> None:
    pages, _ = reference
    for code in CODES:
        where, _, label = page(code).partition("#")
        made = where.removeprefix("made/")
        assert (DOCS / where).is_file() if made == where else made in pages or made == "expressions.md", code
        assert not label or f"({label})=" in pages[made], code


def test_the_schemas_of_map_files_say_what_is_read(tmp_path: Path) -> None:
    """The shipped files fit them, and their words are those of the drawing."""
    folders = [*find_rulesets(rulesets()), data_root() / "templates" / "new-game"]
    seen = 0
    for name in ("layout", "marks"):
        for path in (folder / "map" / f"{name}.yaml" for folder in folders):
            if path.is_file():
                seen += 1
                assert KNOWN.faults(f"map-{name}", read_map_file(path)) == [], path
    assert seen > 8
    (tmp_path / "map").mkdir()
    (tmp_path / "map" / "marks.yaml").write_text(
        "symbls: {capital: star}\nlinks: {strait: arow}\n", encoding="utf-8"
    )
    said = [(d.code, d.message, d.hint) for d in drawing_faults(tmp_path)]
    assert ("E511", "no map can be drawn with this: unknown key 'symbls'", "did you mean 'symbols'?") in said
    assert (
        any(
            message.startswith("no map can be drawn with this: links.strait: 'arow'")
            for _, message, _ in said
        )
        and len(said) == 2
    )
    marks = KNOWN.schema("map-marks")["properties"]
    words = {key: tuple(marks[key]["additionalProperties"]["enum"]) for key in ("links", "works")}
    assert words == {"links": LINK_STYLES, "works": WORK_STYLES}
    assert marks["symbols"]["additionalProperties"]["pattern"] == f"^({'|'.join(SYMBOLS)})$"
    assert set(ARROWS) < set(marks["orders"]["additionalProperties"]["enum"])
    panel = KNOWN.schema("map-layout")["properties"]["panels"]["items"]["properties"]
    assert tuple(panel["projection"]["enum"]) == PROJECTIONS


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value inside a value."""
    if path:
        yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for step, inner in value.items():
            yield from paths(inner, (*path, step))


def test_hover_leads_to_places_that_there_are(
    reference: tuple[dict[str, str], Writer], rows: dict[str, Row]
) -> None:
    pages, _ = reference
    examples = {form: yaml.load(row.text, yaml.CBaseLoader)[form][0] for form, row in rows.items()}
    deeper = {
        "battles": {"stages": [{"value": {"attacker": "1"}}]},
        "events": {"effects": [{"roll": {"die": "1d6"}}]},
    }
    for form, row in [*examples.items(), *deeper.items()]:
        for path in paths(row):
            page, _, label = page_at(KNOWN, form, path).partition("#")
            assert not label or f'id="{label}"' in pages[page.replace(".html", ".md")], (
                f"{form}: {path}: {page}#{label}"
            )
    assert page_at(KNOWN, "battles", ("stages", 0, "die")) == "table-battles.html#battles.stages.die"
    assert page_at(KNOWN, "events", ("effects", 0, "pay", "amount")) == "effects.html#effect.pay.amount"
    assert page_at(KNOWN, "events", ("effects", 0, "roll", "die")) == "shared.html#shared.roll.die"
    assert page_at(KNOWN, "sequence", ("steps", 0, "steps", 0, "do")) == "table-sequence.html#sequence.do"
