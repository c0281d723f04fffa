"""Forces that part and join between two points of movement, before anybody acts on the next one.

Who leaves is written with the force that is left (`parting`: units, after how many points, where, and the new
force's row); who joins another names its number (`joins`) and does so when its own plan is over and both are
in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import Turn
from ..world.messages import say
from . import forces


def part_and_join(turn: Turn, modes: Mapping[str, MovementRow], tick: int) -> None:
    """Forces that are to part or to join before this tick do; done once, however often a tick asks.

    Forces without units end.
    """
    for force, row in sorted(turn.state.table("forces").items()):
        # whose ships are an ally's has no units of its own
        if row.get("mode") not in modes or "ships" in row:
            continue
        if not forces.stacks_of(turn.state, force) and not forces.cargo_of(turn.state, force):
            with turn.journal.entry(
                f"movement/{row['mode']}", subject=force, audience=(row["owner"],), keep=False
            ):
                turn.journal.put_row("forces", force, None)
    for force, row in sorted(turn.state.table("forces").items()):
        if row.get("mode") in modes:
            for part in row.get("parting", ()):
                if part["after"] == tick - 1:
                    _part(turn, force, part)
    for force, row in sorted(turn.state.table("forces").items()):
        if row.get("mode") in modes and row.get("joins") and len(row.get("plan", ())) < tick:
            _join(turn, force)


def _part(turn: Turn, force: str, part: Row) -> None:
    """Units leave a force, as many as are left of them; a force that has not come so far stays together."""
    row = dict(turn.state.row("forces", force))
    nation = row["owner"]
    later = [p for p in row["parting"] if p != part]
    there = forces.strength(turn.state, force)
    wanted = {kind: min(n, there.get(kind, 0)) for kind, n in part["units"].items() if there.get(kind)}
    goes = bool(wanted) and row["at"] == part["at"] and not row.get("stopped")
    told = "Force {part} parts from force {force} in {place}."
    if not goes:
        why = "it has been stopped" if wanted else "they are lost"
        told = f"Nobody parts from force {{force}} in {{place}}: {why}."
    says = say(turn.world, told, part=part["number"], force=row["number"], place=Entity("place", row["at"]))
    with turn.journal.entry(f"movement/{row['mode']}", subject=force, says=says, audience=(nation,)) as entry:
        turn.journal.set("forces", force, "parting", later or None)
        picks = forces.pick(forces.stacks_of(turn.state, force), wanted) if goes else None
        if picks:
            about: dict[str, Any] = {k: v for k, v in part.items() if k not in ("units", "after", "at")}
            kept: dict[str, Any] = {
                k: row[k] for k in ("mode", "from", "path", "began", "looked", "moved") if k in row
            }
            new = forces.create(turn, nation, row["at"], picks, **{**kept, **about})
            entry.data.update(force=new, left=force, units=forces.strength(turn.state, new))


def _join(turn: Turn, force: str) -> None:
    """The units of a force go over to the force that it is to join, if that is there; if not, it stays what
    it is.
    """
    row = dict(turn.state.row("forces", force))
    into = next(
        (
            other
            for other, r in sorted(turn.state.table("forces").items())
            if r["owner"] == row["owner"]
            and r.get("number") == row["joins"]
            and other != force
            and r["at"] == row["at"]
        ),
        None,
    )
    told = f"Force {{force}} {'joins' if into else 'does not find'} force {{other}} in {{place}}."
    says = say(turn.world, told, force=row["number"], other=row["joins"], place=Entity("place", row["at"]))
    with turn.journal.entry(f"movement/{row['mode']}", subject=force, says=says, audience=(row["owner"],)):
        if into is None:
            turn.journal.set("forces", force, "joins", None)
        else:
            forces.join(turn, force, into)
