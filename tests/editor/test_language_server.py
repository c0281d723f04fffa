"""The language server, asked over its protocol as an editor would."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from pygls.lsp.client import LanguageClient

from wteaw.core.package_data import rulesets
from wteaw.ruleset.nodes import plain_value
from wteaw_editor.project import Project

MAIN = "from wteaw.cli import main; main(['lsp'])"


class Editor:
    """An editor with one folder open. `found`: what was last published, by file name; `said`: messages."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.found: dict[str, list[t.Diagnostic]] = {}
        self.said: list[str] = []
        self.news = asyncio.Event()

    async def open(self, name: str) -> str:
        text = (self.root / name).read_text()
        item = t.TextDocumentItem(self.uri(name), "yaml", 1, text)
        self.client.text_document_did_open(t.DidOpenTextDocumentParams(item))
        await self.published()
        return text

    async def type(self, name: str, version: int, text: str) -> list[t.Diagnostic]:
        document = t.VersionedTextDocumentIdentifier(version, self.uri(name))
        whole = t.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(t.DidChangeTextDocumentParams(document, [whole]))
        await self.published()
        return self.found.get(name, [])

    async def published(self) -> None:
        await asyncio.wait_for(self.news.wait(), 60)
        await asyncio.sleep(0.3)  # one batch: all files of a ruleset
        self.news.clear()

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def at(self, name: str, text: str, what: str, shift: int = 1) -> dict[str, Any]:
        """Document and position of a piece of text, `shift` characters into it."""
        before = text[: text.index(what) + shift]
        line = before.count("\n")
        position = t.Position(line, len(before) - before.rfind("\n") - 1)
        return {"text_document": t.TextDocumentIdentifier(self.uri(name)), "position": position}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "mine"
    shutil.copytree(rulesets() / "variants/alliances", target)
    return target


def ask(root: Path, talk: Callable[[Editor], Awaitable[None]]) -> None:
    """Start a server in a process of its own, open the folder, and talk."""

    async def go() -> None:
        client = LanguageClient("tests", "1")
        editor = Editor(client, root)

        @client.feature(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: t.PublishDiagnosticsParams) -> None:
            editor.found[params.uri.removeprefix(root.as_uri() + "/")] = list(params.diagnostics)
            editor.news.set()

        @client.feature(t.WINDOW_SHOW_MESSAGE)
        def said(params: t.ShowMessageParams) -> None:
            editor.said.append(params.message)

        await client.start_io(sys.executable, "-c", MAIN)
        folders = [t.WorkspaceFolder(root.as_uri(), root.name)]
        await client.initialize_async(t.InitializeParams(t.ClientCapabilities(), workspace_folders=folders))
        client.initialized(t.InitializedParams())
        try:
            await talk(editor)
        finally:
            await client.shutdown_async(None)
            client.exit(None)
            await client.stop()

    asyncio.run(go())


def test_findings_follow_what_is_typed(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = await editor.open("tables/units.yaml")
        assert not any(editor.found.values())
        found = await editor.type("tables/units.yaml", 2, text.replace("symbol:", "symbl:", 1))
        assert [(d.code, d.source) for d in found] and "symbl" in found[0].message
        line = text[: text.index("symbol:")].count("\n")
        assert found[0].range.start.line == line
        action = await editor.client.text_document_code_action_async(
            t.CodeActionParams(
                t.TextDocumentIdentifier(editor.uri("tables/units.yaml")),
                found[0].range,
                t.CodeActionContext(found),
            )
        )
        assert action and "'symbol'" in str(action[0].title)
        assert await editor.type("tables/units.yaml", 3, text) == []
        found = await editor.type("tables/units.yaml", 4, text + "\n  - {id: [")
        assert [d.code for d in found] == ["E106"]

    ask(folder, talk)


UNITS = "tables/units.yaml"
MOVES = "tables/movement.yaml"
OPTIONS = "tables/options.yaml"


def test_a_word_leads_to_its_row_and_says_what_it_is(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        client, units, moves = editor.client, await editor.open(UNITS), await editor.open(MOVES)

        async def hover(name: str, text: str, what: str, shift: int = 1) -> str:
            told = await client.text_document_hover_async(t.HoverParams(**editor.at(name, text, what, shift)))
            return told.contents.value if told is not None else ""  # type: ignore[union-attr]

        function = await hover(UNITS, units, "stock(place")
        assert "amount in a treasury" in function and "Reference: expressions.html#function.stock" in function
        key = await hover(UNITS, units, "source: [tokens.unit")
        assert "**source**" in key and re.search(r"Reference: table-\w+\.html#\w+\.source", key)
        row = await hover(MOVES, moves, "'move-token'", 3)  # an id in an expression
        assert "resources/move-token" in row
        row = await hover(UNITS, units, "id: infantry", 5)  # the row itself
        assert "units/infantry" in row and "tokens.unit.kinds" in row and "rule test" in row

        where = t.DefinitionParams(**editor.at(MOVES, moves, "live_in(origin", 2))
        found = await client.text_document_definition_async(where)
        assert [_line(location) for location in found] != [] and "id: live_in" in _line(found[0])  # type: ignore[index, union-attr, arg-type]
        where = t.DefinitionParams(**editor.at(MOVES, moves, "does: on-command", 8))
        found = await client.text_document_definition_async(where)
        assert "on-command" in _line(found[0])  # type: ignore[index, arg-type]

    ask(folder, talk)


def _line(location: t.Location) -> str:
    return Path(location.uri.removeprefix("file://")).read_text().splitlines()[location.range.start.line]


def test_what_may_stand_at_a_place_is_offered(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = await editor.open(OPTIONS)

        async def offered(what: str) -> dict[str, str]:
            typed = text + what
            where = editor.at(OPTIONS, typed, what, len(what.split("|")[0]))
            typed = typed.replace("|", "")
            await editor.type(OPTIONS, len(what), typed)
            found = await editor.client.text_document_completion_async(t.CompletionParams(**where))
            return {item.label: str(item.detail) for item in found}  # type: ignore[union-attr]

        keys = await offered("\nfields:\n  - {id: morale, o|}\n")
        assert {"of", "type"} <= set(keys) and "id" not in keys
        keys = await offered("\nvictory:\n  - {id: probe, kind: aim, r|}\n")
        assert {"reached", "points", "name"} <= set(keys) and not {"rank", "is", "goals"} & set(keys)
        assert {"unit", "place"} <= set(await offered("\nfields:\n  - {id: morale, of: [u|]}\n"))
        inside = await offered('\ndefinitions:\n  - {id: probe, of: [unit], is: "cou|"}\n')
        assert {"count", "unit", "is_healthy"} <= set(inside) and "how many" in inside["count"]
        assert {"owner", "place"} <= set(
            await offered('\ndefinitions:\n  - {id: probe, of: [unit], is: "unit.ow|"}\n')
        )
        ids = await offered("\ndefinitions:\n  - {id: probe, of: [nation], is: \"stock(nation, 'co|')\"}\n")
        assert "coin" in ids
        assert "stock" not in ids  # between quotes stand ids

    ask(folder, talk)


def test_an_id_is_renamed_wherever_it_stands_or_not_at_all(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = await editor.open(MOVES)

        async def rename(what: str, shift: int, to: str) -> dict[str, list[t.TextEdit]]:
            where = editor.at(MOVES, text, what, shift)
            edit = await editor.client.text_document_rename_async(t.RenameParams(**where, new_name=to))
            return (
                {}
                if edit is None
                else {u.removeprefix(folder.as_uri() + "/"): list(e) for u, e in (edit.changes or {}).items()}
            )

        changes = await rename("live_in(origin", 2, "lies_in")
        assert {MOVES, "tables/commands.yaml"} <= set(changes)
        _apply(folder, changes)
        assert validate(folder) == 0
        assert not any(
            "live_in" in p.read_text()
            for p in folder.rglob("*.yaml")
            if p.parent.name in ("tables", "events")
        )
        assert await rename("id: march-order", 5, "betrayal-order") == {}
        assert "already" in editor.said[-1]
        assert await rename("id: march-order", 5, "March!") == {}
        assert "no id" in editor.said[-1]

    ask(folder, talk)


def validate(folder: Path) -> int:
    return subprocess.run(
        [sys.executable, "-c", "from wteaw.cli import main; main()", "validate", str(folder)]
    ).returncode


def _apply(folder: Path, changes: dict[str, list[t.TextEdit]]) -> None:
    for name, edits in changes.items():
        lines = (folder / name).read_text().splitlines(keepends=True)
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            line = lines[edit.range.start.line]
            lines[edit.range.start.line] = (
                line[: edit.range.start.character] + edit.new_text + line[edit.range.end.character :]
            )
        (folder / name).write_text("".join(lines))


def test_the_rule_tests_of_a_row_run_from_its_line(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = await editor.open(UNITS)
        document = t.TextDocumentIdentifier(editor.uri(UNITS))
        lenses = await editor.client.text_document_code_lens_async(t.CodeLensParams(document))
        first = min(lenses or (), key=lambda lens: lens.range.start.line)
        assert first.range.start.line == text[: text.index("- id: infantry")].count("\n")
        assert first.command is not None and "rule test" in first.command.title
        where = t.ExecuteCommandParams(first.command.command, first.command.arguments)
        results = await editor.client.workspace_execute_command_async(where)
        assert results and all(r["status"] == "passed" for r in results)  # type: ignore[union-attr, index, call-overload]
        assert f"{len(results)} rule tests pass" in editor.said  # type: ignore[arg-type]

        broken = text.replace("tags: [soldier, foot]", "tags: [foot]")
        (folder / UNITS).write_text(broken)
        results = await editor.client.workspace_execute_command_async(where)
        assert any(r["status"] == "failed" for r in results)  # type: ignore[union-attr, index, call-overload]
        assert "rule tests fail" in editor.said[-1] or "rule test" in editor.said[-1]
        assert any(found for name, found in editor.found.items() if name.startswith("tests/"))

    ask(folder, talk)


def test_checking_as_one_types_finds_what_checking_the_whole_finds(folder: Path) -> None:
    """Each edit after the other in one project, against a project that reads the same text again."""
    path = folder / UNITS
    text = path.read_text()
    project = Project(folder)
    edits = [
        ("pool: 14", "pool: many"),
        ("worth: 1\n", "worth: 1\n    wrth: 2\n"),
        ("tags: [soldier, gun]", "tags: [soldier]"),
        ("in_play(nation) and", "in_plai(nation) and"),
        ("- id: artillery", "- id: guns"),
        ("of: [place]", "of: [nation]"),
        ("\ndefinitions:", "\n\n# a line more\ndefinitions:"),
        ("stock(place, 'coin')", "stock(place, 'coyn')"),
        ("\ndefinitions:", "\n  - {id: guns, name: Guns}\ndefinitions:"),
        ("\ndefinitions:", "\n  - {id: artillery, name: Guns}\ndefinitions:"),
        (
            "\ndefinitions:",
            "\n  - {id: guns, nmae: Guns}\n  - {id: more, name: More, tags: [soldier]}\ndefinitions:",
        ),
    ]
    for old, new in edits:
        assert old in text
        for changed in (text.replace(old, new, 1), text):
            found = project.set_text(path, changed.encode())
            fresh = Project(folder, {path: changed.encode()})
            assert [(d.code, d.file, d.line, d.column, d.message) for d in found] == [
                (d.code, d.file, d.line, d.column, d.message) for d in fresh.found
            ], new


def test_mistakes_in_several_files_are_found_together(folder: Path) -> None:
    """A mistake stays while others are made and mended elsewhere."""
    path = folder / UNITS
    other = next(
        p for p in sorted((folder / "tables").glob("*.yaml")) if p != path and b"name:" in p.read_bytes()
    )
    texts = {p: p.read_bytes() for p in (path, other)}
    project = Project(folder)
    spoiled = {p: text.replace(b"name:", b"nmae:", 1) for p, text in texts.items()}
    for first, second in (
        (spoiled[path], spoiled[other]),
        (spoiled[path], texts[other]),
        (texts[path], texts[other]),
    ):
        for p, data in ((path, first), (other, second)):
            project.set_text(p, data)
        fresh = Project(folder, {path: first, other: second})
        assert [(d.code, d.where, d.message) for d in project.found] == [
            (d.code, d.where, d.message) for d in fresh.found
        ]


def test_while_a_file_cannot_be_read_it_alone_is_at_fault(folder: Path) -> None:
    path = folder / UNITS
    text = path.read_text()
    project = Project(folder)
    found = project.set_text(path, text.replace("{", "{{", 1).encode())
    assert [d.file for d in found] == [UNITS] and found[0].severity == "error"
    assert project.set_text(path, text.encode()) == []
    assert (
        project.set_text(path, text.replace("in_play(nation) and", "in_plai(nation) and").encode())[0].code
        == "E303"
    )


ROWS = {"units": "infantry", "definitions": None, "stats": None}


@pytest.mark.parametrize("form", sorted(ROWS))
def test_a_new_row_of_the_base_is_checked_as_the_whole_is(form: str) -> None:
    """A copy of a row under another id, and one with a mistake."""
    folder = rulesets()
    project = _base()
    draft = project.draft
    assert draft is not None
    id_ = ROWS[form] or next(iter(draft.rows(form)))
    path = project.path(draft.rows(form)[id_].file)
    text = path.read_text(encoding="utf-8")
    value = json.dumps({**plain_value(draft.rows(form)[id_]), "id": "quite-new"}, default=str)
    for row in (value, value[:-1] + ', "nonsense": 1}'):
        head, found_at, tail = text.partition(f"\n{form}:\n")
        data = f"{head}{found_at}  - {row}\n{tail}".encode()
        assert data != text.encode()
        found = project.set_text(path, data)
        fresh = Project(folder, {path: data})
        assert [(d.code, d.where, d.message) for d in found] == [
            (d.code, d.where, d.message) for d in fresh.found
        ]
    assert project.set_text(path, text.encode()) == []


@cache
def _base() -> Project:
    return Project(rulesets())


def test_rule_tests_and_scenarios_are_read_as_tables_are(folder: Path) -> None:
    copied = folder / "tests" / "own.yaml"
    copied.parent.mkdir(exist_ok=True)
    copied.write_text(
        "cases:\n- id: one\n  title: A case\n  given: {places: {england: {holder: germany}}}\n", "utf-8"
    )
    (folder / "scenarios").mkdir(exist_ok=True)
    start = "id: s\ntitle: S\nruleset: ..\nunits:\n- {owner: germany, at: england, units: {infantry: 1}}\n"
    (folder / "scenarios" / "own.yaml").write_text(start, "utf-8")

    async def talk(editor: Editor) -> None:
        name = "tests/own.yaml"
        text = await editor.open(name)
        assert editor.found[name] == []
        found = await editor.type(name, 2, text.replace("{england:", "{englnd:"))
        assert [(d.code, d.range.start.line, d.range.start.character) for d in found] == [("E401", 3, 19)]
        assert "did you mean 'england'?" in found[0].message
        assert await editor.type(name, 3, text) == []
        hover = await editor.client.text_document_hover_async(
            t.HoverParams(**editor.at(name, text, "england"))
        )
        assert hover is not None and "places/england" in str(hover.contents)
        found = await editor.client.text_document_definition_async(
            t.DefinitionParams(**editor.at(name, text, "germany"))
        )
        assert [place.uri for place in found or []] and found[0].uri.startswith(editor.uri("tables"))
        items = await editor.client.text_document_completion_async(
            t.CompletionParams(**editor.at(name, text, "england", 3))
        )
        assert "benelux" in {item.label for item in items or []}
        symbols = await editor.client.text_document_document_symbol_async(
            t.DocumentSymbolParams(t.TextDocumentIdentifier(editor.uri(name)))
        )
        assert [(s.name, [(c.name, c.detail) for c in s.children or []]) for s in symbols or []] == [
            ("cases", [("one", "A case")])
        ]
        name = "scenarios/own.yaml"
        text = await editor.open(name)
        found = await editor.type(name, 2, text.replace("at: england", "at: englnd"))
        assert ("E401", 4) in [(d.code, d.range.start.line) for d in found]

    ask(folder, talk)


def test_marks_of_equivalent_changes_are_checked_and_renamed_with_their_rows(folder: Path) -> None:
    name, places = "tests/equivalent.yaml", "tables/places.yaml"
    (folder / "tests").mkdir(exist_ok=True)
    (folder / name).write_text(
        "equivalent:\n  - {row: places/england, at: coal, changes: [1 -> 2], reason: coal is never asked for}\n"
    )
    text = (folder / places).read_text()
    at = "coal" if re.search(r"id: england\b.*coal", text) else "name"
    (folder / name).write_text((folder / name).read_text().replace("at: coal", f"at: {at}"))

    async def talk(editor: Editor) -> None:
        text = await editor.open(name)
        assert editor.found[name] == []
        found = await editor.type(name, 2, text.replace("places/england", "places/englnd"))
        assert [(d.code, d.range.start.line, d.range.start.character) for d in found] == [("E401", 1, 10)]
        assert "did you mean 'places/england'?" in found[0].message
        assert await editor.type(name, 3, text) == []
        hover = await editor.client.text_document_hover_async(
            t.HoverParams(**editor.at(name, text, "reason"))
        )
        assert hover is not None and "tell the difference" in str(hover.contents)
        row = await editor.open(places)
        where = editor.at(places, row, "id: england", 5)
        edit = await editor.client.text_document_rename_async(t.RenameParams(**where, new_name="albion"))
        assert edit is not None and edit.changes is not None
        (changed,) = edit.changes[editor.uri(name)]
        assert (changed.range.start.line, changed.range.start.character) == (1, 17)

    ask(folder, talk)


def test_a_call_that_is_written_has_help_and_a_word_that_is_no_id_is_not_renamed(folder: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = await editor.open(UNITS)
        assert await editor.client.text_document_prepare_rename_async(
            t.PrepareRenameParams(**editor.at(UNITS, text, "infantry"))
        )
        assert not await editor.client.text_document_prepare_rename_async(
            t.PrepareRenameParams(**editor.at(UNITS, text, "name:"))
        )
        row = "definitions:\n- {id: t, of: [nation], is: \"stock(nation, 'coin') > count(units("
        await editor.open("tables/places.yaml")
        await editor.type("tables/places.yaml", 2, row)
        for end, label, argument in (
            ("stock(nation, ", "stock(thing, id:resources)", 1),
            ("count(units(", "units(", 0),
        ):
            at = editor.at("tables/places.yaml", row, end, len(end))
            found = await editor.client.text_document_signature_help_async(t.SignatureHelpParams(**at))
            assert found is not None and found.signatures[0].label.startswith(label)
            assert found.active_parameter == argument

    ask(folder, talk)
