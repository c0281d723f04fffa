"""Decisions as a moderator reads, types and answers them: a list with a letter for each, and from what is
typed (a letter, words, names or ids) to the ids of a decision, of what it is about and of its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from ..core.faults import StoreError
from ..core.words import joined
from ..orders.names import Names
from ..ruleset.order_syntax import FORM_OF, WORDS_OF_KIND
from ..store import Game
from ..turn.context import OrderContext
from ..turn.decisions import MODERATOR, answer_refusal, kind_of_answers, subject_of
from ..turn.left_open import left_open
from .questions import open_now
from .views import view_world, whole_world


class NotAnswerable(StoreError):
    """A question that is not open, or an answer that is none of it."""


@dataclass(frozen=True, slots=True)
class ListedDecision:
    """A decision that may be answered now, as it is listed.

    `letter` and `words` are what may be typed for its `key`; `says` what is asked; `about`: the kind of thing
    that has to be named with it, after a slash, if any.
    """

    letter: str
    key: str
    words: str
    says: str
    about: str = ""

    @property
    def line(self) -> str:
        """As a moderator reads it."""
        named = f" (with /{WORDS_OF_KIND.get(self.about, self.about)})" if self.about else ""
        return f"{self.letter}  {self.words}{named}{': ' if self.says else ''}{self.says}"


def listed(game: Game) -> list[ListedDecision]:
    """What may be answered now: each thing that is left to the moderator, then what may come up.

    The letters hold as long as the game waits at the same point, whatever is answered meanwhile.
    """
    rows = game.ruleset.rows("decisions")
    left = left_open(whole_world(game), game.stage().position.waiting or {})
    said = [(o.key, o.said, "") for o in left]
    for id_ in sorted(open_now(game)):
        said.append((id_, str(rows[id_].get("help", "")), subject_of(rows[id_])[1]))
    return [
        ListedDecision(letter, key, in_words(game, key), says, about)
        for letter, (key, says, about) in zip(_letters(), said, strict=False)
    ]


def in_words(game: Game, key: str) -> str:
    """A decision by its key in words: its name, and what it is about."""
    decision, _, subject = key.partition("/")
    row = game.ruleset.row_or_empty("decisions", decision)
    kind = subject_of(row)[1] if row else ""
    about = Names(game.ruleset, game.stage().position.state).printed(kind, subject) if subject else ""
    return f"{decision.replace('-', ' ')}{', ' if about else ''}{about}"


def answer_in_words(game: Game, answer: Any) -> str:
    """An answer by the names of what it stands for."""
    if isinstance(answer, list):
        return ", ".join(answer_in_words(game, one) for one in answer)
    named = (game.ruleset.row_or_empty(form, str(answer)).get("name") for form in FORM_OF.values())
    return str(next(filter(None, named), str(answer).replace("-", " ")))


def answer_for(game: Game, nation: str, decision: str, answer: Any) -> None:
    """Answer a question for a nation, or for the moderator.

    NotAnswerable where it is not open, or not answered so.
    """
    view = view_world(game, nation) if nation != MODERATOR else whole_world(game)
    why = answer_refusal(OrderContext(view), nation, decision, answer)
    if why is not None:
        raise NotAnswerable(f"{why.text}{f'; {why.hint}' if why.hint else ''}")
    if nation != MODERATOR and nation not in game.asked():
        raise NotAnswerable(f"{game.name_of(nation)} is not asked for anything now")
    id_ = decision.partition("/")[0]
    if id_ not in (may := open_now(game)):
        here = (
            f"open are {', '.join(in_words(game, i) for i in sorted(may))}" if may else "no question is open"
        )
        raise NotAnswerable(f"nothing asks {in_words(game, id_)} before orders are taken again; {here}")
    game.decide(nation, decision, answer)


def who_answers(game: Game, nation: str) -> str:
    """A nation by its name; `The moderator` where they answer for themselves."""
    return f"The {MODERATOR}" if nation == MODERATOR else game.name_of(nation)


def key_named(game: Game, typed: str) -> str:
    """The key of the decision that is meant: by its letter, its words or its id, and after a slash or a comma
    the name or the id of what it is about.

    NotAnswerable with the list where it is none of them.
    """
    rows = game.ruleset.rows("decisions")
    if typed in rows:
        return typed
    here = listed(game)
    whole = {form: one.key for one in here for form in (one.letter, joined(one.words))}
    head, *subject = (part.strip() for part in re.split("[/,]", typed, maxsplit=1))
    if not subject and (key := whole.get(joined(typed))):
        return key
    by_words = {joined(id_): id_ for id_ in rows}
    id_ = by_words.get(joined(head)) or whole.get(joined(head), "")
    if id_ not in rows:
        may = "\n".join(f"  {one.line}" for one in here)
        raise NotAnswerable(
            f"no decision is called {typed!r}; you may answer:\n{may}" if here else "no question is open"
        )
    return f"{id_}/{_id_of(game, subject_of(rows[id_])[1], subject[0])}" if subject else id_


def answer_named(game: Game, nation: str, key: str, typed: str) -> Any:
    """The answer that is meant: a number, a list (as JSON), or an answer or a thing by its name or id."""
    try:
        value = json.loads(typed)
    except (json.JSONDecodeError, RecursionError):
        value = typed
    row = game.ruleset.row_or_empty("decisions", key.partition("/")[0])
    if not row:
        return value
    choices = {joined(str(one)): one for one in row["from"]} if isinstance(row.get("from"), list) else {}
    context = OrderContext(whole_world(game))
    me = context.world.thing(nation, "nation")
    names = {} if nation == MODERATOR else {"self": me, "nation": me}
    kind = kind_of_answers(context, row, names, value)

    def meant(one: Any) -> Any:
        if not isinstance(one, str):
            return one
        if not choices:
            return _id_of(game, kind, one)
        by_name = {joined(answer_in_words(game, choice)): choice for choice in choices.values()}
        return choices.get(joined(one), by_name.get(joined(one), one))

    return [meant(one) for one in value] if isinstance(value, list) else meant(value)


def _id_of(game: Game, kind: str, typed: str) -> str:
    """The id of the one thing of a kind that goes by a name; what is typed, if there is no such one."""
    found = Names(game.ruleset, game.stage().position.state).find(kind, joined(typed))
    return found[0] if len(found) == 1 else typed


def _letters() -> Iterator[str]:
    """a, b, and so on to z; then aa, ab, and so on."""
    yield from ascii_lowercase
    for first in ascii_lowercase:
        for second in ascii_lowercase:
            yield first + second
