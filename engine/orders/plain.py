"""A line in plain words: without comments, courtesies and signs, with words for arrows."""

from __future__ import annotations

import re

_ARROW = re.compile(
    r"[-=~]+>|[\u2192\u21d2\u2794\u279c]|(?<=\w) +[\u2013\u2014-] +(?=\w)|(?<=\w)\s*>\s*(?=[^\W\d])"
)
_BACK = re.compile(r"<[-=~]+(?!>)|[\u2190\u21d0\u2b05]")
"""An arrow back: what stands behind it is where somebody comes from."""
_GLUED = re.compile(r"(?<![^\W_])(\d{1,4})(?=[^\W\d_]{2})(?!(?:st|nd|rd|th)\b)", re.IGNORECASE)
"""A number that is written together with what it counts."""
_COURTESY = (
    r"(?:please|pls|plz|kindly|thanks(?: (?:a lot|in advance|again))?|thank you(?: very much)?|thx|cheers)"
)
_POLITE = re.compile(rf"^\W*(?:{_COURTESY}\b[,:.! ]*)+|(?:[\s,;.(]+{_COURTESY}\b[\s.!)]*)+$", re.IGNORECASE)
"""What is polite before an order or behind it, and says nothing."""
_THANKS = re.compile(rf"\s*[,;.!(]\s*{_COURTESY}[\s.!)]*$", re.IGNORECASE)
"""The same behind a mark: no word of it is a name."""
_WITH = re.compile(r"\bw/\s*", re.IGNORECASE)
_ASKED = re.compile(r"(?<=\w)\?+(?=\s|$)")
"""A question mark that ends a polite request; one that stands alone is a blank to be filled in."""
_SIGNS = str.maketrans("()[]{}*_", "        ")


def plainly(line: str) -> str:
    """A line without its signs: an arrow is `to` or `from`, `w/` is `with`, brackets, what ends a request and
    courtesies mean nothing, and a number stands apart from what it counts."""
    text = _ARROW.sub(" to ", _BACK.sub(" from ", strip_comment(line)))
    text = _ASKED.sub(" ", _WITH.sub(" with ", text)).translate(_SIGNS)
    return _POLITE.sub(" ", _GLUED.sub(r"\1 ", text))


def strip_comment(line: str) -> str:
    """A line without its comment: `#` at the start, or after a space and before another."""
    if line.lstrip().startswith("#"):
        return ""
    for at, letter in enumerate(line):
        if letter == "#" and line[at - 1].isspace() and not line[at + 1 : at + 2].isdigit():
            return line[:at]
    return line


def without_thanks(line: str) -> str:
    """A line without the thanks that stand behind a mark at its end."""
    return _THANKS.sub("", line)
