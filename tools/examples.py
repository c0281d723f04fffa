"""Writes docs/examples anew: what players and moderators read after real turns that built-in policies played
on fixed dice.

    python tools/examples.py            # all of them
    python tools/examples.py 1914       # those of one scenario

A change of wording is so seen in review: `git diff docs/examples`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wteaw.core.package_data import scenarios
from wteaw.play.begin import new_game
from wteaw.play.resolve import resolve_turn
from wteaw.play.scenario_files import load_scenario
from wteaw.report.render import as_text
from wteaw.report.turn_reports import report

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "examples"
SEED = bytes(range(16))
EXAMPLES = {
    "1914": (2, ("german-empire", "serbia", None)),
    "third-edition-1914": (2, ("french-empire",)),
    "alliances-4": (3, ("germany",)),
    "diplomacy": (3, ("france",)),
    "empire-orders": (3, ("aster",)),
    "no-mans-land": (2, ("germany",)),
}
"""Scenario -> how many turns are played, and whose reports are written; None is the moderator."""


def examples(scenario: str) -> Iterator[tuple[str, str]]:
    """File name and text of each example of a scenario."""
    turns, readers = EXAMPLES[scenario]
    data, ruleset, found = load_scenario(scenarios() / f"{scenario}.yaml")
    if data is None or ruleset is None:
        raise SystemExit(f"{scenario} cannot be played: {[d.message for d in found][:3]}")
    with tempfile.TemporaryDirectory() as folder:
        game = new_game(Path(folder) / "game", data, ruleset, id_=scenario, seed=SEED)
        first = game.stage().position.turn
        while game.stage().position.turn < first + turns and not game.stage().position.ended:
            resolve_turn(game, force=True)
        for reader in readers:
            text = as_text(report(game, reader, template=False)).partition("\nPROOF")[0].rstrip("\n") + "\n"
            yield f"{scenario}-{reader or 'moderator'}.txt", text


def main(names: list[str]) -> None:
    """Write the examples of some scenarios, or of all."""
    FOLDER.mkdir(exist_ok=True)
    for scenario in names or EXAMPLES:
        for name, text in examples(scenario):
            (FOLDER / name).write_text(text, encoding="utf-8")
            print(f"{FOLDER / name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main(sys.argv[1:])
