"""The pages for whoever works on rules: tables with the place of every value, a draft that is looked at
before it is a file.

A draft is one layer over a shipped ruleset (`docs/overlays.md`). It lives in the browser's form alone: each
look lays it into a folder of its own for as long as the look takes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import Response

from wteaw.core.diagnostics import Diagnostic, has_errors
from wteaw.core.faults import StoreError
from wteaw.core.model import Ruleset
from wteaw.core.package_data import data_root, rulesets
from wteaw.core.state import State
from wteaw.odds.ask import Question
from wteaw.odds.chain import odds as compute_odds
from wteaw.odds.result import Odds
from wteaw.orders.odds_question import Composer, Unclear
from wteaw.rulebook import rulebook as written
from wteaw.ruleset import load_ruleset
from wteaw.ruleset.compare import compare
from wteaw.ruleset.describe_diff import one_line, tell
from wteaw.ruleset.folder import find_rulesets
from wteaw.testing.cases import cases_about
from wteaw.testing.compared import Compared, compared
from wteaw.world.world import World

from .games import Games
from .web import Visit

MAX_DRAFT, MOST_FINDINGS, MOST_ROWS = 40_000, 60, 2000
BASE, DRAFT = ".", "draft.yaml"
TESTING = 12.0
"""Seconds for which rule tests are run; those that are left are counted."""
ASKED = ("attacker", "defender", "place")
"""The fields of the form that ask for the odds of a battle."""


@dataclass(frozen=True)
class RowValue:
    """One key of a row: what it says, and the file and line that say so."""

    key: str
    says: str
    at: str


@dataclass(frozen=True)
class BattleComparison:
    """The same question under the rules as they are and as the draft has them."""

    title: str
    before: Odds
    after: Odds | None


@dataclass(frozen=True)
class DraftPreview:
    """What comes of a draft: findings, the difference in words, a battle's odds (or why there are none), and
    rule tests.
    """

    found: tuple[Diagnostic, ...]
    lines: tuple[str, ...] = ()
    battle: BattleComparison | None = None
    unclear: str = ""
    tests: Compared | None = None


def shipped() -> dict[str, str]:
    """The rulesets that come with the program: their folder below the first, and the name to choose them
    by.
    """
    root = rulesets()
    return {str(f.relative_to(root)): f.name if f != root else "the base" for f in find_rulesets(root)}


def loaded(hall: Games, name: str) -> Ruleset:
    """A shipped ruleset. StoreError if there is none of that name, or it has errors."""
    if name not in shipped():
        raise StoreError("there is no such ruleset")

    def load() -> Ruleset:
        rules, found = load_ruleset(rulesets() / name)
        if rules is None:
            raise StoreError(f"these rules have {sum(d.severity == 'error' for d in found)} errors")
        return rules

    return hall.kept(("rules", name), load)


def tables(visit: Visit) -> Response:
    """The forms of a ruleset, the rows of one, and each value of a row with the place that it comes from."""
    name = visit.query("rules") or BASE
    rules = loaded(visit.hall, name)
    form, id_ = visit.query("form"), visit.query("row")
    if form and form not in rules.forms:
        raise StoreError("there is no such form")
    rows = (
        [(i, str(r.get("name", ""))) for i, r in list(rules.rows(form).items())[:MOST_ROWS]] if form else []
    )
    values = _values(rules, form, id_) if form and id_ else ()
    forms = [(f, len(rules.rows(f))) for f in rules.forms]
    return visit.show(
        "tables.html.j2",
        name=name,
        shipped=shipped(),
        rules=rules,
        forms=forms,
        form=form,
        rows=rows,
        row=id_,
        values=values,
    )


def _values(rules: Ruleset, form: str, id_: str) -> tuple[RowValue, ...]:
    if not rules.has(form, id_):
        raise StoreError("there is no such row")
    row: Mapping[str, Any] = rules.row(form, id_)
    return tuple(RowValue(k, one_line(v), rules.origin(form, id_, k)) for k, v in row.items() if k != "id")


def rulebook(visit: Visit) -> Response:
    """The rules as a reader wants them."""
    name = visit.query("rules") or BASE
    text = visit.hall.kept(("rulebook", name), lambda: visit.hall.work(book_of, name))
    return Response(text, media_type="text/plain; charset=utf-8")


def book_of(hall: Games, name: str) -> str:
    """The rulebook of a ruleset."""
    return written(loaded(hall, name))


def draft(visit: Visit) -> Response:
    """Where a draft is written."""
    return _draft(visit, visit.query("rules") or BASE, "", DraftPreview(()))


def look(visit: Visit) -> Response:
    """What a draft would change: findings, the difference in words, a battle's odds and rule tests before and
    after.
    """
    visit.allow("draft")
    name, text = visit.form.get("rules", BASE), visit.form.get("text", "")
    if len(text) > MAX_DRAFT:
        raise StoreError(f"a draft has at most {MAX_DRAFT:,} characters")
    asked = {k: visit.form.get(k, "") for k in ASKED} if visit.form.get("attacker", "").strip() else None
    return _draft(
        visit, name, text, visit.hall.work(looked_at, name, text, asked, visit.form.get("tests") == "1")
    )


def looked_at(
    hall: Games, name: str, text: str, asked: Mapping[str, str] | None, tests: bool
) -> DraftPreview:
    """What comes of a draft over a ruleset; `asked`: a battle whose odds are wanted, `tests`: whether rule
    tests are.
    """
    before = loaded(hall, name)
    after, found = over(name, text)
    battle, unclear = None, ""
    try:
        battle = _battle(before, after, asked) if asked is not None else None
    except StoreError as error:
        unclear = str(error)
    if after is None:
        return DraftPreview(tuple(found), battle=battle, unclear=unclear)
    differs = list(compare(before, after))
    lines = tuple(tell(differs, before, after, _at)) or ("no difference",)
    if not tests:
        return DraftPreview(tuple(found), lines, battle, unclear)
    cases = hall.kept(("cases", name), lambda: cases_about(rulesets() / name))
    return DraftPreview(
        tuple(found), lines, battle, unclear, compared(cases, before, after, differs, seconds=TESTING)
    )


def _draft(visit: Visit, name: str, text: str, look: DraftPreview) -> Response:
    return visit.show(
        "draft.html.j2",
        name=name,
        shipped=shipped(),
        text=text,
        look=look,
        found=look.found[:MOST_FINDINGS],
        asked={k: visit.form.get(k, "") for k in ASKED},
        errors=sum(d.severity == "error" for d in look.found),
        looked=bool(text.strip()),
        tests=visit.request.method == "GET" or visit.form.get("tests") == "1",
    )


def over(name: str, text: str) -> tuple[Ruleset | None, list[Diagnostic]]:
    """A shipped ruleset with a draft laid over it, and what is found in the draft; no ruleset where that has
    errors.
    """
    with tempfile.TemporaryDirectory(prefix="wteaw-draft-") as folder:
        base = Path(os.path.normpath(rulesets() / name)).relative_to(data_root())
        (Path(folder) / "ruleset.yaml").write_text(
            f"id: draft\ntitle: A draft\ndescription: A draft of the server.\nextends: data:{base}\n",
            encoding="utf-8",
        )
        (Path(folder) / "tables").mkdir()
        (Path(folder) / "tables" / DRAFT).write_text(text, encoding="utf-8")
        rules, found = load_ruleset(Path(folder))
        mine = sorted(
            (d for d in found if DRAFT in d.file or d.severity == "error"), key=lambda d: DRAFT not in d.file
        )
        return (None if has_errors(found) else rules), mine


def _at(origin: str) -> str:
    return origin.rpartition("/")[2]


def _battle(before: Ruleset, after: Ruleset | None, form: Mapping[str, str]) -> BattleComparison:
    """The odds of a battle under both. StoreError where the question is not understood."""
    title, first = _odds(before, form)
    return BattleComparison(title, first, _odds(after, form)[1] if after is not None else None)


def _odds(rules: Ruleset, form: Mapping[str, str]) -> tuple[str, Odds]:
    composer = Composer(World(rules, State({"game": {"game": {"turn": 1}}})))
    try:
        where = composer.place(form.get("place", ""))
        attackers = composer.force([form.get("attacker", "")], 0, where)
        defenders = composer.force([form.get("defender", "")], 1)
        question = composer.settled(Question("", attackers, defenders, where))
    except Unclear as unclear:
        raise StoreError(str(unclear)) from None
    return composer.title(question), compute_odds(composer.world, question)
