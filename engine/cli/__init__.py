"""What a person types. One table of commands; a command's module is imported only when the command is called.

To add a command: write `engine/cli/NAME.py` with a function (or a `typer.Typer` for a group), and add its
line to `COMMANDS`. A command whose module does not exist is not there. What the number means with which it
ends, `exits` says for all; nothing a user does ends in a traceback.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from ..core.collector import collect_rarely, leave_at_once
from ..core.faults import RuleError, StoreError, of_rules
from .exits import ExitCode, Stop, of_os_error, of_store_error

if TYPE_CHECKING:
    import typer

__all__ = [
    "COMMANDS",
    "Command",
    "ExitCode",
    "Stop",
    "command_group",
    "main",
    "number_of_orders",
    "of_os_error",
    "tell",
]


GROUPS = {
    "play": "To play",
    "moderate": "To moderate",
    "design": "To design rules",
    "analyze": "To analyze games",
}
"""Who uses commands, with the headings of `wteaw --help`."""


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the table: name, what `wteaw --help` says, module in this folder (or, with a dot, wherever
    it stands), what to call in it, and who uses it (one of `GROUPS`)."""

    name: str
    says: str
    module: str = ""
    attribute: str = ""
    group: str = ""

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
        app = command_group()
        app.command(self.name)(target)
        return app


COMMANDS: tuple[Command, ...] = (
    Command("play", "a whole game by bots", group="play"),
    Command("orders", "write, check and submit orders", group="play"),
    Command("status", "who has sent orders, who is late, what awaits whom", group="play"),
    Command("report", "what a nation may know", group="play"),
    Command("map", "the map as SVG or PNG", "report", "map_", group="play"),
    Command("explain", "why a value is what it is: the chain of rules and dice", "report", group="play"),
    Command("odds", "the odds of a battle", group="play"),
    Command("rulebook", "a readable rulebook made from the tables", group="play"),
    Command("dice", "fair dice: commit, reveal, verify", group="play"),
    Command("scenarios", "what can be played", "games", group="moderate"),
    Command("games", "the games in a folder or on a server, and what each waits for", group="moderate"),
    Command("new", "start a game from a scenario", "game", group="moderate"),
    Command("players", "who waits for a position, and who gets one", group="moderate"),
    Command("schedule", "which days of a turn are for what", group="moderate"),
    Command("close", "close orders and publish what goes into the dice", "game", group="moderate"),
    Command("decide", "answer an open question for a nation, or for yourself", "game", group="moderate"),
    Command("resolve", "resolve the turn", "game", group="moderate"),
    Command("rollback", "go back to a chosen point", "game", group="moderate"),
    Command("verify", "whether a stored game is what was played", "game", group="moderate"),
    Command("backup", "a copy of a game or a server, while it is in use", group="moderate"),
    Command("upgrade", "new rules for a game in progress", "game", group="moderate"),
    Command("serve", "the server: games in a browser and by mail", "wteaw_web.command", group="moderate"),
    Command(
        "tick", "what is due on a server: reminders, deadlines, mails", "wteaw_web.command", group="moderate"
    ),
    Command("doctor", "what is missing on this machine, and what mends it", group="moderate"),
    Command("init", "begin a ruleset of your own", group="design"),
    Command("validate", "every error and warning in rulesets and scenarios, at its place", group="design"),
    Command("format", "one layout for tables, scenarios and rule tests", attribute="format_", group="design"),
    Command("test", "run the rule tests of a ruleset", group="design"),
    Command("show", "one row as resolved, with where each key comes from", group="design"),
    Command("diff", "what differs between two rulesets, in words", "show", group="design"),
    Command("coverage", "clause to row to test, and what is missing", group="design"),
    Command(
        "mutate",
        "which changes of the rules no rule test would notice",
        "wteaw_lab.commands.mutate",
        group="design",
    ),
    Command(
        "import", "recorded games and game files of other programs", "wteaw_importers.command", group="design"
    ),
    Command(
        "lsp",
        "a language server for editors: findings, completion, help, renaming",
        "wteaw_editor.command",
        group="design",
    ),
    Command("simulate", "whole campaigns, many times over", "wteaw_lab.commands.simulate", group="analyze"),
    Command(
        "balance",
        "what a sweep of games came to, as a page with charts",
        "wteaw_lab.commands.balance",
        group="analyze",
    ),
    Command("tournament", "which bots beat which", "wteaw_lab.commands.tournament", group="analyze"),
    Command(
        "statistics",
        "a game in charts by turn, for its news",
        "wteaw_lab.commands.statistics",
        group="analyze",
    ),
    Command("luck", "what the dice of a game came to, against the odds before each throw", group="analyze"),
    Command("audit", "whether a game was played by its rules, recomputed", group="analyze"),
    Command(
        "systems",
        "which systems of rules there are, in figures",
        "wteaw_lab.commands.systems",
        group="analyze",
    ),
    Command(
        "export",
        "a game as a record that other programs read",
        "wteaw_importers.command",
        "export",
        group="analyze",
    ),
)
"""All commands. `attribute` defaults to the command's name, or `app` if the module has one."""


def command_group(says: str = "", *, no_args_is_help: bool = False) -> typer.Typer:
    """A group of commands; what a command by itself stands in."""
    import typer  # start-up time: the list of commands is shown without it

    return typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=says or None,
        no_args_is_help=no_args_is_help,
    )  # fmt: skip


def tell(format: str, data: Mapping[str, Any], *lines: str) -> None:
    """Say what a command did, in lines or as JSON."""
    print(json.dumps(data, ensure_ascii=False, default=str) if format == "json" else "\n".join(lines))


def number_of_orders(n: int) -> str:
    """So many orders, in words: `1 order`, `3 orders`."""
    return f"{n} order{'' if n == 1 else 's'}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    collect_rarely()
    leave_at_once()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts a thread a core else, and none has work
    sys.exit(_run(list(sys.argv[1:] if arguments is None else arguments)))


def _run(arguments: list[str]) -> int:
    from .terminal import spelled_out

    with spelled_out() as out:
        code: int = ExitCode.DONE
        with suppress(BrokenPipeError):
            code = _carry_out(arguments)
        out.finish()
    if out.unread:  # the reader of our output has had enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        code = ExitCode.DONE
    if f"{__name__}.game" in sys.modules:
        sys.modules[f"{__name__}.game"].at_work = None  # type: ignore[attr-defined]
    return code


def _carry_out(arguments: list[str]) -> int:
    if "_WTEAW_COMPLETE" in os.environ:  # a shell asks
        return int(import_module(f"{__name__}.completion").answer())
    name = arguments[0] if arguments else "--help"
    if name in ("--help", "-h", "help"):
        if arguments[1:] and not arguments[1].startswith("-"):  # `wteaw help new`
            return _carry_out([*arguments[1:], "--help"])
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
    except BrokenPipeError:
        raise  # see `_run`
    except OSError as error:
        print(f"wteaw {name}: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return of_os_error(error)
    except Exception as error:
        found = of_rules(error)
        if found is not None:
            return _unruly(name, found)
        if damage := _damage():
            print(
                f"wteaw {name}: the game's file is damaged ({damage}); take back a copy of it",
                file=sys.stderr,
            )
            return ExitCode.FOUND
        traceback.print_exc()
        print(
            f"wteaw {name}: this is an error in wteaw itself; please report it with the lines above",
            file=sys.stderr,
        )
        return ExitCode.BUG


def _damage() -> str:
    """What is wrong with the game that the command was at, if it is that which has led to an error; else
    nothing.
    """
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
        result = found.main(
            args=_as_declared(found, arguments[1:]), prog_name=f"wteaw {command.name}", standalone_mode=True
        )
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    return result if isinstance(result, int) else 0


FORMATS = ("text", "json", "html", "svg", "sarif", "github", "junit")
"""Every output format that a command has, in the order of help."""


def formats_in(help_text: str) -> list[str]:
    """The formats that an option's help names: those that its command has."""
    return [name for name in FORMATS if re.search(rf"\b{name}\b", help_text)]


def _as_declared(command: Any, arguments: list[str]) -> list[str]:
    """What was typed, as the command (or the one of a group that is called) declares it: `--json` is
    `--format json`, and the game of a command that takes no other argument needs no `--game`.

    Help is made to say what an option takes in words: its formats, and that it may be given again.
    """
    inner = getattr(command, "commands", {}).get(arguments[0] if arguments else "", command)
    options = {p.name: p for p in inner.params if p.param_type_name == "option"}
    for option in options.values():
        if option.multiple:
            option.metavar = option.metavar or "<text>"
            option.help = f"{option.help or ''} May be given again.".strip()
    end = arguments.index("--") if "--" in arguments else len(arguments)
    typed, rest = arguments[:end], arguments[end:]
    if "format" in options:
        option = options["format"]
        known = formats_in(option.help or "")
        option.metavar = "|".join(known)
        option.help = f"{option.help} `--json` is short for `--format json`."
        typed = list(chain.from_iterable(["--format", "json"] if w == "--json" else [w] for w in typed))
        _check_format(typed, known)
    start = 0 if inner is command else 1
    bare = len(typed) > start and not typed[start].startswith("-")
    if bare and "game" in options and len(options) == len(inner.params):
        typed.insert(start, "--game")
    return typed + rest


def _check_format(typed: Sequence[str], known: Sequence[str]) -> None:
    """Stop before anything is done if a format was asked for that the command does not have."""
    from ..core.diagnostics import did_you_mean

    given = [after for word, after in pairwise(typed) if word == "--format"]
    given += [word.removeprefix("--format=") for word in typed if word.startswith("--format=")]
    for wrong in (name for name in given if name not in known):
        hint = did_you_mean(wrong, known) or "known: " + ", ".join(known)
        raise Stop(f"no format {wrong!r}; {hint}", ExitCode.CALL)


def _completion(option: str, shell: list[str]) -> int:
    completion = import_module(f"{__name__}.completion")
    try:
        print(
            (completion.install if option == "--install-completion" else completion.script)(
                shell[0] if shell else ""
            )
        )
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
    lines = [
        "Usage: wteaw COMMAND [OPTIONS] ...",
        "",
        "A referee for grand-strategy games whose rules are data.",
    ]
    for group, title in GROUPS.items():
        lines += [
            "",
            f"{title}:",
            *(f"  {c.name:<10} {c.says}" for c in COMMANDS if c.group == group and c.exists),
        ]
    return "\n".join(
        [
            *lines,
            "",
            "`wteaw COMMAND --help` explains one command, with an example. Every command takes `--format "
            "json`, or `--json`.",
            "`wteaw --version` tells the version, `wteaw --install-completion` lets bash, zsh or fish "
            "complete commands,",
            "options and ids.",
        ]
    )
