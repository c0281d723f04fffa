"""Every key of every schema written wrongly in each of the usual ways is told where it stands, or excused here with the reason.

The mistakes are made from the schemas (`spoiled_keys`): `python -m tests.spoiled_keys` shows all that are not told.
"""

from __future__ import annotations

import random
import re
from itertools import islice
from pathlib import Path

import pytest

from wteaw.ruleset.forms import forms

from .folders import own_cache  # noqa: F401
from .long_ones import LONG
from .spoiled_keys import Figures, Host, Spoiling, all_keys, chosen, hosts, made_up, misspelt, try_all

EXCUSED = [  # key, way, what is written; why it is not told
    (r"/id$", "word", "", "the name of a part of a row, which nothing else need name"),
    (r"/(remove|append)$", "", "", "is said of the layer below, and done before the checks"),
    (r"/source$", "word", "", "a ruleset without clauses of its own may cite those of a book"),
    (r"^definitions.*/is$", "type", "True", "a definition may be a truth"),
    (r"^events.*/once$", "type", "", "a name that events share"),
    (r"^policies.*/odds$", "type", "7", "odds of 7 to 1 are odds"),
    (r"^rule-test.*/orders/\*$", "type", "", "the text of an order, which playing the test refuses"),
    (r"^rule-test.*/(order|says|text)", "", "", "a part of a text, which playing the test looks for"),
    (r"^rule-test.*/stacks/", "type", "{'qzx': 1}", "a case may give units conditions of its own"),
    (r"^rule-test.*/case/when$", "type", "[]", "a case may look at a position without playing a step"),
    (r"^rule-test.*/(dice|win)$", "", "", "a result that playing the test compares"),
    (r"^rule-test.*/then/(asks|asked)/\[\]/", "type", "", "a value that playing the test compares"),
    (
        r"^rule-test.*/then/(chances|means|draws|odds/\[\])/",
        "type",
        "",
        "a figure that playing the test compares",
    ),
    (r"^rule-test.*/made_up/", "type", "", "ids in a list, or with what they are"),
    (r"^rule-test.*/flags", "type", "", "flags in a list, or with what is known of them"),
    (r"^policies.*/war/(allies|push|shift)$", "type", "7", "seven times as much is a ratio"),
    (r"^production.*/uses/", "type", "7", "seven of it are an amount"),
    (
        r"^(production.*/hand|detection.*/targets_only)$",
        "type",
        "True",
        "one of the words that may stand there",
    ),
    (r"^common.*/roll.*/faces$", "type", "7", "a face of the die"),
]
ASKED = 1500
"""Spoilings that the quick test makes at the least: fewer would mean that the keys are not found."""
MOST_SILENT = 0.005
"""The share that may go untold over all shipped rulesets (0.0044 when last measured): it may only be lowered."""


def excuse(spoiling: Spoiling) -> str:
    """Why a mistake need not be told; nothing if it must be."""
    pointer = spoiling.place.pointer.replace(".schema.json#", "")
    for key, way, what, why in EXCUSED:
        if re.search(key, pointer) and way in ("", spoiling.way) and what in ("", spoiling.what):
            return why
    return ""


def tried(every: list[Host], made: bool) -> Figures:
    rng = random.Random(1)
    picked = chosen(every, rng)
    picked |= made_up(every, picked) if made else {}
    return try_all(picked, rng, excused=excuse)


def test_every_key_of_a_small_game_written_wrongly_is_told(tmp_path: Path) -> None:
    figures = tried(list(islice(hosts(tmp_path), 1)), made=False)
    assert [s.says for s in figures.silent] == []
    assert [s.says for s, _ in figures.elsewhere] == []
    assert figures.counts["told"] > ASKED


@LONG
def test_every_key_of_all_schemas_written_wrongly_is_told(tmp_path: Path) -> None:
    every = list(hosts(tmp_path))
    figures = tried(every, made=True)
    print(figures.says())
    assert len(figures.silent) <= MOST_SILENT * figures.counts.total(), [s.says for s in figures.silent]
    assert len(figures.keys) > 0.9 * len(all_keys(forms()))


@pytest.mark.parametrize(
    ("word", "wrong"), [("attack", "attcak"), ("on", "onn"), ("aa", "aaa"), ("x-3", "x-3x")]
)
def test_a_misspelt_word_is_another(word: str, wrong: str) -> None:
    assert misspelt(word) == wrong
