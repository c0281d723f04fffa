"""A ruleset of one's own to begin with: a small game, or a layer over a shipped ruleset, from the templates
that are shipped.

Templates are folders under `templates/`; words between dollar signs in their files stand for the id, the
title and the like.
"""

from __future__ import annotations

import json
import ntpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

import yaml

from ..core.diagnostics import nearest
from ..core.package_data import data_root, rulesets, scenarios, templates
from ..core.words import slug
from ..ruleset import load_ruleset
from ..ruleset.folder import MANIFEST, find_rulesets
from .new_folder import SCHEMAS, may_write, new_folder, put_schemas

GAME, LAYER = "new-game", "layer"
GAMES = (GAME, "conquest", "card-battle")
"""Small games to begin with: one of marches, money and a track; one of dice compared pair by pair; one of
cards."""
LONGEST = 60
_WORD = re.compile(r"\$([A-Z]+)\$")


class StarterError(ValueError):
    """A name or a base that will not do; the message says what would."""


@dataclass(frozen=True)
class Begun:
    """What was made: the folder, the id and the title of the ruleset, its scenario's file, and its files by
    name.
    """

    folder: Path
    id: str
    title: str
    scenario: Path
    files: tuple[str, ...]


def begin(folder: Path, *, extends: str = "", game: str = GAME, force: bool = False) -> Begun:
    """A new ruleset in a folder whose name is its own: one of `GAMES`, or a layer over a shipped ruleset.

    StarterError if the name, the game or the base will not do, FolderError if the folder will not; then
    nothing is left.
    """
    title = check_name(folder.name)
    id_ = slug(title)
    shipped = shipped_rulesets()
    if id_ in shipped:
        raise StarterError(
            f"{id_!r} is the id of a shipped ruleset; choose another name, or `--extends {id_}` for a layer "
            "over it"
        )
    if game not in GAMES:
        raise StarterError(f"no game {game!r} to begin with; there are {', '.join(GAMES)}")
    may_write(folder, force=force)
    values = {"ID": id_, "TITLE": title, "SCHEMAS": f"./{SCHEMAS}", "TABLES": "table-file"}
    if extends:
        values |= _base(extends, shipped) | {"TABLES": "overlay-file"}
    return _write(templates() / (LAYER if extends else game), folder, values)


def check_name(name: str) -> str:
    """The title that a folder's name makes. StarterError for one that is no name."""
    plain = re.sub(r"[\s_-]+", " ", name).strip()
    if (
        not plain
        or not re.fullmatch(r"[^\W_][\w '.&-]*", name.strip())
        or not re.search("[a-z]", slug(plain))
        or (slug(plain) == "x" and plain.lower() != "x")  # what a text without a letter of ours comes to
    ):
        raise StarterError(
            f"{name!r} is no name for a ruleset: letters, digits, spaces and hyphens, a letter among them, "
            "such as my-war"
        )
    if len(name) > LONGEST:
        raise StarterError(f"a name of {len(name)} letters; {LONGEST} are possible")
    if _reserved(slug(plain)):
        raise StarterError(f"{name!r} is a name that some systems keep for themselves; choose another")
    return plain if any(c.isupper() for c in plain) else plain.title()


def _reserved(name: str) -> bool:
    """Whether Windows keeps a name for a device."""
    if hasattr(ntpath, "isreserved"):  # from Python 3.13 on
        return bool(ntpath.isreserved(name))
    return PureWindowsPath(name).is_reserved()


def shipped_rulesets() -> dict[str, Path]:
    """Id to folder of every ruleset that is shipped."""
    found = {}
    for folder in find_rulesets(rulesets()):
        manifest = yaml.safe_load((folder / MANIFEST).read_text(encoding="utf-8"))
        found[str(manifest["id"])] = folder
    return found


def _base(name: str, shipped: Mapping[str, Path]) -> dict[str, str]:
    """What a layer over a shipped ruleset has to name: its place in the data, a scenario that plays it, one
    of its units.
    """
    base = shipped.get(name)
    if base is None:
        near = nearest(name, shipped)
        raise StarterError(
            f"no shipped ruleset {name!r}; {f'did you mean {near[0]!r}?' if near else 'there are'} "
            f"{', '.join(sorted(shipped))}"
        )
    plays = [
        path.stem
        for path in sorted(scenarios().glob("*.yaml"))
        if _plays(yaml.safe_load(path.read_text(encoding="utf-8")), name)
    ]
    ruleset, _ = load_ruleset(base)
    if ruleset is None or not plays or not ruleset.rows("units"):
        raise StarterError(f"the ruleset {name!r} has no scenario to begin from")
    unit = next(iter(ruleset.rows("units").values()))
    place = base.resolve().relative_to(data_root().resolve()).as_posix()
    return {
        "BASE": f"data:{place}",
        "SCENARIO": plays[0],
        "UNIT": str(unit["id"]),
        "UNITNAME": str(unit["name"]),
    }


def _plays(scenario: object, name: str) -> bool:
    return isinstance(scenario, dict) and scenario.get("ruleset") == name


def _write(template: Path, folder: Path, values: Mapping[str, str]) -> Begun:
    """The template's files with its words filled in, all at once or not at all."""
    with new_folder(folder) as work:
        put_schemas(work)
        files = [path.relative_to(template) for path in sorted(template.rglob("*")) if path.is_file()]
        for name in files:
            text = (template / name).read_text(encoding="utf-8")
            texts = _quoted(values) if name.suffix in (".yaml", ".json") else values
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(_filled(text, texts), encoding="utf-8")
    return Begun(
        folder,
        values["ID"],
        values["TITLE"],
        folder / "scenarios" / "start.yaml",
        tuple(f.as_posix() for f in files),
    )


def _quoted(values: Mapping[str, str]) -> dict[str, str]:
    """As they stand between double quotes of YAML and JSON."""
    return {key: json.dumps(value, ensure_ascii=False)[1:-1] for key, value in values.items()}


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _WORD.sub(lambda found: values.get(found[1], found[0]), text)
