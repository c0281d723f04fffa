"""`wteaw odds`: how a battle is likely to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import typer

from ..battle.plan import Plan
from ..diagnostics import nearest
from ..odds.ask import Question, plan_of
from ..odds.solve import exact, sample
from ..odds.text import render
from ..resources import rulesets
from ..ruleset.compile import compile_ruleset
from ..ruleset.model import Ruleset
from ..state import State
from ..world import World
from . import Stop

__all__ = ["odds"]

_PART = re.compile(r"\s*(\d+)\s+(.+?)\s*")


def odds(
    attacker: list[str] = typer.Option(..., help='Who attacks, as "NATION: 10 KIND, 4 KIND"; again for an ally.'),
    defender: list[str] = typer.Option(..., help='Who defends, as "NATION: 8 KIND"; again for an ally.'),
    battle: str = typer.Option("land", help="The battle: a row of the form `battles`."),
    ruleset: Path = typer.Option(None, help="The ruleset's folder (default: the shipped one)."),
    place: str = typer.Option("", help="Where it is fought: id or name."),
    origin: str = typer.Option("", "--from", help="Where the attackers come from; decides what the border is."),
    works: str = typer.Option("", help="What guards that border for the defenders."),
    exact_: bool = typer.Option(False, "--exact", help="Every outcome with its probability (the default)."),
    trials: int = typer.Option(0, min=0, help="Sample so many battles instead."),
    seed: int = typer.Option(1, help="Seed of the samples."),
    withdraw_after: int = typer.Option(0, min=0, help="The attacker leaves after so many rounds."),
    withdraw_above: int = typer.Option(-1, min=-1, help="The attacker leaves when he has lost more units."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """The odds of a battle: chances of its ends, expected losses and survivors, and how the losses are spread.

    The same tables and the same code as the real battle are used.

    Example: wteaw odds --attacker "NATION: 10 KIND, 4 KIND" --defender "NATION: 8 KIND" --place ID --from ID
    """
    if format not in ("text", "json"):
        raise Stop("the format is text or json", 2)
    if exact_ and trials:
        raise Stop("--exact and --trials exclude each other", 2)
    rules, found = compile_ruleset(ruleset or rulesets())
    if rules is None:
        errors = sum(d.severity == "error" for d in found)
        raise Stop(f"the ruleset has {errors} errors; `wteaw validate` shows them")
    names = Names(rules)
    limits = {}
    if withdraw_after:
        limits["rounds"] = withdraw_after
    if withdraw_above >= 0:
        limits["losses"] = withdraw_above
    question = Question(
        names.find("battles", battle), names.force(attacker), names.force(defender),
        names.find("places", place) if place else "", names.find("places", origin) if origin else "",
        works or None, limits={0: limits} if limits else {},
    )  # fmt: skip
    world = World(rules, State({"game": {"game": {"turn": 1}}}))
    plan = plan_of(world, question)
    _no_one_missing(plan, question, names)
    result = sample(plan, trials, seed) if trials else exact(plan)
    if format == "json":
        typer.echo(json.dumps(result.to_json(), indent=2, sort_keys=True))
    else:
        typer.echo(render(result, names.title(question), names.unit, names.nation))


def _no_one_missing(plan: Plan, question: Question, names: Names) -> None:
    """Say who was named but cannot take part."""
    there = {(g.side, g.owner, g.kind) for g in plan.groups}
    for side, force in ((0, question.attackers), (1, question.defenders)):
        for owner, kind in force:
            if (side, owner, kind) not in there:
                word = "attack" if side == 0 else "defend"
                typer.echo(f"note: {names.unit(kind, 2)} cannot {word} here and are left out", err=True)
    for side, word in ((0, "attacker"), (1, "defender")):
        if not plan.holds[side]:
            raise Stop(f"the {word} has no unit that can fight this battle")


class Names:
    """Ids and names of a ruleset, both ways."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules

    def find(self, form: str, text: str) -> str:
        """The id that a text means: the id itself, a name, plural or alias. Stop if there is none."""
        wanted = text.strip().casefold()
        known: dict[str, str] = {}
        for id_, row in self.rules.rows(form).items():
            for word in (id_, row.get("name", ""), row.get("plural", ""), row.get("symbol", ""), *row.get("aliases", ())):
                known.setdefault(str(word).casefold(), id_)
        for alias in self.rules.rows("aliases").values():
            if alias.get("form", form) == form and self.rules.has(form, alias["for"]):
                known.setdefault(str(alias["id"]).replace("-", " "), alias["for"])
        if wanted in known:
            return known[wanted]
        near = nearest(wanted, known)
        raise Stop(f"no {form} called {text.strip()!r}" + (f"; did you mean {near[0]!r}?" if near else ""), 2)

    def force(self, texts: list[str]) -> dict[tuple[str, str], int]:
        """Texts such as "NATION: 10 KIND, 4 KIND" as numbers by nation and kind."""
        out: dict[tuple[str, str], int] = {}
        for text in texts:
            nation, colon, units = text.partition(":")
            if not colon:
                raise Stop(f'{text!r} is not of the form "NATION: 10 KIND, 4 KIND"', 2)
            owner = self.find("nations", nation)
            for part in units.split(","):
                fits = _PART.fullmatch(part)
                if fits is None:
                    raise Stop(f"{part.strip()!r} is not a number and a kind of unit, such as 10 KIND", 2)
                kind = self.find("units", fits[2])
                out[owner, kind] = out.get((owner, kind), 0) + int(fits[1])
        return out

    def unit(self, kind: str, n: float) -> str:
        row = self.rules.rows("units").get(kind, {})
        name = str(row.get("name", kind))
        return name if n == 1 else str(row.get("plural", name))

    def nation(self, id_: str) -> str:
        return str(self.rules.rows("nations").get(id_, {}).get("name", id_))

    def title(self, question: Question) -> str:
        row = self.rules.row("battles", question.battle)
        where = self.rules.rows("places").get(question.place, {}).get("name", "")
        return f"{row.get('name', question.battle)}{f' of {where}' if where else ''}"
