"""What an editor asks at a place: what could stand here, what is this, where is it said."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wteaw.core.choices import word_in
from wteaw.core.diagnostics import Diagnostic
from wteaw.ruleset.checks.expressions import scope_of
from wteaw.ruleset.checks.references import is_meant
from wteaw.ruleset.checks.subject import Marked
from wteaw.ruleset.checks.words import KnownWords, allowed_words
from wteaw.ruleset.clauses import CLAUSES, clause_text
from wteaw.ruleset.describe_diff import one_line
from wteaw.ruleset.expressions.check import kind_of
from wteaw.ruleset.expressions.functions import FUNCTIONS, Signature
from wteaw.ruleset.expressions.vocabulary import ALWAYS, BUILT_IN, KINDS
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import Node, beside, find, plain_value
from wteaw.ruleset.overlay import row_id

from .beside import schema_of
from .cursor import Spot, marks_at, spot_at, word_at
from .project import Project
from .schemas_at import Key, keys_at, page_at, says_of, words_at

__all__ = [
    "Completion",
    "Outlined",
    "RowDefinition",
    "SignatureHelp",
    "completions",
    "hover",
    "meant",
    "outline",
    "quick_fix",
    "reference",
    "signature_at",
    "source_line",
    "word_at",
]

PLACEHOLDER = "zz-here-zz"
"""Stands in for what is being typed, so that the text around it can be read."""
PLACEHOLDER_NAME = "zz_here_zz"
CALLABLE = ("definitions", "stats")
MOST_CHOICES = 500
SITE = "WTEAW_DOCS"
"""The variable that says where the documentation lies as a site (`make docs`): an address, or a folder as
`file:///...`.
"""
_BEING_TYPED = re.compile(r"[A-Za-z0-9_-]*$")
_DOTTED = re.compile(r"((?:[A-Za-z_]\w*)(?:\([^()]*\))?(?:\.[A-Za-z_]\w*)*)\.$")


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that could stand at the cursor. `kind`: id, word, key, function, term, name or field."""

    text: str
    kind: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class RowDefinition:
    """A row that a word means, and where it is written."""

    form: str
    id: str
    row: Node


def meant(project: Project, path: Path, line: int, column: int) -> list[RowDefinition]:
    """The rows that the word at a place means: the one that is defined there, or those that it refers to."""
    tree, draft = project.tree(path), project.draft
    if tree is None or draft is None:
        return []
    spot = spot_at(tree, line, column, schema_of(path))
    if spot is None:
        return []
    marks = marks_at(project, spot)
    in_expression = any("x-expr" in m.annotation.schema for m in marks)
    word, _ = word_at(source_line(project, path, line), column, name=in_expression)
    if not word:
        return []
    if spot.path == ("id",) and word == spot.id:
        return list(_rows(project, [spot.form], word))
    forms: list[str] = []
    for mark in marks:
        forms += mark.annotation.refs
        forms += [source for source in mark.annotation.schema.get("x-word", ()) if source in project.known]
    found = list(_rows(project, forms, word))
    if not found and (in_expression or marks):
        found = list(_rows(project, [*CALLABLE, "fields"], word)) or list(_rows(project, draft.forms, word))
    return found


def _rows(project: Project, forms: Iterable[str], id_: str) -> Iterator[RowDefinition]:
    draft = project.draft
    if draft is not None:
        for form in dict.fromkeys(forms):
            if (row := draft.rows(form).get(id_)) is not None:
                yield RowDefinition(form, id_, row)


def source_line(project: Project, path: Path, line: int) -> str:
    """A line of the text of a file, without its end."""
    texts = {**project.beside, **project.texts}
    text = next((data for name, data in texts.items() if project.path(name) == path), b"").decode(
        "utf-8", "replace"
    )
    lines = text.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""


# ---- hover


def hover(project: Project, path: Path, line: int, column: int, tested: dict[str, int] | None = None) -> str:
    """What stands at a place, in Markdown: the row that is meant, what a key is for, what a function does.

    '' if nothing is known. `tested`: how many rule tests cite each clause.
    """
    tree = project.tree(path)
    spot = spot_at(tree, line, column, schema_of(path)) if tree is not None else None
    if spot is None:
        return ""
    marks = marks_at(project, spot)
    if any("x-expr" in m.annotation.schema for m in marks):
        word, _ = word_at(source_line(project, path, line), column, name=True)
        if word in FUNCTIONS:
            return f"{_function(word, FUNCTIONS[word])}\n\n{reference(f'expressions.html#function.{word}')}"
    rows = meant(project, path, line, column)
    if rows and all(found.form == CLAUSES and not spot.is_key for found in rows):
        return "\n\n".join(
            f"**{found.row.text('title') or found.id}** — {clause_said(project, found.id)}" for found in rows
        )
    if rows and (not spot.is_key or any(m.is_key for m in (mark.annotation for mark in marks))):
        return "\n\n---\n\n".join(row_in_words(project, found, tested) for found in rows[:3])
    says = says_of(project.known, spot.form, spot.path)
    more = reference(page_at(project.known, spot.form, spot.path))
    if says:
        return f"**{spot.path[-1]}** — {says}\n\n{more}" if spot.path else f"{says}\n\n{more}"
    form = project.known.schema(spot.form).get("description", "") if project.known.has_file(spot.form) else ""
    return f"**{spot.form}** — {form}\n\n{more}" if form else ""


def reference(page: str) -> str:
    """A page of the reference, in Markdown: a link if `WTEAW_DOCS` says where the built site is, else its
    name.
    """
    site = os.environ.get(SITE, "").rstrip("/")
    return f"[Reference]({site}/made/{page})" if site else f"Reference: {page}"


def row_in_words(project: Project, found: RowDefinition, tested: dict[str, int] | None = None) -> str:
    """A row as it is after all overlays, where it is written, its clauses and how many rule tests cite
    them.
    """
    value = plain_value(found.row)
    lines = [f"{key}: {one_line(item)}" for key, item in value.items() if key != "source"]
    shown = "\n".join(line if len(line) <= 160 else line[:159] + "…" for line in lines[:24])
    out = [f"**{found.form}/{found.id}** — {found.row.file}:{found.row.line}", f"```yaml\n{shown}\n```"]
    clauses = [str(c) for c in value.get("source", ())] if isinstance(value.get("source"), list) else []
    for clause in clauses:
        tests = (
            ""
            if tested is None
            else f": {tested.get(clause, 0)} rule test{'' if tested.get(clause) == 1 else 's'}"
        )
        said = clause_said(project, clause)
        out.append(f"- {said} (`{clause}`{tests})" if said else f"- `{clause}`{tests}")
    return "\n\n".join(out[:2]) + ("\n\n" + "\n".join(out[2:]) if len(out) > 2 else "")


def clause_said(project: Project, id_: str) -> str:
    """What the register says of a clause, in a player's words; "" if it says nothing."""
    nodes = project.draft.rows(CLAUSES) if project.draft is not None else {}
    return clause_text({clause: plain_value(node) for clause, node in nodes.items()}, id_)


def _function(name: str, signature: Signature) -> str:
    return f"`{signature.called(name)}` → {signature.gives}\n\n{signature.says}"


# ---- completion


def completions(project: Project, path: Path, text: str, line: int, column: int) -> list[Completion]:
    """What could stand at a place of a text that is being typed, the nearest kinds first.

    The text need not be readable as it is: what is being typed is replaced by a word, and the rest decides.
    """
    lines = text.splitlines()
    row = lines[line - 1] if 0 < line <= len(lines) else ""
    before, after = row[: column - 1], row[column - 1 :]
    typed = _BEING_TYPED.search(before)
    stem = before[: typed.start()] if typed else before
    rest = re.sub(r"^[A-Za-z0-9_-]*", "", after)
    if dotted := _DOTTED.search(stem):
        return _fields(project, path, lines, line, stem, rest, dotted[1])
    found = _try(project, path, lines, line, stem, rest, PLACEHOLDER)
    return found[:MOST_CHOICES]


def _try(
    project: Project, path: Path, lines: list[str], line: int, stem: str, rest: str, word: str
) -> list[Completion]:
    bare_key = not stem.strip(" -{,") and ":" not in rest.split(",")[0].split("}")[0]
    for middle in [f"{word}: 0", word] if bare_key else [word]:
        spot = _spot(path, lines, line, stem, middle + rest)
        if spot is not None:
            return _choices(project, spot)
    return []


def _spot(path: Path, lines: list[str], line: int, stem: str, end: str) -> Spot | None:
    text = "\n".join([*lines[: line - 1], stem + end, *lines[line:]])
    tree, _ = load_text(text, path.name)
    spot = spot_at(tree, line, len(stem) + 1, schema_of(path)) if tree is not None else None
    return spot if spot is None or _holds(spot) else None


def _holds(spot: Spot) -> bool:
    """Whether the placeholder is at the spot indeed."""
    if spot.is_key:
        return PLACEHOLDER in str(spot.path[-1])
    value = str(find(spot.row, spot.path).value)
    return PLACEHOLDER in value or PLACEHOLDER_NAME in value


def _choices(project: Project, spot: Spot) -> list[Completion]:
    if spot.is_key:
        have = find(spot.row, spot.path[:-1])
        keys = [
            Completion(k.name, "key", k.says)
            for k in keys_at(project.known, spot.form, spot.path[:-1])
            if have.get(k.name) is None and _may_be_read(k, spot.row, spot.path[:-1])
        ]
        if len(spot.path) == 1 and spot.form in project.known and project.known.is_open(spot.form):
            keys += [
                Completion(name, "key", f"a declared field: {says}")
                for name, says in _declared(project, spot.form)
            ]
    else:
        keys = []
    subject = project.subject
    words: list[Completion] = []
    if subject is not None:
        known = KnownWords(subject)
        for mark in marks_at(project, spot):
            words += _of_mark(project, mark, known)
    fixed = (
        [] if spot.is_key else [Completion(w, "word") for w in words_at(project.known, spot.form, spot.path)]
    )
    return list({(c.text, c.kind): c for c in [*keys, *fixed, *words]}.values())


def _of_mark(project: Project, mark: Marked, known: KnownWords) -> Iterator[Completion]:
    schema = mark.annotation.schema
    draft = project.draft
    value = str(mark.annotation.value)
    assert draft is not None
    wanted = schema.get("x-rows", {})
    for form in mark.annotation.refs:
        yield from (
            Completion(id_, "id", _titled(form, row))
            for id_, row in draft.rows(form).items()
            if is_meant(row, wanted)
        )
    if "x-word" in schema:
        yield from (Completion(word, "word") for word in sorted(allowed_words(known, schema["x-word"], mark)))
    if "x-expr" in schema or value.lstrip().startswith("="):
        quoted = value[: value.find(PLACEHOLDER)].count("'") % 2 == 1
        if quoted:
            for form in dict.fromkeys(KINDS.values()):
                yield from (
                    Completion(id_, "id", _titled(form, row)) for id_, row in draft.rows(form).items()
                )
            return
        yield from (
            Completion(name, "name", kind)
            for name, kind in {**ALWAYS, **scope_of(mark, known.words)}.items()
            if "." not in name
        )
        yield from (
            Completion(id_, "term", _titled("definitions", row))
            for id_, row in draft.rows("definitions").items()
        )
        yield from (Completion(name, "function", s.says) for name, s in FUNCTIONS.items())


def _fields(
    project: Project, path: Path, lines: list[str], line: int, stem: str, rest: str, head: str
) -> list[Completion]:
    """The fields of what stands before a dot."""
    spot = _spot(path, lines, line, stem, PLACEHOLDER_NAME + rest)
    subject = project.subject
    if spot is None or subject is None:
        return []
    known = KnownWords(subject)
    for mark in marks_at(project, spot):
        kind = kind_of(head, scope_of(mark, known.words), known.words)
        if kind in BUILT_IN or kind in KINDS:
            own = [Completion(name, "field", gives) for name, gives in BUILT_IN.get(kind, {}).items()]
            form = KINDS.get(kind, "")
            return own + [Completion(n, "field", says) for n, says in _declared(project, form) if form]
    return []


def _declared(project: Project, form: str) -> Iterator[tuple[str, str]]:
    kind = next((k for k, f in KINDS.items() if f == form), "")
    for id_, row in (project.draft.rows("fields") if project.draft else {}).items():
        value = plain_value(row)
        if kind and kind in value.get("of", ()):
            yield id_, str(value.get("says") or value.get("type", ""))


def _may_be_read(key: Key, row: Node, path: tuple[str | int, ...]) -> bool:
    """Whether a key of the map at `path` may mean something, by what stands in the row already: of a row
    whose kind is said only the keys of this kind do.
    """
    fit: list[bool] = []
    for other, values in key.beside.items():
        for found in beside(row, path, other) or [None]:
            fit.append(found is None or not values or found.value is None or word_in(found.value) in values)
    return not fit or any(fit)


def _titled(form: str, row: Node) -> str:
    title = row.text("name") or row.text("title") or row.text("says") or ""
    return f"{form}: {title}" if title else form


def quick_fix(found: Diagnostic) -> str | None:
    """The text that a finding's hint suggests in place of what is wrong, if it suggests one."""
    match = re.fullmatch(r"did you mean '?([^'?]+)'?\?", found.hint)
    return match[1] if match else None


# ---- the outline, and help while a call is written


@dataclass(frozen=True, slots=True)
class Outlined:
    """A part of a file: a table with its rows, or a row, case or key."""

    name: str
    says: str
    line: int
    last_line: int
    inside: tuple[Outlined, ...] = ()


def outline(project: Project, path: Path) -> list[Outlined]:
    """The tables of a file with their rows, or the cases of rule tests and the keys of a scenario."""
    tree = project.tree(path)
    if tree is None or not tree.is_map:
        return []
    out = []
    for key, value in tree.items():
        rows = [
            _outlined(row.text("id") or row_id(row) or str(number), row)
            for number, row in enumerate(value.members(), 1)
        ]
        line = tree.keys[key][1]
        last = max([line, _last_line(value), *(row.last_line for row in rows)])
        out.append(
            Outlined(key, "", line, last, tuple(rows) if all(row.is_map for row in value.members()) else ())
        )
    return out


def _outlined(name: str, row: Node) -> Outlined:
    says = (row.text("name") or row.text("title") or "") if row.is_map else ""
    return Outlined(name, says, row.line, _last_line(row))


def _last_line(node: Node) -> int:
    return max(
        [
            node.line,
            *(_last_line(child) for _, child in node.items()),
            *(_last_line(m) for m in node.members()),
        ]
    )


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    """A call that is being written: how it is written, what it does, and which of its arguments is next (from
    0).
    """

    label: str
    says: str
    argument: int


_QUOTED = re.compile(r"'[^']*'?")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\($")


def signature_at(project: Project, text: str, line: int, column: int) -> SignatureHelp | None:
    """Help with the innermost function or definition whose brackets are open before a place; None if none
    is.
    """
    lines = text.splitlines()
    before = lines[line - 1][: column - 1] if 0 < line <= len(lines) else ""
    before = _QUOTED.sub(lambda found: "_" * len(found[0]), before)
    deep = commas = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] == ")":
            deep += 1
        elif before[at] == "(" and deep:
            deep -= 1
        elif before[at] == "," and not deep:
            commas += 1
        elif before[at] == "(":
            called = _CALL.search(before[: at + 1])
            return _signature(project, called[1], commas) if called is not None else None
    return None


def _signature(project: Project, name: str, argument: int) -> SignatureHelp | None:
    if name in FUNCTIONS:
        return SignatureHelp(FUNCTIONS[name].called(name), FUNCTIONS[name].says, argument)
    row = project.draft.rows("definitions").get(name) if project.draft is not None else None
    if row is None:
        return None
    of = row.get("of")
    arguments = ", ".join(str(member.value) for member in of.members()) if of is not None else ""
    return SignatureHelp(f"{name}({arguments})", row.text("text") or "", argument)
