"""Battles told once each: who fought with what, what it cost, how many hits came of how many expected, how it
ended and why.

The rounds of one battle are found by its place and subject. Fights of other kinds at the same place between
the same parties (in the air before the land battle) are told with the gravest of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..battle.distributions import won_pairs
from ..core.choices import block_of, word_of
from ..core.journal import Entry
from ..core.messages import capital, possessive
from ..core.model import Row
from .document import Block, Para, Table, bullets
from .fought import SIDES, Fight, fights_in
from .verdicts import Capture, captured_in, outcome, verdict
from .wording import Wording, counted, listing, merged, sentence


def gravest(found: Sequence[Fight], words: Wording) -> list[Fight]:
    """The battles by weight: own before allied before others, then the worth of the place and of what was
    lost.
    """

    reader = words.reader

    def weight(fight: Fight) -> tuple[int, Any]:
        parties = fight.parties()
        near = 2 if reader in parties else int(any(reader and words.world.allied(reader, o) for o in parties))
        own = 2 if words.world.holder_of(fight.place) == reader or reader in fight.owners("defender") else 1
        cost = sum(words.price(k, o) for side in SIDES for o, k in fight.lost.get(side, {}).items())
        return near, words.worth(fight.place) * own + cost

    ranked = sorted(found, key=weight, reverse=True)
    out: list[Fight] = []
    for fight in ranked:
        head = next(
            (
                f
                for f in out
                if f.place == fight.place and f.row != fight.row and f.parties() & fight.parties()
            ),
            None,
        )
        if head is None:
            out.append(fight)
        else:
            head.preludes.append(fight)
    return out


MOST_FULL, FEW = 5, 6
"""Battles that plain text tells in full, and the units up to which, both sides together, it tells one in a
sentence.
"""


def blocks(entries: Sequence[Entry], words: Wording, *, others: bool = True) -> list[Block]:
    """The own battles in full, in plain text the gravest; those of others, unless another part tells them, in
    a line each.
    """
    order = gravest(fights_in(entries), words)
    taken = captured_in(entries, words.world.ruleset)
    quiet = [f for f in order if f.came_to_nothing and (not words.reader or words.reader in f.parties())]
    full, small = _own([f for f in order if f not in quiet], words.reader)
    own = [*full, *small]
    out: list[Block] = list(_introduced(own, words))
    out += [_told(f, taken, words) for f in full]
    if small:
        out.append(Para("", "Smaller battles"))
        out += [replace(_told(f, taken, words), brief=_brief(f, taken, words)) for f in small]
    if quiet:
        out.append(Para("", "Met without a fight"))
        out.append(
            bullets([(_met(some, words), tuple(n for f in some for n in f.log)) for some in _alike(quiet)])
        )
    rest = [f for f in order if f not in own and f not in quiet]
    if rest and others:
        lines = [(_line(f, taken, words), tuple(f.log)) for f in rest if not f.came_to_nothing]
        if apart := [f for f in rest if f.came_to_nothing]:
            lines.append((met_only(apart, words), tuple(n for f in apart for n in f.log)))
        out += [Para("", "Battles of others"), bullets(lines)]
    return out


def met_only(found: Sequence[Fight], words: Wording) -> str:
    """Where some met without a fight, in a sentence."""
    return sentence(f"met without a fight: {listing(dict.fromkeys(words.place(f.place) for f in found))}")


def _alike(quiet: Sequence[Fight]) -> list[list[Fight]]:
    """Battles that came to nothing, those between the same nations together."""
    same: dict[tuple[str, ...], list[Fight]] = {}
    for fight in quiet:
        same.setdefault(tuple(sorted(fight.parties())), []).append(fight)
    return list(same.values())


def _met(some: Sequence[Fight], words: Wording) -> str:
    """Where the same nations met without a fight, and why if that is one thing for all."""
    who = capital(words.nations(some[0].parties()))
    left = {said for f in some for e in f.left if (said := words.told(e.happened))}
    why = f" {sentence(next(iter(left)))}" if len(left) == 1 else ""
    return sentence(f"{who}: {listing(dict.fromkeys(words.place(f.place) for f in some))}") + why


def _own(order: Sequence[Fight], reader: str) -> tuple[list[Fight], list[Fight]]:
    """The reader's battles (all of them for nobody): those told in full, and the smaller ones."""
    own = [f for f in order if not reader or reader in f.parties()]
    full = [f for f in own if sum(sum(f.started(side).values()) for side in SIDES) > FEW][:MOST_FULL]
    return full, [f for f in own if f not in full]


def outcomes(entries: Sequence[Entry], words: Wording) -> list[tuple[str, str]]:
    """The reader's battles in the order of `blocks`: place, and success or failure for them."""
    taken = captured_in(entries, words.world.ruleset)
    out = []
    order = gravest(fights_in(entries), words)
    full, small = _own([f for f in order if not f.came_to_nothing], words.reader)
    for fight in (*full, *small):
        mine = "attacker" if words.reader in fight.owners("attacker") else "defender"
        capture = taken.get(fight.log[0])
        won = fight.winner == mine and (capture is None or mine == "attacker")
        good = won or (capture is not None and capture.to == words.reader)
        out.append((fight.place, "success" if good else "failure"))
    return out


_SIDED = {4: "Four", 6: "Six", 8: "Eight", 10: "Ten", 12: "Twelve", 20: "Twenty"}


def stage_of(fight: Fight, fire: Mapping[str, Any], words: Wording) -> Row:
    """The row of the stage that a throw belongs to."""
    stages = words.world.ruleset.row_or_empty("battles", fight.row).get("stages", ())
    return next((s for s in stages if s["id"] == fire["stage"]), {})


def _way(stage: Row) -> str:
    """How the dice of a stage are read."""
    return word_of(stage, "resolve")


def has_number(fight: Fight, fire: Mapping[str, Any], words: Wording) -> bool:
    """Whether a throw hits at a number or less; dice that are summed or compared, or looked up by their face,
    have none.
    """
    return fire["hits"] is not None and _way(stage_of(fight, fire, words)) not in ("face", "compare")


def pair_chances(stage: Row, fires: Sequence[Mapping[str, Any]], side: str) -> tuple[float, ...]:
    """The chances that a side wins 0, 1, 2 ... pairs with the dice that both threw in a stage where dice are
    compared.
    """
    groups = [
        [(len(f["dice"]), int(f["die"]), int(f["value"])) for f in fires if f["side"] == s]
        for s in (side, *(s for s in SIDES if s != side))
    ]
    return won_pairs(groups[0], groups[1], tie=block_of(stage, "resolve").get("tie", "defender") == side)


def _introduced(own: Sequence[Fight], words: Wording) -> list[Block]:
    """How the figures of the battles are to be read, where there are dice that hit."""
    found = set()
    for fight in own:
        for entry in fight.rounds:
            for fire in entry.data.get("fire", ()):
                if has_number(fight, fire, words) and fire["dice"]:
                    found.add(int(fire["die"]))
    dice = sorted(found)
    if not dice:
        return []
    kinds = listing(f"{_SIDED.get(n, str(n))}-sided" for n in dice)
    return [Para(f'{kinds} dice; each hits at its number or less. "Expected" is what the numbers promise.')]


def hits(fight: Fight, side: str, words: Wording) -> tuple[int | None, Fraction | None, int]:
    """Hits of a side (None where dice are summed), hits to be expected of its dice, and how many dice it
    threw.

    Nothing is expected, None, of dice that are looked up by their face.
    """
    scored, expected, dice, summed, aims = 0, Fraction(0), 0, False, True
    for entry in [*fight.rounds, *fight.left]:
        fires = [*entry.data.get("fire", ()), *entry.data.get("fire_on_retreat", ())]
        for id_ in dict.fromkeys(f["stage"] for f in fires):
            both = [f for f in fires if f["stage"] == id_]
            if _way(stage := stage_of(fight, both[0], words)) == "compare":
                expected += sum(
                    n * Fraction(chance) for n, chance in enumerate(pair_chances(stage, both, side))
                )
        for fire in fires:
            if fire["side"] != side:
                continue
            n = len(fire["dice"])
            dice += n
            if fire["hits"] is None:
                summed = True
                continue
            scored += int(fire["hits"])
            if _way(stage_of(fight, fire, words)) == "compare":
                continue
            aims = aims and has_number(fight, fire, words)
            expected += Fraction(n * max(0, min(int(fire["value"]), int(fire["die"]))), int(fire["die"]))
    return None if summed else scored, expected if aims and not summed else None, dice


def _told(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> Table:
    """A battle as a table, a row for each nation."""
    rows = []
    for row in _rows(fight, words):
        who = row.who if row.own else capital(row.who)
        rows.append((f"{who}: {row.units}", "all" if row.all and row.several else row.lost, *row.figures))
    return Table(
        (f"{words.place(fight.place).upper()}, {verdict(fight, taken, words)}", "lost", "hits", "expected"),
        tuple(rows),
        (2, 3),
        (*_figures(fight, words), *_reasons(fight, words)),
        log=(*fight.log, *(n for p in fight.preludes for n in p.log)),
        battle=True,
    )


@dataclass(frozen=True)
class _Side:
    """One nation in a battle: its units, how many that were, what it lost, and of the first of a side hits
    and hits expected.
    """

    who: str
    units: str
    several: bool
    lost: str
    all: bool
    figures: tuple[str, str]
    own: bool = False


def _rows(fight: Fight, words: Wording) -> list[_Side]:
    out = []
    for side in SIDES:
        scored, expected, dice = hits(fight, side, words)
        hoped = "-" if expected is None else f"{float(expected):.1f}"
        said = (str(scored), hoped) if dice and scored is not None else ("-", "-")
        for number, owner in enumerate(sorted(fight.owners(side), key=lambda o: (o != words.reader, o))):
            began, lost = fight.units_of(side, owner)
            out.append(
                _Side(
                    words.nation(owner),
                    words.short_units(began) or "none",
                    sum(began.values()) > 1,
                    words.short_units(lost) or "nothing",
                    bool(lost) and lost == began,
                    said if number == 0 else ("", ""),
                    owner == words.reader,
                )
            )
        if guards := fight.guards.get(side):
            gone = fight.guards_lost.get(side, {})
            several = sum(guards.values()) > 1
            lost_ = words.short_units(gone) or "nothing"
            units = words.short_units(guards)
            out.append(_Side("those who guard it", units, several, lost_, gone == guards, said))
    return out


def _brief(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> str:
    """A battle in a sentence: who fought with what, what it cost, and hits of hits expected."""
    parts = []
    for row in _rows(fight, words):
        all_ = "all" if row.several else "it"
        lost = f"lost {all_ if row.all else row.lost}"
        scored, hoped = row.figures
        told = f" ({scored} hit{'' if scored == '1' else 's'}{f', {hoped} expected' if hoped != '-' else ''})"
        parts.append(f"{row.who} {row.units}, {lost}{told if scored not in ('', '-') else ''}")
    said = sentence(f"{words.place(fight.place)}, {verdict(fight, taken, words)}: {'; '.join(parts)}")
    return " ".join([said, *_reasons(fight, words)])


def in_sentences(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> str:
    """A battle in sentences: who fought with what and what it cost, what each needed, and the round that
    decided.
    """
    return " ".join([_brief(fight, taken, words), *_figures(fight, words)])


def _figures(fight: Fight, words: Wording) -> list[str]:
    """What each side needed, where hits went that cost no unit, and the round that decided."""
    numbers = [t for side in SIDES if (t := _numbers(fight, side, words))]
    said = ["Numbers: " + "; ".join(dict.fromkeys(numbers)) + "."] if numbers else []
    return [*said, *(t for t in (_besides(fight, words), _turning(fight, words)) if t)]


def _besides(fight: Fight, words: Wording) -> str:
    """What else was hit, of sides that have units: what fights beside them, is nobody's and costs nothing."""
    gone: list[dict[str, int]] = []
    for entry in [*fight.rounds, *fight.left]:
        for side, parts in entry.data.get("lost", {}).items():
            if side not in fight.guards:
                gone += [{str(p["kind"]): int(p["n"])} for p in parts if p.get("virtual") and p.get("lost")]
    lost = {kind: n for kind, n in merged(gone).items() if n}
    return f"Hits took {words.units(lost)} as well." if lost else ""


def _reasons(fight: Fight, words: Wording) -> list[str]:
    """Orders to leave and what became of them, each once, and the fights that went before."""
    notes = [
        sentence(said) for said in dict.fromkeys(words.told(entry.happened) for entry in fight.left) if said
    ]
    for prelude in fight.preludes:
        row = words.world.ruleset.row_or_empty("battles", prelude.row)
        name = str(row.get("name", prelude.row))
        lost = []
        for s in SIDES:
            for o, k in prelude.lost.get(s, {}).items():
                if k:
                    lost.append(f"{words.nation(o)} lost {words.units(k)}")
        met = " against ".join(
            listing(
                _whose(words.units(k), o, words) for o, k in sorted(prelude.sides.get(s, {}).items()) if k
            )
            or "nobody"
            for s in SIDES
        )
        n = len(prelude.rounds)
        rounds = f", {counted(n, 'round')}" if n > 1 else ""
        notes.append(sentence(f"{name}: {met}{rounds}, {listing(lost) or 'no losses'}"))
    return notes


def _whose(units: str, owner: str, words: Wording) -> str:
    return f"your {units}" if owner == words.reader else f"{units} of {words.nation(owner)}"


def _numbers(fight: Fight, side: str, words: Wording) -> str:
    """The numbers that a side's units needed, by kind; what hits in none is left out."""
    known = {k for kinds in fight.sides.get(side, {}).values() for k in kinds}
    found: dict[str, list[int]] = {}
    for entry in fight.rounds:
        for fire in entry.data.get("fire", ()):
            if (
                fire["side"] == side
                and fire["dice"]
                and has_number(fight, fire, words)
                and fire["kind"] in known
            ):
                values = found.setdefault(fire["kind"], [])
                if fire["value"] not in values:
                    values.append(int(fire["value"]))
    if not found:
        return ""
    owners = fight.owners(side)
    who = listing(words.of(o) for o in sorted(owners, key=lambda o: (o != words.reader, words.of(o))))
    who = who or possessive(words.place(fight.place))
    kinds = ", ".join(
        f"{words.kind(k)} {' or '.join(map(str, sorted(v, reverse=True)))}" for k, v in sorted(found.items())
    )
    return f"{who} {kinds}"


def _turning(fight: Fight, words: Wording) -> str:
    """The round that cost most, if there were several, it stands out, and it took half of a side."""
    if len(fight.rounds) < 2:
        return ""
    cost = []
    for entry in fight.rounds:
        lost = {
            s: sum(
                int(p["n"])
                for p in entry.data.get("lost", {}).get(s, ())
                if p.get("lost") and not p.get("virtual")
            )
            for s in SIDES
        }
        cost.append((sum(lost.values()), entry.data.get("round", 0), lost))
    total, number, lost = max(cost, key=lambda c: (c[0], -c[1]))
    if total < 2 or total * 2 < sum(c[0] for c in cost):
        return ""
    halved = [s for s in SIDES if 2 * lost[s] >= sum(fight.started(s).values()) > 0]
    if not any(lost[side] == max(lost.values()) > min(lost.values()) for side in halved):
        return ""
    parts: list[str] = []
    for side in SIDES:
        if lost[side]:
            who = words.nations(fight.owners(side)) or "the defenders"
            parts.append(f"{who} {lost[side]}" if parts else f"{who} lost {counted(lost[side], 'unit')}")
    return sentence(f"Round {number} decided: {' and '.join(parts)}")


def _line(fight: Fight, taken: Mapping[int, Capture], words: Wording) -> str:
    costs: list[str] = []
    for side in SIDES:
        for owner in fight.owners(side):
            began, lost = fight.units_of(side, owner)
            costs.append(
                f"{words.nation(owner)} {'' if costs else 'lost '}{sum(lost.values()) or 'none'} of "
                f"{sum(began.values())}"
            )
    return sentence(f"{words.place(fight.place)}, {outcome(fight, taken, words)}: {listing(costs)}")
