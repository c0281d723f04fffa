"""Rows of a merged ruleset spoiled at random: deleted, renamed, retyped, nested, exaggerated, or with
another word.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.forms import Forms
from wteaw.ruleset.nodes import Node
from wteaw.ruleset.overlay import MergedRuleset, has_slots, with_slots

INERT = frozenset(
    {
        "note",
        "source",
        "silence",
        "color",
        "aliases",
        "symbol",
        "help",
        "read_back",
        "text",
        "name",
        "question",
    }
)
"""Keys whose values no turn depends on: seldom worth spoiling."""
TYPES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    3,
    -12,
    "seven",
    "=1/0",
    "=turn",
    "=None",
    [],
    {},
    "",
    "all",
    "5..2",
    "1d6",
)
NAMES = ("self", "place", "unit", "nation", "target", "turn", "link", "None")
EXPRESSIONS = ("=({}) * 10**17", "=({}) ** 9", "=-({})", "=({}) / (turn - turn)", "=not ({})")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SpoiledRow:
    """One spoiled place: in words, and the draft with it."""

    what: str
    draft: MergedRuleset
    form: str
    id: str


class RowSpoiler:
    """Spoils one place of a draft at a time, by a generator of random numbers."""

    def __init__(self, draft: MergedRuleset, known: Forms) -> None:
        self.draft, self.known = draft, known
        ids = {form: list(rows) for form, rows in draft.forms.items()}
        self.ids = {form: rows for form, rows in ids.items() if rows}
        self.words = sorted({*FUNCTIONS, *(i for rows in self.ids.values() for i in rows)})

    def mutation(self, rng: random.Random) -> SpoiledRow:
        """A draft that is spoiled in one place; rows of small forms are as likely as those of large ones."""
        weights = {form: len(rows) ** 0.5 for form, rows in self.ids.items()}
        form = rng.choices(list(weights), list(weights.values()))[0]
        id_ = rng.choice(self.ids[form])
        row = self.draft.forms[form][id_]
        if rng.random() < 0.04:
            return self._whole(rng, form, id_)
        for _ in range(20):
            path = self._place(rng, row)
            if path and path[0] not in INERT and path[0] != "id":  # rows are renamed whole, as they are read
                break
        what, spoiled = self._spoil(rng, row, path)
        rows = {
            **self.draft.forms[form],
            id_: with_slots(spoiled) if has_slots(self.known, form) else spoiled,
        }
        draft = replace_form(self.draft, form, rows)
        return SpoiledRow(f"{form}/{id_} {'.'.join(map(str, path))}: {what}", draft, form, id_)

    def _whole(self, rng: random.Random, form: str, id_: str) -> SpoiledRow:
        rows = dict(self.draft.forms[form])
        row = rows.pop(id_)
        if rng.random() < 0.5:
            return SpoiledRow(f"{form}/{id_}: row deleted", replace_form(self.draft, form, rows), form, id_)
        other = rng.choice([f"{id_}-x", "x" * 300, "\x1b[31m", rng.choice(self.words)])
        entries = {**row.value, "id": replace_value(row, other)} if "id" in row.value else row.value
        rows[other] = row.with_entries(entries, row.keys)
        return SpoiledRow(
            f"{form}/{id_}: row renamed {other[:20]!r}", replace_form(self.draft, form, rows), form, other
        )

    def _place(self, rng: random.Random, row: Node) -> tuple[str | int, ...]:
        """A path into a row: deeper with every step, and sometimes not to the end."""
        path: list[str | int] = []
        node = row
        while True:
            if node.is_map and node.value:
                step: str | int = rng.choice(list(node.value))
            elif node.is_list and node.value:
                step = rng.randrange(len(node.value))
            else:
                return tuple(path)
            path.append(step)
            node = node.value[step]
            if rng.random() < 0.15:
                return tuple(path)

    def _spoil(self, rng: random.Random, row: Node, path: tuple[str | int, ...]) -> tuple[str, Node]:
        if not path:
            return "nothing", row
        above = row
        for step in path[:-1]:
            above = above.value[step]
        node = above.value[path[-1]]
        ways: list[Callable[[random.Random, Node, Node, str | int], tuple[str, Node | None, str | None]]]
        ways = [self._delete, self._retype, self._nest, self._exaggerate, self._exaggerate]
        if above.is_map:
            ways += [self._rename]
        if isinstance(node.value, str):
            ways += [self._swap] * 4
        what, new, key = rng.choice(ways)(rng, above, node, path[-1])
        return what, put_at(row, path, new, key)

    def _delete(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        return "deleted", None, None

    def _rename(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        keys = [key for key in self._keys_beside(rng) if key not in above.value]
        key = rng.choice([f"{step}x", "prize", rng.choice(keys or ["x"]), rng.choice(keys or ["x"])])
        return f"key renamed {key!r}", node, key

    def _keys_beside(self, rng: random.Random) -> list[str]:
        form = rng.choice(list(self.ids))
        return [k for k in rng.choice(list(self.draft.forms[form].values())).value if isinstance(k, str)]

    def _retype(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        value = rng.choice(TYPES)
        return f"became {value!r}", node_of(value, node), None

    def _nest(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        if rng.random() < 0.5:
            return "put into a list", replace_value(node, [node]), None
        return (
            "put into a map",
            node_of({"x": 1}, node).with_entries({"x": node}, {"x": (node.file, node.line, 1)}),
            None,
        )

    def _exaggerate(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        value = node.value
        if isinstance(value, bool):
            return f"became {not value}", node_of(not value, node), None
        if isinstance(value, int):
            new = rng.choice([0, -1, value + 1, value * 10, 10**6, 10**9, 10**30, -(10**9)])
            return f"became {new}", node_of(new, node), None
        if isinstance(value, str) and value.startswith("="):
            inner = value[1:].strip()
            new_text = rng.choice(EXPRESSIONS).format(inner)
            return f"became {new_text[:60]!r}", node_of(new_text, node), None
        if isinstance(value, str):
            odd = (
                "x" * 500,
                value * 20,
                "999d999999",
                "-999999999..999999999",
                "\x1b[2J" + value,
                f"not ({value})",
                "99999/7",
            )
            new_text = rng.choice(odd)
            return f"became {new_text[:60]!r}", node_of(new_text, node), None
        if isinstance(value, list):
            return "list repeated", replace_value(node, value * rng.choice([2, 200])), None
        return "deleted", None, None

    def _swap(
        self, rng: random.Random, above: Node, node: Node, step: str | int
    ) -> tuple[str, Node | None, str | None]:
        """One word of a text for another: of an expression a name, a field, a function or an id."""
        found = list(_WORD.finditer(node.value))
        near = [w for rows in self.ids.values() if node.value in rows for w in rows]
        if near and rng.random() < 0.6:
            other = rng.choice(near)
            return f"became {other!r}", node_of(other, node), None
        other = rng.choice([rng.choice(self.words), rng.choice(NAMES)])
        if not found:
            return f"became {other!r}", node_of(other, node), None
        place = rng.choice(found)
        text = node.value[: place.start()] + other + node.value[place.end() :]
        return f"became {text[:60]!r}", node_of(text, node), None


def replace_form(draft: MergedRuleset, form: str, rows: dict[str, Node]) -> MergedRuleset:
    return replace(draft, forms={**draft.forms, form: rows})


def replace_value(node: Node, value: Any) -> Node:
    """A node at the same place with another value."""
    return Node(value, node.file, node.line, node.column)


def node_of(value: Any, at: Node) -> Node:
    """A plain value as a node at a place."""
    if isinstance(value, dict):
        place = (at.file, at.line, at.column)
        return Node({k: node_of(v, at) for k, v in value.items()}, *place, dict.fromkeys(value, place))
    return Node(
        [node_of(v, at) for v in value] if isinstance(value, list) else value, at.file, at.line, at.column
    )


def put_at(node: Node, path: tuple[str | int, ...], new: Node | None, key: str | None) -> Node:
    """A node with another one at a path (None: without it; `key`: under another key)."""
    step, rest = path[0], path[1:]
    inner = put_at(node.value[step], rest, new, key) if rest else new
    if node.is_list:
        members = list(node.value)
        if inner is None:
            del members[int(step)]
        else:
            members[int(step)] = inner
        return replace_value(node, members)
    entries, keys = dict(node.value), dict(node.keys)
    place = keys.pop(str(step), (node.file, node.line, node.column))
    del entries[step]
    if inner is not None:
        name = key if key is not None and not rest else str(step)
        entries[name] = inner
        keys[name] = place
    return node.with_entries(entries, keys)
