"""Can it ever come to it? Triggers that never come, cases and rows behind one that always wins, passages that
nothing guards.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.diagnostics import Diagnostic
from ..expressions import ExpressionError, parse
from ..expressions.parse import strip_mark
from ..nodes import Node, as_list, as_nodes, diagnose, find
from ..sequence_changes import frame_nodes
from .subject import Marked, Subject

_DICE = re.compile(r"([0-9]+)d([0-9]+)([+-][0-9]+)?")
HOLD = frozenset({"effects", "roll", "say", "cases", "results", "always"})
"""Keys of which a case has one to do something."""
_SWITCH = re.compile(r"\s*=?\s*\(?([\w.]+) (?:==|in) ")
_FACES = re.compile(r"(-?[0-9]+)(?:\.\.(-?[0-9]+))?")


def triggers_can_come(subject: Subject) -> Iterator[Diagnostic]:
    """What a row waits for is something that can happen: a step, a threshold of a track, a level that can be
    learned.
    """
    for mark in subject.marked:
        if "x-trigger" not in mark.annotation.schema:
            continue
        value = mark.annotation.value
        for word, filters in value.items() if isinstance(value, dict) else [(value, {})]:
            node, _ = mark.place
            at = node.value[word] if isinstance(value, dict) else node
            if word == "step":
                yield from _steps(subject, filters, at)
            elif word == "learned":
                yield from _learned(subject, filters, at)
            elif word == "reached" and isinstance(filters, dict):
                yield from _reached(subject, filters, at)


def _steps(subject: Subject, filters: Any, at: Node) -> Iterator[Diagnostic]:
    """Only steps are over at some moment: phases, inputs and loops are not waited for."""
    nodes = frame_nodes(subject.draft.sequence)
    steps = {node.text("step") or node.text("do") for node in nodes}
    wanted = at.get("step") if isinstance(filters, dict) else at
    for said in as_nodes(wanted):
        named = next(
            (n for n in nodes if said.value in (n.text("phase"), n.text("input"), n.text("id"))), None
        )
        if named is None or said.value in steps:
            continue
        inside = [
            name for n in frame_nodes(list(find(named, ["steps"]).members())) if (name := n.text("step"))
        ]
        message = f"the event can never fire: {said.value!r} is not a step, and only steps are waited for"
        yield diagnose("W601", message, said, hint=f"its last step is {inside[-1]!r}" if inside else "")


def _learned(subject: Subject, filters: Any, at: Node) -> Iterator[Diagnostic]:
    technologies = subject.rows("technologies")
    if not technologies:
        yield diagnose("W601", "what is waited for never comes: there are no technologies", at)
        return
    named = filters.get("tech") if isinstance(filters, dict) else None
    rows = [row for id_, row in technologies.items() if id_ in as_list(named)] or list(technologies.values())
    most = max(row.get("levels", 1) for row in rows)
    for said in as_nodes(at.get("level")) if isinstance(filters, dict) else ():
        if type(said.value) is int and said.value > most:
            message = (
                f"what is waited for never comes: there are {most} levels"
                if most > 1
                else "there is one level only"
            )
            yield diagnose("W601", message, said)


def _reached(subject: Subject, filters: Mapping[str, Any], at: Node) -> Iterator[Diagnostic]:
    tracks = subject.rows("tracks")
    named = [id_ for id_ in as_list(filters.get("track")) if id_ in tracks] or list(tracks)
    if subject.any_faulty("tracks") or any(
        str(word).startswith("=") for word in as_list(filters.get("track"))
    ):
        return
    known = sorted({value for id_ in named for value in tracks[id_].get("thresholds", ())})
    for said in as_nodes(at.get("at")):
        if type(said.value) is int and said.value not in known:
            message = (
                f"what is waited for never comes: {said.value} is no threshold of "
                f"{' or '.join(named) or 'a track'}"
            )
            hint = (
                f"its thresholds are {', '.join(map(str, known))}"
                if known
                else "add it to the `thresholds` of the track"
            )
            yield diagnose("W601", message, said, hint=hint)


# --- technologies that need one another


def technologies_can_be_begun(subject: Subject) -> Iterator[Diagnostic]:
    """No technologies need one another in a ring, by a field that names others and that a requirement asks to
    be known.
    """
    rows = subject.rows("technologies")
    fields = [
        id_
        for id_, row in subject.rows("fields").items()
        if "tech" in row.get("of", ())
        and row.get("table") == "technologies"
        and row["type"] in ("id", "list")
    ]
    if not fields or not rows:
        return
    tests = [text for mark in subject.marked if (text := _required(mark)) is not None]
    terms = {
        str(row.get("is", ""))
        for id_, row in subject.rows("definitions").items()
        if any(id_ in text for text in tests)
    }
    for field in fields:
        if not any(_must_be(text, field) for text in (*tests, *terms)):
            continue
        needed = {
            id_: [other for other in as_list(row.get(field)) if other in rows] for id_, row in rows.items()
        }
        told: set[str] = set()
        for id_ in rows:
            ring = _ring(needed, id_)
            if ring and told.isdisjoint(ring):
                node = subject.nodes("technologies")[id_]
                way = " → ".join([*ring, ring[0]])
                yield diagnose("W619", f"nobody can ever begin {id_!r}: {way}", node, key=field)
                told.update(ring)


def technologies_can_be_learned(subject: Subject) -> Iterator[Diagnostic]:
    """Some effect learns each technology, as far as effects say word for word which."""
    rows = subject.rows("technologies")
    if not rows or subject.faulty or not subject.draft.sequence:
        return
    learned: set[str] = set()
    for mark in subject.marked:
        value = mark.annotation.value
        if "x-effect" not in mark.annotation.schema or not isinstance(value, dict):
            continue
        for verb, key in (("learn", "tech"), ("queue", "what")):
            said = value[verb].get(key) if isinstance(value.get(verb), dict) else None
            if verb in value and (said is None or said not in rows) and not _another(subject, verb, said):
                return  # a slot, an expression or a lot: it may be any
            learned.add(str(said))
    for id_, node in subject.nodes("technologies").items():
        if id_ not in learned and not node.is_below:
            message = f"nobody can ever learn {id_!r}: no effect does"
            yield diagnose("W625", message, node, hint=f"an effect `learn: {{tech: {id_}}}`")


def _another(subject: Subject, verb: str, said: object) -> bool:
    """Whether what is put under way is no technology."""
    return verb == "queue" and any(
        said in subject.nodes(form) for form in ("units", "production", "resources")
    )


def _required(mark: Marked) -> str | None:
    """The text of a requirement's test, if this is one."""
    path, value = mark.annotation.path, mark.annotation.value
    return value if isinstance(value, str) and "requires" in path and path[-1:] == ("test",) else None


def _must_be(text: str, field: str) -> bool:
    """Whether a test asks that what a field of a technology names is there: not under a `not`, nor a
    comparison with less.
    """
    try:
        due: list[ast.AST] = [parse(strip_mark(text)).tree]
    except ExpressionError:  # another check's question
        return False
    while due:
        node = due.pop()
        if isinstance(node, ast.Attribute) and node.attr == field:
            return True
        refused = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        low = isinstance(node, ast.Compare) and not any(isinstance(op, ast.Gt | ast.GtE) for op in node.ops)
        if not refused and not low:
            due += ast.iter_child_nodes(node)
    return False


def _ring(needed: Mapping[str, list[str]], start: str) -> list[str]:
    """The shortest way from a technology back to itself; none if there is no way."""
    ways, seen = [[start]], {start}
    while ways:
        way = ways.pop(0)
        for other in needed[way[-1]]:
            if other == start:
                return way
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return []


# --- what stands behind something else


def rows_of_matrices_are_come_to(subject: Subject) -> Iterator[Diagnostic]:
    """The first row of a matrix that waits for what has happened is played: one behind it that waits for the
    same never is.
    """
    for id_, row in subject.rows("matrices").items():
        # what is waited for: the tests that are asked then, of which row
        before: dict[str, list[tuple[str, str]]] = {}
        for index, inner in enumerate(row.get("rows", ())):
            node = find(subject.nodes("matrices")[id_], ["rows", index])
            if "on" not in inner or node.is_below:
                continue
            test = " ".join(str(inner.get("when", True)).split())
            earlier = before.setdefault(json.dumps(inner["on"], sort_keys=True, default=str), [])
            first = next((name for name, asked in earlier if asked in ("True", test)), None)
            if first is not None:
                message = f"the row is never played: {first!r} before it waits for the same"
                yield diagnose("W618", message, node, hint="say what is different in `when`, or leave it out")
            earlier.append((str(inner.get("id", index + 1)), test))


def cases_are_come_to(subject: Subject) -> Iterator[Diagnostic]:
    """A case behind one that always holds, or behind one with the same test."""
    yield from subject.found_in("'cases'", _cases)


def _cases(node: Node) -> Iterator[Diagnostic]:
    cases = node.get("cases")
    if cases is not None and cases.is_list:
        before: list[str] = []
        for case in cases.members():
            test = case.get("when")
            if test is None and HOLD.isdisjoint(case.value):
                continue  # the cases that others add here
            said = "" if test is None else " ".join(str(test.value).split())
            if "" in before or "True" in before or said in before:
                message = "the case is never come to: " + (
                    "one before it has the same `when`"
                    if said in before and said
                    else "one before it always holds"
                )
                yield diagnose("W618", message, case)
                break
            before.append(said)


def events_say_what_has_happened(subject: Subject) -> Iterator[Diagnostic]:
    """What an event says is told whichever of its cases holds: of one of which none may hold, the cases speak
    for themselves.
    """
    for id_, row in subject.rows("events").items():
        cases, node = row.get("cases"), subject.nodes("events")[id_]
        if not cases or "says" not in row or "roll" in row or "always" in row or node.is_below:
            continue
        if all("when" in case for case in cases) and not _of_one_thing(cases):
            hint = "give each case what it says (`say`), or add a last case without `when`"
            yield diagnose(
                "W617", "this is said, too, where none of the cases holds", node, key="says", hint=hint
            )


def _of_one_thing(cases: list[Any]) -> bool:
    """Whether several cases go through the words that one thing may be."""
    found = [_SWITCH.match(str(case["when"])) for case in cases]
    return len(cases) > 1 and all(found) and len({one[1] for one in found if one}) == 1


# --- dice


def results_leave_no_face_out(subject: Subject) -> Iterator[Diagnostic]:
    """Results of a throw, from the lowest face to the highest, without a single one: several are left out on
    purpose.
    """
    yield from subject.found_in("'results'", _gaps)


def _gaps(node: Node) -> Iterator[Diagnostic]:
    roll, results = node.get("roll"), node.get("results")
    if roll is not None and results is not None and results.is_map and results.get("else") is None:
        dice = _DICE.fullmatch(str(roll.text("die") if roll.is_map else roll.value))
        found = [_FACES.fullmatch(text) for text, _ in results.items()]
        if dice is not None and found and all(found):
            faces = {face for one in found if one for face in range(int(one[1]), int(one[2] or one[1]) + 1)}
            more = int(dice[3] or 0)
            low, high = int(dice[1]) + more, int(dice[1]) * int(dice[2]) + more
            missing = [face for face in range(low, high + 1) if face not in faces]
            if len(missing) == 1 and low in faces and high in faces:
                message = f"nothing is said of {missing[0]} on {dice[0]}"
                yield diagnose("W616", message, results, hint="say what comes of it, or `else: []`")
