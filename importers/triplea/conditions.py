"""Conditions of players as expressions, and the objectives that pay when they hold.

A condition with anything that is not understood is none: it is listed, and so is whatever depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .draft import COSMETIC, RulesetDraft
from .game import Attachment, Option

__all__ = ["Conditions", "stance_test", "switch_changes", "tech_named"]

DEEPEST = 12
LONGEST = 900  # letters of an expression
LONG = 300  # a condition that is longer becomes a term
WHO = {
    "own_there": "unit.owner == nation",
    "friends_there": "allied(unit.owner, nation)",
    "enemies_there": "at_war(unit.owner, nation)",
}
"""The terms of presence: whose units are meant."""
TOGETHER = {"holds_it": "place.holder and place.holder in {several}", "own_there": "unit.owner in {several}"}
"""What is asked of several players together, by the terms of one."""


class Conditions:
    """The conditions of a game by player and name, each translated when it is first asked for."""

    def __init__(self, draft: RulesetDraft) -> None:
        self.draft = draft
        self.rules: dict[str, list[Attachment]] = {}
        for attachment in draft.of("RulesAttachment"):
            self.rules.setdefault(attachment.name, []).append(attachment)
        self.known: dict[int, str | None] = {}
        self.open: list[int] = []
        self.terms: set[str] = set()
        self.named_tests: dict[str, str] = {}
        self.choices: dict[str, str] = {}  # property: option
        self.switches = _switches(draft)

    # ---- objectives

    def objectives(self) -> list[str]:
        """Rows of yields for what has an objective value; their ids."""
        draft, found = self.draft, []
        for attachment in draft.of("RulesAttachment"):
            value = attachment.get("objectiveValue")
            if not value or attachment.type != "player":
                continue
            test = self.of(attachment)
            if test is None or not re.fullmatch("-?[0-9]{1,6}", value):
                draft.leave(
                    attachment.line,
                    f"the objective {attachment.name} of {attachment.to}: its condition is not understood",
                )
                continue
            if test == "False":
                what = "what it waits for is switched off in the file, and nothing switches it on"
                draft.leave(
                    attachment.line, f"the objective {attachment.name} of {attachment.to}: {what}", COSMETIC
                )
                continue
            if attachment.get("uses", "-1") not in ("-1", ""):
                draft.leave(
                    attachment.line,
                    f"the objective {attachment.name} of {attachment.to}: it pays every time, not "
                    f"{attachment.get('uses')} times",
                )
            row = draft.row(
                "objectives",
                "income",
                {
                    "id": draft.fresh("income", f"{attachment.to} {attachment.name}"),
                    "name": attachment.name[:120],
                    "for": draft.nation(attachment.to),
                    "when": "has_capital(nation)" if test == "True" else f"has_capital(nation) and ({test})",
                    "amount": int(value),
                    "seat": "=nation.capital",
                    "into": draft.money,
                },
            )
            found.append(row["id"])
        return found

    # ---- expressions

    def named(
        self, names: Iterable[str], player: str, line: int, kind: str = "", inverted: bool = False
    ) -> str | None:
        """Several conditions of a player (or of anybody, if they have none of that name), joined as
        `conditionType` says.
        """
        tests = []
        for name in names:
            among = self.rules.get(name, ())
            attachment = next((a for a in among if a.to == player), among[0] if among else None)
            if attachment is None:
                self.draft.leave(line, f"there is no condition {name[:80]!r}")
                return None
            test = self.of(attachment)
            if test is None:
                return None
            tests.append(test)
        joined = self.joined(tests, kind or "AND")
        if joined is None:
            self.draft.leave(line, f"conditionType = {kind[:40]}")
            return None
        return self.checked(_not(joined) if inverted else joined, line)

    def joined(self, tests: list[str], kind: str) -> str | None:
        word = kind.upper()
        if not tests:
            return "True"
        if word in ("AND", "OR"):
            settles, idle = ("False", "True") if word == "AND" else ("True", "False")
            if settles in tests:
                return settles
            tests = [test for test in dict.fromkeys(tests) if test != idle]
            if not tests:
                return idle
            return f" {word.lower()} ".join(f"({test})" for test in tests) if len(tests) > 1 else tests[0]
        held = " + ".join(f"(1 if {test} else 0)" for test in tests)
        if word == "XOR":
            return f"{held} == 1"
        if m := re.fullmatch("([0-9]+)-([0-9]+)", word):
            return (
                f"{held} >= {int(m[1])}"
                if int(m[2]) >= len(tests)
                else f"{int(m[1])} <= {held} and {held} <= {int(m[2])}"
            )
        return f"{held} == {int(word)}" if word.isdecimal() else None

    def checked(self, test: str, line: int) -> str | None:
        if len(test) > LONGEST:
            self.draft.leave(line, f"a condition of {len(test)} letters; {LONGEST} are possible")
            return None
        return test

    def short(self, test: str, name: str) -> str:
        """A long expression as a term of its own."""
        if len(test) <= LONG or test not in self.named_tests:
            if len(test) <= LONG:
                return test
            self.named_tests[test] = "met_" + self.draft.id("definitions", f"condition {name}").replace(
                "-", "_"
            )
            self.draft.row("objectives", "definitions", {"id": self.named_tests[test], "is": test})
        return f"{self.named_tests[test]}()"

    def of(self, attachment: Attachment) -> str | None:
        """The expression of a condition, None if something of it is not understood."""
        key = id(attachment)
        if key not in self.known:
            if key in self.open or len(self.open) > DEEPEST:
                self.draft.leave(attachment.line, f"the condition {attachment.name} leads back to itself")
                return None
            self.open.append(key)
            found = self.translate(attachment)
            self.open.pop()
            found = self.checked(found, attachment.line) if found is not None else None
            self.known[key] = self.short(found, attachment.name) if found is not None else None
        return self.known[key]

    def translate(self, attachment: Attachment) -> str | None:
        draft = self.draft
        parts: list[str | None] = []
        for option in attachment.options:
            entry = draft.words.entry("conditions", option.name)
            if entry is None:
                if option.says_no or draft.words.entry("rules", option.name) is not None:
                    continue
                draft.leave_option(attachment, option)
                parts.append(None)
            elif "unless" in entry and option.value != entry["unless"]:
                draft.leave_option(attachment, option)
                parts.append(None)
            elif "every" in entry:
                parts.append(self.of_places(attachment, option, entry["every"]))
            elif "rounds" in entry:
                parts.append(self.rounds(attachment, option))
            elif "switch" in entry:
                parts.append(self.switched(attachment, option))
            elif "techs" in entry:
                parts.append(self.techs(attachment, option))
            elif "relationship" in entry:
                parts.append(self.relationship(attachment, option))
            elif "at_war" in entry:
                parts.append(self.at_war(attachment, option))
            elif "property" in entry:
                parts.append(self.chosen(option.value))
            elif "conditions" in entry:
                names = option.parts
                parts.append(
                    self.named(names, attachment.to, option.line, attachment.get("conditionType", "AND"))
                )
        if any(part is None for part in parts):
            return None
        if not any(option.name == "switch" for option in attachment.options):
            parts.append(self.switched(attachment, None))
        whole = self.joined([str(part) for part in parts], "AND")
        assert whole is not None
        return _not(whole) if attachment.truth("invert") else whole

    # ---- parts of conditions

    def switched(self, attachment: Attachment, option: Option | None) -> str:
        """Whether a switch is on: as it stands in the file, or as triggers have left it since, which marks
        say.
        """
        on = option is None or not option.says_no
        mark = self.switches.get((attachment.to, attachment.name), {}).get("off" if on else "on")
        if mark is None:
            return "True" if on else "False"
        test = f"flagged(nation('{draft_nation(self.draft, attachment)}'), '{mark}')"
        return f"not {test}" if on else test

    def chosen(self, name: str) -> str:
        """A property of the game: an option, if whoever sets up a game may change it."""
        draft = self.draft
        if name not in draft.game.choices or draft.game.properties[name][0].lower() not in ("true", "false"):
            return "True" if draft.game.truth(name) else "False"
        if name not in self.choices:
            self.choices[name] = draft.fresh("options", name)
            row = {
                "id": self.choices[name],
                "name": name[:120],
                "default": draft.game.truth(name),
                "values": [True, False],
            }
            draft.line = draft.game.properties[name][1]
            draft.row("objectives", "options", {**row, "text": "A choice made when the game is set up"})
        return f"option('{self.choices[name]}')"

    def of_places(self, attachment: Attachment, option: Option, term: str) -> str | None:
        """A test of territories: all of them pass, or as many as the count says."""
        draft, player = self.draft, draft_nation(self.draft, attachment)
        words = draft.words["territory_words"]
        parts = [part for part in option.parts if part]
        if len(parts) == 2 and parts[0].isdecimal() and parts[1] in words:
            parts = parts[1:]
        if len(parts) == 1 and parts[0] in words and parts[0] not in draft.game.territories:
            places = words[parts[0]].format(player=player)
        else:
            unknown = [part for part in parts if part not in draft.game.territories]
            if unknown or not parts:
                draft.leave_option(
                    attachment,
                    option,
                    f"there is no territory {unknown[0][:60]!r}" if unknown else "no territory is named",
                )
                return None
            group = draft.group("places", map(draft.place, parts), f"{attachment.name} {option.name}")
            places = f"group('{group}')"
        players = [p for o in attachment.all("players") for p in o.parts if p in draft.game.players]
        if players and players != [attachment.to]:
            if term not in TOGETHER:
                draft.leave_option(attachment, option, "several players together")
                return None
            group = draft.group("nations", map(draft.nation, players), f"players {' '.join(players)}")
            asked, arguments = self.together(attachment, term, group), ""
        else:
            asked, arguments = (
                (self.presence(attachment, term) if term in WHO else term),
                f", nation('{player}')",
            )
        if asked is None:
            return None
        self.terms.add(asked)
        if option.count.isdecimal() and int(option.count) < max(len(parts), 2):
            return f"count({places}, '{asked}'{arguments}) >= {int(option.count)}"
        return f"all({places}, '{asked}'{arguments})"

    def together(self, attachment: Attachment, term: str, group: str) -> str | None:
        """A term of several players together: one of them holds the place, or units of them all stand
        there.
        """
        test = TOGETHER[term].format(several=f"group('{group}')")
        if term in WHO:
            return self.presence(attachment, term, test, group)
        return self.term(f"{term} {group}", ["place"], test)

    def term(self, name: str, of: list[str], test: str) -> str:
        """The id of a term, made when it is first asked for."""
        id_ = self.draft.id("definitions", name).replace("-", "_")
        if id_ not in self.terms:
            self.terms.add(id_)
            self.draft.row("objectives", "definitions", {"id": id_, "of": of, "is": test})
        return id_

    def presence(self, attachment: Attachment, term: str, whose: str = "", group: str = "") -> str | None:
        """A term for the presence of units of some types, at least so many; `whose` and `group` of several
        players together.
        """
        draft = self.draft
        wanted: list[tuple[str, str, Option | None]] = [
            (option.value, option.count, option) for option in attachment.all("unitPresence")
        ]
        if not wanted and not whose:
            return term
        of, more = (["nation"], ", nation") if not whose else ([], "")
        tests = []
        for value, count, option in wanted or [("any", "1", None)]:
            names = (
                []
                if option is None or value.lower() == "any"
                else draft.names(attachment, option, draft.game.units, "unit")
            )
            if not names and value.lower() != "any":
                return None
            kinds = f" and {draft.test_of(names, value)}" if names else ""
            helper = self.term(
                f"counts {term} {value} {group}", ["unit", *of], f"{whose or WHO[term]}{kinds}"
            )
            tests.append(
                f"count(units(at=place), '{helper}'{more}) >= {int(count) if count.isdecimal() else 1}"
            )
        name = " ".join(["has", term, *(f"{value} {count}" for value, count, _ in wanted), group])
        return self.term(name, ["place", *of], " and ".join(tests))

    def rounds(self, attachment: Attachment, option: Option) -> str | None:
        tests = []
        for part in option.parts:
            if m := re.fullmatch(r"([0-9]+)-(\+|[0-9]+)", part):
                tests.append(
                    f"turn >= {int(m[1])}"
                    if m[2] == "+"
                    else f"({int(m[1])} <= turn and turn <= {int(m[2])})"
                )
            elif part.isdecimal():
                tests.append(f"turn == {int(part)}")
            else:
                self.draft.leave_option(attachment, option)
                return None
        return " or ".join(tests)

    def techs(self, attachment: Attachment, option: Option) -> str | None:
        draft = self.draft
        names = [tech_named(draft, part) for part in option.parts if part]
        if not names or None in names:
            draft.leave_option(attachment, option, "there is no such technology")
            return None
        nation = draft_nation(draft, attachment)
        tests = [f"knows(nation('{nation}'), '{draft.id('technologies', str(name))}')" for name in names]
        n = int(option.count) if option.count.isdecimal() else len(tests)
        return (
            " and ".join(tests)
            if n >= len(tests)
            else " + ".join(f"(1 if {t} else 0)" for t in tests) + f" >= {n}"
        )

    def relationship(self, attachment: Attachment, option: Option) -> str | None:
        """`A:B:TYPE`, with TYPE a relationship or any of an archetype."""
        parts = option.parts
        test = stance_test(self.draft, parts[0], parts[1], parts[2]) if len(parts) >= 3 else None
        if test is None:
            self.draft.leave_option(attachment, option)
        return test

    def at_war(self, attachment: Attachment, option: Option) -> str | None:
        draft = self.draft
        names = draft.names(attachment, option, draft.game.players, "player")
        if not names:
            return None
        nation = draft_nation(draft, attachment)
        tests = [f"at_war(nation('{nation}'), nation('{draft.nation(name)}'))" for name in names]
        n = attachment.get("atWarCount")
        if n.isdecimal() and int(n) < len(tests):
            return " + ".join(f"(1 if {t} else 0)" for t in tests) + f" >= {int(n)}"
        return " and ".join(tests)


def _not(test: str) -> str:
    return {"True": "False", "False": "True"}.get(test, f"not ({test})")


def _switches(draft: RulesetDraft) -> dict[tuple[str, str], dict[str, str]]:
    """Player and condition to the marks that triggers set when they switch it on or off, of switches that any
    trigger changes.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    for trigger in draft.game.of("TriggerAttachment"):
        for player, name, on in switch_changes(draft, trigger):
            ways = found.setdefault((player, name), {})
            ways["on" if on else "off"] = draft.id("flags", f"{player} {name} {'on' if on else 'off'}")
    return found


def switch_changes(draft: RulesetDraft, trigger: Attachment) -> list[tuple[str, str, bool]]:
    """Player, condition and new state of every switch that a trigger changes."""
    words = draft.words["switches"]
    names = [
        o.count.replace("ttatchment", "ttachment")
        for o in trigger.all(words["attachment"])
        if o.value == words["of"]
    ]
    states = [o.count for o in trigger.all(words["property"]) if o.value == words["switch"]]
    players = [p for o in trigger.all("players") for p in o.parts if p in draft.game.players] or [trigger.to]
    if len(names) != 1 or not states:
        return []
    return [(player, names[0], states[-1].removeprefix("-reset-").lower() == "true") for player in players]


def draft_nation(draft: RulesetDraft, attachment: Attachment) -> str:
    return draft.nation(attachment.to)


def tech_named(draft: RulesetDraft, name: str) -> str | None:
    """A technology by its name or by the name of its kind."""
    if name in draft.game.technologies:
        return name
    return next((n for n, (kind, _) in draft.game.technologies.items() if kind == name), None)


def stance_test(draft: RulesetDraft, a: str, b: str, type_: str) -> str | None:
    """Whether the stance of two players is one of a type; None if a name means nothing."""
    parties = {**draft.game.players, draft.game.nobody: 0}
    if a not in parties or b not in parties:
        return None
    pair = f"nation('{draft.nation(a)}'), nation('{draft.nation(b)}')"
    match type_.lower():
        case "any":
            return "True"
        case "anywar" | "default_war":
            return f"at_war({pair})"
        case "anyallied" | "default_allied":
            return f"allied({pair})"
        case "anyneutral":
            return f"not at_war({pair}) and not allied({pair})"
    if type_ in draft.game.stances:
        return f"stance({pair}) == '{draft.id('stances', f'{type_} relation')}'"
    return None
