"""A game file read into facts, with every reference tested.

What is wrong is told all at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from .document import Element, GameFileError
from .game import Attachment, GameFile, GameStep, Option, ProductionRule, flags_of
from .words import read_words

MOST_TOLD = 40
MOST = {
    "territory": 6_000,
    "connection": 60_000,
    "player": 200,
    "unit": 2_000,
    "resource": 100,
    "attachment": 60_000,
    "unitPlacement": 60_000,
    "productionRule": 6_000,
    "step": 5_000,
    "relationship": 40_000,
    "element": 60_000,
}
"""No published game comes near these numbers; a file that exceeds them is none that anybody plays."""
BUILT_IN_STANCES = dict.fromkeys(("default_war", "default_allied", "self_relation", "null_relation"), 0)


def facts(root: Element, file: str) -> GameFile:
    """The facts of a file. Raises GameFileError with everything that is missing, twice there, or refers to
    nothing.
    """
    if root.tag != "game":
        raise GameFileError(
            f"{file}:{root.line}: the root element is <{root.tag}>; that of a game file is <game>"
        )
    reader = _GameFileReader(root, file)
    reader.read()
    if reader.wrong:
        told = [f"{file}:{line}: {what}" for line, what in sorted(reader.wrong)[:MOST_TOLD]]
        more = len(reader.wrong) - len(told)
        raise GameFileError("\n".join([*told, *([f"{file}: and {more} more"] if more > 0 else [])]))
    return reader.game


class _GameFileReader:
    def __init__(self, root: Element, file: str) -> None:
        self.root = root
        self.game = GameFile(file)
        self.wrong: list[tuple[int, str]] = []
        self.variables: dict[str, list[str]] = {}
        self.written: dict[str, list[str]] = {}  # variables written out
        self.open: set[str] = set()  # those that are being written out
        self.words = read_words()
        self.older: dict[str, dict[str, str]] = self.words["older"]

    def read(self) -> None:
        for tag, what in (
            ("info", "name"),
            ("map", "territories"),
            ("playerList", "players"),
            ("gamePlay", "sequence"),
        ):
            if self.root.first(tag) is None:
                self.wrong.append((self.root.line, f"<{tag}> is missing: a game needs its {what}"))
        if self.wrong or self.too_many():
            return
        game, root = self.game, self.root
        info = root.first("info")
        assert info is not None
        game.name, game.version = info.get("name"), info.get("version")
        if not game.name:
            self.wrong.append((info.line, "<info> has no name"))
        if (dice := root.first("diceSides")) is not None:
            game.dice = self.number(dice, "value", least=2, most=1000)
        self.read_properties()
        self.read_variables()
        self.read_board()
        self.read_players()
        self.read_sequence()
        self.read_production()
        self.read_technology()
        self.read_attachments()
        self.switch_off()
        self.add_frontiers_of_technologies()
        self.read_start()

    def too_many(self) -> bool:
        counts = dict.fromkeys(MOST, 0)
        waiting = [self.root]
        while waiting:
            here = waiting.pop()
            waiting += here.children
            if here.tag in counts:
                counts[here.tag] += 1
        over = [
            (self.root.line, f"{n:,} elements <{tag}>; at most {MOST[tag]:,} are read")
            for tag, n in counts.items()
            if n > MOST[tag]
        ]
        self.wrong += over
        return bool(over)

    # ---- helpers

    def number(
        self, element: Element, key: str, *, least: int = 0, most: int = 1_000_000, default: int | None = None
    ) -> int:
        text = element.get(key)
        if not text and default is not None:
            return default
        try:
            n = int(text)
        except ValueError:
            self.wrong.append((element.line, f"<{element.tag}>: {key} is a whole number, not {text[:40]!r}"))
            return least
        if not least <= n <= most:
            self.wrong.append(
                (element.line, f"<{element.tag}>: {key} is {n}; from {least} to {most} are possible")
            )
            return least
        return n

    def quantity(self, element: Element, *, least: int = 0) -> int:
        """How many; where the file does not say it there are none, as in its own program."""
        if "quantity" not in element.attributes:
            self.game.without_number.append((element.tag, element.line))
        return self.number(element, "quantity", least=least, default=0)

    def known(self, element: Element, key: str, among: Iterable[str], what: str) -> str:
        """The name that an attribute gives, if there is such a thing; else a finding and an empty text."""
        name = element.get(key)
        if name in among:
            return name
        from wteaw.core.diagnostics import nearest

        near = nearest(name, list(among))
        hint = f"; did you mean {near[0]!r}?" if near else ""
        self.wrong.append((element.line, f"<{element.tag}>: there is no {what} {name[:80]!r}{hint}"))
        return ""

    def named(
        self,
        elements: Iterable[Element],
        into: dict[str, object],
        what: str,
        make: Callable[[Element], object],
    ) -> None:
        for element in elements:
            name = element.get("name")
            if not name:
                self.wrong.append((element.line, f"a {what} without a name"))
            elif name in into:
                self.wrong.append((element.line, f"the {what} {name[:80]!r} stands here a second time"))
            else:
                into[name] = make(element)

    # ---- parts of the file

    def read_properties(self) -> None:
        for element in self.root.below("propertyList", "property"):
            value = element.get("value")
            if not value and (inner := element.first("value")) is not None:
                value = inner.text.strip()
            name = self.called("switches", element.get("name"))
            self.game.properties.setdefault(name, (value, element.line))
            if element.get("editable").lower() == "true":
                self.game.choices.add(name)

    def read_variables(self) -> None:
        for variable in self.root.below("variableList", "variable"):
            self.variables[variable.get("name")] = [
                element.get("name") for element in variable.all("element")
            ]
        for name in self.variables:
            self.expand([f"${name}$"], 0)

    def expand(self, parts: Iterable[str], line: int) -> list[str]:
        """Parts of a value with variables written out; one that leads back to itself, or stands for too much,
        is a finding.
        """
        found: list[str] = []
        for part in parts:
            name = part.strip().strip("$")
            if not (part.strip().startswith("$") and part.strip().endswith("$") and name in self.variables):
                found.append(part)
                continue
            if name in self.open:
                self.wrong.append((line or self.root.line, f"the variable {name!r} leads back to itself"))
                self.written[name] = []
            if name not in self.written:
                self.open.add(name)
                self.written[name] = self.expand(self.variables[name], line)
                self.open.discard(name)
            found += self.written[name]
            if len(found) > MOST["element"]:
                what = f"the variable {name!r} makes more than {MOST['element']:,} elements"
                self.wrong.append((line or self.root.line, what))
                return []
        return found

    def read_board(self) -> None:
        game = self.game
        territories: dict[str, object] = {}
        self.named(
            self.root.below("map", "territory"),
            territories,
            "territory",
            lambda e: (e.get("water").lower() == "true", e.line),
        )
        game.territories = territories  # type: ignore[assignment]
        game.line_of_map = next((e.line for e in self.root.all("map")), 1)
        if not territories:
            self.wrong.append((self.root.line, "<map> holds no territory"))
        for element in self.root.below("map", "connection"):
            a, b = (self.known(element, key, territories, "territory") for key in ("t1", "t2"))
            if a and b:
                game.connections.append((a, b, element.line))
        for path, into, what in (
            (("resourceList", "resource"), game.resources, "resource"),
            (("unitList", "unit"), game.units, "unit"),
            (("relationshipTypes", "relationshipType"), game.stances, "kind of relationship"),
            (("territoryEffectList", "territoryEffect"), game.effects, "effect"),
        ):
            self.named(self.root.below(*path), into, what, lambda e: e.line)  # type: ignore[arg-type]

    def read_players(self) -> None:
        players: dict[str, object] = {}
        self.named(self.root.below("playerList", "player"), players, "player", lambda e: e.line)
        self.game.players = players  # type: ignore[assignment]
        if not players:
            self.wrong.append((self.root.line, "<playerList> holds no player"))
        for element in self.root.below("playerList", "alliance"):
            player = self.known(element, "player", players, "player")
            if player and element.get("alliance"):
                self.game.alliances.setdefault(player, []).append(element.get("alliance"))

    def read_sequence(self) -> None:
        delegates = {
            e.get("name"): e.get("javaClass").rpartition(".")[2]
            for e in self.root.below("gamePlay", "delegate")
        }
        for element in self.root.below("gamePlay", "sequence", "step"):
            delegate = self.known(element, "delegate", delegates, "delegate")
            player = (
                self.known(element, "player", self.game.players, "player") if element.get("player") else ""
            )
            if delegate:
                self.game.steps.append(
                    GameStep(element.get("name"), delegates[delegate], player, element.line)
                )
        if not self.game.steps and not self.wrong:
            self.wrong.append((self.root.line, "<sequence> holds no step: nobody ever has a turn"))

    def read_production(self) -> None:
        game = self.game
        things = {**game.resources, **game.units}
        for tag, into in (("productionRule", game.rules), ("repairRule", game.upkeep_rules)):
            for element in self.root.below("production", tag):
                costs, results = {}, {}
                for cost in element.all("cost"):
                    if name := self.known(cost, "resource", game.resources, "resource"):
                        costs[name] = self.quantity(cost)
                for result in element.all("result"):
                    if name := self.known(result, "resourceOrUnit", things, "unit or resource"):
                        results[name] = self.quantity(result, least=-1_000_000)
                if element.get("name") in into:
                    self.wrong.append(
                        (element.line, f"the rule {element.get('name')[:80]!r} stands here a second time")
                    )
                into[element.get("name")] = ProductionRule(element.get("name"), costs, results, element.line)
        for element in self.root.below("production", "productionFrontier"):
            names = [
                self.known(rule, "name", game.rules, "production rule")
                for rule in element.all("frontierRules")
            ]
            game.frontiers[element.get("name")] = [name for name in names if name]
        for element in self.root.below("production", "playerProduction"):
            player = self.known(element, "player", game.players, "player")
            frontier = self.known(element, "frontier", game.frontiers, "production frontier")
            if player and frontier:
                game.buys[player] = frontier

    def read_technology(self) -> None:
        game = self.game
        if self.root.first("technology") is None:
            self.add_default_technologies()
        for element in self.root.below("technology", "technologies", "techname"):
            game.technologies.setdefault(
                element.get("name"), (element.get("tech") or element.get("name"), element.line)
            )
        for player_tech in self.root.below("technology", "playerTech"):
            player = self.known(player_tech, "player", game.players, "player")
            for category in player_tech.all("category"):
                names = [
                    self.technology(tech.get("name"))
                    or self.known(tech, "name", game.technologies, "technology")
                    for tech in category.all("tech")
                ]
                if player:
                    game.categories.setdefault(player, {}).setdefault(category.get("name"), []).extend(
                        n for n in names if n
                    )

    def technology(self, name: str) -> str:
        """A technology by its name, or the one that its kind has besides; empty if there is none."""
        kinds = {told: kind for kind, told in self.words["technology_names"].items()}
        known = self.game.technologies
        names = (name, kinds.get(name, ""), self.words["technology_names"].get(name, ""))
        return next((called for called in names if called in known), "")

    def add_default_technologies(self) -> None:
        """A file that names no technologies has those that its properties ask for; everybody may research
        them.
        """
        game, asked = self.game, flags_of(self.game, self.words)
        line = next(
            found for found in self.words["default_technologies"] if found.get("if", "") in {"", *asked}
        )
        for category, kinds in line["categories"].items():
            for kind in kinds:
                name = self.words["technology_names"][kind]
                game.technologies[name] = (kind, self.root.line)
                for player in game.players:
                    game.categories.setdefault(player, {}).setdefault(category, []).append(name)

    def switch_off(self) -> None:
        """Attachments of classes that a property switches on are idle without it, unless the file names no
        property of its program at all: then what it writes is meant.
        """
        game, known = self.game, self.words["properties"]
        if not game.properties.keys() & known.keys():
            return
        off = {
            entry["switches"]: name
            for name, entry in known.items()
            if "switches" in entry and not game.truth(name)
        }
        game.idle = [(a, off[a.kind]) for a in game.attachments if a.kind in off]
        game.attachments = [a for a in game.attachments if a.kind not in off]

    def add_frontiers_of_technologies(self) -> None:
        """Who learns some technologies buys from then on by another frontier, which the file has for that."""
        game, asked = self.game, flags_of(self.game, self.words)
        for kind, entry in self.words["technology_frontiers"].items():
            tech = next((name for name, (k, _) in game.technologies.items() if k == kind), None)
            if tech is None or entry.get("if", "") not in {"", *asked}:
                continue
            for player, frontier in game.buys.items():
                after = frontier + entry["suffix"]
                if after in game.frontiers:
                    line = game.technologies[tech][1]
                    learned = Attachment(
                        "RulesAttachment",
                        f"conditionAttachment_{tech}",
                        player,
                        "player",
                        line,
                        (Option("techs", tech, "1", line),),
                    )
                    changes = (
                        Option("conditions", learned.name, "", line),
                        Option("frontier", after, "", line),
                        Option("uses", "1", "", line),
                    )
                    trigger = Attachment(
                        "TriggerAttachment", f"triggerAttachment_{tech}", player, "player", line, changes
                    )
                    game.attachments += [learned, trigger]

    def read_attachments(self) -> None:
        for tag in ("attachmentList", "attatchmentList"):
            for one in ("attachment", "attatchment"):
                for element in self.root.below(tag, one):
                    for values in self.rounds(element):
                        self.attach(element, values)
                        if len(self.game.attachments) > MOST["attachment"]:
                            self.wrong.append((element.line, f"more than {MOST['attachment']:,} attachments"))
                            return
        # one of the same name takes the place of the first
        last = {(a.type, a.to, a.name): a for a in self.game.attachments}
        self.game.attachments = [a for a in self.game.attachments if last[a.type, a.to, a.name] is a]

    def rounds(self, element: Element) -> Iterator[dict[str, str]]:
        """What `foreach` goes through: groups between ^ are combined, variables within a group go side by
        side.
        """
        if not element.get("foreach"):
            yield {}
            return
        groups: list[list[dict[str, str]]] = []
        for group in element.get("foreach").split("^"):
            names = [name.strip().strip("$") for name in group.split(":")]
            unknown = [name for name in names if name not in self.variables]
            if unknown:
                self.wrong.append((element.line, f"foreach: there is no variable {unknown[0][:60]!r}"))
                return
            columns = [self.expand([f"${name}$"], element.line) for name in names]
            groups.append([dict(zip(names, row, strict=False)) for row in zip(*columns, strict=False)])
        total = 1
        for each in groups:
            total *= max(1, len(each))
        if total > MOST["attachment"]:
            self.wrong.append((element.line, f"foreach makes {total:,} attachments of one"))
            return
        for chosen in product(*groups):
            yield {name: value for part in chosen for name, value in part.items()}

    def called(self, section: str, name: str) -> str:
        """How an option or a property is called today; empty for what means nothing."""
        plain = name[:1].lower() + name[1:] if section == "options" else name
        return str(self.older[section].get(name.lower(), plain))

    def attach(self, element: Element, values: dict[str, str]) -> None:
        def filled(text: str) -> str:
            for name, value in values.items():
                text = text.replace(f"@{name}@", value)
            return text.strip()

        options = []
        for option in element.all("option"):
            value = filled(option.get("value"))
            if "$" in value and self.variables:
                value = ":".join(self.expand(value.split(":"), option.line))
            if name := self.called("options", filled(option.get("name"))):
                options.append(Option(name, value, filled(option.get("count")), option.line))
        kind = re.sub("[Aa]tt?a?t?chment$", "Attachment", element.get("javaClass").rpartition(".")[2])
        type_ = element.get("type") or "unitType"
        game = self.game
        among: dict[str, Iterable[str]] = {
            "unitType": game.units,
            "territory": game.territories,
            "resource": game.resources,
            "player": game.players,
            "relationship": game.stances,
            "territoryEffect": game.effects,
            "technology": game.technologies,
        }
        to = filled(element.attributes.get("attachTo") or element.attributes.get("attatchTo") or "")
        if type_ == "technology":
            to = self.technology(to) or to
        if type_ not in among:
            self.wrong.append(
                (element.line, f"an attachment of the type {type_[:40]!r}; there are {', '.join(among)}")
            )
        elif to not in among[type_]:
            self.wrong.append(
                (element.line, f"an attachment to the {type_} {to[:80]!r}, which does not exist")
            )
        else:
            name = filled(element.get("name")).replace("ttatchment", "ttachment")
            game.attachments.append(Attachment(kind, name, to, type_, element.line, tuple(options)))

    def read_start(self) -> None:
        game, start = self.game, self.root.first("initialize")
        if start is None:
            return
        parties = {**game.players, game.nobody: 0}
        for element in start.below("ownerInitialize", "territoryOwner"):
            place = self.known(element, "territory", game.territories, "territory")
            owner = self.known(element, "owner", parties, "player")
            if place and owner:
                game.owners[place] = (owner, element.line)
        for element in start.below("unitInitialize", "unitPlacement"):
            unit = self.known(element, "unitType", game.units, "unit")
            place = self.known(element, "territory", game.territories, "territory")
            owner = self.known(element, "owner", parties, "player") if element.get("owner") else game.nobody
            n, hits = self.quantity(element), self.number(element, "hitsTaken", default=0)
            if unit and place and owner and n:
                game.stacks.append((owner, unit, place, n, hits, element.line))
        for element in start.below("unitInitialize", "heldUnits"):
            unit = self.known(element, "unitType", game.units, "unit")
            player = self.known(element, "player", game.players, "player")
            n = self.quantity(element)
            if unit and player and n:
                game.held.append((player, unit, n, element.line))
        for element in start.below("resourceInitialize", "resourceGiven"):
            player = self.known(element, "player", game.players, "player")
            resource = self.known(element, "resource", game.resources, "resource")
            n = self.quantity(element, least=-1_000_000)
            if player and resource and n:
                game.given.append((player, resource, n, element.line))
        for element in start.below("relationshipInitialize", "relationship"):
            a, b = (self.known(element, key, parties, "player") for key in ("player1", "player2"))
            stance = self.known(element, "type", {**game.stances, **BUILT_IN_STANCES}, "kind of relationship")
            if a and b and stance:
                game.relations.append((a, b, stance, element.line))
