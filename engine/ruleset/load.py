"""Bytes of a file to a tree of nodes with the line and column of every key and value.

Ruleset text is untrusted. `load_bytes` never raises for what is in a file, and needs time and memory in
proportion to its
length: size, depth, number length and the growth through aliases are limited. What is refused before parsing
stands here, the parsing itself in `tree.py`.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from ..core.diagnostics import Diagnostic
from .nodes import Node, kind_of
from .refused import MAX_ALIAS_NODES as MAX_ALIAS_NODES
from .refused import MAX_BYTES, UnreadableText
from .refused import MAX_DEPTH as MAX_DEPTH

__all__ = ["MAX_ALIAS_NODES", "MAX_BYTES", "MAX_DEPTH", "decode", "load_bytes", "load_text", "read_file"]

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT_TAB = re.compile(r"^ *\t", re.MULTILINE)
_BREAK = re.compile("\r\n|\n|\r")


def read_file(path: Path, name: str) -> tuple[bytes, list[Diagnostic]]:
    """The bytes of a regular file of at most `MAX_BYTES`; otherwise why not."""
    try:
        # O_NONBLOCK: a pipe in place of a file must not hang the reader.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode):
                return b"", [Diagnostic("E101", "error", "not a regular file", name)]
            data = file.read(MAX_BYTES + 1) if info.st_size <= MAX_BYTES else b"x" * (MAX_BYTES + 1)
    except OSError as fault:
        return b"", [Diagnostic("E101", "error", f"cannot be read: {fault.strerror or fault}", name)]
    if len(data) > MAX_BYTES:
        hint = "split it: a ruleset may have any number of files"
        return b"", [Diagnostic("E102", "error", f"larger than {MAX_BYTES:,} bytes", name, hint=hint)]
    return data, []


def load_bytes(data: bytes, file: str) -> tuple[Node | None, list[Diagnostic]]:
    """The map that a YAML file holds, and all that is wrong with it.

    None if it cannot be read as a map at all.
    """
    try:
        return load_text(decode(data), file)
    except UnreadableText as refused:
        return None, [refused.at(file)]


def load_text(text: str, file: str) -> tuple[Node | None, list[Diagnostic]]:
    """Like `load_bytes`, of decoded text."""
    # brings the YAML parser, which is not needed for what the cache has
    from .tree import TreeBuilder, events

    builder = TreeBuilder(file)
    try:
        _check_characters(text)
        root = builder.read(events(text))
    except UnreadableText as refused:
        return None, [*builder.found, refused.at(file)]
    if not root.is_map:
        message = f"a file must be a map (`key: value`), not {kind_of(root)}"
        return None, [*builder.found, Diagnostic("E108", "error", message, file, root.line, root.column)]
    return root, builder.found


def decode(data: bytes) -> str:
    """UTF-8 with or without a byte order mark; Refused for anything else, for files too large and for empty
    ones.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableText("E102", f"larger than {MAX_BYTES:,} bytes")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableText(
            "E103", "not UTF-8 (byte offset 0): it begins like UTF-16", 1, 1, "save the file as UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        offset = fault.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        before = data[:offset].decode("utf-8-sig", "replace")
        lines = _BREAK.split(before)
        message = f"not UTF-8: byte 0x{data[offset]:02x} at byte offset {offset}"
        raise UnreadableText(
            "E103", message, len(lines), len(lines[-1]) + 1, "save the file as UTF-8"
        ) from None


def _check_characters(text: str) -> None:
    """What is refused before parsing: control characters, and tabs where indentation stands."""
    if found := _UNPRINTABLE.search(text):
        name = "a NUL byte" if found[0] == "\0" else f"the control character U+{ord(found[0]):04X}"
        raise UnreadableText("E104", f"{name} in the text", *_position(text, found.start()))
    if found := _INDENT_TAB.search(text):
        line, column = _position(text, found.end() - 1)
        raise UnreadableText("E105", "a tab in the indentation", line, column, "indent with spaces")


def _position(text: str, index: int) -> tuple[int, int]:
    lines = _BREAK.split(text[:index])
    return len(lines), len(lines[-1]) + 1
