"""The mechanic `detect`: which forces that look for others find them.

A row of the form `detection` says who looks, at what, with which value, what lowers it, and how values
combine: every unit rolls (`any`), or one percentage is rolled (`chance`). Among forces, success is a contact:
a row of the table `detection`, from which a battle may come. Of places, it is knowledge. Everything is judged
on the state at the start of the step.
"""

from __future__ import annotations

from ..core.model import Row
from ..turn.context import Turn
from ..units import evasion, passive_recon
from ..units.contact import find_forces
from . import active_recon


def run(node: Row, turn: Turn) -> None:
    """Settle the contact rows that the node names (`contacts`).

    Contacts of these rows made before are over.
    """
    rows = [turn.ruleset.row("detection", id_) for id_ in node["detection"]]
    if any("reach" in row for row in rows):
        active_recon.run(turn, [row for row in rows if "reach" in row])
    for row in rows:
        if "reach" in row:
            continue
        if "from" in row:
            passive_recon.publish(turn, row)
        elif row["pairs"] == "next_to":
            passive_recon.run(turn, row)
        elif row["gives"] == "refuge":
            evasion.run(turn, row)
        else:
            find_forces(turn, row)
