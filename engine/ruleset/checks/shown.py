"""Is what rows of `visibility` name there to be shown? The fields of each table of the state, as far as the
ruleset decides them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ...core.diagnostics import Diagnostic, did_you_mean
from ..expressions.vocabulary import GAME, OWNED
from ..nodes import diagnose
from .flags import marks_named
from .subject import Subject
from .words import vocabulary

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
    for _, row, node in subject.each("visibility"):
        known = _fields(subject, row["what"]) if "fields" in row else None
        if known is None:
            continue
        for at in node.value["fields"].members():
            if row["what"] == "flags" and at.is_below:
                continue  # a layer may have taken away what set a flag of the base
            if at.value not in known:
                hint = did_you_mean(at.value, known) or (
                    f"there are {', '.join(sorted(known))}" if len(known) < 20 else ""
                )
                yield diagnose("E407", f"{row['what']} have no {at.value!r} to show", at, hint=hint)


def players_see_something(subject: Subject) -> Iterator[Diagnostic]:
    """Without rows of `visibility` nobody is shown anything; without lon and lat no place stands on the
    map.
    """
    nations, seen = subject.nodes("nations"), subject.nodes("places")
    if not nations or not seen or not subject.draft.sequence:
        return
    if not subject.nodes("visibility"):
        hint = (
            "a first row: `visibility: [{id: all, what: places, to: everyone}]`; one each for units, "
            "nations, game ..."
        )
        first = next(iter(nations.values()))
        yield diagnose(
            "W607",
            "no row of `visibility`: reports, templates and maps of players stay empty",
            first,
            hint=hint,
        )
    if not any("lon" in row and "lat" in row for row in subject.rows("places").values()):
        first = next(iter(seen.values()))
        yield diagnose("W608", "no place has `lon` and `lat`: the map stays blank", first)


def what_is_nobodys_is_shown_to_all(subject: Subject) -> Iterator[Diagnostic]:
    """A row of `visibility` that shows to its owner what has none: nobody would be shown it."""
    for _, row, node in subject.each("visibility"):
        to = row["to"] if isinstance(row["to"], list) else [row["to"]]
        if row["what"] not in OWNED and "everyone" not in to:
            message = f"{row['what']} belong to nobody, so this shows them to nobody"
            hint = "write `to: everyone`, and `when` for whom"
            yield diagnose("E213", message, node, key="to", hint=hint)


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
