"""`when`: what is done in a case, on the referee's own machinery.

A `Play` is one run of a case: orders are taken in, and the named phases or steps of the ruleset's frame are
run, or a fact is stated, or effects are carried out, or whole turns are played. What comes of it is the
turn's journal, the state, and the orders that were refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.dice import DiceSource
from ..core.frame import FrameNode, nodes_in
from ..core.journal import EVERYONE
from ..core.model import Row
from ..core.registry import MECHANICS
from ..orders.lookahead import in_frame
from ..ruleset.forms import annotated, forms
from ..ruleset.nodes import as_list
from ..turn.calendar import begin_turn, end_turn
from ..turn.context import Turn
from ..turn.decisions import MODERATOR
from ..turn.effects import EffectRunner
from ..turn.events import first_look, settle
from ..turn.left_open import OpenDecision, left_open
from ..turn.referee import Inputs, asked_at, take_in
from ..turn.sequence import advance, run_step
from .cases import names_of
from .given import CaseError, CaseSetup, known
from .orders import Door


@dataclass(frozen=True, slots=True)
class RefusedOrder:
    """An order that was refused: at the check of the orders (`check`) or when it was to be carried out."""

    nation: str
    number: int
    text: str
    says: str
    check: bool = False

    def __str__(self) -> str:
        return f"{self.nation}, order {self.number}: {self.text or '(no text)'}: {self.says}"


def stages(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a case does, one thing after another; the case's own orders and answers come with the first."""
    out = [dict(s) if isinstance(s, Mapping) else {"step": s} for s in as_list(data.get("when"))]
    for key in ("orders", "answers", "missing", "past_the_door"):
        if key in data:
            if not out:
                out.append({})
            out[0].setdefault(key, data[key])
    return out


class Play:
    """One run of a case. `refusals` and the journal grow stage by stage; `seen` counts the entries before the
    stage.
    """

    def __init__(self, ground: CaseSetup, dice: DiceSource) -> None:
        self.ground = ground
        self.turn = Turn(
            ground.ruleset, ground.state, dice, moments=ground.moments, geography=ground.geography
        )
        self.refusals: list[RefusedOrder] = []
        self.names = ground.names
        self.notes: list[RefusedOrder] = []  # warnings of the check
        # the input points that whole turns came to, and who was asked
        self.asked: list[tuple[str, list[str]]] = []
        self.left_open: list[OpenDecision] = []  # what they left to the moderator
        self.lines: dict[str, int] = {}  # nation -> how many orders it gave last
        self._begun = False
        self._read = 0
        first_look(self.turn, ground.changed)
        self.turn.journal.entries.clear()
        self.turn.journal.pending.clear()
        self.before = self.turn.state.copy()

    @property
    def world(self) -> Any:
        return self.turn.world

    def close(self) -> None:
        """Nobody asks the world any more; the journal stays."""
        self.turn.world.close()

    def run(self, stage: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        """Carry out one stage. CaseError if it names what the sequence of play does not have."""
        if stage.get("check"):
            self._inputs(stage, path)
            return
        if "turn" in stage or "turns" in stage:
            for number in range(int(stage.get("turns", 1))):
                self._whole_turn({} if number else stage, path)
        else:
            self._take_in(stage, path)
            self._part(stage, path)
        self.refusals.extend(self._refused())

    def _take_in(
        self, stage: Mapping[str, Any], path: tuple[str | int, ...], node: Row | None = None
    ) -> None:
        """What a stage says comes in, at an input point of the sequence of play if it waits at one."""
        if any(key in stage for key in ("orders", "answers", "missing")):
            take_in(self.turn, self._inputs(stage, path), node or {})
            settle(self.turn)

    def _part(self, stage: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        names = [stage[k] for k in ("phase", "step") if k in stage] + list(stage.get("steps", ()))
        if stage.get("begin") == "turn":
            self._begin()
        if names:
            self._nodes(names, stage.get("self"), path, phases="phase" in stage)
        if "do" in stage:
            self._node(stage, path)
        for said in [stage["trigger"]] if "trigger" in stage else stage.get("triggers", ()):
            self._fact(said)
        if "effects" in stage:
            may = forms().schema("common")["definitions"]["effect"]["properties"]
            for number, effect in enumerate(stage["effects"]):
                for key in effect:
                    known(may, key, "verb", (*path, "effects", number))
            self._effects(stage["effects"], stage.get("self"))
        if stage.get("end") == "turn":
            end_turn(self.turn)
            self._begun = True

    # ---- the sequence of play

    def _whole_turn(self, stage: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        """Orders of the stage itself come in at the first input point, those under `inputs` at the point they
        name.
        """
        self._begin()
        waiting = advance(self.turn, inputs_ready=False)
        self._take_in(stage, path, waiting)
        said = {name: list(v) if isinstance(v, list) else [v] for name, v in stage.get("inputs", {}).items()}
        for name in said:
            known(self._input_points(), name, "input point", (*path, "inputs"))
        while waiting is not None:
            name = str(waiting.get("id", waiting["input"]))
            self.asked.append((name, asked_at(self.turn, waiting)))
            self.left_open += left_open(self.world, waiting)
            if said.get(name):
                self._take_in(said[name].pop(0), (*path, "inputs", name), waiting)
            waiting = advance(self.turn, inputs_ready=True)
        for name, left in said.items():
            if left:
                raise CaseError(
                    f"the turn does not come to {name!r} (again) to take {len(left)} more",
                    (*path, "inputs", name),
                )
        if not self.turn.state.get("game", "game", "ended"):
            end_turn(self.turn)

    def _begin(self) -> None:
        """The turn that the case stands in begins; after a whole turn, the next one."""
        if not self._begun:
            self.turn.state.put("game", "game", "turn", self.turn.number - 1)
            self._begun = True
        begin_turn(self.turn)
        settle(self.turn)

    def _nodes(
        self, names: Sequence[str], who: str | None, path: tuple[str | int, ...], phases: bool = False
    ) -> None:
        """Those phases and steps of the sequence of play, in its order and inside the loops they stand in.

        A name that is a phase's and a step's too means the step, unless the case says `phase`.
        """
        nodes = [node.row for node in nodes_in(self.ground.ruleset.sequence)]
        there = {name for node in nodes for name in names_of(node)}
        for name in names:
            known(dict.fromkeys(there), name, "phase or step", path)
        steps = set() if phases else {str(node["step"]) for node in nodes if "step" in node} & set(names)
        frame = list(_pruned(self.ground.ruleset.sequence, set(names), steps))
        if who is not None:
            frame = [{"each": "nation", "order": f"set_of(nation('{who}'))", "steps": _without_loops(frame)}]
        self._advance(frame)

    def _advance(self, frame: Iterable[Row]) -> None:
        turn = self.turn
        turn.nodes = tuple(frame)
        turn.state.put("game", "game", "cursor", None)
        try:
            while advance(turn, inputs_ready=True) is not None:
                pass
        finally:
            turn.nodes = turn.ruleset.sequence
            turn.loops = {}

    def _node(self, stage: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
        """A step that the case writes itself: a mechanic with its parameters."""
        node = {"do": stage["do"], **stage.get("with", {})}
        known(dict.fromkeys(MECHANICS), node["do"], "mechanic", (*path, "do"))
        for mark in annotated(forms(), "sequence", node, ("x-ref",)):
            rows: dict[str, Row] = {}
            for form in mark.refs:
                rows.update(self.turn.ruleset.rows(form))
            for id_ in as_list(mark.value):
                if isinstance(id_, str) and not id_.startswith("="):
                    known(rows, id_, f"row of {' or '.join(mark.refs)}", (*path, "with"))
        if "self" in stage:
            who = self.world.thing(stage["self"])
            self.turn.loops = {"self": who, "nation": who}
        try:
            run_step(self.turn, node)
        finally:
            self.turn.loops = {}

    # ---- outside the sequence of play

    def _fact(self, said: Mapping[str, Any]) -> None:
        word, roles = next(iter(said.items()))
        with self.turn.journal.entry("case/fact", subject=word):
            self.turn.journal.fact(word, **(roles or {}))
        settle(self.turn)

    def _effects(self, effects: Sequence[Row], who: str | None) -> None:
        names: dict[str, Any] = {}
        if who is not None:
            thing = self.world.thing(who)
            names = {"self": thing, thing.kind: thing}
        with self.turn.journal.entry("case/effects", subject=who or "", audience=(EVERYONE,)) as entry:
            EffectRunner(self.turn, entry, "case/effects", who or "").effects(effects, names)
        settle(self.turn)

    # ---- orders

    def _inputs(self, stage: Mapping[str, Any], path: tuple[str | int, ...]) -> Inputs:
        """The orders and answers of a stage, taken in by the door; what is refused there is kept as a
        refusal.
        """
        orders: dict[str, Sequence[Any]] = {}
        answers: dict[str, dict[str, Any]] = {n: dict(said) for n, said in stage.get("answers", {}).items()}
        if "input" in stage:
            self._wait_at(str(stage["input"]), (*path, "input"))
        door = Door(self.turn)
        past = bool(stage.get("past_the_door"))
        for nation, given in answers.items() if not past else ():
            known(dict.fromkeys([*self.world.nations(), MODERATOR]), nation, "nation", (*path, "answers"))
            refused = door.answers(nation, given)
            self.refusals += [RefusedOrder(nation, 0, key, says, check=True) for key, says in refused.items()]
            answers[nation] = {key: answer for key, answer in given.items() if key not in refused}
        for nation, listed in stage.get("orders", {}).items():
            here = (*path, "orders", nation)
            known(dict.fromkeys(self.world.nations()), nation, "nation", here)
            said = listed if isinstance(listed, list) else [listed]
            lines = [s if isinstance(s, str) else self._built(s, (*here, n)) for n, s in enumerate(said)]
            self.lines[nation] = len(lines)
            taken = door.take(nation, lines, past=past)
            texts = ["", *(line if isinstance(line, str) else line["text"] for line in lines)]
            self.refusals += [
                RefusedOrder(nation, n, texts[n], says, check=True) for n, says in taken.refused
            ]
            self.notes += [RefusedOrder(nation, n, texts[n], says, check=True) for n, says in taken.warned]
            orders[nation] = taken.orders
            if taken.answers:
                answers.setdefault(nation, {}).update(taken.answers)
        return Inputs(orders, answers, tuple(stage.get("missing", ())))

    def _wait_at(self, name: str, path: tuple[str | int, ...]) -> None:
        """The game waits at an input point of the sequence of play: only the orders that it takes pass the
        door.
        """
        points = self._input_points()
        known(points, name, "input point", path)
        self.turn.state.put("game", "game", "cursor", [{"i": i} for i in points[name].path])

    def _input_points(self) -> dict[str, FrameNode]:
        points = (node for node in nodes_in(self.ground.ruleset.sequence) if "input" in node.row)
        return {str(node.row.get("id", node.row["input"])): node for node in points}

    def _built(self, said: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
        form, slash, id_ = str(said["order"]).partition("/")
        if not slash:
            form, id_ = ("actions", form) if self.ground.ruleset.has("actions", form) else ("orders", form)
        known(self.ground.ruleset.rows(form), id_, "order", path)
        slots = said.get("slots", {})
        text = said.get("text") or " ".join([id_, *(str(v) for v in slots.values())])
        return {"order": f"{form}/{id_}", "slots": slots, "options": said.get("options", {}), "text": text}

    def left_undone(self) -> Iterator[tuple[Mapping[str, Any], str]]:
        """Orders that are open still, each with the step of the sequence of play that carries it out."""
        steps = in_frame(self.ground.ruleset)
        for _, order in sorted(self.turn.state.table("orders").items()):
            _, node = steps.get(str(order.get("order", "")), (None, {}))
            if order.get("status") is None and "step" in node:
                yield order, str(node["step"])

    def _refused(self) -> Iterator[RefusedOrder]:
        """Orders that were not carried out, from the entries written since the last look."""
        entries = self.turn.journal.entries
        for entry in entries[self._read :]:
            if "refused" in entry.data:
                said = entry.data
                yield RefusedOrder(
                    entry.subject,
                    int(said.get("line") or 0),
                    str(said.get("order", "")),
                    str(said["refused"]),
                )
        self._read = len(entries)


def _pruned(nodes: Iterable[Row], wanted: set[str], steps: set[str]) -> Iterator[Row]:
    """The nodes of these names, with all that is inside them, and the nodes around them; no input points.

    `steps` are the names that no phase answers to.
    """
    for node in nodes:
        if wanted & (set(names_of(node)) - (steps if "phase" in node else set())):
            yield _without_inputs(node)
        elif "steps" in node:
            inside = list(_pruned(node["steps"], wanted, steps))
            if inside:
                yield {**node, "steps": inside}


def _without_inputs(node: Row) -> Row:
    if "steps" not in node:
        return node
    return {**node, "steps": [_without_inputs(n) for n in node["steps"] if "input" not in n]}


def _without_loops(nodes: Iterable[Row]) -> list[Row]:
    """The nodes inside loops over nations, taken out of them: the case names the nation."""
    out: list[Row] = []
    for node in nodes:
        if "each" in node or "passes" in node:
            out.extend(_without_loops(node["steps"]))
        elif "steps" in node:
            out.append({**node, "steps": _without_loops(node["steps"])})
        else:
            out.append(node)
    return out
