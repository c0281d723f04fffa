"""What an input point of the sequence of play leaves to the moderator: one decision for each thing that it is
about.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.model import Row
from ..world.messages import fill, printed
from ..world.selections import as_set, id_of
from ..world.world import World
from .decisions import options_of


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that the rules leave to the moderator at an input point: its key, what it is about, how they
    may answer.

    `default` holds without an answer. `choices` are the answers one by one where they are listed, none where
    a number is asked for.
    """

    key: str
    text: str
    answers: str
    default: str
    choices: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """As the moderator is told of it."""
        return f"{self.text}: {self.answers}; default {self.default}"


def left_open(world: World, node: Row) -> list[OpenDecision]:
    """What an input point leaves to the moderator (`leaves`), whether or not they have answered."""
    out = []
    for rule in node.get("leaves", ()):
        row = world.ruleset.row("decisions", rule["decision"])
        for thing in as_set(world, world.value(rule["of"], {})):
            names = {str(row["about"]): thing}
            said = fill(world, rule["says"], names) if "says" in rule else printed(world, thing)
            choices: tuple[str, ...] = ()
            if "most" in row:
                first = str(int(world.number(row.get("least", 0), names)))
                answers = f"{first} to {int(world.number(row['most'], names))}"
            else:
                choices = tuple(str(id_of(o)) for o in options_of(world, row, names))
                first, answers = choices[0] if choices else "none", ", ".join(choices)
            default = str(id_of(world.marked(row.get("default", first), names)))
            out.append(OpenDecision(f"{row['id']}/{thing.id}", said, answers, default, choices))
    return out
