"""A folder of YAML to a `Ruleset`: read, lay over, check, compile; and the same from the cache when nothing
has changed.

`load_ruleset` is what the program calls. What it finds is always the whole list of findings, at their places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.canonical import dumps
from ..core.diagnostics import Diagnostic, has_errors, tidy
from ..core.model import Ruleset
from . import cache as shelf
from .folder import MANIFEST, SourceFile, base_folder, format_fault, name_of, read_folder
from .forms import Forms, forms
from .load import load_bytes
from .nodes import Node, diagnose, pack, plain_value, unpack
from .overlay import FRAME, Layer, MergedRuleset, lay_over

MAX_LAYERS = 10


class RulesetsRead:
    """What one run has read of rulesets, and made of them by all that they are made of: their scenarios share
    it.
    """

    def __init__(self) -> None:
        self.made: dict[str, tuple[Ruleset | None, list[Diagnostic]]] = {}
        self._read: dict[tuple[Path, Path | None], RulesetFiles] = {}
        self.of_rows: dict[tuple[str, int], tuple[object, Any]] = {}
        """What follows from the values of rows, which rulesets that extend one another share."""

    def layers(self, path: Path, root: Path | None) -> RulesetFiles:
        """The files of a ruleset, read once (`read_layers`)."""
        if (path, root) not in self._read:
            self._read[path, root] = read_layers(path, root)
        return self._read[path, root]


class RulesetFiles:
    """All files of a ruleset and of those it extends, from the bottom up, with what was found on the way."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.layers: list[tuple[Path, list[SourceFile]]] = []
        self.found: list[Diagnostic] = []

    @property
    def files(self) -> list[SourceFile]:
        return [file for _, files in self.layers for file in files]

    def with_lines(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """The findings with the line of text that each is about, in order and each once."""
        return add_source_lines(found, {file.name: file.data for file in self.files})


def add_source_lines(found: list[Diagnostic], data: Mapping[str, bytes]) -> list[Diagnostic]:
    """The findings with the line of text that each is about, from the bytes of the files; in order and each
    once.
    """
    lines: dict[str, list[str]] = {}
    out = []
    for d in found:
        if d.line and not d.source_line and d.file in data:
            if d.file not in lines:
                text = data[d.file].decode("utf-8", "replace").removeprefix("\ufeff")
                lines[d.file] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            if d.line <= len(lines[d.file]):
                line = lines[d.file][d.line - 1]
                d = replace(d, source_line=line[:2_000], column=min(d.column, len(line) + 1))
        out.append(d)
    return tidy(out)


def load_ruleset(
    path: Path | str,
    *,
    cache: bool = True,
    root: Path | None = None,
    keep_broken: bool = False,
    over: Node | None = None,
    done: RulesetsRead | None = None,
) -> tuple[Ruleset | None, list[Diagnostic]]:
    """The ruleset in a folder, and all that was found.

    It is None if there are errors, unless `keep_broken` is given and it can be built. `root` is a folder that
    the ruleset's `extends` may stay in, besides the shipped data and its own surroundings. Names of files in
    findings and origins are relative to the folder. `over` is a map from form to rows, laid over the ruleset
    as an overlay's file is: the rules of a scenario. `done` holds what the same run has made of the same
    texts before, and takes this in.
    """
    reading = done.layers(Path(path), root) if done is not None else read_layers(Path(path), root)
    known = forms()
    key = key_of_files(reading, known, over) if cache or done is not None else ""
    if done is not None:
        if key not in done.made:
            done.made[key] = _loaded(reading, known, key, cache, over, done)
        ruleset, found = done.made[key]
    else:
        ruleset, found = _loaded(reading, known, key, cache, over)
    return (ruleset if keep_broken or not has_errors(found) else None), found


def _loaded(
    reading: RulesetFiles,
    known: Forms,
    key: str,
    cache: bool,
    over: Node | None,
    done: RulesetsRead | None = None,
) -> tuple[Ruleset | None, list[Diagnostic]]:
    """The ruleset that the texts make, if they make one, and all findings; from the cache if it may be asked
    and has them.
    """
    kept = shelf.read("rulesets", key) if cache else None
    if kept is not None:
        try:
            ruleset = Ruleset.from_json(kept["ruleset"]) if kept["ruleset"] is not None else None
            return ruleset, [Diagnostic.from_json(d) for d in kept["found"]]
        except (KeyError, TypeError, ValueError, AttributeError):
            pass
    ruleset, found = assemble(reading, known, cache=cache, over=over, done=done)
    if cache:
        entry = {"ruleset": ruleset.to_json() if ruleset else None, "found": [d.to_json() for d in found]}
        shelf.write("rulesets", key, entry)
    return ruleset, found


def compile_ruleset(path: Path | str, *, root: Path | None = None) -> tuple[Ruleset | None, list[Diagnostic]]:
    """Like `load_ruleset`, from the text itself and without the cache."""
    return load_ruleset(path, cache=False, root=root)


def read_layers(path: Path, root: Path | None = None) -> RulesetFiles:
    """Read the files of a ruleset and of all that it extends."""
    top = path.parent if path.name == MANIFEST and path.is_file() else path
    reading = RulesetFiles(top)
    folder: Path | None = top
    seen: list[Path] = []
    asked: Node | None = None
    while folder is not None:
        real = folder.resolve()
        if real in seen or len(seen) >= MAX_LAYERS:
            message = (
                "rulesets extend one another in a ring" if real in seen else f"more than {MAX_LAYERS} layers"
            )
            reading.found.append(diagnose("E119", message, asked))
            break
        seen.append(real)
        if not (folder / MANIFEST).is_file():
            reading.found.append(
                Diagnostic("E120", "error", f"no {MANIFEST} in this folder", name_of(folder, top))
            )
            break
        files, found = read_folder(folder, top)
        reading.layers.insert(0, (folder, files))
        reading.found += found
        manifest = _manifest(files, name_of(folder / MANIFEST, top))
        if manifest is None:
            break
        reading.found += format_fault(manifest)
        asked = manifest.get("extends")
        folder, found = base_folder(manifest, folder, root)
        reading.found += found
    return reading


def assemble(
    reading: RulesetFiles,
    known: Forms,
    *,
    cache: bool = True,
    over: Node | None = None,
    done: RulesetsRead | None = None,
) -> tuple[Ruleset | None, list[Diagnostic]]:
    """The ruleset that the files make, if there is enough to make one; and all findings."""
    # heavy, and not needed when the cache has the answer
    from .checks import OF_SHAPE, CheckCache, Subject, run_checks, without_consequences

    found = list(reading.found)
    layers, wrong = layers_of(reading, cache=cache)
    found += wrong
    if not layers:
        return None, reading.with_lines(found)
    whole = sum(1 + len(layer.files) for layer in layers) == len(reading.files)
    if over is not None and over.is_map:
        layers.append(Layer(layers[-1].manifest, (over,)))
    try:
        draft, wrong = lay_over(layers, known)
        subject = Subject(draft, known, kept=CheckCache(done.of_rows if done is not None else None))
        if whole:
            found = list(without_consequences([*found, *wrong, *run_checks(subject, layers)]))
        else:  # what an unreadable file says would be missed everywhere else
            found += (finding for check in OF_SHAPE for finding in check(subject))
        ruleset = ruleset_of(draft, known)
    except RecursionError:  # files are limited in depth, but what is laid over one another may add up
        message = "rows or steps of the sequence inside one another, too deep to be checked"
        return None, reading.with_lines([*found, diagnose("E115", message, layers[-1].manifest)])
    return ruleset, reading.with_lines(found)


def layers_of(reading: RulesetFiles, *, cache: bool = True) -> tuple[list[Layer], list[Diagnostic]]:
    """The parsed files, layer by layer, and what is wrong with them as text; no layers if a manifest cannot
    be read.
    """
    layers: list[Layer] = []
    found: list[Diagnostic] = []
    for folder, files in reading.layers:
        trees: list[Node] = []
        manifest: Node | None = None
        for file in files:
            tree, wrong = parse_file(file, cache=cache)
            found += wrong
            if file.name == name_of(folder / MANIFEST, reading.top):
                manifest = tree
            elif tree is not None:
                trees.append(tree)
        if manifest is None:
            return [], found
        layers.append(Layer(manifest, tuple(trees)))
    return layers, found


def ruleset_of(draft: MergedRuleset, known: Forms) -> Ruleset:
    """What a merged draft says, as plain rows with the place of each of their keys."""
    origins: dict[str, str] = {}
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for form, id_, node in draft.all_rows():
        row = plain_value(node)
        if not known.has_id(form):
            row["id"] = id_
        rows.setdefault(form, {})[id_] = row
        origins[f"{form}/{id_}"] = node.where
        for key in node.value:
            origins[f"{form}/{id_}.{key}"] = node.key_where(key)
    for number, node in enumerate(draft.sequence):
        origins[f"{FRAME}/{number}"] = node.where
    manifest = plain_value(draft.manifest)
    for key in draft.manifest.value:
        origins[f"manifest.{key}"] = draft.manifest.key_where(key)
    id_, title = draft.manifest.text("id") or "", draft.manifest.text("title") or ""
    rows = {form: rows[form] for form in sorted(rows)}
    return Ruleset(
        id_,
        title,
        rows,
        tuple(_with_mechanic(plain_value(n)) for n in draft.sequence if n.is_map),
        manifest,
        origins,
    )


def _manifest(files: list[SourceFile], name: str) -> Node | None:
    for file in files:
        if file.name == name:
            return parse_file(file)[0]
    return None


def parse_file(file: SourceFile, *, cache: bool = True) -> tuple[Node | None, list[Diagnostic]]:
    """The tree of one file; from the cache if these very bytes were read without a fault before."""
    key = shelf.key_of([shelf.reader_digest(), hashlib.sha256(file.data).digest()])
    if key in _READ:
        packed, known = _READ[key]
        if known.file != file.name:
            known = unpack(packed, file.name)
            _READ[key] = packed, known
        return known, []
    if cache:
        kept = shelf.read("files", key)
        if kept is not None:
            try:
                read = unpack(kept, file.name)
                _remember(key, kept, read)
                return read, []
            except (TypeError, ValueError, AttributeError, IndexError, KeyError):
                pass
    tree, found = load_bytes(file.data, file.name)
    if tree is not None and not found:
        packed = pack(tree)
        _remember(key, packed, tree)
        if cache:
            shelf.write("files", key, packed)
    return tree, found


def _remember(key: str, packed: list[Any], tree: Node) -> None:
    if len(_READ) < MAX_READ:
        _READ[key] = packed, tree


_READ: dict[str, tuple[list[Any], Node]] = {}
"""What has been read in this run, by its bytes, with the tree by the name that was asked for last: rulesets
that extend one another and their scenarios share files, and marks are about rows of tables.
"""
MAX_READ = 500


def key_of_files(reading: RulesetFiles, known: Forms, over: Node | None = None) -> str:
    """One name for all that decides what is made of the files of a ruleset."""
    parts: list[str | bytes] = [shelf.code_digest(), known.digest]
    for file in reading.files:
        parts += [file.name, hashlib.sha256(file.data).digest()]
    parts += [repr(d) for d in reading.found]
    if over is not None:
        parts += [over.file, dumps(pack(over))]
    return shelf.key_of(parts)


def _with_mechanic(step: dict[str, Any]) -> dict[str, Any]:
    """A step of the sequence with what it does: one that holds no steps, takes no orders and says nothing is
    a `moment`.
    """
    if "steps" in step:
        return {**step, "steps": [_with_mechanic(inner) for inner in step["steps"]]}
    return step if "do" in step or "input" in step else {**step, "do": "moment"}
