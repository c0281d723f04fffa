"""Where the shipped rulesets, schemas, scenarios and templates are: in the repository, or inside the
installed package.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def data_root() -> Path:
    """The folder that holds `ruleset/`, `schemas/`, `scenarios/` and `templates/`."""
    shipped = _PACKAGE / "data"
    return shipped if shipped.is_dir() else _PACKAGE.parent


def schemas() -> Path:
    return data_root() / "schemas"


def rulesets() -> Path:
    # resolved, as the folder of a layer is: journals name rows by the way from one to the other
    return (data_root() / "ruleset").resolve()


def scenarios() -> Path:
    return (data_root() / "scenarios").resolve()


def templates() -> Path:
    """What commands make new rulesets of: tables of words, rules to fill in, files to begin with."""
    return data_root() / "templates"
