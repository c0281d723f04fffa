"""A nation's report as plain data: everything comes from that nation's view and from the journal entries it may read.

`nation_report` gives what the text and HTML templates print; `moderator_report` the same for somebody who may see all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
from ...world.view import UNKNOWN, chain_of, readable
from ...world.world import World


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
class Garrison:
    """Units of one owner in one place, as far as the reader knows them."""

    place: str
    owner: str
    units: str


@dataclass(frozen=True)
class Report:
    """What a report prints. Texts are for readers; nothing here is hidden from the one it is for."""

    game: str
    reader: str
    name: str
    turn: int
    when: str
    sections: tuple[Section, ...]
    figures: tuple[tuple[str, str], ...]
    enemies: tuple[str, ...]
    allies: tuple[str, ...]
    own_units: tuple[Garrison, ...]
    allied_units: tuple[Garrison, ...]
    seen_units: tuple[Garrison, ...]
    under_way: tuple[str, ...]
    knowledge: tuple[str, ...]
    proof: tuple[tuple[str, str], ...]
    template: str = ""
    ended: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


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
) -> Report:
    """The report of `reader` after `turn`, from its view `shown` and the turn's entries. `chain` is its own chain so far."""
    world = World(ruleset, shown, geography=geography)
    mine = readable(entries, world, reader)
    side = world.side_of(reader)
    own, allied, seen = _garrisons(world, reader)
    others = [n for n in world.nations() if n != reader and world.alive(n)]
    own_proof = [("what you may see", digest(shown.tables)), ("what was told you", chain_of(mine, chain)), *proof]
    del side
    return Report(
        game=game,
        reader=reader,
        name=_name(world, reader),
        turn=turn,
        when=when(ruleset, turn),
        sections=tuple(sections(ruleset, mine, reader)),
        figures=tuple(_figures(world, reader)),
        enemies=tuple(_name(world, n) for n in others if world.hostile(reader, n)),
        allies=tuple(_name(world, n) for n in others if world.allied(reader, n)),
        own_units=own,
        allied_units=allied,
        seen_units=seen,
        under_way=tuple(_under_way(world, reader)),
        knowledge=tuple(_knowledge(world, reader)),
        proof=tuple(own_proof),
        template=template,
        ended=bool(shown.get("game", "game", "ended")),
    )


def moderator_report(
    ruleset: Ruleset,
    state: State,
    entries: Sequence[Entry],
    *,
    game: str,
    turn: int,
    geography: Geography | None = None,
    proof: Iterable[tuple[str, str]] = (),
) -> Report:
    """The same for somebody who may see all: every entry that says something, and where everybody's units stand."""
    world = World(ruleset, state, geography=geography)
    everyone = tuple(g for part in _garrisons(world, "") for g in part)
    return Report(
        game=game,
        reader="moderator",
        name="Moderator",
        turn=turn,
        when=when(ruleset, turn),
        sections=tuple(sections(ruleset, entries, None)),
        figures=tuple((f"{_name(world, n)}: {k}", v) for n in world.nations() for k, v in _figures(world, n)),
        enemies=(),
        allies=(),
        own_units=(),
        allied_units=(),
        seen_units=everyone,
        under_way=tuple(f"{_name(world, n)}: {line}" for n in world.nations() for line in _under_way(world, n)),
        knowledge=(),
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
    """Entries that have something to say, by the phase of their step, phases in the frame's order."""
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
    return [Section(names.get(p, p), tuple(found[p])) for p in [*order, *sorted(set(found) - set(order))] if p in found]


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


def _figures(world: World, reader: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    state, ruleset = world.state, world.ruleset
    for what, row in ruleset.rows("resources").items():
        for key in sorted(k for k in state.table("stores") if k == reader or k.startswith(reader + "/")):
            if what in state.row("stores", key):
                place = key.partition("/")[2]
                where = f" ({printed(world, Entity('place', place))})" if place else ""
                out.append((f"{row['name']}{where}", str(state.get("stores", key, what))))
    for tech, level in sorted(state.row("techs", reader).items()):
        out.append((printed(world, Entity("tech", tech)), f"level {level}"))
    for track, value in sorted(state.row("tracks", reader).items()):
        out.append((str(ruleset.row("tracks", track).get("name", track)), _standing(ruleset.row("tracks", track), value)))
    income = state.get("nations", reader, "income")
    if income is not None:
        out.append(("Collected last turn", str(income)))
    return out


def _standing(track: Row, value: int) -> str:
    return box_of(track, value) if "boxes" in track else f"{value:+d}"


def _garrisons(world: World, reader: str) -> tuple[tuple[Garrison, ...], tuple[Garrison, ...], tuple[Garrison, ...]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for _, row in world.state.stacks():
        groups.setdefault((row["place"], row["owner"]), []).append(unit_words(world, row))
    own: list[Garrison] = []
    allied: list[Garrison] = []
    seen: list[Garrison] = []
    for (place, owner), units in sorted(groups.items()):
        item = Garrison(printed(world, Entity("place", place)), _name(world, owner), ", ".join(units))
        (own if owner == reader else allied if world.allied(reader, owner) else seen).append(item)
    return tuple(own), tuple(allied), tuple(seen)


def unit_words(world: World, row: Mapping[str, Any]) -> str:
    """A stack in words: number, kind and conditions; a band by its range and name."""
    if row["kind"] == UNKNOWN:
        low, dots, high = str(row.get("range", "?")).partition("..")
        number = low if not dots else f"{low} to {high}" if high else f"{low} or more"
        return f"{number} units ({row.get('band', '?')})"
    kind: Row = world.ruleset.rows("units").get(row["kind"], {})
    name = str(kind.get("name", row["kind"]))
    if row["n"] != 1:
        name = str(kind.get("plural", name))
    more = [f"{k} {v}" for k, v in sorted(row.items()) if k not in ("owner", "kind", "place", "n", "force", "via")]
    return f"{row['n']} {name.lower()}" + (f" ({', '.join(more)})" if more else "")


def _under_way(world: World, reader: str) -> list[str]:
    out = []
    for _, row in sorted(world.state.table("under_way").items()):
        if row.get("nation") == reader:
            at = printed(world, Entity("place", row["at"])) if isinstance(row.get("at"), str) else ""
            out.append(f"{row.get('n', 1)} {_what(world, row)}" + (f" for {at}" if at else "") + f", due {row.get('due', '?')}")
    return out


def _what(world: World, row: Mapping[str, Any]) -> str:
    """What is under way, by its name."""
    what = str(row.get("what"))
    item = world.ruleset.rows("catalogue").get(str(row.get("item")), {})
    unit: Row = world.ruleset.rows("units").get(what, {})
    many = unit.get("plural") if row.get("n", 1) != 1 else None
    return str(item.get("name") or many or unit.get("name") or world.ruleset.rows("technologies").get(what, {}).get("name", what))


def _knowledge(world: World, reader: str) -> list[str]:
    out = []
    kinds = world.ruleset.rows("units")
    for key, row in sorted(world.state.row("knowledge", reader).items()):
        what, _, subject = key.rpartition(":")
        form = next((k for f, k in _SUBJECTS if world.ruleset.has(f, subject)), None)
        name = printed(world, Entity(form, subject)) if form else subject
        label = "" if what in _PLAIN else f" ({_label(world, what)})"
        if "units" in row:
            counts = [(n, kinds.get(k) or world.ruleset.rows("catalogue").get(k) or {"name": k}) for k, n in row["units"].items()]
            words = ", ".join(f"{n} {(k.get('plural') if n != 1 else None) or k.get('name', '')}" for n, k in counts) or "nothing"
        elif "seen" in row:
            words = printed(world, row["seen"])
        else:
            words = f"{row['n']} units, perhaps more" if "n" in row else str(row.get("as", ""))
        out.append(f"{name}{label}: {words.lower() if 'units' in row else words} (turn {row.get('since', '?')})")
    return out


_SUBJECTS = (("places", "place"), ("nations", "nation"), ("technologies", "tech"))
_PLAIN = ("", "units")


def _label(world: World, what: str) -> str:
    """What is known of something: a technology or track by its name, else the ruleset's own word."""
    row = world.ruleset.rows("technologies").get(what) or world.ruleset.rows("tracks").get(what) or {}
    return str(row.get("name", what)).lower()
