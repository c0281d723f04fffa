"""Rows in words: tables of cells, and what waits, rolls and takes effect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.messages import capital
from ..core.model import Row
from .spoken import Spoken, agreed
from .values import cell


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        cells = (cell(value).replace("|", "\\|").replace("\n", " ") for value in row)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def asked(say: Spoken, text: str, me: str = "you") -> str:
    """What is told or asked, as it reads before anybody is meant:

    `{self}` is `me`, another name is what was named.
    """
    words = re.sub(r"\{(self|nation)\}", me, text)
    words = re.sub(r"\{([a-z_]+)\}", lambda m: f"the {m[1].replace('_', ' ')}", words)
    return agreed(re.sub(r"\{([^{}]+)\}", lambda m: say.truth(m[1]), words))


def _quoted(say: Spoken, text: Any) -> str:
    """What everybody is told, of whom it concerns: of them by name."""
    told = asked(say, str(text), "the nation")
    return capital(told)


def if_words(say: Spoken, row: Row) -> str:
    return f" if {say.truth(row['when'])}" if "when" in row else ""


def fact_words(say: Spoken, on: Any) -> str:
    """What an event waits for, in words."""
    if isinstance(on, list):
        return " or ".join(fact_words(say, o) for o in on)
    if isinstance(on, str):
        return on.replace("_", " ")
    word, filters = next(iter(on.items()))
    if not isinstance(filters, Mapping):
        return f"{word.replace('_', ' ')} {parameter(say, filters)}"
    return str(word).replace("_", " ") + "".join(
        f", {k.replace('_', ' ')} {parameter(say, v)}" for k, v in filters.items()
    )


def tail_words(say: Spoken, row: Mapping[str, Any]) -> Iterator[str]:
    """A tail in words: dice, cases, effects."""
    for effect in row.get("always", ()):
        yield f"always: {effect_words(say, effect)}"
    if "roll" in row:
        yield f"roll: {_roll_words(say, row['roll'])}"
    for faces, effects in row.get("results", {}).items():
        yield f"on {_faces(faces)}: {'; '.join(effect_words(say, e) for e in effects) or 'nothing'}"
    for case in row.get("cases", ()):
        test = f"if {say.truth(case['when'])}: " if "when" in case else "otherwise: "
        yield test + "; ".join(tail_words(say, case))
    for effect in row.get("effects", ()):
        yield effect_words(say, effect)
    for effect in row.get("on_failure", ()):
        yield f"otherwise: {effect_words(say, effect)}"


def _faces(faces: Any) -> str:
    return str(faces).replace("..", " to ")


def _roll_words(say: Spoken, roll: Any) -> str:
    if isinstance(roll, str):
        return roll
    if "of" in roll and "at_most" in roll:
        number = f"the {parameter(say, roll['at_most'])} of {parameter(say, roll['of'])}"
        roll = {**{k: v for k, v in roll.items() if k != "of"}, "at_most": number}
    said = [f"{ROLLED[k].format(_faces(parameter(say, v)))}" for k, v in roll.items() if k in ROLLED]
    rest = [
        f"{k.replace('_', ' ')} {parameter(say, v)}"
        for k, v in roll.items()
        if k not in ROLLED and k != "die"
    ]
    return ", ".join([str(roll["die"]), *said, *rest])


ROLLED: Mapping[str, str] = {
    "faces": "a success on {}",
    "at_most": "a success on {} or less",
    "at_least": "a success on {} or more",
    "dice": "thrown {} times",
}
"""What a throw says of itself, by key."""


def effect_words(say: Spoken, effect: Mapping[str, Any]) -> str:
    """One effect in words: its verb and parameters, and its condition."""
    words = []
    for key, value in effect.items():
        if key in ("when", "audience", "note"):
            continue
        if key in ("effects", "on_failure"):
            told = "; ".join(effect_words(say, e) for e in value)
            words.append(f"otherwise {told}" if key == "on_failure" else told)
        elif key == "roll":
            words.append(f"a throw of {_roll_words(say, value)}")
        elif key == "release":
            words.append(f"what waits for “{fact_words(say, value)}” comes due")
        elif key in ("results", "cases", "answers", "in_turn"):
            words.append(
                "; ".join(tail_words(say, {key: value}))
                if key in ("results", "cases")
                else key.replace("_", " ")
            )
        elif isinstance(value, Mapping) and (said := sentence(say, key, value)) is not None:
            words.append(said)
        elif isinstance(value, Mapping):
            words.append(
                key + " " + ", ".join(f"{k.replace('_', ' ')} {_nested(say, v)}" for k, v in value.items())
            )
        else:
            words.append(f"“{_quoted(say, value)}”" if key == "say" else f"{key} {parameter(say, value)}")
    told = ", ".join(words)
    return f"if {say.truth(effect['when'])}: {told}" if "when" in effect else told


def _nested(say: Spoken, value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "; ".join(effect_words(say, v) for v in value)
    if isinstance(value, Mapping):
        return parameter(say, value) if "draw" in value else fact_words(say, value)
    return parameter(say, value)


SENTENCES: Mapping[str, tuple[str, ...]] = {
    "pay": ("{to} is paid {amount} {what}[ by {from}]", "{from} pays {amount} {what}"),
    "shift": (
        "the {track} of {who} moves {by}[ toward {toward}][ against {against}][{!to_zero} toward "
        "zero][{!up} up][{!down} down]",
    ),
    "flag": ("{who} is marked “{as}”[ for {turns} turns]",),
    "clear": ("the flag “{as}” is taken from {who}",),
    "join": ("{who} joins {side}",),
    "own": ("{to} becomes {as} of {places}", "{to} becomes owner and holder of {places}"),
    "absorb": ("{nation} becomes part of {into}",),
    "found": ("{nation} comes into being[, played by the player of {seat}]",),
    "command": ("{by} commands {nation}",),
    "relate": ("{stance} between {a} and {b}[ ({war} war)]",),
    "remove": ("{units} are taken away[: {n}][ ({cause})]",),
    "create": ("{units} appear in {at}[ for {for}][: {n}]",),
    "relocate": ("{units} go to {to}[ ({by})][; if there is none: {else}]",),
    "convert": ("{units} become[ {set}][ {condition}][ {kind}][, owned by {owner}]",),
    "learn": ("{who} learns {tech}", "{who} learns one of {of}, drawn by lot"),
    "react": ("the reactions “{row}” of {matrix} follow",),
    "leave": ("{who} leaves its camp",),
    "say": ("“{text}”[ is told to {to}]",),
    "change": (
        "{field} of {of} changes by {by}",
        "{field} of {of} becomes {to}",
        "{add} comes into {field} of {of}",
        "{drop} goes out of {field} of {of}",
    ),
    "know": ("{who} comes to know {what}[ of {of}]",),
    "forget": ("{who} forgets {what}",),
    "fight": ("{battle} is fought at {at}",),
    "queue": ("{what} is on its way[ for {for}][ to {at}][, due with {due}][: {n}]",),
    "cancel": ("[{under_way} of ]what is under way[ of {of}][ to {at}] is dropped[: {n}]",),
    "record": ("a new {what} stands in the books[: {set}]",),
    "strike": ("{records} are struck out of the books",),
    "deal": (
        "[{who}: ]{n} cards are drawn from the {from}[ of {whose}] to the {to}",
        "[{who}: ]{cards} goes from the {from}[ of {whose}] to the {to}",
        "[{who}: ]all cards of the {from}[ of {whose}] go to the {to}",
    ),
    "play": ("what stands on {card} is done",),
    "vote": ("{of} vote on {ask}[ about {about}][; if it is accepted: {then}][; if it is refused: {else}]",),
    "end": ("the war between {between} ends",),
}
"""An effect in a sentence, by its verb, the first that fits: `{key}` is a parameter that must be there
(`{!key}`: unsaid), and
`[..]` is said where its parameters are."""


def sentence(say: Spoken, verb: str, given: Mapping[str, Any]) -> str | None:
    """The sentence of a verb with its parameters; None if there is none for just these."""
    return next(filter(None, (_filled(say, form, given) for form in SENTENCES.get(verb, ()))), None)


def _filled(say: Spoken, form: str, given: Mapping[str, Any]) -> str | None:
    said: set[str] = set()

    def filled(text: str) -> str | None:
        keys = re.findall(r"\{!?([a-z_]+)\}", text)
        if any(key not in given for key in keys):
            return None
        said.update(keys)
        told = {key: _told(say, key, given[key]) for key in keys}
        return re.sub(r"\{(!?)([a-z_]+)\}", lambda m: "" if m[1] else told[m[2]], text)

    parts = []
    for bare, inner in re.findall(r"([^\[\]]+)|\[([^\]]*)\]", form):
        part = filled(bare) if bare else filled(inner) or ""
        if part is None:
            return None
        parts.append(part)
    rest = [
        f"{key.replace('_', ' ')} {_nested(say, value)}"
        for key, value in given.items()
        if key not in said | QUIET
    ]
    return agreed("".join(parts)) + (f" ({', '.join(rest)})" if rest else "")


def _told(say: Spoken, key: str, value: Any) -> str:
    if key == "text":
        return _quoted(say, value)
    return (
        _nested(say, value) if key in ("then", "else") and isinstance(value, list) else parameter(say, value)
    )


QUIET = frozenset({"seen_by", "as_far_as", "audience", "declared", "openly", "captured"})


def parameter(say: Spoken, value: Any) -> str:
    """A parameter as it reads in a sentence: an expression in words, the name of a thing, else the text."""
    if isinstance(value, Mapping):
        if len(value) == 1 and isinstance(value.get("draw"), list):
            low, high = (parameter(say, v) for v in value["draw"])
            return f"{low} to {high}, drawn by lot,"
        return ", ".join(f"{k.replace('_', ' ')} {parameter(say, v)}" for k, v in value.items())
    if isinstance(value, list):
        return " or ".join(parameter(say, v) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _faces(say.value(value)) if isinstance(value, str) else cell(value)


def title(row: Row) -> str:
    """What a row is called, else its id as words."""
    return str(row.get("name") or row.get("title") or str(row["id"]).replace("_", " ").replace("-", " "))
