"""Attacks where the odds are good, and marches of everybody else toward where they are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..core.rows import MovementRow
from ..core.state import Entity
from ..orders import movement
from ..orders.kinds.marches import Marches
from ..orders.kinds.moves import Moves
from ..world import routes
from .foresight import promise
from .front import ASHORE, FAR, Front, first_of
from .written import conditions

ODDS_TOP = 9


class Post(NamedTuple):
    """Units that could take part in an attack: by which order and by which mode, from where, how many of each
    kind."""

    order: Moves
    mode: MovementRow
    origin: str
    kinds: Mapping[str, int]


# ---- attacks


def give_attacks(front: Front) -> None:
    """Attack enemy places, the most promising first, as long as the odds are good enough."""
    posts = _posts(front)
    if not posts:
        return
    needed = Fraction(str(front.war.get("odds", "3/2")))
    spread = int(front.war.get("noise", 15))
    scored = []
    for place in sorted(posts):
        odds = odds_of(front, place, posts[place], helped=True)
        if odds <= 0:
            continue
        worth = front.value("worth", place, 1)
        scored.append((min(odds, ODDS_TOP) * worth * front.giver.noise(spread), place))
    for _, place in sorted(scored, key=lambda s: (-s[0], s[1])):
        left = [_left(front, post, place) for post in posts[place]]
        odds = odds_of(front, place, left, helped=True)
        wanted = needed * front.giver.noise(spread) / 100
        if odds < wanted:
            continue
        if not front.giver.percent(int(front.war.get("boldness", 100))):
            continue
        _attack(front, place, left, wanted * Fraction(str(front.war.get("mass", "3/2"))))


def _posts(front: Front) -> dict[str, list[Post]]:
    """Enemy place -> the posts it could be attacked from. From behind the front aircraft join attacks that
    others can make."""
    out: dict[str, list[Post]] = {}
    for march in front.near_orders:
        mode = march.mode
        if mode.get("fights") is False:
            continue
        for origin in movement.places_with_units(front.world, front.nation):
            near = front.is_front(origin)
            if not near and not (mode.get("passes_over") and out):
                continue
            spare: dict[str, Mapping[str, int]] | None = None
            by_target: dict[str, dict[str, int]] = {}
            for kind in front.free(origin):
                if not movement.goes_by(front.world, mode, kind) or not front.worth_of(
                    kind, front.nation, str(front.war["attack"])
                ):
                    continue
                if spare is None and near:
                    beside = front.world.geography.next_to(origin, routes.links_of(mode))
                    spare = {t: front.spare(origin, t) for t in beside if t in front.enemy_places}
                elif spare is None:
                    spare = dict.fromkeys(out, front.spare(origin))
                for target in _within_reach(
                    front, mode, origin, kind, [t for t in spare if kind in spare[t]], near
                ):
                    by_target.setdefault(target, {})[kind] = spare[target][kind]
            for target, kinds in by_target.items():
                if going := front.may_leave(mode, origin, kinds):
                    out.setdefault(target, []).append(Post(march, mode, origin, going))
    return out


def _within_reach(
    front: Front, mode: MovementRow, origin: str, kind: str, wanted: Sequence[str], near: bool
) -> list[str]:
    """Of enemy places those that a kind can attack from a place; `near`: they lie beside it."""
    world, nation = front.world, front.nation
    if near:
        return [t for t in wanted if movement.can_go(world, nation, mode, origin, t, kind)]
    return [t for t in movement.targets(world, nation, mode, origin, kind) if t in wanted] if wanted else []


def odds_of(front: Front, place: str, posts: list[Post], *, helped: bool = False) -> Any:
    """The attackers' strength against the defenders', 1 being even; 0 if nobody could go in. `helped`: by
    allies, too."""
    if not any(_takes(front, post, kind) for post in posts for kind in post.kinds):
        return 0
    number: Any = 0
    worth = Fraction(0)
    for post in _covered(front, posts):
        n, w = front.power(post.kinds, front.nation, "attack")
        if not n:
            continue
        hard = Fraction(front.value("hardness", place, 1, f"{post.origin}>{place}"))
        number += n
        worth += Fraction(w) / hard
    others, theirs = front.help_against(place) if helped else (0, Fraction(0))
    if others:  # no more of them than it sends itself: they are not there for a handful
        part = min(Fraction(1), Fraction(number) / others)
        number, worth = number + part * others, worth + part * theirs
    foes, strength = front.defenders(place)
    strength += front.value("ground", place, 0)
    foes = max(foes, 1 if strength else 0)
    if not foes or not strength:
        return ODDS_TOP
    return Fraction(number * worth) / (foes * strength)


def _covered(front: Front, posts: list[Post]) -> list[Post]:
    """Posts with no more units that stay behind than follow those that go in (`behind` for each); the first
    have them first."""
    if "behind" not in front.war:
        return posts
    goes = sum(n for post in posts for kind, n in post.kinds.items() if _takes(front, post, kind))
    left = int(goes * Fraction(str(front.war["behind"])))
    out = []
    for post in posts:
        kinds = dict(post.kinds)
        for kind in kinds:
            if _stays(front, post, kind):
                kinds[kind] = min(kinds[kind], left)
                left -= kinds[kind]
        out.append(post._replace(kinds={kind: n for kind, n in kinds.items() if n}))
    return out


def _stays(front: Front, post: Post, kind: str) -> bool:
    """Whether a kind does not go into the place that it attacks from a post."""
    return "stays" in post.mode and routes.kind_matches(front.world, post.mode["stays"], kind)


def _takes(front: Front, post: Post, kind: str) -> bool:
    return not _stays(front, post, kind) and routes.kind_matches(front.world, front.war.get("takes"), kind)


def _attack(front: Front, place: str, posts: list[Post], enough: Any) -> None:
    """Send the strongest posts, until the odds are what is wanted."""
    chosen: list[Post] = []
    rest = sorted(posts, key=lambda p: (-front.power(p.kinds, front.nation, "attack")[1], p.origin))
    for post in rest:
        if not post.kinds:
            continue
        chosen.append(post)
        if odds_of(front, place, chosen, helped=True) >= enough:
            break
    if odds_of(front, place, chosen, helped=True) > Fraction(3, 2) * enough:
        chosen = _thinned(front, place, chosen, enough)
    chosen = [post for post in _covered(front, chosen) if post.kinds]
    foresight = front.war.get("foresight")
    if foresight is not None and promise(front, foresight, place, [(p.origin, p.kinds) for p in chosen]) <= 0:
        return
    for post in chosen:
        front.send(post.order, post.kinds, post.origin, place, _conditions(front, post, place))


def _conditions(front: Front, post: Post, place: str) -> dict[str, Any]:
    """The conditions of an attack, of those that its order takes and that somebody who goes in could meet."""
    n = sum(n for kind, n in post.kinds.items() if _takes(front, post, kind))
    if not n:
        return {}
    going = front.going(post.origin, post.kinds)
    names = front.names(place, n=n, origin=Entity("place", post.origin), going=going)
    return conditions(front.world, post.order, front.war.get("conditions"), names)


def _thinned(front: Front, place: str, posts: list[Post], enough: Any) -> list[Post]:
    """Fewer units of each kind where far more would go than are needed: three quarters, and three quarters of
    these again."""
    while True:
        fewer = [p._replace(kinds={k: max(1, 3 * n // 4) for k, n in p.kinds.items()}) for p in posts]
        if fewer == posts or odds_of(front, place, fewer, helped=True) < enough * Fraction(5, 4):
            return posts
        posts = fewer


def _left(front: Front, post: Post, place: str) -> Post:
    """A post with those of its units that can still attack a place."""
    kinds = _least(post.kinds, front.spare(post.origin, place))
    return post._replace(kinds=front.may_leave(post.mode, post.origin, kinds))


def _least(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {k: min(n, b[k]) for k, n in a.items() if b.get(k, 0) > 0}


# ---- what is had for the asking


def give_prizes(front: Front) -> None:
    """A few units go into places beside them that they take by coming, in the step in which that is so
    (`prizes`)."""
    n = int(front.war.get("prizes", 0))
    if not n:
        return
    world, nation, taken = front.world, front.nation, set()
    for march in front.near_orders:
        mode, step = march.mode, routes.step_of(world, march.mode)
        for origin in movement.places_with_units(world, nation):
            near = world.geography.next_to(origin, routes.links_of(mode))
            for target in near:
                if (
                    target in taken
                    or world.holder_of(target) is None
                    or routes.entry(world, nation, target, step) != "takes"
                ):
                    continue
                fit = [
                    k for k in front.spare(origin) if routes.kind_matches(world, front.war.get("takes"), k)
                ]
                kind = next((k for k in fit if movement.goes_by(world, mode, k)), None)
                if kind is None:
                    continue
                units = front.may_leave(mode, origin, {kind: min(n, front.spare(origin)[kind])})
                if units and front.send(march, units, origin, target):
                    taken.add(target)


# ---- marches


def give_marches(front: Front) -> None:
    """Units that stand behind the front go to where they are needed: far ones by long ways, the others step
    by step; those whom no way leads there, to a shore."""
    if not front.distance:
        return
    behind = [p for p in movement.places_with_units(front.world, front.nation) if front.spare(p)]
    behind.sort(key=lambda p: (-front.distance.get(p, FAR), p))
    for place in behind:
        steps = front.distance.get(place, FAR)
        if steps <= 0:
            continue
        if front.room(place) < 0:
            _leave(front, place, min(-front.room(place), sum(front.spare(place).values())))
        spare = front.spare(place)
        if 2 < steps < ASHORE and front.long_ways > 0 and _far(front, place, spare):
            front.long_ways -= 1
            spare = front.spare(place)
        if spare:
            _near(front, place, spare, steps)


def give_support(front: Front) -> None:
    """Units that can fire from where they stand do so for the friendly neighbor in the greatest danger, if
    that is greater than their own."""
    world, nation = front.world, front.nation
    for march in front.fire_orders:
        mode = march.mode
        for place in movement.places_with_units(world, nation):
            firing = {k: n for k, n in front.free(place).items() if movement.goes_by(world, mode, k)}
            near = world.geography.next_to(place, routes.links_of(mode))
            worse = [
                t for t in near if firing and t in front.friendly and front.threat(t) > front.threat(place)
            ]
            for target in sorted(worse, key=lambda t: (-front.threat(t), t)):
                fit = all(movement.can_go(world, nation, mode, place, target, kind) for kind in firing)
                if fit and front.send(march, firing, place, target):
                    break


def _near(front: Front, place: str, spare: Mapping[str, int], steps: int) -> None:
    """One step nearer to the front, each kind as far as it gets."""
    for march in front.march_orders:
        groups: dict[str, dict[str, int]] = {}
        for kind, n in spare.items():
            if (place, kind) in front.used and not front.free(place).get(kind):
                continue
            if not movement.goes_by(front.world, march.mode, kind):
                continue
            best = _nearest(front, march.mode, place, kind, steps)
            if best is not None:
                groups.setdefault(best, {})[kind] = n
        for target, kinds in groups.items():
            go(front, march, place, target, first_of(kinds, front.room(target)))


def go(front: Front, march: Marches, place: str, target: str, kinds: Mapping[str, int]) -> bool:
    """Give a march, and count where its units are from now on."""
    kinds = front.may_leave(march.mode, place, kinds)
    n = sum(kinds.values())
    if not n or not front.send(march, kinds, place, target):
        return False
    front.come(place, -n)
    front.come(target, n)
    return True


def _leave(front: Front, place: str, n: int) -> None:
    """So many units go from a place where too many stand to friendly ones that have room, the nearest to the
    front: next door, the others by long ways."""
    for march in (*front.march_orders, *front.far_orders):
        mode = march.mode
        for kind in front.spare(place):
            if n <= 0 or not movement.goes_by(front.world, mode, kind):
                continue
            for target in _with_room(front, mode, place, kind):
                part = min(n, front.spare(place).get(kind, 0), front.room(target))
                if mode.get("steps") is None:
                    part = min(part, _room(front, mode, place, target, kind)) if front.long_ways else 0
                if part > 0 and go(front, march, place, target, {kind: part}):
                    n -= part
                    front.long_ways -= mode.get("steps") is None


def _with_room(front: Front, mode: MovementRow, place: str, kind: str) -> list[str]:
    """The friendly places with room that a kind can go to from a place, the nearest to the front first: those
    next to it, or by a long way all that this reaches."""
    world, nation = front.world, front.nation
    if mode.get("steps") is None:
        is_open = front.long_ways > 0 and _has_room(front, mode, place)
        ends = movement.targets(world, nation, mode, place, kind) if is_open else []
        open_ = [t for t in ends if t in front.friendly and front.room(t) > 0]
    else:
        near = world.geography.next_to(place, routes.links_of(mode))
        open_ = [
            t
            for t in near
            if t in front.friendly
            and front.room(t) > 0
            and movement.can_go(world, nation, mode, place, t, kind)
        ]
    return sorted(open_, key=lambda t: (front.distance.get(t, FAR), t))


def _nearest(front: Front, mode: MovementRow, place: str, kind: str, steps: int) -> str | None:
    """The place nearest to the front that a kind can go to, nearer than where it is."""
    world, nation = front.world, front.nation

    def key(target: str) -> tuple[int, str]:
        return front.distance.get(target, FAR), target

    one_step = mode.get("steps") == 1 or _allowance(front, mode, place, kind) == 1
    if not one_step:
        if steps <= 2 or front.searches <= 0:
            return None
        front.searches -= 1
        ends = movement.targets(world, nation, mode, place, kind)
        better = [t for t in ends if t in front.friendly and key(t)[0] < steps and front.room(t) > 0]
        return min(better, key=key, default=None)
    near = world.geography.next_to(place, routes.links_of(mode))
    better = sorted(
        (t for t in near if t in front.friendly and key(t)[0] < steps and front.room(t) > 0), key=key
    )
    return next((t for t in better if movement.can_go(world, nation, mode, place, t, kind)), None)


def _allowance(front: Front, mode: MovementRow, place: str, kind: str) -> Any:
    going = routes.begin(front.world, front.nation, mode, place, [kind])
    return 0 if going is None else going.allowance(place)


def _far(front: Front, place: str, spare: Mapping[str, int]) -> bool:
    """By a long way at once to a front place that needs them, as many as the way takes."""
    for march in front.far_orders:
        mode = march.mode
        for kind, n in spare.items():
            if not movement.goes_by(front.world, mode, kind) or not _has_room(front, mode, place):
                continue
            ends = [
                t
                for t in movement.targets(front.world, front.nation, mode, place, kind)
                if front.distance.get(t, FAR) <= 1
            ]
            ends = [t for t in ends if _has_room(front, mode, t) and front.room(t) > 0]
            if not ends:
                continue
            weighted = [
                (t, 1 + max(0, int(front.need.get(t, 0))) // 10)
                for t in movement.nearest_of(front.world, ends, place, 8)
            ]
            target = front.giver.pick(weighted)
            if target is None:
                continue
            goes = min(n, front.room(target), _room(front, mode, place, target, kind))
            if goes > 0 and go(front, march, place, target, {kind: goes}):
                return True
    return False


def _has_room(front: Front, mode: MovementRow, place: str) -> bool:
    """Whether a place has room left at all: most that have none are cheap to rule out."""
    if not mode.get("capacity"):
        return True
    most = _share(front, mode, place)
    return most is None or most > front.giver.checker.book.loads.get((mode["id"], place), 0)


def _share(front: Front, mode: MovementRow, place: str) -> Any:
    """How many units it means to move over a place by a mode (None: no limit): of half of what the place
    takes all allies have the same part, what cannot be parted each of them in its turn; the holder has the
    rest."""
    most = routes.capacity(front.world, mode, place)
    if most is None or len(front.camp) < 2:
        return most
    holder = front.world.holder_of(place)
    guests = [nation for nation in front.camp if nation != holder]
    if front.nation not in guests:
        return most - most // 2
    part, over = divmod(int(most) // 2, len(guests))
    first = int(front.world.state.get("game", "game", "turn", 0))
    return part + ((guests.index(front.nation) + first) % len(guests) < over)


def _room(front: Front, mode: MovementRow, place: str, target: str, kind: str) -> int:
    """How many units a long way still takes."""
    if not mode.get("capacity"):
        return FAR
    going = routes.begin(front.world, front.nation, mode, place, [kind])
    if going is not None:
        going.count = 1
    path = routes.way(going, place, target)[0] if going is not None else None
    left = FAR if path else 0
    for step in routes.drawn_places(mode, path) if path else ():
        most = _share(front, mode, step)
        if most is not None:
            left = min(
                left,
                int(most)
                - routes.used(front.world, mode, step)
                - front.giver.checker.book.loads.get((mode["id"], step), 0),
            )
    return left
