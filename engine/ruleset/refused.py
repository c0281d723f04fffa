"""The limits of a file, and the finding that ends its reading."""

from __future__ import annotations

from ..core.diagnostics import Diagnostic

MAX_BYTES = 5_000_000
MAX_DEPTH = 60
MAX_ALIAS_NODES = 50_000
MAX_NODES = 500_000
MAX_FINDINGS = 100


class UnreadableText(Exception):
    """The text cannot be read further; carries the finding."""

    def __init__(self, code: str, message: str, line: int = 0, column: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.args = (code, message, line, column, hint)

    def at(self, file: str) -> Diagnostic:
        code, message, line, column, hint = self.args
        return Diagnostic(code, "error", message, file, line, column, hint)
