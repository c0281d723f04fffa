"""What differs between two rulesets, row by row and key by key; inside maps and lists down to the value that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .model import Ruleset

__all__ = ["Difference", "compare"]

UNSAID = frozenset({"note"})
"""Keys without effect, whose changes are no difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `what`: added, removed (a row); key added, key removed, changed (in a row, `key` being a path)."""

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
            yield Difference("changed", form, "order of rows", [i for i in old if i in new], [i for i in new if i in old])
    yield from _values("frame", "", list(a.frame), list(b.frame))
    yield from _values("settings", "", a.manifest.get("settings", {}), b.manifest.get("settings", {}))


def _placed(d: Difference, origin: str) -> Difference:
    return Difference(d.what, d.name, d.key, d.old, d.new, origin)


def _values(name: str, path: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(k for k in new if k not in old)]:
            at = f"{path}.{key}" if path else str(key)
            if not path and key in UNSAID:
                continue
            if key not in new:
                yield Difference("key removed", name, at, old[key], None)
            elif key not in old:
                yield Difference("key added", name, at, None, new[key])
            else:
                yield from _values(name, at, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and _nested(old):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _values(name, f"{path}[{index}]", one, other)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield Difference("changed", name, path, old, new)


def _nested(values: list[Any]) -> bool:
    return any(isinstance(value, (dict, list)) for value in values)
