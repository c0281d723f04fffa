"""The examples of what `wteaw validate` finds: laid beside the small game of `wteaw init`, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from wteaw.core.diagnostics import Diagnostic
from wteaw.play.scenario_files import load_scenario
from wteaw.play.starter import begin
from wteaw.report.map_faults import drawing_faults
from wteaw.ruleset import load_ruleset

EXAMPLES = Path(__file__).parent.parent / "examples" / "findings.yaml"
LAYER = "id: layer\ntitle: A layer\nextends: ../mine\n"


def examples() -> dict[str, dict[str, Any]]:
    """Code -> its example, as the head of `findings.yaml` describes it."""
    return dict(yaml.safe_load(EXAMPLES.read_text(encoding="utf-8")))


def findings(example: Mapping[str, Any], folder: Path) -> list[Diagnostic]:
    """What is found in a new game with the files of an example; it is made in an empty folder."""
    here = begin(folder / "mine").folder
    if example.get("layer"):
        here = folder / "layer"
        here.mkdir()
        (here / "ruleset.yaml").write_text(LAYER, encoding="utf-8")
    for name, text in example.get("files", {}).items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if example.get("link"):
            path.symlink_to(text)
        else:
            path.write_bytes(text.encode(example.get("encoding", "utf-8")) * example.get("times", 1))
    if "without" in example:
        (here / example["without"]).unlink()
    if "scenario" in example:
        return load_scenario(here / example["scenario"], cache=False)[2]
    return [*load_ruleset(here, cache=False)[1], *drawing_faults(here)]
