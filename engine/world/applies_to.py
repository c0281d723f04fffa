"""Whom a row is for: the one reading of the key `for`, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ..core.model import Ruleset
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from .fields import Readings


class Whom(NamedTuple):
    """Whom a row's `for` takes in: ids (with the members of the groups that it names), sides, and tests."""

    ids: frozenset[str]
    sides: frozenset[str]
    tests: tuple[str, ...]

    def takes_in(
        self, world: Readings, labels: AbstractSet[str], names: Mapping[str, Any], nations: Iterable[str] = ()
    ) -> bool:
        """Whether something that goes by these ids (labels) is meant; `nations` are those by whose side it
        may be.
        """
        if not self.ids.isdisjoint(labels):
            return True
        if self.sides and any(world.side_of(n) in self.sides for n in nations):
            return True
        return any(_says_yes(world, world.value(text, names), labels, nations) for text in self.tests)


def _says_yes(world: Readings, found: Any, labels: AbstractSet[str], nations: Iterable[str]) -> bool:
    """A test's answer: yes or no, or the things that are meant."""
    if isinstance(found, bool) or found is None:
        return bool(found)
    things = found if isinstance(found, tuple | list) and not isinstance(found, Entity) else (found,)
    meant = whom(world.ruleset, [t.id if isinstance(t, Entity) else str(t) for t in things])
    return meant._replace(tests=()).takes_in(world, labels, {}, nations)


def whom(ruleset: Ruleset, wanted: str | Iterable[str]) -> Whom:
    """What a `for` says: ids, tags, groups and sides, one or a list of them, or `=` a test or a set."""
    words = [wanted] if isinstance(wanted, str) else list(wanted)
    tests = tuple(strip_mark(w) for w in words if w.startswith("="))
    ids: set[str] = set()
    for word in words:
        if not word.startswith("="):
            ids |= {word, *ruleset.row_or_empty("groups", word).get("members", ())}
    return Whom(frozenset(ids), frozenset(ids & ruleset.rows("sides").keys()), tests)


def is_for(world: Readings, wanted: str | Iterable[str], nation: str) -> bool:
    """Whether a `for` takes in a nation."""
    who = Entity("nation", nation)
    return whom(world.ruleset, wanted).takes_in(world, {nation}, {"nation": who, "self": who}, (nation,))
