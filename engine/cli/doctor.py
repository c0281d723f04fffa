"""`wteaw doctor`: what is missing on this machine, what it would be for, and what would mend it."""

from __future__ import annotations

import importlib.metadata as installed
import json
import locale
import os
import platform
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import typer

from ..core.package_data import data_root
from ..ruleset.cache import cache_folder
from . import ExitCode, Stop
from .terminal import say

PYTHON = (3, 11)
SQLITE = (3, 24)
EXTRAS = {
    "server": "games in a browser and by mail: wteaw serve, wteaw tick",
    "lsp": "editors: wteaw lsp",
    "watch": "wteaw validate --watch, wteaw test --watch",
    "simulate": "many games over several machines, and their figures as pictures",
    "map": "deriving the shapes of maps: tools/derive_shapes.py",
    "docs": "making the documentation: make docs",
    "dev": "working on wteaw itself: make test, make lint",
}
"""What each extra is for; what belongs to it, the package says."""
PEER = Path("/usr/share/games/triplea/bin/triplea.jar")
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for. `use`: what it is needed for, "" for everything; `mend`: what would mend
    it.
    """

    name: str
    use: str
    right: bool
    found: str
    purpose: str = ""
    mend: str = ""


def doctor(
    needs: list[str] = typer.Argument(
        None, help="What this machine is to do: server, lsp, watch, map, docs, dev, benchmark."
    ),
    format: str = typer.Option("text", help="text or json."),
) -> None:
    """Say what is missing on this machine, what it would be for, and the command that mends it.

    What every command needs must be there, and what is needed for the uses that are named; the rest is only
    told. Ends with 4 if something is missing that must be there.

    Example: wteaw doctor server
    """
    wanted = set(needs or ())
    unknown = sorted(wanted - {*EXTRAS, "benchmark"})
    if unknown:
        raise Stop(
            f"nothing is known of {', '.join(unknown)}; known: {', '.join([*EXTRAS, 'benchmark'])}",
            ExitCode.CALL,
        )
    checks = list(_checks())
    missing = [c for c in checks if not c.right and (not c.use or c.use in wanted)]
    if format == "json":
        listed = [{**asdict(c), "needed": not c.use or c.use in wanted} for c in checks]
        typer.echo(json.dumps({"right": not missing, "checks": listed}, ensure_ascii=False, indent=1))
    else:
        say("\n".join(line for c in checks for line in _lines(c, needed=c in missing)))
        say(_verdict(checks, missing))
    if missing:
        raise typer.Exit(ExitCode.MACHINE)


def _lines(check: Check, *, needed: bool) -> Iterator[str]:
    lacks = "WRONG" if needed else "lacking"
    yield f"{'right' if check.right else lacks:<7}  {check.name}: {check.found}"
    if not check.right:
        if check.purpose:
            yield f"         for {check.purpose}"
        if check.mend:
            yield f"         {check.mend}"


def _verdict(checks: list[Check], missing: list[Check]) -> str:
    if missing:
        return f"{len(missing)} of what is needed is missing."
    lacking = [c for c in checks if not c.right]
    return (
        f"Everything needed is there; {len(lacking)} more could be had."
        if lacking
        else "Everything is there."
    )


def _checks() -> Iterator[Check]:
    yield Check(
        "Python", "", sys.version_info >= PYTHON, f"{platform.python_version()} at {sys.executable}",
        f"everything: {'.'.join(map(str, PYTHON))} or later", "install a later Python and wteaw with it",
    )  # fmt: skip
    yield Check(
        "SQLite",
        "",
        sqlite3.sqlite_version_info >= SQLITE,
        sqlite3.sqlite_version,
        "games",
        "install a later Python",
    )
    yield from _packages()
    yield from _folders()
    yield from _terminal()
    yield from _programs()
    yield from _servers()


def _packages() -> Iterator[Check]:
    """What the package asks for: for everything, and for each extra."""
    try:
        asked = installed.requires("wteaw") or []
    except installed.PackageNotFoundError:
        yield Check(
            "wteaw",
            "",
            False,
            "runs from a folder and is not installed",
            "its extras",
            "pip install --editable .",
        )
        return
    own = [r for r in asked if "extra ==" not in r]
    yield _lacking(
        "packages",
        "",
        [n for n in map(_named, own) if not _there(n)],
        "everything",
        "pip install --force-reinstall wteaw",
    )
    for extra, purpose in EXTRAS.items():
        parts = [_named(r) for r in asked if re.search(rf"extra == ['\"]{extra}['\"]", r)]
        yield _lacking(
            f"extra {extra}",
            extra,
            [n for n in parts if not _there(n)],
            purpose,
            f"pip install 'wteaw[{extra}]'",
        )


def _lacking(name: str, use: str, missing: list[str], purpose: str, mend: str) -> Check:
    return Check(
        name, use, not missing, f"without {', '.join(missing)}" if missing else "all there", purpose, mend
    )


def _named(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def _there(name: str) -> bool:
    try:
        installed.version(name)
    except installed.PackageNotFoundError:
        return False
    return True


def _folders() -> Iterator[Check]:
    root = data_root()
    there = all((root / name).is_dir() for name in ("ruleset", "schemas", "scenarios", "templates"))
    yield Check(
        "rulesets and schemas", "", there, str(root), "everything", "pip install --force-reinstall wteaw"
    )
    for name, folder, purpose, mend in (
        ("working folder", Path.cwd(), "games, reports and maps", "go to a folder of your own"),
        (
            "temporary files",
            Path(tempfile.gettempdir()),
            "whatever is written whole or not at all",
            "export TMPDIR=a folder",
        ),
        ("cache", cache_folder(), "not reading every ruleset anew", "export WTEAW_CACHE=a folder"),
    ):
        why = _unwritable(folder)
        yield Check(name, "", not why, f"{folder}{': ' + why if why else ''}", purpose, mend)


def _unwritable(folder: Path) -> str:
    """Why nothing can be written into a folder; "" if something can. A folder that is not there yet is tried
    and made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _terminal() -> Iterator[Check]:
    encoding = (sys.stdout.encoding or locale.getpreferredencoding(False)).lower().replace("-", "")
    yield Check(
        "character encoding",
        "",
        encoding == "utf8",
        encoding,
        "names of places in reports and orders",
        "export PYTHONUTF8=1",
    )
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        found = f"{width} columns, {os.environ.get('TERM', 'of no known kind')}"
        found += ", no color" if os.environ.get("NO_COLOR") else ""
        yield Check(
            "terminal",
            "terminal",
            width >= 80,
            found,
            "reports in their full width (80 columns)",
            "make the window wider",
        )


def _programs() -> Iterator[Check]:
    browser = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), "")
    yield Check(
        "chromium",
        "dev",
        bool(browser),
        browser or "not found",
        "trying the pages of the server",
        "apt-get install chromium",
    )
    make = shutil.which("make") or ""
    yield Check(
        "make", "dev", bool(make), make or "not found", "the repository's commands", "apt-get install make"
    )
    compiler = shutil.which("javac") or ""  # it comes with what runs what it compiles
    yield Check(
        "JDK", "benchmark", bool(compiler), compiler or "javac not found", "odds beside TripleA's calculator",
        "apt-get install default-jdk-headless",
    )  # fmt: skip
    jar = Path(os.environ.get("TRIPLEA_JAR", PEER))
    yield Check(
        "TripleA", "benchmark", jar.is_file(), str(jar) if jar.is_file() else f"{jar} is not there",
        "odds beside TripleA's calculator", "apt-get install triplea, or export TRIPLEA_JAR=its jar",
    )  # fmt: skip


def _servers() -> Iterator[Check]:
    """What the variables of a server name; without them a server does without."""
    for variable, name, without, standard in (
        ("WTEAW_DATABASE", "database", "SQLite in the server's folder", {"postgresql": 5432}),
        (
            "WTEAW_MAIL",
            "mail server",
            "mails are laid in the folder `server/outbox`",
            {"smtp": 587, "smtps": 465},
        ),
        ("WTEAW_IMAP", "mailbox", "no orders are taken by mail", {"imap": 143, "imaps": 993}),
    ):
        given = os.environ.get(variable, "")
        if not given:
            yield Check(name, "server", True, f"{variable} is not set: {without}")
            continue
        why, where = _unreached(given, standard)
        mend = f"start it, or export {variable}={next(iter(standard))}://... as docs/hosting.md says"
        yield Check(
            name,
            "server",
            not why,
            f"{where}{': ' + why if why else ' answers'}",
            "wteaw serve, wteaw tick",
            mend,
        )


def _unreached(url: str, standard: dict[str, int]) -> tuple[str, str]:
    """Why a server does not answer ("" if it does), and where it is; neither tells a password."""
    parts = urlsplit(url)
    scheme = parts.scheme.partition("+")[0]
    try:
        host, port = parts.hostname or "localhost", parts.port or standard.get(scheme, 0)
    except ValueError as error:
        return str(error), scheme
    where = f"{scheme}://{host}:{port}"
    if scheme not in standard:
        return f"it begins with {' or '.join(f'{s}://' for s in standard)}", where
    try:
        socket.create_connection((host, port), timeout=SECONDS).close()
    except OSError as error:
        return error.strerror or str(error), where
    return "", where
