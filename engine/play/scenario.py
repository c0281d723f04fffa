"""A scenario to the first state: everything that is position and not rule.

`initial_state` is pure; reading and checking the file is the ruleset loader's. What the state does not hold
is as the ruleset's rows say, so a scenario states only what differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..core.state import State, pair_key, unit_key, works_on
from ..world.piles import at_the_start

_NATION_KEYS = {"treasury", "techs", "tracks", "note", "source", "out"}


class ScenarioError(ValueError):
    """A scenario that names something its ruleset does not have; the loader reports these at their places."""


def initial_state(ruleset: Ruleset, scenario: Mapping[str, Any]) -> State:
    """The state before the first turn.

    `game.turn` is one less than the first turn, which begins when the referee starts.
    """
    tables: dict[str, dict[str, dict[str, Any]]] = {}

    def put(table: str, id_: str, field: str, value: Any) -> None:
        tables.setdefault(table, {}).setdefault(id_, {})[field] = value

    start = scenario.get("start", {})
    put("game", "game", "turn", int(start.get("turn", 1)) - 1)
    put("game", "game", "scenario", scenario.get("id", ""))
    for key in ("season", "date"):
        if key in start:
            put("game", "game", key, start[key])
    for id_, value in scenario.get("options", {}).items():
        put("options", "options", id_, value)
    for owner, piles in at_the_start(ruleset).items():
        for pile, cards in piles.items():
            put("piles", owner, pile, cards)
    _nations(ruleset, scenario, put)
    _relations(ruleset, scenario, put)
    for place, holder in scenario.get("holders", {}).items():
        put("places", place, "holder", holder or "")
    for row in scenario.get("units", ()):
        _units(row, put, tables)
    for row in scenario.get("works", ()):
        for facing in _list(row["facing"]):
            put("links", pair_key(row["place"], facing), works_on(row["place"]), row["works"])
    for place, amounts in scenario.get("treasuries", {}).items():
        for what, amount in amounts.items():
            put("treasuries", place, what, amount)
    for row in scenario.get("flags", ()):
        _mark(ruleset, row, put)
    for number, row in enumerate(scenario.get("under_way", ()), 1):
        nation = row.get("for", "")
        kept = {k: v for k, v in row.items() if k not in ("for", "note", "source")}
        for field, value in {"nation": nation, "since": 0, "n": 1, **kept}.items():
            put("under_way", f"{nation}#{number:04d}", field, value)
    for table, rows in scenario.get("fields", {}).items():
        for id_, fields in rows.items():
            for field, value in fields.items():
                put(table, id_, field, value)
    return State(tables)


def _nations(ruleset: Ruleset, scenario: Mapping[str, Any], put: Any) -> None:
    seat = scenario.get("seats", {}).get("default")
    policy = scenario.get("seats", {}).get("policy")
    for nation in ruleset.rows("nations"):
        row = scenario.get("nations", {}).get(nation, {})
        if row.get("out"):
            put("nations", nation, "alive", False)
            for place, facts in ruleset.rows("places").items():
                if facts.get("owner") == nation:
                    put("places", place, "owner", "")
            continue
        if seat and "seat" not in row and not ruleset.row("nations", nation).get("seat"):
            put("nations", nation, "seat", seat)
        if policy and "policy" not in row:
            put("nations", nation, "policy", policy)
    for nation, row in scenario.get("nations", {}).items():
        for field, value in row.items():
            if field not in _NATION_KEYS:
                put("nations", nation, field, value if value is not None else "")
        for seat_place, amounts in row.get("treasury", {}).items():
            key = nation if seat_place == "nation" else f"{nation}/{seat_place}"
            for what, amount in amounts.items():
                put("treasuries", key, what, amount)
        for tech, level in row.get("techs", {}).items():
            put("techs", nation, tech, level)
        for track, value in row.get("tracks", {}).items():
            if value:
                put("tracks", nation, track, value)


def parties(ruleset: Ruleset, scenario: Mapping[str, Any], who: Any) -> list[str]:
    """The nations that a party of a scenario stands for: a nation, a side's members, a group's members, or a
    list of such.
    """
    out: list[str] = []
    for item in _list(who):
        if ruleset.has("sides", item):
            for nation, row in ruleset.rows("nations").items():
                if scenario.get("nations", {}).get(nation, {}).get("side", row.get("side")) == item:
                    out.append(nation)
        elif ruleset.has("groups", item):
            out.extend(ruleset.row("groups", item)["members"])
        elif ruleset.has("nations", item) or item in scenario.get("nations", {}):
            out.append(item)
        else:
            raise ScenarioError(f"no nation, side or group {item!r}")
    return list(dict.fromkeys(out))


def _relations(ruleset: Ruleset, scenario: Mapping[str, Any], put: Any) -> None:
    for row in scenario.get("relations", ()):
        hostile = ruleset.row_or_empty("stances", row["stance"]).get("hostile")
        for a in parties(ruleset, scenario, row["a"]):
            for b in parties(ruleset, scenario, row["b"]):
                if a == b:
                    continue
                put("relations", pair_key(a, b), "stance", row["stance"])
                put("relations", pair_key(a, b), "since", 0)
                if hostile:
                    war = {"kind": row.get("war", ""), "parties": sorted((a, b)), "since": 0, "by": a}
                    for field, value in war.items():
                        put("wars", pair_key(a, b), field, value)


def _units(row: Row, put: Any, tables: Mapping[str, Any]) -> None:
    extra = dict(row.get("with", {}))
    place = row.get("at")
    for kind, n in row["units"].items():
        if not n:
            continue
        if place is None:
            number = len(tables.get("under_way", {})) + 1
            in_hand = {"nation": row["owner"], "what": kind, "n": n, "due": "hand", "since": 0}
            for field, value in in_hand.items():
                put("under_way", f"{row['owner']}#{number:04d}", field, value)
            continue
        if row.get("deploy") == "chosen":
            number = len(tables.get("chosen", {})) + 1
            for field, value in {"owner": row["owner"], "kind": kind, "place": place, "n": n}.items():
                put("chosen", f"{row['owner']}#{number:04d}", field, value)
        key = unit_key(row["owner"], kind, place, extra)
        now = tables.get("units", {}).get(key, {}).get("n", 0)
        for field, value in {
            "owner": row["owner"],
            "kind": kind,
            "place": place,
            **extra,
            "n": now + n,
        }.items():
            put("units", key, field, value)


def _mark(ruleset: Ruleset, row: Row, put: Any) -> None:
    who = row["who"]
    kind = next(
        (
            k
            for k, f in (("nation", "nations"), ("side", "sides"), ("place", "places"))
            if ruleset.has(f, who)
        ),
        "nation",
    )
    value: dict[str, Any] = {"since": 0}
    if "until" in row:
        value["until"] = row["until"]
    if "seen_by" in row:
        value["seen_by"] = _list(row["seen_by"])
    put("flags", f"{kind}:{who}", row["as"], value)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
