"""YAML text to a tree of nodes: the parser's events, each judged where it stands.

Reading events rather than finished values lets duplicate keys, tags, aliases and scalars be told at their
line and column, and keeps time and memory within limits. libyaml reads right text, thirty times as fast; text
that it refuses is read by ruamel.yaml, which alone decides what is wrong and says it in the words of YAML
1.2. Only `load.py` uses this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import yaml

from ..core.diagnostics import Diagnostic
from .nodes import EMPTY, Node, Scalar, kind_of
from .refused import MAX_ALIAS_NODES, MAX_DEPTH, MAX_FINDINGS, MAX_NODES, UnreadableText

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ODD = re.compile(r"^%|[\x85\u2028\u2029\ufeff]|\t|[&*][^\s,\[\]{}]*:", re.MULTILINE)
"""What the two parsers read differently: directives, further line breaks, tabs between words, anchors with a
colon.
"""


def events(text: str) -> Iterator[Any]:
    """The parser's events; its faults as Refused."""
    found = _fast(text)
    return _thorough(text) if found is None else iter(found)


def _fast(text: str) -> list[Any] | None:
    """All events by libyaml; None if it is not there, or has any doubt about the text."""
    if not yaml.__with_libyaml__ or _ODD.search(text):
        return None
    try:
        return list(yaml.parse(text, Loader=yaml.CSafeLoader))
    except Exception:  # whatever it is, the other parser says it at its place
        return None


def _thorough(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML  # heavy, and needed only for files that are at fault
    from ruamel.yaml.error import MarkedYAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        if (bare := _bare_hash(text, line)) is not None:
            raise UnreadableText("E106", *bare) from None
        raise UnreadableText("E106", *_in_words(fault, line, column)) from None
    except UnreadableText:
        raise
    except Exception as fault:
        # The parser has assertions and index errors of its own for some malformed text: the text is at fault.
        raise UnreadableText("E106", f"not readable as YAML ({type(fault).__name__})") from None


_HASH = re.compile(r"[{,][^#'\"]*: (#[0-9A-Za-z]+)\b[^\n]*[}\]]\s*$")
HASH_LINES = 2
"""Lines before a fault in which a remark may have swallowed the end of a map."""


def _bare_hash(text: str, line: int) -> tuple[str, int, int, str] | None:
    """The color or number behind a bare `#`, which makes a remark of the rest of a map `{...}`: what is said
    of it, and where.
    """
    lines = text.split("\n")
    for number in range(line, max(line - HASH_LINES, 1) - 1, -1):
        found = _HASH.search(lines[number - 1]) if number <= len(lines) else None
        if found is not None and not lines[number - 1].lstrip().startswith("#"):
            message = "the map is not closed: what stands behind a bare # is a remark"
            return message, number, found.start(1) + 1, f'quote it: "{found[1]}"'
    return None


def _name(event: Any) -> str:
    """What kind of event it is: both parsers call them alike."""
    return str(type(event).__name__)


def _tag(event: Any) -> str:
    tag = getattr(event, "ctag", None)
    return str(tag if tag is not None else getattr(event, "tag", None) or "")


def _in_words(fault: Any, line: int, column: int) -> tuple[str, int, int, str]:
    problem = " ".join(str(fault.problem or fault.context or "not readable as YAML").split())
    begun = fault.context_mark
    for part, at_start, message, hint in _PROBLEMS:
        if part in problem:
            if at_start and begun:
                return message, begun.line + 1, begun.column + 1, hint
            return message, line, column, hint
    since = f" (begun on line {begun.line + 1})" if begun and begun.line + 1 != line else ""
    return problem.split(" Please check")[0] + since, line, column, ""


_PROBLEMS = (
    # part of the parser's words, whether the fault lies where the construct begins, our words, hint
    (
        "mapping values are not allowed here",
        False,
        "a `:` where no key can stand",
        "check the indentation, or quote text that holds `: `",
    ),
    (
        "could not find expected ':'",
        True,
        "a line that is neither a key nor part of the text above",
        "a key needs a `:` and a space after it",
    ),
    (
        "expected <block end>",
        False,
        "the indentation does not fit the lines above",
        "keys of one map begin in the same column",
    ),
    (
        "expected ',' or '}'",
        True,
        "a `{` that is not closed, or a missing comma",
        "write `{key: value, key: value}`",
    ),
    ("expected ',' or ']'", True, "a `[` that is not closed, or a missing comma", "write `[one, two]`"),
    ("character '\\t'", False, "a tab where a value begins", "use spaces"),
    ("cannot start any token", False, "a character that cannot begin a value", "quote the text"),
    ("unexpected end of stream", True, "a quote that is never closed", ""),
    (
        "found unknown escape character",
        False,
        "an unknown escape in double quotes",
        "use single quotes, or double the backslash",
    ),
    (
        "sequence entries are not allowed here",
        False,
        "a `- ` where no list can stand",
        "begin the list on its own line",
    ),
    ("found unexpected ':'", False, "a `:` inside unquoted text in braces", "quote the text"),
)


class TreeBuilder:
    """Builds nodes from events; gathers what is wrong but does not prevent reading on."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self.anchors: dict[str, Node | None] = {}
        self.alias_nodes = 0
        self.nodes = 0

    def read(self, events: Iterator[Any]) -> Node:
        root: Node | None = None
        for event in events:
            kind = _name(event)
            if kind in ("StreamStartEvent", "StreamEndEvent", "DocumentEndEvent"):
                continue
            if kind == "DocumentStartEvent":
                if root is not None:
                    raise self.refused(
                        event, "E109", "a second document in one file", "use one file for each"
                    )
                if event.version not in (None, (1, 2)):
                    raise self.refused(
                        event, "E106", "the file asks for another version of YAML; this is 1.2"
                    )
                if event.tags:
                    raise self.refused(event, "E112", "tag directives are not allowed")
                continue
            root = self.node(event, events, 0)
        if root is None or (root.value is None and root.size == 1):
            raise UnreadableText(
                "E107", "the file is empty", 1, 1, "a file is a map from a form to a list of rows"
            )
        return root

    def node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        kind = _name(event)
        if kind == "AliasEvent":
            return self.alias(event, depth)
        if _tag(event):
            raise self.refused(
                event, "E112", f"the tag {_tag(event)[:60]!r}: tags are not allowed", "write the plain value"
            )
        mark = event.start_mark
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.refused(event, "E102", f"more than {MAX_NODES:,} values in one file", "split it")
        if len(self.found) >= MAX_FINDINGS:
            raise self.refused(
                event, "E102", f"more than {MAX_FINDINGS} mistakes so far; the rest of the file is not read"
            )
        node = Node(None, self.file, mark.line + 1, mark.column + 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if kind == "ScalarEvent":
            node.value = self.scalar(event)
            node.style = event.style or ("" if event.value else EMPTY)
        else:
            if depth >= MAX_DEPTH:
                raise self.refused(event, "E115", f"nested more than {MAX_DEPTH} levels deep")
            if kind == "SequenceStartEvent":
                self.list(node, events, depth)
            elif kind == "MappingStartEvent":
                self.map(node, events, depth)
            else:
                raise self.refused(event, "E106", "not readable as YAML")
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def list(self, node: Node, events: Iterator[Any], depth: int) -> None:
        value: list[Node] = []
        node.value = value
        for event in events:
            if _name(event) == "SequenceEndEvent":
                break
            child = self.node(event, events, depth + 1)
            value.append(child)
            node.size += child.size
            node.height = max(node.height, child.height + 1)

    def map(self, node: Node, events: Iterator[Any], depth: int) -> None:
        value: dict[str, Node] = {}
        merged: list[Node] = []
        node.value = value
        for event in events:
            if _name(event) == "MappingEndEvent":
                break
            key = self.key(event)
            place = (self.file, event.start_mark.line + 1, event.start_mark.column + 1)
            child = self.node(next(events), events, depth + 1)
            node.size += child.size
            node.height = max(node.height, child.height + 1)
            if key == "<<" and not event.style:
                merged.append(child)
            elif key in value:
                first = node.keys[key][1]
                message = f"the key {key!r} is given twice (first on line {first})"
                self.found.append(Diagnostic("E110", "error", message, *place, "remove one of the two"))
            else:
                value[key] = child
                node.keys[key] = place
        for source in merged:
            self.merge(node, source)

    def merge(self, node: Node, source: Node) -> None:
        """The YAML merge key: keys that the map does not have itself come from the map or maps named."""
        for part in source.value if source.is_list else [source]:
            if not part.is_map:
                message = f"`<<` merges maps, not {kind_of(part)}"
                self.found.append(Diagnostic("E114", "error", message, part.file, part.line, part.column))
                continue
            for key, child in part.value.items():
                if key not in node.value:
                    node.value[key] = child
                    node.keys[key] = part.keys[key]
                    node.size += child.size

    def alias(self, event: Any, depth: int) -> Node:
        name = event.anchor
        target = self.anchors.get(name)
        if target is None:
            why = "inside itself" if name in self.anchors else "that is not defined above"
            raise self.refused(event, "E113", f"the alias *{name} {why}")
        self.alias_nodes += target.size
        if self.alias_nodes > MAX_ALIAS_NODES:
            message = f"aliases repeat more than {MAX_ALIAS_NODES:,} values"
            raise self.refused(event, "E113", message, "write the rows out, or use groups and definitions")
        if depth + target.height >= MAX_DEPTH:
            raise self.refused(event, "E115", f"nested more than {MAX_DEPTH} levels deep")
        return target

    def key(self, event: Any) -> str:
        if _name(event) != "ScalarEvent":
            raise self.refused(
                event,
                "E111",
                "a key must be a word or a number, not a list, a map or an alias",
                "quote it if it is text",
            )
        if _tag(event):
            raise self.refused(event, "E112", f"the tag {_tag(event)[:60]!r}: tags are not allowed")
        if not event.value:
            raise self.refused(event, "E111", "an empty key")
        if event.style:
            self.printable(event, str(event.value))
        if event.anchor is not None:
            mark = event.start_mark
            self.anchors[event.anchor] = Node(event.value, self.file, mark.line + 1, mark.column + 1)
        return str(event.value)

    def scalar(self, event: Any) -> Any:
        if event.style:
            self.printable(event, str(event.value))
            return str(event.value)
        try:
            return resolve(event.value)
        except BadNumber as fault:
            mark = event.start_mark
            message = f"{event.value[:40]!r} {fault}"
            self.found.append(
                Diagnostic(
                    "E116",
                    "error",
                    message,
                    self.file,
                    mark.line + 1,
                    mark.column + 1,
                    "quote it if it is text",
                )
            )
            return str(event.value)

    def printable(self, event: Any, text: str) -> None:
        """Escapes must not bring in what may not stand in the text itself: terminals act upon it."""
        found = _CONTROL.search(text)
        if found is not None:
            mark = event.start_mark
            message = f"the control character U+{ord(found[0]):04X} in a quoted text"
            self.found.append(Diagnostic("E104", "error", message, self.file, mark.line + 1, mark.column + 1))

    def refused(self, event: Any, code: str, message: str, hint: str = "") -> UnreadableText:
        mark = event.start_mark
        return UnreadableText(code, message, mark.line + 1, mark.column + 1, hint)


_DIGITS = 30
_EXPONENT = 18
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<oct>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<dec>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exp>[-+]?[0-9]+))?)"
    r"|(?P<odd>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_BE_NUMBER = frozenset("0123456789+-.")


class BadNumber(ValueError):
    """A number that cannot be held exactly, or not in reasonable space."""


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar.

    >>> resolve("12"), resolve("0.10"), resolve("3..5"), resolve("on"), resolve("~")
    (12, Fraction(1, 10), '3..5', 'on', None)
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _MAY_BE_NUMBER:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if match["odd"]:
        raise BadNumber("is not a number that rules can use")
    if len(text) > _DIGITS or (match["exp"] and abs(int(match["exp"])) > _EXPONENT):
        raise BadNumber(f"is a number of more than {_DIGITS} digits")
    if match["int"]:
        return int(text)
    if match["oct"]:
        return int(match["oct"], 8)
    if match["hex"]:
        return int(match["hex"], 16)
    exact = Fraction(match["dec"])
    return exact.numerator if exact.denominator == 1 else exact
