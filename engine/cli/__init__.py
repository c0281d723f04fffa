"""What a person types. One table of commands; a command's module is imported only when the command is called.

To add a command: write `engine/cli/NAME.py` with a function (or a `typer.Typer` for a group), and add its line to `COMMANDS`.
A command whose module does not exist is not there. What the number means with which it ends, `exits` says for all; nothing a
user does ends in a traceback.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..core.collector import collect_rarely, leave_at_once
from ..core.faults import RuleError, StoreError, of_rules
from .exits import ExitCode, Stop, of_os_error, of_store_error

if TYPE_CHECKING:
    import typer

__all__ = ["COMMANDS", "Command", "ExitCode", "Stop", "formats", "main", "of_os_error", "tell"]


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the table: name, what `wteaw --help` says, module in this folder (or, with a dot, wherever it stands), and
    what to call in it."""

    name: str
    says: str
    module: str = ""
    attribute: str = ""

    @property
    def path(self) -> str:
        """The module as Python imports it."""
        return self.module if "." in self.module else f"{__name__}.{self.module or self.name}"

    @property
    def exists(self) -> bool:
        try:
            return find_spec(self.path) is not None
        except ModuleNotFoundError:
            return False

    def app(self) -> typer.Typer:
        """What carries the command out: the group that its module has, or one of its function alone."""
        import typer  # start-up time: the list of commands is shown without it

        module = import_module(self.path)
        target = getattr(module, self.attribute or self.name, None)
        if target is None or not callable(target):
            target = module.app
        if isinstance(target, typer.Typer):
            return target
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        app.command(self.name)(target)
        return app


COMMANDS: tuple[Command, ...] = (
    Command("init", "begin a ruleset of your own"),
    Command("validate", "every error and warning in rulesets and scenarios, at its place"),
    Command("format", "one layout for tables, scenarios and rule tests", attribute="format_"),
    Command("test", "run the rule tests of a ruleset"),
    Command("coverage", "clause to row to test, and what is missing"),
    Command("mutate", "which changes of the rules no rule test would notice", "wteaw_lab.commands.mutate"),
    Command("systems", "which systems of rules there are, in figures", "wteaw_lab.commands.systems"),
    Command("show", "one row as resolved, with where each key comes from"),
    Command("diff", "what differs between two rulesets, in words", "show"),
    Command("rulebook", "a readable rulebook made from the tables"),
    Command("new", "start a game from a scenario", "game"),
    Command("orders", "write, check and submit orders"),
    Command("resolve", "resolve the turn", "game"),
    Command("close", "close orders and publish what goes into the dice", "game"),
    Command("verify", "whether a stored game is what was played", "game"),
    Command("audit", "whether a game was played by its rules, reckoned anew"),
    Command("report", "what a nation may know"),
    Command("map", "the map as SVG or PNG", "report", "map_"),
    Command("status", "who has sent orders, who is late, what awaits whom"),
    Command("explain", "why a value is what it is: the chain of rules and dice", "report"),
    Command("rollback", "go back to a chosen point", "game"),
    Command("decide", "make or override a decision", "game"),
    Command("players", "who waits for a position, and who gets one"),
    Command("schedule", "which days of a turn are for what"),
    Command("upgrade", "new rules for a game in progress", "game"),
    Command("dice", "fair dice: commit, reveal, verify"),
    Command("odds", "the odds of a battle"),
    Command("import", "recorded games and game files of other programs", "wteaw_importers.command"),
    Command("export", "a game as a record that other programs read", "wteaw_importers.command", "export"),
    Command("luck", "what the dice of a game came to, against the odds before each throw"),
    Command("statistics", "a game in charts by turn, for its news", "wteaw_lab.commands.statistics"),
    Command("simulate", "whole campaigns, many times over", "wteaw_lab.commands.simulate"),
    Command("tournament", "which policy beats which", "wteaw_lab.commands.tournament"),
    Command("balance", "what a sweep of games came to, as a page with charts", "wteaw_lab.commands.balance"),
    Command("lsp", "a language server for editors: findings, completion, help, renaming", "wteaw_editor.command"),
    Command("play", "a whole game by built-in policies"),
    Command("serve", "the desk: games in a browser and by mail", "wteaw_web.command"),
    Command("tick", "what is due at a desk: reminders, deadlines, mails", "wteaw_web.command"),
    Command("doctor", "what is missing on this machine, and what mends it"),
)
"""All commands. `attribute` defaults to the command's name, or `app` if the module has one."""


def formats(format: str, *known: str) -> None:
    """Stop unless an output format is one of those that a command has."""
    from ..core.diagnostics import did_you_mean

    if format not in known:
        hint = did_you_mean(format, known) or "known: " + ", ".join(known)
        raise Stop(f"no format {format!r}; {hint}", ExitCode.CALL)


def tell(format: str, data: Mapping[str, Any], *lines: str) -> None:
    """Say what a command did, in lines or as JSON."""
    formats(format, "text", "json")
    print(json.dumps(data, ensure_ascii=False, default=str) if format == "json" else "\n".join(lines))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    collect_rarely()
    leave_at_once()
    sys.exit(_run(list(sys.argv[1:] if arguments is None else arguments)))


def _run(arguments: list[str]) -> int:
    from .terminal import spelled_out

    with spelled_out():
        code = _carry_out(arguments)
    if f"{__name__}.game" in sys.modules:
        sys.modules[f"{__name__}.game"].at_work = None  # type: ignore[attr-defined]
    return code


def _carry_out(arguments: list[str]) -> int:
    if "_WTEAW_COMPLETE" in os.environ:  # a shell asks
        return int(import_module(f"{__name__}.completion").answer())
    name = arguments[0] if arguments else "--help"
    if name in ("--help", "-h", "help"):
        print(_help())
        return ExitCode.DONE if arguments else ExitCode.CALL
    if name == "--version":
        from importlib.metadata import version

        print(f"wteaw {version('wteaw')}")
        return ExitCode.DONE
    if name in ("--install-completion", "--show-completion"):
        return _completion(name, arguments[1:])
    command = next((c for c in COMMANDS if c.name == name and c.exists), None)
    if command is None:
        return _unknown(name)
    try:
        return _call(command, arguments)
    except Stop as stop:
        from .terminal import warn

        warn(f"wteaw {name}: {stop}")
        return stop.code
    except RuleError as error:
        return _unruly(name, error)
    except StoreError as error:
        print(f"wteaw {name}: {error}", file=sys.stderr)
        return of_store_error(error)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except OSError as error:
        print(f"wteaw {name}: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return of_os_error(error)
    except Exception as error:
        found = of_rules(error)
        if found is not None:
            return _unruly(name, found)
        if damage := _damage():
            print(f"wteaw {name}: the game's file is damaged ({damage}); take back a copy of it", file=sys.stderr)
            return ExitCode.FOUND
        traceback.print_exc()
        print(f"wteaw {name}: this is an error in wteaw itself; please report it with the lines above", file=sys.stderr)
        return ExitCode.BUG


def _damage() -> str:
    """What is wrong with the game that the command was at, if it is that which has led to an error; else nothing."""
    game_commands = sys.modules.get(f"{__name__}.game")
    game = getattr(game_commands, "at_work", None)
    if game is None:
        return ""
    from ..play.verify import damage

    return damage(game) or ""


def _unruly(name: str, error: RuleError) -> int:
    print(f"wteaw {name}: a rule cannot be carried out, and nothing is changed\n  {error}", file=sys.stderr)
    return ExitCode.FOUND


def _call(command: Command, arguments: list[str]) -> int:
    import typer

    found = typer.main.get_command(command.app())
    try:
        result = found.main(args=arguments[1:], prog_name=f"wteaw {command.name}", standalone_mode=True)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    return result if isinstance(result, int) else 0


def _completion(option: str, shell: list[str]) -> int:
    completion = import_module(f"{__name__}.completion")
    try:
        print((completion.install if option == "--install-completion" else completion.script)(shell[0] if shell else ""))
    except Stop as stop:
        print(f"wteaw {option}: {stop}", file=sys.stderr)
        return stop.code
    return ExitCode.DONE


def _unknown(name: str) -> int:
    from ..core.diagnostics import did_you_mean

    known = [c.name for c in COMMANDS if c.exists]
    hint = did_you_mean(name, known) or "`wteaw --help` lists the commands"
    print(f"wteaw: no command {name!r}; {hint}", file=sys.stderr)
    return ExitCode.CALL


def _help() -> str:
    lines = [f"  {c.name:<10} {c.says}" for c in COMMANDS if c.exists]
    return "\n".join(
        [
            "Usage: wteaw COMMAND [OPTIONS] ...",
            "",
            "A referee for grand-strategy games whose rules are data.",
            "",
            "Commands:",
            *lines,
            "",
            "`wteaw COMMAND --help` explains one command, with an example. `wteaw --version` tells the version,",
            "`wteaw --install-completion` lets bash, zsh or fish complete commands, options and ids.",
        ]
    )
