"""One layout for every YAML table: a file's text to the same data and comments, written the one way.

A row that fits into `WIDTH` columns as a flow map stays one; where it runs over it becomes a block map whose
lists and maps stay in flow where they fit. Long texts are broken at words. In a row, what it is comes first
and where it comes from last. Blocks stay blocks. Scalars that fit are taken over as they are written, so that
no quote is lost or gained. `laid_out` reads what it has written and compares it with what it was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .load import load_text
from .nodes import plain_value
from .written import INDENT, CannotBeLaidOut, WrittenEntry, WrittenReader, WrittenValue

__all__ = ["WIDTH", "CannotBeLaidOut", "comment_words", "laid_out"]

WIDTH: Final = 100
"""Columns of a line; only a word or a key that cannot be broken goes beyond."""
FIRST: Final = {"<<": 0, "id": 1, "name": 2, "title": 3, "chapter": 3}
LAST: Final = {"note": 5, "silence": 6, "source": 7}
MIDDLE: Final = 4


def laid_out(text: str, file: str) -> str:
    """The text of a YAML file in the one layout.

    UnreadableText if it is no YAML; CannotBeLaidOut if it holds what no table needs, or would read
    differently afterwards.
    """
    new = "\n".join(_LayoutWriter().document(WrittenReader(text).document())) + "\n"
    if new == text:
        return text
    before, found = load_text(text, file)
    if before is None:
        raise CannotBeLaidOut(f"{found[-1].message} (line {found[-1].line})")
    after = load_text(new, file)[0]
    if after is None or plain_value(before) != plain_value(after):
        raise CannotBeLaidOut("it would read differently")
    if sorted(comment_words(text)) != sorted(comment_words(new)):
        raise CannotBeLaidOut("a comment would be lost")
    return new


def comment_words(text: str) -> list[str]:
    """The words of all comments of a YAML file, in their order; rules (`# -----`) are no words."""
    reader = WrittenReader(text)
    words = " ".join(remark.text.lstrip("#") for remark in reader.remarks).split()
    return [word for word in words if word.strip("-=#~")]


class _LayoutWriter:
    """Entries to lines."""

    def document(self, root: WrittenEntry) -> list[str]:
        value = root.value
        if value.kind != "map" or (value.flow and not value.entries) or value.anchor:
            raise CannotBeLaidOut("it is no map")
        lines = self.block(value, 0, rows=True)
        lines += self.remarks(root.after, 0)
        while lines and not lines[0]:
            del lines[0]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def block(self, value: WrittenValue, indent: int, *, rows: bool = False, row: bool = False) -> list[str]:
        """The entries of a map or list, each on lines of its own; `rows`: its lists hold rows; `row`: it is
        one.
        """
        lines: list[str] = []
        entries = _in_order(value.entries) if row or _is_row(value) else value.entries
        for number, entry in enumerate(entries):
            above = entry.above
            if number == 0 and indent:
                above = [text for text in above if text]
            written = self.entry(entry, indent, rows=rows, member=value.kind == "list", above=above)
            lines += written
        return lines

    def remarks(self, texts: Sequence[str], indent: int) -> list[str]:
        """Comments on lines of their own; of several blank lines one."""
        lines: list[str] = []
        for text in _wrapped(texts, WIDTH - indent):
            if text or not lines or lines[-1]:
                lines.append(" " * indent + text if text else "")
        return lines

    def entry(
        self, entry: WrittenEntry, indent: int, *, rows: bool, member: bool, above: list[str]
    ) -> list[str]:
        head = "-" if entry.key is None else _key(entry.key)
        value = entry.value
        body, headed = self.body(head, value, indent, rows=rows, row=member and rows)
        first: list[str] = []
        if member and value.kind != "scalar" and body[0].lstrip().startswith("#"):
            first, body = _leading(body)  # comments of a member's first key stand above the member
            body[0] = " " * indent + "- " + body[0][indent + INDENT :]
        if entry.beside:
            line = "  ".join([body[0], *entry.beside])
            if len(line) <= WIDTH and (headed or len(body) == 1):
                body[0] = line
            else:
                above = [*above, *entry.beside]
        lines = self.remarks([*above, *(text.strip() for text in first)], indent)
        return [*lines, *body, *self.remarks(entry.after, indent)]

    def body(
        self, head: str, value: WrittenValue, indent: int, *, rows: bool, row: bool
    ) -> tuple[list[str], bool]:
        """The lines of an entry without its comments, and whether the first of them is a head with nothing of
        the value.
        """
        start = " " * indent + head
        anchor = f" &{value.anchor}" if value.anchor else ""
        if not value.expanded:
            line = f"{start} {_flow(value, row=row)}"
            if len(line) <= WIDTH or value.kind == "alias" or (value.kind != "scalar" and not value.entries):
                return [line], False
        if value.kind == "scalar":
            return _broken(start + anchor, value, indent), False
        nested = self.block(
            value, indent + INDENT, rows=rows and value.kind == "list" and head != "-", row=row
        )
        if head == "-" and not anchor:
            if not nested[0].lstrip().startswith("#"):
                nested[0] = " " * indent + "- " + nested[0][indent + INDENT :]
            return nested, False
        return [start + anchor, *nested], True


def _leading(lines: list[str]) -> tuple[list[str], list[str]]:
    """The comments that begin some lines, and the others."""
    number = next(n for n, line in enumerate(lines) if not line.lstrip().startswith("#"))
    return lines[:number], lines[number:]


def _is_row(value: WrittenValue) -> bool:
    return value.kind == "map" and any(e.key and e.key.value == "id" for e in value.entries)


def _in_order(entries: list[WrittenEntry]) -> list[WrittenEntry]:
    """A row's entries: what it is first, where it comes from last.

    As they stand where an alias would come before its anchor.
    """
    ordered = sorted(entries, key=_rank)
    if [n for e in entries for n in e.names()] != [n for e in ordered for n in e.names()]:
        return entries
    return ordered


def _rank(entry: WrittenEntry) -> int:
    key = entry.key.value if entry.key else ""
    return FIRST.get(key, LAST.get(key, MIDDLE))


# ---- values on one line


def _key(key: WrittenValue) -> str:
    return _flow(key) + ":"


def _flow(value: WrittenValue, *, row: bool = False) -> str:
    """A value on one line."""
    if value.kind == "alias":
        return f"*{value.text}"
    anchor = f"&{value.anchor} " if value.anchor else ""
    if value.kind == "scalar":
        return anchor + _single(value)
    if value.kind == "list":
        return anchor + "[" + ", ".join(_flow(e.value) for e in value.entries) + "]"
    entries = _in_order(value.entries) if row or _is_row(value) else value.entries
    return anchor + "{" + ", ".join(f"{_key(e.key)} {_flow(e.value)}" for e in entries if e.key) + "}"


def _single(value: WrittenValue) -> str:
    """A scalar on one line: as it is written, if it is written on one."""
    if value.style in ("|", ">"):
        return _quoted(value.value)
    if not value.text and not value.style:
        return "null"
    if "\n" not in value.text:
        return value.text
    if value.style == "'" and "\n" not in value.value:
        return "'" + value.value.replace("'", "''") + "'"
    if value.style or "\n" in value.value:
        return _quoted(value.value)
    return value.value


_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + "".join(_ESCAPES.get(c, c if c.isprintable() else _escaped(c)) for c in text) + '"'


def _escaped(character: str) -> str:
    return f"\\U{ord(character):08x}"


# ---- values on several lines

_GAP = re.compile(r"(?<=[^\s\\]) (?=\S)")
"""A space at which a line may be broken and that comes back when the lines are read as one."""


def _broken(start: str, value: WrittenValue, indent: int) -> list[str]:
    """A scalar that is too long for its line, or of several lines."""
    inner = " " * (indent + INDENT)
    text = value.value
    if value.style == "|" or (value.style == ">" and not _folds(text)):
        return _literal(start, text, inner)
    if value.style == ">" or (_folds(text) and "\n" not in text):
        ending = _ending(text)
        lines = [f"{start} >{ending}"]
        kept = text.rstrip("\n")
        for number, paragraph in enumerate(kept.split("\n")):
            if number:
                lines.append("")
            lines += [inner + line for line in _filled(paragraph, WIDTH - len(inner))] if paragraph else []
        lines += [""] * (len(text) - len(kept) - 1)
        if " " not in text and value.style != ">":  # one word: nothing is won
            return [f"{start} {_single(value)}"]
        return lines
    single = _single(value)
    if not single.startswith(('"', "'")):
        single = _quoted(text)
    lines = _filled(single, WIDTH - len(inner), used=len(start) + 1 - len(inner))
    return [f"{start} {lines[0]}", *(inner + line for line in lines[1:])]


def _folds(text: str) -> bool:
    """Whether a text can be written folded: nothing begins or ends with a space, and nothing needs an
    escape.
    """
    lines = text.rstrip("\n").split("\n")
    return bool(text.strip()) and all(
        not line[:1].isspace() and line == line.strip() and line.isprintable() for line in lines
    )


def _ending(text: str) -> str:
    """What says how many line breaks end a block text."""
    if not text.endswith("\n"):
        return "-"
    return "+" if text.endswith("\n\n") or text == "\n" else ""


def _literal(start: str, text: str, inner: str) -> list[str]:
    """A text line by line."""
    lines = text[:-1].split("\n") if text.endswith("\n") else text.split("\n")
    first = next((line for line in lines if line.strip(" ")), "")
    if not first or any(not line.replace("\t", "").isprintable() for line in lines):
        return [f"{start} {_quoted(text)}"]
    leads = first.startswith(" ") or lines[0] == " " * len(lines[0]) != ""
    return [
        f"{start} |{INDENT if leads else ''}{_ending(text)}",
        *(inner + line if line else "" for line in lines),
    ]


def _filled(text: str, width: int, *, used: int = 0) -> list[str]:
    """A text in lines of at most so many columns, broken at single spaces; a longer word has a line of its
    own.

    `used` are the columns of the first line that are taken.
    """
    first, *words = _GAP.split(text)
    lines = [first]
    for word in words:
        room = width - (used if len(lines) == 1 else 0)
        if len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] += " " + word
    return lines


# ---- comments

_RULER = re.compile(r"#[ ]?(-{20,}|={20,}|~{20,})")
_ITEM = re.compile(r"#(?:$|\s{2,}|\s*(?:[-*=~]|\d+\.|yaml-language-server))")
_COLUMNS = re.compile(r"^#\s{2,}\S|\S\s{3,}\S")
_CELL = re.compile(r"\S+(?: \S+)*\s*")


def _in_columns(text: str, width: int) -> Iterator[str]:
    """A comment line in columns of a word and what it says: one pair a line, which goes on under its own
    second column.
    """
    lead = _lead(text)
    cells = _CELL.findall(text[1:].strip())
    odd = len(cells) % 2
    pairs = [cells[:1]] if odd else []
    pairs += [cells[n : n + 2] for n in range(odd, len(cells), 2)]
    for pair in pairs:
        head = lead + "".join(pair[:-1])
        below = "#" + " " * (len(head) - 1)
        for number, line in enumerate(_filled(pair[-1].rstrip(), max(width - len(head), 30))):
            yield (below if number else head) + line


def _lead(text: str) -> str:
    """The sign of a comment and the blanks before its first word."""
    return text[: len(text) - len(text.lstrip("#").lstrip())]


def _wrapped(texts: Sequence[str], width: int) -> Iterator[str]:
    """Comment lines of at most so many columns; what runs over goes on in the next line, if that goes on with
    the sentence.
    """
    rest = ""
    for number, text in enumerate(texts):
        if _RULER.fullmatch(text):
            yield text[:width]
            continue
        if rest:
            text = rest + " " + text.lstrip("#").strip()
            rest = ""
        if len(text) <= width or " " not in text or text.startswith("# yaml-language-server"):
            yield text
            continue
        following = texts[number + 1] if number + 1 < len(texts) else ""
        if _COLUMNS.search(text):
            lines = list(_in_columns(text, width))
            if len(lines) > 1 and _lead(text) != _lead(lines[-1]) == _lead(following):
                rest = lines.pop()
            yield from lines
            continue
        lead = "# " if text.startswith("# ") else "#"
        lines = _filled(text[len(lead) :].strip(), width - len(lead))
        lines = [lead + line for line in lines]
        if len(lines) > 1 and following.startswith("#") and not _ITEM.match(following):
            rest = lines.pop()
        yield from lines
    if rest:
        yield rest
