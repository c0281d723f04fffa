# The types of rows of all tables. Made by `python -m wteaw.ruleset.row_types`; do not edit.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, overload

Row = Mapping[str, Any]

ActionChangeRow = TypedDict(
    "ActionChangeRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "on": Required[str],
        "for": Any,
        "against": Any,
        "when": Any,
        "test": Any,
        "message": str,
        "roll": Any,
        "results": Mapping[str, Sequence[Effect]],
        "effects": Sequence[Effect],
        "on_failure": Sequence[Effect],
        "say": str,
    },
    total=False,
)

Effect = TypedDict(
    "Effect",
    {
        "when": Any,
        "audience": Any,
        "note": str,
        "shift": EffectShift,
        "change": EffectChange,
        "pay": EffectPay,
        "learn": EffectLearn,
        "flag": EffectFlag,
        "clear": EffectClear,
        "relate": EffectRelate,
        "join": EffectJoin,
        "leave": EffectLeave,
        "own": EffectOwn,
        "create": EffectCreate,
        "remove": EffectRemove,
        "convert": EffectConvert,
        "relocate": EffectRelocate,
        "queue": EffectQueue,
        "cancel": EffectCancel,
        "fight": EffectFight,
        "react": EffectReact,
        "release": Mapping[str, Mapping[str, Any]],
        "know": EffectKnow,
        "say": Any,
        "command": EffectCommand,
        "found": EffectFound,
        "absorb": EffectAbsorb,
        "vote": EffectVote,
        "end": Any,
        "for": Any,
        "draw": Any,
        "in_turn": Sequence[Sequence[Effect]],
        "roll": Any,
        "results": Mapping[str, Sequence[Effect]],
        "cases": Sequence[Case],
        "choose": str,
        "effects": Sequence[Effect],
        "on_failure": Sequence[Effect],
        "record": EffectRecord,
        "strike": EffectStrike,
        "deal": EffectDeal,
        "play": EffectPlay,
    },
    total=False,
)

class EffectShift(TypedDict, total=False):
    who: Required[Any]
    track: Required[str]
    toward: Any
    against: Any
    to_zero: bool
    up: bool
    down: bool
    by: Required[Any]

class EffectChange(TypedDict, total=False):
    of: Required[Any]
    field: Required[str]
    to: Any
    by: Any
    at_least: Any
    at_most: Any
    add: Any
    drop: Any
    said_by: str

EffectPay = TypedDict(
    "EffectPay",
    {
        "from": Any,
        "to": Any,
        "what": Required[str],
        "amount": Required[Any],
        "as_far_as": bool,
    },
    total=False,
)

EffectLearn = TypedDict(
    "EffectLearn",
    {
        "who": Required[Any],
        "tech": Any,
        "draw": Any,
        "of": Any,
        "to": Any,
        "as": str,
        "at": str,
    },
    total=False,
)

EffectFlag = TypedDict(
    "EffectFlag",
    {
        "who": Required[Any],
        "as": Required[str],
        "turns": Any,
        "seen_by": Any,
    },
    total=False,
)

EffectClear = TypedDict(
    "EffectClear",
    {
        "who": Required[Any],
        "as": Required[str],
    },
    total=False,
)

class EffectRelate(TypedDict, total=False):
    a: Required[Any]
    b: Required[Any]
    stance: Required[str]
    war: str
    declared: bool
    openly: bool

class EffectJoin(TypedDict, total=False):
    who: Required[Any]
    side: Required[Any]

class EffectLeave(TypedDict, total=False):
    who: Required[Any]

EffectOwn = TypedDict(
    "EffectOwn",
    {
        "places": Required[Any],
        "to": Required[Any],
        "as": str,
        "sets": Mapping[str, Any],
        "by": str,
        "captured": bool,
    },
    total=False,
)

EffectCreate = TypedDict(
    "EffectCreate",
    {
        "units": Required[Any],
        "n": Any,
        "for": Any,
        "at": Any,
        "facing": Any,
        "pool": str,
    },
    total=False,
)

class EffectRemove(TypedDict, total=False):
    units: Any
    of: Any
    at: Any
    n: Any
    share: Any
    round: str
    spread: str
    to: Any
    cause: str

class EffectConvert(TypedDict, total=False):
    units: Required[Any]
    owner: Any
    kind: Any
    condition: Any
    n: Any
    set: Mapping[str, Any]
    listed: str

EffectRelocate = TypedDict(
    "EffectRelocate",
    {
        "units": Required[Any],
        "to": Required[Any],
        "else": str,
        "by": str,
        "n": Any,
    },
    total=False,
)

EffectQueue = TypedDict(
    "EffectQueue",
    {
        "what": Required[Any],
        "for": Any,
        "at": Any,
        "due": Any,
        "n": Any,
        "levy": str,
        "to": str,
    },
    total=False,
)

class EffectCancel(TypedDict, total=False):
    under_way: Any
    of: Any
    at: Any
    n: Any

class EffectFight(TypedDict, total=False):
    at: Any
    where: str
    attacker: Required[Any]
    defender: Any
    battle: Required[str]
    ignore: Sequence[str]

class EffectReact(TypedDict, total=False):
    matrix: Required[str]
    row: Required[str]
    actor: Any
    object: Any

EffectKnow = TypedDict(
    "EffectKnow",
    {
        "who": Required[Any],
        "what": Required[str],
        "of": str,
        "seen": Any,
        "counts": str,
        "as": str,
    },
    total=False,
)

class EffectCommand(TypedDict, total=False):
    nation: Any
    by: Required[Any]

class EffectFound(TypedDict, total=False):
    nation: Required[Any]
    like: Any
    seat: Any
    inherits: Sequence[str]

class EffectAbsorb(TypedDict, total=False):
    nation: Required[Any]
    into: Any

EffectVote = TypedDict(
    "EffectVote",
    {
        "of": Required[Any],
        "weight": Any,
        "ask": Required[str],
        "tie": str,
        "then": Sequence[Effect],
        "else": Sequence[Effect],
        "about": str,
        "alone": bool,
    },
    total=False,
)

class Case(TypedDict, total=False):
    when: Any
    always: Sequence[Effect]
    roll: Any
    results: Mapping[str, Sequence[Effect]]
    effects: Sequence[Effect]
    say: str
    source: Sequence[str]

class EffectRecord(TypedDict, total=False):
    what: Required[str]
    set: Mapping[str, Any]

class EffectStrike(TypedDict, total=False):
    records: Required[Any]

EffectDeal = TypedDict(
    "EffectDeal",
    {
        "from": Required[str],
        "whose": Any,
        "to": Required[str],
        "who": Any,
        "n": Any,
        "cards": Any,
    },
    total=False,
)

class EffectPlay(TypedDict, total=False):
    card: Required[Any]

ActionRow = TypedDict(
    "ActionRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "syntax": Required[str],
        "bare": bool,
        "read_back": str,
        "slots": Mapping[str, Any],
        "for": Any,
        "requires": Sequence[Need],
        "warns": Sequence[ActionWarns],
        "waits": Any,
        "paid_at": str,
        "cost": Any,
        "limit": Mapping[str, Sequence[str]],
        "counts_as": str,
        "always": Sequence[Effect],
        "roll": Any,
        "results": Mapping[str, Sequence[Effect]],
        "cases": Sequence[Any],
        "effects": Sequence[Effect],
        "on_failure": Sequence[Effect],
        "audience": Any,
        "says": str,
        "offer": Any,
        "help": str,
        "remind": str,
        "stands": str,
        "outcomes": Mapping[str, Sequence[Outcomes]],
        "told_as": str,
    },
    total=False,
)

class Need(TypedDict, total=False):
    test: Required[Any]
    message: Required[str]
    secret: Any
    source: Sequence[str]

class ActionWarns(TypedDict, total=False):
    when: Required[Any]
    says: Required[str]

class Outcomes(TypedDict, total=False):
    id: Required[str]
    name: str
    when: Any
    says: str

AliasRow = TypedDict(
    "AliasRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "for": Required[str],
        "table": str,
    },
    total=False,
)

AuditRow = TypedDict(
    "AuditRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "for": Any,
        "at": str,
        "test": Required[Any],
        "message": Required[str],
    },
    total=False,
)

class BattleRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    where: Any
    by: Any
    when: Any
    tempo: str
    once: bool
    attacks: str
    who: Any
    absent: Sequence[BattleAbsent]
    holds: Any
    preludes: Sequence[str]
    die: str
    step_losses: BattleStepLosses
    virtual: Sequence[BattleVirtual]
    joins: Sequence[BattleJoins]
    stages: Required[Sequence[BattleStages]]
    never_hit: Any
    in_one_order: bool
    shares: Any
    order: Sequence[Any]
    support: Sequence[BattleSupport]
    alone: Sequence[BattleAlone]
    evade: Sequence[BattleEvade]
    sets: BattleSets
    leave: BattleLeave
    options: BattleOptions
    orders: Sequence[str]
    spends: BattleSpends
    cargo: BattleCargo
    most_rounds: int
    audience: Any
    falls: str
    caps: Sequence[BattleCaps]
    followed_by: str

class BattleAbsent(TypedDict, total=False):
    when: Required[Any]
    says: Required[str]

class BattleStepLosses(TypedDict, total=False):
    field: Required[str]
    values: Sequence[str]

class BattleVirtual(TypedDict, total=False):
    id: Required[str]
    unit: str
    side: str
    n: Required[Any]
    lost: str
    holds: Any
    gone: Sequence[Effect]
    source: Sequence[str]
    note: str
    leaves: bool

class BattleJoins(TypedDict, total=False):
    id: Required[str]
    side: str
    when: Any
    who: Any
    units: str
    value: Any
    lost: str
    holds: Any
    fires: Any
    from_origin: bool
    once: bool
    recall: BattleJoinsRecall
    source: Sequence[str]
    note: str

class BattleJoinsRecall(TypedDict, total=False):
    after: int
    by: Any

class BattleStages(TypedDict, total=False):
    id: Required[str]
    side: str
    rounds: Any
    when: Any
    who: Any
    die: str
    dice: Any
    most: Any
    resolve: Any
    value: Any
    hits: Any
    never_hits: Any
    losses: str
    again: bool
    spent: bool
    source: Sequence[str]
    note: str
    fire_on_retreat: str

class BattleSupport(TypedDict, total=False):
    id: Required[str]
    side: str
    giver: Required[Any]
    taker: Required[Any]
    add: Required[int]
    each: int
    source: Sequence[str]

class BattleAlone(TypedDict, total=False):
    id: Required[str]
    side: str
    who: Any
    when: Required[Any]
    source: Sequence[str]

class BattleEvade(TypedDict, total=False):
    who: Required[Any]
    may: Any
    wants: Required[str]
    source: Sequence[str]

class BattleSets(TypedDict, total=False):
    who: Any
    set: Required[Mapping[str, Any]]

class BattleLeave(TypedDict, total=False):
    attacker: Leaving
    defender: Leaving
    both: str

class Leaving(TypedDict, total=False):
    after: int
    together: bool
    who: Any
    may: Any
    must: Any
    to: Sequence[LeavingTo]
    wants: str
    none: str
    behind: str
    asks: str
    chosen: str

LeavingTo = TypedDict(
    "LeavingTo",
    {
        "back": Any,
        "when": Any,
        "next": Any,
        "origin": bool,
        "back_along": Any,
        "through": Any,
        "ok": Any,
        "else": Any,
        "stay": Any,
        "links": Sequence[str],
        "home": Any,
        "prefer": Any,
        "goes_on": bool,
    },
    total=False,
)

class BattleOptions(TypedDict, total=False):
    rounds: str
    losses: str
    kills: str
    order: str
    lost: str
    refuge: str

class BattleSpends(TypedDict, total=False):
    field: Required[str]
    by: Required[int]
    full: str
    who: Any

class BattleCargo(TypedDict, total=False):
    room: Required[str]
    size: Required[str]

class BattleCaps(TypedDict, total=False):
    who: Required[Any]
    most: Required[Any]

CaptureRow = TypedDict(
    "CaptureRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "how": Required[str],
        "over": Any,
        "places": str,
        "by": Any,
        "held_by": Any,
        "to": Sequence[str],
        "if_ally": Any,
        "agreed": str,
        "value": str,
        "owns": bool,
        "troops": str,
        "sets": Mapping[str, Any],
        "clears": Any,
        "loses_under_way": bool,
        "none": str,
        "effects": Sequence[Effect],
        "for": str,
        "flag": str,
        "when": Any,
        "until": Any,
        "trigger": str,
        "end_trigger": str,
        "says": str,
        "end_says": str,
        "audience": Any,
        "passed": bool,
        "absent": Any,
    },
    total=False,
)

CardRow = TypedDict(
    "CardRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": Required[str],
        "aliases": Sequence[str],
        "text": str,
        "in": str,
        "copies": int,
        "effects": Sequence[Effect],
    },
    total=False,
)

class ChapterRow(TypedDict, total=False):
    id: Required[str]
    note: str
    silence: Mapping[str, str]
    title: Required[str]
    phase: str

class ClauseRow(TypedDict, total=False):
    id: Required[str]
    note: str
    silence: Mapping[str, str]
    chapter: str
    title: str
    text: str
    lines: Sequence[Any]
    status: str
    why: str
    option: str
    about: Sequence[str]
    same_as: str
    tables: Sequence[str]
    no_row: str

CounterRow = TypedDict(
    "CounterRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "on": Required[Any],
        "of": Any,
        "by": Any,
        "while": Any,
        "clear": Any,
        "field": str,
        "from": int,
        "effects": Sequence[Effect],
        "audience": Any,
        "name": str,
    },
    total=False,
)

DecisionRow = TypedDict(
    "DecisionRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "asks": str,
        "from": Any,
        "default": Any,
        "warns": Sequence[ActionWarns],
        "syntax": str,
        "slots": Mapping[str, Any],
        "help": str,
        "about": str,
        "least": Any,
        "most": Any,
        "stands": str,
    },
    total=False,
)

DefinitionRow = TypedDict(
    "DefinitionRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "of": Sequence[str],
        "is": Required[Any],
        "fixpoint": DefinitionFixpoint,
        "text": str,
    },
    total=False,
)

class DefinitionFixpoint(TypedDict, total=False):
    over: Required[str]
    left: Sequence[DefinitionFixpointLeft]
    why: Sequence[DefinitionFixpointWhy]
    audience: Any

DefinitionFixpointLeft = TypedDict(
    "DefinitionFixpointLeft",
    {
        "when": Any,
        "is": Required[bool],
    },
    total=False,
)

DefinitionFixpointWhy = TypedDict(
    "DefinitionFixpointWhy",
    {
        "is": bool,
        "when": Any,
        "says": Required[str],
    },
    total=False,
)

DetectionRow = TypedDict(
    "DetectionRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "pairs": str,
        "by": Any,
        "of": Any,
        "value": str,
        "certain": Any,
        "less": DetectionLess,
        "at_least": int,
        "die": str,
        "targets_only": Any,
        "one": bool,
        "once": bool,
        "all_at_once": bool,
        "finders": str,
        "together_at_start": str,
        "groups": DetectionGroups,
        "round": str,
        "shared": bool,
        "gives": Required[str],
        "know": str,
        "on_failure": str,
        "empty": bool,
        "reach": Mapping[str, str],
        "fire": Sequence[DetectionFire],
        "meets": DetectionMeets,
        "sets": Mapping[str, Any],
        "refuge": Any,
        "aid": str,
        "alone": Any,
        "from": str,
        "options": DetectionOptions,
    },
    total=False,
)

class DetectionLess(TypedDict, total=False):
    best: Required[str]

class DetectionGroups(TypedDict, total=False):
    times: Any
    round: str

class DetectionFire(TypedDict, total=False):
    who: Any
    at: Any
    die: str
    at_most: int
    lose: str
    hits: str

class DetectionMeets(TypedDict, total=False):
    who: Required[Any]
    when: Any
    battle: Required[str]

class DetectionOptions(TypedDict, total=False):
    order: str

EventRow = TypedDict(
    "EventRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "title": str,
        "on": Any,
        "for": Any,
        "when": Any,
        "becomes": Any,
        "at_start": bool,
        "once": Any,
        "always": Sequence[Effect],
        "roll": Any,
        "results": Mapping[str, Sequence[Effect]],
        "cases": Sequence[Case],
        "effects": Sequence[Effect],
        "on_failure": Sequence[Effect],
        "importance": int,
        "quiet": Any,
        "audience": Any,
        "says": str,
    },
    total=False,
)

class FieldRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    of: Required[Sequence[str]]
    type: Required[str]
    table: str
    default: Any
    text: str
    open: bool
    told: Any
    at_least: Any
    at_most: Any

class GroupRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    of: Required[str]
    use: str
    order: Any
    members: Required[Sequence[str]]

class ImportRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    scenario: Required[str]
    maps: Sequence[str]
    seasons: Required[Mapping[str, str]]
    points: Required[Mapping[str, str]]
    ends: Sequence[str]
    marked: ImportMarked
    counts: Required[str]
    options: Mapping[str, Any]
    forms: ImportForms
    writes: ImportWrites

class ImportMarked(TypedDict, total=False):
    sign: Required[str]
    field: Required[str]

class ImportForms(TypedDict, total=False):
    numbered: ImportFormsNumbered
    positions: ImportFormsPositions

class ImportFormsNumbered(TypedDict, total=False):
    first: Required[int]
    letters: Required[Sequence[str]]
    apart: Mapping[str, str]
    moments: Required[Mapping[str, str]]
    kinds: Required[Mapping[str, str]]
    via: Required[str]
    nations: Required[Sequence[str]]
    orders: Required[Mapping[str, str]]

class ImportFormsPositions(TypedDict, total=False):
    phase: Required[str]
    positions: Required[str]
    orders_follow: Required[str]
    held: Required[str]
    marked: Required[str]
    seasons: Required[Mapping[str, str]]
    apart: Mapping[str, str]
    moments: Required[Mapping[str, str]]
    of_the_marked: Required[str]
    kinds: Required[Mapping[str, str]]
    places: Mapping[str, str]
    orders: Required[Sequence[ImportFormsPositionsOrders]]
    via: str
    writes: Mapping[str, str]

class ImportFormsPositionsOrders(TypedDict, total=False):
    reads: Required[str]
    says: Required[str]
    retreats: str

class ImportWrites(TypedDict, total=False):
    apart: Mapping[str, str]
    kinds: Required[Mapping[str, str]]
    via: str
    orders: Required[Mapping[str, str]]
    places: Required[Sequence[str]]
    results: Mapping[str, Mapping[str, Sequence[str]]]
    refuges: str

IncomeRow = TypedDict(
    "IncomeRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "proper_name": bool,
        "over": str,
        "for": Any,
        "when": Any,
        "amount": Required[Any],
        "seat": str,
        "into": str,
        "limited": bool,
        "round": str,
    },
    total=False,
)

class LinkRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    between: Required[Sequence[str]]
    kind: str
    one_way: bool
    listed: Mapping[str, Any]

MatrixRow = TypedDict(
    "MatrixRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "labels": Mapping[str, str],
        "track": Required[str],
        "for": Required[str],
        "columns": Required[Sequence[Any]],
        "against": str,
        "when": Mapping[str, Any],
        "delay": Any,
        "audience": Any,
        "rows": Required[Sequence[MatrixRows]],
        "multiply": Sequence[MatrixMultiply],
    },
    total=False,
)

class MatrixRows(TypedDict, total=False):
    id: Required[str]
    label: str
    says: str
    source: Sequence[str]
    note: str
    on: Any
    when: Any
    delay: Any
    toward: str
    against: str
    cells: Required[Mapping[str, Any]]

class MatrixMultiply(TypedDict, total=False):
    column: Required[str]
    when: Any
    by: Required[Any]
    source: Sequence[str]

class MissionRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    stance: str
    stance_when: Any
    members: Any
    must_include: Any
    loaded: bool
    stays: bool
    does: str
    charge: bool
    aims: bool
    where: Any
    message: str
    default: Any
    free: bool
    sets: Mapping[str, Any]

ModifierRow = TypedDict(
    "ModifierRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "of": Required[str],
        "for": Any,
        "judged": str,
        "when": Any,
        "base": Any,
        "add": Any,
        "times": Any,
        "round": str,
        "at_least": Any,
        "at_most": Any,
        "final": Any,
        "label": str,
        "tags": Sequence[str],
        "late": bool,
    },
    total=False,
)

MovementRow = TypedDict(
    "MovementRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "who": Any,
        "except": Any,
        "links": Required[Sequence[str]],
        "steps": Any,
        "cost": Any,
        "keeps": str,
        "again": bool,
        "start": Any,
        "leaves": Any,
        "enter": Any,
        "pass": Any,
        "stop": Any,
        "end": Any,
        "pinned": Any,
        "attack": Any,
        "fights": bool,
        "threatens": bool,
        "stays": Any,
        "company": Any,
        "stays_alone": bool,
        "undeclared": Any,
        "arrives": str,
        "under_fire": bool,
        "holds": Any,
        "if_cut": str,
        "if_none": Sequence[str],
        "capacity": MovementCapacity,
        "passes_over": bool,
        "reserve": int,
        "remains": Any,
        "home": Any,
        "returns": bool,
        "way_home": str,
        "tasks": bool,
        "at_rest": Sequence[str],
        "carries": MovementCarries,
        "ashore": str,
        "attacks": bool,
        "by_way": bool,
        "onward": Any,
        "mission": str,
        "audience": Any,
        "bears": MovementBears,
        "falls_back": Any,
    },
    total=False,
)

MovementCapacity = TypedDict(
    "MovementCapacity",
    {
        "is": Required[str],
        "means": str,
        "draws": Sequence[str],
    },
    total=False,
)

MovementCarries = TypedDict(
    "MovementCarries",
    {
        "room": Required[Any],
        "size": Required[Any],
        "who": Any,
        "carriers": Any,
        "link": Sequence[str],
        "from": Any,
        "at": Any,
        "shared": Any,
        "one_shore": bool,
        "once": Any,
        "afloat": bool,
    },
    total=False,
)

class MovementBears(TypedDict, total=False):
    who: Required[Any]
    bearers: Required[Any]
    shared: bool
    expects: Any
    comes: Any
    room: Required[str]
    home: str
    bereft: str
    aloft: Any
    where: Required[Any]

class NationRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: Required[str]
    adjective: str
    short: str
    article: str
    plural_name: bool
    side: Any
    seat: str
    color: str
    aliases: Sequence[str]
    grade: Mapping[str, str]

class NoteRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    syntax: str
    says: str
    hint: str
    reason: str

class OptionRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    default: Required[Any]
    values: Sequence[Any]
    text: str

class OrderOptionRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    syntax: Required[str]
    slots: Mapping[str, Any]
    help: str
    gives: str
    requires: Sequence[Need]
    reads: str
    unseen: str
    only: str

OrderRow = TypedDict(
    "OrderRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "syntax": Required[str],
        "bare": bool,
        "read_back": str,
        "slots": Mapping[str, Any],
        "step": Required[str],
        "does": str,
        "mission": str,
        "for": Any,
        "requires": Sequence[Need],
        "warns": Sequence[OrderWarns],
        "options": Sequence[str],
        "commits": str,
        "offer": Any,
        "help": str,
        "cost": Any,
        "alike": Sequence[str],
        "by_options": bool,
        "stands": str,
        "outcomes": Mapping[str, Sequence[Outcomes]],
    },
    total=False,
)

class OrderWarns(TypedDict, total=False):
    when: Required[Any]
    says: Required[str]

class PassageRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    between: Required[Sequence[str]]
    keys: Sequence[str]
    need: str
    judged: str
    stops: Sequence[str]
    default: str
    shut_when: Any
    aliases: Sequence[str]

class PileRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    text: str
    per: str
    refill: str

PlacementLimitRow = TypedDict(
    "PlacementLimitRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "of": Required[str],
        "is": Required[Any],
        "counts_as": str,
        "for": Sequence[str],
        "when": Any,
        "draws": str,
        "at": str,
        "words": str,
    },
    total=False,
)

class PlaceRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    article: str
    kind: Required[str]
    owner: Any
    section: str
    aliases: Sequence[str]
    lon: Any
    lat: Any
    part_of: str

PolicyRow = TypedDict(
    "PolicyRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "help": str,
        "for": Any,
        "set": str,
        "when": Any,
        "also": Sequence[str],
        "actions": Sequence[PolicyActions],
        "actions_share": Any,
        "war": PolicyWar,
        "purchases": Sequence[PolicyPurchases],
        "orders": Sequence[PolicyOrders],
        "answers": Sequence[PolicyAnswers],
        "moves": Sequence[PolicyMoves],
    },
    total=False,
)

PolicyActions = TypedDict(
    "PolicyActions",
    {
        "action": Required[str],
        "if": Any,
        "when": Any,
        "weight": Any,
        "idle": int,
        "most": int,
        "share": Any,
        "slots": Mapping[str, Any],
        "opens": str,
        "each": str,
        "among": Mapping[str, str],
        "meets": Sequence[str],
    },
    total=False,
)

class PolicyWar(TypedDict, total=False):
    attack: Required[str]
    defense: Required[str]
    unknown: int
    odds: Any
    mass: Any
    allies: Any
    noise: int
    boldness: int
    conditions: Mapping[str, Any]
    worth: Any
    hardness: Any
    ground: Any
    garrison: PolicyWarGarrison
    long: int
    orders: Sequence[str]
    prizes: int
    behind: Any
    shift: Any
    push: Any
    foresight: PolicyWarForesight
    room: Any
    takes: Any
    sea: PolicyWarSea

class PolicyWarGarrison(TypedDict, total=False):
    who: Any
    least: Any
    home: Any
    calls: Any
    share: Any
    engaged: Any

class PolicyWarForesight(TypedDict, total=False):
    battle: Required[str]
    unknown: Required[str]
    win: int
    hold: Any

class PolicyWarSea(TypedDict, total=False):
    who: Any
    seek: Sequence[str]
    prey: Any
    conditions: Mapping[str, Any]
    odds: Any
    boldness: int
    stations: Any
    hold: Sequence[str]
    packs: Sequence[PolicyWarSeaPacks]
    armies: PolicyWarSeaArmies

class PolicyWarSeaPacks(TypedDict, total=False):
    who: Required[Any]
    stations: Required[Any]
    hold: Sequence[str]

class PolicyWarSeaArmies(TypedDict, total=False):
    voyages: int
    assault: Any
    escorts: Any
    support: Sequence[str]

class PolicyPurchases(TypedDict, total=False):
    share: Any
    mix: Required[Mapping[str, Any]]
    sites: int
    needed: bool
    rest: bool

PolicyOrders = TypedDict(
    "PolicyOrders",
    {
        "order": Required[str],
        "if": Any,
        "each": Required[str],
        "among": Required[Mapping[str, str]],
        "idle": int,
        "slots": Mapping[str, Any],
        "when": Any,
        "conditions": Mapping[str, Any],
    },
    total=False,
)

class PolicyAnswers(TypedDict, total=False):
    decision: Required[str]
    each: Required[str]
    among: Required[Mapping[str, str]]
    when: Any
    weight: Any
    slots: Mapping[str, Any]

PolicyMoves = TypedDict(
    "PolicyMoves",
    {
        "order": Required[str],
        "who": Any,
        "if": Any,
        "from": Any,
        "among": str,
        "when": Any,
        "weight": Any,
        "send": Any,
        "slots": Mapping[str, Any],
        "most": int,
        "conditions": Mapping[str, Any],
    },
    total=False,
)

ProductionRow = TypedDict(
    "ProductionRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "plural": str,
        "aliases": Sequence[str],
        "help": str,
        "makes": str,
        "works": str,
        "facing": ProductionFacing,
        "sets": Mapping[str, Any],
        "fits": ProductionFits,
        "stamp": Mapping[str, Any],
        "for": Any,
        "requires": Sequence[Need],
        "price": Any,
        "lot": Any,
        "pack": Any,
        "site": Any,
        "site_message": str,
        "sites": Sequence[ProductionSites],
        "hand": Any,
        "appears": str,
        "uses": Mapping[str, Any],
        "due": str,
        "must_hold": Any,
        "if_lost": str,
        "meets": ProductionMeets,
    },
    total=False,
)

class ProductionFacing(TypedDict, total=False):
    among: str
    when: Any
    all: bool

class ProductionFits(TypedDict, total=False):
    units: Required[Any]
    set: Required[Mapping[str, Any]]
    times: Any
    idle: bool
    message: str

class ProductionSites(TypedDict, total=False):
    id: Required[str]
    when: Any
    fee: Any
    must_hold: Any
    message: str

class ProductionMeets(TypedDict, total=False):
    battle: Required[str]
    foe: Required[Any]

class RecordRow(TypedDict, total=False):
    id: Required[str]
    name: str
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    text: str
    told: Sequence[RecordTold]
    shown_by: str

RecordTold = TypedDict(
    "RecordTold",
    {
        "as": Required[str],
        "when": Required[str],
        "says": Required[str],
    },
    total=False,
)

class ResourceRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: Required[str]
    aliases: Sequence[str]
    treasury: Any

SequenceRow = TypedDict(
    "SequenceRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "phase": str,
        "step": str,
        "input": str,
        "from": str,
        "optional": bool,
        "leaves": Sequence[SequenceLeaves],
        "takes": Sequence[str],
        "early": bool,
        "of": str,
        "to": str,
        "do": str,
        "when": Any,
        "each": str,
        "order": str,
        "only": Any,
        "rolled": SequenceRolled,
        "own_turn": bool,
        "says": str,
        "passes": SequencePasses,
        "ticks": SequenceTicks,
        "actions": Sequence[str],
        "as_written": bool,
        "steps": Sequence[SequenceRow],
        "movement": Sequence[str],
        "threats": Sequence[str],
        "which": str,
        "battles": Sequence[str],
        "rows": Sequence[str],
        "close": bool,
        "keeps": bool,
        "detection": Sequence[str],
        "orders": Sequence[str],
        "absent": bool,
        "all_or_none": bool,
        "due": str,
        "income": Sequence[str],
        "total_stat": str,
        "adds": bool,
        "free": str,
        "apart": SequenceApart,
        "visibility": Sequence[str],
        "upkeep": Sequence[str],
        "definitions": Sequence[str],
        "requires": Sequence[SequenceRequires],
        "foreseen": bool,
    },
    total=False,
)

class SequenceLeaves(TypedDict, total=False):
    decision: Required[str]
    of: Required[str]
    says: str

class SequenceRolled(TypedDict, total=False):
    die: str
    when: Any

SequencePasses = TypedDict(
    "SequencePasses",
    {
        "over": Required[str],
        "while": Required[Any],
    },
    total=False,
)

class SequenceTicks(TypedDict, total=False):
    most: Required[Any]

class SequenceApart(TypedDict, total=False):
    where: Required[Any]
    decision: Required[str]

class SequenceRequires(TypedDict, total=False):
    id: str
    at: str
    test: Required[Any]
    message: Required[str]
    source: Sequence[str]

class SideRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: Required[str]
    article: str
    opposite: str
    color: str
    aliases: Sequence[str]

class StanceRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    enter: Any
    share: str
    over: str
    hostile: bool
    friendly: bool
    default: bool

class StatRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    of: Required[str]
    base: Required[Any]
    round: str
    at_least: Any
    at_most: Any
    unless: Any
    name: str

class TableRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    labels: Mapping[str, str]
    keys: Sequence[str]
    rows: Mapping[str, Any]
    bands: Mapping[str, Any]
    default: Any

class TechnologyRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: Required[str]
    levels: int
    category: str
    aliases: Sequence[str]

class TrackRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    signed: bool
    leans: Mapping[str, str]
    boxes: Sequence[str]
    at_least: int
    at_most: int
    thresholds: Sequence[int]
    redirect: TrackRedirect

TrackRedirect = TypedDict(
    "TrackRedirect",
    {
        "while": Required[Any],
    },
    total=False,
)

TransferRow = TypedDict(
    "TransferRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "kind": Required[str],
        "what": Required[str],
        "links": Sequence[str],
        "quays": Sequence[str],
        "as": str,
        "ends": Any,
        "cut": Any,
        "rouses": str,
        "maybe_cut": TransferMaybeCut,
        "raid": TransferRaid,
        "no_way": TransferNoWay,
        "when": Any,
        "arrives": Any,
        "of": Any,
        "share": Any,
        "round": str,
        "turns": int,
        "until": Any,
    },
    total=False,
)

class TransferMaybeCut(TypedDict, total=False):
    by: Required[Any]
    contact: Required[str]

class TransferRaid(TypedDict, total=False):
    by: Any
    when: Any
    each: Required[Any]

class TransferNoWay(TypedDict, total=False):
    to_cutter: Any
    round: str

class UnitRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: Required[str]
    plural: str
    proper_name: bool
    tags: Sequence[str]
    symbol: str
    aliases: Sequence[str]
    hits: int
    grades: Mapping[str, UnitGrades]

class UnitGrades(TypedDict, total=False):
    hits: int

class UpkeepRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    per: Required[str]
    each: str
    when: Any
    price: Required[Any]
    what: str
    all_or_none: bool
    asks: str
    default: str
    unpaid: Sequence[Effect]
    audience: Any

VictoryRow = TypedDict(
    "VictoryRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "name": str,
        "kind": Required[str],
        "when": Any,
        "wins": str,
        "rank": str,
        "first": Any,
        "side_by": str,
        "lead": Any,
        "tie": str,
        "says": str,
        "of": str,
        "is": str,
        "parts": Sequence[str],
        "how": str,
        "members": str,
        "at_least": Any,
        "at_most": Any,
        "about": str,
        "with": str,
        "reached": Any,
        "group": str,
        "count": str,
        "points": int,
        "nation": str,
        "goals": Mapping[str, Mapping[str, Any]],
        "worth": Mapping[str, int],
    },
    total=False,
)

VisibilityRow = TypedDict(
    "VisibilityRow",
    {
        "id": Required[str],
        "source": Sequence[str],
        "note": str,
        "silence": Mapping[str, str],
        "what": Required[str],
        "fields": Sequence[str],
        "open_fields": bool,
        "to": Required[Any],
        "when": str,
        "as": str,
        "bands": Mapping[str, str],
        "mask": str,
        "empty": bool,
        "follows": str,
        "opens": str,
        "says": str,
        "within": str,
    },
    total=False,
)

class WarKindRow(TypedDict, total=False):
    id: Required[str]
    source: Sequence[str]
    note: str
    silence: Mapping[str, str]
    name: str
    ends: Sequence[Any]
    at: str
    shared: bool
    leaves: str

class Tables:
    forms: Mapping[str, Mapping[str, Row]]
    @overload
    def rows(self, form: Literal["action_changes"]) -> Mapping[str, ActionChangeRow]: ...
    @overload
    def rows(self, form: Literal["actions"]) -> Mapping[str, ActionRow]: ...
    @overload
    def rows(self, form: Literal["aliases"]) -> Mapping[str, AliasRow]: ...
    @overload
    def rows(self, form: Literal["audits"]) -> Mapping[str, AuditRow]: ...
    @overload
    def rows(self, form: Literal["battles"]) -> Mapping[str, BattleRow]: ...
    @overload
    def rows(self, form: Literal["capture"]) -> Mapping[str, CaptureRow]: ...
    @overload
    def rows(self, form: Literal["cards"]) -> Mapping[str, CardRow]: ...
    @overload
    def rows(self, form: Literal["chapters"]) -> Mapping[str, ChapterRow]: ...
    @overload
    def rows(self, form: Literal["clauses"]) -> Mapping[str, ClauseRow]: ...
    @overload
    def rows(self, form: Literal["counters"]) -> Mapping[str, CounterRow]: ...
    @overload
    def rows(self, form: Literal["decisions"]) -> Mapping[str, DecisionRow]: ...
    @overload
    def rows(self, form: Literal["definitions"]) -> Mapping[str, DefinitionRow]: ...
    @overload
    def rows(self, form: Literal["detection"]) -> Mapping[str, DetectionRow]: ...
    @overload
    def rows(self, form: Literal["events"]) -> Mapping[str, EventRow]: ...
    @overload
    def rows(self, form: Literal["fields"]) -> Mapping[str, FieldRow]: ...
    @overload
    def rows(self, form: Literal["groups"]) -> Mapping[str, GroupRow]: ...
    @overload
    def rows(self, form: Literal["imports"]) -> Mapping[str, ImportRow]: ...
    @overload
    def rows(self, form: Literal["income"]) -> Mapping[str, IncomeRow]: ...
    @overload
    def rows(self, form: Literal["links"]) -> Mapping[str, LinkRow]: ...
    @overload
    def rows(self, form: Literal["matrices"]) -> Mapping[str, MatrixRow]: ...
    @overload
    def rows(self, form: Literal["missions"]) -> Mapping[str, MissionRow]: ...
    @overload
    def rows(self, form: Literal["modifiers"]) -> Mapping[str, ModifierRow]: ...
    @overload
    def rows(self, form: Literal["movement"]) -> Mapping[str, MovementRow]: ...
    @overload
    def rows(self, form: Literal["nations"]) -> Mapping[str, NationRow]: ...
    @overload
    def rows(self, form: Literal["notes"]) -> Mapping[str, NoteRow]: ...
    @overload
    def rows(self, form: Literal["options"]) -> Mapping[str, OptionRow]: ...
    @overload
    def rows(self, form: Literal["order_options"]) -> Mapping[str, OrderOptionRow]: ...
    @overload
    def rows(self, form: Literal["orders"]) -> Mapping[str, OrderRow]: ...
    @overload
    def rows(self, form: Literal["passages"]) -> Mapping[str, PassageRow]: ...
    @overload
    def rows(self, form: Literal["piles"]) -> Mapping[str, PileRow]: ...
    @overload
    def rows(self, form: Literal["placement_limits"]) -> Mapping[str, PlacementLimitRow]: ...
    @overload
    def rows(self, form: Literal["places"]) -> Mapping[str, PlaceRow]: ...
    @overload
    def rows(self, form: Literal["policies"]) -> Mapping[str, PolicyRow]: ...
    @overload
    def rows(self, form: Literal["production"]) -> Mapping[str, ProductionRow]: ...
    @overload
    def rows(self, form: Literal["records"]) -> Mapping[str, RecordRow]: ...
    @overload
    def rows(self, form: Literal["resources"]) -> Mapping[str, ResourceRow]: ...
    @overload
    def rows(self, form: Literal["sequence"]) -> Mapping[str, SequenceRow]: ...
    @overload
    def rows(self, form: Literal["sides"]) -> Mapping[str, SideRow]: ...
    @overload
    def rows(self, form: Literal["stances"]) -> Mapping[str, StanceRow]: ...
    @overload
    def rows(self, form: Literal["stats"]) -> Mapping[str, StatRow]: ...
    @overload
    def rows(self, form: Literal["tables"]) -> Mapping[str, TableRow]: ...
    @overload
    def rows(self, form: Literal["technologies"]) -> Mapping[str, TechnologyRow]: ...
    @overload
    def rows(self, form: Literal["tracks"]) -> Mapping[str, TrackRow]: ...
    @overload
    def rows(self, form: Literal["transfers"]) -> Mapping[str, TransferRow]: ...
    @overload
    def rows(self, form: Literal["units"]) -> Mapping[str, UnitRow]: ...
    @overload
    def rows(self, form: Literal["upkeep"]) -> Mapping[str, UpkeepRow]: ...
    @overload
    def rows(self, form: Literal["victory"]) -> Mapping[str, VictoryRow]: ...
    @overload
    def rows(self, form: Literal["visibility"]) -> Mapping[str, VisibilityRow]: ...
    @overload
    def rows(self, form: Literal["war_kinds"]) -> Mapping[str, WarKindRow]: ...
    @overload
    def rows(self, form: str) -> Mapping[str, Row]: ...
    @overload
    def row(self, form: Literal["action_changes"], id_: str) -> ActionChangeRow: ...
    @overload
    def row(self, form: Literal["actions"], id_: str) -> ActionRow: ...
    @overload
    def row(self, form: Literal["aliases"], id_: str) -> AliasRow: ...
    @overload
    def row(self, form: Literal["audits"], id_: str) -> AuditRow: ...
    @overload
    def row(self, form: Literal["battles"], id_: str) -> BattleRow: ...
    @overload
    def row(self, form: Literal["capture"], id_: str) -> CaptureRow: ...
    @overload
    def row(self, form: Literal["cards"], id_: str) -> CardRow: ...
    @overload
    def row(self, form: Literal["chapters"], id_: str) -> ChapterRow: ...
    @overload
    def row(self, form: Literal["clauses"], id_: str) -> ClauseRow: ...
    @overload
    def row(self, form: Literal["counters"], id_: str) -> CounterRow: ...
    @overload
    def row(self, form: Literal["decisions"], id_: str) -> DecisionRow: ...
    @overload
    def row(self, form: Literal["definitions"], id_: str) -> DefinitionRow: ...
    @overload
    def row(self, form: Literal["detection"], id_: str) -> DetectionRow: ...
    @overload
    def row(self, form: Literal["events"], id_: str) -> EventRow: ...
    @overload
    def row(self, form: Literal["fields"], id_: str) -> FieldRow: ...
    @overload
    def row(self, form: Literal["groups"], id_: str) -> GroupRow: ...
    @overload
    def row(self, form: Literal["imports"], id_: str) -> ImportRow: ...
    @overload
    def row(self, form: Literal["income"], id_: str) -> IncomeRow: ...
    @overload
    def row(self, form: Literal["links"], id_: str) -> LinkRow: ...
    @overload
    def row(self, form: Literal["matrices"], id_: str) -> MatrixRow: ...
    @overload
    def row(self, form: Literal["missions"], id_: str) -> MissionRow: ...
    @overload
    def row(self, form: Literal["modifiers"], id_: str) -> ModifierRow: ...
    @overload
    def row(self, form: Literal["movement"], id_: str) -> MovementRow: ...
    @overload
    def row(self, form: Literal["nations"], id_: str) -> NationRow: ...
    @overload
    def row(self, form: Literal["notes"], id_: str) -> NoteRow: ...
    @overload
    def row(self, form: Literal["options"], id_: str) -> OptionRow: ...
    @overload
    def row(self, form: Literal["order_options"], id_: str) -> OrderOptionRow: ...
    @overload
    def row(self, form: Literal["orders"], id_: str) -> OrderRow: ...
    @overload
    def row(self, form: Literal["passages"], id_: str) -> PassageRow: ...
    @overload
    def row(self, form: Literal["piles"], id_: str) -> PileRow: ...
    @overload
    def row(self, form: Literal["placement_limits"], id_: str) -> PlacementLimitRow: ...
    @overload
    def row(self, form: Literal["places"], id_: str) -> PlaceRow: ...
    @overload
    def row(self, form: Literal["policies"], id_: str) -> PolicyRow: ...
    @overload
    def row(self, form: Literal["production"], id_: str) -> ProductionRow: ...
    @overload
    def row(self, form: Literal["records"], id_: str) -> RecordRow: ...
    @overload
    def row(self, form: Literal["resources"], id_: str) -> ResourceRow: ...
    @overload
    def row(self, form: Literal["sequence"], id_: str) -> SequenceRow: ...
    @overload
    def row(self, form: Literal["sides"], id_: str) -> SideRow: ...
    @overload
    def row(self, form: Literal["stances"], id_: str) -> StanceRow: ...
    @overload
    def row(self, form: Literal["stats"], id_: str) -> StatRow: ...
    @overload
    def row(self, form: Literal["tables"], id_: str) -> TableRow: ...
    @overload
    def row(self, form: Literal["technologies"], id_: str) -> TechnologyRow: ...
    @overload
    def row(self, form: Literal["tracks"], id_: str) -> TrackRow: ...
    @overload
    def row(self, form: Literal["transfers"], id_: str) -> TransferRow: ...
    @overload
    def row(self, form: Literal["units"], id_: str) -> UnitRow: ...
    @overload
    def row(self, form: Literal["upkeep"], id_: str) -> UpkeepRow: ...
    @overload
    def row(self, form: Literal["victory"], id_: str) -> VictoryRow: ...
    @overload
    def row(self, form: Literal["visibility"], id_: str) -> VisibilityRow: ...
    @overload
    def row(self, form: Literal["war_kinds"], id_: str) -> WarKindRow: ...
    @overload
    def row(self, form: str, id_: str) -> Row: ...
    @overload
    def row_or_empty(self, form: Literal["action_changes"], id_: str | None) -> ActionChangeRow: ...
    @overload
    def row_or_empty(self, form: Literal["actions"], id_: str | None) -> ActionRow: ...
    @overload
    def row_or_empty(self, form: Literal["aliases"], id_: str | None) -> AliasRow: ...
    @overload
    def row_or_empty(self, form: Literal["audits"], id_: str | None) -> AuditRow: ...
    @overload
    def row_or_empty(self, form: Literal["battles"], id_: str | None) -> BattleRow: ...
    @overload
    def row_or_empty(self, form: Literal["capture"], id_: str | None) -> CaptureRow: ...
    @overload
    def row_or_empty(self, form: Literal["cards"], id_: str | None) -> CardRow: ...
    @overload
    def row_or_empty(self, form: Literal["chapters"], id_: str | None) -> ChapterRow: ...
    @overload
    def row_or_empty(self, form: Literal["clauses"], id_: str | None) -> ClauseRow: ...
    @overload
    def row_or_empty(self, form: Literal["counters"], id_: str | None) -> CounterRow: ...
    @overload
    def row_or_empty(self, form: Literal["decisions"], id_: str | None) -> DecisionRow: ...
    @overload
    def row_or_empty(self, form: Literal["definitions"], id_: str | None) -> DefinitionRow: ...
    @overload
    def row_or_empty(self, form: Literal["detection"], id_: str | None) -> DetectionRow: ...
    @overload
    def row_or_empty(self, form: Literal["events"], id_: str | None) -> EventRow: ...
    @overload
    def row_or_empty(self, form: Literal["fields"], id_: str | None) -> FieldRow: ...
    @overload
    def row_or_empty(self, form: Literal["groups"], id_: str | None) -> GroupRow: ...
    @overload
    def row_or_empty(self, form: Literal["imports"], id_: str | None) -> ImportRow: ...
    @overload
    def row_or_empty(self, form: Literal["income"], id_: str | None) -> IncomeRow: ...
    @overload
    def row_or_empty(self, form: Literal["links"], id_: str | None) -> LinkRow: ...
    @overload
    def row_or_empty(self, form: Literal["matrices"], id_: str | None) -> MatrixRow: ...
    @overload
    def row_or_empty(self, form: Literal["missions"], id_: str | None) -> MissionRow: ...
    @overload
    def row_or_empty(self, form: Literal["modifiers"], id_: str | None) -> ModifierRow: ...
    @overload
    def row_or_empty(self, form: Literal["movement"], id_: str | None) -> MovementRow: ...
    @overload
    def row_or_empty(self, form: Literal["nations"], id_: str | None) -> NationRow: ...
    @overload
    def row_or_empty(self, form: Literal["notes"], id_: str | None) -> NoteRow: ...
    @overload
    def row_or_empty(self, form: Literal["options"], id_: str | None) -> OptionRow: ...
    @overload
    def row_or_empty(self, form: Literal["order_options"], id_: str | None) -> OrderOptionRow: ...
    @overload
    def row_or_empty(self, form: Literal["orders"], id_: str | None) -> OrderRow: ...
    @overload
    def row_or_empty(self, form: Literal["passages"], id_: str | None) -> PassageRow: ...
    @overload
    def row_or_empty(self, form: Literal["piles"], id_: str | None) -> PileRow: ...
    @overload
    def row_or_empty(self, form: Literal["placement_limits"], id_: str | None) -> PlacementLimitRow: ...
    @overload
    def row_or_empty(self, form: Literal["places"], id_: str | None) -> PlaceRow: ...
    @overload
    def row_or_empty(self, form: Literal["policies"], id_: str | None) -> PolicyRow: ...
    @overload
    def row_or_empty(self, form: Literal["production"], id_: str | None) -> ProductionRow: ...
    @overload
    def row_or_empty(self, form: Literal["records"], id_: str | None) -> RecordRow: ...
    @overload
    def row_or_empty(self, form: Literal["resources"], id_: str | None) -> ResourceRow: ...
    @overload
    def row_or_empty(self, form: Literal["sequence"], id_: str | None) -> SequenceRow: ...
    @overload
    def row_or_empty(self, form: Literal["sides"], id_: str | None) -> SideRow: ...
    @overload
    def row_or_empty(self, form: Literal["stances"], id_: str | None) -> StanceRow: ...
    @overload
    def row_or_empty(self, form: Literal["stats"], id_: str | None) -> StatRow: ...
    @overload
    def row_or_empty(self, form: Literal["tables"], id_: str | None) -> TableRow: ...
    @overload
    def row_or_empty(self, form: Literal["technologies"], id_: str | None) -> TechnologyRow: ...
    @overload
    def row_or_empty(self, form: Literal["tracks"], id_: str | None) -> TrackRow: ...
    @overload
    def row_or_empty(self, form: Literal["transfers"], id_: str | None) -> TransferRow: ...
    @overload
    def row_or_empty(self, form: Literal["units"], id_: str | None) -> UnitRow: ...
    @overload
    def row_or_empty(self, form: Literal["upkeep"], id_: str | None) -> UpkeepRow: ...
    @overload
    def row_or_empty(self, form: Literal["victory"], id_: str | None) -> VictoryRow: ...
    @overload
    def row_or_empty(self, form: Literal["visibility"], id_: str | None) -> VisibilityRow: ...
    @overload
    def row_or_empty(self, form: Literal["war_kinds"], id_: str | None) -> WarKindRow: ...
    @overload
    def row_or_empty(self, form: str, id_: str | None) -> Row: ...
