"""Which source answers at an address."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.commands.history_servers import FLINK, PROMETHEUS, _kind_of, import_address
from flink_flint.linter.commands.import_arguments import ImportArguments
from flink_flint.linter.filesystem.http_client import Tls
from tests.conftest import ROOT

from .prometheus_server import Server, serving

TLS = Tls("", "", "", False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    with serving({}) as running:
        yield running


def test_a_cluster_is_known_by_its_overview_and_all_else_is_a_prometheus(server: Server) -> None:
    assert _kind_of(server.url, TLS) == PROMETHEUS
    server.always = lambda handler: handler.answer_json(200, {"flink-version": "1.20.0"}) is None
    assert _kind_of(f"{server.url}/prefix/?extra=1", TLS) == FLINK
    assert [one.path for one in server.asked] == ["/overview", "/prefix/overview"]
    server.always = lambda handler: handler.fail(401, "who are you?")
    assert _kind_of(server.url, TLS) == PROMETHEUS


def test_nobody_at_the_address_is_told_without_its_parameters() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ValueError, match=rf"^{address}: no response \(connection refused\)"):
        _kind_of(f"{address}?token=s3cret", TLS)


@pytest.mark.parametrize("address", ["http://[::1", "http://host:99999", "http://a b/"])
def test_what_is_not_an_address_is_told(address: str, tmp_path: Path) -> None:
    arguments = ImportArguments(address, into=str(tmp_path / "store"))
    with pytest.raises(ValueError, match="not an address such as http://localhost:9090"):
        import_address(lambda: pytest.fail("started"), Store(arguments.into), arguments, print)


def test_without_the_client_the_extra_is_named(tmp_path: Path) -> None:
    without = "import sys; sys.modules['requests'] = None; from flink_flint.linter.__main__ import main; main()"
    command = [sys.executable, "-c", without, "history", "import", "http://127.0.0.1:9", "--into", str(tmp_path / "s")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a history requires the package requests: pip install 'flink-flint[spark]'" in done.stderr
