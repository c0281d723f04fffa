"""Three recorded games of the Python package `diplomacy`, and how both it and we play them: orders as text in, positions
out."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wteaw.core.package_data import scenarios
from wteaw.play.scenario_files import load_scenario
from wteaw_importers.dpjson import Replayed, replay

NUMBERS = (1, 2, 3)
Record = dict[str, Any]


def _folder() -> Path | None:
    """Where the package keeps games that it tests itself with."""
    found = find_spec("diplomacy")
    return Path(found.origin).parent / "tests" / "network" if found and found.origin else None


def missing() -> str:
    """Why nothing can be compared; nothing, if it can."""
    folder = _folder()
    if folder is None:
        return "the package `diplomacy` is not installed (pip install diplomacy)"
    lacking = [n for n in NUMBERS if not (folder / f"{n}.json").exists()]
    return f"the package `diplomacy` has no recorded game {lacking[0]}" if lacking else ""


@cache
def _rules() -> tuple[Any, Any]:
    scenario, ruleset, _ = load_scenario(scenarios() / "diplomacy.yaml")
    return scenario, ruleset


def games() -> list[Record]:
    folder = _folder()
    assert folder is not None
    return [json.loads((folder / f"{n}.json").read_text(encoding="utf-8")) for n in NUMBERS]


def played_here(records: list[Record]) -> list[Replayed]:
    """The games by our rules, each position compared with the recorded one."""
    scenario, ruleset = _rules()
    return [replay(ruleset, record, scenario) for record in records]


def played_there(records: list[Record]) -> list[Any]:
    """The games by the package; the units at the end of each."""
    from diplomacy import Game  # type: ignore[import-not-found, import-untyped, unused-ignore]

    ends = []
    for record in records:
        game = Game()
        for phase in record["phases"]:
            if game.get_current_phase() != phase["name"]:
                break
            for power, lines in (phase["orders"] or {}).items():
                game.set_orders(power, lines or [])
            ends_here = game.get_state()["units"]
            game.process()
        ends.append(ends_here)
    return ends
