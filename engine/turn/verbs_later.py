"""The verbs for later: what is put under way or dropped, agreements to pay, and effects that are held until a fact comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..world.selections import as_set, id_of
from .effects import EffectRunner


def queue(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Puts something under way, due at a step or a turn; with `levy`, an agreement to pay it (`for` pays, `to` are weights)."""
    if "levy" in p:
        _agree(runner, p, names)
        return
    what = str(runner.plain(p["what"], names))
    who = runner.nations(p["for"], names) if "for" in p else [id_of(names["self"])]
    due = runner.plain(p["due"], names) if "due" in p else None
    n = int(runner.amount(p.get("n", 1), names))
    at = runner.plain(p["at"], names) if "at" in p else None
    for nation in who:
        put_under_way(runner.turn, nation, what, n, at, due, otherwise=p.get("else"))


def _agree(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    weights = runner.world.marked(p["to"], names)
    if not isinstance(weights, dict):
        weights = {id_of(t): 1 for t in as_set(runner.world, weights)}
    for payer in runner.nations(p["for"], names) if "for" in p else [id_of(names["self"])]:
        key = f"{p['levy']}:{payer}"
        while runner.world.state.row("agreements", key):
            key += "+"
        row = {"levy": p["levy"], "from": payer, "to": dict(sorted(weights.items())), "since": runner.turn.number}
        runner.journal.put_row("agreements", key, row)


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


def cancel(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Drops orders or things under way of a nation."""
    if "under_way" in p:
        wanted = id_of(runner.plain(p["under_way"], names))
        who = runner.nations(p["of"], names) if "of" in p else None
        at = runner.plain(p["at"], names) if "at" in p else None
        left = int(runner.amount(p["n"], names)) if "n" in p else None
        for key, row in sorted(runner.world.state.table("under_way").items()):
            fits = wanted in ("all", key, row["what"], row.get("at")) and (who is None or row["nation"] in who)
            if not fits or at not in (None, row.get("at")) or left == 0:
                continue
            gone = int(row.get("n", 1)) if left is None else min(left, int(row.get("n", 1)))
            left = None if left is None else left - gone
            if gone == int(row.get("n", 1)):
                runner.journal.put_row("under_way", key, None)
            else:
                runner.journal.set("under_way", key, "n", int(row["n"]) - gone)
    if "orders" in p:
        who = runner.nations(p["of"], names) if "of" in p else [id_of(names["self"])]
        wanted = runner.plain(p["orders"], names)
        for order in runner.turn.orders(None if wanted == "all" else [str(wanted)]):
            if order["nation"] in who:
                runner.journal.put_row("orders", order["key"], None)


def hold(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Keeps effects for a fact, or for its next `times`. With `draw: now` their dice are rolled at once and the numbers kept."""
    effects = p["effects"]
    if p.get("draw", "now") == "now":
        effects = [_drawn(runner, e, names) for e in effects]
    plain_names = {k: kept for k, v in names.items() if (kept := kept_name(v)) is not None}
    key = f"{runner.rule}#{len(runner.world.state.table('held')) + 1:04d}"
    while runner.world.state.row("held", key):
        key += "+"
    until = _bound_fact(runner, p["until"], names)
    row = {
        "until": until,
        "if": p.get("if"),
        "effects": effects,
        "names": plain_names,
        "rule": runner.rule,
        "since": runner.turn.number,
        "audience": list(runner.entry.audience),
        "times": int(runner.world.number(p.get("times", 1), names)),
    }
    runner.journal.put_row("held", key, row)


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


def _bound_fact(runner: EffectRunner, fact: Any, names: dict[str, Any]) -> Any:
    """A fact to wait for, its filters evaluated now."""
    if isinstance(fact, str):
        return fact
    word, filters = next(iter(fact.items()))
    if not isinstance(filters, dict):
        return {word: filters}
    bound = {k: id_of(runner.who(v, names)) if isinstance(v, str) else v for k, v in filters.items()}
    return {word: bound}


def _drawn(runner: EffectRunner, effect: Row, names: dict[str, Any]) -> Row:
    out = dict(effect)
    for verb in ("shift", "pay", "change", "remove", "create"):
        if verb in out:
            part = dict(out[verb])
            for key in ("by", "amount", "n"):
                if key in part:
                    part[key] = runner.amount(part[key], names)
            out[verb] = part
    return out
