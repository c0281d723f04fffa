"""Pages that are made from the program itself when the site is built: forms, expressions and commands.
Nothing of them is written by hand, so nothing of them is old. They are written to `made/` and `_build/rulebooks/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
import yaml
from sphinx.application import Sphinx

from wteaw.cli import COMMANDS, Command
from wteaw.core.package_data import rulesets
from wteaw.game.editing.lenses import Tests
from wteaw.game.rulebook import page, rulebook
from wteaw.ruleset import Ruleset, load_ruleset
from wteaw.ruleset.expressions.vocabulary import ALWAYS, BUILT_IN, FUNCTIONS
from wteaw.ruleset.folder import find_rulesets
from wteaw.ruleset.forms import Forms, forms

GROUPS = {
    "The board": ("places", "links", "gates", "groups", "link_lists"),
    "Who plays": ("nations", "sides", "stances", "war_kinds", "tracks"),
    "What is moved and bought": ("units", "technologies", "resources", "catalogue", "rooms", "stores"),
    "What may be ordered": ("acts", "orders", "order_options", "limits", "decisions", "requirements", "refusals", "aliases"),
    "Moving and fighting": ("modes", "missions", "contacts", "battles", "clashes", "control", "routes", "traces", "verdicts"),
    "Income and upkeep": ("yields", "bills", "levies", "gifts", "records"),
    "What happens by itself": ("events", "matrices", "tallies", "streaks"),
    "Numbers and words": ("terms", "quantities", "adjusts", "tables", "fields"),
    "Winning": ("aims", "objectives", "criteria", "ends"),
    "The turn and the table": (
        *("frame", "frame_changes", "calendar", "schedule", "options"),
        *("absence", "replacements", "policies", "shows"),
    ),
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", make)
    return {"version": "1", "parallel_read_safe": True}


def make(app: Sphinx) -> None:
    """Write all pages; a page that says the same as before is left alone, so that it is not read again."""
    out = Path(app.srcdir) / "made"
    known = forms()
    folders = {folder: load_ruleset(folder)[0] for folder in find_rulesets(rulesets())}
    shipped = [ruleset for ruleset in folders.values() if ruleset is not None]
    pages = {
        "forms.md": _index(known),
        **{f"form-{form}.md": _form(known, form, shipped) for form in known.names},
        "expressions.md": _expressions(),
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
    grouped = {form for forms_ in GROUPS.values() for form in forms_}
    rest = tuple(form for form in known.names if form not in grouped)
    lines = ["# Forms of rows", "", "A ruleset is made of rows, each of one form. A page for each form names every key.", ""]
    for title, members in {**GROUPS, **({"Others": rest} if rest else {})}.items():
        lines += [f"## {title}", "", "| form | what it says |", "| --- | --- |"]
        lines += [f"| [{f}](form-{f}.md) | {_cell(known.schema(f).get('description', ''))} |" for f in members if f in known]
        lines.append("")
    lines += ["```{toctree}", ":hidden:", *(f"form-{form}" for form in known.names), "```", ""]
    return "\n".join(lines)


def _form(known: Forms, form: str, shipped: list[Ruleset]) -> str:
    schema = known.schema(form)
    needed = set(schema.get("required", ()))
    lines = [f"# {form}", "", str(schema.get("description", "")), ""]
    example = _example(form, shipped)
    if example:
        lines += ["For instance:", "", "```yaml", *example, "```", ""]
    lines += ["| key | what stands there | what it is for |", "| --- | --- | --- |"]
    for key, raw in schema.get("properties", {}).items():
        inner, _ = known.resolve(raw, f"{form}.schema.json")
        says = raw.get("description") or inner.get("description", "") if isinstance(raw, dict) else ""
        kind = _kind(known, raw, f"{form}.schema.json")
        lines.append(f"| `{key}`{' (needed)' if key in needed else ''} | {_cell(kind)} | {_cell(says)} |")
    if known.is_open(form):
        lines += ["", "Further keys are fields that rows of the form [fields](form-fields.md) declare."]
    return "\n".join([*lines, ""])


def _example(form: str, shipped: list[Ruleset]) -> list[str]:
    """A short row of a shipped ruleset, as it stands there."""
    rows = [(ruleset, id_) for ruleset in shipped for id_ in ruleset.rows(form)]
    if form == "frame" or not rows:
        return []
    ranked = sorted(rows, key=lambda r: (abs(len(json.dumps(r[0].row(form, r[1]), default=str)) - 220), r[0].id, r[1]))
    ruleset, id_ = ranked[0]
    row = {k: v for k, v in ruleset.row(form, id_).items() if k not in ("basis", "lines", "source", "note")}
    keys = sorted(row, key=lambda k: (k != "id", list(row).index(k)))
    lines = [f"{'- ' if n == 0 else '  '}{key}: {_yaml(row[key])}" for n, key in enumerate(keys)]
    return [f"{form}:  # {ruleset.title}", *lines]


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
    """A page of links; each book is an HTML page of its own, every rule with its clauses, their tests and its line."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Rulebooks",
        "",
        "Made from the rows: the rules as they are played, every rule with the clauses that it implements,",
    ]
    lines += ["how many rule tests cite them, and its line in the tables.", ""]
    for folder, ruleset in folders.items():
        if ruleset is not None:
            book = page(rulebook(ruleset, Tests(folder).by_clause()))
            (out / f"rulebook-{ruleset.id}.html").write_text(book, encoding="utf-8")
            says = ruleset.manifest.get("description", "")
            lines.append(f'- <a href="../rulebook-{ruleset.id}.html">{ruleset.title}</a>{f": {says}" if says else ""}')
    return "\n".join([*lines, ""])


# ---- expressions and commands


def _expressions() -> str:
    lines = ["# Expressions: functions and fields", ""]
    lines += ["Every word that an expression may use, besides the terms and fields of a ruleset.", ""]
    lines += ["## Functions", "", "| function | gives | what |", "| --- | --- | --- |"]
    for name, s in FUNCTIONS.items():
        lines.append(f"| `{s.called(name)}` | {s.gives} | {_cell(s.says)} |")
    lines += ["", "## Always there", "", ", ".join(f"`{name}` ({kind})" for name, kind in ALWAYS.items()), ""]
    lines += ["## Fields that need no declaration", ""]
    for kind, fields in BUILT_IN.items():
        lines += [f"**{kind}**: " + ", ".join(f"`{name}` ({gives})" for name, gives in fields.items()), ""]
    return "\n".join(lines)


def _commands() -> str:
    lines = ["# Commands", "", "`wteaw COMMAND --help` says the same."]
    lines += ["Exit codes: 0 all is well, 1 the input has errors, 2 the call is wrong.", ""]
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
            names = names if p.param_type_name == "option" else f"`{p.name.upper()}`"
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
