"""Decisions: whatever a mechanic must ask. An answer given beforehand, or the default policy of the decision's row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.dice import Stream
from ..core.model import Row
from ..core.state import Entity
from ..world.selections import as_set, plain
from ..world.world import Names
from .context import Turn

MODERATOR = "moderator"
"""Who is asked what the rules leave to a person: his answers stand beside those of the nations."""


def decide(
    turn: Turn,
    row: Row,
    names: Names,
    stream: Callable[[], Stream],
    *,
    options: Sequence[Any] | None = None,
    who: str | None = None,
    subject: str = "",
) -> Any:
    """The answer to a decision: the one its party gave, if it is among the options, else the row's default.

    `options` overrides the row's `from`; an answer that is not among them falls back to the default, and the journal entry
    that uses it says which it was. Where a side or a set is asked, the first of its nations that has answered decides. A row
    with `most` asks for a number, which may also be said as `all` or `none`.
    """
    world = turn.world
    asked_all = [who] if who is not None else asked(turn, row, names)
    subject = subject or (str(plain(names.get(row["about"]))) if "about" in row else "")
    if "most" in row:
        return _number(turn, row, names, [turn.answer(row["id"], a, subject) for a in asked_all])
    if options is None:
        source = row.get("from", [])
        options = (
            list(source) if isinstance(source, list) else [plain(x) for x in as_set(world, world.value(_bare(source), names))]
        )
    for one in asked_all:
        given = turn.answer(row["id"], one, subject)
        if given is not None and (not options or given in [plain(o) for o in options]):
            return given
    return default_answer(turn, row.get("default"), list(options), names, stream)


def asked(turn: Turn, row: Row, names: Names) -> list[str]:
    """The nations that a decision asks, in order: those its `asks` stands for."""
    if row.get("asks") == MODERATOR:
        return [MODERATOR]
    found = turn.world.marked(row.get("asks", "=self"), names)
    found = names.get(found, found) if isinstance(found, str) else found
    return turn.world.members(found)


def _number(turn: Turn, row: Row, names: Names, answers: Sequence[Any]) -> int:
    """The first answer that is a number (or `all`, `none`), else the default, within the bounds of the row."""
    least = int(turn.world.number(row.get("least", 0), names))
    most = max(least, int(turn.world.number(row["most"], names)))
    words = {"all": most, "none": least}
    for said in (*answers, turn.world.marked(row.get("default"), names)):
        if isinstance(said, str) and said in words:
            return words[said]
        if isinstance(said, int):
            return min(most, max(least, said))
    return least


def default_answer(turn: Turn, default: Any, options: list[Any], names: Names, stream: Callable[[], Stream]) -> Any:
    """What a default policy chooses among options: a named policy, an option itself, or an expression."""
    if isinstance(default, str) and default.startswith("="):
        return plain(turn.world.value(default[1:], names))
    if default in [plain(o) for o in options]:
        return default
    if not options:
        return default
    if default == "draw":
        return plain(stream().choice(options))
    if default == "largest":
        return plain(max(options, key=lambda o: (_size(turn, o), str(plain(o)))))
    if default in ("weakest", "cheapest"):
        return plain(min(options, key=lambda o: (_size(turn, o), str(plain(o)))))
    if default == "nearest" and isinstance(names.get("place"), Entity):
        here = names["place"].id
        return plain(min(options, key=lambda o: (turn.world.geography.distance(here, str(plain(o))) % 10_000, str(plain(o)))))
    return plain(options[0])


def _size(turn: Turn, option: Any) -> int:
    id_ = str(plain(option))
    return sum(row["n"] for _, row in turn.state.stacks(at=id_))


def _bare(text: Any) -> str:
    return str(text)[1:].strip() if str(text).startswith("=") else str(text)
