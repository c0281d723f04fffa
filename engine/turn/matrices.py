"""Matrices: tables of acts by groups of onlookers. One draw per cell and onlooker, toward or against a side,
at once or held.

A column is a nation, or a named test; a nation that has no column of its own falls into the first column
whose test it passes. A cell that says no more than how far moves the way that its row, or the matrix, moves
all cells. In scope of every test are the `actor` of the act, its `target`, and `object`: the one it befell
(the target, else the actor).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
def _index(ruleset: Ruleset) -> dict[str, list[tuple[MatrixRow, Sequence[Row]]]]:
    """The matrices that wait for a fact, with those of their rows that do, by the fact's word."""
    out: dict[str, list[tuple[MatrixRow, Sequence[Row]]]] = {}
    for matrix in ruleset.rows("matrices").values():
        words: dict[str, None] = {}
        for row in matrix["rows"]:
            words.update(dict.fromkeys(w for w, _ in triggers(row)))
        for word in words:
            waiting = [row for row in matrix["rows"] if word in {w for w, _ in triggers(row)}]
            out.setdefault(word, []).append((matrix, waiting))
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
        names = {**scope, "nation": Entity("nation", nation)}
        PlayedCell(turn, matrix, row, cell, nation, names).play(_multiple(turn, matrix, column, scope))


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


@dataclass(frozen=True, slots=True)
class PlayedCell:
    """A cell for one onlooker (`nation`): `{toward: side, by: 0..3}`, `{against: actor, by: ...}` or
    `{to_zero: true, by: ...}`, with the names in its scope."""

    turn: Turn
    matrix: MatrixRow
    row: Row
    cell: Row
    nation: str
    names: Names

    @property
    def rule(self) -> str:
        return f"matrices/{self.matrix['id']}"

    @property
    def subject(self) -> str:
        return f"{self.row['id']}:{self.nation}"

    @property
    def to_zero(self) -> bool:
        return bool(self.cell.get("to_zero"))

    def play(self, times: Any) -> None:
        """Draw how far it moves, so many `times`, and move the onlooker's track or hold that."""
        world, cell = self.turn.world, self.cell
        if not world.test(cell.get("when"), self.names) or cell.get("by") in (0, None):
            return
        readers = audience_ids(world, self.matrix.get("audience"), self.names)
        says = message(world, self.row.get("says") or self.row.get("label", ""), self.names)
        data = {"row": self.row["id"]}
        with self.turn.journal.entry(self.rule, subject=self.subject, audience=readers, data=data) as entry:
            runner = EffectRunner(self.turn, entry, self.rule, self.subject)
            drawn = amount(world, cell["by"], self.names, runner.stream)
            runner.note_dice()
            by = int(drawn * times)
            entry.tell(says if by else None)  # what moves nobody is no news
            direction = self._direction()
            delay = cell.get("delay", self.row.get("delay", self.matrix.get("delay")))
            if delay and delay != "none" and world.test(delay.get("when"), self.names):
                self._hold(delay, direction, by, list(entry.audience))
            else:
                track = self.turn.ruleset.row("tracks", self.matrix["track"])
                move_track(runner, self.nation, track, direction, by, to_zero=self.to_zero)

    def _direction(self) -> int:
        """Up (1), down (-1), or 0 while the one it depends on belongs to no side."""
        track = self.matrix["track"]
        if self.to_zero:
            return way_to_zero(self.turn.state, self.nation, track)
        key = "toward" if "toward" in self.cell else "against"
        who = self.cell.get(key, "actor")
        parties = ("actor", "target", "object")
        thing = self.names.get(who) if who in parties else self.turn.world.thing(who)
        is_side = isinstance(thing, Entity) and thing.kind == "side"
        side = id_of(thing) if is_side else self.turn.world.side_of(str(id_of(thing)))
        if side is None:
            return 0
        way = way_to(self.turn.ruleset.row("tracks", track), side)
        return way if key == "toward" else -way

    def _hold(self, delay: Row, direction: int, by: int, audience: list[str]) -> None:
        """Keep what was drawn until its fact (`until` of the delay, with `actor` standing for the actor's
        id)."""
        actor = str(id_of(self.names.get("actor")))
        word, filters = next(iter(delay["until"].items()))
        filters = {k: actor if v in ("actor", "=actor") else v for k, v in filters.items()}
        way = {"against": "=event.side"} if direction == 0 else {"up" if direction > 0 else "down": True}
        shift = {"who": self.nation, "track": self.matrix["track"], "by": by, **way}
        if self.to_zero:
            shift["to_zero"] = True
        key = f"{self.rule}#{self.subject}#{self.turn.number:03d}"
        while self.turn.state.row("delayed", key):
            key += "+"
        delayed = {
            "until": {word: filters},
            "if": delay.get("if"),
            "effects": [{"shift": shift}],
            "names": {"nation": ["nation", self.nation], "actor": ["nation", actor]},
            "rule": self.rule,
            "since": self.turn.number,
            "audience": audience,
        }
        self.turn.journal.put_row("delayed", key, delayed)


def react(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """One row of a matrix."""
    row_id = str(runner.plain(p["row"], names))
    actor = runner.who(p["actor"], names) if "actor" in p else names.get("self")
    other = runner.who(p["object"], names) if "object" in p else None
    perform(runner.turn, p["matrix"], row_id, actor, other)
