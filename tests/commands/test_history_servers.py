"""`flint history import ADDRESS`: what it passes on to the client and to Spark; servers are met in tests/history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flink_flint.calculators.history.sources.prometheus import http as prometheus_http
from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.commands import history_servers
from flink_flint.linter.commands.history_servers import import_address
from flink_flint.linter.commands.import_arguments import ImportArguments
from flink_flint.linter.filesystem.http_client import SYSTEMS_TRUST, Response, Tls

ADDRESS = "https://prometheus.example.com"


class Spark:
    """Stands in for a Spark session and its reader: keeps the options of the source that is read."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.dataSource = self.read = self

    def register(self, _: type) -> None:
        """Accept any source."""

    def format(self, _: str) -> Spark:
        return self

    def option(self, name: str, value: Any) -> Spark:
        self.options[name] = value
        return self

    def load(self) -> Spark:
        return self


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[Tls]:
    """Stand in for a Prometheus server and the import from it; list with what TLS settings it was asked."""
    settings: list[Tls] = []

    class Client:
        def __init__(self, *_: object, tls: Tls, **__: object) -> None:
            settings.append(tls)

        def exchange(self, *_: object) -> Response:
            return Response(404, {}, b"")

    monkeypatch.setattr(history_servers, "HttpClient", Client)
    monkeypatch.setattr(history_servers, "import_frame", lambda *_: None)
    monkeypatch.setattr(prometheus_http, "portions", lambda *_: [])
    return settings


def options_read(tmp_path: Path, **given: Any) -> dict[str, Any]:
    """Import a day from a server and return the options of Spark's source, except for the address and the time."""
    arguments = ImportArguments(ADDRESS, str(tmp_path / "store"), start="2025-11-20", end="2025-11-21", **given)
    spark = Spark()
    import_address(lambda: spark, Store(arguments.into), arguments, lambda *_, **__: None)
    begin, end = spark.options.pop("start"), spark.options.pop("end")
    assert (spark.options.pop("url"), end - begin) == (ADDRESS, 24 * 60 * 60)
    return spark.options


def test_without_options_the_trust_of_the_system_and_the_defaults_of_the_source_apply(
    probed: list[Tls], tmp_path: Path
) -> None:
    assert options_read(tmp_path) == {}
    assert probed == [SYSTEMS_TRUST]


def test_options_reach_the_client_and_the_source_as_they_are(probed: list[Tls], tmp_path: Path) -> None:
    tls: dict[str, Any] = {"ca_file": "CA.pem", "certificate": "Me.pem", "key": "Me.key", "insecure": True}
    given = {"selector": '{namespace="Streaming"}', "step": 30, "timeout": 5.0, "cluster": "Prod", **tls}
    assert options_read(tmp_path, **given) == given
    assert probed == [Tls(**tls)]
