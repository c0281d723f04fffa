"""The questions of a turn that somebody may answer now: those that its rules may ask before orders are taken
again, and those that are asked already, because an order that is in puts them to others (an offer on which
they vote).

An offer reaches the other side before it counts: whoever has sent no answer is told of it (`offers_to`), and
the turn is not resolved without them unless somebody insists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.frame import inputs, nodes_in, steps
from ..core.model import Row, Ruleset, derived_of
from ..core.nested import inside
from ..core.state import Entity
from ..orders.names import Names
from ..orders.text import order_text
from ..ruleset.expressions.parse import strip_mark
from ..store import PLAYER, Game
from ..turn.context import OrderContext
from ..turn.sequence import step_orders
from ..turn.vacancies import seat
from ..world.messages import fill
from ..world.selections import as_set
from ..world.world import World
from .views import whole_world

ASKED_BY = ("ask", "choose", "wants", "asks", "decision")
"""The keys by which a row or a step names a decision that it asks."""


@dataclass(frozen=True)
class PendingOffer:
    """An order that is in, by which its nation asks another something.

    `key`: the decision, with its subject; `says`: the offer in words; `answers`: the lines by which it is
    answered, the one that holds without an answer first where that is one of them; `default`: what holds
    without an answer.
    """

    by: str
    to: str
    key: str
    says: str
    answers: tuple[str, ...]
    default: str

    @property
    def said(self) -> str:
        """The offer, how it is answered, and what no answer means."""
        lines = " or ".join(f"`{line}`" for line in self.answers)
        return f"{self.says} Answer with {lines}; without an answer it is: {self.default}."


def open_now(game: Game) -> set[str]:
    """The decisions that may be asked between the point at which a game waits and the next one at which it
    takes orders.
    """
    ruleset = game.ruleset
    world = whole_world(game)
    ahead = _ahead(world, ruleset.sequence)
    keys = {key for node in ahead for key in _keys(ruleset, node)}
    return {id_ for id_, by in _askers(ruleset).items() if not by or by & keys}


def offers_in(game: Game) -> list[PendingOffer]:
    """The offers that are in at the present point, to each nation that has not answered; nations without a
    player answer by their bots when the turn is resolved."""
    world, sent, decided = whole_world(game), game.submissions(), game.decided()
    out: list[PendingOffer] = []
    for by, given in sent.items():
        for order in given.orders:
            for row, vote in _votes(game.ruleset, order):
                out += _offers(world, by, order, row, vote)
    answered = {n: {*(sent[n].answers if n in sent else ()), *decided.get(n, ())} for n in (*sent, *decided)}
    return [
        o
        for o in out
        if seat(world, o.to) == PLAYER and not answered.get(o.to, set()) & {o.key, o.key.partition("/")[0]}
    ]  # fmt: skip


def offers_to(game: Game, nation: str) -> list[PendingOffer]:
    """The offers that wait for a nation's answer."""
    return [o for o in offers_in(game) if o.to == nation]


def told_of(game: Game, nation: str) -> list[str]:
    """What a nation that has sent offers is told of them, in sentences: who hears of each before it
    counts.
    """
    return [
        f"{game.name_of(o.to)} is told of this offer before the turn is resolved: {o.says}"
        for o in offers_in(game)
        if o.by == nation
    ]


# ---- offers


def _votes(ruleset: Ruleset, order: Mapping[str, Any]) -> Iterator[tuple[Row, Row]]:
    """The votes that an order calls, with the order's row."""
    row = ruleset.row_of(str(order["order"]))
    for effect in row.get("effects", ()):
        vote = effect.get("vote") if isinstance(effect, dict) else None
        if isinstance(vote, dict) and "ask" in vote:
            yield row, vote


def _offers(world: World, by: str, order: Mapping[str, Any], row: Row, vote: Row) -> Iterator[PendingOffer]:
    names = OrderContext(world).order_names({**order, "nation": by})
    about = world.marked(vote["about"], names) if "about" in vote else None
    subject = about.id if isinstance(about, Entity) else str(about or "")
    decision = world.ruleset.row("decisions", vote["ask"])
    written = Names(world.ruleset, world.state)
    slots = decision.get("slots", {})
    of = next((n for n in slots if n != "answer"), "")
    choices = [str(c) for c in decision.get("from", ()) if isinstance(decision.get("from"), list)]

    def line(choice: str) -> str:
        said = {"answer": choice, **({of: subject} if of and subject else {})}
        return order_text(world.ruleset, written, {"order": f"decisions/{decision['id']}", "slots": said})

    says = fill(world, str(row.get("says") or row.get("name") or decision["id"]), names)
    for voter in as_set(world, world.value(strip_mark(str(vote["of"])), names)):
        if voter.id != by and world.alive(voter.id):
            key = f"{decision['id']}/{subject}" if subject else str(decision["id"])
            yield PendingOffer(
                by, voter.id, key, says, tuple(map(line, choices)), str(decision.get("default", ""))
            )


# ---- where decisions are asked


@derived_of()
def _askers(ruleset: Ruleset) -> dict[str, set[str]]:
    """Each decision with the keys of the steps and orders that ask it ("step/name", "form/id"); an empty set:
    at any time.
    """
    out: dict[str, set[str]] = {}
    any_time: set[str] = set()
    known = set(ruleset.rows("decisions"))
    for form, rows in ruleset.forms.items():
        for id_, row in rows.items() if form != "decisions" else ():
            on = row.get("on")
            step = on.get("step") if isinstance(on, Mapping) else None
            for asked in _named(row, known):
                if form in ("actions", "orders"):
                    out.setdefault(asked, set()).add(f"{form}/{id_}")
                elif step:
                    out.setdefault(asked, set()).add(f"step/{step}")
                else:
                    any_time.add(asked)
    for node in (*steps(ruleset.sequence), *inputs(ruleset.sequence)):
        for asked in _named(node, known):
            out.setdefault(asked, set()).add(_step_key(node))
    return {**out, **{id_: set() for id_ in any_time}}


def _named(value: Any, known: set[str]) -> set[str]:
    """The decisions that a row, or a part of it, names as what it asks."""
    named = (part for key, part in inside(value) if key in ASKED_BY)
    return {part for part in named if isinstance(part, str) and part in known}


def _step_key(node: Row) -> str:
    return f"step/{node.get('step', node.get('do', node.get('input')))}"


def _keys(ruleset: Ruleset, node: Row) -> list[str]:
    return [_step_key(node), *(step_orders(ruleset, node) if "do" in node else ())]


def _ahead(world: World, sequence: Iterable[Row]) -> list[Row]:
    """The steps from the point at which the game waits up to the next that takes orders; all of them where it
    waits in a loop.

    Behind the end of the turn come the steps before the next turn's orders that would be carried out as
    things stand.
    """
    flat = list(nodes_in(sequence))
    levels = world.state.get("game", "game", "cursor") or []
    if any("over" in level or "k" in level for level in levels):
        return [node for _, node, _ in flat]
    here = tuple(level["i"] for level in levels)
    out = []
    for at, node, _ in flat:
        if at == here:  # the point's own `leaves` are asked here
            out.append(node)
        elif at > here:
            if "input" in node and "leaves" not in node:
                return out
            out.append(node)
    for ahead in flat:
        if all(world.test(row.get("when"), {}) for row in ahead.along):
            if "input" in ahead.row and "leaves" not in ahead.row:
                return out
            out.append(ahead.row)
    return out
