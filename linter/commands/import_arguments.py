"""The arguments of `flint history import`, which the import from files and the one from an address share."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple


class ImportArguments(NamedTuple):
    """The arguments of `flint history import`."""

    address: str
    """A file, a directory or a URL."""
    into: str
    """The store."""
    source: str | None
    cluster: str | None
    cluster_label: str | None
    time: str | None
    again: bool
    output_format: str
    start: str | None
    end: str | None
    selector: str | None
    metrics: str | None
    step: int | None
    tenant: str | None
    dedup: str | None
    duration: float
    every: float
    timeout: float | None
    user: str | None
    password_file: str | None
    token_file: str | None
    ca_file: str | None
    certificate: str | None
    key: str | None
    insecure: bool
    master: str | None
    remote: str | None
    conf: tuple[str, ...]
