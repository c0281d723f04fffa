"""The table of what the words of game files mean:

`templates/triplea/words.yaml`, tested against its schema when it is read.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from wteaw.core.package_data import schemas, templates

__all__ = ["FOLDER", "SCHEMA", "TranslationTable", "read_words"]

FOLDER = "triplea"
SCHEMA = "triplea-words.schema.json"

TranslationEntry = dict[str, Any]


class TranslationTable:
    """The table, section by section; `entry` gives the line for an option, None for a word that it does not
    know.
    """

    def __init__(self, sections: dict[str, Any]) -> None:
        self.sections = sections
        self._passed = [re.compile(pattern) for pattern in sections["passed_properties"]]

    def __getitem__(self, section: str) -> Any:
        return self.sections[section]

    def entry(self, section: str, option: str) -> TranslationEntry | None:
        found: TranslationEntry | None = self.sections[section].get(option)
        return found

    def passes(self, name: str) -> bool:
        """Whether a property says nothing about the rules."""
        return any(pattern.search(name) for pattern in self._passed)


@cache
def read_words(path: Path | None = None) -> TranslationTable:
    """The shipped table, or another. Raises ValueError with every line that its schema does not allow."""
    import jsonschema
    import yaml

    file = path or templates() / FOLDER / "words.yaml"
    data = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    schema = json.loads((schemas() / SCHEMA).read_text(encoding="utf-8"))
    wrong = sorted(
        jsonschema.Draft7Validator(schema).iter_errors(data), key=lambda e: [str(p) for p in e.absolute_path]
    )
    if wrong:
        raise ValueError(
            "\n".join(
                f"{file}: {'/'.join(str(p) for p in e.absolute_path)}: {e.message[:200]}" for e in wrong
            )
        )
    return TranslationTable(data)
