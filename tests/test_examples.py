"""The examples in docs/ are what a reader gets: they are made again here and compared line by line."""

from __future__ import annotations

import difflib
import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools" / "examples.py"
QUICK = ("1914", "alliances-4", "diplomacy", "empire-orders")
"""Played again in every run of the tests; `make examples` plays all."""


@pytest.mark.parametrize("scenario", QUICK)
def test_an_example_is_what_a_reader_gets(scenario: str) -> None:
    spec = importlib.util.spec_from_file_location("examples", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for name, text in tool.examples(scenario):
        kept = (tool.FOLDER / name).read_text(encoding="utf-8")
        differs = "\n".join(
            difflib.unified_diff(kept.splitlines(), text.splitlines(), name, "as it is now", lineterm="")
        )
        assert not differs, f"{differs}\n\nIf this is meant, `make examples` writes it down."
