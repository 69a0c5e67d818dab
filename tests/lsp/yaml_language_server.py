"""A client for yaml-language-server over its standard input and output, like an editor."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import Any

SERVER = Path(sys.prefix) / "node-editor" / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
RETRY = 120
"""Seconds after which an unresponsive server is considered dead."""


class YamlLanguageServer:
    """The running server; use it in a `with` statement."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            ["node", str(SERVER), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._said: Queue[dict[str, Any]] = Queue()
        self._number = 0
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> YamlLanguageServer:
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": self.folder.as_uri(),
                "capabilities": {
                    "textDocument": {
                        "completion": {"completionItem": {"snippetSupport": True}},
                        "hover": {"contentFormat": ["plaintext"]},
                        "publishDiagnostics": {"relatedInformation": True},
                    },
                    "workspace": {"configuration": False},
                },
            },
        )
        self._tell("initialized", {})
        # No schema catalogue from the network, and none of Kubernetes: only the first line of a file counts.
        store = {"schemaStore": {"enable": False}, "kubernetesCRDStore": {"enable": False}}
        self._tell("workspace/didChangeConfiguration", {"settings": {"yaml": {"validate": True, **store}}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tell("exit", None)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def diagnostics(self, name: str, text: str) -> list[str]:
        """Return the server's diagnostics for a text: the line from 1, and the message."""
        uri = self._open(name, text)
        while uri not in self._diagnostics:
            self._take(self._said.get(timeout=RETRY))
        return [f"{found['range']['start']['line'] + 1}: {found['message']}" for found in self._diagnostics[uri]]

    def completions(self, name: str, text: str) -> dict[str, str]:
        """Return the server's completions at `|` in the text: labels, and what each inserts."""
        uri, position = self._open_at(name, text)
        found = self._ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
        items = found["items"] if isinstance(found, dict) else found
        return {item["label"]: item.get("textEdit", {}).get("newText", item.get("insertText", "")) for item in items}

    def hover(self, name: str, text: str) -> str:
        """Return the server's hover text at `|` in the text."""
        uri, position = self._open_at(name, text)
        found = self._ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        contents = found["contents"] if found else ""
        return str(contents["value"] if isinstance(contents, dict) else contents)

    def _open_at(self, name: str, text: str) -> tuple[str, dict[str, int]]:
        before, _, after = text.partition("|")
        return self._open(name, before + after), {
            "line": before.count("\n"),
            "character": len(before) - before.rfind("\n") - 1,
        }

    def _open(self, name: str, text: str) -> str:
        self._number += 1
        uri = (self.folder / f"{self._number}-{name}").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def _ask(self, method: str, params: object) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._said.get(timeout=RETRY)
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]
            self._take(message)

    def _tell(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self._diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})

    def _send(self, message: dict[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._said.put(json.loads(stream.read(length)))
