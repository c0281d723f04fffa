"""A sweep: the same seeds for every candidate, played by a crew of workers, each game kept as one line as
soon as it is over.

A game's figures depend on its seed and its candidate alone, so neither the workers nor their order changes
the result.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wteaw.core.canonical import digest
from wteaw.core.faults import MachineError, StoreError
from wteaw.core.model import Ruleset
from wteaw.core.whole_files import write_whole
from wteaw.store import FILE as GAME_FILE

from .single_game import Figures
from .workers import MOST_TRIES, Crew, Key, Lost, Task

GAMES = "games.jsonl"
SETTINGS = "settings.json"
PLAYING = "playing"
LOCK = ".lock"
SAID = {"format": "another version of wteaw counted them", "engine": "another version of wteaw played them"}
"""What other settings are, where their key does not say it."""


@dataclass(frozen=True)
class SweepCandidate:
    """One of the things compared: a scenario's file, another ruleset's folder for it if any, and options."""

    name: str
    scenario: Path
    ruleset: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    """By which policy a nation is played, instead of the one that fits it."""


def fingerprint(candidate: SweepCandidate, scenario: Mapping[str, Any], ruleset: Ruleset) -> dict[str, Any]:
    """What a candidate's results depend on, as they are kept beside them."""
    return {
        "name": candidate.name,
        "scenario": digest(scenario),
        "ruleset": ruleset.hash,
        "options": candidate.options,
        **({"policies": candidate.policies} if candidate.policies else {}),
    }


def seed_of(seed: str, number: int) -> str:
    """The seed of one game of a sweep: hex text of 32 bytes, which `wteaw play --seed` takes."""
    return hashlib.sha256(f"{seed}/{number}".encode()).hexdigest()


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """While a sweep has its folder to itself, which is made if there is none. StoreError if another one is at
    it.

    What keeps it ends with the process, however that ends.
    """
    if out.exists() and not out.is_dir():
        raise StoreError(f"{out} is a file; `--out` names a folder")
    if (out / GAME_FILE).exists():
        raise StoreError(f"{out} holds a game; `--out` names a folder for the results of many")
    out.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(out / LOCK, timeout=0)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreError(
                    f"another `wteaw simulate` or `wteaw tournament` is at {out}; wait for it, or stop it"
                ) from None
            raise MachineError(f"{out / LOCK}: {error}") from None
        yield


def prepare(out: Path, settings: Mapping[str, Any], *, force: bool) -> tuple[dict[Key, Figures], int]:
    """Make the folder ready and give the games that it holds, and of how many no more can be read.

    StoreError if they are of other settings, unless `force`.
    """
    kept, games = out / SETTINGS, out / GAMES
    if force:
        kept.unlink(missing_ok=True)
        games.unlink(missing_ok=True)
    there = None
    if kept.exists():
        try:
            there = json.loads(kept.read_text(encoding="utf-8"))
        except ValueError:
            there = {}
    elif games.exists():
        there = {}
    if there is not None and there != settings:
        other = ", ".join(
            SAID.get(k, k) for k in settings if not isinstance(there, dict) or there.get(k) != settings[k]
        )
        raise StoreError(
            f"{out} holds results of other settings ({other}); `--force` starts over, `--out` another "
            "folder leaves them"
        )
    shutil.rmtree(out / PLAYING, ignore_errors=True)  # left by a command that was killed
    (out / PLAYING).mkdir(parents=True)
    _put(kept, json.dumps(settings, ensure_ascii=False, indent=1) + "\n")
    held, broken = read_games(games)
    _write(games, held)  # without the half of a line that a killed command may have left
    return held, broken


def read_games(path: Path) -> tuple[dict[Key, Figures], int]:
    """The games of a file, and how many lines are not as they were written.

    A last line that has no end is being written.
    """
    if not path.exists():
        return {}, 0
    *whole, _ = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    held, broken = dict[Key, Figures](), 0
    for line in whole:
        figures, cut, sealed = line.rpartition(SEAL)
        if cut and sealed == f'{_digest(figures)}"}}':
            game = json.loads(figures + "}")
            held[game["game"], game["candidate"]] = game
        else:
            broken += 1
    return held, broken


SEAL = ',"sum":"'
"""Before the digest of a line, by which one that has been damaged is known."""


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _line(figures: Figures) -> str:
    line = json.dumps(figures, ensure_ascii=False, separators=(",", ":")).removesuffix("}")
    return f'{line}{SEAL}{_digest(line)}"}}\n'


def _write(path: Path, games: Mapping[Key, Figures]) -> None:
    _put(path, "".join(_line(figures) for _, figures in sorted(games.items())))


def _put(path: Path, text: str) -> None:
    write_whole(path, text.encode("utf-8"), shared=True)


def sweep(
    out: Path, candidates: Sequence[SweepCandidate], crew: Crew, held: dict[Key, Figures], *,
    games: int, turns: int, seed: str,
    told: Callable[[Mapping[Key, Figures], int], None], enough: Callable[[Mapping[Key, Figures], int], bool],
) -> int:  # fmt: skip
    """Play what is not held yet, and hold it; gives how many games of each candidate count.

    Those are `games`, or the least number of first games that is `enough`. Every result is written down as it
    comes. `told` hears what is held and how many are under way. MachineError for a game whose worker has been
    lost too often.
    """
    options = {candidate.name: candidate.options for candidate in candidates}
    todo = [(n, name) for n in range(games, 0, -1) for name in reversed(options) if (n, name) not in held]
    policies = {candidate.name: candidate.policies for candidate in candidates}
    tries = Counter[Key]()
    whole = 0  # the first games of which every candidate's is held

    def done() -> int | None:
        nonlocal whole
        while whole < games and all((whole + 1, name) in held for name in options):
            whole += 1
            if enough(held, whole):
                return whole
        return None

    count, under_way = done(), 0
    try:
        with (out / GAMES).open("a", encoding="utf-8") as file:
            while count is None and (todo or under_way):
                while todo and crew.room():
                    key = todo.pop()
                    crew.start(
                        Task(key, key[1], seed_of(seed, key[0]), turns, options[key[1]], policies[key[1]])
                    )
                    under_way += 1
                told(held, under_way)
                for task, figures in crew.wait():
                    under_way -= 1
                    if isinstance(figures, Lost):
                        tries[task.key] += 1
                        if tries[task.key] >= MOST_TRIES:
                            lost = (
                                f"game {task.key[0]} of {task.key[1]} (seed {task.seed}): its worker "
                                f"died {MOST_TRIES} times"
                            )
                            raise MachineError(f"{lost}; the other results stand in {out / GAMES}")
                        todo.append(task.key)
                        continue
                    file.write(_line(figures))
                    file.flush()
                    held[task.key] = figures
                    count = count or done()
        told(held, 0)
        crew.close(at_once=count is not None)
    except BaseException:
        crew.close(at_once=True)
        raise
    finally:
        shutil.rmtree(out / PLAYING, ignore_errors=True)
    _write(out / GAMES, held)
    return count or games
