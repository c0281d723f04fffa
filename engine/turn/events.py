"""Events: facts are offered to the events that wait for them, in listed order, each settled before the next
reads.

An event's `on` names a fact and filters its roles; `for` binds who is concerned; `when` tests the state (or
`becomes` a change from false to true); `once` is a flag that several events may share. Held effects wait for
facts in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ..core.compiled import ordinary
from ..core.journal import NOBODY, Entry, Fact
from ..core.messages import Message
from ..core.model import Row, Ruleset, derived_of
from ..core.nested import maps_in
from ..core.rows import EventRow
from ..core.state import Entity
from ..ruleset.expressions.reads import MEANING, counted_facts, reads
from ..world.messages import HEADLINE, HEADLINE_OF, message, printed, say
from ..world.selections import is_named, selection
from . import counters, matrices, relations
from .context import Turn, audience_ids
from .effects import EffectRunner, whole
from .triggers import bare_role, matches, triggers, view

MAX_CHAIN = 20
MOMENT = "moment"
"""What a step without a mechanic does."""


@ordinary
class EventChain(RuntimeError):
    """Events that set each other off without end."""


def run(node: Row, turn: Turn) -> None:
    """A step without a mechanic: a moment that events wait for."""


def step_over(turn: Turn, node: Row, step: str) -> None:
    """A step is carried out: that is stated to what waits for it, and wars whose kind names the step may end
    in it.

    A moment is always stated; a step that does something already stands in the journal by what it did, and
    its end is stated where something may wait for it.
    """
    waited = awaited_steps(turn.ruleset)
    if node["do"] == MOMENT or waited is None or step in waited:
        with turn.journal.entry("sequence/step", subject=step, keep=False):
            turn.journal.fact("step", step=step)
        settle(turn)
    relations.end_due_wars(turn, step)
    settle(turn)


@derived_of()
def awaited_steps(ruleset: Ruleset) -> frozenset[str] | None:
    """The steps whose end some row of the ruleset waits for; None: it may be any."""
    if "step" in counted_facts(ruleset):
        return None
    found = frozenset[str]().union(*(_awaited_in(ruleset, form) for form in ruleset.forms))
    return None if any(step == "None" or step.startswith("=") for step in found) else found


def _awaited_in(ruleset: Ruleset, form: str) -> frozenset[str]:
    """The steps whose end the rows of a form wait for, as they say it."""

    def make() -> frozenset[str]:
        found: set[str] = set()
        for word, filters in _waits(list(ruleset.rows(form).values())):
            named = filters.get("step") if isinstance(filters, Mapping) else filters
            for step in named if isinstance(named, list) else [named]:
                if word == "step":
                    found.add(str(step))
        return frozenset(found)

    return ruleset.derived(("awaited steps", form), make, of=(form,))


def _waits(value: Any) -> Iterator[tuple[str, Any]]:
    """All triggers anywhere in a row: of its `on`, and of effects that are held `until` one."""
    for part in maps_in(value, ("on", "until")):
        for key in part.keys() & {"on", "until"}:
            yield from triggers({"on": part[key]})


def settle(turn: Turn) -> None:
    """Offer all pending facts, and the facts that follow from them, to events, matrices and held effects.

    Thresholds of tracks are read when everything else of the step is in, so that the order of shifts does not
    matter.
    """
    index = _index(turn.ruleset)
    chain: list[str] = []
    rounds = 0
    while True:
        if turn.journal.pending:
            rounds += 1
            if rounds > MAX_CHAIN:
                raise EventChain("events without end: " + " → ".join(chain[-MAX_CHAIN:]))
            _offer_all(turn, index, chain)
        elif turn.moved:
            thresholds(turn)
        elif turn.watched != turn.state.version:
            turn.watched = turn.state.version
            chain.extend(watch_changes(turn))
        else:
            return


def _offer_all(turn: Turn, index: Index, chain: list[str]) -> None:
    facts, turn.journal.pending = turn.journal.pending, []
    for fact in facts:
        remember(turn, fact)
        relations.note_capture(turn, fact)
        counters.offer(turn, fact)
        matrices.offer(turn, fact)  # before the events: a matrix scores an act on the state the act has left
        chain.extend(row["id"] for row in _waiting(index, fact) if offer(turn, row, fact))
        release(turn, fact)


def thresholds(turn: Turn) -> None:
    """State `reached` for every threshold that a track has come to since it was last looked at, whatever lay
    between.
    """
    moved, turn.moved = turn.moved, {}
    for (nation, track), before in sorted(moved.items()):
        now = int(turn.state.get("tracks", nation, track, 0))
        with turn.journal.entry(f"tracks/{track}", subject=nation, audience=(nation,), keep=False):
            for threshold in turn.ruleset.row("tracks", track).get("thresholds", ()):
                if (before < threshold <= now and threshold > 0) or (
                    now <= threshold < before and threshold < 0
                ):
                    turn.journal.fact("reached", by=nation, track=track, at=threshold)


TELLING = ("action", "step", "turn", "track", "flag")
"""Roles whose filter is a plain word or number that tells most events apart; they are found by it."""

Index = dict[tuple[str, str, Any], list[tuple[int, EventRow]]]


@derived_of("events")
def _index(ruleset: Ruleset) -> Index:
    """Events by the word they wait for and, where a filter tells, by its role and value (else ("", None))."""
    out: Index = {}
    for number, row in enumerate(ruleset.rows("events").values()):
        keys = {key for word, filters in triggers(row) for key in _keys(word, filters)}
        for key in sorted(keys, key=repr):
            out.setdefault(key, []).append((number, row))
    return out


def _keys(word: str, filters: Any) -> list[tuple[str, str, Any]]:
    """Under which keys of the index a trigger stands: those of its first telling filter, else the word
    alone.
    """
    named = filters if isinstance(filters, Mapping) else {bare_role(word): filters}
    for role in TELLING:
        wanted = named.get(role)
        values = wanted if isinstance(wanted, list) else [wanted]
        if wanted is not None and all(
            isinstance(v, str | int) and not str(v).startswith("=") for v in values
        ):
            return [(word, role, v) for v in values]
    return [(word, "", None)]


def _waiting(index: Index, fact: Fact) -> list[EventRow]:
    """The events that may wait for a fact, in listed order, each once."""
    found = list(index.get((fact.word, "", None), ()))
    for role in TELLING:
        if role in fact.roles:
            found += index.get((fact.word, role, fact.roles[role]), ())
    return [
        row
        for _, row in sorted(
            {number: (number, row) for number, row in found}.values(), key=lambda item: item[0]
        )
    ]


def offer(turn: Turn, row: EventRow, fact: Fact) -> bool:
    """Settle one event for one fact. Returns whether it fired."""
    if not any(matches(turn, word, filters, fact) for word, filters in triggers(row)):
        return False
    event = view(fact)
    fired = False
    for names in subjects(turn, row, {"tick": 0, **turn.loops, "event": event}):
        whose = names.get("nation", names.get("self"))
        if (
            fact.word == "step"
            and turn.mover
            and "for" in row
            and whose is not None
            and whose.id != turn.mover
        ):
            continue  # in its own turn, a step is only the nation's
        fired = fire(turn, row, names) or fired
    return fired


def subjects(turn: Turn, row: EventRow, names: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The names for each thing an event is `for`; just the given names without it."""
    wanted = row.get("for")
    if wanted is None:
        actor = names["event"].get("actor") if "event" in names else None
        yield {**names, "self": actor, "nation": actor} if actor is not None else names
        return
    for thing in selection(turn.world, wanted, names):
        bound = {**names, thing.kind: thing}
        if thing.kind == "nation":
            bound["self"] = thing
        elif thing.kind == "unit":
            bound["place"] = turn.world.field(thing, "place")
            bound["self"] = turn.world.field(thing, "owner")
        yield bound


def subject_id(names: Mapping[str, Any]) -> str:
    for kind in ("record", "unit", "place", "nation", "war", "side"):
        if kind in names and isinstance(names[kind], Entity):
            return f"{kind}:{names[kind].id}"
    return ""


def fire(turn: Turn, row: EventRow, names: dict[str, Any]) -> bool:
    """Test an event's once-flag and `when`, and run its tail in an entry of its own.

    One of which an effect fails has not fired: nothing of it is done, and its flag is not used up.
    """
    flag = row.get("once")
    once = None
    if flag:
        once = row["id"] if flag is True else str(flag)
        if turn.state.row("once", once):
            return False
    if not turn.world.test(row.get("when"), names):
        return False
    rule = f"events/{row['id']}"
    readers = audience_ids(turn.world, row.get("audience"), names)
    subject = subject_id(names)
    keep = bool(row.get("says") or once)
    with (
        whole(turn, rule, subject) as attempt,
        turn.journal.entry(rule, subject=subject, audience=readers, keep=keep) as entry,
    ):
        if once:
            turn.journal.put_row("once", once, {"turn": turn.number})
        if "says" in row:
            entry.tell(message(turn.world, row["says"], names))
        EffectRunner(turn, entry, rule, subject).run(row, names)
        turn.carried.add(rule)
        if not entry.happened and NOBODY not in entry.audience and (entry.changes or entry.dice):
            entry.tell(_headline(turn, row, names))
    return attempt.failed is None


def _headline(turn: Turn, row: EventRow, names: Mapping[str, Any]) -> Message | None:
    """What its readers are told of an event that says nothing itself: its title, and of whom or what it
    is.
    """
    thing = next((names[k] for k in ("unit", "place", "nation") if isinstance(names.get(k), Entity)), None)
    title = str(row.get("title", ""))
    if not title:
        return None
    named = thing is not None and printed(turn.world, thing) not in title
    return say(
        turn.world,
        HEADLINE_OF if named else HEADLINE,
        title=title,
        **({"thing": thing} if named else {}),
    )


def watch_changes(turn: Turn) -> list[str]:
    """Fire the events whose `becomes` has turned from false to true since it was last read.

    A test is asked again only if a table that it reads has changed since, so what nothing touches costs
    nothing.
    """
    due: list[tuple[int, EventRow]] = []
    seen, versions = turn.read_at, turn.state.versions
    changed = (
        {table for table, version in versions.items() if seen.get(table) != version}
        if seen is not None
        else None
    )
    turn.read_at = versions.copy()
    for tables, rows in watched(turn).items():
        if _touched(tables, changed):
            due += rows
    fired = []
    for _, row in sorted(due, key=lambda item: item[0]):
        for names in subjects(turn, row, {"tick": 0, **turn.loops}):
            key = f"{row['id']}|{subject_id(names)}"
            before = turn.state.get("becomes", key, "is")
            now = turn.world.test(row["becomes"], names)
            if before is not None and bool(before) == now:
                continue
            if before is None and not now:
                continue
            with turn.journal.entry(f"events/{row['id']}", subject=subject_id(names)):
                turn.journal.set("becomes", key, "is", now)
            if (now and before is not None and fire(turn, row, names)) or (
                now and before is None and row.get("at_start") and fire(turn, row, names)
            ):
                fired.append(row["id"])
    return fired


def _touched(tables: frozenset[str] | None, changed: AbstractSet[str] | None) -> bool:
    """Whether what follows from some tables may have changed; None: from any, and any has."""
    return tables is None or changed is None or not tables.isdisjoint(changed)


def watched(turn: Turn) -> dict[frozenset[str] | None, list[tuple[int, EventRow]]]:
    """The events that watch for a change, in listed order, by the tables that test and selection read (None:
    any).
    """

    def make() -> dict[frozenset[str] | None, list[tuple[int, EventRow]]]:
        out: dict[frozenset[str] | None, list[tuple[int, EventRow]]] = {}
        for number, row in enumerate(turn.ruleset.rows("events").values()):
            if "becomes" in row:
                chosen = row.get("for")
                plain = not isinstance(chosen, str) or is_named(turn.world, chosen)
                test, selection = (
                    reads(turn.ruleset, row["becomes"]),
                    frozenset[str]() if plain else reads(turn.ruleset, chosen),
                )
                tables = None if test is None or selection is None else test | selection
                out.setdefault(tables, []).append((number, row))
        return out

    of = (*MEANING, "events", "nations", "groups", "places")
    return turn.ruleset.derived("watched events", make, of=of)


def first_look(turn: Turn, changed: AbstractSet[str] | None = None) -> None:
    """At the start of a game: note what `becomes` tests say, so that later changes show.

    What is true already of an event that fires `at_start` is left to be noted, and the event to fire, when
    things settle first.
    `changed` are the tables that have changed since the position was looked at so, if it was.
    """
    due = []
    for tables, rows in watched(turn).items():
        due += rows if _touched(tables, changed) else [item for item in rows if item[1].get("at_start")]
    noted: dict[str, list[str]] = {}
    for key in turn.state.table("becomes") if due else ():
        noted.setdefault(key.partition("|")[0], []).append(key)
    left = False
    for _, row in sorted(due, key=lambda item: item[0]):
        for key in noted.get(row["id"], ()):
            with turn.journal.entry(f"events/{row['id']}", keep=False):
                turn.journal.put_row("becomes", key, None)
        for names in subjects(turn, row, {"tick": 0}):
            now = turn.world.test(row["becomes"], names)
            if now and row.get("at_start"):
                left = True
                continue
            key = f"{row['id']}|{subject_id(names)}"
            with turn.journal.entry(f"events/{row['id']}", subject=subject_id(names), keep=False):
                turn.journal.set("becomes", key, "is", now)
    turn.read_at = None if left else turn.state.versions.copy()


def only_notes(entry: Entry) -> bool:
    """Whether an entry of an event's says no more than what its `becomes` is now: the event itself has an
    entry of its own.
    """
    return bool(entry.changes) and all(table == "becomes" for table, *_ in entry.changes)


def remember(turn: Turn, fact: Fact) -> None:
    """Keep a fact in the state if an expression of the ruleset counts such facts."""
    if fact.word not in counted_facts(turn.ruleset):
        return
    number = len(turn.state.table("facts")) + 1
    plain = {k: v for k, v in fact.roles.items() if isinstance(v, str | int | bool)}
    with turn.journal.entry("sequence/fact", subject=fact.word):
        turn.journal.put_row("facts", f"{number:06d}", {**plain, "word": fact.word, "turn": turn.number})


def release_as_if(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A verb: what is held until a fact comes due as if it had happened; nothing else takes notice."""
    for word, roles in p.items():
        release(runner.turn, Fact(word, {k: runner.plain(v, names) for k, v in roles.items()}))


def release(turn: Turn, fact: Fact) -> None:
    """Let go of held effects that waited for this fact; they are void where their `if` fails now."""
    for key, row in sorted(turn.state.table("delayed").items()):
        word, filters = (
            (row["until"], {}) if isinstance(row["until"], str) else next(iter(row["until"].items()))
        )
        if not matches(turn, word, filters, fact):
            continue
        names: dict[str, Any] = {k: Entity(*kept) for k, kept in row["names"].items()}
        names["event"] = view(fact)
        with turn.journal.entry(row["rule"], subject=key, audience=row.get("audience", ())) as entry:
            turn.journal.put_row("delayed", key, None)
            if turn.world.test(row.get("if"), names):
                with whole(turn, row["rule"], key):
                    EffectRunner(turn, entry, row["rule"], key).effects(row["effects"], names)
            else:
                entry.data["void"] = "its condition no longer holds"
