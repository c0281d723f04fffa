"""What happened: places that changed hands, wars, what became of the reader's orders, and everything else
they are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.canonical import dumps
from ..core.journal import EVERYONE, Entry
from ..core.messages import Message, capital, lasts, told_to_you
from ..core.state import Entity
from ..economy.quotes import as_one
from ..world.messages import HEADLINE, HEADLINE_OF, printed
from ..world.view import may_read
from ..world.world import World
from .document import Block, Para, Refs, Table, bullets, table
from .wording import Wording, counted, listing, sentence, throw

NOTHING = "nothing"
"""What lists of rules say where there is nothing."""
TOLD_ELSEWHERE = (
    "capture",
    "detection",
    "production",
    "movement",
    "missions",
    "battles",
)
"""Forms whose entries other parts of the report tell: hands (but not marks), sightings, account, forces,
battles.
"""
END_OF_THE_GAME = 10
"""The weight of the news that the game is over: beyond every `importance` of a row."""
MANY = 3
"""Sentences of what one nation did that are told in one line."""
KINDS_TOLD_ELSEWHERE = {"transfers": ("gift", "levy")}
"""Of other forms, the kinds of rows whose entries are told elsewhere, too."""


@dataclass(frozen=True)
class Hand:
    """A place that changed hands. `kind`: won or lost (for the reader), or nothing; `spot`: its name inside a
    sentence; `worth` may be none; who had it `before`, and has it `now`; `said`: in words."""

    kind: str
    place: str
    spot: str
    worth: Any
    before: str
    now: str
    said: str
    refs: Refs


def hands(entries: Sequence[Entry], words: Wording) -> list[Hand]:
    """Who lost which place to whom, from what everybody sees at the end; the dearest first."""
    reader = words.reader
    world = words.world
    first: dict[str, Any] = {}
    told: dict[str, list[int]] = {}
    side = world.side_of(reader) if reader else None
    for entry in entries:
        if reader and not may_read(entry, reader, side):
            continue
        for form, id_, field, before, _ in entry.changes:
            if form != "places" or field not in ("holder", "*"):
                continue
            told.setdefault(id_, []).append(entry.n)
            if id_ not in first:
                first[id_] = (
                    entry.data.get("from", before) if field == "holder" else (before or {}).get("holder")
                )
    found = []
    for place, old in first.items():
        if not world.ruleset.has("places", place):
            continue
        now = world.holder_of(place)
        old = old if old is not None else world.ruleset.row_or_empty("places", place).get("owner")
        if now == old:
            continue
        had, has = (words.name(n) if n else "nobody" for n in (old, now))
        kind = ""
        if reader and reader in (now, old):
            kind = "won" if now == reader else "lost"
        if kind == "won":
            said = f"from {words.nation(old)}" if old else "held by nobody before"
        elif kind == "lost":
            said = f"to {words.nation(now)}" if now else "held by nobody now"
        else:
            said = f"from {had} to {has}"
            if not now:
                said = f"from {had}, held by nobody now"
            elif not old:
                said = f"to {has}, free before"
        name, spot, worth = words.place(place), words.spot(place), words.worth(place)
        found.append(Hand(kind, name, spot, worth, had, has, said, tuple(told[place])))
    rank = {"won": 0, "lost": 1, "": 2}
    return sorted(found, key=lambda h: (rank[h.kind], -(h.worth or 0), h.place))


def own_hands(found: Sequence[Hand]) -> list[tuple[str, Refs]]:
    """What the reader won and lost, a sentence each: which places, what they are worth, from or to whom."""
    of_kind = {kind: [h for h in found if h.kind == kind] for kind in ("won", "lost")}
    return [
        (f"You {kind} {_by_whom(some)}.", tuple(n for h in some for n in h.refs))
        for kind, some in of_kind.items()
        if some
    ]


def other_hands(found: Sequence[Hand]) -> list[Block]:
    """What others won and lost of each other, in one paragraph."""
    others = [h for h in found if not h.kind]
    refs = tuple(n for h in others for n in h.refs)
    return [Para(f"{_by_whom(others)}.", "Other places that changed hands", refs)] if others else []


def _by_whom(some: Sequence[Hand]) -> str:
    """Places by the words that say where they went: "A (worth 4) and B from X; C from Y"."""
    same: dict[str, list[str]] = {}
    for hand in some:
        same.setdefault(hand.said, []).append(
            f"{hand.spot} (worth {hand.worth})" if hand.worth and hand.kind else hand.spot
        )
    told = [f"{listing(places)}{'' if ' by ' not in said else ','} {said}" for said, places in same.items()]
    return ", and ".join(told) if len(told) == 2 else "; ".join(told)


def lost_works(entries: Iterable[Entry], words: Wording) -> list[tuple[str, Refs]]:
    """What was under way in places that the reader lost, in a sentence for each."""
    found: dict[str, dict[str, int]] = {}
    refs: dict[str, list[int]] = {}
    for entry in entries:
        if "unfinished" not in entry.data or (words.reader and words.reader not in entry.audience):
            continue
        place = str(entry.data.get("place", ""))
        refs.setdefault(place, []).append(entry.n)
        for part in entry.data["unfinished"]:
            kinds = found.setdefault(place, {})
            kind = str(part.get("item") or part.get("what"))
            item = words.world.ruleset.row_or_empty("production", kind)
            kinds[kind] = kinds.get(kind, 0) + as_one(item, int(part.get("n", 1)))
    return [
        (
            sentence(f"with {words.spot(place)} you lost what was being built there: {words.units(kinds)}"),
            tuple(refs[place]),
        )
        for place, kinds in found.items()
        if kinds
    ]


def relations(entries: Sequence[Entry], words: Wording) -> list[Block]:
    """Enemies, the new ones first; allies; and the sides that others joined."""
    reader = words.reader
    world = words.world
    side = world.side_of(reader)
    mine = [e for e in entries if may_read(e, reader, side)]
    new: set[str] = set()
    for entry in mine:
        for fact in entry.facts:
            if fact.word == "war_began" and reader in (fact.roles.get("by"), fact.roles.get("of")):
                new.add(str(fact.roles["of"] if fact.roles.get("by") == reader else fact.roles.get("by")))
    others = [n for n in world.nations() if n != reader and world.alive(n)]
    foes = [n for n in others if world.hostile(reader, n)]
    allies = [n for n in others if world.allied(reader, n)]
    if (
        not foes
        and not allies
        and not new
        and not any(world.hostile(a, b) for a in others for b in others if a < b)
    ):
        return []  # a game without wars, or one at peace
    fresh, before = [n for n in foes if n in new], [n for n in foes if n not in new]
    said = listing(map(words.name, before)) or "nobody"
    if fresh:
        said = f"new: {listing(map(words.name, fresh))}" + (f"; before: {said}" if before else "")
    return [
        Para(f"{said}.", "At war with you"),
        Para(f"{listing(map(words.name, allies)) or 'none'}.", "Your allies"),
    ]


def own_orders(entries: Sequence[Entry], words: Wording) -> tuple[list[Block], list[Entry]]:
    """Of the reader's orders those that were not carried out as written, each with its throw or its reason;
    and the entries that are told thereby.
    """
    orders = _OwnOrders(words)
    side = words.world.side_of(words.reader)
    for entry in entries:
        if may_read(entry, words.reader, side):
            orders.take(entry)
    return orders.blocks(), orders.told


class _OwnOrders:
    """What became of the reader's orders, entry by entry."""

    def __init__(self, words: Wording) -> None:
        self.words = words
        self.given = 0
        self.failed: list[tuple[tuple[str, str], Refs]] = []
        self.lucky: list[tuple[tuple[str, str], Refs]] = []
        self.became: list[tuple[str, Refs]] = []
        self.told: list[Entry] = []

    def take(self, entry: Entry) -> None:
        """Note what an entry says of an order, if it says anything."""
        if entry.rule == "sequence/input" and entry.subject == self.words.reader:
            self.given += int(entry.data.get("orders", 0))
            self.told.append(entry)
        elif self._is_own(entry) and (self._tells(entry) or _just_done(entry)):
            self.told.append(entry)

    def _is_own(self, entry: Entry) -> bool:
        reader = self.words.reader
        own = entry.subject == reader or entry.subject.startswith((f"{reader}:", f"{reader}#", f"{reader}>"))
        return own and "event" not in entry.data

    def _tells(self, entry: Entry) -> bool:
        """Note what an entry tells beyond that an order was carried out as written; whether it does."""
        words, data, refs = self.words, entry.data, (entry.n,)
        asked = str(data.get("order") or data.get("asked") or "")
        if data.get("outcome"):
            self.became.append((sentence(words.told(entry.happened)), refs))
        elif "refused" in data or "void" in data:
            order = asked or entry.rule.partition("/")[2].replace("-", " ")
            fate = "not possible" if "refused" in data else "came to nothing"
            self.failed.append(((order, f"{fate}: {data.get('refused', data.get('void'))}"), refs))
        elif asked and any(dice.get("hit") is not None for dice in entry.dice):
            hit = any(dice.get("hit") is True for dice in entry.dice)
            thrown = "; ".join(throw(dice) for dice in entry.dice if dice.get("hit") is hit)
            if hit:
                self.lucky.append(((asked, thrown + _found(entry, words)), refs))
            else:
                self.failed.append(((asked, thrown), refs))
        elif "path" in data and "place" in data and data["path"][-1:] != [data["place"]]:
            goal = str(data["path"][-1])
            move = f"{words.units(data.get('units', {}))} to {words.spot(goal)}"
            end = f"only as far as {words.spot(str(data['place']))}{_fallen(goal, words)}"
            self.failed.append(((move, end), refs))
        else:
            return False
        return True

    def blocks(self) -> list[Block]:
        """All of it, for the report."""
        given, failed = self.given, len(self.failed)
        if self.became:
            return [bullets(self.became), *([_tried(self.failed)] if failed else [])]
        if not given and not failed:
            return [Para("You sent no orders.")]
        out: list[Block] = []
        if failed:
            fine = max(given - failed, 0)
            others = "the other" if failed == 1 else "the others"
            lead = f"{fine} of {given} {'was' if fine == 1 else 'were'} carried out as written; {others}:"
            out += [Para(lead if fine else "What became of them:"), _tried(self.failed)]
        elif given == 1:
            out.append(Para("Your one order was carried out."))
        else:
            out.append(Para(f"{'Both' if given == 2 else f'All {given}'} were carried out as written."))
        if self.lucky:
            out += [Para("", "Successful rolls"), _tried(self.lucky)]
        return out


def _tried(rows: Sequence[tuple[tuple[str, str], Refs]]) -> Table:
    return Table(("", ""), tuple(cells for cells, _ in rows), refs=tuple(refs for _, refs in rows))


def _found(entry: Entry, words: Wording) -> str:
    """What a throw that succeeded brought, as far as its entry says so after a colon."""
    head, rest = words.parted(entry.happened)
    return f": {rest.rstrip('.')}" if head and rest else ""


def _fallen(goal: str, words: Wording) -> str:
    """Why somebody did not come to a place, if it is another's now."""
    holder = words.world.holder_of(goal)
    if holder is None or holder == words.reader or not words.world.hostile(words.reader, holder):
        return ""
    return f": {words.spot(goal)} is {words.of(holder)}"


def _just_done(entry: Entry) -> bool:
    """Whether an entry says no more than that an order was carried out as it was written."""
    return (
        bool(entry.data.get("order"))
        and not entry.dice
        and not entry.data.get("details")
        and EVERYONE not in entry.audience
    )


def _told_elsewhere(world: World, entry: Entry) -> bool:
    """Whether entries of the row behind this one are told by another part of the report."""
    form, _, id_ = entry.rule.partition("/")
    kinds = KINDS_TOLD_ELSEWHERE.get(form, ())
    return form in TOLD_ELSEWHERE or world.ruleset.row_or_empty(form, id_).get("kind", "") in kinds


def other_news(
    entries: Iterable[Entry], words: Wording, told: Sequence[Entry]
) -> tuple[list[tuple[str, Refs]], list[tuple[str, Refs]]]:
    """What no other part tells: news for everybody, and what the reader alone is told.

    The same thing of several is said once.
    """
    world = words.world
    public: list[Entry] = []
    own: list[Entry] = []
    seen = {id(e) for e in told}
    for entry in entries:
        form = entry.rule.partition("/")[0]
        if id(entry) in seen or not entry.happened or "battle" in entry.data or "refused" in entry.data:
            continue
        if (form == "sequence" and not entry.data.get("told")) or (
            _told_elsewhere(world, entry) and entry.data and "flag" not in entry.data
        ):
            continue
        if world.ruleset.row_or_empty(form, entry.rule.partition("/")[2]).get("quiet"):
            continue
        if form == "orders" and ("path" in entry.data or "plan" in entry.data or "force" in entry.data):
            continue
        if (
            empty(world, entry)
            or (words.reader and _lists_nothing(entry))
            or not (words.reader or EVERYONE in entry.audience)
        ):
            continue
        (public if EVERYONE in entry.audience else own).append(entry)
    everybody = {_key(e.happened) for e in public}
    return _joined(public, words, public=True), _joined(
        [e for e in own if _key(e.happened) not in everybody], words
    )


def shown(entries: Iterable[Entry], words: Wording) -> tuple[list[Block], list[Entry]]:
    """What nations have laid open (tokens, cards, orders), as a table: whose it is, where it lies, how much
    of each kind. Also gives the entries that are told thereby.
    """
    out: list[Block] = []
    told: list[Entry] = []
    for entry in entries:
        rows = entry.data.get("shown", ())
        if not (words.reader or EVERYONE in entry.audience) or not all(
            "nation" in r and "what" in r for r in rows
        ):
            continue
        counts: dict[tuple[str, str], dict[str, int]] = {}
        for row in rows:
            kinds = counts.setdefault((row["nation"], row.get("at") or ""), {})
            kinds[row["what"]] = kinds.get(row["what"], 0) + int(row.get("n", 1))
        if not counts:
            continue
        kinds_of_all = sorted({kind for kinds in counts.values() for kind in kinds}, key=words.item)
        mine_first = sorted(counts, key=lambda k: (k[0] != words.reader, words.name(k[0]), words.place(k[1])))
        where = any(place for _, place in counts)
        lines = [
            (
                capital(words.nation(nation)),
                *([words.place(place)] if where else []),
                *(str(counts[nation, place].get(kind, "-")) for kind in kinds_of_all),
            )
            for nation, place in mine_first
        ]
        head = ("", *([""] if where else []), *without_last_word([words.item(kind) for kind in kinds_of_all]))
        out += [Para(sentence(words.told(entry.happened[:1])), refs=(entry.n,)), table(head, lines)]
        told.append(entry)
    return out, told


def without_last_word(names: Sequence[str]) -> list[str]:
    """Names without the word in which all of them end, if more is left of each."""
    parted = [name.rpartition(" ") for name in names]
    shared = len(names) > 1 and len({last for _, _, last in parted}) == 1 and all(p[0] for p in parted)
    return [first for first, _, _ in parted] if shared else list(names)


def gravest_first(
    world: World, public: Sequence[tuple[str, Refs]], entries: Iterable[Entry], reader: str
) -> tuple[list[tuple[str, Refs]], list[tuple[str, Refs]]]:
    """News for everybody in two: what goes before every place that was won or lost, the gravest first; and
    the rest.

    The end of the game is the gravest; then what is so by its row (`importance`), or because it changed how
    the reader stands with others (a war, a peace, a surrender).
    """
    weights = {e.n: weight for e in entries if (weight := _importance(world, e, reader))}
    of_each = [max((weights.get(n, 0) for n in refs), default=0) for _, refs in public]
    ranked = sorted(zip(of_each, public, strict=True), key=lambda pair: -pair[0])
    return [one for weight, one in ranked if weight], [one for weight, one in ranked if not weight]


def by_nation(lines: Sequence[tuple[str, Refs]], words: Wording) -> list[tuple[str, Refs]]:
    """News with what one nation did in one line, where that is several things: its name once, at first."""
    begins = {capital(words.nation(n)) + " ": n for n in words.world.ruleset.rows("nations")}
    whose: list[str] = []
    for text, _ in lines:
        found = max((b for b in begins if text.startswith(b)), key=len, default="")
        joint = text[len(found) :].startswith(("and ", "or "))
        whose.append("" if joint or ":" in text else found)
    out: list[tuple[str, Refs]] = []
    for number, (text, refs) in enumerate(lines):
        who = whose[number]
        same = [n for n, w in enumerate(whose) if w == who] if who else []
        if len(same) < MANY:
            out.append((text, refs))
        elif same[0] == number:
            did = "; ".join(lines[n][0].removeprefix(who).rstrip(".") for n in same)
            out.append((sentence(who + did), tuple(r for n in same for r in lines[n][1])))
    return out


def _importance(world: World, entry: Entry, reader: str) -> int:
    """How far to the front of the news an entry stands; 0 for what has no place there."""
    row = world.ruleset.row_of(entry.rule)
    if row.get("kind") == "game_end":
        return END_OF_THE_GAME
    own = any(c[0] == "relations" and reader in str(c[1]).split("--") for c in entry.changes)
    return max(int(row.get("importance", 0)), int(own))


def _key(happened: Sequence[Message], without: str = "") -> bytes:
    """Messages as a key of a table; of one that ends with something, without that."""
    if without:
        slots = {name: value for name, value in happened[0].slots.items() if name != without}
        return dumps([happened[0].template, slots])
    return dumps([m.to_json() for m in happened])


def _lists_nothing(entry: Entry) -> bool:
    """Whether an entry lists what there is, and there is nothing of it."""
    told = [value for message in entry.happened for value in message.slots.values()]
    return entry.rule.startswith("events/") and bool(told) and all(value == NOTHING for value in told)


def empty(world: World, entry: Entry) -> bool:
    """Whether an entry says that nothing came of something: a throw that failed and changed nothing, or a
    bare headline.
    """
    nothing = (
        not any(c[0] not in ("once", "uses", "becomes", "orders") for c in entry.changes) and not entry.facts
    )
    if (
        nothing
        and entry.dice
        and not any(d.get("hit") for d in entry.dice)
        and entry.rule.startswith("events/")
    ):
        return True
    form, _, id_ = entry.rule.partition("/")
    row = world.ruleset.row_or_empty(form, id_)
    bare = all(said.template in (HEADLINE, HEADLINE_OF) for said in entry.happened)
    return form == "events" and nothing and "says" not in row and bare


def _joined(entries: Iterable[Entry], words: Wording, *, public: bool = False) -> list[tuple[str, Refs]]:
    """What entries say, the same once: those that differ only in a place, a nation, or in brackets, at their
    end become one; so do those that begin alike before a colon, with `public` those that begin with the
    reader.
    """
    ends: dict[bytes, dict[bytes, Any]] = {}
    said: dict[bytes, Sequence[Message]] = {}
    refs: dict[bytes, list[int]] = {}
    for entry in entries:
        last = _last(entry.happened)
        key = _key(entry.happened, last)
        said.setdefault(key, entry.happened)
        refs.setdefault(key, []).append(entry.n)
        if last:
            value = entry.happened[0].slots[last]
            ends.setdefault(key, {})[dumps(value)] = value
    begun: dict[str, list[str]] = {}
    of: dict[str, list[int]] = {}
    for key, happened in said.items():
        if len(values := list(ends.get(key, {}).values())) > 1:
            happened = [Message(happened[0].template, {**happened[0].slots, _last(happened): values})]
        head, rest = words.parted(happened)
        head = "You" if public and told_to_you(happened, words.voice) else head
        short = bool(head) and len(head) <= 24 and len(rest) <= 90 and len(happened) == 1
        line = head if short else sentence(f"{head}: {rest}" if head else rest)
        begun.setdefault(line, []).extend([rest] if short else [])
        of.setdefault(line, []).extend(refs[key])
    return [
        (
            sentence(f"{line}: {'; '.join(rest.rstrip('.') for rest in rests)}") if rests else line,
            tuple(of[line]),
        )
        for line, rests in begun.items()
    ]


def _last(happened: Sequence[Message]) -> str:
    """The slot in which a message that stands alone ends, if it holds a place or stands in brackets, or a
    nation and no amount is told that might be shared among several; else nothing.
    """
    found = lasts(happened[0]) if len(happened) == 1 else None
    if found is None:
        return ""
    slot, bracketed = found
    value = happened[0].slots.get(slot)
    kind = value.get("kind") if isinstance(value, Mapping) else None
    amounts = any(not isinstance(v, Mapping) or v.get("kind") == "amount" for v in happened[0].slots.values())
    return slot if bracketed or kind == "place" or (kind == "nation" and not amounts) else ""


def technology(words: Wording, under_way: Sequence[str]) -> list[Block]:
    """What is known and what is under way, each in a sentence."""
    world = words.world
    known = []
    for tech, level in sorted(world.state.row("techs", words.reader).items()):
        name = printed(world, Entity("tech", tech))
        known.append(_leveled(world, tech, name, level))
    out: list[Block] = []
    if world.ruleset.rows("technologies"):
        out.append(Para((listing(known) or "nothing yet") + ".", "Known"))
    stages: dict[str, list[str]] = {}
    for key, level in sorted(world.state.row("tech_stages", words.reader).items()):
        stage, _, tech = key.partition(":")
        if tech and int(level) > int(world.state.get("techs", words.reader, tech, 0)):
            name = printed(world, Entity("tech", tech))
            stages.setdefault(stage, []).append(_leveled(world, tech, name, level))
    for stage, names in stages.items():
        out.append(Para(f"{listing(names)}.", f"{capital(stage.replace('-', ' '))}, not in force yet"))
    if under_way:
        out.append(Para("; ".join(under_way) + ".", "Under way"))
    return out


def _leveled(world: World, tech: str, name: str, level: Any) -> str:
    """A technology with its level, where it has several."""
    several = int(world.ruleset.row_or_empty("technologies", tech).get("levels", 1)) > 1
    return name if level is True or (level == 1 and not several) else f"{name} {level}"


def losses(found: Iterable[Any], words: Wording) -> str:
    """What the reader and those they fought lost in battles that they were in, in a sentence."""
    mine: dict[str, int] = {}
    theirs = 0
    for fight in found:
        if words.reader not in fight.parties():
            continue
        for side in ("attacker", "defender"):
            with_me = words.reader in fight.owners(side)
            for owner, kinds in fight.lost.get(side, {}).items():
                if owner == words.reader:
                    for kind, n in kinds.items():
                        mine[kind] = mine.get(kind, 0) + n
                elif not with_me:
                    theirs += sum(kinds.values())
    if not mine and not theirs:
        return ""
    if not theirs:
        return f"You lost {words.units(mine)} in battle; the enemies you fought lost nothing."
    return (
        f"You lost {words.units(mine) or 'nothing'} in battle; the enemies you fought lost "
        f"{counted(theirs, 'unit')}."
    )


def input_notices(entries: Iterable[Entry], words: Wording) -> list[str]:
    """Who ordered for the reader, and whether their orders were missing."""
    out = []
    for entry in entries:
        if entry.rule != "sequence/input" or (entry.subject != words.reader and words.reader):
            continue
        who = words.nation(entry.subject)
        if "seat" in entry.data:
            if entry.happened:
                out.append(sentence(words.told(entry.happened)))
            continue
        by = str(entry.data.get("by", ""))
        if entry.happened and not entry.data.get("orders"):
            out.append(sentence(f"no orders came in from {who}"))
        elif by == "proxy" or entry.happened:
            out.append(sentence(f"an ally gave the orders for {who}"))
        elif by == "moderator":
            out.append(sentence(f"the moderator submitted the orders for {who}"))
        elif by == "policy":
            out.append(sentence(f"a bot gave the orders for {who}"))
    return out
