"""A nation's report as plain data: everything comes from that nation's view and from the journal entries it may read.

`nation_report` gives what the text and HTML templates print; `moderator_report` the same for somebody who may see all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.canonical import digest
from ...core.journal import EVERYONE, Entry
from ...core.model import Row, Ruleset
from ...core.state import Entity, State
from ...turn.calendar import date
from ...turn.effects import printed
from ...turn.frame import phases, steps
from ...world.geography import Geography
from ...world.tables import box_of
from ...world.view import chain_of, readable
from ...world.world import World
from . import account, fights, news, rounds, standing, summary
from .document import Block, Bullets, Para, Part, table
from .fights import Fight
from .words import Words, listing


@dataclass(frozen=True)
class Line:
    """One thing that happened: a sentence, further lines under it, and where its rule stands. `kind`: news, own or refused.

    `outcome`: of an order whose row says what can become of it, which of these it was.
    """

    text: str
    kind: str
    rule: str
    at: str
    details: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A phase and what happened in it, in order."""

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Report:
    """What a report prints. Texts are for readers; nothing here is hidden from the one it is for.

    `due` says when orders are wanted, `parts` what is told, `sections` every entry in its order with all dice.
    """

    game: str
    reader: str
    name: str
    turn: int
    when: str
    due: str
    parts: tuple[Part, ...]
    sections: tuple[Section, ...]
    proof: tuple[tuple[str, str], ...]
    template: str = ""
    ended: bool = False


def nation_report(
    ruleset: Ruleset,
    shown: State,
    entries: Sequence[Entry],
    reader: str,
    *,
    game: str,
    turn: int,
    geography: Geography | None = None,
    template: str = "",
    proof: Iterable[tuple[str, str]] = (),
    chain: str = "",
    due: str = "",
    notices: Iterable[str] = (),
) -> Report:
    """The report of `reader` after `turn`, from its view `shown` and the turn's entries. `chain` is its own chain so far.

    `due` and `notices` are sentences that the moderator's side adds for everybody: the deadline, roll-backs, other rules.
    """
    world = World(ruleset, shown, geography=geography)
    mine = readable(entries, world, reader)
    words = Words(world, reader)
    own_proof = [("what you may see", digest(shown.tables)), ("what was told you", chain_of(mine, chain)), *proof]
    _, orders, told = news.own_orders(world, mine, reader, words)
    public, private = news.other_news(world, mine, reader, words, told)
    found = fights.fights(mine)
    parts = [
        _situation(world, entries, mine, reader, words, found, public),
        Part("The turn, power by power", tuple(rounds.blocks(world, mine, reader, words))),
        Part("Battles, the gravest first", tuple(fights.blocks(world, mine, reader, words))),
        Part("Your orders", (*orders, *([Bullets(tuple(private))] if private else []))),
        Part("Your forces", tuple(standing.forces(world, reader, words))),
        Part("What you know of others", tuple(standing.sightings(world, mine, reader, words, turn))),
        Part("Technology and what is under way", tuple(news.technology(world, reader, words, _under_way(world, reader)))),
        Part("Notices", _notices([*notices, *news.input_notices(world, mine, reader, words)])),
    ]
    return Report(
        game=game,
        reader=reader,
        name=_name(world, reader),
        turn=turn,
        when=when(ruleset, turn),
        due=due or _due(world, ruleset, turn),
        parts=tuple(p for p in parts if p.blocks),
        sections=tuple(sections(ruleset, mine, reader)),
        proof=tuple(own_proof),
        template=template,
        ended=bool(shown.get("game", "game", "ended")),
    )


def _situation(
    world: World,
    entries: Sequence[Entry],
    mine: Sequence[Entry],
    reader: str,
    words: Words,
    found: Sequence[Fight],
    public: Sequence[str],
) -> Part:
    """How the reader stands and what he must decide."""
    out: list[Block] = []
    hands = news.hands(world, mine, reader, words)
    won, lost = ([r[1] for r in hands if r[0] == kind] for kind in ("won", "lost"))
    first = []
    if won:
        first.append(f"You won {listing(won)}.")
    if lost:
        first.append(f"You lost {listing(lost)}.")
    if cost := news.losses(found, reader, words):
        first.append(cost)
    if first:
        out.append(Para(" ".join(first)))
    if public:
        out.append(Bullets(tuple(public)))
    danger = standing.danger(world, reader, words)
    if danger:
        out.extend([Para("", "For you to decide"), Bullets(tuple(danger))])
    out.extend(account.blocks(account.accounts(world, entries, reader, words)))
    figures = _tracks(world, reader)
    if figures:
        out.append(Para("; ".join(f"{name} {value}" for name, value in figures) + "."))
    if hands:
        out.append(
            table(("Changed hands", "worth", ""), [(f"{kind:<5}{place}", worth, said) for kind, place, worth, said in hands])
        )
    out.extend(news.relations(world, mine, reader, words))
    return Part("The situation", tuple(out))


def _notices(lines: Sequence[str]) -> tuple[Block, ...]:
    return (Bullets(tuple(dict.fromkeys(lines))),) if lines else ()


def _due(world: World, ruleset: Ruleset, turn: int) -> str:
    """For which turn orders are wanted, where no day is known."""
    now = int(world.state.get("game", "game", "turn", turn))
    if world.state.get("game", "game", "ended"):
        return "The game has ended."
    if now == turn:
        return f"Turn {turn} goes on."
    return f"Orders for turn {now}{_date(ruleset, now)} are due at the deadline that your moderator has set."


def _date(ruleset: Ruleset, turn: int) -> str:
    said = when(ruleset, turn)
    return f" ({said})" if said != f"turn {turn}" else ""


def moderator_report(
    ruleset: Ruleset,
    state: State,
    entries: Sequence[Entry],
    *,
    game: str,
    turn: int,
    geography: Geography | None = None,
    proof: Iterable[tuple[str, str]] = (),
    due: str = "",
    notices: Iterable[str] = (),
) -> Report:
    """The summary for somebody who may see all."""
    world = World(ruleset, state, geography=geography)
    words = Words(world)
    public, _ = news.other_news(world, entries, "", words, ())
    hands = news.hands(world, entries, "", words)
    parts = [
        Part("Your part now", _notices([*notices])),
        Part("Orders", tuple(summary.orders(world, entries, words))),
        Part("Look again", tuple(summary.look_again(world, entries, words))),
        Part("News", (Bullets(tuple(public)),) if public else ()),
        Part("Land", (table(("", "from and to", "worth"), [(p, said, worth) for _, p, worth, said in hands]),) if hands else ()),
        Part("The turn, power by power", tuple(rounds.blocks(world, entries, "", words))),
        Part("Battles", tuple(summary.battles(world, entries, words))),
        Part("Nations", tuple(summary.nations(world, entries, words))),
        Part("Standing", tuple(summary.tracks(world, words))),
    ]
    return Report(
        game=game,
        reader="moderator",
        name="Moderator",
        turn=turn,
        when=when(ruleset, turn),
        due=due or _due(world, ruleset, turn),
        parts=tuple(p for p in parts if p.blocks),
        sections=tuple(sections(ruleset, entries, None)),
        proof=tuple(proof),
        ended=bool(state.get("game", "game", "ended")),
    )


def when(ruleset: Ruleset, turn: int) -> str:
    """The date of a turn in words."""
    row = next(iter(ruleset.rows("calendar").values()), {})
    if "start" not in row:
        return f"turn {turn}"
    year, month = date(row, turn)
    names = row.get("names") or row.get("seasons")
    return f"{names[(turn - 1) % len(names)]} {year}" if names else f"{month:02d}/{year}"


def sections(ruleset: Ruleset, entries: Iterable[Entry], reader: str | None) -> list[Section]:
    """Entries that have something to say, by the phase of their step, phases in the frame's order.

    Where powers play one after another, each turn of one of them by itself.
    """
    if rounds.own_turns(ruleset):
        return [
            Section(f"{ruleset.row('nations', nation).get('name', nation)}: {part.name}" if nation else part.name, part.lines)
            for nation, those in rounds.by_power(ruleset, entries)
            for part in by_phase(ruleset, those, reader)
        ]
    return by_phase(ruleset, entries, reader)


def by_phase(ruleset: Ruleset, entries: Iterable[Entry], reader: str | None) -> list[Section]:
    """The same of one turn."""
    names = {"input": "Orders", "turn-start": "The turn begins", "turn-end": "The turn ends"}
    order: list[str] = ["turn-start", "input"]
    of_step: dict[str, str] = {"turn-start": "turn-start", "input": "input", "turn-end": "turn-end"}
    for phase in phases(ruleset.frame):
        order.append(phase["phase"])
        names[phase["phase"]] = str(phase.get("name", phase["phase"]))
        of_step[phase["phase"]] = phase["phase"]
        for step in steps(phase.get("steps", ())):
            of_step[str(step.get("step") or step["do"])] = phase["phase"]
    order.append("turn-end")
    found: dict[str, list[Line]] = {}
    for entry in entries:
        if (entry.rule.startswith("frame/") and not entry.data.get("told")) or not _sentence(entry):
            continue
        phase_of = of_step.get(entry.step, entry.step)
        found.setdefault(phase_of, []).append(_line(entry, reader))
    return [
        Section(names.get(p, p.replace("-", " ").capitalize()), tuple(found[p]))
        for p in [*order, *sorted(set(found) - set(order))]
        if p in found
    ]


def _sentence(entry: Entry) -> str:
    """What an entry says; one without a text of its own, which order was carried out; else nothing."""
    if entry.text or "order" in entry.data:
        return entry.text or f"Carried out: {entry.data['order']}."
    return entry.rule if "refused" in entry.data else ""


def _line(entry: Entry, reader: str | None) -> Line:
    refused = "refused" in entry.data
    kind = "refused" if refused else "news" if EVERYONE in entry.audience or reader is None else "own"
    details = [str(d) for d in entry.data.get("details", ())]
    details.extend(dice_words(record) for record in entry.dice)
    if "void" in entry.data:
        details.append(f"Void: {entry.data['void']}")
    return Line(_sentence(entry), kind, entry.rule, entry.at, tuple(details), tuple(entry.data.get("outcome", ())))


def dice_words(record: Mapping[str, Any]) -> str:
    """A throw in words: what was rolled, what was needed, and how it came out."""
    faces = []
    for drawn in record["drawn"]:
        shown = drawn["faces"] if len(drawn["faces"]) <= 24 else [*drawn["faces"][:24], "…"]
        faces.append(f"{drawn['die']}: {', '.join(map(str, shown))}")
    words = "Dice " + "; ".join(faces)
    if record.get("need") is not None:
        words += f" (needed {record['need']})"
    if record.get("hit") is not None:
        words += " – success" if record["hit"] else " – no success"
    return words


def _name(world: World, nation: str) -> str:
    return printed(world, Entity("nation", nation))


def _tracks(world: World, reader: str) -> list[tuple[str, str]]:
    """The reader's figures on tracks, by name."""
    rows = world.ruleset.rows("tracks")
    return [
        (str(rows.get(t, {}).get("name", t)), _standing(rows.get(t, {}), value))
        for t, value in sorted(world.state.row("tracks", reader).items())
        if t in rows and isinstance(value, int)
    ]


def _standing(track: Row, value: int) -> str:
    return box_of(track, value) if "boxes" in track else f"{value:+d}" if track.get("signed") else str(value)


def _under_way(world: World, reader: str) -> list[str]:
    out = []
    for _, row in sorted(world.state.table("under_way").items()):
        if row.get("nation") == reader:
            at = printed(world, Entity("place", row["at"])) if isinstance(row.get("at"), str) else ""
            out.append(f"{row.get('n', 1)} {_what(world, row)}" + (f" for {at}" if at else ""))
    return out


def _what(world: World, row: Mapping[str, Any]) -> str:
    """What is under way, by its name."""
    what = str(row.get("what"))
    item = world.ruleset.rows("catalogue").get(str(row.get("item")), {})
    unit: Row = world.ruleset.rows("units").get(what, {})
    many = unit.get("plural") if row.get("n", 1) != 1 else None
    return str(
        item.get("name")
        or many
        or unit.get("name")
        or world.ruleset.rows("technologies").get(what, {}).get("name", what.replace("-", " "))
    )
