"""Files of rule tests looked at without being played: their shape, and whether what they name is there, each
at its column.

What a case makes up, or lays over the rules, is there for that case. The rest - whether a position can be
taken up, and what comes of it - only playing tells (`wteaw test`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.canonical import dumps
from ..core.diagnostics import Diagnostic, did_you_mean
from ..core.frame import nodes_in
from ..core.model import Ruleset
from ..ruleset import cache as shelf
from ..ruleset.compile import add_source_lines
from ..ruleset.expressions.vocabulary import BUILT_IN, GAME
from ..ruleset.folder import name_of
from ..ruleset.forms import annotated, forms
from ..ruleset.nodes import Node, diagnose, plain_value, texts_in
from ..ruleset.sequence_changes import STEPS_SHOWN
from ..world.piles import is_own
from .cases import FOLDER, SCHEMA, find, names_of, of_tree, read_tree

if TYPE_CHECKING:
    from ..ruleset.checks.subject import Marked


OF_POSITIONS = {"nations": "nation", "places": "place"}
"""Key of a position -> the kind of thing of which it says something."""


def faults_of_tests(folder: Path, ruleset: Ruleset, *, cache: bool = False) -> list[Diagnostic]:
    """The findings in the rule tests of a ruleset's own folder; names of files as seen from the folder.

    With `cache` they are kept for the texts of the tests and all that tests may name.
    """
    paths = find(folder / FOLDER) if (folder / FOLDER).is_dir() else []
    texts = {name_of(path, folder): path.read_bytes() for path in paths}

    def find_all() -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for path, name in zip(paths, texts, strict=True):
            found.extend(_faults_of_file(path, name, folder, ruleset))
        return add_source_lines(found, texts)

    parts = (part for name, data in texts.items() for part in (name, data))
    return shelf.findings(chain(_all_that_may_be_named(ruleset), parts), find_all, cache=cache)


def _all_that_may_be_named(ruleset: Ruleset) -> Iterator[str | bytes]:
    """What decides, besides the texts of tests, what is found in them: of a ruleset the ids with their kinds,
    the fields, the piles and the steps, so that most rows may be changed without all its tests being read
    again; and the schemas.
    """
    yield from ("tests", forms().digest)
    for form in sorted(ruleset.forms):
        rows = ruleset.rows(form)
        yield from (form, *(f"{id_} {row.get('kind', '')}" for id_, row in rows.items()), "")
    yield dumps([ruleset.rows(form) for form in ("fields", "piles")])
    yield from sorted(_names(ruleset))


def _faults_of_file(path: Path, name: str, folder: Path, ruleset: Ruleset) -> Iterator[Diagnostic]:
    tree, found = read_tree(path, name)
    yield from found
    if tree is not None:
        file = of_tree(tree, path, name)
        if file.ruleset in (None, folder.resolve()):
            yield from file.found
            yield from faults_of_tree(tree, ruleset) if not file.found else ()


def faults_of_tree(tree: Node, ruleset: Ruleset) -> Iterator[Diagnostic]:
    """What a file of the right shape names that is not there: rows of the ruleset, or steps of its
    sequence.
    """
    from ..ruleset.checks.references import dangling  # heavy, and not needed when the cache has the answer
    from ..ruleset.checks.subject import Marked

    known = forms()
    value = plain_value(tree)
    by_case: dict[int, list[Marked]] = {}
    for mark in annotated(known, SCHEMA, value):
        number = mark.path[1] if mark.path[:1] == ("cases",) and len(mark.path) > 1 else -1
        by_case.setdefault(int(number), []).append(Marked(SCHEMA, "", tree, mark))
    shared = value.get("given", {})
    steps = _names(ruleset)
    for number, marks in by_case.items():
        givens = [shared, value["cases"][number].get("given", {})] if number >= 0 else [shared]
        made = _made(given for given in givens if isinstance(given, Mapping))

        def rows(form: str, made: Mapping[str, Mapping[str, object]] = made) -> Mapping[str, object]:
            own = made.get(form)
            return ruleset.rows(form) if own is None else {**ruleset.rows(form), **own}

        yield from dangling(marks, rows, known)
        yield from _steps_are_there(marks, steps)
    yield from _keys_of_positions(tree, ruleset)
    yield from _piles(tree, ruleset)


def _piles(tree: Node, ruleset: Ruleset) -> Iterator[Diagnostic]:
    """Wherever a test tells of piles: under a pile of each nation stand nations, under one for all cards."""
    told = (piles for node in tree.inside() if (piles := node.get("piles")) is not None)
    for pile, cards in chain.from_iterable(piles.items() for piles in told):
        own = is_own(ruleset, pile)
        for word, inner in cards.items() if pile in ruleset.rows("piles") else ():
            if own and not inner.is_map:
                message, hint = f"each nation has a pile {pile!r}", f"{pile}: {{nation: {{{word}: 1}}}}"
                yield diagnose("E206", message, cards, key=word, hint=hint)
            elif not own and inner.is_map:
                message, hint = f"{pile!r} is one pile for all", f"{pile}: {{card: 1}}"
                yield diagnose("E206", message, cards, key=word, hint=hint)


def row_ids(given: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Form -> the ids of rows that the position of a case makes up, or lays over those of the ruleset."""
    return _made([given])


def _made(givens: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, object]]:
    out: dict[str, dict[str, object]] = {}
    for given in givens:
        for form, entries in given.get("made_up", {}).items():
            if isinstance(entries, list | Mapping) and form != "links":
                out.setdefault(form, {}).update(dict.fromkeys(map(str, entries)))
        for form, laid in given.get("rules", {}).items():
            ids = (str(row["id"]) for row in laid if isinstance(row, Mapping) and "id" in row)
            out.setdefault(form, {}).update(dict.fromkeys(ids))
    return out


def _names(ruleset: Ruleset) -> set[str]:
    """The words by which cases may name what is in the sequence of play."""
    return {name for node in nodes_in(ruleset.sequence) for name in names_of(node.row)}


def _steps_are_there(marks: Iterable[Marked], steps: set[str]) -> Iterator[Diagnostic]:
    for mark in marks:
        if mark.annotation.schema.get("x-word") != ["step"]:
            continue
        node, key = mark.place
        for value, at in texts_in(mark.annotation.value, node):
            if value not in steps:
                hint = did_you_mean(value, steps) or STEPS_SHOWN
                yield diagnose("E605", f"the sequence has no step {value!r}", at, key=key, hint=hint)


def _keys_of_positions(tree: Node, ruleset: Ruleset) -> Iterator[Diagnostic]:
    """Keys of the game, of nations and places that are nearly one of those that may stand there. A key that
    is far from all of them is a field that only the state of a game has.
    """
    from ..ruleset.checks.spelling import slips  # brings all checks, not needed for findings that are kept

    for game in _told_of_the_game(tree):
        for word in game.value:
            hint = did_you_mean(word, GAME) if word not in GAME else ""
            if hint:
                message = f"{word!r} is nothing that is noted of the game"
                yield diagnose("E206", message, game, key=word, hint=hint)
    for position, laid in _positions(tree):
        for key, kind in OF_POSITIONS.items():
            may = _may_stand(ruleset, key, kind)
            things = position.get(key)
            for thing in things.value.values() if things is not None and things.is_map else ():
                for word in thing.value if thing.is_map else ():
                    near = sorted(may & slips(word)) if word not in may and word not in laid else ()
                    if near:
                        message, hint = f"{word!r} is nothing that a {kind} has", f"did you mean {near[0]!r}?"
                        yield diagnose("E206", message, thing, key=word, hint=hint)


def _told_of_the_game(tree: Node) -> Iterator[Node]:
    """What a file says of the game itself: where its cases begin, and what comes of them."""
    cases = tree.get("cases")
    for one in (tree, *(cases.members() if cases is not None else ())):
        for part in (one.get("given"), one.get("then")):
            game = part.get("game") if part is not None and part.is_map else None
            if game is not None and game.is_map:
                yield game


def _positions(tree: Node) -> Iterator[tuple[Node, Mapping[str, object]]]:
    """The positions that a file gives, for all its cases and for each, and those of earlier moments; each
    with the fields that are declared for its case alone.
    """
    cases = tree.get("cases")
    for one in (tree, *(cases.members() if cases is not None else ())):
        given = one.get("given")
        if given is None or not given.is_map:
            continue
        laid = row_ids(plain_value(given)).get("fields", {})
        yield given, laid
        was = given.get("was")
        for earlier in was.value.values() if was is not None and was.is_map else ():
            yield earlier, laid


def _may_stand(ruleset: Ruleset, key: str, kind: str) -> set[str]:
    """What a position may say of such things: keys of its schema, what every such thing has, and declared
    fields.
    """
    shape = forms().schema(SCHEMA)["definitions"]["given"]["properties"][key]["additionalProperties"]
    fields = {id_ for id_, row in ruleset.rows("fields").items() if kind in row.get("of", ())}
    return {*shape["properties"], *BUILT_IN[kind], *fields}
