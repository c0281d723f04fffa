"""The rules that all imported games share (`templates/triplea/rules`), filled in with what a game has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from wteaw.core.package_data import templates

from .draft import Row, RulesetDraft
from .purchases import convoys_raided
from .words import FOLDER

__all__ = ["flow", "rules"]


GUNS = ("flak", "raid-flak", "passing-flak")
"""Tags of anti-aircraft guns: in battles, at raiders, at those who pass."""


DIGITS = re.compile(r"[-+]?[0-9][0-9_.:eE+-]*")


def flow(row: Any) -> str:
    """A value as YAML on one line."""
    import yaml

    text: str = yaml.dump(
        row,
        Dumper=_dumper(),
        default_flow_style=True,
        sort_keys=False,
        width=10_000_000,
        allow_unicode=True,
    )
    return text.removesuffix("...\n").strip()


@cache
def _dumper() -> Any:
    """YAML's own, but a text of digits is quoted whatever it begins with: `0119` is no number to its writer,
    and one to the reader of rulesets.
    """
    import yaml

    class Dumper(yaml.CSafeDumper):
        pass

    def text(dumper: Any, value: str) -> Any:
        style = "'" if DIGITS.fullmatch(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper


def rules(
    draft: RulesetDraft, acts: list[str], objectives: list[str], pairs: list[Row], by_dice: bool, main: str
) -> dict[str, str]:
    """File name to text of the shared tables."""
    folder = templates() / FOLDER / "rules"
    environment = _environment(folder)
    context = _context(draft, acts, objectives, pairs, by_dice, main)
    return {
        path.name.removesuffix(".j2"): environment.get_template(path.name).render(context)
        for path in sorted(Path(folder).glob("*.j2"))
    }


@cache
def _environment(folder: Path) -> Any:
    """The shared tables to be filled in, each read and compiled once for all games that are imported."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )


def _context(
    draft: RulesetDraft, acts: list[str], objectives: list[str], pairs: list[Row], by_dice: bool, main: str
) -> dict[str, Any]:
    game, words, features = draft.game, draft.words, draft.features
    units = {row["id"]: row for row in draft.rows["units"]["units"]}
    flags = draft.asked
    options = {
        entry["option"]: game.truth(name) for name, entry in words["properties"].items() if "option" in entry
    }

    def has(tag: str) -> bool:
        return tag in draft.tags

    def tagged(tag: str) -> str:
        """Whether a unit has a tag, as an expression; no ruleset may ask for a tag that none of its units
        has.
        """
        return f"'{tag}' in unit.tags" if has(tag) else "False"

    rolls = any(row.get("attack_rolls", 1) != 1 or row.get("defence_rolls", 1) != 1 for row in units.values())
    modifiers = chain.from_iterable(file.get("modifiers", ()) for file in draft.rows.values())
    rolls = rolls or any(row["of"].endswith("-rolls") for row in modifiers)
    closed = (["place.impassable"] if features["impassable"] else []) + features.get("bars_enter", [])
    placed = "sum(units(at=place, tag='producer'), 'produces_here')" if has("producer") else "0"
    everywhere = not ({"limited", "second", "third"} & flags)
    yields = [row["id"] for row in draft.rows.get("income", {}).get("income", ())]
    return {
        "sides": game.dice,
        "has": has,
        "tagged": tagged,
        "flag": flags.__contains__,
        "option": lambda id_: str(options[id_]).lower(),
        "land": features["land"],
        "sea": features["sea"],
        "coast": features["coast"],
        "links": json.dumps(features["links"]),
        "roads": "land" in features["links"],
        "waters": "sea" if "sea" in features["links"] else "coast",
        "pairs": [flow(row) for row in pairs],
        "dice": ", dice: rolls" if rolls else "",
        "rounds": _rounds(draft),
        **_in_the_air(draft, units),
        "closed": " or ".join(closed),
        "no_blitz": " or ".join(features.get("bars_blitz", [])),
        "only": lambda tags: json.dumps([tag for tag in tags if has(tag)]),
        "slips": " or ".join(
            [tagged("slips")] * has("slips") + ["is_sub(unit)"] * (has("sub") and "subs_dive" in flags)
        ),
        "landings": has("lifts") and has("carried") and features["coast"] and features["sea"],
        "capitals": bool(features.get("capitals")),
        "convoys": convoys_raided(draft),
        "convoy_routes": features["convoy_routes"],
        "owned_waters": features["owned_waters"] and has("surface"),
        "apart": features["convoy_routes"] or features["owned_waters"],
        "charge": _charge(draft),
        "nobody": draft.nation(game.nobody),
        "repair_price": _repair_price(draft),
        "mends": bool({"mends_at_end", "mends_at_start"} & flags)
        and any(row.get("hits", 1) > 1 for row in units.values()),
        "waits": True,
        "actions": json.dumps(acts),
        "watched": set(draft.watched),
        "phases": _phases(draft, bool(acts), by_dice),
        "resources": _resources(draft, main),
        "money": main,
        "decks": bool(features.get("decks")),
        "capacity": "999" if everywhere else placed,
        "room_items": json.dumps(features["room_items"]),
        "placement_limits": [flow(row) for row in features.get("placement_limits", ()) if _sold(draft, row)],
        "learned_at": ", at: activation" if "activation" in features["phases"] else "",
        "mix": json.dumps(features["mix"]) if features["mix"] else "",
        "tech": features.get("tech"),
        "income": {"income": json.dumps(yields), "objectives": json.dumps(objectives) if objectives else ""},
    }


def _in_the_air(draft: RulesetDraft, units: Mapping[str, Row]) -> dict[str, Any]:
    """What the tables are told of aircraft: guns against them, raids and rockets on land, decks at sea."""
    tags, flags, features = draft.tags, draft.asked, draft.features
    guns = [units[draft.unit(name)] for tag in GUNS for name in tags.get(tag, ())]
    limited = bool(guns) and all(row.get("flak_shots", -1) >= 0 for row in guns)
    fire_on_passing = "guns_always_fire" in flags or "guns_fire_where_they_are_attacked" not in flags
    targets = "producer" in tags and features["land"]
    raids = "raider" in tags and targets and bool(features["links"])
    rockets = _rockets(draft) if "rocket" in tags and targets else None
    bombers = [units[draft.unit(name)] for name in tags.get("raider", ())]
    return {
        "flak_dice": "=min(count(foe), sum(mine, 'flak_shots'))" if limited else "=count(foe)",
        "passing_flak": "passing-flak" in tags and "air" in tags and fire_on_passing,
        "raids": raids,
        "rockets": rockets,
        "damages": bool(raids or rockets) and "raids_damage_works" in flags,
        "bomb": _bomb(bombers, draft.game.dice),
        "planes_retreat": "air" in tags and "planes_retreat" in flags,
        "new_decks": _decks(draft, units) if "planes_on_new_carriers" in flags else [],
    }


def _decks(draft: RulesetDraft, units: Mapping[str, Row]) -> list[tuple[str, int]]:
    """Each kind of carrier, and how much room for aircraft it has."""
    return [(draft.unit(name), units[draft.unit(name)]["deck"]) for name in draft.tags.get("bearer", ())]


def _charge(draft: RulesetDraft) -> int:
    """What it costs to take neutral land, unless the charge closes it."""
    charge: int = draft.number_of("neutral_charge")
    return charge if 0 < charge < draft.words["properties"]["neutralCharge"]["closed"] else 0


def _bomb(bombers: list[Row], usual: int) -> str:
    """What one bomber does: a die of the most sides that any has, or the usual one, and what is added to
    it.
    """
    sides = max((row["bomb_sides"] for row in bombers if row.get("bomb_sides", -1) >= 0), default=usual)
    bonus = max((row.get("bomb_bonus", 0) for row in bombers), default=0)
    if sides < 2:  # a die of one side is no die
        return str(sides + max(0, bonus))
    return f"1d{sides}{f'+{bonus}' if bonus > 0 else ''}"


def _rockets(draft: RulesetDraft) -> Row | None:
    """How far rockets go, how many strike one place, whether all of a player's are fired in a turn; None if
    nobody has any.
    """
    found = draft.features.get("rockets")
    if found is None or not found["distance"]:
        return None
    reach = " + ".join(f"({n} if knows(self, '{tech}') else 0)" for tech, n in found["distance"].items())
    knows = " or ".join(f"knows(self, '{tech}')" for tech in found["distance"])
    every = "all_rockets" in draft.asked
    return {
        "reach": reach,
        "knows": knows,
        "dice": found["dice"],
        "most": found["most"] if every else 1,
        "all": every,
    }


def _sold(draft: RulesetDraft, room: Row) -> bool:
    return room["for"][0] in {row["id"] for row in draft.rows.get("production", {}).get("production", ())}


def _rounds(draft: RulesetDraft) -> dict[str, int]:
    found = {}
    for name, entry in draft.words["properties"].items():
        if "rounds" in entry:
            text = draft.game.properties.get(name, ("", 0))[0]
            found[entry["rounds"]] = int(text) if text.isdecimal() else 0
    return found


def _repair_price(draft: RulesetDraft) -> int:
    """What a point costs to repair: that of the first repair rule, 1 without any."""
    for rule in draft.game.upkeep_rules.values():
        cost, n = sum(rule.costs.values()), sum(rule.results.values())
        if cost and n and cost % n == 0:
            return cost // n
        draft.leave(rule.line, f"repair rule {rule.name}: {cost} for {n}")
    return 1


def _resources(draft: RulesetDraft, main: str) -> list[Mapping[str, str]]:
    names = list(draft.game.resources) or ["PUs"]
    rows = [{"id": draft.id("resources", name), "name": flow(name), "aliases": ""} for name in names]
    return sorted(rows, key=lambda row: row["id"] != main)


def _phases(draft: RulesetDraft, acts: bool, by_dice: bool) -> list[dict[str, str]]:
    """The phases of a turn that do something, each with its test: who has it in the sequence, and what the
    table asks.
    """
    players = [
        p for p in draft.game.players if any(p in mine for mine in draft.features["has_phase"].values())
    ]
    told = {line["phase"]: line for line in draft.words["turn"]}
    found = []
    for phase in draft.features["phases"]:
        line = told[phase]
        waits = {f"before:{phase}", f"after:{phase}"} & set(draft.watched)
        if not waits and (("act" in line and not acts) or ("tech" in line and not by_dice)):
            continue
        mine = draft.features["has_phase"].get(phase, [])
        tests = [line["when"]] if "when" in line else []
        if mine and set(mine) != set(players):
            players_with = draft.group("nations", map(draft.nation, mine), f"players with {phase}")
            tests.append(f"nation in group('{players_with}')")
        if "tech" in line and by_dice:
            tests.append("option('tech-development')")
        found.append({"id": phase, "name": line["name"], "when": " and ".join(tests)})
    return found
