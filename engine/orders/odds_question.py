"""Questions about battles from what a person writes: free compositions, or orders on a position.

Everything is checked by name; `Unclear` says what was expected and what may have been meant. Which battle it
is follows from the place and from who can fight there, if nobody says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..battle.groups import LADDER, SIDES, hits_to_destroy
from ..core.choices import block_of
from ..core.diagnostics import Diagnostic, nearest
from ..core.model import Ruleset
from ..core.state import Entity, Fields
from ..core.words import joined
from ..odds.ask import Question, plan_of
from ..odds.result import Odds
from ..world.world import World
from .names import Names

if TYPE_CHECKING:
    from ..odds.as_written import Written
    from ..turn.context import Order

MOST = 500
"""Units a side that anybody may ask about."""
_PART = re.compile(r"\s*(\d+)\s+([^\[\]]+?)\s*(?:\[(.*)\])?\s*")
_HEAD = re.compile(r"\s*(.+?)(?:\s+from\s+(.+?))?\s*", re.IGNORECASE)
_WORKS = re.compile(r"works\s*[!=]=\s*'([^']+)'")
_LIMIT = re.compile(r"\s*(?:(after|above)\s+(\d+)|unless\s+(\d+)\s*/\s*(\d+))\s*")
EXAMPLE = '"NATION: 10 KIND, 4 KIND"'
CONDITIONS = ("via", "aboard", "landed")


class Unclear(ValueError):
    """What somebody wrote cannot be understood; the message says what was expected. `found` are findings in
    orders."""

    def __init__(self, message: str, found: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.found = tuple(found)


@dataclass(slots=True)
class Composer:
    """Reads texts about one world. `notes` collect what the person should know besides the answer."""

    world: World
    notes: list[str] = field(default_factory=list)

    @property
    def rules(self) -> Ruleset:
        return self.world.ruleset

    @property
    def names(self) -> Names:
        return Names(self.rules, self.world.state)

    # ---- single things

    def thing(self, kind: str, text: str, what: str) -> str:
        """The id of a nation, place, unit kind ... by any of its names."""
        ids = self.names.find(kind, joined(text))
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise Unclear(f"{text.strip()!r} may be {_or(ids)}; write the id")
        near = self.names.guesses(kind, joined(text))
        raise Unclear(
            f"no {what} is called {text.strip()!r}"
            + (f"; did you mean {_or(map(repr, near))}?" if near else "")
        )

    def nation(self, text: str) -> str:
        """A nation's id."""
        return self.thing("nation", text, "nation")

    def place(self, text: str) -> str:
        """A place's id; none for an empty text."""
        return self.thing("place", text, "place") if text.strip() else ""

    def kind(self, text: str) -> str:
        """A unit kind's id, of those that can stand in a battle by themselves."""
        return self.thing("unit-kind", text, "kind of unit")

    def battle(self, text: str) -> str:
        """A battle's id, by id or name; none for an empty text."""
        known: dict[str, str] = {}
        for id_, row in self.rules.rows("battles").items():
            known.setdefault(joined(id_), id_)
            known.setdefault(joined(str(row.get("name", id_))), id_)
        if not text.strip():
            return ""
        if joined(text) in known:
            return known[joined(text)]
        battles = list(self.rules.rows("battles"))
        near = nearest(joined(text), known)
        meant = f"; did you mean {known[near[0]]!r}?" if near else ""
        raise Unclear(
            f"no battle is called {text.strip()!r}{meant} There are {', '.join(battles)}".replace(
                "? There", "? There"
            )
        )

    def works(self, text: str) -> str | None:
        """What may guard a border, as tests of the ruleset and its catalogue name it."""
        if not text:
            return None
        known: set[str] = set()
        for form in ("modifiers", "definitions", "battles", "tables"):
            known.update(chain.from_iterable(map(_named, self.rules.rows(form).values())))
        known |= {
            str(r["works"]) for r in self.rules.rows("production").values() if isinstance(r.get("works"), str)
        }
        by_name = {joined(w): w for w in known - {"none"}}
        if joined(text) in by_name:
            return by_name[joined(text)]
        if joined(text) == "none":
            return None
        near = nearest(joined(text), by_name)
        meant = f"; did you mean {by_name[near[0]]!r}?" if near else ""
        raise Unclear(
            f"no works are called {text!r}{meant} (there are {', '.join(sorted(by_name.values())) or 'none'})"
        )

    # ---- forces

    def force(self, texts: Iterable[str], side: int, goal: str = "") -> dict[Any, int]:
        """Texts such as "NATION: 10 KIND, 4 KIND [damage 1]" or "NATION from PLACE: 3 KIND" as numbers by
        nation and kind.

        One text may hold several nations, parted by semicolons.
        """
        out: dict[Any, int] = {}
        for text in (part.strip() for whole in texts for part in whole.rstrip("; ").split(";")):
            head, colon, units = text.partition(":")
            fits = _HEAD.fullmatch(head)
            if not colon or fits is None:
                raise Unclear(f"{text!r} is not of the form {EXAMPLE}")
            owner = self.nation(fits[1])
            more: dict[str, Any] = {}
            if fits[2]:
                if side == 1:
                    raise Unclear(f"{text!r}: only attackers come from somewhere")
                if not goal:
                    raise Unclear(f"{text!r}: say with --place where they go to")
                more["via"] = f"{self.place(fits[2])}>{goal}"
            for part in _parts(units):
                key, n = self._part(part, owner, more)
                out[key] = out.get(key, 0) + n
        total = sum(out.values())
        if total > MOST:
            raise Unclear(f"{total} units on one side are more than the {MOST} that can be asked about")
        return {key: n for key, n in out.items() if n}

    def _part(self, text: str, owner: str, more: Mapping[str, Any]) -> tuple[Any, int]:
        fits = _PART.fullmatch(text)
        if fits is None:
            raise Unclear(f"{text.strip()!r} is not a number and a kind of unit, such as 10 KIND")
        kind = self.kind(fits[2])
        extra = {**more, **self._conditions(fits[3] or "")}
        return ((owner, kind, tuple(sorted(extra.items()))) if extra else (owner, kind)), int(fits[1])

    def _conditions(self, text: str) -> dict[str, Any]:
        """What stands in brackets behind a unit: fields and their values, such as `damage 1`."""
        out: dict[str, Any] = {}
        known = {id_ for id_, row in self.rules.rows("fields").items() if "unit" in row.get("of", ())}
        rows = list(self.rules.rows("battles").values())
        ladders = [row.get("step_losses", LADDER)["field"] for row in rows]
        known |= {*ladders, *CONDITIONS}
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, _, value = part.replace("=", " ").partition(" ")
            if name not in known:
                near = nearest(name, known)
                raise Unclear(f"units have no {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
            value = value.strip()
            listed = [
                r["step_losses"]["values"]
                for r in rows
                if r.get("step_losses", {}).get("field") == name and "values" in r["step_losses"]
            ]
            if listed and all(value not in values for values in listed):
                raise Unclear(f"{name} is {_or(listed[0])}, not {value!r}")
            out[name] = True if value in ("", "true") else value
            if value.lstrip("-").isdigit():
                out[name] = int(value)
        return out

    def loss_orders(self, texts: Iterable[str]) -> dict[str, list[str]]:
        """Texts such as "NATION: KIND, KIND" as the kinds that each nation loses first."""
        out: dict[str, list[str]] = {}
        for text in texts:
            nation, colon, kinds = text.partition(":")
            if not colon:
                raise Unclear(f'{text!r} is not of the form "NATION: KIND, KIND"')
            out[self.nation(nation)] = [self.kind(k) for k in kinds.split(",") if k.strip()]
        return out

    def limits(self, texts: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Texts such as "NATION: after 2, above 3, unless 1/2" as limits by nation: rounds, losses,
        kills/enemies left."""
        out: dict[str, dict[str, Any]] = {}
        for text in texts:
            nation, colon, parts = text.partition(":")
            limits = out.setdefault(self.nation(nation), {}) if colon else {}
            for part in parts.split(","):
                fits = _LIMIT.fullmatch(part)
                if fits is None:
                    raise Unclear(
                        f'{text!r} is not of the form "NATION: after 2, above 3, unless 1/2" '
                        "(rounds, losses, kills/left)"
                    )
                if fits[3]:
                    limits["kills"] = {"kills": int(fits[3]), "left": int(fits[4])}
                else:
                    limits["rounds" if fits[1] == "after" else "losses"] = int(fits[2])
        return out

    def technologies(self, texts: Iterable[str]) -> dict[str, dict[str, int]]:
        """Texts such as "NATION: TECHNOLOGY 2, TECHNOLOGY" as levels by nation."""
        out: dict[str, dict[str, int]] = {}
        for text in texts:
            nation, colon, techs = text.partition(":")
            if not colon:
                raise Unclear(f'{text!r} is not of the form "NATION: TECHNOLOGY 1"')
            levels = out.setdefault(self.nation(nation), {})
            for part in techs.split(","):
                fits = re.fullmatch(r"\s*(.+?)(?:\s+(\d+))?\s*", part)
                if fits is None:
                    raise Unclear(f"{text!r} names no technology")
                levels[self.thing("tech", fits[1], "technology")] = int(fits[2] or 1)
        return out

    # ---- questions

    def defenders(self, place: str, attackers: Iterable[Any]) -> dict[Any, int]:
        """Who stands in a place and would fight the attackers, in the condition they are in; where nobody
        holds it, enemies."""

        owners = sorted({key[0] for key in attackers})
        held = self.world.holder_of(place) is not None
        fight = self.world.would_fight if held else self.world.hostile
        out: dict[Any, int] = {}
        for _, row in self.world.state.stacks(at=place):
            if row.get("aboard") or not any(fight(a, row["owner"]) for a in owners):
                continue
            key = (row["owner"], row["kind"], conditions(row))
            out[key] = out.get(key, 0) + int(row["n"])
        return out

    def from_orders(
        self, text: str, nation: str, defenders: Mapping[Any, int] | None = None, others: Iterable[str] = ()
    ) -> tuple[Written, str]:
        """The battle that a nation's orders bring about, and where they start if all start in one place.

        The referee's own set-up is asked (`as_written`). `others` are orders that are expected of other
        nations, "NATION: order"; all the rest are silent. Refused orders are told in `notes`.
        """
        orders = self._orders(text, nation)
        going = [o for o in orders if isinstance(o["slots"].get("units"), Mapping)]
        goals = {str(o["slots"]["target"]) for o in going if "target" in o["slots"]} & set(
            self.rules.rows("places")
        )
        if not going or len(goals) > 1:
            raise Unclear(
                "the orders must send units to one place"
                + (f", not to {_or(sorted(goals))}" if goals else "")
            )
        for other in others:
            whose, colon, said = other.partition(":")
            if not colon:
                raise Unclear(f'{other!r} is not of the form "NATION: order"')
            orders += self._orders(said.strip(), self.nation(whose))
        from ..odds.as_written import NoBattle, as_written  # start-up time: most questions have no orders

        try:
            written = as_written(self.world, nation, orders, next(iter(goals), ""), defenders)
        except NoBattle as none:
            unseen = (
                "" if defenders is not None else "; if you know better, name with --defender who stands there"
            )
            raise Unclear(f"{none}{unseen}") from None
        self.notes += [f"an order is not carried out: {why}" for why in written.refused]
        starts = {str(o["slots"].get("origin", "")) for o in going}
        return written, starts.pop() if len(starts) == 1 else ""

    def resolved(self, written: Written, *, trials: int = 0, seed: int = 1) -> tuple[Odds, Question]:
        """The odds of orders by the resolution itself, and the battle they lead to."""
        from ..odds.as_written import NoBattle  # loaded with what was written

        try:
            return written.odds(trials=trials, seed=seed)
        except NoBattle as none:
            raise Unclear(str(none)) from None

    def _orders(self, text: str, nation: str) -> list[Order]:
        """The orders of a text; Unclear, with what was found, if one of them does not stand."""
        from .intake import take_in  # start-up time: all that reads and checks orders

        taken = take_in(self.rules, text, lambda _: self.world, nation=nation)
        wrong = [d for d in taken.found if d.severity == "error"]
        if wrong or not taken.orders:
            raise Unclear("the order is not valid" if wrong else "no order was given", taken.found)
        return [{"nation": nation, **order} for order in taken.orders]

    def settled(self, question: Question) -> Question:
        """The question with its battle: the one named, or the first of the ruleset that both sides can fight
        there."""
        self._sides(question)
        if (
            question.start
            and question.place
            and question.start not in self.world.geography.next_to(question.place)
        ):
            near = [self.names.printed("place", p) for p in self.world.geography.next_to(question.place)]
            self.notes.append(
                f"{self.names.printed('place', question.start)} is not next to "
                f"{self.names.printed('place', question.place)}, so no border counts; "
                f"next to it are {', '.join(near)}"
            )
        if question.battle:
            self._can_fight(question)
            self._alive(question)
            return question
        for id_, row in self.rules.rows("battles").items():
            if not (row.keys() & {"where", "when"}) or id_ in self._preludes():
                continue
            here = {"place": Entity("place", question.place)}
            if question.place and not self.world.test(row.get("when"), here):
                continue
            asked = replace(question, battle=id_)
            if all(self._holders(asked)):
                self._can_fight(asked)
                self._alive(asked)
                return asked
        if not question.defenders:
            place = self.names.printed("place", question.place)
            raise Unclear(
                f"there is nobody in {place} whom they fight; name with --defender who stands there"
            )
        raise Unclear(
            "no battle of this ruleset is fought by these units there; "
            f"name one with --battle: {', '.join(self.rules.rows('battles'))}"
        )

    def _sides(self, question: Question) -> None:
        for side, force in ((0, question.attackers), (1, question.defenders)):
            if not force and not (side == 1 and question.place):
                raise Unclear(f"nobody is named as {SIDES[side]}; write {EXAMPLE}")
        both = {key[0] for key in question.attackers} & {key[0] for key in question.defenders}
        if both:
            raise Unclear(f"{self.names.printed('nation', min(both))} stands on both sides")

    def _preludes(self) -> set[str]:
        rows: Iterable[Mapping[str, Any]] = self.rules.rows("battles").values()
        found: set[str] = set()
        for row in rows:
            first: Mapping[str, Any] = block_of(row, "where").get("before", {})
            found |= {*row.get("preludes", ()), *first.values()}
        return found

    def _holders(self, question: Question) -> tuple[bool, bool]:
        plan = plan_of(self.world, question)
        return bool(plan.holds[0]), bool(plan.holds[1])

    def _can_fight(self, question: Question) -> None:
        plan = plan_of(self.world, question)
        there = {(g.side, g.owner, g.kind) for g in plan.groups}
        for side, force in ((0, question.attackers), (1, question.defenders)):
            for owner, kind, *_ in sorted(force, key=str):
                if (side, owner, kind) not in there:
                    verb = ("attack", "defend")[side]
                    self.notes.append(
                        f"{self.names.printed('unit-kind', kind, 2)} cannot {verb} here and are left out"
                    )
        for side in (0, 1):
            if not plan.holds[side]:
                raise Unclear(f"the {SIDES[side]} has no unit that can fight this battle")

    def _alive(self, question: Question) -> None:
        """Nobody can have taken more hits than they can bear."""
        plan = plan_of(self.world, question)
        ladder = plan.row.get("step_losses", LADDER)
        for group in plan.groups:
            value = group.fields.get(ladder["field"])
            if not group.n or value is None:
                continue
            if "values" not in ladder and int(value) >= hits_to_destroy(group, plan.world):
                name = self.names.printed("unit-kind", group.kind)
                raise Unclear(f"{name} cannot have {ladder['field']} {int(value)} and live")

    # ---- words for answers

    def nation_name(self, id_: str) -> str:
        """A nation's printed name."""
        return self.names.printed("nation", id_)

    def unit_name(self, kind: str, n: float) -> str:
        """The printed name of so many units."""
        return self.names.printed("unit-kind", kind, 1 if n == 1 else 2)

    def title(self, question: Question) -> str:
        """What is asked, in a few words."""
        row = self.rules.row("battles", question.battle)
        text = str(row.get("name", question.battle))
        text = text[0].upper() + text[1:]
        if question.place:
            text += f": {self.names.printed('place', question.place)}"
        if question.start:
            text += f" from {self.names.printed('place', question.start)}"
        return text + (f", {question.works}" if question.works else "")


def conditions(row: Fields) -> tuple[tuple[str, Any], ...]:
    """What a stack's row says beyond owner, kind, place, number and what passes."""
    left_out = ("owner", "kind", "place", "n", "force", "moved", "via")
    return tuple(
        sorted((k, v) for k, v in row.items() if k not in left_out and isinstance(v, int | str | bool))
    )


def _named(row: Any) -> Iterator[str]:
    if isinstance(row, str):
        yield from _WORKS.findall(row)
    elif isinstance(row, Mapping):
        for value in row.values():
            yield from _named(value)
    elif isinstance(row, Sequence):
        for value in row:
            yield from _named(value)


def _parts(text: str) -> list[str]:
    """Cut at commas that stand outside brackets."""
    return [p for p in re.split(r",(?![^\[]*\])", text) if p.strip()] or [text]


def _or(words: Iterable[str]) -> str:
    *most, last = [str(w) for w in words]
    return f"{', '.join(most)} or {last}" if most else last
