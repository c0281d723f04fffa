"""A sweep as it stands in its folder, with the rules that it was played by: to be read long after, and on another machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...core import canonical
from ...core.faults import BrokenGame, NotThere
from ...core.model import Ruleset
from .one import FORMAT, Figures
from .sweep import GAMES, SETTINGS, read_games
from .workers import Key

ABOUT = "about.json"
RULES = "rules"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Played:
    """`about` says of everything compared what it is called (`title`), how a game is played again (`again`) and its `ruleset`."""

    folder: Path
    settings: Mapping[str, Any]
    about: Mapping[str, Mapping[str, str]]

    @cached_property
    def held(self) -> dict[Key, Figures]:
        """Every game by its number and what it was a game of."""
        most = self.counted
        return {key: figures for key, figures in sorted(read_games(self.folder / GAMES)) if most is None or key[0] <= most}

    def games(self, of: str) -> dict[int, Figures]:
        """The games of one of the things compared."""
        return {n: figures for (n, name), figures in self.held.items() if name == of}

    @cached_property
    def counted(self) -> int | None:
        """How many of the first games count, where the sweep was ended by an error that is small enough; None: all."""
        try:
            found = json.loads((self.folder / SUMMARY).read_text(encoding="utf-8"))
            return int(found["until"]["games"]) if "until" in found else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def rules(self, of: str) -> Ruleset:
        """The ruleset that they were played by."""
        path = self.folder / RULES / f"{self.about[of]['ruleset']}.json"
        try:
            return Ruleset.from_json(canonical.loads(path.read_bytes()))
        except (OSError, ValueError, KeyError) as error:
            raise BrokenGame(f"{path}: the rules of this sweep cannot be read: {error}") from None


def keep_rules(folder: Path, about: Mapping[str, Mapping[str, str]], rules: Mapping[str, Ruleset]) -> None:
    """Write down what the things compared are, and the rulesets themselves under their hashes."""
    (folder / RULES).mkdir(exist_ok=True)
    for ruleset in rules.values():
        path = folder / RULES / f"{ruleset.hash}.json"
        if not path.exists():
            path.write_bytes(canonical.dumps(ruleset.to_json()))
    (folder / SUMMARY).unlink(missing_ok=True)
    (folder / ABOUT).write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def finish(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write down what a sweep has come to."""
    (folder / SUMMARY).write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def played(folder: Path) -> Played:
    """The sweep of a folder; NotThere if there is none."""
    try:
        settings, about = (json.loads((folder / name).read_text(encoding="utf-8")) for name in (SETTINGS, ABOUT))
    except OSError:
        raise NotThere(f"{folder} holds no sweep; `wteaw simulate SCENARIO --games N --out {folder}` makes one") from None
    except ValueError as error:
        raise BrokenGame(f"{folder}: what is said of the sweep cannot be read: {error}") from None
    if settings.get("format") != FORMAT:
        raise BrokenGame(
            f"{folder}: its games were counted by another version of wteaw; `wteaw simulate --force` plays them again"
        )
    return Played(folder, settings, about)
