"""What a row mentions: the words in it that could be the id of another."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .subject import Subject

SILENT_KEYS = frozenset(
    {"note", "text", "help", "read_back", "source", "silence", "description", "name", "title"}
)
SLOT_MAPS = frozenset({"among", "slots", "set"})
"""Keys whose own keys are slots or fields, which may be called like any key of a row."""
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_PIECE = re.compile(r"[A-Za-z0-9_]+")


def words_of_row(row: dict[str, Any]) -> set[str]:
    """All words in a row that could be an id, but its own."""
    found: set[str] = set()
    gather_words({k: v for k, v in row.items() if k != "id"}, found)
    return found


@lru_cache(maxsize=1 << 16)
def words_of_text(text: str) -> frozenset[str]:
    """All words in a text that could be an id, and the parts of such as have hyphens."""
    return frozenset([*_WORD.findall(text), *_PIECE.findall(text)])


def gather_words(value: Any, words: set[str], slots: bool = False) -> None:
    """All words in a value that could be an id: of texts, inside expressions, too, and keys.

    `slots`: its keys name slots.
    """
    if isinstance(value, str):
        words.update(words_of_text(value))
    elif isinstance(value, list):
        for item in value:
            gather_words(item, words)
    elif isinstance(value, dict):
        for key, item in value.items():
            words.add(key)
            if slots or key not in SILENT_KEYS:
                gather_words(item, words, key in SLOT_MAPS)


def words_of_expressions(subject: Subject) -> set[str]:
    words: set[str] = set()
    for mark in subject.marked:
        how, value = mark.annotation.schema, mark.annotation.value
        said = "x-expr" in how and (not how["x-expr"].get("marked") or str(value).lstrip().startswith("="))
        if said or "x-trigger" in how or "x-text" in how:
            gather_words(value, words)
    return words
