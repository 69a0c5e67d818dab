"""`flint history import ADDRESS`: imports from Prometheus and compatible servers, or from a live Flink cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
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
from flink_flint.linter.filesystem.http_client import HttpClient, NoAnswerError, Tls, address_only, is_address

if TYPE_CHECKING:
    from flink_flint.calculators.history.samples import Batch

PrintMessage = Callable[..., None]

PROMETHEUS, FLINK = "prometheus", "flink-rest"
FIRST_DAYS = 14
"""How many days to fetch from a Prometheus server that is new to the store."""
_PROBE = 10.0


def import_address(
    start: Start, store: Store, address: str, options: Mapping[str, Any], print_message: PrintMessage
) -> Imported:
    """Import from an address. Raises ValueError if nothing answers, or nothing useful."""
    if not is_address(address):
        raise ValueError(f"{address_only(address)}: not an address such as http://localhost:9090")
    split = urlsplit(address)
    if split.username is not None or split.password is not None:
        raise ValueError(
            f"{split.hostname}: take user and password out of the address; --user and --password-file take them, or "
            "the environment does"
        )
    if store.exists():
        store.check()
    kind = options["source"] or _kind_of(address, options)
    if kind not in (PROMETHEUS, FLINK):
        raise ValueError(f"--source {kind}: an address is one of {PROMETHEUS} and {FLINK}")
    said = Options(options["cluster"] or "", options["cluster_label"] or "")

    if kind == FLINK:
        return _from_cluster(store, address, options, said, start, print_message)
    return _from_prometheus(store, address, options, said, start, print_message)


def _kind_of(address: str, options: Mapping[str, Any]) -> str:
    """Return whether a Flink cluster answers there; anything else is treated as Prometheus, whose errors explain
    themselves."""
    tls = Tls(options["ca_file"] or "", options["certificate"] or "", options["key"] or "", options["insecure"])
    client = HttpClient(address_only(address), {"Accept": "application/json"}, tls=tls, timeout=_PROBE)
    try:
        return FLINK if b'"flink-version"' in client.exchange("GET", "/overview").body else PROMETHEUS
    except NoAnswerError as error:
        if error.untrusted or error.too_large:
            return PROMETHEUS
        raise ValueError(f"{address_only(address)}: no answer ({error}); is the address correct?") from None


def _from_prometheus(
    store: Store, address: str, options: Mapping[str, Any], said: Options, start: Start, print_message: PrintMessage
) -> Imported:
    end = prometheus_http.moment(options["to"]) if options["to"] else int(time.time() * 1000)
    begin = prometheus_http.moment(options["from_"]) if options["from_"] else _since(store, address, end)
    access = prometheus_http.Access(
        address,
        **{
            name: options[name]
            for name in ("selector", "metrics", "step", "timeout", "tenant", "dedup", "token_file", "user",
                         "password_file", "ca_file", "certificate", "key", "insecure")
            if options[name]
        },
    )  # fmt: skip
    # Report a wrong address or selector at once, not after Spark has started.
    count = len(prometheus_http.portions(access, begin, end))
    print_message(f"{address_only(address)}: {_formatted(begin)} to {_formatted(end)}, {count} pieces", kind="info")
    spark = start()
    from flink_flint.calculators.history.sources.prometheus.spark_source import PrometheusDataSource

    spark.dataSource.register(PrometheusDataSource)
    reader = spark.read.format(prometheus_http.NAME).option("start", begin / 1000).option("end", end / 1000)
    for name, value in access._asdict().items():
        if value != prometheus_http.Access._field_defaults.get(name):
            reader = reader.option(name, str(value).lower() if isinstance(value, bool) else value)
    for name in ("cluster", "cluster_label"):
        if options[name]:
            reader = reader.option(name, options[name])
    return import_frame(store, reader.load(), PROMETHEUS, address_only(address))


def _since(store: Store, address: str, end: int) -> int:
    """Return where to continue: the beginning of the last imported day, or else some days ago."""
    if store.exists():
        days = [day for one in store.manifest().imports if one["path"] == address_only(address) for day in one["days"]]
        if days:
            return prometheus_http.moment(max(days))
    return (end - FIRST_DAYS * DAY_MS) // DAY_MS * DAY_MS


def _formatted(moment: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(moment / 1000))


def _from_cluster(
    store: Store, address: str, options: Mapping[str, Any], said: Options, start: Start, print_message: PrintMessage
) -> Imported:
    access = flink_rest_live.Access(
        user=options["user"] or "",
        password=secret_of(options["password_file"] or ""),
        token=secret_of(options["token_file"] or ""),
        ca=options["ca_file"] or "",
        insecure=options["insecure"],
        timeout=options["timeout"] or flink_rest_live.Access().timeout,
    )
    span, every, shown = options["for_"], options["every"], address_only(address)
    print_message(f"{shown}: polled every {every:g} s for {span:g} s; Ctrl-C ends it and keeps what came", kind="info")
    rounds = flink_rest_live.poll(address, said, every=every, span=span, access=access)
    return import_batches(start, store, _until_interrupted(rounds), FLINK, shown)


def _until_interrupted(rounds: Iterator[Batch]) -> Iterator[Batch]:
    try:
        yield from rounds
    except KeyboardInterrupt:
        return
