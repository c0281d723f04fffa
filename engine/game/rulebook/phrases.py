"""Rows in words: tables of cells, and what waits, rolls and takes effect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...core.model import Row


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell(v) for v in row) + " |" for row in rows]
    return "\n".join(lines)


def cell(value: Any) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def asked(text: str) -> str:
    """Why something is refused, as it reads before anybody is meant: `{self}` is you, another name is what was named."""
    words = re.sub(r"\{(self|nation)\}", "you", text)
    words = re.sub(r"\{([a-z_]+)\}", lambda m: f"the {m[1].replace('_', ' ')}", words)
    return re.sub(r"\{([^{}]+)\}", r"`\1`", words)


def if_words(row: Row) -> str:
    return f" if `{row['when']}`" if "when" in row else ""


def fact_words(on: Any) -> str:
    """What an event waits for, in words."""
    if isinstance(on, list):
        return " or ".join(fact_words(o) for o in on)
    if isinstance(on, str):
        return on.replace("_", " ")
    word, filters = next(iter(on.items()))
    if not isinstance(filters, Mapping):
        return f"{word.replace('_', ' ')} {cell(filters)}"
    return str(word).replace("_", " ") + "".join(f", {k} {cell(v)}" for k, v in filters.items())


def tail_words(row: Mapping[str, Any]) -> Iterator[str]:
    """A tail in words: dice, cases, effects."""
    for effect in row.get("always", ()):
        yield f"always: {effect_words(effect)}"
    if "roll" in row:
        yield f"roll: {_roll_words(row['roll'])}"
    for faces, effects in row.get("results", {}).items():
        yield f"on {faces}: {'; '.join(effect_words(e) for e in effects) or 'nothing'}"
    for case in row.get("cases", ()):
        test = f"if `{case['when']}`: " if "when" in case else "otherwise: "
        yield test + "; ".join(tail_words(case))
    for effect in row.get("effects", ()):
        yield effect_words(effect)
    for effect in row.get("miss", ()):
        yield f"otherwise: {effect_words(effect)}"


def _roll_words(roll: Any) -> str:
    if isinstance(roll, str):
        return roll
    rest = [f"{k} {cell(v)}" for k, v in roll.items() if k != "die"]
    return ", ".join([str(roll["die"]), *rest])


def effect_words(effect: Mapping[str, Any]) -> str:
    """One effect in words: its verb and parameters, and its condition."""
    words = []
    for key, value in effect.items():
        if key in ("when", "audience", "note"):
            continue
        if key in ("effects", "miss"):
            words.append("; ".join(effect_words(e) for e in value))
        elif key in ("roll",):
            words.append(f"roll {_roll_words(value)}")
        elif key in ("results", "cases", "answers", "in_turn"):
            words.append("; ".join(tail_words({key: value})) if key in ("results", "cases") else key)
        elif isinstance(value, Mapping) and (told := sentence(key, value)) is not None:
            words.append(told)
        elif isinstance(value, Mapping):
            words.append(key + " " + ", ".join(f"{k} {_nested(v)}" for k, v in value.items()))
        else:
            words.append(f"“{value}”" if key == "say" else f"{key} {cell(value)}")
    test = f" (if `{effect['when']}`)" if "when" in effect else ""
    return ", ".join(words) + test


def _nested(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "; ".join(effect_words(v) for v in value)
    if isinstance(value, Mapping):
        return fact_words(value)
    return cell(value)


def flat(value: Any) -> Any:
    return ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, Mapping) else value


SENTENCES: Mapping[str, str] = {
    "pay": "{to} is paid {amount} {what}[ by {from}]",
    "shift": "{track} of {who} moves {by}[ toward {toward}][ against {against}]",
    "mark": "{who} is marked “{as}”[ for {turns} turns]",
    "clear": "the mark “{as}” is taken from {who}",
    "join": "{who} joins {side}",
    "own": "{to} becomes {as} of {places}",
    "absorb": "{nation} becomes part of {into}",
    "found": "{nation} comes into being[, played by whoever plays {seat}]",
    "command": "{by} commands {nation}",
    "relate": "{a} and {b}: {stance}[ ({war} war)]",
    "remove": "{units} are taken away[: {n}][ ({cause})]",
    "create": "{units} appear at {at}[ for {for}]",
    "relocate": "{units} go to {to}",
    "convert": "{units} become[ {set}][ {condition}][ {kind}][, owned by {owner}]",
    "learn": "{who} learns {tech}",
    "react": "the reactions “{row}” of {matrix} follow",
    "leave": "{who} leaves its camp",
    "say": "“{text}”[ is told to {to}]",
}
"""An effect in a sentence, by its verb: `{key}` is a parameter that must be there, `[..]` is said where its parameters are."""


def sentence(verb: str, given: Mapping[str, Any]) -> str | None:
    """The sentence of a verb with its parameters; None if there is none for just these."""
    form = SENTENCES.get(verb)
    if form is None:
        return None
    said: set[str] = set()

    def filled(text: str) -> str | None:
        keys = re.findall(r"\{([a-z_]+)\}", text)
        if any(key not in given or isinstance(given[key], list) for key in keys):
            return None
        said.update(keys)
        return re.sub(r"\{([a-z_]+)\}", lambda m: parameter(given[m[1]]), text)

    parts = []
    for bare, inner in re.findall(r"([^\[\]]+)|\[([^\]]*)\]", form):
        part = filled(bare) if bare else filled(inner) or ""
        if part is None:
            return None
        parts.append(part)
    rest = [f"{key} {_nested(value)}" for key, value in given.items() if key not in said and key not in QUIET]
    return "".join(parts) + (f" ({', '.join(rest)})" if rest else "")


QUIET = frozenset({"seen_by", "as_far_as", "audience", "declared", "openly", "captured"})


def parameter(value: Any) -> str:
    """A parameter as it reads in a sentence: an expression in code, an id as it is."""
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {parameter(v)}" for k, v in value.items())
    text = cell(value)
    return f"`{text[1:]}`" if text.startswith("=") else text
