"""Starting a game: from a scenario with seats, options and policies, or from a position."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.faults import NotThere
from ..core.journal import EVERYONE
from ..core.state import State
from ..ruleset import Ruleset
from ..store import PLAYER, Game
from ..world.world import World
from .scenario import initial_state
from .scenario_files import option_values

if TYPE_CHECKING:  # reports and maps are heavy: who only hands in orders needs neither
    from sqlalchemy.engine import Engine

    from ..ruleset.drawing import Drawing


def new_game(
    where: Path | Engine,
    scenario: Mapping[str, Any],
    ruleset: Ruleset,
    *,
    id_: str,
    seats: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    seed: bytes | None = None,
    drawing: Drawing | None = None,
    policies: Mapping[str, str] | None = None,
) -> Game:
    """Start a game in a folder of its own, or in a database that may hold others.

    `seats` says who commands which nation (player or policy), `options` what the group has agreed upon.
    NotThere for a nation or an option that is none, or a value that an option does not have. `policies` says
    which policy of the ruleset's, or which set of them, plays a nation, a side or `everyone`, instead of the
    one that fits it.
    """
    state = initial_state(ruleset, scenario)
    for option, value in (options or {}).items():
        state.put("options", "options", option, option_value(ruleset, option, value))
    for nation, seat in (seats or {}).items():
        if nation not in ruleset.rows("nations"):
            raise NotThere(f"no nation {nation!r} in this game")
        state.put("nations", nation, "seat", seat)
    for who, policy in (policies or {}).items():
        for nation in players_of(ruleset, state, who, policy):
            state.put("nations", nation, "policy", policy)
    if isinstance(where, Path):
        return Game.create(where, ruleset, scenario, state, id_=id_, seed=seed, drawing=drawing)
    return Game.begin(where, ruleset, scenario, state, id_=id_, seed=seed, drawing=drawing)


def players_of(ruleset: Ruleset, state: State, who: str, policy: str) -> list[str]:
    """The nations that a policy is chosen for: one, those of a side, or everyone.

    NotThere if there is no such thing.
    """
    from ..bots import policies_of  # brings NumPy: only where a policy is chosen

    if policy not in policies_of(ruleset):
        raise NotThere(f"no bot {policy!r}; there are {', '.join(policies_of(ruleset))}")
    if who == EVERYONE:
        return list(ruleset.rows("nations"))
    for form in ("nations", "sides"):
        if who in ruleset.rows(form):
            return World(ruleset, state).members(who)
    sides = ", ".join(sorted(ruleset.rows("sides")))
    raise NotThere(
        f"no nation and no side {who!r} to play by {policy}; it is a nation's id, {sides or 'a side'} or "
        f"{EVERYONE}"
    )


def new_game_from(
    folder: Path, scenario: Mapping[str, Any], ruleset: Ruleset, state: State, rules: Path
) -> Game:
    """Start a game from a position, commanded by players throughout.

    `rules`: the ruleset's folder, for its maps.
    """
    for nation in ruleset.rows("nations"):
        state.put("nations", nation, "seat", PLAYER)
    from ..ruleset.drawing import read_drawing  # reports and maps are heavy

    return Game.create(
        folder, ruleset, scenario, state, id_=folder.resolve().name, drawing=read_drawing(rules)
    )


def option_value(ruleset: Ruleset, option: str, value: Any) -> Any:
    """The value of an option as its row has it, from a value or from text.

    NotThere if it has no such value.
    """
    row = ruleset.rows("options").get(option)
    if row is None:
        raise NotThere(
            f"no option {option!r}; there are {', '.join(sorted(ruleset.rows('options'))) or 'none'}"
        )
    values = option_values(row)
    found = next((v for v in values if v == value or str(v).lower() == str(value).lower()), None)
    if found is not None:
        return found
    if not values:
        return _like_its_default(option, row["default"], value)
    raise NotThere(f"{option} cannot be {value!r}; it is one of {', '.join(str(v).lower() for v in values)}")


def _like_its_default(option: str, default: Any, value: Any) -> Any:
    """The value of an option that may hold anything; where its default is a number, the number that a text
    writes.
    """
    if not isinstance(default, int) or not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        raise NotThere(f"{option} cannot be {value!r}; it is a whole number, such as {default}") from None
