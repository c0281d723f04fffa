"""Slipping away: forces that find in time who comes for them, and leave before anything else happens.

A row of `detection` with `gives: refuge` lets forces look whose order names a place to go to (an option with
`gives: refuge`). Every unit with a value rolls once for each foe that the row lets it find; who finds one
goes, whole, over one link to that place if it may be there (`refuge`), and goes no further this turn.
"""

from __future__ import annotations

from ..core.rows import DetectionRow
from ..core.state import Entity
from ..turn.context import Turn
from ..world import routes
from ..world.messages import say
from . import contact, forces


def run(turn: Turn, row: DetectionRow) -> None:
    """All forces that look under a row, judged on the state before anybody leaves."""
    found: dict[str, str] = {}
    for seeker, foe in contact.pairs(turn, row):
        to = refuge_of(turn, seeker)
        met = turn.state.get("forces", seeker, "noticed") or []
        if to is None or foe in met:
            continue
        with turn.journal.entry(
            f"detection/{row['id']}", subject=f"{seeker}:{foe}", audience=("nobody",), keep=False
        ):
            turn.journal.set("forces", seeker, "noticed", sorted({*met, foe}))
        if contact.finds(turn, row, seeker, foe):
            found.setdefault(seeker, to)
    safe = {seeker: refusal(turn, row, seeker, to) for seeker, to in found.items()}
    for seeker, to in sorted(found.items()):
        leave(turn, row, seeker, to, safe[seeker])


def refuge_of(turn: Turn, force: str) -> str | None:
    """The place that the order of a force names to go to."""
    options = turn.state.get("forces", force, "options")
    return next((str(value) for _, value in turn.options_giving(options, "refuge")), None)


def refusal(turn: Turn, row: DetectionRow, force: str, to: str) -> str | None:
    """Why a force cannot go to the place it named, or None."""
    here, owner = str(turn.state.get("forces", force, "at")), str(turn.state.get("forces", force, "owner"))
    mode = forces.mode_of(turn, force)
    units = [Entity("unit", k) for k, _ in forces.stacks_of(turn.state, force)]
    going = routes.Going(turn.world, owner, mode, units)
    name = routes.name_of(turn.world, "places", to)
    if to not in turn.world.geography.next_to(here, going.links):
        return f"{name} is not next to it"
    if going.shut(f"{here}>{to}") is not None or not going.test("enter", to, f"{here}>{to}", (here,)):
        return f"it may not enter {name}"
    if not turn.world.test(
        row.get("refuge"), {"place": Entity("place", to), "self": Entity("nation", owner)}
    ):
        return f"{name} is no refuge"
    return None


def leave(turn: Turn, row: DetectionRow, force: str, to: str, why: str | None) -> None:
    """A force goes to its refuge, or stays because it cannot."""
    here, owner = str(turn.state.get("forces", force, "at")), str(turn.state.get("forces", force, "owner"))
    told = (
        "A force in {place} is warned in time and stays: {why}."
        if why
        else "A force in {place} is warned in time and goes to {goal}."
    )
    about = {"why": why} if why else {"goal": Entity("place", to)}
    says = say(turn.world, told, place=Entity("place", here), **about)
    with turn.journal.entry(
        f"detection/{row['id']}", subject=force, audience=(owner,), says=says, data={"place": here, "to": to}
    ):
        if why is None:
            forces.go(turn, force, (here, to))
            turn.journal.set("forces", force, "stopped", True)
            turn.journal.fact("entered", by=owner, place=to, force=force, **{"from": here})
