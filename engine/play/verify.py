"""Whether a stored game is what was played: chain of the journal, states, commitments, salts, and every turn
resolved again.

Each check names the first thing that does not fit, in words, or finds nothing. `WEIGHTLESS` says which tables
no check looks at, and why. `broken_chain` is quick and runs before every turn; `audit` looks at everything
and takes about as long as the game took to resolve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..core import canonical, fairness
from ..core.faults import RuleError, clean
from ..core.journal import FORMAT, Entry, number_and_hash, replay, verify_chain
from ..core.later import Later
from ..core.model import Ruleset
from ..store import Game, StoredPosition, Submission, inputs_from
from ..store.database import unpack
from ..store.queries import rows
from ..turn.referee import Resolution, resolve
from ..world.geography import Geography

if TYPE_CHECKING:
    from sqlalchemy import Table

    from ..store import ledger
else:
    ledger = Later("wteaw.store.ledger")

WEIGHTLESS: dict[str, str] = {
    "seat_keys": "who may hand orders in from now on: what was handed in, and for whom, stands in the "
    "hand-ins",
    "pool": "who waits for a position: who was given one stands in the corrections and the seats",
}
"""Tables of a game that no report, no die and no history draws on, each with the reason."""


def broken_chain(game: Game, *, anew: bool = True) -> str | None:
    """What is wrong with the journal as a chain, up to the present position; None if nothing is.

    Unless `anew`, what this very object has found right is not read again: it plays many turns one after
    another.
    """
    seen, head = (0, "") if anew or game.seen_right[0] > game.stage().position.entries else game.seen_right
    game.seen_right = 0, ""
    wrong = _broken_after(game, seen, head)
    if wrong is not None and seen:
        wrong = _broken_after(game, 0, "")
    if wrong is None:
        game.seen_right = game.stage().position.entries, game.stage().position.head
    return wrong


def _broken_after(game: Game, seen: int, head: str) -> str | None:
    """The same for the entries after the first so many, which end with this head."""
    numbers: list[int] = list(range(1, seen + 1))
    for text in _bodies(game, seen):
        found = number_and_hash(text, head)
        if found is None:
            body = canonical.loads(text)
            if (broken := verify_chain([body], head)) is not None:
                return f"entry {broken} of the journal is not what was written"
            found = int(body["n"]), str(body["hash"])
        number, head = found
        numbers.append(number)
    position = game.stage().position
    if (
        numbers != list(range(1, len(numbers) + 1))
        or head != position.head
        or len(numbers) != position.entries
    ):
        return "entries of the journal are missing"
    return None


def audit(game: Game, beside: Sequence[Table] = ()) -> Iterator[tuple[str, str | None]]:
    """Every check in order, as (what was looked at, what is wrong or None).

    Later ones may rest on those before. `beside`: tables of others that the game's chain holds as well.
    """
    checks: tuple[tuple[str, Callable[[Game], str | None]], ...] = (
        ("the chain of what the game has kept", lambda game: _kept(game, beside)),
        ("the chain of the journal", lambda game: broken_chain(game) or _entries(game)),
        ("rulesets and states under their hashes", _contents),
        ("states as the journal tells them", _replayed),
        ("the anchor and the commitments to dice", _commitments),
        ("salts against the orders that fixed them", _salts),
        ("orders as they were taken from their texts", _orders),
        ("the chain against what was published of it", _published),
        ("every turn resolved again", _resolved_again),
    )
    for what, look in checks:
        try:
            yield what, look(game)
        except RuleError:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
            yield what, f"what is stored cannot be read ({clean(str(error))[:200] or type(error).__name__})"


def damage(game: Game) -> str | None:
    """What of a stored game is not as it was written, None if nothing is: of `audit` what is quick and asks
    no rule.
    """
    for look in (_kept, lambda game: broken_chain(game) or _entries(game), _contents):
        try:
            wrong = look(game)
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
            return clean(str(error))[:200] or type(error).__name__
        if wrong:
            return wrong
    return None


def _kept(game: Game, beside: Sequence[Table] = ()) -> str | None:
    """Every row of the game, and of tables beside it, against the chain of what was written: none changed,
    added or taken away since.
    """
    tables = (*ledger.KEPT, *beside)
    with game.reading(game.engine) as db:
        lines, found = ledger.lines(db, game.id), dict(ledger.rows(db, game.id, tables))
    if not lines:
        return (
            "there is no chain of what the game has kept: it was begun by an earlier version, or the "
            "chain was taken away"
        )
    head, known = "", {}
    for number, line in enumerate(lines, 1):
        head = ledger.link(head, line.what, line.row)
        if line.number != number or line.head != head:
            return f"line {number} of the chain is not what was written"
        known[line.what] = line.row
    names = {table.name for table in tables}
    known = {what: row for what, row in known.items() if row and what.partition("/")[0] in names}
    for what in sorted({*known, *found}):
        if what not in found:
            return f"{what} was written, and is not there any more"
        if what not in known:
            return f"{what} was never written"
        if found[what] != known[what]:
            return f"{what} is not what was written"
    return None


def _entries(game: Game) -> str | None:
    """The columns by which entries are found, against the entries themselves and the positions that they led
    to.
    """
    ends = {number: game.stage(number).position.entries for number, _, _ in game.stages()}
    question = "select number, turn, position, body from entries where game = :game order by number"
    with game.reading() as db:
        for kept in rows(db, question, game=game.id):
            body, number, stage = canonical.loads(kept["body"]), kept["number"], kept["position"]
            if (number, kept["turn"]) != (body["n"], body["turn"]):
                return f"entry {number} of the journal stands under another number or turn than its own"
            if stage not in ends or not ends.get(stage - 1, 0) < number <= ends[stage]:
                return f"entry {number} of the journal stands at a stage that it did not lead to"
    return None


def _bodies(game: Game, after: int) -> list[str]:
    question = "select body from entries where game = :game and number > :after order by number"
    with game.reading() as db:
        return [kept["body"] for kept in rows(db, question, game=game.id, after=after)]


def _contents(game: Game) -> str | None:
    with game.reading() as db:
        for kept in rows(db, "select hash, content from states"):
            if canonical.digest(unpack(kept["content"])) != kept["hash"]:
                return f"the state {kept['hash'][:12]} is not what was kept"
        for kept in rows(db, "select hash, content from rulesets"):
            if Ruleset.from_json(unpack(kept["content"])).hash != kept["hash"]:
                return f"the ruleset {kept['hash'][:12]} is not what was kept"
    return None


def _stages(game: Game) -> Iterator[tuple[StoredPosition, StoredPosition | None]]:
    """Each stage with the one before."""
    before = None
    for number, _, _ in game.stages():
        stage = game.stage(number)
        yield stage, before
        before = stage


def _replayed(game: Game) -> str | None:
    for stage, before in _stages(game):
        start = before.position.state if before is not None else stage.position.game_start
        try:
            state = replay(start, game.journal(position=stage.number))
        except ValueError as error:
            return f"stage {stage.number}, turn {stage.position.turn}: {error}"
        if state.hash() != stage.position.state.hash():
            return (
                f"the state of stage {stage.number}, turn {stage.position.turn}, is not what the journal "
                "leads to"
            )
    return None


def _commitments(game: Game) -> str | None:
    seed, length = game.secrets()
    chain = fairness.Chain.create(bytes.fromhex(seed), length)
    if chain.anchor != game.head["anchor"]:
        return "the anchor is not that of the game's secret"
    for stage, _ in _stages(game):
        turn = stage.position.turn
        made = stage.commitment
        if (made.game, made.turn, made.attempt) != (game.id, turn, stage.attempt):
            return f"the commitment of stage {stage.number} is that of another turn or attempt"
        if not fairness.verify_commitment(made, chain.secret(turn)):
            return f"the commitment to the dice of turn {turn} is not made of its secret"
    return None


def _published(game: Game) -> str | None:
    """What players hold of the record, in their commitments, against the chain of what the game has kept."""
    with game.reading(game.engine) as db:
        heads = {"", *(line.head for line in ledger.lines(db, game.id))}
    for stage, _ in _stages(game):
        made = stage.commitment
        if made.record not in heads or bool(made.record) != bool(made.seats):
            return (
                f"the commitment to the dice of turn {made.turn} was made of another record than the "
                "game has kept"
            )
    return None


def _salts(game: Game) -> str | None:
    for turn in sorted({t for _, t, _ in game.stages()}):
        own, record = game.own_salts(turn), game.turn_record(turn)
        committed = next(game.stage(n) for n, t, _ in game.stages() if t == turn).commitment
        if strange := sorted({*own, *(record.salts or {})} - set(committed.seats)):
            return (
                f"{strange[0]} has a salt in turn {turn}, and was no player's when its dice were committed to"
            )
        for nation, salt in own.items():
            texts = [h.submission.text for h in game.hand_ins_of(turn, nation)]
            if texts and fairness.order_salt(texts[0]) != salt:
                return f"the salt of {nation} in turn {turn} is not that of its first file"
        if (
            record.salts is not None
            and own
            and dict(record.salts) != fairness.mask_salts(game.turn_key(turn, record.attempt), own)
        ):
            return f"the salts that were published for turn {turn} are not those of the players"
    return None


def _orders(game: Game) -> str | None:
    """What counts of a nation's orders is what it handed in last."""
    for number, turn, _ in game.stages():
        for nation, given in game.submissions(number).items():
            said = [h.submission for h in game.hand_ins_of(turn, nation, stage=number)]
            if said and (said[-1].text, said[-1].orders, said[-1].by) != (given.text, given.orders, given.by):
                return f"the orders of {nation} in turn {turn} are not those that came in"
    return None


def _resolved_again(game: Game) -> str | None:
    for stage, before in _stages(game):
        if before is None:
            continue
        rules = game.ruleset_at(before.number)
        result = resolved_again(game, before, stage, rules)
        if result.position.head != stage.position.head:
            kept = {e.n: e for e in game.journal(position=stage.number)}
            first = next((e for e in result.entries if e.n not in kept or not _is(e, kept[e.n])), None)
            if first is None and len(kept) == len(result.entries):
                continue  # it was stored in an earlier format, and says the same
            where = f", from entry {first.n} on ({first.rule})" if first is not None else ""
            return f"turn {before.position.turn} comes out otherwise when it is resolved again{where}"
    return None


def _is(entry: Entry, kept: Entry) -> bool:
    """Whether an entry is the one that is kept; of one that is kept in an earlier format all but its words
    are asked.
    """
    if kept.format == FORMAT:
        return entry.hash == kept.hash
    one, other = (canonical.dumps({**e.to_json(), **_LATER}) for e in (entry, kept))
    return one == other


_LATER = dict.fromkeys(("format", "happened", "text", "hash"))
"""What of an entry depends on the format in which it is stored."""


def resolved_again(
    game: Game,
    before: StoredPosition,
    after: StoredPosition,
    rules: Ruleset,
    *,
    geography: Geography | None = None,
    instead: Submission | None = None,
    onlooker: Any = None,
) -> Resolution:
    """What a stored game took in at a stage, resolved again under some rules with the dice of then, up to the
    one after it.

    `instead`: orders that are to take the place of what their nation had sent, if it had sent any.
    `onlooker`: of its dice.
    """
    taken, missed = game.submissions(before.number), _missed(game, after)
    if instead is not None:
        taken, missed = {**taken, instead.nation: instead}, [n for n in missed if n != instead.nation]
    inputs = inputs_from(taken, missed, game.commands(before.number), game.decided(before.number))
    pause = (after.position.waiting or {}).get("pause")
    dice = game.dice(before, after.used_salts)
    dice.onlooker = onlooker
    return resolve(rules, before.position, inputs, dice, geography=geography or Geography(rules), until=pause)


def _missed(game: Game, stage: StoredPosition) -> list[str]:
    """Who counted as missing when a stage was reached, as its journal says."""
    entries = (e for e in game.journal(position=stage.number) if e.rule == "sequence/input")
    return sorted({e.subject for e in entries if any(f.word == "missed" for f in e.facts)})
