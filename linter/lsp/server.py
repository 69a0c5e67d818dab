"""`flint lsp`: the language server, which serves the results of the package's other modules over the protocol.

Shortly after the last change of a file, the whole file is checked, and a moment later all files of the open folders,
with what charts and kustomizations render to.
Both run in one background thread, so that requests about a location are answered meanwhile. A change cancels checks
of the older text.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from threading import Event
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import from_fs_path, to_fs_path

from flink_flint.linter import __version__
from flink_flint.linter.config.flint_config import NAMES
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.lsp import completion
from flink_flint.linter.lsp.code_actions import Action, acceptance_of, all_safe_fixes, fix_of
from flink_flint.linter.lsp.cursor import spot_at
from flink_flint.linter.lsp.diagnostics import diagnostic, range_of, text_edit
from flink_flint.linter.lsp.hover import hover
from flink_flint.linter.lsp.open_document import Checked, OpenFile, likely_format, source_of
from flink_flint.linter.lsp.option_markdown import describe
from flink_flint.linter.lsp.text_buffer import UTF_16, Buffer
from flink_flint.linter.lsp.workspace import Project, ProjectResults, options_for
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding

WAIT = 0.15
"""The number of seconds that a file must be unchanged before the server checks it."""
QUIET = 0.4
"""The number of seconds that all files must be unchanged before the server checks all of them."""

FIX_ALL = "source.fixAll.flint"
_KINDS = {
    "option": types.CompletionItemKind.Property,
    "mapping": types.CompletionItemKind.Module,
    "value": types.CompletionItemKind.EnumMember,
    "default": types.CompletionItemKind.Value,
}
_OTHER_FILES = (
    *NAMES, "pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "build.sbt", "requirements.txt",
    "Dockerfile", "dockerfile", "Containerfile", "Chart.yaml", "kustomization.yaml", "kustomization.yml",
    "Kustomization", "zoo.cfg", "masters", "workers", "slaves", ".gitignore",
)  # fmt: skip
"""Files that affect how others are checked."""

Handler = TypeVar("Handler", bound=Callable[..., Any])
Result = TypeVar("Result")


def _logged(handler: Handler) -> Handler:
    """Wrap a function so that an error in it is logged and the response is empty."""

    @wraps(handler)
    def guarded(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        except Exception as error:
            server.report_server_error(error, None)
            return None

    return guarded  # type: ignore[return-value]


class _Protocol(LanguageServerProtocol):
    """The protocol without the texts that pygls keeps, because they split lines differently and shift edits."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None


class Server(LanguageServer):
    """The language server, with the files that are open in the editor."""

    def __init__(self) -> None:
        super().__init__("flint", __version__, max_workers=1, protocol_cls=_Protocol)
        self.project = Project()
        """The open folders and files; used by the background thread only, except for `folders`."""
        self.open: dict[str, OpenFile] = {}
        """The open files by path."""
        self.documents: dict[str, list[Document]] = {}
        """The documents of files by path, as of the last check of all files."""
        self.shown: dict[str, bool] = {}
        """Whether a diagnostic is shown, by path."""
        self._reported: set[str] = set()
        self._background = ThreadPoolExecutor(1)
        self._checking_all: asyncio.Task[None] | None = None
        self._is_reporting = False
        self._is_over = False

    @property
    def encoding(self) -> str:
        """The position encoding that the editor and the server have agreed on."""
        agreed = self.server_capabilities.position_encoding
        return str(agreed.value if isinstance(agreed, types.PositionEncodingKind) else agreed or UTF_16)

    # -- messages

    def complain(self, error: Exception) -> None:
        """Show an error about a `flint.toml` or baseline, but only once until one of these files changes."""
        message = str(error)
        if message not in self._reported:
            self._reported.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"flint: {message}"))

    def log(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Write a message to the editor's log for this server."""
        self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an internal error and continue."""
        if self._is_reporting or self._is_over:
            return  # the editor no longer reads it
        import traceback

        self._is_reporting = True
        try:
            self.log("flint itself failed: " + "".join(traceback.format_exception(error)))
        finally:
            self._is_reporting = False

    def end(self) -> None:
        """Stop all checks at the end of the editor's session."""
        self._is_over = True
        for task in (self._checking_all, *(file.check for file in self.open.values())):
            if task is not None:
                task.cancel()
        self._background.shutdown(wait=False, cancel_futures=True)

    # -- files

    def path_of(self, uri: str) -> str:
        """Return the path of a document; its URI if it has no path, such as before it is first saved."""
        path = to_fs_path(uri)
        return os.path.abspath(path) if path else uri

    def files(self, path: str) -> tuple[Buffer, Sequence[Document]] | None:
        """Return the text and the documents of a file as of the last check; None for an unknown file."""
        documents = self.documents.get(path, [])
        if (file := self.open.get(path)) is not None:
            return file.checked.buffer, file.checked.documents or documents
        return (Buffer(documents[0].text, self.encoding), documents) if documents else None

    # -- checking

    async def in_background(self, work: Callable[..., Result], *arguments: Any) -> Result | None:
        """Run `work` in the background thread and return its result; if it fails, report the error and return None."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._background, work, *arguments)
        except ValueError as error:
            self.complain(error)
        except Exception as error:
            self.report_server_error(error, None)
        return None

    def check_later(self, file: OpenFile, seconds: float = WAIT) -> None:
        """Check an open file after `seconds` without a further change, and later check all files."""
        if file.check is not None:
            file.check.cancel()
        file.check = asyncio.get_running_loop().create_task(self._check(file, seconds))
        self.check_all_later()

    async def _check(self, file: OpenFile, seconds: float) -> None:
        await asyncio.sleep(seconds)
        found = await self.in_background(self.project.check, file.path, file.buffer, tuple(file.others))
        file.checked = found or Checked(file.buffer)
        if not file.checked.is_preliminary:
            self._publish(file.path, file.checked.findings)

    async def checked(self, path: str) -> Checked | None:
        """Wait for the check of an open file's current text; return its result, or None if there is none."""
        while (file := self.open.get(path)) is not None and (pending := self._pending(file)) is not None:
            await asyncio.wait([pending])  # a change cancels it, and then there is a new one
        return file.checked if file is not None and file.checked.buffer is file.buffer else None

    def _pending(self, file: OpenFile) -> asyncio.Task[None] | None:
        """Return the check that the findings of a file's current text wait for; None if they are known."""
        if file.check is not None and not file.check.done():
            return file.check
        waits = file.checked.is_preliminary or file.checked.is_rendered
        return self._checking_all if waits and self._checking_all and not self._checking_all.done() else None

    def forget(self) -> None:
        """Discard everything cached and check all files again."""
        self._reported.clear()
        self._background.submit(self.project.forget)
        for file in self.open.values():
            file.others = []
            self.check_later(file, 0)

    def check_all_later(self, seconds: float = QUIET) -> None:
        """Check all files after `seconds` without a further change."""
        if self._checking_all is not None:
            self._checking_all.cancel()
        if not self._is_over:
            self._checking_all = asyncio.get_running_loop().create_task(self._check_all(seconds))

    async def _check_all(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        buffers = {path: file.buffer for path, file in self.open.items()}
        texts = {path: buffer.text for path, buffer in buffers.items()}
        is_over = Event()
        try:
            found = await self.in_background(self.project.check_all, texts, is_over.is_set)
        finally:
            is_over.set()  # the rest of a canceled check is not needed
        if found is not None:
            self._show_results(found, buffers)
        else:
            self._show_preliminary()

    def _show_preliminary(self) -> None:
        """Show what checking open files alone finds, since checking all files has failed, which is reported."""
        for path, file in self.open.items():
            if file.checked.is_preliminary:
                file.checked = file.checked._replace(is_preliminary=False)
                self._publish(path, file.checked.findings)

    def _show_results(self, found: ProjectResults, buffers: Mapping[str, Buffer]) -> None:
        """Show the results of checking all files."""
        self.documents = {path: [one.document for one in judged] for path, judged in found.judged.items() if judged}
        for problem in found.problems:
            if problem not in self._reported:
                self._reported.add(problem)
                self.log(problem, types.MessageType.Warning)
        for path, file in self.open.items():
            if path not in buffers:
                continue  # it has been opened meanwhile
            file.others = found.from_others.get(path, [])
            file.checked = Checked(
                buffers[path], found.judged.get(path, ()), found.findings.get(path, ()), path in found.rendered
            )
        for path in {*found.findings, *self.shown, *self.open}:
            self._publish(path, found.findings.get(path, ()))

    @_logged
    def _publish(self, path: str, findings: Sequence[Finding]) -> None:
        file = self.open.get(path)
        found = [one for finding in findings if (one := diagnostic(finding, self.files)) is not None]
        if not found and file is None and not self.shown.get(path):
            return
        self.shown[path] = bool(found)
        uri = file.uri if file is not None else from_fs_path(path)
        if uri is not None:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, found, version=file.version if file is not None else None)
            )

    # -- requests about a location

    def actions(self, path: str, params: types.CodeActionParams, checked: Checked) -> Iterator[types.CodeAction]:
        """Yield code actions for the findings in a range of a text that has just been checked."""
        buffer = checked.buffer
        source = source_of(path, buffer.text)
        if source is None:
            return
        requested = params.context.only
        check_with = self.project.report_with if checked.is_rendered else partial(_alone, options=options_for(path))
        start, end = (buffer.offset(one.line, one.character) for one in (params.range.start, params.range.end))
        within = [one for one in checked.findings if one.span.start <= end and start <= one.span.end]
        if within and _is_required(types.CodeActionKind.QuickFix, requested):
            documents = source.file_format.read(path, source.data)
            for finding in within:
                fixing = fix_of(finding, source, documents, check_with)
                if fixing is not None:
                    yield self._action(path, buffer, fixing, types.CodeActionKind.QuickFix, finding)
            for finding in within:
                accepting = acceptance_of(finding, source, buffer, documents)
                if accepting is not None:
                    yield self._action(path, buffer, accepting, types.CodeActionKind.QuickFix, finding)
        if requested and _is_required(FIX_ALL, requested):
            together = self.project.with_others(source) if checked.is_rendered else ([source], options_for(path))
            fixing = all_safe_fixes(*together)
            if fixing is not None:
                yield self._action(path, buffer, fixing, FIX_ALL, None)

    def _action(
        self, path: str, buffer: Buffer, action: Action, kind: str, finding: Finding | None
    ) -> types.CodeAction:
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
        """Return edits of an open file, for its current version if the editor supports versions."""
        file = self.open[path]
        workspace = self.client_capabilities.workspace
        known = workspace.workspace_edit if workspace is not None else None
        if known is None or not known.document_changes:
            return types.WorkspaceEdit(changes={file.uri: edits})
        document = types.OptionalVersionedTextDocumentIdentifier(file.uri, file.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])

    def complete(self, file: OpenFile, position: types.Position) -> list[types.CompletionItem]:
        """Return the completions for the key or value at a position."""
        buffer = file.buffer
        file_format = likely_format(file.path, buffer.text)
        if file_format is None:
            return []
        offset = buffer.offset(position.line, position.character)
        documents = file.documents
        spot = spot_at(buffer, offset, file_format, documents)
        if spot is None:
            return []
        index = file.index_at(offset)
        written = [entry.key for document in documents for entry in document.entries]
        where = range_of(buffer, spot.span)
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


def _alone(source: Source, options: Options) -> Report:
    return check([source], options)


def _is_required(kind: str, requested: Sequence[str] | None) -> bool:
    """Return whether an editor requests actions of a kind: `requested` has kinds or their prefixes; None means all."""
    return not requested or any(kind == one or kind.startswith(f"{one}.") for one in map(_word, requested))


def _word(kind: str | types.CodeActionKind) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


server = Server()


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
    gc.freeze()  # objects that stay need no further garbage collection
    server.check_all_later(0)


@server.feature(types.SHUTDOWN)
@_logged
def _shut_down(params: None) -> None:
    server.end()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
@_logged
def _opened(params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    path = server.path_of(document.uri)
    file = OpenFile(path, document.uri, document.version, Buffer(document.text, server.encoding))
    server.open[path] = file
    server.check_later(file, 0)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
@_logged
def _changed(params: types.DidChangeTextDocumentParams) -> None:
    file = server.open.get(server.path_of(params.text_document.uri))
    if file is None:
        return
    file.version = params.text_document.version
    for change in params.content_changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            places = (change.range.start, change.range.end)
            start, end = (file.buffer.offset(place.line, place.character) for place in places)
            file.edit(start, max(start, end), change.text)
        else:
            file.edit(0, len(file.buffer.text), change.text)
    server.check_later(file)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
@_logged
def _saved(params: types.DidSaveTextDocumentParams) -> None:
    _on_disk([params.text_document.uri])


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
@_logged
def _closed(params: types.DidCloseTextDocumentParams) -> None:
    path = server.path_of(params.text_document.uri)
    file = server.open.pop(path, None)
    if file is not None and file.check is not None:
        file.check.cancel()
    if not any(path.startswith(os.path.join(folder, "")) for folder in server.project.folders):
        server._publish(path, [])
    server.check_all_later(0)


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
    server.check_all_later(0)


def _on_disk(uris: Sequence[str]) -> None:
    """Check all files because some have changed on disk; from scratch if one of these affects how others are
    checked."""
    names = {os.path.basename(server.path_of(uri)) for uri in uris}
    if not names.isdisjoint(_OTHER_FILES) or any(not os.path.exists(server.path_of(uri)) for uri in uris):
        server.forget()
    server.check_all_later()


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL]))
async def _actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
    path = server.path_of(params.text_document.uri)
    checked = await server.checked(path)
    if checked is None:
        return None
    if not checked.is_rendered:
        return _actions_for(path, params, checked)
    # Proving a fix renders the chart again, which takes a while.
    found = await server.in_background(_actions_for, path, params, checked)
    file = server.open.get(path)
    return found if file is not None and file.buffer is checked.buffer else None


@_logged
def _actions_for(path: str, params: types.CodeActionParams, checked: Checked) -> list[types.CodeAction]:
    return list(server.actions(path, params, checked))


@server.feature(types.TEXT_DOCUMENT_HOVER)
@_logged
def _hover(params: types.HoverParams) -> types.Hover | None:
    file = server.open.get(server.path_of(params.text_document.uri))
    file_format = likely_format(file.path, file.buffer.text) if file is not None else None
    if file is None or file_format is None:
        return None
    buffer = file.buffer
    offset = buffer.offset(params.position.line, params.position.character)
    hovered = hover(buffer, offset, file_format, file.documents, file.index_at(offset))
    if hovered is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, hovered.markdown), range_of(buffer, hovered.span))


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION,
    types.CompletionOptions(trigger_characters=[".", ":", "'", "=", " "], resolve_provider=True),
)
@_logged
def _complete(params: types.CompletionParams) -> types.CompletionList | None:
    file = server.open.get(server.path_of(params.text_document.uri))
    return None if file is None else types.CompletionList(False, server.complete(file, params.position))


@server.feature(types.COMPLETION_ITEM_RESOLVE)
@_logged
def _resolve(item: types.CompletionItem) -> types.CompletionItem:
    data = item.data
    if isinstance(data, dict) and (hovered := describe(str(data.get("key")), int(data.get("index", 0)))) is not None:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, hovered)
    return item


def run_server() -> None:
    """Serve one editor over standard input and output until it exits."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything printed by accident would be read as a response
    server.start_io(stdin, stdout)
