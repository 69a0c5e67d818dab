"""`flint history import ADDRESS`: imports from Prometheus, a compatible server, or a live Flink cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flink_flint.calculators.history.pipeline.importing import Imported, import_batches, import_frame
from flink_flint.calculators.history.pipeline.staging import DAY_MS
from flink_flint.calculators.history.sources.flink_rest import live as flink_rest_live
from flink_flint.calculators.history.sources.prometheus import http as prometheus_http
from flink_flint.calculators.history.sources.prometheus.access import secret_of
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store.layout import Store
from flink_flint.calculators.history.store.spark_session import Start
from flink_flint.linter.filesystem.http_client import HttpClient, NoResponseError, Tls, address_only, is_address

if TYPE_CHECKING:
    from flink_flint.calculators.history.samples import Batch
    from flink_flint.linter.commands.errors import PrintMessage
    from flink_flint.linter.commands.import_arguments import ImportArguments


PROMETHEUS, FLINK = "prometheus", "flink-rest"
FIRST_DAYS = 14
"""The number of days of metrics that the first import from a Prometheus server fetches."""
_PROBE = 10.0


def import_address(start: Start, store: Store, arguments: ImportArguments, print_message: PrintMessage) -> Imported:
    """Import metrics from a server into a store; raise ValueError if the server gives no usable response."""
    address = arguments.address
    if not is_address(address):
        raise ValueError(f"{address_only(address)}: not an address such as http://localhost:9090")
    split = urlsplit(address)
    if split.username is not None or split.password is not None:
        raise ValueError(
            f"{split.hostname}: remove user and password from the address; use --user and --password-file, or the "
            "environment"
        )
    if store.exists():
        store.check()
    kind = arguments.source or _kind_of(address, _tls_of(arguments))
    if kind not in (PROMETHEUS, FLINK):
        raise ValueError(f"--source {kind}: an address must be {PROMETHEUS} or {FLINK}")
    said = Options(arguments.cluster or "", arguments.cluster_label or "")

    if kind == FLINK:
        return _from_cluster(store, arguments, said, start, print_message)
    return _from_prometheus(store, arguments, said, start, print_message)


def _tls_of(arguments: ImportArguments) -> Tls:
    return Tls(arguments.ca_file or "", arguments.certificate or "", arguments.key or "", arguments.insecure)


def _kind_of(address: str, tls: Tls) -> str:
    """Return the kind of a server: a Flink cluster, or Prometheus for anything else, whose errors explain the rest."""
    client = HttpClient(address_only(address), {"Accept": "application/json"}, tls=tls, timeout=_PROBE)
    try:
        return FLINK if b'"flink-version"' in client.exchange("GET", "/overview").body else PROMETHEUS
    except NoResponseError as error:
        if error.untrusted or error.too_large:
            return PROMETHEUS
        raise ValueError(f"{address_only(address)}: no response ({error}); is the address correct?") from None


def _from_prometheus(
    store: Store, arguments: ImportArguments, said: Options, start: Start, print_message: PrintMessage
) -> Imported:
    address = arguments.address
    end = prometheus_http.moment(arguments.end) if arguments.end else int(time.time() * 1000)
    begin = prometheus_http.moment(arguments.start) if arguments.start else _since(store, address, end)
    chosen: dict[str, Any] = {
        "selector": arguments.selector, "metrics": arguments.metrics, "step": arguments.step,
        "timeout": arguments.timeout, "tenant": arguments.tenant, "dedup": arguments.dedup,
        "token_file": arguments.token_file, "user": arguments.user, "password_file": arguments.password_file,
        "ca_file": arguments.ca_file, "certificate": arguments.certificate, "key": arguments.key,
        "insecure": arguments.insecure,
    }  # fmt: skip
    access = prometheus_http.Access(
        address,
        **{name: value for name, value in chosen.items() if value},
    )
    # Report a wrong address or selector at once, not after Spark has started.
    count = len(prometheus_http.portions(access, begin, end))
    print_message(f"{address_only(address)}: {_formatted(begin)} to {_formatted(end)}, {count} pieces", kind="info")
    spark = start()
    from flink_flint.calculators.history.sources.prometheus.spark_source import PrometheusDataSource

    spark.dataSource.register(PrometheusDataSource)
    reader = spark.read.format(prometheus_http.NAME).option("start", begin / 1000).option("end", end / 1000)
    for name, value in access._asdict().items():
        if value != prometheus_http.Access._field_defaults.get(name):
            reader = reader.option(name, value)
    for name, named in (("cluster", arguments.cluster), ("cluster_label", arguments.cluster_label)):
        if named:
            reader = reader.option(name, named)
    return import_frame(store, reader.load(), PROMETHEUS, address_only(address))


def _since(store: Store, address: str, end: int) -> int:
    """Return where to continue: the beginning of the last imported day, otherwise some days ago."""
    if store.exists():
        days = [day for one in store.manifest().imports if one["path"] == address_only(address) for day in one["days"]]
        if days:
            return prometheus_http.moment(max(days))
    return (end - FIRST_DAYS * DAY_MS) // DAY_MS * DAY_MS


def _formatted(moment: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(moment / 1000))


def _from_cluster(
    store: Store, arguments: ImportArguments, said: Options, start: Start, print_message: PrintMessage
) -> Imported:
    address = arguments.address
    access = flink_rest_live.Access(
        user=arguments.user or "",
        password=secret_of(arguments.password_file or ""),
        token=secret_of(arguments.token_file or ""),
        ca=arguments.ca_file or "",
        insecure=arguments.insecure,
        timeout=arguments.timeout or flink_rest_live.Access().timeout,
    )
    span, every, shown = arguments.duration, arguments.every, address_only(address)
    print_message(f"{shown}: polled every {every:g} s for {span:g} s; Ctrl-C keeps what was collected", kind="info")
    rounds = flink_rest_live.poll(address, said, every=every, span=span, access=access)
    return import_batches(start, store, _until_interrupted(rounds), FLINK, shown)


def _until_interrupted(rounds: Iterator[Batch]) -> Iterator[Batch]:
    try:
        yield from rounds
    except KeyboardInterrupt:
        return
