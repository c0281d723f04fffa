"""A plan: everything that the rounds of a battle need, ready for a whole batch. `make.make_plan` makes it.

A plan holds the groups, for every stage who fires at whom with which dice and values, the order in which each
owner loses, who keeps a side in the battle, and when a side leaves. Tests that cannot change are decided
here; the others are functions of the numbers alive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.choices import block_of, word_of
from ..core.model import Row
from ..world.tables import in_range
from ..world.world import World
from .arrays import Compiled, Counts
from .batch import Array
from .groups import DEFENDER, SIDES, Group
from .values import BattleNumber


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a battle is fought.

    `attacks` says for each side whether it fights as an attacker; `names` are further names for its
    expressions; `ignore` are modifiers (by id or tag) that do not count; `orders` hold for each owner the
    order of losses.
    """

    place: str
    attacks: tuple[bool, bool] = (True, False)
    names: Mapping[str, Any] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    origins: int | None = None
    """From how many places the attack comes, where that is not just who came from where."""
    unseen: frozenset[str] = frozenset()
    """Forces that the enemy has not found themselves (`seen` is false for their units)."""
    passive: frozenset[str] = frozenset()
    """Forces of a side that attacks which have found nobody themselves: they fight as defenders."""

    def attack(self, side: int, force: str = "") -> bool:
        """Whether a side, or a force of it, fights as an attacker."""
        return self.attacks[side] and not (force and force in self.passive)


@dataclass(frozen=True, slots=True)
class Fire:
    """One group firing in a stage: dice for each unit, value, and while it may."""

    group: int
    dice: BattleNumber
    value: BattleNumber


@dataclass(frozen=True, slots=True)
class SideDie:
    """One die of a side, added to each of its dice, while the test holds."""

    when: Compiled
    faces: int


@dataclass(frozen=True, slots=True)
class Reroll:
    """When a side that has lost a comparison of sums may have it thrown again: so often in one battle, in all
    of a step.
    """

    who: Compiled
    most: int
    in_all: int | None
    luck: tuple[int, frozenset[int]] | None
    """The die it throws for it once in a step, and the faces with which it may; None: it may without."""


@dataclass(slots=True)
class Volley:
    """What one side does in one stage. `targets` marks the groups of the other side that it may hit."""

    side: int
    fires: list[Fire]
    targets: list[int]
    when: Compiled
    dice_of_side: Compiled | None = None
    most: Compiled | None = None
    each_die: BattleNumber | None = None
    faces: int = 0
    die: str = ""
    side_die: SideDie | None = None
    reroll: Reroll | None = None
    leader: str = ""
    """The nation that leads the side."""


@dataclass(slots=True)
class Stage:
    """A stage of a round: both sides' volleys at once."""

    row: Row
    volleys: list[Volley]
    pooled: bool = False
    """Values are added up: whole dice are sure hits, and one die is rolled for the rest."""
    loss: tuple[int, int, int] = (1, 0, 0)
    """Where sums are compared: hits whatever the difference, one more for each full so many of it (0: none),
    at least.
    """
    hit: tuple[list[int], list[int]] | None = None
    """Of battles whose losses fall later: for each side the groups that its enemies' hits can be taken by."""

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def at_once(self) -> bool:
        return bool(self.row.get("losses", "end_of_round") == "at_once") or self.fire_on_retreat is not None

    @property
    def fire_on_retreat(self) -> str | None:
        """The side at whose leaving the stage is fought, instead of in the rounds."""
        return self.row.get("fire_on_retreat")

    @property
    def resolve(self) -> str:
        """How its dice are read: `roll_under`, `face`, `sum` or `compare`."""
        return word_of(self.row, "resolve")

    @property
    def reading(self) -> Row:
        """What its row says of this way to read dice alone."""
        return block_of(self.row, "resolve")

    @property
    def tie(self) -> int:
        """The side that wins what comes out even."""
        return SIDES.index(self.reading.get("tie", SIDES[DEFENDER]))

    def in_round(self, round_: int) -> bool:
        rounds = self.row.get("rounds")
        return self.fire_on_retreat is None and (
            rounds is None
            or any(_in_rounds(r, round_) for r in (rounds if isinstance(rounds, list) else [rounds]))
        )


@dataclass(slots=True)
class Plan:
    """A battle ready to be fought.

    `start` are the numbers at its beginning, one row; `world` knows every group's unit.
    """

    row: Row
    setting: Setting
    world: World
    groups: list[Group]
    start: Counts
    stages: list[Stage]
    holds: list[list[int]]
    """For each side the groups that keep it in the battle."""
    losses: list[Losses]
    strength: list[list[BattleNumber]]
    """For each side the value by which each of its groups shares in the losses, in the order of `of_side`."""
    of_side: list[list[int]]
    pairs: list[Pair]
    alone: list[Alone]
    leaves: list[Leave | None]
    most_rounds: int | None
    last_special_round: int
    """From the round after this one on, every round is like the next."""
    tires: dict[int, int] = field(default_factory=dict)
    """Group -> the last round in which it can fight; then it leaves the battle."""

    touch: Callable[[Array], Array] | None = None
    """The chance that contact is kept after a round, by the numbers alive; None: always."""

    @property
    def one_fires(self) -> bool:
        """Whether only one side ever fires: nobody fights for the field."""
        sides = {stage.row.get("side") for stage in self.stages}
        return len(sides) == 1 and None not in sides


@dataclass(slots=True)
class Losses:
    """How one side takes hits: what goes first, whose share is what, in which order, and what goes last."""

    first: list[int]
    owners: list[tuple[str, list[int]]]
    """Owner and their groups in the order in which they lose them (ladders included)."""
    last: list[int]
    levels: list[list[int]] = field(default_factory=list)
    """Where hits fall on all nations in one order: groups of equal rank in it, without the owners' orders."""


@dataclass(slots=True)
class Pair:
    """Givers who raise the value of takers of their side, `each` of them each."""

    side: int
    givers: list[int]
    takers: list[int]
    add: int
    value: str
    each: int


@dataclass(slots=True)
class Alone:
    """Groups that are lost without a die while a test holds."""

    side: int
    groups: list[int]
    when: Compiled
    row: Row


@dataclass(slots=True)
class Leave:
    """When a side ends the battle by leaving it. `must` forces it; the limits come from orders."""

    side: int
    after: int
    groups: list[int]
    must: Compiled | None
    may: Compiled | None
    rounds: int | None = None
    losses: int | None = None
    first: bool = False
    kills: Mapping[str, int] | None = None
    """Leave once so many enemies (`kills`) are destroyed and more than `left` of them are still there."""
    behind: tuple[int, ...] = ()
    """Groups that cannot go along and are lost when the others leave."""
    own: tuple[Leave, ...] = ()
    """Forces or nations that leave by limits of their own, each with its groups; the others fight on."""


def _in_rounds(rounds: int | str, round_: int) -> bool:
    if isinstance(rounds, int):
        return rounds == round_
    return bool(in_range(rounds, round_))
