"""A small map with the units, values and battles of the base ruleset, for tests of battles by hand.

Places X, Y, W, Z, P, Q, R in a net of land borders, none with a city; four nations. Units have the figures of the published
examples: infantry 3/5, artillery 6/2, tank 6/1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from wteaw.core.dice import ScriptedDice
from wteaw.core.journal import Entry
from wteaw.core.model import Row, Ruleset
from wteaw.core.package_data import rulesets
from wteaw.core.state import State, unit_key
from wteaw.ruleset.load import load_bytes
from wteaw.ruleset.nodes import plain_value
from wteaw.turn.context import Turn
from wteaw.units import forces

LINKS = [
    ("x", "p"),
    ("y", "p"),
    ("w", "p"),
    ("q", "p"),
    ("y", "q"),
    ("x", "y"),
    ("r", "p"),
    ("z", "x"),
    ("w", "y"),
]
OWNERS = {"x": "a", "y": "a", "w": "b", "z": "d", "p": "d", "q": "d", "r": "d", "sea": None}
FIGURES = {
    "infantry": {"attack": 3, "defense": 5, "price": 5},
    "artillery": {"attack": 6, "defense": 2, "price": 9},
    "tank": {"attack": 6, "defense": 1, "price": 12},
    "bomber": {"attack": 4, "defense": 1, "price": 12},
    "battleship": {"attack": 7, "defense": 7},
    "destroyer": {"attack": 4, "defense": 3},
    "submarine": {"attack": 2, "defense": 2},
}


@cache
def base() -> Ruleset:
    """The base ruleset's tables as they are written; what battles have nothing to do with is not looked at."""
    forms: dict[str, dict[str, Row]] = {}
    for path in sorted((rulesets() / "tables").glob("*.yaml")):
        node, found = load_bytes(path.read_bytes(), path.name)
        assert node is not None, found
        for form, rows in plain_value(node).items():
            if form != "sequence":
                forms.setdefault(form, {}).update({r["id"]: r for r in rows if "id" in r})
    for path in sorted(
        (rulesets() / "events").glob("*.yaml")
    ):  # what tables ask of a nation may stand in the nation's own file
        node, found = load_bytes(path.read_bytes(), path.name)
        assert node is not None, found
        for form in ("definitions", "groups"):
            forms[form].update({r["id"]: r for r in plain_value(node).get(form, ())})
    return Ruleset("base", "Base", forms)


def by_id(rows: Sequence[Row]) -> dict[str, Row]:
    return {r["id"]: r for r in rows}


def ruleset(
    owners: Mapping[str, str | None] = OWNERS, links: Sequence[tuple[str, ...]] = LINKS, **places: Row
) -> Ruleset:
    """The base ruleset on a small map. `places`: further fields of a place, by id."""
    forms: dict[str, Any] = dict(base().forms)
    units = {k: {**row, **FIGURES.get(k, {})} for k, row in base().rows("units").items()}
    forms["units"] = {k: {key: v for key, v in row.items() if key != "grades"} for k, row in units.items()}
    forms["places"] = by_id(
        [
            {"id": p, "name": p.upper(), "kind": "sea" if p.startswith("sea") else "land", "owner": o, "incorporated": True,
             **places.get(p, {})}
            for p, o in owners.items()
        ]
    )  # fmt: skip
    forms["links"] = by_id(
        [
            {"id": f"{e[0]}--{e[1]}", "between": list(e[:2]), "kind": e[2] if len(e) > 2 else "land"}
            for e in links
        ]
    )
    forms["nations"] = by_id(
        [
            {"id": n, "name": n.upper(), "side": s}
            for n, s in {"a": "central", "b": None, "c": None, "d": "allied", "e": None}.items()
        ]
    )
    return Ruleset("small", "Small", forms, (), base().manifest)


class Field:
    """A position and what happens on it. `war` names pairs that are at war besides a and d; `allies` those allied."""

    def __init__(self, rules: Ruleset | None = None, war: str = "", allies: str = "") -> None:
        self.rules = rules or ruleset()
        self.state = State({"game": {"game": {"turn": 1}}})
        for stance, pairs in (("war", "ad " + war), ("allied", allies)):
            for pair in pairs.split():
                self.state.put("relations", "--".join(sorted(pair)), "*", {"stance": stance})
        self.turn = Turn(self.rules, self.state, ScriptedDice())
        self.turn.journal.step = "battles"

    def units(self, owner: str, place: str, **kinds: int) -> Field:
        for kind, n in kinds.items():
            kind = kind.replace("_", "-")
            self.put(owner, kind, place, n)
        return self

    def put(self, owner: str, kind: str, place: str, n: int, **extra: Any) -> str:
        key = unit_key(owner, kind, place, extra)
        self.state.put("units", key, "*", {"owner": owner, "kind": kind, "place": place, "n": n, **extra})
        return key

    def attack(
        self,
        owner: str,
        start: str,
        goal: str,
        *,
        stays: bool = False,
        landed: bool = False,
        mission: str | None = None,
        options: Mapping[str, Any] | None = None,
        **kinds: int,
    ) -> str:
        """A force of these units that has come from `start` into `goal`, or acts upon it from where it stands (`stays`)."""
        picks = []
        for kind, n in kinds.items():
            picks.append(
                (self.put(owner, kind.replace("_", "-"), start, n, fresh=len(self.state.table("forces"))), n)
            )
        with self.turn.journal.entry("test/setup"):
            fields: dict[str, Any] = {
                "options": dict(options or {}),
                "targets": [goal],
                "stays": stays or None,
                "mission": mission,
            }
            force = forces.create(self.turn, owner, start, picks, **fields)
            if not stays:
                forces.go(self.turn, force, [start, goal], lambda key: {"landed": True} if landed else {})
        return force

    def fleet(
        self,
        owner: str,
        place: str = "sea",
        *,
        mission: str | None = None,
        options: Mapping[str, Any] | None = None,
        **kinds: int,
    ) -> str:
        """A force of ships; a number may be a dict of further fields with `n`."""
        picks = []
        for kind, n in kinds.items():
            extra = dict(n) if isinstance(n, dict) else {"n": n}
            count = extra.pop("n")
            picks.append((self.put(owner, kind.replace("_", "-"), place, count, **extra), count))
        with self.turn.journal.entry("test/setup"):
            return forces.create(self.turn, owner, place, picks, mission=mission, options=dict(options or {}))

    def contact(self, seeker: str, foe: str, row: str = "sighting") -> None:
        pair = sorted((seeker, foe))
        contact = {"pair": pair, "by": [seeker], "row": row, "gives": "battle", "place": "sea"}
        self.state.put("contacts", f"{row}:{'|'.join(pair)}", "*", contact)

    def fight(self, *dice: int, battle: str = "land") -> list[Entry]:
        """Fight with these dice in order; gives the entries. Every die must be used."""
        from wteaw.battle import fight

        source = ScriptedDice(list(dice))
        self.turn.dice = source
        first = len(self.turn.journal.entries)
        fight.run({"battles": [battle]}, self.turn)
        assert not source.unused(), source.unused()
        return self.turn.journal.entries[first:]

    def at(self, place: str) -> dict[str, dict[str, int]]:
        """Owner -> kind -> number of the units that stand in a place."""
        out: dict[str, dict[str, int]] = {}
        for _, row in self.state.stacks(at=place):
            of = out.setdefault(row["owner"], {})
            of[row["kind"]] = of.get(row["kind"], 0) + row["n"]
        return out


def rounds(entries: Sequence[Entry], place: str = "") -> list[dict[str, Any]]:
    """The data of the rounds, of one place or of all."""
    return [e.data for e in entries if e.data.get("event") == "round" and place in ("", e.data["place"])]
