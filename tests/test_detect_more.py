"""Looking with help, works that watch alone, empty places, findings told to a side, and slipping away: on small made-up rules."""

from __future__ import annotations

from wteaw.battle import detect
from wteaw.core.model import Row, Ruleset
from wteaw.turn.context import Turn
from wteaw.units import closing
from wteaw.units import passive_recon as scouting

from .test_detect import LOOK, PROBE, SIGHTING, fleet, probe, watch

LINKED = {"id": "y--z", "between": ["y", "z"], "kind": "sea"}


def with_contacts(turn: Turn, *rows: Row, **forms: dict[str, Row]) -> Turn:
    """The same position under rules that know these contacts (and further forms) instead."""
    new = {**turn.ruleset.forms, **forms, "detection": {r["id"]: r for r in rows}}
    return Turn(Ruleset("t", "T", new), turn.state, turn.dice)


def test_works_watch_over_their_border_while_nobody_is_beside_them() -> None:
    row = {**LOOK, "alone": "=5 if link.own_works == 'wall' else 0"}
    turn = with_contacts(watch({"blue c": {"foot": 2}}, False, []), row)
    turn.state.put("links", "a--c", "works@a", "wall")
    turn.state.put("places", "a", "holder", "red")
    assert scouting.chance(turn, row, ("red", "rose"), "c")[0] == 5
    turn.state.put("units", "rose.gun@a", "*", {"owner": "rose", "kind": "gun", "place": "a", "n": 1})
    assert scouting.chance(turn, row, ("red", "rose"), "c")[0] == 0


def test_empty_places_of_enemies_are_looked_at_like_others() -> None:
    row = {**LOOK, "empty": True}
    turn = with_contacts(watch({"red a": {"foot": 4}}, False, [34, 35]), row)
    turn.state.put("places", "c", "holder", "blue")
    detect.run({"detection": ["look"]}, turn)
    assert turn.state.get("knowledge", "red", "units:c") == {"as": "exact", "units": {}, "n": 0, "since": 1}
    detect.run({"detection": ["look"]}, turn)
    assert turn.state.get("knowledge", "red", "units:c") == {"as": "number", "n": 0, "since": 1}


def test_what_orders_have_found_is_told_later_and_to_the_side() -> None:
    tell: Row = {
        "id": "tell",
        "pairs": "next_to",
        "gives": "know",
        "from": "found",
        "know": "units",
        "shared": True,
    }
    start = probe([{"units": {"horse": 2}, "origin": "a", "target": "c"}], [9, 9, 1])
    turn = with_contacts(start, {**PROBE, "know": "found"}, tell)
    detect.run({"detection": ["probe"]}, turn)
    assert turn.state.get("knowledge", "red", "units:c") is None
    turn.state.put("knowledge", "rose", "units:c", {"as": "exact", "units": {"foot": 9}, "n": 9, "since": 1})
    detect.run({"detection": ["tell"]}, turn)
    assert turn.state.get("knowledge", "red", "units:c", {})["units"] == {"foot": 2, "gun": 1}
    assert turn.state.get("knowledge", "rose", "units:c", {})["units"] == {
        "foot": 9
    }  # seen with own eyes since
    assert turn.state.get("knowledge", "red", "found:c") is None


def test_hits_are_taken_in_the_order_of_the_owner_and_marks_end_with_the_moves() -> None:
    row = {**PROBE, "options": {"order": "first"}}
    orders = [{"units": {"foot": 1, "horse": 1}, "origin": "a", "target": "c"}]
    turn = with_contacts(probe(orders, [1, 10, 51]), row)
    turn.state.put("orders", "red/0001", "options", {"first": "foot"})
    detect.run({"detection": ["probe"]}, turn)
    fire, seen = [e for e in turn.journal.entries if e.rule == "detection/probe"]
    assert (fire.data["lost"], fire.audience) == ({"foot": 1}, ("blue", "red"))
    assert (seen.data["chance"], seen.data["seen"]) == (80, True)
    assert [k for k, _ in turn.state.stacks(at="a") if "busy" in k] == ["red.horse@a[busy=True,moved=True]"]
    closing.forget(turn)
    assert not any("busy" in k for k, _ in turn.state.stacks(at="a"))


def test_friends_outside_the_force_help_to_see_and_to_hide() -> None:
    row = {**SIGHTING, "aid": "watches"}

    def found(owner: str, dice: list[int]) -> bool:
        turn = fleet(
            {"red#1": ("aggressive", {"big": 1}, True), "blue#1": ("defensive", {"hold": 1}, True)}, dice
        )
        turn = with_contacts(turn, row)
        stack = {"owner": owner, "kind": "plane", "place": "a", "n": 1, "watches": "z"}
        turn.state.put("units", f"{owner}.plane@a[watches=z]", "*", stack)
        detect.run({"detection": ["sighting"]}, turn)
        return bool(turn.state.table("contacts"))

    assert found("red", [4, 2])  # the plane sees what the ship does not
    assert not found("blue", [3])  # 3 less 1: the plane of the other side covers its friends


def test_who_is_warned_slips_away_once_to_the_place_that_his_order_names() -> None:
    flee: Row = {
        "id": "flee",
        "pairs": "same_place",
        "value": "sight",
        "die": "1d10",
        "gives": "refuge",
        "refuge": "place.open",
    }

    def at(open_: bool, dice: list[int], times: int = 1) -> tuple[str, bool]:
        turn = fleet(
            {"red#1": ("defensive", {"big": 1}, True), "blue#1": ("aggressive", {"fast": 1}, True)}, dice
        )
        forms: dict[str, dict[str, Row]] = {
            "places": {p: {"id": p, "kind": "sea", "open": open_} for p in ("y", "z")},
            "links": {"y--z": LINKED},
            "fields": {
                **turn.ruleset.forms["fields"],
                "open": {"id": "open", "of": ["place"], "type": "truth", "default": False},
            },
            "movement": {"swim": {"id": "swim", "links": ["sea"]}},
            "order_options": {"away": {"id": "away", "syntax": "away to {place}", "gives": "refuge"}},
        }
        turn = with_contacts(turn, flee, **forms)
        turn.state.put("forces", "red#1", "options", {"away": "y"})
        turn.state.put("forces", "red#1", "mode", "swim")
        for _ in range(times):
            detect.run({"detection": ["flee"]}, turn)
        return str(turn.state.get("forces", "red#1", "at")), bool(
            turn.state.get("forces", "red#1", "stopped")
        )

    assert at(True, [3]) == ("y", True)
    assert at(True, [4], times=2) == ("z", False)  # one roll for each that comes, and no second one
    assert at(False, [3]) == ("z", False)
