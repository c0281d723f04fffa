"""`wteaw dice`: commit, reveal, verify. A moderator publishes; a player, or anybody at the end of a game, rolls again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from . import Stop
from .game import GAME, open_game

__all__ = ["app"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, no_args_is_help=True)


@app.command()
def commit(game: Path = GAME) -> None:
    """What to publish before orders are due: the game's anchor and the commitment to the present turn's dice.

    Example: wteaw dice commit --game games/flanders
    """
    found = open_game(game)
    stage = found.stage()
    typer.echo(json.dumps({"anchor": found.head["anchor"], "commitment": asdict(stage.commitment)}, indent=1))


@app.command()
def reveal(
    game: Path = GAME,
    turn: int = typer.Option(..., help="A turn that has been resolved."),
    nation: str = typer.Option("", help="The keys of this nation's dice and of everybody's; without it everybody's alone."),
    out: Path = typer.Option(None, help="A file; otherwise it is printed."),
) -> None:
    """The keys and dice of a turn that a nation may check, as JSON for `dice verify`. After the game's end: the secret itself.

    Example: wteaw dice reveal --game games/flanders --turn 3 --nation NATION --out turn-3.json
    """
    from ..core.fairness import Chain, mix_salts
    from ..core.fairness import reveal as opened
    from ..world.view import readable
    from ..world.world import World
    from .names import nation_named

    found = open_game(game)
    nation = nation_named(nation, found.ruleset, found.stage().position.state) if nation else ""
    stages = [found.stage(number) for number, t, _ in found.stages() if t == turn]
    now = found.stage().position
    if not stages or (now.turn <= turn and not now.ended):
        raise Stop(f"turn {turn} has not been resolved")
    stage = stages[0]
    entries = found.journal(turn=turn)
    if not now.ended:
        world = World(found.ruleset, now.state, geography=found.geography)
        entries = readable(entries, world, nation) if nation else [e for e in entries if "everyone" in e.audience]
    salts = found.salts(turn)
    data: dict[str, Any] = {
        "game": found.id,
        "turn": turn,
        "anchor": found.head["anchor"],
        "commitment": asdict(stage.commitment),
        "salts": salts,
        "mix": mix_salts(salts) if salts else "",
        "openings": [
            asdict(o) for o in opened(found.turn_key(turn, stage.attempt), stage.commitment, [nation] if nation else [])
        ],
        "dice": [record for e in entries for record in e.dice],
    }
    if now.ended:
        seed, length = found.secrets()
        data["secret"] = Chain.create(bytes.fromhex(seed), length).secret(turn)
    text = json.dumps(data, indent=1)
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        typer.echo(f"{len(data['dice'])} throws in {out}")


@app.command()
def verify(file: Path = typer.Argument(..., help="What `dice reveal` gave.")) -> None:
    """Check keys against the commitment and roll every die again. Needs nothing but the file.

    Example: wteaw dice verify turn-3.json
    """
    from ..core.dice import audience_key
    from ..core.fairness import Commitment, Opening, turn_key, verify_commitment, verify_proof, verify_record, verify_secret

    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        committed = Commitment(**{**data["commitment"], "audiences": tuple(data["commitment"]["audiences"])})
        openings = [Opening(**{**o, "path": tuple(o["path"])}) for o in data["openings"]]
        records, turn, mix = data["dice"], int(data["turn"]), str(data["mix"])
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{file} cannot be read: {error}", 2) from None
    except (ValueError, KeyError, TypeError) as error:
        raise Stop(f"{file} is not what `dice reveal` gives: {error}", 2) from None
    for opening in openings:
        if not verify_proof(committed, opening):
            raise Stop(f"the key of {opening.audience} is not the one that was committed to")
    keys = {o.audience: o.key for o in openings}
    if "secret" in data:
        if not verify_secret(data["anchor"], turn, data["secret"]):
            raise Stop("the turn's secret does not belong to the anchor that was published")
        if not verify_commitment(committed, data["secret"]):
            raise Stop("the commitment was not made with the turn's secret")
        key = turn_key(data["secret"], committed.game, committed.turn, committed.attempt)
        keys = {r["audience"]: audience_key(key, r["audience"]) for r in records} | keys
    try:
        verdict = verify_record(keys, records, turn=turn, mix=mix)
    except (KeyError, ValueError) as error:
        raise Stop(f"{file} is not what `dice reveal` gives: {error}", 2) from None
    if not verdict.ok:
        raise Stop(f"throw {verdict.mismatch.record + 1 if verdict.mismatch else '?'} was not rolled so: {verdict.mismatch}")
    typer.echo(f"{verdict.checked} dice come out the same; {verdict.typed} were typed in, {verdict.unseen} are hidden from you.")
