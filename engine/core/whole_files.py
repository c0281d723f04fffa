"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in the place of what is there, if anything, at once: who reads meanwhile sees the old one or the new.

    One that was there keeps its permissions; a new one is its owner's alone. OSError, and nothing is changed, if it cannot be.
    """
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if path.exists():
            Path(beside).chmod(path.stat().st_mode & 0o777)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
