"""The functions of expressions as an auditor's reader knows them: plain sets, stats, levels, options and
tables. What else they are asked is `Beyond` it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .figures import Beyond, within
from .things import FORMS, LISTED, Thing, Things, id_of, set_of


def functions_of(things: Things) -> dict[str, Callable[..., Any]]:
    """Name -> function, and every definition of the ruleset under its own."""
    return _Functions(things).table()


class _Functions:
    def __init__(self, things: Things) -> None:
        self.things, self.ruleset, self.state = things, things.ruleset, things.state

    def table(self) -> dict[str, Callable[..., Any]]:
        ask, thing = self.things.asked, self.things.thing
        functions: dict[str, Callable[..., Any]] = {
            "nation": lambda id_: thing("nation", id_),
            "place": lambda id_: thing("place", id_),
            "side": lambda id_: thing("side", id_),
            "item": lambda id_: thing("item", id_),
            "tech": lambda id_: thing("tech", id_),
            "set_of": lambda *those: tuple(those),
            "group": self._group,
            "nations": lambda **f: self._those("nation", f),
            "places": lambda **f: self._those("place", f),
            "units": lambda **f: self._units(f),
            "count": self._count,
            "any": lambda those, name=None, *rest: any(ask(t, name, rest) for t in set_of(those)),
            "all": lambda those, name, *rest: all(ask(t, name, rest) for t in set_of(those)),
            "where": lambda those, name, *rest: tuple(t for t in set_of(those) if ask(t, name, rest)),
            "sum": self._sum,
            "value": self._value,
            "level": self._level,
            "was": self._was,
            "neighbors": self._neighbors,
            "knows": lambda n, tech: self._level(n, tech) > 0,
            "model": lambda n, kind: Thing(self.things, "unit", f"{id_of(n)}.{id_of(kind)}@"),
            "track": lambda n, id_: self.state.get("tracks", id_of(n), id_of(id_), 0),
            "flagged": self._marked,
            "counter": lambda about, name: self.state.get(
                "counters", f"{about._kind}:{about.id}", id_of(name), 0
            ),
            "ordered": self._ordered,
            "option": self._option,
            "lookup": self._lookup,
            "stance": lambda a, b: self.things.stance(id_of(a), id_of(b)),
            "at_war": lambda a, b: self.things.hostile(id_of(a), id_of(b)),
            "enemy": self._enemy,
            "neutral": self.things.neutral,
            "allied": lambda a, b: self.things.friendly(id_of(a), id_of(b)),
            "min": min,
            "max": max,
            "abs": abs,
            "floor": floor,
            "ceil": ceil,
        }
        return functions | {name: self.things.term(name) for name in self.ruleset.rows("definitions")}

    def _group(self, id_: Any) -> tuple[Thing, ...]:
        row = self.ruleset.rows("groups").get(str(id_of(id_)))
        if row is None:
            raise Beyond("a group that there is not")
        return tuple(Thing(self.things, LISTED[row["of"]], m) for m in row["members"])

    def _those(self, kind: str, filters: Mapping[str, Any]) -> tuple[Thing, ...]:
        ids = {
            **dict.fromkeys(self.ruleset.rows(FORMS[kind])),
            **(dict.fromkeys(self.state.table("nations")) if kind == "nation" else {}),
        }
        return tuple(t for id_ in ids if self._fits(t := Thing(self.things, kind, id_), filters))

    def _units(self, filters: Mapping[str, Any]) -> tuple[Thing, ...]:
        filters = dict(filters)
        at = filters.pop("at", None)
        tag = filters.pop("tag", None)
        if "side" in filters or "of" in filters:
            raise Beyond("units by side")
        places = {id_of(p) for p in set_of(at)} if at is not None else None
        tags = {id_of(t) for t in set_of(tag)} if tag is not None else None
        out = []
        for key, row in sorted(self.state.table("units").items()):
            if places is not None and row["place"] not in places:
                continue
            if tags is not None and not tags & set(
                self.ruleset.row_or_empty("units", row["kind"]).get("tags", ())
            ):
                continue
            thing = Thing(self.things, "unit", key)
            if self._fits(thing, filters):
                out.append(thing)
        return tuple(out)

    def _fits(self, thing: Thing, filters: Mapping[str, Any]) -> bool:
        for name, wanted in filters.items():
            found = self.things.field(thing, name)
            among = {id_of(w) for w in set_of(wanted)}
            if not ({id_of(f) for f in found} & among if isinstance(found, tuple) else id_of(found) in among):
                return False
        return True

    def _count(self, those: Any, name: Any = None, *rest: Any) -> int:
        return sum(self.things.weight(t) for t in set_of(those) if self.things.asked(t, name, rest))

    def _sum(self, those: Any, name: Any, *rest: Any) -> Any:
        """The sum of a field, or of what a term or a stat comes to with `rest`, each stack as often as it has
        units.
        """
        return sum(self._asked_of(t, name, rest) * self.things.weight(t) for t in set_of(those))

    def _asked_of(self, thing: Any, name: Any, rest: tuple[Any, ...]) -> Any:
        """A figure of a thing; what comes `rest` is for a term, as a field takes nothing more."""
        if rest and name not in self.ruleset.rows("definitions"):
            raise Beyond(f"more that is said of the field {name}")
        return self.things.asked(thing, name, rest)

    def _value(self, thing: Any, id_: Any, who: Any = None) -> Any:
        """A stat with its modifiers; for a nation, where the thing has no owner."""
        return self.things.quantity(
            str(id_of(id_)), thing, {} if who is None else {"self": self.things.thing("nation", who)}
        )

    def _marked(self, thing: Any, name: Any) -> bool:
        if not isinstance(thing, Thing):
            kind = next((k for k, form in FORMS.items() if self.ruleset.has(form, thing)), None)
            if kind is None:
                raise Beyond("marks of what is not known")
            thing = Thing(self.things, kind, thing)
        return self.state.get("flags", f"{thing._kind}:{thing.id}", id_of(name)) is not None

    def _enemy(self, who: Any, place: Any) -> bool:
        """Whether somebody at war with a nation holds a place, or stands in it."""
        if not isinstance(who, Thing) or who._kind != "nation":
            raise Beyond("enemies of several")
        holder = self.things.holder(str(id_of(place)))
        others = {*self.state.owners_at(str(id_of(place))), *([holder] if holder else [])}
        return any(self.things.hostile(who.id, other) for other in others)

    def _neighbors(self, places: Any, *kinds: Any) -> tuple[Thing, ...]:
        here, wanted = {id_of(p) for p in set_of(places)}, {id_of(k) for k in kinds}
        out: dict[str, Thing] = {}
        for row in self.ruleset.rows("links").values():
            a, b = row["between"]
            if not wanted or row.get("kind") in wanted:
                out |= {
                    t: Thing(self.things, "place", t)
                    for s, t in ((a, b), (b, a))
                    if s in here and t not in here
                }
        return tuple(out[id_] for id_ in sorted(out))

    def _was(self, thing: Any, name: Any, moment: Any, *rest: Any) -> Any:
        if moment not in self.things.past:
            raise Beyond("an earlier moment")
        then = self.things.past[moment]
        found = then.asked(Thing(then, thing._kind, thing.id), name, tuple(_moved(then, r) for r in rest))
        return _moved(self.things, found)

    def _level(self, nation: Any, tech: Any, stage: Any = None) -> Any:
        now = self.state.get("techs", id_of(nation), id_of(tech), 0)
        return (
            max(now, self.state.get("tech_stages", id_of(nation), f"{stage}:{id_of(tech)}", 0))
            if stage is not None
            else now
        )

    def _ordered(self, word: str, *, before: Any = None, **wanted: Any) -> int:
        """How many orders of a kind there are whose slots and fields are what is wanted."""
        if before is not None:
            raise Beyond("orders above a line")
        rows = (row for row in self.state.table("orders").values() if row.get("order") == word)
        return sum(
            all(
                row.get("slots", {}).get(name, row.get(name)) == id_of(value)
                for name, value in wanted.items()
            )
            for row in rows
        )

    def _option(self, id_: Any) -> Any:
        chosen = self.state.get("options", "options", id_)
        return self.ruleset.row("options", id_)["default"] if chosen is None else chosen

    def _lookup(self, id_: Any, *keys: Any) -> Any:
        row = self.ruleset.row("tables", id_)
        found: Any = row.get("rows", {})
        for key in (id_of(k) for k in keys):
            if not isinstance(found, Mapping):
                raise Beyond("more keys than a table has")
            found = next((v for k, v in found.items() if str(k) == str(key) or within(str(k), key)), None)
            if found is None and "default" not in row:
                raise Beyond("a cell that there is not")
            if found is None:  # whichever key is missing, the others do not matter
                found = row["default"]
                break
        return Fraction(found) if isinstance(found, str) and "/" in found else found


def _moved(things: Things, value: Any) -> Any:
    """A thing as it is read at another moment."""
    if isinstance(value, tuple):
        return tuple(_moved(things, v) for v in value)
    return Thing(things, value._kind, value.id) if isinstance(value, Thing) else value
