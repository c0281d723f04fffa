"""Technologies: rows, what they do to figures, and research by dice."""

from __future__ import annotations

import json
from typing import Any

from .conditions import tech_named
from .draft import Row, RulesetDraft
from .game import Attachment, Option

__all__ = ["technology"]

USUAL_COST = 5
ELSE = "technology"


def technology(draft: RulesetDraft, players: list[str]) -> bool:
    """Rows of the technologies that somebody can research or has; whether they research it."""
    game = draft.game
    if not game.technologies or not (players or _asked_for(draft)):
        return False
    category: dict[str, str] = {}
    for mine in game.categories.values():
        for name, techs in mine.items():
            for tech in techs:
                category.setdefault(tech, draft.id("tech categories", name))
    for name in game.technologies:
        draft.row(
            "technology",
            "technologies",
            {
                "id": draft.id("technologies", name),
                "name": name[:120],
                "category": category.get(name, draft.id("tech categories", ELSE)),
                "levels": 1,
            },
        )
    _abilities(draft)
    starting = _held(draft)
    for player, techs in starting.items():
        draft.scenario.setdefault("nations", {}).setdefault(draft.nation(player), {})["techs"] = (
            dict.fromkeys(techs, 1)
        )
    if not players:
        return False
    draft.features["tech"] = {
        "categories": json.dumps(
            list(dict.fromkeys(row["category"] for row in draft.rows["technology"]["technologies"]))
        ),
        "players": json.dumps([draft.nation(p) for p in players]),
        "cost": _cost(draft),
    }
    return True


def _asked_for(draft: RulesetDraft) -> bool:
    """Whether somebody has a technology, gets one, or a condition asks for one, though nobody researches."""
    game = draft.game
    return bool(_held(draft)) or any(
        next(a.all("tech"), None) or next(a.all("techs"), None) for a in game.attachments
    )


def _cost(draft: RulesetDraft) -> int:
    for attachment in draft.of("TechAttachment"):
        if (text := attachment.get("techCost")).isdecimal() and int(text):
            return int(text)
    return USUAL_COST


def _held(draft: RulesetDraft) -> dict[str, list[str]]:
    """Technologies in force when play begins, by player."""
    found: dict[str, list[str]] = {}
    for attachment in draft.of("TechAttachment"):
        for option in attachment.options:
            name = tech_named(draft, option.name)
            if option.value.lower() == "true" and name is not None and attachment.to in draft.game.players:
                found.setdefault(attachment.to, []).append(draft.id("technologies", name))
    return found


def _abilities(draft: RulesetDraft) -> None:
    """Adjusts by what is attached to a technology, else by what its kind is known to do."""
    game = draft.game
    attached = {a.to: a for a in game.of("TechAbilityAttachment")}
    for name, (kind, line) in game.technologies.items():
        attachment = attached.get(name) or attached.get(kind)
        if attachment is not None:
            for option in attachment.options:
                _ability(draft, name, attachment, option)
            continue
        draft.line = line
        for known in draft.words["known_technologies"].get(kind, ()):
            _known(draft, name, known)
        words = draft.words["known_technologies"]
        told = kind == name or kind in draft.words["technology_names"]
        if kind not in words and told and not _in_triggers(draft, name):
            draft.leave(line, f"the technology {name}: nothing says what it does")


def _known(draft: RulesetDraft, tech: str, known: Row) -> None:
    """What a technology does by its kind, if the properties of the game and its units are of that sort."""
    if known.get("if", "") not in {"", *draft.asked} or known.get("unless") in draft.asked:
        return
    add = known.get("add", 0) + (draft.number_of(known["number"]) if "number" in known else 0)
    if known["of"] == "income":
        _bonds(draft, tech, add, draft.game.dice)
    elif known["of"] == "rockets":
        _rockets(draft, tech, "distance", add)
    elif add and known["tag"] in draft.tags:
        if "least" in known:
            _capacity(draft, tech, known["tag"], f"tag='{known['tag']}'", add, known["least"])
        else:
            _adjust(draft, tech, known["of"], known["tag"], add)


def _in_triggers(draft: RulesetDraft, name: str) -> bool:
    """Whether a condition asks for it: then it does what depends on that."""
    return any(name in option.parts for a in draft.game.of("RulesAttachment") for option in a.all("techs"))


def _adjust(draft: RulesetDraft, tech: str, of: str, who: Any, add: int) -> None:
    id_ = draft.id("technologies", tech)
    row: Row = {
        "id": draft.fresh("modifiers", f"{tech} {of} {who}"),
        "of": of,
        "for": who,
        "when": f"knows(self, '{id_}')",
        "add": add,
        "label": tech[:40],
    }
    draft.row("technology", "modifiers", row)


def _ability(draft: RulesetDraft, tech: str, attachment: Attachment, option: Option) -> None:
    entry = draft.meaning("technologies", attachment, option)
    if entry is None:
        return
    if "modifiers" in entry:
        parts = option.parts
        if len(parts) != 2 or not parts[0].lstrip("-").isdigit() or parts[1] not in draft.game.units:
            draft.leave_option(attachment, option, "a number and a unit are expected")
        elif int(parts[0]):
            _adjust(draft, tech, entry["modifiers"], draft.unit(parts[1]), int(parts[0]))
    elif "capacity" in entry:
        parts = option.parts
        least = attachment.get("minimumTerritoryValueForProductionBonus", "0")
        if (
            len(parts) != 2
            or not parts[0].lstrip("-").isdigit()
            or parts[1] not in draft.game.units
            or not least.isdecimal()
        ):
            draft.leave_option(attachment, option, "a number and a unit are expected")
            return
        _capacity(draft, tech, parts[1], f"kind='{draft.unit(parts[1])}'", int(parts[0]), int(least))
    elif "bonds" in entry:
        sides = attachment.get("warBondDiceSides", str(draft.game.dice))
        if option.value.isdecimal() and int(option.value) and sides.isdecimal() and int(sides) > 0:
            _bonds(draft, tech, int(option.value), int(sides))
    elif "rockets" in entry:
        n, *units = option.parts
        if not n.isdecimal() or any(unit not in draft.tags.get("rocket", ()) for unit in units):
            draft.leave_option(
                attachment, option, "a number, and a unit that is a rocket where one is named, are expected"
            )
        else:
            _rockets(draft, tech, entry["rockets"], int(n))
    else:
        draft.leave_option(attachment, option)


def _capacity(draft: RulesetDraft, tech: str, unit: str, which: str, add: int, least: int) -> None:
    """More units can be placed where such a unit stands and the territory brings enough."""
    test = (
        f"knows(self, '{draft.id('technologies', tech)}') and place.production >= {least} and "
        f"any(units(at=place, {which}))"
    )
    draft.row(
        "technology",
        "modifiers",
        {
            "id": draft.fresh("modifiers", f"{tech} capacity {unit}"),
            "of": "capacity",
            "when": test,
            "add": add,
            "label": tech[:40],
        },
    )


def _rockets(draft: RulesetDraft, tech: str, what: str, n: int) -> None:
    """How far rockets go who know a technology; how many dice one rolls, and how many strike one place, in
    games of any.
    """
    found = draft.features.setdefault("rockets", {"distance": {}, "dice": 1, "most": 1})
    if what == "distance":
        found["distance"][draft.id("technologies", tech)] = n
    else:
        found[what] = n


def _bonds(draft: RulesetDraft, tech: str, dice: int, sides: int) -> None:
    """Dice of money at the end of every turn."""
    draft.row(
        "technology",
        "events",
        {
            "id": draft.fresh("events", f"{tech} bonds"),
            "title": tech[:100],
            "on": {"step": draft.watch("after:income")},
            "when": f"has_capital(self) and knows(self, '{draft.id('technologies', tech)}')",
            "effects": [{"pay": {"to": "=self", "what": draft.money, "amount": f"{dice}d{sides}"}}],
            "audience": "everyone",
            "says": "{self} sells " + tech[:60] + ".",
        },
    )
