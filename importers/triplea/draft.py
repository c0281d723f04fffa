"""What an import has made so far: rows by file and form, ids of all names, and what could not be
translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from wteaw.core.words import slug

from .game import Attachment, GameFile, Option, flags_of
from .words import TranslationEntry, TranslationTable

__all__ = ["COSMETIC", "GRADES", "PLAY", "PREVENTS", "Left", "Row", "RulesetDraft"]

Row = dict[str, Any]
USUAL_MONEY = "PUs"

COSMETIC, PLAY, PREVENTS = GRADES = ("cosmetic", "changes play", "prevents play")
"""What it means for play that something was left out, from nothing to all."""


class Left(NamedTuple):
    """What was left out: at which line of the game file, how grave it is (one of GRADES), what it is and what
    that means.
    """

    line: int
    grade: str
    what: str


class RulesetDraft:
    """Rows of a ruleset in the making."""

    def __init__(self, game: GameFile, words: TranslationTable) -> None:
        self.game, self.words = game, words
        self.rows: dict[str, dict[str, list[Row]]] = {}
        self.scenario: Row = {}
        self.left: set[Left] = set()
        self.line = 1  # of the part of the game file that is being translated
        self.lines: dict[tuple[str, str], int] = {}  # form and id of a row: the line that it was made of
        self.tags: dict[str, list[str]] = {}  # tag: units
        self.flags: dict[str, set[str]] = {}  # unit: its flags
        self.features: dict[str, Any] = {}  # what the templates of rules ask for
        self.watched: dict[str, None] = {}  # points of a player's turn at which events wait
        self.asked = flags_of(game, words)
        self._ids: dict[str, dict[str, str]] = {}
        self._made: dict[str, set[str]] = {}
        self._taken: dict[str, set[str]] = {}
        self._groups: dict[tuple[str, frozenset[str]], str] = {}

    @property
    def money_name(self) -> str:
        """The resource in which prices are, as the file calls it:

        `PUs`, or the first if there are others only.
        """
        names = self.game.resources
        return USUAL_MONEY if USUAL_MONEY in names or not names else next(iter(names))

    @property
    def money(self) -> str:
        return self.id("resources", self.money_name)

    # ---- names

    def id(self, form: str, name: str) -> str:
        """The id of a named thing, always the same; other names that look alike get numbers."""
        ids = self._ids.setdefault(form, {})
        if name not in ids:
            base, taken, n = slug(name), self._taken.setdefault(form, set()), 1
            found = base
            while found in taken or (form == "units" and found in self.reserved):
                n += 1
                found = f"{base}-{n}"
            ids[name] = found
            taken.add(found)
        return ids[name]

    def fresh(self, form: str, name: str) -> str:
        """An id for one more row of a form, whatever other rows are called."""
        rows = sum(len(forms.get(form, ())) for forms in self.rows.values())
        taken, made = self._taken.setdefault(form, set()), self._made.setdefault(form, set())
        base, n = slug(name), 1
        found = base
        while found in made or found in taken:
            n += 1
            found = f"{base}-{n}" if n < 50 else f"{base}-{rows}-{n}"
        made.add(found)
        return found

    @property
    def reserved(self) -> set[str]:
        """Tags are no names of units, so that a row that names one means the other."""
        return {str(row["tag"]) for row in self.words["tags"]}

    def place(self, name: str) -> str:
        return self.id("places", name)

    def place_word(self, name: str) -> str:
        """A place where a word could also be something else: in full if a player is called like it."""
        id_ = self.place(name)
        return f"=place('{id_}')" if id_ in set(self._ids.get("nations", {}).values()) else id_

    def nation(self, name: str) -> str:
        return self.id("nations", name)

    def unit(self, name: str) -> str:
        return self.id("units", name)

    def group(self, of: str, members: Iterable[str], name: str) -> str:
        """The id of a group with these members, made when it is first asked for."""
        ids = list(dict.fromkeys(members))
        key = (of, frozenset(ids))
        if key not in self._groups:
            self._groups[key] = self.fresh("groups", name)
            self.row(
                "groups", "groups", {"id": self._groups[key], "name": name[:120], "of": of, "members": ids}
            )
        return self._groups[key]

    def test_of(self, names: Iterable[str], label: str) -> str:
        """A test that a unit is of one of these types: several get a tag of their own."""
        kinds = list(dict.fromkeys(self.unit(name) for name in names))
        if len(kinds) == 1:
            return f"unit.kind == '{kinds[0]}'"
        key = ("tags", frozenset(kinds))
        if key not in self._groups:
            self._groups[key] = self.fresh("tags", f"for {label}")
            for row in self.rows["units"]["units"]:
                if row["id"] in kinds:
                    row["tags"].append(self._groups[key])
        return f"'{self._groups[key]}' in unit.tags"

    def which_of(self, names: Iterable[str], label: str) -> str:
        """The same as a filter of `units()`."""
        test = self.test_of(names, label)
        return (
            f"kind={test.rpartition(' ')[2]}"
            if test.startswith("unit.kind")
            else f"tag={test.partition(' ')[0]}"
        )

    def parted(self, test: str, name: str, of: Iterable[str], *, most: int = 400) -> str:
        """A test that is not longer than `most` letters, if it has parts: those become terms of `of` (nation
        for self).
        """
        if len(test) <= most:
            return test
        word = next((word for word in ("or", "and") if len(split_at(test, word)) > 1), None)
        if word is None:
            return test
        pieces: list[list[str]] = [[]]
        for part in split_at(test, word):
            short = part
            if len(part) > most:
                inside = in_brackets(part)
                short = self.parted(inside or part, name, of, most=most)
                short = f"({short})" if inside else short
            if sum(len(piece) + 5 for piece in pieces[-1]) + len(short) > most:
                pieces.append([])
            pieces[-1].append(short)
        terms = [self.term_of(f" {word} ".join(piece), name, of) for piece in pieces if piece]
        return self.parted(f" {word} ".join(terms), name, of, most=most)

    def term_of(self, test: str, name: str, of: Iterable[str]) -> str:
        """A call of a new term for a test."""
        term = "fits_" + self.fresh("definitions", name).replace("-", "_")
        row = {"id": term, "of": list(of), "is": re.sub(r"\bself\b", "nation", test)}
        self.row("production", "definitions", row)
        return f"{term}({', '.join('self' if kind == 'nation' else kind for kind in of)})"

    # ---- rows

    def of(self, kind: str) -> Iterator[Attachment]:
        """The attachments of a kind, one after another; rows that are made meanwhile are of its line."""
        for attachment in self.game.of(kind):
            self.line = attachment.line
            yield attachment

    def row(self, file: str, form: str, row: Row) -> Row:
        self.rows.setdefault(file, {}).setdefault(form, []).append(row)
        self.lines.setdefault((form, row_name(row)), self.line)
        return row

    def watch(self, point: str) -> str:
        """The step at a point of the turn (`before:purchase`), at which events may wait."""
        self.watched[point] = None
        return point.replace(":", "-")

    # ---- what cannot be translated

    def leave(self, line: int, what: str, grade: str = PLAY) -> None:
        self.left.add(Left(line, grade, what))

    def leave_option(self, attachment: Attachment, option: Option, why: str = "", grade: str = PLAY) -> None:
        value = option.value if len(option.value) <= 60 else option.value[:57] + "..."
        if not why and (known := self.words["left_out"].get(option.name)) is not None:
            why, grade = known["means"], known.get("grade", PLAY)
        self.leave(
            option.line,
            f"{attachment.kind} of {attachment.to}: {option.name} = {value}{f': {why}' if why else ''}",
            grade,
        )

    def meaning(self, section: str, attachment: Attachment, option: Option) -> TranslationEntry | None:
        """What the table says of an option; None, and a line in the list, if it is not there."""
        entry = self.words.entry(section, option.name)
        if entry is None:
            if not option.says_no:
                self.leave_option(attachment, option)
            return None
        return None if "passed" in entry or not self.reads(entry) else entry

    def number_of(self, name: str) -> int:
        """The number of a property that the shared rules ask for by this name."""
        for word, entry in self.words["properties"].items():
            if entry.get("number") == name:
                text = self.game.properties.get(word, ("", 0))[0]
                return int(text) if text.lstrip("-").isdecimal() else int(entry.get("absent", 0))
        raise KeyError(name)

    def reads(self, entry: TranslationEntry) -> bool:
        """Whether the game's own program reads an option: some only where a property of the game says so."""
        return "if" not in entry or entry["if"] in self.asked

    def number(self, attachment: Attachment, option: Option) -> int | None:
        """The whole number that an option gives, else a line in the list."""
        try:
            found = int(option.value)
        except ValueError:
            self.leave_option(attachment, option, "a whole number is expected")
            return None
        if abs(found) > 1_000_000:
            self.leave_option(attachment, option, "larger than any number of a game")
            return None
        return found

    def names(self, attachment: Attachment, option: Option, among: Iterable[str], what: str) -> list[str]:
        """The names in a list; what names nothing goes into the list of what was left out."""
        known = set(among)
        found = []
        for name in option.parts:
            if name in known:
                found.append(name)
            elif name and name != "none":
                self.leave_option(attachment, option, f"there is no {what} {name[:60]!r}")
        return list(dict.fromkeys(found))


def split_at(test: str, word: str) -> list[str]:
    """The parts of an expression between the words `and` or `or` that stand in no bracket and in no text."""
    parts, depth, quoted, begin = [], 0, False, 0
    gap = f" {word} "
    for k, letter in enumerate(test):
        if letter == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif not depth and test.startswith(gap, k):
            parts.append(test[begin:k])
            begin = k + len(gap)
    return [*parts, test[begin:]]


def in_brackets(test: str) -> str:
    """What stands in the brackets that hold the whole expression; empty if there are none."""
    inside = test[1:-1]
    depth, quoted = 0, False
    for letter in inside if test.startswith("(") and test.endswith(")") else ")":
        if letter == "'":
            quoted = not quoted
        elif not quoted:
            depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            return ""
    return inside


def row_name(row: Row) -> str:
    """What tells a row from others of its form: its id, or the two ends of a link."""
    return str(row["id"]) if "id" in row else " -- ".join(map(str, row.get("between", ())))
