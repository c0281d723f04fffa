"""The tail: what acts, events, battle results and decisions share. `when`, `roll` or `cases`, effects, told
to an audience.

`EffectRunner` runs one tail inside one open journal entry. `core/registry` names the verbs; this module holds
the structure: conditions, dice, cases, `for`, and the names they bind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from math import ceil, floor
from typing import Any, NamedTuple

from ..core.compiled import ordinary
from ..core.dice import Stream
from ..core.die import Die, parse_die
from ..core.faults import MOST_UNITS, few
from ..core.journal import NOBODY, Entry
from ..core.model import Row
from ..core.nested import texts_in
from ..core.registry import VERBS, verb
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..world.amounts import amount, face_fits
from ..world.messages import message, say
from ..world.selections import as_set, weight
from ..world.world import Names, World
from .context import Turn, audience_ids
from .decisions import decide

MAX_FOR = 2


@ordinary
class EffectError(ValueError):
    """An effect that cannot be carried out on this state; all that was to be done with it is then taken
    back.
    """


class Attempt:
    """What is done all or not at all. `failed` says why it was not."""

    failed: str | None = None


@contextmanager
def whole(turn: Turn, rule: str = "", subject: str = "") -> Iterator[Attempt]:
    """What is done inside is done whole, or, if an effect of it fails, not at all: then all of it is taken
    back.

    Given a `rule`, the journal says that it came to nothing, and why, to the moderator: the reason may be a
    secret of others.
    """
    attempt, moved = Attempt(), dict(turn.moved)
    with turn.journal.marked() as mark:
        try:
            yield attempt
        except EffectError as error:
            turn.journal.take_back(mark)
            turn.moved = moved
            attempt.failed = str(error)
    if rule and attempt.failed is not None:
        says = say(
            turn.world, "{what} came to nothing: {why}.", what=title_of(turn.world, rule), why=attempt.failed
        )
        with turn.journal.entry(
            rule, subject=subject, audience=(NOBODY,), says=says, data={"void": attempt.failed}
        ):
            pass


class Need(NamedTuple):
    """What a throw must show, in words and as a test; `upto` where all throws of so much or less are the
    same, and all others.
    """

    said: str
    fits: Callable[[int], bool]
    upto: int | None = None


class EffectRunner:
    """Runs tails for one rule and subject.

    Opened inside a journal entry, whose dice and changes it writes.
    """

    def __init__(self, turn: Turn, entry: Entry, rule: str, subject: str) -> None:
        self.turn = turn
        self.world = turn.world
        self.journal = turn.journal
        self.entry = entry
        self.rule = rule
        self.subject = subject
        self._stream: Stream | None = None
        self._depth = 0

    # ---- dice

    def stream(self) -> Stream:
        """The one stream of this rule and subject."""
        if self._stream is None:
            self._stream = self.turn.stream(self.rule, self.subject, self.entry.audience)
        return self._stream

    def note_dice(self, **about: Any) -> None:
        """Write what was rolled since the last note into the entry."""
        record = self._stream.take() if self._stream else None
        if record is not None:
            self.entry.dice.append({**record, **{k: v for k, v in about.items() if v is not None}})

    def amount(self, value: Any, names: Names, *, every: Any = None) -> Any:
        found = amount(self.world, value, names, self.stream, every=every)
        self.note_dice()
        return found

    # ---- structure

    def run(self, row: Row, names: Names) -> bool | None:
        """A whole tail: `always`, then roll or cases, then effects or miss.

        True on success, False on a miss.
        """
        scope = dict(names)
        if "always" in row:
            self.effects(row["always"], scope)
        if "roll" in row:
            return self._roll(row, scope)
        if "cases" in row:
            for case in row["cases"]:
                if self.world.test(case.get("when"), scope):
                    if "say" in case:
                        self.add_sentence(case["say"], scope)
                    return self.run(case, scope)
            return None
        self.effects(row.get("effects", ()), scope)
        return None

    def _roll(self, row: Row, scope: dict[str, Any]) -> bool | None:
        roll = row["roll"] if isinstance(row["roll"], Mapping) else {"die": row["roll"]}
        count = self.world.number(roll["dice"], scope) if "dice" in roll else 1
        need = self._need(roll, scope)
        upto = None if need is None or _reads_result(row) else need.upto
        totals = [self.stream().roll(roll["die"], upto) for _ in range(few(int(count), "dice of one roll"))]
        success = None if need is None else any(map(need.fits, totals))
        self.turn.chanced = True
        if success is not None and self.turn.fortune is not None:
            success = self.turn.fortune
        if "at_least" in roll:
            best = max(totals, default=0)
        else:
            best = min(totals, default=0) if "at_most" in roll else sum(totals)
        scope["result"] = best
        if success is not None:
            scope["success"] = success
        self.note_dice(need=need and need.said, hit=success)
        if results := row.get("results"):
            shown = next((faces for faces in results if faces != "else" and face_fits(faces, best)), "else")
            self.effects(results.get(shown, ()), scope)
        if "cases" in row and success is not False:
            outcome = self.run({"cases": row["cases"]}, scope)
            return outcome if success is None else True
        self.effects(row.get("on_failure" if success is False else "effects", ()), scope)
        return success

    def _need(self, roll: Mapping[str, Any], scope: Names) -> Need | None:
        """What a throw must show for a roll to succeed; the rows that changed its limit are noted in the
        entry.
        """
        need, rows = roll_need(self.world, roll, scope)
        if rows:
            self.entry.data.setdefault("applied", []).extend(r["id"] for r in rows)
        return need

    def effects(self, effects: Any, names: Names) -> None:
        """Effects in listed order, each on the state as changed so far."""
        for effect in effects:
            self.effect(effect, names)

    def effect(self, effect: Row, names: Names) -> None:
        if not self.world.test(effect.get("when"), names):
            return
        if "audience" in effect:
            self._in_own_entry(effect, names)
            return
        if "for" in effect:
            self._for(effect, names)
            return
        if "roll" in effect or "cases" in effect:
            self.run(effect, names)
            return
        if "choose" in effect:
            self._choose(effect, names)
            return
        for key, value in effect.items():
            if key in VERBS:
                self.turn.carried.add(f"verbs/{key}")
                verb(key)(self, value, dict(names))
            elif key == "effects":
                self.effects(value, names)

    def _in_own_entry(self, effect: Row, names: Names) -> None:
        inner = {k: v for k, v in effect.items() if k not in ("audience", "when")}
        readers = audience_ids(self.world, effect["audience"], names)
        with self.journal.entry(self.rule, subject=self.subject, audience=readers, keep=False) as entry:
            EffectRunner(self.turn, entry, self.rule, self.subject).effect(inner, names)

    def _for(self, effect: Row, names: Names) -> None:
        if self._depth >= MAX_FOR:
            raise EffectError("more than two `for` inside each other")
        chosen = as_set(self.world, self.set(effect["for"], names))
        things: list[tuple[Entity, int]] = [(t, weight(self.world, t)) for t in chosen]
        few(sum(n for _, n in things), "members of a `for`", MOST_UNITS)
        single = [t for t, n in things for _ in range(n)]
        if "draw" in effect:
            wanted = min(int(self.world.number(effect["draw"], names)), len(single))
            single = self.stream().draw(single, wanted)
            if "in_turn" in effect:  # a draw keeps the order of its set; who is first must be drawn, too
                single = self.stream().shuffle(single)
            self.note_dice()
        inner = {k: v for k, v in effect.items() if k not in ("for", "draw", "when", "in_turn", "audience")}
        lists = effect.get("in_turn")
        self._depth += 1
        try:
            for index, thing in enumerate(single):
                scope = {**names, thing.kind: thing, **_alias(thing)}
                if thing.kind == "unit":
                    scope["place"] = self.world.field(thing, "place")
                if lists is not None:
                    self.effects(lists[index] if index < len(lists) else (), scope)
                elif "roll" in inner or "cases" in inner:
                    self.run(inner, scope)
                else:
                    self.effect(inner, scope)
        finally:
            self._depth -= 1

    def _choose(self, effect: Row, names: Names) -> None:
        row = self.world.ruleset.row("decisions", effect["choose"])
        answer = decide(self.turn, row, names, self.stream)
        self.note_dice()
        scope = {**names, "answer": answer}
        self.effects(effect.get("effects", ()), scope)

    # ---- values for the verbs

    def set(self, value: Any, names: Names) -> Any:
        """A selection: an id, a list of ids, a name in scope, or an expression."""
        if isinstance(value, list):
            return tuple(self.who(v, names) for v in value)
        if isinstance(value, str):
            text = strip_mark(value)
            if text in names:
                return names[text]
            if not value.startswith("=") and self._is_id(text):
                return self.world.thing(text)
            return self.world.value(text, names)
        return value

    def who(self, value: Any, names: Names) -> Any:
        """A thing: `=` an expression, the name of something in scope, or an id."""
        if isinstance(value, list):
            return tuple(self.who(v, names) for v in value)
        value = self.world.marked(value, names)
        if isinstance(value, str):
            if value in names:
                return names[value]
            if "." in value:
                return self.world.value(value, names)
            return self.world.thing(value) if value else None
        return value

    def _is_id(self, text: str) -> bool:
        ruleset = self.world.ruleset
        return any(
            ruleset.has(f, text)
            for f in ("groups", "places", "nations", "sides", "units", "technologies", "cards")
        )

    def plain(self, value: Any, names: Names) -> Any:
        """A plain value: `=` an expression (an entity becomes its id), else as written."""
        value = self.world.marked(value, names)
        return value.id if isinstance(value, Entity) else value

    def id_of(self, value: Any, names: Names) -> str:
        """The id of one thing; EffectError if it is none."""
        found = self.who(value, names)
        if isinstance(found, Entity):
            return found.id
        if isinstance(found, tuple) and len(found) == 1:
            return str(found[0].id if isinstance(found[0], Entity) else found[0])
        raise EffectError(f"{value!r} is not one thing here")

    def nations(self, value: Any, names: Names) -> list[str]:
        return self.world.members(self.who(value, names))

    def add_sentence(self, text: str, names: Names) -> None:
        self.entry.tell(message(self.world, text, names))


def _reads_result(row: Row) -> bool:
    """Whether anything in a row depends on what its throw shows, not only on whether that is a success."""
    return "results" in row or any("result" in text for text in texts_in(row))


@lru_cache(maxsize=1024)
def _up_to(faces: str | int, die: Die) -> int | None:
    """The total at which faces that succeed end, or before which they begin; None of faces that do both."""
    totals = range(die.n * die.low + die.plus, die.n * die.high + die.plus + 1)
    fitting = [total for total in totals if face_fits(faces, total)]
    if fitting[:1] == [totals[0]]:
        return fitting[-1]
    return fitting[0] - 1 if fitting[-1:] == [totals[-1]] else None


def roll_need(world: World, roll: Mapping[str, Any], scope: Names) -> tuple[Need | None, list[Row]]:
    """What a throw must show for a roll to succeed, and the rows that changed its limit; None of a roll that
    only has results.
    """
    if "at_least" in roll:
        least, rows = _limit(world, roll, "at_least", scope)
        return Need(f"{least} or more", lambda total: bool(total >= least), ceil(least) - 1), rows
    if "at_most" in roll:
        most, rows = _limit(world, roll, "at_most", scope)
        return Need(f"{most} or less", lambda total: bool(total <= most), floor(most)), rows
    if "faces" in roll:
        faces = roll["faces"]
        return Need(str(faces), partial(face_fits, faces), _up_to(faces, parse_die(roll["die"]))), []
    return None, []


def _limit(world: World, roll: Mapping[str, Any], key: str, scope: Names) -> tuple[Any, list[Row]]:
    """The limit of a roll, and the rows that changed it: a number, an expression, or a stat of the subject
    (`of`, else nation or self)."""
    limit = roll[key]
    if isinstance(limit, str) and limit in world.ruleset.rows("stats"):
        kind = world.ruleset.row("stats", limit)["of"]
        subject = world.marked(roll["of"], scope) if "of" in roll else scope.get(kind) or scope.get("self")
        return world.quantity_with_rows(limit, world.thing(subject), scope)
    return world.number(limit, scope), []


def _alias(thing: Entity) -> dict[str, Any]:
    return {"self": thing} if thing.kind == "nation" else {}


def title_of(world: Any, rule: str) -> str:
    """How the row of a rule ("form/id") is told: its title or name, else its id as words."""
    form, _, id_ = rule.partition("/")
    row = world.ruleset.row_or_empty(form, id_)
    return str(row.get("title") or row.get("name") or id_.replace("-", " ").capitalize())
