"""Decisions: questions that nations or the moderator must answer, asked by rules in the course of a turn.

An answer given beforehand, or the default policy of the decision's row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.choices import as_slot
from ..core.diagnostics import nearest
from ..core.dice import Stream
from ..core.model import Row
from ..core.rows import DecisionRow
from ..core.state import Entity
from ..ruleset.expressions import parse
from ..ruleset.expressions.parse import strip_mark
from ..ruleset.expressions.vocabulary import ALWAYS, KINDS
from ..world.applies_to import is_for
from ..world.selections import as_set, id_of
from ..world.world import Names, World
from .bounds import out_of_bounds
from .context import OrderContext, Turn
from .validated_orders import Refusal, RefusalCode

MODERATOR = "moderator"
"""Who is asked what the rules leave to a person: their answers stand beside those of the nations."""


def decide(
    turn: Turn,
    row: DecisionRow,
    names: Names,
    stream: Callable[[], Stream],
    *,
    options: Sequence[Any] | None = None,
    who: str | None = None,
    subject: str = "",
) -> Any:
    """The answer to a decision: the one its party gave, if it is among the options, else the row's default.

    `options` overrides the row's `from`; an answer that is not among them falls back to the default, and the
    journal entry that uses it says which it was. Where a side or a set is asked, the first of its nations
    that has answered decides. A row with `most` asks for a number, which may also be said as `all` or `none`.
    """
    world = turn.world
    asked_all = [who] if who is not None else asked(turn, row, names)
    subject = subject or (str(id_of(names.get(row["about"]))) if "about" in row else "")
    if "most" in row:
        return _number(turn, row, names, [turn.answer(row["id"], a, subject) for a in asked_all])
    if options is None:
        options = options_of(world, row, names)
    for one in asked_all:
        given = turn.answer(row["id"], one, subject)
        if given is not None and (not options or given in [id_of(o) for o in options]):
            return given
    return default_answer(turn, row.get("default"), list(options), names, stream)


def answer_refusal(context: OrderContext, nation: str, key: str, answer: Any) -> Refusal | None:
    """Why a nation may not answer a decision (`decision`, or `decision/subject`) so, or None; what it may say
    is listed.

    Tested is what is certain beforehand: that there is such a decision and such a subject, that it asks this
    nation (where its row names who is asked), that the answer is of its kind, is one of the answers that the
    row lists, and a number within its bounds as things stand.
    """
    id_, _, subject = key.partition("/")
    rows = context.ruleset.rows("decisions")
    row = rows.get(id_)
    if row is None:
        near = nearest(id_, rows) or sorted(rows)
        return Refusal(RefusalCode.NAME, f"no decision {id_!r}", "", f"there are {', '.join(near[:8])}")
    if (row.get("asks") == MODERATOR) != (nation == MODERATOR):
        who = "the moderator" if row.get("asks") == MODERATOR else "nations, not the moderator"
        return Refusal(RefusalCode.CLOSED, f"{id_} asks {who}")
    asks = str(row.get("asks", "=self"))
    if not asks.startswith("=") and asks != MODERATOR and not is_for(context.world, asks, nation):
        return Refusal(RefusalCode.CLOSED, f"{id_} does not ask your nation")
    about, kind = subject_of(row)
    me = Entity("nation", nation)
    names: dict[str, Any] = {"self": me, "nation": me}
    if subject:
        if not about:
            return Refusal(
                RefusalCode.NAME, f"the answer to {id_} is about nothing in particular, not about {subject!r}"
            )
        if kind == "record" and not context.state.row("records", subject):
            return Refusal(RefusalCode.NAME, f"{subject!r} is not in the books", about)
        if KINDS.get(kind) and not context.ruleset.has(KINDS[kind], subject):
            near = nearest(subject, context.ruleset.rows(KINDS[kind]))
            return Refusal(
                RefusalCode.NAME,
                f"{subject!r} is no {kind}",
                about,
                f"did you mean {near[0]!r}?" if near else "",
            )
        names[about] = context.world.thing(subject, kind if kind in KINDS else None)
    return _unfit(context, row, _declared(row), names, answer)


def subject_of(row: DecisionRow) -> tuple[str, str]:
    """What each answer to a decision is about: its name in scope and its kind; both empty where it is about
    nothing in particular.
    """
    slots = row.get("slots", {})
    if "answer" not in slots and "about" not in row:
        return "", ""
    about = next((n for n in slots if n != "answer"), row.get("about", ""))
    return about, str(as_slot(slots.get(about, about))["kind"]) if about else ""


def kind_of_answers(context: OrderContext, row: DecisionRow, names: Names, answer: Any) -> str:
    """The kind of thing that a decision is answered with, as its slot says or as the things are that may be
    named; empty where they are known only when it comes up, or `answer` is what holds without one.
    """
    kind = str(_declared(row).get("kind", ""))
    if kind in KINDS or "from" not in row or isinstance(row["from"], list):
        return kind
    if _unbound({"least": row["from"]}, names):
        return kind
    found = as_set(context.world, context.world.value(strip_mark(str(row["from"])), names))
    if found and isinstance(found[0], Entity) and answer != _by_default(context, row, names):
        return found[0].kind
    return kind


def _declared(row: DecisionRow) -> Row:
    """The slot that takes the answer."""
    slots = row.get("slots", {})
    only = next(iter(slots.values()), None) if len(slots) == 1 else None
    return as_slot(slots.get("answer", only))


def options_of(world: World, row: DecisionRow, names: Names) -> list[Any]:
    """The answers that a decision's row lists."""
    source: Any = row.get("from", [])
    return (
        list(source)
        if isinstance(source, list)
        else [id_of(x) for x in as_set(world, world.value(strip_mark(str(source)), names))]
    )


def _unfit(
    context: OrderContext, row: DecisionRow, declared: Row, names: Names, answer: Any
) -> Refusal | None:
    kind = str(declared.get("kind", ""))
    choices = [str(c) for c in declared.get("choices", ())]
    listed = choices or ([id_of(o) for o in row["from"]] if isinstance(row.get("from"), list) else [])
    if "most" in row or kind == "number":
        if answer in ("all", "none") and "most" in row:
            return None
        if not isinstance(answer, int) or isinstance(answer, bool):
            return Refusal(
                RefusalCode.CHOICE,
                f"{answer!r} is no number",
                "answer",
                "a number, all or none" if "most" in row else "",
            )
        bounds = {"kind": "number", "least": row.get("least", 0 if "most" in row else 1)}
        bounds |= {k: v for k, v in row.items() if k == "most"} | dict(declared)
        return None if _unbound(bounds, names) else out_of_bounds(context, bounds, "answer", answer, names)
    if listed:
        wrong = next((a for a in (answer if isinstance(answer, list) else [answer]) if a not in listed), None)
        text = f"{wrong!r} is no answer to {row['id']}"
        return (
            None
            if wrong is None
            else Refusal(RefusalCode.CHOICE, text, "answer", f"it is one of {', '.join(map(str, listed))}")
        )
    kind = kind_of_answers(context, row, names, answer)
    if kind in KINDS:
        for one in answer if isinstance(answer, list) else [answer]:
            if not context.ruleset.has(KINDS[kind], str(one)):
                near = nearest(str(one), context.ruleset.rows(KINDS[kind]))
                return Refusal(
                    RefusalCode.CHOICE,
                    f"{one!r} is no {kind}",
                    "answer",
                    f"did you mean {near[0]!r}?" if near else "",
                )
    return None


def _by_default(context: OrderContext, row: DecisionRow, names: Names) -> Any:
    """What holds without an answer, where it is known beforehand."""
    default = row.get("default")
    return None if _unbound({"least": default}, names) else id_of(context.world.marked(default, names))


def _unbound(bounds: Row, names: Names) -> bool:
    """Whether a bound asks for what is known only when the decision comes up, such as who attacks."""
    known = {*names, *ALWAYS}
    texts = [strip_mark(str(bounds[k])) for k in ("least", "most") if isinstance(bounds.get(k), str)]
    return any(not parse(text).names <= known for text in texts)


def asked(turn: Turn, row: DecisionRow, names: Names) -> list[str]:
    """The nations that a decision asks, in order: those its `asks` stands for."""
    if row.get("asks") == MODERATOR:
        return [MODERATOR]
    found = turn.world.marked(row.get("asks", "=self"), names)
    found = names.get(found, found) if isinstance(found, str) else found
    return turn.world.members(found)


def _number(turn: Turn, row: DecisionRow, names: Names, answers: Sequence[Any]) -> int:
    """The first answer that is a number (or `all`, `none`), else the default, within the bounds of the
    row.
    """
    least = int(turn.world.number(row.get("least", 0), names))
    most = max(least, int(turn.world.number(row["most"], names)))
    words = {"all": most, "none": least}
    for said in (*answers, turn.world.marked(row.get("default"), names)):
        if isinstance(said, str) and said in words:
            return words[said]
        if isinstance(said, int):
            return min(most, max(least, said))
    return least


def default_answer(
    turn: Turn, default: Any, options: list[Any], names: Names, stream: Callable[[], Stream]
) -> Any:
    """What a default policy chooses among options: a named policy, an option itself, or an expression."""
    if isinstance(default, str) and default.startswith("="):
        return id_of(turn.world.value(default[1:], names))
    if default in [id_of(o) for o in options]:
        return default
    if not options:
        return default
    if default == "draw":
        return id_of(stream().choice(options))
    if default == "largest":
        return id_of(max(options, key=lambda o: (_size(turn, o), str(id_of(o)))))
    if default in ("weakest", "cheapest"):
        return id_of(min(options, key=lambda o: (_size(turn, o), str(id_of(o)))))
    if default == "nearest" and isinstance(names.get("place"), Entity):
        here = names["place"].id
        return id_of(
            min(
                options,
                key=lambda o: (turn.world.geography.distance(here, str(id_of(o))) % 10_000, str(id_of(o))),
            )
        )
    return id_of(options[0])


def _size(turn: Turn, option: Any) -> int:
    id_ = str(id_of(option))
    return sum(row["n"] for _, row in turn.state.stacks(at=id_))
