"""Retreats that a rule forces: who must leave a battle, where to, and what is lost on the way. A made-up game of tokens."""

from __future__ import annotations

from typing import Any

from wteaw.battle import fight
from wteaw.core.dice import ScriptedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State, unit_key
from wteaw.turn.context import Turn
from wteaw.units import forces

BATTLE: Row = {
    "id": "clash",
    "tempo": "one_by_one",
    "where": {"contested": {"apart": "border"}},
    "die": "1d6",
    "step_losses": {"field": "condition", "values": ["healthy", "wounded"]},
    "never_hit": "unit.kind == 'gun'",
    "stages": [
        {
            "id": "dice", "who": {"attacker": "unit.condition != 'wounded'", "defender": "fit(unit)"}, "value": 1,
            "resolve": {"face": {"table": {"3..4": "wound", "5..6": "kill"}, "order": ["kill", "wound"]}},
        }
    ],
    "leave": {
        "both": "attacker",
        "attacker": {"must": "not any(mine, 'fit')", "to": [{"back_along": True, "ok": "place.holder == self or not place.occupied"}], "none": "lost"},
        "defender": {
            "must": "not any(mine, 'fit')", "who": "unit.kind == 'foot'", "behind": "lost", "none": "lost",
            "to": [
                {"next": "place.holder == self"},
                {"next": "not place.occupied and not place.holder"},
                {"through": "allied(self, place.holder)", "ok": "place.holder == self", "else": "not place.occupied and not place.holder"},
            ],
        },
    },
    "audience": "everyone",
}  # fmt: skip
LINKS = [("home", "field"), ("field", "town"), ("field", "friend"), ("friend", "far"), ("side", "field")]


def rules(owners: dict[str, str | None]) -> Ruleset:
    def by_id(*rows: Row) -> dict[str, Row]:
        return {r["id"]: r for r in rows}

    forms = {
        "battles": by_id(BATTLE),
        "units": by_id({"id": "foot", "name": "foot"}, {"id": "gun", "name": "gun"}),
        "definitions": by_id(
            {"id": "fit", "of": ["unit"], "is": "unit.kind == 'foot' and unit.condition != 'wounded'"}
        ),
        "stances": by_id({"id": "war", "hostile": True, "default": True}, {"id": "pact", "friendly": True}),
        "nations": by_id({"id": "one"}, {"id": "two"}, {"id": "ally"}),
        "places": by_id(*({"id": p, "kind": "land", "owner": o} for p, o in owners.items())),
        "links": by_id(*({"id": f"{a}--{b}", "between": [a, b]} for a, b in LINKS)),
    }
    return Ruleset("t", "T", forms)


class Game:
    def __init__(self, **owners: str | None) -> None:
        everywhere = {p: owners.get(p) for p in ("home", "field", "town", "friend", "far", "side")}
        self.state = State({"game": {"game": {"turn": 1}}, "relations": {"ally--two": {"stance": "pact"}}})
        self.turn = Turn(rules(everywhere), self.state, ScriptedDice())
        self.turn.journal.step = "battles"

    def put(self, owner: str, place: str, kind: str, n: int, **extra: Any) -> str:
        key = unit_key(owner, kind, place, extra)
        self.state.put("units", key, "*", {"owner": owner, "kind": kind, "place": place, "n": n, **extra})
        return key

    def march(self, *path: str, **kinds: int) -> str:
        picks = [(self.put("one", path[0], kind, n, march="-".join(path)), n) for kind, n in kinds.items()]
        with self.turn.journal.entry("test/setup"):
            force = forces.create(self.turn, "one", path[0], picks, targets=[path[-1]])
            forces.go(self.turn, force, path)
        return force

    def fight(self, *dice: int) -> None:
        source = ScriptedDice(list(dice))
        self.turn.dice = source
        fight.run({"battles": ["clash"]}, self.turn)
        assert not source.unused()

    def at(self, place: str) -> dict[str, int]:
        out: dict[str, int] = {}
        for _, row in self.state.stacks(at=place):
            name = f"{row['owner']} {row.get('condition', 'fit')} {row['kind']}"
            out[name] = out.get(name, 0) + row["n"]
        return out


def test_who_has_nobody_fit_left_must_go_back_to_the_last_open_place_of_his_way() -> None:
    game = Game(home="one", field="two", town="two")
    game.put("two", "field", "foot", 2)
    game.march("home", "field", foot=2)
    game.fight(1, 1, 3, 3)
    assert game.at("home") == {"one wounded foot": 2}
    assert game.at("field") == {"two fit foot": 2}


def test_guns_alone_hit_without_risk_but_hold_nothing() -> None:
    game = Game(home="one", field="two")
    game.put("two", "field", "foot", 1)
    game.march("home", "field", gun=2)
    game.fight(5, 1)
    assert game.at("field") == {}
    assert game.at("home") == {"one fit gun": 2}


def test_beaten_defenders_go_to_an_own_place_first_and_leave_their_guns() -> None:
    game = Game(home="one", field="two", town="two")
    game.put("two", "field", "foot", 1)
    game.put("two", "field", "gun", 1)
    game.march("home", "field", foot=2)
    game.fight(3, 1, 1)
    assert game.at("town") == {"two wounded foot": 1}
    assert game.at("field") == {"one fit foot": 2}


def test_then_to_a_free_place_then_through_friends() -> None:
    free = Game(home="one", field="two", friend="ally")
    free.put("two", "field", "foot", 1)
    free.march("home", "field", foot=2)
    free.fight(3, 1, 1)
    assert free.at("side") == {"two wounded foot": 1} or free.at("town") == {"two wounded foot": 1}
    crowded = Game(home="one", field="two", friend="ally", far="two", town="one", side="one")
    crowded.put("two", "field", "foot", 1)
    crowded.march("home", "field", foot=2)
    crowded.fight(3, 1, 1)
    assert crowded.at("far") == {"two wounded foot": 1}


def test_who_has_nowhere_to_go_is_lost() -> None:
    game = Game(home="one", field="two", friend="one", town="one", side="one")
    game.put("two", "field", "foot", 1)
    game.march("home", "field", foot=2)
    game.fight(3, 1, 1)
    assert game.at("field") == {"one fit foot": 2}
    lost = [f.roles for e in game.turn.journal.entries for f in e.facts if f.word == "destroyed"]
    assert lost == [{"of": "two", "kind": "foot", "place": "field", "n": 1, "cause": "clash", "by": "one"}]


def test_groups_over_different_borders_fight_apart() -> None:
    game = Game(home="one", side="one", field="two", town="two")
    game.put("two", "field", "foot", 2)
    game.march("home", "field", foot=1)
    game.march("side", "field", foot=1)
    game.fight(1, 5, 1, 6, 1, 1, 5, 1)
    ends = [e.data["winner"] for e in game.turn.journal.entries if e.data.get("event") == "end"]
    assert ends == ["defender", "attacker"]
