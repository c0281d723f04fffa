"""The sequence of play as a tree: every node of it, with where it stands and what stands around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .rows import Row

Path = tuple[int, ...]
"""Where a node stands: the number of each node around it in its list, and its own."""


class FrameNode(NamedTuple):
    """A node of the sequence of play, in its place."""

    path: Path
    row: Row
    above: tuple[Row, ...]
    """The nodes around it, the outermost first."""

    @property
    def along(self) -> tuple[Row, ...]:
        """The nodes around it, and itself."""
        return (*self.above, self.row)

    def nearest(self, key: str) -> Row | None:
        """The innermost of these that has a key."""
        return next((row for row in reversed(self.along) if key in row), None)


def nodes_in(frame: Iterable[Row], at: Path = (), above: tuple[Row, ...] = ()) -> Iterator[FrameNode]:
    """Every node of a sequence of play in order, one with steps before these."""
    for index, row in enumerate(frame):
        path = (*at, index)
        yield FrameNode(path, row, above)
        if "steps" in row:
            yield from nodes_in(row["steps"], path, (*above, row))


def steps(frame: Iterable[Row]) -> list[Row]:
    """Every node that runs a mechanic, in order."""
    return [node.row for node in nodes_in(frame) if "do" in node.row]


def inputs(frame: Iterable[Row]) -> list[Row]:
    """Every input point, in order."""
    return [node.row for node in nodes_in(frame) if "input" in node.row]


def phases(frame: Iterable[Row]) -> list[Row]:
    """The phases in order, however deep they stand, but for those inside others."""
    found = (node for node in nodes_in(frame) if "phase" in node.row)
    return [node.row for node in found if not any("phase" in row for row in node.above)]


def step_name(node: Row) -> str:
    """What a step is called: by its own name, else by the mechanic that it runs."""
    return str(node.get("step") or node["do"])
