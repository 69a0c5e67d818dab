"""From a keystroke in an editor to the diagnostics it then shows, over the protocol: one check of the whole file."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.lsp.server import WAIT
from tests.benchmarks.inputs import DEPLOYMENT, SEED, long_script, stock_folder
from tests.benchmarks.table import Table

LINES = (1_000, 3_000, 10_000)
KEYSTROKES = 8
TARGET = 100
"""Milliseconds from the end of the wait to the diagnostics, of the stock file."""

_RELEASE = "1.20"
_SIZES = {"Duration": "10 s", "MemorySize": "64 mb", "Integer": "4", "Long": "1000", "Double": "0.5", "Float": "0.5"}
_ENDLESS = (
    "metrics.reporter.reporter{}.interval: {} s",
    "metrics.reporter.reporter{}.port: 9{}",
    "containerized.taskmanager.env.NAME_{}: value-{}",
    "security.kerberos.krb5-conf.path.{}: /etc/krb5-{}.conf",
    "fs.s3a.bucket.b{}.endpoint: s3-{}.example.org",
    "table.exec.own-{}: {}",
)
"""Families of keys without end; of some no release knows anything."""


def settings(length: int) -> list[str]:
    """So many lines: options of a release with a value each, and members of families, with comments between."""
    chance = random.Random(SEED)
    lines = []
    for option in catalogue().keys(MINORS.index(_RELEASE)):
        if not option.templated and not option.deprecated:
            default = option.default if isinstance(option.default, (str, int, float)) else None
            value = str(default).lower() if isinstance(default, bool) else default
            value = value if value not in (None, "") and "$" not in str(value) else _SIZES.get(option.type)
            if value is not None and not set(str(value)) & set("#:{}[]&*!|>'\"%@`,"):
                lines.append(f"{option.key}: {value}")
    while len(lines) < length - length // 50:
        lines.append(chance.choice(_ENDLESS).format(len(lines), len(lines)))
    chance.shuffle(lines)
    for place in range(0, length, 50):
        lines.insert(place, f"# Settings of group {place}")
    return lines[:length]


def nested(length: int) -> list[str]:
    """So many lines, in blocks of nested keys."""
    lines = []
    for number in range(length // 5):
        lines += [f"block{number}:", "  metrics:", f"    interval: {number} s", "    port: 9249", "  enabled: true"]
    return ["parallelism:", "  default: 2", *lines][:length]


def manifest(length: int) -> list[str]:
    """So many lines of FlinkDeployments."""
    text = "---\n".join(DEPLOYMENT.format(number=number, slots=2, parallelism=4) for number in range(length // 40))
    return text.splitlines()[:length]


def editor(table: Table, folder: Path) -> None:
    """The stock file and long files of each kind, with a line being typed in their midst."""
    stock = (stock_folder(folder / "stock-in-editor") / "config.yaml").read_text(encoding="utf-8").splitlines()
    _measure(table, folder, "config.yaml", stock, "\nrest.client", TARGET)
    for length in LINES:
        lines = settings(length)
        _measure(table, folder, "flink-conf.yaml", lines, "\nrest.client")
        _measure(table, folder, "config.yaml", lines, "\nrest.client")
        _measure(table, folder, "nested/config.yaml", nested(length), "\n  memory:")
        _measure(table, folder, "job.properties", [line.replace(": ", "=", 1) for line in lines], "\nrest.client")
        _measure(table, folder, "deployments.yaml", manifest(length), "\n    rest.client")
        _measure(table, folder, "job.sql", long_script(length), "\n  AND price")


def _measure(
    table: Table, folder: Path, name: str, lines: Sequence[str], typed: str, target: float | None = None
) -> None:
    place = folder / "editor" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    (place.parent / "flint.toml").write_text(f'flink-version = "{_RELEASE}"\n', encoding="utf-8")
    waited, busy = zip(*asyncio.run(_typing(place, lines, typed)), strict=True)
    table.figure(f"keystroke, {len(lines)} lines of {name}", statistics.median(waited), target, "ms")
    table.figure("  the slowest", max(waited), None, "ms")
    table.figure("  processor time of the server", statistics.median(busy), None, "ms")


async def _typing(path: Path, lines: Sequence[str], typed: str) -> list[tuple[float, float]]:
    """Milliseconds from the wait after each keystroke to its diagnostics, and the server's processor time."""
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "flink_flint", "lsp")
    # No folder is open: what is measured is the answer to a keystroke, not what follows when it is quiet.
    await client.initialize_session(types.InitializeParams(types.ClientCapabilities()))
    row = next(number for number in range(len(lines) // 2, len(lines)) if _takes_line(path.name, lines, number))
    try:
        return await _type(client, path.as_uri(), lines, typed[:KEYSTROKES], row)
    finally:
        await client.shutdown_session()
        await client.stop()


def _takes_line(name: str, lines: Sequence[str], number: int) -> bool:
    """Whether a new line may follow one."""
    if name == "deployments.yaml":
        return "taskmanager.numberOfTaskSlots" in lines[number]
    if name == "job.sql":
        return lines[number].startswith("WHERE price")
    return not lines[number].startswith((" ", "#"))


def _used(client: LanguageClient) -> float:
    """Milliseconds of the processor that the server has taken so far, as the kernel counts them (by 10 ms)."""
    server = client._server
    assert server is not None
    stat = Path("/proc", str(server.pid), "stat").read_text(encoding="utf-8")
    fields = stat[stat.rindex(")") + 2 :].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def _type(
    client: LanguageClient, uri: str, lines: Sequence[str], typed: str, row: int
) -> list[tuple[float, float]]:
    text = "\n".join(lines) + "\n"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 0, text)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    times = []
    place = types.Position(row, len(lines[row]))
    for version, char in enumerate(typed, 1):
        document = types.VersionedTextDocumentIdentifier(version, uri)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), char)
        began, used = time.perf_counter(), _used(client)
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        while True:
            told = await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            if told.version == version:
                break
        times.append(((time.perf_counter() - began - WAIT) * 1000, _used(client) - used))
        place = types.Position(place.line + 1, 0) if char == "\n" else types.Position(place.line, place.character + 1)
    return times
