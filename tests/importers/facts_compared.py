"""Whether an imported game has the facts of its file: it reads both with means of its own and shares nothing with the importer.

Territories with what they bring, links, players, who plays after whom, what two players are to each other, units and their figures,
what is sold to whom for what, owners, units and resources at the start.

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
    """All rows of a ruleset's folder by form, of the shared rules the resources alone."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted([*(folder / "tables").glob("*.yaml"), *(folder / "events").glob("*.yaml")]):
        if file.name.startswith("rules-"):
            text = file.read_text(encoding="utf-8").partition("\nresources:\n")[2].partition("\n\n")[0]
            found.setdefault("resources", []).extend(yaml.load(text, Loader=yaml.CSafeLoader) or [])
            continue
        for form, listed in (
            yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or {}
        ).items():
            found.setdefault(form, []).extend(listed or [])
    return found


def compared(file: Path, folder: Path) -> list[str]:
    """Every difference in territories, links, players, units and their figures, resources, owners and units at the start."""
    root = ET.fromstring(file.read_bytes())
    made = rows(folder)
    scenario = yaml.load(
        next((folder / "scenarios").glob("*.yaml")).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    out: list[str] = []

    def same(what: str, theirs: Any, ours: Any) -> None:
        if theirs != ours:
            out.append(f"{what}: file {_short(theirs, ours)}, import {_short(ours, theirs)}")

    # territories and links
    wet = {
        t.get("name", "").strip(): (t.get("water") or "").lower() == "true"
        for t in root.iterfind("map/territory")
    }
    places = made.get("places", [])
    same(
        "territories",
        Counter((n[:120], w) for n, w in wet.items()),
        Counter((p["name"], p["kind"] == "sea") for p in places),
    )
    name_of = {p["id"]: p["name"] for p in places}
    links = {
        frozenset((c.get("t1", "").strip()[:120], c.get("t2", "").strip()[:120]))
        for c in root.iterfind("map/connection")
    }
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
    for attachment in [
        *root.iterfind("attachmentList/attachment"),
        *root.iterfind("attatchmentList/attatchment"),
    ]:
        class_ = (attachment.get("javaClass") or "").rpartition(".")[2].lower()
        if class_.startswith("unitat") and not attachment.get("foreach"):
            last[(attachment.get("attachTo") or attachment.get("attatchTo") or "").strip()] = attachment
    for unit, attachment in last.items():
        options = {
            (o.get("name") or "").strip(): (o.get("value") or "").strip()
            for o in attachment.iterfind("option")
        }
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
        t: (o, held.get(t))
        for t, o in owners.items()
        if o != held.get(t) and (held.get(t) or o != nation_of.get("Neutral"))
    }
    same("owners", {}, wrong)
    stacks: Counter[tuple[str, str, str]] = Counter()
    for s in root.iterfind("initialize/unitInitialize/unitPlacement"):
        who = (s.get("owner") or "Neutral").strip()
        key = (
            nation_of.get(who[:120], who),
            (s.get("territory") or "").strip()[:120],
            (s.get("unitType") or "").strip(),
        )
        stacks[key] += int(s.get("quantity") or 0)
    kind_of = {row["id"]: unit for unit, row in by_order.items()}
    ours: Counter[tuple[str, str, str]] = Counter()
    for stack in scenario.get("units") or ():
        for kind, n in stack["units"].items():
            ours[stack["owner"], name_of[stack["at"]], kind_of[kind]] += n
    same("units at the start", +stacks, ours)
    _same_territories(same, root, places, nation_of)
    _same_players(same, root, made, scenario, nation_of)
    _same_shops(same, root, made, by_order, nation_of)
    money: Counter[tuple[str, str]] = Counter()
    for g in root.iterfind("initialize/resourceInitialize/resourceGiven"):
        n = int(g.get("quantity") or 0)
        money[(g.get("player") or "").strip()[:120], (g.get("resource") or "").strip()] += max(0, n)
    theirs = {(nation_of[p], what): n for (p, what), n in money.items() if n}
    called = {row["id"]: str(row["name"]) for row in made.get("resources", [])}
    given = {
        (nation, called[what]): n
        for nation, row in (scenario.get("nations") or {}).items()
        for what, n in (row.get("treasury") or {}).get("nation", {}).items()
        if n
    }
    same("resources at the start", theirs, given)
    return out


def _attached(root: ET.Element, kind: str) -> dict[str, dict[str, str]]:
    """The options of attachments of a kind by what they are attached to; the last of a name counts."""
    found: dict[str, dict[str, str]] = {}
    for attachment in [
        *root.iterfind("attachmentList/attachment"),
        *root.iterfind("attatchmentList/attatchment"),
    ]:
        class_ = (
            (attachment.get("javaClass") or "")
            .rpartition(".")[2]
            .lower()
            .replace("tt", "t")
            .replace("atachment", "")
        )
        if class_ == kind and not attachment.get("foreach"):
            to = (attachment.get("attachTo") or attachment.get("attatchTo") or "").strip()
            found[to] = {
                (o.get("name") or "").strip(): (o.get("value") or "").strip()
                for o in attachment.iterfind("option")
            }
    return found


def _same_territories(
    same: Any, root: ET.Element, places: list[dict[str, Any]], nation_of: dict[str, str]
) -> None:
    """What territories bring, and which are closed."""
    row_of = {p["name"]: p for p in places}
    wrong = {}
    for name, options in _attached(root, "territory").items():
        row = row_of.get(name[:120])
        if row is None:
            continue
        brings = [
            n for name, n in options.items() if name in ("production", "productionOnly")
        ]  # the last counts
        closed = options.get("isImpassable", options.get("isImpassible", ""))  # as older files spell it
        theirs = (int(brings[-1] if brings else 0), closed.lower() == "true")
        ours = (row.get("production", 0), bool(row.get("impassable")))
        if theirs != ours:
            wrong[name] = (theirs, ours)
    same("territories' production, closed", {}, wrong)


TURN = ("move", "purchase", "place", "battle", "endturn")


def _same_players(
    same: Any, root: ET.Element, made: dict[str, Any], scenario: dict[str, Any], nation_of: dict[str, str]
) -> None:
    """The order of play, and who is at war, allied, or neither at the start."""
    class_of = {
        (d.get("name") or "").strip(): (d.get("javaClass") or "")
        .rpartition(".")[2]
        .lower()
        .removesuffix("delegate")
        for d in root.iterfind("gamePlay/delegate")
    }
    order: list[str] = []
    for step in root.iterfind("gamePlay/sequence/step"):
        class_, player = (
            class_of.get((step.get("delegate") or "").strip(), ""),
            (step.get("player") or "").strip(),
        )
        if (
            player
            and "bid" not in class_
            and class_ != "specialmove"
            and class_.endswith(TURN)
            and player not in order
        ):
            order.append(player)
    lines = {n["name"]: n["turn_line"] for n in made.get("nations", []) if "turn_line" in n}
    same("order of play", [p[:120] for p in order], sorted(lines, key=lambda name: lines[name]))
    # relations
    kinds = {
        name: options.get("archeType", "neutral")
        for name, options in _attached(root, "relationshiptype").items()
    }
    kinds |= {"default_war": "war", "default_allied": "allied"}
    sides: dict[str, set[str]] = {}
    for named in root.iterfind("playerList/alliance"):
        sides.setdefault((named.get("player") or "").strip(), set()).add(
            (named.get("alliance") or "").strip()
        )
    players = [(p.get("name") or "").strip() for p in root.iterfind("playerList/player")]
    told = {
        frozenset(((r.get("player1") or "").strip(), (r.get("player2") or "").strip())): kinds.get((r.get("type") or "").strip(), "neutral")
        for r in root.iterfind("initialize/relationshipInitialize/relationship")
    }  # fmt: skip
    stance_of = {row["id"]: row for row in made.get("stances", [])}
    ours: dict[frozenset[str], str] = {}
    for row in scenario.get("relations") or ():
        stance = stance_of[row["stance"]]
        kind = "war" if stance.get("enter") == "fight" else "neutral"
        if stance.get("share") == "always":
            kind = "allied"
        for other in row["b"] if isinstance(row["b"], list) else [row["b"]]:
            ours[frozenset((row["a"], other))] = kind
    wrong = {}
    for k, a in enumerate(players):
        for b in players[k + 1 :]:
            allied = bool(sides.get(a, set()) & sides.get(b, set()))
            theirs = told.get(frozenset((a, b)), "allied" if allied else "war")
            mine = ours.get(frozenset((nation_of.get(a[:120], a), nation_of.get(b[:120], b))), "neutral")
            if theirs != mine:
                wrong[f"{a} and {b}"] = (theirs, mine)
    same("relationships", {}, wrong)


def _same_shops(
    same: Any,
    root: ET.Element,
    made: dict[str, Any],
    by_order: dict[str, dict[str, Any]],
    nation_of: dict[str, str],
) -> None:
    """What each player can buy at the start, how many of what for which resources."""
    unit_of = {row["id"]: unit for unit, row in by_order.items()}
    called = {row["id"]: str(row["name"]) for row in made.get("resources", [])}
    money = next(iter(called.values()), "")
    rules: dict[str, tuple[str, int, frozenset[tuple[str, int]]]] = {}
    for rule in root.iterfind("production/productionRule"):
        made_of = [
            (r.get("resourceOrUnit", "").strip(), int(r.get("quantity") or 0))
            for r in rule.iterfind("result")
        ]
        costs = frozenset(
            (c.get("resource", "").strip(), int(c.get("quantity") or 0)) for c in rule.iterfind("cost")
        )
        back = {what: n for what, n in made_of if what not in by_order}
        made_of = [(what, n) for what, n in made_of if what in by_order]
        if len(made_of) == 1:
            net = frozenset((what, n - back.get(what, 0)) for what, n in costs if n != back.get(what, 0))
            rules[rule.get("name", "").strip()] = (*made_of[0], net)
    frontiers = {
        f.get("name", "").strip(): {r.get("name", "").strip() for r in f.iterfind("frontierRules")}
        for f in root.iterfind("production/productionFrontier")
    }
    buyers = {
        p.get("player", "").strip(): p.get("frontier", "").strip()
        for p in root.iterfind("production/playerProduction")
    }
    ours: dict[str, set[Any]] = {player: set() for player in buyers}
    by_trigger: set[Any] = set()
    for row in made.get("production", []):
        price = int(str(row["price"]).removeprefix("="))
        asked = {(called[what], n) for what, n in (row.get("uses") or {}).items()} | (
            {(money, price)} if price else set()
        )
        item = (unit_of[row["makes"]], row.get("lot", 1), frozenset(asked))
        if any(
            word in str(test.get("test"))
            for test in row.get("requires", ())
            for word in ("flagged", "group(", "fits_")
        ):
            by_trigger.add(item)
            continue
        for player in buyers:
            if "for" not in row or nation_of.get(player[:120]) in row["for"]:
                ours[player].add(item)
    wrong = {}
    for player, frontier in buyers.items():
        theirs = {rules[name] for name in frontiers.get(frontier, ()) if name in rules and rules[name][1] > 0}
        if theirs - by_trigger != ours[player] - by_trigger:
            wrong[player] = (
                sorted(map(str, theirs - ours[player] - by_trigger))[:3],
                sorted(map(str, ours[player] - theirs))[:3],
            )
    same("what is sold", {}, wrong)


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
