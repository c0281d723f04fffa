"""TripleA's own battle calculator as a peer: our units written as a game file of its format, and a process that answers battles.

Nothing here is needed to play. The jar is that of the Debian package `triplea`, or what `TRIPLEA_JAR` names; `Peer.missing` says
why there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from xml.sax.saxutils import quoteattr

JAR = Path(os.environ.get("TRIPLEA_JAR", "/usr/share/games/triplea/bin/triplea.jar"))
CLASS = "games.strategy.triplea.attachments."
DELEGATES = {
    "init": "InitializationDelegate", "tech": "TechnologyDelegate", "activate": "TechActivationDelegate", "buy": "PurchaseDelegate",
    "move": "MoveDelegate", "battle": "BattleDelegate", "place": "PlaceDelegate", "endTurn": "EndTurnDelegate", "endRound": "EndRoundDelegate",
}  # fmt: skip
ATTACKER, DEFENDER = "Attacker", "Defender"
LAND, SEA = "Land", "Sea"
Options = Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """A battle as the peer is asked it: units by name; `apart` are those that do not count as left over."""

    id: str
    place: str
    attackers: Mapping[str, int]
    defenders: Mapping[str, int]
    bombarding: Mapping[str, int]
    orders: tuple[Sequence[str], Sequence[str]]
    apart: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Answer:
    """How many of `runs` battles ended with only the attacker, only the defender, nobody, both; and how long they took."""

    win: int
    loss: int
    draw: int
    open: int
    seconds: float

    @property
    def runs(self) -> int:
        return self.win + self.loss + self.draw + self.open

    def chance(self, end: str) -> float:
        return float(getattr(self, end)) / self.runs

    def error(self, end: str, chance: float | None = None) -> float:
        """The standard error of an end's share, if that is its chance (or as it was found)."""
        p = self.chance(end) if chance is None else chance
        return sqrt(max(p * (1 - p), 0.25 / self.runs) / self.runs)


def game_file(units: Mapping[str, Options], properties: Options, sides: int) -> str:
    """A game of two players, a territory and a sea zone with these units (name to options of attachment), as the format has it."""

    def attachment(name: str, to: str, kind: str, type_: str, options: Options) -> str:
        inner = "".join(f"<option name={quoteattr(k)} value={quoteattr(v)}/>" for k, v in options.items())
        return f"<attachment name={quoteattr(name)} attachTo={quoteattr(to)} javaClass={quoteattr(CLASS + kind)} type={quoteattr(type_)}>{inner}</attachment>"

    players = (ATTACKER, DEFENDER)
    phases = [
        ("Purchase", "buy"),
        ("CombatMove", "move"),
        ("Battle", "battle"),
        ("NonCombatMove", "move"),
        ("Place", "place"),
        ("EndTurn", "endTurn"),
    ]
    steps = [
        f'<step name="{p.lower()}{phase}" delegate="{d}" player="{p}"/>'
        for p in players
        for phase, d in phases
    ]
    return "\n".join(
        [
            '<?xml version="1.0"?>', '<!DOCTYPE game SYSTEM "game.dtd">', "<game>",
            '<info name="Peer" version="1.0"/>', '<loader javaClass="games.strategy.triplea.TripleA"/>', f'<diceSides value="{sides}"/>',
            f'<map><territory name="{LAND}"/><territory name="Home"/><territory name="{SEA}" water="true"/>',
            f'<connection t1="{LAND}" t2="Home"/><connection t1="{LAND}" t2="{SEA}"/></map>',
            '<resourceList><resource name="PUs"/></resourceList>',
            "<playerList>", *(f'<player name="{p}" optional="false"/>' for p in players),
            *(f'<alliance player="{p}" alliance="{p}s"/>' for p in players), "</playerList>",
            "<unitList>", *(f"<unit name={quoteattr(name)}/>" for name in units), "</unitList>",
            "<gamePlay>", *(f'<delegate name="{n}" javaClass="games.strategy.triplea.delegate.{c}" display="{n}"/>' for n, c in DELEGATES.items()),
            '<sequence><step name="gameInitDelegate" delegate="init" maxRunCount="1"/>', *steps, '<step name="endRoundStep" delegate="endRound"/>',
            "</sequence>", "</gamePlay>",
            "<production>",
            *(f'<productionRule name="buy-{name}"><cost resource="PUs" quantity="1"/><result resourceOrUnit={quoteattr(name)} quantity="1"/></productionRule>' for name in units),
            '<productionFrontier name="all">', *(f'<frontierRules name="buy-{name}"/>' for name in units), "</productionFrontier>",
            *(f'<playerProduction player="{p}" frontier="all"/>' for p in players), "</production>",
            "<technology>", *(f'<playerTech player="{p}"/>' for p in players), "</technology>",
            "<attachmentList>",
            *(attachment("techAttachment", p, "TechAttachment", "player", {"techCost": "5"}) for p in players),
            *(attachment("unitAttachment", name, "UnitAttachment", "unitType", options) for name, options in units.items()),
            attachment("territoryAttachment", LAND, "TerritoryAttachment", "territory", {"production": "1"}),
            attachment("territoryAttachment", "Home", "TerritoryAttachment", "territory", {"production": "1", "capital": ATTACKER}),
            "</attachmentList>",
            f'<initialize><ownerInitialize><territoryOwner territory="{LAND}" owner="{DEFENDER}"/><territoryOwner territory="Home" owner="{ATTACKER}"/></ownerInitialize></initialize>',
            "<propertyList>", *(f'<property name={quoteattr(k)} value={quoteattr(v)} editable="false"><boolean/></property>' for k, v in properties.items()),
            "</propertyList>", "</game>",
        ]
    )  # fmt: skip


class Peer:
    """The peer's calculator for one game file: a Java process that is asked battle after battle."""

    def __init__(self, folder: Path, game: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "peer.xml").write_text(game, encoding="utf-8")
        source = Path(__file__).parent / "PeerOdds.java"
        (folder / "game_engine.properties").write_text("engine_version = 1.9.0.0\n", encoding="utf-8")
        subprocess.run(
            ["javac", "-nowarn", "-cp", str(JAR), "-d", str(folder), str(source)],
            check=True,
            capture_output=True,
        )
        self.folder = folder

    @staticmethod
    def missing() -> str:
        """Why there is no peer on this machine; empty if there is one."""
        if shutil.which("java") is None or shutil.which("javac") is None:
            return "no Java development kit"
        return (
            ""
            if JAR.is_file()
            else f"no TripleA: {JAR} is missing (Debian package `triplea`, or TRIPLEA_JAR)"
        )

    def ask(self, battles: Sequence[Asked], runs: int) -> dict[str, Answer]:
        """Every battle so many times, after each has been fought a few times to warm up the machine."""

        def units(force: Mapping[str, int], apart: frozenset[str]) -> str:
            return ",".join(f"{'-' if name in apart else ''}{name}={n}" for name, n in force.items())

        def line(b: Asked, n: int) -> str:
            orders = (",".join(order) for order in b.orders)
            return "\t".join(
                [
                    b.id,
                    b.place,
                    *(units(f, b.apart) for f in (b.attackers, b.defenders, b.bombarding)),
                    *orders,
                    str(n),
                ]
            )

        text = "\n".join([*(line(b, 200) for b in battles), *(line(b, runs) for b in battles)]) + "\n"
        command = [
            "java",
            "-Djava.awt.headless=true",
            "-cp",
            f"{JAR}:{self.folder}",
            "games.strategy.triplea.oddsCalculator.ta.PeerOdds",
            str(self.folder / "peer.xml"),
        ]
        env = {**os.environ, "HOME": str(self.folder)}  # it keeps settings in the home folder
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, env=env, cwd=self.folder, timeout=400
        )
        rows = [row.split("\t") for row in done.stdout.splitlines() if row.count("\t") == 5]
        if len(rows) != 2 * len(battles):
            raise RuntimeError(
                f"the peer answered {len(rows)} of {2 * len(battles)} battles\n{done.stderr[-2000:]}"
            )
        return {row[0]: Answer(*map(int, row[1:5]), int(row[5]) / 1e9) for row in rows[len(battles) :]}
