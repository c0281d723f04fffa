"""`wteaw lsp`: a language server for rulesets, over standard input and output.

It carries questions of an editor to `editor` and answers back; it knows no rule of its own. `docs/editors.md`
says how editors start it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from wteaw.cli import ExitCode, Stop
from wteaw.core.codes import CODES
from wteaw.core.diagnostics import Diagnostic

__all__ = ["lsp"]

RUN_TESTS = "wteaw.runTests"
PAUSE = 0.05
"""Seconds to wait for the next letter before a text is checked."""


def lsp(
    tcp: int = typer.Option(
        0, "--tcp", min=0, max=65535, help="Serve one editor over TCP on 127.0.0.1 at this number instead."
    ),
) -> None:
    """Findings as you type, completion, help, definitions, renaming and rule tests for editors that speak
    LSP.

    Editors start it themselves: see the page on editors in the documentation.

    Example: wteaw lsp
    """
    try:
        server = make_server()
    except ModuleNotFoundError as missing:
        raise Stop(
            f"the language server needs {missing.name}: pip install 'wteaw[lsp]'", ExitCode.MACHINE
        ) from None
    if tcp:
        server.start_tcp("127.0.0.1", tcp)
    else:
        server.start_io()


def make_server() -> Any:
    """The server, ready to be started. ModuleNotFoundError if the extra `lsp` is not installed."""
    from importlib.metadata import version

    from lsprotocol import types as lsp_types
    from pygls.lsp.server import LanguageServer
    from pygls.uris import from_fs_path, to_fs_path

    from wteaw.testing.cases import CitedBy

    from . import answers, lenses, rename
    from .project import Project, Workspace

    server = LanguageServer("wteaw", f"v{version('wteaw')}")
    workspace = Workspace([])
    tests: dict[Path, CitedBy] = {}
    t = lsp_types

    def path_of(uri: str) -> Path:
        return Path(to_fs_path(uri) or uri).resolve()

    def uri_of(path: Path) -> str:
        return from_fs_path(str(path)) or path.as_uri()

    def text_of(uri: str) -> str:
        return str(server.workspace.get_text_document(uri).source)

    def tested(project: Project) -> dict[str, int]:
        return tests.setdefault(project.folder, CitedBy(project.folder)).by_clause()

    def publish(found: Mapping[Path, list[Diagnostic]]) -> None:
        for path, items in found.items():
            shown = [_diagnostic(t, item) for item in items]
            server.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri_of(path), shown))

    def place(params: Any) -> tuple[Path, Project, int, int] | None:
        path = path_of(params.text_document.uri)
        project = workspace.project(path)
        return (
            None
            if project is None
            else (path, project, params.position.line + 1, params.position.character + 1)
        )

    @server.feature(t.INITIALIZED)
    def initialized(_: Any) -> None:
        roots = [path_of(f.uri) for f in server.workspace.folders.values()]
        root = server.workspace.root_path
        workspace.roots[:] = roots or ([Path(root).resolve()] if root else [])

    @server.feature(t.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: t.DidOpenTextDocumentParams) -> None:
        publish(workspace.change(path_of(params.text_document.uri), params.text_document.text.encode()))
        # a ruleset stays while it is open: to look through it for cycles now and then would hold up answers
        gc.freeze()

    @server.feature(t.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: t.DidChangeTextDocumentParams) -> None:
        uri, version_ = params.text_document.uri, params.text_document.version
        await asyncio.sleep(PAUSE)
        if server.workspace.get_text_document(uri).version == version_:  # else more has been typed
            publish(workspace.change(path_of(uri), text_of(uri).encode()))

    @server.feature(t.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: t.DidSaveTextDocumentParams) -> None:
        publish(workspace.refresh(path_of(params.text_document.uri)))

    @server.feature(t.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: t.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        workspace.open.pop(path, None)
        publish(workspace.refresh(path))

    @server.feature(t.TEXT_DOCUMENT_COMPLETION, t.CompletionOptions(trigger_characters=["'", ".", "=", " "]))
    def completion(params: t.CompletionParams) -> list[t.CompletionItem]:
        at = place(params)
        if at is None:
            return []
        path, project, line, column = at
        found = answers.completions(project, path, text_of(params.text_document.uri), line, column)
        kinds = {
            "key": t.CompletionItemKind.Property,
            "function": t.CompletionItemKind.Function,
            "term": t.CompletionItemKind.Function,
            "field": t.CompletionItemKind.Field,
            "name": t.CompletionItemKind.Variable,
            "word": t.CompletionItemKind.EnumMember,
        }
        return [
            t.CompletionItem(
                c.text, kind=kinds.get(c.kind, t.CompletionItemKind.Reference), detail=c.says[:300] or None
            )
            for c in found
        ]

    @server.feature(t.TEXT_DOCUMENT_HOVER)
    def hover(params: t.HoverParams) -> t.Hover | None:
        at = place(params)
        text = answers.hover(at[1], at[0], at[2], at[3], tested(at[1])) if at is not None else ""
        return t.Hover(t.MarkupContent(t.MarkupKind.Markdown, text)) if text else None

    @server.feature(t.TEXT_DOCUMENT_DEFINITION)
    def definition(params: t.DefinitionParams) -> list[t.Location]:
        at = place(params)
        found = answers.meant(at[1], at[0], at[2], at[3]) if at is not None else []
        return [
            t.Location(uri_of(at[1].path(f.row.file)), _range(t, f.row.line, f.row.column, 0))
            for f in found
            if at is not None
        ]

    @server.feature(t.TEXT_DOCUMENT_REFERENCES)
    def references(params: t.ReferenceParams) -> list[t.Location]:
        at = place(params)
        found = answers.meant(at[1], at[0], at[2], at[3]) if at is not None else []
        if at is None or not found:
            return []
        return [
            t.Location(uri_of(u.path), _range(t, u.line, u.column, u.length))
            for u in rename.uses(workspace, at[1], found[0])
        ]

    @server.feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbol(params: t.DocumentSymbolParams) -> list[t.DocumentSymbol]:
        path = path_of(params.text_document.uri)
        project = workspace.project(path)

        def symbol(part: answers.Outlined, kind: t.SymbolKind) -> t.DocumentSymbol:
            whole = t.Range(t.Position(part.line - 1, 0), t.Position(part.last_line, 0))
            inside = [symbol(row, t.SymbolKind.Object) for row in part.inside]
            return t.DocumentSymbol(
                part.name, kind, whole, _range(t, part.line, 1, 0), detail=part.says or None, children=inside
            )

        return (
            [symbol(p, t.SymbolKind.Namespace) for p in answers.outline(project, path)]
            if project is not None
            else []
        )

    @server.feature(t.TEXT_DOCUMENT_SIGNATURE_HELP, t.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature_help(params: t.SignatureHelpParams) -> t.SignatureHelp | None:
        at = place(params)
        found = (
            answers.signature_at(at[1], text_of(params.text_document.uri), at[2], at[3])
            if at is not None
            else None
        )
        if found is None:
            return None
        inside = found.label[found.label.index("(") + 1 : -1]
        arguments = [t.ParameterInformation(part.strip()) for part in inside.split(",") if part.strip()]
        return t.SignatureHelp(
            [t.SignatureInformation(found.label, found.says, arguments)], 0, found.argument
        )

    @server.feature(t.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: t.PrepareRenameParams) -> t.Range | None:
        at = place(params)
        if at is None or not answers.meant(at[1], at[0], at[2], at[3]):
            return None
        word, start = answers.word_at(answers.source_line(at[1], at[0], at[2]), at[3])
        found: t.Range = _range(t, at[2], start, len(word))
        return found

    @server.feature(t.TEXT_DOCUMENT_RENAME, t.RenameOptions(prepare_provider=True))
    def rename_(params: t.RenameParams) -> t.WorkspaceEdit | None:
        at = place(params)
        found = answers.meant(at[1], at[0], at[2], at[3]) if at is not None else []
        if at is None or not found:
            server.window_show_message(t.ShowMessageParams(t.MessageType.Info, "no id stands here"))
            return None
        try:
            places = rename.rename(workspace, at[1], found[0], params.new_name)
        except rename.CannotRename as why:
            server.window_show_message(t.ShowMessageParams(t.MessageType.Error, str(why)))
            return None
        edits = {
            uri_of(path): [t.TextEdit(_range(t, u.line, u.column, u.length), params.new_name) for u in uses]
            for path, uses in places.items()
        }
        return t.WorkspaceEdit(changes=edits)

    @server.feature(
        t.TEXT_DOCUMENT_CODE_ACTION, t.CodeActionOptions(code_action_kinds=[t.CodeActionKind.QuickFix])
    )
    def code_action(params: t.CodeActionParams) -> list[t.CodeAction]:
        uri = params.text_document.uri
        project = workspace.project(path_of(uri))
        out = []
        for item in params.context.diagnostics if project is not None else ():
            text = str((item.data or {}).get("instead", "")) if isinstance(item.data, dict) else ""
            line = (
                answers.source_line(project, path_of(uri), item.range.start.line + 1)
                if project is not None
                else ""
            )
            word, start = answers.word_at(line, item.range.start.character + 1)
            if text and word:
                edit = t.TextEdit(_range(t, item.range.start.line + 1, start, len(word)), text)
                title = f"Write {text!r} instead of {word!r}"
                out.append(
                    t.CodeAction(
                        title, t.CodeActionKind.QuickFix, [item], edit=t.WorkspaceEdit({uri: [edit]})
                    )
                )
        return out

    @server.feature(t.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: t.CodeLensParams) -> list[t.CodeLens]:
        path = path_of(params.text_document.uri)
        project = workspace.project(path)
        if project is None:
            return []
        out = []
        for lens in lenses.lenses(project, path, tested(project)):
            title = (
                f"▶ {lens.tests} rule test{'' if lens.tests == 1 else 's'}" if lens.tests else "no rule test"
            )
            command = t.Command(
                title, RUN_TESTS if lens.tests else "", None, [str(project.folder), list(lens.clauses)]
            )
            out.append(t.CodeLens(_range(t, lens.line, 1, 0), command))
        return out

    @server.command(RUN_TESTS)
    async def run_tests(folder: str, clauses: list[str]) -> list[dict[str, Any]]:
        results = await asyncio.to_thread(lenses.run, Path(folder), tuple(clauses))
        wrong = [r for r in results if r.status != "passed"]
        found: dict[Path, list[Diagnostic]] = {}
        for result in results:
            file, _, line = result.where.rpartition(":")
            found.setdefault(Path(file), [])
            if result.status != "passed":
                said = (
                    "; ".join(f"{f.what}: expected {f.expected}, got {f.got}" for f in result.failures)
                    or result.message
                )
                with contextlib.suppress(ValueError):
                    found[Path(file)].append(
                        Diagnostic("T100", "error", f"{result.id}: {said}", file, int(line), 1)
                    )
        publish(found)
        kind = t.MessageType.Error if wrong else t.MessageType.Info
        said = (
            f"{len(wrong)} of {len(results)} rule tests fail: {', '.join(r.id for r in wrong[:5])}"
            if wrong
            else ""
        )
        server.window_show_message(t.ShowMessageParams(kind, said or f"{len(results)} rule tests pass"))
        return [{"id": r.id, "status": r.status, "where": r.where} for r in results]

    return server


def _range(t: Any, line: int, column: int, length: int) -> Any:
    start = t.Position(max(line - 1, 0), max(column - 1, 0))
    return t.Range(start, t.Position(start.line, start.character + length))


def _diagnostic(t: Any, found: Diagnostic) -> Any:
    from .answers import SITE, quick_fix, word_at

    word, start = word_at(found.source_line, found.column)
    severity = t.DiagnosticSeverity.Error if found.severity == "error" else t.DiagnosticSeverity.Warning
    message = f"{found.message} ({found.hint})" if found.hint else found.message
    instead = quick_fix(found)
    length = max(len(word) - (found.column - start), 1)
    data = {"instead": instead} if instead else None
    where = _range(t, found.line, found.column, length)
    site = os.environ.get(SITE, "").rstrip("/")
    at = f"{site}/made/findings.html#{found.code.lower()}" if site and found.code in CODES else ""
    more = t.CodeDescription(at) if at else None
    return t.Diagnostic(
        where, message, severity, found.code, code_description=more, source="wteaw", data=data
    )
