"""A readable rulebook made from the tables: what a ruleset says, in the order in which a reader needs it.

Nothing is written by hand: rows become sentences and tables by their keys, so the rulebook is never behind the rules. `rulebook`
gives Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...core.model import Row, Ruleset
from ...ruleset.limits import needs_of
from ...turn.frame import phases
from ...turn.frame import steps as steps_of

MAX_CELLS = 12


def rulebook(ruleset: Ruleset) -> str:
    """The whole ruleset as Markdown."""
    parts = [
        f"# {ruleset.title}",
        *_turn(ruleset),
        *_sides(ruleset),
        *_units(ruleset),
        *_technologies(ruleset),
        *_orders(ruleset),
        *_acts(ruleset),
        *_verdicts(ruleset),
        *_battles(ruleset),
        *_adjusts(ruleset),
        *_objectives(ruleset),
        *_events(ruleset),
        *_matrices(ruleset),
        *_tables(ruleset),
        *_terms(ruleset),
        *_readings(ruleset),
    ]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(_cell(v) for v in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(v) for v in value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def _name(row: Row) -> str:
    return str(row.get("name") or row.get("title") or row["id"])


def _turn(ruleset: Ruleset) -> Iterator[str]:
    yield "## The turn"
    for number, phase in enumerate(phases(ruleset.frame), 1):
        steps = [str(s["step"]) for s in steps_of(phase.get("steps", ())) if "step" in s]
        yield f"{number}. **{_name({'id': phase['phase'], **phase})}**: {', '.join(steps)}"
    for row in ruleset.rows("calendar").values():
        length = f"A turn is {row.get('months', 1)} months, from {row.get('start', 'the start')}"
        yield f"{length}; the game has {row.get('turns', 'no set number of')} turns."


def _sides(ruleset: Ruleset) -> Iterator[str]:
    nations = ruleset.rows("nations")
    if not nations:
        return
    yield "## Nations"
    yield table(
        ["nation", "side", "capital"],
        [[_name(r), _of(ruleset, "sides", r.get("side")), _of(ruleset, "places", r.get("capital"))] for r in nations.values()],
    )
    if ruleset.rows("stances"):
        yield "### What they can be to each other"
        keys = _keys(ruleset.rows("stances").values(), skip={"name", "default"})
        yield table(["stance", *keys], [[_name(r), *(r.get(k) for k in keys)] for r in ruleset.rows("stances").values()])


def _of(ruleset: Ruleset, form: str, id_: Any) -> str:
    return _name(ruleset.row(form, id_)) if id_ and ruleset.has(form, id_) else ""


_PLUMBING = {"id", "source", "basis", "lines", "note", "silence", "aliases", "color", "lon", "lat", "plural", "symbol"}


def _keys(rows: Iterable[Row], skip: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    """The keys that rows have beside their plumbing, the most common first."""
    count: dict[str, int] = {}
    for row in rows:
        for key, value in row.items():
            if key not in _PLUMBING and key not in skip and not isinstance(value, Mapping):
                count[key] = count.get(key, 0) + 1
    return sorted(count, key=lambda k: -count[k])[:MAX_CELLS]


def _units(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("units")
    if not rows:
        return
    yield "## Units"
    keys = _keys(rows.values(), skip={"name"})
    yield table(["unit", *keys], [[_name(r), *(r.get(k) for k in keys)] for r in rows.values()])
    for row in rows.values():
        for grade, fields in row.get("grades", {}).items():
            users = [n["id"] for n in ruleset.rows("nations").values() if n.get("grade", {}).get(row["id"]) == grade]
            figures = ", ".join(f"{k} {v}" for k, v in fields.items() if k not in _PLUMBING)
            yield f"- {_name(row)}, grade *{grade}*: {figures} ({', '.join(users) or 'nobody at the start'})"


def _technologies(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("technologies")
    if not rows:
        return
    yield "## Technologies"
    keys = _keys(rows.values(), skip={"name"})
    yield table(["technology", *keys], [[_name(r), *(r.get(k) for k in keys)] for r in rows.values()])


def _orders(ruleset: Ruleset) -> Iterator[str]:
    rows = {**ruleset.rows("orders")}
    if not rows:
        return
    yield "## Orders"
    yield table(
        ["written", "what it does", "may say"],
        [[f"`{r['form']}`", r.get("help", _name(r)), r.get("options")] for r in rows.values()],
    )
    options = ruleset.rows("order_options")
    if options:
        yield "After a colon an order may say:"
        yield table(["written", "means"], [[f"`{r['form']}`", r.get("help")] for r in options.values()])


def _acts(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("acts")
    if not rows:
        return
    yield "## What nations may do"
    for row in rows.values():
        yield f"### {_name(row)}"
        yield f"`{row['form']}`" + (f" – {row['help']}" if row.get("help") else "")
        facts = []
        if "for" in row:
            facts.append(f"open to: {_cell(row['for'])}")
        if "cost" in row:
            facts.append(f"costs: {_cell(row['cost'])}")
        for most, keys in row.get("limit", {}).items():
            facts.append(f"at most {most} for each {', '.join(keys)}")
        facts += [f"not allowed: {n['else']}" for n in needs_of(ruleset, row)]
        facts += list(tail_words(row))
        for step, outcomes in row.get("outcomes", {}).items():
            facts.append(f"what can become of it, known after {step}: {', '.join(dict.fromkeys(o['id'] for o in outcomes))}")
        yield "\n".join(f"- {f}" for f in facts) or "- no conditions"


def _verdicts(ruleset: Ruleset) -> Iterator[str]:
    """Results that hang on each other: whose, when yes, and what a ring of them comes to."""
    rows = ruleset.rows("verdicts")
    if not rows:
        return
    yield "## Results that hang on each other"
    yield "All of a step are found together: whatever is certain first, and so on until nothing changes."
    for row in rows.values():
        left = "; ".join(f"{'yes' if r['is'] else 'no'}{_if(r)}" for r in row.get("left", ()))
        lines = [
            f"### {row.get('name') or row['id'].replace('_', ' ').capitalize()}",
            f"- of: `{row['over']}`",
            f"- yes if: `{row['yes']}`",
        ]
        yield "\n".join([*lines, *([f"- where such results hang on themselves: {left}"] if left else [])])


def _if(row: Row) -> str:
    return f" if `{row['when']}`" if "when" in row else ""


def _events(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("events")
    if not rows:
        return
    yield "## What happens by itself"
    for row in rows.values():
        yield f"### {_name(row)}"
        facts = []
        if "on" in row:
            facts.append(f"waits for: {fact_words(row['on'])}")
        if "becomes" in row:
            facts.append(f"when this becomes true: `{row['becomes']}`")
        if "for" in row:
            facts.append(f"concerns: `{_cell(row['for'])}`")
        if "when" in row:
            facts.append(f"if: `{row['when']}`")
        if row.get("once"):
            facts.append("once in a game")
        facts += list(tail_words(row))
        yield "\n".join(f"- {f}" for f in facts)


def fact_words(on: Any) -> str:
    """What an event waits for, in words."""
    if isinstance(on, list):
        return " or ".join(fact_words(o) for o in on)
    if isinstance(on, str):
        return on.replace("_", " ")
    word, filters = next(iter(on.items()))
    if not isinstance(filters, Mapping):
        return f"{word.replace('_', ' ')} {_cell(filters)}"
    return str(word).replace("_", " ") + "".join(f", {k} {_cell(v)}" for k, v in filters.items())


def tail_words(row: Mapping[str, Any]) -> Iterator[str]:
    """A tail in words: dice, cases, effects."""
    for effect in row.get("always", ()):
        yield f"always: {effect_words(effect)}"
    if "roll" in row:
        yield f"roll: {_roll_words(row['roll'])}"
    for faces, effects in row.get("results", {}).items():
        yield f"on {faces}: {'; '.join(effect_words(e) for e in effects) or 'nothing'}"
    for case in row.get("cases", ()):
        test = f"if `{case['when']}`: " if "when" in case else "otherwise: "
        yield test + "; ".join(tail_words(case))
    for effect in row.get("effects", ()):
        yield effect_words(effect)
    for effect in row.get("miss", ()):
        yield f"otherwise: {effect_words(effect)}"


def _roll_words(roll: Any) -> str:
    if isinstance(roll, str):
        return roll
    rest = [f"{k} {_cell(v)}" for k, v in roll.items() if k != "die"]
    return ", ".join([str(roll["die"]), *rest])


def effect_words(effect: Mapping[str, Any]) -> str:
    """One effect in words: its verb and parameters, and its condition."""
    words = []
    for key, value in effect.items():
        if key in ("when", "audience", "note"):
            continue
        if key in ("effects", "miss"):
            words.append("; ".join(effect_words(e) for e in value))
        elif key in ("roll",):
            words.append(f"roll {_roll_words(value)}")
        elif key in ("results", "cases", "answers", "in_turn"):
            words.append("; ".join(tail_words({key: value})) if key in ("results", "cases") else key)
        elif isinstance(value, Mapping):
            words.append(key + " " + ", ".join(f"{k} {_nested(v)}" for k, v in value.items()))
        else:
            words.append(f"{key} {_cell(value)}")
    test = f" (if `{effect['when']}`)" if "when" in effect else ""
    return ", ".join(words) + test


def _nested(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "; ".join(effect_words(v) for v in value)
    if isinstance(value, Mapping):
        return fact_words(value)
    return _cell(value)


def _battles(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("battles")
    if not rows:
        return
    yield "## Battles"
    for row in rows.values():
        yield f"### {_name(row)}"
        head = ["stage", "who", "die", "value", "hits", "losses"]
        yield table(
            head,
            [
                [
                    s["id"],
                    s.get("who", s.get("side")),
                    s.get("die", row.get("die")),
                    _flat(s.get("value")),
                    s.get("hits"),
                    s.get("losses"),
                ]
                for s in row.get("stages", ())
            ],
        )


def _flat(value: Any) -> Any:
    return ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, Mapping) else value


def _adjusts(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("adjusts")
    if not rows:
        return
    yield "## Bonuses and penalties"
    changes = ("base", "add", "times", "at_least", "at_most", "final")
    yield table(
        ["of", "for", "when", "change"],
        [
            [r["of"], r.get("for"), f"`{r['when']}`" if "when" in r else "", ", ".join(f"{k} {r[k]}" for k in changes if k in r)]
            for r in rows.values()
        ],
    )


def _objectives(ruleset: Ruleset) -> Iterator[str]:
    rows, aims = ruleset.rows("objectives"), ruleset.rows("aims")
    if not rows:
        return
    yield "## Objectives"
    yield table(
        ["aim", "reached if", "counts", "points"],
        [[_name(a), f"`{a['is']}`", a.get("count", "each") if a["of"] != "number" else "", a["points"]] for a in aims.values()],
    )
    yield table(
        ["nation", "side", "aim", "of", "points"],
        [
            [
                _name(ruleset.row("nations", id_)),
                side,
                _name(aims[aim]),
                _flat(of),
                row.get("points", {}).get(aim, aims[aim]["points"]),
            ]
            for id_, row in rows.items()
            for side, goals in row["goals"].items()
            for aim, of in goals.items()
        ],
    )


def _matrices(ruleset: Ruleset) -> Iterator[str]:
    for matrix in ruleset.rows("matrices").values():
        yield f"## Reactions: {_name(matrix)}"
        columns = [c if isinstance(c, str) else next(iter(c)) for c in matrix["columns"]]
        yield table(
            ["what happens", *columns],
            [[r.get("label", r["id"]), *(_cell_words(r["cells"].get(c)) for c in columns)] for r in matrix["rows"]],
        )


def _cell_words(cell: Any) -> str:
    if not cell:
        return ""
    way = next((f"{k} {cell[k]}" for k in ("toward", "against") if k in cell), "to zero" if cell.get("to_zero") else "")
    return f"{cell['by']} {way}"


def _tables(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("tables")
    if rows:
        yield "## Tables"
    for row in rows.values():
        yield f"### {_name(row)}"
        cells = row.get("bands") or row.get("rows", {})
        yield table(["key", "value"], [[k, _flat(v)] for k, v in cells.items()])


def _terms(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("terms")
    if rows:
        yield "## Terms"
        yield table(
            ["term", "of", "means", "exactly"], [[r["id"], r.get("of"), r.get("text"), f"`{r['is']}`"] for r in rows.values()]
        )


def _readings(ruleset: Ruleset) -> Iterator[str]:
    if ruleset.rows("rulings"):
        yield "## Readings of unclear rules"
        yield "\n".join(f"- {r.get('question', r['id'])}: {r['reading']}" for r in ruleset.rows("rulings").values())
    if ruleset.rows("options"):
        yield "## Options"
        yield table(
            ["option", "default", "values", "what"],
            [[r["id"], r["default"], r.get("values"), r.get("text")] for r in ruleset.rows("options").values()],
        )
