"""A game file into a folder: read, translated, looked at as `wteaw validate --strict` does, and left whole or
not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from wteaw.core.words import slug
from wteaw.play.new_folder import SCHEMAS, may_write, new_folder, put_schemas

from .board import TerritoryLayout, board, drawing
from .conditions import Conditions
from .document import read
from .draft import COSMETIC, GRADES, PLAY, PREVENTS, Row, RulesetDraft
from .forces import forces, grounds, standing, support
from .game_reader import facts
from .happenings import Happenings
from .powers import LAST_TURN, ends, powers, sequence
from .purchases import incomes, purchases
from .render import flow, rules
from .settle import settle, without_idle_helpers
from .technology import technology
from .words import read_words

__all__ = ["Imported", "import_game"]

HEAD = "# yaml-language-server: $schema={schema}\n# {says}\n"
LEFT_OUT = "not-translated.txt"
MOST_LETTERS = 1_000_000
"""Of one file of rows: longer ones go on in another."""


@dataclass(frozen=True)
class Imported:
    """What came of an import: folder, scenario file, rows of each form, what was left out, what the map is
    drawn from.

    `grades` counts what was left out by what it means for play; `share` is the part of all that the file
    says, from 0 to 1, that plays as in its own program.
    """

    folder: Path
    scenario: Path
    title: str
    counts: dict[str, int]
    left: list[str]
    drawn_from: str
    grades: dict[str, int]
    share: float


def import_game(file: Path, out: Path, *, force: bool = False) -> Imported:
    """Translate a game file into a new folder.

    GameFileError if the file will not do, FolderError if the folder will not; then nothing is left.
    """
    may_write(out, force=force)
    draft, drawn, texts = translate(file)
    with new_folder(out) as work:
        put_schemas(work)
        for name, text in texts.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        settle(draft, work, file)
        (work / LEFT_OUT).write_text("".join(f"{line}\n" for line in _left(draft, file)), encoding="utf-8")
    counts: dict[str, int] = {}
    for forms in draft.rows.values():
        for form, rows in forms.items():
            counts[form] = counts.get(form, 0) + len(rows)
    scenario = out / "scenarios" / f"{slug(draft.game.name)}.yaml"
    grades = {grade: sum(left.grade == grade for left in draft.left) for grade in GRADES}
    wrong = sum(n for grade, n in grades.items() if grade != COSMETIC)
    share = max(0.0, 1 - wrong / max(1, draft.game.statements))
    return Imported(out, scenario, draft.game.name, counts, _left(draft, file), drawn.how, grades, share)


# ---- translation


def translate(file: Path) -> tuple[RulesetDraft, TerritoryLayout, dict[str, str]]:
    """The draft of a game file and the texts of all files of its ruleset."""
    game = facts(read(file), str(file))
    draft = RulesetDraft(game, read_words())
    drawn = drawing(draft, file)
    forces(draft)
    board(draft, drawn.points)
    powers(draft, drawn.colors)
    sequence(draft)
    pairs = support(draft)
    grounds(draft)
    standing(draft)
    conditions = Conditions(draft)
    happenings = Happenings(draft, conditions)
    objectives = conditions.objectives()
    acts = happenings.actions()
    happenings.events()
    happenings.forget_idle_marks()
    purchases(draft)
    happenings.fill_hands()
    incomes(draft)
    by_dice = technology(draft, draft.features["has_phase"].get("tech", []))
    ends(draft)
    _helpers(draft, objectives)
    _properties(draft)
    _movement(draft)
    shared = rules(draft, acts, objectives, pairs, by_dice, draft.money)
    return draft, drawn, without_idle_helpers(_texts(draft, drawn, shared, file))


def _helpers(draft: RulesetDraft, objectives: list[str]) -> None:
    """Terms that conditions read, and the option that objectives depend on."""
    for file, forms in draft.words["helpers"].items():
        for form, rows in forms.items():
            for row in rows:
                if "if" not in row or objectives:
                    draft.row(file, form, {key: value for key, value in row.items() if key != "if"})


def _movement(draft: RulesetDraft) -> None:
    """Where no unit has any way to go, that is told."""
    links = draft.features["links"]
    ways = (
        "land" in draft.tags and "land" in links,
        "ship" in draft.tags and draft.features["sea"],
        "air" in draft.tags and links,
    )
    if not any(ways):
        draft.leave(
            draft.game.line_of_map,
            "no unit can move: none has movement where the map has connections",
            PREVENTS,
        )


def _properties(draft: RulesetDraft) -> None:
    """Properties that ask for something our rules do not do, and what is idle without one."""
    for attachment, name in draft.game.idle:
        what = f"{attachment.kind} {attachment.name} of {attachment.to}"
        draft.leave(attachment.line, f"{what}: it is switched off by the property {name}", COSMETIC)
    for tag, line in draft.game.without_number:
        draft.leave(line, f"<{tag}>: it has no quantity, which is 0", COSMETIC)
    asked: set[str] = set()
    for attachment in draft.game.attachments:
        asked.update(option.value for option in attachment.all("gameProperty"))
    for name, (value, line) in draft.game.properties.items():
        entry = draft.words.entry("properties", name)
        if entry is None:
            if (
                value.lower() not in ("false", "", "0", "-1")
                and name not in asked
                and not draft.words.passes(name)
            ):
                draft.leave(line, f"property {name} = {value[:60]}: no rule is known that reads it", COSMETIC)
            continue
        if "means" not in entry or not _matters(draft, entry):
            continue
        closed = entry.get("closed")
        played = value.lower() in ("", entry.get("plays", "false"), entry.get("plays", "0"))
        if not played and not (closed is not None and value.isdecimal() and int(value) >= closed):
            draft.leave(line, f"property {name} = {value[:60]}: {entry['means']}", entry.get("grade", PLAY))
    for name, entry in draft.words["properties"].items():
        if name not in draft.game.properties and entry.get("plays") == "true" and _matters(draft, entry):
            draft.leave(
                1, f"property {name} is absent, which is false: {entry['means']}", entry.get("grade", PLAY)
            )


def _matters(draft: RulesetDraft, entry: Row) -> bool:
    """Whether a property makes a difference with the units that the game has."""
    return "of" not in entry or entry["of"] in draft.tags


# ---- texts


def _texts(draft: RulesetDraft, drawn: TerritoryLayout, shared: dict[str, str], file: Path) -> dict[str, str]:
    schema = f"../{SCHEMAS}/table-file.schema.json"
    game, id_ = draft.game, slug(draft.game.name)
    texts = {
        "ruleset.yaml": _block(
            {
                "id": id_,
                "title": game.name[:120],
                "description": f"Imported from {file.name}.",
                "settings": {
                    "money": draft.money,
                    **_settings(draft, shared),
                    "calendar": {"turns": LAST_TURN},
                },
            },
            f"{' '.join([game.name, game.version]).strip()}, made of the game file {file.name} by `wteaw "
            "import triplea`.",
        ),
        f"scenarios/{id_}.yaml": _scenario(draft, id_),
        "map/layout.yaml": _block(
            drawn.layout, "The sheet of the map; degrees are only a way to say where something lies."
        ),
        "map/marks.yaml": _block(_marks(draft), "What the map marks, beside names and owners."),
    }
    if drawn.shapes:
        texts["map/shapes.json"] = drawn.shapes
    for name, forms in draft.rows.items():
        head = HEAD.format(schema=schema, says=draft.words["files"].get(name, name))
        for k, text in enumerate(_parts(forms)):
            file_name = f"{name}-{k + 1}" if k else name
            texts[f"{'events' if 'events' in forms else 'tables'}/{file_name}.yaml"] = head + text
    for name, text in shared.items():
        texts[f"tables/rules-{name}"] = f"# yaml-language-server: $schema={schema}\n{text}"
    return texts


def _parts(forms: dict[str, list[Row]]) -> list[str]:
    """The rows of a file as text, in as many files as it takes to keep each readable."""
    parts: list[list[str]] = [[]]
    size = 0
    for form, rows in forms.items():
        parts[-1].append(f"{form}:\n")
        for row in rows:
            line = f"  - {flow(row)}\n"
            size += len(line)
            if size > MOST_LETTERS:
                parts.append([f"{form}:\n"])
                size = len(line)
            parts[-1].append(line)
    return ["".join(lines) for lines in parts]


def _settings(draft: RulesetDraft, shared: dict[str, str]) -> Row:
    """The settings of all imported rulesets, without those that name a field or a stance which nothing in
    this game has.
    """
    declared: set[str] = set()
    for forms in draft.rows.values():
        for form in ("fields", "stances"):
            declared.update(row["id"] for row in forms.get(form, ()))

    def there(name: str) -> bool:
        return name in declared or any(f"{{id: {name}," in text for text in shared.values())

    return {key: value for key, value in draft.words["settings"].items() if there(value.rpartition(".")[2])}


def _block(data: Any, says: str) -> str:
    import yaml

    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)
    return f"# {says}\n{text}"


def _scenario(draft: RulesetDraft, id_: str) -> str:
    scenario = draft.scenario
    lines = [
        f"# {draft.game.name}: the start.",
        f"id: {flow(id_)}",
        f"title: {flow(draft.game.name[:120])}",
        "ruleset: ..",
        "start: {turn: 1}",
        "seats: {default: policy}",
    ]
    if scenario.get("nations"):
        lines += ["nations:", *(f"  {flow(name)}: {flow(row)}" for name, row in scenario["nations"].items())]
    if scenario.get("holders"):
        lines.append(f"holders: {flow(scenario['holders'])}")
    for key in ("relations", "units"):
        if scenario.get(key):
            lines += [f"{key}:", *(f"  - {flow(row)}" for row in scenario[key])]
    return "\n".join(lines) + "\n"


def _marks(draft: RulesetDraft) -> Row:
    legend: Row = {"symbol": {"star": "Capital"}, "badge": {}}
    row: Row = {"notes": [], "badges": {}, "symbols": {"nation.capital": "star"}, "legend": legend}
    places = chain.from_iterable(forms.get("places", ()) for forms in draft.rows.values())
    known = set(chain.from_iterable(places))
    for mark in draft.words["marks"]:
        if mark.get("tag") in draft.tags:
            row["badges"][mark["tag"]] = mark["letter"]
            row["legend"]["badge"][mark["letter"]] = mark["text"]
        elif "symbol" in mark and mark["field"] in known:
            row["symbols"][mark["field"]] = mark["symbol"]
            row["legend"]["symbol"][mark["symbol"]] = mark["text"]
        elif "symbol" not in mark and mark.get("field") in known:
            row["notes"].append(mark["field"])
    row["legend"] = {key: value for key, value in row["legend"].items() if value}
    return {key: value for key, value in row.items() if value}


def _left(draft: RulesetDraft, file: Path) -> list[str]:
    return [f"{file.name}:{left.line}: {left.grade}: {left.what}" for left in sorted(draft.left)]
