"""`flint lsp` as a command: its exit, and its messages if it cannot start."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

DOCUMENT = {"uri": "file:///nowhere/flink-conf.yaml", "languageId": "yaml", "version": 1, "text": "rest.port: 1\n" * 9}


def framed(*messages: dict[str, object]) -> bytes:
    """Return messages with their LSP headers."""
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


@pytest.mark.slow
def test_it_ends_when_the_editor_says_goodbye() -> None:
    said = framed(
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    done = subprocess.run([sys.executable, "-m", "flink_flint", "lsp"], input=said, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"name":"flint"' in done.stdout.replace(b'": ', b'":')


@pytest.mark.slow
@pytest.mark.parametrize("said", [b"", None])
def test_it_ends_when_the_editor_is_gone(said: bytes | None) -> None:
    if said is None:
        said = framed(
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
            {"method": "initialized", "params": {}},
            {"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}},
        )
    done = subprocess.run([sys.executable, "-m", "flink_flint", "lsp"], input=said, capture_output=True, check=False)
    assert done.returncode == 0
    assert len(done.stderr) < 5_000


@pytest.mark.slow
def test_without_its_packages_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['pygls'] = None; "
        "sys.argv = ['flint', 'lsp']\nfrom flink_flint.linter.__main__ import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'flink-flint[lsp]'" in done.stderr
