"""`wteaw lsp`: a language server for rulesets, over standard input and output.

`docs/editors.md` says how editors start it.
"""

from __future__ import annotations

import typer

from wteaw.cli import ExitCode, Stop

__all__ = ["lsp"]


def lsp(
    tcp: int = typer.Option(
        0, "--tcp", min=0, max=65535, help="Serve one editor over TCP on 127.0.0.1 at this number instead."
    ),
) -> None:
    """Findings as you type, completion, help, definitions, renaming and rule tests for editors that speak
    LSP.

    Editors start it themselves: see the page on editors in the documentation.

    Example: wteaw lsp
    """
    try:
        from .server import make_server
    except ModuleNotFoundError as missing:
        raise Stop(
            f"the language server needs {missing.name}: pip install 'wteaw[lsp]'", ExitCode.MACHINE
        ) from None
    server = make_server()
    if tcp:
        server.start_tcp("127.0.0.1", tcp)
    else:
        server.start_io()
