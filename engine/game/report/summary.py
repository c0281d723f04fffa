"""The moderator's summary: who sent what, what to look at again, battles and nations in a row each."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.journal import Entry
from ...core.state import Entity
from ...turn.effects import printed
from ...world import treasury
from ...world.world import World
from . import fights as told_fights
from .document import Block, Bullets, Para, table
from .words import Words, listing, sentence

BY = {"player": "player", "moderator": "moderator", "proxy": "ally", "policy": "policy"}


def orders(world: World, entries: Sequence[Entry], words: Words) -> list[Block]:
    """Who sent how many orders by whom, and how many could not be carried out; policies together."""
    refused: dict[str, int] = {}
    for entry in entries:
        if "refused" in entry.data or "void" in entry.data:
            nation = entry.subject.partition(":")[0]
            refused[nation] = refused.get(nation, 0) + 1
    rows, played, theirs, bad = [], 0, 0, 0
    for entry in entries:
        if entry.rule != "frame/input" or "orders" not in entry.data:
            continue
        by = str(entry.data.get("by", ""))
        n = int(entry.data["orders"])
        if by == "policy" or not (by or entry.text):  # nobody sent them: the program gave them
            played, theirs, bad = played + 1, theirs + n, bad + refused.get(entry.subject, 0)
            continue
        rows.append((words.name(entry.subject), BY.get(by, by) or "nobody", str(n), str(refused.get(entry.subject, 0) or "-")))
    if played:
        rows.append((f"{played} {'nation' if played == 1 else 'nations'}", "policies", str(theirs), str(bad or "-")))
    return [table(("", "sent by", "orders", "not possible"), rows)] if rows else []


def look_again(world: World, entries: Sequence[Entry], words: Words) -> list[Block]:
    """Orders of players that could not be carried out, units that had no way out, those who sent nothing."""
    by = {e.subject: e.data.get("by", "policy") for e in entries if e.rule == "frame/input" and "orders" in e.data}
    items = []
    for entry in entries:
        nation = entry.subject.partition(":")[0]
        if "refused" in entry.data and by.get(nation) != "policy":
            items.append(f"{words.name(nation)}: {entry.data.get('order') or entry.rule}: {entry.data['refused']}")
        elif entry.data.get("event") == "leave" and any(p.get("lost") for p in entry.data.get("left", ())):
            items.append(entry.text)
        elif entry.rule == "frame/input" and entry.text and "orders" in entry.data:
            items.append(f"{words.name(entry.subject)}: {entry.text}")
    return [Bullets(tuple(sentence(i) for i in items))] if items else []


def battles(world: World, entries: Sequence[Entry], words: Words) -> list[Block]:
    """A row for each battle, the gravest first; what happened before it at the same place with it."""
    taken = told_fights.captured(entries)
    rows, marked = [], False
    for fight in told_fights.gravest(world, told_fights.fights(entries), "", words):
        cells = []
        for side in told_fights.SIDES:
            of = "both" if len(fight.owners(side)) == 2 else listing(map(words.name, fight.owners(side))) or "nobody"
            of = words.name(fight.owners(side)[0]) if len(fight.owners(side)) == 1 else of
            star = "*" if side == "defender" and fight.place in taken else ""
            marked = marked or bool(star)
            cells.append(f"{of} {sum(fight.losses(side).values())} of {sum(fight.started(side).values())}{star}")
        scored = []
        for side in told_fights.SIDES:
            hit, expected, dice = told_fights.hits(fight, side)
            scored.append(f"{hit} ({float(expected):.0f})" if dice and expected is not None else "-")
        rows.append((words.place(fight.place), *cells, str(len(fight.rounds)), " ".join(scored)))
    if not rows:
        return []
    notes = ("* the place changed hands.",) if marked else ()
    return [table(("", "attacker lost", "defender lost", "rounds", "hits (expected)"), rows, notes=notes)]


def nations(world: World, entries: Sequence[Entry], words: Words) -> list[Block]:
    """Every nation that somebody commands or that fights: means, income, units, technologies."""
    units: dict[str, dict[str, int]] = {}
    for _, row in world.state.stacks():
        of = units.setdefault(str(row["owner"]), {})
        of[str(row["kind"])] = of.get(str(row["kind"]), 0) + int(row["n"])
    money = treasury.money(world.ruleset)
    rows = []
    for nation in world.nations():
        if not world.alive(nation) or not (units.get(nation) or treasury.purses(world, nation, money)):
            continue
        has = sum(treasury.purses(world, nation, money).values()) if money else 0
        income = world.state.get("nations", nation, "income")
        techs = [printed(world, Entity("tech", t)) for t in sorted(world.state.row("techs", nation))]
        said = words.short_units(units.get(nation, {}))
        rows.append(
            (
                words.name(nation),
                str(has),
                str(income if income is not None else "-"),
                said + (f"; {', '.join(techs)}" if techs else ""),
            )
        )
    rows.sort(key=lambda r: (-int(r[1]) if r[1].isdigit() else 0, r[0]))
    name = treasury.in_words(world.ruleset, money) if money else "means"
    return [table(("", name, "income", "units; technologies"), rows)] if rows else []


def tracks(world: World, words: Words) -> list[Block]:
    """Where nations stand on tracks, the farthest first."""
    out: list[Block] = []
    for id_, row in world.ruleset.rows("tracks").items():
        found = {n: v for n, t in world.state.table("tracks").items() if isinstance(v := t.get(id_), int) and v}
        if found:
            said = ", ".join(f"{words.name(n)} {v:+d}" for n, v in sorted(found.items(), key=lambda i: (-abs(i[1]), i[0]))[:16])
            more = f" and {len(found) - 16} more" if len(found) > 16 else ""
            out.append(Para(f"{said}{more}.", str(row.get("name", id_))))
    return out
