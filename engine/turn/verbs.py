"""The verbs of effects: each a function of the running tail, its parameters and the names in scope.

A verb changes the state through the journal entry that the tail has opened, and states the facts that follow
from it. Those for units and works are in `verbs_units`, those for things under way and agreements in
`verbs_later`; `core/registry` lists all.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..core.model import Row
from ..core.state import Entity
from ..world import treasury as stores
from ..world.messages import message, printed
from ..world.selections import as_set, id_of
from ..world.tables import bounds
from ..world.tracks import way_to, way_to_zero
from . import relations, vacancies
from .context import audience_ids
from .decisions import decide
from .effects import EffectError, EffectRunner
from .verbs_later import put_under_way
from .verbs_units import send_home, set_works, stands_for_one, unless_default


def shift(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Moves a track toward or away from a side, up, down or to zero, following its redirection; states
    `reached`.
    """
    by = runner.amount(p["by"], names)
    track_row = runner.world.ruleset.row("tracks", p["track"])
    for nation in runner.nations(p["who"], names):
        move_track(
            runner,
            nation,
            track_row,
            _direction(runner, p, names, nation),
            int(by),
            to_zero=bool(p.get("to_zero")),
        )


def _direction(runner: EffectRunner, p: Row, names: dict[str, Any], nation: str) -> int:
    if "toward" in p or "against" in p:
        key = "toward" if "toward" in p else "against"
        found = runner.who(p[key], names)
        side = (
            found if isinstance(found, Entity) and found.kind == "side" else runner.world.field(found, "side")
        )
        if side is None:
            return 0
        way = way_to(runner.world.ruleset.row("tracks", p["track"]), id_of(side))
        return way if key == "toward" else -way
    if p.get("to_zero"):
        return way_to_zero(runner.world.state, nation, p["track"])
    return -1 if p.get("down") else 1


def move_track(
    runner: EffectRunner, nation: str, row: Row, direction: int, by: int, *, to_zero: bool = False
) -> None:
    """The one place that changes a track: redirection and bounds.

    Thresholds are read when all of a step is in (`settle`).
    """
    if direction == 0 or by == 0:
        return
    journal, world = runner.journal, runner.world
    track = row["id"]
    redirect = row.get("redirect")
    if redirect and world.test(
        redirect["while"], {"nation": Entity("nation", nation), "self": Entity("nation", nation)}
    ):
        for side, other in redirect.items():
            if side != "while" and way_to(row, side) == direction:
                track, direction = other, 1
    now = int(world.state.get("tracks", nation, track, 0))
    new = now + direction * by
    if to_zero:
        new = max(new, 0) if now > 0 else min(new, 0)
    low, high = bounds(row)
    new = new if low is None else max(new, low)
    new = new if high is None else min(new, high)
    if new == now:
        return
    journal.set("tracks", nation, track, new)
    runner.turn.moved.setdefault((nation, track), now)


_TABLE_OF = {
    "nation": "nations",
    "place": "places",
    "side": "sides",
    "force": "forces",
    "passage": "passages",
    "war": "wars",
    "agreement": "agreements",
    "record": "records",
}


def change(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Sets or adds to a declared field of one or more things; a field that lists things takes in or drops
    some.
    """
    things = as_set(runner.world, runner.who(p["of"], names))
    single = stands_for_one(names, things)
    for thing in things:
        if "add" in p or "drop" in p:
            _change_list(runner, thing, p, names, single=single)
            continue
        value = runner.world.field(thing, p["field"]) if "to" not in p else None
        if "to" in p:
            new = runner.plain(p["to"], {**names, thing.kind: thing})
        else:
            new = (value or 0) + runner.amount(p["by"], {**names, thing.kind: thing})
        new = runner.world.bounded(new, p, names)
        if isinstance(new, Fraction) and new.denominator == 1:
            new = int(new)
        if isinstance(new, tuple):
            new = [id_of(v) for v in new]
        set_field(runner, thing, p["field"], new, single=single)


def _change_list(runner: EffectRunner, thing: Entity, p: Row, names: dict[str, Any], *, single: bool) -> None:
    """A list of ids; with `said_by` every item is written `who>item`: it holds as what that nation has
    said.
    """
    head = f"{runner.id_of(p['said_by'], names)}>" if "said_by" in p else ""
    now = [str(id_of(v)) for v in runner.world.field(thing, p["field"]) or ()]
    new, old = (
        {f"{head}{id_of(v)}" for v in as_set(runner.world, runner.set(p[k], names))} if k in p else set()
        for k in ("add", "drop")
    )
    out = sorted(({*now} | new) - old)
    if out != now:
        set_field(runner, thing, p["field"], out, single=single)


def set_field(runner: EffectRunner, thing: Entity, field: str, value: Any, *, single: bool = False) -> None:
    """One field of a thing. Of a stack of units all change, or with `single` one of them."""
    if thing.kind == "unit":
        n = 1 if single else int(runner.world.state.get("units", thing.id, "n", 0))
        runner.journal.alter_units(thing.id, n, **{field: unless_default(runner, field, value)})
    elif thing.kind == "link":
        a, _, b = thing.id.partition(">")
        set_works(runner, a, b, value if field == "works" else None)
    elif thing.kind in _TABLE_OF:
        runner.journal.set(_TABLE_OF[thing.kind], thing.id, field, value if value is not None else "")
    else:
        raise EffectError(f"no field of a {thing.kind} can be changed")


def pay(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Moves a resource between stores.

    Without the money the effect fails, unless `as_far_as` pays what is there.
    """
    what = str(runner.plain(p["what"], names))
    source = runner.who(p["from"], names) if "from" in p else None
    target = runner.who(p["to"], names) if "to" in p else None
    have = stores.payable(runner.world, source, what) if source is not None else None
    wanted = runner.amount(p["amount"], names, every=have)
    if have is not None:
        if wanted > have and not p.get("as_far_as"):
            # what others have is theirs to know
            there = f", {have} left" if source == names.get("self") else ""
            owed = f"{wanted} {stores.in_words(runner.world.ruleset, what)}"
            raise EffectError(f"{printed(runner.world, source)} cannot pay {owed}{there}")
        wanted = min(wanted, have)
        take(runner, source, what, wanted)
    if not wanted:
        return
    if target is not None:
        stores.gain(runner.journal, purse_of(runner, target, what), what, wanted)
    runner.journal.fact("paid", by=id_of(source), of=id_of(target), what=what, amount=wanted)


def purse_of(runner: EffectRunner, thing: Any, what: str) -> str:
    entity = runner.world.thing(thing)
    if entity.kind == "nation":
        return stores.purse_at(runner.world, entity.id, None, what)
    if entity.kind == "place" and stores.division(runner.world.ruleset, what)["per"] != "place":
        holder = runner.world.holder_of(entity.id)
        return stores.purse_at(runner.world, holder, entity.id, what) if holder else entity.id
    return entity.id


def take(runner: EffectRunner, source: Any, what: str, amount: Any, at: Iterable[str] = ()) -> None:
    """Takes an amount out of the treasuries from which a nation pays, those of the places `at` among them, or
    out of that of a place."""
    entity = runner.world.thing(source)
    if entity.kind == "nation":
        held = stores.paying(runner.world, entity.id, what, at)
    else:
        purse = purse_of(runner, source, what)
        held = {purse: runner.world.state.get("treasuries", purse, what, 0)}
    rest = amount
    for purse, there in held.items():
        part = min(rest, there)
        if part:
            stores.pay(runner.journal, purse, what, part)
            rest -= part


def learn(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Gives a technology: the next level, a level, or one drawn from a set.

    With `as` it is only reached at that stage (found, say, but not yet in force); `level(nation, tech,
    stage)` reads it. With `at` it is in force from a later step of that name on, which completes it.
    """
    stage = p.get("as")
    for nation in runner.nations(p["who"], names):
        if "draw" in p:
            among = as_set(runner.world, runner.set(p["of"], {**names, "nation": Entity("nation", nation)}))
            techs = [
                t.id
                for t in runner.stream().draw(
                    among, min(int(runner.world.number(p["draw"], names)), len(among))
                )
            ]
            runner.note_dice()
        else:
            techs = [runner.id_of(p["tech"], names)]
        for tech in techs:
            now = int(runner.world.state.get("techs", nation, tech, 0))
            if stage is not None:
                now = max(now, int(runner.world.state.get("tech_stages", nation, f"{stage}:{tech}", 0)))
            most = int(runner.world.ruleset.row_or_empty("technologies", tech).get("levels", 1))
            new = int(runner.world.number(p["to"], names)) if "to" in p else now + 1
            new = min(new, most)
            if new > now and "at" in p:
                put_under_way(runner.turn, nation, tech, new - now, None, str(p["at"]))
                runner.entry.tell(message(runner.world, "Found: {tech}.", {"tech": Entity("tech", tech)}))
            elif new > now:
                if stage is None:
                    runner.journal.set("techs", nation, tech, new)
                else:
                    runner.journal.set("tech_stages", nation, f"{stage}:{tech}", new)
                runner.journal.fact("learned", by=nation, tech=tech, level=new, stage=stage)


def mark(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Sets a mark on things; it ends after `turns`, or never."""
    name = str(runner.plain(p["as"], names))
    value: dict[str, Any] = {"since": runner.turn.number}
    if "turns" in p:
        value["until"] = runner.turn.number + int(runner.world.number(p["turns"], names))
    if "seen_by" in p:
        value["seen_by"] = list(audience_ids(runner.world, p["seen_by"], names))
    for thing in as_set(runner.world, runner.who(p["who"], names)):
        runner.journal.set("flags", f"{thing.kind}:{thing.id}", name, value)


def clear(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Removes a mark."""
    for thing in as_set(runner.world, runner.who(p["who"], names)):
        runner.journal.set("flags", f"{thing.kind}:{thing.id}", str(runner.plain(p["as"], names)), None)


def relate(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Sets the stance of parties to each other. With `declared`, states that the first declared war on the
    second.

    The fact `declared` says what the second was then: `outside` whether it belonged to no side, `war` the
    kind of war, and
    `openly` whether the war was declared before the first shot (`openly: false`: it was not).
    """
    a_set, b_set = runner.nations(p["a"], names), runner.nations(p["b"], names)
    for a in a_set:
        for b in b_set:
            outside = runner.world.side_of(b) is None
            if not relations.relate(runner.turn, a, b, p["stance"], war=p.get("war"), declared_by=a):
                continue
            if p.get("declared"):
                runner.journal.fact(
                    "declared", by=a, of=b, side=runner.world.side_of(a), outside=outside, kind=p.get("war"),
                    openly=p.get("openly", True),
                )  # fmt: skip


def join(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A nation joins a side and takes its wars."""
    found = runner.who(p["side"], names)
    side = found.id if isinstance(found, Entity) and found.kind == "side" else str(id_of(found))
    for nation in runner.nations(p["who"], names):
        if runner.world.side_of(nation) != side:
            relations.join(
                runner.turn,
                nation,
                side,
                relations.hostile_stance(runner.turn),
                relations.friendly_stance(runner.turn),
            )


def leave(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A nation leaves its side: its members are nothing special to it any more. Wars go on."""
    for nation in runner.nations(p["who"], names):
        relations.leave(runner.turn, nation)


def own(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Hands places over without a fight: owner, holder or both.

    `sets` are fields of a place that go with it; a row of `capture` (`by`) may have more, and `troops: home`,
    which sends the units of all others there to the nearest place that their own nation holds; `captured:
    true` states the fact of that name, as for a place that was taken in a fight.
    """
    way: Row = runner.world.ruleset.row("capture", p["by"]) if "by" in p else {}
    if way:
        runner.turn.carried.add(f"capture/{way['id']}")
    to = runner.who(p["to"], names)
    how = p.get("as", "both")
    new = runner.id_of(p["to"], names) if to else ""
    for place in as_set(runner.world, runner.set(p["places"], names)):
        loser = runner.world.holder_of(place.id)
        if how in ("owner", "both"):
            runner.journal.set("places", place.id, "owner", new)
        if how in ("holder", "both"):
            runner.journal.set("places", place.id, "holder", new)
        for name, value in {**way.get("sets", {}), **p.get("sets", {})}.items():
            set_field(runner, place, name, runner.plain(value, {**names, "place": place}))
        if way.get("troops") == "home":
            send_home(runner, place.id, new)
        if p.get("captured"):
            first = runner.world.at("game").owner_of(place.id)
            freed = new == first or None
            runner.journal.fact(
                "captured", by=new, of=loser, place=place.id, taken_by=new, first_owner=first, freed=freed
            )


def know(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Writes knowledge: who knows what of whom, how exactly, since when; with `seen` a value, with `counts`
    what is there.

    What is counted is also written into the entry, for the report: kind to number.
    """
    what = str(runner.plain(p["what"], names))
    of = id_of(runner.who(p["of"], names)) if "of" in p else ""
    for reader in audience_ids(runner.world, p["who"], names):
        value: dict[str, Any] = {"as": p.get("as", "exact"), "since": runner.turn.number}
        if "seen" in p:
            value["seen"] = runner.plain(p["seen"], names)
        if "counts" in p:
            value["units"] = _counted(runner, p["counts"], str(of), reader)
            value["n"] = sum(value["units"].values())
            words = (
                ", ".join(f"{n} {_kind_name(runner, k, n)}" for k, n in value["units"].items()) or "nothing"
            )
            details = runner.entry.data.setdefault("details", [])
            if words not in details:  # several readers who learn the same are told it once
                details.append(words)
        runner.journal.set("knowledge", reader, f"{what}:{of}", value)


def _counted(runner: EffectRunner, table: str, of: str, reader: str) -> dict[str, int]:
    """Kind to number: the units that a nation has put under way in this turn, or those of the reader's
    enemies in a place.
    """
    state = runner.world.state
    found: dict[str, int] = {}
    if table == "under_way":
        rows = [
            r
            for r in state.table(table).values()
            if r.get("nation") == of and r.get("since") == runner.turn.number
        ]
        units = runner.world.ruleset.rows("units")
        pairs = [(str(r["what"]), int(r.get("n", 1))) for r in rows if "mode" not in r and r["what"] in units]
    else:
        pairs = [
            (r["kind"], int(r["n"]))
            for _, r in state.stacks(at=of)
            if runner.world.hostile(reader, r["owner"])
        ]
    for kind, n in pairs:
        found[kind] = found.get(kind, 0) + n
    return dict(sorted(found.items()))


def _kind_name(runner: EffectRunner, kind: str, n: int) -> str:
    ruleset = runner.world.ruleset
    row: Row = ruleset.row_or_empty("units", kind) or ruleset.row_or_empty("production", kind)
    return str((row.get("plural") if n != 1 else None) or row.get("name", kind)).lower()


def say(runner: EffectRunner, p: Any, names: dict[str, Any]) -> None:
    """Adds a sentence to the entry, or writes one of its own to other readers."""
    if isinstance(p, str):
        runner.add_sentence(p, names)
        return
    says = message(runner.world, p["text"], names)
    if "to" not in p:
        runner.entry.tell(says)
        return
    readers = audience_ids(runner.world, p["to"], names)
    with runner.journal.entry(runner.rule, subject=runner.subject, says=says, audience=readers):
        pass


def command(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Who gives a nation's orders."""
    for nation in runner.nations(p.get("nation", "=self"), names):
        runner.journal.set("nations", nation, "seat", str(runner.plain(p["by"], names)))


def found(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A nation appears, with what it `inherits` of another: `technology`, and `grade` in place of its own.

    Where its `seat` is nobody's, a player who has been given the nation already keeps it.
    """
    nation = runner.id_of(p["nation"], names)
    runner.journal.set("nations", nation, "alive", True)
    if "seat" in p:
        said = str(runner.plain(p["seat"], names))
        if said not in vacancies.UNFILLED or vacancies.seat(runner.world, nation) in vacancies.EMPTY:
            runner.journal.set("nations", nation, "seat", said)
    like = runner.id_of(p["like"], names) if "like" in p else None
    if like:
        if runner.world.ruleset.row_or_empty("nations", nation).get("like") != like:
            runner.journal.set("nations", nation, "like", like)
        for field in ("grade",):
            value = runner.world.field(Entity("nation", like), field)
            if value and (
                field in p.get("inherits", ())
                or not runner.world.ruleset.row_or_empty("nations", nation).get(field)
            ):
                runner.journal.set("nations", nation, field, dict(value))
        for table in p.get("inherits", ()):
            if table == "technology":
                for tech, level in runner.world.state.row("techs", like).items():
                    runner.journal.set("techs", nation, tech, level)


def absorb(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """A nation leaves the game; `into` takes over all it has: units, places, stores. Without, what is left of
    it is gone.

    Its wars and alliances end. With an heir its side stays, for the fate of the side is told by all who were
    of it.
    """
    old, new = runner.id_of(p["nation"], names), runner.id_of(p["into"], names) if "into" in p else ""
    for key, row in runner.world.state.stacks(owner=old):
        if new:
            runner.journal.alter_units(key, row["n"], owner=new)
        else:
            runner.journal.put_row("units", key, None)
    for place in runner.world.ruleset.rows("places"):
        if runner.world.owner_of(place) == old:
            runner.journal.set("places", place, "owner", new)
        if runner.world.holder_of(place) == old:
            runner.journal.set("places", place, "holder", new)
    for key, row in sorted(runner.world.state.table("treasuries").items()):
        if key == old or key.startswith(old + "/"):
            for what, amount in list(row.items()):
                if new:
                    runner.journal.add("treasuries", key.replace(old, new, 1), what, amount)
                runner.journal.set("treasuries", key, what, None)
    if not new:
        relations.leave(runner.turn, old)
    relations.be_nothing_to_others(runner.turn, old)
    if runner.world.state.get("nations", old, "income"):
        runner.journal.set("nations", old, "income", 0)
    runner.journal.set("nations", old, "alive", False)


def vote(runner: EffectRunner, p: Row, names: dict[str, Any]) -> None:
    """Counts weighted assent of some nations and goes on with `then` or `else`; with `alone` each is bound by
    its own answer.

    A nation that is out of the game has no vote. Everybody who refuses states the fact `refused`, everybody
    who is bound by an acceptance the fact `accepted` (`of` whom it is about, `ask` the decision). The effects
    find the names `voters`, `accepts` and `refuses` (sets of nations), and `votes` (the weight of each
    that is bound by the outcome), for shares. Alone, `then` follows if anybody accepts and `else` if anybody
    refuses.
    """
    row = runner.world.ruleset.row("decisions", p["ask"])
    subject = str(id_of(runner.who(p["about"], names))) if "about" in p else ""
    weights: dict[str, int] = {}
    said: dict[str, list[Entity]] = {"accept": [], "refuse": []}
    # in a prospect: what others will say is not foreseen, nor what their votes weigh
    fate: bool | None = None
    for voter in as_set(runner.world, runner.set(p["of"], names)):
        if not runner.world.alive(voter.id):
            continue
        scope = {**names, "self": voter, "nation": voter}
        if runner.turn.fortune is not None and voter != names.get("self"):
            runner.turn.chanced, accepts, fate = True, runner.turn.fortune, runner.turn.fortune
        else:
            accepts = (
                decide(runner.turn, row, scope, runner.stream, who=voter.id, subject=subject) == "accept"
            )
        said["accept" if accepts else "refuse"].append(voter)
        weights[voter.id] = int(runner.world.number(p["weight"], scope)) if "weight" in p else 1
    runner.note_dice()
    offers = {"of": subject or id_of(names.get("self")), "ask": p["ask"]}
    for voter in said["refuse"]:
        runner.journal.fact("refused", by=voter.id, **offers)
    yes, no = (sum(weights[v.id] for v in said[k]) for k in ("accept", "refuse"))
    runner.entry.data["votes"] = {"accept": yes, "refuse": no}
    outcome = {
        "accepts": tuple(said["accept"]),
        "refuses": tuple(said["refuse"]),
        "voters": (*said["accept"], *said["refuse"]),
    }
    if p.get("alone"):
        bound = {v.id: weights[v.id] for v in said["accept"]}
        for voter in said["accept"]:
            runner.journal.fact("accepted", by=voter.id, **offers)
        for key, who in (("then", said["accept"]), ("else", said["refuse"])):
            if who:
                runner.effects(p.get(key, ()), {**names, **outcome, "votes": bound})
        return
    # where no vote weighs anything, a refusal by all is no tie
    tied = yes == no and bool(said["accept"] or not said["refuse"])
    passed = fate if fate is not None else yes > no or (tied and p.get("tie", "refuse") == "accept")
    for voter in outcome["voters"] if passed else ():
        runner.journal.fact("accepted", by=voter.id, **offers)
    runner.effects(p.get("then" if passed else "else", ()), {**names, **outcome, "votes": weights})


def end(runner: EffectRunner, p: Any, names: dict[str, Any]) -> None:
    """Ends the game, or the wars of some with others."""
    if p == "game":
        runner.journal.set("game", "game", "ended", True)
        return
    a, b = (runner.nations(x, names) for x in p["between"])
    for one in a:
        for other in b:
            relations.end_war(runner.turn, one, other)
