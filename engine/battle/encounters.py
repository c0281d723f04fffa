"""Who meets whom: contested places, forces that meet on their way, rivals for one place, contacts at sea."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from ..core.choices import block_of, word_of
from ..core.model import Row
from ..core.state import Entity, Fields
from ..turn.context import Turn
from ..units import forces
from ..units.contact import finds, may_find
from ..world.passages import may_share
from . import listed
from .battles import Battle, Party
from .groups import SIDES
from .record import back_entry


def contested(turn: Turn, row: Row) -> list[Battle]:
    """The battles of a row in this step: one for each contested place that it is for, or one for each group
    of contacts.
    """
    where, options = word_of(row, "where"), block_of(row, "where")
    if where == "contacts":
        return contacts(turn, row)
    if where == "targets":
        return targeted(turn, row)
    if where == "passed":
        return passed(turn, row)
    if where == "records":
        records = [
            (record, place)
            for record, place in listed.places(turn.world, row, turn.names())
            if is_for(turn, row, place)
        ]
        return [
            Battle(turn, row, place, record, (Party(), Party()), attacks(row), record=record)
            for record, place in records
        ]
    out = []
    for place in sorted(_forces_at(turn).keys() & set(turn.state.occupied_places())):
        if not is_for(turn, row, place):
            continue
        invading = _chosen(turn, row, invaders(turn, place))
        if not invading:
            continue
        for subject, those in _apart(turn, options.get("apart"), place, invading):
            owners = sorted({turn.state.get("forces", f, "owner") for f in those})
            coming = Party(set(those), tuple(owners), place) if options.get("standing") else Party(set(those))
            battle = Battle(
                turn, row, place, subject, (coming, Party(place=place, against=tuple(owners))), attacks(row)
            )
            battle.aside = frozenset(invading) - set(those)
            out.append(battle)
    if row.get("once"):
        _settle(turn, row, [f for battle in out for f in battle.parties[0].forces])
    if options.get("apart") == "border":
        out.sort(key=lambda c: min(f.rpartition("#")[2] for f in c.parties[0].forces))
    return out


def _apart(turn: Turn, apart: str | None, place: str, invading: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Invaders who fight together: all, (`apart: border`) those of each border, in the order in which they
    were moved, or (`apart: camps`) those who are allied with each other."""
    if apart == "camps":
        return [(f"{place}:{min(camp)}", camp) for camp in _camps(turn, invading)]
    if apart != "border":
        return [(place, list(invading))]
    groups: dict[str, list[str]] = {}
    for force in invading:
        path = turn.state.get("forces", force, "path") or [place]
        groups.setdefault(path[-2] if len(path) > 1 else place, []).append(force)
    return [(f"{start}>{place}", those) for start, those in groups.items()]


def _chosen(turn: Turn, row: Row, invading: Sequence[str]) -> list[str]:
    """Those of some forces that a row is for (`by`), and who have not fought it yet (`once`)."""
    out = []
    for force in invading:
        data = turn.state.row("forces", force)
        names = {"force": Entity("force", force), "self": Entity("nation", data["owner"])}
        if turn.world.test(row.get("by"), names) and not (
            row.get("once") and row["id"] in (data.get("settled") or ())
        ):
            out.append(force)
    return out


def _settle(turn: Turn, row: Row, those: Sequence[str]) -> None:
    """Write down of forces that they have fought the battles of a row that are fought once."""
    if not those:
        return
    with turn.journal.entry(f"battles/{row['id']}", audience=("nobody",), keep=False):
        for force in sorted(set(those)):
            turn.journal.set(
                "forces",
                force,
                "settled",
                sorted({*(turn.state.get("forces", force, "settled") or ()), row["id"]}),
            )


def targeted(turn: Turn, row: Row) -> list[Battle]:
    """Places that forces act upon from where they stand: one battle for each, with the forces that pass
    `by`.
    """
    acting: dict[str, list[str]] = {}
    for force, data in sorted(turn.state.table("forces").items()):
        names = {"force": Entity("force", force), "self": Entity("nation", data["owner"])}
        if data.get("stays") and data.get("targets") and turn.world.test(row.get("by"), names):
            place = str(data["targets"][0])
            if place in turn.ruleset.rows("places") and is_for(turn, row, place):
                acting.setdefault(place, []).append(force)
    out = []
    for place, those in sorted(acting.items()):
        out.append(_against_place(turn, row, place, place, those))
    return out


def _against_place(turn: Turn, row: Row, place: str, subject: str, those: Sequence[str]) -> Battle:
    """A battle of forces with whoever stands against their owners in a place."""
    owners = sorted({str(turn.state.get("forces", force, "owner")) for force in those})
    parties = (Party(forces=set(those)), Party(place=place, against=tuple(owners)))
    return Battle(turn, row, place, subject, parties, attacks(row))


def passed(turn: Turn, row: Row) -> list[Battle]:
    """Places that flying forces have crossed on their way: one battle for each, in the order in which they
    came to them.

    With `from_start` the place that they set out from counts, too.
    """
    over: dict[tuple[int, str], list[str]] = {}
    from_start = block_of(row, "where").get("from_start")
    for force in _chosen(turn, row, sorted(turn.state.table("forces"))):
        data = turn.state.row("forces", force)
        if not turn.ruleset.row_or_empty("movement", str(data.get("mode"))).get("passes_over"):
            continue
        for step, place in enumerate((data.get("path") or ())[:-1]):
            if (step or from_start) and is_for(turn, row, place):
                over.setdefault((step, place), []).append(force)
    out = []
    if row.get("once"):
        _settle(turn, row, [f for those in over.values() for f in those])
    for (step, place), those in sorted(over.items()):
        out.append(_against_place(turn, row, place, f"{place}:passed:{step}", those))
    return out


def attacks(row: Row) -> tuple[bool, bool]:
    """Which sides fight as attackers in battles of a row."""
    return (True, row.get("attacks") == "both")


def is_for(turn: Turn, row: Row, place: str) -> bool:
    """Whether battles of a row are fought in such a place (its `when`)."""
    return turn.world.test(row.get("when"), {**turn.names(), "place": Entity("place", place)})


def invaders(turn: Turn, place: str) -> list[str]:
    """Forces that have come into a place whose holder or somebody in it they fight, and have units there.

    At home, which is own or allied land, they fight those beside whom they may not stand.
    """
    holder = turn.world.holder_of(place)
    out = []
    for force, row in _forces_at(turn).get(place, ()):
        if row.get("stays") or row.get("from") == place:
            continue
        owner = row["owner"]
        against_holder = holder is not None and turn.world.would_fight(owner, holder)
        others = {s["owner"] for _, s in turn.state.stacks(at=place) if not _came(turn, s, place)}
        home = holder is not None and (owner == holder or turn.world.allied(owner, holder))
        residents = any(
            turn.world.would_fight(owner, o) and not (home and may_share(turn.world, owner, o, place))
            for o in others
        )
        if (against_holder or residents) and forces.stacks_of(turn.state, force):
            out.append(force)
    return out


def _forces_at(turn: Turn) -> dict[str, list[tuple[str, Fields]]]:
    """The forces by the place where they are, in order of their ids."""

    def make() -> dict[str, list[tuple[str, Fields]]]:
        out: dict[str, list[tuple[str, Fields]]] = {}
        for force, row in sorted(turn.state.table("forces").items()):
            out.setdefault(row["at"], []).append((force, row))
        return out

    return turn.world.keep("forces by place", ("forces",), make)


def _came(turn: Turn, stack: Row, place: str) -> bool:
    force = turn.state.row("forces", str(stack.get("force", "")))
    return bool(force) and force.get("from") != place


def meetings(turn: Turn, row: Row, how: Row) -> list[Battle]:
    """Forces that attack each other's place over the same border meet on the way: one battle for each
    border.
    """
    borders: dict[tuple[str, str], dict[str, list[str]]] = {}
    for force, data in sorted(turn.state.table("forces").items()):
        path = data.get("path") or ()
        if data.get("stays") or len(path) < 2 or not is_for(turn, row, data["at"]):
            continue
        for a, b in list(pairwise(path))[-1:]:
            borders.setdefault((min(a, b), max(a, b)), {}).setdefault(b, []).append(force)
    out = []
    for (a, b), by_goal in sorted(borders.items()):
        if len(by_goal) < 2:
            continue
        one, other = by_goal[b], by_goal[a]
        mine, theirs = _hostile_parts(turn, one, other)
        if mine and theirs:
            parties = (Party(forces=set(mine)), Party(forces=set(theirs)))
            out.append(Battle(turn, how, b, f"{a}:{b}", parties, attacks(how), penalties=False, beyond=a))
    return out


def _hostile_parts(turn: Turn, one: Sequence[str], other: Sequence[str]) -> tuple[list[str], list[str]]:
    owner = {f: str(turn.state.get("forces", f, "owner")) for f in (*one, *other)}
    mine = [f for f in one if any(turn.world.would_fight(owner[f], owner[g]) for g in other)]
    theirs = [g for g in other if any(turn.world.would_fight(owner[f], owner[g]) for f in one)]
    return mine, theirs


def rivals(turn: Turn, row: Row, how: Row) -> list[Battle]:
    """Attackers of one place who are not allied with each other fight first, two camps at a time, paired by
    lot.
    """
    out = []
    for place in sorted(turn.state.occupied_places()):
        if place not in _forces_at(turn) or not is_for(turn, row, place):
            continue
        camps = _camps(turn, invaders(turn, place))
        if len(camps) < 2:
            continue
        order = list(range(len(camps)))
        if len(camps) > 2:
            with turn.journal.entry(f"battles/{how['id']}", subject=place, audience=("everyone",)) as entry:
                stream = turn.stream(f"battles/{how['id']}", f"{place}:pairs")
                order = stream.shuffle(order)
                record = stream.take()
                if record is not None:
                    entry.dice.append(dict(record))
        for k in range(0, len(order) - 1, 2):
            one, other = camps[order[k]], camps[order[k + 1]]
            names = ":".join(sorted({str(turn.state.get("forces", f, "owner")) for f in (*one, *other)}))
            parties = (Party(forces=set(one)), Party(forces=set(other)))
            out.append(Battle(turn, how, place, f"{place}:{names}", parties, attacks(how), penalties=False))
    return out


def _camps(turn: Turn, invading: Sequence[str]) -> list[list[str]]:
    """Forces put together with their allies, in order of their ids."""
    camps: list[list[str]] = []
    for force in invading:
        owner = str(turn.state.get("forces", force, "owner"))
        joined, apart = [], []
        for camp in camps:
            owners = [str(turn.state.get("forces", other, "owner")) for other in camp]
            if any(turn.world.allied(owner, other) for other in owners):
                joined += camp
            else:
                apart.append(camp)
        camps = [*apart, [*joined, force]]
    return camps


def contacts(turn: Turn, row: Row) -> list[Battle]:
    """Forces that have found each other, connected into one battle each.

    Who made contact attacks; if both did, both do.
    """
    options = block_of(row, "where")
    wanted = options.get("detection")
    made = [
        contact
        for _, contact in sorted(turn.state.table("contacts").items())
        if contact.get("gives", "battle") == "battle"
        and (wanted is None or contact.get("row") in wanted)
        and all(turn.state.row("forces", force) for force in contact["pair"])
    ]
    out = []
    for members, linked in _connected(made):
        best = min(_rank(row, contact) for contact in linked)
        first = _seekers(contact for contact in linked if _rank(row, contact) == best)
        lead = min(first or members)
        members = members.union(*(forces.attached(turn.state, f) for f in members))
        sides = _sides(turn, members, lead)
        place = str(turn.state.get("forces", lead, "at"))
        if not is_for(turn, row, place):
            continue
        seekers = _seekers(linked)
        both = bool(seekers & sides[0]) and bool(seekers & sides[1])
        parties = (Party(forces=sides[0]), Party(forces=sides[1]))
        subject = f"{place}:{min(members)}"
        battle = Battle(turn, row, place, subject, parties, (True, both or row.get("attacks") == "both"))
        for contact in linked:
            one, other = contact["pair"]
            battle.meets += [
                (one if f == one else other, other if f == one else one, contact["row"])
                for f in _list(contact["by"])
            ]
        out.append(battle)
    if "beside" in options:
        _stand_beside(turn, options["beside"], out)
    return out


def _connected(contacts: Iterable[Fields]) -> list[tuple[set[str], list[Fields]]]:
    """The forces that contacts connect with each other, each time with these contacts."""
    groups: list[tuple[set[str], list[Fields]]] = []
    for contact in contacts:
        members: set[str] = set(contact["pair"])
        earlier: list[Fields] = []
        apart = []
        for group, linked in groups:
            if group.isdisjoint(contact["pair"]):
                apart.append((group, linked))
            else:
                members |= group
                earlier += linked
        groups = [*apart, (members, [*earlier, contact])]
    return groups


def _seekers(contacts: Iterable[Fields]) -> set[str]:
    """Those who have made contacts."""
    return set(chain.from_iterable(_list(contact.get("by", ())) for contact in contacts))


def _stand_beside(turn: Turn, rule: Row, battles: Sequence[Battle]) -> None:
    """Forces in the place whom nobody has found join those of their side who were (`beside`), each in one
    battle.

    They go where the enemy is strongest, then to the first by its subject; `seen` is false of them.
    """
    side = SIDES.index(rule["side"])
    busy: set[str] = set()
    for contact in battles:
        for party in contact.parties:
            busy.update(party.forces)
    strongest = sorted(battles, key=lambda c: (-_strength(turn, c.parties[1 - side]), c.subject))
    for force, data in sorted(turn.state.table("forces").items()):
        names = {
            "force": Entity("force", force),
            "self": Entity("nation", data["owner"]),
            "place": Entity("place", data["at"]),
        }
        if force in busy or data.get("stays") or not turn.world.test(rule.get("when"), names):
            continue
        for battle in strongest:
            if battle.place == data["at"] and _stands_with(data["owner"], battle, side):
                battle.parties[side].forces.add(force)
                battle.beside.add(force)
                break


def _strength(turn: Turn, party: Party) -> int:
    return sum(n for f in party.forces for n in forces.strength(turn.state, f).values())


def _stands_with(owner: str, battle: Battle, side: int) -> bool:
    """Whether a nation is of a side: at war with all of the other, itself or an ally of somebody on this
    one.
    """
    turn = battle.turn
    friends, foes = (
        sorted({str(turn.state.get("forces", f, "owner")) for f in battle.parties[s].forces})
        for s in (side, 1 - side)
    )
    return any(f == owner or turn.world.allied(f, owner) for f in friends) and all(
        turn.world.would_fight(owner, f) for f in foes
    )


def _rank(row: Row, contact: Row) -> int:
    """Contacts of the rows that a battle names first say who attacks."""
    wanted = block_of(row, "where").get("detection", ())
    return list(wanted).index(contact["row"]) if contact.get("row") in wanted else 0


def _list(by: str | Sequence[str]) -> Sequence[str]:
    return [by] if isinstance(by, str) else by


def in_touch(battle: Battle) -> bool:
    """Whether somebody still finds somebody before a later round, where the battle's row asks for it.

    Who has broken off then looks for those whom its friends still fight, as far as a row of `detection` lets
    it, and comes back.
    """
    turn = battle.turn
    if not block_of(battle.row, "where").get("contact_again") or not battle.meets:
        return True
    touch = False
    for seeker, foe, row in sorted(set(battle.meets)):
        if {seeker, foe} & battle.apart.keys():
            continue
        if forces.stacks_of(turn.state, seeker) and forces.stacks_of(turn.state, foe):
            rule = turn.ruleset.row("detection", row)
            touch |= finds(turn, rule, seeker, foe, subject=_about(battle, seeker, foe))
    for force, side in sorted(battle.apart.items()) if touch else ():
        _come_back(battle, force, side)
    return touch


def _about(battle: Battle, seeker: str, foe: str) -> str:
    return f"{seeker}>{foe}:{battle.number + 1}"


def _come_back(battle: Battle, force: str, side: int) -> None:
    """A force that has broken off is in the battle again if it finds anybody of the other side."""
    turn = battle.turn
    wanted = block_of(battle.row, "where").get("detection", ())
    rows = [turn.ruleset.row("detection", id_) for id_ in wanted]
    foes = [f for f in sorted(battle.parties[1 - side].forces) if forces.stacks_of(turn.state, f)]
    looks = [(row, foe) for row in rows for foe in foes if may_find(turn, row, force, foe)]
    met = [
        (force, foe, row["id"])
        for row, foe in looks
        if finds(turn, row, force, foe, subject=_about(battle, force, foe))
    ]
    if not met:
        return
    del battle.apart[force]
    battle.meets += met
    battle.parties[side].forces.update({force, *forces.attached(turn.state, force)})
    with back_entry(battle, side, force):
        turn.journal.set("forces", force, "broken_off", None)
        turn.journal.set("forces", force, "contacted", True)


def _sides(turn: Turn, members: set[str], lead: str) -> tuple[set[str], set[str]]:
    owner = str(turn.state.get("forces", lead, "owner"))
    foes = {f for f in members if turn.world.would_fight(owner, str(turn.state.get("forces", f, "owner")))}
    return members - foes, foes
