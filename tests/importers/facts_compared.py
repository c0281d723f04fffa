"""Whether an imported game has the facts of its file: it reads both with means of its own and shares nothing with the importer.

`python -m tests.importers.facts_compared GAME.xml FOLDER ...` prints what differs, and ends with 1 if anything does.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

FIGURES = {"movement": "move", "attack": "attack", "defense": "defence"}


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of a ruleset's folder by form."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted([*(folder / "tables").glob("*.yaml"), *(folder / "events").glob("*.yaml")]):
        if file.name.startswith("rules-"):
            continue
        for form, listed in (yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or {}).items():
            found.setdefault(form, []).extend(listed or [])
    return found


def compared(file: Path, folder: Path) -> list[str]:
    """Every difference in territories, links, players, units and their figures, resources, owners and units at the start."""
    root = ET.fromstring(file.read_bytes())
    made = rows(folder)
    scenario = yaml.load(next((folder / "scenarios").glob("*.yaml")).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    out: list[str] = []

    def same(what: str, theirs: Any, ours: Any) -> None:
        if theirs != ours:
            out.append(f"{what}: file {_short(theirs, ours)}, import {_short(ours, theirs)}")

    # territories and links
    wet = {t.get("name", "").strip(): (t.get("water") or "").lower() == "true" for t in root.iterfind("map/territory")}
    places = made.get("places", [])
    same("territories", Counter((n[:120], w) for n, w in wet.items()), Counter((p["name"], p["kind"] == "sea") for p in places))
    name_of = {p["id"]: p["name"] for p in places}
    links = {frozenset((c.get("t1", "").strip()[:120], c.get("t2", "").strip()[:120])) for c in root.iterfind("map/connection")}
    linked = {frozenset(name_of[end] for end in link["between"]) for link in made.get("links", [])}
    same("links", {ends for ends in links if len(ends) == 2}, linked)
    # players, units, resources
    players = [p.get("name", "").strip() for p in root.iterfind("playerList/player")]
    nation_of = {n["name"]: n["id"] for n in made.get("nations", [])}
    same("players missing", [p for p in players if p[:120] not in nation_of], [])
    units = [u.get("name", "").strip() for u in root.iterfind("unitList/unit")]
    same("number of units", len(units), len(made.get("units", [])))
    by_order = dict(zip(units, made.get("units", []), strict=False))
    last: dict[str, ET.Element] = {}
    for attachment in [*root.iterfind("attachmentList/attachment"), *root.iterfind("attatchmentList/attatchment")]:
        class_ = (attachment.get("javaClass") or "").rpartition(".")[2].lower()
        if class_.startswith("unitat") and not attachment.get("foreach"):
            last[(attachment.get("attachTo") or attachment.get("attatchTo") or "").strip()] = attachment
    for unit, attachment in last.items():
        options = {(o.get("name") or "").strip(): (o.get("value") or "").strip() for o in attachment.iterfind("option")}
        for name, value in options.items():  # the last of a name counts
            figure = FIGURES.get(name)
            if figure and unit in by_order and value.lstrip("-").isdigit():
                same(f"{unit}: {name}", int(value), by_order[unit].get(figure, 0))
    # who owns what, and what stands where
    owners = {
        o.get("territory", "").strip()[:120]: nation_of.get((o.get("owner") or "").strip()[:120])
        for o in root.iterfind("initialize/ownerInitialize/territoryOwner")
    }  # fmt: skip
    holders = scenario.get("holders") or {}
    held = {p["name"]: holders.get(p["id"], p.get("owner")) for p in places}
    wrong = {
        t: (o, held.get(t)) for t, o in owners.items() if o != held.get(t) and (held.get(t) or o != nation_of.get("Neutral"))
    }
    same("owners", {}, wrong)
    stacks: Counter[tuple[str, str, str]] = Counter()
    for s in root.iterfind("initialize/unitInitialize/unitPlacement"):
        who = (s.get("owner") or "Neutral").strip()
        key = (nation_of.get(who[:120], who), (s.get("territory") or "").strip()[:120], (s.get("unitType") or "").strip())
        stacks[key] += int(s.get("quantity") or 0)
    kind_of = {row["id"]: unit for unit, row in by_order.items()}
    ours: Counter[tuple[str, str, str]] = Counter()
    for stack in scenario.get("units") or ():
        for kind, n in stack["units"].items():
            ours[stack["owner"], name_of[stack["at"]], kind_of[kind]] += n
    same("units at the start", +stacks, ours)
    money: Counter[tuple[str, str]] = Counter()
    for g in root.iterfind("initialize/resourceInitialize/resourceGiven"):
        n = int(g.get("quantity") or 0)
        money[(g.get("player") or "").strip()] += max(0, n)  # type: ignore[index]
    theirs = {nation_of[p[:120]]: n for p, n in money.items() if n}  # type: ignore[index]
    given = {n: sum((row.get("treasury") or {}).get("nation", {}).values()) for n, row in (scenario.get("nations") or {}).items()}
    same("resources at the start", theirs, {n: v for n, v in given.items() if v})
    return out


def _short(one: Any, other: Any) -> str:
    """What one has and the other has not, where they are collections."""
    if isinstance(one, Counter) and isinstance(other, Counter):
        return str(dict(list((one - other).items())[:4]))
    if isinstance(one, set) and isinstance(other, set):
        return str([sorted(x) if isinstance(x, frozenset) else x for x in list(one - other)[:4]])
    return str(one)[:200]


if __name__ == "__main__":
    pairs = list(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    found = {file: compared(Path(file), Path(folder)) for file, folder in pairs}
    for file, differences in found.items():
        for difference in differences:
            print(f"{file}: {difference}")
    sys.exit(any(found.values()))
