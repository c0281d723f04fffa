"""What differs between two rulesets, row by row and key by key; inside maps and lists down to the value that
differs.

Lists of things that have ids (stages of a battle, rows of a matrix) are compared thing by thing, and the
sequence node by node: a node that stands elsewhere has moved, it is not a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from ..core.model import Ruleset

UNSAID = frozenset({"note", "source", "silence"})
"""Keys without effect on a game, whose changes are no difference."""
NODE_NAMES = ("id", "step", "phase", "input")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `what`: added, removed (a row, or a step of the sequence), moved (a node); key added,
    key removed, changed (in a row, `key` being a path)."""

    what: str
    name: str
    key: str = ""
    old: Any = None
    new: Any = None
    origin: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(a: Ruleset, b: Ruleset) -> Iterator[Difference]:
    """What is different in `b`, seen from `a`."""
    for form in sorted({*a.forms, *b.forms}):
        old, new = a.rows(form), b.rows(form)
        for id_ in old:
            if id_ not in new:
                yield Difference("removed", f"{form}/{id_}")
        for id_, row in new.items():
            if id_ not in old:
                yield Difference("added", f"{form}/{id_}", origin=b.origin(form, id_))
            else:
                for d in _values(f"{form}/{id_}", "", old[id_], row):
                    yield _placed(d, b.origin(form, id_, d.key.partition(".")[0].partition("[")[0]))
        if [i for i in old if i in new] != [i for i in new if i in old]:
            yield Difference(
                "changed", form, "order of rows", [i for i in old if i in new], [i for i in new if i in old]
            )
    yield from _frames(a, b)
    yield from _values("settings", "", a.manifest.get("settings", {}), b.manifest.get("settings", {}))


def _frames(a: Ruleset, b: Ruleset) -> Iterator[Difference]:
    """What is different in the course of the turn: nodes that are gone, new, elsewhere, or other than they
    were.
    """
    old, new = _nodes(a.sequence, ""), _nodes(b.sequence, "")
    for name in old:
        if name not in new:
            yield Difference("removed", f"sequence/{name}")
    for name, (parent, node) in new.items():
        if name not in old:
            yield Difference("added", f"sequence/{name}", new=node)
            continue
        if old[name][0] != parent:
            yield Difference(
                "moved", f"sequence/{name}", "stands in", old[name][0] or "the turn", parent or "the turn"
            )
        yield from _values(f"sequence/{name}", "", old[name][1], node)
    first, second = [n for n in old if n in new], [n for n in new if n in old]
    kept = set()
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        kept.update(first[block.a :][: block.size])
    for name in (n for n in second if n not in kept):
        was, now = first.index(name), second.index(name)
        before, after = first[was - 1] if was else "", second[now - 1] if now else ""
        yield Difference("moved", f"sequence/{name}", "comes after", before or "nothing", after or "nothing")


def _nodes(nodes: Iterable[Mapping[str, Any]], parent: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every node of a sequence by its name (after the one around it, where that is not enough): what it
    stands in, and itself.
    """
    out: dict[str, tuple[str, dict[str, Any]]] = {}
    for node in nodes:
        name = str(next((node[k] for k in NODE_NAMES if k in node), node.get("do", "")))
        name = f"{parent}/{name}" if name in out or name == parent else name
        out[name] = (parent, {k: v for k, v in node.items() if k != "steps"})
        for inner, found in _nodes(node.get("steps", ()), name).items():
            out[inner if inner not in out else f"{name}/{inner}"] = found
    return out


def _placed(d: Difference, origin: str) -> Difference:
    return Difference(d.what, d.name, d.key, d.old, d.new, origin)


def _effective(value: Any) -> Any:
    """A value without what has no effect on a game."""
    if isinstance(value, Mapping):
        return {k: _effective(v) for k, v in value.items() if k not in UNSAID}
    return [_effective(v) for v in value] if isinstance(value, list) else value


def _values(name: str, path: str, old: Any, new: Any) -> Iterator[Difference]:
    yield from _parts(name, path, _effective(old), _effective(new))


def _parts(name: str, path: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(k for k in new if k not in old)]:
            at = f"{path}.{key}" if path else str(key)
            if key not in new:
                yield Difference("key removed", name, at, old[key], None)
            elif key not in old:
                yield Difference("key added", name, at, None, new[key])
            else:
                yield from _parts(name, at, old[key], new[key])
    elif (
        isinstance(old, list) and isinstance(new, list) and (named := _by_id(old)) and (others := _by_id(new))
    ):
        yield from _parts(name, path, named, others)
        if [i for i in named if i in others] != [i for i in others if i in named]:
            yield Difference("changed", name, f"{path}.order", list(named), list(others))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and _nested(old):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _parts(name, f"{path}[{index}]", one, other)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield Difference("changed", name, path, old, new)


def _by_id(values: list[Any]) -> dict[str, Any] | None:
    """The members of a list by their ids, if all have one of their own."""
    ids = [v.get("id") if isinstance(v, dict) else None for v in values]
    if not ids or None in ids or len(set(ids)) < len(ids):
        return None
    return {
        str(i): {k: v for k, v in value.items() if k != "id"} for i, value in zip(ids, values, strict=True)
    }


def _nested(values: list[Any]) -> bool:
    return any(isinstance(value, (dict, list)) for value in values)
