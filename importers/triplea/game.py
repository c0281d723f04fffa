"""What a game file says, as facts: each part with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .words import TranslationTable


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an attachment: name, value, count (empty: none), line."""

    name: str
    value: str
    count: str
    line: int

    @property
    def parts(self) -> list[str]:
        return [part.strip() for part in self.value.split(":")]

    @property
    def says_no(self) -> bool:
        return self.value.strip().lower() in ("false", "")


@dataclass(frozen=True, slots=True)
class Attachment:
    """Options attached to something: kind (last part of its class), name, what it is attached to, its type,
    its line.
    """

    kind: str
    name: str
    to: str
    type: str
    line: int
    options: tuple[Option, ...]

    def all(self, name: str) -> Iterator[Option]:
        return (option for option in self.options if option.name == name)

    def get(self, name: str, default: str = "") -> str:
        """The last value of an option."""
        found = default
        for option in self.all(name):
            found = option.value.strip()
        return found

    def truth(self, name: str) -> bool:
        return self.get(name).lower() == "true"


@dataclass(frozen=True, slots=True)
class ProductionRule:
    """A production or repair rule: costs by resource, results by what comes out, line."""

    name: str
    costs: dict[str, int]
    results: dict[str, int]
    line: int


@dataclass(frozen=True, slots=True)
class GameStep:
    """A step of the sequence: its name, the class of its delegate, its player (empty: none), line."""

    name: str
    delegate: str
    player: str
    line: int


@dataclass
class GameFile:
    """All that a game file says. Keys are names as in the file; each tuple ends with the line."""

    file: str
    name: str = ""
    version: str = ""
    dice: int = 6
    territories: dict[str, tuple[bool, int]] = field(default_factory=dict)  # water
    connections: list[tuple[str, str, int]] = field(default_factory=list)
    resources: dict[str, int] = field(default_factory=dict)
    players: dict[str, int] = field(default_factory=dict)
    alliances: dict[str, list[str]] = field(default_factory=dict)  # player: alliances
    units: dict[str, int] = field(default_factory=dict)
    stances: dict[str, int] = field(default_factory=dict)
    effects: dict[str, int] = field(default_factory=dict)
    steps: list[GameStep] = field(default_factory=list)
    rules: dict[str, ProductionRule] = field(default_factory=dict)
    upkeep_rules: dict[str, ProductionRule] = field(default_factory=dict)
    frontiers: dict[str, list[str]] = field(default_factory=dict)
    buys: dict[str, str] = field(default_factory=dict)  # player: frontier
    technologies: dict[str, tuple[str, int]] = field(default_factory=dict)  # name: the kind it is
    # player: category: technologies
    categories: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)
    # attachments that the properties switch off, with the property that does
    idle: list[tuple[Attachment, str]] = field(default_factory=list)
    without_number: list[tuple[str, int]] = field(default_factory=list)  # elements of which there are 0
    owners: dict[str, tuple[str, int]] = field(default_factory=dict)  # territory: player
    # owner, unit, territory, n, hits, line
    stacks: list[tuple[str, str, str, int, int, int]] = field(default_factory=list)
    held: list[tuple[str, str, int, int]] = field(default_factory=list)  # player, unit, n, line
    given: list[tuple[str, str, int, int]] = field(default_factory=list)  # player, resource, n, line
    relations: list[tuple[str, str, str, int]] = field(default_factory=list)
    properties: dict[str, tuple[str, int]] = field(default_factory=dict)
    choices: set[str] = field(default_factory=set)  # properties that whoever sets up a game may change

    line_of_map: int = 1

    @property
    def statements(self) -> int:
        """How many things the file says: each name, connection, step, rule, option, placement and property is
        one.
        """
        lists = (
            self.territories,
            self.connections,
            self.resources,
            self.players,
            self.units,
            self.stances,
            self.effects,
            self.steps,
            self.rules,
            self.upkeep_rules,
            self.technologies,
            self.owners,
            self.stacks,
            self.held,
            self.given,
            self.relations,
            self.properties,
        )
        return sum(map(len, lists)) + sum(max(1, len(a.options)) for a in self.attachments)

    def of(self, kind: str) -> list[Attachment]:
        return [a for a in self.attachments if a.kind == kind]

    def truth(self, name: str, default: bool = False) -> bool:
        """Whether a property is true."""
        value = self.properties.get(name, ("", 0))[0].lower()
        return value == "true" if value in ("true", "false") else default

    @property
    def nobody(self) -> str:
        """How the file calls those who belong to no player."""
        return "Neutral"


def flags_of(game: GameFile, words: TranslationTable) -> frozenset[str]:
    """What the properties of a game ask of the shared rules; a property that is absent asks nothing."""
    flags = {
        entry["flag"] for name, entry in words["properties"].items() if "flag" in entry and game.truth(name)
    }
    for flag in list(flags):
        flags |= set(words["implies"].get(flag, ()))
    return frozenset(flags)
