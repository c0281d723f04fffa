"""Style of the code that no linter holds: it is read from the syntax tree of every file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "web", "lab", "editor", "importers", "tools", "tests")


def places(folder: str, lines: Callable[[ast.AST], Iterator[int]]) -> list[str]:
    """Where in the files of a folder something stands, by what finds its lines in a syntax tree."""
    return [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in lines(ast.parse(path.read_text(encoding="utf-8")))
    ]


def nested_conditionals(tree: ast.AST) -> Iterator[int]:
    """The lines of conditional expressions of which a part is a conditional expression itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and any(
            isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse)
        ):
            yield node.lineno


def long_comprehensions(tree: ast.AST) -> Iterator[int]:
    """The lines of comprehensions with two loops that do not stand on one line, and of those with three."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            loops = len(node.generators)
            if loops > 2 or (loops == 2 and node.end_lineno != node.lineno):
                yield node.lineno


@pytest.mark.parametrize("folder", ("engine", "web", "lab", "editor", "importers", "tools"))
def test_comprehensions_with_two_loops_are_short(folder: str) -> None:
    """What flattens a list of lists reads well on one line; what needs more is a loop."""
    assert not (found := places(folder, long_comprehensions)), "\n".join(found)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[a for b in c for a in b]", []),
        ("[a for b in c\n for a in b]", [1]),
        ("{a: d for b in c for d in b for a in d}", [1]),
        ("[\n a for a in b\n if a]", []),
    ],
)
def test_what_counts_as_a_long_comprehension(text: str, lines: list[int]) -> None:
    assert list(long_comprehensions(ast.parse(text))) == lines


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_conditional_expression_stands_in_another(folder: str) -> None:
    """They read better as `if` and `elif`, as a table of cases or as a function of their own."""
    assert not (found := places(folder, nested_conditionals)), "\n".join(found)


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
