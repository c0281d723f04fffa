"""`inform`: what was hidden is shown, and knowledge is written down, at a step of the sequence of play.

A row of the form `visibility` with `opens` is shut until a step names it (`shows`); from then on, for the
rest of the turn or for good, views hold what the row shows. So sealed orders, hands and cards are revealed
together. What is read once, and not kept open, is told by the entry of the step: whoever the row is for finds
what it shows in the entry's data.
"""

from __future__ import annotations

from typing import Any

from ..core.journal import EVERYONE, NOBODY
from ..core.messages import Message, thing
from ..core.model import Row
from ..core.rows import VisibilityRow
from ..core.state import Entity
from ..world.messages import message, say
from ..world.routes import form_of_item, name_of
from ..world.selections import id_of
from ..world.view import Viewer
from .context import Turn


def run(node: Row, turn: Turn) -> None:
    """Open the rows that the node names (`shows`), in their order, each for its readers."""
    for id_ in node.get("visibility", ()):
        open_row(turn, turn.ruleset.row("visibility", id_))


def open_row(turn: Turn, row: VisibilityRow) -> None:
    """Open one row and tell its readers what it shows; where it is for owners, sides or allies, each in an
    entry of their own.
    """
    rule = f"visibility/{row['id']}"
    to = [row["to"]] if isinstance(row["to"], str) else row["to"]
    with turn.journal.entry(rule, subject=row["what"], audience=(NOBODY,), keep=False):
        turn.journal.set("opened", "visibility", row["id"], turn.number)
    readers = [None] if EVERYONE in to and "when" not in row else turn.world.nations()
    viewer = Viewer(turn.ruleset, turn.state, geography=turn.world.geography)
    for reader in readers:
        found = shown(viewer, row, reader)
        if found:
            data = {"shown": found, "what": row["what"]}
            audience = (EVERYONE,) if reader is None else (reader,)
            says = message(turn.world, row.get("says", ""), {})
            with turn.journal.entry(
                rule, subject=str(reader or ""), says=says, audience=audience, data=data
            ) as entry:
                for one in listed(turn, found):
                    entry.tell(one)


def listed(turn: Turn, found: list[dict[str, Any]]) -> list[Message]:
    """What is shown, nation by nation; nothing where it is not something of a nation."""
    by_nation: dict[str, list[Message]] = {}
    for row in found:
        if isinstance(row.get("nation"), str) and isinstance(row.get("what"), str):
            form = form_of_item(turn.ruleset, row["what"])
            what = thing(form, row["what"], name_of(turn.world, form, row["what"])) if form else row["what"]
            at = isinstance(row.get("at"), str)
            place = {"place": Entity("place", row["at"])} if at else {}
            said = say(
                turn.world,
                "{n} {what} in {place}" if at else "{n} {what}",
                n=row.get("n", 1),
                what=what,
                **place,
            )
            by_nation.setdefault(row["nation"], []).append(said)
    return [
        say(turn.world, "{nation}: {items}.", nation=Entity("nation", n), items=items)
        for n, items in sorted(by_nation.items())
    ]


def shown(viewer: Viewer, row: VisibilityRow, reader: str | None) -> list[dict[str, Any]]:
    """What a row shows a reader (None: everybody), in order of the ids; the ids themselves tell nothing and
    are left out.
    """
    named = set(row["fields"]) if "fields" in row else None
    out = []
    for id_, fields in sorted(viewer.state.table(row["what"]).items()):
        if reader is None or viewer.is_shown(row, reader, id_, fields):
            out.append({k: id_of(v) for k, v in sorted(fields.items()) if named is None or k in named})
    return out
