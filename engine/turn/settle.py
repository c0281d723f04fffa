"""`settle`: the verdicts that a step names are found, all together, and written into the state.

What a verdict is and how those that depend on each other come out is `world/verdicts`. Where a row says why,
every thing's verdict is an entry of its own with its reason, so that the chain from one to the other can be
asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.journal import Entry
from ..core.messages import Message
from ..core.model import Row
from ..world.messages import message
from ..world.verdicts import TABLE, OpenVerdict, kind_of, settled, subject_of
from .context import Turn, audience_ids


def run(node: Row, turn: Turn) -> None:
    """Settle the verdicts of a step; earlier ones of the same rows are forgotten."""
    rows = [turn.ruleset.row("definitions", id_) for id_ in node["definitions"]]
    found = settled(turn.world, rows)
    told: list[tuple[Entry, Row, OpenVerdict, bool]] = []
    for row in rows:
        of_row = {outcome: how for outcome, how in found.items() if outcome.verdict == row["id"]}
        told += _written(turn, row, of_row)
    for entry, said_by, one, how in told:  # the words may name any of the verdicts
        entry.tell(reason(turn, said_by, one, how))


def _written(
    turn: Turn, row: Row, found: dict[OpenVerdict, bool]
) -> Iterator[tuple[Entry, Row, OpenVerdict, bool]]:
    """Write the verdicts of one row; gives the entries that are to say why."""
    rule, said = f"definitions/{row['id']}", row["fixpoint"]
    readers = audience_ids(turn.world, said.get("audience"), {})
    keys = {subject_of(one): one for one in found}
    with turn.journal.entry(rule, audience=readers, keep=False):
        for key, old in sorted(turn.state.table(TABLE).items()):
            if row["id"] in old:
                turn.journal.set(TABLE, key, row["id"], None)
        if "why" not in said:
            for key, one in keys.items():
                turn.journal.set(TABLE, key, row["id"], found[one])
            return
    for key, one in keys.items():
        with turn.journal.entry(rule, subject=key, audience=readers) as entry:
            turn.journal.set(TABLE, key, row["id"], found[one])
        yield entry, row, one, found[one]


def reason(turn: Turn, row: Row, one: OpenVerdict, how: bool) -> Message | None:
    """What the first reason says that fits a verdict."""
    names = {kind_of(row)[0]: one.thing}
    for said in row["fixpoint"]["why"]:
        if said.get("is", how) == how and turn.world.test(said.get("when"), names):
            return message(turn.world, said["says"], names)
    return None
