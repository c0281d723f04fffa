"""A file of orders as it comes in: read, checked, and parted into what stands and what does not.

The one way in for the command line, the mail and the server: `take_in` gives the orders and answers that
stand, ready for `referee.Inputs`, and every finding at its line and column. What is refused is left out
whole; the rest is not touched by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ..core.diagnostics import Diagnostic, has_errors, tidy
from ..core.model import Ruleset
from ..core.patience import go_on
from ..turn.context import Order
from ..turn.validated_orders import ValidatedOrder
from ..world.world import World
from .check import check
from .kinds.answers import parted
from .parse import read_orders
from .plain import strip_comment
from .reference import HELP
from .sheet import choices_in, filled_in
from .sheet_line import BLANK, has_blank
from .suggestions import MOST, not_ours, possible, proposable, with_places_of


@dataclass(frozen=True)
class Intake:
    """What a file of orders comes to: for which nation, the orders and answers that stand, all findings.

    `intents` say what each line that stands comes to, in the order of the file, answers included; `passed`
    are the numbers of lines that were read as no order (a greeting, a signature, a quotation). `held` are
    lines that would stand if all together met a requirement that they do not meet.
    """

    nation: str | None
    orders: tuple[Order, ...] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[Diagnostic, ...] = ()
    intents: tuple[ValidatedOrder, ...] = ()
    passed: tuple[int, ...] = ()
    held: tuple[ValidatedOrder, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether every line stands."""
        return not has_errors(self.found)


def take_in(
    ruleset: Ruleset,
    text: str,
    world_of: Callable[[str], World],
    *,
    nation: str | None = None,
    game: str | None = None,
    turn: int | None = None,
    file: str = "",
) -> Intake:
    """Read and check a file of orders. `world_of` gives the world as a nation knows it; without `nation` the
    head names it."""
    known = fits = foreign = None
    if nation is not None:
        known = world_of(nation)
        fits, foreign = proposable(known, nation), not_ours(known, nation)
    reading = read_orders(
        ruleset,
        text,
        nation=nation,
        game=game,
        turn=turn,
        state=known.state if known is not None else None,
        file=file,
        proposable=fits,
        foreign=foreign,
    )
    whose = nation or reading.head.nation
    found = list(reading.found)
    if whose is None:
        if not found:
            found.append(
                Diagnostic(
                    "O112",
                    "error",
                    "the file does not say for which nation it is",
                    file,
                    1,
                    1,
                    "nation <name>",
                )
            )
        return Intake(None, (), {}, tuple(tidy(found)))
    world = known or world_of(whose)
    found = [
        _with_proposals(world, whose, d)
        if d.instead or d.code in ("O101", "O102") or has_blank(strip_comment(d.source_line))
        else d
        for d in found
    ]
    taken = accept(world, whose, reading.orders, file=file)
    return replace(taken, found=tuple(tidy([*found, *taken.found])), passed=reading.passed)


def _with_proposals(world: World, nation: str, found: Diagnostic) -> Diagnostic:
    """A finding with what may stand in the place of its line, ready to be sent: lines of the order sheet with
    what was left blank filled in. Where there is none: why what comes nearest does not stand, or where all
    orders are described."""
    go_on()
    out: list[str] = []
    blank: list[str] = []
    lines, refused = possible(world, nation, found.instead)
    said = found.message
    written = strip_comment(found.source_line)
    blank_left = has_blank(written)
    if blank_left and (names := choices_in(world, nation, written, other_units=True)):
        said = f"`{BLANK}` is yours to fill in: {', '.join(dict(names))}"
    for line in lines:
        choices = filled_in(world, nation, line, other_units=blank_left)
        some = list(islice(choices, MOST)) if BLANK in line else [line]
        out += some
        blank += [] if some else [line]
    whose, there = with_places_of(world, nation, written, lines)
    if there:
        said, out = f"{whose} is a nation, and here a place is wanted", there
    hint = found.hint or ("" if lines else refused or f"all orders: {HELP}")
    instead = tuple(dict.fromkeys([*out, *blank]))[:MOST]
    return replace(found, message=said, instead=instead, hint="" if said != found.message else hint)


def accept(world: World, nation: str, understood: Sequence[Order], *, file: str = "") -> Intake:
    """Check orders that have been read, in the order of the file. `world` is the nation's view."""
    checked = check(world, nation, understood, file=file)
    orders, answers = parted(checked.orders)
    return Intake(
        nation, tuple(orders), answers, tuple(checked.found), tuple(checked.intents), held=tuple(checked.held)
    )
