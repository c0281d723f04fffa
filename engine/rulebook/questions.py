"""Questions of players in their own words: answered from the rules as a player reads them, from what the
nation knows, and from what it was told.

Nothing here decides anything: prices are those of the price list, battles those of the report, rules those of
the rulebook. What a nation may not know changes no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from ..core.journal import Entry
from ..core.messages import capital
from ..core.model import Row
from ..core.nested import maps_in
from ..core.words import split
from ..economy.catalogue import Market
from ..orders.grammar import OPTION_FORM, Grammar, OrderForm
from ..orders.input_points import orders_now
from ..orders.kinds import order_kinds
from ..orders.names import EVERY, Names
from ..orders.readback import last_seen
from ..orders.reference import help_of, price_of, written_form
from ..orders.suggestions import open_orders
from ..orders.tokens import Recognizer, Token
from ..play.views import Views, whole_world
from ..report import fights
from ..report.build import when
from ..report.fought import fights_in
from ..report.verdicts import captured_in
from ..report.wording import Wording, listing, sentence
from ..ruleset.clauses import clause_text, clauses_of_row
from ..ruleset.order_syntax import fixed_words
from ..store import Game
from ..world import treasury as stores
from ..world.view import UNKNOWN, readable
from ..world.world import World
from .passages import ALSO, STOP, passages_of, stem_of, stems_of
from .reach import can_go

WHAT_CAN_BE_ASKED = (
    "That cannot be answered here. You can ask what something costs, how an order is given, how a rule goes "
    "(say its word, as in the rulebook), why a battle went as it did or what happened in a place, how you "
    "stand with a nation, whether units can go somewhere, what you know of somebody's units, who sees what, "
    "what is left to be placed, and when orders are due. All orders: send `help`."
)
MOST_RULES = 3
"""Rules that are told in one answer."""
MOST_FORMS = 2
"""Orders that are described in one answer."""
MOST_FIGHTS = 3
MOST_EVENTS = 6
ENOUGH = 0.55
"""How much of what a question says, by weight, a rule must speak of to be an answer."""
NEARLY = 0.6
"""Of the best rule's weight, what others need to be told beside it."""

_DUE = re.compile(
    r"\b(?:due|deadline)\b|\bwhen\b.*\b(?:orders?|turns?)\b.*\b(?:in|end|close|resolved?|over)\b", re.I
)
_PLACE = re.compile(
    r"\b(?:left|still|free)\b.*\b(?:place|placed|deploy|deployed)\b|\b(?:to|i|we) (?:deploy|place)\b", re.I
)
_PRICE = re.compile(r"\b(?:costs?|prices?|how much|expensive|afford|pay)\b", re.I)
_OUTCOME = re.compile(
    r"^\W*(?:why|how come|what happened|how did|what became|what went|what came of|did|"
    r"who (?:won|lost|took|beat|attacked))\b",
    re.I,
)
_WIN = re.compile(r"\b(?:win|wins|won|winner|victory)\b", re.I)
_END = re.compile(r"\bgame\b.*\b(?:ends?|over|finish(?:es|ed)?|decided)\b|\bend of the game\b", re.I)
_COUNT = re.compile(
    r"\b(?:how many|how strong|how big|where (?:is|are)|who (?:is|stands) in|what (?:is|stands) in)\b", re.I
)
_REACH = re.compile(
    r"\b(?:can|could|may)\b.*\b(?:go|goes|move|march|get|reach|sail|fly|attack|come|retreat|enter|support)\b",
    re.I,
)
_SIGHT = re.compile(
    r"\b(?:who|can|does|do|what)\b.*\b(?:see|sees|seen|visible|secret|hidden|know of)\b", re.I
)
_STANDING = re.compile(r"\b(?:join|war|ally|allies|neutral|side|enem(?:y|ies)|hostile|friend|enter)\b", re.I)
WATCHED = {"units": "Units", "orders": "Orders", "techs": "Technology", "treasuries": "Money and supplies"}
"""What may be seen, by its table."""
_SEERS = {"everyone": "everybody", "owner": "their owner", "side": "the members of the owner's side"}
_GENERAL = frozenset({"nation", "place", "unit", "player", "plac", "enem"})
"""Stems of what orders are of: by them alone none is meant."""


class Inquiry:
    """What one nation may ask. `world`: its view (for the moderator everything, with no `nation`).

    `told`: gives the entries that it may read, once they are asked for, oldest first. `due`: when orders are
    due, in a sentence.
    """

    def __init__(
        self, world: World, nation: str, told: Callable[[], Sequence[Entry]], *, due: str = ""
    ) -> None:
        self.world, self.nation, self.due = world, nation, due
        self.ruleset = world.ruleset
        self.names = Names(self.ruleset, world.state)
        self.words = Wording(world, nation)
        self._told = told

    @cached_property
    def _entries(self) -> Sequence[Entry]:
        return self._told()

    @cached_property
    def _stances(self) -> frozenset[str]:
        """The stems of what two nations may be to each other, by id and name."""
        rows = self.ruleset.rows("stances").items()
        return frozenset().union(*(stems_of(f"{id_} {row.get('name', '')}") for id_, row in rows))

    def answer(self, question: str) -> list[str]:
        """The answer in lines, at least one: where nothing is found they say what can be asked."""
        tokens = self._tokens(question)
        answers: tuple[tuple[re.Pattern[str], Callable[[], Iterable[str]]], ...] = (
            (_DUE, self._deadline),
            (_PLACE, self._left_to_place),
            (_PRICE, lambda: self._prices(question, tokens)),
            (_END, self._endings),
            (_OUTCOME, lambda: self._outcome(question, tokens)),
            (_REACH, lambda: self._reach(tokens)),
            (_COUNT, lambda: self._counts(question, tokens)),
            (_SIGHT, lambda: self._sight(question, tokens)),
        )
        for asked, answer in answers:
            if asked.search(question) and (found := list(answer())):
                return found
        about_stances = _STANDING.search(question) or stems_of(question) & self._stances
        standing = list(self._standing(tokens)) if about_stances else []
        found = [*standing, *self._rules(question, tokens)]
        if not found and _WIN.search(question):
            found = list(self._endings())
        free = _PRICE.search(question) and not self.ruleset.rows("production")
        return found or ["Nothing is for sale in these rules." if free else WHAT_CAN_BE_ASKED]

    def _tokens(self, question: str) -> list[Token]:
        """What a question names; of places and nations a word of the name will do."""
        words = split(question)
        tokens, unknown = Recognizer(words, self.names, self.nation).tokens()
        for at in unknown:
            for kind in ("place", "nation"):
                near = [n.id for n in self.names.near(kind, words[at].norm) if not n.slips]
                if len(near) == 1 and words[at].norm not in STOP and len(words[at].norm) > 3:
                    tokens = [*tokens, Token(at, at + 1, "", {kind: near[0]})]
                    break
        return tokens

    # ---- when, what is left, how much

    def _deadline(self) -> Iterator[str]:
        yield self.due or "No day is set here by which orders are due: your moderator says when."

    def _reach(self, tokens: Sequence[Token]) -> Iterator[str]:
        """Whether units can go where they are asked about."""
        named = sorted((t.at, t.names["place"]) for t in tokens if "place" in t.names)
        if self.nation:
            yield from can_go(self.world, self.nation, list(dict.fromkeys(place for _, place in named)))

    def _left_to_place(self) -> Iterator[str]:
        now = orders_now(self.world)
        for key, kind in order_kinds(self.ruleset).items():
            free = kind.unplaced(self.world, self.nation, ()) if now is None or key in now else None
            if free is not None:
                yield (
                    "Yours to place, where they stand if you say nothing (what your present orders place "
                    "is not taken off):"
                )
                yield from (
                    f"  {self.names.printed('place', p)}: {self.names.units(units)}"
                    for p, units in free.items()
                )
                return
        yield "Nothing is yours to place now."

    def _prices(self, question: str, tokens: Sequence[Token]) -> Iterator[str]:
        """What is named for sale, at the nation's own price; of orders what their rows say."""
        market = Market(self.world, self.nation) if self.nation else None
        rows = self.ruleset.rows("production")
        for item in dict.fromkeys(i for t in tokens for i in self._items(t)):
            offers = list(market.offers(items=[item])) if market is not None else []
            name = self.names.printed("item", item)
            if offers:
                prices = sorted({offer.price + offer.fee for offer in offers})
                unit = stores.in_words(self.ruleset, stores.money(self.ruleset))
                yield f"{capital(name)}: {' or '.join(map(str, prices))} {unit} each for you now."
            elif market is not None and (why := market.closed(rows[item])):
                yield f"{capital(name)}: not for you now: {why}."
            elif isinstance(rows[item].get("price"), int):
                yield f"{capital(name)}: {rows[item]['price']} by the rules; you can have none now."
        for form in self._forms(question, tokens, priced=True):
            yield self._described(form)

    def _endings(self) -> Iterator[str]:
        """By what the game ends, and what decides then who has won, as the rows of its ends have it."""
        for row in self.ruleset.of_kind("victory", "game_end").values():
            told = str(row.get("says", row["name"])).rstrip(".")
            by = self.ruleset.row_or_empty("victory", str(row.get("rank")))
            then = f" Then this decides: {by['name']}." if "name" in by else ""
            yield f"The game ends with this: {told}.{then}"

    def _items(self, token: Token) -> Iterator[str]:
        """What can be bought under a name, or makes units of that name."""
        if "item" in token.names:
            yield token.names["item"]
            return
        kinds = {token.names["unit-kind"]} if "unit-kind" in token.names else set(token.units or ())
        yield from (
            i
            for i, row in self.ruleset.rows("production").items()
            if {i, row.get("makes"), row.get("unit")} & kinds
        )

    # ---- why something went as it did

    def _outcome(self, question: str, tokens: Sequence[Token]) -> Iterator[str]:
        """The battles, or else what was told, of the last turn in which there was something of what is
        named.
        """
        places = {t.names["place"] for t in tokens if "place" in t.names}
        nations = {t.names["nation"] for t in tokens if "nation" in t.names}
        if not places and not nations and re.search(r"\b(?:i|we|my|our)\b", question, re.I) and self.nation:
            nations = {self.nation}
        by_turn: dict[int, list[Entry]] = {}
        for entry in self._entries:
            by_turn.setdefault(entry.turn, []).append(entry)
        for turn in sorted(by_turn, reverse=True):
            found = [*self._fights(by_turn[turn], places, nations)] or [
                *self._events(by_turn[turn], places or nations)
            ]
            if found:
                date = when(self.ruleset, turn)
                told = chain.from_iterable(map(fights_in, by_turn.values()))
                if places and not any(fight.place in places for fight in told):
                    yield (
                        "You were told of no battle in "
                        f"{listing(self.words.place(p) for p in sorted(places))}."
                    )
                yield f"Turn {turn}{f' ({date})' if date != f'turn {turn}' else ''}:"
                yield from (f"  {line}" for line in found)
                return
        if places or nations:
            named = [
                *(self.words.place(p) for p in sorted(places)),
                *(self.words.nation(n) for n in sorted(nations)),
            ]
            yield f"Nothing that you were told happened to {listing(named)}."

    def _fights(self, entries: Sequence[Entry], places: set[str], nations: set[str]) -> Iterator[str]:
        order = fights.gravest(fights_in(entries), self.words)
        taken = captured_in(entries, self.words.world.ruleset)
        those = [f for f in order if not places or f.place in places]
        those = [f for f in those if not nations or nations & f.parties()] or (those if places else [])
        for fight in those[:MOST_FIGHTS]:
            yield fights.in_sentences(fight, taken, self.words)

    def _events(self, entries: Sequence[Entry], ids: set[str]) -> list[str]:
        said = (self.words.told(e.happened) for e in entries if e.happened and ids & _things(e))
        return [sentence(text) for text in dict.fromkeys(said) if text][:MOST_EVENTS]

    # ---- what is known of units, and who sees what

    def _counts(self, question: str, tokens: Sequence[Token]) -> Iterator[str]:
        """The units that the nation knows of: its own, or those of nations and in places that are named."""
        nations = {t.names["nation"] for t in tokens if "nation" in t.names}
        places = {t.names["place"] for t in tokens if "place" in t.names}
        kinds = set()
        for t in tokens:
            for k in t.units or {t.names.get("unit-kind", ""): 1}:
                if k and not k.startswith(EVERY):
                    kinds.add(k)
        if not nations and not places and self.nation and re.search(r"\b(?:i|we|my|our)\b", question, re.I):
            nations = {self.nation}
        if not nations and not places:
            return
        found: dict[str, dict[str, dict[str, int]]] = {}
        for _, row in self.world.state.stacks():
            owner, kind, place = str(row["owner"]), str(row["kind"]), str(row["place"])
            fits = (
                (not nations or owner in nations)
                and (not places or place in places)
                and (not kinds or kind in kinds)
            )
            if fits and kind != UNKNOWN:
                here = found.setdefault(owner, {}).setdefault(place, {})
                here[kind] = here.get(kind, 0) + int(row["n"])
        for owner, by_place in found.items():
            all_of: dict[str, int] = {}
            for units in by_place.values():
                for kind, n in units.items():
                    all_of[kind] = all_of.get(kind, 0) + n
            where = sorted(by_place, key=lambda p: -sum(by_place[p].values()))[:MOST_EVENTS]
            said = "; ".join(f"{self.words.place(p)} {self.words.units(by_place[p])}" for p in where)
            more = f"; and in {len(by_place) - len(where)} more places" if len(by_place) > len(where) else ""
            own = "You have" if owner == self.nation else f"You know of {self.words.name(owner)}"
            yield f"{own} {self.words.units(all_of)}: {said}{more}."
        for place in sorted(places):
            seen = last_seen(self.world, self.nation, place) if self.nation else ""
            if seen and not found:
                yield sentence(f"Known to be in {self.words.place(place)}: {seen}")
        if self.nation and not (found and (nations == {self.nation} or self._all_seen)):
            yield "There may be more than you know of." if found else "You know of none."

    @property
    def _all_seen(self) -> bool:
        """Whether the map shows all units to everybody."""
        rows = [row for row in self.ruleset.rows("visibility").values() if row.get("what") == "units"]
        return any(row.get("to") == "everyone" and not row.keys() & {"within", "when", "as"} for row in rows)

    def _sight(self, question: str, tokens: Sequence[Token]) -> Iterator[str]:
        """Who sees what by the rules. Who has looked is not told."""
        what = "units"
        for table, asked in (
            ("orders", r"\borders?\b"),
            ("techs", r"\btech|\bdiscover"),
            ("treasuries", r"\bmoney|\btreasur"),
        ):
            what = table if re.search(asked, question, re.I) else what
        if any("resource" in t.names for t in tokens):
            what = "treasuries"
        clauses: list[str] = []
        for id_, row in self.ruleset.rows("visibility").items():
            if row.get("what") != what:
                continue
            to = row.get("to", ())
            who = listing(_SEERS[w] for w in ([to] if isinstance(to, str) else to) if w in _SEERS)
            who = who.replace("everybody", "everybody who looks from near enough") if "within" in row else who
            much = ", but not how many: only the size" if "bands" in row else ""
            if who:
                yield sentence(f"{WATCHED[what]}: seen by {who}{much}")
            clauses += [clause_text(self.ruleset, c) for c in clauses_of_row(self.ruleset, "visibility", id_)]
        yield from (text for text in list(dict.fromkeys(filter(None, clauses)))[:MOST_RULES])

    # ---- how one stands

    def _standing(self, tokens: Sequence[Token]) -> Iterator[str]:
        """Of nations that are named: their side, and war or peace with the reader."""
        for nation in dict.fromkeys(t.names["nation"] for t in tokens if "nation" in t.names):
            if nation == self.nation:
                continue
            side = self.world.side_of(nation)
            parts = [f"stands with {self.words.side(side)}" if side else "stands on no side"]
            if self.nation:
                if self.world.hostile(self.nation, nation):
                    parts.append("is at war with you")
                else:
                    allied = self.world.allied(self.nation, nation)
                    parts.append("is your ally" if allied else "is not at war with you")
            yield sentence(f"{capital(self.words.name(nation))} {listing(parts)}")

    # ---- how a rule goes

    def _rules(self, question: str, tokens: Sequence[Token]) -> Iterator[str]:
        passages, weights = passages_of(self.ruleset)
        wanted = dict.fromkeys(stems_of(question), 1.0)
        for stem in list(wanted):
            wanted |= {other: 0.9 for other in ALSO.get(stem, ()) if other not in wanted}
        for token in tokens:
            for stem in self._called(token):
                wanted.setdefault(stem, 0.3)
        heaviest = max(weights.values(), default=1.0)
        said = {stem: share * weights.get(stem, heaviest) for stem, share in wanted.items()}
        own = sum(said[stem] for stem in wanted if wanted[stem] == 1.0)
        scored = []
        for n, passage in enumerate(passages):
            met = sum(
                w * (1.5 if stem in passage.heads else 1.0)
                for stem, w in said.items()
                if stem in passage.stems
            )
            if met >= ENOUGH * own and met:
                scored.append((-met * (0.5 if passage.figures else 1.0), len(passage.text), n))
        scored.sort()
        for form in self._forms(question, tokens):
            yield self._described(form)
        for met, _, n in scored[:MOST_RULES]:
            if met <= NEARLY * scored[0][0]:
                passage = passages[n]
                title = passage.title.rstrip(".:")
                yield (
                    passage.text
                    if title.casefold() in passage.text.casefold()
                    else f"{title}: {passage.text}"
                )

    def _described(self, form: OrderForm) -> str:
        """An order: how it is written, its price and what it does."""
        syntax = written_form(form.pattern)
        price, said = price_of(self.ruleset, form.row.get("cost")), help_of(form.row)
        what = "Condition" if form.form == OPTION_FORM else "Order"
        return f"{what} `{syntax}`{f' ({price})' if price else ''}{': ' if said else ''}{said}"

    def _called(self, token: Token) -> set[str]:
        """The stems of all names of what is named: a question may say the nation where the
        rules say the people.
        """
        out: set[str] = set()
        for kind, id_ in token.names.items():
            rows = self.ruleset.rows(
                {"nation": "nations", "unit-kind": "units", "tech": "technologies"}.get(kind, "")
            )
            row: Row = rows.get(id_, {})
            for key in ("name", "short", "adjective", "plural"):
                out |= stems_of(str(row.get(key, "")))
        for kind in token.units or ():
            out |= stems_of(kind.removeprefix(EVERY)) | stems_of(self.names.printed("unit-kind", kind))
        return out

    def _forms(self, question: str, tokens: Sequence[Token], *, priced: bool = False) -> list[OrderForm]:
        """The orders whose own words a question says, the nearest first; those that the nation may ever
        give.
        """
        may = open_orders(self.world, self.nation, ever=True) if self.nation else None
        named = {at for t in tokens for at in range(t.at, t.end) if t.names.keys() - {"force"}}
        words = split(question)
        said = {stem for n, w in enumerate(words) if n not in named for stem in stems_of(w.norm)}
        said |= {
            stem_of(self.names.synonym(w.norm))
            for n, w in enumerate(words)
            if n not in named and w.norm not in STOP
        }
        said -= _GENERAL
        every = said | stems_of(question)
        scored = []
        grammar = Grammar.of(self.ruleset)
        for n, form in enumerate((*grammar.forms, *grammar.options)):
            closed = may is not None and form.form != OPTION_FORM and form.key not in may
            if closed or (priced and "cost" not in form.row):
                continue
            name = stems_of(str(form.row.get("name", "")))
            fixed = stems_of(" ".join(fixed_words(form.pattern)))
            leads = said & {
                stem_of(w) for w in form.first or ()
            }  # the word that one writes goes before others
            met = 2 * len((said & name) | leads) + len(every & fixed) - 0.5 * len(name - every)
            if met > 0 and said and (said & name or leads):
                scored.append((-met / len(said), len(name | fixed), n, form))
        scored.sort(key=lambda found: found[:3])
        return [
            form for met, _, _, form in scored[:MOST_FORMS] if met <= NEARLY * scored[0][0] and met <= -ENOUGH
        ]


def _things(entry: Entry) -> set[str]:
    """The ids of everything that an entry's sentences name."""
    named = maps_in([message.slots for message in entry.happened])
    return {str(thing["id"]) for thing in named if "id" in thing and "kind" in thing}


def inquiry(game: Game, nation: str, *, world: World | None = None, due: str = "") -> Inquiry:
    """What a nation ("": the moderator) may ask at the present stage of a game.

    `world`: its view, where it is at hand.
    """
    views = Views(game)
    turn = views.position.turn

    def told() -> Sequence[Entry]:
        if not nation:
            return views.journal
        return [*views.told_before(turn, nation), *readable(views.of(turn), shown, nation)]

    shown = world or (views.world(nation) if nation else whole_world(game))
    return Inquiry(shown, nation, told, due=due)
