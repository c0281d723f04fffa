"""The rooms of the engine: at most seventeen, few files beside them, and no two files that import each other."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp
import networkx as nx

ENGINE = Path(__file__).resolve().parents[1] / "engine"


def imports() -> nx.DiGraph:
    """Every import of the engine, those for types and those inside functions, too."""
    found = grimp.build_graph("wteaw", cache_dir=None)
    graph = nx.DiGraph()
    graph.add_nodes_from(found.modules)
    graph.add_edges_from((a, b) for a in found.modules for b in found.find_modules_directly_imported_by(a))
    return graph


def test_no_files_import_each_other() -> None:
    circles = [sorted(c) for c in nx.strongly_connected_components(imports()) if len(c) > 1]
    assert not circles


def test_at_most_seventeen_packages_and_few_files_beside_them() -> None:
    rooms = [p for p in ENGINE.iterdir() if p.is_dir() and p.name not in ("__pycache__", "data")]
    assert len(rooms) <= 17, sorted(p.name for p in rooms)
    assert len(list(ENGINE.glob("*.py"))) <= 5


def test_the_readme_names_every_room() -> None:
    readme = (ENGINE / "README.md").read_text(encoding="utf-8")
    missing = [
        p.name for p in ENGINE.iterdir() if (p / "__init__.py").exists() and f"`{p.name}/`" not in readme
    ]
    assert not missing


def test_imports_inside_functions_say_why() -> None:
    """A start that is fast is the only reason, and stands beside the import or above it (or so at the one above it).

    Commands all do so, and so does what only single commands bring in.
    """
    silent = []
    for path in sorted(ENGINE.rglob("*.py")):
        if {"cli"} & set(path.relative_to(ENGINE).parts):
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        tree = ast.parse("\n".join(lines))
        functions = [
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        at = {n.lineno for f in functions for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)}
        said = {line for line in at if "#" in lines[line - 1] or lines[line - 2].lstrip().startswith("#")}
        for line in sorted(at - said):
            if line - 1 in said:
                said.add(line)
            else:
                silent.append(f"{path.relative_to(ENGINE)}:{line}: {lines[line - 1].strip()}")
    assert not silent, "\n".join(silent)


def test_one_name_stands_for_one_class() -> None:
    found: dict[str, set[str]] = {}
    for folder in ("engine", "web", "lab", "editor", "importers"):
        for path in (ENGINE.parent / folder).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name, set()).add(path.relative_to(ENGINE.parent).as_posix())
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
