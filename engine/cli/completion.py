"""Shell completion: commands, options and the ids that they take, for bash, zsh, fish and PowerShell.

Typer writes the scripts and answers the shells. Only the module of the command that stands in the line is
imported, so that a press of the key is answered at once. What a parameter takes follows from its name:
`OFFERS` is the table.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.models import ParameterInfo

from ..core.package_data import rulesets, scenarios
from ..ruleset.folder import find_rulesets
from . import COMMANDS, Command, ExitCode, Stop, formats_in

NAME = "wteaw"
VARIABLE = "_WTEAW_COMPLETE"
"""Set by a shell that asks."""
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
Offered = Iterator[tuple[str, str]]


def script(shell: str) -> str:
    """What a shell reads to complete our commands."""
    from typer._completion_shared import get_completion_script

    return str(get_completion_script(prog_name=NAME, complete_var=VARIABLE, shell=_known(shell)))


def install(shell: str) -> str:
    """Leave the script where the shell reads it when it starts; says where."""
    from typer._completion_shared import install as put

    found, path = put(shell=_known(shell), prog_name=NAME, complete_var=VARIABLE)
    return f"Completion for {found} is in {path}; a new terminal has it."


def _known(shell: str) -> str:
    """A shell by its name, or the one that started this process."""
    if not shell:
        with contextlib.suppress(ImportError, OSError):
            import shellingham

            with contextlib.suppress(shellingham.ShellDetectionFailure):
                shell = shellingham.detect_shell()[0]
    if shell not in SHELLS:
        raise Stop(
            f"no shell {shell!r}; known: {', '.join(SHELLS)}"
            if shell
            else f"name the shell: {', '.join(SHELLS)}",
            ExitCode.CALL,
        )
    return shell


def answer() -> int:
    """Answer the shell that asks, on standard output."""
    word = next(iter(_typed()[1:]), "")
    root = typer.Typer(name=NAME, add_completion=True, rich_markup_mode=None, pretty_exceptions_enable=False)
    for command in COMMANDS:
        if command.exists:
            _add(root, command, asked=command.name == word)
    try:
        typer.main.get_command(root).main(prog_name=NAME, complete_var=VARIABLE)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return ExitCode.DONE


def _typed() -> list[str]:
    """The words of the line that is completed."""
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or "").split()


def _add(root: typer.Typer, command: Command, *, asked: bool) -> None:
    if not asked:
        root.command(command.name, help=command.says)(lambda: None)
        return
    app = command.app()
    for row in app.registered_commands:
        if row.callback is not None:
            _offer(row.callback)
    if len(app.registered_commands) == 1 and app.registered_commands[0].name == command.name:
        root.command(command.name, help=command.says)(app.registered_commands[0].callback or (lambda: None))
    else:
        root.add_typer(app, name=command.name)


def _offer(function: Callable[..., Any]) -> None:
    """Give the parameters of a command what they offer."""
    for name, parameter in inspect.signature(function).parameters.items():
        info = parameter.default
        if not isinstance(info, ParameterInfo):
            continue
        if name == "format":
            info.autocompletion = _formats(formats_in(str(info.help)))
        elif name in OFFERS:
            info.autocompletion = _fitting(OFFERS[name])


def _fitting(
    offers: Callable[[typer.Context], Offered],
) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        try:
            return list({id_: says for id_, says in offers(ctx) if id_.startswith(incomplete)}.items())
        except Exception:  # a shell that asks wants no error: there is nothing to offer
            return []

    return complete


def _formats(known: Sequence[str]) -> Callable[[str], Sequence[str]]:
    return lambda incomplete: [w for w in known if w.startswith(incomplete)]


# ---- what is offered


def _scenarios(ctx: typer.Context) -> Offered:
    for path in sorted(scenarios().glob("*.yaml")):
        yield path.stem, value_in(path, "title")


def _rulesets(ctx: typer.Context) -> Offered:
    for folder in find_rulesets(rulesets()):
        yield value_in(folder / "ruleset.yaml", "id"), value_in(folder / "ruleset.yaml", "title")


def _nations(ctx: typer.Context) -> Offered:
    """The nations of the game or scenario that stands in the line."""
    from .game import open_game, read_scenario

    given = ctx.params
    if given.get("game"):
        rules = open_game(Path(given["game"])).ruleset
    else:  # words that stand before an option without its value are not read yet
        known = {path.stem for path in scenarios().glob("*.yaml")}
        named = given.get("scenario") or next((word for word in _typed()[2:] if word in known), "")
        if not named:
            return
        rules = read_scenario(str(named))[1]
    for id_, row in rules.rows("nations").items():
        yield id_, str(row.get("name", ""))


def _rows(ctx: typer.Context) -> Offered:
    from .show import open_ruleset

    rules = open_ruleset(ctx.params.get("ruleset") or rulesets())
    for form in rules.forms:
        for id_ in rules.rows(form):
            yield id_, form


def value_in(file: Path, key: str) -> str:
    """The value of a top-level key, read without a parser: a manifest or scenario is asked for at every press
    of the key.
    """
    found = re.search(
        rf"^{key}: *[\"']?(.*?)[\"']? *(?:#.*)?$", file.read_text(encoding="utf-8"), re.MULTILINE
    )
    return found[1] if found else ""


OFFERS: dict[str, Callable[[typer.Context], Offered]] = {
    "scenario": _scenarios,
    "extends": _rulesets,
    "nation": _nations,
    "player": _nations,
    "proxy": _nations,
    "id": _rows,
}
"""Name of a parameter to what it takes. Folders and files the shell completes itself."""
