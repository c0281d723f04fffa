"""Looking at places: the chance that observers beside (or in) a place see what stands there, and what they
learn.

Observers of one neighboring place form a group; a group's chance is rounded, multiplied by its factor (works
on the border), the groups are combined and rounded again; all with exact numbers. `gives: know` writes what
is learned into the knowledge of those who looked: all of it, or, where they miss, a number drawn below the
true one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ..core.journal import NOBODY
from ..core.model import Row, Ruleset, derived_of
from ..core.state import Entity
from ..ruleset.expressions.reads import MEANING, Tables, reads_of
from ..turn.context import OrderContext, Turn
from ..world import routes
from ..world.messages import say
from ..world.view import BEFORE
from ..world.world import round_as
from . import forces

REMEMBERED = 2
"""Turns for which a count stays known beside a later look that saw fewer."""


def run(turn: Turn, row: Row) -> None:
    """Every party that looks at every place where others' units stand within its sight; in an own turn only
    the mover's.
    """
    watching = {r["owner"] for _, r in turn.state.stacks()}
    if "alone" in row:
        watching |= {h for _, h in empty_posts(turn, row)}
    looking = watching if turn.mover is None else watching & {turn.mover}
    for party in sorted({company(turn, row, nation) for nation in looking}):
        for place in targets(turn, row, party):
            look(turn, row, party, place)


def company(turn: Turn, row: Row, nation: str) -> tuple[str, ...]:
    """Who looks together with a nation: itself, or with `shared` its whole side."""
    return side_of(turn, nation) if row.get("shared") else (nation,)


def side_of(turn: Turn, nation: str) -> tuple[str, ...]:
    """A nation and all of its side."""
    side = turn.world.side_of(nation)
    mates = [n for n in turn.world.nations() if side is not None and turn.world.side_of(n) == side]
    return tuple(sorted({nation, *mates}))


_POSTS = ("place.holder", "place.occupants", "link.works")
_FOES = ("unit.owner", "at_war(a, b)", "place.holder", "nations()")


def empty_posts(turn: Turn, row: Row) -> list[tuple[str, str]]:
    """(place, holder) of places without any unit whose works look out over a border by themselves
    (`alone`).
    """

    def make() -> list[tuple[str, str]]:
        looking = (b for b in _borders(turn) if turn.world.number(row["alone"], {"link": Entity("link", b)}))
        found = {b.partition(">")[0] for b in looking}
        holders = ((p, turn.world.holder_of(p)) for p in sorted(found) if not turn.state.owners_at(p))
        return [(p, h) for p, h in holders if h is not None]

    return turn.world.keep(("posts", row["id"]), turn.world.decided_by(str(row["alone"]), *_POSTS), make)


def _borders(turn: Turn) -> list[str]:
    """Both ends of every link of which the state says something."""
    pairs = [k.partition("--") for k in sorted(turn.state.table("links"))]
    return [f"{a}>{b}" for one, _, other in pairs for a, b in ((one, other), (other, one))]


OF_MATES = "foes_of_mates"
"""State kept from a look until it is told: looker -> what was looked at -> nation of its side -> its enemies
there.
"""


def foes_of(turn: Turn, party: tuple[str, ...]) -> dict[str, set[str]]:
    """Owners of units with whom anybody of the party is at war, each with those of the party who are."""

    def make() -> dict[str, set[str]]:
        owners = sorted({r["owner"] for _, r in turn.state.stacks()})
        found = {o: {n for n in party if turn.world.hostile(n, o)} for o in owners}
        return {o: at_war for o, at_war in found.items() if at_war}

    return turn.world.keep(("foes", party), turn.world.decided_by(*_FOES), make)


def targets(turn: Turn, row: Row, party: tuple[str, ...]) -> list[str]:
    """Places with units of enemies of the party, and with `empty` those of enemies without any, that it could
    see.
    """
    foes = foes_of(turn, party)
    places = {p for p in turn.state.occupied_places() if not turn.state.owners_at(p).isdisjoint(foes)}
    next_to = turn.world.geography.next_to
    here = _observers(turn, row, party)
    if row.get("empty"):
        places |= {p for p in here.union(*map(next_to, here)) if turn.state.owners_at(p).isdisjoint(foes)}
    out = []
    for place in sorted(places):
        if place not in here and here.isdisjoint(next_to(place)):
            continue
        names = {"place": Entity("place", place), "self": Entity("nation", party[0])}
        if turn.world.test(row.get("of"), names) and groups(turn, row, party, place):
            out.append(place)
    return out


def _observers(turn: Turn, row: Row, party: tuple[str, ...]) -> set[str]:
    """The places in which units of a party stand, or works that watch by themselves."""
    here: set[str] = set()
    for nation in party:
        here.update(r["place"] for _, r in turn.state.stacks(owner=nation))
    return here | ({p for p, h in empty_posts(turn, row) if h in party} if "alone" in row else set())


def watchers(turn: Turn, party: tuple[str, ...], place: str) -> set[str]:
    """Who of a party has a reason to look at a place: those at war with an owner of units there, else with
    its holder.

    At an empty place that nobody can hold all look who are at war with anybody.
    """
    owners = turn.state.owners_at(place)
    foes = foes_of(turn, party)
    found = {n for o in owners for n in foes.get(o, ())}
    if found:
        return found
    holder = turn.world.holder_of(place)
    if holder is not None:
        return {n for n in party if turn.world.hostile(n, holder)}
    return {n for n in party if any(turn.world.hostile(n, o) for o in turn.world.nations())}


def groups(turn: Turn, row: Row, party: tuple[str, ...], place: str) -> list[tuple[str, Fraction]]:
    """(link from the observers, their chance together, before the group's factor) for every place with
    observers.
    """
    kept = ("looks", row["id"], party, place)
    tables = _decided_by(turn.ruleset, row["id"])
    return turn.world.keep(kept, tables, lambda: _groups(turn, row, party, place))


@derived_of(*MEANING, "detection")
def _decided_by(ruleset: Ruleset, row: str) -> Tables | None:
    """The tables that decide what a row of `detection` lets somebody see."""
    return reads_of(ruleset, ruleset.row("detection", row), *_FOES, *_POSTS)


def _groups(turn: Turn, row: Row, party: tuple[str, ...], place: str) -> list[tuple[str, Fraction]]:
    eyes = watchers(turn, party, place)
    out = []
    for near in (place, *turn.world.geography.next_to(place)):
        link = f"{near}>{place}"
        if (
            "alone" in row
            and near != place
            and not turn.state.owners_at(near)
            and turn.world.holder_of(near) in eyes
        ):
            alone = Fraction(turn.world.number(row["alone"], {"link": Entity("link", link)})) / 100
            out.extend([(link, alone)] if alone else [])
            continue
        if turn.state.owners_at(near).isdisjoint(eyes):
            continue
        miss = Fraction(1)
        for key, stack in turn.state.stacks(at=near):
            if stack["owner"] not in eyes or not routes.kind_matches(
                turn.world, row.get("who"), stack["kind"]
            ):
                continue
            unit = Entity("unit", key)
            names = {"link": Entity("link", link), "place": Entity("place", place), "near": near == place}
            if not turn.world.test(
                row.get("by"), {**names, "unit": unit, "self": turn.world.field(unit, "owner")}
            ):
                continue
            value = Fraction(figure(turn, row.get("value", 0), unit, names))
            miss *= max(Fraction(0), 1 - value / 100) ** int(stack["n"])
        if miss < 1:
            out.append((link, 1 - miss))
    return out


def chance(turn: Turn, row: Row, party: tuple[str, ...], place: str) -> tuple[int, list[dict[str, Any]]]:
    """The percentage with which a party sees a place, and its groups for the record."""
    rule = row.get("groups", {})
    miss, record = Fraction(1), []
    for link, seen in groups(turn, row, party, place):
        percent = round_as(seen * 100, rule.get("round"))
        names = {
            "link": Entity("link", link),
            "place": Entity("place", place),
            "self": Entity("nation", party[0]),
        }
        factor = turn.world.number(rule["times"], names) if "times" in rule else 1
        miss *= 1 - Fraction(percent) * Fraction(factor) / 100
        record.append({"from": link.partition(">")[0], "percent": str(percent), "times": str(factor)})
    whole = round_as((1 - miss) * 100, row.get("round", "nearest"))
    return int(min(100, max(0, whole))), record


def look(turn: Turn, row: Row, party: tuple[str, ...], place: str) -> None:
    """One party looks at one place: one roll of the row's die against its percentage."""
    percent, record = chance(turn, row, party, place)
    rule, subject = f"detection/{row['id']}", f"{party[0]}:{place}"
    foes = {o for o in turn.state.owners_at(place) if any(turn.world.hostile(n, o) for n in party)}
    readers = sorted(watchers(turn, party, place))
    with turn.journal.entry(
        rule, subject=subject, audience=readers, data={"place": place, "chance": percent, "groups": record}
    ) as entry:
        stream = turn.stream(rule, subject, entry.audience)
        success = stream.roll(row.get("die", "1d100"), percent) <= percent
        there = [stack for _, stack in turn.state.stacks(at=place) if stack["owner"] in foes]
        units = forces.by_kind((stack["kind"], stack["n"]) for stack in there)
        number = sum(units.values())
        found: dict[str, Any] = {"since": turn.number}
        if success:
            found.update({"as": "exact", "units": units, "n": number})
        elif row.get("on_failure") == "less":
            found.update({"as": "number", "n": _fewer(turn, rule, subject, number)})
        record_ = stream.take()
        if record_ is not None:
            entry.dice.append({**record_, "need": f"{percent} or less", "hit": success})
        if "n" in found:
            seen = _of_foes(turn, found["n"], readers, foes if success else foes_of(turn, party))
            told = f"{{place}}: {seen} seen." if success else f"{{place}}: at least {seen} seen."
            told = told if success or found["n"] else "{place}: nothing certain seen."
            entry.tell(say(turn.world, told, place=Entity("place", place), n=found["n"]))
            for nation in readers:
                key = f"{row.get('know', 'units')}:{place}"
                mine = own_foes(turn, nation, there, number) if success else {}
                _remember(turn, nation, key, found)
                turn.journal.set("knowledge", nation, key, {**found, **mine})


def _remember(turn: Turn, nation: str, key: str, found: Row) -> None:
    """What a nation goes on knowing beside a look that saw but some (`before:KEY`): the largest number that
    it was told of not long ago. A new count replaces it.
    """
    last: Row = turn.state.get("knowledge", nation, key) or {}
    kept: Row | None = turn.state.get("knowledge", nation, BEFORE + key)
    best = None
    if found["as"] == "number":
        earlier = [last, kept] if kept and last.get("as") == "number" else [last]
        since = turn.number - REMEMBERED
        more = [row for row in earlier if row.get("n", 0) > found["n"] and row.get("since", 0) >= since]
        best = max(more, key=lambda row: row["n"], default=None)
    if best != kept:
        turn.journal.set("knowledge", nation, BEFORE + key, best)


def own_foes(turn: Turn, nation: str, there: Sequence[Row], n: int) -> dict[str, int]:
    """How many of `n` units that were counted are of enemies of the nation itself (`foes`), where these are
    not all.
    """
    foes = sum(int(stack["n"]) for stack in there if turn.world.hostile(nation, stack["owner"]))
    return {} if foes == n else {"foes": foes}


def _of_foes(turn: Turn, n: int, readers: Sequence[str], owners: Iterable[str]) -> str:
    """So many units that may be of these owners, as a template (of `n`) that is true for all readers: not
    everybody is at war with all enemies of their side.
    """
    units = "unit" if n == 1 else "units"
    if all(turn.world.hostile(reader, owner) for owner in owners for reader in readers):
        return f"{{n}} enemy {units}"
    return f"{{n}} {units} of enemies of your side"


def _fewer(turn: Turn, rule: str, subject: str, number: int) -> int:
    """A number below the true one, drawn where nobody can see it: the size of the die would tell how many
    there are.
    """
    if number <= 1:
        return 0
    with turn.journal.entry(rule, subject=f"{subject}:fewer", audience=(NOBODY,)) as entry:
        stream = turn.stream(rule, f"{subject}:fewer", entry.audience)
        fewer = stream.choice(list(range(number)))
        record = stream.take()
        if record is not None:
            entry.dice.append(dict(record))
    return fewer


def publish(turn: Turn, row: Row) -> None:
    """What orders to look have found this turn (knowledge `from`) is put on the map of the nation, with
    `shared` of its side.

    Who has seen the place exactly since then keeps what they have seen.
    """
    for nation, known in sorted(turn.state.table("knowledge").items()):
        for key, found in sorted(known.items()):
            what, _, place = key.rpartition(":")
            if what != row["from"] or found.get("since") != turn.number:
                continue
            target = f"{row.get('know', 'units')}:{place}"
            readers = []
            for mate in company(turn, row, nation):
                now = turn.state.get("knowledge", mate, target) or {}
                if now.get("since") != turn.number or now.get("as") != "exact":
                    readers.append(mate)
            seen = "unit was seen" if found["n"] == 1 else "units were seen"  # of all but its own side
            says = say(turn.world, f"{{place}}: {{n}} {seen}.", place=Entity("place", place), n=found["n"])
            data = {"place": place, "units": found["units"]}
            with turn.journal.entry(
                f"detection/{row['id']}",
                subject=f"{nation}:{place}",
                audience=readers or (nation,),
                says=says,
                data=data,
            ):
                turn.journal.set("knowledge", nation, key, None)
                of_mates = turn.state.get(OF_MATES, nation, key)
                if of_mates is not None:
                    turn.journal.set(OF_MATES, nation, key, None)
                for mate in readers:
                    own = (
                        found
                        if mate == nation or of_mates is None
                        else _for_mate(found, of_mates.get(mate, 0))
                    )
                    turn.journal.set("knowledge", mate, target, own)


def _for_mate(found: Row, foes: int) -> dict[str, Any]:
    """What a look has found as another of the looker's side is told of it, with how many of the units are its
    own enemies.

    Who has come to the side since has not been counted for: none.
    """
    told = {**found, "foes": foes}
    if foes == told["n"]:
        del told["foes"]
    return told


def figure(turn: OrderContext, value: Any, unit: Entity, names: dict[str, Any]) -> Any:
    """A number, a stat or field of a unit, or `=` an expression."""
    return (
        turn.world.figure(value, {**names, "unit": unit, "self": turn.world.field(unit, "owner")}, unit) or 0
    )
