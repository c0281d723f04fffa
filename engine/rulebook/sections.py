"""Rows of a form in words: a section of the rulebook each, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.model import Row, Ruleset
from ..play.scenario_files import option_values
from ..ruleset.limits import needs_of, with_own_cases
from ..turn.matrices import cell_of
from .phrases import asked, cell, fact_words, flat, if_words, parameter, table, tail_words
from .spoken import Spoken

CHANGES = {"base": "starts at", "add": "plus", "times": "times", "at_least": "at least", "at_most": "at most", "final": "is"}
"""What an adjust does, by its key."""
MAX_CELLS = 12
PLUMBING = {
    "id",
    "source",
    "basis",
    "lines",
    "note",
    "silence",
    "aliases",
    "color",
    "lon",
    "lat",
    "plural",
    "symbol",
    "read_back",
}


def act(ruleset: Ruleset, row: Row) -> str:
    """What a nation may do: how it is written, what it costs, what forbids it, and what comes of it."""
    facts, say = [], Spoken(ruleset)
    if "for" in row:
        facts.append(f"open to: {_whom(say, row['for'])}")
    if "cost" in row:
        facts.append(f"costs: {_cost(ruleset, row['cost'])}")
    for most, keys in row.get("limit", {}).items():
        facts.append(f"at most {most} for each {', '.join(keys)}")
    facts += dict.fromkeys(f"not allowed: {asked(say, n['else'])}" for n in needs_of(ruleset, row))
    facts += list(tail_words(say, with_own_cases(ruleset, row)))
    for step, outcomes in row.get("outcomes", {}).items():
        facts.append(f"what can become of it, known after {step}: {', '.join(dict.fromkeys(o['id'] for o in outcomes))}")
    says = f" – {row['help']}" if row.get("help") else ""
    return f"#### {title(row)}\n\n`{row['form']}`{says}\n\n" + "\n".join(f"- {f}" for f in facts or ["no conditions"])


def _whom(say: Spoken, whom: Any) -> str:
    """Whom a row is for: names, or an expression."""
    if isinstance(whom, list):
        return ", ".join(say.named(str(w)) for w in whom)
    name = say.named(str(whom))
    return name if name != str(whom) else say.truth(whom)


def _cost(ruleset: Ruleset, cost: Any) -> str:
    say = Spoken(ruleset)
    if isinstance(cost, Mapping):
        return ", ".join(f"{parameter(say, v)} {say.named(k)}" for k, v in cost.items())
    if not ruleset.has("quantities", str(cost)):
        return parameter(say, cost)
    quantity = ruleset.row("quantities", str(cost))
    changed = any(row["of"] == cost for row in ruleset.rows("adjusts").values())
    base = say.truth(quantity["base"]) if isinstance(quantity.get("base"), str) else cell(quantity.get("base", 0))
    return f"{base}, the {title(quantity).replace('-', ' ')}" + (
        " (changed by what stands under Bonuses and penalties)" if changed else ""
    )


def order(ruleset: Ruleset, row: Row) -> str:
    """What units may be ordered."""
    say, options = Spoken(ruleset), ruleset.rows("order_options")
    facts = [f"not allowed: {asked(say, n['else'])}" for n in row.get("needs", ()) if "else" in n]
    facts += [f"after a colon: `{options[o]['form']}`" for o in row.get("options", ()) if o in options]
    says = f" – {row['help']}" if row.get("help") else ""
    return f"#### {title(row)}\n\n`{row['form']}`{says}" + "".join(f"\n{'' if n else chr(10)}- {f}" for n, f in enumerate(facts))


def event(ruleset: Ruleset, row: Row) -> str:
    """What happens by itself: what it waits for, and what comes of it."""
    facts, say = [], Spoken(ruleset)
    if "on" in row:
        facts.append(f"waits for: {fact_words(say, row['on'])}")
    if "becomes" in row:
        facts.append(f"when this becomes true: {say.truth(row['becomes'])}")
    if "for" in row:
        facts.append(f"concerns: {_whom(say, row['for'])}")
    if "when" in row:
        facts.append(f"if: {say.truth(row['when'])}")
    if row.get("once"):
        facts.append("once in a game")
    facts += list(tail_words(say, row))
    return f"#### {title(row)}\n\n" + "\n".join(f"- {f}" for f in facts)


def items(ruleset: Ruleset) -> Iterator[str]:
    """What can be bought."""
    rows, say = ruleset.rows("catalogue"), Spoken(ruleset)
    if rows:
        yield table(
            ["item", "price", "where", "uses", "not allowed"],
            [
                [
                    title(r),
                    r.get("price"),
                    r.get("site_else"),
                    _uses(r.get("uses")),
                    "; ".join(asked(say, n["else"]) for n in r.get("needs", ())),
                ]
                for r in rows.values()
            ],
        )


def _uses(uses: Any) -> str:
    if not isinstance(uses, Mapping):
        return cell(uses)
    return ", ".join(f"{cell(v.get('each')) if isinstance(v, Mapping) else cell(v)} {k}" for k, v in uses.items())


def sides(ruleset: Ruleset) -> Iterator[str]:
    nations = ruleset.rows("nations")
    if not nations:
        return
    yield "## Nations"
    fields = ruleset.rows("fields").values()
    named = [f["id"] for f in fields if "nation" in f["of"] and f.get("form") == "places" and f["type"] == "id"]
    seats = [name for name in named if any(name in row for row in nations.values())]
    yield table(
        ["nation", "side", *(seat.replace("_", " ") for seat in seats)],
        [
            [title(r), name_of(ruleset, "sides", r.get("side")), *(name_of(ruleset, "places", r.get(seat)) for seat in seats)]
            for r in nations.values()
        ],
    )
    if ruleset.rows("stances"):
        yield "### What they can be to each other"
        keys = _keys(ruleset.rows("stances").values(), skip={"name", "default"})
        yield table(["stance", *keys], [[title(r), *(r.get(k) for k in keys)] for r in ruleset.rows("stances").values()])


def units(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("units")
    if not rows:
        return
    yield "## Units"
    keys = _keys(rows.values(), skip={"name"})
    yield table(["unit", *keys], [[title(r), *(r.get(k) for k in keys)] for r in rows.values()])
    for row in rows.values():
        for grade, fields in row.get("grades", {}).items():
            users = [n["id"] for n in ruleset.rows("nations").values() if n.get("grade", {}).get(row["id"]) == grade]
            figures = ", ".join(f"{k} {v}" for k, v in fields.items() if k not in PLUMBING)
            yield f"- {title(row)}, grade *{grade}*: {figures} ({', '.join(users) or 'nobody at the start'})"


def technologies(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("technologies")
    if not rows:
        return
    yield "## Technologies"
    keys = _keys(rows.values(), skip={"name"})
    yield table(["technology", *keys], [[title(r), *(r.get(k) for k in keys)] for r in rows.values()])


def verdicts(ruleset: Ruleset) -> Iterator[str]:
    """Results that hang on each other: whose, when yes, and what a ring of them comes to."""
    rows = ruleset.rows("verdicts")
    if not rows:
        return
    yield "## Results that hang on each other"
    yield "All of a step are found together: whatever is certain first, and so on until nothing changes."
    say = Spoken(ruleset)
    for row in rows.values():
        left = "; ".join(f"{'yes' if r['is'] else 'no'}{if_words(say, r)}" for r in row.get("left", ()))
        lines = [
            f"### {row.get('name') or row['id'].replace('_', ' ').capitalize()}",
            f"- of: {say.truth(row['over'])}",
            f"- yes if: {say.truth(row['yes'])}",
        ]
        yield "\n".join([*lines, *([f"- where such results hang on themselves: {left}"] if left else [])])


def battles(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("battles")
    if not rows:
        return
    yield "## Battles"
    told = dict.fromkeys(f"### {title(row)}\n\n{_stages(row)}" for row in rows.values())  # some differ in who takes part alone
    yield from told


def _stages(row: Row) -> str:
    return table(
        ["stage", "who", "die", "value", "hits", "losses"],
        [
            [
                s["id"],
                s.get("who", s.get("side")),
                s.get("die", row.get("die")),
                flat(s.get("value")),
                s.get("hits"),
                s.get("losses"),
            ]
            for s in row.get("stages", ())
        ],
    )


def adjusts(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("adjusts")
    if not rows:
        return
    yield "## Bonuses and penalties"
    say = Spoken(ruleset)
    yield table(
        ["of", "for", "when", "change"],
        [
            [
                say.named(str(r["of"])).replace("-", " "),
                _whom(say, r["for"]) if "for" in r else "",
                say.truth(r["when"]) if "when" in r else "",
                ", ".join(f"{CHANGES[k]} {say.truth(r[k])}" for k in CHANGES if k in r),
            ]
            for r in rows.values()
        ],
    )


def objectives(ruleset: Ruleset) -> Iterator[str]:
    rows, aims = ruleset.rows("objectives"), ruleset.rows("aims")
    if not rows:
        return
    yield "## Objectives"
    say = Spoken(ruleset)
    yield table(
        ["aim", "reached if", "counts", "points"],
        [
            [title(a), say.truth(a["is"]), a.get("count", "each") if a["of"] != "number" else "", a["points"]]
            for a in aims.values()
        ],
    )
    yield table(
        ["nation", "side", "aim", "of", "points"],
        [
            [
                title(ruleset.row("nations", id_)),
                side,
                title(aims[aim]),
                flat(of),
                row.get("points", {}).get(aim, aims[aim]["points"]),
            ]
            for id_, row in rows.items()
            for side, goals in row["goals"].items()
            for aim, of in goals.items()
        ],
    )


def matrices(ruleset: Ruleset) -> Iterator[str]:
    for matrix in ruleset.rows("matrices").values():
        yield f"## Reactions: {title(matrix)}"
        columns = [c if isinstance(c, str) else next(iter(c)) for c in matrix["columns"]]
        yield table(
            ["what happens", *columns],
            [[r.get("label", r["id"]), *(_reaction(cell_of(matrix, r, c)) for c in columns)] for r in matrix["rows"]],
        )


def tables(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("tables")
    if rows:
        yield "## Tables"
    for row in rows.values():
        yield f"### {title(row)}"
        cells = row.get("bands") or row.get("rows", {})
        yield table(["key", "value"], [[k, flat(v)] for k, v in cells.items()])


def terms(ruleset: Ruleset) -> Iterator[str]:
    rows = ruleset.rows("terms")
    if rows:
        yield "## Terms"
        yield table(
            ["term", "of", "means", "exactly"], [[r["id"], r.get("of"), r.get("text"), f"`{r['is']}`"] for r in rows.values()]
        )


def readings(ruleset: Ruleset) -> Iterator[str]:
    if ruleset.rows("rulings"):
        yield "## Readings of unclear rules"
        yield "\n".join(f"- {r.get('question', r['id'])}: {r['reading']}" for r in ruleset.rows("rulings").values())
    if ruleset.rows("options"):
        yield "## Options"
        yield table(
            ["option", "default", "values", "what"],
            [[r["id"], r["default"], option_values(r), r.get("text")] for r in ruleset.rows("options").values()],
        )


def _keys(rows: Iterable[Row], skip: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    """The keys that rows have beside their plumbing, the most common first."""
    count: dict[str, int] = {}
    for row in rows:
        for key, value in row.items():
            if key not in PLUMBING and key not in skip and not isinstance(value, Mapping):
                count[key] = count.get(key, 0) + 1
    return sorted(count, key=lambda k: -count[k])[:MAX_CELLS]


def name_of(ruleset: Ruleset, form: str, id_: Any) -> str:
    return title(ruleset.row(form, id_)) if id_ and ruleset.has(form, id_) else ""


def title(row: Row) -> str:
    return str(row.get("name") or row.get("title") or row["id"])


def _reaction(found: Any) -> str:
    """A cell of a matrix: how far, and which way."""
    if not found:
        return ""
    way = next((f"{k} {found[k]}" for k in ("toward", "against") if k in found), "to zero" if found.get("to_zero") else "")
    return f"{found['by']} {way}"
