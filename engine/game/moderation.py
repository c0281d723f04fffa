"""The moderator's desk: what the commands do with a game, apart from how it is asked for and shown.

Starting a game, the orders of seats that policies play, resolving, reports and maps into files, and why something is so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import Engine

from ..core.fairness import Opening
from ..core.faults import BrokenGame, NotThere
from ..core.journal import EVERYONE, Entry
from ..core.state import Entity, State
from ..orders.check import standing
from ..orders.template import order_template
from ..ruleset import Ruleset
from ..turn import vacancies
from ..turn.context import Order
from ..turn.left_open import Open, left_open
from ..turn.referee import Position, Resolution, commanded_nations
from ..world.geography import Geography
from ..world.view import Viewer, chain_of, readable
from ..world.world import World
from .audit import broken_chain, resolved_again
from .proofs import openings, position_after
from .scenario import initial_state
from .scenario_files import option_values
from .schedule import days_of
from .store import MODERATOR, PLAYER, POLICY, PROXY, Game, Scribe, Stage, StoreError, Submission

if TYPE_CHECKING:  # reports and maps are heavy: who only hands in orders needs neither
    from .report.build import Report
    from .report.drawing import Drawing
    from .report.map import PageMap


def new_game(
    where: Path | Engine, scenario: Mapping[str, Any], ruleset: Ruleset, *, id_: str, seats: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None, seed: bytes | None = None, drawing: Drawing | None = None,
    policies: Mapping[str, str] | None = None,
) -> Game:  # fmt: skip
    """Start a game in a folder of its own, or in a database that may hold others.

    `seats` says who commands which nation (player or policy), `options` what the group has agreed upon. NotThere for a nation
    or an option that is none, or a value that an option does not have. `policies` says which policy of the ruleset's, or which
    set of them, plays a nation, a side or `everyone`, instead of the one that fits it.
    """
    state = initial_state(ruleset, scenario)
    for option, value in (options or {}).items():
        state.put("options", "options", option, option_value(ruleset, option, value))
    for nation, seat in (seats or {}).items():
        if nation not in ruleset.rows("nations"):
            raise NotThere(f"no nation {nation!r} in this game")
        state.put("nations", nation, "seat", seat)
    for who, policy in (policies or {}).items():
        for nation in _players_of(ruleset, state, who, policy):
            state.put("nations", nation, "policy", policy)
    if isinstance(where, Path):
        return Game.create(where, ruleset, scenario, state, id_=id_, seed=seed, drawing=drawing)
    return Game.begin(where, ruleset, scenario, state, id_=id_, seed=seed, drawing=drawing)


def _players_of(ruleset: Ruleset, state: State, who: str, policy: str) -> list[str]:
    """The nations that a policy is chosen for: one, those of a side, or everyone. StoreError where there is no such thing."""
    from ..orders.policies import policies_of  # brings NumPy: only where a policy is chosen

    if policy not in policies_of(ruleset):
        raise StoreError(f"no policy {policy!r}; there are {', '.join(policies_of(ruleset))}")
    if who == EVERYONE:
        return list(ruleset.rows("nations"))
    for form in ("nations", "sides"):
        if who in ruleset.rows(form):
            return World(ruleset, state).members(who)
    sides = ", ".join(sorted(ruleset.rows("sides")))
    raise StoreError(f"no nation and no side {who!r} to play by {policy}; it is a nation's id, {sides or 'a side'} or {EVERYONE}")


def new_game_from(folder: Path, scenario: Mapping[str, Any], ruleset: Ruleset, state: State, rules: Path) -> Game:
    """Start a game from a position, commanded by players throughout. `rules`: the ruleset's folder, for its maps."""
    for nation in ruleset.rows("nations"):
        state.put("nations", nation, "seat", PLAYER)
    from .report.mapview import read_drawing  # reports and maps are heavy

    return Game.create(folder, ruleset, scenario, state, id_=folder.resolve().name, drawing=read_drawing(rules))


def option_value(ruleset: Ruleset, option: str, value: Any) -> Any:
    """The value of an option as its row has it, from a value or from text. StoreError if it has no such value."""
    row = ruleset.rows("options").get(option)
    if row is None:
        raise NotThere(f"no option {option!r}; there are {', '.join(sorted(ruleset.rows('options'))) or 'none'}")
    values = option_values(row)
    found = next((v for v in values if v == value or str(v).lower() == str(value).lower()), None)
    if found is not None or not values:
        return value if found is None else found
    raise NotThere(f"{option} cannot be {value!r}; it is one of {', '.join(str(v).lower() for v in values)}")


def wanted_now(game: Game) -> str:
    """What the game waits for, in words: the name of its input point, the turn, and whose answer it is if few are asked."""
    position = game.stage().position
    asked = game.awaited()
    few = bool(asked) and len(asked) <= 3 and len(asked) < len(commanded(game))
    rows = game.ruleset.rows("nations")
    whose = f" from {', '.join(str(rows[n].get('name', n)) for n in asked)}" if few else ""
    return f"the {(position.waiting or {}).get('input', 'orders')} of turn {position.turn}{whose}"


def seats(game: Game) -> dict[str, str]:
    """Nation to who commands it, for every nation that the present input point asks."""
    world = World(game.ruleset, game.seated_position().state, geography=game.geography)
    return {n: vacancies.seat(world, n) for n in game.awaited()}


def standing_of(game: Game) -> dict[str, Any]:
    """What a game waits for, as plain data: who has sent how many orders by whom, who has not, and what is to be done next.

    `seats`: those asked now that a person commands or that have sent something; `late`: of them those that have not;
    `moderator`: what awaits him, in sentences.
    """
    stage = game.stage()
    position = stage.position
    out: dict[str, Any] = {
        "game": game.id, "title": str(game.head["title"]), "turn": position.turn, "ended": position.ended, "closed": False,
        "seats": [], "late": [], "policies": [],
    }  # fmt: skip
    if position.ended:
        return out | {"waits": "it has ended", "moderator": [], "next": "Nothing awaits anybody."}
    if "pause" in (position.waiting or {}):
        going = "`wteaw resolve` goes on."
        return out | {"waits": f"turn {position.turn} is paused", "moderator": [going], "next": going}
    here = game.submissions()
    asked = seats(game)
    for nation, seat in sorted(asked.items()):
        sent = here.get(nation)
        if sent is not None:
            n = len(sent.orders)
            by = "" if sent.by == PLAYER else f", handed in by {'an ally' if sent.by == PROXY else f'the {sent.by}'}"
            said = f"{n} order{'s' if n != 1 else ''}{by}"
            out["seats"].append({"nation": nation, "sent": True, "orders": n, "by": sent.by, "says": said})
        elif seat != POLICY:
            out["seats"].append({"nation": nation, "sent": False, "orders": 0, "by": "", "says": "nothing has come in"})
    out["late"] = [s["nation"] for s in out["seats"] if not s["sent"]]
    out["closed"] = game.turn_record(position.turn).closed == stage.number
    out["policies"] = sorted(n for n, seat in asked.items() if seat == POLICY and n not in here)
    if out["late"] and not out["closed"]:
        following = f"{len(out['late'])} missing: remind them, or `wteaw resolve --force`."
    elif out["closed"]:
        following = "Orders are closed: `wteaw resolve`" + (" --force." if out["late"] else ".")
    else:
        following = "Nobody is missing: `wteaw resolve`."
    publish = f"Publish the commitment to the dice of turn {position.turn} before orders are due: {stage.commitment.root}"
    todo = [*_to_decide(game), *([] if out["closed"] else [publish]), following]
    return out | {"waits": f"it waits for {wanted_now(game)}", "moderator": todo, "next": following}


def commanded(game: Game) -> list[str]:
    """Every nation that somebody commands, whether or not it is asked now."""
    return commanded_nations(game.ruleset, game.stage().position)


def policy_submissions(game: Game, *, workers: int = 1) -> list[Submission]:
    """Orders that the built-in policies give for the seats they play and that have sent nothing."""
    here = game.submissions()
    wanted = [n for n, seat in seats(game).items() if seat == POLICY and n not in here]
    return planned(game, wanted, workers=workers)


def planned(game: Game, nations: Iterable[str], *, workers: int = 1) -> list[Submission]:
    """Orders that the built-in policies give for some nations, each by what it may know.

    They are the same whatever the `workers`, processes that are forked: only a program of one thread may have several.
    """
    from ..orders.policies import plan  # brings NumPy: only where a policy plays
    from ..orders.policies.shared_out import shared_out

    dice = game.dice()
    views = Views(game)

    def given(nation: str) -> list[Order]:
        stream = dice.stream(step="input", rule="policies/plan", subject=nation, audience=nation)
        return plan(views.world(nation), nation, stream, state.get("nations", nation, "policy"))

    state = views.position.state
    asked = list(nations)
    dear = sorted(asked, key=lambda n: -len(state.stacks(owner=n)))  # those with most to think of come first
    orders = dict(zip(dear, shared_out(given, dear, workers), strict=True))
    return [Submission(n, "\n".join(str(o.get("text", "")) for o in orders[n]), orders[n], {}, POLICY) for n in asked]


def view_world(game: Game, nation: str) -> World:
    """What a nation may know at the present stage, as a world to ask."""
    return Views(game).world(nation)


def whole_world(game: Game) -> World:
    """Everything at the present stage, as the moderator sees it."""
    position = game.stage().position
    return World(game.ruleset, position.state, moments=position.moments, geography=game.geography)


class Views:
    """The worlds of several nations at one position (the present one, or an earlier one as it was known then).

    What does not depend on the reader is made once.
    """

    def __init__(self, game: Game, position: Position | None = None) -> None:
        self.game = game
        self.position = position or game.stage().position
        self._viewers: dict[str, Viewer] = {}
        self.told: dict[int, bytes] = {}  # what the journal's entries say, as the readers' chains take it
        self._last: tuple[str, World] | None = None
        self._used: dict[int, set[str]] = {}

    @cached_property
    def journal(self) -> list[Entry]:
        """Every entry of the game, read once."""
        return self.game.journal()

    def openings(self, turn: int, readers: tuple[str, ...]) -> tuple[Opening, ...]:
        """The openings of a turn's keys for some readers, none while it is not over; handed out, they count as known."""
        if not 1 <= turn < self.game.stage().position.turn:
            return ()
        if turn not in self._used:
            self._used[turn] = {str(record["audience"]) for e in self.journal if e.turn == turn for record in e.dice}
            self.game.note_opened(turn)
        return openings(self.game, turn, readers, self._used[turn])

    def world(self, nation: str) -> World:
        """A nation's world, good until that of another one is asked for.

        Earlier moments hold what was public or its own side's; they are made when they are read.
        """
        if self._last is not None and self._last[0] == nation:
            return self._last[1]
        if self._last is not None:
            self._last[1].close()
        self._last = (nation, self._world(nation))
        return self._last[1]

    def _world(self, nation: str) -> World:
        def then(moment: str) -> Callable[[], State]:
            return lambda: self._viewer(moment).view(nation, sight=False)

        moments: dict[str, State | Callable[[], State]] = {m: then(m) for m in self.position.moments}
        return World(self.game.ruleset, self._viewer("now").view(nation), moments=moments, geography=self.game.geography)

    def _viewer(self, moment: str) -> Viewer:
        if moment not in self._viewers:
            state = self.position.state if moment == "now" else self.position.moments[moment]
            self._viewers[moment] = Viewer(self.game.ruleset, state, geography=self.game.geography)
        return self._viewers[moment]


def may_stand_in(game: Game, ally: str, nation: str) -> bool:
    """Whether a nation may give orders for another that has sent none, by the rows of the form `absence`."""
    world = World(game.ruleset, game.seated_position().state, geography=game.geography)
    whose = Entity("nation", nation)
    names = {"nation": whose, "self": whose, "ally": Entity("nation", ally)}
    return any("proxy" in row and world.test(row["proxy"], names) for row in game.ruleset.rows("absence").values())


def stand_in(game: Game, ally: str, given: Submission) -> str:
    """Keep orders that an ally gives for a nation that has sent none; gives the nation's salt.

    StoreError if it may not, or orders are there.
    """
    here = game.submissions().get(given.nation)
    if here is not None and here.by in (PLAYER, MODERATOR):
        raise StoreError(f"{given.nation} has sent its own orders")
    if not may_stand_in(game, ally, given.nation):
        raise StoreError(f"{ally} may not give orders for {given.nation}")
    return game.submit(replace(given, by=PROXY))


@dataclass(frozen=True)
class Outcome:
    """What resolving did: the resolution, who had sent nothing, and who was played by a policy."""

    result: Resolution
    missing: tuple[str, ...]
    played: tuple[str, ...]


def resolve_turn(
    game: Game, *, force: bool = False, until: str | None = None, dry: bool = False, practice: bool = False, workers: int = 1,
    scribe: Scribe | None = None,
) -> Outcome:  # fmt: skip
    """Resolve to the next input point at which a player is asked, after a look at the chain of the journal.

    Where nations are asked one after another, those that a policy plays do not stop it. A game without players is resolved to
    the next input point of all. StoreError names the players whose orders are missing, unless `force`. `workers`: see `planned`.
    `scribe` writes it down, in the transactions that do it.
    """
    outcome = _resolve_once(game, force=force, until=until, dry=dry, practice=practice, workers=workers, scribe=scribe)
    if until is not None or dry or practice or not _has_players(game):
        return outcome
    first = outcome.result.position.turn
    while not outcome.result.position.ended and outcome.result.position.turn <= first + 1:
        if set(seats(game).values()) != {POLICY}:
            break
        further = _resolve_once(game, workers=workers, scribe=scribe)
        result = replace(further.result, entries=(*outcome.result.entries, *further.result.entries))
        outcome = Outcome(result, outcome.missing, tuple(dict.fromkeys((*outcome.played, *further.played))))
    return outcome


def _has_players(game: Game) -> bool:
    """Whether a nation that is still commanded is anything but a policy's."""
    world = World(game.ruleset, game.seated_position().state, geography=game.geography)
    return any(vacancies.seat(world, n) != POLICY for n in commanded(game))


def _resolve_once(
    game: Game, *, force: bool = False, until: str | None = None, dry: bool = False, practice: bool = False, workers: int = 1,
    scribe: Scribe | None = None,
) -> Outcome:  # fmt: skip
    if (broken := broken_chain(game, anew=False)) is not None:
        raise BrokenGame(f"{broken}; `wteaw verify` looks at everything")
    waiting = game.stage().position.waiting or {}
    given = [] if "pause" in waiting else policy_submissions(game, workers=workers)
    if undecided := open_decisions(game) if not force and _has_players(game) else []:
        listed = "; ".join(f"{o.key} ({o.text}: {o.answers})" for o in undecided)
        raise StoreError(f"the rules leave to the moderator: {listed}; `wteaw decide moderator`, or `--force` for the defaults")
    here = set(game.submissions()) | {s.nation for s in given}
    missing = tuple(n for n in game.awaited() if n not in here) if "pause" not in waiting else ()
    if missing and not force:
        raise StoreError(f"no orders yet from {', '.join(missing)}; `--force` resolves without them")
    lacking = _lacking(game, given, missing)
    if lacking:
        raise StoreError(
            f"{lacking}; orders must be handed in that meet this (the moderator may, with `wteaw orders submit --nation`)"
        )
    stood_in = tuple(n for n, s in game.submissions().items() if s.by == PROXY)  # they have missed the turn all the same
    lacked = sorted({*missing, *stood_in})
    result = game.resolve(given, missing=lacked, until=until, dry=dry, practice=practice, scribe=scribe)
    return Outcome(result, missing, tuple(s.nation for s in given))


def open_decisions(game: Game) -> list[Open]:
    """What the present input point leaves to the moderator and he has not answered."""
    answered = game.submissions().get(MODERATOR)
    known = answered.answers if answered is not None else {}
    found = left_open(whole_world(game), game.stage().position.waiting or {})
    return [o for o in found if o.key not in known and o.key.partition("/")[0] not in known]


def _lacking(game: Game, given: Iterable[Submission], missing: Iterable[str]) -> str:
    """Which requirement of this input point the orders of a policy, or having sent none, leave unmet; empty if none."""
    if not (game.stage().position.waiting or {}).get("gate"):
        return ""
    views = Views(game)
    orders: dict[str, list[Any]] = {**{n: [] for n in missing}, **{s.nation: list(s.orders) for s in given}}
    for nation, listed in sorted(orders.items()):
        for why in standing(views.world(nation), nation, listed)[1].values():
            return f"{game.ruleset.rows('nations').get(nation, {}).get('name', nation)}: {why}"
    return ""


# ---- reports


def last_turn(game: Game) -> int:
    """The last turn that has something to report: the present one if a part of it is resolved, else the one before."""
    stage = game.stage()
    position = stage.position
    begun = (stage.number - 1, position.turn) in {(number, turn) for number, turn, _ in game.stages()}
    return position.turn if position.ended or begun or "pause" in (position.waiting or {}) else max(position.turn - 1, 0)


def report(
    game: Game,
    nation: str | None,
    *,
    turn: int | None = None,
    template: bool = True,
    views: Views | None = None,
    update: date | None = None,
) -> Report:
    """The report of a nation, or of the moderator for None, on a turn (by default the last one resolved).

    `views`: those of the present stage, which the reports of several nations share. `update`: the day on which the reports go
    out, from which the deadline follows by the rules' schedule.
    """
    from .report.build import moderator_report, nation_report  # reports and maps are heavy

    turn = last_turn(game) if turn is None else turn
    stage = game.stage()
    past = turn < last_turn(game)
    position = position_after(game, turn) if past or turn > stage.position.turn else stage.position
    views = views or Views(game, position)
    entries = [e for e in views.journal if e.turn == turn]
    title = game.head["title"]
    committed = [] if past else [("the next turn's dice", stage.commitment.root)]
    if nation is None:
        made = moderator_report(
            game.ruleset, position.state, entries, game=title, turn=turn, geography=game.geography,
            proof=[("state", position.state.hash()), ("journal", position.head), *committed],
            due="" if past else due_in_words(game, update), notices=[*_moderators_part(game, stage, past), *notices(game, turn)],
        )  # fmt: skip
        return made if past else _with_luck(game, made)
    if nation not in World(game.ruleset, position.state, geography=game.geography).nations():
        raise NotThere(f"no nation {nation!r} in this game")
    world = views.world(nation)
    before = readable([e for e in views.journal if e.turn < turn], world, nation)
    text = ""
    if template and not past and not stage.position.ended:
        text = order_template(world, nation, game=game.id)
    made = nation_report(
        game.ruleset, world.state, entries, nation, game=title, turn=turn, geography=game.geography, template=text,
        proof=[*committed, *_openings(views, world, nation, turn)], chain=chain_of(before, told=views.told),
        due="" if past else due_in_words(game, update), notices=notices(game, turn), world=world,
    )  # fmt: skip
    return made if past else _with_luck(game, made)


def _with_luck(game: Game, report: Report) -> Report:
    """A report with the luck of the whole game, if it has ended; without, where it cannot be resolved again."""
    if not game.stage().position.ended:
        return report
    from .luck import luck  # with all of battles, for the last report alone
    from .report.luck import luck_part

    try:
        part = luck_part(luck(game, ""))
    except StoreError:
        return report
    return replace(report, parts=(*report.parts, part))


def due_in_words(game: Game, update: date | None) -> str:
    """Until when orders are wanted and faults told, by the form `schedule` and the day of the update; "" where none is known."""
    row = next(iter(game.ruleset.rows("schedule").values()), None)
    position = game.stage().position
    if row is None or update is None or position.ended:
        return ""
    from .report.build import when  # reports and maps are heavy

    days = days_of(row, update)
    said = when(game.ruleset, position.turn)
    dated = f" ({said})" if said != f"turn {position.turn}" else ""
    faults = f" Faults in this report: by {days.corrections[-1]:%A %-d %B}." if days.corrections else ""
    opens = f", from {days.opens:%A %-d %B} on" if days.opens != update else ""
    return f"Orders for turn {position.turn}{dated} are due by the end of {days.deadline:%A %-d %B %Y}{opens}.{faults}"


def notices(game: Game, turn: int) -> list[str]:
    """What was corrected by hand in a turn or for it, in sentences for everybody: roll-backs, fresh dice, other rules."""
    turn_of = {number: t for number, t, _ in game.stages()}
    out = []
    for c in game.corrections():
        reason = f": {c['reason']}" if c.get("reason") else ""
        about = int(c["turn"]) if "turn" in c else turn_of.get(int(c["stage"]), 0) if "stage" in c else 0
        if about != turn:
            continue
        if c["what"] == "rollback":
            out.append(f"Turn {about} was rolled back and resolved again{reason}.")
        elif c["what"] == "attempt":
            out.append(f"The dice of turn {about} were rolled afresh, under a new commitment{reason}.")
        elif c["what"] == "upgrade":
            out.append(f"The rules were changed in turn {about}{reason}.")
    return out


def _to_decide(game: Game) -> list[str]:
    """What is left to the moderator, in sentences."""
    return [
        f"Decide (`wteaw decide moderator {o.key} ANSWER`): {o.text}: {o.answers}; default {o.default}."
        for o in open_decisions(game)
    ]


def _moderators_part(game: Game, stage: Stage, past: bool) -> list[str]:
    """What the moderator has to do now."""
    if past or stage.position.ended:
        return []
    players = [n for n, seat in seats(game).items() if seat == PLAYER] if "pause" not in (stage.position.waiting or {}) else []
    return [
        "Read what follows, then send the player his report."
        if len(players) == 1
        else f"Read what follows, then send each of the {len(players)} players his report."
        if players
        else "Read what follows.",
        *_to_decide(game),
        f"Publish the commitment to the dice of turn {stage.position.turn}: {stage.commitment.root}",
        "`wteaw rollback` undoes the turn; give the reason, and every report tells it.",
    ]


def _openings(views: Views, world: World, nation: str, turn: int) -> Iterator[tuple[str, str]]:
    """The keys of the dice that a nation may check, of a turn that is over."""
    side = world.side_of(nation)
    for opening in views.openings(turn, (nation, *([side] if side else []))):
        yield f"key of turn {turn} for {opening.audience}", opening.key


def views_after(game: Game, turn: int | None) -> Views:
    """What everybody knew after a turn (None: knows now). StoreError for a turn that has not been."""
    return Views(game) if turn is None else Views(game, position_after(game, turn))


def map_of_report(game: Game, data: Report, views: Views, drawing: Drawing) -> PageMap:
    """The map of a report's page: its reader's view, what the entries that he may read tell, and the numbers of his battles."""
    from .report.mapview import report_map  # reports and maps are heavy

    entries = [e for e in views.journal if e.turn == data.turn]
    shown, reader = views.position.state, ""
    if data.reader != MODERATOR:
        world, reader = views.world(data.reader), data.reader
        shown, entries = world.state, readable(entries, world, reader)
    numbers = {place: (n, outcome) for n, (place, outcome) in reversed(list(enumerate(data.battles, 1)))}
    title = f"{data.game}, {data.when}"
    return report_map(game.ruleset, shown, drawing, reader, title=title, entries=entries, numbers=numbers)


# ---- other rules


def first_difference(game: Game, ruleset: Ruleset) -> str | None:
    """Replay a game's inputs under another ruleset, with the same dice; the first turn and table that differ, or None."""
    geography = Geography(ruleset)
    for number, _, _ in game.stages()[:-1]:
        stage, following = game.stage(number), game.stage(number + 1)
        try:
            position = resolved_again(game, stage, following, ruleset, geography=geography).position
        except (KeyError, ValueError) as error:
            return f"Turn {stage.position.turn} cannot be replayed under the new rules: {error}"
        difference = compare(following.position.state, position.state)
        if difference:
            return f"Turn {stage.position.turn}: {difference}"
    return None


def compare(old: State, new: State) -> str | None:
    """The first field in which two states differ, in words."""
    for table in sorted({*old.tables, *new.tables}):
        for id_ in sorted({*old.table(table), *new.table(table)}):
            a, b = old.row(table, id_), new.row(table, id_)
            for field in sorted({*a, *b}):
                if a.get(field) != b.get(field):
                    return f"{table}/{id_}.{field} was {a.get(field)!r} and would be {b.get(field)!r}"
    return None
