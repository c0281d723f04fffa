"""Builds the sdist and, from it, the wheel; installs the wheel into a bare environment of every Python found,
and plays there.

    python tools/try_package.py [--python python3.12 --python /a/path/python3 ...]

By default every `python3.N` on the PATH that the project supports is tried, and the one that runs this
script. Nothing of the checkout is on the path of what is tried: the commands run in an empty folder. Ends
with 1 at the first that fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
TRIED = (
    ["--version"],
    ["play", "alliances-4", "--out", "out"],
    ["report", "--game", "out/game", "--nation", "uk", "--format", "json"],
    ["init", "mine"],
    ["validate", "--strict", "mine"],
    ["test", "mine"],
    ["init", "layer", "--extends", "third-edition"],
    ["validate", "layer"],
    ["odds", "--attacker", "France: 10 infantry", "--defender", "Germany: 8 infantry"],
)


def run(command: list[str], cwd: Path) -> str:
    """What a command prints. SystemExit with its output if it fails."""
    bare = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, cwd=cwd, env=bare, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def build(into: Path) -> Path:
    """The wheel, built from the sdist as an installer without a wheel would."""
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), str(ROOT)], ROOT)
    return next(into.glob("*.whl"))


def pythons(wanted: list[str]) -> list[str]:
    """Interpreters to try: those asked for, which must be there, or all that are."""
    if wanted:
        missing = [python for python in wanted if not shutil.which(python)]
        if missing:
            sys.exit(f"no {missing[0]} on the PATH")
        return wanted
    works = []
    for version in SUPPORTED:
        name = f"python{version}"
        if (
            shutil.which(name)
            and not subprocess.run([name, "-c", "import venv"], capture_output=True).returncode
        ):
            works.append(name)
    return works or [sys.executable]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", action="append", default=[], metavar="PYTHON")
    wanted = parser.parse_args().python
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        wheel = build(top / "dist")
        for python in pythons(wanted):
            here = top / Path(python).name
            run([python, "-m", "venv", str(here / "venv")], top)
            run([str(here / "venv/bin/python"), "-m", "pip", "install", "--quiet", str(wheel)], here)
            for arguments in TRIED:
                run([str(here / "venv/bin/wteaw"), *arguments], here)
            print(f"{wheel.name} on {python}: {len(TRIED)} commands work in a bare environment")


if __name__ == "__main__":
    main()
