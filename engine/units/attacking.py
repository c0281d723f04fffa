"""Coming into a place: whether these units can attack it, the war that this begins, and what goes over
without a fight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..core.journal import EVERYONE
from ..core.model import Row
from ..core.rows import MovementRow
from ..core.state import Entity
from ..turn.context import OrderContext, Turn
from ..turn.effects import EffectRunner, whole
from ..world import routes
from ..world.messages import message
from ..world.world import World
from . import forces


def attack_refusal(
    turn: OrderContext,
    mode: MovementRow,
    nation: str,
    path: routes.Path,
    picks: Sequence[forces.Pick],
    *,
    hostile: bool,
) -> str | None:
    """Why these units cannot attack over the last step of the way (`attack` must hold for each), or None."""
    if not hostile:
        return None
    going = routes.Going(turn.world, nation, mode, [Entity("unit", k) for k, _ in picks])
    return cannot_attack(going, path)


def cannot_attack(going: routes.Going, path: routes.Path) -> str | None:
    """Why a group may not end its way in a fight whoever goes with it, or None."""
    where = path[-1]
    if going.mode.get("fights") is False:
        return f"they cannot go into a fight in {routes.name_of(going.world, 'places', where)}"
    if "attack" not in going.mode or len(path) < 2:
        return None
    for unit in going.units:
        if not going.test("attack", where, f"{path[-2]}>{where}", path[:-1], [unit]):
            return (
                f"{_kind(going, unit)} cannot attack {routes.name_of(going.world, 'places', where)} from "
                "there"
            )
    return None


def follows(world: World, mode: MovementRow, kinds: Iterable[str]) -> bool:
    """Whether all of these kinds go into a fight only beside others (`company` of the mode)."""
    those = list(kinds)
    return (
        "company" in mode
        and bool(those)
        and all(routes.kind_matches(world, mode["company"], kind) for kind in those)
    )


ALONE = "nobody goes in beside them"


class Attack(NamedTuple):
    """An order to attack, as far as it matters to others: who attacks where, whether anybody goes in, and
    only beside others.
    """

    key: Any
    nation: str
    target: str
    goes_in: bool
    mode: MovementRow
    follows: bool = False


def unaccompanied(attacks: Iterable[Attack]) -> set[Any]:
    """The keys of attacks by units that fire from where they stand, or need company, beside whom nobody of
    theirs goes in.
    """
    listed = list(attacks)
    going_in = {(a.nation, a.target) for a in listed if a.goes_in}
    led = {(a.nation, a.target) for a in listed if a.goes_in and not a.follows}
    firing = {
        a.key
        for a in listed
        if not a.goes_in and not a.mode.get("stays_alone") and (a.nation, a.target) not in going_in
    }
    return firing | {a.key for a in listed if a.follows and (a.nation, a.target) not in led}


def remains(world: World, mode: MovementRow, kind: str) -> bool:
    """Whether units of a kind attack from where they stand (`stays` of the mode)."""
    return bool(mode.get("stays")) and routes.kind_matches(world, mode["stays"], kind)


def _kind(going: routes.Going, unit: Entity) -> str:
    return routes.name_of(going.world, "units", str(going.world.state.get("units", unit.id, "kind")))


def begin_war(turn: Turn, mode: MovementRow, nation: str, target: str) -> None:
    """An attack without war brings about what the mode says (`undeclared`), before any battle."""
    tail_row = mode.get("undeclared")
    if isinstance(tail_row, str):
        tail_row = turn.ruleset.row("movement", tail_row)["undeclared"]
    if not tail_row:
        return
    holder = turn.world.holder_of(target)
    others = [holder] if holder else [o for o in sorted(turn.state.owners_at(target)) if o != nation]
    for other in others:
        if other == nation or turn.world.hostile(nation, other):
            continue
        if mode.get("attacks") or turn.world.would_fight(nation, other):
            _open_war(turn, mode, tail_row, nation, other)


def begin_war_with(turn: Turn, mode: MovementRow, nation: str, other: str) -> None:
    """An attack upon forces of a nation with which there is no war brings about what the mode says
    (`undeclared`).
    """
    tail_row = mode.get("undeclared")
    if isinstance(tail_row, str):
        tail_row = turn.ruleset.row("movement", tail_row)["undeclared"]
    if tail_row and other != nation and not turn.world.hostile(nation, other):
        _open_war(turn, mode, tail_row, nation, other)


def _open_war(turn: Turn, mode: MovementRow, tail_row: Row, nation: str, other: str) -> None:
    names = {**turn.loops, "self": Entity("nation", nation), "target": Entity("nation", other)}
    if not turn.world.test(tail_row.get("when"), names):
        return
    rule, subject = f"movement/{mode['id']}", f"{nation}:{other}"
    with whole(turn, rule, subject), turn.journal.entry(rule, subject=subject, audience=(EVERYONE,)) as entry:
        runner = EffectRunner(turn, entry, rule, subject)
        if "says" in tail_row:
            entry.tell(message(turn.world, tail_row["says"], names))
        runner.run(tail_row, names)


def take_over(turn: Turn, nation: str, place: str) -> None:
    """A place whose holder's stance lets it go over without a fight (`enter.takes`) does, with what it says:
    place, units.
    """
    holder = turn.world.holder_of(place)
    if holder is None or routes.entry(turn.world, nation, place, turn.journal.step) != "takes":
        return
    taken = turn.world.stances[turn.world.stance(nation, holder)]["enter"].get("takes", ())
    if "units" in taken:
        for key, stack in turn.state.stacks(at=place, owner=holder):
            turn.journal.alter_units(key, stack["n"], owner=nation)
    if "place" in taken:
        turn.journal.set("places", place, "owner", nation)
        turn.journal.set("places", place, "holder", nation)
        turn.journal.fact("captured", by=nation, of=holder, place=place, taken_by=nation)
