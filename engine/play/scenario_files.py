"""Scenario files: read with positions, find the ruleset, check against both.

A scenario that `extends` another is laid over it: maps are merged entry by entry, everything else is
replaced; `append` adds to its lists. What a scenario may say is defined by its schema; references and
expressions in it are checked like those of a ruleset. Checks that know more of scenarios stand in
`SCENARIO_CHECKS`: functions of a `ScenarioSubject`, added by the module that owns them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..core.diagnostics import Diagnostic, did_you_mean, has_errors
from ..core.frame import steps
from ..core.model import Ruleset
from ..core.package_data import rulesets
from ..core.package_data import scenarios as shipped_scenarios
from ..core.state import Entity, State
from ..ruleset.compile import RulesetsRead, add_source_lines, load_ruleset, parse_file
from ..ruleset.folder import MANIFEST, SourceFile, find_rulesets
from ..ruleset.forms import Forms, annotated, forms
from ..ruleset.load import read_file
from ..ruleset.nodes import Node, diagnose, find, plain_value
from ..ruleset.overlay import MergedRuleset, merged_maps
from ..units.deploy import free_of
from ..world.world import World
from .scenario import initial_state

if TYPE_CHECKING:
    from ..ruleset.checks.subject import Subject


SCENARIO = "scenario"
RULES = "rules"
EXTENDS = "extends"
APPEND = "append"
OWN = frozenset({"id", "title", "text", "note", "source", EXTENDS, APPEND})
"""Keys that say something of the one file only."""


@dataclass(frozen=True, eq=False)
class ScenarioSubject:
    """A scenario with its places, its plain value, and the ruleset it is played with."""

    node: Node
    value: dict[str, Any]
    ruleset: Ruleset
    known: Forms


def works_stand_on_borders(subject: ScenarioSubject) -> Iterator[Diagnostic]:
    """Works protect a place against a neighbor; where there is no border, there is nothing to protect."""
    borders = {frozenset(row["between"]) for row in subject.ruleset.rows("links").values()}
    places = subject.ruleset.rows("places")
    for number, row in enumerate(subject.value.get("works", ())):
        place, facing = row.get("place"), row.get("facing")
        for other in facing if isinstance(facing, list) else [facing]:
            if place in places and other in places and frozenset((place, other)) not in borders:
                at = find(subject.node, ["works", number, "facing"])
                yield diagnose("E411", f"{place!r} has no border with {other!r} for works to stand on", at)


def no_more_is_chosen_than_is_free(subject: ScenarioSubject) -> Iterator[Diagnostic]:
    """Of each kind of unit a nation places itself only as many as the ruleset's step that deploys leaves
    it.
    """

    node = next((n for n in steps(subject.ruleset.sequence) if n["do"] == "deploy"), None)
    if node is None:
        return
    world = World(subject.ruleset, State())
    all_of: Counter[tuple[str, str]] = Counter()
    chosen: Counter[tuple[str, str]] = Counter()
    for row in subject.value.get("units", ()):
        for kind, n in row["units"].items():
            all_of[row["owner"], kind] += n
    for number, row in enumerate(subject.value.get("units", ())):
        for kind, n in row["units"].items() if row.get("deploy") == "chosen" else ():
            owner = row["owner"]
            free = free_of(world, owner, kind, all_of[owner, kind], node)
            if chosen[owner, kind] <= free < chosen[owner, kind] + n:
                at = find(subject.node, ["units", number, "units"])
                message = (
                    f"{owner!r} may place {free} of its {all_of[owner, kind]} {kind!r} itself; here "
                    "more are chosen"
                )
                yield diagnose("E412", message, at, key=kind)
            chosen[owner, kind] += n


def option_values(row: Mapping[str, Any]) -> list[Any]:
    """What an option may be set to: the values of its row, or true and false; empty where anything goes."""
    return list(row.get("values", (True, False) if isinstance(row.get("default"), bool) else ()))


def choice_in_words(value: Any) -> str:
    """A value of an option as players read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("-", " ")


def is_one_of(value: Any, values: Iterable[Any]) -> bool:
    """Whether a value is among others and of the same type: 1 is not true."""
    return any(v == value and type(v) is type(value) for v in values)


def options_have_values_of_theirs(subject: ScenarioSubject) -> Iterator[Diagnostic]:
    """An option is set to one of its values; one without a list of values to something like its default."""
    for id_, value in subject.value.get("options", {}).items():
        row = subject.ruleset.row_or_empty("options", id_)
        values = option_values(row)
        if values and not is_one_of(value, values):
            at = find(subject.node, ["options", id_])
            words = ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
            yield diagnose("E413", f"the option {id_!r} cannot be {value!r}", at, hint=f"one of {words}")


def nations_begin_with_what_they_need(subject: ScenarioSubject) -> Iterator[Diagnostic]:
    """Nations of which the ruleset wants something said (`given` of its settings) are given it, or expressly
    none of it.
    """
    rule = subject.ruleset.setting("given")
    if rule is None:
        return
    world = World(subject.ruleset, initial_state(subject.ruleset, subject.value))
    said = subject.value.get("nations", {})
    armed = {str(row["owner"]) for row in subject.value.get("units", ())}
    for nation in world.nations():
        if not world.test(rule["who"], {"nation": Entity("nation", nation)}):
            continue
        purses = list(said.get(nation, {}).get("treasury", {}).values())
        missing = [what for what in rule.get("treasury", ()) if not any(what in purse for purse in purses)]
        missing += ["units"] if rule.get("units") and nation not in armed else []
        if missing:
            name = subject.ruleset.row_or_empty("nations", nation).get("name", nation)
            message = f"{name} begins without a word of its {' and '.join(missing)}"
            yield diagnose("E414", message, subject.node, hint="say it, be it 0")


SCENARIO_CHECKS: list[Callable[[ScenarioSubject], Iterable[Diagnostic]]] = [
    works_stand_on_borders,
    no_more_is_chosen_than_is_free,
    options_have_values_of_theirs,
    nations_begin_with_what_they_need,
]
"""Further checks of scenarios, asked once the shape is right."""


def load_scenario(
    path: Path | str,
    *,
    root: Path | None = None,
    cache: bool = True,
    rules: Path | None = None,
    done: RulesetsRead | None = None,
) -> tuple[dict[str, Any] | None, Ruleset | None, list[Diagnostic]]:
    """A scenario, the ruleset it names with the scenario's own `rules` laid over it, and all findings.

    Either is None if it is not to be used. Findings in the ruleset itself are given only if they keep it from
    being used:
    `load_ruleset` tells the rest. `rules` is a folder to take in place of the ruleset that the scenario
    names; `done` as there.
    """
    from ..ruleset.checks.schema import faults_of  # heavy, and not needed when the cache has the answer

    path = Path(path)
    node, found, texts = read_scenario(path, cache=cache)
    if node is None:
        return None, None, add_source_lines(found, texts)
    known = forms()
    shape = list(faults_of(known, SCENARIO, node)) if known.has_file(SCENARIO) else []
    found += shape
    folder, wrong = ruleset_folder(node, path.parent) if rules is None else (rules, [])
    found += wrong
    ruleset = None
    if folder is not None:
        ruleset, inside = load_ruleset(
            folder, root=root, cache=cache, over=None if shape else node.get(RULES), done=done
        )
        if ruleset is None:
            found += (
                _errors_below(node, inside) if rules is None else [d for d in inside if d.severity == "error"]
            )
    if ruleset is not None and not shape:
        found += check_scenario(ruleset, node, known)
    found = add_source_lines(found, texts)
    return (None if has_errors(found) else plain_value(node)), ruleset, found


def read_scenario(
    path: Path, *, cache: bool = True
) -> tuple[Node | None, list[Diagnostic], dict[str, bytes]]:
    """A scenario file laid over those that it extends (None if it cannot be read), what is wrong, and the
    text of each file.
    """
    texts: dict[str, bytes] = {}
    read: list[Path] = []
    node: Node | None = None
    found: list[Diagnostic] = []
    layers: list[Node] = []
    while True:
        name = os.path.relpath(path, read[0].parent) if read else path.name
        data, problems = read_file(path, name)
        texts[name] = data or b""
        read.append(path.resolve())
        if not problems:
            node, problems = parse_file(SourceFile(name, data), cache=cache)
        found += problems
        if problems or node is None or not node.is_map:
            return (layers[0] if layers else node), found, texts
        layers.append(node)
        asked = node.get(EXTENDS)
        if asked is None:
            break
        below = _extended(asked, path.parent)
        if below is not None and not any(
            below.resolve().is_relative_to(p) for p in (read[0].parent, shipped_scenarios().resolve())
        ):
            found.append(diagnose("E117", f"{asked.value!r} leads out of the scenario's folder", asked))
            break
        if below is None or below.resolve() in read:
            message = (
                f"there is no scenario {asked.value!r}"
                if below is None
                else "scenarios that extend one another in a ring"
            )
            found.append(
                diagnose(
                    "E410", message, asked, hint="a path from this file, or the name of a shipped scenario"
                )
            )
            break
        path = below
    whole = layers.pop()
    if whole.get(APPEND) is not None and whole.get(EXTENDS) is None:
        hint = "say what it `extends`, or write the lists themselves"
        found.append(diagnose("E221", "no scenario below to append to", whole, key=APPEND, hint=hint))
    while layers:
        whole = _lay_over(whole, layers.pop(), found)
    return whole, found, texts


def _extended(asked: Node, folder: Path) -> Path | None:
    """The file of the scenario that another names: beside it, or a shipped one."""
    name = str(asked.value)
    if "\0" in name or Path(name).is_absolute():
        return None
    places = [folder / name, folder / f"{name}.yaml", shipped_scenarios() / f"{name}.yaml"]
    return next((place for place in places if place.is_file()), None)


def _lay_over(below: Node, above: Node, found: list[Diagnostic]) -> Node:
    """A scenario over the one it extends."""
    entries = {key: value for key, value in below.items() if key not in OWN}
    keys = {key: below.keys[key] for key in entries if key in below.keys}
    base = below.with_entries(entries, keys)
    more = above.get(APPEND)
    mine = {key: value for key, value in above.items() if key not in (EXTENDS, APPEND)}
    merged = merged_maps(base, above.with_entries(mine, above.keys))
    entries, keys = dict(merged.value), dict(merged.keys)
    for key, value in more.items() if more is not None else ():
        old = entries.get(key)
        if old is None or not old.is_list or not value.is_list or key in mine:
            found.append(
                diagnose("E221", f"no list {key!r} to append to in the scenario below", more, key=key)
            )
            continue
        entries[key] = Node([*old.value, *value.value], value.file, value.line, value.column)
    return merged.with_entries(entries, keys)


class _Known:
    """A compiled ruleset as the vocabulary of words asks for it."""

    def __init__(self, ruleset: Ruleset, known: Forms) -> None:
        self.rows = self.nodes = ruleset.rows
        self.known = known
        self.ruleset = ruleset
        self.draft = MergedRuleset(Node({}, "", 0, 0))
        self.faulty: set[tuple[str, str]] = set()

    def once(self, name: str, make: Callable[[Any], Any]) -> Any:
        """The words for works; those of the sequence of play are no scenario's."""
        texts = str(self.ruleset.forms)
        sold = {str(row["works"]) for row in self.rows("production").values() if "works" in row}
        from ..ruleset.checks.words import works_in  # heavy, as all checks

        return sold | works_in(texts)


def check_scenario(ruleset: Ruleset, node: Node, known: Forms) -> Iterator[Diagnostic]:
    """What is wrong with a scenario of the right shape, by the ruleset it is played with."""
    from ..ruleset.checks.conditions import decided  # heavy, as all checks
    from ..ruleset.checks.expressions import RulesetVocabulary, wrong_expressions
    from ..ruleset.checks.references import dangling
    from ..ruleset.checks.subject import Marked
    from ..ruleset.checks.words import KnownWords, unknown_words

    value = plain_value(node)
    marks = [Marked(SCENARIO, "", node, mark) for mark in annotated(known, SCENARIO, value)]
    yield from dangling(marks, ruleset.rows, known)
    yield from unknown_words(marks, KnownWords(cast("Subject", _Known(ruleset, known))))
    words = RulesetVocabulary(ruleset.rows, known.names)
    yield from wrong_expressions(marks, words)
    yield from decided(marks, words)
    for check in SCENARIO_CHECKS:
        yield from check(ScenarioSubject(node, value, ruleset, known))


def ruleset_folder(node: Node, folder: Path) -> tuple[Path | None, list[Diagnostic]]:
    """The folder of the ruleset that a scenario names: a path from the scenario's folder, or the id of a
    shipped ruleset.
    """
    at = node.get("ruleset")
    if at is None or not isinstance(at.value, str):
        return None, []
    given = at.value
    found, shipped = named_ruleset(given, folder)
    if found is not None:
        return found, []
    hint = (
        did_you_mean(given, shipped)
        or f"shipped are {', '.join(sorted(shipped)) or 'none'}; or a path from this file"
    )
    return None, [diagnose("E408", f"there is no ruleset {given!r}", at, hint=hint)]


def named_ruleset(given: str, folder: Path) -> tuple[Path | None, dict[str, Path]]:
    """The folder that a scenario in `folder` means by a path or by the id of a shipped ruleset, and all
    shipped by id.
    """
    if "\0" not in given and not Path(given).is_absolute() and (folder / given / MANIFEST).is_file():
        return folder / given, {}
    shipped: dict[str, Path] = {}
    for place in find_rulesets(rulesets()):
        data, _ = read_file(place / MANIFEST, MANIFEST)
        manifest, _ = parse_file(SourceFile(MANIFEST, data))
        id_ = manifest.text("id") if manifest is not None else None
        if id_:
            shipped.setdefault(id_, place)
    return shipped.get(given), shipped


def _errors_below(node: Node, inside: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Errors of the scenario's own rules at their places; of the ruleset, that there are some."""
    errors = [d for d in inside if d.severity == "error"]
    own = [d for d in errors if d.file == node.file]
    yield from own
    if len(own) < len(errors):
        first = next(d for d in errors if d.file != node.file)
        at = node.get("ruleset")
        message = f"the ruleset has errors ({len(errors) - len(own)}), the first: {first.message}"
        yield diagnose("E409", message, at, hint=f"validate the ruleset; the first error is in {first.where}")
