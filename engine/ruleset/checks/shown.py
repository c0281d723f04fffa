"""Is what `shows` rows name there to be shown? The fields of each table of the state, as far as the ruleset
decides them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ...core.diagnostics import Diagnostic, did_you_mean
from ..expressions.vocabulary import GAME
from ..nodes import diagnose
from .flags import marks_named
from .subject import Subject
from .words import vocabulary

__all__ = ["shown_fields_are_there"]

OF_THINGS: Mapping[str, str] = {
    **{
        "nations": "nation",
        "places": "place",
        "links": "link",
        "passages": "passage",
        "sides": "side",
        "units": "unit",
    },
    "records": "record",
}
"""Tables whose fields are those of a kind of thing."""
OF_ROWS: Mapping[str, str] = {
    **{"tracks": "tracks", "counters": "counters", "options": "options", "verdicts": "verdicts"},
    **{"treasuries": "resources", "techs": "technologies", "piles": "piles"},
}
"""Tables of the state whose fields are the ids of a table of the ruleset."""
KEPT: Mapping[str, frozenset[str]] = {
    "nations": frozenset({"policy", "like"}),
    "records": frozenset({"nation", "label", "parties"}),
}
"""What the engine notes of things besides the fields that expressions read."""


def shown_fields_are_there(subject: Subject) -> Iterator[Diagnostic]:
    """A field that a row of `visibility` names and that its table never has: nobody would be shown it."""
    for id_, row in subject.rows("visibility").items():
        known = _fields(subject, row["what"]) if "fields" in row else None
        if known is None:
            continue
        for at in subject.nodes("visibility")[id_].value["fields"].members():
            if row["what"] == "flags" and at.file.startswith(".."):
                continue  # a layer may have taken away what set a flag of the base
            if at.value not in known:
                hint = did_you_mean(at.value, known) or (
                    f"there are {', '.join(sorted(known))}" if len(known) < 20 else ""
                )
                yield diagnose("E407", "error", f"{row['what']} have no {at.value!r} to show", at, hint=hint)


def _fields(subject: Subject, table: str) -> Collection[str] | None:
    """The fields that a table can have; None where that is open."""
    if table == "game":
        return GAME
    if table == "flags":
        return marks_named(subject)
    if table in OF_ROWS:
        return subject.nodes(OF_ROWS[table])
    if table in OF_THINGS:
        return {*vocabulary(subject).of(f"field:{OF_THINGS[table]}"), *KEPT.get(table, ())}
    return None
