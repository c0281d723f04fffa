"""`wteaw backup`: a copy of a game that is being written to is the game, and can be gone on with."""

from __future__ import annotations

import json
import resource
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from wteaw.cli import _run
from wteaw.play.verify import audit
from wteaw.store import Game
from wteaw.store.schema import handins

from .test_trust_moderator import begun, send


@pytest.fixture
def played(tmp_path: Path) -> Path:
    game = begun(tmp_path / "g")
    for _ in range(2):
        send(game, "red")
        game.resolve()
    game.engine.dispose()
    return tmp_path / "g"


WRITER = """
import sys
from pathlib import Path
from tests.test_trust_moderator import send
from wteaw.store import Game
game = Game.open(Path(sys.argv[1]))
for n in range(10_000):
    send(game, "red", "dig\\n" * (n % 3) + "# so\\n")
    print(n, flush=True)
"""


def test_a_copy_that_is_made_while_others_write_is_what_stood_at_one_moment(
    played: Path, tmp_path: Path
) -> None:
    """Several copies while another process hands orders in: each is whole, and has what had been accepted when it was begun."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(played)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    try:
        seen = -1
        for n in range(4):
            seen = int(writer.stdout.readline())
            assert _run(["backup", str(played), "--out", str(tmp_path / str(n))]) == 0
            game = Game.open(tmp_path / str(n))
            assert [wrong for _, wrong in audit(game) if wrong] == []
            with game.reading() as db:
                kept = db.execute(select(handins.c.number).where(handins.c.game == game.id)).scalars().all()
            assert len(kept) >= seen + 1 + 2 and list(kept) == list(range(1, len(kept) + 1))
            game.engine.dispose()
            time.sleep(0.05)
    finally:
        writer.kill()
        writer.wait()


def test_a_copy_is_gone_on_with_as_the_game_itself(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same orders come to the same dice and the same journal; what is done with the one does nothing to the other."""
    send(Game.open(played), "red")
    assert _run(["backup", str(played), "--out", str(tmp_path / "copy"), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["games"] == [{"game": "small", "turn": 3, "wrong": ""}]
    assert stat.S_IMODE(Path(said["file"]).stat().st_mode) == 0o600, "it holds every secret"
    assert [p.name for p in (tmp_path / "copy").iterdir()] == ["game.db"]
    heads = {}
    for folder in ("g", "copy"):
        game = Game.open(tmp_path / folder)
        heads[folder] = game.resolve().position.head
        assert game.stage().number == 4
    assert heads["g"] == heads["copy"]
    assert _run(["verify", "--game", str(tmp_path / "copy")]) == 0


def test_a_copy_takes_the_place_of_nothing(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(["backup", str(played), "--out", str(tmp_path / "copy")]) == 0
    before = (tmp_path / "copy" / "game.db").read_bytes()
    assert _run(["backup", str(played), "--out", str(tmp_path / "copy")]) == 3
    assert (
        "is there already" in capsys.readouterr().err
        and (tmp_path / "copy" / "game.db").read_bytes() == before
    )
    assert _run(["backup", str(tmp_path / "copy"), "--out", str(tmp_path / "copy")]) == 3
    assert _run(["backup", "postgresql+psycopg://x", "--out", str(tmp_path / "pg")]) == 2


def test_a_copy_of_a_damaged_game_says_so(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = Game.open(played)
    with game.writing() as db:
        db.exec_driver_sql("update entries set body = replace(body, 'a', 'b') where number = 3")
    assert _run(["backup", str(played), "--out", str(tmp_path / "copy")]) == 1
    said = capsys.readouterr().out
    assert "small, turn 3: " in said and "whole" not in said


def test_a_copy_for_which_there_is_no_room_leaves_nothing(played: Path, tmp_path: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    words = [sys.executable, "-m", "wteaw", "backup", str(played), "--out", str(tmp_path / "copy")]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=small)
    assert done.returncode == 4 and "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1, (
        done.stderr
    )
    assert not list((tmp_path / "copy").iterdir())
    assert _run(["verify", "--game", str(played)]) == 0
