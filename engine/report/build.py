"""A nation's report as plain data: everything comes from that nation's view and from the journal entries it
may read.

`nation_report` gives what the text and HTML templates print; `moderator_report` the same for somebody who may
see all.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..core.canonical import digest
from ..core.frame import phases, step_name, steps
from ..core.journal import EVERYONE, Entry
from ..core.messages import Message, plain
from ..core.model import Row, Ruleset
from ..core.state import Entity
from ..economy.quotes import so_many
from ..orders.kinds import of_class
from ..orders.kinds.acts import Acts
from ..orders.legal_entry import LegalSearch
from ..ruleset.clauses import clauses_of_row
from ..ruleset.randomness import rolls_dice
from ..turn.calendar import date
from ..turn.context import OrderContext
from ..turn.sequence import own_turns
from ..world.messages import message, printed
from ..world.tables import box_of
from ..world.view import chain_of, readable
from ..world.world import World
from . import account, cards, fights, news, rounds, standing, summary
from .document import Block, Bullets, Para, Refs, ReportPart, bullets, linked
from .fought import Fight, fights_in
from .result import result
from .sightings import sightings
from .wording import Wording, counted, in_words, listing, sentence

DIGITS = 32
"""Of a hash that a reader compares with the moderator's; what was published before is printed whole."""


@dataclass(frozen=True)
class NewsLine:
    """One thing that happened: a sentence, further lines under it, and where its rule stands. `kind`: news,
    own or refused.

    `number`: of the line in the log, to which the lines of the parts refer. `outcome`: of an order whose row
    says what can become of it, which of these it was. `named`, `clauses`: what the rule is called, and the
    clauses that it carries out.
    """

    number: int
    text: str
    kind: str
    rule: str
    at: str
    details: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    named: str = ""
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A phase and what happened in it, in order."""

    name: str
    lines: tuple[NewsLine, ...]


@dataclass(frozen=True)
class Report:
    """What a report prints. Texts are for readers; nothing here is hidden from the one it is for.

    `due` says when orders are wanted, `parts` what it tells, `sections` every entry in its order with all
    dice.
    """

    game: str
    reader: str
    name: str
    turn: int
    when: str
    due: str
    parts: tuple[ReportPart, ...]
    sections: tuple[Section, ...]
    proof: tuple[tuple[str, str], ...]
    template: str = ""
    ended: bool = False
    battles: tuple[tuple[str, str], ...] = ()
    """The reader's battles in the order in which they are told: place, and success or failure."""
    dice: bool = True
    """Whether the rules roll any; where they do not there is nothing to prove."""


def nation_report(
    world: World,
    entries: Sequence[Entry],
    reader: str,
    *,
    since: Sequence[Entry] | None = None,
    game: str,
    turn: int,
    template: str = "",
    proof: Iterable[tuple[str, str]] = (),
    chain: str = "",
    due: str = "",
    notices: Iterable[str] = (),
) -> Report:
    """The report of `reader` after `turn`, from its view `world` and the turn's entries. `chain` is its own
    chain so far.

    `since`: the entries since the report before, of which accounts are made; absent: those of the turn.

    `due` and `notices` are sentences that the moderator's side adds for everybody: the deadline, roll-backs,
    other rules.
    """
    ruleset, shown = world.ruleset, world.state
    mine = readable(entries, world, reader)
    words = Wording(world, reader)
    own_proof = [
        ("what you may see", digest(shown.tables)[:DIGITS]),
        ("what was told you", chain_of(mine, chain)[:DIGITS]),
        *proof,
    ]
    orders, told = news.own_orders(mine, words)
    laid_open, told_there = news.shown(mine, words)
    told += told_there
    public, private = news.other_news(mine, words, told)
    by_powers = bool(own_turns(ruleset))
    if by_powers:  # what happened in the turn of a power is told with it
        between = [e for nation, those in rounds.by_power(ruleset, mine) if not nation for e in those]
        public, _ = news.other_news(between, words, told)
    found = fights_in(mine)
    log, numbers = sections(ruleset, mine, reader, words)
    parts = [
        ReportPart("The result", tuple(result(mine, words))),
        _situation(entries if since is None else since, mine, words, found, public, laid_open),
        ReportPart("The turn, power by power", tuple(rounds.blocks(mine, words))),
        ReportPart(
            "Battles, the gravest first",
            tuple(fights.blocks(mine, words, others=not by_powers)),
        ),
        ReportPart("Your orders", (*(orders if turn else ()), *([bullets(private)] if private else []))),
        ReportPart("Your forces", tuple(standing.forces(words))),
        ReportPart("What you know of others", tuple(sightings(mine, words, turn))),
        ReportPart(
            "Technology and what is under way",
            tuple(news.technology(words, _under_way(world, reader))),
        ),
        ReportPart("Notices", _notices([*notices, *news.input_notices(mine, words)])),
    ]
    return Report(
        game=game,
        reader=reader,
        name=printed(world, Entity("nation", reader)),
        turn=turn,
        when=when(ruleset, turn),
        due=due or _due(world, ruleset, turn),
        parts=linked([p for p in parts if p.blocks], numbers),
        sections=log,
        proof=tuple(own_proof),
        template=template,
        ended=bool(shown.get("game", "game", "ended")),
        battles=tuple(fights.outcomes(mine, words)),
        dice=rolls_dice(ruleset),
    )


def _situation(
    since: Sequence[Entry],
    mine: Sequence[Entry],
    words: Wording,
    found: Sequence[Fight],
    public: Sequence[tuple[str, Refs]],
    laid_open: Sequence[Block],
) -> ReportPart:
    """How the reader stands and what they must decide."""
    out: list[Block] = []
    hands = news.hands(mine, words)
    own = news.own_hands(hands)
    first = [text for text, _ in own]
    if cost := news.losses(found, words):
        first.append(cost)
    gone = news.lost_works(mine, words)
    grave, rest = news.gravest_first(words.world, public, mine, words.reader)
    if grave:
        out.append(bullets(grave))
    if first:
        out.append(Para(" ".join(first), refs=tuple(n for _, refs in own for n in refs)))
    if rest or gone:
        out.append(bullets([*news.by_nation(rest, words), *gone]))
    out += laid_open
    to_do = [
        *_of_records(words, "open"),
        *standing.danger(words),
        *standing.beside_enemies(words),
        *_open_to(words),
    ]
    if to_do:
        out.extend([Para("", "For you to decide"), Bullets(tuple(to_do))])
    out.extend(
        account.blocks(
            account.accounts(since, words),
            [(h.place, h.worth) for h in hands if h.kind == "lost"],
        )
    )
    figures = _tracks(words.world, words.reader)
    if figures:
        out.append(Para("; ".join(f"{name} {value}" for name, value in figures) + "."))
    if lying := cards.piles(words):
        out.extend([Para("", "Cards"), Bullets(tuple(lying))])
    out.extend(news.other_hands(hands))
    out.extend(news.relations(mine, words))
    if agreed := _of_records(words, "standing"):
        out.append(Para("; ".join(line.rstrip(".") for line in agreed) + ".", "Agreements in force"))
    return ReportPart("The situation", tuple(out))


def _of_records(words: Wording, kind: str) -> list[str]:
    """What the rows of kinds of records tell of those that the reader sees, as open to them or as
    standing.
    """
    world = words.world
    out = []
    for id_, record in sorted(world.state.table("records").items()):
        names = {
            "record": Entity("record", id_),
            "self": Entity("nation", words.reader),
            "nation": Entity("nation", words.reader),
        }
        for rule in world.ruleset.row_or_empty("records", record.get("kind")).get("told", ()):
            if rule["as"] == kind and world.test(rule["when"], names):
                out.append(sentence(words.told([message(world, rule["says"], names)])))
    return out


def _open_to(words: Wording) -> list[str]:
    """What the reader could do and is reminded of (`remind` of an act), with all that it may be done to and
    what that costs.
    """
    world = words.world
    out = []
    context = OrderContext(world)
    for act in of_class(world.ruleset, Acts):
        if "remind" not in act.row:
            continue
        same: dict[str, list[str]] = {}
        for legal in (
            one
            for one in act.legal(world, words.reader, LegalSearch(offered=True))
            if one.is_offered(context)
        ):
            what = next((words.thing(v) for v in legal.slots.values()), "")
            price = (
                listing(words.amount(n, what) for what, n in legal.cost.items() if n)
                if any(legal.cost.values())
                else "free"
            )
            same.setdefault(price, []).append(what)
        said = [
            f"{listing(names)} ({price}{' each' if len(names) > 1 else ''})" for price, names in same.items()
        ]
        if said:
            out.append(sentence(f"{act.row['remind']}: {listing(said)}"))
    return out


def _notices(lines: Sequence[str]) -> tuple[Block, ...]:
    return (Bullets(tuple(dict.fromkeys(lines))),) if lines else ()


def _due(world: World, ruleset: Ruleset, turn: int) -> str:
    """For which turn orders are wanted, where no day is known."""
    now = int(world.state.get("game", "game", "turn", turn))
    if world.state.get("game", "game", "ended"):
        return "The game has ended."
    if now == turn:
        return (
            f"Turn {turn} is not over yet: more orders for it are due at the deadline that your "
            "moderator has set."
        )
    return f"Orders for turn {now}{_date(ruleset, now)} are due at the deadline that your moderator has set."


def _date(ruleset: Ruleset, turn: int) -> str:
    said = when(ruleset, turn)
    return f" ({said})" if said != f"turn {turn}" else ""


def moderator_report(
    world: World,
    entries: Sequence[Entry],
    *,
    game: str,
    turn: int,
    proof: Iterable[tuple[str, str]] = (),
    due: str = "",
    notices: Iterable[str] = (),
) -> Report:
    """The summary for somebody who may see all: `world` is the whole position."""
    ruleset = world.ruleset
    words = Wording(world)
    between = [e for nation, those in rounds.by_power(ruleset, entries) if not nation for e in those]
    laid_open, told = news.shown(entries, words)
    public, _ = news.other_news(between if own_turns(ruleset) else entries, words, told)
    grave, rest = news.gravest_first(world, public, entries, "")
    hands = news.hands(entries, words)
    log, numbers = sections(ruleset, entries, None, words)
    parts = [
        ReportPart("The result", tuple(result(entries, words))),
        ReportPart("Your part now", _notices([*notices])),
        ReportPart("Orders", tuple(summary.orders(entries, words))),
        ReportPart("Look again", tuple(summary.look_again(entries, words))),
        ReportPart("News", (*([bullets([*grave, *rest])] if public else []), *laid_open)),
        ReportPart("Land", tuple(summary.land(hands))),
        ReportPart("The turn, power by power", tuple(rounds.blocks(entries, words))),
        ReportPart("Battles", tuple(summary.battles(entries, words))),
        ReportPart("Nations", tuple(summary.nations(entries, words))),
        ReportPart("Standing", tuple(summary.tracks(entries, words))),
        ReportPart(
            "Record",
            (
                Para(
                    f"{counted(len(entries), 'entry', 'entries')}, "
                    f"{counted(_thrown(entries), 'die', 'dice')}."
                ),
            ),
        ),
    ]
    return Report(
        game=game,
        reader="moderator",
        name="Moderator",
        turn=turn,
        when=when(ruleset, turn),
        due=due or _due(world, ruleset, turn),
        parts=linked([p for p in parts if p.blocks], numbers),
        sections=log,
        proof=tuple(proof),
        ended=bool(world.state.get("game", "game", "ended")),
        dice=rolls_dice(ruleset),
    )


def _thrown(entries: Iterable[Entry]) -> int:
    """How many dice were thrown."""
    records = chain.from_iterable(entry.dice for entry in entries)
    return sum(len(drawn["faces"]) for record in records for drawn in record["drawn"])


def when(ruleset: Ruleset, turn: int) -> str:
    """The date of a turn in words."""
    row = ruleset.calendar
    if "start" not in row:
        return f"turn {turn}"
    year, month = date(row, turn)
    names = row.get("names") or row.get("seasons")
    if names:
        return f"{names[(turn - 1) % len(names)]} {year}"
    last_year, last = divmod(12 * year + month - 1 + int(row.get("months", 1)) - 1, 12)
    if (last_year, last + 1) == (year, month):
        return f"{month_name[month]} {year}"
    begins = month_name[month] if last_year == year else f"{month_name[month]} {year}"
    return f"{begins}-{month_name[last + 1]} {last_year}"


def sections(
    ruleset: Ruleset, entries: Iterable[Entry], reader: str | None, words: Wording
) -> tuple[tuple[Section, ...], dict[int, int]]:
    """Entries that have something to say, by the phase of their step, phases in the sequence's order; and the
    line of each.

    Lines are numbered from 1 in the order in which they stand. Where powers play one after another, each turn
    is by itself.
    """
    out: list[Section] = []
    numbers: dict[int, int] = {}
    for nation, those in rounds.by_power(ruleset, entries) if own_turns(ruleset) else [("", entries)]:
        whose = f"{ruleset.row('nations', nation).get('name', nation)}: " if nation else ""
        out.extend(_by_phase(ruleset, those, reader, words, numbers, whose))
    return tuple(out), numbers


def _by_phase(
    ruleset: Ruleset,
    entries: Iterable[Entry],
    reader: str | None,
    words: Wording,
    numbers: dict[int, int],
    whose: str,
) -> Iterator[Section]:
    """The sections of one turn; `numbers` goes on from those before, `whose` stands before the names of the
    phases.
    """
    names = {"input": "Orders", "turn-start": "The turn begins", "turn-end": "The turn ends"}
    order: list[str] = ["turn-start", "input"]
    of_step: dict[str, str] = {"turn-start": "turn-start", "input": "input", "turn-end": "turn-end"}
    for phase in phases(ruleset.sequence):
        order.append(phase["phase"])
        names[phase["phase"]] = str(phase.get("name", phase["phase"]))
        of_step[phase["phase"]] = phase["phase"]
        for step in steps(phase.get("steps", ())):
            of_step[step_name(step)] = phase["phase"]
    order.append("turn-end")
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if (entry.rule.startswith("sequence/") and not entry.data.get("told")) or not _says(entry):
            continue
        found.setdefault(of_step.get(entry.step, entry.step), []).append(entry)
    for phase_id in [*order, *sorted(set(found) - set(order))]:
        lines = []
        for entry in found.pop(phase_id, ()):
            numbers[entry.n] = len(numbers) + 1
            lines.append(_line(ruleset, entry, reader, numbers[entry.n], words))
        if lines:
            yield Section(whose + names.get(phase_id, phase_id.replace("-", " ").capitalize()), tuple(lines))


def _says(entry: Entry) -> list[Message]:
    """What an entry says; one that says nothing itself, which order was carried out; else nothing."""
    if entry.happened or "order" in entry.data:
        return entry.happened or [Message("Carried out: {order}.", {"order": entry.data["order"]})]
    return [plain(entry.rule)] if "refused" in entry.data else []


def _line(ruleset: Ruleset, entry: Entry, reader: str | None, number: int, words: Wording) -> NewsLine:
    refused = "refused" in entry.data
    kind = "news" if EVERYONE in entry.audience or reader is None else "own"
    if refused:
        kind = "refused"
    details = [str(d) for d in entry.data.get("details", ())]
    details.extend(dice_words(record) for record in entry.dice)
    if "void" in entry.data:
        details.append(f"It came to nothing: {entry.data['void']}")
    return NewsLine(
        number=number,
        text=words.told(_says(entry)),
        kind=kind,
        rule=entry.rule,
        at=entry.at,
        details=tuple(details),
        outcome=tuple(entry.data.get("outcome", ())),
        named=rule_in_words(ruleset, entry.rule),
        clauses=clauses_of(ruleset, entry.rule),
    )


def rule_in_words(ruleset: Ruleset, rule: str) -> str:
    """What a row is called where there is a name for it, else its id as words; "" for a step of the sequence
    of play.
    """
    form, _, id_ = rule.partition("/")
    if form == "sequence":
        return ""
    row: Row = ruleset.row_or_empty(form, id_)
    return str(row.get("name") or row.get("title") or row.get("label") or id_.replace("-", " "))


def clauses_of(ruleset: Ruleset, rule: str) -> tuple[str, ...]:
    """The clauses that the row of a rule cites."""
    form, _, id_ = rule.partition("/")
    cited: tuple[str, ...] = ruleset.derived(("clauses", rule), lambda: clauses_of_row(ruleset, form, id_))
    return cited


def dice_words(record: Mapping[str, Any]) -> str:
    """A throw in words: what was rolled, what was needed, and how it came out."""
    faces = []
    for drawn in record["drawn"]:
        shown = drawn["faces"]
        faces.append(f"{drawn['die']}: {', '.join(map(str, shown))}")
    words = "Dice " + "; ".join(faces)
    if record.get("need") is not None:
        words += f" (needed {in_words(str(record['need']))})"
    if record.get("hit") is not None:
        words += ": success" if record["hit"] else ": no success"
    return words


def _tracks(world: World, reader: str) -> list[tuple[str, str]]:
    """The reader's figures on tracks, by name."""
    rows = world.ruleset.rows("tracks")
    return [
        (str(rows[t].get("name", t)), _standing(rows[t], value))
        for t, value in sorted(world.state.row("tracks", reader).items())
        if t in rows and isinstance(value, int)
    ]


def _standing(track: Row, value: int) -> str:
    if "boxes" in track:
        return box_of(track, value)
    return f"{value:+d}" if track.get("signed") else str(value)


def _under_way(world: World, reader: str) -> list[str]:
    out = []
    for _, row in sorted(world.state.table("under_way").items()):
        if row.get("nation") == reader:
            at = printed(world, Entity("place", row["at"])) if isinstance(row.get("at"), str) else ""
            item = world.ruleset.row_or_empty("production", str(row.get("item")))
            n, name = so_many(world.ruleset, item, str(row.get("what")), int(row.get("n", 1)))
            out.append(f"{n} {name}" + (f" for {at}" if at else ""))
    return out
