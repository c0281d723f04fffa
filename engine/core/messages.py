"""What an entry of the journal says, as data: templates with named slots, and what fills each.

A message is a template of a rule or of the engine ("{self} declares war on {target}.") and a value for each
of its slots: a number, a text, a thing (`thing`), another message, or a list of these. `said` makes words of
it on reading, in a voice: `Voice` is that of the log, in which everybody goes by name; a report's voice says
"you" to its reader. Nothing ever looks for names or verbs in what was said.

Grammar is marked in the template. `{loses|lose}` is the form after one, and after you or several;
`{its|your|their}` has one for each. It goes with the nation that comes first in the sentence, and
`{target: loses|lose}` with the one named. Where nothing is marked, `_parts` reads it off the template, once:
the verb after the nation at the beginning of a sentence, `its` after that, `'s`, and the article before a
slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Any

SLOT = re.compile(r"\{([^{}]*)\}")
"""What stands in braces in a template."""
_FORMS = re.compile(r"(?:(?P<of>[^|:'\"()]+): ?)?(?P<forms>[^|:'\"(){}]*(?:\|[^|:'\"(){}]*){1,2})")
_END = re.compile(r"[.!?](?:\s|$)")
_OWNER = re.compile(r"'s?(?=\s)")
_VERB = re.compile(r" ([a-z]+)(?=[ .:,;])")
_NO_VERBS = frozenset({"and", "or", "as", "us", "thus", "this"})
_ODD = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}
_ITS = re.compile(r"\b([Ii]ts)\b")
_LEAD = re.compile(r"(?P<of>\b[Tt]he (?:[\w-]+ ){1,3}of )?(?P<the>\b[Tt]he )?$")

NATION, SIDE = "nation", "side"


class Person(IntEnum):
    """Who somebody is to the reader, which decides the form of a verb."""

    ONE = 0
    YOU = 1
    SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Message:
    """A template and what fills its slots, in plain JSON; a slot is named by what stands in its braces."""

    template: str
    slots: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"template": self.template, "slots": dict(self.slots)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        return cls(data["template"], data["slots"])


class NamedThing(dict[str, Any]):
    """A thing as a slot of a message holds it."""


def thing(kind: str, id_: Any, name: str, *, several: bool = False) -> NamedThing:
    """A thing as a slot holds it: its kind, its id (of units: kind to number), and its name in the log.

    `several`: its name takes the verbs of several.
    """
    return NamedThing(kind=kind, id=id_, name=name, **({"several": True} if several else {}))


def plain(text: str) -> Message:
    """A text that is no template."""
    return Message("{text}", {"text": text})


def joined(messages: Sequence[Message], by: str) -> Message:
    """Several messages as one, parted by a text without braces."""
    slots = {str(n): message.to_json() for n, message in enumerate(messages, 1)}
    return Message(by.join(f"{{{n}}}" for n in slots), slots)


def plural_verb(verb: str) -> str:
    """A verb as it follows "you": joins, join; carries, carry; is, are."""
    if verb in _ODD:
        return _ODD[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def capital(text: str) -> str:
    """With a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """With a small letter at its beginning, unless it is written in capitals (`PUs`)."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def possessive(name: str) -> str:
    """A name with its `s`, or its apostrophe alone after an s."""
    return name + ("'" if name.endswith("s") else "'s")


# ---- templates


@dataclass(frozen=True, slots=True)
class MessageSlot:
    """A slot: `begins` a sentence, `owns` what follows; `of` and `the` stood before it and go with its name.

    `noun`: the slot between the article in `of` and the "of" before this one ("the {unit} of {nation}").
    """

    name: str
    begins: bool
    owns: bool
    of: str = ""
    the: str = ""
    noun: str = ""


@dataclass(frozen=True, slots=True)
class WordForms:
    """A word in a form for each `Person`; it goes with the first of the slots `of` that holds a nation."""

    forms: tuple[str, str, str]
    of: tuple[str, ...]


Part = str | MessageSlot | WordForms


def forms_in(word: str) -> tuple[str, tuple[str, ...]] | None:
    """What stands in braces as forms of a word: the slot that it names, or "", and the forms; None for a
    slot.
    """
    found = _FORMS.fullmatch(word)
    return ((found["of"] or "").strip(), tuple(found["forms"].split("|"))) if found else None


@lru_cache(maxsize=4096)
def slots_in(template: str) -> tuple[str, ...]:
    """The slots of a template, each once, in the order in which they first stand in it."""
    words = dict.fromkeys(found[1] for found in SLOT.finditer(template))
    return tuple(word for word in words if forms_in(word) is None)


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[Part, ...]:
    """A template taken apart, once."""
    out: list[Part] = []
    before: list[str] = []  # the slots of earlier sentences, of which forms may still speak
    here: list[str] = []  # those of this one
    subject = ""  # the slot whose verb was found without a mark
    at = 0
    for found in SLOT.finditer(template):
        text, at = template[at : found.start()], found.end()
        if _END.search(text):
            before, here = here or before, []
        marked = forms_in(found[1])
        if marked is not None:
            out.extend(_with_its(text, subject))
            out.append(_forms(*marked, (*here, *before)))
            continue
        lead = _LEAD.search(text)
        assert lead is not None  # it fits the empty text, too
        of, the = lead["of"] or "", lead["the"] or ""
        ahead = template[: found.start() - len(lead[0])].rstrip()
        owner = _OWNER.match(template, at)
        begins = ahead[-1:] in ("", ".", "!", "?")
        if text == " of " and len(out) and isinstance(noun := out[-1], MessageSlot) and noun.the:
            out[-1] = MessageSlot(found[1], noun.begins, owner is not None, noun.the, noun=noun.name)
        else:
            out.extend(_with_its(text[: lead.start()], subject))
            out.append(MessageSlot(found[1], begins, owner is not None, of, the))
        if owner is not None:
            at = owner.end()
            continue
        here.append(found[1])
        verb = _VERB.match(template, at) if not of and ahead[-1:] in ("", ".", "!", "?", ";", ":") else None
        if verb is not None and verb[1] not in _NO_VERBS and plural_verb(verb[1]) != verb[1]:
            out += [" ", _forms("", (verb[1], plural_verb(verb[1])), (found[1],))]
            subject, at = found[1], verb.end()
    out.extend(_with_its(template[at:], subject))
    return tuple(out)


def _forms(named: str, forms: tuple[str, ...], near: tuple[str, ...]) -> WordForms:
    return WordForms((forms[0], forms[1], forms[-1]), (named,) if named else near)


def _with_its(text: str, subject: str) -> Iterator[Part]:
    """A text of a template after a subject: `its` is the subject's."""
    if not subject:
        yield from [text] if text else []
        return
    for n, piece in enumerate(_ITS.split(text)):
        if n % 2:
            forms = (piece, "Your", "Their") if piece[0] == "I" else (piece, "your", "their")
            yield WordForms(forms, (subject,))
        elif piece:
            yield piece


# ---- words


class Voice:
    """The voice of the log: everybody by name. A report's voice says what is otherwise for its reader."""

    def name(self, it: Mapping[str, Any]) -> str:
        """What a thing is called inside a sentence."""
        return str(it["name"])

    def person(self, it: Mapping[str, Any]) -> Person:
        """Who somebody is to the reader."""
        return Person.SEVERAL if it.get("several") else Person.ONE

    def listed(self, items: Sequence[str]) -> str:
        """Several things in a sentence."""
        return ", ".join(items)


LOG = Voice()


def said(messages: Iterable[Message], voice: Voice = LOG) -> str:
    """All that messages say, in a voice.

    A head that is the reader alone ("{self}: ...") is left out: what is told you is yours.
    """
    return "".join(text for _, text in _pieces(messages, voice)).strip()


def head_and_rest(messages: Iterable[Message], voice: Voice = LOG) -> tuple[str, str]:
    """What messages say before the first colon of their templates, and after it; without one, all is the
    rest.
    """
    pieces = _pieces(messages, voice)
    for n, (written, text) in enumerate(pieces):
        before, colon, after = text.partition(": ")
        if written and colon:
            head, rest = ("".join(t for _, t in part) for part in (pieces[:n], pieces[n + 1 :]))
            return (head + before).strip(), (after + rest).strip()
    return "", "".join(text for _, text in pieces).strip()


def told_to_you(messages: Sequence[Message], voice: Voice) -> bool:
    """Whether messages begin with the reader and a colon."""
    parts = _parts(messages[0].template) if messages else ()
    if not parts or not isinstance(parts[0], MessageSlot):
        return False
    value = messages[0].slots.get(parts[0].name)
    if isinstance(value, Mapping) and "template" in value:
        return told_to_you([Message.from_json(value)], voice)
    named = len(parts) > 1 and isinstance(parts[1], str) and parts[1].startswith(": ")
    return named and _person(value, voice) is Person.YOU


Pieces = list[tuple[bool, str]]
"""Whether each part of what is said is written in a template, and the words; no two written ones in a row."""


def _pieces(messages: Iterable[Message], voice: Voice) -> Pieces:
    """What messages say, piece by piece; a head that is the reader alone is left out."""
    out: Pieces = []
    messages = list(messages)
    for number, message in enumerate(messages):
        if number:
            _add(out, True, " ")
        _say(message, voice, out, drop=not number and told_to_you(messages, voice), inside=False)
    return out


def _say(message: Message, voice: Voice, out: Pieces, *, drop: bool, inside: bool) -> None:
    """Add what a message says to pieces, with `drop` without the name and the colon at its beginning.

    One that stands `inside` another begins no sentence.
    """
    for n, part in enumerate(_parts(message.template)):
        if isinstance(part, str):
            _add(out, True, part.removeprefix(": ") if drop and n == 1 else part)
            continue
        value = message.slots.get(part.name) if isinstance(part, MessageSlot) else None
        if isinstance(value, Mapping) and "template" in value:
            _say(Message.from_json(value), voice, out, drop=drop and not n, inside=bool(out))
            drop = drop and bool(n)
        elif not (drop and not n):
            _add(out, False, _filled(part, message, voice, capitals=not (inside and not n)))


def _add(out: Pieces, written: bool, text: str) -> None:
    if written and out and out[-1][0]:
        out[-1] = True, out[-1][1] + text
    else:
        out.append((written, text))


def _person(value: Any, voice: Voice) -> Person | None:
    """Who fills a slot is to the reader; None where it is no nation and no side."""
    if isinstance(value, list) and value:
        persons = {_person(one, voice) for one in value}
        if len(value) == 1 or None in persons:
            return None if None in persons else persons.pop()
        return Person.SEVERAL
    return voice.person(value) if isinstance(value, Mapping) and value.get("kind") in (NATION, SIDE) else None


def _filled(part: MessageSlot | WordForms, message: Message, voice: Voice, *, capitals: bool = True) -> str:
    """A slot or a form of a word, as the reader is told it; `capitals`: one begins a sentence."""
    if isinstance(part, WordForms):
        persons = (_person(message.slots.get(name), voice) for name in part.of)
        return part.forms[next((p for p in persons if p is not None), Person.ONE)]
    value = message.slots.get(part.name, "")
    person = _person(value, voice)
    if person is None or isinstance(value, list):
        name = value_in_words(value, voice)
        the = part.the
        if isinstance(value, Mapping) and value.get("kind") == "place" and name != value["name"]:
            the = ""  # it has an article of its own
            name = capital(name) if part.begins and capitals and not part.of else name
        return _of(part, message, voice) + the + (possessive(name) if part.owns else name)
    begins = part.begins and capitals
    if person is Person.YOU and part.of:  # what is of theirs is theirs
        of = _of(part, message, voice).removesuffix(" of ")
        return f"{'Your' if of[0] == 'T' else 'your'}{of[len('The') :]}"
    if person is Person.YOU:
        name = "your" if part.owns else "you"
        return capital(name) if begins else name
    name = voice.name(value)
    the = part.the if name == value["name"] else ""  # the article of a long name goes with it
    name = possessive(name) if part.owns else name
    return _of(part, message, voice) + the + (capital(name) if begins and not part.of and not the else name)


def _of(part: MessageSlot, message: Message, voice: Voice) -> str:
    """What stood before a slot ("the fleet of "), with its noun put in where that is a slot."""
    return f"{part.of}{value_in_words(message.slots.get(part.noun, ''), voice)} of " if part.noun else part.of


def value_in_words(value: Any, voice: Voice = LOG) -> str:
    """What fills a slot, in words."""
    if isinstance(value, Mapping):
        return said([Message.from_json(value)], voice) if "template" in value else voice.name(value)
    if isinstance(value, list):
        return voice.listed([value_in_words(one, voice) for one in value])
    return str(value)


def lasts(message: Message) -> tuple[str, bool] | None:
    """The slot that ends a message, but for its full stop, and whether it stands in brackets; None for no
    slot.
    """
    parts = [part for part in _parts(message.template) if part != "."]
    if len(parts) > 1 and isinstance(parts[-1], MessageSlot):
        return parts[-1].name, False
    closed = (
        len(parts) > 2
        and isinstance(parts[-1], str)
        and parts[-1] in (")", ").")
        and isinstance(parts[-2], MessageSlot)
    )
    opened = closed and isinstance(parts[-3], str) and parts[-3].endswith(" (")
    return (parts[-2].name, True) if opened and isinstance(parts[-2], MessageSlot) else None
