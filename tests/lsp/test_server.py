"""`flint lsp` over the protocol: a client in a separate process, like an editor."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from itertools import count
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.workspace import Workspace
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from flink_flint.linter.lsp import server
from flink_flint.linter.lsp.open_document import Checked, OpenFile
from flink_flint.linter.lsp.server import Server
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.lsp.workspace import Project
from flink_flint.linter.model.finding import Finding

pytestmark = pytest.mark.asyncio(loop_scope="module")

NUMBERS = count()
COMMAND = [sys.executable, "-m", "flink_flint", "lsp"]


@pytest_lsp.fixture(config=ClientServerConfig(server_command=COMMAND), scope="module")  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[None]:
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    lsp_client.published = defaultdict(asyncio.Queue)  # type: ignore[attr-defined]

    def published(params: types.PublishDiagnosticsParams) -> None:
        lsp_client.diagnostics[params.uri] = params.diagnostics
        lsp_client.published[params.uri].put_nowait(params)  # type: ignore[attr-defined]

    # Replaces the client's own, which keeps no version.
    lsp_client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
    root = tmp_path_factory.mktemp("open")
    (root / "flint.toml").write_text('flink-version = "1.20"\n', encoding="utf-8")
    folder = types.WorkspaceFolder(root.as_uri(), "open")
    await lsp_client.initialize_session(
        types.InitializeParams(client_capabilities("visual-studio-code"), workspace_folders=[folder])
    )
    lsp_client.root = root  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


class Open:
    """A file that is open in the editor."""

    def __init__(self, client: LanguageClient, name: str, text: str) -> None:
        folder: Path = client.root / f"case-{next(NUMBERS)}"  # type: ignore[attr-defined]
        self.client = client
        self.path = folder / name
        self.path.parent.mkdir(parents=True)
        self.uri = self.path.as_uri()
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = client.published[self.uri]  # type: ignore[attr-defined]
        self.version = 1
        self.text = text
        self._row, self._column = 0, 0
        before, mark, after = text.partition("‸")
        if mark:
            self.text = before + after
            self._row = before.count("\n")
            self._column = units(before.rpartition("\n")[2])

    @property
    def identity(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    @property
    def cursor(self) -> types.Position:
        return types.Position(self._row, self._column)

    async def shown(self) -> Sequence[types.Diagnostic]:
        """Return the next diagnostics of the last version sent."""
        while True:
            output = await self.published()
            if output.version == self.version:
                return output.diagnostics

    async def published(self) -> types.PublishDiagnosticsParams:
        """Return the next diagnostics of any version."""
        return await self._published.get()

    def forget_shown(self) -> None:
        """Discard diagnostics that have not been read."""
        while not self._published.empty():
            self._published.get_nowait()

    async def open(self) -> Sequence[types.Diagnostic]:
        item = types.TextDocumentItem(self.uri, "yaml", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.shown()

    def send(self, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Change the text in the editor."""
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))

    def type(self, char: str) -> None:
        """Type a character at the cursor."""
        at = offset(self.text, self.cursor)
        self.send(types.TextDocumentContentChangePartial(types.Range(self.cursor, self.cursor), char))
        self.text = self.text[:at] + char + self.text[at:]
        self._row, self._column = (self._row + 1, 0) if char == "\n" else (self._row, self._column + units(char))

    async def change(self, *changes: types.TextDocumentContentChangeEvent) -> Sequence[types.Diagnostic]:
        self.send(*changes)
        return await self.shown()

    async def actions(self, *only: str) -> Sequence[types.CodeAction]:
        """Return the code actions for the whole file."""
        everywhere = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        context = types.CodeActionContext([], only=list(only) or None)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(self.identity, everywhere, context)
        )
        return [one for one in found or () if isinstance(one, types.CodeAction)]

    def after(self, action: types.CodeAction) -> str:
        """Return the text after applying an action."""
        assert action.edit is not None
        (change,) = action.edit.document_changes or ()
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (self.uri, self.version)
        text = self.text
        for edit in sorted(change.edits, key=lambda one: (one.range.start.line, one.range.start.character))[::-1]:
            assert isinstance(edit, types.TextEdit)
            start, end = (offset(self.text, place) for place in (edit.range.start, edit.range.end))
            text = text[:start] + edit.new_text + text[end:]
        return text

    async def hover(self) -> str:
        """Return the hover text at the cursor; empty for none."""
        found = await self.client.text_document_hover_async(types.HoverParams(self.identity, self.cursor))
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else ""

    async def completions(self) -> dict[str, types.CompletionItem]:
        """Return the completions at the cursor, by label."""
        params = types.CompletionParams(self.identity, self.cursor)
        found = await self.client.text_document_completion_async(params)
        assert isinstance(found, types.CompletionList)
        return {item.label: item for item in found.items}

    def completed(self, item: types.CompletionItem) -> str:
        """Return the text after applying a completion."""
        assert isinstance(item.text_edit, types.TextEdit)
        start, end = (offset(self.text, place) for place in (item.text_edit.range.start, item.text_edit.range.end))
        return self.text[:start] + item.text_edit.new_text + self.text[end:]


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def offset(text: str, place: types.Position) -> int:
    """Return the offset of a position counted in units of UTF-16."""
    lines = text.splitlines(keepends=True)
    if place.line >= len(lines):
        return len(text)
    column = len(lines[place.line].encode("utf-16-le")[: 2 * place.character].decode("utf-16-le"))
    return sum(map(len, lines[: place.line])) + column


def codes(diagnostics: Sequence[types.Diagnostic]) -> set[str]:
    return {str(one.code) for one in diagnostics}


def under(text: str, diagnostic: types.Diagnostic) -> str:
    """Return the text that a diagnostic underlines."""
    return text[offset(text, diagnostic.range.start) : offset(text, diagnostic.range.end)]


@pytest.mark.slow
async def test_a_file_is_judged_while_it_is_typed(client: LanguageClient) -> None:
    file = Open(client, "flink-conf.yaml", "blob.storage.directory: /tmp/blobs\nparallelism.default: 2\n")
    (found,) = [one for one in await file.open() if one.code == "FLK101"]
    assert under(file.text, found) == "/tmp/blobs"
    assert found.severity == types.DiagnosticSeverity.Warning
    assert found.source == "flint"
    assert found.code_description is not None
    assert found.code_description.href.endswith("/blob-storage-in-tmp.md")
    assert found.data is not None
    assert len(found.data["fingerprint"]) == 32
    # One character at a time, as typed.
    for place, char in enumerate("x/"):
        here = types.Position(0, 24 + place)
        shown = await file.change(types.TextDocumentContentChangePartial(types.Range(here, here), char))
    assert "FLK101" not in codes(shown)
    shown = await file.change(types.TextDocumentContentChangeWholeDocument("blob.storage.directory: /tmp/again\n"))
    assert "FLK101" in codes(shown)
    client.text_document_did_close(types.DidCloseTextDocumentParams(file.identity))


SCRIPT = """\
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE orders (id INT, at_ TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'orders');
CREATE TABLE takings (n BIGINT) WITH ('connector' = 'print');
INSERT INTO takings SELECT COUNT(*)‸ FROM orders;
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "typed"),
    [
        ("flink-conf.yaml", "rest.port: 1\n‸rest.address: a\n", "blob.storage.directory: /tmp/x\nrest.port x\n"),
        ("config.yaml", "taskmanager:\n  numberOfTaskSlots: x‸\nrest: {port: 1}\n", "\n  memory:\n    proces.size: 1z"),
        ("config.yaml", "rest.port: 1\nrest.address: ‸\n", "[{"),
        ("job.properties", "rest.port=x\nrest.address=a‸\ntaskmanager.numberOfTaskSlots=2\n", "\nakka.framesize=1"),
        ("job.sql", SCRIPT, ", id"),
    ],
)  # fmt: skip
async def test_what_is_typed_has_the_findings_of_a_check(
    client: LanguageClient, name: str, text: str, typed: str
) -> None:
    file = Open(client, name, text)
    await file.open()
    for char in typed:
        file.type(char)
    shown = await file.shown()
    assert shown
    file.path.write_text(file.text, encoding="utf-8")
    command = [sys.executable, "-m", "linter", "check", "--output-format", "json", str(file.path)]
    done = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    wanted = json.loads((await done.communicate())[0])["findings"]
    assert sorted(placed(one) for one in shown) == sorted(
        (one["code"], one["start"]["line"], one["start"]["column"], one["end"]["line"], one["end"]["column"])
        for one in wanted
    )


def placed(diagnostic: types.Diagnostic) -> tuple[object, ...]:
    """Return what identifies a diagnostic and its location, in a text without surrogate pairs."""
    start, end = diagnostic.range.start, diagnostic.range.end
    return diagnostic.code, start.line + 1, start.character + 1, end.line + 1, end.character + 1


def long_text(value: str) -> str:
    lines = [f"metrics.reporter.r{number}.interval: {number} s" for number in range(3_000)]
    return "\n".join([f"parallelism.default: {value}", *lines, ""])


@pytest.mark.slow
async def test_a_long_file_blocks_no_question(client: LanguageClient) -> None:
    file = Open(client, "flink-conf.yaml", long_text("‸2"))
    assert not await file.open()
    file.type("x")
    shown = asyncio.ensure_future(file.shown())
    key = types.HoverParams(file.identity, types.Position(0, 5))
    assert "`parallelism.default`" in str(await client.text_document_hover_async(key))
    assert not shown.done()
    assert [under(file.text, one) for one in await shown] == ["x2"]


@pytest.mark.slow
async def test_a_check_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are answered while it runs, and its result is never shown after the text has changed."""
    running = Server()
    monkeypatch.setattr(server, "server", running)
    shown: list[types.PublishDiagnosticsParams] = []
    monkeypatch.setattr(running, "text_document_publish_diagnostics", shown.append)
    monkeypatch.setattr(running, "check_all_later", lambda: None)  # its result would be shown as well
    has_begun, may_end = Event(), Event()

    def slow(path: str, buffer: Buffer, others: Sequence[Finding]) -> Checked:
        has_begun.set()
        may_end.wait()
        return Project.check(running.project, path, buffer, others)

    monkeypatch.setattr(running.project, "check", slow)
    file = OpenFile("/nowhere/flink-conf.yaml", "file:///nowhere/flink-conf.yaml", 1, Buffer(long_text("x1")))
    running.open[file.path] = file
    running.check_later(file, 0)
    stale = file.check
    await asyncio.to_thread(has_begun.wait)
    key = types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(0, 5))
    assert "`parallelism.default`" in str(server._hover(key))
    file.version = 2
    file.edit(0, len("parallelism.default: x1"), "parallelism.default: x2")
    running.check_later(file, 0)
    may_end.set()
    assert await running.checked(file.path) is file.checked
    running.end()
    assert stale is not None
    assert stale.cancelled()
    (output,) = shown
    assert output.version == 2
    assert ["'x2'" in one.message for one in output.diagnostics] == [True]


async def test_questions_about_what_was_just_typed(client: LanguageClient) -> None:
    file = Open(client, "deployment.yaml", RESOURCE.format("akka.framesize: 10m\n    ‸"))
    await file.open()
    for char in "rest.por":
        file.type(char)
    assert "rest.port" in await file.completions()
    for char in "t: 1":
        file.type(char)
    (fix,) = [one for one in await file.actions("quickfix") if one.title == "write pekko.framesize"]
    assert file.after(fix) == RESOURCE.format("pekko.framesize: 10m\n    rest.port: 1")


async def test_positions_count_units_of_utf_16(client: LanguageClient) -> None:
    text = "# 😀 für alle\r\nexecution.savepoint.path: 😀é\u2028x\r\n😀nokey: 1\r\nblob.storage.directory: /tmp/😀\r\n"
    file = Open(client, "flink-conf.yaml", text)
    (found,) = [one for one in await file.open() if one.code == "FLK101"]
    assert (found.range.start.line, found.range.start.character, found.range.end.character) == (3, 24, 31)
    here = types.Range(types.Position(3, 29), types.Position(3, 31))  # the two units of one character
    shown = await file.change(types.TextDocumentContentChangePartial(here, "é"))
    (found,) = [one for one in shown if one.code == "FLK101"]
    assert found.range.end.character == 30


async def test_a_fix_and_all_safe_fixes(client: LanguageClient) -> None:
    file = Open(
        client, "config.yaml", "akka.framesize: 10m\r\nmetrics.latency.interval: 1000\r\nweb.timeout: 60000\r\n"
    )
    shown = await file.open()
    assert [one.tags for one in shown if one.code == "FLK003"] == [(types.DiagnosticTag.Deprecated,)]
    fixes = {one.title: one for one in await file.actions("quickfix")}
    assert fixes["write pekko.framesize"].is_preferred
    assert codes(fixes["write pekko.framesize"].diagnostics or ()) == {"FLK003"}
    assert file.after(fixes["write pekko.framesize"]) == file.text.replace("akka", "pekko")
    (everything,) = await file.actions("source.fixAll.flint")
    assert file.after(everything).startswith("pekko.framesize: 10m\r\n")
    assert everything.diagnostics is None
    assert [one.title for one in await file.actions()] == list(fixes)


async def test_an_unsafe_fix_says_so(client: LanguageClient) -> None:
    file = Open(client, "flink-conf.yaml", "execution.checkpointing.interval: 10\nstate.checkpoints.dir: s3://a/b\n")
    await file.open()
    unsafe = [one for one in await file.actions("quickfix") if "changes what Flink does" in one.title]
    assert unsafe
    assert not any(one.is_preferred for one in unsafe)


@pytest.mark.parametrize(
    ("name", "text", "code", "comment"),
    [
        (
            "config.yaml",
            "blob:\n  storage:\n    directory: /tmp/x\n",
            "FLK101",
            "\n    # flint: ignore[blob-storage-in-tmp]\n",
        ),
        (
            "job.sql",
            "-- a job\nSET 'table.exec.state.ttl' = '0';\nSET 'no.such.key.x' = '1';\n",
            None,
            "-- flint: ignore[",
        ),
    ],
)
async def test_a_finding_is_accepted(
    client: LanguageClient, name: str, text: str, code: str | None, comment: str
) -> None:
    file = Open(client, name, text)
    shown = await file.open()
    accepting = [one for one in await file.actions("quickfix") if one.title.startswith("Accept")]
    assert bool(accepting) == bool(shown)
    for action in accepting:
        if code is None or f" {code} " in action.title:
            after = file.after(action)
            assert comment in after
            left = await file.change(types.TextDocumentContentChangeWholeDocument(after))
            assert not codes(left) & {action.title.split()[1]}
            break


@pytest.mark.parametrize(
    ("name", "text", "output"),
    [
        ("config.yaml", "taskmanager:\n  network:\n    mem‸ory:\n      fraction: 0.1\n", []),
        ("config.yaml", "taskmanager:\n  memory:\n    managed:\n      frac‸tion: 0.1\n",
         ["`taskmanager.memory.managed.fraction`", "`Float`", "`0.4`", "known to Flink", "FLK", "nightlies"]),
        ("config.yaml", "web.timeout: 10 m‸in\n", ["600 000 ms"]),
        ("flink-conf.yaml", "taskmanager.memory.process.size: 1‸g\n", ["1 073 741 824 bytes"]),
        ("flink-conf.yaml", "akka.frame‸size: 1m\n", ["old spelling", "pekko.framesize"]),
        ("flink-conf.yaml", "fs.s3a.secret.key: gehe‸im\n", []),
        ("config.yaml", "execution.runtime-mo‸de\n", ["`Enum`", "BATCH"]),
        ("job.properties", "parallelism.default=2\nrest.po‸rt=1\ntaskmanager.numberOfTaskSlots=2\n", ["`rest.port`"]),
        ("job.sql", "CREATE TABLE t (a INT) WITH ('connector' = 'print');\nSET 'table.exec.state.t‸tl' = '1 h';\n",
         ["`table.exec.state.ttl`", "`Duration`"]),
    ],
)  # fmt: skip
async def test_what_is_under_the_cursor(client: LanguageClient, name: str, text: str, output: list[str]) -> None:
    file = Open(client, name, text)
    await file.open()
    shown = await file.hover()
    assert bool(shown) == bool(output)
    assert [part for part in output if part not in shown] == []
    assert "geheim" not in shown


RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    {}
  job:
    parallelism: 2
"""
COMPOSE = """\
services:
  jobmanager:
    image: flink:1.20.1
    environment:
      - |
        FLINK_PROPERTIES=
        parallelism.default: 2
        {}
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-config
data:
  flink-conf.yaml: |
    parallelism.default: 2
    {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "label", "after"),
    [
        ("flink-conf.yaml", "taskm‸", "taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots: "),
        ("config.yaml", "rest.port: 1\ntaskmanager.num‸\n", "taskmanager.numberOfTaskSlots",
         "rest.port: 1\ntaskmanager.numberOfTaskSlots: \n"),
        ("config.yaml", "taskmanager:\n  memory:\n    proc‸\n  numberOfTaskSlots: 2\n", "process.size",
         "taskmanager:\n  memory:\n    process.size: \n  numberOfTaskSlots: 2\n"),
        ("config.yaml", "taskmanager:\n  mem‸\n  numberOfTaskSlots: 2\n", "memory",
         "taskmanager:\n  memory:\n  numberOfTaskSlots: 2\n"),
        ("config.yaml", "execution.runtime-mode: ‸\n", "BATCH", "execution.runtime-mode: BATCH\n"),
        ("config.yaml", "cluster:\n  evenly-spread-out-slots: ‸\n", "true",
         "cluster:\n  evenly-spread-out-slots: true\n"),
        ("flink-conf.yaml", "metrics.reporter.prom.‸\n", "metrics.reporter.prom.interval",
         "metrics.reporter.prom.interval: \n"),
        ("job.properties", "parallelism.default=2\nrest.p‸\ntaskmanager.numberOfTaskSlots=2\n", "rest.port",
         "parallelism.default=2\nrest.port=\ntaskmanager.numberOfTaskSlots=2\n"),
        ("job.sql", "CREATE TABLE t (a INT) WITH ('connector' = 'print');\nSET 'table.exec.state.t‸' = '1 h';\n",
         "table.exec.state.ttl",
         "CREATE TABLE t (a INT) WITH ('connector' = 'print');\nSET 'table.exec.state.ttl' = '1 h';\n"),
        ("deployment.yaml", RESOURCE.format("state.back‸"), "state.backend.type",
         RESOURCE.format("state.backend.type: ")),
        ("docker-compose.yml", COMPOSE.format("state.back‸"), "state.backend.type",
         COMPOSE.format("state.backend.type: ")),
        ("config-map.yaml", CONFIG_MAP.format("state.back‸"), "state.backend.type",
         CONFIG_MAP.format("state.backend.type: ")),
        ("docker-compose.yml", COMPOSE.format("a: 1").replace("image", "ima‸ge"), None, ""),
    ],
)  # fmt: skip
async def test_what_may_be_meant(client: LanguageClient, name: str, text: str, label: str | None, after: str) -> None:
    file = Open(client, name, text)
    await file.open()
    found = await file.completions()
    if label is None:
        assert not found
    else:
        assert file.completed(found[label]) == after


async def test_only_options_of_the_release_and_their_documentation(client: LanguageClient) -> None:
    file = Open(client, "deployment.yaml", RESOURCE.format("‸"))
    await file.open()
    found = await file.completions()
    assert "akka.framesize" not in found or found["akka.framesize"].tags == [types.CompletionItemTag.Deprecated]
    assert "execution.checkpointing.dir" not in found  # 1.18 has another name for it
    assert "state.checkpoints.dir" in found
    assert found["rest.port"].detail == "Integer, default 8081"
    resolved = await client.completion_item_resolve_async(found["state.checkpoints.dir"])
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "`state.checkpoints.dir`" in resolved.documentation.value


async def test_a_file_that_does_not_parse_still_has_diagnostics(client: LanguageClient) -> None:
    file = Open(client, "config.yaml", "blob.storage.directory: /tmp/x\nrest: [\n")
    assert "FLK101" in codes(await file.open())
    assert any(one.severity == types.DiagnosticSeverity.Error for one in client.diagnostics[file.uri])


async def test_a_file_of_others_is_left_alone(client: LanguageClient) -> None:
    file = Open(client, "notes.yaml", "shopping:\n  - milk\n")
    assert await file.open() == ()
    assert await file.hover() == ""
    assert await file.actions() == []


async def test_secrets_are_not_reported(client: LanguageClient) -> None:
    file = Open(
        client,
        "flink-conf.yaml",
        "security.ssl.rest.key-password: geheimnis-lang\nenv.java.opts: -Dpassword=geheimnis-lang\n",
    )
    await file.open()
    assert "geheimnis" not in repr(client.diagnostics[file.uri])


async def test_other_files_of_the_folder_take_part(client: LanguageClient) -> None:
    """A session job overlays its cluster, which is another file and not open."""
    cluster = RESOURCE.format("akka.framesize: 10m").replace("  job:\n    parallelism: 2\n", "")
    job = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata:\n  name: job\nspec:\n"
        "  deploymentName: orders\n  job:\n    jarURI: https://example.org/job.jar\n    parallelism: 2\n"
    )
    file = Open(client, "job.yaml", job)
    other = file.path.parent / "cluster.yaml"
    other.write_text(cluster, encoding="utf-8")
    await file.open()
    client.text_document_did_save(types.DidSaveTextDocumentParams(file.identity))
    while other.as_uri() not in client.diagnostics:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "FLK003" in codes(client.diagnostics[other.as_uri()])


CHART_FILES = {
    "Chart.yaml": "apiVersion: v2\nname: orders\nversion: 0.1.0\n",
    "templates/job.yaml": RESOURCE.format("{{- toYaml .Values.flinkConfiguration | nindent 4 }}"),
    "values.yaml": "flinkConfiguration:\n  jobmanager.rpc.port: '6123'\n",
}


def write_beside(file: Open, name: str, text: str) -> None:
    place = file.path.parent / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(text, encoding="utf-8")


AKKA = "  akka.framesize: 10m\n"


@pytest.mark.slow
async def test_the_values_of_a_chart_are_judged_as_they_are_rendered(client: LanguageClient) -> None:
    file = Open(client, "orders/values.yaml", CHART_FILES["values.yaml"])
    for name, text in CHART_FILES.items():
        write_beside(file, name, text)
    assert "FLK003" not in codes(await file.open())
    file.text = f"flinkConfiguration:\n{AKKA}"
    shown = await file.change(types.TextDocumentContentChangeWholeDocument(file.text))
    while "FLK003" not in codes(shown):  # until all files are checked
        shown = await file.shown()
    (found,) = [one for one in shown if one.code == "FLK003"]
    assert under(file.text, found) == "akka.framesize"
    (action,) = [one for one in await file.actions(types.CodeActionKind.QuickFix.value) if "Accept" not in one.title]
    assert file.after(action) == file.text.replace("akka", "pekko")


async def test_broken_flint_config_are_reported_and_nothing_breaks(client: LanguageClient) -> None:
    file = Open(client, "flink-conf.yaml", "blob.storage.directory: /tmp/x\n")
    flint_config = file.path.parent / "flint.toml"
    flint_config.write_text('flink-version = "1.20\n', encoding="utf-8")
    assert await file.open() == ()
    assert any("flint.toml" in message.message for message in client.messages)
    flint_config.write_text('flink-version = "1.20"\n', encoding="utf-8")
    file.forget_shown()
    client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams([types.FileEvent(flint_config.as_uri(), types.FileChangeType.Changed)])
    )
    assert "FLK101" in codes(await file.shown())


async def test_what_is_rendered_is_judged_alone_if_the_project_cannot_be_checked(client: LanguageClient) -> None:
    file = Open(client, "orders/values.yaml", f"flinkConfiguration:\n{AKKA}")
    for name, text in CHART_FILES.items():
        write_beside(file, name, text)
    other = Open(client, "flink-conf.yaml", "rest.port: 1\n")
    flint_config = other.path.parent / "flint.toml"
    flint_config.write_text('flink-version = "1.20\n', encoding="utf-8")
    await other.open()
    assert "FLK003" in codes(await file.open())
    flint_config.unlink()
    client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams([types.FileEvent(flint_config.as_uri(), types.FileChangeType.Deleted)])
    )


async def test_rules_of_your_own_count_as_they_are_now(client: LanguageClient) -> None:
    file = Open(client, "flink-conf.yaml", "parallelism.default: 4\n")
    flint_config = file.path.parent / "flint.toml"
    rule = '[[rule]]\ncode = "ACME009"\nseverity = "error"\noption = "parallelism.default"\n'
    flint_config.write_text(rule + 'above = 2\nmessage = "more than two"\n', encoding="utf-8")
    assert "more than two" in [one.message.partition("\n")[0] for one in await file.open()]
    for changed, says in (("above = 3", "more than three"), ("above = 4", None), ('above = "much"', None)):
        flint_config.write_text(f'{rule}{changed}\nmessage = "more than three"\n', encoding="utf-8")
        file.forget_shown()
        client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([types.FileEvent(flint_config.as_uri(), types.FileChangeType.Changed)])
        )
        # A result of the previous flint.toml may still be on its way, for the same version of the file.
        while [one.message.partition("\n")[0] for one in await file.shown() if one.code == "ACME009"] != (
            [says] if says else []
        ):
            pass
    while not any("no Flink release accepts 'much'" in message.message for message in client.messages):
        await client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
    flint_config.unlink()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server in this process, without an editor, that checks nothing by itself."""
    running = Server()
    monkeypatch.setattr(server, "server", running)
    monkeypatch.setattr(running, "check_all_later", Mock())
    return running


@pytest.mark.parametrize(("is_dynamic", "expected"), [(True, ["flint-files"]), (False, []), (None, [])])
async def test_files_are_watched_by_editors_that_can(
    alone: Server, is_dynamic: bool | None, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching = types.DidChangeWatchedFilesClientCapabilities(is_dynamic)
    workspace = None if is_dynamic is None else types.WorkspaceClientCapabilities(did_change_watched_files=watching)
    alone.protocol.client_capabilities = types.ClientCapabilities(workspace)
    alone.protocol._workspace = Workspace(tmp_path.as_uri())
    registered: list[types.RegistrationParams] = []
    monkeypatch.setattr(alone, "client_register_capability", registered.append)
    monkeypatch.setattr(server, "gc", Mock())
    server._initialized(types.InitializedParams())
    assert [one.id for params in registered for one in params.registrations] == expected
    assert alone.project.folders == [str(tmp_path)]
    assert alone.check_all_later.called  # type: ignore[attr-defined]


async def test_folders_come_and_go(alone: Server, tmp_path: Path) -> None:
    old, kept, new = (tmp_path / name for name in ("old", "kept", "new"))
    alone.project.folders = [str(old), str(kept)]
    removed, added = ([types.WorkspaceFolder(folder.as_uri(), folder.name)] for folder in (old, new))
    server._folders(types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added, removed)))
    assert alone.project.folders == [str(kept), str(new)]


async def test_a_file_that_was_not_open_may_be_closed(
    alone: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "flink-conf.yaml"
    alone.shown[str(path)] = True
    published: list[types.PublishDiagnosticsParams] = []
    monkeypatch.setattr(alone, "text_document_publish_diagnostics", published.append)
    server._closed(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(path.as_uri())))
    assert published == [types.PublishDiagnosticsParams(path.as_uri(), [])]


@pytest.mark.parametrize(
    ("name", "forgotten"), [("flink-conf.yaml", False), ("deleted.yaml", True), ("flint.toml", True)]
)
async def test_a_change_on_disk_that_affects_other_files_is_a_new_start(
    alone: Server, name: str, forgotten: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for existing in ("flink-conf.yaml", "flint.toml"):
        (tmp_path / existing).touch()
    forget = Mock()
    monkeypatch.setattr(alone, "forget", forget)
    server._saved(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier((tmp_path / name).as_uri())))
    assert forget.called == forgotten


async def test_nothing_went_wrong(client: LanguageClient) -> None:
    """Runs last: errors within the server would have been logged."""
    assert [one.message for one in client.log_messages if "failed" in one.message] == []
