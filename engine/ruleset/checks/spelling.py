"""Is a word in an expression one that stands anywhere else? A word that stands there alone, and is nearly one
that others say, is most likely that one, misspelt.

It asks nothing of what the word is for (a tag, a kind, a status, what a definition is given), so it finds
what no list of words could. What is far from every other word it leaves to checks that know what may stand.
"""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from ...core.diagnostics import Diagnostic
from ...core.nested import inside
from ..expressions import KINDS, ExpressionError, parse
from ..forms import Forms
from ..nodes import Node, diagnose, plain_value, texts_in
from .expressions import text_of, words_of
from .mentions import words_of_text
from .subject import Marked, Subject

CODE = "W624"
SHORTEST = 4
"""Letters of the shortest words that are compared: of shorter ones too many are nearly another."""
_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def words_of_expressions_are_said_elsewhere(subject: Subject) -> Iterator[Diagnostic]:
    """A word that stands but once in all rows, and of which one letter is wrong, missing, too many, or in the
    other's place beside one that others say.
    """
    said = subject.once("words of all rows", _said)
    known = subject.once("words of the schemas", lambda s: _of_schemas(s.known))
    words = words_of(subject)
    for mark in subject.marked:
        value = mark.annotation.value
        if not isinstance(value, str) or mark.annotation.is_key:
            continue
        found = text_of(mark, words)
        if found is None and not _plain(mark):
            continue
        text, offset = found if found is not None else (f"{value!r}", 0)
        node, key = mark.place
        if node.is_below:
            continue  # told where the layer below is looked at
        for word, column in _words_in(text):
            if said[word] > 1 or word in known:
                continue
            # where an expression asks for a word and a row says another, each once, the first is wrong
            fewest = 1 if found is not None else 2
            near = sorted(other for other in slips(word) if said[other] >= fewest or other in known)
            if near:
                message = f"{word!r} stands nowhere else"
                hint = f"did you mean {near[0]!r}?"
                yield diagnose(CODE, message, node, key=key, hint=hint, offset=offset + column)


def words_of_things_are_said_elsewhere(subject: Subject) -> Iterator[Diagnostic]:
    """A kind of the map, a tag of units or a word in a field of texts that one row alone has and that no
    expression asks for, one slip beside one that others have or expressions ask for.
    """
    asked = subject.once("quoted words", _quoted)
    said = subject.once("words of all rows", _said)
    for form, key in (("places", "kind"), ("links", "kind"), ("units", "tags"), *_text_fields(subject)):
        differ = key not in ("kind", "tags")  # texts of two rows may well differ by a letter
        stands: dict[str, list[Node]] = {}
        for row in subject.nodes(form).values():
            value = row.get(key)
            for word, at in texts_in(plain_value(value), value) if value is not None else ():
                stands.setdefault(word, []).append(at)
        for word, places in stands.items():
            if len(places) > 1 or word in asked or not _WORD.fullmatch(word) or places[0].is_below:
                continue
            near = sorted(
                other
                for other in slips(word) & stands.keys()
                if max(len(word), len(other)) >= SHORTEST
                and (len(stands[other]) > 1 or other in asked or not (differ or said[word] > 1))
            )
            if near:
                message = f"{word!r} stands in no other row of {form}"
                yield diagnose(CODE, message, places[0], hint=f"did you mean {near[0]!r}?")


def _text_fields(subject: Subject) -> Iterator[tuple[str, str]]:
    """Tables and their declared fields that hold texts."""
    for id_, row in subject.rows("fields").items():
        for kind in row.get("of", ()) if row["type"] == "text" else ():
            if KINDS.get(kind):
                yield KINDS[kind], id_


def _quoted(subject: Subject) -> frozenset[str]:
    """The words that expressions quote."""
    words = words_of(subject)
    out: set[str] = set()
    for mark in subject.marked:
        if isinstance(mark.annotation.value, str) and (found := text_of(mark, words)) is not None:
            out.update(word for word, _ in _words_in(found[0]))
    return frozenset(out)


def _plain(mark: Marked) -> bool:
    """Whether a plain text at a place is a word as an expression would give it."""
    how = mark.annotation.schema.get("x-expr", {})
    return bool(how.get("marked")) and _WORD.fullmatch(str(mark.annotation.value)) is not None


@lru_cache(maxsize=1 << 16)
def _words_in(text: str) -> tuple[tuple[str, int], ...]:
    """The quoted words of an expression, each with its column."""
    if "'" not in text and '"' not in text:
        return ()
    try:
        tree = parse(text).tree
    except ExpressionError:  # another check's question
        return ()
    return tuple(
        (node.value, node.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value) >= SHORTEST
        and _WORD.fullmatch(node.value)
    )


def _said(subject: Subject) -> Counter[str]:
    """How often each word stands in rows, the sequence and the settings."""
    texts: Counter[str] = Counter()  # counted first, for most stand in many rows
    for form, id_, node in subject.draft.all_rows():
        texts.update(subject.of_value("texts", node, partial(_texts, subject.values[form][id_])))
    for node in (*subject.draft.sequence, subject.draft.manifest):
        texts.update(subject.of_value("texts", node, partial(_texts_of, node)))
    out: Counter[str] = Counter()
    for text, times in texts.items():
        for word in words_of_text(text):
            out[word] += times
    return out


def _texts_of(node: Node) -> list[str]:
    return _texts(plain_value(node))


def _texts(value: Any) -> list[str]:
    """The texts in a value and the keys of its maps."""
    out: list[str] = []
    for _, part in inside(value):
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, dict):
            out += map(str, part)
    return out


def _of_schemas(known: Forms) -> set[str]:
    """Every word that a schema lists: what rows may say, and what mechanics may answer."""
    out: set[str] = set()
    for key, said in inside(dict(known.files)):
        if key in ("enum", "const") and not isinstance(said, dict | list):
            out.add(str(said))
    return out


def slips(word: str) -> set[str]:
    """All texts that are one slip of the fingers away; other digits are no slip."""
    out: set[str] = set()
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        out.update(head + letter + tail for letter in string.ascii_lowercase)
        if tail[:1].isalpha():
            out.add(head + tail[1:])
            out.update(head + letter + tail[1:] for letter in string.ascii_lowercase)
        if tail[:2].isalpha() and len(tail) > 1:
            out.add(head + tail[1] + tail[0] + tail[2:])
    return out - {word}
