"""What was got, written into cases that fail, where that is what they should have said.

    for found in proposals(path, name): ...   # `Proposal`: the changes and the file's new text; `Declined`:
    why there are none

The values are put into the text at their own places, so that every comment and every other byte stays as it
was. A proposal has been tried: with it the case passes, and what every other case of the file says is the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from ..core.state import Entity
from ..core.whole_files import write_whole
from ..ruleset.load import load_text
from ..ruleset.nodes import find as node_at
from ..ruleset.nodes import plain_value
from .cases import Case, of_tree
from .cases import read as read_cases
from .runner import Failure, Result, Runner, runner_of
from .values import NONE

MOST_ROUNDS = 20
"""A case of several stages stops at the first that fails; each round mends one."""
MEANT = {
    "journal": "what an entry of the journal should say is meant, not measured",
    "sequence": "what the journal should say is meant, not measured",
    "triggers": "which trigger should be stated is meant, not measured",
    "refused": "which orders should be refused is meant, not measured",
    "warned": "which warnings should come is meant, not measured",
    "nothing_else": "something else has changed: say it, or look why",
    "relations": "which pairs should stand so is meant, not measured",
}
"""Keys of `then` for which no value can be written, and why."""


class _CannotSay(Exception):
    """A value that cannot be written, with the reason."""


class ChangedMeanwhile(Exception):
    """The file is no longer what the proposal was made of."""


@dataclass(frozen=True, slots=True)
class ExpectationUpdate:
    """One value: where it stands, what it is about, how it was written, how it would be."""

    where: str
    what: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A failing case with the changes after which it passes.

    `before` and `text`: the whole file without and with them.
    """

    id: str
    title: str
    where: str
    changes: tuple[ExpectationUpdate, ...]
    before: str
    text: str


@dataclass(frozen=True, slots=True)
class Declined:
    """A failing case for which nothing can be written, and why."""

    id: str
    title: str
    where: str
    why: str


def proposals(path: Path, name: str, choose: Callable[[Case], bool]) -> Iterator[Proposal | Declined]:
    """Of a file's failing cases one after another what would be written.

    The file is read again for each, so write in between.
    """
    for case in read_cases(path, name).cases:
        if choose(case):
            text = _text(path)
            found = _of_text(text, path, name).get(case.id)
            runner = runner_of(_ruleset(path, name))[0] if found is not None else None
            if found is None or runner is None:
                continue
            result = runner.run(found, path)
            if result.status != "passed":
                yield _proposal(runner, path, name, text, found, result)


def write(path: Path, proposal: Proposal) -> None:
    """Write a proposal, all at once or not at all.

    ChangedMeanwhile if somebody else wrote; OSError as the system has it.
    """
    if _text(path) != proposal.before:
        raise ChangedMeanwhile(f"{path} was changed meanwhile; nothing is written")
    write_whole(path, proposal.text.encode("utf-8"))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _ruleset(path: Path, name: str) -> Path:
    folder = read_cases(path, name).ruleset
    assert folder is not None, "a file with cases has a ruleset"
    return folder


def _of_text(text: str, path: Path, name: str) -> dict[str, Case]:
    """The cases that a text would hold; none if it is not sound."""
    tree, found = load_text(text.removeprefix("\ufeff"), name)
    if tree is None or found:
        return {}
    return {case.id: case for case in of_tree(tree, path, name).cases}


def _proposal(
    runner: Runner, path: Path, name: str, before: str, case: Case, result: Result
) -> Proposal | Declined:
    def declined(why: str) -> Declined:
        return Declined(case.id, case.title, case.where, why)

    text, now, changes, done = before, case, list[ExpectationUpdate](), set[tuple[str | int, ...]]()
    for _ in range(MOST_ROUNDS):
        if result.status == "error":
            return declined(result.message)
        if result.status == "passed":
            others = {id_: c.data for id_, c in _of_text(before, path, name).items() if id_ != case.id}
            if {id_: c.data for id_, c in _of_text(text, path, name).items() if id_ != case.id} != others:
                return declined("what it says stands for other cases, too")
            return Proposal(case.id, case.title, case.where, tuple(changes), before, text)
        try:
            for failure in result.failures:
                if failure.path in done:
                    raise _CannotSay(f"{failure.what}: it fails with what was got, too ({failure.got})")
                done.add(failure.path)
                text, change = _written(text, now, failure)
                changes += change
                changed = _of_text(text, path, name).get(case.id)
                if changed is None:
                    raise _CannotSay(f"{failure.what}: the file would not be sound")
                now = changed
        except _CannotSay as why:
            return declined(str(why))
        result = runner.run(now, path)
    return declined(f"it still fails after {MOST_ROUNDS} rounds")


# ---- one value into the text


def _written(text: str, case: Case, failure: Failure) -> tuple[str, list[ExpectationUpdate]]:
    """The text with what one failure got, and what is changed. _CannotSay with the reason."""
    key = next(
        (
            str(part)
            for number, part in enumerate(failure.path)
            if number and failure.path[number - 1] == "then"
        ),
        "",
    )
    if not failure.path or "then" not in failure.path:
        raise _CannotSay(f"{failure.what}: dice are what the case gives, not what came")
    if key in MEANT:
        raise _CannotSay(f"{failure.what}: {MEANT[key]}")
    value = failure.value
    # the whole table was got; the case asks for one line of it
    if key == "chances" and isinstance(value, Mapping):
        value = value.get(str(failure.path[-1]), Fraction(0))
    node = _node(text, case, failure)
    if isinstance(node, yaml.MappingNode) and [k.value for k, _ in node.value] == ["range"]:
        raise _CannotSay(f"{failure.what}: a range is meant, not measured")
    changes: list[ExpectationUpdate] = []
    said = _plain(plain_value(node_at(case.node, failure.path)))
    for (start, end), value_ in sorted(
        _edits(text, node, said, _plain(value)), key=lambda edit: edit[0], reverse=True
    ):
        new = _yaml(value_)
        changes.append(
            ExpectationUpdate(
                f"{case.file}:{text.count(chr(10), 0, start) + 1}", failure.what, text[start:end].strip(), new
            )
        )
        head, tail = text[:start], text[end:]
        if head.rstrip(" ").endswith("\n"):  # a block below its key becomes a value beside it
            head = f"{head.rstrip()} "
        text = head + new + tail
    return text, changes[::-1]


def _node(text: str, case: Case, failure: Failure) -> yaml.Node:
    """The value that a failure is about, as the file writes it for this case alone."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        root = None
    cases = _below(root, "cases") if root is not None else None
    for one in cases.value if isinstance(cases, yaml.SequenceNode) else ():
        id_ = _below(one, "id")
        if id_ is not None and id_.value == case.id:
            node: yaml.Node = one
            break
    else:
        raise _CannotSay(f"{failure.what}: the case does not stand in the list `cases`")
    for part in failure.path:
        found = _below(node, part)
        if found is None:
            raise _CannotSay(f"{failure.what}: the case has no place for {failure.got}")
        if not node.start_mark.index <= found.start_mark.index <= found.end_mark.index <= node.end_mark.index:
            raise _CannotSay(
                f"{failure.what}: what it says stands elsewhere in the file, and for other cases, too"
            )
        node = found
    return node


def _below(node: yaml.Node, part: str | int) -> yaml.Node | None:
    found: yaml.Node | None = None
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found = node.value[part]
    elif isinstance(node, yaml.MappingNode):
        found = next((value for key, value in node.value if str(key.value) == str(part)), None)
    return found


def _edits(text: str, node: yaml.Node, said: Any, value: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    """The least of a value that has to be written anew: single members of maps that have the same keys."""
    if isinstance(node, yaml.MappingNode) and isinstance(value, dict) and said.keys() == value.keys():
        for key, member in value.items():
            below = _below(node, key)
            if said[key] != member and below is not None:
                yield from _edits(text, below, said[key], member)
        return
    start, end = node.start_mark.index, node.end_mark.index
    written = text[start:end].rstrip()
    if written.startswith(("&", "!", "|", ">")):
        raise _CannotSay("the value is written with an anchor or as a block of text")
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and "#" in written:
        raise _CannotSay("comments stand inside the value, which would be lost")
    yield (start, start + len(written)), value


def _plain(value: Any) -> Any:
    """A value as cases write it. _CannotSay for one that they cannot."""
    if isinstance(value, Entity):
        return value.id
    if value is None:
        return NONE
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    raise _CannotSay(f"a value of this kind ({type(value).__name__}) cannot be written in a case")


def _yaml(value: Any) -> str:
    """A value on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=10_000_000, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...").strip()
