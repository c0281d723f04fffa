"""Triggers and the actions of players: events at points of a turn, and acts of politics."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, cast

from .conditions import Conditions, stance_test, switch_changes, tech_named
from .draft import COSMETIC, Row, RulesetDraft
from .game import Attachment, GameStep, Option
from .powers import phase_of

__all__ = ["Happenings", "frontier_marks", "marks_set", "otherwise", "rule_marks"]

DEEPEST = 6
UNFILLED = "unit:"
"""Before the name of a unit in an effect that waits for the catalogue."""


class Happenings:
    """Triggers by name, translated where they fire or are set off by others."""

    def __init__(self, draft: RulesetDraft, conditions: Conditions) -> None:
        self.draft, self.conditions = draft, conditions
        self.steps: dict[str, GameStep] = {step.name.lower(): step for step in draft.game.steps}
        self.triggers: dict[str, list[Attachment]] = {}
        for attachment in draft.of("TriggerAttachment"):
            self.triggers.setdefault(attachment.name, []).append(attachment)

    # ---- triggers

    def events(self) -> None:
        for attachment in self.draft.of("TriggerAttachment"):
            if attachment.type != "player":
                self.draft.leave(
                    attachment.line,
                    f"the trigger {attachment.name}, attached to the {attachment.type} {attachment.to}",
                )
                continue
            self.event(attachment)

    def event(self, attachment: Attachment) -> None:
        """One event for each point of the turn at which a trigger does something."""
        draft = self.draft
        by_point: dict[tuple[str, str], list[Row]] = {}
        for option, entry in self.effects_of(attachment):
            points = self.points(attachment, entry)
            effects = self.effect(attachment, option, entry, 0) if points else []
            for point in points if effects else ():
                by_point.setdefault(point, []).extend(effects)
        if not by_point:
            return
        test = self.test(attachment)
        if test is None:
            draft.leave(
                attachment.line,
                f"the trigger {attachment.name} of {attachment.to}: its condition is not understood",
            )
            return
        if test == "False":
            what = "what it waits for is switched off in the file, and nothing switches it on"
            draft.leave(
                attachment.line, f"the trigger {attachment.name} of {attachment.to}: {what}", COSMETIC
            )
            return
        uses = attachment.get("uses", "-1")
        if uses not in ("-1", "1", ""):
            draft.leave(
                attachment.line,
                f"the trigger {attachment.name} of {attachment.to}: it fires every time, not {uses} times",
            )
        done = ""
        if uses == "1" and len(by_point) > 1 and attachment.get("when"):  # at whichever point comes first
            mark = draft.id("marks", f"{attachment.to} {attachment.name} has fired")
            done = f" and not flagged(nation('{draft.nation(attachment.to)}'), '{mark}')"
            over = {"flag": {"who": draft.nation(attachment.to), "as": mark, "seen_by": "nobody"}}
            by_point = {point: [*effects, over] for point, effects in by_point.items()}
        for k, ((player, moment), effects) in enumerate(by_point.items()):
            whose = f"self.id == '{draft.nation(player)}'{done}" + (
                f" and ({test})" if test != "True" else ""
            )
            row: Row = {
                "id": draft.fresh("events", f"{attachment.to} {attachment.name}{f' {k + 1}' if k else ''}"),
                "title": _words(attachment.name),
                "on": {"step": draft.watch(moment)},
                "when": whose,
            }
            if uses == "1" and not done:
                row["once"] = True
            roll = self.roll(attachment)
            if roll:
                row["roll"] = roll
            draft.row("triggers", "events", {**row, "effects": effects, "audience": "everyone"})

    def effects_of(self, attachment: Attachment) -> list[tuple[Option, Row]]:
        found = []
        for option in attachment.options:
            entry = self.draft.words.entry("triggers", option.name)
            if entry is None:
                if not option.says_no:
                    self.draft.leave_option(attachment, option)
            elif "does" in entry:
                found.append((option, entry))
        return found

    def test(self, attachment: Attachment) -> str | None:
        names = []
        for o in (*attachment.all("conditions"), *attachment.all("trigger")):
            for part in o.parts:
                if part:
                    names.append(part)
        return self.conditions.named(
            names,
            attachment.to,
            attachment.line,
            attachment.get("conditionType", "AND"),
            attachment.truth("invert"),
        )

    def points(self, attachment: Attachment, entry: Row) -> list[tuple[str, str]]:
        """In whose turns and at which points of them (`before:purchase`) a trigger fires: often several."""
        if not attachment.get("when"):
            return [(attachment.to, self.existing(entry["at"]))]
        found, never = [], True
        for option in attachment.all("when"):
            side, _, name = option.value.strip().partition(":")
            step = self.steps.get(name.strip().lower())
            if side not in ("before", "after") or step is None:
                continue
            never, phase = False, phase_of(self.draft, step)
            if step.player and phase:
                found.append((step.player, f"{side}:{phase}"))
            else:
                what = f"the step {name} belongs to no player's turn"
                self.draft.leave(option.line, f"the trigger {attachment.name}: {what}")
        if never:
            what = f"there is no step {attachment.get('when')[:60]!r}, so it never fires"
            self.draft.leave(attachment.line, f"the trigger {attachment.name}: {what}", COSMETIC)
        return list(dict.fromkeys(found))

    def existing(self, point: str) -> str:
        """The point itself, or one at the beginning of the turn if there is no such phase."""
        side, _, phase = point.partition(":")
        phases: list[str] = self.draft.features["phases"]
        return point if phase in phases else f"before:{'purchase' if side == 'before' else 'income'}"

    def roll(self, attachment: Attachment) -> Row | None:
        chance = attachment.get("chance")
        m = re.fullmatch("([0-9]{1,4}):([0-9]{1,4})", chance)
        if m and 0 < int(m[1]) < int(m[2]):
            return {"die": f"1d{int(m[2])}", "at_most": int(m[1])}
        if chance and not (m and int(m[1]) >= int(m[2]) > 0):
            self.draft.leave(attachment.line, f"{attachment.kind} {attachment.name}: chance = {chance[:40]}")
        return None

    def players(self, attachment: Attachment) -> list[str]:
        named = [p for o in attachment.all("players") for p in o.parts if p in self.draft.game.players]
        return named or ([attachment.to] if attachment.type == "player" else [])

    # ---- effects

    def effect(self, attachment: Attachment, option: Option, entry: Row, depth: int) -> list[Row]:
        """What an option does; a line in the list, and nothing, if it is not understood."""
        make = {
            "learn": self.learn,
            "place": self.place,
            "remove": self.remove,
            "pay": self.pay,
            "relate": self.relate,
            "own": self.own,
            "win": self.win,
            "alter": self.alter,
            "rules": self.rules,
            "switch": self.switch,
            "hand": self.hand,
            "frontier": self.frontier,
        }.get(entry["does"])
        if entry["does"] == "release":
            return self.release(attachment, option, depth)
        effects = make(attachment, option) if make is not None else None
        if effects is None:
            self.draft.leave_option(attachment, option)
            return []
        return effects

    def learn(self, attachment: Attachment, option: Option) -> list[Row] | None:
        names = [tech_named(self.draft, part) for part in option.parts if part]
        if not names or None in names:
            return None
        return [
            {"learn": {"who": self.draft.nation(p), "tech": self.draft.id("technologies", str(name))}}
            for p, name in product(self.players(attachment), names)
        ]

    def place(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`TERRITORY:UNIT[:UNIT...]`, as many of each as the count says."""
        place, *units = option.parts
        draft = self.draft
        if place not in draft.game.territories or not units or any(u not in draft.game.units for u in units):
            return None
        n = int(option.count) if option.count.isdecimal() else 1
        if not n:
            return []
        at = draft.place_word(place)
        return [
            {"create": {"units": draft.unit(unit), "n": n, "for": draft.nation(p), "at": at}}
            for p, unit in product(self.players(attachment), units)
        ]

    def remove(self, attachment: Attachment, option: Option) -> list[Row] | None:
        place, *units = option.parts
        draft = self.draft
        anywhere = place == "all" and "all" not in draft.game.territories
        if (
            (place not in draft.game.territories and not anywhere)
            or not units
            or any(u not in draft.game.units for u in units)
        ):
            return None
        n: Any = int(option.count) if option.count.isdecimal() else 1
        at = "" if anywhere else f"at=place('{draft.place(place)}'), "
        return [
            {
                "remove": {
                    "units": f"=units({at}kind='{draft.unit(unit)}', owner=nation('{draft.nation(p)}'))",
                    "n": "all" if anywhere else n,
                }
            }
            for p, unit in product(self.players(attachment), units)
        ]

    def pay(self, attachment: Attachment, option: Option) -> list[Row] | None:
        draft, text = self.draft, attachment.get("resourceCount", "1")
        if option.value not in draft.game.resources or not re.fullmatch("-?[0-9]{1,6}", text):
            return None
        n, what = int(text), draft.id("resources", option.value)
        if n >= 0:
            return (
                [
                    {"pay": {"to": draft.nation(p), "what": what, "amount": n}}
                    for p in self.players(attachment)
                ]
                if n
                else []
            )
        return [
            {"pay": {"from": draft.nation(p), "what": what, "amount": -n, "as_far_as": True}}
            for p in self.players(attachment)
        ]

    def relate(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`A:B:FROM:TO` of triggers, `A:B:TO` of actions."""
        parts = option.parts
        if len(parts) == 3:
            parts = [parts[0], parts[1], "any", parts[2]]
        if len(parts) != 4:
            return None
        a, b, before, after = parts
        test = stance_test(self.draft, a, b, before)
        stance = self.stance(after)
        if test is None or stance is None:
            return None
        row: Row = {"relate": {"a": self.draft.nation(a), "b": self.draft.nation(b), "stance": stance}}
        return [row if test == "True" else {**row, "when": test}]

    def stance(self, name: str) -> str | None:
        if name in self.draft.game.stances:
            return self.draft.id("stances", f"{name} relation")
        known = {row["id"] for row in self.draft.rows["players"]["stances"]}
        found = {"default_war": "war", "default_allied": "allied"}.get(name.lower())
        return found if found in known else None

    def own(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`TERRITORY:FROM:TO:CONQUERED`."""
        parts, draft = option.parts, self.draft
        parties = {**draft.game.players, draft.game.nobody: 0}
        if len(parts) < 3 or parts[2] not in parties or parts[0] not in draft.game.territories:
            return None
        if parts[1] not in parties and parts[1] != "any":
            return None
        place = draft.place(parts[0])
        row: Row = {"own": {"places": draft.place_word(parts[0]), "to": draft.nation(parts[2]), "as": "both"}}
        return [
            row
            if parts[1] == "any"
            else {**row, "when": f"place('{place}').holder == nation('{draft.nation(parts[1])}')"}
        ]

    def win(self, attachment: Attachment, option: Option) -> list[Row] | None:
        draft, effects = self.draft, []
        for player in self.players(attachment):
            nation = draft.nation(player)
            side = next(
                (row["side"] for row in draft.rows["players"]["nations"] if row["id"] == nation), None
            )
            effects.append({"flag": {"who": nation, "as": "has-won", "seen_by": "everyone"}})
            wins = draft.features.setdefault("wins", {})
            if nation not in wins:
                wins[nation] = draft.row(
                    "victory",
                    "victory",
                    {
                        "id": draft.fresh("victory", f"{player} by trigger"),
                        "name": f"Victory of {player}"[:120],
                        "kind": "game_end",
                        "wins": side or nation,
                        "when": f"flagged(nation('{nation}'), 'has-won')",
                        "says": f"{player} win.",
                    },
                )
        return effects

    def alter(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """A figure of units that becomes another for the rest of the game."""
        draft = self.draft
        field = draft.words["unit_properties"].get(option.value)
        units = [p for o in attachment.all("unitType") for p in o.parts]
        value = option.count.removeprefix("-reset-")
        if (
            field is None
            or not units
            or any(u not in draft.game.units for u in units)
            or not re.fullmatch("-?[0-9]{1,4}", value)
        ):
            return None
        mark = draft.id("marks", f"{attachment.to} {attachment.name} {option.value}")
        who = draft.nation(attachment.to)
        draft.row(
            "triggers",
            "modifiers",
            {
                "id": draft.fresh("modifiers", mark),
                "of": field,
                "for": [draft.unit(u) for u in units],
                "when": f"flagged(nation('{who}'), '{mark}')",
                "base": int(value),
                "label": _words(attachment.name)[:40],
            },
        )
        return [{"flag": {"who": who, "as": mark, "seen_by": "everyone"}}]

    def rules(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`FRONTIER:[-]RULE`: marks that open or close the rule for all who use the frontier, now or
        later.
        """
        frontier, _, rule = (part.strip() for part in option.value.partition(":"))
        closes, name, game = rule.startswith("-"), rule.removeprefix("-"), self.draft.game
        later = frontier_marks(self.draft)
        players = [p for p in game.players if frontier in (game.buys.get(p), *later.get(p, ()))]
        if name not in game.rules or not players:
            return None
        effects: list[Row] = []
        for player in players:
            marks = rule_marks(self.draft, name, frontier if player in later else "")
            now, before = marks[::-1] if closes else marks
            who = self.draft.nation(player)
            effects += [
                {"flag": {"who": who, "as": now, "seen_by": "everyone"}},
                {"clear": {"who": who, "as": before}},
            ]
        return effects

    def hand(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`UNIT[:UNIT...]`, as many as the count says, in hand; which item of the catalogue that is, is
        filled in later.
        """
        units = option.parts
        if not units or any(u not in self.draft.game.units for u in units):
            return None
        n = int(option.count) if option.count.isdecimal() else 1
        self.draft.features.setdefault("given", set()).update(units)
        if not n:
            return []
        return [
            {"queue": {"what": UNFILLED + unit, "for": self.draft.nation(p), "due": "hand", "n": n}}
            for p, unit in product(self.players(attachment), units)
        ]

    def fill_hands(self) -> None:
        """Units that triggers give are items of the catalogue; those that nobody sells cannot be given."""
        items: dict[str, str] = self.draft.features.get("items", {})
        for forms in self.draft.rows.values():
            for form in ("events", "actions"):
                for row in forms.get(form, ()):
                    kept = []
                    for effect in row.get("effects", ()):
                        unit = str(effect.get("queue", {}).get("what", "")).removeprefix(UNFILLED)
                        if "queue" in effect and unit not in items:
                            what = f"{unit} for the hand: nobody can buy it, so it cannot be given"
                            self.draft.leave(
                                self.draft.lines.get((form, row["id"]), 1), f"{row['id']}: {what}"
                            )
                            continue
                        kept.append(
                            {"queue": {**effect["queue"], "what": items[unit]}, **_test_of(effect)}
                            if "queue" in effect
                            else effect
                        )
                    row["effects"] = kept
                forms[form] = [row for row in forms.get(form, ()) if row["effects"]]
                if not forms[form]:
                    del forms[form]

    def frontier(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """Players buy by another frontier from now on, which a mark says."""
        marks = frontier_marks(self.draft)
        if option.value not in self.draft.game.frontiers:
            return None
        effects: list[Row] = []
        for player in self.players(attachment):
            nation = self.draft.nation(player)
            if option.value == self.draft.game.buys.get(player):
                effects.append({"clear": {"who": nation, "as": otherwise(self.draft)}})
            else:
                for mark in (marks[player][option.value], otherwise(self.draft)):
                    effects.append({"flag": {"who": nation, "as": mark, "seen_by": "everyone"}})
            effects += [
                {"clear": {"who": nation, "as": mark}}
                for name, mark in marks[player].items()
                if name != option.value
            ]
        return effects or None

    def switch(self, attachment: Attachment, option: Option) -> list[Row] | None:
        """`playerProperty`: the switch of a condition is turned, which a mark remembers."""
        effects: list[Row] = []
        if option.value != self.draft.words["switches"]["switch"]:
            return None
        for player, name, on in switch_changes(self.draft, attachment):
            marks = self.conditions.switches[player, name]
            now, before = ("on", "off") if on else ("off", "on")
            effects.append(
                {"flag": {"who": self.draft.nation(player), "as": marks[now], "seen_by": "everyone"}}
            )
            if before in marks:
                effects.append({"clear": {"who": self.draft.nation(player), "as": marks[before]}})
        return effects or None

    def release(self, attachment: Attachment, option: Option, depth: int) -> list[Row]:
        """The effects of other triggers, in place: `NAME:uses:...`."""
        name = option.parts[0]
        among = self.triggers.get(name, ())
        other = next((a for a in among if a.to == attachment.to), among[0] if among else None)
        if other is None or depth >= DEEPEST:
            self.draft.leave_option(
                attachment,
                option,
                "there is no such trigger" if other is None else "triggers set off one another",
            )
            return []
        effects: list[Row] = []
        for inner, entry in self.effects_of(other):
            effects += self.effect(other, inner, entry, depth + 1)
        tested = len(option.parts) > 4 and option.parts[4].lower() == "true"
        test = self.test(other) if tested else "True"
        if test is None:
            self.draft.leave_option(attachment, option, "its condition is not understood")
            return []
        return effects if test == "True" else [_only_if(effect, test) for effect in effects]

    def forget_idle_marks(self) -> None:
        """Nobody clears a mark that nobody sets."""
        known = marks_set(self.draft)
        for forms in self.draft.rows.values():
            for form in ("events", "actions"):
                for row in forms.get(form, ()):
                    row["effects"] = [
                        e for e in row.get("effects", ()) if "clear" not in e or e["clear"]["as"] in known
                    ]

    # ---- actions

    def actions(self) -> list[str]:
        """Acts of politics and of players; the ids of their rows."""
        draft, found = self.draft, []
        for attachment in (
            *draft.game.of("PoliticalActionAttachment"),
            *draft.game.of("UserActionAttachment"),
        ):
            effects: list[Row] = []
            cost, limit = 0, 0
            for option in attachment.options:
                entry = draft.meaning("actions", attachment, option)
                if entry is None:
                    continue
                if "does" in entry:
                    effects += self.effect(attachment, option, entry, 0)
                elif "cost" in entry:
                    cost = _cost(option)
                elif "limit" in entry and option.value.isdecimal():
                    limit = int(option.value)
            test = self.test(attachment)
            if test == "False":
                what = "what it waits for is switched off in the file, and nothing switches it on"
                draft.leave(
                    attachment.line, f"the action {attachment.name} of {attachment.to}: {what}", COSMETIC
                )
                continue
            if not effects or test is None or attachment.type != "player":
                draft.leave(
                    attachment.line,
                    f"the action {attachment.name} of {attachment.to}: nothing of it is understood",
                )
                continue
            words = re.sub("[^a-z0-9 ]+", " ", _words(attachment.name).lower()).split()
            owner = draft.nation(attachment.to)
            row: Row = {
                "id": draft.fresh("actions", f"{attachment.to} {attachment.name}"),
                "name": _words(attachment.name),
                "for": owner,
                "syntax": " ".join(["act", *words]),
                "audience": "everyone",
                "says": "{self}: " + _words(attachment.name) + ".",
                "limit": {max(1, limit): ["nation", "turn"]},
            }
            if test != "True":
                row["requires"] = [{"test": test, "message": "its condition does not hold"}]
            if cost:
                row["cost"] = cost
            roll = self.roll(attachment)
            if roll:
                row["roll"] = roll
            draft.row("politics", "actions", {**row, "effects": effects})
            found.append(row["id"])
        return found


def rule_marks(draft: RulesetDraft, rule: str, frontier: str = "") -> tuple[str, str]:
    """The marks of players to whom a production rule was opened, and to whom it was closed; of players whose
    frontier changes, in one of them.
    """
    what = f"{rule} by {frontier}" if frontier else rule
    return draft.id("marks", f"may {what}"), draft.id("marks", f"may not {what}")


def otherwise(draft: RulesetDraft) -> str:
    """The mark of players who buy by another frontier than at the start."""
    return draft.id("marks", "buys otherwise")


def frontier_marks(draft: RulesetDraft) -> dict[str, dict[str, str]]:
    """Player to the frontiers that triggers bring into force, each with its mark."""
    if "frontier_marks" in draft.features:
        return cast("dict[str, dict[str, str]]", draft.features["frontier_marks"])
    found: dict[str, dict[str, str]] = draft.features.setdefault("frontier_marks", {})
    word = next(name for name, entry in draft.words["triggers"].items() if entry.get("does") == "frontier")
    for trigger in draft.game.of("TriggerAttachment"):
        players = [p for o in trigger.all("players") for p in o.parts if p in draft.game.players] or [
            trigger.to
        ]
        for option in trigger.all(word):
            if option.value in draft.game.frontiers:
                for player in players:
                    found.setdefault(player, {})[option.value] = draft.id("marks", f"buys by {option.value}")
    return found


def marks_set(draft: RulesetDraft) -> set[str]:
    """The marks that events and acts of the draft set."""
    found: set[str] = set()
    for forms in draft.rows.values():
        for form in ("events", "actions"):
            for row in forms.get(form, ()):
                found |= {effect["flag"]["as"] for effect in row.get("effects", ()) if "flag" in effect}
    return found


def _test_of(effect: Row) -> Row:
    return {"when": effect["when"]} if "when" in effect else {}


def _only_if(effect: Row, test: str) -> Row:
    return {**effect, "when": f"({effect['when']}) and ({test})" if "when" in effect else test}


def _cost(option: Option) -> int:
    text = option.count or option.value.partition(":")[0]
    return int(text) if text.isdecimal() else 0


def _words(name: str) -> str:
    """A name of an attachment as a title: its words, without the word of what it is."""
    plain = re.sub("(?i)^(trigger|condition|objective|politicalaction|useraction)?att?a?t?chment_?", "", name)
    plain = re.sub("([a-z])([A-Z])", r"\1 \2", plain).replace("_", " ")
    plain = re.sub(r"[^\w' -]+", " ", plain)
    return (" ".join(plain.split()) or name)[:100]
