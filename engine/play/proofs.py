"""Proof of dice for a player: what they are handed of a turn, and the check that needs but that and what was
published.

`revealed` makes the file of a turn: the openings of the reader's audiences, every throw that they were shown,
and check sums of each field. `check` takes anchor, commitment and salts from what was published
(`Published`), never from the file; it says how many dice it rolled again. The sums notice what rolling
cannot: a number to reach, a name that leads to the same face by chance, an anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..core import canonical
from ..core.dice import audience_key
from ..core.fairness import (
    Chain,
    Commitment,
    Opening,
    mix_salts,
    order_salt,
    reveal,
    turn_key,
    verify_commitment,
    verify_proof,
    verify_record,
    verify_salt,
    verify_secret,
)
from ..core.faults import NotThere
from ..core.journal import Entry
from ..store import Game
from ..turn.referee import Position
from ..world.view import readable
from ..world.world import World


def revealed(game: Game, turn: int, nation: str | None) -> dict[str, Any]:
    """What a nation (None: the public) is handed of a turn that is over, as plain JSON; its keys count as
    known from now on.

    Told is what was known then: whose side the nation was on, and what it could read, at the end of that
    turn. When the game has ended, everything is shown, with the turn's secret. StoreError for a turn that is
    not over.
    """
    stages = [game.stage(number) for number, t, _ in game.stages() if t == turn]
    now = game.stage().position
    if not stages or (now.turn <= turn and not now.ended):
        raise NotThere(f"turn {turn} has not been resolved")
    entries = rolled_with(game, turn)
    used = {str(record["audience"]) for e in entries for record in e.dice}
    readers: list[str] = []
    if not now.ended:
        world = World(game.ruleset, position_after(game, turn).state, geography=game.geography)
        entries = (
            readable(entries, world, nation) if nation else [e for e in entries if "everyone" in e.audience]
        )
        if nation:
            readers = [nation, *([side] if (side := world.side_of(nation)) else [])]
    data: dict[str, Any] = {
        "game": game.id,
        "turn": turn,
        "nation": nation or "",
        "openings": [asdict(o) for o in openings(game, turn, readers, used)],
        "dice": [record for e in entries for record in e.dice],
    }
    if now.ended:
        seed, length = game.secrets()
        data["secret"] = Chain.create(bytes.fromhex(seed), length).secret(turn)
    stage = stages[0]
    data["sums"] = sums(data, Published(game.head["anchor"], stage.commitment, game.salts(turn)))
    game.note_opened(turn)
    return data


DIGITS = 8
"""Hex digits of the sum of one field."""


def sums(data: Mapping[str, Any], known: Published) -> dict[str, Any]:
    """The check sums of a file and of what was published: of each field, field after field by name, in its
    part of the file.
    """
    published = {"anchor": known.anchor, "commitment": asdict(known.commitment), "salts": dict(known.salts)}
    return {
        "file": _sum({k: v for k, v in data.items() if k not in ("openings", "dice", "sums")}),
        "published": _sum(published),
        "openings": [_sum(o) for o in data["openings"]],
        "dice": [_sum(record) for record in data["dice"]],
    }


def _sum(part: Mapping[str, Any]) -> str:
    return "".join(
        canonical.keyed(b"wteaw", "wteaw field", [k, part[k]]).hex()[:DIGITS] for k in sorted(part)
    )


def _altered(data: Mapping[str, Any], known: Published) -> str:
    """Which field is not as its sum says, "" if all are."""
    said, found = data.get("sums"), sums(data, known)
    if not isinstance(said, Mapping) or set(said) != set(found):
        return "the file has no check sums, or others than it should"
    parts: list[tuple[str, str, str, Iterable[str]]] = [
        ("what was published", said["published"], found["published"], ("anchor", "commitment", "salts")),
        ("the file", said["file"], found["file"], set(data) - {"openings", "dice", "sums"}),
    ]
    for what, name in (("openings", "key"), ("dice", "throw")):
        if len(said[what]) != len(found[what]):
            return f"there are {len(found[what])} {what} where there were {len(said[what])}"
        for n, part in enumerate(data[what]):
            parts.append((f"{name} {n + 1}", said[what][n], found[what][n], part))
    for where, was, now, fields in parts:
        if was != now:
            at = {k: slice(n * DIGITS, (n + 1) * DIGITS) for n, k in enumerate(sorted(fields))}
            wrong = next((k for k, s in at.items() if was[s] != now[s]), "a field")
            return f"{wrong} of {where} is not what it was"
    return ""


def rolled_with(game: Game, turn: int) -> list[Entry]:
    """The entries whose dice are rolled with the key of a turn: from its orders to the next, so the start of
    the turn after it is among them; of the first turn its own start is, too.
    """
    out: list[Entry] = []
    stages = game.stages()
    before = stages[0][1]
    for number, of, _ in stages:
        if before == turn:
            out += game.journal(position=number)
        before = of
    return out


def openings(game: Game, turn: int, readers: Iterable[str], used: Iterable[str]) -> tuple[Opening, ...]:
    """The openings of a turn's keys for some readers, by the audiences that its dice were rolled for."""
    return reveal(*sealed(game, turn), readers, used)


def sealed(game: Game, turn: int) -> tuple[str, Commitment]:
    """The secret key of a turn's dice, for the moderator's side alone, and the commitment to it."""
    stage = game.stage(next(n for n, t, _ in game.stages() if t == turn))
    return game.turn_key(turn, stage.attempt), stage.commitment


def position_after(game: Game, turn: int) -> Position:
    """The position in which a turn left the game: sides and knowledge as they were then.

    StoreError if it has not been.
    """
    now = game.stage().position
    if not 1 <= turn <= now.turn:
        raise NotThere(f"there has been no turn {turn}; the game stands in turn {now.turn}")
    after = next((n for n, t, _ in game.stages() if t > turn), None)
    return game.stage(after).position if after is not None else now


@dataclass(frozen=True, slots=True)
class Published:
    """What everybody could read before a turn was resolved: the game's anchor, the commitment, the masked
    salts by seat.
    """

    anchor: str
    commitment: Commitment
    salts: Mapping[str, str]

    @classmethod
    def read(cls, said: Any, listed: Any) -> Published:
        """From the JSON of `dice commit` and of `close`.

        ValueError where they are of different turns or not of their form.
        """
        made = dict(said["commitment"])
        lists = {k: tuple(str(a) for a in made[k]) for k in ("audiences", "seats") if k in made}
        committed = Commitment(**{**made, **lists})
        salts = dict(listed.get("salts", {}))
        if not isinstance(said["anchor"], str) or not all(
            isinstance(v, str) for v in (*salts, *salts.values(), committed.root, committed.record)
        ):
            raise ValueError("anchor, root and salts are texts")
        about = {k: listed[k] for k in ("game", "turn", "attempt") if k in listed}
        wanted = {"game": committed.game, "turn": committed.turn, "attempt": committed.attempt}
        if any(wanted[k] != v for k, v in about.items()):
            raise ValueError(
                f"the salts are those of turn {about.get('turn')}, attempt {about.get('attempt')}, not "
                "those of the commitment"
            )
        return cls(said["anchor"], committed, salts)


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """What came of a check: dice shown, rolled again, typed in; why some could not be checked; what is wrong
    ("" for nothing).
    """

    turn: int
    shown: int = 0
    checked: int = 0
    typed: int = 0
    unchecked: Mapping[str, int] = field(default_factory=dict)
    """Why -> how many dice."""
    own_salt: bool | None = None
    """Whether the reader's own file went into the dice; None where it was not shown."""
    listed: bool = False
    """Whether the published list has a salt for the reader's seat."""
    wrong: str = ""

    def lines(self) -> list[str]:
        """The same in words."""
        if self.wrong:
            return [f"WRONG: {self.wrong}"]
        out = [
            f"{self.checked} of the {self.shown} dice that you were shown of turn {self.turn} come out the "
            "same."
        ]
        out += [f"{n} could not be checked: {why}." for why, n in self.unchecked.items()]
        if self.typed:
            out.append(f"{self.typed} were typed in by a person: ask why.")
        if self.own_salt is None and self.listed:
            out.append(
                "Whether your own file took part was not checked: show it with --orders, or say --sent-none."
            )
        elif self.own_salt is None:
            out.append("No file of yours took part in the dice: if you sent one in time, ask why.")
        else:
            out.append("Your own file took part in the dice.")
        return out


def check(
    data: Any, known: Published, *, orders: bytes | None = None, nation: str = "", sent_none: bool = False
) -> ProofCheck:
    """Roll again what a file of `revealed` shows, by what was published. Never raises for what is in the
    file.

    `orders`: the first file that the reader sent; `sent_none`: that there was none.
    """
    turn = known.commitment.turn
    try:
        found = _check(data, known, orders, nation)
        listed = (nation or data.get("nation", "")) in known.salts
        if sent_none and listed and not found.wrong:
            return replace(
                found, wrong="a file counts as yours in the dice, though you sent none", listed=True
            )
        return replace(found, listed=listed)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return ProofCheck(
            turn, wrong=f"the file is not what `dice reveal` gives ({type(error).__name__}: {error})"
        )


def _check(data: Any, known: Published, orders: bytes | None, nation: str) -> ProofCheck:
    committed = known.commitment
    turn = committed.turn
    if (data["game"], data["turn"]) != (committed.game, turn):
        return ProofCheck(
            turn,
            wrong=f"the file is of turn {data['turn']} of {data['game']}, the commitment of turn {turn} of "
            f"{committed.game}",
        )
    if strange := sorted(set(known.salts) - set(committed.seats)):
        return ProofCheck(
            turn,
            wrong=f"the list of salts has {strange[0]}, which the commitment does not name as a player's "
            "seat",
        )
    opened = [Opening(**{**o, "path": tuple(o["path"])}) for o in data["openings"]]
    for opening in opened:
        if not verify_proof(committed, opening):
            return ProofCheck(
                turn, wrong=f"the key of {opening.audience} is not the one that was committed to"
            )
    keys = {o.audience: o.dice_key for o in opened}
    records = list(data["dice"])
    if "secret" in data:
        if not verify_secret(known.anchor, turn, data["secret"]):
            return ProofCheck(
                turn, wrong="the turn's secret does not belong to the anchor that was published"
            )
        if not verify_commitment(committed, data["secret"]):
            return ProofCheck(turn, wrong="the commitment was not made with the turn's secret")
        key = turn_key(data["secret"], committed.game, turn, committed.attempt)
        keys = {r["audience"]: audience_key(key, r["audience"]) for r in records} | keys
    own = _own_salt(known, keys, orders, nation)
    if own is False:
        counts = f"the one that went into the dice for {nation}: the first that came from it in the turn"
        return ProofCheck(turn, own_salt=False, wrong=f"the file that you show is not {counts}")
    mix = mix_salts(known.salts) if known.salts else ""
    verdict = verify_record(keys, records, turn=turn, mix=mix)
    shown = sum(len(drawn["faces"]) for r in records for drawn in r["drawn"])
    if not verdict.ok:
        throw = verdict.mismatch.record + 1 if verdict.mismatch else "?"
        return ProofCheck(
            turn, shown, own_salt=own, wrong=f"throw {throw} was not rolled so: {_told(verdict.mismatch)}"
        )
    if (judged := next((n for n, r in enumerate(records, 1) if _misjudged(r)), None)) is not None:
        told = records[judged - 1]
        said = (
            f"{told['drawn'][0]['total']} where {told['need']} was needed is told as "
            f"{'' if told['hit'] else 'no '}success"
        )
        return ProofCheck(
            turn, shown, own_salt=own, wrong=f"throw {judged} ({told['rule']}, {told['subject']}): {said}"
        )
    if altered := _altered(data, known):
        return ProofCheck(turn, shown, own_salt=own, wrong=altered)
    can = [r for r in records if r["audience"] in keys]
    rolled = sum(len(d["faces"]) for r in can for d in r["drawn"] if not d.get("typed"))
    typed = sum(len(d["faces"]) for r in can for d in r["drawn"] if d.get("typed"))
    return ProofCheck(turn, shown, rolled, typed, _unchecked(records, keys, committed), own)


_NEED = re.compile(r"(-?\d+) or (more|less)")


def _misjudged(record: Mapping[str, Any]) -> bool:
    """Whether a throw is told as a success though it was none by its own number to reach, or the other way
    round.
    """
    fits = _NEED.fullmatch(str(record.get("need", "")))
    if fits is None or len(record["drawn"]) != 1 or not isinstance(record.get("hit"), bool):
        return False
    total, limit = int(record["drawn"][0]["total"]), int(fits[1])
    return bool(record["hit"]) != (total >= limit if fits[2] == "more" else total <= limit)


def _own_salt(known: Published, keys: Mapping[str, str], orders: bytes | None, nation: str) -> bool | None:
    if orders is None:
        return None
    if nation not in keys:
        raise ValueError(f"the file opens no key of {nation or 'a nation (name it with --nation)'}")
    texts = {orders, orders.removeprefix(b"\xef\xbb\xbf"), orders.replace(b"\r\n", b"\n")}
    return any(verify_salt(known.salts, nation, keys[nation], order_salt(text)) for text in texts)


def _unchecked(records: Iterable[Any], keys: Mapping[str, str], committed: Commitment) -> dict[str, int]:
    """Why dice could not be checked, with how many of them."""
    out: dict[str, int] = {}
    for record in records:
        audience = str(record["audience"])
        if audience in keys:
            continue
        n = sum(len(drawn["faces"]) for drawn in record["drawn"])
        if "+" not in audience and audience not in committed.audiences:
            why = f"{audience} had no part in the commitment"
        elif "+" in audience and not committed.drawers:
            why = (
                "nobody played when the commitment was made, so that keys of groups wait for the end of "
                "the game"
            )
        elif "+" in audience:
            why = (
                "their key lies beside one of others' dice, or they are not yours: at the end of the game "
                "they can be checked"
            )
        else:
            why = f"they are {audience}'s own, who has shown them to you"
        out[why] = out.get(why, 0) + n
    return out


def _told(mismatch: Any) -> str:
    if mismatch is None:
        return "?"
    name = mismatch.name
    return (
        f"{name.rule}, {name.subject}: {mismatch.die} {list(mismatch.recorded)}, not "
        f"{list(mismatch.expected)} ({mismatch.why})"
    )
