"""Build hook: a wheel carries the rulesets, schemas, scenarios and templates inside the package; with
`WTEAW_COMPILED=1` in the environment its hot modules are compiled, too (`compiled_build.py`).

An editable install needs none of this: the data is found beside the package, and its modules stay as they
are.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "ruleset": "wteaw/data/ruleset",
    "schemas": "wteaw/data/schemas",
    "scenarios": "wteaw/data/scenarios",
    "templates": "wteaw/data/templates",
}
COMPILED = os.environ.get("WTEAW_COMPILED", "") not in ("", "0")


class ShipData(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the folders to a standard wheel only, and the compiled modules where they are asked for."""

    def dependencies(self) -> list[str]:
        """What the build needs besides: nothing, unless modules are compiled."""
        return [self._compiling().NEEDS] if COMPILED and self.target_name == "wheel" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        build_data["force_include"].update(
            {f"{self.root}/{source}": target for source, target in SHIPPED.items()}
        )
        if COMPILED:
            folder = Path(self.root) / "build" / "wheel"
            for library in self._compiling().build(Path(self.root), folder):
                build_data["force_include"][str(library)] = library.relative_to(folder).as_posix()
            build_data["pure_python"], build_data["infer_tag"] = False, True

    def _compiling(self) -> Any:
        """The module beside this file; a build tool loads this file alone."""
        tools = f"{self.root}/tools"
        if tools not in sys.path:
            sys.path.insert(0, tools)
        import compiled_build

        return compiled_build
