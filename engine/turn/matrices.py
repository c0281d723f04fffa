"""Matrices: tables of acts by groups of onlookers. One draw per cell and onlooker, toward or against a side,
at once or held.

A column is a nation, or a named test; a nation that has no column of its own falls into the first column
whose test it passes. A cell that says no more than how far moves the way that its row, or the matrix, moves
all cells. In scope of every test are the `actor` of the act, its `target`, and `object`: the one it befell
(the target, else the actor).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.journal import Fact
from ..core.model import Row, Ruleset, derived_of
from ..core.rows import MatrixRow
from ..core.state import Entity
from ..world.amounts import amount
from ..world.messages import message
from ..world.selections import as_set, id_of
from ..world.tracks import way_to, way_to_zero
from ..world.world import Names
from .context import Turn, audience_ids
from .effects import EffectRunner
from .triggers import matches, triggers, view
from .verbs import move_track


def offer(turn: Turn, fact: Fact) -> None:
    """Play the first row of each matrix that waits for this fact."""
    for matrix, rows in _index(turn.ruleset).get(fact.word, ()):
        for row in rows:
            if not any(matches(turn, w, f, fact) for w, f in triggers(row)):
                continue
            event = view(fact)
            actor, target = event.get("actor"), event.get("target")
            names: dict[str, Any] = {**turn.loops, **_parties(actor, target), "event": event}
            if turn.world.test(matrix.get("when", {}).get(fact.word), names) and turn.world.test(
                row.get("when"), names
            ):
                perform(turn, matrix["id"], row["id"], actor, target, names=names)
                break


@derived_of("matrices")
def _index(ruleset: Ruleset) -> dict[str, list[tuple[Row, list[Row]]]]:
    """The matrices that wait for a fact, with those of their rows that do, by the fact's word."""
    out: dict[str, list[tuple[Row, list[Row]]]] = {}
    for matrix in ruleset.rows("matrices").values():
        words: dict[str, None] = {}
        for row in matrix["rows"]:
            words.update(dict.fromkeys(w for w, _ in triggers(row)))
        for word in words:
            out.setdefault(word, []).append(
                (matrix, [r for r in matrix["rows"] if word in {w for w, _ in triggers(r)}])
            )
    return out


def _parties(actor: Any, target: Any) -> dict[str, Any]:
    return {"actor": actor, "target": target, "object": target if target is not None else actor}


def perform(
    turn: Turn,
    matrix_id: str,
    row_id: str,
    actor: Any,
    other: Any,
    *,
    names: Names | None = None,
) -> None:
    """One row: every onlooker's cell is drawn with dice of its own and moved (or held)."""
    matrix = turn.ruleset.row("matrices", matrix_id)
    row = next(r for r in matrix["rows"] if r["id"] == row_id)
    scope = {**(names or {}), **_parties(actor, other)}
    for nation in onlookers(turn, matrix, scope):
        column = column_of(turn, matrix, nation, scope)
        cell = cell_of(matrix, row, column) if column else None
        if column is None or cell is None:
            continue
        if nation == id_of(actor) and not cell.get("to_zero"):
            continue  # nobody takes points against themselves
        by = _multiple(turn, matrix, column, scope)
        play(turn, matrix, row, cell, nation, {**scope, "nation": Entity("nation", nation)}, by)


def onlookers(turn: Turn, matrix: MatrixRow, names: Names) -> list[str]:
    """The nations whose opinion the matrix may move: those its `for` selects (which may leave out the
    `object`).
    """
    return [t.id for t in as_set(turn.world, turn.world.value(matrix["for"], names))]


WAYS = ("toward", "against")


def cell_of(matrix: Row, row: Row, column: str) -> Row | None:
    """A cell in full: `by`, with the way that it, its row or the matrix says; None where nothing moves."""
    said = row["cells"].get(column)
    if said is None:
        return None
    cell = dict(said) if isinstance(said, Mapping) else {"by": said}
    if not cell.get("to_zero") and not any(way in cell for way in WAYS):
        cell |= next(({way: at[way]} for at in (row, matrix) for way in WAYS if way in at), {})
    return cell


def column_of(turn: Turn, matrix: MatrixRow, nation: str, names: Names) -> str | None:
    """The column of an onlooker: its own, else the first whose test it passes."""
    for column in matrix["columns"]:
        if isinstance(column, str):
            if column == nation:
                return column
            continue
        name, test = next(iter(column.items()))
        if test == "rest" or turn.world.test(test, {**names, "nation": Entity("nation", nation)}):
            return str(name)
    return None


def _multiple(turn: Turn, matrix: MatrixRow, column: str, names: Names) -> Any:
    out: Any = 1
    for rule in matrix.get("multiply", ()):
        if rule["column"] == column and turn.world.test(rule.get("when"), names):
            out *= turn.world.number(rule["by"], names)
    return out


def play(turn: Turn, matrix: MatrixRow, row: Row, cell: Any, nation: str, names: Names, times: Any) -> None:
    """One cell: `{toward: side, by: 0..3}`, `{against: actor, by: ...}` or `{to_zero: true, by: ...}`."""
    if not turn.world.test(cell.get("when"), names) or cell.get("by") in (0, None):
        return
    rule = f"matrices/{matrix['id']}"
    subject = f"{row['id']}:{nation}"
    readers = audience_ids(turn.world, matrix.get("audience"), names)
    says = message(turn.world, row.get("says") or row.get("label", ""), names)
    with turn.journal.entry(rule, subject=subject, audience=readers, data={"row": row["id"]}) as entry:
        runner = EffectRunner(turn, entry, rule, subject)
        by = amount(turn.world, cell["by"], names, runner.stream)
        runner.note_dice()
        by = int(by * times)
        entry.tell(says if by else None)  # what moves nobody is no news
        to_zero = bool(cell.get("to_zero"))
        direction = _direction(turn, cell, nation, matrix["track"], names)
        held = cell.get("delay", row.get("delay", matrix.get("delay")))
        if held and held != "none" and turn.world.test(held.get("when"), names):
            _hold(turn, entry.audience, rule, subject, held, nation, matrix, direction, by, names, to_zero)
        else:
            move_track(
                runner, nation, turn.ruleset.row("tracks", matrix["track"]), direction, by, to_zero=to_zero
            )


def _direction(turn: Turn, cell: Row, nation: str, track: str, names: Names) -> int:
    """Up (1), down (-1), or 0 while the one it depends on belongs to no side."""
    if cell.get("to_zero"):
        return way_to_zero(turn.state, nation, track)
    key = "toward" if "toward" in cell else "against"
    who = cell.get(key, "actor")
    thing = names.get(who) if who in ("actor", "target", "object") else turn.world.thing(who)
    side = (
        thing.id
        if isinstance(thing, Entity) and thing.kind == "side"
        else turn.world.side_of(str(id_of(thing)))
    )
    if side is None:
        return 0
    way = way_to(turn.ruleset.row("tracks", track), side)
    return way if key == "toward" else -way


def _hold(
    turn: Turn,
    audience: Any,
    rule: str,
    subject: str,
    held: Row,
    nation: str,
    matrix: MatrixRow,
    direction: int,
    by: int,
    names: Names,
    to_zero: bool,
) -> None:
    """Keep a drawn cell until its fact (`held.until`, with `actor` standing for the actor's id)."""
    actor = str(id_of(names.get("actor")))
    word, filters = next(iter(held["until"].items()))
    filters = {k: actor if v in ("actor", "=actor") else v for k, v in filters.items()}
    side_verb = {"against": "=event.side"} if direction == 0 else {"up" if direction > 0 else "down": True}
    effect = {"shift": {"who": nation, "track": matrix["track"], "by": by, **side_verb}}
    if to_zero:
        effect["shift"]["to_zero"] = True
    key = f"{rule}#{subject}#{turn.number:03d}"
    while turn.state.row("delayed", key):
        key += "+"
    test = held.get("if")
    bound = {"nation": ["nation", nation], "actor": ["nation", actor]}
    turn.journal.put_row(
        "delayed",
        key,
        {
            "until": {word: filters},
            "if": test,
            "effects": [effect],
            "names": bound,
            "rule": rule,
            "since": turn.number,
            "audience": list(audience),
        },
    )


def react(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """One row of a matrix."""
    row_id = str(runner.plain(p["row"], names))
    actor = runner.who(p["actor"], names) if "actor" in p else names.get("self")
    other = runner.who(p["object"], names) if "object" in p else None
    perform(runner.turn, p["matrix"], row_id, actor, other)
