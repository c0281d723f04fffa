"""A ruleset in the making, looked at as `wteaw validate --strict` does: what is wrong is mended, explained,
or taken out.

A game file may hold what a ruleset finds odd: events that never fire, names that two things share, figures of
the wrong kind. Whoever imports it did not write it, so nothing of that refuses the file: a warning becomes a
reason in its row, and a row, or a key of it, that cannot stand goes, with a line that says so at the place in
the game file it came from.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from wteaw.core.diagnostics import Diagnostic, render

from .document import GameFileError
from .draft import COSMETIC, PLAY, PREVENTS, RulesetDraft, row_name

__all__ = ["settle", "without_idle_helpers"]

ROUNDS = 30
DROPPED = "\0"
CUT, EXPLAINED = "cut", "explained"
"""What is done about a finding: something of a row is taken away, or the row says why it stands."""
KEPT = frozenset({"places", "nations", "units", "sides", "resources", "fields"})
"""Rows that others depend on: they lose the key that is wrong, not themselves."""

WORD = re.compile("[a-z0-9_-]+")
ROW = re.compile(r"  (- |\S.*: )\{.*\}$")
HELPER = re.compile(r"  - \{id: ([a-z0-9_-]+),.*\}$")


def settle(draft: RulesetDraft, folder: Path, file: Path) -> None:
    """Mend a ruleset until there is no finding.

    GameFileError if errors stay that no row of the game file can be blamed for.
    """
    found: list[Diagnostic] = []
    for _ in range(ROUNDS):
        found = _findings(folder)
        if not found:
            return
        mended: list[str] = []
        gone: set[str] = set()
        for name in dict.fromkeys(d.file for d in found):
            path = folder / name
            if path.is_file():
                mended += _mend_file(draft, path, [d for d in found if d.file == name], gone)
        if gone:
            _forget(folder, gone)
        if len(mended) == len(found) and set(mended) == {EXPLAINED}:
            return  # rows that say why they stand are else what they were: nobody need look again
        if not mended:
            break
    errors = [d for d in found if d.severity == "error"]
    if errors:
        raise GameFileError(
            f"{file}: what it says makes no ruleset that holds together\n{render(errors[:20], 'text')}"
        )
    for d in found:
        draft.leave(1, f"a warning stays: {d.message} [{d.code}]", COSMETIC)


def _findings(folder: Path) -> list[Diagnostic]:
    from wteaw.play.scenario_files import load_scenario
    from wteaw.report.map_faults import drawing_faults
    from wteaw.ruleset import load_ruleset
    from wteaw.ruleset.compile import RulesetsRead

    done = RulesetsRead()
    ruleset, found = load_ruleset(folder, root=folder, done=done)
    found = [*found, *drawing_faults(folder)]
    for scenario in sorted((folder / "scenarios").glob("*.yaml")) if ruleset is not None else ():
        found += load_scenario(scenario, root=folder, done=done)[2]
    return found


def _forget(folder: Path, gone: set[str]) -> None:
    """The shared rules list what can be bought: what has gone is no longer in such lists."""
    for path in sorted((folder / "tables").glob("rules-*.yaml")):
        text = path.read_text(encoding="utf-8")
        for id_ in gone:
            text = re.sub(rf'"{re.escape(id_)}"(: [0-9]+)?(, )?', "", text)
        text = text.replace(", ]", "]").replace(", }", "}")
        path.write_text(text, encoding="utf-8")


def _mend_file(draft: RulesetDraft, path: Path, found: list[Diagnostic], gone: set[str]) -> list[str]:
    """What was done about findings of one file, for each about which something could be: it is written again,
    or goes if nothing is left of it.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    forms = _forms(lines)
    before = lines.copy()
    done = [_mended(draft, lines, forms[d.line - 1], d) for d in found if 0 < d.line <= len(lines)]
    for number, line in enumerate(lines):
        if line == DROPPED and forms[number] == "production":
            gone.add(row_name(_row(before[number])))
    left = _without_empty_forms([line for line in lines if line != DROPPED])
    if any(line.strip() and not line.startswith("#") for line in left):
        path.write_text("\n".join(left).rstrip("\n") + "\n", encoding="utf-8")
    else:
        path.unlink()
    return [what for what in done if what]


def _forms(lines: list[str]) -> list[str]:
    """The form, or the key of a scenario, under which each line stands."""
    found, form = [], ""
    for line in lines:
        if line and not line.startswith((" ", "#")):
            form = line.partition(":")[0]
        found.append(form)
    return found


def _mended(draft: RulesetDraft, lines: list[str], form: str, finding: Diagnostic) -> str:
    """What was done about a finding: a helper dropped, a reason written into the row, or what is wrong taken
    out; empty if nothing was.
    """
    at = finding.line - 1
    line = lines[at]
    if line == DROPPED:
        return CUT
    if not ROW.match(line):
        return ""
    if finding.code == "W604":
        if form not in KEPT:
            lines[at] = DROPPED
            return CUT
        # a tag by which nothing selects is missed by nobody
        return EXPLAINED if _without_tag(lines, WORD.match(line, finding.column - 1)) else ""
    if finding.severity == "error":
        return CUT if _cut_out(draft, lines, form, finding) else ""
    known = draft.words["as_it_is"].get(finding.code) or draft.words["as_it_is"]["other"]
    if f"{finding.code}:" in line or not line.startswith("  - {"):
        return ""
    if "told" in known:
        draft.leave(
            _line_of(draft, form, _row(line)), f"{_named(form, _row(line))}: {finding.message}", known["told"]
        )
    if ", silence: {" in line:
        lines[at] = line.replace(", silence: {", f", silence: {{{finding.code}: {known['reason']}, ", 1)
    else:
        lines[at] = f"{line[:-1]}, silence: {{{finding.code}: {known['reason']}}}}}"
    return EXPLAINED


def _cut_out(draft: RulesetDraft, lines: list[str], form: str, finding: Diagnostic) -> bool:
    """Take out what is wrong: a key of a row that others depend on, else the row."""
    import yaml

    try:
        at, row = finding.line - 1, _row(lines[finding.line - 1])
    except (
        yaml.YAMLError
    ):  # a row of the shared rules that goes on from another: nothing of the file can be taken out of it
        return False
    key = _key_at(lines[at], finding.column) if form in KEPT else ""
    if key and key not in ("id", "name", "kind", "between"):
        what = f"{_named(form, row)}: {key} = {str(row.get(key))[:60]}"
        lines[at] = _line_with(lines[at], _without(row, key))
    else:
        what = _named(form, row)
        lines[at] = DROPPED
    grade = PREVENTS if form in ("places", "nations") and lines[at] == DROPPED else PLAY
    draft.leave(_line_of(draft, form, row), f"{what}: {finding.message}", grade)
    return True


def _without_tag(lines: list[str], tag: re.Match[str] | None) -> bool:
    """Whether a tag that no rule asks for was taken from all units; who has it stays."""
    if tag is None:
        return False
    changed = False
    for number, line in enumerate(lines):
        if not line.startswith("  - {") or tag[0] not in line:
            continue
        row = _row(line)
        if tag[0] in row.get("tags", ()):
            kept = [other for other in row["tags"] if other != tag[0]]
            lines[number] = _line_with(line, {**row, "tags": kept} if kept else _without(row, "tags"))
            changed = True
    return changed


def _row(line: str) -> dict[str, Any]:
    """A line as a row; of a scenario's `name: {...}` what stands in the braces."""
    import yaml

    found = yaml.load(line.strip().removeprefix("- "), Loader=yaml.CSafeLoader)
    if line.startswith("  - "):
        return dict(found)
    (name, inner), *_ = found.items()
    return {"id": name, **(inner if isinstance(inner, dict) else {})}


def _key_at(line: str, column: int) -> str:
    """The key of a row in whose value, or on which, a column of the line lies; empty if none does."""
    import yaml

    indent = len(line) - len(line.lstrip(" -"))
    node = yaml.compose(line[indent:], Loader=yaml.CSafeLoader)
    at = column - 1 - indent
    for key, value in getattr(node, "value", ()):
        if key.start_mark.column <= at <= value.end_mark.column:
            return str(key.value)
    return ""


def _line_with(line: str, row: dict[str, Any]) -> str:
    """The line that holds this row instead."""
    from .render import flow

    return line[: len(line) - len(line.lstrip(" -"))] + flow(row)


def _without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k != key}


def _line_of(draft: RulesetDraft, form: str, row: dict[str, Any]) -> int:
    return draft.lines.get((form, row_name(row)), 1)


def _named(form: str, row: dict[str, Any]) -> str:
    name = row_name(row) or ", ".join(str(row[key]) for key in ("owner", "a", "at", "b") if key in row)
    return f"{form} {name}"[:160]


# ---- helpers that nothing uses


def without_idle_helpers(texts: dict[str, str]) -> dict[str, str]:
    """Without terms, groups and stats whose id stands nowhere else; what only they name goes, too."""
    lines = {
        name: text.split("\n") for name, text in texts.items() if name.startswith(("tables/", "events/"))
    }
    counts: Counter[str] = Counter()
    helpers: dict[str, list[tuple[str, int]]] = {}
    for name, rows in lines.items():
        form = ""
        for k, line in enumerate(rows):
            counts.update(set(WORD.findall(line)))
            if line and not line.startswith((" ", "#")):
                form = line.rstrip(":")
            elif form in ("definitions", "groups", "stats") and (m := HELPER.match(line)):
                helpers.setdefault(m.group(1), []).append((name, k))
    waiting = [id_ for id_, rows in helpers.items() if counts[id_] == len(rows)]
    while waiting:
        for name, k in helpers.pop(waiting.pop()):
            words = set(WORD.findall(lines[name][k]))
            lines[name][k] = DROPPED
            counts.subtract(words)
            waiting += [
                w for w in words if w in helpers and w not in waiting and counts[w] == len(helpers[w])
            ]
    kept = {
        name: _without_empty_forms([line for line in rows if line != DROPPED]) for name, rows in lines.items()
    }
    full = {
        name for name, rows in kept.items() if any(line.strip() and not line.startswith("#") for line in rows)
    }
    return {
        name: "\n".join(kept[name]) if name in kept else text
        for name, text in texts.items()
        if name not in kept or name in full
    }


def _without_empty_forms(lines: list[str]) -> list[str]:
    """Without the heads of forms that have lost their last row."""
    kept: list[str] = []
    following = ""
    for line in reversed(lines):
        head = line.endswith(":") and not line.startswith((" ", "#"))
        if head and not following.startswith(" "):
            continue
        kept.append(line)
        if line.strip() and not line.lstrip().startswith("#"):
            following = line
    return kept[::-1]
