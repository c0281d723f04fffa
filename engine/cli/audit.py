"""`wteaw audit`: whether a game was played by its rules, recomputed from its journal and its tables."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from . import ExitCode, Stop
from .game import open_game
from .terminal import Working

SHOWN = 20
"""Findings of one auditor that are printed unless all are asked for."""


def audit(
    game: Path = typer.Argument(None, help="The folder of the game, or DATABASE#GAME of a server."),
    only: list[str] = typer.Option([], help="Ask this auditor only (again for more); `--list` shows all."),
    list_: bool = typer.Option(
        False, "--list", help="Show the auditors and their questions, and audit nothing."
    ),
    every: bool = typer.Option(
        False, "--every", help=f"Print every finding, not the first {SHOWN} of each auditor."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Check a played game again: each auditor answers one question, by code that shares nothing with the
    referee.

    What cannot be computed independently is skipped and counted. Ends with 1 if anything is found.

    Example: wteaw audit out/game
    """
    from ..report.game_audit import QUESTIONS, audited, played

    if list_:
        typer.echo("\n".join(f"{name}: {question}" for name, question in QUESTIONS.items()))
        return
    unknown = [name for name in only if name not in QUESTIONS]
    if unknown:
        from ..core.diagnostics import did_you_mean

        hint = did_you_mean(unknown[0], QUESTIONS) or f"known: {', '.join(QUESTIONS)}"
        raise Stop(f"no auditor {unknown[0]!r}; {hint}", ExitCode.CALL)
    if game is None:
        raise Stop("which game? Give its folder", ExitCode.CALL)
    opened = open_game(game)
    with Working("recomputing the game"):
        books = audited(played(opened), only)
    if format == "json":
        data = {"game": opened.id, "auditors": [book.to_json(QUESTIONS[book.auditor]) for book in books]}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=1))
    else:
        for book in books:
            typer.echo("\n".join(book.lines(QUESTIONS[book.auditor], most=None if every else SHOWN)))
    if any(book.found for book in books):
        raise typer.Exit(ExitCode.FOUND)
