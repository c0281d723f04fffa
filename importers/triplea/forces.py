"""Unit types: figures, tags made of flags, support in battles, what terrain does to them, and where they
stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .draft import Row, RulesetDraft
from .game import Attachment, Option

__all__ = ["forces", "grounds", "standing", "support"]


def forces(draft: RulesetDraft) -> None:
    """A row for each unit type, and its flags and tags for whoever asks later."""
    game, words = draft.game, draft.words
    told: dict[str, list[Attachment]] = {}
    for attachment in draft.of("UnitAttachment"):
        told.setdefault(attachment.to, []).append(attachment)
    called = _called(game.units)
    for name in game.units:
        shown, plural = called[name]
        row: Row = {
            "id": draft.unit(name),
            "name": shown,
            "plural": plural,
            "tags": [],
            "symbol": _symbol(name),
        }
        flags: set[str] = set()
        for attachment in told.get(name, ()):
            for option in attachment.options:
                entry = draft.meaning("units", attachment, option)
                if entry is None:
                    continue
                if "flag" in entry:
                    if not option.says_no:
                        flags |= {entry["flag"], *entry.get("also", ())}
                elif "field" in entry or "key" in entry:
                    n = draft.number(attachment, option)
                    if n is not None:
                        row[entry.get("field") or entry["key"]] = n
                elif "modifiers" in entry:
                    _only_there(draft, name, attachment, option, entry)
                elif "boosts" in entry:
                    _boost(draft, name, attachment, option)
                elif "yield" in entry:
                    draft.features.setdefault("unit_yields", []).append((name, attachment, option))
                else:
                    draft.features.setdefault("unit_sites", {}).setdefault(name, []).append(
                        (attachment, option, entry)
                    )
        for implied in words["implied"]:
            if implied["flag"] in flags:
                row.setdefault(implied["key"], implied["value"])
        for figure in words["set_by_property"]:
            if figure["unit"] == name:
                row[figure["key"]] = figure["true" if game.truth(figure["property"]) else "false"]
        row = {key: value for key, value in row.items() if words["unit_defaults"].get(key) != value}
        if row.get("hits", 1) < 1:
            row["hits"] = 1
        flags |= {key for key, value in row.items() if isinstance(value, int) and value > 0}
        if "construction" in flags or "factory" in flags:
            _construction(draft, name, told[name], "factory" in flags)
        for line in words["tags"]:
            wanted, barred = set(line.get("all", ())), set(line.get("none", ()))
            if wanted <= flags and not barred & flags and line["tag"] not in row["tags"]:
                row["tags"].append(line["tag"])
                draft.tags.setdefault(line["tag"], []).append(name)
        draft.flags[name] = flags
        draft.row("units", "units", row)
    _boosts(draft)
    _boosters(draft)


def _only_there(draft: RulesetDraft, unit: str, attachment: Attachment, option: Option, entry: Row) -> None:
    """A figure that a unit has only where a test of it passes; `true` stands for the number that the table
    says.
    """
    if option.value.lower() == "true":
        n: int | None = entry["stands_for"]
    else:
        n = 0 if option.says_no else draft.number(attachment, option)
    if n:
        draft.row(
            "units",
            "modifiers",
            {
                "id": draft.fresh("modifiers", f"{unit} {option.name}"),
                "of": entry["modifiers"],
                "for": draft.unit(unit),
                "when": entry["only"],
                "add": n,
                "label": option.name[:40],
            },
        )


def _boost(draft: RulesetDraft, unit: str, attachment: Attachment, option: Option) -> None:
    """`N:UNIT[:UNIT...]`: units of these types move so much farther from where it stands."""
    number, *takers = [option.count, *option.parts] if option.count else option.parts
    if (
        not re.fullmatch("-?[0-9]{1,4}", number)
        or not takers
        or any(taker not in draft.game.units for taker in takers)
    ):
        draft.leave_option(attachment, option, "a number and units are expected")
        return
    for taker in takers:
        draft.features.setdefault("boosts", {}).setdefault(taker, {}).setdefault(int(number), []).append(unit)


def _boosts(draft: RulesetDraft) -> None:
    """Of several that let a unit move farther the one that gives most counts; ships are helped from ashore,
    and the reverse.
    """
    at_sea = {name: "sea" in flags for name, flags in draft.flags.items()}
    rows: dict[tuple[int, str], list[str]] = {}
    for taker, gifts in draft.features.get("boosts", {}).items():
        tests: list[str] = []
        for n in sorted(gifts, reverse=True):
            near = sorted(
                {
                    giver
                    for giver in gifts[n]
                    if at_sea[giver] != at_sea[taker] and "air" not in draft.flags[taker]
                }
            )
            test = _stands_near(draft, list(dict.fromkeys(gifts[n])), near)
            whole = " and ".join([test, *(f"not {other}" for other in tests)])
            if n:
                rows.setdefault((n, whole), []).append(draft.unit(taker))
            tests.append(test)
    for (n, test), takers in rows.items():
        draft.row(
            "units",
            "modifiers",
            {
                "id": draft.fresh("modifiers", f"boost {n}"),
                "of": "moves",
                "for": takers,
                "when": test,
                "add": n,
                "label": "base",
            },
        )


def _stands_near(draft: RulesetDraft, givers: list[str], near: list[str]) -> str:
    """A test that one of these stands where the unit is, or some of them across its shore."""
    terms = []
    for which, group in (("beside", givers), ("across", near)):
        if not group:
            continue
        key = (which, frozenset(group))
        known = draft.features.setdefault("boosters", {})
        if key not in known:
            known[key] = f"{which}_{draft.fresh('definitions', f'boost {group[0]}').replace('-', '_')}"
            draft.features.setdefault("booster_terms", []).append((known[key], which, group))
        terms.append(f"{known[key]}(unit.place, unit.owner)")
    return terms[0] if len(terms) == 1 else f"({' or '.join(terms)})"


def _boosters(draft: RulesetDraft) -> None:
    """The terms of those who let others move farther; units must have their rows."""
    for term, which, group in draft.features.get("booster_terms", ()):
        test = f"any(units(at=place, {draft.which_of(group, term)}), 'friend_of', nation)"
        if which == "across":
            stands = f"has_{term}"
            draft.row("units", "definitions", {"id": stands, "of": ["place", "nation"], "is": test})
            test = f"any(neighbors(place, 'coast'), '{stands}', nation)"
        draft.row("units", "definitions", {"id": term, "of": ["place", "nation"], "is": test})


def _construction(draft: RulesetDraft, name: str, told: list[Attachment], factory: bool) -> None:
    """Of which type a construction is; how many factories stand in one place is said by a property."""
    words = draft.words["constructions"]
    kind = words["factory"] if factory else "none"
    for attachment in told:
        kind = attachment.get(words["type"], kind)
    draft.features.setdefault("construction_types", {}).setdefault(kind, []).append(name)
    sites = draft.features.setdefault("unit_sites", {}).setdefault(name, [])
    if kind != words["factory"]:
        return
    sites[:] = [site for site in sites if site[1].name != words["most"]]
    number = {words["most"]: draft.number_of("most_factories")}
    if factory and not any(option.name == words["a_turn"] for _, option, _ in sites):
        number[words["a_turn"]] = 1
    for word, n in number.items():
        sites.append((told[-1], Option(word, str(n), "", told[-1].line), draft.words.entry("units", word)))


def _called(units: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Name and plural of each unit, so that no two are called alike; words that differ in their marks alone
    get numbers.
    """
    shown: dict[str, str] = {}
    for name in units:
        base, n = " ".join(name.replace("_", " ").split())[:120] or name[:120], 1
        while (unlike := base if n == 1 else f"{base[:110]} ({n})").casefold() in {
            s.casefold() for s in shown.values()
        }:
            n += 1
        shown[name] = unlike
    names = {s.casefold() for s in shown.values()}
    found: dict[str, tuple[str, str]] = {}
    for name, word in shown.items():
        plural = _plural(word)
        found[name] = (word, word if plural.casefold() in names else plural)
    return found


def _plural(name: str) -> str:
    """Names of arms (`-ry` and the like) and what ends in s stay as they are."""
    return (
        f"{name}s"
        if re.fullmatch(".*([a-z]|[0-9])", name) and not re.fullmatch(".*([^aeiou]y|s|x|ch|sh|z)", name)
        else name
    )


def _symbol(name: str) -> str:
    letters = re.findall("[A-Za-z0-9]+", name)
    return (
        "".join(word[0] for word in letters[:3]) if len(letters) > 1 else "".join(letters)[:3]
    ).upper() or "U"


# ---- support


def support(draft: RulesetDraft) -> list[Row]:
    """Pairs of battles: givers raise takers. Whatever is more than that is listed."""
    pairs: list[Row] = []
    for attachment in draft.of("UnitSupportAttachment"):
        for option in attachment.options:
            draft.meaning("supports", attachment, option)
        takers: list[str] = []
        for option in attachment.all("unitType"):
            takers += draft.names(attachment, option, draft.game.units, "unit")
        try:
            bonus, number = int(attachment.get("bonus", "0")), int(attachment.get("number", "1") or 1)
        except ValueError:
            bonus, number = 0, 0
        plain = (
            attachment.get("faction", "allied") == "allied"
            and attachment.get("dice", "strength") == "strength"
        )
        if not plain or bonus < 1 or number < 1 or attachment.truth("impArtTech") or not takers:
            what = "only friends are supported, by a bonus of strength, without a technology for it"
            draft.leave(attachment.line, f"{attachment.kind} of {attachment.to}: {what}")
            continue
        side = attachment.get("side", "offence:defence").split(":")
        row: Row = {"id": draft.fresh("pairs", f"{attachment.name} {attachment.to}")}
        if len(side) == 1:
            row["side"] = "attacker" if side[0].startswith("off") else "defender"
        giver = draft.test_of([attachment.to], "")
        players = [p for option in attachment.all("players") for p in option.parts if p in draft.game.players]
        if players and set(players) != set(draft.game.players):
            giver += (
                " and unit.owner in "
                f"group('{draft.group('nations', map(draft.nation, players), f'{attachment.name} players')}')"
            )
        pair = {**row, "giver": giver, "taker": draft.test_of(takers, attachment.name), "add": bonus}
        pairs.append({**pair, "each": number} if number > 1 else pair)
    return pairs


# ---- terrain


def grounds(draft: RulesetDraft) -> None:
    """What kinds of terrain do to figures, and who may not come in or not pass: adjusts and tests of
    places.
    """
    places: dict[str, list[str]] = draft.features["grounds"]
    for attachment in draft.of("TerritoryEffectAttachment"):
        here = places.get(attachment.to)
        for option in attachment.options:
            entry = draft.meaning("effects", attachment, option)
            if entry is None or not here:
                continue
            units = draft.names(attachment, option, draft.game.units, "unit")
            if not units:
                continue
            group = draft.group("places", here, f"terrain {attachment.to}")
            if "modifiers" in entry:
                try:
                    add = int(option.count or "0")
                except ValueError:
                    draft.leave_option(attachment, option, "its count is no number")
                    continue
                draft.row(
                    "terrain",
                    "modifiers",
                    {
                        "id": draft.fresh(
                            "modifiers", f"{attachment.to} {entry['modifiers']} {add} {units[0]}"
                        ),
                        "of": entry["modifiers"],
                        "for": [draft.unit(u) for u in units],
                        "when": f"unit.place in group('{group}')",
                        "add": add,
                        "label": attachment.to[:40],
                    },
                )
            else:
                term = f"{entry['blocks']}_in_" + draft.fresh("definitions", attachment.to).replace("-", "_")
                test = draft.test_of(units, f"{entry['blocks']} {attachment.to}")
                draft.row(
                    "terrain",
                    "definitions",
                    {"id": term, "of": ["unit", "place"], "is": f"{test} and place in group('{group}')"},
                )
                draft.features.setdefault(f"bars_{entry['blocks']}", []).append(f"{term}(unit, place)")


# ---- where they stand


def standing(draft: RulesetDraft) -> None:
    """The units of the scenario, and what is held in hand."""
    stacks: dict[tuple[str, str, int], dict[str, int]] = {}
    hits: dict[str, int] = {
        row["id"]: row.get("hits", 1) for row in draft.rows.get("units", {}).get("units", ())
    }
    for owner, unit, place, n, taken, line in draft.game.stacks:
        kind = draft.unit(unit)
        if taken and not 0 < taken < hits.get(kind, 1):
            draft.leave(line, f"{unit} in {place}: {taken} hits taken")
            taken = 0
        units = stacks.setdefault((draft.nation(owner), draft.place(place), taken), {})
        units[kind] = units.get(kind, 0) + n
    rows: list[Row] = []
    for (owner, place, taken), units in sorted(stacks.items()):
        row: dict[str, Any] = {"owner": owner, "at": place, "units": units}
        if taken:
            row["with"] = {"damage": taken}
        rows.append(row)
    for player, unit, n, line in draft.game.held:
        draft.leave(line, f"{n} {unit} held by {player}, to be placed before play begins")
    draft.scenario["units"] = rows
