"""`wteaw doctor`: what is missing is told with what it is for and what mends it, and only what is needed is an error."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wteaw.cli import ExitCode, main
from wteaw.cli import doctor as module


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of one's own, and none of the variables of a server."""
    monkeypatch.chdir(tmp_path)
    for name in ("WTEAW_DATABASE", "WTEAW_MAIL", "WTEAW_IMAP", "TRIPLEA_JAR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "cache"))


def ask(capsys: pytest.CaptureFixture[str], *needs: str) -> tuple[int, dict[str, dict[str, Any]]]:
    with pytest.raises(SystemExit) as left:
        main(["doctor", *needs, "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert told["right"] == (left.value.code in (0, None))
    return int(left.value.code or 0), {c["name"]: c for c in told["checks"]}


def test_what_must_be_there_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, checks = ask(capsys)
    assert code == ExitCode.DONE
    needed = [c for c in checks.values() if c["needed"]]
    assert {"Python", "SQLite", "packages", "working folder", "cache"} <= {c["name"] for c in needed}
    assert all(c["purpose"] and c["mend"] for c in needed)
    assert {f"extra {extra}" for extra in module.EXTRAS} <= checks.keys(), (
        "every extra of the package is looked for"
    )


def test_every_extra_of_the_package_is_known() -> None:
    import tomllib

    text = (Path(__file__).resolve().parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["optional-dependencies"].keys() == module.EXTRAS.keys()


def test_an_extra_is_missed_only_by_who_needs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = module._there
    monkeypatch.setattr(module, "_there", lambda name: name != "starlette" and there(name))
    code, checks = ask(capsys)
    assert code == ExitCode.DONE and not checks["extra server"]["right"] and checks["extra lsp"]["right"]
    assert (
        checks["extra server"]["found"] == "without starlette"
        and checks["extra server"]["mend"] == "pip install 'wteaw[server]'"
    )
    assert ask(capsys, "server")[0] == ExitCode.MACHINE
    assert ask(capsys, "lsp")[0] == ExitCode.DONE


def test_a_package_that_everything_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = module._there
    monkeypatch.setattr(module, "_there", lambda name: name != "numpy" and there(name))
    code, checks = ask(capsys)
    assert code == ExitCode.MACHINE and checks["packages"]["found"] == "without numpy"


def test_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    code, checks = ask(capsys)
    assert code == ExitCode.DONE and not checks["chromium"]["right"] and not checks["JDK"]["right"]
    assert checks["chromium"]["mend"] == "apt-get install chromium"
    (tmp_path / "t.jar").write_bytes(b"")
    monkeypatch.setenv("TRIPLEA_JAR", str(tmp_path / "t.jar"))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert ask(capsys, "benchmark")[0] == ExitCode.DONE
    monkeypatch.setenv("TRIPLEA_JAR", str(tmp_path / "none.jar"))
    assert ask(capsys, "benchmark")[0] == ExitCode.MACHINE


def test_a_folder_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "file" / "below"))
    code, checks = ask(capsys)
    assert (
        code == ExitCode.MACHINE and not checks["cache"]["right"] and "WTEAW_CACHE" in checks["cache"]["mend"]
    )
    assert checks["working folder"]["right"]


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_servers(listening: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WTEAW_MAIL", f"smtp://me:secret@127.0.0.1:{listening}")
    monkeypatch.setenv("WTEAW_DATABASE", "mysql://me:secret@127.0.0.1/x")
    code, checks = ask(capsys, "server")
    assert checks["mail server"]["right"] and code == ExitCode.MACHINE
    assert not checks["database"]["right"] and "postgresql://" in checks["database"]["found"]
    assert "secret" not in json.dumps(checks), "a password is never told"
    with socket.create_server(("127.0.0.1", 0)) as gone:
        free = gone.getsockname()[1]
    monkeypatch.setenv("WTEAW_DATABASE", f"postgresql+psycopg://127.0.0.1:{free}/x")
    assert "refused" in ask(capsys)[1]["database"]["found"]


def test_as_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit) as left:
        main(["doctor", "dev"])
    said = capsys.readouterr().out
    assert left.value.code == ExitCode.MACHINE
    assert (
        "WRONG    chromium: not found\n         for trying the pages of the server\n         apt-get install chromium\n"
        in said
    )
    assert "lacking  JDK" in said and said.endswith("of what is needed is missing.\n")
