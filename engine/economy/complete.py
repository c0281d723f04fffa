"""`complete`: what is under way and due is finished: units appear, works are dug, units refitted,
technologies come into force.

Each is tested again (`still` of the item, and of the kind of site it was bought for); what fails is lost,
kept in hand or paid back, as its item says. What it uses up at completion is taken only then. New units that
appear among enemies may have to fight at once.
"""

from __future__ import annotations

from typing import Any

from ..core.messages import Message, thing
from ..core.model import Row
from ..core.state import Entity, Fields, State
from ..turn.context import Turn
from ..turn.effects import EffectRunner
from ..turn.slots import unfit
from ..turn.verbs_units import set_works
from ..world import treasury as stores
from ..world.messages import say
from .catalogue import Market, Quote, item_of
from .quotes import so_many, tested_again

IN_HAND = "hand"
"""When something is due that waits in its buyer's hand until they place it."""
FATES = {"lost": "lost", IN_HAND: "not placed, kept in hand", "refund": "not finished, paid back"}


def run(node: Row, turn: Turn) -> None:
    """Finish everything that is due in this step; inside a nation's own turn, only what is its own.

    Due is what names this step (or the node's `due`), or a turn that has come. `orders` names the order rows
    that put what is in hand at a site (slots n, item, site, into); `hand: SITE-LESS` items stay in hand
    without one.
    """
    step = str(node.get("step", turn.journal.step))
    _from_hand(node, turn, step)
    due = str(node.get("due", step))
    new: dict[tuple[str, str], set[str]] = {}
    for key, row in sorted(turn.state.table("under_way").items()):
        when = row.get("due")
        if turn.mover not in (None, row["nation"]):
            continue
        if when == due or (isinstance(when, int) and when <= turn.number and "mode" not in row):
            placed = finish(turn, key)
            if placed is not None:
                new.setdefault(placed, set()).add(str(row.get("item", row["what"])))
    _meet(turn, new)


def finish(turn: Turn, key: str) -> tuple[str, str] | None:
    """Finish one thing under way. Returns (nation, place) if units appeared."""
    row = dict(turn.state.row("under_way", key))
    nation, what = row["nation"], row["what"]
    item = turn.ruleset.row_or_empty("production", row.get("item", ""))
    names: dict[str, Any] = {"self": Entity("nation", nation), "nation": Entity("nation", nation)}
    if row.get("item"):
        names["item"] = Entity("item", row["item"])
    if row.get("at"):
        names["place"] = Entity("place", row["at"])
        names["target"] = Entity("place", row.get("into") or row["at"])
    rule = f"production/{item['id']}" if item else "sequence/complete"
    kind: Row = next((s for s in item.get("sites", ()) if s["id"] == row.get("site_kind")), {})
    stands = turn.world.test(item.get("must_hold"), names) and turn.world.test(kind.get("must_hold"), names)
    subject = f"{nation}:{row.get('at') or ''}"
    data = {
        "what": what,
        "item": row.get("item", what),
        "n": row.get("n", 1),
        "at": row.get("at"),
        "since": row.get("since"),
    }
    with turn.journal.entry(rule, subject=subject, audience=(nation,), data=data) as entry:
        if not stands:
            _failed(turn, key, row, entry)
            return None
        turn.journal.put_row("under_way", key, None)
        for resource, purse, amount in row.get("uses", ()):
            have = turn.state.get("treasuries", purse, resource, 0)
            # what was bought beyond the stock takes what is there now
            turn.journal.set("treasuries", purse, resource, max(0, have - amount))
        entry.tell(_done(turn, row, "ready"))
        return _appear(turn, EffectRunner(turn, entry, rule, subject), row, item, names)


def _failed(turn: Turn, key: str, row: Row, entry: Any) -> None:
    """What becomes of something whose site is not there any more."""
    how = row.get("if_lost") or "lost"
    entry.data["if_lost"] = how
    entry.tell(_done(turn, row, FATES.get(how, how)))
    if how == IN_HAND:
        for field, value in (("due", IN_HAND), ("at", None), ("into", None)):
            turn.journal.set("under_way", key, field, value)
        return
    turn.journal.put_row("under_way", key, None)
    item = turn.ruleset.row_or_empty("production", row.get("item", ""))
    if item.get("fits", {}).get("idle"):
        for unit, stack in list(turn.state.stacks(at=row.get("into") or row["at"], owner=row["nation"])):
            if stack.get("busy") and row.get("kind") in (None, stack["kind"]):
                turn.journal.alter_units(unit, stack["n"], busy=None)
    if how == "refund" and row.get("cost"):
        stores.gain(turn.journal, row["purse"], stores.money(turn.ruleset), row["cost"])


def _appear(
    turn: Turn, runner: EffectRunner, row: Row, item: Row, names: dict[str, Any]
) -> tuple[str, str] | None:
    journal, nation, what, n = turn.journal, row["nation"], row["what"], int(row.get("n", 1))
    place = row.get("into") or row.get("at")
    if "works" in item:
        for other in row.get("facing", ()):
            set_works(runner, row["at"], other, item["works"])
        journal.fact("placed", by=nation, place=row["at"], kind=item["works"], n=len(row.get("facing", ())))
    elif "sets" in item:
        for field, value in item["sets"].items():
            journal.set("places", row["at"], field, runner.plain(value, names))
        journal.fact("placed", by=nation, place=row["at"], kind=what, n=n)
    elif "fits" in item:
        missing = _fit(turn, runner, row, item, names)
        if missing and item["fits"].get("idle"):
            runner.entry.data["missing"] = missing
            runner.entry.happened = [_done(turn, row, "broken off")]
    elif (
        turn.ruleset.has("units", what) and place
    ):  # a unit may be called like the technology that makes it possible
        stamp = {k: runner.plain(v, names) for k, v in item.get("stamp", {}).items()}
        journal.units(nation, what, place, n, **stamp)
        journal.fact("placed", by=nation, place=place, kind=what, n=n)
        return nation, place
    elif turn.ruleset.has("technologies", what) and not (row.get("item") and turn.ruleset.has("units", what)):
        most = int(turn.ruleset.row("technologies", what).get("levels", 1))
        level = min(most, int(turn.state.get("techs", nation, what, 0)) + n)
        journal.set("techs", nation, what, level)
        journal.fact("learned", by=nation, tech=what, level=level)
    return None


def _fit(turn: Turn, runner: EffectRunner, row: Row, item: Row, names: dict[str, Any]) -> int:
    """Alter units at the place: as many as were bought, stack after stack; gives how many are not there any
    more.

    With `idle` only those that have kept busy with it, which whoever had to fight has not. What a unit takes
    several times (`times`) goes round among them until none is left.
    """
    left = int(row.get("n", 1))
    while left:
        before, left = left, _fit_each(turn, runner, row, item, names, left)
        if left == before or "times" not in item["fits"]:
            break
    return left


def _fit_each(turn: Turn, runner: EffectRunner, row: Row, item: Row, names: dict[str, Any], left: int) -> int:
    """Alter each unit at the place once, as far as there is something `left`; gives what is left then."""
    place, idle = row.get("into") or row["at"], bool(item["fits"].get("idle"))
    scope = {**names, "place": Entity("place", place)}
    for key, stack in turn.state.stacks(at=place, owner=row["nation"]):
        if left and row.get("kind") in (None, stack["kind"]) and bool(stack.get("busy")) == idle:
            if not turn.world.test(item["fits"]["units"], {**scope, "unit": Entity("unit", key)}):
                continue
            part = min(left, int(stack["n"]))
            fields = {
                k: runner.plain(v, {**scope, "unit": Entity("unit", key)})
                for k, v in item["fits"]["set"].items()
            }
            turn.journal.alter_units(key, part, **fields, **({"busy": None} if idle else {}))
            left -= part
    return left


def _done(turn: Turn, row: Row, fate: str) -> Message:
    """What has become of what was under way."""
    place = row.get("into") or row.get("at")
    item = turn.ruleset.row_or_empty("production", row.get("item", ""))
    n, name = so_many(turn.ruleset, item, str(row["what"]), int(row.get("n", 1)))
    about: dict[str, Any] = {
        "nation": Entity("nation", row["nation"]),
        "what": thing("item", str(row["what"]), name),
        "fate": fate,
    }
    about |= {"n": n} if n > 1 else {}
    about |= {"place": Entity("place", place)} if place else {}
    return say(
        turn.world,
        f"{{nation}}, {'{n} ' if n > 1 else ''}{{what}}{' in {place}' if place else ''}: {{fate}}.",
        **about,
    )


def in_hand(state: State, nation: str, wanted: str) -> list[tuple[str, Fields]]:
    """What a nation has in hand of a kind or an item: bought, and not placed yet."""
    rows = sorted(state.table("under_way").items())
    return [
        (k, r)
        for k, r in rows
        if r["nation"] == nation and not r.get("at") and wanted in (r["what"], r.get("item"))
    ]


def _from_hand(node: Row, turn: Turn, step: str) -> None:
    """Orders that put what is in hand at a site: each is tested like a purchase, but costs nothing."""
    ids = node.get("orders")
    for order in turn.orders([f"orders/{i}" for i in ids], turn.mover) if ids else ():
        slots, rule = order.get("slots", {}), turn.ruleset.row("orders", order["order"].partition("/")[2])
        names = turn.order_names(order)
        nation, wanted, n = order["nation"], item_of(rule, slots), int(names.get("n") or 1)
        hand = in_hand(turn.state, nation, wanted)
        why = unfit(turn, rule, order, names)
        if why is not None:
            turn.drop_order(order, why.text, why.code)
            continue
        if sum(int(r["n"]) for _, r in hand) < n:
            turn.drop_order(order, f"there are not {n} of them in hand")
            continue
        found = Market(turn.world, nation).placing(
            hand[0][1].get("item", wanted), slots["site"], n, into=slots.get("into")
        )
        if isinstance(found, str):
            turn.drop_order(order, found)
            continue
        with turn.journal.entry(order["order"], subject=nation, audience=(nation,)):
            _lay_out(turn, hand, found, step)
            turn.journal.set("orders", order["key"], "status", "done")


def _lay_out(turn: Turn, hand: list[tuple[str, Fields]], quote: Quote, step: str) -> None:
    left = quote.n
    for key, row in hand:
        part = min(left, int(row["n"]))
        if not part:
            continue
        left -= part
        rest = int(row["n"]) - part
        kind = tested_again(turn.ruleset.row_or_empty("production", quote.item), quote.variant)
        fresh = {
            **row,
            "n": part,
            "at": quote.site,
            "into": quote.into,
            "due": step,
            "rooms": [list(r) for r in quote.rooms],
        }
        if kind:
            fresh["site_kind"] = kind
        number = (
            max(
                int(k.rpartition("#")[2])
                for k in turn.state.table("under_way")
                if k.startswith(row["nation"] + "#")
            )
            + 1
        )
        turn.journal.put_row("under_way", f"{row['nation']}#{number:04d}", {**fresh, "since": turn.number})
        turn.journal.put_row("under_way", key, {**row, "n": rest} if rest else None)


def _meet(turn: Turn, new: dict[tuple[str, str], set[str]]) -> None:
    """New units among enemies fight at once, if an item says so: the newcomers attack."""
    for nation, place in sorted(new):
        items = [turn.ruleset.row_or_empty("production", item) for item in sorted(new[nation, place])]
        kinds = frozenset(str(item["makes"]) for item in items if "meets" in item and "makes" in item)
        for item in items:
            rule = item.get("meets")
            if rule is None:
                continue
            scope = {
                "self": Entity("nation", nation),
                "nation": Entity("nation", nation),
                "place": Entity("place", place),
            }
            foes: dict[str, set[str]] = {}
            for k, s in turn.state.stacks(at=place):
                if turn.world.hostile(nation, s["owner"]) and turn.world.test(
                    rule["foe"], {**scope, "unit": Entity("unit", k)}
                ):
                    foes.setdefault(str(s["owner"]), set()).add(str(s["kind"]))
            if not foes:
                continue
            for foe in sorted(foes):
                # with all that fights, which few who complete something need
                from ..battle.fight import battle_now

                battle_now(turn, rule["battle"], place, nation, foe, kinds=kinds, foes=frozenset(foes[foe]))
            break
