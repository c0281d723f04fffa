"""A share of `make hostile`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the server comes with the extra `server`")

from .hostile import hostile


def test_nothing_that_is_sent_breaks_a_server(tmp_path: Path) -> None:
    seen, faults = hostile(tmp_path, 400, 100)
    assert faults == []
    assert {"200", "303", "400", "403", "404", "409", "mail ignored"} <= set(seen), (
        "it got as far as the pages"
    )
