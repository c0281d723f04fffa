"""The moderator's summary: who sent what, what to look at again, battles and nations in a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.journal import NOBODY, Entry
from ..core.state import Entity
from ..world import treasury
from ..world.messages import printed
from ..world.world import World
from . import fights
from .document import Block, Para, Refs, bullets, table
from .fought import SIDES, fights_in
from .news import Hand
from .standing import columns
from .verdicts import captured_in
from .wording import Wording, listing, merged, sentence

BY = {"player": "player", "moderator": "moderator", "proxy": "ally", "policy": "bot"}


def orders(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """Who sent how many orders by whom, and how many could not be carried out; those of bots together."""
    refused: dict[str, int] = {}
    for entry in entries:
        if "refused" in entry.data or "void" in entry.data:
            nation = entry.subject.partition(":")[0]
            refused[nation] = refused.get(nation, 0) + 1
    rows, theirs = [], 0
    played: set[str] = set()  # a nation is asked at every input point of a turn
    for entry in entries:
        if entry.rule != "sequence/input" or "orders" not in entry.data:
            continue
        by = str(entry.data.get("by", ""))
        n = int(entry.data["orders"])
        if by == "policy" or not (by or entry.happened):  # nobody sent them: the program gave them
            played.add(entry.subject)
            theirs += n
            continue
        rows.append(
            (
                words.name(entry.subject),
                BY.get(by, by) or "nobody",
                str(n),
                str(refused.get(entry.subject, 0) or "-"),
            )
        )
    if played:
        bad = sum(refused.get(nation, 0) for nation in played)
        rows.append(
            (
                f"{len(played)} {'nation' if len(played) == 1 else 'nations'}",
                "bots",
                str(theirs),
                str(bad or "-"),
            )
        )
    return [table(("", "sent by", "orders", "not possible"), rows)] if rows else []


def look_again(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """What players may ask about: orders that could not be carried out, units with no way out or no part in a
    battle, missing orders, means in places that are another's now, wars with somebody who is not in play."""
    by = {
        e.subject: e.data.get("by", "policy")
        for e in entries
        if e.rule == "sequence/input" and "orders" in e.data
    }
    items: list[tuple[str, Refs]] = []
    for entry in entries:
        nation = entry.subject.partition(":")[0]
        if "refused" in entry.data and by.get(nation) != "policy":
            items.append(
                (
                    f"{words.name(nation)}: {entry.data.get('order') or entry.rule}: {entry.data['refused']}",
                    (entry.n,),
                )
            )
        elif ("void" in entry.data and NOBODY in entry.audience) or _worth_a_look(entry, by):
            items.append((words.told(entry.happened), (entry.n,)))
        elif entry.rule == "sequence/input" and entry.happened and "orders" in entry.data:
            items.append((f"{words.name(entry.subject)}: {words.told(entry.happened)}", (entry.n,)))
    for nation in (n for n, sent in by.items() if sent != "policy"):
        items += [(said, ()) for said in (*_left_behind(nation, words), *_at_war_with_nobody(nation, words))]
    return [bullets([(sentence(text), refs) for text, refs in items])] if items else []


def _worth_a_look(entry: Entry, by: Mapping[str, Any]) -> bool:
    """Whether an entry tells of units that had no way out of a battle, or of a player's that had no part in
    it.
    """
    if entry.data.get("event") == "leave":
        return any(p.get("lost") for p in entry.data.get("left", ()))
    return entry.data.get("event") in ("stuck", "absent") and any(
        by.get(n, "policy") != "policy" for n in entry.audience
    )


def _left_behind(nation: str, words: Wording) -> list[str]:
    """Means of a nation that lie in a place which somebody else holds."""
    world = words.world
    out = []
    for what in world.ruleset.rows("resources"):
        for purse, amount in sorted(treasury.purses(world, nation, what).items()):
            place = purse.rpartition("/")[2]
            holder = world.holder_of(place) if world.ruleset.has("places", place) else None
            if amount and holder is not None and holder != nation:
                out.append(
                    f"{words.name(nation)} has {words.amount(amount, what)} in {words.spot(place)}, which "
                    f"is {words.of(holder)}"
                )
    return out


def _at_war_with_nobody(nation: str, words: Wording) -> list[str]:
    world = words.world
    gone = [n for n in world.nations() if n != nation and not world.alive(n) and world.hostile(nation, n)]
    return (
        [f"{words.name(nation)} is at war with {listing(map(words.name, gone))}, of whom nobody is there"]
        if gone
        else []
    )


def land(hands: Sequence[Hand]) -> list[Block]:
    """Places that changed hands: from whom, to whom, what they are worth."""
    if not hands:
        return []
    worths = any(h.worth for h in hands)
    rows = []
    for hand in hands:
        rows.append((hand.place, hand.before, hand.now, *((str(hand.worth or "-"),) if worths else ())))
    return [table(("", "from", "to", *(("worth",) if worths else ())), rows, refs=[h.refs for h in hands])]


_COUNTED = {0: "nobody", 2: "both"}
"""How owners on a side are summed up who are not a single one; more than two are all."""


def battles(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """A row for each battle, the gravest first; what happened before it at the same place with it."""
    taken = captured_in(entries, words.world.ruleset)
    rows, refs, marked, apart = [], [], False, []
    for fight in fights.gravest(fights_in(entries), words):
        if fight.came_to_nothing:
            apart.append(fight)
            continue
        cells = []
        for side in SIDES:
            owners = fight.owners(side)
            of = words.name(owners[0]) if len(owners) == 1 else _COUNTED.get(len(owners), "all")
            star = "*" if side == "defender" and fight.log[0] in taken else ""
            marked = marked or bool(star)
            lost, began = fight.losses(side), fight.started(side)
            if guards := fight.guards.get(side):  # nobody's units: the place alone fights
                of = listing(words.kind(kind, n) for kind, n in guards.items())
                lost, began = fight.guards_lost[side], guards
            cells.append(f"{of} {sum(lost.values())} of {sum(began.values())}{star}")
        scored = [fights.hits(fight, side, words) for side in SIDES]
        hit = (
            ":".join(str(n or 0) for n, _, _ in scored)
            if any(dice and n is not None for n, _, dice in scored)
            else "-"
        )
        aims = any(dice and expected is not None for _, expected, dice in scored)
        hoped = ":".join(f"{float(expected or 0):.0f}" for _, expected, _ in scored) if aims else "-"
        rows.append((words.place(fight.place), *cells, str(len(fight.rounds)), hit, hoped))
        refs.append(tuple(fight.log))
    said = [fights.met_only(apart, words)] if apart else []
    if not rows:
        return [Para(text) for text in said]
    notes = [*said, "Hits of attackers and defenders, and how many their numbers promised."]
    notes += ["* the place changed hands."] if marked else []
    head = ("", "attacker lost", "defender lost", "rounds", "hits", "expected")
    return [replace(table(head, rows, notes=notes, refs=refs), right=(3, 4, 5))]


MOST_KINDS = 6
"""Kinds of units with a column of their own in the table of nations; the others are added up."""


def nations(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """Every nation that has anything: means, income, units by kind, and what it discovered in the turn."""
    world = words.world
    units: dict[str, dict[str, int]] = {}
    for _, row in world.state.stacks():
        of = units.setdefault(str(row["owner"]), {})
        of[str(row["kind"])] = of.get(str(row["kind"]), 0) + int(row["n"])
    money = treasury.money(world.ruleset)
    total = merged(list(units.values()))
    order = list(world.ruleset.rows("units"))
    kinds = sorted(
        sorted(total, key=lambda k: -total[k])[:MOST_KINDS],
        key=lambda k: order.index(k) if k in order else len(order),
    )
    found = _discovered(world, entries)
    rows = []
    for nation in world.nations():
        if not world.alive(nation) or not (units.get(nation) or treasury.purses(world, nation, money)):
            continue
        has = sum(treasury.purses(world, nation, money).values()) if money else 0
        income = world.state.get("nations", nation, "income")
        of = units.get(nation, {})
        others = sum(n for k, n in of.items() if k not in kinds)
        rows.append(
            (
                words.name(nation),
                str(has or "-"),
                str(income if income is not None else "-"),
                *(str(of.get(k) or "-") for k in kinds),
                *((str(others or "-"),) if len(total) > len(kinds) else ()),
                ", ".join(found.get(nation, ())),
            )
        )
    rows.sort(key=lambda r: (-int(r[1]) if r[1].isdigit() else 0, r[0]))
    name = treasury.in_words(world.ruleset, money) if money else "means"
    names, short = columns(words, kinds)
    rest = ("others",) if len(total) > len(kinds) else ()
    last = ("discovered",) if found else ("",)
    if not rows:
        return []
    heads = ("", name, "income", *names, *rest, *last)
    short = ("", name.split()[-1][:6], "inc.", *short, *("oth." for _ in rest), *last)
    said = [n for n in range(len(heads)) if n == 0 or any(row[n] not in ("", "-") for row in rows)]
    made = table([heads[n] for n in said], [[row[n] for n in said] for row in rows])
    right = tuple(place for place, n in enumerate(said) if 0 < n < 3 + len(kinds) + len(rest))
    return [replace(made, right=right, short=tuple(short[n] for n in said))]


def _discovered(world: World, entries: Sequence[Entry]) -> dict[str, list[str]]:
    """Nation -> technologies that it came to know in the turn."""
    out: dict[str, list[str]] = {}
    for entry in entries:
        for table_, nation, field, before, after in entry.changes:
            if table_ == "techs" and field != "*" and after and after != before:
                name = printed(world, Entity("tech", field))
                out.setdefault(nation, []).append(name if after in (1, True) else f"{name} {after}")
    return out


def tracks(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """Where nations stand on tracks, the farthest first, and who moved on them in the turn."""
    world = words.world
    out: list[Block] = []
    for id_, row in world.ruleset.rows("tracks").items():
        moved: dict[str, Any] = {}
        for entry in entries:
            for table_, nation, field, before, _ in entry.changes:
                if table_ == "tracks" and field == id_:
                    moved.setdefault(nation, before or 0)
        steps = [
            f"{words.name(n)} {before} to {now}"
            for n, before in sorted(moved.items())
            if (now := world.state.get("tracks", n, id_) or 0) != before
        ]
        if steps:
            out.append(Para("; ".join(steps) + ".", f"{row.get('name', id_)}, moved"))
        found = {
            n: v for n, t in world.state.table("tracks").items() if isinstance(v := t.get(id_), int) and v
        }
        if found:
            said = ", ".join(
                f"{words.name(n)} {v:+d}"
                for n, v in sorted(found.items(), key=lambda i: (-abs(i[1]), i[0]))[:16]
            )
            more = f" and {len(found) - 16} more" if len(found) > 16 else ""
            out.append(Para(f"{said}{more}.", str(row.get("name", id_))))
    return out
