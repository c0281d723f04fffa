"""Rulesets written down in a test: a map from file name to text, and what is found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wteaw.core.diagnostics import Diagnostic
from wteaw.ruleset import Ruleset, load_ruleset

MANIFEST = "id: game\ntitle: A game\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache of its own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("WTEAW_CACHE", str(folder))
    return folder


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files, with a manifest unless one is given."""
    for name, text in {"ruleset.yaml": MANIFEST, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def found(folder: Path, tables: str | None = None, **options: bool) -> list[Diagnostic]:
    """The findings in a ruleset, or in one with a single table file."""
    if tables is not None:
        write(folder, {"tables/t.yaml": tables})
    return load_ruleset(folder, **options)[1]


def places(findings: list[Diagnostic]) -> list[tuple[str, int, int]]:
    """Code, line and column of each finding."""
    return [(d.code, d.line, d.column) for d in findings]


def loaded(folder: Path) -> Ruleset:
    """A ruleset without errors."""
    ruleset, findings = load_ruleset(folder)
    assert ruleset is not None, findings
    return ruleset


def marked(text: str, codes: str) -> tuple[str, list[tuple[str, int, int]]]:
    """A text without its marks `›`, and what `places` must give: one code for each mark, at the character after it."""
    expected: list[tuple[str, int, int]] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        parts = line.split("›")
        for before in range(1, len(parts)):
            expected.append(("", number, len("".join(parts[:before])) + 1))
    assert len(expected) == len(codes.split())
    return text.replace("›", ""), [(code, *at[1:]) for code, at in zip(codes.split(), expected, strict=True)]


def errors_are_told(folder: Path, text: str, codes: str) -> None:
    """Assert that a table's errors are those at its marks `›`, with these codes, and no others."""
    text, expected = marked(text, codes)
    assert [p for p in places(found(folder, text)) if not p[0].startswith("W")] == expected
