"""Every key of every schema written wrongly in each of the usual ways, and what is told of it.

The keys come from the schemas (`places`): each property of a schema, where a row of a shipped ruleset uses it; a
property that no row uses is tried with a value made from its schema (`made_up`). Each is then spoiled
(`spoilings`) and the ruleset with that one row is checked as the language server checks it. No table, key or
check is named here.

    python -m tests.spoiled_keys [--seed N] [--share 100]
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from wteaw.core.diagnostics import Diagnostic, has_errors
from wteaw.play.scenario_files import check_scenario
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.checks import CHECKS, Subject, of_altered
from wteaw.ruleset.checks.schema import faults_of
from wteaw.ruleset.compile import layers_of, read_layers
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_bytes
from wteaw.ruleset.nodes import EMPTY, Node, plain_value
from wteaw.ruleset.overlay import lay_over, with_slots
from wteaw.testing.cases import of_tree
from wteaw.testing.check import faults_of_tree
from wteaw_lab.spoil import node_of, put_at, replace_form

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ("new-game", "conquest", "card-battle")
OF_FILES = {"scenarios": "scenario", "tests": "rule-test"}
"""Folder of a ruleset -> the schema of the whole files in it."""
SEQUENCE, MANIFEST = "sequence", "manifest"
Path_ = tuple[str | int, ...]
Judge = Callable[[Node], Iterator[Diagnostic]]


@dataclass(frozen=True)
class Place:
    """A key of a schema (`pointer`) as it stands in a row: `path` leads to its value, `raw` is its schema in
    the file `base`.
    """

    pointer: str
    host: Host
    form: str
    id: str
    row: Node
    path: Path_
    raw: Any
    base: str
    made: bool = False

    @property
    def says(self) -> str:
        return f"{self.host.name}: {self.form}/{self.id} {'.'.join(map(str, self.path))}"


@dataclass(frozen=True)
class Spoiling:
    """A place written wrongly: in which way, what stands there now, the row with it, and the key or value
    where that must be told.
    """

    place: Place
    way: str
    what: str
    row: Node
    at: Node
    key: str | None

    @property
    def says(self) -> str:
        return f"{self.place.pointer} | {self.place.says} | {self.way} | {self.what[:150]}"


@dataclass
class Figures:
    """How many spoilings were told at their place (`told`), only elsewhere (`elsewhere`), excused, or not at
    all (`silent`).
    """

    keys: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    silent: list[Spoiling] = field(default_factory=list)
    elsewhere: list[tuple[Spoiling, Diagnostic]] = field(default_factory=list)

    def says(self) -> str:
        told = ", ".join(f"{n:,} {what}" for what, n in self.counts.most_common())
        return (
            f"{len(self.keys):,} keys ({len(self.made)} that no row uses): "
            f"{self.counts.total():,} spoilings: {told}"
        )


# ---- rulesets to spoil


class Host:
    """A ruleset without errors; what its rows say is spoiled one at a time."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.known = name, folder, forms()
        self.layers, wrong = layers_of(read_layers(folder))
        self.draft, unfit = lay_over(self.layers, self.known)
        assert not has_errors([*wrong, *unfit]), (name, wrong, unfit)
        self.base = Subject(self.draft, self.known)
        found = [d for check in CHECKS for d in check(self.base)]
        assert not has_errors(found), found
        self.before = {_key(d) for d in found}
        self._as_made: dict[tuple[int, str], set[tuple[str, str, str]]] = {}
        self._before_files: dict[tuple[str, str], set[tuple[str, str, str]]] = {}

    @property
    def size(self) -> int:
        return sum(1 for _ in self.draft.all_rows())

    @cached_property
    def ruleset(self) -> Any:
        ruleset, found = load_ruleset(self.folder)
        assert ruleset is not None, found
        return ruleset

    def rows(self) -> Iterator[tuple[str, str, Node]]:
        """Everything with a schema of its own: rows, steps of the sequence, the manifest, scenarios and rule
        tests.
        """
        yield from self.draft.all_rows()
        for number, step in enumerate(self.draft.sequence):
            yield SEQUENCE, str(number), step
        yield MANIFEST, "", self.draft.manifest
        yield from self.files

    @cached_property
    def files(self) -> list[tuple[str, str, Node]]:
        """Scenarios, and rule tests with one case each."""
        out = []
        for folder, schema in OF_FILES.items():
            for path in sorted((self.folder / folder).rglob("*.yaml")):
                name = str(path.relative_to(self.folder / folder))
                tree, found = load_bytes(path.read_bytes(), name)
                if tree is not None and not found:
                    out += [(schema, f"{name}:{one.line}", one) for one in _by_case(tree)]
        return out

    def findings(self, form: str, id_: str, row: Node) -> Iterator[Diagnostic]:
        """What is found with another row in place of this one, and is not found as it is."""
        before = self.before if form not in OF_FILES.values() else self._before(form, id_)
        return (d for d in self._found(form, id_, row) if _key(d) not in before)

    def found_as_made(self, place: Place) -> set[tuple[str, str, str]]:
        """What is found with a key that was made up as it is."""
        if (id(place.row), place.form) not in self._as_made:
            found = set(map(_key, self.findings(place.form, place.id, place.row)))
            self._as_made[id(place.row), place.form] = found
        return self._as_made[id(place.row), place.form]

    def _before(self, form: str, id_: str) -> set[tuple[str, str, str]]:
        if (form, id_) not in self._before_files:
            tree = next(n for f, i, n in self.files if (f, i) == (form, id_))
            self._before_files[form, id_] = {_key(d) for d in self._judge_file(form, id_, tree)}
        return self._before_files[form, id_]

    def _found(self, form: str, id_: str, row: Node) -> Iterator[Diagnostic]:
        if form in OF_FILES.values():
            return self._judge_file(form, id_, row)
        if form == MANIFEST:
            return self._whole(replace(self.draft, manifest=row))
        if form == SEQUENCE:
            steps = list(self.draft.sequence)
            steps[int(id_)] = row
            return self._whole(replace(self.draft, sequence=steps))
        rows = {**self.draft.forms[form], id_: self._with_slots(form, row)}
        return of_altered(self.base, replace_form(self.draft, form, rows), (form, id_))

    def _with_slots(self, form: str, row: Node) -> Node:
        known = self.known.schema(form).get("properties", {})
        return with_slots(row) if "slots" in known and "syntax" in known else row

    def _whole(self, draft: Any) -> Iterator[Diagnostic]:
        subject = Subject(draft, self.known, kept=self.base.kept)
        return (d for check in CHECKS for d in check(subject))

    def _judge_file(self, schema: str, name: str, tree: Node) -> Iterator[Diagnostic]:
        if schema == "rule-test":
            wrong = list(of_tree(tree, self.folder / "tests" / name, name).found)
            return iter(wrong or list(faults_of_tree(tree, self.ruleset)))
        wrong = list(faults_of(self.known, schema, tree))
        return iter(wrong or list(check_scenario(self.ruleset, tree, self.known)))


def _by_case(tree: Node) -> Iterator[Node]:
    """A file of rule tests once for each of its cases; any other file as it is."""
    cases = tree.get("cases")
    for case in cases.members() if cases is not None else ():
        only = replace(cases, value=[case])
        yield replace(tree, value={**tree.value, "cases": only}, line=case.line)
    if cases is None:
        yield tree


def _key(d: Diagnostic) -> tuple[str, str, str]:
    return d.code, d.where, d.message


def hosts(folder: Path) -> Iterator[Host]:
    """The shipped rulesets, small ones first; `folder`: where games of `wteaw init` are laid."""
    for name in TEMPLATES:
        shutil.copytree(ROOT / "templates" / name, folder / name)
        for path in (folder / name).rglob("*.yaml"):
            text = path.read_text("utf-8").replace("$ID$", "mine").replace("$TITLE$", "Mine")
            path.write_text(text, "utf-8")
        yield Host(name, folder / name)
    shipped = [path.parent for path in (ROOT / "ruleset").rglob("ruleset.yaml")]
    for path in sorted(shipped, key=_weight):
        yield Host(path.name, path)


def _weight(folder: Path) -> int:
    """The bytes of a ruleset's tables, and of those that it is laid over."""
    reading = read_layers(folder)
    return sum(len(file.data) for file in reading.files)


# ---- the keys of the schemas


def places(host: Host) -> Iterator[Place]:
    """Every key that a row of the host has, with its place in the schemas."""
    for form, id_, row in host.rows():
        if form == SEQUENCE or host.known.has_file(form):
            file = f"{form}.schema.json"
            for pointer, path, raw, base in _keys(host.known, host.known.files[file], file, "", row, ()):
                yield Place(pointer, host, form, id_, row, path, raw, base)


def _keys(
    known: Forms, raw: Any, base: str, pointer: str, node: Node, path: Path_
) -> Iterator[tuple[str, Path_, Any, str]]:
    for part, at, here in _parts(known, raw, base, pointer, node):
        for key, value in node.items():
            if key in part.get("properties", {}):
                inner, under = part["properties"][key], f"{here}/{key}"
                yield f"{at}#{under}", (*path, key), inner, at
            elif isinstance(part.get("additionalProperties"), dict):
                inner, under = part["additionalProperties"], f"{here}/*"
                yield f"{at}#{under}", (*path, key), inner, at
            else:
                continue
            yield from _keys(known, inner, at, under, value, (*path, key))
        for number, value in enumerate(node.members() if isinstance(part.get("items"), dict) else ()):
            yield from _keys(known, part["items"], at, f"{here}/[]", value, (*path, number))


def _parts(
    known: Forms, raw: Any, base: str, pointer: str, node: Node
) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """The schemas that a value fits, references followed: each with its file and place there."""
    if isinstance(raw, dict) and "$ref" in raw:
        pointer = str(raw["$ref"]).partition("#")[2]
    schema, base = known.resolve(raw, base)
    yield schema, base, pointer
    for part in schema.get("allOf", ()):
        yield from _parts(known, part, base, pointer, node)
    for word in ("oneOf", "anyOf"):
        for number, option in enumerate(schema.get(word, ())):
            if known.fits(option, base, plain_value(node)):
                yield from _parts(known, option, base, f"{pointer}|{number}", node)
                break


def all_keys(known: Forms) -> set[str]:
    """The pointer of every property of every schema of rows and files that rows can reach."""
    out: set[str] = set()
    seen: set[tuple[int, str]] = set()

    def walk(raw: Any, base: str, pointer: str) -> None:
        if not isinstance(raw, dict):
            return
        if "$ref" in raw:
            pointer = str(raw["$ref"]).partition("#")[2]
        schema, base = known.resolve(raw, base)
        if (id(raw), base) in seen:
            return
        seen.add((id(raw), base))
        for part in schema.get("allOf", ()):
            walk(part, base, pointer)
        for word in ("oneOf", "anyOf"):
            for number, option in enumerate(schema.get(word, ())):
                walk(option, base, f"{pointer}|{number}")
        for key, inner in schema.get("properties", {}).items():
            out.add(f"{base}#{pointer}/{key}")
            walk(inner, base, f"{pointer}/{key}")
        if isinstance(schema.get("additionalProperties"), dict):
            out.add(f"{base}#{pointer}/*")
            walk(schema["additionalProperties"], base, f"{pointer}/*")
        walk(schema.get("items"), base, f"{pointer}/[]")

    for name in (*known.names, SEQUENCE, MANIFEST, *OF_FILES.values()):
        walk(known.schema(name), f"{name}.schema.json", "")
    return out


# ---- keys that no row has

SOME_TEXTS = ("some-words", "turn", "1/2", "1..2", "1d6", "1914-08", "#a0b0c0", "Some words", "=turn", "a.b")
ROUNDS = 3


def made_up(found: Iterable[Host], used: Iterable[str]) -> dict[str, list[Place]]:
    """A place for each key that no row has: where the map around it stands, with a value made from its schema;
    for keys inside such a value, in the next round.
    """
    out: dict[str, list[Place]] = {}
    have, every = set(used), list(found)
    rows = [(host, form, id_, row) for host in every for form, id_, row in host.rows()]
    for _ in range(ROUNDS):
        made: list[tuple[Host, str, str, Node]] = []
        for host, form, id_, row in rows:
            file = f"{form}.schema.json"
            if file not in host.known.files:
                continue
            for pointer, path, raw, base in _lacking(host.known, host.known.files[file], file, "", row, ()):
                if pointer in have or (value := sample(host, raw, base)) is None:
                    continue
                have.add(pointer)
                new = put_in(row, path, node_of(value, _at(row, path[:-1])))
                out[pointer] = [Place(pointer, host, form, id_, new, path, raw, base, made=True)]
                made.append((host, form, id_, new))
        rows = made
        for host, form, id_, row in made:
            file = f"{form}.schema.json"
            for pointer, path, raw, base in _keys(host.known, host.known.files[file], file, "", row, ()):
                if pointer not in have:
                    have.add(pointer)
                    out[pointer] = [Place(pointer, host, form, id_, row, path, raw, base, made=True)]
    return out


def _lacking(
    known: Forms, raw: Any, base: str, pointer: str, node: Node, path: Path_
) -> Iterator[tuple[str, Path_, Any, str]]:
    """The keys that maps in a row could have and have not."""
    for part, at, here in _parts(known, raw, base, pointer, node):
        own = part.get("properties", {})
        if node.is_map:
            for key, inner in own.items():
                if key not in node.value:
                    yield f"{at}#{here}/{key}", (*path, key), inner, at
            for key, value in node.items():
                inner = own.get(key, part.get("additionalProperties"))
                if isinstance(inner, dict):
                    under = f"{here}/{key}" if key in own else f"{here}/*"
                    yield from _lacking(known, inner, at, under, value, (*path, key))
        for number, value in enumerate(node.members() if isinstance(part.get("items"), dict) else ()):
            yield from _lacking(known, part["items"], at, f"{here}/[]", value, (*path, number))


def put_in(row: Node, path: Path_, new: Node) -> Node:
    """The row with another key at the end of a path."""
    above = _at(row, path[:-1])
    key = str(path[-1])
    place = (above.file, above.line, above.column)
    wider = above.with_entries({**above.value, key: new}, {**above.keys, key: place})
    return put_at(row, path[:-1], wider, None) if len(path) > 1 else wider


def sample(host: Host, raw: Any, base: str, deep: int = 0) -> Any:
    """A value that a schema allows; None if none can be made up."""
    schema, base = host.known.resolve(raw, base)
    if deep > 4:
        return None
    for value in _candidates(host, schema, base, deep):
        if value is not None and host.known.fits(raw if isinstance(raw, dict) else schema, base, value):
            return value
    return None


def _candidates(host: Host, schema: Mapping[str, Any], base: str, deep: int) -> Iterator[Any]:
    known = host.known
    if "const" in schema:
        yield schema["const"]
    yield from schema.get("enum", ())
    refs = schema.get("x-ref", ())
    for form in [*([refs] if isinstance(refs, str) else refs), *schema.get("x-word", ())]:
        if form.startswith(":"):
            yield form[1:]
        yield from list(host.draft.rows(form))[:1] if form in known else ()
    gives = schema.get("x-expr", {}).get("gives")
    if gives:
        yield from {"truth": ("turn > 1",), "set": ("nations()", "places()")}.get(gives, ("=turn", "turn"))
    for word in ("oneOf", "anyOf", "allOf"):
        for option in schema.get(word, ()):
            yield sample(host, option, base, deep + 1)
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "object" in kinds:
        own, wanted = schema.get("properties", {}), schema.get("required", ())
        value = {key: sample(host, own.get(key, {}), base, deep + 1) for key in wanted}
        yield value or {key: sample(host, own[key], base, deep + 1) for key in list(own)[:1]}
        yield value
    if "array" in kinds:
        one = sample(host, schema.get("items", {}), base, deep + 1)
        yield [one]
        yield [one, one]
    if "integer" in kinds or "number" in kinds:
        yield schema.get("minimum", 1)
    if "boolean" in kinds:
        yield True
    yield from SOME_TEXTS if "string" in kinds else ()


# ---- writing them wrongly

NUMBERS = (10**13, -(10**13))
OTHER_TYPES: tuple[Any, ...] = (7, True, "qzx", ["qzx"], {"qzx": 1}, [], None)
_WORD = re.compile(r"'[a-z][\w-]+'|(?<![\w'.-])[a-z_][a-z_0-9]{2,}(?![\w'-])|(?<=\.)[a-z_]{3,}")
_PYTHON = {"and", "or", "not", "if", "else", "for", "in", "is"}


def misspelt(word: str) -> str:
    """The word with two letters in the wrong order, or one too many."""
    for at in range(len(word) // 2, len(word) - 1):
        if word[at] != word[at + 1] and word[at].isalpha() and word[at + 1].isalpha():
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word + word[-1] if word[-1:].isalpha() else word + "x"


def spoilings(place: Place) -> Iterator[Spoiling]:
    """The usual mistakes at a place of a row."""
    row = place.row
    above, node = _at(row, place.path[:-1]), _at(row, place.path)
    key = str(place.path[-1])
    known = place.host.known

    def with_value(way: str, value: Any, path: Path_ = place.path) -> Spoiling:
        at = _at(row, path)
        new = node_of(value, at) if value is not None else replace(at, value=None, style=EMPTY)
        return Spoiling(place, way, repr(value), put_at(row, path, new, None), at, None)

    if not place.pointer.endswith("/*"):
        yield Spoiling(place, "key", misspelt(key), put_at(row, place.path, node, misspelt(key)), above, key)
    for value in OTHER_TYPES:
        alike = isinstance(node.value, Fraction) and type(value) is int
        if type(value) is not type(node.value) and not alike and not _may_be(known, place, value):
            yield with_value("type", value)
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        for number in NUMBERS:
            yield with_value("range", number)
    for path, text, schema in _texts(known, place, node) if place.path != ("id",) else ():
        expression = schema.get("x-expr")
        if expression is None and "x-text" in schema:
            yield with_value("name in a text", text + " {qzx}", path)
        elif expression is None and re.fullmatch(r"[\w.:-]+", text):
            yield with_value("word", misspelt(text), path)
        elif expression is not None:
            yield from _spoiled_expression(with_value, path, text, expression)


def _may_be(known: Forms, place: Place, value: Any) -> bool:
    """Whether a schema says that a value of this type may stand there: a number or a truth in place of an
    expression that gives one, or nothing where it names null.
    """
    here = Node(None, "", 0, 0)
    if value is None:
        fitting = _parts(known, place.raw, place.base, "", here)
        return any("null" in part.get("type", ()) for part, _, _ in fitting)
    gives = {
        part["x-expr"].get("gives")
        for example in (value, "x", "=x")
        for part, _, _ in _parts(known, place.raw, place.base, "", node_of(example, here))
        if "x-expr" in part
    }
    if isinstance(value, bool):
        return known.fits(place.raw, place.base, value) and "truth" in gives
    if isinstance(value, int):
        return known.fits(place.raw, place.base, value) and bool(gives & {"number", "any", "value"})
    return False


def _spoiled_expression(
    with_value: Callable[..., Spoiling], path: Path_, text: str, expression: Mapping[str, Any]
) -> Iterator[Spoiling]:
    marked = text.startswith("=")
    for found in list(_WORD.finditer(text)):
        if found[0] not in _PYTHON:
            word = found[0].strip("'")
            wrong = found[0].replace(word, misspelt(word))
            yield with_value(
                "word of an expression", text[: found.start()] + wrong + text[found.end() :], path
            )
    yield with_value("expression left open", text + " (", path)
    if expression.get("gives") == "truth":
        yield with_value("never", f"({text}) and turn < 0", path)
        yield with_value("never", "turn < 0", path)
        yield with_value("of another kind", "'qzx'", path)
    if expression.get("gives") == "set":
        yield with_value("of another kind", "=1" if marked else "1", path)
    if expression.get("gives") == "number":
        yield with_value("of another kind", "='qzx'" if marked else "'qzx'", path)


def _texts(known: Forms, place: Place, node: Node) -> Iterator[tuple[Path_, str, Mapping[str, Any]]]:
    """The texts of a value itself, or of the members of a list, each with what its schema says of it."""
    for schema, base, _ in _parts(known, place.raw, place.base, "", node):
        if isinstance(node.value, str) and _speaks(schema):
            yield place.path, node.value, schema
        for number, member in enumerate(node.members() if isinstance(schema.get("items"), dict) else ()):
            for inner, _, _ in _parts(known, schema["items"], base, "", member):
                if isinstance(member.value, str) and _speaks(inner):
                    yield (*place.path, number), member.value, inner


def _speaks(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says what a text must be, so that it can be wrong."""
    return bool({"enum", "const", "pattern", "x-ref", "x-word", "x-expr", "x-text"} & schema.keys())


def _at(node: Node, path: Path_) -> Node:
    for step in path:
        node = node.value[step]
    return node


# ---- judging


def judge(spoiling: Spoiling) -> tuple[str, Diagnostic | None]:
    """`told` if a finding stands at the place of the spoiling, `elsewhere` (with the first) or `silent`."""
    place, at = spoiling.place, spoiling.at
    file, line = (at.keys.get(spoiling.key) or (at.file, at.line))[:2] if spoiling.key else (at.file, at.line)
    end = max((n.line for n in _nodes(at)), default=line)
    other = None
    known = place.host.found_as_made(place) if place.made else ()
    for found in place.host.findings(place.form, place.id, spoiling.row):
        if _key(found) in known:
            continue
        if found.file == file and line <= found.line <= end:
            return "told", found
        other = other or found
    return ("elsewhere", other) if other else ("silent", None)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    inner: Iterable[Node] = node.value.values() if node.is_map else node.members()
    yield from chain.from_iterable(map(_nodes, inner))


def chosen(found: Iterable[Host], rng: random.Random, each: int = 1) -> dict[str, list[Place]]:
    """For every key `each` places, in the smallest rulesets that have it."""
    out: dict[str, list[Place]] = {}
    for host in found:
        here: dict[str, list[Place]] = {}
        for place in places(host):
            here.setdefault(place.pointer, []).append(place)
        for pointer, some in here.items():
            lacking = each - len(out.get(pointer, ()))
            out.setdefault(pointer, []).extend(rng.sample(some, min(max(lacking, 0), len(some))))
    return out


def try_all(
    picked: Mapping[str, list[Place]],
    rng: random.Random,
    share: int = 100,
    excused: Callable[[Spoiling], str] = lambda _: "",
) -> Figures:
    """The spoilings of the places picked, or a share of them in percent."""
    figures = Figures()
    for pointer in sorted(picked):
        figures.keys.add(pointer)
        figures.made |= {pointer} if any(place.made for place in picked[pointer]) else set()
        for place in picked[pointer]:
            for spoiling in spoilings(place):
                if rng.randrange(100) >= share:
                    continue
                if excused(spoiling):
                    figures.counts["excused"] += 1
                    continue
                kind, found = judge(spoiling)
                figures.counts[kind] += 1
                if kind == "silent":
                    figures.silent.append(spoiling)
                    print("SILENT", spoiling.says, flush=True)
                elif kind == "elsewhere" and found is not None:
                    figures.elsewhere.append((spoiling, found))
                    print("ELSEWHERE", spoiling.says, found.code, found.where, found.message, flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--share", type=int, default=100)
    parser.add_argument("--hosts", type=int, default=99)
    parser.add_argument("--each", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        every = list(islice(hosts(Path(folder)), asked.hosts))
        picked = chosen(every, rng, asked.each)
        print(f"{len(all_keys(forms())):,} keys in the schemas; {len(picked)} used")
        picked |= made_up(every, picked)
        print(f"{len(picked)} with those made up; {time.process_time() - began:.0f} s", flush=True)
        figures = try_all(picked, rng, asked.share)
    print(figures.says(), f"{time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
