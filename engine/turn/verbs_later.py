"""The verbs for later: what is put under way or dropped, agreements to pay, and effects that are held until a fact comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..world.selections import as_set, plain
from .effects import Tail


def queue(tail: Tail, p: Row, names: dict[str, Any]) -> None:
    """Puts something under way, due at a step or a turn; with `levy`, an agreement to pay it (`for` pays, `to` are weights)."""
    if "levy" in p:
        _agree(tail, p, names)
        return
    what = str(tail.plain(p["what"], names))
    who = tail.nations(p["for"], names) if "for" in p else [plain(names["self"])]
    due = tail.plain(p["due"], names) if "due" in p else None
    n = int(tail.amount(p.get("n", 1), names))
    at = tail.plain(p["at"], names) if "at" in p else None
    for nation in who:
        put_under_way(tail.turn, nation, what, n, at, due, otherwise=p.get("else"))


def _agree(tail: Tail, p: Row, names: dict[str, Any]) -> None:
    weights = tail.world.marked(p["to"], names)
    if not isinstance(weights, dict):
        weights = {plain(t): 1 for t in as_set(tail.world, weights)}
    for payer in tail.nations(p["for"], names) if "for" in p else [plain(names["self"])]:
        key = f"{p['levy']}:{payer}"
        while tail.world.state.row("agreements", key):
            key += "+"
        row = {"levy": p["levy"], "from": payer, "to": dict(sorted(weights.items())), "since": tail.turn.number}
        tail.journal.put_row("agreements", key, row)


def put_under_way(turn: Any, nation: str, what: str, n: int, at: Any, due: Any, *, otherwise: Any = None, **more: Any) -> str:
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
        "else": otherwise,
        **more,
    }
    turn.journal.put_row("under_way", key, {k: v for k, v in row.items() if v is not None})
    return key


def cancel(tail: Tail, p: Row, names: dict[str, Any]) -> None:
    """Drops orders or things under way of a nation."""
    if "under_way" in p:
        wanted = plain(tail.plain(p["under_way"], names))
        who = tail.nations(p["of"], names) if "of" in p else None
        at = tail.plain(p["at"], names) if "at" in p else None
        left = int(tail.amount(p["n"], names)) if "n" in p else None
        for key, row in sorted(tail.world.state.table("under_way").items()):
            fits = wanted in ("all", key, row["what"], row.get("at")) and (who is None or row["nation"] in who)
            if not fits or at not in (None, row.get("at")) or left == 0:
                continue
            gone = int(row.get("n", 1)) if left is None else min(left, int(row.get("n", 1)))
            left = None if left is None else left - gone
            if gone == int(row.get("n", 1)):
                tail.journal.put_row("under_way", key, None)
            else:
                tail.journal.set("under_way", key, "n", int(row["n"]) - gone)
    if "orders" in p:
        who = tail.nations(p["of"], names) if "of" in p else [plain(names["self"])]
        wanted = tail.plain(p["orders"], names)
        for order in tail.turn.orders(None if wanted == "all" else [str(wanted)]):
            if order["nation"] in who:
                tail.journal.put_row("orders", order["key"], None)


def hold(tail: Tail, p: Row, names: dict[str, Any]) -> None:
    """Keeps effects for a fact, or for its next `times`. With `draw: now` their dice are rolled at once and the numbers kept."""
    effects = p["effects"]
    if p.get("draw", "now") == "now":
        effects = [_drawn(tail, e, names) for e in effects]
    plain_names = {k: kept for k, v in names.items() if (kept := kept_name(v)) is not None}
    key = f"{tail.rule}#{len(tail.world.state.table('held')) + 1:04d}"
    while tail.world.state.row("held", key):
        key += "+"
    until = _bound_fact(tail, p["until"], names)
    row = {
        "until": until,
        "if": p.get("if"),
        "effects": effects,
        "names": plain_names,
        "rule": tail.rule,
        "since": tail.turn.number,
        "audience": list(tail.entry.audience),
        "times": int(tail.world.number(p.get("times", 1), names)),
    }
    tail.journal.put_row("held", key, row)


def kept_name(value: Any) -> Any:
    """A name in scope as the state can keep it: a thing as [kind, id], a set as a list of such, weights as they are."""
    if isinstance(value, Entity):
        return [value.kind, value.id]
    if isinstance(value, tuple) and all(isinstance(v, Entity) for v in value):
        return {"set": [[v.kind, v.id] for v in value]}
    if isinstance(value, dict) and all(isinstance(v, int) for v in value.values()):
        return {"weights": dict(value)}
    return None


def kept_value(kept: Any) -> Any:
    """What `kept_name` kept, as it was."""
    if isinstance(kept, Mapping):
        return dict(kept["weights"]) if "weights" in kept else tuple(Entity(*v) for v in kept["set"])
    return Entity(*kept)


def _bound_fact(tail: Tail, fact: Any, names: dict[str, Any]) -> Any:
    """A fact to wait for, its filters evaluated now."""
    if isinstance(fact, str):
        return fact
    word, filters = next(iter(fact.items()))
    if not isinstance(filters, dict):
        return {word: filters}
    bound = {k: plain(tail.who(v, names)) if isinstance(v, str) else v for k, v in filters.items()}
    return {word: bound}


def _drawn(tail: Tail, effect: Row, names: dict[str, Any]) -> Row:
    out = dict(effect)
    for verb in ("shift", "pay", "change", "remove", "create"):
        if verb in out:
            part = dict(out[verb])
            for key in ("by", "amount", "n"):
                if key in part:
                    part[key] = tail.amount(part[key], names)
            out[verb] = part
    return out
