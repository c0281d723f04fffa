"""Who finds whom: contacts between forces with the published chances, and the percentages of looking at places."""

from __future__ import annotations

from fractions import Fraction

import pytest

from wteaw.battle import detect
from wteaw.core.dice import ScriptedDice
from wteaw.core.model import Row, Ruleset
from wteaw.core.state import State
from wteaw.turn.context import Turn
from wteaw.units import contact
from wteaw.units import passive_recon as scouting

SIGHT = {"big": (3, 1), "fast": (5, 2), "hold": (0, 0), "plane": (2, 1)}
SIGHTING: Row = {
    "id": "sighting", "pairs": "same_place", "by": "force.stance == 'aggressive'", "value": "sight", "less": {"best": "cover"},
    "at_least": 1, "die": "1d10", "gives": "battle", "together_at_start": "lower",
}  # fmt: skip
LOOK: Row = {
    "id": "look", "pairs": "next_to", "by": "not near", "value": "view", "groups": {"round": "nearest", "times": "=1 / 2 if link.works == 'wall' else 1"},
    "round": "nearest", "die": "1d100", "shared": True, "gives": "know", "know": "units", "on_failure": "less",
}  # fmt: skip


def rules() -> Ruleset:
    units = [{"id": k, "tags": [], "sight": s, "cover": c} for k, (s, c) in SIGHT.items()]
    units += [{"id": "foot", "view": 10}, {"id": "gun", "view": 0}]
    forms: dict[str, list[Row]] = {
        "places": [{"id": p, "kind": "sea" if p == "z" else "land"} for p in ("a", "b", "c", "z")],
        "links": [{"id": i, "between": i.split("--"), "kind": "land"} for i in ("a--c", "b--c")],
        "stances": [
            {"id": "peace", "default": True},
            {"id": "pact", "friendly": True},
            {"id": "war", "hostile": True},
        ],
        "nations": [
            {"id": "red", "side": "one"},
            {"id": "rose", "side": "one"},
            {"id": "blue", "side": "two"},
        ],
        "sides": [{"id": "one"}, {"id": "two"}],
        "units": units,
        "fields": [
            {"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("sight", "cover", "view")
        ],
        "detection": [SIGHTING, LOOK],
    }
    return Ruleset("t", "T", {form: {r["id"]: r for r in rows} for form, rows in forms.items()})


def fleet(
    forces: dict[str, tuple[str, dict[str, int], bool]], dice: list[int], *, began: bool = False
) -> Turn:
    """`forces`: id -> (stance, units, ...); the nation is the part before `#`. All stand at z."""
    state = State({"game": {"game": {"turn": 1}}})
    for pair in ("blue--red", "blue--rose"):
        state.put("relations", pair, "*", {"stance": "war"})
    for force, (stance, units, _) in forces.items():
        owner = force.split("#")[0]
        state.put(
            "forces",
            force,
            "*",
            {"owner": owner, "at": "z", "stance": stance, "began": "z" if began else "y", "path": ["z"]},
        )
        for kind, n in units.items():
            state.put(
                "units",
                f"{owner}.{kind}@z[force={force}]",
                "*",
                {"owner": owner, "kind": kind, "place": "z", "n": n, "force": force},
            )
    return Turn(rules(), state, ScriptedDice(dice))


PATROL = ("aggressive", {"big": 1, "fast": 3, "plane": 1}, True)
CONVOY = ("defensive", {"hold": 3}, True)
GUARD = ("defensive", {"fast": 2}, True)


@pytest.mark.parametrize(
    ("seeker", "foe", "chance"),
    [(PATROL, CONVOY, "0.93"), (PATROL, GUARD, "0.72217"), (GUARD, PATROL, "0.51")],
)
def test_the_chance_that_a_force_finds_another(
    seeker: tuple[str, dict[str, int], bool], foe: tuple[str, dict[str, int], bool], chance: str
) -> None:
    turn = fleet({"red#1": seeker, "blue#1": foe}, [])
    found = contact.chance_of(SIGHTING, contact.values(turn, SIGHTING, "red#1", "blue#1"))
    assert found == Fraction(chance)


def test_one_success_is_a_contact_for_both_and_only_the_aggressive_look() -> None:
    turn = fleet({"red#1": PATROL, "blue#1": GUARD}, [9, 9, 9, 3, 9])
    detect.run({"detection": ["sighting"]}, turn)
    (contact,) = turn.state.table("contacts").values()
    assert (contact["pair"], contact["by"], contact["place"]) == (["blue#1", "red#1"], ["red#1"], "z")


def test_those_who_may_share_no_place_look_for_each_other_without_war() -> None:
    for share, contacts in (("never", 1), ("always", 0)):
        turn = fleet({"red#1": PATROL, "blue#1": GUARD}, [9, 9, 9, 3, 9] if contacts else [])
        turn.ruleset.forms["stances"]["feud"] = {"id": "feud", "enter": "fight", "share": share}
        turn.state.put("relations", "blue--red", "*", {"stance": "feud"})
        detect.run({"detection": ["sighting"]}, turn)
        assert len(turn.state.table("contacts")) == contacts


def test_without_success_there_is_no_contact_and_an_old_one_is_over() -> None:
    turn = fleet({"red#1": PATROL, "blue#1": GUARD}, [1, 9, 9, 9, 9, 10, 10, 10, 10, 10])
    detect.run({"detection": ["sighting"]}, turn)
    assert turn.state.table("contacts")
    detect.run({"detection": ["sighting"]}, turn)
    assert not turn.state.table("contacts")


def test_forces_that_were_together_at_the_start_roll_only_the_lower_chance_the_first_time() -> None:
    hunters = {"red#1": ("aggressive", {"fast": 3}, True), "blue#1": ("aggressive", {"big": 1}, True)}
    turn = fleet(hunters, [10], began=True)  # only the one ship of blue rolls
    detect.run({"detection": ["sighting"]}, turn)
    turn.dice = ScriptedDice([10, 10, 10, 10])  # then each for itself
    detect.run({"detection": ["sighting"]}, turn)
    assert not turn.state.table("contacts")


def watch(units: dict[str, dict[str, int]], wall: bool, dice: list[int]) -> Turn:
    state = State({"game": {"game": {"turn": 1}}})
    for pair in ("blue--red", "blue--rose"):
        state.put("relations", pair, "*", {"stance": "war"})
    if wall:
        state.put("links", "a--c", "works@c", "wall")
    for where, kinds in units.items():
        owner, place = where.split()
        for kind, n in kinds.items():
            state.put(
                "units",
                f"{owner}.{kind}@{place}",
                "*",
                {"owner": owner, "kind": kind, "place": place, "n": n},
            )
    return Turn(rules(), state, ScriptedDice(dice))


@pytest.mark.parametrize(
    ("units", "wall", "percent"),
    [
        ({"red a": {"foot": 4}}, False, 34),
        ({"red a": {"foot": 3}}, False, 27),
        ({"red a": {"foot": 4}, "rose b": {"foot": 3}}, False, 52),
        ({"red a": {"foot": 4}, "red b": {"foot": 3}}, True, 39),
        ({"red a": {"foot": 4}, "red b": {"foot": 2, "gun": 1}}, False, 47),
    ],
)
def test_the_published_percentages(units: dict[str, dict[str, int]], wall: bool, percent: int) -> None:
    turn = watch({**units, "blue c": {"foot": 2}}, wall, [])
    assert scouting.chance(turn, LOOK, ("red", "rose"), "c")[0] == percent


def test_seen_is_known_exactly_and_a_miss_shows_a_smaller_number() -> None:
    turn = watch({"red a": {"foot": 4}, "blue c": {"foot": 2, "gun": 1}}, False, [34, 50, 2])
    scouting.look(turn, LOOK, ("red", "rose"), "c")
    assert turn.state.get("knowledge", "red", "units:c") == {
        "as": "exact",
        "units": {"foot": 2, "gun": 1},
        "n": 3,
        "since": 1,
    }
    scouting.look(turn, LOOK, ("red", "rose"), "c")
    assert turn.state.get("knowledge", "rose", "units:c") == {"as": "number", "n": 1, "since": 1}
    assert turn.state.get("knowledge", "blue", "units:c") is None


def test_both_parties_look_and_nobody_looks_at_friends() -> None:
    turn = watch({"red a": {"foot": 1}, "rose b": {"foot": 1}, "blue c": {"foot": 1}}, False, [100, 100, 100])
    detect.run({"detection": ["look"]}, turn)
    looked = [(e.subject, e.data["chance"]) for e in turn.journal.entries]
    assert looked == [("blue:a", 10), ("blue:b", 10), ("red:c", 19)]


# ---- looking on order

PROBE: Row = {
    "id": "probe", "pairs": "next_to", "value": "eye", "reach": {"walker": "step"}, "die": "1d100", "gives": "know", "know": "units",
    "fire": [{"who": "unit.kind == 'foot'", "at": "walker", "at_most": 1, "lose": "cost"}], "sets": {"busy": True},
}  # fmt: skip


def probe(orders: list[Row], dice: list[int]) -> Turn:
    turn = watch({"red a": {"foot": 3, "horse": 2, "ship": 1}, "blue c": {"foot": 2, "gun": 1}}, False, dice)
    forms = {k: dict(v) for k, v in turn.ruleset.forms.items()}
    forms["units"] |= {
        "foot": {"id": "foot", "tags": ["walker"], "eye": 50, "cost": 2}, "horse": {"id": "horse", "tags": ["walker"], "eye": 80, "cost": 1},
        "ship": {"id": "ship", "tags": [], "eye": 10}, "gun": {"id": "gun", "tags": []},
    }  # fmt: skip
    forms["fields"] = {f: {"id": f, "of": ["unit"], "type": "number", "default": 0} for f in ("eye", "cost")}
    forms["movement"] = {"step": {"id": "step", "links": ["land"], "steps": 1}}
    forms["detection"] = {"probe": PROBE}
    forms["orders"] = {
        "look": {"id": "look", "syntax": "look", "step": "s", "does": "probe", "options": ["first"]}
    }
    state = turn.state
    for number, slots in enumerate(orders, 1):
        state.put(
            "orders",
            f"red/{number:04d}",
            "*",
            {"nation": "red", "order": "orders/look", "slots": slots, "text": "look"},
        )
    return Turn(Ruleset("t", "T", forms), state, ScriptedDice(dice))


def test_lookers_draw_fire_first_and_those_who_are_left_look_together() -> None:
    turn = probe([{"units": {"foot": 1, "horse": 2}, "origin": "a", "target": "c"}], [1, 10, 90])
    detect.run({"detection": ["probe"]}, turn)
    assert turn.state.get("knowledge", "red", "units:c", {})["units"] == {
        "foot": 2,
        "gun": 1,
    }  # 1 - 0.5 * 0.2 is 90 %
    assert {k: r["n"] for k, r in turn.state.stacks(at="a")} == {
        "red.foot@a": 2, "red.foot@a[busy=True,moved=True]": 1, "red.horse@a[busy=True,moved=True]": 1, "red.ship@a": 1,
    }  # fmt: skip


def test_a_look_may_fail_and_teaches_nothing() -> None:
    turn = probe([{"units": {"foot": 1}, "origin": "a", "target": "c"}], [2, 2, 51])
    detect.run({"detection": ["probe"]}, turn)
    assert not turn.state.table("knowledge")


def test_nobody_looks_further_than_it_reaches_or_twice() -> None:
    orders = [
        {"units": {"ship": 1}, "origin": "a", "target": "c"},
        {"units": {"foot": 2}, "origin": "a", "target": "b"},
        {"units": {"horse": 2}, "origin": "a", "target": "c"},
        {"units": {"horse": 1}, "origin": "a", "target": "c"},
    ]
    turn = probe(orders, [10, 10, 1])
    detect.run({"detection": ["probe"]}, turn)
    refused = [e.data["refused"] for e in turn.journal.entries if "refused" in e.data]
    assert refused == [
        "ship looks only where it is",
        "a and b are 2 moves apart; these units move 1",
        "not that many units free to go in a: others are under other orders, or cannot leave",
    ]


def test_an_escort_that_was_missed_looks_for_whoever_found_its_charge() -> None:
    row: Row = {**SIGHTING, "id": "interception", "by": "force.mission == 'guard' and not force.contacted and force.charge and force.charge.contacted",
                "of": "foe.contacted and foe.stance == 'aggressive'"}  # fmt: skip

    def meet(dice: list[int]) -> list[list[str]]:
        turn = fleet({"red#1": ("aggressive", {"fast": 1}, True), "blue#1": CONVOY, "blue#2": GUARD}, dice)
        turn.ruleset.forms["detection"]["interception"] = row  # type: ignore[index]
        turn.state.put("forces", "blue#2", "mission", "guard")
        turn.state.put("forces", "blue#2", "charge", "blue#1")
        detect.run({"detection": ["sighting", "interception"]}, turn)
        return sorted(c["by"] for c in turn.state.table("contacts").values())

    assert meet([5, 10, 3, 10]) == [
        ["blue#2"],
        ["red#1"],
    ]  # the convoy is found, the guard missed; the guard finds the finder
    assert meet([5, 3]) == [["red#1"], ["red#1"]]  # the guard was found itself
    assert meet([6, 10]) == []


def test_one_foe_is_the_largest_or_among_those_that_the_order_names() -> None:
    row: Row = {
        "id": "sighting",
        "pairs": "same_place",
        "by": "force.mission == 'wait'",
        "certain": "True",
        "one": True,
        "targets_only": "if_named",
        "gives": "battle",
    }

    def caught(targets: list[str]) -> list[list[str]]:
        turn = fleet(
            {"blue#1": GUARD, "red#1": PATROL, "red#2": GUARD, "rose#1": ("defensive", {"hold": 9}, True)}, []
        )
        turn.ruleset.forms["detection"]["sighting"] = row  # type: ignore[index]
        turn.state.put("forces", "blue#1", "mission", "wait")
        turn.state.put("forces", "blue#1", "targets", targets)
        detect.run({"detection": ["sighting"]}, turn)
        return [c["pair"] for c in turn.state.table("contacts").values()]

    assert caught([]) == [["blue#1", "rose#1"]]
    assert caught(["red"]) == [["blue#1", "red#1"]]
    assert caught(["green"]) == []
