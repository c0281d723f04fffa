"""Is every expression right? The schemas say which texts are expressions (`x-expr`);
`expressions.check_expression` judges.

This module is the joint: it finds the expressions, tells the checker what is in scope and what the ruleset
knows, and puts the problems at their line and column. In scope are the names that the schemas of the table
give (`x-names`, and `x-scope` and
`x-slots-of` for more), the slots of the row, and what the structures around an expression bind: the things of
a `for`, the
`result` of a `roll`, the `answer` to a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from ...core.choices import as_slot
from ...core.diagnostics import Diagnostic, did_you_mean
from ...core.registry import VERBS
from ..expressions import KINDS
from ..expressions.check import Problem, check_expression, kind_of
from ..expressions.living import array_problems
from ..expressions.parse import strip_mark
from ..expressions.vocabulary import FACTS
from ..forms import ARRAYS, CLOSED, SLOTS_OF
from ..nodes import Node, as_nodes, diagnose, plain_value
from .subject import Marked, Subject, gone

GENERAL: Mapping[str, str] = {
    **{kind: kind for kind in KINDS},
    "self": "nation",
    "target": "any",
    "result": "number",
    "answer": "any",
    "attacker": "nation",
    "defender": "nation",
    "success": "any",
    "event": "event",
    "mine": "set:unit",
    "foe": "set:unit",
    "path": "path",
    "battle": "battle",
}
SLOT_KINDS: Mapping[str, str] = {
    **{kind: kind for kind in KINDS},
    "number": "number",
    "units": "set:unit",
    "text": "text",
    "unit-kind": "id",
    "choice": "id",
}
FORMS_OF_THINGS = frozenset(KINDS.values())
RESULTS = {"number": "number", "truth": "truth", "text": "text", "id": "id", "list": "list"}
_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")


def expressions_are_right(subject: Subject) -> Iterator[Diagnostic]:
    """Every problem of every expression of every row and of the sequence of play."""
    yield from wrong_expressions(subject.marked, words_of(subject))


def words_of(subject: Subject) -> RulesetVocabulary:
    """What a subject's ruleset knows, for the checker of expressions."""
    return subject.once("words", _vocabulary)


def _vocabulary(subject: Subject) -> RulesetVocabulary:
    draft = subject.draft
    words = RulesetVocabulary(
        subject.rows, subject.known.names, draft.sequence, draft.removed, draft.replaced
    )
    words.unsound = frozenset(id_ for _, id_ in subject.faulty)
    return words


def wrong_expressions(marks: Iterable[Marked], words: RulesetVocabulary) -> Iterator[Diagnostic]:
    """A finding for each problem of each expression."""
    known: dict[tuple[str, str, frozenset[tuple[str, str]]], Sequence[Problem]] = {}  # many say the same
    for mark in marks:
        found, how = text_of(mark, words), _how(mark)
        if found is None or how is None:
            continue
        text, offset = found
        node, key = mark.place
        scope, wanted = scope_of(mark, words), _wanted(how, mark)
        same = (text, wanted, frozenset(scope.items()))
        if same not in known:
            known[same] = check_expression(text, scope, words, wanted)
        problems = known[same]
        if not problems and ARRAYS in mark.annotation.scope:
            problems = array_problems(text)
        said = _ID.fullmatch(text) is not None and how.get("bare") and not offset
        # an id misspelt, rather than one name less another, or a name that is not in scope
        if said and problems and ("-" in text or problems[0].code == "E302"):
            hint = did_you_mean(text, {*scope, *words.all_ids})
            if hint and not any(hint == did_you_mean(text, [name]) for name in scope):
                yield diagnose("E401", f"nothing is called {text!r}", node, key=key, hint=hint)
                continue
        for problem in problems:
            column = offset + problem.column
            yield diagnose(problem.code, problem.message, node, key=key, hint=problem.hint, offset=column)


def _how(mark: Marked) -> Mapping[str, Any] | None:
    """How a value may be an expression, if it may be one."""
    how: Mapping[str, Any] | None = mark.annotation.schema.get("x-expr")
    if how is None and "x-ref" in mark.annotation.schema and not mark.annotation.schema.get("x-literal"):
        return {"gives": "thing", "marked": True}  # a reference may be `=` an expression that gives an id
    return how


def text_of(mark: Marked, words: RulesetVocabulary) -> tuple[str, int] | None:
    """The text of an expression and how far into the value it begins; None if the value is none."""
    how = _how(mark)
    return (
        _expression(mark.annotation.value, how, words)
        if how is not None and isinstance(mark.annotation.value, str)
        else None
    )


def _wanted(how: Mapping[str, Any], mark: Marked) -> str:
    """What an expression must give at a place: where ids may stand, a thing or several."""
    gives = str(how.get("gives", "any"))
    ids = any(source in FORMS_OF_THINGS for source in mark.annotation.schema.get("x-word", ()))
    return "thing" if gives == "any" and ids else gives


def _expression(value: str, how: Mapping[str, Any], words: RulesetVocabulary) -> tuple[str, int] | None:
    """The text of the expression and how far into the value it begins; None if the value is an id or a plain
    word.
    """
    text = value.lstrip()
    if text.startswith("="):
        inner = text[1:]
        return inner.strip(), len(value) - len(inner.lstrip())
    if how.get("marked"):
        return None
    if how.get("bare") and _ID.fullmatch(text) and (how.get("gives") == "any" or words.is_id(text)):
        return None
    return text.strip(), len(value) - len(text)


def scope_of(mark: Marked, words: RulesetVocabulary) -> dict[str, str]:
    """The names that expressions and texts may use at a place, each with its kind."""
    told = {name: kind for name, kind in mark.annotation.scope.items() if name != ARRAYS}
    other = told.pop(SLOTS_OF, None)
    scope = told if told.pop(CLOSED, None) is not None else {**GENERAL, **told}
    if mark.form in ("events", "matrices"):
        scope = {k: v for k, v in scope.items() if k not in _unbound(mark.row, words)} | _roles(mark, words)
    for name, slot in _entries(mark.row.get("slots")):
        kind = slot.text("kind") if slot.is_map else slot.value
        scope[name] = SLOT_KINDS.get(str(kind), "any")
    if mark.form == "income" and mark.annotation.path[:1] != ("over",):
        yielding = _kind_of_things(mark.row.get("over"), scope, words)
        scope = (
            {k: v for k, v in scope.items() if k in ("nation", "self", yielding)}
            if yielding in (*KINDS, "")
            else scope
        )
    if mark.row.text("kind") == "criterion":  # of sides, or of nations
        scope = {k: v for k, v in scope.items() if (v == "side") == (mark.row.text("of") == "side")}
    if mark.form == "production" and mark.row.get("facing") is None and mark.row.get("appears") is None:
        scope.pop("target", None)
    if mark.form == "definitions":
        scope |= dict(_arguments(plain_value(mark.row)))
    if mark.form == "counters" and mark.annotation.path[:1] == ("of",):
        scope = {k: v for k, v in scope.items() if k not in {*KINDS, "self"}}
    if mark.form == "audits" and mark.annotation.path[:1] != ("for",):
        scope = {k: v for k, v in scope.items() if k not in AUDITED} | (
            _things_of(mark.row.get("for"), scope, words) if mark.row.get("for") is not None else {}
        )
    if other is not None:
        scope |= _slots_of(other, words)
    if mark.form == "verdicts" and mark.annotation.path[:1] != ("over",):
        scope |= dict(_arguments({"of": [plain_value(mark.row).get("of", "place")]}))
    node: Node | None = mark.row
    for step in mark.annotation.path:
        if node is None:
            break
        if node.is_map:
            scope |= _bound(node, str(step), scope, words)
            node = node.get(str(step))
        else:
            node = node.value[int(step)] if node.is_list else None
    return scope


def _slots_of(other: str, words: RulesetVocabulary) -> dict[str, str]:
    """The slots of another row (`form/id`), each with its kind."""
    form, _, id_ = other.partition("/")
    slots = words.rows.get(form, {}).get(id_, {}).get("slots", {})
    return {name: SLOT_KINDS.get(str(as_slot(slot).get("kind")), "any") for name, slot in slots.items()}


def _triggers(node: Node | None) -> Iterator[tuple[str, Node | None]]:
    """The triggers that a row waits for, with their filters."""
    for item in as_nodes(node):
        if isinstance(item.value, str):
            yield item.value, None
        else:
            yield from item.items()


def _unbound(row: Node, words: RulesetVocabulary) -> set[str]:
    """`nation` and `self` where neither a `for`, nor the actor of a trigger, nor a loop of the sequence binds
    them.
    """
    if row.get("for") is not None or row.get("rows") is not None:
        return set()
    facts = list(_triggers(row.get("on")))
    bound = (
        bool(facts)
        and row.get("becomes") is None
        and all(_binds(word, filters, words) for word, filters in facts)
    )
    return set() if bound else {"nation", "self"}


def _binds(word: str, filters: Node | None, words: RulesetVocabulary) -> bool:
    """Whether a nation is in scope when a trigger is offered: its actor, or whose turn it is in a loop."""
    if "by" in FACTS.get(word, {"by": ()}):
        return True
    if word == "step" and filters is not None:
        step = filters.get("step") if filters.is_map else filters
        return step is not None and {n.value for n in as_nodes(step)} <= words.looped
    return word not in ("turn_start", "turn_end") and bool(words.looped)


def _roles(mark: Marked, words: RulesetVocabulary) -> dict[str, str]:
    """What `event.x` reads: the roles of the triggers waited for, also where effects are held until a
    trigger.
    """
    roles: dict[str, str] = {}
    triggers = list(_triggers(mark.row.get("on")))
    for item in (mark.row.get("rows") or Node([], "", 0, 0)).members():
        triggers += _triggers(item.get("on"))
    node: Node | None = mark.row
    for step in mark.annotation.path:
        if node is None:
            break
        triggers += _triggers(node.get("until"))
        node = node.value[int(step)] if node.is_list else node.get(str(step))
    for word, _ in triggers:
        for role, sources in FACTS.get(word, {}).items():
            kinds = [k for k in ("nation", "place", "side") if KINDS[k] in sources]
            kind = kinds[0] if len(kinds) == 1 else "any"
            roles |= {f"event.{name}": kind for name in (role, _ALIASES.get(role, role))}
        if word == "acted":
            slots = (slot for row in words.rows.get("actions", {}).values() for slot in row.get("slots", {}))
            roles |= {f"event.{slot}": "any" for slot in slots}
            roles |= {"event.target": "any", "event.of": "any"}
        if word == "reached":
            roles["event.at"] = "number"
    if not triggers:
        roles["event.?"] = "any"
    return roles


_ALIASES = {"by": "actor", "of": "target", "from": "origin"}


def _bound(node: Node, key: str, scope: Mapping[str, str], words: RulesetVocabulary) -> dict[str, str]:
    """The names that a structure binds for what stands under one of its keys."""
    out: dict[str, str] = {}
    if (
        node.get("for") is not None
        and key not in _BEFORE_FOR
        and (key in _INSIDE or key in VERBS or key == "becomes")
    ):
        out |= _things_of(node.get("for"), scope, words)
    if node.get("roll") is not None and key in _AFTER_ROLL:
        out |= {"result": "number", "success": "any"}
    if node.get("choose") is not None and key == "effects":
        out["answer"] = "any"
    return out


_BEFORE_FOR = frozenset({"for", "draw"})
_AFTER_ROLL = frozenset({"results", "effects", "on_failure", "cases"})
_INSIDE = frozenset(
    {"effects", "roll", "results", "on_failure", "cases", "always", "in_turn", "audience", "when", "says"}
)


def _things_of(wanted: Node | None, scope: Mapping[str, str], words: RulesetVocabulary) -> dict[str, str]:
    """What a `for` binds: a name by the kind of its things; any kind where that cannot be told."""
    kind = _kind_of_things(wanted, scope, words)
    if kind == "nation":
        return {"nation": "nation", "self": "nation"}
    if kind == "unit":
        return {"unit": "unit", "place": "place", "self": "nation"}
    if kind in KINDS:
        return {kind: kind}
    return {**{k: k for k in KINDS}, "self": "nation"}


def _kind_of_things(wanted: Node | None, scope: Mapping[str, str], words: RulesetVocabulary) -> str:
    """The kind of the things that a selection stands for; nothing where there is none, and no kind where it
    cannot be told.
    """
    if wanted is None or not isinstance(wanted.value, str):
        return "" if wanted is None else "any"
    text = strip_mark(wanted.value.lstrip())
    return words.kind_of(text) or kind_of(text, scope, words).removeprefix("set:")


def _entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    if node is not None:
        yield from node.items()


AUDITED = frozenset({"nation", "self", "place", "unit", "side", "link", "record"})
"""Names that the `for` of an audit binds, each only where it is of such things."""
DEEP = 25
"""Definitions that call each other in a row whose results are told."""


def _arguments(term: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments of a definition: `kind`, or `name:kind`."""
    for part in term.get("of", ()):
        name, _, kind = str(part).partition(":")
        yield name, kind or (name if name in KINDS else "any")


def _looped(nodes: Iterable[Node], inside: bool) -> Iterator[str]:
    for node in nodes:
        here = inside or node.text("each") == "nation" or node.get("passes") is not None
        for key in ("step", "do", "id") if here else ():
            if (text := node.text(key)) is not None:
                yield text
        steps = node.get("steps")
        if steps is not None:
            yield from _looped(steps.members(), here)


class RulesetVocabulary:
    """What the checker of expressions asks of a ruleset:

    `rows` gives the plain rows of a table, `forms` names all tables.
    """

    unsound: frozenset[str] = frozenset()
    """Ids of rows of wrong shape, which are told at their place."""
    looped: frozenset[str] = frozenset()
    """The steps inside loops of the sequence of play that bind a nation."""

    def __init__(
        self,
        rows: Callable[[str], Mapping[str, Mapping[str, Any]]],
        forms: Iterable[str],
        frame: Iterable[Node] = (),
        removed: Mapping[str, Node] = MappingProxyType({}),
        replaced: Mapping[str, list[Node]] = MappingProxyType({}),
    ) -> None:
        self.looped = frozenset(_looped(frame, False))
        self.removed = removed
        self.replaced = replaced
        self.rows = {form: rows(form) for form in forms}
        self._results: dict[str, str] = {}
        self._asked: list[str] = []
        self._said: dict[tuple[str, str], frozenset[str]] = {}
        self.all_ids = frozenset(id_ for by_id in self.rows.values() for id_ in by_id)

    def kind_of(self, word: str) -> str:
        """The kind of thing that an id stands for, a group for its members; nothing if it is none."""
        group = self.rows.get("groups", {}).get(word)
        if group is not None:
            return next((k for k, form in KINDS.items() if form and form == group.get("of")), "")
        forms = (("nation", "nations"), ("place", "places"), ("side", "sides"))
        return next((kind for kind, form in forms if word in self.rows.get(form, {})), "")

    def is_id(self, word: str) -> bool:
        return word in self.all_ids

    def said_by(self, form: str, key: str) -> frozenset[str]:
        """The words that the rows of a table say under a key, alone or in lists; those of rows that a layer
        replaces, too: what is below it may ask for them in vain.
        """
        if (form, key) not in self._said:
            said = [row[key] for row in self.rows.get(form, {}).values() if key in row]
            replaced = (row.get(key) for row in self.replaced.get(form, ()))
            said += [plain_value(node) for node in replaced if node is not None]
            words = chain.from_iterable(one if isinstance(one, list) else [one] for one in said)
            self._said[form, key] = frozenset(map(str, words))
        return self._said[form, key]

    def rungs(self, field: str) -> frozenset[str]:
        """The values that a field of units has where battles put units on the rungs of a ladder; none if none
        does.
        """
        ladders = [
            row["step_losses"] for row in self.rows.get("battles", {}).values() if "step_losses" in row
        ]
        values = (ladder.get("values", ()) for ladder in ladders if ladder.get("field") == field)
        return frozenset(map(str, chain.from_iterable(values)))

    def gone(self, id_: str) -> str:
        """That a layer has removed the row of an id, and where; nothing if none has."""
        return gone(id_, self.removed)

    def ids(self, form: str) -> Mapping[str, object]:
        return self.rows.get(form, {})

    def field_type(self, kind: str, field: str) -> str | None:
        row = self.rows.get("fields", {}).get(field)
        if row is None or kind not in row.get("of", ()):
            return None
        if row["type"] == "id":
            return next((k for k, form in KINDS.items() if form and form == row.get("table")), "id")
        return RESULTS.get(row["type"], "any")

    def term(self, name: str) -> tuple[tuple[str, ...], str] | None:
        verdict = self.rows.get("verdicts", {}).get(name)
        if verdict is not None:
            return tuple(kind for _, kind in _arguments({"of": [verdict.get("of", "place")]})), "truth"
        row = self.rows.get("definitions", {}).get(name)
        return (
            (tuple(kind for _, kind in _arguments(row)), self._result(name, row)) if row is not None else None
        )

    def _result(self, name: str, row: Mapping[str, Any]) -> str:
        """What a definition gives, as far as its expression tells; anything, if it calls itself or a chain is
        too long.
        """
        if name not in self._results:
            if len(self._asked) >= DEEP:
                return "any"
            self._results[name] = "any"
            self._asked.append(name)
            self._results[name] = kind_of(str(row.get("is", "")), {**GENERAL, **dict(_arguments(row))}, self)
            self._asked.pop()
        return self._results[name]
