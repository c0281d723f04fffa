"""Files that are damaged, deep or huge, and columns that hold nonsense: refused in one sentence, whatever was asked."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core import canonical

from .test_trust_moderator import begun, send

COMMANDS = (
    ("verify",), ("report", "--nation", "red"), ("report",), ("status",), ("resolve", "--force"), ("close",), ("dice", "commit"),
    ("explain", "red gold"), ("dice", "reveal", "--turn", "1", "--nation", "red"), ("orders", "show", "--nation", "red"),
    ("rollback", "--turn", "1", "--reason", "x", "--yes"), ("audit",),
)  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "g"
    game = begun(folder)
    for _ in range(2):
        send(game, "red")
        game.resolve()
    send(game, "red")
    game.engine.dispose()
    return folder


def bomb(size: int) -> bytes:
    """What unpacks to so many bytes "[": one block that depends on nothing before it, again and again, in the frame of a zlib stream."""
    pack, length = zlib.compressobj(wbits=-15), 1_000_000
    block = pack.compress(b"[" * length) + pack.flush(zlib.Z_FULL_FLUSH)
    n, byte = size // length * length, ord("[")
    low, high = (1 + n * byte) % 65521, (n + byte * n * (n + 1) // 2) % 65521  # Adler-32 of a byte n times
    return b"\x78\x9c" + block * (n // length) + pack.flush() + (high << 16 | low).to_bytes(4, "big")


BOMB = bomb(2_000_000_000)
STATEMENTS: dict[str, tuple[str, tuple[object, ...]]] = {
    "states without content": ("update states set content = x''", ()),
    "no states": ("drop table states", ()),
    "no entries": ("drop table entries", ()),
    "no ledger": ("delete from ledger", ()),
    **{f"positions.{c} is {v!r}": (f"update positions set {c} = ?", (v,)) for c in ("waiting", "dice", "commitment") for v in ("nonsense", "[]", "3", "{}", "null", b"\xff")},
    **{f"games.{c} is {v!r}": (f"update games set {c} = ?", (v,)) for c, values in {
        "length": (0, -1, "long", 1_000_000_000), "seed": ("", "zz", "00", "ff" * 32), "scenario": ("nonsense", "[]"), "title": ("", b"\xff"),
        "drawing": (b"", b"nonsense"), "anchor": ("",), "ruleset": ("nonsense",), "game_start": ("nonsense",),
    }.items() for v in values},
    **{f"entries.body is {v!r}": ("update entries set body = ? where number = 3", (v,)) for v in ("nonsense", "[]", "{}", "null", b"\xff")},
    **{f"inputs.orders is {v!r}": ("update inputs set orders = ?", (v,)) for v in ("nonsense", "{}", "[3]", '[{"order":3}]', "null")},
    "inputs.answers is nonsense": ("update inputs set answers = 'nonsense'", ()),
    **{f"corrections are {v!r}": ("insert into corrections values ('small', 9, 'rollback', ?)", (v,)) for v in ("nonsense", "[]", "{}", '{"turn":"x","stage":[]}')},
    "a ruleset that unpacks to 2 GB": ("update rulesets set content = ?", (BOMB,)),
    "a state that unpacks to 2 GB": ("update states set content = ?", (BOMB,)),
    "a ruleset that is none": ("update rulesets set content = ?", (zlib.compress(canonical.dumps([1])),)),
}  # fmt: skip


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = _run(list(words))
    said = capsys.readouterr()
    assert "Traceback" not in said.err and code != 70, (words, said.err[-1500:])
    return code, said.err


@pytest.mark.parametrize("what", sorted(STATEMENTS))
def test_a_column_that_holds_nonsense_is_refused_in_a_sentence(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    for n, words in enumerate(COMMANDS):
        folder = tmp_path / str(n)
        shutil.copytree(played, folder)
        db = sqlite3.connect(folder / "game.db")
        db.execute("pragma foreign_keys = off")
        db.execute(*STATEMENTS[what])
        db.commit()
        db.close()
        code, said = refused(capsys, *words, "--game", str(folder))
        if words == ("verify",):
            assert code in (1, 4), said


def test_the_bombs_are_whole() -> None:
    for size in (1_000_000, 3_000_000):
        assert zlib.decompress(bomb(size)) == b"[" * size


@pytest.mark.parametrize("cut", [1, 2, 100, 4096, 20_000])
def test_a_file_whose_end_is_missing_is_refused_in_a_sentence(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: int
) -> None:
    whole = (played / "game.db").read_bytes()
    for n, words in enumerate(COMMANDS):
        (tmp_path / str(n)).mkdir()
        (tmp_path / str(n) / "game.db").write_bytes(whole[:-cut])
        refused(capsys, *words, "--game", str(tmp_path / str(n)))


HUGE: dict[str, Callable[[Path], None]] = {
    "lists in lists": lambda file: file.write_text("[" * 500_000) and None,
    "a number of 2,000,000 digits": lambda file: file.write_text("[" + "9" * 2_000_000 + "]") and None,
    "no text": lambda file: file.write_bytes(b"\xff\xfe\x00") and None,
}


@pytest.mark.parametrize("what", sorted(HUGE))
def test_a_file_of_another_program_that_nobody_can_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    HUGE[what](tmp_path / "game.json")
    assert refused(capsys, "import", "dpjson", str(tmp_path / "game.json"), "--out", str(tmp_path / "out"))[0]


@pytest.fixture
def rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "rules"
    assert _run(["init", str(folder)]) == 0
    capsys.readouterr()
    return folder


def test_a_table_that_is_a_link_to_itself_is_refused(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = rules / "tables" / "loop.yaml"
    loop.symlink_to(loop)
    assert refused(capsys, "validate", str(rules))[0] == 1


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "a: " + "{b: " * 200_000, "- " * 200_000], ids=["lists", "maps", "dashes"]
)
def test_files_nested_without_end_are_refused(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (rules / "map").mkdir(exist_ok=True)
    for name in ("layout", "flags"):
        (rules / "map" / f"{name}.yaml").write_text(text)
    assert refused(capsys, "validate", str(rules))[0] in (0, 1)
    refused(capsys, "map", str(rules), "--out", str(tmp_path / "m.svg"))
