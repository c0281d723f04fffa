"""`wteaw show` and `wteaw diff`: rows as they are after all overlays, where each value comes from, and what
differs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import typer

from ..core.codes import CODES, page
from ..core.diagnostics import has_errors, nearest, render, render_one
from ..core.frame import FrameNode, nodes_in
from ..core.model import SEQUENCE
from ..core.package_data import data_root, rulesets
from ..ruleset import Ruleset, load_ruleset
from ..ruleset.compare import compare
from ..ruleset.describe_diff import one_line, tell
from ..ruleset.folder import MANIFEST, SHIPPED, find_rulesets
from ..ruleset.sequence_changes import NAMES
from . import ExitCode, Stop


def show(
    id: str = typer.Argument(
        ...,
        help="The row: TABLE/ID, or an id alone for all rows of that id; a TABLE alone for the ids of its "
        "rows; sequence for the steps of a turn; or the code of a finding.",
    ),
    ruleset: Path = typer.Option(
        None, "--ruleset", "-r", help="Folder of the ruleset (default: the shipped one)."
    ),
    resolved: bool = typer.Option(
        False, "--resolved", help="Every key, with the file and line that it comes from."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Show a row as it is after all overlays, which rows a table has, the steps of a turn, or what the code
    of a finding means and which page tells more of it.

    Example: wteaw show units/ID --ruleset ruleset/variants/NAME --resolved
    """
    if id.upper() in CODES:
        code = id.upper()
        said = {
            "code": code,
            "means": CODES[code],
            "example": f"docs/made/findings.md#{code.lower()}",
            "page": f"docs/{page(code)}",
        }
        typer.echo(
            json.dumps(said, indent=1)
            if format == "json"
            else "\n".join(f"{key}: {text}" for key, text in said.items())
        )
        return
    folder = ruleset or rulesets()
    rules = open_ruleset(folder)
    rows = _matching(rules, id)
    whole = _whole(rules, id)
    if whole is not None:
        typer.echo(
            json.dumps(whole, ensure_ascii=False, default=str) if format == "json" else "\n".join(whole)
        )
        return
    if not rows:
        keys = [(form, id_) for form in rules.forms for id_ in rules.rows(form)]
        known = [id_ for _, id_ in keys] + [f"{form}/{id_}" for form, id_ in keys]
        near = nearest(id, known, count=3)
        raise Stop(
            f"no row {id!r} in {folder}" + (f"; did you mean {', '.join(near)}?" if near else ""),
            ExitCode.CALL,
        )
    if format == "json":
        data = [_as_json(rules, form, id_, folder) for form, id_ in rows]
        typer.echo(json.dumps(data, ensure_ascii=False, indent=1))
        return
    typer.echo("\n\n".join(_as_text(rules, form, id_, folder, resolved) for form, id_ in rows))


def diff(
    a: Path = typer.Argument(..., help="Folder of a ruleset."),
    b: Path = typer.Argument(..., help="Folder of the ruleset to compare it with."),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Say in words what differs between two rulesets: what is new, what is gone, and each value as it was and
    as it is.

    Example: wteaw diff ruleset ruleset/variants/NAME
    """
    first, second = open_ruleset(a), open_ruleset(b)
    found = list(compare(first, second))
    if format == "json":
        typer.echo(json.dumps([d.to_json() for d in found], ensure_ascii=False, indent=1, default=str))
        return
    for line in tell(found, first, second, lambda origin: _at(origin, b)):
        typer.echo(line)
    if not found:
        typer.echo("no difference")


def open_ruleset(folder: Path) -> Ruleset:
    """The ruleset in a folder (or a shipped one: its name, or `data:PATH`); its errors are only counted, on
    stderr.
    """
    if str(folder).startswith(SHIPPED):
        folder = data_root() / str(folder).removeprefix(SHIPPED)
    if not (folder / MANIFEST).is_file() and folder.name != MANIFEST:
        shipped = {p.name: p for p in find_rulesets(rulesets())}
        if str(folder) in shipped:
            folder = shipped[str(folder)]
    if not folder.exists():
        raise Stop(f"{folder} does not exist", ExitCode.CALL)
    rules, found = load_ruleset(folder, keep_broken=True)
    if rules is None:
        first = next((d for d in found if d.severity == "error"), None)
        raise Stop(
            f"{folder} cannot be read as a ruleset" + (f":\n{render_one(first)}" if first else ""),
            ExitCode.FOUND,
        )
    if has_errors(found):
        errors = sum(d.severity == "error" for d in found)
        typer.echo(
            f"note: {folder} has {errors} error{'s' if errors > 1 else ''}; `wteaw validate` shows them",
            err=True,
        )
    return rules


def sound_ruleset(path: Path | None) -> tuple[Path, Ruleset]:
    """A folder (without one the shipped base) and the ruleset in it; Stop with all findings if it has
    errors.
    """
    folder = path or rulesets()
    if not folder.is_dir():
        raise Stop(f"{folder} is no folder", ExitCode.CALL)
    ruleset, found = load_ruleset(folder)
    if ruleset is None:
        raise Stop(f"{folder} cannot be read\n{render(found, 'text')}", ExitCode.FOUND)
    return folder, ruleset


def _matching(rules: Ruleset, id_: str) -> list[tuple[str, str]]:
    form, slash, rest = id_.partition("/")
    if slash and rules.has(form, rest):
        return [(form, rest)]
    return [(form, id_) for form in rules.forms if rules.has(form, id_)]


def _whole(rules: Ruleset, id_: str) -> list[str] | None:
    """The ids of a table's rows, or the steps of a turn, those inside others further in."""
    if id_ == SEQUENCE:
        return [_in_the_turn(node) for node in nodes_in(rules.sequence)]
    return list(rules.rows(id_)) if id_ in rules.forms else None


def _in_the_turn(node: FrameNode) -> str:
    called = next((str(node.row[key]) for key in NAMES if key in node.row), "")
    does = f"  (do: {node.row['do']})" if "do" in node.row else ""
    return f"{'  ' * len(node.above)}{called}{does}"


def _at(origin: str, folder: Path) -> str:
    """file:line as seen from here."""
    file, _, line = origin.rpartition(":")
    return f"{os.path.normpath(folder / file)}:{line}" if file else ""


def _keys(rules: Ruleset, form: str, id_: str) -> list[str]:
    """The keys of a row in the order they were written."""

    def place(key: str) -> tuple[str, int, int]:
        parts = rules.origins.get(f"{form}/{id_}.{key}", "").rsplit(":", 2)
        return (parts[0], int(parts[1]), int(parts[2])) if len(parts) == 3 else ("", 0, 0)

    return sorted(rules.row(form, id_), key=lambda key: (key != "id", place(key)))


def _as_text(rules: Ruleset, form: str, id_: str, folder: Path, resolved: bool) -> str:
    row = rules.row(form, id_)
    lines = [f"{form}/{id_}  ({_at(rules.origin(form, id_), folder)})"]
    keys = [key for key in _keys(rules, form, id_) if key != "id"]
    width = max((len(key) for key in keys), default=0)
    for key in keys:
        line = f"  {key + ':':<{width + 1}} {one_line(row[key])}"
        lines.append(f"{line:<60}  # {_at(rules.origin(form, id_, key), folder)}" if resolved else line)
    return "\n".join(lines)


def _as_json(rules: Ruleset, form: str, id_: str, folder: Path) -> dict[str, Any]:
    row = rules.row(form, id_)
    keys = {key: _at(rules.origin(form, id_, key), folder) for key in row}
    value = json.loads(json.dumps(row, default=str))
    return {
        "form": form,
        "id": id_,
        "row": value,
        "at": _at(rules.origin(form, id_), folder),
        "origins": keys,
    }
