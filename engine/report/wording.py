"""Names, numbers and lists as they stand in a report's sentences.

Everything is asked of the ruleset's rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..core.messages import Message, Person, Voice, head_and_rest, possessive, said
from ..core.model import Row
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..world import treasury
from ..world.messages import HEADLINE, HEADLINE_OF, printed
from ..world.name_wording import inside_sentence
from ..world.routes import form_of_item
from ..world.view import UNKNOWN
from ..world.world import World


def listing(items: Iterable[str]) -> str:
    """Several things in a sentence: "a, b and c"."""
    parts = list(items)
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def sentence(text: str) -> str:
    """A sentence with one full stop and a capital letter at its beginning."""
    text = text.strip().replace("..", ".")
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?:" else ".")


def counted(n: Any, one: str, many: str | None = None) -> str:
    """A number with its noun in the right form."""
    return f"{n} {one if n == 1 else many or one + 's'}"


class _Voice(Voice):
    """The voice of a report: its reader is "you", nations and sides go by their short names."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording

    def name(self, it: Mapping[str, Any]) -> str:
        match it["kind"]:
            case "nation":
                return self.wording.nation(it["id"])
            case "side":
                return self.wording.side(it["id"])
            case "place":
                return self.wording.spot(it["id"])
        return str(it["name"])

    def person(self, it: Mapping[str, Any]) -> Person:
        mine = it["kind"] == "nation" and it["id"] and it["id"] == self.wording.reader
        return Person.YOU if mine else super().person(it)

    def listed(self, items: Sequence[str]) -> str:
        return listing(items)


class Wording:
    """The words of one report: who is "you", and every name in its short form."""

    def __init__(self, world: World, reader: str = "") -> None:
        self.world = world
        self.reader = reader

    def nation(self, nation: str) -> str:
        """A nation inside a sentence: "you" for the reader, else its short name, with its article."""
        return "you" if nation and nation == self.reader else self.name(nation)

    def name(self, nation: str) -> str:
        """A nation by its short name with its article, the reader as well."""
        row: Row = self.world.ruleset.row_or_empty("nations", nation)
        short = str(row.get("short") or row.get("name") or nation)
        return f"{row['article']} {short}" if "article" in row else short

    def of(self, nation: str) -> str:
        """Whose something is, before it: "your", a nation's adjective, else its name with `s`."""
        if nation and nation == self.reader:
            return "your"
        row: Row = self.world.ruleset.row_or_empty("nations", nation)
        return str(row.get("adjective") or possessive(self.name(nation)))

    def side(self, side: str) -> str:
        """A side by its name, with its article."""
        row: Row = self.world.ruleset.row_or_empty("sides", side)
        name = str(row.get("name", side))
        return f"{row['article']} {name}" if "article" in row else name

    def told(self, happened: Sequence[Message]) -> str:
        """What an entry says as the reader is told it: names in short with their article, the reader as
        "you".
        """
        return said([self._headed(message) for message in happened], self.voice)

    def parted(self, happened: Sequence[Message]) -> tuple[str, str]:
        """The same, before the first colon that a template writes, and after it; without one, all is the
        rest.
        """
        return head_and_rest([self._headed(message) for message in happened], self.voice)

    def _headed(self, message: Message) -> Message:
        """A headline of the reader alone without its "(you)": it goes without saying."""
        thing = message.slots.get("thing")
        own = isinstance(thing, Mapping) and thing.get("kind") == "nation" and thing.get("id") == self.reader
        return replace(message, template=HEADLINE) if own and message.template == HEADLINE_OF else message

    @cached_property
    def voice(self) -> Voice:
        """How messages are said to the reader."""
        return _Voice(self)

    def nations(self, nations: Iterable[str]) -> str:
        """Several nations in a sentence, the reader first."""
        return listing(
            self.nation(n) for n in sorted(nations, key=lambda n: (n != self.reader, self.name(n)))
        )

    def thing(self, value: Any) -> str:
        """What a slot of an order holds: a nation as reports call it, anything else by its name."""
        rows = self.world.ruleset.rows
        if isinstance(value, str) and value in rows("nations"):
            return self.name(value)
        form = next(
            (f for f in ("places", "technologies", "units") if isinstance(value, str) and value in rows(f)),
            None,
        )
        return str(rows(form)[value].get("name", value)) if form else str(value)

    def place(self, place: str) -> str:
        """A place by its name."""
        return printed(self.world, Entity("place", place))

    def spot(self, place: str) -> str:
        """A place inside a sentence: by its name, with its article."""
        row: Row = self.world.ruleset.row_or_empty("places", place)
        return f"{row['article']} {self.place(place)}" if "article" in row else self.place(place)

    def kind(self, kind: str, n: Any = 2) -> str:
        """A kind of unit, in the number that is wanted, as it stands inside a sentence."""
        rows = self.world.ruleset.rows
        row: Row = rows("units").get(kind) or rows("production").get(kind) or {}
        name = str(row.get("name", kind if kind != UNKNOWN else "unit"))
        if n != 1:
            unlisted = "units" if kind == UNKNOWN else kind
            name = str(row.get("plural", name if row else unlisted))
        return name if row.get("proper_name") else self.inside(name)

    def item(self, id_: str) -> str:
        """What something that lies somewhere is called: a resource, a kind of unit, what can be bought."""
        form = form_of_item(self.world.ruleset, id_)
        return str(self.world.ruleset.row_or_empty(form, id_).get("name", id_)) if form else id_

    def inside(self, name: str) -> str:
        """A row's name as it stands inside a sentence."""
        return inside_sentence(self.world.ruleset, name)

    def units(self, kinds: Mapping[str, Any]) -> str:
        """Units of several kinds in a sentence, most first."""
        items = sorted(((k, n) for k, n in kinds.items() if n), key=lambda i: (-i[1], i[0]))
        return listing(f"{n} {self.kind(k, n)}" for k, n in items)

    def short_units(self, kinds: Mapping[str, Any]) -> str:
        """The same for a cell: parted by commas only."""
        items = sorted(((k, n) for k, n in kinds.items() if n), key=lambda i: (-i[1], i[0]))
        return ", ".join(f"{n} {self.kind(k, n)}" for k, n in items)

    def amount(self, n: Any, resource: str) -> str:
        """So much of a resource: "1 point", "2 points"."""
        return treasury.so_much(self.world.ruleset, n, resource)

    def worth(self, place: str) -> Any:
        """What a place is worth by the setting `worth` of the ruleset, an expression of `place`; 0 without
        it.
        """
        text = self.world.ruleset.setting("worth")
        if not text:
            return 0
        return (
            self.world.value(
                strip_mark(str(text)), {"place": Entity("place", place), "self": None, "nation": None}
            )
            or 0
        )

    def price(self, kinds: Mapping[str, Any], owner: str) -> int:
        """What units weigh: by the figure of their rows that the setting `unit_worth` names, else one
        each.
        """
        name = self.world.ruleset.setting("unit_worth")
        if not name:
            return sum(int(n) for n in kinds.values())
        known = self.world.ruleset.rows("units")
        return sum(
            int(n) * int(self.world.unit_row(k, owner).get(str(name), 1))
            for k, n in kinds.items()
            if k in known
        )


def throw(record: Mapping[str, Any]) -> str:
    """A throw in words: "rolled 4, needed 9 or more"."""
    totals = [
        str(d.get("total", sum(d["faces"]) if all(isinstance(f, int) for f in d["faces"]) else ""))
        for d in record["drawn"]
    ]
    words = "rolled " + listing(totals)
    need = record.get("need")
    return words if need is None else f"{words}, needed {in_words(str(need))}"


def in_words(need: str) -> str:
    """A range of numbers as it is said: "1 or less", never "1" or "1..2"."""
    low, dots, high = need.partition("..")
    if not dots:
        return need
    if low and not high:
        return f"{low} or more"
    return f"{high} or less" if low in ("", "1") else f"{low} to {high}"


def merged(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Several counts added up."""
    out: dict[str, int] = {}
    for part in parts:
        for kind, n in part.items():
            out[kind] = out.get(kind, 0) + n
    return out
