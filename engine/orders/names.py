"""Names as players write them: from text to ids, and from ids to the names that are printed.

A thing is found under its id, its name, its plural, its `aliases`, its symbol, and the rows of the form
`aliases`. What is not found is looked for with small slips of spelling, and as a part of one name only; both
are said, never done in silence.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from ..core.model import Row, Ruleset, derived_of
from ..core.state import State
from ..core.words import Word, distance, joined, misspelled, run_together, slips, split
from ..ruleset.order_syntax import FORM_OF, WORDS_OF_KIND, slot_of

EVERY = "*"
"""In a list of units: of every kind; with a tag after it, of every kind with that tag."""
LONGEST_CHOICE = 5
"""Words of a line that may stand together for what a slot offers, which may itself have more."""
MOST_KEPT = 5000
"""Answers of `near` and of `abbreviated` that are kept."""
MOST_POSITIONS = 50
"""Positions whose names are kept."""


class Near(NamedTuple):
    """A name that somebody may have meant: its id, and by how many letters it is off (0: it is a part of the
    name)."""

    id: str
    slips: int


class Names:
    """The names of one ruleset, and of the nations and forces of a position where one is given."""

    def __init__(self, ruleset: Ruleset, state: State | None = None) -> None:
        self.ruleset = ruleset
        self.state = state
        self._articles = False
        of = (*FORM_OF.values(), "aliases", "units", "places")
        shared: _Index = ruleset.derived("order names", lambda: _Index(ruleset), of=of)
        self._index = shared if state is None else shared.with_state(state, _titles(ruleset, state))

    @property
    def of_position(self) -> Hashable:
        """What of these names only the position has: with equal ones a text reads alike."""
        return self._index.of_position

    # ---- from text to ids

    def find(self, kind: str, key: str) -> tuple[str, ...]:
        """The ids of a kind that go by this name (compared as `words.joined` gives it)."""
        return self._index.ids.get(kind, {}).get(key, ())

    def longest(self, kind: str) -> int:
        """Words of the longest name of a kind."""
        return self._index.longest.get(kind, 1)

    def known(self, key: str) -> bool:
        """Whether the name belongs to anything of any kind."""
        return any(key in names for names in self._index.ids.values())

    def near(self, kind: str, key: str) -> list[Near]:
        """The things of a kind whose names are nearest to what was written, all of them equally near.

        Small slips count first, then a whole word out of a longer name. Never what is the exact name of
        something else.
        """
        near = self._index.nearest.get((kind, key))
        if near is None:
            if len(self._index.nearest) >= MOST_KEPT:
                self._index.nearest.clear()
            near = self._index.nearest[kind, key] = self._near(kind, key)
        return list(near)

    def _near(self, kind: str, key: str) -> list[Near]:
        names = self._index.ids.get(kind, {})
        most = slips(len(key))
        best: dict[str, int] = {}
        if most and not self.known(key):
            for name, ids in names.items():
                if len(name) < 5:
                    continue
                off = misspelled(key, name, most)
                if off is not None:
                    for id_ in ids:
                        best[id_] = min(off, best.get(id_, off))
            if best:
                least = min(best.values())
                # a name that is only one letter further off makes it doubtful: then nothing is forgiven
                close = sorted(i for i, off in best.items() if off <= least + (1 if least > 0 else 0))
                return [Near(i, best[i]) for i in close]
        return [Near(i, 0) for i in self._index.parts.get(kind, {}).get(key, ())]

    def abbreviated(self, kind: str, key: str) -> tuple[str, ...]:
        """The things of a kind whose names begin with what was written, at least three letters, in the plural
        or not.

        Kinds of units and what can be built only: people shorten these, and of places they mean a part of the
        name (`near`).
        """
        if len(key) < 3 or kind not in ("unit-kind", "item"):
            return ()
        kept = self._index.shortened
        if (kind, key) not in kept:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[kind, key] = self._abbreviated(kind, key)
        return kept[kind, key]

    def _abbreviated(self, kind: str, key: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for begins in (key, key[:-1] if key.endswith("s") and len(key) > 3 else key):
            for name, ids in self._index.ids.get(kind, {}).items():
                if name.startswith(begins):
                    found.update(dict.fromkeys(ids))
            if found:
                break
        return tuple(found)

    def guesses(self, kind: str, key: str, count: int = 3) -> list[str]:
        """Printed names of what somebody may have meant, the nearest first: more generous than `near`, for
        hints only."""
        found = [n.id for n in self.near(kind, key)]
        if not found and key:
            scored: list[tuple[int, str]] = []
            for name, ids in self._index.ids.get(kind, {}).items():
                most = max(1, len(key) // 3)
                off = distance(key, name, most)
                if off <= most:
                    scored.extend((off, i) for i in ids)
                elif len(key) >= 4 and (name.startswith(key) or key.startswith(name)) and len(name) >= 4:
                    scored.extend((most + 1, i) for i in ids)
            found = [i for _, i in sorted(scored)]
        return [self.printed(kind, i) for i in dict.fromkeys(found)][:count]

    def beginning(self, kind: str, key: str) -> list[str]:
        """Printed names of what has a name that begins so."""
        named = self._index.ids.get(kind, {}).items()
        ids = chain.from_iterable(found for name, found in named if key and name.startswith(key))
        return [self.printed(kind, id_) for id_ in sorted(set(ids))]

    def all(self, kind: str) -> Iterable[str]:
        """Every id of a kind."""
        return sorted({i for ids in self._index.ids.get(kind, {}).values() for i in ids})

    # ---- from ids to text

    def printed(self, kind: str, id_: str, n: int = 1) -> str:
        """The name of a thing as orders and templates print it; of units, in the plural if there are
        several."""
        if kind == "link":
            a, _, b = id_.partition(">")
            return f"{self.printed('place', a)} and {self.printed('place', b)}"
        if kind == "record":
            title = _titles(self.ruleset, self.state).get(id_, "") if self.state else ""
            return title if self.find(kind, joined(title)) == (id_,) else _numbered(id_)
        row: Row = self.ruleset.row_or_empty(FORM_OF.get(kind, ""), id_)
        if not row.get("name"):
            row = _named_after(self.ruleset, kind, row) or row
        if n != 1 and row.get("plural"):
            return str(row["plural"])
        name = self.state.get("nations", id_, "name") if kind == "nation" and self.state else None
        text = str(name or row.get("name") or id_)
        if self.find(kind, joined(text)) != (id_,):
            text = id_
        return f"{row['article']} {text}" if self._articles and "article" in row else text

    def in_sentences(self) -> Names:
        """The same names as they stand in sentences: places and nations with their articles."""
        spoken = copy(self)
        spoken._articles = True
        return spoken

    def units(self, counts: Mapping[str, Any]) -> str:
        """A list of units as it is written in an order: `6 guards, 1 gun`."""
        parts = []
        for kind, n in counts.items():
            many = n if isinstance(n, int) else 2
            name = self._every(kind) if kind.startswith(EVERY) else self.printed("unit-kind", kind, many)
            parts.append(f"{n} {name}".rstrip())
        return ", ".join(parts)

    def _every(self, kind: str) -> str:
        return next(
            (word for word, tag in self._index.together.items() if tag == kind.removeprefix(EVERY)), ""
        )

    def together(self, word: str) -> str | None:
        """The tag of the units that a word stands for, all of them, as `fleet` may for ships."""
        return self._index.together.get(word)

    def synonym(self, word: str) -> str:
        """The word of an order that another word stands for (rows of `aliases` that name no thing), or
        itself."""
        return self._index.words.get(word, word)

    def choices(self, offered: Sequence[str], words: Sequence[Word], at: int) -> Iterator[tuple[int, str]]:
        """Which of the words that a slot offers stand at a word of a line, as they are or by a word that
        stands for them: the word after each, the longest first."""
        known, longest = _as_compared(tuple(offered))
        for end in range(min(at + longest, len(words)), at, -1):
            written = run_together(words[at:end])
            choice = known.get(written) or known.get(self.synonym(written))
            if choice is not None:
                yield end, choice

    def kind_words(self, kind: str) -> str:
        """What a slot of a kind wants, in words."""
        made = {row.get("makes") for row in self.ruleset.rows("production").values()}
        rows = sorted(
            self.ruleset.rows("units").values(), key=lambda row: row["id"] not in made
        )  # those that can be had first
        example: Row = rows[0] if rows else {}
        return WORDS_OF_KIND.get(kind, kind).replace(
            "{example}", str(example.get("plural", example.get("name", "units")))
        )


@lru_cache(maxsize=2_000)
def _as_compared(offered: tuple[str, ...]) -> tuple[dict[str, str], int]:
    """What a slot offers, by how it is compared, and how many words the longest has."""
    longest = max([LONGEST_CHOICE, *(len(split(choice)) for choice in offered)])
    return {joined(choice): choice for choice in offered}, longest


class _Index:
    """kind -> name -> ids; kind -> word of a name -> ids; and words that stand for other words."""

    def __init__(self, ruleset: Ruleset | None = None) -> None:
        self.ids: dict[str, dict[str, tuple[str, ...]]] = {}
        self.parts: dict[str, dict[str, tuple[str, ...]]] = {}
        self.longest: dict[str, int] = {}
        self.words: dict[str, str] = {}
        self.together: dict[str, str] = {}
        """Word -> the tag of the units that it stands for, all of them."""
        self.nearest: dict[tuple[str, str], list[Near]] = {}
        """Kind and what was written -> what `near` finds: people write the same again and again while they
        mend."""
        self.shortened: dict[tuple[str, str], tuple[str, ...]] = {}
        """The same for `abbreviated`."""
        self.of_position: Hashable = ()
        self._with: dict[Hashable, _Index] = {}
        """The same with the names of positions, by these: every file that a nation sends is read with its
        own."""
        if ruleset is None:
            return
        for kind, form in FORM_OF.items():
            self._rows(ruleset, kind, ruleset.rows(form))
        for row in ruleset.rows("aliases").values():
            if row.get("table") == "tags":
                self.together[joined(row["id"])] = row["for"]
                continue
            kinds = [
                k
                for k, form in FORM_OF.items()
                if row.get("table", form) == form and ruleset.has(form, row["for"])
            ]
            for kind in kinds:
                self._add(kind, row["id"], row["for"])
            if not kinds:
                self.words[joined(row["id"])] = joined(row["for"])
        called: dict[str, list[str]] = {}
        for row in ruleset.rows("aliases").values():
            if row.get("table", "places") == "places":
                called.setdefault(str(row["for"]), []).append(str(row["id"]))
        self._parts(ruleset.rows("places"), called)

    def _rows(self, ruleset: Ruleset, kind: str, rows: Mapping[str, Row]) -> None:
        # Ids and names first: an alias never takes a name away from the thing that has it.
        for id_, row in rows.items():
            self._add(kind, id_, id_)
            if row.get("name"):
                self._add(kind, row["name"], id_)
        own = set(self.ids.get(kind, {}))
        for id_, row in rows.items():
            more = None if row.get("name") else _named_after(ruleset, kind, row)
            for source in (row, *([more] if more else ())):
                own_only = (
                    "part_of" in source
                )  # what a part is called beside its name goes after the names of the whole
                extra = [source.get(key) for key in ("name", "plural", "symbol", "adjective")]
                extra += [] if own_only else list(source.get("aliases", ()))
                for name in extra:
                    if name and (joined(name) not in own or self.ids[kind][joined(name)] == (id_,)):
                        self._add(kind, name, id_)
                if kind in ("unit-kind", "item", "nation"):  # several of it; what is a nation's
                    for name in list(filter(None, [source.get("name"), *source.get("aliases", ())])):
                        several = name[:-1] + "ies" if name.endswith("y") else name + "s"
                        for more_of_it in dict.fromkeys((name + "s", several)):
                            if joined(more_of_it) not in own:
                                self._add(kind, more_of_it, id_)

    def _parts(self, rows: Mapping[str, Row], called: Mapping[str, Iterable[str]]) -> None:
        """Parts of places: every name of the whole with every name of the part after it, also as
        `whole/part`, `whole (part)`. `called`: further names of places."""
        for id_, row in rows.items():
            whole = rows.get(row.get("part_of", ""), {})
            more = called.get(row.get("part_of", ""), ())
            names = (whole.get("id"), whole.get("name"), *whole.get("aliases", ()), *more)
            for name_of_it in filter(None, names):
                for own in row.get("aliases", ()):
                    for name in (f"{name_of_it} {own}", f"{name_of_it}/{own}", f"{name_of_it} ({own})"):
                        self._add("place", name, id_)

    def _add(self, kind: str, name: str, id_: str) -> None:
        key = joined(name)
        if not key:
            return
        names = self.ids.setdefault(kind, {})
        if id_ not in names.get(key, ()):
            names[key] = (*names.get(key, ()), id_)
        words = split(name)
        self.longest[kind] = max(self.longest.get(kind, 1), len(words) + 1)
        if len(words) > 1:
            parts = self.parts.setdefault(kind, {})
            for word in words:
                if len(word.norm) >= 3 and id_ not in parts.get(word.norm, ()):
                    parts[word.norm] = (*parts.get(word.norm, ()), id_)

    def with_state(self, state: State, titles: Mapping[str, str]) -> _Index:
        """The same, with what only a position has: nations founded since, forces, and records by their
        titles.
        """
        founded = {
            n: r
            for n, r in state.table("nations").items()
            if n not in self.ids.get("nation", {}) or "name" in r
        }
        forces = sorted(state.table("forces"))
        if not founded and not titles and not forces:
            return self
        key = (
            tuple((id_, row.get("name")) for id_, row in sorted(founded.items())),
            tuple(forces),
            tuple(titles.items()),
        )
        if key not in self._with:
            if len(self._with) >= MOST_POSITIONS:
                self._with.clear()
            self._with[key] = self._with_names(key)
        return self._with[key]

    def _with_names(self, key: _OfPosition) -> _Index:
        founded, forces, titles = key
        more = _Index()
        more.of_position = key
        more.ids = dict(self.ids)
        more.parts, more.longest, more.words = dict(self.parts), dict(self.longest), self.words
        more.together = self.together
        if founded:
            more.ids["nation"] = dict(self.ids.get("nation", {}))
            more.parts["nation"] = dict(self.parts.get("nation", {}))
            for id_, name in founded:
                more._add("nation", id_, id_)
                if name:
                    more._add("nation", name, id_)
        if forces:
            more.ids["force"] = {}
            for id_ in forces:
                more._add("force", id_, id_)
                more._add("force", id_.rpartition("#")[2].lstrip("0") or "0", id_)
        if titles:
            more.ids["record"] = {}
            for id_, title in titles:
                more._add("record", _numbered(id_), id_)
                more._add("record", title, id_)
        return more


_OfPosition = tuple[tuple[tuple[str, str | None], ...], tuple[str, ...], tuple[tuple[str, str], ...]]
"""Nations founded since, or named anew, with their names; forces; records with what names them."""


def _titles(ruleset: Ruleset, state: State) -> dict[str, str]:
    """The records of a position, by what names them in texts; none where no order names any."""
    named = _names_records(ruleset)
    out: dict[str, str] = {}
    for id_, row in state.table("records").items() if named else ():
        shown_by = ruleset.row_or_empty("records", row.get("kind", "")).get("shown_by", "")
        out[id_] = str(row.get(shown_by) or _numbered(id_))
    return out


def _numbered(record: str) -> str:
    """A record by its kind and its number: "treaty 2"; a `#` would begin a comment."""
    kind, _, number = record.rpartition("#")
    return f"{kind} {number.lstrip('0')}"


@derived_of("orders", "actions")
def _names_records(ruleset: Ruleset) -> bool:
    rows = [*ruleset.rows("orders").values(), *ruleset.rows("actions").values()]
    kinds = {slot_of(name, declared).kind for name, declared in _slots(rows)}
    return "record" in kinds


def _slots(rows: Iterable[Row]) -> Iterator[tuple[str, Any]]:
    for row in rows:
        yield from row.get("slots", {}).items()


def _named_after(ruleset: Ruleset, kind: str, row: Row) -> Row | None:
    """The unit kind whose names a thing to be built goes by: the one it makes."""
    if kind != "item":
        return None
    for key in ("unit", "makes", "id"):
        if ruleset.has("units", row.get(key)):
            return ruleset.rows("units")[row[key]]
    return None
