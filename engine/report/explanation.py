"""An answer to "why" in words: what stands now, what a figure is made of, and every change with turn, rule,
clause and dice.

Made for a nation it is made from its view and from what it may read, and of an entry only from the changes of
what its view shows; made for the moderator from all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..core.journal import Entry
from ..core.messages import capital
from ..core.model import Row, Ruleset
from ..core.state import Entity, State
from ..play.explain import Cell, ValueChange, why
from ..ruleset.clauses import clause_text
from ..world.geography import Geography
from ..world.messages import printed
from ..world.view import readable
from ..world.world import World
from . import account
from .build import clauses_of, dice_words, rule_in_words, when
from .wording import Wording, listing

MOST_RULES = 2
"""Of how many clauses of a row the sentences are shown."""
MOST_STACKS = 4


@dataclass(frozen=True)
class Stands:
    """A present value: what it is, and how it reads."""

    what: str
    value: str
    table: str
    id: str
    field: str


@dataclass(frozen=True)
class Made:
    """A figure and what it is made of: each part by its name, what it does, and the clauses of its row."""

    what: str
    value: str
    parts: tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Happened:
    """An entry that changed something asked for. `changes`: what, before, after; `parts`: what a sum in it
    consists of.

    `says`: what the clauses of its row say, in a player's words.
    """

    turn: int
    date: str
    step: str
    text: str
    rule: str
    named: str
    clauses: tuple[str, ...]
    says: tuple[str, ...]
    at: str
    changes: tuple[tuple[str, str, str], ...]
    parts: tuple[str, ...]
    dice: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """The whole answer."""

    asked: str
    reader: str
    turn: int
    now: tuple[Stands, ...]
    made: tuple[Made, ...]
    history: tuple[Happened, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is known of it."""
        return not (self.now or self.made or self.history)


def explanation(
    ruleset: Ruleset,
    state: State,
    entries: Iterable[Entry],
    what: str,
    *,
    reader: str = "",
    geography: Geography | None = None,
) -> Explanation:
    """Why something is so. `state`: with `reader` their view; `explain.Unknown` for a word that nothing goes
    by.
    """
    world = World(ruleset, state, geography=geography)
    words = Wording(world, reader)
    known = list(entries)
    if reader:
        known = [_shown(e, state, reader) for e in readable(known, world, reader)]
    answer = why(ruleset, state, known, what)
    turn = int(state.get("game", "game", "turn", 0) or 0)
    return Explanation(
        what,
        reader,
        turn,
        tuple(
            Stands(named(words, c.table, c.id, c.field), value(words, c.value), c.table, c.id, c.field)
            for c in (*answer.now, *(_as_written(world, answer.terms, reader) if not answer.now else ()))
        ),
        (
            *_sums(words, answer.now),
            *_figures(words, answer.terms, {c.field for c in answer.now}),
        ),
        tuple(_happened(ruleset, words, entry, changes) for entry, changes in answer.history),
    )


def _shown(entry: Entry, state: State, reader: str) -> Entry:
    """An entry with those of its changes only whose place in the view the reader has, or that are of their
    own.
    """

    def mine(id_: str) -> bool:
        return id_ == reader or id_.startswith((f"{reader}/", f"{reader}.", f"{reader}#"))

    def seen(change: Sequence[Any]) -> bool:
        table, id_, field = change[0], change[1], change[2]
        row = state.tables.get(table, {}).get(id_)
        return mine(id_) or (row is not None and (field in row or (field == "*" and table == "places")))

    return replace(entry, changes=[c for c in entry.changes if seen(c)])


_WRITTEN = ("places", "nations", "units", "technologies", "production", "sides")


def _as_written(world: World, terms: Sequence[frozenset[str]], reader: str) -> Iterator[Cell]:
    """What the rules say of a thing that was named, where the game has not changed it: who holds it, or a key
    of its row.
    """
    ids = frozenset().union(*terms)
    for form in _WRITTEN:
        for id_ in sorted(ids & world.ruleset.rows(form).keys()):
            row: Mapping[str, Any] = world.ruleset.row(form, id_)
            if form == "units" and (
                owner := next(iter(sorted(ids & world.ruleset.rows("nations").keys())), reader)
            ):
                row = world.unit_row(id_, owner)
            if form == "places" and ids & {"holder"}:
                yield Cell(form, id_, "holder", world.holder_of(id_))
            for key in sorted(ids & row.keys() - {"id", "holder"}):
                yield Cell(form, id_, key, row[key])


# ---- what a figure is made of


def _sums(words: Wording, cells: Sequence[Cell]) -> Iterator[Made]:
    """Resources in several treasuries, and units of a kind in several places, added up."""
    world = words.world
    purses: dict[tuple[str, str], list[Cell]] = {}
    stacks: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.table == "treasuries" and world.ruleset.has("resources", cell.field):
            purses.setdefault((cell.id.partition("/")[0], cell.field), []).append(cell)
        elif cell.table == "units" and cell.field == "n":
            row = world.state.row("units", cell.id)
            stacks.setdefault((str(row.get("owner")), str(row.get("kind"))), []).append(cell)
    for (nation, what), found in purses.items():
        if len(found) > 1:
            name = str(world.ruleset.row("resources", what).get("name", what))
            parts = tuple(
                (_purse(words, c.id), str(c.value), ())
                for c in sorted(found, key=lambda c: -c.value)
                if c.value
            )
            yield Made(
                f"{capital(words.of(nation))} {words.inside(name)}", str(sum(c.value for c in found)), parts
            )
    for (nation, kind), found in stacks.items():
        if len(found) > 1:
            of = [
                (words.place(str(world.state.get("units", c.id, "place", ""))), str(c.value), ())
                for c in found
            ]
            yield Made(
                f"{capital(words.of(nation))} {words.kind(kind)}",
                str(sum(int(c.value) for c in found)),
                tuple(of),
            )


def _purse(words: Wording, id_: str) -> str:
    place = id_.rpartition("/")[2]
    return words.thing(place)


def _figures(words: Wording, terms: Sequence[frozenset[str]], told: set[str]) -> Iterator[Made]:
    """Stats of the rules that were named, of whatever else was named, with their base and every row that
    applies.
    """
    world = words.world
    rows = world.ruleset.rows("stats")
    asked = [(t & rows.keys()) - told for t in terms]  # a field of that name says it already
    if not any(asked):
        return
    ids = (
        frozenset().union(*(t for t, q in zip(terms, asked, strict=True) if not q)) if terms else frozenset()
    )
    for id_ in sorted(frozenset().union(*asked)):
        row = rows[id_]
        for subject, name in _subjects(words, str(row.get("of", "nation")), ids):
            try:
                total, applied = world.quantity_with_rows(id_, subject)
                base = world.quantity_with_rows(id_, subject, skip=[r["id"] for r in applied])[0]
            except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
                continue  # it can be asked in the midst of a battle or a move only
            parts = [("base", str(base), clauses_of(world.ruleset, f"stats/{id_}"))]
            parts += [
                (
                    str(r.get("label", r["id"])),
                    _effect(r),
                    clauses_of(world.ruleset, f"modifiers/{r['id']}"),
                )
                for r in applied
            ]
            yield Made(f"{row.get('name', id_.replace('-', ' '))} of {name}", str(total), tuple(parts))


def _subjects(words: Wording, kind: str, ids: frozenset[str]) -> Iterator[tuple[Entity, str]]:
    """The things of a kind that were named; of units the stacks that fit, a few of them."""
    world = words.world
    if kind == "unit":
        n = 0
        for key, row in world.state.stacks():
            of = {str(row["kind"]), str(row["owner"]), str(row["place"])}
            if (
                str(row["kind"]) in ids
                and ids & world.ruleset.rows("nations").keys() <= of
                and n < MOST_STACKS
            ):
                if ids & world.ruleset.rows("places").keys() and row["place"] not in ids:
                    continue
                n += 1
                yield (
                    Entity("unit", key),
                    f"{words.of(str(row['owner']))} {words.kind(row['kind'])} in {words.spot(row['place'])}",
                )
        return
    form = {"nation": "nations", "place": "places", "tech": "technologies", "side": "sides"}.get(kind)
    for id_ in sorted(ids & world.ruleset.rows(form).keys()) if form else ():
        yield Entity(kind, id_), words.thing(id_)


def _effect(row: Row) -> str:
    """What a modifier does, in words."""
    said = []
    for key, text in (
        ("base", "is "),
        ("add", ""),
        ("times", "times "),
        ("final", "is "),
        ("at_most", "at most "),
        ("at_least", "at least "),
    ):
        if key in row:
            figure = row[key]
            said.append(f"{figure:+d}" if key == "add" and isinstance(figure, int) else f"{text}{figure}")
    return ", ".join(said) or "applies"


# ---- what happened


def _happened(ruleset: Ruleset, words: Wording, entry: Entry, changes: Sequence[ValueChange]) -> Happened:
    return Happened(
        entry.turn,
        when(ruleset, entry.turn),
        entry.step.replace("-", " "),
        words.told(entry.happened),
        entry.rule,
        rule_in_words(ruleset, entry.rule) or entry.rule.partition("/")[2].replace("-", " "),
        cited := clauses_of(ruleset, entry.rule),
        tuple(dict.fromkeys(filter(None, (clause_text(ruleset, c) for c in cited)))),
        entry.at,
        tuple((named(words, c.table, c.id, c.field), *_values(words, c)) for c in changes),
        tuple(_parts(ruleset, entry)),
        tuple(dice_words(record) for record in entry.dice),
    )


def _parts(ruleset: Ruleset, entry: Entry) -> Iterator[str]:
    """What an income consists of, source by source."""
    rows = ruleset.rows("income")
    for item in entry.data.get("items", ()):
        yield f"{account.yield_name(rows.get(item['yield'], {}), item['yield'])} {Fraction(item['amount'])}"


def _values(words: Wording, change: ValueChange) -> tuple[str, str]:
    return value(words, change.before), value(words, change.after)


def named(words: Wording, table: str, id_: str, field: str) -> str:
    """What a cell of the state is, in words: whose, where, which figure."""
    if table == "units" and "@" in id_:
        row = words.world.state.row("units", id_)
        owner, _, rest = id_.partition(".")
        kind, _, place = rest.partition("@")
        owner, kind = str(row.get("owner", owner)), str(row.get("kind", kind))
        place = str(row.get("place", place.partition("[")[0]))
        whose = f"{capital(words.of(owner))} {words.kind(kind)} in {words.spot(place)}"
        return whose if field in ("n", "*") else f"{whose}: {field.replace('_', ' ')}"
    if table == "treasuries":
        nation, _, purse = id_.partition("/")
        what = str(words.world.ruleset.row_or_empty("resources", field).get("name", field))
        return f"{capital(words.of(nation))} {words.inside(what)}" + (
            f" in {words.thing(purse)}" if purse else ""
        )
    if table in ("links", "relations", "wars", "war_kinds"):
        said = " and ".join(_one(words, p) for p in id_.split("--"))
    else:
        said = ", ".join(_one(words, p) for p in id_.replace(":", "/").split("/"))
    if field == "*":
        return f"{capital(said)} ({table.replace('_', ' ')})"
    works, at, place = field.partition("@")
    label = f"{works} of {_one(words, place)}" if at else _field(words, field)
    return f"{capital(said)}: {label}"


def _field(words: Wording, field: str) -> str:
    rows = words.world.ruleset.rows
    for form in ("tracks", "technologies", "resources", "fields"):
        if "name" in rows(form).get(field, {}):
            return str(rows(form)[field]["name"])
    return " ".join(_one(words, p) for p in field.replace("_", " ").split(":"))


def _one(words: Wording, part: str) -> str:
    """An id by the name of what it names, else as words."""
    rows = words.world.ruleset.rows
    if part in rows("nations"):
        return words.name(part)
    if part in rows("sides"):
        return words.side(part)
    for form in ("places", "technologies", "units", "production", "resources", "tracks"):
        if part in rows(form):
            return str(rows(form)[part].get("name", part))
    return part.replace("-", " ")


def value(words: Wording, found: Any) -> str:
    """A value of the state as it reads."""
    if found is None:
        return "nothing"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, str):
        return _one(words, found)
    if isinstance(found, Mapping):
        if {"kind", "n"} <= found.keys():
            return f"{found['n']} {words.kind(str(found['kind']), found['n'])}"
        return (
            ", ".join(f"{str(k).replace('_', ' ')} {value(words, v)}" for k, v in found.items()) or "nothing"
        )
    if isinstance(found, list | tuple):
        return listing(value(words, v) for v in found) or "nothing"
    return printed(words.world, found)


# ---- as lines


def as_lines(told: Explanation, *, most: int = 12) -> list[str]:
    """The answer as text: what is so, what it is made of, and what made it so, the latest last."""
    out = [f"{s.what}: {s.value}" for s in told.now[:most]]
    if len(told.now) > most:
        out.append(f"and {len(told.now) - most} more; name more of what you want to know")
    for made in told.made:
        out.append(f"{made.what}: {made.value}")
        out += [f"    {name}: {effect}" + _cited(clauses) for name, effect, clauses in made.parts]
    if not told.history:
        if told.now or told.made or not told.reader:
            out.append(f"Nothing has changed {told.asked!r} so far; it is as the scenario and the rules say.")
        else:
            out.append(f"You do not know {told.asked!r}: nothing that you may see or read tells of it.")
    for happened in told.history:
        dated = f" ({happened.date})" if happened.date != f"turn {happened.turn}" else ""
        out.append(f"Turn {happened.turn}{dated}, {happened.step}: {happened.text or happened.named}")
        out += [f"    {what}: {before} -> {after}" for what, before, after in happened.changes]
        if happened.parts:
            out.append(f"    of which {listing(happened.parts)}")
        out += [f"    {line}" for line in happened.dice]
        out += [f"    rule: {said}" for said in happened.says[:MOST_RULES]]
        out.append(
            f"    by {happened.named}"
            + _cited(happened.clauses)
            + (f", {happened.at}" if happened.at else "")
        )
    return out


def _cited(clauses: Sequence[str], most: int = 3) -> str:
    if not clauses:
        return ""
    return (
        f" ({', '.join(clauses[:most])}{f' and {len(clauses) - most} more' if len(clauses) > most else ''})"
    )
