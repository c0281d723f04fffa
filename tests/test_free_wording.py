"""Lines as people write them, before they have read how orders are written: understood, or answered with the right form.

Each line stands beside what it is read as; after `?` it is not taken, and that is the first line that is proposed instead;
`-` is answered with a reason alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wteaw.core.model import Ruleset
from wteaw.orders.intake import take_in
from wteaw.orders.parse import parse_orders
from wteaw.orders.readback import ReadBack, read_back
from wteaw.orders.readback_text import rendered
from wteaw.orders.sheet_layout import order_template
from wteaw.turn.referee import Inputs, Position, resolve
from wteaw.world.geography import Geography
from wteaw.world.world import World

from .test_law_orders import begun, dice, known_to

BASE = [
    (
        "Cologne -> Alsace 6 inf, 2 arty, withdraw after 3 rounds",
        "move 6 infantry, 2 artillery from Cologne to Alsace-Lorraine: withdraw after 3 rounds",
    ),
    (
        "attack alsace-lorraine with 2 inf from stuttgart and 5 inf from cologne",
        "move 2 infantry from Stuttgart to Alsace-Lorraine; move 5 infantry from Cologne to Alsace-Lorraine",
    ),
    ("railway 3 infantry Frankfurt-Danzig", "rail 3 infantry from Frankfurt to Danzig"),
    ("defend Danzig", "hold Danzig"),
    ("peace with Japan", "? make peace with Japan"),
    ("Cologne -> Ruhr 4 inf", "move 4 infantry from Cologne to Ruhr"),
    ("4 inf Cologne -> Ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("Cologne-Ruhr: 4 infantry", "move 4 infantry from Cologne to Ruhr"),
    ("from cologne move 4 infantry to the ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("march four infantry out of cologne into ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("Move 4 INF + 1 ART from Cologne to Ruhr", "move 4 infantry, 1 artillery from Cologne to Ruhr"),
    ("4x infantry cologne to ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("send 4 infantry from Cologne to Ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("transfer 4 infantry from cologne to ruhr", "? move 4 infantry from Cologne to Ruhr"),
    ("4 infantry from cologne go to ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("move all art in cologne to ruhr", "move 8 artillery from Cologne to Ruhr"),
    ("Everything from Bremen to Hamburg", "move 1 infantry from Bremen to Hamburg"),
    (
        "Attack Belgium from Cologne with 6 inf and 2 art, withdraw after 2 rounds",
        "move 6 infantry, 2 artillery from Cologne to Belgium: withdraw after 2 rounds",
    ),
    (
        "6 inf, 2 art Cologne -> Belgium (leave after 2 rounds)",
        "move 6 infantry, 2 artillery from Cologne to Belgium: withdraw after 2 rounds",
    ),
    ("invade belgium with 6 infantry from cologne", "move 6 infantry from Cologne to Belgium"),
    (
        "attack france from stuttgart with all infantry",
        "? move all infantry from Stuttgart to Alsace-Lorraine",
    ),
    ("assault alsace from Stuttgart with 3 infantry", "move 3 infantry from Stuttgart to Alsace-Lorraine"),
    ("buy 3 infantry at Berlin", "build 3 infantry in Berlin"),
    ("build 2 infantry and 1 artillery in Berlin", "build 2 infantry in Berlin; build 1 artillery in Berlin"),
    (
        "buy 2 infantry, 1 artillery + 1 fighter at Cologne",
        "build 2 infantry in Cologne; build 1 artillery in Cologne; build 1 fighter in Cologne",
    ),
    ("3 infantry in Berlin", "? build 3 infantry in Berlin"),
    ("3 new infantry at Berlin please", "? build 3 infantry in Berlin"),
    ("build infantry 3 berlin", "build 3 infantry in Berlin"),
    ("Build: 3 infantry in Berlin", "build 3 infantry in Berlin"),
    (
        "build 3 inf Berlin, 2 inf Danzig, 1 art Cologne",
        "build 3 infantry in Berlin; build 2 infantry in Danzig; build 1 artillery in Cologne",
    ),
    ("build 2 subs in Bremen", "build 2 submarines in Bremen"),
    ("build one fighter in Cologne & one in Ruhr", "build 1 fighter in Cologne; build 1 fighter in Ruhr"),
    ("recruit 3 infantry in Berlin", "build 3 infantry in Berlin"),
    ("trench in Frankfurt against Alsace", "? build trench in Frankfurt facing Alsace-Lorraine"),
    ("dig a trench at Frankfurt facing Alsace-Lorraine", "build trench in Frankfurt facing Alsace-Lorraine"),
    ("declare war on: Belgium", "declare war on Belgium"),
    ("DoW Belgium", "declare war on Belgium"),
    ("War on Belgium!", "declare war on Belgium"),
    ("we are at war with Belgium", "? declare war on Belgium"),
    ("no war with Belgium", "-"),
    ("We declare war on Belgium and the Netherlands.", "declare war on Belgium; declare war on Netherlands"),
    ("influence Romania, Bulgaria", "influence Romania; influence Bulgaria"),
    ("try to influence Romania", "influence Romania"),
    ("diplomacy: influence Bulgaria", "influence Bulgaria"),
    ("research: tanks", "research Tanks"),
    ("research Improved Artillery and Tanks", "research Improved artillery; research Tanks"),
    ("research improved artilery", "research Improved artillery"),
    ("2 ftr Stuttgart -> Cologne", "? fly 1 fighter from Stuttgart to Cologne"),
    ("fly 1 fighter stuttgart cologne", "fly 1 fighter from Stuttgart to Cologne"),
    ("move 2 fighters from Cologne to Frankfurt", "? fly 2 fighters from Cologne to Frankfurt"),
    ("rail 2 inf from Berlin to Konigsberg", "rail 2 infantry from Berlin to Konigsberg"),
    ("2 infantry by rail from Berlin to Konigsberg", "rail 2 infantry from Berlin to Konigsberg"),
    ("railroad 2 infantry Berlin to Konigsberg", "rail 2 infantry from Berlin to Konigsberg"),
    ("cover cologne with 3 art in ruhr", "? cover Cologne with 1 artillery from Ruhr"),
    ("support Cologne from Ruhr with 1 artillery", "cover Cologne with 1 artillery from Ruhr"),
    ("subs from Skagerrak to North Sea", "? sail all submarines from Skagerrak to North Sea"),
    (
        "sail 4 destroyers from skagerrak to north sea, patrol",
        "sail 4 destroyers from Skagerrak to North Sea on patrol",
    ),
    ("1 BB, 4 DD Skagerrak to North Sea", "sail 1 battleship, 4 destroyers from Skagerrak to North Sea"),
    ("fleet in skagerrak patrols north sea", "? sail 4 destroyers from Skagerrak to North Sea on patrol"),
    ("scout Belgium from Cologne with 1 fighter", "reconnoiter Belgium with 1 fighter from Cologne"),
    ("recon Belgium with 1 fighter from Cologne", "reconnoiter Belgium with 1 fighter from Cologne"),
    ("spy on France", "spy on builds of French Empire"),
    ("spy on the French government", "-"),
    ("give Austria 10 points", "give 10 to Austro-Hungarian Empire"),
    ("send 10 RP to Austria", "give 10 to Austro-Hungarian Empire"),
    ("10 points to Austria", "? give 10 to Austro-Hungarian Empire"),
    ("incorporate Luxemburg", "? incorporate ?"),
    ("move 4 infantry from cologne to moscow", "? move 4 infantry from Cologne to Alsace-Lorraine"),
    ("fall back from Stuttgart to Munich if attacked", "? hold Stuttgart and fall back to Munich"),
    ("hold Stuttgart", "hold Stuttgart"),
    ("observe combat Belgium", "observe combat in Belgium"),
    ("surrender", "offer surrender"),
    (
        "move 3 infantry from Danzig to Berlin and 2 infantry from Hamburg to Berlin",
        "move 3 infantry from Danzig to Berlin; move 2 infantry from Hamburg to Berlin",
    ),
    ("* 2 inf Munich -> Leipzig", "move 2 infantry from Munich to Leipzig"),
    ("(3) 1 inf Hamburg - Bremen", "move 1 infantry from Hamburg to Bremen"),
    ("All units from Posen to Breslau", "move 2 infantry from Posen to Breslau"),
    ("2 infantry + 1 artillery from Breslau to Posen", "move 2 infantry, 1 artillery from Breslau to Posen"),
    (
        "baltic fleet to north sea",
        "sail 2 destroyers, 1 submarine, 2 transports from Baltic Sea to North Sea",
    ),
    ("all ships to north sea", "? sail all ships from ? to North Sea"),
    (
        "all ships from skagerrak to north sea",
        "sail 1 battleship, 4 destroyers, 4 submarines, 1 transport from Skagerrak to North Sea",
    ),
    ("Move army from Posen to Breslau", "move 2 infantry from Posen to Breslau"),
    ("all remaining infantry from hamburg to bremen", "move 3 infantry from Hamburg to Bremen"),
    ("defend Stuttgart, retreat to Munich", "hold Stuttgart and fall back to Munich"),
    (
        "defend Stuttgart, retreat to Munich after 2 rounds",
        "hold Stuttgart and fall back to Munich: withdraw after 2 rounds",
    ),
    ("Hello, please build 5 infantry in Berlin", "build 5 infantry in Berlin"),
    ("Hi Bob, please build 3 inf in Berlin, thanks", "build 3 infantry in Berlin"),
    ("can you move 4 infantry from cologne to the ruhr?", "move 4 infantry from Cologne to Ruhr"),
    ("I'd like to build 3 infantry in Berlin.", "build 3 infantry in Berlin"),
    (
        "please build 3 infantry in Berlin and 2 in Danzig",
        "build 3 infantry in Berlin; build 2 infantry in Danzig",
    ),
    ("build 3 inf berlin 2 inf danzig", "build 3 infantry in Berlin; build 2 infantry in Danzig"),
    ("3 inf berlin 2 inf danzig", "? build 3 infantry in Berlin"),
    ("Build in Berlin: 3 infantry, 1 artillery", "build 3 infantry in Berlin; build 1 artillery in Berlin"),
    (
        "cologne: 6 inf to belgium, 2 art to ruhr",
        "move 2 artillery from Cologne to Ruhr; move 6 infantry from Cologne to Belgium",
    ),
    (
        "cologne -> belgium: 6 inf, 2 art, retreat after 2 rounds",
        "move 6 infantry, 2 artillery from Cologne to Belgium: withdraw after 2 rounds",
    ),
    ("Attack: Cologne -> Belgium with everything", "? move 8 artillery, 28 infantry from Cologne to Belgium"),
    ("Scout alsace w/ 1 ftr from stuttgart", "reconnoiter Alsace-Lorraine with 1 fighter from Stuttgart"),
    ("TECH: tanks", "? research Tanks"),
    ("max infantry in berlin", "? build ? infantry in Berlin"),
    ("patrol north sea with 4 subs from skagerrak", "-"),
    # places one behind the other are a way
    (
        "move 2 destroyers Skagerrak North Sea English Channel",
        "sail 2 destroyers from Skagerrak to English Channel via North Sea",
    ),
    (
        "2 DD Skagerrak -> North Sea -> English Channel",
        "sail 2 destroyers from Skagerrak to English Channel via North Sea",
    ),
    (
        "2 DD: Skagerrak > North Sea > English Channel, patrol",
        "sail 2 destroyers from Skagerrak to English Channel via North Sea on patrol",
    ),
    (
        "move 2 destroyers from Skagerrak to North Sea to English Channel",
        "sail 2 destroyers from Skagerrak to English Channel via North Sea",
    ),
    (
        "2 destroyers from Skagerrak through North Sea into the English Channel",
        "sail 2 destroyers from Skagerrak to English Channel via North Sea",
    ),
    ("3 inf Ruhr <- Cologne", "move 3 infantry from Cologne to Ruhr"),
    # what `and` joins is two of a kind, and no way
    (
        "move 2 infantry from Stuttgart to Frankfurt and Munich",
        "? move 2 infantry from Stuttgart to Frankfurt",
    ),
    ("build 2 infantry in Berlin and Leipzig", "-"),
    # who is meant by what stands before or behind a verb, and in a title
    ("Cologne attacks Belgium with 4 inf", "move 4 infantry from Cologne to Belgium"),
    ("4 inf Cologne attack Belgium", "move 4 infantry from Cologne to Belgium"),
    (
        "attack Belgium: Cologne 4 inf, Ruhr 2 inf",
        "move 4 infantry from Cologne to Belgium; move 2 infantry from Ruhr to Belgium",
    ),
    (
        "Attack Belgium (5 inf Cologne, 3 inf Ruhr)",
        "move 5 infantry from Cologne to Belgium; move 3 infantry from Ruhr to Belgium",
    ),
    (
        "move 2 inf from Cologne and 3 inf from Stuttgart to Frankfurt",
        "move 2 infantry from Cologne to Frankfurt; move 3 infantry from Stuttgart to Frankfurt",
    ),
    (
        "4 inf Cologne, 2 inf Ruhr -> Belgium",
        "move 4 infantry from Cologne to Belgium; move 2 infantry from Ruhr to Belgium",
    ),
    # task forces under their numbers, and what they protect
    ("TF 1: from Skagerrak to North Sea, patrol", "? sail ? from Skagerrak to North Sea on patrol"),
    (
        "TF 1 (2 destroyers): Skagerrak -> North Sea, patrol",
        "sail 2 destroyers from Skagerrak to North Sea on patrol",
    ),
    ("Task force 1: 1 transport from Skagerrak to North Sea", "sail 1 transport from Skagerrak to North Sea"),
    ("TF2: 1 transport from Skagerrak to North Sea", "-"),
    # nations where a place is wanted, and what no order can say
    ("move 4 infantry from Stuttgart to France", "? move 4 infantry from Stuttgart to Alsace-Lorraine"),
    ("bombard Belgium", "-"),
    (
        "bombard Belgium with 1 battleship from Skagerrak",
        "? sail 1 battleship from Skagerrak to North Sea on shore-bombardment",
    ),
    ("do not attack Belgium", "-"),
    ("move all but 2 infantry from Cologne to Ruhr", "-"),
    # numbers and courtesies
    ("4inf Cologne -> Ruhr", "move 4 infantry from Cologne to Ruhr"),
    ("Build: inf x3 @ Berlin", "build 3 infantry in Berlin"),
    (
        "Pls build 2 x infantries in Hannover and 1 x artillery in Munich.",
        "build 2 infantry in Hannover; build 1 artillery in Munich",
    ),
    ("hold Stuttgart: lose infantry, thanks!", "hold Stuttgart: lose infantry"),
    # other words
    ("ship 2 inf Danzig Konigsberg", "? ship 2 infantry from Danzig to Konigsberg with ? in ?"),
    ("2 inf by train from Berlin to Konigsberg", "rail 2 infantry from Berlin to Konigsberg"),
    ("recce Belgium with one fighter from Cologne", "reconnoiter Belgium with 1 fighter from Cologne"),
    (
        "2 DD Skagerrak -> North Sea sub hunt",
        "sail 2 destroyers from Skagerrak to North Sea on submarine-hunt",
    ),
    (
        "sub hunt in north sea with 2 destroyers from Skagerrak",
        "sail 2 destroyers from Skagerrak to North Sea on submarine-hunt",
    ),
    ("hold Cologne to the last man", "hold Cologne"),
    ("propaganda in the USA", "propaganda in america"),
    ("unrestricted sub warfare", "unrestricted submarine warfare"),
    (
        "five infantry move from cologne into belgium, retreat when more than 3 lost",
        "move 5 infantry from Cologne to Belgium: withdraw above 3 losses",
    ),
]
TOKENS = [
    ("put a move token in Germany", "? lay Move token in W-Germany"),
    ("lay move in W-Germany", "lay Move token in W-Germany"),
    ("move token in W-Germany", "? lay Move token in W-Germany"),
    ("W-Germany: invest", "? lay Invest token in W-Germany"),
    ("2 tokens in E-Germany: move and train", "? lay Move token in E-Germany"),
    (
        "lay dig token E-Germany; lay train token W-Germany",
        "lay Dig token in E-Germany; lay Train token in W-Germany",
    ),
    ("Invest in W-Germany", "? lay Invest token in W-Germany"),
    ("Train in E-Germany", "? lay Train token in E-Germany"),
    ("I lay a Move token at W-Germany.", "lay Move token in W-Germany"),
    ("move token W-Germany, train token E-Germany", "? lay Move token in W-Germany"),
    ("W-Germany train, E-Germany move", "? lay Train token in W-Germany"),
    ("I put train on W-Germany", "lay Train token in W-Germany"),
    ("Hello all, dig in E-Germany", "? lay Dig token in E-Germany"),
    ("lay dig tokens in E-Germany", "lay Dig token in E-Germany"),
    ("two move tokens in W-Germany", "-"),
    (
        "lay train at W-Germany and lay move at E-Germany",
        "lay Train token in W-Germany; lay Move token in E-Germany",
    ),
]
POWERS = [
    ("buy 3 inf, 2 arty in Berlin", "buy 3 infantry; buy 2 field artillery in Berlin"),
    ("all subs from sz 12 to sz 13", "sail 1 submarine from Sea Zone 12 Baltic Sea to Sea Zone 13 Skagerrak"),
    ("attack belgium with 4 infantry", "? attack 4 infantry from ? to Belgium"),
    ("4 inf Rhine -> Belgium", "attack 4 infantry from Rhine to Belgium"),
    (
        "Rhine to Belgium: 3 infantry, 1 field artillery",
        "attack 3 infantry, 1 field artillery from Rhine to Belgium",
    ),
    ("attack Luxembourg from Rhine with 2 inf", "? attack 2 infantry from Rhine to ?"),
    ("move 2 inf from Berlin into Saxony", "attack 2 infantry from Berlin to Saxony"),
    ("buy 3 infantry", "buy 3 infantry"),
    ("3 inf bought", "? buy 3 infantry"),
    ("purchase 2 artillery and 1 fighter", "buy 2 field artillery; buy 1 fighter"),
    ("buy 2 infantry, 1 cavalry", "buy 2 infantry; buy 1 cavalry"),
    ("place 2 infantry at Berlin", "-"),
    ("declare war on China", "declare war on China"),
    ("research industry, 2 tokens", "research industry with 2 tokens"),
    ("research: naval with 1 token", "research naval with 1 token"),
    (
        "1 BB sea zone 11 -> sea zone 12",
        "sail 1 battleship from Sea Zone 11 Baltic Sea to Sea Zone 12 Baltic Sea",
    ),
    (
        "sail the submarine from SZ 4 to SZ 5",
        "sail 1 submarine from Sea Zone 4 Greenland Sea to Sea Zone 5 Arctic Ocean",
    ),
    (
        "2 subs sea zone 23 to sea zone 24",
        "sail 2 submarines from Sea Zone 23 Mid Atlantic to Sea Zone 24 Irish Sea",
    ),
    ("fly 2 fighters wurttemburg - alsace", "fly 2 fighters from Wurttemburg to Alsace"),
    ("2 ftr from Wurttemburg to Champagne", "fly 2 fighters from Wurttemburg to Champagne"),
    ("bomb the factory of Paris with 1 zeppelin from Berlin", "-"),
    ("blitz with cavalry from silesia to poland", "? attack all cavalry from Silesia to ?"),
    ("5 inf, 2 arty", "? buy 5 infantry"),
    ("Hello, please buy 5 infantry", "buy 5 infantry"),
    ("baltic fleet to sea zone 13", "? sail all ships from ? to Sea Zone 13 Skagerrak"),
    (
        "all ships from sea zone 11 to sea zone 12",
        "sail 1 battlecruiser, 1 battleship, 1 cruiser from Sea Zone 11 Baltic Sea to Sea Zone 12 Baltic Sea",
    ),
    ("dow russia", "-"),
    ("war on China", "declare war on China"),
    ("attack Belgium: Rhine 4 inf", "attack 4 infantry from Rhine to Belgium"),
    ("combat move 4 inf Rhine Belgium", "attack 4 infantry from Rhine to Belgium"),
    ("NCM 2 inf Berlin -> Mecklenburg", "regroup 2 infantry from Berlin to Mecklenburg"),
    ("2inf Rhine Belgium", "attack 2 infantry from Rhine to Belgium"),
]
ADJUDICATED = [
    ("A Par - Bur", "Army in Paris to Burgundy"),
    ("Paris -> Burgundy", "Paris to Burgundy"),
    ("army in paris to burgundy", "Army in Paris to Burgundy"),
    ("Army Paris moves to Burgundy", "Army in Paris to Burgundy"),
    ("par-bur", "Paris to Burgundy"),
    ("F Bre -> Mid-Atlantic", "Fleet in Brest to Mid-Atlantic Ocean"),
    ("fleet brest to MAO", "Fleet in Brest to Mid-Atlantic Ocean"),
    ("A Mar S A Par - Bur", "Army in Marseilles supports Army in Paris to Burgundy"),
    ("Mar supports Par to Bur", "Marseilles supports Paris to Burgundy"),
    ("Marseilles supports Paris", "-"),
    ("A Mar hold", "Army in Marseilles holds"),
    ("hold marseilles", "Marseilles holds"),
    ("Army Marseilles stands", "Army in Marseilles holds"),
    ("move army from Paris to Picardy", "Army in Paris to Picardy"),
    ("F Brest convoys A Paris to London", "-"),
    ("A Par Bur", "Army in Paris to Burgundy"),
    ("Paris attacks Burgundy", "Paris to Burgundy"),
    ("Paris stays put", "Paris holds"),
]
SUPPORTS = [  # a letter behind a name is a word of its own, though run together both are another name
    ("A War S Mos", "Army in Warsaw supports Moscow"),
    ("War s Mos", "Warsaw supports Moscow"),
    ("A War S Mos - Ukr", "Army in Warsaw supports Moscow to Ukraine"),
    ("support Moscow with Warsaw", "Warsaw supports Moscow"),
    ("support A Mos to Ukraine from A War", "Army in Warsaw supports Army in Moscow to Ukraine"),
    ("support Moscow Warsaw", "Warsaw supports Moscow"),
    ("supports Moscow to Ukraine", "-"),
    ("A Wars - Gal", "Army in Warsaw to Galicia"),
    ("A War Gal", "Army in Warsaw to Galicia"),
]
EMPIRES = [
    ("2 infantry A1 -> A2", "march 2 infantry from Alder to Ashby"),
    ("march 2 infantry A1 -> A2", "march 2 infantry from Alder to Ashby"),
    ("2 inf from A1 invade B1", "-"),
    ("invade B1 from A1 with 2 infantry", "-"),
    ("A1 supports the attack on B1 with 1 infantry", "-"),
    ("war on Borea", "declare war on Borea"),
    ("2 inf A2 support attack on B1", "-"),
    ("declare war: Borea", "declare war on Borea"),
    ("peace with Borea", "-"),
    ("muster 2 infantry at A1", "muster 2 infantry in Alder"),
    ("2 infantry mustered in A1", "muster 2 infantry in Alder"),
    ("construct a factory at A1", "construct factory in Alder"),
    ("build a fort in A1", "construct fort in Alder"),
    ("raise tech", "? upgrade tech"),
    ("upgrade A4", "? upgrade province Arden"),
    ("sail ship 1 -> N1", "-"),
    ("railroad A1 to A4", "? rail ? from Alder to Arden"),
    ("entrench with 2 infantry in A1", "entrench 2 infantry in Alder"),
]

MAIL = """\
Hello all,
here are my orders, good luck to everybody!

 1. 4 inf Cologne -> Ruhr
 2. build 3 inf Berlin, 2 inf
    Danzig
 - research improved artillery

Best regards,
Willy
--
build 9 infantry in Berlin
"""


@cache
def position(name: str, turn: int) -> tuple[Ruleset, Geography, Position]:
    """A game at its first input point of a turn; where starting forces are to be deployed, they are."""
    ruleset, geography, here = begun(name, turn)
    if name == "empire-orders":
        given: dict[str, Any] = {}
        for nation, first in (("aster", "a1"), ("borea", "b1"), ("cressia", "c1")):
            world = known_to(name, here, nation)
            for n in range(3, 9):
                text = f"deploy {n} infantry {first}; deploy artillery {first}; deploy general {first}"
                if orders := take_in(ruleset, text, lambda _, world=world: world, nation=nation).orders:  # type: ignore[misc]
                    given[nation] = list(orders)
        here = resolve(ruleset, here, Inputs(given), dice(here), geography=geography).position
    return ruleset, geography, here


@cache
def known(name: str, turn: int, nation: str) -> World:
    return known_to(name, position(name, turn)[2], nation)


def answer(world: World, nation: str, text: str) -> ReadBack:
    return read_back(world, take_in(world.ruleset, text, lambda _: world, nation=nation))


def told(back: ReadBack) -> str:
    """What a line came to, in the notation of the lists above."""
    taken = [one for group in back.groups for one in sorted(group.orders, key=lambda o: o.line)]
    if taken:
        return "; ".join(one.order for one in taken)
    instead = [text for one in back.not_taken for text in one.instead]
    assert back.not_taken or back.general or back.passed
    return f"? {instead[0]}" if instead else "-"


@pytest.mark.parametrize(
    ("name", "turn", "nation", "lines"),
    [
        ("1914", 2, "german-empire", BASE),
        ("alliances-6", 1, "germany", TOKENS),
        ("no-mans-land", 1, "germany", POWERS),
        ("diplomacy", 1, "france", ADJUDICATED),
        ("diplomacy", 1, "russia", SUPPORTS),
        ("empire-orders", 1, "aster", EMPIRES),
    ],
    ids=["1914", "alliances", "no-mans-land", "diplomacy", "supports", "empires"],
)
def test_lines_in_free_wording_are_read_or_answered(
    name: str, turn: int, nation: str, lines: list[tuple[str, str]]
) -> None:
    world = known(name, turn, nation)
    wrong = [
        (line, said, wanted)
        for line, wanted in lines
        if (said := told(answer(world, nation, line))) != wanted
    ]
    assert wrong == []
    helped = sum(wanted != "-" for _, wanted in lines)
    assert len(lines) >= (50 if lines is BASE else 5) and helped >= (
        40 if lines is BASE else 3 * len(lines) // 5
    )


@pytest.mark.parametrize("lines", [BASE, POWERS], ids=["1914", "no-mans-land"])
def test_what_is_proposed_stands_when_it_is_sent(lines: list[tuple[str, str]]) -> None:
    name, turn, nation = ("1914", 2, "german-empire") if lines is BASE else ("no-mans-land", 1, "germany")
    world = known(name, turn, nation)
    for line, wanted in lines:
        for one in answer(world, nation, line).not_taken if wanted.startswith("?") else ():
            for text in one.instead:
                if "?" not in text:
                    assert answer(world, nation, text).standing == 1, (line, text)


def test_forces_under_headings_are_numbered_as_they_are_listed() -> None:
    world = known("1914", 2, "german-empire")
    lines = [
        "TF 1: 1 transport from Skagerrak to North Sea",
        "TF 2: 2 DD Skagerrak - North Sea, escort TF 1",
        "escort task force 1 with 1 destroyer from Skagerrak to North Sea",
    ]
    taken = {
        one.line: one.order
        for g in answer(world, "german-empire", "\n".join(lines)).groups
        for one in g.orders
    }
    assert taken == {
        1: "sail 1 transport from Skagerrak to North Sea",
        2: "sail 2 destroyers from Skagerrak to North Sea on escort: protect task force 1",
        3: "sail 1 destroyer from Skagerrak to North Sea on escort: protect task force 1",
    }
    turned = answer(world, "german-empire", "\n".join([lines[1], lines[0]]))
    assert turned.standing == 0 and [one.why for one in turned.not_taken] == [
        f"this is force {n} of those that are listed, not {3 - n}; they are numbered in the order of their lines"
        for n in (1, 2)
    ]


def test_why_a_line_cannot_be_said_is_said() -> None:
    world = known("1914", 2, "german-empire")
    for line, why in (
        ("do not attack Belgium", "no order says what is not done"),
        ("move all but 2 infantry from Cologne to Ruhr", "no order speaks of a share"),
        ("move 4 infantry from Stuttgart to France", "French Empire is a nation, and here a place is wanted"),
        ("bombard Belgium", "ships bombard from the sea zone"),
    ):
        (one,) = answer(world, "german-empire", line).not_taken
        assert one.why.startswith(why), line


def test_what_was_mended_is_marked_and_what_was_not_is_not() -> None:
    world = known("1914", 2, "german-empire")
    back = answer(world, "german-empire", "move 4 infantry from cologne to ruhr\n4 inf Cologne -> Ruhr")
    assert [(one.line, one.order) for one in back.mended] == [(2, "move 4 infantry from Cologne to Ruhr")]
    assert "READ AS" in rendered(back)


def test_an_attack_and_what_concerns_another_nation_are_not_guessed() -> None:
    world = known("1914", 2, "german-empire")
    for line, meant in (
        ("move 1 infantry from cologne to belguim", "move 1 infantry from Cologne to Belgium"),
        ("declare war on blegium", "declare war on Belgium"),
        ("give 10 to austria-hungery", "give 10 to Austro-Hungarian Empire"),
    ):
        back = answer(world, "german-empire", line)
        assert back.standing == 0 and [n.instead for n in back.not_taken] == [(meant,)], line
        assert back.not_taken[0].verdict == "asked" or "hungery" in line
    for line in ("move 1 infantry from cologne to frankfrut", "research improved artilery"):
        assert answer(world, "german-empire", line).standing == 1


def test_a_mail_is_read_without_its_greeting_signature_bullets_and_broken_lines() -> None:
    world = known("1914", 2, "german-empire")
    back = answer(world, "german-empire", MAIL)
    assert sorted(one.order for group in back.groups for one in group.orders) == [
        "build 2 infantry in Danzig",
        "build 3 infantry in Berlin",
        "move 4 infantry from Cologne to Ruhr",
        "research Improved artillery",
    ]
    assert back.not_taken == () and set(back.passed) == {1, 2, 9, 10, 12}


def test_a_greeting_that_is_like_an_order_is_none_and_an_order_after_a_greeting_is_not_lost() -> None:
    world = known("1914", 2, "german-empire")
    for line in ("Dear moderator, here are my orders:", "Hello, the orders of Germany:"):
        back = answer(world, "german-empire", f"{line}\nbuild 3 infantry in Berlin")
        assert (back.standing, back.passed, back.not_taken) == (1, (1,), ())
    back = answer(
        world, "german-empire", "Hello, please build 5 infantry in Berlin\nbuild 3 infantry in Berlin"
    )
    assert back.standing == 2 and [one.order for one in back.mended] == ["build 5 infantry in Berlin"]


def test_a_line_that_says_that_nothing_is_ordered_is_no_order() -> None:
    world = known("1914", 2, "german-empire")
    for line in (
        "no orders this turn",
        "Diplomacy: none",
        "All others hold.",
        "everyone else stays put",
        "Technology",
    ):
        back = answer(world, "german-empire", f"build 3 infantry in Berlin\n{line}\nbuild 1 infantry in Ruhr")
        assert (back.standing, back.passed, back.not_taken) == (2, (2,), ()), line
    for line in ("all others hold berlin", "no more than 3 infantry in Berlin", "technology tanks"):
        back = answer(world, "german-empire", f"build 3 infantry in Berlin\n{line}\nbuild 1 infantry in Ruhr")
        assert len(back.not_taken) == 1 or back.standing == 3, line


def test_why_the_nearest_form_does_not_stand_is_said_where_nothing_else_can_be_proposed() -> None:
    world = known("no-mans-land", 1, "germany")
    (one,) = answer(world, "germany", "we want a war, russia").not_taken
    assert "`declare war on Russia` would not be valid" in one.why and one.instead == ()
    (one,) = answer(world, "germany", "defend rhine").not_taken
    assert "all orders: send `help`" in one.why and "wteaw" not in one.why


def test_a_word_for_all_units_of_some_sort_takes_no_others() -> None:
    world = known("1914", 2, "german-empire")
    back = answer(
        world, "german-empire", "move army from Cologne to Ruhr\nfly all planes from Cologne to Ruhr"
    )
    orders = [one.order for group in back.groups for one in group.orders]
    assert (
        len(orders) == 2 and "fighter" not in orders[0] and orders[1] == "fly 2 fighters from Cologne to Ruhr"
    )


def test_quoted_lines_are_read_only_where_there_are_no_others() -> None:
    world = known("1914", 2, "german-empire")
    quoted = "> build 3 infantry in berlin\n> build 2 infantry in danzig\n"
    assert answer(world, "german-empire", quoted).standing == 2
    mixed = answer(world, "german-empire", "build 1 infantry in ruhr\n" + quoted)
    assert mixed.standing == 1 and mixed.passed == (2, 3)


def test_mail_in_markup_is_read_like_plain_text() -> None:
    world = known("1914", 2, "german-empire")
    body = "<html><head><style>p {a: b}</style></head><body><p>Dear moderator,</p><div>4 inf Cologne &rarr; Ruhr<br>build 3\ninf"
    back = answer(
        world,
        "german-empire",
        body + " in Berlin</div><blockquote>build 9 infantry in Berlin</blockquote></body></html>",
    )
    assert sorted(told(back).split("; ")) == [
        "build 3 infantry in Berlin",
        "move 4 infantry from Cologne to Ruhr",
    ]


@pytest.mark.parametrize("mark", ["", "> "])
def test_a_whole_report_sent_back_with_its_form_filled_in_is_read(mark: str) -> None:
    world = known("1914", 2, "german-empire")
    form = (
        order_template(world, "german-empire", game="flanders")
        .replace("\n# research ?", "\nresearch tanks")
        .replace("\n# coax", "\ncoax")
    )
    report = (Path(__file__).parents[1] / "docs" / "examples" / "1914-german-empire.txt").read_text(
        encoding="utf-8"
    )
    mail = f"Here are my orders:\n\n{report}\nORDER FORM\n{form}\nPROOF\nwhat was told you: 1234\n"
    text = "\n".join(mark + line for line in mail.splitlines())
    taken = take_in(world.ruleset, text, lambda _: world, nation="german-empire", game="flanders", turn=2)
    assert [i.verb for i in taken.intents] == ["actions/coax-italy", "actions/research"]
    assert [d.message for d in taken.found if d.severity == "error"] == []


def test_a_block_of_prose_is_one_finding() -> None:
    world = known("1914", 2, "german-empire")
    prose = "I have thought about this for long\nbut could not come to any decision\nso please bear with me\nfor another while"
    back = answer(world, "german-empire", f"build 1 infantry in ruhr\n{prose}\nbuild 1 infantry in berlin")
    assert back.standing == 2 and len(back.not_taken) == 1 and "lines 2 to 5" in back.not_taken[0].why


def test_short_lines_that_name_something_are_answered_one_by_one() -> None:
    """Up to so many words; what is longer, or names nothing, is prose."""
    world = known("1914", 2, "german-empire")
    back = answer(
        world,
        "german-empire",
        "build 1 infantry in ruhr\npeace with Japan\npeace for ever with Japan\nbuild 1 infantry in berlin",
    )
    assert [one.instead[:1] for one in back.not_taken] == [
        ("make peace with Japan",),
        ("make peace with Japan",),
    ]
    prose = "we hope for peace with Japan\nand for a good end of it all"
    back = answer(world, "german-empire", f"build 1 infantry in ruhr\n{prose}\nbuild 1 infantry in berlin")
    assert len(back.not_taken) == 1


def test_a_refused_condition_shows_no_notation() -> None:
    world = known("1914", 2, "german-empire")
    (one,) = answer(world, "german-empire", "hold Danzig: fall back to Posen").not_taken
    assert "fall back to ?" in one.why and not set("{}|[]") & set(one.why)


def test_a_refusal_never_lists_all_orders() -> None:
    world = known("1914", 2, "german-empire")
    for line in ("xyzzy", "consider the lilies of the field", "please do something about Belgium"):
        for one in answer(world, "german-empire", line).not_taken:
            assert len(one.why) < 200 and len(one.instead) <= 3


WORDS = st.sampled_from(
    [
        "move",
        "build",
        "4",
        "inf",
        "infantry",
        "cologne",
        "ruhr",
        "from",
        "to",
        "->",
        ",",
        ";",
        "and",
        ":",
        "withdraw",
        "after",
        "rounds",
        "belgium",
        "all",
        "everything",
        "research",
        "tanks",
        "(",
        ")",
        ">",
        "-",
        "1.",
        "at",
        "in",
        "with",
        "<br>",
        "end",
        "the",
        "task",
        "force",
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(WORDS, max_size=30).map(" ".join),
        st.lists(WORDS, max_size=30).map("\n".join),
    )
)
def test_any_text_is_answered(text: str) -> None:
    world = known("1914", 2, "german-empire")
    back = answer(world, "german-empire", text)
    assert rendered(back) and back.standing == sum(len(g.orders) for g in back.groups)
    for group in back.groups:
        for one in group.orders:
            assert answer(world, "german-empire", one.order).standing == 1, one.order


MEANT = [
    ("request that Britain joins the war", "? agree with British Empire that ?"),
    ("Frankfurt -> Alsace: nothing, just hold", "-"),
    ("attack Paris with 4 infantry from Stuttgart", "? move 4 infantry from Stuttgart to Alsace-Lorraine"),
    ("ask Austria to attack Serbia", "-"),
    ("decl war belgium? no!", "-"),
    ("do not declare war on Belgium", "-"),
    ("we may attack Belgium next turn", "-"),
    ("all infantry in Alsace-Lorraine attack Stuttgart with artillery", "-"),
    ("what can I do", "-"),
    ("Belgium: war?", "? declare war on Belgium"),
    ("declare war on France", "-"),
    ("attack belgium with 2 infantry from cologne, retreat if we lose more than 8",
     "move 2 infantry from Cologne to Belgium: withdraw above 8 losses"),
    ("hold Cologne, fall back to Ruhr if we lose more than 5", "hold Cologne and fall back to Ruhr: withdraw above 5 losses"),
    ("if Belgium is attacked hold Cologne", "-"),
    ("build 3 infantry in Berlin if France attacks", "-"),
    ("build 10 inf in Berlin, 4 art in Ruhr, 1 sub in Kiel", "build 10 infantry in Berlin; build 4 artillery in Ruhr"),
    ("influence Romania, Atlantis, Bulgaria", "influence Bulgaria; influence Romania"),
    ("attack Belgium from Cologne with 4 infantry and zeppelinz", "-"),
    ("move 6 inf and 2 tanks from Cologne to Ruhr", "-"),
    ("move 6 inf and 2 wombats from Cologne to Ruhr", "-"),
    ("half of the infantry in Cologne to Ruhr", "-"),
    ("Leave 3 infantry in Cologne, send the rest to Belgium", "-"),
    ("train 2 infantry from Hamburg to Konigsberg", "rail 2 infantry from Hamburg to Konigsberg"),
    ("if attacked in Cologne retreat to Ruhr", "? hold Cologne and fall back to Ruhr"),
    ("if Stuttgart is attacked, retreat to Munich", "? hold Stuttgart and fall back to Munich"),
    ("hold Stuttgart, if attacked fall back to Munich", "? hold Stuttgart and fall back to Munich"),
    ("if Cologne is attacked move 3 infantry from Frankfurt to Cologne", "-"),
    ("Cologne/Ruhr 4 inf", "move 4 infantry from Cologne to Ruhr"),
    ("all units hold", "-"),
    ("Germany's orders for turn 2:", "-"),
    ("all from Cologne to Ruhr", "move 1 anti-air gun, 8 artillery, 28 infantry from Cologne to Ruhr"),
    ("all from Cologne to Alsace-Lorraine", "? move 8 artillery, 28 infantry from Cologne to Alsace-Lorraine"),
    ("all from Skagerrak to North Sea", "sail 1 battleship, 4 destroyers, 4 submarines, 1 transport from Skagerrak to North Sea"),
    ("move 5 infantry from Cologne to Stutgart", "? move 5 infantry from Cologne to Frankfurt"),
    ("move 4 infantry from Frankfurt to Bern", "? move 4 infantry from Frankfurt to Stuttgart"),
    ("hold Frankfrt and fall back to Badn", "-"),
    ("influence Romainia 5", "? influence Romania"),
]  # fmt: skip


def test_what_is_proposed_is_no_war_no_attack_on_a_neutral_and_not_half_of_what_was_meant() -> None:
    world = known("1914", 2, "german-empire")
    wrong = []
    for line, wanted in MEANT:
        back = answer(world, "german-empire", line)
        said = "; ".join(sorted(told(back).split("; "))) if not told(back).startswith("?") else told(back)
        wrong += [(line, said, wanted)] if said != wanted else []
        for one in back.not_taken:
            assert not any("Switzerland" in text for text in one.instead), line
            assert "allowed" not in one.why or "war" not in one.why, line
    assert wrong == []


def test_no_attack_is_offered_where_none_was_meant_and_no_neutral_is_named_as_a_goal() -> None:
    world = known("1914", 2, "german-empire")
    for line in ("move 5 infantry from Cologne to Stutgart", "move 4 infantry from Frankfurt to Bern"):
        (refused,) = answer(world, "german-empire", line).not_taken
        assert "they can go to" in refused.why and "Belgium" not in refused.why, line
        assert not any("Alsace" in text or "Belgium" in text for text in refused.instead), line


def test_a_refusal_names_the_real_fault_in_the_words_of_a_player() -> None:
    world = known("1914", 2, "german-empire")
    for line, fault in (
        ("build 1 battleship in Kiel", "no place is called 'Kiel'"),
        ("build 10 inf in Berlin, 4 art in Ruhr, 1 sub in Kiel", "no place is called 'Kiel'"),
        ("influence Atlantis", "no nation is called 'Atlantis'"),
        ("research blimps", "no technology is called 'blimps'"),
        ("move 4 wombats from Cologne to Ruhr", "no kind of unit is called 'wombats'"),
        ("build artillery in lyon", "how many? a number is missing before 'artillery'"),
        (
            "move 5 infantry from Cologne to Ruhr quickly please",
            "the order is complete before 'quickly please', which is not understood",
        ),
        ("influence Romania 5", "the order is complete before '5', which is not understood"),
        ("research", "the order is not complete: it goes on with a technology"),
        (
            "move infantry from Cologne to Alsace",
            "how many? a number, or `all`, is missing before 'infantry'",
        ),
        (
            "attack Alsace with infantry from Cologne",
            "how many? a number, or `all`, is missing before 'infantry'",
        ),
        ("attack Alsace from Cologne", "which units, and how many?"),
        (
            "move 2 infantry from Cologne to Stuttgart",
            "Cologne and Stuttgart are 2 moves apart; these units move 1",
        ),
    ):
        why = [one.why for one in answer(world, "german-empire", line).not_taken]
        assert len(why) == 1 and why[0].startswith(fault) and "Kielce" not in why[0], (line, why)


def test_a_read_back_gives_chances_and_what_is_left_exposed() -> None:
    world = known("1914", 2, "german-empire")
    text = "influence Romania\nspy on builds of France\nmove 20 infantry from Frankfurt to Cologne"
    back = answer(world, "german-empire", text)
    said = {one.order: one.odds for group in back.groups for one in group.orders}
    assert said["influence Romania"] == "2 in 10 chances: it takes 9 or more on a 10-sided die"
    assert said["spy on builds of French Empire"] == "5 in 10 chances: it takes 5 or less on a 10-sided die"
    assert said["move 20 infantry from Frankfurt to Cologne"] == ""
    (exposed,) = [
        text
        for text in back.again
        if text.startswith("Frankfurt keeps 1 anti-air gun, 6 artillery, 2 fighters")
    ]
    assert "Alsace-Lorraine" in exposed
    assert not any(
        "Hamburg keeps" in text
        for text in answer(world, "german-empire", "move 1 infantry from Hamburg to Bremen").again
    )


def test_an_order_of_another_phase_says_of_which_and_nothing_waits_for_others() -> None:
    world = known("diplomacy", 1, "france")
    (one,) = answer(world, "france", "build A Par").not_taken
    assert one.why == "this order is not taken now; its phase 'Winter' does not take place in this turn"
    (one,) = answer(world, "france", "If Germany moves to Burgundy, A Par-Bur, otherwise hold").not_taken
    assert one.why.startswith("no order waits for what others do") and one.instead == ()


NOTATION = [
    ("A Mars-Spain", "Army in Marseilles to Spain"),
    ("A MAR S A Paris-Burg", "Army in Marseilles supports Army in Paris to Burgundy"),
    ("F Bres - English Channel", "Fleet in Brest to English Channel"),
    ("A PAR/BUR", "Army in Paris to Burgundy"),
    ("A Par > Bur", "Army in Paris to Burgundy"),
    ("A Par \u2192 Bur", "Army in Paris to Burgundy"),
    ("A PAR MTO GAS", "Army in Paris to Gascony"),
    ("Army of Paris goes to Burgundy", "Army in Paris to Burgundy"),
    ("F London holds", "-"),
    ("F Brest: hold", "Fleet in Brest holds"),
    ("A Par supports A Mar to Bur", "Army in Paris supports Army in Marseilles to Burgundy"),
    ("A Par supports Marseilles into Burgundy", "Army in Paris supports Marseilles to Burgundy"),
    ("F Mar - Spa(sc)", "Fleet in Marseilles to Spain south coast"),
    ("a mar-spa nc", "Army in Marseilles to Spain north coast"),
    ("France: A Par-Pic", "Army in Paris to Picardy"),
    ("A Par-Pic, F Bre-MAO", "Army in Paris to Picardy; Fleet in Brest to Mid-Atlantic Ocean"),
    ("A Par-Pic A Mar-Spa F Bre-MAO",
     "Army in Paris to Picardy; Army in Marseilles to Spain; Fleet in Brest to Mid-Atlantic Ocean"),
    ("A Par - Pic A Mar S A Par - Bur F Bre H",
     "Army in Paris to Picardy; Army in Marseilles supports Army in Paris to Burgundy; Fleet in Brest holds"),
    ("Paris to Picardy, Marseilles to Spain and Brest to MAO",
     "Paris to Picardy; Marseilles to Spain; Brest to Mid-Atlantic Ocean"),
]  # fmt: skip
BUILDS = [
    ("build A Paris, F Brest", [("army", "paris"), ("fleet", "brest")]),
    ("build an army in Paris and a fleet in Brest", [("army", "paris"), ("fleet", "brest")]),
    ("Build: A Paris", [("army", "paris")]),
    ("Build: A Paris, F Brest", [("army", "paris"), ("fleet", "brest")]),
    ("Disband the fleet in Brest", [("fleet", "brest")]),
    ("B A Par", [("army", "paris")]),
    ("+ F Brest", [("fleet", "brest")]),
    ("build A Paris; waive one build", [("army", "paris"), (None, None)]),
    ("build A Paris, build F Brest", [("army", "paris"), ("fleet", "brest")]),
]


def test_the_usual_notations_of_diplomacy_are_read() -> None:
    world = known("diplomacy", 1, "france")
    for line, wanted in NOTATION:
        assert told(answer(world, "france", line)) == wanted
    for line, units in BUILDS:
        orders, _ = parse_orders(world.ruleset, line, nation="france", state=world.state)
        assert [(o["slots"].get("kind"), o["slots"].get("place")) for o in orders] == units, line
    orders, _ = parse_orders(world.ruleset, "F St Pete sc-bot", nation="russia", state=world.state)
    assert orders[0]["slots"]["place"] == "st-petersburg-sc"


def test_only_a_head_that_contradicts_voids_a_text() -> None:
    world = known("1914", 2, "german-empire")

    def taken(head: str, game: str = "d") -> int:
        text = f"{head}\nresearch tanks"
        return len(
            parse_orders(world.ruleset, text, nation="german-empire", game=game, turn=2, state=world.state)[0]
        )

    for head in (
        "Turn 2 from the Kaiser:", "Turn 2 orders", "Game on!", "Game 7 of ours", "game d", "turn: two", "Nation of poets", "Turn it up!"
    ):  # fmt: skip
        assert taken(head) == 1, head
    for head in ("Turn 3", "Turn 3 orders", "game e", "game: on, turn 2", "nation russia", "game d, turn 3"):
        assert taken(head) == 0, head
    for name in (
        "Round 2: Verdun",
        "A/B-Cup, game 3",
        "1914; second table",
        "Krieg (turn 2)",
        "Verdun nation",
    ):
        assert taken(f"game {name}   nation german-empire   turn 2", name) == 1, name
        assert taken(f"game {name}   nation german-empire   turn 3", name) == 0, name
        assert taken(f"game {name} B   nation german-empire   turn 2", "other") == 0, name
