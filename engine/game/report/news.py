"""What happened: places that changed hands, wars, what became of the reader's orders, and everything else he is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...core.journal import EVERYONE, Entry
from ...core.state import Entity
from ...turn.effects import printed
from ...world.view import may_read
from ...world.world import World
from .document import Block, Bullets, Para, Table
from .words import Words, counted, listing, sentence, throw

TOLD_ELSEWHERE = ("control", "contacts", "catalogue", "modes", "missions", "gifts", "battles", "streaks", "tallies")
"""Forms whose entries other parts of the report tell: hands, sightings, account, forces, battles."""


def hands(world: World, entries: Sequence[Entry], reader: str, words: Words) -> list[tuple[str, str, str, str]]:
    """Who lost which place to whom: won or lost (for the reader), place, worth, in words. From what everybody sees at the end."""
    first: dict[str, Any] = {}
    side = world.side_of(reader) if reader else None
    for entry in entries:
        if reader and not may_read(entry, reader, side):
            continue
        for table, id_, field, before, _ in entry.changes:
            if table != "places" or id_ in first:
                continue
            if field == "holder":
                first[id_] = entry.data.get("from", before)
            elif field == "*":
                first[id_] = (before or {}).get("holder")
    rows = []
    for place, old in first.items():
        if not world.ruleset.has("places", place):
            continue
        now = world.holder_of(place)
        old = old if old is not None else world.ruleset.rows("places").get(place, {}).get("owner")
        if now == old:
            continue
        kind = "won" if now == reader else "lost" if old == reader else ""
        said = (
            f"from {words.nation(old)}" if old and now == reader else f"to {words.nation(now)}" if old == reader and now else ""
        )
        if not said:
            said = f"{words.nation(old) if old else 'nobody'} to {words.nation(now) if now else 'nobody'}"
        rows.append((kind, words.place(place), str(words.worth(place) or "-"), said))
    rank = {"won": 0, "lost": 1, "": 2}
    return sorted(rows, key=lambda r: (rank[r[0]], -int(r[2]) if r[2].isdigit() else 0, r[1]))


def relations(world: World, entries: Sequence[Entry], reader: str, words: Words) -> list[Block]:
    """Enemies, the new ones first; allies; and the sides that others joined."""
    side = world.side_of(reader)
    mine = [e for e in entries if may_read(e, reader, side)]
    new: set[str] = set()
    for entry in mine:
        for fact in entry.facts:
            if fact.word == "war_began" and reader in (fact.roles.get("by"), fact.roles.get("of")):
                new.add(str(fact.roles["of"] if fact.roles.get("by") == reader else fact.roles.get("by")))
    others = [n for n in world.nations() if n != reader and world.alive(n)]
    foes = [n for n in others if world.hostile(reader, n)]
    fresh, before = [n for n in foes if n in new], [n for n in foes if n not in new]
    out: list[Block] = []
    if fresh:
        out.append(
            Para(
                f"new: {listing(map(words.name, fresh))}" + (f"; before: {listing(map(words.name, before))}." if before else "."),
                "At war with you",
            )
        )
    else:
        out.append(Para((listing(map(words.name, before)) or "nobody") + ".", "At war with you"))
    allies = [n for n in others if world.allied(reader, n)]
    out.append(Para((listing(map(words.name, allies)) or "none") + ".", "Your allies"))
    return out


def own_orders(world: World, entries: Sequence[Entry], reader: str, words: Words) -> tuple[int, list[Block], list[Entry]]:
    """How many orders were given; those that were not carried out as written, each with its throw or its reason.

    Also gives the entries that are told thereby.
    """
    side = world.side_of(reader)
    given = 0
    rows: list[tuple[str, str]] = []
    told: list[Entry] = []
    became: list[str] = []
    for entry in entries:
        if not may_read(entry, reader, side):
            continue
        if entry.rule == "frame/input" and entry.subject == reader:
            given += int(entry.data.get("orders", 0))
            told.append(entry)
            continue
        mine = entry.subject == reader or entry.subject.startswith((f"{reader}:", f"{reader}#", f"{reader}>"))
        if not mine or "event" in entry.data:
            continue
        asked = str(entry.data.get("order") or entry.data.get("asked") or "")
        if "refused" in entry.data:
            rows.append((asked or entry.subject, f"not possible: {entry.data['refused']}"))
            told.append(entry)
        elif "void" in entry.data:
            rows.append((asked or entry.rule.partition("/")[2].replace("-", " "), f"came to nothing: {entry.data['void']}"))
            told.append(entry)
        elif entry.data.get("outcome"):
            became.append(sentence(entry.text))
            told.append(entry)
        elif asked and entry.dice:
            failed = [d for d in entry.dice if d.get("hit") is False]
            if failed:
                rows.append((asked, "; ".join(throw(d) for d in failed)))
                told.append(entry)
        elif "path" in entry.data and "place" in entry.data and entry.data["path"][-1:] != [entry.data["place"]]:
            goal = words.place(str(entry.data["path"][-1]))
            rows.append(
                (
                    f"{words.units(entry.data.get('units', {}))} to {goal}",
                    f"only as far as {words.place(str(entry.data['place']))}",
                )
            )
            told.append(entry)
    if became:
        rest: list[Block] = [Table(("", ""), tuple(rows), ())] if rows else []
        return given, [Bullets(tuple(became)), *rest], told
    if not given and not rows:
        return 0, [Para("You sent no orders.")], told
    if not rows:
        return given, [Para(f"All {given} were carried out as written." if given > 1 else "It was carried out as written.")], told
    fine = max(given - len(rows), 0)
    lead = (
        f"{fine} of {given} {'was' if fine == 1 else 'were'} carried out as written; the others:"
        if fine
        else "What became of them:"
    )
    return given, [Para(lead), Table(("", ""), tuple(rows), ())], told


def other_news(
    world: World, entries: Iterable[Entry], reader: str, words: Words, told: Sequence[Entry]
) -> tuple[list[str], list[str]]:
    """What no other part tells: news for everybody, and what the reader alone is told. The same thing of several is said once."""
    public: list[str] = []
    own: list[str] = []
    seen = {id(e) for e in told}
    for entry in entries:
        form = entry.rule.partition("/")[0]
        if id(entry) in seen or not entry.text or "battle" in entry.data or "refused" in entry.data:
            continue
        if (form == "frame" and not entry.data.get("told")) or (form in TOLD_ELSEWHERE and entry.data):
            continue
        if form == "orders" and ("path" in entry.data or "plan" in entry.data or "force" in entry.data):
            continue
        if empty(world, entry) or not (reader or EVERYONE in entry.audience):
            continue
        text = sentence(entry.text)
        into = public if EVERYONE in entry.audience else own
        if text not in into:
            into.append(text)
    return _joined(public), _joined(own)


def empty(world: World, entry: Entry) -> bool:
    """Whether an entry says that nothing came of something: a throw that failed and changed nothing, or a bare headline."""
    nothing = not any(c[0] not in ("once", "uses", "becomes", "orders") for c in entry.changes) and not entry.facts
    if nothing and entry.dice and not any(d.get("hit") for d in entry.dice) and entry.rule.startswith("events/"):
        return True
    form, _, id_ = entry.rule.partition("/")
    row = world.ruleset.rows(form).get(id_, {})
    return form == "events" and nothing and "says" not in row


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines that differ only in a name in brackets at their end become one."""
    heads: dict[str, list[str]] = {}
    for line in lines:
        head, bracket, rest = line.rstrip(".").rpartition(" (")
        if bracket and rest.endswith(")") and head:
            heads.setdefault(head, []).append(rest[:-1])
        else:
            heads.setdefault(line, [])
    return [sentence(f"{head} ({listing(names)})") if names else head for head, names in heads.items()]


def technology(world: World, reader: str, words: Words, under_way: Sequence[str]) -> list[Block]:
    """What is known and what is under way, each in a sentence."""
    known = []
    for tech, level in sorted(world.state.row("techs", reader).items()):
        name = printed(world, Entity("tech", tech))
        known.append(name if level in (1, True) else f"{name} {level}")
    out: list[Block] = []
    if world.ruleset.rows("technologies"):
        out.append(Para((listing(known) or "nothing yet") + ".", "Known"))
    if out or under_way:
        out.append(Para("; ".join(under_way) + "." if under_way else "nothing.", "Under way"))
    return out


def losses(found: Iterable[Any], reader: str, words: Words) -> str:
    """What the reader and those he fought lost in battles that he was in, in a sentence."""
    mine: dict[str, int] = {}
    theirs = 0
    for fight in found:
        if reader not in fight.parties():
            continue
        for side in ("attacker", "defender"):
            with_me = reader in fight.owners(side)
            for owner, kinds in fight.lost.get(side, {}).items():
                if owner == reader:
                    for kind, n in kinds.items():
                        mine[kind] = mine.get(kind, 0) + n
                elif not with_me:
                    theirs += sum(kinds.values())
    if not mine and not theirs:
        return ""
    return f"You lost {words.units(mine) or 'nothing'} in battle; the enemies before you lost {counted(theirs, 'unit')}."


def input_notices(world: World, entries: Iterable[Entry], reader: str, words: Words) -> list[str]:
    """Who ordered for the reader, and whether his orders were missing."""
    out = []
    for entry in entries:
        if entry.rule != "frame/input" or (entry.subject != reader and reader):
            continue
        who = words.nation(entry.subject)
        if "seat" in entry.data:
            if entry.text:
                out.append(sentence(entry.text))
            continue
        by = str(entry.data.get("by", ""))
        if entry.text and not entry.data.get("orders"):
            out.append(sentence(f"no orders came in from {who}"))
        elif by == "proxy" or "ally" in entry.text:
            out.append(sentence(f"an ally gave the orders for {who}"))
        elif by == "moderator":
            out.append(sentence(f"the moderator handed in the orders for {who}"))
        elif by == "policy":
            out.append(sentence(f"a policy of the program gave the orders for {who}"))
    return out
