"""Rewrite rulesets, scenarios and files of rule tests of the earlier language of rulesets in place.

    python tools/migrate_rules.py FOLDER_OR_FILE ...

Every YAML file is read with the place of each key and value; only the words that have changed are replaced,
so that comments, order and layout stay as they are. A file that needs nothing is not written. What this
program cannot rewrite it names, with file and line, and ends with 1. It can be run again: a file of the new
language stays as it is.

This is the one place where the earlier words stand.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from wteaw.ruleset.load import load_text
from wteaw.testing.equivalent import places_along, rows_of_file

# --- what has changed

TABLES: Final = {
    "acts": "actions",
    "adjusts": "modifiers",
    "bills": "upkeep",
    "catalogue": "production",
    "contacts": "detection",
    "control": "capture",
    "frame": "sequence",
    "frame_changes": "sequence_changes",
    "except": "notes",
    "limits": "action_changes",
    "own_cases": "action_changes",
    "refusals": "notes",
    "gates": "passages",
    "modes": "movement",
    "quantities": "stats",
    "rooms": "placement_limits",
    "shows": "visibility",
    "stores": "treasuries",
    "streaks": "counters",
    "tallies": "counters",
    "terms": "definitions",
    "traces": "counters",
    "yields": "income",
    "aims": "victory",
    "criteria": "victory",
    "ends": "victory",
    "objectives": "victory",
    "gifts": "transfers",
    "levies": "transfers",
    "routes": "transfers",
}
"""Tables, by their earlier names."""

UNIONS: Final = {
    "ends": "game_end",
    "objectives": "objectives",
    "criteria": "criterion",
    "aims": "aim",
    "routes": "route",
    "gifts": "gift",
    "levies": "levy",
}
"""Tables that have become kinds of rows of one table: the kind. Of two rows of one id the first keeps it."""
SUFFIXES: Final = {
    "ends": "end",
    "objectives": "objectives",
    "criteria": "score",
    "aims": "aim",
    "routes": "route",
    "gifts": "gift",
    "levies": "levy",
}
"""What is added to the id of a row that stood in a table of its own, and has the id of another now."""
COMPLETE: Final = {
    "aims": ("of", "is", "points"),
    "criteria": ("of",),
    "gifts": ("what",),
    "levies": ("what", "of", "share"),
    "objectives": ("goals",),
    "routes": ("what", "links"),
}
"""What a row of such a table had to say; one that says less is laid over another, which says its kind."""
NAMES_ROWS: Final = {
    "ends": {"rank": "criteria", "side_by": "criteria"},
    "criteria": {"parts": "criteria", "members": "criteria"},
    "objectives": {"goals": "aims", "points": "aims"},
}
"""Table to key to the table whose rows it names."""

FUNCTIONS: Final = {
    "both": "intersection",
    "either": "union",
    "every": "all",
    "gate": "passage",
    "highest": "maximum",
    "kinds": "count_distinct",
    "marked": "flagged",
    "neighbours": "neighbors",
    "only": "single",
    "purse": "treasury",
    "some": "any",
    "streak": "counter",
    "tally": "counter",
    "these": "set_of",
    "those": "where",
    "total": "sum",
    "without": "difference",
}
"""Functions of expressions."""

NAMES: Final = {"act": "action", "gate": "passage", "purse": "treasury"}
"""Names that a row puts in scope of its expressions, and roles of triggers."""

FIELDS: Final = {"act": "action"}
"""What stands after a dot in an expression."""

ROLES: Final = {"by": "actor", "from": "origin", "of": "target"}
"""Roles of a trigger, by what expressions call them."""

KINDS: Final = {"gate": "passage"}
"""Kinds of things."""

STATE: Final = {
    "gates": "passages",
    "held": "delayed",
    "marks": "flags",
    "stores": "treasuries",
    "streaks": "counters",
    "tallies": "counters",
}
"""Tables of the state."""

ANYWHERE: Final = {"act": "action", "gate": "passage", "miss": "on_failure", "upto": "at_most"}
"""Keys that are called otherwise wherever they stand."""

STEP: Final = {
    "acts": "actions",
    "bills": "upkeep",
    "contacts": "detection",
    "gate": "requirements",
    "modes": "movement",
    "shows": "visibility",
    "yields": "income",
}
"""Keys of a step of the sequence of play that name rows of a table."""

ELSEWHERE: Final = {"end": "ends", "levy": "levies"}
"""Keys of other rows, of scenarios and tests that name rows of such a table, to the table.

`does` of an order is none of them: it named a route before a gift, and a route keeps its id.
"""
LISTED: Final = {"transfer": ("gifts", "levies")}
"""Mechanic to the tables of which `rows` of its steps named all rows of an id."""

KEYS: Final[dict[str, dict[str, str]]] = {
    "aims": {"of": "about", "is": "reached"},
    "objectives": {"points": "worth"},
    "acts": {"form": "syntax", "needs": "requires", "needs.[].else": "message"},
    "aliases": {"form": "table"},
    "battles": {
        "contacts": "detection",
        "ladder": "step_losses",
        "marks": "sets",
        "pairs": "support",
        "slip": "evade",
        "stages.[].parting": "fire_on_retreat",
    },
    "catalogue": {
        "else": "if_lost",
        "fits.else": "message",
        "needs": "requires",
        "needs.[].else": "message",
        "site_else": "site_message",
        "sites.[].else": "message",
        "sites.[].still": "must_hold",
        "still": "must_hold",
    },
    "contacts": {"marks": "sets"},
    "control": {"end_fact": "end_trigger", "fact": "trigger", "mark": "flag"},
    "decisions": {"form": "syntax"},
    "fields": {"form": "table"},
    "frame": {f"**.{old}": new for old, new in STEP.items()},
    "frame_changes": {f"**.{old}": new for old, new in STEP.items()} | {"node": "step"},
    "limits": {"else": "message"},
    "matrices": {"**.hold": "delay"},
    "manifest": {"settings.given.stores": "treasury"},
    "missions": {"else": "message", "marks": "sets", "needs": "must_include"},
    "order_options": {"form": "syntax"},
    "orders": {"form": "syntax", "needs": "requires", "needs.[].else": "message"},
    "policies": {
        "acts": "actions",
        "acts_share": "actions_share",
        "payments": "orders",
        "**.fill": "slots",
        "**.numbers": "slots",
    },
    "refusals": {"form": "syntax"},
    "rulings": {"question": "title", "reading": "text", "source": "about"},
    "requirements": {"else": "message"},
    "scenario": {
        "marks": "flags",
        "nations.*.stores": "treasury",
        "**.streaks": "counters",
        "stores": "treasuries",
        "**.tallies": "counters",
    },
    "streaks": {"at": "on"},
    "tallies": {"who": "of"},
    "test": {
        "**.asks.[].quantity": "stat",
        "**.expired.mark": "flag",
        "**.fact": "trigger",
        "**.facts": "triggers",
        "**.marks": "flags",
        "**.nations.*.stores": "treasury",
        "**.places.*.stores": "treasury",
        "**.purses_of": "treasuries_of",
        "**.streaks": "counters",
        "**.tallies": "counters",
        "**.state.gates": "passages",
        "**.state.held": "delayed",
        "**.opened.shows": "visibility",
        "**.state.stores": "treasuries",
        "**.under_way.*.else": "if_lost",
    }
    | {f"**.with.{old}": new for old, new in STEP.items()},
}
"""Table (or `scenario`, `test`) to key, by its path, to what the key is called now.

`*` stands for any key, `**` for any way down."""

VALUES: Final[dict[str, dict[str, dict[str, str]]]] = {
    "aliases": {"form": TABLES},
    "battles": {"stages.[].resolve": {"under": "roll_under"}},
    "fields": {"form": TABLES, "of": KINDS},
    "frame": {"**.do": {"control": "capture"}},
    "frame_changes": {"**.do": {"control": "capture"}},
    "shows": {"what": STATE},
    "visibility": {"what": STATE},
    "terms": {"of": KINDS},
    "test": {"**.do": {"control": "capture"}},
}
"""Table to path to values that are called otherwise now; of a list each member."""

OVER_LINKS: Final = {("links", "guards"), ("gates", "alternative"), ("passages", "alternative")}
"""What was said of a passage beside its ends, which are those of its link; any of several over one lets
through.
"""
GONE: Final = ("basis", "lines")
"""Keys that left the rows: where a rule comes from is said once, in the register of clauses."""
REGISTER: Final = ("clauses", "chapters")

_FOR_PEOPLE = """
article description help hint label message name note plural question reading reason says say text title why
form syntax read_back else basis lines source end_says warns
"""
PROSE: Final = frozenset(_FOR_PEOPLE.split())
"""Keys whose text is for people: only what stands in braces is an expression there."""


# --- expressions

_TOKEN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|[A-Za-z_][A-Za-z_0-9-]*|.", re.DOTALL)
_RULE = re.compile("['\"]?(?:" + "|".join(sorted(TABLES)) + r")/[a-z0-9]\S*")
_ROW = re.compile(r"\b(" + "|".join(sorted(TABLES)) + r")(/[a-z0-9][a-z0-9.{}_-]*)")


def expression(text: str) -> str:
    """An expression in today's words."""
    tokens = _TOKEN.findall(text)
    out: list[str] = []
    for number, token in enumerate(tokens):
        rest = "".join(tokens[number + 1 : number + 4]).lstrip()
        before = next((t for t in reversed(out) if not t.isspace()), "")
        out.append(_word(token, before, rest))
    return "".join(out)


def _word(token: str, before: str, rest: str) -> str:
    """What a token of an expression is called now; `before` is the token before it, `rest` begins with the
    one after it.
    """
    if token[0] in "'\"":
        return _ROW.sub(lambda m: TABLES[m[1]] + m[2], token)
    if before == ".":
        return FIELDS.get(token, token)
    if rest.startswith("("):
        return FUNCTIONS.get(token, token)
    if rest.startswith("=") and not rest.startswith("=="):
        return FIELDS.get(token, token)  # a filter, as in `units(owner=self)`
    return NAMES.get(token, token)


_BRACES = re.compile(r"\{([^{}]*)\}")


def prose(text: str) -> str:
    """A text for people in whose braces expressions stand."""
    text = _BRACES.sub(lambda m: "{" + expression(m[1]) + "}", text)
    return _ROW.sub(lambda m: TABLES[m[1]] + m[2], text)


PLAYERS: Final = {"schedule": "turn_days", "absence": "without_orders", "replacements": "vacancies"}
"""Tables whose rows are settings of the players now, in `ruleset.yaml`."""
_DIVISION = re.compile(r"\btreasuries/(?=[a-z0-9][a-z0-9_-]*[\"']?$)")
"""A rule by which treasuries meet; in a state, and with a field behind it, it is a table of the state."""
_SETTING = re.compile(r"\b(?:" + "|".join(PLAYERS) + r")/[a-z0-9][a-z0-9_-]*")


_ANCHOR = re.compile(r"&\S+\s+")
_CALL = re.compile(r"\b(?:" + "|".join(sorted(FUNCTIONS)) + r")\(")
_LONGER = re.compile(r"[-+*/%<>=!().\[\],]|\b(?:and|or|not|in|if)\b")


def scalar(text: str, key: str) -> str:
    """The text of a value under a key in today's words, as it stands in the file, an anchor before it
    included.
    """
    if anchor := _ANCHOR.match(text):
        return anchor[0] + scalar(text[anchor.end() :], key)
    if key in PROSE:
        return prose(text)
    text = _DIVISION.sub("resources/", _SETTING.sub("settings/players", text))
    if _RULE.fullmatch(text):
        return _ROW.sub(lambda m: TABLES[m[1]] + m[2], text)
    if _CALL.search(text) or text.lstrip("'\"").startswith("=") or _LONGER.search(text):
        quote = text[0] if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1 else ""
        inner = text[1:-1] if quote else text
        return quote + expression(inner) + quote
    return _ROW.sub(lambda m: TABLES[m[1]] + m[2], text)


# --- files


@dataclass
class File:
    """A file that is being rewritten: its text, the pieces that change, and what could not be rewritten."""

    path: Path
    text: str
    edits: dict[int, tuple[int, str]] = field(default_factory=dict)
    untold: list[str] = field(default_factory=list)
    words: int = 0
    """How many pieces had changed before this text."""

    def replace(self, start: int, end: int, new: str) -> None:
        if self.text[start:end] != new:
            self.edits[start] = (end, new)

    def tell(self, node: Node, what: str) -> None:
        self.untold.append(f"{self.path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}: {what}")

    def result(self) -> str:
        text = self.text
        for start in sorted(self.edits, reverse=True):
            end, new = self.edits[start]
            text = text[:start] + new + text[end:]
        return text


def migrate(path: Path, text: str, renamed: Renamed | None = None) -> File:
    """A file in today's words, in which rows are called what `renamed` says. Raises MarkedYAMLError for text
    that is no YAML.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReusedAnchorWarning)
        file = File(path, with_own_ids(text, renamed or {}))
    text = file.text
    with warnings.catch_warnings():
        # an anchor may be given anew; what it names is not asked here
        warnings.simplefilter("ignore", ReusedAnchorWarning)
        root = YAML(typ="rt", pure=True).compose(text)
    if not isinstance(root, MappingNode):
        return file
    keys = {k.value for k, _ in root.value}
    if "cases" in keys:
        _walk(file, root, "test", ())
    elif "ruleset" in keys:
        _walk(file, root, "scenario", ())
    elif "settings" in keys:
        _walk(file, root, "manifest", ())
    else:
        _tables(file, root)
    return put_together(File(path, file.result(), untold=file.untold, words=len(file.edits)))


def _tables(file: File, node: Node) -> None:
    """Tables: each a list of rows."""
    if not isinstance(node, MappingNode):
        return
    for key, rows in node.value:
        table = key.value
        if table in TABLES:
            _rename(file, key, TABLES[table])
        if table == "rulings":
            _rename(file, key, "clauses")
        # how a map draws orders: by their rows
        for name, _ in rows.value if isinstance(rows, MappingNode) else ():
            _rename(file, name, _ROW.sub(lambda m: TABLES[m[1]] + m[2], str(name.value)))
        for row in rows.value if isinstance(rows, SequenceNode) else ():
            if table == "terms" and isinstance(row, MappingNode):
                _own_word(file, row)
            if table == "rulings" and isinstance(row, MappingNode):
                _status(file, row)
            if table == "except" and isinstance(row, MappingNode):
                _excepted(file, row)
            if table in UNIONS and isinstance(row, MappingNode):
                _say_kind(file, row, table)
            _walk(file, row, table, ())


def _say_kind(file: File, row: MappingNode, table: str) -> None:
    """Say what a row is that stood in a table of its own; one that is laid over another is what that is."""
    said = {key.value: value for key, value in row.value}
    if "id" not in said or "remove" in said or not set(COMPLETE.get(table, ())) <= said.keys():
        return
    gap, end = ", ", said["id"].end_mark.index
    if not row.flow_style:
        gap = "\n" + " " * row.value[0][0].start_mark.column
        end = file.text.find("\n", end) if "\n" in file.text[end:] else len(file.text)
    nation = f"{gap}nation: {said['id'].value}" if table == "objectives" else ""
    file.edits[end] = (end, f"{gap}kind: {UNIONS[table]}{nation}")


def _own_word(file: File, row: MappingNode) -> None:
    """Tell of a definition whose name is a function of today."""
    for key, value in row.value:
        if key.value == "id" and value.value in set(FUNCTIONS.values()) - set(FUNCTIONS):
            file.tell(
                value,
                f"the definition {value.value!r} has the name of a function now; give it another, here and "
                "where it is used",
            )


def _excepted(file: File, row: MappingNode) -> None:
    """Tell of a clause that has no row: it says so in the register now."""
    said = {key.value: value for key, value in row.value}
    if "id" in said and "/" not in said["id"].value:
        file.tell(
            row,
            f"the clause {said['id'].value} says why it has no row in the register now: `no_row` of its "
            "clause",
        )


def _status(file: File, row: MappingNode) -> None:
    """A ruling is a clause of the register that says what it is."""
    said = {key.value: value for key, value in row.value}
    if "reading" not in said or "id" not in said:
        return
    status = "reconstructed" if getattr(said.get("basis"), "value", "") == "reconstructed" else "ruling"
    gap = ", " if row.flow_style else "\n" + " " * row.value[0][0].start_mark.column
    end = said["id"].end_mark.index
    file.edits[end] = (end, f"{gap}status: {status}")


def _walk(file: File, node: Node, table: str, path: tuple[str, ...]) -> None:
    """Rewrite what stands below a place of a row, a scenario or a file of tests."""
    if isinstance(node, SequenceNode):
        for item in node.value:
            _walk(file, item, table, (*path, "[]"))
    elif isinstance(node, MappingNode):
        _map(file, node, table, path)
    elif isinstance(node, ScalarNode):
        _value(file, node, table, path)


def _map(file: File, node: MappingNode, table: str, path: tuple[str, ...]) -> None:
    names = {k.value for k, _ in node.value}
    for number, (key, value) in enumerate(node.value):
        here = (*path, str(key.value))
        if table in ("frame", "frame_changes") and key.value == "do" and value.value == "watch":
            _drop(file, node, number)
            continue
        if not path and (table, key.value) in OVER_LINKS:
            _drop(file, node, number)
            continue
        if table == "tallies" and not path and key.value in ("of", "who"):
            _counted_for(file, node, number)
            continue
        if (
            key.value in GONE
            and table not in (*REGISTER, "test")
            and not (table == "rulings" and key.value == "lines")
        ):
            _drop(file, node, number)
            continue
        new = _key(table, here, names, value)
        if new is None:
            raw = file.text[key.start_mark.index : key.end_mark.index]
            file.replace(key.start_mark.index, key.end_mark.index, scalar(raw, ""))
        else:
            _rename(file, key, new)
        if (
            table == "test"
            and key.value in ("orders", "answers", "title", "id", "clauses")
            and "state" not in path
        ):
            continue
        if table in ("test", "scenario") and key.value == "rules":
            _tables(file, value)
        else:
            _walk(file, value, table, here)


def _counted_for(file: File, row: MappingNode, number: int) -> None:
    """Say as a set whose tally it was: the kind of a thing and a role of the trigger, or `=` an
    expression.
    """
    key, value = row.value[number]
    said = {k.value: v.value for k, v in row.value}
    if key.value == "of" and "who" in said:
        return _drop(file, row, number)
    if key.value == "who":
        _rename(file, key, "of")
    who = str(said.get("who", "by"))
    text = expression(who[1:].strip()) if who.startswith("=") else "event." + ROLES.get(who, who)
    quoted = f'"{text}"' if _LONGER.search(text.removeprefix("event.")) else text
    file.replace(value.start_mark.index, value.end_mark.index, quoted)
    return None


def _key(table: str, path: tuple[str, ...], beside: set[str], value: Node) -> str | None:
    """What a key is called now; None if its name is as it was."""
    if path[0] == "append" and len(path) > 1:  # what an overlay adds to a list of the row
        path = path[1:]
    key = path[-1]
    if "die" in beside and key == "from":
        return "at_least"
    if key == "income" and table in ("frame", "frame_changes"):
        return "total_stat" if isinstance(value, ScalarNode) else None
    if key == "mark" and path[-2:-1] == ("[]",) and isinstance(value, MappingNode):
        return "flag"
    for pattern, new in KEYS.get(table, {}).items():
        if _fits(pattern, path):
            return new
    return ANYWHERE.get(key)


def _fits(pattern: str, path: tuple[str, ...]) -> bool:
    parts = pattern.split(".")
    if parts[0] == "**":
        parts = parts[1:]
        path = path[-len(parts) :]
    return len(parts) == len(path) and all(p in ("*", q) for p, q in zip(parts, path, strict=True))


def _value(file: File, node: ScalarNode, table: str, path: tuple[str, ...]) -> None:
    start, end = node.start_mark.index, node.end_mark.index
    raw = file.text[start:end]
    key = next((p for p in reversed(path) if p != "[]"), "")
    if path[-2:-1] and path[-2] in ("among", "numbers", "slots", "set", "with"):
        key = ""  # the name of a slot, a field or a role
    plain = tuple(p for p in path if p != "[]") if path[-1:] == ("[]",) else path
    for pattern, words in VALUES.get(table, {}).items():
        if (_fits(pattern, path) or _fits(pattern, plain)) and node.value in words:
            return _rename(file, node, words[node.value])
    if node.value in KINDS and _names_a_kind(table, path):
        return _rename(file, node, KINDS[node.value])
    if path == ("remove", "[]") and (table, node.value) in OVER_LINKS:
        return file.tell(node, "take the passage itself out: it closes the link between its ends")
    if path == ("remove", "[]"):  # a key that an overlay takes off the row
        new = _key(table, (str(node.value),), set(), node)
        return _rename(file, node, new) if new else None
    if table == "terms" and key == "of":
        raw = re.sub(r":(gate)\b", lambda m: ":" + KINDS[m[1]], raw)
        raw = re.sub(r"^(\W*)(gate|act|purse):", lambda m: m[1] + NAMES[m[2]] + ":", raw)
        return file.replace(start, end, raw)
    file.replace(start, end, scalar(raw, key))
    return None


def _names_a_kind(table: str, path: tuple[str, ...]) -> bool:
    """Whether a value is a kind of thing: what a slot takes."""
    return "slots" in path[-3:] and table not in ("test", "scenario")


def _rename(file: File, node: Node, new: str) -> None:
    start, end = node.start_mark.index, node.end_mark.index
    raw = file.text[start:end]
    file.replace(start, end, raw.replace(str(node.value), new, 1))


def _drop(file: File, node: MappingNode, number: int) -> None:
    """Take a key and its value out of a map."""
    key, value = node.value[number]
    if node.flow_style:
        stop = _end(value)
        if number and not all(k.value in GONE for k, _ in node.value[:number]):  # with the comma before it
            return file.replace(file.text.rindex(",", 0, key.start_mark.index), stop, "")
        comma = re.compile(r"\s*,\s*").match(file.text, stop)
        return file.replace(key.start_mark.index, comma.end() if comma else stop, "")
    line = file.text.rfind("\n", 0, key.start_mark.index) + 1
    after = file.text.find("\n", _end(value)) + 1 or len(file.text)
    if file.text[line : key.start_mark.index].strip():  # the first key of an item of a list
        if number + 1 == len(node.value):
            return file.tell(key, "a step that only watches: give it an id, or take it out")
        return file.replace(key.start_mark.index, node.value[number + 1][0].start_mark.index, "")
    return file.replace(line, after, "")


MERGED: Final = (
    "action_changes",
    "counters",
    "definitions",
    "notes",
    "resources",
    "sequence",
    "transfers",
    "victory",
)
"""Keys that two earlier ones have become."""


def put_together(file: File) -> File:
    """A file in which no key of `MERGED` stands twice in a map; what cannot be put together is told."""
    while any(len(re.findall(rf"(?<![\w-]){key}['\"]?:", file.text)) > 1 for key in MERGED):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            found = _twice(YAML(typ="rt", pure=True).compose(file.text))
        if found is None:
            break
        node, first, second = found
        (_, one), (key, other) = node.value[first], node.value[second]
        for row in _ids(other) & _ids(one):
            file.tell(key, f"two rows of {key.value!r} have the id {row!r} now; give one of them another")
        text = file.text
        if isinstance(one, SequenceNode) and isinstance(other, SequenceNode) and not one.flow_style:
            _add_rows(file, one, key, other)
        elif isinstance(one, SequenceNode) and isinstance(other, SequenceNode) and not other.flow_style:
            file.replace(one.start_mark.index, _end(one), _as_block(text, one))
        elif one.flow_style != other.flow_style:
            file.tell(key, f"put what stands here under the other {key.value!r}")
            break
        elif one.flow_style:
            added = text[other.start_mark.index + 1 : _end(other) - 1].strip()
            file.replace(_end(one) - 1, _end(one) - 1, f", {added}" if one.value else added)
            _drop(file, node, second)
        else:
            at, added = _end(one), "\n" + text[text.rfind("\n", 0, other.start_mark.index) + 1 : _end(other)]
            file.replace(at, at, added)
            _drop(file, node, second)
        file = File(file.path, file.result(), untold=file.untold, words=file.words)
    return file


def _as_block(text: str, rows: Node) -> str:
    """The members of a flow list, each on a line of its own."""
    return "".join(f"\n  - {text[row.start_mark.index : _end(row)]}" for row in rows.value)


def _add_rows(file: File, one: SequenceNode, key: Node, other: SequenceNode) -> None:
    """Put the rows of a table behind those of the same table above, with the comments before it and beside
    its name.
    """
    text = file.text
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    indent = " " * (start_of_first.column if (start_of_first := _dash(one)) else 0)
    while start and text[text.rfind("\n", 0, start - 1) + 1 : start].lstrip().startswith("#"):
        start = text.rfind("\n", 0, start - 1) + 1  # a comment above
    head = text[key.end_mark.index : text.find("\n", key.end_mark.index)]
    remarks = [line.strip() for line in text[start : key.start_mark.index].splitlines() if line.strip()]
    if not other.flow_style and "#" in head:
        remarks.append(head[head.index("#") :])
    if other.flow_style:
        rows = _as_block(text, other).replace("\n  - ", f"\n{indent}- ")
    else:
        first = text.find("\n", key.end_mark.index) + 1
        shift = len(indent) - (found.column if (found := _dash(other)) else 0)
        rows = "\n" + _shifted(text[first : _end(other)], shift)
    at = _end(one)
    line_end = text.find("\n", at)
    at = line_end if line_end >= 0 and text[at:line_end].lstrip().startswith("#") else at
    file.replace(at, at, "".join(f"\n{indent}{remark}" for remark in remarks) + rows)
    after = text.find("\n", _end(other)) + 1 or len(text)
    beside = text[_end(other) : after].rstrip()
    if text[:start].endswith("\n\n") and text[after : after + 1] in ("", "\n"):
        start -= 1  # of two blank lines one
    file.replace(start, after, "")
    if beside.lstrip().startswith("#"):  # a comment behind the last row
        end, rows = file.edits[at]
        file.edits[at] = end, f"{rows}{beside}"


def _dash(rows: Node) -> Any:
    """Where the first dash of a block list stands."""
    return rows.start_mark if rows.value else None


def _shifted(text: str, by: int) -> str:
    """Lines moved to the right, or to the left as far as there are blanks."""
    if by >= 0:
        return "\n".join(" " * by + line if line.strip() else line for line in text.split("\n"))
    return "\n".join(line[-by:] if not line[:-by].strip() else line.lstrip() for line in text.split("\n"))


def _ids(rows: Node) -> set[str]:
    """The ids of the rows of a table."""
    found = set()
    for row in rows.value if isinstance(rows, SequenceNode) else ():
        entries = row.value if isinstance(row, MappingNode) else ()
        found |= {value.value for key, value in entries if key.value == "id"}
    return found


def _twice(node: Node | None) -> tuple[MappingNode, int, int] | None:
    """The first map with two equal keys of `MERGED`, and the numbers of these."""
    children: list[Node] = []
    if isinstance(node, SequenceNode):
        children = node.value
    elif isinstance(node, MappingNode):
        children = [value for _, value in node.value]
    for child in children:
        if (found := _twice(child)) is not None:
            return found
    if not isinstance(node, MappingNode):
        return None
    first: dict[str, int] = {}
    for number, (key, _) in enumerate(node.value):
        if key.value in MERGED and first.setdefault(key.value, number) != number:
            return node, first[key.value], number
    return None


def _end(node: Node) -> int:
    """Where the text of a value ends, without the blank lines and comments after it."""
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):  # it ends where the next line begins
        return len(str(node.end_mark.buffer)[: node.end_mark.index].rstrip())
    if isinstance(node, ScalarNode) or _is_flow(node) or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def files(paths: Iterable[str]) -> Iterator[Path]:
    """The YAML files that are meant."""
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found = (p for p in path.rglob("*.y*ml") if p.suffix in (".yaml", ".yml"))
            yield from sorted(p for p in found if ".venv" not in p.parts and not _of_an_importer(p))
        else:
            yield path


def _of_an_importer(path: Path) -> bool:
    """Whether a file says what the words of another program mean: it has no rules, and is not moved."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return "triplea-words.schema.json" in file.readline()


# --- tables that are settings now


def set_players(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the rows of `PLAYERS` in the tables of a ruleset into its settings; the files that have changed,
    and what could not be moved.
    """
    pattern = re.compile(rf"^(?:{'|'.join(PLAYERS)}):", re.MULTILINE)
    tables = [
        (path, text)
        for path in sorted(p for name in ("tables", "events") for p in (folder / name).rglob("*.y*ml"))
        if pattern.search(text := path.read_text(encoding="utf-8"))
    ]
    if not tables:
        return [], []
    manifest = folder / "ruleset.yaml"
    head = File(manifest, manifest.read_text(encoding="utf-8"))
    root = YAML(typ="rt", pure=True).compose(head.text)
    said = {key.value: value for key, value in root.value} if isinstance(root, MappingNode) else {}
    moved: dict[str, list[str]] = {}
    left: dict[Path, str] = {}
    untold: list[str] = []
    for path, text in tables:
        if "extends" in said or "players" in _keys(said.get("settings")):
            untold.append(
                f"{path}: {', '.join(PLAYERS)} are settings now; write in {manifest.name} what `players` of "
                "the settings says in this ruleset, each of its keys whole"
            )
            continue
        left[path] = _without_players(path, text, moved)
    if not moved:
        return [], untold
    block = "".join(
        f"    {key}:\n" + _indented(moved[table], table, 6)
        for table, key in PLAYERS.items()
        if table in moved
    )
    settings = said.get("settings")
    if settings is not None and settings.flow_style and settings.value:
        return [], [*untold, f"{manifest}: write `settings` as a block, and run this again"]
    if settings is None:
        text = head.text.rstrip("\n") + f"\nsettings:\n  players:\n{block}"
    else:
        at = head.text.find("\n", _end(settings)) + 1 or len(head.text)
        before = head.text[:at] if head.text[:at].endswith("\n") else head.text[:at] + "\n"
        if not settings.value:
            before = re.sub(r"^settings:.*\n", "settings:\n", before, flags=re.MULTILINE)
        text = before + f"  players:\n{block}" + head.text[at:]
    manifest.write_text(text, encoding="utf-8")
    for path, rest in left.items():
        if YAML(typ="rt", pure=True).compose(rest) is None:
            path.unlink()
        else:
            path.write_text(rest, encoding="utf-8")
    return [manifest, *left], untold


def _keys(node: Node | None) -> set[str]:
    return {key.value for key, _ in node.value} if isinstance(node, MappingNode) else set()


def _without_players(path: Path, text: str, moved: dict[str, list[str]]) -> str:
    """The text of a file without the rows of `PLAYERS`, which are added to `moved`, each from the column 0
    on.
    """
    for table in PLAYERS:
        while True:
            file = File(path, text)
            root = YAML(typ="rt", pure=True).compose(text)
            pairs = list(root.value) if isinstance(root, MappingNode) else []
            number = next((n for n, (key, _) in enumerate(pairs) if key.value == table), None)
            if number is None:
                break
            row = next(iter(pairs[number][1].value), None) if pairs[number][1].value else None
            if row is None:
                _drop(file, root, number)
                text = file.result()
                continue
            doomed = next((n for n, (key, _) in enumerate(row.value) if key.value in ("id", "name")), None)
            if doomed is not None and len(row.value) > 1:
                _drop(file, row, doomed)
                text = file.result()
                continue
            rows = pairs[number][1]
            remarks = "" if rows.flow_style else _remarks(text, row)
            shown = "".join(line.strip() + "\n" for line in remarks.splitlines())
            moved.setdefault(table, []).append(shown + _row_text(text, row))
            if len(rows.value) == 1:
                _drop(file, root, number)
            elif rows.flow_style:
                file.replace(row.start_mark.index, rows.value[1].start_mark.index, "")
            else:
                start = text.rfind("\n", 0, row.start_mark.index) + 1 - len(remarks)
                file.replace(start, text.find("\n", _end(row)) + 1, "")
            text = file.result()
    return text


def _remarks(text: str, row: Node) -> str:
    """The lines of comment above a row."""
    lines = text[: text.rfind("\n", 0, row.start_mark.index) + 1].splitlines()
    first = len(lines)
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return "".join(line + "\n" for line in lines[first:])


def _row_text(text: str, row: Node) -> str:
    """A row as it is written, with the comments above its first key, as if it began in column 0."""
    lines = text[row.start_mark.index : _end(row)].split("\n")
    column = row.start_mark.column
    return "\n".join([lines[0], *(line[min(column, len(line) - len(line.lstrip())) :] for line in lines[1:])])


def _indented(rows: list[str], table: str, by: int) -> str:
    """Rows of a table as a setting."""
    if table == "schedule":  # the first is the one that counted
        return "".join(f"{' ' * by}{line}".rstrip() + "\n" for line in rows[0].split("\n"))
    out = ""
    for row in rows:
        remarks = re.match(r"(?:#.*\n)*", row)[0]  # type: ignore[index]  # it may be empty, but it is there
        first, *others = row[len(remarks) :].split("\n")
        out += "".join(f"{' ' * by}{line}\n" for line in remarks.splitlines())
        out += f"{' ' * by}- {first}\n"
        out += "".join(f"{' ' * (by + 2)}{line}".rstrip() + "\n" for line in others)
    return out


# --- ids of rows whose tables have become one


Renamed = dict[tuple[str, str], str]
"""Table and id of a row, as they were, to the id that it has now."""


def with_own_ids(text: str, renamed: Renamed) -> str:
    """A file of the earlier language in which rows are called what `renamed` says, and so wherever they are
    named.
    """
    if not renamed:
        return text
    file = File(Path(), text)
    _call_anew(file, YAML(typ="rt", pure=True).compose(text), renamed)
    text = file.result()
    for (table, id_), new in renamed.items():
        text = re.sub(rf"\b{table}/{re.escape(id_)}(?![\w-])", f"{table}/{new}", text)
    return text


def _call_anew(file: File, node: Node | None, renamed: Renamed) -> None:
    children = node.value if isinstance(node, SequenceNode) else ()
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value in UNIONS and isinstance(value, SequenceNode):
                for row in value.value:
                    _row_anew(file, row, key.value, renamed)
            if new := renamed.get((ELSEWHERE.get(key.value, ""), str(value.value))):
                _rename(file, value, new)
        _list_anew(file, node, renamed)
        children = [value for _, value in node.value]
    for child in children:
        _call_anew(file, child, renamed)


def _list_anew(file: File, node: MappingNode, renamed: Renamed) -> None:
    """A step that named several rows by one id names each by its own."""
    said = {key.value: value for key, value in node.value}
    rows = said.get("rows")
    if "do" not in said or not isinstance(rows, SequenceNode):
        return
    listed = {name.value for name in rows.value}
    for name, table in product(rows.value, LISTED.get(said["do"].value, ())):
        new = renamed.get((table, str(name.value)))
        if new is not None and new not in listed:
            gap = ", " if rows.flow_style else "\n" + " " * (name.start_mark.column - 2) + "- "
            end = name.end_mark.index
            file.edits[end] = (end, file.edits.get(end, (end, ""))[1] + gap + new)


def _row_anew(file: File, row: Node, table: str, renamed: Renamed) -> None:
    for key, value in row.value if isinstance(row, MappingNode) else ():
        other = table if key.value == "id" else NAMES_ROWS.get(table, {}).get(key.value)
        for name in _names_in(value) if other else ():
            if new := renamed.get((str(other), str(name.value))):
                _rename(file, name, new)


def _names_in(node: Node) -> Iterator[Node]:
    """The words of a value: itself, its members or its keys, those of maps in it too."""
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, SequenceNode):
        yield from node.value
    else:
        for key, value in node.value:
            yield key
            if isinstance(value, MappingNode):
                yield from _names_in(value)


_UNITED = re.compile(
    r"^(?:" + "|".join(sorted({*UNIONS, *(TABLES[table] for table in UNIONS)})) + r"):", re.MULTILINE
)


def ids_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Table, as it was called, and id of the rows of a ruleset whose tables have become one, of either
    language.
    """
    tables: dict[tuple[str, Any], str] = {(TABLES[table], kind): table for table, kind in UNIONS.items()}
    for path in sorted(p for name in ("tables", "events") for p in (folder / name).rglob("*.y*ml")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if _UNITED.search(text) is None:
            continue
        try:
            root = YAML(typ="safe", pure=True).load(text)
        except MarkedYAMLError:
            continue
        for name, rows in root.items() if isinstance(root, dict) else ():
            for row in rows if isinstance(rows, list) else ():
                if not isinstance(row, dict) or row.get("remove") is True or "id" not in row:
                    continue
                table = name if name in UNIONS else tables.get((name, row.get("kind")))
                if table is not None:
                    yield table, str(row["id"])


def renamed_in(folder: Path) -> Renamed:
    """The rows of a ruleset, and of those that it extends, that have to give up their id to another."""
    taken: dict[tuple[str, str], str] = {}
    out: Renamed = {}
    for layer in reversed(list(layers(folder))):
        found = dict.fromkeys(ids_of(layer))
        for table, id_ in sorted(found, key=lambda row: list(UNIONS).index(row[0])):
            before = id_.removesuffix(f"-{SUFFIXES[table]}")
            if before != id_ and taken.get((TABLES[table], before), table) != table:
                out[table, before] = id_  # it has given it up already
            elif taken.setdefault((TABLES[table], id_), table) != table:
                out[table, id_] = f"{id_}-{SUFFIXES[table]}"
    return out


_RULESET = re.compile(r"^ruleset:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


def ruleset_at(path: Path, text: str) -> Path | None:
    """The folder of the ruleset that a file belongs to: the one around it, or the one that a scenario
    names.
    """
    if (said := _RULESET.search(text)) is not None:
        return _folder(path.parent, said[1])
    return next((p for p in path.resolve().parents if (p / "ruleset.yaml").is_file()), None)


_CITED = re.compile(r"\b(?:source|clauses):\s*\[([^\]]*)\]")
_CLAUSE = re.compile(r"[a-z]+(?:\.[a-z0-9-]+)+")


def register(folder: Path) -> int:
    """Enter the clauses that a ruleset cites, and that neither it nor what it extends knows, in its register;
    how many.
    """
    known, cited = _known(folder), dict[str, None]()
    if not known:
        return 0
    for path in sorted(p for name in ("tables", "events") for p in (folder / name).rglob("*.y*ml")):
        for said in _CITED.findall(path.read_text(encoding="utf-8")):
            cited |= dict.fromkeys(
                word for part in said.split(",") if _CLAUSE.fullmatch(word := part.strip())
            )
    new = [clause for clause in cited if clause not in known]
    if new:
        (folder / "clauses").mkdir(exist_ok=True)
        rows = "".join(f"  - {{id: {clause}}}\n" for clause in new)
        path = folder / "clauses" / "cited.yaml"
        before = (
            path.read_text(encoding="utf-8")
            if path.is_file()
            else "# Clauses that rows cite; say what each says in `text`.\nclauses:\n"
        )
        path.write_text(before + rows, encoding="utf-8")
    return len(new)


def _known(folder: Path) -> set[str]:
    """The clauses in the register of a ruleset and of those that it extends."""
    out: set[str] = set()
    for layer in layers(folder):
        for path in (layer / "clauses").rglob("*.y*ml"):
            out |= set(re.findall(r"\bid:\s*([a-z]+(?:\.[a-z0-9-]+)+)", path.read_text(encoding="utf-8")))
    return out


_EXTENDS = re.compile(r"^extends:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


def layers(folder: Path) -> Iterator[Path]:
    """A ruleset, then the one that it extends, and so on."""
    seen: set[Path] = set()
    while (folder / "ruleset.yaml").is_file() and folder not in seen:
        seen.add(folder)
        yield folder
        said = _EXTENDS.search((folder / "ruleset.yaml").read_text(encoding="utf-8"))
        if said is None:
            break
        folder = _folder(folder, said[1])


def _folder(here: Path, named: str) -> Path:
    """The folder that a manifest or scenario names; `data:` stands for what the program brings along."""
    data = named.removeprefix("data:")
    return (Path(__file__).resolve().parent.parent / data if data != named else here / named).resolve()


# --- what printed lists say of links, which has become a key of the links


def lists_into_links(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the rows of `link_lists` of a ruleset into its links (`listed`), with their silences and sources.

    Returns the files that have changed, and what is left to do by hand: lists of links that another ruleset
    has, or that no link joins. If anything is, no file is changed.
    """
    read = {path: text for path in _tables_of(folder) if "link" in (text := path.read_text("utf-8"))}
    roots = {path: _composed(text) for path, text in read.items()}
    lists, listed = {}, []
    for path, root in roots.items():
        for key, node in root.value if isinstance(root, MappingNode) else ():
            if key.value == "link_lists" and isinstance(node, SequenceNode):
                lists[path] = node
            elif key.value == "links" and isinstance(node, SequenceNode):
                listed += [(path, row) for row in node.value]
    if not lists:
        return [], []
    edited = {path: File(path, text) for path, text in read.items()}
    sections = dict(_sections(folder))
    rows = [(path, row, _entries(row)) for path, node in lists.items() for row in node.value]
    named = {(_text(said["id"]), _text(k)): v for _, _, said in rows for k, v in _pairs(said.get("links"))}
    links = {}
    for path, row in listed:
        said = _entries(row)
        if isinstance(said.get("between"), SequenceNode):
            links[frozenset(_text(end) for end in said["between"].value)] = (edited[path], row, said)
    added: dict[frozenset[str], _Listed] = {}
    for path, row, said in rows:
        here = _text(said["id"])
        if "remove" in said or "append" in said:
            edited[path].tell(
                row, f"the list of {here!r} changes that of another ruleset: change `listed` of its links"
            )
        for key, section in _pairs(said.get("links")):
            ends = frozenset((here, other := _text(key)))
            if ends not in links:
                what = f"the list of {here!r} names {other!r}, and no link of this ruleset joins them"
                edited[path].tell(key, f"{what}: give that link `listed: {{{other}: {section.value}}}`")
                continue
            new = added.setdefault(ends, _Listed())
            new.places[other] = _written(edited[path], section)
            new.sources += [one for one in _texts(said.get("source")) if one not in new.sources]
            for code, why in _pairs(said.get("silence")):
                if code.value == "W508" and (other, here) in named:
                    continue
                if code.value == "W509" and section.value in ("null", "~", "", sections.get(other)):
                    continue
                new.silence.setdefault(code.value, " ".join(str(why.value).split()))
    for ends, new in added.items():
        _say_listed(*links[ends], new)
    untold = [told for file in edited.values() for told in file.untold]
    if untold:  # nothing is moved twice, or by halves
        return [], untold
    for path, node in lists.items():
        _without_table(edited[path], roots[path], node)
    changed = [file for file in edited.values() if file.edits]
    for file in changed:
        text = file.result()
        if not _composed(text):
            file.path.unlink()  # nothing but comments on the lists was in it
        else:
            file.path.write_text(text, encoding="utf-8")
    return [file.path for file in changed], []


@dataclass
class _Listed:
    """What lists say of one link."""

    places: dict[str, str] = field(default_factory=dict)
    silence: dict[str, str] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)


def _say_listed(file: File, row: MappingNode, said: dict[str, Node], new: _Listed) -> None:
    """Write what lists say of a link into its row, and the silences and sources of the lists with it."""
    after = said.get("guards") or said.get("kind") or said["between"]
    gap = ", " if row.flow_style else "\n" + " " * row.value[0][0].start_mark.column
    text = f"{gap}listed: {{{', '.join(f'{place}: {section}' for place, section in new.places.items())}}}"
    if new.silence and "silence" in said:
        file.tell(said["silence"], f"what its list silences goes here: {', '.join(sorted(new.silence))}")
    elif new.silence:
        reasons = ", ".join(
            f"{code}: {json.dumps(why, ensure_ascii=False)}" for code, why in new.silence.items()
        )
        text += f"{gap}silence: {{{reasons}}}"
    more = [one for one in new.sources if one not in _texts(said.get("source"))]
    sources = said.get("source")
    if more and isinstance(sources, SequenceNode) and sources.flow_style:
        last = _end(sources) - 1
        file.edits[last] = (last, f", {', '.join(more)}")
    elif more and sources is None:
        text += f"{gap}source: [{', '.join(more)}]"
    elif more:
        file.tell(said["source"], f"the sources of its list go here: {', '.join(more)}")
    file.edits[_end(after)] = (_end(after), text)


def _without_table(file: File, root: Node, rows: Node) -> None:
    """Take the table of lists out of a file, with the comments in it."""
    number = next(n for n, (_, node) in enumerate(root.value) if node is rows)
    start = file.text.rfind("\n", 0, root.value[number][0].start_mark.index) + 1
    following = root.value[number + 1 :]
    stop = file.text.rfind("\n", 0, following[0][0].start_mark.index) + 1 if following else len(file.text)
    while following and file.text[file.text.rfind("\n", 0, stop - 1) + 1 : stop].startswith("#"):
        stop = file.text.rfind("\n", 0, stop - 1) + 1  # what is said of the next table stays
    file.replace(start, stop, "")


def _tables_of(folder: Path) -> list[Path]:
    return sorted(p for name in ("tables", "events") for p in (folder / name).rglob("*.y*ml"))


def _composed(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReusedAnchorWarning)
        return YAML(typ="rt", pure=True).compose(text)


def _sections(folder: Path) -> Iterator[tuple[str, str]]:
    """Place -> the section that it is in."""
    for path in _tables_of(folder):
        for key, rows in getattr(_composed(path.read_text("utf-8")), "value", ()):
            for said in map(_entries, rows.value if key.value == "places" else ()):
                if "section" in said and "id" in said:
                    yield _text(said["id"]), _text(said["section"])


def _entries(row: Node) -> dict[str, Node]:
    return {_text(key): value for key, value in _pairs(row)}


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return list(node.value) if isinstance(node, MappingNode) else []


def _texts(node: Node | None) -> list[str]:
    return [_text(one) for one in node.value] if isinstance(node, SequenceNode) else []


def _text(node: Node) -> str:
    return str(node.value)


def _written(file: File, node: Node) -> str:
    return file.text[node.start_mark.index : node.end_mark.index] or "null"


# --- comments that say which changes make no difference, which have a file of their own


_MARK = re.compile(r"#\s*equivalent\s*\(([^)]*(?:\)[^)]*)*)\)\s*:\s*(\S.*)$")
_ROWS_OF_MARKS = "equivalent:\n"


def marks_into_tests(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the comments `# equivalent (OLD -> NEW): why` in the tables of a ruleset into the file
    `tests/equivalent.yaml` beside its rule tests.

    Returns the files that have changed, and the comments that are at no row, or cannot be read: these stay.
    """
    rows: list[str] = []
    changed: list[Path] = []
    untold: list[str] = []
    folders = [folder / name for name in ("tables", "events", "clauses")]
    for path in [folder / "ruleset.yaml", *sorted(p for f in folders for p in f.rglob("*.y*ml"))]:
        text = path.read_text(encoding="utf-8")
        tree, _ = load_text(text, str(path)) if "# equivalent" in text else (None, [])
        if tree is None or not tree.is_map:
            continue
        lines = text.split("\n")
        doomed: set[int] = set()
        for first, last, at, mark in _marks_in(lines):
            found = _MARK.search(mark)
            places = list(_begun_at(tree, at + 1))
            if found is None or not places:
                untold.append(
                    f"{path}:{first + 1}: write in tests/equivalent.yaml which row this is about: {mark}"
                )
                continue
            changes = [change.strip() for change in found[1].replace("\u2192", "->").split(";")]
            rows += [_mark_row(row, place, changes, found[2].strip()) for row, place in places]
            if first == at:
                lines[at] = lines[at][: _MARK.search(lines[at]).start()].rstrip()  # type: ignore[union-attr]
            else:
                doomed.update(range(first, last + 1))
        left = "\n".join(line for number, line in enumerate(lines) if number not in doomed)
        if left != text:
            path.write_text(left, encoding="utf-8")
            changed.append(path)
    if rows:
        marks = folder / "tests" / "equivalent.yaml"
        marks.parent.mkdir(exist_ok=True)
        before = marks.read_text(encoding="utf-8") if marks.is_file() else _ROWS_OF_MARKS
        marks.write_text(before.rstrip("\n") + "\n" + "".join(rows), encoding="utf-8")
        changed.append(marks)
    return changed, untold


def _marks_in(lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """The marks in the lines of a file, numbered from 0: the first and the last line of its comment, the line
    that it is about, and its text. A comment above a line goes on until another mark begins.
    """
    number = 0
    while number < len(lines):
        if not lines[number].lstrip().startswith("#"):
            if "# equivalent" in lines[number]:
                yield number, number, number, lines[number]
            number += 1
            continue
        end = next(
            (n for n in range(number, len(lines)) if not lines[n].lstrip().startswith("#")), len(lines)
        )
        starts = [n for n in range(number, end) if re.match(r"\s*#\s*equivalent\b", lines[n])]
        about = next((n for n in range(end, len(lines)) if lines[n].strip()), len(lines))
        for start, stop in zip(starts, [*starts, end][1:], strict=True):
            said = [lines[start], *(line.strip(" #") for line in lines[start + 1 : stop])]
            yield start, stop - 1, about, " ".join(said)
        number = end


def _begun_at(tree: Any, line: int) -> Iterator[tuple[str, str]]:
    """The row that begins in a line, or else what begins there in the first row in which anything does: the
    row as "table/id", and the place ("" for the row itself).
    """
    for table, id_, row in rows_of_file(tree):
        if row.line == line:
            yield f"{table}/{id_}", ""
            return
        paths = list(_paths_at(row, line, ()))
        if paths:
            yield from ((f"{table}/{id_}", places_along(row, path)[-1]) for path in paths)
            return


def _paths_at(node: Any, line: int, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The paths of the outermost keys and members that begin in a line."""
    entries = [(key, child, node.keys.get(key, ("", 0, 0))[1]) for key, child in node.items()]
    entries += [(number, child, child.line) for number, child in enumerate(node.members())]
    for step, child, begun in entries:
        if begun == line:
            yield (*path, step)
        elif begun < line:  # what an alias repeats begins above it
            yield from _paths_at(child, line, (*path, step))


def _mark_row(row: str, at: str, changes: list[str], reason: str) -> str:
    """A row of the file of marks."""

    def written(text: str) -> str:
        plain = re.fullmatch(r"[A-Za-z][\w /.()'-]*(?:, [\w /.()'-]+)*|\w+(?: -> \w+)?", text)
        return text if plain else json.dumps(text, ensure_ascii=False)

    said = f"  - row: {row}\n"
    if at:
        said += f"    at: {written(at)}\n"
    if changes != ["*"]:
        said += f"    changes: [{', '.join(map(written, changes))}]\n"
    return f"{said}    reason: {written(reason)}\n"


# --- what only one way to do something says, which stands in a block of that way


CHOICES: Final[dict[str, tuple[str, str, dict[str, tuple[str, ...]]]]] = {
    "": (
        "where",
        "contested",
        {
            "contested": ("apart", "standing", "before"),
            "contacts": ("detection", "contact_again", "beside"),
            "passed": ("from_start",),
            "records": ("over", "at", "parties", "came_from", "origins"),
        },
    ),
    "stages": (
        "resolve",
        "roll_under",
        {
            "roll_under": ("pooled",),
            "face": ("table", "order"),
            "sum": ("each_die", "side_die", "reroll", "tie", "loss"),
            "compare": ("tie",),
        },
    ),
}
"""Of a battle, and of its stages: the key that chooses, what goes without saying, and the keys of each choice
that stood beside it and stand in its block now.
"""
WIDTH: Final = 96


def into_blocks(file: File, folder: Path | None = None) -> File:
    """A file in which what only some battles say stands in the block of `where` or `resolve`.

    `folder`: the ruleset that the file belongs to; of a row laid over another, whose `where` it replaces
    whole, what the row below says goes into the block.
    """
    if "battles" not in file.text:
        return file
    root = _composed(file.text)
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    for rows in _battles_in(root):
        for row in (row for row in rows.value if isinstance(row, MappingNode)):
            said = _entries(row)
            parts = [(row, ""), *((one, "stages") for one in _members(said.get("stages")))]
            if isinstance(more := said.get("append"), MappingNode):
                parts += [(more, ""), *((one, "stages") for one in _members(_entries(more).get("stages")))]
            for part, kind in parts:
                new = kind or part is not row or "stages" in said
                _into_block(done, part, kind, {} if new else _below(file.path, folder, _text(said["id"])))
            for name in _texts(said.get("remove")):
                if (word := _choice_of("", name)) is not None:
                    done.tell(
                        said["remove"], f"{name!r} stands in `where: {{{word}: ...}}` now: say it there"
                    )
    for node in _marks_of_battles(root):
        _mark_anew(done, node)
    return File(file.path, done.result(), untold=done.untold, words=file.words + len(done.edits))


def _battles_in(node: Node | None) -> Iterator[SequenceNode]:
    """The rows of battles in a file, in `rules` of a scenario or a case too."""
    if isinstance(node, SequenceNode):
        for one in node.value:
            yield from _battles_in(one)
    for key, value in _pairs(node):
        if key.value == "battles" and isinstance(value, SequenceNode):
            yield value
        else:
            yield from _battles_in(value)


def _members(node: Node | None) -> list[MappingNode]:
    return (
        [one for one in node.value if isinstance(one, MappingNode)] if isinstance(node, SequenceNode) else []
    )


def _choice_of(kind: str, key: str) -> str | None:
    """The first choice in whose block a key stands."""
    return next((word for word, keys in CHOICES[kind][2].items() if key in keys), None)


def _into_block(file: File, node: MappingNode, kind: str, below: dict[str, Any]) -> None:
    """Move the keys of a choice into its block."""
    name, default, words = CHOICES[kind]
    said = _entries(node)
    loose = [key for key, _ in _pairs(node) if _choice_of(kind, _text(key)) is not None]
    repeated = _repeated(node)  # what `<<` brings from another row
    if not loose and not (name in said and any(_choice_of(kind, key) is not None for key in repeated)):
        return
    chosen = said.get(name) or repeated.get(name)
    if chosen is not None and not isinstance(chosen, ScalarNode):
        return file.tell(loose[0], f"{_text(loose[0])!r} goes into the block of {name!r}")
    word = _text(chosen) if chosen is not None else _choice_of(kind, _text(loose[0])) or default
    keys = words.get(word, ())
    numbers = [n for n, (key, _) in enumerate(_pairs(node)) if _text(key) in keys]
    for key in loose:
        if _text(key) not in keys:
            file.tell(key, f"{_text(key)!r} is not read beside `{name}: {word}`")
    given = {_text(node.value[n][0]) for n in numbers}
    more = {key: _written(file, value) for key, value in repeated.items() if key in keys}
    more |= {key: json.dumps(value, ensure_ascii=False) for key, value in below.items() if key in keys}
    inherited = [f"{key}: {' '.join(value.split())}" for key, value in more.items() if key not in given]
    if not numbers and not inherited:
        return
    at = next((n for n, (key, _) in enumerate(_pairs(node)) if key.value == name), None)
    _write_block(file, node, name, word, numbers, at, inherited)


def _repeated(node: MappingNode) -> dict[str, Node]:
    """The entries that a map repeats of others (`<<`)."""
    out: dict[str, Node] = {}
    for key, value in _pairs(node):
        for other in (value, *_members(value)) if key.value == "<<" else ():
            if isinstance(other, MappingNode):
                out = {**_repeated(other), **_entries(other), **out}
    out.pop("<<", None)
    return out


def _write_block(
    file: File, node: MappingNode, name: str, word: str, numbers: list[int], at: int | None, more: list[str]
) -> None:
    """Write a block of the entries `numbers` of a map, at the place of the key that chooses (`at`) or of the
    first of them.
    """
    text = file.text
    spot = numbers[0] if at is None else at
    key, value = node.value[spot]
    start, stop = key.start_mark.index, _stop(text, key, value)
    entries = [text[node.value[n][0].start_mark.index : _stop(text, *node.value[n])] for n in numbers]
    spans = [_span(text, node, n) for n in numbers]
    bare = all(_is_plain(text, node, n) for n in numbers) and not any(
        "#" in text[first:last].replace(entry, "")
        for (first, last), entry in zip(spans, entries, strict=True)
    )
    flow = f"{name}: {{{word}: {{{', '.join([*more, *entries])}}}}}"
    column = key.start_mark.column
    if node.flow_style or (bare and column + len(flow) <= WIDTH):
        file.replace(start, stop, flow)
        for n in numbers if at is not None else numbers[1:]:
            _take_out(file, node, n)
        return
    pad = " " * column
    lines = [f"{name}:", f"{pad}  {word}:", *(f"{pad}    {line}" for line in more)]
    first_line = text[stop : _line_end(text, stop)] if at is not None else ""
    lines[0] += first_line
    for (first, last), n in zip(spans, numbers, strict=True):
        begun = node.value[n][0].start_mark
        piece = text[first:last].rstrip("\n")
        if first == begun.index:  # behind the dash of a list
            piece = " " * begun.column + piece
        lines.append(_shifted(piece, 4))
    begin, end = (start, _line_end(text, stop)) if at is not None else (spans[0][0], spans[0][1])
    body = "\n".join(lines)
    if at is None and begin != start:
        body = pad + body
    file.replace(begin, end, body if at is not None else body + "\n")
    for n in numbers if at is not None else numbers[1:]:
        _take_out(file, node, n)


def _stop(text: str, key: Node, value: Node) -> int:
    """Where an entry of a map ends; a value that is an alias begins elsewhere."""
    begun = key.end_mark.index
    if alias := re.compile(r"\s*:\s*\*[^\s,\]}]+").match(text, begun):
        return alias.end()
    end = _end(value)
    if end <= begun:  # the last of its members is an alias, or nothing stands there
        end = len(text[: max(value.end_mark.index, begun + 1)].rstrip())
    return end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _span(text: str, node: MappingNode, number: int) -> tuple[int, int]:
    """The lines of an entry of a block map, with the comments above it and behind it."""
    key, value = node.value[number]
    start = key.start_mark.index
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip():  # the first of an item of a list
        line = start
    else:
        while line and number and text[text.rfind("\n", 0, line - 1) + 1 : line].lstrip().startswith("#"):
            line = text.rfind("\n", 0, line - 1) + 1
    stop = _stop(text, key, value)
    return line, min(_line_end(text, stop) + 1, len(text)) if not node.flow_style else stop


def _is_plain(text: str, node: MappingNode, number: int) -> bool:
    """Whether an entry may stand in a flow map as it is: on one line, without what ends a value there."""
    key, value = node.value[number]
    entry = text[key.start_mark.index : _stop(text, key, value)]
    if "\n" in entry or text[text.rfind("\n", 0, key.start_mark.index) + 1 : key.start_mark.index].strip():
        return False
    if isinstance(value, ScalarNode):
        return value.style in ("'", '"') or not re.search(r"[,\[\]{}#]", str(value.value))
    return bool(value.flow_style)


def _take_out(file: File, node: MappingNode, number: int) -> None:
    """Take an entry out of a map, with the comments that have moved with it."""
    key, value = node.value[number]
    text = file.text
    if not node.flow_style:
        first, last = _span(text, node, number)
        if first == key.start_mark.index and number + 1 < len(node.value):  # behind the dash of a list
            last = node.value[number + 1][0].start_mark.index
        return file.replace(first, last, "")
    stop = _stop(text, key, value)
    if not number:
        comma = re.compile(r"\s*,\s*").match(text, stop)
        return file.replace(key.start_mark.index, comma.end() if comma else stop, "")
    begun = text.index(",", _stop(text, *node.value[number - 1]))
    gap = text[begun + 1 : key.start_mark.index]
    # a remark in the gap is about what stands before it
    return file.replace(begun, stop, gap.rstrip(" ") if "#" in gap else "")


def _below(path: Path, folder: Path | None, id_: str) -> dict[str, Any]:
    """What the rows of a battle below a file say of their `where`: keys of its block and their values."""
    out: dict[str, Any] = {}
    if folder is None:
        return out
    for layer in reversed(_layers_below(path, folder)):
        for table in _tables_of(layer):
            text = table.read_text("utf-8")
            rows = YAML(typ="safe", pure=True).load(migrate(table, text).text) if "battles:" in text else None
            for row in (rows or {}).get("battles") or ():
                if row.get("id") == id_:
                    out |= {key: value for key, value in row.items() if _choice_of("", key) is not None}
                    where = row.get("where")
                    out = dict(next(iter(where.values()))) if isinstance(where, dict) else out
    return out


def _marks_of_battles(root: Node | None) -> Iterator[Node]:
    """The places in rows of battles that marks of equivalent changes name."""
    for key, rows in _pairs(root):
        for said in map(_entries, _members(rows) if key.value == "equivalent" else ()):
            if "at" in said and _text(said.get("row", said["at"])).startswith("battles/"):
                yield said["at"]


_AT: Final = re.compile(r"^(stages\[[^\]]*\]\.)?([a-z_]+)(.*)$")


def _mark_anew(file: File, node: Node) -> None:
    found = _AT.match(_text(node))
    kind = "stages" if found is not None and found[1] else ""
    word = _choice_of(kind, found[2]) if found is not None else None
    if found is None or word is None:
        return
    if found[2] == "tie":
        return file.tell(node, "`tie` stands in `resolve: {sum: ...}` or `{compare: ...}` now: say which")
    new = f"{found[1] or ''}{CHOICES[kind][0]}.{word}.{found[2]}{found[3]}"
    file.replace(node.start_mark.index, node.end_mark.index, json.dumps(new) if kind else new)


# --- how treasuries are divided, which their resource says


DIVISION: Final = ("links", "through", "shared", "seat", "note")
"""What a row of `treasuries` said of regions, and the block `region` of a resource says now."""


def with_treasuries(file: File, folder: Path | None = None) -> File:
    """A file whose rows of `treasuries` are rows of `resources`, each with how its treasuries are divided
    (`treasury`).
    """
    while "treasuries" in file.text:
        root = _composed(file.text)
        found = next(_treasuries_in(root), None)
        if found is None:
            break
        holder, number = found
        key, rows = holder.value[number]
        known = next((value for name, value in holder.value if name.value == "resources"), None)
        if known is not None and {*_ids(known)} & {*_ids(rows)}:
            file = _into_rows(file, holder, number, known)
            continue
        for row in _members(rows):
            _divide(file, row, folder)
        _rename(file, key, "resources")
        file = File(file.path, file.result(), untold=file.untold, words=file.words + len(file.edits))
    return put_together(file)


def _treasuries_in(node: Node | None) -> Iterator[tuple[MappingNode, int]]:
    """The maps in which there is a table of treasuries, and which of their entries it is."""
    if isinstance(node, SequenceNode):
        for one in node.value:
            yield from _treasuries_in(one)
    for number, (key, value) in enumerate(_pairs(node)):
        if key.value == "treasuries" and isinstance(value, SequenceNode) and _ids(value):
            yield node, number  # type: ignore[misc]  # only a map has pairs
        else:
            yield from _treasuries_in(value)


def _divide(file: File, row: MappingNode, folder: Path | None) -> None:
    """Say in a row of a resource how its treasuries are divided."""
    said = _entries(row)
    if _text(said.get("remove", row)) == "true":
        return file.replace(said["remove"].start_mark.index, said["remove"].end_mark.index, "[treasury]")
    if "append" in said or "remove" in said:
        return file.tell(row, "say whole in `treasury` how the treasuries of the resource are divided")
    below = _divided_below(file.path, folder, _text(said["id"])) if folder is not None else {}
    word = _text(said["per"]) if "per" in said else str(below.get("per", ""))
    if not word:
        return file.tell(row, "say in `treasury` whether there is one for each nation, region or place")
    region = word == "region"
    numbers = [n for n, (key, _) in enumerate(row.value) if region and _text(key) in DIVISION]
    for name, value in row.value:
        if not region and _text(name) in ("links", "through", "shared", "seat"):
            _take_out(file, row, next(n for n, (_, one) in enumerate(row.value) if one is value))
    given = {_text(row.value[n][0]) for n in numbers}
    more = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in below.items()
            if region and key in DIVISION and key not in given]  # fmt: skip
    at = next((n for n, (key, _) in enumerate(row.value) if key.value == "per"), None)
    if numbers or more:
        return _write_block(file, row, "treasury", word, numbers, at, more)
    key, value = row.value[at] if at is not None else row.value[0]
    return file.replace(key.start_mark.index, value.end_mark.index, f"treasury: {word}")


def _divided_below(path: Path, folder: Path, id_: str) -> dict[str, Any]:
    """What rows below a file say of how the treasuries of a resource are divided: a row of `treasuries`."""
    out: dict[str, Any] = {}
    for layer in reversed(_layers_below(path, folder)):
        for table in _tables_of(layer):
            if "treasur" not in (text := table.read_text("utf-8")):
                continue
            tables = YAML(typ="safe", pure=True).load(migrate(table, text).text)
            for name, row in ((n, r) for n in ("treasuries", "resources") for r in (tables.get(n) or ())):
                if row.get("id") == id_ and name == "treasuries":
                    out |= row  # of the earlier language
                elif row.get("id") == id_ and "treasury" in row:
                    how = row["treasury"]
                    out = {"per": "region", **how["region"]} if isinstance(how, dict) else {"per": how}
    return out


def _is_table_of(path: Path, folder: Path | None) -> bool:
    """Whether a file is one of the tables of a ruleset."""
    return folder is not None and any(
        path.resolve().is_relative_to(folder / name) for name in ("tables", "events")
    )


def _layers_below(path: Path, folder: Path) -> list[Path]:
    """The rulesets below a file, the nearest first: of a file beside the tables its own, too."""
    return list(layers(folder))[1:] if _is_table_of(path, folder) else list(layers(folder))


def _into_rows(file: File, holder: MappingNode, number: int, known: Node) -> File:
    """Put the first row of treasuries whose resource stands in the same map into the row of that."""
    _, rows = holder.value[number]
    resources = {_text(_entries(one)["id"]): one for one in _members(known) if "id" in _entries(one)}
    row = next(one for one in _members(rows) if _text(_entries(one)["id"]) in resources)
    _say_division(file, row, resources[_text(_entries(row)["id"])], file)
    _without_row(file, holder, number, row)
    return File(file.path, file.result(), untold=file.untold, words=file.words + len(file.edits))


def _say_division(file: File, row: MappingNode, resource: MappingNode, target: File) -> None:
    """Write into the row of a resource (of the file `target`) what a row of treasuries says."""
    own = File(file.path, "x:\n" + _shifted(_remarks_text(file.text, row) + _row_text(file.text, row), 2))
    single = _composed(own.text).value[0][1]
    _divide(own, single, None)
    made = own.result()
    said = _entries(_composed(made).value[0][1])
    to = _entries(resource)
    target.untold += [f"{file.path}:{row.start_mark.line + 1}: {told}" for told in own.untold]
    node = _composed(made).value[0][1]
    n = next((n for n, (key, _) in enumerate(node.value) if key.value == "treasury"), None)
    remarks = _remarks_text(file.text, row)
    if n is not None and (_text(said["treasury"]) != "nation" or remarks):
        first, last = _span(made, node, n)
        start, stop = node.value[n][0].start_mark.index, _stop(made, *node.value[n])
        piece = made[start:stop] if node.flow_style else _row_at(made[first:last].rstrip("\n"))
        after = next(to[key] for key in ("aliases", "name", "id") if key in to)
        end = _stop(target.text, next(k for k, v in resource.value if v is after), after)
        if resource.flow_style:
            flat = piece if "\n" not in piece else f"treasury: {json.dumps(_loaded(piece)['treasury'])}"
            target.edits[end] = (end, f", {flat}")
            line = target.text.rfind("\n", 0, resource.start_mark.index) + 1
            if remarks and target.text[line : resource.start_mark.index].strip() == "-":
                pad = " " * target.text[line:].index("-")
                target.edits[line] = (line, "".join(f"{pad}{remark}\n" for remark in remarks.splitlines()))
            elif remarks:
                target.tell(resource, f"of its treasuries was said: {' '.join(remarks.split())}")
        else:
            pad = " " * resource.value[0][0].start_mark.column
            end = _line_end(target.text, end)
            lines = "\n".join(f"{pad}{line}".rstrip() for line in (remarks + piece).splitlines())
            target.edits[end] = (end, f"\n{lines}")
    if "note" in said and n is not None:
        target.tell(resource, f"its treasuries had the note: {' '.join(_text(said['note']).split())}")
    _more_sources(target, resource, to, _texts(said.get("source")))


def _loaded(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def _row_at(text: str) -> str:
    """Lines as they stand if the first begins in column 0."""
    column = len(text) - len(text.lstrip())
    return "\n".join(line[min(column, len(line) - len(line.lstrip())) :] for line in text.split("\n"))


def _remarks_text(text: str, row: Node) -> str:
    """The comments above a row, each line from column 0 on."""
    dash = text[text.rfind("\n", 0, row.start_mark.index) + 1 : row.start_mark.index].strip() == "-"
    return "".join(line.strip() + "\n" for line in _remarks(text, row).splitlines()) if dash else ""


def _more_sources(file: File, row: MappingNode, said: dict[str, Node], more: list[str]) -> None:
    """Cite further clauses in a row."""
    sources = said.get("source")
    new = [one for one in more if one not in _texts(sources)]
    if not new:
        return
    if sources is None:
        last = row.value[-1]
        end = _stop(file.text, *last)
        gap = ", " if row.flow_style else "\n" + " " * row.value[0][0].start_mark.column
        file.edits[end] = (end, f"{file.edits.get(end, (end, ''))[1]}{gap}source: [{', '.join(new)}]")
    elif _is_flow(sources):
        end = _end(sources) - 1
        file.edits[end] = (end, f", {', '.join(new)}")
    else:
        end = _end(sources)
        gap = "\n" + " " * (sources.start_mark.column) + "- "
        file.edits[end] = (end, "".join(gap + one for one in new))


def _without_row(file: File, holder: MappingNode, number: int, row: Node) -> None:
    """Take a row out of a table, and the table if it was the last."""
    key, rows = holder.value[number]
    text = file.text
    if len(rows.value) == 1 and holder.flow_style:
        return _take_out(file, holder, number)
    if len(rows.value) == 1:
        start = text.rfind("\n", 0, key.start_mark.index) + 1
        stop = min(_line_end(text, _end(rows)) + 1, len(text))
        if text[:start].endswith("\n\n") and text[stop : stop + 1] in ("", "\n"):
            start -= 1  # of two blank lines one
        return file.replace(start, stop, "")
    at = rows.value.index(row)
    if rows.flow_style:
        first, last = (row, rows.value[1]) if not at else (rows.value[at - 1], row)
        start = row.start_mark.index if not at else _end(first)
        return file.replace(start, last.start_mark.index if not at else _end(row), "")
    start = text.rfind("\n", 0, row.start_mark.index) + 1 - len(_remarks(text, row))
    return file.replace(start, min(_line_end(text, _end(row)) + 1, len(text)), "")


def divide_in_resources(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the rows of `treasuries` of a ruleset whose resource stands in another file into the row of that;
    all others become rows of `resources` where they stand.
    """
    changed: dict[Path, None] = {}
    untold: list[str] = []
    for path in _tables_of(folder):
        while re.search(r"^treasuries:", text := path.read_text("utf-8"), re.MULTILINE):
            root = _composed(text)
            number = next((n for n, (k, _) in enumerate(_pairs(root)) if k.value == "treasuries"), None)
            if number is None:
                break
            file = File(path, text)
            rows = _members(root.value[number][1])
            found = next(((row, *there) for row in rows if (there := _resource(folder, path, row))), None)
            if found is None:
                file = with_treasuries(file, folder)
            else:
                row, other, resource = found
                _say_division(file, row, resource, other)
                _without_row(file, root, number, row)
                other.path.write_text(other.result(), encoding="utf-8")
                changed[other.path] = None
                untold += other.untold
            untold += file.untold
            left = file.result()
            changed[path] = None
            if not _composed(left):
                path.unlink()  # nothing but comments was left
                break
            path.write_text(left, encoding="utf-8")
            if left == text:
                break
    return [path for path in changed if path.exists()], untold


def _resource(folder: Path, path: Path, row: MappingNode) -> tuple[File, MappingNode] | None:
    """The row of the resource of a row of treasuries, in another file of a ruleset."""
    for other in _tables_of(folder):
        text = other.read_text("utf-8")
        if other == path or "resources:" not in text:
            continue
        for key, rows in _pairs(_composed(text)):
            for one in _members(rows) if key.value == "resources" else ():
                if _text(_entries(one).get("id", rows)) == _text(_entries(row)["id"]):
                    return File(other, text), one
    return None


# --- results that are settled together, which are definitions with a `fixpoint`


OF_FIXPOINT: Final = ("over", "left", "why", "audience")
"""What a row of `verdicts` said of how it is settled."""
_VERDICT: Final = re.compile(r"\bverdicts/(?=[a-z][a-z0-9_]*(?![a-z0-9_:]))")


def with_verdicts(file: File) -> File:
    """A file whose rows of `verdicts` are definitions with a `fixpoint`."""
    if "verdicts" not in file.text:
        return file
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    root = _composed(file.text)
    for key, value in _lists_called("verdicts", root):
        _rename(done, key, "definitions")
        for row in _members(value):
            _as_definition(done, row)
    for node in _marks_of("verdicts", root):
        _settled_at(done, node)
    words = done.words + len(done.edits)
    text = _VERDICT.sub("definitions/", done.result())
    return put_together(File(done.path, text, untold=done.untold, words=words + (text != done.result())))


def _lists_called(name: str, node: Node | None) -> Iterator[tuple[Node, SequenceNode]]:
    """The lists under a key, wherever they stand; those in other such lists are theirs."""
    for one in node.value if isinstance(node, SequenceNode) else ():
        yield from _lists_called(name, one)
    for key, value in _pairs(node):
        if key.value == name and isinstance(value, SequenceNode):
            yield key, value
        else:
            yield from _lists_called(name, value)


def _as_definition(file: File, row: MappingNode) -> None:
    """Write a row of `verdicts` as a definition."""
    said = _entries(row)
    if odd := next(
        (key for key in ("append", "remove") if isinstance(said.get(key), SequenceNode | MappingNode)), None
    ):
        return file.tell(
            said[odd], "the keys of a verdict stand in `fixpoint` of its definition now, `yes` is `is`"
        )
    block = [n for n, (key, _) in enumerate(row.value) if _text(key) in OF_FIXPOINT]
    if block and not {"yes", "over"} <= said.keys():
        return file.tell(row, "say in `fixpoint` all that this verdict says of how it is settled")
    if "of" in said:
        start, stop = said["of"].start_mark.index, said["of"].end_mark.index
        file.replace(start, stop, f"[{file.text[start:stop]}]")
    for n, (key, _) in enumerate(row.value):
        if _text(key) == "name" and "text" in said:
            _take_out(file, row, n)
        elif _text(key) in ("name", "yes"):
            _rename(file, key, {"name": "text", "yes": "is"}[_text(key)])
        if _text(key) == "yes" and block:
            _write_after(file, row, n, "fixpoint", block)
    return None


def _write_after(file: File, row: MappingNode, number: int, name: str, block: list[int]) -> None:
    """Write a block of some entries of a map behind another of its entries."""
    text = file.text
    if row.flow_style:
        entries = [text[row.value[n][0].start_mark.index : _stop(text, *row.value[n])] for n in block]
        value = row.value[number][1]
        start, end = value.start_mark.index, _stop(text, *row.value[number])
        file.replace(start, end, f"{text[start:end]}, {name}: {{{', '.join(entries)}}}")
    else:
        pad = " " * row.value[0][0].start_mark.column
        lines = [f"{pad}{name}:"]
        for n in block:
            first, last = _span(text, row, n)
            begun = row.value[n][0].start_mark
            piece = text[first:last].rstrip("\n")
            lines.append(_shifted(" " * begun.column + piece if first == begun.index else piece, 2))
        end = _line_end(text, _stop(text, *row.value[number]))
        file.edits[end] = (end, "\n" + "\n".join(lines))
    for n in block:
        _take_out(file, row, n)


def _marks_of(table: str, node: Node | None) -> Iterator[MappingNode]:
    """The marks of changes that make no difference in rows of a table."""
    for one in _members(_entries(node).get("equivalent")) if isinstance(node, MappingNode) else ():
        if "row" in (said := _entries(one)) and _text(said["row"]).startswith(f"{table}/"):
            yield one


def _settled_at(file: File, mark: MappingNode) -> None:
    """Write the place in a verdict of which a mark speaks as it is now."""
    said = _entries(mark)
    if "at" not in said:
        return
    first = re.split(r"[.\[]", _text(said["at"]))[0]
    new = {"yes": "is", **{key: f"fixpoint.{key}" for key in OF_FIXPOINT}}.get(first)
    if new is not None:
        start = said["at"].start_mark.index
        raw = file.text[start : said["at"].end_mark.index]
        file.replace(start, said["at"].end_mark.index, raw.replace(first, new, 1))


# --- changes of steps of the sequence of play, which are rows of `sequence` in a layer


STEP_NAMES: Final = ("id", "step", "phase", "input")
ACTIONS: Final = ("drop", "unwrap", "move", "replace", "before", "after", "set", "wrap")
Pieces = list[tuple[str, str]]
"""The entries of a map, each a key and its text from column 0 on."""


def changes_into_steps(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the rows of `sequence_changes` of a ruleset as rows of `sequence`; and that a layer whose
    `sequence` stood for the whole one below replaces it.

    Returns the files that have changed, and what is left to do by hand. If anything is, no file is changed.
    """
    manifest = folder / "ruleset.yaml"
    head = File(manifest, manifest.read_text("utf-8"))
    files_ = [File(path, path.read_text("utf-8")) for path in _tables_of(folder)]
    files_ = [head, *(file for file in files_ if "sequence" in file.text)]
    tables = [(file, key, value) for file in files_[1:] for key, value in _pairs(_composed(file.text))]
    changes = [(file, key, value) for file, key, value in tables if key.value == "sequence_changes"]
    whole = any(key.value == "sequence" and _is_whole(value) for _, key, value in tables)
    layer = "extends" in _keys(_composed(head.text))
    below = _steps_below(folder)
    if layer and whole and below:
        _say_replaced(head)
    rewriting = _Rewriting({} if whole else below, own=whole or not layer)
    for file, _, value in changes:
        rewriting.read(file, value)
    if untold := [told for file in files_ for told in file.untold]:
        return [], untold
    for file, key, value in changes:
        text = rewriting.rows(file, value, flow=_is_flow(value))
        _rename(file, key, "sequence")
        start = value.start_mark.index
        if not _is_flow(value):
            start = _line_end(file.text, key.end_mark.index) + 1
        file.replace(start, _end(value), text)
    made = [put_together(File(file.path, file.result())) for file in files_]
    changed = [new for new, file in zip(made, files_, strict=True) if new.text != file.text]
    for file in changed:
        file.path.write_text(file.text, encoding="utf-8")
    return [file.path for file in changed], [told for file in made for told in file.untold]


def _is_whole(rows: Node) -> bool:
    """Whether rows of `sequence` are a whole one: it waits for orders, and no row changes a step below or
    says where it goes.
    """
    keys = {"before", "after", "remove", "append", "wrap", "unwrap"}
    lies_over = any(keys & _entries(row).keys() for row in _members(rows))
    return not lies_over and any(True for _ in _having("input", rows))


def _having(key: str, node: Node) -> Iterator[MappingNode]:
    """The maps in a value that have a key."""
    for one in node.value if isinstance(node, SequenceNode) else ():
        yield from _having(key, one)
    for name, value in _pairs(node):
        if name.value == key:
            yield node  # type: ignore[misc]  # only a map has pairs
        yield from _having(key, value)


def with_steps(file: File, folder: Path | None = None) -> File:
    """A scenario or a file of rule tests whose rules change steps by rows of `sequence`."""
    if "sequence_changes" not in file.text:
        return file
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    below = _steps_below(folder, own=True) if folder is not None else {}
    for _, key, rows in _rules_that_say("sequence_changes", _composed(file.text)):
        rewriting, told = _Rewriting(below, own=False), len(done.untold)
        rewriting.read(done, rows)
        if len(done.untold) == told:
            start = rows.start_mark.index
            if not _is_flow(rows):
                start = _line_end(file.text, key.end_mark.index) + 1
            done.replace(start, _end(rows), rewriting.rows(done, rows, flow=_is_flow(rows)))
            _rename(done, key, "sequence")
    made = File(done.path, done.result(), untold=done.untold, words=done.words + len(done.edits))
    return put_together(made)


def with_blocks_paid_together(file: File) -> File:
    """A file in which steps whose orders are paid together or not at all stand in a block that says so, also
    where there is one of them.
    """
    if "all_or_none" not in file.text:
        return file
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    for step in _paid_together(_composed(file.text)):
        said = _entries(step)
        if "steps" in said or _text(said["all_or_none"]) != "true":
            continue
        if "do" not in said:
            done.tell(step, "say `all_or_none` of a block of `steps` in which the step stands")
            continue
        placed = [key for key in said if key in ("before", "after")]
        moved = [n for n, (key, _) in enumerate(step.value) if _text(key) in ("all_or_none", *placed)]
        outer = [f"{key}: {_written(file, said[key])}" for key in placed]
        outer.append("all_or_none: true")
        inner = File(file.path, "x:\n  - " + _shifted(_row_text(file.text, step), 4).lstrip())
        node = _composed(inner.text).value[0][1].value[0]
        for n in moved:
            _take_out(inner, node, n)
        made = inner.result()
        row = _row_text(made, _composed(made).value[0][1].value[0])
        start, stop = step.start_mark.index, _end(step)
        if _is_flow(step):
            done.replace(start, stop, f"{{{', '.join(outer)}, steps: [{row}]}}")
            continue
        pad = " " * step.start_mark.column
        first, *others = row.split("\n")
        lines = [*outer, "steps:", f"  - {first}", *(f"    {line}".rstrip() for line in others)]
        done.replace(start, stop, f"\n{pad}".join(lines))
    return File(done.path, done.result(), untold=done.untold, words=done.words + len(done.edits))


def _paid_together(root: Node | None) -> Iterator[MappingNode]:
    """The steps of the sequence of play, wherever it stands, that say `all_or_none`."""
    for name in ("sequence", "sequence_changes"):
        for _, rows in _lists_called(name, root):
            yield from _having("all_or_none", rows)


def _steps_below(folder: Path, *, own: bool = False) -> dict[str, dict[str, Any]]:
    """The steps of the rulesets below one, by their names; `own`: and its own."""
    out: dict[str, dict[str, Any]] = {}

    def walk(value: Any) -> None:
        for one in value if isinstance(value, list) else ():
            walk(one)
        if isinstance(value, dict):
            name = next((str(value[k]) for k in STEP_NAMES if k in value), None)
            if name is not None:
                out.setdefault(name, value)
            for inner in value.values():
                walk(inner)

    for layer in list(layers(folder))[0 if own else 1 :]:
        for path in _tables_of(layer):
            if re.search(r"^sequence(?:_changes)?:", text := path.read_text("utf-8"), re.MULTILINE):
                tables = YAML(typ="safe", pure=True).load(text)
                walk(tables.get("sequence"))
                for change in tables.get("sequence_changes") or ():
                    for action in ACTIONS:
                        walk(change.get(action) if isinstance(change, dict) else None)
    return out


def _say_replaced(head: File) -> None:
    """Say in a manifest that the layer has a sequence of its own."""
    said = _entries(_composed(head.text))
    if "replaces" not in said:
        end = _line_end(head.text, _end(said["extends"]))
        head.edits[end] = (end, "\nreplaces: [sequence]")
    elif "sequence" not in _texts(said["replaces"]):
        if _is_flow(said["replaces"]):
            end = _end(said["replaces"]) - 1
            head.edits[end] = (end, ", sequence")
        else:
            head.tell(said["replaces"], "the layer replaces `sequence`: write it into this list")


@dataclass
class _Rewriting:
    """Changes of steps that are rewritten as rows: the steps below, and whether there are none."""

    below: dict[str, dict[str, Any]]
    own: bool
    dropped: set[str] = field(default_factory=set)
    """Steps that are dropped, and come again as new ones."""
    named: dict[str, str] = field(default_factory=dict)
    """Steps that a row changes, and by what."""

    def read(self, file: File, rows: Node) -> None:
        """Look for what cannot be said row by row."""
        gone: set[str] = set()
        for row in _members(rows):
            said = _entries(row)
            target = _text(said["step"]) if "step" in said else ""
            actions = [action for action in ACTIONS if action in said]
            if "remove" in said or not target or len(actions) != 1:
                file.tell(row, "say as a row of `sequence` what this changes")
                continue
            action = actions[0]
            new = [_name_of(node) for node in _members(said[action])]
            self.dropped |= gone & set(new)
            gone |= {target} if action in ("drop", "replace") else set()
            if target == "all" and action != "set":
                file.tell(said["step"], "name the first and the last step where `all` stands")
            elif self.own and action in ("drop", "unwrap", "move", "replace", "set"):
                file.tell(row, f"the step {target!r} is the ruleset's own: change it in `sequence`")
            elif action == "set" and set(STEP_NAMES) & _entries(said["set"]).keys():
                file.tell(row, "a step keeps its name: take it out and put a new one in")
            elif action == "replace" and target in new:
                file.tell(row, "say as a row of `sequence` what the step is now")
            if action in ("drop", "unwrap", "move", "replace", "set"):
                if target in self.named and target not in self.dropped:
                    file.tell(row, f"say in one row of `sequence` all that becomes of {target!r}")
                self.named[target] = action

    def rows(self, file: File, rows: Node, *, flow: bool) -> str:
        """The text of the rows in today's language."""
        out: list[str] = []
        for row in _members(rows):
            made = self._row(file, row)
            if flow:
                out += [_flat(one) for one in made]
                continue
            dash = " " * max(0, row.start_mark.column - 2)
            for line in _between_rows(file.text, row).splitlines():
                out.append(f"{dash}{line.strip()}".rstrip() + "\n")
            for one in made:
                flat = _is_flat(one) and len(dash + "- " + _flat(one)) <= WIDTH
                lines = (_flat(one) if flat else _blocked(one)).split("\n")
                after = _remark_behind(file.text, row) if one is made[-1] and len(lines) == 1 else ""
                out.append(f"{dash}- {lines[0]}{after}\n")
                out += [f"{dash}  {line}\n" for line in lines[1:]]
        return f"[{', '.join(out)}]" if flow else "".join(out).rstrip("\n")

    def _row(self, file: File, row: MappingNode) -> list[Pieces]:
        """What one change has become."""
        text, said = file.text, _repeated(row) | _entries(row)
        target = _text(said["step"])
        action = next(action for action in ACTIONS if action in said)
        more = [_piece(text, said[key], key) for key in ("note", "silence") if key in said]
        source = _texts(said.get("source"))
        value = said[action]
        if action in ("drop", "unwrap"):
            if target in self.dropped:
                return []
            gone = "remove" if action == "drop" else "unwrap"
            cited = [("source", f"source: [{', '.join(source)}]")] if source else []
            return [[("id", f"id: {target}"), (gone, f"{gone}: true"), *more, *cited]]
        if action == "move":
            ((key, where),) = ((_text(k), _text(v)) for k, v in _pairs(value))
            return [[("id", f"id: {target}"), (key, f"{key}: {where}"), *more, *self._cited(target, source)]]
        if action == "set":
            pieces = _pieces(text, value)
            cited = self._cited(target, source) if "source" not in _entries(value) else []
            return [[("id", f"id: {target}"), *pieces, *more, *cited]]
        if action == "wrap":
            ends = [target, *([_text(said["through"])] if "through" in said else [])]
            said_ends = ends[0] if len(ends) == 1 else f"[{', '.join(ends)}]"
            return [_placed(_with_source(_pieces(text, value), value, source), "wrap", said_ends) + more]
        out, key, where = [], "before" if action == "replace" else action, target
        for node in _members(value):
            pieces = _placed(_with_source(_pieces(text, node), node, source), key, where)
            name = _name_of(node)
            if name in self.dropped:
                lost = [
                    k for k in self.below.get(name, {}) if k not in _entries(node) and k not in STEP_NAMES
                ]
                lost = [k for k in lost if not (k == "source" and source)]
                pieces += [("remove", f"remove: [{', '.join(lost)}]")] if lost else []
            out.append(pieces)
            where = name if action == "after" and name else where
        if out:
            out[0] += more
        return [*out, [("id", f"id: {target}"), ("remove", "remove: true")]] if action == "replace" else out

    def _cited(self, target: str, source: list[str]) -> Pieces:
        """The clauses of a change of a step, beside those of the step below."""
        if not source:
            return []
        old = self.below.get(target.rpartition("/")[2], {}).get("source") or []
        new = [one for one in source if one not in old]
        said = f"source: [{', '.join(new if old else source)}]"
        return [("append", f"append: {{{said}}}")] * bool(new) if old else [("source", said)]


def _name_of(node: MappingNode) -> str:
    said = _entries(node)
    return next((_text(said[key]) for key in STEP_NAMES if key in said), "")


def _piece(text: str, value: Node, key: str) -> tuple[str, str]:
    """An entry by its value, from column 0 on."""
    if isinstance(value, ScalarNode):
        return key, f"{key}: {json.dumps(' '.join(_text(value).split()), ensure_ascii=False)}"
    return key, f"{key}: {json.dumps(_loaded(_row_text(text, value)), ensure_ascii=False)}"


def _pieces(text: str, node: Node) -> Pieces:
    """The entries of a map, each with the comments above it."""
    out = []
    for n, (key, value) in enumerate(_pairs(node)):
        if _is_flow(node):
            piece = text[key.start_mark.index : _stop(text, key, value)]
        else:
            first, last = _span(text, node, n)  # type: ignore[arg-type]  # only a map has pairs
            column = key.start_mark.column
            lines = text[first:last].rstrip("\n").split("\n")
            shift = 0 if first == key.start_mark.index else column
            rest = [line[min(column, len(line) - len(line.lstrip())) :] for line in lines[1:]]
            piece = "\n".join([lines[0][shift:], *rest])
        out.append((_text(key), piece))
    return out


def _with_source(pieces: Pieces, node: Node, source: list[str]) -> Pieces:
    """Entries that also cite what a change cites."""
    old = _texts(_entries(node).get("source"))
    both = [*old, *(one for one in source if one not in old)]
    rest = [piece for piece in pieces if piece[0] != "source"] if both != old else pieces
    return [*rest, ("source", f"source: [{', '.join(both)}]")] if both != old else rest


def _placed(pieces: Pieces, key: str, where: str) -> Pieces:
    """Entries of a new step with where it goes, behind its name."""
    return [*pieces[:1], (key, f"{key}: {where}"), *pieces[1:]]


def _is_flat(pieces: Pieces) -> bool:
    return all("\n" not in piece and "#" not in piece for _, piece in pieces)


def _flat(pieces: Pieces) -> str:
    """Entries as a flow map."""
    return (
        _on_one_line(_blocked(pieces))
        if not _is_flat(pieces)
        else "{" + ", ".join(p for _, p in pieces) + "}"
    )


def _blocked(pieces: Pieces) -> str:
    return "\n".join(piece for _, piece in pieces)


def _between_rows(text: str, row: Node) -> str:
    """The comments and blank lines above a row of a block list."""
    lines = text[: text.rfind("\n", 0, row.start_mark.index) + 1].splitlines()
    first = len(lines)
    while first and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first -= 1
    return "".join(line + "\n" for line in lines[first:])


def _remark_behind(text: str, row: Node) -> str:
    """A comment behind a row."""
    rest = text[_end(row) : _line_end(text, _end(row))]
    return rest.rstrip() if rest.lstrip().startswith("#") else ""


# --- the calendar, which is a setting


def calendar_into_settings(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the row of `calendar` in the tables of a ruleset into its settings; the files that have changed,
    and what could not be moved.
    """
    found = []
    for path in _tables_of(folder):
        if "calendar:" in (text := path.read_text("utf-8")):
            root = _composed(text)
            numbers = [n for n, (key, _) in enumerate(_pairs(root)) if key.value == "calendar"]
            found += [(File(path, text), root, n) for n in numbers]
    rows = [(file, row) for file, root, n in found for row in _members(root.value[n][1])]
    if not found:
        return [], []
    manifest = folder / "ruleset.yaml"
    head = File(manifest, manifest.read_text("utf-8"))
    settings = _entries(_composed(head.text)).get("settings")
    untold: list[str] = []
    for file, row in rows:
        said = _entries(row)
        if len(rows) > 1 or {"append", "remove", "silence"} & said.keys() or "calendar" in _keys(settings):
            file.tell(row, f"say in {manifest.name}, in `calendar` of the settings, what the calendar is")
            untold += file.untold
            file.untold = []
    if rows and not untold:
        file, root, n = found[0]
        above = "".join(f"{line.strip()}\n" for line in _remarks(file.text, root.value[n][0]).splitlines())
        above = "".join(line for line in above.splitlines(True) if "$schema=" not in line)
        above += _remarks_text(file.text, rows[0][1])
        whole = _without_id(file, rows[0][1])
        if not _say_setting(head, settings, above, f"calendar:{_as_value(whole)}"):
            untold.append(f"{manifest}: write `settings` as a block, and run this again")
    if untold:
        return [], untold
    for file, root, n in found:
        _without_entry(file, root, n)
    return [file.path for file in [head, *(file for file, _, _ in found)] if _save(file)], []


def _without_id(file: File, row: MappingNode) -> str:
    """A row without its id, from column 0 on."""
    own = File(file.path, "x:\n  - " + _shifted(_row_text(file.text, row), 4).lstrip())
    node = _composed(own.text).value[0][1].value[0]
    for n, (key, _) in enumerate(node.value):
        if _text(key) == "id":
            _take_out(own, node, n)
    made = own.result()
    return _row_text(made, _composed(made).value[0][1].value[0])


def _as_value(row: str) -> str:
    """A row, from column 0 on, as it stands behind the colon of a key in column 0."""
    return f" {row}" if row.startswith("{") else "\n" + _shifted(row, 2)


def _say_setting(head: File, settings: Node | None, above: str, said: str) -> bool:
    """Write a setting, from column 0 on, into a manifest: before those of the players, or behind all others;
    whether it could be done.
    """
    block = _shifted(above + said, 2) + "\n"
    pairs = _pairs(settings)
    if settings is None:
        end = len(head.text)
        head.edits[end] = (end, ("" if head.text.endswith("\n") else "\n") + "settings:\n" + block)
    elif isinstance(settings, MappingNode) and not settings.flow_style:
        number = next((n for n, (key, _) in enumerate(pairs) if key.value == "players"), None)
        at = min(_line_end(head.text, _end(settings)) + 1, len(head.text))
        if number is not None:
            at = head.text.rfind("\n", 0, pairs[number][0].start_mark.index) + 1
            at -= len(_remarks(head.text, pairs[number][0])) if number else 0
        head.edits[at] = (at, block if head.text[:at].endswith("\n") else "\n" + block)
    elif isinstance(settings, MappingNode) and "\n" not in said and not above:
        end = _end(settings) - 1
        head.edits[end] = (end, f"{', ' if pairs else ''}{said}")
    else:
        return False
    return True


def with_calendar(file: File) -> File:
    """A scenario or a file of rule tests whose rules say the calendar in their settings."""
    if "calendar" not in file.text:
        return file
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    for holder, key, rows in _rules_that_say("calendar", _composed(file.text)):
        row = next(iter(_members(rows)), None)
        said = _entries(row) if row is not None else {}
        if len(rows.value) != 1 or row is None or "settings" in _entries(holder):
            done.tell(key, "say the calendar in `settings: {calendar: ...}` of the rules")
        elif {"append", "remove", "silence"} & said.keys():
            done.tell(row, "say in `settings: {calendar: ...}` of the rules what the calendar is")
        else:
            whole = _without_id(file, row)
            value = f" {{calendar: {whole}}}"
            if not whole.startswith("{"):
                pad = " " * key.start_mark.column
                lines = _shifted(f"calendar:{_as_value(whole)}", 2).split("\n")
                value = "".join(f"\n{pad}{line}" for line in lines)
            done.replace(key.start_mark.index, _end(rows), f"settings:{value}")
    return File(done.path, done.result(), untold=done.untold, words=done.words + len(done.edits))


def _rules_that_say(table: str, node: Node | None) -> Iterator[tuple[MappingNode, Node, SequenceNode]]:
    """The maps of tables in `rules` that have a table: the map, the key, the rows."""
    for one in node.value if isinstance(node, SequenceNode) else ():
        yield from _rules_that_say(table, one)
    for key, value in _pairs(node):
        if key.value == "rules" and isinstance(value, MappingNode):
            for name, rows in value.value:
                if name.value == table and isinstance(rows, SequenceNode):
                    yield value, name, rows
        else:
            yield from _rules_that_say(table, value)


# --- what is counted while something fails, which is a counter of the step that counted it


_OF_KIND: Final = {"units": "unit", "places": "place", "nations": "nation"}
"""Functions whose things a row of `traces` could count, and what expressions call one."""
_OF_TRACES: Final = frozenset({"over", "ok", "counter", "at", "says"})
Counting = dict[str, list[str] | None]
"""Steps that went through rows of `traces`, and through which (None: all)."""


def with_traces(file: File, steps: Counting | None = None) -> File:
    """A file in which what is counted while something fails is a counter, counted in the step of the sequence
    of play that went through its rows (`do: supply`); this step does nothing else, and is a moment now.
    """
    if "counters" not in file.text and "supply" not in file.text:
        return file
    steps = {**(steps or {}), **dict(_steps_that_count([file.text]))}
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    root = _composed(file.text)
    for _, rows in _lists_called("counters", root):
        for row in _members(rows):
            if _OF_TRACES & _entries(row).keys():
                _as_counter(done, row, steps)
    for step in _that_count(root):
        _as_moment(done, step)
    return File(done.path, done.result(), untold=done.untold, words=done.words + len(done.edits))


def steps_that_count(folder: Path) -> Counting:
    """The steps of a ruleset, and of those that it extends, that go through rows of `traces`."""
    files_ = [path for layer in reversed(list(layers(folder))) for path in _tables_of(layer)]
    return dict(_steps_that_count(path.read_text("utf-8", errors="replace") for path in files_))


def _steps_that_count(texts: Iterable[str]) -> Iterator[tuple[str, list[str] | None]]:
    for text in texts:
        for step in _that_count(_composed(text)) if _COUNTS.search(text) else ():
            said = _entries(step)
            yield _name_of(step), _texts(said["rows"]) if "rows" in said else None


_COUNTS = re.compile(r"\bdo:\s*supply\b")


def _that_count(root: Node | None) -> list[MappingNode]:
    steps = _having("do", root) if root is not None else ()
    return [step for step in steps if _text(_entries(step)["do"]) == "supply"]


def _as_moment(file: File, step: MappingNode) -> None:
    """A step that did nothing but count."""
    if not _name_of(step):
        return file.tell(step, "give the step a name: what it counted waits for it now (`on: {step: NAME}`)")
    gone = [n for n, (key, _) in enumerate(step.value) if _text(key) in ("do", "rows")]
    for n in gone:
        _take_out(file, step, n)
    return None


def _as_counter(file: File, row: MappingNode, steps: Counting) -> None:
    """A row of `traces` as one of `counters`."""
    said = _entries(row)
    id_ = _text(said["id"]) if "id" in said else ""
    if not {"over", "ok"} <= said.keys():
        return file.tell(row, f"say as a row of `counters` what this changes of {id_!r}")
    waits = [step for step, rows in steps.items() if step and (rows is None or id_ in rows)]
    if not waits:
        return file.tell(row, f"no step counts {id_!r}: say `on` which trigger it is counted")
    over = _text(said["over"])
    kind = next((kind for word, kind in _OF_KIND.items() if re.match(rf"=?\s*{word}\(", over)), "")
    count = f"counter({kind}, '{id_}')"
    if kind == "unit" and "counter" in said:
        count = f"unit.{_text(said['counter'])}"
    elif not kind or kind == "unit" or _text(said.get("counter", said["id"])) != id_:
        return file.tell(row, f"say in `field`, or by the id of the row, where {id_!r} keeps its count")
    on = waits[0] if len(waits) == 1 else f"[{', '.join(waits)}]"
    test = " ".join(_text(said["ok"]).replace("\a", "").split())
    for n, (key, value) in enumerate(row.value):
        start, stop = key.start_mark.index, _stop(file.text, key, value)
        gap = ", " if row.flow_style else "\n" + " " * key.start_mark.column
        match _text(key):
            case "over":
                file.replace(start, key.end_mark.index, f"on: {{step: {on}}}{gap}of")
            case "ok" if test == "False":
                _take_out(file, row, n)
            case "ok":
                file.replace(start, stop, f"while: {json.dumps(f'not ({test})', ensure_ascii=False)}")
            case "counter" if kind == "unit":
                file.replace(start, key.end_mark.index, "field")
            case "counter":
                _take_out(file, row, n)
            case "says" if "at" in said:
                _take_out(file, row, n)
            case "says" | "at":
                effects = _effects_of_counts(file, row, said, kind, count)
                file.replace(start, stop, f"{effects}{gap}audience: =self")
    return None


def _effects_of_counts(file: File, row: MappingNode, said: dict[str, Node], kind: str, count: str) -> str:
    """What is said at each count, and done at some, as effects."""
    effects = []
    if "says" in said:
        effects.append([f"say: {_written(file, said['says'])}"])
    counts = _pairs(said.get("at"))
    for number, what in counts:
        flat = _is_flow(what) and "\n" not in _written(file, what)
        behind = "" if what is counts[-1][1] else _remark_behind(file.text, what)
        body = f" {_written(file, what)}" if flat else "\n" + _shifted(_row_text(file.text, what), 2)
        body += behind
        lines = [f'when: "{count} == {_text(number)}"', f"effects:{body}"]
        # one after another, as units did
        effects.append([f"for: {kind}", *lines] if kind == "unit" else lines)
    if row.flow_style:
        return f"effects: [{', '.join(_on_one_line(chr(10).join(one)) for one in effects)}]"
    pad = " " * row.value[0][0].start_mark.column
    out = ["effects:"]
    for one in effects:
        first, *others = "\n".join(one).split("\n")
        out += [f"{pad}  - {first}", *(f"{pad}    {line}".rstrip() for line in others)]
    return "\n".join(out)


# --- what the orders of a nation together must fulfill, which the input says that asks for them


_FLIPPED: Final = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}
_COMPARED: Final = re.compile(r"([^=!<>]+?) (==|!=|<=|>=|<|>) ([^=!<>]+)")


def requirements_into_inputs(folder: Path) -> tuple[list[Path], list[str]]:
    """Write the rows of `requirements` of a ruleset into the inputs that name them (`requires`).

    Returns the files that have changed, and what is left to do by hand: rows that change one of another
    ruleset, or that no input names, and inputs that name one of another ruleset. If anything is, no file is
    changed.
    """
    read = {path: text for path in _tables_of(folder) if "requirements" in (text := path.read_text("utf-8"))}
    roots = {path: _composed(text) for path, text in read.items()}
    edited = {path: File(path, text) for path, text in read.items()}
    rows: dict[str, tuple[File, MappingNode, str]] = {}
    tables: list[tuple[File, MappingNode, int]] = []
    for path, root in roots.items():
        for number, (key, value) in enumerate(_pairs(root)):
            if key.value == "requirements":
                tables.append((edited[path], root, number))
                for n, row in enumerate(_members(value)):
                    lines = "" if n else _remarks(read[path], key)  # what stands above the table
                    above = "".join(f"{line.strip()}\n" for line in lines.splitlines())
                    rows[_text(_entries(row)["id"])] = edited[path], row, above
    named: set[str] = set()
    for path, root in roots.items():
        for node, number in _naming("requirements", root):
            value = node.value[number][1]
            for one in value.value:
                if _text(one) not in rows:
                    edited[path].tell(one, f"write in `requires` what {_text(one)!r} asks for")
            known = [_text(one) for one in value.value if _text(one) in rows]
            named.update(known)
            _say_required(edited[path], node, number, [rows[one] for one in known])
    for id_, (file, row, _) in rows.items():
        if odd := {"append", "remove", "silence"} & _entries(row).keys():
            file.tell(row, f"say {', '.join(sorted(odd))} of {id_!r} in `requires` of its input")
        elif id_ not in named:
            file.tell(row, f"no input here names {id_!r}: write it in `requires` of one")
    untold = [told for file in edited.values() for told in file.untold]
    if untold:
        return [], untold
    for file, root, number in tables:
        _without_entry(file, root, number)
    return [path for path, file in edited.items() if _save(file)], []


def with_requirements(file: File) -> File:
    """A scenario or a file of rule tests whose rules say what orders must fulfill in the input that asks."""
    if "requirements" not in file.text:
        return file
    done = File(file.path, file.text, untold=file.untold, words=file.words)
    for holder, key, table in list(_rules_that_say("requirements", _composed(file.text))):
        rows = {_text(_entries(row)["id"]): row for row in _members(table)}
        naming = list(_naming("requirements", holder))
        named = {_text(one) for node, n in naming for one in node.value[n][1].value}
        odd = [row for row in rows.values() if {"append", "remove", "silence"} & _entries(row).keys()]
        if odd or named != set(rows):
            done.tell(key, "say in `requires` of an input what its orders must fulfill")
            continue
        for node, number in naming:
            listed = [rows[_text(one)] for one in node.value[number][1].value]
            _say_required(done, node, number, [(done, row, "") for row in listed])
        _take_out(done, holder, next(n for n, (one, _) in enumerate(holder.value) if one is key))
    return File(done.path, done.result(), untold=done.untold, words=done.words + len(done.edits))


def _naming(table: str, root: Node | None) -> Iterator[tuple[MappingNode, int]]:
    """The maps below the tables of a file that name rows of a table under its name, and under which entry."""
    for key, value in _pairs(root):
        if key.value != table:
            yield from _named_in(table, value)


def _named_in(table: str, node: Node) -> Iterator[tuple[MappingNode, int]]:
    if isinstance(node, SequenceNode):
        for one in node.value:
            yield from _named_in(table, one)
    for number, (key, value) in enumerate(_pairs(node)):
        if key.value == table and isinstance(value, SequenceNode):
            yield node, number  # type: ignore[misc]  # only a map has pairs
        else:
            yield from _named_in(table, value)


def _say_required(
    file: File, node: MappingNode, number: int, rows: list[tuple[File, MappingNode, str]]
) -> None:
    """Write rows of `requirements` into an input, in place of their names."""
    key, value = node.value[number]
    start, stop = key.start_mark.index, _stop(file.text, key, value)
    made = [_as_required(other, row, above) for other, row, above in rows]
    if node.flow_style:
        file.replace(start, stop, f"requires: [{', '.join(_on_one_line(row) for _, row in made)}]")
        return _remark(file, node, "".join(remarks for remarks, _ in made))
    pad = " " * key.start_mark.column
    lines = ["requires:"]
    for remarks, row in made:
        lines += [f"{pad}  {line}" for line in remarks.splitlines()]
        first, *others = row.split("\n")
        lines += [f"{pad}  - {first}", *(f"{pad}    {line}".rstrip() for line in others)]
    return file.replace(start, stop, "\n".join(lines))


def _on_one_line(row: str) -> str:
    """A row, from column 0 on, as a member of a flow list."""
    if row.startswith("{") and "\n" not in row:
        return row
    node = _composed(row)
    entries = []
    for n, (key, value) in enumerate(_pairs(node)):
        raw = row[key.end_mark.index : _stop(row, key, value)]
        plain = "\n" not in raw and (
            _is_flow(value) if not isinstance(value, ScalarNode) else _is_plain(row, node, n)
        )
        entries.append(
            _text(key) + (raw if plain else f": {json.dumps(_loaded(row)[_text(key)], ensure_ascii=False)}")
        )
    return "{" + ", ".join(entries) + "}"


def _remark(file: File, node: Node, remarks: str) -> None:
    """Write comments, each line from column 0 on, above the row in which a node stands."""
    if remarks:
        line = file.text.rfind("\n", 0, node.start_mark.index) + 1
        pad = " " * (len(file.text[line:]) - len(file.text[line:].lstrip(" ")))
        file.edits[line] = (line, "".join(f"{pad}{remark}\n" for remark in remarks.splitlines()))


def _as_required(file: File, row: MappingNode, above: str) -> tuple[str, str]:
    """What stood above a row of `requirements`, and the row as it stands in `requires`, from column 0 on."""
    own = File(file.path, "x:\n  - " + _shifted(_row_text(file.text, row), 4).lstrip())
    node = _composed(own.text).value[0][1].value[0]
    said = _entries(node)
    remarks = above + _remarks_text(file.text, row)
    if "note" in said:
        remarks += f"# {' '.join(_text(said['note']).split())}\n"
    for n, (key, _) in enumerate(node.value):
        if _text(key) in ("name", "note", "when"):
            _take_out(own, node, n)
    if "when" in said and "test" in said:
        text = json.dumps(_unless(_text(said["when"]), _text(said["test"])), ensure_ascii=False)
        at = said["test"]
        own.replace(at.start_mark.index, _stop(own.text, _key_of(node, at), at), text)
    made = own.result()
    return remarks, _row_text(made, _composed(made).value[0][1].value[0])


def _key_of(node: MappingNode, value: Node) -> Node:
    key: Node = next(key for key, one in node.value if one is value)
    return key


def _is_flow(node: Node) -> bool:
    """Whether a list or a map stands in braces."""
    return bool(getattr(node, "flow_style", False))


def _unless(when: str, test: str) -> str:
    """A test that must hold only where another does."""
    when, test = " ".join(re.sub("\a", "", when).split()), " ".join(re.sub("\a", "", test).split())
    compared = _COMPARED.fullmatch(when)
    if compared and not re.search(r"\b(?:and|or|not|if|in)\b", when):
        otherwise = f"{compared[1]} {_FLIPPED[compared[2]]} {compared[3]}"
    else:
        otherwise = f"not ({when})"
    return f"{otherwise} or " + (f"({test})" if re.search(r"\bif\b", test) else test)


def _without_entry(file: File, root: MappingNode, number: int) -> None:
    """Take a table out of a file, with the comments above it."""
    key, value = root.value[number]
    text = file.text
    start = text.rfind("\n", 0, key.start_mark.index) + 1 - len(_remarks(text, key))
    stop = min(_line_end(text, _stop(text, key, value)) + 1, len(text))
    if text[:start].endswith("\n\n") and text[stop : stop + 1] in ("", "\n"):
        start -= 1  # of two blank lines one
    file.replace(start, stop, "")


def _save(file: File) -> bool:
    """Write a file as it is now, or take it away if nothing is left in it; whether it has changed."""
    text = file.result()
    if text == file.text:
        return False
    if not _composed(text):
        file.path.unlink()
    else:
        file.path.write_text(text, encoding="utf-8")
    return True


OF_FOLDERS = (
    (set_players, "settings of the players"),
    (divide_in_resources, "how treasuries are divided is said by their resource"),
    (lists_into_links, "what printed lists say of links stands in the links (`listed`)"),
    (changes_into_steps, "changes of steps are rows of `sequence`"),
    (calendar_into_settings, "the calendar is a setting"),
    (requirements_into_inputs, "what the orders of a nation together must fulfill is said by the input"),
    (marks_into_tests, "which changes make no difference is said in tests/equivalent.yaml"),
)
"""What is moved within a ruleset's folder, and what is said of each file that has changed."""


def folders_of(paths: Iterable[str]) -> set[Path]:
    """The folders of the rulesets that files belong to."""
    read = ((path, path.read_bytes().decode("utf-8", "replace")) for path in files(paths) if path.is_file())
    return {folder for folder in (ruleset_at(path, text) for path, text in read) if folder is not None}


def main(paths: list[str]) -> int:
    """Rewrite the files; 1 if something is left to do by hand."""
    if not paths or paths[0].startswith("-"):
        print(__doc__)
        return 2
    left = 0
    names: dict[Path | None, Renamed] = {None: {}}
    counting: dict[Path | None, Counting] = {folder: steps_that_count(folder) for folder in folders_of(paths)}
    for path in files(paths):
        try:
            text = path.read_bytes().decode("utf-8")
            folder = ruleset_at(path, text)
            if folder not in names:
                names[folder] = renamed_in(folder) if folder is not None else {}
            file = with_verdicts(into_blocks(migrate(path, text, names[folder]), folder))
            file = with_traces(file, counting.get(folder))
            if not _is_table_of(path, folder):  # what stands in tables is moved with all tables at hand
                file = with_calendar(with_treasuries(file, folder))
                file = with_requirements(with_steps(file, folder))
            file = with_blocks_paid_together(file)
        except (OSError, UnicodeDecodeError, MarkedYAMLError) as error:
            print(f"{path}: left as it is: {' '.join(str(error).split())[:200]}")
            left += 1
            continue
        for told in file.untold:
            print(told)
        left += len(file.untold)
        if file.text != text:
            path.write_bytes(file.text.encode("utf-8"))
            print(f"{path}: {file.words} words")
    for folder in sorted({p.parent for p in files(paths) if p.name == "ruleset.yaml"}):
        for move, what in OF_FOLDERS:
            changed, untold = move(folder)
            for told in untold:
                print(told)
            left += len(untold)
            for path in changed:
                print(f"{path}: {what}")
        if number := register(folder):
            print(f"{folder / 'clauses' / 'cited.yaml'}: {number} clauses that rows cite")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
