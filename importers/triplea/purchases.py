"""Production rules and frontiers: what can be bought by whom, for what, where; and what comes in."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .draft import Row, RulesetDraft
from .game import ProductionRule
from .happenings import frontier_marks, marks_set, otherwise, rule_marks

__all__ = ["convoys_raided", "incomes", "purchases"]


def purchases(draft: RulesetDraft) -> None:
    """A line of the catalogue for each rule of a frontier that makes units of one type."""
    game, main = draft.game, draft.money
    open_to: dict[str, list[str]] = {}
    for player, frontier in game.buys.items():
        for rule in dict.fromkeys(game.frontiers[frontier]):
            open_to.setdefault(rule, []).append(player)
    marks = marks_set(draft)
    later = frontier_marks(draft)
    for rule in game.rules:
        if rule_marks(draft, rule)[0] in marks or any(
            _listed(draft, rule, frontier, marks) for frontier in _changing(draft, later)
        ):
            open_to.setdefault(rule, [])
    makes: dict[str, list[str]] = {}
    for name in open_to:
        units = [unit for unit in game.rules[name].results if unit in game.units]
        if len(units) == 1:
            makes.setdefault(units[0], []).append(name)
    ordinary: list[str] = []
    buyers = [p for p in game.players if p in game.buys]
    mix: dict[str, int] = {}
    for unit, rules in makes.items():
        for rule in rules:
            draft.line = game.rules[rule].line
            row = _line(draft, game.rules[rule], unit, main, plain=len(rules) == 1)
            if row is None:
                continue
            mine = open_to[rule]
            opened = _opened(draft, rule, mine, marks, later)
            if opened:
                opened = draft.parted(opened, row["id"], ("nation",))
                row.setdefault("requires", []).append(
                    {"test": opened, "message": "it is not open to you now"}
                )
            elif set(mine) != set(buyers):
                row["for"] = [draft.nation(p) for p in mine]
            if "construction" not in draft.tags or unit not in draft.tags["construction"]:
                ordinary.append(row["id"])
                weight = _weight(draft, unit)
                if weight:
                    mix[row["id"]] = weight
            draft.row("production", "production", row)
            draft.features.setdefault("items", {}).setdefault(unit, row["id"])
    ordinary += _gifts(draft, main)
    for name in open_to:
        rule_ = game.rules[name]
        if [u for u in rule_.results if u in game.units] not in [[unit] for unit in makes]:
            draft.leave(
                rule_.line, f"production rule {name}: it makes {', '.join(rule_.results) or 'nothing'}"
            )
    draft.features["room_items"] = ordinary
    draft.features["mix"] = mix
    _prices(draft, open_to)


def _gifts(draft: RulesetDraft, main: str) -> list[str]:
    """What triggers give and nobody sells has a line, too, by which it is placed: nobody's own.

    Those that factories place.
    """
    ordinary: list[str] = []
    items: dict[str, str] = draft.features.setdefault("items", {})
    for unit in draft.game.units:
        if unit in items or unit not in draft.features.get("given", ()):
            continue
        row = _line(
            draft,
            ProductionRule(f"gift of {unit}", {}, {unit: 1}, draft.game.units[unit]),
            unit,
            main,
            plain=True,
        )
        if row is not None:
            items[unit] = draft.row(
                "production", "production", {**row, "for": [draft.nation(draft.game.nobody)]}
            )["id"]
            if unit not in draft.tags.get("construction", ()):
                ordinary.append(items[unit])
    return ordinary


def _prices(draft: RulesetDraft, open_to: dict[str, list[str]]) -> None:
    """What a unit is worth, by which casualties are chosen: the price that most players pay, of those the
    lowest.
    """
    game, paid = draft.game, {unit: Counter[int]() for unit in draft.game.units}
    for name, players in open_to.items():
        rule = game.rules[name]
        for unit, n in rule.results.items():
            if unit in paid and n > 0 and rule.costs.get(draft.money_name):
                paid[unit][-(-rule.costs[draft.money_name] // n)] += max(1, len(players))
    for row in draft.rows["units"]["units"]:
        prices = paid[next(n for n in game.units if draft.unit(n) == row["id"])]
        if prices:
            row["price"] = min(prices, key=lambda price: (-prices[price], price))


def _weight(draft: RulesetDraft, unit: str) -> int:
    """How much a built-in player likes a unit, by the first tag that fits."""
    return next(
        (int(line["weight"]) for line in draft.words["liked"] if unit in draft.tags.get(line["tag"], ())), 0
    )


def _line(draft: RulesetDraft, rule: ProductionRule, unit: str, main: str, *, plain: bool) -> Row | None:
    """The row of a rule; None if what it makes could be placed nowhere."""
    tags = {tag for tag, units in draft.tags.items() if unit in units}
    id_ = draft.id("production", unit if plain else rule.name)
    row: Row = {"id": id_, "makes": draft.unit(unit)}
    if not plain:
        row["name"] = f"{unit} ({rule.name})"[:120]
    costs = {draft.id("resources", name): n for name, n in _net(draft, rule).items() if n}
    row["price"] = f"={costs.pop(main, 0)}"
    if costs:
        row["uses"] = costs
    n = rule.results[unit]
    if n < 1:
        draft.leave(rule.line, f"production rule {rule.name}: it makes {n} {unit}")
        return None
    if n > 1:
        row["lot"] = n
    words = draft.words
    where = words["bought_at"]["construction" if "construction" in tags else "factory"]
    needed: list[str] = []
    site, otherwise = [str(where["site"])], [str(where["else"])]
    alone: list[str] = []  # types of which one is enough
    for attachment, option, entry in draft.features.get("unit_sites", {}).get(unit, ()):
        if "each" in entry and len(option.parts) == 1 and option.value in draft.game.units:
            alone.append(option.value)
            otherwise.append(entry["else"])
            continue
        _condition(
            draft, unit, id_, attachment, option, entry, row, needed if "each" in entry else site, otherwise
        )
    if alone:
        needed.append(f"any(units(at=place, owner=self, {draft.which_of(alone, f'sites of {unit}')}))")
    if needed:
        site.append(needed[0] if len(needed) == 1 else "(" + " or ".join(needed) + ")")
    row.update(
        words["bought"],
        site=draft.parted(" and ".join(site), id_, ("place", "nation")),
        site_message=otherwise[-1][:200],
    )
    if "ship" in tags:
        if not draft.features["coast"]:
            draft.leave(rule.line, f"production rule {rule.name}: no sea zone touches land")
            return None
        row["appears"] = words["afloat" if "placed_among_enemies" in draft.asked else "afloat_apart"]
    elif "deck" in tags and "bearer" in draft.tags and draft.features["coast"]:
        row["appears"] = words["on_deck"]
        _needs_deck(draft, draft.unit(unit), id_)
    return row


def _needs_deck(draft: RulesetDraft, kind: str, item: str) -> None:
    """An item that appears on carriers, as far as they have room: one limit for all that take as much."""
    size = next(int(row["deck_size"]) for row in draft.rows["units"]["units"] if row["id"] == kind)
    limits = draft.features.setdefault("decks", {})
    if size not in limits:
        limits[size] = {
            "id": draft.fresh("placement_limits", f"decks {size}"),
            "of": "place",
            "draws": "set_of(target)",
            "is": f"=floor(deck_room(place, self) / {size}) if is_water(place) else 999",
            "at": "either",
            "for": [],
            "words": "there is room for {n} on carriers",
        }
        draft.features.setdefault("placement_limits", []).append(limits[size])
    limits[size]["for"].append(item)


def _net(draft: RulesetDraft, rule: ProductionRule) -> dict[str, int]:
    """What a rule costs, less what it gives back with the unit."""
    costs = dict(rule.costs)
    for name, n in rule.results.items():
        if name in draft.game.resources:
            costs[name] = costs.get(name, 0) - n
    for name in [name for name, n in costs.items() if n < 0]:
        draft.leave(
            rule.line,
            f"production rule {rule.name}: it makes {-costs.pop(name)} {name} besides, which nobody gets",
        )
    return costs


def _has(draft: RulesetDraft, unit: str) -> str:
    """The term for a unit of this type of a nation's own in a place."""
    term, kind = "has_" + draft.id("definitions", f"own {unit}").replace("-", "_"), draft.unit(unit)
    known = draft.features.setdefault("own_units", set())
    if term not in known:
        known.add(term)
        draft.row(
            "production",
            "definitions",
            {
                "id": term,
                "of": ["place", "nation"],
                "is": f"any(units(at=place, owner=nation, kind='{kind}'))",
            },
        )
    return term


def _condition(
    draft: RulesetDraft,
    unit: str,
    item: str,
    attachment: Any,
    option: Any,
    entry: Row,
    row: Row,
    site: list[str],
    otherwise: list[str],
) -> None:
    """One option that limits where or how often a unit is placed, by the words of the table."""
    values: dict[str, Any] = {"unit": draft.unit(unit)}
    type_, alike = next(
        ((k, v) for k, v in draft.features.get("construction_types", {}).items() if unit in v), ("", [unit])
    )
    values["which"] = (
        draft.which_of(alike, f"constructions {type_}") if "{which}" in entry.get("site", "") else ""
    )
    if "value" in entry and option.value != entry["value"]:
        draft.leave_option(attachment, option)
        return
    if "lists" in entry:
        among = draft.game.territories if entry["lists"] == "territories" else draft.game.units
        names = draft.names(
            attachment, option, among, "territory" if entry["lists"] == "territories" else "unit"
        )
        if not names:
            return
        if entry["lists"] == "territories":
            values["group"] = draft.group("places", map(draft.place, names), f"{option.name} {unit}")
        else:
            values["all"] = " and ".join(entry["each"].format(has=_has(draft, name)) for name in names)
    elif "value" not in entry:
        n = draft.number(attachment, option)
        if n is None or n < 0:
            return
        values["n"] = _most(draft, n, type_) if "{which}" in entry.get("site", "") else n
        if values["n"] is None:
            return
    if "room" in entry:
        draft.features.setdefault("placement_limits", []).append(
            {
                "id": draft.fresh("placement_limits", f"each {item}"),
                "of": "place",
                "is": values["n"],
                "at": "either",
                "for": [item],
                "words": "{n} more a turn in one territory",
            }
        )
    elif "site" in entry:
        site.append(entry["site"].format(**values))
        otherwise.append(entry["else"].format(**values))
    elif "need" in entry:
        row.setdefault("requires", []).append(
            {"test": entry["need"].format(**values), "message": entry["else"].format(**values)}
        )


def _most(draft: RulesetDraft, n: int, type_: str) -> int | str | None:
    """How many constructions of a type stand in one place: a number or an expression; None without a
    limit.
    """
    words = draft.words["constructions"]
    if type_ == words["factory"] or type_.endswith(words["structure"]):
        return n
    if "constructions_unlimited" in draft.asked:
        return None
    with_, without = (
        ("constructions_with_factory" in draft.asked),
        ("constructions_without_factory" in draft.asked),
    )
    more = f"max({n}, place.production)"
    if not with_ and not without:
        return n
    if with_ and without:
        return more
    first, other = (more, n) if with_ else (n, more)
    return (
        f"({first} if any(units(at=place, tag='producer', owner=self)) else {other})"
        if "producer" in draft.tags
        else other
    )


def _changing(draft: RulesetDraft, later: dict[str, dict[str, str]]) -> dict[str, str]:
    """The frontiers of players whose frontier changes, those of the start first, each with the test that it
    is in force; empty for one of the start that no trigger brings back for others.
    """
    found = dict.fromkeys((draft.game.buys[p] for p in later if p in draft.game.buys), "")
    for mine in later.values():
        found.update((frontier, f"flagged(self, '{mark}')") for frontier, mark in mine.items())
    return found


def _listed(draft: RulesetDraft, rule: str, frontier: str, marks: set[str]) -> str:
    """The test that a frontier of players whose frontier changes has a rule; empty if it never has."""
    may, may_not = rule_marks(draft, rule, frontier)
    if rule in draft.game.frontiers[frontier]:
        return f"not flagged(self, '{may_not}')" if may_not in marks else "True"
    return f"flagged(self, '{may}')" if may in marks else ""


def _opened(
    draft: RulesetDraft, rule: str, players: list[str], marks: set[str], later: dict[str, dict[str, str]]
) -> str:
    """The test of a rule that triggers open or close, by itself or with its frontier; empty if none does."""
    may, may_not = rule_marks(draft, rule)
    frontiers = {f: test for f in _changing(draft, later) if (test := _listed(draft, rule, f, marks))}
    if may not in marks and may_not not in marks and not frontiers:
        return ""
    tests = [f"flagged(self, '{may}')"] if may in marks else []
    steady = [p for p in players if p not in later]
    if steady:
        tests.append(
            f"self in group('{draft.group('nations', map(draft.nation, steady), f'buyers of {rule}')}')"
        )
    if tests and may_not in marks:
        both = f"({' or '.join(tests)})" if len(tests) > 1 else tests[0]
        tests = [f"{both} and not flagged(self, '{may_not}')"]
    for frontier, in_force in _changing(draft, later).items():
        if in_force and frontier in frontiers:
            test = frontiers[frontier]
            tests.append(in_force if test == "True" else f"{in_force} and {test}")
    first: dict[str, list[str]] = {}
    for player in later:
        if (begin := draft.game.buys.get(player, "")) in frontiers:
            first.setdefault(frontiers[begin], []).append(player)
    for test, mine in first.items():  # by the frontier of the start, while no other is in force
        group = draft.group("nations", map(draft.nation, mine), f"buyers of {rule} at first")
        begun = f"self in group('{group}') and not flagged(self, '{otherwise(draft)}')"
        tests.append(begun if test == "True" else f"{begun} and {test}")
    return " or ".join(f"({test})" if " and " in test else test for test in tests) or "False"


# ---- what comes in


def convoys_raided(draft: RulesetDraft) -> int:
    """How much the ship takes that takes most from convoys; 0 where there are none to take it from."""
    most = max((row.get("blockade", 0) for row in draft.rows["units"]["units"]), default=0)
    return most if draft.features["convoy_zones"] else 0


def incomes(draft: RulesetDraft) -> None:
    """Production of territories, resources that they and units bring."""
    main = draft.money
    without = draft.features.get("no_income", [])
    apart = draft.features["convoy_routes"] or draft.features["owned_waters"]
    row: Row = {
        "id": "territory",
        "over": "where(places(holder=nation), 'brings_in', nation)" if apart else "places(holder=nation)",
        "amount": f"=place.production{' - place.convoy_loss' if convoys_raided(draft) else ''}",
        "when": "has_capital(nation)",
        "seat": "=nation.capital",
        "into": main,
    }
    if without:
        group = draft.group("nations", map(draft.nation, without), "players without income from territories")
        row["when"] = f"has_capital(nation) and not nation in group('{group}')"
    draft.row("income", "income", row)
    for resource, field in draft.features.get("gives", {}).items():
        draft.row(
            "income",
            "fields",
            {
                "id": field,
                "of": ["place"],
                "type": "number",
                "default": 0,
                "text": f"{resource} a turn"[:120],
            },
        )
        draft.row(
            "income",
            "income",
            {
                "id": draft.fresh("income", f"territory {resource}"),
                "over": "places(holder=nation)",
                "amount": f"=place.{field}",
                "when": "has_capital(nation)",
                "seat": "=nation.capital",
                "into": draft.id("resources", resource),
            },
        )
    for unit, attachment, option in draft.features.get("unit_yields", ()):
        parts = option.parts
        if len(parts) != 2 or not parts[0].lstrip("-").isdigit() or parts[1] not in draft.game.resources:
            draft.leave_option(attachment, option, "a number and a resource are expected")
            continue
        draft.row(
            "income",
            "income",
            {
                "id": draft.fresh("income", f"{unit} {parts[1]}"),
                "amount": f"={int(parts[0])} * count(units(kind='{draft.unit(unit)}', owner=nation))",
                "seat": "=nation.capital",
                "into": draft.id("resources", parts[1]),
            },
        )
