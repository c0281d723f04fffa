"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: str | bytes) -> None:
    """Put a file in the place of what is there, with its rights, all at once. OSError as the system has it."""
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    new = Path(beside)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        if path.exists():
            new.chmod(path.stat().st_mode & 0o777)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
