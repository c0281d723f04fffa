"""How the names of rows read inside a sentence."""

from __future__ import annotations

from ..core.model import Ruleset, derived_of
from ..core.rows import NationRow


def inside_sentence(ruleset: Ruleset, name: str) -> str:
    """A name without the capital at its beginning, unless that belongs to it: of an abbreviation, or of a
    nation's name.
    """
    if (name[1:2] not in ("", " ") and not name[1:2].islower()) or name.startswith(_of_nations(ruleset)):
        return name
    return name[:1].lower() + name[1:]


def _called(row: NationRow) -> tuple[str, ...]:
    return row.get("name", ""), row.get("short", ""), row.get("adjective", "")


@derived_of("nations")
def _of_nations(ruleset: Ruleset) -> tuple[str, ...]:
    """What a nation is called, as the beginning of a longer name."""
    return tuple(
        sorted({f"{said} " for row in ruleset.rows("nations").values() for said in _called(row) if said})
    )
