"""Seeded games of every scenario come out as they did: states, journals and reports, as hashes in `data/goldens.json`.

Whoever changes the rules, the bots or the wording on purpose writes the hashes again, reads what has changed, and says in the
commit why: `python -m tests.test_goldens [SCENARIO ...]`.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from wteaw.core.canonical import dumps
from wteaw.core.journal import Entry
from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.pending import commanded
from wteaw.play.resolve import resolutions
from wteaw.play.scenario_files import load_scenario, named_ruleset
from wteaw.report.report_files import write_reports
from wteaw.ruleset.drawing import read_drawing

GOLDENS = Path(__file__).parent / "data" / "goldens.json"
SEED = bytes.fromhex("60" * 32)
TURNS, FEWER = 5, {"third-edition-1914": 2}
"""Turns of a game: fewer where one turn has orders to give at dozens of points."""
PROOF = re.compile(r"\b[0-9a-f]{12,}\b")
"""Hashes of states, journals and commitments, and keys of dice."""
SCENARIOS = sorted(p.stem for p in scenarios().glob("*.yaml"))


def outcome_of(name: str, folder: Path) -> dict[str, str]:
    """The hashes of one scenario after so many turns of its bots: state, head of the journal, text and pages of all reports."""
    path = scenarios() / f"{name}.yaml"
    scenario, ruleset, findings = load_scenario(path)
    assert scenario is not None and ruleset is not None, findings
    rules, _ = named_ruleset(scenario["ruleset"], path.parent)
    assert rules is not None
    drawing = read_drawing(rules)
    game = new_game(folder / "game", scenario, ruleset, id_=name, seed=SEED, drawing=drawing)
    asked = commanded(game)
    for _ in resolutions(game, FEWER.get(name, TURNS)):
        pass
    position = game.stage().position
    write_reports(game, folder / "reports", [None, *asked], drawing)
    return {
        "turn": str(position.turn),
        "state": position.state.hash(),
        "journal": _hash_of_journal(game.journal()),
        **{f"reports ({suffix})": _hash_of_files(folder / "reports", suffix) for suffix in ("txt", "html")},
    }


def _hash_of_journal(entries: Iterable[Entry]) -> str:
    """Of all that entries say but the lines of the tables that they name, which move with every comment."""
    sha = hashlib.sha256()
    for entry in entries:
        row = {key: value for key, value in entry.to_json().items() if key not in ("at", "hash")}
        sha.update(dumps(row) + b"\n")
    return sha.hexdigest()


def _hash_of_files(folder: Path, suffix: str) -> str:
    """Of the files of a kind, without the proofs in them: those depend on the journal's bytes."""
    sha = hashlib.sha256()
    for path in sorted(folder.glob(f"*.{suffix}")):
        text = PROOF.sub("#", path.read_text(encoding="utf-8"))
        sha.update(f"{path.name}\0{text}\0".encode())
    return sha.hexdigest()


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_seeded_game_comes_out_as_before(name: str, tmp_path: Path) -> None:
    expected = json.loads(GOLDENS.read_text(encoding="utf-8"))
    assert outcome_of(name, tmp_path) == expected[name]


def main(names: list[str]) -> None:
    """Write the hashes of some scenarios (all, if none is named) again."""
    goldens = json.loads(GOLDENS.read_text(encoding="utf-8")) if GOLDENS.exists() else {}
    for name in names or SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            found = outcome_of(name, Path(folder))
        changed = [key for key, value in found.items() if goldens.get(name, {}).get(key) != value]
        print(f"{name}: {', '.join(changed) + ' changed' if changed else 'as before'}")
        goldens[name] = found
    GOLDENS.write_text(json.dumps(goldens, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
