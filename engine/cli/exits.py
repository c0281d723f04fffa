"""What the number means with which a command ends: one table for all commands.

A command that has done its work and found fault with what it looked at ends with `raise
typer.Exit(Code.FOUND)`; one that cannot do what was asked raises `Stop` with the reason. `docs/commands.md`
shows this table; a test walks every command.
"""

from __future__ import annotations

from enum import IntEnum

from ..core.faults import BrokenGame, MachineError, NotThere, StoreError


class ExitCode(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    FOUND = 1
    CALL = 2
    REFUSED = 3
    MACHINE = 4
    BUG = 70
    INTERRUPTED = 130


MEANINGS: dict[ExitCode, str] = {
    ExitCode.DONE: "done, and nothing is wrong",
    ExitCode.FOUND: "what was looked at is at fault: errors in rules or files, a rule test that fails, an "
    "order "
    "that does not stand, a difference, dice that do not come out",
    ExitCode.CALL: "the call is wrong: an option, a value or a combination that there is not, or a file, "
    "game, nation, row "
    "or turn that is not there",
    ExitCode.REFUSED: "understood, but it may not be done now: orders are closed or missing, the game has "
    "ended, a folder "
    "is in use, a key does not fit",
    ExitCode.MACHINE: "this machine lacks or refuses something: an extra that is not installed, a file that "
    "cannot be read or "
    "written, an address in use (`wteaw doctor` says what is missing)",
    ExitCode.BUG: "an error in wteaw itself; please report it",
    ExitCode.INTERRUPTED: "ended by Ctrl-C",
}
"""What each code means, in the order of the codes."""


class Stop(Exception):
    """The command cannot go on; the message is for the user, the code one of the table."""

    def __init__(self, message: str, code: ExitCode = ExitCode.REFUSED) -> None:
        super().__init__(message)
        self.code = code


def of_store_error(error: StoreError) -> ExitCode:
    """The code for what a game could not do."""
    if isinstance(error, NotThere):
        return ExitCode.CALL
    if isinstance(error, MachineError):
        return ExitCode.MACHINE
    return ExitCode.FOUND if isinstance(error, BrokenGame) else ExitCode.REFUSED


def of_os_error(error: OSError) -> ExitCode:
    """The code for what the system refused: a path that is not there was given wrongly, all else is the
    machine.
    """
    return (
        ExitCode.CALL
        if isinstance(error, (FileNotFoundError, IsADirectoryError, NotADirectoryError))
        else ExitCode.MACHINE
    )
