"""The verbs for records: things that rules enter into the books, change with `change` like anything else, and
strike out.
"""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..world.selections import as_set, id_of
from .effects import EffectRunner


def record(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A new record of a kind (`what`), with its fields as `set` gives them. Those made later come later."""
    what = str(runner.plain(p["what"], names))
    used = [
        int(k.rpartition("#")[2]) for k in runner.world.state.table("records") if k.startswith(f"{what}#")
    ]
    said = {k: values(runner, v, names) for k, v in p.get("set", {}).items()}
    row = {"kind": what, "since": runner.turn.number, **{k: v for k, v in said.items() if v is not None}}
    runner.journal.put_row("records", f"{what}#{max(used, default=0) + 1:04d}", row)


def strike(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Records are struck out."""
    for thing in as_set(runner.world, runner.set(p["records"], names)):
        runner.journal.put_row("records", thing.id, None)


def values(runner: EffectRunner, value: Any, names: dict[str, Any]) -> Any:
    """A value as the state keeps it: a thing as its id, a set as a list of ids."""
    found = runner.plain(value, names)
    return [id_of(v) for v in found] if isinstance(found, tuple) else found
