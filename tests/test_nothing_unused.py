"""What no shipped ruleset uses goes: keys of schemas, mechanics, verbs, functions of expressions.

Each may stand only if a row, a scenario or a rule test uses it, or if it is in `unused.yaml` with a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wteaw.core.registry import MECHANICS, VERBS
from wteaw.play.starter import GAMES, begin
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.folder import TABLE_FOLDERS
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.cases import read_tree
from wteaw.turn.events import MOMENT
from wteaw_importers.triplea.folder import import_game

from .test_schema_keys import REMARKS

ROOT = Path(__file__).parents[1]
Key = tuple[str, str]
"""Where a schema defines a key ("file#/pointer"), and the key."""

LIST = Path(__file__).parent / "unused.yaml"
NO_RULES = {"overlay-file", "table-file", "rule-test", "equivalent", "scenario", "triplea-words"}
"""Schemas of whole files that repeat the forms, and languages of their own: of tests, of starting positions, of an importer."""


@cache
def kept() -> dict[str, str]:
    """What nothing shipped uses -> why it stays: keys ("schema#pointer: key"), `mechanic NAME`, `verb NAME`, `function NAME`."""
    node, found = read_tree(LIST, LIST.name)
    assert node is not None, found
    return {what: why for why, those in plain_value(node).items() for what in those}


@cache
def schema(file: str) -> Any:
    return json.loads((ROOT / "schemas" / file).read_text(encoding="utf-8"))


def resolve(file: str, pointer: str) -> tuple[str, str, Any]:
    node = schema(file)
    for part in filter(None, pointer.split("/")):
        node = node[int(part)] if isinstance(node, list) else node[part]
    return file, pointer, node


def fits(node: Any, value: Any) -> bool:
    """Whether a branch of a choice can be meant by a value: by its type and the words it must have."""
    if "$ref" in node:
        return True
    wanted = node.get("type")
    types = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    if wanted is not None and not any(
        isinstance(value, types[t]) for t in ([wanted] if isinstance(wanted, str) else wanted)
    ):
        return False
    return not isinstance(value, dict) or all(key in value for key in node.get("required", ()))


def walk(file: str, pointer: str, value: Any, used: set[Key], at: frozenset[Any] = frozenset()) -> None:
    """Note the keys of a value where its schema defines them."""
    file, pointer, node = resolve(file, pointer)
    if not isinstance(node, dict) or (file, pointer, id(value)) in at:
        return
    at |= {(file, pointer, id(value))}
    if "$ref" in node:
        where, _, inner = node["$ref"].partition("#")
        walk(where or file, inner, value, used, at)
    for word in ("allOf", "anyOf", "oneOf"):
        for place, branch in enumerate(node.get(word, ())):
            if fits(branch, value):
                walk(file, f"{pointer}/{word}/{place}", value, used, at)
    if isinstance(value, dict):
        known = node.get("properties", {})
        for key, inner in value.items():
            if key in known:
                used.add((f"{file}#{pointer}", str(key)))
                walk(file, f"{pointer}/properties/{key}", inner, used, at)
            elif isinstance(node.get("additionalProperties"), dict):
                walk(file, f"{pointer}/additionalProperties", inner, used, at)
            for pattern in node.get("patternProperties", {}):
                if re.search(pattern, str(key)):
                    walk(file, f"{pointer}/patternProperties/{pattern.replace('/', '~1')}", inner, used, at)
    if isinstance(value, list):
        items = node.get("items")
        for inner in value:
            if isinstance(items, dict):
                walk(file, f"{pointer}/items", inner, used, at)


def defined(file: str) -> Iterator[Key]:
    """Every key that a schema file defines."""
    yield from _defined(file, schema(file), "")


def _defined(file: str, node: Any, pointer: str) -> Iterator[Key]:
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and not pointer.endswith("/properties"):
            yield from ((f"{file}#{pointer}", key) for key in node["properties"])
        for key, inner in node.items():
            if key == "if" and not pointer.endswith("/properties"):
                continue  # a condition names keys that are defined elsewhere
            yield from _defined(file, inner, f"{pointer}/{key}")
    elif isinstance(node, list):
        for place, inner in enumerate(node):
            yield from _defined(file, inner, f"{pointer}/{place}")


@cache
def shipped() -> list[tuple[str, Any]]:
    """Every file of a shipped ruleset and scenario, and of the rulesets that the program makes, with the schema of its kind."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        for game in GAMES:
            begin(folder / f"a-{game}", game=game)
        for game in ("straits/straits.xml", "valley.xml"):
            import_game(ROOT / "tests" / "data" / "triplea" / game, folder / Path(game).stem)
        return [*_files(ROOT / "ruleset"), *_files(ROOT / "scenarios"), *_files(folder)]


def _files(root: Path) -> list[tuple[str, Any]]:
    out = []
    for path in sorted(root.rglob("*.yaml")):
        kind = _kind_of_file(path)
        if kind:
            node, found = read_tree(path, path.name)
            assert node is not None, found
            out.append((kind, plain_value(node)))
    return out


def _kind_of_file(path: Path) -> str:
    """The schema of a file, by where it stands; "" for one that has none."""
    if path.name == "ruleset.yaml":
        return "manifest"
    kinds = {"tests": "rule-test", "scenarios": "scenario", "map": f"map-{path.stem}"}
    kinds |= dict.fromkeys(TABLE_FOLDERS, "table-file")
    return kinds.get(path.parent.name, "")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(key)
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def unused() -> list[str]:
    """Keys that nothing shipped has, as `schema#pointer: key`."""
    used: set[Key] = set()
    for kind, data in shipped():
        walk(f"{kind}.schema.json", "", data, used)
        for form, rows in data.items() if kind == "table-file" else ():
            if (
                ROOT / "schemas" / f"{form}.schema.json"
            ).is_file():  # rows of overlays, which name only what differs
                for row in rows:
                    for part in (row, row.get("append", {})):
                        walk(f"{form}.schema.json", "", part, used)
    names = {
        path.name
        for path in (ROOT / "schemas").glob("*.json")
        if path.name.removesuffix(".schema.json") not in NO_RULES
    }
    found = [
        (where.replace(".schema.json", ""), key)
        for name in sorted(names)
        for where, key in defined(name)
        if (where, key) not in used
    ]
    return [f"{where}: {key}" for where, key in found if key not in REMARKS]


def test_every_key_of_a_schema_is_used() -> None:
    missing = [what for what in unused() if what not in kept()]
    assert not missing, "\n".join(missing)


def test_every_mechanic_verb_and_function_is_used() -> None:
    said = {text for _, data in shipped() for text in texts(data)}
    everything = "\n".join(said)
    calls = set(re.findall(r"\b([a-z_]+)\(", everything))
    missing = [f"mechanic {m}" for m in MECHANICS if m not in said and m != MOMENT]
    missing += [f"verb {v}" for v in VERBS if v not in said]
    missing += [f"function {f}" for f in FUNCTIONS if f not in calls]
    assert not [what for what in missing if what not in kept()]


def test_what_is_kept_is_unused_and_has_a_reason() -> None:
    said = {text for _, data in shipped() for text in texts(data)}
    calls = set(re.findall(r"\b([a-z_]+)\(", "\n".join(said)))
    here = {
        *unused(),
        *(f"mechanic {m}" for m in MECHANICS if m not in said),
        *(f"verb {v}" for v in VERBS if v not in said),
    }
    here |= {f"function {f}" for f in FUNCTIONS if f not in calls}
    assert not [what for what, why in kept().items() if what not in here or len(why) < 30]
