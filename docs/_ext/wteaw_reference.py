"""Pages that are made from the program itself when the site is built: tables, expressions and commands.
Nothing of them is written by hand, so nothing of them is old. They are written to `made/` and
`_build/rulebooks/`.
"""

from __future__ import annotations

import json
import re
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer
import yaml
from findings import EXAMPLES, examples, findings
from schema_pages import COMMON, OWN_PAGES, Writer, anchor, cell, prose, target
from sphinx.application import Sphinx

from wteaw.cli import COMMANDS, Command
from wteaw.core.codes import CODES
from wteaw.core.diagnostics import render_one
from wteaw.core.package_data import data_root, rulesets, templates
from wteaw.core.registry import VERBS
from wteaw.play.starter import GAMES
from wteaw.rulebook import page
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import ALWAYS, BARE_ROLES, BUILT_IN, FACTS
from wteaw.ruleset.folder import TABLE_FOLDERS, find_rulesets
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.cases import CitedBy

GROUPS = {
    "The board": ("places", "links", "passages", "groups"),
    "Who plays": ("nations", "sides", "stances", "war_kinds", "tracks"),
    "What is moved and bought": (
        "units",
        "technologies",
        "resources",
        "production",
        "placement_limits",
    ),
    "What may be ordered": (
        "actions",
        "orders",
        "order_options",
        "action_changes",
        "decisions",
        "notes",
        "aliases",
    ),
    "Cards": ("cards", "piles"),
    "Moving and fighting": (
        "movement",
        "missions",
        "detection",
        "battles",
        "capture",
    ),
    "Income and upkeep": ("income", "upkeep", "transfers", "records"),
    "What happens by itself": ("events", "matrices", "counters"),
    "Numbers and words": ("definitions", "stats", "modifiers", "tables", "fields"),
    "Winning": ("victory",),
    "The turn and the table": (
        *("sequence", "options"),
        *("policies", "visibility"),
    ),
    "The text behind the rules": ("clauses", "chapters", "audits", "imports"),
}


EVERYWHERE = ("source", "note", "silence", "remove", "append", "before", "after")
"""Keys that rows of all tables may have: they are listed once, below the list of tables."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", make)
    return {"version": "1", "parallel_read_safe": True}


def make(app: Sphinx) -> None:
    """Write all pages; a page that says the same as before is left alone, so that it is not read again."""
    out = Path(app.srcdir) / "made"
    known = forms()
    folders = {folder: load_ruleset(folder)[0] for folder in find_rulesets(rulesets())}
    pages = {
        **schema_pages(known, shortest(known, folders))[0],
        "expressions.md": _expressions(),
        "findings.md": _findings(),
        "commands.md": _commands(),
        "rulebooks.md": _rulebooks(folders, Path(app.srcdir) / "_build/rulebooks"),
    }
    out.mkdir(parents=True, exist_ok=True)
    for old in set(out.glob("*.md")) - {out / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        if not (out / name).is_file() or (out / name).read_text(encoding="utf-8") != text:
            (out / name).write_text(text, encoding="utf-8")


# ---- schemas


def schema_pages(known: Forms, shown: Mapping[str, Row]) -> tuple[dict[str, str], Writer]:
    """All pages that are made of schemas: name -> text, and which keys stand where.

    `shown`: for each table the row it shows.
    """
    writer = Writer(known)
    pages = {
        "effects.md": _effects(writer),
        "triggers.md": _triggers(writer),
        "shared.md": _shared(writer),
        "mechanics.md": _mechanics(known),
        **{f"file-{name}.md": _file(writer, name, path) for name, path in FILES.items()},
        **{f"table-{form}.md": _form(writer, form, shown[form]) for form in known.names},
        "tables.md": _index(known),
    }
    return pages, writer


FILES = {
    "manifest": "ruleset.yaml",
    "scenario": "scenarios/NAME.yaml",
    "rule-test": "tests/NAME.yaml",
    "equivalent": "tests/equivalent.yaml",
    "map-layout": "map/layout.yaml",
    "map-marks": "map/marks.yaml",
    "triplea-words": "words.yaml",
}
"""Files that hold no tables: their schema, and how such a file is called."""
EXAMPLE_OF_FILE = {
    "manifest": "ruleset.yaml",
    "scenario": "scenarios/start.yaml",
    "rule-test": "tests/first.yaml",
    "map-layout": "map/layout.yaml",
    "map-marks": "map/marks.yaml",
}
"""The files of `wteaw init` that the pages show; an importer's words have none there."""


def _index(known: Forms) -> str:
    lines = [
        "# Tables",
        "",
        "A ruleset is made of tables, each a list of rows. A page for each table lists every key.",
        "",
    ]
    for title, members in GROUPS.items():
        lines += [f"## {title}", "", "| table | what it says |", "| --- | --- |"]
        lines += [
            f"| [{f}](table-{f}.md) | {cell(known.schema(f).get('description', ''))} |" for f in members
        ]
        lines.append("")
    common = known.schema("places")["properties"]
    lines += ["## Keys that every row may have", ""]
    lines += [
        *Writer(known).table("row", {key: common[key] for key in EVERYWHERE}, "places.schema.json", ()),
        "",
    ]
    lines += [
        "## What tables share",
        "",
        "- [Effects](effects.md): every verb with its parameters",
        "- [Triggers](triggers.md)",
    ]
    lines += [
        "- [Mechanics](mechanics.md): what a step can `do`",
        "- [Shared pieces](shared.md): rolls, cases, slots, amounts",
        "",
    ]
    lines += ["## Files without tables", ""]
    lines += [
        f"- [`{path}`](file-{name}.md): {prose(known.schema(name).get('description', ''))}"
        for name, path in FILES.items()
    ]
    lines += [
        "",
        "```{toctree}",
        ":hidden:",
        "effects",
        "triggers",
        "mechanics",
        "shared",
        *(f"file-{name}" for name in FILES),
    ]
    lines += [*(f"table-{form}" for form in known.names), "```", ""]
    return "\n".join(lines)


def _form(writer: Writer, form: str, example: Row) -> str:
    known, base = writer.known, f"{form}.schema.json"
    schema = known.schema(form)
    lines = [
        f"({target(form)})=",
        f"# {form}",
        "",
        prose(schema.get("description", "")),
        "",
        "For instance:",
        "",
    ]
    lines += [
        "```{code-block} yaml",
        f":caption: {example.file}, line {example.line}",
        "",
        *example.text.splitlines(),
        "```",
        "",
    ]
    if names := schema.get("x-names"):
        listed = ", ".join(f"`{name}` ({kind})" for name, kind in names.items())
        lines += [
            "Names that its [expressions](expressions.md) may use, where a key does not say otherwise: "
            f"{listed}.",
            "",
        ]
    further = [key for key in EVERYWHERE if key in schema.get("properties", {})]
    page = f"table-{form}.md"
    rest = ", ".join(f"{anchor(f'{form}.{key}')}`{key}`" for key in further)
    lines += [
        *writer.section(page, form, schema, base, EVERYWHERE),
        f"Besides, as in [every table](tables.md): {rest}.",
        "",
    ]
    if known.is_open(form):
        lines += ["Further keys are fields that rows of the table [fields](table-fields.md) declare.", ""]
    if "definitions" in schema:
        lines += writer.shared(page, base, f"{form}-parts", schema["definitions"])
    if form == "sequence":
        lines += ["What each mechanic does, takes and states: [Mechanics](mechanics.md).", ""]
    return "\n".join(lines)


def _file(writer: Writer, name: str, path: str) -> str:
    """The page of a kind of file that holds no tables."""
    schema, base, page = writer.known.schema(name), f"{name}.schema.json", f"file-{name}.md"
    lines = [f"({target(name)})=", f"# The file {path}", "", prose(schema.get("description", "")), ""]
    if name in EXAMPLE_OF_FILE:
        shown = (data_root() / "templates" / "new-game" / EXAMPLE_OF_FILE[name]).read_text(encoding="utf-8")
        lines += [
            "For instance, as `wteaw init mine` writes it:",
            "",
            f"```{{code-block}} yaml\n:caption: {EXAMPLE_OF_FILE[name]}\n",
        ]
        lines += [*shown.replace("$ID$", "mine").replace("$TITLE$", "Mine").splitlines(), "```", ""]
    lines += writer.section(page, name, schema, base)
    lines += writer.shared(page, base, f"{name}-parts", schema.get("definitions", ()))
    return "\n".join(lines)


STRUCTURES = (
    "when",
    "audience",
    "note",
    "for",
    "draw",
    "in_turn",
    "roll",
    "results",
    "cases",
    "choose",
    "effects",
    "on_failure",
)
"""Keys of an effect that are no verb: who it is for, whether, and what a die decides."""


EFFECTS = """
An effect is a map with one verb; a list of effects is carried out in order, all or nothing. They stand under
`effects`, `always`, `results`, `cases` and `on_failure` of [events](table-events.md),
[actions](table-actions.md) and other tables.
Each example is the effect of a rule test (`docs/examples/effects.yaml`).
"""
TRIGGERS = """
A trigger says that something has happened. [Events](table-events.md), [matrices](table-matrices.md) and
[counters](table-counters.md) wait for it under `on`; a filter names what a role must be, one value or a list.
Expressions read the roles as `event.ROLE` (`event.actor` is `by`, `event.target` is `of`, `event.origin` is
`from`), and `happened('WORD', ROLE=...)` and `this_turn(...)` count triggers. Each example is the event of a
rule test (`docs/examples/triggers.yaml`).
"""


def _effects(writer: Writer) -> str:
    """Every verb and structure, each with its parameters and an example that is a rule test."""
    schema = writer.known.files[COMMON]["definitions"]["effect"]
    shown, keys = blocks_of("effects.yaml"), schema["properties"]
    lines = [f"({target('shared.effect')})=", "# Effects", "", prose(schema["description"]), ""]
    lines += [*EFFECTS.strip().splitlines(), ""]
    verbs = [key for key in keys if key in VERBS]
    lines += ["Verbs: " + ", ".join(f"[{verb}](#{target(f'effect.{verb}')})" for verb in verbs) + ".", ""]
    lines += [
        "Structures: " + ", ".join(f"[{key}](#{target(f'effect.{key}')})" for key in STRUCTURES) + ".",
        "",
    ]
    for key in (*verbs, *STRUCTURES):
        raw = keys[key]
        inner, _ = writer.known.resolve(raw, COMMON)
        lines += [f"({target(f'effect.{key}')})=", f"## `{key}`", "", anchor(f"effect.{key}"), ""]
        lines += [prose(raw.get("description") or inner.get("description", "")), ""]
        lines += ["```yaml", *shown[key], "```", ""]
        if key in STRUCTURES:
            lines += [
                "".join(
                    [
                        f"Written as: {writer.kind(raw, COMMON)}.",
                        *(f" {said}" for said in writer.remarks(raw, inner)),
                    ]
                ),
                "",
            ]
        elif "oneOf" in raw and not any("properties" in part for part in raw["oneOf"]):
            lines += [f"Written as: {writer.kind(raw, COMMON)}.", ""]
        lines += writer.section("effects.md", f"effect.{key}", raw, COMMON)
    writer.written[id(keys)] = "effects.md", "effect"
    return "\n".join(lines)


def _triggers(writer: Writer) -> str:
    """Every trigger with its roles, and an example that fires."""
    common = writer.known.files[COMMON]["definitions"]
    says, shown = common["triggerWord"]["x-says"], blocks_of("triggers.yaml")
    lines = [f"({target('shared.trigger')})=", "# Triggers", "", prose(common["trigger"]["description"]), ""]
    lines += [*TRIGGERS.strip().splitlines(), "", f"({target('shared.triggerWord')})=", ""]
    for word, roles in FACTS.items():
        lines += [
            f"({target(f'trigger.{word}')})=",
            f"## `{word}`",
            "",
            anchor(f"trigger.{word}"),
            "",
            prose(says[word]),
            "",
        ]
        lines += ["```yaml", *shown[word], "```", "", "| role | a filter names |", "| --- | --- |"]
        for role, may in roles.items():
            named = ", ".join(TYPES.get(w) or writer.source(w) for w in may) or OF_ROLE.get(role, "")
            lines.append(f"| {anchor(f'trigger.{word}.{role}')}`{role}` | {named} |")
        lines += [
            "",
            f"`on: {{{word}: X}}` is short for `on: {{{word}: {{{BARE_ROLES.get(word, 'by')}: X}}}}`.",
            "",
        ]
    return "\n".join(lines)


TYPES = {":number": "a number", ":truth": "true or false", ":text": "a word"}
OF_ROLE = {
    "step": "the id of a step",
    "action": "id of [actions](table-actions.md)",
    "track": "id of [tracks](table-tracks.md)",
}


def _shared(writer: Writer) -> str:
    """Pieces of rows that several tables share."""
    names = [name for name in writer.known.files[COMMON]["definitions"] if name not in OWN_PAGES]
    lines = [
        "# Shared pieces",
        "",
        "What the keys of several tables have in common. Pages of tables link here.",
        "",
    ]
    lines += writer.shared("shared.md", COMMON, "shared", names)
    return "\n".join(lines)


def _mechanics(known: Forms) -> str:
    """Every mechanic that a step can `do`: the keys it takes, the tables it reads, the triggers it states,
    and a step.
    """
    keys = known.schema("sequence")["properties"]
    shown, states = steps(find_rulesets(rulesets())), keys["do"]["x-states"]
    lines = [
        "# Mechanics",
        "",
        "What a step of the [sequence of play](table-sequence.md) can `do`. When any step is over, the "
        "trigger",
    ]
    lines += ["[step](#ref-trigger-step) is stated; a step without `do` is nothing but such a moment.", ""]
    for name, says in keys["do"]["x-says"].items():
        lines += [
            f"({target(f'mechanic.{name}')})=",
            f"## `{name}`",
            "",
            anchor(f"mechanic.{name}"),
            "",
            prose(says),
            "",
        ]
        lines += [
            f"```{{code-block}} yaml\n:caption: {shown[name].file}\n",
            *shown[name].text.splitlines(),
            "```",
            "",
        ]
        taken = [key for key, raw in keys.items() if name in raw.get("x-with", {}).get("do", ())]
        links = ", ".join(
            f'<a href="table-sequence.html#sequence.{key}"><code>{key}</code></a>' for key in taken
        )
        lines += [f"Takes: {links or 'nothing besides'}.", ""]
        said = ", ".join(f"[{word}](#{target(f'trigger.{word}')})" for word in states.get(name, ()))
        lines += [f"States: {said or 'nothing of its own'}; besides what the effects of its rows state.", ""]
    return "\n".join(lines)


def blocks_of(file: str) -> dict[str, list[str]]:
    """The examples of a file of rule tests, word by word: what stands between `# show NAME` and the end of
    that list.
    """
    out: dict[str, list[str]] = {}
    lines = iter((EXAMPLES.parent / file).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if found := re.fullmatch(r" *# show (\w+)", line):
            out[found[1]] = textwrap.dedent(
                "\n".join(takewhile(lambda said: not said.strip().startswith("# end"), lines))
            ).splitlines()
    return out


@dataclass(frozen=True)
class Row:
    """A row of a shipped ruleset as it is written in its file, with the line at which it begins."""

    file: str
    line: int
    text: str


def shortest(known: Forms, folders: Iterable[Path]) -> dict[str, Row]:
    """For each table a row that can stand alone, of about three lines, word by word as a shipped ruleset has
    it; of tables that none has, as one of the games of `wteaw init` has it.
    """
    games = _nearest_in(known, (templates() / game for game in GAMES))
    return {**games, **_nearest_in(known, folders)}


def _nearest_in(known: Forms, folders: Iterable[Path]) -> dict[str, Row]:
    """For each table the row of some folders that can stand alone and is nearest to three lines."""
    best: dict[str, tuple[int, Row]] = {}
    for folder in folders:
        for path in sorted(p for part in TABLE_FOLDERS for p in (folder / part).rglob("*.yaml")):
            for form, row in _written(path, path.relative_to(data_root()).as_posix()):
                distance = abs(len(row.text) - 260)
                if (
                    form in known
                    and (form not in best or distance < best[form][0])
                    and fits(known, form, row.text)
                ):
                    best[form] = distance, row
    return {form: row for form, (_, row) in best.items()}


def fits(known: Forms, form: str, text: str) -> bool:
    """Whether a text is one row of the table that can stand alone: no part that a layer changes, nothing of
    another row.
    """
    node, found = load_text(text, form)
    if node is None or found:
        return False
    ((name, (value,)),) = plain_value(node).items()
    return (
        name == form
        and "remove" not in value
        and known.fits(known.schema(form), f"{form}.schema.json", value)
    )


def _written(path: Path, name: str) -> Iterator[tuple[str, Row]]:
    """Every row of a table file: its table, and itself with its indentation taken away."""
    text = path.read_text(encoding="utf-8")
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, rows in root.value if isinstance(root, yaml.MappingNode) else ():
        for node in rows.value if isinstance(rows, yaml.SequenceNode) else ():
            here, to = node.start_mark, node.end_mark
            body = text[here.index : to.index].rstrip()
            said = textwrap.dedent(" " * here.column + body)
            lines = [
                f"{'- ' if n == 0 else '  '}{line}" if line else ""
                for n, line in enumerate(said.splitlines())
            ]
            yield key.value, Row(name, here.line + 1, "\n".join([f"{key.value}:", *lines]))


def steps(folders: Iterable[Path]) -> dict[str, Row]:
    """For each mechanic a step of a shipped sequence of play that does it, of about one line, word by
    word.
    """
    best: dict[str, tuple[int, Row]] = {}
    for path in (p for folder in folders for p in sorted((folder / "tables").glob("*.yaml"))):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^sequence:", text, re.MULTILINE):
            continue
        for node in _maps(yaml.compose(text, Loader=yaml.CSafeLoader)):
            says = {key.value: value.value for key, value in node.value}
            said = textwrap.dedent(
                " " * node.start_mark.column + text[node.start_mark.index : node.end_mark.index].rstrip()
            )
            distance = abs(len(said) - 110)
            if (
                {"step", "do"} <= says.keys()
                and "steps" not in says
                and distance < best.get(says["do"], (9999,))[0]
            ):
                row = Row(
                    path.relative_to(data_root()).as_posix(),
                    node.start_mark.line + 1,
                    textwrap.indent(said, "  "),
                )
                best[says["do"]] = distance, replace(row, text=f"- {row.text.lstrip()}")
    return {name: row for name, (_, row) in best.items()}


def _maps(node: Any) -> Iterator[yaml.MappingNode]:
    """Every map of a YAML document."""
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _maps(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _maps(item)


def _yaml(value: Any) -> str:
    """A value on one line of YAML."""
    plain = json.loads(json.dumps(value, default=str))
    return (
        yaml.safe_dump(plain, default_flow_style=True, width=10_000, sort_keys=False)
        .removesuffix("...\n")
        .strip()
    )


# ---- rulebooks


def _rulebooks(folders: Mapping[Path, Ruleset | None], out: Path) -> str:
    """A page of links; each book is an HTML page of its own, every rule with the number of its tests."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Rulebooks",
        "",
        "The rules as a player reads them: what each clause says, the orders and the figures that go with "
        "it,",
    ]
    lines += ["and how many rule tests cite it.", ""]
    for folder, ruleset in folders.items():
        if ruleset is not None:
            book = page(ruleset, CitedBy(folder).by_clause())
            (out / f"rulebook-{ruleset.id}.html").write_text(book, encoding="utf-8")
            says = ruleset.manifest.get("description", "")
            lines.append(
                f'- <a href="../rulebook-{ruleset.id}.html">{ruleset.title}</a>{f": {says}" if says else ""}'
            )
    return "\n".join([*lines, ""])


# ---- expressions and commands


SYNTAX = {
    "'german-empire' == 'persia'": "An id; equal and not equal are `==` and `!=`.",
    "place('cologne').holder": "A field of a thing. Of nothing, every field is nothing.",
    "place('north-sea').holder == None": "Nothing is `None`.",
    "turn == 4 and not (turn < 2 or turn > 9)": "`and`, `or`, `not`; words, no signs.",
    "3 <= turn <= 5": "Comparisons may be joined.",
    "turn in set_of(4, 8)": "Whether it is among several; `not in` is the contrary.",
    "True if turn % 2 == 0 else False": "One of two values; the rest of a division; `True` and `False` have "
    "capitals.",
    "7 / 2": "A fraction stays one.",
    "7 // 2": "A division rounded down.",
    "2 ** 3 - 1": "`+`, `-`, `*`, and powers.",
}
"""How expressions are written: an example of the case `written` in `functions.yaml` -> what it shows."""


def _expressions() -> str:
    shown = _evaluated()
    lines = [
        "# Expressions: functions and fields",
        "",
        "Every word that an expression may use, besides the definitions and fields of a ruleset. The "
        "examples are rule tests",
        "over positions of the base ruleset (`docs/examples/functions.yaml`).",
        "",
        "## How they are written",
        "",
        "A key that asks for an expression takes it as it is; one that may hold an id or a number, too, "
        "takes it after `=`.",
        "Ids stand between quotes, names in scope and fields do not. Numbers are exact. In YAML, put quotes "
        "around the whole",
        "where it holds a `:`, a `#`, or a comma inside of `{}`.",
        "",
        "| written | value | |",
        "| --- | --- | --- |",
        *(f"| `{text}` | `{shown[text][1]}` | {cell(says)} |" for text, says in SYNTAX.items()),
        "",
        "## Functions",
        "",
    ]
    for name, s in FUNCTIONS.items():
        text, value = shown[name]
        lines += [
            f"{anchor(f'function.{name}')}`{s.called(name)}`",
            f": {prose(s.says)} ({s.gives})",
            "",
            f"  `{text}` is `{value}`",
            "",
        ]
    lines += ["", "## Always there", "", ", ".join(f"`{name}` ({kind})" for name, kind in ALWAYS.items()), ""]
    lines += ["## Fields that need no declaration", ""]
    for kind, fields in BUILT_IN.items():
        lines += [f"**{kind}**: " + ", ".join(f"`{name}` ({gives})" for name, gives in fields.items()), ""]
    return "\n".join(lines)


def _evaluated() -> dict[str, tuple[str, str]]:
    """Function -> the first example that begins with it, and its value."""
    cases = yaml.safe_load((EXAMPLES.parent / "functions.yaml").read_text(encoding="utf-8"))["cases"]
    out: dict[str, tuple[str, str]] = {}
    for text, value in (v for case in cases for v in case["then"]["values"].items()):
        out.setdefault(text.split("(")[0], (text, _yaml(value)))
        out[text] = text, _yaml(value)
    return out


# ---- findings


def _findings() -> str:
    lines = [
        "# Findings: an example of each",
        "",
        "What `wteaw validate` finds, code by code, each with a mistake that leads to it: the file stands "
        "beside those of",
        "`wteaw init mine`. How findings look, and how a warning is silenced: [What validate "
        "finds](../diagnostics.md).",
        "",
    ]
    for code, example in examples().items():
        lines += [f"## {code}", "", prose(CODES[code]), "", *_mistake(example)]
        with tempfile.TemporaryDirectory() as folder:
            found = next(d for d in findings(example, Path(folder)) if d.code == code)
            said = render_one(replace(found, file=found.file.removeprefix(f"{folder}/"))).splitlines()
        lines += ["```text", *(line for line in said if line.strip()), "```", ""]
    return "\n".join(lines)


def _mistake(example: Mapping[str, Any]) -> Iterator[str]:
    if "says" in example:
        yield from (prose(example["says"]), "")
    if "without" in example:
        return
    for name, text in example["files"].items():
        language = "yaml" if _is_yaml(text) and not example.get("link") else "text"
        yield from (f"```{{code-block}} {language}", f":caption: {name}", "", *_shown(text), "```", "")


def _is_yaml(text: str) -> bool:
    """Whether the highlighter can read it; spoiled text is shown plain."""
    try:
        yaml.safe_load(text)
    except yaml.YAMLError:
        return False
    return True


def _shown(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield line.replace("\t", "→") if len(line) < 200 else f"{line[:60]} ... {line[-20:]}"


def _commands() -> str:
    lines = [
        "# Commands",
        "",
        "`wteaw COMMAND --help` says the same. [Exit codes](../exit-codes.md) are the same for all.",
        "",
    ]
    for command in COMMANDS:
        if command.exists:
            lines += _command(command)
    return "\n".join(lines)


def _command(command: Command) -> Iterator[str]:
    yield from _describe(typer.main.get_command(command.app()), f"wteaw {command.name}", command.says, "##")


def _describe(found: Any, name: str, says: str, level: str) -> Iterator[str]:
    yield from (f"{level} {name}", "", _paragraphs(found.help or says), "")
    parameters = [p for p in found.params if p.name != "help" and not getattr(p, "hidden", False)]
    if parameters:
        yield from ("| | what |", "| --- | --- |")
        for p in parameters:
            names = ", ".join(f"`{o}`" for o in [*p.opts, *p.secondary_opts])
            names = names if p.param_type_name == "option" else f"`{(p.metavar or p.name).upper()}`"
            yield f"| {names} | {cell(getattr(p, 'help', '') or '')}{' (needed)' if p.required else ''} |"
        yield ""
    for inner_name, inner in sorted(getattr(found, "commands", {}).items()):
        yield from _describe(inner, f"{name} {inner_name}", "", level + "#")


def _paragraphs(text: str) -> str:
    out = []
    for part in text.split("\n\n"):
        line = " ".join(part.split())
        out.append(
            f"```sh\n{line.removeprefix('Example: ')}\n```" if line.startswith("Example: ") else prose(line)
        )
    return "\n\n".join(out)
