"""`collect`: what places and arrangements yield is added up for each nation, limited by its income, and put
into its treasuries.

Yields are rows; the limit of a nation (a rate, a cap, a fixed sum) is a stat whose base is what was gathered.
A limit that leaves less than was gathered is shared over the treasuries in proportion, rounded down; what is
over falls to the main treasury.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..core.model import Row
from ..core.rows import IncomeRow
from ..core.state import Entity
from ..ruleset.expressions.parse import strip_mark
from ..turn.context import Turn
from ..world import treasury as stores
from ..world.applies_to import is_for
from ..world.messages import much, say
from ..world.selections import as_set, id_of
from ..world.world import exact, round_as
from .purchase import unite_purses

Gathered = dict[tuple[str, str], Any]
"""(resource, treasury) -> amount."""


def run(node: Row, turn: Turn) -> None:
    """Collect for all nations, or in a nation's own turn for it alone.

    `yields` names the rows (absent: all); `income` the stat of a nation that limits the total (absent:
    nothing does);
    `when` inside rows tests the state of the step, which all nations read before any is paid. With `adds` the
    income of the nation is what an earlier step has found with that of this one. Who collects nothing has an
    income of 0.
    """
    unite_purses(turn)
    ids = node.get("income") or list(turn.ruleset.rows("income"))
    gathered = []
    for nation in turn.world.nations() if turn.mover is None else [turn.mover]:
        found = gather(turn.world, nation, ids, node.get("total_stat"))
        if found is not None:
            gathered.append((nation, found))
        elif not node.get("adds") and turn.state.get(
            "nations", nation, "income"
        ):  # it collects nothing any more
            with turn.journal.entry(
                "sequence/" + turn.journal.step, subject=nation, audience=(nation,), keep=False
            ):
                turn.journal.set("nations", nation, "income", 0)
    for nation, (parts, data) in gathered:
        sums = [much(turn.world, v, k) for k, v in _totals(parts).items()]
        says = say(
            turn.world, "{nation} {collects|collect} {sums}.", nation=Entity("nation", nation), sums=sums
        )
        with turn.journal.entry(
            "sequence/collect", subject=nation, audience=(nation,), data=data, says=says
        ) as entry:
            if turn.step_row.get("step"):
                entry.rule = f"sequence/{turn.step_row['step']}"
            for (resource, purse), amount in sorted(parts.items()):
                if amount:
                    turn.journal.add("treasuries", purse, resource, amount)
            earlier = turn.state.get("nations", nation, "income", 0) if node.get("adds") else 0
            turn.journal.set("nations", nation, "income", exact(earlier + data["income"]))


def gather(
    world: Any, nation: str, ids: list[str], income: str | None
) -> tuple[Gathered, dict[str, Any]] | None:
    """What a nation collects: amounts by treasury, and the items for the journal, with their `purses` where
    not all comes into the main one.

    None if nothing concerns it.
    """
    main = stores.money(world.ruleset)
    limited: Gathered = {}
    free: Gathered = {}
    items: list[dict[str, Any]] = []
    for id_ in ids:
        row = world.ruleset.row("income", id_)
        if "for" in row and not is_for(world, row["for"], nation):
            continue
        names = {"self": Entity("nation", nation), "nation": Entity("nation", nation)}
        if "over" not in row and not world.test(row.get("when"), names):
            continue
        resource = str(row.get("into", main))
        parts = _yield(world, nation, row, names, resource)
        if not parts:
            continue
        item: dict[str, Any] = {"yield": id_, "amount": str(sum(parts.values()))}
        if parts.keys() != {stores.main_purse(world, nation, resource)}:
            item["purses"] = {purse: str(amount) for purse, amount in sorted(parts.items())}
        items.append(item)
        target = limited if row.get("limited", True) and resource == main else free
        for purse, amount in parts.items():
            target[resource, purse] = target.get((resource, purse), 0) + amount
    total = sum(limited.values())
    rows: list[str] = []
    if income is not None and (limited or world.ruleset.has("stats", income)):
        quantity = world.ruleset.row("stats", income)
        subject = Entity("nation", nation)
        _, applied = world.quantity_with_rows(income, subject)
        names = world.subject_names(subject, {})
        allowed = world.combine(quantity, total, applied, names)
        rows = [a["id"] for a in applied]
        if allowed != total:
            limited = _share(world, nation, limited, total, allowed, main)
            total = allowed
    if not limited and not free:
        return None
    out = {k: exact(v) for k, v in {**free}.items()}
    for key, amount in limited.items():
        out[key] = out.get(key, 0) + exact(amount)
    data = {"items": items, "rows": rows, "income": exact(total)}
    return out, data


def _yield(world: Any, nation: str, row: IncomeRow, names: dict[str, Any], resource: str) -> dict[str, Any]:
    """Amounts by treasury of one yield row."""
    # `seat` names the place whose treasury it goes to; absent: the thing itself, if it is a place
    parts: dict[str, Any] = {}
    if "over" in row:
        text = strip_mark(row["over"])
        for thing in as_set(world, world.value(text, names)):
            scope = {**names, thing.kind: thing, "nation": names["nation"]}
            if not world.test(row.get("when"), scope):
                continue
            amount = round_as(Fraction(world.number(row["amount"], scope) or 0), row.get("round"))
            if amount:
                seat = thing if "seat" not in row else world.marked(row["seat"], scope)
                at = id_of(seat) if not isinstance(seat, Entity) or seat.kind == "place" else None
                purse = stores.purse_at(world, nation, at, resource)
                parts[purse] = parts.get(purse, 0) + amount
    else:
        amount = round_as(Fraction(world.number(row["amount"], names) or 0), row.get("round"))
        if amount:
            parts[stores.main_purse(world, nation, resource)] = amount
    return parts


def _share(world: Any, nation: str, parts: Gathered, total: Any, allowed: Any, resource: str) -> Gathered:
    """An allowed total shared over treasuries as what was gathered in them; what exceeds it falls to the main
    treasury.
    """
    home = (resource, stores.main_purse(world, nation, resource))
    if not total or allowed > total:
        out = dict(parts)
        out[home] = out.get(home, 0) + allowed - total
        return out
    exactly = {k: Fraction(v) * Fraction(allowed) / Fraction(total) for k, v in parts.items()}
    if Fraction(allowed).denominator != 1:
        return {k: exact(v) for k, v in exactly.items()}
    out = {k: v.numerator // v.denominator for k, v in exactly.items()}
    keeper = home if home in out else max(sorted(out), key=lambda k: exactly[k])
    out[keeper] += int(allowed) - sum(out.values())
    return out


def _totals(parts: Gathered) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for (resource, _), amount in sorted(parts.items()):
        out[resource] = out.get(resource, 0) + amount
    return out
