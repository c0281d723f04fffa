"""The verbs for later: what is put under way or dropped, and agreements to pay."""

from __future__ import annotations

from typing import Any

from ..core.model import Row
from ..world.selections import as_set, id_of
from .effects import EffectRunner


def queue(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Puts something under way, due at a step or a turn; with `levy`, an agreement to pay it (`for` pays,
    `to` are weights).
    """
    if "levy" in p:
        _agree(runner, p, names)
        return
    what = str(runner.plain(p["what"], names))
    who = runner.nations(p["for"], names) if "for" in p else [id_of(names["self"])]
    due = runner.plain(p["due"], names) if "due" in p else None
    n = int(runner.amount(p.get("n", 1), names))
    at = runner.plain(p["at"], names) if "at" in p else None
    for nation in who:
        put_under_way(runner.turn, nation, what, n, at, due)


def _agree(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    weights = runner.world.marked(p["to"], names)
    if not isinstance(weights, dict):
        weights = {id_of(t): 1 for t in as_set(runner.world, weights)}
    for payer in runner.nations(p["for"], names) if "for" in p else [id_of(names["self"])]:
        key = f"{p['levy']}:{payer}"
        while runner.world.state.row("agreements", key):
            key += "+"
        row = {
            "levy": p["levy"],
            "from": payer,
            "to": dict(sorted(weights.items())),
            "since": runner.turn.number,
        }
        runner.journal.put_row("agreements", key, row)


def put_under_way(
    turn: Any, nation: str, what: str, n: int, at: Any, due: Any, *, if_lost: Any = None, **more: Any
) -> str:
    """A new row of `under_way`; returns its id."""
    used = [int(k.rpartition("#")[2]) for k in turn.state.table("under_way") if k.startswith(f"{nation}#")]
    key = f"{nation}#{max(used, default=0) + 1:04d}"
    row = {
        "nation": nation,
        "what": what,
        "n": n,
        "at": at,
        "due": due,
        "since": turn.number,
        "if_lost": if_lost,
        **more,
    }
    turn.journal.put_row("under_way", key, {k: v for k, v in row.items() if v is not None})
    return key


def cancel(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Drops things under way."""
    if "under_way" in p:
        wanted = id_of(runner.plain(p["under_way"], names))
        who = runner.nations(p["of"], names) if "of" in p else None
        at = runner.plain(p["at"], names) if "at" in p else None
        left = int(runner.amount(p["n"], names)) if "n" in p else None
        for key, row in sorted(runner.world.state.table("under_way").items()):
            fits = wanted in ("all", key, row["what"], row.get("at")) and (
                who is None or row["nation"] in who
            )
            if not fits or at not in (None, row.get("at")) or left == 0:
                continue
            gone = int(row.get("n", 1)) if left is None else min(left, int(row.get("n", 1)))
            left = None if left is None else left - gone
            if gone == int(row.get("n", 1)):
                runner.journal.put_row("under_way", key, None)
            else:
                runner.journal.set("under_way", key, "n", int(row["n"]) - gone)
