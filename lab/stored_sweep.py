"""A sweep as it stands in its folder, with the rules that it was played by: to be read long after, and on
another machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from wteaw.core import canonical
from wteaw.core.faults import BrokenGame, NotThere
from wteaw.core.model import Ruleset
from wteaw.core.whole_files import write_whole

from .single_game import FORMAT, Figures
from .sweep import GAMES, SETTINGS, read_games
from .workers import Key

ABOUT = "about.json"
RULES = "rules"
SUMMARY = "summary.json"
OF_SETTINGS, OF_ABOUT = {"format", "seed", "turns"}, {"title", "ruleset", "again", "rules", "instead"}
"""What has to be said of a sweep, and of each of the things compared."""
ANEW = "the line that began the sweep, given again, writes it again"
FORCE = "`wteaw simulate --force` plays its games again"


@dataclass(frozen=True)
class Played:
    """`about` says of everything compared what it is called (`title`), how a game is played again (`again`)
    and its `ruleset`.
    """

    folder: Path
    settings: Mapping[str, Any]
    about: Mapping[str, Mapping[str, str]]

    @cached_property
    def read(self) -> tuple[dict[Key, Figures], int]:
        """What the file of its games holds, and how many of its lines are broken."""
        return read_games(self.folder / GAMES)

    @cached_property
    def held(self) -> dict[Key, Figures]:
        """Every game by its number and what it was a game of."""
        most = self.counted
        return {
            key: figures for key, figures in sorted(self.read[0].items()) if most is None or key[0] <= most
        }

    def games(self, of: str) -> dict[int, Figures]:
        """The games of one of the things compared."""
        return {n: figures for (n, name), figures in self.held.items() if name == of}

    @cached_property
    def counted(self) -> int | None:
        """How many of the first games count, where the sweep was ended by an error that is small enough;
        None: all.
        """
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
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            said = getattr(error, "strerror", None) or error
            raise BrokenGame(f"{path}: the rules of this sweep cannot be read ({said}); {ANEW}") from None


def keep_rules(folder: Path, about: Mapping[str, Mapping[str, str]], rules: Mapping[str, Ruleset]) -> None:
    """Write down what the things compared are, and the rulesets themselves under their hashes."""
    (folder / RULES).mkdir(exist_ok=True)
    for ruleset in rules.values():
        write_whole(folder / RULES / f"{ruleset.hash}.json", canonical.dumps(ruleset.to_json()), shared=True)
    (folder / SUMMARY).unlink(missing_ok=True)
    write_json(folder / ABOUT, about)


def write_json(path: Path, found: Mapping[str, Any]) -> None:
    """Write data down for people and programs, whole or not at all."""
    write_whole(path, (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode("utf-8"), shared=True)


def finish(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write down what a sweep has come to."""
    write_json(folder / SUMMARY, summary)


def played(folder: Path) -> Played:
    """The sweep of a folder; NotThere if there is none."""
    settings, about = _read(folder, SETTINGS, FORCE), _read(folder, ABOUT, ANEW)
    if isinstance(settings, dict) and settings.get("format", FORMAT) != FORMAT:
        raise BrokenGame(f"{folder}: its games were counted by another version of wteaw; {FORCE}")
    for name, data, keys, hint in (
        (SETTINGS, [settings], OF_SETTINGS, FORCE),
        (ABOUT, _several(about), OF_ABOUT, ANEW),
    ):
        if not data or not all(isinstance(of, dict) and keys <= of.keys() for of in data):
            raise BrokenGame(f"{folder / name}: no more what `wteaw simulate` wrote there; {hint}")
    return Played(folder, settings, about)


def _read(folder: Path, name: str, hint: str) -> Any:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except OSError:
        raise NotThere(
            f"{folder} holds no sweep; `wteaw simulate SCENARIO --games N --out {folder}` makes one"
        ) from None
    except ValueError as error:
        raise BrokenGame(
            f"{folder / name}: what is said of the sweep cannot be read ({error}); {hint}"
        ) from None


def _several(about: Any) -> list[Any]:
    return list(about.values()) if isinstance(about, dict) else []
