"""A sweep: the same seeds for every candidate, played by worker processes, each game kept as one JSON line as soon as it is over.

Every worker is a pool of one process of its own, so that one that is lost takes only its own game along, which is played again.
A game's figures hang on its seed and its candidate alone, so neither their number nor their order changes the result.
"""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ...core.canonical import digest
from ...core.faults import BrokenGame, MachineError, RuleError, StoreError, of_rules
from ...core.model import Ruleset
from ..scenario_files import load_scenario
from .one import Figures, play_one

GAMES = "games.jsonl"
SETTINGS = "settings.json"
PLAYING = "playing"
MOST_TRIES = 3
"""So often is a game played that its worker does not survive."""

Key = tuple[int, str]


@dataclass(frozen=True)
class Candidate:
    """One of the things compared: a scenario's file, another ruleset's folder for it if any, and options."""

    name: str
    scenario: Path
    ruleset: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def load(self) -> tuple[dict[str, Any], Ruleset]:
        """Its scenario and ruleset; StoreError if they cannot be played (any more)."""
        scenario, ruleset, _ = load_scenario(self.scenario, rules=self.ruleset)
        if scenario is None or ruleset is None:
            raise BrokenGame(f"{self.scenario} cannot be played; `wteaw validate` says why")
        return scenario, ruleset


def fingerprint(candidate: Candidate, scenario: Mapping[str, Any], ruleset: Ruleset) -> dict[str, Any]:
    """What an candidate's results hang on, as they are kept beside them."""
    return {"name": candidate.name, "scenario": digest(scenario), "ruleset": ruleset.hash, "options": candidate.options}


def seed_of(seed: str, number: int) -> str:
    """The seed of one game of a sweep: hex text of 32 bytes, which `wteaw play --seed` takes."""
    return hashlib.sha256(f"{seed}/{number}".encode()).hexdigest()


def prepare(out: Path, settings: Mapping[str, Any], *, force: bool) -> dict[Key, Figures]:
    """Make the folder ready and give the games that it holds; StoreError if they are of other settings, unless `force`."""
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
        other = ", ".join(k for k in settings if there.get(k) != settings[k])
        raise StoreError(
            f"{out} holds results of other settings ({other}); `--force` begins anew, `--out` another folder leaves them"
        )
    shutil.rmtree(out / PLAYING, ignore_errors=True)  # left by a command that was killed
    (out / PLAYING).mkdir(parents=True)
    _replace(kept, json.dumps(settings, ensure_ascii=False, indent=1) + "\n")
    held = dict(_read(games))
    _write(games, held)  # without the half of a line that a killed command may have left
    return held


def _read(path: Path) -> Iterator[tuple[Key, Figures]]:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else ():
        try:
            figures = json.loads(line)
            yield (int(figures["game"]), str(figures["candidate"])), figures
        except (ValueError, KeyError, TypeError):
            continue  # that game is played again


def _line(figures: Figures) -> str:
    return json.dumps(figures, ensure_ascii=False, separators=(",", ":")) + "\n"


def _write(path: Path, games: Mapping[Key, Figures]) -> None:
    _replace(path, "".join(_line(figures) for _, figures in sorted(games.items())))


def _replace(path: Path, text: str) -> None:
    half = path.with_name(f"{path.name}.new")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def sweep(
    out: Path, candidates: list[Candidate], hashes: Mapping[str, str], held: dict[Key, Figures], *,
    games: int, turns: int, seed: str, workers: int, told: Callable[[int, int], None],
) -> dict[Key, Figures]:  # fmt: skip
    """Play what is not held yet; gives all, by number and candidate. `told` hears how many of how many are played now.

    `hashes` is each candidate's ruleset, by which a worker notices that it has been edited meanwhile. StoreError for a game whose
    worker has died too often.
    """
    by_name = {candidate.name: candidate for candidate in candidates}
    todo = [(n, candidate.name) for n in range(1, games + 1) for candidate in candidates if (n, candidate.name) not in held]
    todo.reverse()
    total, tries = len(todo), Counter[Key]()
    slots: list[ProcessPoolExecutor] = []
    running: dict[Future[Figures], tuple[Key, int]] = {}

    def send(slot: int) -> None:
        key = todo.pop()
        task = partial(_play, by_name[key[1]], hashes[key[1]], key[0], seed_of(seed, key[0]), turns, out / PLAYING)
        try:
            job = slots[slot].submit(task)
        except BrokenProcessPool:  # lost while it had nothing to do
            slots[slot] = _worker()
            job = slots[slot].submit(task)
        running[job] = (key, slot)

    try:
        with (out / GAMES).open("a", encoding="utf-8") as file:
            for slot in range(min(workers, total)):
                slots.append(_worker())
                send(slot)
            while running:
                for job in wait(running, return_when=FIRST_COMPLETED).done:
                    key, slot = running.pop(job)
                    try:
                        held[key] = job.result()
                    except BrokenProcessPool:
                        tries[key] += 1
                        if tries[key] >= MOST_TRIES:
                            lost = f"game {key[0]} of {key[1]} (seed {seed_of(seed, key[0])}): its worker died {MOST_TRIES} times"
                            raise MachineError(f"{lost}; the other results stand in {out / GAMES}") from None
                        slots[slot].shutdown(wait=False)
                        slots[slot] = _worker()
                        todo.append(key)
                    else:
                        file.write(_line(held[key]))
                        file.flush()
                        told(total - len(todo) - len(running), total)
                    if todo:
                        send(slot)
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()  # what they play is played again
        raise
    finally:
        for pool in slots:
            pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(out / PLAYING, ignore_errors=True)
    _write(out / GAMES, held)
    return held


def _worker() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """A worker leaves it to the command to be interrupted, and ends when the command is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(200_000, 20, 20)  # as the command that started it
    command = multiprocessing.parent_process()

    def follow() -> None:
        if command is not None:
            command.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


_loaded: dict[str, tuple[dict[str, Any], Ruleset]] = {}
"""In a worker: what it has read, by the name of the candidate."""


def _play(candidate: Candidate, rules: str, number: int, seed: str, turns: int, scratch: Path) -> Figures:
    if candidate.name not in _loaded:
        _loaded[candidate.name] = candidate.load()
        gc.freeze()  # rules stay for as long as a worker lives
    scenario, ruleset = _loaded[candidate.name]
    if ruleset.hash != rules:
        raise StoreError(f"the rules of {candidate.name} were changed while games were played; start again with `--force`")
    about = {"game": number, "candidate": candidate.name, "seed": seed}
    try:
        return about | play_one(scenario, ruleset, seed=seed, turns=turns, options=candidate.options, scratch=scratch)
    except Exception as error:  # a game that the rules cannot carry on is a finding, and no reason to lose the others
        found = error if isinstance(error, RuleError | StoreError) else of_rules(error)
        if found is None:
            raise
        return about | {"error": str(found)}
