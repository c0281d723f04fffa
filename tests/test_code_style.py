"""Style of the code that no linter holds: it is read from the syntax tree of every file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "web", "lab", "editor", "importers", "tools", "tests")


def nested_conditionals(tree: ast.AST) -> Iterator[int]:
    """The lines of conditional expressions of which a part is a conditional expression itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and any(
            isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse)
        ):
            yield node.lineno


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_conditional_expression_stands_in_another(folder: str) -> None:
    """They read better as `if` and `elif`, as a table of cases or as a function of their own."""
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in nested_conditionals(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a if x else b", []),
        ("a if x else f(b if y else c)", []),
        ("a if x else b if y else c", [1]),
        ("(a if y else b) if x else c", [1]),
        ("1\na if (x if y else z) else b", [2]),
    ],
)
def test_what_counts_as_nested(text: str, lines: list[int]) -> None:
    assert list(nested_conditionals(ast.parse(text))) == lines
