"""Battles: every die within its faces, and values, hits and losses as the dice and the rows have them.

Of the battle's own figures (who is near, who is left) the reader knows nothing: a modifier that reads such
names is taken as the entry says that it applied; all others are judged again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor
from typing import Any

from ..core.choices import block_of, word_of
from ..core.journal import Entry
from ..core.model import Row
from .book import Book
from .figures import Beyond
from .played import RecordedGame
from .reading import Reader
from .things import Thing

DIE = re.compile(r"(?P<n>\d*)d(?P<faces>\d+)$")
RANGE = re.compile(r"(?P<low>-?\d+)\.\.(?P<high>-?\d+)$")
OTHER = {"attacker": "defender", "defender": "attacker"}


def dice(played: RecordedGame, book: Book) -> None:
    """Every die: as many as were thrown, within their faces, and a hit where the throw is what was needed."""
    for entry, _ in played.moments():
        for record in entry.dice:
            totals = []
            for drawn in record.get("drawn", ()):
                _throw(entry, record, drawn, book)
                totals.append(drawn.get("total"))
            if "need" in record and "hit" in record:
                try:
                    wanted = any(needed(str(record["need"]), total) for total in totals)
                except ValueError:
                    book.skip("throws that need something of their own")
                    continue
                book.check(
                    bool(record["hit"]) == wanted,
                    entry,
                    record["subject"],
                    f"a hit by {totals} where {record['need']} is needed",
                    wanted,
                    record["hit"],
                )


def _throw(entry: Entry, record: Mapping[str, Any], drawn: Mapping[str, Any], book: Book) -> None:
    said, faces = str(drawn.get("die", "")), drawn.get("faces", [])
    whole, span = DIE.match(said), RANGE.match(said)
    if whole:
        n, high = int(whole["n"] or 1), int(whole["faces"])
        fine = (
            len(faces) == n
            and all(isinstance(f, int) and 1 <= f <= high for f in faces)
            and drawn.get("total") == sum(faces)
        )
    elif span:
        fine = all(int(span["low"]) <= f <= int(span["high"]) for f in faces)
    else:
        book.skip("lots and draws")
        return
    book.check(fine, entry, str(record.get("subject", "")), f"the throw {said}", said, faces)


def needed(need: str, total: Any) -> bool:
    """Whether a throw is what was needed: `9 or more`, `80 or less`, `1..2`, `6`."""
    low, _, word = need.partition(" or ")
    if word:
        return bool(total >= Fraction(low) if word == "more" else total <= Fraction(low))
    first, dots, last = need.partition("..")
    return bool(Fraction(first) <= total <= Fraction(last)) if dots else bool(total == Fraction(first))


def battles(played: RecordedGame, book: Book) -> None:
    """Every round: dice as thrown, values by the rows, hits by dice and value, losses by hits, facts by
    losses.
    """
    for entry, reader in played.readings():
        data = entry.data
        if not entry.rule.startswith("battles/") or "fire" not in data:
            continue
        row = played.ruleset.rows("battles").get(str(data["battle"]))
        if row is None:
            book.skip("battles without a row")
            continue
        _thrown(entry, book)
        for fire in data["fire"]:
            stage = stage_of(row, fire["stage"])
            if _pooled(stage, reader, entry):
                _added(entry, fire, book)
                continue
            _hits(entry, stage, fire, book)
            _value(entry, row, stage, fire, reader, book)
        _sums(entry, book)
        _pairs(entry, row, book)
        _losses(entry, row, book)
        _facts(entry, book)


def stage_of(row: Row, id_: str) -> Row:
    return next((stage for stage in row.get("stages", ()) if stage["id"] == id_), {})


def _thrown(entry: Entry, book: Book) -> None:
    """The dice of the round are those of its throws."""
    thrown: Counter[int] = Counter()
    for record in entry.dice:
        for drawn in record.get("drawn", ()):
            thrown.update(drawn.get("faces", ()))
    used: Counter[int] = Counter(face for fire in entry.data["fire"] for face in fire["dice"])
    book.check(used <= thrown, entry, entry.subject, "dice of the round", dict(thrown), dict(used))


def _pooled(stage: Row, reader: Reader, entry: Entry) -> bool:
    """Whether the values of all who fire in a stage were added up."""
    said = block_of(stage, "resolve")
    if "pooled" not in said:
        return False
    try:
        return reader.test(said["pooled"], {"place": reader.thing("place", entry.data["place"])})
    except Beyond:
        return False


def _added(entry: Entry, fire: Mapping[str, Any], book: Book) -> None:
    """Values that were added up: one die at most, for what is left of them beside the sure hits."""
    what = f"{fire['kind']} at {fire['value']} with {fire['dice']}"
    most = 1 if fire["value"] else 0
    book.check(len(fire["dice"]) == most, entry, fire["owner"], f"dice of {what}", most, len(fire["dice"]))
    least = sum(face <= fire["value"] for face in fire["dice"])
    book.check(
        fire["hits"] >= least, entry, fire["owner"], f"hits of {what}", f"at least {least}", fire["hits"]
    )


def _hits(entry: Entry, stage: Row, fire: Mapping[str, Any], book: Book) -> None:
    whose, what = fire["owner"], f"{fire['n']} {fire['kind']} at {fire['value']} with {fire['dice']}"
    way, said = word_of(stage, "resolve"), block_of(stage, "resolve")
    if way in ("sum", "compare"):
        return
    if way == "face":
        hits = sum(any(needed(str(faces), face) for faces in said.get("table", {})) for face in fire["dice"])
    elif fire["hits"] is None:
        book.skip("hits by the sum of values")
        return
    else:
        hits = sum(face <= fire["value"] for face in fire["dice"])
    book.check(fire["hits"] == hits, entry, whose, f"hits of {what}", hits, fire["hits"])
    if "dice" not in stage and way != "face":
        book.check(
            len(fire["dice"]) <= fire["n"],
            entry,
            whose,
            f"dice of {what}",
            f"at most {fire['n']}",
            len(fire["dice"]),
        )


def _value(entry: Entry, row: Row, stage: Row, fire: Mapping[str, Any], reader: Reader, book: Book) -> None:
    virtual = {v["id"] for v in row.get("virtual", ())}
    if (
        fire["kind"] in virtual
        or fire["kind"] not in reader.ruleset.rows("units")
        or word_of(stage, "resolve") in ("face", "sum")
    ):
        book.skip("values of what is no unit, or of faces and sums")
        return
    unit = Thing(reader, "unit", f"{fire['owner']}.{fire['kind']}@")
    own = reader.thing("nation", fire["owner"])
    names = {"self": own, "nation": own, "unit": unit, "place": reader.thing("place", entry.data["place"])}
    applied = {a["id"] for a in fire.get("applied", ())}
    found = []
    try:
        for said in list(_values(row, stage, fire["side"])) or [0]:
            found += [floor(v) for v in figures(reader, said, unit, names, applied)]
    except Beyond as why:
        book.skip(str(why))
        return
    extra = [int(pair["add"]) for pair in row.get("support", ()) if isinstance(pair.get("add"), int)]
    fine = {v + add for v in found for add in (0, *extra)}
    book.check(
        max(0, int(fire["value"])) in {max(0, v) for v in fine},
        entry,
        fire["owner"],
        f"value of {fire['kind']} in {stage['id']}"
        + (f" with {', '.join(sorted(applied))}" if applied else ""),
        " or ".join(map(str, sorted(set(fine)))),
        fire["value"],
    )


def _values(row: Row, stage: Row, side: str) -> Iterator[Any]:
    """What a unit of a side may fire with in a stage: the stage's value, or that of a row that lets it
    join.
    """
    for said in (stage.get("value"), *(join.get("value") for join in row.get("joins", ()))):
        if isinstance(said, Mapping):
            if "attacks" in row or word_of(row, "where") == "contacts":
                yield from said.values()  # two forces that find each other both attack
            elif side in said:
                yield said[side]
        elif said is not None:
            yield said


def figures(
    reader: Reader, said: Any, unit: Thing, names: Mapping[str, Any], applied: set[str]
) -> list[Fraction]:
    """What a value may come to: the stat with the modifiers that applied, whose tests are judged where they
    can be.
    """
    row = reader.ruleset.rows("stats").get(said) if isinstance(said, str) else None
    if row is None:
        return [reader.figure(said, names, unit)]
    scope = {**names, "unit": unit}
    base = reader.value(row.get("base"), scope)
    if "unless" in row and reader.test(row["unless"], reader._about(unit, dict(scope))):
        return [Fraction(base or 0)]
    rows = [a for a in reader.adjusts(str(said)) if a["id"] in applied]
    return [Fraction(reader._together(row, 0 if base is None else base, rows, scope))]


def _sums(entry: Entry, book: Book) -> None:
    """Where sums are compared: their difference."""
    if "difference" not in entry.data:
        return
    sums = {"attacker": Fraction(0), "defender": Fraction(0)}
    for fire in entry.data["fire"]:
        sums[fire["side"]] += sum(fire["dice"]) + len(fire["dice"]) * Fraction(fire["value"])
    wanted = sums["attacker"] - sums["defender"]
    got = Fraction(str(entry.data["difference"]))
    book.check(abs(wanted) == abs(got), entry, entry.subject, "difference of the sums", wanted, got)


def _pairs(entry: Entry, row: Row, book: Book) -> None:
    """Where dice are compared one against one: who wins each pair, and that a pair won is a hit."""
    told = entry.data.get("pairs", ())
    for stage in row.get("stages", ()):
        way, said = word_of(stage, "resolve"), block_of(stage, "resolve")
        if way != "compare":
            continue
        rows: dict[str, list[Fraction]] = {"attacker": [], "defender": []}
        hits: Counter[str] = Counter()
        for fire in entry.data["fire"]:
            if fire["stage"] == stage["id"]:
                rows[fire["side"]] += [face + Fraction(fire["value"]) for face in fire["dice"]]
                hits[fire["side"]] += fire["hits"]
        wanted = []
        while rows["attacker"] and rows["defender"]:
            best = {side: max(dice) for side, dice in rows.items()}
            for side, die in best.items():
                rows[side].remove(die)
            even = best["attacker"] == best["defender"]
            won = said.get("tie", "defender") if even else max(best, key=lambda side: best[side])
            wanted.append((best["attacker"], best["defender"], won))
        got = [
            (Fraction(p["attacker"]), Fraction(p["defender"]), p["won"])
            for p in told
            if p["stage"] == stage["id"]
        ]
        book.check(wanted == got, entry, entry.subject, f"pairs of {stage['id']}", wanted, got)
        scored = Counter(won for _, _, won in wanted)
        book.check(
            +scored == +hits, entry, entry.subject, f"hits of {stage['id']}", dict(scored), dict(+hits)
        )


def _losses(entry: Entry, row: Row, book: Book) -> None:
    """No side loses more in a stage than it is hit in it, and nobody is lost in a stage without a shot.

    An entry tells units of one kind in one number, under the first stage that has cost any of them: what goes
    beyond the hits of that stage must be covered by those that are left of stages whose hits are taken with
    it or later.
    """
    hits: Counter[tuple[str, str]] = Counter()
    for fire in entry.data["fire"]:
        if fire["hits"] is not None:
            hits[fire["stage"], OTHER[fire["side"]]] += fire["hits"]
    taken: Counter[tuple[str, str]] = Counter()
    for side, parts in entry.data.get("lost", {}).items():
        for part in parts:
            taken[part.get("stage", ""), side] += part["n"]
    for stage, side in sorted({*hits, *taken}):
        summed = word_of(stage_of(row, stage), "resolve") == "sum"
        if summed or (stage, side) not in hits:
            if "alone" not in row and not summed:
                book.check(
                    False, entry, side, f"losses in {stage}", "none without a shot", taken[stage, side]
                )
            continue
        later = sum(
            max(0, n - taken[other, of])
            for (other, of), n in hits.items()
            if of == side and other != stage and _taken_at(row, other) >= _taken_at(row, stage)
        )
        most = hits[stage, side] + later
        got = taken[stage, side]
        if got > most and "alone" in row:
            book.skip("losses of those who stand alone")
            continue
        book.check(got <= most, entry, side, f"losses in {stage}", f"at most {most} hits", got)


def _taken_at(row: Row, id_: str) -> int:
    """When the hits of a stage are taken: of one whose losses fall at once by its place, else at the end."""
    stages = row.get("stages", ())
    if stage_of(row, id_).get("losses") != "at_once":
        return len(stages)
    return next(i for i, stage in enumerate(stages) if stage["id"] == id_)


def _facts(entry: Entry, book: Book) -> None:
    """What is lost is destroyed, one for one."""
    lost: Counter[tuple[str, str]] = Counter()
    for parts in entry.data.get("lost", {}).values():
        for part in parts:
            if part.get("lost") and not part.get("virtual"):
                lost[part["owner"], part["kind"]] += part["n"]
    gone: Counter[tuple[str, str]] = Counter()
    for fact in entry.facts:
        if fact.word == "destroyed" and fact.roles.get("cause") == entry.data["battle"]:
            gone[fact.roles["of"], fact.roles["kind"]] += fact.roles["n"]
    for part in entry.data.get("cargo", ()):
        if isinstance(part, Mapping) and "owner" in part:
            lost[part["owner"], part["kind"]] += part["n"]
    book.check(lost == gone, entry, entry.subject, "units destroyed in the round", dict(lost), dict(gone))
