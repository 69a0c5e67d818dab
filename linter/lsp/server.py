"""`flint lsp`: the language server. What it answers is found out by the modules beside it; this one speaks to editors.

All that is shown follows from the text in the editor, at once and for the file alone. A moment after the last keystroke
the folders that are open are judged as a whole, in a thread, and what that tells is shown as well.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from math import inf
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import from_fs_path, to_fs_path

from flink_flint.linter import __version__
from flink_flint.linter.config.flint_config import NAMES
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.lsp import completion
from flink_flint.linter.lsp.code_actions import Action, acceptance_of, all_safe_fixes, fix_of
from flink_flint.linter.lsp.cursor import spot_at
from flink_flint.linter.lsp.diagnostics import diagnostic, range_of, text_edit
from flink_flint.linter.lsp.hover import hover
from flink_flint.linter.lsp.open_document import Analysis, Own, Said, likely_carrier
from flink_flint.linter.lsp.option_markdown import describe
from flink_flint.linter.lsp.text_buffer import UTF_16, Buffer
from flink_flint.linter.lsp.workspace import GivenUp, Project, Settled, is_excluded, options_for, shown
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding

SOON = 0.005
"""Seconds after an edit until the file is judged: edits that come together are judged together."""
QUIET = 0.4
"""Seconds without an edit after which all files are judged."""
IDLE = 5.0
"""Seconds without an edit after which nobody minds if memory is tidied up."""
SLICE = 0.02
"""Seconds at most that are spent at a time on getting ready for edits of a long file."""
AT_ONCE = 0.1
"""Seconds at most that rules are asked about a file at a time, so that further edits are heard meanwhile."""

FIX_ALL = "source.fixAll.flint"
_KINDS = {
    "option": types.CompletionItemKind.Property,
    "mapping": types.CompletionItemKind.Module,
    "value": types.CompletionItemKind.EnumMember,
    "default": types.CompletionItemKind.Value,
}
_OTHER_FILES = (
    *NAMES, "pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "build.sbt", "requirements.txt",
    "Dockerfile", "dockerfile", "Containerfile", "kustomization.yaml", "kustomization.yml", "zoo.cfg", "masters",
    "workers", "slaves", ".gitignore",
)  # fmt: skip
"""Files that say how others are judged."""

Handler = TypeVar("Handler", bound=Callable[..., Any])


class _Protocol(LanguageServerProtocol):
    """The protocol, without the texts that pygls keeps: its lines end elsewhere, and it moves the places of edits."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None


class Server(LanguageServer):
    """The server, with the files that are open in the editor."""

    def __init__(self) -> None:
        super().__init__("flint", __version__, max_workers=1, protocol_cls=_Protocol)
        self.project = Project()
        self.open: dict[str, Analysis] = {}
        """By path."""
        self.versions: dict[str, int | None] = {}
        self.uris: dict[str, str] = {}
        self.documents: dict[str, list[Document]] = {}
        """By path, what files that are not open hold, as far as that is known."""
        self.shown: dict[str, bool] = {}
        """Path -> whether anything is shown of it."""
        self._said: dict[str, Said] = {}
        self._told: set[str] = set()
        self._soon: dict[str, asyncio.TimerHandle] = {}
        self._later: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._changes = 0
        """How often a file was opened or has become another."""
        self._settling: asyncio.Task[None] | None = None
        self._is_due = False
        self._is_reporting = False
        self._is_over = False

    @property
    def encoding(self) -> str:
        """What positions count in: what editor and server have agreed on."""
        agreed = self.server_capabilities.position_encoding
        return str(agreed.value if isinstance(agreed, types.PositionEncodingKind) else agreed or UTF_16)

    # -- what is said to people

    def complain(self, error: Exception) -> None:
        """Tell of preferences that nobody can use, once until they change."""
        message = str(error)
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"flint: {message}"))

    def log(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Tell what only those want to know who look for it."""
        self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong; the server goes on."""
        if self._is_reporting or self._is_over:
            return  # nobody is there to tell
        import traceback

        self._is_reporting = True
        try:
            self.log("flint itself failed: " + "".join(traceback.format_exception(error)))
        finally:
            self._is_reporting = False

    def end(self) -> None:
        """Say no more: the editor has said goodbye."""
        self._is_over = True
        for waiting in (*self._soon.values(), self._later, self._idle):
            if waiting is not None:
                waiting.cancel()

    # -- files

    def path_of(self, uri: str) -> str:
        """The path of a document; what has none (an unsaved one) is told from others by its URI."""
        path = to_fs_path(uri)
        return os.path.abspath(path) if path else uri

    def files(self, path: str) -> tuple[Buffer, Sequence[Document]] | None:
        """The text and the documents of a file."""
        if (analysis := self.open.get(path)) is not None:
            return analysis.buffer, analysis.documents
        documents = self.documents.get(path)
        return (Buffer(documents[0].text, self.encoding), documents) if documents else None

    def said(self, path: str, seconds: float = inf) -> Said | None:
        """What there is to say of an open file now, of what cannot be judged nothing; None where it takes longer."""
        analysis = self.open[path]
        try:
            if is_excluded(path):
                return Said([], [], True)
            was_read_in_parts = analysis.is_read_in_parts
            found = analysis.look_for(seconds, options_for(path))
            if analysis.is_read_in_parts and not was_read_in_parts:
                self._keep_as_it_is()
            if found is None:
                return None
            findings = list(shown([*found.findings, *analysis.others], path))
            return found._replace(findings=findings)
        except ValueError as error:
            self.complain(error)
            return Said([], [], True)

    # -- judging

    def look_soon(self, path: str) -> None:
        """Judge an open file as soon as no further edit is waiting, and all files once it is quiet."""
        if (waiting := self._soon.pop(path, None)) is not None:
            waiting.cancel()
        self._changes += 1
        if self._idle is not None:
            self._wait_for_idleness()
        self._soon[path] = asyncio.get_running_loop().call_later(SOON, self._guarded, self._look, path, AT_ONCE)
        self.settle_later()

    def look_now(self, path: str) -> Said:
        """What there is to say of an open file, with all edits that have come."""
        if (waiting := self._soon.pop(path, None)) is not None:
            waiting.cancel()
            return self._look(path)
        return self._said.get(path) or self._look(path)

    def _guarded(self, work: Callable[..., Any], *arguments: Any) -> None:
        try:
            work(*arguments)
        except Exception as error:
            self.report_server_error(error, None)

    def _look(self, path: str, seconds: float = inf) -> Said:
        self._soon.pop(path, None)
        if path not in self.open:
            return Said([], [], True)
        said = self.said(path, seconds)
        if said is None:  # what is shown stays until all rules are asked, unless an edit comes first
            self._soon[path] = asyncio.get_running_loop().call_later(SOON, self._guarded, self._look, path, seconds)
            return self._said.get(path, Said([], [], True))
        self._said[path] = said
        self._publish(path, said.findings)
        asyncio.get_running_loop().call_later(SOON, self._guarded, self._prepare, path)
        return said

    def _prepare(self, path: str) -> None:
        analysis = self.open.get(path)
        if analysis is not None and not self._soon and not analysis.prepare(SLICE):
            asyncio.get_running_loop().call_later(SOON, self._guarded, self._prepare, path)

    def _publish(self, path: str, findings: Sequence[Finding]) -> None:
        found = [one for finding in findings if (one := diagnostic(finding, self.files)) is not None]
        if not found and path not in self.open and not self.shown.get(path):
            return
        self.shown[path] = bool(found)
        uri = self.uris.get(path) or from_fs_path(path)
        if uri is not None:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, found, version=self.versions.get(path))
            )

    def _keep_as_it_is(self) -> None:
        """Spare the collector the many objects of a long file, until nobody waits for it."""
        gc.freeze()
        self._wait_for_idleness()

    def _wait_for_idleness(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE, self._tidy_up)

    def _tidy_up(self) -> None:
        if self._soon or self._later is not None or (self._settling is not None and not self._settling.done()):
            self._wait_for_idleness()
            return
        self._idle = None
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def settle_later(self, seconds: float = QUIET) -> None:
        """Judge all files once it has been quiet for some seconds."""
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(seconds, self._settle)

    def _settle(self) -> None:
        self._later = None
        if self._is_over:
            return
        if self._soon:
            self.settle_later()  # a long file is still being judged
            return
        if self._settling is not None and not self._settling.done():
            self._is_due = True
            return
        self._is_due = False
        self._settling = asyncio.ensure_future(self._settled())

    async def _settled(self) -> None:
        texts = {path: analysis.buffer.text for path, analysis in self.open.items()}
        own = {path: known for path, analysis in self.open.items() if (known := analysis.own) is not None}
        changes = self._changes
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                None, self._judge_all, texts, own, lambda: changes == self._changes
            )
        except GivenUp:
            pass  # the edit that came has them all judged again
        except ValueError as error:
            self.complain(error)
        except Exception as error:
            self.report_server_error(error, None)
        else:
            if not self._is_over and changes == self._changes:
                self._guarded(self._take, found, texts)
        if self._is_due:
            self._settle()

    def _judge_all(self, texts: dict[str, str], own: dict[str, Own], is_wanted: Callable[[], bool]) -> Settled:
        sources = {path: _source_of(path, text) for path, text in texts.items()}
        settled = self.project.settle(sources, own, is_wanted)
        for path in texts:
            if documents := settled.documents.get(path):
                mask_of(*documents)  # of a long file that takes a while
        return settled

    def _take(self, found: Settled, texts: dict[str, str]) -> None:
        """Show what was found out about all files, of those that still are as they were."""
        self.documents = {path: documents for path, documents in found.documents.items() if documents}
        for problem in found.problems:
            if problem not in self._told:
                self._told.add(problem)
                self.log(problem, types.MessageType.Warning)
        for path, analysis in self.open.items():
            if analysis.buffer.text == texts.get(path):
                analysis.relate(found.relations.get(path, {}), found.from_others.get(path, ()))
                analysis.documents = found.documents.get(path, [])
                findings = self._shown(found.findings.get(path, ()), path)
                self._said[path] = Said(findings, analysis.documents, True)
                self._publish(path, findings)
        for path in {*found.findings, *self.shown}:
            if path not in self.open:
                self._publish(path, self._shown(found.findings.get(path, ()), path))

    def _shown(self, findings: Sequence[Finding], path: str) -> list[Finding]:
        try:
            return list(shown(findings, path))
        except ValueError as error:
            self.complain(error)
            return list(findings)

    # -- what is asked about a place

    def offset(self, path: str, position: types.Position) -> int:
        """The offset of a position in an open file."""
        return self.open[path].buffer.offset(position.line, position.character)

    def actions(self, path: str, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
        """What can be done about the findings in a range."""
        analysis = self.open[path]
        source = analysis.source()
        if source is None:
            return
        said = self.look_now(path)
        wanted = params.context.only
        start, end = self.offset(path, params.range.start), self.offset(path, params.range.end)
        within = [one for one in said.findings if one.span.start <= end and start <= one.span.end]
        if within and _is_wanted(types.CodeActionKind.QuickFix, wanted):
            documents = source.carrier.read(path, source.data)
            for finding in within:
                fixing = fix_of(finding, source, documents, options_for(path))
                if fixing is not None:
                    yield self._action(path, fixing, types.CodeActionKind.QuickFix, finding)
            for finding in within:
                accepting = acceptance_of(finding, source, analysis.buffer, documents)
                if accepting is not None:
                    yield self._action(path, accepting, types.CodeActionKind.QuickFix, finding)
        if wanted and _is_wanted(FIX_ALL, wanted):
            fixing = all_safe_fixes(source, options_for(path))
            if fixing is not None:
                yield self._action(path, fixing, FIX_ALL, None)

    def _action(self, path: str, action: Action, kind: str, finding: Finding | None) -> types.CodeAction:
        buffer = self.open[path].buffer
        edits = [text_edit(buffer, *edit) for edit in action.edits]
        shown_as = diagnostic(finding, self.files) if finding is not None else None
        return types.CodeAction(
            action.title,
            kind=kind,
            diagnostics=[shown_as] if shown_as is not None else None,
            is_preferred=True if action.is_safe and finding is not None else None,
            edit=self._workspace_edit(path, edits),
        )

    def _workspace_edit(self, path: str, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
        """Edits of an open file, of this version of it where the editor can tell them apart."""
        uri = self.uris[path]
        workspace = self.client_capabilities.workspace
        known = workspace.workspace_edit if workspace is not None else None
        if known is None or not known.document_changes:
            return types.WorkspaceEdit(changes={uri: edits})
        document = types.OptionalVersionedTextDocumentIdentifier(uri, self.versions.get(path))
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])

    def complete(self, path: str, offset: int) -> list[types.CompletionItem]:
        """What may be meant at an offset."""
        analysis = self.open[path]
        carrier = likely_carrier(path, analysis.buffer.text)
        if carrier is None:
            return []
        self.look_now(path)
        spot = spot_at(analysis.buffer, offset, carrier, analysis.documents)
        if spot is None:
            return []
        index = analysis.index_at(offset)
        written = [entry.key for document in analysis.documents for entry in document.entries]
        where = range_of(analysis.buffer, spot.span)
        return [
            types.CompletionItem(
                offer.label,
                kind=_KINDS[offer.kind],
                detail=offer.detail or None,
                tags=[types.CompletionItemTag.Deprecated] if offer.is_deprecated else None,
                sort_text=f"{int(offer.is_deprecated)}{offer.label}",
                filter_text=offer.label,
                text_edit=types.TextEdit(where, offer.text),
                data={"key": offer.key, "index": index} if offer.key else None,
            )
            for offer in completion.offers(spot, index, written)
        ]


def _is_wanted(kind: str, wanted: Sequence[str] | None) -> bool:
    """Whether an editor wants actions of a kind: it names kinds, or what they begin with, or none for all."""
    return not wanted or any(kind == one or kind.startswith(f"{one}.") for one in map(_word, wanted))


def _word(kind: str | types.CodeActionKind) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _source_of(path: str, text: str) -> Source | None:
    return Analysis(path, Buffer(text)).source()


server = Server()


def _logged(handler: Handler) -> Handler:
    """The handler; what goes wrong in it is logged, and answered with nothing."""

    @wraps(handler)
    def guarded(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        except Exception as error:
            server.report_server_error(error, None)
            return None

    return guarded  # type: ignore[return-value]


@server.feature(types.INITIALIZED)
@_logged
def _initialized(params: types.InitializedParams) -> None:
    server.project.folders = [
        os.path.abspath(path)
        for folder in server.workspace.folders.values()
        if (path := to_fs_path(folder.uri)) is not None
    ] or [os.path.abspath(root) for root in (server.workspace.root_path,) if root]
    watching = server.client_capabilities.workspace and server.client_capabilities.workspace.did_change_watched_files
    if watching and watching.dynamic_registration:
        server.client_register_capability(
            types.RegistrationParams([
                types.Registration(
                    "flint-files",
                    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")]),
                )
            ])
        )  # fmt: skip
    gc.collect()
    gc.freeze()  # what is there to stay need not be looked at again and again
    server.settle_later(0)


@server.feature(types.SHUTDOWN)
@_logged
def _shut_down(params: None) -> None:
    server.end()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
@_logged
def _opened(params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    path = server.path_of(document.uri)
    server.uris[path], server.versions[path] = document.uri, document.version
    server.open[path] = Analysis(path, Buffer(document.text, server.encoding))
    server.look_soon(path)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
@_logged
def _changed(params: types.DidChangeTextDocumentParams) -> None:
    path = server.path_of(params.text_document.uri)
    analysis = server.open.get(path)
    if analysis is None:
        return
    server.versions[path] = params.text_document.version
    for change in params.content_changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start = server.offset(path, change.range.start)
            analysis.edit(start, max(start, server.offset(path, change.range.end)), change.text)
        else:
            analysis.set_text(Buffer(change.text, server.encoding))
    server.look_soon(path)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
@_logged
def _saved(params: types.DidSaveTextDocumentParams) -> None:
    _on_disk([params.text_document.uri])


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
@_logged
def _closed(params: types.DidCloseTextDocumentParams) -> None:
    path = server.path_of(params.text_document.uri)
    for known in (server.open, server.versions, server._said):
        known.pop(path, None)
    if not any(path.startswith(os.path.join(folder, "")) for folder in server.project.folders):
        server._publish(path, [])
    server.settle_later(0)


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
@_logged
def _watched(params: types.DidChangeWatchedFilesParams) -> None:
    _on_disk([change.uri for change in params.changes])


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
@_logged
def _folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
    gone = {os.path.abspath(path) for one in params.event.removed if (path := to_fs_path(one.uri))}
    new = [os.path.abspath(path) for one in params.event.added if (path := to_fs_path(one.uri))]
    server.project.folders = [folder for folder in server.project.folders if folder not in gone] + new
    server.settle_later(0)


def _on_disk(uris: Sequence[str]) -> None:
    """Files have changed on disk: one that says how others are judged makes all be judged anew."""
    names = {os.path.basename(server.path_of(uri)) for uri in uris}
    if not names.isdisjoint(_OTHER_FILES) or any(not os.path.exists(server.path_of(uri)) for uri in uris):
        server._told.clear()
        server.project.forget()
        for path, analysis in server.open.items():
            analysis.set_text(analysis.buffer)
            server.look_soon(path)
    server.settle_later()


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL]))
@_logged
def _actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
    path = server.path_of(params.text_document.uri)
    return list(server.actions(path, params)) if path in server.open else None


@server.feature(types.TEXT_DOCUMENT_HOVER)
@_logged
def _hover(params: types.HoverParams) -> types.Hover | None:
    path = server.path_of(params.text_document.uri)
    analysis = server.open.get(path)
    carrier = likely_carrier(path, analysis.buffer.text) if analysis is not None else None
    if analysis is None or carrier is None:
        return None
    server.look_now(path)
    offset = server.offset(path, params.position)
    told = hover(analysis.buffer, offset, carrier, analysis.documents, analysis.index_at(offset))
    if told is None:
        return None
    return types.Hover(
        types.MarkupContent(types.MarkupKind.Markdown, told.markdown), range_of(analysis.buffer, told.span)
    )


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION,
    types.CompletionOptions(trigger_characters=[".", ":", "'", "=", " "], resolve_provider=True),
)
@_logged
def _complete(params: types.CompletionParams) -> types.CompletionList | None:
    path = server.path_of(params.text_document.uri)
    if path not in server.open:
        return None
    return types.CompletionList(False, server.complete(path, server.offset(path, params.position)))


@server.feature(types.COMPLETION_ITEM_RESOLVE)
@_logged
def _resolve(item: types.CompletionItem) -> types.CompletionItem:
    data = item.data
    if isinstance(data, dict) and (told := describe(str(data.get("key")), int(data.get("index", 0)))) is not None:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, told)
    return item


def run_server() -> None:
    """Serve one editor over standard input and output until it says goodbye."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by chance would be taken for an answer
    server.start_io(stdin, stdout)
