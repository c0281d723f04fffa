"""The language server: each question of an editor, carried to `editor` and answered in the words of LSP.

`make_server` gives a server that is ready to be started. Every function of `FEATURES` gets the server and
what the editor sent. The module needs the extra `lsp`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from wteaw.core.codes import CODES
from wteaw.core.diagnostics import Diagnostic
from wteaw.testing.cases import CitedBy
from wteaw.testing.runner import Result

from . import answers, lenses, rename
from .project import Project, Workspace

__all__ = ["make_server"]

RUN_TESTS = "wteaw.runTests"
PAUSE = 0.05
"""Seconds to wait for the next letter before a text is checked."""


class Cursor(NamedTuple):
    """Where an editor's cursor stands: a file of a ruleset, and line and column, counted from 1."""

    project: Project
    path: Path
    line: int
    column: int


class RulesetServer(LanguageServer):
    """A server and the rulesets that its editor has open."""

    def __init__(self) -> None:
        super().__init__("wteaw", f"v{version('wteaw')}")
        self.rulesets = Workspace([])
        self._tests: dict[Path, CitedBy] = {}

    def text(self, uri: str) -> str:
        """A file as it stands in the editor."""
        return str(self.workspace.get_text_document(uri).source)

    def tests_by_clause(self, project: Project) -> dict[str, int]:
        """How many rule tests of a ruleset cite each clause."""
        return self._tests.setdefault(project.folder, CitedBy(project.folder)).by_clause()

    def publish(self, found: Mapping[Path, list[Diagnostic]]) -> None:
        """Show the editor the findings of files; an empty list takes away what it shows."""
        for path, items in found.items():
            shown = [_diagnostic(item) for item in items]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(_uri_of(path), shown))

    def show(self, kind: lsp.MessageType, text: str) -> None:
        """Show the editor's user a message."""
        self.window_show_message(lsp.ShowMessageParams(kind, text))

    def cursor(self, params: Any) -> Cursor | None:
        """Where the cursor of a question stands; None outside of rulesets."""
        path = _path_of(params.text_document.uri)
        project = self.rulesets.project(path)
        if project is None:
            return None
        return Cursor(project, path, params.position.line + 1, params.position.character + 1)


def make_server() -> RulesetServer:
    """The server, ready to be started."""
    server = RulesetServer()
    for name, (answer, options) in FEATURES.items():
        server.feature(name, options)(answer)
    server.command(RUN_TESTS)(_run_tests)
    return server


# ---- files that are opened, changed, saved, closed


def _initialized(ls: RulesetServer, _: Any) -> None:
    roots = [_path_of(f.uri) for f in ls.workspace.folders.values()]
    root = ls.workspace.root_path
    ls.rulesets.roots[:] = roots or ([Path(root).resolve()] if root else [])


def _did_open(ls: RulesetServer, params: lsp.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    ls.publish(ls.rulesets.change(_path_of(document.uri), document.text.encode()))
    # a ruleset stays while it is open: to look through it for cycles now and then would hold up answers
    gc.freeze()


async def _did_change(ls: RulesetServer, params: lsp.DidChangeTextDocumentParams) -> None:
    uri, version_ = params.text_document.uri, params.text_document.version
    await asyncio.sleep(PAUSE)
    if ls.workspace.get_text_document(uri).version == version_:  # else more has been typed
        ls.publish(ls.rulesets.change(_path_of(uri), ls.text(uri).encode()))


def _did_save(ls: RulesetServer, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.publish(ls.rulesets.refresh(_path_of(params.text_document.uri)))


def _did_close(ls: RulesetServer, params: lsp.DidCloseTextDocumentParams) -> None:
    path = _path_of(params.text_document.uri)
    ls.rulesets.open.pop(path, None)
    ls.publish(ls.rulesets.refresh(path))


# ---- what stands, or may stand, at the cursor


COMPLETION_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "function": lsp.CompletionItemKind.Function,
    "term": lsp.CompletionItemKind.Function,
    "field": lsp.CompletionItemKind.Field,
    "name": lsp.CompletionItemKind.Variable,
    "word": lsp.CompletionItemKind.EnumMember,
}
"""How an editor marks a completion; any other kind is a reference to a row."""


def _completion(ls: RulesetServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    at = ls.cursor(params)
    if at is None:
        return []
    text = ls.text(params.text_document.uri)
    return [
        lsp.CompletionItem(
            c.text,
            kind=COMPLETION_KINDS.get(c.kind, lsp.CompletionItemKind.Reference),
            detail=c.says[:300] or None,
        )
        for c in answers.completions(at.project, at.path, text, at.line, at.column)
    ]


def _hover(ls: RulesetServer, params: lsp.HoverParams) -> lsp.Hover | None:
    at = ls.cursor(params)
    if at is None:
        return None
    text = answers.hover(at.project, at.path, at.line, at.column, ls.tests_by_clause(at.project))
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None


def _signature_help(ls: RulesetServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    at = ls.cursor(params)
    if at is None:
        return None
    found = answers.signature_at(at.project, ls.text(params.text_document.uri), at.line, at.column)
    if found is None:
        return None
    inside = found.label[found.label.index("(") + 1 : -1]
    arguments = [lsp.ParameterInformation(part.strip()) for part in inside.split(",") if part.strip()]
    signature = lsp.SignatureInformation(found.label, found.says, arguments)
    return lsp.SignatureHelp([signature], 0, found.argument)


# ---- where things are


def _definition(ls: RulesetServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    at = ls.cursor(params)
    if at is None:
        return []
    return [
        lsp.Location(_uri_of(at.project.path(f.row.file)), _range(f.row.line, f.row.column, 0))
        for f in answers.meant(*at)
    ]


def _references(ls: RulesetServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    at = ls.cursor(params)
    found = answers.meant(*at) if at is not None else []
    if at is None or not found:
        return []
    return [
        lsp.Location(_uri_of(u.path), _range(u.line, u.column, u.length))
        for u in rename.uses(ls.rulesets, at.project, found[0])
    ]


def _document_symbols(ls: RulesetServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    path = _path_of(params.text_document.uri)
    project = ls.rulesets.project(path)
    if project is None:
        return []
    return [_symbol(part, lsp.SymbolKind.Namespace) for part in answers.outline(project, path)]


def _symbol(part: answers.Outlined, kind: lsp.SymbolKind) -> lsp.DocumentSymbol:
    whole = lsp.Range(lsp.Position(part.line - 1, 0), lsp.Position(part.last_line, 0))
    inside = [_symbol(row, lsp.SymbolKind.Object) for row in part.inside]
    head = _range(part.line, 1, 0)
    return lsp.DocumentSymbol(part.name, kind, whole, head, detail=part.says or None, children=inside)


# ---- renaming, and fixes


def _prepare_rename(ls: RulesetServer, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    at = ls.cursor(params)
    if at is None or not answers.meant(*at):
        return None
    line = answers.source_line(at.project, at.path, at.line)
    word, start = answers.word_at(line, at.column)
    return _range(at.line, start, len(word))


def _rename(ls: RulesetServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    at = ls.cursor(params)
    found = answers.meant(*at) if at is not None else []
    if at is None or not found:
        ls.show(lsp.MessageType.Info, "no id stands here")
        return None
    try:
        places = rename.rename(ls.rulesets, at.project, found[0], params.new_name)
    except rename.CannotRename as why:
        ls.show(lsp.MessageType.Error, str(why))
        return None
    edits = {
        _uri_of(path): [lsp.TextEdit(_range(u.line, u.column, u.length), params.new_name) for u in uses]
        for path, uses in places.items()
    }
    return lsp.WorkspaceEdit(changes=edits)


def _code_actions(ls: RulesetServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    uri = params.text_document.uri
    path = _path_of(uri)
    project = ls.rulesets.project(path)
    if project is None:
        return []
    out = []
    for item in params.context.diagnostics:
        text = str(item.data.get("instead", "")) if isinstance(item.data, dict) else ""
        line = answers.source_line(project, path, item.range.start.line + 1)
        word, start = answers.word_at(line, item.range.start.character + 1)
        if text and word:
            edit = lsp.TextEdit(_range(item.range.start.line + 1, start, len(word)), text)
            title = f"Write {text!r} instead of {word!r}"
            fix = lsp.CodeActionKind.QuickFix
            out.append(lsp.CodeAction(title, fix, [item], edit=lsp.WorkspaceEdit({uri: [edit]})))
    return out


# ---- rule tests


def _code_lenses(ls: RulesetServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    path = _path_of(params.text_document.uri)
    project = ls.rulesets.project(path)
    if project is None:
        return []
    out = []
    for lens in lenses.lenses(project, path, ls.tests_by_clause(project)):
        tests = f"▶ {lens.tests} rule test{'' if lens.tests == 1 else 's'}" if lens.tests else "no rule test"
        arguments = [str(project.folder), list(lens.clauses)]
        command = lsp.Command(tests, RUN_TESTS if lens.tests else "", None, arguments)
        out.append(lsp.CodeLens(_range(lens.line, 1, 0), command))
    return out


async def _run_tests(ls: RulesetServer, folder: str, clauses: list[str]) -> list[dict[str, Any]]:
    results = await asyncio.to_thread(lenses.run, Path(folder), tuple(clauses))
    ls.publish(_failures(results))
    wrong = [r for r in results if r.status != "passed"]
    if wrong:
        ids = ", ".join(r.id for r in wrong[:5])
        ls.show(lsp.MessageType.Error, f"{len(wrong)} of {len(results)} rule tests fail: {ids}")
    else:
        ls.show(lsp.MessageType.Info, f"{len(results)} rule tests pass")
    return [{"id": r.id, "status": r.status, "where": r.where} for r in results]


def _failures(results: list[Result]) -> dict[Path, list[Diagnostic]]:
    """What failed, at the line of each test; an empty list for a file of which no test failed."""
    found: dict[Path, list[Diagnostic]] = {}
    for result in results:
        name, _, line = result.where.rpartition(":")
        file = Path(name)
        found.setdefault(file, [])
        if result.status == "passed":
            continue
        failed = "; ".join(f"{f.what}: expected {f.expected}, got {f.got}" for f in result.failures)
        with contextlib.suppress(ValueError):
            text = f"{result.id}: {failed or result.message}"
            found[file].append(Diagnostic("T100", "error", text, name, int(line), 1))
    return found


FEATURES: dict[str, tuple[Callable[..., Any], Any]] = {
    lsp.INITIALIZED: (_initialized, None),
    lsp.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    lsp.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    lsp.TEXT_DOCUMENT_DID_SAVE: (_did_save, None),
    lsp.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (
        _completion,
        lsp.CompletionOptions(trigger_characters=["'", ".", "=", " "]),
    ),
    lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (
        _signature_help,
        lsp.SignatureHelpOptions(trigger_characters=["(", ","]),
    ),
    lsp.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_references, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_document_symbols, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        _code_actions,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    ),
    lsp.TEXT_DOCUMENT_CODE_LENS: (_code_lenses, None),
}
"""What the server answers to: the method of the protocol -> the function, and its options."""


# ---- places and findings in the words of the protocol, which counts from 0


def _path_of(uri: str) -> Path:
    return Path(to_fs_path(uri) or uri).resolve()


def _uri_of(path: Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()


def _range(line: int, column: int, length: int) -> lsp.Range:
    start = lsp.Position(max(line - 1, 0), max(column - 1, 0))
    return lsp.Range(start, lsp.Position(start.line, start.character + length))


def _diagnostic(found: Diagnostic) -> lsp.Diagnostic:
    word, start = answers.word_at(found.source_line, found.column)
    error = found.severity == "error"
    instead = answers.quick_fix(found)
    site = os.environ.get(answers.SITE, "").rstrip("/")
    page = f"{site}/made/findings.html#{found.code.lower()}" if site and found.code in CODES else ""
    return lsp.Diagnostic(
        _range(found.line, found.column, max(len(word) - (found.column - start), 1)),
        f"{found.message} ({found.hint})" if found.hint else found.message,
        lsp.DiagnosticSeverity.Error if error else lsp.DiagnosticSeverity.Warning,
        found.code,
        code_description=lsp.CodeDescription(page) if page else None,
        source="wteaw",
        data={"instead": instead} if instead else None,
    )
