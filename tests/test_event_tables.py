"""The event tables of the base ruleset, cell by cell, against the printed tables written down here.

A cell is a range from 0: `+5` toward the Allied Powers, `-5` toward the Central Powers, `~5` against the one who acts, `^5` toward
it, `z5` the actor's own opinion toward zero; `.` is no effect, or a column that the event cannot concern.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wteaw.core.model import Ruleset
from wteaw.ruleset.compile import load_ruleset
from wteaw.turn.matrices import cell_of

FOLDER = Path(__file__).resolve().parents[1] / "ruleset"
SEVEN = ("ottoman-empire", "italy", "spain", "china", "usa", "far", "near")
TABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "main-war": (
        SEVEN,
        """
        r01-central-declares-war-on-neutral      .  +5  +2   +2   +3  +2 +3
        r02-allied-declares-war-on-neutral      -3  -5  -2   -2   -3  -2 -3
        r03-ottoman-joins-central                .  -2  +1    .   -3  -1 -2
        r04-ottoman-joins-allied                 .  +2  -1    .   +3  +1 +2
        r05-italy-joins-central                 -4   .  -1    .   -4  -1 -2
        r06-italy-joins-allied                  +3   .  +1    .   +4  +1 +2
        r07-spain-joins-central                 -4  -4   .   +1   -2  -1 -2
        r08-spain-joins-allied                  +3  +4   .   -1   +2  +1 +2
        r09-china-joins-central                 -2  -2  -2    .   -4  -1 -2
        r10-china-joins-allied                  +2  +2  +1    .   +4  +1 +2
        r11-usa-joins-central                   -2  -6  +2  -20    .  -3 -2
        r12-usa-joins-allied                    +2  +6   .  +20    .  +3 +2
        r13-japan-joins-central                 -2  -2   .  +18   +4  -1 -2
        r14-japan-joins-allied                  +2  +2   .  -10   -4  +1 +2
        r15-british-enter-central-unprovoked    -2  -1  -1   -2  +20  +2 +2
        r16-british-enter-allied-unprovoked     +1   .  +1    .   -3   .  .
        r17-minor-joins-central                 -1  -1  -1   -1   -2  -1 -2
        r18-minor-joins-allied                  +1  +1  +1   +1   +2  +1 +2
        """,
    ),
    "aggression": (
        SEVEN,
        """
        r01-ottoman-war-on-major                z6  ~4   .   ~2   ~4   . ~2
        r02-ottoman-war-on-minor                 .  ~2   .   ~2   ~4  ~2 ~4
        r03-italy-war-on-major                  ~2  z6  ~4   ~2   ~4   . ~2
        r04-italy-war-on-minor                  ~2  z2  ~2   ~2   ~4  ~2 ~4
        r05-spain-war-on-major                  ~2  ~4  z6   ~2   ~4   . ~2
        r06-spain-war-on-minor                  ~2  ~2  z4   ~2   ~4  ~2 ~4
        r07-china-war-on-major                   .   .   .   z6   ~4   . ~2
        r08-china-war-on-minor                   .   .   .    .   ~4  ~2 ~4
        r09-usa-war-on-major                     .   .  ~6    .   z6   . ~2
        r10-usa-war-on-minor                     .   .  ~2    .    .  ~2 ~4
        r11-japan-war-on-major                   .   .   .  ~10   ~4   . ~2
        r12-japan-war-on-minor                   .   .   .   ~4   ~4  ~2 ~4
        """,
    ),
    "pressure": (
        SEVEN,
        """
        r01-panama-closed                               .   .   .  ~1  ~1  ~1 ~1
        r02-gibraltar-closed                           ~1  ~2  ~2   .  ~1  ~1 ~1
        r03-suez-closed                                ~1  ~2  ~1  ~1   .  ~1 ~1
        r04-bosporus-closed                             .  ~1  ~1   .  ~1  ~1 ~1
        r05-unrestricted-submarine-warfare             ~1  ~2  ~1  ~1  ~2  ~1 ~1
        r05-unrestricted-submarine-warfare-later       ~1  ~1  ~1  ~1  ~1  ~1 ~1
        """,
    ),
    "massed-troops": (
        ("ottoman-empire", "italy", "spain", "china", "usa", "near"),
        "r06-more-than-five-units-adjacent  ~2 ~2 ~2 ~2 ~2 ~2",
    ),
    "local-war": (
        ("rival", "italy-ottoman", "usa", "usa-china-spain", "near", "far"),
        """
        r01-declares-war-on-major                       .  ~5  ~2  ~2  ~3  ~3
        r02-declares-war-on-minor-in-local-war         ~7  ~3  ~2  ~2  ~6  ~3
        r03-influences-favourable-minor-in-local-war   ~6  ^1  ^1  ^1  ^1  ^1
        r04-influences-unfavourable-minor-in-local-war ~6  ~2  ~2  ~2  ~2  ~2
        r05-attacks-major-at-war-with-minor             .  ~5  ~2  ~2  ~3  ~3
        r06-attacks-major-at-war-with-major            ~7  ~3  ~2  ~2  ~3  ~3
        rival-goes-on                                  ~3   .   .   .   .   .
        others-against-rival                            .  ~1  ~1  ~1  ~1  ~1
        """,
    ),
}
CELLS = [
    (matrix, row.split()[0], column, cell)
    for matrix, (columns, rows) in TABLES.items()
    for row in rows.strip().splitlines()
    for column, cell in zip(columns, row.split()[1:], strict=True)
]


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    ruleset, _ = load_ruleset(FOLDER)
    assert ruleset is not None
    return ruleset


def read(rules: Ruleset, matrix: str, row: str, column: str) -> Any:
    """A cell as it is played."""
    whole = rules.row("matrices", matrix)
    return cell_of(whole, next(r for r in whole["rows"] if r["id"] == row), column)


def in_short(cell: Any) -> str:
    """A cell of the ruleset as it is written above."""
    if cell is None:
        return "."
    least, _, most = str(cell["by"]).partition("..")
    assert least == "0"
    if cell.get("to_zero"):
        return f"z{most}"
    way = {
        ("toward", "allied"): "+",
        ("toward", "central"): "-",
        ("against", "actor"): "~",
        ("toward", "actor"): "^",
    }
    return way[next((k, cell[k]) for k in ("toward", "against") if k in cell)] + most


@pytest.mark.parametrize(("matrix", "row", "column", "cell"), CELLS)
def test_every_cell_is_as_printed(rules: Ruleset, matrix: str, row: str, column: str, cell: str) -> None:
    assert in_short(read(rules, matrix, row, column)) == cell


def test_there_are_no_other_rows_or_columns(rules: Ruleset) -> None:
    assert set(rules.rows("matrices")) == set(TABLES)
    for matrix, (columns, _) in TABLES.items():
        row = rules.row("matrices", matrix)
        assert {next(iter(c)) if isinstance(c, dict) else c for c in row["columns"]} <= {*columns}
        assert [r["id"] for r in row["rows"]] == list(dict.fromkeys(r for m, r, _, _ in CELLS if m == matrix))
        assert all(set(r["cells"]) <= set(columns) for r in row["rows"])


def test_what_a_cell_means_besides_its_range(rules: Ruleset) -> None:
    assert read(rules, "main-war", "r03-ottoman-joins-central", "usa")["when"] == "turn <= 3"
    for row in rules.row("matrices", "aggression")["rows"]:
        for column in row["cells"]:  # the actor loses ground at once, all else is held
            found = read(rules, "aggression", row["id"], column)
            assert (found.get("delay") == "none") == bool(found.get("to_zero"))
