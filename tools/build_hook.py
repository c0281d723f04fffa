"""Build hook: a wheel carries the rulesets, schemas, scenarios and templates inside the package.

An editable install needs none of this: the data is found beside the package.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "ruleset": "wteaw/data/ruleset",
    "schemas": "wteaw/data/schemas",
    "scenarios": "wteaw/data/scenarios",
    "templates": "wteaw/data/templates",
}


class ShipData(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the folders to a standard wheel only."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"].update(
                {f"{self.root}/{source}": target for source, target in SHIPPED.items()}
            )
