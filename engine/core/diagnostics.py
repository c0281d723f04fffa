"""What is wrong, where, and what would put it right: one value for every error and warning of the program.

A check yields `Diagnostic`s; nothing raises for a user's mistake. The command line alone decides how they
look (`render`: text, json, sarif, github) and what the exit code is. The codes are listed in
`docs/diagnostics.md` and are
stable: a ruleset may silence a warning by its code.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any, Literal

from .codes import CODES, ORDER_CODES, page

Severity = Literal["error", "warning", "info"]
RANK: dict[str, int] = {"error": 0, "warning": 1, "info": 2}
FORMATS = ("text", "json", "sarif", "github")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `line` and `column` count from 1; 0 means the whole file.

    `instead` are whole lines that would do.
    """

    code: str
    severity: Severity
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    hint: str = ""
    source_line: str = ""
    instead: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """`file:line:column`, as far as it is known."""
        parts = [self.file] + [str(n) for n in (self.line, self.column) if n]
        return ":".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Diagnostic:
        return cls(**{**data, "instead": tuple(data.get("instead", ()))})


def has_errors(found: Iterable[Diagnostic], *, strict: bool = False) -> bool:
    """Whether the input must be refused; `strict` counts warnings as errors."""
    bad = ("error", "warning") if strict else ("error",)
    return any(d.severity in bad for d in found)


def tidy(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Every finding once, in the order of files and lines."""
    return sorted(
        dict.fromkeys(found), key=lambda d: (d.file, d.line, d.column, RANK[d.severity], d.code, d.message)
    )


# --- near misses


def nearest(word: str, known: Iterable[str], *, count: int = 1) -> list[str]:
    """The known words that somebody who wrote `word` most likely meant; none if nothing is close.

    >>> nearest("colro", ["color", "weight", "size"])
    ['color']
    >>> nearest("temperature", ["color", "weight"])
    []
    """
    choices = sorted({k for k in known if isinstance(k, str)})
    if not word or not choices:
        return []
    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(_fold(choice), choice)
    if _fold(word) in folded:
        return [folded[_fold(word)]]
    cutoff = 0.8 if len(word) < 3 else 0.66
    meant = _fold(word)[:80]
    close = difflib.get_close_matches(meant, list(folded), n=len(folded), cutoff=cutoff)
    close.sort(key=lambda choice: _unlikeness(meant, choice))
    found = close[:count]
    if not found and _fold(word).endswith("ies") and f"{_fold(word)[:-3]}y" in folded:
        found = [f"{_fold(word)[:-3]}y"]
    if not found and len(word) >= 4:  # a part of a compound id: color for map-color
        part = _fold(word)
        found = sorted((k for k in folded if part in k.split("-")), key=len)[:count]
    return [folded[k] for k in found]


def _unlikeness(meant: str, choice: str) -> tuple[float, int, str]:
    """The order of words by how like they are; of two that are as like, the one that begins alike longer is
    first.
    """
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(meant, choice, strict=False)))
    return -difflib.SequenceMatcher(None, choice, meant).ratio(), -same, choice


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that proposes the nearest known word, or an empty text."""
    found = nearest(word, known)
    return f"did you mean {found[0]!r}?" if found else ""


def _fold(word: str) -> str:
    return word.strip().casefold().replace("_", "-").replace(" ", "-")


# --- how findings look


def render(found: Sequence[Diagnostic], form: str = "text") -> str:
    """All findings in one of `FORMATS`."""
    match form:
        case "text":
            return "\n".join([*_folded(found), summary(found)])
        case "json":
            counts = {s: sum(d.severity == s for d in found) for s in RANK}
            return json.dumps(
                {"diagnostics": [d.to_json() for d in found], "counts": counts}, ensure_ascii=False, indent=1
            )
        case "sarif":
            return json.dumps(_sarif(found), ensure_ascii=False, indent=1)
        case "github":
            return "\n".join(_github(d) for d in found)
    raise ValueError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")


MOST_ALIKE = 2
"""Findings that say the same which are shown one by one; of more only the first, with the places of the
others.
"""
MOST_PLACES = 5


def _folded(found: Sequence[Diagnostic]) -> Iterator[str]:
    """The findings as text; many that say the same at many places, as one name that is missing everywhere,
    are told once.
    """
    alike: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for d in found:
        alike.setdefault((d.code, d.message, d.hint), []).append(d)
    for d in found:
        same = alike[d.code, d.message, d.hint]
        if len(same) <= MOST_ALIKE or not d.line:
            yield render_one(d)
        elif same[0] is d:
            more = len(same) - 1 - MOST_PLACES
            places = ", ".join(other.where for other in same[1 : 1 + MOST_PLACES])
            yield (
                f"{render_one(d)}\n    the same at "
                f"{places}{f', and at {more} more places' if more > 0 else ''}"
            )


def render_one(d: Diagnostic) -> str:
    """One finding as text: place, message and code, the offending line with a caret, the hint."""
    lines = [
        f"{d.where}: {d.severity}: {d.message} [{d.code}]"
        if d.where
        else f"{d.severity}: {d.message} [{d.code}]"
    ]
    if d.source_line.strip():
        text, column = _window(d.source_line, d.column)
        lines.append(f"    {text}")
        if d.column:
            lines.append("    " + "".join("\t" if c == "\t" else " " for c in text[: column - 1]) + "^")
    if d.hint:
        lines.append(f"    hint: {d.hint}")
    lines.extend(f"    instead: {text}" for text in d.instead)
    return "\n".join(lines)


def summary(found: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or `no errors, no warnings`."""

    def count(severity: str) -> str:
        n = sum(d.severity == severity for d in found)
        return f"{n or 'no'} {severity}{'' if n == 1 else 's'}"

    return f"{count('error')}, {count('warning')}"


def _window(line: str, column: int, width: int = 110) -> tuple[str, int]:
    """The part of a long line around the column, and the column inside that part."""
    text = "".join(
        c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line.rstrip("\r\n")
    )
    if len(text) <= width:
        return text, column
    start = max(0, min(column - width // 2, len(text) - width))
    shown = text[start : start + width]
    if start:
        shown = "…" + shown[1:]
    if start + width < len(text):
        shown = shown[:-1] + "…"
    return shown, column - start


def _sarif(found: Sequence[Diagnostic]) -> dict[str, Any]:
    """SARIF 2.1.0, as code-scanning services read it."""
    levels = {"error": "error", "warning": "warning", "info": "note"}
    codes = sorted({d.code for d in found})
    results = []
    for d in found:
        result: dict[str, Any] = {
            "ruleId": d.code,
            "ruleIndex": codes.index(d.code),
            "level": levels[d.severity],
            "message": {"text": f"{d.message} ({d.hint})" if d.hint else d.message},
        }
        if d.file:
            place: dict[str, Any] = {"artifactLocation": {"uri": d.file.replace("\\", "/")}}
            if d.line:
                place["region"] = {"startLine": d.line, "startColumn": max(d.column, 1)}
            result["locations"] = [{"physicalLocation": place}]
        results.append(result)
    rules = [
        {"id": code, "shortDescription": {"text": CODES[code]}, "help": {"text": f"docs/{page(code)}"}}
        if code in CODES
        else {"id": code, "shortDescription": {"text": ORDER_CODES.get(code, code)}}
        for code in codes
    ]
    driver = {"name": "wteaw", "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _github(d: Diagnostic) -> str:
    """One workflow command, which the service shows beside the line."""

    def escape(text: str, more: str = "") -> str:
        for c in "%\r\n" + more:
            text = text.replace(c, f"%{ord(c):02X}")
        return text

    word = {"error": "error", "warning": "warning", "info": "notice"}[d.severity]
    place = {"file": d.file, "line": d.line, "col": d.column, "title": d.code}
    props = ",".join(f"{k}={escape(str(v), ':,')}" for k, v in place.items() if v)
    return f"::{word} {props}::{escape(d.message + (f' ({d.hint})' if d.hint else ''))}"
