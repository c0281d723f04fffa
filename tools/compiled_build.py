"""The optional compiled build: the modules that take the time of a turn, made machine code by mypyc from the
same sources.

    python tools/compiled_build.py build/compiled          # a package beside the checkout: `make compiled`
    WTEAW_COMPILED=1 pip install .                         # a wheel of it (`build_hook.py` calls this module)

It needs mypy with mypyc (`pip install '.[dev]'`), a C compiler and Python's headers. What it makes is used by
putting the folder on `PYTHONPATH`. Plain Python stays whole and is what everything else installs and tests.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDS = "mypy[mypyc]>=1.20"
DATA = ("ruleset", "schemas", "scenarios", "templates")

GROUPS: dict[str, tuple[str, ...]] = {
    "core": ("core/state", "core/journal", "core/canonical"),
    "expressions": (
        "ruleset/expressions/evaluate",
        "ruleset/expressions/parse",
        "ruleset/expressions/reads",
    ),
    "world": (
        "world/amounts",
        "world/applies_to",
        "world/cache",
        "world/fields",
        "world/quantities",
        "world/selections",
        "world/tables",
        "world/world",
    ),
    "functions": (
        "world/functions",
        "world/known",
        "world/messages",
        "world/objectives",
        "world/piles",
        "world/sets",
        "world/tracks",
        "world/verdicts",
    ),
    "ways": ("world/geography", "world/passages", "world/routes", "world/travel_groups"),
    "purses": ("world/treasury", "world/view"),
    "turn": (
        "turn/acts",
        "turn/context",
        "turn/decisions",
        "turn/effects",
        "turn/events",
        "turn/relations",
        "turn/slots",
        "turn/triggers",
    ),
    "economy": ("economy/catalogue", "economy/purchase", "economy/quotes", "economy/rooms"),
    "units": (
        "units/contact",
        "units/fleet_orders",
        "units/forces",
        "units/land_orders",
        "units/move",
        "units/passive_recon",
        "units/task_forces",
    ),
    "battle": ("battle/battles", "battle/combatants", "battle/encounters", "battle/groups"),
    "bots": (
        "bots/acts",
        "bots/armies",
        "bots/buy",
        "bots/foresight",
        "bots/front",
        "bots/give",
        "bots/guards",
        "bots/march",
        "bots/moves",
        "bots/sea",
        "bots/shifts",
    ),
}
"""The modules that are compiled, by group: each group is one shared library, compiled by itself. A group of
modules that a turn passes between often is faster than the same modules apart, and slower to compile."""

LEFT_OUT: dict[str, str] = {
    "core/dice": "modules that are not compiled derive classes from its own; 0.4 % of a game",
    "core/model": "`Ruleset` keeps what follows from its rows in its `__dict__`",
    "core/rows": "its types stand in a stub, `rows.pyi`, which mypyc would compile instead",
    "ruleset/expressions/fold": "checks, bounds and rulebooks, not compiled, derive classes from its own",
    "orders/kinds/order_kind": "whoever adds a kind of order derives a class from it",
    "orders/kinds/acts": "derived from `OrderKind`; mypyc fails at functions within methods of such classes",
    "orders/grammar": "a dataclass with cached properties, asked once a line",
    "orders/fuzzy": "the same",
    "battle/rounds": "0.2 % of a game: a round is arithmetic on arrays",
}
"""Why modules that take time as well are not among them."""


def modules() -> list[str]:
    """The names of all modules that are compiled."""
    names = [name for group in GROUPS.values() for name in group]
    return [f"wteaw.{name.replace('/', '.')}" for name in names]


def lacking() -> str:
    """What is not there and must be; nothing if all is."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if os.name != "nt" and shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler}): install one, or name yours in CC"
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    if not headers.exists():
        return f"Python's headers are not there ({headers}): install them (Debian: python3-dev)"
    try:
        import mypyc.build  # noqa: F401
        import setuptools  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed: pip install '{NEEDS}'"
    return ""


def copy_package(engine: Path, folder: Path) -> None:
    """The package in the folder as it is in the checkout; what has not changed is left alone, so that it is
    not compiled again."""
    wanted = {path.relative_to(engine) for path in engine.rglob("*") if path.is_file()}
    wanted = {path for path in wanted if "__pycache__" not in path.parts}
    for path in folder.rglob("*.py*"):
        if path.suffix in (".py", ".pyi") and path.relative_to(folder) not in wanted:
            path.unlink()
    for path in sorted(wanted):
        source, target = engine / path, folder / path
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def build(root: Path, folder: Path, *, optimize: str = "2", jobs: int = 2) -> list[Path]:
    """Compile the modules of the package under `root` into the folder; the shared libraries made.

    SystemExit, with what is wrong, where something that is needed is not there or the sources cannot be
    compiled.
    """
    if missing := lacking():
        sys.exit(
            f"the compiled build cannot be made: {missing}\nWithout it the package is plain Python, and whole"
        )
    import setuptools
    from mypyc.build import mypycify

    folder.mkdir(parents=True, exist_ok=True)
    copy_package(root / "engine", folder / "wteaw")
    _drop_stale(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        groups = [
            ([f"wteaw/{name}.py" for name in names], f"wteaw_{group}") for group, names in GROUPS.items()
        ]
        sources = [path for paths, _ in groups for path in paths]
        extensions = mypycify(
            ["--config-file=", "--ignore-missing-imports", *sources],
            opt_level=optimize,
            debug_level="0",
            target_dir="c",
            separate=[(paths, name) for paths, name in groups],
        )
        for extension in extensions:
            if os.name != "nt":
                extension.extra_compile_args.append("-Wno-error")  # a newer compiler warns of more
        command = ["-q", "build_ext", "--inplace", "--build-temp", "objects", "--parallel", str(jobs)]
        setuptools.setup(name="wteaw-compiled", ext_modules=extensions, packages=[], script_args=command)
    finally:
        os.chdir(before)
    return libraries(folder)


def libraries(folder: Path) -> list[Path]:
    """The shared libraries under the folder."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return sorted([*folder.glob(f"*{suffix}"), *(folder / "wteaw").rglob(f"*{suffix}")])


def _drop_stale(folder: Path) -> None:
    """Take away libraries of modules that are not compiled any more: they would be imported all the same."""
    wanted: set[str] = set()
    for group, names in GROUPS.items():
        wanted |= {f"wteaw_{group}__mypyc", *(f"wteaw/{name}" for name in names)}
    for path in libraries(folder):
        if path.relative_to(folder).as_posix().partition(".")[0] not in wanted:
            path.unlink()


def main() -> None:
    """Build into a folder, with the data beside it."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    asked.add_argument("folder", type=Path, help="Where: build/compiled, say.")
    asked.add_argument("--optimize", default="2", choices=list("0123"), help="Of the C compiler.")
    asked.add_argument("--jobs", type=int, default=2, help="Compilers at once.")
    given = asked.parse_args()
    made = build(ROOT, given.folder.resolve(), optimize=given.optimize, jobs=given.jobs)
    data = given.folder / "wteaw" / "data"
    data.mkdir(exist_ok=True)
    for name in DATA:
        if not (data / name).exists():
            (data / name).symlink_to(ROOT / name)
    print(f"{len(modules())} modules in {len(GROUPS)} groups, {len(made)} libraries under {given.folder}")


if __name__ == "__main__":
    main()
