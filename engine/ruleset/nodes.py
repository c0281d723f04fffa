"""What a YAML file says, with the place of every key and value.

A `Node` is a scalar, a list of nodes or a map of nodes. Nodes are never changed after loading: the overlay
builds new maps from old children, so a value keeps the file and line it was written at wherever it ends up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..core.diagnostics import Diagnostic, Severity

EMPTY = "empty"
"""The style of a value of which nothing at all is written (`key:`), which is None as `null` is."""
Scalar = str | int | bool | Fraction | None
Path = Sequence[str | int]


@dataclass(slots=True, eq=False)
class Node:
    """One value and where it stands.

    `keys`: the place of each key of a map. `style`: the mark of quoted or block text. `made_of`: of a map
    that was unpacked the packed one, which is the same whatever its file is called.
    """

    value: Any
    file: str
    line: int
    column: int
    keys: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    size: int = 1
    height: int = 0
    style: str = ""
    made_of: list[Any] | None = None

    @property
    def is_map(self) -> bool:
        return type(self.value) is dict

    @property
    def is_list(self) -> bool:
        return type(self.value) is list

    @property
    def is_below(self) -> bool:
        """Whether it was written in a layer below the ruleset that is looked at, where it is told of."""
        return self.file.startswith("..")

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def get(self, key: str) -> Node | None:
        """The value of a key of a map; None if there is none."""
        return self.value.get(key) if type(self.value) is dict else None

    def text(self, key: str) -> str | None:
        """The value of a key if it is text."""
        found = self.get(key)
        return found.value if found is not None and isinstance(found.value, str) else None

    def items(self) -> Iterator[tuple[str, Node]]:
        """The entries of a map; nothing for anything else."""
        if type(self.value) is dict:
            yield from self.value.items()

    def members(self) -> Iterator[Node]:
        """The members of a list; nothing for anything else."""
        if type(self.value) is list:
            yield from self.value

    def inside(self) -> Iterator[Node]:
        """The node and all that are in it, from outside in and in order."""
        due = [self]
        while due:
            node = due.pop()
            yield node
            due += reversed([*(child for _, child in node.items()), *node.members()])

    def key_where(self, key: str) -> str:
        file, line, column = self.keys.get(key, (self.file, self.line, self.column))
        return f"{file}:{line}:{column}"

    def with_entries(self, entries: Mapping[str, Node], keys: Mapping[str, tuple[str, int, int]]) -> Node:
        """A map like this one, at the same place, with other entries."""
        return Node(dict(entries), self.file, self.line, self.column, dict(keys))


def plain_value(node: Node) -> Any:
    """The value without places. The keys of maps come in sorted order: order has a meaning in lists only."""
    value = node.value
    if type(value) is dict:
        return {k: plain_value(value[k]) for k in sorted(value)}
    if type(value) is list:
        return [plain_value(v) for v in value]
    return value


def as_nodes(node: Node | None) -> list[Node]:
    """What may be said alone or in a list: the members of the list, or the one node; none where nothing is
    said.
    """
    if node is None:
        return []
    return list(node.members()) if node.is_list else [node]


def as_list(value: Any) -> list[Any]:
    """As `as_nodes`, of a value without places: the list itself, or a list of the one value."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def kind_of(node: Node) -> str:
    """In words, what a node is."""
    if node.is_list:
        return "a list"
    return "a map" if node.is_map else "a single value"


def find(node: Node, path: Iterable[str | int]) -> Node:
    """The node at a path, or the nearest one above it."""
    for step in path:
        value = node.value
        if (type(value) is dict and step in value) or (
            type(value) is list and isinstance(step, int) and 0 <= step < len(value)
        ):
            node = value[step]  # type: ignore[index]
        else:
            break
    return node


def beside(row: Node, path: Path, other: str) -> list[Node | None]:
    """What stands at a key that an `x-with` names, seen from a map at `path` of a row; None where it is
    absent.

    `KEY` stands in the same map, `/KEY` in the row itself, and `/LIST/*/KEY` in each member of a list there.
    """
    found: list[Node | None] = [row if other.startswith("/") else find(row, path)]
    for step in other.strip("/").split("/"):
        inner: list[Node | None] = []
        for node in found:
            if step == "*":
                inner += node.members() if node is not None else ()
            else:
                inner.append(node.get(step) if node is not None else None)
        found = inner
    return found


def diagnose(
    code: str,
    message: str,
    node: Node | None = None,
    *,
    key: str | None = None,
    hint: str = "",
    offset: int | None = None,
) -> Diagnostic:
    """A finding at a node, or at one of its keys; `offset` counts characters into a text (None: the value as
    such). What has a code with W is a warning, everything else an error.
    """
    severity: Severity = "warning" if code.startswith("W") else "error"
    if node is None:
        return Diagnostic(code, severity, message, hint=hint)
    file, line, column = node.file, node.line, node.column
    if key is not None and key in node.keys:
        file, line, column = node.keys[key]
    elif offset is not None and node.style not in ("|", ">"):  # block text begins on a later line
        column += offset + (1 if node.style else 0)  # after the quote
    return Diagnostic(code, severity, message, file, line, column, hint)


# --- compact form for the cache: [line, column, value]


def pack(node: Node) -> list[Any]:
    """A node as plain data.

    The members of a map are a list, since the order in which they are written is part of the node.
    """
    value = node.value
    if type(value) is dict:
        value = {"map": [[k, *node.keys[k][1:], pack(v)] for k, v in value.items()]}
    elif type(value) is list:
        value = [pack(v) for v in value]
    return [node.line, node.column, value, *([node.style] if node.style else [])]


def unpack(data: list[Any], file: str) -> Node:
    """The node that was packed."""
    line, column, value = data[:3]
    if type(value) is dict:
        keys = {k: (file, *place) for k, *place, _ in value["map"]}
        entries = {k: unpack(v, file) for k, *_, v in value["map"]}
        return Node(entries, file, line, column, keys, made_of=data)
    if type(value) is list:
        return Node([unpack(v, file) for v in value], file, line, column)
    return Node(value, file, line, column, style=data[3] if len(data) > 3 else "")


def texts_in(value: Any, node: Node) -> Iterator[tuple[str, Node]]:
    """The texts in a value with their nodes: itself, or the members of a list."""
    if isinstance(value, str):
        yield value, node
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                yield item, find(node, [index])
