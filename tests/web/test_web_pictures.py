"""The pictures of the README are of the pages as they are: what each was drawn from is made again and compared, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the server comes with the extra `server`")
pytest.importorskip("httpx")

from tools import pictures  # isort: skip

ROOT = Path(__file__).resolve().parents[2]


def test_the_pictures_show_what_there_is() -> None:
    """`make pictures` takes them again."""
    with pictures.window() as shown:
        found = pictures.sources(shown)
    assert "Send 5 orders" in found["orders"], "every line of the draft stands"
    assert found["map"].startswith("<svg") and "You won" in found["turn"]
    kept = json.loads((pictures.FOLDER / pictures.SOURCES).read_text(encoding="utf-8"))
    stale = sorted(name for name, digest in pictures.digests(found).items() if kept.get(name) != digest)
    assert not stale, (
        f"the pages have changed since their pictures were taken ({', '.join(stale)}): `make pictures`"
    )


def test_the_readme_shows_every_picture_and_none_is_heavy() -> None:
    shown = set(re.findall(r"docs/pictures/([\w-]+\.webp)", (ROOT / "README.md").read_text(encoding="utf-8")))
    kept = {p.name: p.stat().st_size for p in pictures.FOLDER.glob("*.webp")}
    assert shown == set(kept) == {"map.webp", *(f"{page}.webp" for page in pictures.PAGES)}
    assert all(0 < size <= pictures.MOST_BYTES for size in kept.values()), kept
