"""The engine knows no game: no id or name of any ruleset stands in its source, but for the words of its own vocabulary."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wteaw.core.package_data import rulesets, schemas, templates
from wteaw.core.registry import MECHANICS, VERBS
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import ALWAYS, BUILT_IN, KINDS
from wteaw.ruleset.folder import find_rulesets

ENGINE = Path(__file__).resolve().parent.parent / "engine"

# Forms whose rows name things of a game. The others (fields, terms, quantities, adjusts ...) name rules about them.
NAMING = (
    "places", "nations", "units", "technologies", "resources", "sides", "tracks", "groups", "passages", "missions", "actions",
    "events", "matrices", "orders", "production", "war_kinds", "counters", "fields", "stances", "movement", "battles",
)  # fmt: skip


def words(text: str) -> str:
    """Lower case, with one space between words, and one at each end."""
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return " " + " ".join(re.findall(r"[a-z0-9']+", text.lower())) + " "


def vocabulary() -> set[str]:
    """The engine's published words: functions, kinds, fields, verbs, mechanics, and what the schemas define and list."""
    return _of_the_language() | _of_schemas() | _listed()


def _of_the_language() -> set[str]:
    published = {*FUNCTIONS, *KINDS, *KINDS.values(), *ALWAYS, *VERBS, *MECHANICS}
    for fields in BUILT_IN.values():
        published.update(fields)
    return {words(w) for w in published if w}


def _of_schemas(*left_out: str) -> set[str]:
    paths = [path for path in schemas().glob("*.json") if path.name not in left_out]
    published = {path.name.split(".")[0] for path in paths}
    for path in paths:
        published.update(_schema_words(json.loads(path.read_text(encoding="utf-8"))))
    return {words(w) for w in published if w}


def _listed() -> set[str]:
    """The words that `docs/reference.md` lists: they stand in the source, and may occur in a ruleset."""
    readme = (ENGINE.parent / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.search(r"## Published words\n(.*?)(?=\n## |\Z)", readme, re.S)
    assert listed
    return {words(w) for w in re.findall(r"`([^`]+)`", listed.group(1)) if w}


def _schema_words(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("properties", "definitions"):
                yield from value
            if key in ("enum", "const"):
                yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str))
            yield from _schema_words(value)
    elif isinstance(node, list):
        for item in node:
            yield from _schema_words(item)


def game_words() -> dict[str, str]:
    """Every id, name and alias of every ruleset, as words, with where it comes from."""
    found: dict[str, str] = {}
    for folder in find_rulesets(rulesets()):
        ruleset, _ = load_ruleset(folder)
        assert ruleset is not None, folder
        for form in NAMING:
            for id_, row in ruleset.rows(form).items():
                for text in (
                    id_,
                    row.get("name", ""),
                    row.get("plural", ""),
                    row.get("adjective", ""),
                    *row.get("aliases", ()),
                ):
                    if len(str(text)) > 2:
                        found.setdefault(words(str(text)), f"{form}/{id_} of {ruleset.id}")
        for node in _nodes(ruleset.sequence):
            for key in ("phase", "step", "name"):
                if key in node:
                    found.setdefault(words(str(node[key])), f"frame {node[key]} of {ruleset.id}")
    return found


def _nodes(nodes: Any) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _nodes(node.get("steps", ()))


THINGS = (
    "places", "nations", "units", "technologies", "resources", "sides", "tracks", "groups", "passages", "missions", "production",
    "war_kinds", "movement", "theaters", "options",
)  # fmt: skip
"""Forms whose rows are things of a game, where others name rules about them."""

BEARERS = {"place", "nation", "unit", "side", "tech", "passage"}
"""The things of a game whose declared fields, and tags, are concepts of that game."""


def concepts() -> dict[str, str]:
    """The tags of every ruleset, and the fields that it declares of its things, as words, with where each comes from."""
    found: dict[str, str] = {}
    for folder in find_rulesets(rulesets()):
        ruleset, _ = load_ruleset(folder)
        assert ruleset is not None, folder
        for field in ruleset.rows("fields").values():
            if BEARERS & set(field["of"]):
                found.setdefault(words(field["id"]), f"fields/{field['id']} of {ruleset.id}")
        for form in ("units", "technologies"):
            for id_, row in ruleset.rows(form).items():
                for tag in row.get("tags", ()):
                    found.setdefault(words(tag), f"a tag of {form}/{id_} of {ruleset.id}")
    return found


def test_what_a_schema_publishes_is_no_thing_of_a_game() -> None:
    """A key or a listed value that is called like a thing, a field or a tag of a shipped game stands among the published words,
    each looked at."""
    known = _of_the_language() | _listed()
    things = {
        w: origin for w, origin in game_words().items() if origin.partition("/")[0] in THINGS
    } | concepts()
    published = _of_schemas(*(f"{name}.schema.json" for name in OF_IMPORTERS))
    found = [f"{word.strip()!r} is {things[word]}" for word in sorted(published - known) if word in things]
    assert not found, "\n".join(found)


IMPORTERS = {"importers/triplea": "triplea/words.yaml"}
"""Importers, which speak of the files of another program by the words of their own table."""

OF_IMPORTERS = ("triplea-words",)
"""The schemas of these tables."""


def table_words(path: Path) -> set[str]:
    """The words that stand in an importer's table."""
    parts = words(path.read_text(encoding="utf-8")).split()
    return {" ".join(["", *parts[k : k + n], ""]) for n in (1, 2, 3, 4) for k in range(len(parts) - n + 1)}


def own_words() -> dict[Path, set[str]]:
    """The folder of each importer to the words that stand in its table."""
    return {ENGINE / folder: table_words(templates() / name) for folder, name in IMPORTERS.items()}


OF_PYTHON = ("default_factory", "factory")
"""Names of the standard library that sound like a game's."""


def source_words(path: Path) -> Iterator[tuple[int, str]]:
    """Identifiers and texts of a module with their lines; comments and docstrings, being prose, for proper names only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield line, node.value
        for field in ("id", "attr", "name", "arg"):
            value = getattr(node, field, None)
            if isinstance(value, str) and value not in OF_PYTHON:
                yield line, value


def test_no_game_word_in_the_engine() -> None:
    known = vocabulary()
    wanted = {w: origin for w, origin in game_words().items() if w not in known}
    assert len(wanted) > 500, "the rulesets' words are collected"
    # A text that is one word or a snake_case name must not be a game word; a longer text must not contain a distinct one.
    hits = []
    tables = own_words()
    for path in sorted(ENGINE.rglob("*.py")):
        own = tables.get(path.parent, set())
        for line, text in source_words(path):
            as_words = words(text)
            if as_words in own:
                continue
            if as_words in wanted:
                hits.append(f"{path.relative_to(ENGINE)}:{line}: {text!r} is {wanted[as_words]}")
            else:
                hits.extend(
                    f"{path.relative_to(ENGINE)}:{line}: {text[:60]!r} holds {word.strip()!r}, {wanted[word]}"
                    for word in _parts(as_words)
                    if word in wanted and word not in own
                )
    assert not hits, "\n".join(sorted(set(hits)))


def _parts(text: str) -> Iterator[str]:
    """Runs of up to four words inside a text."""
    parts = text.split()
    for start in range(len(parts)):
        for length in range(1, 5):
            if start + length <= len(parts):
                yield " " + " ".join(parts[start : start + length]) + " "


def test_proper_names_are_not_even_in_prose() -> None:
    """Docstrings, comments and templates name no nation, place or unit kind either."""
    known = vocabulary()
    names = {
        w: o
        for w, o in game_words().items()
        if w not in known and o.split("/")[0] in ("nations", "units", "technologies", "sides")
    }
    hits = []
    tables = own_words()
    for path in sorted([*ENGINE.rglob("*.py"), *ENGINE.rglob("*.j2")]):
        own = tables.get(path.parent, set())
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            as_words = words(line)
            hits.extend(
                f"{path.relative_to(ENGINE)}:{number}: {w.strip()!r}, {o}"
                for w, o in names.items()
                if w in as_words and w not in own
            )
    assert not hits, "\n".join(sorted(set(hits)))
