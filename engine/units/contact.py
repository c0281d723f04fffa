"""Contact: which forces look for which others in their place, what they see with, and whether they find them.

A row of the form `detection` says who looks, at what, with which value, and what lowers it; success is a row
of the table `contacts`, from which a battle may come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ..core.die import distribution, parse_die
from ..core.model import Row
from ..core.rows import DetectionRow
from ..core.state import Entity
from ..ruleset.expressions import parse
from ..turn.context import Turn
from ..world.messages import say
from ..world.world import exact
from . import forces
from .attacking import begin_war_with
from .passive_recon import figure


def find_forces(turn: Turn, row: DetectionRow) -> None:
    """Every pair of forces in one place of which one looks for the other; those found are written down as
    contacts.
    """
    clear(turn, row)
    looks = [(seeker, foe, not _met_before(turn, row, seeker, foe)) for seeker, foe in pairs(turn, row)]
    by: dict[tuple[str, str], list[str]] = {}
    at_once: dict[str, bool] = {}  # of those who look for all their foes together
    for seeker, foe, first in looks:
        if row.get("all_at_once"):
            if seeker not in at_once:
                at_once[seeker] = finds(turn, row, seeker, foe)
            found = at_once[seeker]
        else:
            found = finds(turn, row, seeker, foe, first=first)
        if found:
            by.setdefault((min(seeker, foe), max(seeker, foe)), []).append(seeker)
    for (one, other), seekers in sorted(by.items()):
        place = str(turn.state.get("forces", one, "at"))
        for seeker in seekers if row.get("gives") == "battle" else ():
            _open_war(turn, seeker, other if seeker == one else one)
        parties = sorted({str(turn.state.get("forces", f, "owner")) for f in (one, other)})
        says = say(turn.world, "Contact in {place}.", place=Entity("place", place))
        data = {"place": place, "pair": [one, other], "by": seekers}
        with turn.journal.entry(
            f"detection/{row['id']}", subject=f"{one}|{other}", audience=parties, says=says, data=data
        ):
            contact = {
                "pair": [one, other],
                "by": seekers,
                "place": place,
                "row": row["id"],
                "gives": row["gives"],
            }
            turn.journal.put_row("contacts", f"{row['id']}:{one}|{other}", contact)
            for seeker in seekers if row.get("once") else ():
                known = turn.state.get("forces", seeker, "found") or {}
                theirs = sorted({*known.get(row["id"], ()), other if seeker == one else one})
                turn.journal.set("forces", seeker, "found", {**known, row["id"]: theirs})
            for force, foe in ((one, other), (other, one)):
                turn.journal.set("forces", force, "contacted", True)
                turn.journal.set(
                    "forces", force, "met", sorted({*(turn.state.get("forces", force, "met") or ()), foe})
                )


def _open_war(turn: Turn, seeker: str, foe: str) -> None:
    """Who seeks out forces of a nation with which there is no war begins one, as the mode of their own force
    says.
    """
    mode = forces.mode_of(turn, seeker)
    a, b = str(turn.state.get("forces", seeker, "owner")), str(turn.state.get("forces", foe, "owner"))
    if not _quarrel(turn, a, b):
        begin_war_with(turn, mode, a, b)


def clear(turn: Turn, row: DetectionRow) -> None:
    """Forget the contacts of a row."""
    if "finders" in row:
        worn = [(key, stack["n"]) for key, stack in turn.state.stacks() if row["finders"] in stack]
        with turn.journal.entry(f"detection/{row['id']}", audience=("nobody",), keep=False):
            for key, n in worn:
                turn.journal.alter_units(key, n, **{row["finders"]: None})
    table = turn.state.table("contacts")
    old = [k for k, c in sorted(table.items()) if c.get("row") == row["id"]]
    if old:
        with turn.journal.entry(f"detection/{row['id']}", audience=("nobody",)):
            met = {f for k in old for f in table[k]["pair"]}
            for key in old:
                turn.journal.put_row("contacts", key, None)
            still = {f for c in turn.state.table("contacts").values() for f in c["pair"]}
            for force in sorted(met - still):
                if turn.state.row("forces", force):
                    turn.journal.set("forces", force, "contacted", None)


def forget_all(turn: Turn) -> None:
    """Forces are about to move: every contact is over."""
    table = turn.state.table("contacts")
    if not table:
        return
    with turn.journal.entry("sequence/" + turn.journal.step, audience=("nobody",)):
        for key in sorted(table):
            turn.journal.put_row("contacts", key, None)
        for force, data in sorted(turn.state.table("forces").items()):
            if "contacted" in data:
                turn.journal.set("forces", force, "contacted", None)


def pairs(turn: Turn, row: DetectionRow) -> list[tuple[str, str]]:
    """(who looks, whom it may find): forces in one place whose owners are enemies or named, as the row's
    tests allow.
    """
    table = turn.state.table("forces")
    at: dict[str, list[str]] = {}
    for force, data in sorted(table.items()):
        if "ships" not in data:  # else it is cargo of ships that are not under its orders
            at.setdefault(str(data["at"]), []).append(force)
    out: list[tuple[str, str]] = []
    for place in sorted(at):
        for seeker in at[place]:
            looks: dict[str, bool] = {}
            foes = [f for f in at[place] if f != seeker and may_find(turn, row, seeker, f, looks)]
            if row.get("one") and foes:
                foes = [
                    max(
                        foes,
                        key=lambda f: (
                            _preferred(turn, seeker, f),
                            sum(forces.strength(turn.state, f).values()),
                            f,
                        ),
                    )
                ]
            out.extend((seeker, f) for f in foes)
    return out


def _preferred(turn: Turn, seeker: str, foe: str) -> int:
    """How many units a force has of the kinds that another one is after (`prefers`)."""
    kinds = set(turn.state.get("forces", seeker, "prefers") or ())
    return sum(n for kind, n in forces.strength(turn.state, foe).items() if kind in kinds)


def names_of(turn: Turn, seeker: str, foe: str) -> dict[str, Any]:
    owner = str(turn.state.get("forces", seeker, "owner"))
    return {
        "force": Entity("force", seeker),
        "foe": Entity("force", foe),
        "self": Entity("nation", owner),
        "place": Entity("place", str(turn.state.get("forces", seeker, "at"))),
    }


def may_find(
    turn: Turn, row: DetectionRow, seeker: str, foe: str, looks: dict[str, bool] | None = None
) -> bool:
    """Whether a force looks for another at all under a row.

    `looks`: what `by` has said already, where it does not ask whom.
    """
    state = turn.state
    a, b = str(state.get("forces", seeker, "owner")), str(state.get("forces", foe, "owner"))
    if row.get("once") and foe in (state.get("forces", seeker, "found") or {}).get(row["id"], ()):
        return False
    named = set(state.get("forces", seeker, "targets") or ())
    if not turn.world.hostile(a, b) and not named & {foe, b} and not _quarrel(turn, a, b):
        return False
    only = row.get("targets_only")
    if (only is True or (only == "if_named" and named)) and not named & {foe, b}:
        return False
    if only and turn.state.get("forces", seeker, "prefers") and not _preferred(turn, seeker, foe):
        return False
    names = names_of(turn, seeker, foe)
    by = row.get("by")
    if looks is None or not isinstance(by, str) or "foe" in parse(by).names:
        sees = turn.world.test(by, names)
    else:
        if seeker not in looks:
            looks[seeker] = turn.world.test(by, names)
        sees = looks[seeker]
    return sees and turn.world.test(row.get("of"), names)


def _quarrel(turn: Turn, a: str, b: str) -> bool:
    """Whether two nations that are not at war share no place all the same (`share: never` of their stance),
    and fight over it.
    """
    stance = turn.world.stance_row(a, b)
    return stance.get("share") == "never" and stance.get("enter") == "fight"


def _met_before(turn: Turn, row: DetectionRow, seeker: str, foe: str) -> bool:
    """Whether the special case of forces that began together is past: they did not, or they have looked once
    already.
    """
    if row.get("together_at_start") != "lower":
        return True
    one, other = turn.state.row("forces", seeker), turn.state.row("forces", foe)
    apart = one.get("began") != one.get("at") or other.get("began") != other.get("at")
    return (
        apart
        or foe in (one.get("looked") or ())
        or len(one.get("path", ())) > 1
        or len(other.get("path", ())) > 1
    )


def finds(
    turn: Turn, row: DetectionRow, seeker: str, foe: str, *, first: bool = False, subject: str = ""
) -> bool:
    """Whether a force finds another now: certain, or by its units' dice. `first`: only the lower of two
    chances counts.

    Also asked by battles before later rounds, with a `subject` of their own.
    """
    names = names_of(turn, seeker, foe)
    if "certain" in row and turn.world.test(row["certain"], names):
        return True
    looks = values(turn, row, seeker, foe)
    if first and may_find(turn, row, foe, seeker):
        other = values(turn, row, foe, seeker)
        if chance_of(row, other) < chance_of(row, looks) or (
            chance_of(row, other) == chance_of(row, looks) and foe < seeker
        ):
            return False  # the other one rolls for both
    if not looks:
        return False
    rule = f"detection/{row['id']}"
    owner = str(turn.state.get("forces", seeker, "owner"))
    about = subject or f"{seeker}>{foe}"
    with turn.journal.entry(
        rule, subject=about, audience=(owner,), data={"force": seeker, "foe_at": names["place"].id}
    ) as entry:
        stream = turn.stream(rule, about, entry.audience)
        faces = parse_die(row.get("die", "1d10")).faces
        hits = [sum(face <= value for face in stream.faces(n, faces, value)) for value, n in looks]
        success = any(hits)
        record = stream.take()
        if record is not None:
            entry.dice.append({**record, "need": ", ".join(f"{n} at {v}" for v, n in looks), "hit": success})
        if "finders" in row:
            for (key, _), n in zip(lookers(turn, row, seeker), hits, strict=True):
                if n:
                    turn.journal.alter_units(key, n, **{row["finders"]: True})
        if first:
            for one, other_ in ((seeker, foe), (foe, seeker)):
                looked = turn.state.get("forces", one, "looked") or []
                turn.journal.set("forces", one, "looked", sorted({*looked, other_}))
    return success


def values(turn: Turn, row: DetectionRow, seeker: str, foe: str) -> list[tuple[Any, int]]:
    """(value, number of units) of those of a force that look, lowered by the best of the units looked at."""
    lower: Any = 0
    if "less" in row:
        covering = [k for k, _ in (*forces.company(turn.state, foe), *helpers(turn, row, foe))]
        lower = max((figure(turn, row["less"]["best"], Entity("unit", k), {}) for k in covering), default=0)
    out = []
    for key, n in lookers(turn, row, seeker):
        out.append(
            (
                max(
                    row.get("at_least", 0), figure(turn, row.get("value", 0), Entity("unit", key), {}) - lower
                ),
                n,
            )
        )
    return out


def lookers(turn: Turn, row: DetectionRow, seeker: str) -> list[tuple[str, int]]:
    """The stacks of a force, and of those who help it, that look under a row, with their numbers."""
    return [
        (key, int(stack["n"]))
        for key, stack in (*forces.company(turn.state, seeker), *helpers(turn, row, seeker))
        if figure(turn, row.get("value", 0), Entity("unit", key), {}) > 0
    ]


def helpers(turn: Turn, row: DetectionRow, force: str) -> list[tuple[str, Row]]:
    """Stacks in no force that help one to see and to stay unseen: friends whose field `aid` names the place
    it is in.
    """
    if "aid" not in row:
        return []

    def make() -> dict[str, list[tuple[str, Row]]]:
        out: dict[str, list[tuple[str, Row]]] = {}
        for key, stack in turn.state.stacks():
            if stack.get(row["aid"]):
                out.setdefault(str(stack[row["aid"]]), []).append((key, stack))
        return out

    about = turn.world.keep(("aid", row["aid"]), ("units",), make)
    owner = str(turn.state.get("forces", force, "owner"))
    here = about.get(str(turn.state.get("forces", force, "at")), ())
    return [(k, r) for k, r in here if r["owner"] == owner or turn.world.allied(owner, r["owner"])]


def chance_of(row: DetectionRow, looks: Iterable[tuple[Any, int]]) -> Any:
    """The exact chance that at least one of these values comes up on the row's die."""
    faces = distribution(row.get("die", "1d10"))
    miss = Fraction(1)
    for value, n in looks:
        miss *= (1 - sum((p for face, p in faces.items() if face <= value), Fraction(0))) ** n
    return exact(1 - miss)


__all__: Sequence[str] = ("chance_of", "find_forces", "finds", "forget_all", "may_find", "pairs", "values")
