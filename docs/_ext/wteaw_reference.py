"""Pages that are made from the program itself when the site is built: tables, expressions and commands.
Nothing of them is written by hand, so nothing of them is old. They are written to `made/` and `_build/rulebooks/`.
"""

from __future__ import annotations

import json
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
import yaml
from findings import EXAMPLES, examples, findings
from sphinx.application import Sphinx

from wteaw.cli import COMMANDS, Command
from wteaw.core.codes import CODES
from wteaw.core.diagnostics import render_one
from wteaw.core.package_data import data_root, rulesets
from wteaw.rulebook import page
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.ruleset.expressions.functions import FUNCTIONS
from wteaw.ruleset.expressions.vocabulary import ALWAYS, BUILT_IN
from wteaw.ruleset.folder import TABLE_FOLDERS, find_rulesets
from wteaw.ruleset.forms import Forms, forms
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import plain_value
from wteaw.testing.cases import CitedBy

GROUPS = {
    "The board": ("places", "links", "passages", "groups", "link_lists"),
    "Who plays": ("nations", "sides", "stances", "war_kinds", "tracks"),
    "What is moved and bought": ("units", "technologies", "resources", "production", "placement_limits", "treasuries"),
    "What may be ordered": (
        "actions",
        "orders",
        "order_options",
        "limits",
        "own_cases",
        "decisions",
        "requirements",
        "refusals",
        "aliases",
    ),
    "Moving and fighting": ("movement", "missions", "detection", "battles", "capture", "routes", "traces", "verdicts"),
    "Income and upkeep": ("income", "upkeep", "levies", "gifts", "records"),
    "What happens by itself": ("events", "matrices", "counters"),
    "Numbers and words": ("definitions", "stats", "modifiers", "tables", "fields"),
    "Winning": ("aims", "objectives", "criteria", "ends"),
    "The turn and the table": (
        *("sequence", "sequence_changes", "calendar", "schedule", "options"),
        *("absence", "replacements", "policies", "visibility"),
    ),
    "The text behind the rules": ("clauses", "chapters", "except", "audits", "imports"),
}


EVERYWHERE = ("source", "note", "silence", "remove", "append")
"""Keys that rows of all tables may have: they are listed once, below the list of tables."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", make)
    return {"version": "1", "parallel_read_safe": True}


def make(app: Sphinx) -> None:
    """Write all pages; a page that says the same as before is left alone, so that it is not read again."""
    out = Path(app.srcdir) / "made"
    known = forms()
    folders = {folder: load_ruleset(folder)[0] for folder in find_rulesets(rulesets())}
    shown = shortest(known, folders)
    pages = {
        "tables.md": _index(known),
        **{f"table-{form}.md": _form(known, form, shown[form]) for form in known.names},
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


# ---- forms


def _index(known: Forms) -> str:
    lines = ["# Tables", "", "A ruleset is made of tables, each a list of rows. A page for each table lists every key.", ""]
    for title, members in GROUPS.items():
        lines += [f"## {title}", "", "| table | what it says |", "| --- | --- |"]
        lines += [f"| [{f}](table-{f}.md) | {_cell(known.schema(f).get('description', ''))} |" for f in members]
        lines.append("")
    common = known.schema("places")["properties"]
    lines += ["## Keys that every row may have", "", *_keys(known, "places", {key: common[key] for key in EVERYWHERE}), ""]
    lines += ["```{toctree}", ":hidden:", *(f"table-{form}" for form in known.names), "```", ""]
    return "\n".join(lines)


def _form(known: Forms, form: str, example: Row) -> str:
    schema = known.schema(form)
    lines = [f"# {form}", "", str(schema.get("description", "")), "", "For instance:", ""]
    lines += ["```{code-block} yaml", f":caption: {example.file}, line {example.line}", "", *example.text.splitlines(), "```", ""]
    own = {key: raw for key, raw in schema.get("properties", {}).items() if key not in EVERYWHERE}
    lines += _keys(known, form, own, schema.get("required", ()))
    further = ", ".join(f"`{key}`" for key in EVERYWHERE if key in schema.get("properties", {}))
    lines += ["", f"Besides, as in [every table](tables.md): {further}."]
    if known.is_open(form):
        lines += ["", "Further keys are fields that rows of the table [fields](table-fields.md) declare."]
    return "\n".join([*lines, ""])


def _keys(known: Forms, form: str, keys: Mapping[str, Any], needed: Iterable[str] = ()) -> Iterator[str]:
    """A Markdown table of the keys of a table's rows."""
    yield from ("| key | what stands there | what it is for |", "| --- | --- | --- |")
    for key, raw in keys.items():
        inner, _ = known.resolve(raw, f"{form}.schema.json")
        says = raw.get("description") or inner.get("description", "") if isinstance(raw, dict) else ""
        kind = _kind(known, raw, f"{form}.schema.json")
        yield f"| `{key}`{' (needed)' if key in needed else ''} | {_cell(kind)} | {_cell(says)} |"


@dataclass(frozen=True)
class Row:
    """A row of a shipped ruleset as it is written in its file, with the line at which it begins."""

    file: str
    line: int
    text: str


def shortest(known: Forms, folders: Iterable[Path]) -> dict[str, Row]:
    """For each table a row that can stand alone, of about three lines, word by word as a shipped ruleset has it."""
    best: dict[str, tuple[int, Row]] = {}
    for folder in folders:
        for path in sorted(p for part in TABLE_FOLDERS for p in (folder / part).rglob("*.yaml")):
            for form, row in _written(path, path.relative_to(data_root()).as_posix()):
                distance = abs(len(row.text) - 260)
                if form in known and (form not in best or distance < best[form][0]) and fits(known, form, row.text):
                    best[form] = distance, row
    return {form: row for form, (_, row) in best.items()}


def fits(known: Forms, form: str, text: str) -> bool:
    """Whether a text is one row of the table that can stand alone: no part that a layer changes, nothing of another row."""
    node, found = load_text(text, form)
    if node is None or found:
        return False
    ((name, (value,)),) = plain_value(node).items()
    return name == form and "remove" not in value and known.fits(known.schema(form), f"{form}.schema.json", value)


def _written(path: Path, name: str) -> Iterator[tuple[str, Row]]:
    """Every row of a table file: its table, and itself with its indentation taken away."""
    text = path.read_text(encoding="utf-8")
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, rows in root.value if isinstance(root, yaml.MappingNode) else ():
        for node in rows.value if isinstance(rows, yaml.SequenceNode) else ():
            here, to = node.start_mark, node.end_mark
            body = text[here.index : to.index].rstrip()
            said = textwrap.dedent(" " * here.column + body)
            lines = [f"{'- ' if n == 0 else '  '}{line}" if line else "" for n, line in enumerate(said.splitlines())]
            yield key.value, Row(name, here.line + 1, "\n".join([f"{key.value}:", *lines]))


def _yaml(value: Any) -> str:
    """A value on one line of YAML."""
    plain = json.loads(json.dumps(value, default=str))
    return yaml.safe_dump(plain, default_flow_style=True, width=10_000, sort_keys=False).removesuffix("...\n").strip()


def _kind(known: Forms, raw: Any, base: str) -> str:
    if not isinstance(raw, dict):
        return ""
    inner, base = known.resolve(raw, base)
    named = inner.get("x-ref")
    if named:
        return "id of " + " or ".join([named] if isinstance(named, str) else named)
    if "x-expr" in inner:
        gives = inner["x-expr"].get("gives", "any")
        return {"any": "expression", "truth": "expression: yes or no"}.get(gives, f"expression: a {gives}")
    if "enum" in inner:
        return ", ".join(f"`{w}`" for w in inner["enum"][:12])
    if "oneOf" in inner or "anyOf" in inner:
        parts = [_kind(known, part, base) for part in inner.get("oneOf", inner.get("anyOf", ())) if isinstance(part, dict)]
        return " or ".join(dict.fromkeys(p for p in parts if p))
    kind = inner.get("type", "")
    if kind == "array":
        inside = _kind(known, inner.get("items", {}), base)
        return f"list of {inside}" if inside else "list"
    return {"object": "map", "boolean": "true or false", "string": "text", "integer": "whole number"}.get(str(kind), str(kind))


# ---- rulebooks


def _rulebooks(folders: Mapping[Path, Ruleset | None], out: Path) -> str:
    """A page of links; each book is an HTML page of its own, every rule with the number of its tests."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Rulebooks",
        "",
        "The rules as a player reads them: what each clause says, the orders and the figures that go with it,",
    ]
    lines += ["and how many rule tests cite it.", ""]
    for folder, ruleset in folders.items():
        if ruleset is not None:
            book = page(ruleset, CitedBy(folder).by_clause())
            (out / f"rulebook-{ruleset.id}.html").write_text(book, encoding="utf-8")
            says = ruleset.manifest.get("description", "")
            lines.append(f'- <a href="../rulebook-{ruleset.id}.html">{ruleset.title}</a>{f": {says}" if says else ""}')
    return "\n".join([*lines, ""])


# ---- expressions and commands


def _expressions() -> str:
    shown = _evaluated()
    lines = [
        "# Expressions: functions and fields",
        "",
        "Every word that an expression may use, besides the definitions and fields of a ruleset. The examples are rule tests",
        "over positions of the base ruleset (`docs/examples/functions.yaml`).",
        "",
        "## Functions",
        "",
    ]
    for name, s in FUNCTIONS.items():
        text, value = shown[name]
        lines += [f"`{s.called(name)}`", f": {_prose(s.says)} ({s.gives})", "", f"  `{text}` is `{value}`", ""]
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
    return out


# ---- findings


def _findings() -> str:
    lines = [
        "# Findings: an example of each",
        "",
        "What `wteaw validate` finds, code by code, each with a mistake that leads to it: the file stands beside those of",
        "`wteaw init mine`. How findings look, and how a warning is silenced: [What validate finds](../diagnostics.md).",
        "",
    ]
    for code, example in examples().items():
        lines += [f"## {code}", "", _prose(CODES[code]), "", *_mistake(example)]
        with tempfile.TemporaryDirectory() as folder:
            found = next(d for d in findings(example, Path(folder)) if d.code == code)
            said = render_one(replace(found, file=found.file.removeprefix(f"{folder}/"))).splitlines()
        lines += ["```text", *(line for line in said if line.strip()), "```", ""]
    return "\n".join(lines)


def _mistake(example: Mapping[str, Any]) -> Iterator[str]:
    if "says" in example:
        yield from (_prose(example["says"]), "")
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
    lines = ["# Commands", "", "`wteaw COMMAND --help` says the same. [Exit codes](../exit-codes.md) are the same for all.", ""]
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
            yield f"| {names} | {_cell(getattr(p, 'help', '') or '')}{' (needed)' if p.required else ''} |"
        yield ""
    for inner_name, inner in sorted(getattr(found, "commands", {}).items()):
        yield from _describe(inner, f"{name} {inner_name}", "", level + "#")


def _paragraphs(text: str) -> str:
    out = []
    for part in text.split("\n\n"):
        line = " ".join(part.split())
        out.append(f"```sh\n{line.removeprefix('Example: ')}\n```" if line.startswith("Example: ") else _prose(line))
    return "\n\n".join(out)


def _prose(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")


def _cell(text: str) -> str:
    parts = " ".join(str(text).split()).replace("|", "\\|").split("`")
    return "`".join(part if n % 2 else _prose(part) for n, part in enumerate(parts))
