"""Where the shipped rulesets, schemas and scenarios are: in the repository, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def data_root() -> Path:
    """The folder that holds `ruleset/`, `schemas/` and `scenarios/`."""
    shipped = _PACKAGE / "data"
    return shipped if shipped.is_dir() else _PACKAGE.parent


def schemas() -> Path:
    return data_root() / "schemas"


def rulesets() -> Path:
    return data_root() / "ruleset"


def scenarios() -> Path:
    return data_root() / "scenarios"
