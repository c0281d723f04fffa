"""The chapters of the rulebook, in the order in which somebody learns a game: who, what, the turn phase by phase, the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..ruleset.clauses import sources
from ..turn.sequence import phases
from ..turn.sequence import steps as steps_of
from . import sections
from .phrases import asked, cell, fact_words, table
from .sections import PLUMBING, title
from .spoken import Spoken

__all__ = ["rulebook"]

BASES = {
    "ruling": "a reading of an unclear text",
    "found": "from another published page",
    "reconstructed": "rebuilt to fit all that is stated",
}


def rulebook(ruleset: Ruleset, tested: Mapping[str, int] | None = None) -> str:
    """The whole ruleset as Markdown. `tested`: how many rule tests cite each clause; then each rule says so."""
    return "\n\n".join(_Book(ruleset, tested).parts()) + "\n"


class _Book:
    def __init__(self, ruleset: Ruleset, tested: Mapping[str, int] | None) -> None:
        self.ruleset = ruleset
        self.tested = tested
        self.told: set[tuple[str, str]] = set()
        self.phases = phases(ruleset.frame)
        self.say = Spoken(ruleset)

    def parts(self) -> Iterator[str]:
        ruleset = self.ruleset
        yield f"# {ruleset.title}"
        if ruleset.manifest.get("description"):
            yield str(ruleset.manifest["description"])
        yield from self._turn()
        yield from sections.sides(ruleset)
        yield from sections.units(ruleset)
        if ruleset.rows("catalogue"):
            yield "## What can be bought"
            yield from sections.items(ruleset)
        yield from sections.technologies(ruleset)
        fought = max((n for n, phase in enumerate(self.phases, 1) if _fights(phase)), default=len(self.phases))
        for number, phase in enumerate(self.phases, 1):
            yield from self._phase(number, phase)
            if number == fought:
                yield from sections.battles(ruleset)
        yield from self._rest("acts", "## What nations may do besides")
        yield from self._rest("orders", "## What units may be ordered besides")
        yield from self._rest("events", "## What happens by itself")
        yield from sections.matrices(ruleset)
        yield from self._nations()
        yield from self._winning()
        yield from sections.adjusts(ruleset)
        yield from sections.verdicts(ruleset)
        yield from sections.tables(ruleset)
        yield from sections.terms(ruleset)
        yield from sections.readings(ruleset)
        yield from self._reconstructed()

    # ---- the turn

    def _turn(self) -> Iterator[str]:
        yield "## The turn"
        for row in self.ruleset.rows("calendar").values():
            months = row.get("months", 1)
            length = "a month" if months == 1 else f"{months} months"
            begins = f", from {row['start']}" if "start" in row else ""
            yield f"A turn is {length}{begins}; the game has {row.get('turns', 'no set number of')} turns."
        yield "\n".join(
            f"{number}. **{title({'id': phase['phase'], **phase})}**"
            + (f" (if {self.say.truth(phase['when'])})" if "when" in phase else "")
            for number, phase in enumerate(self.phases, 1)
        )

    def _phase(self, number: int, phase: Row) -> Iterator[str]:
        """What is done in a phase, step by step: acts, orders, battles, and the events that wait for a step."""
        yield f"## Phase {number}: {title({'id': phase['phase'], **phase})}"
        steps = list(steps_of(phase.get("steps", ())))
        inside = [part for step in steps for part in self._step(step)]
        named = ", ".join(str(step["step"]).replace("-", " ") for step in steps if "step" in step)
        yield from inside or [f"Nothing is ordered here, and it goes by itself: {named or 'nothing else happens'}."]

    def _step(self, step: Row) -> Iterator[str]:
        name = str(step.get("step") or step.get("do") or "")
        parts: list[str] = []
        for form, ids in (("acts", step.get("acts", ())), ("orders", self._carried(step))):
            for id_ in ids:
                parts += self._once(form, id_)
        for id_, row in self.ruleset.rows("events").items():
            if name and any(isinstance(w, Mapping) and w.get("step") == name for w in _waits(row.get("on"))):
                parts += self._once("events", id_)
        fought = [title(self.ruleset.row("battles", b)) for b in step.get("battles", ()) if self.ruleset.has("battles", b)]
        if fought:
            parts.append(f"Fought here: {', '.join(fought)} (see Battles).")
        if parts:
            yield f"### {name.replace('-', ' ').capitalize()}" + (
                f"\n\nOnly if {self.say.truth(step['when'])}." if "when" in step else ""
            )
            yield from parts

    def _carried(self, step: Row) -> list[str]:
        """The orders that a step carries out: they name it, or the mode that they go by does."""
        name = step.get("step")
        return [id_ for id_, row in self.ruleset.rows("orders").items() if name and row.get("step") == name]

    def _rest(self, form: str, heading: str) -> Iterator[str]:
        parts = [part for id_ in self.ruleset.rows(form) for part in self._once(form, id_)]
        if parts:
            yield heading
            yield from parts

    def _once(self, form: str, id_: str) -> Iterator[str]:
        """A row in words where it is first met; nothing where it has been told."""
        if (form, id_) in self.told or not self.ruleset.has(form, id_):
            return
        self.told.add((form, id_))
        row = self.ruleset.row(form, id_)
        if form == "acts":
            yield sections.act(self.ruleset, row)
        elif form == "orders":
            yield sections.order(self.ruleset, row)
        else:
            yield sections.event(self.ruleset, row)
        origin = self._origin(form, row)
        if origin:
            yield origin

    def _origin(self, form: str, row: Row) -> str:
        """Where a rule comes from: its clauses, with their rule tests, its basis, its line in the tables."""
        words = [f"{c}{self._tests(c)}" for c in dict.fromkeys(sources(row))]
        basis = row.get("basis")
        if isinstance(basis, str) and basis in BASES:
            words.append(BASES[basis])
        at = ":".join(self.ruleset.origin(form, str(row["id"])).split(":")[:2])
        return f"*{'; '.join([*words, at])}*" if words else f"*{at}*"

    def _tests(self, clause: str) -> str:
        if self.tested is None:
            return ""
        n = self.tested.get(clause, 0)
        return f" ({n} test{'' if n == 1 else 's'})"

    # ---- nations, winning, provenance

    def _nations(self) -> Iterator[str]:
        """What single nations may do, may not do, and what concerns them alone."""
        ruleset = self.ruleset
        found: dict[str, list[str]] = {}
        for form, verb in (("acts", "may"), ("events", "")):
            for row in ruleset.rows(form).values():
                for id_ in self._named(row):
                    found.setdefault(id_, []).append(f"{verb}: {title(row)}".removeprefix(": "))
        acts = ruleset.rows("acts")
        for form, says in (("limits", "not allowed"), ("own_cases", "comes to something of its own")):
            for row in ruleset.rows(form).values():
                line = f"{title(acts[row['on']])}: {says}" + (f": {asked(self.say, row['else'])}" if "else" in row else "")
                for id_ in self._named(row):
                    found.setdefault(id_, []).append(line)
        if found:
            yield "## Nation by nation"
            for id_ in ruleset.rows("nations"):
                if id_ in found:
                    yield f"### {title(ruleset.row('nations', id_))}"
                    yield "\n".join(f"- {line}" for line in dict.fromkeys(found[id_]))

    def _named(self, row: Row) -> Iterator[str]:
        """The nations that a row is `for` by name."""
        whose = row.get("for", ())
        for id_ in [whose] if isinstance(whose, str) else whose:
            if self.ruleset.has("nations", str(id_)):
                yield str(id_)

    def _winning(self) -> Iterator[str]:
        ends, criteria = self.ruleset.rows("ends"), self.ruleset.rows("criteria")
        if ends or criteria:
            yield "## The end, and who has won"
        if ends:
            yield table(
                ["ends", "when", "who has won"],
                [[title(r), self._code(r.get("when")), self._code(r.get("winner"))] for r in ends.values()],
            )
        if criteria:
            yield table(
                ["criterion", "of", "reckoned as"], [[title(r), r.get("of"), self._code(r.get("is"))] for r in criteria.values()]
            )
        yield from sections.objectives(self.ruleset)

    def _code(self, value: Any) -> str:
        if isinstance(value, Mapping):
            return fact_words(self.say, value)
        return self.say.truth(value) if value is not None else ""

    def _reconstructed(self) -> Iterator[str]:
        """Which numbers are no one's word: rows, or keys of rows, whose basis is a reconstruction."""
        lines = []
        for form in self.ruleset.forms:
            rows: dict[str, list[str]] = {}
            for id_, row in self.ruleset.rows(form).items():
                basis = row.get("basis")
                if basis == "reconstructed":
                    rows[id_] = []
                elif isinstance(basis, Mapping) and "reconstructed" in basis.values():
                    named = [k for k, v in basis.items() if v == "reconstructed" and k != "other"]
                    rest = (
                        [k for k in row if k not in PLUMBING and k not in basis] if basis.get("other") == "reconstructed" else []
                    )
                    rows[id_] = [*named, *rest]
            if rows:
                said = "; ".join(f"{id_}{f' ({cell(keys)})' if keys else ''}" for id_, keys in rows.items())
                lines.append(f"- **{form}**: {said}")
        if lines:
            yield "## What is reconstructed"
            yield "The published rules do not state these; they were rebuilt so that all that is stated fits."
            yield "\n".join(lines)


def _fights(phase: Row) -> bool:
    return any("battles" in step for step in steps_of(phase.get("steps", ())))


def _waits(on: Any) -> list[Any]:
    return on if isinstance(on, list) else [] if on is None else [on]
