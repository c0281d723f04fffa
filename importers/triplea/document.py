"""XML under guard: elements with the lines on which they begin.

Nothing outside the file is read, and no entity is expanded.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import InputSource

__all__ = ["MOST_BYTES", "Element", "GameFileError", "read"]

MOST_BYTES = 32_000_000
"""Larger files are refused unread; the largest published games have some 4 MB."""
MOST_ELEMENTS = 1_000_000
DEEPEST = 50
MOST_TEXT = 1_000
"""Text is wanted of short values only: notes and the like are passed over."""


class GameFileError(ValueError):
    """A game file that cannot be read or understood: everything that is wrong, one finding a line, at
    file:line.
    """


@dataclass(slots=True)
class Element:
    """An element: its name, its attributes, what it holds, its text and the line on which it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def get(self, name: str) -> str:
        """An attribute without the blanks around it; empty if it is not there."""
        return self.attributes.get(name, "").strip()

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def first(self, *tags: str) -> Element | None:
        return next((child for child in self.children if child.tag in tags), None)

    def below(self, *tags: str) -> Iterator[Element]:
        """Children of the first child of the first name, and so on down; nothing where one is missing."""
        here: Element | None = self
        for tag in tags[:-1]:
            here = here.first(tag) if here is not None else None
        return here.all(tags[-1]) if here is not None else iter(())


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.where: Any = None

    def setDocumentLocator(self, locator: Any) -> None:
        self.where = locator

    def startElement(self, name: str, attrs: Any) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise SAXException(f"more than {MOST_ELEMENTS:,} elements")
        if len(self.open) >= DEEPEST:
            raise SAXException(f"elements nested more than {DEEPEST} deep")
        element = Element(name, dict(attrs.items()), self.where.getLineNumber())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def endElement(self, name: str) -> None:
        self.open.pop()

    def characters(self, content: str) -> None:
        if self.open and self.open[-1].tag == "value" and len(self.open[-1].text) < MOST_TEXT:
            self.open[-1].text += content

    def skippedEntity(self, name: str) -> None:
        raise SAXException(f"the entity &{name}; is declared nowhere")


class _Nothing:
    """Game files name their grammar (`game.dtd`); whatever is outside of the file is taken to be empty."""

    def resolveEntity(self, publicId: str | None, systemId: str) -> InputSource:
        empty = InputSource(systemId)
        empty.setByteStream(io.BytesIO())
        return empty


def read(path: Path) -> Element:
    """The root element of a file.

    Raises GameFileError for whatever is no XML, or could do harm (entities, size, depth).
    """
    from defusedxml.common import DefusedXmlException, EntitiesForbidden  # only imports of such files need it
    from defusedxml.expatreader import DefusedExpatParser

    try:
        if not path.is_file():
            raise GameFileError(
                f"{path}: {'a folder' if path.is_dir() else 'there is no such file'}; a game file (XML) is "
                "expected"
            )
        if (size := path.stat().st_size) > MOST_BYTES:
            raise GameFileError(
                f"{path}: {size / 1e6:.0f} MB; game files of at most {MOST_BYTES // 1_000_000} MB are read"
            )
    except OSError as error:
        raise GameFileError(f"{path}: cannot be read: {error.strerror}") from None
    builder = _Builder()

    def at(line: int | None) -> str:
        return f"{path}:{line or 1}"

    try:
        parser = DefusedExpatParser(forbid_dtd=False, forbid_entities=True, forbid_external=False)
        parser.setContentHandler(builder)
        parser.setEntityResolver(_Nothing())  # type: ignore[arg-type]
        with path.open("rb") as stream:
            parser.parse(stream)
    except SAXParseException as error:
        raise GameFileError(f"{at(error.getLineNumber())}: no XML: {error.getMessage()}") from None
    except EntitiesForbidden as error:
        name = getattr(error, "name", "")
        line = builder.where.getLineNumber() if builder.where is not None else 1
        raise GameFileError(
            f"{at(line)}: the file declares the entity {name!r}; write out what it stands for"
        ) from None
    except DefusedXmlException as error:
        raise GameFileError(f"{at(1)}: {error}") from None
    except SAXException as error:
        line = builder.where.getLineNumber() if builder.where is not None else 1
        raise GameFileError(f"{at(line)}: {error.getMessage()}") from None
    except (UnicodeError, LookupError, ValueError) as error:
        raise GameFileError(f"{at(1)}: the text cannot be decoded: {error}") from None
    except OSError as error:
        raise GameFileError(f"{path}: cannot be read: {error.strerror}") from None
    if builder.root is None:
        raise GameFileError(f"{at(1)}: no XML: the file is empty")
    return builder.root
