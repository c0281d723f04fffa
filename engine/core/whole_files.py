"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes, *, shared: bool = False) -> None:
    """Put a file in the place of what is there, if anything, at once: who reads meanwhile sees the old one or
    the new.

    One that was there keeps its permissions; a new one is its owner's alone or, `shared`, has those that new
    files have. OSError, and nothing is changed, if it cannot be.
    """
    beside = path.with_name(f".new-{secrets.token_hex(8)}")
    try:
        with open(
            beside, "xb", opener=lambda name, flags: os.open(name, flags, 0o666 if shared else 0o600)
        ) as file:
            file.write(content)
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o777)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
