"""What a rulebook is made of: chapters of rules, tables, paragraphs and lists, each as it is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause as a player reads it. `why`: what the published rules leave open; `readings`: rules that read
    this one.

    `tests`: how many rule tests cite it, if that was asked for; `lines`: where the published text has it.
    """

    id: str
    title: str
    text: str
    status: str = "stated"
    why: str = ""
    option: str = ""
    readings: tuple[Rule, ...] = ()
    tests: int | None = None
    lines: str = ""


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Figures with a caption: the head and the cells as text.

    `code`: the columns that hold what is written word by word; `notes`: what the columns mean, beneath.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    code: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a chapter."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of lines. `links`: the chapter that each leads to, if any."""

    lines: tuple[str, ...]
    links: tuple[str, ...] = ()


Block = Rule | FigureTable | Text | Heading | Listing


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter. `anchor` is its name in links, `phase` the phase of the turn that it tells of."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    phase: str = ""

    @property
    def told_phase(self) -> str:
        """The phase as it stands beside the title: nothing where they are one."""
        return "" if self.phase == self.title else self.phase


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A whole rulebook."""

    title: str
    description: str
    chapters: tuple[Chapter, ...]
