"""Do the rules ever come into play? Events that cannot fire, orders nobody takes, units nobody gets, rows
nobody uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from ...core.diagnostics import Diagnostic, did_you_mean
from ..forms import KINDS
from ..nodes import Node, as_list, as_nodes, diagnose, find, plain_value
from ..order_syntax import CARGO
from ..sequence_changes import STEPS_SHOWN, frame_nodes, node_id
from .conditions import never_holds
from .expressions import words_of
from .mentions import gather_words, words_of_expressions, words_of_row
from .subject import Subject

TURNS = ("turn_start", "turn_end")
UNUSED_HINT = "remove it, or silence this with a reason"
FILTERS = {"action": ("actions", "orders"), "track": ("tracks",)}
"""Filters of triggers that name rows, and the tables of these."""
HELPERS = (
    *(
        "definitions",
        "tables",
        "groups",
        "stats",
        "options",
        "decisions",
        "order_options",
        "battles",
        "records",
    ),
)
"""Forms whose rows do nothing unless another row, or a step, mentions them."""
HELPING_KINDS = {"transfers": ("levy",), "victory": ("criterion",)}
"""Kinds of rows of other forms that are such, too."""
ACTS_BY = {"counters": {"effects", "field"}}
"""Forms whose rows are such, too, unless they have one of these keys."""
SETTLED = (("capture", "capture", "rows"), ("upkeep", "upkeep", "upkeep"), ("income", "collect", "income"))
"""Table, the mechanic that goes through its rows, and the key by which a step says through which (absent:
all).
"""


def events_can_fire(subject: Subject) -> Iterator[Diagnostic]:
    """An event needs something to wait for that can come, and a test that can hold."""
    calendar = subject.settings.get("calendar", {})
    last = 0 if "unless" in calendar else calendar.get("turns", 0)
    for _, row, node in subject.each("events"):
        if not any(key in row for key in ("on", "becomes", "when")):
            yield diagnose("W601", "the event waits for nothing", node, hint="give it `on` or `becomes`")
        for key in ("when", "becomes"):
            if never_holds(row.get(key), words_of(subject).ids):
                yield diagnose("W601", f"the event can never fire: `{key}` is never true", node.value[key])
        facts = facts_of(row.get("on"))
        late = [
            word for word, turn in facts if word in TURNS and isinstance(turn, int) and last and turn > last
        ]
        if facts and len(late) == len(facts):
            message = f"the event can never fire: the game has {last} turns"
            yield diagnose("W601", message, node.value["on"])


def facts_of(on: Any) -> list[tuple[str, Any]]:
    """The triggers that an event waits for, each with its filter."""
    found: list[tuple[str, Any]] = []
    for fact in on if isinstance(on, list) else [on]:
        if isinstance(fact, str):
            found.append((fact, None))
        elif isinstance(fact, dict):
            found += fact.items()
    return found


def steps_named_are_in_the_sequence(subject: Subject) -> Iterator[Diagnostic]:
    """A row that names a step - an order, or an event that waits for one - must name one that the sequence of
    play has.
    """
    if not subject.draft.sequence:
        return
    names = {name for node in _frame(subject) for name in _names(node)}
    for form in ("orders", "events"):
        for id_ in subject.rows(form):
            for at in _steps(subject.nodes(form)[id_]):
                if isinstance(at.value, str) and at.value not in names:
                    hint = did_you_mean(at.value, names) or STEPS_SHOWN
                    yield diagnose("E605", f"the sequence has no step {at.value!r}", at, hint=hint)


def _steps(node: Node) -> Iterator[Node]:
    """The steps that a row names: its `step`, and `step` among the triggers it waits for."""
    own = node.get("step")
    if own is not None:
        yield own
    for fact in as_nodes(node.get("on")):
        yield from (step for step in as_nodes(fact.get("step")) if not step.is_map)


def filters_name_what_exists(subject: Subject) -> Iterator[Diagnostic]:
    """An event that waits for an action or a track of some id waits in vain if there is none."""
    for id_ in subject.rows("events"):
        for fact in as_nodes(subject.nodes("events")[id_].get("on")):
            for _, filters in fact.items():
                for key, forms in FILTERS.items():
                    known = [row for form in forms for row in subject.nodes(form)]
                    for at in as_nodes(filters.get(key)):
                        if not at.is_map and not str(at.value).startswith("=") and at.value not in known:
                            hint = did_you_mean(str(at.value), known)
                            yield diagnose("E401", f"{' or '.join(forms)} has no {at.value!r}", at, hint=hint)


def _frame(subject: Subject) -> list[Node]:
    return subject.once("sequence", lambda s: frame_nodes(s.draft.sequence))


def named_by(steps: Iterable[Node], key: str) -> Iterator[str]:
    """The words in the lists that steps have under a key; what is no word is told of the shape."""
    for node in steps:
        for member in find(node, [key]).members():
            if isinstance(member.value, str):
                yield member.value


def _names(node: Node) -> Iterator[str]:
    for key in ("id", "step", "phase", "input"):
        if (text := node.text(key)) is not None:
            yield text
    first = node_id(node)
    if first is not None:
        yield first


def orders_and_acts_are_taken_by_a_step(subject: Subject) -> Iterator[Diagnostic]:
    """An action must be listed by a step that carries out actions; an order must name the step that carries
    it out.
    """
    if not subject.draft.sequence:
        return
    takers = [node for node in _frame(subject) if node.text("do") == "act"]
    taken = set(named_by(takers, "actions"))
    takes_all = any(node.get("actions") is None for node in takers)
    for id_ in subject.rows("actions"):
        if id_ not in taken and not takes_all:
            message = f"no step of the sequence takes the action {id_!r}"
            hint = "list it in the `actions` of a step"
            yield diagnose("W602", message, subject.nodes("actions")[id_], hint=hint)
    mentioned = _words_of_the_frame(subject)
    for id_, row in subject.rows("orders").items():
        if "step" not in row and not {id_, row.get("does"), row.get("mission")} & mentioned:
            message = f"no step of the sequence takes the order {id_!r}"
            hint = "give it the `step` that carries it out"
            yield diagnose("W602", message, subject.nodes("orders")[id_], hint=hint)


def rows_are_settled_by_a_step(subject: Subject) -> Iterator[Diagnostic]:
    """A row of a table that steps go through is gone through by one of them."""
    for form, do, key in SETTLED:
        steps = [node for node in _frame(subject) if node.text("do") == do]
        if not subject.draft.sequence or any(node.get(key) is None for node in steps):
            continue
        named = set(named_by(steps, key))
        for id_, row, node in subject.each(form):
            if id_ not in named and row.get("how") != "effect" and not node.is_below:
                hint = f"list it in the `{key}` of a step with `do: {do}`"
                yield diagnose("W602", f"no step of the sequence settles {id_!r} of {form}", node, hint=hint)


def rows_that_open_are_opened(subject: Subject) -> Iterator[Diagnostic]:
    """A row of `visibility` that is shut until a step opens it is opened by one."""
    opened = set(named_by((n for n in _frame(subject) if n.text("do") == "inform"), "visibility"))
    for id_, row, node in subject.each("visibility"):
        if "opens" in row and id_ not in opened and not node.is_below:
            message = f"no step of the sequence opens {id_!r} of visibility: nobody is ever shown it"
            hint = "list it in the `visibility` of a step with `do: inform`"
            yield diagnose("W602", message, node, key="opens", hint=hint)


def transfers_are_ordered(subject: Subject) -> Iterator[Diagnostic]:
    """Gifts and routes are what orders do: without one that does them they have no effect."""
    done = {str(row.get("does")) for row in subject.rows("orders").values()}
    for kind in ("gift", "route"):
        rows = subject.of_kind("transfers", kind)
        if not rows or not done.isdisjoint(rows) or subject.any_faulty("orders"):
            continue
        words = _words_outside(subject, "transfers")
        for id_ in rows:
            node = subject.nodes("transfers")[id_]
            if id_ not in words and not node.is_below:
                message = f"no order does {id_!r} of transfers"
                hint = f"an order with `does: {id_}`, and a step with `do: transfer`"
                yield diagnose("W602", message, node, hint=hint)


def orders_go_by_a_mode_of_their_step(subject: Subject) -> Iterator[Diagnostic]:
    """An order whose step moves units in certain ways is for one of these."""
    for id_, row in subject.rows("orders").items():
        steps = [n for n in _frame(subject) if n.text("do") == "move" and row["step"] in _names(n)]
        if (
            row.get("does") not in subject.rows("movement")
            or not steps
            or any(node.get("movement") is None for node in steps)
        ):
            continue
        modes = chain.from_iterable(find(node, ["movement"]).members() for node in steps)
        if row["does"] not in [mode.value for mode in modes]:
            node = subject.nodes("orders")[id_]
            message = f"the step {row['step']!r} carries out no moves by {row['does']!r}"
            yield diagnose("W602", message, node, key="does", hint="list it in the `movement` of the step")


def cargo_goes_by_a_mode_that_carries(subject: Subject) -> Iterator[Diagnostic]:
    """An order with a list of cargo uses a row of `movement` that takes cargo aboard."""
    modes = subject.rows("movement")
    for _, row, node in subject.each("orders"):
        if CARGO in row.get("slots", {}) and row.get("does") in modes and "carries" not in modes[row["does"]]:
            message = (
                f"an order with the slot {CARGO!r} needs a way of moving with 'carries'; "
                f"{row['does']!r} takes nobody aboard"
            )
            could = [mode for mode, other in modes.items() if "carries" in other]
            hint = f"such are: {', '.join(could[:5])}" if could else "give the way of moving `carries`"
            yield diagnose("E213", message, node, key="does", hint=hint)


def _words_of_the_frame(subject: Subject) -> set[Any]:
    words: set[str] = set()
    for node in subject.draft.sequence:
        gather_words(plain_value(node), words)
    return words


def _words_outside(subject: Subject, *tables: str) -> set[Any]:
    """The words of the sequence of play, and of all rows but those of some tables."""
    words = _words_of_the_frame(subject)
    for form, id_, node in subject.draft.all_rows():
        if form not in tables:
            words |= subject.of_value("words", node, partial(words_of_row, subject.values[form][id_]))
    return words


def units_can_be_got(subject: Subject) -> Iterator[Diagnostic]:
    """A kind of unit should be for sale, or be made by some rule."""
    sold = subject.rows("production")
    if not sold:
        return
    made: set[str] = set()
    for form, id_, row, node in subject.sound_rows():
        if form not in KINDS or form == "production":
            made |= subject.of_value("words", node, partial(words_of_row, row))
            gather_words(id_, made)
    gather_words(list(sold), made)
    for id_, node in subject.nodes("units").items():
        if id_ not in made:
            yield diagnose("W603", f"nobody can get {id_!r}: it is not for sale, and no rule makes it", node)


def numbers_of_units_are_there(subject: Subject) -> Iterator[Diagnostic]:
    """A number that expressions read, some kinds of units state and one does not, where the field has no
    default.
    """
    units = subject.rows("units")
    stated = {
        id_: {*row, *(key for grade in row.get("grades", {}).values() for key in grade)}
        for id_, row in units.items()
    }
    for field, declared in subject.rows("fields").items():
        lacking = [id_ for id_, keys in stated.items() if field not in keys]
        if (
            "unit" not in declared["of"]
            or declared["type"] != "number"
            or "default" in declared
            or len(lacking) in (0, len(units))
        ):
            continue
        if field in subject.once("words of expressions", words_of_expressions):
            for id_ in lacking:
                message = f"{id_!r} has no {field!r}, as other units have, and the field no default"
                hint = f"say {field} of it, or `default: 0` of the field"
                yield diagnose("W612", message, subject.nodes("units")[id_], hint=hint)


def is_helper(form: str, row: Mapping[str, Any]) -> bool:
    """Whether a row does nothing unless another row, or a step, mentions it."""
    return form in HELPERS or row.get("kind") in HELPING_KINDS.get(form, ())


def rows_of_helpers_are_used(subject: Subject) -> Iterator[Diagnostic]:
    """A definition, table, group or stat that no row, and no step of the sequence of play, mentions."""
    words = _words_of_the_frame(subject)
    own: dict[tuple[str, str], set[str]] = {}
    for form, id_, node in subject.draft.all_rows():
        value = subject.values[form][id_]
        found = subject.of_value("words", node, partial(words_of_row, value))
        if is_helper(form, value) or (form in ACTS_BY and not ACTS_BY[form] & value.keys()):
            own[form, id_] = found
        else:
            words |= found
    gather_words(plain_value(subject.draft.manifest), words)
    # What only an unused helper mentions counts as used: the finding about that helper is enough.
    mentions = Counter(word for said in own.values() for word in said)
    for (form, id_), said in own.items():
        if id_ in words or mentions[id_] > (id_ in said):
            continue
        # it may be used by its right id
        if (form, id_) in subject.faulty and "silence" not in subject.values[form][id_]:
            continue
        if "use" in subject.values[form][id_]:  # reports use it
            continue
        node = subject.nodes(form)[id_]
        # a row of the base that an overlay has no use for is no fault of either
        if node.is_below:
            continue
        near = did_you_mean(id_, subject.draft.added.get((form, id_), set()))
        hint = f"{form} has no {id_!r} below, so the row is new; {near}" if near else UNUSED_HINT
        yield diagnose("W604", f"nothing uses {id_!r} of {form}", node, hint=hint)


def kinds_of_the_map_are_named(subject: Subject) -> Iterator[Diagnostic]:
    """A kind of places or links that nothing but the map mentions, and that is nearly one that the rules do
    mention.
    """
    words = _words_outside(subject, "places", "links")
    for form in ("places", "links"):
        told: set[str] = set()
        kinds = {id_: str(row["kind"]) for id_, row in subject.rows(form).items() if "kind" in row}
        for id_, kind in kinds.items():
            node = subject.nodes(form)[id_]
            if kind in words or kind in told or node.is_below:
                continue
            told.add(kind)
            hint = did_you_mean(kind, {k for k in kinds.values() if k in words})
            if hint:
                yield diagnose(
                    "W604", f"no rule names {form} of the kind {kind!r}", node.value["kind"], hint=hint
                )


def tags_are_read(subject: Subject) -> Iterator[Diagnostic]:
    """A tag by which no rule selects, though by one of nearly this name; or of a unit that has no tag by
    which one does, so that it neither goes nor takes a place. Readers may have use for the rest.
    """
    words = _words_outside(subject, "units")
    gather_words(plain_value(subject.draft.manifest), words)
    tagged: dict[str, list[Node]] = {}
    for form, id_, node in subject.draft.all_rows():
        if form != "units":
            continue
        words |= words_of_row(
            {key: value for key, value in subject.values[form][id_].items() if key != "tags"}
        )
        tags = node.get("tags")
        for tag in tags.members() if tags is not None else ():
            tagged.setdefault(str(tag.value), []).append(tag)
    rows = subject.rows("units").values() if _tags_asked_for(subject) else ()
    lone = set(chain.from_iterable(row["tags"] for row in rows if words.isdisjoint(row.get("tags", words))))
    for name, stands in tagged.items():
        if name in words or stands[0].is_below:
            continue
        hint = did_you_mean(name, {*(tagged.keys() & words), *_tags_asked_for(subject)})
        if hint or name in lone:
            message = f"no rule selects units by the tag {name!r}"
            yield diagnose("W604", message, stands[0], hint=hint or UNUSED_HINT)


def _tags_asked_for(subject: Subject) -> set[str]:
    """The words by which ways of moving and of taking places select units."""
    asked = {str(row["who"]) for row in subject.rows("movement").values() if "who" in row}
    for row in subject.rows("capture").values():
        asked.update(map(str, (row.get("by"), *row.get("held_by", ()))))
    return asked - {"None"}


def thresholds_are_waited_for(subject: Subject) -> Iterator[Diagnostic]:
    """A threshold of a track whose reaching no row waits for."""
    tracks = {id_: row["thresholds"] for id_, row in subject.rows("tracks").items() if "thresholds" in row}
    if not tracks or subject.any_faulty("events", "matrices", "counters"):
        return
    waited: list[Any] = []
    for form, id_, _ in subject.draft.all_rows():
        waited += _filters(subject.values[form][id_], "reached")
    for id_, thresholds in tracks.items():
        node = subject.nodes("tracks")[id_]
        if node.is_below:
            continue
        wanted = [f for f in waited if _may_be(f.get("track"), id_) or not _known(f.get("track"), tracks)]
        # of which it is told that it never comes
        if any(not _known(f.get("at"), thresholds) for f in wanted):
            continue
        for value, said in zip(thresholds, node.value["thresholds"].members(), strict=True):
            if not any(_may_be(f.get("at"), value) for f in wanted):
                yield diagnose(
                    "W604", f"nothing waits until {id_!r} reaches {value}", said, hint="leave it out"
                )


def _known(said: Any, there: Container[object]) -> bool:
    """Whether all that a filter names is there."""
    return all(each in there for each in as_list(said))


def _filters(value: Any, fact: str) -> Iterator[dict[str, Any]]:
    """The filters of all that waits for a trigger, anywhere in a row."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == fact:
                yield inner if isinstance(inner, dict) else {}
            elif key in ("on", "until") and inner == fact:
                yield {}
            else:
                yield from _filters(inner, fact)
    elif isinstance(value, list):
        for inner in value:
            yield from [{}] if inner == fact else _filters(inner, fact)


def _may_be(said: Any, value: object) -> bool:
    """Whether a filter lets a value pass; what is worked out may be any."""
    if isinstance(said, list):
        return any(_may_be(each, value) for each in said)
    return said is None or said == value or (isinstance(said, str) and not isinstance(value, str))
