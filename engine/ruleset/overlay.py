"""Rulesets laid over one another: one algorithm, before anything else is looked at.

A ruleset that `extends` another is a layer over it. Layers are merged from the bottom up, by form and by id
of the row:

- a row whose id the layer below has not is a new row, after the rows below;
- a row given again replaces, whole, each value that it names, be it a number, a list or a map; the other keys
  stay;
- `remove: true` deletes the row, `remove: [key, ..]` takes keys off it; a manifest's `replaces: [table, ..]`
  deletes all rows of a table;
- `append: {key: [..]}` adds to the end of the list below, `append: {key: {..}}` adds entries to the map
  below: an entry that both have is added to in the same way if it is a list or a map, and replaced otherwise;
- `before: id` and `after: id` say where a row goes among those of its table, be it new or inherited;
- steps of the `sequence` of play are rows by their names, those inside others too (see
  `sequence_changes.py`);
- the manifest keeps its own id and title; its settings are merged key by key, and so are those that have
  keys of their own; the `rules` of a scenario or a case may have `settings` too.

Every value keeps the file and line it was written at. The layer below is never altered: rows are new maps of
old values.

What goes without saying is then said: a slot that the text of an order names and its `slots` do not
(`with_slots`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..core.diagnostics import Diagnostic, did_you_mean
from .forms import Forms
from .nodes import Node, diagnose
from .order_syntax import SLOT, slot_of
from .sequence_changes import lay_steps, place_of_row, says_where, without_place

FRAME = "sequence"
SETTINGS = "settings"
REPLACES = "replaces"


Move = tuple[str, str, tuple[str, str], Node]
"""A row of a layer that says where it goes: its table and id, the place, and the row as it is written."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One folder: its manifest, and its other files, each a map from form to rows."""

    manifest: Node
    files: tuple[Node, ...]


@dataclass(slots=True)
class MergedRuleset:
    """A merged ruleset, still with the place of every value; what the checks look at."""

    manifest: Node
    forms: dict[str, dict[str, Node]] = field(default_factory=dict)
    sequence: list[Node] = field(default_factory=list)
    added: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """Form and id of rows that are new in a layer over another: the ids that the form has below."""
    removed: dict[str, Node] = field(default_factory=dict)
    """Ids of rows that a layer has removed, each with the row that says so."""
    replaced: dict[str, list[Node]] = field(default_factory=dict)
    """Rows of tables that a layer replaces. The tests below it may still ask for what they say of things."""

    def rows(self, form: str) -> dict[str, Node]:
        return self.forms.get(form, {})

    def all_rows(self) -> Iterator[tuple[str, str, Node]]:
        for form, rows in self.forms.items():
            for id_, row in rows.items():
                yield form, id_, row


def lay_over(layers: list[Layer], known: Forms) -> tuple[MergedRuleset, list[Diagnostic]]:
    """The merged ruleset of layers given from the bottom up, and what does not fit together."""
    found: list[Diagnostic] = []
    draft = MergedRuleset(layers[0].manifest)
    for depth, layer in enumerate(layers):
        of_rows = depth > 0 and layer.manifest is layers[depth - 1].manifest
        if depth:
            draft.manifest = _manifest(draft.manifest, layer.manifest)
        for file in layer.files if of_rows else ():  # the `rules` of a scenario: they have no manifest
            if file.get(SETTINGS) is not None:
                draft.manifest = _manifest(draft.manifest, file, of_rows=True)
        if not of_rows:
            _drop_tables(draft, layer.manifest, known, found)
        _add_layer(draft, layer, known, found, of_rows)
    for form, rows in draft.forms.items():
        if has_slots(known, form):
            draft.forms[form] = {id_: with_slots(row) for id_, row in rows.items()}
    return draft, found


def has_slots(known: Forms, form: str) -> bool:
    """Whether the rows of a form are written as lines with slots."""
    return form in known and {"syntax", "slots"} <= set(known.keys(form))


def with_slots(row: Node) -> Node:
    """A row with every slot that the text of its form names: one that `slots` leaves out holds what its name
    says.
    """
    text, said = row.get("syntax"), row.get("slots")
    if text is None or not isinstance(text.value, str) or not (said is None or said.is_map):
        return row
    declared = said.value if said is not None else {}
    missing = [name for name in dict.fromkeys(SLOT.findall(text.value)) if name not in declared]
    if not missing:
        return row
    place = (text.file, text.line, text.column)
    added = {name: Node(slot_of(name, None).kind, *place) for name in missing}
    keys = dict.fromkeys(added, place)
    slots = (
        said.with_entries({**declared, **added}, {**said.keys, **keys})
        if said is not None
        else Node(added, *place, keys)
    )
    return row.with_entries(
        {**row.value, "slots": slots}, {**row.keys, "slots": row.keys.get("slots", place)}
    )


def row_id(row: Node) -> str | None:
    """The id of a row: its own, or made from the sorted ends that it joins; None if it has neither."""
    given = row.get("id")
    if given is not None:
        return given.value if isinstance(given.value, str) and given.value else None
    ends = row.get("between")
    names = [end.value for end in ends.members()] if ends is not None else []
    if len(names) == 2 and all(isinstance(name, str) for name in names):
        return "--".join(sorted(names))
    return None


def _add_layer(
    draft: MergedRuleset, layer: Layer, known: Forms, found: list[Diagnostic], of_rows: bool
) -> None:
    first: dict[tuple[str, str], Node] = {}
    frames: list[tuple[Node, Node]] = []
    moves: list[Move] = []
    below = {form: set(rows) for form, rows in draft.forms.items()}
    for file in layer.files:
        for form, rows in file.items():
            if form == SETTINGS and of_rows:
                continue
            if form != FRAME and form not in known:
                hint = did_you_mean(form, (*known.names, FRAME))
                hint = "settings stand in ruleset.yaml" if form == SETTINGS else hint
                message = f"no table {form!r}"
                found.append(diagnose("E201", message, file, key=form, hint=hint or _list_forms(known)))
            elif rows.value is None:
                continue  # a form with nothing under it yet
            elif not rows.is_list:
                found.append(diagnose("E202", f"the table {form} must be a list of rows (`- id: ...`)", rows))
            elif form == FRAME:
                frames.append((file, rows))
            else:
                _add_rows(draft, form, rows, known, found, first, below.get(form, set()), moves)
    _move(draft, moves, found)
    whole = [] if draft.sequence else [one for one in frames if not all(map(says_where, one[1].members()))]
    for file, _ in whole[1:]:
        message = f"a second sequence in one ruleset (the first at {whole[0][1].where})"
        hint = "a further step says `before` or `after` which it goes"
        found.append(diagnose("E225", message, file, key=FRAME, hint=hint))
    told = [rows for file, rows in frames if all(file is not other for other, _ in whole[1:])]
    draft.sequence = lay_steps(draft.sequence, [row for rows in told for row in rows.members()], _over, found)


def _move(draft: MergedRuleset, moves: list[Move], found: list[Diagnostic]) -> None:
    """Put the rows of a layer that say where they go there, one after the other."""
    for form, id_, (key, other), row in moves:
        rows = draft.forms.get(form, {})
        if other not in rows or other == id_:
            message = f"{form} has no other row {other!r}"
            hint = did_you_mean(other, rows.keys() - {id_})
            found.append(diagnose("E221", message, row, key=key, hint=hint))
        elif id_ in rows:
            order = [name for name in rows if name != id_]
            order.insert(order.index(other) + (key == "after"), id_)
            draft.forms[form] = {name: rows[name] for name in order}


def _drop_tables(draft: MergedRuleset, manifest: Node, known: Forms, found: list[Diagnostic]) -> None:
    """Of the tables that a layer `replaces`, no row below it stays."""
    named = manifest.get(REPLACES)
    for table in named.members() if named is not None and named.is_list else ():
        if table.value not in known:
            continue  # told where words are checked
        if table.value == FRAME and draft.sequence:
            draft.sequence = []
            continue
        rows = draft.forms.pop(table.value, {})
        draft.removed.update(dict.fromkeys(rows, table))
        draft.replaced.setdefault(table.value, []).extend(rows.values())
        if not rows:
            message = f"nothing to replace: there are no {table.value} below"
            found.append(diagnose("E221", message, table))


def _list_forms(known: Forms) -> str:
    return f"the tables are {', '.join(sorted({*known.names, FRAME}))}"


def _add_rows(
    draft: MergedRuleset,
    form: str,
    rows: Node,
    known: Forms,
    found: list[Diagnostic],
    first: dict[tuple[str, str], Node],
    below: set[str],
    moves: list[Move],
) -> None:
    """The rows of one table in one file."""
    for row in rows.members():
        if not row.is_map:
            found.append(diagnose("E203", f"a row of {form} must be a map (`id: ...`)", row))
            continue
        id_ = row_id(row)
        if id_ is None:
            if known.has_id(form) and row.get("id") is not None:
                message = f"the id of a row of {form} must be a word"
                found.append(diagnose("E204", message, row.get("id"), hint="quote it if it is a number"))
            else:
                what = "`id`" if known.has_id(form) else "two different ends in `between`"
                found.append(diagnose("E204", f"a row of {form} needs {what}", row))
            continue
        if (form, id_) in first:
            message = f"{form} has {id_!r} twice (first at {first[form, id_].where})"
            found.append(diagnose("E205", message, row, key="id"))
            continue
        first[form, id_] = row
        here = draft.forms.setdefault(form, {})
        removal = row.get("remove")
        if removal is not None and not removal.is_list:
            _remove(draft, form, id_, row, below, found)
            continue
        if id_ in here:
            where = place_of_row(row, found)
            here[id_] = _over(here[id_], without_place(row), found)
        else:
            where = place_of_row(row, found)
            if row.get("append") is not None:
                message = f"nothing to append to: {form} has no {id_!r} below"
                hint = did_you_mean(id_, below)
                found.append(diagnose("E221", message, row, key="append", hint=hint))
            if removal is not None:
                message = f"no keys to remove: {form} has no {id_!r} below"
                found.append(diagnose("E221", message, row, key="remove", hint=did_you_mean(id_, below)))
            here[id_] = without_place(row)
            if below:
                draft.added[form, id_] = below
        if where is not None:
            moves.append((form, id_, where, row))


def _remove(
    draft: MergedRuleset, form: str, id_: str, row: Node, below: set[str], found: list[Diagnostic]
) -> None:
    removal = row.value["remove"]
    if removal.value is not True:
        message = f"'remove' is true, or a list of keys; {removal.value!r} is neither"
        found.append(diagnose("E222", message, removal, hint="leave the row out to keep it as it is below"))
        return
    extra = [k for k in row.value if k not in ("id", "between", "remove", "note", "source")]
    if extra:
        message = f"a row that is removed cannot say {extra[0]!r} as well"
        found.append(diagnose("E222", message, row, key=extra[0]))
    if id_ not in below:
        message = f"nothing to remove: {form} has no {id_!r} below"
        found.append(diagnose("E221", message, row, key="remove", hint=did_you_mean(id_, below)))
        return
    del draft.forms[form][id_]
    draft.removed[id_] = row


def _over(below: Node, row: Node, found: list[Diagnostic]) -> Node:
    """A row given again over the row below."""
    entries = dict(below.value)
    keys = dict(below.keys)
    gone = row.get("remove")
    for name in gone.members() if gone is not None else ():
        if name.value not in entries or name.value in ("id", "between"):
            message = f"no key to remove: the row below has no {name.value!r}"
            found.append(diagnose("E221", message, name, hint=did_you_mean(str(name.value), below.value)))
        elif name.value in row.value:
            found.append(diagnose("E223", f"{name.value!r} is both given again and removed", name))
        else:
            del entries[name.value]
            keys.pop(name.value, None)
    for key, value in row.items():
        if key not in ("append", "remove"):
            entries[key] = value
            keys[key] = row.keys[key]
    more = row.get("append")
    if more is not None:
        for key, value in more.items():
            if key in row.value:
                found.append(diagnose("E223", f"{key!r} is both given again and appended to", more, key=key))
            elif key not in entries:
                hint = did_you_mean(key, below.value)
                message = f"nothing to append to: the row below has no {key!r}"
                found.append(diagnose("E221", message, more, key=key, hint=hint))
            else:
                entries[key] = _added(entries[key], value, found)
                keys[key] = more.keys[key]
    return row.with_entries(entries, keys)


def _added(below: Node, more: Node, found: list[Diagnostic]) -> Node:
    """What `append` makes of a value: lists follow one another, maps are merged entry by entry."""
    if below.is_list and more.is_list:
        return Node([*below.value, *more.value], more.file, more.line, more.column)
    if below.is_map and more.is_map:
        entries, keys = dict(below.value), dict(below.keys)
        for key, value in more.items():
            old = entries.get(key)
            both = old is not None and ((old.is_list and value.is_list) or (old.is_map and value.is_map))
            entries[key] = _added(old, value, found) if old is not None and both else value
            keys[key] = more.keys[key]
        return more.with_entries(entries, keys)
    message = "only a list can be appended to a list, and a map to a map"
    found.append(diagnose("E224", message, more, hint=f"the value below is at {below.where}"))
    return below


def _manifest(below: Node, above: Node, *, of_rows: bool = False) -> Node:
    """The upper manifest with the settings of both; `of_rows`: the lower one with settings of rows that are
    laid over it.
    """
    whole = below if of_rows else above
    entries, keys = dict(whole.value), dict(whole.keys)
    old, new = below.get(SETTINGS), above.get(SETTINGS)
    both = [node for node in (old, new) if node is not None]
    if both and all(node.is_map for node in both):
        entries[SETTINGS] = both[0] if len(both) == 1 else merged_maps(*both)
        keys.setdefault(SETTINGS, (below if old is not None else above).keys[SETTINGS])
    return whole.with_entries(entries, keys)


def merged_maps(below: Node, above: Node) -> Node:
    """Maps entry by entry, at every depth; in place of everything else, what stands above."""
    if not (below.is_map and above.is_map):
        return above
    entries, keys = dict(below.value), dict(below.keys)
    for key, value in above.items():
        entries[key] = merged_maps(entries[key], value) if key in entries else value
        keys[key] = above.keys[key]
    return above.with_entries(entries, keys)
